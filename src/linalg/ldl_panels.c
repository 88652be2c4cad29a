/* SPDX-License-Identifier: Apache-2.0
 *
 * ldl_panels.c: groups the columns of the factor into supernodes, and lays out their panels and
 * segments.
 *
 * Columns whose rows nest exactly form a supernode. A child supernode is then joined with its
 * parent where the estimated cost of the joined panel, explicit zeros included, is lower than that
 * of the two apart. The estimate counts register tiles and a fixed cost per panel.
 */
#include <stdlib.h>
#include <string.h>

#include "linalg/ldl_impl.h"

/* supernodes while they grow: lists of columns, joined from below */
typedef struct groups {
  int32_t n, count;
  int32_t *of;          /* group of a column */
  int32_t *head, *tail; /* first and last column of a group; head -1 = joined into another */
  int32_t *next;        /* column after a column in its group */
  int32_t *w;           /* columns of a group */
  int32_t *child, *sibling;
} groups;

/* estimated cycles to factor and solve a panel of w columns and b rows below */
static double panel_cost(int32_t w, int32_t b) {
  double cost = 30.0, tiles = 0.0;
  int32_t r = w + b;
  for (int32_t j = 0; j < w; j += 4) {
    double t = (double)((r - j + 3) / 4);
    tiles += t;
    cost += 20.0 + t * (10.0 + 2.2 * j);
  }
  if (b) {
    double t = (double)((b + 3) / 4);
    cost += 20.0 + 0.5 * t * (t + 1.0) * (10.0 + 2.2 * w) + 4.0 * b;
  }
  return cost + 4.0 * tiles;
}

static bool groups_init(hk_pool *pool, int32_t n, groups *g) {
  size_t bytes = (size_t)n * sizeof(int32_t);
  g->n = n;
  g->count = 0;
  g->of = hki_pool_alloc(pool, bytes);
  g->head = hki_pool_alloc(pool, bytes);
  g->tail = hki_pool_alloc(pool, bytes);
  g->next = hki_pool_alloc(pool, bytes);
  g->w = hki_pool_alloc(pool, bytes);
  g->child = hki_pool_alloc(pool, bytes);
  g->sibling = hki_pool_alloc(pool, bytes);
  return g->of && g->head && g->tail && g->next && g->w && g->child && g->sibling;
}

/* a column whose rows are those of a child without the first joins the group of that child */
static void group_columns(const hki_symbolic *sym, groups *g) {
  for (int32_t j = 0; j < g->n; j++) g->of[j] = g->next[j] = -1;
  for (int32_t j = 0; j < g->n; j++) {
    // a child may have put j into its group already
    if (g->of[j] < 0) {
      int32_t k = g->count++;
      g->of[j] = k;
      g->head[k] = g->tail[k] = j;
      g->w[k] = 1;
      g->child[k] = g->sibling[k] = -1;
    }
    int32_t p = sym->parent[j], k = g->of[j];
    if (p >= 0 && g->of[p] < 0 && sym->len[p] == sym->len[j] - 1) {
      g->of[p] = k;
      g->next[g->tail[k]] = p;
      g->tail[k] = p;
      g->w[k]++;
    }
  }
}

/* join a group with its parent where that is cheaper; a group's rows below are those of its last
 * column */
static void join_groups(const hki_symbolic *sym, groups *g) {
  for (int32_t j = 0; j < g->n; j++) {
    int32_t p = g->of[j];
    if (g->tail[p] != j) continue;
    int32_t b = sym->len[j], *link = &g->child[p];
    while (*link >= 0) {
      int32_t c = *link, bc = sym->len[g->tail[c]];
      double apart = panel_cost(g->w[c], bc) + panel_cost(g->w[p], b);
      if (panel_cost(g->w[c] + g->w[p], b) > apart) {
        link = &g->sibling[c];
        continue;
      }
      // the child's columns come first; its children go to the end of the parent's list
      g->next[g->tail[c]] = g->head[p];
      g->head[p] = g->head[c];
      g->head[c] = -1;
      g->w[p] += g->w[c];
      *link = g->sibling[c];
      if (g->child[c] < 0) continue;
      int32_t *end = link;
      while (*end >= 0) end = &g->sibling[*end];
      *end = g->child[c];
    }
    // this group is final: hang it under its parent's group
    int32_t up = sym->parent[j];
    if (up >= 0) {
      int32_t q = g->of[up];
      g->sibling[p] = g->child[q];
      g->child[q] = p;
    }
  }
}

