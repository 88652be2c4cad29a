/* SPDX-License-Identifier: Apache-2.0
 *
 * support_realtime.c: arguments of the functions of real time.
 */
#include "support_arguments.h"

void test_realtime(void) {
  hk_sim *s = OTHER_SIM;
  hk_realtime_summary sum = {.size = sizeof sum};
  hk_realtime_options opt = hk_realtime_options_def();
  hk_run_options files = hk_run_options_def();
  USAGE(hk_realtime(NULL, NULL, &s));
  ck_assert_ptr_null(s);
  USAGE(hk_realtime(OTHER_MODEL, NULL, &s));
  USAGE(hk_realtime(x.m, NULL, NULL));
  says("hk_realtime");
  opt.period = -1.0;
  USAGE(hk_realtime(x.m, &opt, &s));
  says("hk_realtime_options");
  opt = hk_realtime_options_def();
  opt.pace = 3;
  USAGE(hk_realtime(x.m, &opt, &s));
  opt = hk_realtime_options_def();
  opt.overrun = -1;
  USAGE(hk_realtime(x.m, &opt, &s));
  opt = hk_realtime_options_def();
  opt.priority = 100;
  USAGE(hk_realtime(x.m, &opt, &s));
  opt = hk_realtime_options_def();
  opt.iterations = -2;
  USAGE(hk_realtime(x.m, &opt, &s));
  opt = hk_realtime_options_def();
  opt.cpu = -2;
  USAGE(hk_realtime(x.m, &opt, &s));
  opt = hk_realtime_options_def();
  files.checkpoint = x.out;
  opt.run = &files;
  USAGE(hk_realtime(x.m, &opt, &s));
  hk_realtime_options_init(NULL, sizeof opt);
  USAGE(hk_sim_realtime(NULL, &sum));
  USAGE(hk_sim_realtime(OTHER_SIM, &sum));
  USAGE(hk_sim_realtime(x.s, &sum));
  says("real time");
  hk_sim_options methods = hk_sim_options_def();
  files = hk_run_options_def();
  files.sim = &methods;
  methods.step = 0.01, methods.time = 0.1;
  opt.run = &files, opt.pace = HK_PACE_FAST, opt.iterations = 2;
  ck_assert_int_eq(hk_realtime(x.m, &opt, &s), HK_OK);
  USAGE(hk_sim_realtime(s, NULL));
  ck_assert_int_eq(hk_sim_realtime(s, &sum), HK_OK);
  ck_assert(sum.periods == 10 && sum.missed == 0 && sum.step_us.max > 0.0);
  sum.size = 0;
  USAGE(hk_sim_realtime(s, &sum));
  hk_sim_destroy(s);
}
