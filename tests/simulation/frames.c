/* SPDX-License-Identifier: Apache-2.0
 *
 * Frames of the animation come where there is something to see: what is drawn between two of them,
 * every body moved evenly, is close to the recorded motion; a motion without bends has few frames,
 * a quick rotation more.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hooke/hooke.h"
#include "hooke/result.h"
#include "runner.h"

static hk_ctx *ctx;
static char path[64];

static void setup(void) {
  ctx = hk_ctx_create();
  strcpy(path, "/tmp/hooke-frames-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(path));
  strcat(path, "/run.nc");
}

static void teardown(void) {
  unlink(path);
  *strrchr(path, '/') = '\0';
  rmdir(path);
  hk_ctx_destroy(ctx);
}

static hk_result *result_of(hk_model *m) {
  hk_run_options opt = hk_run_options_def();
  hk_sim *s = NULL;
  hk_result *r = NULL;
  opt.output = path;
  ck_assert_int_eq(hk_run(m, &opt, &s), HK_OK);
  hk_sim_destroy(s);
  hk_model_release(m);
  ck_assert_int_eq(hk_result_open(ctx, path, &r), HK_OK);
  return r;
}

/* times of the frames; poses when they are wanted */
static double *times_of(hk_result *r, float **poses) {
  size_t n = (size_t)hk_result_frames(r), nb = (size_t)hk_result_body_count(r);
  double *t = malloc((n + 1) * sizeof *t);
  float *p = malloc((n + 1) * 7 * nb * sizeof *p),
        *l = malloc((n * 3 * (size_t)hk_result_load_count(r) + 1) * sizeof *l);
  ck_assert(t && p && l);
  ck_assert_int_eq(hk_result_read_frames(r, 0, (int64_t)n, t, p, l), HK_OK);
  free(l);
  *poses = p;
  return t;
}

static double longest_gap(const double *t, int64_t n) {
  double gap = 0.0;
  for (int64_t i = 1; i < n; i++) gap = fmax(gap, t[i] - t[i - 1]);
  return gap;
}

/* a free body that moves with the given velocities, 10 s in steps of 1 ms */
static int64_t frames_of_free_body(const char *velocity, double *gap) {
  char text[512];
  hk_model *m = NULL;
  float *poses;
  snprintf(text, sizeof text,
           "hooke: 1\ngravity: [0, 0, 0]\n"
           "bodies: {ball: {mass: 1, com: [0, 0, 0], inertia: {diagonal: [1, 1, 1]}}}\n"
           "start: {ball: {%s}}\nrun: {time: 10, step: 0.001}\n",
           velocity);
  ck_assert_msg(hk_model_parse(ctx, text, strlen(text), "ball", NULL, 0, &m) == HK_OK, "%s",
                hk_ctx_message_count(ctx) ? hk_ctx_message(ctx, 0)->text : "");
  hk_result *r = result_of(m);
  int64_t n = hk_result_frames(r);
  double *t = times_of(r, &poses);
  *gap = longest_gap(t, n);
  free(t);
  free(poses);
  hk_result_close(r);
  return n;
}

START_TEST(even_motion_has_few_frames) {
  double gap;
  int64_t n = frames_of_free_body("velocity: [1, 2, 3]", &gap);
  ck_assert_int_eq(n, 501);
  ck_assert(gap > 0.0199 && gap < 0.0201);
}
END_TEST

/* half a radian at 40 rad/s is 12.5 ms: at least so often, to the next step */
START_TEST(quick_rotation_has_more) {
  double gap;
  int64_t n = frames_of_free_body("angular_velocity: [0, 0, 40]", &gap);
  ck_assert_msg(gap < 0.01351 && gap > 0.0115, "%g", gap);
  ck_assert(n > 700 && n < 900);
}
END_TEST

/* x and y of one body at all recorded times, against what is drawn then */
static double worst_picture(hk_result *r, const char *body, int32_t index, const double *t,
                            const float *poses) {
  int64_t rows = hk_result_rows(r), k = 0;
  int32_t nb = hk_result_body_count(r);
  double worst = 0.0, *time = malloc((size_t)rows * sizeof *time),
         *x = malloc((size_t)rows * sizeof *x);
  ck_assert_int_eq(hk_result_read(r, -1, 0, rows, time), HK_OK);
  for (int axis = 0; axis < 2; axis++) {
    char name[64];
    snprintf(name, sizeof name, "body.%s.position.%c", body, "xyz"[axis]);
    int32_t c = hk_result_channel_find(r, name);
    ck_assert_int_ge(c, 0);
    ck_assert_int_eq(hk_result_read(r, c, 0, rows, x), HK_OK);
    k = 0;
    for (int64_t i = 0; i < rows; i++) {
      while (k + 2 < hk_result_frames(r) && t[k + 1] < time[i]) k++;
      double a = poses[7 * (k * nb + index) + axis], b = poses[7 * ((k + 1) * nb + index) + axis];
      double drawn = a + (b - a) * (time[i] - t[k]) / (t[k + 1] - t[k]);
      worst = fmax(worst, fabs(drawn - x[i]));
    }
  }
  free(time);
  free(x);
  return worst;
}

/* the mechanism is about 1 m long: 1/2000 of it */
START_TEST(pictures_between_frames_are_right) {
  char model[512];
  hk_model *m = NULL;
  float *poses;
  snprintf(model, sizeof model, "%s/examples/double-four-bar.yaml", test_source_dir());
  ck_assert_int_eq(hk_model_load(ctx, model, NULL, 0, &m), HK_OK);
  hk_result *r = result_of(m);
  double *t = times_of(r, &poses);
  double worst = worst_picture(r, "left", 0, t, poses);
  ck_assert_msg(worst < 5e-4, "%g", worst);
  ck_assert_msg(worst > 1e-5, "%g: more frames than needed", worst);
  ck_assert_int_lt(hk_result_frames(r), hk_result_rows(r) * 3 / 4);
  free(t);
  free(poses);
  hk_result_close(r);
}
END_TEST

Suite *suite_frames(void);
Suite *suite_frames(void) {
  Suite *s = suite_create("frames");
  TCase *c = tcase_create("frames");
  tcase_add_checked_fixture(c, setup, teardown);
  tcase_add_test(c, even_motion_has_few_frames);
  tcase_add_test(c, quick_rotation_has_more);
  tcase_add_test(c, pictures_between_frames_are_right);
  suite_add_tcase(s, c);
  return s;
}
