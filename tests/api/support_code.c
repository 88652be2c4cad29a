/* SPDX-License-Identifier: Apache-2.0
 *
 * support_code.c: arguments of hooke/code.h.
 */
#include <math.h>

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
  opt = hk_code_options_def(), opt.main = true;
  USAGE(hk_code_export(x.ctx, hk_model_path(x.m), "argument.cu", &opt, &report));
  USAGE(hk_code_export(x.ctx, hk_model_path(x.m), "main.c", &opt, &report));
  report.size = 4;
  USAGE(hk_code_export(x.ctx, hk_model_path(x.m), "argument.c", NULL, &report));
  hk_compile_report compiled = {.size = sizeof compiled};
  USAGE(hk_sim_compile(NULL, 0.0));
  USAGE(hk_sim_compile(x.s, -1.0));
  USAGE(hk_sim_compile(x.s, NAN));
  USAGE(hk_sim_compiled(NULL, &compiled));
  USAGE(hk_sim_compiled(x.s, NULL));
  ck_assert_int_eq(hk_sim_compiled(x.s, &compiled), HK_OK);
  ck_assert(!compiled.asked && !compiled.used && !*compiled.compiler && !*compiled.why);
  compiled.size = 4;
  USAGE(hk_sim_compiled(x.s, &compiled));
  hk_run_options run = hk_run_options_def();
  hk_sim *none = NULL;
  run.compile = 2;
  USAGE(hk_run(x.m, &run, &none));
  run.compile = 1, run.compile_limit = -1.0;
  USAGE(hk_run(x.m, &run, &none));
}
