/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments of the functions of hooke/live.h.
 */
#include "support_live.h"

#include <check.h>
#include <math.h>
#include <string.h>

static test_live_things x;

#define USAGE(call)   ck_assert_int_eq((call), HK_E_USAGE)
#define NOTHING(call) ck_assert_ptr_null((call))
#define ZERO(call)    ck_assert_int_eq((call), 0)
#define OTHER_SIM     ((hk_sim *)(void *)x.m)
#define OTHER_MODEL   ((hk_model *)(void *)x.s)
#define OTHER_CTX     ((hk_ctx *)(void *)x.m)

/* the last message has these words */
static void says(const char *words) {
  const char *said = hk_ctx_message(x.ctx, hk_ctx_message_count(x.ctx) - 1)->text;
  ck_assert_msg(strstr(said, words) != NULL, "%s", said);
}

static void channels(void) {
  const int32_t n = hk_sim_channel_count(x.s);
  const int32_t outside[] = {-1, n};
  ZERO(hk_sim_channel_count(NULL));
  for (int i = 0; i < 2; i++) {
    NOTHING(hk_sim_channel_name(x.s, outside[i]));
    NOTHING(hk_sim_channel_unit(x.s, outside[i]));
    NOTHING(hk_sim_channel_text(x.s, outside[i]));
    ZERO(hk_sim_channel_unique(x.s, outside[i]));
  }
  NOTHING(hk_sim_channel_name(NULL, 0));
  NOTHING(hk_sim_channel_unit(NULL, 0));
  NOTHING(hk_sim_channel_text(OTHER_SIM, 0));
  ZERO(hk_sim_channel_unique(NULL, 0));
}

static void inputs(void) {
  hk_sim *wrong[] = {NULL, OTHER_SIM};
  const double value = 1.0;
  const int32_t other = 7;
  for (int i = 0; i < 2; i++) {
    ZERO(hk_sim_input_count(wrong[i]));
    NOTHING(hk_sim_input_name(wrong[i], 0));
    ck_assert_int_eq(hk_sim_input_find(wrong[i], "u"), -1);
    USAGE(hk_sim_input_set(wrong[i], 0, 0.0, 0));
    USAGE(hk_sim_inputs_set(wrong[i], 0, NULL, NULL, 0));
    ck_assert(isnan(hk_sim_input_get(wrong[i], 0)));
  }
  // a model without inputs
  ZERO(hk_sim_input_count(x.s));
  NOTHING(hk_sim_input_name(x.s, 0));
  NOTHING(hk_sim_input_name(x.s, -1));
  ck_assert_int_eq(hk_sim_input_find(x.s, NULL), -1);
  USAGE(hk_sim_input_set(x.s, 0, 0.0, 0));
  says("hk_sim_input_set");
  USAGE(hk_sim_input_set(x.s, -1, 0.0, 0));
  USAGE(hk_sim_inputs_set(x.s, 1, NULL, &value, 0));
  USAGE(hk_sim_inputs_set(x.s, 1, &other, &value, 0));
  USAGE(hk_sim_inputs_set(x.s, 1, &other, NULL, 0));
  USAGE(hk_sim_inputs_set(x.s, -1, NULL, &value, 0));
  says("hk_sim_inputs_set");
  USAGE(hk_sim_inputs_set(x.s, 0, NULL, NULL, 2));
  ck_assert_int_eq(hk_sim_inputs_set(x.s, 0, NULL, NULL, 1), HK_OK);
  ck_assert(isnan(hk_sim_input_get(x.s, 0)));
}

static void parameters(void) {
  hk_sim *wrong[] = {NULL, OTHER_SIM};
  const double value = 1.0, no_number = NAN;
  const int32_t n = hk_sim_parameter_count(x.s), outside[] = {-1, n};
  for (int i = 0; i < 2; i++) {
    ZERO(hk_sim_parameter_count(wrong[i]));
    NOTHING(hk_sim_parameter_name(wrong[i], 0));
    ck_assert_int_eq(hk_sim_parameter_find(wrong[i], "k"), -1);
    ck_assert(isnan(hk_sim_parameter_get(wrong[i], 0)));
    USAGE(hk_sim_parameter_set(wrong[i], 0, 1.0));
    USAGE(hk_sim_parameters_set(wrong[i], 0, NULL, NULL));
    USAGE(hk_sim_rebind(wrong[i], x.m));
    NOTHING(hk_sim_parameter_name(x.s, outside[i]));
    ck_assert(isnan(hk_sim_parameter_get(x.s, outside[i])));
    USAGE(hk_sim_parameter_set(x.s, outside[i], 1.0));
    USAGE(hk_sim_parameters_set(x.s, 1, &outside[i], &value));
  }
  ck_assert_int_eq(hk_sim_parameter_find(x.s, NULL), -1);
  ck_assert_int_eq(hk_sim_parameter_find(x.s, "no such"), -1);
  USAGE(hk_sim_parameters_set(x.s, n + 1, NULL, &value));
  USAGE(hk_sim_parameters_set(x.s, -1, NULL, &value));
  USAGE(hk_sim_parameters_set(x.s, 1, NULL, NULL));
  USAGE(hk_sim_parameters_set(x.s, 1, NULL, &no_number));
  says("hk_sim_parameters_set");
  ck_assert_int_eq(hk_sim_parameters_set(x.s, 0, NULL, NULL), HK_OK);
  USAGE(hk_sim_rebind(x.s, NULL));
  USAGE(hk_sim_rebind(x.s, OTHER_MODEL));
  says("hk_sim_rebind");
}

