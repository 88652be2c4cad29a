/* SPDX-License-Identifier: Apache-2.0
 *
 * modes.h: the files of `hooke modes` that are about inputs and outputs (modes_files.c).
 */
#ifndef HK_CLI_MODES_H
#define HK_CLI_MODES_H

#include "cli.h"

/* names of --matrices, --bode and --step-response; false after a message */
bool modes_files_read(const cli_args *args);
/* writes them, of equations with n modes; low, high: frequencies in Hz that --between gives, else 0 and
 * INFINITY */
hk_status modes_files_write(const cli_args *args, hk_ctx *ctx, const hk_statespace *x, int32_t n,
                            double low, double high);

#endif
