/* SPDX-License-Identifier: Apache-2.0
 *
 * eigen.c: symmetric eigenvalue problems.
 *
 * Dense: B = L L', then Jacobi's rotations on L^-1 A L^-T, which find small eigenvalues as well as large ones.
 *
 * Sparse: iteration of a subspace of more vectors than are wanted,
 *
 *   Z = K^-1 M X,   Z'KZ q = lambda Z'MZ q,   X = Z q
 *
 * until the wanted eigenvalues stand still. Its error falls by (lambda_i/lambda_(q+1))^2 a pass. The vectors Z are made
 * orthonormal one by one, and those that add nothing to the ones before are drawn anew.
 *
 * Sources: Golub and Van Loan, Matrix Computations, 2013, sections 8.5 and 8.7; Bathe and Wilson, Large
 * eigenvalue problems in dynamic analysis, 1972.
 */
#include "flex/eigen.h"

#include <math.h>
#include <string.h>

/* --- dense ------------------------------------------------------------------------------------ */

/* B = L L' in its lower triangle */
static bool cholesky(int32_t n, double *B) {
  for (int32_t j = 0; j < n; j++) {
    double *bj = B + (ptrdiff_t)n * j, d = bj[j];
    const double whole = d;
    for (int32_t k = 0; k < j; k++) d -= bj[k] * bj[k];
    if (!(d > 1e-13 * fabs(whole))) return false;
    bj[j] = sqrt(d);
    for (int32_t i = j + 1; i < n; i++) {
      double *bi = B + (ptrdiff_t)n * i, s = bi[j];
      for (int32_t k = 0; k < j; k++) s -= bi[k] * bj[k];
      bi[j] = s / bj[j];
    }
  }
  return true;
}

/* A := L^-1 A L^-T, made exactly symmetric */
static void reduce_pair(int32_t n, const double *L, double *A) {
  for (int32_t c = 0; c < n; c++) // columns: L^-1 A
    for (int32_t i = 0; i < n; i++) {
      double s = A[(ptrdiff_t)n * i + c];
      for (int32_t k = 0; k < i; k++) s -= L[(ptrdiff_t)n * i + k] * A[(ptrdiff_t)n * k + c];
      A[(ptrdiff_t)n * i + c] = s / L[(ptrdiff_t)n * i + i];
    }
  for (int32_t r = 0; r < n; r++) { // rows: times L^-T
    double *a = A + (ptrdiff_t)n * r;
    for (int32_t i = 0; i < n; i++) {
      for (int32_t k = 0; k < i; k++) a[i] -= L[(ptrdiff_t)n * i + k] * a[k];
      a[i] /= L[(ptrdiff_t)n * i + i];
    }
  }
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < i; j++) {
      double *x = &A[(ptrdiff_t)n * i + j], *y = &A[(ptrdiff_t)n * j + i];
      *x = *y = 0.5 * (*x + *y);
    }
}

/* one rotation in the plane p, q that makes A(p, q) zero; Q collects them in its rows */
static void rotate(int32_t n, double *A, double *Q, int32_t p, int32_t q) {
  double *ap = A + (ptrdiff_t)n * p, *aq = A + (ptrdiff_t)n * q;
  const double theta = 0.5 * (aq[q] - ap[p]) / ap[q];
  const double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
  const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
  for (int32_t k = 0; k < n; k++) {
    const double x = ap[k], y = aq[k];
    ap[k] = c * x - s * y, aq[k] = s * x + c * y;
  }
  for (int32_t k = 0; k < n; k++) {
    double *a = A + (ptrdiff_t)n * k;
    const double x = a[p], y = a[q];
    a[p] = c * x - s * y, a[q] = s * x + c * y;
  }
  double *up = Q + (ptrdiff_t)n * p, *uq = Q + (ptrdiff_t)n * q;
  for (int32_t k = 0; k < n; k++) {
    const double x = up[k], y = uq[k];
    up[k] = c * x - s * y, uq[k] = s * x + c * y;
  }
}

