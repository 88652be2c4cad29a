/* SPDX-License-Identifier: Apache-2.0
 *
 * border.c: see border.h.
 */
#include "linalg/border.h"
#include "linalg/dense.h"

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

static double dot(int32_t n, const double *x, const double *y) {
  double sum = 0.0;
  for (int32_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* g = V' y: two rows of V at a time, which read y once */
static void dots(const hk_border *b, const double *y, double *g) {
  const size_t n = (size_t)b->n;
  const double *V = b->V;
  int32_t i = 0;
  for (; i + 2 <= b->rank; i += 2, V += 2 * n) {
    const double *W = V + n;
    double s0 = 0.0, s1 = 0.0;
    for (size_t k = 0; k < n; k++) s0 += V[k] * y[k], s1 += W[k] * y[k];
    g[i] = s0, g[i + 1] = s1;
  }
  if (i < b->rank) g[i] = dot(b->n, V, y);
}

static bool is_zero(int32_t n, const double *x) {
  for (int32_t i = 0; i < n; i++)
    if (x[i] != 0.0) return false;
  return true;
}

void hki_border_add(hk_border *b, double **U, double **V) {
  HK_ASSERT(b->rank < b->most);
  const size_t at = (size_t)b->rank++ * (size_t)b->n, size = (size_t)b->n * sizeof *b->U;
  *U = b->U + at, *V = b->V + at;
  memset(*U, 0, size);
  memset(*V, 0, size);
  b->ready = false;
}

/* LU of 1 + G, for p = s */
static hk_status factor_plain(hk_border *b) {
  const int32_t k = b->rank, ld = hki_dense_ld(k);
  memset(b->C, 0, (size_t)(k * ld) * sizeof *b->C);
  for (int32_t j = 0; j < k; j++)
    for (int32_t i = 0; i < k; i++) b->C[j * ld + i] = b->G[i + b->most * j] + (i == j ? 1.0 : 0.0);
  hk_status st = hki_dense_lu_factor(k, b->C, ld, b->pivot, b->inv, b->work, NULL);
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
