/* SPDX-License-Identifier: Apache-2.0
 *
 * A diagonal matrix with unsymmetric terms beside it, against a dense LU of the sum; no terms; a
 * singular sum; the sign of the determinant.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/border.h"
#include "linalg/dense.h"
#include "numbers.h"

enum { N = 13, MOST = 5, LD = 16 };

static double diagonal(int32_t i) { return 2.0 + 0.3 * i; }

static void solve(void *with, double *x) {
  ++*(int32_t *)with;
  for (int32_t i = 0; i < N; i++) x[i] /= diagonal(i);
}

static void *lay(hk_border *b) {
  hk_arena a = {0};
  hki_border_layout(b, N, MOST, &a);
  unsigned char *block = calloc(1, a.used + 64);
  a = (hk_arena){block + (64 - (uintptr_t)block % 64) % 64, 0, a.used};
  hki_border_layout(b, N, MOST, &a);
  return block;
}

START_TEST(against_dense) {
  hk_border b = {0};
  void *block = lay(&b);
  uint64_t seed = 3;
  double A[LD * N] = {0}, inv[N], work[5 * N + 24], x[N], y[N], r[N] = {0};
  int32_t pivot[N], calls = 0;
  for (int32_t i = 0; i < N; i++) {
    A[i + LD * i] = diagonal(i);
    x[i] = y[i] = noise(&seed);
  }
  for (int32_t k = 0; k < _i; k++) {
    double *U, *V;
    hki_border_add(&b, &U, &V);
    for (int32_t i = 0; i < N; i++) U[i] = noise(&seed), V[i] = noise(&seed);
    for (int32_t i = 0; i < N * N; i++) A[i % N + LD * (i / N)] += U[i % N] * V[i / N];
  }
  ck_assert_int_eq(hki_border_factor(&b, solve, &calls), HK_OK);
  ck_assert_int_eq(calls, _i);
  solve(&calls, x);
  hki_border_apply(&b, x);
  // the forces along the terms give the right side back
  for (int32_t i = 0; i < N; i++) r[i] = diagonal(i) * x[i];
  hki_border_load(&b, r);
  for (int32_t i = 0; i < N; i++) ck_near(r[i], y[i], 1e-12);
  ck_assert_int_eq(hki_dense_lu_factor(N, A, LD, pivot, inv, work, NULL), HK_OK);
  hki_dense_lu_solve(N, A, LD, pivot, inv, y, work);
  for (int32_t i = 0; i < N; i++) ck_near(x[i], y[i], 1e-12);
  free(block);
}
END_TEST

/* T + U V' without rank: reported, and the border then does nothing */
START_TEST(singular) {
  hk_border b = {0};
  void *block = lay(&b);
  double *U, *V, x[N];
  int32_t calls = 0;
  hki_border_add(&b, &U, &V);
  U[3] = 1.0, V[3] = -diagonal(3);
  ck_assert_int_ne(hki_border_factor(&b, solve, &calls), HK_OK);
  for (int32_t i = 0; i < N; i++) x[i] = i;
  hki_border_apply(&b, x);
  for (int32_t i = 0; i < N; i++) ck_assert(x[i] == i);
  hki_border_clear(&b);
  ck_assert_int_eq(hki_border_factor(&b, solve, &calls), HK_OK);
  free(block);
}
END_TEST

/* the sign of the determinant of 1 + G, against that of T + U V' over that of T: terms of both signs, in any
 * order, with and without exchanges of rows */
START_TEST(sign_of_determinant) {
  hk_border b = {0};
  void *block = lay(&b);
  uint64_t seed = 100 + (uint64_t)_i;
  double A[LD * N] = {0}, inv[N], work[5 * N + 24], det = 1.0;
  int32_t pivot[N], calls = 0;
  for (int32_t i = 0; i < N; i++) A[i + LD * i] = diagonal(i);
  for (int32_t k = 0; k < 1 + _i % MOST; k++) {
    double *U, *V;
    hki_border_add(&b, &U, &V);
    for (int32_t i = 0; i < N; i++) U[i] = 4.0 * noise(&seed), V[i] = noise(&seed);
    for (int32_t i = 0; i < N * N; i++) A[i % N + LD * (i / N)] += U[i % N] * V[i / N];
  }
  ck_assert_int_eq(hki_border_factor(&b, solve, &calls), HK_OK);
  ck_assert_int_eq(hki_dense_lu_factor(N, A, LD, pivot, inv, work, NULL), HK_OK);
  for (int32_t i = 0; i < N; i++) det *= (pivot[i] != i ? -1.0 : 1.0) * (inv[i] < 0.0 ? -1.0 : 1.0);
  ck_assert_int_eq(b.negative, det < 0.0);
  free(block);
}
END_TEST

/* one term by hand: 1 + G = 1 - 3, then 1 - 0.5; two terms that exchange rows have 1 - 2 2 < 0, with 0.5 0.5 above 0 */
START_TEST(signs_by_hand) {
  static const double one[] = {-3.0, -0.5}, two[] = {2.0, 0.5};
  for (int k = 0; k < 4; k++) {
    hk_border b = {0};
    void *block = lay(&b);
    double *U, *V;
    int32_t calls = 0;
    for (int i = 0; i < 1 + k / 2; i++) {
      hki_border_add(&b, &U, &V);
      // the second kind couples both terms: G = [0 c; c 0]
      U[i] = diagonal(i) * (k < 2 ? one[k] : two[k - 2]);
      V[k < 2 ? i : 1 - i] = 1.0;
    }
    ck_assert_int_eq(hki_border_factor(&b, solve, &calls), HK_OK);
    ck_assert_int_eq(b.negative, k % 2 == 0);
    free(block);
  }
}
END_TEST

Suite *suite_border(void);
Suite *suite_border(void) {
  Suite *s = suite_create("border");
  TCase *c = tcase_create("woodbury");
  tcase_add_loop_test(c, against_dense, 0, MOST + 1);
  tcase_add_test(c, singular);
  tcase_add_loop_test(c, sign_of_determinant, 0, 40);
  tcase_add_test(c, signs_by_hand);
  suite_add_tcase(s, c);
  return s;
}
