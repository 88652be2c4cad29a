/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs are compared with the library before they are written: what is made of a model agrees with its step to the last bit, and a
 * graph in which one node is another one is refused by name. The kernel that programs are made from is not there in a build without clang.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "codegen/follow.h"
#include "codegen/values.h"
#include "fmi/export.h"
#include "runner.h"

Suite *suite_check(void);

/* an iteration, a branch (the wall), a table, an input, sines, parameters */
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
    "900, from: -0.0005, to: 0.0005}}}\n"
    "record: [joint.pin.angle, joint.rail.position, energy.total]\n"
    "start: {pin: {angle: 0.3}}\n"
    "run: {time: 1, step: 0.01, formulation: hybrid, integrator: trapezoidal}\n";

/* a model that is followed, with everything that a check takes */
typedef struct bench {
  hk_ctx *ctx;
  hk_fmu_job job;
  hk_fmu_options opt;
  char *kernel;
  hk_model_bytes bytes;
  hk_followed *trace;
  hk_plan plan;
} bench;

static bool find_kernel(void) {
  char kernel[600];
  snprintf(kernel, sizeof kernel, "%s/build/release/hooke-kernel.wasm", test_source_dir());
  if (!getenv("HOOKE_KERNEL") && access(kernel, R_OK) == 0) setenv("HOOKE_KERNEL", kernel, 1);
  return getenv("HOOKE_KERNEL") != NULL;
}

/* Follows the model with these parameters kept: hki_follow compares what comes of it, and accepts it. */
static void open_bench(bench *b, const char *const *kept, int32_t nkept) {
  static const char path[] = "cart.yaml";
  static const char *const none[] = {NULL};
  char place[2400];
  *b = (bench){.ctx = hk_ctx_create(), .opt = hk_fmu_options_def()};
  b->opt.parameters = nkept ? kept : none, b->opt.nparameters = nkept, b->opt.only = 1;
  ck_assert_int_eq(hki_fmu_begin(b->ctx, path, &b->opt, &b->job), HK_OK);
  ck_assert_int_eq(hki_file_put(b->ctx, path, cart, strlen(cart)), HK_OK);
  ck_assert_int_eq(hki_fmu_prepare(&b->job), HK_OK);
  ck_assert_int_eq(hki_fmu_bundle(&b->job), HK_OK);
  ck_assert_int_eq(hki_kernel_read(b->ctx, "hooke-kernel.wasm", "HOOKE_KERNEL", place, sizeof place,
                                   &b->kernel, &b->bytes.nkernel),
                   HK_OK);
  b->bytes.kernel = (const uint8_t *)b->kernel;
  b->bytes.bundle = b->job.data.s, b->bytes.nbundle = b->job.data.len;
  ck_assert_int_eq(hki_follow(b->ctx, &b->bytes, kept, nkept, 8, false, &b->trace, &b->plan),
                   HK_OK);
}

static void close_bench(bench *b) {
  hki_trace_destroy(b->trace);
  hki_free(b->ctx, b->kernel);
  hki_fmu_end(&b->job);
  hk_ctx_destroy(b->ctx);
}

/* the words of the last error */
static const char *words(const bench *b) {
  const int32_t n = hk_ctx_message_count(b->ctx);
  return n ? hk_ctx_message(b->ctx, n - 1)->text : "";
}

START_TEST(a_program_has_the_bits_of_the_library) {
  static const char *const kept[] = {"k", "m", "L"};
  if (!find_kernel()) return;
  for (int32_t nkept = 0; nkept <= 3; nkept += 3) {
    bench b;
    hk_checked seen;
    open_bench(&b, kept, nkept);
    ck_assert_int_eq(hki_check(&b.plan, &b.bytes, &seen), HK_OK);
    // from the start, with what is moved a little and far, and the same with other parameters
    ck_assert_int_eq(seen.steps, nkept ? 110 : 96);
    ck_assert_double_eq(seen.worst, 0.0);
    close_bench(&b);
  }
}
END_TEST

