/* SPDX-License-Identifier: Apache-2.0
 *
 * step_control.c: the length of steps, by local error or by the number of iterations.
 *
 * Error of a step. The error law of a method (hk_error_law) gives
 *
 *   e_q = cq h^(p+1) v^(p)                 v^(p): the p-th time derivative of v
 *   e_v = cv h^(p+1) v^(p+1)
 *
 * The derivatives are divided differences of the velocities at the end of the step, at its
 * beginning and at up to three times before. Accelerations are not smooth where a method damps
 * stiff parts, and would report the decay rate of such a part as an error; they are used for v''
 * only while there is no history. The size of the error, err, is the root mean square over all
 * coordinates of
 *
 *   e_q / (atol + rtol)                    positions, m or rad
 *   e_v / (atol + rtol |v|)                velocities, |v| the larger of both ends
 *
 * Next step, with k = p + 1 (Gustafsson 1991; Hairer and Wanner, Solving ODEs II, IV.2):
 *
 *   h <- h min(most, max(1/5, 0.9 err^(-0.7/k) err_last^(0.4/k)))
 *
 * most is 5 for methods that measure their error and 2 for methods with an error law; right after a
 * refused step it is 1. First step: Hairer, Norsett and Wanner, Solving ODEs I, II.4.
 *
 * By iterations: a step with more than `many` iterations makes the next one shorter, by 0.7; four
 * successive steps with at most `few` make it longer, by 1.3; a failed step is halved.
 */
#include "integrators/step_control.h"

#include <math.h>
#include <string.h>

static const double safety = 0.9, shrink_most = 0.2, now_power = 0.7, last_power = 0.4;
static const double iteration_shrink = 0.7, iteration_grow = 1.3;
enum { QUIET_STEPS = 4 };

void hki_control_restart(hk_control *c) { *c = (hk_control){0}; }

static double bounded(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; }

static double growth(const hk_integrator *I) {
  return I->ops->steps == HK_STEPS_MEASURED ? 5.0 : 2.0;
}

static double order_plus_one(const hk_integrator *I, double h) {
  hk_error_law law = {.order = 1};
  if (I->ops->error) I->ops->error(I, h, &law);
  return law.order + 1.0;
}

/* --- error ------------------------------------------------------------------------------------ */

/* weights w[0..k] of the values at the times t[0..k] whose sum is h^power times the k-th derivative
 */
static void derivative_weights(int32_t k, const double *t, double h, int32_t power, double *w) {
  double scale = pow(h, power);
  for (int32_t j = 2; j <= k; j++) scale *= j;
  for (int32_t j = 0; j <= k; j++) {
    w[j] = scale;
    for (int32_t i = 0; i <= k; i++)
      if (i != j) w[j] /= t[j] - t[i];
  }
}

/* sum of w_j v_j for coordinate i: velocities v1, v, and those of `past`, newest first */
static double combine(const hk_integrator *I, const double *past, int32_t k, const double *w,
                      int32_t i) {
  double x = w[0] * I->v1[i] + w[1] * I->v[i];
  for (int32_t j = 2; j <= k; j++) x += w[j] * past[(size_t)(j - 2) * (size_t)I->nv + (size_t)i];
  return x;
}

double hki_control_error(const hk_control_par *p, const hk_control *c, const double *past,
                         const hk_integrator *I, double h) {
  double t[HK_CONTROL_PAST + 2] = {I->t + h, I->t}, sum = 0.0;
  double wq[HK_CONTROL_PAST + 2], wv[HK_CONTROL_PAST + 2];
  hk_error_law law;
  I->ops->error(I, h, &law);
  for (int32_t j = 0; j < c->npast; j++) t[j + 2] = c->past_t[j];
  // as many derivatives as there are points
  const int32_t known = c->npast + 1, p1 = law.order + 1,
                kq = law.order < known ? law.order : known;
  const bool first = c->npast == 0, has_v = !first && known >= p1;
  derivative_weights(kq, t, h, kq + 1, wq);
  if (has_v) derivative_weights(p1, t, h, p1, wv);
  for (int32_t i = 0; i < I->nv; i++) {
    const double jerk = h * h * (I->a1[i] - I->a[i]);
    double eq = law.cq * (first ? jerk : combine(I, past, kq, wq, i)), ev = 0.0;
    if (has_v) ev = law.cv * combine(I, past, p1, wv, i);
    if (first && law.order == 1) ev = law.cv * jerk / h;
    sum += hki_error_square(I, p->rtol, p->atol, i, eq, ev, I->v1[i]);
  }
  return I->nv ? sqrt(sum / (2.0 * I->nv)) : 0.0;
}

