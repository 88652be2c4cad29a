/* SPDX-License-Identifier: Apache-2.0
 *
 * constant_velocity.c: two shafts that meet at one point and turn alike at any angle between them.
 * z of A and z of B are the shafts. The relative rotation is about an axis f across both of them,
 * which is two equal rotations of half the angle, one on each side of the plane that bisects the
 * angle: the twist of B against A about the shafts is zero.
 *
 *   tree:  R = exp([f])     f = (q0, q1, 0)    p = 0
 *          S = [(J x, 0), (J y, 0)]            J = 1 + b [f] + c [f]^2  (geometry/chart.h, d = -f)
 *          c = ((dJ/dt) f', 0)
 *   loop:  a_k . (pB - pA) = 0                 k = x y z
 *          (a_y . b_x - a_x . b_y)/2 = 0       z of the axial vector: (1 + cos |f|)/2 sin(twist)
 *   q:     x and y of the rotation vector log(A'B), at most half a turn long
 */
#include "geometry/chart.h"
#include "joints/rows.h"
#include "joints/tree.h"

static const uint8_t rows[] = {HK_S_X, HK_S_Y, HK_S_Z, HK_S_RZ};
static const uint8_t scalars[] = {HK_S_LOGX, HK_S_LOGY};
HK_LOOP_FACE(rows);
HK_COORD_FACE(scalars);
HK_MEASURE_FACE(scalars);

static void tree(const void *par, const double *q, const double *v, hk_joint_tree *out) {
  const double f[3] = {q[0], q[1], 0.0}, d[3] = {-q[0], -q[1], 0.0};
  (void)par;
  hki_tree_identity(out);
  rot_exp(out->R, f);
  for (int32_t k = 0; k < 2; k++) {
    const double e[3] = {k == 0, k == 1, 0.0};
    s6_zero(out->S + 6 * k);
    chart_push(d, e, out->S + 6 * k);
  }
  if (!v) return;
  const double dd[3] = {-v[0], -v[1], 0.0};
  double bend[3];
  chart_bend(d, dd, bend);
  v3_scale(out->c, -1.0, bend);
}

const hk_joint_ops hki_joint_constant_velocity = {
    .name = "constant_velocity",
    .alias = "cv homokinetic",
    .text = "joins two shafts that meet at a point and turn alike at any angle between them",
    .source = "Hunt, Constant-velocity shaft couplings: a general theory (1973), Journal of "
              "Engineering for Industry 95",
    .coords = "tilt.x tilt.y",
    .rates = "rates.x rates.y",
    .units = "rad rad",
    .caps = HK_JOINT_POINT | HK_JOINT_TILTS,
    .params = hki_joint_shaft_params,
    .inverse = HK_INVERSE_MINUS(2),
    .mirror = HK_MIRROR_TURNS,
    .plane = {.words = "it turns shafts in space; a bend in the plane alone is a revolute joint"},
    .friction = {.press = HK_PRESS_ALL | HK_PRESS_TWIST, .slides = HK_SLIDES_TURNS},
    .glyph = HK_GLYPH_CROSS,
    HK_OPS_LOOP,
    HK_OPS_SCALARS(2),
};
