/* SPDX-License-Identifier: Apache-2.0
 *
 * archive.c: fuzz target: any bytes as a zip archive, and what it holds as the description of an FMU and as
 * the model inside one.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "fmi/archive.h"
#include "fmi/import.h"
#include "fmu/bundle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_text(hk_ctx *ctx, const char *text, size_t len) {
  hk_pool *pool = hki_pool_create(ctx);
  hk_import about;
  hk_bundle bundle;
  if (!pool) return;
  (void)hki_import_describe(ctx, pool, "modelDescription.xml", text, len, &about);
  (void)hki_bundle_read(ctx, pool, text, len, &bundle);
  hki_pool_destroy(pool);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  hk_ctx *ctx = hk_ctx_create();
  hk_archive a;
  if (!ctx) return 0;
  if (hki_archive_open(ctx, "fuzz.fmu", data, size, &a) == HK_OK) {
    for (int32_t i = 0; i < a.n && i < 20; i++) {
      char *text = NULL;
      if (a.entries[i].size > 1 << 20) continue;
      if (hki_archive_read(&a, &a.entries[i], &text) == HK_OK)
        read_text(ctx, text, (size_t)a.entries[i].size);
      hki_free(ctx, text);
    }
    hki_archive_close(&a);
  }
  // archives are hard to guess: the same bytes as texts
  char *copy = hki_strndup(ctx, (const char *)data, size);
  if (copy) read_text(ctx, copy, size);
  hki_free(ctx, copy);
  hk_ctx_destroy(ctx);
  return 0;
}
