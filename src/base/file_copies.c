/* SPDX-License-Identifier: Apache-2.0
 *
 * file_copies.c: files in memory. An FMU holds its model and the files that the model names; the export of one
 * holds them as they are read.
 */
#include <string.h>

#include "base/context_impl.h"

hk_status hki_file_put(hk_ctx *ctx, const char *name, const char *bytes, size_t len) {
  if (hki_file_find(ctx, name)) return HK_OK;
  hk_file_copy *h = hki_alloc(ctx, sizeof *h);
  char *own = hki_strdup(ctx, name), *copy = hki_strndup(ctx, bytes, len);
  if (!h || !own || !copy) {
    hki_free(ctx, h);
    hki_free(ctx, own);
    hki_free(ctx, copy);
    return HK_E_MEMORY;
  }
  *h = (hk_file_copy){.name = own, .bytes = copy, .len = len, .next = ctx->held};
  ctx->held = h;
  return HK_OK;
}

void hki_file_copy_all(hk_ctx *ctx, bool on) {
  ctx->holds_all = on;
  if (!on) hki_file_copies_free(ctx);
}

const hk_file_copy *hki_file_copies(const hk_ctx *ctx) { return ctx->held; }

const hk_file_copy *hki_file_find(const hk_ctx *ctx, const char *name) {
  for (const hk_file_copy *h = ctx->held; h; h = h->next)
    if (strcmp(h->name, name) == 0) return h;
  return NULL;
}

hk_status hki_file_get(hk_ctx *ctx, const hk_file_copy *h, char **text, size_t *len) {
  *text = hki_strndup(ctx, h->bytes, h->len);
  if (*text && len) *len = h->len;
  return *text ? HK_OK : HK_E_MEMORY;
}

void hki_file_copies_free(hk_ctx *ctx) {
  for (hk_file_copy *h = ctx->held; h;) {
    hk_file_copy *next = h->next;
    hki_free(ctx, h->name);
    hki_free(ctx, h->bytes);
    hki_free(ctx, h);
    h = next;
  }
  ctx->held = NULL;
}
