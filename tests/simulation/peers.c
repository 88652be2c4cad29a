/* SPDX-License-Identifier: Apache-2.0
 *
 * Peers: a spring that another program computes. Tight coupling gives the motion of the whole model to
 * the tolerance of the iteration; loose and previous converge to it, previous at first order, and is
 * unstable where k h^2/m is of the order of one. Steps that events repeat are announced, and leave the
 * peer and the motion as if there had been one. A peer that fails, or gives no number, ends the run with
 * words.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runner.h"
#include "simulation/peer.h"

Suite *suite_peers(void);

/* k/m = 100 1/s^2 */
#define MASS                                                                                       \
  "hooke: 1\ngravity: [0, 0, 0]\n"                                                                 \
  "bodies: {block: {mass: 2, com: [0, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}}\n"                   \
  "joints: {rail: {type: prismatic, between: [ground, block], at: [0, 0, 0], axis: x}}\n"          \
  "start: {rail: {position: 0.1}}\n"
#define WHOLE                                                                                      \
  MASS "forces: {push: {type: joint_force, joint: rail, value: '-200*joint.rail.position'}}\n"
#define APART                                                                                      \
  MASS "forces: {push: {type: joint_force, joint: rail, value: u}}\nsignals: {u: {input: -20}}\n"

typedef struct spring {
  double k, last;
  int32_t calls[5], kept, backs, closed;
  int32_t fails_at; /* call before a step at which it fails, 0: never */
  double answer;    /* what it answers instead, 0: the force of the spring */
} spring;

static hk_status spring_exchange(void *peer, hk_hook when, double t, double h, const double *y,
                                 double *u) {
  spring *p = peer;
  (void)t, (void)h;
  p->calls[when]++;
  if (p->fails_at && p->calls[HK_HOOK_BEFORE_PREDICTION] == p->fails_at) return HK_E_FILE;
  const double f = p->answer != 0.0 ? p->answer : -p->k * y[0];
  const bool same = fabs(f - p->last) <= 1e-12 * fabs(p->k);
  u[0] = p->last = f;
  return when == HK_HOOK_AFTER_ITERATION && !same ? HK_RETRY : HK_OK;
}
static hk_status spring_keep(void *peer) { return ((spring *)peer)->kept++, HK_OK; }
static hk_status spring_back(void *peer) { return ((spring *)peer)->backs++, HK_OK; }
static const char *spring_words(void *peer) { return (void)peer, "the spring is gone"; }
static void spring_close(void *peer) { ((spring *)peer)->closed++; }

static const hk_peer_ops ops = {.name = "spring",
                                .caps = HK_PEER_REPEATS,
                                .exchange = spring_exchange,
                                .keep = spring_keep,
                                .back = spring_back,
                                .words = spring_words,
                                .close = spring_close};
static const hk_peer_ops once = {.name = "spring", .exchange = spring_exchange};

static hk_ctx *ctx;
static hk_model *model;
static hk_sim *sim;
static void set_up(void) { ctx = hk_ctx_create(); }
static void tear_down(void) {
  hk_sim_destroy(sim);
  hk_model_release(model);
  hk_ctx_destroy(ctx);
  sim = NULL, model = NULL;
}

static void start(const char *text, const char *formulation, const char *integrator, double step) {
  hk_sim_options opt = hk_sim_options_def();
  opt.formulation = formulation, opt.integrator = integrator;
  opt.step = step, opt.time = 1.0;
  hk_sim_destroy(sim), sim = NULL;
  hk_model_release(model), model = NULL;
  ck_assert_int_eq(hk_model_parse(ctx, text, strlen(text), "m.yaml", NULL, 0, &model), HK_OK);
  ck_assert_int_eq(hk_sim_create(model, &opt, &sim), HK_OK);
}

static hk_status add(const hk_peer_ops *table, spring *p, hk_peer_coupling coupling,
                     const char *channel) {
  const int32_t c = hk_sim_channel_handle(sim, channel), u = 0;
  const hk_peer_link link = {table, p, coupling, 1, 1, &c, &u};
  return hki_sim_add_peer(sim, &link);
}

static double at_end(void) {
  double x = NAN;
  while (!hk_sim_done(sim)) ck_assert_int_eq(hk_sim_step(sim), HK_OK);
  ck_assert_int_eq(hk_sim_value(sim, "joint.rail.position", &x), HK_OK);
  return x;
}

