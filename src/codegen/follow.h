/* SPDX-License-Identifier: Apache-2.0
 *
 * follow.h: a model as a plan of a program: its step (trace.h), its parameters that stay variables (setup.h), and what of
 * them has to be computed (plan.h).
 */
#ifndef HK_CODEGEN_FOLLOW_H
#define HK_CODEGEN_FOLLOW_H

#include "codegen/check.h"
#include "codegen/setup.h"

/* names: `nkept` parameters that stay variables. branch, packs: as hki_plan_create. *trace goes to hki_trace_destroy, also
 * after errors. */
hk_status hki_follow(hk_ctx *ctx, const hk_model_bytes *m, const char *const *names, int32_t nkept,
                     int32_t branch, bool packs, hk_followed **trace, hk_plan *plan);

#endif
