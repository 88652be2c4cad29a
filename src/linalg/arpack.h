/* SPDX-License-Identifier: Apache-2.0
 *
 * arpack.h: some eigenvalues of a large matrix by ARPACK, which is loaded when it is first needed. The matrix is
 * known by its products alone. Complex numbers are pairs of real ones.
 */
#ifndef HK_LINALG_ARPACK_H
#define HK_LINALG_ARPACK_H

#include "base/base.h"

/* y = A x, 2 n numbers each */
typedef void hk_product(void *user, const double *x, double *y);

/* The `want` eigenvalues of largest magnitude of an n x n matrix, n >= want + 2: theta (2 want), vectors X
 * (2 n want, one after the other), from the vector `first` (2 n) on. *found: how many have converged. HK_E_FILE: ARPACK
 * cannot be loaded, HK_E_NUMBER: none has converged, HK_INTERRUPTED; `why` (cap bytes) says so. */
hk_status hki_arnoldi(hk_ctx *ctx, int32_t n, int32_t want, hk_product *product, void *user,
                      const double *first, double *theta, double *X, int32_t *found, char *why,
                      size_t cap);

/* what helps after that status, NULL: nothing to say */
static inline const char *hki_arnoldi_hint(hk_status st) {
  return st == HK_E_FILE ? "install it: apt install libarpack2" : NULL;
}

#endif
