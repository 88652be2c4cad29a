/* SPDX-License-Identifier: Apache-2.0
 *
 * Relaxation of answers: linear problems F(f) = A f + b. Quasi-Newton finds n unknowns within n + 2 answers, also where plain
 * iteration grows; Aitken's factor finds one; a constant factor does what it says.
 */
#include <check.h>
#include <math.h>

#include "simulation/relax.h"

Suite *suite_relaxation(void);

enum { N = 5 };

static void respond(const double *f, double *F) {
  for (int i = 0; i < N; i++) {
    F[i] = 1.0 + i;
    for (int j = 0; j < N; j++) F[i] += (i == j ? -3.0 - i : 0.3 * (i - 2.0 * j)) * f[j];
  }
}

static double left(const double *f) {
  double F[N], r = 0.0;
  respond(f, F);
  for (int i = 0; i < N; i++) r = fmax(r, fabs(F[i] - f[i]));
  return r;
}

START_TEST(newton) {
  hk_ctx *ctx = hk_ctx_create();
  hk_relax x;
  ck_assert_int_eq(hki_relax_init(&x, ctx, HK_RELAX_NEWTON, 0.5, N), HK_OK);
  for (int step = 0; step < 2; step++) { // the second begins anew
    double f[N] = {step, 0, 0, 1, 0}, F[N];
    hki_relax_begin(&x);
    for (int k = 0; k < N + 2; k++) respond(f, F), hki_relax_next(&x, F, f);
    ck_assert_msg(left(f) < 1e-9, "%.3g", left(f));
    // and more answers do no harm
    for (int k = 0; k < 20; k++) respond(f, F), hki_relax_next(&x, F, f);
    ck_assert_msg(left(f) < 1e-9, "%.3g", left(f));
  }
  hki_relax_free(&x, ctx);
  hk_ctx_destroy(ctx);
}
END_TEST

START_TEST(aitken_and_constant) {
  hk_ctx *ctx = hk_ctx_create();
  hk_relax x;
  double f = 0.0, F;
  ck_assert_int_eq(hki_relax_init(&x, ctx, HK_RELAX_AITKEN, 0.1, 1), HK_OK);
  hki_relax_begin(&x);
  for (int k = 0; k < 3; k++) F = 8.0 - 3.0 * f, hki_relax_next(&x, &F, &f);
  ck_assert_double_eq_tol(f, 2.0, 1e-12);
  hki_relax_free(&x, ctx);
  ck_assert_int_eq(hki_relax_init(&x, ctx, HK_RELAX_CONSTANT, 0.1, 1), HK_OK);
  hki_relax_begin(&x);
  f = 0.0, F = 8.0;
  hki_relax_next(&x, &F, &f);
  ck_assert_double_eq_tol(f, 0.8, 1e-15);
  F = 5.6;
  hki_relax_next(&x, &F, &f);
  ck_assert_double_eq_tol(f, 0.8 + 0.1 * 4.8, 1e-15);
  hki_relax_free(&x, ctx);
  hk_ctx_destroy(ctx);
}
END_TEST

Suite *suite_relaxation(void) {
  Suite *s = suite_create("relaxation");
  TCase *c = tcase_create("relaxation");
  tcase_add_test(c, newton);
  tcase_add_test(c, aitken_and_constant);
  suite_add_tcase(s, c);
  return s;
}
