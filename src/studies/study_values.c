/* SPDX-License-Identifier: Apache-2.0
 *
 * study_values.c: texts, numbers and lists of study files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/expr.h"
#include "studies/study_impl.h"

bool hki_study_get_text(hk_study_reader *r, const hk_node *node, const char *what,
                        hk_study_text *out) {
  char found[64];
  const char *text = hki_node_text(node);
  if (!text || !*text) {
    hki_rd_error(&r->rd, node->loc, NULL, "'%s' must be a text, found %s", what,
                 hki_node_describe(node, found, sizeof found));
    return false;
  }
  // the place of the text's first character, from which errors in expressions count
  *out = (hk_study_text){hki_pool_strdup(r->s->pool, text), hki_node_text_loc(node, 0)};
  return out->text != NULL;
}

bool hki_study_get_number(hk_study_reader *r, const hk_node *node, const char *what, double *out) {
  char found[64];
  const char *text = hki_node_text(node);
  if (!text || !*text) {
    hki_rd_error(&r->rd, node->loc, NULL, "'%s' must be a number, found %s", what,
                 hki_node_describe(node, found, sizeof found));
    return false;
  }
  if (hki_decimal(text, node->len, out)) return true;
  if (hki_expr_parse_number(r->rd.ctx, text, (size_t)node->len, hki_node_text_loc(node, 0), NULL,
                            out))
    return false;
  if (isfinite(*out)) return true;
  hki_rd_error(&r->rd, node->loc, NULL, "'%s' must be a finite number", what);
  return false;
}

bool hki_study_get_positive(hk_study_reader *r, const hk_node *map, const char *key, double *out) {
  const hk_node *node = hki_node_get(map, key);
  if (!node || node->kind == HK_NODE_NULL) return true;
  if (!hki_study_get_number(r, node, key, out)) return false;
  if (*out > 0.0) return true;
  hki_rd_error(&r->rd, node->loc, NULL, "'%s' must be positive, found %g", key, *out);
  return false;
}

bool hki_study_get_count(hk_study_reader *r, const hk_node *map, const hk_param *keys,
                         const char *key, int32_t *out) {
  const hk_node *node = hki_node_get(map, key);
  const hk_param *p = hki_params_find(keys, key);
  double x;
  if (!node || node->kind == HK_NODE_NULL) return true;
  if (!hki_study_get_number(r, node, key, &x)) return false;
  if (x >= p->min && x <= p->max && x == floor(x)) {
    *out = (int32_t)x;
    return true;
  }
  hki_rd_error(&r->rd, node->loc, NULL, "'%s' must be a whole number from %g to %g, found %g", key,
               p->min, p->max, x);
  return false;
}

bool hki_study_get_bool(hk_study_reader *r, const hk_node *map, const char *key, bool *out) {
  const hk_node *node = hki_node_get(map, key);
  char found[64];
  if (!node || node->kind == HK_NODE_NULL || hki_node_bool(node, out)) return true;
  hki_rd_error(&r->rd, node->loc, NULL, "'%s' must be true or false, found %s", key,
               hki_node_describe(node, found, sizeof found));
  return false;
}

/* a list, or one value as a list of one; *n entries */
static const hk_node *item(const hk_node *node, int32_t i) {
  return node->kind == HK_NODE_SEQUENCE ? node->items[i] : node;
}

static int32_t length(hk_study_reader *r, const hk_node *node, const char *key) {
  int32_t n = node->kind == HK_NODE_SEQUENCE ? node->count : 1;
  if (n >= 1 && n <= HK_STUDY_LIST) return n;
  hki_rd_error(&r->rd, node->loc, NULL, "'%s' must be a list of 1 to %d entries, found %d", key,
               HK_STUDY_LIST, n);
  return 0;
}

bool hki_study_get_names(hk_study_reader *r, const hk_node *map, const char *key,
                         hk_study_list *out) {
  const hk_node *node = hki_node_get(map, key);
  if (!node || node->kind == HK_NODE_NULL || hki_node_is(node, "all")) return true;
  int32_t n = length(r, node, key);
  out->texts = hki_pool_alloc(r->s->pool, (size_t)(n + 1) * sizeof *out->texts);
  out->locs = hki_pool_alloc(r->s->pool, (size_t)(n + 1) * sizeof *out->locs);
  if (!n || !out->texts || !out->locs) return false;
  for (int32_t i = 0; i < n; i++) {
    hk_study_text t;
    if (!hki_study_get_text(r, item(node, i), key, &t)) return false;
    out->texts[out->n] = t.text;
    out->locs[out->n++] = item(node, i)->loc;
  }
  return true;
}

bool hki_study_get_steps(hk_study_reader *r, const hk_node *map, const char *key,
                         hk_study_steps *out) {
  const hk_node *node = hki_node_get(map, key);
  if (!node || node->kind == HK_NODE_NULL) return true;
  int32_t n = length(r, node, key);
  out->h = hki_pool_alloc(r->s->pool, (size_t)(n + 1) * sizeof *out->h);
  if (!n || !out->h) return false;
  for (int32_t i = 0; i < n; i++) {
    double h;
    if (!hki_study_get_number(r, item(node, i), key, &h)) return false;
    if (!(h > 0.0)) {
      hki_rd_error(&r->rd, item(node, i)->loc, NULL, "a step must be positive, found %g", h);
      return false;
    }
    out->h[out->n++] = h;
  }
  return true;
}

bool hki_study_get_pairs(hk_study_reader *r, const hk_node *map, const char *key,
                         hk_study_pairs *out) {
  const hk_node *node = hki_node_get(map, key);
  char found[64];
  if (!node || node->kind == HK_NODE_NULL) return true;
  if (node->kind != HK_NODE_MAPPING) {
    hki_rd_error(&r->rd, node->loc, "write it as {name: value, ...}",
                 "'%s' must be a mapping, found %s", key,
                 hki_node_describe(node, found, sizeof found));
    return false;
  }
  size_t n = (size_t)node->count + 1;
  out->names = hki_pool_alloc(r->s->pool, n * sizeof *out->names);
  out->values = hki_pool_alloc(r->s->pool, n * sizeof *out->values);
  out->locs = hki_pool_alloc(r->s->pool, n * sizeof *out->locs);
  if (!out->names || !out->values || !out->locs) return false;
  for (int32_t i = 0; i < node->count; i++) {
    const hk_entry *e = &node->entries[i];
    hk_study_text t;
    if (!hki_study_get_text(r, e->value, e->key, &t)) return false;
    out->names[out->n] = hki_pool_strdup(r->s->pool, e->key);
    out->values[out->n] = t.text;
    out->locs[out->n++] = e->key_loc;
  }
  return true;
}

const char *hki_study_path(hk_study_reader *r, const char *path) {
  const char *slash = strrchr(r->s->path, '/');
  if (!slash || path[0] == '/') return path;
  return hki_pool_printf(r->s->pool, "%.*s/%s", (int)(slash - r->s->path), r->s->path, path);
}
