/* SPDX-License-Identifier: Apache-2.0
 *
 * functions.c: the elementary functions of exported programs against the C library, at their ends, and in lanes, which
 * have the same bits.
 */
#include <check.h>
#include <float.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "../numbers.h"
#include "../runner.h"

static inline long long bits_of(double x) {
  long long i;
  memcpy(&i, &x, sizeof i);
  return i;
}
static inline double of_bits(long long i) {
  double x;
  memcpy(&x, &i, sizeof x);
  return x;
}

#define HKX_FN              static inline
#define HKX_INF             INFINITY
#define F(name, needs, ...) __VA_ARGS__

/* --- one number ------------------------------------------------------------------------------- */

#define HKX_NAME(f)         own_##f
#define HKX_R               double
#define HKX_B               int
#define HKX_I               long long
#define HKX_NUM(c)          (c)
#define HKX_INT(c)          ((long long)(c))
#define HKX_SELECT(c, a, b) ((c) ? (a) : (b))
#define HKX_AND(a, b)       ((a) & (b))
#define HKX_OR(a, b)        ((a) | (b))
#define HKX_NOT(a)          (!(a))
#define HKX_BITS            bits_of
#define HKX_OF_BITS         of_bits
#define HKX_SHL(i, n)       ((long long)((unsigned long long)(i) << (n)))
#define HKX_SHR(i, n)       ((i) >> (n))
#define HKX_SQRT            sqrt
#define HKX_ANY(c)          (c)
#include "codegen/functions.def"
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
#undef HKX_SQRT
#undef HKX_ANY

/* --- two in lanes ----------------------------------------------------------------------------- */

typedef double lanes __attribute__((vector_size(16)));
typedef long long whole_lanes __attribute__((vector_size(16)));

#define HKX_NAME(f)         lanes_##f
#define HKX_R               lanes
#define HKX_B               whole_lanes
#define HKX_I               whole_lanes
#define HKX_NUM(c)          ((lanes){(c), (c)})
#define HKX_INT(c)          ((whole_lanes){(c), (c)})
#define HKX_SELECT(c, a, b) ((lanes)(((whole_lanes)(a) & (c)) | ((whole_lanes)(b) & ~(c))))
#define HKX_NOT(a)          (~(a))
#define HKX_BITS(x)         ((whole_lanes)(x))
#define HKX_OF_BITS(i)      ((lanes)(i))
#define HKX_SHL(i, n)       ((i) << (n))
#define HKX_SQRT(x)         root(x)
#define HKX_ANY(c)          ((c)[0] | (c)[1])
static inline lanes root(lanes x) { return (lanes){sqrt(x[0]), sqrt(x[1])}; }
#include "codegen/functions.def"

/* --- cases ------------------------------------------------------------------------------------ */

enum {
  LINEAR,
  SIZES,
  ABOVE
}; /* from lo to hi; sizes from lo to hi and any sign; the same without sign */

typedef struct range {
  int how;
  double lo, hi;
} range;

typedef struct one {
  const char *name;
  double (*own)(double);
  lanes (*both)(lanes);
  long double (*exact)(long double);
  double (*library)(double);
  double units;
  range x[3];
} one;

#define ONE(f, units, ...)                                                                         \
  {                                                                                                \
#f, own_##f, lanes_##f, f##l, f, units, { __VA_ARGS__ }                                        \
  }
