/* SPDX-License-Identifier: Apache-2.0
 *
 * border.c: see border.h.
 */
#include "linalg/border.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

void hki_border_layout(hk_border *b, int32_t n, int32_t most, hk_arena *a) {
  const size_t k = (size_t)most, all = k * (size_t)n;
  b->n = n;
  b->most = most;
  b->unit = 1.0;
  b->term = HK_TAKE(a, hk_border_term, k);
  b->U = HK_TAKE(a, double, all);
  b->V = HK_TAKE(a, double, all);
  b->Y = HK_TAKE(a, double, all);
  b->G = HK_TAKE(a, double, k *k);
  b->C = HK_TAKE(a, double, k *(size_t)hki_dense_ld(most));
  b->inv = HK_TAKE(a, double, k);
  b->work = HK_TAKE(a, double, (size_t)hki_dense_work(most));
  b->s = HK_TAKE(a, double, k);
  b->p = HK_TAKE(a, double, 2 * k);
  b->e = HK_TAKE(a, double, k);
  for (size_t i = 0; b->e && i < k; i++) b->e[i] = 0.0;
  b->pivot = HK_TAKE(a, int32_t, k);
}

/* g = V' y of `rows` rows of V, which read y once */
HKI_INLINE const double *dots_of(int rows, size_t n, const double *V, const double *y, double *g) {
  double sum[6] = {0};
  for (size_t k = 0; k < n; k++)
    for (int i = 0; i < rows; i++) sum[i] += V[(size_t)i * n + k] * y[k];
  for (int i = 0; i < rows; i++) g[i] = sum[i];
  return V + (size_t)rows * n;
}

/* g = V' y */
static void dots(const hk_border *b, const double *y, double *g) {
  const size_t n = (size_t)b->n;
  const double *V = b->V;
  int32_t i = 0;
  for (; i + 6 <= b->rank; i += 6) V = dots_of(6, n, V, y, g + i);
  for (; i + 2 <= b->rank; i += 2) V = dots_of(2, n, V, y, g + i);
  if (i < b->rank) (void)dots_of(1, n, V, y, g + i);
}

static bool is_zero(int32_t n, const double *x) {
  for (int32_t i = 0; i < n; i++)
    if (x[i] != 0.0) return false;
  return true;
}

void hki_border_add(hk_border *b, double **U, double **V) {
  HK_ASSERT(b->rank < b->most);
  const size_t at = (size_t)b->rank * (size_t)b->n, all = (size_t)b->most * (size_t)b->n;
  // all of them at once
  if (b->rank++ == 0) memset(b->U, 0, all * sizeof *b->U), memset(b->V, 0, all * sizeof *b->V);
  *U = b->U + at, *V = b->V + at;
  b->ready = false;
}

/* so few terms are solved by plain loops, since kernels for large matrices take longer to begin */
enum { FEW = 8 };

HKI_INLINE void exchange(double *x, double *y) {
  const double z = *x;
  *x = *y, *y = z;
}

/* LU of k columns, k apart, of a matrix of k rows, column by column from the ones before, with the largest pivot of each;
 * inv: 1/pivots */
static hk_status factor_few(int32_t k, double *A, int32_t *pivot, double *inv) {
  for (int32_t j = 0; j < k; j++) {
    double *a = A + k * j;
    int32_t p = j;
    for (int32_t m = 0; m < j; m++)
      if (pivot[m] != m) exchange(&a[m], &a[pivot[m]]);
    for (int32_t i = 1; i < k; i++) {
      double sum = a[i];
      for (int32_t m = 0; m < i && m < j; m++) sum -= A[k * m + i] * a[m];
      a[i] = sum;
    }
    for (int32_t i = j + 1; i < k; i++)
      if (fabs(a[i]) > fabs(a[p])) p = i;
    pivot[j] = p;
    if (!(fabs(a[p]) > 0.0) || !isfinite(a[p])) return HK_E_SINGULAR;
    for (int32_t c = 0; p != j && c <= j; c++) exchange(&A[k * c + j], &A[k * c + p]);
    inv[j] = 1.0 / a[j];
    for (int32_t i = j + 1; i < k; i++) a[i] *= inv[j];
  }
  return HK_OK;
}

static void solve_few(int32_t k, const double *A, const int32_t *pivot, const double *inv,
                      double *x) {
  for (int32_t j = 0; j < k; j++)
    if (pivot[j] != j) exchange(&x[j], &x[pivot[j]]);
  for (int32_t i = 1; i < k; i++) {
    double sum = x[i];
    for (int32_t m = 0; m < i; m++) sum -= A[k * m + i] * x[m];
    x[i] = sum;
  }
  for (int32_t i = k - 1; i >= 0; i--) {
    double sum = x[i];
    for (int32_t m = i + 1; m < k; m++) sum -= A[k * m + i] * x[m];
    x[i] = sum * inv[i];
  }
}

