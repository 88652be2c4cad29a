/* SPDX-License-Identifier: Apache-2.0
 *
 * plan.c: needs of a step, from the state at its end backwards.
 */
#include "codegen/plan.h"

#include "codegen/order.h"
#include "codegen/packs.h"
#include "codegen/setup.h"

enum { SHORT_WAY = 128 }; /* nodes of a way that is followed in any case, if it is one of several */
#define WORTH                                                                                      \
  0.3 /* packs that save less of all operations are none: registers are put together and taken apart */

/* --- what is needed --------------------------------------------------------------------------- */

/* `how`: HK_NEEDED, in a first turn too or not */
static void need_as(hk_plan *p, hk_node n, uint8_t how) {
  if (hki_graph_at(&p->t->g, n)->part % 2 == 0) how |= HK_NEEDED_FIRST; // computed once
  if (!n || (p->needed[n] & how) == how) return;
  p->needed[n] |= how;
  p->todo[p->ntodo++] = n;
}

static void need(hk_plan *p, hk_node n) { need_as(p, n, HK_NEEDED | HK_NEEDED_FIRST); }

static void need_slot(hk_plan *p, const hk_slot *s) { need(p, s->node); }

/* a number of the state; its value at the end of the step is needed */
static void add_state(hk_plan *p, uint32_t at) {
  hk_trace_state *s = hki_trace_state(p->t, at);
  if (!s || s->number >= 0) return;
  p->cell[p->nx] = (int32_t)(s - p->t->states);
  s->number = p->nx++;
  if (!s->held) need_slot(p, &s->final);
}

/* a cell of an iteration: what comes into it, if its first turn asks for that, and what is left at the end of a turn */
static void need_cell(hk_plan *p, hk_trace_cell *c, bool inside, bool first) {
  if (!c) return;
  if (inside) {
    c->carried = true;
    if (first) c->enters = true, need_slot(p, &c->init);
  } else {
    c->used = true;
  }
  need_slot(p, &c->next);
}

/* what a truth is in the first turn of an iteration, as far as that is known without the state */
static hk_known in_first_turn(const hk_graph *g, hk_node n, int depth) {
  const hk_graph_node *x = hki_graph_at(g, n);
  if (x->op == HK_G_FIRST) return HK_KNOWN_TRUE;
  if (depth == 0 || (x->op != HK_G_NOT && x->op != HK_G_AND && x->op != HK_G_OR))
    return HK_KNOWN_NOT;
  const hk_known a = in_first_turn(g, x->a[0], depth - 1);
  if (x->op == HK_G_NOT)
    return a == HK_KNOWN_NOT ? a : a == HK_KNOWN_TRUE ? HK_KNOWN_FALSE : HK_KNOWN_TRUE;
  const hk_known b = in_first_turn(g, x->a[1], depth - 1);
  const hk_known decides = x->op == HK_G_AND ? HK_KNOWN_FALSE : HK_KNOWN_TRUE;
  return a == decides || b == decides ? decides : a == b ? a : HK_KNOWN_NOT;
}

static void visit(hk_plan *p, hk_node n) {
  enum { DEEP = 6 }; // conditions of branches are no deeper, as a rule
  const hk_graph *g = &p->t->g;
  const hk_graph_node *x = hki_graph_at(g, n);
  const uint8_t how = p->needed[n];
  if (x->op == HK_G_LOST) p->lost = true;
  // what a first turn does not choose is for the others
  const hk_known first = x->op == HK_G_SELECT ? in_first_turn(g, x->a[0], DEEP) : HK_KNOWN_NOT;
  for (int i = 0; i < 3; i++) {
    const bool passed_over = first != HK_KNOWN_NOT && i != (first == HK_KNOWN_TRUE ? 1 : 2);
    need_as(p, x->a[i], passed_over ? HK_NEEDED : how);
  }
  if (x->op != HK_G_LOAD) return;
  if (x->part == 0 || x->part == p->t->showing)
    add_state(p, x->cell);
  else
    need_cell(p, hki_trace_cell(&p->t->loops[(x->part - 1) / 2], x->cell), x->part % 2,
              how & HK_NEEDED_FIRST);
}

/* Numbers of the state that were found by who asks for them, from `first` on, stand in the order of their places: programs of one
 * step have the same, whatever order its operations have in the one and the other. */
static void place_states(hk_plan *p, int32_t first) {
  hk_followed *t = p->t;
  p->nx = first;
  for (int32_t i = 0; i < t->nstates; i++)
    if (t->states[i].number >= first) p->cell[p->nx] = i, t->states[i].number = p->nx++;
}

