/* SPDX-License-Identifier: Apache-2.0
 *
 * tables.c: the functions and constants of the expression language, from their two lists.
 */
#include "expr/expr_impl.h"

#include <string.h>

static const hk_expr_function function_infos[] = {
#define X(name, op, least, most, usage, text) {name, usage, text},
#include "expr/functions.def"
#undef X
};

static const hk_expr_function_rule function_rules[] = {
#define X(name, op, least, most, usage, text) {OP_##op, least, most},
#include "expr/functions.def"
#undef X
};

static const hk_expr_constant constant_infos[] = {
#define X(name, kind, value, text) {name, value, text},
#include "expr/constants.def"
#undef X
};

static const hk_expr_constant_kind constant_kinds[] = {
#define X(name, kind, value, text) KIND_##kind,
#include "expr/constants.def"
#undef X
};

int32_t hki_expr_constant_count(void) { return HK_ARRAY_LEN(constant_infos); }
int32_t hki_expr_function_count(void) { return HK_ARRAY_LEN(function_infos); }

const hk_expr_constant *hki_expr_constant_info(int32_t i) {
  return i >= 0 && i < HK_ARRAY_LEN(constant_infos) ? &constant_infos[i] : NULL;
}

const hk_expr_function *hki_expr_function_info(int32_t i) {
  return i >= 0 && i < HK_ARRAY_LEN(function_infos) ? &function_infos[i] : NULL;
}

const hk_expr_function_rule *hki_expr_function_rule_of(int32_t i) { return &function_rules[i]; }

hk_expr_constant_kind hki_expr_constant_kind_of(int32_t i) { return constant_kinds[i]; }

int32_t hki_expr_function_find(const char *name) {
  for (int32_t i = 0; i < HK_ARRAY_LEN(function_infos); i++) {
    if (strcmp(function_infos[i].name, name) == 0) return i;
  }
  return -1;
}

int32_t hki_expr_constant_find(const char *name) {
  for (int32_t i = 0; i < HK_ARRAY_LEN(constant_infos); i++) {
    if (strcmp(constant_infos[i].name, name) == 0) return i;
  }
  return -1;
}

const char *hki_expr_op_text(hk_expr_op op) {
  switch (op) {
    case OP_ADD:
      return "+";
    case OP_SUB:
      return "-";
    case OP_MUL:
      return "*";
    case OP_DIV:
      return "/";
    case OP_POW:
      return "^";
    case OP_STEP5:
      return "step";
    default:
      break;
  }
  for (int32_t i = 0; i < HK_ARRAY_LEN(function_rules); i++) {
    if (function_rules[i].op == op) return function_infos[i].name;
  }
  return "?";
}
