/* SPDX-License-Identifier: Apache-2.0
 *
 * statespace_response.c: what linear equations answer to their inputs.
 *
 * Over frequency: y = H(i w) u exp(i w t), H = C (i w 1 - A)^-1 B + D. A is brought once to the form of Hessenberg,
 * A = T Q S Q' T^-1 with Q orthogonal and T diagonal, which evens out the sizes of the states; each frequency
 * then takes one elimination below the diagonal of i w 1 - S,
 *   H = (C T Q) (i w 1 - S)^-1 (Q' T^-1 B) + D.
 *
 * Over time: steps of all inputs at time 0, at times k h without an error of integration:
 *   x_k+1 = P x_k + G,    exp([A B; 0 0] h) = [P G; 0 1]
 *
 * Sources: Laub, Efficient Multivariable Frequency Response Computations, 1981. Parlett and Reinsch, Balancing a
 * Matrix for Calculation of Eigenvalues and Eigenvectors, 1969. Higham, The Scaling and Squaring Method for the
 * Matrix Exponential Revisited, 2005.
 */
#include "simulation/statespace.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"

/* --- the form of Hessenberg ----------------------------------------------------------------------- */

typedef struct form {
  int32_t n, nu, ny;
  double *S, *B, *C; /* n x n, n x nu, ny x n, column-major */
  double *v;         /* n */
  double complex *M; /* n x n, column-major: i w 1 - S, eliminated */
  double complex *x; /* n x nu */
} form;

/* powers of two by which rows and columns become alike */
static void balance(form *f) {
  const int32_t n = f->n;
  bool again = true;
  for (int32_t pass = 0; again && pass < 40; pass++) {
    again = false;
    for (int32_t i = 0; i < n; i++) {
      double c = 0.0, r = 0.0, t = 1.0;
      for (int32_t j = 0; j < n; j++)
        if (j != i) c += fabs(f->S[j + i * n]), r += fabs(f->S[i + j * n]);
      if (!(c > 0.0 && r > 0.0)) continue;
      const double sum = c + r;
      while (c < r / 2.0) c *= 2.0, r /= 2.0, t *= 2.0;
      while (c > r * 2.0) c /= 2.0, r *= 2.0, t /= 2.0;
      if (!(c + r < 0.95 * sum)) continue;
      again = true;
      for (int32_t j = 0; j < n; j++) f->S[i + j * n] /= t;
      for (int32_t j = 0; j < n; j++) f->S[j + i * n] *= t;
      for (int32_t j = 0; j < f->nu; j++) f->B[i + j * n] /= t;
      for (int32_t j = 0; j < f->ny; j++) f->C[j + i * f->ny] *= t;
    }
  }
}

/* columns j of M (n rows from row 0) become (1 - b v v') M */
static void reflect_left(const form *f, int32_t from, double b, double *M, int32_t columns) {
  for (int32_t j = 0; j < columns; j++) {
    double *m = M + (size_t)j * (size_t)f->n, dot = 0.0;
    for (int32_t i = from; i < f->n; i++) dot += f->v[i] * m[i];
    for (int32_t i = from; i < f->n; i++) m[i] -= b * dot * f->v[i];
  }
}

/* M (rows x n) becomes M (1 - b v v') */
static void reflect_right(const form *f, int32_t from, double b, double *M, int32_t rows) {
  for (int32_t i = 0; i < rows; i++) {
    double dot = 0.0;
    for (int32_t j = from; j < f->n; j++) dot += M[i + j * rows] * f->v[j];
    for (int32_t j = from; j < f->n; j++) M[i + j * rows] -= b * dot * f->v[j];
  }
}

