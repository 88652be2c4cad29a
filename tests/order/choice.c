/* SPDX-License-Identifier: Apache-2.0
 *
 * The topological formulation's choice of independent coordinates: it changes when it must, a
 * changed choice gives the same motion, nothing of it allocates, and failed steps leave no trace.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "formulations/topological/topological.h"
#include "hooke/hooke.h"
#include "runner.h"
#include "simulation/simulation.h"

typedef struct outcome {
  double changes, x, y, drift;
  int64_t rejected;
  uint64_t allocations;
} outcome;

static hk_sim *start(hk_ctx *ctx, const char *file, const hk_sim_options *opt, hk_model **m) {
  char path[512];
  hk_sim *s = NULL;
  snprintf(path, sizeof path, "%s/%s", test_source_dir(), file);
  ck_assert_int_eq(hk_model_load(ctx, path, NULL, 0, m), HK_OK);
  ck_assert_int_eq(hk_sim_create(*m, opt, &s), HK_OK);
  return s;
}

static outcome run(const char *file, const char *integrator, double step, double time,
                   const char *limit) {
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m;
  hk_option option = {"choice_limit", limit};
  hk_sim_options opt = hk_sim_options_def();
  opt.formulation = "topological";
  opt.integrator = integrator;
  opt.step = step;
  opt.time = time;
  opt.options = &option;
  opt.noptions = limit ? 1 : 0;
  opt.substeps = 0;
  opt.tolerance = 1e-12;
  hk_sim *s = start(ctx, file, &opt, &m);
  const hk_topological *t = (const hk_topological *)s->f;
  outcome o = {0};
  uint64_t before = hk_ctx_allocations(ctx);
  hk_summary sum;
  while (!hk_sim_done(s)) ck_assert_msg(hk_sim_step(s) == HK_OK, "%s: %s", file, s->message);
  o.allocations = hk_ctx_allocations(ctx) - before;
  o.changes = t->persist[1];
  hk_sim_summary(s, &sum);
  o.drift = sum.max_drift_J;
  o.rejected = sum.rejected;
  ck_assert_int_eq(hk_sim_value(s, "body.coupler.position.x", &o.x), HK_OK);
  ck_assert_int_eq(hk_sim_value(s, "body.coupler.position.y", &o.y), HK_OK);
  hk_sim_destroy(s);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
  return o;
}

#define ROCKER "tests/order/triple-rocker.yaml"

/* every coordinate of this linkage swings back and forth within a cycle of about 1.2 s */
START_TEST(choice_changes) {
  outcome o = run(ROCKER, "trapezoidal", 0.001, 4.0, NULL);
  ck_assert_msg(o.changes >= 8, "%g changes", o.changes);
  ck_assert(fabs(o.drift) < 0.005);
  ck_assert_uint_eq(o.allocations, 0);
}
END_TEST

/* earlier or later changes: the same motion, to the accuracy of the method */
START_TEST(choice_does_not_matter) {
  outcome a = run(ROCKER, "sdirk", 0.002, 2.0, "1.5"), b = run(ROCKER, "sdirk", 0.002, 2.0, "3");
  ck_assert(a.changes > 0 && b.changes > 0);
  ck_assert_double_eq_tol(a.x, b.x, 0.01);
  ck_assert_double_eq_tol(a.y, b.y, 0.01);
  outcome c = run(ROCKER, "sdirk", 0.001, 2.0, "1.5"), d = run(ROCKER, "sdirk", 0.001, 2.0, "3");
  double before = hypot(a.x - b.x, a.y - b.y), after = hypot(c.x - d.x, c.y - d.y);
  ck_assert_msg(after < before / 6.0, "%g, then %g", before, after);
}
END_TEST

/* a linkage whose first choice serves throughout keeps it */
START_TEST(good_choice_stays) {
  outcome o = run("examples/spatial-four-bar.yaml", "trapezoidal", 0.001, 1.0, NULL);
  ck_assert(o.changes == 0.0);
  ck_assert_uint_eq(o.allocations, 0);
}
END_TEST

