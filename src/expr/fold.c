/* SPDX-License-Identifier: Apache-2.0
 *
 * fold.c: makes nodes and simplifies them at once.
 *
 * Operations on constants are computed. A constant that is not finite remembers the node where this
 * arose (`bad`): it is an error only if the constant is used, not in a branch that is dropped.
 * Simplified are x+0, x-0, 0+x, 1*x, x*1, x/1, x^0, x^1, x^2, whole powers, x^0.5.
 *
 * Each node also carries the linear forms c0 + c1*b that its value may take, where they are known;
 * b is one input, or one periodic function of an input. breaks.c makes switches from them.
 */
#include "expr/expr_impl.h"

#include <math.h>

/* --- linear forms ----------------------------------------------------------------------------- */

bool hki_expr_linear_sum(hk_expr_linear a, hk_expr_linear b, double sign, hk_expr_linear *out) {
  if (a.basis != HKI_BASIS_NONE && b.basis != HKI_BASIS_NONE && a.basis != b.basis) return false;
  int32_t basis = a.basis != HKI_BASIS_NONE ? a.basis : b.basis;
  *out = (hk_expr_linear){a.c0 + sign * b.c0, a.c1 + sign * b.c1, basis};
  return true;
}

/* add a form unless it is there; with too many the forms count as unknown (n = 0) */
static bool add_form(hk_expr_forms *f, hk_expr_linear form) {
  for (int32_t i = 0; i < f->n; i++) {
    const hk_expr_linear *g = &f->form[i];
    if (g->c0 == form.c0 && g->c1 == form.c1 && g->basis == form.basis) return true;
  }
  if (f->n == HKI_EXPR_FORMS) {
    f->n = 0;
    return false;
  }
  f->form[f->n++] = form;
  return true;
}

static hk_expr_forms one_form(double c0, double c1, int32_t basis) {
  return (hk_expr_forms){.n = 1, .form = {{c0, c1, basis}}};
}

static hk_expr_forms forms_scaled(const hk_expr_forms *a, double by) {
  hk_expr_forms f = *a;
  for (int32_t i = 0; i < f.n; i++) {
    f.form[i].c0 *= by;
    f.form[i].c1 *= by;
  }
  return f;
}

static hk_expr_forms forms_sum(const hk_expr_forms *a, const hk_expr_forms *b, double sign) {
  hk_expr_forms f = {.n = 0};
  for (int32_t i = 0; i < a->n; i++) {
    for (int32_t j = 0; j < b->n; j++) {
      hk_expr_linear sum;
      bool ok = hki_expr_linear_sum(a->form[i], b->form[j], sign, &sum) && add_form(&f, sum);
      if (!ok) return (hk_expr_forms){.n = 0};
    }
  }
  return f;
}

/* the forms of a value that is either a or b */
static hk_expr_forms forms_union(const hk_expr_forms *a, const hk_expr_forms *b) {
  hk_expr_forms f = *a;
  if (a->n == 0 || b->n == 0) return (hk_expr_forms){.n = 0};
  for (int32_t j = 0; j < b->n; j++) {
    if (!add_form(&f, b->form[j])) break;
  }
  return f;
}

static bool forms_number(const hk_expr_forms *a, double *value) {
  *value = a->form[0].c0;
  return a->n == 1 && a->form[0].basis == HKI_BASIS_NONE;
}

