/* SPDX-License-Identifier: Apache-2.0
 *
 * dense.h: small dense matrices: LDL' without pivoting, LU with partial pivoting, products,
 * pivots, and singular values.
 *
 * Matrices are column-major: A(i, j) = A[i + j * ld]. For LDL' and LU ld must be a multiple of 4
 * (hki_dense_ld) and the rows n .. ld-1 must be zero; they stay zero. Nothing here allocates: work
 * arrays come from the caller.
 */
#ifndef HK_LINALG_DENSE_H
#define HK_LINALG_DENSE_H

#include "base/base.h"

/* leading dimension of an n x n matrix for LDL' and LU */
static inline int32_t hki_dense_ld(int32_t n) { return (n + 3) & ~3; }
/* doubles of work for the LDL' and LU functions */
static inline int32_t hki_dense_work(int32_t n) { return 5 * n + 24; }

/* A = L D L' of a symmetric matrix; only its lower triangle is read. A becomes the factor; inv[n]
 * receives 1 / D. HK_E_SINGULAR or HK_E_NUMBER with *bad (may be NULL) the row, when a pivot is
 * round-off of its diagonal entry or not finite. Negative pivots are allowed. */
hk_status hki_dense_ldl_factor(int32_t n, double *A, int32_t ld, double *inv, double *work,
                               int32_t *bad);
/* x[n]: right side in, solution out */
void hki_dense_ldl_solve(int32_t n, const double *A, int32_t ld, const double *inv, double *x,
                         double *work);

/* P A = L U with row exchanges: pivot[k] is the row exchanged with row k; inv[n] receives 1 / U_kk.
 * HK_E_SINGULAR or HK_E_NUMBER with *bad (may be NULL) the column without a usable pivot. */
hk_status hki_dense_lu_factor(int32_t n, double *A, int32_t ld, int32_t *pivot, double *inv,
                              double *work, int32_t *bad);
void hki_dense_lu_solve(int32_t n, const double *A, int32_t ld, const int32_t *pivot,
                        const double *inv, double *x, double *work);

/* y[m] = A x[n] and y[n] = A' x[m]; any ld >= m; y must not overlap */
void hki_dense_mul(int32_t m, int32_t n, const double *A, int32_t ld, const double *x, double *y);
void hki_dense_mul_t(int32_t m, int32_t n, const double *A, int32_t ld, const double *x, double *y);

/* Gauss elimination with full pivoting of the m x n matrix B (row-major, overwritten). rows[m] and
 * cols[n] receive the rows and columns in the order of their pivots, the rest behind them. Ends at
 * a pivot below `tolerance` times the first; returns the number of pivots, the rank. Rows with
 * late[i] != 0 take their turn after all others; late may be NULL. */
int32_t hki_dense_pivots(int32_t m, int32_t n, double *B, double tolerance, const uint8_t *late,
                         int32_t *rows, int32_t *cols);

/* true when x' W x > 0 for every x, tested by Cholesky's method on the symmetric part of W (n x n,
 * row-major, overwritten) */
bool hki_dense_positive(int32_t n, double *W);

/* --- singular values -------------------------------------------------------------------------- */

/* A = U S V' of an m x n matrix, any m and n: s[n] receives the singular values, largest first
 * (zeros beyond the rank), V (n x n, ldv >= n) the right singular vectors, A becomes U S. False
 * when it does not converge or something is not finite. */
bool hki_dense_svd(int32_t m, int32_t n, double *A, int32_t ld, double *s, double *V, int32_t ldv);

/* Solves A x = r (m x n, ld = m) in the sense of least squares, with the smallest x; singular values below
 * `tolerance` times the largest count as zero. A and s, V (n, n x n) become those of hki_dense_svd. True when
 * the equations hold. */
bool hki_dense_least(int32_t m, int32_t n, double *A, double tolerance, double *s, double *V,
                     const double *r, double *x);

/* sign of the determinant of A (n x n, ld = n, overwritten); 0: a column has no pivot */
int32_t hki_dense_sign(int32_t n, double *A);

/* t: the part of x (n) that A t = 0 leaves, with length 1; A, s, V as in hki_dense_least. False where
 * nothing of it is left. */
bool hki_dense_null(int32_t m, int32_t n, double *A, double tolerance, double *s, double *V,
                    const double *x, double *t);

/* --- bounds ----------------------------------------------------------------------------------- */

/* The x with the smallest sum of squares, A x = b (m x n, ld = m, rows orthonormal) and lo <= x <= hi, which may
 * be infinite (dense_bounded.c). end[i]: 1 where x[i] is held at hi, -1 at lo, else 0. False: there is none; x is
 * then the last one tried. work: hki_dense_bounded_work(m, n) doubles. */
bool hki_dense_bounded(int32_t m, int32_t n, const double *A, const double *b, const double *lo,
                       const double *hi, double *x, int8_t *end, double *work);
static inline size_t hki_dense_bounded_work(int32_t m, int32_t n) {
  const size_t k = (size_t)m + (size_t)n + 1, r = (size_t)n;
  return 2 * r * k + k * k + 5 * k + 2 * r;
}
#endif
