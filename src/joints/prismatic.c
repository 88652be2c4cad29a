/* SPDX-License-Identifier: Apache-2.0
 *
 * prismatic.c: translation along the common z axis.
 *
 *   tree:      R = I         p = (0, 0, q)
 *              S = (0, z)    c = 0
 *   loop:      a_x . (pB - pA) = 0
 *              a_y . (pB - pA) = 0
 *              axial vector of A'B = 0
 *   position:  a_z . (pB - pA)
 */
#include "joints/rows.h"
#include "joints/tree.h"

static const uint8_t rows[] = {HK_S_X, HK_S_Y, HK_S_RX, HK_S_RY, HK_S_RZ};
static const uint8_t scalars[] = {HK_S_Z};
HK_LOOP_FACE(rows);
HK_COORD_FACE(scalars);
HK_MEASURE_FACE(scalars);

static void tree(const void *par, const double *q, const double *v, hk_joint_tree *out) {
  (void)par, (void)v;
  hki_tree_identity(out);
  out->p[2] = q[0];
  hki_tree_column(out, 0, 5, 1.0);
}

const hk_joint_ops hki_joint_prismatic = {
    .name = "prismatic",
    .alias = "slide",
    .text = "slides along one axis without turning",
    .source = HK_SOURCE_TREE "; " HK_SOURCE_ROWS,
    .coords = "position",
    .rates = "velocity",
    .units = "m",
    .caps = HK_JOINT_TRANSLATION_Z,
    .params = hki_joint_axis_params,
    .inverse = HK_INVERSE_MINUS(1),
    .mirror = HK_MIRROR_SLIDES,
    .place = HK_PLACE_ANYWHERE,
    .plane = {.rule = HK_PLANE_AXIS,
              .across = HK_JOINT_ITSELF,
              .words = "its axis must lie in the plane"},
    .friction = {.press = HK_PRESS_X | HK_PRESS_Y, .scalars = 1u},
    .glyph = HK_GLYPH_SLIDER,
    HK_OPS_LOOP,
    HK_OPS_SCALARS(1),
};
