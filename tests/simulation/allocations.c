/* SPDX-License-Identifier: Apache-2.0
 *
 * Nothing allocates while a simulation steps: the context's counter stands still over ten thousand
 * steps with every recorded value, accelerations and reactions included. So does the counter of the
 * C library's own malloc, which libraries (KLU) call past the context.
 */
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hooke/hooke.h"
#include "machines/tree/deep.h"
#include "runner.h"
#include "simulation/simulation.h"
#include "support_malloc.h"

/* examples with their own end times; together they have every kind of thing a step may do */
static const char *const models[] = {
    "pendulum.yaml",         "double-four-bar.yaml",  "andrews.yaml",
    "bricard.yaml",          "spatial-four-bar.yaml", "spinning-body.yaml",
    "mirrored-axle.yaml",    "engine-mounts.yaml",    "slider-crank-driven.yaml",
    "grab-and-release.yaml", "iltis-suspension.yaml", "crash-sled.yaml",
    "spinning-ball.yaml",
};
static const char *const integrators[] = {"trapezoidal", "newmark", "hht", "generalized_alpha"};

/* the whole run in about `steps` steps, or the first of them where few cases are enough; how many
 * allocations there were meanwhile */
static uint64_t allocations_of(const char *name, const char *formulation, const char *integrator,
                               const char *key, const char *value, int steps) {
  char path[512];
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = NULL;
  hk_sim *s = NULL;
  hk_sim_options opt = hk_sim_options_def();
  hk_summary sum;
  snprintf(path, sizeof path, "%s/examples/%s", test_source_dir(), name);
  ck_assert_int_eq(hk_model_load(ctx, path, NULL, 0, &m), HK_OK);

  /* its own end time */
  ck_assert_int_eq(hk_sim_create(m, &opt, &s), HK_OK);
  const double end = s->end;
  const bool few = test_few();
  const int64_t most = few && steps > 100 ? 100 : steps;
  hk_sim_destroy(s);

  const hk_option option = {key, value};
  opt.formulation = formulation;
  opt.integrator = integrator;
  opt.options = &option;
  opt.noptions = key ? 1 : 0;
  opt.time = end;
  opt.step = end / steps;
  ck_assert_int_eq(hk_sim_create(m, &opt, &s), HK_OK);
  int32_t n = hk_sim_channel_count(s);
  double *values = calloc((size_t)n + 1, sizeof *values), one = 0.0;
  const char *last = n ? hk_sim_channel_name(s, n - 1) : "energy.total";
  uint64_t before = hk_ctx_allocations(ctx), malloced = test_mallocs();
  int64_t taken = 0;
  hk_status st = HK_OK;
  bool same = true;
  // assertions of the test frame allocate: they come after the loop
  while (st == HK_OK && same && !hk_sim_done(s) && !(few && taken == most)) {
    st = hk_sim_step(s);
    if (st == HK_OK) st = hk_sim_values(s, values);
    /* by name: reactions and accelerations too */
    if (st == HK_OK) st = hk_sim_value(s, last, &one);
    same = one == values[n - 1];
    taken++;
  }
  uint64_t after = hk_ctx_allocations(ctx);
  malloced = test_mallocs() - malloced;
  ck_assert_int_eq(st, HK_OK);
  ck_assert_msg(same, "%s: %s is %.17g and %.17g", name, last, one, values[n - 1]);
  ck_assert_msg(malloced == 0, "%s, %s: %d calls of malloc", name, formulation, (int)malloced);
  hk_sim_summary(s, &sum);
  ck_assert_int_ge(sum.steps, most);
  ck_assert_int_ge(taken, most);
  free(values);
  hk_sim_destroy(s);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
  return after - before;
}

static uint64_t allocations(const char *name, const char *formulation, const char *integrator,
                            int steps) {
  return allocations_of(name, formulation, integrator, NULL, NULL, steps);
}

