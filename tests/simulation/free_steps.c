/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps of free length: a run saved in the middle, while its integrator is ahead of the last row,
 * goes on to the last bit as the run that was not; looking at values changes nothing; nothing is
 * allocated.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hooke/hooke.h"
#include "runner.h"

typedef struct setting {
  const char *model, *formulation, *integrator, *control;
  double step, cut, end;
} setting;

static const setting settings[] = {
    {"double-four-bar.yaml", "hybrid", "generalized_alpha", "error", 0.001, 0.2, 0.5},
    {"double-four-bar.yaml", "partition", "trapezoidal", "error", 0.001, 0.2, 0.5},
    {"spatial-four-bar.yaml", "partition", "hht", "error", 0.001, 0.1, 0.2},
    {"spatial-four-bar.yaml", "hybrid", "dopri5", "error", 0.001, 0.1003, 0.2},
    {"spatial-four-bar.yaml", "hybrid", "sdirk", "error", 0.001, 0.1, 0.2},
    {"spatial-four-bar.yaml", "redundant", "multistep", "error", 0.001, 0.1, 0.2},
    {"spatial-four-bar.yaml", "topological", "newmark", "error", 0.0003, 0.1, 0.2},
    {"spatial-four-bar.yaml", "global", "multistep", "iterations", 0.002, 0.1, 0.2},
    {"grab-and-release.yaml", "hybrid", "dopri5", "error", 0.004, 0.85, 2.0},
    {"grab-and-release.yaml", "partition", "multistep", "error", 0.004, 0.85, 1.2},
    {"door-with-stop.yaml", "hybrid", "dopri5", "error", 0.004, 0.72, 1.1},
    {"door-with-stop.yaml", "redundant", "trapezoidal", "error", 0.004, 0.1, 0.3},
    {"mirrored-axle.yaml", "hybrid", "generalized_alpha", "error", 0.002, 0.5, 1.0},
    {"slider-crank-driven.yaml", "hybrid", "dopri5", "error", 0.01, 0.47, 0.8},
};

/* how much of each run is enough: only some of it where everything takes long */
static double part(void) { return test_few() ? 0.25 : 1.0; }

static hk_sim *create(hk_ctx *ctx, const setting *c, hk_model **m) {
  char path[512];
  hk_option list[] = {{"step_control", c->control}, {"rtol", "1e-5"}};
  hk_sim_options opt = hk_sim_options_def();
  hk_sim *s = NULL;
  opt.formulation = c->formulation;
  opt.integrator = c->integrator;
  opt.step = c->step;
  opt.time = part() * c->end;
  opt.options = list;
  opt.noptions = 2;
  snprintf(path, sizeof path, "%s/examples/%s", test_source_dir(), c->model);
  if (!*m) ck_assert_int_eq(hk_model_load(ctx, path, NULL, 0, m), HK_OK);
  ck_assert_int_eq(hk_sim_create(*m, &opt, &s), HK_OK);
  return s;
}

static void same_values(hk_sim *a, hk_sim *b, const setting *c) {
  double x[512], y[512];
  int32_t n = hk_sim_channel_count(a);
  ck_assert_int_lt(n, 512);
  ck_assert_int_eq(hk_sim_values(a, x), HK_OK);
  ck_assert_int_eq(hk_sim_values(b, y), HK_OK);
  for (int32_t i = 0; i < n; i++)
    ck_assert_msg(memcmp(&x[i], &y[i], sizeof *x) == 0, "%s, %s, %s at %g s: %s is %.17g and %.17g",
                  c->model, c->formulation, c->integrator, hk_sim_time(a),
                  hk_sim_channel_name(a, i), x[i], y[i]);
}

