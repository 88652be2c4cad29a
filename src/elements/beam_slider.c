/* SPDX-License-Identifier: Apache-2.0
 *
 * beam_slider.c: a point x of a body that runs along a beam. The nodes p_i carry a curve p(u), u counts
 * intervals between nodes: a cubic spline through them, smooth in its curvature, so that nothing jumps where the point
 * passes a node. It is linear in the places of the nodes,
 *
 *   p(u) = sum N_i(u) p_i,    sum N_i = 1
 *
 * and parabolic in its first and last interval; straight past its ends. The foot u of the point is where the offset d is
 * normal to the curve:
 *
 *   d = x - p,  t = p'(u),    g = d.t = 0,    D = t.t - d.p'' > 0
 *
 * With markers m = 0 (x) and i (nodes), al = (1, -N_i), be = (0, N_i'), ga = (0, N_i''), so that d = sum al_m x_m and
 * t = sum be_m x_m:
 *
 *   r_m   = du/dx_m = (al_m t + be_m d)/D
 *   u_ml  = d2u/dx_m dx_l = ((al_m be_l + be_m al_l) I + q_m r_l' + r_m q_l' + g_uu r_m r_l')/D
 *   q_m   = al_m p'' - 2 be_m t + ga_m d,      g_uu = d.p''' - 3 t.p''
 *
 *   energy     k w |d|^2/2 + V(u)                  w: 1, past an end that the body may leave it falls to 0
 *   across     c w e,   e = rate of d seen from the body = va - t ud - omega x d,   va = sum al_m v_m
 *   along      force - drag h ud                   h: length of an interval, ud = r.v
 *
 * u, |d| and e do not change in a rigid motion of all bodies, so that forces and moments balance exactly. The derivative of
 * the first energy by u is -k w g = 0: the guide does not push along the beam.
 *
 * Past an end V is a stop of the stiffness k, or the guide fades (`leave`) over a tenth of an interval.
 *
 * Sources: the closest point on a curve and its derivatives by implicit differentiation; de Boor, A Practical Guide to Splines,
 * 1978 (cubic spline).
 */
#include "elements/beam_slider.h"
#include "elements/tangent.h"

enum { MOST = HK_SLIDER_NODES + 1 };

static const double fade = 0.1; /* intervals */

/* the curve, and the foot of the point on it */
typedef struct guide {
  int32_t n;                    /* nodes */
  double M[HK_SLIDER_NODES][3]; /* second derivatives at the nodes */
  double u, p[3], t[3], p2[3], p3[3];
  double d[3], D, guu;
  double al[MOST], be[MOST], ga[MOST];
  double r[MOST][3], q[MOST][3];
} guide;

/* what the rates give */
typedef struct rates {
  double va[3], vb[3], ud, e[3]; /* vb: sum be_m v_m */
  double y[MOST][3];             /* sum over l of u_ml v_l */
} rates;

/* --- the spline ------------------------------------------------------------------------------- */

/* x solves T x = b of the n - 2 inner nodes, T = (5, 1; 1, 4, 1; ..; 1, 5): M is the same at the first two nodes */
static void solve(int32_t n, double (*b)[3]) {
  double f[HK_SLIDER_NODES];
  const int32_t m = n - 2;
  for (int32_t i = 0; i < m; i++) {
    const double diagonal = 4.0 + (i == 0) + (i == m - 1);
    f[i] = diagonal - (i ? 1.0 / f[i - 1] : 0.0);
    if (i) v3_axpy(b[i], -1.0 / f[i - 1], b[i - 1]);
  }
  for (int32_t i = m - 1; i >= 0; i--) {
    if (i + 1 < m) v3_axpy(b[i], -1.0, b[i + 1]);
    v3_scale(b[i], 1.0 / f[i], b[i]);
  }
}

static void make_spline(const hk_frame *m, guide *g) {
  const int32_t n = g->n;
  memset(g->M, 0, (size_t)n * sizeof g->M[0]);
  if (n < 3) return;
  for (int32_t i = 1; i + 1 < n; i++)
    for (int k = 0; k < 3; k++)
      g->M[i][k] = 6.0 * (m[i].p[k] - 2.0 * m[i + 1].p[k] + m[i + 2].p[k]);
  solve(n, g->M + 1);
  v3_copy(g->M[0], g->M[1]);
  v3_copy(g->M[n - 1], g->M[n - 2]);
}

