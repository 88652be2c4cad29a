/* SPDX-License-Identifier: Apache-2.0
 *
 * shell.c: the shell element of four nodes with three displacements and three rotations each.
 *
 * Middle surface x = sum N_i p_i, director d = sum N_i t_i, t_i = R_i t_i0 the z axis of node i (not normalised
 * between nodes). With derivatives _1, _2 along axes a1, a2 of the surface as drawn, at 2 x 2 points:
 *
 *   membrane   eps_ab = (x_a.x_b - delta_ab)/2
 *   bending    kap_ab = (x_a.d_b + x_b.d_a)/2          less its value as drawn
 *   shear      gam_a  = x_a.d                          assumed: see below
 *   drilling   om     = (x_1.c_2 - x_2.c_1)/2          c_b = sum N_i R_i a_b, axes that turn with the nodes
 *
 * Shear along xi is taken in the middles of the sides on which eta is constant, linear between them, and likewise
 * along eta: the element does not lock when it is thin. Membrane strains are enhanced (quad.h). Drilling has the
 * energy k om^2/2 with a small part of the membrane's shear stiffness for k: it ties the rotation about the normal to
 * that of the surface, and has no say in bending.
 *
 * U = sum w e'C e/2. Every strain is a sum of products u.v of u = sum alpha_i p_i and v = sum beta_i V_i, V_i a vector fixed
 * in node i:
 *
 *   d(u.v)   = sum alpha_i v.dp_i + sum beta_i (V_i x u).dtheta_i
 *   second derivatives at force s: (p_i, theta_j): -s alpha_i beta_j [V_j], and its transpose;
 *                                  (theta_j, theta_j): s beta_j (V_j u' - V_j.u 1)
 *
 * Only inner products occur: rigid motions change no strain, and rotations have no size beyond which anything fails.
 *
 * Sources: Dvorkin and Bathe, A continuum mechanics based four-node shell element for general nonlinear analysis,
 * 1984 (assumed shear); Simo and Rifai 1990 (enhanced strains); Hughes and Brezzi, On drilling degrees of freedom,
 * 1989; Simo, Fox and Rifai, On a stress resultant geometrically exact shell model, part III, 1990.
 */
#include "elements/shell.h"

enum { N = HK_QUAD, E = HK_SHELL_E, V = 6 * HK_QUAD, ALL = HK_QUAD_ENHANCED, SIX = 6 };

/* nodes of the sides in whose middles shear is taken: along xi at eta = -1, 1, along eta at xi = -1, 1 */
static const int side[4][2] = {{0, 1}, {3, 2}, {0, 3}, {1, 2}};

/* u.v of two sums over the nodes */
typedef struct product {
  double alpha[N], beta[N];
  double V[N][3];
  double u[3], v[3], ud[3], vd[3];
} product;

/* beta and alpha are there: the rest; A_i: V_i in the axes of node i, NULL: its z axis */
static void find(product *q, const hk_frame *m, const double (*A)[3]) {
  v3_zero(q->u), v3_zero(q->v), v3_zero(q->ud), v3_zero(q->vd);
  for (int i = 0; i < N; i++) {
    double x[3];
    if (A)
      m3_mulv(q->V[i], m[i].R, A[i]);
    else
      m3_column(q->V[i], m[i].R, 2);
    v3_cross(x, m[i].w, q->V[i]);
    v3_axpy(q->u, q->alpha[i], m[i].p);
    v3_axpy(q->ud, q->alpha[i], m[i].v);
    v3_axpy(q->v, q->beta[i], q->V[i]);
    v3_axpy(q->vd, q->beta[i], x);
  }
}

static double value(const product *q) { return v3_dot(q->u, q->v); }
static double rate(const product *q) { return v3_dot(q->ud, q->v) + v3_dot(q->u, q->vd); }

/* row (24) += s d(u.v)/dxi */
static void add_row(const product *q, double s, double *row) {
  for (int i = 0; i < N; i++) {
    double x[3];
    v3_cross(x, q->V[i], q->u);
    v3_axpy(row + 6 * i, s * q->beta[i], x);
    v3_axpy(row + 6 * i + 3, s * q->alpha[i], q->v);
  }
}

