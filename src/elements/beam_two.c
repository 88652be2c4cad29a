/* SPDX-License-Identifier: Apache-2.0
 *
 * beam_two.c: the helicoidal beam element of two nodes. Its six deformations are the logarithm of the
 * motion from node 1 to node 2, split evenly between them, so that a beam of constant curvature and
 * twist, a helix, is exact with any number of elements.
 *
 *   theta = log(R1'R2)               Rm = R1 exp(theta/2),  x = Rm'(p2 - p1),  z = |theta|, y = z^2
 *   u     = A x                      A = I + a [theta]^2,   a = (1 - (z/2)/sin(z/2))/y
 *   e     = ((theta, u) - as drawn)/L,    U = L e'C e/2
 *
 * With be = Rm'(th2 - th1), mu = Rm'(th1 + th2)/2 of rotations th1, th2 of the nodes:
 *
 *   dtheta = A be                    dm = mu - b theta x be         rotation of Rm, b = tan(z/4)/(2z)
 *   dx     = Rm'(dp2 - dp1) + x x dm
 *   D(v)   = d(A v)/dtheta           H(x, f) = d2(f.A x)/dtheta2
 *
 * Section forces (ms, fs) as forces (m, F) that belong to (theta, x), and the wrenches:
 *
 *   F = A fs,  m = ms + D(x)'fs,  g = F x x,  o = A m + b theta x g
 *   node 1: -(Rm (g/2 - o), -Rm F)   node 2: -(Rm (g/2 + o), Rm F)
 *
 * The finite-volume element of two nodes has the strains ((theta, x) - as drawn)/L and, instead of the
 * wrenches of their potential, the balance of both halves with M and N of the middle:
 *
 *   node 1: (Rm (M + x x N/2), Rm N)     node 2: -(Rm (M - x x N/2), Rm N)
 *
 * Sources: Borri and Bottasso, An intrinsic beam model based on a helicoidal approximation, part I,
 * 1994; Simo and Vu-Quoc 1986; Ghiringhelli, Masarati and Mantegazza, A multibody implementation of
 * finite volume C0 beams, 2000. The even split makes the element the same from either end.
 */
#include "elements/beam.h"

enum { N = 12 }; /* coordinates of two markers */

/* a(y), b(y) and derivatives in y */
typedef struct coefs {
  double a, a1, a2, b, b1;
} coefs;

