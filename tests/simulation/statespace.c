/* SPDX-License-Identifier: Apache-2.0
 *
 * Linear equations about a state: A, B, C, D against closed forms with networks, loops and steady
 * motion; shapes and shares of bodies; the simulation stays as it was.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hooke/hooke.h"
#include "runner.h"

Suite *suite_statespace(void);

static hk_ctx *ctx;
static hk_model *model;
static hk_sim *sim;
static hk_statespace *lin;

static void set_up(void) { ctx = hk_ctx_create(); }
static void tear_down(void) {
  hk_statespace_destroy(lin);
  hk_sim_destroy(sim);
  hk_model_release(model);
  hk_ctx_destroy(ctx);
  lin = NULL, sim = NULL, model = NULL;
}

static void start(const char *text, const char *formulation) {
  hk_sim_options opt = hk_sim_options_def();
  opt.formulation = formulation;
  opt.step = 1e-3;
  opt.time = 1.0;
  ck_assert_int_eq(hk_model_parse(ctx, text, strlen(text), "m.yaml", NULL, 0, &model), HK_OK);
  ck_assert_int_eq(hk_sim_create(model, &opt, &sim), HK_OK);
}

static void linearise(int32_t ny, const char *const *outputs) {
  hk_statespace_options opt = hk_statespace_options_def();
  opt.outputs = outputs, opt.noutputs = ny;
  ck_assert_int_eq(hk_statespace_create(sim, &opt, &lin), HK_OK);
}

/* rows of a matrix against what it should be */
static void expect(char which, int32_t rows, int32_t cols, const double *should, double tol) {
  double M[100];
  ck_assert_int_eq(hk_statespace_matrix(lin, which, M, cols), HK_OK);
  for (int32_t i = 0; i < rows * cols; i++)
    ck_assert_msg(fabs(M[i] - should[i]) < tol * fmax(1.0, fabs(should[i])),
                  "%c entry %d: %.15g, not %.15g", which, (int)i, M[i], should[i]);
}

/* a motor with inductance turns a wheel against a spring: L i' = u - R i - k w, J w' = k i - c a */
#define MOTOR                                                                                      \
  "hooke: 1\nbodies: {wheel: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 0.5]}}\n"                   \
  "joints: {shaft: {type: revolute, between: [ground, wheel], at: [0, 0, 0], axis: z}}\n"          \
  "signals: {u: {input: 0}}\n"                                                                     \
  "nodes: {plus: {type: electric}, inner: {type: electric}, minus: {type: electric, value: 0}}\n"  \
  "network:\n"                                                                                     \
  "  supply: {type: voltage_source, between: [plus, minus], value: u}\n"                           \
  "  coil: {type: inductor, between: [plus, inner], inductance: 0.1}\n"                            \
  "  motor: {type: dc_motor, between: [inner, minus], joint: shaft, constant: 2, resistance: 4}\n" \
  "forces: {spring: {type: joint_spring, joint: shaft, stiffness: 8}}\n"

static const char *const formulations[] = {"hybrid", "topological", "recursive",
                                           "global", "partition",   "redundant"};

START_TEST(a_motor_with_a_coil) {
  static const char *const outputs[] = {"joint.shaft.angle", "signal.u"};
  // states: angle, rate, current of the coil
  static const double A[9] = {0, 1, 0, -16, 0, 4, 0, -20, -40}, B[3] = {0, 0, 10};
  static const double C[6] = {1, 0, 0, 0, 0, 0}, D[2] = {0, 1};
  start(MOTOR, formulations[_i]);
  linearise(2, outputs);
  ck_assert_int_eq(hk_statespace_states(lin), 3);
  ck_assert_int_eq(hk_statespace_positions(lin), 1);
  ck_assert_int_eq(hk_statespace_velocities(lin), 1);
  ck_assert_int_eq(hk_statespace_inputs(lin), 1);
  ck_assert_int_eq(hk_statespace_outputs(lin), 2);
  ck_assert_str_eq(hk_statespace_state_name(lin, 0), "joint.shaft.angle");
  ck_assert_str_eq(hk_statespace_state_name(lin, 1), "joint.shaft.rate");
  ck_assert_str_eq(hk_statespace_output_name(lin, 1), "signal.u");
  expect('A', 3, 3, A, 1e-9);
  expect('B', 3, 1, B, 1e-9);
  expect('C', 2, 3, C, 1e-9);
  expect('D', 2, 1, D, 1e-9);
  ck_assert_double_lt(hk_statespace_acceleration(lin, NULL), 1e-12);
  ck_assert_double_lt(hk_statespace_roughness(lin, NULL), 1e-6);
}
END_TEST

