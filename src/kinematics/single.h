/* SPDX-License-Identifier: Apache-2.0
 *
 * single.h: the passes of tree.c for revolutes one by one, with three-vectors in registers. Every
 * number is formed by the same operations in the same order as in tree.c, so that results do not
 * depend on the processor.
 */
#ifndef HK_KINEMATICS_SINGLE_H
#define HK_KINEMATICS_SINGLE_H

#include "kinematics/kin.h"

/* constants of a body; in rows of four, see single.c */
struct hk_single {
  int32_t parent, root, q0, v0;
  bool hinge, diagonal; /* a revolute; inertia about principal axes */
  double mass;
  double K1[12], K2[12], K3[12];
  double axis[4], child[4], J[4];
};

/* the pass of tree.c for one body of another kind; x: q or v */
typedef void (*hk_single_pass)(hk_kin *k, int32_t b, const double *x);

/* true when this build and this processor have them */
bool hki_single_here(void);
/* constants, after those of tree.c */
void hki_single_init(hk_kin *k, int32_t b);
void hki_single_places(hk_kin *k, const double *q, hk_single_pass other);
void hki_single_velocities(hk_kin *k, const double *v, hk_single_pass other);

#endif
