/* SPDX-License-Identifier: Apache-2.0
 *
 * lapack.h: eigenvalues of dense matrices by LAPACK, which is loaded when it is first needed: most runs
 * never do, and loading it takes longer than the start of a command.
 */
#ifndef HK_LINALG_LAPACK_H
#define HK_LINALG_LAPACK_H

#include "base/base.h"

/* Eigenvalues re + i im (n each) of A (n x n, column-major, overwritten), balanced first, with left and
 * right eigenvectors as LAPACK's dgeevx writes them: of a pair, real part and imaginary part in two
 * columns. HK_E_FILE: LAPACK cannot be loaded, HK_E_NUMBER: no convergence; `why` (cap bytes) says so. */
hk_status hki_eigen(hk_ctx *ctx, int32_t n, double *A, double *re, double *im, double *left,
                    double *right, char *why, size_t cap);

/* what helps after that status, NULL: nothing to say */
static inline const char *hki_eigen_hint(hk_status st) {
  return st == HK_E_FILE ? "install it: apt install liblapack3" : NULL;
}

#endif
