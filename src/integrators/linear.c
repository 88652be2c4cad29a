/* SPDX-License-Identifier: Apache-2.0
 *
 * linear.c: linearly implicit methods: one factorisation a step and a fixed number of solutions, for steps of bounded
 * cost that may be coarse.
 *
 *   q1 = q (+) (h v + h^2 (b0 a + b1 a1))
 *   v1 = v + h (g0 a + g1 a1)
 *
 *                          b0                  b1        g0          g1      corrections
 *   linearly_implicit      1/2 - beta          beta      1/2         1/2     2               order 2
 *   semi_implicit_euler    theta (1 - theta)   theta^2   1 - theta   theta   2               order 1
 *
 * In stage form, with D the whole increment of the step:
 *
 *   ca = 1/(b1 h^2)                      cv = g1/(b1 h)
 *   ah = -ca (h v + h^2 b0 a)            vh = v + h g0 a + h g1 ah
 *
 * The stage is linearised where a1 = 0:
 *
 *   D = h v + h^2 b0 a                   v* = v + h g0 a
 *
 * which lies between the start and the end for the velocities of dampers, and where forces of stiff springs do not throw the
 * prediction about. The first correction is a step of Newton's method from there, which leaves an error of the order h^4
 * of a smooth motion: order 2 is reached. The second takes the residual at the corrected point with the same factor: it halves
 * the error where laws have kinks. Nothing is iterated, so a step costs the same whatever happens in it.
 *
 * beta = 1/4 is the trapezoidal rule, stable for every step. With beta = 1/12 (Fox and Goodwin; Numerov's method for
 * velocities) periods of undamped vibrations are right to order 4 and not 2, and steps are stable up to
 *
 *   omega h < 1/sqrt(1/4 - beta) = 2.45
 *
 * of the fastest vibration omega; damping does not limit them.
 *
 * semi_implicit_euler has Euler's backward method (theta = 1) at one end and the trapezoidal rule (1/2) at the other,
 * without their iteration. Of a vibration far above 1/h a step leaves (1 - theta)/theta: it stays calm where others rattle,
 * and takes energy out of everything that vibrates.
 *
 * Positions satisfy the constraints by the corrections; velocities and accelerations are projected with the same
 * factor.
 *
 * Sources: Newmark 1959; Fox and Goodwin 1949; Hairer and Wanner, Solving ODEs II, IV.7 (linearly implicit methods with
 * inexact Jacobians); Cuadrado and Dopico 2003 for the stage with constraints.
 */
#include <math.h>

#include "integrators/integrator.h"

typedef struct linear_par {
  double given; /* beta, or theta */
  int32_t corrections;
  double b0, b1, g0, g1;
} linear_par;

static hk_status linear_start(hk_integrator *I) {
  (void)I;
  return HK_OK;
}

/* the corrections of a stage, which all take the factor of the first where the formulation can */
static hk_status correct(hk_integrator *I, const hk_stage *st) {
  const linear_par *p = I->par;
  hk_newton *n = I->newton;
  hk_formulation *f = I->f;
  const int32_t fixed = n->fixed, most = p->corrections;
  const int32_t count = fixed > 0 && fixed < most ? fixed : most;
  if (f->ops->choose_tangent) f->ops->choose_tangent(f, f->few_forces);
  hk_status s = f->ops->begin(f, st);
  if (s == HK_OK) s = hki_newton_hook(n, f, st, HK_HOOK_AFTER_PREDICTION, I->D);
  hk_norms norm = {0};
  for (n->last = 0; s == HK_OK && n->last < count; n->last++) {
    const bool tangent = n->last == 0 || n->every || !(norm.keep_factor || norm.old_factor);
    norm = (hk_norms){0};
    if ((s = f->ops->residual(f, I->D, tangent)) != HK_OK) break;
    if (tangent && (s = f->ops->factor(f)) != HK_OK) break;
    if ((s = f->ops->correct(f, I->D, &norm)) != HK_OK) break;
    if ((s = hki_newton_hook(n, f, st, HK_HOOK_AFTER_ITERATION, I->D)) != HK_OK) break;
    n->iterations++;
    n->left = fmax(norm.step, norm.constraint);
    if (!isfinite(n->left) || (n->stop && *n->stop)) return HK_RETRY;
  }
  if (s == HK_OK && f->ops->settle) s = f->ops->settle(f, I->D);
  return s == HK_OK ? hki_newton_hook(n, f, st, HK_HOOK_CONVERGED, I->D) : s;
}

