/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_batch MODEL FORMULATION INTEGRATOR STEP TIME WORLDS [THREADS [WIDTH]]: many worlds of one model. Prints what a
 * second on the wall and a second of a processor are worth, and how many worlds of ten are the same, bit by bit, as a world alone. Worlds begin with other
 * velocities, so that they take ways of their own.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hooke/hooke.h"

/* seconds on the wall, or of all processors in this program */
static double now(clockid_t of) {
  struct timespec t;
  clock_gettime(of, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *need(void *p) {
  if (!p) exit(1);
  return p;
}

static void done(hk_ctx *ctx, hk_status st) {
  for (int32_t i = 0; i < hk_ctx_message_count(ctx); i++)
    fprintf(stderr, "%s\n", hk_ctx_message(ctx, i)->text);
  hk_ctx_clear(ctx);
  if (st != HK_OK) exit(1);
}

/* every world has its own velocities */
static void disturb(hk_ctx *ctx, hk_batch *b, const hk_batch_about *a, int32_t first) {
  const int32_t n = a->coordinates + a->velocities;
  double *x = need(malloc((size_t)a->worlds * (size_t)n * sizeof *x));
  done(ctx, hk_batch_get(b, HK_BATCH_COORDINATES, a->worlds, NULL, x));
  for (int32_t i = 0; i < a->worlds; i++)
    for (int32_t k = a->coordinates; k < n; k++)
      x[(size_t)i * (size_t)n + (size_t)k] *= 1.0 + 1e-3 * sin((double)(first + i) + k);
  done(ctx, hk_batch_set(b, HK_BATCH_COORDINATES, a->worlds, NULL, x, 0));
  free(x);
}

static hk_batch *make(hk_ctx *ctx, hk_model *m, const hk_batch_options *opt, hk_batch_about *a) {
  hk_batch *b = NULL;
  a->size = sizeof *a;
  done(ctx, hk_batch_create(ctx, m, opt, &b));
  done(ctx, hk_batch_info(b, a));
  return b;
}

/* how many of ten worlds are the same alone */
static int same_alone(hk_ctx *ctx, hk_model *m, hk_batch_options opt, hk_batch *all,
                      int64_t steps) {
  hk_batch_about a;
  int same = 0;
  const int32_t worlds = opt.worlds;
  opt.worlds = 1;
  for (int k = 0; k < 10; k++) {
    const int32_t world = (int32_t)((int64_t)(worlds - 1) * k / 9);
    hk_batch *b = make(ctx, m, &opt, &a);
    disturb(ctx, b, &a, world);
    done(ctx, hk_batch_step(b, steps));
    const size_t n = (size_t)(a.coordinates + a.velocities);
    double *x = need(malloc(2 * n * sizeof *x));
    done(ctx, hk_batch_get(b, HK_BATCH_COORDINATES, 1, NULL, x));
    done(ctx, hk_batch_get(all, HK_BATCH_COORDINATES, 1, &world, x + n));
    same += memcmp(x, x + n, n * sizeof *x) == 0;
    free(x);
    hk_batch_destroy(b);
  }
  return same;
}

int main(int argc, char **argv) {
  if (argc < 7)
    return fprintf(stderr, "bench_batch MODEL FORMULATION INTEGRATOR STEP TIME WORLDS\n"), 1;
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = NULL;
  hk_sim_options sim = hk_sim_options_def();
  hk_batch_options opt = hk_batch_options_def();
  hk_batch_about a;
  sim.formulation = argv[2], sim.integrator = argv[3], sim.step = atof(argv[4]);
  opt.sim = &sim, opt.worlds = atoi(argv[6]);
  opt.threads = argc > 7 ? atoi(argv[7]) : 0, opt.width = argc > 8 ? atoi(argv[8]) : 0;
  if (opt.width == 1) opt.way = HK_BATCH_LIBRARY, opt.width = 0;
  done(ctx, hk_model_load(ctx, argv[1], NULL, 0, &m));
  const double t0 = now(CLOCK_MONOTONIC);
  hk_batch *b = make(ctx, m, &opt, &a);
  const double t1 = now(CLOCK_MONOTONIC);
  disturb(ctx, b, &a, 0);
  const double t2 = now(CLOCK_MONOTONIC);
  const int64_t steps = (int64_t)round(atof(argv[5]) / a.step);
  const double c2 = now(CLOCK_PROCESS_CPUTIME_ID);
  done(ctx, hk_batch_step(b, steps));
  const double c3 = now(CLOCK_PROCESS_CPUTIME_ID);
  const double t3 = now(CLOCK_MONOTONIC), took = t3 - t2;
  int failed = 0;
  double turns = 0.0;
  for (int32_t i = 0; i < a.worlds; i++) {
    failed += hk_batch_status(b)[i] != HK_OK;
    turns += (double)hk_batch_iterations(b, i);
  }
  const double all = (double)steps * a.worlds;
  printf("%d worlds, %d threads, %s of %d, %lld steps, %.2f iterations a step\n", (int)a.worlds,
         (int)a.threads, a.way == HK_BATCH_LANES ? "lanes" : "library", (int)a.width,
         (long long)all, turns / all);
  printf("on the wall %.3f s: %.0f s of motion a second; of processors %.3f s: %.3f us a step, "
         "%.0f s of "
         "motion in a second of one\n",
         took, all * a.step / took, c3 - c2, 1e6 * (c3 - c2) / all, all * a.step / (c3 - c2));
  printf(
      "created in %.2f s (compiler %.2f s), placed in %.3f s, %d failed, %d of 10 the same alone\n",
      t1 - t0, a.seconds, t2 - t1, failed, same_alone(ctx, m, opt, b, steps));
  hk_batch_destroy(b);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
  return 0;
}
