/* SPDX-License-Identifier: Apache-2.0
 *
 * dense_qr.c: rank-revealing QR and complete orthogonal decomposition.
 *
 * Reflections H = I - tau v v' with v_0 = 1. Column pivoting takes the longest remaining column;
 * its length is updated after each reflection and computed anew when cancellation has eaten it
 * (Golub and Van Loan, 5.4.2; the safeguard of Drmac and Bujanovic, ACM TOMS 35, 2008). The upper
 * trapezoid [R11 R12] becomes [T 0] by reflections from the right, last row first; their vectors
 * replace R12.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"

void hki_qr_layout(hk_arena *arena, int32_t m, int32_t n, hk_qr *q) {
  int32_t k = m < n ? m : n, big = m > n ? m : n;
  memset(q, 0, sizeof *q);
  q->m = m, q->n = n, q->ld = hki_dense_ld(m);
  q->a = HK_TAKE(arena, double, (size_t)q->ld *(size_t)n);
  q->tau = HK_TAKE(arena, double, k);
  q->ztau = HK_TAKE(arena, double, k);
  q->perm = HK_TAKE(arena, int32_t, n);
  q->norm = HK_TAKE(arena, double, 2 * n);
  q->work = HK_TAKE(arena, double, big);
}

/* length of x with stride, safe from overflow */
static double length(int32_t n, const double *x, int32_t stride) {
  double big = 0.0, sum = 0.0;
  for (int32_t i = 0; i < n; i++) {
    double a = fabs(x[(size_t)i * (size_t)stride]);
    if (!(a <= DBL_MAX)) return NAN;
    if (a > big) big = a;
  }
  if (big == 0.0) return 0.0;
  double scale = 1.0 / big;
  if (!(scale <= DBL_MAX)) return big;
  for (int32_t i = 0; i < n; i++) {
    double a = x[(size_t)i * (size_t)stride] * scale;
    sum += a * a;
  }
  return big * sqrt(sum);
}

/* reflection that makes (alpha, x) into (beta, 0): alpha becomes beta, x the vector v without its
 * leading 1; returns tau */
static double make_reflection(double *alpha, int32_t n, double *x, int32_t stride) {
  double tail = length(n, x, stride);
  if (tail == 0.0) return 0.0;
  double beta = -copysign(hypot(*alpha, tail), *alpha), tau = (beta - *alpha) / beta;
  double scale = 1.0 / (*alpha - beta);
  for (int32_t i = 0; i < n; i++) x[(size_t)i * (size_t)stride] *= scale;
  *alpha = beta;
  return tau;
}

/* (1, v)' applied to (c0, c): c -= tau (c0 + v'c) (1, v) */
static void reflect(double tau, int32_t n, const double *v, double *c0, double *c) {
  double sum = *c0;
  if (tau == 0.0) return;
  for (int32_t i = 0; i < n; i++) sum += v[i] * c[i];
  sum *= tau;
  *c0 -= sum;
  for (int32_t i = 0; i < n; i++) c[i] -= sum * v[i];
}

static void swap_columns(hk_qr *q, int32_t j, int32_t k) {
  double *a = q->a + (size_t)j * (size_t)q->ld, *b = q->a + (size_t)k * (size_t)q->ld;
  for (int32_t i = 0; i < q->m; i++) {
    double t = a[i];
    a[i] = b[i], b[i] = t;
  }
  int32_t p = q->perm[j];
  q->perm[j] = q->perm[k], q->perm[k] = p;
  q->norm[k] = q->norm[j], q->norm[q->n + k] = q->norm[q->n + j];
}

/* lengths of the columns after j below row j */
static void update_norms(hk_qr *q, int32_t j) {
  double *now = q->norm, *exact = q->norm + q->n;
  for (int32_t k = j + 1; k < q->n; k++) {
    if (now[k] == 0.0) continue;
    const double *col = q->a + (size_t)k * (size_t)q->ld;
    double ratio = fabs(col[j]) / now[k], left = fmax(0.0, (1.0 - ratio) * (1.0 + ratio));
    double drift = now[k] / exact[k];
    if (left * drift * drift <= 1.5e-8) {
      now[k] = exact[k] = length(q->m - j - 1, col + j + 1, 1);
    } else {
      now[k] *= sqrt(left);
    }
  }
}

