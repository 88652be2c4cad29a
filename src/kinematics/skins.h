/* SPDX-License-Identifier: Apache-2.0
 *
 * skins.h: modal coordinates of bodies with modes, and the stress of their surfaces.
 */
#ifndef HK_KINEMATICS_SKINS_H
#define HK_KINEMATICS_SKINS_H

#include "kinematics/kin.h"

/* modal coordinate j of element `wide`, a body with modes, as its file has it */
double hki_kin_modal_q(const hk_kin *k, int32_t wide, int32_t j);
/* the largest von Mises stress of the surface of that body, Pa; 0 where stresses are not known */
double hki_kin_skin_stress(const hk_kin *k, int32_t wide);

#endif
