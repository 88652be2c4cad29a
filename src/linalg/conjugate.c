/* SPDX-License-Identifier: Apache-2.0
 *
 * conjugate.c: see conjugate.h.
 */
#include "linalg/conjugate.h"

/* most solutions; share of the rows, in the norm of w, that may be left; least eigenvalue of w B that is not round-off */
enum { MOST = 200 };
static const double left_share = 1e-8, least = 1e-13;

void hki_conjugate_layout(hk_conjugate *k, int32_t rows, int32_t nv, hk_arena *a) {
  k->rows = rows;
  k->nv = nv;
  k->w = HK_TAKE(a, double, rows);
  k->z = HK_TAKE(a, double, rows);
  k->p = HK_TAKE(a, double, rows);
  k->q = HK_TAKE(a, double, rows);
  k->y = HK_TAKE(a, double, nv);
}

/* r' w r */
static double square(const hk_conjugate *k, const double *r) {
  double sum = 0.0;
  for (int32_t i = 0; i < k->rows; i++) sum += k->w[i] * r[i] * r[i];
  return sum;
}

/* p' B p; *share: of p' w^-1 p. What has no share cannot be moved. */
static double curvature(const hk_conjugate *k, double *share) {
  double bend = 0.0, size = 0.0;
  for (int32_t i = 0; i < k->rows; i++) {
    bend += k->p[i] * k->q[i];
    if (k->w[i] > 0.0) size += k->p[i] * k->p[i] / k->w[i];
  }
  *share = size > 0.0 ? bend / size : 0.0;
  return bend;
}

int32_t hki_conjugate_close(hk_conjugate *k, double *row, double *x) {
  int32_t n = 0;
  double now = square(k, row);
  const double enough = left_share * left_share * now;
  for (int32_t i = 0; i < k->rows; i++) {
    k->p[i] = k->w[i] * row[i];
    k->z[i] = -k->p[i];
  }
  // z begins with -w r, and ends with w r' added: mu of the head of conjugate.h
  while (now > enough && n < MOST) {
    double share;
    k->respond(k->with, k->p, k->y, k->q);
    n++;
    const double bend = curvature(k, &share);
    if (!(share > least)) break;
    const double step = now / bend, before = now;
    for (int32_t i = 0; i < k->nv; i++) x[i] -= step * k->y[i];
    for (int32_t i = 0; i < k->rows; i++) {
      k->z[i] += step * k->p[i];
      row[i] -= step * k->q[i];
    }
    now = square(k, row);
    for (int32_t i = 0; i < k->rows; i++) k->p[i] = k->w[i] * row[i] + now / before * k->p[i];
  }
  for (int32_t i = 0; i < k->rows; i++) k->z[i] += k->w[i] * row[i];
  return n;
}
