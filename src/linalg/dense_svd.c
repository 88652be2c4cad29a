/* SPDX-License-Identifier: Apache-2.0
 *
 * dense_svd.c: singular value decomposition A = U S V' by one-sided Jacobi rotations. Pairs of
 * columns of A are rotated until all columns are orthogonal: A V = U S, with V the product of the
 * rotations. Small singular values have high relative accuracy; the columns of V that belong to
 * zero columns of A V span the null space.
 *
 * Source: Golub and Van Loan, Matrix Computations, 8.6.3; Demmel and Veselic 1992.
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"

enum { MOST_SWEEPS = 40 };

static double dot(int32_t n, const double *x, const double *y) {
  double sum = 0.0;
  for (int32_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

static void rotate(int32_t n, double *x, double *y, double c, double s) {
  for (int32_t i = 0; i < n; i++) {
    const double a = x[i], b = y[i];
    x[i] = c * a - s * b;
    y[i] = s * a + c * b;
  }
}

/* rotate columns x, y of A (and vx, vy of V) until x, y are orthogonal; false: they already were */
static bool turn_pair(int32_t m, int32_t n, double *x, double *y, double *vx, double *vy,
                      double tiny) {
  const double a = dot(m, x, x), b = dot(m, y, y), g = dot(m, x, y);
  if (a <= tiny && b <= tiny) return false;
  if (fabs(g) <= 1e-15 * sqrt(a * b) || fabs(g) <= tiny) return false;
  const double zeta = (b - a) / (2.0 * g);
  const double t = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
  const double c = 1.0 / sqrt(1.0 + t * t), s = c * t;
  rotate(m, x, y, c, s);
  rotate(n, vx, vy, c, s);
  return true;
}

static void swap(int32_t n, double *x, double *y) {
  for (int32_t i = 0; i < n; i++) {
    const double a = x[i];
    x[i] = y[i], y[i] = a;
  }
}

/* sort s, largest first, and the columns of A and V with it */
static void sort(int32_t m, int32_t n, double *A, int32_t ld, double *s, double *V, int32_t ldv) {
  for (int32_t k = 0; k < n; k++) {
    int32_t top = k;
    for (int32_t j = k + 1; j < n; j++)
      if (s[j] > s[top]) top = j;
    if (top == k) continue;
    swap(1, s + k, s + top);
    swap(m, A + (size_t)k * (size_t)ld, A + (size_t)top * (size_t)ld);
    swap(n, V + (size_t)k * (size_t)ldv, V + (size_t)top * (size_t)ldv);
  }
}

bool hki_dense_svd(int32_t m, int32_t n, double *A, int32_t ld, double *s, double *V, int32_t ldv) {
  double all = 0.0;
  bool moved = true;
  for (int32_t j = 0; j < n; j++) {
    memset(V + (size_t)j * (size_t)ldv, 0, (size_t)n * sizeof *V);
    V[(size_t)j + (size_t)j * (size_t)ldv] = 1.0;
    all += dot(m, A + (size_t)j * (size_t)ld, A + (size_t)j * (size_t)ld);
  }
  // a column whose squared length is below this is round-off of the matrix
  const double tiny = 1e-32 * all;
  for (int sweep = 0; moved && sweep < MOST_SWEEPS; sweep++) {
    moved = false;
    for (int32_t i = 0; i < n; i++)
      for (int32_t j = i + 1; j < n; j++)
        moved |= turn_pair(m, n, A + (size_t)i * (size_t)ld, A + (size_t)j * (size_t)ld,
                           V + (size_t)i * (size_t)ldv, V + (size_t)j * (size_t)ldv, tiny);
  }
  for (int32_t j = 0; j < n; j++)
    s[j] = sqrt(dot(m, A + (size_t)j * (size_t)ld, A + (size_t)j * (size_t)ld));
  sort(m, n, A, ld, s, V, ldv);
  return !moved && isfinite(all);
}

bool hki_dense_least(int32_t m, int32_t n, double *A, double tolerance, double *s, double *V,
                     const double *r, double *x) {
  double size = 0.0, norm = 0.0;
  memset(x, 0, (size_t)n * sizeof *x);
  if (!hki_dense_svd(m, n, A, m, s, V, n)) return false;
  for (int32_t k = 0; k < n && s[k] > tolerance * s[0]; k++) {
    const double *u = A + (size_t)k * (size_t)m, *v = V + (size_t)k * (size_t)n;
    double c = 0.0;
    for (int32_t i = 0; i < m; i++) c += u[i] * r[i];
    c /= s[k] * s[k];
    for (int32_t i = 0; i < n; i++) x[i] += c * v[i];
    size += c * c * s[k] * s[k];
  }
  for (int32_t i = 0; i < m; i++) norm += r[i] * r[i];
  // |r|^2 less that of its part in the columns' space is what remains
  return norm - size <= 1e-14 * norm;
}

bool hki_dense_null(int32_t m, int32_t n, double *A, double tolerance, double *s, double *V,
                    const double *x, double *t) {
  double before = 0.0, after = 0.0;
  if (!hki_dense_svd(m, n, A, m, s, V, n)) return false;
  memcpy(t, x, (size_t)n * sizeof *t);
  for (int32_t k = 0; k < n && s[k] > tolerance * s[0]; k++) {
    const double *v = V + (size_t)k * (size_t)n;
    double c = 0.0;
    for (int32_t i = 0; i < n; i++) c += v[i] * t[i];
    for (int32_t i = 0; i < n; i++) t[i] -= c * v[i];
  }
  for (int32_t i = 0; i < n; i++) before += x[i] * x[i], after += t[i] * t[i];
  if (!(after > 1e-16 * before)) return false;
  for (int32_t i = 0; i < n; i++) t[i] /= sqrt(after);
  return true;
}

int32_t hki_dense_sign(int32_t n, double *A) {
  int32_t sign = 1;
  for (int32_t k = 0; k < n; k++) {
    double *col = A + (size_t)k * (size_t)n;
    int32_t p = k;
    for (int32_t i = k + 1; i < n; i++)
      if (fabs(col[i]) > fabs(col[p])) p = i;
    if (!(fabs(col[p]) > 0.0)) return 0;
    if ((col[p] < 0.0) != (p != k)) sign = -sign;
    for (int32_t j = k; j < n; j++) {
      double *c = A + (size_t)j * (size_t)n;
      const double x = c[p];
      c[p] = c[k], c[k] = x;
      if (j == k) continue;
      for (int32_t i = k + 1; i < n; i++) c[i] -= col[i] / col[k] * x;
    }
  }
  return sign;
}
