/* SPDX-License-Identifier: Apache-2.0
 *
 * support_fit.c: arguments of the functions of fits.
 */
#include "support_arguments.h"

/* a handle of another kind */
#define OTHER_FIT ((hk_fit *)(void *)x.m)

void test_fit(void) {
  hk_fit *f = OTHER_FIT;
  hk_fitted p = {.size = sizeof p};
  hk_fit_options opt = hk_fit_options_def();
  const hk_fit_parameter good = {"L", -INFINITY, INFINITY}, empty = {"L", 2.0, 1.0},
                         nameless = {NULL, 0.0, 1.0};
  USAGE(hk_fit_find(NULL, "m.yaml", &opt, &f));
  ck_assert_ptr_null(f);
  USAGE(hk_fit_find(OTHER_CTX, "m.yaml", &opt, &f));
  USAGE(hk_fit_find(x.ctx, NULL, &opt, &f));
  USAGE(hk_fit_find(x.ctx, "m.yaml", NULL, &f));
  USAGE(hk_fit_find(x.ctx, "m.yaml", &opt, NULL));
  says("hk_fit_find");
  opt.data = "data.csv";
  USAGE(hk_fit_find(x.ctx, "m.yaml", &opt, &f));
  says("hk_fit_options");
  opt.nparameters = 1;
  const hk_fit_parameter *const bad[] = {NULL, &empty, &nameless};
  for (int i = 0; i < 3; i++) {
    opt.parameters = bad[i];
    USAGE(hk_fit_find(x.ctx, "m.yaml", &opt, &f));
  }
  opt.parameters = &good;
  opt.nsets = 1;
  USAGE(hk_fit_find(x.ctx, "m.yaml", &opt, &f));
  opt.nsets = 0, opt.data = NULL;
  USAGE(hk_fit_find(x.ctx, "m.yaml", &opt, &f));
  hk_fit_options_init(NULL, sizeof opt);
  hk_fit *const wrong[] = {NULL, OTHER_FIT};
  for (int i = 0; i < 2; i++) {
    ZERO(hk_fit_count(wrong[i]));
    ZERO(hk_fit_evaluations(wrong[i]));
    ck_assert(isnan(hk_fit_rms(wrong[i])));
    ck_assert(isnan(hk_fit_covariance(wrong[i], 0, 0)));
    USAGE(hk_fit_parameter_at(wrong[i], 0, &p));
    hk_fit_free(wrong[i]);
  }
}
