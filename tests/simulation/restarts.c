/* SPDX-License-Identifier: Apache-2.0
 *
 * A run goes on from joint coordinates, poses of bodies and values of nodes that a program gives: exactly those in a tree, with
 * closed loops where there are loops, in every formulation; what cannot hold changes nothing.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>

#include "hooke/hooke.h"
#include "runner.h"

Suite *suite_restarts(void);

static const char *const formulations[] = {"hybrid",    "global",      "recursive",
                                           "redundant", "topological", "partition"};

static hk_ctx *ctx;
static hk_model *model;
static hk_sim *sim;

static void start_with(const char *name, const char *formulation, double step) {
  char path[512];
  hk_sim_options opt = hk_sim_options_def();
  opt.formulation = formulation;
  opt.integrator = "trapezoidal";
  opt.step = step, opt.time = 5.0;
  ctx = hk_ctx_create();
  snprintf(path, sizeof path, "%s/examples/%s", test_source_dir(), name);
  ck_assert_int_eq(hk_model_load(ctx, path, NULL, 0, &model), HK_OK);
  ck_assert_int_eq(hk_sim_create(model, &opt, &sim), HK_OK);
}

static void start(const char *name, const char *formulation) {
  start_with(name, formulation, 0.005);
}

static void end(void) {
  hk_sim_destroy(sim);
  hk_model_release(model);
  hk_ctx_destroy(ctx);
}

static double value(const char *name) {
  double x;
  ck_assert_int_eq(hk_sim_value(sim, name, &x), HK_OK);
  return x;
}

static void steps(int n) {
  for (int i = 0; i < n; i++) ck_assert_int_eq(hk_sim_step(sim), HK_OK);
}

START_TEST(a_tree_starts_from_given_values) {
  start("pid-arm.yaml", formulations[_i]);
  const int32_t elbow = hk_sim_joint_find(sim, "elbow"),
                shoulder = hk_sim_joint_find(sim, "shoulder");
  const double q = 0.3, v = -1.5;
  double left, rate;
  steps(20);
  ck_assert_int_eq(hk_sim_joint_get(sim, shoulder, 1, &left, &rate), HK_OK);
  const double t = hk_sim_time(sim);
  ck_assert_int_eq(hk_sim_joint_set(sim, elbow, 1, &q, &v), HK_OK);
  ck_assert_int_eq(hk_sim_restart(sim), HK_OK);
  ck_assert_double_eq(hk_sim_time(sim), t);
  ck_assert_double_eq_tol(value("joint.elbow.angle"), q, 1e-12);
  ck_assert_double_eq_tol(value("joint.elbow.rate"), v, 1e-12);
  // the others stay
  ck_assert_double_eq_tol(value("joint.shoulder.angle"), left, 1e-12);
  ck_assert_double_eq_tol(value("joint.shoulder.rate"), rate, 1e-12);
  end();
}
END_TEST

/* what the energy audit errs by over a tenth of a second behind a restart */
static double drift(const char *formulation, double step) {
  const double q = -0.1, v = 0.0;
  start_with("pid-arm.yaml", formulation, step);
  ck_assert_int_eq(hk_sim_step_to(sim, 0.1), HK_OK);
  const double before = value("energy.balance_error");
  ck_assert_int_eq(hk_sim_joint_set(sim, hk_sim_joint_find(sim, "elbow"), 1, &q, &v), HK_OK);
  ck_assert_int_eq(hk_sim_restart(sim), HK_OK);
  // the change itself is booked: the balance stays
  ck_assert_double_eq_tol(value("energy.balance_error"), before, 1e-10);
  ck_assert_int_eq(hk_sim_step_to(sim, 0.2), HK_OK);
  const double error = fabs(value("energy.balance_error") - before);
  end();
  return error;
}

START_TEST(the_audit_behind_it_is_of_second_order) {
  const double coarse = drift(formulations[_i], 0.002), fine = drift(formulations[_i], 0.001);
  ck_assert_msg(coarse / fine > 3.0 && coarse / fine < 5.0, "%s: %g with 2 ms, %g with half",
                formulations[_i], coarse, fine);
}
END_TEST