/* [R11 R12] -> [T 0] by reflections of row i against the columns after the rank */
static void reduce_rows(hk_qr *q) {
  int32_t r = q->rank, extra = q->n - r;
  size_t ld = (size_t)q->ld;
  if (extra == 0) return;
  for (int32_t i = r - 1; i >= 0; i--) {
    double *row = q->a + i + (size_t)r * ld;
    q->ztau[i] = make_reflection(q->a + i + (size_t)i * ld, extra, row, q->ld);
    if (q->ztau[i] == 0.0) continue;
    for (int32_t k = 0; k < i; k++) {
      double *c0 = q->a + k + (size_t)i * ld, *c = q->a + k + (size_t)r * ld, sum = *c0;
      for (int32_t e = 0; e < extra; e++) sum += row[(size_t)e * ld] * c[(size_t)e * ld];
      sum *= q->ztau[i];
      *c0 -= sum;
      for (int32_t e = 0; e < extra; e++) c[(size_t)e * ld] -= sum * row[(size_t)e * ld];
    }
  }
}

int32_t hki_qr_factor(hk_qr *q, double tol) {
  int32_t m = q->m, n = q->n, most = m < n ? m : n, big = m > n ? m : n;
  double longest = 0.0;
  if (tol <= 0.0) tol = DBL_EPSILON * big;
  q->rank = 0;
  for (int32_t k = 0; k < n; k++) {
    q->perm[k] = k;
    double len = length(m, q->a + (size_t)k * (size_t)q->ld, 1);
    if (!(len <= DBL_MAX)) return -1;
    q->norm[k] = q->norm[n + k] = len;
    if (len > longest) longest = len;
  }
  for (int32_t j = 0; j < most; j++) {
    int32_t p = j;
    for (int32_t k = j + 1; k < n; k++)
      if (q->norm[k] > q->norm[p]) p = k;
    if (!(q->norm[p] > tol * longest)) break;
    if (p != j) swap_columns(q, j, p);
    double *col = q->a + (size_t)j * (size_t)q->ld;
    q->tau[j] = make_reflection(col + j, m - j - 1, col + j + 1, 1);
    // the updated length may have been too kind to this column
    if (!(fabs(col[j]) > tol * longest)) break;
    q->rank = j + 1;
    for (int32_t k = j + 1; k < n; k++) {
      double *c = q->a + (size_t)k * (size_t)q->ld;
      reflect(q->tau[j], m - j - 1, col + j + 1, c + j, c + j + 1);
    }
    update_norms(q, j);
  }
  reduce_rows(q);
  return q->rank;
}

/* x = Z' x, x in the order of A P */
static void apply_zt(const hk_qr *q, double *x) {
  int32_t r = q->rank, extra = q->n - r;
  size_t ld = (size_t)q->ld;
  if (extra == 0) return;
  for (int32_t i = 0; i < r; i++) {
    const double *row = q->a + i + (size_t)r * ld;
    double sum = x[i];
    for (int32_t e = 0; e < extra; e++) sum += row[(size_t)e * ld] * x[r + e];
    sum *= q->ztau[i];
    x[i] -= sum;
    for (int32_t e = 0; e < extra; e++) x[r + e] -= sum * row[(size_t)e * ld];
  }
}

double hki_qr_solve(hk_qr *q, const double *b, double *x) {
  int32_t m = q->m, n = q->n, r = q->rank;
  double *y = q->work;
  if (m) memcpy(y, b, (size_t)m * sizeof *y);
  // y = Q' b, then T z = the first part
  for (int32_t j = 0; j < r; j++) {
    const double *col = q->a + (size_t)j * (size_t)q->ld;
    reflect(q->tau[j], m - j - 1, col + j + 1, y + j, y + j + 1);
  }
  double rest = length(m - r, y + r, 1);
  for (int32_t j = r - 1; j >= 0; j--) {
    const double *col = q->a + (size_t)j * (size_t)q->ld;
    y[j] /= col[j];
    for (int32_t i = 0; i < j; i++) y[i] -= col[i] * y[j];
  }
  for (int32_t j = r; j < n; j++) y[j] = 0.0;
  apply_zt(q, y);
  for (int32_t j = 0; j < n; j++) x[q->perm[j]] = y[j];
  return rest;
}

void hki_qr_null_space(hk_qr *q, double *N, int32_t ldn) {
  double *y = q->work;
  for (int32_t k = q->rank; k < q->n; k++) {
    double *col = N + (size_t)(k - q->rank) * (size_t)ldn;
    for (int32_t j = 0; j < q->n; j++) y[j] = j == k ? 1.0 : 0.0;
    apply_zt(q, y);
    for (int32_t j = 0; j < q->n; j++) col[q->perm[j]] = y[j];
  }
}
