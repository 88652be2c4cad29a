/* SPDX-License-Identifier: Apache-2.0
 *
 * stage.c: implicit stages of the partition formulation: functions that its methods share, then the
 * method of the paper, `partition`, in which everything but the independent increments is
 * eliminated exactly at every iterate (also in the turned coordinates of `tangent_plane`).
 *
 *   psi(D_v) = (M a + gyro - Q)_v + Phi_v' lam = 0
 *   T dD_v = -psi                                      T = dpsi/dD_v (tangent.c)
 *
 * Methods that leave the constraints open during the iteration (`splitting`, `augmented_newton`)
 * solve the equations linearised in all unknowns by elimination:
 *
 *   dD  = P y + d0                                     d0 closes the linearised constraints
 *   T y = -(psi + P' dF0)                              dF0: change of all forces along d0 and the
 *                                                      open rates
 *
 * The iteration begins at the integrator's prediction, or with the accelerations that the equations
 * of motion have there (`start: paper`). Where psi is far from linear, guards watch over its
 * way; `guards: off` is Newton's method as the source has it.
 *
 * Source: Haug, Negrut and Iancu 1997, sections 3.2 and 3.3.
 */
#include "formulations/partition/partition.h"
#include "geometry/chart.h"

/* scaled opening of the dependents that counts as closed; below the second, stagnation does too */
static const double closed = 1e-12, round_off = 1e-8;
enum { MOST_CUTS = 4 }; /* most halvings of a correction */
/* a predicted scaled increment above this is compared with D = 0 */
static const double far = 0.2;
/* after a scaled correction below this the tangent may be kept for the next one */
static const double steady = 1e-4;

bool hki_partition_is_closed(double open, double before) {
  return open <= closed || (open < round_off && open > 0.5 * before);
}

/* --- shared ----------------------------------------------------------------------------------- */

void hki_partition_from_rates(const hk_partition *p, const double *rate, const double *z,
                              double *out) {
  memcpy(out, rate, (size_t)p->n * sizeof *out);
  for (int32_t b = 0; p->two && b < p->c->m->nb; b++) {
    const int32_t at = p->c->v0[b];
    if (!p->c->lack[b]) chart_push(p->D + at, rate + at, out + at);
  }
  for (int32_t i = 0; z && i < p->n; i++) out[i] += z[i];
}

void hki_partition_bend_rates(hk_partition *p, double *z) {
  memset(z, 0, (size_t)p->n * sizeof *z);
  for (int32_t b = 0; p->two && b < p->c->m->nb; b++) {
    const int32_t at = p->c->v0[b];
    if (!p->c->lack[b]) chart_bend(p->D + at, p->w + at, z + at);
  }
  memcpy(p->dv, z, (size_t)p->n * sizeof *z);
  hki_bodies_to_world(p->c, p->dv);
  hki_bodies_mul(p->c, p->dv, p->b);
  for (int32_t i = 0; i < p->m; i++) p->b[i] += p->c->gamma[i];
}

void hki_partition_motion(hk_partition *p, const double *a, double *r) {
  memset(r, 0, (size_t)p->n * sizeof *r);
  hki_bodies_forces(p->c);
  hki_bodies_inertia(p->c, a, r);
  hki_bodies_to_body(p->c, r);
}

void hki_partition_reduce(const hk_partition *p, const double *r, double *psi) {
  for (int32_t j = 0; j < p->f; j++) {
    const double *P = p->vel.P + (size_t)j * (size_t)p->n;
    double sum = 0.0;
    for (int32_t i = 0; i < p->n; i++) sum += P[i] * r[i];
    psi[j] = sum;
  }
}

/* p->v from the rates p->w, where rows are not linear in velocities */
static void take_rates(hk_partition *p) {
  if (!p->c->m->ncurved) return;
  if (p->st.chart)
    hki_partition_from_rates(p, p->w, NULL, p->v);
  else
    memcpy(p->v, p->w, (size_t)p->n * sizeof *p->v);
}

hk_status hki_partition_place(hk_partition *p) {
  take_rates(p);
  hki_bodies_plus(p->c, p->st.q0, p->D, p->q);
  hki_bodies_state(p->c, p->st.t, p->q, p->v);
  hki_bodies_rows(p->c);
  if (hki_partition_factor(p, &p->vel, NULL) != HK_OK) return HK_RETRY;
  return p->two ? hki_partition_factor(p, &p->chart, p->D) : HK_OK;
}

