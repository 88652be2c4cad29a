/* SPDX-License-Identifier: Apache-2.0
 *
 * ldl_symbolic.c: the structure of the factor's columns for a given order.
 *
 * Eliminating the first member of a clique couples no members that were not coupled before. Hence
 * the rows below column j are the union of the cliques whose first member is j and of the rows
 * below its children in the elimination tree. A column whose rows are those of a child without the
 * first shares the child's list, so that a dense block of n columns needs n entries.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/ldl_impl.h"

int hki_compare_int32(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

/* number of elements and of their members, in one pass over the blocks */
static bool count_elements(const hk_pattern *pattern, int64_t *count, int64_t *total) {
  *count = *total = 0;
  for (int32_t i = 0; i < pattern->nblock; i++) {
    const hk_pattern_block *b = &pattern->block[i];
    if (hki_pattern_is_clique(b)) {
      *count += 1;
      *total += b->nrow;
    } else {
      int64_t pairs = (int64_t)b->nrow * b->ncol;
      *count += pairs;
      *total += 2 * pairs;
    }
  }
  return *total < INT32_MAX / 2 && *count < INT32_MAX / 2;
}

bool hki_elements_build(hk_pool *pool, const hk_pattern *pattern, hki_elements *e) {
  int64_t count, total;
  e->n = pattern->n;
  e->count = 0;
  e->most = pattern->most > 0.0 ? pattern->most : INFINITY;
  if (!count_elements(pattern, &count, &total)) return false;
  int32_t *stamp = hki_pool_alloc(pool, (size_t)e->n * sizeof *stamp);
  e->start = hki_pool_alloc(pool, ((size_t)count + 1) * sizeof *e->start);
  e->var = hki_pool_alloc(pool, (size_t)total * sizeof *e->var);
  if (!stamp || !e->start || !e->var) return false;
  int32_t used = 0;
  for (int32_t i = 0; i < pattern->nblock; i++) {
    const hk_pattern_block *b = &pattern->block[i];
    const int32_t *row = pattern->index + b->row, *col = pattern->index + b->col;
    if (hki_pattern_is_clique(b)) {
      // members once each
      for (int32_t k = 0; k < b->nrow; k++) {
        if (stamp[row[k]] == i + 1) continue;
        stamp[row[k]] = i + 1;
        e->var[used++] = row[k];
      }
      e->start[++e->count] = used;
      continue;
    }
    // a rectangle is a list of pairs
    for (int32_t k = 0; k < b->nrow; k++) {
      for (int32_t m = 0; m < b->ncol; m++) {
        if (row[k] == col[m]) continue;
        e->var[used++] = row[k];
        e->var[used++] = col[m];
        e->start[++e->count] = used;
      }
    }
  }
  return true;
}

/* working lists of the column loop */
typedef struct columns {
  int32_t *position;        /* of each index in the order */
  int32_t *first, *next;    /* lists of the elements whose first member is a column */
  int32_t *child, *sibling; /* elimination tree */
  int32_t *mark;            /* last column that a row was added to */
  char *tight;              /* the column and its rows lie in one clique */
} columns;

static bool columns_init(hk_pool *pool, const hki_elements *e, const int32_t *order, columns *c) {
  size_t n = (size_t)e->n;
  c->position = hki_pool_alloc(pool, n * sizeof(int32_t));
  c->first = hki_pool_alloc(pool, n * sizeof(int32_t));
  c->next = hki_pool_alloc(pool, (size_t)e->count * sizeof(int32_t));
  c->child = hki_pool_alloc(pool, n * sizeof(int32_t));
  c->sibling = hki_pool_alloc(pool, n * sizeof(int32_t));
  c->mark = hki_pool_alloc(pool, n * sizeof(int32_t));
  c->tight = hki_pool_alloc(pool, n);
  if (!c->position || !c->first || !c->next || !c->child || !c->sibling || !c->mark || !c->tight)
    return false;
  for (int32_t k = 0; k < e->n; k++) {
    c->position[order[k]] = k;
    c->first[k] = c->child[k] = c->sibling[k] = c->mark[k] = -1;
  }
  for (int32_t k = 0; k < e->count; k++) {
    int32_t low = INT32_MAX;
    for (int32_t i = e->start[k]; i < e->start[k + 1]; i++) {
      int32_t at = c->position[e->var[i]];
      if (at < low) low = at;
    }
    if (low == INT32_MAX) continue;
    c->next[k] = c->first[low];
    c->first[low] = k;
  }
  return true;
}

