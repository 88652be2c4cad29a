/* SPDX-License-Identifier: Apache-2.0
 *
 * fe.c: symmetric sparse matrices from lists of entries; nodes and sets by name.
 */
#include "flex/fe.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "geometry/geometry.h"

void hki_entries_add(hk_entries *t, int32_t i, int32_t j, double x) {
  if (t->n == t->cap && !t->failed) {
    const int64_t cap = t->cap ? 2 * t->cap : 4096;
    int32_t *pi = hki_realloc(t->ctx, t->i, (size_t)cap * sizeof *pi);
    if (pi) t->i = pi;
    int32_t *pj = hki_realloc(t->ctx, t->j, (size_t)cap * sizeof *pj);
    if (pj) t->j = pj;
    double *pv = hki_realloc(t->ctx, t->val, (size_t)cap * sizeof *pv);
    if (pv) t->val = pv;
    t->failed = !pi || !pj || !pv;
    if (!t->failed) t->cap = cap;
  }
  if (t->failed) return;
  t->i[t->n] = i > j ? i : j;
  t->j[t->n] = i > j ? j : i;
  t->val[t->n++] = x;
}

void hki_entries_free(hk_entries *t) {
  hki_free(t->ctx, t->i);
  hki_free(t->ctx, t->j);
  hki_free(t->ctx, t->val);
  *t = (hk_entries){.ctx = t->ctx};
}

/* adds up repeated rows of a column in place and returns the new end */
static int32_t merge(hk_sym *A, int32_t from, int32_t to, int32_t end) {
  for (int32_t k = from; k < to; k++) {
    if (k > from && A->row[end - 1] == A->row[k]) {
      A->val[end - 1] += A->val[k];
    } else {
      A->row[end] = A->row[k], A->val[end] = A->val[k], end++;
    }
  }
  return end;
}

hk_status hki_sym_build(hk_pool *pool, const hk_entries *t, int32_t n, hk_sym *out) {
  hk_ctx *ctx = t->ctx;
  const int64_t m = t->n + n; // the diagonal is there too
  if (t->failed || m > INT32_MAX) return HK_E_MEMORY;
  *out = (hk_sym){.n = n};
  out->start = hki_pool_alloc(pool, ((size_t)n + 1) * sizeof *out->start);
  out->row = hki_pool_alloc(pool, (size_t)m * sizeof *out->row);
  out->val = hki_pool_alloc(pool, (size_t)m * sizeof *out->val);
  int32_t *count = hki_alloc(ctx, ((size_t)n + 1) * sizeof *count);
  int32_t *by_row = hki_alloc(ctx, (size_t)m * sizeof *by_row);
  const bool ok = out->start && out->row && out->val && count && by_row;
  if (ok) {
    // sorted by rows first, then stably by columns: entry number k >= t->n is the diagonal k - t->n
    for (int64_t k = 0; k < m; k++) count[(k < t->n ? t->i[k] : k - t->n) + 1]++;
    for (int32_t i = 0; i < n; i++) count[i + 1] += count[i];
    for (int64_t k = 0; k < m; k++) by_row[count[k < t->n ? t->i[k] : k - t->n]++] = (int32_t)k;
    memset(count, 0, ((size_t)n + 1) * sizeof *count);
    for (int64_t k = 0; k < m; k++) count[(k < t->n ? t->j[k] : k - t->n) + 1]++;
    for (int32_t i = 0; i < n; i++) count[i + 1] += count[i];
    memcpy(out->start, count, ((size_t)n + 1) * sizeof *count);
    for (int64_t s = 0; s < m; s++) {
      const int64_t k = by_row[s];
      const int32_t i = k < t->n ? t->i[k] : (int32_t)(k - t->n);
      const int32_t at = count[k < t->n ? t->j[k] : i]++;
      out->row[at] = i, out->val[at] = k < t->n ? t->val[k] : 0.0;
    }
    int32_t end = 0;
    for (int32_t j = 0; j < n; j++) {
      const int32_t from = out->start[j], to = out->start[j + 1];
      out->start[j] = end;
      end = merge(out, from, to, end);
    }
    out->start[n] = end;
  }
  hki_free(ctx, count);
  hki_free(ctx, by_row);
  return ok ? HK_OK : HK_E_MEMORY;
}

