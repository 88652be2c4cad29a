/* SPDX-License-Identifier: Apache-2.0
 *
 * Contexts in threads of their own do not know of each other: four threads load models, run them with
 * different methods, write results and read them again, all at once, and get to the last bit what one thread
 * alone gets. ThreadSanitizer (preset tsan) looks for data that they share.
 */
#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hooke/hooke.h"
#include "runner.h"

Suite *suite_threads(void);

enum { THREADS = 4, RUNS = 3 };

typedef struct job {
  const char *model, *formulation, *integrator;
  double time, step;
} job;
static const job jobs[THREADS] = {
    {"double-four-bar.yaml", "hybrid", "trapezoidal", 0.2, 0.01},
    {"engine-mounts.yaml", "redundant", "generalized_alpha", 0.05, 0.005},
    {"mirrored-axle.yaml", "global", "hht", 0.05, 0.005},
    {"grab-and-release.yaml", "hybrid", "sdirk", 1.0, 0.01},
};

static char folder[] = "/tmp/hooke-threads-XXXXXX";

typedef struct result {
  hk_status status;
  double last[8];
} result;

/* one run into a file, and its last row read again */
static void run(const job *j, const char *path, result *out) {
  char model[512];
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = NULL;
  hk_sim *s = NULL;
  hk_result *r = NULL;
  hk_sim_options sim = hk_sim_options_def();
  hk_run_options opt = hk_run_options_def();
  snprintf(model, sizeof model, "%s/examples/%s", test_source_dir(), j->model);
  sim.formulation = j->formulation, sim.integrator = j->integrator;
  sim.time = j->time, sim.step = j->step;
  opt.sim = &sim;
  opt.output = path;
  out->status = hk_model_load(ctx, model, NULL, 0, &m);
  if (out->status == HK_OK) out->status = hk_run(m, &opt, &s);
  if (out->status == HK_OK) out->status = hk_result_open(ctx, path, &r);
  for (int32_t i = 0; i < 8 && out->status == HK_OK; i++)
    out->status = hk_result_read(r, i - 1, hk_result_rows(r) - 1, 1, &out->last[i]);
  hk_result_close(r);
  hk_sim_destroy(s);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}

static result found[THREADS][RUNS], alone[THREADS];

static void *work(void *arg) {
  const int k = (int)(size_t)arg;
  char path[200];
  for (int i = 0; i < RUNS; i++) {
    snprintf(path, sizeof path, "%s/%d-%d.%s", folder, k, i, i % 2 ? "csv" : "nc");
    run(&jobs[k], path, &found[k][i]);
    unlink(path);
  }
  return NULL;
}

START_TEST(threads_do_not_meet) {
  pthread_t thread[THREADS];
  char path[200];
  ck_assert_ptr_nonnull(mkdtemp(folder));
  for (int k = 0; k < THREADS; k++) {
    snprintf(path, sizeof path, "%s/alone.csv", folder);
    run(&jobs[k], path, &alone[k]);
    ck_assert_msg(alone[k].status == HK_OK, "%s: %s", jobs[k].model,
                  hk_status_text(alone[k].status));
    unlink(path);
  }
  for (int k = 0; k < THREADS; k++)
    ck_assert_int_eq(pthread_create(&thread[k], NULL, work, (void *)(size_t)k), 0);
  for (int k = 0; k < THREADS; k++) pthread_join(thread[k], NULL);
  for (int k = 0; k < THREADS; k++)
    for (int i = 0; i < RUNS; i++)
      ck_assert_msg(memcmp(&found[k][i], &alone[k], sizeof alone[k]) == 0, "%s, run %d: %s",
                    jobs[k].model, i, hk_status_text(found[k][i].status));
  rmdir(folder);
}
END_TEST

/* --- one model in many threads ------------------------------------------------------------------ */

enum { SHARED = 8, STEPS = 60 };

