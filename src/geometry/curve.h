/* SPDX-License-Identifier: Apache-2.0
 *
 * curve.h: a plane curve c(u), the outline of a cam or a slot, and the distance of a point from it.
 *
 * The curve consists of pieces that are polynomials of degree 5 in u, with continuous second
 * derivatives. A closed one runs counter-clockwise; an open one goes on straight beyond its ends. With t the unit tangent, n = (t_y, -t_x) the outward
 * normal, k the curvature (positive where the curve is convex) and ' the derivative by the length of arc:
 *
 *   foot of p    (p - c) . t = 0            the nearest point of the curve
 *   distance     s = (p - c) . n            negative inside
 *   grad s       n
 *   Hessian      K t t'                     K = k/(1 + k s)
 *   dK           -K^2 along n,  k'/(1 + k s)^3 along t
 *   dn, dt       K t, -K n along t
 *
 * Of a closed convex curve, the point with the outward normal m = (cos th, sin th):
 *
 *   dc/dth = r t,   d2c/dth2 = (dr/dth) t - r m         r = 1/k,  dr/dth = -k'/k^3
 *
 * Source: do Carmo, Differential Geometry of Curves and Surfaces (1976), section 1-7 (parallel
 * curves).
 */
#ifndef HK_GEOMETRY_CURVE_H
#define HK_GEOMETRY_CURVE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* c = sum of x[i] v^i, y[i] v^i with v = u - u0 from 0 to `length` */
typedef struct hk_curve_piece {
  double length, x[6], y[6];
} hk_curve_piece;

typedef struct hk_curve {
  int32_t n; /* pieces */
  const hk_curve_piece *piece;
  bool open;
} hk_curve;

/* a point of the curve: c and its first, second and third derivatives by u */
typedef struct hk_curve_point {
  double x[4], y[4];
} hk_curve_point;

/* the foot of a point */
typedef struct hk_curve_foot {
  double s;          /* distance, m */
  double n[2], t[2]; /* outward normal, tangent */
  double K, Kn, Kt;  /* 1/m; derivatives of K along n and t, 1/m^2 */
} hk_curve_foot;

/* value and derivatives of a polynomial of degree 5 */
static inline void curve_jet(const double *c, double v, double *out) {
  out[0] = c[0] + v * (c[1] + v * (c[2] + v * (c[3] + v * (c[4] + v * c[5]))));
  out[1] = c[1] + v * (2 * c[2] + v * (3 * c[3] + v * (4 * c[4] + v * 5 * c[5])));
  out[2] = 2 * c[2] + v * (6 * c[3] + v * (12 * c[4] + v * 20 * c[5]));
  out[3] = 6 * c[3] + v * (24 * c[4] + v * 60 * c[5]);
}

static inline void curve_point(const hk_curve *C, int32_t i, double v, hk_curve_point *out) {
  curve_jet(C->piece[i].x, v, out->x);
  curve_jet(C->piece[i].y, v, out->y);
}

/* the place (i, v) on the curve, moved by dv, at most one piece; beyond the ends of an open curve it
 * stays in the first or last piece */
static inline void curve_move(const hk_curve *C, int32_t *i, double *v, double dv) {
  const double h = C->piece[*i].length;
  *v += dv;
  if (*v < 0.0 && !(C->open && *i == 0)) {
    *i = *i > 0 ? *i - 1 : C->n - 1;
    *v += C->piece[*i].length;
  } else if (*v >= h && !(C->open && *i + 1 == C->n)) {
    *v -= h;
    *i = *i + 1 < C->n ? *i + 1 : 0;
  }
}

/* the same with places beyond the ends of an open curve, which are on straight lines */
static inline void curve_at(const hk_curve *C, int32_t i, double v, hk_curve_point *out) {
  const double h = C->piece[i].length, in = v < 0.0 ? 0.0 : v > h ? h : v, beyond = v - in;
  curve_point(C, i, in, out);
  if (!C->open || beyond == 0.0) return;
  out->x[0] += beyond * out->x[1], out->y[0] += beyond * out->y[1];
  out->x[2] = out->x[3] = out->y[2] = out->y[3] = 0.0;
}

