/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows that nearly depend on each other, by conjugate residuals: closed, with their multipliers; rows that contradict each
 * other wholly, rows that are off; too many slow directions.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/conjugate.h"
#include "linalg/dense.h"
#include "numbers.h"

enum { ROWS = 5, NV = 7, LD = 8, MANY = 700 };

/* T = T0 + G' w G, factorised */
typedef struct problem {
  double G[ROWS][NV], T0[NV], A[LD * NV], inv[NV], work[5 * NV + 24];
  int32_t pivot[NV], calls;
} problem;

static void respond(void *with, const double *p, double *y, double *Bp) {
  problem *s = with;
  s->calls++;
  memset(y, 0, NV * sizeof *y);
  for (int32_t i = 0; i < ROWS; i++)
    for (int32_t j = 0; j < NV; j++) y[j] += s->G[i][j] * p[i];
  hki_dense_lu_solve(NV, s->A, LD, s->pivot, s->inv, y, s->work);
  for (int32_t i = 0; i < ROWS; i++) {
    Bp[i] = 0.0;
    for (int32_t j = 0; j < NV; j++) Bp[i] += s->G[i][j] * y[j];
  }
}

static void *lay(hk_conjugate *k, int32_t rows, int32_t nv) {
  hk_arena a = {0};
  hki_conjugate_layout(k, rows, nv, &a);
  unsigned char *block = calloc(1, a.used + 64);
  a = (hk_arena){block + (64 - (uintptr_t)block % 64) % 64, 0, a.used};
  hki_conjugate_layout(k, rows, nv, &a);
  return block;
}

/* row 1 is row 0 and `apart` times another direction */
static void begin(problem *s, hk_conjugate *k, double apart, const double *w) {
  uint64_t seed = 5;
  *s = (problem){0};
  for (int32_t i = 0; i < ROWS; i++)
    for (int32_t j = 0; j < NV; j++) s->G[i][j] = noise(&seed);
  for (int32_t j = 0; j < NV; j++) {
    s->G[1][j] = s->G[0][j] + apart * s->G[1][j];
    s->T0[j] = 1.5 + noise(&seed);
    s->A[j + LD * j] = s->T0[j];
  }
  for (int32_t i = 0; i < ROWS; i++)
    for (int32_t x = 0; x < NV * NV; x++)
      s->A[x % NV + LD * (x / NV)] += w[i] * s->G[i][x % NV] * s->G[i][x / NV];
  ck_assert_int_eq(hki_dense_lu_factor(NV, s->A, LD, s->pivot, s->inv, s->work, NULL), HK_OK);
  memcpy(k->w, w, ROWS * sizeof *w);
  k->with = s;
  k->respond = respond;
}

/* largest of T0 x + G' mu, over the largest of T0 x */
static double unbalanced(const problem *s, const double *x, const double *mu) {
  double worst = 0.0, size = 0.0;
  for (int32_t j = 0; j < NV; j++) {
    double e = s->T0[j] * x[j];
    size = fmax(size, fabs(e));
    for (int32_t i = 0; i < ROWS; i++) e += s->G[i][j] * mu[i];
    worst = fmax(worst, fabs(e));
  }
  return worst / size;
}

static const double equal[ROWS] = {1e5, 1e5, 1e5, 1e5, 1e5};

START_TEST(nearly_dependent) {
  hk_conjugate k = {0};
  void *block = lay(&k, ROWS, NV);
  problem s;
  // m of the slow direction: about 1e5 apart^2
  begin(&s, &k, 1e-4, equal);
  const double before[ROWS] = {0.3, 0.4, -0.2, 0.1, 0.5};
  double row[ROWS], x[NV] = {0}, B[ROWS];
  // a solution with the penalties leaves nearly all of the difference of the two
  for (int32_t i = 0; i < ROWS; i++) row[i] = k.w[i] * before[i];
  respond(&s, row, x, B);
  ck_assert_double_gt((before[1] - B[1]) - (before[0] - B[0]), 0.099);
  memcpy(row, before, sizeof row);
  memset(x, 0, sizeof x);
  s.calls = 0;
  ck_assert_int_eq(hki_conjugate_close(&k, row, x), HK_OK);
  ck_assert_int_le(s.calls, 5);
  for (int32_t i = 0; i < ROWS; i++) {
    double e = before[i];
    for (int32_t j = 0; j < NV; j++) e += s.G[i][j] * x[j];
    ck_near(e, 0.0, 1e-8);
    ck_near(row[i], 0.0, 1e-8);
  }
  ck_assert_double_lt(unbalanced(&s, x, k.z), 1e-8);
  free(block);
}
END_TEST

START_TEST(wholly_dependent) {
  hk_conjugate k = {0};
  void *block = lay(&k, ROWS, NV);
  problem s;
  begin(&s, &k, 0.0, equal);
  double row[ROWS] = {0.3, 0.5, -0.2, 0.1, 0.5}, x[NV] = {0};
  ck_assert_int_eq(hki_conjugate_close(&k, row, x), HK_OK);
  ck_assert_int_le(s.calls, 6);
  // both keep half of what they differ by, the others are closed
  const double left[ROWS] = {-0.1, 0.1};
  for (int32_t i = 0; i < ROWS; i++) ck_near(row[i], left[i], 1e-7);
  for (int32_t j = 0; j < NV; j++) ck_assert_double_lt(fabs(x[j]), 10.0);
  ck_assert_double_lt(unbalanced(&s, x, k.z), 1e-6);
  free(block);
}
END_TEST

START_TEST(rows_that_are_off) {
  hk_conjugate k = {0};
  void *block = lay(&k, ROWS, NV);
  const double w[ROWS] = {1e5, 0.0, 1e5, 1e5, 1e5};
  problem s;
  begin(&s, &k, 1e-4, w);
  double row[ROWS] = {0.3, 7.0, -0.2, 0.1, 0.5}, x[NV] = {0};
  ck_assert_int_eq(hki_conjugate_close(&k, row, x), HK_OK);
  for (int32_t i = 0; i < ROWS; i++)
    if (i != 1) ck_near(row[i], 0.0, 1e-8);
  ck_assert(k.z[1] == 0.0);
  free(block);
}
END_TEST

/* G = 1, T0 + w = 1 / eigenvalue: from 1e-9 to 1 */
static void respond_many(void *with, const double *p, double *y, double *Bp) {
  (void)with;
  for (int32_t i = 0; i < MANY; i++) Bp[i] = y[i] = p[i] * pow(10.0, -9.0 * i / (MANY - 1));
}

START_TEST(too_many_directions) {
  hk_conjugate k = {0};
  void *block = lay(&k, MANY, MANY);
  double row[MANY], x[MANY] = {0}, sum = 0.0;
  k.respond = respond_many;
  for (int32_t i = 0; i < MANY; i++) row[i] = k.w[i] = 1.0;
  ck_assert_int_eq(hki_conjugate_close(&k, row, x), HK_RETRY);
  // what is left is said, and less than before
  for (int32_t i = 0; i < MANY; i++) {
    ck_near(row[i], 1.0 + x[i], 1e-6);
    sum += row[i] * row[i];
  }
  ck_assert_double_lt(sum, 0.9 * MANY);
  free(block);
}
END_TEST

Suite *suite_conjugate(void);
Suite *suite_conjugate(void) {
  Suite *s = suite_create("conjugate");
  TCase *t = tcase_create("conjugate");
  tcase_add_test(t, nearly_dependent);
  tcase_add_test(t, wholly_dependent);
  tcase_add_test(t, rows_that_are_off);
  tcase_add_test(t, too_many_directions);
  suite_add_tcase(s, t);
  return s;
}
