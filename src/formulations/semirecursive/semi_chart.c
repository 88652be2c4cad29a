/* SPDX-License-Identifier: Apache-2.0
 *
 * semi_chart.c: the increment D of a stage as coordinates: its rates, and the velocities and
 * accelerations that go with them.
 *
 * Only rotations by quaternion differ. With R = R0 exp(d), d the body-fixed rotation vector, x =
 * |d|:
 *   v = J w,  w = d(d)/dt,   J = 1 - b [d] + c [d]^2,  b = (1 - cos x)/x^2,  c = (x - sin x)/x^3
 *   a = J dw/dt + (dJ/dt) w
 *   (dJ/dt) w = -b' d x w + c' d x (d x w) + c w x (d x w)
 *   b' = (d . w)(a - 2 b)/x^2,  c' = (d . w)(b - 3 c)/x^2,  a = sin x / x
 *   J^-1 = 1 + [d]/2 + e [d]^2,  e = (1 - a/(2 b))/x^2
 *
 * A Runge-Kutta method applied to (D, w) is applied to an ordinary differential equation and keeps
 * its order; sums of angular velocities alone would cap it at 2 (Munthe-Kaas 1999; Hairer, Lubich
 * and Wanner, Geometric Numerical Integration, IV.8).
 */
#include "formulations/semirecursive/semi.h"

static const double series_below = 0.02; /* x^2 */

/* r = p + f d x p + g d x (d x p) */
static void twist(const double *d, double f, double g, const double *p, double *r) {
  double y[3], z[3];
  v3_cross(y, d, p);
  v3_cross(z, d, y);
  for (int i = 0; i < 3; i++) r[i] = p[i] + f * y[i] + g * z[i];
}

/* (dJ/dt) w */
static void bend(const double *d, const double *w, double *r) {
  double a, b, c, db, dc, y[3], z[3], u[3], x2 = v3_dot(d, d), dw = v3_dot(d, w);
  rot_series(x2, &a, &b, &c);
  if (x2 < series_below) {
    db = -1.0 / 12.0 + x2 * (1.0 / 180.0 + x2 * (-1.0 / 6720.0 + x2 / 453600.0));
    dc = -1.0 / 60.0 + x2 * (1.0 / 1260.0 + x2 * (-1.0 / 60480.0 + x2 / 4989600.0));
  } else {
    db = (a - 2.0 * b) / x2;
    dc = (b - 3.0 * c) / x2;
  }
  v3_cross(y, d, w);
  v3_cross(z, d, y);
  v3_cross(u, w, y);
  for (int i = 0; i < 3; i++) r[i] = dw * (dc * z[i] - db * y[i]) + c * u[i];
}

void hki_semi_chart_velocity(const hk_semi *s, const double *D, const double *w, double *v) {
  double a, b, c, r[3];
  if (v != w) memcpy(v, w, (size_t)s->m->nv * sizeof *v);
  for (int32_t i = 0; i < s->m->nv; i++) {
    if (!s->quat[i]) continue;
    rot_series(v3_dot(D + i, D + i), &a, &b, &c);
    twist(D + i, -b, c, w + i, r);
    v3_copy(v + i, r);
    i += 2;
  }
}

void hki_semi_chart_bend(const hk_semi *s, const double *D, const double *w, double *z) {
  memset(z, 0, (size_t)s->m->nv * sizeof *z);
  for (int32_t i = 0; i < s->m->nv; i++) {
    if (!s->quat[i]) continue;
    bend(D + i, w + i, z + i);
    i += 2;
  }
}

void hki_semi_chart_pull(const hk_semi *s, const double *D, double *r) {
  double a, b, c, t[3];
  for (int32_t i = 0; i < s->m->nv; i++) {
    if (!s->quat[i]) continue;
    rot_series(v3_dot(D + i, D + i), &a, &b, &c);
    twist(D + i, b, c, r + i, t);
    v3_copy(r + i, t);
    i += 2;
  }
}

void hki_semi_chart_step(const hk_semi *s, const double *D, double *x) {
  double a, b, c, t[3];
  for (int32_t i = 0; i < s->m->nv; i++) {
    if (!s->quat[i]) continue;
    double x2 = v3_dot(D + i, D + i), e;
    rot_series(x2, &a, &b, &c);
    e = x2 < series_below ? 1.0 / 12.0 + x2 * (1.0 / 720.0 + x2 * (1.0 / 30240.0 + x2 / 1209600.0))
                          : (1.0 - 0.5 * a / b) / x2;
    twist(D + i, 0.5, e, x + i, t);
    v3_copy(x + i, t);
    i += 2;
  }
}

void hki_semi_stage(hk_semi *s, const hk_stage *st, const double *D) {
  const int32_t nv = s->m->nv;
  hki_semi_plus(s->m, st->q0, D, s->q);
  for (int32_t i = 0; i < nv; i++) {
    s->v[i] = st->vh[i] + st->cv * D[i];
    s->a[i] = st->ah[i] + st->ca * D[i];
  }
  if (!st->chart) return;
  hki_semi_chart_bend(s, D, s->v, s->y);
  hki_semi_chart_velocity(s, D, s->v, s->v);
  hki_semi_chart_velocity(s, D, s->a, s->a);
  for (int32_t i = 0; i < nv; i++) s->a[i] += s->y[i];
}
