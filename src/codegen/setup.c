/* SPDX-License-Identifier: Apache-2.0
 *
 * setup.c: follows how a model is made of its parameters (setup.h).
 */
#include "codegen/setup.h"

#include "codegen/plan.h"
#include "codegen/values.h"

#include <math.h>
#include <string.h>

/* --- values and decisions --------------------------------------------------------------------- */

hk_slot hki_setup_value(hk_followed *t, const hk_slot *args) {
  hk_slot x = args[1];
  x.real = true;
  const hk_setup *s = t->setup;
  const uint32_t at = (uint32_t)args[0].bits;
  if (!s || !t->m.assume || at >= t->m.size) return x;
  const char *name = (const char *)t->m.mem + at;
  for (int32_t i = 0; i < s->n; i++) {
    if (strncmp(s->names[i], name, t->m.size - at) != 0) continue;
    s->values[i] = hki_slot_double(x);
    x.node = t->states[i].load;
  }
  return x;
}

static void assume(hk_guest *m, hk_node truth, bool value) {
  hk_followed *t = m->user;
  hk_setup *s = t->setup;
  const hk_node n = value ? truth : hki_graph_op(m->g, HK_G_NOT, truth, 0, 0);
  for (int32_t i = s->nassumed - 1; i >= 0 && i > s->nassumed - 64; i--)
    if (s->assumed[i].truth == n) return;
  if (!HK_GROW(s->ctx, s->assumed, s->cap_assumed, s->nassumed + 1)) {
    m->g->failed = true;
    return;
  }
  s->assumed[s->nassumed].truth = n;
  s->assumed[s->nassumed++].where = m->where;
}

/* --- the graph with other values --------------------------------------------------------------- */

/* values of all nodes, truths as 0 and 1, with parameters p */
static void evaluate(const hk_setup *s, const double *p, double *x) {
  const hk_graph *g = &s->trace->g;
  for (uint32_t i = 1; i < g->n; i++) {
    const hk_graph_node *n = &g->nodes[i];
    x[i] = n->op == HK_G_LOAD ? p[(n->cell - HK_SETUP_AT) / 8] : hki_graph_value(g, i, x);
  }
}

/* the function in which the first decision was another one with these values; NULL: all are the same */
static const char *decides(const hk_setup *s, const double *p, double *x) {
  evaluate(s, p, x);
  for (int32_t i = 0; i < s->nassumed; i++)
    if (x[s->assumed[i].truth] == 0.0) return s->assumed[i].where;
  return NULL;
}

/* A parameter is one that can vary where a little more or a little less of it changes no decision. */
static hk_status check(const hk_setup *s) {
  double *x = hki_alloc(s->ctx, (size_t)s->trace->g.n * sizeof *x);
  hk_status st = x ? HK_OK : HK_E_MEMORY;
  for (int32_t i = 0; i < s->n && st == HK_OK; i++) {
    const double is = s->values[i], by = 1e-3 * (is != 0.0 ? is : 1.0);
    s->values[i] = is + by;
    const char *more = decides(s, s->values, x);
    s->values[i] = is - by;
    const char *less = decides(s, s->values, x);
    s->values[i] = is;
    if (!more || !less) continue;
    st = hki_error(s->ctx, HK_E_MODEL, HK_LOC_NONE,
                   "leave it a constant and export the model once for each value (--set); masses, "
                   "stiffnesses, forces and the like can be kept",
                   "the parameter '%s' cannot be kept: another value makes another program (%s)",
                   s->names[i], more);
  }
  hki_free(s->ctx, x);
  return st;
}

/* --- life ------------------------------------------------------------------------------------- */

/* numbers in memory that depend on parameters */
static hk_status collect(hk_setup *s, const hk_guest *m) {
  int32_t cap = 0;
  for (uint32_t at = 0; at + 8 <= m->size; at++) {
    const uint32_t n = m->shadow[at];
    hk_slot x;
    if (n == 0 || n == HK_SHADOW_REST || hki_cells_free(m, at) || !hki_cells_look(m, at, &x))
      continue;
    if (hki_graph_kind[hki_graph_at(m->g, n)->op] != 'R') continue;
    if (!HK_GROW(s->ctx, s->derived, cap, s->nderived + 1)) return HK_E_MEMORY;
    s->derived[s->nderived++] = (hk_derived){.at = at, .node = n};
  }
  return HK_OK;
}

static hk_status names(hk_setup *s, hk_followed *t, const char *const *list, int32_t n) {
  s->names = hki_pool_alloc(t->pool, ((size_t)n + 1) * sizeof *s->names);
  s->values = hki_pool_alloc(t->pool, ((size_t)n + 1) * sizeof *s->values);
  t->states = hki_pool_alloc(t->pool, ((size_t)n + 1) * sizeof *t->states);
  if (!s->names || !s->values || !t->states) return HK_E_MEMORY;
  s->n = t->nstates = n;
  for (int32_t i = 0; i < n; i++) {
    s->names[i] = list[i], s->values[i] = NAN;
    const uint32_t at = HK_SETUP_AT + 8 * (uint32_t)i;
    t->states[i] =
        (hk_trace_state){.at = at, .load = hki_graph_load(&t->g, at), .held = true, .number = -1};
    t->states[i].shown = t->states[i].load;
  }
  return HK_OK;
}

