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
  b->U = HK_TAKE(a, double, all);
  b->V = HK_TAKE(a, double, all);
  b->Y = HK_TAKE(a, double, all);
  b->C = HK_TAKE(a, double, k *(size_t)hki_dense_ld(most));
  b->inv = HK_TAKE(a, double, k);
  b->work = HK_TAKE(a, double, (size_t)hki_dense_work(most));
  b->z = HK_TAKE(a, double, k);
  b->pivot = HK_TAKE(a, int32_t, k);
}

static double dot(int32_t n, const double *x, const double *y) {
  double sum = 0.0;
  for (int32_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

void hki_border_add(hk_border *b, double **U, double **V) {
  HK_ASSERT(b->rank < b->most);
  const size_t at = (size_t)b->rank++ * (size_t)b->n, size = (size_t)b->n * sizeof *b->U;
  *U = b->U + at, *V = b->V + at;
  memset(*U, 0, size);
  memset(*V, 0, size);
  b->ready = false;
}

hk_status hki_border_factor(hk_border *b, hk_border_solve solve, void *with) {
  const int32_t k = b->rank, ld = hki_dense_ld(k);
  const size_t n = (size_t)b->n;
  b->ready = false;
  if (!k) return HK_OK;
  memcpy(b->Y, b->U, (size_t)k * n * sizeof *b->Y);
  memset(b->C, 0, (size_t)(k * ld) * sizeof *b->C);
  for (int32_t j = 0; j < k; j++) {
    double *y = b->Y + (size_t)j * n;
    solve(with, y);
    for (int32_t i = 0; i < k; i++)
      b->C[j * ld + i] = dot(b->n, b->V + (size_t)i * n, y) + (i == j ? 1.0 : 0.0);
  }
  hk_status st = hki_dense_lu_factor(k, b->C, ld, b->pivot, b->inv, b->work, NULL);
  b->ready = st == HK_OK;
  return st;
}

void hki_border_apply(hk_border *b, double *x) {
  const int32_t k = b->rank;
  if (!k || !b->ready) return;
  for (int32_t i = 0; i < k; i++) b->z[i] = dot(b->n, b->V + (size_t)i * (size_t)b->n, x);
  hki_dense_lu_solve(k, b->C, hki_dense_ld(k), b->pivot, b->inv, b->z, b->work);
  for (int32_t i = 0; i < k; i++) {
    const double *y = b->Y + (size_t)i * (size_t)b->n, z = b->z[i];
    for (int32_t j = 0; j < b->n; j++) x[j] -= z * y[j];
  }
}

void hki_border_mul(hk_border *b, const double *x, double *r) {
  for (int32_t i = 0; i < b->rank; i++) {
    const double *U = b->U + (size_t)i * (size_t)b->n;
    const double z = dot(b->n, b->V + (size_t)i * (size_t)b->n, x);
    for (int32_t j = 0; j < b->n; j++) r[j] += z * U[j];
  }
}
