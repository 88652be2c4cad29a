/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of a batch as tensors of DLPack: copies on the processor, and on a card that is none (tests/device/card) the memory
 * of the batch itself; they outlive batch, model and context.
 */
#include <check.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/card/card.h"
#include "hooke/dlpack.h"
#include "hooke/hooke.h"
#include "runner.h"

Suite *suite_tensor(void);

static const char slider[] =
    "hooke: 1\n"
    "parameters: {k: 60}\n"
    "signals: {u: {input: 0.25}}\n"
    "bodies: {cart: {mass: 2, com: [0, 0, 0]}}\n"
    "joints: {rail: {type: prismatic, between: [ground, cart], axis: x, at: [0, 0, 0]}}\n"
    "forces:\n"
    "  push: {type: joint_force, joint: rail, value: u}\n"
    "  back: {type: joint_spring, joint: rail, stiffness: k, damping: 0.5}\n"
    "start: {rail: {position: 0.1}}\n"
    "run: {time: 1, step: 0.01, formulation: hybrid, integrator: linearly_implicit}\n";

enum { WORLDS = 37, STRIDE = 64 };

static hk_ctx *ctx;
static hk_model *model;
static fake_card *fake;
static char cache[64];

/* one folder of compiled programs for all cases */
static void begin(void) {
  strcpy(cache, "/tmp/hooke-tensor-XXXXXX");
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
  ck_assert_int_eq(hk_model_parse(ctx, slider, strlen(slider), "slider", NULL, 0, &model), HK_OK);
}

static void leave_all(hk_batch *b) {
  hk_batch_destroy(b);
  hk_model_release(model);
  hk_ctx_destroy(ctx);
  model = NULL, ctx = NULL;
}

static void tear_down(void) {
  if (ctx) leave_all(NULL);
  ck_assert_int_eq(fake->blocks, 0);
  ck_assert_int_eq(fake->contexts, 0);
}

static hk_batch *make(int32_t way, int32_t single, const char *const *outputs, int32_t n) {
  static const char *const parameters[] = {"k"};
  hk_batch_options opt = hk_batch_options_def();
  hk_batch *b = NULL;
  opt.worlds = WORLDS, opt.threads = 1, opt.way = way, opt.single = single;
  opt.outputs = outputs, opt.noutputs = n, opt.parameters = parameters, opt.nparameters = 1;
  ck_assert_int_eq(hk_batch_create(ctx, model, &opt, &b), HK_OK);
  return b;
}

static const char *const two[] = {"joint.rail.position", "energy.total"};

/* does a batch have a card here, or a compiler? */
static hk_batch *make_card(int32_t single) {
  hk_batch_about a = {.size = sizeof a};
  if (!getenv("HOOKE_KERNEL")) return NULL;
  hk_batch *b = make(HK_BATCH_CARD, single, two, 2);
  ck_assert_int_eq(hk_batch_info(b, &a), HK_OK);
  ck_assert_int_eq(a.way, HK_BATCH_CARD);
  return b;
}

static DLManagedTensorVersioned *tensor(hk_batch *b, int32_t what) {
  DLManagedTensorVersioned *t = NULL;
  ck_assert_int_eq(hk_batch_tensor(b, what, &t), HK_OK);
  ck_assert_uint_eq(t->version.major, 1);
  ck_assert_int_eq(t->dl_tensor.shape[0], WORLDS);
  ck_assert_int_eq(t->dl_tensor.dtype.code, 2);
  ck_assert_uint_eq(t->dl_tensor.byte_offset, 0);
  return t;
}

static double at(const DLManagedTensorVersioned *t, int64_t world, int64_t i) {
  const DLTensor *x = &t->dl_tensor;
  const int64_t k = world * x->strides[0] + (i ? i * x->strides[1] : 0);
  return x->dtype.bits == 32 ? (double)((const float *)x->data)[k] : ((const double *)x->data)[k];
}

static void give_back(DLManagedTensorVersioned *t) { t->deleter(t); }

