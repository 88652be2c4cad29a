/* SPDX-License-Identifier: Apache-2.0
 *
 * wide.h: compile a part of a file for AVX2, independent of the compiler's target. Code between
 * HKI_WIDE_BEGIN and HKI_WIDE_END may only be reached when hki_wide_here() says so. It gives the
 * same bits as the code for any processor.
 */
#ifndef HK_BASE_WIDE_H
#define HK_BASE_WIDE_H

#if defined(__GNUC__) && defined(__x86_64__) && !defined(HK_NO_WIDE)
#define HKI_WIDE 1
#if defined(__clang__)
#define HKI_WIDE_BEGIN                                                                             \
  _Pragma("clang attribute push(__attribute__((target(\"avx2\"))), apply_to = function)")
#define HKI_WIDE_END _Pragma("clang attribute pop")
#else
#define HKI_WIDE_BEGIN _Pragma("GCC push_options") _Pragma("GCC target(\"avx2\")")
#define HKI_WIDE_END   _Pragma("GCC pop_options")
#endif
#else
#define HKI_WIDE 0
#endif

#include <stdbool.h>

/* true when the build and the processor have AVX2, and the environment does not forbid it */
bool hki_wide_here(void);

#endif
