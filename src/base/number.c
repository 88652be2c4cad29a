/* SPDX-License-Identifier: Apache-2.0
 *
 * number.c: doubles as the shortest decimal text that reads back the same, without
 * allocation, locale or printf.
 *
 * A double c 2^q owns the interval of real numbers that round to it. With k the largest exponent
 * for which 10^k is not wider than the interval, one or two multiples of 10^k lie inside; a
 * multiple of 10^(k+1) is preferred, and of two the nearer one. The ends of the interval are
 * compared in units of a quarter of 10^k, computed with 128-bit approximations of 10^-k and rounded
 * to odd, which keeps every comparison exact (R. Giulietti, "The Schubfach way to render doubles",
 * 2020, sections 8-9).
 */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/number_powers.h"

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
static uint64_t shortest(uint64_t fraction, int32_t biased, int32_t *exponent) {
  uint64_t c = biased ? fraction | (uint64_t)1 << 52 : fraction;
  int32_t q = (biased ? biased : 1) - 1075;
  bool even = (c & 1) == 0, closer = fraction == 0 && biased > 1;
  // widest power of ten that fits the interval, and the shift that aligns it
  int32_t k = (q * 1262611 - (closer ? 524031 : 0)) >> 22;
  int32_t h = q + log2_of_power(-k) + 1, i = -k - HK_POWER_MIN;
  uint64_t high = hk_powers_of_ten[i][0], low = hk_powers_of_ten[i][1];
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

/* writes the digits d[0..n) with the decimal point after the first `point` of them; point < 0 or
 * point > n adds zeros or an exponent */
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

int32_t hki_number_print(double x, char *buf) {
  uint64_t bits;
  int32_t n = 0, exponent;
  memcpy(&bits, &x, sizeof bits);
  if (isnan(x)) return memcpy(buf, "nan", 3), 3;
  if (bits >> 63) buf[n++] = '-';
  bits &= ~((uint64_t)1 << 63);
  if (isinf(x)) return memcpy(buf + n, "inf", 3), n + 3;
  if (bits == 0) return buf[n] = '0', n + 1;
  uint64_t digits = shortest(bits & (((uint64_t)1 << 52) - 1), (int32_t)(bits >> 52), &exponent);
  // digits from the last to the first, without zeros at the end
  char d[24];
  int32_t at = 24;
  while (digits % 10 == 0) digits /= 10, exponent++;
  for (; digits; digits /= 10) d[--at] = (char)('0' + digits % 10);
  return n + put_digits(buf + n, d + at, 24 - at, 24 - at + exponent);
}
