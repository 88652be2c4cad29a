/* SPDX-License-Identifier: Apache-2.0
 *
 * generalized_alpha.c: the generalized-alpha method in its algorithmic-acceleration form, and HHT.
 *
 *   (1 - am) alg1 + am alg = (1 - af) a1 + af a
 *   q1 = q (+) (h v + h^2 ((1/2 - beta) alg + beta alg1))
 *   v1 = v + h ((1 - gamma) alg + gamma alg1)
 *
 * The true acceleration a1 satisfies the equations of motion at the end of the step. In stage form:
 *
 *   k  = (1 - af)/(1 - am)
 *   e  = (af a - am alg)/(1 - am)
 *   ca = 1/(beta h^2 k)
 *   cv = gamma/(beta h)
 *   ah = -ca (h v + h^2 ((1/2 - beta) alg + beta e))
 *   vh = v + h ((1 - gamma) alg + gamma e) + h gamma k ah
 *   alg1 = k a1 + e
 *
 * Parameters, second order for both methods:
 *
 *   generalized_alpha   am = (2 rho - 1)/(rho + 1)    af = rho/(rho + 1)     rho = rho_inf
 *   hht                 am = 0                        af = -alpha            -1/3 <= alpha <= 0
 *   both                gamma = 1/2 - am + af         beta = (gamma + 1/2)^2/4
 *
 * alg approximates the acceleration at the time t + d h, d = am - af. When the length of the step
 * changes, alg is shifted to the new length, so that order 2 holds for steps that vary:
 *
 *   alg <- a + (h/h_last) (alg - a)
 *
 * Local errors, from Taylor's series with alg = a + d h a' + k2 h^2 a'':
 *
 *   positions    h^3 (d/2 + beta - 1/6) v''
 *   velocities   h^3 (k2 + gamma (d + 1/2) - 1/6) v'''      k2 = (1 - af)/2 - (1 - am) (d + 1/2)
 *
 * The projected acceleration is reported; the history keeps the acceleration of the stage itself,
 * unless the formulation satisfies the constraints exactly (HK_CAP_EXACT).
 *
 * Sources: Chung and Hulbert 1993; Hilber, Hughes and Taylor 1977; Arnold and Bruls 2007 for the
 * form with constraints.
 */
#include <math.h>
#include <string.h>

#include "integrators/integrator.h"

typedef struct alpha_par {
  double given; /* rho_inf, or HHT's alpha */
  double am, af, gamma, beta;
} alpha_par;

/* history: alg, and the unprojected acceleration */
enum { ALG, RAW, NHIST };

/* steps that differ by less than this share count as equal */
static const double same_step = 1e-6;

/* alg shifted to a step of length h, written to hist1 */
static void shift_alg(hk_integrator *I, double h) {
  const int32_t nv = I->nv;
  const double *alg = I->hist + ALG * nv, *raw = I->hist + RAW * nv;
  const double x = I->h_last > 0.0 ? h / I->h_last : 1.0;
  double *out = I->hist1 + ALG * nv;
  const bool same = fabs(x - 1.0) < same_step;
  for (int32_t i = 0; i < nv; i++) out[i] = same ? alg[i] : raw[i] + x * (alg[i] - raw[i]);
}

static hk_status alpha_start(hk_integrator *I) {
  size_t bytes = (size_t)I->nv * sizeof(double);
  memcpy(I->hist + (size_t)ALG * (size_t)I->nv, I->a, bytes);
  memcpy(I->hist + (size_t)RAW * (size_t)I->nv, I->a, bytes);
  return HK_OK;
}

