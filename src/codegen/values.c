/* SPDX-License-Identifier: Apache-2.0
 *
 * values.c: what a graph computes, node by node.
 */
#include "codegen/values.h"

#include <math.h>

/* --- one node --------------------------------------------------------------------------------- */

static double of_one(int op, double a) {
  switch (op) {
    case HK_G_NEG:
      return -a;
    case HK_G_ABS:
      return fabs(a);
    case HK_G_SQRT:
      return sqrt(a);
    case HK_G_FLOOR:
      return floor(a);
    case HK_G_CEIL:
      return ceil(a);
    case HK_G_TRUNC:
      return trunc(a);
    case HK_G_NEAREST:
      return nearbyint(a);
    case HK_G_SIN:
      return sin(a);
    case HK_G_COS:
      return cos(a);
    case HK_G_TAN:
      return tan(a);
    case HK_G_ASIN:
      return asin(a);
    case HK_G_ACOS:
      return acos(a);
    case HK_G_ATAN:
      return atan(a);
    case HK_G_SINH:
      return sinh(a);
    case HK_G_COSH:
      return cosh(a);
    case HK_G_TANH:
      return tanh(a);
    case HK_G_EXP:
      return exp(a);
    case HK_G_EXP2:
      return exp2(a);
    case HK_G_EXPM1:
      return expm1(a);
    case HK_G_LOG:
      return log(a);
    case HK_G_LOG10:
      return log10(a);
    case HK_G_LOG2:
      return log2(a);
    case HK_G_LOG1P:
      return log1p(a);
    case HK_G_CBRT:
      return cbrt(a);
    default:
      return a == 0.0; // NOT
  }
}

static double of_two(int op, double a, double b) {
  switch (op) {
    case HK_G_ADD:
      return a + b;
    case HK_G_SUB:
      return a - b;
    case HK_G_MUL:
      return a * b;
    case HK_G_DIV:
      return a / b;
    case HK_G_ATAN2:
      return atan2(a, b);
    case HK_G_POW:
      return pow(a, b);
    case HK_G_HYPOT:
      return hypot(a, b);
    case HK_G_FMOD:
      return fmod(a, b);
    case HK_G_MIN:
      return a < b ? a : b;
    case HK_G_MAX:
      return a > b ? a : b;
    case HK_G_COPYSIGN:
      return copysign(a, b);
    case HK_G_LT:
      return a < b;
    case HK_G_LE:
      return a <= b;
    case HK_G_EQ:
      return a == b;
    case HK_G_AND:
      return a != 0.0 && b != 0.0;
    default:
      return a != 0.0 || b != 0.0; // OR
  }
}

