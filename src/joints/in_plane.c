/* SPDX-License-Identifier: Apache-2.0
 *
 * in_plane.c: the origin of B stays in the x-y plane of A.
 *
 *   loop:  a_z . (pB - pA) = 0
 */
#include "joints/rows.h"
#include "joints/tree.h"

static const uint8_t rows[] = {HK_S_Z};
HK_LOOP_FACE(rows);

const hk_joint_ops hki_joint_in_plane = {
    .name = "in_plane",
    .text = "keeps a point of the second body in a plane of the first",
    .source = HK_SOURCE_ROWS,
    .nv = -1,
    .coords = "",
    .rates = "",
    .units = "",
    .params = hki_joint_normal_params,
    .mirror = HK_MIRROR_TURNS,
    .plane = {.rule = HK_PLANE_ROWS},
    .holds = HK_HOLDS_SECOND,
    .friction = {.press = HK_PRESS_Z, .slides = HK_SLIDES_X | HK_SLIDES_Y},
    .glyph = HK_GLYPH_PLATE,
    HK_OPS_LOOP,
};
