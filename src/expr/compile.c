/* SPDX-License-Identifier: Apache-2.0
 *
 * compile.c: makes a register program from nodes, and answers questions about a compiled
 * expression.
 *
 * Registers are the distinct constants, the distinct inputs in ascending order, and a stack of
 * pending values. Nodes are in post-order, so one loop emits everything: leaves are read from
 * their own registers, other operands from the top of the stack. `if` becomes two jumps; both
 * branches leave their value in the same register.
 */
#include "expr/expr_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CODE_MAX 65000

typedef struct emitter {
  hk_expr_parser *p;
  double *consts;
  int32_t *slots;
  hk_expr_instr *code;
  hk_expr_switch *switches;
  int32_t n_consts, n_inputs, n_code, n_switches, cap_switches;
  int32_t base;       /* register of the first pending value */
  int32_t top, n_top; /* pending values: now, and the most at any time */
} emitter;

/* --- live nodes and their registers ----------------------------------------------------------- */

static int32_t arg_count(hk_expr_op op) {
  if (HKI_EXPR_IS_LEAF(op)) return 0;
  if (HKI_EXPR_IS_BINARY(op)) return 2;
  if (HKI_EXPR_IS_UNARY(op)) return 1;
  return op == OP_IF ? 3 : 5;
}

/* mark the nodes that the root uses; parents have larger indices, so one loop downwards will do */
static int32_t mark_live(hk_expr_parser *p, int32_t root) {
  int32_t n_live = 0;
  p->nodes[root].live = true;
  for (int32_t i = root; i >= 0; i--) {
    hk_expr_node *n = &p->nodes[i];
    if (!n->live) continue;
    n_live++;
    for (int32_t k = 0; k < arg_count(n->op); k++) {
      hk_expr_node *child = &p->nodes[n->arg[k]];
      child->live = true;
      child->parent = i;
      child->role = n->op == OP_IF ? (hk_expr_role)(ROLE_CONDITION + k) : ROLE_OPERAND;
    }
  }
  return n_live;
}

/* reports a constant in use that is not finite, at the operation where this arose */
static hk_status fail_not_finite(hk_expr_parser *p, int32_t i) {
  const hk_expr_node *bad = &p->nodes[p->nodes[i].bad];
  hk_expr_op op = (hk_expr_op)bad->slot;
  const char *what = isnan(bad->value) ? "not a number" : "not finite";
  if (op == OP_CONST) {
    return hki_expr_fail(p, bad->at, "look at where it is defined", "this value is %s", what);
  }
  double x = p->nodes[bad->arg[0]].value;
  if (HKI_EXPR_IS_UNARY(op)) {
    return hki_expr_fail(p, bad->at, NULL, "%s(%g) is %s", hki_expr_op_text(op), x, what);
  }
  if (HKI_EXPR_IS_BINARY(op)) {
    double y = p->nodes[bad->arg[1]].value;
    if (op == OP_DIV && y == 0.0) {
      return hki_expr_fail(p, bad->at, NULL, "division by zero: %g/0", x);
    }
    const char *name = hki_expr_op_text(op);
    bool word = name[0] >= 'a' && name[0] <= 'z';
    return word ? hki_expr_fail(p, bad->at, NULL, "%s(%g, %g) is %s", name, x, y, what)
                : hki_expr_fail(p, bad->at, NULL, "%g %s %g is %s", x, name, y, what);
  }
  return hki_expr_fail(p, bad->at, NULL, "the value of %s is %s", hki_expr_op_text(op), what);
}