static const one ones[] = {
    ONE(sin, 0.8, {LINEAR, -10.0, 10.0}, {SIZES, 1e-20, 1e3}, {LINEAR, -8e8, 8e8}),
    ONE(cos, 0.8, {LINEAR, -10.0, 10.0}, {SIZES, 1e-20, 1e3}, {LINEAR, -8e8, 8e8}),
    ONE(tan, 2.1, {LINEAR, -10.0, 10.0}, {SIZES, 1e-20, 1e3}),
    ONE(atan, 2.0, {LINEAR, -3.0, 3.0}, {SIZES, 1e-200, 1e200}),
    ONE(asin, 2.5, {LINEAR, -1.0, 1.0}, {SIZES, 1e-20, 1.0}),
    ONE(acos, 2.6, {LINEAR, -1.0, 1.0}, {SIZES, 1e-20, 1.0}),
    ONE(exp, 1.0, {LINEAR, -5.0, 5.0}, {LINEAR, -700.0, 709.0}, {SIZES, 1e-20, 1.0}),
    ONE(exp2, 1.1, {LINEAR, -1020.0, 1023.0}, {SIZES, 1e-20, 1.0}),
    ONE(expm1, 1.7, {LINEAR, -2.0, 2.0}, {SIZES, 1e-20, 700.0}),
    ONE(log, 0.9, {ABOVE, 1e-300, 1e300}, {LINEAR, 0.5, 2.0}, {ABOVE, 1e-320, 1e-300}),
    ONE(log2, 1.8, {ABOVE, 1e-300, 1e300}, {LINEAR, 0.5, 2.0}),
    ONE(log10, 1.9, {ABOVE, 1e-300, 1e300}, {LINEAR, 0.5, 2.0}),
    ONE(log1p, 1.6, {SIZES, 1e-20, 0.9}, {ABOVE, 1e-20, 1e20}),
    ONE(sinh, 3.0, {SIZES, 1e-20, 20.0}, {LINEAR, 20.0, 709.0}),
    ONE(cosh, 3.0, {LINEAR, -20.0, 20.0}, {LINEAR, 20.0, 709.0}),
    ONE(tanh, 2.7, {LINEAR, -3.0, 3.0}, {SIZES, 1e-20, 30.0}),
    ONE(cbrt, 0.8, {SIZES, 1e-300, 1e300}, {SIZES, 1e-3, 1e3}),
    ONE(floor, 0.0, {SIZES, 1e-3, 1e18}, {LINEAR, -3.0, 3.0}),
    ONE(ceil, 0.0, {SIZES, 1e-3, 1e18}, {LINEAR, -3.0, 3.0}),
    ONE(trunc, 0.0, {SIZES, 1e-3, 1e18}, {LINEAR, -3.0, 3.0}),
};

typedef struct two {
  const char *name;
  double (*own)(double, double);
  lanes (*both)(lanes, lanes);
  long double (*exact)(long double, long double);
  double (*library)(double, double);
  double units;
  range x, y;
} two;

