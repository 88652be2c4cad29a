/* SPDX-License-Identifier: Apache-2.0
 *
 * spline.c: cubic splines by their slopes, and quintics by value, slope and second derivative.
 *
 * Widths h0, h1 and secants d0, d1 left and right of an inner point: the second derivative is
 * continuous there when
 *
 *   h1 m_(i-1) + 2 (h0 + h1) m_i + h0 m_(i+1) = 3 (h1 d0 + h0 d1)
 *
 * The ends close this tridiagonal system, here the left one (the right one is its mirror image):
 *
 *   not a knot  h1 m_0 + (h0 + h1) m_1 = (h1 (3 h0 + 2 h1) d0 + h0^2 d1)/(h0 + h1)
 *   curvature   2 m_0 + m_1 = 3 d0 - h0 y''/2         natural: y'' = 0
 *   clamped     m_0 = slope
 *   periodic    the inner equation across the ends: a cyclic system, solved as a tridiagonal one
 *               with a change of rank one (Sherman and Morrison)
 *
 * Elimination needs no exchange of rows: every pivot stays positive.
 *
 * Source: C. de Boor, A practical guide to splines, revised edition, Springer 2001, chapter IV.
 */
#include "expr/spline.h"

/* one row of the system: a m_(i-1) + b m_i + c m_(i+1) = r */
typedef struct row {
  double a, b, c, r;
} row;

static double width(const double *x, int32_t i) { return x[i + 1] - x[i]; }
static double secant(const double *x, const double *y, int32_t i) {
  return (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
}

/* the condition at an inner point between widths h0, h1 with secants d0, d1 */
static row inner(double h0, double h1, double d0, double d1) {
  return (row){h1, 2.0 * (h0 + h1), h0, 3.0 * (h1 * d0 + h0 * d1)};
}

/* An end: h0, d0 the outer width and secant, h1, d1 the next ones, out: +1 when y'' is at the left
 * end, -1 at the right one. b belongs to the end, c to its neighbour. */
static row outer(hk_spline_ends ends, double end, double side, double h0, double h1, double d0,
                 double d1) {
  switch (ends) {
    case HK_ENDS_CLAMPED:
      return (row){0.0, 1.0, 0.0, end};
    case HK_ENDS_NATURAL:
      return (row){0.0, 2.0, 1.0, 3.0 * d0};
    case HK_ENDS_CURVATURE:
      return (row){0.0, 2.0, 1.0, 3.0 * d0 - 0.5 * side * h0 * end};
    default: {
      double h = h0 + h1;
      return (row){0.0, h1, h, h1 * ((3.0 * h0 + 2.0 * h1) / h) * d0 + h0 * (h0 / h) * d1};
    }
  }
}

/* Elimination, one row after the other: c (n) keeps the upper diagonal, m the right sides. */
static void eliminate(int32_t i, row w, double *c, double *m) {
  double pivot = i ? w.b - w.a * c[i - 1] : w.b;
  c[i] = w.c / pivot;
  m[i] = (i ? w.r - w.a * m[i - 1] : w.r) / pivot;
}

static void substitute(int32_t n, const double *c, double *m) {
  for (int32_t i = n - 2; i >= 0; i--) m[i] -= c[i] * m[i + 1];
}

/* not a knot with three points: their parabola; with two: their line */
static void few(int32_t n, const double *x, const double *y, double *m) {
  m[0] = n > 1 ? secant(x, y, 0) : 0.0;
  if (n < 2) return;
  m[1] = m[0];
  if (n < 3) return;
  double h0 = width(x, 0), h1 = width(x, 1), d0 = m[0], d1 = secant(x, y, 1);
  double bend = (d1 - d0) / (h0 + h1);
  m[0] = d0 - h0 * bend;
  m[1] = d0 + h0 * bend;
  m[2] = d1 + h1 * bend;
}

/* The cyclic system of n - 1 slopes, A = B + u v' with u = (g, 0 .., c), v = (1, 0 .., a/g): B is
 * tridiagonal. a: entry of the first row in the last column, c: of the last row in the first. */
static void periodic(int32_t n, const double *x, const double *y, double *m, double *work) {
  const int32_t k = n - 1;
  double *up = work, *z = work + n, *both = work + 2 * n;
  double a = 0.0, c = 0.0, g = 0.0;
  for (int32_t i = 0; i < k; i++) {
    int32_t left = i ? i - 1 : k - 1;
    row w = inner(width(x, left), width(x, i), secant(x, y, left), secant(x, y, i));
    if (i == 0) a = w.a, g = -w.b, w.b -= g, w.a = 0.0;
    if (i == k - 1) c = w.c, w.b -= a * c / g, w.c = 0.0;
    eliminate(i, w, up, m);
    w.r = i == 0 ? g : i == k - 1 ? c : 0.0;
    eliminate(i, w, both, z);
  }
  substitute(k, up, m);
  substitute(k, both, z);
  double share = (m[0] + a * m[k - 1] / g) / (1.0 + z[0] + a * z[k - 1] / g);
  for (int32_t i = 0; i < k; i++) m[i] -= share * z[i];
  m[k] = m[0];
}

void hki_spline_slopes(int32_t n, const double *x, const double *y, hk_spline_ends ends,
                       const double end[2], double *m, double *work) {
  if (ends == HK_ENDS_PERIODIC) {
    periodic(n, x, y, m, work);
    return;
  }
  if (n < 2 || (n < 4 && ends == HK_ENDS_NOT_A_KNOT)) {
    few(n, x, y, m);
    return;
  }
  const int32_t l = n - 2, second = n > 2 ? 1 : 0, before = n > 2 ? n - 3 : 0;
  row w = outer(ends, end[0], 1.0, width(x, 0), width(x, second), secant(x, y, 0),
                secant(x, y, second));
  eliminate(0, w, work, m);
  for (int32_t i = 1; i <= l; i++)
    eliminate(i, inner(width(x, i - 1), width(x, i), secant(x, y, i - 1), secant(x, y, i)), work,
              m);
  w = outer(ends, end[1], -1.0, width(x, l), width(x, before), secant(x, y, l),
            secant(x, y, before));
  w.a = w.c, w.c = 0.0;
  eliminate(n - 1, w, work, m);
  substitute(n, work, m);
}

void hki_quintic(double h, const double from[3], const double to[3], double c[6]) {
  // what the parabola at the left end leaves over at the right end: value, slope, second derivative
  double d = to[0] - from[0] - h * (from[1] + 0.5 * h * from[2]);
  double e = (to[1] - from[1] - h * from[2]) * h, f = (to[2] - from[2]) * h * h;
  c[0] = from[0];
  c[1] = from[1];
  c[2] = 0.5 * from[2];
  c[3] = (10.0 * d - 4.0 * e + 0.5 * f) / h / h / h;
  c[4] = (-15.0 * d + 7.0 * e - f) / h / h / h / h;
  c[5] = (6.0 * d - 3.0 * e + 0.5 * f) / h / h / h / h / h;
}
