/* SPDX-License-Identifier: Apache-2.0
 *
 * outline.c: the gap between a curve in the x-y plane of A (geometry/curve.h) and a roller of
 * radius r about the origin of B; r = 0: a point. With p = (a_x . d, a_y . d) and e = 1 outside the curve,
 * e = -1 inside:
 *
 *   phi      = e s(p) - r
 *
 * s is the distance of p from the curve, whose gradient n and Hessian K t t' lie in the x-y plane
 * of A. With a_n and a_t these directions in world axes, and g_t the gradient of a position row along
 * a_t (pair.h):
 *
 *   gradients  e times those of a position row along a_n
 *   gamma      e (a_n . g + K td^2)            td = g_t V, rate of p along t
 *   wrench     its derivative adds  e K lam g_t g_t'  to that of a position row along a_n
 *   d(gamma)   e times: the position row's, and with (pn, pt) the change of p along n and t:
 *              K (a_t . g) pt + (Kn pn + Kt pt) td^2 + 2 K td (d(td) - K nd pt)
 */
#include "joints/outline.h"

enum { TA = 0, PA = 3, TB = 6, PB = 9 };

static const hk_outline_num *numbers(const hk_pair *P) { return (const void *)P->num; }

/* the foot, and its normal and tangent in world axes */
typedef struct outline {
  hk_curve_foot f;
  double side, n[3], t[3];
} outline;

static void find(hk_pair *P, outline *o) {
  hki_pair_axes(P);
  const double p[2] = {v3_dot(P->a[0], P->d), v3_dot(P->a[1], P->d)};
  o->side = numbers(P)->inside ? -1.0 : 1.0;
  curve_foot(numbers(P)->curve, p, &o->f);
  for (int i = 0; i < 3; i++) {
    o->n[i] = o->f.n[0] * P->a[0][i] + o->f.n[1] * P->a[1][i];
    o->t[i] = o->f.t[0] * P->a[0][i] + o->f.t[1] * P->a[1][i];
  }
}

/* g (12): gradient of the position along the direction a of A */
static void gradient(const hk_pair *P, const double *a, double *g) {
  v3_cross(g + TA, a, P->d);
  v3_scale(g + PA, -1.0, a);
  v3_zero(g + TB);
  v3_copy(g + PB, a);
}

/* rate of the position along a */
static double rate(const hk_pair *P, const double *a) {
  double m[3];
  v3_cross(m, a, P->d);
  return v3_dot(m, P->A->w) + v3_dot(a, P->u);
}

void hki_row_outline(hk_pair *P, uint32_t need, int32_t i, hk_joint_loop *out) {
  outline o;
  find(P, &o);
  if (need & HK_LOOP_POS) out->phi[i] = o.side * o.f.s - numbers(P)->radius;
  if (need & HK_LOOP_JAC) {
    double g[12];
    gradient(P, o.n, g);
    for (int k = 0; k < 6; k++) {
      out->GA[6 * i + k] = o.side * g[k];
      out->GB[6 * i + k] = o.side * g[6 + k];
    }
  }
  if (need & HK_LOOP_ACC) {
    const double td = rate(P, o.t);
    out->gamma[i] = o.side * (v3_dot(o.n, P->g) + o.f.K * td * td);
  }
}

double hki_outline_geo(hk_pair *P, double lam, double *f, double *gt) {
  outline o;
  find(P, &o);
  v3_axpy(f, o.side * lam, o.n);
  gradient(P, o.t, gt);
  return o.side * lam * o.f.K;
}

/* d (12) += weight times the derivative of a . g at fixed twists, a fixed in A */
static void add_position(const hk_pair *P, const double *a, double weight, double *d) {
  double x[3];
  v3_cross(x, a, P->g);
  v3_axpy(d + TA, weight, x);
  v3_cross(x, P->A->w, a);
  v3_cross(x, P->A->w, x);
  v3_axpy(d + PB, weight, x);
  v3_axpy(d + PA, -weight, x);
}

/* d (12) += weight times the derivative of the rate along a, a fixed in A: of
 * a . (u - wA x d) = a . y, a x y by the rotation of A and wA x a by d */
static void add_rate(const hk_pair *P, const double *a, double weight, double *d) {
  double y[3], x[3];
  v3_cross(x, P->A->w, P->d);
  v3_sub(y, P->u, x);
  v3_cross(x, a, y);
  v3_axpy(d + TA, weight, x);
  v3_cross(x, P->A->w, a);
  v3_axpy(d + PB, weight, x);
  v3_axpy(d + PA, -weight, x);
}

void hki_outline_bias_geo(hk_pair *P, double *d) {
  outline o;
  double gn[12], gt[12];
  find(P, &o);
  gradient(P, o.n, gn);
  gradient(P, o.t, gt);
  const double K = o.f.K, td = rate(P, o.t), nd = rate(P, o.n);
  add_position(P, o.n, o.side, d);
  add_rate(P, o.t, 2.0 * o.side * K * td, d);
  const double along = K * v3_dot(o.t, P->g) + o.f.Kt * td * td - 2.0 * K * K * td * nd;
  const double across = o.f.Kn * td * td;
  for (int i = 0; i < 12; i++) d[i] += o.side * (along * gt[i] + across * gn[i]);
}
