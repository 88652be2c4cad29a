/* SPDX-License-Identifier: Apache-2.0
 *
 * split.c: see split.h. Operations are given to warps phase by phase: the one that has least to do in a phase takes what is
 * farthest from the end of its part (list scheduling, Graham 1969) among the operations whose operands are its own or
 * were computed in earlier phases. A phase ends when nobody finds any, or has a quota of them; several quotas are tried.
 */
#include "codegen/split.h"

#include <string.h>

#include "codegen/order.h"
#include "codegen/rolls.h"

/* operations that a wait costs as much as; operations that are looked at for one with operands at hand */
enum { WAIT = 16, LOOK = 6, NOBODY = 255, SEVERAL = 254 };

typedef struct heap {
  hk_node *of;
  uint32_t n;
} heap;

typedef struct sharer {
  const hk_plan *p;
  hk_split *s;
  uint8_t part;
  uint32_t *first, *next; /* who takes node i: next[first[i] .. first[i + 1] - 1] */
  uint32_t *waits;        /* for how many operands of its part */
  uint32_t *far;          /* cost from its begin to the end of the part */
  uint8_t *from;          /* who computed operands of it in this phase */
  uint32_t *stamp;        /* and in which phase that was */
  heap all, own[HK_MOST_WARPS];
  hk_node *later; /* what is ready in the next phase */
  uint32_t nlater;
} sharer;

/* --- costs and operands ----------------------------------------------------------------------- */

static uint32_t cost_of(int op) {
  switch (op) {
    case HK_G_CONST:
    case HK_G_LOAD:
    case HK_G_INT:
    case HK_G_FIRST:
      return 0;
    case HK_G_DIV:
    case HK_G_SQRT:
      return 10;
    default:
      return op > HK_G_SQRT && op < HK_G_MIN ? 40 : 1;
  }
}

typedef void visitor(sharer *h, hk_node user, hk_node operand);

/* the operands of a node that are written by themselves, also behind those that are written in place */
static uint32_t each_operand(sharer *h, hk_node user, hk_node n, visitor *visit) {
  const hk_graph_node *x = hki_graph_at(&h->p->t->g, n);
  uint32_t cost = cost_of(x->op);
  for (int i = 0; i < 3; i++) {
    const hk_node a = x->a[i];
    if (!a) continue;
    if (h->p->inlined[a])
      cost += each_operand(h, user, a, visit);
    else if (visit)
      visit(h, user, a);
  }
  return cost;
}

/* of the two of a pair, the one that stands for both */
static hk_node unit_of(const hk_plan *p, hk_node n) {
  return p->pair[n] && p->pair[n] < n ? p->pair[n] : n;
}

static bool same_part(const sharer *h, hk_node n) {
  return hki_graph_at(&h->p->t->g, n)->part == h->part;
}

static void count_edge(sharer *h, hk_node user, hk_node operand) {
  if (!same_part(h, operand)) return;
  h->first[unit_of(h->p, operand) + 2]++, h->waits[user]++;
}

static void add_edge(sharer *h, hk_node user, hk_node operand) {
  if (same_part(h, operand)) h->next[h->first[unit_of(h->p, operand) + 1]++] = user;
}

static bool is_unit(const sharer *h, hk_node n) {
  return !h->p->inlined[n] && same_part(h, n) && unit_of(h->p, n) == n;
}

/* who takes what, and how far it is from the end */
static void find_edges(sharer *h) {
  const hk_plan *p = h->p;
  const uint32_t n = p->t->g.n;
  memset(h->first, 0, ((size_t)n + 2) * sizeof *h->first);
  memset(h->waits, 0, (size_t)n * sizeof *h->waits);
  for (uint32_t i = 0; i < p->norder; i++)
    if (is_unit(h, p->order[i])) (void)each_operand(h, p->order[i], p->order[i], count_edge);
  for (uint32_t i = 1; i <= n + 1; i++) h->first[i] += h->first[i - 1];
  for (uint32_t i = 0; i < p->norder; i++)
    if (is_unit(h, p->order[i])) (void)each_operand(h, p->order[i], p->order[i], add_edge);
  for (uint32_t i = p->norder; i-- > 0;) {
    const hk_node u = p->order[i];
    uint32_t far = 0;
    if (!is_unit(h, u)) continue;
    for (uint32_t k = h->first[u]; k < h->first[u + 1]; k++)
      if (h->far[h->next[k]] > far) far = h->far[h->next[k]];
    h->far[u] = far + each_operand(h, u, u, NULL) + 1;
  }
}

/* --- operations that are ready ---------------------------------------------------------------- */

static bool before(const sharer *h, hk_node a, hk_node b) {
  return h->far[a] != h->far[b] ? h->far[a] > h->far[b] : a < b;
}

static void put(const sharer *h, heap *q, hk_node n) {
  uint32_t i = q->n++;
  for (; i && before(h, n, q->of[(i - 1) / 2]); i = (i - 1) / 2) q->of[i] = q->of[(i - 1) / 2];
  q->of[i] = n;
}

