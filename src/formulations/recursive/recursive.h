/* SPDX-License-Identifier: Apache-2.0
 *
 * recursive.h: what the files of the recursive formulation share; its equations are in recursive.c.
 */
#ifndef HK_FORMULATIONS_RECURSIVE_RECURSIVE_H
#define HK_FORMULATIONS_RECURSIVE_RECURSIVE_H

#include "formulations/formulation.h"
#include "machines/tree/deep.h"
#include "linalg/dense.h"

typedef struct hk_recursive_par {
  int32_t tangent;  /* HK_TANGENT_... */
  int32_t implicit; /* 0: forces on single joints and inputs that read channels; 1: nothing */
} hk_recursive_par;

typedef struct hk_recursive {
  hk_formulation base;
  hk_ctx *ctx;
  hk_recursive_par par;
  bool exact; /* corrections by the exact matrix */
  bool
      sparse; /* stages by the matrix of the tree, or by fronts: elements on several markers, many loops */
  hk_tree *s;
  hk_aba aba;
  hk_stage st;
  int32_t nr, ld;         /* active rows of the last factorisation; leading dimension of C */
  int32_t *act;           /* nr: their row numbers */
  double *Y;              /* nr x nv: row i is M^-1 Phi_z' of active row i */
  double *C, *inv, *work; /* nr x nr complement, factorised; 1 / pivots; scratch */
  double *gz;             /* compact rows of the closures that Y and C are made of, as of kin.h */
  double *ya, *w;         /* nrows: scratch */
  double *b, *x0;         /* nv: scratch */
  hk_own own;             /* forces that act on the joint of one body alone, and their E */
  double *as;             /* nv: a* of the iterate */
  double before;          /* size of the last correction of the stage, 0 = none */
  bool again;             /* not the first correction of the stage */
  /* exact corrections; nothing where the option excludes them */
  hk_sweep sweep;
  double *X, *Cx; /* T^-1 Phi_z' and its complement, as Y and C; LU */
  double *invx;   /* nrows: 1 / pivots of Cx */
  int32_t *pivot; /* nrows */
  /* sparse: is it what is factorised, and with its part W that belongs to forces, as values of s->ldl? */
  bool matrix, stage;
  double *W;
  unsigned char *block;
} hk_recursive;

/* loops.c */
/* M + E (E NULL: none) with the rows of the loops at the present state; or the matrix, of a stage where W
 * belongs to it */
hk_status hki_recursive_factor(hk_recursive *f, const double *E, bool stage);
/* x -= Y C^-1 (Phi_z x + b), b (nrows) may be NULL; largest scaled row of Phi_z x + b */
void hki_recursive_close_rows(hk_recursive *f, const double *b, double *x);
double hki_recursive_rows_left(hk_recursive *f, const double *b, const double *x);
/* x with its rows s->row, which nearly depend on each other, closed; s->lam += with_lam times their multipliers */
hk_status hki_recursive_close_slow(hk_recursive *f, double with_lam, double *x);
/* x = (M + E)^-1 x with the rows closed, for the border; with: an hk_recursive */
void hki_recursive_solve_closed(void *with, double *x);
/* a: accelerations with the present factors, iterated on the true residual, with E and the border of
 * inputs where they are in them; known: s->r is the residual at a* already, and there are no loops */
hk_status hki_recursive_solve_accel(hk_recursive *f, bool own, bool border, bool known, double *a);

/* s->a = a* + T^-1 (Q - M a* - Phi_z' lam) (exact.c). HK_E_SINGULAR: a direction without inertia, which
 * only the fixed-point iteration can treat. */
hk_status hki_recursive_exact(hk_recursive *f);

#endif
