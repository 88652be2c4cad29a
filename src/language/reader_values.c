/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_values.c: what a model file writes once and means elsewhere. Before an item is read, its
 * mapping is looked through for two things, which are replaced wherever they stand:
 *
 *   name           the plain (unquoted) name of a parameter that is a list or a text: its value
 *   "rod_{i - 1}"  an expression in braces inside a text: its value, a whole number or a text;
 *                  {{ and }} are braces
 *
 * What needs no replacement is not copied. Sizes and depth are those of the file, which YAML's
 * limits bound. Then values of the kinds that tables of keys know: numbers within limits, words of a
 * choice, texts.
 */
#include "language/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* a copy of a node at the place where it is used */
static hk_node *copy_at(hk_reader *rd, const hk_node *node, hk_loc loc) {
  hk_node *copy = hki_pool_alloc(rd->pool, sizeof *copy);
  if (!copy) return NULL;
  *copy = *node;
  copy->loc = loc;
  return copy;
}

hk_node *hki_rd_scalar(hk_reader *rd, const char *text, size_t len, hk_loc loc) {
  const hk_node node = {.kind = HK_NODE_SCALAR, .quoted = true, .len = (int32_t)len};
  hk_node *n = copy_at(rd, &node, loc);
  if (n) n->text = hki_pool_strndup(rd->pool, text, len);
  return n && n->text ? n : NULL;
}

/* --- texts with braces ------------------------------------------------------------------------ */

/* the value of the expression between two braces, at `at` of a node's text */
static bool add_value(hk_reader *rd, hk_rd_scope *s, const hk_node *node, size_t at, size_t len,
                      hk_text *out) {
  hk_node *inner = hki_rd_scalar(rd, node->text + at, len, hki_node_text_loc(node, (int32_t)at));
  double x = 0.0;
  if (!inner) return false;
  inner->quoted = false;
  inner->verbatim = node->verbatim;
  const hk_rd_item *p = hki_rd_param_find(rd, s, inner->text);
  if (p && p->state == HK_RD_DONE && p->kind == HK_RD_TEXT) {
    hki_text_add(out, p->literal->text);
    return true;
  }
  if (!hki_rd_number(rd, s, inner, "{..}", &x)) return false;
  if (x != floor(x) || fabs(x) > 1e9) {
    hki_rd_error(rd, inner->loc, "for example \"rod_{i - 1}\"",
                 "'{%.60s}' in a text must be a whole number or a text, found %g", inner->text, x);
    return false;
  }
  hki_text_printf(out, "%.0f", x);
  return true;
}

hk_node *hki_rd_expand(hk_reader *rd, hk_rd_scope *s, const hk_node *node) {
  hk_text out;
  hk_node *made = NULL;
  bool ok = true;
  const char *t = node->text;
  hki_text_init(&out, rd->ctx);
  for (size_t i = 0, n = (size_t)node->len; ok && i < n; i++) {
    if (t[i] != '{' && t[i] != '}') {
      hki_text_addn(&out, t + i, 1);
    } else if (t[i + 1] == t[i]) {
      hki_text_addn(&out, t + i++, 1);
    } else {
      const char *close = t[i] == '{' ? strchr(t + i, '}') : NULL;
      if (!close) {
        hki_rd_error(rd, hki_node_text_loc(node, (int32_t)i), "write {{ or }} for a brace itself",
                     t[i] == '{' ? "this '{' is not closed" : "there is no '{' for this '}'");
        ok = false;
        break;
      }
      const size_t at = i + 1, len = (size_t)(close - t) - at;
      ok = add_value(rd, s, node, at, len, &out);
      i = at + len;
    }
  }
  if (ok) made = hki_rd_scalar(rd, out.s ? out.s : "", out.len, node->loc);
  if (made) made->quoted = node->quoted;
  hki_text_free(&out);
  return made;
}

/* --- mappings and lists ----------------------------------------------------------------------- */

static bool has_brace(const hk_node *node) { return memchr(node->text, '{', (size_t)node->len); }

static hk_node *resolve_scalar(hk_reader *rd, hk_rd_scope *s, hk_node *node) {
  if (has_brace(node)) {
    hk_node *text = hki_rd_expand(rd, s, node);
    return text ? text : node;
  }
  if (node->quoted || !rd->nliterals) return node;
  const hk_rd_item *p = hki_rd_param_find(rd, s, node->text);
  if (!p || !p->literal) return node;
  hk_node *value = copy_at(rd, p->literal, node->loc);
  return value ? value : node;
}

static hk_node *resolve_list(hk_reader *rd, hk_rd_scope *s, hk_node *node) {
  hk_node *copy = node;
  for (int32_t i = 0; i < node->count; i++) {
    hk_node *v = hki_rd_resolve(rd, s, node->items[i]);
    if (v == node->items[i]) continue;
    if (copy == node) {
      hk_node **items = hki_pool_alloc(rd->pool, (size_t)node->count * sizeof *items);
      copy = items ? copy_at(rd, node, node->loc) : NULL;
      if (!copy) return node;
      memcpy(items, node->items, (size_t)node->count * sizeof *items);
      copy->items = items;
    }
    copy->items[i] = v;
  }
  return copy;
}

static hk_node *resolve_map(hk_reader *rd, hk_rd_scope *s, hk_node *node) {
  hk_node *copy = node;
  for (int32_t i = 0; i < node->count; i++) {
    if (hki_rd_is_private(node->entries[i].key)) continue;
    hk_node *v = hki_rd_resolve(rd, s, node->entries[i].value);
    if (v == node->entries[i].value) continue;
    if (copy == node) {
      // the keys stay, so that the table of a large mapping holds for the copy too
      hk_entry *entries = hki_pool_alloc(rd->pool, (size_t)node->count * sizeof *entries);
      copy = entries ? copy_at(rd, node, node->loc) : NULL;
      if (!copy) return node;
      memcpy(entries, node->entries, (size_t)node->count * sizeof *entries);
      copy->entries = entries;
    }
    copy->entries[i].value = v;
  }
  return copy;
}

