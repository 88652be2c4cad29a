/* SPDX-License-Identifier: Apache-2.0
 *
 * pattern.h: which entries of a square matrix may be nonzero, gathered while a model is compiled.
 *
 * A pattern is a list of blocks. A clique couples every listed index with every other (a symmetric
 * block of rows and columns); a rectangle couples rows with columns, for unsymmetric matrices.
 * Blocks may overlap and repeat. The diagonal is always part of a pattern.
 */
#ifndef HK_LINALG_PATTERN_H
#define HK_LINALG_PATTERN_H

#include "base/base.h"

typedef struct hk_pattern_block {
  int32_t row, nrow; /* start and number in index[] */
  int32_t col, ncol; /* the same as row, nrow for a clique */
} hk_pattern_block;

typedef struct hk_pattern {
  hk_ctx *ctx;
  int32_t n; /* size of the matrix */
  int32_t nblock, cap_block;
  hk_pattern_block *block;
  int32_t nindex, cap_index;
  int32_t *index;
  double most; /* entries of a factor beyond which its analysis gives up (HK_E_MEMORY); 0: none */
  hk_status status; /* HK_E_MEMORY or HK_E_INTERNAL (index out of range) once something failed */
} hk_pattern;

void hki_pattern_init(hk_pattern *p, hk_ctx *ctx, int32_t n);
void hki_pattern_free(hk_pattern *p);

/* couple all of index[count] with each other; count 0 and repeated indices are allowed */
void hki_pattern_clique(hk_pattern *p, int32_t count, const int32_t *index);

/* couple rows[nrow] with cols[ncol]; the transposed block is not implied */
void hki_pattern_rect(hk_pattern *p, int32_t nrow, const int32_t *rows, int32_t ncol,
                      const int32_t *cols);

/* couple i with j, one way */
static inline void hki_pattern_entry(hk_pattern *p, int32_t i, int32_t j) {
  hki_pattern_rect(p, 1, &i, 1, &j);
}

/* couple everything with everything */
void hki_pattern_full(hk_pattern *p);

/* true when the block is a clique */
static inline bool hki_pattern_is_clique(const hk_pattern_block *b) {
  return b->row == b->col && b->nrow == b->ncol;
}

#endif