/* row += s d(rate of u.v)/dxi at fixed twists */
static void add_rate_row(const product *q, const hk_frame *m, double s, double *row) {
  for (int i = 0; i < N; i++) {
    const double b = s * q->beta[i];
    double x[3];
    v3_cross(x, q->V[i], q->ud);
    v3_axpy(row + 6 * i, b, x);
    v3_axpy(row + 6 * i, b * v3_dot(m[i].w, q->V[i]), q->u);
    v3_axpy(row + 6 * i, -b * v3_dot(q->V[i], q->u), m[i].w);
    v3_axpy(row + 6 * i + 3, s * q->alpha[i], q->vd);
  }
}

/* second derivatives at force s: those of (p_i, theta_j) as vectors, of (theta_j, theta_j) in K */
static void add_bend(const product *q, double s, double (*X)[N][3], double *K) {
  for (int j = 0; j < N; j++) {
    const double b = s * q->beta[j], vu = v3_dot(q->V[j], q->u);
    if (b == 0.0) continue;
    for (int i = 0; i < N; i++) v3_axpy(X[i][j], b * q->alpha[i], q->V[j]);
    double *k = K + (ptrdiff_t)(V * 6 * j + 6 * j);
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) k[V * r + c] += b * (q->V[j][r] * q->u[c] - (r == c ? vu : 0.0));
  }
}

/* all that one evaluation knows */
typedef struct shell {
  const hk_shell_par *par;
  const hk_frame *m;
  double x[N][2][3], xd[N][2][3]; /* x_1, x_2 at the points, and their rates */
  product tie[4], bend[N][4], drill[N][2];
  double e[N][E], ed[N][E], f[N][E];
  double B[N][E][V], P[N][E][V];
} shell;

/* bend[g]: (derivative of x, of d) = 11, 22, 12, 21; which strain it belongs to */
static const int pair[4][2] = {{0, 0}, {1, 1}, {0, 1}, {1, 0}}, curvature[4] = {3, 4, 5, 5};

static void find_products(shell *s) {
  for (int k = 0; k < 4; k++) {
    product *q = &s->tie[k];
    memset(q, 0, sizeof *q);
    q->alpha[side[k][0]] = -0.5, q->alpha[side[k][1]] = 0.5;
    q->beta[side[k][0]] = q->beta[side[k][1]] = 0.5;
    find(q, s->m, NULL);
  }
  for (int g = 0; g < N; g++) {
    const hk_quad_point *p = &s->par->point[g];
    for (int k = 0; k < 4; k++) {
      memcpy(s->bend[g][k].alpha, p->d[pair[k][0]], sizeof p->d[0]);
      memcpy(s->bend[g][k].beta, p->d[pair[k][1]], sizeof p->d[0]);
      find(&s->bend[g][k], s->m, NULL);
    }
    for (int k = 0; k < 2; k++) {
      // x_1.c_2 and x_2.c_1
      memcpy(s->drill[g][k].alpha, p->d[k], sizeof p->d[0]);
      memcpy(s->drill[g][k].beta, p->N, sizeof p->N);
      find(&s->drill[g][k], s->m, s->par->drill[g][1 - k]);
      v3_copy(s->x[g][k], s->bend[g][k].u);
      v3_copy(s->xd[g][k], s->bend[g][k].ud);
    }
  }
}

