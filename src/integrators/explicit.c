/* SPDX-License-Identifier: Apache-2.0
 *
 * explicit.c: explicit methods for every formulation that gives accelerations.
 *
 * rk4: the classical Runge-Kutta method in a commutator-free form for rotations. With V_i, A_i the
 * velocities and accelerations of the stages and Q_i their positions:
 *
 *   Q2 = q (+) h/2 V1
 *   Q3 = q (+) h/2 V2
 *   Q4 = Q2 (+) (h V3 - h/2 V1)
 *   q1 = q (+) h (V1/4 + V2/6 + V3/6 - V4/12) (+) h (-V1/12 + V2/6 + V3/6 + V4/4)
 *   v1 = v + h/6 (A1 + 2 A2 + 2 A3 + A4)
 *
 * Where increments simply add this is the classical method (Celledoni, Marthinsen and Owren 2003).
 *
 * abm2: second-order Adams-Bashforth predictor and Adams-Moulton corrector (PECE), for steps that
 * vary, x = h/h_last:
 *
 *   v* = v + h ((1 + x/2) a - x/2 a_last)          prediction, with a* its accelerations
 *   D* = h ((1 + x/2) v - x/2 v_last)
 *   v1 = v + h/2 (a + a*)                          correction
 *   D  = h/2 (v + v1)
 *
 * The first step after a start is Heun's (x = 0).
 *
 * Positions and velocities are projected onto the constraints after the step, then the
 * accelerations are solved for. Explicit methods are stable only for steps below about 2.8 (rk4) or
 * 2 (abm2) divided by the largest frequency (rad/s) or decay rate (1/s).
 */
#include <string.h>

#include "integrators/integrator.h"

/* accelerations; if they are not finite, the step was too long (HK_RETRY) */
static hk_status slopes(hk_integrator *I, double t, const double *q, const double *v, double *a) {
  hk_status s = I->f->ops->accel(I->f, t, q, v, a);
  return s == HK_E_NUMBER ? HK_RETRY : s;
}

/* project the new state, then compute its accelerations */
static hk_status finish(hk_integrator *I, double t) {
  memcpy(I->a1, I->a, (size_t)I->nv * sizeof *I->a1);
  hk_status s = I->f->ops->project(I->f, t, I->q1, I->v1, I->a1, HK_PROJECT_POS | HK_PROJECT_VEL);
  return s == HK_OK ? slopes(I, t, I->q1, I->v1, I->a1) : s;
}

/* --- rk4 -------------------------------------------------------------------------------------- */

static hk_status rk4_start(hk_integrator *I) {
  (void)I;
  return HK_OK;
}

/* velocities V = v + hc A of a stage, then its accelerations An at the position I->q1 */
static hk_status rk4_stage(hk_integrator *I, double t, double hc, const double *A, double *V,
                           double *An) {
  for (int32_t i = 0; i < I->nv; i++) V[i] = I->v[i] + hc * A[i];
  return slopes(I, t, I->q1, V, An);
}

static hk_status rk4_step(hk_integrator *I, double h) {
  const hk_formulation_ops *ops = I->f->ops;
  const int32_t n = I->nv;
  double *V[4], *A[4];
  hk_status s;
  for (int k = 0; k < 4; k++) V[k] = I->hist1 + 2 * k * n, A[k] = V[k] + n;
  memcpy(V[0], I->v, (size_t)n * sizeof(double));
  memcpy(A[0], I->a, (size_t)n * sizeof(double));
  // two half steps from the start
  for (int k = 1; k < 3; k++) {
    for (int32_t i = 0; i < n; i++) I->D[i] = 0.5 * h * V[k - 1][i];
    ops->plus(I->f, I->q, I->D, I->q1);
    if ((s = rk4_stage(I, I->t + 0.5 * h, 0.5 * h, A[k - 1], V[k], A[k])) != HK_OK) return s;
  }
  // the whole step, from the first half
  for (int32_t i = 0; i < n; i++) I->D[i] = 0.5 * h * V[0][i];
  ops->plus(I->f, I->q, I->D, I->q1);
  for (int32_t i = 0; i < n; i++) I->D[i] = h * V[2][i] - 0.5 * h * V[0][i];
  ops->plus(I->f, I->q1, I->D, I->q1);
  if ((s = rk4_stage(I, I->t + h, h, A[2], V[3], A[3])) != HK_OK) return s;
  // the new position by two increments
  for (int32_t i = 0; i < n; i++)
    I->D[i] = h * (V[0][i] / 4 + (V[1][i] + V[2][i]) / 6 - V[3][i] / 12);
  ops->plus(I->f, I->q, I->D, I->q1);
  for (int32_t i = 0; i < n; i++)
    I->D[i] = h * (-V[0][i] / 12 + (V[1][i] + V[2][i]) / 6 + V[3][i] / 4);
  ops->plus(I->f, I->q1, I->D, I->q1);
  for (int32_t i = 0; i < n; i++)
    I->v1[i] = I->v[i] + h / 6 * (A[0][i] + 2 * A[1][i] + 2 * A[2][i] + A[3][i]);
  return finish(I, I->t + h);
}

