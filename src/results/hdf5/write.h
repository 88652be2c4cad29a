/* SPDX-License-Identifier: Apache-2.0
 *
 * write.h: writes the part of HDF5 (the HDF5 File Format Specification, version 3.0) that results
 * need. Creating hundreds of datasets through the HDF5 library takes longer than a short run;
 * writing their bytes directly takes almost no time. Files are read with the library.
 *
 * The file only grows. Chunks of numbers are appended as they come. A commit writes the description
 * of all of them (object headers, chunk trees, groups) and then the superblock, 48 bytes at the
 * front, which switches to the new state in one write. So the file can be opened after a commit,
 * whatever happens later.
 *
 * Parts of the format in use:
 *   superblock version 2, with an extension that gives K of the B-trees
 *   object headers version 2, with compact attributes
 *   new-style groups with compact links, creation order tracked
 *   chunked datasets, layout version 3, with B-trees version 1 of K = 8 (16 chunks a node)
 *   dimension lists in a global heap
 *   filters shuffle and deflate
 */
#ifndef HK_RESULTS_HDF5_WRITE_H
#define HK_RESULTS_HDF5_WRITE_H

#include "base/base.h"

#define HK_H5_NOWHERE UINT64_MAX

/* --- bytes of one commit (bytes.c) ------------------------------------------------------------ */

typedef struct hk_h5_bytes {
  hk_ctx *ctx;
  unsigned char *p;
  size_t n, cap;
  uint64_t base; /* address of p[0] in the file */
  bool failed;   /* out of memory: later bytes are dropped */
} hk_h5_bytes;

/* allocate room for n bytes in advance */
void hki_h5_reserve(hk_h5_bytes *b, size_t n);
void hki_h5_put(hk_h5_bytes *b, const void *p, size_t n);
void hki_h5_zeros(hk_h5_bytes *b, size_t n);
void hki_h5_int(hk_h5_bytes *b, uint64_t x, int32_t bytes); /* little-endian */
void hki_h5_set_int(hk_h5_bytes *b, size_t at, uint64_t x, int32_t bytes);
/* pad with zeros to a multiple of 8; returns the address in the file */
uint64_t hki_h5_align(hk_h5_bytes *b);
/* the format's checksum */
uint32_t hki_h5_checksum(const void *p, size_t n);

/* an object header being written: hki_h5_object, its messages, hki_h5_object_end */
typedef struct hk_h5_object {
  hk_h5_bytes *b;
  uint64_t address;
  size_t start, count; /* offsets in b: of the header, of its number of attributes */
  uint16_t order;      /* number of attributes so far */
} hk_h5_object;

typedef enum hk_h5_type { HK_H5_F64, HK_H5_F32, HK_H5_I32, HK_H5_CHAR } hk_h5_type;

hk_h5_object hki_h5_object(hk_h5_bytes *b);
void hki_h5_object_end(hk_h5_object *o);
void hki_h5_group(hk_h5_object *o, int32_t nlinks);
void hki_h5_link(hk_h5_object *o, const char *name, int32_t order, uint64_t address);

/* attributes. Texts that are empty or longer than HK_H5_TEXT are left out */
void hki_h5_text(hk_h5_object *o, const char *name, const char *text);
void hki_h5_word(hk_h5_object *o, const char *name, const char *text); /* its NUL included */
void hki_h5_number(hk_h5_object *o, const char *name, double x);
void hki_h5_integer(hk_h5_object *o, const char *name, int32_t x);
/* texts longer than this do not fit into an attribute */
enum { HK_H5_TEXT = 60000 };
/* a global heap for `count` references; returns its address */
uint64_t hki_h5_heap(hk_h5_bytes *b, int32_t count);
/* set reference i of a heap to the object at `address` */
void hki_h5_refer(hk_h5_bytes *b, uint64_t heap, int32_t i, uint64_t address);
/* the attribute DIMENSION_LIST of a dataset: dims[n] are indices of references in the heap */
void hki_h5_dimensions(hk_h5_object *o, uint64_t heap, const int32_t *dims, int32_t n);

/* begin a message of this type, returns its offset for hki_h5_message_end; a datatype message body
 */
