/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_params.c: parameters and everything that is a number.
 *
 * A parameter is a number, a list of numbers or a text. The components of a list `a` are numbers of
 * their own: a.x, a.y, a.z (the first three) and a.1, a.2 ..., which expressions also write a[1]. A
 * text is quoted; a quoted value that can be read as an expression is a number, unless it is
 * written as {text: ..}.
 *
 * A parameter is evaluated when it is first asked for; one that is asked for while it is being
 * evaluated closes a cycle, which is reported with its members. Values set from outside (--set) and
 * by an instance replace the text of the parameter, not only its value, so that other parameters
 * follow.
 */
#include "language/reader.h"
#include "model/channel_list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- registering ------------------------------------------------------------------------------ */

/* the last --set of this full name, or NULL */
static const char *find_set(hk_reader *rd, const char *name) {
  const char *value = NULL;
  for (int32_t i = 0; i < rd->nsets; i++) {
    if (strcmp(rd->sets[i].name, name) == 0) {
      value = rd->sets[i].value;
      rd->set_used[i] = true;
    }
  }
  return value;
}

/* marks each --set of a component of this list as used: "a.x=1" */
static void use_part_sets(hk_reader *rd, const char *name) {
  const size_t n = strlen(name);
  for (int32_t i = 0; i < rd->nsets; i++) {
    const char *set = rd->sets[i].name;
    if (strncmp(set, name, n) == 0 && set[n] == '.') rd->set_used[i] = true;
  }
}

/* a parameter must not have the name of a keyword, a constant or the time of expressions */
static bool good_param_name(hk_reader *rd, const hk_entry *e) {
  static const char *const taken[] = {"t", "if", "and", "or", "not", "pi", "deg", "true", "false"};
  if (!hki_rd_good_name(rd, "parameter", e->key, e->key_loc, true)) return false;
  for (int32_t i = 0; i < HK_ARRAY_LEN(taken); i++) {
    if (strcmp(e->key, taken[i]) != 0) continue;
    hki_rd_error(rd, e->key_loc, "choose another name",
                 "'%s' has a meaning of its own in expressions", e->key);
    return false;
  }
  return true;
}

void hki_rd_params_register(hk_reader *rd, hk_rd_scope *s, hk_node *overrides, hk_rd_scope *outer) {
  hk_rd_walk w = {0};
  char hint[160];
  for (hk_entry *e; (e = hki_rd_next_raw(rd, s, "parameters", &w));) {
    hk_rd_items *all = &rd->params;
    if (!good_param_name(rd, e)) continue;
    hk_rd_item it = {.name = hki_rd_full_name(rd, s, e->key), .scope = s, .eval = s};
    it.node = e->value;
    it.loc = e->value->loc;
    hk_entry *o = hki_node_find(overrides, e->key);
    if (o) {
      o->used = true;
      it.node = o->value;
      it.loc = o->value->loc;
      it.eval = outer;
    }
    if (!it.name || !HK_GROW(rd->ctx, all->items, all->cap, all->n + 1)) return;
    it.set = rd->nsets ? find_set(rd, it.name) : NULL;
    /* a file's own parameters go before those of the files it includes */
    int32_t at;
    if (!hki_names_add(all->names, it.name, all->n, &at)) continue;
    rd->nliterals += it.node->kind != HK_NODE_SCALAR || hki_node_may_be_text(it.node);
    all->items[all->n++] = it;
    if (it.node->kind == HK_NODE_SEQUENCE) use_part_sets(rd, it.name);
  }
  hki_rd_live_mark(rd, s);
  for (int32_t i = 0; overrides && i < overrides->count; i++) {
    const hk_entry *o = &overrides->entries[i];
    if (o->used) continue;
    hk_nearest near;
    hki_nearest_init(&near, o->key);
    hk_rd_walk v = {0};
    for (hk_entry *e; (e = hki_rd_next_raw(rd, s, "parameters", &v));)
      hki_nearest_try(&near, e->key);
    hki_rd_error(rd, o->key_loc, hki_rd_did_you_mean(&near, hint, sizeof hint),
                 "component '%s' has no parameter '%s'", s->component ? s->component->name : "",
                 o->key);
  }
}