void hki_partition_both_columns(hk_partition *p) {
  hki_partition_columns(p, &p->vel);
  if (p->two)
    hki_partition_columns(p, &p->chart);
  else
    p->chart = p->vel;
}

const double *hki_partition_speed_up(hk_partition *p) {
  if (p->st.chart)
    hki_partition_from_rates(p, p->w, NULL, p->v);
  else
    memcpy(p->v, p->w, (size_t)p->n * sizeof *p->v);
  hki_bodies_state(p->c, p->st.t, p->q, p->v);
  hki_bodies_bias(p->c);
  if (!p->st.chart) return p->c->gamma;
  hki_partition_bend_rates(p, p->da);
  return p->b;
}

void hki_partition_accelerate(hk_partition *p) {
  if (p->st.chart)
    hki_partition_from_rates(p, p->wd, p->da, p->a);
  else
    memcpy(p->a, p->wd, (size_t)p->n * sizeof *p->a);
}

hk_partition_jac *hki_partition_rate_jac(hk_partition *p) {
  return p->st.chart ? &p->chart : &p->vel;
}

hk_status hki_partition_factor_tangent(hk_partition *p) {
  p->ldt = hki_dense_ld(p->f);
  hki_partition_tangent(p);
  if (!p->f) return hki_partition_factor_border(p);
  hk_status st = hki_dense_lu_factor(p->f, p->T, p->ldt, p->Tpivot, p->Tinv, p->work, NULL);
  if (st == HK_OK) st = hki_partition_factor_border(p);
  return st == HK_OK ? HK_OK : HK_RETRY;
}

/* x = -P T^-1 psi, P of positions; psi is overwritten */
static void solve_increment(hk_partition *p, double *x) {
  for (int32_t j = 0; j < p->f; j++) p->psi[j] = -p->psi[j];
  if (p->f) hki_dense_lu_solve(p->f, p->T, p->ldt, p->Tpivot, p->Tinv, p->psi, p->work);
  memset(x, 0, (size_t)p->n * sizeof *x);
  for (int32_t j = 0; j < p->f; j++) {
    const double *P = p->along + (size_t)j * (size_t)p->n;
    for (int32_t i = 0; i < p->n; i++) x[i] += P[i] * p->psi[j];
  }
}

double hki_partition_size(const hk_partition *p, const double *x) {
  double top = 0.0;
  for (int32_t i = 0; i < p->n; i++) {
    double e = fabs(x[i]) / p->c->scale[i];
    if (!(e <= top)) top = e; // also catches NaN
  }
  return top;
}

void hki_partition_solve_open(hk_partition *p, const double *bv, const double *ba, double *x) {
  hki_partition_force_column(p, p->trial, bv, ba);
  hki_partition_reduce(p, p->dF, p->before);
  for (int32_t j = 0; j < p->f; j++) p->psi[j] += p->before[j];
  solve_increment(p, x);
  for (int32_t i = 0; i < p->n; i++) x[i] += p->trial[i];
  hki_border_apply(&p->border, x);
}

/* --- the method `partition` ------------------------------------------------------------------- */

/* phi of the rows on velocities, with the rates at p->D that satisfy all rows; p->chart or p->vel is
 * factorised there */
static hk_status follow_rates(hk_partition *p) {
  hk_partition_jac *j = hki_partition_rate_jac(p);
  if (p->two && !p->st.chart && hki_partition_factor(p, j, NULL) != HK_OK) return HK_RETRY;
  for (int32_t i = 0; i < p->n; i++) p->w[i] = p->st.vh[i] + p->st.cv * p->D[i];
  if (hki_partition_complete_rates(p, p->w) != HK_OK) return HK_RETRY;
  hki_partition_follow(p, p->w);
  return HK_OK;
}

