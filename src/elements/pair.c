/* SPDX-License-Identifier: Apache-2.0
 *
 * pair.c: two markers seen from half-way between them; see pair.h.
 */
#include "elements/pair.h"

enum { N = HK_PAIR_N };

void hki_rot_log_near(double *th, const double *R, const double *near) {
  rot_log(th, R);
  const double z = v3_norm(th);
  if (!near || z == 0.0) return;
  // the other way round, of length 2 pi - z: nearer where th.near < (z - pi) z, as squares differ by this
  if (v3_dot(th, near) < z * (z - HK_PI)) v3_scale(th, 1.0 - 2.0 * HK_PI / z, th);
}

/* a(y), b(y) and derivatives in y */
static void coefficients(double y, hk_pair *c) {
  if (y < 0.09) {
    // -a = 1/24 + 7 y/5760 + 31 y^2/967680 + 127 y^3/154828800 + 73 y^4/3503554560 + ..
    const double k[5] = {-1.0 / 24, -7.0 / 5760, -31.0 / 967680, -127.0 / 154828800,
                         -73.0 / 3503554560};
    c->a = k[0] + y * (k[1] + y * (k[2] + y * (k[3] + y * k[4])));
    c->a1 = k[1] + y * (2 * k[2] + y * (3 * k[3] + y * 4 * k[4]));
    c->a2 = 2 * k[2] + y * (6 * k[3] + y * 12 * k[4]);
    // b = (1 + y/48 + y^2/1920 + 17 y^3/1290240 + 31 y^4/92897280 + ..)/8
    c->b =
        (1.0 + y * (1.0 / 48 + y * (1.0 / 1920 + y * (17.0 / 1290240 + y * 31.0 / 92897280)))) / 8;
    c->b1 = (1.0 / 48 + y * (2.0 / 1920 + y * (51.0 / 1290240 + y * 124.0 / 92897280))) / 8;
    return;
  }
  const double z = sqrt(y), s = sin(0.5 * z), k = cos(0.5 * z), g = 0.5 * z / s, t = tan(0.25 * z);
  const double gz = 0.5 / s - 0.25 * z * k / (s * s);
  const double gzz = -0.5 * k / (s * s) + 0.125 * z * (1.0 / s + 2.0 * k * k / (s * s * s));
  const double gy = 0.5 * gz / z, gyy = (gzz - gz / z) / (4.0 * y);
  c->a = (1.0 - g) / y;
  c->a1 = (-gy - c->a) / y;
  c->a2 = (-gyy - 2.0 * c->a1) / y;
  c->b = 0.5 * t / z;
  c->b1 = 0.5 * ((1.0 + t * t) / (8.0 * z) - 0.5 * t / y) / z;
}

/* D(v) */
static void slope(const hk_pair *p, const double *v, double *D) {
  const double *t = p->th, tv = v3_dot(t, v);
  double r[3], q[3];
  v3_cross(r, t, v);
  v3_cross(q, t, r);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      D[3 * i + j] = 2.0 * p->a1 * q[i] * t[j] +
                     p->a * ((i == j ? tv : 0.0) + t[i] * v[j] - 2.0 * v[i] * t[j]);
}

/* H(x, f) */
static void bend(const hk_pair *p, const double *x, const double *f, double *H) {
  const double *t = p->th, tf = v3_dot(t, f), tx = v3_dot(t, x), fx = v3_dot(f, x);
  const double q = tf * tx - v3_dot(t, t) * fx;
  double e[3];
  for (int i = 0; i < 3; i++) e[i] = f[i] * tx + x[i] * tf - 2.0 * t[i] * fx;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      H[3 * i + j] = (i == j ? 2.0 * (p->a1 * q - p->a * fx) : 0.0) +
                     4.0 * p->a2 * q * t[i] * t[j] + 2.0 * p->a1 * (t[i] * e[j] + e[i] * t[j]) +
                     p->a * (f[i] * x[j] + x[i] * f[j]);
}

