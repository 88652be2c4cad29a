/* SPDX-License-Identifier: Apache-2.0
 *
 * eigen.h: eigenvalues of symmetric pairs A x = lambda B x: all of a small dense one, the lowest of a large
 * sparse one.
 */
#ifndef HK_FLEX_EIGEN_H
#define HK_FLEX_EIGEN_H

#include "flex/fe.h"

/* All, ascending, of n x n row-major A (symmetric) and B (positive definite), both overwritten: lambda[n], X n x n
 * with vector k in column k, X'BX = 1. work: n numbers. HK_E_SINGULAR: B is not positive definite. */
hk_status hki_sym_eigen(int32_t n, double *A, double *B, double *lambda, double *X, double *work);

/* The `want` lowest of sparse K (positive definite) and M, ascending: lambda[want], X want x n, vector k at
 * n k, X M X' = 1. solve: x := K^-1 x. */
typedef void hk_solve(void *user, double *x);
hk_status hki_sym_lowest(hk_ctx *ctx, const hk_sym *M, hk_solve *solve, void *user, int32_t want,
                         double *lambda, double *X);

#endif
