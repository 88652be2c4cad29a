/* SPDX-License-Identifier: Apache-2.0
 *
 * order.c: a topological order of nodes, packs and ways of branches (Kahn 1962), nearest to the one in which the kernel
 * has made them.
 *
 * Seen from a way, an item is a node, a pack or another way inside of it. An operand and its user are two
 * items of the innermost way that is around both. If items wait for each other in a circle, a pack of
 * the circle is taken apart: without packs there is none.
 *
 * In depth, an item is written where the first one that takes it is: of what a way ends with, what is lowest comes first, and of the
 * operands of an item the highest, as in expressions (Sethi and Ullman 1970). Fewer values wait for those that take them.
 */
#include "codegen/order.h"

#include <string.h>

#include "codegen/packs.h"

typedef struct sorter {
  hk_plan *p;
  const hk_graph *g;
  uint32_t items;            /* nodes, then packs, then ways */
  uint32_t *first, *next;    /* items that wait for item i: next[first[i] .. first[i + 1] - 1] */
  uint32_t *waits;           /* how many items an item waits for */
  uint32_t *key;             /* of an item: the first node of it */
  uint32_t *heap, nheap;     /* items that can be written, smallest key first */
  uint32_t *members, *begin; /* items of way r: members[begin[r] .. begin[r + 1] - 1] */
  uint32_t *from, *to, nedges;
} sorter;

static uint32_t around(const sorter *s, uint32_t r) {
  return s->p->effective[s->g->regions[r].parent];
}

static uint32_t item_of_way(const sorter *s, uint32_t r) {
  return s->g->n + (uint32_t)s->p->npacks + r;
}

static uint32_t item_of_node(const sorter *s, hk_node n) {
  return s->p->pack_of[n] ? s->g->n + s->p->pack_of[n] - 1 : n;
}

/* the item of way `r` that holds what is computed in way `in`, which is inside of r */
static uint32_t item_in(const sorter *s, uint32_t r, uint32_t in, uint32_t item) {
  while (in != r) item = item_of_way(s, in), in = around(s, in);
  return item;
}

/* --- who waits for whom ----------------------------------------------------------------------- */

static void add_edge(sorter *s, uint32_t from_way, uint32_t from, uint32_t to_way, uint32_t to) {
  uint32_t r = from_way;
  while (!hki_graph_around(s->g, r, to_way)) r = around(s, r);
  const uint32_t a = item_in(s, r, from_way, from), b = item_in(s, r, to_way, to);
  if (a == b) return;
  s->from[s->nedges] = a, s->to[s->nedges++] = b;
}

static void find_edges(sorter *s) {
  const hk_plan *p = s->p;
  s->nedges = 0;
  for (hk_node n = 1; n < s->g->n; n++) {
    if (!p->needed[n]) continue;
    for (int i = 0; i < 3; i++) {
      const hk_node a = s->g->nodes[n].a[i];
      if (a && s->g->nodes[a].part == s->g->nodes[n].part)
        add_edge(s, p->region[a], item_of_node(s, a), p->region[n], item_of_node(s, n));
    }
  }
  for (uint32_t r = 1; r < s->g->nregions; r++) {
    const hk_node c = s->g->regions[r].condition;
    if (p->effective[r] == r && p->needed[c] && s->g->nodes[c].part == s->g->regions[r].part)
      add_edge(s, p->region[c], item_of_node(s, c), around(s, r), item_of_way(s, r));
  }
  memset(s->first, 0, ((size_t)s->items + 2) * sizeof *s->first);
  memset(s->waits, 0, ((size_t)s->items + 1) * sizeof *s->waits);
  for (uint32_t e = 0; e < s->nedges; e++) s->first[s->from[e] + 2]++, s->waits[s->to[e]]++;
  for (uint32_t i = 1; i <= s->items + 1; i++) s->first[i] += s->first[i - 1];
  for (uint32_t e = 0; e < s->nedges; e++) s->next[s->first[s->from[e] + 1]++] = s->to[e];
}

