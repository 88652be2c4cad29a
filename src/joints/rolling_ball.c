/* SPDX-License-Identifier: Apache-2.0
 *
 * rolling_ball.c: a ball of the second body rolls without slip on a plane of the first, which may
 * move. A: a point of the plane, z along its normal; B: centre of the ball. Equations in contact.c.
 *
 *   loop:  distance of the centre from the plane less the radius = 0      (row on positions)
 *          slip of the lowest point along x of A = 0                      (row on velocities)
 *          slip of the lowest point along y of A = 0                      (row on velocities)
 *
 * It may spin about the normal. It has no coordinates of its own and is always a constraint.
 */
#include "joints/rows.h"
#include "joints/tree.h"

static const uint8_t rows[] = {HK_S_BALL, HK_S_BALL_X, HK_S_BALL_Y};
HK_LOOP_FACE(rows);

typedef struct ball_par {
  double radius; /* m, for HK_S_BALL and the slips */
} ball_par;

static const hk_param params[] = {
    HK_PARAM_HAND("at", HK_P_POINT, 0,
                  "centre of the ball; the plane goes through its lowest point as drawn"),
    HK_PARAM_HAND("ends", HK_P_ENDS, 0,
                  "instead of at, when the ball is drawn off the plane: [point of the plane, "
                  "centre of the ball]"),
    HK_PARAM_HAND("normal", HK_P_AXIS, HK_P_REQUIRED,
                  "normal of the plane, towards the ball, fixed in the first body"),
    {.name = "radius",
     .type = HK_P_REAL,
     .flags = HK_P_REQUIRED | HK_P_POSITIVE,
     .offset = (int32_t)offsetof(ball_par, radius),
     .def = NAN,
     .unit = "m",
     .text = "radius of the ball"},
    HK_PARAM_END};

const hk_joint_ops hki_joint_rolling_ball = {
    .name = "rolling_ball",
    .text = "rolls a ball without slip on a plane",
    .source = "Neimark and Fufaev, Dynamics of Nonholonomic Systems (1972), ch. I",
    .nv = -1,
    .coords = "",
    .rates = "",
    .units = "",
    .par_size = sizeof(ball_par),
    .params = params,
    .mirror = HK_MIRROR_SLIDES,
    .plane = {.rule = HK_PLANE_ROWS,
              .across = HK_JOINT_ITSELF,
              .words = "'normal' must lie in the plane"},
    .friction = {.press = HK_PRESS_Z, .slides = HK_SLIDES_RZ},
    .glyph = HK_GLYPH_SPHERE,
    .caps = HK_JOINT_STANDS,
    .rate_rows = 6u,
    HK_OPS_LOOP,
};
