/* SPDX-License-Identifier: Apache-2.0
 *
 * Batches: a world has the same bits alone, among others, in any lane, on any thread, in vectors of any width; a world that
 * fails stays where it was and disturbs nobody; a compiled program and the library agree; without a compiler the library
 * takes the steps. Cases in lanes need the kernel that programs are made from, which a build without clang has not: then it is
 * the library that is tried, and its reason.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hooke/hooke.h"
#include "runner.h"

Suite *suite_batch(void);

/* an iteration, a branch (the wall), an input, sines, and outputs that no program has (reactions) */
static const char cart[] =
    "hooke: 1\n"
    "parameters: {M: 2, m: 0.5, L: 0.4, k: 60}\n"
    "gravity: [0, 0, -9.81]\n"
    "signals: {u: {input: 0.25}}\n"
    "bodies:\n"
    "  cart: {mass: M, com: [0, 0, 0]}\n"
    "  bob: {mass: m, com: [0, 0, -L], inertia: [1e-3, 1e-3, 1e-3]}\n"
    "joints:\n"
    "  rail: {type: prismatic, between: [ground, cart], axis: [1, 0, 0], at: [0, 0, 0]}\n"
    "  pin: {type: revolute, between: [cart, bob], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "forces:\n"
    "  push: {type: joint_force, joint: rail, value: u}\n"
    "  back: {type: joint_spring, joint: rail, stiffness: k, damping: 0.5}\n"
    "  wall: {type: joint_spring, joint: rail, spring: {double_linear: {stiffness: 20, beyond: "
    "900, from: -0.01, to: 0.01}}}\n"
    "record: [joint.pin.angle, joint.rail.position, energy.total]\n"
    "start: {pin: {angle: 0.3}}\n"
    "run: {time: 1, step: 0.01, formulation: hybrid, integrator: trapezoidal}\n";

enum { STEPS = 60, N = 4 }; /* N: coordinates and velocities of the cart */

static hk_ctx *ctx;
static hk_model *model;
static char home[64];
static bool lanes; /* programs can be made */

