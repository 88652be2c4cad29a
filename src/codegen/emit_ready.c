/* SPDX-License-Identifier: Apache-2.0
 *
 * emit_ready.c: what of a step is written as soon as it is known, behind all ways: its failures, and its numbers of the next state. Nothing
 * of both waits in a register for the end of the step.
 */
#include "codegen/emit_impl.h"

/* --- failures --------------------------------------------------------------------------------- */

static void put_failure(emitter *e, int32_t i) {
  e->failed[i] = 2;
  hki_emit_indent(e);
  hki_text_add(e->out, "HKX_FAIL(");
  hki_emit_node(e, e->p->t->failures[i].condition);
  hki_text_add(e->out, ");\n");
}

/* --- states at the end of the step ------------------------------------------------------------- */

static void put_store(emitter *e, int32_t i) {
  const hk_trace_state *s = &e->p->t->states[e->p->cell[i]];
  e->stored[i] = 2;
  if (s->held) {
    hki_text_printf(e->out, "  HKX_STORE(%d, HKX_X(%d));\n", i, i);
    return;
  }
  hki_text_printf(e->out, "  HKX_STORE(%d, ", i);
  hki_emit_plain(e, &s->final);
  hki_text_add(e->out, ");\n");
}

/* which nodes they are */
bool hki_emit_find_stores(emitter *e) {
  const hk_followed *t = e->p->t;
  e->stored = hki_pool_alloc(t->pool, (size_t)e->p->nx + 1);
  e->next = hki_pool_alloc(t->pool, ((size_t)e->p->nx + 1) * sizeof *e->next);
  e->stores = hki_pool_alloc(t->pool, (size_t)t->g.n * sizeof *e->stores);
  if (!e->stored || !e->next || !e->stores) return e->out->failed = true, false;
  for (int32_t i = 0; i < e->p->nx; i++) {
    const hk_trace_state *s = &t->states[e->p->cell[i]];
    if (s->held || !s->final.node) continue;
    e->next[i] = e->stores[s->final.node];
    e->stores[s->final.node] = i + 1;
  }
  return true;
}

void hki_emit_stores(emitter *e) {
  for (int32_t i = 0; i < e->p->nx; i++)
    if (e->stored[i] < 2) put_store(e, i);
}

/* --- what does not wait for the end of the step ------------------------------------------------ */

/* what is left of the failures of a part */
void hki_emit_failures(emitter *e, uint8_t part) {
  const hk_followed *t = e->p->t;
  for (int32_t i = 0; i < t->nfailures; i++)
    if (t->failures[i].part == part && e->failed[i] < 2) put_failure(e, i);
}

/* node n is written: is it the condition of failures, or a number at the end of the step? */
void hki_emit_note(emitter *e, hk_node n) {
  const hk_followed *t = e->p->t;
  for (int32_t i = e->stores ? e->stores[n] : 0; i; i = e->next[i - 1])
    e->stored[i - 1] = 1, e->nready++;
  for (int32_t i = 0; e->p->kept[n] && i < t->nfailures; i++)
    if (t->failures[i].condition == n && t->failures[i].part == e->part && !e->failed[i])
      e->failed[i] = 1, e->nready++;
}

/* Behind all ways: what is known to have failed is one truth, and no number of the next state waits in a register. */
void hki_emit_ready(emitter *e) {
  if (!e->nready || e->region != 0) return;
  for (int32_t i = 0; i < e->p->t->nfailures; i++)
    if (e->failed[i] == 1) put_failure(e, i);
  for (int32_t i = 0; e->stores && i < e->p->nx; i++)
    if (e->stored[i] == 1) put_store(e, i);
  e->nready = 0;
}
