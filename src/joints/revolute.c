/* SPDX-License-Identifier: Apache-2.0
 *
 * revolute.c: rotation about the common z axis through the common origin.
 *
 *   tree:   R = Rz(q)     p = 0
 *           S = (z, 0)    c = 0
 *   loop:   a_k . (pB - pA) = 0         k = x y z
 *           a_x . b_z = 0
 *           a_y . b_z = 0
 *   angle:  twist about z
 */
#include "joints/rows.h"
#include "joints/tree.h"

static const uint8_t rows[] = {HK_S_X, HK_S_Y, HK_S_Z, HK_S_XZ, HK_S_YZ};
static const uint8_t scalars[] = {HK_S_TWIST};
HK_LOOP_FACE(rows);
HK_COORD_FACE(scalars);
HK_MEASURE_FACE(scalars);

static void tree(const void *par, const double *q, const double *v, hk_joint_tree *out) {
  (void)par, (void)v;
  hki_tree_identity(out);
  hki_tree_turn_z(out, q[0]);
  hki_tree_column(out, 0, 2, 1.0);
}

const hk_joint_ops hki_joint_revolute = {
    .name = "revolute",
    .alias = "hinge continuous",
    .text = "turns about one axis",
    .source = HK_SOURCE_TREE "; " HK_SOURCE_ROWS,
    .coords = "angle",
    .rates = "rate",
    .units = "rad",
    .caps = HK_JOINT_ROTATION_Z | HK_JOINT_POINT,
    .params = hki_joint_axis_params,
    .inverse = HK_INVERSE_MINUS(1),
    .mirror = HK_MIRROR_TURNS,
    .plane = {.rule = HK_PLANE_AXIS,
              .along = HK_JOINT_ITSELF,
              .words = "its axis must be along the normal of the plane"},
    .friction = {.press = HK_PRESS_ALL, .scalars = 1u},
    .glyph = HK_GLYPH_PIN,
    HK_OPS_LOOP,
    HK_OPS_SCALARS(1),
};
