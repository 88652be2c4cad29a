/* SPDX-License-Identifier: Apache-2.0
 *
 * swap.h: files that appear only when they are complete: results, checkpoints, reports, pictures.
 * They are written beside their place under a name of their own and renamed. Whatever happens in
 * between, the target is the old file or the new one, never a broken one.
 */
#ifndef HK_BASE_SWAP_H
#define HK_BASE_SWAP_H

#include "base/base.h"

typedef struct hk_swap {
  hk_ctx *ctx;
  char *target; /* what it will be called; links are followed */
  char *part;   /* where it is written: beside the target */
} hk_swap;

/* choose both names and create the empty part file; HK_E_FILE with a message when impossible */
hk_status hki_swap_open(hk_swap *swap, hk_ctx *ctx, const char *path);
/* rename the closed part file into place; what replaces a file is flushed to the disk before */
hk_status hki_swap_commit(hk_swap *swap);
/* the file could not be completed: leave the part file and say where it is */
void hki_swap_keep(hk_swap *swap);
/* remove the part file when it is still there, free the names */
void hki_swap_end(hk_swap *swap);

/* bytes that lie in one place */
typedef struct hk_piece {
  void *data;
  size_t bytes;
} hk_piece;

/* the pieces one after the other into the open part file, then into place; reports what fails */
hk_status hki_swap_fill(hk_swap *swap, const hk_piece *piece, int32_t n);
/* all of it: open, fill, end */
hk_status hki_write_file(hk_ctx *ctx, const char *path, const hk_piece *piece, int32_t n);

#endif
