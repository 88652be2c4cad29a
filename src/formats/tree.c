/* SPDX-License-Identifier: Apache-2.0
 *
 * tree.c: trees that programs build: making nodes, putting them together, taking them apart.
 *
 * Every call has a number, which is the line of what it makes in the pseudo-file "(program)". A call
 * that is refused leaves the tree as it was and its number in the node that it was to change.
 */
#include "formats/tree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/yaml_check.h"

/* what a context keeps for its trees */
typedef struct shop {
  int32_t calls;      /* how many so far */
  int32_t file;       /* number of "(program)" */
  hk_tree_node *free; /* destroyed nodes, by `parent` */
} shop;

static shop *shop_of(hk_ctx *ctx) {
  static const char key;
  void **kept = hki_ctx_once(ctx, &key);
  hk_pool *pool = kept && !*kept ? hki_ctx_pool(ctx) : NULL;
  if (pool) {
    shop *s = hki_pool_alloc(pool, sizeof *s);
    if (s) s->file = hki_ctx_file(ctx, HK_PROGRAM);
    if (s && s->file >= 0) *kept = s;
  }
  return kept ? *kept : NULL;
}

/* a call begins: its place */
static hk_loc next_call(hk_ctx *ctx) {
  shop *s = shop_of(ctx);
  if (!s) return HK_LOC_NONE;
  if (s->calls < INT32_MAX) s->calls++;
  return (hk_loc){s->file, s->calls, 0};
}

/* refuses the call that began last; `t`: the node it was to change, or NULL */
static hk_status refuse(hk_ctx *ctx, hk_tree_node *t, const char *function, const char *what) {
  const shop *s = shop_of(ctx);
  if (!s) return HK_E_MEMORY;
  if (t && !t->failed) t->failed = s->calls;
  return hki_error(ctx, HK_E_USAGE, (hk_loc){s->file, s->calls, 0}, NULL, "%s: %s", function, what);
}

bool hki_tree_of_program(const hk_node *node) {
  const hk_tree_node *t = hki_tree(node);
  const shop *s = t ? shop_of(t->ctx) : NULL;
  return s && node->loc.file == s->file;
}

/* --- nodes ------------------------------------------------------------------------------------ */

static hk_tree_node *node_new(hk_ctx *ctx, hk_node_kind kind, hk_loc loc) {
  shop *s = shop_of(ctx);
  hk_pool *pool = hki_ctx_pool(ctx);
  if (!s || !pool) return NULL;
  hk_tree_node *t = s->free;
  if (t) {
    s->free = t->parent;
  } else {
    t = hki_pool_alloc(pool, sizeof *t);
  }
  if (!t) return NULL;
  *t = (hk_tree_node){
      .node = {.mark = HK_MARK_NODE, .kind = kind, .loc = loc, .text = "", .weight = 1},
      .ctx = ctx,
      .height = 1};
  return t;
}

static hk_node *child_of(const hk_node *node, int32_t i) {
  return node->kind == HK_NODE_MAPPING ? node->entries[i].value : node->items[i];
}

/* destroys a node and all below it; its parent must have let it go */
static void node_free(hk_tree_node *t) {
  hk_node *node = &t->node;
  shop *s = shop_of(t->ctx);
  for (int32_t i = 0; i < node->count; i++) {
    node_free((hk_tree_node *)child_of(node, i));
    if (node->kind == HK_NODE_MAPPING) hki_free(t->ctx, (char *)node->entries[i].key);
  }
  hki_free(t->ctx, node->entries);
  hki_free(t->ctx, node->items);
  hki_free(t->ctx, node->slots);
  hki_free(t->ctx, t->yaml);
  if (node->len) hki_free(t->ctx, (char *)node->text);
  *node = (hk_node){.kind = HK_NODE_NULL, .text = ""};
  t->yaml = NULL;
  t->parent = s ? s->free : NULL;
  if (s) s->free = t;
}