hk_node *hki_rd_resolve(hk_reader *rd, hk_rd_scope *s, hk_node *node) {
  switch (node->kind) {
    case HK_NODE_SCALAR:
      return resolve_scalar(rd, s, node);
    case HK_NODE_SEQUENCE:
      return resolve_list(rd, s, node);
    case HK_NODE_MAPPING:
      return resolve_map(rd, s, node);
    default:
      return node;
  }
}

/* --- values by their tables ------------------------------------------------------------------- */

bool hki_rd_ranged(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const hk_param *row,
                   double *out) {
  if (!hki_rd_number(rd, s, node, row->name, out)) return false;
  double x = *out;
  if ((row->flags & HK_P_POSITIVE) && x <= 0.0) {
    hki_rd_error(rd, node->loc, NULL, "'%s' must be positive, found %g", row->name, x);
    return false;
  }
  if ((row->flags & HK_P_NONNEGATIVE) && x < 0.0) {
    hki_rd_error(rd, node->loc, NULL, "'%s' must not be negative, found %g", row->name, x);
    return false;
  }
  if ((row->min != 0.0 || row->max != 0.0) && (x < row->min || x > row->max)) {
    hki_rd_error(rd, node->loc, NULL, "'%s' must be between %g and %g, found %g", row->name,
                 row->min, row->max, x);
    return false;
  }
  return true;
}

bool hki_rd_bool(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what, bool *out) {
  char found[64];
  double x;
  *out = false;
  if (hki_node_bool(node, out)) return true;
  /* an expression over parameters is accepted too: `active: with_stop > 0` */
  const char *text = hki_node_text(node);
  bool name = text && text[strspn(text, "abcdefghijklmnopqrstuvwxyz")] == '\0' &&
              !hki_rd_param_find(rd, s, text);
  if (text && !node->quoted && !name) {
    if (!hki_rd_number(rd, s, node, what, &x)) return false;
    *out = x != 0.0;
    return true;
  }
  hki_rd_error(rd, node->loc, NULL, "'%s' must be on or off, true or false, found %s", what,
               hki_node_describe(node, found, sizeof found));
  return false;
}

bool hki_rd_choice(hk_reader *rd, const hk_node *node, const char *what, const char *choices,
                   int32_t *out) {
  char found[64], hint[200];
  const char *text = hki_node_text(node);
  *out = text ? hki_word_find(choices, text) : -1;
  if (*out >= 0) return true;
  snprintf(hint, sizeof hint, "choose one of: %s", choices ? choices : "");
  if (text) {
    hk_nearest near;
    int n;
    hki_nearest_init(&near, text);
    for (int32_t k = 0; choices = hki_word(choices, k ? 1 : 0, &n), n > 0; k++)
      hki_nearest_try(&near, hki_pool_strndup(rd->pool, choices, (size_t)n));
    hki_rd_did_you_mean(&near, hint, sizeof hint);
  }
  hki_rd_error(rd, node->loc, hint, "'%s' cannot be %s", what,
               hki_node_describe(node, found, sizeof found));
  *out = 0;
  return false;
}

const char *hki_rd_text(hk_reader *rd, const hk_node *node, const char *what) {
  char found[64];
  if (hki_node_text(node)) return hki_pool_strdup(rd->spec->pool, node->text);
  hki_rd_error(rd, node->loc, NULL, "'%s' must be a text, found %s", what,
               hki_node_describe(node, found, sizeof found));
  return NULL;
}

/* --- rows whose type says what they hold ------------------------------------------------------ */

bool hki_rd_plain(hk_reader *rd, hk_rd_scope *s, const hk_node *v, const hk_param *p, void *at) {
  double x = 0.0;
  bool flag = false;
  switch (p->type) {
    case HK_P_REAL:
      return hki_rd_ranged(rd, s, v, p, at);
    case HK_P_INT:
      if (!hki_rd_ranged(rd, s, v, p, &x)) return false;
      if (x != floor(x) || fabs(x) > 1e9) {
        hki_rd_error(rd, v->loc, NULL, "'%s' must be a whole number, found %g", p->name, x);
        return false;
      }
      *(int32_t *)at = (int32_t)x;
      return true;
    case HK_P_BOOL:
      if (!hki_rd_bool(rd, s, v, p->name, &flag)) return false;
      *(bool *)at = flag;
      return true;
    case HK_P_CHOICE:
      return hki_rd_choice(rd, v, p->name, p->choices, at);
    default:
      *(const char **)at = hki_rd_text(rd, v, p->name);
      return *(const char **)at != NULL;
  }
}

void hki_rd_plain_default(const hk_param *p, void *at) {
  if (p->type == HK_P_REAL) *(double *)at = p->def;
  if (isnan(p->def)) return;
  if (p->type == HK_P_INT || p->type == HK_P_CHOICE) *(int32_t *)at = (int32_t)p->def;
  if (p->type == HK_P_BOOL) *(bool *)at = p->def != 0.0;
}

void hki_node_place(hk_node *node, hk_loc loc) {
  node->loc = loc;
  node->verbatim = false;
  for (int32_t i = 0; node->kind == HK_NODE_SEQUENCE && i < node->count; i++)
    hki_node_place(node->items[i], loc);
  for (int32_t i = 0; node->kind == HK_NODE_MAPPING && i < node->count; i++) {
    node->entries[i].key_loc = loc;
    hki_node_place(node->entries[i].value, loc);
  }
}