/* a simulation of the shared model in a context of this thread */
typedef struct share {
  hk_model *m;
  pthread_barrier_t *made; /* all have their simulations; NULL: alone */
  hk_status status;
  double last[64], run[64];
} share;

/* a parameter changes: the model is read again in this thread; then a whole run of the shared model */
static hk_status change_and_run(share *one, hk_ctx *ctx, hk_sim *c) {
  hk_sim_options sim = hk_sim_options_def();
  hk_run_options opt = hk_run_options_def();
  hk_sim *r = NULL;
  hk_status st = HK_OK;
  for (int32_t i = 0; i < hk_sim_parameter_count(c) && i < 2; i++)
    (void)hk_sim_parameter_set(c, i, 1.01 * hk_sim_parameter_get(c, i));
  for (int i = 0; i < 5 && st == HK_OK; i++) st = hk_sim_step(c);
  sim.time = 0.05;
  opt.sim = &sim;
  if (st == HK_OK) st = hk_run_in(ctx, one->m, &opt, &r);
  if (st == HK_OK) st = hk_sim_values(r, one->run);
  hk_sim_destroy(r);
  return st;
}

static hk_status run_shared(share *one, hk_ctx *ctx) {
  hk_sim *s = NULL;
  hk_sim_options opt = hk_sim_options_def();
  hk_status st = hk_sim_create_in(ctx, one->m, &opt, &s);
  if (one->made) pthread_barrier_wait(one->made);
  if (st == HK_OK && hk_sim_channel_count(s) > 64) st = HK_E_USAGE;
  for (int i = 0; i < STEPS && st == HK_OK; i++) {
    if (hk_sim_input_count(s)) st = hk_sim_input_set(s, 0, 0.01 * i, i % 7 == 0);
    if (st == HK_OK) st = hk_sim_step(s);
  }
  // a clone, in the same thread, goes on
  hk_sim *c = NULL;
  if (st == HK_OK) st = hk_sim_clone(s, ctx, &c);
  for (int i = 0; i < STEPS && st == HK_OK; i++) st = hk_sim_step(c);
  if (st == HK_OK) st = change_and_run(one, ctx, c);
  if (st == HK_OK) st = hk_sim_values(c, one->last);
  hk_sim_destroy(c);
  hk_sim_destroy(s);
  return st;
}

static void *work_shared(void *arg) {
  share *one = arg;
  hk_ctx *ctx = hk_ctx_create();
  one->status = run_shared(one, ctx);
  hk_ctx_destroy(ctx);
  return NULL;
}

/* models with signals, tables, events, networks, friction, an input */
static const char *const shared[] = {"speed-loop.yaml", "mirrored-axle.yaml", "servo-arm.yaml",
                                     "stick-slip.yaml", "motor-crank.yaml"};

START_TEST(threads_share_a_model) {
  pthread_t thread[SHARED];
  pthread_barrier_t made;
  static share part[SHARED + 1];
  char path[512];
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = NULL;
  snprintf(path, sizeof path, "%s/examples/%s", test_source_dir(), shared[_i]);
  ck_assert_int_eq(hk_model_load(ctx, path, NULL, 0, &m), HK_OK);
  for (int k = 0; k <= SHARED; k++) part[k] = (share){.m = m};
  work_shared(&part[SHARED]);
  ck_assert_msg(part[SHARED].status == HK_OK, "%s: %s", shared[_i],
                hk_status_text(part[SHARED].status));
  pthread_barrier_init(&made, NULL, SHARED + 1);
  for (int k = 0; k < SHARED; k++) {
    part[k].made = &made;
    ck_assert_int_eq(pthread_create(&thread[k], NULL, work_shared, &part[k]), 0);
  }
  // the model is given back while they run; the last simulation ends it
  pthread_barrier_wait(&made);
  hk_model_release(m);
  for (int k = 0; k < SHARED; k++) pthread_join(thread[k], NULL);
  pthread_barrier_destroy(&made);
  for (int k = 0; k < SHARED; k++)
    ck_assert_msg(part[k].status == HK_OK &&
                      memcmp(part[k].last, part[SHARED].last, sizeof part[k].last) == 0 &&
                      memcmp(part[k].run, part[SHARED].run, sizeof part[k].run) == 0,
                  "%s, thread %d: %s", shared[_i], k, hk_status_text(part[k].status));
  hk_ctx_destroy(ctx);
}
END_TEST

