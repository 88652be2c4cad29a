/* SPDX-License-Identifier: Apache-2.0
 *
 * file.c: an HDF5 file that grows: blocks of chunks, the trees that find them (III.A.1 of the
 * format's specification), datasets, the superblock.
 *
 * A leaf holds 16 chunks and is written once, when it is full; the open leaf and the levels above
 * are part of every commit. In memory stay the open leaf and one address per 16 blocks.
 */
#include "results/hdf5/write.h"

#ifdef HK_WITH_NETCDF

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum {
  MSG_SPACE = 0x01,
  MSG_TYPE = 0x03,
  MSG_FILL = 0x05,
  MSG_LAYOUT = 0x08,
  MSG_FILTERS = 0x0b,
  MSG_TREE_K = 0x13
};
enum { SUPERBLOCK = 48, TAIL = 1 << 18 };

/* --- the file --------------------------------------------------------------------------------- */

static int put(const hk_h5_file *f, uint64_t address, const void *data, size_t n) {
  const unsigned char *p = data;
  while (n > 0) {
    ssize_t some = pwrite(f->fd, p, n, (off_t)address);
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) return some < 0 ? errno : EIO;
    p += some, n -= (size_t)some, address += (uint64_t)some;
  }
  return 0;
}

/* write the gathered bytes */
static int put_tail(hk_h5_file *f) {
  int error = f->tail_n ? put(f, f->tail_at, f->tail, f->tail_n) : 0;
  if (error) f->lost = true;
  f->tail_n = 0;
  return error;
}

int hki_h5_write(hk_h5_file *f, uint64_t address, const void *data, size_t n) {
  const uint64_t end = f->tail_at + f->tail_n;
  if (f->tail_n && address >= f->tail_at && address + n <= end) {
    memcpy(f->tail + (address - f->tail_at), data, n);
    return 0;
  }
  int error = f->tail_n && address + n > f->tail_at ? put_tail(f) : 0;
  return error ? error : put(f, address, data, n);
}

/* collect small pieces: one large write is much faster than many small ones */
static int gather(hk_h5_file *f, uint64_t address, const void *p, size_t n) {
  size_t gap = f->tail_n ? (size_t)(address - f->tail_at) - f->tail_n : 0;
  int error = f->tail_n + gap + n > TAIL ? put_tail(f) : 0;
  if (f->tail_n == 0) f->tail_at = address, gap = 0;
  memset(f->tail + f->tail_n, 0, gap);
  memcpy(f->tail + f->tail_n + gap, p, n);
  f->tail_n += gap + n;
  return error;
}

int hki_h5_append(hk_h5_file *f, const void *p, size_t n, uint64_t *address) {
  *address = (f->end + 7) / 8 * 8;
  int error = f->tail && n <= TAIL ? gather(f, *address, p, n) : hki_h5_write(f, *address, p, n);
  if (!error) f->end = *address + n;
  return error;
}

/* the state of compression, with buffers for the largest chunk and block of all tables */
struct hk_h5_packer {
  z_stream z;
  unsigned char *shuffled, *packed; /* shuffled[chunk]: one chunk; packed[block]: one block */
  size_t chunk, block;              /* their sizes in bytes */
};

int hki_h5_open(hk_h5_file *f, hk_ctx *ctx, const char *path, int32_t level, bool gathers) {
  *f = (hk_h5_file){.ctx = ctx, .fd = -1, .end = SUPERBLOCK, .level = level, .node = {.ctx = ctx}};
  f->fd = open(path, O_WRONLY | O_CLOEXEC);
  if (f->fd < 0) return errno;
  if (gathers && !(f->tail = hki_alloc(ctx, TAIL))) return ENOMEM;
  if (level == 0) return 0;
  f->packer = hki_alloc(ctx, sizeof *f->packer);
  if (!f->packer) return ENOMEM;
  *f->packer = (hk_h5_packer){0};
  if (deflateInit(&f->packer->z, level) == Z_OK) return 0;
  hki_free(ctx, f->packer);
  f->packer = NULL;
  return ENOMEM;
}

