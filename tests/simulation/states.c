/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of a simulation in memory: a copy that is put back, a clone, a reset and steps that are
 * taken back go on bit by bit the same way; bytes that do not fit are refused and change nothing;
 * hk_sim_step_to ends where it is told to and leaves the grid as it was.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hooke/hooke.h"
#include "runner.h"

Suite *suite_states(void);

typedef struct setting {
  const char *model, *formulation, *integrator, *control;
  double step;
} setting;

/* every integrator but bdf; events, networks, stops, friction, memory, linear solvers with pivots */
static const setting settings[] = {
    {"double-four-bar.yaml", "hybrid", "trapezoidal", NULL, 0.005},
    {"double-four-bar.yaml", "topological", "newmark", NULL, 0.005},
    {"double-four-bar.yaml", "recursive", "hht", NULL, 0.005},
    {"spatial-four-bar.yaml", "global", "generalized_alpha", NULL, 0.002},
    {"spatial-four-bar.yaml", "partition", "rk4", NULL, 0.002},
    {"pendulum.yaml", "hybrid", "abm2", NULL, 0.005},
    {"spatial-four-bar.yaml", "redundant", "multistep", "error", 0.002},
    {"spatial-four-bar.yaml", "hybrid", "dopri5", "error", 0.003},
    {"double-four-bar.yaml", "hybrid", "sdirk", NULL, 0.01},
    {"motor-crank.yaml", "redundant", "generalized_alpha", NULL, 0.002},
    {"grab-and-release.yaml", "hybrid", "newmark", NULL, 0.02},
    {"door-with-stop.yaml", "hybrid", "generalized_alpha", NULL, 0.02},
    {"spinning-ball.yaml", "redundant", "trapezoidal", NULL, 0.02},
    {"stick-slip.yaml", "hybrid", "trapezoidal", NULL, 0.002},
    {"servo-arm.yaml", "hybrid", "trapezoidal", NULL, 0.002},
    {"speed-loop.yaml", "hybrid", "trapezoidal", NULL, 0.002},
};
enum { SETTINGS = sizeof settings / sizeof *settings, MOST = 400 };

typedef struct fixture {
  hk_ctx *ctx;
  hk_model *m;
  hk_sim *s;
  int32_t n;
} fixture;

static hk_model *load(hk_ctx *ctx, const char *name) {
  char path[512];
  hk_model *m = NULL;
  snprintf(path, sizeof path, "%s/examples/%s", test_source_dir(), name);
  ck_assert_int_eq(hk_model_load(ctx, path, NULL, 0, &m), HK_OK);
  return m;
}

static hk_sim *create(hk_ctx *ctx, hk_model *m, const setting *c) {
  hk_option list[] = {{"step_control", c->control}};
  hk_sim_options opt = hk_sim_options_def();
  hk_sim *s = NULL;
  opt.formulation = c->formulation;
  opt.integrator = c->integrator;
  opt.step = c->step;
  opt.options = list;
  opt.noptions = c->control ? 1 : 0;
  hk_status st = hk_sim_create_in(ctx, m, &opt, &s);
  ck_assert_msg(st == HK_OK, "%s: %s", c->model, hk_ctx_message(ctx, 0)->text);
  return s;
}

static fixture begin(const setting *c) {
  fixture f = {.ctx = hk_ctx_create()};
  f.m = load(f.ctx, c->model);
  f.s = create(f.ctx, f.m, c);
  f.n = hk_sim_channel_count(f.s);
  ck_assert_int_le(f.n, MOST);
  return f;
}

static void end(fixture *f) {
  hk_sim_destroy(f->s);
  hk_model_release(f->m);
  hk_ctx_destroy(f->ctx);
}

static void steps(hk_sim *s, int n) {
  for (int i = 0; i < n; i++) ck_assert_int_eq(hk_sim_step(s), HK_OK);
}

typedef struct row {
  double t, x[MOST];
} row;

/* all recorded values after n more steps, and the energies */
static row after(hk_sim *s, int n) {
  row r;
  memset(&r, 0, sizeof r);
  steps(s, n);
  r.t = hk_sim_time(s);
  ck_assert_int_eq(hk_sim_values(s, r.x), HK_OK);
  return r;
}

#define SAME(a, b) (memcmp(&(a), &(b), sizeof(row)) == 0)

