/* SPDX-License-Identifier: Apache-2.0
 *
 * Inputs: what a program sets between steps acts from that time on, held or along a line, in forces,
 * rates of motions, controllers and steps of every kind; a loop that is closed outside agrees with
 * the same loop inside the model to first order; nothing allocates.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hooke/hooke.h"
#include "runner.h"

Suite *suite_inputs(void);

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

static hk_status start(const char *text, const char *integrator, double step, double time) {
  hk_sim_options opt = hk_sim_options_def();
  opt.integrator = integrator;
  opt.step = step;
  opt.time = time;
  hk_status st = hk_model_parse(ctx, text, strlen(text), "m.yaml", NULL, 0, &model);
  return st == HK_OK ? hk_sim_create(model, &opt, &sim) : st;
}

static double value(const char *name) {
  double x;
  ck_assert_int_eq(hk_sim_value(sim, name, &x), HK_OK);
  return x;
}

static void steps(int n) {
  for (int i = 0; i < n; i++) ck_assert_int_eq(hk_sim_step(sim), HK_OK);
}

/* a block of 2 kg on a rail, and what moves it */
#define RAIL                                                                                       \
  "hooke: 1\ngravity: [0, 0, 0]\n"                                                                 \
  "bodies: {block: {mass: 2, com: [0, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}}\n"                   \
  "joints: {rail: {type: prismatic, between: [ground, block], at: [0, 0, 0], axis: x}}\n"
#define PUSHED RAIL "forces: {push: {type: joint_force, joint: rail, value: u}}\n"

/* --- values ----------------------------------------------------------------------------------- */

START_TEST(held_value_acts_from_its_time_on) {
  ck_assert_int_eq(start(PUSHED "signals: {u: {input: 0}}\n", "trapezoidal", 0.01, 10), HK_OK);
  ck_assert_int_eq(hk_sim_input_count(sim), 1);
  ck_assert_str_eq(hk_sim_input_name(sim, 0), "u");
  ck_assert_int_eq(hk_sim_input_find(sim, "u"), 0);
  ck_assert_int_eq(hk_sim_input_find(sim, "v"), -1);
  steps(100);
  ck_assert_double_eq(value("joint.rail.position"), 0.0);
  ck_assert_int_eq(hk_sim_input_set(sim, 0, 4.0, 1), HK_OK);
  ck_assert_double_eq(value("signal.u"), 4.0);
  ck_assert_double_eq_tol(value("body.block.acceleration.x"), 2.0, 1e-12);
  steps(100);
  // x = a t^2/2, which the trapezoidal rule finds exactly
  ck_assert_double_eq_tol(value("joint.rail.position"), 1.0, 1e-11);
  ck_assert_double_eq_tol(value("joint.rail.velocity"), 2.0, 1e-11);
  // the work of the push is booked: the audit stays closed
  ck_assert_double_eq_tol(value("energy.supplied"), 4.0, 1e-10);
  ck_assert_double_eq_tol(value("energy.balance_error"), 0.0, 1e-10);
}
END_TEST

START_TEST(without_a_jump_it_changes_within_the_step) {
  ck_assert_int_eq(start(PUSHED "signals: {u: {input: 1}}\n", "trapezoidal", 0.01, 10), HK_OK);
  steps(1);
  ck_assert_int_eq(hk_sim_input_set(sim, 0, 3.0, 0), HK_OK);
  // what is read now is that before it
  ck_assert_double_eq(hk_sim_input_get(sim, 0), 3.0);
  ck_assert_double_eq(value("signal.u"), 1.0);
  ck_assert_double_eq(value("force.push.force"), 1.0);
  ck_assert_double_eq_tol(value("joint.rail.velocity"), 0.005, 1e-15);
  steps(1);
  // accelerations from 1/2 to 3/2 over the step
  ck_assert_double_eq_tol(value("joint.rail.velocity"), 0.015, 1e-14);
  steps(1);
  ck_assert_double_eq_tol(value("joint.rail.velocity"), 0.030, 1e-14);
  // what the trapezoidal rule errs by where a force changes by 2 N and the velocity by 0.01 m/s
  ck_assert_double_eq_tol(value("energy.balance_error"), -0.01 * 2.0 * 0.01 / 12.0, 1e-12);
}
END_TEST

