/* SPDX-License-Identifier: Apache-2.0
 *
 * differential.c: an input that turns the mean of two outputs. With the angles s1 of the input, s2
 * and s3 of the outputs:
 *
 *   s1 - n (s2 + s3)/2 = constant                       n: ratio of the final drive
 *
 * Its wheels are bevel gears between the outputs; their inertia is not in it.
 */
#include "joints/coupling.h"

typedef struct differential_par {
  double ratio;
} differential_par;

static const hk_param params[] = {
    HK_PARAM_JOINTS("[input, left, right]: joints (or joint.coordinate) of the input and of both "
                    "outputs"),
    {.name = "ratio",
     .type = HK_P_REAL,
     .offset = (int32_t)offsetof(differential_par, ratio),
     .def = 1.0,
     .unit = "",
     .text = "rate of the input over the mean rate of the outputs"},
    HK_PARAM_END};

static int32_t couple(const void *par, hk_couple *out, const char **wrong) {
  const differential_par *p = par;
  if (p->ratio == 0.0) {
    *wrong = "'ratio' must not be zero";
    return 0;
  }
  out->c[0] = 1.0;
  out->c[1] = out->c[2] = -0.5 * p->ratio;
  return 1;
}

const hk_joint_ops hki_joint_differential = {
    .name = "differential",
    .text = "couples the angle of an input to the mean of two outputs",
    .source = HK_SOURCE_COUPLING,
    .par_size = sizeof(differential_par),
    .caps = HK_JOINT_COUPLES,
    HK_OPS_COUPLING(3, 3, HK_GLYPH_LINK),
};