/* of each world its own state and input, then some steps */
static void move(hk_batch *b) {
  double x[2 * WORLDS], u[WORLDS];
  for (int i = 0; i < WORLDS; i++) x[2 * i] = 0.01 * i, x[2 * i + 1] = -0.02 * i, u[i] = i;
  ck_assert_int_eq(hk_batch_set(b, HK_BATCH_COORDINATES, WORLDS, NULL, x, 0), HK_OK);
  ck_assert_int_eq(hk_batch_set(b, HK_BATCH_INPUTS, WORLDS, NULL, u, 0), HK_OK);
  ck_assert_int_eq(hk_batch_step(b, 3), HK_OK);
}

static void same_as_got(hk_batch *b, int32_t what, int32_t n, const DLManagedTensorVersioned *t,
                        double tolerance) {
  double *x = malloc((size_t)n * WORLDS * sizeof *x);
  ck_assert_int_eq(hk_batch_get(b, what, WORLDS, NULL, x), HK_OK);
  ck_assert_int_eq(t->dl_tensor.ndim, what == HK_BATCH_TIME ? 1 : 2);
  if (what != HK_BATCH_TIME) ck_assert_int_eq(t->dl_tensor.shape[1], n);
  for (int w = 0; w < WORLDS; w++)
    for (int i = 0; i < n; i++) {
      const double y = at(t, w, i);
      ck_assert(memcmp(&y, &x[w * n + i], sizeof y) == 0 || fabs(y - x[w * n + i]) < tolerance);
    }
  free(x);
}

static int32_t states_of(const hk_batch *b) {
  hk_batch_about a = {.size = sizeof a};
  ck_assert_int_eq(hk_batch_info(b, &a), HK_OK);
  return a.states;
}

static void check_copies(int32_t way) {
  static const int32_t all[] = {HK_BATCH_COORDINATES, HK_BATCH_INPUTS, HK_BATCH_PARAMETERS,
                                HK_BATCH_OUTPUTS, HK_BATCH_TIME};
  static const int32_t sizes[] = {2, 1, 1, 2, 1};
  hk_batch *b = make(way, 0, two, 2);
  DLManagedTensorVersioned *t[5];
  move(b);
  for (int k = 0; k < 5; k++) {
    t[k] = tensor(b, all[k]);
    ck_assert_int_eq(t[k]->dl_tensor.device.device_type, 1);
    ck_assert_uint_eq(t[k]->flags, HK_DLPACK_READ_ONLY | HK_DLPACK_IS_COPIED);
    same_as_got(b, all[k], sizes[k], t[k], 0.0);
  }
  DLManagedTensorVersioned *x = tensor(b, HK_BATCH_STATE);
  same_as_got(b, HK_BATCH_STATE, states_of(b), x, 0.0);
  give_back(x);
  // copies stay what they were
  const double was = at(t[3], 7, 0);
  ck_assert_int_eq(hk_batch_step(b, 3), HK_OK);
  ck_assert_double_eq(at(t[3], 7, 0), was);
  leave_all(b);
  ck_assert_double_eq(at(t[3], 7, 0), was);
  for (int k = 0; k < 5; k++) give_back(t[k]);
}

START_TEST(test_copies_of_the_library) { check_copies(HK_BATCH_LIBRARY); }
END_TEST

START_TEST(test_copies_of_lanes) {
  if (getenv("HOOKE_KERNEL")) check_copies(HK_BATCH_LANES);
}
END_TEST

