/* SPDX-License-Identifier: Apache-2.0
 *
 * Sine and cosine of the library: within 0.8 units of the last place of those with 64 bits, the same bits four at a time, exact
 * at zero, no number where an angle is none.
 */
#include "base/sincos.h"

#include <check.h>
#include <float.h>
#include <math.h>

#include "base/base.h"
#include "base/wide.h"
#include "runner.h"

#if HKI_WIDE && (defined(__clang__) || __GNUC__ >= 12)
HKI_WIDE_BEGIN
#include "base/sincos4.h"
static void four(const double *x, double *s, double *c) {
  const hki_four_r a = {x[0], x[1], x[2], x[3]};
  hki_four_r y, z;
  hki_four_sincos(a, &y, &z);
  for (int i = 0; i < 4; i++) s[i] = y[i], c[i] = z[i];
}
HKI_WIDE_END
static bool has_four(void) { return hki_wide_here(); }
#else
static void four(const double *x, double *s, double *c) { (void)x, (void)s, (void)c; }
static bool has_four(void) { return false; }
#endif

/* |x - exact| in units of the last place of the exact number */
static double units(double x, long double exact) {
  int e;
  (void)frexpl(exact, &e);
  return (double)(fabsl((long double)x - exact) / ldexpl(1.0L, e - 53));
}

START_TEST(near_and_alike) {
  uint64_t seed = 1;
  double worst = 0.0;
  for (int i = 0; i < 40000; i++) {
    double x[4], s[4], c[4], y, z;
    for (int k = 0; k < 4; k++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      const double u = (double)(int64_t)(seed >> 11) / 9007199254740992.0 - 0.5;
      x[k] = u * (k == 0 ? 1e-3 : k == 1 ? 7.0 : k == 2 ? 400.0 : 1e6);
    }
    if (has_four()) four(x, s, c);
    for (int k = 0; k < 4; k++) {
      hki_sincos(x[k], &y, &z);
      worst = fmax(worst, units(y, sinl((long double)x[k])));
      worst = fmax(worst, units(z, cosl((long double)x[k])));
      ck_assert(!has_four() || (y == s[k] && z == c[k]));
    }
  }
  ck_assert_double_lt(worst, 0.8);
}
END_TEST

START_TEST(ends) {
  double s, c;
  hki_sincos(0.0, &s, &c);
  ck_assert(s == 0.0 && c == 1.0);
  hki_sincos(1e12, &s, &c);
  ck_assert_double_eq_tol(s, sin(1e12), 1e-14);
  ck_assert_double_eq_tol(c, cos(1e12), 1e-14);
  hki_sincos((double)NAN, &s, &c);
  ck_assert(isnan(s) && isnan(c));
  hki_sincos((double)INFINITY, &s, &c);
  ck_assert(isnan(s) && isnan(c));
}
END_TEST

Suite *suite_sincos(void);
Suite *suite_sincos(void) {
  Suite *s = suite_create("sincos");
  TCase *t = tcase_create("sincos");
  tcase_add_test(t, near_and_alike);
  tcase_add_test(t, ends);
  suite_add_tcase(s, t);
  return s;
}
