/* SPDX-License-Identifier: Apache-2.0
 *
 * netcdf.h: small files in NetCDF's classic format (64-bit offsets): named dimensions, texts, and arrays of
 * characters, whole numbers and doubles. Read by NetCDF's own tools, and by everything that reads NetCDF.
 *
 * Source: Unidata, NetCDF Users Guide, "File Format Specifications": the classic format.
 */
#ifndef HK_FORMATS_NETCDF_H
#define HK_FORMATS_NETCDF_H

#include "base/base.h"

typedef enum hk_nc_type { HK_NC_CHAR = 2, HK_NC_INT = 4, HK_NC_DOUBLE = 6 } hk_nc_type;
enum { HK_NC_DIMS = 4 }; /* most dimensions of a variable */

typedef struct hk_nc_dim {
  const char *name;
  int32_t n; /* at least 1 */
} hk_nc_dim;

typedef struct hk_nc_text {
  const char *name, *text;
} hk_nc_text;

typedef struct hk_nc_var {
  const char *name;
  const char *unit, *text; /* attributes units and long_name; NULL: none */
  hk_nc_type type;
  int32_t ndim, dim[HK_NC_DIMS];
  const void *data; /* char, int32_t or double */
} hk_nc_var;

typedef struct hk_nc {
  int32_t ndim, ntext, nvar;
  const hk_nc_dim *dim;
  const hk_nc_text *text; /* of the whole file */
  const hk_nc_var *var;
} hk_nc;

/* how many values a variable has */
int64_t hki_nc_count(const hk_nc *nc, const hk_nc_var *v);
const hk_nc_var *hki_nc_find(const hk_nc *nc, const char *name); /* NULL: none */
const char *hki_nc_text_of(const hk_nc *nc, const char *name);   /* NULL: none */

hk_status hki_nc_write(hk_ctx *ctx, const char *path, const hk_nc *nc);
/* All of it, in the pool; errors at loc. Files with a growing dimension or other types are refused. */
hk_status hki_nc_read(hk_ctx *ctx, hk_loc loc, hk_pool *pool, const char *path, hk_nc *out);
hk_status hki_nc_parse(hk_ctx *ctx, hk_loc loc, hk_pool *pool, const char *name, const char *bytes,
                       size_t len, hk_nc *out);

#endif
