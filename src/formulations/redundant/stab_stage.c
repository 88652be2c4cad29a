/* SPDX-License-Identifier: Apache-2.0
 *
 * stab_stage.c: one stage with velocities of its own: residuals of the equations of stab.h and
 * corrections of their unknowns. The matrix is in stab_system.c.
 *
 * The first iterate has v = vh + cv D, a = ah + ca D, mu = eta = 0: that of the formulation without
 * these unknowns.
 */
#include "formulations/redundant/stab.h"
#include "geometry/chart.h"

hk_status hki_redundant_stab_begin(hk_formulation *f, const hk_stage *st) {
  hk_redundant_stab *s = hki_redundant_of(f)->stab;
  s->st = *st;
  s->first = true;
  s->solved = false;
  return s->plain->begin(f, st);
}

/* the first iterate of a stage */
static void start(hk_redundant_stab *s, const double *D) {
  const hk_bodies *c = s->r->c;
  const hk_stage *st = &s->st;
  for (int32_t i = 0; i < c->n; i++) {
    s->V[i] = st->vh[i] + st->cv * D[i];
    s->A[i] = st->ah[i] + st->ca * D[i];
  }
  memset(s->mu, 0, (size_t)c->nrows * sizeof *s->mu);
  memset(s->eta, 0, (size_t)c->nrows * sizeof *s->eta);
}

/* s->N = R J^-1(D) R' of all bodies; the formulation's own N is the identity here */
static void stage_chart(hk_redundant_stab *s, const double *D) {
  const hk_bodies *c = s->r->c;
  for (int32_t b = 0; !c->planar && b < c->m->nb; b++) {
    double *N = s->N + 9 * b, T[9], S[9], S2[9];
    m3_identity(N);
    m3_identity(s->r->N + 9 * b);
    if (c->lack[b]) continue;
    const double *d = D + c->v0[b], e = chart_inverse_factor(d);
    m3_skew(S, d);
    m3_mul(S2, S, S);
    for (int i = 0; i < 9; i++) T[i] = N[i] + 0.5 * S[i] + e * S2[i];
    m3_congruence(N, c->it.frame[b].R, T);
  }
}

/* z = P G' mu, world axes */
static void along_gradients(const hk_redundant_stab *s, const double *mu, double *z) {
  const hk_bodies *c = s->r->c;
  memset(z, 0, (size_t)c->n * sizeof *z);
  hki_bodies_mul_t(c, mu, z);
  for (int32_t i = 0; i < c->n; i++) z[i] *= s->P[i];
}

/* residuals kin / cv and rate / ca */
static void kinematics(hk_redundant_stab *s, const double *D) {
  const hk_bodies *c = s->r->c;
  const hk_stage *st = &s->st;
  double *kin = s->e + s->at.kin, *rate = s->form.eta ? s->e + s->at.rate : NULL;
  for (int32_t i = 0; i < c->n; i++) kin[i] = st->vh[i] + st->cv * D[i] - s->V[i];
  hki_bodies_to_world(c, kin);
  if (s->form.mu) along_gradients(s, s->mu, s->z);
  for (int32_t i = 0; i < c->n; i++) kin[i] = (kin[i] + (s->form.mu ? s->z[i] : 0.0)) / st->cv;
  if (!rate) return;
  for (int32_t i = 0; i < c->n; i++)
    rate[i] = st->ah[i] + st->ca / st->cv * (s->V[i] - st->vh[i]) - s->A[i];
  hki_bodies_to_world(c, rate);
  along_gradients(s, s->eta, s->y);
  for (int32_t i = 0; i < c->n; i++) rate[i] = (rate[i] + s->y[i]) / st->ca;
}

/* residuals pos, vel / cv, acc / ca */
static void rows(hk_redundant_stab *s) {
  hk_redundant *r = s->r;
  hk_bodies *c = r->c;
  double *vel = s->e + s->at.vel;
  memcpy(s->e + s->at.pos, c->phi, (size_t)c->nrows * sizeof *vel);
  memcpy(r->y, s->V, (size_t)c->n * sizeof *r->y);
  hki_bodies_to_world(c, r->y);
  hki_bodies_mul(c, r->y, vel);
  for (int32_t i = 0; i < c->nrows; i++) vel[i] = (vel[i] + c->phit[i]) / s->st.cv;
  if (!s->form.acc) return;
  double *acc = s->e + s->at.acc;
  hki_bodies_bias(c);
  memcpy(r->y, s->A, (size_t)c->n * sizeof *r->y);
  hki_bodies_to_world(c, r->y);
  hki_bodies_mul(c, r->y, acc);
  for (int32_t i = 0; i < c->nrows; i++) acc[i] = (acc[i] + c->gamma[i]) / s->st.ca;
}

/* residual of rows that are not imposed: their multiplier, which becomes zero */
static void rows_off(hk_redundant_stab *s) {
  const hk_redundant *r = s->r;
  const hk_bodies *c = r->c;
  const double *mult[4] = {NULL, r->lam, s->mu, s->eta};
  const double unit[4] = {0.0, s->st.ca * r->mass, s->st.cv, s->st.ca};
  const int32_t at[3] = {s->at.pos, s->at.vel, s->at.acc};
  for (int32_t i = 0; i < c->nset; i++) {
    const hk_bodies_set *set = &c->set[i];
    for (int32_t q = set->row0; q < set->row0 + set->nrows; q++)
      for (int k = 0; k < 3; k++) {
        const bool on = hki_redundant_stab_on(s, set, q);
        if (!on && at[k] >= 0) s->e[at[k] + q] = 0.0;
        if (!s->form.of[k] || (on && (s->form.least || hki_redundant_stab_line(set, q, k))))
          continue;
        s->e[at[k] + q] = mult[s->form.of[k]][q] / unit[s->form.of[k]];
      }
  }
}

