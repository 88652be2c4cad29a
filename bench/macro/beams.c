/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_beams: what a beam costs. A clamped beam of n intervals between nodes that sways under its weight, against a row of
 * as many free bodies with a bushing from each to the next, stiff as the beam: one step of the trapezoidal rule, in
 * microseconds and in iterations, divided by n; growth with n; the elements offered. beams.csv in the
 * present directory.
 *
 *   bench_beams FORMULATION bodies|ELEMENT N STEPS      steps to be counted (bench/count)
 */
#include <stdlib.h>
#include <string.h>

#include "simulation/simulation.h"
#include "support.h"

enum { SETTLING = 5 };

static void row(bench_text *t, int32_t n) {
  const double h = 10.0 / n;
  bench_add(t, "hooke: 1\ngravity: [0, 0, -9.81]\nbodies:\n");
  for (int32_t i = 1; i <= n; i++)
    bench_add(t, "  b%d: {mass: %g, com: [%.12g, 0, 0], inertia: [%g, %g, %g]}\n", (int)i, h, h * i,
              2e-3 * h, 1e-3 * h, 1e-3 * h);
  bench_add(t, "forces:\n");
  for (int32_t i = 1; i <= n; i++) {
    char before[16] = "ground";
    if (i > 1) snprintf(before, sizeof before, "b%d", (int)i - 1);
    bench_add(t,
              "  s%d: {type: bushing, between: [%s, b%d], at: [%.12g, 0, 0], stiffness: "
              "[%g, %g, %g, %g, %g, %g]}\n",
              (int)i, before, (int)i, h * (i - 0.5), 1e6 / h, 4e5 / h, 4e5 / h, 800 / h, 1e3 / h,
              1e3 / h);
  }
}

static void line(bench_text *t, const char *element, int32_t n) {
  bench_add(t,
            "hooke: 1\ngravity: [0, 0, -9.81]\nbeams:\n  b: {from: [0, 0, 0], to: [10, 0, 0], "
            "elements: %d, element: %s, up: z, clamp: {start: ground}, section: {EA: 1e6, GA: 4e5, "
            "GJ: 800, EI: 1e3, mass: 1, inertia: [2e-3, 1e-3, 1e-3]}}\n",
            (int)n, element);
}

typedef struct job {
  hk_ctx *ctx;
  hk_model *m;
  hk_sim *s;
} job;

static void one_step(void *user) {
  job *j = user;
  if (hk_sim_step(j->s) != HK_OK) bench_die(j->ctx, "step");
}

static job open_row(const char *formulation, const char *element, int32_t n) {
  bench_text t = {0};
  job j = {.ctx = hk_ctx_create()};
  hk_sim_options opt = hk_sim_options_def();
  opt.formulation = formulation;
  opt.time = 1e6;
  if (strcmp(element, "bodies") == 0)
    row(&t, n);
  else
    line(&t, element, n);
  bench_add(&t, "run: {time: 1, step: 1e-3, integrator: trapezoidal}\n");
  j.m = bench_parse(j.ctx, &t);
  if (hk_sim_create(j.m, &opt, &j.s) != HK_OK) bench_die(j.ctx, "create");
  for (int i = 0; i < SETTLING; i++) one_step(&j);
  bench_free(&t);
  return j;
}

static void close_row(job *j) {
  hk_sim_destroy(j->s);
  hk_model_release(j->m);
  hk_ctx_destroy(j->ctx);
}

/* the function that bench/count counts */
#ifdef __GNUC__
#define APART __attribute__((noinline))
#else
#define APART
#endif

void bench_counted(bench_job step, void *user, int32_t n);
APART void bench_counted(bench_job step, void *user, int32_t n) {
  for (int32_t i = 0; i < n; i++) step(user);
}

static int count(char **argv) {
  const int32_t n = atoi(argv[4]);
  job j = open_row(argv[1], argv[2], atoi(argv[3]));
  bench_counted(one_step, &j, n);
  printf("%d\n", (int)n);
  close_row(&j);
  return 0;
}

/* one line of the table */
static void measure(FILE *csv, const char *formulation, const char *element, int32_t n) {
  job j = open_row(formulation, element, n);
  const int64_t before = j.s->newton.iterations, steps = j.s->steps;
  const double us = bench_time(one_step, &j);
  const double per = (double)(j.s->newton.iterations - before) / (double)(j.s->steps - steps);
  printf("%-12s %-18s %4d intervals: %9.1f us a step, %6.2f us an interval, %.2f iterations\n",
         formulation, element, (int)n, us, us / n, per);
  fprintf(csv, "%s,%s,%d,%.3f,%.4f,%.3f\n", formulation, element, (int)n, us, us / n, per);
  fflush(csv);
  close_row(&j);
}

int main(int argc, char **argv) {
  static const char *const elements[] = {"three_node", "finite_volume", "helicoidal",
                                         "finite_volume_two"};
  static const char *const others[] = {"topological", "recursive", "global", "partition"};
  if (argc == 5) return count(argv);
  FILE *csv =
      bench_csv("beams.csv", "formulation,element,intervals,step_us,interval_us,iterations");
  printf("%s\n", bench_cpu());
  for (int32_t n = 8; n <= 512; n *= 4) {
    for (int k = 0; k < 2; k++) {
      const char *f = k ? "redundant" : "hybrid";
      measure(csv, f, "bodies", n);
      measure(csv, f, "three_node", n);
    }
  }
  for (size_t i = 1; i < HK_ARRAY_LEN(elements); i++) {
    measure(csv, "hybrid", elements[i], 32);
    measure(csv, "redundant", elements[i], 32);
  }
  for (size_t i = 0; i < HK_ARRAY_LEN(others); i++)
    for (int32_t n = 8; n <= 32; n *= 4) measure(csv, others[i], "three_node", n);
  fclose(csv);
  return 0;
}
