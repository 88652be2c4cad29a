/* SPDX-License-Identifier: Apache-2.0
 *
 * membrane.c: the membrane element of four nodes, which have displacements alone. Green's strains at 2 x 2 points,
 * enhanced (quad.h), and a prestress S0 as drawn:
 *
 *   S = S0 + D (eps + tau deps/dt)      U = sum w (S0.eps + eps'D eps/2)
 *   f_i = -sum w S_ab (N_i,a x_b + N_i,b x_a)/2
 *   K   = sum w (B'D B + S_ab N_i,a N_j,b 1)        symmetric
 *
 * Across its plane a membrane is as stiff as its tension makes it: without one, as drawn, not at all. It has no law for
 * wrinkles: it pushes as it pulls, until it buckles.
 *
 * Sources: Bonet and Wood, Nonlinear Continuum Mechanics for Finite Element Analysis, 2008 (membranes); Simo and
 * Rifai 1990.
 */
#include "elements/shell.h"

enum { N = HK_QUAD, V = 6 * HK_QUAD, Q = 3 * HK_QUAD, ALL = HK_QUAD_ENHANCED };

typedef struct membrane {
  double e[N][3], ed[N][3], f[N][3]; /* strains, rates, forces without prestress */
  double B[N][3][Q], P[N][3][Q];
} membrane;

/* strains and rows at point g */
static void find(const hk_quad_point *p, const hk_frame *m, int g, membrane *s) {
  double x[2][3], xd[2][3];
  for (int a = 0; a < 2; a++) {
    v3_zero(x[a]), v3_zero(xd[a]);
    for (int i = 0; i < N; i++)
      v3_axpy(x[a], p->d[a][i], m[i].p), v3_axpy(xd[a], p->d[a][i], m[i].v);
  }
  for (int a = 0; a < 2; a++) {
    s->e[g][a] = 0.5 * (v3_dot(x[a], x[a]) - 1.0);
    s->ed[g][a] = v3_dot(x[a], xd[a]);
    for (int i = 0; i < N; i++) {
      v3_scale(s->B[g][a] + 3 * i, p->d[a][i], x[a]);
      v3_scale(s->P[g][a] + 3 * i, p->d[a][i], xd[a]);
    }
  }
  s->e[g][2] = v3_dot(x[0], x[1]);
  s->ed[g][2] = v3_dot(x[0], xd[1]) + v3_dot(x[1], xd[0]);
  for (int i = 0; i < N; i++) {
    v3_scale(s->B[g][2] + 3 * i, p->d[0][i], x[1]);
    v3_axpy(s->B[g][2] + 3 * i, p->d[1][i], x[0]);
    v3_scale(s->P[g][2] + 3 * i, p->d[0][i], xd[1]);
    v3_axpy(s->P[g][2] + 3 * i, p->d[1][i], xd[0]);
  }
}

/* f = D (x + M alpha) at all points */
static void law(const hk_membrane_par *par, double (*x)[3], double (*f)[3]) {
  const int n = (int)par->enhanced;
  double r[ALL] = {0}, alpha[ALL] = {0}, y[3];
  for (int g = 0; n && g < N; g++) {
    m3_mulv(y, par->D, x[g]);
    for (int k = 0; k < n; k++)
      for (int i = 0; i < 3; i++) r[k] += par->point[g].w * par->point[g].M[i][k] * y[i];
  }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) alpha[i] -= par->H[n * i + k] * r[k];
  for (int g = 0; g < N; g++) {
    v3_copy(y, x[g]);
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < n; k++) y[i] += par->point[g].M[i][k] * alpha[k];
    m3_mulv(f[g], par->D, y);
  }
}

/* place of coordinate i of the nodes among those of the markers */
static int slot(int i) { return 6 * (i / 3) + 3 + i % 3; }

/* T += by (sum w B'D X - G_B' H^-1 G_X), G = sum w M'D . */
static void add_material(const hk_membrane_par *par, double by, double (*B)[3][Q],
                         double (*X)[3][Q], double *T) {
  const int n = (int)par->enhanced;
  double G[2][ALL][Q];
  memset(G, 0, sizeof G);
  for (int g = 0; g < N; g++) {
    const hk_quad_point *p = &par->point[g];
    for (int j = 0; j < Q; j++) {
      const double b[3] = {B[g][0][j], B[g][1][j], B[g][2][j]};
      const double x[3] = {X[g][0][j], X[g][1][j], X[g][2][j]};
      double y[2][3];
      m3_mulv(y[0], par->D, b);
      m3_mulv(y[1], par->D, x);
      for (int a = 0; a < n; a++)
        for (int k = 0; k < 3; k++)
          G[0][a][j] += p->w * p->M[k][a] * y[0][k], G[1][a][j] += p->w * p->M[k][a] * y[1][k];
      for (int i = 0; i < Q; i++)
        for (int k = 0; k < 3; k++) T[V * slot(i) + slot(j)] += by * p->w * B[g][k][i] * y[1][k];
    }
  }
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++)
      for (int i = 0; i < Q; i++)
        for (int j = 0; j < Q; j++)
          T[V * slot(i) + slot(j)] -= by * par->H[n * a + b] * G[0][a][i] * G[1][b][j];
}