START_TEST(copies_go_on_with_the_same_bits) {
  if (test_few() && _i % 2) return;
  const setting *c = &settings[_i];
  fixture f = begin(c);
  hk_sim *clone = NULL;
  steps(f.s, 37);
  const size_t size = hk_sim_state_size(f.s);
  unsigned char *blob = malloc(size);
  // a clone in a context of its own
  hk_ctx *other = hk_ctx_create();
  const row now = after(f.s, 0);
  ck_assert_int_eq(hk_sim_state_get(f.s, blob, size), HK_OK);
  ck_assert_int_eq(hk_sim_clone(f.s, other, &clone), HK_OK);
  const row then = after(f.s, 40);
  const row cloned = after(clone, 40);
  ck_assert_msg(SAME(then, cloned), "%s, %s: clone", c->model, c->integrator);
  ck_assert_msg(!SAME(then, now), "%s stands still", c->model);
  ck_assert_int_eq(hk_sim_state_set(f.s, blob, size), HK_OK);
  const row back = after(f.s, 0);
  ck_assert_msg(SAME(now, back), "%s, %s: back", c->model, c->integrator);
  const row again = after(f.s, 40);
  ck_assert_msg(SAME(then, again), "%s, %s: again", c->model, c->integrator);
  hk_sim_destroy(clone);
  hk_ctx_destroy(other);
  free(blob);
  end(&f);
}
END_TEST

START_TEST(reset_and_rollback) {
  const setting *c = &settings[_i];
  fixture f = begin(c);
  const row first = after(f.s, 0), tenth = after(f.s, 10);
  ck_assert_int_eq(hk_sim_reset(f.s), HK_OK);
  const row start = after(f.s, 0);
  ck_assert_msg(SAME(first, start), "%s, %s", c->model, c->integrator);
  ck_assert_int_eq(hk_sim_keep(f.s, 4), HK_OK);
  ck_assert_int_eq(hk_sim_kept(f.s), 0);
  const uint64_t before = hk_ctx_allocations(f.ctx);
  const row anew = after(f.s, 10), more = after(f.s, 3);
  ck_assert(SAME(tenth, anew));
  ck_assert_int_eq(hk_sim_kept(f.s), 4);
  ck_assert_int_eq(hk_sim_rollback(f.s, 3), HK_OK);
  ck_assert_int_eq(hk_sim_kept(f.s), 1);
  const row back = after(f.s, 0), again = after(f.s, 3);
  ck_assert_msg(SAME(tenth, back), "%s, %s", c->model, c->integrator);
  ck_assert_msg(SAME(more, again), "%s, %s", c->model, c->integrator);
  ck_assert_uint_eq(hk_ctx_allocations(f.ctx), before);
  ck_assert_int_eq(hk_sim_rollback(f.s, 5), HK_E_USAGE);
  ck_assert_int_eq(hk_sim_rollback(f.s, 0), HK_E_USAGE);
  ck_assert_int_eq(hk_sim_keep(f.s, 0), HK_OK);
  ck_assert_int_eq(hk_sim_rollback(f.s, 1), HK_E_USAGE);
  end(&f);
}
END_TEST

START_TEST(bad_bytes_change_nothing) {
  const setting *c = &settings[6];
  fixture f = begin(c);
  fixture g = begin(&settings[0]);
  steps(f.s, 5);
  const size_t size = hk_sim_state_size(f.s), other = hk_sim_state_size(g.s);
  unsigned char *good = malloc(size), *bad = malloc(size + 8), *foreign = malloc(other);
  ck_assert_int_eq(hk_sim_state_get(f.s, good, size), HK_OK);
  ck_assert_int_eq(hk_sim_state_get(g.s, foreign, other), HK_OK);
  ck_assert_int_eq(hk_sim_state_get(f.s, bad, size + 8), HK_E_USAGE);
  steps(f.s, 5);
  const row now = after(f.s, 0);
  ck_assert_int_eq(hk_sim_state_set(f.s, foreign, other), HK_E_USAGE);
  ck_assert_int_eq(hk_sim_state_set(f.s, good, size - 1), HK_E_USAGE);
  ck_assert_int_eq(hk_sim_state_set(f.s, good, 3), HK_E_USAGE);
  memcpy(bad, good, size);
  memset(bad + size, 0, 8);
  ck_assert_int_eq(hk_sim_state_set(f.s, bad, size + 8), HK_E_USAGE);
  for (size_t at = 0; at < size; at += 1 + size / 101) {
    memcpy(bad, good, size);
    bad[at] ^= 16;
    ck_assert_int_eq(hk_sim_state_set(f.s, bad, size), HK_E_USAGE);
  }
  const row still = after(f.s, 0);
  ck_assert(SAME(now, still));
  // of a run that ends earlier
  hk_sim_options opt = hk_sim_options_def();
  hk_sim *brief = NULL;
  hk_option list[] = {{"step_control", c->control}};
  opt.formulation = c->formulation, opt.integrator = c->integrator, opt.step = c->step;
  opt.options = list, opt.noptions = 1;
  opt.time = 2 * c->step;
  ck_assert_int_eq(hk_sim_create(f.m, &opt, &brief), HK_OK);
  ck_assert_int_eq(hk_sim_state_set(brief, good, size), HK_E_USAGE);
  hk_sim_destroy(brief);
  free(good), free(bad), free(foreign);
  end(&g);
  end(&f);
}
END_TEST

