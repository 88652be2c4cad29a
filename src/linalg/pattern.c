/* SPDX-License-Identifier: Apache-2.0
 *
 * pattern.c: gathers the blocks of a matrix pattern.
 */
#include <string.h>

#include "linalg/pattern.h"

void hki_pattern_init(hk_pattern *p, hk_ctx *ctx, int32_t n) {
  memset(p, 0, sizeof *p);
  p->ctx = ctx;
  p->n = n;
}

void hki_pattern_free(hk_pattern *p) {
  hki_free(p->ctx, p->block);
  hki_free(p->ctx, p->index);
  hki_pattern_init(p, p->ctx, p->n);
}

/* append indices; returns where they start, -1 on failure */
static int32_t add_index(hk_pattern *p, int32_t count, const int32_t *index) {
  if (count > INT32_MAX - p->nindex) {
    p->status =
        hki_error(p->ctx, HK_E_MEMORY, HK_LOC_NONE, NULL, "the matrix pattern is too large");
    return -1;
  }
  if (!HK_GROW(p->ctx, p->index, p->cap_index, p->nindex + count)) {
    p->status = HK_E_MEMORY;
    return -1;
  }
  for (int32_t k = 0; k < count; k++) {
    if (index[k] < 0 || index[k] >= p->n) {
      p->status = hki_error(p->ctx, HK_E_INTERNAL, HK_LOC_NONE, NULL,
                            "matrix index %d is outside 0..%d", index[k], p->n - 1);
      return -1;
    }
    p->index[p->nindex + k] = index[k];
  }
  int32_t at = p->nindex;
  p->nindex += count;
  return at;
}

static void add_block(hk_pattern *p, hk_pattern_block b) {
  if (!HK_GROW(p->ctx, p->block, p->cap_block, p->nblock + 1)) {
    p->status = HK_E_MEMORY;
    return;
  }
  p->block[p->nblock++] = b;
}

void hki_pattern_clique(hk_pattern *p, int32_t count, const int32_t *index) {
  if (p->status != HK_OK || count <= 0) return;
  int32_t at = add_index(p, count, index);
  if (at >= 0) add_block(p, (hk_pattern_block){at, count, at, count});
}

void hki_pattern_rect(hk_pattern *p, int32_t nrow, const int32_t *rows, int32_t ncol,
                      const int32_t *cols) {
  if (p->status != HK_OK || nrow <= 0 || ncol <= 0) return;
  int32_t r = add_index(p, nrow, rows);
  int32_t c = r < 0 ? -1 : add_index(p, ncol, cols);
  if (c >= 0) add_block(p, (hk_pattern_block){r, nrow, c, ncol});
}

void hki_pattern_full(hk_pattern *p) {
  if (p->status != HK_OK || p->n == 0) return;
  if (!HK_GROW(p->ctx, p->index, p->cap_index, p->nindex + p->n)) {
    p->status = HK_E_MEMORY;
    return;
  }
  for (int32_t i = 0; i < p->n; i++) p->index[p->nindex + i] = i;
  add_block(p, (hk_pattern_block){p->nindex, p->n, p->nindex, p->n});
  p->nindex += p->n;
}
