/* SPDX-License-Identifier: Apache-2.0
 *
 * archive_write.c: zip archives in memory, see archive.h.
 */
#include <string.h>
#include <zlib.h>

#include "fmi/archive.h"

/* 1980-01-01, the earliest day of the format */
enum { DAY = 0x21, NAMES_ARE_UTF8 = 0x800 };

static void put(hk_text *out, uint64_t value, int bytes) {
  char b[8];
  for (int i = 0; i < bytes; i++) b[i] = (char)(value >> (8 * i) & 0xFF);
  hki_text_addn(out, b, (size_t)bytes);
}

void hki_archive_begin(hk_archive_writer *w, hk_ctx *ctx) {
  *w = (hk_archive_writer){.ctx = ctx};
  hki_text_init(&w->out, ctx);
}

/* fields that a local header and the directory share */
static void put_entry(hk_text *out, const hk_archive_entry *e) {
  put(out, 20, 2); // version needed: 2.0, deflate
  put(out, NAMES_ARE_UTF8, 2);
  put(out, (uint64_t)e->method, 2);
  put(out, 0, 2);
  put(out, DAY, 2);
  put(out, e->crc, 4);
  put(out, e->packed, 4);
  put(out, e->size, 4);
  put(out, strlen(e->name), 2);
  put(out, 0, 2); // no extra field
}

static void add(hk_archive_writer *w, const char *name, hk_archive_entry e, const void *packed) {
  if (w->status != HK_OK) return;
  if (!HK_GROW(w->ctx, w->entries, w->cap, w->n + 1) || !(e.name = hki_strdup(w->ctx, name))) {
    w->status = HK_E_MEMORY;
    return;
  }
  e.at = w->out.len;
  w->entries[w->n++] = e;
  put(&w->out, 0x04034b50, 4);
  put_entry(&w->out, &e);
  hki_text_add(&w->out, name);
  hki_text_addn(&w->out, packed, (size_t)e.packed);
}

void hki_archive_add(hk_archive_writer *w, const char *name, const void *bytes, size_t len) {
  if (w->status != HK_OK) return;
  const unsigned char *from = len ? bytes : (const unsigned char *)"";
  z_stream z = {0};
  const size_t most = len + len / 1000 + 64;
  unsigned char *packed = hki_realloc(w->ctx, NULL, most);
  if (!packed || len > 0x7FFFFFFFu ||
      deflateInit2(&z, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
    hki_free(w->ctx, packed);
    w->status = HK_E_MEMORY;
    return;
  }
  z.next_in = (Bytef *)(uintptr_t)from, z.avail_in = (uInt)len;
  z.next_out = packed, z.avail_out = (uInt)most;
  const bool smaller = deflate(&z, Z_FINISH) == Z_STREAM_END && z.total_out < len;
  const hk_archive_entry e = {.crc = (uint32_t)crc32(0, from, (uInt)len),
                              .size = len,
                              .packed = smaller ? z.total_out : len,
                              .method = smaller ? 8 : 0};
  add(w, name, e, smaller ? packed : from);
  deflateEnd(&z);
  hki_free(w->ctx, packed);
}

hk_status hki_archive_finish(hk_archive_writer *w) {
  const size_t from = w->out.len;
  for (int32_t i = 0; i < w->n; i++) {
    const hk_archive_entry *e = &w->entries[i];
    put(&w->out, 0x02014b50, 4);
    put(&w->out, 0x0314, 2); // made on a system with permissions
    put_entry(&w->out, e);
    put(&w->out, 0, 6);                       // comment, disk, internal
    put(&w->out, (uint64_t)0100644 << 16, 4); // a plain file
    put(&w->out, e->at, 4);
    hki_text_add(&w->out, e->name);
  }
  const size_t size = w->out.len - from;
  put(&w->out, 0x06054b50, 4);
  put(&w->out, 0, 4);
  put(&w->out, (uint64_t)w->n, 2);
  put(&w->out, (uint64_t)w->n, 2);
  put(&w->out, size, 4);
  put(&w->out, from, 4);
  put(&w->out, 0, 2);
  if (w->status == HK_OK && (w->out.failed || w->n > 65535 || w->out.len > 0x7FFFFFFFu))
    w->status = HK_E_MEMORY;
  return w->status;
}

void hki_archive_end(hk_archive_writer *w) {
  for (int32_t i = 0; i < w->n; i++) hki_free(w->ctx, w->entries[i].name);
  hki_free(w->ctx, w->entries);
  hki_text_free(&w->out);
}

void hki_archive_copy(hk_archive_writer *w, const char *name, const hk_archive *from,
                      const hk_archive_entry *e) {
  // behind the local header, whose name and extra field have lengths of their own
  const unsigned char *h = from->bytes + e->at;
  const size_t skip = 30 + (size_t)(h[26] | h[27] << 8) + (size_t)(h[28] | h[29] << 8);
  add(w, name, *e, h + skip);
}
