/* SPDX-License-Identifier: Apache-2.0
 *
 * rolls.c: see rolls.h.
 *
 * Ways are passes of a loop if each stands in the one before, by the branch at the same place of the kernel, and if their operations are
 * the same one by one: as the kernel has made them, in the same order, the operands of the next pass are
 *
 *   the same value            of one from outside of all passes
 *   its own                   of one of the pass itself
 *   that of this pass         of one of the pass before, or, in the first pass, of one from outside
 *
 * The last pass may compute less: nothing asks whether there is another one. The body of the loop is that of the second pass, which tells
 * values of the pass before from others.
 */
#include "codegen/rolls.h"

enum { FEWEST = 3 }; /* passes that are worth a loop */

/* --- ways that could be passes ---------------------------------------------------------------- */

static uint32_t around(const hk_plan *p, uint32_t r) {
  return p->effective[p->t->g.regions[r].parent];
}

static bool is_leaf(int op) {
  return op == HK_G_CONST || op == HK_G_LOAD || op == HK_G_INT || op == HK_G_FIRST ||
         op == HK_G_CHOICE || op == HK_G_LOST;
}

/* is way b within a, by the same branch? */
static bool follows(const hk_plan *p, uint32_t a, uint32_t b) {
  const hk_graph_region *x = &p->t->g.regions[a], *y = &p->t->g.regions[b];
  return p->effective[b] == b && around(p, b) == a && x->place == y->place && x->no == y->no &&
         x->part == y->part;
}

/* which way comes next, and before; 0: none */
typedef struct chains {
  uint32_t *next, *before;
  uint8_t *used; /* ways with something in them */
} chains;

static bool open_chains(const hk_plan *p, chains *c) {
  const hk_graph *g = &p->t->g;
  c->next = hki_pool_alloc(p->t->pool, g->nregions * sizeof *c->next);
  c->before = hki_pool_alloc(p->t->pool, g->nregions * sizeof *c->before);
  c->used = hki_pool_alloc(p->t->pool, g->nregions);
  if (!c->next || !c->before || !c->used) return false;
  for (hk_node n = 1; n < g->n; n++)
    for (uint32_t r = p->needed[n] && !is_leaf(g->nodes[n].op) ? p->region[n] : 0; r && !c->used[r];
         r = around(p, r))
      c->used[r] = 1;
  for (uint32_t r = 1; r < g->nregions; r++) {
    const uint32_t a = c->used[r] && p->effective[r] == r ? around(p, r) : 0;
    if (a && follows(p, a, r)) c->next[a] = r, c->before[r] = a;
  }
  return true;
}

/* how many passes begin with way r */
static uint32_t passes_from(const chains *c, uint32_t r) {
  uint32_t n = 1;
  if (c->before[r] || !c->used[r]) return 0;
  while ((r = c->next[r])) n++;
  return n;
}

/* --- what every pass computes alike ------------------------------------------------------------- */

/* of first passes: what is made of values from outside alone, and what of that third passes take, or others of it that they take */
static void move_out(hk_plan *p, const chains *c, uint8_t *outside, uint32_t *from) {
  const hk_graph *g = &p->t->g;
  for (hk_node n = 1; n < g->n; n++) {
    const uint32_t r = p->region[n];
    if (!p->needed[n] || !r || c->before[r] || !c->next[r]) continue;
    outside[n] = 1;
    for (int i = 0; i < 3; i++) {
      const hk_node a = g->nodes[n].a[i];
      const bool inside = a && !is_leaf(g->nodes[a].op) && hki_graph_around(g, r, p->region[a]);
      if (inside && outside[a] == 0) outside[n] = 0;
    }
  }
  for (hk_node n = g->n - 1; n > 0; n--) {
    if (!p->needed[n]) continue;
    for (int i = 0; i < 3; i++) {
      const hk_node a = g->nodes[n].a[i];
      const uint32_t second = outside[a] == 1 ? c->next[p->region[a]] : 0;
      if (second && p->region[n] != second && hki_graph_around(g, second, p->region[n]))
        outside[a] = 2;
      if (outside[a] == 1 && outside[n] == 2) outside[a] = 2;
    }
  }
  for (hk_node n = 1; n < g->n; n++) {
    from[n] = p->region[n];
    if (outside[n] == 2) p->region[n] = around(p, p->region[n]);
  }
}