/* the interval of u, and the place in it; straight past the ends */
static int32_t interval(const guide *g, double u, double *a) {
  int32_t j = u > 0.0 ? (int32_t)u : 0;
  if (j > g->n - 2) j = g->n - 2;
  *a = u - j;
  return j;
}

/* factors of p_j, p_j+1, M_j, M_j+1 in the derivative of order k of the curve */
static void factors(double a, int k, double *f) {
  // past an end: those of the end, and its direction
  const double e = a < 0.0 ? 0.0 : a > 1.0 ? 1.0 : a, b = 1.0 - e;
  const double slope[2] = {-(3.0 * b * b - 1.0) / 6.0, (3.0 * e * e - 1.0) / 6.0};
  const bool past = a != e;
  f[0] = k == 0 ? 1.0 - a : k == 1 ? -1.0 : 0.0;
  f[1] = k == 0 ? a : k == 1 ? 1.0 : 0.0;
  f[2] = f[3] = 0.0;
  if (k == 0) f[2] = (b * b * b - b) / 6.0 + (a - e) * slope[0];
  if (k == 0) f[3] = (e * e * e - e) / 6.0 + (a - e) * slope[1];
  if (k == 1) f[2] = slope[0], f[3] = slope[1];
  if (k == 2 && !past) f[2] = b, f[3] = e;
  if (k == 3 && !past) f[2] = -1.0, f[3] = 1.0;
}

static void curve(const hk_frame *m, const guide *g, double u, int k, double *out) {
  double a, f[4];
  const int32_t j = interval(g, u, &a);
  factors(a, k, f);
  for (int i = 0; i < 3; i++)
    out[i] =
        f[0] * m[j + 1].p[i] + f[1] * m[j + 2].p[i] + f[2] * g->M[j][i] + f[3] * g->M[j + 1][i];
}

/* N_i of order k at u: x[i] for the nodes; row (2): T^-1 of the nodes of the interval */
static void weights(const guide *g, int k, double (*row)[3], double *x) {
  double a, f[4];
  const int32_t n = g->n, j = interval(g, g->u, &a);
  factors(a, k, f);
  for (int32_t i = 0; i < n; i++) {
    double sum = 0.0;
    // second differences of the places, through both rows
    for (int32_t l = i - 1; l <= i + 1; l++)
      if (l > 0 && l < n - 1)
        sum += (l == i ? -2.0 : 1.0) * (f[2] * row[l - 1][0] + f[3] * row[l - 1][1]);
    x[i] = 6.0 * sum + (i == j ? f[0] : i == j + 1 ? f[1] : 0.0);
  }
}

/* --- the foot --------------------------------------------------------------------------------- */

/* g = d.t at u, and its derivative */
static double normal(const hk_frame *m, const guide *g, double u, double *slope) {
  double p[3], t[3], b[3], d[3];
  curve(m, g, u, 0, p), curve(m, g, u, 1, t), curve(m, g, u, 2, b);
  v3_sub(d, m[0].p, p);
  *slope = v3_dot(d, b) - v3_dot(t, t);
  return v3_dot(d, t);
}

/* the root between lo and hi, where g falls: Newton's method, halving where it leaves them */
static double root(const hk_frame *m, const guide *g, double lo, double hi) {
  double u = 0.5 * (lo + hi), slope;
  for (int i = 0; i < 60; i++) {
    const double value = normal(m, g, u, &slope);
    if (value > 0.0)
      lo = u;
    else
      hi = u;
    double next = slope < 0.0 ? u - value / slope : 0.5 * (lo + hi);
    if (next < lo || next > hi) next = 0.5 * (lo + hi);
    const double step = fabs(next - u);
    u = next;
    if (step <= 1e-15 * (1.0 + fabs(u))) break;
  }
  return u;
}

/* takes the foot at u if it is nearer than the others; past an end the end counts */
static void take(const hk_frame *m, guide *g, double u, double *best) {
  double p[3], d[3];
  const double last = g->n - 1, e = u < 0.0 ? 0.0 : u > last ? last : u;
  curve(m, g, e, 0, p);
  v3_sub(d, m[0].p, p);
  const double distance = v3_dot(d, d);
  if (distance >= *best) return;
  *best = distance;
  g->u = u;
}

