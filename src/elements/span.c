/* SPDX-License-Identifier: Apache-2.0
 *
 * span.c: the straight piece of a rope between two pulleys; see span.h.
 *
 * Derivatives by the rotation vector u of an end and the change D of d, to second order:
 *
 *   X  = x . d + u . (x x d) + x . D + u . (x x D) + (u . d u . x - x . d u . u)/2
 *   l  : d . D/l + D . (1 - d d'/l^2) D/(2 l)
 *   phi(X, Y), with r = X^2 + Y^2 and q(r) = asin(c/sqrt(r)):
 *     phi_X = -Y/r - 2 X q'      phi_XX = 2 X Y/r^2 - 2 q' - 4 X^2 q''      and so on
 *
 * Wrenches are by rotations in world axes: of the symmetric H by rotation vectors, dg/dxi = H - [g_u]/2
 * in the rotations u of each marker.
 */
#include "elements/span.h"

enum { R1 = 0, R2 = 3, DD = 6, NN = 9 }; /* rotations of both ends, change of d */

double hki_span_near(double phi, double near) {
  return near + remainder(phi - near, 6.283185307179586476925);
}

/* H (9 x 9) += f times the second derivatives of X = x . d; u: rows of the end's rotation */
static void bend(double *H, int u, double f, const double *x, const double *d) {
  const double xd = v3_dot(x, d);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    for (int m = 0; m < 3; m++)
      H[NN * (u + i) + u + m] += f * (0.5 * (d[i] * x[m] + x[i] * d[m]) - (i == m ? xd : 0.0));
    H[NN * (u + i) + DD + j] -= f * x[k], H[NN * (DD + j) + u + i] -= f * x[k];
    H[NN * (u + i) + DD + k] += f * x[j], H[NN * (DD + k) + u + i] += f * x[j];
  }
}

/* g, H += coefficient times phi of an end; returns phi */
static double direction(const hk_frame *F, int u, double coefficient, double c, const double *d,
                        bool second, double *g, double *H) {
  double x[3], y[3], gX[NN] = {0}, gY[NN] = {0};
  m3_column(x, F->R, 0);
  m3_column(y, F->R, 1);
  const double X = v3_dot(x, d), Y = v3_dot(y, d), r = X * X + Y * Y, w = sqrt(r - c * c);
  const double q1 = -0.5 * c / (r * w), q2 = 0.5 * c / (r * w) * (1.0 / r + 0.5 / (w * w));
  const double fX = coefficient * (-Y / r - 2.0 * X * q1),
               fY = coefficient * (X / r - 2.0 * Y * q1);
  v3_cross(gX + u, x, d);
  v3_cross(gY + u, y, d);
  v3_copy(gX + DD, x);
  v3_copy(gY + DD, y);
  for (int i = 0; i < NN; i++) g[i] += fX * gX[i] + fY * gY[i];
  if (second) {
    const double XY = 2.0 * X * Y / (r * r);
    const double fXX = coefficient * (XY - 2.0 * q1 - 4.0 * X * X * q2);
    const double fYY = coefficient * (-XY - 2.0 * q1 - 4.0 * Y * Y * q2);
    const double fXY = coefficient * ((Y * Y - X * X) / (r * r) - 4.0 * X * Y * q2);
    bend(H, u, fX, x, d);
    bend(H, u, fY, y, d);
    for (int i = 0; i < NN; i++)
      for (int j = 0; j < NN; j++)
        H[NN * i + j] +=
            fXX * gX[i] * gX[j] + fYY * gY[i] * gY[j] + fXY * (gX[i] * gY[j] + gY[i] * gX[j]);
  }
  return atan2(Y, X) - asin(c / sqrt(r));
}

/* is there a common tangent, seen in the plane of an end? */
static bool is_clear(const hk_frame *F, double radius, double c, const double *d) {
  double x[3], y[3], r = v3_dot(d, d);
  if (radius != 0.0) {
    m3_column(x, F->R, 0);
    m3_column(y, F->R, 1);
    r = v3_dot(x, d) * v3_dot(x, d) + v3_dot(y, d) * v3_dot(y, d);
  }
  return r > c * c && r > HK_SPAN_SHORTEST * HK_SPAN_SHORTEST;
}

bool hki_span_eval(const hk_frame *A, const hk_frame *B, double a, double b, bool second,
                   hk_span *out) {
  static const int at[12] = {R1, R1 + 1, R1 + 2, DD, DD + 1, DD + 2,
                             R2, R2 + 1, R2 + 2, DD, DD + 1, DD + 2};
  double d[3], g[NN] = {0}, H[NN * NN];
  const double c = b - a;
  if (second) memset(H, 0, sizeof H);
  v3_sub(d, B->p, A->p);
  if (!is_clear(A, a, c, d) || !is_clear(B, b, c, d)) {
    memset(out, 0, sizeof *out);
    return false;
  }
  const double l = sqrt(v3_dot(d, d) - c * c);
  out->l = l, out->phi[0] = out->phi[1] = 0.0;
  for (int i = 0; i < 3; i++) {
    g[DD + i] = d[i] / l;
    for (int j = 0; second && j < 3; j++)
      H[NN * (DD + i) + DD + j] = ((i == j ? 1.0 : 0.0) - d[i] * d[j] / (l * l)) / l;
  }
  if (a != 0.0) out->phi[0] = direction(A, R1, a, c, d, second, g, H);
  if (b != 0.0) out->phi[1] = direction(B, R2, -b, c, d, second, g, H);
  // the change of d is that of pB less that of pA
  for (int i = 0; i < 12; i++) {
    const double si = i / 3 == 1 ? -1.0 : 1.0;
    out->g[i] = si * g[at[i]];
    for (int j = 0; second && j < 12; j++)
      out->H[HK_BS * i + j] = si * (j / 3 == 1 ? -1.0 : 1.0) * H[NN * at[i] + at[j]];
  }
  return true;
}

void hki_span_tangent(int n, const double *g, const double *H, int sh, const double *V, double T,
                      double ks, double cs, double *K, double *C, int stride) {
  for (int j = 0; j < n; j++) {
    // d(g . V)/dxi_j, and T dg/dxi_j
    double rate = 0.0;
    for (int i = 0; i < n; i++) rate += V[i] * H[sh * i + j];
    if (j % 6 < 3) {
      const int m = j - j % 6, p = m + (j % 6 + 1) % 3, q = m + (j % 6 + 2) % 3;
      // column j of [g_u]: g_u x e_j = (.., g_q at p, -g_p at q)
      rate -= 0.5 * (V[p] * g[q] - V[q] * g[p]);
      K[stride * p + j] -= 0.5 * T * g[q];
      K[stride * q + j] += 0.5 * T * g[p];
    }
    for (int i = 0; i < n; i++) {
      K[stride * i + j] += T * H[sh * i + j] + g[i] * (ks * g[j] + cs * rate);
      if (C) C[stride * i + j] += cs * g[i] * g[j];
    }
  }
}
