/* SPDX-License-Identifier: Apache-2.0
 *
 * slopes.c: first and second derivatives of every operation.
 *
 * Powers at x <= 0:
 *   d(x^n)/dx = n x^(n-1), with x^0 = 1 also at x = 0;
 *   d(x^y)/dy = x^y log x is taken as 0: this is its limit at x = 0 for y > 0, and for negative x,
 *   where only whole y give a number, no slope in y exists.
 * hypot and atan2 have slope 0 at the origin.
 */
#include "expr/expr_impl.h"

#include <math.h>

#define LN2          0.69314718055994530942
#define LN10         2.30258509299404568402
#define TWO_OVER_SPI 1.12837916709551257390 /* 2/sqrt(pi) */

/* c*x^y, and 0 where c is 0, also when x^y is not finite */
static double term(double c, double x, double y) { return c == 0.0 ? 0.0 : c * pow(x, y); }

static void set(double f[3], double a, double b, double c) {
  f[0] = a;
  f[1] = b;
  f[2] = c;
}

static void whole_power(double x, int32_t n, double f[3]) {
  f[0] = hki_expr_powi(x, n);
  f[1] = n == 0 ? 0.0 : n * hki_expr_powi(x, n - 1);
  f[2] = n == 0 || n == 1 ? 0.0 : (double)n * (n - 1) * hki_expr_powi(x, n - 2);
}

/* asin, acos, atan, asinh, acosh, atanh; s is the size of the slope */
static void inverse_slopes(hk_expr_op op, double x, double f[3]) {
  double s;
  switch (op) {
    case OP_ASIN:
      s = 1.0 / sqrt((1.0 - x) * (1.0 + x));
      set(f, asin(x), s, hki_expr_times(x, s * s * s));
      break;
    case OP_ACOS:
      s = 1.0 / sqrt((1.0 - x) * (1.0 + x));
      set(f, acos(x), -s, -hki_expr_times(x, s * s * s));
      break;
    case OP_ATAN:
      s = 1.0 / (1.0 + x * x);
      set(f, atan(x), s, -2.0 * x * s * s);
      break;
    case OP_ASINH:
      s = 1.0 / hypot(1.0, x);
      set(f, asinh(x), s, -x * s * s * s);
      break;
    case OP_ACOSH:
      s = 1.0 / sqrt((x - 1.0) * (x + 1.0));
      set(f, acosh(x), s, -x * s * s * s);
      break;
    default: // atanh
      s = 1.0 / ((1.0 - x) * (1.0 + x));
      set(f, atanh(x), s, 2.0 * x * s * s);
  }
}

/* exponentials, logarithms, roots */
static void exponential_slopes(hk_expr_op op, double x, double f[3]) {
  double s;
  switch (op) {
    case OP_EXP:
      s = exp(x);
      set(f, s, s, s);
      break;
    case OP_EXP2:
      s = exp2(x);
      set(f, s, LN2 * s, LN2 * LN2 * s);
      break;
    case OP_EXPM1:
      s = exp(x);
      set(f, expm1(x), s, s);
      break;
    case OP_LOG:
      set(f, log(x), 1.0 / x, -1.0 / (x * x));
      break;
    case OP_LOG10:
      set(f, log10(x), 1.0 / (LN10 * x), -1.0 / (LN10 * x * x));
      break;
    case OP_LOG2:
      set(f, log2(x), 1.0 / (LN2 * x), -1.0 / (LN2 * x * x));
      break;
    case OP_LOG1P:
      s = 1.0 / (1.0 + x);
      set(f, log1p(x), s, -s * s);
      break;
    case OP_SQRT:
      s = sqrt(x);
      set(f, s, 0.5 / fabs(s), -0.25 / fabs(x * s));
      break;
    case OP_CBRT:
      s = cbrt(x);
      set(f, s, 1.0 / (3.0 * s * s), -2.0 / (9.0 * x * s * s));
      break;
    case OP_ERF:
      s = TWO_OVER_SPI * exp(-x * x);
      set(f, erf(x), s, -2.0 * x * s);
      break;
    default: // erfc
      s = TWO_OVER_SPI * exp(-x * x);
      set(f, erfc(x), -s, 2.0 * x * s);
  }
}