static void find_foot(const hk_frame *m, guide *g) {
  double best = INFINITY, slope, before = normal(m, g, 0.0, &slope);
  double t[3];
  g->u = 0.0;
  curve(m, g, 0.0, 1, t);
  if (before < 0.0) take(m, g, before / v3_dot(t, t), &best);
  for (int32_t j = 0; j + 1 < g->n; j++) {
    const double next = normal(m, g, j + 1.0, &slope);
    if (before >= 0.0 && next < 0.0) take(m, g, root(m, g, j, j + 1.0), &best);
    before = next;
  }
  curve(m, g, g->n - 1.0, 1, t);
  if (before >= 0.0) take(m, g, g->n - 1.0 + before / v3_dot(t, t), &best);
}

/* everything at the foot */
static void at_foot(const hk_frame *m, guide *g) {
  double row[HK_SLIDER_NODES][3], a;
  const int32_t n = g->n, j = interval(g, g->u, &a);
  curve(m, g, g->u, 0, g->p), curve(m, g, g->u, 1, g->t);
  curve(m, g, g->u, 2, g->p2), curve(m, g, g->u, 3, g->p3);
  v3_sub(g->d, m[0].p, g->p);
  const double tt = v3_dot(g->t, g->t);
  g->D = fmax(tt - v3_dot(g->d, g->p2), 0.01 * tt);
  g->guu = v3_dot(g->d, g->p3) - 3.0 * v3_dot(g->t, g->p2);
  // rows of T^-1: the first and the last node have M of their neighbours
  memset(row, 0, (size_t)n * sizeof row[0]);
  for (int k = 0; k < 2 && n > 2; k++) {
    int32_t i = j + k - 1;
    i = i < 0 ? 0 : i > n - 3 ? n - 3 : i;
    row[i][k] = 1.0;
  }
  if (n > 2) solve(n, row);
  g->al[0] = 1.0, g->be[0] = g->ga[0] = 0.0;
  weights(g, 0, row, g->al + 1), weights(g, 1, row, g->be + 1), weights(g, 2, row, g->ga + 1);
  for (int32_t i = 1; i <= n; i++) g->al[i] = -g->al[i];
  for (int32_t i = 0; i <= n; i++)
    for (int k = 0; k < 3; k++) {
      g->r[i][k] = (g->al[i] * g->t[k] + g->be[i] * g->d[k]) / g->D;
      g->q[i][k] = g->al[i] * g->p2[k] - 2.0 * g->be[i] * g->t[k] + g->ga[i] * g->d[k];
    }
}

static void find_rates(const hk_frame *m, const guide *g, rates *s) {
  double x[3], qv = 0.0;
  memset(s, 0, offsetof(rates, y));
  for (int32_t i = 0; i <= g->n; i++) {
    v3_axpy(s->va, g->al[i], m[i].v);
    v3_axpy(s->vb, g->be[i], m[i].v);
    s->ud += v3_dot(g->r[i], m[i].v);
    qv += v3_dot(g->q[i], m[i].v);
  }
  v3_cross(x, m[0].w, g->d);
  for (int k = 0; k < 3; k++) s->e[k] = s->va[k] - g->t[k] * s->ud - x[k];
  for (int32_t i = 0; i <= g->n; i++)
    for (int k = 0; k < 3; k++)
      s->y[i][k] = (g->al[i] * s->vb[k] + g->be[i] * s->va[k] + g->q[i][k] * s->ud +
                    g->r[i][k] * (qv + g->guu * s->ud)) /
                   g->D;
}

/* --- laws ------------------------------------------------------------------------------------- */

/* what acts at a foot: w with derivatives by u, V with derivatives, the force along the beam */
typedef struct laws {
  double w[3], V[3], along;
} laws;