static void values(void) {
  hk_sim *wrong[] = {NULL, OTHER_SIM};
  double y[9];
  const int32_t far = 100, low = -1;
  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(hk_sim_channel_handle(wrong[i], "energy.total"), -1);
    USAGE(hk_sim_read(wrong[i], 0, NULL, NULL));
    ZERO(hk_sim_body_count(wrong[i]));
    NOTHING(hk_sim_body_name(wrong[i], 0));
    ck_assert_int_eq(hk_sim_body_find(wrong[i], "a"), -1);
    USAGE(hk_sim_body_pose(wrong[i], 0, y, NULL));
    USAGE(hk_sim_body_twist(wrong[i], 0, y, NULL));
    ZERO(hk_sim_joint_count(wrong[i]));
    NOTHING(hk_sim_joint_name(wrong[i], 0));
    ck_assert_int_eq(hk_sim_joint_find(wrong[i], "a"), -1);
    ck_assert_int_eq(hk_sim_joint_coordinates(wrong[i], 0), -1);
    USAGE(hk_sim_joint_get(wrong[i], 0, 1, y, NULL));
    USAGE(hk_sim_joint_reaction(wrong[i], 0, y, NULL));
    USAGE(hk_sim_joint_set(wrong[i], 0, 1, NULL, NULL));
    USAGE(hk_sim_restart(wrong[i]));
    USAGE(hk_sim_body_set(wrong[i], 0, NULL, NULL, NULL, NULL));
    ZERO(hk_sim_node_count(wrong[i]));
    NOTHING(hk_sim_node_name(wrong[i], 0));
    ck_assert_int_eq(hk_sim_node_find(wrong[i], "a"), -1);
    USAGE(hk_sim_node_get(wrong[i], 0, y));
    USAGE(hk_sim_node_set(wrong[i], 0, 1.0));
  }
  ck_assert_int_eq(hk_sim_channel_handle(x.s, NULL), -1);
  says("hk_sim_channel_handle");
  ck_assert_int_eq(hk_sim_channel_handle(x.s, "energy.totl"), -1);
  says("unknown channel 'energy.totl'");
  const int32_t h = hk_sim_channel_handle(x.s, "energy.total");
  ck_assert_int_ge(h, 0);
  ck_assert_int_eq(hk_sim_channel_handle(x.s, "energy.total"), h);
  ck_assert_int_eq(hk_sim_read(x.s, 1, &h, y), HK_OK);
  ck_assert_int_eq(hk_sim_read(x.s, 0, NULL, NULL), HK_OK);
  USAGE(hk_sim_read(x.s, 1, &h, NULL));
  USAGE(hk_sim_read(x.s, 1, NULL, y));
  USAGE(hk_sim_read(x.s, -1, &h, y));
  USAGE(hk_sim_read(x.s, 1, &far, y));
  USAGE(hk_sim_read(x.s, 1, &low, y));
  says("hk_sim_read");
  NOTHING(hk_sim_body_name(x.s, hk_sim_body_count(x.s)));
  ck_assert_int_eq(hk_sim_body_find(x.s, NULL), -1);
  USAGE(hk_sim_body_pose(x.s, -1, y, y));
  USAGE(hk_sim_body_twist(x.s, hk_sim_body_count(x.s), y, y));
  ck_assert_int_eq(hk_sim_body_pose(x.s, 0, NULL, NULL), HK_OK);
  ck_assert_int_eq(hk_sim_body_twist(x.s, 0, NULL, NULL), HK_OK);
  NOTHING(hk_sim_joint_name(x.s, -1));
  ck_assert_int_eq(hk_sim_joint_find(x.s, NULL), -1);
  ck_assert_int_eq(hk_sim_joint_coordinates(x.s, 100), -1);
  USAGE(hk_sim_joint_get(x.s, 0, 2, y, y));
  const double no_number = NAN;
  USAGE(hk_sim_joint_set(x.s, 0, 2, y, y));
  USAGE(hk_sim_joint_set(x.s, 100, 1, y, y));
  USAGE(hk_sim_joint_set(x.s, 0, 1, &no_number, NULL));
  says("hk_sim_joint_set");
  const double no_place[3] = {0.0, NAN, 0.0}, no_rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, -1};
  USAGE(hk_sim_body_set(x.s, -1, y, NULL, NULL, NULL));
  USAGE(hk_sim_body_set(x.s, 0, no_place, NULL, NULL, NULL));
  USAGE(hk_sim_body_set(x.s, 0, NULL, no_rotation, NULL, NULL));
  says("must be a rotation");
  USAGE(hk_sim_node_get(x.s, hk_sim_node_count(x.s), y));
  USAGE(hk_sim_node_set(x.s, -1, 1.0));
  says("hk_sim_node_set");
  USAGE(hk_sim_joint_get(x.s, -1, 1, y, y));
  USAGE(hk_sim_joint_reaction(x.s, 100, y, y));
  ck_assert_int_eq(hk_sim_joint_get(x.s, 0, 1, NULL, NULL), HK_OK);
  ck_assert_int_eq(hk_sim_joint_reaction(x.s, 0, NULL, NULL), HK_OK);
}

