/* SPDX-License-Identifier: Apache-2.0
 *
 * contact.c: rows of a point at which B touches A, and which may not slip along a direction t: the
 * edge of a blade, the lowest point of a ball on a plane, that of a ball on a cylinder, the point of a
 * cam under a flat face. With
 * rho the vector from B's origin to the point, u = vB - vA, w = wB - wA:
 *
 *   slip       u_c  = u + w x rho - wA x d
 *   row        psi  = t . u_c
 *   gradients  (-(d + rho) x t, -t) at A,  (rho x t, t) at B
 *   gamma      = t_dot . u_c + t . (w x rho_dot - wA x u)
 *
 * An angular velocity about a direction m adds m . w to psi, (-m, 0) and (m, 0) to the gradients and
 * m_dot . w to gamma.
 *
 *   along      t = x, y, z of B                           rho = 0
 *   spin       m = x, y, z of A                           t = 0
 *   turn       m = x, y, z of B                           t = 0
 *   edge       t = n x b/|n x b|                          n: z of A, b: z of B; rho = 0
 *   ball       t = x, y of A; n, whose row is n . d - r   n: z of A; rho = -r n
 *   cylinder   t = z of A; z x n; n                       rho = -r n
 *              n = x/|x| outside, -x/|x| inside           x = d - (z . d) z
 *   round_n    m = n                                      of the cylinder; t = 0
 *   face       t = m; m . (d - c)                         m: normal of the face, fixed in B; rho = c - d
 *              c = c1 a_x + c2 a_y, the point of a convex curve in the x-y plane of A that reaches
 *              farthest along m; c1, c2 depend on the direction of m there (geometry/curve.h)
 *   face_t, z  t = b_z x m, b_z                           slips of the face
 *   outline_t  t = z x n, z: of A                         rho = -r n; n = n1 a_x + n2 a_y, the normal of a
 *   outline_z                                             curve in the x-y plane of A at the foot of d
 *
 * The last ones, and round_n, only say how surfaces slide that rub: they are no rows of a joint.
 *
 * Rows along n are rows on positions, since n . u_c is the rate of the distance; the others bind
 * velocities. A ball is outside of the cylinder where its centre is.
 *
 * t and rho are built from z, b and d by sums, products and division by a length. Each of these
 * operations acts on four things at once: the value, its rate at the twists of A and B, the change of
 * the value in the direction of a pose increment, and the change of the rate in this direction at
 * fixed twists. The derivatives of wrenches and of gamma follow by the product rule.
 *
 * Source: Neimark and Fufaev, Dynamics of Nonholonomic Systems (1972), ch. I and III.
 */
#include "joints/outline.h"
#include "joints/pair.h"

/* a vector, and a number, with rate, change and change of the rate */
typedef struct vec {
  double v[3], r[3], c[3], rc[3];
} vec;
typedef struct num {
  double v, r, c, rc;
} num;

static const vec still = {{0}, {0}, {0}, {0}};

/* direction of a pose increment: rotations of A and B, displacement of B relative to A */
typedef struct step {
  double tA[3], tB[3], d[3];
} step;

/* --- operations ------------------------------------------------------------------------------- */

static num dot(const vec *a, const vec *b) {
  num y;
  y.v = v3_dot(a->v, b->v);
  y.r = v3_dot(a->r, b->v) + v3_dot(a->v, b->r);
  y.c = v3_dot(a->c, b->v) + v3_dot(a->v, b->c);
  y.rc = v3_dot(a->rc, b->v) + v3_dot(a->r, b->c) + v3_dot(a->c, b->r) + v3_dot(a->v, b->rc);
  return y;
}

static void cross(vec *y, const vec *a, const vec *b) {
  v3_cross(y->v, a->v, b->v);
  v3_cross(y->r, a->r, b->v);
  v3_cross_add(y->r, a->v, b->r);
  v3_cross(y->c, a->c, b->v);
  v3_cross_add(y->c, a->v, b->c);
  v3_cross(y->rc, a->rc, b->v);
  v3_cross_add(y->rc, a->r, b->c);
  v3_cross_add(y->rc, a->c, b->r);
  v3_cross_add(y->rc, a->v, b->rc);
}

