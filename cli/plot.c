/* SPDX-License-Identifier: Apache-2.0
 *
 * plot.c: `hooke plot RESULT CHANNEL...`.
 */
#include "cli.h"

int cli_plot(const cli_args *args) {
  cli_results r;
  int code = cli_results_open(&r, args, 1);
  for (int32_t i = 0; code == CLI_DONE && i < hk_result_channel_count(r.list[0]); i++) {
    printf("%s\n", hk_result_channel_name(r.list[0], i));
  }
  cli_results_close(&r);
  return code;
}
