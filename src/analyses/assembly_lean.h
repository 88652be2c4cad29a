/* SPDX-License-Identifier: Apache-2.0
 *
 * assembly_lean.h: the matrix T of the assembly for deep trees with loops, without the matrix of the tree. The same T, in memory
 * and time that are in proportion to the bodies:
 *
 *   T = M + E + Phi_z' alpha Phi_z + N' beta N          positions, and rates in the mass metric: by fronts (front.h); E diagonal
 *   T = R'R + second P + Phi_z' alpha Phi_z + N' beta N      relative rates: no M in it, so that it couples what the paths of
 *                                                            closures, joint rates and named values couple and is sparse
 *
 * In the second a row with a long path is an unknown y of its own, as in fronts, which leaves the matrix quasi-definite:
 *
 *   [ T   g   ] [x]   [b]
 *   [ g' -1/w ] [y] = [0]               x = (T + g w g')^-1 b
 *
 * Internal to the room.
 */
#ifndef HK_ANALYSES_ASSEMBLY_LEAN_H
#define HK_ANALYSES_ASSEMBLY_LEAN_H

#include "analyses/assembly_impl.h"

/* For the rows of A, positions and rates, and its rate metric, which are known; memory in A->pool but for what hki_lean_free frees. */
hk_status hki_lean_create(assembler *A, hk_lean **out);
void hki_lean_free(hk_lean *l);
/* *suits: is it the better choice for the model and these rows (NULL: none)? */
hk_status hki_lean_suits(hk_ctx *ctx, const hk_model *m, const hk_named *rows, int32_t n,
                         bool *suits);
/* bytes, about */
hk_status hki_lean_bytes(hk_ctx *ctx, const hk_model *m, double *bytes);

/* The terms of T one after the other, as assembly_matrix.c has them: M with s->mass; the diagonal of relative rates; E and
 * what else there is on the diagonal. Then the rows, with penalties s->alpha and those of A->rows, and the factor. */
void hki_lean_mass(hk_lean *l);
void hki_lean_rates(hk_lean *l);
void hki_lean_add(hk_lean *l, int32_t i, double x);
hk_status hki_lean_factor(hk_lean *l, bool rate);
/* x = T^-1 x */
void hki_lean_solve(hk_lean *l, double *x);

#endif