/* --- looking up and evaluating ---------------------------------------------------------------- */

static bool resolve_param(void *user, const char *name, hk_expr_symbol *out);
static void suggest_param(void *user, hk_nearest *near);
static bool number(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what,
                   hk_rd_item *owner, double *out);

typedef struct param_user {
  hk_reader *rd;
  hk_rd_scope *scope;
  const hk_node *node; /* the text, NULL: of --set */
  const char *what;    /* whose number it is */
  bool trial;          /* is it a number at all? unknown names are not reported */
  hk_rd_item *owner;   /* the parameter whose number it is; NULL: none */
} param_user;

/* the members of a cycle, in the order they refer to each other */
static void report_cycle(hk_reader *rd, const hk_rd_item *it) {
  hk_text t;
  hki_text_init(&t, rd->ctx);
  int32_t i = 0;
  while (i < rd->depth && rd->busy[i] != it->name) i++;
  for (; i < rd->depth; i++) hki_text_printf(&t, "%s -> ", rd->busy[i]);
  hki_rd_error(rd, it->loc, "give one of them a number",
               "parameters refer to each other in a circle: %s%s", t.s ? t.s : "", it->name);
  hki_text_free(&t);
}

/* Evaluates text as an expression of parameters, in a context of its own. Its first message stays
 * in *message, empty when a parameter in it is at fault and is reported. */
static hk_status try_number(hk_reader *rd, param_user *user, const char *text, double *out,
                            char *message, size_t cap, char *hint, size_t hint_cap) {
  hk_expr_scope scope = {user, resolve_param, suggest_param, false};
  hk_ctx *quiet = hk_ctx_create();
  message[0] = hint[0] = '\0';
  if (!quiet) return hki_no_memory(rd->ctx);
  hk_status st = hki_expr_parse_number(quiet, text, strlen(text), HK_LOC_NONE, &scope, out);
  if (st == HK_E_MEMORY) {
    hki_no_memory(rd->ctx);
  } else if (st && hk_ctx_message_count(quiet)) {
    const hk_message *m = hk_ctx_message(quiet, 0);
    snprintf(message, cap, "%s", m->text);
    if (m->hint) snprintf(hint, hint_cap, "%s", m->hint);
  }
  hk_ctx_destroy(quiet);
  return st;
}

/* evaluates a text of --set; its errors are usage errors, without a place in a file */
static bool set_number(hk_reader *rd, const char *name, const char *text, hk_rd_item *owner,
                       double *out) {
  param_user user = {rd, rd->scopes[0], NULL, name, false, owner};
  int32_t before = hki_error_count(rd->ctx);
  char message[400], hint[400];
  hk_status st = try_number(rd, &user, text, out, message, sizeof message, hint, sizeof hint);
  if (st && st != HK_E_MEMORY && *message && hki_error_count(rd->ctx) == before) {
    hki_error(rd->ctx, HK_E_USAGE, HK_LOC_NONE, *hint ? hint : NULL, "--set %s=%s: %s", name, text,
              message);
  } else if (!st && !isfinite(*out)) {
    st = hki_error(rd->ctx, HK_E_USAGE, HK_LOC_NONE, NULL, "--set %s=%s: not a finite number", name,
                   text);
  }
  return st == HK_OK;
}

/* --- lists and texts -------------------------------------------------------------------------- */

/* a parameter becomes the text */
static bool be_text(hk_reader *rd, hk_rd_item *it, const char *text, size_t len, hk_loc loc) {
  it->kind = HK_RD_TEXT;
  it->literal = hki_rd_scalar(rd, text, len, loc);
  return it->literal != NULL;
}

/* a parameter becomes a list of n components, all 0 */
static bool be_list(hk_reader *rd, hk_rd_item *it, int32_t n) {
  it->nparts = n;
  it->parts = hki_pool_alloc(rd->pool, (size_t)n * sizeof *it->parts);
  for (int32_t k = 0; it->parts && k < n; k++)
    it->parts[k] = (hk_rd_item){.name = it->name, .loc = it->loc, .state = HK_RD_DONE};
  return it->parts != NULL;
}

