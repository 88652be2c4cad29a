/* SPDX-License-Identifier: Apache-2.0
 *
 * units.c: see units.h. The program of an expression is followed once, with units in the place of
 * numbers:
 *
 *   sums, differences, min, max     the unit of both, which must be the same
 *   comparisons                     the same must hold
 *   products, quotients, powers     exponents add
 *
 * Whatever is multiplied by a number has an unknown unit, since the number may have one. Branches of
 * `if` and functions of other kinds end in the unknown.
 */
#include "expr/units.h"

#include <stdio.h>
#include <string.h>

#include "expr/expr_impl.h"

/* --- words ------------------------------------------------------------------------------------ */

typedef struct word {
  const char *name;
  int8_t power[HK_UNIT_BASES];
} word;

/* the units of channels and keys; for a name, the first with the exponents is taken */
static const word words[] = {
    {"m", {1}},
    {"kg", {0, 1}},
    {"s", {0, 0, 1}},
    {"A", {0, 0, 0, 1}},
    {"K", {0, 0, 0, 0, 1}},
    {"rad", {0}},
    {"N", {1, 1, -2}},
    {"J", {2, 1, -2}},
    {"W", {2, 1, -3}},
    {"V", {2, 1, -3, -1}},
    {"Pa", {-1, 1, -2}},
};
static const char *const bases[HK_UNIT_BASES] = {"m", "kg", "s", "A", "K"};

static const word *find_word(const char *name, size_t n) {
  for (int32_t i = 0; i < HK_ARRAY_LEN(words); i++)
    if (strlen(words[i].name) == n && memcmp(words[i].name, name, n) == 0) return &words[i];
  return NULL;
}

hk_unit hki_unit_parse(const char *text) {
  hk_unit u = {.kind = HK_UNIT_KNOWN};
  const hk_unit unknown = {0};
  int sign = 1;
  if (!text || !*text || strcmp(text, "1") == 0) return unknown;
  for (const char *c = text; *c;) {
    const size_t n = strcspn(c, "*/^");
    const word *w = find_word(c, n);
    int power = 1;
    if (!w && !(n == 1 && *c == '1')) return unknown;
    c += n;
    if (*c == '^') {
      power = c[1] - '0';
      if (power < 1 || power > 9) return unknown;
      c += 2;
    }
    for (int i = 0; w && i < HK_UNIT_BASES; i++) u.power[i] += (int8_t)(sign * power * w->power[i]);
    if (*c && *c != '*' && *c != '/') return unknown;
    if (*c == '/') sign = -1;
    if (*c) c++;
  }
  return u;
}

bool hki_unit_same(const hk_unit *a, const hk_unit *b) {
  return memcmp(a->power, b->power, sizeof a->power) == 0;
}

void hki_unit_text(const hk_unit *u, char *buf, size_t cap) {
  int n = 0;
  if (cap) buf[0] = '\0';
  for (int32_t i = 0; i < HK_ARRAY_LEN(words); i++)
    if (memcmp(words[i].power, u->power, sizeof u->power) == 0) {
      snprintf(buf, cap, "%s", words[i].name);
      return;
    }
  for (int i = 0; i < HK_UNIT_BASES && n >= 0 && (size_t)n < cap; i++) {
    if (!u->power[i]) continue;
    n += snprintf(buf + n, cap - (size_t)n, u->power[i] == 1 ? "%s%s" : "%s%s^%d", n ? "*" : "",
                  bases[i], u->power[i]);
  }
}

/* --- operations ------------------------------------------------------------------------------- */

static const hk_unit unknown = {0};

/* two values that are added or compared; false: their units differ */
static bool join(const hk_unit *a, const hk_unit *b, hk_unit *out) {
  *out = unknown;
  if (a->kind == HK_UNIT_KNOWN && b->kind == HK_UNIT_KNOWN) {
    *out = *a;
    return hki_unit_same(a, b);
  }
  if (a->kind == HK_UNIT_UNKNOWN || b->kind == HK_UNIT_UNKNOWN) return true;
  *out = a->kind == HK_UNIT_KNOWN ? *a : *b;
  return true;
}

/* a product, or (sign -1) a quotient */
static hk_unit multiply(const hk_unit *a, const hk_unit *b, int sign) {
  hk_unit u = *a;
  if (a->kind != b->kind || a->kind == HK_UNIT_UNKNOWN) return unknown;
  for (int i = 0; i < HK_UNIT_BASES; i++) u.power[i] += (int8_t)(sign * b->power[i]);
  return u;
}

static hk_unit power_of(const hk_unit *a, int n) {
  hk_unit u = *a;
  if (n > 4 || n < -4) return unknown;
  for (int i = 0; i < HK_UNIT_BASES; i++) u.power[i] = (int8_t)(n * u.power[i]);
  return u;
}

static bool binary(hk_expr_op op, const hk_unit *a, const hk_unit *b, hk_unit *out) {
  switch (op) {
    case OP_ADD:
    case OP_SUB:
    case OP_MIN:
    case OP_MAX:
    case OP_HYPOT:
      return join(a, b, out);
    case OP_LT:
    case OP_LE:
    case OP_GT:
    case OP_GE: {
      const bool fits = join(a, b, out);
      *out = unknown;
      return fits;
    }
    case OP_MUL:
      *out = multiply(a, b, 1);
      return true;
    case OP_DIV:
      *out = multiply(a, b, -1);
      return true;
    default:
      *out = unknown;
      return true;
  }
}

static hk_unit unary(hk_expr_op op, const hk_unit *a, int n) {
  switch (op) {
    case OP_NEG:
    case OP_ABS:
    case OP_RAMP:
      return *a;
    case OP_SQUARE:
      return power_of(a, 2);
    case OP_POWI:
      return power_of(a, n);
    default:
      return unknown;
  }
}

/* the program on registers r; false: a clash */
static bool follow(const hk_expr *e, hk_unit *r, hk_unit clash[2]) {
  for (int32_t k = 0; k < e->n_code; k++) {
    const hk_expr_instr *i = &e->code[k];
    const hk_expr_op op = (hk_expr_op)i->op;
    if (HKI_EXPR_IS_BINARY(op)) {
      const hk_unit a = r[i->a], b = r[i->b];
      if (!binary(op, &a, &b, &r[i->dst])) {
        clash[0] = a, clash[1] = b;
        return false;
      }
    } else if (HKI_EXPR_IS_UNARY(op)) {
      r[i->dst] = unary(op, &r[i->a], (int)i->b - HKI_EXPR_POWI_BIAS);
    } else if (op == OP_MOVE || op == OP_STEP5) {
      r[i->dst] = unknown;
    }
  }
  return true;
}

HKI_EXPR_APART static bool follow_all(const hk_expr *e, const hk_unit *inputs, hk_unit *out,
                                      hk_unit clash[2]) {
  hk_unit r[HK_EXPR_MAX_FRAME];
  for (int32_t i = 0; i < e->n_consts; i++) r[i] = (hk_unit){.kind = HK_UNIT_NUMBER};
  for (int32_t i = 0; i < e->n_inputs; i++) r[e->n_consts + i] = inputs[e->slots[i]];
  for (int32_t i = 0; i < e->n_temps; i++) r[e->n_consts + e->n_inputs + i] = unknown;
  const bool fits = follow(e, r, clash);
  *out = fits ? r[e->result] : unknown;
  return fits;
}

bool hki_expr_unit(const hk_expr *e, const hk_unit *inputs, hk_unit *out, hk_unit clash[2]) {
  return follow_all(e, inputs, out, clash);
}
