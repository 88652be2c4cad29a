/* SPDX-License-Identifier: Apache-2.0
 *
 * argument.c: refuses wrong calls of public functions, and reads option structs of older and newer
 * versions.
 */
#include <string.h>

#include "base/argument.h"

enum { OPTIONS_MOST = 4096 }; /* bytes; a larger size is taken for a mistake */

hk_status hki_misuse(hk_ctx *ctx, const char *function, const char *what) {
  return hki_error(hki_is(ctx, HK_MARK_CTX) ? ctx : NULL, HK_E_USAGE, HK_LOC_NONE, NULL, "%s: %s",
                   function, what);
}

hk_status hki_options_read(hk_ctx *ctx, const hk_options_kind *kind, void *to, const void *from) {
  const size_t known = kind->known;
  uint32_t size;
  if (!from) return HK_OK;
  memcpy(&size, from, sizeof size);
  if (size < kind->least || size > OPTIONS_MOST || size % kind->align != 0)
    return hki_error(ctx, HK_E_USAGE, HK_LOC_NONE, "start from the struct's '_def' function",
                     "%s: its member 'size' is %u, expected %zu bytes", kind->name, (unsigned)size,
                     known);
  const unsigned char *bytes = from;
  for (size_t i = known; i < size; i++) {
    if (bytes[i])
      return hki_error(ctx, HK_E_USAGE, HK_LOC_NONE, "use a newer library",
                       "%s: an option is set that this version does not know (%u bytes, expected "
                       "%zu)",
                       kind->name, (unsigned)size, known);
  }
  memcpy(to, from, size < known ? size : known);
  size = (uint32_t)known;
  memcpy(to, &size, sizeof size);
  return HK_OK;
}

void hki_options_init(void *to, uint32_t size, const void *def, size_t known) {
  if (!to || size < sizeof size || size > OPTIONS_MOST) return;
  memset(to, 0, size);
  memcpy(to, def, size < known ? size : known);
  memcpy(to, &size, sizeof size);
}

const char *hki_ctx_text(hk_ctx *ctx, const void *key, void (*write)(hk_text *t)) {
  if (!hki_is(ctx, HK_MARK_CTX)) return NULL;
  void **kept = hki_ctx_once(ctx, key);
  if (!kept || *kept) return kept ? *kept : NULL;
  hk_pool *pool = hki_ctx_pool(ctx);
  hk_text text;
  int32_t errors = hki_error_count(ctx);
  hki_text_init(&text, ctx);
  write(&text);
  // not kept when memory ran out while it was written
  if (hki_error_count(ctx) == errors) *kept = hki_pool_strndup(pool, text.s, text.len);
  hki_text_free(&text);
  return *kept;
}
