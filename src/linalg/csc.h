/* SPDX-License-Identifier: Apache-2.0
 *
 * csc.h: a pattern compiled into compressed columns: rows of column j are
 * row[start[j] .. start[j+1]-1], ascending, the diagonal always among them.
 */
#ifndef HK_LINALG_CSC_H
#define HK_LINALG_CSC_H

#include "linalg/pattern.h"

typedef struct hk_csc {
  int32_t n;
  int32_t *start; /* n + 1 */
  int32_t *row;   /* start[n] */
} hk_csc;

/* arrays by hki_alloc through pattern->ctx */
hk_status hki_csc_build(const hk_pattern *pattern, hk_csc *c);
void hki_csc_free(hk_ctx *ctx, hk_csc *c);

/* position of entry (i, j), -1 when it is structurally zero */
int32_t hki_csc_slot(const hk_csc *c, int32_t i, int32_t j);

/* y = A x */
void hki_csc_mul(const hk_csc *c, const double *val, const double *x, double *y);

#endif
