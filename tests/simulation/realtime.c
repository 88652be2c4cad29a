/* SPDX-License-Identifier: Apache-2.0
 *
 * Real time: the loop gives the rows of the same run off line to the last bit, allocates nothing and
 * causes no page fault once it runs; periods that are missed are counted, and what follows is what was
 * asked for; interruption and a writer that fails end it. Nothing here depends on how fast the machine
 * is: only lower bounds are looked at.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runner.h"
#include "simulation/realtime.h"
#include "support_malloc.h"

Suite *suite_realtime(void);

static hk_ctx *ctx;
static hk_model *model;
static hk_sim *sim;
static void set_up(void) { ctx = hk_ctx_create(); }
static void end_sim(void) {
  hk_sim_destroy(sim);
  hk_model_release(model);
  sim = NULL, model = NULL;
}
static void tear_down(void) {
  end_sim();
  hk_ctx_destroy(ctx);
}

static void start(const char *example, const char *iterations, double step, double time) {
  char path[512];
  hk_sim_options opt = hk_sim_options_def();
  const hk_option fixed = {"fixed_iterations", iterations};
  opt.step = step, opt.time = time;
  opt.options = &fixed, opt.noptions = 1;
  end_sim();
  snprintf(path, sizeof path, "%s/examples/%s", test_source_dir(), example);
  ck_assert_int_eq(hk_model_load(ctx, path, NULL, 0, &model), HK_OK);
  ck_assert_int_eq(hk_sim_create(model, &opt, &sim), HK_OK);
}

/* an output that keeps its rows, or fails at one of them */
enum { ROWS = 400 };
typedef struct sink {
  hk_output out;
  int32_t n, fails_at;
  double rows[ROWS][8];
} sink;

static hk_status sink_row(hk_output *self, double t, const double *values) {
  sink *k = (sink *)self;
  if (k->fails_at && k->n == k->fails_at) return HK_E_FILE;
  if (k->n >= ROWS) return HK_E_INTERNAL;
  double *row = k->rows[k->n++];
  row[0] = t;
  for (int i = 1; i < 8; i++) row[i] = values[i * (self->s->nchannels - 1) / 7];
  return HK_OK;
}

static const hk_run_options *no_files(void) {
  static hk_run_options run;
  run = hk_run_options_def();
  return &run;
}

static hk_realtime_options fast(void) {
  hk_realtime_options opt = {.size = sizeof opt, .cpu = -1, .priority = 80};
  opt.pace = HK_PACE_FAST;
  return opt;
}

/* a peer that looks at the counters of allocations at every step, and may take its time */
typedef struct watcher {
  int32_t calls, slow_at;
  uint64_t first, last, ctx_first, ctx_last;
} watcher;

static hk_status watch(void *peer, hk_hook when, double t, double h, const double *y, double *u) {
  watcher *w = peer;
  (void)t, (void)h, (void)y, (void)u;
  if (when != HK_HOOK_ACCEPTED) return HK_PEER_SILENT;
  w->last = test_mallocs(), w->ctx_last = hk_ctx_allocations(ctx);
  if (w->calls++ == 0) w->first = w->last, w->ctx_first = w->ctx_last;
  if (w->slow_at && w->calls == w->slow_at) nanosleep(&(struct timespec){.tv_nsec = 7000000}, NULL);
  return HK_PEER_SILENT;
}
static const hk_peer_ops watcher_ops = {.name = "watcher", .exchange = watch};

static void add_watcher(watcher *w) {
  const hk_peer_link link = {.ops = &watcher_ops, .peer = w};
  *w = (watcher){.slow_at = w->slow_at};
  ck_assert_int_eq(hki_sim_add_peer(sim, &link), HK_OK);
}

