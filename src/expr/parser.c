/* SPDX-License-Identifier: Apache-2.0
 *
 * parser.c: precedence climbing (V. Pratt, Top down operator precedence, 1973). Each operator has
 * a left binding power; `parse_at(least)` reads one operand and then every operator that binds at
 * least as strongly. Nodes are folded as they are made, so nothing is walked afterwards.
 */
#include "expr/expr_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* binding powers, loosest first */
enum {
  BIND_OR = 1,
  BIND_AND,
  BIND_NOT,
  BIND_COMPARE,
  BIND_SUM,
  BIND_PRODUCT,
  BIND_SIGN,
  BIND_POWER
};

static int32_t parse_at(hk_expr_parser *p, int32_t least);

/* --- names ------------------------------------------------------------------------------------ */

/* hints for unknown names that people often try */
const char *hki_expr_name_hint(const char *name) {
  static const struct {
    const char *name, *hint;
  } known[] = {
      {"g", "for gravity write g0 or give a parameter g; for 0.001 kg write gram"},
      {"t", "time is not known here; for 1000 kg write tonne"},
      {"m", "lengths are in metres: leave the unit out, or write metre"},
      {"s", "times are in seconds: leave the unit out, or write second"},
      {"h", "write hour"},
      {"e", "write exp(1)"},
      {"PI", "write pi"},
      {"Pi", "write pi"},
      {"inf", "numbers must be finite"},
      {"nan", "numbers must be finite"},
      {"NaN", "numbers must be finite"},
      {"Inf", "numbers must be finite"},
      {"infinity", "numbers must be finite"},
  };
  for (int32_t i = 0; i < HK_ARRAY_LEN(known); i++) {
    if (strcmp(known[i].name, name) == 0) return known[i].hint;
  }
  return NULL;
}

static int32_t fail_name(hk_expr_parser *p, const char *name, const hk_expr_token *tok) {
  char hint[HKI_EXPR_NAME + 64], quoted[HKI_EXPR_QUOTE];
  const char *special = hki_expr_name_hint(name);
  int32_t f = hki_expr_function_find(name);
  hki_expr_quote(p, tok->at, tok->len, quoted);
  if (f >= 0) {
    snprintf(hint, sizeof hint, "write %s", hki_expr_function_info(f)->usage);
    hki_expr_fail(p, tok->at, hint, "%s is a function and needs its arguments", quoted);
    return -1;
  }
  hk_nearest near;
  hki_nearest_init(&near, name);
  if (p->scope && p->scope->suggest) p->scope->suggest(p->scope->user, &near);
  for (int32_t i = 0; i < hki_expr_constant_count(); i++) {
    if (hki_expr_constant_kind_of(i) != KIND_SHORT) {
      hki_nearest_try(&near, hki_expr_constant_info(i)->name);
    }
  }
  const char *best = special ? NULL : hki_nearest_result(&near);
  if (best) snprintf(hint, sizeof hint, "did you mean '%.*s'?", HKI_EXPR_NAME, best);
  hki_expr_fail(p, tok->at, special ? special : best ? hint : NULL, "unknown name %s", quoted);
  return -1;
}

/* an input, made periodic as its symbol says */
static int32_t make_input(hk_expr_parser *p, const hk_expr_symbol *sym, int32_t at) {
  int32_t x = hki_expr_make_input(p, sym->slot, at);
  if (!sym->wrap) return x;
  int32_t start = hki_expr_make_const(p, sym->wrap->start, at);
  x = hki_expr_make_binary(p, OP_SUB, x, start, at);
  int32_t period = hki_expr_make_const(p, sym->wrap->period, at);
  x = hki_expr_make_binary(p, OP_FMOD, x, period, at);
  start = hki_expr_make_const(p, sym->wrap->start, at);
  return hki_expr_make_binary(p, OP_ADD, x, start, at);
}

/* a name that is not followed by '(' */
static int32_t parse_name(hk_expr_parser *p, const char *name, hk_expr_token tok, bool after_unit) {
  hk_expr_symbol sym = {0};
  p->after_unit = false;
  if (p->scope && p->scope->resolve && p->scope->resolve(p->scope->user, name, &sym)) {
    p->faulty |= sym.faulty;
    if (sym.is_input) return make_input(p, &sym, tok.at);
    return hki_expr_make_const(p, sym.value, tok.at);
  }
  int32_t c = hki_expr_constant_find(name);
  if (c < 0) return fail_name(p, name, &tok);
  hk_expr_constant_kind kind = hki_expr_constant_kind_of(c);
  if (kind == KIND_SHORT && !after_unit) return fail_name(p, name, &tok);
  p->after_unit = kind != KIND_VALUE;
  return hki_expr_make_const(p, hki_expr_constant_info(c)->value, tok.at);
}

