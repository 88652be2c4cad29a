/* SPDX-License-Identifier: Apache-2.0
 *
 * planar.c: motion in the common x-y plane.
 *
 *   tree:   R = Rz(q2)                      p = (q0, q1, 0)
 *           S = [(0, x), (0, y), (z, 0)]    c = 0
 *   loop:   a_z . (pB - pA) = 0
 *           a_x . b_z = 0
 *           a_y . b_z = 0
 *   u, v:   a_x . (pB - pA), a_y . (pB - pA)
 *   angle:  twist about z
 */
#include "joints/rows.h"
#include "joints/tree.h"

static const uint8_t rows[] = {HK_S_Z, HK_S_XZ, HK_S_YZ};
static const uint8_t scalars[] = {HK_S_X, HK_S_Y, HK_S_TWIST};
HK_LOOP_FACE(rows);
HK_COORD_FACE(scalars);
HK_MEASURE_FACE(scalars);

static void tree(const void *par, const double *q, const double *v, hk_joint_tree *out) {
  (void)par, (void)v;
  hki_tree_identity(out);
  hki_tree_turn_z(out, q[2]);
  v3_set(out->p, q[0], q[1], 0.0);
  hki_tree_column(out, 0, 3, 1.0);
  hki_tree_column(out, 1, 4, 1.0);
  hki_tree_column(out, 2, 2, 1.0);
}

const hk_joint_ops hki_joint_planar = {
    .name = "planar",
    .text = "slides and turns in one plane",
    .source = HK_SOURCE_TREE "; " HK_SOURCE_ROWS,
    .coords = "position.u position.v angle",
    .rates = "velocity.u velocity.v rate",
    .units = "m m rad",
    .caps = HK_JOINT_PLANE,
    .params = hki_joint_normal_params,
    .inverse = {.own = true, .minus = {0, 0, 3}},
    .mirror = {1, 1, -1},
    .place = HK_PLACE_ANYWHERE,
    .plane = {.rule = HK_PLANE_AXIS,
              .along = HK_JOINT_ITSELF,
              .words = "its normal must be the normal of the plane"},
    .friction = {.press = HK_PRESS_Z,
                 .slides = HK_SLIDES_X | HK_SLIDES_Y | HK_SLIDES_RZ,
                 .spins = HK_SLIDES_RZ},
    .glyph = HK_GLYPH_PLATE,
    HK_OPS_LOOP,
    HK_OPS_SCALARS(3),
};
