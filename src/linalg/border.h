/* SPDX-License-Identifier: Apache-2.0
 *
 * border.h: a factorised matrix T with a few terms beside it that tie what they sense of the
 * solution to forces along other directions:
 *
 *   T x + U p = b                  U_k: force of term k per unit of p_k, with a minus sign
 *   s = V' x + e                   V_k: what term k senses
 *   p = p(s)                       affine
 *
 *   T x0 = b,  T Y = U,  G = V' Y,    s = V' x0 + e - G p,    x = x0 - Y p
 *
 * Without a core p = s, and (T + U V') x = b is solved by Woodbury's formula. With a core, which
 * another room gives, p follows from s through unknowns of its own (machines/network/border.h).
 * T keeps its symmetric factorisation and its sparsity; one solution with T per term and the
 * matrix of the core are all the cost.
 */
#ifndef HK_LINALG_BORDER_H
#define HK_LINALG_BORDER_H

#include "base/base.h"

typedef struct hk_border hk_border;

/* the relation p(s) of a border */
typedef struct hk_border_core {
  void *with;
  /* prepares `solve` for the present terms and b->G; HK_E_SINGULAR where x is not determined */
  hk_status (*factor)(void *with, const hk_border *b);
  /* p of all terms from s0 = V' x0 */
  void (*solve)(void *with, const hk_border *b, const double *s0, double *p);
} hk_border_core;

/* what a term is, for the core; the machine that fills the terms says it once */
typedef struct hk_border_term {
  int32_t owner, part; /* numbers that core and machine agree on */
  bool held;           /* what it senses does not drive U by itself: T has that part already */
} hk_border_term;

struct hk_border {
  int32_t n, most;      /* size of T; most terms */
  int32_t rank;         /* present terms */
  bool ready;           /* factorised; else hki_border_apply does nothing */
  bool negative;        /* the determinant of 1 + G is: without a core */
  bool keep;            /* terms and factors of the iteration before serve again */
  double unit;          /* x over the increment of the stage: 1, or ca where x is an acceleration */
  hk_border_term *term; /* most */
  hk_border_core core;  /* factor NULL: none */
  double *U, *V, *Y;    /* most x n: one term after the other */
  double *G;            /* most x most: G_ij at G[i + most j] */
  double *e;            /* most: what a term senses at x = 0; added to s */
  double *C, *inv, *work, *s, *p;
  int32_t *pivot;
};

/* measure (base NULL) or assign the memory; call twice. Nothing for most = 0. */
void hki_border_layout(hk_border *b, int32_t n, int32_t most, hk_arena *a);
/* a new term, both vectors zero; the factors become invalid */
void hki_border_add(hk_border *b, double **U, double **V);
/* drops all terms */
static inline void hki_border_clear(hk_border *b) { b->rank = 0, b->ready = false; }
/* Y = T^-1 U by `solve`, which overwrites its right side, and the matrix of the core.
 * HK_E_SINGULAR where x is not determined. */
typedef void (*hk_border_solve)(void *with, double *x);
hk_status hki_border_factor(hk_border *b, hk_border_solve solve, void *with);
/* p = (1 + G)^-1 p, or as the core has it */
void hki_border_forces(hk_border *b, double *p);
/* x0 becomes x; b->p the forces */
void hki_border_apply(hk_border *b, double *x);

/* The same in passes, for methods that iterate on their residual: p = 0, then in each pass
 * r += U p before the solution with T, and after it x (the change of this pass) is corrected, where
 * at - from + x is the sum so far. */
void hki_border_start(hk_border *b);
void hki_border_load(const hk_border *b, double *r);
void hki_border_pass(hk_border *b, const double *at, const double *from, double *x);

#endif
