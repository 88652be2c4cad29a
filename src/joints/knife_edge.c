/* SPDX-License-Identifier: Apache-2.0
 *
 * knife_edge.c: a point of the second body, the edge of a blade, a skate or a wheel that is only
 * steered, moves on a plane of the first along its blade and not sideways. A: z along the plane's
 * normal n; B: the point, z along the blade b. Equations in contact.c.
 *
 *   loop:  velocity of the point relative to the plane along n x b = 0      (row on velocities)
 *
 * It does not keep the point on the plane: an in_plane joint does, or a planar model. It has no
 * coordinates of its own and is always a constraint.
 */
#include "joints/rows.h"
#include "joints/tree.h"

static const uint8_t rows[] = {HK_S_EDGE};
HK_LOOP_FACE(rows);
static const uint8_t slips[] = {HK_S_ALONG_Z}; /* of surfaces that rub */

static const hk_param params[] = {
    HK_PARAM_HAND("axis", HK_P_AXIS, HK_P_REQUIRED,
                  "direction of the blade, in which it moves freely, fixed in the second body"),
    HK_PARAM_HAND("normal", HK_P_AXIS, HK_P_REQUIRED,
                  "normal of the plane, fixed in the first body"),
    HK_PARAM_END};

const hk_joint_ops hki_joint_knife_edge = {
    .name = "knife_edge",
    .alias = "skate blade",
    .text = "keeps a point of the second body from moving sideways on a plane of the first",
    .source = "Neimark and Fufaev, Dynamics of Nonholonomic Systems (1972), ch. III (Chaplygin's "
              "sleigh)",
    .nv = -1,
    .coords = "",
    .rates = "",
    .units = "",
    .params = params,
    .mirror = HK_MIRROR_SLIDES,
    .plane = {.rule = HK_PLANE_ROWS},
    .friction = {.press = HK_PRESS_ALL, HK_FRICTION_SLIPS},
    .glyph = HK_GLYPH_SLIDER,
    .caps = HK_JOINT_TWO_AXES,
    .rate_rows = 1u,
    HK_OPS_LOOP,
};
