/* SPDX-License-Identifier: Apache-2.0
 *
 * support_kinematics.c: arguments of hooke/kinematics.h.
 */
#include <math.h>

#include "support_arguments.h"

/* a handle of another kind */
#define OTHER_REACH ((hk_reach *)(void *)x.m)

void test_kinematics(void) {
  hk_reach *r = OTHER_REACH;
  hk_reach_place p = {.size = sizeof p};
  hk_reach_options opt = hk_reach_options_def();
  USAGE(hk_reach_find(NULL, NULL, &r));
  NOTHING(r);
  USAGE(hk_reach_find(OTHER_MODEL, NULL, &r));
  USAGE(hk_reach_find(x.m, NULL, NULL));
  says("hk_reach_find");
  USAGE(hk_reach_find(x.m, NULL, &r));
  says("no coordinate");
  opt.coordinate = "nothing";
  USAGE(hk_reach_find(x.m, &opt, &r));
  opt.coordinate = "pin";
  opt.to = NAN;
  USAGE(hk_reach_find(x.m, &opt, &r));
  opt.from = 1.0, opt.to = 0.0;
  USAGE(hk_reach_find(x.m, &opt, &r));
  opt = hk_reach_options_def();
  opt.coordinate = "pin";
  hk_reach_options_init(NULL, sizeof opt);
  ck_assert_int_eq(hk_reach_find(x.m, &opt, &r), HK_OK);
  ck_assert_str_eq(hk_reach_coordinate(r), "joint.pin.angle");
  ck_assert_str_eq(hk_reach_unit(r), "rad");
  ck_assert_int_eq(hk_reach_end(r, 1, &p), HK_OK);
  ck_assert_int_eq(p.stop, HK_STOP_FULL_TURN);
  ck_assert_double_eq(p.value, hk_reach_start(r) + 6.283185307179586);
  ck_assert_int_gt(hk_reach_count(r), 2);
  ck_assert_ptr_nonnull(hk_reach_values(r, 0));
  ck_assert_str_eq(hk_reach_channel(r, 0), "joint.pin.angle");
  NOTHING(hk_reach_values(r, -1));
  NOTHING(hk_reach_channel(r, 1000));
  ZERO(hk_reach_branches(r));
  USAGE(hk_reach_branch(r, 0, &p));
  USAGE(hk_reach_end(r, 2, &p));
  USAGE(hk_reach_end(r, 0, NULL));
  p.size = 0;
  USAGE(hk_reach_end(r, 0, &p));
  hk_reach *const wrong[] = {NULL, OTHER_REACH};
  for (int i = 0; i < 2; i++) {
    ZERO(hk_reach_count(wrong[i]));
    ZERO(hk_reach_branches(wrong[i]));
    USAGE(hk_reach_end(wrong[i], 0, &p));
    USAGE(hk_reach_branch(wrong[i], 0, &p));
    NOTHING(hk_reach_values(wrong[i], 0));
    NOTHING(hk_reach_channel(wrong[i], 0));
    EMPTY(hk_reach_coordinate(wrong[i]));
    EMPTY(hk_reach_unit(wrong[i]));
    ck_assert_double_nan(hk_reach_start(wrong[i]));
    hk_reach_free(wrong[i]);
  }
  hk_reach_free(r);
}
