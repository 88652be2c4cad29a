/* SPDX-License-Identifier: Apache-2.0
 *
 * support_live.h: arguments of the functions about channels and of hooke/live.h.
 */
#ifndef TESTS_API_SUPPORT_LIVE_H
#define TESTS_API_SUPPORT_LIVE_H

#include "hooke/hooke.h"

typedef struct test_live_things {
  hk_ctx *ctx;
  hk_model *m;
  hk_sim *s; /* of hk_run */
} test_live_things;

void test_live(const test_live_things *things);

#endif
