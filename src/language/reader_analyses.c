/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_analyses.c: the sections of analyses, `modes: {at: equilibrium, number: 6}`: one for each verb that
 * takes one. A key says the same as the verb's option of that name (lists have a plural), and is kept
 * as the text that the option would have; so the command line and programs know one way of writing
 * a value. Rows of the type HK_P_ANY are read elsewhere.
 */
#include "language/reader.h"

#include <math.h>
#include <string.h>

#include "language/rows.h"

/* clang-format off */
const hk_param hki_keys_modes[] = {
    {"at", HK_P_REAL, HK_P_NONNEGATIVE, HK_P_HAND, NAN, 0, 0, "s", "start equilibrium steady", "the state: start, equilibrium, steady, or a time to which the model is simulated; left out: start"},
    {"number", HK_P_INT, HK_P_POSITIVE, HK_P_HAND, NAN, 0, 0, "", NULL, "how many modes to show, the slowest; left out: all"},
    {"near", HK_P_REAL, HK_P_POSITIVE, HK_P_HAND, NAN, 0, 0, "Hz", NULL, "a frequency: the modes nearest to it; left out: all"},
    ROW("between", HK_P_REALS, 0, "[low, high]: frequencies in Hz of the modes to show, and of frequency responses"),
    ROW("inputs", HK_P_TEXTS, 0, "inputs of the linear equations; left out: all of the model"),
    ROW("channels", HK_P_TEXTS, 0, "outputs of the linear equations: names of channels, with * and ?"),
    ROW("period", HK_P_TEXT, 0, "Floquet multipliers of a motion that repeats itself after this time in s, or after a turn of this joint"),
    ROW("multiblade", HK_P_TEXTS, 0, "sets of like blades, a joint each, that turn with a shaft: 'SHAFT:JOINT,JOINT,..'"),
    ROW("frame", HK_P_TEXT, 0, "a joint: what carries it is seen from axes that turn with it"),
    ROW("vary", HK_P_VALUES, 0, "parameters that vary, for root loci: {v: 0:10:41, k: [1, 2, 5]}"),
    HK_PARAM_END};
const hk_param hki_keys_statics[] = {
    ROW("load", HK_P_TEXT, 0, "the input that is the load of a path; forces or prescribed positions follow it"),
    ROW("from", HK_P_REAL, 0, "the first load; left out: the input's own value"),
    ROW("to", HK_P_REAL, 0, "the last load; left out: 1"),
    {"points", HK_P_INT, HK_P_POSITIVE, HK_P_HAND, NAN, 0, 0, "", NULL, "points of a path on which the load only grows; left out: 20"},
    {"branch", HK_P_INT, 0, HK_P_HAND, NAN, 0, 0, "", NULL, "n: at the n-th bifurcation the other path is taken, -n: to its other side; left out: straight on"},
    ROW("nearest", HK_P_BOOL, 0, "begin at the equilibrium nearest to the drawing, stable or not"),
    ROW("slopes", HK_P_TEXTS, 0, "recorded channels whose slopes by the load are wanted: columns slope.CHANNEL"),
    HK_PARAM_END};
/* clang-format on */

const hk_rd_analysis hki_rd_analyses[] = {
    {"modes", hki_keys_modes},
    {"statics", hki_keys_statics},
    {NULL, NULL},
};

/* --- values as texts -------------------------------------------------------------------------- */

static const char *number_text(hk_reader *rd, double x) {
  return hki_pool_printf(rd->spec->pool, "%.17g", x);
}

/* what a key of a plain type holds; NULL after an error. A number may be one of the row's choices instead. */
static const char *plain_text(hk_reader *rd, const hk_node *v, const hk_param *p) {
  hk_rd_scope *root = rd->scopes[0];
  const char *text = hki_node_text(v);
  double x = 0.0;
  int32_t k = 0;
  bool flag = false;
  switch (p->type) {
    case HK_P_REAL:
      if (p->choices && text && (hki_word_find(p->choices, text) >= 0 || hki_rd_is_word(rd, v)))
        return hki_rd_choice(rd, v, p->name, p->choices, &k) ? hki_pool_strdup(rd->spec->pool, text)
                                                             : NULL;
      return hki_rd_ranged(rd, root, v, p, &x) ? number_text(rd, x) : NULL;
    case HK_P_INT:
      return hki_rd_plain(rd, root, v, p, &k) ? number_text(rd, k) : NULL;
    case HK_P_BOOL:
      return hki_rd_bool(rd, root, v, p->name, &flag) ? (flag ? "true" : "false") : NULL;
    case HK_P_CHOICE:
      return hki_rd_choice(rd, v, p->name, p->choices, &k) ? hki_pool_strdup(rd->spec->pool, text)
                                                           : NULL;
    default:
      return hki_rd_text(rd, v, p->name);
  }
}

