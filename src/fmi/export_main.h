/* SPDX-License-Identifier: Apache-2.0
 *
 * export_main.h: main.c beside a model as a program in C.
 */
#ifndef HK_FMI_EXPORT_MAIN_H
#define HK_FMI_EXPORT_MAIN_H

#include "codegen/write.h"
#include "fmi/export.h"

/* is there no main.c, or one that was made here? */
bool hki_main_may_write(const char *path);
/* asked: how many of the outputs were asked for; those behind them are the energy audit's */
void hki_write_main(const hk_followed *t, const hk_program *what, hk_sim *s, int32_t asked,
                    hk_text *out);

#endif
