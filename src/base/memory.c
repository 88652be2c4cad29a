/* SPDX-License-Identifier: Apache-2.0
 *
 * memory.c: counted allocation through the context, and the growth of arrays. Every call that asks
 * the system for memory raises the counter by one, so that a test can show that stepping asks for
 * none; a test can also make the n-th call fail.
 */
#include <stdlib.h>
#include <string.h>

#include "base/context_impl.h"

/* Windows has no aligned_alloc; what its own functions give, only they may change and free */
#ifdef _WIN32
#include <malloc.h>
#define take_aligned(bytes) _aligned_malloc(bytes, 64)
#define take_zeroed(bytes)  memset(_aligned_malloc(bytes, 64), 0, bytes)
#define change(p, bytes)    _aligned_realloc(p, bytes, 64)
#define release(p)          _aligned_free(p)
#else
#define take_aligned(bytes) aligned_alloc(64, bytes)
#define take_zeroed(bytes)  calloc(1, bytes)
#define change(p, bytes)    realloc(p, bytes)
#define release(p)          free(p)
#endif

/* count one request; false when the request must fail */
static bool count_request(hk_ctx *ctx) {
  if (!ctx) return true;
  ctx->allocations++;
  return ctx->fail_at == 0 || ctx->allocations < ctx->fail_at;
}

void *hki_alloc(hk_ctx *ctx, size_t bytes) {
  void *p = NULL;
  if (count_request(ctx)) {
    // blocks that may become arenas start on a cache line
    if (bytes >= 64 && bytes <= SIZE_MAX / 2) {
      size_t rounded = (bytes + 63) / 64 * 64;
      p = take_aligned(rounded);
      if (p) memset(p, 0, rounded);
    } else if (bytes < 64) {
      p = take_zeroed(bytes ? bytes : 1);
    }
  }
  if (!p) hki_ctx_out_of_memory(ctx);
  return p;
}

void *hki_realloc(hk_ctx *ctx, void *p, size_t bytes) {
  void *r = NULL;
  if (count_request(ctx) && bytes <= SIZE_MAX / 2) r = change(p, bytes ? bytes : 1);
  if (!r) hki_ctx_out_of_memory(ctx);
  return r;
}

void hki_free(hk_ctx *ctx, void *p) {
  (void)ctx;
  release(p);
}

char *hki_strndup(hk_ctx *ctx, const char *s, size_t n) {
  char *r = hki_alloc(ctx, n + 1);
  if (r && n) memcpy(r, s, n);
  return r;
}

char *hki_strdup(hk_ctx *ctx, const char *s) { return hki_strndup(ctx, s, strlen(s)); }

uint64_t hki_alloc_count(const hk_ctx *ctx) { return ctx ? ctx->allocations : 0; }

uint64_t hk_ctx_allocations(const hk_ctx *ctx) {
  return hki_is(ctx, HK_MARK_CTX) ? hki_alloc_count(ctx) : 0;
}

void hki_alloc_fail_at(hk_ctx *ctx, uint64_t n) { ctx->fail_at = n ? ctx->allocations + n : 0; }

bool hki_grow(hk_ctx *ctx, void **items, int32_t *cap, int32_t need, size_t item_size) {
  if (need <= *cap) return true;
  // half as much again, at least 8 items, without passing the range of an index
  int64_t want = (int64_t)*cap + *cap / 2 + 8;
  if (want < need) want = need;
  if (want > INT32_MAX) want = INT32_MAX;
  if (item_size && (size_t)want > SIZE_MAX / 2 / item_size) {
    hki_ctx_out_of_memory(ctx);
    return false;
  }
  void *p = hki_realloc(ctx, *items, (size_t)want * item_size);
  if (!p) return false;
  *items = p;
  *cap = (int32_t)want;
  return true;
}