/* the items of each way, with the first node of each */
static void find_members(sorter *s) {
  const hk_plan *p = s->p;
  memset(s->begin, 0, ((size_t)s->g->nregions + 2) * sizeof *s->begin);
  memset(s->key, 0, ((size_t)s->items + 1) * sizeof *s->key);
  for (int pass = 0; pass < 2; pass++) {
    for (hk_node n = 1; n < s->g->n; n++) {
      const uint32_t i = item_of_node(s, n);
      if (!p->needed[n] || (i != n && p->lane_of[n])) continue;
      if (pass)
        s->members[s->begin[p->region[n] + 1]++] = i;
      else
        s->begin[p->region[n] + 2]++;
      s->key[i] = n;
      for (uint32_t r = p->region[n]; r && (!s->key[item_of_way(s, r)]); r = around(s, r))
        s->key[item_of_way(s, r)] = n;
    }
    for (uint32_t r = 1; r < s->g->nregions; r++) {
      if (p->effective[r] != r || !s->key[item_of_way(s, r)]) continue;
      if (pass)
        s->members[s->begin[around(s, r) + 1]++] = item_of_way(s, r);
      else
        s->begin[around(s, r) + 2]++;
    }
    if (!pass)
      for (uint32_t r = 1; r <= s->g->nregions + 1; r++) s->begin[r] += s->begin[r - 1];
  }
}

/* --- items that can be written ---------------------------------------------------------------- */

static void put_heap(sorter *s, uint32_t item) {
  uint32_t i = s->nheap++;
  for (; i && s->key[s->heap[(i - 1) / 2]] > s->key[item]; i = (i - 1) / 2)
    s->heap[i] = s->heap[(i - 1) / 2];
  s->heap[i] = item;
}

static uint32_t take_heap(sorter *s) {
  const uint32_t top = s->heap[0], last = s->heap[--s->nheap];
  uint32_t i = 0;
  for (uint32_t c; (c = 2 * i + 1) < s->nheap; i = c) {
    if (c + 1 < s->nheap && s->key[s->heap[c + 1]] < s->key[s->heap[c]]) c++;
    if (s->key[s->heap[c]] >= s->key[last]) break;
    s->heap[i] = s->heap[c];
  }
  s->heap[i] = last;
  return top;
}

static bool write_way(sorter *s, uint32_t r);

static bool write_item(sorter *s, uint32_t item) {
  const uint32_t packs = s->g->n, ways = packs + (uint32_t)s->p->npacks;
  if (item >= ways) {
    // what is inside of it has a heap of its own, behind this one
    uint32_t *heap = s->heap;
    const uint32_t nheap = s->nheap;
    s->heap += nheap, s->nheap = 0;
    const bool ok = write_way(s, item - ways);
    s->heap = heap, s->nheap = nheap;
    return ok;
  }
  s->p->order[s->p->norder++] = item >= packs ? s->p->packs[item - packs].lane[0] : item;
  return true;
}

static bool write_way(sorter *s, uint32_t r) {
  const uint32_t n = s->begin[r + 1] - s->begin[r];
  uint32_t written = 0;
  for (uint32_t i = s->begin[r]; i < s->begin[r + 1]; i++)
    if (!s->waits[s->members[i]]) put_heap(s, s->members[i]);
  while (s->nheap) {
    const uint32_t item = take_heap(s);
    if (!write_item(s, item)) return false;
    written++;
    s->waits[item] = UINT32_MAX; // it is written
    for (uint32_t i = s->first[item]; i < s->first[item + 1]; i++)
      if (--s->waits[s->next[i]] == 0) put_heap(s, s->next[i]);
  }
  return written == n;
}

/* what does not wait in a circle, or for one: its `waits` becomes UINT32_MAX */
static void peel(sorter *s) {
  s->nheap = 0;
  for (uint32_t i = 0; i < s->items; i++)
    if (!s->waits[i]) s->heap[s->nheap++] = i;
  while (s->nheap) {
    const uint32_t item = s->heap[--s->nheap];
    s->waits[item] = UINT32_MAX;
    for (uint32_t i = s->first[item]; i < s->first[item + 1]; i++)
      if (--s->waits[s->next[i]] == 0) s->heap[s->nheap++] = s->next[i];
  }
}

/* the last pack of items that wait for each other in a circle, 0: there is none */
static uint32_t last_pack(const sorter *s, const uint32_t *circle, uint32_t n) {
  const uint32_t packs = s->g->n, ways = packs + (uint32_t)s->p->npacks;
  uint32_t best = 0;
  for (uint32_t i = 0; i < n; i++)
    if (circle[i] >= packs && circle[i] < ways && circle[i] > best) best = circle[i];
  return best;
}

/* Follows who waits for `item`, in depth. Where a row of waiting items comes to itself again, its last pack is taken apart, and the row
 * goes on in front of it. Returns how many packs were taken apart. */
