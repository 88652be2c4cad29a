/* SPDX-License-Identifier: Apache-2.0
 *
 * Batches on a card that is none (tests/device/card): the same bits as in lanes, whatever is set, got and reset; failed worlds; what
 * only the library finds; cards that are not there, have no memory or fail.
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

Suite *suite_card(void);

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
    "record: [joint.pin.angle, joint.rail.position, energy.total]\n"
    "start: {pin: {angle: 0.3}}\n"
    "run: {time: 1, step: 0.01, formulation: hybrid, integrator: trapezoidal}\n";

enum { WORLDS = 70, STEPS = 25, EVERY = 10, ROWS = STEPS / EVERY + 1, NQ = 4, OUTPUTS = 4 };

static hk_ctx *ctx;
static hk_model *model;
static fake_card *fake;
static char cache[64];
static bool can; /* programs can be made */

static void begin(void) {
  strcpy(cache, "/tmp/hooke-card-XXXXXX");
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
  ctx = hk_ctx_create();
  ck_assert_msg(file, "HOOKE_CARD names the card of the tests: run it by ctest");
  setenv("HOOKE_CUDA", file, 1);
  setenv("HOOKE_NVRTC", file, 1);
  setenv("HOOKE_CACHE", cache, 1);
  unsetenv("HOOKE_CC");
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  fake = library ? dlsym(library, "fake_card_state") : NULL;
  ck_assert_ptr_nonnull(fake);
  *fake = (fake_card){.cards = 1};
  snprintf(kernel, sizeof kernel, "%s/build/release/hooke-kernel.wasm", test_source_dir());
  if (!getenv("HOOKE_KERNEL") && access(kernel, R_OK) == 0) setenv("HOOKE_KERNEL", kernel, 1);
  can = getenv("HOOKE_KERNEL") != NULL;
  ck_assert_int_eq(hk_model_parse(ctx, cart, strlen(cart), "cart", NULL, 0, &model), HK_OK);
}

static void tear_down(void) {
  hk_model_release(model);
  hk_ctx_destroy(ctx);
  ck_assert_int_eq(fake->blocks, 0);
  ck_assert_int_eq(fake->contexts, 0);
  ck_assert_int_eq(fake->modules, 0);
}

/* with reactions where `foreign`: outputs that no program has */
static hk_batch *make(int32_t way, bool foreign, int32_t single) {
  static const char *const names[] = {"joint.pin.angle", "joint.rail.position", "energy.total",
                                      "joint.pin.force.z"};
  static const char *const parameters[] = {"k"};
  hk_batch_options opt = hk_batch_options_def();
  hk_batch *b = NULL;
  opt.worlds = WORLDS, opt.threads = 2, opt.way = way, opt.single = single;
  opt.outputs = names, opt.noutputs = foreign ? 4 : 3;
  opt.parameters = parameters, opt.nparameters = 1;
  const hk_status st = hk_batch_create(ctx, model, &opt, &b);
  const int32_t said = hk_ctx_message_count(ctx);
  ck_assert_msg(st == HK_OK, "%s", said ? hk_ctx_message(ctx, said - 1)->text : "");
  return b;
}

static int32_t way_of(const hk_batch *b) {
  hk_batch_about a = {.size = sizeof a};
  ck_assert_int_eq(hk_batch_info(b, &a), HK_OK);
  return a.way;
}

/* all that can be done with worlds, one after the other; what comes of it */
typedef struct story {
  double y[WORLDS * ROWS * OUTPUTS], again[WORLDS * ROWS * OUTPUTS], q[WORLDS * NQ], t[WORLDS];
  int32_t status[WORLDS];
  int64_t turns[WORLDS];
} story;

static void tell(hk_batch *b, story *s) {
  static double x[WORLDS * NQ], u[WORLDS * STEPS], k[WORLDS];
  const int32_t few[] = {69, 3, 40};
  memset(s, 0, sizeof *s);
  for (int i = 0; i < WORLDS; i++) {
    const double r = sin(1.0 + i);
    x[NQ * i] = 0.01 * r, x[NQ * i + 1] = 0.3 * r, x[NQ * i + 2] = 0.1,
           x[NQ * i + 3] = i == 5 ? 1e200 : sin(3.0 * i);
    k[i] = 60.0 + i;
  }
  for (int i = 0; i < WORLDS * STEPS; i++) u[i] = cos(0.1 * i);
  ck_assert_int_eq(hk_batch_set(b, HK_BATCH_PARAMETERS, WORLDS, NULL, k, 0), HK_OK);
  (void)hk_batch_set(b, HK_BATCH_COORDINATES, WORLDS, NULL, x, 0);
  ck_assert_int_eq(hk_batch_rollout(b, STEPS, EVERY, u, 0, s->y), HK_OK);
  ck_assert_int_eq(hk_batch_reset(b, 3, few), HK_OK);
  ck_assert_int_eq(hk_batch_set(b, HK_BATCH_INPUTS, 3, few, u, 0), HK_OK);
  ck_assert_int_eq(hk_batch_rollout(b, STEPS, EVERY, u, 1, s->again), HK_OK);
  ck_assert_int_eq(hk_batch_step(b, 3), HK_OK);
  ck_assert_int_eq(hk_batch_get(b, HK_BATCH_TIME, WORLDS, NULL, s->t), HK_OK);
  for (int i = 0; i < WORLDS; i++) {
    s->status[i] = hk_batch_status(b)[i], s->turns[i] = hk_batch_iterations(b, i);
    if (s->status[i] == HK_OK)
      ck_assert_int_eq(hk_batch_get(b, HK_BATCH_COORDINATES, 1, &i, s->q + NQ * i), HK_OK);
  }
  hk_batch_destroy(b);
}

