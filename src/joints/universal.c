/* SPDX-License-Identifier: Apache-2.0
 *
 * universal.c: Hooke's joint: rotation a about `axis`, z of A, then rotation b about `axis2`,
 * n = (sin psi, 0, cos psi) in B, both through the common origin. psi: angle between the axes.
 *
 *   tree:  R = Rz(a) R_n(b)                  p = 0
 *          S = [(z, 0), (Rz(a) n, 0)]        c = (a' b' z x Rz(a) n, 0)
 *   loop:  a_k . (pB - pA) = 0               k = x y z
 *          a_z . n - cos psi = 0
 *   a:     atan2(a_y . n, a_x . n)
 *   b:     atan2(a_z . b_y, a_z . e)         e = (-cos psi, 0, sin psi) in B
 *
 * Both angles are well defined in all positions, as long as sin psi is not zero.
 */
#include "joints/rows.h"
#include "joints/tree.h"

static const uint8_t rows[] = {HK_S_X, HK_S_Y, HK_S_Z, HK_S_AXIS2};
static const uint8_t scalars[] = {HK_S_ANGLE_A, HK_S_ANGLE_B};
HK_LOOP_FACE(rows);
HK_COORD_FACE(scalars);
HK_MEASURE_FACE(scalars);

typedef struct universal_par {
  double sin_psi, cos_psi; /* axis2 in the markers' x-z plane, for HK_S_AXIS2 and the angles */
} universal_par;

static void tree(const void *par, const double *q, const double *v, hk_joint_tree *out) {
  double s = ((const universal_par *)par)->sin_psi, c = ((const universal_par *)par)->cos_psi;
  double Ra[9], Rb[9], *axis2 = out->S + 6;
  hki_tree_identity(out);
  hki_tree_turn_z(out, q[0]);
  memcpy(Ra, out->R, sizeof Ra);
  rot_axis(Rb, (const double[]){s, 0.0, c}, q[1]);
  m3_mul(out->R, Ra, Rb);

  hki_tree_column(out, 0, 2, 1.0);
  s6_zero(axis2);
  v3_set(axis2, s * Ra[0], s * Ra[3], c);
  /* z x axis2 */
  if (v) out->c[0] = -v[0] * v[1] * axis2[1], out->c[1] = v[0] * v[1] * axis2[0];
}

/* The inverse motion has the axes exchanged: (Rz(a) Rn(b))^-1 = Rn(-b) Rz(-a). In the new axes Q
 *   x' = (z - cos psi n)/sin psi      y' = z' x x'      z' = n
 * axis2 is the new z, and the old z is (sin psi, 0, cos psi) again. */
static void turn(const void *par, double *Q) {
  const universal_par *u = par;
  double z[3] = {u->sin_psi, 0.0, u->cos_psi}, x[3] = {0, 0, 1}, y[3];
  v3_axpy(x, -v3_dot(x, z), z);
  v3_normalize(x);
  v3_cross(y, z, x);
  for (int i = 0; i < 3; i++) Q[3 * i] = x[i], Q[3 * i + 1] = y[i], Q[3 * i + 2] = z[i];
}

static const hk_param params[] = {
    HK_PARAM_HAND("axis", HK_P_AXIS, HK_P_REQUIRED, "axis that is fixed in the first body"),
    {.name = "axis2",
     .type = HK_P_AXIS2,
     .flags = HK_P_REQUIRED,
     .offset = (int32_t)offsetof(universal_par, sin_psi),
     .unit = "",
     .text = "axis that is fixed in the second body; not parallel to axis"},
    HK_PARAM_END};

const hk_joint_ops hki_joint_universal = {
    .name = "universal",
    .alias = "hooke cardan",
    .text = "turns about two crossing axes, one in each body",
    .source = HK_SOURCE_ROWS,
    .coords = "angles.a angles.b",
    .rates = "rates.a rates.b",
    .units = "rad rad",
    .caps = HK_JOINT_POINT,
    .par_size = sizeof(universal_par),
    .params = params,
    .inverse = {.own = true, .turn = turn, .minus = {2, 1}},
    .mirror = HK_MIRROR_TURNS,
    .plane = {.words = "its motion leaves the plane"},
    .friction = {.press = HK_PRESS_ALL, .scalars = 3u},
    .glyph = HK_GLYPH_CROSS,
    HK_OPS_LOOP,
    HK_OPS_SCALARS(2),
};