static hk_tree_node *scalar_new(hk_ctx *ctx, const char *text, size_t len, hk_loc loc) {
  hk_tree_node *t = node_new(ctx, HK_NODE_SCALAR, loc);
  if (!t || !len) return t;
  t->node.text = hki_strndup(ctx, text, len);
  if (t->node.text) {
    t->node.len = (int32_t)len;
    return t;
  }
  node_free(t);
  return NULL;
}

static hk_tree_node *number_new(hk_ctx *ctx, double x, hk_loc loc) {
  char buf[HK_NUMBER_MAX];
  return scalar_new(ctx, buf, (size_t)hki_number_print(x, buf), loc);
}

static hk_tree_node *text_new(hk_ctx *ctx, const char *text, hk_loc loc) {
  hk_tree_node *t = scalar_new(ctx, text, strlen(text), loc);
  if (t) t->node.open = true;
  return t;
}

/* --- putting together ------------------------------------------------------------------------- */

/* room for one more entry or item */
static bool grow(hk_tree_node *t) {
  hk_node *node = &t->node;
  const int32_t n = node->count + 1;
  if (node->kind == HK_NODE_SEQUENCE) return HK_GROW(t->ctx, node->items, t->cap, n);
  if (!HK_GROW(t->ctx, node->entries, t->cap, n)) return false;
  if (n <= HK_NODE_SMALL || 2 * (int64_t)n <= (int64_t)node->mask + 1) return true;
  // a larger table, made anew
  uint32_t size = 32;
  while (size < 4 * (uint32_t)n) size *= 2;
  int32_t *slots = hki_alloc(t->ctx, size * sizeof *slots);
  if (!slots) return false;
  hki_free(t->ctx, node->slots);
  node->slots = slots;
  node->mask = size - 1;
  for (int32_t i = 0; i < node->count; i++) hki_node_index(node, i);
  return true;
}

/* the levels from here down have become more */
static void raise(hk_tree_node *t) {
  for (; t->parent && t->parent->height <= t->height; t = t->parent)
    t->parent->height = t->height + 1;
}

/* the levels from here down may have become fewer */
static void sink(hk_tree_node *t) {
  for (; t; t = t->parent) {
    int32_t height = 1;
    for (int32_t i = 0; i < t->node.count; i++) {
      const int32_t h = ((const hk_tree_node *)child_of(&t->node, i))->height + 1;
      if (h > height) height = h;
    }
    if (t->height == height) return;
    t->height = height;
  }
}

/* puts a root into a mapping or list; its arguments have been checked */
static hk_status attach(hk_tree_node *to, const char *key, hk_loc loc, hk_tree_node *child) {
  hk_node *node = &to->node;
  hk_entry *old = key ? hki_node_find(node, key) : NULL;
  if (old) {
    hk_tree_node *before = (hk_tree_node *)old->value;
    old->value = &child->node;
    old->key_loc = loc;
    before->parent = NULL;
    node_free(before);
  } else {
    char *copy = key ? hki_strdup(to->ctx, key) : NULL;
    if ((key && !copy) || !grow(to)) {
      hki_free(to->ctx, copy);
      return HK_E_MEMORY;
    }
    if (key) {
      hki_node_put(node, &(hk_entry){.key = copy, .key_loc = loc, .value = &child->node});
    } else {
      node->items[node->count++] = &child->node;
    }
  }
  child->parent = to;
  if (old) sink(to);
  raise(child);
  return HK_OK;
}

/* why a mapping or list cannot take a child of this height under this key; NULL: it can */
static const char *cannot_take(const hk_tree_node *to, const char *key, int32_t height) {
  int32_t depth = 0;
  if (to->node.kind != HK_NODE_MAPPING && to->node.kind != HK_NODE_SEQUENCE)
    return "only mappings and lists have room for others";
  if (to->node.kind == HK_NODE_SEQUENCE && key) return "items of a list have no key: give NULL";
  if (to->node.kind == HK_NODE_MAPPING) {
    if (!key || !*key) return "an entry of a mapping needs a key";
    if (!hki_yaml_is_text(key, strlen(key))) return "the key is no text in UTF-8";
  }
  if (to->node.count == INT32_MAX / 2) return "there are too many entries";
  for (const hk_tree_node *t = to; t; t = t->parent) depth++;
  return depth + height > HK_TREE_DEPTH ? "nested deeper than 64 levels" : NULL;
}

