/* SPDX-License-Identifier: Apache-2.0
 *
 * augmented.c: Newton's method on the augmented set. Nothing is eliminated from the equations
 * beforehand; one iteration corrects all unknowns:
 *
 *   equation                                  unknown
 *   (M a + gyro - Q + Phi_q' lam)_v = 0       D_v
 *   Phi(q0 (+) D, t) = 0                      D_u
 *   Phi_q v + Phi_t = 0                       v_u
 *   Phi_q a + gamma = 0                       a_u
 *   (M a + gyro - Q + Phi_q' lam)_u = 0       lam
 *
 * with v_v = vh + cv D_v, a_v = ah + ca D_v of the integrator. Positions start from the
 * integrator's prediction; v_u, a_u and lam from a straight line through the last two accepted
 * states, or from the last one. The linear system is solved by elimination (stage.c).
 *
 * Source: Haug and Yen, Implicit Numerical Integration of Constrained Equations of Motion via
 * Generalized Coordinate Partitioning, J. Mech. Design 114 (1992).
 */
#include "formulations/partition/partition.h"

/* persistent vectors: TIMES holds the number of states (0 to 2) and their times; then v, a, lam of
 * the last state and of the one before */
enum { COUNT, T_LAST, T_BEFORE };
enum { TIMES, V_LAST, A_LAST, L_LAST, V_BEFORE, A_BEFORE, L_BEFORE, NKEEP };

static double *kept(const hk_partition *p, int k) { return p->own + k * p->big; }

static void augmented_remember(hk_partition *p, double t, const double *v, const double *a) {
  double *time = kept(p, TIMES);
  const size_t n = (size_t)p->n * sizeof(double), m = (size_t)p->m * sizeof(double);
  hki_bodies_state(p->c, t, p->c->q, v);
  hki_partition_motion(p, a, p->r);
  hki_partition_multipliers(p, p->r, p->lam);
  memcpy(kept(p, V_BEFORE), kept(p, V_LAST), n);
  memcpy(kept(p, A_BEFORE), kept(p, A_LAST), n);
  memcpy(kept(p, L_BEFORE), kept(p, L_LAST), m);
  memcpy(kept(p, V_LAST), v, n);
  memcpy(kept(p, A_LAST), a, n);
  memcpy(kept(p, L_LAST), p->lam, m);
  time[T_BEFORE] = time[T_LAST];
  time[T_LAST] = t;
  time[COUNT] = time[COUNT] > 0.0 ? 2.0 : 1.0;
}

static void extrapolate(double x, int32_t n, const double *last, const double *before,
                        double *out) {
  for (int32_t i = 0; i < n; i++) out[i] = last[i] + x * (last[i] - before[i]);
}

/* first iterate of the rates p->w, p->wd and of p->lam */
static void start(hk_partition *p, const double *D) {
  const double *time = kept(p, TIMES), g = time[T_LAST] - time[T_BEFORE];
  const double x = time[COUNT] == 2.0 && g > 0.0 ? (p->st.t - time[T_LAST]) / g : 0.0;
  if (time[COUNT] == 0.0) {
    // no accepted state yet: the integrator's rates, multipliers zero
    for (int32_t i = 0; i < p->n; i++) {
      p->w[i] = p->st.vh[i] + p->st.cv * D[i];
      p->wd[i] = p->st.ah[i] + p->st.ca * D[i];
    }
    memset(p->lam, 0, (size_t)p->m * sizeof *p->lam);
    return;
  }
  extrapolate(x, p->n, kept(p, V_LAST), kept(p, V_BEFORE), p->w);
  extrapolate(x, p->n, kept(p, A_LAST), kept(p, A_BEFORE), p->wd);
  extrapolate(x, p->m, kept(p, L_LAST), kept(p, L_BEFORE), p->lam);
}

/* b (m) = Phi_q x + c, x in body axes */
static void open_rows(hk_partition *p, const double *x, const double *c, double *b) {
  memcpy(p->x, x, (size_t)p->n * sizeof *x);
  hki_bodies_to_world(p->c, p->x);
  hki_bodies_mul(p->c, p->x, b);
  for (int32_t i = 0; i < p->m; i++) b[i] += c[i];
}

static hk_status augmented_residual(hk_partition *p, const double *D) {
  const hk_stage *st = &p->st;
  double *bv = p->scratch, *ba = bv + p->m;
  memcpy(p->D, D, (size_t)p->n * sizeof *D);
  if (p->first) start(p, D);
  p->first = false;
  for (int32_t k = p->rank; k < p->n; k++) {
    const int32_t i = p->cols[k];
    p->w[i] = st->vh[i] + st->cv * D[i];
    p->wd[i] = st->ah[i] + st->ca * D[i];
  }
  hk_status s = hki_partition_place(p);
  if (s != HK_OK) return s;
  hki_partition_both_columns(p);
  hki_partition_follow(p, p->w);
  // bv, ba: what velocities and accelerations leave open in the rows
  hki_partition_speed_up(p);
  hki_partition_accelerate(p);
  open_rows(p, p->v, p->c->phit, bv);
  open_rows(p, p->a, p->c->gamma, ba);
  hki_partition_motion(p, p->a, p->r);
  hki_partition_reduce(p, p->r, p->psi);
  return HK_OK;
}

static hk_status augmented_correct(hk_partition *p, double *D, hk_norms *norm) {
  const double *bv = p->scratch, *ba = bv + p->m;
  double *x = p->before;
  norm->constraint = hki_partition_open_stage(p, bv, p->trial);
  hki_partition_solve_open(p, bv, ba, x);
  // corrections of the other unknowns along dD = x
  hki_partition_force_column(p, x, bv, ba);
  for (int32_t i = 0; i < p->n; i++) {
    D[i] = p->D[i] + x[i];
    p->w[i] += p->dw[i];
    p->wd[i] += p->dwd[i];
    p->r[i] += p->dF[i];
  }
  hki_partition_multipliers(p, p->r, p->lam);
  // corrections of rates count as increments: over cv and ca
  norm->step = fmax(hki_partition_size(p, x), fmax(hki_partition_size(p, p->dw) / p->st.cv,
                                                   hki_partition_size(p, p->dwd) / p->st.ca));
  return HK_OK;
}

const hk_partition_method hki_partition_augmented = {
    .residual = augmented_residual,
    .factor = hki_partition_factor_tangent,
    .correct = augmented_correct,
    .rates = hki_partition_exact_rates,
    .onto = hki_partition_onto,
    .particular = hki_partition_particular,
    .remember = augmented_remember,
    .npersist = NKEEP,
    .nvectors = 2,
    .refuses = HK_PARTITION_EXPLICIT,
    .why = "method 'augmented_newton' is a way to solve implicit steps",
};
