/* SPDX-License-Identifier: Apache-2.0
 *
 * numbers.h: numbers for tests, and comparing them.
 */
#ifndef HK_TESTS_NUMBERS_H
#define HK_TESTS_NUMBERS_H

#include <check.h>
#include <math.h>
#include <stdint.h>

/* deterministic numbers in -1 .. 1 */
static inline double noise(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

/* |x - y| <= tol * (1 + |y|) */
#define ck_near(x, y, tol)                                                                         \
  do {                                                                                             \
    double x_ = (x), y_ = (y);                                                                     \
    ck_assert_msg(fabs(x_ - y_) <= (tol) * (1.0 + fabs(y_)), "%s = %.15g, expected %.15g", #x, x_, \
                  y_);                                                                             \
  } while (0)

#endif
