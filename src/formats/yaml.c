/* SPDX-License-Identifier: Apache-2.0
 *
 * yaml.c: libyaml's events -> the node tree.
 *
 * libyaml gives a flat stream of events with marks; this file keeps the stack of open collections,
 * resolves anchors, aliases and merge keys, and watches the limits. The grammar is libyaml's
 * (YAML 1.1 and 1.2, of which JSON is a subset); scalars are left uninterpreted.
 *
 * Size: `weight` of a node is the number of nodes a walker meets below it, aliases in full. It is
 * summed while the tree grows and the reading stops as soon as it passes the limit, before memory
 * or time has been spent on it.
 */
#include "formats/yaml.h"

#include <stdio.h>
#include <string.h>

#include "formats/yaml_check.h"

/* reading stops after this many errors in one file */
#define MAX_ERRORS 20

/* an open collection */
typedef struct level {
  hk_node *node;
  int32_t first;   /* its first entry on the pending stack */
  const char *key; /* mapping: the key that waits for its value, or NULL */
  hk_loc key_loc;
  bool merge;     /* that key is `<<` */
  int64_t weight; /* sum over its values so far; stored in the node when it closes */
} level;

/* a value waiting until its collection closes */
typedef struct pending {
  const char *key; /* NULL in sequences */
  hk_loc key_loc;
  hk_node *value;
  bool merge;
} pending;

typedef struct reader {
  hk_ctx *ctx;
  hk_pool *pool;
  int32_t file;
  hk_yaml_limits max;
  int64_t work; /* nodes made and merged so far */
  int32_t errors;
  hk_node *root;

  level *levels;
  int32_t depth, levels_cap;
  pending *stack;
  int32_t nstack, stack_cap;

  hk_names *names; /* anchor -> index below */
  hk_node **anchors;
  int32_t nanchors, anchors_cap;
} reader;

static hk_loc mark_loc(const reader *r, const yaml_mark_t *m) {
  return (hk_loc){r->file, (int32_t)m->line + 1, (int32_t)m->column + 1};
}

static hk_status too_large(reader *r, hk_loc loc) {
  return hki_error(r->ctx, HK_E_MODEL, loc, "aliases count with all they refer to",
                   "the file is too large: it unfolds into more than %lld values",
                   (long long)r->max.nodes);
}

static hk_node *node_new(reader *r, hk_node_kind kind, hk_loc loc) {
  hk_node *n = hki_pool_alloc(r->pool, sizeof *n);
  if (!n) return NULL;
  n->kind = kind;
  n->loc = loc;
  n->text = "";
  return n;
}

/* --- anchors and tags ------------------------------------------------------------------------- */

static hk_status anchor_set(reader *r, const yaml_char_t *name, hk_node *node) {
  int32_t at = r->nanchors;
  if (!name) return HK_OK;
  if (!r->names && !(r->names = hki_names_create(r->ctx))) return HK_E_MEMORY;
  char *copy = hki_pool_strdup(r->pool, (const char *)name);
  if (!copy || !HK_GROW(r->ctx, r->anchors, r->anchors_cap, at + 1)) return HK_E_MEMORY;

  /* a later anchor of the same name replaces the earlier one */
  if (hki_names_add(r->names, copy, at, &at)) at = r->nanchors++;
  if (at < 0) return HK_E_MEMORY;
  r->anchors[at] = node;
  return HK_OK;
}

static hk_status alias_get(reader *r, const yaml_event_t *ev, hk_node **node) {
  const char *name = (const char *)ev->data.alias.anchor;
  hk_loc loc = mark_loc(r, &ev->start_mark);
  int32_t at = r->names ? hki_names_find(r->names, name) : -1;
  if (at < 0) {
    return hki_error(r->ctx, HK_E_MODEL, loc, "an anchor '&name' must stand before its alias",
                     "alias '*%s' refers to no anchor", name);
  }
  /* a collection still open has no weight yet */
  if (r->anchors[at]->weight == 0) {
    return hki_error(r->ctx, HK_E_MODEL, loc, NULL, "alias '*%s' stands inside its own anchor",
                     name);
  }
  *node = r->anchors[at];
  return HK_OK;
}

/* accepts YAML's own tags and refuses all others */
static hk_status tag_check(reader *r, const yaml_event_t *ev, const yaml_char_t *tag) {
  const char *t = (const char *)tag;
  if (!t || strcmp(t, "!") == 0 || strncmp(t, "tag:yaml.org,2002:", 18) == 0) return HK_OK;
  return hki_error(r->ctx, HK_E_MODEL, mark_loc(r, &ev->start_mark), "remove the tag",
                   "tag '%s' has no meaning in a model file", t);
}