/* the forms of node i from those of its arguments */
static hk_expr_forms forms_of(const hk_expr_parser *p, int32_t i) {
  const hk_expr_node *n = &p->nodes[i];
  hk_expr_forms none = {.n = 0}, zero = one_form(0.0, 0.0, HKI_BASIS_NONE), up, down;
  const hk_expr_forms *a = n->arg[0] >= 0 ? &p->nodes[n->arg[0]].lin : &none;
  const hk_expr_forms *b = n->op != OP_POWI && n->arg[1] >= 0 ? &p->nodes[n->arg[1]].lin : &none;
  double k;
  bool wave = a->n == 1 && a->form[0].basis >= 0;
  switch (n->op) {
    case OP_CONST:
      return one_form(n->value, 0.0, HKI_BASIS_NONE);
    case OP_INPUT:
      return one_form(0.0, 1.0, n->slot);
    case OP_NEG:
      return forms_scaled(a, -1.0);
    case OP_ADD:
      return forms_sum(a, b, 1.0);
    case OP_SUB:
      return forms_sum(a, b, -1.0);
    case OP_MUL:
      if (forms_number(a, &k)) return forms_scaled(b, k);
      return forms_number(b, &k) ? forms_scaled(a, k) : none;
    case OP_DIV:
      return forms_number(b, &k) ? forms_scaled(a, 1.0 / k) : none;
    case OP_MIN:
    case OP_MAX:
      return forms_union(a, b);
    case OP_IF:
      return forms_union(b, &p->nodes[n->arg[2]].lin);
    case OP_RAMP:
      return forms_union(a, &zero);
    case OP_ABS:
      up = *a;
      down = forms_scaled(a, -1.0);
      return forms_union(&up, &down);
    case OP_FMOD:
      return wave && forms_number(b, &k) ? one_form(0.0, 1.0, HKI_BASIS_WAVE(i)) : none;
    case OP_SIN:
    case OP_COS:
      return wave ? one_form(0.0, 1.0, HKI_BASIS_WAVE(i)) : none;
    default:
      return none;
  }
}

/* --- making nodes ----------------------------------------------------------------------------- */

static int32_t add_node(hk_expr_parser *p, hk_expr_op op, int32_t at) {
  if (p->n_nodes >= p->cap_nodes) {
    hki_expr_fail(p, at, NULL, "the expression is too long");
    return -1;
  }
  hk_expr_node *n = &p->nodes[p->n_nodes];
  *n = (hk_expr_node){.op = op, .at = at, .bad = -1, .parent = -1, .reg = -1, .jump = -1};
  for (int32_t k = 0; k < 5; k++) n->arg[k] = -1;
  return p->n_nodes++;
}

static int32_t add_args(hk_expr_parser *p, hk_expr_op op, int32_t n, const int32_t *arg,
                        int32_t at) {
  int32_t i = add_node(p, op, at);
  if (i < 0) return -1;
  for (int32_t k = 0; k < n; k++) p->nodes[i].arg[k] = arg[k];
  p->nodes[i].lin = forms_of(p, i);
  return i;
}

static bool is_const(const hk_expr_parser *p, int32_t i) { return p->nodes[i].op == OP_CONST; }
static bool is_value(const hk_expr_parser *p, int32_t i, double v) {
  return is_const(p, i) && p->nodes[i].value == v;
}

/* turn node i, whose arguments are constant, into the constant `value` */
static int32_t fold_to(hk_expr_parser *p, int32_t i, double value) {
  hk_expr_node *n = &p->nodes[i];
  if (isfinite(value)) {
    n->op = OP_CONST;
    n->bad = -1;
  } else {
    // keep the first node that was not finite; a new one stores its operation for the message
    int32_t bad = -1;
    for (int32_t k = 0; k < 5 && bad < 0; k++) {
      if (n->arg[k] >= 0 && n->op != OP_POWI) bad = p->nodes[n->arg[k]].bad;
    }
    if (bad < 0) {
      n->bad = i;
      n->slot = (int32_t)n->op;
    } else {
      n->bad = bad;
    }
    n->op = OP_CONST;
  }
  n->value = value;
  n->lin = forms_of(p, i);
  return i;
}

int32_t hki_expr_make_const(hk_expr_parser *p, double value, int32_t at) {
  int32_t i = add_node(p, OP_CONST, at);
  if (i < 0) return -1;
  return fold_to(p, i, value);
}

int32_t hki_expr_make_input(hk_expr_parser *p, int32_t slot, int32_t at) {
  int32_t i = add_node(p, OP_INPUT, at);
  if (i < 0) return -1;
  p->nodes[i].slot = slot;
  p->nodes[i].lin = forms_of(p, i);
  return i;
}

