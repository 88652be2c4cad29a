/* SPDX-License-Identifier: Apache-2.0
 *
 * modules.c: the options --module, --allow-modules and --allow-fmus of the verbs that read models or list types.
 */
#include <stdlib.h>

#include "cli.h"

/* with --json a module that cannot be loaded leaves an object as well */
static int refuse(const cli_args *args, hk_ctx *ctx, hk_status st) {
  if (cli_has(args, CLI_JSON)) {
    char *message = cli_first_error(ctx);
    fputs("{\"model\": ", stdout);
    cli_json_string(stdout, args->npositional ? args->positional[0] : "");
    cli_json_status(stdout, st, message);
    free(message);
  }
  return st == HK_E_MODEL ? CLI_MODEL : cli_exit_code(st);
}

int cli_modules(const cli_args *args, hk_ctx *ctx) {
  if (cli_has(args, CLI_ALLOW_MODULES) && hk_module_folder(ctx, NULL) != HK_OK)
    return cli_no_memory();
  if (cli_has(args, CLI_ALLOW_FMUS) && hk_fmu_allow(ctx) != HK_OK) return cli_no_memory();
  for (int i = 0; i < args->ngiven; i++) {
    if (args->given[i].id != CLI_MODULE) continue;
    if (!cli_file("module", args->given[i].value)) return CLI_USAGE;
    const hk_status st = hk_module_load(ctx, args->given[i].value);
    if (st != HK_OK) return refuse(args, ctx, st);
  }
  return CLI_DONE;
}

int cli_in_context(const cli_args *args, cli_messages *messages,
                   int (*work)(void *job, hk_ctx *ctx), void *job) {
  hk_ctx *ctx = hk_ctx_create();
  if (!ctx) return cli_no_memory();
  hk_ctx_on_message(ctx, cli_on_message, messages);
  hk_ctx_stop_on(ctx, cli_catch_interrupts());
  int code = cli_modules(args, ctx);
  if (code == CLI_DONE) code = work(job, ctx);
  hk_ctx_destroy(ctx);
  return code;
}
