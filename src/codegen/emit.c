/* SPDX-License-Identifier: Apache-2.0
 *
 * emit.c: the body of a step as text in C. Types, functions and the end of an iteration are macros of the prelude, so that
 * the same text serves one number, several in lanes, and a graphics processor:
 *
 *   HKX_R, HKX_B             a number, a truth
 *   HKX_SELECT(c, a, b)      and the other functions of graph.def
 *   HKX_SINCOS(x, s, c)      sine and cosine of one angle
 *   HKX_V(x)                 a number that may be the same in all lanes
 *   HKX_IF(c), HKX_UNLESS(c) a way of a branch
 *   HKX_LOOP_BEGIN .. END    an iteration
 *   HKX_PASSES(n, c)         a loop of at most n passes, each while c holds
 *   HKX_KEEP(m, next)        a variable of an iteration at the end of a turn
 *
 * Packs (packs.h) are written as HKX_ADD4(type, name, operands) and the like, which say or set a variable of four numbers;
 * HKX_AT4_0(name) to 3 are its lanes. The same with 2 has two, and with B at the end truths.
 */
#include "codegen/emit.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "codegen/emit_impl.h"
#include "codegen/packs.h"

/* --- values ----------------------------------------------------------------------------------- */

static void put_number(hk_text *out, double x) {
  char buf[40];
  if (x != x) { // what nobody takes
    hki_text_add(out, "HKX_NAN");
    return;
  }
  if (x > DBL_MAX || x < -DBL_MAX) { // a limit that is none
    hki_text_add(out, x > 0.0 ? "HKX_INF" : "(-HKX_INF)");
    return;
  }
  snprintf(buf, sizeof buf, "%.17g", x);
  if (!strpbrk(buf, ".en")) strcat(buf, ".0");
  hki_text_printf(out, x < 0.0 || buf[0] == '-' ? "(%s)" : "%s", buf);
}

static void put_load(emitter *e, const hk_graph_node *x) {
  const hk_followed *t = e->p->t;
  if (x->part == 0 || x->part == t->showing) {
    const int32_t number = hki_trace_state(t, x->cell)->number;
    hki_text_printf(e->out, e->split ? "HKX_X(%d)" : "s%d", number);
    return;
  }
  const hk_trace_loop *l = &t->loops[(x->part - 1) / 2];
  const hk_trace_cell *c = hki_trace_cell(l, x->cell);
  if (e->split) {
    hki_text_printf(e->out, "HKX_CELL(%d)", e->split->cell[(x->part - 1) / 2][c - l->cells]);
    return;
  }
  hki_text_printf(e->out, x->part % 2 ? "l%d_%d" : "m%d_%d", (x->part - 1) / 2,
                  (int)(c - l->cells));
}

/* the expression of a node with its operands in place */
void hki_emit_expression(emitter *e, hk_node n) {
  const hk_graph_node *x = hki_graph_at(&e->p->t->g, n);
  switch (x->op) {
    case HK_G_CONST:
      put_number(e->out, x->value);
      return;
    case HK_G_INT:
      hki_text_printf(e->out, "HKX_TRUTH(%d)", x->number != 0);
      return;
    case HK_G_FIRST:
      hki_text_add(e->out, "first");
      return;
    case HK_G_LOAD:
      put_load(e, x);
      return;
    case HK_G_SEGMENT:
      hki_text_printf(e->out, "HKX_SEGMENT(g%d, %d, ", (int)x->number,
                      e->p->t->g.tables[x->number].n);
      hki_emit_node(e, x->a[0]);
      hki_text_add(e->out, ")");
      return;
    case HK_G_GATHER:
      hki_text_printf(e->out, "HKX_GATHER(g%d, %d, %d, ", (int)x->number,
                      (int)e->p->t->g.tables[x->number].lo, e->p->t->g.tables[x->number].n);
      hki_emit_node(e, x->a[0]);
      hki_text_add(e->out, ")");
      return;
    default:
      break;
  }
  for (const char *s = hki_graph_text[x->op]; *s; s++) {
    if (*s == '$')
      hki_emit_node(e, x->a[*++s - '1']);
    else
      hki_text_addn(e->out, s, 1);
  }
}

static bool is_real(const hk_graph_node *x) { return hki_graph_kind[x->op] == 'R'; }