static double run(const char *f, const char *i, double step, hk_peer_coupling coupling, spring *p) {
  start(APART, f, i, step);
  *p = (spring){.k = 200.0};
  ck_assert_int_eq(add(&ops, p, coupling, "joint.rail.position"), HK_OK);
  return at_end();
}

static const char *const pairs[][2] = {{"hybrid", "trapezoidal"},
                                       {"redundant", "multistep"},
                                       {"redundant", "generalized_alpha"},
                                       {"global", "newmark"},
                                       {"recursive", "trapezoidal"}};

START_TEST(tight_is_the_whole) {
  const char *f = pairs[_i][0], *i = pairs[_i][1];
  static spring p;
  start(WHOLE, f, i, 0.01);
  const double whole = at_end(), tight = run(f, i, 0.01, HK_COUPLE_TIGHT, &p);
  ck_assert_msg(fabs(tight - whole) < 1e-9, "%s, %s: %.12g, %.12g", f, i, tight, whole);
  ck_assert_int_eq(p.calls[HK_HOOK_BEFORE_PREDICTION], 100);
  ck_assert_int_eq(p.calls[HK_HOOK_ACCEPTED], 100);
  ck_assert_int_gt(p.calls[HK_HOOK_AFTER_ITERATION], 150);
}
END_TEST

START_TEST(loose_and_previous_converge) {
  static spring p;
  const double exact = 0.1 * cos(10.0);
  for (int k = HK_COUPLE_PREVIOUS; k <= HK_COUPLE_LOOSE; k++) {
    double e[2];
    for (int i = 0; i < 2; i++)
      e[i] = run("hybrid", "trapezoidal", i ? 5e-4 : 1e-3, (hk_peer_coupling)k, &p) - exact;
    const double order = log2(fabs(e[0] / e[1]));
    ck_assert_msg(order > 0.9, "coupling %d: order %.3g, errors %.3g, %.3g", k, order, e[0], e[1]);
    ck_assert_int_eq(p.calls[HK_HOOK_AFTER_ITERATION], 0);
    ck_assert_int_eq(p.calls[HK_HOOK_AFTER_PREDICTION], k == HK_COUPLE_LOOSE ? 2000 : 0);
  }
}
END_TEST

START_TEST(previous_is_unstable_in_long_steps) {
  static spring p;
  // k h^2/m = 1 with h = 0.1 s
  ck_assert_double_gt(fabs(run("hybrid", "trapezoidal", 0.1, HK_COUPLE_PREVIOUS, &p)), 0.5);
  ck_assert_double_lt(fabs(run("hybrid", "trapezoidal", 0.1, HK_COUPLE_TIGHT, &p)), 0.11);
}
END_TEST

/* an event in the middle of a step, which bisection looks for */
START_TEST(repeated_steps_are_announced) {
  static const char event[] = "events: {hit: {when: joint.rail.position < 0.0123, set: {c: 1}}}\n"
                              "parameters: {c: 0}\n";
  char text[2048];
  static spring p;
  p = (spring){.k = 200.0};
  snprintf(text, sizeof text, "%s%s", WHOLE, event);
  start(text, "hybrid", "trapezoidal", 0.01);
  const double whole = at_end();
  snprintf(text, sizeof text, "%s%s", APART, event);
  start(text, "hybrid", "trapezoidal", 0.01);
  // a peer that cannot repeat is refused here, but not with the coupling 'previous'
  ck_assert_int_eq(add(&once, &p, HK_COUPLE_TIGHT, "joint.rail.position"), HK_E_USAGE);
  ck_assert_int_eq(add(&ops, &p, HK_COUPLE_TIGHT, "joint.rail.position"), HK_OK);
  ck_assert_double_eq_tol(at_end(), whole, 1e-8);
  ck_assert_int_gt(p.backs, 10);
  ck_assert_int_eq(p.kept, p.backs + 101); // the step with the event has two parts
  ck_assert_int_eq(p.calls[HK_HOOK_BEFORE_PREDICTION], 100);
  ck_assert_int_eq(p.calls[HK_HOOK_ACCEPTED], 100);
}
END_TEST

