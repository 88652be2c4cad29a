/* SPDX-License-Identifier: Apache-2.0
 *
 * swap.h: writes files that appear only when complete: results, checkpoints, reports, pictures. A
 * part file beside the target is filled, then renamed. If the program stops in between, the
 * target is still the old file.
 */
#ifndef HK_BASE_SWAP_H
#define HK_BASE_SWAP_H

#include "base/base.h"

typedef struct hk_swap {
  hk_ctx *ctx;
  char *target; /* final name; links are followed */
  char *part;   /* part file, in the directory of the target */
} hk_swap;

/* choose both names and create the empty part file; HK_E_FILE with a message when impossible */
hk_status hki_swap_open(hk_swap *swap, hk_ctx *ctx, const char *path);
/* rename the closed part file to the target; flushed to the disk first if it replaces a file */
hk_status hki_swap_commit(hk_swap *swap);
/* the file could not be completed: leave the part file and say where it is */
void hki_swap_keep(hk_swap *swap);
/* remove the part file when it is still there, free the names */
void hki_swap_end(hk_swap *swap);

/* a run of bytes to write */
typedef struct hk_piece {
  void *data;
  size_t bytes;
} hk_piece;

/* write n pieces one after the other into the part file, then commit; reports errors */
hk_status hki_swap_fill(hk_swap *swap, const hk_piece *piece, int32_t n);
/* open, fill and end in one call */
hk_status hki_write_file(hk_ctx *ctx, const char *path, const hk_piece *piece, int32_t n);

#endif