static void coefficients(double y, coefs *c) {
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

typedef struct pair {
  double Rm[9], th[3], x[3], d[3];
  coefs c;
  double A[9], Dx[9]; /* A, D(x) */
  double s[6], sd[6];
  double yy[3], ob[3], vr[3], om[3], thd[3], xd[3];
} pair;

/* D(v) */
static void slope(const pair *p, const double *v, double *D) {
  const double *t = p->th, tv = v3_dot(t, v);
  double r[3], q[3];
  v3_cross(r, t, v);
  v3_cross(q, t, r);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      D[3 * i + j] = 2.0 * p->c.a1 * q[i] * t[j] +
                     p->c.a * ((i == j ? tv : 0.0) + t[i] * v[j] - 2.0 * v[i] * t[j]);
}

/* H(x, f) */
static void bend(const pair *p, const double *x, const double *f, double *H) {
  const double *t = p->th, tf = v3_dot(t, f), tx = v3_dot(t, x), fx = v3_dot(f, x);
  const double q = tf * tx - v3_dot(t, t) * fx;
  double e[3];
  for (int i = 0; i < 3; i++) e[i] = f[i] * tx + x[i] * tf - 2.0 * t[i] * fx;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      H[3 * i + j] = (i == j ? 2.0 * (p->c.a1 * q - p->c.a * fx) : 0.0) +
                     4.0 * p->c.a2 * q * t[i] * t[j] + 2.0 * p->c.a1 * (t[i] * e[j] + e[i] * t[j]) +
                     p->c.a * (f[i] * x[j] + x[i] * f[j]);
}

static void kinematics(const hk_frame *m, pair *p) {
  double Q[9], half[3], E[9], S[9], SS[9], v[3], w[3];
  m3_tmul(Q, m[0].R, m[1].R);
  rot_log(p->th, Q);
  v3_scale(half, 0.5, p->th);
  rot_exp(E, half);
  m3_mul(p->Rm, m[0].R, E);
  v3_sub(p->d, m[1].p, m[0].p);
  m3_tmulv(p->x, p->Rm, p->d);
  coefficients(v3_dot(p->th, p->th), &p->c);
  m3_skew(S, p->th);
  m3_mul(SS, S, S);
  for (int i = 0; i < 9; i++) p->A[i] = (i % 4 == 0) + p->c.a * SS[i];
  slope(p, p->x, p->Dx);
  v3_copy(p->s, p->th);
  m3_mulv(p->s + 3, p->A, p->x);
  // rates
  v3_sub(v, m[1].w, m[0].w);
  m3_tmulv(p->yy, p->Rm, v);
  for (int i = 0; i < 3; i++) v[i] = 0.5 * (m[0].w[i] + m[1].w[i]);
  m3_tmulv(p->ob, p->Rm, v);
  v3_sub(v, m[1].v, m[0].v);
  m3_tmulv(p->vr, p->Rm, v);
  m3_mulv(p->thd, p->A, p->yy);
  v3_cross(w, p->th, p->yy);
  for (int i = 0; i < 3; i++) p->om[i] = p->ob[i] - p->c.b * w[i];
  v3_cross(p->xd, p->x, p->om);
  v3_add(p->xd, p->xd, p->vr);
  v3_copy(p->sd, p->thd);
  m3_mulv(v, p->A, p->xd);
  m3_mulv(w, p->Dx, p->thd);
  v3_add(p->sd + 3, v, w);
}

/* --- rows of 3 x 12 --------------------------------------------------------------------------- */

/* Y += f A X */
static void add_rows(double f, const double *A, const double *X, double *Y) {
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      const double a = f * A[3 * i + k];
      for (int j = 0; a != 0.0 && j < N; j++) Y[N * i + j] += a * X[N * k + j];
    }
}

/* Y += f [v] X */
static void add_cross(double f, const double *v, const double *X, double *Y) {
  double S[9];
  m3_skew(S, v);
  add_rows(f, S, X, Y);
}

/* Y += f v (t'X) */
static void add_outer(double f, const double *v, const double *t, const double *X, double *Y) {
  double A[9];
  for (int i = 0; i < 9; i++) A[i] = v[i / 3] * t[i % 3];
  add_rows(f, A, X, Y);
}

/* variations of the pair by those of its nodes */
typedef struct rows {
  double th[3 * N], m[3 * N], x[3 * N], B[6 * N];
} rows;

static void fill_rows(const pair *p, rows *r) {
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
  add_rows(-p->c.b, S, be, r->m);
  add_rows(1.0, p->A, be, r->th);
  add_cross(1.0, p->x, r->m, r->x);
  memcpy(r->B, r->th, sizeof r->th);
  add_rows(1.0, p->A, r->x, r->B + 3 * N);
  add_rows(1.0, p->Dx, r->th, r->B + 3 * N);
}