START_TEST(a_line_through_the_last_two) {
  const char *text = PUSHED "signals: {u: {input: {start: 1, extrapolate: linear}}}\n";
  ck_assert_int_eq(start(text, "trapezoidal", 0.01, 10), HK_OK);
  steps(10);
  ck_assert_int_eq(hk_sim_input_set(sim, 0, 2.0, 0), HK_OK);
  steps(10);
  ck_assert_double_eq_tol(hk_sim_input_get(sim, 0), 3.0, 1e-12);
  ck_assert_double_eq_tol(value("signal.u"), 3.0, 1e-12);
  // set again at the same time: the line is from the value before
  ck_assert_int_eq(hk_sim_input_set(sim, 0, 9.0, 0), HK_OK);
  ck_assert_int_eq(hk_sim_input_set(sim, 0, 2.5, 0), HK_OK);
  steps(10);
  ck_assert_double_eq_tol(hk_sim_input_get(sim, 0), 3.0, 1e-12);
  // a jump begins anew
  ck_assert_int_eq(hk_sim_input_set(sim, 0, 7.0, 1), HK_OK);
  steps(10);
  ck_assert_double_eq(hk_sim_input_get(sim, 0), 7.0);
}
END_TEST

START_TEST(several_at_once) {
  const char *text = PUSHED "signals: {a: {input: 1}, b: {input: 2}, u: a + 10*b}\n";
  const double x[2] = {3.0, 4.0};
  const int32_t order[2] = {1, 0};
  ck_assert_int_eq(start(text, "trapezoidal", 0.01, 10), HK_OK);
  ck_assert_double_eq(value("signal.u"), 21.0);
  ck_assert_int_eq(hk_sim_inputs_set(sim, 2, NULL, x, 0), HK_OK);
  steps(1);
  ck_assert_double_eq(value("signal.u"), 43.0);
  ck_assert_int_eq(hk_sim_inputs_set(sim, 2, order, x, 1), HK_OK);
  ck_assert_double_eq(value("signal.u"), 34.0);
  ck_assert_double_eq_tol(value("body.block.acceleration.x"), 17.0, 1e-11);
}
END_TEST

/* --- where inputs may stand ------------------------------------------------------------------- */

START_TEST(a_rate_follows_an_input) {
  char whole[900];
  // alone, and within an expression, whose integral is found by quadrature
  static const char *const rates[] = {"u", "2*u - u*t^0"};
  for (int k = 0; k < 2; k++) {
    snprintf(whole, sizeof whole,
             "hooke: 1\ngravity: [0, 0, 0]\n"
             "bodies: {block: {mass: 2, com: [0, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}}\n"
             "joints: {rail: {type: prismatic, between: [ground, block], at: [0, 0, 0], axis: x, "
             "motion: {velocity: \"%s\"}}}\nsignals: {u: {input: 0}}\n",
             rates[k]);
    ck_assert_int_eq(start(whole, "trapezoidal", 0.01, 10), HK_OK);
    steps(10);
    ck_assert_int_eq(hk_sim_input_set(sim, 0, 2.0, 1), HK_OK);
    ck_assert_double_eq_tol(value("joint.rail.velocity"), 2.0, 1e-12);
    steps(50);
    ck_assert_double_eq_tol(value("joint.rail.position"), 1.0, 1e-12);
    // the kinetic energy that the jump gave is supplied by the drive
    ck_assert_double_eq_tol(value("energy.balance_error"), 0.0, 1e-10);
    // a step that is taken back and repeated with another rate
    ck_assert_int_eq(hk_sim_keep(sim, 1), HK_OK);
    steps(1);
    ck_assert_int_eq(hk_sim_rollback(sim, 1), HK_OK);
    ck_assert_int_eq(hk_sim_input_set(sim, 0, -2.0, 1), HK_OK);
    steps(1);
    ck_assert_double_eq_tol(value("joint.rail.position"), 0.98, 1e-12);
    hk_sim_destroy(sim);
    hk_model_release(model);
    sim = NULL, model = NULL;
  }
}
END_TEST

/* the error of a text, which must be refused */
static const char *refusal(const char *text) {
  ck_assert_int_eq(start(text, "trapezoidal", 0.01, 1), HK_E_MODEL);
  return hk_ctx_message(ctx, 0)->text;
}