static uint32_t follow_rows(sorter *s, uint32_t item) {
  uint32_t *row = s->heap, *place = s->key, *cursor = s->members, n = 0, broken = 0;
  row[n] = item, place[item] = ++n, cursor[item] = s->first[item];
  while (n) {
    const uint32_t i = row[n - 1];
    if (cursor[i] == s->first[i + 1]) {
      s->waits[i] = UINT32_MAX, place[i] = 0, n--;
      continue;
    }
    const uint32_t to = s->next[cursor[i]++];
    if (s->waits[to] == UINT32_MAX) continue;
    if (!place[to]) {
      row[n] = to, place[to] = ++n, cursor[to] = s->first[to];
      continue;
    }
    const uint32_t best = last_pack(s, row + place[to] - 1, n - place[to] + 1);
    if (!best) return broken; // a circle without packs: there is no order
    hki_packs_undo(s->p, best - s->g->n), broken++;
    s->waits[best] = UINT32_MAX;
    while (place[best]) place[row[--n]] = 0;
  }
  return broken;
}

/* Takes packs apart that are waited for in circles; returns how many. What they were made of may wait in others. */
static uint32_t break_circles(sorter *s) {
  uint32_t broken = 0;
  find_edges(s);
  peel(s);
  memset(s->key, 0, ((size_t)s->items + 1) * sizeof *s->key);
  for (uint32_t i = 0; i < s->items; i++)
    if (s->waits[i] != UINT32_MAX) broken += follow_rows(s, i);
  return broken;
}

/* --- in depth --------------------------------------------------------------------------------- */

/* what an item takes: of[first[i] .. first[i + 1] - 1], the highest first */
typedef struct deep {
  sorter *s;
  uint32_t *height; /* the longest row of items that ends with an item */
  uint32_t *lowest; /* all items, the lowest first */
  uint32_t *first, *of;
  uint32_t *cursor; /* what is looked at next of an item; NONE: it is written */
} deep;

#define NONE UINT32_MAX

/* heights, item by item behind all that they take */
static uint32_t find_heights(deep *d) {
  sorter *s = d->s;
  uint32_t n = 0, top = 0;
  memset(d->height, 0, ((size_t)s->items + 1) * sizeof *d->height);
  for (uint32_t i = 0; i < s->items; i++)
    if (!s->waits[i]) s->heap[n++] = i;
  for (uint32_t k = 0; k < n; k++) {
    const uint32_t i = s->heap[k];
    if (d->height[i] > top) top = d->height[i];
    for (uint32_t e = s->first[i]; e < s->first[i + 1]; e++) {
      const uint32_t to = s->next[e];
      if (d->height[to] <= d->height[i]) d->height[to] = d->height[i] + 1;
      if (--s->waits[to] == 0) s->heap[n++] = to;
    }
  }
  return top;
}

/* all items by their heights; those of one height as they were */
static void sort_by_height(deep *d, uint32_t top) {
  const sorter *s = d->s;
  uint32_t *count = d->cursor;
  memset(count, 0, ((size_t)top + 2) * sizeof *count);
  for (uint32_t i = 0; i < s->items; i++) count[d->height[i] + 1]++;
  for (uint32_t h = 1; h <= top + 1; h++) count[h] += count[h - 1];
  for (uint32_t i = 0; i < s->items; i++) d->lowest[count[d->height[i]]++] = i;
}

static void find_operands(deep *d) {
  const sorter *s = d->s;
  memset(d->first, 0, ((size_t)s->items + 2) * sizeof *d->first);
  for (uint32_t e = 0; e < s->nedges; e++) d->first[s->to[e] + 2]++;
  for (uint32_t i = 1; i <= s->items + 1; i++) d->first[i] += d->first[i - 1];
  for (uint32_t k = s->items; k-- > 0;) {
    const uint32_t i = d->lowest[k];
    for (uint32_t e = s->first[i]; e < s->first[i + 1]; e++) d->of[d->first[s->next[e] + 1]++] = i;
  }
}

static void write_deep_way(deep *d, uint32_t r);

/* an item behind all that it takes */
static void write_deep_item(deep *d, uint32_t item) {
  sorter *s = d->s;
  uint32_t *row = s->heap, n = 0;
  if (d->cursor[item] == NONE) return;
  row[n++] = item;
  while (n) {
    const uint32_t i = row[n - 1];
    if (d->cursor[i] < d->first[i + 1]) {
      const uint32_t a = d->of[d->cursor[i]++];
      if (d->cursor[a] != NONE) row[n++] = a;
      continue;
    }
    d->cursor[i] = NONE, n--;
    if (i < s->g->n) {
      s->p->order[s->p->norder++] = i;
      continue;
    }
    s->heap += n; // what is inside of a way has a row of its own
    write_deep_way(d, i - s->g->n);
    s->heap = row;
  }
}

