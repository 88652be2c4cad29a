/* SPDX-License-Identifier: Apache-2.0
 *
 * newmark.c: Newmark's family, and the trapezoidal rule as its member without dissipation.
 *
 *   q1 = q (+) (h v + h^2 ((1/2 - beta) a + beta a1))
 *   v1 = v + h ((1 - gamma) a + gamma a1)
 *
 * In stage form, with D the whole increment of the step:
 *
 *   ca = 1/(beta h^2)
 *   cv = gamma/(beta h)
 *   ah = -ca (h v + h^2 (1/2 - beta) a)
 *   vh = v + h (1 - gamma) a + h gamma ah
 *
 * The trapezoidal rule has beta = 1/4, gamma = 1/2. Members with dissipation have gamma > 1/2 and
 * beta = (gamma + 1/2)^2/4 and are of first order. Velocities and accelerations are projected onto
 * the constraints after the step; the next step starts from the projected ones.
 *
 * Sources: Newmark 1959; Cuadrado and Dopico 2003, eqs. 21-24 (trapezoidal rule).
 */
#include <math.h>
#include <stdio.h>

#include "integrators/integrator.h"

typedef struct newmark_par {
  double gamma, beta;
} newmark_par;

static hk_status newmark_start(hk_integrator *I) {
  (void)I;
  return HK_OK;
}

static hk_status newmark_step(hk_integrator *I, double h) {
  const newmark_par *p = I->par;
  const double ca = 1.0 / (p->beta * h * h), cv = p->gamma / (p->beta * h);
  for (int32_t i = 0; i < I->nv; i++) {
    double v = I->v[i], a = I->a[i];
    I->ah[i] = -ca * (h * v + h * h * (0.5 - p->beta) * a);
    I->vh[i] = v + h * (1.0 - p->gamma) * a + h * p->gamma * I->ah[i];
    I->D[i] = h * v + 0.5 * h * h * a;
  }
  const hk_stage st = {I->t + h, HK_LEVEL_POS, cv, ca, I->q, I->vh, I->ah, false, NULL};
  hk_status s = hki_newton_solve(I->newton, I->f, &st, I->nv, I->D, I->work);
  if (s != HK_OK) return s;
  I->f->ops->plus(I->f, I->q, I->D, I->q1);
  for (int32_t i = 0; i < I->nv; i++) {
    I->v1[i] = I->vh[i] + cv * I->D[i];
    I->a1[i] = I->ah[i] + ca * I->D[i];
  }
  return I->f->ops->project(I->f, st.t, I->q1, I->v1, I->a1, HK_PROJECT_VEL | HK_PROJECT_ACC);
}

/* positions: h^3 (beta - 1/6) v''; velocities: h^2 (gamma - 1/2) v'', or h^3/12 v''' at 1/2 */
static void newmark_error(const hk_integrator *I, double h, hk_error_law *law) {
  const newmark_par *p = I->par;
  (void)h;
  if (p->gamma == 0.5)
    *law = (hk_error_law){2, p->beta - 1.0 / 6.0, 1.0 / 12.0};
  else
    *law = (hk_error_law){1, 0.0, p->gamma - 0.5};
}

/* trapezoidal: no parameters */
static bool trapezoidal_prepare(void *par, uint64_t given, char *buf, size_t cap) {
  (void)given, (void)buf, (void)cap;
  *(newmark_par *)par = (newmark_par){0.5, 0.25};
  return true;
}

/* newmark: gamma, and beta from it unless given too */
static bool newmark_prepare(void *par, uint64_t given, char *buf, size_t cap) {
  newmark_par *p = par;
  if (!(given & 2u)) p->beta = 0.25 * (p->gamma + 0.5) * (p->gamma + 0.5);
  if (p->gamma < 0.5 || 2.0 * p->beta < p->gamma) {
    snprintf(buf, cap,
             "gamma %g with beta %g is not stable: expected gamma >= 0.5 and beta >= gamma/2",
             p->gamma, p->beta);
    return false;
  }
  return true;
}

static bool newmark_damps(const void *par) { return ((const newmark_par *)par)->gamma > 0.5; }

static const hk_param trapezoidal_params[] = {HK_PARAM_END};

/* clang-format off */
static const hk_param newmark_params[] = {
  {"gamma", HK_P_REAL, 0, offsetof(newmark_par, gamma), 0.6, 0.5, 1.0, "", NULL,
   "dissipation: 0.5 is the trapezoidal rule, more damps high frequencies (first order)"},
  {"beta", HK_P_REAL, 0, offsetof(newmark_par, beta), NAN, 0.25, 1.0, "", NULL,
   "position weight; default (gamma + 1/2)^2/4"},
  HK_PARAM_END};
/* clang-format on */

const hk_integrator_ops hki_integrator_trapezoidal = {
    .name = "trapezoidal",
    .text = "trapezoidal rule: order 2, no numerical dissipation",
    .source = "Cuadrado and Dopico 2003, eqs. 21-24",
    .needs = HK_CAP_STAGE_POS | HK_CAP_ACCEL,
    .order = 2,
    .params = trapezoidal_params,
    .par_size = sizeof(newmark_par),
    .prepare = trapezoidal_prepare,
    .start = newmark_start,
    .step = newmark_step,
    .error = newmark_error,
};

const hk_integrator_ops hki_integrator_newmark = {
    .name = "newmark",
    .text = "Newmark's method with numerical dissipation (gamma > 1/2: order 1)",
    .source = "Newmark 1959",
    .needs = HK_CAP_STAGE_POS | HK_CAP_ACCEL,
    .order = 1,
    .params = newmark_params,
    .par_size = sizeof(newmark_par),
    .prepare = newmark_prepare,
    .damps = newmark_damps,
    .start = newmark_start,
    .step = newmark_step,
    .error = newmark_error,
};