START_TEST(positions_and_nameless_inputs_are_refused) {
  ck_assert_ptr_nonnull(strstr(
      refusal(
          "hooke: 1\nbodies: {block: {mass: 2, com: [0, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}}\n"
          "joints: {rail: {type: prismatic, between: [ground, block], at: [0, 0, 0], axis: x, "
          "motion: {position: u}}}\nsignals: {u: {input: {start: 0, extrapolate: linear}}}\n"),
      "a prescribed position reads the input 'u'"));
  ck_assert_int_eq(hk_ctx_message(ctx, 0)->line, 4);
  hk_ctx_clear(ctx);
  ck_assert_ptr_nonnull(
      strstr(refusal(RAIL "forces: {p: {type: joint_force, joint: rail, value: {input: 0}}}\n"),
             "an input needs a name"));
  hk_ctx_clear(ctx);
  ck_assert_ptr_nonnull(strstr(
      refusal(PUSHED "signals: {u: {input: {start: 0, extrapolate: cubic}}}\n"), "extrapolate"));
  hk_ctx_clear(ctx);
  ck_assert_ptr_nonnull(strstr(refusal(PUSHED "signals: {u: {input: {stat: 0}}}\n"), "stat"));
}
END_TEST

START_TEST(controllers_events_and_steps_read_inputs) {
  const char *text =
      PUSHED "signals: {go: {input: 0}, h: {input: 0.01}, held: {latch: {when: \"go > 0.5\"}}, "
             "late: {delay: {of: go, time: 0.02}}, u: \"0\", round: {periodic: {of: \"go + t\", "
             "period: 1}}}\n"
             "controllers: {c: {type: sample, input: go, period: 0.03}}\n"
             "events: {end: {when: \"go > 5\", stop: true}}\n"
             "run: {time: 10, step: h}\n";
  hk_sim_options opt = hk_sim_options_def();
  ck_assert_int_eq(hk_model_parse(ctx, text, strlen(text), "m.yaml", NULL, 0, &model), HK_OK);
  ck_assert_int_eq(hk_sim_create(model, &opt, &sim), HK_OK);
  const int32_t go = hk_sim_input_find(sim, "go"), h = hk_sim_input_find(sim, "h");
  steps(1);
  ck_assert_double_eq(hk_sim_time(sim), 0.01);
  ck_assert_int_eq(hk_sim_input_set(sim, go, 1.0, 1), HK_OK);
  ck_assert_double_eq(value("signal.held"), 1.0);
  ck_assert_double_eq(value("controller.c"), 0.0);
  ck_assert_double_eq(value("signal.late"), 0.0);
  ck_assert_double_eq(value("signal.round"), 1.01);
  ck_assert_int_eq(hk_sim_step_to(sim, 0.0295), HK_OK);
  ck_assert_double_eq(value("signal.late"), 0.0);
  ck_assert_int_eq(hk_sim_step_to(sim, 0.031), HK_OK);
  ck_assert_double_eq(value("signal.late"), 1.0);
  ck_assert_double_eq(value("controller.c"), 1.0);
  // the step of the run is an input too
  ck_assert_int_eq(hk_sim_input_set(sim, h, 0.5, 0), HK_OK);
  const double t = hk_sim_time(sim);
  steps(1);
  ck_assert_double_gt(hk_sim_time(sim) - t, 0.02);
  ck_assert_int_eq(hk_sim_done(sim), 0);
  ck_assert_int_eq(hk_sim_input_set(sim, go, 6.0, 1), HK_OK);
  ck_assert_int_eq(hk_sim_done(sim), 1);
}
END_TEST

/* --- steps of controlled length --------------------------------------------------------------- */

START_TEST(free_steps_end_where_inputs_may_change) {
  static const char *const methods[] = {"dopri5", "multistep", "bdf"};
  const char *text = PUSHED "signals: {u: {input: 0}}\n";
  for (int k = 0; k < 3; k++) {
    hk_option list[] = {{"step_control", "error"}, {"rtol", "1e-9"}, {"atol", "1e-12"}};
    hk_sim_options opt = hk_sim_options_def();
    opt.integrator = methods[k];
    opt.formulation = "redundant";
    opt.options = list, opt.noptions = 3;
    opt.step = 0.1, opt.time = 10;
    ck_assert_int_eq(hk_model_parse(ctx, text, strlen(text), "m.yaml", NULL, 0, &model), HK_OK);
    hk_status st = hk_sim_create(model, &opt, &sim);
    if (st == HK_OK) {
      steps(10);
      ck_assert_int_eq(hk_sim_input_set(sim, 0, 2.0, 1), HK_OK);
      ck_assert_int_eq(hk_sim_step_to(sim, 1.55), HK_OK);
      ck_assert_double_eq(hk_sim_time(sim), 1.55);
      ck_assert_int_eq(hk_sim_input_set(sim, 0, 0.0, 1), HK_OK);
      ck_assert_int_eq(hk_sim_step_to(sim, 2.0), HK_OK);
      ck_assert_double_eq_tol(value("joint.rail.velocity"), 0.55, 1e-7);
      ck_assert_double_eq_tol(value("joint.rail.position"), 0.5 * 0.55 * 0.55 + 0.55 * 0.45, 1e-6);
    }
    hk_sim_destroy(sim);
    hk_model_release(model);
    sim = NULL, model = NULL;
    ck_assert_int_eq(st, HK_OK);
  }
}
END_TEST

