/* SPDX-License-Identifier: Apache-2.0
 *
 * ldl_panels.c: groups the columns of the factor into supernodes, and lays out their panels and
 * segments.
 *
 * Columns whose rows nest exactly form a supernode. A child supernode is then joined with its
 * parent where the estimated cost of the joined panel, explicit zeros included, is lower than that
 * of the two apart. The estimate counts register tiles and a fixed cost per panel. Four children of one shape with the
 * same rows below go side by side (ldl_quad.h) and are not joined.
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
  int32_t *quad; /* the four that a group goes with, -1: it goes alone */
  int32_t nquad;
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
  g->quad = hki_pool_alloc(pool, bytes);
  g->nquad = 0;
  return g->of && g->head && g->tail && g->next && g->w && g->child && g->sibling && g->quad;
}

/* A column whose rows are those of a child without the first joins the group of that child; not one with four children or
 * more, which may be alike. */
static void group_columns(const hki_symbolic *sym, groups *g) {
  int32_t *children = g->quad; // until there are groups
  for (int32_t j = 0; j < g->n; j++) g->of[j] = g->next[j] = -1;
  for (int32_t j = 0; j < g->n; j++)
    if (sym->parent[j] >= 0) children[sym->parent[j]]++;
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
    if (p >= 0 && g->of[p] < 0 && sym->len[p] == sym->len[j] - 1 && children[p] < 4) {
      g->of[p] = k;
      g->next[g->tail[k]] = p;
      g->tail[k] = p;
      g->w[k]++;
    }
  }
  for (int32_t j = 0; j < g->n; j++) g->quad[j] = -1;
}

/* the same for four of them side by side */
static double quad_cost(int32_t w, int32_t b) {
  const double c = w, d = b;
  return 30.0 + 2.0 * c * (c + d) + c * (c * c / 6.0 + 0.5 * c * d + 0.5 * d * d) + d * d;
}

/* groups a and b have the same number of columns, and the same rows below */
static bool same_shape(const hki_symbolic *sym, const groups *g, int32_t a, int32_t b) {
  const int32_t i = g->tail[a], j = g->tail[b];
  return g->w[a] == g->w[b] && sym->len[i] == sym->len[j] &&
         memcmp(sym->list + sym->start[i], sym->list + sym->start[j],
                (size_t)sym->len[i] * sizeof *sym->list) == 0;
}

/* finds children of group p, with b rows below it, that go four at a time */
static void find_quads(const hki_symbolic *sym, groups *g, int32_t p, int32_t b) {
  for (int32_t c = g->child[p]; c >= 0; c = g->sibling[c]) {
    const int32_t w = g->w[c], bc = sym->len[g->tail[c]];
    int32_t four[4] = {c}, n = 1;
    if (g->quad[c] >= 0 || w + bc > HKI_QUAD_ROWS) continue;
    if (quad_cost(w, bc) + panel_cost(g->w[p], b) > panel_cost(g->w[p] + 4 * w, b)) continue;
    for (int32_t d = g->sibling[c]; d >= 0 && n < 4; d = g->sibling[d])
      if (g->quad[d] < 0 && same_shape(sym, g, c, d)) four[n++] = d;
    for (int32_t k = 0; n == 4 && k < 4; k++) g->quad[four[k]] = g->nquad;
    g->nquad += n == 4;
  }
}

/* join a group with its parent where that is cheaper; a group's rows below are those of its last
 * column */
static void join_groups(const hki_symbolic *sym, groups *g) {
  for (int32_t j = 0; j < g->n; j++) {
    int32_t p = g->of[j];
    if (g->tail[p] != j) continue;
    int32_t b = sym->len[j], *link = &g->child[p];
    find_quads(sym, g, p, b);
    while (*link >= 0) {
      int32_t c = *link, bc = sym->len[g->tail[c]];
      if (g->quad[c] >= 0) {
        link = &g->sibling[c];
        continue;
      }
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
    sn->quad = g->quad[p];
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
    bool aligned = sn->quad < 0 && (n == 0 || (n == 1 && sn->w % 4 == 0));
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

/* members of the quads, their memory behind the panels of a factor, and the turns */
static bool place_quads(hk_ldl *s) {
  int64_t off = s->nval;
  for (int32_t i = 0; i < s->nsnode; i++) {
    const hki_snode *sn = &s->snode[i];
    if (sn->quad < 0) {
      s->turn[s->nturn++] = i;
      continue;
    }
    hki_quad *q = &s->quad[sn->quad];
    q->sn[q->n++] = i;
    if (q->n < 4) continue;
    s->turn[s->nturn++] = ~sn->quad;
    q->w = sn->w, q->r = sn->r, q->ld = sn->ld, q->off = (int32_t)off;
    off += (int64_t)4 * sn->w * (sn->ld + 2);
    if (off > INT32_MAX - 64) return false;
  }
  s->nfac = (int32_t)off;
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
  s->nquad = g.nquad;
  s->quad = hki_pool_alloc(s->pool, (size_t)g.nquad * sizeof *s->quad);
  s->turn = hki_pool_alloc(s->pool, (size_t)s->nsnode * sizeof *s->turn);
  if (!s->quad || !s->turn) return HK_E_MEMORY;
  number_columns(s, &g, sym, order, renumber);
  number_rows(s, &g, sym, renumber);
  if (!place_panels(s) || !place_quads(s)) {
    return hki_error(s->ctx, HK_E_MEMORY, HK_LOC_NONE, "reduce the size of the model",
                     "the factor of the %d x %d system matrix does not fit", s->n, s->n);
  }
  s->segment = hki_pool_alloc(s->pool, (size_t)s->nseg * sizeof *s->segment);
  return s->segment && make_segments(s, s->pool) ? HK_OK : HK_E_MEMORY;
}