/* the list that stands for the components, once these are known */
static bool fill_literal(hk_reader *rd, hk_rd_item *it) {
  char text[40];
  hk_node *list = hki_pool_alloc(rd->pool, sizeof *list);
  hk_node **items = hki_pool_alloc(rd->pool, (size_t)it->nparts * sizeof *items);
  if (!list || !items) return false;
  for (int32_t k = 0; k < it->nparts; k++) {
    const int n = snprintf(text, sizeof text, "%.17g", it->parts[k].value);
    items[k] = hki_rd_scalar(rd, text, (size_t)n, it->parts[k].loc);
    if (!items[k]) return false;
    items[k]->quoted = false;
  }
  *list = (hk_node){.kind = HK_NODE_SEQUENCE, .loc = it->loc, .count = it->nparts, .items = items};
  it->literal = list;
  return true;
}

/* number of the component that a word names, x y z or 1 2 ...; -1: none of n */
static int32_t part_number(const char *word, int32_t n) {
  int k = 0;
  char rest;
  if (strlen(word) == 1 && *word >= 'x' && *word <= 'z') k = *word - 'x' + 1;
  if (!k && (*word < '1' || *word > '9' || sscanf(word, "%d%c", &k, &rest) != 1)) return -1;
  return k <= n ? k - 1 : -1;
}

/* components given by --set a.x=1 */
static bool set_parts(hk_reader *rd, hk_rd_item *it) {
  const size_t n = strlen(it->name);
  bool ok = true;
  for (int32_t i = 0; i < rd->nsets; i++) {
    const hk_set *set = &rd->sets[i];
    if (strncmp(set->name, it->name, n) != 0 || set->name[n] != '.') continue;
    const int32_t k = part_number(set->name + n + 1, it->nparts);
    if (k >= 0) {
      ok = set_number(rd, set->name, set->value, NULL, &it->parts[k].value) && ok;
      continue;
    }
    hki_error(rd->ctx, HK_E_USAGE, HK_LOC_NONE, "components are x, y, z or 1, 2 ...",
              "--set %s=%s: '%s' has %d components", set->name, set->value, it->name,
              (int)it->nparts);
    ok = false;
  }
  return ok;
}

static bool eval_list(hk_reader *rd, hk_rd_item *it, const hk_node *node) {
  bool ok = node->count > 0 && node->count <= HK_READER_PIECES;
  if (!ok) {
    hki_rd_error(rd, node->loc, "for example [0, 0, 1]",
                 "parameter '%s' must have 1 to %d components", it->name, HK_READER_PIECES);
    return false;
  }
  if (!be_list(rd, it, node->count)) return false;
  for (int32_t k = 0; k < node->count; k++) {
    it->parts[k].loc = node->items[k]->loc;
    ok = hki_rd_number(rd, it->eval, node->items[k], it->name, &it->parts[k].value) && ok;
  }
  return set_parts(rd, it) && ok && fill_literal(rd, it);
}

/* --set a=[1, 2, 3]: as many components as the list in the file has */
static bool set_list(hk_reader *rd, hk_rd_item *it) {
  hk_node *list = NULL;
  hk_ctx *quiet = hk_ctx_create();
  if (!quiet) return hki_no_memory(rd->ctx) == HK_OK;
  const hk_status st =
      hki_yaml_parse(quiet, rd->pool, "--set", it->set, strlen(it->set), NULL, &list);
  hk_ctx_destroy(quiet);
  bool ok = !st && list->kind == HK_NODE_SEQUENCE && list->count == it->node->count;
  for (int32_t k = 0; ok && k < list->count; k++) ok = hki_node_text(list->items[k]) != NULL;
  if (!ok) {
    hki_error(rd->ctx, HK_E_USAGE, HK_LOC_NONE, "for example --set 'axis=[0, 0, 1]'",
              "--set %s=%s: expected a list of %d numbers", it->name, it->set,
              (int)it->node->count);
    return false;
  }
  if (!be_list(rd, it, list->count)) return false;
  for (int32_t k = 0; ok && k < list->count; k++)
    ok = set_number(rd, it->name, list->items[k]->text, NULL, &it->parts[k].value);
  return set_parts(rd, it) && ok && fill_literal(rd, it);
}

