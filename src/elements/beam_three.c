/* SPDX-License-Identifier: Apache-2.0
 *
 * beam_three.c: the geometrically exact beam element with three nodes, from the potential of its
 * strains. Nodes 1, 2 (the middle) and 3 at xi = -1, 0, 1. Its deformations are the poses of nodes 1
 * and 3 seen from node 2 (relative.h), twelve numbers; everything else is interpolated in the axes of
 * node 2:
 *
 *   t   = N1 phi1 + N3 phi3            N1 = xi (xi - 1)/2,  N3 = xi (xi + 1)/2
 *   tp  = (N1' phi1 + N3' phi3)/J      J: length per unit of xi, as drawn
 *   xp  = (N1' x1 + N3' x3)/J
 *
 *   kappa = Jr(t) tp                   gamma = exp(-t) xp           (rotmap.h)
 *   U     = sum over xi = -+1/sqrt 3 of J e'C e/2,    e = (kappa, gamma) - as drawn
 *
 *   g = dU/ds,  H = d2U/ds2            by the twelve deformations s
 *   w = -B'g,   K = B'H B + d(B'g)/dxi at fixed g
 *
 * Strains do not change in a rigid motion, since they depend on relative poses alone. Two points
 * integrate a quadratic interpolation without shear locking; one element is exact for loads at its ends
 * as long as rotations are small, and errors fall with the fourth power of the element's length.
 *
 * Damping: f = C (e + tau de/dt), de/dt from the rates of s; it takes tau de/dt'C de/dt >= 0, and
 * nothing in a rigid motion.
 *
 * Sources: Simo and Vu-Quoc, A three-dimensional finite-strain rod model, part II, 1986 (strains);
 * Ghiringhelli, Masarati and Mantegazza, A multibody implementation of finite volume C0 beams, 2000
 * (three nodes and interpolation in their relative poses). Instead of balances over finite volumes
 * the wrenches are those of the potential.
 */
#include "elements/beam_points.h"

enum { S = HK_BEAM_S, V = HK_BEAM_V, Z = HK_BEAM_Z };

/* H (9 x 9): second derivatives of the energy by (t, tp, xp), with what rates do; A: those of the
 * damping by the rates, over tau */
static void second(const double *C, double tau, const hk_beam_point *p, double *H, double *A) {
  double X[6 * Z], Y[6 * Z], G[6 * Z];
  memcpy(X, p->E, sizeof X);
  if (tau > 0.0) hki_beam_rate_slopes(p, tau, X);
  for (int a = 0; a < 6; a++)
    for (int j = 0; j < Z; j++) {
      double x = 0.0, y = 0.0;
      for (int b = 0; b < 6; b++)
        x += C[6 * a + b] * X[Z * b + j], y += C[6 * a + b] * p->E[Z * b + j];
      Y[Z * a + j] = x, G[Z * a + j] = y;
    }
  for (int i = 0; i < Z; i++)
    for (int j = 0; j < Z; j++) {
      double x = 0.0, y = 0.0;
      for (int a = 0; a < 6; a++)
        x += p->E[Z * a + i] * Y[Z * a + j], y += p->E[Z * a + i] * G[Z * a + j];
      H[Z * i + j] = x, A[Z * i + j] = y;
    }
  // of the strains themselves, times the section forces
  for (int k = 0; k < 2; k++) {
    double B[9], D[9];
    hki_rotmap_bend(&p->map[k], p->f + 3 * k, p->v + 3 * k, B);
    hki_rotmap_slope_back(&p->map[k], p->f + 3 * k, D);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        H[Z * i + j] += B[3 * i + j];
        H[Z * (3 + 3 * k + i) + j] += D[3 * i + j];
        H[Z * j + 3 + 3 * k + i] += D[3 * i + j];
      }
  }
}

/* T (12 x 12) += J L'H L */
static void spread(const hk_beam_point *p, double J, const double *H, double *T) {
  for (int n = 0; n < 4; n++)
    for (int m = 0; m < 4; m++)
      for (int g = 0; g < 3; g++)
        for (int h = 0; h < 3; h++) {
          const double f =
              J * hki_beam_factor(p, g, n & 1, n >> 1) * hki_beam_factor(p, h, m & 1, m >> 1);
          if (f == 0.0) continue;
          for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
              T[S * (3 * n + i) + 3 * m + j] += f * H[Z * (3 * g + i) + 3 * h + j];
        }
}

/* g (12) += J L'E'f */
static void forces(const hk_beam_point *p, double J, double *g) {
  double z[Z] = {0};
  for (int a = 0; a < 6; a++)
    for (int j = 0; j < Z; j++) z[j] += p->E[Z * a + j] * p->f[a];
  for (int n = 0; n < 4; n++)
    for (int k = 0; k < 3; k++) {
      const double f = J * hki_beam_factor(p, k, n & 1, n >> 1);
      for (int i = 0; i < 3; i++) g[3 * n + i] += f * z[3 * k + i];
    }
}