/* NaN are one number */
static int different(const double *a, const double *b, size_t n) {
  int count = 0;
  for (size_t i = 0; i < n; i++)
    count += memcmp(&a[i], &b[i], sizeof a[i]) != 0 && !(isnan(a[i]) && isnan(b[i]));
  return count;
}

static void expect_same(bool foreign) {
  static story on_card, in_lanes;
  hk_batch *b = make(HK_BATCH_CARD, foreign, 0);
  ck_assert_int_eq(way_of(b), HK_BATCH_CARD);
  tell(b, &on_card);
  tell(make(HK_BATCH_LANES, foreign, 0), &in_lanes);
  const size_t n = sizeof on_card.y / sizeof on_card.y[0];
  ck_assert_int_eq(different(on_card.y, in_lanes.y, n), 0);
  ck_assert_int_eq(different(on_card.again, in_lanes.again, n), 0);
  ck_assert_int_eq(different(on_card.q, in_lanes.q, WORLDS * NQ), 0);
  ck_assert_int_eq(different(on_card.t, in_lanes.t, WORLDS), 0);
  ck_assert_mem_eq(on_card.status, in_lanes.status, sizeof on_card.status);
  ck_assert_mem_eq(on_card.turns, in_lanes.turns, sizeof on_card.turns);
  ck_assert_int_ne(on_card.status[5], HK_OK);
  ck_assert_int_eq(on_card.status[6], HK_OK);
  ck_assert(on_card.turns[6] >= 2 * STEPS);
}

START_TEST(same_bits) {
  if (!can) return;
  expect_same(false);
  expect_same(true);
}
END_TEST

START_TEST(single_precision) {
  if (!can) return;
  double a[3 * ROWS * WORLDS], b[3 * ROWS * WORLDS];
  hk_batch *card = make(HK_BATCH_CARD, false, 1), *lanes = make(HK_BATCH_LANES, false, 0);
  ck_assert_int_eq(hk_batch_rollout(card, STEPS, EVERY, NULL, 0, a), HK_OK);
  ck_assert_int_eq(hk_batch_rollout(lanes, STEPS, EVERY, NULL, 0, b), HK_OK);
  double worst = 0.0;
  for (int i = 0; i < 3 * ROWS * WORLDS; i++) worst = fmax(worst, fabs(a[i] - b[i]));
  ck_assert(worst > 1e-12 && worst < 1e-4);
  hk_batch_destroy(card);
  hk_batch_destroy(lanes);
}
END_TEST

/* is this among what was said? */
static bool said(const char *words) {
  for (int32_t i = 0; i < hk_ctx_message_count(ctx); i++)
    if (strstr(hk_ctx_message(ctx, i)->text, words)) return true;
  return false;
}

START_TEST(the_processor_goes_on) {
  if (!can) return;
  static story with, without;
  // no card, no memory, no program: lanes from the beginning, with a note
  fake->cards = 0;
  hk_batch *b = make(HK_BATCH_CARD, false, 0);
  ck_assert_int_eq(way_of(b), HK_BATCH_LANES);
  ck_assert(said("no card"));
  hk_batch_destroy(b);
  fake->cards = 1, fake->fail_alloc = 2;
  b = make(HK_BATCH_CARD, false, 0);
  ck_assert_int_eq(way_of(b), HK_BATCH_LANES);
  ck_assert(said("has no memory for states"));
  tell(b, &with);
  // no memory for outputs: lanes go on from the same states
  b = make(HK_BATCH_CARD, false, 0);
  double *y = calloc(WORLDS * 3, sizeof *y);
  ck_assert_int_eq(hk_batch_step(b, 5), HK_OK);
  fake->fail_alloc = 1;
  ck_assert_int_eq(hk_batch_rollout(b, 0, 1, NULL, 0, y), HK_OK);
  ck_assert_int_eq(way_of(b), HK_BATCH_LANES);
  ck_assert(said("has no memory for outputs"));
  hk_batch *other = make(HK_BATCH_LANES, false, 0);
  double *z = calloc(WORLDS * 3, sizeof *z);
  ck_assert_int_eq(hk_batch_step(other, 5), HK_OK);
  ck_assert_int_eq(hk_batch_rollout(other, 0, 1, NULL, 0, z), HK_OK);
  ck_assert_mem_eq(y, z, WORLDS * 3 * sizeof *y);
  free(y), free(z);
  hk_batch_destroy(other);
  tell(b, &with);
  tell(make(HK_BATCH_LANES, false, 0), &without);
  ck_assert_int_eq(different(with.again, without.again, WORLDS), 0);
}
END_TEST