START_TEST(same_bits_off_line_and_no_allocation) {
  static sink timed, plain;
  static watcher w;
  const char *number = _i == 0 ? "1" : _i == 1 ? "2" : "0";
  const int steps = test_few() ? 40 : 300;
  const double step = 1e-3;
  memset(&timed, 0, sizeof timed), memset(&plain, 0, sizeof plain);
  start("iltis/cosine-bump.yaml", number, step, step * steps);
  add_watcher(&w);
  timed.out = (hk_output){.s = sim, .row = sink_row};
  const hk_realtime_options opt = fast();
  ck_assert_int_eq(hki_realtime_loop(sim, &opt, no_files(), &timed.out), HK_OK);
  ck_assert_int_eq(w.calls, steps);
  ck_assert_msg(w.first == w.last, "%d calls of malloc", (int)(w.last - w.first));
  ck_assert_uint_eq(w.ctx_first, w.ctx_last);
  const hk_realtime_count *c = sim->realtime;
  if (c->had.lock && !test_few()) ck_assert_int_eq(c->faults, 0);
  ck_assert(c->periods == steps && c->step.n == steps && c->wake.n == 0 && c->missed == 0);
  if (_i == 0) ck_assert(sim->newton.taken > 0 && sim->newton.left_most > 0.0);
  start("iltis/cosine-bump.yaml", number, step, step * steps);
  plain.out = (hk_output){.s = sim, .row = sink_row};
  plain.out.values = calloc((size_t)sim->nchannels, sizeof(double));
  plain.out.busy = NULL;
  for (int k = 0; k <= steps; k++) {
    ck_assert_int_eq(hk_sim_values(sim, plain.out.values), HK_OK);
    ck_assert_int_eq(sink_row(&plain.out, hk_sim_time(sim), plain.out.values), HK_OK);
    ck_assert_int_eq(hk_sim_step(sim), HK_OK);
  }
  free(plain.out.values);
  ck_assert_int_eq(timed.n, steps + 1);
  ck_assert_mem_eq(timed.rows, plain.rows, sizeof timed.rows[0] * (size_t)(steps + 1));
}
END_TEST

START_TEST(periods_that_are_missed) {
  static watcher w;
  w.slow_at = 5;
  start("pendulum.yaml", "0", 1e-3, 0.02);
  add_watcher(&w);
  hk_realtime_options opt = fast();
  opt.pace = HK_PACE_CLOCK, opt.overrun = _i;
  const hk_status st = hki_realtime_loop(sim, &opt, no_files(), NULL);
  const hk_realtime_count *c = sim->realtime;
  ck_assert_int_ge(c->missed, 1);
  ck_assert_int_eq(c->wake.n, c->periods);
  if (_i == HK_OVERRUN_STOP) {
    ck_assert_int_eq(st, HK_E_DIVERGED);
    ck_assert_msg(strstr(sim->message, "was missed") != NULL, "%s", sim->message);
    ck_assert_int_le(c->periods, 5);
    return;
  }
  ck_assert_int_eq(st, HK_OK);
  ck_assert_int_eq(c->periods, 20);
  // six whole periods passed during the slow one
  ck_assert_int_ge(c->skipped, _i == HK_OVERRUN_SKIP ? 6 : 0);
  if (_i != HK_OVERRUN_SKIP) ck_assert_int_eq(c->skipped, 0);
  // those that follow at once begin late: only a schedule that stays can tell
  if (_i == HK_OVERRUN_CATCH_UP) ck_assert_int_ge(c->missed, 6);
}
END_TEST

START_TEST(periods_of_several_steps) {
  start("pendulum.yaml", "0", 1e-3, 0.02);
  hk_realtime_options opt = fast();
  opt.period = 4e-3;
  ck_assert_int_eq(hki_realtime_loop(sim, &opt, no_files(), NULL), HK_OK);
  ck_assert_int_eq(sim->realtime->periods, 5);
  start("pendulum.yaml", "0", 1e-3, 0.02);
  opt.period = 2.5e-3;
  ck_assert_int_eq(hki_realtime_loop(sim, &opt, no_files(), NULL), HK_E_USAGE);
}
END_TEST

/* a program that reads, and changes parameters and inputs while it runs */
typedef struct knob {
  int32_t calls, ends_at;
  double last;
} knob;

static void turn(hk_sim *s, int32_t k) {
  if (k == 5) ck_assert_int_eq(hk_sim_parameter_set(s, hk_sim_parameter_find(s, "k"), 3.0), HK_OK);
  if (k == 8) ck_assert_int_eq(hk_sim_input_set(s, hk_sim_input_find(s, "push"), 2.0, 0), HK_OK);
}

