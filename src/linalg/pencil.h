/* SPDX-License-Identifier: Apache-2.0
 *
 * pencil.h: three square matrices A, C, K of one pattern and a factor of
 *
 *   T = A + g C + g^2 K
 *
 * for methods that solve with T and multiply with its parts. The pattern is that of a symmetric
 * matrix whose values others assemble (sparse_ldl.h). The parts may be unsymmetric: a term u w' has
 * entries for both (i, j) and (j, i).
 */
#ifndef HK_LINALG_PENCIL_H
#define HK_LINALG_PENCIL_H

#include "linalg/linsolve.h"
#include "linalg/sparse_ldl.h"

typedef struct hk_pencil {
  hk_ctx *ctx;
  hk_linsolve *T;
  bool symmetric; /* entries with row >= col only */
  int32_t n, nentry;
  int32_t *start;     /* n + 1: first entry of each row */
  int32_t *col;       /* nentry, ascending within a row */
  int32_t *from, *at; /* nentry: places in the values of the symmetric matrix, and in T->val */
  double *A, *C, *K;  /* nentry */
  unsigned char *block;
} hk_pencil;

/* the pattern of `like`, with its fill; symmetric: all parts are. destroy takes an empty one too. */
hk_status hki_pencil_create(hk_ctx *ctx, const hk_ldl *like, bool symmetric, hk_pencil *p);
void hki_pencil_destroy(hk_pencil *p);

/* number of entry (i, j) in A, C, K; of one that the pattern has */
int32_t hki_pencil_entry(const hk_pencil *p, int32_t i, int32_t j);
/* X (A, C or K) = the symmetric matrix with these values */
void hki_pencil_take(const hk_pencil *p, const double *val, double *X);

hk_status hki_pencil_factor(hk_pencil *p, double g);
/* x = T^-1 x */
void hki_pencil_solve(hk_pencil *p, double *x);
/* y = A u + C w + K z */
void hki_pencil_mul(const hk_pencil *p, const double *u, const double *w, const double *z,
                    double *y);

#endif