/* y += s a */
static void add(vec *y, num s, const vec *a) {
  for (int i = 0; i < 3; i++) {
    y->v[i] += s.v * a->v[i];
    y->r[i] += s.r * a->v[i] + s.v * a->r[i];
    y->c[i] += s.c * a->v[i] + s.v * a->c[i];
    y->rc[i] += s.rc * a->v[i] + s.r * a->c[i] + s.c * a->r[i] + s.v * a->rc[i];
  }
}

/* y = f a, f constant */
static void scale(vec *y, double f, const vec *a) {
  *y = still;
  add(y, (num){f, 0.0, 0.0, 0.0}, a);
}

/* y = a/|a|; returns |a| */
static double unit(vec *y, const vec *a) {
  const num aa = dot(a, a);
  const double s = fmax(sqrt(aa.v), HK_RIM_FLAT);
  // 1/s with s s = a . a
  const double sr = 0.5 * aa.r / s, sc = 0.5 * aa.c / s, src = (0.5 * aa.rc - sr * sc) / s;
  const num inverse = {1.0 / s, -sr / (s * s), -sc / (s * s), (2.0 * sr * sc / s - src) / (s * s)};
  *y = still;
  add(y, inverse, a);
  return s;
}

/* axis k of a frame that turns by t */
static void axis(vec *y, const hk_frame *F, int k, const double *t) {
  m3_column(y->v, F->R, k);
  v3_cross(y->r, F->w, y->v);
  v3_cross(y->c, t, y->v);
  v3_cross(y->rc, F->w, y->c);
}

/* --- the point and the direction -------------------------------------------------------------- */

/* t, rho and m of a row, and its value where it binds positions (0 else) */
typedef struct touch {
  vec t, rho, m;
  double phi;
} touch;

static void edge(const hk_pair *P, const step *s, touch *o) {
  vec n, b, m;
  axis(&n, P->A, 2, s->tA);
  axis(&b, P->B, 2, s->tB);
  cross(&m, &n, &b);
  unit(&o->t, &m);
  o->rho = still;
}

/* k: 0, 1 slip along x, y of A, 2: height */
static void ball(const hk_pair *P, int k, const step *s, touch *o) {
  vec n;
  axis(&n, P->A, 2, s->tA);
  axis(&o->t, P->A, k, s->tA);
  scale(&o->rho, -P->num[0], &n);
  if (k == 2) o->phi = v3_dot(n.v, P->d) - P->num[0];
}

/* k: 0 slip along the axis, 1 around it, 2: distance from the surface less the radius, 3: spin */
static void cylinder(const hk_pair *P, int k, const step *s, touch *o) {
  vec z, d, x, n;
  if (k == 3) o->t = still;
  axis(&z, P->A, 2, s->tA);
  v3_copy(d.v, P->d);
  v3_copy(d.r, P->u);
  v3_copy(d.c, s->d);
  v3_zero(d.rc);
  num along = dot(&z, &d);
  along.v = -along.v, along.r = -along.r, along.c = -along.c, along.rc = -along.rc;
  x = d;
  add(&x, along, &z);
  const double far = unit(&d, &x), side = far > P->num[1] ? 1.0 : -1.0;
  scale(&n, side, &d);
  scale(&o->rho, -P->num[0], &n);
  if (k == 0) o->t = z;
  if (k == 1) cross(&o->t, &z, &n);
  if (k == 2) o->t = n, o->phi = side * (far - P->num[1]) - P->num[0];
  if (k == 3) o->m = n;
}

/* angle of the direction (x, y) */
static num angle(const num *x, const num *y) {
  const double q = fmax(x->v * x->v + y->v * y->v, HK_ANGLE_TINY);
  num a = {.v = atan2(y->v, x->v)};
  a.r = (x->v * y->r - y->v * x->r) / q;
  a.c = (x->v * y->c - y->v * x->c) / q;
  a.rc = (x->c * y->r + x->v * y->rc - y->c * x->r - y->v * x->rc) / q -
         2.0 * a.r * (x->v * x->c + y->v * y->c) / q;
  return a;
}

/* n, z of a curve and the point under a roller: k: 0 slip along the curve, 1 across it. With the
 * distance s(p) of a point from the curve, grad s = n, its Hessian K t t' */
