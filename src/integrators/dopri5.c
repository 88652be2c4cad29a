/* SPDX-License-Identifier: Apache-2.0
 *
 * dopri5.c: the explicit Runge-Kutta pair of Dormand and Prince, order 5 with an error estimate of
 * order 4. Between two times of the grid it takes as many steps of its own as the tolerance asks
 * for.
 *
 * The unknowns of one of its steps are the increment D from where the step begins and the velocity:
 *   dD/dt = J(D)^-1 v,   dv/dt = a(q (+) D, v)
 * with J of the chart of rotations (v = J dD/dt): an ordinary differential equation, so that the
 * order holds for rotations too (Munthe-Kaas 1999). J^-1 v follows by w <- w + v - J w, which
 * shrinks by |D|/2.
 *
 * Error: the root mean square over positions and velocities of e / scale, where scale is
 * atol + rtol for positions (m, rad) and atol + rtol max(|v|) for velocities. The next step is h
 * min(5, max(0.2, 0.9 err^(-1/5))). Accepted states are projected onto the constraints.
 *
 * Sources: Dormand and Prince 1980; Hairer, Norsett and Wanner, Solving Ordinary Differential
 * Equations I, II.4 and II.5.
 */
#include <math.h>
#include <string.h>

#include "integrators/integrator.h"

typedef struct dopri_par {
  double rtol, atol;
  int32_t control; /* 0: one step of order 5 per step of the grid */
} dopri_par;

enum { STAGES = 7 };

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

/* the history: the step it would take next survives; the rest is scratch of the step under way */
enum { NEXT, RATE, SLOPE = RATE + STAGES, V0 = SLOPE + STAGES, A0, VS, Q0, NHIST = Q0 + 2 };

/* steps of its own below this share of the grid's are given up; inverse of J */
static const double smallest = 1e-9, inverse_tolerance = 1e-15;
enum { INVERSE_PASSES = 60 };

static double *part(hk_integrator *I, int32_t k) { return I->hist1 + (size_t)k * (size_t)I->nv; }

static hk_status dopri_start(hk_integrator *I) {
  for (int32_t i = 0; i < I->nv; i++) I->hist[(size_t)NEXT * (size_t)I->nv + (size_t)i] = 0.0;
  return HK_OK;
}

/* w with J(D) w = v */
static hk_status chart_rate(hk_integrator *I, const double *D, const double *v, double *w) {
  const hk_formulation_ops *ops = I->f->ops;
  double *x = I->vh;
  memcpy(w, v, (size_t)I->nv * sizeof *w);
  for (int pass = 0; ops->chart_velocity && pass < INVERSE_PASSES; pass++) {
    double change = 0.0, size = 0.0;
    ops->chart_velocity(I->f, D, w, x);
    for (int32_t i = 0; i < I->nv; i++) {
      double d = v[i] - x[i];
      w[i] += d;
      change = fmax(change, fabs(d));
      size = fmax(size, fabs(v[i]));
    }
    if (change <= inverse_tolerance * size) return HK_OK;
    if (!(change <= 4.0 * size)) return HK_RETRY;
    if (pass + 1 == INVERSE_PASSES && change > 1e-12 * size) return HK_RETRY;
  }
  return HK_OK;
}

/* increment, velocities and slopes of stage k of a step h from (V0, A0, Q0) at t */
static hk_status stage(hk_integrator *I, int32_t k, double t, double h) {
  const int32_t n = I->nv;
  double *V = part(I, VS);
  for (int32_t i = 0; i < n; i++) {
    I->D[i] = 0.0;
    V[i] = part(I, V0)[i];
    for (int32_t j = 0; j < k; j++) {
      I->D[i] += h * a[k][j] * part(I, RATE + j)[i];
      V[i] += h * a[k][j] * part(I, SLOPE + j)[i];
    }
  }
  if (k == 0) {
    memcpy(part(I, RATE), V, (size_t)n * sizeof *V);
    memcpy(part(I, SLOPE), part(I, A0), (size_t)n * sizeof *V);
    return HK_OK;
  }
  hk_status s = chart_rate(I, I->D, V, part(I, RATE + k));
  if (s != HK_OK) return s;
  I->f->ops->plus(I->f, part(I, Q0), I->D, I->q1);
  s = I->f->ops->accel(I->f, t + c[k] * h, I->q1, V, part(I, SLOPE + k));
  return s == HK_E_NUMBER ? HK_RETRY : s;
}