/* --- mappings --------------------------------------------------------------------------------- */

/* all entries of a merge source that are not there yet */
static void mapping_merge(hk_node *map, const hk_node *source) {
  for (int32_t i = 0; i < source->count; i++) {
    const hk_entry *e = &source->entries[i];
    const hk_entry add = {.key = e->key, .key_loc = e->key_loc, .value = e->value, .merged = true};
    if (!hki_node_put(map, &add)) map->weight += e->value->weight;
  }
}

/* how many entries the value of `<<` may bring; -1 when it is no mapping or list of mappings */
static int64_t merge_size(const hk_node *v) {
  int64_t n = 0;
  if (v->kind == HK_NODE_MAPPING) return v->count;
  if (v->kind != HK_NODE_SEQUENCE) return -1;
  for (int32_t i = 0; i < v->count; i++) {
    if (v->items[i]->kind != HK_NODE_MAPPING) return -1;
    n += v->items[i]->count;
  }
  return n;
}

static hk_status mapping_close(reader *r, const level *lv) {
  hk_node *map = lv->node;
  const pending *p = r->stack ? r->stack + lv->first : NULL; /* {} may come first of all */
  int32_t n = r->nstack - lv->first;
  int64_t room = n;

  /* merging costs work even where it adds nothing */
  for (int32_t i = 0; i < n; i++) {
    if (!p[i].merge) continue;
    int64_t size = merge_size(p[i].value);
    if (size < 0) {
      return hki_error(r->ctx, HK_E_MODEL, p[i].value->loc, "write '<<: *name'",
                       "the merge key '<<' wants a mapping or a list of mappings");
    }
    room += size;
    r->work += size;
    if (r->work > r->max.nodes) return too_large(r, p[i].key_loc);
  }
  if (!hki_node_reserve(r->pool, map, room)) return HK_E_MEMORY;

  /* own keys first: they win over merged ones, and must be unique */
  for (int32_t i = 0; i < n; i++) {
    if (p[i].merge) continue;
    const hk_entry own = {.key = p[i].key, .key_loc = p[i].key_loc, .value = p[i].value};
    const hk_entry *old = hki_node_put(map, &own);
    if (!old) continue;
    r->errors++;
    char hint[64];
    snprintf(hint, sizeof hint, "the first one is at %d:%d", (int)old->key_loc.line,
             (int)old->key_loc.col);
    hki_error(r->ctx, HK_E_MODEL, p[i].key_loc, hint, "key '%.200s' is given twice", p[i].key);
  }
  for (int32_t i = 0; i < n; i++) {
    if (!p[i].merge) continue;
    const hk_node *v = p[i].value;
    if (v->kind == HK_NODE_MAPPING) mapping_merge(map, v);
    for (int32_t k = 0; v->kind == HK_NODE_SEQUENCE && k < v->count; k++) {
      mapping_merge(map, v->items[k]);
    }
  }
  return HK_OK;
}

/* --- growing the tree ------------------------------------------------------------------------- */

/* add a finished value to the innermost open collection, or make it the root */
static hk_status value_add(reader *r, hk_node *node, hk_loc loc) {
  r->work++;
  if (r->work > r->max.nodes || node->weight > r->max.nodes) return too_large(r, loc);
  if (r->depth == 0) {
    r->root = node;
    return HK_OK;
  }
  level *lv = &r->levels[r->depth - 1];
  lv->weight += node->weight;
  if (lv->weight > r->max.nodes) return too_large(r, loc);
  if (!HK_GROW(r->ctx, r->stack, r->stack_cap, r->nstack + 1)) return HK_E_MEMORY;
  r->stack[r->nstack++] =
      (pending){.key = lv->key, .key_loc = lv->key_loc, .value = node, .merge = lv->merge};
  lv->key = NULL;
  return HK_OK;
}

/* true when the innermost open collection is a mapping whose next scalar is a key */
static bool wants_key(const reader *r) {
  if (r->depth == 0) return false;
  const level *lv = &r->levels[r->depth - 1];
  return lv->node->kind == HK_NODE_MAPPING && !lv->key;
}