START_TEST(what_cannot_be_is_refused) {
  static spring p;
  p = (spring){.k = 200.0};
  start(APART, "hybrid", "sdirk", 0.01);
  ck_assert_int_eq(add(&ops, &p, HK_COUPLE_TIGHT, "joint.rail.position"), HK_E_USAGE);
  ck_assert_int_eq(add(&ops, &p, HK_COUPLE_PREVIOUS, "joint.rail.position"), HK_OK);
  start(APART, "hybrid", "trapezoidal", 0.01);
  ck_assert_int_eq(add(&ops, &p, HK_COUPLE_LOOSE, "joint.rail.force.y"), HK_E_USAGE);
  ck_assert_int_eq(add(&ops, &p, HK_COUPLE_LOOSE, "body.block.acceleration.x"), HK_OK);
  start(APART, "hybrid", "dopri5", 0.01); // the error decides on its steps
  ck_assert_int_eq(add(&ops, &p, HK_COUPLE_PREVIOUS, "joint.rail.position"), HK_E_USAGE);
}
END_TEST

START_TEST(failures_end_the_run) {
  for (int i = 0; i < 3; i++) {
    spring p = {.k = 200.0, .fails_at = i == 0 ? 11 : 0, .answer = i ? NAN : 0.0};
    hk_status st = HK_OK;
    start(APART, "hybrid", "trapezoidal", 0.01);
    ck_assert_int_eq(
        add(&ops, &p, i < 2 ? HK_COUPLE_PREVIOUS : HK_COUPLE_TIGHT, "joint.rail.position"), HK_OK);
    while (st == HK_OK && !hk_sim_done(sim)) st = hk_sim_step(sim);
    ck_assert_int_eq(st, i ? HK_E_NUMBER : HK_E_FILE);
    ck_assert_double_eq_tol(hk_sim_time(sim), i ? 0.0 : 0.1, 1e-12);
    ck_assert_msg(strstr(sim->message, i ? "not finite" : "the spring is gone") != NULL, "%s",
                  sim->message);
    hk_sim_destroy(sim), sim = NULL;
    ck_assert_int_eq(p.closed, 1);
  }
}
END_TEST

/* so many iterations and no more; what they leave is recorded, and shrinks */
START_TEST(fixed_iterations) {
  static const char *const number[] = {"1", "2", "3"};
  double left = INFINITY, error = INFINITY, x;
  char path[512];
  snprintf(path, sizeof path, "%s/examples/double-four-bar.yaml", test_source_dir());
  ck_assert_int_eq(hk_model_load(ctx, path, NULL, 0, &model), HK_OK);
  hk_sim_options opt = hk_sim_options_def();
  opt.formulation = "redundant", opt.integrator = "generalized_alpha";
  opt.step = 0.05, opt.time = 1.0;
  ck_assert_int_eq(hk_sim_create(model, &opt, &sim), HK_OK);
  while (!hk_sim_done(sim)) ck_assert_int_eq(hk_sim_step(sim), HK_OK);
  const double converged = sim->kin->frame[0].p[0];
  ck_assert(sim->newton.taken == 0);
  for (int i = 0; i < 3; i++) {
    const hk_option fixed = {"fixed_iterations", number[i]};
    hk_sim_destroy(sim), sim = NULL;
    opt.options = &fixed, opt.noptions = 1;
    ck_assert_int_eq(hk_sim_create(model, &opt, &sim), HK_OK);
    while (!hk_sim_done(sim)) {
      ck_assert_int_eq(hk_sim_step(sim), HK_OK);
      ck_assert_int_le(sim->newton.last, i + 1);
    }
    ck_assert_msg(sim->newton.taken > 0 && sim->newton.left_most < left, "%d: %d stages, %.3g", i,
                  (int)sim->newton.taken, sim->newton.left_most);
    left = sim->newton.left_most;
    x = fabs(sim->kin->frame[0].p[0] - converged);
    ck_assert_msg(x < error, "%d iterations: %.3g, before %.3g", i + 1, x, error);
    error = x;
  }
}
END_TEST

Suite *suite_peers(void) {
  Suite *s = suite_create("peers");
  TCase *c = tcase_create("spring");
  tcase_add_checked_fixture(c, set_up, tear_down);
  tcase_add_loop_test(c, tight_is_the_whole, 0, (int)(sizeof pairs / sizeof *pairs));
  tcase_add_test(c, loose_and_previous_converge);
  tcase_add_test(c, previous_is_unstable_in_long_steps);
  tcase_add_test(c, repeated_steps_are_announced);
  tcase_add_test(c, what_cannot_be_is_refused);
  tcase_add_test(c, failures_end_the_run);
  tcase_add_test(c, fixed_iterations);
  suite_add_tcase(s, c);
  return s;
}
