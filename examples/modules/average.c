/* SPDX-License-Identifier: Apache-2.0
 *
 * average.c: a module with one integrator, the rule of average accelerations (Newmark 1959,
 * "A method of computation for structural dynamics", beta 1/4 and gamma 1/2):
 *
 *   q1 = q (+) (h v + h^2/4 (a + a1)),   v1 = v + h/2 (a + a1)
 *
 * As a stage in the increment D of the step:
 *
 *   ca = 4/h^2,  cv = 2/h,  ah = -ca (h v + h^2/4 a),  vh = v + h/2 a + h/2 ah
 */
#include "hooke/plugin.h"

static int32_t step(const hk_plugin_solver *solver, hk_plugin_stepper *I, double h) {
  const double ca = 4.0 / (h * h), cv = 2.0 / h;
  for (int32_t i = 0; i < I->nv; i++) {
    I->ah[i] = -ca * (h * I->v[i] + 0.25 * h * h * I->a[i]);
    I->vh[i] = I->v[i] + 0.5 * h * I->a[i] + 0.5 * h * I->ah[i];
    I->D[i] = h * I->v[i] + 0.5 * h * h * I->a[i];
  }
  const int32_t status = solver->stage(I, I->t + h, I->q, cv, ca, I->vh, I->ah, I->D);
  if (status != 0) return status;
  solver->plus(I, I->q, I->D, I->q1);
  for (int32_t i = 0; i < I->nv; i++) {
    I->v1[i] = I->vh[i] + cv * I->D[i];
    I->a1[i] = I->ah[i] + ca * I->D[i];
  }
  // velocities and accelerations back onto the constraints
  return solver->project(I, I->t + h, I->q1, I->v1, I->a1, 2 | 4);
}

static const hk_plugin_integrator average = {
    .size = sizeof average,
    .name = "average",
    .text = "average accelerations: order 2",
    .source = "Newmark 1959",
    .needs = HK_PLUGIN_NEEDS_STAGES | HK_PLUGIN_NEEDS_ACCEL,
    .order = 2,
    .step = step,
};

static int32_t init(const hk_plugin_host *host) { return host->add_integrator(host, &average); }

HK_PLUGIN_ENTRY("average", "the rule of average accelerations", init);
