/* SPDX-License-Identifier: Apache-2.0
 *
 * x'' + 2 d w x' + w^2 x = 0 through the stage contract alone: a formulation of one line, and a run
 * of one integrator on it.
 */
#ifndef HK_TESTS_SUPPORT_OSCILLATOR_H
#define HK_TESTS_SUPPORT_OSCILLATOR_H

#include <check.h>
#include <math.h>
#include <string.h>

#include "integrators/integrator.h"
#include "integrators/step_control.h"

typedef struct oscillator {
  hk_formulation base;
  double w, d;
  hk_stage st;
  double r, S;
  int residuals, factors; /* counted */
  bool old;               /* an old factor may be used again */
} oscillator;

extern const uint32_t oscillator_caps;

enum { HIST = 32, DENSE = 16 }; /* room for history and dense output */

typedef struct run {
  oscillator o;
  hk_newton newton;
  hk_integrator I;
  double par[HK_INTEGRATOR_PAR_MAX / 8], mem[2 * HIST + DENSE + 32];
} oscillator_run;

/* integrator `name` with one option (or NULL) at position x and velocity v */
void oscillator_start(oscillator_run *r, const char *name, const char *option, const char *value,
                      double w, double d, double x, double v);
void oscillator_steps(oscillator_run *r, double h, int n);

/* the exact state after the time t */
void oscillator_exact(double w, double d, double x0, double v0, double t, double *x, double *v);

#endif
