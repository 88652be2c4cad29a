/* SPDX-License-Identifier: Apache-2.0
 *
 * results_number.c: doubles as the shortest decimal text that reads back the same, without
 * allocation, locale or printf.
 *
 * A double c 2^q owns the interval of real numbers that round to it. With k the largest exponent
 * for which 10^k is not wider than the interval, one or two multiples of 10^k lie inside; a
 * multiple of 10^(k+1) is preferred, and of two the nearer one. The ends of the interval are
 * compared in units of a quarter of 10^k, computed with 128-bit approximations of 10^-k and rounded
 * to odd, which keeps every comparison exact (R. Giulietti, "The Schubfach way to render doubles",
 * 2020, sections 8-9).
 *
 * The powers come from exact long division and multiplication: floor(floor(a/10)/10) =
 * floor(a/100), so repeated division of 2^N by ten loses nothing.
 */
#include <math.h>
#include <string.h>

#include "io/results_impl.h"

enum { POWER_MIN = -292, POWER_MAX = 324, WORDS = 42, BITS = 32 * WORDS };

/* --- powers of ten ---------------------------------------------------------------------------- */

/* number of bits of a long number, words from the lowest */
static int32_t bit_length(const uint32_t *a) {
  for (int32_t i = WORDS - 1; i >= 0; i--) {
    if (a[i] == 0) continue;
    int32_t n = 32 * i;
    for (uint32_t w = a[i]; w; w >>= 1) n++;
    return n;
  }
  return 0;
}

/* 64 bits of a long number, the lowest of them at bit `at` (may be negative) */
static uint64_t bits_at(const uint32_t *a, int32_t at) {
  uint64_t value = 0;
  for (int32_t i = 0; i < 64; i++) {
    int32_t bit = at + i;
    if (bit < 0 || bit >= BITS) continue;
    value |= (uint64_t)(a[bit / 32] >> (bit % 32) & 1u) << i;
  }
  return value;
}

/* the 128 leading bits, rounded up unless `exact` and nothing was cut */
static void store(hk_powers *p, int32_t k, const uint32_t *a, bool exact) {
  int32_t top = bit_length(a), i = k - POWER_MIN;
  uint64_t high = bits_at(a, top - 64), low = bits_at(a, top - 128);
  bool cut = !exact;
  for (int32_t b = 0; b < top - 128 && !cut; b++) cut = (a[b / 32] >> (b % 32) & 1u) != 0;
  if (cut && ++low == 0) high++;
  p->high[i] = high;
  p->low[i] = low;
}

void hki_powers_make(hk_powers *p) {
  uint32_t a[WORDS] = {0};
  // 10^0 ... upwards by multiplication
  a[0] = 1;
  for (int32_t k = 0; k <= POWER_MAX; k++) {
    store(p, k, a, true);
    uint64_t carry = 0;
    for (int32_t i = 0; i < WORDS; i++) {
      carry += (uint64_t)a[i] * 10;
      a[i] = (uint32_t)carry;
      carry >>= 32;
    }
  }
  // 10^-1 ... downwards by division of a large power of two
  memset(a, 0, sizeof a);
  a[WORDS - 1] = 0x80000000u;
  for (int32_t k = -1; k >= POWER_MIN; k--) {
    uint64_t rest = 0;
    for (int32_t i = WORDS - 1; i >= 0; i--) {
      rest = rest << 32 | a[i];
      a[i] = (uint32_t)(rest / 10);
      rest %= 10;
    }
    store(p, k, a, false);
  }
}

/* --- the shortest decimal --------------------------------------------------------------------- */

/* high and low half of a 64 x 64 bit product */
static uint64_t multiply(uint64_t a, uint64_t b, uint64_t *low) {
  uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
  uint64_t p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0;
  uint64_t mid = (p00 >> 32) + (p01 & 0xffffffffu) + (p10 & 0xffffffffu);
  *low = mid << 32 | (p00 & 0xffffffffu);
  return a1 * b1 + (p01 >> 32) + (p10 >> 32) + (mid >> 32);
}

/* g * x / 2^128, the last bit set when anything was cut */
static uint64_t scaled(uint64_t high, uint64_t low, uint64_t x) {
  uint64_t rest, ignored, carry = multiply(low, x, &ignored);
  uint64_t top = multiply(high, x, &rest);
  rest += carry;
  if (rest < carry) top++;
  return top | (rest > 1);
}

