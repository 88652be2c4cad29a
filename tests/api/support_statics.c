/* SPDX-License-Identifier: Apache-2.0
 *
 * support_statics.c: arguments of the functions of equilibria.
 */
#include "support_arguments.h"

/* a handle of another kind */
#define OTHER_STATICS ((hk_statics *)(void *)x.m)

void test_statics(void) {
  hk_statics *r = OTHER_STATICS;
  hk_static_point p = {.size = sizeof p};
  hk_statics_options opt = hk_statics_options_def();
  USAGE(hk_statics_find(NULL, NULL, &r));
  ck_assert_ptr_null(r);
  USAGE(hk_statics_find(OTHER_MODEL, NULL, &r));
  USAGE(hk_statics_find(x.m, NULL, NULL));
  says("hk_statics_find");
  opt.to = NAN;
  USAGE(hk_statics_find(x.m, &opt, &r));
  opt = hk_statics_options_def();
  opt.points = 0;
  USAGE(hk_statics_find(x.m, &opt, &r));
  says("hk_statics_options");
  opt = hk_statics_options_def();
  opt.load = "nothing";
  USAGE(hk_statics_find(x.m, &opt, &r));
  hk_statics_options_init(NULL, sizeof opt);
  ck_assert_int_eq(hk_statics_find(x.m, NULL, &r), HK_OK);
  ck_assert_int_eq(hk_statics_count(r), 1);
  ck_assert_int_eq(hk_statics_point(r, 0, &p), HK_OK);
  ck_assert_int_eq(p.stable, 1);
  ck_assert_ptr_nonnull(hk_statics_values(r, 0));
  USAGE(hk_statics_point(r, 1, &p));
  USAGE(hk_statics_point(r, 0, NULL));
  p.size = 0;
  USAGE(hk_statics_point(r, 0, &p));
  NOTHING(hk_statics_values(r, -1));
  NOTHING(hk_statics_channel(r, 100000));
  hk_statics *const wrong[] = {NULL, OTHER_STATICS};
  for (int i = 0; i < 2; i++) {
    ZERO(hk_statics_count(wrong[i]));
    USAGE(hk_statics_point(wrong[i], 0, &p));
    NOTHING(hk_statics_values(wrong[i], 0));
    NOTHING(hk_statics_channel(wrong[i], 0));
    ck_assert_str_eq(hk_statics_formulation(wrong[i]), "");
    hk_statics_free(wrong[i]);
  }
  hk_statics_free(r);
}