/* a blob is the file, and the file is the blob */
START_TEST(a_file_is_the_blob) {
  fixture f = begin(&settings[0]);
  char path[] = "state-XXXXXX";
  close(mkstemp(path));
  steps(f.s, 5);
  const size_t size = hk_sim_state_size(f.s);
  unsigned char *blob = malloc(size), *file = malloc(size + 1);
  ck_assert_int_eq(hk_sim_state_get(f.s, blob, size), HK_OK);
  ck_assert_int_eq(hk_sim_save(f.s, path), HK_OK);
  FILE *in = fopen(path, "rb");
  ck_assert_uint_eq(fread(file, 1, size + 1, in), size);
  fclose(in);
  ck_assert_mem_eq(blob, file, size);
  steps(f.s, 5);
  ck_assert_int_eq(hk_sim_state_set(f.s, file, size), HK_OK);
  ck_assert_double_eq(hk_sim_time(f.s), 0.025);
  remove(path);
  free(blob), free(file);
  end(&f);
}
END_TEST

START_TEST(steps_end_where_they_are_told_to) {
  const setting *c = &settings[_i];
  fixture f = begin(c);
  hk_summary sum;
  const double h = c->step, t = 7.3 * h;
  ck_assert_int_eq(hk_sim_step_to(f.s, t), HK_OK);
  ck_assert_double_eq(hk_sim_time(f.s), t);
  // the grid goes on as it was
  steps(f.s, 1);
  ck_assert_double_eq_tol(hk_sim_time(f.s), 8 * h, 1e-9 * h);
  // a grid time that differs by rounding is met exactly, and counts as one
  const double near = nextafter(nextafter(10 * h, 1.0), 1.0);
  ck_assert_int_eq(hk_sim_step_to(f.s, near), HK_OK);
  ck_assert_double_eq(hk_sim_time(f.s), near);
  steps(f.s, 1);
  ck_assert_double_eq_tol(hk_sim_time(f.s), 11 * h, 1e-9 * h);
  hk_sim_summary(f.s, &sum);
  if (!c->control && strcmp(c->model, "servo-arm.yaml") != 0) ck_assert_int_le(sum.steps, 12);
  // here and now: nothing happens
  const row now = after(f.s, 0);
  ck_assert_int_eq(hk_sim_step_to(f.s, hk_sim_time(f.s)), HK_OK);
  const row still = after(f.s, 0);
  ck_assert(SAME(now, still));
  ck_assert_int_eq(hk_sim_step_to(f.s, 10.5 * h), HK_E_USAGE);
  ck_assert_int_eq(hk_sim_step_to(f.s, 1e9), HK_E_USAGE);
  ck_assert_int_eq(hk_sim_step_to(f.s, NAN), HK_E_USAGE);
  end(&f);
}
END_TEST

/* a simulation that failed goes on from an earlier state */
START_TEST(failures_can_be_taken_back) {
  static const char text[] =
      "hooke: 1\ngravity: [0, 0, 0]\nbodies: {b: {mass: 1, com: [0, 0, 0], inertia: {xx: 1, yy: 1, "
      "zz: 1}}}\n"
      "joints: {j: {type: prismatic, between: [ground, b], at: [0, 0, 0], axis: x}}\n"
      "signals: {u: {input: 1}}\n"
      "forces: {f: {type: joint_force, joint: j, value: \"log(u)\"}}\n"
      "run: {time: 10, step: 0.1, integrator: trapezoidal}\n";
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = NULL;
  hk_sim *s = NULL;
  ck_assert_int_eq(hk_model_parse(ctx, text, strlen(text), "m.yaml", NULL, 0, &m), HK_OK);
  ck_assert_int_eq(hk_sim_create(m, NULL, &s), HK_OK);
  ck_assert_int_eq(hk_sim_keep(s, 3), HK_OK);
  steps(s, 2);
  ck_assert_int_eq(hk_sim_input_set(s, 0, -1.0, 0), HK_OK);
  ck_assert_int_lt(hk_sim_step(s), 0);
  ck_assert_int_lt(hk_sim_step(s), 0);
  ck_assert_int_eq(hk_sim_rollback(s, 2), HK_OK);
  ck_assert_double_eq(hk_sim_time(s), 0.1);
  ck_assert_double_eq(hk_sim_input_get(s, 0), 1.0);
  steps(s, 2);
  hk_sim_destroy(s);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}
END_TEST

Suite *suite_states(void) {
  Suite *s = suite_create("states");
  TCase *t = tcase_create("states");
  tcase_add_loop_test(t, copies_go_on_with_the_same_bits, 0, SETTINGS);
  tcase_add_loop_test(t, reset_and_rollback, 0, SETTINGS);
  tcase_add_test(t, bad_bytes_change_nothing);
  tcase_add_test(t, a_file_is_the_blob);
  tcase_add_loop_test(t, steps_end_where_they_are_told_to, 0, 9);
  tcase_add_test(t, failures_can_be_taken_back);
  tcase_set_timeout(t, 60);
  suite_add_tcase(s, t);
  return s;
}