static hk_status complex_key(reader *r, const yaml_event_t *ev) {
  return hki_error(r->ctx, HK_E_MODEL, mark_loc(r, &ev->start_mark),
                   "quote a key that begins with [ { or *", "a key must be a plain name");
}

static hk_status on_open(reader *r, const yaml_event_t *ev, hk_node_kind kind) {
  bool seq = kind == HK_NODE_SEQUENCE;
  const yaml_char_t *tag = seq ? ev->data.sequence_start.tag : ev->data.mapping_start.tag;
  const yaml_char_t *anchor = seq ? ev->data.sequence_start.anchor : ev->data.mapping_start.anchor;
  hk_loc loc = mark_loc(r, &ev->start_mark);
  hk_status st = tag_check(r, ev, tag);
  if (st) return st;
  if (wants_key(r)) return complex_key(r, ev);
  if (r->depth >= r->max.depth) {
    return hki_error(r->ctx, HK_E_MODEL, loc, NULL, "nested deeper than %d levels",
                     (int)r->max.depth);
  }
  hk_node *node = node_new(r, kind, loc);
  if (!node || !HK_GROW(r->ctx, r->levels, r->levels_cap, r->depth + 1)) return HK_E_MEMORY;
  r->levels[r->depth++] = (level){.node = node, .first = r->nstack};
  return anchor_set(r, anchor, node);
}

static hk_status on_close(reader *r) {
  level lv = r->levels[r->depth - 1];
  hk_node *node = lv.node;
  if (node->kind == HK_NODE_MAPPING) {
    hk_status st = mapping_close(r, &lv);
    if (st) return st;
  } else if (r->nstack > lv.first) {
    node->count = r->nstack - lv.first;
    node->items = hki_pool_alloc(r->pool, (size_t)node->count * sizeof *node->items);
    if (!node->items) return HK_E_MEMORY;
    for (int32_t i = 0; i < node->count; i++) node->items[i] = r->stack[lv.first + i].value;
  }
  node->weight += lv.weight + 1;
  r->nstack = lv.first;
  r->depth--;
  return value_add(r, node, node->loc);
}

/* true for the plain scalars that mean null */
static bool is_null_text(const char *s) {
  return *s == 0 || strcmp(s, "~") == 0 || strcmp(s, "null") == 0 || strcmp(s, "Null") == 0 ||
         strcmp(s, "NULL") == 0;
}

/* the key of the next entry */
static hk_status on_key(reader *r, const yaml_event_t *ev) {
  level *lv = &r->levels[r->depth - 1];
  const char *text = (const char *)ev->data.scalar.value;
  size_t len = ev->data.scalar.length;
  hk_loc loc = mark_loc(r, &ev->start_mark);
  if (len == 0 || ev->data.scalar.anchor) {
    return hki_error(r->ctx, HK_E_MODEL, loc, NULL,
                     len ? "a key cannot carry an anchor" : "a key is missing before ':'");
  }
  lv->key = hki_pool_strndup(r->pool, text, len);
  lv->key_loc = loc;
  lv->merge = strcmp(text, "<<") == 0 && ev->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
  return lv->key ? HK_OK : HK_E_MEMORY;
}

/* refuse control characters that came in by escapes: messages would send them to terminals */
static hk_status check_controls(reader *r, hk_loc loc, const char *text, size_t len) {
  for (size_t i = 0; i < len; i++) {
    unsigned char c = (unsigned char)text[i];
    if ((c >= 0x20 && c != 0x7F) || c == '\n' || c == '\t') continue;
    return hki_error(r->ctx, HK_E_MODEL, loc, NULL,
                     "a text cannot hold the control character U+%04X", (unsigned)c);
  }
  return HK_OK;
}

static hk_status on_scalar(reader *r, const yaml_event_t *ev) {
  const char *text = (const char *)ev->data.scalar.value, *tag = (const char *)ev->data.scalar.tag;
  size_t len = ev->data.scalar.length, chars = 0;
  hk_loc loc = mark_loc(r, &ev->start_mark);
  hk_status st = tag_check(r, ev, ev->data.scalar.tag);
  if (st) return st;
  st = check_controls(r, loc, text, len);
  if (st) return st;
  if (wants_key(r)) return on_key(r, ev);

  hk_node *node = node_new(r, HK_NODE_SCALAR, loc);
  if (!node) return HK_E_MEMORY;
  bool as_text = tag && (strcmp(tag, "!") == 0 || strcmp(tag, YAML_STR_TAG) == 0);
  bool plain = ev->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
  node->quoted = !plain || as_text;
  if (!node->quoted && is_null_text(text)) node->kind = HK_NODE_NULL;
  if (len) node->text = hki_pool_strndup(r->pool, text, len);
  if (!node->text) return HK_E_MEMORY;
  node->len = (int32_t)len;
  node->weight = 1;

  /* verbatim when the scalar takes as many columns as it has characters: no folds, no escapes */
  for (size_t i = 0; i < len; i++) chars += ((unsigned char)text[i] & 0xC0u) != 0x80u;
  node->verbatim = ev->start_mark.line == ev->end_mark.line && plain != node->quoted &&
                   ev->end_mark.column - ev->start_mark.column == chars + (plain ? 0 : 2);
  st = anchor_set(r, ev->data.scalar.anchor, node);
  return st ? st : value_add(r, node, loc);
}

