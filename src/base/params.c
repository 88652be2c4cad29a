/* SPDX-License-Identifier: Apache-2.0
 *
 * params.c: filling a parameter struct of a method from named values, by its table.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/params.h"

static void put_number(const hk_param *p, void *par, double x) {
  unsigned char *at = (unsigned char *)par + p->offset;
  if (p->type == HK_P_REAL)
    memcpy(at, &x, sizeof x);
  else {
    int32_t i = (int32_t)x; // whole numbers, choices and switches
    memcpy(at, &i, sizeof i);
  }
}

void hki_params_default(const hk_param *table, void *par) {
  for (const hk_param *p = table; p && p->type != HK_P_END; p++)
    if (!isnan(p->def)) put_number(p, par, p->def);
}

const hk_param *hki_params_find(const hk_param *table, const char *name) {
  for (const hk_param *p = table; p && p->type != HK_P_END; p++)
    if (!strcmp(p->name, name)) return p;
  return NULL;
}

static bool truth(const char *text, double *x) {
  static const char *const yes[] = {"on", "true", "yes", "1"}, *const no[] = {"off", "false", "no",
                                                                              "0"};
  for (int i = 0; i < 4; i++) {
    if (!strcmp(text, yes[i])) return *x = 1.0, true;
    if (!strcmp(text, no[i])) return *x = 0.0, true;
  }
  return false;
}

/* the number that a value means for this row's type; false with words in buf when it is not valid */
static bool value_of(const hk_param *p, hk_param_value value, double *x, char *buf, size_t cap) {
  const char *text = value.text;
  char *end = NULL, own[40];
  if (!text) {
    *x = value.number;
    if (p->type != HK_P_CHOICE && p->type != HK_P_BOOL && isfinite(*x)) return true;
    // choices and switches are words, some of which look like numbers
    snprintf(own, sizeof own, "%.17g", value.number);
    text = own;
  }
  if (p->type == HK_P_CHOICE) {
    *x = hki_word_find(p->choices, text);
    if (*x < 0.0) snprintf(buf, cap, "'%s' for %s is not one of: %s", text, p->name, p->choices);
    return *x >= 0.0;
  }
  if (p->type == HK_P_BOOL) {
    if (truth(text, x)) return true;
    snprintf(buf, cap, "'%s' for %s is neither on nor off", text, p->name);
    return false;
  }
  *x = strtod(text, &end);
  if (end == text || *end || !isfinite(*x)) {
    snprintf(buf, cap, "'%s' for %s is not a number", text, p->name);
    return false;
  }
  return true;
}

bool hki_params_set(const hk_param *table, void *par, const char *name, hk_param_value value,
                    uint64_t *given, char *buf, size_t cap) {
  const hk_param *p = hki_params_find(table, name);
  double x = 0.0;
  if (!p || !value_of(p, value, &x, buf, cap)) return false;
  if ((p->min != 0.0 || p->max != 0.0) && !(x >= p->min && x <= p->max)) {
    snprintf(buf, cap, "%s = %g is outside its range %g to %g", name, x, p->min, p->max);
    return false;
  }
  if (p->type == HK_P_INT && x != floor(x)) {
    snprintf(buf, cap, "%s = %g is not a whole number", name, x);
    return false;
  }
  put_number(p, par, x);
  *given |= 1ull << (p - table);
  return true;
}

void hki_params_json(const hk_param *p, const void *par, hk_text *out) {
  const unsigned char *at = (const unsigned char *)par + p->offset;
  double x = 0.0;
  int32_t i = 0;
  if (p->type == HK_P_REAL) {
    memcpy(&x, at, sizeof x);
    hki_text_number(out, x);
    return;
  }
  memcpy(&i, at, sizeof i);
  if (p->type == HK_P_INT) {
    hki_text_printf(out, "%d", (int)i);
  } else if (p->type == HK_P_BOOL) {
    hki_text_add(out, i ? "true" : "false");
  } else {
    int n;
    const char *c = hki_word(p->choices, i, &n);
    hki_text_add(out, "\"");
    hki_text_addn(out, c, (size_t)n);
    hki_text_add(out, "\"");
  }
}