/* strains at point g, not less those as drawn, and their rates */
static void find_strains(const shell *s, int g, double *e, double *ed) {
  const double *x = s->x[g][0], *y = s->x[g][1], *xd = s->xd[g][0], *yd = s->xd[g][1];
  memset(e, 0, E * sizeof *e);
  memset(ed, 0, E * sizeof *ed);
  e[0] = 0.5 * v3_dot(x, x), e[1] = 0.5 * v3_dot(y, y), e[2] = v3_dot(x, y);
  ed[0] = v3_dot(x, xd), ed[1] = v3_dot(y, yd), ed[2] = v3_dot(x, yd) + v3_dot(y, xd);
  for (int k = 0; k < 4; k++) {
    e[curvature[k]] += value(&s->bend[g][k]), ed[curvature[k]] += rate(&s->bend[g][k]);
    for (int a = 0; a < 2; a++) {
      e[6 + a] += s->par->shear[g][a][k] * (value(&s->tie[k]) - s->par->tie0[k]);
      ed[6 + a] += s->par->shear[g][a][k] * rate(&s->tie[k]);
    }
  }
  e[8] = 0.5 * (value(&s->drill[g][0]) - value(&s->drill[g][1]));
  ed[8] = 0.5 * (rate(&s->drill[g][0]) - rate(&s->drill[g][1]));
}

/* rows of the strains at point g; P (NULL: none): of their rates */
static void find_rows(const shell *s, int g, double (*B)[V], double (*P)[V]) {
  const hk_quad_point *p = &s->par->point[g];
  memset(B, 0, sizeof s->B[0]);
  if (P) memset(P, 0, sizeof s->P[0]);
  for (int i = 0; i < N; i++) {
    const int at = 6 * i + 3;
    for (int a = 0; a < 2; a++) {
      v3_axpy(B[a] + at, p->d[a][i], s->x[g][a]);
      v3_axpy(B[2] + at, p->d[a][i], s->x[g][1 - a]);
      if (P) v3_axpy(P[a] + at, p->d[a][i], s->xd[g][a]);
      if (P) v3_axpy(P[2] + at, p->d[a][i], s->xd[g][1 - a]);
    }
  }
  for (int k = 0; k < 4; k++) {
    add_row(&s->bend[g][k], 1.0, B[curvature[k]]);
    if (P) add_rate_row(&s->bend[g][k], s->m, 1.0, P[curvature[k]]);
    for (int a = 0; a < 2; a++) {
      add_row(&s->tie[k], s->par->shear[g][a][k], B[6 + a]);
      if (P) add_rate_row(&s->tie[k], s->m, s->par->shear[g][a][k], P[6 + a]);
    }
  }
  for (int k = 0; k < 2; k++) {
    add_row(&s->drill[g][k], k ? -0.5 : 0.5, B[8]);
    if (P) add_rate_row(&s->drill[g][k], s->m, k ? -0.5 : 0.5, P[8]);
  }
}

/* f = C (x + M alpha) of strains x at all points */
static void law(const hk_shell_par *par, double (*x)[E], double (*f)[E]) {
  const int n = (int)par->enhanced;
  double r[ALL] = {0}, alpha[ALL] = {0};
  for (int g = 0; n && g < N; g++) {
    double s[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < E; k++) s[i] += par->C[E * i + k] * x[g][k];
    for (int k = 0; k < n; k++)
      for (int i = 0; i < 3; i++) r[k] += par->point[g].w * par->point[g].M[i][k] * s[i];
  }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) alpha[i] -= par->H[n * i + k] * r[k];
  for (int g = 0; g < N; g++) {
    double y[E];
    memcpy(y, x[g], sizeof y);
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < n; k++) y[i] += par->point[g].M[i][k] * alpha[k];
    for (int i = 0; i < E; i++) {
      f[g][i] = 0.0;
      for (int k = 0; k < E; k++) f[g][i] += par->C[E * i + k] * y[k];
    }
  }
}