/* puts a new node where its call said; it goes where that does not work */
static hk_status attach_new(hk_tree_node *to, const char *key, hk_loc loc, hk_tree_node *child) {
  const hk_status st = child ? attach(to, key, loc, child) : HK_E_MEMORY;
  if (st && child) node_free(child);
  if (st && !to->failed) to->failed = loc.line;
  return st;
}

/* why a text cannot be in a model */
static const char *cannot_say(const char *text) {
  if (!text) return "no text";
  const size_t n = strlen(text);
  if (n > INT32_MAX / 2) return "the text is too long";
  return hki_yaml_is_text(text, n) ? NULL : "the text is no UTF-8, or has control characters";
}

/* --- public: making --------------------------------------------------------------------------- */

static hk_node *new_one(hk_ctx *ctx, hk_node_kind kind) {
  if (!hki_is(ctx, HK_MARK_CTX)) return NULL;
  return (hk_node *)node_new(ctx, kind, next_call(ctx));
}

hk_node *hk_node_new_map(hk_ctx *ctx) { return new_one(ctx, HK_NODE_MAPPING); }
hk_node *hk_node_new_list(hk_ctx *ctx) { return new_one(ctx, HK_NODE_SEQUENCE); }
hk_node *hk_node_new_null(hk_ctx *ctx) { return new_one(ctx, HK_NODE_NULL); }

hk_node *hk_node_new_number(hk_ctx *ctx, double x) {
  if (!hki_is(ctx, HK_MARK_CTX)) return NULL;
  const hk_loc loc = next_call(ctx);
  if (isfinite(x)) return (hk_node *)number_new(ctx, x, loc);
  refuse(ctx, NULL, "hk_node_new_number", "numbers of a model are finite");
  return NULL;
}

hk_node *hk_node_new_text(hk_ctx *ctx, const char *text) {
  if (!hki_is(ctx, HK_MARK_CTX)) return NULL;
  const hk_loc loc = next_call(ctx);
  const char *why = cannot_say(text);
  if (!why) return (hk_node *)text_new(ctx, text, loc);
  refuse(ctx, NULL, "hk_node_new_text", why);
  return NULL;
}

hk_node *hk_node_new_bool(hk_ctx *ctx, bool value) {
  if (!hki_is(ctx, HK_MARK_CTX)) return NULL;
  const hk_loc loc = next_call(ctx);
  return (hk_node *)scalar_new(ctx, value ? "true" : "false", value ? 4 : 5, loc);
}

void hk_node_destroy(hk_node *root) {
  hk_tree_node *t = hki_tree(root);
  if (!t) return;
  if (t->parent) {
    next_call(t->ctx);
    refuse(t->ctx, NULL, "hk_node_destroy", "the node stands in another one: hk_node_remove");
    return;
  }
  node_free(t);
}

/* --- public: changing ------------------------------------------------------------------------- */

hk_status hk_node_set(hk_node *to, const char *key, hk_node *child) {
  hk_tree_node *t = hki_tree(to), *c = hki_tree(child);
  if (!t) return HK_E_USAGE;
  const hk_loc loc = next_call(t->ctx);
  const hk_tree_node *root = t;
  while (root->parent) root = root->parent;
  const char *why = !c                 ? "no node to put there"
                    : c->ctx != t->ctx ? "the nodes belong to different contexts"
                    : c->parent        ? "the node stands in another one already"
                    : c == root        ? "a node cannot stand inside itself"
                                       : cannot_take(t, key, c->height);
  if (why) return refuse(t->ctx, t, "hk_node_set", why);
  const hk_status st = attach(t, key, loc, c);
  if (st && !t->failed) t->failed = loc.line;
  return st;
}