bool hki_rd_is_number(hk_reader *rd, hk_rd_scope *s, const hk_node *node, double *out) {
  param_user user = {rd, s, node, "", true, NULL};
  char message[200], hint[200];
  return hki_node_text(node) && try_number(rd, &user, node->text, out, message, sizeof message,
                                           hint, sizeof hint) == HK_OK;
}

/* is the value of a parameter a text? Quoted, without the signs of a formula, and no number */
static bool is_text(hk_reader *rd, const hk_rd_item *it, const hk_node *node) {
  double x;
  if (node->kind == HK_NODE_MAPPING) return true;
  return hki_node_text(node) && hki_node_may_be_text(node) && !strpbrk(node->text, "*^()<>=,+") &&
         !hki_rd_is_number(rd, it->eval, node, &x);
}

/* the value of a parameter, whatever it is */
static bool eval_value(hk_reader *rd, hk_rd_item *it) {
  static const hk_param *const tables[] = {hki_keys_param, NULL};
  const int32_t errors = hki_error_count(rd->ctx);
  hk_node *node = hki_rd_resolve(rd, it->eval, it->node);
  const hk_node *text = node;
  char found[64];
  if (hki_error_count(rd->ctx) > errors) return false;
  // should it fail, the list as written stands for it, so that its uses are no errors too
  if (node->kind == HK_NODE_SEQUENCE) {
    it->kind = HK_RD_LIST;
    it->literal = node;
    return it->set ? set_list(rd, it) : eval_list(rd, it, node);
  }
  if (!is_text(rd, it, node)) {
    if (it->set) return set_number(rd, it->name, it->set, it, &it->value);
    return number(rd, it->eval, node, it->name, it, &it->value);
  }
  if (node->kind == HK_NODE_MAPPING) {
    if (!hki_rd_check_keys(rd, node, tables, "parameter", it->name)) return false;
    text = hki_node_get(node, "text");
  }
  if (it->set) return be_text(rd, it, it->set, strlen(it->set), it->loc);
  if (hki_node_text(text)) return be_text(rd, it, text->text, (size_t)text->len, text->loc);
  if (text)
    hki_rd_error(rd, text->loc, NULL, "'text' must be a text, found %s",
                 hki_node_describe(text, found, sizeof found));
  return false;
}

/* --- values on demand ------------------------------------------------------------------------- */

static void eval_param(hk_reader *rd, hk_rd_item *it) {
  if (it->state == HK_RD_DONE || it->state == HK_RD_FAILED) return;
  if (it->state == HK_RD_BUSY) {
    report_cycle(rd, it);
    it->state = HK_RD_FAILED;
    return;
  }
  if (rd->depth >= HK_READER_DEPTH) {
    hki_rd_error(rd, it->loc, "put those used by others first",
                 "parameters refer to each other more than %d deep", HK_READER_DEPTH);
    it->state = HK_RD_FAILED;
    return;
  }
  it->state = HK_RD_BUSY;
  rd->busy[rd->depth++] = it->name;
  bool ok = eval_value(rd, it);
  rd->depth--;
  it->state = ok && it->state == HK_RD_BUSY ? HK_RD_DONE : HK_RD_FAILED;
  if (ok && it->kind == HK_RD_NUMBER) it->value = hki_rd_param_value(it->name, it->value);
}

/* the parameter of this very name, not evaluated */
static hk_rd_item *find_whole(hk_reader *rd, const hk_rd_scope *s, const char *name, size_t len) {
  char full[512];
  for (; s; s = s->parent) {
    const int n = snprintf(full, sizeof full, "%s%.*s", s->prefix, (int)len, name);
    if (n < 0 || (size_t)n >= sizeof full) continue;
    int32_t i = hki_names_find(rd->params.names, full);
    if (i >= 0) return &rd->params.items[i];
  }
  return NULL;
}