/* P: derivative of the rates of the deformations (theta, u) at fixed twists; xd: of the rate of x */
static void rate_rows(const pair *p, const rows *r, double *P, double *xd) {
  double yy[3 * N] = {0}, om[3 * N] = {0}, D[9], H[9], w[3], Ad[9], E[9];
  double *thd = P, *ud = P + 3 * N;
  memset(P, 0, 6 * N * sizeof *P);
  memset(xd, 0, 3 * N * sizeof *xd);
  add_cross(1.0, p->yy, r->m, yy);
  slope(p, p->yy, D);
  add_rows(1.0, D, r->th, thd);
  add_rows(1.0, p->A, yy, thd);
  v3_cross(w, p->th, p->yy);
  add_cross(1.0, p->ob, r->m, om);
  add_outer(-2.0 * p->c.b1, w, p->th, r->th, om);
  add_cross(p->c.b, p->yy, r->th, om);
  add_cross(-p->c.b, p->th, yy, om);
  add_cross(1.0, p->vr, r->m, xd);
  add_cross(-1.0, p->om, r->x, xd);
  add_cross(1.0, p->x, om, xd);
  slope(p, p->xd, D);
  add_rows(1.0, D, r->th, ud);
  add_rows(1.0, p->A, xd, ud);
  for (int i = 0; i < 3; i++) {
    double e[3] = {0};
    e[i] = 1.0;
    bend(p, p->x, e, H);
    m3_mulv(E + 3 * (ptrdiff_t)i, H, p->thd); // row i: thd'H(x, e)
    slope(p, e, D);
    m3_mulv(w, D, p->thd); // column i of dA/dt
    for (int k = 0; k < 3; k++) Ad[3 * k + i] = w[k];
  }
  add_rows(1.0, E, r->th, ud);
  add_rows(1.0, Ad, r->x, ud);
  add_rows(1.0, p->Dx, thd, ud);
}

/* forces that belong to (theta, x), and the moments of the wrenches */
typedef struct loads {
  double m[3], F[3], g[3], o[3];
} loads;

static void find_loads(const pair *p, const double *f, loads *l) {
  double v[3], w[3];
  m3_mulv(l->F, p->A, f + 3);
  m3_tmulv(v, p->Dx, f + 3);
  v3_add(l->m, f, v);
  v3_cross(l->g, l->F, p->x);
  m3_mulv(v, p->A, l->m);
  v3_cross(w, p->th, l->g);
  for (int i = 0; i < 3; i++) l->o[i] = v[i] + p->c.b * w[i];
}

/* K rows `at` += Rm (dv - [v] dm) */
static void put(const pair *p, const rows *r, const double *v, const double *dv, int at,
                double *K) {
  double X[3 * N];
  memcpy(X, dv, sizeof X);
  add_cross(-1.0, v, r->m, X);
  add_rows(1.0, p->Rm, X, K + N * (ptrdiff_t)at);
}

/* K += d(B'f)/dxi at fixed f */
static void geometric(const pair *p, const rows *r, const double *f, const loads *l, double *K) {
  double mf[3 * N] = {0}, F[3 * N] = {0}, g[3 * N] = {0}, o[3 * N] = {0}, v[3 * N];
  double H[9], D[9], Dt[9], w[3], s[3];
  bend(p, p->x, f + 3, H);
  slope(p, f + 3, D);
  m3_transpose(Dt, D);
  add_rows(1.0, H, r->th, mf);
  add_rows(1.0, Dt, r->x, mf);
  add_rows(1.0, D, r->th, F);
  add_cross(1.0, l->F, r->x, g);
  add_cross(-1.0, p->x, F, g);
  slope(p, l->m, D);
  add_rows(1.0, D, r->th, o);
  add_rows(1.0, p->A, mf, o);
  v3_cross(w, p->th, l->g);
  add_outer(2.0 * p->c.b1, w, p->th, r->th, o);
  add_cross(-p->c.b, l->g, r->th, o);
  add_cross(p->c.b, p->th, g, o);
  for (int sign = -1; sign <= 1; sign += 2) {
    const int at = sign < 0 ? 0 : 6;
    for (int i = 0; i < 3; i++) s[i] = 0.5 * l->g[i] + sign * l->o[i];
    for (int i = 0; i < 3 * N; i++) v[i] = 0.5 * g[i] + sign * o[i];
    put(p, r, s, v, at, K);
    v3_scale(s, sign, l->F);
    for (int i = 0; i < 3 * N; i++) v[i] = sign * F[i];
    put(p, r, s, v, at + 3, K);
  }
}

