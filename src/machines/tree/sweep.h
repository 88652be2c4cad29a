/* SPDX-License-Identifier: Apache-2.0
 *
 * sweep.h: the exact matrix of a stage of a tree, T = dr/dD / ca, factorised and solved in O(n).
 *
 * The articulated-body sweep (aba.h) eliminates the joints of M from leaf to root, because a
 * subtree feels of the rest only the acceleration of its parent. The linearised equations of motion
 * have the same structure with three motions in the place of one. For corrections x of the
 * increments, with S1, S2, S3, B, f of slopes.c and c = 1/ca:
 *
 *   xi   = xi_parent   + S x                           change of the pose
 *   eta  = eta_parent  + E x,   E = c S1 + c cv S
 *   zeta = zeta_parent + Z x,   Z = S + c cv S3 + c S2
 *   g    = B eta + I zeta + c xi x* f + A xi           change of the body's wrench; A: loads
 *   (T x)_i = S_i . (sum of g - c xi_i x* sum of F)    sums over the subtree; F = f - applied
 *
 * Elimination, leaf to root, G (6 x 18) the sum of g by (xi, eta, zeta) of the body, G~ the same
 * less c xi x* F:
 *
 *   N = G (S, E, Z),   D = S' N - (c S' (S x* F) where the axes turn along),   L = S' G~
 *   G_parent += G - N D^-1 L
 *
 * Exact: inertia, gravity, geometric terms of all applied and constraint forces, stiffness and
 * damping of forces between a body and the ground, and of those the caller gives in blocks of one
 * joint. Left out: stiffness and damping of other forces between two bodies. Unsymmetric terms are
 * kept.
 */
#ifndef HK_MACHINES_TREE_SWEEP_H
#define HK_MACHINES_TREE_SWEEP_H

#include "machines/tree/aba.h"

typedef struct hk_sweep {
  const hk_model *m;
  const hk_aba *aba; /* layout of joint blocks, least inertia */
  double *G;         /* nb x 6 x 18: (xi, eta, zeta) one after the other in a row */
  double *F, *p, *y; /* nb x 6, nb x 6, nb x 18: wrenches of subtrees, scratch */
  double *cols;      /* nv x 18: (S, E, Z) */
  double *N, *L;     /* nv x 6, nv x 18 */
  double *Dinv;      /* as of aba.h */
  double *u;         /* nv: scratch */
} hk_sweep;

void hki_sweep_layout(hk_sweep *f, const hk_aba *aba, const hk_model *m, hk_arena *a);
/* The matrix at the present state of s->kin and accelerations a; hki_tree_allow_exact first. lam:
 * multipliers of the closures. joint[nf]: 1 for forces whose stiffness is in E (blocks as of
 * aba.h), NULL: no E. HK_E_SINGULAR where a direction has no inertia. */
hk_status hki_sweep_factor(hk_sweep *f, hk_tree *s, double cC, double cK, const double *a,
                           const double *lam, const uint8_t *joint, const double *E);
/* x = T^-1 b; x may be b */
void hki_sweep_solve(hk_sweep *f, const double *b, double *x);

#endif
