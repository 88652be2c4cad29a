/* SPDX-License-Identifier: Apache-2.0
 *
 * in_line.c: the origin of B stays on the z axis of A.
 *
 *   loop:  a_x . (pB - pA) = 0
 *          a_y . (pB - pA) = 0
 */
#include "joints/rows.h"
#include "joints/tree.h"

static const uint8_t rows[] = {HK_S_X, HK_S_Y};
HK_LOOP_FACE(rows);

const hk_joint_ops hki_joint_in_line = {
    .name = "in_line",
    .text = "keeps a point of the second body on a line of the first",
    .source = HK_SOURCE_ROWS,
    .nv = -1,
    .coords = "",
    .rates = "",
    .units = "",
    .params = hki_joint_axis_params,
    .mirror = HK_MIRROR_TURNS,
    .plane = {.rule = HK_PLANE_ROWS},
    .holds = HK_HOLDS_SECOND,
    .friction = {.press = HK_PRESS_X | HK_PRESS_Y, .slides = HK_SLIDES_Z},
    .glyph = HK_GLYPH_POINT,
    HK_OPS_LOOP,
};