/* K = B'(k B + c P) + geometric, C = B'c B, k = C/L, c = tau k */
static void tangents(const hk_beam_par *b, const pair *p, const double *f, const loads *l,
                     double *K, double *C) {
  rows r;
  double P[6 * N] = {0}, xd[3 * N];
  const bool damped = b->tau > 0.0;
  fill_rows(p, &r);
  if (damped) rate_rows(p, &r, P, xd);
  memset(K, 0, N * N * sizeof *K);
  if (damped) memset(C, 0, N * N * sizeof *C);
  geometric(p, &r, f, l, K);
  for (int a = 0; a < 6; a++) {
    double X[N] = {0}, Y[N] = {0};
    for (int c = 0; c < 6; c++) {
      const double k = b->C[0][6 * a + c] / b->length;
      for (int j = 0; k != 0.0 && j < N; j++) {
        X[j] += k * (r.B[N * c + j] + b->tau * P[N * c + j]);
        Y[j] += k * b->tau * r.B[N * c + j];
      }
    }
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        K[N * i + j] += r.B[N * a + i] * X[j];
        if (damped) C[N * i + j] += r.B[N * a + i] * Y[j];
      }
  }
}

/* f of deformations s with rates sd; energy, dissipation and outputs */
static void section_forces(const hk_beam_par *b, const double *s, const double *sd, uint32_t need,
                           double *f, hk_wide_out *out) {
  double e[6], ed[6], x[6], c[6];
  for (int i = 0; i < 6; i++) {
    e[i] = (s[i] - b->e0[0][i]) / b->length, ed[i] = sd[i] / b->length;
    x[i] = e[i] + b->tau * ed[i];
  }
  hki_beam_law(b->C[0], x, f);
  hki_beam_law(b->C[0], e, c);
  out->energy = 0.5 * b->length * s6_dot(c, e);
  hki_beam_law(b->C[0], ed, c);
  out->dissipated = b->tau * b->length * s6_dot(c, ed);
  out->supplied = 0.0;
  out->damped = b->tau > 0.0;
  if (need & HK_NEED_OUTPUT) s6_copy(out->y, f), s6_copy(out->y + 6, e);
}

static void eval(const void *par, int32_t nmark, const hk_element_in *in, uint32_t need,
                 hk_wide_out *out) {
  const hk_beam_par *b = par;
  double f[6];
  loads l;
  pair p;
  (void)nmark;
  kinematics(in->m, &p);
  section_forces(b, p.s, p.sd, need, f, out);
  find_loads(&p, f, &l);
  for (int sign = -1; sign <= 1; sign += 2) {
    double *w = out->w + (sign < 0 ? 0 : 6), v[3];
    for (int i = 0; i < 3; i++) v[i] = -(0.5 * l.g[i] + sign * l.o[i]);
    m3_mulv(w, p.Rm, v);
    v3_scale(v, -sign, l.F);
    m3_mulv(w + 3, p.Rm, v);
  }
  if (need & HK_NEED_EXACT) tangents(b, &p, f, &l, out->K, out->C);
}

static void prepare(void *par, int32_t nmark, const hk_frame *m0) {
  hk_beam_par *b = par;
  pair p;
  (void)nmark;
  kinematics(m0, &p);
  s6_copy(b->e0[0], p.s);
}

/* --- finite volume ---------------------------------------------------------------------------- */