/* one folder of compiled programs for all cases */
static void begin(void) {
  char kernel[600];
  strcpy(home, "/tmp/hooke-batch-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(home));
  setenv("HOOKE_CACHE", home, 1);
  unsetenv("HOOKE_CC");
  snprintf(kernel, sizeof kernel, "%s/build/release/hooke-kernel.wasm", test_source_dir());
  if (!getenv("HOOKE_KERNEL") && access(kernel, R_OK) == 0) setenv("HOOKE_KERNEL", kernel, 1);
  lanes = getenv("HOOKE_KERNEL") != NULL;
}

static void end(void) {
  char command[100];
  snprintf(command, sizeof command, "rm -rf %s", home);
  ck_assert_int_eq(system(command), 0);
}

static void set_up(void) {
  ctx = hk_ctx_create();
  ck_assert_int_eq(hk_model_parse(ctx, cart, strlen(cart), "cart", NULL, 0, &model), HK_OK);
}

static void tear_down(void) {
  hk_model_release(model);
  hk_ctx_destroy(ctx);
}

static hk_batch *make(int32_t worlds, int32_t threads, int32_t way, int32_t width,
                      hk_batch_about *about) {
  hk_batch_options opt = hk_batch_options_def();
  hk_batch *b = NULL;
  opt.worlds = worlds, opt.threads = threads, opt.way = way, opt.width = width;
  about->size = sizeof *about;
  const hk_status st = hk_batch_create(ctx, model, &opt, &b);
  const int32_t said = hk_ctx_message_count(ctx);
  ck_assert_msg(st == HK_OK, "%s", said ? hk_ctx_message(ctx, said - 1)->text : "");
  ck_assert_int_eq(hk_batch_info(b, about), HK_OK);
  return b;
}

/* worlds that differ, counted from `first` */
static void place(hk_batch *b, int32_t worlds, int32_t first) {
  double *x = calloc((size_t)worlds * N, sizeof *x), *u = calloc((size_t)worlds, sizeof *u);
  for (int32_t i = 0; i < worlds; i++) {
    const double r = sin(1.0 + first + i);
    x[N * i] = 0.01 * r, x[N * i + 1] = 0.3 * r;
    x[N * i + 2] = 0.1, x[N * i + 3] = 2.0 * sin(3.0 * (first + i));
    u[i] = 5.0 * r;
  }
  ck_assert_int_eq(hk_batch_set(b, HK_BATCH_INPUTS, worlds, NULL, u, 0), HK_OK);
  ck_assert_int_eq(hk_batch_set(b, HK_BATCH_COORDINATES, worlds, NULL, x, 0), HK_OK);
  free(x), free(u);
}

/* the outputs along the way of all worlds, counted from `first` */
static double *go(hk_batch *b, int32_t worlds, int32_t first, size_t *row) {
  hk_batch_about a = {.size = sizeof a};
  ck_assert_int_eq(hk_batch_info(b, &a), HK_OK);
  *row = (STEPS / 10 + 1) * (size_t)a.outputs;
  double *y = calloc((size_t)worlds * *row, sizeof *y);
  ck_assert_int_eq(hk_batch_reset(b, worlds, NULL), HK_OK);
  place(b, worlds, first);
  ck_assert_int_eq(hk_batch_rollout(b, STEPS, 10, NULL, 0, y), HK_OK);
  for (int32_t i = 0; i < worlds; i++) ck_assert_int_eq(hk_batch_status(b)[i], HK_OK);
  return y;
}

static double *trajectory(int32_t worlds, int32_t threads, int32_t way, int32_t width,
                          size_t *row) {
  hk_batch_about a;
  hk_batch *b = make(worlds, threads, way, width, &a);
  if (way == HK_BATCH_LANES) ck_assert_int_eq(a.width, width);
  double *y = go(b, worlds, 0, row);
  hk_batch_destroy(b);
  return y;
}

static void expect_alone(int32_t worlds, int32_t threads, int32_t way, int32_t width) {
  size_t row;
  hk_batch_about a;
  double *all = trajectory(worlds, threads, way, width, &row);
  hk_batch *alone = make(1, 1, way, way == HK_BATCH_LANES ? 2 : 0, &a);
  for (int32_t i = 0; i<worlds; i += worlds> 20 ? 19 : 1) {
    double *one = go(alone, 1, i, &row);
    ck_assert_mem_eq(one, all + (size_t)i * row, row * sizeof *one);
    free(one);
  }
  hk_batch_destroy(alone);
  free(all);
}

START_TEST(same_bits) {
  const int32_t way = lanes ? HK_BATCH_LANES : HK_BATCH_LIBRARY;
  hk_batch_about a;
  hk_batch_destroy(make(1, 1, HK_BATCH_ANY, 0, &a));
  ck_assert_int_eq(a.way, way);
  for (int32_t width = 2; width <= a.width; width *= 2) {
    expect_alone(3, 1, way, width);
    expect_alone(17, 2, way, width);
  }
  if (!test_short()) expect_alone(1000, 2, way, a.width == 1 ? 0 : a.width);
  expect_alone(3, 2, HK_BATCH_LIBRARY, 0);
}
END_TEST

/* Worlds in all orientations: rotations have branches by their size and by the largest number of a quaternion, and lanes of one
 * block take different ways. */
static void turn(hk_batch *b, int32_t worlds, int32_t first) {
  enum { SIZE = 13 };
  double *x = calloc((size_t)worlds * SIZE, sizeof *x);
  ck_assert_int_eq(hk_batch_get(b, HK_BATCH_COORDINATES, worlds, NULL, x), HK_OK);
  for (int32_t i = 0; i < worlds; i++) {
    double *of = x + i * SIZE;
    for (int k = 0; k < 7; k++) of[k] = sin(1.0 + 2.7 * k + 0.9 * (first + i));
    for (int k = 7; k < SIZE; k++) of[k] = (first + i) % 3 ? 40.0 * sin(3.1 * k + first + i) : 0.0;
  }
  ck_assert_int_eq(hk_batch_set(b, HK_BATCH_COORDINATES, worlds, NULL, x, 0), HK_OK);
  free(x);
}

static hk_batch *make_turning(hk_model *m, int32_t worlds, size_t *n) {
  hk_batch_options opt = hk_batch_options_def();
  hk_batch_about a = {.size = sizeof a};
  hk_batch *b = NULL;
  opt.worlds = worlds, opt.threads = 1;
  ck_assert_int_eq(hk_batch_create(ctx, m, &opt, &b), HK_OK);
  ck_assert_int_eq(hk_batch_info(b, &a), HK_OK);
  ck_assert_int_eq(a.way, lanes ? HK_BATCH_LANES : HK_BATCH_LIBRARY);
  ck_assert_int_eq(a.coordinates + a.velocities, 13);
  *n = (size_t)a.outputs;
  return b;
}

static void turned(hk_batch *b, int32_t worlds, int32_t first, double *y) {
  ck_assert_int_eq(hk_batch_reset(b, worlds, NULL), HK_OK);
  turn(b, worlds, first);
  ck_assert_int_eq(hk_batch_step(b, 25), HK_OK);
  ck_assert_int_eq(hk_batch_get(b, HK_BATCH_OUTPUTS, worlds, NULL, y), HK_OK);
  for (int32_t i = 0; i < worlds; i++) ck_assert_int_eq(hk_batch_status(b)[i], HK_OK);
}

START_TEST(ways_differ) {
  enum { WORLDS = 16 };
  char path[600];
  hk_model *m = NULL;
  size_t n;
  snprintf(path, sizeof path, "%s/examples/spinning-body.yaml", test_source_dir());
  ck_assert_int_eq(hk_model_load(ctx, path, NULL, 0, &m), HK_OK);
  hk_batch *b = make_turning(m, WORLDS, &n), *alone = make_turning(m, 1, &n);
  double *all = calloc(WORLDS * n, sizeof *all), *one = calloc(n, sizeof *one);
  turned(b, WORLDS, 0, all);
  for (int32_t i = 0; i < WORLDS; i++) {
    turned(alone, 1, i, one);
    ck_assert_mem_eq(one, all + (size_t)i * n, n * sizeof *one);
  }
  free(all), free(one);
  hk_batch_destroy(b), hk_batch_destroy(alone);
  hk_model_release(m);
}
END_TEST

START_TEST(program_and_library_agree) {
  size_t row;
  double *a = trajectory(5, 2, HK_BATCH_ANY, 0, &row),
         *b = trajectory(5, 1, HK_BATCH_LIBRARY, 0, &row);
  double largest = 0.0;
  for (size_t i = 0; i < 5 * row; i++) {
    largest = fmax(largest, fabs(a[i] - b[i]));
    ck_assert_double_eq_tol(a[i], b[i], 1e-9 * (1.0 + fabs(b[i])));
  }
  ck_assert(isfinite(largest));
  // they differ from world to world: the comparison has something to compare
  ck_assert(fabs(a[row - 3] - a[2 * row - 3]) > 1e-3);
  free(a), free(b);
}
END_TEST

/* a batch and a simulation with the same inputs */
START_TEST(like_a_simulation) {
  hk_batch_about a;
  hk_batch *b = make(2, 1, HK_BATCH_ANY, 0, &a);
  hk_sim *s = NULL;
  double inputs[STEPS], y[2][STEPS / 10 + 1][3], x[3][STEPS / 10 + 1];
  int32_t handles[3];
  for (int k = 0; k < STEPS; k++) inputs[k] = 8.0 * sin(0.1 * k);
  ck_assert_int_eq(hk_batch_rollout(b, STEPS, 10, inputs, 1, &y[0][0][0]), HK_OK);
  ck_assert_int_eq(hk_sim_create(model, NULL, &s), HK_OK);
  for (int k = 0; k < 3; k++)
    handles[k] = hk_sim_channel_handle(s, hk_batch_name(b, HK_BATCH_OUTPUTS, k));
  ck_assert_int_eq(hk_sim_rollout(s, STEPS, 10, inputs, 3, handles, &x[0][0]), HK_OK);
  for (int k = 0; k < 3 * (STEPS / 10 + 1); k++) {
    ck_assert_double_eq_tol((&y[0][0][0])[k], (&x[0][0])[k], 1e-9);
    ck_assert_double_eq((&y[0][0][0])[k], (&y[1][0][0])[k]);
  }
  // the same iterations
  hk_summary sum = {0};
  hk_sim_summary(s, &sum);
  ck_assert_int_eq(hk_batch_iterations(b, 0), sum.iterations);
  hk_sim_destroy(s);
  hk_batch_destroy(b);
}
END_TEST

static void failing(int32_t way) {
  enum { WORLDS = 11, BAD = 5 };
  hk_batch_about a;
  hk_batch *b = make(WORLDS, 2, way, 0, &a), *good = make(WORLDS, 2, way, 0, &a);
  const size_t n = (size_t)(STEPS + 1) * (size_t)a.outputs;
  double *y = calloc(WORLDS * n, sizeof *y), *z = calloc(WORLDS * n, sizeof *z);
  double before[N], after[N], time, force = 1e300;
  const int32_t bad = BAD;
  place(b, WORLDS, 0), place(good, WORLDS, 0);
  ck_assert_int_eq(hk_batch_step(b, 3), HK_OK);
  ck_assert_int_eq(hk_batch_step(good, 3), HK_OK);
  ck_assert_int_eq(hk_batch_set(b, HK_BATCH_INPUTS, 1, &bad, &force, 0), HK_OK);
  ck_assert_int_eq(hk_batch_get(b, HK_BATCH_COORDINATES, 1, &bad, before), HK_OK);
  ck_assert_int_eq(hk_batch_rollout(b, STEPS, 1, NULL, 0, y), HK_OK);
  ck_assert_int_eq(hk_batch_rollout(good, STEPS, 1, NULL, 0, z), HK_OK);
  for (int32_t i = 0; i < WORLDS; i++) {
    ck_assert((hk_batch_status(b)[i] != HK_OK) == (i == BAD));
    if (i != BAD) ck_assert_mem_eq(y + (size_t)i * n, z + (size_t)i * n, n * sizeof *y);
  }
  // it has numbers up to where it failed, and stays there
  double *of = y + BAD * n;
  ck_assert(isfinite(of[0]) && isnan(of[n - 1]));
  ck_assert_int_eq(hk_batch_get(b, HK_BATCH_COORDINATES, 1, &bad, after), HK_OK);
  for (int k = 0; k < N; k++) ck_assert(isfinite(after[k]));
  ck_assert_int_eq(hk_batch_get(b, HK_BATCH_TIME, 1, &bad, &time), HK_OK);
  ck_assert_int_eq(hk_batch_step(b, 2), HK_OK);
  double later;
  ck_assert_int_eq(hk_batch_get(b, HK_BATCH_TIME, 1, &bad, &later), HK_OK);
  ck_assert_double_eq(time, later);
  // well again
  ck_assert_int_eq(hk_batch_reset(b, 1, &bad), HK_OK);
  ck_assert_int_eq(hk_batch_status(b)[BAD], HK_OK);
  ck_assert_int_eq(hk_batch_step(b, 2), HK_OK);
  ck_assert_int_eq(hk_batch_get(b, HK_BATCH_TIME, 1, &bad, &later), HK_OK);
  ck_assert_double_eq_tol(later, 0.02, 1e-15);
  free(y), free(z);
  hk_batch_destroy(b), hk_batch_destroy(good);
}

START_TEST(failed_worlds_stay) {
  failing(HK_BATCH_ANY);
  failing(HK_BATCH_LIBRARY);
}
END_TEST

static void states(int32_t way) {
  hk_batch_about a;
  hk_batch *b = make(6, 2, way, 0, &a);
  const int32_t from = 1, to[] = {4, 0};
  double *x = calloc((size_t)a.states, sizeof *x), y[6][3], out[2];
  place(b, 6, 0);
  ck_assert_int_eq(hk_batch_step(b, 20), HK_OK);
  ck_assert_int_eq(hk_batch_get(b, HK_BATCH_STATE, 1, &from, x), HK_OK);
  ck_assert_int_eq(hk_batch_set(b, HK_BATCH_STATE, 2, to, x, 1), HK_OK);
  ck_assert_int_eq(hk_batch_step(b, 20), HK_OK);
  ck_assert_int_eq(hk_batch_get(b, HK_BATCH_OUTPUTS, 6, NULL, &y[0][0]), HK_OK);
  ck_assert_mem_eq(y[1], y[4], sizeof y[1]);
  ck_assert_mem_eq(y[1], y[0], sizeof y[1]);
  ck_assert_mem_ne(y[1], y[2], sizeof y[1]);
  ck_assert_int_eq(hk_batch_get(b, HK_BATCH_INPUTS, 2, to, out), HK_OK);
  ck_assert_double_eq(out[0], 5.0 * sin(2.0));
  // a state of something else
  x[0] = NAN;
  ck_assert_int_eq(hk_batch_set(b, HK_BATCH_STATE, 1, NULL, x, 0), HK_E_USAGE);
  free(x);
  hk_batch_destroy(b);
}

START_TEST(states_are_taken_over) {
  states(HK_BATCH_ANY);
  states(HK_BATCH_LIBRARY);
}
END_TEST

/* worlds go on from where a simulation is */
static void put(int32_t way) {
  hk_batch_about a;
  hk_batch *b = make(3, 1, way, 0, &a);
  hk_sim *s = NULL;
  const int32_t two[] = {2, 0};
  double y[3][3], want[3];
  char blob[20000];
  ck_assert_int_eq(hk_sim_create(model, NULL, &s), HK_OK);
  ck_assert_uint_le(hk_sim_state_size(s), sizeof blob);
  for (int k = 0; k < 20; k++) {
    ck_assert_int_eq(hk_sim_input_set(s, 0, 0.2 * k, 0), HK_OK);
    ck_assert_int_eq(hk_sim_step(s), HK_OK);
  }
  ck_assert_int_eq(hk_sim_state_get(s, blob, hk_sim_state_size(s)), HK_OK);
  ck_assert_int_eq(hk_batch_put(b, 2, two, blob, hk_sim_state_size(s)), HK_OK);
  ck_assert_int_eq(hk_batch_step(b, 20), HK_OK);
  for (int k = 0; k < 20; k++) ck_assert_int_eq(hk_sim_step(s), HK_OK);
  ck_assert_int_eq(hk_sim_values(s, want), HK_OK);
  ck_assert_int_eq(hk_batch_get(b, HK_BATCH_OUTPUTS, 3, NULL, &y[0][0]), HK_OK);
  for (int k = 0; k < 3; k++) ck_assert_double_eq_tol(y[0][k], want[k], 1e-9);
  ck_assert_mem_eq(y[0], y[2], sizeof y[0]);
  ck_assert_mem_ne(y[0], y[1], sizeof y[0]);
  blob[sizeof(double) * 40] ^= 1; // damaged
  ck_assert_int_eq(hk_batch_put(b, 2, two, blob, hk_sim_state_size(s)), HK_E_USAGE);
  hk_sim_destroy(s);
  hk_batch_destroy(b);
}

START_TEST(states_of_simulations) {
  put(HK_BATCH_ANY);
  put(HK_BATCH_LIBRARY);
}
END_TEST

/* channels that a program has not come from the library */
START_TEST(reactions) {
  const char *const names[] = {"joint.pin.force.z", "joint.pin.angle"};
  hk_batch_options opt = hk_batch_options_def();
  hk_batch *b[2] = {NULL, NULL};
  double y[2][3][4][2];
  opt.worlds = 3, opt.outputs = names, opt.noutputs = 2, opt.threads = 2;
  for (int i = 0; i < 2; i++) {
    opt.way = i ? HK_BATCH_LIBRARY : HK_BATCH_ANY;
    ck_assert_int_eq(hk_batch_create(ctx, model, &opt, &b[i]), HK_OK);
    place(b[i], 3, 0);
    ck_assert_int_eq(hk_batch_rollout(b[i], 30, 10, NULL, 0, &y[i][0][0][0]), HK_OK);
    hk_batch_destroy(b[i]);
  }
  for (int k = 0; k < 24; k++)
    ck_assert_double_eq_tol((&y[0][0][0][0])[k], (&y[1][0][0][0])[k], 1e-8);
  ck_assert(fabs(y[0][1][2][0]) > 1.0);
}
END_TEST

static void parameters(int32_t way) {
  const char *const names[] = {"k"};
  const double k[] = {60.0, 30.0, 600.0};
  const int32_t one = 1;
  hk_batch_options opt = hk_batch_options_def();
  hk_batch *b = NULL;
  hk_model *soft = NULL;
  hk_sim *s = NULL;
  const hk_set set = {"k", "30"};
  double got[3], y[3][3], want[3];
  hk_batch_about about = {.size = sizeof about};
  opt.worlds = 3, opt.parameters = names, opt.nparameters = 1, opt.threads = 2, opt.way = way;
  ck_assert_int_eq(hk_batch_create(ctx, model, &opt, &b), HK_OK);
  ck_assert_int_eq(hk_batch_info(b, &about), HK_OK);
  ck_assert_int_eq(about.way, way == HK_BATCH_ANY && lanes ? HK_BATCH_LANES : HK_BATCH_LIBRARY);
  ck_assert_int_eq(hk_batch_set(b, HK_BATCH_PARAMETERS, 3, NULL, k, 0), HK_OK);
  ck_assert_int_eq(hk_batch_reset(b, 1, &one), HK_OK);
  ck_assert_int_eq(hk_batch_get(b, HK_BATCH_PARAMETERS, 3, NULL, got), HK_OK);
  ck_assert_mem_eq(got, k, sizeof k);
  ck_assert_int_eq(hk_batch_step(b, 50), HK_OK);
  ck_assert_int_eq(hk_batch_get(b, HK_BATCH_OUTPUTS, 3, NULL, &y[0][0]), HK_OK);
  ck_assert_int_eq(hk_model_parse(ctx, cart, strlen(cart), "cart", &set, 1, &soft), HK_OK);
  ck_assert_int_eq(hk_sim_create(soft, NULL, &s), HK_OK);
  for (int i = 0; i < 50; i++) ck_assert_int_eq(hk_sim_step(s), HK_OK);
  ck_assert_int_eq(hk_sim_values(s, want), HK_OK);
  for (int i = 0; i < 3; i++) ck_assert_double_eq_tol(y[1][i], want[i], 1e-9);
  ck_assert(fabs(y[0][0] - y[1][0]) > 1e-4);
  hk_sim_destroy(s);
  hk_model_release(soft);
  hk_batch_destroy(b);
}

START_TEST(parameters_differ) {
  parameters(HK_BATCH_ANY);
  parameters(HK_BATCH_LIBRARY);
}
END_TEST

START_TEST(without_a_compiler) {
  hk_batch_options opt = hk_batch_options_def();
  hk_batch_about a;
  hk_batch *b = NULL;
  setenv("HOOKE_CC", "/nowhere/cc", 1);
  hk_batch_destroy(b = make(2, 1, HK_BATCH_ANY, 0, &a));
  ck_assert_int_eq(a.way, HK_BATCH_LIBRARY);
  ck_assert_int_eq(a.width, 1);
  const int32_t said = hk_ctx_message_count(ctx);
  ck_assert_int_gt(said, 0);
  ck_assert_int_eq(hk_ctx_message(ctx, said - 1)->severity, HK_NOTE);
  ck_assert_ptr_nonnull(strstr(hk_ctx_message(ctx, said - 1)->text, "the library takes the steps"));
  opt.way = HK_BATCH_LANES;
  ck_assert_int_ne(hk_batch_create(ctx, model, &opt, &b), HK_OK);
  ck_assert_ptr_null(b);
}
END_TEST

START_TEST(wrong_use) {
  hk_batch_options opt = hk_batch_options_def();
  hk_batch_about a;
  hk_batch *b = make(4, 1, HK_BATCH_LIBRARY, 0, &a), *other = NULL;
  const int32_t twice[] = {1, 2, 1}, beyond[] = {4};
  const char *const unknown[] = {"joint.pin.angel"}, *const no[] = {"q"};
  double x[4 * N] = {0}, u[4] = {0, 0, INFINITY, 0};
  ck_assert_int_eq(hk_batch_reset(b, 3, twice), HK_E_USAGE);
  ck_assert_int_eq(hk_batch_reset(b, 1, beyond), HK_E_USAGE);
  ck_assert_int_eq(hk_batch_reset(b, 5, NULL), HK_E_USAGE);
  ck_assert_int_eq(hk_batch_set(b, HK_BATCH_INPUTS, 4, NULL, u, 0), HK_E_USAGE);
  ck_assert_int_eq(hk_batch_set(b, HK_BATCH_TIME, 1, NULL, u, 0), HK_E_USAGE);
  ck_assert_int_eq(hk_batch_set(b, 77, 1, NULL, u, 0), HK_E_USAGE);
  ck_assert_int_eq(hk_batch_get(b, 77, 1, NULL, x), HK_E_USAGE);
  ck_assert_int_eq(hk_batch_get(b, HK_BATCH_INPUTS, 1, beyond, x), HK_E_USAGE);
  ck_assert_int_eq(hk_batch_rollout(b, -1, 1, NULL, 0, NULL), HK_E_USAGE);
  ck_assert_int_eq(hk_batch_rollout(b, 1, 0, NULL, 0, NULL), HK_E_USAGE);
  ck_assert_int_eq(hk_batch_set(b, HK_BATCH_COORDINATES, 0, NULL, NULL, 0), HK_OK);
  hk_batch_destroy(b);
  opt.outputs = unknown, opt.noutputs = 1;
  ck_assert_int_eq(hk_batch_create(ctx, model, &opt, &other), HK_E_USAGE);
  opt = hk_batch_options_def(), opt.parameters = no, opt.nparameters = 1;
  ck_assert_int_eq(hk_batch_create(ctx, model, &opt, &other), HK_E_USAGE);
  opt = hk_batch_options_def(), opt.worlds = 0;
  ck_assert_int_eq(hk_batch_create(ctx, model, &opt, &other), HK_E_USAGE);
  for (int32_t way = HK_BATCH_ANY; way <= HK_BATCH_LIBRARY; way++) {
    opt = hk_batch_options_def(), opt.worlds = 2000000000, opt.way = way;
    ck_assert_int_eq(hk_batch_create(ctx, model, &opt, &other), HK_E_MEMORY);
  }
  opt = hk_batch_options_def(), opt.width = 3;
  ck_assert_int_eq(hk_batch_create(ctx, model, &opt, &other), HK_E_USAGE);
  ck_assert_ptr_null(other);
}
END_TEST

Suite *suite_batch(void) {
  Suite *s = suite_create("batch");
  TCase *t = tcase_create("batch");
  tcase_add_unchecked_fixture(t, begin, end);
  tcase_add_checked_fixture(t, set_up, tear_down);
  tcase_set_timeout(t, 300);
  tcase_add_test(t, same_bits);
  tcase_add_test(t, ways_differ);
  tcase_add_test(t, program_and_library_agree);
  tcase_add_test(t, like_a_simulation);
  tcase_add_test(t, failed_worlds_stay);
  tcase_add_test(t, states_are_taken_over);
  tcase_add_test(t, states_of_simulations);
  tcase_add_test(t, reactions);
  tcase_add_test(t, parameters_differ);
  tcase_add_test(t, without_a_compiler);
  tcase_add_test(t, wrong_use);
  suite_add_tcase(s, t);
  return s;
}
