/* SPDX-License-Identifier: Apache-2.0
 *
 * file.h: bodies with modes as files: NetCDF, described in docs/flexible-bodies.md.
 */
#ifndef HK_FLEX_FILE_H
#define HK_FLEX_FILE_H

#include "flex/flex.h"

hk_status hki_flex_write(hk_ctx *ctx, const char *path, const hk_flex *b);
/* in the pool; errors at loc */
hk_status hki_flex_read(hk_ctx *ctx, hk_loc loc, hk_pool *pool, const char *path, hk_flex *out);
hk_status hki_flex_parse(hk_ctx *ctx, hk_loc loc, hk_pool *pool, const char *name,
                         const char *bytes, size_t len, hk_flex *out);

#endif
