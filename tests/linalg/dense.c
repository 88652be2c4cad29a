/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of the dense kernels: LDL', LU, products, positive matrices.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/kernels.h"
#include "linalg/support.h"

enum { MAX = 70, LD = 72 };

static double A[LD * MAX], F[LD * MAX], G[LD * MAX], R[MAX * MAX], inv[MAX], inv2[MAX];
static double x[MAX], x2[MAX], b[MAX], y[MAX], work[5 * MAX + 24];
static int32_t pivot[MAX], pivot2[MAX];

/* column-major A (ld) -> row-major R */
static void to_rows(int32_t n, const double *a, int32_t ld, bool symmetric) {
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++)
      R[i * n + j] = symmetric && j > i ? a[j + i * ld] : a[i + j * ld];
}

START_TEST(ldl_all_sizes) {
  uint64_t state = 1;
  for (int32_t n = 0; n < MAX; n++) {
    int32_t ld = hki_dense_ld(n), bad = 5;
    memset(A, 0, sizeof A);
    // indefinite but safe: a dominant diagonal of both signs; the upper triangle is not read
    for (int32_t j = 0; j < n; j++)
      for (int32_t i = 0; i < n; i++)
        A[i + j * ld] = i < j ? 1e30 : i == j ? (i % 3 ? n + 1.0 : -n - 1.0) : t_random(&state);
    for (int32_t i = 0; i < n; i++) b[i] = x[i] = x2[i] = t_random(&state);
    memcpy(F, A, sizeof A), memcpy(G, A, sizeof A);
    ck_assert_int_eq(hki_dense_ldl_factor(n, F, ld, inv, work, &bad), HK_OK);
    ck_assert_int_eq(bad, -1);
    hki_dense_ldl_solve(n, F, ld, inv, x, work);
    to_rows(n, A, ld, true);
    ck_assert_double_lt(t_residual(n, R, x, b), 1e-15);
    // the narrow kernels give the same bits
    const hki_kernels *k = &hki_kernels_generic;
    ck_assert_int_eq(k->dense_ldl_factor(n, G, ld, inv2, work, NULL), HK_OK);
    k->dense_ldl_solve(n, G, ld, inv2, x2, work);
    if (n) ck_assert_mem_eq(x, x2, (size_t)n * sizeof *x);
  }
}
END_TEST

START_TEST(lu_all_sizes) {
  uint64_t state = 2;
  for (int32_t n = 0; n < MAX; n++) {
    int32_t ld = hki_dense_ld(n), bad = 5;
    memset(A, 0, sizeof A);
    for (int32_t j = 0; j < n; j++)
      for (int32_t i = 0; i < n; i++) A[i + j * ld] = t_random(&state);
    // a zero diagonal forces exchanges
    for (int32_t i = 0; i < n && n > 1; i++) A[i + i * ld] = 0.0;
    for (int32_t i = 0; i < n; i++) b[i] = x[i] = x2[i] = t_random(&state);
    memcpy(F, A, sizeof A), memcpy(G, A, sizeof A);
    ck_assert_int_eq(hki_dense_lu_factor(n, F, ld, pivot, inv, work, &bad), HK_OK);
    ck_assert_int_eq(bad, -1);
    hki_dense_lu_solve(n, F, ld, pivot, inv, x, work);
    to_rows(n, A, ld, false);
    ck_assert_double_lt(t_residual(n, R, x, b), 1e-15 * (1 + n));
    // multipliers of partial pivoting are at most 1
    for (int32_t j = 0; j < n; j++)
      for (int32_t i = j + 1; i < n; i++) ck_assert_double_le(fabs(F[i + j * ld]), 1.0 + 1e-15);
    const hki_kernels *k = &hki_kernels_generic;
    ck_assert_int_eq(k->dense_lu_factor(n, G, ld, pivot2, inv2, work, NULL), HK_OK);
    k->dense_lu_solve(n, G, ld, pivot2, inv2, x2, work);
    if (n) ck_assert_mem_eq(x, x2, (size_t)n * sizeof *x);
  }
}
END_TEST

