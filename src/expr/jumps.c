/* SPDX-License-Identifier: Apache-2.0
 *
 * jumps.c: the value of a signal, and its next jump: of its expression, or of the table or shape
 * over it.
 *
 * A table or shape g over x = a + b t jumps where x passes one of its breaks X. The time (X - a)/b is
 * moved by bisection to the first number at which the program of x gives the new side. Rates follow
 * the chain rule:
 *
 *   y = g(x)       y' = g' x'               y'' = g'' x'^2 + g' x''
 *   z = g(x, y)    z' = gx x' + gy y'       z'' = gxx x'^2 + 2 gxy x' y' + gyy y'^2 + gx x'' + gy y''
 */
#include "expr/jumps.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SLOTS = 64 }; /* the most inputs of an argument that is examined */

/* the argument x of a table or shape */
typedef struct argument {
  const hk_expr *expr;
  int32_t slot;
} argument;

/* y: value, first and second derivative of the argument at t */
static void at(const argument *a, double t, double y[3]) {
  double in[SLOTS];
  memset(in, 0, sizeof in);
  in[a->slot] = t;
  hki_expr_eval_jet(a->expr, in, a->slot, y);
}

/* Is the argument linear from t to its next break? y: value and slope right behind t. */
static bool linear(const argument *a, double t, double next, double y[3]) {
  static const double places[] = {0.29, 1.7, 11.0};
  double span = next - t < 12.0 ? (next - t) / 12.0 : 1.0, first = 0.013 * span, z[3];
  // t itself may be a kink: begin behind it
  at(a, t + first, y);
  for (int32_t i = 0; i < HK_ARRAY_LEN(places); i++) {
    double d = span * places[i];
    at(a, t + d, z);
    double line = y[0] + y[1] * (d - first);
    if (z[1] != y[1] || z[2] != 0.0 || !(fabs(z[0] - line) <= 1e-12 * (1.0 + fabs(line))))
      return false;
  }
  y[0] -= first * y[1];
  return y[1] != 0.0 && y[2] == 0.0;
}

/* is the argument at t on the new side of the break at x? */
static bool behind(const argument *a, double t, double x, bool falling) {
  double y[3];
  at(a, t, y);
  return falling ? y[0] < x : y[0] >= x;
}

/* the first number near t at which the argument is on the new side of x */
static double polish(const argument *a, double t, double x, bool falling) {
  double d = 4.0 * DBL_EPSILON * (fabs(t) + DBL_MIN), lo = t - d, hi = t + d;
  for (int32_t i = 0; i < 40; i++, d *= 4.0) {
    lo = t - d, hi = t + d;
    if (!behind(a, lo, x, falling) && behind(a, hi, x, falling)) break;
  }
  for (int32_t i = 0; i < 200; i++) {
    double mid = lo + 0.5 * (hi - lo);
    if (mid <= lo || mid >= hi) break;
    *(behind(a, mid, x, falling) ? &hi : &lo) = mid;
  }
  return hi;
}

/* the next break of the table or shape, or of an axis of the surface */
static double next_of_curve(const hk_time_function *f, int32_t axis, double x, bool falling) {
  return f->table   ? hki_table_next_break(f->table, x, falling)
         : f->shape ? hki_shape_next_break(f->shape, x, falling)
                    : hki_surface_next_break(f->surface, axis, x, falling);
}

/* the same over an argument: the first time behind t and before `next`, the argument's own break */
static double next_over(const hk_time_function *f, int32_t axis, const argument *a, double t,
                        double next) {
  double y[3];
  if (a->slot < 0 || a->slot >= SLOTS || hki_expr_input_count(a->expr) != 1 ||
      hki_expr_inputs(a->expr)[0] != a->slot)
    return next;
  if (!linear(a, t, next, y)) return next;
  const bool falling = y[1] < 0.0;
  // begin a little before t, since y is rounded; breaks that are passed already are left out
  double x = y[0] - copysign(1e-14 * (fabs(y[0]) + fabs(y[1])), y[1]);
  for (int32_t i = 0; i < 8; i++) {
    double X = next_of_curve(f, axis, x, falling);
    if (!isfinite(X)) return next;
    double s = polish(a, t + (X - y[0]) / y[1], X, falling);
    if (s > t) return s < next ? s : next;
    x = falling ? nextafter(X, -INFINITY) : X;
  }
  return next;
}

double hki_next_jump(const hk_time_function *f, double t) {
  const int32_t slot = f->slot;
  argument a = {f->expr, slot}, b = {f->second, slot};
  double next = f->expr && slot >= 0 ? hki_expr_next_break(f->expr, slot, t) : INFINITY;
  if (f->surface) {
    double other = slot >= 0 ? hki_expr_next_break(f->second, slot, t) : INFINITY;
    return fmin(next_over(f, 0, &a, t, next), next_over(f, 1, &b, t, other));
  }
  if (!f->table && !f->shape) return next;
  return f->expr ? next_over(f, 0, &a, t, next) : next_of_curve(f, 0, t, false);
}

/* --- values ----------------------------------------------------------------------------------- */

static void argument_at(const hk_expr *e, const double *x, const double *xd, const double *xdd,
                        double y[3]) {
  y[0] = x[0], y[1] = !e && xd ? 1.0 : 0.0, y[2] = 0.0;
  if (!e) return;
  if (xd)
    hki_expr_eval_path(e, x, xd, xdd, y);
  else
    y[0] = hki_expr_eval(e, x);
}

void hki_time_function_eval(const hk_time_function *f, const double *x, const double *xd,
                            const double *xdd, double y[3]) {
  double g[6], z[3];
  argument_at(f->expr, x, xd, xdd, y);
  if (f->surface) {
    argument_at(f->second, x, xd, xdd, z);
    hki_surface_eval(f->surface, y[0], z[0], g);
    y[2] = g[3] * y[1] * y[1] + 2.0 * g[4] * y[1] * z[1] + g[5] * z[1] * z[1] + g[1] * y[2] +
           g[2] * z[2];
    y[1] = g[1] * y[1] + g[2] * z[1];
    y[0] = g[0];
    return;
  }
  if (!f->table && !f->shape) return;
  if (f->table)
    g[0] = hki_table_eval(f->table, y[0], &g[1], &g[2]);
  else
    hki_shape_eval(f->shape, y[0], g);
  y[2] = g[2] * y[1] * y[1] + g[1] * y[2];
  y[1] = g[1] * y[1];
  y[0] = g[0];
}
