/* SPDX-License-Identifier: Apache-2.0
 *
 * names.c: the name -> index table (open addressing, linear probing, at most half full) and the
 * hash behind it. The table keeps its own copies of the names.
 */
#include <string.h>

#include "base/base.h"

typedef struct entry {
  const char *name; /* NULL = empty */
  uint64_t hash;
  int32_t index;
} entry;

struct hk_names {
  hk_ctx *ctx;
  hk_pool *pool;
  entry *slots;
  uint32_t mask; /* number of slots minus one; slots are a power of two */
  uint32_t used;
};

/* mixes all bits of x into all bits of the result (a bijection) */
static uint64_t mix(uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93u;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93u;
  return x ^ (x >> 32);
}

uint64_t hki_hash(const void *data, size_t n, uint64_t seed) {
  const unsigned char *p = data;
  uint64_t h = mix(seed ^ (0x9e3779b97f4a7c15u + (uint64_t)n));
  // eight bytes at a time, little end first on every machine
  for (; n >= 8; n -= 8, p += 8) {
    uint64_t w = 0;
    for (int i = 7; i >= 0; i--) w = w << 8 | p[i];
    h = mix(h ^ w);
  }
  if (n) {
    uint64_t w = 0;
    for (size_t i = n; i-- > 0;) w = w << 8 | p[i];
    h = mix(h ^ w);
  }
  return h;
}

hk_names *hki_names_create(hk_ctx *ctx) {
  enum { FIRST = 32 };
  hk_names *n = hki_alloc(ctx, sizeof *n);
  if (!n) return NULL;
  n->ctx = ctx;
  n->pool = hki_pool_create(ctx);
  n->slots = hki_alloc(ctx, FIRST * sizeof *n->slots);
  n->mask = FIRST - 1;
  if (!n->pool || !n->slots) {
    hki_names_destroy(n);
    return NULL;
  }
  return n;
}

void hki_names_destroy(hk_names *n) {
  if (!n) return;
  hki_pool_destroy(n->pool);
  hki_free(n->ctx, n->slots);
  hki_free(n->ctx, n);
}

/* where the name is, or the empty slot where it would go */
static entry *probe(const hk_names *n, const char *name, uint64_t hash) {
  for (uint32_t i = (uint32_t)hash & n->mask;; i = (i + 1) & n->mask) {
    entry *e = &n->slots[i];
    if (!e->name || (e->hash == hash && strcmp(e->name, name) == 0)) return e;
  }
}

/* twice the slots */
static bool enlarge(hk_names *n) {
  uint32_t old = n->mask + 1;
  if (old > UINT32_MAX / 4) return false;
  entry *slots = hki_alloc(n->ctx, 2 * (size_t)old * sizeof *slots);
  if (!slots) return false;
  uint32_t mask = 2 * old - 1;
  for (uint32_t k = 0; k < old; k++) {
    if (!n->slots[k].name) continue;
    uint32_t i = (uint32_t)n->slots[k].hash & mask;
    while (slots[i].name) i = (i + 1) & mask;
    slots[i] = n->slots[k];
  }
  hki_free(n->ctx, n->slots);
  n->slots = slots;
  n->mask = mask;
  return true;
}

bool hki_names_add(hk_names *n, const char *name, int32_t index, int32_t *at) {
  uint64_t hash = hki_hash(name, strlen(name), 0);
  entry *e = probe(n, name, hash);
  if (at) *at = e->name ? e->index : -1;
  if (e->name) return false;
  // keep the table at most half full
  if (2 * (n->used + 1) > n->mask) {
    if (!enlarge(n)) return false;
    e = probe(n, name, hash);
  }
  const char *copy = hki_pool_strdup(n->pool, name);
  if (!copy) return false;
  e->name = copy;
  e->hash = hash;
  e->index = index;
  n->used++;
  if (at) *at = index;
  return true;
}

int32_t hki_names_find(const hk_names *n, const char *name) {
  const entry *e = probe(n, name, hki_hash(name, strlen(name), 0));
  return e->name ? e->index : -1;
}