/* Householder's reflections, each of which clears one column below the first subdiagonal */
static void reduce(form *f) {
  const int32_t n = f->n;
  for (int32_t k = 0; k + 2 < n; k++) {
    double most = 0.0, sum = 0.0;
    for (int32_t i = k + 1; i < n; i++) most = fmax(most, fabs(f->S[i + k * n]));
    if (most == 0.0) continue;
    for (int32_t i = k + 1; i < n; i++) {
      f->v[i] = f->S[i + k * n] / most;
      sum += f->v[i] * f->v[i];
    }
    const double length = copysign(sqrt(sum), f->v[k + 1]);
    const double b = 1.0 / (length * (length + f->v[k + 1]));
    f->v[k + 1] += length;
    reflect_left(f, k + 1, b, f->S, n);
    reflect_left(f, k + 1, b, f->B, f->nu);
    reflect_right(f, k + 1, b, f->S, n);
    reflect_right(f, k + 1, b, f->C, f->ny);
  }
}

/* f->x = (i w 1 - S)^-1 B; false: w is the frequency of an undamped mode */
static bool solve_at(form *f, double w) {
  const int32_t n = f->n;
  double size = w;
  for (int32_t j = 0; j < n; j++)
    for (int32_t i = 0; i < n; i++) {
      const double s = i <= j + 1 ? f->S[i + j * n] : 0.0;
      f->M[i + j * n] = (i == j ? w * I : 0.0) - s;
      size = fmax(size, fabs(s));
    }
  for (int32_t j = 0; j < n * f->nu; j++) f->x[j] = f->B[j];
  for (int32_t k = 0; k < n; k++) {
    double complex *at = f->M + k + (size_t)k * (size_t)n;
    // the row below is the only other one with an entry in this column
    if (k + 1 < n && cabs(at[1]) > cabs(at[0])) {
      for (int32_t j = k; j < n; j++) {
        double complex *p = f->M + k + (size_t)j * (size_t)n, keep = p[0];
        p[0] = p[1], p[1] = keep;
      }
      for (int32_t j = 0; j < f->nu; j++) {
        double complex *p = f->x + k + (size_t)j * (size_t)n, keep = p[0];
        p[0] = p[1], p[1] = keep;
      }
    }
    if (!(cabs(at[0]) > 1e-15 * size)) return false;
    if (k + 1 == n) continue;
    const double complex l = at[1] / at[0];
    for (int32_t j = k + 1; j < n; j++) f->M[k + 1 + j * n] -= l * f->M[k + j * n];
    for (int32_t j = 0; j < f->nu; j++) f->x[k + 1 + j * n] -= l * f->x[k + j * n];
  }
  for (int32_t j = 0; j < f->nu; j++)
    for (int32_t k = n - 1; k >= 0; k--) {
      double complex *x = f->x + (size_t)j * (size_t)n;
      x[k] /= f->M[k + k * n];
      for (int32_t i = 0; i < k; i++) x[i] -= f->M[i + k * n] * x[k];
    }
  return true;
}

static bool form_make(const hk_statespace *l, hk_pool *pool, form *f) {
  const size_t n = (size_t)l->n, nu = (size_t)l->nu, ny = (size_t)l->ny;
  *f = (form){.n = l->n, .nu = l->nu, .ny = l->ny};
  f->S = hki_pool_alloc(pool, (n * n + 1) * sizeof *f->S);
  f->B = hki_pool_alloc(pool, (n * nu + 1) * sizeof *f->B);
  f->C = hki_pool_alloc(pool, (n * ny + 1) * sizeof *f->C);
  f->v = hki_pool_alloc(pool, (n + 1) * sizeof *f->v);
  f->M = hki_pool_alloc(pool, (n * n + 1) * sizeof *f->M);
  f->x = hki_pool_alloc(pool, (n * nu + 1) * sizeof *f->x);
  if (!f->S || !f->B || !f->C || !f->v || !f->M || !f->x) return false;
  memcpy(f->S, l->A, n * n * sizeof *f->S);
  memcpy(f->B, l->B, n * nu * sizeof *f->B);
  memcpy(f->C, l->C, n * ny * sizeof *f->C);
  balance(f);
  reduce(f);
  return true;
}