int hki_h5_close(hk_h5_file *f) {
  int error = f->fd >= 0 && close(f->fd) != 0 ? errno : 0;
  f->fd = -1;
  hki_free(f->ctx, f->node.p);
  hki_free(f->ctx, f->tail);
  f->node.p = f->tail = NULL;
  if (f->packer) {
    deflateEnd(&f->packer->z);
    hki_free(f->ctx, f->packer->shuffled);
    hki_free(f->ctx, f->packer->packed);
    hki_free(f->ctx, f->packer);
  }
  f->packer = NULL;
  return error;
}

/* the extension of the superblock (II.A): K of the B-trees, half the children of a node */
uint64_t hki_h5_extension(hk_h5_bytes *b) {
  hk_h5_object o = hki_h5_object(b);
  size_t at = hki_h5_message(&o, MSG_TREE_K);
  hki_h5_int(b, 0, 1);
  hki_h5_int(b, HK_H5_FANOUT / 2, 2);
  hki_h5_int(b, 16, 2); // K of old-style groups (node, leaf): HDF5's defaults
  hki_h5_int(b, 4, 2);
  hki_h5_message_end(&o, at);
  hki_h5_object_end(&o);
  return o.address;
}

int hki_h5_commit(hk_h5_file *f, const hk_h5_bytes *b, uint64_t root, uint64_t extension) {
  unsigned char block[64];
  hk_h5_bytes s = {.ctx = f->ctx, .p = block, .cap = sizeof block};
  if (b->failed) return ENOMEM;
  uint64_t at = b->base;
  int error = at == (f->end + 7) / 8 * 8 ? hki_h5_append(f, b->p, b->n, &at)
                                         : hki_h5_write(f, at, b->p, b->n);
  if (!error) error = put_tail(f);
  if (error) return error;
  hki_h5_put(&s, "\x89HDF\r\n\x1a\n\x02\x08\x08\x00", 12);
  hki_h5_int(&s, 0, 8); // base
  hki_h5_int(&s, extension, 8);
  hki_h5_int(&s, f->end, 8);
  hki_h5_int(&s, root, 8);
  hki_h5_int(&s, hki_h5_checksum(s.p, s.n), 4);
  return hki_h5_write(f, 0, s.p, s.n);
}

/* --- tables ----------------------------------------------------------------------------------- */

static size_t item_bytes(hk_h5_type type) {
  return type == HK_H5_F64 ? 8 : type == HK_H5_CHAR ? 1 : 4;
}

size_t hki_h5_chunk_bytes(const hk_h5_table *t) {
  size_t n = item_bytes(t->type);
  for (int32_t i = 0; i < t->rank; i++) n *= t->chunk[i];
  return n;
}

static bool enlarge(hk_ctx *ctx, unsigned char **p, size_t *have, size_t want) {
  if (want <= *have) return true;
  hki_free(ctx, *p);
  *p = hki_alloc(ctx, want);
  *have = *p ? want : 0;
  return *p;
}

int hki_h5_table_open(hk_h5_file *f, hk_h5_table *t) {
  size_t chunk = hki_h5_chunk_bytes(t), block = (size_t)t->nsets * chunk;
  hk_h5_packer *k = f->packer;
  if (!k) return 0;
  t->end = hki_alloc(f->ctx, (size_t)t->nsets * HK_H5_FANOUT * sizeof *t->end);
  // chunks that do not shrink are stored uncompressed, so a packed block is never larger
  bool ok = t->end && enlarge(f->ctx, &k->shuffled, &k->chunk, chunk) &&
            enlarge(f->ctx, &k->packed, &k->block, block);
  return ok ? 0 : ENOMEM;
}

void hki_h5_table_free(hk_h5_file *f, hk_h5_table *t) {
  hki_free(f->ctx, t->end);
  hki_free(f->ctx, t->leaf);
  t->end = NULL;
  t->leaf = NULL;
}

/* --- trees ------------------------------------------------------------------------------------ */

static size_t key_bytes(const hk_h5_table *t) { return 8 + 8 * ((size_t)t->rank + 1); }
static size_t node_bytes(const hk_h5_table *t) {
  return 24 + 8 * HK_H5_FANOUT + (HK_H5_FANOUT + 1) * key_bytes(t);
}

