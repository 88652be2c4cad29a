/* SPDX-License-Identifier: Apache-2.0
 *
 * conditions.c: runs the program of an expression one instruction at a time and notes the operands
 * of its comparisons.
 */
#include "expr/conditions.h"

#include <math.h>

#include "expr/expr_impl.h"

static bool is_comparison(const hk_expr_instr *i) {
  return (i->op >= OP_LT && i->op <= OP_GE) || i->op == OP_STEP || i->op == OP_SIGN;
}

int32_t hki_expr_comparisons(const hk_expr *e) {
  int32_t n = 0;
  for (int32_t i = 0; i < e->n_code; i++) n += is_comparison(&e->code[i]);
  return n;
}

void hki_expr_differences(const hk_expr *e, const double *inputs, double *out) {
  double r[HK_EXPR_MAX_FRAME];
  int32_t n = 0, from = 0;
  for (int32_t i = 0; i < e->n_consts; i++) r[i] = e->consts[i];
  for (int32_t i = 0; i < e->n_inputs; i++) r[e->n_consts + i] = inputs[e->slots[i]];
  for (int32_t i = 0; i < e->n_code;) {
    const hk_expr_instr *c = &e->code[i];
    // comparisons that a jump has skipped
    for (; from < i; from++)
      if (is_comparison(&e->code[from])) out[n++] = NAN;
    from = i + 1;
    if (is_comparison(c)) out[n++] = c->op <= OP_GE ? r[c->a] - r[c->b] : r[c->a];
    if (c->op == OP_JUMP || c->op == OP_JUMP_ZERO) {
      i = c->op == OP_JUMP || r[c->a] == 0.0 ? c->b : i + 1;
      continue;
    }
    const int32_t words = c->op == OP_STEP5 ? 2 : 1;
    hki_expr_run(e->code, i, i + words, r);
    i += words;
    if (words == 2) from = i;
  }
  for (; from < e->n_code; from++)
    if (is_comparison(&e->code[from])) out[n++] = NAN;
}
