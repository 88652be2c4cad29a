/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_unknowns: what scalar unknowns cost. A slider-crank driven by a motor with its circuit (two
 * unknowns that the mechanism meets), against the same mechanism with a torque that is an
 * expression of its own rate: one step of the trapezoidal rule in every formulation; unknowns.csv
 * in the present directory. Target: 1.6 times the mechanism alone in `hybrid`.
 */
#include "simulation/simulation.h"
#include "support.h"

static const char *const formulations[] = {"hybrid",    "topological", "global",
                                           "recursive", "redundant",   "partition"};

static void slider_crank(bench_text *t, bool circuit) {
  bench_add(t, "hooke: 1\nplanar: xy\nbodies:\n"
               "  crank: {mass: 1, com: [0, 0, 0], inertia: {zz: 0.02}}\n"
               "  rod: {mass: 0.4, com: [0.25, 0, 0], inertia: {zz: 0.003}}\n"
               "  slider: {mass: 0.6, com: [0.4, 0, 0], inertia: {zz: 0.001}}\n"
               "joints:\n"
               "  shaft: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: z}\n"
               "  A: {type: revolute, between: [crank, rod], at: [0.1, 0, 0], axis: z}\n"
               "  B: {type: revolute, between: [rod, slider], at: [0.4, 0, 0], axis: z}\n"
               "  guide: {type: prismatic, between: [ground, slider], at: [0.4, 0, 0], axis: x}\n"
               "forces:\n  load: {type: joint_spring, joint: guide, damping: 10}\n");
  if (circuit)
    bench_add(t, "nodes:\n  battery: {type: electric, value: 24}\n  terminal: {type: electric}\n"
                 "network:\n"
                 "  lead: {type: resistor, between: [battery, terminal], resistance: 0.05}\n"
                 "  motor: {type: dc_motor, joint: shaft, between: [terminal, ground], "
                 "constant: 0.15, resistance: 0.4, inductance: 2e-3}\n");
  else
    bench_add(t, "  motor: {type: joint_torque, joint: shaft, "
                 "value: 0.15*(24 - 0.15*joint.shaft.rate)/0.45}\n");
  bench_add(t, "run: {time: 1, step: 5e-4, integrator: trapezoidal}\n");
}

static void one_step(void *user) {
  if (hk_sim_step(user) != HK_OK) bench_die(((hk_sim *)user)->ctx, "step");
}

/* microseconds of a step; *per: iterations in it */
static double time_step(const char *formulation, bool circuit, double *per) {
  bench_text t = {0};
  hk_ctx *ctx = hk_ctx_create();
  hk_sim *s = NULL;
  hk_sim_options opt = hk_sim_options_def();
  opt.formulation = formulation;
  opt.time = 1e6;
  slider_crank(&t, circuit);
  hk_model *m = bench_parse(ctx, &t);
  if (hk_sim_create(m, &opt, &s) != HK_OK) bench_die(ctx, "create");
  for (int i = 0; i < 200; i++) one_step(s);
  const int64_t before = s->newton.iterations, steps = s->steps;
  const double us = bench_time(one_step, s);
  *per = (double)(s->newton.iterations - before) / (double)(s->steps - steps);
  hk_sim_destroy(s);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
  bench_free(&t);
  return us;
}

int main(void) {
  FILE *csv = bench_csv("unknowns.csv", "formulation,alone_us,with_us,alone_iterations,iterations");
  printf("%s\n", bench_cpu());
  for (size_t i = 0; i < HK_ARRAY_LEN(formulations); i++) {
    double n0, n1;
    const double alone = time_step(formulations[i], false, &n0);
    const double with = time_step(formulations[i], true, &n1);
    printf("%-12s alone %7.2f us (%.2f iterations), with circuit %7.2f us (%.2f): %.2f times\n",
           formulations[i], alone, n0, with, n1, with / alone);
    fprintf(csv, "%s,%.3f,%.3f,%.3f,%.3f\n", formulations[i], alone, with, n0, n1);
  }
  fclose(csv);
  return 0;
}
