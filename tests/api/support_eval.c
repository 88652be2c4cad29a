/* SPDX-License-Identifier: Apache-2.0
 *
 * support_eval.c: arguments of the functions of evaluations.
 */
#include "support_arguments.h"

#include <math.h>

#define OTHER_EVAL ((hk_eval *)(void *)x.m)

void test_eval_life(void) {
  hk_eval *e = OTHER_EVAL;
  USAGE(hk_eval_create(x.ctx, NULL, &e));
  NOTHING(e);
  USAGE(hk_eval_create(x.ctx, OTHER_MODEL, &e));
  says("hk_eval_create: no model");
  USAGE(hk_eval_create(OTHER_CTX, x.m, &e));
  USAGE(hk_eval_create(x.ctx, x.m, NULL));
  hk_eval_destroy(NULL);
  hk_eval_destroy(OTHER_EVAL);
  ck_assert_int_eq(hk_eval_create(NULL, x.m, &e), HK_OK);
  hk_eval_destroy(e);
}

void test_eval_asked(void) {
  hk_eval *e;
  double y[16] = {0};
  ck_assert_int_eq(hk_eval_create(NULL, x.m, &e), HK_OK);
  hk_eval *const wrong[] = {NULL, OTHER_EVAL};
  for (int i = 0; i < 2; i++) {
    ZERO(hk_eval_coordinates(wrong[i]));
    ZERO(hk_eval_velocities(wrong[i]));
    ZERO(hk_eval_constraints(wrong[i]));
    ZERO(hk_eval_frames(wrong[i]));
    NOTHING(hk_eval_coordinate_name(wrong[i], 0));
    NOTHING(hk_eval_velocity_name(wrong[i], 0));
    NOTHING(hk_eval_constraint_name(wrong[i], 0));
    NOTHING(hk_eval_frame_name(wrong[i], 0));
    ck_assert_int_eq(hk_eval_frame_find(wrong[i], "body.bob"), -1);
    USAGE(hk_eval_plus(wrong[i], y, y, y));
    USAGE(hk_eval_minus(wrong[i], y, y, y));
    USAGE(hk_eval_get(wrong[i], y, y, y));
  }
  const int32_t outside[] = {-1, 1000};
  for (int i = 0; i < 2; i++) {
    NOTHING(hk_eval_coordinate_name(e, outside[i]));
    NOTHING(hk_eval_velocity_name(e, outside[i]));
    NOTHING(hk_eval_constraint_name(e, outside[i]));
    NOTHING(hk_eval_frame_name(e, outside[i]));
    USAGE(hk_eval_pose(e, outside[i], y, y));
    USAGE(hk_eval_twist(e, outside[i], y, y));
    USAGE(hk_eval_acceleration(e, outside[i], y, y, y));
    USAGE(hk_eval_jacobian(e, outside[i], y, 16));
  }
  ck_assert_int_eq(hk_eval_frame_find(e, NULL), -1);
  ck_assert_int_eq(hk_eval_frame_find(e, "nothing"), -1);
  USAGE(hk_eval_plus(e, NULL, y, y));
  USAGE(hk_eval_plus(e, y, y, NULL));
  USAGE(hk_eval_minus(e, y, NULL, y));
  says("hk_eval_minus");
  ck_assert_int_eq(hk_eval_get(e, NULL, NULL, NULL), HK_OK);
  hk_eval_destroy(e);
}

void test_eval_used(void) {
  hk_eval *e;
  double y[64] = {0};
  const double nan = NAN;
  ck_assert_int_eq(hk_eval_create(NULL, x.m, &e), HK_OK);
  hk_eval *const wrong[] = {NULL, OTHER_EVAL};
  for (int i = 0; i < 2; i++) {
    USAGE(hk_eval_state(wrong[i], 0.0, y, y));
    USAGE(hk_eval_take(wrong[i], x.s, NULL));
    USAGE(hk_eval_project(wrong[i]));
    USAGE(hk_eval_mass(wrong[i], y, 8));
    USAGE(hk_eval_inverse(wrong[i], y, y));
    USAGE(hk_eval_forward(wrong[i], y, y, y));
    USAGE(hk_eval_drives(wrong[i], y, 0, NULL, y));
    USAGE(hk_eval_energy(wrong[i], y, y));
    USAGE(hk_eval_pose(wrong[i], 0, y, y));
    USAGE(hk_eval_twist(wrong[i], 0, y, y));
    USAGE(hk_eval_acceleration(wrong[i], 0, y, y, y));
    USAGE(hk_eval_jacobian(wrong[i], 0, y, 8));
    USAGE(hk_eval_residual(wrong[i], y, y, y));
    USAGE(hk_eval_constraint_jacobian(wrong[i], y, 8));
  }
  USAGE(hk_eval_state(e, 0.0, NULL, y));
  USAGE(hk_eval_state(e, NAN, y, y));
  USAGE(hk_eval_state(e, 0.0, &nan, y));
  USAGE(hk_eval_state(e, 0.0, y, &nan));
  says("hk_eval_state");
  USAGE(hk_eval_input_set(e, 0, 1.0));
  says("hk_eval_input_set");
  ck_assert_int_eq(hk_eval_input_find(e, "torque"), -1);
  ck_assert_int_eq(hk_eval_input_find(e, NULL), -1);
  ck_assert_int_eq(hk_eval_input_find(OTHER_EVAL, "torque"), -1);
  USAGE(hk_eval_input_set(OTHER_EVAL, 0, 1.0));
  USAGE(hk_eval_take(e, NULL, NULL));
  USAGE(hk_eval_take(e, OTHER_SIM, NULL));
  USAGE(hk_eval_mass(e, NULL, 8));
  USAGE(hk_eval_mass(e, y, 0));
  USAGE(hk_eval_inverse(e, y, NULL));
  USAGE(hk_eval_forward(e, y, NULL, NULL));
  const int32_t drive[] = {0, 7};
  USAGE(hk_eval_drives(e, y, 2, drive, y));
  USAGE(hk_eval_drives(e, y, -1, drive, y));
  USAGE(hk_eval_drives(e, y, 1, NULL, y));
  USAGE(hk_eval_drives(e, y, 1, drive + 1, y));
  USAGE(hk_eval_drives(e, y, 1, drive, NULL));
  USAGE(hk_eval_jacobian(e, 0, NULL, 8));
  USAGE(hk_eval_jacobian(e, 0, y, 0));
  USAGE(hk_eval_constraint_jacobian(e, NULL, 8));
  says("hk_eval_constraint_jacobian");
  ck_assert_int_eq(hk_eval_pose(e, 0, NULL, NULL), HK_OK);
  ck_assert_int_eq(hk_eval_residual(e, NULL, NULL, NULL), HK_OK);
  hk_eval_destroy(e);
}