START_TEST(test_card_lends_its_memory) {
  const int single = _i;
  const double tolerance = single ? 1e-6 : 0.0;
  hk_batch *b = make_card(single);
  if (!b) return;
  move(b);
  DLManagedTensorVersioned *x = tensor(b, HK_BATCH_STATE), *u = tensor(b, HK_BATCH_INPUTS),
                           *t = tensor(b, HK_BATCH_TIME), *y = tensor(b, HK_BATCH_OUTPUTS);
  DLManagedTensorVersioned *const all[] = {x, u, t, y};
  for (int k = 0; k < 4; k++) {
    ck_assert_int_eq(all[k]->dl_tensor.device.device_type, 2);
    ck_assert_int_eq(all[k]->dl_tensor.dtype.bits, single ? 32 : 64);
    ck_assert_int_eq(all[k]->dl_tensor.strides[0], 1);
    if (all[k] != t) ck_assert_int_eq(all[k]->dl_tensor.strides[1], STRIDE);
  }
  ck_assert_uint_eq(x->flags | u->flags, 0);
  ck_assert_uint_eq(t->flags, HK_DLPACK_READ_ONLY);
  ck_assert_uint_eq(y->flags, HK_DLPACK_IS_COPIED);
  same_as_got(b, HK_BATCH_STATE, states_of(b), x, tolerance);
  same_as_got(b, HK_BATCH_OUTPUTS, 2, y, tolerance);
  same_as_got(b, HK_BATCH_INPUTS, 1, u, tolerance);
  // states and time go on with the batch, outputs stay; a later tensor of outputs has memory of its own
  const double was = at(y, 7, 0);
  ck_assert_int_eq(hk_batch_step(b, 3), HK_OK);
  same_as_got(b, HK_BATCH_TIME, 1, t, tolerance);
  same_as_got(b, HK_BATCH_STATE, states_of(b), x, tolerance);
  DLManagedTensorVersioned *later = tensor(b, HK_BATCH_OUTPUTS);
  ck_assert(at(y, 7, 0) == was && at(later, 7, 0) != was);
  same_as_got(b, HK_BATCH_OUTPUTS, 2, later, tolerance);
  give_back(y);
  leave_all(b);
  ck_assert_double_eq_tol(at(t, 3, 0), 0.06, 1e-6);
  ck_assert_int_eq(fake->blocks, 2);
  give_back(x), give_back(u), give_back(t), give_back(later);
}
END_TEST

/* what another library writes to the inputs on the card is what hk_batch_set() would have set */
START_TEST(test_inputs_are_written_on_the_card) {
  hk_batch *a = make_card(0), *b = make_card(0);
  double u[WORLDS], y[2][2 * WORLDS];
  if (!a || !b) return;
  DLManagedTensorVersioned *t = tensor(a, HK_BATCH_INPUTS);
  for (int i = 0; i < WORLDS; i++) u[i] = ((double *)t->dl_tensor.data)[i] = 1.0 + i;
  give_back(t);
  ck_assert_int_eq(hk_batch_set(b, HK_BATCH_INPUTS, WORLDS, NULL, u, 0), HK_OK);
  ck_assert_int_eq(hk_batch_step(a, 5), HK_OK);
  ck_assert_int_eq(hk_batch_step(b, 5), HK_OK);
  ck_assert_int_eq(hk_batch_get(a, HK_BATCH_OUTPUTS, WORLDS, NULL, y[0]), HK_OK);
  ck_assert_int_eq(hk_batch_get(b, HK_BATCH_OUTPUTS, WORLDS, NULL, y[1]), HK_OK);
  ck_assert_mem_eq(y[0], y[1], sizeof y[0]);
  ck_assert(y[0][0] != y[0][2]);
  // memory of outputs that was given back is used again
  give_back(tensor(a, HK_BATCH_OUTPUTS));
  const int blocks = fake->blocks;
  give_back(tensor(a, HK_BATCH_OUTPUTS));
  ck_assert_int_eq(fake->blocks, blocks);
  hk_batch_destroy(a);
  hk_batch_destroy(b);
}
END_TEST