/* --- a loop closed outside -------------------------------------------------------------------- */

/* largest difference of the two rotors' speeds: one controlled within the model, one from here */
static double difference(const char *integrator, double h) {
  char path[512];
  hk_sim_options opt = hk_sim_options_def();
  double worst = 0.0, sum = 0.0, y[2];
  snprintf(path, sizeof path, "%s/examples/speed-loop.yaml", test_source_dir());
  ck_assert_int_eq(hk_model_load(ctx, path, NULL, 0, &model), HK_OK);
  opt.integrator = integrator;
  opt.step = h;
  ck_assert_int_eq(hk_sim_create(model, &opt, &sim), HK_OK);
  const int32_t u = hk_sim_input_find(sim, "torque");
  const int32_t rates[2] = {hk_sim_channel_handle(sim, "joint.inside.rate"),
                            hk_sim_channel_handle(sim, "joint.outside.rate")};
  const uint64_t before = hk_ctx_allocations(ctx);
  while (!hk_sim_done(sim)) {
    ck_assert_int_eq(hk_sim_read(sim, 2, rates, y), HK_OK);
    worst = fmax(worst, fabs(y[1] - y[0]));
    const double e = 20.0 - y[1];
    ck_assert_int_eq(hk_sim_input_set(sim, u, 0.4 * e + 4.0 * sum, hk_sim_time(sim) == 0.0), HK_OK);
    sum += h * e;
    ck_assert_int_eq(hk_sim_step(sim), HK_OK);
  }
  ck_assert_uint_eq(hk_ctx_allocations(ctx), before);
  hk_sim_destroy(sim);
  hk_model_release(model);
  sim = NULL, model = NULL;
  return worst;
}

START_TEST(a_loop_closed_outside_is_of_first_order) {
  static const char *const methods[] = {"trapezoidal", "rk4", "generalized_alpha", "sdirk"};
  for (int k = 0; k < (test_few() ? 1 : 4); k++) {
    const double coarse = difference(methods[k], 1e-3), fine = difference(methods[k], 5e-4);
    ck_assert_msg(coarse < 0.5 && coarse / fine > 1.8 && coarse / fine < 2.2,
                  "%s: %g with 1 ms, %g with half", methods[k], coarse, fine);
  }
}
END_TEST

static void no_allocation(long n) {
  const char *text = PUSHED "signals: {u: {input: 0}}\n";
  ck_assert_int_eq(start(text, "trapezoidal", 1e-3, 2000), HK_OK);
  const int32_t at[2] = {hk_sim_channel_handle(sim, "joint.rail.position"),
                         hk_sim_channel_handle(sim, "joint.rail.force.x")};
  double y[2];
  const uint64_t before = hk_ctx_allocations(ctx);
  hk_status st = HK_OK;
  for (long i = 0; i < n && st == HK_OK; i++) {
    st = hk_sim_read(sim, 2, at, y);
    if (st == HK_OK) st = hk_sim_input_set(sim, 0, -y[0], i % 1000 == 0);
    if (st == HK_OK) st = hk_sim_step(sim);
  }
  ck_assert_int_eq(st, HK_OK);
  ck_assert_uint_eq(hk_ctx_allocations(ctx), before);
}

START_TEST(many_steps_without_an_allocation) {
  no_allocation(test_few() ? 2000 : test_all() ? 1000000 : 30000);
}
END_TEST

Suite *suite_inputs(void) {
  Suite *s = suite_create("inputs");
  TCase *t = tcase_create("inputs");
  tcase_add_checked_fixture(t, set_up, tear_down);
  tcase_add_test(t, held_value_acts_from_its_time_on);
  tcase_add_test(t, without_a_jump_it_changes_within_the_step);
  tcase_add_test(t, a_line_through_the_last_two);
  tcase_add_test(t, several_at_once);
  tcase_add_test(t, a_rate_follows_an_input);
  tcase_add_test(t, positions_and_nameless_inputs_are_refused);
  tcase_add_test(t, controllers_events_and_steps_read_inputs);
  tcase_add_test(t, free_steps_end_where_inputs_may_change);
  tcase_add_test(t, a_loop_closed_outside_is_of_first_order);
  tcase_add_test(t, many_steps_without_an_allocation);
  tcase_set_timeout(t, 60);
  suite_add_tcase(s, t);
  return s;
}