/* another operation with as many operands */
static uint8_t other_op(int op) {
  switch (op) {
    case HK_G_ADD:
      return HK_G_SUB;
    case HK_G_SUB:
      return HK_G_ADD;
    case HK_G_MUL:
      return HK_G_ADD;
    case HK_G_DIV:
      return HK_G_MUL;
    case HK_G_SIN:
      return HK_G_COS;
    case HK_G_COS:
      return HK_G_SIN;
    case HK_G_LT:
      return HK_G_EQ;
    default:
      return 0;
  }
}

/* Every operation of the step is another one in turn. Nearly all are seen; what is not is the tangent of an iteration, which takes as many
 * turns in both, and what nothing asks for in these states. */
START_TEST(a_node_that_is_another_one_is_seen) {
  if (!find_kernel()) return;
  bench b;
  open_bench(&b, NULL, 0);
  hk_graph *g = &b.trace->g;
  int32_t broken = 0, seen = 0;
  for (uint32_t n = 1; n < g->n; n++) {
    const uint8_t was = g->nodes[n].op, is = other_op(was);
    if (!is || !b.plan.needed[n] || (test_short() && n % 16)) continue;
    g->nodes[n].op = is;
    broken++;
    const hk_status st = hki_check(&b.plan, &b.bytes, NULL);
    g->nodes[n].op = was;
    ck_assert(st == HK_OK || st == HK_E_MODEL);
    if (st == HK_OK) continue;
    seen++;
    ck_assert_ptr_nonnull(strstr(words(&b), "the program would not be right: after"));
    hk_ctx_clear(b.ctx); // a context keeps 200
  }
  ck_assert_int_gt(broken, test_short() ? 5 : 140);
  ck_assert_int_gt(100 * seen, 95 * broken);
  // and whole again
  ck_assert_int_eq(hki_check(&b.plan, &b.bytes, NULL), HK_OK);
  close_bench(&b);
}
END_TEST

/* a constant that is off by a part in a thousand million, an output, a start value, a number that follows from a parameter */
START_TEST(numbers_that_are_off_are_seen) {
  static const char *const kept[] = {"k"};
  if (!find_kernel()) return;
  bench b;
  open_bench(&b, kept, 1);
  hk_slot *angle = &b.trace->outputs[0];
  const hk_slot was = *angle;
  *angle = b.trace->outputs[1];
  ck_assert_int_eq(hki_check(&b.plan, &b.bytes, NULL), HK_E_MODEL);
  ck_assert_ptr_nonnull(strstr(words(&b), "after 1 steps 'joint.pin.angle' is"));
  *angle = was;

  hk_trace_state *q = &b.trace->states[b.plan.cell[0]];
  q->start += 1e-9;
  ck_assert_int_eq(hki_check(&b.plan, &b.bytes, NULL), HK_E_MODEL);
  ck_assert_ptr_nonnull(strstr(words(&b), "after 0 steps coordinate 1 is"));
  q->start -= 1e-9;

  // a number of the model that does not follow the parameter
  hk_setup *s = b.trace->setup;
  const int32_t nfollow = s->nfollow;
  ck_assert_int_gt(nfollow, 0);
  s->nfollow = 0;
  ck_assert_int_eq(hki_check(&b.plan, &b.bytes, NULL), HK_E_MODEL);
  ck_assert_ptr_nonnull(strstr(words(&b), "with other values of the parameters that are kept"));
  s->nfollow = nfollow;
  ck_assert_int_eq(hki_check(&b.plan, &b.bytes, NULL), HK_OK);
  close_bench(&b);
}
END_TEST

Suite *suite_check(void) {
  Suite *s = suite_create("check");
  TCase *c = tcase_create("check");
  tcase_set_timeout(c, 60);
  tcase_add_test(c, a_program_has_the_bits_of_the_library);
  tcase_add_test(c, a_node_that_is_another_one_is_seen);
  tcase_add_test(c, numbers_that_are_off_are_seen);
  suite_add_tcase(s, c);
  return s;
}
