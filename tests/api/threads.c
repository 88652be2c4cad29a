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

Suite *suite_threads(void) {
  Suite *s = suite_create("threads");
  TCase *t = tcase_create("threads");
  tcase_add_test(t, threads_do_not_meet);
  tcase_set_timeout(t, 120);
  suite_add_tcase(s, t);
  return s;
}
