/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.c: slopes of rows at acceleration level in the unknown of a stage, over ca,
 *
 *   G a + gamma + 2 alpha (G v + phi_t) + beta^2 phi
 *   [d(G a + gamma)/dx + 2 alpha d(G v)/dx + beta^2 G] x + [d(gamma)/dV + 2 alpha G] dV + G dA
 *
 * with dV = cv N x, dA = ca N x and the turning of rates that are fixed in the body
 * (bodies/curvature.c). alpha and beta are Baumgarte's, zero but for that method. In stages of order
 * above 2 the second derivative of the chart is left out.
 */
#include "formulations/redundant/redundant.h"

/* x += g' N, rotations; the rest x += g' */
static void add_times(const hk_bodies *c, const double *N, double k, const double *g, double *x) {
  for (int32_t i = 0; i < c->nd; i++) {
    if (c->planar || i > 2)
      x[i] += k * g[i];
    else
      for (int j = 0; j < 3; j++) x[j] += k * g[i] * N[3 * i + j];
  }
}

/* part of body k in a row of gradient g */
static void row_slopes(const hk_redundant *r, const hk_stage *st, int32_t body,
                       const hk_bodies_curve *cu, const double *g, double b2, int k, double *x) {
  const hk_bodies *c = r->c;
  const double a2 = 2.0 * r->alpha, cv = st->cv / st->ca;
  const double *vp = cu->vel_pose + k * c->nd, *ap = cu->acc_pose + k * c->nd;
  const double *at = cu->acc_twist + k * c->nd;
  for (int32_t i = 0; i < c->nd; i++) x[i] = (ap[i] + a2 * vp[i] + b2 * g[i]) / st->ca;
  const double *N = r->N + 9 * body;
  add_times(c, N, cv, at, x);
  add_times(c, N, a2 * cv + 1.0, g, x);
  if (c->planar) return;
  // velocities and accelerations turn with the body: g . (th x w) = th . (w x g)
  const double *w = c->it.frame[body].w;
  double t[3], al[3];
  m3_mulv(al, c->it.frame[body].R, c->a + 6 * body);
  v3_cross(t, w, at);
  v3_axpy(x, 1.0 / st->ca, t);
  v3_cross(t, w, g);
  v3_axpy(x, a2 / st->ca, t);
  v3_cross(t, al, g);
  v3_axpy(x, 1.0 / st->ca, t);
}

void hki_redundant_acc_rows(hk_redundant *r, const hk_stage *st) {
  hk_bodies *c = r->c;
  hki_bodies_curvatures(c, c->a, r->curve);
  for (int32_t i = 0; i < c->nset; i++) {
    const hk_bodies_set *set = &c->set[i];
    for (int32_t q = set->row0; q < set->row0 + set->nrows; q++) {
      // rows on velocities have no position to be pulled back to
      const bool rate = set->rate_rows >> (q - set->row0) & 1u;
      const double b2 = rate ? 0.0 : r->beta * r->beta;
      for (int k = 0; k < 2; k++) {
        const int32_t at = (2 * q + k) * c->nd;
        if (set->body[k] != HK_GROUND)
          row_slopes(r, st, set->body[k], &r->curve[q], c->G + at, b2, k, r->slopes + at);
      }
    }
  }
}
