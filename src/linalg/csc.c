/* SPDX-License-Identifier: Apache-2.0
 *
 * csc.c: compressed columns from a pattern: first the blocks of each column are listed, then each
 * column gathers the rows of its blocks, every row once.
 */
#include <stdlib.h>
#include <string.h>

#include "linalg/csc.h"
#include "linalg/ldl_impl.h"

/* blocks of each column: list[start[j] .. start[j+1]-1] */
static hk_status blocks_by_column(const hk_pattern *p, int32_t **start, int32_t **list) {
  size_t n = (size_t)p->n;
  int32_t *s = *start = hki_alloc(p->ctx, (n + 1) * sizeof *s);
  if (!s) return HK_E_MEMORY;
  for (int32_t k = 0; k < p->nblock; k++)
    for (int32_t j = 0; j < p->block[k].ncol; j++) s[p->index[p->block[k].col + j] + 1]++;
  for (size_t j = 0; j < n; j++) s[j + 1] += s[j];
  int32_t *l = *list = hki_alloc(p->ctx, (size_t)s[n] * sizeof *l);
  int32_t *at = hki_alloc(p->ctx, n * sizeof *at);
  if (l && at) {
    if (n) memcpy(at, s, n * sizeof *at);
    for (int32_t k = 0; k < p->nblock; k++)
      for (int32_t j = 0; j < p->block[k].ncol; j++) l[at[p->index[p->block[k].col + j]]++] = k;
  }
  hki_free(p->ctx, at);
  return l && at ? HK_OK : HK_E_MEMORY;
}

/* rows of column j into list (its blocks are first .. last-1); returns their number */
static int32_t gather(const hk_pattern *p, int32_t j, const int32_t *first, const int32_t *last,
                      int32_t *mark, int32_t *list) {
  int32_t m = 0;
  mark[j] = j;
  list[m++] = j;
  for (; first < last; first++) {
    const hk_pattern_block *b = &p->block[*first];
    for (int32_t i = 0; i < b->nrow; i++) {
      int32_t r = p->index[b->row + i];
      if (mark[r] == j) continue;
      mark[r] = j;
      list[m++] = r;
    }
  }
  return m;
}

/* two passes over the columns: count, then fill */
static hk_status fill(const hk_pattern *p, const int32_t *bstart, const int32_t *blist,
                      int32_t *mark, int32_t *list, hk_csc *c) {
  int64_t total = 0;
  for (int32_t pass = 0; pass < 2; pass++) {
    for (int32_t j = 0; j < p->n; j++) mark[j] = -1;
    for (int32_t j = 0; j < p->n; j++) {
      int32_t m = gather(p, j, blist + bstart[j], blist + bstart[j + 1], mark, list);
      if (pass == 0) {
        total += m;
        if (total > INT32_MAX) return HK_E_MEMORY;
        c->start[j + 1] = (int32_t)total;
      } else {
        qsort(list, (size_t)m, sizeof *list, hki_compare_int32);
        memcpy(c->row + c->start[j], list, (size_t)m * sizeof *list);
      }
    }
    if (pass == 0) c->row = hki_alloc(p->ctx, (size_t)total * sizeof *c->row);
    if (!c->row) return HK_E_MEMORY;
  }
  return HK_OK;
}

hk_status hki_csc_build(const hk_pattern *p, hk_csc *c) {
  int32_t *bstart = NULL, *blist = NULL;
  size_t n = (size_t)p->n;
  memset(c, 0, sizeof *c);
  if (p->status != HK_OK) return p->status;
  c->n = p->n;
  hk_status status = blocks_by_column(p, &bstart, &blist);
  int32_t *mark = hki_alloc(p->ctx, n * sizeof *mark), *list = hki_alloc(p->ctx, n * sizeof *list);
  c->start = hki_alloc(p->ctx, (n + 1) * sizeof *c->start);
  if (!mark || !list || !c->start) status = HK_E_MEMORY;
  if (status == HK_OK) status = fill(p, bstart, blist, mark, list, c);
  hki_free(p->ctx, mark), hki_free(p->ctx, list);
  hki_free(p->ctx, bstart), hki_free(p->ctx, blist);
  if (status != HK_OK) hki_csc_free(p->ctx, c);
  return status;
}

void hki_csc_free(hk_ctx *ctx, hk_csc *c) {
  hki_free(ctx, c->start);
  hki_free(ctx, c->row);
  memset(c, 0, sizeof *c);
}

int32_t hki_csc_slot(const hk_csc *c, int32_t i, int32_t j) {
  if (i < 0 || i >= c->n || j < 0 || j >= c->n) return -1;
  int32_t low = c->start[j], high = c->start[j + 1];
  while (low < high) {
    int32_t mid = low + (high - low) / 2;
    if (c->row[mid] < i) {
      low = mid + 1;
    } else {
      high = mid;
    }
  }
  return low < c->start[j + 1] && c->row[low] == i ? low : -1;
}

void hki_csc_mul(const hk_csc *c, const double *val, const double *x, double *y) {
  for (int32_t i = 0; i < c->n; i++) y[i] = 0.0;
  for (int32_t j = 0; j < c->n; j++)
    for (int32_t k = c->start[j]; k < c->start[j + 1]; k++) y[c->row[k]] += val[k] * x[j];
}
