/* SPDX-License-Identifier: Apache-2.0
 *
 * dense_pivots.c: small dense matrices for the choice of independent coordinates: the order of rows
 * and columns in an elimination with full pivoting, and a test for positive definiteness.
 */
#include <math.h>

#include "linalg/dense.h"

static void swap(int32_t *a, int32_t i, int32_t j) {
  int32_t x = a[i];
  a[i] = a[j], a[j] = x;
}

int32_t hki_dense_pivots(int32_t m, int32_t n, double *B, double tolerance, const uint8_t *late,
                         int32_t *rows, int32_t *cols) {
  double first = 0.0;
  int32_t k = 0;
  bool all = !late;
  for (int32_t i = 0; i < n; i++) cols[i] = i;
  for (int32_t i = 0; i < m; i++) rows[i] = i;
  for (; k < m && k < n; k++) {
    double top = 0.0;
    int32_t pi = k, pj = k;
    for (int32_t i = k; i < m; i++)
      for (int32_t j = k; j < n && (all || !late[rows[i]]); j++) {
        double e = fabs(B[rows[i] * n + cols[j]]);
        // change the order only for a clearly larger entry: entries that differ by round-off count
        // as equal, so that the order does not depend on the machine
        if (e > top * (1.0 + 1e-9)) top = e, pi = i, pj = j;
      }
    if (first == 0.0) first = top;
    if (!(top > tolerance * first)) {
      if (all) break;
      all = true, k--;
      continue;
    }
    swap(rows, k, pi);
    swap(cols, k, pj);
    const double *p = B + rows[k] * n;
    for (int32_t i = k + 1; i < m; i++) {
      double *r = B + rows[i] * n, f = r[cols[k]] / p[cols[k]];
      if (f == 0.0) continue;
      for (int32_t j = k; j < n; j++) r[cols[j]] -= f * p[cols[j]];
    }
  }
  return k;
}

bool hki_dense_positive(int32_t n, double *W) {
  // symmetric part, lower triangle in rows
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j <= i; j++) W[i * n + j] = 0.5 * (W[i * n + j] + W[j * n + i]);
  for (int32_t j = 0; j < n; j++) {
    double d = W[j * n + j];
    for (int32_t k = 0; k < j; k++) d -= W[j * n + k] * W[j * n + k];
    if (!(d > 0.0)) return false;
    W[j * n + j] = d = sqrt(d);
    for (int32_t i = j + 1; i < n; i++) {
      double x = W[i * n + j];
      for (int32_t k = 0; k < j; k++) x -= W[i * n + k] * W[j * n + k];
      W[i * n + j] = x / d;
    }
  }
  return true;
}