size_t hki_h5_message(hk_h5_object *o, int32_t type);
void hki_h5_message_end(hk_h5_object *o, size_t at);
void hki_h5_datatype(hk_h5_bytes *b, hk_h5_type type);

/* --- the file (file.c) ------------------------------------------------------------------------ */

typedef struct hk_h5_packer hk_h5_packer;

typedef struct hk_h5_file {
  hk_ctx *ctx;
  int fd;               /* -1: not open */
  uint64_t end;         /* length of the file, gathered bytes included */
  int32_t level;        /* of compression; 0: none */
  hk_h5_packer *packer; /* NULL: no compression */
  hk_h5_bytes node;     /* scratch */
  unsigned char *tail;  /* gathered bytes that are not in the file yet; NULL: nothing is gathered */
  uint64_t tail_at;     /* their address in the file */
  size_t tail_n;        /* their number */
  bool lost;            /* writing gathered bytes failed: the file has a hole */
} hk_h5_file;

/* FANOUT: chunks per leaf. Small, since every dataset has its own tree and most have few chunks */
enum { HK_H5_FANOUT = 16, HK_H5_RANK = 3 };

/* Datasets of one shape that grow together along their first dimension. They grow by blocks: a
 * block is one chunk of each dataset, one after the other in the file. */
typedef struct hk_h5_table {
  hk_h5_type type;
  int32_t nsets, rank;
  uint32_t chunk[HK_H5_RANK]; /* the first: rows of a chunk; the others: the whole dimension */
  uint64_t rows;              /* length of the datasets; may end within the last chunk */
  /* chunk index: the open leaf, and the full leaves before it */
  int32_t filled;              /* blocks in the open leaf */
  uint64_t base[HK_H5_FANOUT]; /* base[filled]: address of each block */
  uint32_t *end;               /* FANOUT x nsets: end of each chunk within its block when packed;
                                  NULL: no compression */
  int32_t nleaves, cap;
  uint64_t *leaf; /* leaf[nleaves]: address of the leaf of dataset 0; the others follow it */
} hk_h5_table;

/* All functions that return int give 0 or an errno. `gathers`: small pieces are collected and
 * written together, at a commit or when there are enough. */
int hki_h5_open(hk_h5_file *f, hk_ctx *ctx, const char *path, int32_t level, bool gathers);
int hki_h5_close(hk_h5_file *f); /* f may never have been opened */
int hki_h5_append(hk_h5_file *f, const void *p, size_t n, uint64_t *address);
int hki_h5_write(hk_h5_file *f, uint64_t address, const void *p, size_t n);

int hki_h5_table_open(hk_h5_file *f, hk_h5_table *t);
void hki_h5_table_free(hk_h5_file *f, hk_h5_table *t);
size_t hki_h5_chunk_bytes(const hk_h5_table *t);
/* append one block: nsets chunks, one after the other */
int hki_h5_table_append(hk_h5_file *f, hk_h5_table *t, const void *block);

/* write the last, partly filled leaf of the chunk index; call before the last commit */
int hki_h5_table_end(hk_h5_file *f, hk_h5_table *t);

/* Begin the object header of a dataset; the caller adds attributes and ends it.
 *   set        dataset `set` of a table. `partial`: address of an uncompressed block that is not
 *              full yet, HK_H5_NOWHERE: none
 *   fixed_set  dataset of fixed size with its numbers at `address`, HK_H5_NOWHERE: no numbers
 *   empty_set  dataset without numbers, of this length, which may grow */
hk_h5_object hki_h5_set(hk_h5_bytes *b, const hk_h5_file *f, hk_h5_table *t, int32_t set,
                        uint64_t partial);
hk_h5_object hki_h5_fixed_set(hk_h5_bytes *b, hk_h5_type type, int32_t rank, const uint64_t *dims,
                              uint64_t address);
hk_h5_object hki_h5_empty_set(hk_h5_bytes *b, uint64_t length);

/* write the description b of everything in the file, then the superblock. `extension` is the
 * address that hki_h5_extension returned for this b */
int hki_h5_commit(hk_h5_file *f, const hk_h5_bytes *b, uint64_t root, uint64_t extension);
uint64_t hki_h5_extension(hk_h5_bytes *b);

#endif
