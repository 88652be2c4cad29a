/* SPDX-License-Identifier: Apache-2.0
 *
 * read.c: headers, attributes, links and datasets of the HDF5 files that Hooke writes. Section numbers
 * are those of the HDF5 File Format Specification 3.0; the writer's side is bytes.c and file.c.
 */
#define _POSIX_C_SOURCE 200809L
#include "results/hdf5/read.h"

#ifdef HK_WITH_NETCDF

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "results/hdf5/read_impl.h"

enum { SUPERBLOCK = 48, HEADER = 10, HEADER_FLAGS = 0x0e, HEADER_MOST = 1 << 28 };

uint64_t hki_h5_little(const unsigned char *p, int32_t bytes) {
  uint64_t x = 0;
  for (int32_t i = bytes; i-- > 0;) x = x << 8 | p[i];
  return x;
}

hk_h5_verdict hki_h5_get(const hk_h5_source *s, uint64_t address, void *to, size_t n) {
  unsigned char *p = to;
  if (address > s->size || n > s->size - address) return HK_H5_DAMAGED;
  while (n > 0) {
    ssize_t some = pread(s->fd, p, n, (off_t)address);
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) return HK_H5_DAMAGED; // cut short meanwhile, or the disk fails
    p += some, n -= (size_t)some, address += (uint64_t)some;
  }
  return HK_H5_GOOD;
}

bool hki_h5_room(hk_ctx *ctx, unsigned char **p, size_t *cap, size_t n) {
  if (n <= *cap) return true;
  hki_free(ctx, *p);
  *p = hki_alloc(ctx, n);
  *cap = *p ? n : 0;
  return *p;
}

/* --- the superblock (II.A) -------------------------------------------------------------------- */

/* the extension names the K of the writer's trees */
static hk_h5_verdict check_extension(hk_h5_source *s, uint64_t address) {
  hk_h5_header h = {0};
  hk_h5_message m;
  size_t at = 0;
  hk_h5_verdict v = hki_h5_read_header(s, address, &h);
  bool ours = false;
  while (v == HK_H5_GOOD && hki_h5_next(&h, &at, &m))
    ours = ours || (m.type == HK_H5_MSG_TREE_K && m.n == 7 && m.p[0] == 0 &&
                    hki_h5_little(m.p + 1, 2) == HK_H5_FANOUT / 2);
  hki_free(s->ctx, h.p);
  return v != HK_H5_GOOD || ours ? v : HK_H5_FOREIGN;
}

hk_h5_verdict hki_h5_source_open(hk_h5_source *s, hk_ctx *ctx, const char *path, uint64_t *root) {
  unsigned char b[SUPERBLOCK];
  struct stat st;
  *s = (hk_h5_source){.ctx = ctx, .fd = open(path, O_RDONLY | O_CLOEXEC)};
  if (s->fd < 0 || fstat(s->fd, &st) != 0 || st.st_size < 0) return HK_H5_DAMAGED;
  s->size = (uint64_t)st.st_size;
  hk_h5_verdict v = hki_h5_get(s, 0, b, sizeof b);
  if (v != HK_H5_GOOD) return v;
  if (memcmp(b, "\x89HDF\r\n\x1a\n", 8) != 0) return HK_H5_FOREIGN;
  if (b[8] != 2 || b[9] != 8 || b[10] != 8 || b[11] != 0) return HK_H5_FOREIGN;
  if (hki_h5_little(b + 44, 4) != hki_h5_checksum(b, 44)) return HK_H5_DAMAGED;
  const uint64_t base = hki_h5_little(b + 12, 8), extension = hki_h5_little(b + 20, 8);
  if (base != 0 || extension == HK_H5_NOWHERE) return HK_H5_FOREIGN;
  if (hki_h5_little(b + 28, 8) > s->size) return HK_H5_DAMAGED; // cut short
  *root = hki_h5_little(b + 36, 8);
  return check_extension(s, extension);
}

