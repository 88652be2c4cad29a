/* SPDX-License-Identifier: Apache-2.0
 *
 * schema.c: the JSON schema of model files as a text that lives with the context.
 */
#include "base/argument.h"
#include "hooke/model.h"
#include "language/model_reader.h"

const char *hk_model_schema(hk_ctx *ctx) {
  static const char key;
  return hki_ctx_text(ctx, &key, hki_model_schema);
}
