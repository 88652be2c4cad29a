/* SPDX-License-Identifier: Apache-2.0
 *
 * yaml_node.c: looking things up in the node tree and describing nodes in messages.
 */
#include "formats/yaml.h"

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