hk_status hki_redundant_stab_residual(hk_formulation *f, const double *D, bool tangent) {
  (void)tangent;
  hk_redundant *r = hki_redundant_of(f);
  hk_redundant_stab *s = r->stab;
  hk_bodies *c = r->c;
  double *dyn = s->e + s->at.dyn;
  if (s->first) start(s, D);
  // accelerations follow the velocities where they are no unknowns
  for (int32_t i = 0; !s->form.eta && i < c->n; i++)
    s->A[i] = s->st.ah[i] + s->st.ca / s->st.cv * (s->V[i] - s->st.vh[i]);
  hki_bodies_plus(c, s->st.q0, D, c->q);
  memcpy(c->a, s->A, (size_t)c->n * sizeof *c->a);
  hki_bodies_state(c, s->st.t, c->q, s->V);
  stage_chart(s, D);
  hki_bodies_rows(c);
  hki_bodies_forces(c);
  if (s->first && s->form.least) hki_redundant_stab_weights(s);
  s->first = false;
  kinematics(s, D);
  memset(dyn, 0, (size_t)c->n * sizeof *dyn);
  hki_bodies_inertia(c, s->A, dyn);
  hki_bodies_push(c, r->lam, dyn);
  for (int32_t i = 0; i < c->n; i++) dyn[i] /= s->st.ca * r->mass;
  rows(s);
  rows_off(s);
  return HK_OK;
}

/* v (body axes) += k x (world axes); x is overwritten. Returns the largest scaled entry of x. */
static double add_rates(const hk_bodies *c, double k, double *x, double *v) {
  double most = 0.0;
  for (int32_t i = 0; i < c->n; i++) {
    double e = fabs(x[i]) / c->scale[i];
    if (!(e <= most)) most = e;
  }
  hki_bodies_to_body(c, x);
  for (int32_t i = 0; i < c->n; i++) v[i] += k * x[i];
  return most;
}

hk_status hki_redundant_stab_correct(hk_formulation *f, double *D, hk_norms *norm) {
  hk_redundant *r = hki_redundant_of(f);
  hk_redundant_stab *s = r->stab;
  hk_bodies *c = r->c;
  const int32_t all = s->form.least ? s->nrow + s->ncol : s->nrow;
  const double *y = s->x + s->shift;
  for (int32_t i = 0; i < all; i++) s->x[i] = i < s->nrow ? -s->weight[i] * s->e[i] : 0.0;
  hki_linsolve_solve(s->ls, s->x);
  double *x = s->x + s->shift + s->to.x, *u = s->x + s->shift + s->to.u;
  norm->step = 0.0;
  norm->constraint = 0.0;
  for (int32_t i = 0; i < c->nrows; i++) {
    const double l = y[s->to.lam + i];
    r->lam[i] += s->st.ca * r->mass * l;
    if (s->form.mu) s->mu[i] += s->st.cv * y[s->to.mu + i];
    if (s->form.eta) s->eta[i] += s->st.ca * y[s->to.eta + i];
    norm->constraint = fmax(norm->constraint, r->eps * fabs(l) / c->m->length);
  }
  norm->step = add_rates(c, s->st.cv, u, s->V);
  if (s->form.eta) add_rates(c, s->st.ca, s->x + s->to.a, s->A);
  for (int32_t i = 0; i < c->n; i++) {
    double e = fabs(x[i]) / c->scale[i];
    if (!(e <= norm->step)) norm->step = e;
  }
  // x is a rotation at the present pose; D counts from q0
  hki_bodies_to_body(c, x);
  for (int32_t b = 0; b < c->m->nb; b++)
    if (hki_bodies_turns(c, b)) chart_pull(D + c->v0[b], x + c->v0[b], x + c->v0[b]);
  for (int32_t i = 0; i < c->n; i++) D[i] += x[i];
  s->solved = true;
  return HK_OK;
}

hk_status hki_redundant_stab_project(hk_formulation *f, double t, double *q, double *v, double *a,
                                     uint32_t what) {
  hk_redundant_stab *s = hki_redundant_of(f)->stab;
  hk_bodies *c = s->r->c;
  if (!s->solved || (what & HK_PROJECT_MASS)) return s->plain->project(f, t, q, v, a, what);
  s->solved = false;
  for (int32_t i = 0; i < c->n; i++) {
    v[i] = s->V[i];
    a[i] = s->form.eta ? s->A[i] : s->st.ah[i] + s->st.ca / s->st.cv * (s->V[i] - s->st.vh[i]);
    if (!isfinite(v[i]) || !isfinite(a[i])) return HK_RETRY;
  }
  if (s->form.least) {
    hk_status st = hki_redundant_choose_at(f, t, q, v);
    if (st != HK_OK) return st == HK_E_MEMORY ? st : HK_RETRY;
  }
  hki_bodies_settle(c, t, q, v, a);
  return HK_OK;
}
