/* SPDX-License-Identifier: Apache-2.0
 *
 * machine_table.c: places in tables that depend on the state. A search in a table becomes a node, and a load at an
 * address that moves with it one entry of a table of known numbers.
 */
#include <math.h>
#include <string.h>

#include "codegen/machine.h"

enum { MOST_ENTRIES = 200000 };

/* --- what a number can be --------------------------------------------------------------------- */

typedef struct span {
  double lo, hi;
} span;

static bool range(hk_guest *m, hk_node n, span *out);

static bool range_of_two(hk_guest *m, const hk_graph_node *x, span *out) {
  span a, b;
  const bool select = x->op == HK_G_SELECT;
  // the number that a conversion gives beyond all whole numbers
  if (select && hki_graph_is(m->g, x->a[2], HK_G_CONST) &&
      hki_graph_at(m->g, x->a[2])->value <= -2147483648.0)
    return range(m, x->a[1], out);
  if (select && hki_graph_is(m->g, x->a[1], HK_G_CONST) &&
      hki_graph_at(m->g, x->a[1])->value <= -2147483648.0)
    return range(m, x->a[2], out);
  if (!range(m, x->a[select], &a) || !range(m, x->a[select + 1], &b)) return false;
  switch (x->op) {
    case HK_G_ADD:
      *out = (span){a.lo + b.lo, a.hi + b.hi};
      return true;
    case HK_G_SUB:
      *out = (span){a.lo - b.hi, a.hi - b.lo};
      return true;
    case HK_G_MUL: {
      const double all[] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
      *out = (span){fmin(fmin(all[0], all[1]), fmin(all[2], all[3])),
                    fmax(fmax(all[0], all[1]), fmax(all[2], all[3]))};
      return true;
    }
    case HK_G_MIN:
      *out = (span){fmin(a.lo, b.lo), fmin(a.hi, b.hi)};
      return true;
    case HK_G_MAX:
      *out = (span){fmax(a.lo, b.lo), fmax(a.hi, b.hi)};
      return true;
    default: // SELECT
      *out = (span){fmin(a.lo, b.lo), fmax(a.hi, b.hi)};
      return true;
  }
}

static bool range(hk_guest *m, hk_node n, span *out) {
  const hk_graph_node x = *hki_graph_at(m->g, n);
  switch (x.op) {
    case HK_G_CONST:
      *out = (span){x.value, x.value};
      return true;
    case HK_G_SEGMENT:
      *out = (span){0.0, m->g->tables[x.number].n};
      return true;
    case HK_G_TRUNC:
    case HK_G_FLOOR:
      if (!range(m, x.a[0], out)) return false;
      *out = (span){floor(out->lo), ceil(out->hi)};
      return true;
    case HK_G_NEG:
      if (!range(m, x.a[0], out)) return false;
      *out = (span){-out->hi, -out->lo};
      return true;
    case HK_G_ADD:
    case HK_G_SUB:
    case HK_G_MUL:
    case HK_G_MIN:
    case HK_G_MAX:
    case HK_G_SELECT:
      return range_of_two(m, &x, out);
    case HK_G_LOAD:
      return m->cell_range && m->cell_range(m, n, &out->lo, &out->hi);
    default:
      return false;
  }
}

bool hki_guest_range(hk_guest *m, hk_node n, double *lo, double *hi) {
  span s;
  if (!range(m, n, &s)) return false;
  *lo = s.lo, *hi = s.hi;
  return true;
}

/* --- loads ------------------------------------------------------------------------------------ */

