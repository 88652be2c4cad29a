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
 * The iteration begins with D = h v + h^2 a/2 + e, where e goes on with what the last two steps have had beyond constant
 * accelerations, c = D - h v - h^2 a/2, and c' before it; that is h^3/4 da/dt and what closes loops in the step:
 *
 *   e = 0, c or 2 c - c'
 *
 * for each coordinate by itself, whichever has foretold the last one best: a higher one must have been twice as good as
 * the one before it, and c by c' in the two steps before, so that rough motions keep e = 0. So do those with a c above a
 * fiftieth of |h v| + |h^2 a/2|, since coarse steps have other solutions that such a prediction may lead to. After a change of the step by x, e is x^3 times as large. Fine
 * tolerances keep e = 0 too: they ask for multipliers that have converged, which a first correction of the size of
 * round-off does not show. So do formulations without HK_CAP_AHEAD.
 *
 * The trapezoidal rule has beta = 1/4, gamma = 1/2. Members with dissipation have gamma > 1/2 and
 * beta = (gamma + 1/2)^2/4 and are of first order. Velocities and accelerations are projected onto
 * the constraints after the step; the next step starts from the projected ones.
 *
 * Sources: Newmark 1959; Cuadrado and Dopico 2003, eqs. 21-24 (trapezoidal rule).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "integrators/integrator.h"

typedef struct newmark_par {
  double gamma, beta;
} newmark_par;

/* vectors of the history: c, the one before, e of the next step */
enum { BEYOND, FORMER, EXPECTED, HISTORY };

/* how much better than the lower prediction a higher one must have been; longest step by the last one; largest c by the
 * way of the step */
static const double better = 0.5, longest = 2.0, small = 0.02;

static hk_status newmark_start(hk_integrator *I) {
  memset(I->hist, 0, HISTORY * (size_t)I->nv * sizeof *I->hist);
  return HK_OK;
}

/* the history after a step h with the increment D; x3: lengths of the last step to this one */
static void remember(hk_integrator *I, double h, double x3) {
  const size_t nv = (size_t)I->nv;
  const double *D = I->D, *v = I->v, *a = I->a;
  const double *beyond = I->hist + BEYOND * nv, *former = I->hist + FORMER * nv;
  double *restrict beyond1 = I->hist1 + BEYOND * nv, *restrict former1 = I->hist1 + FORMER * nv;
  double *restrict expected1 = I->hist1 + EXPECTED * nv;
  for (size_t i = 0; i < nv; i++) {
    const double by_v = h * v[i], by_a = 0.5 * h * h * a[i], way = fabs(by_v) + fabs(by_a);
    const double c = D[i] - (by_v + by_a), c0 = x3 * beyond[i];
    const double none = fabs(c), same = fabs(c - c0), line = fabs(c - (2.0 * c0 - x3 * former[i]));
    const double next = line < better * same ? 2.0 * c - c0 : c;
    beyond1[i] = c, former1[i] = c0;
    const bool steady = same < better * none && fabs(c0 - x3 * former[i]) < better * fabs(c0);
    expected1[i] = steady && none < small * way ? next : 0.0;
  }
}

/* the stage of a step h: ah, vh, and the prediction D; a1 has that of the stage until it has ended (hk_stage.ahead) */
static void predict(hk_integrator *I, double h, double x3) {
  const newmark_par *p = I->par;
  const double ca = 1.0 / (p->beta * h * h), beta = p->beta, gamma = p->gamma, *v = I->v, *a = I->a;
  const double *beyond = I->hist + BEYOND * (size_t)I->nv;
  const double *expected = I->hist + EXPECTED * (size_t)I->nv;
  double *restrict ah = I->ah, *restrict vh = I->vh, *restrict D = I->D, *restrict ahead = I->a1;
  for (int32_t i = 0; i < I->nv; i++) {
    ah[i] = -ca * (h * v[i] + h * h * (0.5 - beta) * a[i]);
    vh[i] = v[i] + h * (1.0 - gamma) * a[i] + h * gamma * ah[i];
    D[i] = h * v[i] + 0.5 * h * h * a[i] + x3 * expected[i];
    ahead[i] = x3 * (expected[i] - beyond[i]);
  }
}

/* v1 and a1 of the increment that was found */
static void find_rates(hk_integrator *I, double cv, double ca) {
  const double *D = I->D, *vh = I->vh, *ah = I->ah;
  double *restrict v1 = I->v1, *restrict a1 = I->a1;
  for (int32_t i = 0; i < I->nv; i++) {
    v1[i] = vh[i] + cv * D[i];
    a1[i] = ah[i] + ca * D[i];
  }
}

static hk_status newmark_step(hk_integrator *I, double h) {
  const newmark_par *p = I->par;
  const double ca = 1.0 / (p->beta * h * h), cv = p->gamma / (p->beta * h);
  const bool may = I->f->ops->caps & HK_CAP_AHEAD && I->newton->tolerance >= HK_RATE_FINE;
  const bool goes_on = may && I->h_last > 0.0;
  const double x = goes_on ? h / I->h_last : 0.0, x3 = x <= longest ? x * x * x : 0.0;
  predict(I, h, x3);
  const hk_stage st = {I->t + h, HK_LEVEL_POS, cv, ca, I->q, I->vh, I->ah, false, NULL, I->a1};
  hk_status s = hki_newton_solve(I->newton, I->f, &st, I->nv, I->D, I->work);
  if (s != HK_OK) return s;
  I->f->ops->plus(I->f, I->q, I->D, I->q1);
  find_rates(I, cv, ca);
  remember(I, h, x3);
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
    .nhist = HISTORY,
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
    .nhist = HISTORY,
    .prepare = newmark_prepare,
    .damps = newmark_damps,
    .start = newmark_start,
    .step = newmark_step,
    .error = newmark_error,
};
