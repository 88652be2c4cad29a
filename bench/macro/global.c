/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_global: whole runs of the global formulation with the trapezoidal rule, with both choices
 * of coordinates. Target: the Iltis on ramp and stairs at least 100 times faster than real time.
 */
#include "hooke/sim.h"
#include "support.h"

typedef struct model_case {
  const char *name, *file;
  double step, target; /* real-time factor */
} model_case;

static const model_case cases[] = {
    {"four-bar", HOOKE_SOURCE "/examples/double-four-bar.yaml", 0.01, 0.0},
    {"suspension", HOOKE_SOURCE "/examples/iltis-suspension.yaml", 0.01, 0.0},
    {"puma", HOOKE_SOURCE "/examples/puma.yaml", 0.01, 0.0},
    {"iltis", HOOKE_SOURCE "/examples/iltis/ramp-and-stairs.yaml", 0.01, 100.0},
};

enum { RUNS = 10, CASES = sizeof cases / sizeof cases[0] };

/* one run; CPU seconds of its steps */
static double run_once(hk_ctx *ctx, hk_model *m, const hk_sim_options *opt, hk_summary *out) {
  hk_sim *sim;
  if (hk_sim_create(m, opt, &sim) != HK_OK) bench_die(ctx, "cannot start");
  while (!hk_sim_done(sim))
    if (hk_sim_step(sim) != HK_OK) bench_die(ctx, "cannot step");
  hk_sim_summary(sim, out);
  hk_sim_destroy(sim);
  return out->cpu_s;
}

static void time_case(FILE *csv, const model_case *c, const char *coordinates) {
  const hk_option option = {"coordinates", coordinates};
  hk_sim_options opt = hk_sim_options_def();
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = bench_load(ctx, c->file);
  hk_summary sum;
  double best = 1e30;
  opt.formulation = "global";
  opt.integrator = "trapezoidal";
  opt.step = c->step;
  opt.options = &option;
  opt.noptions = 1;
  for (int i = 0; i < RUNS; i++) {
    double cpu = run_once(ctx, m, &opt, &sum);
    if (cpu < best) best = cpu;
  }
  double factor = sum.time_s / best, us = 1e6 * best / (double)sum.steps;
  printf("%-11s %-7s %3d coordinates, %3d rows: %6.2f us a step, %.2f iterations, real-time factor "
         "%.0f%s\n",
         c->name, coordinates, sum.coordinates, sum.constraints, us,
         (double)sum.iterations / (double)sum.steps, factor,
         c->target == 0.0      ? ""
         : factor >= c->target ? " (target met)"
                               : " (target MISSED)");
  fprintf(csv, "%s,%s,%d,%.4f,%.1f\n", c->name, coordinates, sum.coordinates, us, factor);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}

int main(void) {
  FILE *csv =
      bench_csv("global.csv", "model,coordinates,count,microseconds a step,real-time factor");
  printf("%s\n", bench_cpu());
  for (int i = 0; i < CASES; i++) {
    time_case(csv, &cases[i], "shared");
    time_case(csv, &cases[i], "fewest");
  }
  fclose(csv);
  return 0;
}
