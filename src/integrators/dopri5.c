/* SPDX-License-Identifier: Apache-2.0
 *
 * dopri5.c: the explicit Runge-Kutta pair of Dormand and Prince, order 5 with an error estimate of
 * order 4 and dense output of order 4.
 *
 * The unknowns of a step are the increment D from its first position and the velocity v:
 *
 *   dD/dt = J(D)^-1 v           J: chart of rotations, v = J dD/dt
 *   dv/dt = a(q (+) D, v)
 *
 * This is an ordinary differential equation in a vector space, so the order holds for rotations too
 * (Munthe-Kaas 1999).
 *
 * Error: the root mean square over positions and velocities of e / scale. e is the difference of
 * the two formulas, scale is atol + rtol for positions (m, rad) and atol + rtol |v| for velocities.
 * Accepted states are projected onto the constraints.
 *
 * Dense output, with y for D or v, k_i the slopes of the stages, x from 0 to 1:
 *
 *   y(x) = r1 + x (r2 + (1 - x) (r3 + x (r4 + (1 - x) r5)))
 *   r1   = y0
 *   r2   = y1 - y0
 *   r3   = h k1 - r2
 *   r4   = r2 - h k7 - r3
 *   r5   = h sum d_i k_i
 *
 * Sources: Dormand and Prince 1980; Hairer, Norsett and Wanner, Solving Ordinary Differential
 * Equations I, II.4 to II.6.
 */
#include <math.h>
#include <string.h>

#include "integrators/integrator.h"

enum { STAGES = 7 };

/* nodes c, weights a of the stages, weights e of the error, weights d of the dense output */
static const double c[STAGES] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
static const double a[STAGES][STAGES - 1] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};
static const double e[STAGES] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                 -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

static const double d[STAGES] = {-12715105075.0 / 11282082432,  0,
                                 87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                 701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                 69997945.0 / 29380423};

/* scratch vectors, in the memory of the next history: dD/dt and dv/dt of each stage, velocity of
 * the last stage */
enum { RATE, SLOPE = RATE + STAGES, VS = SLOPE + STAGES, NHIST };
/* dense output: r2 to r5 of the increment, r1 to r5 of the velocity */
enum { DENSE_D, DENSE_V = 4, NDENSE = 9 };

static double *part(hk_integrator *I, int32_t k) { return I->hist1 + (size_t)k * (size_t)I->nv; }

static hk_status dopri_start(hk_integrator *I) {
  (void)I;
  return HK_OK;
}

/* increment, velocities and slopes of stage k of a step h */
static hk_status stage(hk_integrator *I, int32_t k, double h) {
  const int32_t n = I->nv;
  double *V = part(I, VS);
  for (int32_t i = 0; i < n; i++) {
    I->D[i] = 0.0;
    V[i] = I->v[i];
    for (int32_t j = 0; j < k; j++) {
      I->D[i] += h * a[k][j] * part(I, RATE + j)[i];
      V[i] += h * a[k][j] * part(I, SLOPE + j)[i];
    }
  }
  if (k == 0) {
    memcpy(part(I, RATE), V, (size_t)n * sizeof *V);
    memcpy(part(I, SLOPE), I->a, (size_t)n * sizeof *V);
    return HK_OK;
  }
  hk_status s = hki_chart_rate(I->f, n, I->D, V, part(I, RATE + k), I->vh);
  if (s != HK_OK) return s;
  I->f->ops->plus(I->f, I->q, I->D, I->q1);
  s = I->f->ops->accel(I->f, I->t + c[k] * h, I->q1, V, part(I, SLOPE + k));
  return s == HK_E_NUMBER ? HK_RETRY : s;
}

/* the difference of the two formulas, scaled by the tolerance */
static double size_of_error(hk_integrator *I, double h) {
  double sum = 0.0;
  for (int32_t i = 0; i < I->nv; i++) {
    double ed = 0.0, ev = 0.0;
    for (int32_t k = 0; k < STAGES; k++) {
      ed += h * e[k] * part(I, RATE + k)[i];
      ev += h * e[k] * part(I, SLOPE + k)[i];
    }
    sum += hki_error_square(I, I->rtol, I->atol, i, ed, ev, part(I, VS)[i]);
  }
  return I->nv ? sqrt(sum / (2.0 * I->nv)) : 0.0;
}