/* numbers with a character between them; NULL after an error */
static const char *joined(hk_reader *rd, const hk_node *v, const char *what, const char *between) {
  hk_text t;
  double x = 0.0;
  char found[64];
  if (v->kind != HK_NODE_SEQUENCE || v->count == 0) {
    hki_rd_error(rd, v->loc, "for example [0.1, 20]", "'%s' must be a list of numbers, found %s",
                 what, hki_node_describe(v, found, sizeof found));
    return NULL;
  }
  hki_text_init(&t, rd->ctx);
  bool ok = true;
  for (int32_t i = 0; ok && i < v->count; i++) {
    ok = hki_rd_number(rd, rd->scopes[0], v->items[i], what, &x);
    hki_text_printf(&t, "%s%.17g", i ? between : "", x);
  }
  const char *text = ok && t.s ? hki_pool_strdup(rd->spec->pool, t.s) : NULL;
  hki_text_free(&t);
  return text;
}

/* `k: 0:10:41`, `k: [1, 2, 5]`, `k: 3` as "k=0:10:41", "k=1,2,5", "k=3" */
static const char *varied(hk_reader *rd, const hk_entry *e) {
  const char *text = hki_node_text(e->value);
  double x = 0.0;
  if (!text)
    text = joined(rd, e->value, e->key, ",");
  else if (!strchr(text, ':'))
    text = hki_rd_number(rd, rd->scopes[0], e->value, e->key, &x) ? number_text(rd, x) : NULL;
  return text ? hki_pool_printf(rd->spec->pool, "%s=%s", e->key, text) : NULL;
}

/* --- one key ---------------------------------------------------------------------------------- */

static int32_t count_of(const hk_node *v, const hk_param *p) {
  if (p->type == HK_P_VALUES) return v->kind == HK_NODE_MAPPING ? v->count : 1;
  return p->type == HK_P_TEXTS && v->kind == HK_NODE_SEQUENCE ? v->count : 1;
}

static const char *value_text(hk_reader *rd, const hk_node *v, const hk_param *p, int32_t i) {
  char found[64];
  if (p->type == HK_P_REALS) return joined(rd, v, p->name, ":");
  if (p->type == HK_P_TEXTS)
    return hki_rd_text(rd, v->kind == HK_NODE_SEQUENCE ? v->items[i] : v, p->name);
  if (p->type != HK_P_VALUES) return plain_text(rd, v, p);
  if (v->kind == HK_NODE_MAPPING) return varied(rd, &v->entries[i]);
  hki_rd_error(rd, v->loc, "for example {k: 0:10:41} or {k: [1, 2, 5]}",
               "'%s' must be a mapping from parameters to values, found %s", p->name,
               hki_node_describe(v, found, sizeof found));
  return NULL;
}

static void read_key(hk_reader *rd, const char *section, const hk_node *v, const hk_param *p) {
  hk_spec *spec = rd->spec;
  hk_spec_setting s = {.section = section, .key = p->name, .loc = v->loc, .n = count_of(v, p)};
  if (s.n > HK_READER_PIECES) s.n = HK_READER_PIECES;
  s.values = hki_pool_alloc(spec->pool, ((size_t)s.n + 1) * sizeof *s.values);
  if (!s.values || !HK_GROW(rd->ctx, spec->settings, rd->settings_cap, spec->nsettings + 1)) return;
  for (int32_t i = 0; i < s.n; i++)
    if (!(s.values[i] = value_text(rd, v, p, i))) return;
  spec->settings[spec->nsettings++] = s;
}

void hki_rd_analyses_read(hk_reader *rd) {
  hk_rd_scope *root = rd->scopes[0];
  for (const hk_rd_analysis *a = hki_rd_analyses; a->name; a++) {
    const hk_param *const tables[] = {a->keys, NULL};
    for (int32_t i = 0; i < root->ndocs; i++) {
      const hk_node *section = hki_node_get(root->docs[i], a->name);
      if (section && section->kind != HK_NODE_NULL)
        hki_rd_check_keys(rd, section, tables, "the section", a->name);
    }
    for (const hk_param *p = a->keys; p->type != HK_P_END; p++) {
      const hk_node *v = p->type == HK_P_ANY ? NULL : hki_rd_section_key(rd, a->name, p->name);
      if (v) read_key(rd, a->name, v, p);
    }
  }
}
