/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_stiff.c: networks that settle faster than an explicit method can follow are refused by name.
 *
 * With the mechanism held, the differential unknowns x follow xd = f(x). The largest eigenvalue of
 * -df/dx comes from power iteration on differences of the accelerations that the formulation gives:
 *
 *   y = (f(x + e d) - f(x)) / e,   d = y / |y|                      each unknown in its unit
 *   rate = sqrt(|y| |y before|)                                      also of vibrations
 *
 * A method that is stable up to h rate = limit on the negative real axis needs steps below
 * limit/rate. The rate is looked at where the run starts, after jumps, and every hundredth step.
 */
#include <stdio.h>

#include "simulation/simulation.h"

enum { PASSES = 40, EVERY = 100 };

static const double settled = 0.02; /* relative change of the rate that ends the iteration */
static const double part = 1e-4;    /* length of a difference, in units */

/* size of unknown i by which differences and norms count; 0: solved for, not integrated */
static double unit_of(const hk_integrator *I, int32_t i) {
  const double u = I->unit[i];
  return u > 1e300 ? 0.0 : fmax(u, fabs(I->v[I->nv - I->nx + i]));
}

/* d: direction of the fastest unknowns, in units; returns their rate in 1/s, 0 where none is known */
static double fastest(hk_sim *s, double *d) {
  hk_integrator *I = &s->I;
  const int32_t n0 = I->nv - I->nx;
  double rate = 0.0, before = 0.0;
  for (int32_t i = 0; i < I->nx; i++) d[i] = unit_of(I, i) > 0.0 ? 1.0 + 0.1 * (i % 7) : 0.0;
  for (int pass = 0; pass < PASSES; pass++) {
    double norm = 0.0, length = 0.0;
    for (int32_t i = 0; i < I->nx; i++) length += d[i] * d[i];
    length = sqrt(length);
    if (!(length > 0.0)) return 0.0;
    memcpy(I->v1, I->v, (size_t)I->nv * sizeof *I->v1);
    for (int32_t i = 0; i < I->nx; i++) I->v1[n0 + i] += part / length * d[i] * unit_of(I, i);
    if (s->f->ops->accel(s->f, I->t, I->q, I->v1, I->a1) != HK_OK) return rate;
    for (int32_t i = 0; i < I->nx; i++) {
      const double u = unit_of(I, i);
      d[i] = u > 0.0 ? (I->a1[n0 + i] - I->a[n0 + i]) / (part * u) : 0.0;
      norm += d[i] * d[i];
    }
    norm = sqrt(norm);
    if (!isfinite(norm)) return rate;
    const double mean = pass ? sqrt(norm * before) : norm;
    const bool same = fabs(mean - rate) <= settled * mean;
    rate = mean, before = norm;
    if (same) break;
  }
  return rate;
}

bool hki_sim_too_stiff(hk_sim *s) {
  hk_integrator *I = &s->I;
  const double limit = I->ops->stable;
  if (!(limit > 0.0) || !I->nx || (!s->stiff_due && s->steps % EVERY)) return false;
  s->stiff_due = false;
  double *d = I->work;
  const double rate = fastest(s, d);
  // accelerations and kinematics of the accepted state again
  (void)s->f->ops->accel(s->f, I->t, I->q, I->v, I->a1);
  hki_sim_refresh(s);
  if (!(rate * s->step > limit)) return false;
  int32_t worst = 0;
  for (int32_t i = 0; i < I->nx; i++)
    if (fabs(d[i]) > fabs(d[worst])) worst = i;
  char name[160] = "";
  hki_model_unknown_name(s->m, worst, name, sizeof name);
  snprintf(s->message, sizeof s->message,
           "at t = %.9g s: the %s settles in %.2g s: integrator '%s' needs steps below %.2g s",
           I->t, name, 1.0 / rate, I->ops->name, limit / rate);
  const int32_t node = worst < s->m->nx ? s->m->unknowns[worst].node : HK_NONE;
  const char *drop = node == HK_NONE ? "" : s->m->spec->nodes[node].name;
  // a node can do without its storage
  snprintf(s->advice_own, sizeof s->advice_own,
           "take a smaller step, an implicit integrator ('hooke list integrators')%s%.100s%s",
           *drop ? ", or drop its storage: run: {quasi_steady: [" : "", drop, *drop ? "]}" : "");
  s->advice = s->advice_own;
  return true;
}