static hk_status alpha_step(hk_integrator *I, double h) {
  const alpha_par *p = I->par;
  const int32_t nv = I->nv;
  const double *raw = I->hist + RAW * nv;
  double *alg = I->hist1 + ALG * nv, *alg1 = alg, *raw1 = I->hist1 + RAW * nv;
  const double k = (1.0 - p->af) / (1.0 - p->am);
  const double ca = 1.0 / (p->beta * h * h * k), cv = p->gamma / (p->beta * h);
  shift_alg(I, h);
  for (int32_t i = 0; i < nv; i++) {
    double e = (p->af * raw[i] - p->am * alg[i]) / (1.0 - p->am);
    I->ah[i] = -ca * (h * I->v[i] + h * h * ((0.5 - p->beta) * alg[i] + p->beta * e));
    I->vh[i] =
        I->v[i] + h * ((1.0 - p->gamma) * alg[i] + p->gamma * e) + h * p->gamma * k * I->ah[i];
    I->D[i] = h * I->v[i] + 0.5 * h * h * I->a[i];
  }
  const hk_stage st = {I->t + h, HK_LEVEL_POS, cv, ca, I->q, I->vh, I->ah, false, NULL, NULL};
  hk_status s = hki_newton_solve(I->newton, I->f, &st, nv, I->D, I->work);
  if (s != HK_OK) return s;
  I->f->ops->plus(I->f, I->q, I->D, I->q1);
  for (int32_t i = 0; i < nv; i++) {
    double e = (p->af * raw[i] - p->am * alg[i]) / (1.0 - p->am);
    I->v1[i] = I->vh[i] + cv * I->D[i];
    I->a1[i] = raw1[i] = I->ah[i] + ca * I->D[i];
    alg1[i] = k * raw1[i] + e;
  }
  s = I->f->ops->project(I->f, st.t, I->q1, I->v1, I->a1, HK_PROJECT_VEL | HK_PROJECT_ACC);
  if (s != HK_OK || !(I->f->ops->caps & HK_CAP_EXACT)) return s;
  // dependent coordinates: the projection computes their accelerations, the history takes them
  for (int32_t i = 0; i < nv; i++) {
    alg1[i] += k * (I->a1[i] - raw1[i]);
    raw1[i] = I->a1[i];
  }
  return HK_OK;
}

static void alpha_error(const hk_integrator *I, double h, hk_error_law *law) {
  const alpha_par *p = I->par;
  const double d = p->am - p->af, k2 = 0.5 * (1.0 - p->af) - (1.0 - p->am) * (d + 0.5);
  (void)h;
  *law = (hk_error_law){2, 0.5 * d + p->beta - 1.0 / 6.0, k2 + p->gamma * (d + 0.5) - 1.0 / 6.0};
}

/* gamma and beta for second order and the least low-frequency damping */
static void finish(alpha_par *p) {
  p->gamma = 0.5 - p->am + p->af;
  p->beta = 0.25 * (p->gamma + 0.5) * (p->gamma + 0.5);
}

static bool generalized_prepare(void *par, uint64_t given, char *buf, size_t cap) {
  (void)given, (void)buf, (void)cap;
  alpha_par *p = par;
  p->am = (2.0 * p->given - 1.0) / (p->given + 1.0);
  p->af = p->given / (p->given + 1.0);
  finish(p);
  return true;
}

static bool hht_prepare(void *par, uint64_t given, char *buf, size_t cap) {
  (void)given, (void)buf, (void)cap;
  alpha_par *p = par;
  p->am = 0.0;
  p->af = -p->given;
  finish(p);
  return true;
}

static bool generalized_damps(const void *par) { return ((const alpha_par *)par)->given < 1.0; }
static bool hht_damps(const void *par) { return ((const alpha_par *)par)->given < 0.0; }

/* clang-format off */
static const hk_param generalized_params[] = {
  {"rho_inf", HK_P_REAL, 0, offsetof(alpha_par, given), 0.8, 0.0, 1.0, "", NULL,
   "spectral radius at infinite frequency: 1 keeps, 0 annihilates high frequencies in one step"},
  HK_PARAM_END};
static const hk_param hht_params[] = {
  {"alpha", HK_P_REAL, 0, offsetof(alpha_par, given), -0.05, -1.0 / 3.0, 0.0, "", NULL,
   "dissipation: 0 is the trapezoidal rule, -1/3 damps most"},
  HK_PARAM_END};
/* clang-format on */

const hk_integrator_ops hki_integrator_generalized_alpha = {
    .name = "generalized_alpha",
    .text = "generalized-alpha: order 2 with dissipation of high frequencies set by rho_inf",
    .source = "Chung and Hulbert 1993; Arnold and Bruls 2007",
    .needs = HK_CAP_STAGE_POS | HK_CAP_ACCEL,
    .order = 2,
    .params = generalized_params,
    .par_size = sizeof(alpha_par),
    .prepare = generalized_prepare,
    .damps = generalized_damps,
    .nhist = NHIST,
    .start = alpha_start,
    .step = alpha_step,
    .error = alpha_error,
};

const hk_integrator_ops hki_integrator_hht = {
    .name = "hht",
    .text = "Hilber-Hughes-Taylor: order 2 with dissipation set by alpha",
    .source = "Hilber, Hughes and Taylor 1977",
    .needs = HK_CAP_STAGE_POS | HK_CAP_ACCEL,
    .order = 2,
    .params = hht_params,
    .par_size = sizeof(alpha_par),
    .prepare = hht_prepare,
    .damps = hht_damps,
    .nhist = NHIST,
    .start = alpha_start,
    .step = alpha_step,
    .error = alpha_error,
};