hk_status hk_node_set_number(hk_node *to, const char *key, double x) {
  hk_tree_node *t = hki_tree(to);
  if (!t) return HK_E_USAGE;
  const hk_loc loc = next_call(t->ctx);
  const char *why = isfinite(x) ? cannot_take(t, key, 1) : "numbers of a model are finite";
  if (why) return refuse(t->ctx, t, "hk_node_set_number", why);
  return attach_new(t, key, loc, number_new(t->ctx, x, loc));
}

hk_status hk_node_set_text(hk_node *to, const char *key, const char *text) {
  hk_tree_node *t = hki_tree(to);
  if (!t) return HK_E_USAGE;
  const hk_loc loc = next_call(t->ctx);
  const char *why = cannot_say(text);
  if (!why) why = cannot_take(t, key, 1);
  if (why) return refuse(t->ctx, t, "hk_node_set_text", why);
  return attach_new(t, key, loc, text_new(t->ctx, text, loc));
}

hk_status hk_node_set_bool(hk_node *to, const char *key, bool value) {
  hk_tree_node *t = hki_tree(to);
  if (!t) return HK_E_USAGE;
  const hk_loc loc = next_call(t->ctx);
  const char *why = cannot_take(t, key, 1);
  if (why) return refuse(t->ctx, t, "hk_node_set_bool", why);
  return attach_new(t, key, loc, scalar_new(t->ctx, value ? "true" : "false", value ? 4 : 5, loc));
}

/* a list of n numbers or texts whose items have their numbers, from 1, as columns; NULL: no memory */
static hk_tree_node *list_new(hk_ctx *ctx, hk_loc loc, int32_t n, const double *x,
                              const char *const *text) {
  hk_tree_node *list = node_new(ctx, HK_NODE_SEQUENCE, loc);
  for (int32_t i = 0; list && i < n; i++) {
    const hk_loc at = {loc.file, loc.line, i + 1};
    hk_tree_node *item = x ? number_new(ctx, x[i], at) : text_new(ctx, text[i], at);
    if (item && attach(list, NULL, at, item) == HK_OK) continue;
    if (item) node_free(item);
    node_free(list);
    list = NULL;
  }
  return list;
}

hk_status hk_node_set_numbers(hk_node *to, const char *key, int32_t n, const double *x) {
  hk_tree_node *t = hki_tree(to);
  if (!t) return HK_E_USAGE;
  const hk_loc loc = next_call(t->ctx);
  const char *why = hki_is_list(x, n) ? cannot_take(t, key, n ? 2 : 1)
                                      : "the list of numbers does not fit its count";
  for (int32_t i = 0; !why && i < n; i++)
    if (!isfinite(x[i])) why = "numbers of a model are finite";
  if (why) return refuse(t->ctx, t, "hk_node_set_numbers", why);
  return attach_new(t, key, loc, list_new(t->ctx, loc, n, x, NULL));
}

hk_status hk_node_set_texts(hk_node *to, const char *key, int32_t n, const char *const *text) {
  hk_tree_node *t = hki_tree(to);
  if (!t) return HK_E_USAGE;
  const hk_loc loc = next_call(t->ctx);
  const char *why = hki_is_list(text, n) ? cannot_take(t, key, n ? 2 : 1)
                                         : "the list of texts does not fit its count";
  for (int32_t i = 0; !why && i < n; i++) why = cannot_say(text[i]);
  if (why) return refuse(t->ctx, t, "hk_node_set_texts", why);
  return attach_new(t, key, loc, list_new(t->ctx, loc, n, NULL, text));
}