static hk_status each(hk_sim *s, void *user) {
  knob *n = user;
  n->last = hk_sim_time(s);
  turn(s, n->calls++);
  return n->ends_at && n->calls == n->ends_at ? HK_INTERRUPTED : HK_OK;
}

static void start_cart(void) {
  static const char text[] =
      "hooke: 1\ngravity: [0, 0, 0]\nparameters: {k: 100}\n"
      "bodies: {cart: {mass: 2, com: [0, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}}\n"
      "joints: {rail: {type: prismatic, between: [ground, cart], at: [0, 0, 0], axis: x}}\n"
      "signals: {push: {input: 0}}\n"
      "forces:\n  spring: {type: joint_spring, joint: rail, stiffness: k}\n"
      "  drive: {type: joint_force, joint: rail, value: push}\n"
      "start: {rail: {position: 0.1}}\n"
      "run: {time: 0.02, step: 0.001, integrator: trapezoidal}\n";
  end_sim();
  ck_assert_int_eq(hk_model_parse(ctx, text, sizeof text - 1, "cart.yaml", NULL, 0, &model), HK_OK);
  ck_assert_int_eq(hk_sim_create(model, NULL, &sim), HK_OK);
}

START_TEST(parameters_and_inputs_while_it_runs) {
  static sink out;
  knob n = {0};
  hk_realtime_options opt = fast();
  opt.each = each, opt.user = &n;
  memset(&out, 0, sizeof out);
  start_cart();
  out.out = (hk_output){.s = sim, .row = sink_row};
  ck_assert_int_eq(hki_realtime_loop(sim, &opt, no_files(), &out.out), HK_OK);
  ck_assert_int_eq(n.calls, 20);
  ck_assert_double_eq_tol(n.last, 0.019, 1e-12);
  ck_assert_int_eq(out.n, 21);
  ck_assert_int_eq(sim->realtime->periods, 20);
  double x[64], y[64];
  ck_assert_int_le(sim->nchannels, 64);
  ck_assert_int_eq(hk_sim_values(sim, x), HK_OK);
  // the same by hand
  start_cart();
  for (int32_t k = 0; k < 20; k++) {
    turn(sim, k);
    ck_assert_int_eq(hk_sim_step(sim), HK_OK);
  }
  ck_assert_int_eq(hk_sim_values(sim, y), HK_OK);
  ck_assert_mem_eq(x, y, (size_t)sim->nchannels * sizeof *x);
  n = (knob){.ends_at = 4};
  start_cart();
  ck_assert_int_eq(hki_realtime_loop(sim, &opt, no_files(), NULL), HK_INTERRUPTED);
  ck_assert_msg(strstr(sim->message, "the program ended the run"), "%s", sim->message);
  ck_assert_int_eq(sim->realtime->periods, 4);
}
END_TEST

START_TEST(ends_before_its_end) {
  static sink out;
  volatile int stop = 1;
  hk_run_options run = hk_run_options_def();
  hk_realtime_options opt = fast();
  run.interrupt = &stop;
  start("pendulum.yaml", "0", 1e-3, 0.1);
  ck_assert_int_eq(hki_realtime_loop(sim, &opt, &run, NULL), HK_INTERRUPTED);
  memset(&out, 0, sizeof out);
  out.fails_at = 3;
  start("pendulum.yaml", "0", 1e-3, 0.1);
  out.out = (hk_output){.s = sim, .row = sink_row};
  opt.pace = HK_PACE_CLOCK;
  ck_assert_int_eq(hki_realtime_loop(sim, &opt, no_files(), &out.out), HK_E_FILE);
  ck_assert_int_eq(out.n, 3);
}
END_TEST

Suite *suite_realtime(void) {
  Suite *s = suite_create("realtime");
  TCase *c = tcase_create("loop");
  tcase_add_checked_fixture(c, set_up, tear_down);
  tcase_add_loop_test(c, same_bits_off_line_and_no_allocation, 0, 3);
  tcase_add_loop_test(c, periods_that_are_missed, 0, 4);
  tcase_add_test(c, periods_of_several_steps);
  tcase_add_test(c, parameters_and_inputs_while_it_runs);
  tcase_add_test(c, ends_before_its_end);
  suite_add_tcase(s, c);
  return s;
}