/* floor(e log2 10) for the powers of the table */
static int32_t log2_of_power(int32_t e) { return (e * 1741647) >> 19; }

/* x = digits 10^exponent for finite x > 0 given by its bits */
static uint64_t shortest(const hk_powers *p, uint64_t fraction, int32_t biased, int32_t *exponent) {
  uint64_t c = biased ? fraction | (uint64_t)1 << 52 : fraction;
  int32_t q = (biased ? biased : 1) - 1075;
  bool even = (c & 1) == 0, closer = fraction == 0 && biased > 1;
  // widest power of ten that fits the interval, and the shift that aligns it
  int32_t k = (q * 1262611 - (closer ? 524031 : 0)) >> 22;
  int32_t h = q + log2_of_power(-k) + 1, i = -k - POWER_MIN;
  uint64_t high = p->high[i], low = p->low[i];
  uint64_t left = scaled(high, low, (4 * c - 2 + (closer ? 1 : 0)) << h);
  uint64_t at = scaled(high, low, (4 * c) << h);
  uint64_t right = scaled(high, low, (4 * c + 2) << h);
  // the ends belong to the interval only when c is even
  uint64_t lower = left + !even, upper = right - !even, s = at / 4;
  if (s >= 10) {
    uint64_t tens = s / 10;
    bool below = lower <= 40 * tens, above = 40 * tens + 40 <= upper;
    if (below != above) {
      *exponent = k + 1;
      return tens + above;
    }
  }
  bool below = lower <= 4 * s, above = 4 * s + 4 <= upper;
  *exponent = k;
  if (below != above) return s + above;
  uint64_t middle = 4 * s + 2;
  return s + (at > middle || (at == middle && (s & 1)));
}

/* --- text ------------------------------------------------------------------------------------- */

static int32_t put_exponent(char *buf, int32_t e) {
  int32_t n = 0;
  buf[n++] = 'e';
  if (e < 0) buf[n++] = '-', e = -e;
  if (e >= 100) buf[n++] = (char)('0' + e / 100);
  if (e >= 10) buf[n++] = (char)('0' + e / 10 % 10);
  buf[n++] = (char)('0' + e % 10);
  return n;
}

/* digits d[0..n) with the point after `point` of them (may lie outside) */
static int32_t put_digits(char *buf, const char *d, int32_t n, int32_t point) {
  int32_t at = 0;
  if (point >= -4 && point <= 0) {
    // 0.000123
    buf[at++] = '0', buf[at++] = '.';
    for (int32_t i = point; i < 0; i++) buf[at++] = '0';
    memcpy(buf + at, d, (size_t)n);
    return at + n;
  }
  if (point > 0 && point <= 17) {
    // 123.4 or 1234 or 123400
    for (int32_t i = 0; i < point; i++) buf[at++] = i < n ? d[i] : '0';
    if (n > point) {
      buf[at++] = '.';
      memcpy(buf + at, d + point, (size_t)(n - point));
      at += n - point;
    }
    return at;
  }
  // 1.234e-7
  buf[at++] = d[0];
  if (n > 1) {
    buf[at++] = '.';
    memcpy(buf + at, d + 1, (size_t)(n - 1));
    at += n - 1;
  }
  return at + put_exponent(buf + at, point - 1);
}

int32_t hki_number_print(const hk_powers *p, double x, char *buf) {
  uint64_t bits;
  int32_t n = 0, exponent;
  memcpy(&bits, &x, sizeof bits);
  if (isnan(x)) return memcpy(buf, "nan", 3), 3;
  if (bits >> 63) buf[n++] = '-';
  bits &= ~((uint64_t)1 << 63);
  if (isinf(x)) return memcpy(buf + n, "inf", 3), n + 3;
  if (bits == 0) return buf[n] = '0', n + 1;
  uint64_t digits = shortest(p, bits & (((uint64_t)1 << 52) - 1), (int32_t)(bits >> 52), &exponent);
  // digits from the last to the first, without zeros at the end
  char d[24];
  int32_t at = 24;
  while (digits % 10 == 0) digits /= 10, exponent++;
  for (; digits; digits /= 10) d[--at] = (char)('0' + digits % 10);
  return n + put_digits(buf + n, d + at, 24 - at, 24 - at + exponent);
}