/* circular and hyperbolic functions */
static void circular_slopes(hk_expr_op op, double x, double f[3]) {
  double c, s;
  switch (op) {
    case OP_SIN:
      s = sin(x);
      set(f, s, cos(x), -s);
      break;
    case OP_COS:
      c = cos(x);
      set(f, c, -sin(x), -c);
      break;
    case OP_TAN:
      s = tan(x);
      c = 1.0 + s * s;
      set(f, s, c, 2.0 * s * c);
      break;
    case OP_SINH:
      s = sinh(x);
      set(f, s, cosh(x), s);
      break;
    case OP_COSH:
      c = cosh(x);
      set(f, c, sinh(x), c);
      break;
    default: // tanh
      s = tanh(x);
      c = 1.0 / cosh(x);
      set(f, s, c * c, -2.0 * s * c * c);
  }
}

void hki_expr_unary_slopes(hk_expr_op op, double x, int32_t n, double f[3]) {
  if (op >= OP_SIN && op <= OP_TANH) {
    circular_slopes(op, x, f);
  } else if (op >= OP_ASIN && op <= OP_ATANH) {
    inverse_slopes(op, x, f);
  } else if (op >= OP_EXP && op <= OP_ERFC) {
    exponential_slopes(op, x, f);
  } else if (op == OP_NEG) {
    set(f, -x, -1.0, 0.0);
  } else if (op == OP_SQUARE) {
    set(f, x * x, 2.0 * x, 2.0);
  } else if (op == OP_POWI) {
    whole_power(x, n, f);
  } else if (op == OP_ABS) {
    set(f, fabs(x), x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0, 0.0);
  } else if (op == OP_RAMP) {
    set(f, hki_expr_unary(op, x, 0), x >= 0.0 ? 1.0 : 0.0, 0.0);
  } else {
    set(f, hki_expr_unary(op, x, n), 0.0, 0.0); // piecewise constant
  }
}

/* f = x^y */
static void power_slopes(double x, double y, double f[6]) {
  double v = pow(x, y), l = x > 0.0 ? log(x) : 0.0;
  f[0] = v;
  f[1] = term(y, x, y - 1.0);
  f[2] = hki_expr_times(v, l);
  f[3] = term(y * (y - 1.0), x, y - 2.0);
  f[4] = x > 0.0 ? term(1.0 + y * l, x, y - 1.0) : 0.0;
  f[5] = hki_expr_times(f[2], l);
}

/* f = atan2(x, y): x is the ordinate */
static void angle_slopes(double x, double y, double f[6]) {
  double h = hypot(x, y), i = h > 0.0 ? 1.0 / h : 0.0, u = x * i, v = y * i;
  f[0] = atan2(x, y);
  f[1] = v * i;
  f[2] = -u * i;
  f[3] = -2.0 * u * v * i * i;
  f[4] = (u - v) * (u + v) * i * i;
  f[5] = 2.0 * u * v * i * i;
}

static void hypot_slopes(double x, double y, double f[6]) {
  double h = hypot(x, y), i = h > 0.0 ? 1.0 / h : 0.0, u = x * i, v = y * i;
  f[0] = h;
  f[1] = u;
  f[2] = v;
  f[3] = v * v * i;
  f[4] = -u * v * i;
  f[5] = u * u * i;
}

void hki_expr_binary_slopes(hk_expr_op op, double x, double y, double f[6]) {
  for (int32_t k = 0; k < 6; k++) f[k] = 0.0;
  switch (op) {
    case OP_POW:
      power_slopes(x, y, f);
      return;
    case OP_ATAN2:
      angle_slopes(x, y, f);
      return;
    case OP_HYPOT:
      hypot_slopes(x, y, f);
      return;
    case OP_MIN:
      f[x <= y || isnan(x) ? 1 : 2] = 1.0;
      break;
    case OP_MAX:
      f[x >= y || isnan(x) ? 1 : 2] = 1.0;
      break;
    case OP_FMOD:
      f[1] = 1.0;
      f[2] = -trunc(x / y);
      break;
    case OP_REMAINDER:
      f[1] = 1.0;
      f[2] = -rint(x / y);
      break;
    case OP_COPYSIGN:
      f[1] = x == 0.0 ? 0.0 : (signbit(x) != 0) == (signbit(y) != 0) ? 1.0 : -1.0;
      break;
    default:
      break; // comparisons and logic are flat
  }
  f[0] = hki_expr_binary(op, x, y);
}
