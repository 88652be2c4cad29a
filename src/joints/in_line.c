/* SPDX-License-Identifier: Apache-2.0
 *
 * in_line.c: the origin of B stays on the z axis of A.
 *   loop:  a_x . (pB - pA) = 0, a_y . (pB - pA) = 0
 */
#include "joints/rows.h"
#include "joints/tree.h"

static const uint8_t rows[] = {HK_S_X, HK_S_Y};
HK_LOOP_FACE(rows);

const hk_joint_ops hki_joint_in_line = {
    .name = "in_line",
    .text = "keeps a point of the second body on a line of the first",
    .source = "Haug, Computer-Aided Kinematics and Dynamics of Mechanical Systems (1989), ch. 9",
    .nv = -1,
    .nc = HK_ARRAY_LEN(rows),
    .coords = "",
    .rates = "",
    .units = "",
    .params = hki_joint_axis_params,
    .rows = rows,
    .loop = loop,
    .loop_geo = loop_geo,
};
