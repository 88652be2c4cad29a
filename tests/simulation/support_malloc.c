/* SPDX-License-Identifier: Apache-2.0 */
#include "support_malloc.h"

#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif
#if defined(__GLIBC__) && !defined(SANITIZED)
void *__libc_malloc(size_t n);
static volatile uint64_t mallocs;
void *malloc(size_t n) {
  mallocs++;
  return __libc_malloc(n);
}
#else
static const uint64_t mallocs = 0;
#endif

uint64_t test_mallocs(void) { return mallocs; }
