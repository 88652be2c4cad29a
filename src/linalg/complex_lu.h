/* SPDX-License-Identifier: Apache-2.0
 *
 * complex_lu.h: sparse LU of a complex matrix by compressed columns, for shifts of eigenvalue problems.
 * Complex numbers are pairs of real ones.
 */
#ifndef HK_LINALG_COMPLEX_LU_H
#define HK_LINALG_COMPLEX_LU_H

#include "base/base.h"

typedef struct hk_complex_lu hk_complex_lu;

/* factors the matrix with values val (2 start[n]); start and row must live as long. HK_E_SINGULAR, HK_E_MEMORY,
 * HK_E_USAGE: this build has no sparse solver. destroy takes NULL too. */
hk_status hki_complex_lu_create(hk_ctx *ctx, int32_t n, int32_t *start, int32_t *row, double *val,
                                hk_complex_lu **out);
void hki_complex_lu_destroy(hk_complex_lu *s);
/* x (2 n): right side in, solution out */
void hki_complex_lu_solve(hk_complex_lu *s, double *x);
/* entries of both factors */
double hki_complex_lu_entries(const hk_complex_lu *s);

#endif
