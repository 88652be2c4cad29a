/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps that several warps of a card share, on a card that is none (tests/device/card): the bits, iterations and failures of lanes,
 * whatever the number of warps, also where their memory has not room for all numbers.
 */
#include <check.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/card/card.h"
#include "hooke/hooke.h"
#include "runner.h"

Suite *suite_warps(void);

/* a loop that is closed in each step by iteration, an input, a parameter, a function with branches */
static const char crank[] =
    "hooke: 1\n"
    "parameters: {k: 40}\n"
    "gravity: [0, 0, -9.81]\n"
    "signals: {u: {input: 0.1}}\n"
    "bodies:\n"
    "  crank: {mass: 1, com: [0.05, 0, 0], inertia: [1e-3, 1e-3, 1e-3]}\n"
    "  rod: {mass: 0.5, com: [0.2, 0, 0], inertia: [1e-3, 2e-3, 2e-3]}\n"
    "  slide: {mass: 0.4, com: [0.3, 0, 0]}\n"
    "joints:\n"
    "  shaft: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: y}\n"
    "  pin: {type: revolute, between: [crank, rod], at: [0.1, 0, 0], axis: y}\n"
    "  end: {type: revolute, between: [rod, slide], at: [0.3, 0, 0], axis: y}\n"
    "  rail: {type: prismatic, between: [ground, slide], at: [0.3, 0, 0], axis: x}\n"
    "forces:\n"
    "  motor: {type: joint_torque, joint: shaft, value: u}\n"
    "  back: {type: joint_spring, joint: rail, stiffness: k, damping: 0.5}\n"
    "record: [joint.rail.position, energy.total]\n"
    "start: {shaft: {rate: 3}}\n"
    "run: {time: 1, step: 0.01}\n";

enum { WORLDS = 70, STEPS = 12, ROWS = STEPS / 4 + 1, OUTPUTS = 2 };

static hk_ctx *ctx;
static hk_model *model;
static fake_card *fake;
static char cache[64];