/* A becomes diagonal; row k of Q is eigenvector k */
static void jacobi(int32_t n, double *A, double *Q) {
  enum { SWEEPS = 60 };
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++) Q[(ptrdiff_t)n * i + j] = i == j;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    bool done = true;
    for (int32_t p = 0; p < n; p++)
      for (int32_t q = p + 1; q < n; q++) {
        const double off = fabs(A[(ptrdiff_t)n * p + q]);
        const double d = fabs(A[(ptrdiff_t)n * p + p] * A[(ptrdiff_t)n * q + q]);
        if (off <= 1e-16 * sqrt(d) || off < 1e-300) continue;
        rotate(n, A, Q, p, q);
        done = false;
      }
    if (done) return;
  }
}

hk_status hki_sym_eigen(int32_t n, double *A, double *B, double *lambda, double *X, double *work) {
  if (!cholesky(n, B)) return HK_E_SINGULAR;
  reduce_pair(n, B, A);
  jacobi(n, A, X);
  for (int32_t i = 0; i < n; i++) lambda[i] = A[(ptrdiff_t)n * i + i];
  // ascending
  for (int32_t i = 0; i < n; i++) {
    int32_t low = i;
    for (int32_t j = i + 1; j < n; j++)
      if (lambda[j] < lambda[low]) low = j;
    if (low == i) continue;
    const double x = lambda[i];
    lambda[i] = lambda[low], lambda[low] = x;
    double *a = X + (ptrdiff_t)n * i, *b = X + (ptrdiff_t)n * low;
    memcpy(work, a, (size_t)n * sizeof *a);
    memcpy(a, b, (size_t)n * sizeof *a);
    memcpy(b, work, (size_t)n * sizeof *a);
  }
  // back: L' x = q, row by row, then to columns
  for (int32_t r = 0; r < n; r++) {
    double *x = X + (ptrdiff_t)n * r;
    for (int32_t i = n - 1; i >= 0; i--) {
      for (int32_t k = i + 1; k < n; k++) x[i] -= B[(ptrdiff_t)n * k + i] * x[k];
      x[i] /= B[(ptrdiff_t)n * i + i];
    }
  }
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < i; j++) {
      const double x = X[(ptrdiff_t)n * i + j];
      X[(ptrdiff_t)n * i + j] = X[(ptrdiff_t)n * j + i], X[(ptrdiff_t)n * j + i] = x;
    }
  return HK_OK;
}

/* --- sparse ----------------------------------------------------------------------------------- */

typedef struct subspace {
  int32_t n, q, kept;
  double *X, *Z, *Y, *P; /* q x n: vectors; K^-1 M X; M X = K Z; M Z */
  double *A, *B, *Q, *lambda, *work;
  uint64_t seed;
} subspace;

static double dot(int32_t n, const double *a, const double *b) {
  double s = 0.0;
  for (int32_t i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}

/* rows of C = Q' rows of B, Q q x q */
static void combine(int32_t n, int32_t q, const double *Q, const double *B, double *C) {
  memset(C, 0, (size_t)q * (size_t)n * sizeof *C);
  for (int32_t j = 0; j < q; j++)
    for (int32_t k = 0; k < q; k++) {
      const double f = Q[(ptrdiff_t)q * k + j], *b = B + (ptrdiff_t)n * k;
      double *c = C + (ptrdiff_t)n * j;
      for (int32_t i = 0; i < n; i++) c[i] += f * b[i];
    }
}

/* numbers that look random and are the same on every machine */
static double next_number(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) * 0x1p-53 - 0.5;
}

static void axpy(int32_t n, double f, const double *x, double *y) {
  for (int32_t i = 0; i < n; i++) y[i] += f * x[i];
}

