/* SPDX-License-Identifier: Apache-2.0
 *
 * dense.c: calls the dense kernels of the widest vectors that this processor has.
 */
#include "linalg/dense.h"
#include "linalg/kernels.h"

hk_status hki_dense_ldl_factor(int32_t n, double *A, int32_t ld, double *inv, double *work,
                               int32_t *bad) {
  return hki_kernels_best()->dense_ldl_factor(n, A, ld, inv, work, bad);
}

void hki_dense_ldl_solve(int32_t n, const double *A, int32_t ld, const double *inv, double *x,
                         double *work) {
  hki_kernels_best()->dense_ldl_solve(n, A, ld, inv, x, work);
}

hk_status hki_dense_lu_factor(int32_t n, double *A, int32_t ld, int32_t *pivot, double *inv,
                              double *work, int32_t *bad) {
  return hki_kernels_best()->dense_lu_factor(n, A, ld, pivot, inv, work, bad);
}

void hki_dense_lu_solve(int32_t n, const double *A, int32_t ld, const int32_t *pivot,
                        const double *inv, double *x, double *work) {
  hki_kernels_best()->dense_lu_solve(n, A, ld, pivot, inv, x, work);
}

void hki_dense_mul(int32_t m, int32_t n, const double *A, int32_t ld, const double *x, double *y) {
  hki_kernels_best()->dense_mul(m, n, A, ld, x, y);
}

void hki_dense_mul_t(int32_t m, int32_t n, const double *A, int32_t ld, const double *x,
                     double *y) {
  hki_kernels_best()->dense_mul_t(m, n, A, ld, x, y);
}
