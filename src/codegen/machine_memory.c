/* SPDX-License-Identifier: Apache-2.0
 *
 * machine_memory.c: memory of the machine. Beside each byte stands what it belongs to: nothing, the node of a value that
 * begins there, or the rest of such a value. While the ways of a branch are followed, stores are noted so that they
 * can be taken back.
 */
#include <string.h>

#include "codegen/machine.h"

enum { PAGE = 65536 };

static bool inside(const hk_guest *m, uint32_t at, uint32_t n) {
  return n <= m->size && at <= m->size - n;
}

static hk_status outside(hk_guest *m) {
  return hki_guest_fail(m, "an address outside of its memory");
}

/* --- one value -------------------------------------------------------------------------------- */

/* n bytes and what stands beside them as one value; true: they are one, or known */
static bool value_of(const uint8_t *bytes, const uint32_t *s, int n, bool real, hk_slot *out) {
  *out = (hk_slot){.real = n == 8 && real};
  memcpy(&out->bits, bytes, (size_t)n);
  uint32_t any = s[0];
  for (int i = 1; i < n; i++) any |= s[i];
  if (!any) return true;
  bool whole = s[0] != 0 && s[0] != HK_SHADOW_REST;
  for (int i = 1; i < n; i++) whole &= s[i] == HK_SHADOW_REST;
  out->node = s[0];
  return whole;
}

/* the same of bytes of memory; they are not a part of a value either */
static bool look(const hk_guest *m, uint32_t at, int n, hk_slot *out) {
  const bool whole = value_of(m->mem + at, m->shadow + at, n, m->marks[at] & HK_BYTE_REAL, out);
  const bool goes_on = at + (uint32_t)n < m->size && m->shadow[at + (uint32_t)n] == HK_SHADOW_REST;
  return whole && !(out->node && goes_on);
}

bool hki_cells_look(const hk_guest *m, uint32_t at, hk_slot *out) {
  *out = (hk_slot){0};
  return inside(m, at, 8) && (m->marks[at] & HK_BYTE_REAL) && look(m, at, 8, out);
}

bool hki_cells_of_calls(const hk_guest *m, uint32_t at) {
  enum { STACK = 65536 }; // the linker's default
  return at < m->stack && at + STACK >= m->stack;
}

bool hki_cells_free(const hk_guest *m, uint32_t at) {
  return hki_cells_of_calls(m, at) && at < (uint32_t)m->mod->globals[0];
}

hk_status hki_cells_load(hk_guest *m, uint32_t at, int n, hk_slot *out) {
  if (!inside(m, at, (uint32_t)n)) return outside(m);
  if (look(m, at, n, out)) return HK_OK;
  if (m->assume) return out->node = 0, HK_OK;
  // Mostly the space between the members of a struct, which is copied with it. Nobody may ask for it (plan.c).
  out->node = hki_graph_op(m->g, HK_G_LOST, 0, 0, 0);
  return HK_OK;
}

/* what stands at the bytes of a store now */
static void keep(const hk_guest *m, hk_undo *u) {
  u->real = m->marks[u->at] & HK_BYTE_REAL;
  u->cut = u->at + u->n < m->size && m->shadow[u->at + u->n] == HK_SHADOW_REST;
  memcpy(u->bytes, m->mem + u->at, u->n);
  memcpy(u->shadow, m->shadow + u->at, u->n * sizeof *u->shadow);
}

static hk_status note(hk_guest *m, uint32_t at, int n) {
  if (m->nundo == m->cap_undo) {
    const size_t cap = 2 * m->cap_undo + 1024;
    hk_undo *more = hki_realloc(m->ctx, m->undo, cap * sizeof *more);
    if (!more) return HK_E_MEMORY;
    m->undo = more, m->cap_undo = cap;
  }
  hk_undo *u = &m->undo[m->nundo++];
  u->at = at, u->n = (uint8_t)n, u->left = false;
  keep(m, u);
  return HK_OK;
}

