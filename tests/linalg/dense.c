/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of the dense kernels: LDL', LU, products, rank-revealing QR.
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

/* a QR problem: A = B C of known rank */
typedef struct qr_bed {
  hk_qr q;
  void *block;
  double *A; /* column-major m x n, ld = m */
} qr_bed;

static void qr_open(qr_bed *t, int32_t m, int32_t n) {
  hk_arena a = {0};
  hki_qr_layout(&a, m, n, &t->q);
  t->block = hki_alloc(NULL, a.used + 1);
  a = (hk_arena){t->block, 0, a.used};
  hki_qr_layout(&a, m, n, &t->q);
  t->A = malloc((size_t)(m * n + 1) * sizeof(double));
}

static void qr_load(qr_bed *t) {
  int32_t m = t->q.m;
  for (int32_t j = 0; j < t->q.n; j++)
    for (int32_t i = 0; i < m; i++) t->q.a[i + j * t->q.ld] = t->A[i + j * m];
}

static void qr_close(qr_bed *t) {
  free(t->A);
  hki_free(NULL, t->block);
}

/* entries of rank r, rows scaled by up to 10^grade */
static void qr_random(qr_bed *t, int32_t r, double grade, uint64_t *state) {
  int32_t m = t->q.m, n = t->q.n;
  double B[40 * 40], C[40 * 40];
  for (int32_t i = 0; i < m * r; i++) B[i] = t_random(state);
  for (int32_t i = 0; i < n * r; i++) C[i] = t_random(state);
  for (int32_t j = 0; j < n; j++) {
    for (int32_t i = 0; i < m; i++) {
      double sum = 0.0;
      for (int32_t k = 0; k < r; k++) sum += B[i + k * m] * C[j + k * n];
      t->A[i + j * m] = sum * pow(10.0, grade * i / (m + 1));
    }
  }
}

/* normal equations: A'(A x - b) = 0, and x orthogonal to the null space */
static void qr_check(qr_bed *t, int32_t r, double tol, uint64_t *state) {
  int32_t m = t->q.m, n = t->q.n;
  double rhs[40], sol[40], res[40], N[40 * 40], norm = 1e-300;
  for (int32_t i = 0; i < m * n; i++) norm = fmax(norm, fabs(t->A[i]));
  qr_load(t);
  ck_assert_int_eq(hki_qr_factor(&t->q, 1e-12), r);
  for (int32_t i = 0; i < m; i++) rhs[i] = t_random(state);
  double rest = hki_qr_solve(&t->q, rhs, sol), sum2 = 0.0, size = 1.0;
  for (int32_t j = 0; j < n; j++) size = fmax(size, fabs(sol[j]) * norm);
  for (int32_t i = 0; i < m; i++) {
    res[i] = -rhs[i];
    for (int32_t j = 0; j < n; j++) res[i] += t->A[i + j * m] * sol[j];
    sum2 += res[i] * res[i];
  }
  ck_assert_double_eq_tol(rest, sqrt(sum2), tol * size);
  for (int32_t j = 0; j < n; j++) {
    double g = 0.0;
    for (int32_t i = 0; i < m; i++) g += t->A[i + j * m] * res[i];
    ck_assert_double_le(fabs(g), tol * norm * size * (m + 1));
  }
  // null space: A N = 0, N'N = 1, N'x = 0
  hki_qr_null_space(&t->q, N, n);
  for (int32_t k = 0; k < n - r; k++) {
    double along = 0.0;
    for (int32_t j = 0; j < n; j++) along += N[j + k * n] * sol[j];
    ck_assert_double_le(fabs(along) * norm, tol * size * n);
    for (int32_t i = 0; i < m; i++) {
      double s = 0.0;
      for (int32_t j = 0; j < n; j++) s += t->A[i + j * m] * N[j + k * n];
      ck_assert_double_le(fabs(s), tol * norm * n);
    }
    for (int32_t l = 0; l <= k; l++) {
      double s = 0.0;
      for (int32_t j = 0; j < n; j++) s += N[j + k * n] * N[j + l * n];
      ck_assert_double_eq_tol(s, k == l ? 1.0 : 0.0, 1e-14);
    }
  }
}

START_TEST(qr_known_rank) {
  uint64_t state = 5;
  for (int32_t round = 0; round < 300; round++) {
    int32_t m = t_random_int(&state, 25), n = t_random_int(&state, 25), k = m < n ? m : n;
    int32_t r = k ? t_random_int(&state, k + 1) : 0;
    qr_bed t;
    qr_open(&t, m, n);
    qr_random(&t, r, round % 2 ? 2.0 : 0.0, &state);
    qr_check(&t, r, 1e-11, &state);
    qr_close(&t);
  }
}
END_TEST

START_TEST(qr_pivots_name_independent_columns) {
  // columns 1 and 3 equal, column 2 zero: exactly one of 1 and 3 is among the first two
  qr_bed t;
  qr_open(&t, 3, 4);
  static const double cols[12] = {1, 0, 0, 2, 1, 0, 0, 0, 0, 2, 1, 0};
  memcpy(t.A, cols, sizeof cols);
  qr_load(&t);
  ck_assert_int_eq(hki_qr_factor(&t.q, 0.0), 2);
  ck_assert_int_eq(t.q.perm[0], 1);
  ck_assert_int_eq(t.q.perm[1], 0);
  qr_close(&t);
}
END_TEST

START_TEST(qr_edges) {
  qr_bed t;
  double x1 = 7.0, N[1] = {0.0}, rhs[1] = {3.0};
  // zero matrix: rank 0, solution 0, the null space is everything
  qr_open(&t, 1, 1);
  t.A[0] = 0.0;
  qr_load(&t);
  ck_assert_int_eq(hki_qr_factor(&t.q, 0.0), 0);
  ck_assert_double_eq(hki_qr_solve(&t.q, rhs, &x1), 3.0);
  ck_assert_double_eq(x1, 0.0);
  hki_qr_null_space(&t.q, N, 1);
  ck_assert_double_eq(N[0], 1.0);
  // not finite
  t.A[0] = NAN;
  qr_load(&t);
  ck_assert_int_eq(hki_qr_factor(&t.q, 0.0), -1);
  // huge and tiny entries do not overflow
  t.A[0] = 1e300;
  qr_load(&t);
  ck_assert_int_eq(hki_qr_factor(&t.q, 0.0), 1);
  hki_qr_solve(&t.q, rhs, &x1);
  ck_assert_double_eq_tol(x1 * 1e300, 3.0, 1e-14);
  qr_close(&t);
  // Kahan's matrix: graded, full rank seen as such
  enum { K = 20 };
  qr_open(&t, K, K);
  double s = 1.0;
  for (int32_t i = 0; i < K; i++, s *= 0.8)
    for (int32_t j = 0; j < K; j++) t.A[i + j * K] = j < i ? 0.0 : j == i ? s : -0.6 * s;
  qr_load(&t);
  ck_assert_int_eq(hki_qr_factor(&t.q, 0.0), K);
  qr_close(&t);
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
  tcase_add_test(t, qr_known_rank);
  tcase_add_test(t, qr_pivots_name_independent_columns);
  tcase_add_test(t, qr_edges);
  suite_add_tcase(s, t);
  return s;
}