/* --- abm2 ------------------------------------------------------------------------------------- */

/* history: velocities and accelerations of the step before, and its length (0: none) */
enum { V_LAST, A_LAST, H_LAST, ABM_HIST };

static hk_status abm2_start(hk_integrator *I) {
  memset(I->hist, 0, (size_t)(ABM_HIST * I->nv) * sizeof(double));
  return HK_OK;
}

static hk_status abm2_step(hk_integrator *I, double h) {
  const int32_t n = I->nv;
  const double *vl = I->hist + V_LAST * n, *al = I->hist + A_LAST * n;
  const double last = n ? I->hist[H_LAST * n] : 0.0, x = last > 0.0 ? h / last : 0.0;
  double *as = I->work;
  for (int32_t i = 0; i < n; i++) {
    I->v1[i] = I->v[i] + h * ((1.0 + 0.5 * x) * I->a[i] - 0.5 * x * al[i]);
    I->D[i] = h * ((1.0 + 0.5 * x) * I->v[i] - 0.5 * x * vl[i]);
  }
  I->f->ops->plus(I->f, I->q, I->D, I->q1);
  hk_status s = slopes(I, I->t + h, I->q1, I->v1, as);
  if (s != HK_OK) return s;
  for (int32_t i = 0; i < n; i++) {
    I->v1[i] = I->v[i] + 0.5 * h * (I->a[i] + as[i]);
    I->D[i] = 0.5 * h * (I->v[i] + I->v1[i]);
    I->hist1[V_LAST * n + i] = I->v[i];
    I->hist1[A_LAST * n + i] = I->a[i];
    I->hist1[H_LAST * n + i] = h;
  }
  I->f->ops->plus(I->f, I->q, I->D, I->q1);
  return finish(I, I->t + h);
}

/* the corrector is the trapezoidal rule, for positions and for velocities */
static void abm2_error(const hk_integrator *I, double h, hk_error_law *law) {
  (void)I, (void)h;
  *law = (hk_error_law){2, 1.0 / 12.0, 1.0 / 12.0};
}

const hk_integrator_ops hki_integrator_rk4 = {
    .name = "rk4",
    .text = "classical Runge-Kutta method: explicit, order 4",
    .source = "Kutta 1901; Celledoni, Marthinsen and Owren 2003 for rotations",
    .needs = HK_CAP_ACCEL,
    .order = 4,
    .stable = 2.785,
    .params = hki_no_params,
    .prepare = hki_nothing_to_choose,
    .nhist = 8,
    .start = rk4_start,
    .step = rk4_step,
};

const hk_integrator_ops hki_integrator_abm2 = {
    .name = "abm2",
    .text =
        "Adams-Bashforth-Moulton predictor-corrector: explicit, order 2, two evaluations a step",
    .source = "Shampine and Gordon 1975; the explicit reference of Haug, Negrut and Iancu 1997",
    .needs = HK_CAP_ACCEL,
    .order = 2,
    .stable = 2.0,
    .params = hki_no_params,
    .prepare = hki_nothing_to_choose,
    .nhist = ABM_HIST,
    .start = abm2_start,
    .step = abm2_step,
    .error = abm2_error,
};
