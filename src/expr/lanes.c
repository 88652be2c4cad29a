/* SPDX-License-Identifier: Apache-2.0
 *
 * lanes.c: an expression at four values of one input at once, with first and second derivatives: the road under
 * four wheels. The program of an expression runs once, each instruction on four lanes; the bits are those of jet.c, lane
 * by lane.
 *
 * A register is flat where it does not depend on the input in any lane, by its operands or because min and max took the
 * other one: its derivatives are zeros, which nobody stores. Sines and cosines of equal lanes are found once. Processors with
 * AVX2 take sums, products, quotients and limits of all lanes at once (lanes_wide.c).
 */
#include "expr/lanes.h"

#include <math.h>
#include <string.h>

enum { L = HK_EXPR_LANES };

typedef hki_expr_lane wide;
typedef hki_expr_lanes frame;

static const double zeros[L];

/* hki_expr_times, without a branch */
static inline double times(double a, double b) {
  const double p = a * b;
  return ((a == 0.0) | (b == 0.0)) ? 0.0 : p;
}
static inline const double *first_of(const frame *f, int32_t i) {
  return f->flat[i] ? zeros : f->r[i].d;
}
static inline const double *second_of(const frame *f, int32_t i) {
  return f->flat[i] ? zeros : f->r[i].dd;
}

/* r = f(x) by f, f', f'' in each lane */
static void chain(wide *r, const double *restrict d, const double *restrict dd,
                  double (*restrict g)[L], bool flat) {
  wide y;
  memcpy(y.v, g[0], sizeof y.v);
  for (int k = 0; !flat && k < L; k++) {
    y.d[k] = times(g[1][k], d[k]);
    y.dd[k] = times(g[2][k], d[k] * d[k]) + times(g[1][k], dd[k]);
  }
  memcpy(r->v, y.v, sizeof y.v);
  if (flat) return;
  memcpy(r->d, y.d, sizeof y.d);
  memcpy(r->dd, y.dd, sizeof y.dd);
}

static void circular(hk_expr_op op, wide *r, const wide *x, const double *d, const double *dd,
                     bool flat) {
  double g[3][L];
  for (int k = 0; k < L; k++) {
    // of zeros it is not known which they are
    if (k && x->v[k] == x->v[k - 1] && x->v[k] != 0.0) {
      g[0][k] = g[0][k - 1], g[1][k] = g[1][k - 1], g[2][k] = g[2][k - 1];
      continue;
    }
    g[0][k] = op == OP_COS ? cos(x->v[k]) : sin(x->v[k]);
    g[1][k] = flat ? 0.0 : op == OP_COS ? -sin(x->v[k]) : cos(x->v[k]);
    g[2][k] = -g[0][k];
  }
  chain(r, d, dd, g, flat);
}

/* true: the result is flat */
static bool unary(frame *f, const hk_expr_instr *i) {
  const bool flat = f->flat[i->a];
  const wide *x = &f->r[i->a];
  const double *d = first_of(f, i->a), *dd = second_of(f, i->a);
  double g[3][L];
  if (i->op == OP_SIN || i->op == OP_COS) {
    circular((hk_expr_op)i->op, &f->r[i->dst], x, d, dd, flat);
    return flat;
  }
  for (int k = 0; k < L; k++) {
    double s[3];
    hki_expr_unary_slopes((hk_expr_op)i->op, x->v[k], (int32_t)i->b - HKI_EXPR_POWI_BIAS, s);
    g[0][k] = s[0], g[1][k] = s[1], g[2][k] = s[2];
  }
  chain(&f->r[i->dst], d, dd, g, flat);
  return flat;
}

/* the smaller or larger of both, which brings its derivatives; the first where they are equal, or where it is not a
 * number */
static bool choose(frame *f, const hk_expr_instr *i) {
  const double *x = f->r[i->a].v, *y = f->r[i->b].v;
  wide *r = &f->r[i->dst];
  double v[L];
  bool take[L];
  int first = 0;
  for (int k = 0; k < L; k++) {
    take[k] = (i->op == OP_MIN ? x[k] <= y[k] : x[k] >= y[k]) || isnan(x[k]);
    v[k] = take[k] ? x[k] : y[k];
    first += take[k];
  }
  const bool flat = (f->flat[i->a] || first == 0) && (f->flat[i->b] || first == L);
  if (!flat) {
    const double *xd = first_of(f, i->a), *xdd = second_of(f, i->a);
    const double *yd = first_of(f, i->b), *ydd = second_of(f, i->b);
    for (int k = 0; k < L; k++) {
      r->d[k] = (take[k] ? xd[k] : yd[k]) + 0.0;
      r->dd[k] = (take[k] ? xdd[k] : ydd[k]) + 0.0;
    }
  }
  memcpy(r->v, v, sizeof v);
  return flat;
}

/* other operations of two operands, lane by lane */
static bool general(frame *f, const hk_expr_instr *i) {
  const wide *x = &f->r[i->a], *y = &f->r[i->b];
  const double *xd = first_of(f, i->a), *xdd = second_of(f, i->a);
  const double *yd = first_of(f, i->b), *ydd = second_of(f, i->b);
  wide r;
  for (int k = 0; k < L; k++) {
    double s[6];
    hki_expr_binary_slopes((hk_expr_op)i->op, x->v[k], y->v[k], s);
    r.v[k] = s[0];
    r.d[k] = times(s[1], xd[k]) + times(s[2], yd[k]);
    r.dd[k] = times(s[1], xdd[k]) + times(s[2], ydd[k]) + times(s[3], xd[k] * xd[k]) +
              2.0 * times(s[4], xd[k] * yd[k]) + times(s[5], yd[k] * yd[k]);
  }
  f->r[i->dst] = r;
  return f->flat[i->a] && f->flat[i->b];
}

