/* SPDX-License-Identifier: Apache-2.0
 *
 * eval.c: evaluates expressions. One loop runs the program on an array of registers: constants,
 * inputs, pending values. Constants are computed at compile time with the same functions.
 */
#include "expr/expr_impl.h"

#include <math.h>
#include <string.h>

double hki_expr_powi(double x, int32_t n) {
  double r = 1.0;
  for (int32_t k = n < 0 ? -n : n; k > 0; k >>= 1) {
    if (k & 1) r *= x;
    x *= x;
  }
  return n < 0 ? 1.0 / r : r;
}

static inline double sign_of(double x) {
  return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x == 0.0 ? 0.0 : x;
}
static inline double step_of(double x) { return x >= 0.0 ? 1.0 : x < 0.0 ? 0.0 : x; }
static inline double ramp_of(double x) { return x < 0.0 ? 0.0 : x; }
/* NaN in, NaN out */
static inline double min_of(double x, double y) { return x <= y || isnan(x) ? x : y; }
static inline double max_of(double x, double y) { return x >= y || isnan(x) ? x : y; }

/* u^3 (10 - 15 u + 6 u^2): value, slope and curvature 0 at u = 0; 1, 0, 0 at u = 1 */
void hki_expr_quintic(double u, double f[3]) {
  f[1] = f[2] = 0.0;
  if (u <= 0.0) {
    f[0] = 0.0;
  } else if (u >= 1.0) {
    f[0] = 1.0;
  } else {
    f[0] = u * u * u * (10.0 + u * (6.0 * u - 15.0));
    f[1] = 30.0 * u * u * (1.0 - u) * (1.0 - u);
    f[2] = 60.0 * u * (1.0 - u) * (1.0 - 2.0 * u);
  }
}

double hki_expr_step5(double x, double x0, double y0, double x1, double y1) {
  double f[3];
  hki_expr_quintic((x - x0) / (x1 - x0), f);
  return y0 + (y1 - y0) * f[0];
}

/* clang-format off */
double hki_expr_unary(hk_expr_op op, double x, int32_t n) {
  switch (op) {
    case OP_NEG: return -x;
    case OP_NOT: return x == 0.0 ? 1.0 : 0.0;
    case OP_SQUARE: return x * x;
    case OP_POWI: return hki_expr_powi(x, n);
    case OP_SIN: return sin(x);
    case OP_COS: return cos(x);
    case OP_TAN: return tan(x);
    case OP_ASIN: return asin(x);
    case OP_ACOS: return acos(x);
    case OP_ATAN: return atan(x);
    case OP_SINH: return sinh(x);
    case OP_COSH: return cosh(x);
    case OP_TANH: return tanh(x);
    case OP_ASINH: return asinh(x);
    case OP_ACOSH: return acosh(x);
    case OP_ATANH: return atanh(x);
    case OP_EXP: return exp(x);
    case OP_EXP2: return exp2(x);
    case OP_EXPM1: return expm1(x);
    case OP_LOG: return log(x);
    case OP_LOG10: return log10(x);
    case OP_LOG2: return log2(x);
    case OP_LOG1P: return log1p(x);
    case OP_SQRT: return sqrt(x);
    case OP_CBRT: return cbrt(x);
    case OP_ERF: return erf(x);
    case OP_ERFC: return erfc(x);
    case OP_ABS: return fabs(x);
    case OP_SIGN: return sign_of(x);
    case OP_FLOOR: return floor(x);
    case OP_CEIL: return ceil(x);
    case OP_ROUND: return round(x);
    case OP_TRUNC: return trunc(x);
    case OP_STEP: return step_of(x);
    case OP_RAMP: return ramp_of(x);
    default: return NAN;
  }
}
/* clang-format on */

