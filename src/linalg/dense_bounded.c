/* SPDX-License-Identifier: Apache-2.0
 *
 * dense_bounded.c: the smallest solution of linear equations within bounds.
 *
 *   min 1/2 |x|^2     A x = b,  lo <= x <= hi
 *
 * by the dual active-set method of Goldfarb and Idnani, A Numerically Stable Dual Method for Solving Strictly
 * Convex Quadratic Programs, 1983, with the unit matrix as Hessian. It begins with the solution without bounds
 * and takes in the bound that is violated most: with N the normals of what holds so far and n that of the bound,
 *
 *   r = N^+ n,  z = n - N r,   x += t z,  u += t (-r, 1)
 *
 * where t brings x onto the bound, or the multiplier u of another bound to zero, which is then let go. Where z
 * vanishes and no multiplier falls, no x satisfies all. The objective grows with every bound, so that it ends.
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"

static const double vanishes = 1e-11; /* |z|^2 against |n| = 1 */

typedef struct problem {
  int32_t m, n, k; /* k: rows that hold, the m equations first */
  const double *lo, *hi;
  double *x, *N;     /* n; n x k: normals */
  double *u;         /* k: multipliers, of bounds not negative */
  double *r, *z;     /* k, n */
  double *B, *V, *s; /* copies for singular values */
  int32_t *which;    /* k: variable of a bound */
  int8_t *end;
} problem;

/* the bound that is violated most; -1: none; *by: by how much */
static int32_t worst(const problem *p, double *by) {
  int32_t i = -1;
  *by = 0.0;
  for (int32_t k = 0; k < p->n; k++) {
    if (p->end[k]) continue;
    const double d = fmax(p->lo[k] - p->x[k], p->x[k] - p->hi[k]);
    const double size = fmax(1e-300, fmax(isfinite(p->lo[k]) ? fabs(p->lo[k]) : 0.0,
                                          isfinite(p->hi[k]) ? fabs(p->hi[k]) : 0.0));
    if (d > 1e-12 * fmax(size, fabs(p->x[k])) && d > *by) *by = d, i = k;
  }
  return i;
}

/* r = N^+ n and z = n - N r for n = sign e_i; |z|^2 */
static double directions(problem *p, int32_t i, double sign) {
  const size_t n = (size_t)p->n;
  memset(p->z, 0, n * sizeof *p->z);
  p->z[i] = sign;
  memcpy(p->B, p->N, n * (size_t)p->k * sizeof *p->B);
  (void)hki_dense_least(p->n, p->k, p->B, 1e-12, p->s, p->V, p->z, p->r);
  double square = 0.0;
  for (size_t a = 0; a < n; a++) {
    for (int32_t c = 0; c < p->k; c++) p->z[a] -= p->N[(size_t)c * n + a] * p->r[c];
    square += p->z[a] * p->z[a];
  }
  return square;
}

/* bound c is let go */
static void drop(problem *p, int32_t c) {
  const size_t n = (size_t)p->n;
  p->end[p->which[c]] = 0;
  p->k--;
  memmove(p->N + (size_t)c * n, p->N + (size_t)(c + 1) * n, (size_t)(p->k - c) * n * sizeof *p->N);
  memmove(p->u + c, p->u + c + 1, (size_t)(p->k + 1 - c) * sizeof *p->u);
  memmove(p->which + c, p->which + c + 1, (size_t)(p->k - c) * sizeof *p->which);
}

/* the bound of variable i, whose normal is sign e_i, is taken in; false: it cannot be */
static bool take(problem *p, int32_t i, double sign) {
  const double aim = sign > 0.0 ? p->lo[i] : p->hi[i];
  p->u[p->k] = 0.0;
  for (int32_t tries = 0; tries <= 2 * p->n; tries++) {
    const double square = directions(p, i, sign);
    double t1 = INFINITY;
    int32_t leaves = -1;
    for (int32_t c = p->m; c < p->k; c++)
      if (p->r[c] > 1e-14 && p->u[c] / p->r[c] < t1) t1 = p->u[c] / p->r[c], leaves = c;
    const double t2 = square > vanishes ? sign * (aim - p->x[i]) / square : INFINITY;
    const double t = fmin(t1, t2);
    if (!isfinite(t)) return false;
    for (int32_t a = 0; isfinite(t2) && a < p->n; a++) p->x[a] += t * p->z[a];
    for (int32_t c = 0; c < p->k; c++) p->u[c] -= t * p->r[c];
    p->u[p->k] += t;
    if (t2 <= t1) {
      double *N = p->N + (size_t)p->k * (size_t)p->n;
      memset(N, 0, (size_t)p->n * sizeof *N);
      N[i] = sign;
      p->x[i] = aim;
      p->end[i] = sign > 0.0 ? -1 : 1;
      p->which[p->k++] = i;
      return true;
    }
    drop(p, leaves);
  }
  return false;
}

bool hki_dense_bounded(int32_t m, int32_t n, const double *A, const double *b, const double *lo,
                       const double *hi, double *x, int8_t *end, double *work) {
  const size_t k = (size_t)m + (size_t)n + 1, r = (size_t)n;
  problem p = {.m = m, .n = n, .k = m, .lo = lo, .hi = hi, .x = x, .end = end};
  p.N = work, p.B = p.N + r * k, p.V = p.B + r * k, p.s = p.V + k * k, p.u = p.s + k;
  p.r = p.u + k, p.z = p.r + k, p.which = (int32_t *)(void *)(p.z + r);
  memset(end, 0, r);
  memset(p.u, 0, k * sizeof *p.u);
  memset(x, 0, r * sizeof *x);
  // rows of A are the first normals, and x = A'b the smallest solution without bounds
  for (int32_t i = 0; i < m; i++)
    for (int32_t j = 0; j < n; j++) {
      p.N[(size_t)i * r + (size_t)j] = A[i + j * m];
      x[j] += A[i + j * m] * b[i];
    }
  for (int32_t pass = 0; pass < 20 + 10 * n; pass++) {
    double by;
    const int32_t i = worst(&p, &by);
    if (i < 0) return true;
    if (!take(&p, i, x[i] < lo[i] ? 1.0 : -1.0)) return false;
  }
  return false;
}
