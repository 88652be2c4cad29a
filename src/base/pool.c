/* SPDX-License-Identifier: Apache-2.0
 *
 * pool.c: a growing pool of small blocks that are freed all at once. Blocks come from chunks whose
 * size doubles up to a limit; a large request gets a chunk of its own.
 */
#include <stdio.h>
#include <string.h>

#include "base/base.h"

enum { CHUNK_FIRST = 4096, CHUNK_MAX = 1 << 20, POOL_ALIGN = 16 };

typedef struct chunk {
  struct chunk *next;
  size_t used, cap; /* of the bytes after this header */
} chunk;

/* the header rounded up, so that the first block is aligned */
static const size_t header = (sizeof(chunk) + POOL_ALIGN - 1) / POOL_ALIGN * POOL_ALIGN;

struct hk_pool {
  hk_ctx *ctx;
  chunk *chunks; /* the one being filled is first */
  size_t next_size;
};

hk_pool *hki_pool_create(hk_ctx *ctx) {
  hk_pool *pool = hki_alloc(ctx, sizeof *pool);
  if (!pool) return NULL;
  pool->ctx = ctx;
  pool->next_size = CHUNK_FIRST;
  return pool;
}

void hki_pool_destroy(hk_pool *pool) {
  if (!pool) return;
  for (chunk *c = pool->chunks; c;) {
    chunk *next = c->next;
    hki_free(pool->ctx, c);
    c = next;
  }
  hki_free(pool->ctx, pool);
}

/* Add a chunk with room for `bytes`. A chunk for one large block goes second in the list, so that
 * the current one is filled further. */
static chunk *add_chunk(hk_pool *pool, size_t bytes) {
  bool large = bytes > pool->next_size / 4;
  size_t cap = large ? bytes : pool->next_size;
  chunk *c = hki_alloc(pool->ctx, header + cap);
  if (!c) return NULL;
  c->cap = cap;
  if (large && pool->chunks) {
    c->next = pool->chunks->next;
    pool->chunks->next = c;
    return c;
  }
  c->next = pool->chunks;
  pool->chunks = c;
  if (pool->next_size < CHUNK_MAX) pool->next_size *= 2;
  return c;
}

void *hki_pool_alloc(hk_pool *pool, size_t bytes) {
  // an absurd size goes to the allocator, which refuses and reports it
  if (bytes > SIZE_MAX / 4) return hki_alloc(pool->ctx, SIZE_MAX);
  bytes = (bytes + POOL_ALIGN - 1) / POOL_ALIGN * POOL_ALIGN;
  if (bytes == 0) bytes = POOL_ALIGN;
  chunk *c = pool->chunks;
  if (!c || c->cap - c->used < bytes) c = add_chunk(pool, bytes);
  if (!c) return NULL;
  void *p = (unsigned char *)c + header + c->used;
  c->used += bytes;
  return p;
}

size_t hki_pool_bytes(const hk_pool *pool) {
  size_t n = pool ? sizeof *pool : 0;
  for (const chunk *c = pool ? pool->chunks : NULL; c; c = c->next) n += header + c->cap;
  return n;
}

char *hki_pool_strndup(hk_pool *pool, const char *s, size_t n) {
  char *r = hki_pool_alloc(pool, n + 1);
  if (r && n) memcpy(r, s, n);
  return r;
}

char *hki_pool_strdup(hk_pool *pool, const char *s) { return hki_pool_strndup(pool, s, strlen(s)); }

char *hki_pool_printf(hk_pool *pool, const char *fmt, ...) {
  va_list args, again;
  va_start(args, fmt);
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, fmt, args);
  char *r = n < 0 ? NULL : hki_pool_alloc(pool, (size_t)n + 1);
  if (r) vsnprintf(r, (size_t)n + 1, fmt, again);
  va_end(again);
  va_end(args);
  return r;
}
