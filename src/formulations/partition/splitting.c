/* SPDX-License-Identifier: Apache-2.0
 *
 * splitting.c: coordinate splitting: the stabilised system of index 2 with its multipliers
 * removed. Positions and velocities of all coordinates are unknown, constraints hold at both
 * levels:
 *
 *   P' M (dq/dt - v) = 0                 P' Phi_q' = 0, P = [H; 1] of partition.h
 *   P' (M dv/dt + gyro - Q) = 0
 *   Phi(q, t) = 0
 *   Phi_q v + Phi_t = 0
 *
 *   dq/dt = w = vh + cv D                the integrator's rates
 *   dv/dt = ah + (ca/cv) (v - vh)
 *
 * With P' as annihilator no multiplier has to be estimated at the start of a step. The first line
 * says that w - v lies in the span of M^-1 Phi_q', where the index 2 form of Gear, Leimkuhler and
 * Gupta has its second multiplier: v is the velocity on the constraints that is nearest to w in the
 * mass metric. The source uses the unit metric. That would mix lengths and angles, and it would
 * move along the constraints what the second line leaves open in the span of M^-1 Phi_q'.
 * Constraints at acceleration level are not imposed.
 *
 * Newton's method runs on all coordinates at once; the constraints close as it converges. The
 * derivative of P' brings the term P' (Phi_q' lam)_q, lam balancing the dependent rows.
 * `tangent: fv` leaves it out: the modification CM of the source, for steps that do not resolve an
 * oscillation.
 *
 * Sources: Yen and Petzold, An Efficient Newton-Type Iteration for the Numerical Solution of Highly
 * Oscillatory Constrained Multibody Dynamic Systems, SIAM J. Sci. Comput. 19 (1998); Gear,
 * Leimkuhler and Gupta 1985.
 */
#include "formulations/partition/partition.h"

/* state of the stage at D: v nearest to w, a = dv/dt */
static hk_status evaluate(hk_partition *p, const double *D) {
  const hk_stage *st = &p->st;
  memcpy(p->D, D, (size_t)p->n * sizeof *D);
  for (int32_t i = 0; i < p->n; i++) p->w[i] = st->vh[i] + st->cv * D[i];
  hk_status s = hki_partition_place(p);
  if (s != HK_OK) return s;
  hki_partition_both_columns(p);
  hki_partition_nearest(p, hki_partition_rate_jac(p), p->c->phit, p->w);
  hki_partition_follow(p, p->w);
  hki_partition_speed_up(p);
  for (int32_t i = 0; i < p->n; i++) p->wd[i] = st->ah[i] + st->ca / st->cv * (p->w[i] - st->vh[i]);
  hki_partition_accelerate(p);
  return HK_OK;
}

static hk_status splitting_residual(hk_partition *p, const double *D) {
  hk_status st = evaluate(p, D);
  if (st != HK_OK) return st;
  hki_partition_motion(p, p->a, p->r);
  hki_partition_reduce(p, p->r, p->psi);
  return HK_OK;
}

static hk_status splitting_factor(hk_partition *p) {
  hki_partition_multipliers(p, p->r, p->lam);
  return hki_partition_factor_tangent(p);
}

static hk_status splitting_correct(hk_partition *p, double *D, hk_norms *norm) {
  norm->constraint = hki_partition_open_stage(p, NULL, p->trial);
  hki_partition_solve_open(p, NULL, NULL, p->x);
  norm->step = hki_partition_size(p, p->x);
  for (int32_t i = 0; i < p->n; i++) D[i] = p->D[i] + p->x[i];
  return HK_OK;
}

const hk_partition_method hki_partition_splitting = {
    .residual = splitting_residual,
    .factor = splitting_factor,
    .correct = splitting_correct,
    .rates = evaluate,
    .onto = hki_partition_nearest,
    .columns = true,
    .rates_only = true,
    .particular = hki_partition_particular,
    .refuses = HK_PARTITION_EXPLICIT,
    .why = "method 'splitting' is a way to solve implicit steps",
};
