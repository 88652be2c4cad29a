/* SPDX-License-Identifier: Apache-2.0
 *
 * bytes.c: the pieces of an HDF5 file as bytes: object headers and their messages, links,
 * attributes, heaps. Section numbers are those of the HDF5 File Format Specification 3.0.
 */
#include <stdlib.h>
#include <string.h>

#include "results/hdf5/write.h"

/* messages of an object header (IV.A.2) */
enum {
  MSG_LINK_INFO = 0x02,
  MSG_LINK = 0x06,
  MSG_GROUP_INFO = 0x0a,
  MSG_ATTRIBUTE = 0x0c,
  MSG_ATTRIBUTE_INFO = 0x15
};

/* --- bytes ------------------------------------------------------------------------------------ */

/* append n bytes and return their place; NULL when out of memory */
static unsigned char *grow(hk_h5_bytes *b, size_t n) {
  if (b->failed) return NULL;
  size_t cap = b->cap ? b->cap : 4096;
  while (cap < b->n + n) cap *= 2;
  unsigned char *p = hki_alloc(b->ctx, cap);
  if (!p) {
    b->failed = true;
    return NULL;
  }
  if (b->n) memcpy(p, b->p, b->n);
  hki_free(b->ctx, b->p);
  b->p = p;
  b->cap = cap;
  b->n += n;
  return b->p + b->n - n;
}

static inline unsigned char *room(hk_h5_bytes *b, size_t n) {
  if (b->failed || !b->p || n > b->cap - b->n) return grow(b, n);
  b->n += n;
  return b->p + b->n - n;
}

void hki_h5_reserve(hk_h5_bytes *b, size_t n) {
  size_t used = b->n;
  if (n > b->cap && room(b, n - used)) b->n = used;
}

void hki_h5_put(hk_h5_bytes *b, const void *p, size_t n) {
  unsigned char *at = room(b, n);
  if (at && n) memcpy(at, p, n);
}

void hki_h5_zeros(hk_h5_bytes *b, size_t n) {
  unsigned char *at = room(b, n);
  if (at && n) memset(at, 0, n);
}

static inline void low_bytes(unsigned char *at, uint64_t x, int32_t bytes) {
  for (int32_t i = 0; i < bytes; i++) at[i] = (unsigned char)(x >> (8 * i));
}

/* `bytes` bytes of x, lowest first; each case has a constant length, which compiles to one store */
static void little(unsigned char *at, uint64_t x, int32_t bytes) {
  switch (bytes) {
    case 1:
      low_bytes(at, x, 1);
      return;
    case 2:
      low_bytes(at, x, 2);
      return;
    case 4:
      low_bytes(at, x, 4);
      return;
    case 8:
      low_bytes(at, x, 8);
      return;
    default:
      low_bytes(at, x, bytes);
  }
}

void hki_h5_int(hk_h5_bytes *b, uint64_t x, int32_t bytes) {
  unsigned char *at = room(b, (size_t)bytes);
  if (at) little(at, x, bytes);
}

void hki_h5_set_int(hk_h5_bytes *b, size_t at, uint64_t x, int32_t bytes) {
  if (!b->failed) little(b->p + at, x, bytes);
}

uint64_t hki_h5_align(hk_h5_bytes *b) {
  hki_h5_zeros(b, (8 - b->n % 8) % 8);
  return b->base + b->n;
}

/* --- the checksum: Jenkins' lookup3 of the bytes, seed 0 (III.A) ------------------------------ */

static uint32_t turn(uint32_t x, int k) { return (x << k) | (x >> (32 - k)); }

