/* SPDX-License-Identifier: Apache-2.0
 *
 * gradient.c: value and gradient by forward differentiation, four inputs per pass. Every register
 * holds its value and four slopes; operations follow the chain rule with the slopes of slopes.c.
 */
#include "expr/expr_impl.h"

#include <math.h>
#include <string.h>

#define WIDTH 4

typedef struct dual {
  double v, d[WIDTH];
} dual;

static void step5(dual *out, const dual *x, const dual *x0, const dual *y0, const dual *x1,
                  const dual *y1, int32_t w) {
  double f[3], span = x1->v - x0->v, u = (x->v - x0->v) / span;
  hki_expr_quintic(u, f);
  dual r;
  r.v = y0->v + (y1->v - y0->v) * f[0];
  for (int32_t k = 0; k < w; k++) {
    double du = (x->d[k] - x0->d[k] - hki_expr_times(u, x1->d[k] - x0->d[k])) / span;
    r.d[k] = y0->d[k] + (y1->d[k] - y0->d[k]) * f[0] + hki_expr_times((y1->v - y0->v) * f[1], du);
  }
  *out = r;
}

static void binary(hk_expr_op op, dual *out, const dual *x, const dual *y, int32_t w) {
  double f[6], v;
  switch (op) {
    case OP_ADD:
      out->v = x->v + y->v;
      for (int32_t k = 0; k < w; k++) out->d[k] = x->d[k] + y->d[k];
      return;
    case OP_SUB:
      out->v = x->v - y->v;
      for (int32_t k = 0; k < w; k++) out->d[k] = x->d[k] - y->d[k];
      return;
    case OP_MUL:
      v = x->v * y->v;
      for (int32_t k = 0; k < w; k++) {
        double d = hki_expr_times(x->d[k], y->v) + hki_expr_times(x->v, y->d[k]);
        f[k] = d;
      }
      break;
    case OP_DIV:
      v = x->v / y->v;
      for (int32_t k = 0; k < w; k++) f[k] = (x->d[k] - hki_expr_times(v, y->d[k])) / y->v;
      break;
    default: {
      double d[WIDTH];
      hki_expr_binary_slopes(op, x->v, y->v, f);
      v = f[0];
      for (int32_t k = 0; k < w; k++) {
        d[k] = hki_expr_times(f[1], x->d[k]) + hki_expr_times(f[2], y->d[k]);
      }
      memcpy(f, d, sizeof d);
    }
  }
  out->v = v;
  for (int32_t k = 0; k < w; k++) out->d[k] = f[k];
}

static void run(const hk_expr *e, dual *r, int32_t w) {
  const hk_expr_instr *code = e->code, *i = code, *end = code + e->n_code;
  double f[3];
  for (; i < end; i++) {
    hk_expr_op op = (hk_expr_op)i->op;
    if (HKI_EXPR_IS_BINARY(op)) {
      binary(op, &r[i->dst], &r[i->a], &r[i->b], w);
    } else if (HKI_EXPR_IS_UNARY(op)) {
      hki_expr_unary_slopes(op, r[i->a].v, (int32_t)i->b - HKI_EXPR_POWI_BIAS, f);
      for (int32_t k = 0; k < w; k++) r[i->dst].d[k] = hki_expr_times(f[1], r[i->a].d[k]);
      r[i->dst].v = f[0];
    } else if (op == OP_STEP5) {
      step5(&r[i->dst], &r[i->a], &r[i->b], &r[i[1].dst], &r[i[1].a], &r[i[1].b], w);
      i++;
    } else if (op == OP_MOVE) {
      r[i->dst] = r[i->a];
    } else if (op == OP_JUMP || r[i->a].v == 0.0) {
      i = code + i->b - 1;
    }
  }
}

/* value and gradient on the registers r */
static double gradient_on(const hk_expr *e, const double *inputs, double *grad, dual *r) {
  double value = 0.0;
  for (int32_t first = 0; first < e->n_inputs; first += WIDTH) {
    int32_t w = e->n_inputs - first < WIDTH ? e->n_inputs - first : WIDTH;
    for (int32_t i = 0; i < e->n_consts; i++) r[i] = (dual){.v = e->consts[i]};
    for (int32_t i = 0; i < e->n_inputs; i++) {
      r[e->n_consts + i] = (dual){.v = inputs[e->slots[i]]};
    }
    for (int32_t k = 0; k < w; k++) r[e->n_consts + first + k].d[k] = 1.0;
    run(e, r, w);
    value = r[e->result].v;
    // an infinite slope counts as 0: a tangent cannot use it
    for (int32_t k = 0; k < w; k++) {
      double d = r[e->result].d[k];
      grad[first + k] = isfinite(d) || !isfinite(value) ? d : 0.0;
    }
  }
  return value;
}

HKI_EXPR_APART static double gradient_large(const hk_expr *e, const double *inputs, double *grad) {
  dual r[HK_EXPR_MAX_FRAME];
  return gradient_on(e, inputs, grad, r);
}

double hki_expr_eval_gradient(const hk_expr *e, const double *inputs, double *grad) {
  dual r[HKI_EXPR_SMALL];
  if (e->n_code == 0) {
    if (e->n_inputs > 0) grad[0] = 1.0;
    return hki_expr_eval(e, inputs);
  }
  return hki_expr_is_small(e) ? gradient_on(e, inputs, grad, r) : gradient_large(e, inputs, grad);
}