/* --- the length of steps ---------------------------------------------------------------------- */

double hki_control_first(const hk_control_par *p, hk_integrator *I, double limit) {
  const double sq = p->atol + p->rtol, k = order_plus_one(I, limit);
  const int32_t nm = I->nv - I->nx; // coordinates of the mechanism
  double v = 0.0, a = 0.0, change = 0.0;
  for (int32_t i = 0; i < nm; i++) {
    v = fmax(v, fabs(I->v[i]));
    a = fmax(a, fabs(I->a[i]));
  }
  // an explicit Euler step over a hundredth of the time in which positions change by 1
  double h = fmin(limit, 0.01 / fmax(v, 1e-6));
  if (a > 0.0) h = fmin(h, 0.01 * fmax(v, 1e-3) / a);
  // and of the time in which a scalar unknown changes by its size
  for (int32_t i = nm; i < I->nv; i++)
    if (I->a[i] != 0.0) h = fmin(h, 0.01 * (fabs(I->v[i]) + I->unit[i - nm]) / fabs(I->a[i]));
  for (int32_t i = 0; i < I->nv; i++) {
    I->D[i] = h * I->v[i];
    I->v1[i] = I->v[i] + h * I->a[i];
  }
  I->f->ops->plus(I->f, I->q, I->D, I->q1);
  if (I->f->ops->accel(I->f, I->t + h, I->q1, I->v1, I->a1) != HK_OK) return fmin(limit, 0.01 * h);
  for (int32_t i = 0; i < nm; i++) change = fmax(change, fabs(I->a1[i] - I->a[i]));
  const double sv = p->atol + p->rtol * (v + h * a);
  // largest first and second derivatives of positions and velocities, scaled like the error
  double most = fmax(fmax(v / sq, a / sv), fmax(a / sq, change / h / sv));
  for (int32_t i = nm; i < I->nv; i++) {
    const double rate = fabs(I->a[i]), second = fabs(I->a1[i] - I->a[i]) / h;
    const double unit = p->atol * I->unit[i - nm] + p->rtol * (fabs(I->v[i]) + h * rate);
    most = fmax(most, fmax(rate, second) / unit);
  }
  double found = isfinite(most) && most > 0.0 ? pow(0.01 / most, 1.0 / k) : h;
  return fmin(limit, fmin(100.0 * h, found));
}

double hki_control_refuse(const hk_control_par *p, hk_control *c, const hk_integrator *I, double h,
                          double err) {
  c->refused = true;
  c->quiet = 0;
  if (p->kind == HK_CONTROL_ITERATIONS || !isfinite(err)) return c->h = 0.5 * h;
  double k = order_plus_one(I, h);
  return c->h = h * bounded(safety * pow(err, -1.0 / k), shrink_most, 0.9);
}

/* by the number of iterations */
static double by_iterations(const hk_control_par *p, hk_control *c, const hk_integrator *I,
                            double h) {
  const int64_t sweeps = hki_sweeps(I->ops, I->newton->last);
  if (sweeps > p->many) {
    c->quiet = 0;
    return h * iteration_shrink;
  }
  c->quiet = sweeps <= p->few ? c->quiet + 1 : 0;
  if (c->quiet < QUIET_STEPS) return h;
  c->quiet = 0;
  return h * iteration_grow;
}

static double by_error(hk_control *c, const hk_integrator *I, double h) {
  double k = order_plus_one(I, h), err = fmax(I->err, 1e-10);
  double last = c->err_last > 0.0 ? c->err_last : err;
  double x = safety * pow(err, -now_power / k) * pow(last, last_power / k);
  c->err_last = err;
  return h * bounded(x, shrink_most, c->refused ? 1.0 : growth(I));
}

void hki_control_accept(const hk_control_par *p, hk_control *c, double *past,
                        const hk_integrator *I, double h, bool cut) {
  const size_t n = (size_t)I->nv;
  double next = p->kind == HK_CONTROL_ITERATIONS ? by_iterations(p, c, I, h) : by_error(c, I, h);
  // a step that was cut short gives no reason to shorten the next one
  c->h = cut ? fmax(c->h, next) : next;
  c->refused = false;
  // the velocities at the start of the step become the newest of the past
  memmove(past + n, past, (HK_CONTROL_PAST - 1) * n * sizeof *past);
  memcpy(past, I->v, n * sizeof *past);
  for (int32_t j = HK_CONTROL_PAST - 1; j > 0; j--) c->past_t[j] = c->past_t[j - 1];
  c->past_t[0] = I->t;
  if (c->npast < HK_CONTROL_PAST) c->npast++;
}