static hk_node take(const sharer *h, heap *q) {
  const hk_node top = q->of[0], last = q->of[--q->n];
  uint32_t i = 0;
  for (uint32_t c; (c = 2 * i + 1) < q->n; i = c) {
    if (c + 1 < q->n && before(h, q->of[c + 1], q->of[c])) c++;
    if (!before(h, q->of[c], last)) break;
    q->of[i] = q->of[c];
  }
  q->of[i] = last;
  return top;
}

/* how many operands of a node a warp has computed itself */
static int at_hand(const sharer *h, hk_node n, int32_t w) {
  const hk_graph_node *x = hki_graph_at(&h->p->t->g, n);
  int all = 0;
  for (int i = 0; i < 3; i++) {
    const hk_node a = x->a[i];
    if (a) all += h->p->inlined[a] ? at_hand(h, a, w) : h->s->warp[a] == w;
  }
  return all;
}

/* of the first few that anybody may compute, the one whose operands warp w has */
static hk_node take_near(sharer *h, int32_t w) {
  hk_node some[LOOK];
  int n = 0, best = 0;
  for (; n < LOOK && h->all.n; n++) {
    some[n] = take(h, &h->all);
    if (at_hand(h, some[n], w) > at_hand(h, some[best], w)) best = n;
  }
  for (int i = 0; i < n; i++)
    if (i != best) put(h, &h->all, some[i]);
  return some[best];
}

/* --- phases ----------------------------------------------------------------------------------- */

/* node u is computed by w: what waited for it */
static void compute(sharer *h, hk_node u, int32_t w, uint32_t phase) {
  hk_split *s = h->s;
  const hk_node pair = h->p->pair[u];
  s->warp[u] = (uint8_t)w, s->phase[u] = phase, s->order[s->norder++] = u;
  if (pair) s->warp[pair] = (uint8_t)w, s->phase[pair] = phase;
  for (uint32_t k = h->first[u]; k < h->first[u + 1]; k++) {
    const hk_node t = h->next[k];
    if (h->stamp[t] != phase) h->stamp[t] = phase, h->from[t] = NOBODY;
    h->from[t] = h->from[t] == NOBODY || h->from[t] == w ? (uint8_t)w : SEVERAL;
    if (--h->waits[t]) continue;
    if (h->from[t] == w)
      put(h, &h->own[w], t);
    else
      h->later[h->nlater++] = t;
  }
}

/* one phase; the operations of the busiest warp */
static uint32_t fill_phase(sharer *h, uint32_t phase, uint32_t quota) {
  uint32_t done[HK_MOST_WARPS] = {0}, most = 0;
  for (;;) {
    int32_t w = -1;
    for (int32_t i = 0; i < h->s->warps; i++)
      if ((h->own[i].n || h->all.n) && done[i] < quota && (w < 0 || done[i] < done[w])) w = i;
    if (w < 0) break;
    heap *own = &h->own[w];
    const bool mine = own->n && (!h->all.n || !before(h, h->all.of[0], own->of[0]));
    const hk_node u = mine ? take(h, own) : take_near(h, w);
    const uint32_t cost = each_operand(h, u, u, NULL);
    done[w] += cost;
    if (done[w] > most) most = done[w];
    compute(h, u, w, phase);
  }
  for (int32_t i = 0; i < h->s->warps; i++)
    while (h->own[i].n) put(h, &h->all, take(h, &h->own[i]));
  while (h->nlater) put(h, &h->all, h->later[--h->nlater]);
  return most;
}

static void share_part(sharer *h, uint32_t *phase, uint32_t quota) {
  const hk_plan *p = h->p;
  find_edges(h);
  for (uint32_t i = 0; i < p->norder; i++)
    if (is_unit(h, p->order[i]) && !h->waits[p->order[i]]) put(h, &h->all, p->order[i]);
  do h->s->cost += fill_phase(h, (*phase)++, quota) + WAIT;
  while (h->all.n);
}

static void share_all(sharer *h, uint32_t quota) {
  const hk_plan *p = h->p;
  hk_split *s = h->s;
  uint32_t phase = 1;
  s->norder = 0, s->cost = 0;
  memset(h->stamp, 0, p->t->g.n * sizeof *h->stamp);
  memset(s->warp, NOBODY, p->t->g.n);
  for (int32_t k = 0; k <= 2 * p->t->nloops; k++) {
    s->first[k] = phase, h->part = (uint8_t)k;
    share_part(h, &phase, quota);
  }
  s->first[2 * p->t->nloops + 1] = phase;
}

/* --- slots ------------------------------------------------------------------------------------ */

/* the last phase in which something that is computed in `part` and `phase` takes a value of another part or this one */
static void note_use(sharer *h, hk_node user, hk_node n) {
  hk_split *s = h->s;
  const hk_graph_node *x = hki_graph_at(&h->p->t->g, n);
  const uint8_t part = hki_graph_at(&h->p->t->g, user)->part;
  if (x->part >= h->p->t->showing || s->warp[n] == s->warp[user]) return;
  // what comes from before an iteration is taken in each of its turns
  const uint32_t last = part % 2 && x->part != part ? s->first[part + 1] - 1 : s->phase[user];
  if (last > h->waits[n]) h->waits[n] = last;
}