#define TWO(f, units, ...)                                                                         \
  { #f, own_##f, lanes_##f, f##l, f, units, __VA_ARGS__ }
static const two twos[] = {
    TWO(atan2, 1.5, {LINEAR, -1.0, 1.0}, {LINEAR, -1.0, 1.0}),
    TWO(atan2, 1.8, {SIZES, 1e-300, 1e300}, {SIZES, 1e-300, 1e300}),
    TWO(hypot, 1.3, {LINEAR, -1.0, 1.0}, {LINEAR, -1.0, 1.0}),
    TWO(hypot, 1.3, {SIZES, 1e-300, 1e300}, {SIZES, 1e-300, 1e300}),
    TWO(pow, 1.2, {ABOVE, 1e-3, 1e3}, {LINEAR, -90.0, 90.0}),
    TWO(pow, 1.2, {LINEAR, 0.9, 1.1}, {LINEAR, -4000.0, 4000.0}),
    TWO(fmod, 0.0, {SIZES, 1e-3, 1e6}, {SIZES, 1e-3, 1e3}),
};

enum { ONES = (int)(sizeof ones / sizeof ones[0]), TWOS = (int)(sizeof twos / sizeof twos[0]) };

static double draw(const range *r, uint64_t *seed) {
  const double u = 0.5 * (1.0 + noise(seed));
  if (r->how == LINEAR) return r->lo + (r->hi - r->lo) * u;
  const double x = exp(log(r->lo) + (log(r->hi) - log(r->lo)) * u);
  return r->how == SIZES && noise(seed) < 0.0 ? -x : x;
}

/* distance from the exact value in units of the last place */
static double units(double got, long double exact) {
  int e;
  frexp((double)exact, &e);
  const double unit = e < -1021 ? 5e-324 : ldexp(1.0, e - 53);
  return (double)(fabsl((long double)got - exact) / (long double)unit);
}

static int count(void) { return test_short() ? 2000 : 50000; }

START_TEST(of_one) {
  const one *f = &ones[_i];
  uint64_t seed = 7;
  for (int r = 0; r < 3; r++) {
    if (f->x[r].lo == f->x[r].hi) continue;
    for (int i = 0; i < count(); i++) {
      const double x = draw(&f->x[r], &seed), off = units(f->own(x), f->exact((long double)x));
      ck_assert_msg(off <= f->units, "%s(%.17g) is off by %g units", f->name, x, off);
    }
  }
}
END_TEST

START_TEST(of_two) {
  const two *f = &twos[_i];
  uint64_t seed = 7;
  for (int i = 0; i < count(); i++) {
    const double x = draw(&f->x, &seed), y = draw(&f->y, &seed);
    const long double exact = f->exact((long double)x, (long double)y);
    if (fabsl(exact) < 1e-300L || fabsl(exact) > 1e308L) continue;
    const double off = units(f->own(x, y), exact);
    ck_assert_msg(off <= f->units, "%s(%.17g, %.17g) is off by %g units", f->name, x, y, off);
  }
}
END_TEST

static bool same(double a, double b) { return bits_of(a) == bits_of(b) || (isnan(a) && isnan(b)); }

static const double ends[] = {0.0,     -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN,  5e-324,
                              -5e-324, 1e5,  2.5, -2.5, 0.5,      3.0,       -3.0, 1e-5};
enum { ENDS = (int)(sizeof ends / sizeof ends[0]) };

/* zeros, infinities, what is no number: as the C library */
START_TEST(at_the_ends) {
  for (int k = 0; k < ONES; k++)
    for (int i = 0; i < ENDS; i++) {
      const double a = ones[k].own(ends[i]), b = ones[k].library(ends[i]);
      ck_assert_msg(same(a, b) || fabs(a - b) <= 1e-15 * fabs(b), "%s(%g) = %g, expected %g",
                    ones[k].name, ends[i], a, b);
    }
  for (int k = 0; k < TWOS; k++)
    for (int i = 0; i < ENDS; i++)
      for (int j = 0; j < ENDS; j++) {
        const double x = ends[i], y = ends[j];
        // not taken over: a size of infinity and no number, infinite powers, quotients above 2^53
        if ((isnan(x) || isnan(y)) && (isinf(x) || isinf(y))) continue;
        if (twos[k].own == own_pow && (isinf(y) || x == -INFINITY)) continue;
        if (twos[k].own == own_fmod && fabs(x / y) > 9e15) continue;
        const double a = twos[k].own(x, y), b = twos[k].library(x, y);
        ck_assert_msg(same(a, b) || fabs(a - b) <= 1e-15 * fabs(b), "%s(%g, %g) = %g, expected %g",
                      twos[k].name, x, y, a, b);
      }
}
END_TEST

/* angles of many turns */
START_TEST(far_angles) {
  uint64_t seed = 3;
  const range far = {SIZES, 8e8, 4e15};
  for (int i = 0; i < count(); i++) {
    const double x = draw(&far, &seed);
    ck_assert_double_le(fabs(own_sin(x) - sin(x)), 1e-15);
    ck_assert_double_le(fabs(own_cos(x) - cos(x)), 1e-15);
  }
  ck_assert(isnan(own_sin(1e16)) && isnan(own_cos(INFINITY)));
}
END_TEST

START_TEST(in_lanes) {
  uint64_t seed = 11;
  for (int k = 0; k < ONES; k++)
    for (int i = 0; i < count() / 10; i++) {
      // the other lane holds something else, or what is none
      const double x = draw(&ones[k].x[i % 2], &seed), y = ends[i % ENDS];
      const lanes got = ones[k].both((lanes){x, y});
      ck_assert_msg(same(got[0], ones[k].own(x)), "%s(%.17g)", ones[k].name, x);
      ck_assert_msg(same(got[1], ones[k].own(y)), "%s(%.17g)", ones[k].name, y);
    }
  for (int k = 0; k < TWOS; k++)
    for (int i = 0; i < count() / 10; i++) {
      const double x = draw(&twos[k].x, &seed), y = draw(&twos[k].y, &seed);
      const lanes got = twos[k].both((lanes){x, y}, (lanes){y, x});
      ck_assert_msg(same(got[0], twos[k].own(x, y)), "%s(%.17g, %.17g)", twos[k].name, x, y);
      ck_assert_msg(same(got[1], twos[k].own(y, x)), "%s(%.17g, %.17g)", twos[k].name, y, x);
    }
}
END_TEST

Suite *suite_functions(void) {
  Suite *s = suite_create("functions");
  TCase *t = tcase_create("functions");
  if (LDBL_MANT_DIG > DBL_MANT_DIG) { // else nothing is there to compare with
    tcase_add_loop_test(t, of_one, 0, ONES);
    tcase_add_loop_test(t, of_two, 0, TWOS);
  }
  tcase_add_test(t, at_the_ends);
  tcase_add_test(t, far_angles);
  tcase_add_test(t, in_lanes);
  suite_add_tcase(s, t);
  return s;
}