START_TEST(loops_are_closed) {
  start("spatial-four-bar.yaml", formulations[_i]);
  int32_t joint = 0;
  double q, v;
  while (hk_sim_joint_coordinates(sim, joint) != 1) joint++;
  steps(10);
  ck_assert_int_eq(hk_sim_joint_get(sim, joint, 1, &q, &v), HK_OK);
  q += 0.2, v = 0.7;
  ck_assert_int_eq(hk_sim_joint_set(sim, joint, 1, &q, &v), HK_OK);
  ck_assert_int_eq(hk_sim_restart(sim), HK_OK);
  double now, rate;
  ck_assert_int_eq(hk_sim_joint_get(sim, joint, 1, &now, &rate), HK_OK);
  ck_assert_double_eq_tol(now, q, 1e-8);
  ck_assert_double_eq_tol(rate, v, 1e-8);
  steps(20);
  hk_summary sum;
  hk_sim_summary(sim, &sum);
  ck_assert_double_lt(sum.position_max, 1e-6);
  end();
}
END_TEST

/* a free body goes where it is told, turned by 0.7 about z */
START_TEST(bodies_are_placed) {
  start("spinning-body.yaml", formulations[_i]);
  const double p[3] = {1.0, -2.0, 3.0}, v[3] = {0.1, 0.2, -0.3}, w[3] = {1.0, 2.0, 3.0};
  const double c = cos(0.7), s = sin(0.7), R[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
  double p1[3], R1[9], v1[3], w1[3];
  steps(10);
  const double before = value("energy.balance_error");
  ck_assert_int_eq(hk_sim_body_set(sim, 0, p, R, NULL, NULL), HK_OK);
  ck_assert_int_eq(hk_sim_body_set(sim, 0, NULL, NULL, v, w), HK_OK);
  ck_assert_int_eq(hk_sim_restart(sim), HK_OK);
  ck_assert_int_eq(hk_sim_body_pose(sim, 0, p1, R1), HK_OK);
  ck_assert_int_eq(hk_sim_body_twist(sim, 0, v1, w1), HK_OK);
  for (int i = 0; i < 9; i++) ck_assert_double_eq_tol(R1[i], R[i], 1e-9);
  for (int i = 0; i < 3; i++) {
    ck_assert_double_eq_tol(p1[i], p[i], 1e-9);
    ck_assert_double_eq_tol(v1[i], v[i], 1e-9);
    ck_assert_double_eq_tol(w1[i], w[i], 1e-9);
  }
  ck_assert_double_eq_tol(value("energy.balance_error"), before, 1e-10);
  steps(10);
  end();
}
END_TEST

/* of a body in a loop the joints follow; what they do not allow is refused */
START_TEST(bodies_of_loops_are_placed) {
  start("double-four-bar.yaml", formulations[_i]);
  const int32_t left = hk_sim_body_find(sim, "left");
  const double p[3] = {0.5 * sin(0.2), 0.5 * cos(0.2), 0.0}, away[3] = {3.0, 0.0, 0.0};
  double q, now[3];
  steps(5);
  ck_assert_int_eq(hk_sim_body_set(sim, left, p, NULL, NULL, NULL), HK_OK);
  ck_assert_int_eq(hk_sim_restart(sim), HK_OK);
  ck_assert_int_eq(hk_sim_joint_get(sim, hk_sim_joint_find(sim, "pin_A0"), 1, &q, NULL), HK_OK);
  ck_assert_double_eq_tol(q, -0.2, 1e-7);
  ck_assert_int_eq(hk_sim_body_pose(sim, hk_sim_body_find(sim, "right"), now, NULL), HK_OK);
  ck_assert_double_eq_tol(now[0], 2.0 + p[0], 1e-7);
  ck_assert_int_eq(hk_sim_body_set(sim, left, away, NULL, NULL, NULL), HK_OK);
  ck_assert_int_eq(hk_sim_restart(sim), HK_E_ASSEMBLY);
  ck_assert_double_eq(value("joint.pin_A0.angle"), q);
  steps(5);
  end();
}
END_TEST

START_TEST(nodes_of_networks_are_set) {
  start("hot-damper.yaml", formulations[_i]);
  const int32_t hot = hk_sim_node_find(sim, "case"), held = hk_sim_node_find(sim, "ambient");
  double T, T1, outside;
  steps(20);
  ck_assert_int_eq(hk_sim_node_get(sim, hot, &T), HK_OK);
  ck_assert_double_eq(T, value("node.case.temperature"));
  ck_assert_int_eq(hk_sim_node_set(sim, hot, T + 40.0), HK_OK);
  ck_assert_int_eq(hk_sim_restart(sim), HK_OK);
  ck_assert_int_eq(hk_sim_node_get(sim, hot, &T1), HK_OK);
  ck_assert_double_eq_tol(T1, T + 40.0, 1e-9);
  // it cools down to where it is held
  steps(200);
  ck_assert_int_eq(hk_sim_node_get(sim, hot, &T), HK_OK);
  ck_assert_int_eq(hk_sim_node_get(sim, held, &outside), HK_OK);
  ck_assert_double_lt(T, T1);
  ck_assert_double_gt(T, outside);
  ck_assert_int_eq(hk_sim_node_set(sim, held, 300.0), HK_E_USAGE);
  end();
}
END_TEST

/* the state as two arrays: what was taken out and put in gives the same motion, in a tree and in a loop */
START_TEST(arrays_are_the_state) {
  static const char *const models[] = {"pid-arm.yaml", "spatial-four-bar.yaml",
                                       "spinning-body.yaml"};
  for (int k = 0; k < 3; k++) {
    double q[40], v[40], q1[40], v1[40];
    start(models[k], formulations[_i]);
    const int32_t nq = hk_sim_coordinate_count(sim), nv = hk_sim_velocity_count(sim);
    ck_assert(nq <= 40 && nv <= 40 && hk_sim_coordinate_name(sim, nq - 1) &&
              hk_sim_velocity_name(sim, 0));
    steps(30);
    const double t = hk_sim_time(sim);
    ck_assert_int_eq(hk_sim_coordinates_get(sim, q, v), HK_OK);
    steps(30);
    ck_assert_int_eq(hk_sim_coordinates_set(sim, q, v), HK_OK);
    ck_assert_int_eq(hk_sim_coordinates_get(sim, q1, v1), HK_OK);
    for (int i = 0; i < nq; i++) ck_assert_double_eq_tol(q[i], q1[i], 1e-8);
    for (int i = 0; i < nv; i++) ck_assert_double_eq_tol(v[i], v1[i], 1e-7);
    ck_assert_double_gt(hk_sim_time(sim), t);
    // positions alone, then velocities alone
    for (int i = 0; i < nv; i++) v[i] = 0.0;
    ck_assert_int_eq(hk_sim_coordinates_set(sim, NULL, v), HK_OK);
    ck_assert_double_eq_tol(value("energy.kinetic"), 0.0, 1e-12);
    steps(3);
    end();
  }
}
END_TEST

/* a trajectory by one call has the bits of its steps, and allocates nothing */
START_TEST(trajectories_by_one_call) {
  start("pid-arm.yaml", formulations[_i]);
  double q[4] = {0.2, -0.4}, v[4] = {1.0, 0.5}, a[11][2], b[2];
  ck_assert_int_eq(hk_sim_coordinate_count(sim), 2);
  const int32_t h[2] = {hk_sim_channel_handle(sim, "joint.elbow.angle"),
                        hk_sim_channel_handle(sim, "joint.shoulder.rate")};
  ck_assert_int_eq(hk_sim_reset(sim), HK_OK);
  ck_assert_int_eq(hk_sim_coordinates_set(sim, q, v), HK_OK);
  const uint64_t before = hk_ctx_allocations(ctx);
  hk_status st = hk_sim_reset(sim);
  if (st == HK_OK) st = hk_sim_coordinates_set(sim, q, v);
  if (st == HK_OK) st = hk_sim_rollout(sim, 40, 4, NULL, 2, h, a[0]);
  ck_assert_uint_eq(hk_ctx_allocations(ctx), before);
  ck_assert_int_eq(st, HK_OK);
  ck_assert_int_eq(hk_sim_reset(sim), HK_OK);
  ck_assert_int_eq(hk_sim_coordinates_set(sim, q, v), HK_OK);
  for (int i = 0; i < 11; i++) {
    ck_assert_int_eq(hk_sim_read(sim, 2, h, b), HK_OK);
    ck_assert(b[0] == a[i][0] && b[1] == a[i][1]);
    steps(4);
  }
  end();
}
END_TEST

START_TEST(what_cannot_hold_changes_nothing) {
  start("double-four-bar.yaml", "hybrid");
  steps(10);
  const double e = value("energy.total"), t = hk_sim_time(sim);
  // two joints of one loop that contradict each other
  for (int32_t j = 0; j < hk_sim_joint_count(sim); j++) {
    const double q = 1.0 + 2.0 * j;
    if (hk_sim_joint_coordinates(sim, j) == 1)
      ck_assert_int_eq(hk_sim_joint_set(sim, j, 1, &q, NULL), HK_OK);
  }
  ck_assert_int_eq(hk_sim_restart(sim), HK_E_ASSEMBLY);
  ck_assert_double_eq(hk_sim_time(sim), t);
  ck_assert_double_eq(value("energy.total"), e);
  // the values are forgotten: nothing is given, and nothing moves
  ck_assert_int_eq(hk_sim_restart(sim), HK_OK);
  ck_assert_double_eq_tol(value("energy.total"), e, 1e-9);
  steps(5);
  end();
}
END_TEST

/* a flag ends a start and a step, which can be begun again as if nothing had been */
START_TEST(a_flag_stops_starts_and_steps) {
  volatile int flag = 0;
  hk_sim *other = NULL;
  hk_check_report *report = NULL;
  start("double-four-bar.yaml", formulations[_i]);
  steps(5);
  ck_assert_int_eq(hk_sim_clone(sim, NULL, &other), HK_OK);
  const double t = hk_sim_time(sim);
  hk_ctx_stop_on(ctx, &flag);
  flag = 1;
  ck_assert_int_eq(hk_sim_step(sim), HK_INTERRUPTED);
  ck_assert_double_eq(hk_sim_time(sim), t);
  hk_sim *third = NULL;
  ck_assert_int_eq(hk_sim_create(model, NULL, &third), HK_INTERRUPTED);
  ck_assert_ptr_null(third);
  ck_assert_int_eq(hk_check(model, &report), HK_INTERRUPTED);
  ck_assert_ptr_null(report);
  flag = 0;
  ck_assert_int_eq(hk_check(model, &report), HK_OK);
  hk_check_free(model, report);
  double a, b;
  steps(5);
  for (int i = 0; i < 5; i++) ck_assert_int_eq(hk_sim_step(other), HK_OK);
  ck_assert_int_eq(hk_sim_value(other, "energy.kinetic", &a), HK_OK);
  ck_assert_int_eq(hk_sim_value(sim, "energy.kinetic", &b), HK_OK);
  ck_assert_double_eq(a, b);
  hk_sim_destroy(other);
  end();
}
END_TEST

Suite *suite_restarts(void) {
  Suite *s = suite_create("restarts");
  TCase *t = tcase_create("restarts");
  tcase_add_loop_test(t, a_tree_starts_from_given_values, 0, test_few() ? 3 : 6);
  tcase_add_loop_test(t, the_audit_behind_it_is_of_second_order, test_few() ? 3 : 0, 6);
  tcase_add_loop_test(t, loops_are_closed, 0, test_few() ? 3 : 6);
  tcase_add_loop_test(t, bodies_are_placed, test_few() ? 3 : 0, 6);
  tcase_add_loop_test(t, bodies_of_loops_are_placed, 0, test_few() ? 3 : 6);
  tcase_add_loop_test(t, nodes_of_networks_are_set, test_few() ? 3 : 0, 6);
  tcase_add_loop_test(t, arrays_are_the_state, 0, test_few() ? 3 : 6);
  tcase_add_loop_test(t, trajectories_by_one_call, test_few() ? 3 : 0, 6);
  tcase_add_loop_test(t, a_flag_stops_starts_and_steps, 0, test_few() ? 3 : 6);
  tcase_add_test(t, what_cannot_hold_changes_nothing);
  tcase_set_timeout(t, 60);
  suite_add_tcase(s, t);
  return s;
}
