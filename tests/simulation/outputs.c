/* SPDX-License-Identifier: Apache-2.0
 *
 * Outputs at accepted states belong to the velocities recorded with them, which the formulation
 * may have projected onto the closures after its step: a motor whose torque follows a rate gives
 * what its signal is, to the last bit.
 */
#include <string.h>

#include "runner.h"
#include "simulation/simulation.h"

static const char *const model =
    "hooke: 1\n"
    "planar: xy\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  left:    {mass: 1, com: [0, 0.5, 0], inertia: {zz: 0.08}}\n"
    "  right:   {mass: 1, com: [1, 0.6, 0], inertia: {zz: 0.08}}\n"
    "  coupler: {mass: 1, com: [0.5, 1.1, 0], inertia: {zz: 0.08}}\n"
    "joints:\n"
    "  a: {type: revolute, between: [ground, left], at: [0, 0, 0], axis: z}\n"
    "  b: {type: revolute, between: [left, coupler], at: [0, 1, 0], axis: z}\n"
    "  c: {type: revolute, between: [coupler, right], at: [1, 1.2, 0], axis: z}\n"
    "  d: {type: revolute, between: [ground, right], at: [1, 0, 0], axis: z}\n"
    "signals:\n"
    "  brake: \"-0.3*joint.d.rate\"\n"
    "forces:\n"
    "  motor: {type: joint_torque, joint: d, value: brake}\n"
    "start:\n"
    "  a: {rate: -2}\n"
    "record: [\"force.motor.torque\", \"signal.brake\"]\n"
    "run: {time: 1, step: 0.02, integrator: trapezoidal}\n";

START_TEST(test_outputs_belong_to_the_recorded_velocities) {
  static const char *const formulation[] = {"hybrid", "recursive", "topological"};
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = NULL;
  hk_sim *s = NULL;
  hk_sim_options opt = hk_sim_options_def();
  opt.formulation = formulation[_i];
  ck_assert_int_eq(hk_model_parse(ctx, model, strlen(model), "motor.yaml", NULL, 0, &m), HK_OK);
  ck_assert_int_eq(hk_sim_create(m, &opt, &s), HK_OK);
  ck_assert_int_eq(s->nchannels, 2);
  for (int step = 0; step < 40; step++) {
    double y[2];
    ck_assert_int_eq(hk_sim_step(s), HK_OK);
    ck_assert_int_eq(hki_sim_record(s, y), HK_OK);
    ck_assert_double_eq(y[0], y[1]);
    ck_assert_double_ne(y[0], 0.0);
  }
  hk_sim_destroy(s);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}
END_TEST

Suite *suite_outputs(void);
Suite *suite_outputs(void) {
  Suite *s = suite_create("outputs");
  TCase *t = tcase_create("outputs");
  tcase_add_loop_test(t, test_outputs_belong_to_the_recorded_velocities, 0, 3);
  suite_add_tcase(s, t);
  return s;
}