/* moves the dependents of p->D onto the constraints; leaves vel and chart factorised there */
static hk_status close_stage(hk_partition *p) {
  hk_partition_jac *j = p->two ? &p->chart : &p->vel;
  double before = INFINITY;
  // rows that are not linear in velocities are solved from those of the integrator
  for (int32_t i = 0; i < p->n; i++) p->w[i] = p->st.vh[i] + p->st.cv * p->D[i];
  take_rates(p);
  for (int it = 0; it < HK_PARTITION_CLOSE_PASSES; it++) {
    hki_bodies_plus(p->c, p->st.q0, p->D, p->q);
    hki_bodies_state(p->c, p->st.t, p->q, p->v);
    hki_bodies_rows(p->c);
    if (hki_partition_factor(p, j, p->two ? p->D : NULL) != HK_OK) return HK_RETRY;
    if (p->nrate && follow_rates(p) != HK_OK) return HK_RETRY;
    double open = hki_partition_open(p, j, p->x);
    if (!(open < 10.0)) return HK_RETRY;
    if (hki_partition_is_closed(open, before)) {
      if (!p->two) p->chart = p->vel;
      return p->two ? hki_partition_factor(p, &p->vel, NULL) : HK_OK;
    }
    before = open;
    for (int32_t i = 0; i < p->n; i++) p->D[i] += p->x[i];
  }
  return HK_RETRY;
}

/* state of the stage at the increment D, on the constraints at all levels */
static hk_status evaluate(hk_partition *p, const double *D) {
  hk_bodies *c = p->c;
  const hk_stage *st = &p->st;
  const size_t bytes = (size_t)p->n * sizeof(double);
  memcpy(p->D, D, bytes);
  hk_status s = close_stage(p);
  if (s != HK_OK) return HK_RETRY;
  for (int32_t i = 0; i < p->n; i++) {
    p->w[i] = st->vh[i] + st->cv * p->D[i];
    p->wd[i] = st->ah[i] + st->ca * p->D[i];
  }
  hk_partition_jac *j = hki_partition_rate_jac(p);
  hki_partition_complete(p, j, c->phit, p->w);
  const double *bias = hki_partition_speed_up(p);
  hki_partition_complete(p, j, bias, p->wd);
  hki_partition_accelerate(p);
  return HK_OK;
}

/* psi at the increment D, and vel.P */
static hk_status find_psi(hk_partition *p, const double *D) {
  hk_status st = evaluate(p, D);
  if (st != HK_OK) return st;
  hki_partition_columns(p, &p->vel);
  hki_partition_motion(p, p->a, p->r);
  hki_partition_reduce(p, p->r, p->psi);
  return HK_OK;
}

/* Euclidean norm of psi, each entry times its coordinate's scale */
static double psi_norm(const hk_partition *p) {
  double sum = 0.0;
  for (int32_t j = 0; j < p->f; j++) {
    double e = p->psi[j] * hki_partition_unit(p, j);
    sum += e * e;
  }
  return sqrt(sum);
}

/* `start: paper`, the source's predictor (a) to (e). At the prediction D the independent
 * coordinates have positions, velocities and accelerations as if the accelerations were constant in
 * the step; with the dependent ones and psi there
 *
 *   P'MP da_v = -psi                      accelerations of that state (its eq. 39): a + P da_v
 *   D_v += da_v / ca                      the increment with these accelerations
 *
 * In chart stages, with accelerations in place of the rates of D, to first order in D. The result is
 * left in p->trial. */
static hk_status solved_start(hk_partition *p, const double *D) {
  hk_status st = find_psi(p, D);
  if (st == HK_OK) st = hki_partition_gram(p, &p->vel);
  if (st != HK_OK) return st;
  const hk_partition_jac *j = &p->vel;
  memcpy(p->trial, p->D, (size_t)p->n * sizeof *p->trial);
  if (p->f) hki_dense_ldl_solve(p->f, j->gram, hki_dense_ld(p->f), j->gram_inv, p->psi, p->work);
  for (int32_t k = 0; k < p->f; k++)
    for (int32_t i = 0; i < p->n; i++)
      p->trial[i] -= j->P[(size_t)k * (size_t)p->n + (size_t)i] * p->psi[k] / p->st.ca;
  return HK_OK;
}

/* First iterate: a far prediction D is compared with D = 0, since in stiff systems the
 * accelerations at the start of a step do not predict its end. The one with the smaller psi is
 * taken; p->before holds the other one. */