void hki_pair(const hk_frame *m, const double *near, hk_pair *p) {
  double Q[9], half[3], E[9], S[9], SS[9], v[3], w[3];
  m3_tmul(Q, m[0].R, m[1].R);
  hki_rot_log_near(p->th, Q, near);
  v3_scale(half, 0.5, p->th);
  rot_exp(E, half);
  m3_mul(p->Rm, m[0].R, E);
  v3_sub(v, m[1].p, m[0].p);
  m3_tmulv(p->x, p->Rm, v);
  coefficients(v3_dot(p->th, p->th), p);
  m3_skew(S, p->th);
  m3_mul(SS, S, S);
  for (int i = 0; i < 9; i++) p->A[i] = (i % 4 == 0) + p->a * SS[i];
  // rates
  v3_sub(v, m[1].w, m[0].w);
  m3_tmulv(p->yy, p->Rm, v);
  for (int i = 0; i < 3; i++) v[i] = 0.5 * (m[0].w[i] + m[1].w[i]);
  m3_tmulv(p->ob, p->Rm, v);
  v3_sub(v, m[1].v, m[0].v);
  m3_tmulv(p->vr, p->Rm, v);
  m3_mulv(p->thd, p->A, p->yy);
  v3_cross(w, p->th, p->yy);
  for (int i = 0; i < 3; i++) p->om[i] = p->ob[i] - p->b * w[i];
  v3_cross(p->xd, p->x, p->om);
  v3_add(p->xd, p->xd, p->vr);
}

void hki_pair_screw(hk_pair *p) {
  double v[3], w[3];
  slope(p, p->x, p->Dx);
  m3_mulv(p->u, p->A, p->x);
  m3_mulv(v, p->A, p->xd);
  m3_mulv(w, p->Dx, p->thd);
  v3_add(p->ud, v, w);
}

/* --- rows of 3 x 12 --------------------------------------------------------------------------- */

void hki_rows_add(double f, const double *A, const double *X, double *Y) {
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      const double a = f * A[3 * i + k];
      for (int j = 0; a != 0.0 && j < N; j++) Y[N * i + j] += a * X[N * k + j];
    }
}

void hki_rows_cross(double f, const double *v, const double *X, double *Y) {
  double S[9];
  m3_skew(S, v);
  hki_rows_add(f, S, X, Y);
}

/* Y += f v (t'X) */
static void add_outer(double f, const double *v, const double *t, const double *X, double *Y) {
  double A[9];
  for (int i = 0; i < 9; i++) A[i] = v[i / 3] * t[i % 3];
  hki_rows_add(f, A, X, Y);
}

void hki_pair_rows_of(const hk_pair *p, hk_pair_rows *r) {
  double be[3 * N] = {0}, S[9];
  memset(r, 0, sizeof *r);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const double R = p->Rm[3 * j + i]; // Rm'
      be[N * i + j] = -R, be[N * i + 6 + j] = R;
      r->m[N * i + j] = r->m[N * i + 6 + j] = 0.5 * R;
      r->x[N * i + 3 + j] = -R, r->x[N * i + 9 + j] = R;
    }
  m3_skew(S, p->th);
  hki_rows_add(-p->b, S, be, r->m);
  hki_rows_add(1.0, p->A, be, r->th);
  hki_rows_cross(1.0, p->x, r->m, r->x);
}

void hki_pair_screw_rows(const hk_pair *p, const hk_pair_rows *r, double *u) {
  memset(u, 0, sizeof r->x);
  hki_rows_add(1.0, p->A, r->x, u);
  hki_rows_add(1.0, p->Dx, r->th, u);
}

void hki_pair_rate_rows(const hk_pair *p, const hk_pair_rows *r, double *thd, double *xd) {
  double yy[3 * N] = {0}, om[3 * N] = {0}, D[9], w[3];
  memset(thd, 0, 3 * N * sizeof *thd);
  memset(xd, 0, 3 * N * sizeof *xd);
  hki_rows_cross(1.0, p->yy, r->m, yy);
  slope(p, p->yy, D);
  hki_rows_add(1.0, D, r->th, thd);
  hki_rows_add(1.0, p->A, yy, thd);
  v3_cross(w, p->th, p->yy);
  hki_rows_cross(1.0, p->ob, r->m, om);
  add_outer(-2.0 * p->b1, w, p->th, r->th, om);
  hki_rows_cross(p->b, p->yy, r->th, om);
  hki_rows_cross(-p->b, p->th, yy, om);
  hki_rows_cross(1.0, p->vr, r->m, xd);
  hki_rows_cross(-1.0, p->om, r->x, xd);
  hki_rows_cross(1.0, p->x, om, xd);
}

