/* SPDX-License-Identifier: Apache-2.0
 *
 * support_code.c: arguments of hooke/code.h.
 */
#include "support_arguments.h"

void test_code(void) {
  hk_code_options opt = hk_code_options_def();
  hk_code_report report = {.size = sizeof report};
  hk_code_options_init(NULL, sizeof opt);
  USAGE(hk_code_export(NULL, hk_model_path(x.m), "argument.c", &opt, &report));
  USAGE(hk_code_export(x.ctx, NULL, "argument.c", &opt, &report));
  USAGE(hk_code_export(x.ctx, hk_model_path(x.m), NULL, &opt, &report));
  USAGE(hk_code_export(x.ctx, hk_model_path(x.m), "argument.txt", &opt, &report));
  opt.noutputs = 1;
  USAGE(hk_code_export(x.ctx, hk_model_path(x.m), "argument.c", &opt, &report));
  opt = hk_code_options_def(), opt.name = "no name";
  USAGE(hk_code_export(x.ctx, hk_model_path(x.m), "argument.c", &opt, &report));
  report.size = 4;
  USAGE(hk_code_export(x.ctx, hk_model_path(x.m), "argument.c", NULL, &report));
}