void hki_h5_source_close(hk_h5_source *s) {
  if (s->fd >= 0) close(s->fd);
  hki_free(s->ctx, s->packed);
  hki_free(s->ctx, s->shuffled);
  *s = (hk_h5_source){.ctx = s->ctx, .fd = -1};
}

/* --- object headers (IV.A.1.b) ---------------------------------------------------------------- */

/* the messages fill the header, and none of them lies elsewhere */
static hk_h5_verdict check_messages(const unsigned char *p, size_t n) {
  enum { ELSEWHERE = 0x02, CONTINUATION = 0x10 };
  while (n > 0) {
    if (n < 6) return HK_H5_FOREIGN; // a gap: the writer leaves none
    const size_t size = (size_t)hki_h5_little(p + 1, 2);
    if ((p[3] & ELSEWHERE) || p[0] == CONTINUATION) return HK_H5_FOREIGN;
    if (size > n - 6) return HK_H5_DAMAGED;
    p += 6 + size, n -= 6 + size;
  }
  return HK_H5_GOOD;
}

hk_h5_verdict hki_h5_read_header(hk_h5_source *s, uint64_t address, hk_h5_header *h) {
  unsigned char head[HEADER];
  h->n = 0;
  hk_h5_verdict v = hki_h5_get(s, address, head, sizeof head);
  if (v != HK_H5_GOOD) return v;
  // headers without a signature are old ones
  if (memcmp(head, "OHDR", 4) != 0 || head[4] != 2 || head[5] != HEADER_FLAGS) return HK_H5_FOREIGN;
  const uint64_t n = hki_h5_little(head + 6, 4);
  if (n > HEADER_MOST || n + HEADER + 4 > s->size - address) return HK_H5_DAMAGED;
  if (!hki_h5_room(s->ctx, &h->p, &h->cap, (size_t)n + HEADER + 4)) return HK_H5_MEMORY;
  v = hki_h5_get(s, address, h->p, (size_t)n + HEADER + 4);
  if (v != HK_H5_GOOD) return v;
  if (hki_h5_little(h->p + HEADER + n, 4) != hki_h5_checksum(h->p, HEADER + (size_t)n))
    return HK_H5_DAMAGED;
  v = check_messages(h->p + HEADER, (size_t)n);
  if (v == HK_H5_GOOD) h->n = (size_t)n;
  return v;
}

bool hki_h5_next(const hk_h5_header *h, size_t *at, hk_h5_message *m) {
  if (*at >= h->n) return false;
  const unsigned char *p = h->p + HEADER + *at;
  *m = (hk_h5_message){p[0], p + 6, (size_t)hki_h5_little(p + 1, 2)};
  *at += 6 + m->n;
  return true;
}

/* --- attributes (IV.A.2.m) -------------------------------------------------------------------- */

/* a datatype as the writer puts it down */
static bool is_type(const unsigned char *p, size_t n, hk_h5_type type) {
  unsigned char expected[32];
  hk_h5_bytes b = {.p = expected, .cap = sizeof expected};
  hki_h5_datatype(&b, type);
  return n == b.n && memcmp(p, expected, n) == 0;
}

hk_h5_verdict hki_h5_read_attribute(const hk_h5_message *m, hk_h5_attribute *out) {
  *out = (hk_h5_attribute){0};
  if (m->n < 9) return HK_H5_DAMAGED;
  if (m->p[0] != 3 || m->p[1] != 0) return HK_H5_FOREIGN;
  const size_t name = (size_t)hki_h5_little(m->p + 2, 2), type = (size_t)hki_h5_little(m->p + 4, 2),
               space = (size_t)hki_h5_little(m->p + 6, 2);
  if (name == 0 || name + type + space > m->n - 9) return HK_H5_DAMAGED;
  const unsigned char *p = m->p + 9, *t = p + name, *d = t + type;
  if (p[name - 1] != 0) return HK_H5_DAMAGED;
  out->name = (const char *)p;
  out->data = d + space;
  out->n = m->n - 9 - name - type - space;
  // one value: no dimension, or one of length 1
  const bool one = (space == 4 && d[0] == 2 && d[1] == 0) ||
                   (space == 12 && d[0] == 2 && d[1] == 1 && hki_h5_little(d + 4, 8) == 1);
  out->text = one && type == 8 && t[0] == 0x13 && hki_h5_little(t + 4, 4) == out->n;
  out->integer = one && is_type(t, type, HK_H5_I32) && out->n == 4;
  return HK_H5_GOOD;
}

