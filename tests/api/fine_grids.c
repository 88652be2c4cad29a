/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows and checkpoints asked for far more often than there are steps: there is one at every step,
 * and the run ends.
 */
#include <check.h>
#include <stdio.h>

#include "hooke/hooke.h"
#include "runner.h"

Suite *suite_fine_grids(void);

START_TEST(one_row_at_every_step) {
  const double every[] = {1e-300, 1e-12, 1e-5};
  const char *csv = "fine-grids.csv", *checkpoint = "fine-grids.ck";
  char path[512];
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = NULL;
  hk_sim *s = NULL;
  hk_result *r = NULL;
  hk_run_options opt = hk_run_options_def();
  hk_sim_options sim = hk_sim_options_def();
  snprintf(path, sizeof path, "%s/examples/pendulum.yaml", test_source_dir());
  ck_assert_int_eq(hk_model_load(ctx, path, NULL, 0, &m), HK_OK);
  sim.time = 0.05, sim.step = 0.01;
  opt.sim = &sim;
  opt.output = csv, opt.checkpoint = checkpoint;
  opt.output_every = opt.checkpoint_every = every[_i];
  ck_assert_int_eq(hk_run(m, &opt, &s), HK_OK);
  hk_sim_destroy(s);
  ck_assert_int_eq(hk_result_open(ctx, csv, &r), HK_OK);
  ck_assert_int_eq(hk_result_rows(r), 6);
  hk_result_close(r);
  remove(csv);
  remove(checkpoint);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}
END_TEST

Suite *suite_fine_grids(void) {
  Suite *suite = suite_create("fine_grids");
  TCase *t = tcase_create("fine_grids");
  tcase_add_loop_test(t, one_row_at_every_step, 0, 3);
  suite_add_tcase(suite, t);
  return suite;
}
