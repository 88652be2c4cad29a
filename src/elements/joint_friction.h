/* SPDX-License-Identifier: Apache-2.0
 *
 * joint_friction.h: friction in a joint, which `friction:` of the joint makes. See joint_friction.c.
 */
#ifndef HK_ELEMENTS_JOINT_FRICTION_H
#define HK_ELEMENTS_JOINT_FRICTION_H

#include "elements/element.h"

typedef struct hk_joint_friction_par {
  hk_law law;     /* as the owner of its private states */
  double radius;  /* m: at which a turning joint slides */
  double preload; /* N: beside the reaction */
  double arm;     /* slip over the rate of the coordinate: 1, or m */
} hk_joint_friction_par;

enum { HK_FRICTION_SLIP = 2 }; /* its outputs: normal force, 1 where it slides, then the slip */
enum { HK_FRICTION_NORMAL };   /* its input: what presses the surfaces, from the reaction, N */

/* friction on one coordinate of a joint; heats: with a thermal node */
const hk_element_ops *hki_joint_friction_ops(bool heats);
/* keys of `friction:` of a joint beside those of the law */
extern const hk_param hki_joint_friction_params[];
const hk_friction *hki_joint_friction_of(const void *par);
/* the law of friction; f lives as long as par */
void hki_joint_friction_law(hk_joint_friction_par *par, const hk_friction *f);

#endif