/* in whose variable a node is */
static hk_node variable(const emitter *e, hk_node n) { return e->meets ? e->meets->name[n] : n; }

void hki_emit_node(emitter *e, hk_node n) {
  const hk_graph_node *x = hki_graph_at(&e->p->t->g, n);
  const uint32_t pack = e->p->pack_of[n];
  if (pack) {
    hki_text_printf(e->out, "HKX_AT%d%s_%d(v%u)", e->p->packs[pack - 1].width,
                    is_real(x) ? "" : "B", e->p->lane_of[n], pack - 1);
    return;
  }
  if (!e->p->inlined[n]) {
    const bool mine = !e->split || e->split->warp[n] == e->warp;
    hki_text_printf(e->out,
                    mine         ? "t%u"
                    : is_real(x) ? "HKX_GET(%d)"
                                 : "HKX_GET_TRUTH(%d)",
                    mine ? (int)variable(e, n) : e->split->slot[n]);
    return;
  }
  const bool bare =
      x->op == HK_G_CONST || x->op == HK_G_LOAD || x->op == HK_G_FIRST || x->op == HK_G_INT;
  if (!bare) hki_text_add(e->out, "(");
  hki_emit_expression(e, n);
  if (!bare) hki_text_add(e->out, ")");
}

void hki_emit_slot(emitter *e, const hk_slot *s) {
  if (s->node)
    hki_emit_node(e, s->node);
  else
    put_number(e->out, hki_slot_double(*s));
}

/* Which sign a zero has is not that of the library (graph.h), and it is another one where packs are looked for. What is seen of a step has
 * +0, so that all programs of a model have the same bits. What a run has in memory is the library's. */
void hki_emit_plain(emitter *e, const hk_slot *s) {
  const hk_followed *t = e->p->t;
  if (!s->node) {
    put_number(e->out, hki_slot_double(*s) + 0.0);
  } else if (t->whole || !hki_graph_may_be_minus(&t->g, s->node)) {
    hki_emit_node(e, s->node);
  } else {
    hki_text_add(e->out, "(");
    hki_emit_node(e, s->node);
    hki_text_add(e->out, " + 0.0)");
  }
}

/* --- blocks ----------------------------------------------------------------------------------- */

void hki_emit_indent(emitter *e) {
  for (int32_t i = 0; i < e->depth; i++) hki_text_add(e->out, "  ");
}

static uint32_t around(const emitter *e, uint32_t r) {
  return e->p->effective[e->p->t->g.regions[r].parent];
}

/* the loop whose pass a way is, NULL: none */
static const hk_roll *roll_of(const emitter *e, uint32_t r) {
  return e->rolls && e->rolls->of[r] ? &e->rolls->rolls[e->rolls->of[r] - 1] : NULL;
}

/* is it written by another pass of its loop? */
static bool is_rolled_up(const emitter *e, hk_node n) {
  const uint32_t r = e->p->region[n];
  return roll_of(e, r) && r != roll_of(e, r)->way[1];
}

/* values for the next pass */
static void end_pass(emitter *e, const hk_roll *l) {
  for (int32_t i = 0; i < l->nmeets; i++) {
    hki_emit_indent(e);
    hki_text_printf(e->out, "t%u = t%u;\n", variable(e, l->meets[i].before), l->meets[i].second);
  }
  for (int32_t i = 0; i < l->nvalues; i++) {
    hki_emit_indent(e);
    hki_text_printf(e->out, "t%u = t%u;\n", l->values[i].first, l->values[i].second);
  }
}

static void close_to(emitter *e, uint32_t region) {
  while (!hki_graph_around(&e->p->t->g, e->region, region)) {
    const hk_roll *l = roll_of(e, e->region);
    if (l) end_pass(e, l);
    e->depth--;
    hki_emit_indent(e);
    hki_text_add(e->out, "}\n");
    e->region = around(e, l ? l->way[0] : e->region);
  }
}

/* what is written by a way is known without it */
static void set_meets(emitter *e, uint32_t region) {
  for (hk_node s = e->meets ? e->meets->first[region] : 0; s; s = e->meets->next[s]) {
    hki_emit_indent(e);
    if (variable(e, s) == s && !e->p->escapes[s]) hki_text_add(e->out, "HKX_R ");
    hki_text_printf(e->out, "t%u = ", variable(e, s));
    hki_emit_node(e, hki_meets_other(e->p, e->meets, s));
    hki_text_add(e->out, ";\n");
  }
}

