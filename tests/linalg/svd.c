/* SPDX-License-Identifier: Apache-2.0
 *
 * svd.c: singular values of matrices made from known ones; the null space; awkward shapes.
 */
#include <check.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "runner.h"

enum { MOST = 24 };

static double noise(int32_t *seed) {
  *seed = (int32_t)(((int64_t)*seed * 48271) % 2147483647);
  return (double)*seed / 2147483647.0 - 0.5;
}

/* orthonormal columns by Gram-Schmidt, twice */
static void orthogonal(int32_t n, double *Q, int32_t seed) {
  for (int32_t k = 0; k < n; k++) {
    double *x = Q + k * n, s = 0.0;
    for (int32_t i = 0; i < n; i++) x[i] = noise(&seed);
    for (int pass = 0; pass < 2; pass++)
      for (int32_t j = 0; j < k; j++) {
        double d = 0.0;
        for (int32_t i = 0; i < n; i++) d += Q[j * n + i] * x[i];
        for (int32_t i = 0; i < n; i++) x[i] -= d * Q[j * n + i];
      }
    for (int32_t i = 0; i < n; i++) s += x[i] * x[i];
    for (int32_t i = 0; i < n; i++) x[i] /= sqrt(s);
  }
}

/* A = U S V' of m x n with the given singular values */
static void build(int32_t m, int32_t n, const double *s, int32_t count, double *A) {
  double U[MOST * MOST], V[MOST * MOST];
  orthogonal(m, U, 17);
  orthogonal(n, V, 99);
  memset(A, 0, (size_t)(m * n) * sizeof *A);
  for (int32_t k = 0; k < count; k++)
    for (int32_t j = 0; j < n; j++)
      for (int32_t i = 0; i < m; i++) A[i + j * m] += s[k] * U[k * m + i] * V[k * n + j];
}

/* V'V = 1, A V = U S with orthogonal columns of the right lengths */
static void check(int32_t m, int32_t n, const double *s, int32_t count, double within) {
  double A[MOST * MOST], B[MOST * MOST], V[MOST * MOST], found[MOST];
  build(m, n, s, count, A);
  memcpy(B, A, sizeof B);
  ck_assert(hki_dense_svd(m, n, B, m, found, V, n));
  for (int32_t k = 0; k < n; k++) ck_assert_double_eq_tol(found[k], k < count ? s[k] : 0.0, within);
  for (int32_t j = 0; j < n; j++)
    for (int32_t k = 0; k < n; k++) {
      double vv = 0.0, uu = 0.0;
      for (int32_t i = 0; i < n; i++) vv += V[j * n + i] * V[k * n + i];
      for (int32_t i = 0; i < m; i++) uu += B[i + j * m] * B[i + k * m];
      ck_assert_double_eq_tol(vv, j == k ? 1.0 : 0.0, 1e-13);
      ck_assert_double_eq_tol(uu, j == k ? found[j] * found[j] : 0.0, within);
    }
  for (int32_t k = 0; k < n; k++)
    for (int32_t i = 0; i < m; i++) {
      double sum = 0.0;
      for (int32_t j = 0; j < n; j++) sum += A[i + j * m] * V[k * n + j];
      ck_assert_double_eq_tol(sum, B[i + k * m], within);
    }
}

START_TEST(test_known_values) {
  const double s[] = {7.0, 3.0, 3.0, 1.0, 0.02, 1e-6};
  check(6, 6, s, 6, 1e-13);
  check(9, 6, s, 6, 1e-13);
  check(6, 21, s, 6, 1e-13);
  check(20, 21, s, 6, 1e-13);
  check(1, 5, s, 1, 1e-13);
}
END_TEST

/* rank 4 of 6 rows: the last columns of V are a null space */
START_TEST(test_null_space) {
  const double s[] = {5.0, 2.0, 1.0, 1e-3};
  double A[MOST * MOST], B[MOST * MOST], V[MOST * MOST], found[MOST];
  build(6, 10, s, 4, A);
  memcpy(B, A, sizeof B);
  ck_assert(hki_dense_svd(6, 10, B, 6, found, V, 10));
  for (int32_t k = 4; k < 10; k++)
    for (int32_t i = 0; i < 6; i++) {
      double sum = 0.0;
      for (int32_t j = 0; j < 10; j++) sum += A[i + j * 6] * V[k * 10 + j];
      ck_assert(fabs(sum) < 1e-14);
    }
}
END_TEST

START_TEST(test_awkward) {
  double A[4] = {0}, V[4], s[2];
  ck_assert(hki_dense_svd(2, 2, A, 2, s, V, 2));
  ck_assert(s[0] == 0.0 && s[1] == 0.0 && V[0] == 1.0 && V[3] == 1.0);
  A[1] = NAN;
  ck_assert(!hki_dense_svd(2, 2, A, 2, s, V, 2));
  // nothing to decompose: all of the space is null space
  ck_assert(hki_dense_svd(0, 2, A, 1, s, V, 2));
  ck_assert(V[0] == 1.0 && V[1] == 0.0 && s[1] == 0.0);
}
END_TEST

Suite *suite_svd(void) {
  Suite *s = suite_create("svd");
  TCase *t = tcase_create("svd");
  tcase_add_test(t, test_known_values);
  tcase_add_test(t, test_null_space);
  tcase_add_test(t, test_awkward);
  suite_add_tcase(s, t);
  return s;
}