static hk_status on_event(reader *r, const yaml_event_t *ev) {
  hk_node *node = NULL;
  hk_status st;
  switch (ev->type) {
    case YAML_DOCUMENT_START_EVENT:
      if (!r->root) return HK_OK;
      return hki_error(r->ctx, HK_E_MODEL, mark_loc(r, &ev->start_mark),
                       "keep one model in each file", "a second document starts here");
    case YAML_SCALAR_EVENT:
      return on_scalar(r, ev);
    case YAML_SEQUENCE_START_EVENT:
      return on_open(r, ev, HK_NODE_SEQUENCE);
    case YAML_MAPPING_START_EVENT:
      return on_open(r, ev, HK_NODE_MAPPING);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
      return on_close(r);
    case YAML_ALIAS_EVENT:
      if (wants_key(r)) return complex_key(r, ev);
      st = alias_get(r, ev, &node);
      return st ? st : value_add(r, node, mark_loc(r, &ev->start_mark));
    default:
      return HK_OK;
  }
}

/* --- files ------------------------------------------------------------------------------------ */

static hk_status read_events(reader *r, const char *text, size_t len) {
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser)) return hki_no_memory(r->ctx);
  yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
  yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);

  hk_status st = HK_OK;
  bool end = false;
  while (!st && !end && r->errors < MAX_ERRORS) {
    yaml_event_t ev;
    if (!yaml_parser_parse(&parser, &ev)) {
      st = hki_yaml_syntax_error(r->ctx, r->file, text, len, &parser);
      break;
    }
    end = ev.type == YAML_STREAM_END_EVENT;
    st = on_event(r, &ev);
    yaml_event_delete(&ev);
  }
  yaml_parser_delete(&parser);
  return st ? st : r->errors ? HK_E_MODEL : HK_OK;
}

hk_status hki_yaml_parse(hk_ctx *ctx, hk_pool *pool, const char *name, const char *text, size_t len,
                         const hk_yaml_limits *limits, hk_node **root) {
  reader r = {.ctx = ctx, .pool = pool, .file = hki_ctx_file(ctx, name)};
  if (limits) r.max = *limits;
  if (r.max.depth <= 0) r.max.depth = 64;
  if (r.max.nodes <= 0) r.max.nodes = 4000000;
  *root = NULL;

  /* skip the byte order mark here: libyaml skips it only while it guesses the encoding */
  hk_status st = hki_yaml_check_text(ctx, r.file, text, len);
  if (st) return st;
  if (len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
    text += 3;
    len -= 3;
  }

  st = read_events(&r, text, len);
  if (!st && (!r.root || r.root->kind == HK_NODE_NULL)) {
    st = hki_error(ctx, HK_E_MODEL, (hk_loc){r.file, 1, 1}, "a model begins with 'hooke: 1'",
                   "the file is empty");
  }
  if (!st) *root = r.root;
  hki_free(ctx, r.levels);
  hki_free(ctx, r.stack);
  hki_free(ctx, r.anchors);
  if (r.names) hki_names_destroy(r.names);
  return st;
}

hk_status hki_yaml_read(hk_ctx *ctx, hk_pool *pool, const char *path, hk_loc from,
                        const hk_yaml_limits *limits, hk_node **root) {
  char *text = NULL;
  size_t len = 0, max = limits && limits->bytes ? limits->bytes : (size_t)256 << 20;
  *root = NULL;
  hk_status st = hki_read_file(ctx, path, from, max, &text, &len);
  if (st) return st;
  st = hki_yaml_parse(ctx, pool, path, text, len, limits, root);
  hki_free(ctx, text);
  return st;
}
