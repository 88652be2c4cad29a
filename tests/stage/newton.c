/* SPDX-License-Identifier: Apache-2.0
 *
 * Newton's iteration on scalar residuals with known behaviour: quadratic convergence, divergence,
 * round-off stagnation, a two-branch cycle, a failing factorisation, a tangent that is kept, a
 * cheap and an exact one to choose from; and the compatibility sentence.
 */
#include <check.h>
#include <math.h>
#include <string.h>

#include "stage/stage.h"

typedef struct scalar {
  hk_formulation base;
  double (*r)(double x), (*S)(double x);
  hk_status factor_status;
  double x, noise;
  double keep, slope; /* corrections up to `keep` leave the slope as it is */
  int32_t calls, factors;
  bool announced; /* that factor would follow */
  char hooks[64]; /* what was called, in order: P prediction, I iteration, C converged */
  double at[64];
  bool refuse;
  double cheap; /* factor on the slope while the cheap tangent is chosen; 0: no choice */
  bool exact;
} scalar;

static hk_status begin(hk_formulation *f, const hk_stage *st) {
  (void)f, (void)st;
  return HK_OK;
}
static hk_status residual(hk_formulation *f, const double *D, bool tangent) {
  ((scalar *)f)->announced = tangent;
  ((scalar *)f)->x = *D;
  ((scalar *)f)->calls++;
  return HK_OK;
}
static hk_status factor(hk_formulation *f) {
  scalar *s = (scalar *)f;
  ck_assert(s->announced);
  s->slope = s->S(s->x) * (s->cheap > 0.0 && !s->exact ? s->cheap : 1.0);
  s->factors++;
  return s->factor_status;
}
static hk_status correct(hk_formulation *f, double *D, hk_norms *n) {
  scalar *s = (scalar *)f;
  double d = -s->r(s->x) / s->slope + (s->calls % 2 ? s->noise : -s->noise);
  *D += d;
  *n = (hk_norms){.step = fabs(d), .keep_factor = fabs(d) <= s->keep};
  return HK_OK;
}
static bool choose_tangent(hk_formulation *f, bool exact) {
  ((scalar *)f)->exact = exact;
  return ((scalar *)f)->cheap > 0.0;
}
static hk_status hook(hk_formulation *f, hk_hook when, const double *D) {
  scalar *s = (scalar *)f;
  size_t n = strlen(s->hooks);
  if (n + 1 < sizeof s->hooks) s->hooks[n] = "BPICA"[when], s -> at[n] = *D;
  return s->refuse && when == HK_HOOK_AFTER_ITERATION ? HK_RETRY : HK_OK;
}
static const hk_formulation_ops ops = {.name = "scalar",
                                       .caps = HK_CAP_STAGE_POS | HK_CAP_ACCEL,
                                       .begin = begin,
                                       .residual = residual,
                                       .factor = factor,
                                       .correct = correct,
                                       .choose_tangent = choose_tangent,
                                       .hook = hook};

static double square(double x) { return x * x - 2.0; }
static double square_slope(double x) { return 2.0 * x; }
static double cube(double x) { return x * x * x; }
static double cube_slope(double x) { return 3.0 * x * x; }
static double runaway(double x) { return 1.0 / x; } /* each step doubles x */
static double runaway_slope(double x) { return -1.0 / (x * x); }
/* two branches: each one's Newton step lands on the other side */
static double branches(double x) { return x > 0 ? x + 1.0 : x - 1.0; }
static double one(double x) { return (void)x, 1.0; }
static double contact(double x) { return x > 0.0 ? 1.0 * x + 0.5 : 3.0 * x + 0.5; }
static double contact_slope(double x) { return x > 0.0 ? 1.0 : 3.0; }

static hk_status solve(scalar *s, double x0, int32_t max_iter, hk_newton *n, double *x) {
  double work[2];
  static const double zero[1] = {0};
  const hk_stage st = {.ca = 1.0, .q0 = zero, .vh = zero, .ah = zero};
  *n = (hk_newton){.tolerance = 1e-10, .max_iter = max_iter};
  s->base.ops = &ops;
  *x = x0;
  return hki_newton_solve(n, &s->base, &st, 1, x, work);
}