/* the index of a repeated item around the scope, unless a parameter nearer by has its name */
static const hk_rd_item *find_index(const hk_reader *rd, const hk_rd_scope *s, const char *name) {
  char full[512];
  for (; s; s = s->parent) {
    if (s->index && strcmp(s->index->name, name) == 0) return s->index;
    if ((size_t)snprintf(full, sizeof full, "%s%s", s->prefix, name) >= sizeof full) continue;
    if (hki_names_find(rd->params.names, full) >= 0) return NULL;
  }
  return NULL;
}

hk_rd_item *hki_rd_param_whole(hk_reader *rd, const hk_rd_scope *s, const char *name) {
  return find_whole(rd, s, name, strlen(name));
}

const hk_rd_item *hki_rd_param_find(hk_reader *rd, const hk_rd_scope *s, const char *name) {
  const hk_rd_item *index = rd->repeated ? find_index(rd, s, name) : NULL;
  if (index) return index;
  hk_rd_item *it = find_whole(rd, s, name, strlen(name));
  if (it) {
    eval_param(rd, it);
    return it;
  }
  const char *dot = rd->nliterals ? strrchr(name, '.') : NULL;
  it = dot ? find_whole(rd, s, name, (size_t)(dot - name)) : NULL;
  if (!it) return NULL;
  eval_param(rd, it);
  if (it->state != HK_RD_DONE) return it;
  const int32_t k = it->kind == HK_RD_LIST ? part_number(dot + 1, it->nparts) : -1;
  return k >= 0 ? &it->parts[k] : NULL;
}

/* reports a component that a list does not have; false when there is no such list */
static bool no_component(hk_reader *rd, const hk_rd_scope *s, hk_loc loc, const char *name,
                         hk_expr_symbol *out) {
  const char *dot = rd->nliterals ? strrchr(name, '.') : NULL;
  const hk_rd_item *it = dot ? find_whole(rd, s, name, (size_t)(dot - name)) : NULL;
  if (!it || it->kind != HK_RD_LIST) return false;
  *out = (hk_expr_symbol){.faulty = true};
  hki_error(rd->ctx, loc.file < 0 ? HK_E_USAGE : HK_E_MODEL, loc,
            "components are x, y, z or 1, 2 ...",
            "there is no '%.100s': the list has %d components", name, (int)it->nparts);
  return true;
}

bool hki_rd_param_symbol(hk_reader *rd, const hk_rd_scope *s, hk_loc loc, const char *name,
                         hk_expr_symbol *out) {
  static const char *const hints[] = {"", "write %s.x or %s[1] for its first component",
                                      "numbers stand without quotes"};
  char hint[300];
  const hk_rd_item *it = hki_rd_param_find(rd, s, name);
  if (!it) return no_component(rd, s, loc, name, out);
  *out = (hk_expr_symbol){.value = it->value, .faulty = it->state != HK_RD_DONE};
  if (it->state == HK_RD_DONE && it->event) {
    hki_rd_live_refuse(rd, loc, it);
    out->faulty = true;
    return true;
  }
  if (it->state != HK_RD_DONE || it->kind == HK_RD_NUMBER) return true;
  out->faulty = true;
  snprintf(hint, sizeof hint, hints[it->kind], name, name);
  hki_error(rd->ctx, loc.file < 0 ? HK_E_USAGE : HK_E_MODEL, loc, hint,
            "'%.100s' is %s and cannot stand in an expression", name,
            it->kind == HK_RD_LIST ? "a list" : "a text");
  return true;
}

void hki_rd_param_suggest(hk_reader *rd, const hk_rd_scope *s, hk_nearest *near) {
  for (int32_t i = 0; i < rd->params.n; i++) {
    const hk_rd_item *it = &rd->params.items[i];
    for (const hk_rd_scope *k = s; k; k = k->parent) {
      size_t n = strlen(k->prefix);
      if (strncmp(it->name, k->prefix, n) == 0) hki_nearest_try(near, it->name + n);
    }
  }
}

