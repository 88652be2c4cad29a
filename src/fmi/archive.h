/* SPDX-License-Identifier: Apache-2.0
 *
 * archive.h: zip archives, as FMUs are. Written with deflate and without times, so that equal contents
 * give equal bytes. Read with distrust: names that lead out of the folder, links, encryption, sizes that
 * do not fit and sums that do not agree are refused.
 * Source: PKWARE, .ZIP File Format Specification, version 6.3.10 (2022).
 */
#ifndef HK_FMI_ARCHIVE_H
#define HK_FMI_ARCHIVE_H

#include "base/base.h"

/* what an archive may unfold into */
enum { HK_ARCHIVE_ENTRIES = 20000 };
#define HK_ARCHIVE_BYTES ((uint64_t)1 << 30)

typedef struct hk_archive_entry {
  char *name; /* with forward slashes; folders end with one */
  uint32_t crc;
  uint64_t packed, size;
  uint64_t at;    /* of the local header, or of the packed bytes while writing */
  int32_t method; /* 0 stored, 8 deflated */
} hk_archive_entry;

/* an archive that is read: bytes belong to the caller until it is closed */
typedef struct hk_archive {
  hk_ctx *ctx;
  const char *path; /* for messages */
  const unsigned char *bytes;
  size_t len;
  hk_archive_entry *entries;
  int32_t n, cap;
} hk_archive;

hk_status hki_archive_open(hk_ctx *ctx, const char *path, const void *bytes, size_t len,
                           hk_archive *out);
void hki_archive_close(hk_archive *a);
/* an entry by its name; NULL: none */
const hk_archive_entry *hki_archive_find(const hk_archive *a, const char *name);
/* its contents, NUL-terminated, to be freed by hki_free */
hk_status hki_archive_read(const hk_archive *a, const hk_archive_entry *e, char **out);
/* all of it into a folder that is there and empty */
hk_status hki_archive_unpack(const hk_archive *a, const char *folder);

/* an archive that is written, in memory */
typedef struct hk_archive_writer {
  hk_ctx *ctx;
  hk_text out;
  hk_archive_entry *entries;
  int32_t n, cap;
  hk_status status;
} hk_archive_writer;

void hki_archive_begin(hk_archive_writer *w, hk_ctx *ctx);
void hki_archive_add(hk_archive_writer *w, const char *name, const void *bytes, size_t len);
/* an entry of another archive, its packed bytes as they are */
void hki_archive_copy(hk_archive_writer *w, const char *name, const hk_archive *from,
                      const hk_archive_entry *e);
/* ends the archive: w->out holds it, to be freed by hki_archive_end */
hk_status hki_archive_finish(hk_archive_writer *w);
void hki_archive_end(hk_archive_writer *w);

#endif
