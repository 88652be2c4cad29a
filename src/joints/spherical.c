/* SPDX-License-Identifier: Apache-2.0
 *
 * spherical.c: any rotation about the common origin.
 *
 *   tree:  R = R(quaternion)    p = 0
 *          S = (R, 0)           c = 0         v = angular velocity in B axes
 *   plus:  quaternion * exp(d/2), d in B axes
 *   loop:  a_k . (pB - pA) = 0                k = x y z
 */
#include "joints/rows.h"
#include "joints/tree.h"

static const uint8_t rows[] = {HK_S_X, HK_S_Y, HK_S_Z};
HK_LOOP_FACE(rows);

static void tree(const void *par, const double *q, const double *v, hk_joint_tree *out) {
  (void)par, (void)v;
  hki_tree_identity(out);
  hki_tree_quaternion(out, q, 0);
}

static void plus(const double *q, const double *d, double *q_out) { quat_plus(q_out, q, d); }
static void minus(const double *q1, const double *q0, double *d) { quat_minus(d, q1, q0); }

static void measure(const void *par, const hk_frame *A, const hk_frame *B, const double *q_near,
                    double *q, double *v) {
  (void)par;
  hki_measure_quaternion(A, B, q_near, q, v);
}

const hk_joint_ops hki_joint_spherical = {
    .name = "spherical",
    .alias = "ball",
    .text = "turns freely about one point",
    .source = HK_SOURCE_TREE "; " HK_SOURCE_ROWS,
    .nq = 4,
    .nv = 3,
    .coords = "orientation.w orientation.x orientation.y orientation.z",
    .rates = "angular_velocity.x angular_velocity.y angular_velocity.z",
    .units = "1 1 1 1",
    .caps = HK_JOINT_QUATERNION | HK_JOINT_POINT,
    .params = hki_joint_no_params,
    .inverse = {.own = true},
    .mirror = HK_MIRROR_TURNS,
    .plane = {.rule = HK_PLANE_TURNED, .along = HK_JOINT_ROTATION_Z},
    .holds = HK_HOLDS_FIRST | HK_HOLDS_SECOND,
    .friction = {.press = HK_PRESS_ALL, .slides = HK_SLIDES_TURNS},
    .glyph = HK_GLYPH_SPHERE,
    .tree = tree,
    .plus = plus,
    .minus = minus,
    HK_OPS_LOOP,
    .measure = measure,
};