/* final numbering: groups by their last column, columns in list order */
static void number_columns(hk_ldl *s, const groups *g, const hki_symbolic *sym,
                           const int32_t *order, int32_t *renumber) {
  int32_t k = 0, m = 0, nrows = 0;
  for (int32_t j = 0; j < g->n; j++) {
    int32_t p = g->of[j];
    if (g->tail[p] != j || g->head[p] < 0) continue;
    hki_snode *sn = &s->snode[m];
    sn->col = k;
    sn->w = g->w[p];
    sn->r = sn->w + sym->len[j];
    sn->rows = nrows;
    nrows += sym->len[j];
    for (int32_t c = g->head[p];; c = g->next[c]) {
      s->of[k] = m;
      s->perm[k] = order[c];
      s->iperm[order[c]] = k;
      renumber[c] = k++;
      if (c == j) break;
    }
    m++;
  }
}

/* rows below each supernode in the final numbering */
static void number_rows(hk_ldl *s, const groups *g, const hki_symbolic *sym,
                        const int32_t *renumber) {
  int32_t m = 0;
  for (int32_t j = 0; j < g->n; j++) {
    int32_t p = g->of[j];
    if (g->tail[p] != j || g->head[p] < 0) continue;
    hki_snode *sn = &s->snode[m++];
    int32_t b = sym->len[j], *rows = s->rows + sn->rows;
    for (int32_t i = 0; i < b; i++) rows[i] = renumber[sym->list[sym->start[j] + i]];
    if (b) qsort(rows, (size_t)b, sizeof *rows, hki_compare_int32);
    sn->in_place = b == 0 || (rows[0] == sn->col + sn->w && rows[b - 1] == rows[0] + b - 1);
  }
}

/* number of ancestors that a supernode updates */
static int32_t count_segments(const hk_ldl *s, const hki_snode *sn) {
  int32_t b = sn->r - sn->w, n = 0;
  const int32_t *rows = s->rows + sn->rows;
  for (int32_t i = 0; i < b; i++)
    if (i == 0 || s->of[rows[i]] != s->of[rows[i - 1]]) n++;
  return n;
}

/* Leading dimensions and offsets. A tile that starts at a row not divisible by 4 may reach three
 * rows beyond the last; these rows are part of the column and hold zeros. */
static bool place_panels(hk_ldl *s) {
  int64_t off = 0, nseg = 0;
  for (int32_t i = 0; i < s->nsnode; i++) {
    hki_snode *sn = &s->snode[i];
    int32_t n = count_segments(s, sn);
    bool aligned = n == 0 || (n == 1 && sn->w % 4 == 0);
    sn->ld = hki_round4(aligned ? sn->r : sn->r + 3);
    sn->seg = (int32_t)nseg;
    sn->nseg = n;
    sn->off = (int32_t)off;
    off += (int64_t)sn->ld * sn->w;
    nseg += n;
    if (off > INT32_MAX - 64 || nseg > INT32_MAX / 2) return false;
    if (sn->r > s->max_r) s->max_r = sn->r;
    if (sn->w > s->max_w) s->max_w = sn->w;
    s->stats.fill += (int64_t)sn->w * (sn->w - 1) / 2 + (int64_t)sn->w * (sn->r - sn->w);
  }
  s->nval = (int32_t)off + 16;
  s->nseg = (int32_t)nseg;
  return true;
}