hk_status hk_statespace_frequency(const hk_statespace *l, int32_t n, const double *hz, double *real,
                                  double *imag) {
  form f;
  if (!hki_is_statespace(l)) return HK_E_USAGE;
  if (n < 0 || (n && (!hz || !real || !imag)))
    return hki_misuse(l->ctx, "hk_statespace_frequency", "the lists do not fit their count");
  hk_status st = hki_statespace_whole(l, true);
  hk_pool *pool = st == HK_OK ? hki_pool_create(l->ctx) : NULL;
  if (st == HK_OK && !(pool && form_make(l, pool, &f))) st = HK_E_MEMORY;
  const size_t entries = (size_t)l->ny * (size_t)l->nu;
  for (int32_t k = 0; st == HK_OK && k < n; k++) {
    const bool finite = solve_at(&f, 2.0 * HK_PI * hz[k]);
    for (int32_t i = 0; i < l->ny; i++)
      for (int32_t j = 0; j < l->nu; j++) {
        double complex h = l->D[i + j * l->ny];
        for (int32_t r = 0; r < l->n; r++) h += f.C[i + r * l->ny] * f.x[r + j * l->n];
        const size_t at = (size_t)k * entries + (size_t)(i * l->nu + j);
        real[at] = finite ? creal(h) : INFINITY;
        imag[at] = finite ? cimag(h) : 0.0;
      }
  }
  if (pool) hki_pool_destroy(pool);
  return st;
}

/* --- the exponential ------------------------------------------------------------------------------ */

/* C = A B, all n x n, column-major with distance ld */
static void multiply(int32_t n, int32_t ld, const double *A, const double *B, double *C) {
  memset(C, 0, (size_t)ld * (size_t)n * sizeof *C);
  for (int32_t j = 0; j < n; j++)
    for (int32_t k = 0; k < n; k++) {
      const double b = B[k + j * ld];
      for (int32_t i = 0; b != 0.0 && i < n; i++) C[i + j * ld] += A[i + k * ld] * b;
    }
}

/* to += sum of c[k] M[k], k < 3, and of c1 on the diagonal */
static void add(int32_t n, int32_t ld, const double *c, double *const *M, double c1, double *to) {
  for (int32_t j = 0; j < n; j++) {
    for (int32_t i = 0; i < n; i++)
      for (int32_t k = 0; k < 3; k++) to[i + j * ld] += c[k] * M[k][i + j * ld];
    to[j + j * ld] += c1;
  }
}

/* how often A (n x n) is halved before the approximation holds to the last digit */
static int32_t halvings(int32_t n, int32_t ld, const double *A) {
  double norm = 0.0;
  for (int32_t j = 0; j < n; j++) {
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++) sum += fabs(A[i + j * ld]);
    norm = fmax(norm, sum);
  }
  if (!isfinite(norm)) return -1;
  int32_t s = 0;
  for (; norm > 5.371920351148152; norm /= 2.0) s++;
  return s;
}

/* A becomes exp(A): Pade's approximation of degree 13 of A / 2^s, squared s times; W: 8 matrices and
 * more work */
