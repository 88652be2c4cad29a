/* SPDX-License-Identifier: Apache-2.0
 *
 * parallel.c: the z axes of both bodies stay parallel.
 *   loop:  a_x . b_z = 0, a_y . b_z = 0
 */
#include "joints/rows.h"
#include "joints/tree.h"

static const uint8_t rows[] = {HK_S_XZ, HK_S_YZ};
HK_LOOP_FACE(rows);

extern const hk_joint_ops hki_joint_parallel;
const hk_joint_ops hki_joint_parallel = {
    .name = "parallel",
    .text = "keeps an axis of the second body parallel to one of the first",
    .source = HK_SOURCE_ROWS,
    .nv = -1,
    .coords = "",
    .rates = "",
    .units = "",
    .params = hki_joint_axis_params,
    .mirror = HK_MIRROR_TURNS,
    .place = HK_PLACE_ANYWHERE,
    .plane = {.rule = HK_PLANE_ROWS},
    .friction = {.none = "nobody has said what presses it"},
    .glyph = HK_GLYPH_POINT,
    HK_OPS_LOOP,
};