static void open_to(emitter *e, uint32_t region);

/* the loop, with what its first pass begins with */
static void open_passes(emitter *e, const hk_roll *l) {
  const hk_graph *g = &e->p->t->g;
  open_to(e, around(e, l->way[0]));
  set_meets(e, l->way[0]);
  for (int32_t i = 0; i < l->nvalues; i++) {
    hki_emit_indent(e);
    hki_text_printf(e->out, "%s t%u = ", is_real(&g->nodes[l->values[i].first]) ? "HKX_R" : "HKX_B",
                    l->values[i].first);
    hki_emit_node(e, l->values[i].before);
    hki_text_add(e->out, ";\n");
  }
  hki_emit_indent(e);
  hki_text_printf(e->out,
                  g->regions[l->way[0]].no ? "HKX_PASSES(%u, HKX_NOT(t%u)) {\n"
                                           : "HKX_PASSES(%u, t%u) {\n",
                  l->passes, l->values[0].first);
  e->region = l->way[1];
  e->depth++;
}

static void open_to(emitter *e, uint32_t region) {
  if (region == e->region) return;
  const hk_graph_region *r = &e->p->t->g.regions[region];
  if (roll_of(e, region)) {
    open_passes(e, roll_of(e, region));
    return;
  }
  open_to(e, around(e, region));
  set_meets(e, region);
  hki_emit_indent(e);
  hki_text_add(e->out, r->no ? "HKX_UNLESS(" : "HKX_IF(");
  hki_emit_node(e, r->condition);
  hki_text_add(e->out, ") {\n");
  e->region = region;
  e->depth++;
}

/* --- parts ------------------------------------------------------------------------------------ */

static void declare_escaping(emitter *e) {
  const hk_graph *g = &e->p->t->g;
  for (uint32_t n = 1; n < g->n; n++) {
    if (!e->p->needed[n] || !e->p->escapes[n] || e->p->inlined[n] || g->nodes[n].part != e->part ||
        variable(e, n) != n || roll_of(e, e->p->region[n]))
      continue;
    const uint32_t pack = e->p->pack_of[n];
    if (pack && e->p->lane_of[n]) continue;
    hki_emit_indent(e);
    if (pack)
      hki_text_printf(e->out, "HKX_VAR%d%s(v%u);\n", e->p->packs[pack - 1].width,
                      is_real(&g->nodes[n]) ? "" : "B", pack - 1);
    else
      hki_text_printf(
          e->out, is_real(&g->nodes[n]) ? "HKX_R t%u = HKX_ZERO;\n" : "HKX_B t%u = HKX_TRUTH(0);\n",
          n);
  }
}

/* sine and cosine of one angle */
void hki_emit_pair(emitter *e, hk_node n, hk_node other) {
  const hk_graph_node *x = hki_graph_at(&e->p->t->g, n);
  const hk_node s = x->op == HK_G_SIN ? n : other, c = x->op == HK_G_SIN ? other : n;
  if (!e->p->escapes[s]) hki_text_printf(e->out, "HKX_R t%u; ", s);
  if (!e->p->escapes[c]) hki_text_printf(e->out, "HKX_R t%u; ", c);
  hki_text_add(e->out, "HKX_SINCOS(");
  hki_emit_node(e, x->a[0]);
  hki_text_printf(e->out, ", t%u, t%u);\n", s, c);
}

/* --- packs ------------------------------------------------------------------------------------ */

/* the value of these lanes if it has been put together and can be seen here; else a new one, *old is false */
static uint32_t find_joined(emitter *e, const hk_node *lane, int width, bool *old) {
  uint32_t h = (uint32_t)width;
  joined n = {.width = (uint8_t)width, .part = e->part, .region = e->region};
  for (int i = 0; i < width; i++)
    n.lane[i] = lane[i], h = (h ^ lane[i]) * 0x9e3779b1u, h ^= h >> 15;
  *old = false;
  for (h &= e->table_size - 1; e->table[h]; h = (h + 1) & (e->table_size - 1)) {
    const joined *j = &e->joined[e->table[h] - 1];
    if (j->width != width || memcmp(j->lane, n.lane, sizeof n.lane) != 0) continue;
    *old = (j->part == e->part || j->part % 2 == 0) &&
           hki_graph_around(&e->p->t->g, j->region, e->region);
    if (*old) return e->table[h] - 1;
  }
  e->joined[e->njoined] = n;
  e->table[h] = ++e->njoined;
  return e->njoined - 1;
}