/* the entries of a load of `n` bytes at mul i + add, i = lo .. hi, as numbers */
static hk_status entries(hk_guest *m, const hk_graph_node *w, uint32_t offset, int n, const span *s,
                         int32_t *table) {
  const int64_t lo = (int64_t)s->lo, count = (int64_t)s->hi - lo + 1;
  if (count < 1 || count > MOST_ENTRIES) return hki_guest_fail(m, "a table with too many entries");
  double *x = hki_alloc(m->ctx, (size_t)count * sizeof *x);
  if (!x) return HK_E_MEMORY;
  hk_status st = HK_OK;
  for (int64_t i = 0; i < count && st == HK_OK; i++) {
    const int64_t at = w->number * (lo + i) + (int64_t)w->value + offset;
    hk_slot e = {0};
    // a place outside is one that is never asked for
    if (at >= 0 && at + n <= (int64_t)m->size) st = hki_cells_load(m, (uint32_t)at, n, &e);
    if (e.node) st = hki_guest_fail(m, "a table whose entries depend on the state");
    x[i] = n == 8 ? hki_slot_double(e) : (double)(int32_t)e.bits;
  }
  *table = st == HK_OK ? hki_graph_table(m->g, lo, (int32_t)count, x) : -1;
  hki_free(m->ctx, x);
  return st == HK_OK && *table < 0 ? HK_E_MEMORY : st;
}

hk_status hki_guest_gather(hk_guest *m, hk_node address, uint32_t offset, int n, uint64_t example,
                           hk_slot *out) {
  if (hki_graph_is(m->g, address, HK_G_CHOICE))
    address = hki_graph_whole(m->g, hki_graph_as_real(m->g, address), 1, 0);
  const hk_graph_node w = *hki_graph_at(m->g, address);
  span s;
  int32_t table;
  if (w.op != HK_G_WHOLE || !range(m, w.a[0], &s) || (n != 8 && n != 4))
    return hki_guest_fail(m, "a place in memory that is not known");
  hk_status st = entries(m, &w, offset, n, &s, &table);
  if (st != HK_OK) return st;
  *out = (hk_slot){0};
  if ((uint32_t)example + offset + (uint32_t)n <= m->size)
    memcpy(&out->bits, m->mem + (uint32_t)example + offset, (size_t)n);
  const hk_node g = hki_graph_gather(m->g, w.a[0], table);
  if (n == 8) {
    if (hki_graph_is(m->g, g, HK_G_CONST))
      return *out = hki_slot_of(hki_graph_at(m->g, g)->value), HK_OK;
    out->real = true, out->node = g;
    return HK_OK;
  }
  out->node = hki_graph_whole(m->g, g, 1, 0);
  if (hki_graph_is(m->g, out->node, HK_G_INT))
    *out = (hk_slot){.bits = (uint32_t)hki_graph_at(m->g, out->node)->number};
  return HK_OK;
}

/* --- searches --------------------------------------------------------------------------------- */

/* hki_table_segment(table, x): how many points are not above x */
hk_status hki_guest_segment(hk_guest *m, const hk_slot *args, hk_slot *out) {
  const int32_t ask = hki_module_find(m->mod, "gx_table");
  hk_slot in[2] = {args[0], {0}}, n = {0}, at = {0};
  hk_status st = hki_guest_call(m, ask, in, 2, &n);
  in[1].bits = 1;
  if (st == HK_OK) st = hki_guest_call(m, ask, in, 2, &at);
  const uint32_t count = (uint32_t)n.bits, first = (uint32_t)at.bits;
  if (st != HK_OK) return st;
  if (count > MOST_ENTRIES || first > m->size || 8 * count > m->size - first)
    return hki_guest_fail(m, "a table with too many points");
  double *x = hki_alloc(m->ctx, ((size_t)count + 1) * sizeof *x);
  if (!x) return HK_E_MEMORY;
  memcpy(x, m->mem + first, 8 * (size_t)count);
  const int32_t table = hki_graph_table(m->g, 0, (int32_t)count, x);
  const double here = hki_slot_double(args[1]);
  uint32_t k = 0;
  while (k < count && x[k] <= here) k++;
  hki_free(m->ctx, x);
  if (table < 0) return HK_E_MEMORY;
  const hk_node segment = hki_graph_segment(m->g, hki_slot_real(m, args[1]), table);
  *out = (hk_slot){.bits = k, .node = hki_graph_whole(m->g, segment, 1, 0)};
  return HK_OK;
}