static void outline(const hk_pair *P, int k, const step *s, touch *o) {
  const hk_outline_num *f = (const void *)P->num;
  vec a[3], d, n = still;
  num p[2];
  hk_curve_foot c;
  for (int i = 0; i < 3; i++) axis(&a[i], P->A, i, s->tA);
  v3_copy(d.v, P->d);
  v3_copy(d.r, P->u);
  v3_copy(d.c, s->d);
  v3_zero(d.rc);
  for (int i = 0; i < 2; i++) p[i] = dot(&a[i], &d);
  curve_foot(f->curve, (const double[]){p[0].v, p[1].v}, &c);
  // the ways of p along t and n
  const double tr = c.t[0] * p[0].r + c.t[1] * p[1].r, tc = c.t[0] * p[0].c + c.t[1] * p[1].c;
  const double nr = c.n[0] * p[0].r + c.n[1] * p[1].r, nc = c.n[0] * p[0].c + c.n[1] * p[1].c;
  const double trc = c.t[0] * p[0].rc + c.t[1] * p[1].rc;
  // change of K t (t . rate of p), with dt = -K n, dK = Kn along n and Kt along t
  const double along = (c.Kn * nc + c.Kt * tc) * tr + c.K * (trc - c.K * tc * nr);
  for (int i = 0; i < 2; i++)
    add(&n,
        (num){c.n[i], c.K * tr * c.t[i], c.K * tc * c.t[i],
              along * c.t[i] - c.K * c.K * tr * tc * c.n[i]},
        &a[i]);
  scale(&o->rho, f->inside ? f->radius : -f->radius, &n);
  if (k)
    o->t = a[2];
  else
    cross(&o->t, &a[2], &n);
}

/* which: 0 gap, 1 slip along the face in the plane of the curve as drawn, 2 along z of B */
static void face(const hk_pair *P, int which, const step *s, touch *o) {
  const hk_face_num *f = (const void *)P->num;
  vec a[2], b[2];
  num m[2], c[2];
  hk_curve_point p;
  double slope;
  for (int k = 0; k < 2; k++) {
    axis(&a[k], P->A, k, s->tA);
    axis(&b[k], P->B, k, s->tB);
  }
  scale(&o->t, cos(f->angle), &b[0]);
  add(&o->t, (num){sin(f->angle), 0.0, 0.0, 0.0}, &b[1]);
  for (int k = 0; k < 2; k++) m[k] = dot(&a[k], &o->t);
  const num th = angle(&m[0], &m[1]);
  const double n[2] = {cos(th.v), sin(th.v)}, t[2] = {-n[1], n[0]};
  curve_farthest(f->curve, n, &p);
  const double bent = curve_curvature(&p, &slope), r = 1.0 / bent;
  const double bend = -slope / (bent * bent * bent);
  for (int i = 0; i < 2; i++)
    c[i] = (num){(i ? p.y : p.x)[0], r * t[i] * th.r, r * t[i] * th.c,
                 r * t[i] * th.rc + (bend * t[i] - r * n[i]) * th.r * th.c};
  // from B's origin to the point
  v3_scale(o->rho.v, -1.0, P->d);
  v3_scale(o->rho.r, -1.0, P->u);
  v3_scale(o->rho.c, -1.0, s->d);
  v3_zero(o->rho.rc);
  for (int i = 0; i < 2; i++) add(&o->rho, c[i], &a[i]);
  if (which == 0) o->phi = -v3_dot(o->t.v, o->rho.v);
  if (which == 1) {
    scale(&o->t, -sin(f->angle), &b[0]);
    add(&o->t, (num){cos(f->angle), 0.0, 0.0, 0.0}, &b[1]);
  }
  if (which == 2) axis(&o->t, P->B, 2, s->tB);
}

static void find(const hk_pair *P, uint8_t what, const step *s, touch *o) {
  o->phi = 0.0;
  o->m = still;
  if (what >= HK_S_ALONG_X) o->t = o->rho = still;
  if (what >= HK_S_TURN_X)
    axis(&o->m, P->B, what - HK_S_TURN_X, s->tB);
  else if (what >= HK_S_SPIN_X)
    axis(&o->m, P->A, what - HK_S_SPIN_X, s->tA);
  else if (what >= HK_S_ALONG_X)
    axis(&o->t, P->B, what - HK_S_ALONG_X, s->tB);
  else if (what == HK_S_EDGE)
    edge(P, s, o);
  else if (what <= HK_S_BALL)
    ball(P, what - HK_S_BALL_X, s, o);
  else if (what >= HK_S_OUTLINE_T)
    outline(P, what - HK_S_OUTLINE_T, s, o);
  else if (what >= HK_S_FACE)
    face(P, what - HK_S_FACE, s, o);
  else
    cylinder(P, what - HK_S_ROUND_Z, s, o);
}

