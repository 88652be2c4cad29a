/* SPDX-License-Identifier: Apache-2.0
 *
 * modules.c: the options --module and --allow-modules of the verbs that read models or list types.
 */
#include "cli.h"

int cli_modules(const cli_args *args, hk_ctx *ctx) {
  if (cli_has(args, CLI_ALLOW_MODULES) && hk_module_folder(ctx, NULL) != HK_OK)
    return cli_no_memory();
  for (int i = 0; i < args->ngiven; i++) {
    if (args->given[i].id != CLI_MODULE) continue;
    if (!cli_file("module", args->given[i].value)) return CLI_USAGE;
    const hk_status st = hk_module_load(ctx, args->given[i].value);
    if (st != HK_OK) return st == HK_E_MODEL ? CLI_MODEL : cli_exit_code(st);
  }
  return CLI_DONE;
}
