/* SPDX-License-Identifier: Apache-2.0
 *
 * arena.c: hands out one block of memory piece by piece. A layout function runs twice: with base
 * NULL it only measures, with the block it assigns.
 */
#include "base/base.h"

void *hki_take(hk_arena *a, size_t n, size_t size, size_t align) {
  const size_t limit = SIZE_MAX / 4;
  // a size that overflows saturates at `limit`, which no allocator can give
  if (a->used >= limit || (size && n > limit / size) || align > limit) {
    a->used = limit;
    return NULL;
  }
  size_t at = (a->used + align - 1) / align * align;
  a->used = at + n * size;
  return a->base && a->used <= a->cap ? a->base + at : NULL;
}
