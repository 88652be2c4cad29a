/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_repeat.c: the walk over the items of a section, with those that are repeated:
 *
 *   rod: {repeat: 3, mass: 1, com: [i*L, 0, 0], first: {mass: 2}}
 *
 * stands for rod_1, rod_2, rod_3. The index, `i` or the name under `index`, counts from 1 and is
 * known in all expressions of the item, in the texts in braces of its values and of its own name,
 * and, when the item is an instance, inside its component. The keys under `first` and `last`
 * replace those of the first and of the last one.
 *
 * Each number of an index is a scope of its own, a copy of the scope with the index added. All
 * items of a section share them.
 */
#include "language/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* the copies of a scope for one name of an index */
struct hk_rd_repeat {
  hk_rd_repeat *next;
  const char *index;
  hk_rd_scope **scopes; /* n: for 1, 2 ... */
  int32_t n, cap;
};

/* --- scopes with an index --------------------------------------------------------------------- */

static hk_rd_scope *new_copy(hk_reader *rd, const hk_rd_scope *s, const char *index, int32_t i) {
  hk_rd_scope *c = hki_pool_alloc(rd->pool, sizeof *c);
  hk_rd_item *item = hki_pool_alloc(rd->pool, sizeof *item);
  if (!c || !item) return NULL;
  *c = *s;
  *item = (hk_rd_item){.name = index, .state = HK_RD_DONE, .value = (double)i};
  c->index = item;
  return c;
}

/* the scope s in which the index has the value i; those for 1 .. i - 1 have been asked for */
static hk_rd_scope *with_index(hk_reader *rd, hk_rd_scope *s, const char *index, int32_t i) {
  hk_rd_repeat *r = s->repeats;
  while (r && strcmp(r->index, index) != 0) r = r->next;
  if (!r) {
    r = hki_pool_alloc(rd->pool, sizeof *r);
    if (!r) return NULL;
    *r = (hk_rd_repeat){.next = s->repeats, .index = index};
    s->repeats = r;
  }
  if (i <= r->n) return r->scopes[i - 1];
  if (r->n == r->cap) {
    const int32_t cap = r->cap ? 2 * r->cap : 4;
    hk_rd_scope **list = hki_pool_alloc(rd->pool, (size_t)cap * sizeof *list);
    if (!list) return NULL;
    if (r->n) memcpy(list, r->scopes, (size_t)r->n * sizeof *list);
    r->scopes = list;
    r->cap = cap;
  }
  hk_rd_scope *c = new_copy(rd, s, index, i);
  if (c) r->scopes[r->n++] = c;
  return c;
}

/* --- the keys of an item ---------------------------------------------------------------------- */

static bool is_repeat_key(const char *key) {
  for (const hk_param *p = hki_keys_repeat; p->type != HK_P_END; p++)
    if (strcmp(p->name, key) == 0) return true;
  return false;
}

/* the item's mapping without the keys of the repetition, and with those of `over` (NULL: none) */
static hk_node *own_keys(hk_reader *rd, const hk_node *item, const hk_node *over) {
  const int32_t most = item->count + (over ? over->count : 0);
  hk_node *map = hki_pool_alloc(rd->pool, sizeof *map);
  hk_entry *list = hki_pool_alloc(rd->pool, (size_t)(most + 1) * sizeof *list);
  if (!map || !list) return NULL;
  *map = (hk_node){.kind = HK_NODE_MAPPING, .loc = item->loc, .entries = list};
  for (int32_t i = 0; i < item->count; i++) {
    const hk_entry *e = &item->entries[i];
    if (!is_repeat_key(e->key) && !hki_node_find(over, e->key)) list[map->count++] = *e;
  }
  for (int32_t i = 0; over && i < over->count; i++) list[map->count++] = over->entries[i];
  return map;
}

/* the keys of the first or last one; reports when they are no mapping */
static bool find_end(hk_reader *rd, const hk_node *item, const char *key, const hk_node **over) {
  char found[64];
  *over = hki_node_get(item, key);
  if (!*over || (*over)->kind == HK_NODE_MAPPING) return true;
  hki_rd_error(rd, (*over)->loc, "first: {between: [ground, rod_1]}",
               "'%s' must be a mapping of keys that differ, found %s", key,
               hki_node_describe(*over, found, sizeof found));
  return false;
}

/* --- the walk --------------------------------------------------------------------------------- */

