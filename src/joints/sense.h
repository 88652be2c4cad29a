/* SPDX-License-Identifier: Apache-2.0
 *
 * sense.h: what is measured of the motion of two markers without a joint between them: tables of
 * joints that bind nothing and have scalar coordinates and their rates alone. They are not in the
 * table of joints: the compiler adds them where a condition on velocities reads bodies or markers.
 */
#ifndef HK_JOINTS_SENSE_H
#define HK_JOINTS_SENSE_H

#include "joints/joint.h"

/* x y z of B seen from A, in its axes, with their rates; then the angular velocity of B against A in
 * the axes of A, as rates without values */
extern const hk_joint_ops hki_sense_seen;
/* velocity of B's origin seen from A and angular velocity against A, in the axes of B; rates
 * without values */
extern const hk_joint_ops hki_sense_own;
enum { HK_SENSE_PLACE = 0, HK_SENSE_SPIN = 3 }; /* first of three coordinates of both */

#endif
