/* SPDX-License-Identifier: Apache-2.0
 *
 * schema.c: the JSON schema of model files as a text that lives with the context.
 */
#include "base/argument.h"
#include "hooke/model.h"
#include "language/model_reader.h"

const char *hk_model_schema(hk_ctx *ctx) {
  if (!hki_is(ctx, HK_MARK_CTX)) return NULL;
  static const char key;
  void **kept = hki_ctx_once(ctx, &key);
  if (!kept || *kept) return kept ? *kept : NULL;
  hk_pool *pool = hki_ctx_pool(ctx);
  hk_text text;
  int32_t errors = hki_error_count(ctx);
  hki_text_init(&text, ctx);
  hki_model_schema(&text);
  // not kept when memory ran out while it was made
  if (hki_error_count(ctx) == errors) *kept = hki_pool_strndup(pool, text.s, text.len);
  hki_text_free(&text);
  return *kept;
}
