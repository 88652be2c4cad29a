/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_friction: what friction in joints costs. An arm of six links with friction in all its joints,
 * against the same arm without: one step of the trapezoidal rule in every formulation; friction.csv
 * in the present directory. Target: twice the arm alone.
 *
 *   bench_friction FORMULATION alone|friction STEPS [STEP]      steps to be counted (bench/count), of so many
 *                                                               seconds, 1e-3 where nothing is said
 */
#include <stdlib.h>
#include <string.h>

#include "simulation/simulation.h"
#include "support.h"

static const char *const formulations[] = {"hybrid",    "topological", "global",
                                           "recursive", "redundant",   "partition"};

enum { LINKS = 6, SETTLING = 20 };

static void arm(bench_text *t, bool friction) {
  bench_add(t, "hooke: 1\ngravity: [0, 0, -9.81]\nbodies:\n");
  for (int i = 0; i < LINKS; i++)
    bench_add(t,
              "  b%d: {mass: 1, com: [%g, 0.01, 0.02], inertia: {diagonal: [0.01, 0.02, 0.03]}}\n",
              i, 0.1 * i + 0.05);
  bench_add(t, "joints:\n");
  for (int i = 0; i < LINKS; i++) {
    char before[16] = "ground";
    if (i) snprintf(before, sizeof before, "b%d", i - 1);
    bench_add(t, "  j%d: {type: revolute, between: [%s, b%d], at: [%g, 0, 0], axis: %s%s}\n", i,
              before, i, 0.1 * i, i % 2 ? "y" : "z",
              friction ? ", friction: {mu: 0.1, radius: 0.01}" : "");
  }
  bench_add(t, "run: {time: 1, step: 1e-3, integrator: trapezoidal}\n");
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

static job open_arm(const char *formulation, bool friction, double step) {
  bench_text t = {0};
  job j = {.ctx = hk_ctx_create()};
  hk_sim_options opt = hk_sim_options_def();
  opt.formulation = formulation;
  opt.time = 1e6;
  opt.step = step;
  arm(&t, friction);
  j.m = bench_parse(j.ctx, &t);
  if (hk_sim_create(j.m, &opt, &j.s) != HK_OK) bench_die(j.ctx, "create");
  for (int i = 0; i < SETTLING; i++) one_step(&j);
  bench_free(&t);
  return j;
}

static void close_arm(job *j) {
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
  const int32_t n = atoi(argv[3]);
  job j = open_arm(argv[1], strcmp(argv[2], "friction") == 0, argv[4] ? atof(argv[4]) : 1e-3);
  bench_counted(one_step, &j, n);
  printf("%d\n", (int)n);
  close_arm(&j);
  return 0;
}

/* microseconds of a step; *per: iterations in it */
static double time_step(const char *formulation, bool friction, double *per) {
  job j = open_arm(formulation, friction, 1e-3);
  const int64_t before = j.s->newton.iterations, steps = j.s->steps;
  const double us = bench_time(one_step, &j);
  *per = (double)(j.s->newton.iterations - before) / (double)(j.s->steps - steps);
  close_arm(&j);
  return us;
}

int main(int argc, char **argv) {
  if (argc == 4 || argc == 5) return count(argv);
  FILE *csv = bench_csv("friction.csv", "formulation,alone_us,with_us,alone_iterations,iterations");
  printf("%s\n", bench_cpu());
  for (size_t i = 0; i < HK_ARRAY_LEN(formulations); i++) {
    double n0, n1;
    const double alone = time_step(formulations[i], false, &n0);
    const double with = time_step(formulations[i], true, &n1);
    printf("%-12s alone %7.2f us (%.2f iterations), with friction %7.2f us (%.2f): %.2f times\n",
           formulations[i], alone, n0, with, n1, with / alone);
    fprintf(csv, "%s,%.3f,%.3f,%.3f,%.3f\n", formulations[i], alone, with, n0, n1);
  }
  fclose(csv);
  return 0;
}