bool hki_rd_varies(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *name,
                   const char *what, const char *hint) {
  const char *bare = strncmp(name, "signal.", 7) == 0 ? name + 7 : name, *kind = NULL;
  for (hk_rd_scope *k = s; k && !kind; k = k->parent) {
    hk_rd_walk w = {0};
    for (hk_entry *e; (e = hki_rd_next_raw(rd, k, "signals", &w));)
      if (strcmp(e->key, bare) == 0) kind = "signal";
  }
  const size_t first = strcspn(name, ".");
  for (int32_t g = 0; !kind && name[first] && g < HK_GROUPS; g++)
    if (strncmp(hki_group_names[g], name, first) == 0 && !hki_group_names[g][first])
      kind = "channel";
  if (!kind) return false;
  if (!node) {
    hki_error(rd->ctx, HK_E_USAGE, HK_LOC_NONE, hint, "--set %s: '%.100s' is a %s", what, name,
              kind);
    return true;
  }
  const char *at = strstr(node->text, name);
  hki_rd_error(rd, hki_node_text_loc(node, at ? (int32_t)(at - node->text) : 0), hint,
               "'%s' cannot read '%.100s', which is a %s", what, name, kind);
  return true;
}

/* in a trial: a number that is known and not just being evaluated */
static bool resolve_trial(param_user *u, const char *name, hk_expr_symbol *out) {
  const hk_rd_item *whole = find_whole(u->rd, u->scope, name, strlen(name));
  if (whole && whole->state == HK_RD_BUSY) return false;
  const hk_rd_item *it = hki_rd_param_find(u->rd, u->scope, name);
  if (!it || it->state != HK_RD_DONE || it->kind != HK_RD_NUMBER) return false;
  *out = (hk_expr_symbol){.value = it->value};
  return true;
}

/* in the text of a parameter: one that an event sets, which the parameter follows then */
static bool resolve_live(const param_user *u, const char *name, hk_expr_symbol *out) {
  const hk_rd_item *it = u->owner ? hki_rd_param_find(u->rd, u->scope, name) : NULL;
  if (!it || !it->event || it->state != HK_RD_DONE) return false;
  if (!u->owner->event) u->owner->event = it->event, u->owner->derived = true;
  *out = (hk_expr_symbol){.value = it->value};
  return true;
}

static bool resolve_param(void *user, const char *name, hk_expr_symbol *out) {
  param_user *u = user;
  if (u->trial) return resolve_trial(u, name, out);
  if (resolve_live(u, name, out)) return true;
  if (hki_rd_param_symbol(u->rd, u->scope, u->node ? u->node->loc : HK_LOC_NONE, name, out))
    return true;
  *out = (hk_expr_symbol){.faulty = true};
  return hki_rd_varies(u->rd, u->scope, u->node, name, u->what,
                       "it is a constant; numbers of forces, prescribed motions and held nodes "
                       "can follow a signal");
}

static void suggest_param(void *user, hk_nearest *near) {
  param_user *u = user;
  hki_rd_param_suggest(u->rd, u->scope, near);
}

/* reports a --set that named no parameter */
static void unknown_set(hk_reader *rd, const hk_set *set) {
  char hint[200];
  hk_nearest near;
  hki_nearest_init(&near, set->name);
  for (int32_t i = 0; i < rd->params.n; i++) hki_nearest_try(&near, rd->params.items[i].name);
  hki_error(rd->ctx, HK_E_USAGE, HK_LOC_NONE, hki_rd_did_you_mean(&near, hint, sizeof hint),
            "--set %s=%s: the model has no parameter '%s'", set->name, set->value, set->name);
}

/* the values of numbers go to the spec: a study may name them */
static void keep_params(hk_reader *rd) {
  hk_spec *spec = rd->spec;
  spec->parameters =
      hki_pool_alloc(spec->pool, (size_t)(rd->params.n + 1) * sizeof *spec->parameters);
  if (!spec->parameters) return;
  for (int32_t i = 0; i < rd->params.n; i++) {
    const hk_rd_item *it = &rd->params.items[i];
    if (it->state != HK_RD_DONE || it->kind != HK_RD_NUMBER) continue;
    spec->parameters[spec->nparameters++] = (hk_spec_parameter){it->name, it->value};
  }
}

