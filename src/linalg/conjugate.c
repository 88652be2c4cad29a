/* SPDX-License-Identifier: Apache-2.0
 *
 * conjugate.c: see conjugate.h.
 */
#include <math.h>
#include <string.h>

#include "linalg/conjugate.h"

void hki_conjugate_layout(hk_conjugate *k, int32_t rows, int32_t nv, hk_arena *a) {
  double **const of_rows[] = {&k->w, &k->z, &k->p, &k->s, &k->q, &k->b};
  k->rows = rows;
  k->nv = nv;
  for (int i = 0; i < HK_ARRAY_LEN(of_rows); i++) *of_rows[i] = HK_TAKE(a, double, rows);
  k->y = HK_TAKE(a, double, nv);
  k->d = HK_TAKE(a, double, nv);
}

/* share of the rows, in the norm of w, that may be left; least share that B w moves of rows that depend on
 * others nearly, not wholly */
static const double left_share = 1e-8, least = 1e-9;

/* a' w a */
static double square(const hk_conjugate *k, const double *a) {
  double sum = 0.0;
  for (int32_t i = 0; i < k->rows; i++) sum += k->w[i] * a[i] * a[i];
  return sum;
}

/* s = w r, with y and q; returns s' q */
static double answer(hk_conjugate *k, const double *row) {
  double bend = 0.0;
  for (int32_t i = 0; i < k->rows; i++) k->s[i] = k->w[i] * row[i];
  k->respond(k->with, k->s, k->y, k->q);
  for (int32_t i = 0; i < k->rows; i++) bend += k->s[i] * k->q[i];
  return bend;
}

/* the next direction: s, and `beta` of the last one, which B w makes orthogonal to all before */
static void turn(hk_conjugate *k, double beta) {
  for (int32_t i = 0; i < k->rows; i++) {
    k->p[i] = k->s[i] + beta * k->p[i];
    k->b[i] = k->q[i] + beta * k->b[i];
  }
  for (int32_t i = 0; i < k->nv; i++) k->d[i] = k->y[i] + beta * k->d[i];
}

hk_status hki_conjugate_close(hk_conjugate *k, double *row, double *x) {
  double open = square(k, row), before = INFINITY;
  const double enough = left_share * left_share * open;
  hk_status st = HK_OK;
  memset(k->p, 0, (size_t)k->rows * sizeof *k->p);
  memset(k->b, 0, (size_t)k->rows * sizeof *k->b);
  memset(k->d, 0, (size_t)k->nv * sizeof *k->d);
  // z begins with -w r, and ends with w r' added: mu of the head of conjugate.h
  for (int32_t i = 0; i < k->rows; i++) k->z[i] = -k->w[i] * row[i];
  for (int n = 0; open > enough; n++) {
    if (n == HK_SLOW_MOST) {
      st = HK_RETRY;
      break;
    }
    const double bend = answer(k, row);
    if (!(bend > least * open)) break; // what is left depends on other rows
    turn(k, bend / before);
    const double step = bend / square(k, k->b);
    for (int32_t i = 0; i < k->nv; i++) x[i] -= step * k->d[i];
    for (int32_t i = 0; i < k->rows; i++) {
      k->z[i] += step * k->p[i];
      row[i] -= step * k->b[i];
    }
    open = square(k, row);
    before = bend;
  }
  for (int32_t i = 0; i < k->rows; i++) k->z[i] += k->w[i] * row[i];
  return st;
}