/* clang-format off */
double hki_expr_binary(hk_expr_op op, double x, double y) {
  switch (op) {
    case OP_ADD: return x + y;
    case OP_SUB: return x - y;
    case OP_MUL: return x * y;
    case OP_DIV: return x / y;
    case OP_POW: return pow(x, y);
    case OP_LT: return x < y ? 1.0 : 0.0;
    case OP_LE: return x <= y ? 1.0 : 0.0;
    case OP_GT: return x > y ? 1.0 : 0.0;
    case OP_GE: return x >= y ? 1.0 : 0.0;
    case OP_EQ: return x == y ? 1.0 : 0.0;
    case OP_NE: return x != y ? 1.0 : 0.0;
    case OP_AND: return x != 0.0 && y != 0.0 ? 1.0 : 0.0;
    case OP_OR: return x != 0.0 || y != 0.0 ? 1.0 : 0.0;
    case OP_MIN: return min_of(x, y);
    case OP_MAX: return max_of(x, y);
    case OP_ATAN2: return atan2(x, y);
    case OP_HYPOT: return hypot(x, y);
    case OP_FMOD: return fmod(x, y);
    case OP_REMAINDER: return remainder(x, y);
    case OP_COPYSIGN: return copysign(x, y);
    default: return NAN;
  }
}
/* clang-format on */

/* clang-format off */
void hki_expr_run(const hk_expr_instr *code, int32_t first, int32_t last, double *r) {
  const hk_expr_instr *i = code + first, *end = code + last;
  for (; i < end; i++) {
    double x = r[i->a];
    switch ((hk_expr_op)i->op) {
      // the common ones without a second switch
      case OP_ADD: r[i->dst] = x + r[i->b]; break;
      case OP_SUB: r[i->dst] = x - r[i->b]; break;
      case OP_MUL: r[i->dst] = x * r[i->b]; break;
      case OP_DIV: r[i->dst] = x / r[i->b]; break;
      case OP_LT: r[i->dst] = x < r[i->b] ? 1.0 : 0.0; break;
      case OP_LE: r[i->dst] = x <= r[i->b] ? 1.0 : 0.0; break;
      case OP_GT: r[i->dst] = x > r[i->b] ? 1.0 : 0.0; break;
      case OP_GE: r[i->dst] = x >= r[i->b] ? 1.0 : 0.0; break;
      case OP_MIN: r[i->dst] = min_of(x, r[i->b]); break;
      case OP_MAX: r[i->dst] = max_of(x, r[i->b]); break;
      case OP_NEG: r[i->dst] = -x; break;
      case OP_SQUARE: r[i->dst] = x * x; break;
      case OP_SIN: r[i->dst] = sin(x); break;
      case OP_COS: r[i->dst] = cos(x); break;
      case OP_SQRT: r[i->dst] = sqrt(x); break;
      case OP_ABS: r[i->dst] = fabs(x); break;
      case OP_POWI: r[i->dst] = hki_expr_powi(x, (int32_t)i->b - HKI_EXPR_POWI_BIAS); break;
      case OP_MOVE: r[i->dst] = x; break;
      case OP_JUMP:
        i = code + i->b - 1;
        break;
      case OP_JUMP_ZERO:
        if (x == 0.0) i = code + i->b - 1;
        break;
      case OP_STEP5:
        r[i->dst] = hki_expr_step5(x, r[i->b], r[i[1].dst], r[i[1].a], r[i[1].b]);
        i++;
        break;
      default:
        if (HKI_EXPR_IS_BINARY(i->op)) {
          r[i->dst] = hki_expr_binary((hk_expr_op)i->op, x, r[i->b]);
        } else {
          r[i->dst] = hki_expr_unary((hk_expr_op)i->op, x, 0);
        }
    }
  }
}
/* clang-format on */

/* evaluate on the registers r */
static inline double eval_on(const hk_expr *e, const double *inputs, double *r) {
  double *in = r + e->n_consts;
  for (int32_t i = 0; i < e->n_consts; i++) r[i] = e->consts[i];
  for (int32_t i = 0; i < e->n_inputs; i++) in[i] = inputs[e->slots[i]];
  hki_expr_run(e->code, 0, e->n_code, r);
  return r[e->result];
}

HKI_EXPR_APART static double eval_large(const hk_expr *e, const double *inputs) {
  double r[HK_EXPR_MAX_FRAME];
  return eval_on(e, inputs, r);
}

double hki_expr_eval(const hk_expr *e, const double *inputs) {
  double r[HKI_EXPR_SMALL];
  // a number or a lone input
  if (e->n_code == 0) return e->n_inputs > 0 ? inputs[e->slots[0]] : e->consts[0];
  return hki_expr_is_small(e) ? eval_on(e, inputs, r) : eval_large(e, inputs);
}
