/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzz target of the model reader: any bytes either give a spec and no error, or errors and no
 * spec. YAML, expressions, tables and every section of the language are behind it.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "language/model_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const hk_set sets[] = {{"L", "2"}, {"left.k", "3"}};
  hk_ctx *ctx = hk_ctx_create();
  /* the first byte decides whether parameters are set from outside */
  int32_t nsets = size > 0 && data[0] == '#' ? 2 : 0;
  hk_spec *spec =
      hki_model_read_text(ctx, "fuzz-no-such-folder/m.yaml", (const char *)data, size, sets, nsets);
  if ((spec == NULL) != (hki_error_count(ctx) > 0)) abort();
  for (int32_t i = 0; i < hk_ctx_message_count(ctx); i++) {
    const hk_message *m = hk_ctx_message(ctx, i);
    if (!m->text || m->line < 0 || m->column < 0) abort();
  }
  if (spec) hki_spec_destroy(spec);
  hk_ctx_destroy(ctx);
  return 0;
}
