/* SPDX-License-Identifier: Apache-2.0
 *
 * beam_points.c: strains of beam elements with three nodes; equations in beam_three.c.
 */
#include "elements/beam_points.h"

enum { V = HK_BEAM_V, Z = HK_BEAM_Z };

static const double root3 = 0.57735026918962576451;

/* interpolation functions and t, tp, xp at point i; J = 1: tp and xp per unit of xi */
static void interpolate(int i, double J, const hk_relative *r, hk_beam_point *p) {
  const double xi = i ? root3 : -root3;
  p->N[0] = 0.5 * xi * (xi - 1.0), p->N[1] = 0.5 * xi * (xi + 1.0);
  p->d[0] = (xi - 0.5) / J, p->d[1] = (xi + 0.5) / J;
  for (int c = 0; c < 3; c++) {
    p->t[c] = p->N[0] * r[0].s[3 + c] + p->N[1] * r[1].s[3 + c];
    p->td[c] = p->N[0] * r[0].sd[3 + c] + p->N[1] * r[1].sd[3 + c];
    for (int k = 0; k < 2; k++) {
      const int at = k ? c : 3 + c; // tp from rotations, xp from displacements
      p->v[3 * k + c] = p->d[0] * r[0].s[at] + p->d[1] * r[1].s[at];
      p->vd[3 * k + c] = p->d[0] * r[0].sd[at] + p->d[1] * r[1].sd[at];
    }
  }
  hki_rotmap(&p->map[0], HK_ROTMAP_JACOBIAN, p->t);
  hki_rotmap(&p->map[1], HK_ROTMAP_BACK, p->t);
}

/* E, and e = M v of both strains */
static void strains(hk_beam_point *p) {
  memset(p->E, 0, sizeof p->E);
  for (int k = 0; k < 2; k++) {
    double D[9], M[9];
    hki_rotmap_slope(&p->map[k], p->v + 3 * k, D);
    hki_rotmap_matrix(&p->map[k], M);
    m3_mulv(p->e + 3 * k, M, p->v + 3 * k);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        p->E[Z * (3 * k + i) + j] = D[3 * i + j];
        p->E[Z * (3 * k + i) + 3 + 3 * k + j] = M[3 * i + j];
      }
  }
}

void hki_beam_strain(const hk_beam_par *par, int i, const hk_relative *r, hk_beam_point *p) {
  double x[6];
  interpolate(i, par->J[i], r, p);
  strains(p);
  for (int a = 0; a < 6; a++) {
    const double *E = p->E + Z * a;
    p->e[a] -= par->e0[i][a];
    p->ed[a] = v3_dot(E, p->td) + v3_dot(E + 3, p->vd) + v3_dot(E + 6, p->vd + 3);
    x[a] = p->e[a] + par->tau * p->ed[a];
  }
  hki_beam_law(par->C[i], x, p->f);
}

void hki_beam_rate_slopes(const hk_beam_point *p, double scale, double *X) {
  for (int k = 0; k < 2; k++) {
    const double *v = p->v + 3 * k, *vd = p->vd + 3 * k;
    double D[9];
    hki_rotmap_slope(&p->map[k], vd, D);
    for (int i = 0; i < 3; i++) {
      double n[3] = {0}, H[9], x[3], y[3];
      n[i] = 1.0;
      // row i: td'd2(n.M v)/dt2 by t, and td'd(M'n)/dt by v
      hki_rotmap_bend(&p->map[k], n, v, H);
      m3_mulv(x, H, p->td);
      hki_rotmap_slope_back(&p->map[k], n, H);
      m3_mulv(y, H, p->td);
      for (int j = 0; j < 3; j++) {
        X[Z * (3 * k + i) + j] += scale * (x[j] + D[3 * i + j]);
        X[Z * (3 * k + i) + 3 + 3 * k + j] += scale * y[j];
      }
    }
  }
}

void hki_beam_rows(const hk_frame *mid, const hk_relative *r, double *B, double *P) {
  memset(B, 0, HK_BEAM_S * V * sizeof *B);
  memset(P, 0, HK_BEAM_S * V * sizeof *P);
  for (int n = 0; n < 2; n++) {
    double b[72], q[72];
    hki_relative_rows(&r[n], mid, b, q);
    for (int i = 0; i < 6; i++)
      for (int c = 0; c < 12; c++) {
        B[V * (6 * n + i) + hki_beam_column(n, c)] = b[12 * i + c];
        P[V * (6 * n + i) + hki_beam_column(n, c)] = q[12 * i + c];
      }
  }
}

void hki_beam_prepare(void *par, int32_t nmark, const hk_frame *m0) {
  hk_beam_par *b = par;
  hk_relative r[2];
  (void)nmark;
  hki_beam_poses(m0, r);
  for (int i = 0; i < 2; i++) {
    hk_beam_point p;
    interpolate(i, 1.0, r, &p);
    b->J[i] = v3_norm(p.v + 3);
    interpolate(i, b->J[i], r, &p);
    strains(&p);
    memcpy(b->e0[i], p.e, sizeof p.e);
  }
}
