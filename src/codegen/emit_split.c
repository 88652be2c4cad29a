/* SPDX-License-Identifier: Apache-2.0
 *
 * emit_split.c: the statements of one warp of those that share a step (split.h), in the words of emit.c and
 *
 *   HKX_PUT(slot, x), HKX_GET(slot)   a value that other warps take, and the same for truths
 *   HKX_WAIT                          all warps have come here
 *   HKX_CELL(i), HKX_BEGIN(i, x), HKX_KEEP(i, x)   a variable of an iteration, before it and at the end of a turn
 *   HKX_CHECK(x), HKX_COMMIT, HKX_LAST(i, x)       numbers of the state after the step: all are looked at before any is stored
 *
 * Every warp goes through the same waits. A turn of an iteration ends with two of them: behind the first its variables
 * are written, which nobody reads any more, behind the second they can be read, and slots be written again.
 */
#include "codegen/emit.h"
#include "codegen/emit_impl.h"

static void put_if_taken(emitter *e, hk_node n) {
  const bool real = hki_graph_kind[hki_graph_at(&e->p->t->g, n)->op] == 'R';
  if (e->split->slot[n] >= 0)
    hki_text_printf(e->out, real ? "  HKX_PUT(%d, t%u);\n" : "  HKX_PUT_TRUTH(%d, t%u);\n",
                    e->split->slot[n], n);
}

static void put_unit(emitter *e, hk_node n) {
  const hk_node pair = e->p->pair[n];
  if (pair) {
    hki_text_add(e->out, "  ");
    hki_emit_pair(e, n, pair);
    put_if_taken(e, pair);
  } else {
    const bool real = hki_graph_kind[hki_graph_at(&e->p->t->g, n)->op] == 'R';
    hki_text_printf(e->out, real ? "  HKX_R t%u = " : "  HKX_B t%u = ", n);
    hki_emit_expression(e, n);
    hki_text_add(e->out, ";\n");
  }
  put_if_taken(e, n);
}

/* all phases of a part, with a wait behind each */
static void put_part(emitter *e, uint8_t part, uint32_t *at) {
  const hk_split *s = e->split;
  for (uint32_t phase = s->first[part]; phase < s->first[part + 1]; phase++) {
    for (; *at < s->norder && s->phase[s->order[*at]] == phase; ++*at)
      if (s->warp[s->order[*at]] == e->warp) put_unit(e, s->order[*at]);
    hki_text_add(e->out, "  HKX_WAIT;\n");
  }
}

static void put_failures(emitter *e, uint8_t part) {
  const hk_followed *t = e->p->t;
  for (int32_t i = 0; i < t->nfailures; i++) {
    const hk_node c = t->failures[i].condition;
    if (t->failures[i].part != part || hki_split_owner(e->split, e->p, c, i) != e->warp) continue;
    hki_text_add(e->out, "  HKX_FAIL(");
    hki_emit_node(e, c);
    hki_text_add(e->out, ");\n");
  }
}

/* does this warp write variable i of iteration k, and does anybody read it? */
static bool writes(const emitter *e, const hk_trace_cell *c, const hk_slot *from, int32_t i) {
  return (c->carried || c->used) && hki_split_owner(e->split, e->p, from->node, i) == e->warp;
}

static void open_loop(emitter *e, int32_t k) {
  const hk_trace_loop *l = &e->p->t->loops[k];
  for (int32_t i = 0; i < l->n; i++) {
    const hk_trace_cell *c = &l->cells[i];
    const hk_slot none = {0};
    const hk_slot *init = c->enters ? &c->init : &none;
    if (!writes(e, c, init, i)) continue;
    hki_text_printf(e->out, "  HKX_BEGIN(%d, ", e->split->cell[k][i]);
    if (c->enters)
      hki_emit_slot(e, init);
    else
      hki_text_add(e->out, "HKX_ZERO");
    hki_text_add(e->out, ");\n");
  }
  hki_text_add(e->out, "  HKX_WAIT;\n  HKX_LOOP_BEGIN\n");
}

static void close_loop(emitter *e, int32_t k) {
  const hk_trace_loop *l = &e->p->t->loops[k];
  for (int32_t i = 0; i < l->n; i++) {
    if (!writes(e, &l->cells[i], &l->cells[i].next, i)) continue;
    hki_text_printf(e->out, "  const HKX_R k%d_%d = ", k, i);
    hki_emit_slot(e, &l->cells[i].next);
    hki_text_add(e->out, ";\n");
  }
  put_failures(e, (uint8_t)(2 * k + 1));
  hki_text_add(e->out, "  HKX_WAIT;\n");
  for (int32_t i = 0; i < l->n; i++)
    if (writes(e, &l->cells[i], &l->cells[i].next, i))
      hki_text_printf(e->out, "  HKX_KEEP(%d, k%d_%d);\n", e->split->cell[k][i], k, i);
  hki_text_add(e->out, "  HKX_LOOP_END(");
  hki_emit_node(e, l->step);
  hki_text_add(e->out, ", ");
  hki_emit_node(e, l->constraint);
  hki_text_add(e->out, ", ");
  hki_emit_node(e, l->by_rate);
  hki_text_add(e->out, ", ");
  hki_emit_node(e, l->whole);
  hki_text_add(e->out, ", ");
  hki_emit_node(e, l->kept);
  hki_text_add(e->out, ")\n");
}

void hki_emit_warp(const hk_plan *p, const hk_split *split, int32_t warp, hk_text *out) {
  emitter e = {.p = p, .split = split, .warp = warp, .out = out};
  const hk_followed *t = p->t;
  uint32_t at = 0;
  for (int32_t k = 0; k <= t->nloops; k++) {
    put_part(&e, (uint8_t)(2 * k), &at);
    put_failures(&e, (uint8_t)(2 * k));
    if (k == t->nloops) break;
    open_loop(&e, k);
    put_part(&e, (uint8_t)(2 * k + 1), &at);
    close_loop(&e, k);
  }
  for (int32_t pass = 0; pass < 2; pass++) {
    hki_text_add(out, pass ? "  HKX_COMMIT\n" : "");
    for (int32_t i = 0; i < p->nx; i++) {
      const hk_trace_state *s = &t->states[p->cell[i]];
      const hk_node n = s->held ? 0 : s->final.node;
      if (hki_split_owner(split, p, n, i) != warp) continue;
      if (s->held) {
        if (!pass) hki_text_printf(out, "  HKX_CHECK(HKX_X(%d));\n", i);
        continue;
      }
      if (pass) {
        hki_text_printf(out, "  HKX_LAST(%d, n%d);\n", i, i);
        continue;
      }
      hki_text_printf(out, "  const HKX_R n%d = ", i);
      hki_emit_plain(&e, &s->final);
      hki_text_printf(out, ";\n  HKX_CHECK(n%d);\n", i);
    }
  }
}
