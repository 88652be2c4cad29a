/* SPDX-License-Identifier: Apache-2.0
 *
 * beam_volume.c: finite-volume beam elements. Strains are those of the three-node element (beam_three.c),
 * or of a pair of nodes; section forces at the points q of integration, turned to the world by the
 * section R there, balance the forces on the pieces of beam between the points:
 *
 *   M = R f_M,  F = R f_N            R = R2 exp(t),  q = sum N_i p_i
 *
 *   node 1:  ( M_I + (q_I - p1) x F_I,  F_I )
 *   node 2:  ( M_II - M_I + (q_II - p2) x F_II - (q_I - p2) x F_I,  F_II - F_I )
 *   node 3: -( M_II + (q_II - p3) x F_II,  F_II )
 *
 *   dM = R df_M - [M] psi,   dF = R df_N - [F] psi,   psi = th2 + R2 Jl(t) dt     spin of the section
 *   d((q - p) x F) = [q - p] dF - [F] (dq - dp)
 *
 * The wrenches have no potential: K is not symmetric, and 1/2 e'C e, which is given as the energy,
 * balances their work only as the elements become small. The audit shows the difference.
 *
 * Source: Ghiringhelli, Masarati and Mantegazza, A multibody implementation of finite volume C0 beams,
 * 2000.
 */
#include "elements/beam_points.h"

enum { S = HK_BEAM_S, V = HK_BEAM_V, Z = HK_BEAM_Z };

/* a section in the world, with its derivatives by the coordinates of three markers */
typedef struct section {
  double q[3], R[9], M[3], F[3];
  double N[3];                 /* interpolation functions at q */
  double dM[3 * V], dF[3 * V]; /* by poses */
  double cM[3 * V], cF[3 * V]; /* by twists */
} section;

/* Y (3 x 18) += f A X */
static void add_rows(double f, const double *A, const double *X, double *Y) {
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      const double a = f * A[3 * i + k];
      for (int j = 0; a != 0.0 && j < V; j++) Y[V * i + j] += a * X[V * k + j];
    }
}

/* rows of t, tp, xp (9 x 18) from those of the twelve deformations */
static void gather(const hk_beam_point *p, const double *B, double *X) {
  memset(X, 0, Z * V * sizeof *X);
  for (int g = 0; g < 3; g++)
    for (int n = 0; n < 4; n++) {
      const double f = hki_beam_factor(p, g, n & 1, n >> 1);
      for (int k = 0; f != 0.0 && k < 3 * V; k++) X[3 * V * g + k] += f * B[3 * V * n + k];
    }
}

/* Y (6 x 18) = E X, E 6 x 9, X 9 x 18 */
static void times(const double *E, const double *X, double *Y) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < V; j++) {
      double sum = 0.0;
      for (int k = 0; k < Z; k++) sum += E[Z * i + k] * X[V * k + j];
      Y[V * i + j] = sum;
    }
}

/* Y (6 x 18) = C X */
static void stiffen(const double *C, const double *X, double *Y) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < V; j++) {
      double sum = 0.0;
      for (int k = 0; k < 6; k++) sum += C[6 * i + k] * X[V * k + j];
      Y[V * i + j] = sum;
    }
}

/* dM, dF, cM, cF */
static void section_slopes(const hk_beam_par *b, int i, const hk_frame *mid, const hk_beam_point *p,
                           const double *B, const double *P, section *s) {
  double X[Z * V], XP[Z * V], e[6 * V], ed[6 * V], f[6 * V], psi[3 * V] = {0}, T[9], A[9], W[9];
  double E2[6 * Z] = {0}, y[6 * V];
  gather(p, B, X);
  times(p->E, X, e);
  memset(s->cM, 0, sizeof s->cM), memset(s->cF, 0, sizeof s->cF);
  if (b->tau > 0.0) {
    stiffen(b->C[i], e, y);
    add_rows(b->tau, s->R, y, s->cM);
    add_rows(b->tau, s->R, y + 3 * V, s->cF);
    gather(p, P, XP);
    times(p->E, XP, ed);
    hki_beam_rate_slopes(p, 1.0, E2);
    times(E2, X, y);
    for (int k = 0; k < 6 * V; k++) e[k] += b->tau * (ed[k] + y[k]);
  }
  stiffen(b->C[i], e, f);
  // spin of the section: Jl(t) is the transposed of Jr(t)
  hki_rotmap_matrix(&p->map[0], T);
  m3_transpose(A, T);
  m3_mul(W, mid->R, A);
  add_rows(1.0, W, X, psi);
  for (int k = 0; k < 3; k++) psi[V * k + 6 + k] += 1.0;
  memset(s->dM, 0, sizeof s->dM), memset(s->dF, 0, sizeof s->dF);
  add_rows(1.0, s->R, f, s->dM);
  add_rows(1.0, s->R, f + 3 * V, s->dF);
  m3_skew(A, s->M);
  add_rows(-1.0, A, psi, s->dM);
  m3_skew(A, s->F);
  add_rows(-1.0, A, psi, s->dF);
}

