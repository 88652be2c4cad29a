/* SPDX-License-Identifier: Apache-2.0
 *
 * rolling.c: a thin disc or wheel of the second body rolls without slip on a plane of the first.
 * A: a point of the plane, z along its normal; B: centre of the disc, z along its axis. Equations
 * in rim.c.
 *
 *   loop:  height of the rim's lowest point above the plane = 0      (row on positions)
 *          slip of that point along x of A = 0                       (row on velocities)
 *          slip of that point along y of A = 0                       (row on velocities)
 *
 * It has no coordinates of its own and is always a constraint.
 */
#include "joints/rows.h"
#include "joints/tree.h"

static const uint8_t rows[] = {HK_S_RIM, HK_S_SLIP_X, HK_S_SLIP_Y};
HK_LOOP_FACE(rows);

typedef struct rolling_par {
  double radius; /* m, for HK_S_RIM and the slips */
} rolling_par;

static const hk_param params[] = {
    HK_PARAM_HAND("at", HK_P_POINT, 0,
                  "centre of the disc; the plane goes through the point of its rim that is lowest "
                  "as drawn"),
    HK_PARAM_HAND("ends", HK_P_ENDS, 0,
                  "instead of at, when the disc is drawn off the plane: [point of the plane, "
                  "centre of the disc]"),
    HK_PARAM_HAND("axis", HK_P_AXIS, HK_P_REQUIRED, "the disc's axis, fixed in the second body"),
    HK_PARAM_HAND("normal", HK_P_AXIS, HK_P_REQUIRED,
                  "normal of the plane, towards the disc, fixed in the first body"),
    {.name = "radius",
     .type = HK_P_REAL,
     .flags = HK_P_REQUIRED | HK_P_POSITIVE,
     .offset = (int32_t)offsetof(rolling_par, radius),
     .def = NAN,
     .unit = "m",
     .text = "radius of the rim"},
    HK_PARAM_END};

const hk_joint_ops hki_joint_rolling = {
    .name = "rolling",
    .text = "rolls a disc or wheel without slip on a plane",
    .source = "Neimark and Fufaev, Dynamics of Nonholonomic Systems (1972), ch. I",
    .nv = -1,
    .coords = "",
    .rates = "",
    .units = "",
    .par_size = sizeof(rolling_par),
    .params = params,
    .mirror = HK_MIRROR_SLIDES,
    .plane = {.rule = HK_PLANE_ROWS},
    .friction = {.press = HK_PRESS_Z, .slides = HK_SLIDES_RZ},
    .glyph = HK_GLYPH_RING,
    .caps = HK_JOINT_STANDS | HK_JOINT_TWO_AXES,
    .rate_rows = 6u,
    HK_OPS_LOOP,
};