/* one run is saved on its way and goes on; another one begins with what was saved */
START_TEST(resumes_to_the_last_bit) {
  if (test_few() && _i % 2) return; // these in looking_changes_nothing
  const setting *c = &settings[_i];
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = NULL;
  hk_sim *a = create(ctx, c, &m), *b = create(ctx, c, &m);
  hk_summary x, y;
  char path[] = "free-steps-XXXXXX";
  close(mkstemp(path));
  while (hk_sim_time(a) < part() * c->cut) ck_assert_int_eq(hk_sim_step(a), HK_OK);
  ck_assert_int_eq(hk_sim_save(a, path), HK_OK);
  ck_assert_int_eq(hk_sim_load(b, path), HK_OK);
  ck_assert(hk_sim_time(a) == hk_sim_time(b));
  same_values(a, b, c);
  while (!hk_sim_done(a)) {
    ck_assert_int_eq(hk_sim_step(a), HK_OK);
    ck_assert_int_eq(hk_sim_step(b), HK_OK);
    ck_assert(hk_sim_time(a) == hk_sim_time(b));
    same_values(a, b, c);
  }
  hk_sim_summary(a, &x);
  hk_sim_summary(b, &y);
  ck_assert_int_eq(x.steps, y.steps);
  ck_assert_int_eq(x.rejected, y.rejected);
  ck_assert_int_eq(x.iterations, y.iterations);
  remove(path);
  hk_sim_destroy(a);
  hk_sim_destroy(b);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}
END_TEST

/* values are read after every row, or never: the end is the same, and nothing is allocated */
START_TEST(looking_changes_nothing) {
  if (test_few() && _i % 2 == 0) return; // these in resumes_to_the_last_bit
  const setting *c = &settings[_i];
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = NULL;
  hk_sim *a = create(ctx, c, &m), *b = create(ctx, c, &m);
  double x[512];
  uint64_t before = hk_ctx_allocations(ctx);
  while (!hk_sim_done(a)) {
    ck_assert_int_eq(hk_sim_step(a), HK_OK);
    ck_assert_int_eq(hk_sim_values(a, x), HK_OK);
  }
  while (!hk_sim_done(b)) ck_assert_int_eq(hk_sim_step(b), HK_OK);
  ck_assert_uint_eq(hk_ctx_allocations(ctx), before);
  same_values(a, b, c);
  hk_sim_destroy(a);
  hk_sim_destroy(b);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}
END_TEST

/* bdf has its history in another library: a resumed run starts it anew, within the tolerance */
START_TEST(bdf_resumes_within_the_tolerance) {
  const setting c = {"spatial-four-bar.yaml", "redundant", "bdf", "error", 0.001, 0.1, 0.2};
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = NULL;
  hk_sim *a = create(ctx, &c, &m), *b = create(ctx, &c, &m);
  double x, y;
  char path[] = "free-steps-XXXXXX";
  close(mkstemp(path));
  while (hk_sim_time(a) < part() * c.cut) ck_assert_int_eq(hk_sim_step(a), HK_OK);
  ck_assert_int_eq(hk_sim_save(a, path), HK_OK);
  ck_assert_int_eq(hk_sim_load(b, path), HK_OK);
  while (!hk_sim_done(a)) {
    ck_assert_int_eq(hk_sim_step(a), HK_OK);
    ck_assert_int_eq(hk_sim_step(b), HK_OK);
    ck_assert(hk_sim_time(a) == hk_sim_time(b));
    ck_assert_int_eq(hk_sim_value(a, hk_sim_channel_name(a, 0), &x), HK_OK);
    ck_assert_int_eq(hk_sim_value(b, hk_sim_channel_name(a, 0), &y), HK_OK);
    ck_assert_double_eq_tol(x, y, 2e-4);
  }
  remove(path);
  hk_sim_destroy(a);
  hk_sim_destroy(b);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}
END_TEST

Suite *suite_free_steps(void);
Suite *suite_free_steps(void) {
  Suite *s = suite_create("free steps");
  TCase *c = tcase_create("runs");
  const int n = (int)(sizeof settings / sizeof *settings);
  tcase_set_timeout(c, 120);
  tcase_add_loop_test(c, resumes_to_the_last_bit, 0, n);
  tcase_add_loop_test(c, looking_changes_nothing, 0, n);
#ifdef HK_WITH_SUNDIALS
  tcase_add_test(c, bdf_resumes_within_the_tolerance);
#else
  (void)bdf_resumes_within_the_tolerance;
#endif
  suite_add_tcase(s, c);
  return s;
}