static void tangents(const hk_membrane_par *par, membrane *s, double *K, double *C) {
  memset(K, 0, V * V * sizeof *K);
  for (int g = 0; g < N; g++) {
    const hk_quad_point *p = &par->point[g];
    double S[3];
    v3_add(S, s->f[g], par->S0);
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        const double k = p->w * (S[0] * p->d[0][i] * p->d[0][j] + S[1] * p->d[1][i] * p->d[1][j] +
                                 S[2] * (p->d[0][i] * p->d[1][j] + p->d[1][i] * p->d[0][j]));
        for (int r = 0; r < 3; r++) K[V * (6 * i + 3 + r) + 6 * j + 3 + r] += k;
      }
  }
  if (par->tau > 0.0) {
    memset(C, 0, V * V * sizeof *C);
    add_material(par, par->tau, s->B, s->B, C);
    double *P = s->P[0][0], *B = s->B[0][0];
    for (int i = 0; i < N * 3 * Q; i++) P[i] = B[i] + par->tau * P[i];
    add_material(par, 1.0, s->B, s->P, K);
  } else {
    add_material(par, 1.0, s->B, s->B, K);
  }
}

/* energy, dissipation, outputs */
static void report(const hk_membrane_par *par, membrane *s, uint32_t need, hk_wide_out *out) {
  double f[N][3], area = 0.0;
  out->energy = out->dissipated = out->supplied = 0.0;
  out->damped = par->tau > 0.0;
  if (need & HK_NEED_ENERGY) {
    law(par, s->e, f);
    for (int g = 0; g < N; g++)
      out->energy += par->point[g].w * (v3_dot(par->S0, s->e[g]) + 0.5 * v3_dot(f[g], s->e[g]));
    if (par->tau > 0.0) law(par, s->ed, f);
    for (int g = 0; g < N && par->tau > 0.0; g++)
      out->dissipated += par->tau * par->point[g].w * v3_dot(f[g], s->ed[g]);
  }
  if (!(need & HK_NEED_OUTPUT)) return;
  memset(out->y, 0, HK_WIDE_MEMBRANE * sizeof *out->y);
  for (int g = 0; g < N; g++) area += par->point[g].w;
  for (int g = 0; g < N; g++) {
    const double w = par->point[g].w / area;
    v3_axpy(out->y, w, s->f[g]);
    v3_axpy(out->y, w, par->S0);
    v3_axpy(out->y + 3, w, s->e[g]);
  }
}

static void eval(const void *p, int32_t nmark, const hk_element_in *in, uint32_t need,
                 hk_wide_out *out) {
  const hk_membrane_par *par = p;
  membrane s;
  double x[N][3];
  (void)nmark;
  for (int g = 0; g < N; g++) {
    find(&par->point[g], in->m, g, &s);
    for (int k = 0; k < 3; k++) x[g][k] = s.e[g][k] + par->tau * s.ed[g][k];
  }
  law(par, x, s.f);
  memset(out->w, 0, V * sizeof *out->w);
  for (int g = 0; g < N; g++)
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < Q; i++)
        out->w[slot(i)] -= par->point[g].w * (s.f[g][k] + par->S0[k]) * s.B[g][k][i];
  report(par, &s, need, out);
  if (need & HK_NEED_EXACT) tangents(par, &s, out->K, out->C);
}

static void prepare(void *par, int32_t nmark, const hk_frame *m0) {
  hk_membrane_par *p = par;
  double axes[6 * N];
  (void)nmark;
  if (!hki_quad_points(m0, p->along, p->point, axes)) return;
  if (!hki_quad_enhance(p->point, (int)p->enhanced, p->D, 3, p->H)) p->enhanced = 0.0;
}

const hk_wide_ops hki_membrane = {
    .name = "membrane",
    .text = "four nodes without rotation, enhanced strains, prestress",
    .source = "Bonet and Wood 2008; Simo and Rifai 1990",
    .nmark = N,
    .ny = HK_WIDE_MEMBRANE,
    .par_size = sizeof(hk_membrane_par),
    .pulls = true,
    .prepare = prepare,
    .eval = eval,
};