/* a key of a node: bytes of the chunk, mask of the filters that were skipped, its first row */
static void put_key(hk_h5_bytes *b, const hk_h5_table *t, uint64_t bytes, bool raw, uint64_t row) {
  hki_h5_int(b, bytes, 4);
  hki_h5_int(b, raw ? 3 : 0, 4);
  hki_h5_int(b, row, 8);
  hki_h5_zeros(b, 8 * (size_t)t->rank);
}

static size_t node_begin(hk_h5_bytes *b, int32_t level, int32_t n, uint64_t left, uint64_t right) {
  size_t start = b->n;
  hki_h5_put(b, "TREE\x01", 5);
  hki_h5_int(b, (uint64_t)level, 1);
  hki_h5_int(b, (uint64_t)n, 2);
  hki_h5_int(b, left, 8);
  hki_h5_int(b, right, 8);
  return start;
}

/* the last key of a node, then zeros up to the fixed size of nodes */
static void node_end(hk_h5_bytes *b, const hk_h5_table *t, size_t start, uint64_t row) {
  put_key(b, t, 0, false, row);
  if (!b->failed) hki_h5_zeros(b, start + node_bytes(t) - b->n);
}

/* offset of a dataset's chunk within its block; with set = nsets: length of the block */
static uint64_t chunk_offset(const hk_h5_table *t, int32_t block, int32_t set) {
  if (!t->end) return (uint64_t)set * hki_h5_chunk_bytes(t);
  return set ? t->end[(size_t)block * (size_t)t->nsets + (size_t)set - 1] : 0;
}

static uint64_t leaf_address(const hk_h5_table *t, int32_t leaf, int32_t set) {
  return t->leaf[leaf] + (uint64_t)set * node_bytes(t);
}

/* the open leaf of one set */
static void put_leaf(hk_h5_bytes *b, const hk_h5_table *t, int32_t set, uint64_t partial) {
  uint64_t left = t->nleaves ? leaf_address(t, t->nleaves - 1, set) : HK_H5_NOWHERE;
  uint64_t row = (uint64_t)t->nleaves * HK_H5_FANOUT * t->chunk[0];
  size_t whole = hki_h5_chunk_bytes(t);
  size_t start = node_begin(b, 0, t->filled + (partial != HK_H5_NOWHERE), left, HK_H5_NOWHERE);
  for (int32_t i = 0; i < t->filled; i++, row += t->chunk[0]) {
    uint64_t from = chunk_offset(t, i, set), n = chunk_offset(t, i, set + 1) - from;
    put_key(b, t, n, t->end && n == whole, row);
    hki_h5_int(b, t->base[i] + from, 8);
  }
  if (partial != HK_H5_NOWHERE) {
    put_key(b, t, whole, t->end, row);
    hki_h5_int(b, partial + (uint64_t)set * whole, 8);
    row += t->chunk[0];
  }
  node_end(b, t, start, row);
}

/* append the open leaf of every dataset to the file: it is full, or the last */
static int spill(hk_h5_file *f, hk_h5_table *t) {
  hk_h5_bytes *b = &f->node;
  if (!HK_GROW(f->ctx, t->leaf, t->cap, t->nleaves + 1)) return ENOMEM;
  b->n = 0;
  hki_h5_reserve(b, (size_t)t->nsets * node_bytes(t));
  for (int32_t i = 0; i < t->nsets; i++) put_leaf(b, t, i, HK_H5_NOWHERE);
  if (b->failed) return ENOMEM;
  uint64_t address;
  int error = hki_h5_append(f, b->p, b->n, &address);
  if (error) return error;
  // set the right neighbour of the leaves before
  for (int32_t i = 0; i < t->nsets && t->nleaves && !error; i++) {
    unsigned char where[8];
    uint64_t at = address + (uint64_t)i * node_bytes(t);
    for (int k = 0; k < 8; k++) where[k] = (unsigned char)(at >> (8 * k));
    error = hki_h5_write(f, leaf_address(t, t->nleaves - 1, i) + 16, where, sizeof where);
  }
  t->leaf[t->nleaves++] = address;
  t->filled = 0;
  return error;
}

