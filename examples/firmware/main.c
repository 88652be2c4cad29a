/* SPDX-License-Identifier: Apache-2.0
 *
 * main.c: a controller with a model of its arm inside, as it would stand in firmware: no heap, no files, no library but the
 * one for square roots, and a known number of operations each period. The model is the step that Hooke has made of arm.yaml:
 *
 *   hooke export c arm.yaml --keep load --output arm.c
 *   cc -std=c11 -O2 main.c arm.c -o firmware -lm && ./firmware
 *
 * The firmware knows no formula of the arm. Each period of 1 ms it puts what it has measured into its model and asks it:
 *
 *   torque    which torques bring the rates to where the path wants them one period later? The step is (nearly) linear in
 *             the torques, so three steps of the model and two equations say so (inverse dynamics);
 *   load      how would the rates have changed with a little more load? The part of what was measured that the model had
 *             not expected, along that direction, corrects the load that the model carries.
 *
 * The arm itself is a second instance here, with a load that the controller is not told. In a device `measure` and `drive`
 * would be the encoders and the power stage.
 */
#include "arm.h"

enum { AXES = 2 };

/* --- the device ------------------------------------------------------------------------------- */

static arm device;

/* angles and rates */
static void measure(double q[AXES], double v[AXES]) {
  double x[arm_STATES];
  arm_get_state(&device, x);
  for (int i = 0; i < AXES; i++) q[i] = x[i], v[i] = x[arm_COORDINATES + i];
}

static int drive(const double u[AXES]) {
  for (int i = 0; i < AXES; i++) arm_set_input(&device, i, u[i]);
  return arm_step(&device);
}

/* --- the controller: what a period may use is static or on the stack ---------------------------- */

typedef struct controller {
  arm model;
  double load;
  double u[AXES];        /* torques of the last period */
  double expected[AXES]; /* rates that the model expected of them */
  double by_load[AXES];  /* their change with the load */
  int started;
} controller;

static const double limit = 80.0; /* N*m */

/* where the path is at time t: angles and rates */
static double smooth(double s, double *slope) {
  if (s >= 1.0) return *slope = 0.0, 1.0;
  *slope = 30.0 * s * s * (1.0 - s) * (1.0 - s);
  return s * s * s * (10.0 - s * (15.0 - 6.0 * s));
}

static void path(double t, double q[AXES], double v[AXES]) {
  static const double from[AXES] = {0.0, 0.0}, to[AXES] = {0.9, -1.2};
  double slope, s = smooth(t / 1.5, &slope);
  for (int i = 0; i < AXES; i++) {
    q[i] = from[i] + (to[i] - from[i]) * s;
    v[i] = (to[i] - from[i]) * slope / 1.5;
  }
}

/* rates after a period that begins at q, v with torques u; next: the model there, 0: nobody asks */
static int predict(const controller *c, const double *q, const double *v, const double *u,
                   double load, double *out, arm *next) {
  arm m = c->model;
  double x[arm_STATES];
  if (arm_set_parameter(&m, 0, load)) return -1;
  arm_get_state(&m, x);
  for (int i = 0; i < AXES; i++) x[i] = q[i], x[arm_COORDINATES + i] = v[i];
  arm_set_state(&m, x);
  for (int i = 0; i < AXES; i++) arm_set_input(&m, i, u[i]);
  if (arm_step(&m) < 0) return -1;
  arm_get_state(&m, x);
  for (int i = 0; i < AXES; i++) out[i] = x[arm_COORDINATES + i];
  if (next) *next = m;
  return 0;
}

/* what was measured and not expected corrects the load */
static void learn(controller *c, const double *v) {
  double along = 0.0, size = 1e-12;
  if (!c->started) return;
  for (int i = 0; i < AXES; i++) {
    along += c->by_load[i] * (v[i] - c->expected[i]);
    size += c->by_load[i] * c->by_load[i];
  }
  c->load += 0.02 * along / size;
  c->load = c->load < 0.05 ? 0.05 : c->load > 10.0 ? 10.0 : c->load;
}

/* one period: 0, or the model has failed and the torques stay as they are */
static int period(controller *c, double t) {
  static const double none[AXES] = {0.0, 0.0};
  double q[AXES], v[AXES], rq[AXES], rv[AXES], v0[AXES], by[AXES][AXES], want[AXES], u[AXES];
  arm next;
  measure(q, v);
  learn(c, v);
  path(t + arm_STEP, rq, rv);
  if (predict(c, q, v, none, c->load, v0, 0)) return -1;
  for (int k = 0; k < AXES; k++) {
    double one[AXES] = {0.0, 0.0};
    one[k] = 1.0;
    if (predict(c, q, v, one, c->load, by[k], 0)) return -1;
    for (int i = 0; i < AXES; i++) by[k][i] -= v0[i];
    want[k] = v[k] + arm_STEP * (400.0 * (rq[k] - q[k]) + 40.0 * (rv[k] - v[k])) - v0[k];
  }
  const double det = by[0][0] * by[1][1] - by[1][0] * by[0][1];
  u[0] = (want[0] * by[1][1] - want[1] * by[1][0]) / det;
  u[1] = (want[1] * by[0][0] - want[0] * by[0][1]) / det;
  for (int i = 0; i < AXES; i++) c->u[i] = u[i] > limit ? limit : u[i] < -limit ? -limit : u[i];
  if (predict(c, q, v, c->u, c->load + 1e-3, c->by_load, 0)) return -1;
  if (predict(c, q, v, c->u, c->load, c->expected, &next)) return -1;
  for (int i = 0; i < AXES; i++) c->by_load[i] = 1e3 * (c->by_load[i] - c->expected[i]);
  c->model = next; // goes along with the arm: accelerations are part of its state
  c->started = 1;
  return 0;
}

/* --- the loop ---------------------------------------------------------------------------------- */

static controller control;

/* seconds of the loop; error: largest distance from the path in the last half second. 0, or who has failed */
int firmware_run(double seconds, double secret, double *load, double *error);

int firmware_run(double seconds, double secret, double *load, double *error) {
  const int n = (int)(seconds / arm_STEP + 0.5);
  device = arm_make();
  if (arm_set_parameter(&device, 0, secret)) return 1;
  control.model = arm_make();
  control.load = arm_parameter(&control.model, 0);
  control.started = 0;
  *error = 0.0;
  for (int k = 0; k < n; k++) {
    const double t = k * arm_STEP;
    double q[AXES], v[AXES], rq[AXES], rv[AXES];
    if (period(&control, t)) return 2;
    if (drive(control.u) < 0) return 3;
    measure(q, v);
    path(t + arm_STEP, rq, rv);
    for (int i = 0; i < AXES && t > seconds - 0.5; i++) {
      const double e = q[i] > rq[i] ? q[i] - rq[i] : rq[i] - q[i];
      if (e > *error) *error = e;
    }
  }
  *load = control.load;
  return 0;
}

#ifndef FIRMWARE_BARE
#include <stdio.h>

int main(void) {
  double load, error;
  const int who = firmware_run(3.0, 1.6, &load, &error);
  if (who) return printf("failed: %d\n", who), 1;
  printf("load %.4f kg, error %.2e rad\n", load, error);
  return 0;
}
#endif
