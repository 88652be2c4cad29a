/* SPDX-License-Identifier: Apache-2.0
 *
 * aba.h: articulated-body factorisation of the mass matrix of a tree, in O(n).
 *
 *   leaf to root:  U = IA S,  D = S' U,  IA_parent += IA - U D^-1 U'          (IA starts as the
 * body's inertia) solve M x = b: leaf to root  u = b - S' p,  p_parent += p + U D^-1 u root to leaf
 * x = D^-1 (u - U' a_parent),  a = a_parent + S x
 *
 * All spatial vectors are about one point per tree (kin.h), so nothing is moved between bodies. A
 * direction without inertia gets a little (`floor`), counted in nsoft; whoever solves corrects for
 * it by iterating on the true residual. `add` puts more into D, block by block: then the matrix is
 * M + add, still in O(n).
 *
 * Source: Featherstone 1987, in the form of a factorisation.
 */
#ifndef HK_MACHINES_TREE_ABA_H
#define HK_MACHINES_TREE_ABA_H

#include "machines/tree/tree.h"

typedef struct hk_aba {
  const hk_model *m;
  double *IA;    /* nb x 36 */
  double *U;     /* nv x 6 */
  double *add;   /* NULL, or laid out as Dinv: added to the blocks of the joints */
  double *Dinv;  /* per body nv x nv, at d0 */
  int32_t *d0;   /* nb */
  double *p, *a; /* nb x 6 scratch */
  double *u;     /* nv scratch */
  double floor;  /* inertia given to directions without any, per scale^2 */
  int32_t nsoft; /* how many of them the last factorisation met */
  int32_t soft;  /* one of them (velocity index), -1 = none */
} hk_aba;

/* numbers in the blocks of all joints */
int32_t hki_aba_blocks(const hk_model *m);
void hki_aba_layout(hk_aba *f, const hk_model *m, hk_arena *a);
void hki_aba_init(hk_aba *f);
/* factor M at the present state of s->kin */
void hki_aba_factor(hk_aba *f, const hk_tree *s);
/* x = M^-1 b; x may be b */
void hki_aba_solve(hk_aba *f, const hk_kin *k, const double *b, double *x);

#endif