void hki_rd_params_check(hk_reader *rd) {
  for (int32_t i = 0; i < rd->nsets; i++) {
    if (!rd->set_used[i]) unknown_set(rd, &rd->sets[i]);
  }
  for (int32_t i = 0; i < rd->params.n && !hki_rd_enough(rd); i++) {
    hk_rd_item *it = &rd->params.items[i];
    if (!hki_rd_scope_skip(it->scope)) eval_param(rd, it);
  }
  keep_params(rd);
}

/* --- numbers ---------------------------------------------------------------------------------- */

bool hki_rd_whole(hk_reader *rd, const hk_node *node) {
  char found[64];
  int32_t open = 0;
  for (const char *c = node->text; *c; c++) open += (*c == '(') - (*c == ')');
  if (node->quoted || open <= 0) return true;
  hki_rd_error(rd, node->loc, "inside [..] and {..} an expression with commas must stand in quotes",
               "%s is cut off: a '(' is not closed", hki_node_describe(node, found, sizeof found));
  return false;
}

/* true for YAML's numbers that are not finite: .nan, .inf, -.inf, in any case */
static bool is_yaml_limit(const hk_node *node) {
  static const char *const words[] = {"nan", "inf"};
  size_t at = node->len && (node->text[0] == '-' || node->text[0] == '+') ? 1 : 0;
  if ((size_t)node->len != at + 4 || node->text[at] != '.') return false;
  for (size_t w = 0; w < HK_ARRAY_LEN(words); w++) {
    bool same = true;
    for (size_t i = 0; i < 3; i++) same = same && (node->text[at + 1 + i] | 32) == words[w][i];
    if (same) return true;
  }
  return false;
}

bool hki_rd_number(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what,
                   double *out) {
  return number(rd, s, node, what, NULL, out);
}

/* owner: the parameter whose value it is, or NULL */
static bool number(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what,
                   hk_rd_item *owner, double *out) {
  char found[64];
  *out = 0.0;
  if (!hki_node_text(node)) {
    hki_rd_error(rd, node->loc, "for example 0.5, 2*pi or the name of a parameter",
                 "'%s' must be a number or an expression, found %s", what,
                 hki_node_describe(node, found, sizeof found));
    return false;
  }
  if (hki_decimal(node->text, node->len, out)) return true;
  *out = 0.0;
  if (is_yaml_limit(node)) {
    hki_rd_error(rd, node->loc, "numbers of a model are finite",
                 "'%s' is not a finite number: '%.*s'", what, (int)node->len, node->text);
    return false;
  }
  if (!node->quoted && (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0)) {
    hki_rd_error(rd, node->loc, "for example 0.5, 2*pi or the name of a parameter",
                 "'%s' must be a number or an expression, found '%s'", what, node->text);
    return false;
  }
  if (!hki_rd_whole(rd, node)) return false;
  param_user user = {rd, s, node, what, false, owner};
  hk_expr_scope scope = {&user, resolve_param, suggest_param, false};
  int32_t before = hki_error_count(rd->ctx);
  if (hki_expr_parse_number(rd->ctx, node->text, (size_t)node->len, hki_node_text_loc(node, 0),
                            &scope, out)) {
    *out = 0.0;
    return false;
  }
  if (!isfinite(*out)) {
    hki_rd_error(rd, node->loc, NULL, "'%s' is not a finite number: %s", what,
                 hki_node_describe(node, found, sizeof found));
    *out = 0.0;
    return false;
  }
  return hki_error_count(rd->ctx) == before;
}

bool hki_rd_numbers(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *what, int32_t n,
                    double *out) {
  char found[64];
  bool ok = true;
  memset(out, 0, (size_t)n * sizeof *out);
  if (node->kind != HK_NODE_SEQUENCE || node->count != n) {
    hki_rd_error(rd, node->loc, n == 3 ? "write it as [x, y, z]" : NULL,
                 "'%s' must be a list of %d numbers, found %s", what, (int)n,
                 hki_node_describe(node, found, sizeof found));
    return false;
  }
  for (int32_t i = 0; i < n; i++) ok = hki_rd_number(rd, s, node->items[i], what, &out[i]) && ok;
  return ok;
}