/* T += by (sum w B'C X - G_B' H^-1 G_X), G = sum w M'C . */
static void add_material(const hk_shell_par *par, double by, double (*B)[E][V], double (*X)[E][V],
                         double *T) {
  const int n = (int)par->enhanced;
  double G[2][ALL][V], Y[E][V];
  memset(G, 0, sizeof G);
  for (int g = 0; g < N; g++) {
    const hk_quad_point *p = &par->point[g];
    for (int pass = X == B ? 1 : 0; pass < 2; pass++) {
      // pass 0: G of B; pass 1: Y and G of X
      double(*Z)[V] = pass ? X[g] : B[g];
      memset(Y, 0, sizeof Y);
      for (int i = 0; i < (pass ? E : 3); i++)
        for (int k = 0; k < E; k++) {
          const double c = by * p->w * par->C[E * i + k];
          for (int j = 0; c != 0.0 && j < V; j++) Y[i][j] += c * Z[k][j];
        }
      for (int a = 0; a < n; a++)
        for (int i = 0; i < 3; i++)
          for (int j = 0; j < V; j++) G[pass][a][j] += p->M[i][a] * Y[i][j];
    }
    for (int k = 0; k < E; k++)
      for (int i = 0; i < V; i++)
        for (int j = 0; j < V; j++) T[V * i + j] += B[g][k][i] * Y[k][j];
  }
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) {
      const double h = par->H[n * a + b] / by;
      for (int i = 0; i < V; i++) {
        const double c = h * G[X == B ? 1 : 0][a][i];
        for (int j = 0; j < V; j++) T[V * i + j] -= c * G[1][b][j];
      }
    }
}

/* K += second derivatives of the strains at the forces f */
static void add_geometric(const shell *s, double *K) {
  double X[N][N][3], S[4] = {0}, D[N][N];
  memset(X, 0, sizeof X);
  memset(D, 0, sizeof D);
  for (int g = 0; g < N; g++) {
    const hk_quad_point *p = &s->par->point[g];
    const double *f = s->f[g];
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        D[i][j] += p->w * (f[0] * p->d[0][i] * p->d[0][j] + f[1] * p->d[1][i] * p->d[1][j] +
                           f[2] * (p->d[0][i] * p->d[1][j] + p->d[1][i] * p->d[0][j]));
    for (int k = 0; k < 4; k++) {
      add_bend(&s->bend[g][k], p->w * f[curvature[k]], X, K);
      for (int a = 0; a < 2; a++) S[k] += p->w * s->par->shear[g][a][k] * f[6 + a];
    }
    for (int k = 0; k < 2; k++) add_bend(&s->drill[g][k], (k ? -0.5 : 0.5) * p->w * f[8], X, K);
  }
  for (int k = 0; k < 4; k++) add_bend(&s->tie[k], S[k], X, K);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double W[9];
      m3_skew(W, X[i][j]);
      for (int r = 0; r < 3; r++) {
        K[V * (6 * i + 3 + r) + 6 * j + 3 + r] += D[i][j];
        for (int c = 0; c < 3; c++) {
          K[V * (6 * i + 3 + r) + 6 * j + c] -= W[3 * r + c];
          K[V * (6 * j + c) + 6 * i + 3 + r] -= W[3 * r + c];
        }
      }
    }
}

static void tangents(shell *s, double *K, double *C) {
  const hk_shell_par *par = s->par;
  memset(K, 0, V * V * sizeof *K);
  add_geometric(s, K);
  if (par->tau > 0.0) {
    memset(C, 0, V * V * sizeof *C);
    add_material(par, par->tau, s->B, s->B, C);
    double *P = s->P[0][0], *B = s->B[0][0];
    for (int i = 0; i < N * E * V; i++) P[i] = B[i] + par->tau * P[i];
    add_material(par, 1.0, s->B, s->P, K);
  } else {
    add_material(par, 1.0, s->B, s->B, K);
  }
}

/* energy and dissipation, and outputs: means over the points */
static void report(const shell *s, uint32_t need, hk_wide_out *out) {
  const hk_shell_par *par = s->par;
  double f[N][E], x[N][E], area = 0.0;
  out->energy = out->dissipated = out->supplied = 0.0;
  out->damped = par->tau > 0.0;
  if (need & HK_NEED_ENERGY) {
    memcpy(x, s->e, sizeof x);
    law(par, x, f);
    for (int g = 0; g < N; g++)
      for (int i = 0; i < E; i++) out->energy += 0.5 * par->point[g].w * f[g][i] * s->e[g][i];
    memcpy(x, s->ed, sizeof x);
    if (par->tau > 0.0) law(par, x, f);
    for (int g = 0; g < N && par->tau > 0.0; g++)
      for (int i = 0; i < E; i++)
        out->dissipated += par->tau * par->point[g].w * f[g][i] * s->ed[g][i];
  }
  if (!(need & HK_NEED_OUTPUT)) return;
  memset(out->y, 0, HK_WIDE_SHELL * sizeof *out->y);
  for (int g = 0; g < N; g++) area += par->point[g].w;
  for (int g = 0; g < N; g++) {
    const double w = par->point[g].w / area;
    for (int i = 0; i < 8; i++) out->y[i] += w * s->f[g][i];
    for (int i = 0; i < SIX; i++) out->y[8 + i] += w * s->e[g][i];
  }
}