/* append p to the rows of column j unless it is there */
static inline void add_row(hki_symbolic *sym, columns *c, int32_t j, int32_t p) {
  if (p <= j || c->mark[p] == j) return;
  c->mark[p] = j;
  sym->list[sym->nlist++] = p;
}

/* rows of column j as a new list at the end; false when memory runs out */
static bool unite(hk_ctx *ctx, const hki_elements *e, hki_symbolic *sym, columns *c, int32_t j) {
  int64_t room = 0;
  for (int32_t k = c->first[j]; k >= 0; k = c->next[k]) room += e->start[k + 1] - e->start[k];
  for (int32_t k = c->child[j]; k >= 0; k = c->sibling[k]) room += sym->len[k];
  if (room > sym->n) room = sym->n;
  if (room > INT32_MAX - 1 - sym->nlist) return false;
  if (!HK_GROW(ctx, sym->list, sym->cap_list, sym->nlist + (int32_t)room + 1)) return false;
  int32_t start = sym->nlist;
  for (int32_t k = c->first[j]; k >= 0; k = c->next[k])
    for (int32_t i = e->start[k]; i < e->start[k + 1]; i++)
      add_row(sym, c, j, c->position[e->var[i]]);
  for (int32_t k = c->child[j]; k >= 0; k = c->sibling[k])
    for (int32_t i = 0; i < sym->len[k]; i++) add_row(sym, c, j, sym->list[sym->start[k] + i]);
  sym->start[j] = start;
  sym->len[j] = sym->nlist - start;
  for (int32_t k = c->first[j]; k >= 0; k = c->next[k])
    if (e->start[k + 1] - e->start[k] == sym->len[j] + 1) c->tight[j] = 1;
  // a child with the same rows shares its list
  for (int32_t k = c->child[j]; k >= 0; k = c->sibling[k]) {
    if (sym->len[k] != sym->len[j] + 1) continue;
    sym->nlist = start;
    sym->start[j] = sym->start[k] + 1;
    if (c->tight[k]) c->tight[j] = 1;
  }
  if (sym->nlist > start)
    qsort(sym->list + start, (size_t)sym->len[j], sizeof(int32_t), hki_compare_int32);
  return true;
}

bool hki_symbolic_build(hk_ctx *ctx, hk_pool *pool, const hki_elements *e, const int32_t *order,
                        hki_symbolic *sym) {
  columns c;
  const volatile int *stop = hki_stop_flag(ctx);
  size_t n = (size_t)e->n;
  memset(sym, 0, sizeof *sym);
  sym->n = e->n;
  sym->tight = true;
  sym->parent = hki_pool_alloc(pool, n * sizeof(int32_t));
  sym->start = hki_pool_alloc(pool, n * sizeof(int32_t));
  sym->len = hki_pool_alloc(pool, n * sizeof(int32_t));
  if (!sym->parent || !sym->start || !sym->len || !columns_init(pool, e, order, &c)) return false;
  for (int32_t j = 0; j < e->n; j++) {
    int32_t only = c.child[j];
    if (c.first[j] < 0 && only >= 0 && c.sibling[only] < 0) {
      // no clique starts here and there is one child: its rows without the first
      sym->start[j] = sym->start[only] + 1;
      sym->len[j] = sym->len[only] - 1;
      c.tight[j] = c.tight[only];
    } else if (!unite(ctx, e, sym, &c, j)) {
      return false;
    }
    // the first row below is the parent
    int32_t p = sym->len[j] ? sym->list[sym->start[j]] : -1;
    sym->parent[j] = p;
    if (p >= 0) c.sibling[j] = c.child[p], c.child[p] = j;
    double m = sym->len[j];
    sym->tight = sym->tight && (m == 0.0 || c.tight[j]);
    sym->fill += sym->len[j];
    sym->work += 0.5 * m * (m + 3.0);
    if ((double)sym->fill > e->most || *stop) return false;
  }
  return true;
}