/* --- links (IV.A.2.g) ------------------------------------------------------------------------- */

hk_h5_verdict hki_h5_read_link(const hk_h5_message *m, const char **name, size_t *len,
                               uint64_t *address) {
  enum { BEFORE = 13, FLAGS = 0x15 };
  if (m->n < 2) return HK_H5_DAMAGED;
  if (m->p[0] != 1 || m->p[1] != FLAGS) return HK_H5_FOREIGN;
  if (m->n < BEFORE + 8) return HK_H5_DAMAGED;
  *len = (size_t)hki_h5_little(m->p + 11, 2);
  if (*len != m->n - BEFORE - 8) return HK_H5_DAMAGED;
  *name = (const char *)m->p + BEFORE;
  *address = hki_h5_little(m->p + BEFORE + *len, 8);
  return HK_H5_GOOD;
}

/* --- datasets --------------------------------------------------------------------------------- */

/* dataspace (IV.A.2.b) */
static hk_h5_verdict read_space(const hk_h5_message *m, hk_h5_dataset *d) {
  if (m->n < 4) return HK_H5_DAMAGED;
  if (m->p[0] != 2 || m->p[1] < 1 || m->p[1] > HK_H5_RANK || m->p[2] > 1 || m->p[3] != 1)
    return HK_H5_FOREIGN;
  d->rank = m->p[1];
  if (m->n != 4 + 8 * (size_t)d->rank * (1u + m->p[2])) return HK_H5_DAMAGED;
  for (int32_t i = 0; i < d->rank; i++) d->dims[i] = hki_h5_little(m->p + 4 + 8 * i, 8);
  return HK_H5_GOOD;
}

static hk_h5_verdict read_type(const hk_h5_message *m, hk_h5_dataset *d) {
  static const hk_h5_type types[] = {HK_H5_F64, HK_H5_F32, HK_H5_I32, HK_H5_CHAR};
  for (int32_t i = 0; i < HK_ARRAY_LEN(types); i++) {
    d->type = types[i];
    if (is_type(m->p, m->n, d->type)) return HK_H5_GOOD;
  }
  return HK_H5_FOREIGN;
}

/* what the layout (IV.A.2.i) says, to be compared when space and type are known */
typedef struct layout {
  bool there;
  uint64_t bytes;         /* contiguous: of all numbers */
  int32_t rank;           /* chunked: with the size of an item as its last */
  const unsigned char *p; /* the lengths of a chunk */
} layout;

static hk_h5_verdict read_layout(const hk_h5_message *m, hk_h5_dataset *d, layout *l) {
  if (m->n < 2) return HK_H5_DAMAGED;
  if (m->p[0] != 3 || (m->p[1] != 1 && m->p[1] != 2)) return HK_H5_FOREIGN;
  d->chunked = m->p[1] == 2;
  l->there = true;
  if (!d->chunked) {
    if (m->n != 18) return HK_H5_DAMAGED;
    d->address = hki_h5_little(m->p + 2, 8);
    l->bytes = hki_h5_little(m->p + 10, 8);
    return HK_H5_GOOD;
  }
  l->rank = m->n > 2 ? m->p[2] : 0;
  if (m->n != 11 + 4 * (size_t)l->rank) return HK_H5_DAMAGED;
  d->address = hki_h5_little(m->p + 3, 8);
  l->p = m->p + 11;
  return HK_H5_GOOD;
}

