/* SPDX-License-Identifier: Apache-2.0
 *
 * wide.c: whether code between HKI_WIDE_BEGIN and HKI_WIDE_END may run: this processor has AVX2, and
 * the environment variable HOOKE_SIMD is not "off". Asked once: inner loops ask again and again.
 */
#include "base/wide.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if HKI_WIDE
static bool look(void) {
  const char *word = getenv("HOOKE_SIMD");
  return __builtin_cpu_supports("avx2") && !(word && strcmp(word, "off") == 0);
}
#else
static bool look(void) { return false; }
#endif

bool hki_wide_here(void) {
  static atomic_int answer; // 0: not yet asked, 1: no, 2: yes
  int known = atomic_load_explicit(&answer, memory_order_relaxed);
  if (!known) {
    known = look() ? 2 : 1;
    atomic_store_explicit(&answer, known, memory_order_relaxed);
  }
  return known == 2;
}