/* --- calls ------------------------------------------------------------------------------------ */

static bool expect_close(hk_expr_parser *p, int32_t opened) {
  char found[HKI_EXPR_QUOTE], hint[96];
  if (p->tok.kind == TOK_CLOSE) return hki_expr_next(p);
  hk_loc open = hki_expr_place(p, opened), here = hki_expr_place(p, p->tok.at);
  if (open.line <= 0) {
    snprintf(hint, sizeof hint, "the '(' at character %d is not closed", (int)opened + 1);
  } else if (open.line == here.line) {
    snprintf(hint, sizeof hint, "the '(' at column %d is not closed", (int)open.col);
  } else {
    snprintf(hint, sizeof hint, "the '(' at line %d, column %d is not closed", (int)open.line,
             (int)open.col);
  }
  hki_expr_fail(p, p->tok.at, hint, "expected ')', found %s", hki_expr_token_text(p, found));
  return false;
}

/* an unknown function: near ones, or a forgotten '*' behind a known name */
static int32_t fail_function(hk_expr_parser *p, const char *name, const hk_expr_token *tok) {
  char hint[HKI_EXPR_NAME + 64], quoted[HKI_EXPR_QUOTE];
  hk_expr_symbol sym;
  hk_nearest near;
  hki_expr_quote(p, tok->at, tok->len, quoted);
  bool known = hki_expr_constant_find(name) >= 0 ||
               (p->scope && p->scope->resolve && p->scope->resolve(p->scope->user, name, &sym));
  if (known) {
    snprintf(hint, sizeof hint, "to multiply, write %s*(...)", name);
    hki_expr_fail(p, tok->at, hint, "%s is not a function", quoted);
    return -1;
  }
  hki_nearest_init(&near, name);
  for (int32_t i = 0; i < hki_expr_function_count(); i++) {
    hki_nearest_try(&near, hki_expr_function_info(i)->name);
  }
  const char *best = hki_nearest_result(&near);
  if (strcmp(name, "ln") == 0) best = "log";
  if (best) snprintf(hint, sizeof hint, "did you mean '%s'?", best);
  hki_expr_fail(p, tok->at, best ? hint : "'hooke list functions' shows what there is",
                "unknown function %s", quoted);
  return -1;
}

static int32_t fail_count(hk_expr_parser *p, int32_t f, int32_t at, int32_t found) {
  const hk_expr_function_rule *rule = hki_expr_function_rule_of(f);
  const hk_expr_function *info = hki_expr_function_info(f);
  char hint[160], expected[48];
  snprintf(hint, sizeof hint, "write %s", info->usage);
  if (rule->op == OP_STEP) {
    snprintf(expected, sizeof expected, "1 or 5 arguments");
  } else if (rule->most < 0) {
    snprintf(expected, sizeof expected, "%d or more arguments", (int)rule->least);
  } else {
    snprintf(expected, sizeof expected, "%d argument%s", (int)rule->least,
             rule->least == 1 ? "" : "s");
  }
  hki_expr_fail(p, at, hint, "%s() takes %s, found %d", info->name, expected, (int)found);
  return -1;
}

/* the node of a call whose arguments are read; for min, max and clamp args[0] is the result */
static int32_t make_call(hk_expr_parser *p, hk_expr_op op, int32_t n, const int32_t args[5],
                         int32_t at) {
  if (op == OP_MIN || op == OP_MAX || op == OP_CLAMP) return args[0];
  if (op == OP_IF) return hki_expr_make_if(p, args[0], args[1], args[2], at);
  if (op == OP_STEP && n == 5) return hki_expr_make_step5(p, args, at);
  if (n == 2) return hki_expr_make_binary(p, op, args[0], args[1], at);
  return hki_expr_make_unary(p, op, args[0], at);
}