typedef struct operand {
  char kind; /* v: a pack, w: put together */
  uint32_t number;
} operand;

/* one value of these lanes: a pack, or put together here */
static operand take_lanes(emitter *e, const hk_node *lane, int width) {
  const hk_plan *p = e->p;
  const uint32_t pack = p->pack_of[lane[0]];
  bool whole = pack && p->packs[pack - 1].width == width, same = true, old;
  for (int i = 0; i < width; i++) {
    whole = whole && p->packs[pack - 1].lane[i] == lane[i];
    same = same && lane[i] == lane[0];
  }
  if (whole) return (operand){'v', pack - 1};
  const uint32_t k = find_joined(e, lane, width, &old);
  if (old) return (operand){'w', k};
  const char *b = is_real(hki_graph_at(&p->t->g, lane[0])) ? "" : "B";
  hki_emit_indent(e);
  hki_text_printf(e->out, "HKX_%s%d%s(HKX_NEW%d%s, w%u", same ? "ALL" : "OF", width, b, width, b,
                  k);
  for (int i = 0; i < (same ? 1 : width); i++) {
    hki_text_add(e->out, ", ");
    hki_emit_node(e, lane[i]);
  }
  hki_text_add(e->out, ");\n");
  return (operand){'w', k};
}

/* a value with other signs in some lanes */
static operand flip_lanes(emitter *e, operand x, int width, uint32_t flip) {
  const uint32_t k = e->njoined++;
  e->joined[k] = (joined){0};
  hki_emit_indent(e);
  hki_text_printf(e->out, "HKX_FLIP%d(HKX_NEW%d, w%u, %c%u", width, width, k, x.kind, x.number);
  for (int i = 0; i < width; i++) hki_text_add(e->out, flip >> i & 1 ? ", -" : ", +");
  hki_text_add(e->out, ");\n");
  return (operand){'w', k};
}

static const char *const pack_names[HK_G_OPS] = {
    [HK_G_ADD] = "ADD", [HK_G_SUB] = "SUB", [HK_G_MUL] = "MUL",   [HK_G_DIV] = "DIV",
    [HK_G_NEG] = "NEG", [HK_G_ABS] = "ABS", [HK_G_SQRT] = "SQRT", [HK_G_MIN] = "MIN",
    [HK_G_MAX] = "MAX", [HK_G_LT] = "LT",   [HK_G_LE] = "LE",     [HK_G_EQ] = "EQ",
    [HK_G_NOT] = "NOT", [HK_G_AND] = "AND", [HK_G_OR] = "OR",     [HK_G_SELECT] = "SELECT",
    [HK_G_SIN] = "SIN", [HK_G_COS] = "COS"};

/* the operands of a pack; sums and differences become one of them. Returns the operation. */
static int take_operands(emitter *e, const hk_pack *q, operand *x) {
  int op = hki_graph_at(&e->p->t->g, q->lane[0])->op;
  const uint32_t all = (1u << q->width) - 1;
  uint32_t flip[3] = {0};
  for (int k = 0; k < hki_graph_operands[op]; k++) {
    hk_node lane[HK_PACK_WIDTH];
    hki_packs_operand(e->p, q, k, lane, &flip[k]);
    x[k] = take_lanes(e, lane, q->width);
  }
  if (op != HK_G_ADD && op != HK_G_SUB) return op;
  if (flip[0] == all || flip[1] == all) {
    const operand first = x[0];
    if (flip[0]) x[0] = x[1], x[1] = first;
    return HK_G_SUB;
  }
  for (int k = 0; k < 2; k++)
    if (flip[k]) x[k] = flip_lanes(e, x[k], q->width, flip[k]);
  return HK_G_ADD;
}