hk_node *hk_node_make(hk_node *root, const char *path) {
  hk_tree_node *t = hki_tree(root);
  char key[256];
  if (!t) return NULL;
  const hk_loc loc = next_call(t->ctx);
  const char *why = !path || !*path ? "no path" : NULL;
  for (const char *at = path; !why && at;) {
    const size_t n = strcspn(at, ".");
    if (n >= sizeof key) why = "a key of the path is too long";
    if (why) break;
    memcpy(key, at, n);
    key[n] = '\0';
    at = at[n] ? at + n + 1 : NULL;
    if (t->node.kind != HK_NODE_MAPPING) why = "something else than a mapping is on the way";
    hk_tree_node *next = why ? NULL : hki_tree(hk_node_get(&t->node, key));
    if (!next && !why) why = cannot_take(t, key, 1);
    if (!next && !why) {
      next = node_new(t->ctx, HK_NODE_MAPPING, loc);
      if (attach_new(t, key, loc, next)) return NULL;
    }
    if (next) t = next;
  }
  if (!why && t->node.kind != HK_NODE_MAPPING) why = "something else than a mapping stands there";
  if (!why) return &t->node;
  refuse(t->ctx, t, "hk_node_make", why);
  return NULL;
}

/* takes entry or item i out and destroys it */
static void drop(hk_tree_node *t, int32_t i) {
  hk_node *node = &t->node;
  hk_tree_node *child = (hk_tree_node *)child_of(node, i);
  const size_t rest = (size_t)(node->count - i - 1);
  if (node->kind == HK_NODE_MAPPING) {
    hki_free(t->ctx, (char *)node->entries[i].key);
    memmove(node->entries + i, node->entries + i + 1, rest * sizeof *node->entries);
  } else {
    memmove(node->items + i, node->items + i + 1, rest * sizeof *node->items);
  }
  node->count--;
  if (node->slots) {
    memset(node->slots, 0, ((size_t)node->mask + 1) * sizeof *node->slots);
    for (int32_t k = 0; k < node->count; k++) hki_node_index(node, k);
  }
  child->parent = NULL;
  node_free(child);
  sink(t);
}

hk_status hk_node_remove(hk_node *map, const char *key) {
  hk_tree_node *t = hki_tree(map);
  if (!t) return HK_E_USAGE;
  next_call(t->ctx);
  const hk_entry *e = key ? hki_node_find(map, key) : NULL;
  if (!e) return refuse(t->ctx, t, "hk_node_remove", "there is no such key");
  drop(t, (int32_t)(e - map->entries));
  return HK_OK;
}

hk_status hk_node_remove_at(hk_node *node, int32_t i) {
  hk_tree_node *t = hki_tree(node);
  if (!t) return HK_E_USAGE;
  next_call(t->ctx);
  if (i < 0 || i >= node->count)
    return refuse(t->ctx, t, "hk_node_remove_at", "there is nothing of this number");
  drop(t, i);
  return HK_OK;
}

/* --- copies ----------------------------------------------------------------------------------- */

/* puts copies of all below `from` into t; false: no memory */
static bool copy_below(hk_tree_node *t, const hk_node *from);

static hk_tree_node *copy_one(hk_ctx *ctx, const hk_node *from) {
  hk_tree_node *t = scalar_new(ctx, from->text, (size_t)from->len, from->loc);
  if (!t) return NULL;
  t->node.kind = from->kind;
  t->node.quoted = from->quoted;
  t->node.verbatim = from->verbatim;
  t->node.open = from->open;
  if (hki_tree(from)) t->failed = hki_tree(from)->failed;
  if (copy_below(t, from)) return t;
  node_free(t);
  return NULL;
}

static bool copy_below(hk_tree_node *t, const hk_node *from) {
  for (int32_t i = 0; i < from->count; i++) {
    const bool map = from->kind == HK_NODE_MAPPING;
    hk_tree_node *child = copy_one(t->ctx, child_of(from, i));
    if (!child) return false;
    if (attach(t, map ? from->entries[i].key : NULL, map ? from->entries[i].key_loc : HK_LOC_NONE,
               child) == HK_OK)
      continue;
    node_free(child);
    return false;
  }
  return true;
}

hk_node *hki_tree_take(hk_ctx *ctx, const hk_node *from) { return (hk_node *)copy_one(ctx, from); }

hk_node *hk_node_copy(const hk_node *node) {
  const hk_tree_node *t = hki_tree(node);
  return t ? (hk_node *)copy_one(t->ctx, node) : NULL;
}
