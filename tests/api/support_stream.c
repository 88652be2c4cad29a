/* SPDX-License-Identifier: Apache-2.0
 *
 * support_stream.c: arguments of the functions of streams.
 */
#include "support_arguments.h"

void test_streams(void) {
  hk_stream_summary sum = {.size = sizeof sum};
  USAGE(hk_sim_connect(NULL));
  USAGE(hk_sim_connect(OTHER_SIM));
  ZERO(hk_sim_stream_count(NULL));
  ZERO(hk_sim_stream_count(OTHER_SIM));
  ZERO(hk_sim_stream_count(x.s));
  USAGE(hk_sim_stream(NULL, 0, &sum));
  USAGE(hk_sim_stream(x.s, 0, &sum));
  hk_sim *s = NULL;
  ck_assert_int_eq(hk_sim_create(x.m, NULL, &s), HK_OK);
  ck_assert_int_eq(hk_sim_connect(s), HK_OK); // the model has none
  USAGE(hk_sim_connect(s));
  says("connected already");
  USAGE(hk_sim_stream(s, 0, NULL));
  hk_sim_destroy(s);
  hk_follow *f = (hk_follow *)(void *)x.m;
  USAGE(hk_follow_open(NULL, x.nc, &f));
  ck_assert_ptr_null(f);
  USAGE(hk_follow_open(x.ctx, NULL, &f));
  USAGE(hk_follow_open(x.ctx, x.nc, NULL));
  ck_assert_int_eq(hk_follow_open(x.ctx, x.nc, &f), HK_E_FILE);
  USAGE(hk_follow_more(NULL, NULL));
  USAGE(hk_follow_more((hk_follow *)(void *)x.m, NULL));
  NOTHING(hk_follow_result(NULL));
  hk_follow_close(NULL);
}