hk_status hki_cells_store(hk_guest *m, uint32_t at, int n, hk_slot x) {
  if (!inside(m, at, (uint32_t)n)) return outside(m);
  if (n < 8 || (x.node && hki_graph_kind[hki_graph_at(m->g, x.node)->op] != 'R'))
    hki_guest_settle(m, &x);
  if (m->forks) {
    hk_status st = note(m, at, n);
    if (st != HK_OK) return st;
  }
  memcpy(m->mem + at, &x.bits, (size_t)n);
  memset(m->shadow + at, 0, (size_t)n * sizeof *m->shadow);
  const uint8_t kept = m->marks[at] & (HK_BYTE_WRITTEN | HK_BYTE_LOOPED);
  m->marks[at] = (uint8_t)(kept | m->writing | (HK_BYTE_SIZE * (unsigned)n));
  for (int i = 1; i < n; i++) m->marks[at + (uint32_t)i] &= (uint8_t)~HK_BYTE_REAL;
  if (n == 8 && x.real) m->marks[at] |= HK_BYTE_REAL;
  if (!x.node) return HK_OK;
  if (n < 4 && !hki_graph_is(m->g, x.node, HK_G_LOST) && !hki_cells_free(m, at)) {
    // a truth or a small number in a byte: its leaves must fit; what calls that have ended left does not matter
    uint64_t leaf[16];
    hk_node condition[16];
    int count;
    hk_status st = hki_guest_leaves(m, x.node, leaf, condition, 16, &count);
    for (int i = 0; st == HK_OK && i < count; i++)
      if (leaf[i] >> (8 * n)) st = hki_guest_fail(m, "a number that does not fit its place");
    if (st != HK_OK) return st;
  }
  m->shadow[at] = x.node;
  for (int i = 1; i < n; i++) m->shadow[at + (uint32_t)i] = HK_SHADOW_REST;
  return HK_OK;
}

/* --- many bytes ------------------------------------------------------------------------------- */

/* the largest piece that begins at an address and is one value, or known bytes */
static int piece(const hk_guest *m, uint32_t at, uint32_t left) {
  if (m->shadow[at] != 0) {
    int n = 1;
    while (n < 8 && (uint32_t)n < left && m->shadow[at + (uint32_t)n] == HK_SHADOW_REST) n++;
    return n;
  }
  if (left < 8 || at % 8 != 0) return 1;
  for (uint32_t i = 1; i < 8; i++)
    if (m->shadow[at + i]) return 1;
  return 8;
}

hk_status hki_cells_copy(hk_guest *m, uint32_t to, uint32_t from, uint32_t n) {
  if (!inside(m, to, n) || !inside(m, from, n)) return outside(m);
  if (to == from || n == 0) return HK_OK;
  hk_slot x;
  hk_status st = HK_OK;
  if (to < from || to >= from + n) {
    for (uint32_t i = 0; i < n && st == HK_OK;) {
      const int k = piece(m, from + i, n - i);
      st = hki_cells_load(m, from + i, k, &x);
      if (st == HK_OK) st = hki_cells_store(m, to + i, k, x);
      i += (uint32_t)k;
    }
    return st;
  }
  // the places overlap: from the end on, value by value
  for (uint32_t end = n; end > 0 && st == HK_OK;) {
    uint32_t k = 1;
    while (k < 8 && k < end && m->shadow[from + end - k] == HK_SHADOW_REST) k++;
    if (k == 1 && end >= 8 && (from + end) % 8 == 0 && piece(m, from + end - 8, 8) == 8) k = 8;
    st = hki_cells_load(m, from + end - k, (int)k, &x);
    if (st == HK_OK) st = hki_cells_store(m, to + end - k, (int)k, x);
    end -= k;
  }
  return st;
}

