/* SPDX-License-Identifier: Apache-2.0
 *
 * rack.c: a pinion that rolls on a rack. With the pinion's angle s1 and the rack's position s2:
 *
 *   s1 - s2/r = constant                                r: radius of the pinion's pitch circle
 */
#include "joints/coupling.h"

typedef struct rack_par {
  double radius;
} rack_par;

static const hk_param params[] = {
    HK_PARAM_JOINTS("[pinion, rack]: the joint (or joint.coordinate) that turns, the one that "
                    "slides"),
    {.name = "radius",
     .type = HK_P_REAL,
     .flags = HK_P_REQUIRED,
     .offset = (int32_t)offsetof(rack_par, radius),
     .def = NAN,
     .unit = "m",
     .text = "radius of the pinion's pitch circle: travel of the rack per radian; negative: the "
             "other way"},
    HK_PARAM_END};

static int32_t couple(const void *par, hk_couple *out, const char **wrong) {
  const rack_par *p = par;
  if (!(fabs(p->radius) > 0.0)) {
    *wrong = "'radius' must not be zero";
    return 0;
  }
  out->c[0] = 1.0;
  out->c[1] = -1.0 / p->radius;
  return 1;
}

const hk_joint_ops hki_joint_rack = {
    .name = "rack",
    .alias = "rack_and_pinion",
    .text = "couples the angle of a pinion to the position of a rack",
    .source = HK_SOURCE_COUPLING,
    .par_size = sizeof(rack_par),
    .caps = HK_JOINT_COUPLES,
    HK_OPS_COUPLING(2, 2, HK_GLYPH_BAR),
};
