/* SPDX-License-Identifier: Apache-2.0
 *
 * fixed.c: B is welded to A.
 *
 *   tree:  R = I, p = 0, no coordinates
 *   loop:  a_k . (pB - pA) = 0         k = x y z
 *          axial vector of A'B = 0
 */
#include "joints/rows.h"
#include "joints/tree.h"

static const uint8_t rows[] = {HK_S_X, HK_S_Y, HK_S_Z, HK_S_RX, HK_S_RY, HK_S_RZ};
HK_LOOP_FACE(rows);

static void tree(const void *par, const double *q, const double *v, hk_joint_tree *out) {
  (void)par, (void)q, (void)v;
  hki_tree_identity(out);
}

static void measure(const void *par, const hk_frame *A, const hk_frame *B, const double *q_near,
                    double *q, double *v) {
  (void)par, (void)A, (void)B, (void)q_near, (void)q, (void)v;
}

const hk_joint_ops hki_joint_fixed = {
    .name = "fixed",
    .alias = "weld",
    .text = "welds the second body to the first",
    .source = HK_SOURCE_ROWS,
    .coords = "",
    .rates = "",
    .units = "",
    .caps = HK_JOINT_RIGID | HK_JOINT_POINT,
    .params = hki_joint_no_params,
    .inverse = {.own = true},
    .place = HK_PLACE_ANYWHERE,
    .plane = {.rule = HK_PLANE_TURNED, .along = HK_JOINT_ITSELF},
    .friction = {.none = "nothing moves in it"},
    .glyph = HK_GLYPH_CUBE,
    .tree = tree,
    .plus = hki_plus_0,
    .minus = hki_minus_0,
    HK_OPS_LOOP,
    .measure = measure,
};
