/* SPDX-License-Identifier: Apache-2.0
 *
 * jet.c: value, first and second derivative along a curve, for prescribed motions. With x(t), y(t)
 *
 *   f'  = fx x' + fy y'
 *   f'' = fx x'' + fy y'' + fxx x'^2 + 2 fxy x' y' + fyy y'^2
 */
#include "expr/expr_impl.h"

#include <math.h>

typedef struct jet {
  double v, d, dd;
} jet;

static double times(double a, double b) { return hki_expr_times(a, b); }

static jet jet_add(jet x, jet y) { return (jet){x.v + y.v, x.d + y.d, x.dd + y.dd}; }
static jet jet_sub(jet x, jet y) { return (jet){x.v - y.v, x.d - y.d, x.dd - y.dd}; }

static jet jet_mul(jet x, jet y) {
  return (jet){x.v * y.v, times(x.d, y.v) + times(x.v, y.d),
               times(x.dd, y.v) + 2.0 * times(x.d, y.d) + times(x.v, y.dd)};
}

static jet jet_div(jet x, jet y) {
  jet q;
  q.v = x.v / y.v;
  q.d = (x.d - times(q.v, y.d)) / y.v;
  q.dd = (x.dd - 2.0 * times(q.d, y.d) - times(q.v, y.dd)) / y.v;
  return q;
}

static jet jet_unary(const double f[3], jet x) {
  return (jet){f[0], times(f[1], x.d), times(f[2], x.d * x.d) + times(f[1], x.dd)};
}

static jet jet_binary(hk_expr_op op, jet x, jet y) {
  double f[6];
  switch (op) {
    case OP_ADD:
      return jet_add(x, y);
    case OP_SUB:
      return jet_sub(x, y);
    case OP_MUL:
      return jet_mul(x, y);
    case OP_DIV:
      return jet_div(x, y);
    default:
      break;
  }
  hki_expr_binary_slopes(op, x.v, y.v, f);
  jet r;
  r.v = f[0];
  r.d = times(f[1], x.d) + times(f[2], y.d);
  r.dd = times(f[1], x.dd) + times(f[2], y.dd) + times(f[3], x.d * x.d) +
         2.0 * times(f[4], x.d * y.d) + times(f[5], y.d * y.d);
  return r;
}

static jet jet_step5(jet x, jet x0, jet y0, jet x1, jet y1) {
  double f[3];
  jet u = jet_div(jet_sub(x, x0), jet_sub(x1, x0));
  hki_expr_quintic(u.v, f);
  return jet_add(y0, jet_mul(jet_sub(y1, y0), jet_unary(f, u)));
}

static void run(const hk_expr *e, jet *r) {
  const hk_expr_instr *code = e->code, *i = code, *end = code + e->n_code;
  double f[3];
  for (; i < end; i++) {
    hk_expr_op op = (hk_expr_op)i->op;
    if (HKI_EXPR_IS_BINARY(op)) {
      r[i->dst] = jet_binary(op, r[i->a], r[i->b]);
    } else if (HKI_EXPR_IS_UNARY(op)) {
      hki_expr_unary_slopes(op, r[i->a].v, (int32_t)i->b - HKI_EXPR_POWI_BIAS, f);
      r[i->dst] = jet_unary(f, r[i->a]);
    } else if (op == OP_STEP5) {
      r[i->dst] = jet_step5(r[i->a], r[i->b], r[i[1].dst], r[i[1].a], r[i[1].b]);
      i++;
    } else if (op == OP_MOVE) {
      r[i->dst] = r[i->a];
    } else if (op == OP_JUMP || r[i->a].v == 0.0) {
      i = code + i->b - 1;
    }
  }
}

/* the curve: all inputs move with the rates and accelerations given, or (rates NULL) the input of
 * `slot` moves at unit rate */
typedef struct curve {
  const double *at, *rates, *accels;
  int32_t slot;
} curve;

static inline void jet_on(const hk_expr *e, const curve *c, jet *r, double out[3]) {
  jet *in = r + e->n_consts;
  for (int32_t i = 0; i < e->n_consts; i++) r[i] = (jet){e->consts[i], 0.0, 0.0};
  for (int32_t i = 0; i < e->n_inputs; i++) {
    int32_t s = e->slots[i];
    double rate = c->rates ? c->rates[s] : s == c->slot ? 1.0 : 0.0;
    in[i] = (jet){c->at[s], rate, c->accels ? c->accels[s] : 0.0};
  }
  if (e->n_code > 0) run(e, r);
  out[0] = r[e->result].v;
  out[1] = r[e->result].d;
  out[2] = r[e->result].dd;
}

HKI_EXPR_APART static void jet_large(const hk_expr *e, const curve *c, double out[3]) {
  jet r[HK_EXPR_MAX_FRAME];
  jet_on(e, c, r, out);
}

static void eval(const hk_expr *e, const curve *c, double out[3]) {
  jet r[HKI_EXPR_SMALL];
  if (hki_expr_is_small(e)) {
    jet_on(e, c, r, out);
  } else {
    jet_large(e, c, out);
  }
}

void hki_expr_eval_jet(const hk_expr *e, const double *inputs, int32_t slot, double out[3]) {
  curve c = {inputs, NULL, NULL, slot};
  eval(e, &c, out);
}

void hki_expr_eval_path(const hk_expr *e, const double *inputs, const double *rates,
                        const double *accels, double out[3]) {
  curve c = {inputs, rates, accels, -1};
  eval(e, &c, out);
}
