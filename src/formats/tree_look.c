/* SPDX-License-Identifier: Apache-2.0
 *
 * tree_look.c: looking at trees that programs build, reading them from files, writing them as text,
 * and handing them to the model reader.
 */
#include "formats/tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/csv_table.h"

static hk_node *child_of(const hk_node *node, int32_t i) {
  return node->kind == HK_NODE_MAPPING ? node->entries[i].value : node->items[i];
}

/* --- public: looking -------------------------------------------------------------------------- */

hk_node_kind hk_node_kind_of(const hk_node *node) {
  return hki_tree(node) ? node->kind : HK_NODE_NULL;
}

int32_t hk_node_count(const hk_node *node) { return hki_tree(node) ? node->count : 0; }

const char *hk_node_key(const hk_node *map, int32_t i) {
  if (!hki_tree(map) || map->kind != HK_NODE_MAPPING || i < 0 || i >= map->count) return NULL;
  return map->entries[i].key;
}

hk_node *hk_node_item(const hk_node *node, int32_t i) {
  return hki_tree(node) && i >= 0 && i < node->count ? child_of(node, i) : NULL;
}

hk_node *hk_node_get(const hk_node *map, const char *key) {
  const hk_entry *e = hki_tree(map) && key ? hki_node_find(map, key) : NULL;
  return e ? e->value : NULL;
}

hk_node *hk_node_at(const hk_node *root, const char *path) {
  char key[256];
  hk_node *at = hki_tree(root) && path ? (hk_node *)root : NULL;
  for (const char *s = path; at && *s;) {
    const size_t n = strcspn(s, ".[");
    if (n >= sizeof key) return NULL;
    memcpy(key, s, n);
    key[n] = '\0';
    // a path may begin with the number of an item
    if (n > 0) at = hk_node_get(at, key);
    s += n;
    while (at && *s == '[') {
      char *end;
      const long i = strtol(s + 1, &end, 10);
      if (end == s + 1 || *end != ']' || i < 0 || i > INT32_MAX) return NULL;
      at = at->kind == HK_NODE_SEQUENCE ? hk_node_item(at, (int32_t)i) : NULL;
      s = end + 1;
    }
    if (*s == '\0') break;
    if (*s != '.' || s[1] == '\0' || s[1] == '.' || s[1] == '[' || s == path) return NULL;
    s++;
  }
  return at;
}

const char *hk_node_text(const hk_node *node) {
  return hki_tree(node) ? hki_node_text(node) : NULL;
}

hk_status hk_node_number(const hk_node *node, double *x) {
  if (x) *x = NAN;
  const char *text = hk_node_text(node);
  double value;
  if (!x || !text || node->quoted || !hki_decimal(text, node->len, &value)) return HK_E_USAGE;
  *x = value;
  return HK_OK;
}

int32_t hk_node_numbers(const hk_node *list, int32_t most, double *x) {
  if (hk_node_kind_of(list) != HK_NODE_SEQUENCE) return -1;
  const int32_t n = hk_node_count(list);
  double value;
  for (int32_t i = 0; i < n; i++) {
    if (hk_node_number(hk_node_item(list, i), &value) != HK_OK) return -1;
    if (x && i < most) x[i] = value;
  }
  return n;
}

hk_status hk_node_bool(const hk_node *node, bool *value) {
  if (value) *value = false;
  if (!value || !hki_tree(node)) return HK_E_USAGE;
  // on, off, yes, no may be names
  if (strchr("tTfF", *node->text) && hki_node_bool(node, value)) return HK_OK;
  return HK_E_USAGE;
}

int32_t hk_node_quoted(const hk_node *node) { return hki_tree(node) && node->quoted ? 1 : 0; }

const char *hk_node_where(const hk_node *node, int32_t *line, int32_t *column) {
  const hk_tree_node *t = hki_tree(node);
  if (line) *line = t ? node->loc.line : 0;
  if (column) *column = t && !hki_tree_of_program(node) ? node->loc.col : 0;
  return t ? hki_ctx_file_name(t->ctx, node->loc.file) : NULL;
}

/* --- public: files and texts ------------------------------------------------------------------ */

static const char *wrong(const hk_ctx *ctx, const char *name, hk_node **out) {
  if (out) *out = NULL;
  if (!hki_is(ctx, HK_MARK_CTX)) return "no context";
  if (!out) return "no place for the tree";
  return name ? NULL : "no path or name";
}

hk_status hk_node_parse(hk_ctx *ctx, const char *text, size_t len, const char *name,
                        hk_node **out) {
  const char *why = wrong(ctx, name, out);
  if (!why && !text) why = "no text";
  if (why) return hki_misuse(ctx, "hk_node_parse", why);
  hk_pool *pool = hki_pool_create(ctx);
  hk_node *root = NULL;
  hk_status st = pool ? hki_yaml_parse(ctx, pool, name, text, len, NULL, &root) : HK_E_MEMORY;
  if (!st && !(*out = hki_tree_take(ctx, root))) st = HK_E_MEMORY;
  if (pool) hki_pool_destroy(pool);
  return st;
}