/* w, and K and C where they are given, of the balance of a section at node n; sign +1: the node lies
 * before the section */
static void balance(const section *s, const hk_frame *m, int n, double sign, double *w, double *K,
                    double *C) {
  double arm[3], x[3], A[9];
  v3_sub(arm, s->q, m[n].p);
  v3_cross(x, arm, s->F);
  for (int k = 0; k < 3; k++)
    w[6 * n + k] += sign * (s->M[k] + x[k]), w[6 * n + 3 + k] += sign * s->F[k];
  if (!K) return;
  double *moment = K + V * (6 * n), *force = moment + 3 * V;
  m3_skew(A, arm);
  for (int k = 0; k < 3 * V; k++) moment[k] -= sign * s->dM[k], force[k] -= sign * s->dF[k];
  add_rows(-sign, A, s->dF, moment);
  if (C) {
    double *cm = C + V * (6 * n), *cf = cm + 3 * V;
    for (int k = 0; k < 3 * V; k++) cm[k] -= sign * s->cM[k], cf[k] -= sign * s->cF[k];
    add_rows(-sign, A, s->cF, cm);
  }
  m3_skew(A, s->F);
  for (int i = 0; i < 3; i++) {
    const double f = s->N[i] - (i == n);
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) moment[V * r + 6 * i + 3 + c] += sign * f * A[3 * r + c];
  }
}

static void eval(const void *par, int32_t nmark, const hk_element_in *in, uint32_t need,
                 hk_wide_out *out) {
  const hk_beam_par *b = par;
  const hk_frame *m = in->m;
  const bool exact = need & HK_NEED_EXACT, damped = b->tau > 0.0;
  double B[S * V], P[S * V];
  hk_relative r[2];
  (void)nmark;
  hki_beam_poses(m, r);
  out->energy = out->dissipated = out->supplied = 0.0;
  out->damped = damped;
  memset(out->w, 0, V * sizeof *out->w);
  if (exact) {
    memset(out->K, 0, V * V * sizeof *out->K);
    if (damped) memset(out->C, 0, V * V * sizeof *out->C);
    hki_beam_rows(&m[1], r, B, P);
  }
  if (need & HK_NEED_OUTPUT) memset(out->y, 0, HK_WIDE_SECTION * sizeof *out->y);
  for (int i = 0; i < 2; i++) {
    hk_beam_point p;
    section s;
    double c[6], E[9];
    hki_beam_strain(b, i, r, &p);
    rot_exp(E, p.t);
    m3_mul(s.R, m[1].R, E);
    s.N[0] = p.N[0], s.N[1] = 1.0 - p.N[0] - p.N[1], s.N[2] = p.N[1];
    for (int k = 0; k < 3; k++)
      s.q[k] = s.N[0] * m[0].p[k] + s.N[1] * m[1].p[k] + s.N[2] * m[2].p[k];
    m3_mulv(s.M, s.R, p.f);
    m3_mulv(s.F, s.R, p.f + 3);
    if (exact) section_slopes(b, i, &m[1], &p, B, P, &s);
    for (int n = i; n < i + 2; n++)
      balance(&s, m, n, n == i ? 1.0 : -1.0, out->w, exact ? out->K : NULL, damped ? out->C : NULL);
    hki_beam_law(b->C[i], p.e, c);
    out->energy += 0.5 * b->J[i] * s6_dot(c, p.e);
    if (damped) hki_beam_law(b->C[i], p.ed, c);
    if (damped) out->dissipated += b->tau * b->J[i] * s6_dot(c, p.ed);
    for (int k = 0; (need & HK_NEED_OUTPUT) && k < 6; k++)
      out->y[k] += 0.5 * p.f[k], out->y[6 + k] += 0.5 * p.e[k];
  }
}

const hk_wide_ops hki_beam_volume = {
    .name = "finite_volume",
    .text = "three nodes, balances over finite volumes; no potential",
    .source = "Ghiringhelli, Masarati and Mantegazza 2000",
    .nmark = 3,
    .ny = HK_WIDE_SECTION,
    .par_size = sizeof(hk_beam_par),
    .point = {0.21132486540518711775, 0.78867513459481288225},
    .downhill = &hki_beam_three,
    .prepare = hki_beam_prepare,
    .refuses = hki_beam_refuses,
    .eval = eval,
};
