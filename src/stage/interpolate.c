/* SPDX-License-Identifier: Apache-2.0
 *
 * interpolate.c: states within the last step.
 *
 * A method without a dense output of its own gets the Hermite cubic through positions and
 * velocities at both ends of the step, in the chart of the formulation. With x from 0 to 1:
 *
 *   D(x) = (x - 2 x^2 + x^3) h v0 + (3 x^2 - 2 x^3) D1 + (x^3 - x^2) h w1
 *   D1   = q1 (-) q0              increment of the whole step
 *   v1   = J(D1) w1               w1: rate of the increment at the end
 *   q    = q0 (+) D
 *   v    = J(D) dD/dt
 *
 * Its error in positions, h^4/384, is below the local error of methods of order 2. Accelerations
 * are not used: those at the ends of a step are far from those inside where stiff parts of a system
 * settle.
 */
#include <math.h>
#include <string.h>

#include "stage/stage.h"

static const double inverse_tolerance = 1e-15, inverse_enough = 1e-12;
enum { INVERSE_PASSES = 60 };

/* solves J(D) w = v by the iteration w <- w + v - J w; the error shrinks by about |D|/2 per pass */
hk_status hki_chart_rate(const hk_formulation *f, int32_t nv, const double *D, const double *v,
                         double *w, double *x) {
  memcpy(w, v, (size_t)nv * sizeof *w);
  if (!f->ops->chart_velocity) return HK_OK;
  for (int pass = 0; pass < INVERSE_PASSES; pass++) {
    double change = 0.0, size = 0.0;
    f->ops->chart_velocity(f, D, w, x);
    for (int32_t i = 0; i < nv; i++) {
      double d = v[i] - x[i];
      w[i] += d;
      change = fmax(change, fabs(d));
      size = fmax(size, fabs(v[i]));
    }
    if (change <= inverse_tolerance * size) return HK_OK;
    if (!(change <= 4.0 * size)) return HK_RETRY;
    if (pass + 1 == INVERSE_PASSES && change > inverse_enough * size) return HK_RETRY;
  }
  return HK_OK;
}

int32_t hki_interpolate_size(const hk_integrator *I) {
  return I->nq + (I->ops->ndense ? I->ops->ndense : HK_HERMITE) * I->nv;
}

void hki_hermite_remember(hk_integrator *I, double h) {
  const int32_t n = I->nv;
  double *v0 = I->dense + I->nq, *D1 = v0 + n, *w1 = D1 + n;
  I->dense_h = h;
  memcpy(I->dense, I->q, (size_t)I->nq * sizeof(double));
  memcpy(v0, I->v, (size_t)n * sizeof(double));
  I->f->ops->minus(I->f, I->q1, I->q, D1);
  // a rotation too large for the chart: take the velocity at the end for the rate
  if (hki_chart_rate(I->f, n, D1, I->v1, w1, I->work) != HK_OK)
    memcpy(w1, I->v1, (size_t)n * sizeof(double));
}

hk_status hki_hermite(hk_integrator *I, double x, double *q, double *v) {
  const int32_t n = I->nv;
  const double *v0 = I->dense + I->nq, *D1 = v0 + n, *w1 = D1 + n, h = I->dense_h;
  const double a = x * (1.0 - x) * (1.0 - x) * h, b = x * x * (3.0 - 2.0 * x);
  const double c = x * x * (x - 1.0) * h;
  const double da = (1.0 - x) * (1.0 - 3.0 * x), db = 6.0 * x * (1.0 - x) / h;
  const double dc = x * (3.0 * x - 2.0);
  double *D = I->work;
  for (int32_t i = 0; i < n; i++) {
    D[i] = a * v0[i] + b * D1[i] + c * w1[i];
    v[i] = da * v0[i] + db * D1[i] + dc * w1[i];
  }
  I->f->ops->plus(I->f, I->dense, D, q);
  if (I->f->ops->chart_velocity) I->f->ops->chart_velocity(I->f, D, v, v);
  return HK_OK;
}

void hki_interpolate_remember(hk_integrator *I, double h) {
  HK_ASSERT(I->dense);
  (I->ops->remember ? I->ops->remember : hki_hermite_remember)(I, h);
}

hk_status hki_interpolate(hk_integrator *I, double theta, double *q, double *v) {
  HK_ASSERT(I->dense && I->dense_h > 0.0);
  return (I->ops->dense ? I->ops->dense : hki_hermite)(I, theta, q, v);
}