/* What is no number fails the world that it is written to, and nobody else: outputs and states of all can still be read. */
START_TEST(test_inputs_that_are_no_numbers) {
  hk_batch *a = make_card(0), *b = make_card(0);
  double y[2][2 * WORLDS], x[2 * WORLDS];
  if (!a || !b) return;
  DLManagedTensorVersioned *t = tensor(a, HK_BATCH_INPUTS);
  ((double *)t->dl_tensor.data)[3] = NAN;
  ck_assert_int_eq(hk_batch_step(a, 2), HK_OK);
  ck_assert_int_eq(hk_batch_step(b, 2), HK_OK);
  ((double *)t->dl_tensor.data)[3] = NAN;
  give_back(t);
  ck_assert_int_ne(hk_batch_status(a)[3], HK_OK);
  ck_assert_int_eq(hk_batch_get(a, HK_BATCH_OUTPUTS, WORLDS, NULL, y[0]), HK_OK);
  ck_assert_int_eq(hk_batch_get(b, HK_BATCH_OUTPUTS, WORLDS, NULL, y[1]), HK_OK);
  ck_assert_int_eq(hk_batch_get(a, HK_BATCH_COORDINATES, WORLDS, NULL, x), HK_OK);
  for (int w = 0; w < WORLDS; w++) {
    ck_assert_int_eq(hk_batch_status(a)[w] == HK_OK, w != 3);
    if (w != 3) ck_assert_mem_eq(&y[0][2 * w], &y[1][2 * w], 2 * sizeof **y);
  }
  hk_batch_destroy(a);
  hk_batch_destroy(b);
}
END_TEST

/* reactions are the library's: they are copied */
START_TEST(test_foreign_outputs_are_copied) {
  static const char *const foreign[] = {"joint.rail.force.z"};
  hk_batch *b = getenv("HOOKE_KERNEL") ? make(HK_BATCH_CARD, 0, foreign, 1) : NULL;
  if (!b) return;
  DLManagedTensorVersioned *y = tensor(b, HK_BATCH_OUTPUTS), *q = tensor(b, HK_BATCH_COORDINATES);
  ck_assert_int_eq(q->dl_tensor.device.device_type, 1);
  same_as_got(b, HK_BATCH_OUTPUTS, 1, y, 0.0);
  same_as_got(b, HK_BATCH_COORDINATES, 2, q, 0.0);
  give_back(y), give_back(q);
  hk_batch_destroy(b);
}
END_TEST

/* no memory on the card for outputs: lanes go on, and the tensor is theirs; a card that fails is an error */
START_TEST(test_failing_cards) {
  hk_batch *b = make_card(0);
  if (!b) return;
  DLManagedTensorVersioned *x = tensor(b, HK_BATCH_STATE), *y = NULL;
  fake->fail_alloc = 1;
  y = tensor(b, HK_BATCH_OUTPUTS);
  ck_assert_int_eq(y->dl_tensor.device.device_type, 1);
  same_as_got(b, HK_BATCH_OUTPUTS, 2, y, 0.0);
  ck_assert(at(x, 1, 0) == at(x, 0, 0)); // what it had stays readable
  give_back(x), give_back(y);
  hk_batch_destroy(b);
  b = make_card(0);
  fake->fail_launch = 1;
  ck_assert_int_eq(hk_batch_tensor(b, HK_BATCH_OUTPUTS, &y), HK_E_FILE);
  ck_assert_ptr_null(y);
  hk_batch_destroy(b);
}
END_TEST

Suite *suite_tensor(void) {
  Suite *s = suite_create("tensor");
  TCase *c = tcase_create("tensor");
  tcase_add_unchecked_fixture(c, begin, end);
  tcase_add_checked_fixture(c, set_up, tear_down);
  tcase_set_timeout(c, 120);
  tcase_add_test(c, test_copies_of_the_library);
  tcase_add_test(c, test_copies_of_lanes);
  tcase_add_loop_test(c, test_card_lends_its_memory, 0, 2);
  tcase_add_test(c, test_inputs_are_written_on_the_card);
  tcase_add_test(c, test_inputs_that_are_no_numbers);
  tcase_add_test(c, test_foreign_outputs_are_copied);
  tcase_add_test(c, test_failing_cards);
  suite_add_tcase(s, c);
  return s;
}
