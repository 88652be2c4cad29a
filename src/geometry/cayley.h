/* SPDX-License-Identifier: Apache-2.0
 *
 * cayley.h: Cayley-Gibbs-Rodrigues parameters g of a rotation, R = R0 R(g). g is body-fixed, along
 * the axis of rotation, of length 2 tan(x/2) for the angle x. With k = 4/(4 + g.g) and [g] the
 * matrix of g x:
 *
 *   R(g)   = 1 + k ([g] + [g]^2/2)       as a unit quaternion: (1, g/2) sqrt(k)
 *   v      = G' dg/dt                    angular velocity in body axes
 *   G'     = k (1 - [g]/2)
 *   G'^-1  = 1 + [g]/2 + g g'/4
 *
 * The source uses world axes: with parameters R0 g, R = R(R0 g) R0 and its matrix is G. Both
 * describe the same rotation.
 *
 * Source: Masarati, Morandini and Mantegazza 2014, eqs. 8-11.
 */
#ifndef HK_GEOMETRY_CAYLEY_H
#define HK_GEOMETRY_CAYLEY_H

#include "geometry/geometry.h"

static inline double cayley_factor(const double *g) { return 4.0 / (4.0 + v3_dot(g, g)); }

/* q_out = q (+) g, unit quaternions; may alias */
static inline void cayley_plus(double *q_out, const double *q, const double *g) {
  const double e[4] = {1.0, 0.5 * g[0], 0.5 * g[1], 0.5 * g[2]};
  double r[4];
  quat_mul(r, q, e);
  quat_normalize(r);
  memcpy(q_out, r, sizeof r);
}

/* g such that q1 = q0 (+) g; q0 and q1 must be less than half a turn apart */
static inline void cayley_minus(double *g, const double *q1, const double *q0) {
  double c[4], r[4];
  quat_conj(c, q0);
  quat_mul(r, c, q1);
  v3_scale(g, 2.0 / r[0], r + 1);
}

/* v = G'(g) w: angular velocity in body axes from the rate w of the parameters; may alias */
static inline void cayley_push(const double *g, const double *w, double *v) {
  const double k = cayley_factor(g);
  double x[3];
  v3_cross(x, g, w);
  for (int i = 0; i < 3; i++) v[i] = k * (w[i] - 0.5 * x[i]);
}

/* w = G'(g)^-1 v; may alias */
static inline void cayley_pull(const double *g, const double *v, double *w) {
  const double d = 0.25 * v3_dot(g, v);
  double x[3];
  v3_cross(x, g, v);
  for (int i = 0; i < 3; i++) w[i] = v[i] + 0.5 * x[i] + d * g[i];
}

/* r = derivative of G'(g) w along g + s e, w fixed */
static inline void cayley_slope(const double *g, const double *e, const double *w, double *r) {
  const double k = cayley_factor(g), f = -0.5 * k * v3_dot(g, e);
  double v[3], x[3];
  cayley_push(g, w, v);
  v3_cross(x, w, e);
  for (int i = 0; i < 3; i++) r[i] = f * v[i] + 0.5 * k * x[i];
}

#endif
