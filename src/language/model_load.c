/* SPDX-License-Identifier: Apache-2.0
 *
 * model_load.c: the public face of models.
 */
#include <stdio.h>
#include <string.h>

#include "hooke/model.h"
#include "language/model_reader.h"
#include "model/model.h"

/* "name=value" texts of the sets; NULL when out of memory */
static char **join_sets(hk_pool *pool, const hk_set *sets, int32_t n) {
  char **out = hki_pool_alloc(pool, (size_t)(n + 1) * sizeof *out);
  for (int32_t i = 0; out && i < n; i++) {
    out[i] = hki_pool_printf(pool, "%s=%s", sets[i].name, sets[i].value);
    if (!out[i]) return NULL;
  }
  return out;
}

/* the first error's status, or a plain one */
static hk_status first_error(const hk_ctx *ctx, int32_t from) {
  for (int32_t i = from; i < hk_ctx_message_count(ctx); i++)
    if (hk_ctx_message(ctx, i)->severity == HK_ERROR) return hk_ctx_message(ctx, i)->code;
  return HK_E_MODEL;
}

static hk_status load(hk_ctx *ctx, const char *path, const char *text, size_t len,
                      const hk_set *sets, int32_t nsets, hk_model **out) {
  int32_t from = hk_ctx_message_count(ctx);
  hk_pool *pool = hki_pool_create(ctx);
  char **joined = pool ? join_sets(pool, sets, nsets) : NULL;
  *out = NULL;
  if (!joined) {
    if (pool) hki_pool_destroy(pool);
    return HK_E_MEMORY;
  }
  hk_spec *spec =
      text ? hki_model_read_text(ctx, path, text, len, (const char *const *)joined, nsets)
           : hki_model_read(ctx, path, (const char *const *)joined, nsets);
  hki_pool_destroy(pool);
  if (spec) *out = hki_model_compile(spec);
  return *out ? HK_OK : first_error(ctx, from);
}

hk_status hk_model_load(hk_ctx *ctx, const char *path, const hk_set *sets, int32_t nsets,
                        hk_model **out) {
  return load(ctx, path, NULL, 0, sets, nsets, out);
}

hk_status hk_model_parse(hk_ctx *ctx, const char *text, size_t len, const char *name,
                         const hk_set *sets, int32_t nsets, hk_model **out) {
  return load(ctx, name, text, len, sets, nsets, out);
}

void hk_model_release(hk_model *m) {
  if (m) hki_model_release(m);
}

const char *hk_model_title(const hk_model *m) { return m->spec->title; }

const char *hk_model_path(const hk_model *m) { return m->spec->path; }