/* all stages; the last one is the new state, in D and VS; the size of its error */
static hk_status attempt(hk_integrator *I, double t, double h, double *err) {
  const dopri_par *p = I->par;
  double sum = 0.0;
  for (int32_t k = 0; k < STAGES; k++) {
    hk_status s = stage(I, k, t, h);
    if (s != HK_OK) return s;
  }
  for (int32_t i = 0; i < I->nv; i++) {
    double ed = 0.0, ev = 0.0, v = fmax(fabs(part(I, V0)[i]), fabs(part(I, VS)[i]));
    for (int32_t k = 0; k < STAGES; k++) {
      ed += h * e[k] * part(I, RATE + k)[i];
      ev += h * e[k] * part(I, SLOPE + k)[i];
    }
    ed /= p->atol + p->rtol;
    ev /= p->atol + p->rtol * v;
    sum += ed * ed + ev * ev;
  }
  *err = I->nv ? sqrt(sum / (2.0 * I->nv)) : 0.0;
  return isfinite(*err) ? HK_OK : HK_RETRY;
}

/* the new state onto the constraints, with its accelerations: where the next step begins */
static hk_status settle(hk_integrator *I, double t) {
  const size_t bytes = (size_t)I->nv * sizeof(double);
  memcpy(I->v1, part(I, VS), bytes);
  memcpy(I->a1, part(I, A0), bytes);
  I->f->ops->plus(I->f, part(I, Q0), I->D, I->q1);
  hk_status s = I->f->ops->project(I->f, t, I->q1, I->v1, I->a1, HK_PROJECT_POS | HK_PROJECT_VEL);
  if (s == HK_OK) s = I->f->ops->accel(I->f, t, I->q1, I->v1, I->a1);
  if (s != HK_OK) return s == HK_E_NUMBER ? HK_RETRY : s;
  memcpy(part(I, V0), I->v1, bytes);
  memcpy(part(I, A0), I->a1, bytes);
  memcpy(part(I, Q0), I->q1, (size_t)I->nq * sizeof(double));
  return HK_OK;
}

static hk_status dopri_step(hk_integrator *I, double h) {
  const dopri_par *p = I->par;
  const size_t bytes = (size_t)I->nv * sizeof(double);
  double done = 0.0, next = I->nv ? I->hist[(size_t)NEXT * (size_t)I->nv] : 0.0, err = 0.0;
  if (!(next > 0.0) || !p->control) next = h;
  memcpy(part(I, V0), I->v, bytes);
  memcpy(part(I, A0), I->a, bytes);
  memcpy(part(I, Q0), I->q, (size_t)I->nq * sizeof(double));
  I->newton->last = 0;
  while (done < h) {
    const double left = h - done;
    // no sliver at the end: the last two steps share what is left
    double now = next >= left ? left : next > 0.5 * left ? 0.5 * left : next;
    bool ends = now == left;
    hk_status s = attempt(I, I->t + done, now, &err);
    I->newton->last++;
    I->newton->iterations++;
    if (s < 0 || (s == HK_RETRY && !p->control)) return s;
    double factor = s == HK_OK ? 0.9 * pow(fmax(err, 1e-10), -0.2) : 0.2;
    factor = factor < 0.2 ? 0.2 : factor > 5.0 ? 5.0 : factor;
    if (p->control && (s != HK_OK || err > 1.0)) {
      next = now * fmin(factor, 0.9);
      if (next < smallest * h) return HK_RETRY;
      continue;
    }
    done = ends ? h : done + now;
    if ((s = settle(I, I->t + done)) != HK_OK) return s;
    // a step cut short by the grid says little about the next one
    next = now < next ? fmax(next, now * factor) : now * factor;
  }
  for (int32_t i = 0; i < I->nv; i++) part(I, NEXT)[i] = next;
  return HK_OK;
}

static bool dopri_prepare(void *par, uint64_t given, char *buf, size_t cap) {
  (void)par, (void)given, (void)buf, (void)cap;
  return true;
}

/* clang-format off */
static const hk_param params[] = {
  {"rtol", HK_P_REAL, 0, offsetof(dopri_par, rtol), 1e-6, 1e-13, 1.0, "", NULL,
   "relative tolerance of each step of its own; positions count as if their size were one"},
  {"atol", HK_P_REAL, 0, offsetof(dopri_par, atol), 1e-9, 1e-15, 1.0, "", NULL,
   "absolute tolerance (m, rad and their rates)"},
  {"control", HK_P_BOOL, 0, offsetof(dopri_par, control), 1, 0, 0, "", NULL,
   "steps of its own by the error; off: one step of order 5 for each step of the grid"},
  {.type = HK_P_END}};
/* clang-format on */

const hk_integrator_ops hki_integrator_dopri5 = {
    .name = "dopri5",
    .text = "Dormand and Prince: explicit, order 5, steps of its own by error control",
    .source = "Dormand and Prince 1980; Hairer, Norsett and Wanner, Solving ODEs I",
    .needs = HK_CAP_ACCEL,
    .order = 5,
    .params = params,
    .par_size = sizeof(dopri_par),
    .prepare = dopri_prepare,
    .nhist = NHIST,
    .start = dopri_start,
    .step = dopri_step,
};