static void eval(const void *p, int32_t nmark, const hk_element_in *in, uint32_t need,
                 hk_wide_out *out) {
  const hk_shell_par *par = p;
  const bool rates = par->tau > 0.0 && (need & HK_NEED_EXACT);
  shell s;
  double x[N][E];
  (void)nmark;
  s.par = par, s.m = in->m;
  find_products(&s);
  for (int g = 0; g < N; g++) {
    find_strains(&s, g, s.e[g], s.ed[g]);
    s.e[g][0] -= 0.5, s.e[g][1] -= 0.5;
    for (int k = 0; k < 3; k++) s.e[g][3 + k] -= par->bend0[g][k];
    s.e[g][8] -= par->drill0[g];
    for (int k = 0; k < E; k++) x[g][k] = s.e[g][k] + par->tau * s.ed[g][k];
    find_rows(&s, g, s.B[g], rates ? s.P[g] : NULL);
  }
  law(par, x, s.f);
  memset(out->w, 0, V * sizeof *out->w);
  for (int g = 0; g < N; g++)
    for (int k = 0; k < E; k++)
      for (int i = 0; i < V; i++) out->w[i] -= par->point[g].w * s.f[g][k] * s.B[g][k][i];
  report(&s, need, out);
  if (need & HK_NEED_EXACT) tangents(&s, out->K, out->C);
}

static void prepare(void *par, int32_t nmark, const hk_frame *m0) {
  hk_shell_par *p = par;
  double axes[6 * N];
  shell s;
  (void)nmark;
  if (!hki_quad_points(m0, p->along, p->point, axes)) return;
  for (int g = 0; g < N; g++) {
    const double xi = hki_quad_place(g, 0), eta = hki_quad_place(g, 1);
    const double tie[4] = {0.5 * (1.0 - eta), 0.5 * (1.0 + eta), 0.5 * (1.0 - xi),
                           0.5 * (1.0 + xi)};
    double J[4];
    hki_quad_slopes(m0, g, axes + 6 * g, J);
    for (int a = 0; a < 2; a++)
      for (int k = 0; k < 4; k++) p->shear[g][a][k] = J[2 * a + k / 2] * tie[k];
    for (int a = 0; a < 2; a++)
      for (int i = 0; i < N; i++) m3_tmulv(p->drill[g][a][i], m0[i].R, axes + 6 * g + 3 * a);
  }
  if (!hki_quad_enhance(p->point, (int)p->enhanced, p->C, E, p->H)) p->enhanced = 0.0;
  s.par = p, s.m = m0;
  find_products(&s);
  for (int k = 0; k < 4; k++) p->tie0[k] = value(&s.tie[k]);
  for (int g = 0; g < N; g++) {
    find_strains(&s, g, s.e[g], s.ed[g]);
    for (int k = 0; k < 3; k++) p->bend0[g][k] = s.e[g][3 + k];
    p->drill0[g] = s.e[g][8];
  }
}

const hk_wide_ops hki_shell = {
    .name = "shell",
    .text = "four nodes, assumed shear, enhanced membrane strains, drilling rotations",
    .source = "Dvorkin and Bathe 1984; Simo and Rifai 1990; Hughes and Brezzi 1989",
    .nmark = N,
    .ny = HK_WIDE_SHELL,
    .par_size = sizeof(hk_shell_par),
    .prepare = prepare,
    .eval = eval,
};