/* What was moved for ways that are no loop goes back. True: there is some. */
static bool move_back(hk_plan *p, const uint32_t *from, const hk_rolls *l) {
  bool any = false;
  for (hk_node n = 1; n < p->t->g.n; n++) {
    if (p->region[n] == from[n] || l->of[from[n]]) continue;
    p->region[n] = from[n];
    any = true;
  }
  return any;
}

hk_status hki_rolls_order(hk_plan *p, hk_status (*order)(hk_plan *)) {
  chains c;
  uint8_t *outside = hki_pool_alloc(p->t->pool, p->t->g.n);
  uint32_t *from = hki_pool_alloc(p->t->pool, p->t->g.n * sizeof *from);
  if (!outside || !from || !open_chains(p, &c)) return HK_E_MEMORY;
  for (uint32_t r = 1; r < p->t->g.nregions; r++)
    if (c.next[r] && !c.before[r] && passes_from(&c, r) < FEWEST) c.next[r] = 0;
  move_out(p, &c, outside, from);
  hk_status st = order(p);
  const hk_meets *m = st == HK_OK ? hki_meets_find(p) : NULL;
  const hk_rolls *l = m ? hki_rolls_find(p, m) : NULL;
  if (!l) return st == HK_OK ? HK_E_MEMORY : st;
  return move_back(p, from, l) ? order(p) : HK_OK;
}

/* --- are they the same? ----------------------------------------------------------------------- */

typedef struct matcher {
  const hk_plan *p;
  const hk_graph *g;
  const hk_meets *m;
  hk_rolls *out;
  hk_roll roll;    /* the loop under way */
  hk_node *same;   /* of each node: the one of the next pass */
  hk_node *before; /* of each node of a first pass: what later passes take it for, before that */
  hk_node *of;     /* operations of pass k: of[begin[k]] .. of[begin[k + 1] - 1] */
  uint32_t *begin;
} matcher;

/* the pass of a node, from 1 on; 0: it is of none */
static uint32_t pass_of(const matcher *x, hk_node n) {
  const uint32_t r = x->p->region[n];
  if (is_leaf(x->g->nodes[n].op) || x->out->of[r] != x->out->n + 1) return 0;
  return x->out->pass[r];
}

/* can b stand in the pass behind k where a stands in pass k? */
static bool fits(const matcher *x, uint32_t k, hk_node a, hk_node b) {
  const uint32_t from = pass_of(x, a), to = pass_of(x, b);
  if (to == 0) return a == b;
  if (to == k + 1) return from == k && x->same[a] == b;
  if (to != k) return false;
  if (k > 1) return from == k - 1 && x->same[a] == b;
  return from == 0 && (x->before[b] == 0 || x->before[b] == a);
}

static bool is_same(matcher *x, uint32_t k, hk_node a, hk_node b) {
  const hk_graph_node *n = &x->g->nodes[a], *o = &x->g->nodes[b];
  const bool swaps = n->op == HK_G_ADD || n->op == HK_G_MUL || n->op == HK_G_EQ ||
                     n->op == HK_G_AND || n->op == HK_G_OR;
  int order[3] = {0, 1, 2};
  if (n->op != o->op || n->number != o->number || n->value != o->value) return false;
  if (swaps && !(fits(x, k, n->a[0], o->a[0]) && fits(x, k, n->a[1], o->a[1])))
    order[0] = 1, order[1] = 0;
  for (int i = 0; i < 3; i++)
    if (!fits(x, k, n->a[i], o->a[order[i]])) return false;
  for (int i = 0; i < 3 && k == 1; i++) {
    const hk_node before = o->a[order[i]];
    if (pass_of(x, before) != 1) continue;
    if (x->before[before] && x->before[before] != n->a[i]) return false; // twice in one operation
    x->before[before] = n->a[i];
  }
  return true;
}

/* pass k beside the next one */
static bool match(matcher *x, uint32_t k) {
  uint32_t at = x->begin[k + 1];
  for (uint32_t i = x->begin[k]; i < x->begin[k + 1]; i++) {
    if (at < x->begin[k + 2] && is_same(x, k, x->of[i], x->of[at]))
      x->same[x->of[i]] = x->of[at++];
    else if (k + 1 < x->roll.passes)
      return false;
  }
  return at == x->begin[k + 2];
}