static void find_laws(const hk_slider_par *par, const guide *g, double ud, laws *l) {
  const double last = g->n - 1;
  const double over = g->u < 0.0 ? g->u : g->u > last ? g->u - last : 0.0;
  *l = (laws){{1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, par->force - par->drag * par->h * ud};
  if (over == 0.0) return;
  if (!par->leave) {
    const double k = par->k * par->h * par->h;
    l->V[0] = 0.5 * k * over * over, l->V[1] = k * over, l->V[2] = k;
    return;
  }
  const double y = fmin(fabs(over) / fade, 1.0), by = (over < 0.0 ? -1.0 : 1.0) / fade;
  l->w[0] = 1.0 + y * y * (2.0 * y - 3.0);
  l->w[1] = 6.0 * y * (y - 1.0) * by;
  l->w[2] = y < 1.0 ? 6.0 * (2.0 * y - 1.0) * by * by : 0.0;
  l->along *= l->w[0];
}

/* wrenches; x (3): the force across the beam on the body */
static void wrenches(const hk_slider_par *par, const guide *g, const rates *s, const laws *l,
                     double *w, double *x) {
  const double dd = v3_dot(g->d, g->d), cw = par->c * l->w[0], te = v3_dot(g->t, s->e);
  const double S = l->V[1] + 0.5 * par->k * l->w[1] * dd - par->h * l->along - cw * te;
  memset(w, 0, 6 * (size_t)(g->n + 1) * sizeof *w);
  for (int k = 0; k < 3; k++) x[k] = -par->k * l->w[0] * g->d[k] - cw * s->e[k];
  for (int32_t i = 0; i <= g->n; i++)
    for (int k = 0; k < 3; k++) w[6 * i + 3 + k] = g->al[i] * x[k] - S * g->r[i][k];
  // of the damper, at the foot
  v3_cross(w, g->d, s->e);
  v3_scale(w, cw, w);
}

/* --- tangents --------------------------------------------------------------------------------- */

/* numbers that all blocks share */
typedef struct terms {
  double k, c, ew, rr, S; /* k w, c w, k w', factor of r_m r_l', factor of u_ml */
  double drag, cw1, te, ep2;
  double a[3], Be[3]; /* a: de/du; Be: the part of B'e across */
  bool leave;
} terms;

static void find_terms(const hk_slider_par *par, const hk_frame *m, const guide *g, const rates *s,
                       const laws *l, terms *f) {
  const double dd = v3_dot(g->d, g->d);
  double x[3];
  f->k = par->k * l->w[0], f->c = par->c * l->w[0];
  f->ew = par->k * l->w[1], f->cw1 = par->c * l->w[1];
  f->te = v3_dot(g->t, s->e), f->ep2 = v3_dot(s->e, g->p2);
  f->drag = par->drag * par->h * par->h * l->w[0];
  f->rr = -f->k * g->D + 0.5 * par->k * l->w[2] * dd + l->V[2];
  f->S = l->V[1] + 0.5 * f->ew * dd - par->h * l->along - f->c * f->te;
  // the force along the beam fades too: its slope by u
  const double whole = par->force - par->drag * par->h * s->ud;
  f->rr -= par->h * l->w[1] * whole;
  f->leave = l->w[1] != 0.0;
  v3_cross(x, m[0].w, g->t);
  for (int k = 0; k < 3; k++) f->a[k] = -s->vb[k] - s->ud * g->p2[k] + x[k];
}

/* derivative of e by the place of marker l, 3 x 3 */
static void rate_slope(const hk_frame *m, const guide *g, const rates *s, const terms *f, int32_t l,
                       double *E) {
  double W[9];
  m3_skew(W, m[0].w);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      E[3 * i + j] = f->a[i] * g->r[l][j] - g->t[i] * s->y[l][j] - g->al[l] * W[3 * i + j] -
                     (i == j ? s->ud * g->be[l] : 0.0);
}

/* block of markers a and b in K; E: rate_slope of b, tE = t'E */
static void block(const guide *g, const rates *s, const terms *f, int32_t a, int32_t b,
                  const double *E, const double *tE, double *K, int size) {
  const double *ra = g->r[a], *rb = g->r[b], *qa = g->q[a], *qb = g->q[b];
  const double ala = g->al[a], alb = g->al[b], bea = g->be[a], beb = g->be[b];
  const double I = f->k * ala * alb + f->S * (ala * beb + bea * alb) / g->D;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double x = (i == j ? I : 0.0) + f->rr * ra[i] * rb[j] + f->drag * ra[i] * s->y[b][j];
      x += f->S * (qa[i] * rb[j] + ra[i] * qb[j] + g->guu * ra[i] * rb[j]) / g->D;
      x += f->c * (ala * E[3 * i + j] - ra[i] * tE[j] - bea * s->e[i] * rb[j] -
                   ra[i] * (f->ep2 * rb[j] + beb * s->e[j]));
      if (f->leave)
        x += f->ew * (ala * g->d[i] * rb[j] + ra[i] * alb * g->d[j]) +
             f->cw1 * (ala * s->e[i] - ra[i] * f->te) * rb[j];
      K[size * (6 * a + 3 + i) + 6 * b + 3 + j] = x;
    }
}