static void find_needs(hk_plan *p) {
  hk_followed *t = p->t;
  for (int32_t i = 0; i < t->nq; i++) add_state(p, t->q + 8 * (uint32_t)i);
  for (int32_t i = 0; i < t->nv; i++) add_state(p, t->v + 8 * (uint32_t)i);
  for (int32_t i = 0; i < t->nv; i++) add_state(p, t->a + 8 * (uint32_t)i);
  add_state(p, t->t);
  for (int32_t i = 0; i < t->ninputs; i++) add_state(p, t->u + 8 * (uint32_t)i);
  for (int32_t i = 0; t->setup && i < t->setup->n; i++) add_state(p, HK_SETUP_AT + 8 * (uint32_t)i);
  for (int32_t i = 0, block, place; t->whole && i < t->nstates; i++)
    if (hki_trace_place(t, t->states[i].at, &block, &place)) add_state(p, t->states[i].at);
  for (int32_t i = 0; i < t->nloops; i++) {
    need(p, t->loops[i].step), need(p, t->loops[i].constraint);
    need(p, t->loops[i].by_rate), need(p, t->loops[i].whole), need(p, t->loops[i].kept);
  }
  for (int32_t i = 0; i < t->nfailures; i++)
    if (t->failures[i].part < t->showing) need(p, t->failures[i].condition);
  for (int32_t i = 0; i < t->noutputs; i++) need_slot(p, &t->outputs[i]);
  const int32_t first = p->nx;
  while (p->ntodo) visit(p, p->todo[--p->ntodo]);
  place_states(p, first);
}

/* --- where it is computed --------------------------------------------------------------------- */

static bool is_leaf(int op) {
  return op == HK_G_CONST || op == HK_G_LOAD || op == HK_G_INT || op == HK_G_FIRST ||
         op == HK_G_CHOICE || op == HK_G_LOST;
}

/* A truth without which the step fails, or with which it does: what it decides can be computed in any case. */
static void assure(hk_plan *p, hk_node n) {
  const hk_graph_node *x = hki_graph_at(&p->t->g, n);
  if (x->op == HK_G_AND) {
    assure(p, x->a[0]);
    assure(p, x->a[1]);
  } else {
    p->assured[x->op == HK_G_NOT ? x->a[0] : n] |= x->op == HK_G_NOT ? 1 : 2;
  }
}

static bool is_assured(const hk_plan *p, uint32_t r) {
  const hk_graph_region *w = &p->t->g.regions[r];
  const bool opposite = hki_graph_is(&p->t->g, w->condition, HK_G_NOT);
  const hk_node c = opposite ? hki_graph_at(&p->t->g, w->condition)->a[0] : w->condition;
  return p->assured[c] & (w->no != opposite ? 2 : 1);
}

/* Is a way one of at least four like ones, and short? They can be followed together if none is a branch. */
static bool is_one_of_many(const hk_plan *p, uint32_t r) {
  const hk_graph_region *all = p->t->g.regions;
  uint32_t like = 0;
  if (p->count[r] >= SHORT_WAY) return false;
  for (uint32_t k = 1; k < p->t->g.nregions && like < HK_PACK_WIDTH; k++)
    like += all[k].place == all[r].place && all[k].part == all[r].part && all[k].no == all[r].no &&
            p->count[k] > 0 && p->count[k] < SHORT_WAY;
  return like >= HK_PACK_WIDTH;
}

/* ways that are too short for a branch belong to what is around them */
static void find_regions(hk_plan *p, int32_t branch) {
  const hk_graph *g = &p->t->g;
  uint32_t *count = p->count;
  for (uint32_t r = 0; r < g->nregions; r++) count[r] = 0;
  for (uint32_t n = 1; n < g->n; n++)
    if (p->needed[n] && !is_leaf(g->nodes[n].op)) count[g->nodes[n].region]++;
  // a way stands behind the one around it
  for (uint32_t r = g->nregions - 1; r > 0; r--) count[g->regions[r].parent] += count[r];
  for (uint32_t r = 1; r < g->nregions; r++) {
    const uint32_t parent = p->effective[g->regions[r].parent];
    const bool long_enough = branch > 0 && count[r] >= (uint32_t)branch;
    const bool always = is_assured(p, r) || (p->packing && is_one_of_many(p, r));
    p->effective[r] = long_enough && !always ? r : parent;
  }
  for (uint32_t n = 1; n < g->n; n++) p->region[n] = p->effective[g->nodes[n].region];
}

/* Conditions of branches are needed too; with them ways may have grown, and other branches be worth it. */
static void find_branches(hk_plan *p, int32_t branch) {
  const hk_graph *g = &p->t->g;
  for (bool more = true; more;) {
    find_regions(p, branch);
    more = false;
    for (uint32_t n = 1; n < g->n; n++)
      for (uint32_t r = p->needed[n] ? p->region[n] : 0; r;
           r = p->effective[g->regions[r].parent]) {
        more |= !p->needed[g->regions[r].condition];
        need(p, g->regions[r].condition);
      }
    while (p->ntodo) visit(p, p->todo[--p->ntodo]);
  }
}