static size_t item_bytes(hk_h5_type type) {
  return type == HK_H5_F64 ? 8 : type == HK_H5_CHAR ? 1 : 4;
}

/* shuffle, then deflate (IV.A.2.l); `item`: bytes of an item, as the shuffle says */
static hk_h5_verdict read_filters(const hk_h5_message *m, hk_h5_dataset *d, uint64_t *item) {
  static const unsigned char shuffle[] = {2, 2, 2, 0, 1, 0, 1, 0}, deflate[] = {1, 0, 1, 0, 1, 0};
  if (m->n != 22 || memcmp(m->p, shuffle, sizeof shuffle) != 0 ||
      memcmp(m->p + 12, deflate, sizeof deflate) != 0)
    return HK_H5_FOREIGN;
  d->packed = true;
  *item = hki_h5_little(m->p + 8, 4);
  return HK_H5_GOOD;
}

/* the largest chunk that is unpacked, bytes; deflate shrinks by a factor of 1032 at most */
enum { CHUNK_MOST = 1 << 26, SHRINKS = 1032 };

/* sizes that fit together, and that the file can have */
static hk_h5_verdict fit(const hk_h5_source *s, hk_h5_dataset *d, const layout *l) {
  const size_t item = item_bytes(d->type);
  double row = (double)item;
  for (int32_t i = 1; i < d->rank; i++) row *= (double)d->dims[i];
  d->stored = d->address != HK_H5_NOWHERE;
  if (!d->stored) return HK_H5_GOOD;
  const double all = row * (double)d->dims[0], most = d->packed ? SHRINKS : 1.0;
  if (all > most * (double)s->size || row > 9e15) return HK_H5_DAMAGED;
  d->row_bytes = (size_t)row;
  if (!d->chunked) {
    if (d->packed) return HK_H5_FOREIGN;
    const bool inside = d->address <= s->size && l->bytes <= s->size - d->address;
    return inside && (double)l->bytes == all ? HK_H5_GOOD : HK_H5_DAMAGED;
  }
  if (l->rank != d->rank + 1 || hki_h5_little(l->p + 4 * d->rank, 4) != item) return HK_H5_DAMAGED;
  for (int32_t i = 1; i < d->rank; i++)
    if (hki_h5_little(l->p + 4 * i, 4) != d->dims[i]) return HK_H5_FOREIGN;
  d->rows = (uint32_t)hki_h5_little(l->p, 4);
  if (d->rows == 0 || d->row_bytes == 0) return HK_H5_DAMAGED;
  if (d->rows > 1 && (double)d->rows * row > CHUNK_MOST) return HK_H5_FOREIGN;
  return HK_H5_GOOD;
}

hk_h5_verdict hki_h5_read_dataset(const hk_h5_source *s, const hk_h5_header *h, hk_h5_dataset *d) {
  hk_h5_message m;
  layout l = {0};
  uint64_t shuffled = 0;
  bool space = false, type = false;
  hk_h5_verdict v = HK_H5_GOOD;
  *d = (hk_h5_dataset){.address = HK_H5_NOWHERE};
  for (size_t at = 0; v == HK_H5_GOOD && hki_h5_next(h, &at, &m);) {
    if (m.type == HK_H5_MSG_SPACE) v = read_space(&m, d), space = true;
    if (m.type == HK_H5_MSG_TYPE) v = read_type(&m, d), type = true;
    if (m.type == HK_H5_MSG_LAYOUT) v = read_layout(&m, d, &l);
    if (m.type == HK_H5_MSG_FILTERS) v = read_filters(&m, d, &shuffled);
  }
  if (v != HK_H5_GOOD) return v;
  if (!space && !type && !l.there) return HK_H5_GOOD; // a group
  if (!space || !type || !l.there) return HK_H5_DAMAGED;
  if (d->packed && shuffled != item_bytes(d->type)) return HK_H5_DAMAGED;
  d->there = true;
  return fit(s, d, &l);
}

#endif