/* the rows of the moment of the damper, -c w (e x d), and its columns in C */
static void moment_rows(const guide *g, const rates *s, const terms *f, int32_t b, const double *E,
                        double *K, double *C, int size) {
  double S[9], X[9], Y[9], P[9], Q[9], ed[3];
  v3_cross(ed, s->e, g->d);
  for (int i = 0; i < 9; i++)
    P[i] = (i % 4 == 0 ? g->al[b] : 0.0) - g->t[i / 3] * g->r[b][i % 3]; // de/dv, dd/dx
  m3_skew(S, g->d);
  m3_mul(X, S, E);
  m3_mul(Q, S, P);
  m3_skew(S, s->e);
  m3_mul(Y, S, P);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      K[size * i + 6 * b + 3 + j] =
          f->c * (Y[3 * i + j] - X[3 * i + j]) + f->cw1 * ed[i] * g->r[b][j];
      C[size * i + 6 * b + 3 + j] = -f->c * Q[3 * i + j];
      C[size * (6 * b + 3 + j) + i] = -f->c * Q[3 * i + j];
    }
}

static void tangents(const hk_slider_par *par, const hk_frame *m, const guide *g, const rates *s,
                     const laws *l, double *K, double *C) {
  const int size = 6 * (g->n + 1);
  const double tt = v3_dot(g->t, g->t), dd = v3_dot(g->d, g->d);
  terms f;
  find_terms(par, m, g, s, l, &f);
  memset(K, 0, (size_t)size * (size_t)size * sizeof *K);
  memset(C, 0, (size_t)size * (size_t)size * sizeof *C);
  for (int32_t b = 0; b <= g->n; b++) {
    double E[9], tE[3];
    rate_slope(m, g, s, &f, b, E);
    m3_tmulv(tE, E, g->t);
    for (int32_t a = 0; a <= g->n; a++) {
      block(g, s, &f, a, b, E, tE, K, size);
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
          C[size * (6 * a + 3 + i) + 6 * b + 3 + j] =
              f.c * ((i == j ? g->al[a] * g->al[b] : 0.0) - g->al[a] * g->t[i] * g->r[b][j] -
                     g->al[b] * g->r[a][i] * g->t[j] + tt * g->r[a][i] * g->r[b][j]) +
              f.drag * g->r[a][i] * g->r[b][j];
    }
    moment_rows(g, s, &f, b, E, K, C, size);
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) C[size * i + j] = f.c * ((i == j ? dd : 0.0) - g->d[i] * g->d[j]);
}

/* --- the element ------------------------------------------------------------------------------ */

static void eval(const void *p, int32_t nmark, const hk_element_in *in, uint32_t need,
                 hk_wide_out *out) {
  const hk_slider_par *par = p;
  guide g = {.n = nmark - 1};
  rates s;
  laws l;
  double x[3];
  make_spline(in->m, &g);
  find_foot(in->m, &g);
  at_foot(in->m, &g);
  find_rates(in->m, &g, &s);
  find_laws(par, &g, s.ud, &l);
  wrenches(par, &g, &s, &l, out->w, x);
  const double speed = par->h * s.ud, place = par->first + par->h * g.u;
  out->energy = 0.5 * par->k * l.w[0] * v3_dot(g.d, g.d) + l.V[0];
  out->dissipated = par->c * l.w[0] * v3_dot(s.e, s.e) + par->drag * l.w[0] * speed * speed;
  out->supplied = par->force * l.w[0] * speed;
  out->damped = par->c > 0.0 || par->drag > 0.0;
  if (need & HK_NEED_EXACT) tangents(par, in->m, &g, &s, &l, out->K, out->C);
  if (!(need & HK_NEED_OUTPUT)) return;
  out->y[0] = place / par->length, out->y[1] = place, out->y[2] = speed;
  out->y[3] = v3_norm(x), out->y[4] = l.along - l.V[1] / par->h;
  v3_copy(out->y + 5, out->w + 3);
}

const hk_wide_ops hki_beam_slider = {
    .name = "slider",
    .text = "a point of a body that runs along a beam",
    .source = "closest point on a cubic spline through the nodes",
    .ny = HK_WIDE_SLIDER,
    .par_size = sizeof(hk_slider_par),
    .eval = eval,
};
