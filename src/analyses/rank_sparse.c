/* SPDX-License-Identifier: Apache-2.0
 *
 * rank_sparse.c: rank of one large group of rows by Givens rotations, row by row (A. George and M.
 * T. Heath, Solution of sparse linear least squares problems using Givens rotations, 1980).
 *
 * R has at most one row per leading column. A new row is rotated with the row of R that has the
 * same leading column, again and again, until it vanishes (it depends on the rows before) or its
 * leading column is not yet in R. Columns are in the elimination order of the machine's matrix,
 * which limits the fill. The right sides are rotated with the rows.
 */
#include <string.h>

#include "analyses/rank.h"

static const double tolerance = 1e-8; /* largest entry of a row that counts as zero */

/* a sparse row; entries ascend by column */
typedef struct srow {
  int32_t n, cap;
  int32_t *col;
  double *val;
  double rhs[HK_RANK_LEFT];
} srow;

static bool reserve(hk_ctx *ctx, srow *r, int32_t n) {
  int32_t cap = r->cap;
  if (!HK_GROW(ctx, r->col, cap, n)) return false;
  return HK_GROW(ctx, r->val, r->cap, n);
}

static void drop(hk_ctx *ctx, srow *r) {
  hki_free(ctx, r->col);
  hki_free(ctx, r->val);
}

/* Rotates r and w so that the leading entry of w vanishes. t1, t2: buffers that are exchanged with
 * those of r and w. */
static bool rotate(hk_ctx *ctx, srow *r, srow *w, srow *t1, srow *t2) {
  double h = hypot(r->val[0], w->val[0]), c = r->val[0] / h, s = w->val[0] / h;
  int32_t i = 0, j = 0, n1 = 0, n2 = 0;
  if (!reserve(ctx, t1, r->n + w->n) || !reserve(ctx, t2, r->n + w->n)) return false;
  while (i < r->n || j < w->n) {
    int32_t ci = i < r->n ? r->col[i] : INT32_MAX, cj = j < w->n ? w->col[j] : INT32_MAX;
    int32_t col = ci < cj ? ci : cj;
    double a = ci == col ? r->val[i++] : 0.0, b = cj == col ? w->val[j++] : 0.0;
    double x = c * a + s * b, y = c * b - s * a;
    t1->col[n1] = col;
    t1->val[n1++] = x;
    if (col == r->col[0] || fabs(y) <= 1e-17) continue;
    t2->col[n2] = col;
    t2->val[n2++] = y;
  }
  t1->n = n1;
  t2->n = n2;
  for (int k = 0; k < HK_RANK_LEFT; k++) {
    t1->rhs[k] = c * r->rhs[k] + s * w->rhs[k];
    t2->rhs[k] = c * w->rhs[k] - s * r->rhs[k];
  }
  srow x = *r;
  *r = *t1;
  *t1 = x;
  x = *w;
  *w = *t2;
  *t2 = x;
  return true;
}

/* largest entry */
static double largest(const srow *w) {
  double m = 0.0;
  for (int32_t i = 0; i < w->n; i++) m = fmax(m, fabs(w->val[i]));
  return m;
}

/* drops leading entries that are round-off */
static void trim(srow *w) {
  int32_t k = 0;
  while (k < w->n && fabs(w->val[k]) <= 0.01 * tolerance) k++;
  if (!k) return;
  memmove(w->col, w->col + k, (size_t)(w->n - k) * sizeof *w->col);
  memmove(w->val, w->val + k, (size_t)(w->n - k) * sizeof *w->val);
  w->n -= k;
}

/* reduces row i against R: it becomes a row of R or is marked as dependent. t: three buffers */
static hk_status reduce(hk_ctx *ctx, hk_rank_work *w, srow *R, int32_t i, srow *t) {
  srow *row = &t[0];
  int32_t n = w->first[i + 1] - w->first[i];
  if (!reserve(ctx, row, n + 1)) return HK_E_MEMORY;
  memcpy(row->col, w->col + w->first[i], (size_t)n * sizeof *row->col);
  memcpy(row->val, w->val + w->first[i], (size_t)n * sizeof *row->val);
  memcpy(row->rhs, w->rhs + HK_RANK_LEFT * i, sizeof row->rhs);
  row->n = n;
  for (;;) {
    trim(row);
    const double left = largest(row);
    if (left <= tolerance) {
      w->dep[i] = 1;
      memcpy(w->left + HK_RANK_LEFT * i, row->rhs, sizeof row->rhs);
      return HK_OK;
    }
    srow *r = &R[row->col[0]];
    if (!r->n) {
      srow x = *r;
      *r = *row;
      *row = x;
      w->rank++;
      w->least = fmin(w->least, left);
      return HK_OK;
    }
    if (!rotate(ctx, r, row, &t[1], &t[2])) return HK_E_MEMORY;
  }
}

hk_status hki_rank_sparse(hk_ctx *ctx, hk_rank_work *w) {
  srow *R = hki_alloc(ctx, (size_t)(w->n + 1) * sizeof *R), t[3] = {0};
  hk_status st = R ? HK_OK : HK_E_MEMORY;
  const volatile int *stop = hki_stop_flag(ctx);
  w->rank = 0;
  w->least = INFINITY;
  for (int32_t i = 0; st == HK_OK && i < w->m; i++) {
    st = *stop ? HK_INTERRUPTED : reduce(ctx, w, R, i, t);
    w->with[(size_t)i * (1 + HK_RANK_WITH)] = 0;
  }
  for (int32_t j = 0; R && j < w->n; j++) drop(ctx, &R[j]);
  for (int k = 0; k < 3; k++) drop(ctx, &t[k]);
  hki_free(ctx, R);
  return st;
}