static void coordinates(void) {
  hk_sim *wrong[] = {NULL, OTHER_SIM};
  double q[64], y[4];
  const int32_t h = hk_sim_channel_handle(x.s, "energy.total");
  ck_assert_int_le(hk_sim_coordinate_count(x.s), 64);
  for (int i = 0; i < 64; i++) q[i] = NAN;
  for (int i = 0; i < 2; i++) {
    ZERO(hk_sim_coordinate_count(wrong[i]));
    ZERO(hk_sim_velocity_count(wrong[i]));
    NOTHING(hk_sim_coordinate_name(wrong[i], 0));
    NOTHING(hk_sim_velocity_name(wrong[i], 0));
    USAGE(hk_sim_coordinates_get(wrong[i], NULL, NULL));
    USAGE(hk_sim_coordinates_set(wrong[i], NULL, NULL));
    USAGE(hk_sim_rollout(wrong[i], 0, 1, NULL, 0, NULL, NULL));
  }
  NOTHING(hk_sim_coordinate_name(x.s, hk_sim_coordinate_count(x.s)));
  NOTHING(hk_sim_velocity_name(x.s, -1));
  USAGE(hk_sim_coordinates_set(x.s, q, NULL));
  says("hk_sim_coordinates_set");
  USAGE(hk_sim_rollout(x.s, -1, 1, NULL, 0, NULL, NULL));
  USAGE(hk_sim_rollout(x.s, 1, 0, NULL, 0, NULL, NULL));
  USAGE(hk_sim_rollout(x.s, 1, 1, NULL, 1, NULL, y));
  USAGE(hk_sim_rollout(x.s, 1, 1, NULL, 1, &h, NULL));
  says("hk_sim_rollout");
}

static void states(void) {
  hk_sim *wrong[] = {NULL, OTHER_SIM}, *clone = x.s;
  char blob[8] = "";
  for (int i = 0; i < 2; i++) {
    ZERO(hk_sim_state_size(wrong[i]));
    USAGE(hk_sim_state_get(wrong[i], blob, 8));
    USAGE(hk_sim_state_set(wrong[i], blob, 8));
    USAGE(hk_sim_reset(wrong[i]));
    USAGE(hk_sim_clone(wrong[i], x.ctx, &clone));
    NOTHING(clone);
    USAGE(hk_sim_keep(wrong[i], 1));
    ZERO(hk_sim_kept(wrong[i]));
    USAGE(hk_sim_rollback(wrong[i], 1));
    USAGE(hk_sim_step_to(wrong[i], 1.0));
  }
  USAGE(hk_sim_state_get(x.s, blob, 8));
  USAGE(hk_sim_state_get(x.s, NULL, hk_sim_state_size(x.s)));
  says("hk_sim_state_get");
  USAGE(hk_sim_state_set(x.s, blob, 8));
  says("this state cannot be used: it is too short");
  USAGE(hk_sim_state_set(x.s, NULL, hk_sim_state_size(x.s)));
  // a run may go back to its start too
  ck_assert_int_eq(hk_sim_reset(x.s), HK_OK);
  ck_assert_double_eq(hk_sim_time(x.s), 0.0);
  USAGE(hk_sim_clone(x.s, x.ctx, NULL));
  USAGE(hk_sim_clone(x.s, OTHER_CTX, &clone));
  NOTHING(clone);
  USAGE(hk_sim_keep(x.s, -1));
  USAGE(hk_sim_rollback(x.s, 1));
  USAGE(hk_sim_rollback(x.s, -1));
  USAGE(hk_sim_step_to(x.s, NAN));
  says("hk_sim_step_to");
}

static void create(void) {
  hk_sim *s = x.s;
  USAGE(hk_sim_create_in(x.ctx, NULL, NULL, &s));
  NOTHING(s);
  USAGE(hk_sim_create_in(x.ctx, OTHER_MODEL, NULL, &s));
  says("hk_sim_create_in");
  USAGE(hk_sim_create_in(OTHER_CTX, x.m, NULL, &s));
  USAGE(hk_sim_create_in(x.ctx, x.m, NULL, NULL));
  ck_assert_int_eq(hk_sim_create_in(NULL, x.m, NULL, &s), HK_OK);
  hk_sim_destroy(s);
}

void test_live(const test_live_things *things) {
  x = *things;
  channels();
  inputs();
  parameters();
  coordinates();
  values();
  states();
  create();
}
