/* SPDX-License-Identifier: Apache-2.0
 *
 * read_rows.c: numbers of a dataset. Chunks are found by B-trees version 1 (III.A.1 of the HDF5 File
 * Format Specification 3.0). The writer fills its nodes from the left with HK_H5_FANOUT children, so
 * the way to chunk c is in the digits of c, and each key must name the row that belongs there: no
 * file can lead the reader in circles.
 */
#include "results/hdf5/read.h"

#ifdef HK_WITH_NETCDF

#include <string.h>
#include <zlib.h>

#include "results/hdf5/read_impl.h"

enum { LEVELS = 12, HEAD = 24, KEY_MOST = 8 + 8 * (HK_H5_RANK + 1) };
enum { NODE_MOST = HEAD + 8 * HK_H5_FANOUT + (HK_H5_FANOUT + 1) * KEY_MOST };

/* a node of the tree, and which one it is: at `level`, the number `index` from the left */
typedef struct node {
  unsigned char p[NODE_MOST];
  int32_t level, n;
  uint64_t index;
  bool there;
} node;

static size_t key_bytes(const hk_h5_dataset *d) { return 8 + 8 * ((size_t)d->rank + 1); }

/* the nodes at `level` have as many chunks below each child */
static uint64_t below(int32_t level) { return (uint64_t)1 << (4 * level); }

/* `level` < 0: any, the root's */
static hk_h5_verdict get_node(const hk_h5_source *s, const hk_h5_dataset *d, uint64_t address,
                              int32_t level, uint64_t index, node *out) {
  const size_t key = key_bytes(d);
  out->there = false;
  hk_h5_verdict v =
      hki_h5_get(s, address, out->p, HEAD + 8 * HK_H5_FANOUT + (HK_H5_FANOUT + 1) * key);
  if (v != HK_H5_GOOD) return v;
  if (memcmp(out->p, "TREE\x01", 5) != 0) return HK_H5_DAMAGED;
  out->level = out->p[5];
  out->n = (int32_t)hki_h5_little(out->p + 6, 2);
  out->index = index;
  if (out->level >= LEVELS || (level >= 0 && out->level != level) || out->n > HK_H5_FANOUT)
    return HK_H5_DAMAGED;
  out->there = true;
  return HK_H5_GOOD;
}

/* the key of child i and its address; the key names the first row of chunk `chunk` */
static hk_h5_verdict child(const node *m, const hk_h5_dataset *d, int32_t i, uint64_t chunk,
                           const unsigned char **key, uint64_t *address) {
  const size_t bytes = key_bytes(d);
  if (i >= m->n) return HK_H5_DAMAGED;
  *key = m->p + HEAD + (size_t)i * (bytes + 8);
  *address = hki_h5_little(*key + bytes, 8);
  if (hki_h5_little(*key + 8, 8) != chunk * d->rows) return HK_H5_DAMAGED;
  for (int32_t k = 1; k <= d->rank; k++)
    if (hki_h5_little(*key + 8 + 8 * k, 8) != 0) return HK_H5_DAMAGED;
  return HK_H5_GOOD;
}

/* the leaf that has chunk c, unless it is there already */
static hk_h5_verdict find_leaf(const hk_h5_source *s, const hk_h5_dataset *d, uint64_t c,
                               node *leaf) {
  const uint64_t index = c / HK_H5_FANOUT;
  if (leaf->there && leaf->index == index) return HK_H5_GOOD;
  hk_h5_verdict v = get_node(s, d, d->address, -1, 0, leaf);
  if (v == HK_H5_GOOD && c / HK_H5_FANOUT >= below(leaf->level)) return HK_H5_DAMAGED;
  while (v == HK_H5_GOOD && leaf->level > 0) {
    const unsigned char *key;
    uint64_t address = 0;
    const uint64_t per = below(leaf->level), number = c / per;
    v = child(leaf, d, (int32_t)(number % HK_H5_FANOUT), number * per, &key, &address);
    if (v == HK_H5_GOOD) v = get_node(s, d, address, leaf->level - 1, number, leaf);
  }
  if (v == HK_H5_GOOD && leaf->index != index) v = HK_H5_DAMAGED;
  return v;
}

