/* SPDX-License-Identifier: Apache-2.0
 *
 * A million steps with a controller around them: an input, three channels and a pose in each of them. Nothing
 * allocates, neither in the context nor past it.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>

#include "hooke/hooke.h"
#include "runner.h"
#include "support_malloc.h"

Suite *suite_million_slow(void);

START_TEST(a_million_steps_allocate_nothing) {
  enum { STEPS = 1000000 };
  char path[512];
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = NULL;
  hk_sim *s = NULL;
  hk_sim_options opt = hk_sim_options_def();
  snprintf(path, sizeof path, "%s/examples/speed-loop.yaml", test_source_dir());
  ck_assert_int_eq(hk_model_load(ctx, path, NULL, 0, &m), HK_OK);
  opt.step = 1e-5, opt.time = 10.0;
  ck_assert_int_eq(hk_sim_create(m, &opt, &s), HK_OK);
  const int32_t u = hk_sim_input_find(s, "torque");
  const int32_t handle[] = {hk_sim_channel_handle(s, "joint.outside.rate"),
                            hk_sim_channel_handle(s, "joint.outside.angle"),
                            hk_sim_channel_handle(s, "energy.total")};
  ck_assert_int_ge(u, 0);
  const uint64_t before = hk_ctx_allocations(ctx), malloced = test_mallocs();
  double x[3], p[3], sum = 0.0;
  hk_status st = HK_OK;
  int64_t taken = 0;
  while (st == HK_OK && !hk_sim_done(s)) {
    st = hk_sim_read(s, 3, handle, x);
    const double error = 20.0 - x[0];
    if (st == HK_OK) st = hk_sim_input_set(s, u, 0.4 * error + 4.0 * sum, 0);
    sum += 1e-5 * error;
    if (st == HK_OK) st = hk_sim_step(s);
    if (st == HK_OK) st = hk_sim_body_pose(s, 0, p, NULL);
    taken++;
  }
  const uint64_t after = hk_ctx_allocations(ctx), more = test_mallocs() - malloced;
  ck_assert_int_eq(st, HK_OK);
  ck_assert_int_eq(taken, STEPS);
  ck_assert_uint_eq(after, before);
  ck_assert_uint_eq(more, 0);
  ck_assert_double_eq_tol(x[0], 20.0, 0.1);
  hk_sim_destroy(s);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}
END_TEST

Suite *suite_million_slow(void) {
  Suite *s = suite_create("million");
  TCase *t = tcase_create("million");
  tcase_add_test(t, a_million_steps_allocate_nothing);
  tcase_set_timeout(t, 600);
  suite_add_tcase(s, t);
  return s;
}
