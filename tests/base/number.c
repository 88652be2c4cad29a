/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers as text: known ones, many at random (they read back the same and are as short as can be),
 * and the table of powers they rest on, computed again by exact long division and multiplication:
 * floor(floor(a/10)/10) = floor(a/100), so repeated division of 2^N by ten loses nothing.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/number_powers.h"
#include "runner.h"

enum { WORDS = 42, BITS = 32 * WORDS };

static const char *printed(double x) {
  static char text[HK_NUMBER_MAX + 1];
  int32_t n = hki_number_print(x, text);
  ck_assert_int_lt(n, HK_NUMBER_MAX);
  text[n] = '\0';
  return text;
}

START_TEST(test_number_words) {
  static const struct {
    double x;
    const char *text;
  } cases[] = {{0.0, "0"},
               {-0.0, "-0"},
               {1.0, "1"},
               {-2.5, "-2.5"},
               {0.1, "0.1"},
               {0.3, "0.3"},
               {1e15, "1000000000000000"},
               {1e17, "1e17"},
               {1e-4, "0.0001"},
               {1.5e-7, "1.5e-7"},
               {123456.789, "123456.789"},
               {1e300, "1e300"},
               {5e-324, "5e-324"},
               {2.2250738585072014e-308, "2.2250738585072014e-308"},
               {1.7976931348623157e308, "1.7976931348623157e308"},
               {9007199254740993.0, "9007199254740992"},
               {1.0 / 3.0, "0.3333333333333333"},
               {INFINITY, "inf"},
               {-INFINITY, "-inf"},
               {NAN, "nan"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ck_assert_str_eq(printed(cases[i].x), cases[i].text);
  }
}
END_TEST

/* reads back the same, and no text of fewer digits does */
static void check_shortest(double x) {
  const char *text = printed(x);
  ck_assert_msg(strtod(text, NULL) == x, "%s is not %.17g", text, x);
  int digits = 1, ours = 0, zeros = 0;
  char other[40];
  for (; digits < 17; digits++) {
    snprintf(other, sizeof other, "%.*e", digits - 1, x);
    if (strtod(other, NULL) == x) break;
  }
  for (const char *s = text; *s && *s != 'e'; s++) {
    if (*s < '0' || *s > '9' || (ours == 0 && *s == '0')) continue;
    ours++;
    zeros = *s == '0' ? zeros + 1 : 0;
  }
  ck_assert_msg(ours - zeros <= digits, "%s has more than %d digits", text, digits);
}

START_TEST(test_number_shortest) {
  uint64_t s = 88172645463325252u;
  int rounds = test_all() ? 200000 : 20000;
  for (int i = 0; i < rounds; i++) {
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    // any bits; powers of two; subnormal numbers; short decimals
    uint64_t bits = s;
    if (i % 4 == 1) bits &= 0xfff0000000000000u;
    if (i % 4 == 2) bits &= 0x000fffffffffffffu;
    double x;
    memcpy(&x, &bits, sizeof x);
    if (i % 4 == 3) x = (double)(int64_t)(s >> 40) / 1000.0;
    if (isfinite(x) && x != 0.0) check_shortest(x);
  }
}
END_TEST

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

/* the 128 leading bits, rounded up unless `exact` and nothing was cut, against the table */
static void compare(int32_t k, const uint32_t *a, bool exact) {
  int32_t top = bit_length(a), i = k - HK_POWER_MIN;
  uint64_t high = bits_at(a, top - 64), low = bits_at(a, top - 128);
  bool cut = !exact;
  for (int32_t b = 0; b < top - 128 && !cut; b++) cut = (a[b / 32] >> (b % 32) & 1u) != 0;
  if (cut && ++low == 0) high++;
  ck_assert_msg(hk_powers_of_ten[i][0] == high && hk_powers_of_ten[i][1] == low, "10^%d", (int)k);
}

START_TEST(test_number_powers) {
  uint32_t a[WORDS] = {0};
  // 10^0 ... upwards by multiplication
  a[0] = 1;
  for (int32_t k = 0; k <= HK_POWER_MAX; k++) {
    compare(k, a, true);
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
  for (int32_t k = -1; k >= HK_POWER_MIN; k--) {
    uint64_t rest = 0;
    for (int32_t i = WORDS - 1; i >= 0; i--) {
      rest = rest << 32 | a[i];
      a[i] = (uint32_t)(rest / 10);
      rest %= 10;
    }
    compare(k, a, false);
  }
}
END_TEST

Suite *suite_number(void);
Suite *suite_number(void) {
  Suite *s = suite_create("number");
  TCase *c = tcase_create("number");
  tcase_add_test(c, test_number_words);
  tcase_add_test(c, test_number_shortest);
  tcase_add_test(c, test_number_powers);
  suite_add_tcase(s, c);
  return s;
}