/* LU of 1 + G, for p = s */
static hk_status factor_plain(hk_border *b) {
  const int32_t k = b->rank, ld = k <= FEW ? k : hki_dense_ld(k);
  if (ld > k) memset(b->C, 0, (size_t)(k * ld) * sizeof *b->C);
  for (int32_t j = 0; j < k; j++) {
    const double *g = b->G + (size_t)b->most * (size_t)j;
    for (int32_t i = 0; i < k; i++) b->C[j * ld + i] = g[i];
    b->C[j * ld + j] += 1.0;
  }
  hk_status st = k <= FEW ? factor_few(k, b->C, b->pivot, b->inv)
                          : hki_dense_lu_factor(k, b->C, ld, b->pivot, b->inv, b->work, NULL);
  b->negative = false;
  for (int32_t i = 0; st == HK_OK && i < k; i++)
    b->negative ^= (b->pivot[i] != i) != (b->inv[i] < 0.0);
  return st;
}

hk_status hki_border_factor(hk_border *b, hk_border_solve solve, void *with) {
  const int32_t k = b->rank;
  const size_t n = (size_t)b->n;
  if (b->keep) return HK_OK;
  b->ready = false;
  if (!k && !b->core.factor) return HK_OK;
  if (k) memcpy(b->Y, b->U, (size_t)k * n * sizeof *b->Y);
  for (int32_t j = 0; j < k; j++) {
    double *y = b->Y + (size_t)j * n;
    // terms that only sense
    if (!is_zero(b->n, y)) solve(with, y);
    dots(b, y, b->G + (size_t)b->most * (size_t)j);
  }
  hk_status st = b->core.factor ? b->core.factor(b->core.with, b) : factor_plain(b);
  b->ready = st == HK_OK;
  return st;
}

/* p from b->s = V' x0 */
static void forces(hk_border *b, double *p) {
  if (b->core.factor) {
    b->core.solve(b->core.with, b, b->s, p);
    return;
  }
  const int32_t k = b->rank;
  memcpy(p, b->s, (size_t)k * sizeof *p);
  if (k <= FEW)
    solve_few(k, b->C, b->pivot, b->inv, p);
  else
    hki_dense_lu_solve(k, b->C, hki_dense_ld(k), b->pivot, b->inv, p, b->work);
}

/* x -= Y p */
static void follow(const hk_border *b, const double *p, double *x) {
  for (int32_t i = 0; i < b->rank; i++) {
    const double *y = b->Y + (size_t)i * (size_t)b->n, z = p[i];
    for (int32_t j = 0; j < b->n; j++) x[j] -= z * y[j];
  }
}

void hki_border_forces(hk_border *b, double *p) {
  memcpy(b->s, p, (size_t)b->rank * sizeof *p);
  forces(b, p);
}

void hki_border_apply(hk_border *b, double *x) {
  if (!b->ready) return;
  dots(b, x, b->s);
  for (int32_t i = 0; i < b->rank; i++) b->s[i] += b->e[i];
  forces(b, b->p);
  follow(b, b->p, x);
}

void hki_border_start(hk_border *b) {
  for (int32_t i = 0; i < b->rank; i++) b->p[i] = 0.0;
}

void hki_border_load(const hk_border *b, double *r) {
  for (int32_t i = 0; i < b->rank; i++) {
    const double *U = b->U + (size_t)i * (size_t)b->n;
    for (int32_t j = 0; j < b->n; j++) r[j] += b->p[i] * U[j];
  }
}

void hki_border_pass(hk_border *b, const double *at, const double *from, double *x) {
  double *change = b->p + b->most;
  if (!b->ready) return;
  for (int32_t i = 0; i < b->rank; i++) {
    const double *V = b->V + (size_t)i * (size_t)b->n;
    double sum = b->e[i];
    for (int32_t j = 0; j < b->n; j++) sum += V[j] * (at[j] - from[j] + x[j]);
    // what p has done so far is in the sum
    for (int32_t j = 0; j < b->rank; j++) sum += b->G[i + b->most * j] * b->p[j];
    b->s[i] = sum;
  }
  forces(b, change);
  for (int32_t i = 0; i < b->rank; i++) {
    const double p = change[i];
    change[i] -= b->p[i];
    b->p[i] = p;
  }
  follow(b, change, x);
}
