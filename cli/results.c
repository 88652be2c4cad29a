/* SPDX-License-Identifier: Apache-2.0
 *
 * results.c: result files given on the command line.
 */
#include <string.h>

#include "cli.h"

int cli_results_open(cli_results *r, const cli_args *args, int n) {
  memset(r, 0, sizeof *r);
  r->messages.quiet = cli_has(args, CLI_QUIET);
  r->ctx = hk_ctx_create();
  if (!r->ctx) return cli_no_memory();
  hk_ctx_on_message(r->ctx, cli_on_message, &r->messages);
  for (int i = 0; i < n; i++) {
    if (!cli_file("result", args->positional[i])) return CLI_USAGE;
    hk_status status = hk_result_open(r->ctx, args->positional[i], &r->list[i]);
    if (status != HK_OK) {
      if (r->messages.errors == 0) cli_error(hk_status_hint(status), "%s", hk_status_text(status));
      return cli_exit_code(status);
    }
    r->n++;
  }
  return CLI_DONE;
}

void cli_results_close(cli_results *r) {
  for (int i = 0; i < r->n; i++) hk_result_close(r->list[i]);
  hk_ctx_destroy(r->ctx);
}