hk_status hk_node_read(hk_ctx *ctx, const char *path, hk_node **out) {
  const char *why = wrong(ctx, path, out);
  if (why) return hki_misuse(ctx, "hk_node_read", why);
  hk_pool *pool = hki_pool_create(ctx);
  hk_node *root = NULL;
  hk_status st = pool ? hki_yaml_read(ctx, pool, path, HK_LOC_NONE, NULL, &root) : HK_E_MEMORY;
  if (!st && !(*out = hki_tree_take(ctx, root))) st = HK_E_MEMORY;
  if (pool) hki_pool_destroy(pool);
  return st;
}

const char *hk_node_yaml(hk_node *node) {
  hk_tree_node *t = hki_tree(node);
  hk_text text;
  if (!t) return NULL;
  hki_text_init(&text, t->ctx);
  hki_yaml_write(node, &text);
  hki_free(t->ctx, t->yaml);
  t->yaml = text.failed ? NULL : hki_strndup(t->ctx, text.s ? text.s : "", text.len);
  hki_text_free(&text);
  return t->yaml;
}

/* --- for the reader --------------------------------------------------------------------------- */

typedef struct giver {
  hk_ctx *ctx;
  hk_pool *pool;
  int32_t from, to; /* what stands in the first file is said to stand in the second */
  int64_t left;     /* nodes that may still come */
} giver;

static hk_loc moved(const giver *g, hk_loc loc) {
  if (loc.file == g->from) loc.file = g->to;
  return loc;
}

static hk_status give(giver *g, const hk_node *from, hk_node **out) {
  const hk_tree_node *t = (const hk_tree_node *)from;
  hk_node *node = *out = hki_pool_alloc(g->pool, sizeof *node);
  if (!node) return HK_E_MEMORY;
  if (t->failed)
    return hki_error(g->ctx, HK_E_USAGE, (hk_loc){g->to, t->failed, 0}, NULL,
                     "this call was refused: the tree is not what the program meant");
  if (g->left-- <= 0)
    return hki_error(g->ctx, HK_E_MODEL, moved(g, from->loc), NULL,
                     "the model is too large: it has more than %d values", HK_TREE_NODES);
  *node = (hk_node){.kind = from->kind,
                    .loc = moved(g, from->loc),
                    .text = hki_pool_strndup(g->pool, from->text, (size_t)from->len),
                    .len = from->len,
                    .quoted = from->quoted,
                    .verbatim = from->verbatim,
                    .open = from->open,
                    .weight = 1};
  if (!node->text) return HK_E_MEMORY;
  const bool map = from->kind == HK_NODE_MAPPING;
  if (map && !hki_node_reserve(g->pool, node, from->count)) return HK_E_MEMORY;
  if (!map && from->count &&
      !(node->items = hki_pool_alloc(g->pool, (size_t)from->count * sizeof *node->items)))
    return HK_E_MEMORY;
  for (int32_t i = 0; i < from->count; i++) {
    hk_node *child;
    const hk_status st = give(g, child_of(from, i), &child);
    if (st) return st;
    node->weight += child->weight;
    if (!map) {
      node->items[node->count++] = child;
      continue;
    }
    const char *key = hki_pool_strdup(g->pool, from->entries[i].key);
    if (!key) return HK_E_MEMORY;
    hki_node_put(
        node,
        &(hk_entry){.key = key, .key_loc = moved(g, from->entries[i].key_loc), .value = child});
  }
  return HK_OK;
}

hk_status hki_tree_give(hk_ctx *ctx, hk_pool *pool, const hk_node *root, int32_t file,
                        hk_node **out) {
  giver g = {ctx, pool, hki_ctx_file(ctx, HK_PROGRAM), file, HK_TREE_NODES};
  const hk_status st = give(&g, root, out);
  if (st) *out = NULL;
  return st;
}

/* Looks for what the call made, a node or an entry, and writes its path behind the first n bytes.
 * Without a column any item of a list will do. */
static bool find_call(const hk_node *node, int32_t file, hk_loc loc, char *buf, size_t cap,
                      size_t n) {
  if (node->loc.file == file && node->loc.line == loc.line && node->loc.col == loc.col) return true;
  for (int32_t i = 0; i < node->count; i++) {
    int len;
    bool here = false;
    if (node->kind == HK_NODE_MAPPING) {
      const hk_entry *e = &node->entries[i];
      here = e->key_loc.file == file && e->key_loc.line == loc.line && loc.col == 0;
      len = snprintf(buf + n, cap - n, "%s%s", n ? "." : "", e->key);
    } else {
      len = snprintf(buf + n, cap - n, "[%d]", (int)i);
    }
    // a path that is too long is cut
    const size_t end = len < 0 || n + (size_t)len >= cap ? cap - 1 : n + (size_t)len;
    if (here || find_call(child_of(node, i), file, loc, buf, cap, end)) return true;
  }
  buf[n] = '\0';
  return false;
}

void hki_tree_path(const hk_node *root, hk_loc loc, char *buf, size_t cap) {
  const hk_tree_node *t = hki_tree(root);
  buf[0] = '\0';
  if (t) find_call(root, hki_ctx_file(t->ctx, HK_PROGRAM), loc, buf, cap, 0);
}