/* curvature, and its derivative by the length of arc */
static inline double curve_curvature(const hk_curve_point *c, double *slope) {
  const double l2 = c->x[1] * c->x[1] + c->y[1] * c->y[1], l = sqrt(l2);
  const double k = (c->x[1] * c->y[2] - c->y[1] * c->x[2]) / (l2 * l);
  const double cc = c->x[1] * c->x[2] + c->y[1] * c->y[2];
  *slope = ((c->x[1] * c->y[3] - c->y[1] * c->x[3]) / (l2 * l) - 3.0 * k * cc / l2) / l;
  return k;
}

/* the beginning of the piece that is nearest to p */
static inline int32_t curve_nearest(const hk_curve *C, const double *p) {
  double least = INFINITY;
  int32_t best = 0;
  for (int32_t i = 0; i < C->n; i++) {
    const double x = p[0] - C->piece[i].x[0], y = p[1] - C->piece[i].y[0], d = x * x + y * y;
    if (d < least) least = d, best = i;
  }
  return best;
}

/* the foot of p, by Newton's method from the nearest node */
static inline void curve_foot(const hk_curve *C, const double *p, hk_curve_foot *f) {
  enum { MOST = 30 };
  hk_curve_point c;
  double v = 0.0, slope;
  int32_t i = curve_nearest(C, p);
  for (int32_t k = 0; k < MOST; k++) {
    curve_at(C, i, v, &c);
    const double x = c.x[0] - p[0], y = c.y[0] - p[1], l2 = c.x[1] * c.x[1] + c.y[1] * c.y[1];
    const double g = x * c.x[1] + y * c.y[1], gd = l2 + x * c.x[2] + y * c.y[2];
    const double h = C->piece[i].length;
    // where the distance has no minimum nearby: downhill
    double dv = -g / (gd > 1e-3 * l2 ? gd : l2);
    dv = fmax(-h, fmin(h, dv));
    curve_move(C, &i, &v, dv);
    if (fabs(dv) <= 1e-15 * h) break;
  }
  curve_at(C, i, v, &c);
  const double l = sqrt(c.x[1] * c.x[1] + c.y[1] * c.y[1]), k = curve_curvature(&c, &slope);
  f->t[0] = c.x[1] / l, f->t[1] = c.y[1] / l;
  f->n[0] = f->t[1], f->n[1] = -f->t[0];
  f->s = (p[0] - c.x[0]) * f->n[0] + (p[1] - c.y[0]) * f->n[1];
  // at a centre of curvature there is no single foot
  double e = 1.0 + k * f->s;
  if (fabs(e) < 1e-6) e = 1e-6;
  f->K = k / e;
  f->Kn = -f->K * f->K;
  f->Kt = slope / (e * e * e);
}

/* the point of a closed convex curve that reaches farthest along m, by Newton's method from the node
 * that does */
static inline void curve_farthest(const hk_curve *C, const double *m, hk_curve_point *c) {
  enum { MOST = 30 };
  double top = -INFINITY, v = 0.0;
  int32_t i = 0;
  for (int32_t k = 0; k < C->n; k++) {
    const double far = m[0] * C->piece[k].x[0] + m[1] * C->piece[k].y[0];
    if (far > top) top = far, i = k;
  }
  for (int32_t k = 0; k < MOST; k++) {
    curve_point(C, i, v, c);
    const double g = m[0] * c->x[1] + m[1] * c->y[1], gd = m[0] * c->x[2] + m[1] * c->y[2];
    const double h = C->piece[i].length, size = hypot(m[0], m[1]) * hypot(c->x[1], c->y[1]);
    double dv = gd < -1e-6 * size / h ? -g / gd : g * h / (size > 0.0 ? size : 1.0);
    dv = fmax(-h, fmin(h, dv));
    curve_move(C, &i, &v, dv);
    if (fabs(dv) <= 1e-15 * h) break;
  }
  curve_point(C, i, v, c);
}

#endif