START_TEST(steps_do_not_allocate) {
  const char *name = models[_i];
  int steps = test_short() ? 200 : test_all() ? 10000 : 3000;
  ck_assert_uint_eq(allocations(name, "hybrid", "trapezoidal", steps), 0);
}
END_TEST

START_TEST(no_integrator_allocates) {
  ck_assert_uint_eq(allocations("grab-and-release.yaml", "hybrid", integrators[_i], 400), 0);
  ck_assert_uint_eq(allocations("spatial-four-bar.yaml", "hybrid", integrators[_i], 400), 0);
}
END_TEST

/* each formulation with an integrator of its own kind */
static const char *const pairs[][2] = {
    {"global", "generalized_alpha"},
    {"topological", "trapezoidal"},
    {"recursive", "trapezoidal"},
    {"partition", "trapezoidal"},
    {"redundant", "multistep"},
    {"redundant", "sdirk"},
    {"redundant", "rk4"},
    {"hybrid", "sdirk"},
    {"partition", "abm2"},
};

START_TEST(no_formulation_allocates) {
  const char *f = pairs[_i][0], *i = pairs[_i][1];
  const int steps = test_short() ? 200 : test_all() ? 4000 : 1500;
  ck_assert_uint_eq(allocations("spatial-four-bar.yaml", f, i, steps), 0);
  ck_assert_uint_eq(allocations("engine-mounts.yaml", f, i, steps), 0);
  if (strcmp(f, "redundant") == 0)
    ck_assert_uint_eq(allocations("motor-crank.yaml", f, i, steps), 0);
  // large enough for the sparse solver, whose pivots are chosen once
  if (strcmp(i, "multistep") == 0)
    ck_assert_uint_eq(allocations("iltis-suspension.yaml", f, i, steps), 0);
}
END_TEST

START_TEST(no_sweep_allocates) {
  static const char *const formulations[] = {"hybrid", "global", "topological"};
  for (int i = 0; i < 3; i++)
    ck_assert_uint_eq(allocations_of("spatial-four-bar.yaml", formulations[i], "sdirk", "iteration",
                                     "simultaneous", 400),
                      0);
}
END_TEST

static const char *const stabilisations[] = {"baumgarte", "ggl", "fuhrer_leimkuhler",
                                             "overdetermined"};

START_TEST(no_stabilisation_allocates) {
  const char *how = stabilisations[_i];
  ck_assert_uint_eq(allocations_of("spatial-four-bar.yaml", "redundant", "trapezoidal",
                                   "stabilisation", how, 1000),
                    0);
  ck_assert_uint_eq(
      allocations_of("double-four-bar.yaml", "redundant", "multistep", "stabilisation", how, 1000),
      0);
}
END_TEST

/* steps that fail and are halved do not allocate either */
START_TEST(failed_steps_do_not_allocate) {
  char path[512];
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = NULL;
  hk_sim *s = NULL;
  hk_sim_options opt = hk_sim_options_def();
  hk_summary sum;
  opt.step = 0.02;
  opt.time = 1.0;
  snprintf(path, sizeof path, "%s/examples/andrews.yaml", test_source_dir());
  ck_assert_int_eq(hk_model_load(ctx, path, NULL, 0, &m), HK_OK);
  ck_assert_int_eq(hk_sim_create(m, &opt, &s), HK_OK);
  uint64_t before = hk_ctx_allocations(ctx);
  while (!hk_sim_done(s)) ck_assert_int_eq(hk_sim_step(s), HK_OK);
  ck_assert_uint_eq(hk_ctx_allocations(ctx), before);
  hk_sim_summary(s, &sum);
  ck_assert_int_gt(sum.rejected, 10);
  hk_sim_destroy(s);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}
END_TEST