/* how often, and by which index */
static bool begin(hk_reader *rd, hk_rd_scope *s, hk_entry *e, hk_rd_walk *w) {
  const hk_node *repeat = hki_node_get(e->value, "repeat"), *name = hki_node_get(e->value, "index");
  double n = 0.0;
  if (name && (!hki_node_text(name) || !hki_rd_good_name(rd, "index", name->text, name->loc, true)))
    return false;
  if (!find_end(rd, e->value, "first", &w->first) || !find_end(rd, e->value, "last", &w->last))
    return false;
  if (!hki_rd_number(rd, s, repeat, "repeat", &n)) return false;
  if (n != floor(n) || n < 0.0 || n > HK_READER_ITEMS - rd->repeated) {
    hki_rd_error(rd, repeat->loc, NULL,
                 n == floor(n) && n > 0.0
                     ? "more than %d repeated items in all"
                     : "'repeat' must be a whole number from 0 to %d, found %g",
                 HK_READER_ITEMS, n);
    return false;
  }
  w->index = name ? name->text : "i";
  w->item = e;
  w->keys = own_keys(rd, e->value, NULL);
  w->errors = hki_error_count(rd->ctx);
  w->i = 0;
  w->n = w->keys ? (int32_t)n : 0;
  rd->repeated += w->n;
  return true;
}

/* the name of one of them: with its number behind, unless the name has braces of its own */
static const char *own_name(hk_reader *rd, hk_rd_scope *s, const hk_entry *e, int32_t i) {
  if (!strchr(e->key, '{')) return i ? hki_pool_printf(rd->pool, "%s_%d", e->key, (int)i) : e->key;
  const hk_node *text = hki_rd_scalar(rd, e->key, strlen(e->key), e->key_loc);
  const hk_node *name = text ? hki_rd_expand(rd, s, text) : NULL;
  return name ? name->text : NULL;
}

/* the next one of a repeated item; NULL: no more, or one of them had an error */
static hk_entry *next_repeated(hk_reader *rd, hk_rd_scope *s, hk_rd_walk *w) {
  if (w->i >= w->n || hki_error_count(rd->ctx) > w->errors) {
    w->n = 0;
    return NULL;
  }
  const int32_t i = ++w->i;
  w->scope = with_index(rd, s, w->index, i);
  const char *name = w->scope ? own_name(rd, w->scope, w->item, i) : NULL;
  hk_entry *e = name ? hki_pool_alloc(rd->pool, sizeof *e) : NULL;
  hk_node *keys = w->keys;
  if (i == 1 && w->first) keys = own_keys(rd, w->item->value, w->first);
  if (i == w->n && w->last && keys) keys = own_keys(rd, keys, w->last);
  if (!e || !keys) return NULL;
  *e = *w->item;
  e->key = name;
  e->value = hki_rd_resolve(rd, w->scope, keys);
  rd->family = w->item;
  return e;
}

/* the entries as they are written */
hk_entry *hki_rd_next_raw(hk_reader *rd, hk_rd_scope *s, const char *section, hk_rd_walk *w) {
  for (; w->doc < s->ndocs && !hki_rd_enough(rd); w->doc++, w->entry = 0) {
    hk_node *v = hki_node_get(s->docs[w->doc], section);
    if (!v || v->kind != HK_NODE_MAPPING) continue; /* its kind was checked when it was loaded */
    while (w->entry < v->count) {
      hk_entry *e = &v->entries[w->entry++];
      if (!hki_rd_is_private(e->key)) return e;
    }
  }
  return NULL;
}

hk_entry *hki_rd_next(hk_reader *rd, hk_rd_scope *s, const char *section, hk_rd_walk *w) {
  for (;;) {
    hk_entry *e = w->n ? next_repeated(rd, s, w) : NULL;
    if (e) return e;
    rd->family = NULL;
    e = hki_rd_next_raw(rd, s, section, w);
    if (!e) return NULL;
    w->scope = s;
    if (hki_node_find(e->value, "repeat")) {
      begin(rd, s, e, w);
      continue;
    }
    const char *name = own_name(rd, s, e, 0);
    hk_node *value = hki_rd_resolve(rd, s, e->value);
    if (!name) continue;
    if (value == e->value && name == e->key) return e;
    hk_entry *copy = hki_pool_alloc(rd->pool, sizeof *copy);
    if (!copy) return NULL;
    *copy = *e;
    copy->key = name;
    copy->value = value;
    return copy;
  }
}