/* What is computed inside of an iteration can be used there alone: variables carry it out, but whole numbers have none. */
static bool stays_inside(const hk_plan *p) {
  const hk_followed *t = p->t;
  const hk_graph *g = &t->g;
  for (uint32_t n = 1; n < g->n; n++)
    for (int i = 0; i < 3 && p->needed[n]; i++) {
      const uint8_t part = g->nodes[g->nodes[n].a[i]].part;
      if (part % 2 && part != g->nodes[n].part) return false;
    }
  for (int32_t i = 0; i < p->nx; i++) {
    const hk_trace_state *s = &t->states[p->cell[i]];
    if (!s->held && g->nodes[s->final.node].part % 2) return false;
  }
  return true;
}

/* used by something that is computed in another part, or outside of its way */
static void use(hk_plan *p, hk_node n, uint8_t part, uint32_t region) {
  const hk_graph_node *x = hki_graph_at(&p->t->g, n);
  if (!n) return;
  p->uses[n]++;
  if (part == 255) p->kept[n] = 1;
  if (!hki_graph_around(&p->t->g, p->region[n], region)) p->escapes[n] = 1;
  if (x->part != part || p->region[n] != region) p->uses[n] += 2; // not written in place
}

static void count_uses(hk_plan *p) {
  const hk_followed *t = p->t;
  const hk_graph *g = &t->g;
  for (uint32_t n = 1; n < g->n; n++) {
    if (!p->needed[n]) continue;
    for (int i = 0; i < 3; i++) use(p, g->nodes[n].a[i], g->nodes[n].part, p->region[n]);
    for (uint32_t r = p->region[n]; r; r = p->effective[g->regions[r].parent])
      use(p, g->regions[r].condition, 255, p->effective[g->regions[r].parent]);
  }
  for (int32_t i = 0; i < p->nx; i++)
    if (!t->states[p->cell[i]].held) use(p, t->states[p->cell[i]].final.node, 255, 0);
  for (int32_t k = 0; k < t->nloops; k++) {
    const hk_trace_loop *l = &t->loops[k];
    use(p, l->step, 255, 0), use(p, l->constraint, 255, 0), use(p, l->by_rate, 255, 0);
    use(p, l->whole, 255, 0), use(p, l->kept, 255, 0);
    for (int32_t i = 0; i < l->n; i++) {
      if (l->cells[i].enters) use(p, l->cells[i].init.node, 255, 0);
      if (l->cells[i].carried || l->cells[i].used) use(p, l->cells[i].next.node, 255, 0);
    }
  }
  for (int32_t i = 0; i < t->nfailures; i++)
    if (t->failures[i].part < t->showing) use(p, t->failures[i].condition, 255, 0);
  for (int32_t i = 0; i < t->noutputs; i++) use(p, t->outputs[i].node, 255, 0);
  for (uint32_t n = 1; n < g->n; n++)
    p->operations += p->needed[n] && !is_leaf(g->nodes[n].op) && g->nodes[n].part < t->showing;
}

/* what is written in place; lanes of packs are not, and leave their way together */
static void find_inlined(hk_plan *p) {
  // operations within each other: of brackets, three of each, compilers of C need to know 63, and clang knows 256
  enum { DEEP = 20 };
  const hk_graph *g = &p->t->g;
  for (int32_t k = 0; k < p->npacks; k++) {
    const hk_pack *q = &p->packs[k];
    uint8_t any = 0;
    for (int i = 0; i < q->width; i++) any |= p->escapes[q->lane[i]];
    for (int i = 0; i < q->width; i++) p->escapes[q->lane[i]] = any;
  }
  uint32_t *depth = p->todo; // of what is written in place
  for (uint32_t n = 1; n < g->n; n++) {
    const bool leaf = is_leaf(g->nodes[n].op);
    depth[n] = 0;
    for (int i = 0; i < 3 && !leaf; i++) {
      const hk_node a = g->nodes[n].a[i];
      if (a && p->inlined[a] && depth[a] >= depth[n]) depth[n] = depth[a] + 1;
    }
    p->inlined[n] =
        leaf || (p->uses[n] == 1 && !p->escapes[n] && !p->pack_of[n] && depth[n] < DEEP);
  }
}

/* Are both in no pack, or lane by lane sine and cosine of the same angles? */
static bool same_angles(const hk_plan *p, hk_node n, hk_node other) {
  const uint32_t a = p->pack_of[n], b = p->pack_of[other];
  if (!a || !b) return !a && !b;
  const hk_pack *q = &p->packs[a - 1], *r = &p->packs[b - 1];
  for (int i = 0; i < q->width && q->width == r->width; i++)
    if (p->t->g.nodes[q->lane[i]].a[0] != p->t->g.nodes[r->lane[i]].a[0]) return false;
  return q->width == r->width;
}