static void put_pack(emitter *e, uint32_t k) {
  const hk_pack *q = &e->p->packs[k];
  const hk_graph_node *n = hki_graph_at(&e->p->t->g, q->lane[0]);
  operand x[3] = {{0}};
  const int op = take_operands(e, q, x);
  hki_emit_indent(e);
  hki_text_printf(e->out, "HKX_%s%d(", pack_names[op], q->width);
  if (!e->p->escapes[q->lane[0]])
    hki_text_printf(e->out, "HKX_NEW%d%s", q->width, is_real(n) ? "" : "B");
  hki_text_printf(e->out, ", v%u", k);
  for (int i = 0; i < hki_graph_operands[op]; i++)
    hki_text_printf(e->out, ", %c%u", x[i].kind, x[i].number);
  hki_text_add(e->out, ");\n");
}

/* sines and cosines of the same angles */
static void put_pack_pair(emitter *e, hk_node n, hk_node other) {
  const hk_plan *p = e->p;
  const bool sine = hki_graph_is(&p->t->g, n, HK_G_SIN);
  const uint32_t s = p->pack_of[sine ? n : other] - 1, c = p->pack_of[sine ? other : n] - 1;
  operand x[3] = {{0}};
  take_operands(e, &p->packs[s], x);
  const int width = p->packs[s].width;
  const uint32_t both[2] = {s, c};
  hki_emit_indent(e);
  for (int i = 0; i < 2; i++)
    if (!p->escapes[p->packs[both[i]].lane[0]])
      hki_text_printf(e->out, "HKX_VAR%d(v%u); ", width, both[i]);
  hki_text_printf(e->out, "HKX_SINCOS%d(%c%u, v%u, v%u);\n", width, x[0].kind, x[0].number, s, c);
}

static void put_part(emitter *e, uint8_t part) {
  const hk_graph *g = &e->p->t->g;
  e->part = part, e->region = 0;
  declare_escaping(e);
  for (uint32_t i = 0; i < e->p->norder; i++) {
    const hk_node n = e->p->order[i];
    const hk_graph_node *x = &g->nodes[n];
    const hk_node pair = e->p->pair[n];
    if (e->p->inlined[n] || x->part != part || (pair && pair < n) || is_rolled_up(e, n)) continue;
    close_to(e, e->p->region[n]);
    hki_emit_ready(e);
    hki_emit_note(e, n);
    if (e->meets && e->meets->way[n]) continue; // its way has written it
    open_to(e, e->p->region[n]);
    if (e->p->pack_of[n]) {
      if (pair)
        put_pack_pair(e, n, pair);
      else
        put_pack(e, e->p->pack_of[n] - 1);
      continue;
    }
    hki_emit_indent(e);
    if (pair) {
      hki_emit_pair(e, n, pair);
      continue;
    }
    // not `const`: clang would look for the value of each through all that it is made of, without end in ways within ways
    if (!e->p->escapes[n] || roll_of(e, e->p->region[n]))
      hki_text_add(e->out, is_real(x) ? "HKX_R " : "HKX_B ");
    hki_text_printf(e->out, "t%u = ", variable(e, n));
    hki_emit_expression(e, n);
    hki_text_add(e->out, ";\n");
  }
  close_to(e, 0);
  hki_emit_ready(e);
}

/* variables of an iteration, with what they are before it */
static void open_loop(emitter *e, int32_t k) {
  const hk_trace_loop *l = &e->p->t->loops[k];
  for (int32_t i = 0; i < l->n; i++) {
    const hk_trace_cell *c = &l->cells[i];
    if (!c->carried && !c->used) continue;
    hki_emit_indent(e);
    hki_text_printf(e->out, "HKX_R m%d_%d = HKX_V(", k, i);
    if (c->enters)
      hki_emit_slot(e, &c->init);
    else
      hki_text_add(e->out, "HKX_ZERO");
    hki_text_add(e->out, ");\n");
  }
  hki_emit_indent(e);
  hki_text_add(e->out, "HKX_LOOP_BEGIN\n");
  e->depth++;
  for (int32_t i = 0; i < l->n; i++) {
    if (!l->cells[i].carried) continue;
    hki_emit_indent(e);
    hki_text_printf(e->out, "const HKX_R l%d_%d = m%d_%d;\n", k, i, k, i);
  }
}

