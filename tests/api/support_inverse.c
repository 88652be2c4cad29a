/* SPDX-License-Identifier: Apache-2.0
 *
 * support_inverse.c: arguments of the functions of actuators.
 */
#include "support_arguments.h"

/* a handle of another kind */
#define OTHER_INVERSE ((hk_inverse *)(void *)x.m)

static void test_options(void) {
  const hk_actuator list[] = {{"joint.pin.angle", -1.0, 1.0, 2.0}, {NULL, NAN, NAN, NAN}},
                    empty = {"pin", 1.0, 1.0, NAN}, open = {"pin", NAN, NAN, NAN};
  hk_inverse_options opt = hk_inverse_options_def();
  hk_inverse *a = OTHER_INVERSE;
  hk_inverse_options_init(NULL, sizeof opt);
  opt.nactuators = 1, opt.actuators = list;
  USAGE(hk_inverse_open(NULL, &opt, &a));
  ck_assert_ptr_null(a);
  USAGE(hk_inverse_open(OTHER_SIM, &opt, &a));
  USAGE(hk_inverse_open(x.s, &opt, NULL));
  opt.nactuators = 2;
  USAGE(hk_inverse_open(x.s, &opt, &a)); // no name
  opt.nactuators = -1;
  USAGE(hk_inverse_open(x.s, &opt, &a));
  opt.nactuators = 1, opt.actuators = NULL;
  USAGE(hk_inverse_open(x.s, &opt, &a));
  opt.actuators = &empty;
  USAGE(hk_inverse_open(x.s, &opt, &a)); // an empty range
  opt.actuators = list, opt.minimise = "pain";
  USAGE(hk_inverse_open(x.s, &opt, &a));
  opt.minimise = "activation", opt.actuators = &open;
  USAGE(hk_inverse_open(x.s, &opt, &a)); // no range
  opt.size = 3;
  USAGE(hk_inverse_open(x.s, &opt, &a));
  USAGE(hk_inverse_open(x.s, NULL, &a)); // no motion
  opt = hk_inverse_options_def();
  opt.nactuators = 1, opt.actuators = list, opt.minimise = "activation";
  ck_assert_int_eq(hk_inverse_open(x.s, &opt, &a), HK_OK);
  ZERO(hk_inverse_saturated(a, 0));
  ZERO(hk_inverse_saturated(a, -1));
  ZERO(hk_inverse_saturated(a, 1));
  hk_inverse_destroy(a);
}

static void test_motion(void) {
  const hk_actuator pin = {"pin", NAN, NAN, NAN};
  hk_inverse_freedoms f = {.size = sizeof f}, small = {.size = 2};
  hk_inverse_options opt = hk_inverse_options_def();
  hk_sim_options sim = hk_sim_options_def();
  hk_run_options run = hk_run_options_def();
  hk_inverse *a = OTHER_INVERSE;
  ZERO(hk_inverse_asked(NULL));
  ZERO(hk_inverse_asked((hk_model *)(void *)x.s));
  ZERO(hk_inverse_asked(x.m));
  sim.time = 0.02, sim.step = 0.01, run.sim = &sim;
  opt.nactuators = 1, opt.actuators = &pin;
  USAGE(hk_inverse_run(NULL, &opt, &run, &a));
  ck_assert_ptr_null(a);
  USAGE(hk_inverse_run((hk_model *)(void *)x.s, &opt, &run, &a));
  USAGE(hk_inverse_run(x.m, &opt, &run, NULL));
  run.size = 1;
  USAGE(hk_inverse_run(x.m, &opt, &run, &a));
  run.size = sizeof run;
  ck_assert_int_eq(hk_inverse_run(x.m, &opt, &run, &a), HK_OK);
  ck_assert_int_eq(hk_inverse_rows(a), 3);
  ck_assert_double_eq_tol(hk_inverse_row(a, 2)[0], 0.02, 1e-12);
  NOTHING(hk_inverse_row(a, 3));
  NOTHING(hk_inverse_row(a, -1));
  ZERO(hk_inverse_saturated_rows(a, 0));
  ZERO(hk_inverse_saturated_rows(a, 1));
  NOTHING(hk_inverse_freedoms_get(a, NULL));
  NOTHING(hk_inverse_freedoms_get(a, &small));
  ck_assert_str_eq(hk_inverse_freedoms_get(a, &f), "over"); // nothing is prescribed: it needs none
  ck_assert_int_eq(f.all, 1);
  ck_assert_int_eq(f.moving, 1);
  hk_inverse_destroy(a);
  hk_inverse *const wrong[] = {NULL, OTHER_INVERSE};
  for (int i = 0; i < 2; i++) {
    ZERO(hk_inverse_rows(wrong[i]));
    NOTHING(hk_inverse_row(wrong[i], 0));
    ZERO(hk_inverse_saturated_rows(wrong[i], 0));
    NOTHING(hk_inverse_freedoms_get(wrong[i], &f));
  }
}

void test_inverse(void) {
  hk_inverse *a = OTHER_INVERSE;
  double y[4];
  static const char *const names[] = {"joint.pin.angle", "nothing"}, *const missing[] = {NULL};
  USAGE(hk_inverse_create(NULL, 1, names, &a));
  ck_assert_ptr_null(a);
  USAGE(hk_inverse_create(OTHER_SIM, 1, names, &a));
  USAGE(hk_inverse_create(x.s, 1, names, NULL));
  USAGE(hk_inverse_create(x.s, -1, names, &a));
  USAGE(hk_inverse_create(x.s, 1, NULL, &a));
  USAGE(hk_inverse_create(x.s, 1, missing, &a));
  says("hk_inverse_create");
  USAGE(hk_inverse_create(x.s, 2, names, &a)); // no joint 'nothing'
  USAGE(hk_inverse_create(x.s, 0, NULL, &a));  // no motion
  ck_assert_int_eq(hk_inverse_create(x.s, 1, names, &a), HK_OK);
  ck_assert_int_eq(hk_inverse_count(a), 1);
  ck_assert_str_eq(hk_inverse_name(a, 0), names[0]);
  NOTHING(hk_inverse_name(a, 1));
  USAGE(hk_inverse_find(a, NULL, NULL));
  ck_assert_int_eq(hk_inverse_find(a, y, NULL), HK_OK);
  // nothing prescribes the pendulum's motion: it needs no torque
  ck_assert_double_eq_tol(y[0], 0.0, 1e-9);
  hk_inverse *const wrong[] = {NULL, OTHER_INVERSE};
  for (int i = 0; i < 2; i++) {
    ZERO(hk_inverse_count(wrong[i]));
    ZERO(hk_inverse_saturated(wrong[i], 0));
    NOTHING(hk_inverse_name(wrong[i], 0));
    USAGE(hk_inverse_find(wrong[i], y, NULL));
    hk_inverse_destroy(wrong[i]);
  }
  hk_inverse_destroy(a);
  test_options();
  test_motion();
}