/* the levels above n leaves with addresses child[n] (overwritten); returns the root's address */
static uint64_t put_levels(hk_h5_bytes *b, const hk_h5_table *t, uint64_t *child, int32_t n) {
  uint64_t rows = (uint64_t)t->chunk[0] * HK_H5_FANOUT; // of one child
  for (int32_t level = 1; n > 1; level++, rows *= HK_H5_FANOUT) {
    int32_t m = (n + HK_H5_FANOUT - 1) / HK_H5_FANOUT;
    uint64_t first = hki_h5_align(b), size = node_bytes(t);
    for (int32_t i = 0; i < m; i++) {
      int32_t from = i * HK_H5_FANOUT, many = n - from < HK_H5_FANOUT ? n - from : HK_H5_FANOUT;
      uint64_t at = first + (uint64_t)i * size;
      size_t start = node_begin(b, level, many, i ? at - size : HK_H5_NOWHERE,
                                i + 1 < m ? at + size : HK_H5_NOWHERE);
      for (int32_t k = from; k < from + many; k++) {
        put_key(b, t, hki_h5_chunk_bytes(t), false, (uint64_t)k * rows);
        hki_h5_int(b, child[k], 8);
      }
      node_end(b, t, start, (uint64_t)(from + many) * rows);
      child[i] = at;
    }
    n = m;
  }
  return n ? child[0] : HK_H5_NOWHERE;
}

/* the tree of one dataset from its open leaf up; returns the root's address */
static uint64_t put_tree(hk_h5_bytes *b, const hk_h5_file *f, hk_h5_table *t, int32_t set,
                         uint64_t partial) {
  int32_t n = t->nleaves;
  uint64_t *child = hki_alloc(f->ctx, ((size_t)n + 1) * sizeof *child);
  if (!child) {
    b->failed = true;
    return HK_H5_NOWHERE;
  }
  for (int32_t i = 0; i < n; i++) child[i] = leaf_address(t, i, set);
  if (t->filled || partial != HK_H5_NOWHERE) {
    child[n++] = hki_h5_align(b);
    put_leaf(b, t, set, partial);
  }
  uint64_t root = put_levels(b, t, child, n);
  hki_free(f->ctx, child);
  return root;
}

/* --- blocks ----------------------------------------------------------------------------------- */

/* shuffle (bytes of equal significance side by side), then deflate; returns the bytes at `out` */
static size_t pack(hk_h5_packer *p, const hk_h5_table *t, const unsigned char *in,
                   unsigned char *out) {
  size_t n = hki_h5_chunk_bytes(t), item = item_bytes(t->type), many = n / item;
  for (size_t k = 0; k < item; k++)
    for (size_t i = 0; i < many; i++) p->shuffled[k * many + i] = in[i * item + k];
  deflateReset(&p->z);
  p->z.next_in = p->shuffled;
  p->z.avail_in = (uInt)n;
  p->z.next_out = out;
  p->z.avail_out = (uInt)n - 1;
  if (deflate(&p->z, Z_FINISH) == Z_STREAM_END) return n - 1 - p->z.avail_out;
  memcpy(out, in, n); // does not shrink: stored uncompressed
  return n;
}

int hki_h5_table_append(hk_h5_file *f, hk_h5_table *t, const void *block) {
  size_t n = hki_h5_chunk_bytes(t), used = 0;
  const unsigned char *in = block;
  uint32_t *end = t->end ? t->end + (size_t)t->filled * (size_t)t->nsets : NULL;
  for (int32_t i = 0; end && i < t->nsets; i++) {
    used += pack(f->packer, t, in + (size_t)i * n, f->packer->packed + used);
    end[i] = (uint32_t)used;
  }
  if (end) {
    in = f->packer->packed;
  } else {
    used = n * (size_t)t->nsets;
  }
  int error = hki_h5_append(f, in, used, &t->base[t->filled]);
  if (error) return error;
  return ++t->filled == HK_H5_FANOUT ? spill(f, t) : 0;
}

int hki_h5_table_end(hk_h5_file *f, hk_h5_table *t) { return t->filled ? spill(f, t) : 0; }

/* --- datasets --------------------------------------------------------------------------------- */