static void close_loop(emitter *e, int32_t k) {
  const hk_trace_loop *l = &e->p->t->loops[k];
  for (int32_t i = 0; i < l->n; i++) {
    const hk_trace_cell *c = &l->cells[i];
    if (!c->carried && !c->used) continue;
    hki_emit_indent(e);
    hki_text_printf(e->out, "HKX_KEEP(m%d_%d, ", k, i);
    hki_emit_slot(e, &c->next);
    hki_text_add(e->out, ");\n");
  }
  hki_emit_failures(e, e->part);
  e->depth--;
  hki_emit_indent(e);
  hki_text_add(e->out, "HKX_LOOP_END(");
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

static bool uses_table(const hk_plan *p, int32_t table) {
  const hk_graph *g = &p->t->g;
  for (uint32_t n = 1; n < g->n; n++) {
    const hk_graph_node *x = &g->nodes[n];
    if (p->needed[n] && (x->op == HK_G_SEGMENT || x->op == HK_G_GATHER) && x->number == table)
      return true;
  }
  return false;
}

void hki_emit_tables(const hk_plan *p, hk_text *out) {
  const hk_graph *g = &p->t->g;
  for (int32_t k = 0; k < g->ntables; k++) {
    if (!uses_table(p, k)) continue;
    hki_text_printf(out, "HKX_CONST g%d[%d] = {", k, g->tables[k].n);
    for (int32_t i = 0; i < g->tables[k].n; i++) {
      hki_text_add(out, i == 0 ? "" : i % 6 ? ", " : ",\n    ");
      put_number(out, g->tables[k].x[i] == g->tables[k].x[i] ? g->tables[k].x[i] : 0.0);
    }
    hki_text_add(out, "};\n");
  }
}

/* room for values that are put together: a few for each pack; alone: what ways write */
static bool open_emitter(emitter *e, bool alone) {
  const size_t most = 6 * (size_t)e->p->npacks + 1;
  for (e->table_size = 16; e->table_size < 2 * most;) e->table_size *= 2;
  e->joined = hki_pool_alloc(e->p->t->pool, most * sizeof *e->joined);
  e->table = hki_pool_alloc(e->p->t->pool, e->table_size * sizeof *e->table);
  if (alone) e->meets = hki_meets_find(e->p);
  if (e->meets && !e->p->npacks) e->rolls = hki_rolls_find(e->p, e->meets);
  e->failed = hki_pool_alloc(e->p->t->pool, (size_t)e->p->t->nfailures + 1);
  if (!e->joined || !e->table || !e->failed || (alone && !e->meets) ||
      (alone && !e->p->npacks && !e->rolls))
    e->out->failed = true;
  return !e->out->failed;
}

void hki_emit_step(const hk_plan *p, bool alone, hk_text *out) {
  emitter e = {.p = p, .out = out, .depth = 1};
  if (!open_emitter(&e, alone) || !hki_emit_find_stores(&e)) return;
  const hk_followed *t = p->t;
  for (int32_t i = 0; i < p->nx; i++) {
    if (!p->needed[t->states[p->cell[i]].load]) continue;
    hki_text_printf(out, "  const HKX_R s%d = HKX_X(%d);\n", i, i);
  }
  for (int32_t k = 0; k <= t->nloops; k++) {
    put_part(&e, (uint8_t)(2 * k));
    hki_emit_failures(&e, (uint8_t)(2 * k));
    if (k == t->nloops) break;
    open_loop(&e, k);
    put_part(&e, (uint8_t)(2 * k + 1));
    close_loop(&e, k);
  }
  hki_emit_stores(&e);
}

void hki_emit_outputs(const hk_plan *p, bool alone, hk_text *out) {
  emitter e = {.p = p, .out = out, .depth = 1};
  if (!open_emitter(&e, alone)) return;
  const hk_followed *t = p->t;
  for (int32_t i = 0; i < p->nx; i++) {
    if (!p->needed[t->states[p->cell[i]].shown]) continue;
    hki_text_printf(out, "  const HKX_R s%d = HKX_X(%d);\n", i, i);
  }
  put_part(&e, t->showing);
  for (int32_t i = 0; i < t->noutputs; i++) {
    hki_text_printf(out, "  HKX_OUTPUT(%d, ", i);
    hki_emit_plain(&e, &t->outputs[i]);
    hki_text_add(out, ");\n");
  }
}
