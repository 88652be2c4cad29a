/* SPDX-License-Identifier: Apache-2.0
 *
 * gimbal.c: the second body turns with the first about their axes, z of A and z of B, at any angle
 * between these. The relative rotation is about an axis across both, two equal half rotations, as
 * in a constant-velocity joint; positions are left to other joints. With `spherical` at the same
 * point it is such a joint, with `in_line` one whose point slides along the first shaft.
 *
 *   loop:  (a_y . b_x - a_x . b_y)/2 = 0       z of the axial vector: (1 + cos |f|)/2 sin(twist)
 */
#include "joints/rows.h"
#include "joints/tree.h"

static const uint8_t rows[] = {HK_S_RZ};
HK_LOOP_FACE(rows);

const hk_joint_ops hki_joint_gimbal = {
    .name = "gimbal",
    .text = "turns two bodies alike about their axes at any angle between these; holds no point",
    .source = "Hunt, Constant-velocity shaft couplings: a general theory (1973), Journal of "
              "Engineering for Industry 95",
    .nv = -1,
    .coords = "",
    .rates = "",
    .units = "",
    .params = hki_joint_shaft_params,
    .mirror = HK_MIRROR_TURNS,
    .place = HK_PLACE_ANYWHERE,
    .plane = {.rule = HK_PLANE_ROWS},
    .friction = {.press = HK_PRESS_TWIST, .slides = HK_SLIDES_TURNS},
    .glyph = HK_GLYPH_CROSS,
    HK_OPS_LOOP,
};