START_TEST(a_card_that_fails) {
  if (!can) return;
  hk_batch *b = make(HK_BATCH_CARD, false, 0);
  ck_assert_int_eq(hk_batch_step(b, 1), HK_OK);
  fake->failure = 719;
  ck_assert_int_eq(hk_batch_step(b, 1), HK_E_FILE);
  ck_assert(said("the states of the batch are lost"));
  for (int i = 0; i < WORLDS; i++) ck_assert_int_eq(hk_batch_status(b)[i], HK_E_FILE);
  ck_assert_int_eq(hk_batch_step(b, 1), HK_E_FILE);
  fake->failure = 0;
  hk_batch_destroy(b);
}
END_TEST

/* --- passes ----------------------------------------------------------------------------------- */

enum { BARS = 24, BARS_STEPS = 40, BARS_Q = 10 };

/* two four-bars side by side, whose projections make one pass or up to six */
static hk_batch *make_bars(hk_model *bars, int32_t way, const char *integrator) {
  static const char *const names[] = {"joint.*.angle", "joint.*.rate", "energy.total"};
  hk_batch_options opt = hk_batch_options_def();
  hk_sim_options sim = hk_sim_options_def();
  hk_batch *b = NULL;
  sim.formulation = "global", sim.integrator = integrator, sim.step = 0.01;
  opt.worlds = BARS, opt.threads = 2, opt.way = way, opt.sim = &sim;
  opt.outputs = names, opt.noutputs = 3;
  ck_assert_int_eq(hk_batch_create(ctx, bars, &opt, &b), HK_OK);
  ck_assert_int_eq(way_of(b), way);
  return b;
}

/* worlds at velocities from a hundredth of the model's to thirty times it */
static double *roll_out(hk_batch *b, size_t *n, int64_t *turns) {
  hk_batch_about a = {.size = sizeof a};
  ck_assert_int_eq(hk_batch_info(b, &a), HK_OK);
  ck_assert_int_eq(a.coordinates + a.velocities, BARS_Q);
  double x[BARS * BARS_Q];
  ck_assert_int_eq(hk_batch_get(b, HK_BATCH_COORDINATES, BARS, NULL, x), HK_OK);
  for (int w = 0; w < BARS; w++)
    for (int i = a.coordinates; i < BARS_Q; i++) x[w * BARS_Q + i] *= 0.01 * pow(3000.0, w / 23.0);
  ck_assert_int_eq(hk_batch_set(b, HK_BATCH_COORDINATES, BARS, NULL, x, 0), HK_OK);
  *n = (size_t)BARS * (BARS_STEPS + 1) * (size_t)a.outputs;
  double *y = calloc(*n, sizeof *y);
  ck_assert_ptr_nonnull(y);
  ck_assert_int_eq(hk_batch_rollout(b, BARS_STEPS, 1, NULL, 0, y), HK_OK);
  for (int32_t w = 0; w < BARS; w++) turns[w] = hk_batch_iterations(b, w);
  return y;
}

/* Programs in lanes have their passes one within the other, those of a card have them in a loop. */
START_TEST(passes_of_a_loop) {
  const char *const integrators[] = {"trapezoidal", "linearly_implicit"};
  char path[600];
  hk_model *bars = NULL;
  if (!can) return;
  snprintf(path, sizeof path, "%s/examples/double-four-bar.yaml", test_source_dir());
  ck_assert_int_eq(hk_model_load(ctx, path, NULL, 0, &bars), HK_OK);
  hk_batch *card = make_bars(bars, HK_BATCH_CARD, integrators[_i]),
           *lanes = make_bars(bars, HK_BATCH_LANES, integrators[_i]);
  int64_t turns[BARS], others[BARS];
  size_t n = 0, same = 0;
  double *y = roll_out(card, &n, turns), *z = roll_out(lanes, &same, others);
  ck_assert(n == same);
  ck_assert_int_eq(different(y, z, n), 0);
  ck_assert_mem_eq(turns, others, sizeof turns);
  ck_assert_mem_eq(hk_batch_status(card), hk_batch_status(lanes), BARS * sizeof(int32_t));
  for (int32_t w = 0; w < BARS; w++) ck_assert_int_eq(hk_batch_status(card)[w], HK_OK);
  free(y), free(z);
  hk_batch_destroy(card);
  hk_batch_destroy(lanes);
  hk_model_release(bars);
}
END_TEST

Suite *suite_card(void) {
  Suite *s = suite_create("card");
  TCase *tc = tcase_create("card");
  tcase_add_unchecked_fixture(tc, begin, end);
  tcase_add_checked_fixture(tc, set_up, tear_down);
  tcase_add_test(tc, same_bits);
  tcase_add_test(tc, single_precision);
  tcase_add_test(tc, the_processor_goes_on);
  tcase_add_test(tc, a_card_that_fails);
  tcase_add_loop_test(tc, passes_of_a_loop, 0, 2);
  suite_add_tcase(s, tc);
  return s;
}