/* bars of a scissor lift of 130 stages, which is solved without a matrix */
static size_t write_scissors(char *to, size_t room) {
  const int n = 130;
  size_t at = (size_t)snprintf(to, room, "hooke: 1\nplanar: xy\ngravity: [0, -9.81, 0]\nbodies:\n");
  for (int i = 0; i < 2 * n; i++)
    at += (size_t)snprintf(to + at, room - at,
                           "  %c%d: {mass: 1, com: [1, %g, 0], inertia: {zz: 0.4}}\n", "ab"[i % 2],
                           i / 2, i / 2 + 0.5);
  at += (size_t)snprintf(
      to + at, room - at,
      "joints:\n  foot: {type: revolute, between: [ground, a0], at: [0, 0, 0], axis: z}\n"
      "  slide: {type: in_line, between: [ground, b0], at: [2, 0, 0], axis: x}\n");
  for (int k = 0; k < n; k++) {
    at +=
        (size_t)snprintf(to + at, room - at,
                         "  p%d: {type: revolute, between: [a%d, b%d], at: [1, %g, 0], axis: z}\n",
                         k, k, k, k + 0.5);
    for (int u = 0; k + 1 < n && u < 2; u++)
      at += (size_t)snprintf(
          to + at, room - at,
          "  %c%d: {type: revolute, between: [%c%d, %c%d], at: [%d, %d, 0], axis: z}\n", "uv"[u], k,
          "ab"[u], k, "ba"[u], k + 1, u ? 0 : 2, k + 1);
  }
  at += (size_t)snprintf(
      to + at, room - at,
      "forces:\n  jack: {type: spring_damper, between: [ground, b0], ends: [[0, 0, 0], [2, 0, 0]], "
      "stiffness: 3e8, damping: 3e7, length: 2}\nrun: {time: 0.2, step: 0.005}\n");
  return at;
}

START_TEST(no_front_allocates) {
  static const char *const formulations[] = {"hybrid", "recursive", "topological"};
  static char text[200000];
  const size_t n = write_scissors(text, sizeof text);
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = NULL;
  hk_sim *s = NULL;
  hk_sim_options opt = hk_sim_options_def();
  opt.formulation = formulations[_i];
  opt.integrator = "trapezoidal";
  ck_assert_int_eq(hk_model_parse(ctx, text, n, "scissors", NULL, 0, &m), HK_OK);
  ck_assert_int_eq(hk_sim_create(m, &opt, &s), HK_OK);
  ck_assert(hki_deep_closes(s->f->shared));
  hk_status st = HK_OK;
  const uint64_t before = hk_ctx_allocations(ctx), malloced = test_mallocs();
  for (int i = 0; i < 30 && st == HK_OK; i++) st = hk_sim_step(s);
  const uint64_t after = hk_ctx_allocations(ctx), more = test_mallocs() - malloced;
  ck_assert_int_eq(st, HK_OK);
  ck_assert_uint_eq(after, before);
  ck_assert_uint_eq(more, 0);
  hk_sim_destroy(s);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}
END_TEST

Suite *suite_allocations(void);
static int least(int a, size_t b) { return (size_t)a < b ? a : (int)b; }

Suite *suite_allocations(void) {
  Suite *s = suite_create("allocations");
  TCase *c = tcase_create("steps");
  tcase_set_timeout(c, 120);
  // sanitizers look for other faults: some of the loops are enough there
  const int few = test_few() ? 2 : 1000;
  tcase_add_loop_test(c, steps_do_not_allocate, 0, least(few, sizeof models / sizeof *models));
  tcase_add_loop_test(c, no_integrator_allocates, 0,
                      least(few, sizeof integrators / sizeof *integrators));
  tcase_add_loop_test(c, no_formulation_allocates, 0, least(few, sizeof pairs / sizeof *pairs));
  tcase_add_test(c, no_sweep_allocates);
  tcase_add_loop_test(c, no_stabilisation_allocates, 0,
                      least(few, sizeof stabilisations / sizeof *stabilisations));
  tcase_add_test(c, failed_steps_do_not_allocate);
  tcase_add_loop_test(c, no_front_allocates, 0, 3);
  suite_add_tcase(s, c);
  return s;
}