START_TEST(singular) {
  uint64_t state = 3;
  int32_t bad;
  for (int32_t n = 2; n < 40; n++) {
    int32_t ld = hki_dense_ld(n);
    memset(A, 0, sizeof A);
    for (int32_t j = 0; j < n; j++)
      for (int32_t i = 0; i < n; i++) A[i + j * ld] = t_random(&state) + (i == j ? n : 0.0);
    // the last column is the sum of two others
    for (int32_t i = 0; i < n; i++) A[i + (n - 1) * ld] = A[i] + (n > 2 ? A[i + ld] : 0.0);
    memcpy(F, A, sizeof A);
    ck_assert_int_eq(hki_dense_lu_factor(n, F, ld, pivot, inv, work, &bad), HK_E_SINGULAR);
    ck_assert_int_eq(bad, n - 1);
    memcpy(F, A, sizeof A);
    F[n / 2 + (n / 2) * ld] = NAN;
    ck_assert_int_eq(hki_dense_lu_factor(n, F, ld, pivot, inv, work, &bad), HK_E_NUMBER);
    // a symmetric matrix with a zero row
    for (int32_t j = 0; j < n; j++)
      for (int32_t i = j; i < n; i++)
        F[i + j * ld] = i == n / 2 || j == n / 2 ? 0.0 : i == j ? n + 1.0 : t_random(&state);
    ck_assert_int_eq(hki_dense_ldl_factor(n, F, ld, inv, work, &bad), HK_E_SINGULAR);
    ck_assert_int_eq(bad, n / 2);
  }
  F[0] = 0.0;
  ck_assert_int_eq(hki_dense_lu_factor(1, F, 4, pivot, inv, work, &bad), HK_E_SINGULAR);
  ck_assert_int_eq(bad, 0);
}
END_TEST

START_TEST(products) {
  uint64_t state = 4;
  for (int32_t round = 0; round < 60; round++) {
    int32_t m = t_random_int(&state, 30), n = t_random_int(&state, 30), ld = m + round % 3;
    for (int32_t i = 0; i < ld * n; i++) A[i] = t_random(&state);
    for (int32_t i = 0; i < 40; i++) x[i] = t_random(&state);
    hki_dense_mul(m, n, A, ld, x, y);
    for (int32_t i = 0; i < m; i++) {
      double sum = 0.0;
      for (int32_t j = 0; j < n; j++) sum += A[i + j * ld] * x[j];
      ck_assert_double_eq_tol(y[i], sum, 1e-13);
    }
    hki_dense_mul_t(m, n, A, ld, x, y);
    for (int32_t j = 0; j < n; j++) {
      double sum = 0.0;
      for (int32_t i = 0; i < m; i++) sum += A[i + j * ld] * x[i];
      ck_assert_double_eq_tol(y[j], sum, 1e-13);
    }
  }
}
END_TEST

START_TEST(positive) {
  // x'W x = |B x|^2 + x'(skew) x > 0; with one direction taken out of B it is zero there
  uint64_t state = 7;
  for (int32_t n = 1; n < 12; n++)
    for (int flat = 0; flat < 2; flat++) {
      double B[12 * 12], W[12 * 12];
      for (int32_t i = 0; i < n * n; i++) B[i] = t_random(&state);
      for (int32_t i = 0; i < n; i++) B[i * n + i] += flat ? 0.0 : 4.0;
      for (int32_t i = 0; flat && i < n; i++) B[i * n] = 0.0;
      for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++) {
          W[i * n + j] = i < j ? 3.0 : i > j ? -3.0 : 0.0;
          for (int32_t k = 0; k < n; k++) W[i * n + j] += B[k * n + i] * B[k * n + j];
        }
      ck_assert_msg(hki_dense_positive(n, W) == !flat, "n = %d, %d", n, flat);
    }
}
END_TEST

Suite *suite_dense(void);
Suite *suite_dense(void) {
  Suite *s = suite_create("linalg/dense");
  TCase *t = tcase_create("all");
  tcase_set_timeout(t, 60);
  tcase_add_test(t, ldl_all_sizes);
  tcase_add_test(t, lu_all_sizes);
  tcase_add_test(t, singular);
  tcase_add_test(t, products);
  tcase_add_test(t, positive);
  suite_add_tcase(s, t);
  return s;
}
