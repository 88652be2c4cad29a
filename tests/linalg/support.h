/* SPDX-License-Identifier: Apache-2.0
 *
 * Helpers of the linear-algebra tests: repeatable random numbers, dense reference matrices.
 */
#ifndef HK_TESTS_LINALG_SUPPORT_H
#define HK_TESTS_LINALG_SUPPORT_H

#include "linalg/pattern.h"
#include "linalg/sparse_ldl.h"

/* uniform in [-1, 1), repeatable */
double t_random(uint64_t *state);
int32_t t_random_int(uint64_t *state, int32_t below);

/* textbook solve of A x = b, Gaussian elimination with partial pivoting, A row-major n x n (both
 * are overwritten); false when singular */
bool t_gauss(int32_t n, double *A, double *b);

/* max |A x - b| / (max row sum |A| * max |x| + max |b|) */
double t_residual(int32_t n, const double *A, const double *x, const double *b);

/* a pattern made into a dense 0/1 mask, row-major, symmetric */
void t_mask(const hk_pattern *p, char *mask);

/* symmetric random matrix on the mask, diagonally dominant with the given signs (NULL: all +) */
void t_fill_dominant(int32_t n, const char *mask, const double *sign, uint64_t *state, double *A);

#endif