/* --- one chunk -------------------------------------------------------------------------------- */

/* bytes of equal significance stood side by side; rows first ... of a chunk of n bytes */
static void unshuffle(const unsigned char *in, size_t n, size_t item, size_t first, size_t count,
                      unsigned char *out) {
  const size_t many = n / item;
  for (size_t k = 0; k < item; k++)
    for (size_t i = 0; i < count; i++) out[i * item + k] = in[k * many + first + i];
}

static hk_h5_verdict unpack(hk_h5_source *s, uint64_t address, size_t bytes, size_t whole) {
  if (!hki_h5_room(s->ctx, &s->packed, &s->packed_cap, bytes) ||
      !hki_h5_room(s->ctx, &s->shuffled, &s->shuffled_cap, whole))
    return HK_H5_MEMORY;
  hk_h5_verdict v = hki_h5_get(s, address, s->packed, bytes);
  if (v != HK_H5_GOOD) return v;
  z_stream z = {0};
  if (inflateInit(&z) != Z_OK) return HK_H5_MEMORY;
  z.next_in = s->packed, z.avail_in = (uInt)bytes;
  z.next_out = s->shuffled, z.avail_out = (uInt)whole;
  const int end = inflate(&z, Z_FINISH);
  const bool all = end == Z_STREAM_END && z.avail_out == 0;
  inflateEnd(&z);
  return end == Z_MEM_ERROR ? HK_H5_MEMORY : all ? HK_H5_GOOD : HK_H5_DAMAGED;
}

/* rows first ... first + count - 1 of one chunk */
static hk_h5_verdict get_chunk(hk_h5_source *s, const hk_h5_dataset *d, const unsigned char *key,
                               uint64_t address, size_t first, size_t count, unsigned char *out) {
  enum { SKIPPED = 3 }; // mask: both filters were skipped
  const size_t row = d->row_bytes, whole = row * d->rows;
  const uint64_t bytes = hki_h5_little(key, 4), mask = hki_h5_little(key + 4, 4);
  if (!d->packed || mask == SKIPPED) {
    if ((!d->packed && mask != 0) || bytes != whole || address > s->size) return HK_H5_DAMAGED;
    return hki_h5_get(s, address + first * row, out, count * row);
  }
  if (mask != 0 || bytes > whole || address > s->size || bytes > s->size - address)
    return HK_H5_DAMAGED;
  if ((double)whole > 1032.0 * (double)bytes + 64.0) return HK_H5_DAMAGED;
  hk_h5_verdict v = unpack(s, address, (size_t)bytes, whole);
  const size_t item = d->type == HK_H5_F64 ? 8 : d->type == HK_H5_CHAR ? 1 : 4, per = row / item;
  if (v == HK_H5_GOOD) unshuffle(s->shuffled, whole, item, first * per, count * per, out);
  return v;
}

hk_h5_verdict hki_h5_read_rows(hk_h5_source *s, const hk_h5_dataset *d, uint64_t first,
                               uint64_t count, void *out) {
  unsigned char *to = out;
  HK_ASSERT(first <= d->dims[0] && count <= d->dims[0] - first);
  if (!d->stored) return count ? HK_H5_DAMAGED : HK_H5_GOOD;
  if (!d->chunked)
    return hki_h5_get(s, d->address + first * d->row_bytes, out, (size_t)count * d->row_bytes);
  hk_h5_verdict v = HK_H5_GOOD;
  node leaf = {.there = false};
  while (v == HK_H5_GOOD && count > 0) {
    const unsigned char *key;
    uint64_t address = 0;
    const uint64_t c = first / d->rows, skip = first % d->rows;
    const uint64_t left = d->rows - skip, n = count < left ? count : left;
    v = find_leaf(s, d, c, &leaf);
    if (v == HK_H5_GOOD) v = child(&leaf, d, (int32_t)(c % HK_H5_FANOUT), c, &key, &address);
    if (v == HK_H5_GOOD) v = get_chunk(s, d, key, address, (size_t)skip, (size_t)n, to);
    to += n * d->row_bytes, first += n, count -= n;
  }
  return v;
}

#endif