/* rows p .. b-1 of sn as rows of its ancestor t; returns true when they are contiguous there */
static bool relative_rows(const hk_ldl *s, const hki_snode *sn, int32_t p, const hki_snode *t,
                          int32_t *rel) {
  int32_t b = sn->r - sn->w, k = 0, bt = t->r - t->w;
  const int32_t *rows = s->rows + sn->rows, *trows = s->rows + t->rows;
  bool contiguous = true;
  for (int32_t i = p; i < b; i++) {
    int32_t row = rows[i], at = row - t->col;
    if (at >= t->w) {
      while (k < bt - 1 && trows[k] < row) k++;
      at = t->w + k;
    }
    rel[i - p] = at;
    if (at != rel[0] + (i - p)) contiguous = false;
  }
  return contiguous;
}

/* the segments; rel lists are kept only where rows are scattered */
static bool make_segments(hk_ldl *s, hk_pool *pool) {
  int32_t cap = 0, *list = NULL, k = 0;
  bool good = true;
  for (int32_t i = 0; good && i < s->nsnode; i++) {
    hki_snode *sn = &s->snode[i];
    int32_t b = sn->r - sn->w;
    const int32_t *rows = s->rows + sn->rows;
    for (int32_t p = 0, np; p < b; p += np, k++) {
      const hki_snode *t = &s->snode[s->of[rows[p]]];
      for (np = 1; p + np < b && rows[p + np] < t->col + t->w; np++) continue;
      good = s->nrel < INT32_MAX - b && HK_GROW(s->ctx, list, cap, s->nrel + b);
      if (!good) break;
      bool direct = relative_rows(s, sn, p, t, list + s->nrel);
      s->segment[k] = (hki_segment){p, np, t->off, t->ld, list[s->nrel], direct ? -1 : s->nrel};
      if (!direct) s->nrel += b - p;
    }
  }
  s->rel = good ? hki_pool_alloc(pool, (size_t)s->nrel * sizeof *list) : NULL;
  if (s->rel && s->nrel) memcpy(s->rel, list, (size_t)s->nrel * sizeof *list);
  hki_free(s->ctx, list);
  return s->rel != NULL;
}

hk_status hki_ldl_panels(hk_ldl *s, hk_pool *pool, const hki_symbolic *sym, const int32_t *order) {
  groups g;
  size_t n = (size_t)s->n;
  int32_t *renumber = hki_pool_alloc(pool, n * sizeof *renumber);
  if (!renumber || !groups_init(pool, s->n, &g)) return HK_E_MEMORY;
  group_columns(sym, &g);
  join_groups(sym, &g);
  // sizes
  int64_t nrows = 0;
  for (int32_t j = 0; j < s->n; j++) {
    if (g.tail[g.of[j]] != j || g.head[g.of[j]] < 0) continue;
    s->nsnode++;
    nrows += sym->len[j];
  }
  if (nrows > INT32_MAX) return HK_E_MEMORY;
  s->perm = hki_pool_alloc(s->pool, n * sizeof(int32_t));
  s->iperm = hki_pool_alloc(s->pool, n * sizeof(int32_t));
  s->of = hki_pool_alloc(s->pool, n * sizeof(int32_t));
  s->rows = hki_pool_alloc(s->pool, (size_t)nrows * sizeof(int32_t));
  s->snode = hki_pool_alloc(s->pool, (size_t)s->nsnode * sizeof *s->snode);
  if (!s->perm || !s->iperm || !s->of || !s->rows || !s->snode) return HK_E_MEMORY;
  number_columns(s, &g, sym, order, renumber);
  number_rows(s, &g, sym, renumber);
  if (!place_panels(s)) {
    return hki_error(s->ctx, HK_E_MEMORY, HK_LOC_NONE, "reduce the size of the model",
                     "the factor of the %d x %d system matrix does not fit", s->n, s->n);
  }
  s->segment = hki_pool_alloc(s->pool, (size_t)s->nseg * sizeof *s->segment);
  return s->segment && make_segments(s, s->pool) ? HK_OK : HK_E_MEMORY;
}
