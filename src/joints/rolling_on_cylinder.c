/* SPDX-License-Identifier: Apache-2.0
 *
 * rolling_on_cylinder.c: a ball of the second body, or in a planar model a disc, rolls without slip
 * on a round cylinder of the first, which may move: on its outside or on its inside, wherever it is
 * drawn. A: a point of the cylinder's axis, z along it; B: centre of the ball. Equations in
 * contact.c.
 *
 *   loop:  distance of the centre from the surface less the radius = 0     (row on positions)
 *          slip along the cylinder's axis = 0                              (row on velocities)
 *          slip around the cylinder = 0                                    (row on velocities)
 *
 * It has no coordinates of its own and is always a constraint.
 */
#include "joints/rows.h"
#include "joints/tree.h"

static const uint8_t rows[] = {HK_S_ROUND, HK_S_ROUND_Z, HK_S_ROUND_T};
HK_LOOP_FACE(rows);
static const uint8_t slips[] = {HK_S_ROUND_N}; /* of surfaces that rub */

typedef struct round_par {
  double radius, cylinder; /* m, for HK_S_ROUND and the slips */
} round_par;

static const hk_param params[] = {
    HK_PARAM_HAND(
        "ends", HK_P_ENDS, HK_P_REQUIRED,
        "[point of the cylinder's axis, centre of the ball]; drawn nearer to the axis than "
        "the radius of the cylinder, the ball rolls on its inside"),
    HK_PARAM_HAND("axis", HK_P_AXIS, HK_P_REQUIRED,
                  "axis of the cylinder, fixed in the first body"),
    {.name = "cylinder",
     .type = HK_P_REAL,
     .flags = HK_P_REQUIRED | HK_P_POSITIVE,
     .offset = (int32_t)offsetof(round_par, cylinder),
     .def = NAN,
     .unit = "m",
     .text = "radius of the cylinder"},
    {.name = "radius",
     .type = HK_P_REAL,
     .flags = HK_P_REQUIRED | HK_P_POSITIVE,
     .offset = (int32_t)offsetof(round_par, radius),
     .def = NAN,
     .unit = "m",
     .text = "radius of the ball"},
    HK_PARAM_END};

const hk_joint_ops hki_joint_rolling_on_cylinder = {
    .name = "rolling_on_cylinder",
    .text = "rolls a ball without slip on the outside or the inside of a cylinder",
    .source = "Neimark and Fufaev, Dynamics of Nonholonomic Systems (1972), ch. I",
    .nv = -1,
    .coords = "",
    .rates = "",
    .units = "",
    .par_size = sizeof(round_par),
    .params = params,
    .mirror = HK_MIRROR_SLIDES,
    .place = HK_PLACE_ENDS,
    .plane = {.rule = HK_PLANE_ROWS,
              .along = HK_JOINT_ITSELF,
              .words = "'axis' must be along the normal of the plane"},
    .friction = {.press = HK_PRESS_ALL, .rows = 1u, HK_FRICTION_SLIPS},
    .glyph = HK_GLYPH_SPHERE,
    .rate_rows = 6u,
    HK_OPS_LOOP,
};
