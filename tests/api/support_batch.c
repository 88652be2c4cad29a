/* SPDX-License-Identifier: Apache-2.0
 *
 * support_batch.c: arguments of hooke/batch.h.
 */
#include "support_arguments.h"

void test_batch(void) {
  hk_batch_options opt = hk_batch_options_def();
  hk_batch_about about = {.size = 4};
  hk_batch *b = NULL, *no = (hk_batch *)(void *)x.m;
  double y = 0.0;
  hk_batch_options_init(NULL, sizeof opt);
  opt.way = HK_BATCH_LIBRARY;
  USAGE(hk_batch_create(NULL, x.m, &opt, &b));
  USAGE(hk_batch_create(x.ctx, NULL, &opt, &b));
  USAGE(hk_batch_create(x.ctx, OTHER_MODEL, &opt, &b));
  USAGE(hk_batch_create(x.ctx, x.m, &opt, NULL));
  opt.noutputs = 1;
  USAGE(hk_batch_create(x.ctx, x.m, &opt, &b));
  opt.noutputs = 0, opt.threads = -1;
  USAGE(hk_batch_create(x.ctx, x.m, &opt, &b));
  NOTHING(b);
  hk_batch_destroy(NULL);
  hk_batch_destroy(no);
  USAGE(hk_batch_info(no, &about));
  USAGE(hk_batch_reset(no, 0, NULL));
  USAGE(hk_batch_set(no, HK_BATCH_INPUTS, 0, NULL, NULL, 0));
  USAGE(hk_batch_get(no, HK_BATCH_INPUTS, 0, NULL, NULL));
  USAGE(hk_batch_step(no, 1));
  USAGE(hk_batch_rollout(no, 1, 1, NULL, 0, NULL));
  USAGE(hk_batch_put(no, 1, NULL, &y, sizeof y));
  struct DLManagedTensorVersioned *t = (struct DLManagedTensorVersioned *)(void *)&y;
  USAGE(hk_batch_tensor(no, HK_BATCH_TIME, &t));
  NOTHING(t);
  NOTHING(hk_batch_status(no));
  NOTHING(hk_batch_name(no, HK_BATCH_OUTPUTS, 0));
  ck_assert_int_eq(hk_batch_iterations(no, 0), -1);
  opt.threads = 1;
  ck_assert_int_eq(hk_batch_create(x.ctx, x.m, &opt, &b), HK_OK);
  USAGE(hk_batch_info(b, NULL));
  USAGE(hk_batch_info(b, &about));
  NOTHING(hk_batch_name(b, HK_BATCH_OUTPUTS, -1));
  NOTHING(hk_batch_name(b, HK_BATCH_TIME, 0));
  ck_assert_int_eq(hk_batch_iterations(b, 1), -1);
  USAGE(hk_batch_step(b, -1));
  USAGE(hk_batch_get(b, HK_BATCH_TIME, 1, NULL, NULL));
  USAGE(hk_batch_get(b, HK_BATCH_TIME, 2, NULL, &y));
  USAGE(hk_batch_set(b, HK_BATCH_COORDINATES, 1, NULL, NULL, 0));
  USAGE(hk_batch_tensor(b, HK_BATCH_TIME, NULL));
  USAGE(hk_batch_tensor(b, HK_BATCH_TIME + 1, &t));
  USAGE(hk_batch_tensor(b, -1, &t));
  NOTHING(t);
  USAGE(hk_batch_put(b, 1, NULL, NULL, 0));
  USAGE(hk_batch_put(b, 1, NULL, &y, sizeof y));
  hk_batch_destroy(b);
}
