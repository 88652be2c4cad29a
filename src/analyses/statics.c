/* SPDX-License-Identifier: Apache-2.0
 *
 * statics.c: static equilibrium.
 *
 *   r(q) = -Q(q, v) + Phi_z' lam = 0,  Phi(q) = 0
 *   (K + mu M + Phi_z' alpha Phi_z) dq = -(r + Phi_z' alpha Phi),  lam += alpha (Phi + Phi_z dq)
 *
 * K is the exact tangent with geometric terms (semi_exact.c). The term mu M makes each iteration an
 * implicit step of a motion that always starts from rest (pseudo-transient continuation): it leads
 * downhill to a stable equilibrium from far away, leaves directions alone in which nothing pulls,
 * and fades as the residual falls, so that the end is Newton's method.
 */
#include "analyses/assembly.h"

enum { STATICS_ITER = 2000 };

/* residual at q; returns its scaled size (work of a unit scaled motion, relative to the loads) */
static double evaluate(hk_semi *s, hk_equilibrium kind, const double *q, const double *v,
                       double *loads) {
  const hk_model *m = s->m;
  double size = 0.0, top = 0.0;
  bool changed;
  hki_kin_state(&s->kin, 0.0, q, v);
  hki_kin_decide(&s->kin, &changed);
  hki_semi_state(s, 0.0, q, v, HK_FORCES_TANGENT);
  hki_semi_reach(s);
  memset(s->a, 0, (size_t)m->nv * sizeof *s->a);
  hki_semi_residual(s, s->a, s->r);
  // at rest there is nothing but forces in it; loads: the largest single wrench
  (void)kind;
  for (int32_t b = 0; b < m->nb; b++) {
    const double *W = s->kin.W + 6 * b;
    top = fmax(top, v3_norm(W + 3) * m->length);
    top = fmax(top, m->bodies[b].mass * v3_norm(m->spec->gravity) * m->length);
  }
  for (int32_t i = 0; i < m->nrows; i++) s->row[i] = s->lam[i];
  hki_semi_add_rows(s, s->row, s->r);
  for (int32_t i = 0; i < m->nv; i++) size = fmax(size, fabs(s->r[i]) * s->scale[i]);
  *loads = fmax(*loads, top);
  return size / fmax(*loads, 1e-300);
}

/* tangent and correction in s->x; false when the matrix fails */
static bool correction(hk_semi *s, double mu, double *mean) {
  const hk_model *m = s->m;
  double kappa = s->kappa, top = 0.0;
  hki_semi_mass(s);
  for (int32_t i = 0; i < m->nv; i++) top = fmax(top, s->mass[i] / (s->scale[i] * s->scale[i]));
  for (int32_t i = 0; i < hki_ldl_value_count(s->ldl); i++) s->num.val[i] *= mu;
  for (int32_t i = 0; i < m->nv; i++) {
    s->num.val[s->slot_diag[i]] += 1e-9 * mu * top * s->scale[i] * s->scale[i];
  }
  hki_semi_add_exact(s, 0.0, 1.0, s->lam);
  // penalties relative to the diagonal of K + mu M
  *mean = 0.0;
  for (int32_t i = 0; i < m->nv; i++) {
    s->mass[i] = fabs(s->num.val[s->slot_diag[i]]);
    *mean = fmax(*mean, s->mass[i] / (s->scale[i] * s->scale[i]));
  }
  s->kappa = 1e6;
  hki_semi_penalty(s, 1.0);
  s->kappa = kappa;
  hki_semi_add_closures(s, 1.0);
  if (hki_semi_factor(s) != HK_OK) return false;
  for (int32_t i = 0; i < m->nrows; i++) s->row[i] = s->alpha[i] * s->kin.phi[i];
  hki_semi_add_rows(s, s->row, s->r);
  for (int32_t i = 0; i < m->nv; i++) s->x[i] = -s->r[i];
  hki_ldl_solve(s->ldl, &s->num, s->x);
  return true;
}

/* a first mu: the stiffness of a fall through one length of the mechanism, or of the loads */
static double first_mu(const hk_semi *s, double loads) {
  double top = 0.0, L = s->m->length;
  for (int32_t b = 0; b < s->m->nb; b++) top += s->m->bodies[b].mass;
  return top > 0.0 ? 10.0 * loads / (top * L * L) : 1.0;
}

hk_status hki_statics(hk_semi *s, hk_equilibrium kind, double *q, const double *v) {
  const hk_model *m = s->m;
  double *rest = s->v, loads = 0.0, mu = 0.0, mean, before = INFINITY;
  if (kind == HK_EQ_STEADY)
    memcpy(rest, v, (size_t)m->nv * sizeof *rest);
  else
    memset(rest, 0, (size_t)m->nv * sizeof *rest);
  memset(s->lam, 0, (size_t)m->nrows * sizeof *s->lam);
  for (int32_t it = 0; it < STATICS_ITER; it++) {
    double size = evaluate(s, kind, q, rest, &loads);
    double gap = hki_semi_row_norm(s, s->kin.phi), step = 0.0;
    if (loads == 0.0 || !isfinite(size)) break;
    if (it == 0) mu = first_mu(s, loads);
    // the residual says how far to trust Newton; it fades like the square near the end
    if (it > 3) mu *= size < before ? fmax(0.1, size / before * 0.5) : 2.0;
    mu = fmax(mu, 1e-14 * first_mu(s, loads));
    before = size;
    for (int tries = 0; !correction(s, mu, &mean); tries++) {
      if (tries > 60)
        return hki_error(s->ctx, HK_E_ASSEMBLY, HK_LOC_NONE, NULL, "statics: singular tangent");
      mu *= 10.0;
      evaluate(s, kind, q, rest, &loads);
    }
    for (int32_t i = 0; i < m->nv; i++) step = fmax(step, fabs(s->x[i]) / s->scale[i]);
    if (!isfinite(step)) break;
    double f = step > 0.2 ? 0.2 / step : 1.0;
    for (int32_t i = 0; i < m->nv; i++) s->x[i] *= f;
    hki_semi_plus(m, q, s->x, q);
    hki_semi_rows(s, s->x, s->row);
    if (f == 1.0)
      for (int32_t i = 0; i < m->nrows; i++) s->lam[i] += s->alpha[i] * (s->row[i] + s->kin.phi[i]);
    if (f == 1.0 && step < 1e-12 && size < 1e-10 && gap < 1e-11) return HK_OK;
    // round-off: nothing moves any more
    if (it > 20 && step < 1e-13 && gap < 1e-10 && size < 1e-8) return HK_OK;
  }
  if (loads == 0.0) return HK_OK;
  return hki_error(
      s->ctx, HK_E_ASSEMBLY, HK_LOC_NONE,
      "start nearer to the equilibrium, or check that something holds the mechanism up",
      "no static equilibrium found");
}
