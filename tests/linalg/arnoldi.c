/* SPDX-License-Identifier: Apache-2.0
 *
 * Eigenvalues of a large matrix by its products alone, and complex sparse LU: matrices whose answers are known.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/arpack.h"
#include "linalg/complex_lu.h"
#include "runner.h"

Suite *suite_arnoldi(void);

enum { N = 60, WANT = 4 };

/* diagonal: (k + 1) exp(i k) */
static void diagonal(void *user, const double *x, double *y) {
  (void)user;
  for (int k = 0; k < N; k++) {
    const double re = (k + 1) * cos(k), im = (k + 1) * sin(k);
    y[2 * k] = re * x[2 * k] - im * x[2 * k + 1];
    y[2 * k + 1] = re * x[2 * k + 1] + im * x[2 * k];
  }
}

START_TEST(largest_of_a_diagonal) {
  hk_ctx *ctx = hk_ctx_create();
  double first[2 * N], theta[2 * WANT], X[2 * N * WANT];
  char why[300] = "";
  int32_t found = 0;
  for (int i = 0; i < 2 * N; i++) first[i] = 1.0 + 0.01 * i;
  hk_status st =
      hki_arnoldi(ctx, N, WANT, diagonal, NULL, first, theta, X, &found, why, sizeof why);
  if (st == HK_E_FILE) { // ARPACK is not installed: said, with what helps
    ck_assert_ptr_nonnull(strstr(why, "ARPACK"));
    ck_assert_ptr_nonnull(strstr(hki_arnoldi_hint(st), "apt install"));
    hk_ctx_destroy(ctx);
    return;
  }
  ck_assert_int_eq(st, HK_OK);
  ck_assert_int_eq(found, WANT);
  for (int k = 0; k < WANT; k++) {
    const int at = (int)lround(hypot(theta[2 * k], theta[2 * k + 1])) - 1;
    ck_assert_int_ge(at, N - WANT);
    ck_assert_double_eq_tol(theta[2 * k], (at + 1) * cos(at), 1e-9);
    ck_assert_double_eq_tol(theta[2 * k + 1], (at + 1) * sin(at), 1e-9);
    // the vector is a unit vector
    const double *x = X + 2 * N * k;
    ck_assert_double_eq_tol(hypot(x[2 * at], x[2 * at + 1]), 1.0, 1e-9);
  }
  ck_assert_ptr_null(hki_arnoldi_hint(HK_OK));
  hk_ctx_destroy(ctx);
}
END_TEST

/* [1 i 0; 0 2 1; 1 0 i] x = b, by columns */
START_TEST(complex_factors) {
  hk_ctx *ctx = hk_ctx_create();
  int32_t start[4] = {0, 2, 4, 6}, row[6] = {0, 2, 0, 1, 1, 2};
  double val[12] = {1, 0, 1, 0, 0, 1, 2, 0, 1, 0, 0, 1};
  // x = (1 + i, 2, -i): b = (1 + 3 i, 4 - i, 2 + i)
  double x[6] = {1, 3, 4, -1, 2, 1};
  static const double should[6] = {1, 1, 2, 0, 0, -1};
  hk_complex_lu *lu = NULL;
  hk_status st = hki_complex_lu_create(ctx, 3, start, row, val, &lu);
  if (st != HK_E_USAGE) { // a build with a sparse solver
    ck_assert_int_eq(st, HK_OK);
    hki_complex_lu_solve(lu, x);
    for (int i = 0; i < 6; i++) ck_assert_double_eq_tol(x[i], should[i], 1e-14);
    ck_assert_double_ge(hki_complex_lu_entries(lu), 6.0);
    hki_complex_lu_destroy(lu);
    memset(val, 0, sizeof val);
    ck_assert_int_eq(hki_complex_lu_create(ctx, 3, start, row, val, &lu), HK_E_SINGULAR);
    ck_assert_ptr_null(lu);
  }
  hki_complex_lu_destroy(NULL);
  hk_ctx_destroy(ctx);
}
END_TEST

Suite *suite_arnoldi(void) {
  Suite *s = suite_create("arnoldi");
  TCase *t = tcase_create("arnoldi");
  tcase_add_test(t, largest_of_a_diagonal);
  tcase_add_test(t, complex_factors);
  suite_add_tcase(s, t);
  return s;
}
