/* SPDX-License-Identifier: Apache-2.0
 *
 * support_fmu.c: arguments of hooke/fmu.h.
 */
#include <stdio.h>
#include <unistd.h>

#include "support_arguments.h"

void test_fmu(void) {
  hk_fmu_options opt = hk_fmu_options_def();
  hk_fmu_report report = {.size = sizeof report};
  char path[64];
  snprintf(path, sizeof path, "argument-%d.fmu", (int)getpid());
  hk_fmu_options_init(NULL, sizeof opt);
  ck_assert_int_eq(opt.version, 2);
  USAGE(hk_fmu_export(NULL, hk_model_path(x.m), path, &opt, &report));
  USAGE(hk_fmu_export(x.ctx, NULL, path, &opt, &report));
  USAGE(hk_fmu_export(x.ctx, hk_model_path(x.m), NULL, &opt, &report));
  opt.version = 4;
  USAGE(hk_fmu_export(x.ctx, hk_model_path(x.m), path, &opt, &report));
  opt = hk_fmu_options_def(), opt.ninputs = 1;
  USAGE(hk_fmu_export(x.ctx, hk_model_path(x.m), path, &opt, &report));
  opt = hk_fmu_options_def(), opt.name = "no name";
  USAGE(hk_fmu_export(x.ctx, hk_model_path(x.m), path, &opt, &report));
  opt = hk_fmu_options_def(), opt.no_binary = opt.no_sources = 1;
  USAGE(hk_fmu_export(x.ctx, hk_model_path(x.m), path, &opt, &report));
  USAGE(hk_fmu_allow(NULL));
  report.size = 4;
  USAGE(hk_fmu_export(x.ctx, hk_model_path(x.m), path, NULL, &report));
}