/* K and C of the finite-volume wrenches: rows Rm (dv - [v] dm) with v = M +- x x N/2 and N */
static void volume_tangents(const hk_beam_par *b, const pair *p, const double *f, double *K,
                            double *C) {
  rows r;
  double P[6 * N], e[6 * N], ed[6 * N] = {0}, df[6 * N] = {0}, dfd[6 * N] = {0};
  const bool damped = b->tau > 0.0;
  fill_rows(p, &r);
  memcpy(e, r.th, sizeof r.th);
  memcpy(e + 3 * N, r.x, sizeof r.x);
  if (damped) {
    rate_rows(p, &r, P, ed + 3 * N);
    memcpy(ed, P, 3 * N * sizeof *ed);
  }
  for (int a = 0; a < 6; a++)
    for (int c = 0; c < 6; c++) {
      const double k = b->C[0][6 * a + c] / b->length;
      for (int j = 0; k != 0.0 && j < N; j++) {
        df[N * a + j] += k * (e[N * c + j] + b->tau * ed[N * c + j]);
        dfd[N * a + j] += k * b->tau * e[N * c + j];
      }
    }
  memset(K, 0, N * N * sizeof *K);
  if (damped) memset(C, 0, N * N * sizeof *C);
  for (int sign = -1; sign <= 1; sign += 2) {
    // sign -1: node 1, which gets (M + x x N/2, N); node 2 gets -(M - x x N/2, N)
    const int at = sign < 0 ? 0 : 6;
    double v[3], x[3], dv[3 * N], dc[3 * N];
    v3_cross(x, p->x, f + 3);
    for (int i = 0; i < 3; i++) v[i] = sign * f[i] - 0.5 * x[i];
    for (int i = 0; i < 3 * N; i++) dv[i] = sign * df[i], dc[i] = sign * dfd[i];
    add_cross(0.5, f + 3, r.x, dv);
    add_cross(-0.5, p->x, df + 3 * N, dv);
    add_cross(-0.5, p->x, dfd + 3 * N, dc);
    put(p, &r, v, dv, at, K);
    if (damped) add_rows(1.0, p->Rm, dc, C + N * (ptrdiff_t)at);
    v3_scale(v, sign, f + 3);
    for (int i = 0; i < 3 * N; i++) dv[i] = sign * df[3 * N + i], dc[i] = sign * dfd[3 * N + i];
    put(p, &r, v, dv, at + 3, K);
    if (damped) add_rows(1.0, p->Rm, dc, C + N * (ptrdiff_t)(at + 3));
  }
}

static void volume_eval(const void *par, int32_t nmark, const hk_element_in *in, uint32_t need,
                        hk_wide_out *out) {
  const hk_beam_par *b = par;
  double s[6], sd[6], f[6], x[3], v[3];
  pair p;
  (void)nmark;
  kinematics(in->m, &p);
  v3_copy(s, p.th), v3_copy(s + 3, p.x);
  v3_copy(sd, p.thd), v3_copy(sd + 3, p.xd);
  section_forces(b, s, sd, need, f, out);
  v3_cross(x, p.x, f + 3);
  for (int sign = -1; sign <= 1; sign += 2) {
    double *w = out->w + (sign < 0 ? 0 : 6);
    for (int i = 0; i < 3; i++) v[i] = -sign * f[i] + 0.5 * x[i];
    m3_mulv(w, p.Rm, v);
    v3_scale(v, -sign, f + 3);
    m3_mulv(w + 3, p.Rm, v);
  }
  if (need & HK_NEED_EXACT) volume_tangents(b, &p, f, out->K, out->C);
}

static void volume_prepare(void *par, int32_t nmark, const hk_frame *m0) {
  hk_beam_par *b = par;
  pair p;
  (void)nmark;
  kinematics(m0, &p);
  v3_copy(b->e0[0], p.th);
  v3_copy(b->e0[0] + 3, p.x);
}

const hk_wide_ops hki_beam_helicoidal = {
    .name = "helicoidal",
    .text = "two nodes, constant strains: exact on a helix, order 2",
    .source = "Borri and Bottasso 1994; Simo and Vu-Quoc 1986",
    .nmark = 2,
    .ny = HK_WIDE_SECTION,
    .par_size = sizeof(hk_beam_par),
    .point = {0.5, 0.5},
    .prepare = prepare,
    .eval = eval,
};

const hk_wide_ops hki_beam_volume_two = {
    .name = "finite_volume_two",
    .text = "two nodes, balances over finite volumes; no potential",
    .source = "Ghiringhelli, Masarati and Mantegazza 2000",
    .nmark = 2,
    .ny = HK_WIDE_SECTION,
    .par_size = sizeof(hk_beam_par),
    .point = {0.5, 0.5},
    .prepare = volume_prepare,
    .eval = volume_eval,
};
