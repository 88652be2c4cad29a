/* SPDX-License-Identifier: Apache-2.0
 *
 * chart.h: a rotation vector d as coordinates of a rotation, R = R0 exp(d), d body-fixed. With
 * x = |d|, w the time derivative of d, [d] the matrix of d x, and
 *
 *   s = sin x / x        b = (1 - cos x)/x^2        c = (x - sin x)/x^3
 *
 * angular velocity v and acceleration a in body axes are
 *
 *   v         = J w
 *   a         = J dw/dt + (dJ/dt) w
 *   J         = 1 - b [d] + c [d]^2
 *   J^-1      = 1 + [d]/2 + e [d]^2                   e = (1 - s/(2 b))/x^2
 *   (dJ/dt) w = -b' d x w + c' d x (d x w) + c w x (d x w)
 *   b'        = (d . w)(s - 2 b)/x^2                  time derivatives of b and c
 *   c'        = (d . w)(b - 3 c)/x^2
 *
 * Source: Iserles, Munthe-Kaas, Norsett and Zanna 2000, section 2.
 */
#ifndef HK_GEOMETRY_CHART_H
#define HK_GEOMETRY_CHART_H

#include "geometry/geometry.h"

/* below this x^2 the series are used */
static const double chart_series_below = 0.02;

/* r = p + f d x p + g d x (d x p); r may alias p */
static inline void chart_twist(const double *d, double f, double g, const double *p, double *r) {
  double y[3], z[3];
  v3_cross(y, d, p);
  v3_cross(z, d, y);
  for (int i = 0; i < 3; i++) r[i] = p[i] + f * y[i] + g * z[i];
}

/* r = J(d) w */
static inline void chart_push(const double *d, const double *w, double *r) {
  double a, b, c;
  rot_series(v3_dot(d, d), &a, &b, &c);
  chart_twist(d, -b, c, w, r);
}

/* e of J^-1 */
static inline double chart_inverse_factor(const double *d) {
  double a, b, c, x2 = v3_dot(d, d);
  if (x2 < chart_series_below)
    return 1.0 / 12.0 + x2 * (1.0 / 720.0 + x2 * (1.0 / 30240.0 + x2 / 1209600.0));
  rot_series(x2, &a, &b, &c);
  return (1.0 - 0.5 * a / b) / x2;
}

/* r = J(d)' p */
static inline void chart_transpose(const double *d, const double *p, double *r) {
  double a, b, c;
  rot_series(v3_dot(d, d), &a, &b, &c);
  chart_twist(d, b, c, p, r);
}

/* r = J(d)^-1 v */
static inline void chart_pull(const double *d, const double *v, double *r) {
  chart_twist(d, 0.5, chart_inverse_factor(d), v, r);
}

/* b and c of J, and the factors of their rates: b' = (d . w) db, c' = (d . w) dc */
static inline void chart_factors(const double *d, double *b, double *c, double *db, double *dc) {
  double a, x2 = v3_dot(d, d);
  rot_series(x2, &a, b, c);
  if (x2 < chart_series_below) {
    *db = -1.0 / 12.0 + x2 * (1.0 / 180.0 + x2 * (-1.0 / 6720.0 + x2 / 453600.0));
    *dc = -1.0 / 60.0 + x2 * (1.0 / 1260.0 + x2 * (-1.0 / 60480.0 + x2 / 4989600.0));
  } else {
    *db = (a - 2.0 * *b) / x2;
    *dc = (*b - 3.0 * *c) / x2;
  }
}

/* r = (dJ/dt) w */
static inline void chart_bend(const double *d, const double *w, double *r) {
  double b, c, db, dc, y[3], z[3], u[3], dw = v3_dot(d, w);
  chart_factors(d, &b, &c, &db, &dc);
  v3_cross(y, d, w);
  v3_cross(z, d, y);
  v3_cross(u, w, y);
  for (int i = 0; i < 3; i++) r[i] = dw * (dc * z[i] - db * y[i]) + c * u[i];
}

/* r = derivative of J(d) y along d + s e, y fixed */
static inline void chart_slope(const double *d, const double *e, const double *y, double *r) {
  double b, c, db, dc, dy[3], ddy[3], ey[3], t[3], de = v3_dot(d, e);
  chart_factors(d, &b, &c, &db, &dc);
  v3_cross(dy, d, y);
  v3_cross(ddy, d, dy);
  v3_cross(ey, e, y);
  v3_cross(t, e, dy);
  v3_cross_add(t, d, ey);
  for (int i = 0; i < 3; i++) r[i] = de * (dc * ddy[i] - db * dy[i]) - b * ey[i] + c * t[i];
}

#endif