hk_status hki_cells_fill(hk_guest *m, uint32_t to, int byte, uint32_t n) {
  if (!inside(m, to, n)) return outside(m);
  hk_status st = HK_OK;
  const uint64_t b = (uint64_t)(byte & 255) * 0x0101010101010101u;
  for (uint32_t i = 0; i < n && st == HK_OK;) {
    const int k = (to + i) % 8 == 0 && n - i >= 8 ? 8 : 1;
    // a zeroed number is a number: that it is one is known when it is used
    const bool real = k == 8 && (m->marks[to + i] & HK_BYTE_REAL);
    st = hki_cells_store(m, to + i, k, (hk_slot){.bits = b, .real = real});
    i += (uint32_t)k;
  }
  return st;
}

static bool enlarge(hk_guest *m, void *list, size_t size, uint32_t most) {
  void **at = list;
  unsigned char *more = hki_realloc(m->ctx, *at, (size_t)most * size);
  if (!more) return false;
  memset(more + (size_t)m->most * size, 0, (size_t)(most - m->most) * size);
  *at = more;
  return true;
}

hk_status hki_cells_grow(hk_guest *m, uint32_t pages, uint32_t *before) {
  *before = m->size / PAGE;
  if (pages > 16384 || *before + pages > 16384) {
    *before = UINT32_MAX;
    return HK_OK;
  }
  const uint32_t size = m->size + pages * PAGE;
  if (size > m->most) {
    const uint32_t most = size + size / 2;
    if (!enlarge(m, &m->mem, 1, most) || !enlarge(m, &m->marks, 1, most) ||
        !enlarge(m, &m->shadow, sizeof *m->shadow, most))
      return HK_E_MEMORY;
    m->most = most;
  }
  m->size = size;
  return HK_OK;
}

/* What a call that ends leaves is forgotten, so that it is not taken for a value when a later one copies a struct with the
 * space between its members. A call can end in one way of a branch and go on in the other: it finds there what it had. */
hk_status hki_cells_leave(hk_guest *m, uint32_t from, uint32_t to) {
  if (to <= from || to > m->stack || to > m->size) return HK_OK;
  hk_status st = HK_OK;
  for (uint32_t i = from; m->forks && i < to && st == HK_OK;) {
    uint32_t n = 1;
    if (m->shadow[i]) {
      while (n < 8 && i + n < to && m->shadow[i + n] == HK_SHADOW_REST) n++;
      st = note(m, i, (int)n);
      if (st == HK_OK) m->undo[m->nundo - 1].left = true;
    }
    i += n;
  }
  memset(m->shadow + from, 0, (to - from) * sizeof *m->shadow);
  return st;
}

/* --- ways of a branch ------------------------------------------------------------------------- */

void hki_stores_free(hk_guest *m, hk_stores *s) {
  hki_free(m->ctx, s->all);
  *s = (hk_stores){0};
}

static void put(hk_guest *m, const hk_undo *u) {
  memcpy(m->mem + u->at, u->bytes, u->n);
  memcpy(m->shadow + u->at, u->shadow, u->n * sizeof *u->shadow);
  for (int i = 0; i < u->n; i++) m->marks[u->at + (uint32_t)i] &= (uint8_t)~HK_BYTE_REAL;
  m->marks[u->at] |= u->real;
}

hk_status hki_cells_take_back(hk_guest *m, size_t mark, hk_stores *out) {
  const size_t n = m->nundo - mark;
  *out = (hk_stores){.all = hki_alloc(m->ctx, (n + 1) * sizeof *out->all), .count = n};
  if (!out->all) return HK_E_MEMORY;
  if (n) memcpy(out->all, m->undo + mark, n * sizeof *out->all);
  for (size_t i = 0; i < n; i++) keep(m, &out->all[i]);
  while (m->nundo > mark) put(m, &m->undo[--m->nundo]);
  return HK_OK;
}