static void begin(void) {
  strcpy(cache, "/tmp/hooke-warps-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(cache));
}

static void end(void) {
  char command[100];
  snprintf(command, sizeof command, "rm -rf %s", cache);
  ck_assert_int_eq(system(command), 0);
}

static void set_up(void) {
  const char *file = getenv("HOOKE_CARD");
  char kernel[600];
  ck_assert_msg(file, "HOOKE_CARD names the card of the tests: run it by ctest");
  setenv("HOOKE_CUDA", file, 1);
  setenv("HOOKE_NVRTC", file, 1);
  setenv("HOOKE_CACHE", cache, 1);
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  fake = library ? dlsym(library, "fake_card_state") : NULL;
  ck_assert_ptr_nonnull(fake);
  *fake = (fake_card){.cards = 1};
  snprintf(kernel, sizeof kernel, "%s/build/release/hooke-kernel.wasm", test_source_dir());
  if (!getenv("HOOKE_KERNEL") && access(kernel, R_OK) == 0) setenv("HOOKE_KERNEL", kernel, 1);
  ctx = hk_ctx_create();
  ck_assert_int_eq(hk_model_parse(ctx, crank, strlen(crank), "crank", NULL, 0, &model), HK_OK);
}

static void tear_down(void) {
  hk_model_release(model);
  hk_ctx_destroy(ctx);
  ck_assert_int_eq(fake->blocks, 0);
}

typedef struct story {
  double y[WORLDS * ROWS * OUTPUTS], t[WORLDS];
  int32_t status[WORLDS];
  int64_t turns[WORLDS];
} story;

/* worlds with their own speeds, parameters and inputs; two of them fail; then again from where they are */
static void tell(const char *formulation, const char *integrator, int32_t way, int32_t warps,
                 int32_t single, story *s) {
  static const char *const parameters[] = {"k"};
  static double u[WORLDS * STEPS], k[WORLDS];
  hk_sim_options sim = hk_sim_options_def();
  hk_batch_options opt = hk_batch_options_def();
  hk_batch_about about = {.size = sizeof about};
  hk_batch *b = NULL;
  memset(s, 0, sizeof *s);
  for (int i = 0; i < WORLDS; i++) k[i] = 40.0 + i;
  for (int i = 0; i < WORLDS * STEPS; i++) u[i] = sin(0.1 * i);
  if (!single) u[33 * STEPS + 3] = 1e300, u[69 * STEPS + 7] = 1e250;
  sim.formulation = formulation, sim.integrator = integrator;
  opt.worlds = WORLDS, opt.threads = 1, opt.way = way, opt.warps = warps, opt.sim = &sim;
  opt.parameters = parameters, opt.nparameters = 1, opt.single = single;
  ck_assert_int_eq(hk_batch_create(ctx, model, &opt, &b), HK_OK);
  ck_assert_int_eq(hk_batch_info(b, &about), HK_OK);
  ck_assert_msg(about.way == way, "%s", about.why);
  ck_assert_int_eq(hk_batch_set(b, HK_BATCH_PARAMETERS, WORLDS, NULL, k, 0), HK_OK);
  ck_assert_int_eq(hk_batch_reset(b, WORLDS, NULL), HK_OK);
  ck_assert_int_eq(hk_batch_rollout(b, STEPS, 4, u, 0, s->y), HK_OK);
  ck_assert_int_eq(hk_batch_rollout(b, STEPS, 4, NULL, 0, s->y), HK_OK);
  ck_assert_int_eq(hk_batch_get(b, HK_BATCH_TIME, WORLDS, NULL, s->t), HK_OK);
  for (int i = 0; i < WORLDS; i++)
    s->status[i] = hk_batch_status(b)[i], s->turns[i] = hk_batch_iterations(b, i);
  hk_batch_destroy(b);
}

static void check_same(const story *a, const story *b) {
  for (int i = 0; i < WORLDS; i++) {
    ck_assert_int_eq(a->status[i], b->status[i]);
    ck_assert_int_eq(a->turns[i], b->turns[i]);
    ck_assert(a->t[i] == b->t[i]);
    for (int r = 0; r < ROWS * OUTPUTS; r++) {
      const double x = a->y[i * ROWS * OUTPUTS + r], y = b->y[i * ROWS * OUTPUTS + r];
      ck_assert_msg(x == y || (isnan(x) && isnan(y)), "world %d: %.17g, expected %.17g", i, x, y);
    }
  }
}

static const struct {
  const char *formulation, *integrator;
  int32_t warps, shared;
} cases[] = {{"hybrid", "trapezoidal", 3, 2048 + 40 * 256},
             {"hybrid", "linearly_implicit", 8, 1000},
             {"hybrid", "trapezoidal", 2, 0},
             {"hybrid", "trapezoidal", 8, 0},
             {"global", "trapezoidal", 5, 0}};

/* all of them where there is time: HOOKE_TEST_ALL */
static int ncases(void) { return getenv("HOOKE_TEST_ALL") ? 5 : 2; }

START_TEST(test_warps_have_the_bits_of_lanes) {
  static story lanes, card;
  if (!getenv("HOOKE_KERNEL")) return;
  tell(cases[_i].formulation, cases[_i].integrator, HK_BATCH_LANES, 0, 0, &lanes);
  fake->shared = cases[_i].shared;
  tell(cases[_i].formulation, cases[_i].integrator, HK_BATCH_CARD, cases[_i].warps, 0, &card);
  ck_assert_int_ne(lanes.status[33], HK_OK);
  ck_assert_int_ne(lanes.status[69], HK_OK);
  ck_assert_int_eq(lanes.status[34], HK_OK);
  check_same(&card, &lanes);
}
END_TEST

START_TEST(test_floats_are_those_of_one_thread) {
  static story one, card;
  if (!getenv("HOOKE_KERNEL")) return;
  tell("hybrid", "trapezoidal", HK_BATCH_CARD, 1, 1, &one);
  tell("hybrid", "trapezoidal", HK_BATCH_CARD, 4, 1, &card);
  check_same(&card, &one);
}
END_TEST

START_TEST(test_wrong_numbers_of_warps) {
  hk_batch_options opt = hk_batch_options_def();
  hk_batch *b = NULL;
  for (opt.warps = -1; opt.warps < 10; opt.warps += 10)
    ck_assert_int_eq(hk_batch_create(ctx, model, &opt, &b), HK_E_USAGE);
}
END_TEST

Suite *suite_warps(void) {
  Suite *s = suite_create("warps");
  TCase *c = tcase_create("warps");
  tcase_add_unchecked_fixture(c, begin, end);
  tcase_add_checked_fixture(c, set_up, tear_down);
  tcase_set_timeout(c, 120);
  tcase_add_loop_test(c, test_warps_have_the_bits_of_lanes, 0, ncases());
  tcase_add_test(c, test_floats_are_those_of_one_thread);
  tcase_add_test(c, test_wrong_numbers_of_warps);
  suite_add_tcase(s, c);
  return s;
}
