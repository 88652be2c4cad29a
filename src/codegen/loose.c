/* SPDX-License-Identifier: Apache-2.0
 *
 * loose.c: whole numbers that depend on the state at the end of a turn or a step.
 */
#include "codegen/loose.h"

static bool has(const hk_loose *l, uint32_t at) {
  for (int32_t i = 0; i < l->n; i++)
    if (l->cells[i].at == at) return true;
  return false;
}

/* a truth in the first turn of an iteration or in others: 0, 1, or -1: it depends on more */
static int truth_in(const hk_guest *m, hk_node n, bool first) {
  const hk_graph_node *x = hki_graph_at(m->g, n);
  int a, b;
  switch (x->op) {
    case HK_G_FIRST:
      return first;
    case HK_G_INT:
      return x->number != 0;
    case HK_G_NOT:
      a = truth_in(m, x->a[0], first);
      return a < 0 ? a : !a;
    case HK_G_AND:
      a = truth_in(m, x->a[0], first), b = truth_in(m, x->a[1], first);
      return a == 0 || b == 0 ? 0 : a < 0 || b < 0 ? -1 : 1;
    case HK_G_OR:
      a = truth_in(m, x->a[0], first), b = truth_in(m, x->a[1], first);
      return a == 1 || b == 1 ? 1 : a < 0 || b < 0 ? -1 : 0;
    default:
      return -1;
  }
}

/* Is a whole number one and the same in such a turn, whatever else its conditions say? *bits: which one, once *known. */
static bool is_one(const hk_guest *m, hk_node n, bool first, bool *known, int64_t *bits) {
  const hk_graph_node *x = hki_graph_at(m->g, n);
  if (x->op == HK_G_CHOICE) {
    const int c = truth_in(m, x->a[0], first);
    return (c == 0 || is_one(m, x->a[1], first, known, bits)) &&
           (c == 1 || is_one(m, x->a[2], first, known, bits));
  }
  if (x->op != HK_G_INT || (*known && *bits != x->number)) return false;
  *known = true, *bits = x->number;
  return true;
}

/* a whole number of this size that depends on the state, outside of the memory of calls that have ended */
static bool is_loose(hk_guest *m, uint32_t at, int32_t size) {
  hk_slot x = {0};
  if (hki_cells_free(m, at) || hki_cells_load(m, at, size, &x) != HK_OK) return false;
  bool known = false;
  int64_t bits = 0;
  return x.node && !x.real &&
         !(is_one(m, x.node, true, &known, &bits) && is_one(m, x.node, false, &known, &bits));
}

hk_status hki_loose_find(hk_guest *m, uint8_t mark, hk_loose *l, bool *more) {
  for (uint32_t i = 0; i < m->size; i++) {
    const int32_t size = (m->marks[i] & ~HK_BYTE_DONE) / HK_BYTE_SIZE;
    if (!(m->marks[i] & mark) || (m->marks[i] & HK_BYTE_REAL) || !size) continue;
    if (!is_loose(m, i, size) || has(l, i)) continue;
    if (!HK_GROW(m->ctx, l->cells, l->cap, l->n + 1)) return HK_E_MEMORY;
    l->cells[l->n].at = i, l->cells[l->n++].n = size;
    *more = true;
  }
  return HK_OK;
}

hk_status hki_loose_put(hk_guest *m, const hk_loose *l) {
  hk_status st = HK_OK;
  for (int32_t i = 0; i < l->n && st == HK_OK; i++) {
    hk_slot x = {0};
    st = hki_cells_load(m, l->cells[i].at, l->cells[i].n, &x);
    x.node = hki_graph_op(m->g, HK_G_LOST, 0, 0, 0);
    if (st == HK_OK) st = hki_cells_store(m, l->cells[i].at, l->cells[i].n, x);
  }
  return st;
}