hk_status hki_setup_create(hk_ctx *ctx, const uint8_t *kernel, size_t nkernel, const char *bundle,
                           size_t nbundle, const char *const *list, int32_t n, hk_setup **out) {
  hk_setup *s = hki_alloc(ctx, sizeof *s);
  *out = s;
  if (!s) return HK_E_MEMORY;
  s->ctx = ctx;
  hk_status st = hki_trace_begin(ctx, kernel, nkernel, &s->trace);
  hk_followed *t = s->trace;
  if (st == HK_OK) t->g.turns = true; // starts are those of the library
  if (st == HK_OK) st = names(s, t, list, n);
  if (st == HK_OK) {
    t->setup = s, t->m.assume = assume;
    st = hki_trace_open(t, bundle, nbundle);
    t->setup = NULL, t->m.assume = NULL;
  }
  if (st == HK_OK && t->g.failed) st = HK_E_MEMORY;
  if (st == HK_OK) st = collect(s, &t->m);
  if (st == HK_OK) st = check(s);
  return st;
}

void hki_setup_destroy(hk_setup *s) {
  if (!s) return;
  hki_trace_destroy(s->trace);
  hki_free(s->ctx, s->derived);
  hki_free(s->ctx, s->assumed);
  hki_free(s->ctx, s);
}

/* --- the program ------------------------------------------------------------------------------ */

static hk_slot slot_of(const hk_graph *g, hk_node n) {
  if (hki_graph_is(g, n, HK_G_CONST)) return hki_slot_of(hki_graph_at(g, n)->value);
  return (hk_slot){.node = n, .real = true};
}

/* that all decisions are as they were, as a number */
static hk_slot possible(hk_setup *s) {
  hk_graph *g = &s->trace->g;
  hk_node all = hki_graph_int(g, 1);
  for (int32_t i = 0; i < s->nassumed; i++)
    all = hki_graph_op(g, HK_G_AND, all, s->assumed[i].truth, 0);
  const hk_node yes = hki_graph_const(g, 1.0), no = hki_graph_const(g, 0.0);
  return slot_of(g, hki_graph_op(g, HK_G_SELECT, all, yes, no));
}

/* outputs: numbers of the state of a kind that depend on parameters */
static void add_outputs(hk_setup *s, const hk_plan *step, bool stored) {
  hk_followed *t = s->trace;
  for (int32_t i = 0; i < step->nx; i++) {
    const hk_derived *d = hki_setup_find(s, step->t->states[step->cell[i]].at);
    if (!d || d->stored != stored) continue;
    t->outputs[t->noutputs++] = slot_of(&t->g, d->node);
    s->follow[s->nfollow++] = i;
  }
}

hk_status hki_setup_plan(hk_setup *s, const hk_plan *step) {
  hk_followed *t = s->trace;
  const size_t n = (size_t)step->nx + 1;
  t->outputs = hki_pool_alloc(t->pool, n * sizeof *t->outputs);
  s->follow = hki_pool_alloc(t->pool, n * sizeof *s->follow);
  s->plan = hki_pool_alloc(t->pool, sizeof *s->plan);
  if (!t->outputs || !s->follow || !s->plan) return HK_E_MEMORY;
  t->nq = t->nv = t->ninputs = t->noutputs = 0;
  t->t = t->q = t->v = t->a = t->u = HK_SETUP_AT - 8;
  t->outputs[t->noutputs++] = possible(s);
  add_outputs(s, step, false);
  s->nheld = s->nfollow;
  add_outputs(s, step, true);
  t->setup = s; // its parameters are the state of this program
  hk_status st = hki_plan_create(t, 0, false, s->plan);
  t->setup = NULL;
  return st;
}

/* --- the step --------------------------------------------------------------------------------- */

const hk_derived *hki_setup_find(const hk_setup *s, uint32_t at) {
  int32_t lo = 0, hi = s->nderived - 1;
  while (lo < hi) {
    const int32_t mid = (lo + hi) / 2;
    if (s->derived[mid].at < at)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo <= hi && s->derived[lo].at == at ? &s->derived[lo] : NULL;
}

hk_status hki_setup_states(hk_followed *t) {
  const hk_setup *s = t->setup;
  t->states = hki_pool_alloc(t->pool, ((size_t)s->n + 1) * sizeof *t->states);
  if (!t->states) return HK_E_MEMORY;
  for (int32_t i = 0; i < s->n; i++)
    t->states[t->nstates++] = (hk_trace_state){
        .at = HK_SETUP_AT + 8 * (uint32_t)i, .held = true, .start = s->values[i], .number = -1};
  return HK_OK;
}

void hki_setup_mark(hk_setup *s, hk_guest *m) {
  for (int32_t i = 0; s && i < s->nderived; i++) {
    uint8_t *mark = &m->marks[s->derived[i].at];
    s->derived[i].stored |= (*mark & HK_BYTE_WRITTEN) != 0;
    *mark |= HK_BYTE_WRITTEN | HK_BYTE_REAL;
  }
}

void hki_setup_hold(hk_followed *t) {
  const hk_setup *s = t->setup;
  for (int32_t i = 0; s && i < s->nderived; i++) {
    hk_trace_state *x = hki_trace_state(t, s->derived[i].at);
    if (x) x->held = !s->derived[i].stored;
  }
}