/* dataspace, type and fill value; the fill value is never written, as all numbers are */
static void describe(hk_h5_object *o, hk_h5_type type, int32_t rank, const uint64_t *dims,
                     bool grows) {
  size_t at = hki_h5_message(o, MSG_SPACE);
  hki_h5_int(o->b, 2, 1);
  hki_h5_int(o->b, (uint64_t)rank, 1);
  hki_h5_int(o->b, grows, 1);
  hki_h5_int(o->b, 1, 1);
  for (int32_t i = 0; i < rank; i++) hki_h5_int(o->b, dims[i], 8);
  for (int32_t i = 0; i < rank && grows; i++) hki_h5_int(o->b, i ? dims[i] : HK_H5_NOWHERE, 8);
  hki_h5_message_end(o, at);
  at = hki_h5_message(o, MSG_TYPE);
  hki_h5_datatype(o->b, type);
  hki_h5_message_end(o, at);
  at = hki_h5_message(o, MSG_FILL);
  hki_h5_int(o->b, 3, 1);
  hki_h5_int(o->b, grows ? 0x07 : 0x06, 1); // space allocated incrementally, or late
  hki_h5_message_end(o, at);
}

static void chunked(hk_h5_object *o, hk_h5_type type, int32_t rank, const uint32_t *chunk,
                    uint64_t tree) {
  size_t at = hki_h5_message(o, MSG_LAYOUT);
  hki_h5_int(o->b, 3, 1);
  hki_h5_int(o->b, 2, 1);
  hki_h5_int(o->b, (uint64_t)rank + 1, 1);
  hki_h5_int(o->b, tree, 8);
  for (int32_t i = 0; i < rank; i++) hki_h5_int(o->b, chunk[i], 4);
  hki_h5_int(o->b, item_bytes(type), 4);
  hki_h5_message_end(o, at);
}

static void filters(hk_h5_object *o, hk_h5_type type, int32_t level) {
  size_t at = hki_h5_message(o, MSG_FILTERS);
  hki_h5_int(o->b, 2, 1);
  hki_h5_int(o->b, 2, 1);
  // shuffle: optional, one value; then deflate
  const uint64_t values[2][4] = {{2, 1, 1, item_bytes(type)}, {1, 1, 1, (uint64_t)level}};
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 3; k++) hki_h5_int(o->b, values[i][k], 2);
    hki_h5_int(o->b, values[i][3], 4);
  }
  hki_h5_message_end(o, at);
}

hk_h5_object hki_h5_set(hk_h5_bytes *b, const hk_h5_file *f, hk_h5_table *t, int32_t set,
                        uint64_t partial) {
  uint64_t dims[HK_H5_RANK] = {t->rows}, tree = put_tree(b, f, t, set, partial);
  for (int32_t i = 1; i < t->rank; i++) dims[i] = t->chunk[i];
  hk_h5_object o = hki_h5_object(b);
  describe(&o, t->type, t->rank, dims, true);
  chunked(&o, t->type, t->rank, t->chunk, tree);
  if (f->level) filters(&o, t->type, f->level);
  return o;
}

hk_h5_object hki_h5_fixed_set(hk_h5_bytes *b, hk_h5_type type, int32_t rank, const uint64_t *dims,
                              uint64_t address) {
  hk_h5_object o = hki_h5_object(b);
  uint64_t n = item_bytes(type);
  for (int32_t i = 0; i < rank; i++) n *= dims[i];
  describe(&o, type, rank, dims, false);
  size_t at = hki_h5_message(&o, MSG_LAYOUT);
  hki_h5_int(b, 3, 1);
  hki_h5_int(b, 1, 1);
  hki_h5_int(b, address, 8);
  hki_h5_int(b, n, 8);
  hki_h5_message_end(&o, at);
  return o;
}

hk_h5_object hki_h5_empty_set(hk_h5_bytes *b, uint64_t length) {
  static const uint32_t chunk = 1024;
  hk_h5_object o = hki_h5_object(b);
  describe(&o, HK_H5_F32, 1, &length, true);
  chunked(&o, HK_H5_F32, 1, &chunk, HK_H5_NOWHERE);
  return o;
}

#endif
