/* SPDX-License-Identifier: Apache-2.0
 *
 * free.c: all six motions, no constraint.
 *
 *   tree:  R = R(quaternion)      p = q[0..2]
 *          v = (velocity of B's origin in A axes, angular velocity in B axes)
 *          S = [(0, I), (R, 0)]   c = 0
 *   plus:  position + d[0..2], quaternion * exp(d[3..5]/2)
 *   loop:  none
 */
#include "joints/rows.h"
#include "joints/tree.h"

static const uint8_t scalars[] = {HK_S_X, HK_S_Y, HK_S_Z};
HK_COORD_FACE(scalars);

static void tree(const void *par, const double *q, const double *v, hk_joint_tree *out) {
  (void)par, (void)v;
  hki_tree_identity(out);
  v3_copy(out->p, q);
  for (int k = 0; k < 3; k++) hki_tree_column(out, k, 3 + k, 1.0);
  hki_tree_quaternion(out, q + 3, 3);
}

static void plus(const double *q, const double *d, double *q_out) {
  v3_add(q_out, q, d);
  quat_plus(q_out + 3, q + 3, d + 3);
}
static void minus(const double *q1, const double *q0, double *d) {
  v3_sub(d, q1, q0);
  quat_minus(d + 3, q1 + 3, q0 + 3);
}

static void loop(const void *par, const hk_frame *A, const hk_frame *B, uint32_t need,
                 hk_joint_loop *out) {
  (void)par, (void)A, (void)B, (void)need, (void)out;
}
static void loop_geo(const void *par, const hk_frame *A, const hk_frame *B, const double *lam,
                     double *H) {
  (void)par, (void)A, (void)B, (void)lam;
  memset(H, 0, 144 * sizeof *H);
}

static void measure(const void *par, const hk_frame *A, const hk_frame *B, const double *q_near,
                    double *q, double *v) {
  hki_rows_measure(scalars, 3, par, A, B, NULL, q, v);
  hki_measure_quaternion(A, B, q_near ? q_near + 3 : NULL, q + 3, v + 3);
}

const hk_joint_ops hki_joint_free = {
    .name = "free",
    .alias = "floating",
    .text = "lets the second body move freely",
    .source = HK_SOURCE_TREE,
    .nq = 7,
    .nv = 6,
    .ns = 3,
    .scalars = scalars,
    .coords = "position.x position.y position.z "
              "orientation.w orientation.x orientation.y orientation.z",
    .rates = "velocity.x velocity.y velocity.z "
             "angular_velocity.x angular_velocity.y angular_velocity.z",
    .units = "m m m 1 1 1 1",
    .caps = HK_JOINT_QUATERNION | HK_JOINT_UNBOUND,
    .params = hki_joint_no_params,
    .inverse = {.own = true},
    .place = HK_PLACE_ANYWHERE,
    .plane = {.rule = HK_PLANE_TURNED, .along = HK_JOINT_PLANE},
    .friction = {.none = "nothing holds its bodies together, so that nothing presses them"},
    .glyph = HK_GLYPH_NONE,
    .tree = tree,
    .plus = plus,
    .minus = minus,
    .loop = loop,
    .loop_geo = loop_geo,
    .coord = coord,
    .coord_geo = coord_geo,
    .measure = measure,
};