/* redundant rows: the rank is lower than the rows, and the motion is right */
START_TEST(redundant_rows) {
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m;
  hk_sim_options opt = hk_sim_options_def();
  hk_summary sum;
  opt.formulation = "topological";
  opt.time = 2.0;
  hk_sim *s = start(ctx, "examples/bricard.yaml", &opt, &m);
  const hk_topological *t = (const hk_topological *)s->f;
  while (!hk_sim_done(s)) ck_assert_int_eq(hk_sim_step(s), HK_OK);
  hk_sim_summary(s, &sum);
  ck_assert_int_eq(t->ngroup, 1);
  ck_assert_int_lt(t->group[0].rank, t->group[0].m);
  ck_assert(fabs(sum.max_drift_J) < 1e-5);
  ck_assert(sum.position_max < 1e-12 && sum.velocity_max < 1e-12 && sum.acceleration_max < 1e-10);
  hk_sim_destroy(s);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}
END_TEST

/* groups: the four corners of a car have nothing to do with one another */
START_TEST(corners_are_groups) {
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m;
  hk_sim_options opt = hk_sim_options_def();
  opt.formulation = "topological";
  hk_sim *s = start(ctx, "examples/iltis/ramp-and-stairs.yaml", &opt, &m);
  const hk_topological *t = (const hk_topological *)s->f;
  ck_assert_int_eq(t->ngroup, 4);
  for (int i = 0; i < 4; i++) {
    ck_assert_int_eq(t->group[i].m, 4);
    ck_assert_int_eq(t->group[i].n, 5);
    ck_assert_int_eq(t->group[i].rank, 4);
  }
  hk_sim_destroy(s);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}
END_TEST

/* steps refused near the singular position of the double four-bar: no allocation, then the end */
START_TEST(singular_position) {
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m;
  hk_sim_options opt = hk_sim_options_def();
  hk_summary sum;
  opt.formulation = "topological";
  opt.integrator = "trapezoidal";
  opt.step = 0.01;
  opt.time = 10.0;
  hk_sim *s = start(ctx, "examples/double-four-bar.yaml", &opt, &m);
  uint64_t before = hk_ctx_allocations(ctx);
  hk_status st = HK_OK;
  while (!hk_sim_done(s) && st == HK_OK) st = hk_sim_step(s);
  ck_assert_int_eq(st, HK_E_SINGULAR);
  ck_assert_uint_eq(hk_ctx_allocations(ctx), before);
  hk_sim_summary(s, &sum);
  ck_assert(sum.time_s > 0.71 && sum.time_s < 0.72);
  ck_assert_ptr_nonnull(strstr(sum.message, "lose rank"));
  ck_assert_ptr_nonnull(strstr(sum.message, "pin_A0"));
  ck_assert_ptr_nonnull(strstr(sum.message, "hybrid"));
  // what was computed is right
  ck_assert(fabs(sum.max_drift_J) < 0.005);
  hk_sim_destroy(s);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}
END_TEST

/* memory that runs out while it is created: an error, nothing left behind */
START_TEST(memory_runs_out) {
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = NULL;
  char path[512];
  hk_sim_options opt = hk_sim_options_def();
  hk_sim *s = NULL;
  opt.formulation = "topological";
  opt.integrator = "sdirk";
  snprintf(path, sizeof path, "%s/examples/spatial-four-bar.yaml", test_source_dir());
  ck_assert_int_eq(hk_model_load(ctx, path, NULL, 0, &m), HK_OK);
  hk_status st = HK_E_MEMORY;
  uint64_t n = 1;
  for (; st != HK_OK && n < 5000; n++) {
    hki_alloc_fail_at(ctx, n);
    st = hk_sim_create(m, &opt, &s);
    hki_alloc_fail_at(ctx, 0);
    ck_assert_int_le(st, HK_OK);
    ck_assert((s != NULL) == (st == HK_OK));
    hk_ctx_clear(ctx);
  }
  ck_assert_int_eq(st, HK_OK);
  ck_assert_uint_gt(n, 20);
  hk_sim_destroy(s);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}
END_TEST

Suite *suite_choice(void);
Suite *suite_choice(void) {
  Suite *s = suite_create("choice");
  TCase *c = tcase_create("independent coordinates");
  tcase_set_timeout(c, 120);
  tcase_add_test(c, choice_changes);
  tcase_add_test(c, choice_does_not_matter);
  tcase_add_test(c, good_choice_stays);
  tcase_add_test(c, redundant_rows);
  tcase_add_test(c, corners_are_groups);
  tcase_add_test(c, singular_position);
  tcase_add_test(c, memory_runs_out);
  suite_add_tcase(s, c);
  return s;
}
