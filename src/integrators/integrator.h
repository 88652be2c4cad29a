/* SPDX-License-Identifier: Apache-2.0
 *
 * integrator.h: the table of integrators.
 */
#ifndef HK_INTEGRATORS_INTEGRATOR_H
#define HK_INTEGRATORS_INTEGRATOR_H

#include "stage/stage.h"

enum { HK_INTEGRATOR_PAR_MAX = 128 }; /* bytes of the largest parameter struct */

int32_t hki_integrator_count(void);
const hk_integrator_ops *hki_integrator_at(int32_t i);
const hk_integrator_ops *hki_integrator_find(const char *name);
/* the same, and all by number, with those that the context brings (base/extend.h) behind them */
const hk_integrator_ops *hki_integrator_known(const hk_ctx *ctx, const char *name);
const hk_integrator_ops *hki_integrator_of(const hk_ctx *ctx, int32_t i); /* NULL: no more */

/* for the tables of methods without parameters: an empty list, and a `prepare` that does nothing */
extern const hk_param hki_no_params[];
bool hki_nothing_to_choose(void *par, uint64_t given, char *buf, size_t cap);

#endif
