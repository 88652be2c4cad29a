/* SPDX-License-Identifier: Apache-2.0
 *
 * support_statespace.c: arguments of the functions of linear equations.
 */
#include "support_arguments.h"

/* a handle of another kind */
#define OTHER_SPACE ((hk_statespace *)(void *)x.m)

void test_statespace_life(void) {
  hk_statespace *l = OTHER_SPACE;
  hk_statespace_options opt = hk_statespace_options_def();
  USAGE(hk_statespace_create(NULL, NULL, &l));
  ck_assert_ptr_null(l);
  USAGE(hk_statespace_create(OTHER_SIM, NULL, &l));
  USAGE(hk_statespace_create(x.s, NULL, NULL));
  says("hk_statespace_create");
  opt.noutputs = 1;
  USAGE(hk_statespace_create(x.s, &opt, &l));
  opt.noutputs = -1;
  USAGE(hk_statespace_create(x.s, &opt, &l));
  opt = hk_statespace_options_def();
  opt.ninputs = 1;
  USAGE(hk_statespace_create(x.s, &opt, &l));
  opt = hk_statespace_options_def();
  opt.size = 2;
  USAGE(hk_statespace_create(x.s, &opt, &l));
  static const char *const joints[] = {"pin", NULL};
  const hk_blades rings[] = {{"pin", 2, joints}, {NULL, 2, joints}, {"pin", 0, joints}};
  opt = hk_statespace_options_def();
  opt.period = -1.0;
  USAGE(hk_statespace_create(x.s, &opt, &l));
  opt.period = 1.0, opt.frame = "pin";
  USAGE(hk_statespace_create(x.s, &opt, &l));
  opt = hk_statespace_options_def();
  opt.nrings = 1;
  USAGE(hk_statespace_create(x.s, &opt, &l));
  for (int i = 0; i < 3; i++) {
    opt.rings = &rings[i];
    USAGE(hk_statespace_create(x.s, &opt, &l));
  }
  opt = hk_statespace_options_def();
  opt.number = -1;
  USAGE(hk_statespace_create(x.s, &opt, &l));
  opt.number = 0, opt.low_Hz = 2.0, opt.high_Hz = 1.0;
  USAGE(hk_statespace_create(x.s, &opt, &l));
  opt.high_Hz = 3.0, opt.sparse = 1, opt.period = 1.0;
  USAGE(hk_statespace_create(x.s, &opt, &l));
  hk_statespace_options_init(NULL, sizeof opt);
  hk_statespace_destroy(NULL);
  hk_statespace_destroy(OTHER_SPACE);
}

void test_statespace_asked(void) {
  hk_statespace *l;
  double y[64];
  const char *name;
  hk_mode mode = {.size = sizeof mode};
  hk_statespace_quantity quantity = {.size = sizeof quantity};
  ck_assert_int_eq(hk_statespace_create(x.s, NULL, &l), HK_OK);
  hk_statespace *const wrong[] = {NULL, OTHER_SPACE};
  for (int i = 0; i < 2; i++) {
    ZERO(hk_statespace_states(wrong[i]));
    ZERO(hk_statespace_positions(wrong[i]));
    ZERO(hk_statespace_velocities(wrong[i]));
    ZERO(hk_statespace_inputs(wrong[i]));
    ZERO(hk_statespace_outputs(wrong[i]));
    NOTHING(hk_statespace_state_name(wrong[i], 0));
    NOTHING(hk_statespace_output_name(wrong[i], 0));
    USAGE(hk_statespace_matrix(wrong[i], 'A', y, 8));
    USAGE(hk_statespace_variable(wrong[i], 'x', 0, &quantity));
    USAGE(hk_statespace_write(wrong[i], "x.nc"));
    USAGE(hk_statespace_frequency(wrong[i], 1, y, y, y));
    USAGE(hk_statespace_step(wrong[i], 1, 1.0, y));
    ck_assert(isnan(hk_statespace_acceleration(wrong[i], &name)));
    ck_assert(isnan(hk_statespace_roughness(wrong[i], &name)));
    ck_assert(isnan(hk_statespace_variation(wrong[i])));
    ZERO(hk_statespace_sparse(wrong[i]));
    ck_assert(isnan(hk_statespace_period(wrong[i], y, y, &name)));
    USAGE(hk_statespace_find_modes(wrong[i], NULL));
    USAGE(hk_statespace_mode(wrong[i], 0, &mode));
    USAGE(hk_statespace_shape(wrong[i], 0, y, y));
    USAGE(hk_statespace_body(wrong[i], 0, 0, y, y, NULL));
  }
  NOTHING(hk_statespace_state_name(l, 99));
  NOTHING(hk_statespace_output_name(l, 0));
  USAGE(hk_statespace_matrix(l, 'A', NULL, 8));
  USAGE(hk_statespace_matrix(l, 'x', y, 8));
  ck_assert_int_eq(hk_statespace_variable(l, 'x', 0, &quantity), HK_OK);
  ck_assert_str_eq(quantity.name, hk_statespace_state_name(l, 0));
  USAGE(hk_statespace_variable(l, 'A', 0, &quantity));
  USAGE(hk_statespace_variable(l, 'y', 0, &quantity));
  USAGE(hk_statespace_variable(l, 'x', -1, &quantity));
  USAGE(hk_statespace_variable(l, 'x', 0, NULL));
  USAGE(hk_statespace_write(l, NULL));
  USAGE(hk_statespace_frequency(l, 1, NULL, y, y));
  USAGE(hk_statespace_frequency(l, -1, y, y, y));
  USAGE(hk_statespace_step(l, 1, 0.0, y));
  USAGE(hk_statespace_step(l, 1, 1.0, NULL));
  USAGE(hk_statespace_mode(l, 0, &mode));
  USAGE(hk_statespace_record(l, x.s, 0, "x.csv", NULL));
  USAGE(hk_statespace_record(NULL, x.s, 0, "x.csv", NULL));
  USAGE(hk_statespace_record(l, OTHER_SIM, 0, "x.csv", NULL));
  ck_assert_int_eq(hk_statespace_find_modes(l, NULL), HK_OK);
  USAGE(hk_statespace_mode(l, -1, &mode));
  USAGE(hk_statespace_mode(l, 0, NULL));
  USAGE(hk_statespace_shape(l, 0, NULL, y));
  USAGE(hk_statespace_body(l, 0, -1, y, y, NULL));
  says("hk_statespace_body");
  hk_statespace_destroy(l);
}
