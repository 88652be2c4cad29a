/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_hybrid: one Newton iteration of the hybrid formulation on the double four-bar and on the
 * 26-coordinate Iltis, whole and in parts, and whole runs.
 *
 *   bench_hybrid                    times, and hybrid.csv in the present directory
 *   bench_hybrid count MODEL N      N iterations and nothing else (bench/count runs it)
 *   bench_hybrid project MODEL N    N times the projections after a step
 *   bench_hybrid run MODEL N        N runs
 */
#include <stdlib.h>
#include <string.h>

#include "iteration.h"
#include "support.h"

typedef struct model_case {
  const char *name, *file;
  double t;      /* time of the iteration, s */
  double target; /* microseconds per iteration */
} model_case;

static const model_case cases[] = {
    {"four-bar", HOOKE_SOURCE "/examples/double-four-bar.yaml", 1.0, 2.0},
    {"iltis", HOOKE_SOURCE "/examples/iltis/ramp-and-stairs.yaml", 1.0, 10.0},
};

static const struct {
  const char *name;
  bench_job job;
} parts[] = {
    {"kinematics", bench_part_kinematics},
    {"closures", bench_part_closures},
    {"elements", bench_part_elements},
    {"residual", bench_part_residual},
    {"mass", bench_part_mass},
    {"penalty", bench_part_penalty},
    {"tangents", bench_part_tangents},
    {"factor", bench_part_factor},
    {"solve", bench_part_solve},
};

static void row(FILE *csv, const char *model, const char *part, double us) {
  printf("  %-14s %9.3f us\n", part, us);
  fprintf(csv, "%s,%s,%.4f\n", model, part, us);
}

/* one run of the file as it stands; CPU seconds of the steps */
static double run_once(hk_ctx *ctx, hk_model *m, hk_summary *out) {
  hk_sim *sim;
  if (hk_sim_create(m, NULL, &sim) != HK_OK) bench_die(ctx, "cannot start");
  while (!hk_sim_done(sim))
    if (hk_sim_step(sim) != HK_OK) bench_die(ctx, "cannot step");
  hk_sim_summary(sim, out);
  hk_sim_destroy(sim);
  return out->cpu_s;
}

static void time_run(FILE *csv, hk_ctx *ctx, hk_model *m, const char *name) {
  hk_summary sum;
  double best = 1e30;
  for (int i = 0; i < 30; i++) {
    double cpu = run_once(ctx, m, &sum);
    if (cpu < best) best = cpu;
  }
  printf("  run of %g s at %g s: %lld steps, %lld iterations, %.3f ms, real-time factor %.0f\n",
         sum.time_s, sum.step_s, (long long)sum.steps, (long long)sum.iterations, 1e3 * best,
         sum.time_s / best);
  row(csv, name, "step", 1e6 * best / (double)sum.steps);
  fprintf(csv, "%s,real-time factor,%.1f\n", name, sum.time_s / best);
}

static void time_case(FILE *csv, const model_case *c) {
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = bench_load(ctx, c->file);
  bench_iteration b;
  bench_iteration_open(&b, m, c->t);
  double whole = bench_time(bench_iterate, &b);
  printf("%s: %d bodies, %d coordinates, %d rows\n", c->name, m->nb, m->nv, m->nrows);
  row(csv, c->name, "iteration", whole);
  printf("  %-14s %9.3f us: %s\n", "target", c->target, whole <= c->target ? "met" : "MISSED");
  for (size_t i = 0; i < HK_ARRAY_LEN(parts); i++)
    row(csv, c->name, parts[i].name, bench_time(parts[i].job, &b));
  row(csv, c->name, "projection", bench_time(bench_project, &b));
  bench_iteration_close(&b);
  time_run(csv, ctx, m, c->name);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}

/* --- counting: these functions are what bench/count looks at ---------------------------------- */

#if defined(__GNUC__)
#define APART __attribute__((noinline))
#else
#define APART
#endif

void bench_counted(bench_job job, void *user, int32_t n);
APART void bench_counted(bench_job job, void *user, int32_t n) {
  for (int32_t i = 0; i < n; i++) job(user);
}

typedef struct run_job {
  hk_ctx *ctx;
  hk_model *m;
  bench_iteration *b;
} run_job;

/* the steps of a run, without its start */
static void run_steps(void *user) {
  run_job *r = user;
  while (!hk_sim_done(r->b->sim))
    if (hk_sim_step(r->b->sim) != HK_OK) bench_die(r->ctx, "cannot step");
}

static int count_case(const char *what, const char *name, int32_t n) {
  for (size_t i = 0; i < HK_ARRAY_LEN(cases); i++) {
    if (strcmp(cases[i].name, name) != 0) continue;
    bool run = strcmp(what, "run") == 0;
    hk_ctx *ctx = hk_ctx_create();
    hk_model *m = bench_load(ctx, cases[i].file);
    bench_iteration b;
    bench_iteration_open(&b, m, run ? 0.0 : cases[i].t);
    run_job r = {ctx, m, &b};
    bench_iterate(&b);
    if (run)
      bench_counted(run_steps, &r, 1);
    else
      bench_counted(strcmp(what, "project") ? bench_iterate : bench_project, &b, n);
    hk_summary sum;
    hk_sim_summary(b.sim, &sum);
    printf("%lld\n", run ? (long long)sum.steps : (long long)n);
    bench_iteration_close(&b);
    hk_model_release(m);
    hk_ctx_destroy(ctx);
    return 0;
  }
  fprintf(stderr, "unknown model '%s'\n", name);
  return 2;
}

int main(int argc, char **argv) {
  if (argc == 4) return count_case(argv[1], argv[2], atoi(argv[3]));
  FILE *csv = bench_csv("hybrid.csv", "model,part,microseconds");
  printf("%s\n", bench_cpu());
  for (size_t i = 0; i < HK_ARRAY_LEN(cases); i++) time_case(csv, &cases[i]);
  fclose(csv);
  return 0;
}
