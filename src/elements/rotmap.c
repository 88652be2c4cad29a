/* SPDX-License-Identifier: Apache-2.0
 *
 * rotmap.c: rotation vectors in the strains of beams; see rotmap.h.
 */
#include "elements/rotmap.h"

/* f_m = sum over k of (-y)^k/(2k + m)!, with two derivatives in y */
static void series(int m, double y, double *f) {
  double factorial = 1.0, term;
  f[0] = f[1] = f[2] = 0.0;
  for (int i = 2; i <= m; i++) factorial *= i;
  term = 1.0 / factorial;              // (-1)^k/(2k + m)!
  double p0 = 1.0, p1 = 0.0, p2 = 0.0; // y^k, k y^(k-1), k (k-1) y^(k-2)
  for (int k = 0; k < 9; k++) {
    f[0] += term * p0, f[1] += term * p1, f[2] += term * p2;
    p2 = y * p2 + 2.0 * p1, p1 = y * p1 + p0, p0 *= y;
    term /= -(2.0 * k + m + 1.0) * (2.0 * k + m + 2.0);
  }
}

/* f1, f2, f3, each with its derivatives */
static void functions(double y, double f[3][3]) {
  if (y < 0.25) {
    for (int m = 1; m <= 3; m++) series(m, y, f[m - 1]);
    return;
  }
  const double z = sqrt(y), c = cos(z), s = sin(z), h = 0.5 / y;
  f[0][0] = s / z;
  f[1][0] = (1.0 - c) / y;
  f[2][0] = (z - s) / (z * y);
  f[0][1] = (c - f[0][0]) * h;
  f[1][1] = (f[0][0] - 2.0 * f[1][0]) * h;
  f[2][1] = (f[1][0] - 3.0 * f[2][0]) * h;
  f[0][2] = (-0.5 * f[0][0] - 3.0 * f[0][1]) * h;
  f[1][2] = (f[0][1] - 4.0 * f[1][1]) * h;
  f[2][2] = (f[1][1] - 5.0 * f[2][1]) * h;
}

void hki_rotmap(hk_rotmap *u, hk_rotmap_kind kind, const double *t) {
  double f[3][3];
  const int i = kind == HK_ROTMAP_BACK ? 0 : 1;
  v3_copy(u->t, t);
  u->y = v3_dot(t, t);
  functions(u->y, f);
  u->c1 = f[i][0], u->d1 = f[i][1], u->b1 = f[i][2];
  u->c2 = f[i + 1][0], u->d2 = f[i + 1][1], u->b2 = f[i + 1][2];
}

void hki_rotmap_matrix(const hk_rotmap *u, double *M) {
  const double *t = u->t;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      M[3 * i + j] = u->c2 * t[i] * t[j] + (i == j ? 1.0 - u->c2 * u->y : 0.0);
  M[1] += u->c1 * t[2], M[2] -= u->c1 * t[1];
  M[3] -= u->c1 * t[2], M[5] += u->c1 * t[0];
  M[6] += u->c1 * t[1], M[7] -= u->c1 * t[0];
}

/* sign +1: of M v; -1: of M' v */
static void slope(const hk_rotmap *u, double sign, const double *v, double *D) {
  const double *t = u->t, tv = v3_dot(t, v);
  double a[3], b[3], S[9];
  v3_cross(a, t, v);
  v3_cross(b, t, a);
  m3_skew(S, v);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      D[3 * i + j] = 2.0 * (u->d2 * b[i] - sign * u->d1 * a[i]) * t[j] +
                     sign * u->c1 * S[3 * i + j] +
                     u->c2 * ((i == j ? tv : 0.0) + t[i] * v[j] - 2.0 * v[i] * t[j]);
}

void hki_rotmap_slope(const hk_rotmap *u, const double *v, double *D) { slope(u, 1.0, v, D); }

void hki_rotmap_slope_back(const hk_rotmap *u, const double *n, double *D) { slope(u, -1.0, n, D); }

void hki_rotmap_bend(const hk_rotmap *u, const double *n, const double *v, double *H) {
  const double *t = u->t, tn = v3_dot(t, n), tv = v3_dot(t, v), nv = v3_dot(n, v);
  double k[3], e[3];
  v3_cross(k, v, n);
  const double r = v3_dot(t, k), q = tn * tv - u->y * nv;
  for (int i = 0; i < 3; i++) e[i] = n[i] * tv + v[i] * tn - 2.0 * t[i] * nv;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      H[3 * i + j] =
          (i == j ? 2.0 * (u->d2 * q - u->d1 * r - u->c2 * nv) : 0.0) +
          4.0 * (u->b2 * q - u->b1 * r) * t[i] * t[j] + 2.0 * u->d2 * (t[i] * e[j] + e[i] * t[j]) -
          2.0 * u->d1 * (t[i] * k[j] + k[i] * t[j]) + u->c2 * (n[i] * v[j] + v[i] * n[j]);
}
