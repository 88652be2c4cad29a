/* SPDX-License-Identifier: Apache-2.0
 *
 * bounded.c: the smallest solution within bounds satisfies the conditions of an optimum; where there is none, that
 * is said.
 */
#include <check.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "runner.h"
#include "support.h"

enum { N = 9, M = 3 };

/* orthonormal rows: A (M x N, column-major) */
static void fill_rows(uint64_t *seed, double *A) {
  for (int i = 0; i < M; i++) {
    double size = 0.0;
    for (int j = 0; j < N; j++) A[i + j * M] = t_random(seed);
    for (int pass = 0; pass < 2; pass++)
      for (int k = 0; k < i; k++) {
        double c = 0.0;
        for (int j = 0; j < N; j++) c += A[i + j * M] * A[k + j * M];
        for (int j = 0; j < N; j++) A[i + j * M] -= c * A[k + j * M];
      }
    for (int j = 0; j < N; j++) size += A[i + j * M] * A[i + j * M];
    for (int j = 0; j < N; j++) A[i + j * M] /= sqrt(size);
  }
}

/* x - A'mu is zero where x is free, drives into the bound where it is held; mu from the free ones */
static int check_optimum(const double *A, const double *x, const int8_t *end) {
  double F[N * M], s[M], V[M * M], y[N], mu[M];
  int n = 0;
  for (int j = 0; j < N; j++) {
    if (end[j]) continue;
    y[n++] = x[j];
  }
  for (int i = 0; i < M; i++)
    for (int j = 0, k = 0; j < N; j++)
      if (!end[j]) F[k++ + i * n] = A[i + j * M];
  if (n < M) return n; // multipliers are not unique there
  hki_dense_least(n, M, F, 1e-12, s, V, y, mu);
  for (int j = 0; j < N; j++) {
    double g = x[j];
    for (int i = 0; i < M; i++) g -= A[i + j * M] * mu[i];
    if (end[j] == 0) ck_assert_double_eq_tol(g, 0.0, 1e-10);
    if (end[j] < 0) ck_assert_double_gt(g, -1e-10);
    if (end[j] > 0) ck_assert_double_lt(g, 1e-10);
  }
  return n;
}

START_TEST(test_optimum) {
  uint64_t seed = 5;
  double A[M * N], b[M], lo[N], hi[N], x[N], work[2000];
  int8_t end[N];
  int held = 0, many = 0;
  ck_assert_uint_le(hki_dense_bounded_work(M, N), 2000);
  for (int round = 0; round < 300; round++) {
    fill_rows(&seed, A);
    memset(b, 0, sizeof b);
    for (int j = 0; j < N; j++) {
      const double size = 0.2 + fabs(t_random(&seed));
      lo[j] = round % 3 ? -size : 0.0, hi[j] = j == 4 ? INFINITY : size;
      // a point within the bounds, often near their ends
      const double inside = 0.5 * (lo[j] + fmin(hi[j], size)) +
                            0.499 * (fmin(hi[j], size) - lo[j]) * (t_random(&seed) < 0 ? -1 : 1);
      for (int i = 0; i < M; i++) b[i] += A[i + j * M] * inside;
    }
    ck_assert(hki_dense_bounded(M, N, A, b, lo, hi, x, end, work));
    int here = 0;
    for (int j = 0; j < N; j++) {
      ck_assert_double_ge(x[j], lo[j] - 1e-9);
      ck_assert_double_le(x[j], hi[j] + 1e-9);
      here += end[j] != 0;
    }
    held += here, many += here > 3;
    for (int i = 0; i < M; i++) {
      double r = -b[i];
      for (int j = 0; j < N; j++) r += A[i + j * M] * x[j];
      ck_assert_double_eq_tol(r, 0.0, 1e-10);
    }
    check_optimum(A, x, end);
  }
  // bounds have acted
  ck_assert_int_gt(held, 300);
  ck_assert_int_gt(many, 20);
}
END_TEST

START_TEST(test_none) {
  // x0 + x1 = 3 sqrt(2) with both at most 1
  const double A[2] = {sqrt(0.5), sqrt(0.5)}, b[1] = {3.0}, lo[2] = {-1, -1}, hi[2] = {1, 1};
  double x[2], work[200];
  int8_t end[2];
  ck_assert(!hki_dense_bounded(1, 2, A, b, lo, hi, x, end, work));
  const double near[1] = {1.0};
  ck_assert(hki_dense_bounded(1, 2, A, near, lo, hi, x, end, work));
  ck_assert_double_eq_tol(x[0], sqrt(0.5), 1e-15);
  const double tight[2] = {0.1, 9.0};
  ck_assert(hki_dense_bounded(1, 2, A, near, lo, tight, x, end, work));
  ck_assert_double_eq_tol(x[0], 0.1, 1e-15);
  ck_assert_double_eq_tol(x[1], sqrt(2.0) - 0.1, 1e-14);
  ck_assert_int_eq(end[0], 1);
  ck_assert_int_eq(end[1], 0);
}
END_TEST

Suite *suite_bounded(void) {
  Suite *s = suite_create("bounded");
  TCase *t = tcase_create("bounded");
  tcase_add_test(t, test_optimum);
  tcase_add_test(t, test_none);
  suite_add_tcase(s, t);
  return s;
}