static hk_status exponential(int32_t n, int32_t ld, double *A, double *W, int32_t *pivot) {
  static const double b[] = {64764752532480000.,
                             32382376266240000.,
                             7771770303897600.,
                             1187353796428800.,
                             129060195264000.,
                             10559470521600.,
                             670442572800.,
                             33522128640.,
                             1323241920.,
                             40840800.,
                             960960.,
                             16380.,
                             182.,
                             1.};
  const size_t size = (size_t)ld * (size_t)n;
  double *A2 = W, *A4 = A2 + size, *A6 = A4 + size, *U = A6 + size, *V = U + size, *T = V + size,
         *inv = T + size, *work = inv + ld;
  double *const even[] = {A2, A4, A6};
  const int32_t s = halvings(n, ld, A);
  if (s < 0) return HK_E_NUMBER;
  for (size_t i = 0; i < size; i++) A[i] = ldexp(A[i], -s);
  multiply(n, ld, A, A, A2);
  multiply(n, ld, A2, A2, A4);
  multiply(n, ld, A2, A4, A6);
  // U = A (A6 (b13 A6 + b11 A4 + b9 A2) + b7 A6 + b5 A4 + b3 A2 + b1)
  memset(T, 0, size * sizeof *T);
  add(n, ld, (double[]){b[9], b[11], b[13]}, even, 0.0, T);
  multiply(n, ld, A6, T, V);
  add(n, ld, (double[]){b[3], b[5], b[7]}, even, b[1], V);
  multiply(n, ld, A, V, U);
  // V = A6 (b12 A6 + b10 A4 + b8 A2) + b6 A6 + b4 A4 + b2 A2 + b0
  memset(T, 0, size * sizeof *T);
  add(n, ld, (double[]){b[8], b[10], b[12]}, even, 0.0, T);
  multiply(n, ld, A6, T, V);
  add(n, ld, (double[]){b[2], b[4], b[6]}, even, b[0], V);
  // (V - U) X = V + U
  for (size_t i = 0; i < size; i++) T[i] = V[i] - U[i], A[i] = V[i] + U[i];
  hk_status st = hki_dense_lu_factor(n, T, ld, pivot, inv, work, NULL);
  for (int32_t j = 0; st == HK_OK && j < n; j++)
    hki_dense_lu_solve(n, T, ld, pivot, inv, A + (size_t)j * (size_t)ld, work);
  for (int32_t k = 0; st == HK_OK && k < s; k++) {
    multiply(n, ld, A, A, T);
    memcpy(A, T, size * sizeof *A);
  }
  return st;
}

/* --- steps ---------------------------------------------------------------------------------------- */

/* y (n x ny) of input u, whose column of E holds its G; x, next: ld */
static void follow(const hk_statespace *l, const double *E, int32_t ld, int32_t u, int32_t n,
                   double *x, double *next, double *y) {
  memset(x, 0, (size_t)ld * sizeof *x);
  for (int32_t k = 0; k < n; k++) {
    for (int32_t i = 0; i < l->ny; i++) {
      double sum = l->D[i + u * l->ny];
      for (int32_t j = 0; j < l->n; j++) sum += l->C[i + j * l->ny] * x[j];
      y[((size_t)k * (size_t)l->ny + (size_t)i) * (size_t)l->nu + (size_t)u] = sum;
    }
    hki_dense_mul(l->n, l->n, E, ld, x, next);
    for (int32_t i = 0; i < l->n; i++) x[i] = next[i] + E[i + (l->n + u) * ld];
  }
}

hk_status hk_statespace_step(const hk_statespace *l, int32_t n, double step, double *y) {
  if (!hki_is_statespace(l)) return HK_E_USAGE;
  if (n < 0 || (n && !y) || !(step > 0.0) || !isfinite(step))
    return hki_misuse(l->ctx, "hk_statespace_step", "no place, or a step that is not positive");
  const int32_t m = l->n + l->nu, ld = hki_dense_ld(m);
  const size_t size = (size_t)ld * (size_t)m;
  const hk_status whole = hki_statespace_whole(l, true);
  if (whole != HK_OK) return whole;
  hk_pool *pool = hki_pool_create(l->ctx);
  double *E = pool ? hki_pool_alloc(pool, (size + 1) * sizeof *E) : NULL;
  double *W = pool ? hki_pool_alloc(pool, (7 * size + 8 * (size_t)ld + 64) * sizeof *W) : NULL;
  int32_t *pivot = pool ? hki_pool_alloc(pool, ((size_t)m + 1) * sizeof *pivot) : NULL;
  hk_status st = E && W && pivot ? HK_OK : HK_E_MEMORY;
  if (st == HK_OK) {
    memset(E, 0, size * sizeof *E);
    for (int32_t i = 0; i < l->n; i++) {
      for (int32_t j = 0; j < l->n; j++) E[i + j * ld] = step * l->A[i + j * l->n];
      for (int32_t j = 0; j < l->nu; j++) E[i + (l->n + j) * ld] = step * l->B[i + j * l->n];
    }
    if (m > 0) st = exponential(m, ld, E, W, pivot);
  }
  for (int32_t u = 0; st == HK_OK && u < l->nu; u++) follow(l, E, ld, u, n, W, W + ld, y);
  if (pool) hki_pool_destroy(pool);
  return st;
}