/* --- rows ------------------------------------------------------------------------------------- */

/* u_c, and q = w x rho_dot - wA x u */
static void slip(const hk_pair *P, const touch *o, double *uc, double *q) {
  double x[3];
  v3_cross(uc, P->w, o->rho.v);
  v3_add(uc, uc, P->u);
  v3_cross(x, P->A->w, P->d);
  v3_sub(uc, uc, x);
  v3_cross(q, P->w, o->rho.r);
  v3_cross(x, P->A->w, P->u);
  v3_sub(q, q, x);
}

void hki_row_contact(hk_pair *P, uint8_t what, uint32_t need, int32_t i, hk_joint_loop *out) {
  const step none = {{0}, {0}, {0}};
  touch o;
  double f[3];
  // without accelerations the pair has no relative velocity: rates are not looked at
  if (!(need & HK_LOOP_ACC)) v3_zero(P->u);
  find(P, what, &none, &o);
  if (need & HK_LOOP_POS) out->phi[i] = o.phi;
  if (need & HK_LOOP_JAC) {
    double *gA = out->GA + 6 * i, *gB = out->GB + 6 * i;
    v3_add(f, P->d, o.rho.v);
    v3_cross(gA, o.t.v, f);
    v3_scale(gA + 3, -1.0, o.t.v);
    v3_cross(gB, o.rho.v, o.t.v);
    v3_copy(gB + 3, o.t.v);
    v3_sub(gA, gA, o.m.v);
    v3_add(gB, gB, o.m.v);
  }
  if (need & HK_LOOP_ACC) {
    double uc[3], q[3];
    slip(P, &o, uc, q);
    out->gamma[i] = v3_dot(o.t.r, uc) + v3_dot(o.t.v, q) + v3_dot(o.m.r, P->w);
  }
}

/* increment j of 12: rotation and displacement of A, then of B */
static step increment(int j) {
  step s = {{0}, {0}, {0}};
  const int k = j % 3;
  if (j / 3 == 0) s.tA[k] = 1.0;
  if (j / 3 == 1) s.d[k] = -1.0;
  if (j / 3 == 2) s.tB[k] = 1.0;
  if (j / 3 == 3) s.d[k] = 1.0;
  return s;
}

void hki_contact_geo(hk_pair *P, uint8_t what, double lam, double *H) {
  v3_zero(P->u);
  for (int j = 0; j < 12; j++) {
    const step s = increment(j);
    double f[3], df[3], mA[3], mB[3];
    touch o;
    find(P, what, &s, &o);
    // moments t x (d + rho) on A and rho x t on B, forces -t and t
    v3_add(f, P->d, o.rho.v);
    v3_add(df, s.d, o.rho.c);
    v3_cross(mA, o.t.c, f);
    v3_cross_add(mA, o.t.v, df);
    v3_cross(mB, o.rho.c, o.t.v);
    v3_cross_add(mB, o.rho.v, o.t.c);
    for (int i = 0; i < 3; i++) {
      H[12 * i + j] += lam * (mA[i] - o.m.c[i]);
      H[12 * (3 + i) + j] -= lam * o.t.c[i];
      H[12 * (6 + i) + j] += lam * (mB[i] + o.m.c[i]);
      H[12 * (9 + i) + j] += lam * o.t.c[i];
    }
  }
}

void hki_contact_bias_geo(hk_pair *P, uint8_t what, double *d) {
  for (int j = 0; j < 12; j++) {
    const step s = increment(j);
    double uc[3], q[3], duc[3], x[3];
    touch o;
    find(P, what, &s, &o);
    slip(P, &o, uc, q);
    v3_cross(duc, P->w, o.rho.c);
    v3_cross(x, P->A->w, s.d);
    v3_sub(duc, duc, x);
    v3_cross(x, P->w, o.rho.rc);
    d[j] += v3_dot(o.t.rc, uc) + v3_dot(o.t.r, duc) + v3_dot(o.t.c, q) + v3_dot(o.t.v, x) +
            v3_dot(o.m.rc, P->w);
  }
}