#ifndef HK_FOLLOWED
static int compare_doubles(const void *a, const void *b) { return memcmp(a, b, sizeof(double)); }
#endif
static int compare_slots(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

/* sort and drop repetitions; returns how many are left */
static int32_t unique(void *items, int32_t n, size_t size,
                      int (*compare)(const void *, const void *)) {
  unsigned char *s = items;
  int32_t m = 0;
  if (n > 1) qsort(items, (size_t)n, size, compare);
  for (int32_t i = 0; i < n; i++) {
    if (m > 0 && compare(s + (size_t)(m - 1) * size, s + (size_t)i * size) == 0) continue;
    if (m != i) memcpy(s + (size_t)m * size, s + (size_t)i * size, size);
    m++;
  }
  return m;
}

/* Constants with the same bits share a register. Programs that are made of a model (docs/decisions/0115) may keep parameters as
 * variables: what has the same bits in the model has not with other values, so that there each constant has its own. */
static void share_constants(emitter *m, int32_t root) {
#ifdef HK_FOLLOWED
  (void)m, (void)root;
#else
  hk_expr_node *nodes = m->p->nodes;
  m->n_consts = unique(m->consts, m->n_consts, sizeof(double), compare_doubles);
  for (int32_t i = 0; i <= root; i++) {
    if (!nodes[i].live || nodes[i].op != OP_CONST) continue;
    const double *at =
        bsearch(&nodes[i].value, m->consts, (size_t)m->n_consts, sizeof(double), compare_doubles);
    nodes[i].reg = (int32_t)(at - m->consts);
  }
#endif
}

/* gather the leaves and give them their registers */
static hk_status place_leaves(emitter *m, int32_t root) {
  hk_expr_parser *p = m->p;
  for (int32_t i = 0; i <= root; i++) {
    hk_expr_node *n = &p->nodes[i];
    if (!n->live) continue;
    if (n->op == OP_INPUT) m->slots[m->n_inputs++] = n->slot;
    if (n->op == OP_CONST && !isfinite(n->value)) return fail_not_finite(p, i);
    if (n->op == OP_CONST) n->reg = m->n_consts, m->consts[m->n_consts++] = n->value;
  }
  share_constants(m, root);
  m->n_inputs = unique(m->slots, m->n_inputs, sizeof(int32_t), compare_slots);
  m->base = m->n_consts + m->n_inputs;
  for (int32_t i = 0; i <= root; i++) {
    hk_expr_node *n = &p->nodes[i];
    if (!n->live || n->op != OP_INPUT) continue;
    const int32_t *at =
        bsearch(&n->slot, m->slots, (size_t)m->n_inputs, sizeof(int32_t), compare_slots);
    n->reg = m->n_consts + (int32_t)(at - m->slots);
  }
  return HK_OK;
}

/* --- emitting --------------------------------------------------------------------------------- */

static int32_t put(emitter *m, hk_expr_op op, int32_t dst, int32_t a, int32_t b) {
  m->code[m->n_code] = (hk_expr_instr){(uint16_t)op, (uint16_t)dst, (uint16_t)a, (uint16_t)b};
  return m->n_code++;
}

static int32_t push(emitter *m) {
  int32_t reg = m->base + m->top++;
  if (m->top > m->n_top) m->n_top = m->top;
  return reg;
}

/* the switches of node i, with the instructions that compute it */
static void add_switches(emitter *m, int32_t i) {
  const hk_expr_node *n = &m->p->nodes[i];
  hk_expr_switch s[HKI_EXPR_SWITCHES];
  int32_t count = hki_expr_node_switches(m->p, i, s);
  if (count == 0) return;
  if (!HK_GROW(m->p->ctx, m->switches, m->cap_switches, m->n_switches + count)) {
    m->p->status = HK_E_MEMORY;
    return;
  }
  for (int32_t k = 0; k < count; k++) {
    s[k].last = m->n_code;
    s[k].reg = n->reg;
    if (s[k].first >= 0) s[k].first = n->first;
    m->switches[m->n_switches++] = s[k];
  }
}

/* take the pending operands of a node off the stack and give its value a register */
static void emit_operation(emitter *m, int32_t i) {
  hk_expr_parser *p = m->p;
  hk_expr_node *n = &p->nodes[i];
  int32_t r[5] = {0, 0, 0, 0, 0};
  n->first = m->n_code;
  for (int32_t k = 0; k < arg_count(n->op); k++) {
    const hk_expr_node *child = &p->nodes[n->arg[k]];
    r[k] = child->reg;
    if (HKI_EXPR_IS_LEAF(child->op)) continue;
    if (child->first < n->first) n->first = child->first;
    m->top--;
  }
  n->reg = push(m);
  if (n->op == OP_POWI) r[1] = n->arg[1] + HKI_EXPR_POWI_BIAS;
  put(m, n->op, n->reg, r[0], r[1]);
  if (n->op == OP_STEP5) put(m, OP_WORD, r[2], r[3], r[4]);
  add_switches(m, i);
}

/* the jumps of an `if`, right behind its condition and its first branch */
static void emit_role(emitter *m, int32_t i) {
  hk_expr_node *n = &m->p->nodes[i];
  bool leaf = HKI_EXPR_IS_LEAF(n->op);
  if (n->role == ROLE_OPERAND || n->parent < 0) return;
  hk_expr_node *parent = &m->p->nodes[n->parent];
  if (n->role == ROLE_CONDITION) {
    parent->first = leaf ? m->n_code : n->first;
    if (!leaf) m->top--;
    parent->jump = put(m, OP_JUMP_ZERO, 0, n->reg, 0);
    return;
  }
  // the value of either branch ends in the same register
  if (leaf) {
    int32_t reg = push(m);
    put(m, OP_MOVE, reg, n->reg, 0);
  }
  parent->reg = m->base + m->top - 1;
  if (n->role == ROLE_THEN) {
    m->top--;
    int32_t over = put(m, OP_JUMP, 0, 0, 0);
    m->code[parent->jump].b = (uint16_t)m->n_code;
    parent->jump = over;
  } else {
    m->code[parent->jump].b = (uint16_t)m->n_code;
  }
}

static void *pool_copy(hk_pool *pool, const void *from, int32_t n, size_t size) {
  void *to = hki_pool_alloc(pool, (size_t)(n > 0 ? n : 1) * size);
  if (to && n > 0) memcpy(to, from, (size_t)n * size);
  return to;
}

static hk_status finish(emitter *m, int32_t root, hk_pool *pool, hk_expr *e) {
  e->n_consts = m->n_consts;
  e->n_inputs = m->n_inputs;
  e->n_temps = m->n_top;
  e->n_code = m->n_code;
  e->n_switches = m->n_switches;
  e->result = m->p->nodes[root].reg;
  e->consts = pool_copy(pool, m->consts, m->n_consts, sizeof *m->consts);
  e->slots = pool_copy(pool, m->slots, m->n_inputs, sizeof *m->slots);
  e->code = pool_copy(pool, m->code, m->n_code, sizeof *m->code);
  e->switches = pool_copy(pool, m->switches, m->n_switches, sizeof *m->switches);
  return e->consts && e->slots && e->code && e->switches ? HK_OK : HK_E_MEMORY;
}

hk_status hki_expr_emit(hk_expr_parser *p, int32_t root, hk_pool *pool, hk_expr *e) {
  emitter m = {.p = p};
  size_t n = (size_t)mark_live(p, root);
  // one block: every node makes at most two instructions
  size_t each = sizeof(double) + sizeof(int32_t) + 2 * sizeof(hk_expr_instr);
  char *block = hki_alloc(p->ctx, n * each);
  if (!block) return p->status = HK_E_MEMORY;
  m.consts = (double *)(void *)block;
  m.code = (hk_expr_instr *)(void *)(m.consts + n);
  m.slots = (int32_t *)(void *)(m.code + 2 * n);

  hk_status status = place_leaves(&m, root);
  for (int32_t i = 0; status == HK_OK && i <= root; i++) {
    const hk_expr_node *node = &p->nodes[i];
    if (!node->live) continue;
    if (node->op == OP_IF) {
      // its code was emitted by emit_role
    } else if (!HKI_EXPR_IS_LEAF(node->op)) {
      emit_operation(&m, i);
    }
    emit_role(&m, i);
    status = p->status;
  }
  if (status == HK_OK && (m.base + m.n_top > HK_EXPR_MAX_FRAME || m.n_code > CODE_MAX)) {
    status = hki_expr_fail(p, 0, "split it into several signals, or use a table",
                           "the expression has %d constants, inputs and pending values; at "
                           "most %d are allowed",
                           (int)(m.base + m.n_top), HK_EXPR_MAX_FRAME);
  }
  if (status == HK_OK) status = p->status = finish(&m, root, pool, e);
  hki_free(p->ctx, m.switches);
  hki_free(p->ctx, block);
  return status;
}

/* --- from text to program --------------------------------------------------------------------- */

hk_status hki_expr_compile(hk_ctx *ctx, hk_pool *pool, const char *text, size_t len, hk_loc at,
                           const hk_expr_scope *scope, hk_expr **out) {
  hk_expr_parser p = {.ctx = ctx, .text = text, .loc = at, .scope = scope};
  *out = NULL;
  if (len > HK_EXPR_MAX_TEXT) {
    p.len = 32;
    return hki_expr_fail(&p, 0, "split it into several signals, or use a table",
                         "the expression has %zu characters; at most %d are allowed", len,
                         HK_EXPR_MAX_TEXT);
  }
  p.len = (int32_t)len;
  // no token makes more than one node, but names that are made periodic
  p.cap_nodes = (p.len + 1) * (scope && scope->wraps ? 7 : 1);
  p.nodes = hki_alloc(ctx, (size_t)p.cap_nodes * sizeof *p.nodes);
  if (!p.nodes) return HK_E_MEMORY;
  hk_expr *e = hki_pool_alloc(pool, sizeof *e);
  if (!e) {
    hki_free(ctx, p.nodes);
    return HK_E_MEMORY;
  }
  e->source = hki_pool_strndup(pool, text, len);
  int32_t root = e->source ? hki_expr_parse(&p) : -1;
  if (!e->source) p.status = HK_E_MEMORY;
  if (root >= 0 && p.faulty) p.status = HK_E_MODEL;
  if (root >= 0 && !p.faulty) hki_expr_emit(&p, root, pool, e);
  hki_free(ctx, p.nodes);
  if (p.status == HK_OK) *out = e;
  return p.status;
}

hk_expr *hki_expr_number(hk_pool *pool, double value) {
  hk_expr *e = hki_pool_alloc(pool, sizeof *e);
  if (!e) return NULL;
  *e = (hk_expr){.n_consts = 1};
  e->source = hki_pool_printf(pool, "%.17g", value);
  e->consts = pool_copy(pool, &value, 1, sizeof value);
  return e->source && e->consts ? e : NULL;
}

hk_expr *hki_expr_input(hk_pool *pool, int32_t slot, const char *name) {
  hk_expr *e = hki_pool_alloc(pool, sizeof *e);
  if (!e) return NULL;
  *e = (hk_expr){.n_inputs = 1};
  e->source = hki_pool_strdup(pool, name ? name : "");
  e->slots = pool_copy(pool, &slot, 1, sizeof slot);
  return e->source && e->slots ? e : NULL;
}

hk_status hki_expr_parse_number(hk_ctx *ctx, const char *text, size_t len, hk_loc at,
                                const hk_expr_scope *scope, double *out) {
  hk_pool *pool = hki_pool_create(ctx);
  hk_expr *e;
  if (!pool) return HK_E_MEMORY;
  hk_status status = hki_expr_compile(ctx, pool, text, len, at, scope, &e);
  if (status == HK_OK && !hki_expr_is_constant(e, out)) {
    status = hki_error(ctx, HK_E_MODEL, at, "only numbers and parameters can stand here",
                       "expected a constant, found an expression that varies in time");
  }
  hki_pool_destroy(pool);
  return status;
}

/* --- questions -------------------------------------------------------------------------------- */

const char *hki_expr_source(const hk_expr *e) { return e->source; }
int32_t hki_expr_input_count(const hk_expr *e) { return e->n_inputs; }
const int32_t *hki_expr_inputs(const hk_expr *e) { return e->slots; }

bool hki_expr_is_constant(const hk_expr *e, double *value) {
  if (e->n_inputs > 0) return false;
  if (value) *value = hki_expr_eval(e, NULL);
  return true;
}

bool hki_expr_depends_on(const hk_expr *e, int32_t slot) {
  for (int32_t i = 0; i < e->n_inputs; i++) {
    if (e->slots[i] == slot) return true;
  }
  return false;
}