hk_status hki_cells_put_back(hk_guest *m, const hk_stores *s) {
  hk_status st = HK_OK;
  for (size_t i = 0; i < s->count && st == HK_OK; i++) {
    const hk_undo *u = &s->all[i];
    st = note(m, u->at, u->n);
    if (st != HK_OK) break;
    m->undo[m->nundo - 1].left = u->left;
    put(m, u);
    const uint8_t kept = m->marks[u->at] & (HK_BYTE_WRITTEN | HK_BYTE_LOOPED | HK_BYTE_REAL);
    if (!u->left) m->marks[u->at] = (uint8_t)(kept | m->writing | (HK_BYTE_SIZE * u->n));
  }
  return st;
}

/* k bytes of a store of the other way, from its i-th on, as one value; false: they are none */
static bool value_in(const hk_undo *u, int i, int k, hk_slot *out) {
  const bool whole = value_of(u->bytes + i, u->shadow + i, k, i == 0 && u->real, out);
  return whole && !(out->node && (i + k < u->n ? u->shadow[i + k] == HK_SHADOW_REST : u->cut));
}

/* how many bytes from the i-th on are one value in both ways, or known in both */
static int both(const hk_guest *m, const hk_undo *u, int i) {
  const uint32_t *now = m->shadow + u->at, *other = u->shadow;
  const uint8_t *marks = m->marks + u->at;
  const bool known = !now[i] && !other[i];
  hk_slot a, b;
  int k = 1;
  while (i + k < u->n && !(marks[i + k] & HK_BYTE_DONE)) k++;
  if (value_in(u, i, k, &a) && look(m, u->at + (uint32_t)i, k, &b)) return k;
  const int most = k;
  for (k = 1; k < most; k++)
    if (known ? now[i + k] || other[i + k]
              : now[i + k] != HK_SHADOW_REST && other[i + k] != HK_SHADOW_REST)
      break;
  return k;
}

/* Puts what is taken of two ways into the bytes of a store that the merge has not been at. Where the ways have left values
 * of different sizes, nobody may ask for them (plan.c). */
static hk_status merge_store(hk_guest *m, hk_node condition, const hk_undo *u) {
  hk_status st = HK_OK;
  for (int i = 0, k; i < u->n && st == HK_OK; i += k) {
    const uint32_t at = u->at + (uint32_t)i;
    k = 1;
    if (m->marks[at] & HK_BYTE_DONE) continue;
    k = both(m, u, i);
    hk_slot first, now, x;
    const bool one = value_in(u, i, k, &first), other = look(m, at, k, &now);
    if (one && other)
      x = hki_slot_merge(m, condition, first, now);
    else
      x = (hk_slot){.bits = m->second ? now.bits : first.bits,
                    .node = hki_graph_op(m->g, HK_G_LOST, 0, 0, 0),
                    .real = first.real || now.real};
    st = hki_cells_store(m, at, k, x);
    for (int j = 0; j < k; j++) m->marks[at + (uint32_t)j] |= HK_BYTE_DONE;
  }
  return st;
}

static void clear_done(hk_guest *m, const hk_undo *u) {
  for (int i = 0; i < u->n; i++) m->marks[u->at + (uint32_t)i] &= (uint8_t)~HK_BYTE_DONE;
}

/* Memory is as the second way has left it, with its stores from `mark` on; `other` are those of the first. Every place
 * that either has stored gets the value of the way that is taken. */
hk_status hki_cells_merge(hk_guest *m, hk_node condition, size_t mark, const hk_stores *other) {
  const size_t second = m->nundo;
  hk_status st = HK_OK;
  for (size_t i = 0; i < other->count && st == HK_OK; i++)
    if (!other->all[i].left) st = merge_store(m, condition, &other->all[i]);
  // what stood there before: the first store of each byte has noted that
  for (size_t i = mark; i < second && st == HK_OK; i++) {
    const hk_undo u = m->undo[i]; // the list may move
    if (!u.left) st = merge_store(m, condition, &u);
  }
  for (size_t i = 0; i < other->count; i++) clear_done(m, &other->all[i]);
  for (size_t i = mark; i < m->nundo; i++) clear_done(m, &m->undo[i]);
  return st;
}

/* --- instructions ----------------------------------------------------------------------------- */

