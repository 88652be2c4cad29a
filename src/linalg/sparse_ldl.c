/* SPDX-License-Identifier: Apache-2.0
 *
 * sparse_ldl.c: analysis, slots and memory of the sparse LDL factorisation. The numeric part is in
 * ldl_body.h, compiled once per vector width (kernels.h).
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/ldl_impl.h"

/* is order a permutation of 0 .. n-1? seen: n zeros */
static bool is_permutation(char *seen, int32_t n, const int32_t *order) {
  for (int32_t k = 0; k < n; k++) {
    if (order[k] < 0 || order[k] >= n || seen[order[k]]) return false;
    seen[order[k]] = 1;
  }
  return true;
}

/* moves each unknown from `rows` on behind the last of those before `rows` that it shares an element
 * with; all others keep their order */
static bool postpone(hk_pool *pool, const hki_elements *e, int32_t rows, int32_t *order) {
  const size_t n = (size_t)e->n;
  int32_t *at = hki_pool_alloc(pool, n * sizeof *at),
          *head = hki_pool_alloc(pool, n * sizeof *head);
  int32_t *next = hki_pool_alloc(pool, n * sizeof *next);
  int32_t *old = hki_pool_alloc(pool, n * sizeof *old), done = 0;
  if (!at || !head || !next || !old) return false;
  for (int32_t k = 0; k < e->n; k++) at[order[k]] = k, head[k] = -1, old[k] = order[k];
  // at[row]: place of the last of its partners
  for (int32_t k = 0; k < e->count; k++) {
    int32_t last = -1;
    for (int32_t i = e->start[k]; i < e->start[k + 1]; i++)
      if (e->var[i] < rows && at[e->var[i]] > last) last = at[e->var[i]];
    for (int32_t i = e->start[k]; i < e->start[k + 1]; i++)
      if (e->var[i] >= rows && at[e->var[i]] < last) at[e->var[i]] = last;
  }
  for (int32_t k = e->n - 1; k >= 0; k--) {
    const int32_t v = old[k];
    if (v < rows || at[v] == k) continue;
    next[v] = head[at[v]], head[at[v]] = v;
  }
  for (int32_t k = 0; k < e->n; k++) {
    if (old[k] < rows || at[old[k]] == k) order[done++] = old[k];
    for (int32_t v = head[k]; v >= 0; v = next[v]) order[done++] = v;
  }
  return done == e->n;
}

/* columns for the caller's order and for minimum degree; the order with fewer operations is used */
static hk_status analyse(hk_ldl *s, hk_pool *pool, const hk_pattern *pattern, const int32_t *given,
                         bool keep, int32_t rows) {
  hki_elements e;
  hki_symbolic a = {0}, b = {0};
  s->stats.fill_given = s->stats.fill_ordered = -1;
  if (!hki_elements_build(pool, pattern, &e)) return HK_E_MEMORY;
  bool good = true;
  if (given) {
    good = hki_symbolic_build(s->ctx, pool, &e, given, &a);
    s->stats.fill_given = a.fill;
  }
  // an order without fill cannot be improved
  bool search = !given || (!keep && !a.tight);
  int32_t *order = hki_pool_alloc(pool, (size_t)s->n * sizeof *order);
  good = good && order;
  if (good && search) {
    good = hki_order_minimum_degree(s->ctx, pool, &e, order) &&
           (rows >= s->n || postpone(pool, &e, rows, order)) &&
           hki_symbolic_build(s->ctx, pool, &e, order, &b);
    s->stats.fill_ordered = b.fill;
  }
  s->stats.order_given = given && (!search || a.work <= b.work);
  hk_status status = HK_E_MEMORY;
  if (good) {
    status = s->stats.order_given ? hki_ldl_panels(s, pool, &a, given)
                                  : hki_ldl_panels(s, pool, &b, order);
  }
  hki_free(s->ctx, a.list);
  hki_free(s->ctx, b.list);
  return status;
}

/* work and memory of the factor */
static void measure(hk_ldl *s) {
  hk_arena a = {0};
  hk_ldl_num num;
  for (int32_t i = 0; i < s->nsnode; i++) {
    const double w = s->snode[i].w, b = s->snode[i].r - s->snode[i].w;
    s->stats.work += w * (w * w / 6.0 + 0.5 * w * b + 0.5 * b * b + w + b);
  }
  hki_ldl_layout(s, &a, &num);
  s->stats.bytes = (double)a.used + (double)hki_pool_bytes(s->pool) + (double)sizeof *s;
}

static hk_status create(hk_ctx *ctx, const hk_pattern *pattern, const int32_t *order, bool keep,
                        int32_t rows, hk_ldl **out) {
  *out = NULL;
  if (pattern->status != HK_OK) return pattern->status;
  hk_ldl *s = hki_alloc(ctx, sizeof *s);
  if (!s) return HK_E_MEMORY;
  s->ctx = ctx;
  s->n = pattern->n;
  s->kernels = hki_kernels_best();
  s->tol = DBL_EPSILON * (s->n < 32 ? 8.0 * s->n : 256.0);
  s->pool = hki_pool_create(ctx);
  hk_pool *scratch = hki_pool_create(ctx);
  hk_status status = HK_E_MEMORY;
  char *seen = scratch ? hki_pool_alloc(scratch, (size_t)s->n) : NULL;
  if (s->pool && seen) {
    if (order && !is_permutation(seen, s->n, order)) {
      status = hki_error(ctx, HK_E_INTERNAL, HK_LOC_NONE, NULL,
                         "the elimination order is not a permutation of 0..%d", s->n - 1);
    } else {
      status = analyse(s, scratch, pattern, order, keep, rows);
    }
  }
  hki_pool_destroy(scratch);
  if (status != HK_OK) {
    hki_ldl_destroy(s);
    return status;
  }
  s->stats.n = s->n;
  s->stats.supernodes = s->nsnode;
  s->stats.values = s->nval;
  measure(s);
  *out = s;
  return HK_OK;
}

