/* SPDX-License-Identifier: Apache-2.0
 *
 * single.h: the passes of tree.c for revolutes one by one, with three-vectors in registers. Every
 * number is formed by the same operations in the same order as in tree.c, so that results do not
 * depend on the processor.
 */
#ifndef HK_KINEMATICS_SINGLE_H
#define HK_KINEMATICS_SINGLE_H

#include "kinematics/kin.h"

/* constants of a body, see single.c; those of K in rows of four */
struct hk_single {
  int32_t parent, root, q0, v0;
  bool hinge, diagonal; /* a revolute; inertia about principal axes */
  int8_t along; /* the axis is x, y or z of parent and body: 0, 1, 2, and K is not read; else -1 */
  double mass, sense;                           /* sense of such an axis, 1 or -1 */
  double axis[4], on_parent[4], child[4], J[4]; /* fourth numbers: zero */
};
struct hk_single_turn {
  double K1[12], K2[12], K3[12];
};

/* the pass of tree.c for one body of another kind; x: q or v */
typedef void (*hk_single_pass)(hk_kin *k, int32_t b, const double *x);

/* true when this build and this processor have them */
bool hki_single_here(void);
/* constants, after those of tree.c */
void hki_single_init(hk_kin *k, int32_t b);
/* one body, which must be a hinge, diagonal too for its place; forces: of any body (tree.c) */
void hki_single_place(hk_kin *k, int32_t b, const double *q);
void hki_single_velocity(hk_kin *k, int32_t b, const double *v);
void hki_single_force(hk_kin *k, int32_t b, const double *a, double *A, double *F);
/* all of them */
void hki_single_places(hk_kin *k, const double *q, hk_single_pass other);
void hki_single_velocities(hk_kin *k, const double *v, hk_single_pass other);
/* both, body by body: what a body has written is still at hand */
void hki_single_states(hk_kin *k, const double *q, const double *v, hk_single_pass other_place,
                       hk_single_pass other_move);

#endif
