/* SPDX-License-Identifier: Apache-2.0
 *
 * write.h: writes HDF5 files (the HDF5 File Format Specification, version 3.0), as much of the
 * format as results need. Making hundreds of datasets through the HDF5 library costs more than a
 * whole short run; putting their bytes down costs next to nothing. Files are read with the library.
 *
 * The file only grows. Chunks of numbers are appended as they come; a commit puts down everything
 * that describes them (object headers, chunk trees, groups) and then the superblock, 48 bytes at
 * the front, which switches from the state before to the new one in one write. So the file can be
 * opened after a commit, whatever happens later.
 *
 * Used of the format:
 *   superblock 2; object headers 2; new-style groups with compact links, creation order tracked;
 *   chunked datasets, layout 3, with B-trees 1 of K = 8 (16 chunks a node), which the superblock's
 *   extension says;
 *   compact attributes; dimension lists in a global heap; filters shuffle and deflate.
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
  bool failed;   /* out of memory: what follows is dropped */
} hk_h5_bytes;

/* room for n bytes to begin with: saves growing */
void hki_h5_reserve(hk_h5_bytes *b, size_t n);
void hki_h5_put(hk_h5_bytes *b, const void *p, size_t n);
void hki_h5_zeros(hk_h5_bytes *b, size_t n);
void hki_h5_int(hk_h5_bytes *b, uint64_t x, int32_t bytes); /* little-endian */
void hki_h5_set_int(hk_h5_bytes *b, size_t at, uint64_t x, int32_t bytes);
/* to a multiple of 8; the address there */
uint64_t hki_h5_align(hk_h5_bytes *b);
/* the format's checksum */
uint32_t hki_h5_checksum(const void *p, size_t n);

/* an object header: messages between begin and end */
typedef struct hk_h5_object {
  hk_h5_bytes *b;
  uint64_t address;
  size_t start, count; /* where it begins; where the number of its attributes stands */
  uint16_t order;      /* of its attributes */
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
/* a global heap with `count` references; its address */
uint64_t hki_h5_heap(hk_h5_bytes *b, int32_t count);
/* object i of a heap of references */
void hki_h5_refer(hk_h5_bytes *b, uint64_t heap, int32_t i, uint64_t address);
/* the dimensions of a dataset: numbers of references in a heap */
void hki_h5_dimensions(hk_h5_object *o, uint64_t heap, const int32_t *dims, int32_t n);

/* any message, between these; the type of numbers */
size_t hki_h5_message(hk_h5_object *o, int32_t type);
void hki_h5_message_end(hk_h5_object *o, size_t at);
void hki_h5_datatype(hk_h5_bytes *b, hk_h5_type type);

/* --- the file (file.c) ------------------------------------------------------------------------ */

typedef struct hk_h5_packer hk_h5_packer;

typedef struct hk_h5_file {
  hk_ctx *ctx;
  int fd; /* -1: not open */
  uint64_t end;
  int32_t level;        /* of compression; 0: none */
  hk_h5_packer *packer; /* with compression */
  hk_h5_bytes node;     /* scratch */
  unsigned char *tail;  /* the end of the file that is not written yet; NULL: it always is */
  uint64_t tail_at;
  size_t tail_n;
  bool lost; /* some of it could not be written */
} hk_h5_file;

/* chunks of a leaf: small, because most results have few, and every dataset has a tree of its own
 */
enum { HK_H5_FANOUT = 16, HK_H5_RANK = 3 };

/* datasets of one shape that grow together along their first dimension, a block at a time: one
 * chunk of each, one after the other */
typedef struct hk_h5_table {
  hk_h5_type type;
  int32_t nsets, rank;
  uint32_t chunk[HK_H5_RANK]; /* the first: rows of a chunk; the others: the whole dimension */
  uint64_t rows;              /* that the datasets have; may end within the last chunk */
  /* the index: chunks of the open leaf, and the leaves before it */
  int32_t filled;
  uint64_t base[HK_H5_FANOUT]; /* address of each block */
  uint32_t *end;               /* HK_H5_FANOUT x nsets, with compression: where chunks end in it */
  int32_t nleaves, cap;
  uint64_t *leaf; /* address of the leaf of the first set; the others follow */
} hk_h5_table;

/* all return 0 or an errno */
/* `gathers`: small pieces are written together, at commits or when there are enough */
int hki_h5_open(hk_h5_file *f, hk_ctx *ctx, const char *path, int32_t level, bool gathers);
int hki_h5_close(hk_h5_file *f); /* also of one that was never opened */
int hki_h5_append(hk_h5_file *f, const void *p, size_t n, uint64_t *address);
int hki_h5_write(hk_h5_file *f, uint64_t address, const void *p, size_t n);

int hki_h5_table_open(hk_h5_file *f, hk_h5_table *t);
void hki_h5_table_free(hk_h5_file *f, hk_h5_table *t);
size_t hki_h5_chunk_bytes(const hk_h5_table *t);
/* one block: nsets chunks, one after the other */
int hki_h5_table_append(hk_h5_file *f, hk_h5_table *t, const void *block);

/* before the last commit: what was not full is */
int hki_h5_table_end(hk_h5_file *f, hk_h5_table *t);

/* the head of a dataset, to which attributes can be added: one of a table's, where `partial` is the
 * address of a block that is not full yet and lies there as it is (HK_H5_NOWHERE: there is none); a
 * fixed one with its numbers at `address` (HK_H5_NOWHERE: it has none); one without numbers that
 * could grow */
hk_h5_object hki_h5_set(hk_h5_bytes *b, const hk_h5_file *f, hk_h5_table *t, int32_t set,
                        uint64_t partial);
hk_h5_object hki_h5_fixed_set(hk_h5_bytes *b, hk_h5_type type, int32_t rank, const uint64_t *dims,
                              uint64_t address);
hk_h5_object hki_h5_empty_set(hk_h5_bytes *b, uint64_t length);

/* the bytes that describe everything, then the superblock; `extension` is what hki_h5_extension put
 * among them */
int hki_h5_commit(hk_h5_file *f, const hk_h5_bytes *b, uint64_t root, uint64_t extension);
uint64_t hki_h5_extension(hk_h5_bytes *b);

#endif