static int32_t parse_call(hk_expr_parser *p, const char *name, hk_expr_token tok) {
  char found[HKI_EXPR_QUOTE];
  int32_t f = hki_expr_function_find(name), args[5] = {-1, -1, -1, -1, -1}, n = 0;
  int32_t opened = p->tok.at;
  if (f < 0) return fail_function(p, name, &tok);
  const hk_expr_function_rule *rule = hki_expr_function_rule_of(f);
  if (!hki_expr_next(p)) return -1;
  while (p->tok.kind != TOK_CLOSE || n > 0) {
    int32_t arg = parse_at(p, BIND_OR);
    if (arg < 0) return -1;
    // min, max and clamp combine each argument with args[0]; other functions collect them
    if (n > 0 && (rule->op == OP_MIN || rule->op == OP_MAX)) {
      args[0] = hki_expr_make_binary(p, rule->op, args[0], arg, tok.at);
    } else if (n > 0 && rule->op == OP_CLAMP && n < 3) {
      args[0] = hki_expr_make_binary(p, n == 1 ? OP_MAX : OP_MIN, args[0], arg, tok.at);
    } else if (n < 5) {
      args[n] = arg;
    }
    n++;
    if (p->status != HK_OK) return -1;
    if (p->tok.kind != TOK_COMMA) break;
    if (!hki_expr_next(p)) return -1;
  }
  if (p->tok.kind != TOK_CLOSE && p->tok.kind != TOK_END) {
    hki_expr_fail(p, p->tok.at, NULL, "expected ',' or ')', found %s",
                  hki_expr_token_text(p, found));
    return -1;
  }
  if (!expect_close(p, opened)) return -1;
  bool wrong = n < rule->least || (rule->most >= 0 && n > rule->most);
  if (wrong || (rule->op == OP_STEP && n != 1 && n != 5)) return fail_count(p, f, tok.at, n);
  p->after_unit = false;
  return make_call(p, rule->op, n, args, tok.at);
}

/* --- components of lists ---------------------------------------------------------------------- */

/* name[k], where k is known now: the same as the name "name.k" */
static int32_t parse_component(hk_expr_parser *p, char *name, hk_expr_token tok) {
  char found[HKI_EXPR_QUOTE];
  const int32_t at = p->tok.at;
  p->indexed++;
  if (!hki_expr_next(p)) return -1;
  const int32_t k = parse_at(p, BIND_OR);
  if (k < 0) return -1;
  if (p->tok.kind != TOK_INDEX_END) {
    hki_expr_fail(p, p->tok.at, NULL, "expected ']', found %s", hki_expr_token_text(p, found));
    return -1;
  }
  const double x = p->nodes[k].op == OP_CONST ? p->nodes[k].value : 0.0;
  if (x != floor(x) || x < 1.0 || x > 1e6) {
    hki_expr_fail(p, at + 1, "components count from 1",
                  "the number of a component must be a constant whole number");
    return -1;
  }
  const size_t n = strlen(name);
  if (n + 10 > HKI_EXPR_NAME) {
    hki_expr_fail(p, tok.at, NULL, "the name is too long");
    return -1;
  }
  snprintf(name + n, HKI_EXPR_NAME - n, ".%d", (int)x);
  tok.len = p->pos - tok.at;
  p->indexed--;
  if (!hki_expr_next(p)) return -1;
  return parse_name(p, name, tok, false);
}

/* --- operands --------------------------------------------------------------------------------- */

static int32_t parse_identifier(hk_expr_parser *p, bool after_unit) {
  char name[HKI_EXPR_NAME];
  hk_expr_token tok = p->tok;
  if (tok.len >= HKI_EXPR_NAME) {
    hki_expr_fail(p, tok.at, NULL, "a name of %d characters; at most %d are allowed", (int)tok.len,
                  HKI_EXPR_NAME - 1);
    return -1;
  }
  memcpy(name, p->text + tok.at, (size_t)tok.len);
  name[tok.len] = '\0';
  if (!hki_expr_next(p)) return -1;
  if (p->tok.kind == TOK_OPEN) return parse_call(p, name, tok);
  if (p->tok.kind == TOK_INDEX) return parse_component(p, name, tok);
  return parse_name(p, name, tok, after_unit);
}

