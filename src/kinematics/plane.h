/* SPDX-License-Identifier: Apache-2.0
 *
 * plane.h: the passes of tree.c and closures.c for plane mechanisms: all bodies turn about the z axis and lie in the
 * plane z = 0. Every number that is not zero is formed by the same operations in the same order as there.
 */
#ifndef HK_KINEMATICS_PLANE_H
#define HK_KINEMATICS_PLANE_H

#include "kinematics/kin.h"

/* constants of a body */
struct hk_plane {
  int32_t parent, root;
  bool inert;   /* it has inertia */
  double sense; /* of the joint's axis: 1 or -1 */
  double on_parent[2], child[2], mass, J[3];
};

/* Is the model a plane mechanism, and has k no bodies in lanes? Then k->plane is filled, else it becomes NULL. */
void hki_plane_init(hk_kin *k);
/* Can a closure that holds a point on axes, of a plane mechanism, be evaluated by the next two? */
bool hki_plane_holds(const hk_kin *k, int32_t closure);
void hki_plane_closure(hk_kin *k, int32_t closure);
void hki_plane_bias(hk_kin *k, int32_t closure);
/* positions, velocities, both, forces: all bodies, as the functions of tree.c */
void hki_plane_places(hk_kin *k, const double *q);
void hki_plane_velocities(hk_kin *k, const double *v);
void hki_plane_states(hk_kin *k, const double *q, const double *v);
void hki_plane_forces(hk_kin *k, const double *a, double *A, double *F);

#endif