/* takes out of vector k of Z (with Y and P, which follow it) what the kept ones have, and scales it; false: nothing is left */
static bool orthonormal(subspace *s, int32_t k) {
  const ptrdiff_t n = s->n;
  double *z = s->Z + n * k, *y = s->Y + n * k, *p = s->P + n * k;
  const double before = dot(s->n, z, p);
  for (int twice = 0; twice < 2; twice++)
    for (int32_t j = 0; j < s->kept; j++) {
      const double c = dot(s->n, s->P + n * j, z);
      axpy(s->n, -c, s->Z + n * j, z);
      axpy(s->n, -c, s->Y + n * j, y);
      axpy(s->n, -c, s->P + n * j, p);
    }
  const double left = dot(s->n, z, p);
  if (!(left > 1e-16 * before) || !(before > 0.0)) return false;
  const double f = 1.0 / sqrt(left);
  for (ptrdiff_t i = 0; i < n; i++) z[i] *= f, y[i] *= f, p[i] *= f;
  if (k > s->kept) {
    memcpy(s->Z + n * s->kept, z, (size_t)n * sizeof *z);
    memcpy(s->Y + n * s->kept, y, (size_t)n * sizeof *y);
    memcpy(s->P + n * s->kept, p, (size_t)n * sizeof *p);
  }
  s->kept++;
  return true;
}

static hk_status pass(subspace *s, const hk_sym *M, hk_solve *solve, void *user) {
  const ptrdiff_t n = s->n;
  s->kept = 0;
  for (int32_t k = 0; k < s->q; k++) {
    hki_sym_mul(M, s->X + n * k, s->Y + n * k);
    memcpy(s->Z + n * k, s->Y + n * k, (size_t)n * sizeof *s->Z);
    solve(user, s->Z + n * k);
    hki_sym_mul(M, s->Z + n * k, s->P + n * k);
    (void)orthonormal(s, k);
  }
  const int32_t q = s->kept;
  for (int32_t i = 0; i < q; i++)
    for (int32_t j = 0; j < q; j++) {
      s->A[(ptrdiff_t)q * i + j] = dot(s->n, s->Z + n * i, s->Y + n * j);
      s->B[(ptrdiff_t)q * i + j] = i == j;
    }
  const hk_status st = hki_sym_eigen(q, s->A, s->B, s->lambda, s->Q, s->work);
  if (st == HK_OK) combine(s->n, q, s->Q, s->Z, s->X);
  for (ptrdiff_t i = n * q; i < n * s->q; i++) s->X[i] = next_number(&s->seed);
  return st;
}

static hk_status iterate(subspace *s, const hk_sym *M, hk_solve *solve, void *user, int32_t want,
                         double *lambda) {
  enum { PASSES = 300 };
  s->seed = 1;
  for (ptrdiff_t i = 0; i < (ptrdiff_t)s->n * s->q; i++) s->X[i] = next_number(&s->seed);
  for (int32_t k = 0; k < want; k++) lambda[k] = INFINITY;
  for (int it = 0; it < PASSES; it++) {
    const hk_status st = pass(s, M, solve, user);
    if (st != HK_OK) return st;
    double change = s->kept < want ? INFINITY : 0.0;
    for (int32_t k = 0; k < want && k < s->kept; k++) {
      change = fmax(change, fabs(s->lambda[k] - lambda[k]) / fabs(s->lambda[k]));
      lambda[k] = s->lambda[k];
    }
    if (change < 1e-12) return HK_OK;
  }
  return HK_E_NUMBER;
}

hk_status hki_sym_lowest(hk_ctx *ctx, const hk_sym *M, hk_solve *solve, void *user, int32_t want,
                         double *lambda, double *X) {
  const int32_t n = M->n, spare = want < 8 ? 8 : want, q = want + spare < n ? want + spare : n;
  const size_t nq = (size_t)n * (size_t)q, qq = (size_t)q * (size_t)q;
  double *w = hki_alloc(ctx, (4 * nq + 3 * qq + 2 * (size_t)q) * sizeof *w);
  if (!w) return HK_E_MEMORY;
  subspace s = {
      .n = n, .q = q, .X = w, .Z = w + nq, .Y = w + 2 * nq, .P = w + 3 * nq, .A = w + 4 * nq};
  s.B = s.A + qq, s.Q = s.B + qq, s.lambda = s.Q + qq, s.work = s.lambda + q;
  const hk_status st = iterate(&s, M, solve, user, want, lambda);
  memcpy(X, s.X, (size_t)want * (size_t)n * sizeof *X);
  hki_free(ctx, w);
  return st;
}