/* once after the prediction, once after each correction at its result, once when converged */
START_TEST(hooks) {
  scalar s = {.r = square, .S = square_slope};
  hk_newton n;
  double x;
  char expected[64] = "P";
  ck_assert_int_eq(solve(&s, 1.0, 20, &n, &x), HK_OK);
  for (int32_t i = 0; i < n.last; i++) strcat(expected, "I");
  strcat(expected, "C");
  ck_assert_str_eq(s.hooks, expected);
  ck_assert_double_eq(s.at[0], 1.0);
  ck_assert_double_eq(s.at[1], 1.5);
  ck_assert_double_eq(s.at[1 + n.last], x);
  // one that does not converge is never told so; one that is refused ends there
  scalar bad = {.r = runaway, .S = runaway_slope};
  ck_assert_int_eq(solve(&bad, 1.0, 8, &n, &x), HK_RETRY);
  ck_assert(bad.hooks[0] == 'P' && !strchr(bad.hooks, 'C'));
  scalar no = {.r = square, .S = square_slope, .refuse = true};
  ck_assert_int_eq(solve(&no, 1.0, 20, &n, &x), HK_RETRY);
  ck_assert_str_eq(no.hooks, "PI");
}
END_TEST

START_TEST(converges) {
  scalar s = {.r = square, .S = square_slope};
  hk_newton n;
  double x;
  ck_assert_int_eq(solve(&s, 1.0, 20, &n, &x), HK_OK);
  ck_assert_double_eq_tol(x, sqrt(2.0), 1e-12);
  ck_assert_int_le(n.last, 6);
  ck_assert_int_eq(n.iterations, n.last);
  scalar c = {.r = contact, .S = contact_slope};
  ck_assert_int_eq(solve(&c, 2.0, 20, &n, &x), HK_OK);
  ck_assert_double_eq_tol(x, -0.5 / 3.0, 1e-12);
}
END_TEST

START_TEST(gives_up) {
  scalar s = {.r = runaway, .S = runaway_slope};
  hk_newton n;
  double x;
  ck_assert_int_eq(solve(&s, 1.0, 50, &n, &x), HK_RETRY);
  ck_assert_int_lt(n.last, 50);
  scalar b = {.r = branches, .S = one};
  ck_assert_int_eq(solve(&b, 0.3, 30, &n, &x), HK_RETRY); // no root at all
  scalar f = {.r = square, .S = square_slope, .factor_status = HK_E_SINGULAR};
  ck_assert_int_eq(solve(&f, 1.0, 30, &n, &x), HK_E_SINGULAR);
  f.factor_status = HK_RETRY;
  ck_assert_int_eq(solve(&f, 1.0, 30, &n, &x), HK_RETRY);
}
END_TEST

START_TEST(stagnates_at_round_off) {
  scalar s = {
      .r = square, .S = square_slope, .noise = 2e-9}; // corrections cannot fall below the noise
  hk_newton n;
  double x;
  ck_assert_int_eq(solve(&s, 1.0, 50, &n, &x), HK_OK);
  ck_assert_int_eq(n.stagnated, 1);
  ck_assert_int_lt(n.last, 12);
  s.noise = 1e-5; // far above the tolerance: not round-off
  ck_assert_int_eq(solve(&s, 1.0, 50, &n, &x), HK_RETRY);
}
END_TEST

START_TEST(keeps_a_tangent) {
  scalar s = {.r = square, .S = square_slope};
  hk_newton n;
  double x;
  ck_assert_int_eq(solve(&s, 1.4, 20, &n, &x), HK_OK);
  ck_assert_int_eq(s.factors, n.last); // by itself never
  // after a small correction, as long as it converges fast
  s.keep = 0.05, s.factors = 0;
  ck_assert_int_eq(solve(&s, 1.4, 20, &n, &x), HK_OK);
  ck_assert_double_eq_tol(x, sqrt(2.0), 1e-12);
  ck_assert_int_eq(s.factors, 1);
  // a large first correction leaves nothing to keep; once it was slow nothing is kept any more
  s.factors = 0;
  ck_assert_int_eq(solve(&s, 1.0, 20, &n, &x), HK_OK);
  ck_assert_int_gt(s.factors, 1);
  scalar c = {.r = contact, .S = contact_slope, .keep = 10.0};
  ck_assert_int_eq(solve(&c, 2.0, 20, &n, &x), HK_OK);
  ck_assert_double_eq_tol(x, -0.5 / 3.0, 1e-12);
  ck_assert_int_eq(c.factors, n.last - 1);
}
END_TEST

