/* SPDX-License-Identifier: Apache-2.0
 *
 * ring.c: records between two threads (ring.h). A record is its length, its kind and its bytes; the
 * writer moves `head` when all of it is there, the reader moves `tail` when it has copied it.
 */
#include <string.h>

#include "base/ring.h"

typedef struct header {
  uint32_t bytes, kind;
} header;

hk_status hki_ring_create(hk_ring *r, hk_ctx *ctx, size_t bytes) {
  size_t size = 4096;
  while (size < bytes) size *= 2;
  *r = (hk_ring){.ctx = ctx, .size = size};
  r->data = hki_alloc(ctx, size);
  if (!r->data) return HK_E_MEMORY;
  // pages that were only promised are there from now on
  for (size_t i = 0; i < size; i += 1024) ((volatile unsigned char *)r->data)[i] = 1;
  return HK_OK;
}

void hki_ring_free(hk_ring *r) {
  if (r->ctx) hki_free(r->ctx, r->data);
  *r = (hk_ring){0};
}

static size_t write_at(hk_ring *r, size_t at, const void *from, size_t n) {
  const size_t i = at & (r->size - 1), first = n < r->size - i ? n : r->size - i;
  if (n) {
    memcpy(r->data + i, from, first);
    memcpy(r->data, (const unsigned char *)from + first, n - first);
  }
  return at + n;
}

static size_t read_at(const hk_ring *r, size_t at, void *to, size_t n) {
  const size_t i = at & (r->size - 1), first = n < r->size - i ? n : r->size - i;
  if (n) {
    memcpy(to, r->data + i, first);
    memcpy((unsigned char *)to + first, r->data, n - first);
  }
  return at + n;
}

bool hki_ring_put(hk_ring *r, uint32_t kind, const void *a, size_t na, const void *b, size_t nb) {
  const header h = {(uint32_t)(na + nb), kind};
  size_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
  const size_t used = head - atomic_load_explicit(&r->tail, memory_order_acquire);
  if (sizeof h + na + nb > r->size - used) return false;
  head = write_at(r, head, &h, sizeof h);
  head = write_at(r, head, a, na);
  head = write_at(r, head, b, nb);
  atomic_store_explicit(&r->head, head, memory_order_release);
  return true;
}

int64_t hki_ring_get(hk_ring *r, uint32_t *kind, void *out, size_t cap) {
  header h;
  size_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
  if (tail == atomic_load_explicit(&r->head, memory_order_acquire)) return -1;
  const size_t from = read_at(r, tail, &h, sizeof h);
  *kind = h.kind;
  (void)read_at(r, from, out, h.bytes < cap ? h.bytes : cap);
  tail = from + h.bytes;
  atomic_store_explicit(&r->tail, tail, memory_order_release);
  return h.bytes;
}