static void write_deep_way(deep *d, uint32_t r) {
  sorter *s = d->s;
  for (uint32_t k = s->begin[r]; k < s->begin[r + 1]; k++)
    if (s->first[s->members[k]] == s->first[s->members[k] + 1]) write_deep_item(d, s->members[k]);
}

/* members of all ways, the lowest first */
static void sort_members(deep *d) {
  sorter *s = d->s;
  const hk_plan *p = s->p;
  uint32_t *at = d->cursor; // of each way
  for (uint32_t r = 0; r < s->g->nregions; r++) at[r] = s->begin[r];
  for (uint32_t k = 0; k < s->items; k++) {
    const uint32_t i = d->lowest[k];
    const bool way = i >= s->g->n;
    if (way ? i == s->g->n || !s->key[i] || p->effective[i - s->g->n] != i - s->g->n
            : !i || !p->needed[i])
      continue;
    s->members[at[way ? around(s, i - s->g->n) : p->region[i]]++] = i;
  }
}

/* The two of a pair are written where the lower one stands: it comes first. */
static void put_pairs_right(const deep *d) {
  const hk_plan *p = d->s->p;
  uint32_t *place = d->height;
  for (uint32_t k = 0; k < p->norder; k++) place[p->order[k]] = k;
  for (uint32_t k = 0; k < p->norder; k++) {
    const hk_node n = p->order[k], other = p->pair[n];
    if (!other || other > n || place[other] < k) continue;
    p->order[k] = other, p->order[place[other]] = n;
    place[n] = place[other], place[other] = k;
  }
}

/* --- life ------------------------------------------------------------------------------------- */

static hk_status open_sorter(sorter *s, hk_plan *p) {
  *s = (sorter){.p = p, .g = &p->t->g};
  hk_pool *pool = p->t->pool;
  const size_t ways = s->g->nregions, edges = 3 * (size_t)s->g->n + ways;
  s->items = s->g->n + (uint32_t)p->npacks + s->g->nregions;
  uint32_t **const lists[] = {&s->first, &s->waits, &s->key, &s->heap, &s->members};
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
    if (!(*lists[i] = hki_pool_alloc(pool, ((size_t)s->items + 3) * sizeof **lists[i])))
      return HK_E_MEMORY;
  s->begin = hki_pool_alloc(pool, (ways + 3) * sizeof *s->begin);
  s->from = hki_pool_alloc(pool, edges * sizeof *s->from);
  s->to = hki_pool_alloc(pool, edges * sizeof *s->to);
  s->next = hki_pool_alloc(pool, edges * sizeof *s->next);
  return s->begin && s->from && s->to && s->next ? HK_OK : HK_E_MEMORY;
}

hk_status hki_order_find(hk_plan *p) {
  sorter s;
  hk_status st = open_sorter(&s, p);
  p->order = hki_pool_alloc(p->t->pool, ((size_t)s.g->n + 1) * sizeof *p->order);
  if (st != HK_OK || !p->order) return HK_E_MEMORY;
  while (p->npacks && break_circles(&s)) continue;
  find_edges(&s);
  find_members(&s);
  p->norder = s.nheap = 0;
  if (write_way(&s, 0)) return HK_OK;
  return hki_error(p->t->ctx, HK_E_MODEL, HK_LOC_NONE, NULL,
                   "the operations of a step wait for each other");
}

hk_status hki_order_deepen(hk_plan *p) {
  sorter s;
  deep d = {.s = &s};
  hk_pool *pool = p->t->pool;
  if (p->npacks) return HK_OK;
  if (open_sorter(&s, p) != HK_OK) return HK_E_MEMORY;
  uint32_t **const lists[] = {&d.height, &d.lowest, &d.first, &d.cursor};
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
    if (!(*lists[i] = hki_pool_alloc(pool, ((size_t)s.items + 3) * sizeof **lists[i])))
      return HK_E_MEMORY;
  find_edges(&s);
  find_members(&s);
  d.of = hki_pool_alloc(pool, ((size_t)s.nedges + 1) * sizeof *d.of);
  if (!d.of) return HK_E_MEMORY;
  sort_by_height(&d, find_heights(&d));
  find_operands(&d);
  sort_members(&d);
  memcpy(d.cursor, d.first, (size_t)s.items * sizeof *d.cursor);
  p->norder = 0;
  write_deep_way(&d, 0);
  put_pairs_right(&d);
  return HK_OK;
}