/* a further stage with what the ones before have left in n */
static hk_status again(scalar *s, double x0, hk_newton *n) {
  double work[2], x = x0;
  static const double zero[1] = {0};
  const hk_stage st = {.ca = 1.0, .q0 = zero, .vh = zero, .ah = zero};
  s->base.ops = &ops;
  return hki_newton_solve(n, &s->base, &st, 1, &x, work);
}

/* slow (rate 3/4) or leading away (rate 4): the exact tangent takes over within the stage and
 * stays after the second one in a row; trials of the cheap one come after 16 stages, then 32; one that goes well ends it */
START_TEST(takes_the_exact_tangent) {
  static const double wrong[] = {4.0, 0.2};
  scalar s = {.r = square, .S = square_slope, .cheap = wrong[_i]};
  hk_newton n = {.tolerance = 1e-10, .max_iter = 50};
  for (int i = 0; i < 2; i++) {
    ck_assert(!n.choice.exact);
    ck_assert_int_eq(again(&s, 1.5, &n), HK_OK);
    ck_assert_int_le(n.last, 7);
  }
  ck_assert(n.choice.exact);
  for (int span = 16; span <= 32; span *= 2) {
    for (int i = 0; i < span; i++) {
      ck_assert_int_eq(again(&s, 1.41, &n), HK_OK);
      ck_assert_int_le(n.last, 3);
    }
    ck_assert_int_eq(again(&s, 1.41, &n), HK_OK); // a trial
    ck_assert_int_gt(n.last, 3);
    ck_assert(n.choice.exact);
  }
  s.cheap = 1.001;
  for (int i = 0; i < 65; i++) ck_assert_int_eq(again(&s, 1.41, &n), HK_OK);
  ck_assert(!n.choice.exact && !s.exact && n.choice.hold == 0);
  ck_assert_int_eq(again(&s, 1.41, &n), HK_OK);
  ck_assert(!s.exact);
}
END_TEST

/* one bad correction at the beginning is no reason; where the exact tangent does not help, the cheap
 * one comes back and stays for a while */
START_TEST(keeps_the_cheap_tangent) {
  scalar s = {.r = square, .S = square_slope, .cheap = 1.1};
  hk_newton n = {.tolerance = 1e-10, .max_iter = 50};
  ck_assert_int_eq(again(&s, 0.6, &n), HK_OK);
  ck_assert(!n.choice.exact && !s.exact);
  scalar c = {.r = cube, .S = cube_slope, .cheap = 2.0}; // multiple root: rate 2/3 when exact
  n = (hk_newton){.tolerance = 1e-10, .max_iter = 99};
  ck_assert_int_eq(again(&c, 1.0, &n), HK_OK);
  ck_assert(!n.choice.exact && n.choice.hold == 16);
  ck_assert_int_eq(again(&c, 1.0, &n), HK_OK);
  ck_assert(!c.exact);
  // fixed by an option: never
  scalar fixed = {.r = square, .S = square_slope};
  n = (hk_newton){.tolerance = 1e-10, .max_iter = 50};
  ck_assert_int_eq(again(&fixed, 1.5, &n), HK_OK);
  ck_assert(!n.choice.exact && !fixed.exact);
}
END_TEST

START_TEST(compatibility) {
  const hk_integrator_ops easy = {.name = "easy", .needs = HK_CAP_ACCEL};
  const hk_integrator_ops hard = {.name = "hard", .needs = HK_CAP_ACCEL | HK_CAP_STAGE_ACC};
  char buf[256];
  ck_assert_ptr_null(hki_compatible(&ops, &easy, buf, sizeof buf));
  const char *why = hki_compatible(&ops, &hard, buf, sizeof buf);
  ck_assert_ptr_nonnull(why);
  ck_assert_ptr_nonnull(strstr(why, "hard"));
  ck_assert_ptr_nonnull(strstr(why, "scalar"));
  ck_assert_ptr_nonnull(strstr(why, "acceleration level"));
}
END_TEST

Suite *suite_newton(void);
Suite *suite_newton(void) {
  Suite *s = suite_create("newton");
  TCase *c = tcase_create("scalar");
  tcase_add_test(c, converges);
  tcase_add_test(c, hooks);
  tcase_add_test(c, gives_up);
  tcase_add_test(c, stagnates_at_round_off);
  tcase_add_test(c, keeps_a_tangent);
  tcase_add_loop_test(c, takes_the_exact_tangent, 0, 2);
  tcase_add_test(c, keeps_the_cheap_tangent);
  tcase_add_test(c, compatibility);
  suite_add_tcase(s, c);
  return s;
}