/* the operations of each pass; false: one of them is not for a loop */
static bool list(matcher *x) {
  const hk_plan *p = x->p;
  const uint32_t last = x->roll.passes;
  for (uint32_t k = 0; k <= last + 2; k++) x->begin[k] = 0;
  for (int turn = 0; turn < 2; turn++) {
    for (hk_node n = 1; n < x->g->n; n++) {
      const uint32_t k = p->needed[n] ? pass_of(x, n) : 0;
      if (!k || x->m->way[n]) continue;
      if (p->pair[n] || p->pack_of[n] || (x->m->name[n] != n && k < last)) return false;
      if (turn)
        x->of[x->begin[k]++] = n;
      else
        x->begin[k + 1]++;
    }
    for (uint32_t k = 1; k <= last + 1 && !turn; k++) x->begin[k] += x->begin[k - 1];
  }
  for (uint32_t k = last + 1; k > 0; k--) x->begin[k] = x->begin[k - 1];
  return true;
}

/* a number or a truth with variables of its own in both passes: the last one may not ask for that of the second */
static bool add_value(matcher *x, hk_node first) {
  hk_roll *l = &x->roll;
  const char kind = hki_graph_kind[x->g->nodes[first].op];
  if (l->nvalues == l->cap_values || (kind != 'R' && kind != 'B') || !x->same[first] ||
      x->p->inlined[x->same[first]])
    return false;
  l->values[l->nvalues++] = (hk_rolled){x->before[first], first, x->same[first]};
  return true;
}

/* The condition of a pass is a value of the one before. */
static bool find_conditions(matcher *x) {
  const hk_graph_region *all = x->g->regions;
  const uint32_t *way = x->roll.way;
  const hk_node first = all[way[1]].condition, before = all[way[0]].condition;
  if (pass_of(x, first) != 1 || pass_of(x, before) ||
      (x->before[first] && x->before[first] != before))
    return false;
  x->before[first] = before;
  for (uint32_t k = 2; k < x->roll.passes; k++)
    if (x->same[all[way[k - 1]].condition] != all[way[k]].condition) return false;
  return add_value(x, first);
}

static bool find_values(matcher *x) {
  const hk_node condition = x->roll.values[0].first;
  for (uint32_t i = x->begin[1]; i < x->begin[2]; i++)
    if (x->of[i] != condition && x->before[x->of[i]] && !add_value(x, x->of[i])) return false;
  return true;
}

/* what selection s is with each pass more: s selects another selection, that one the next, and the last one a value of the last pass */
static bool find_meet(matcher *x, hk_node s) {
  const uint32_t last = x->roll.passes;
  hk_rolled found = {.before = s};
  hk_node was = 0;
  for (uint32_t k = 1; k <= last; k++) {
    const hk_node w = x->m->way[s], now = k < last ? hki_meets_other(x->p, x->m, w) : w;
    if ((k < last && (!x->m->way[w] || pass_of(x, w) != k)) || pass_of(x, now) != k ||
        (k > 1 && x->same[was] != now))
      return false;
    if (k == 1) found.first = now;
    if (k == 2) found.second = now;
    was = now, s = w;
  }
  if (x->roll.nmeets == x->roll.cap_meets) return false;
  x->roll.meets[x->roll.nmeets++] = found;
  return true;
}

static bool find_meets(matcher *x) {
  const uint32_t *way = x->roll.way;
  for (hk_node s = x->m->first[way[0]]; s; s = x->m->next[s])
    if (!find_meet(x, s)) return false;
  for (uint32_t k = 1; k < x->roll.passes; k++) {
    int32_t n = 0;
    for (hk_node s = x->m->first[way[k]]; s; s = x->m->next[s]) n++;
    if (n != x->roll.nmeets) return false;
  }
  return true;
}

/* --- who else takes what a pass computes ------------------------------------------------------- */

static bool is_inside(const matcher *x, const hk_slot *s) { return s->node && pass_of(x, s->node); }

