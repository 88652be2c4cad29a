/* SPDX-License-Identifier: Apache-2.0
 *
 * border.h: a factorised matrix with a few unsymmetric terms beside it,
 *
 *   (T + sum of U_k V_k') x = b                                     k = 1 .. rank
 *   x = x0 - Y (1 + V' Y)^-1 V' x0,     T x0 = b,   T Y = U         (Woodbury's formula)
 *
 * Forces whose inputs read channels are such terms: U is the force per unit input, V the slope of
 * the input. T keeps its symmetric factorisation and its sparsity; one solution with T per input
 * and a dense LU of their number are all the cost.
 */
#ifndef HK_LINALG_BORDER_H
#define HK_LINALG_BORDER_H

#include "base/base.h"

typedef struct hk_border {
  int32_t n, most;   /* size of T; most terms */
  int32_t rank;      /* present terms */
  bool ready;        /* factorised; else hki_border_apply does nothing */
  double *U, *V, *Y; /* most x n: one term after the other */
  double *C, *inv, *work, *z;
  int32_t *pivot;
} hk_border;

/* measure (base NULL) or assign the memory; call twice. Nothing for most = 0. */
void hki_border_layout(hk_border *b, int32_t n, int32_t most, hk_arena *a);
/* a new term, both vectors zero; the factors become invalid */
void hki_border_add(hk_border *b, double **U, double **V);
/* drops all terms */
static inline void hki_border_clear(hk_border *b) { b->rank = 0, b->ready = false; }
/* Y = T^-1 U by `solve`, which overwrites its right side, and LU of the small matrix.
 * HK_E_SINGULAR where T + U V' is. */
typedef void (*hk_border_solve)(void *with, double *x);
hk_status hki_border_factor(hk_border *b, hk_border_solve solve, void *with);
/* x0 becomes x */
void hki_border_apply(hk_border *b, double *x);
/* r += U (V' x) */
void hki_border_mul(hk_border *b, const double *x, double *r);

#endif