/* what all warps take: at the end of its part */
static void note_all(sharer *h, hk_node n) {
  const hk_graph_node *x = hki_graph_at(&h->p->t->g, n);
  if (n && !h->p->inlined[n]) h->waits[n] = h->s->first[x->part + 1] - 1;
}

/* a slot is free again behind the last phase that takes it */
static void give_slots(sharer *h) {
  const hk_plan *p = h->p;
  hk_split *s = h->s;
  uint32_t *until = h->stamp; // of each slot
  memset(h->waits, 0, p->t->g.n * sizeof *h->waits);
  for (uint32_t i = 0; i < s->norder; i++)
    (void)each_operand(h, s->order[i], s->order[i], note_use);
  for (int32_t k = 0; k < p->t->nloops; k++) {
    const hk_trace_loop *l = &p->t->loops[k];
    note_all(h, l->step), note_all(h, l->constraint), note_all(h, l->by_rate);
    note_all(h, l->whole), note_all(h, l->kept);
  }
  s->nslots = 0;
  for (uint32_t i = 0; i < s->norder; i++) {
    const hk_node both[2] = {s->order[i], p->pair[s->order[i]]};
    for (int k = 0; k < 2; k++) {
      const hk_node n = both[k];
      if (!n || !h->waits[n]) continue;
      int32_t slot = 0;
      while (slot < s->nslots && until[slot] >= s->phase[n]) slot++;
      if (slot == s->nslots) s->nslots++;
      until[slot] = h->waits[n], s->slot[n] = slot;
    }
  }
}

/* variables of iterations that somebody reads */
static bool number_cells(sharer *h) {
  const hk_followed *t = h->p->t;
  hk_split *s = h->s;
  s->cell = hki_pool_alloc(t->pool, ((size_t)t->nloops + 1) * sizeof *s->cell);
  for (int32_t k = 0; s->cell && k < t->nloops; k++) {
    const hk_trace_loop *l = &t->loops[k];
    s->cell[k] = hki_pool_alloc(t->pool, ((size_t)l->n + 1) * sizeof **s->cell);
    if (!s->cell[k]) return false;
    for (int32_t i = 0; i < l->n; i++)
      s->cell[k][i] = l->cells[i].carried || l->cells[i].used ? s->ncells++ : -1;
  }
  return s->cell != NULL;
}

/* --- life ------------------------------------------------------------------------------------- */

static bool open_sharer(sharer *h) {
  hk_pool *pool = h->p->t->pool;
  const size_t n = (size_t)h->p->t->g.n + 3;
  hk_split *s = h->s;
  uint32_t **const lists[] = {&h->first, &h->waits, &h->far,   &h->stamp,
                              &h->later, &s->phase, &s->order, &h->all.of};
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
    if (!(*lists[i] = hki_pool_alloc(pool, n * sizeof **lists[i]))) return false;
  for (int32_t w = 0; w < s->warps; w++)
    if (!(h->own[w].of = hki_pool_alloc(pool, n * sizeof(hk_node)))) return false;
  h->next = hki_pool_alloc(pool, 3 * n * sizeof *h->next);
  h->from = hki_pool_alloc(pool, n);
  s->warp = hki_pool_alloc(pool, n);
  s->slot = hki_pool_alloc(pool, n * sizeof *s->slot);
  s->first = hki_pool_alloc(pool, (size_t)(2 * h->p->t->nloops + 2) * sizeof *s->first);
  for (size_t i = 0; s->slot && i < n; i++) s->slot[i] = -1;
  return h->next && h->from && s->warp && s->slot && s->first;
}

hk_status hki_split_create(const hk_plan *p, int32_t warps, hk_split *out) {
  static const uint32_t quotas[] = {20, 40, 80, 160, 320};
  *out = (hk_split){.warps = warps};
  sharer h = {.p = p, .s = out};
  int64_t least = 0;
  uint32_t best = 0;
  if (!open_sharer(&h) || !number_cells(&h)) return HK_E_MEMORY;
  for (size_t i = 0; i < sizeof quotas / sizeof quotas[0]; i++) {
    share_all(&h, quotas[i]);
    if (best && out->cost >= least) continue;
    best = quotas[i], least = out->cost;
  }
  share_all(&h, best);
  give_slots(&h);
  return HK_OK;
}

int32_t hki_split_owner(const hk_split *s, const hk_plan *p, hk_node n, int32_t i) {
  return n && !p->inlined[n] ? s->warp[n] : i % s->warps;
}

int32_t hki_split_numbers(const hk_plan *p, const hk_split *s) {
  return p->nx + s->ncells + s->nslots;
}

hk_status hki_split_plan(hk_plan *p, int32_t branch, int32_t warps, hk_split *out) {
  hk_plan q;
  *out = (hk_split){.warps = 1};
  if (warps < 2) return hki_rolls_order(p, hki_order_deepen);
  hk_status st = hki_plan_create(p->t, -branch, false, &q);
  if (st == HK_OK) st = hki_split_create(&q, warps, out);
  if (st == HK_OK) *p = q;
  return st;
}