static uint32_t word(const unsigned char *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* one round of lookup3's mix; a and c change */
#define ROUND(a, b, c, k) (a -= c, a ^= turn(c, k), c += b)

uint32_t hki_h5_checksum(const void *data, size_t n) {
  static const int last[7] = {14, 11, 25, 16, 4, 14, 24};
  const unsigned char *p = data;
  uint32_t x[3], start = 0xdeadbeefu + (uint32_t)n, a = start, b = start, c = start;
  for (; n > 12; n -= 12, p += 12) {
    a += word(p), b += word(p + 4), c += word(p + 8);
    ROUND(a, b, c, 4), ROUND(b, c, a, 6), ROUND(c, a, b, 8);
    ROUND(a, b, c, 16), ROUND(b, c, a, 19), ROUND(c, a, b, 4);
  }
  x[0] = a, x[1] = b, x[2] = c;
  if (n == 0) return x[2];
  unsigned char tail[12] = {0};
  memcpy(tail, p, n);
  for (int i = 0; i < 3; i++) x[i] += word(tail + 4 * i);
  for (int i = 0; i < 7; i++) {
    uint32_t *to = &x[(i + 2) % 3], *by = &x[(i + 1) % 3];
    *to = (*to ^ *by) - turn(*by, last[i]);
  }
  return x[2];
}

#undef ROUND

/* --- object headers (IV.A.1.b) ---------------------------------------------------------------- */

/* sizes of four bytes, creation order of attributes tracked and indexed */
enum { HEADER_FLAGS = 0x0e, HEADER_BYTES = 10 };

size_t hki_h5_message(hk_h5_object *o, int32_t type) {
  hki_h5_int(o->b, (uint64_t)type, 1);
  hki_h5_int(o->b, 0, 2);
  hki_h5_int(o->b, 0, 1);
  hki_h5_int(o->b, type == MSG_ATTRIBUTE ? o->order++ : 0, 2);
  return o->b->n;
}

void hki_h5_message_end(hk_h5_object *o, size_t at) {
  hki_h5_set_int(o->b, at - 5, o->b->n - at, 2);
}

hk_h5_object hki_h5_object(hk_h5_bytes *b) {
  hk_h5_object o = {.b = b, .address = hki_h5_align(b)};
  o.start = b->n;
  hki_h5_put(b, "OHDR", 4);
  hki_h5_int(b, 2, 1);
  hki_h5_int(b, HEADER_FLAGS, 1);
  hki_h5_int(b, 0, 4); // size of the messages, set by hki_h5_object_end
  // attribute info (IV.A.2.v): attributes are in the header; their number is set at the end
  size_t at = hki_h5_message(&o, MSG_ATTRIBUTE_INFO);
  hki_h5_int(b, 0, 1);
  hki_h5_int(b, 3, 1);
  o.count = b->n;
  hki_h5_int(b, 0, 2);
  for (int i = 0; i < 3; i++) hki_h5_int(b, HK_H5_NOWHERE, 8);
  hki_h5_message_end(&o, at);
  return o;
}

void hki_h5_object_end(hk_h5_object *o) {
  hk_h5_bytes *b = o->b;
  if (b->failed) return;
  hki_h5_set_int(b, o->count, o->order, 2);
  hki_h5_set_int(b, o->start + 6, b->n - o->start - HEADER_BYTES, 4);
  hki_h5_int(b, hki_h5_checksum(b->p + o->start, b->n - o->start), 4);
}

/* --- groups: link info (IV.A.2.c), group info (IV.A.2.k), links (IV.A.2.g) -------------------- */

void hki_h5_group(hk_h5_object *o, int32_t nlinks) {
  size_t at = hki_h5_message(o, MSG_LINK_INFO);
  hki_h5_int(o->b, 0, 1);
  hki_h5_int(o->b, 3, 1); // creation order tracked and indexed
  hki_h5_int(o->b, (uint64_t)nlinks, 8);
  for (int i = 0; i < 3; i++)
    hki_h5_int(o->b, HK_H5_NOWHERE, 8); // no heap: links are in the header
  hki_h5_message_end(o, at);
  at = hki_h5_message(o, MSG_GROUP_INFO);
  hki_h5_int(o->b, 0, 2);
  hki_h5_message_end(o, at);
}

void hki_h5_link(hk_h5_object *o, const char *name, int32_t order, uint64_t address) {
  size_t n = strlen(name), at = hki_h5_message(o, MSG_LINK);
  hki_h5_int(o->b, 1, 1);
  hki_h5_int(o->b, 0x15, 1); // two bytes of length, creation order, character set
  hki_h5_int(o->b, (uint64_t)order, 8);
  hki_h5_int(o->b, 1, 1); // UTF-8
  hki_h5_int(o->b, n, 2);
  hki_h5_put(o->b, name, n);
  hki_h5_int(o->b, address, 8);
  hki_h5_message_end(o, at);
}

/* --- attributes (IV.A.2.m) -------------------------------------------------------------------- */

/* the head of an attribute whose type has `type` bytes; dims < 0: one value, else a list of dims */
static size_t attribute(hk_h5_object *o, const char *name, int32_t type, int32_t dims) {
  size_t at = hki_h5_message(o, MSG_ATTRIBUTE), n = strlen(name) + 1;
  hki_h5_int(o->b, 3, 1);
  hki_h5_int(o->b, 0, 1);
  hki_h5_int(o->b, n, 2);
  hki_h5_int(o->b, (uint64_t)type, 2);
  hki_h5_int(o->b, dims < 0 ? 4 : 12, 2);
  hki_h5_int(o->b, 0, 1); // the name is ASCII
  hki_h5_put(o->b, name, n);
  return at;
}

/* a dataspace (IV.A.2.b): one value, or a list */
static void space(hk_h5_object *o, int32_t dims) {
  hki_h5_int(o->b, 2, 1);
  hki_h5_int(o->b, dims < 0 ? 0 : 1, 1);
  hki_h5_int(o->b, 0, 1);
  hki_h5_int(o->b, dims < 0 ? 0 : 1, 1);
  if (dims >= 0) hki_h5_int(o->b, (uint64_t)dims, 8);
}

/* datatypes (IV.A.2.d) */
void hki_h5_datatype(hk_h5_bytes *b, hk_h5_type type) {
  static const unsigned char floats[2][7] = {{52, 11, 0, 52, 0xff, 0x03, 64},
                                             {23, 8, 0, 23, 0x7f, 0x00, 32}};
  const uint32_t one = 1;
  unsigned char first;
  memcpy(&first, &one, 1);
  uint64_t big = first ? 0 : 1; // numbers are in the processor's byte order
  if (type == HK_H5_CHAR) {
    hki_h5_int(b, 0x13, 1);
    hki_h5_int(b, 0, 3);
    hki_h5_int(b, 1, 4);
    return;
  }
  if (type == HK_H5_I32) {
    hki_h5_int(b, 0x10, 1);
    hki_h5_int(b, 0x08 | big, 3);
    hki_h5_int(b, 4, 4);
    hki_h5_int(b, 32u << 16, 4);
    return;
  }
  const unsigned char *f = floats[type == HK_H5_F32];
  hki_h5_int(b, 0x11, 1);
  hki_h5_int(b, 0x20 | big | (uint64_t)(f[6] - 1) << 8, 3);
  hki_h5_int(b, f[6] / 8u, 4);
  hki_h5_int(b, (uint64_t)f[6] << 16, 4);
  hki_h5_put(b, f, 4);
  hki_h5_put(b, f + 4, 2);
  hki_h5_int(b, 0, 2);
}

static void fixed_text(hk_h5_object *o, const char *name, const char *text, size_t n) {
  size_t at = attribute(o, name, 8, -1);
  hki_h5_int(o->b, 0x13, 1);
  hki_h5_int(o->b, 0x10, 3); // ends at a NUL or at its full length; UTF-8
  hki_h5_int(o->b, n, 4);
  space(o, -1);
  hki_h5_put(o->b, text, n);
  hki_h5_message_end(o, at);
}

void hki_h5_text(hk_h5_object *o, const char *name, const char *text) {
  size_t n = text ? strlen(text) : 0;
  if (n > 0 && n <= HK_H5_TEXT) fixed_text(o, name, text, n);
}

void hki_h5_word(hk_h5_object *o, const char *name, const char *text) {
  fixed_text(o, name, text, strlen(text) + 1);
}

void hki_h5_number(hk_h5_object *o, const char *name, double x) {
  size_t at = attribute(o, name, 20, 1);
  hki_h5_datatype(o->b, HK_H5_F64);
  space(o, 1);
  hki_h5_put(o->b, &x, sizeof x);
  hki_h5_message_end(o, at);
}

void hki_h5_integer(hk_h5_object *o, const char *name, int32_t x) {
  size_t at = attribute(o, name, 12, 1);
  hki_h5_datatype(o->b, HK_H5_I32);
  space(o, 1);
  hki_h5_put(o->b, &x, sizeof x);
  hki_h5_message_end(o, at);
}

/* DIMENSION_LIST: for each dimension a list of one reference, which lies in the heap */
void hki_h5_dimensions(hk_h5_object *o, uint64_t heap, const int32_t *dims, int32_t n) {
  size_t at = attribute(o, "DIMENSION_LIST", 16, n);
  hki_h5_int(o->b, 0x19, 1);
  hki_h5_int(o->b, 0, 3);
  hki_h5_int(o->b, 16, 4);
  hki_h5_int(o->b, 0x17, 1); // datatype: object references
  hki_h5_int(o->b, 0, 3);
  hki_h5_int(o->b, 8, 4);
  space(o, n);
  for (int32_t i = 0; i < n; i++) {
    hki_h5_int(o->b, 1, 4);
    hki_h5_int(o->b, heap, 8);
    hki_h5_int(o->b, (uint64_t)dims[i] + 1, 4);
  }
  hki_h5_message_end(o, at);
}

/* --- global heaps (III.E) --------------------------------------------------------------------- */

enum { HEAP_LEAST = 4096 };

uint64_t hki_h5_heap(hk_h5_bytes *b, int32_t count) {
  uint64_t address = hki_h5_align(b);
  size_t start = b->n, used = 16 + (size_t)count * 24;
  size_t total = used + 16 > HEAP_LEAST ? used + 16 : HEAP_LEAST;
  hki_h5_put(b, "GCOL", 4);
  hki_h5_int(b, 1, 4);
  hki_h5_int(b, total, 8);
  for (int32_t i = 1; i <= count; i++) {
    hki_h5_int(b, (uint64_t)i, 2);
    hki_h5_int(b, 1, 2); // reference count
    hki_h5_int(b, 0, 4);
    hki_h5_int(b, 8, 8);
    hki_h5_int(b, 0, 8);
  }
  hki_h5_int(b, 0, 8); // object 0: free space
  hki_h5_int(b, total - used, 8);
  if (!b->failed) hki_h5_zeros(b, start + total - b->n);
  return address;
}

void hki_h5_refer(hk_h5_bytes *b, uint64_t heap, int32_t i, uint64_t address) {
  hki_h5_set_int(b, (size_t)(heap - b->base) + 16 + 24 * (size_t)i + 16, address, 8);
}