void hki_sym_mul(const hk_sym *A, const double *x, double *y) {
  memset(y, 0, (size_t)A->n * sizeof *y);
  for (int32_t j = 0; j < A->n; j++) {
    const int32_t end = A->start[j + 1];
    double sum = A->val[A->start[j]] * x[j];
    for (int32_t k = A->start[j] + 1; k < end; k++) {
      y[A->row[k]] += A->val[k] * x[j];
      sum += A->val[k] * x[A->row[k]];
    }
    y[j] += sum;
  }
}

int32_t hki_fe_find(const hk_fe *fe, int32_t label) {
  int32_t lo = 0, hi = fe->nnode - 1;
  while (lo <= hi) {
    const int32_t mid = lo + (hi - lo) / 2;
    if (fe->label[mid] == label) return mid;
    if (fe->label[mid] < label)
      lo = mid + 1;
    else
      hi = mid - 1;
  }
  return -1;
}

const hk_fe_set *hki_fe_set_find(const hk_fe *fe, const char *name) {
  for (int32_t i = 0; i < fe->nset; i++)
    if (strcasecmp(fe->set[i].name, name) == 0) return &fe->set[i];
  return NULL;
}

void hki_fe_middle(const hk_fe *fe, const hk_fe_set *set, double *c) {
  v3_zero(c);
  for (int32_t i = 0; i < set->n; i++)
    v3_axpy(c, 1.0 / set->n, fe->x + 3 * (ptrdiff_t)set->node[i]);
}

double hki_fe_spread(const hk_fe *fe, const hk_fe_set *set, const double *c, double *J, double *R) {
  memset(J, 0, 9 * sizeof *J);
  for (int32_t i = 0; i < set->n; i++) {
    double r[3];
    v3_sub(r, fe->x + 3 * (ptrdiff_t)set->node[i], c);
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) J[3 * a + b] += (a == b ? v3_dot(r, r) : 0.0) - r[a] * r[b];
  }
  m3_eigen_symmetric(J, R);
  const double low = fmin(fmin(J[0], J[4]), J[8]), top = fmax(fmax(J[0], J[4]), J[8]);
  return top > 0.0 ? low / top : 0.0;
}

/* names an entry that differs from its mirror image */
static hk_status not_symmetric(hk_ctx *ctx, hk_loc loc, const hk_fe *fe, int32_t i, int32_t j,
                               double below, double above) {
  return hki_error(
      ctx, HK_E_FILE, loc, "both triangles must be the same, or one of them be left out",
      "the matrix is not symmetric: node %d direction %d with node %d direction %d has "
      "%.9g on one side and %.9g on the other",
      (int)fe->label[fe->node[i]], fe->comp[i] + 1, (int)fe->label[fe->node[j]], fe->comp[j] + 1,
      below, above);
}

hk_status hki_sym_halves(hk_ctx *ctx, hk_loc loc, hk_pool *pool, const hk_fe *fe,
                         const hk_entries *low, hk_entries *up, hk_sym *out) {
  hk_sym other;
  bool lower = false;
  for (int64_t k = 0; k < low->n; k++) lower = lower || low->i[k] != low->j[k];
  // one triangle: with the diagonal
  if (up->n && !lower)
    for (int64_t k = 0; k < low->n; k++) hki_entries_add(up, low->i[k], low->j[k], low->val[k]);
  if (!up->n || !lower) return hki_sym_build(pool, lower ? low : up->n ? up : low, fe->ndof, out);
  hk_status st = hki_sym_build(pool, low, fe->ndof, out);
  if (st == HK_OK) st = hki_sym_build(pool, up, fe->ndof, &other);
  double top = 0.0;
  for (int32_t j = 0; st == HK_OK && j < out->n; j++)
    top = fmax(top, fabs(out->val[out->start[j]]));
  for (int32_t j = 0; st == HK_OK && j < out->n; j++) {
    int32_t a = out->start[j] + 1, b = other.start[j] + 1;
    while (st == HK_OK && (a < out->start[j + 1] || b < other.start[j + 1])) {
      const int32_t ia = a < out->start[j + 1] ? out->row[a] : INT32_MAX;
      const int32_t ib = b < other.start[j + 1] ? other.row[b] : INT32_MAX, i = ia < ib ? ia : ib;
      const double x = ia == i ? out->val[a++] : 0.0, y = ib == i ? other.val[b++] : 0.0;
      if (!(fabs(x - y) <= 1e-6 * top)) st = not_symmetric(ctx, loc, fe, i, j, x, y);
    }
  }
  return st;
}
