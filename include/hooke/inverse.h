/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * hooke/inverse.h: the forces of chosen actuators that give a mechanism the motion which its prescribed
 * motions ask for. The actuators act on any coordinates of joints, those that are prescribed or others, also
 * of joints that close loops; the prescribed motions themselves bear nothing then.
 */
#ifndef HOOKE_INVERSE_H
#define HOOKE_INVERSE_H

#include "hooke/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Actuators of a simulation. */
typedef struct hk_inverse hk_inverse;

/** Choose actuators.
 * @param s the simulation of the model with its prescribed motions; it must live longer
 * @param n how many; 0: one on every prescribed coordinate
 * @param names coordinates of joints: "joint.elbow.angle", or "joint.elbow" where it has one
 * @param out the actuators, to be given to hk_inverse_destroy(); NULL on failure
 * @return HK_OK; HK_E_USAGE: no such coordinate, or no motion at all; HK_E_MEMORY */
HK_API hk_status hk_inverse_create(hk_sim *s, int32_t n, const char *const *names,
                                   hk_inverse **out);

/** End.
 * @param a the actuators; NULL is allowed */
HK_API void hk_inverse_destroy(hk_inverse *a);

/** How many actuators there are.
 * @param a the actuators
 * @return their number */
HK_API int32_t hk_inverse_count(const hk_inverse *a);

/** The coordinate of an actuator: "joint.elbow.angle".
 * @param a the actuators
 * @param i from 0 to hk_inverse_count() - 1
 * @return its name; NULL when there is none of this number */
HK_API const char *hk_inverse_name(const hk_inverse *a, int32_t i);

/** The forces and torques at the present state of the simulation. Of several solutions the one with the
 * smallest sum of squares. Allocates nothing.
 * @param a the actuators
 * @param force hk_inverse_count() numbers, N or N*m, on the second body of the joint
 * @param unbalanced what no actuator can bear, as a share of what is needed, 0 to 1; NAN where this state has no
 *        accelerations; may be NULL
 * @return HK_OK; HK_E_SINGULAR: these actuators cannot give this motion; HK_E_USAGE */
HK_API hk_status hk_inverse_find(hk_inverse *a, double *force, double *unbalanced);

#ifdef __cplusplus
}
#endif
#endif
