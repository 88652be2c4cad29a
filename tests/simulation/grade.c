/* SPDX-License-Identifier: Apache-2.0
 *
 * The grade of a run: what is no number stays one and is wrong, and asking for the warnings of a bad
 * run, causes included, does not change a bit of what follows.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "hooke/hooke.h"
#include "runner.h"
#include "simulation/simulation.h"

Suite *suite_grade(void);

static hk_sim *start(hk_ctx *ctx, hk_model **m, const char *name, const char *formulation,
                     double step, double time) {
  char path[512];
  hk_sim *s = NULL;
  hk_sim_options opt = hk_sim_options_def();
  snprintf(path, sizeof path, "%s/examples/%s", test_source_dir(), name);
  ck_assert_int_eq(hk_model_load(ctx, path, NULL, 0, m), HK_OK);
  opt.formulation = formulation;
  opt.step = step;
  opt.time = time;
  ck_assert_int_eq(hk_sim_create(*m, &opt, &s), HK_OK);
  return s;
}

static void steps(hk_sim *s, int n) {
  for (int i = 0; i < n; i++) ck_assert_int_eq(hk_sim_step(s), HK_OK);
}

START_TEST(asking_changes_nothing) {
  static const struct {
    const char *model, *formulation;
    double step;
  } runs[] = {{"double-four-bar.yaml", "redundant", 0.05},
              {"double-pendulum-stiff.yaml", "partition", 1e-3},
              {"spatial-four-bar.yaml", "hybrid", 0.03}};
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m[2];
  hk_sim *s[2];
  for (int i = 0; i < 2; i++)
    s[i] = start(ctx, &m[i], runs[_i].model, runs[_i].formulation, runs[_i].step, 2.0);
  steps(s[0], 30);
  steps(s[1], 15);
  s[1]->solver.drift_limit = 1e-9; // every run is wrong
  ck_assert_int_eq(hk_sim_grade(s[1]), HK_GRADE_WRONG);
  ck_assert_int_gt(hk_sim_warning_count(s[1]), 0);
  ck_assert_ptr_nonnull(hk_sim_warning(s[1], 0));
  steps(s[1], 15);
  const int32_t n = hk_sim_channel_count(s[0]);
  double a[400], b[400];
  ck_assert_int_le(n, 400);
  ck_assert_int_eq(hk_sim_values(s[0], a), HK_OK);
  ck_assert_int_eq(hk_sim_values(s[1], b), HK_OK);
  ck_assert_mem_eq(a, b, (size_t)n * sizeof *a);
  for (int i = 0; i < 2; i++) hk_sim_destroy(s[i]), hk_model_release(m[i]);
  hk_ctx_destroy(ctx);
}
END_TEST

START_TEST(not_a_number) {
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m;
  hk_sim *s = start(ctx, &m, "pendulum.yaml", NULL, 0.01, 1.0);
  steps(s, 5);
  ck_assert_int_eq(hk_sim_grade(s), HK_GRADE_GOOD);
  // a work that is no number stays in the audit, and so does the verdict on it
  s->audit.supplied = NAN;
  steps(s, 1);
  s->audit.supplied = 0.0;
  steps(s, 2);
  ck_assert(isnan(s->audit.extreme));
  ck_assert_int_eq(hk_sim_grade(s), HK_GRADE_WRONG);
  ck_assert_ptr_nonnull(strstr(hk_sim_warning(s, 0)->text, "not a number"));
  ck_assert_ptr_nonnull(strstr(hk_sim_json(s), "\"grade\": \"wrong\", \"drift_percent\": null"));
  hk_sim_destroy(s);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}
END_TEST

Suite *suite_grade(void) {
  Suite *suite = suite_create("grade");
  TCase *c = tcase_create("grade");
  tcase_add_loop_test(c, asking_changes_nothing, 0, 3);
  tcase_add_test(c, not_a_number);
  suite_add_tcase(suite, c);
  return suite;
}