void hki_pair_screw_rate_rows(const hk_pair *p, const hk_pair_rows *r, const double *thd,
                              const double *xd, double *ud) {
  double D[9], H[9], w[3], Ad[9], E[9];
  memset(ud, 0, 3 * N * sizeof *ud);
  slope(p, p->xd, D);
  hki_rows_add(1.0, D, r->th, ud);
  hki_rows_add(1.0, p->A, xd, ud);
  for (int i = 0; i < 3; i++) {
    double e[3] = {0};
    e[i] = 1.0;
    bend(p, p->x, e, H);
    m3_mulv(E + 3 * (ptrdiff_t)i, H, p->thd); // row i: thd'H(x, e)
    slope(p, e, D);
    m3_mulv(w, D, p->thd); // column i of dA/dt
    for (int k = 0; k < 3; k++) Ad[3 * k + i] = w[k];
  }
  hki_rows_add(1.0, E, r->th, ud);
  hki_rows_add(1.0, Ad, r->x, ud);
  hki_rows_add(1.0, p->Dx, thd, ud);
}

/* --- wrenches --------------------------------------------------------------------------------- */

/* the moments g and o */
static void moments(const hk_pair *p, const double *m, const double *F, double *g, double *o) {
  double v[3], w[3];
  v3_cross(g, F, p->x);
  m3_mulv(v, p->A, m);
  v3_cross(w, p->th, g);
  for (int i = 0; i < 3; i++) o[i] = v[i] + p->b * w[i];
}

void hki_pair_wrench(const hk_pair *p, const double *m, const double *F, double *out) {
  double g[3], o[3];
  moments(p, m, F, g, o);
  for (int sign = -1; sign <= 1; sign += 2) {
    double *w = out + (sign < 0 ? 0 : 6), v[3];
    for (int i = 0; i < 3; i++) v[i] = -(0.5 * g[i] + sign * o[i]);
    m3_mulv(w, p->Rm, v);
    v3_scale(v, -sign, F);
    m3_mulv(w + 3, p->Rm, v);
  }
}

void hki_pair_put(const hk_pair *p, const hk_pair_rows *r, const double *v, const double *dv,
                  int at, double *K) {
  double X[3 * N];
  memcpy(X, dv, sizeof X);
  hki_rows_cross(-1.0, v, r->m, X);
  hki_rows_add(1.0, p->Rm, X, K + N * (ptrdiff_t)at);
}

void hki_pair_geometric(const hk_pair *p, const hk_pair_rows *r, const double *m, const double *F,
                        const double *dm, const double *dF, double *K) {
  double dg[3 * N] = {0}, dO[3 * N] = {0}, v[3 * N], g[3], o[3], D[9], w[3], s[3];
  moments(p, m, F, g, o);
  hki_rows_cross(1.0, F, r->x, dg);
  if (dF) hki_rows_cross(-1.0, p->x, dF, dg);
  slope(p, m, D);
  hki_rows_add(1.0, D, r->th, dO);
  if (dm) hki_rows_add(1.0, p->A, dm, dO);
  v3_cross(w, p->th, g);
  add_outer(2.0 * p->b1, w, p->th, r->th, dO);
  hki_rows_cross(-p->b, g, r->th, dO);
  hki_rows_cross(p->b, p->th, dg, dO);
  for (int sign = -1; sign <= 1; sign += 2) {
    const int at = sign < 0 ? 0 : 6;
    for (int i = 0; i < 3; i++) s[i] = 0.5 * g[i] + sign * o[i];
    for (int i = 0; i < 3 * N; i++) v[i] = 0.5 * dg[i] + sign * dO[i];
    hki_pair_put(p, r, s, v, at, K);
    v3_scale(s, sign, F);
    for (int i = 0; i < 3 * N; i++) v[i] = dF ? sign * dF[i] : 0.0;
    hki_pair_put(p, r, s, v, at + 3, K);
  }
}

void hki_pair_screw_forces(const hk_pair *p, const double *f, double *m, double *F) {
  double v[3];
  m3_mulv(F, p->A, f + 3);
  m3_tmulv(v, p->Dx, f + 3);
  v3_add(m, f, v);
}

void hki_pair_screw_force_rows(const hk_pair *p, const hk_pair_rows *r, const double *f, double *dm,
                               double *dF) {
  double H[9], D[9], Dt[9];
  memset(dm, 0, 3 * N * sizeof *dm);
  memset(dF, 0, 3 * N * sizeof *dF);
  bend(p, p->x, f + 3, H);
  slope(p, f + 3, D);
  m3_transpose(Dt, D);
  hki_rows_add(1.0, H, r->th, dm);
  hki_rows_add(1.0, Dt, r->x, dm);
  hki_rows_add(1.0, D, r->th, dF);
}