/* states, failures, iterations, outputs */
static bool is_kept(const matcher *x) {
  const hk_followed *t = x->p->t;
  bool any = false;
  for (int32_t i = 0; i < x->p->nx; i++) {
    const hk_trace_state *s = &t->states[x->p->cell[i]];
    any |= !s->held && is_inside(x, &s->final);
  }
  for (int32_t i = 0; i < t->nfailures; i++) any |= pass_of(x, t->failures[i].condition) != 0;
  for (int32_t i = 0; i < t->noutputs; i++) any |= is_inside(x, &t->outputs[i]);
  for (int32_t k = 0; k < t->nloops; k++) {
    const hk_trace_loop *l = &t->loops[k];
    const hk_node all[] = {l->step, l->constraint, l->by_rate, l->whole, l->kept};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) any |= all[i] && pass_of(x, all[i]);
    for (int32_t i = 0; i < l->n; i++)
      any |= is_inside(x, &l->cells[i].init) || is_inside(x, &l->cells[i].next);
  }
  return any;
}

/* operations of others, other ways within, ways elsewhere by a truth of a pass */
static bool is_used(const matcher *x, const chains *c) {
  for (hk_node n = 1; n < x->g->n; n++)
    for (int i = 0; i < 3 && x->p->needed[n] && !pass_of(x, n) && !x->m->way[n]; i++)
      if (pass_of(x, x->g->nodes[n].a[i])) return true;
  for (uint32_t r = 1; r < x->g->nregions; r++) {
    if (!c->used[r] || x->p->effective[r] != r) continue;
    const uint32_t a = around(x->p, r);
    if (a && x->out->of[a] == x->out->n + 1 && c->next[a] != r) return true;
    if (x->out->of[r] != x->out->n + 1 && pass_of(x, x->g->regions[r].condition)) return true;
  }
  return false;
}

/* --- loops ------------------------------------------------------------------------------------ */

static void set_ways(matcher *x, int32_t loop) {
  for (uint32_t k = 0; k < x->roll.passes; k++)
    x->out->of[x->roll.way[k]] = loop, x->out->pass[x->roll.way[k]] = (uint8_t)(k + 1);
}

/* the ways from r on as a loop, if they are one */
static bool roll_up(matcher *x, const chains *c, uint32_t r, uint32_t passes) {
  enum { MOST = 20000 }; // values from one pass to the next
  hk_pool *pool = x->p->t->pool;
  x->roll = (hk_roll){.passes = passes};
  x->roll.way = hki_pool_alloc(pool, passes * sizeof *x->roll.way);
  x->roll.values = hki_pool_alloc(pool, MOST * sizeof *x->roll.values);
  x->roll.meets = hki_pool_alloc(pool, MOST * sizeof *x->roll.meets);
  x->begin = hki_pool_alloc(pool, (passes + 3) * sizeof *x->begin);
  if (!x->roll.way || !x->roll.values || !x->roll.meets || !x->begin) return false;
  x->roll.cap_values = x->roll.cap_meets = MOST;
  for (uint32_t k = 0; k < passes; k++, r = c->next[r]) x->roll.way[k] = r;
  set_ways(x, x->out->n + 1);
  bool good = list(x) && !is_kept(x) && !is_used(x, c);
  for (uint32_t k = 1; k < passes && good; k++) good = match(x, k);
  good = good && find_conditions(x) && find_values(x) && find_meets(x);
  if (good)
    x->out->rolls[x->out->n++] = x->roll;
  else
    set_ways(x, 0);
  return true;
}

const hk_rolls *hki_rolls_find(const hk_plan *p, const hk_meets *m) {
  hk_pool *pool = p->t->pool;
  const hk_graph *g = &p->t->g;
  hk_rolls *out = hki_pool_alloc(pool, sizeof *out);
  matcher x = {.p = p, .g = g, .m = m, .out = out};
  chains c;
  if (!out || !open_chains(p, &c)) return NULL;
  *out = (hk_rolls){.of = hki_pool_alloc(pool, g->nregions * sizeof *out->of),
                    .pass = hki_pool_alloc(pool, g->nregions),
                    .rolls = hki_pool_alloc(pool, g->nregions * sizeof *out->rolls)};
  x.same = hki_pool_alloc(pool, g->n * sizeof *x.same);
  x.before = hki_pool_alloc(pool, g->n * sizeof *x.before);
  x.of = hki_pool_alloc(pool, g->n * sizeof *x.of);
  if (!out->of || !out->pass || !out->rolls || !x.same || !x.before || !x.of) return NULL;
  for (uint32_t r = 1; r < g->nregions; r++) {
    const uint32_t passes = passes_from(&c, r);
    if (passes >= FEWEST && passes < UINT8_MAX && !roll_up(&x, &c, r, passes)) return NULL;
  }
  return out;
}