/* project the new state onto the constraints and compute its accelerations */
static hk_status settle(hk_integrator *I, double t) {
  const size_t bytes = (size_t)I->nv * sizeof(double);
  memcpy(I->v1, part(I, VS), bytes);
  memcpy(I->a1, I->a, bytes);
  I->f->ops->plus(I->f, I->q, I->D, I->q1);
  hk_status s = I->f->ops->project(I->f, t, I->q1, I->v1, I->a1, HK_PROJECT_POS | HK_PROJECT_VEL);
  if (s == HK_OK) s = I->f->ops->accel(I->f, t, I->q1, I->v1, I->a1);
  return s == HK_E_NUMBER ? HK_RETRY : s;
}

static hk_status dopri_step(hk_integrator *I, double h) {
  for (int32_t k = 0; k < STAGES; k++) {
    hk_status s = stage(I, k, h);
    if (s != HK_OK) return s;
  }
  I->newton->last = 1;
  I->newton->iterations++;
  I->err = size_of_error(I, h);
  if (!isfinite(I->err)) return HK_RETRY;
  // a step that will be refused needs no projection
  return I->controlled && I->err > 1.0 ? HK_OK : settle(I, I->t + h);
}

static void dopri_error(const hk_integrator *I, double h, hk_error_law *law) {
  (void)I, (void)h;
  *law = (hk_error_law){.order = 4};
}

/* r2 to r5 of entry i from its change over the step, diff, and its slopes at the seven stages */
static void remember_entry(hk_integrator *I, double h, double diff, int32_t slopes, int32_t i,
                           double *out) {
  const int32_t n = I->nv;
  double r3 = h * part(I, slopes)[i] - diff, r5 = 0.0;
  for (int32_t k = 0; k < STAGES; k++) r5 += h * d[k] * part(I, slopes + k)[i];
  out[0] = diff;
  out[n] = r3;
  out[2 * n] = diff - h * part(I, slopes + STAGES - 1)[i] - r3;
  out[3 * n] = r5;
}

static void dopri_remember(hk_integrator *I, double h) {
  const int32_t n = I->nv;
  double *D = I->dense + I->nq + DENSE_D * n, *V = I->dense + I->nq + DENSE_V * n;
  I->dense_h = h;
  memcpy(I->dense, I->q, (size_t)I->nq * sizeof(double));
  memcpy(V, I->v, (size_t)n * sizeof(double));
  for (int32_t i = 0; i < n; i++) {
    remember_entry(I, h, I->D[i], RATE, i, D + i);
    remember_entry(I, h, part(I, VS)[i] - I->v[i], SLOPE, i, V + n + i);
  }
}

static hk_status dopri_dense(hk_integrator *I, double x, double *q, double *v) {
  const int32_t n = I->nv;
  const double *D = I->dense + I->nq + DENSE_D * n, *V = I->dense + I->nq + DENSE_V * n,
               y = 1.0 - x;
  for (int32_t i = 0; i < n; i++) {
    const double *r = D + i, *s = V + i;
    I->work[i] = x * (r[0] + y * (r[n] + x * (r[2 * n] + y * r[3 * n])));
    v[i] = s[0] + x * (s[n] + y * (s[2 * n] + x * (s[3 * n] + y * s[4 * n])));
  }
  I->f->ops->plus(I->f, I->dense, I->work, q);
  return HK_OK;
}

const hk_integrator_ops hki_integrator_dopri5 = {
    .name = "dopri5",
    .text = "Dormand and Prince: explicit, order 5, steps by error control",
    .source = "Dormand and Prince 1980; Hairer, Norsett and Wanner, Solving ODEs I",
    .needs = HK_CAP_ACCEL,
    .order = 5,
    .params = hki_no_params,
    .prepare = hki_nothing_to_choose,
    .nhist = NHIST,
    .start = dopri_start,
    .step = dopri_step,
    .steps = HK_STEPS_MEASURED,
    .error = dopri_error,
    .ndense = NDENSE,
    .remember = dopri_remember,
    .dense = dopri_dense,
};
