/* SPDX-License-Identifier: Apache-2.0
 *
 * arena.c: one block handed out piece by piece. A layout function runs twice over the same arena
 * code: with base NULL it only measures, with the block it assigns.
 */
#include "base/base.h"

void *hki_take(hk_arena *a, size_t n, size_t size, size_t align) {
  const size_t limit = SIZE_MAX / 4;
  // a request beyond all measure saturates, so that the measured size cannot be allocated
  if (a->used >= limit || (size && n > limit / size) || align > limit) {
    a->used = limit;
    return NULL;
  }
  size_t at = (a->used + align - 1) / align * align;
  a->used = at + n * size;
  return a->base && a->used <= a->cap ? a->base + at : NULL;
}