/* values of flat operands; quotients are not called flat, since their zeros may be negative */
static bool flat_arithmetic(frame *f, const hk_expr_instr *i) {
  const double *x = f->r[i->a].v, *y = f->r[i->b].v;
  double v[L];
  for (int k = 0; k < L; k++)
    v[k] = i->op == OP_ADD ? x[k] + y[k] : i->op == OP_SUB ? x[k] - y[k] : x[k] * y[k];
  memcpy(f->r[i->dst].v, v, sizeof v);
  return true;
}

/* sum, difference, product, quotient */
static bool arithmetic(frame *f, const hk_expr_instr *i) {
  if (f->flat[i->a] && f->flat[i->b] && i->op != OP_DIV) return flat_arithmetic(f, i);
  const double *x = f->r[i->a].v, *y = f->r[i->b].v;
  const double *xd = first_of(f, i->a), *xdd = second_of(f, i->a);
  const double *yd = first_of(f, i->b), *ydd = second_of(f, i->b);
  wide r;
  switch (i->op) {
    case OP_ADD:
      for (int k = 0; k < L; k++)
        r.v[k] = x[k] + y[k], r.d[k] = xd[k] + yd[k], r.dd[k] = xdd[k] + ydd[k];
      break;
    case OP_SUB:
      for (int k = 0; k < L; k++)
        r.v[k] = x[k] - y[k], r.d[k] = xd[k] - yd[k], r.dd[k] = xdd[k] - ydd[k];
      break;
    case OP_MUL:
      for (int k = 0; k < L; k++) {
        r.v[k] = x[k] * y[k];
        r.d[k] = times(xd[k], y[k]) + times(x[k], yd[k]);
        r.dd[k] = times(xdd[k], y[k]) + 2.0 * times(xd[k], yd[k]) + times(x[k], ydd[k]);
      }
      break;
    default: // quotient; by a flat one the products below are zeros
      for (int k = 0; k < L; k++) r.v[k] = x[k] / y[k];
      if (f->flat[i->b]) {
        for (int k = 0; k < L; k++) r.d[k] = xd[k] / y[k], r.dd[k] = xdd[k] / y[k];
        break;
      }
      for (int k = 0; k < L; k++) {
        r.d[k] = (xd[k] - times(r.v[k], yd[k])) / y[k];
        r.dd[k] = (xdd[k] - 2.0 * times(r.d[k], yd[k]) - times(r.v[k], ydd[k])) / y[k];
      }
  }
  f->r[i->dst] = r;
  return false;
}

bool hki_expr_lanes_other(frame *f, const hk_expr_instr *i) {
  return HKI_EXPR_IS_BINARY(i->op) ? general(f, i) : unary(f, i);
}

static void run(const hk_expr *e, frame *f) {
  const hk_expr_instr *end = e->code + e->n_code;
  for (const hk_expr_instr *i = e->code; i < end; i++) {
    if (i->op >= OP_ADD && i->op <= OP_DIV)
      f->flat[i->dst] = arithmetic(f, i);
    else if (i->op == OP_MIN || i->op == OP_MAX)
      f->flat[i->dst] = choose(f, i);
    else
      f->flat[i->dst] = hki_expr_lanes_other(f, i);
  }
}

/* only operations of one and two operands: jumps may differ between lanes */
bool hki_expr_is_straight(const hk_expr *e) {
  if (!hki_expr_is_small(e)) return false;
  for (int32_t i = 0; i < e->n_code; i++)
    if (!HKI_EXPR_IS_BINARY(e->code[i].op) && !HKI_EXPR_IS_UNARY(e->code[i].op)) return false;
  return true;
}

void hki_expr_eval_lanes(const hk_expr *e, const double *inputs, int32_t slot, const double *x,
                         double (*out)[HK_EXPR_LANES]) {
  frame f;
  for (int32_t i = 0; i < e->n_consts; i++) {
    for (int k = 0; k < L; k++) f.r[i].v[k] = e->consts[i];
    f.flat[i] = true;
  }
  for (int32_t i = 0; i < e->n_inputs; i++) {
    wide *r = &f.r[e->n_consts + i];
    const bool it = e->slots[i] == slot;
    for (int k = 0; k < L; k++) {
      r->v[k] = it ? x[k] : inputs[e->slots[i]];
      r->d[k] = it ? 1.0 : 0.0;
      r->dd[k] = 0.0;
    }
    f.flat[e->n_consts + i] = !it;
  }
  if (hki_expr_lanes_here())
    hki_expr_lanes_wide(e, &f);
  else
    run(e, &f);
  memcpy(out[0], f.r[e->result].v, sizeof out[0]);
  memcpy(out[1], first_of(&f, e->result), sizeof out[1]);
  memcpy(out[2], second_of(&f, e->result), sizeof out[2]);
}

bool hki_expr_same(const hk_expr *a, const hk_expr *b) {
  if (a == b) return true;
  return a->n_consts == b->n_consts && a->n_inputs == b->n_inputs && a->n_code == b->n_code &&
         a->result == b->result &&
         memcmp(a->consts, b->consts, (size_t)a->n_consts * sizeof *a->consts) == 0 &&
         memcmp(a->slots, b->slots, (size_t)a->n_inputs * sizeof *a->slots) == 0 &&
         memcmp(a->code, b->code, (size_t)a->n_code * sizeof *a->code) == 0;
}
