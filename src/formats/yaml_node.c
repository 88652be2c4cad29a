/* SPDX-License-Identifier: Apache-2.0
 *
 * yaml_node.c: looking things up in the node tree, entries of mappings, describing nodes in messages,
 * and the hash of a tree.
 */
#include "formats/yaml.h"

#include "formats/csv_table.h"

#include <stdio.h>
#include <string.h>

hk_entry *hki_node_find(const hk_node *map, const char *key) {
  if (!map || map->kind != HK_NODE_MAPPING) return NULL;

  /* large mappings carry an open-addressing table of entry numbers plus one */
  if (map->slots) {
    uint32_t at = (uint32_t)hki_hash(key, strlen(key), 0) & map->mask;
    for (; map->slots[at]; at = (at + 1) & map->mask) {
      hk_entry *e = &map->entries[map->slots[at] - 1];
      if (strcmp(e->key, key) == 0) return e;
    }
    return NULL;
  }
  for (int32_t i = 0; i < map->count; i++) {
    if (strcmp(map->entries[i].key, key) == 0) return &map->entries[i];
  }
  return NULL;
}

hk_node *hki_node_get(const hk_node *map, const char *key) {
  hk_entry *e = hki_node_find(map, key);
  if (!e) return NULL;
  e->used = true;
  return e->value;
}

const char *hki_node_text(const hk_node *node) {
  return node && node->kind == HK_NODE_SCALAR ? node->text : NULL;
}

bool hki_node_is(const hk_node *node, const char *word) {
  const char *text = hki_node_text(node);
  return text && strcmp(text, word) == 0;
}

bool hki_node_bool(const hk_node *node, bool *value) {
  static const char *const yes[] = {"true", "True", "TRUE", "on", "On", "ON", "yes", "Yes", "YES"};
  static const char *const no[] = {"false", "False", "FALSE", "off", "Off",
                                   "OFF",   "no",    "No",    "NO"};
  if (!hki_node_text(node) || node->quoted) return false;
  for (int32_t i = 0; i < HK_ARRAY_LEN(yes); i++) {
    if (hki_node_is(node, yes[i])) {
      *value = true;
      return true;
    }
    if (hki_node_is(node, no[i])) {
      *value = false;
      return true;
    }
  }
  return false;
}

hk_loc hki_node_text_loc(const hk_node *node, int32_t offset) {
  hk_loc loc = node->loc;
  if (node->kind != HK_NODE_SCALAR || !node->verbatim) return loc;
  if (node->quoted) loc.col++;
  /* columns count characters: skip the continuation bytes of UTF-8 */
  for (int32_t i = 0; i < offset && i < node->len; i++) {
    if (((unsigned char)node->text[i] & 0xC0u) != 0x80u) loc.col++;
  }
  return loc;
}

const char *hki_node_describe(const hk_node *node, char *buf, size_t cap) {
  if (!node || node->kind == HK_NODE_NULL) {
    snprintf(buf, cap, "nothing");
  } else if (node->kind == HK_NODE_MAPPING) {
    snprintf(buf, cap, node->count == 0 ? "an empty mapping" : "a mapping");
  } else if (node->kind == HK_NODE_SEQUENCE) {
    snprintf(buf, cap, node->count == 0 ? "an empty list" : "a list of %d", (int)node->count);
  } else if (node->len > 40) {
    /* cut long texts at a character boundary */
    int n = 36;
    while (n > 0 && ((unsigned char)node->text[n] & 0xC0u) == 0x80u) n--;
    snprintf(buf, cap, "'%.*s...'", n, node->text);
  } else {
    snprintf(buf, cap, node->quoted ? "the text '%s'" : "'%s'", node->text);
  }
  return buf;
}

/* --- entries of mappings ---------------------------------------------------------------------- */

bool hki_node_reserve(hk_pool *pool, hk_node *map, int64_t n) {
  if (n == 0) return true;
  map->entries = hki_pool_alloc(pool, (size_t)n * sizeof *map->entries);
  if (!map->entries) return false;
  if (n <= HK_NODE_SMALL) return true;
  uint32_t size = 32;
  while (size < 2 * n) size *= 2;
  map->slots = hki_pool_alloc(pool, size * sizeof *map->slots);
  map->mask = size - 1;
  return map->slots != NULL;
}

void hki_node_index(hk_node *map, int32_t i) {
  const char *key = map->entries[i].key;
  uint32_t at = (uint32_t)hki_hash(key, strlen(key), 0) & map->mask;
  while (map->slots[at]) at = (at + 1) & map->mask;
  map->slots[at] = i + 1;
}

hk_entry *hki_node_put(hk_node *map, const hk_entry *e) {
  hk_entry *old = hki_node_find(map, e->key);
  if (old) return old;
  map->entries[map->count] = *e;
  map->count++;
  if (map->slots) hki_node_index(map, map->count - 1);
  return NULL;
}

/* --- the hash --------------------------------------------------------------------------------- */

static uint64_t add_scalar(const hk_node *node, uint64_t h) {
  hk_node plain = *node;
  double x;
  bool flag;
  plain.quoted = false;
  if (hki_decimal(node->text, node->len, &x)) {
    x += 0.0; /* minus zero is zero */
    return hki_hash(&x, sizeof x, h + 1);
  }
  if (hki_node_bool(&plain, &flag)) return hki_hash(flag ? "true" : "false", 5, h + 2);
  return hki_hash(node->text, (size_t)node->len, h + 3);
}

uint64_t hki_node_hash(const hk_node *node, uint64_t seed) {
  const int32_t head[2] = {(int32_t)node->kind, node->count};
  uint64_t h = hki_hash(head, sizeof head, seed);
  if (node->kind == HK_NODE_SCALAR) return add_scalar(node, h);
  for (int32_t i = 0; i < node->count; i++) {
    const bool map = node->kind == HK_NODE_MAPPING;
    if (map) h = hki_hash(node->entries[i].key, strlen(node->entries[i].key) + 1, h);
    h = hki_node_hash(map ? node->entries[i].value : node->items[i], h);
  }
  return h;
}