static hk_status linear_step(hk_integrator *I, double h) {
  const linear_par *p = I->par;
  const double ca = 1.0 / (p->b1 * h * h), cv = p->g1 / (p->b1 * h);
  for (int32_t i = 0; i < I->nv; i++) {
    const double v = I->v[i], a = I->a[i];
    I->D[i] = h * v + h * h * p->b0 * a;
    I->ah[i] = -ca * I->D[i];
    I->vh[i] = v + h * p->g0 * a + h * p->g1 * I->ah[i];
  }
  const hk_stage st = {I->t + h, HK_LEVEL_POS, cv, ca, I->q, I->vh, I->ah, false, NULL, NULL};
  hk_status s = correct(I, &st);
  if (s != HK_OK) return s;
  I->f->ops->plus(I->f, I->q, I->D, I->q1);
  for (int32_t i = 0; i < I->nv; i++) {
    I->v1[i] = I->vh[i] + cv * I->D[i];
    I->a1[i] = I->ah[i] + ca * I->D[i];
  }
  return I->f->ops->project(I->f, st.t, I->q1, I->v1, I->a1, HK_PROJECT_VEL | HK_PROJECT_ACC);
}

/* positions: h^3 (beta - 1/6) v'', velocities: h^3/12 v''' */
static void linear_error(const hk_integrator *I, double h, hk_error_law *law) {
  const linear_par *p = I->par;
  (void)h;
  *law = (hk_error_law){2, p->b1 - 1.0 / 6.0, 1.0 / 12.0};
}

/* positions: h^2 (theta - 1/2) v', velocities: h^2 (theta - 1/2) v'' */
static void euler_error(const hk_integrator *I, double h, hk_error_law *law) {
  const linear_par *p = I->par;
  (void)h;
  *law = (hk_error_law){1, p->g1 - 0.5, p->g1 - 0.5};
}

static bool linear_prepare(void *par, uint64_t given, char *buf, size_t cap) {
  (void)given, (void)buf, (void)cap;
  linear_par *p = par;
  p->b0 = 0.5 - p->given;
  p->b1 = p->given;
  p->g0 = p->g1 = 0.5;
  return true;
}

static bool euler_prepare(void *par, uint64_t given, char *buf, size_t cap) {
  (void)given, (void)buf, (void)cap;
  linear_par *p = par;
  p->b0 = p->given * (1.0 - p->given);
  p->b1 = p->given * p->given;
  p->g0 = 1.0 - p->given;
  p->g1 = p->given;
  return true;
}

static bool euler_damps(const void *par) { return ((const linear_par *)par)->given > 0.5; }

/* clang-format off */
static const hk_param linear_params[] = {
  {"beta", HK_P_REAL, 0, offsetof(linear_par, given), 0.25, 0.08, 0.25, "", NULL,
   "weight of the new acceleration in positions: 1/4 is stable for every step; 1/12 has much smaller errors of "
   "vibrations, while the step is below 2.4/omega of the fastest one"},
  {"corrections", HK_P_INT, 0, offsetof(linear_par, corrections), 2, 1, 4, "", NULL,
   "solutions with the factor of the step; 1 costs a fifth less, and formulations then differ where laws have kinks"},
  HK_PARAM_END};
static const hk_param euler_params[] = {
  {"theta", HK_P_REAL, 0, offsetof(linear_par, given), 0.55, 0.5, 1.0, "", NULL,
   "weight of the end of the step: 1 is Euler's backward method and damps most, 0.5 does not"},
  {"corrections", HK_P_INT, 0, offsetof(linear_par, corrections), 2, 1, 4, "", NULL,
   "solutions with the factor of the step; 1 costs a fifth less, and formulations then differ where laws have kinks"},
  HK_PARAM_END};
/* clang-format on */

const hk_integrator_ops hki_integrator_linearly_implicit = {
    .name = "linearly_implicit",
    .text =
        "linearly implicit: order 2, one factorisation and two solutions a step, nothing iterated",
    .source = "Newmark 1959; Fox and Goodwin 1949; Hairer and Wanner, IV.7",
    .needs = HK_CAP_STAGE_POS | HK_CAP_ACCEL,
    .once = true,
    .order = 2,
    .params = linear_params,
    .par_size = sizeof(linear_par),
    .prepare = linear_prepare,
    .start = linear_start,
    .step = linear_step,
    .error = linear_error,
};

const hk_integrator_ops hki_integrator_semi_implicit_euler = {
    .name = "semi_implicit_euler",
    .text = "semi-implicit Euler: order 1, damps, one factorisation and two solutions a step",
    .source = "Hairer and Wanner, IV.7",
    .needs = HK_CAP_STAGE_POS | HK_CAP_ACCEL,
    .once = true,
    .order = 1,
    .params = euler_params,
    .par_size = sizeof(linear_par),
    .prepare = euler_prepare,
    .damps = euler_damps,
    .start = linear_start,
    .step = linear_step,
    .error = euler_error,
};