int32_t hki_expr_make_unary(hk_expr_parser *p, hk_expr_op op, int32_t a, int32_t at) {
  if (a < 0) return -1;
  int32_t i = add_args(p, op, 1, &a, at);
  if (i < 0 || !is_const(p, a)) return i;
  return fold_to(p, i, hki_expr_unary(op, p->nodes[a].value, 0));
}

/* x^y with y a constant other than 0 and 1 */
static int32_t make_power(hk_expr_parser *p, int32_t a, double y, int32_t b, int32_t at) {
  int32_t arg[2] = {a, b};
  if (y == 2.0) return add_args(p, OP_SQUARE, 1, &a, at);
  if (y == 0.5) return add_args(p, OP_SQRT, 1, &a, at);
  if (y == floor(y) && fabs(y) <= HKI_EXPR_POWI_MAX) {
    int32_t i = add_args(p, OP_POWI, 1, &a, at);
    if (i >= 0) p->nodes[i].arg[1] = (int32_t)y;
    return i;
  }
  return add_args(p, OP_POW, 2, arg, at);
}

/* the operand that the result equals because the other one is neutral (x+0, x*1), -1 = none */
static int32_t neutral(const hk_expr_parser *p, hk_expr_op op, int32_t a, int32_t b) {
  switch (op) {
    case OP_ADD:
      return is_value(p, b, 0.0) ? a : is_value(p, a, 0.0) ? b : -1;
    case OP_SUB:
      return is_value(p, b, 0.0) ? a : -1;
    case OP_MUL:
      return is_value(p, b, 1.0) ? a : is_value(p, a, 1.0) ? b : -1;
    case OP_DIV:
    case OP_POW:
      return is_value(p, b, 1.0) ? a : -1;
    default:
      return -1;
  }
}

int32_t hki_expr_make_binary(hk_expr_parser *p, hk_expr_op op, int32_t a, int32_t b, int32_t at) {
  if (a < 0 || b < 0) return -1;
  int32_t arg[2] = {a, b};
  double x = p->nodes[a].value, y = p->nodes[b].value;
  // 'false and b' and 'true or b' do not depend on b
  if (op == OP_AND && is_value(p, a, 0.0)) return hki_expr_make_const(p, 0.0, at);
  if (op == OP_OR && is_const(p, a) && x != 0.0 && !isnan(x)) {
    return hki_expr_make_const(p, 1.0, at);
  }
  if (is_const(p, a) && is_const(p, b)) {
    int32_t i = add_args(p, op, 2, arg, at);
    return i < 0 ? -1 : fold_to(p, i, hki_expr_binary(op, x, y));
  }
  int32_t same = neutral(p, op, a, b);
  if (same >= 0) return same;
  if (op == OP_POW && is_value(p, b, 0.0)) return hki_expr_make_const(p, 1.0, at);
  if (op == OP_POW && is_const(p, b)) return make_power(p, a, y, b, at);
  return add_args(p, op, 2, arg, at);
}

int32_t hki_expr_make_if(hk_expr_parser *p, int32_t c, int32_t a, int32_t b, int32_t at) {
  if (c < 0 || a < 0 || b < 0) return -1;
  int32_t arg[3] = {c, a, b};
  if (is_const(p, c) && !isnan(p->nodes[c].value)) return p->nodes[c].value != 0.0 ? a : b;
  return add_args(p, OP_IF, 3, arg, at);
}

int32_t hki_expr_make_step5(hk_expr_parser *p, const int32_t arg[5], int32_t at) {
  double v[5];
  bool all = true;
  for (int32_t k = 0; k < 5; k++) {
    if (arg[k] < 0) return -1;
    v[k] = p->nodes[arg[k]].value;
    all = all && is_const(p, arg[k]);
  }
  if (is_const(p, arg[1]) && is_const(p, arg[3]) && v[1] == v[3]) {
    hki_expr_fail(p, at, "for a sudden jump write y0 + (y1 - y0)*step(x - x0)",
                  "the smooth step begins and ends at the same place, x0 = x1 = %g", v[1]);
    return -1;
  }
  int32_t i = add_args(p, OP_STEP5, 5, arg, at);
  return i < 0 || !all ? i : fold_to(p, i, hki_expr_step5(v[0], v[1], v[2], v[3], v[4]));
}