/* types that modules have brought into the model's context: in another context too, for a clone, a reset
 * and a parameter that changes */
START_TEST(types_of_modules_come_along) {
  static const char *const names[] = {"linear_spring", "average"};
  static const char text[] =
      "hooke: 1\n"
      "parameters: {k: 200}\n"
      "bodies: {rod: {mass: 2, com: [0.5, 0, 0], inertia: [0.1, 0.2, 0.2]}}\n"
      "joints: {pin: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: y}}\n"
      "forces: {s: {type: linear_spring, between: [ground, rod], ends: [[1, 0, 1], [1, 0, 0]],"
      " stiffness: k, damping: 3, length: 0.7}}\n"
      "run: {time: 1, step: 0.005}\n";
  char path[600];
  hk_ctx *ctx = hk_ctx_create(), *other = hk_ctx_create();
  hk_model *m = NULL;
  hk_sim *s = NULL, *r = NULL, *c = NULL;
  hk_sim_options opt = hk_sim_options_def();
  const char *build = getenv("HOOKE_BUILD");
  for (int i = 0; i < 2 && build; i++) {
    snprintf(path, sizeof path, "%s/examples/modules/%s.so", build, names[i]);
    if (access(path, R_OK) != 0) build = NULL; // not built here
    if (build) ck_assert_int_eq(hk_module_load(ctx, path), HK_OK);
  }
  opt.integrator = "average";
  if (build) {
    double a[64], b[64];
    ck_assert_int_eq(hk_model_parse(ctx, text, strlen(text), "spring", NULL, 0, &m), HK_OK);
    ck_assert_int_eq(hk_sim_create(m, &opt, &s), HK_OK);
    ck_assert_int_eq(hk_sim_create_in(other, m, &opt, &r), HK_OK);
    ck_assert_int_eq(hk_sim_clone(r, other, &c), HK_OK);
    ck_assert_int_eq(hk_sim_reset(c), HK_OK);
    hk_sim *all[] = {s, r, c};
    ck_assert_int_gt(hk_sim_parameter_count(s), 0);
    for (int k = 0; k < 3; k++) {
      for (int i = 0; i < 10; i++) ck_assert_int_eq(hk_sim_step(all[k]), HK_OK);
      ck_assert_int_eq(hk_sim_parameter_set(all[k], 0, 1.1 * hk_sim_parameter_get(all[k], 0)),
                       HK_OK);
      for (int i = 0; i < 10; i++) ck_assert_int_eq(hk_sim_step(all[k]), HK_OK);
      memset(k ? b : a, 0, sizeof a);
      ck_assert_int_le(hk_sim_channel_count(all[k]), 64);
      ck_assert_int_eq(hk_sim_values(all[k], k ? b : a), HK_OK);
      ck_assert(!k || memcmp(a, b, sizeof a) == 0);
      hk_sim_destroy(all[k]);
    }
    hk_model_release(m);
  }
  hk_ctx_destroy(other);
  hk_ctx_destroy(ctx);
}
END_TEST

Suite *suite_threads(void) {
  Suite *s = suite_create("threads");
  TCase *t = tcase_create("threads");
  tcase_add_test(t, threads_do_not_meet);
  tcase_add_test(t, types_of_modules_come_along);
  tcase_add_loop_test(t, threads_share_a_model, 0, test_few() ? 1 : sizeof shared / sizeof *shared);
  tcase_set_timeout(t, 120);
  suite_add_tcase(s, t);
  return s;
}
