/* SPDX-License-Identifier: Apache-2.0
 *
 * support_pool.h: a context and a pool for what readers of files keep.
 */
#ifndef TESTS_IO_SUPPORT_POOL_H
#define TESTS_IO_SUPPORT_POOL_H

#include "formats/support_message.h"

static hk_pool *pool;

static inline void setup(void) {
  ctx = hk_ctx_create();
  pool = hki_pool_create(ctx);
}

static inline void teardown(void) {
  hki_pool_destroy(pool);
  hk_ctx_destroy(ctx);
}

#endif
