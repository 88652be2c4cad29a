/* SPDX-License-Identifier: Apache-2.0
 *
 * tangent.c: the material part of an element's tangents, see tangent.h. With w = -B'f(s, sd):
 *
 *   -dw/dxi    = B'(ks B + cs P) + d(B'f)/dxi at fixed f
 *   -dw/dtwist = B' cs B
 */
#include "elements/tangent.h"

HKI_INLINE void symmetric(int n, double *a) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      a[HK_KS * i + j] = a[HK_KS * j + i] = 0.5 * (a[HK_KS * i + j] + a[HK_KS * j + i]);
}

void hki_tangent_symmetric(int n, double *a) {
  if (n == 6)
    symmetric(6, a);
  else
    symmetric(n, a);
}

void hki_tangent_zero(int n, double *K) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) K[HK_BS * i + j] = 0.0;
}

void hki_tangent_material(int r, int n, const double *B, const double *P, const double *ks,
                          const double *cs, double *K, double *C) {
  double X[HK_ELEMENT_RANK], Y[HK_ELEMENT_RANK];
  for (int j = 0; j < n; j++) {
    // column j of ks B + cs P and of cs B
    for (int a = 0; a < r; a++) {
      X[a] = Y[a] = 0.0;
      for (int b = 0; b < r; b++) {
        double k = ks[HK_KS * a + b], c = cs[HK_KS * a + b];
        X[a] += k * B[HK_BS * b + j] + (P ? c * P[HK_BS * b + j] : 0.0);
        Y[a] += c * B[HK_BS * b + j];
      }
    }
    // times B'
    for (int i = 0; i < n; i++) {
      double x = 0.0, y = 0.0;
      for (int a = 0; a < r; a++) {
        x += B[HK_BS * a + i] * X[a];
        y += B[HK_BS * a + i] * Y[a];
      }
      K[HK_BS * i + j] = x;
      C[HK_BS * i + j] = y;
    }
  }
}
