/* SPDX-License-Identifier: Apache-2.0
 *
 * Helpers of the linear-algebra tests.
 */
#include <math.h>
#include <string.h>

#include "linalg/support.h"

double t_random(uint64_t *state) {
  *state = hki_hash(state, sizeof *state, 1);
  return (double)(*state >> 11) * 0x1p-52 - 1.0;
}

int32_t t_random_int(uint64_t *state, int32_t below) {
  *state = hki_hash(state, sizeof *state, 2);
  return (int32_t)((*state >> 20) % (uint64_t)below);
}

bool t_gauss(int32_t n, double *A, double *b) {
  for (int32_t k = 0; k < n; k++) {
    int32_t p = k;
    for (int32_t i = k + 1; i < n; i++)
      if (fabs(A[i * n + k]) > fabs(A[p * n + k])) p = i;
    if (A[p * n + k] == 0.0) return false;
    for (int32_t j = 0; j < n && p != k; j++) {
      double t = A[k * n + j];
      A[k * n + j] = A[p * n + j], A[p * n + j] = t;
    }
    double t = b[k];
    b[k] = b[p], b[p] = t;
    for (int32_t i = k + 1; i < n; i++) {
      double m = A[i * n + k] / A[k * n + k];
      for (int32_t j = k; j < n; j++) A[i * n + j] -= m * A[k * n + j];
      b[i] -= m * b[k];
    }
  }
  for (int32_t k = n - 1; k >= 0; k--) {
    for (int32_t j = k + 1; j < n; j++) b[k] -= A[k * n + j] * b[j];
    b[k] /= A[k * n + k];
  }
  return true;
}

double t_residual(int32_t n, const double *A, const double *x, const double *b) {
  double worst = 0.0, norm = 0.0, nx = 0.0, nb = 0.0;
  for (int32_t i = 0; i < n; i++) {
    double r = -b[i], sum = 0.0;
    for (int32_t j = 0; j < n; j++) r += A[i * n + j] * x[j], sum += fabs(A[i * n + j]);
    if (!(fabs(r) <= worst)) worst = fabs(r);
    norm = fmax(norm, sum), nx = fmax(nx, fabs(x[i])), nb = fmax(nb, fabs(b[i]));
  }
  return n == 0 ? 0.0 : worst / (norm * nx + nb);
}

void t_mask(const hk_pattern *p, char *mask) {
  size_t n = (size_t)p->n;
  memset(mask, 0, n * n);
  for (size_t i = 0; i < n; i++) mask[i * n + i] = 1;
  for (int32_t k = 0; k < p->nblock; k++) {
    const hk_pattern_block *b = &p->block[k];
    for (int32_t i = 0; i < b->nrow; i++) {
      for (int32_t j = 0; j < b->ncol; j++) {
        size_t r = (size_t)p->index[b->row + i], c = (size_t)p->index[b->col + j];
        mask[r * n + c] = mask[c * n + r] = 1;
      }
    }
  }
}

void t_fill_dominant(int32_t n, const char *mask, const double *sign, uint64_t *state, double *A) {
  for (int32_t i = 0; i < n * n; i++) A[i] = 0.0;
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < i; j++)
      if (mask[i * n + j]) A[i * n + j] = A[j * n + i] = t_random(state);
  for (int32_t i = 0; i < n; i++) {
    double sum = 0.1;
    for (int32_t j = 0; j < n; j++) sum += fabs(A[i * n + j]);
    A[i * n + i] = (sign ? sign[i] : 1.0) * sum;
  }
}
