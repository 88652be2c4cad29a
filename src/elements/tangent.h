/* SPDX-License-Identifier: Apache-2.0
 *
 * tangent.h: small matrix helpers of the elements' tangents. Rows of B, P, K, C have stride 12,
 * those of ks and cs stride 6.
 */
#ifndef HK_ELEMENTS_TANGENT_H
#define HK_ELEMENTS_TANGENT_H

#include "elements/element.h"

enum { HK_BS = 12, HK_KS = 6 }; /* strides */

/* K = B'(ks B + cs P), C = B' cs B; P = d(sdot)/dxi (NULL: zero); r rows, n = 6 nmark columns */
void hki_tangent_material(int r, int n, const double *B, const double *P, const double *ks,
                          const double *cs, double *K, double *C);

/* replaces the first n rows and columns of a (stride 6) by their symmetric part */
void hki_tangent_symmetric(int n, double *a);

/* the first n rows and columns of K (stride 12) are set to zero */
void hki_tangent_zero(int n, double *K);

/* K(i.., j..) += f skew(a) at row i, column j */
static inline void hki_add_skew(double *K, int i, int j, double f, const double *a) {
  double *k = K + HK_BS * i + j;
  k[1] -= f * a[2], k[2] += f * a[1];
  k[HK_BS] += f * a[2], k[HK_BS + 2] -= f * a[0];
  k[2 * HK_BS] -= f * a[1], k[2 * HK_BS + 1] += f * a[0];
}

/* K(i.., j..) += f A, A 3x3 row-major */
static inline void hki_add_block(double *K, int i, int j, double f, const double *A) {
  double *k = K + HK_BS * i + j;
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) k[HK_BS * r + c] += f * A[3 * r + c];
}

#endif
