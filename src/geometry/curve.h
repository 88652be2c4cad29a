/* SPDX-License-Identifier: Apache-2.0
 *
 * curve.h: a closed plane curve c(u), the outline of a cam, and the distance of a point from it.
 *
 * The curve consists of pieces that are polynomials of degree 5 in u, with continuous second
 * derivatives; it runs counter-clockwise. With t the unit tangent, n = (t_y, -t_x) the outward
 * normal, k the curvature (positive where the curve is convex) and ' the derivative by the length of arc:
 *
 *   foot of p    (p - c) . t = 0            the nearest point of the curve
 *   distance     s = (p - c) . n            negative inside
 *   grad s       n
 *   Hessian      K t t'                     K = k/(1 + k s)
 *   dK           -K^2 along n,  k'/(1 + k s)^3 along t
 *   dn, dt       K t, -K n along t
 *
 * Source: do Carmo, Differential Geometry of Curves and Surfaces (1976), section 1-7 (parallel
 * curves).
 */
#ifndef HK_GEOMETRY_CURVE_H
#define HK_GEOMETRY_CURVE_H

#include <math.h>
#include <stdint.h>

/* c = sum of x[i] v^i, y[i] v^i with v = u - u0 from 0 to `length` */
typedef struct hk_curve_piece {
  double length, x[6], y[6];
} hk_curve_piece;

typedef struct hk_curve {
  int32_t n; /* pieces */
  const hk_curve_piece *piece;
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
    curve_point(C, i, v, &c);
    const double x = c.x[0] - p[0], y = c.y[0] - p[1], l2 = c.x[1] * c.x[1] + c.y[1] * c.y[1];
    const double g = x * c.x[1] + y * c.y[1], gd = l2 + x * c.x[2] + y * c.y[2];
    const double h = C->piece[i].length;
    // where the distance has no minimum nearby: downhill
    double dv = -g / (gd > 1e-3 * l2 ? gd : l2);
    dv = fmax(-h, fmin(h, dv));
    v += dv;
    if (v < 0.0) {
      i = i > 0 ? i - 1 : C->n - 1;
      v += C->piece[i].length;
    } else if (v >= h) {
      v -= h;
      i = i + 1 < C->n ? i + 1 : 0;
    }
    if (fabs(dv) <= 1e-15 * h) break;
  }
  curve_point(C, i, v, &c);
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

#endif
