/* SPDX-License-Identifier: Apache-2.0
 *
 * Results that are followed: what the writer writes comes out as it went in, while it goes on and to its end; half
 * records wait; damaged files are refused, with words, and nothing else happens.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "results/live.h"
#include "runner.h"

Suite *suite_live(void);

static hk_ctx *ctx;
static char path[64];
static void set_up(void) {
  ctx = hk_ctx_create();
  snprintf(path, sizeof path, "/tmp/hooke-live-%d", (int)getpid());
}
static void tear_down(void) {
  unlink(path);
  hk_ctx_destroy(ctx);
}

static const hk_results_channel channels[] = {{"a", "m", "first"}, {"b", NULL, NULL}};

static hk_results *begin(void) {
  const hk_results_meta meta = {.title = "T",
                                .model_path = "m.yaml",
                                .model_text = "hooke: 1\n",
                                .nchannels = 2,
                                .channels = channels,
                                .nbodies = 1,
                                .time = 100.0};
  const hk_results_scene scene = {.json = "{\"scene\":1}"};
  hk_results *w = NULL;
  ck_assert_int_eq(hki_results_live(ctx, path, &meta, &w), HK_OK);
  ck_assert_int_eq(hki_results_scene_put(w, &scene), HK_OK);
  return w;
}

static void rows(hk_results *w, int from, int to) {
  for (int i = from; i < to; i++) {
    const double x[2] = {i, -i};
    const float pose[7] = {(float)i, 0, 0, 1, 0, 0, 0};
    ck_assert_int_eq(w->row(w, i, x), HK_OK);
    ck_assert_int_eq(w->row(w, i + 1e-3, x), HK_OK); // too soon for an eye
    ck_assert_int_eq(hki_results_frame(w, i, pose), HK_OK);
  }
  nanosleep(&(struct timespec){.tv_nsec = 60000000}, NULL);
  const double x[2] = {to, -to};
  ck_assert_int_eq(w->row(w, to, x), HK_OK);
}

START_TEST(follows_to_the_end) {
  hk_follow *f = NULL;
  double x[30];
  float pose[7];
  int32_t ended = 1;
  hk_results *w = begin();
  ck_assert_int_eq(hk_follow_open(ctx, path, &f), HK_OK);
  hk_result *r = hk_follow_result(f);
  ck_assert_str_eq(hk_result_text(r, "title"), "T");
  ck_assert_str_eq(hk_result_text(r, "status"), "running");
  ck_assert_str_eq(hk_result_channel_name(r, 1), "b");
  ck_assert_int_eq(hk_result_rows(r), 0);
  rows(w, 0, 10);
  ck_assert_int_eq(hk_follow_more(f, &ended), HK_OK);
  ck_assert_int_eq(ended, 0);
  ck_assert_int_eq(hk_result_rows(r), 11);
  ck_assert_int_eq(hk_result_frames(r), 10);
  rows(w, 11, 20);
  ck_assert_int_eq(w->close(w, "{\"status\": \"ok\"}"), HK_OK);
  ck_assert_int_eq(hk_follow_more(f, &ended), HK_OK);
  ck_assert_int_eq(ended, 1);
  ck_assert_int_eq(hk_result_rows(r), 21);
  ck_assert_int_eq(hk_result_read(r, 1, 0, 21, x), HK_OK);
  for (int i = 0; i < 21; i++) ck_assert_double_eq(x[i], -i);
  ck_assert_int_eq(hk_result_read_frames(r, 18, 1, x, pose, NULL), HK_OK);
  ck_assert(x[0] == 19.0 && pose[0] == 19.0f);
  ck_assert_str_eq(hk_result_text(r, "status"), "ok");
  hk_follow_close(f);
}
END_TEST

START_TEST(damaged_files) {
  static unsigned char bytes[8192];
  hk_results *w = begin();
  rows(w, 0, 3);
  ck_assert_int_eq(w->close(w, "{}"), HK_OK);
  FILE *in = fopen(path, "rb");
  const size_t n = fread(bytes, 1, sizeof bytes, in);
  fclose(in);
  ck_assert(n > 300 && n < sizeof bytes);
  // every beginning of it, and every byte of it changed: no crash, nothing that is not there
  for (size_t i = 0; i < 2 * n; i++) {
    hk_follow *f = NULL;
    FILE *out = fopen(path, "wb");
    if (i >= n) bytes[i - n] ^= 0x55;
    ck_assert_int_eq(fwrite(bytes, 1, i < n ? i : n, out), i < n ? i : n);
    if (i >= n) bytes[i - n] ^= 0x55;
    fclose(out);
    if (hk_follow_open(ctx, path, &f) == HK_OK) {
      ck_assert_int_le(hk_result_rows(hk_follow_result(f)), 4);
      (void)hk_follow_more(f, NULL);
    }
    hk_follow_close(f);
  }
}
END_TEST

Suite *suite_live(void) {
  Suite *s = suite_create("live");
  TCase *c = tcase_create("live");
  tcase_add_checked_fixture(c, set_up, tear_down);
  tcase_add_test(c, follows_to_the_end);
  tcase_add_test(c, damaged_files);
  suite_add_tcase(s, c);
  return s;
}
