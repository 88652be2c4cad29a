/* SPDX-License-Identifier: Apache-2.0
 *
 * cylindrical.c: rotation about and translation along the common z axis.
 *
 *   tree:      R = Rz(q0)          p = (0, 0, q1)
 *              S = [(z, 0), (0, z)]    c = 0
 *   loop:      a_x . (pB - pA) = 0
 *              a_y . (pB - pA) = 0
 *              a_x . b_z = 0
 *              a_y . b_z = 0
 *   angle:     twist about z
 *   position:  a_z . (pB - pA)
 */
#include "joints/rows.h"
#include "joints/tree.h"

static const uint8_t rows[] = {HK_S_X, HK_S_Y, HK_S_XZ, HK_S_YZ};
static const uint8_t scalars[] = {HK_S_TWIST, HK_S_Z};
HK_LOOP_FACE(rows);
HK_COORD_FACE(scalars);
HK_MEASURE_FACE(scalars);

static void tree(const void *par, const double *q, const double *v, hk_joint_tree *out) {
  (void)par, (void)v;
  hki_tree_identity(out);
  hki_tree_turn_z(out, q[0]);
  out->p[2] = q[1];
  hki_tree_column(out, 0, 2, 1.0);
  hki_tree_column(out, 1, 5, 1.0);
}

const hk_joint_ops hki_joint_cylindrical = {
    .name = "cylindrical",
    .text = "turns about one axis and slides along it",
    .source = HK_SOURCE_TREE "; " HK_SOURCE_ROWS,
    .coords = "angle position",
    .rates = "rate velocity",
    .units = "rad m",
    .params = hki_joint_axis_params,
    .inverse = HK_INVERSE_MINUS(2),
    .mirror = HK_MIRROR_TURNS,
    .plane = {.rule = HK_PLANE_AXIS,
              .along = HK_JOINT_ROTATION_Z,
              .across = HK_JOINT_TRANSLATION_Z,
              .words = "its axis must lie in the plane or be its normal"},
    .friction = {.press = HK_PRESS_X | HK_PRESS_Y, .slides = HK_SLIDES_RZ | HK_SLIDES_Z},
    .glyph = HK_GLYPH_SLEEVE,
    HK_OPS_LOOP,
    HK_OPS_SCALARS(2),
};
