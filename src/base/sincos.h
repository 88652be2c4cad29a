/* SPDX-License-Identifier: Apache-2.0
 *
 * sincos.h: sine and cosine of one angle, by the operations of base/sincos.def: inline, with the same bits on every
 * processor, in lanes (base/sincos4.h) and in exported programs. 0.8 units in the last place.
 *
 * The kernel that is followed to make programs calls the functions of its library, which stand for the operations
 * sine and cosine there.
 */
#ifndef HK_BASE_SINCOS_H
#define HK_BASE_SINCOS_H

#include <math.h>
#include <string.h>

#ifdef __wasm__
static inline void hki_sincos(double x, double *sine, double *cosine) {
  *cosine = cos(x), *sine = sin(x);
}
#else
static inline long long hki_bits_of(double x) {
  long long i;
  memcpy(&i, &x, sizeof i);
  return i;
}
static inline double hki_of_bits(long long i) {
  double x;
  memcpy(&x, &i, sizeof x);
  return x;
}
/* without a branch */
static inline double hki_select(int c, double a, double b) {
  return hki_of_bits((hki_bits_of(a) & -(long long)c) | (hki_bits_of(b) & ~-(long long)c));
}

#define F(name, needs, ...) __VA_ARGS__
#define HKX_FN              static inline
#define HKX_NAME(f)         hki_##f
#define HKX_R               double
#define HKX_B               int
#define HKX_I               long long
#define HKX_NUM(c)          (c)
#define HKX_INT(c)          ((long long)(c))
#define HKX_SELECT          hki_select
#define HKX_NOT(a)          (!(a))
#define HKX_BITS            hki_bits_of
#define HKX_OF_BITS         hki_of_bits
#define HKX_SHL(i, n)       ((long long)((unsigned long long)(i) << (n)))
#define HKX_INF             ((double)INFINITY)
#define HKX_ANY(c)          (c)
#include "base/sincos.def"
#undef F
#undef HKX_FN
#undef HKX_NAME
#undef HKX_R
#undef HKX_B
#undef HKX_I
#undef HKX_NUM
#undef HKX_INT
#undef HKX_SELECT
#undef HKX_NOT
#undef HKX_BITS
#undef HKX_OF_BITS
#undef HKX_SHL
#undef HKX_INF
#undef HKX_ANY
#endif

#endif
