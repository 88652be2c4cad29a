/* SPDX-License-Identifier: Apache-2.0
 *
 * load.c: fuzz target of the way from bytes to a compiled model. Any bytes at all are a model file:
 * they must compile or give at least one error message, and leave nothing behind.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "hooke/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  hk_ctx *ctx = hk_ctx_create();
  if (!ctx) return 0;
  hk_model *model = NULL;
  hk_status status = hk_model_parse(ctx, (const char *)data, size, "fuzz.yaml", NULL, 0, &model);

  /* a failure says why, a success gives a model */
  bool said = false;
  for (int32_t i = 0; i < hk_ctx_message_count(ctx); i++)
    said = said || hk_ctx_message(ctx, i)->severity == HK_ERROR;
  if (status == HK_OK ? model == NULL : !said) abort();

  hk_model_release(model);
  hk_ctx_destroy(ctx);
  return 0;
}
