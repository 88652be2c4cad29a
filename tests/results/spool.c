/* SPDX-License-Identifier: Apache-2.0
 *
 * Results that are kept for a report: what is read is what was written, also behind the memory that
 * blocks may take; a folder without room is told.
 */
#include <check.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "results/read.h"
#include "results/results.h"

Suite *suite_spool(void);

enum { CHANNELS = 999, BODIES = 3, LOADS = 2, FLOATS = 7 * BODIES + 3 * LOADS };

static hk_ctx *ctx;
static hk_results *w;
static hk_result *r;
static char names[CHANNELS][16];

static double value(int64_t row, int32_t channel) { return (double)row + 1e-4 * channel; }

static hk_status begin(void) {
  static hk_results_channel list[CHANNELS];
  for (int32_t i = 0; i < CHANNELS; i++) {
    snprintf(names[i], sizeof names[i], "channel.%d", (int)i);
    list[i] = (hk_results_channel){names[i], i ? "m" : "", i ? "text" : NULL};
  }
  hk_results_meta meta = {.title = "title",
                          .model_text = "text",
                          .formulation = "hybrid",
                          .nchannels = CHANNELS,
                          .channels = list,
                          .nbodies = BODIES,
                          .nloads = LOADS};
  ctx = hk_ctx_create();
  return hki_results_spool(ctx, "a.nc", &meta, &w, &r);
}

static hk_status put(int64_t row) {
  double x[CHANNELS];
  float f[FLOATS];
  for (int32_t i = 0; i < CHANNELS; i++) x[i] = value(row, i);
  for (int32_t i = 0; i < FLOATS; i++) f[i] = (float)row + 0.01f * (float)i;
  hk_status st = w->row(w, 0.5 * (double)row, x);
  return st == HK_OK && row % 10 == 0 ? w->frame(w, 0.5 * (double)row, f) : st;
}

static void end(void) {
  hk_result_close(r);
  hk_ctx_destroy(ctx);
}

static void check_rows(int64_t n) {
  const int32_t channels[] = {-1, 0, 1, 500, CHANNELS - 1};
  double *x = malloc((size_t)n * sizeof *x);
  for (int k = 0; k < 5; k++) {
    ck_assert_int_eq(hk_result_read(r, channels[k], 0, n, x), HK_OK);
    for (int64_t i = 0; i < n; i++)
      ck_assert(x[i] == (channels[k] < 0 ? 0.5 * (double)i : value(i, channels[k])));
    ck_assert_int_eq(hk_result_read(r, channels[k], n - 3, 3, x), HK_OK);
    ck_assert(x[2] == (channels[k] < 0 ? 0.5 * (double)(n - 1) : value(n - 1, channels[k])));
  }
  free(x);
}

static void check_frames(int64_t n) {
  double t[3];
  float poses[3 * 7 * BODIES], loads[3 * 3 * LOADS];
  for (int64_t i = 0; i + 3 <= n; i++) {
    ck_assert_int_eq(hk_result_read_frames(r, i, 3, t, poses, loads), HK_OK);
    ck_assert(t[1] == 5.0 * (double)(i + 1));
    ck_assert(poses[2 * 7 * BODIES + 5] == (float)(10 * (i + 2)) + 0.01f * 5.0f);
    ck_assert(loads[3 * LOADS] == (float)(10 * (i + 1)) + 0.01f * (float)(7 * BODIES));
  }
}

/* a few rows, several blocks, more than memory may hold */
START_TEST(what_was_written_is_read) {
  const int64_t n = (int64_t[]){7, 1025, 9000}[_i];
  const float points[] = {1, 2, 3};
  const int32_t faces[] = {0, 0, 0};
  const hk_results_scene scene = {"{}", 1, 1, points, faces};
  float p[3];
  int32_t f[3];
  ck_assert_int_eq(begin(), HK_OK);
  for (int64_t i = 0; i < n; i++) ck_assert_int_eq(put(i), HK_OK);
  ck_assert_int_eq(w->scene(w, &scene), HK_OK);
  ck_assert_int_eq(w->close(w, "{\"status\": \"ok\"}"), HK_OK);
  ck_assert_int_eq(hk_result_rows(r), n);
  ck_assert_int_eq(hk_result_frames(r), (n + 9) / 10);
  ck_assert_str_eq(hk_result_text(r, "status"), "ok");
  ck_assert_str_eq(hk_result_text(r, "title"), "title");
  ck_assert_str_eq(hk_result_channel_unit(r, 0), "1");
  ck_assert_int_eq(hk_result_channel_find(r, "channel.998"), 998);
  check_rows(n);
  check_frames((n + 9) / 10);
  ck_assert_int_eq(hk_result_read_meshes(r, p, f), HK_OK);
  ck_assert(p[2] == 3.0f && f[2] == 0);
  end();
}
END_TEST

START_TEST(a_folder_that_is_not_there_is_told) {
  hk_status st = HK_OK;
  int64_t i = 0;
  setenv("TMPDIR", "/nowhere/at/all", 1);
  ck_assert_int_eq(begin(), HK_OK);
  for (; i < 20000 && st == HK_OK; i++) st = put(i);
  ck_assert_int_eq(st, HK_E_FILE);
  ck_assert_int_gt(i, 5000); // memory was enough until then
  ck_assert_ptr_nonnull(strstr(hk_ctx_message(ctx, 0)->text, "/nowhere/at/all"));
  hki_results_abandon(w);
  unsetenv("TMPDIR");
  end();
}
END_TEST

/* the temporary file has no name: nothing is left of it when there is no room */
START_TEST(a_full_folder_is_told_and_stays_empty) {
  char folder[] = "/tmp/hooke-spool-XXXXXX";
  struct rlimit before, small;
  hk_status st = HK_OK;
  ck_assert_ptr_nonnull(mkdtemp(folder));
  getrlimit(RLIMIT_FSIZE, &before);
  small = before, small.rlim_cur = 1000;
  signal(SIGXFSZ, SIG_IGN);
  setenv("TMPDIR", folder, 1);
  ck_assert_int_eq(begin(), HK_OK);
  setrlimit(RLIMIT_FSIZE, &small);
  for (int64_t i = 0; i < 20000 && st == HK_OK; i++) st = put(i);
  setrlimit(RLIMIT_FSIZE, &before);
  ck_assert_int_eq(st, HK_E_FILE);
  hki_results_abandon(w);
  unsetenv("TMPDIR");
  end();
  ck_assert_int_eq(rmdir(folder), 0); // it is empty
}
END_TEST

START_TEST(without_memory) {
  for (uint64_t n = 1; n < 20; n++) {
    ck_assert_int_eq(begin(), HK_OK);
    hki_alloc_fail_at(ctx, n);
    hk_status st = HK_OK;
    for (int64_t i = 0; i < 600 && st == HK_OK; i++) st = put(i);
    ck_assert(st == HK_OK || st == HK_E_MEMORY);
    hki_alloc_fail_at(ctx, 0);
    hki_results_abandon(w);
    end();
  }
}
END_TEST

Suite *suite_spool(void) {
  Suite *s = suite_create("spool");
  TCase *t = tcase_create("spool");
  tcase_add_loop_test(t, what_was_written_is_read, 0, 3);
  tcase_add_test(t, a_folder_that_is_not_there_is_told);
  tcase_add_test(t, a_full_folder_is_told_and_stays_empty);
  tcase_add_test(t, without_memory);
  suite_add_tcase(s, t);
  return s;
}
