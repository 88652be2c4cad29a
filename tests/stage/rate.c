/* SPDX-License-Identifier: Apache-2.0
 *
 * Stages that end after their first correction by the rate of stages before (stage/rate.h): on a scalar equation whose
 * tangent is off by a known share, so that every correction leaves that share of itself.
 */
#include <check.h>
#include <math.h>

#include "stage/rate.h"

typedef struct scalar {
  hk_formulation base;
  double share; /* of a correction that it leaves */
  double root, x, whole;
  bool by_rate;
} scalar;

static hk_status begin(hk_formulation *f, const hk_stage *st) { return (void)f, (void)st, HK_OK; }
static hk_status residual(hk_formulation *f, const double *D, bool tangent) {
  (void)tangent;
  ((scalar *)f)->x = *D;
  return HK_OK;
}
static hk_status factor(hk_formulation *f) { return (void)f, HK_OK; }
static hk_status correct(hk_formulation *f, double *D, hk_norms *n) {
  scalar *s = (scalar *)f;
  const double d = (s->root - s->x) * (1.0 - s->share);
  *D += d;
  n->step = fabs(d), n->by_rate = s->by_rate, n->whole = s->whole;
  return HK_OK;
}
static const hk_formulation_ops ops = {.name = "scalar",
                                       .caps = HK_CAP_STAGE_POS,
                                       .begin = begin,
                                       .residual = residual,
                                       .factor = factor,
                                       .correct = correct};

static const double zero[1] = {0.0};
static scalar s;
static hk_newton n;

static void setup(void) {
  s = (scalar){.base.ops = &ops, .share = 1e-4, .whole = 1e-5, .by_rate = true};
  n = (hk_newton){.tolerance = 1e-9, .max_iter = 20};
}

/* iterations of a stage whose prediction is off by this; what it leaves must be below a fiftieth of the tolerance */
static int32_t turns(double off, double ca, bool ahead) {
  double x = off, work[2];
  const hk_stage st = {.ca = ca, .q0 = zero, .vh = zero, .ah = zero, .ahead = ahead ? zero : NULL};
  ck_assert_int_eq(hki_newton_solve(&n, &s.base, &st, 1, &x, work), HK_OK);
  ck_assert_double_le(fabs(x - s.root), 0.02 * n.tolerance);
  return n.last;
}

START_TEST(one_correction_is_enough) {
  ck_assert_int_eq(turns(2e-8, 1.0, true), 2);
  // the rate is measured anew after a number of stages
  for (int i = 0; i < HK_RATE_STAGES; i++) ck_assert_int_eq(turns(2e-8, 1.0, true), 1);
  ck_assert_int_eq(turns(2e-8, 1.0, true), 2);
  ck_assert_int_eq(turns(2e-8, 1.0, true), 1);
}
END_TEST

START_TEST(it_is_not_believed_in) {
  turns(1e-8, 1.0, true);
  ck_assert_int_eq(turns(1e-8, 1.0, true), 1);
  // another step, a larger correction, a method that does not ask
  ck_assert_int_eq(turns(1e-8, 1.1, true), 2);
  ck_assert_int_eq(turns(2.1e-8, 1.1, true), 2);
  ck_assert_int_eq(turns(2.1e-8, 1.1, false), 2);
  // which has made it forget
  ck_assert_int_eq(turns(1e-8, 1.1, true), 2);
  ck_assert_int_eq(turns(1e-8, 1.1, true), 1);
  // three times the correction that it was measured with, however little that left
  s.share = 1e-6;
  turns(1e-9, 2.0, true);
  ck_assert_int_eq(turns(1.9e-9, 2.0, true), 1);
  ck_assert_int_eq(turns(3e-9, 2.0, true), 2);
  // friction that follows multipliers
  s.by_rate = false;
  ck_assert_int_eq(turns(3e-9, 2.0, true), 2);
}
END_TEST

/* a rate that leaves too much, a step whose own error is small, a fine tolerance */
START_TEST(what_it_leaves_is_too_much) {
  s.share = 2e-3;
  turns(1e-8, 1.0, true);
  ck_assert_int_eq(turns(1e-8, 1.0, true), 2);
  setup();
  s.share = 9e-4, s.whole = 0.0;
  turns(1e-8, 1.0, true);
  ck_assert_int_eq(turns(1e-8, 1.0, true), 1);
  ck_assert_int_eq(turns(5e-9, 1.0, true), 2);
  setup();
  n.tolerance = 9e-11;
  turns(1e-9, 1.0, true);
  ck_assert_int_eq(turns(1e-9, 1.0, true), 2);
  ck_assert_double_eq(hki_rate_left(&n.rate, 9e-11, 1.0, 1e-9), HK_RATE_UNKNOWN);
  ck_assert_double_lt(hki_rate_left(&n.rate, 1.1e-10, 1.0, 1e-9), 1e-11);
  ck_assert_double_eq(hki_rate_last(9e-11), 0.0);
}
END_TEST

/* a stage that fails makes it forget */
START_TEST(failures) {
  double x = 1e-8, work[2];
  const hk_stage st = {.ca = 1.0, .q0 = zero, .vh = zero, .ah = zero, .ahead = zero};
  turns(1e-8, 1.0, true);
  ck_assert_double_gt(n.rate.uses, 0.0);
  x = 1.0, n.max_iter = 1;
  ck_assert_int_eq(hki_newton_solve(&n, &s.base, &st, 1, &x, work), HK_RETRY);
  ck_assert_double_eq(n.rate.uses, 0.0);
}
END_TEST

Suite *suite_rate(void);
Suite *suite_rate(void) {
  Suite *suite = suite_create("rate");
  TCase *c = tcase_create("scalar");
  tcase_add_checked_fixture(c, setup, NULL);
  tcase_add_test(c, one_correction_is_enough);
  tcase_add_test(c, it_is_not_believed_in);
  tcase_add_test(c, what_it_leaves_is_too_much);
  tcase_add_test(c, failures);
  suite_add_tcase(suite, c);
  return suite;
}