static hk_status first_residual(hk_partition *p, const double *D) {
  const size_t bytes = (size_t)p->n * sizeof *D;
  hk_status st = p->B ? hki_partition_rebase(p, D) : HK_OK;
  if (st == HK_OK && p->par.start == HK_PARTITION_PAPER) {
    st = solved_start(p, D);
    if (st == HK_OK) D = p->trial;
  }
  if (st == HK_OK) st = find_psi(p, D);
  memset(p->before, 0, bytes);
  if (!p->par.guards || hki_partition_independent_size(p, D) < far) return st;
  double there = st == HK_OK ? psi_norm(p) : INFINITY;
  st = find_psi(p, p->before);
  if (!(st == HK_OK && psi_norm(p) < there)) return find_psi(p, D);
  memcpy(p->before, D, bytes);
  return HK_OK;
}

/* largest scaled entry of T^-1 psi with the last tangent: the simplified Newton correction */
static double simplified(hk_partition *p) {
  double *y = p->z, top = 0.0;
  memcpy(y, p->psi, (size_t)p->f * sizeof *y);
  if (p->f) hki_dense_lu_solve(p->f, p->T, p->ldt, p->Tpivot, p->Tinv, y, p->work);
  for (int32_t j = 0; j < p->f; j++) {
    double e = fabs(y[j]) / hki_partition_unit(p, j);
    if (!(e <= top)) top = e;
  }
  return top;
}

/* Later iterates: a correction is halved while the simplified correction after it is larger than
 * itself (natural monotonicity test: Deuflhard, Newton Methods for Nonlinear Problems, 2004,
 * section 3.3). */
static hk_status next_residual(hk_partition *p, const double *D) {
  memcpy(p->before, p->D, (size_t)p->n * sizeof *p->before);
  memcpy(p->trial, D, (size_t)p->n * sizeof *p->trial);
  for (int cut = 0;; cut++) {
    hk_status st = find_psi(p, p->trial);
    if (!p->par.guards || cut == MOST_CUTS || p->last < 1e-6) return st;
    // a law that changes its branch leads somewhere else, and back at the next iterate
    if (st == HK_OK && hki_kin_branched(&p->c->kin)) return st;
    if (st == HK_OK && simplified(p) <= p->last) return HK_OK;
    for (int32_t i = 0; i < p->n; i++) p->trial[i] = 0.5 * (p->trial[i] + p->before[i]);
  }
}

hk_status hki_partition_exact_residual(hk_partition *p, const double *D) {
  return p->first ? first_residual(p, D) : next_residual(p, D);
}

/* is the determinant of T negative? */
static bool turned_over(const hk_partition *p) {
  bool negative = false;
  for (int32_t k = 0; k < p->f; k++) {
    negative ^= p->Tinv[k] < 0.0;
    negative ^= p->Tpivot[k] != k;
  }
  return negative;
}

/* multipliers and tangent at the present iterate */
static hk_status factor_here(hk_partition *p) {
  if (p->two) hki_partition_columns(p, &p->chart);
  hki_partition_multipliers(p, p->r, p->lam);
  return hki_partition_factor_tangent(p);
}

/* In a resolved step the inertia makes the determinant of T positive. Where it is negative the
 * iterate lies behind a fold of psi, from where Newton's method leads to the extremum and not to
 * the solution. Of the two first iterates (first_residual) one before the fold is preferred. */
hk_status hki_partition_exact_factor(hk_partition *p) {
  hk_status st = factor_here(p);
  if (!p->first) return st;
  p->first = false;
  if (!p->par.guards || (st == HK_OK && !turned_over(p))) return st;
  memcpy(p->trial, p->D, (size_t)p->n * sizeof *p->trial);
  st = find_psi(p, p->before);
  if (st == HK_OK) st = factor_here(p);
  if (st == HK_OK && !turned_over(p)) return HK_OK;
  st = find_psi(p, p->trial);
  return st == HK_OK ? factor_here(p) : st;
}

hk_status hki_partition_exact_correct(hk_partition *p, double *D, hk_norms *norm) {
  solve_increment(p, p->x);
  hki_border_apply(&p->border, p->x);
  for (int32_t i = 0; i < p->n; i++) D[i] = p->D[i] + p->x[i];
  norm->step = hki_partition_size(p, p->x);
  norm->constraint = 0.0;
  norm->keep_factor = norm->step <= steady;
  p->last = hki_partition_independent_size(p, p->x);
  return HK_OK;
}

hk_status hki_partition_exact_rates(hk_partition *p, const double *D) { return evaluate(p, D); }