/* a number, a name, a call, a bracket, or a sign before one of them */
static int32_t parse_operand(hk_expr_parser *p) {
  char found[HKI_EXPR_QUOTE];
  hk_expr_token tok = p->tok;
  int32_t a;
  // m and s may stand right behind a unit, also across a bracket: kN/(m*s)
  bool after_unit = p->unit_allowed;
  p->unit_allowed = after_unit && tok.kind == TOK_OPEN;
  switch (tok.kind) {
    case TOK_NUMBER:
      if (!hki_expr_next(p)) return -1;
      p->after_unit = false;
      return hki_expr_make_const(p, tok.value, tok.at);
    case TOK_NAME:
      return parse_identifier(p, after_unit);
    case TOK_OPEN:
      if (!hki_expr_next(p)) return -1;
      a = parse_at(p, BIND_OR);
      if (a < 0 || !expect_close(p, tok.at)) return -1;
      p->after_unit = false;
      return a;
    case TOK_NOT:
      if (!hki_expr_next(p)) return -1;
      a = parse_at(p, BIND_NOT);
      return hki_expr_make_unary(p, OP_NOT, a, tok.at);
    case TOK_OP:
      if (tok.op != OP_ADD && tok.op != OP_SUB) break;
      if (!hki_expr_next(p)) return -1;
      a = parse_at(p, BIND_SIGN);
      return tok.op == OP_SUB ? hki_expr_make_unary(p, OP_NEG, a, tok.at) : a;
    default:
      break;
  }
  hki_expr_fail(p, tok.at, NULL, "expected a number, a name or '(', found %s",
                hki_expr_token_text(p, found));
  return -1;
}

/* --- operators -------------------------------------------------------------------------------- */

/* left binding power of the next token, 0 when it is not an operator */
static int32_t binding(const hk_expr_token *tok) {
  if (tok->kind == TOK_OR) return BIND_OR;
  if (tok->kind == TOK_AND) return BIND_AND;
  if (tok->kind != TOK_OP) return 0;
  switch (tok->op) {
    case OP_ADD:
    case OP_SUB:
      return BIND_SUM;
    case OP_MUL:
    case OP_DIV:
      return BIND_PRODUCT;
    case OP_POW:
      return BIND_POWER;
    default:
      return BIND_COMPARE;
  }
}

static int32_t parse_at(hk_expr_parser *p, int32_t least) {
  if (++p->depth > HK_EXPR_MAX_DEPTH) {
    hki_expr_fail(p, p->tok.at, "split it into several signals or parameters",
                  "the expression is nested more than %d deep", HK_EXPR_MAX_DEPTH);
    return -1;
  }
  int32_t left = parse_operand(p);
  while (left >= 0) {
    hk_expr_token tok = p->tok;
    int32_t power = binding(&tok);
    if (power == 0 || power < least) break;
    if (!hki_expr_next(p)) return -1;
    // powers group to the right and take a signed exponent: 2^-3^2
    bool unit = p->after_unit;
    p->unit_allowed = unit && power == BIND_PRODUCT;
    int32_t right = parse_at(p, power == BIND_POWER ? BIND_SIGN : power + 1);
    p->unit_allowed = false;
    if (power == BIND_POWER) p->after_unit = unit;
    if (right < 0) return -1;
    left = hki_expr_make_binary(p, tok.op, left, right, tok.at);
    if (power == BIND_COMPARE && binding(&p->tok) == BIND_COMPARE) {
      hki_expr_fail(p, p->tok.at, "write a < b and b < c", "comparisons cannot be chained");
      return -1;
    }
  }
  p->depth--;
  return left;
}

int32_t hki_expr_parse(hk_expr_parser *p) {
  char found[HKI_EXPR_QUOTE];
  if (!hki_expr_next(p)) return -1;
  if (p->tok.kind == TOK_END) {
    hki_expr_fail(p, 0, "write a number or something like 2*L", "the expression is empty");
    return -1;
  }
  int32_t root = parse_at(p, BIND_OR);
  if (root < 0) return -1;
  if (p->tok.kind == TOK_END) return root;
  const char *hint = p->tok.kind == TOK_CLOSE   ? "there is no '(' for it"
                     : p->tok.kind == TOK_COMMA ? "decimals are written with a point"
                                                : "to multiply, write '*' between the factors";
  hki_expr_fail(p, p->tok.at, hint, "expected an operator or the end, found %s",
                hki_expr_token_text(p, found));
  return -1;
}