/* K (18 x 18) = B'(H B + A P) + d(B'g)/dxi,  C = B'A B; A and C only where `damped` */
static void tangents(const hk_frame *mid, const hk_relative *r, const double *g, const double *H,
                     const double *A, bool damped, double *K, double *C) {
  double B[S * V], P[S * V], X[S * V], Y[S * V];
  memset(K, 0, V * V * sizeof *K);
  if (damped) memset(C, 0, V * V * sizeof *C);
  hki_beam_rows(mid, r, B, P);
  for (int n = 0; n < 2; n++) {
    double G[144] = {0};
    hki_relative_geometric(&r[n], mid, g + 6 * n, G);
    for (int i = 0; i < 12; i++)
      for (int c = 0; c < 12; c++)
        K[V * hki_beam_column(n, i) + hki_beam_column(n, c)] += G[12 * i + c];
  }
  for (int i = 0; i < S; i++)
    for (int j = 0; j < V; j++) {
      double x = 0.0, y = 0.0;
      for (int k = 0; k < S; k++) x += H[S * i + k] * B[V * k + j];
      for (int k = 0; damped && k < S; k++)
        x += A[S * i + k] * P[V * k + j], y += A[S * i + k] * B[V * k + j];
      X[V * i + j] = x, Y[V * i + j] = y;
    }
  for (int k = 0; k < S; k++)
    for (int i = 0; i < V; i++) {
      const double b = B[V * k + i];
      if (b == 0.0) continue;
      for (int j = 0; j < V; j++) K[V * i + j] += b * X[V * k + j];
      for (int j = 0; damped && j < V; j++) C[V * i + j] += b * Y[V * k + j];
    }
}

/* w = -B'g */
static void wrenches(const hk_frame *mid, const hk_relative *r, const double *g, double *w) {
  memset(w, 0, V * sizeof *w);
  for (int n = 0; n < 2; n++) {
    double F[3], G[3], m[3], x[3], *end = w + 12 * n;
    m3_mulv(F, mid->R, g + 6 * n);
    m3_tmulv(m, r[n].L, g + 6 * n + 3);
    m3_mulv(G, mid->R, m);
    v3_scale(end, -1.0, G);
    v3_scale(end + 3, -1.0, F);
    v3_cross(x, r[n].d, F);
    for (int i = 0; i < 3; i++) w[6 + i] += x[i] + G[i], w[9 + i] += F[i];
  }
}

static void eval(const void *par, int32_t nmark, const hk_element_in *in, uint32_t need,
                 hk_wide_out *out) {
  const hk_beam_par *b = par;
  const hk_frame *m = in->m;
  const bool damped = b->tau > 0.0, exact = need & HK_NEED_EXACT;
  double g[S] = {0}, H[S * S] = {0}, A[S * S] = {0};
  hk_relative r[2];
  (void)nmark;
  hki_beam_poses(m, r);
  out->energy = out->dissipated = out->supplied = 0.0;
  if (need & HK_NEED_OUTPUT) memset(out->y, 0, HK_WIDE_SECTION * sizeof *out->y);
  for (int i = 0; i < 2; i++) {
    double H9[Z * Z], A9[Z * Z], c[6];
    hk_beam_point p;
    hki_beam_strain(b, i, r, &p);
    forces(&p, b->J[i], g);
    if (exact) {
      second(b->C[i], b->tau, &p, H9, A9);
      spread(&p, b->J[i], H9, H);
      for (int k = 0; damped && k < Z * Z; k++) A9[k] *= b->tau;
      if (damped) spread(&p, b->J[i], A9, A);
    }
    hki_beam_law(b->C[i], p.e, c);
    out->energy += 0.5 * b->J[i] * s6_dot(c, p.e);
    if (damped) hki_beam_law(b->C[i], p.ed, c);
    if (damped) out->dissipated += b->tau * b->J[i] * s6_dot(c, p.ed);
    for (int k = 0; (need & HK_NEED_OUTPUT) && k < 6; k++)
      out->y[k] += 0.5 * p.f[k], out->y[6 + k] += 0.5 * p.e[k];
  }
  wrenches(&m[1], r, g, out->w);
  out->damped = damped;
  if (exact) tangents(&m[1], r, g, H, A, damped, out->K, out->C);
}

const hk_wide_ops hki_beam_three = {
    .name = "three_node",
    .text = "three nodes, quadratic, from the potential of its strains: order 4",
    .source = "Simo and Vu-Quoc 1986; Ghiringhelli, Masarati and Mantegazza 2000",
    .nmark = 3,
    .ny = HK_WIDE_SECTION,
    .par_size = sizeof(hk_beam_par),
    .point = {0.21132486540518711775, 0.78867513459481288225},
    .prepare = hki_beam_prepare,
    .refuses = hki_beam_refuses,
    .eval = eval,
};