/* two masses on springs in a row: w^2 = 1 and 3, in step and against each other */
#define CHAIN                                                                                      \
  "hooke: 1\nbodies:\n"                                                                            \
  "  a: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}\n"                                           \
  "  b: {mass: 1, com: [1, 0, 0], inertia: [1, 1, 1]}\n"                                           \
  "joints:\n"                                                                                      \
  "  x: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: x}\n"                         \
  "  y: {type: prismatic, between: [ground, b], at: [1, 0, 0], axis: x}\n"                         \
  "forces:\n"                                                                                      \
  "  l: {type: joint_spring, joint: x, stiffness: 1}\n"                                            \
  "  r: {type: joint_spring, joint: y, stiffness: 1}\n"                                            \
  "  m: {type: spring_damper, between: [a, b], ends: [[0, 0, 0], [1, 0, 0]], stiffness: 1}\n"

START_TEST(shapes_of_two_masses) {
  int32_t n;
  double re[4], im[4], a[2][6], b[2][6], share[2];
  start(CHAIN, formulations[_i]);
  linearise(0, NULL);
  ck_assert_int_eq(hk_statespace_find_modes(lin, &n), HK_OK);
  ck_assert_int_eq(n, 2);
  for (int32_t k = 0; k < 2; k++) {
    hk_mode mode = {.size = sizeof mode};
    ck_assert_int_eq(hk_statespace_mode(lin, k, &mode), HK_OK);
    ck_assert_double_eq_tol(mode.imag, k ? sqrt(3.0) : 1.0, 1e-9);
    ck_assert_double_eq_tol(mode.damping, 0.0, 1e-9);
    ck_assert_double_eq_tol(mode.share, 0.5, 1e-9);
    ck_assert_int_eq(hk_statespace_shape(lin, k, re, im), HK_OK);
    // velocities are lambda times positions
    ck_assert_double_eq_tol(hypot(re[2], im[2]), mode.imag * hypot(re[0], im[0]), 1e-9);
    ck_assert_int_eq(hk_statespace_body(lin, k, 0, a[0], a[1], &share[0]), HK_OK);
    ck_assert_int_eq(hk_statespace_body(lin, k, 1, b[0], b[1], &share[1]), HK_OK);
    for (int p = 0; p < 2; p++) ck_assert_double_eq_tol(a[p][0], k ? -b[p][0] : b[p][0], 1e-9);
    ck_assert_double_eq_tol(share[0] + share[1], 1.0, 1e-12);
  }
}
END_TEST

START_TEST(the_simulation_stays_as_it_was) {
  start(MOTOR, "hybrid");
  ck_assert_int_eq(hk_sim_input_set(sim, 0, 3.0, 1), HK_OK);
  for (int i = 0; i < 20; i++) ck_assert_int_eq(hk_sim_step(sim), HK_OK);
  const size_t size = hk_sim_state_size(sim);
  unsigned char *before = malloc(size), *after = malloc(size);
  ck_assert_int_eq(hk_sim_state_get(sim, before, size), HK_OK);
  linearise(0, NULL);
  ck_assert_int_eq(hk_sim_state_get(sim, after, size), HK_OK);
  ck_assert_int_eq(memcmp(before, after, size), 0);
  free(before);
  free(after);
}
END_TEST

START_TEST(an_unknown_channel_is_refused) {
  static const char *const wrong[] = {"joint.shaft.nothing"};
  hk_statespace_options opt = hk_statespace_options_def();
  start(MOTOR, NULL);
  opt.outputs = wrong, opt.noutputs = 1;
  ck_assert_int_eq(hk_statespace_create(sim, &opt, &lin), HK_E_USAGE);
  ck_assert_ptr_null(lin);
}
END_TEST

Suite *suite_statespace(void) {
  Suite *s = suite_create("statespace");
  TCase *t = tcase_create("statespace");
  tcase_add_checked_fixture(t, set_up, tear_down);
  tcase_add_loop_test(t, a_motor_with_a_coil, 0, test_few() ? 1 : 6);
  tcase_add_loop_test(t, shapes_of_two_masses, 0, test_few() ? 1 : 6);
  tcase_add_test(t, the_simulation_stays_as_it_was);
  tcase_add_test(t, an_unknown_channel_is_refused);
  suite_add_tcase(s, t);
  return s;
}