typedef struct access {
  uint8_t bytes, extend; /* extend: bits of a sign to spread, 0: none */
  bool wide;             /* the result has 64 bits */
} access;

/* i32 i64 f32 f64, i32.load8_s 8_u 16_s 16_u, i64.load8_s 8_u 16_s 16_u 32_s 32_u */
static const access loads[] = {{4, 0, false}, {8, 0, true},  {4, 0, false},  {8, 0, true},
                               {1, 8, false}, {1, 0, false}, {2, 16, false}, {2, 0, false},
                               {1, 8, true},  {1, 0, true},  {2, 16, true},  {2, 0, true},
                               {4, 32, true}, {4, 0, true}};
/* i32 i64 f32 f64, i32.store8 16, i64.store8 16 32 */
static const uint8_t stores[] = {4, 8, 4, 8, 1, 2, 1, 2, 4};

static hk_status load_at(hk_guest *m, int op, uint32_t at, hk_slot *out) {
  const access *a = &loads[op - HK_I_LOAD_FIRST];
  hk_status st = hki_cells_load(m, at, a->bytes, out);
  if (op == 0x2b) out->real = true;
  if (st != HK_OK || !a->extend || out->node) return st;
  const uint64_t sign = 1ull << (a->extend - 1);
  out->bits = (out->bits ^ sign) - sign;
  if (!a->wide) out->bits = (uint32_t)out->bits;
  return HK_OK;
}

/* the address is one of several known ones */
static hk_status load_one_of(hk_guest *m, const hk_ins *i, hk_slot *s) {
  if (hki_graph_has_whole(m->g, s[-1].node)) {
    const int bytes = loads[i->op - HK_I_LOAD_FIRST].bytes;
    return hki_guest_gather(m, s[-1].node, (uint32_t)i->imm, bytes, s[-1].bits, s - 1);
  }
  uint64_t leaf[256];
  hk_node condition[256];
  int n;
  hk_slot out = {0}, x;
  hk_status st = hki_guest_leaves(m, s[-1].node, leaf, condition, 256, &n);
  for (int k = 0; k < n && st == HK_OK; k++) {
    st = load_at(m, i->op, (uint32_t)leaf[k] + (uint32_t)i->imm, &x);
    m->second = leaf[k] != s[-1].bits;
    out = k ? hki_slot_merge(m, condition[k], x, out) : x;
  }
  m->second = false;
  s[-1] = out;
  return st;
}

static hk_status store_one_of(hk_guest *m, const hk_ins *i, int bytes, hk_slot *s) {
  uint64_t leaf[256];
  hk_node condition[256];
  int n;
  hk_status st = hki_guest_leaves(m, s[-2].node, leaf, condition, 256, &n);
  for (int k = 0; k < n && st == HK_OK; k++) {
    const uint32_t at = (uint32_t)leaf[k] + (uint32_t)i->imm;
    hk_slot old;
    st = hki_cells_load(m, at, bytes, &old);
    m->second = leaf[k] != s[-2].bits;
    if (st == HK_OK)
      st = hki_cells_store(m, at, bytes, hki_slot_merge(m, condition[k], s[-1], old));
  }
  m->second = false;
  return st;
}

hk_status hki_guest_access(hk_guest *m, const hk_ins *i, hk_slot *s) {
  hki_guest_settle(m, &s[i->op < HK_I_STORE_FIRST ? -1 : -2]);
  if (i->op < HK_I_STORE_FIRST) {
    if (s[-1].node) return load_one_of(m, i, s);
    return load_at(m, i->op, (uint32_t)s[-1].bits + (uint32_t)i->imm, s - 1);
  }
  const int bytes = stores[i->op - HK_I_STORE_FIRST];
  if (i->op == 0x39) s[-1].real = true;
  if (s[-2].node) return store_one_of(m, i, bytes, s);
  return hki_cells_store(m, (uint32_t)s[-2].bits + (uint32_t)i->imm, bytes, s[-1]);
}
