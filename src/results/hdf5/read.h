/* SPDX-License-Identifier: Apache-2.0
 *
 * read.h: reads the part of HDF5 that write.h writes (HDF5 File Format Specification 3.0), and nothing
 * else. Whatever a file claims is compared with what the file has before it is used: every address
 * and length lies inside the file, headers carry the right checksum, nodes of chunk trees stand where
 * the writer puts them, packed chunks unpack to exactly their size.
 *
 * There are two ways not to read a file. DAMAGED: it is one of ours, and something in it is wrong.
 * FOREIGN: it may be a good HDF5 file, but it has parts that the writer never writes, such as a file
 * that h5repack or nccopy has written anew; that is work for the HDF5 library.
 */
#ifndef HK_RESULTS_HDF5_READ_H
#define HK_RESULTS_HDF5_READ_H

#include "results/hdf5/write.h"

typedef enum hk_h5_verdict {
  HK_H5_GOOD,
  HK_H5_DAMAGED,
  HK_H5_FOREIGN,
  HK_H5_MEMORY /* out of memory */
} hk_h5_verdict;

typedef struct hk_h5_source {
  hk_ctx *ctx;
  int fd;        /* -1: not open */
  uint64_t size; /* bytes of the file */
  unsigned char *packed, *shuffled;
  size_t packed_cap, shuffled_cap;
} hk_h5_source;

/* messages of object headers that the reader knows */
enum {
  HK_H5_MSG_SPACE = 0x01,
  HK_H5_MSG_TYPE = 0x03,
  HK_H5_MSG_FILL = 0x05,
  HK_H5_MSG_LINK = 0x06,
  HK_H5_MSG_LAYOUT = 0x08,
  HK_H5_MSG_FILTERS = 0x0b,
  HK_H5_MSG_ATTRIBUTE = 0x0c,
  HK_H5_MSG_TREE_K = 0x13
};

/* an object header; its messages fill p[n] exactly */
typedef struct hk_h5_header {
  unsigned char *p;
  size_t n, cap;
} hk_h5_header;

typedef struct hk_h5_message {
  int32_t type;
  const unsigned char *p;
  size_t n;
} hk_h5_message;

typedef struct hk_h5_attribute {
  const char *name; /* ends in a NUL */
  bool text;        /* a text of n bytes, without a NUL */
  bool integer;     /* one 32-bit integer */
  const unsigned char *data;
  size_t n;
} hk_h5_attribute;

typedef struct hk_h5_dataset {
  bool there;  /* false: the header is not one of a dataset */
  bool stored; /* it has numbers */
  bool chunked, packed;
  hk_h5_type type;
  int32_t rank;
  uint64_t dims[HK_H5_RANK];
  uint32_t rows;    /* of a chunk */
  size_t row_bytes; /* bytes of one row: of all dimensions but the first */
  uint64_t address; /* of the numbers, or of the root of the chunk tree */
} hk_h5_dataset;

/* opens the file and finds its root group */
hk_h5_verdict hki_h5_source_open(hk_h5_source *s, hk_ctx *ctx, const char *path, uint64_t *root);
void hki_h5_source_close(hk_h5_source *s);

/* reads a header into h, whose memory is used again; give it back by hki_free(ctx, h->p) */
hk_h5_verdict hki_h5_read_header(hk_h5_source *s, uint64_t address, hk_h5_header *h);
/* the message at *at, and *at moves to the next; false: no more */
bool hki_h5_next(const hk_h5_header *h, size_t *at, hk_h5_message *m);

hk_h5_verdict hki_h5_read_attribute(const hk_h5_message *m, hk_h5_attribute *out);
/* a hard link: its name, which does not end in a NUL, and what it leads to */
hk_h5_verdict hki_h5_read_link(const hk_h5_message *m, const char **name, size_t *len,
                               uint64_t *address);
hk_h5_verdict hki_h5_read_dataset(const hk_h5_source *s, const hk_h5_header *h, hk_h5_dataset *out);

/* rows first ... first + count - 1, which the dataset has, as they are stored */
hk_h5_verdict hki_h5_read_rows(hk_h5_source *s, const hk_h5_dataset *d, uint64_t first,
                               uint64_t count, void *out);

#endif