static void pair(hk_plan *p, hk_node n, hk_node other) {
  const uint32_t a = p->pack_of[n], b = p->pack_of[other];
  p->pair[n] = other, p->pair[other] = n;
  p->inlined[n] = p->inlined[other] = 0;
  for (int i = 0; a && i < p->packs[a - 1].width; i++) {
    const hk_node x = p->packs[a - 1].lane[i], y = p->packs[b - 1].lane[i];
    p->pair[x] = y, p->pair[y] = x;
  }
}

/* Sine and cosine of one angle in one place are computed together, where the first of them stands. */
static void find_pairs(hk_plan *p) {
  const hk_graph *g = &p->t->g;
  hk_node *last = p->todo; // of each angle: its sine or cosine that was seen last
  for (uint32_t n = 1; n < g->n; n++) last[n] = 0;
  for (uint32_t n = 1; n < g->n; n++) {
    const hk_graph_node *x = &g->nodes[n];
    if (!p->needed[n] || (x->op != HK_G_SIN && x->op != HK_G_COS)) continue;
    const hk_node other = last[x->a[0]];
    last[x->a[0]] = n;
    if (!other || p->pair[other] || g->nodes[other].op == x->op ||
        g->nodes[other].part != x->part || p->region[other] != p->region[n] || p->pair[n] ||
        !same_angles(p, n, other))
      continue;
    pair(p, n, other);
  }
}

/* what an earlier plan of the same step has found */
static void forget(hk_followed *t) {
  for (int32_t i = 0; i < t->nstates; i++) t->states[i].number = -1;
  for (int32_t k = 0; k < t->nloops; k++)
    for (int32_t i = 0; i < t->loops[k].n; i++) {
      hk_trace_cell *c = &t->loops[k].cells[i];
      c->carried = c->enters = c->used = false;
    }
}

/* --- life ------------------------------------------------------------------------------------- */

hk_status hki_plan_create(hk_followed *t, int32_t branch, bool packs, hk_plan *out) {
  const size_t n = t->g.n, r = t->g.nregions;
  *out = (hk_plan){.t = t, .packing = packs};
  out->cell = hki_pool_alloc(t->pool, ((size_t)t->nstates + 1) * sizeof *out->cell);
  out->needed = hki_pool_alloc(t->pool, n), out->escapes = hki_pool_alloc(t->pool, n);
  out->inlined = hki_pool_alloc(t->pool, n), out->kept = hki_pool_alloc(t->pool, n);
  out->pack_of = hki_pool_alloc(t->pool, n * sizeof *out->pack_of);
  out->lane_of = hki_pool_alloc(t->pool, n), out->assured = hki_pool_alloc(t->pool, n);
  out->pair = hki_pool_alloc(t->pool, n * sizeof *out->pair);
  out->uses = hki_pool_alloc(t->pool, n * sizeof *out->uses);
  out->region = hki_pool_alloc(t->pool, n * sizeof *out->region);
  out->todo = hki_pool_alloc(t->pool, (2 * n + 1) * sizeof *out->todo);
  out->count = hki_pool_alloc(t->pool, (r + 1) * sizeof *out->count);
  out->effective = hki_pool_alloc(t->pool, r * sizeof *out->effective);
  if (!out->cell || !out->needed || !out->escapes || !out->inlined || !out->uses || !out->region ||
      !out->pair || !out->todo || !out->count || !out->effective || !out->kept || !out->pack_of ||
      !out->lane_of || !out->assured)
    return HK_E_MEMORY;
  forget(t);
  find_needs(out);
  if (out->lost)
    return hki_error(t->ctx, HK_E_MODEL, HK_LOC_NONE,
                     "try another formulation, or fewer bodies; an FMU holds the whole library",
                     "a step needs a whole number that depends on the state in too many ways");
  for (int32_t i = 0; i < t->nfailures; i++)
    if (t->failures[i].part < t->showing) assure(out, t->failures[i].condition);
  find_branches(out, branch < 0 ? -branch : branch);
  if (branch < 0) find_regions(out, 0);
  if (!stays_inside(out))
    return hki_error(
        t->ctx, HK_E_MODEL, HK_LOC_NONE,
        "take linearly_implicit or an explicit method, which do not iterate; an FMU holds the "
        "whole library",
        "the step cannot become a program: it needs a branch of a law that an iteration has taken");
  count_uses(out);
  hk_status st = packs ? hki_packs_find(out) : HK_OK;
  if (packs && st == HK_OK && out->saved < WORTH) return hki_plan_create(t, branch, false, out);
  if (st == HK_OK) st = hki_order_find(out);
  find_inlined(out);
  find_pairs(out);
  return st;
}
