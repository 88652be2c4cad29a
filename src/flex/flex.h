/* SPDX-License-Identifier: Apache-2.0
 *
 * flex.h: a body that bends by a few shapes (component modes). Its motion is that of a floating frame,
 * rotation R and place x, and of modal coordinates e; node k is at
 *
 *   p_k = x + R (f_k + Phi_k e)
 *
 * Kinetic energy with W = R'omega, u = R'xdot and modal rates ed, in the axes of the frame:
 *
 *   T = 1/2 (W, u, ed)' M(e) (W, u, ed)
 *   M(e) = [ I  [c]  D ;  .  m 1  S1 ;  .  .  Mf ],   c = S0 + S1 e
 *   I = I0 + sum e_j I1_j + sum e_i e_j I2_ij,        D = D0 + sum e_i D1_i
 *
 * and the equations of motion are those of d'Alembert in these velocities (inertia.c):
 *
 *   M(e) (W', R'xdotdot, edd) + h(e, W, ed) + (0, 0, K e + C ed) = Q
 *
 * The nine invariants m, S0, S1, I0, I1, I2, D0, D1, Mf are computed once from the mass matrix of a
 * finite-element model and the modes (invariants.c). They hold for any mass matrix, consistent ones included.
 *
 * Interfaces are frames of the body that joints and forces attach to: at rest at p with axes R0, they move
 * with translations Phi and small rotations Psi of the modes.
 *
 * Sources: Shabana, Dynamics of Multibody Systems, 2013, chapter 5; Craig and Bampton, Coupling of
 * substructures for dynamic analyses, 1968; Zwoelfer and Gerstmayr, The nodal-based floating frame of
 * reference formulation with modal reduction, 2021.
 */
#ifndef HK_FLEX_FLEX_H
#define HK_FLEX_FLEX_H

#include "base/base.h"

/* where a mode comes from, by the larger part of its energy */
typedef enum hk_flex_kind {
  HK_FLEX_WHOLE,    /* a mode of the body that nothing holds */
  HK_FLEX_BOUNDARY, /* shapes that follow unit displacements of interfaces */
  HK_FLEX_INNER,    /* modes with fixed interfaces */
  HK_FLEX_KINDS
} hk_flex_kind;
extern const char *const hki_flex_kind_names[HK_FLEX_KINDS];

typedef struct hk_flex_face {
  const char *name;
  double p[3], R[9];       /* frame at rest, axes of the body */
  const double *Phi, *Psi; /* ne x 3: translation and rotation of mode j at 3 j, axes of the body */
} hk_flex_face;

typedef struct hk_flex_mode {
  double frequency; /* Hz, of the body that nothing holds */
  hk_flex_kind kind;
  double share; /* part of its strain energy in shapes of its kind */
} hk_flex_mode;

/* a mode with fixed interfaces, and how much mass it moves along x, y, z */
typedef struct hk_flex_held {
  double frequency, mass[3]; /* Hz, kg */
} hk_flex_held;

/* vectors and matrices in the axes of the body about its origin; 3 x 3 row-major */
typedef struct hk_flex {
  const char *title;
  int32_t ne, nface;
  double mass, S0[3], I0[9];
  const double *S1;     /* ne x 3 */
  const double *I1;     /* ne x 9, symmetric */
  const double *I2;     /* ne x ne x 9; I2_ji is the transpose of I2_ij */
  const double *D0;     /* ne x 3: column j of D0 */
  const double *D1;     /* ne x ne x 3: column j of D1_i at 3 (ne i + j) */
  const double *Mf, *K; /* ne x ne: modal mass and stiffness */
  /* displacements of second order, for geometric stiffening (bend.c); NULL: none */
  const double *I2_bend; /* ne x ne x 9: what they add to I2 */
  const double
      *face_bend; /* nface x ne x ne x 3: an interface moves by Phi e + 1/2 sum e_i e_j of this, */
  const double *face_turn; /* and turns by Psi e + 1/2 sum e_i e_j of this */
  const hk_flex_face *face;
  const hk_flex_mode *mode; /* ne */
  int32_t nheld;
  const hk_flex_held *held; /* only where the body was just reduced */
  /* for the eye: nodes of the surface (all, where it is not known), their translation in each mode, its triangles */
  int32_t nnode, ntriangle;
  const double *node;      /* nnode x 3 */
  const double *shape;     /* ne x nnode x 3 */
  const double *stress;    /* ne x nnode x 6: xx yy zz xy yz zx of each mode, Pa; NULL: not known */
  const int32_t *triangle; /* ntriangle x 3 */
} hk_flex;

/* number of velocities: W, u, ed */
static inline int32_t hki_flex_size(const hk_flex *b) { return 6 + b->ne; }
/* M(e), full and symmetric, n x n row-major, n = hki_flex_size */
void hki_flex_mass(const hk_flex *b, const double *e, double *M);
/* h(e, W, ed), n numbers */
void hki_flex_bias(const hk_flex *b, const double *e, const double *W, const double *ed, double *h);
/* frame of interface i at e: place p and axes R, in the axes of the body */
void hki_flex_face_at(const hk_flex *b, int32_t i, const double *e, double *p, double *R);

#endif