hk_status hki_ldl_create(hk_ctx *ctx, const hk_pattern *pattern, const int32_t *order,
                         hk_ldl **out) {
  return create(ctx, pattern, order, false, INT32_MAX, out);
}

hk_status hki_ldl_create_ordered(hk_ctx *ctx, const hk_pattern *pattern, const int32_t *order,
                                 hk_ldl **out) {
  return create(ctx, pattern, order, true, INT32_MAX, out);
}

hk_status hki_ldl_create_saddle(hk_ctx *ctx, const hk_pattern *pattern, int32_t rows,
                                hk_ldl **out) {
  return create(ctx, pattern, NULL, false, rows, out);
}

void hki_ldl_destroy(hk_ldl *s) {
  if (!s) return;
  hki_pool_destroy(s->pool);
  hki_free(s->ctx, s);
}

int32_t hki_ldl_slot(const hk_ldl *s, int32_t i, int32_t j) {
  if (i < 0 || i >= s->n || j < 0 || j >= s->n) return -1;
  // the index eliminated first is the column
  int32_t row = s->iperm[i], col = s->iperm[j];
  if (row < col) {
    int32_t t = row;
    row = col, col = t;
  }
  const hki_snode *sn = &s->snode[s->of[col]];
  int32_t base = sn->off + (col - sn->col) * sn->ld, low = 0, high = sn->r - sn->w;
  if (row < sn->col + sn->w) return base + row - sn->col;
  // bisection among the rows below
  const int32_t *rows = s->rows + sn->rows;
  while (low < high) {
    int32_t mid = low + (high - low) / 2;
    if (rows[mid] < row) {
      low = mid + 1;
    } else {
      high = mid;
    }
  }
  return low < sn->r - sn->w && rows[low] == row ? base + sn->w + low : -1;
}

int32_t hki_ldl_entry(const hk_ldl *s, int32_t i, int32_t j) {
  const int32_t slot = hki_ldl_slot(s, i, j);
  HK_ASSERT(slot >= 0);
  return slot;
}

void hki_ldl_add(const hk_ldl *s, double *val, int32_t i, int32_t j, double x) {
  const int32_t slot = hki_ldl_entry(s, i, j);
  if (slot >= 0) val[slot] += x;
}

int32_t hki_ldl_value_count(const hk_ldl *s) { return s->nval; }

void hki_ldl_get_stats(const hk_ldl *s, hk_ldl_stats *stats) { *stats = s->stats; }

const int32_t *hki_ldl_order(const hk_ldl *s) { return s->perm; }

void hki_ldl_layout(const hk_ldl *s, hk_arena *a, hk_ldl_num *num) {
  memset(num, 0, sizeof *num);
  num->bad = -1;
  num->val = HK_TAKE(a, double, s->nval);
  num->fac = HK_TAKE(a, double, s->nfac);
  num->inv = HK_TAKE(a, double, s->n + 8);
  num->work = HK_TAKE(a, double, hki_ldl_work_size(s));
}

double *hki_ldl_layout_values(const hk_ldl *s, hk_arena *a) { return HK_TAKE(a, double, s->nval); }

hk_status hki_ldl_factor(const hk_ldl *s, hk_ldl_num *num, const double *val) {
  const hk_status st = s->kernels->ldl_factor(s, num, val);
  num->factored = st == HK_OK;
  return st;
}

void hki_ldl_solve(const hk_ldl *s, hk_ldl_num *num, double *x) {
  HK_ASSERT(num->factored);
  s->kernels->ldl_solve(s, num, x);
}

void hki_ldl_mul(const hk_ldl *s, hk_ldl_num *num, const double *val, const double *x, double *y) {
  HK_ASSERT(s->n == 0 || x != y);
  s->kernels->ldl_mul(s, num, val, x, y);
}

double hki_ldl_pivot_ratio(const hk_ldl *s, const hk_ldl_num *num, const double *val) {
  double low = 1.0;
  for (int32_t i = 0; i < s->nsnode; i++) {
    const hki_snode *sn = &s->snode[i];
    for (int32_t k = 0; k < sn->w; k++) {
      size_t at = (size_t)sn->off + (size_t)k * ((size_t)sn->ld + 1);
      double d = fabs(num->fac[at]), a = fabs(val[at]);
      if (d < low * a) low = d / a;
    }
  }
  return low;
}

void hki_ldu_layout(const hk_ldl *s, hk_arena *a, hk_ldu_num *num) {
  const size_t count = (size_t)s->nval;
  num->bad = -1;
  num->low = HK_TAKE(a, double, 2 * count);
  num->up = num->low ? num->low + count : NULL;
  num->inv = HK_TAKE(a, double, s->n + 8);
  num->work = HK_TAKE(a, double, hki_ldl_work_size(s));
  num->wide = HK_TAKE(a, double, 8 * s->max_w + 16);
}

int64_t hki_ldu_place(const hk_ldl *s, int32_t i, int32_t j) {
  const int32_t slot = hki_ldl_slot(s, i, j);
  return slot < 0 ? -1 : slot + (s->iperm[i] < s->iperm[j] ? (int64_t)s->nval : 0);
}

hk_status hki_ldu_factor(const hk_ldl *s, hk_ldu_num *num, const double *largest) {
  return s->kernels->ldu_factor(s, num, largest);
}

void hki_ldu_solve(const hk_ldl *s, hk_ldu_num *num, double *x) {
  s->kernels->ldu_solve(s, num, x);
}