/* how many points of a table are not above x */
static double segment(const hk_graph_table *t, double x) {
  int32_t lo = 0, hi = t->n;
  while (lo < hi) {
    const int32_t mid = (lo + hi) / 2;
    if (t->x[mid] <= x)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

static double gather(const hk_graph_table *t, double x) {
  const double i = x - (double)t->lo; // one that is no number is the first
  const double e = t->x[!(i > 0.0) ? 0 : i < t->n ? (int32_t)i : t->n - 1];
  return e == e ? e : 0.0;
}

double hki_graph_value(const hk_graph *g, hk_node k, const double *x) {
  const hk_graph_node *n = &g->nodes[k];
  switch (n->op) {
    case HK_G_CONST:
      return n->value;
    case HK_G_INT:
      return (double)n->number;
    case HK_G_SELECT:
      return x[n->a[0]] != 0.0 ? x[n->a[1]] : x[n->a[2]];
    case HK_G_SEGMENT:
      return segment(&g->tables[n->number], x[n->a[0]]);
    case HK_G_GATHER:
      return gather(&g->tables[n->number], x[n->a[0]]);
    case HK_G_LOAD:
    case HK_G_FIRST:
    case HK_G_LOST:
    case HK_G_WHOLE:
    case HK_G_CHOICE:
      return 0.0; // none that a program computes
    default:
      break;
  }
  if (hki_graph_operands[n->op] == 1) return of_one(n->op, x[n->a[0]]);
  return of_two(n->op, x[n->a[0]], x[n->a[1]]);
}

/* --- life ------------------------------------------------------------------------------------- */

hk_status hki_values_create(const hk_plan *p, hk_values *out) {
  const hk_followed *t = p->t;
  int32_t most = 0;
  for (int32_t k = 0; k < t->nloops; k++)
    if (t->loops[k].n > most) most = t->loops[k].n;
  *out = (hk_values){.p = p};
  out->of = hki_alloc(t->ctx, (size_t)t->g.n * sizeof *out->of);
  for (int i = 0; i < 2; i++)
    out->cell[i] = hki_alloc(t->ctx, ((size_t)most + 1) * sizeof *out->cell[i]);
  if (out->of && out->cell[0] && out->cell[1]) return HK_OK;
  hki_values_destroy(out);
  return HK_E_MEMORY;
}

void hki_values_destroy(hk_values *v) {
  if (!v->p) return;
  hk_ctx *ctx = v->p->t->ctx;
  hki_free(ctx, v->of);
  for (int i = 0; i < 2; i++) hki_free(ctx, v->cell[i]);
  *v = (hk_values){0};
}

void hki_values_start(const hk_plan *p, double *x) {
  for (int32_t i = 0; i < p->nx; i++) x[i] = p->t->states[p->cell[i]].start;
}

/* --- parts ------------------------------------------------------------------------------------ */

/* is the block that a node stands in entered? */
static bool entered(const hk_values *v, uint32_t region) {
  const hk_plan *p = v->p;
  for (uint32_t r = region; r; r = p->effective[p->t->g.regions[r].parent]) {
    const hk_graph_region *w = &p->t->g.regions[r];
    if ((v->of[w->condition] != 0.0) == w->no) return false;
  }
  return true;
}

/* a number of the state, or of the iteration before or around */
static double load(const hk_values *v, const hk_graph_node *n, const double *x) {
  const hk_followed *t = v->p->t;
  if (n->part == 0 || n->part == t->showing) {
    const hk_trace_state *s = hki_trace_state(t, n->cell);
    return s && s->number >= 0 ? x[s->number] : 0.0;
  }
  const hk_trace_loop *l = &t->loops[(n->part - 1) / 2];
  const hk_trace_cell *c = hki_trace_cell(l, n->cell);
  return c ? v->cell[0][c - l->cells] : 0.0;
}

/* What stands in a way that is not taken is nothing, as in the program; constants stand everywhere. */
static void compute(hk_values *v, uint8_t part, bool first, const double *x) {
  const hk_plan *p = v->p;
  const hk_graph *g = &p->t->g;
  for (uint32_t k = 1; k < g->n; k++) {
    const hk_graph_node *n = &g->nodes[k];
    if (!p->needed[k] || (n->part != part && n->op != HK_G_CONST && n->op != HK_G_INT)) continue;
    if (n->op == HK_G_LOAD)
      v->of[k] = load(v, n, x);
    else if (n->op == HK_G_FIRST)
      v->of[k] = first;
    else
      v->of[k] = entered(v, p->region[k]) ? hki_graph_value(g, k, v->of) : 0.0;
  }
  for (int32_t i = 0; i < p->t->nfailures && part < p->t->showing; i++)
    if (p->t->failures[i].part == part && v->of[p->t->failures[i].condition] != 0.0)
      v->failed = true;
}

static double value_of(const hk_values *v, const hk_slot *s) {
  return s->node ? v->of[s->node] : hki_slot_double(*s);
}

/* an iteration of `turns` turns; its cells at the end are in cell[0] */
static void iterate(hk_values *v, int32_t k, int32_t turns, const double *x) {
  const hk_trace_loop *l = &v->p->t->loops[k];
  for (int32_t i = 0; i < l->n; i++)
    v->cell[1][i] = l->cells[i].enters ? value_of(v, &l->cells[i].init) : 0.0;
  for (int32_t i = 0; i < l->n; i++) v->cell[0][i] = v->cell[1][i];
  for (int32_t turn = 0; turn < turns; turn++) {
    compute(v, (uint8_t)(2 * k + 1), turn == 0, x);
    if (turn == 0) v->foretold[k][0] = v->of[l->whole], v->foretold[k][1] = v->of[l->kept];
    for (int32_t i = 0; i < l->n; i++) {
      const hk_trace_cell *c = &l->cells[i];
      if (c->carried || c->used) v->cell[1][i] = value_of(v, &c->next);
    }
    for (int32_t i = 0; i < l->n; i++) v->cell[0][i] = v->cell[1][i];
  }
}

bool hki_values_step(hk_values *v, const double *x, const int32_t *turns, double *n) {
  const hk_plan *p = v->p;
  const hk_followed *t = p->t;
  v->failed = false;
  for (int32_t k = 0; k <= t->nloops; k++) {
    compute(v, (uint8_t)(2 * k), false, x);
    if (k < t->nloops) iterate(v, k, turns[k], x);
  }
  for (int32_t i = 0; i < p->nx; i++) {
    const hk_trace_state *s = &t->states[p->cell[i]];
    n[i] = s->held ? x[i] : value_of(v, &s->final);
  }
  return !v->failed;
}

void hki_values_outputs(hk_values *v, const double *x, double *y) {
  const hk_followed *t = v->p->t;
  compute(v, t->showing, false, x);
  for (int32_t i = 0; i < t->noutputs; i++) y[i] = value_of(v, &t->outputs[i]);
}
