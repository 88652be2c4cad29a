/* SPDX-License-Identifier: Apache-2.0
 *
 * ldl_order.c: minimum-degree order on a quotient graph that has elements only.
 *
 * The pattern is a list of cliques; these are the first elements. Eliminating a variable joins all
 * elements that it belongs to into one new element p with the variables Lp. The degree of a
 * variable i of Lp is then bounded by
 *
 *   |Lp \ i| + sum |Le \ Lp|     over its other elements e
 *
 * (P. R. Amestoy, T. A. Davis, I. S. Duff, SIAM J. Matrix Anal. Appl. 17, 1996). Elements inside Lp
 * are absorbed; variables that belong to Lp alone are eliminated with it. Variables that belong to
 * very many elements (the trunk of a wide tree) are set aside and eliminated last.
 */
#include <math.h>
#include <string.h>

#include "linalg/ldl_impl.h"

typedef struct graph {
  int32_t n, nelem; /* elements 0 .. nelem-1; eliminating variable v makes element nelem + v */
  int32_t *estart;  /* variables of element e: ev[estart[e] .. + elen[e]) */
  int32_t *elen;    /* -1 = absorbed */
  int32_t *ev, nev, cap_ev;
  int32_t *vstart; /* elements of variable v: ve[vstart[v] .. + vlen[v]) */
  int32_t *vlen;   /* -1 = eliminated */
  int32_t *ve;
  int32_t *degree, *next, *prev, *head; /* lists of variables by degree */
  int32_t *mark;                        /* per variable: last element that it was gathered into */
  int32_t *outside;                     /* per element: |Le \ Lp|, valid where estamp is p */
  int32_t *estamp;
} graph;

static void list_remove(graph *g, int32_t v) {
  if (g->prev[v] >= 0) {
    g->next[g->prev[v]] = g->next[v];
  } else {
    g->head[g->degree[v]] = g->next[v];
  }
  if (g->next[v] >= 0) g->prev[g->next[v]] = g->prev[v];
}

static void list_insert(graph *g, int32_t v, int32_t degree) {
  if (degree > g->n - 1) degree = g->n - 1;
  g->degree[v] = degree;
  g->prev[v] = -1;
  g->next[v] = g->head[degree];
  if (g->next[v] >= 0) g->prev[g->next[v]] = v;
  g->head[degree] = v;
}

/* take all arrays; elements of the pattern are copied because they shrink */
static bool graph_init(hk_ctx *ctx, hk_pool *pool, const hki_elements *e, graph *g) {
  size_t n = (size_t)e->n, ne = (size_t)e->count + n, total = (size_t)e->start[e->count];
  memset(g, 0, sizeof *g);
  g->n = e->n;
  g->nelem = e->count;
  g->estart = hki_pool_alloc(pool, ne * sizeof(int32_t));
  g->elen = hki_pool_alloc(pool, ne * sizeof(int32_t));
  g->outside = hki_pool_alloc(pool, ne * sizeof(int32_t));
  g->estamp = hki_pool_alloc(pool, ne * sizeof(int32_t));
  g->vstart = hki_pool_alloc(pool, (n + 1) * sizeof(int32_t));
  g->vlen = hki_pool_alloc(pool, n * sizeof(int32_t));
  // one spare place per variable for a new element
  g->ve = hki_pool_alloc(pool, (total + n) * sizeof(int32_t));
  g->degree = hki_pool_alloc(pool, n * sizeof(int32_t));
  g->next = hki_pool_alloc(pool, n * sizeof(int32_t));
  g->prev = hki_pool_alloc(pool, n * sizeof(int32_t));
  g->head = hki_pool_alloc(pool, n * sizeof(int32_t));
  g->mark = hki_pool_alloc(pool, n * sizeof(int32_t));
  if (!HK_GROW(ctx, g->ev, g->cap_ev, (int32_t)total + 1)) return false;
  return g->estart && g->elen && g->outside && g->estamp && g->vstart && g->vlen && g->ve &&
         g->degree && g->next && g->prev && g->head && g->mark;
}

/* Set variables of very many elements aside, at the end of the order; returns how many are left. On
 * return vlen is -1 for those set aside and the number of elements for the others. */
static int32_t set_aside(const hki_elements *e, graph *g, int32_t *order) {
  int32_t total = e->start[e->count], n = g->n, left = n;
  int32_t limit = (int32_t)(10.0 * sqrt((double)n)) + 16;
  for (int32_t k = 0; k < total; k++) g->vlen[e->var[k]]++;
  for (int32_t v = n - 1; v >= 0; v--)
    if (g->vlen[v] > limit) order[--left] = v;
  // fewest elements first
  for (int32_t k = left + 1; k < n; k++) {
    int32_t v = order[k], i = k;
    for (; i > left && g->vlen[order[i - 1]] > g->vlen[v]; i--) order[i] = order[i - 1];
    order[i] = v;
  }
  for (int32_t k = left; k < n; k++) g->vlen[order[k]] = -1;
  return left;
}

/* fill the lists of both sides and the first degrees (sums of clique sizes: an upper bound) */
static void graph_fill(const hki_elements *e, graph *g) {
  int32_t n = g->n;
  for (int32_t v = 0; v < n; v++) {
    int32_t count = g->vlen[v];
    g->vstart[v + 1] = g->vstart[v] + (count < 0 ? 0 : count + 1);
    g->vlen[v] = count < 0 ? -1 : 0;
    g->head[v] = g->mark[v] = -1;
  }
  for (int32_t k = 0; k < e->count + n; k++) g->estamp[k] = -1;
  for (int32_t k = 0; k < e->count; k++) {
    g->estart[k] = g->nev;
    for (int32_t i = e->start[k]; i < e->start[k + 1]; i++) {
      int32_t v = e->var[i];
      if (g->vlen[v] < 0) continue;
      g->ev[g->nev++] = v;
      g->ve[g->vstart[v] + g->vlen[v]++] = k;
    }
    g->elen[k] = g->nev - g->estart[k];
  }
  for (int32_t v = n - 1; v >= 0; v--) {
    if (g->vlen[v] < 0) continue;
    int64_t d = 0;
    for (int32_t i = 0; i < g->vlen[v]; i++) d += g->elen[g->ve[g->vstart[v] + i]] - 1;
    list_insert(g, v, d > n - 1 ? n - 1 : (int32_t)d);
  }
}

/* the new element: all live neighbours of v; its old elements are absorbed */
static bool make_element(hk_ctx *ctx, graph *g, int32_t v, int32_t p) {
  int64_t room = 0;
  for (int32_t i = 0; i < g->vlen[v]; i++) room += g->elen[g->ve[g->vstart[v] + i]];
  if (room > g->n) room = g->n;
  if (room > INT32_MAX - g->nev) return false;
  if (!HK_GROW(ctx, g->ev, g->cap_ev, g->nev + (int32_t)room + 1)) return false;
  g->estart[p] = g->nev;
  g->mark[v] = p;
  for (int32_t i = 0; i < g->vlen[v]; i++) {
    int32_t e = g->ve[g->vstart[v] + i];
    for (int32_t k = 0; k < g->elen[e]; k++) {
      int32_t u = g->ev[g->estart[e] + k];
      if (g->mark[u] == p || g->vlen[u] < 0) continue;
      g->mark[u] = p;
      g->ev[g->nev++] = u;
    }
    g->elen[e] = -1;
  }
  g->elen[p] = g->nev - g->estart[p];
  g->vlen[v] = -1;
  return true;
}

/* |Le \ Lp| for every element that touches the new one */
static void count_outside(graph *g, int32_t p) {
  for (int32_t k = 0; k < g->elen[p]; k++) {
    int32_t u = g->ev[g->estart[p] + k], *list = g->ve + g->vstart[u];
    for (int32_t i = 0; i < g->vlen[u]; i++) {
      int32_t e = list[i];
      if (g->elen[e] < 0) continue;
      if (g->estamp[e] != p) g->estamp[e] = p, g->outside[e] = g->elen[e];
      g->outside[e]--;
    }
  }
}

/* new lists and degrees of the variables of p; those that belong to p alone are eliminated now */
static int32_t update_variables(graph *g, int32_t p, int32_t *order, int32_t done) {
  int32_t keep = 0, *members = g->ev + g->estart[p], size = g->elen[p];
  for (int32_t k = 0; k < size; k++) {
    int32_t u = members[k], *list = g->ve + g->vstart[u], m = 0;
    int64_t d = size - 1;
    for (int32_t i = 0; i < g->vlen[u]; i++) {
      int32_t e = list[i];
      if (g->elen[e] < 0 || g->outside[e] == 0) continue;
      list[m++] = e;
      d += g->outside[e];
    }
    list_remove(g, u);
    if (m == 0) {
      g->vlen[u] = -1;
      order[done++] = u;
      continue;
    }
    list[m++] = p;
    g->vlen[u] = m;
    members[keep++] = u;
    list_insert(g, u, d > g->n - 1 ? g->n - 1 : (int32_t)d);
  }
  g->elen[p] = keep;
  return done;
}

bool hki_order_minimum_degree(hk_ctx *ctx, hk_pool *pool, const hki_elements *e, int32_t *order) {
  graph g;
  int32_t done = 0, low = 0, left = 0, start = e->start[e->count];
  const volatile int *stop = hki_stop_flag(ctx);
  bool good = graph_init(ctx, pool, e, &g);
  if (good) {
    left = set_aside(e, &g, order);
    graph_fill(e, &g);
  }
  while (good && done < left) {
    while (g.head[low] < 0) low++;
    int32_t v = g.head[low], p = g.nelem + v;
    list_remove(&g, v);
    order[done++] = v;
    good = make_element(ctx, &g, v, p) && (double)g.nev <= (double)start + e->most && !*stop;
    if (!good) break;
    count_outside(&g, p);
    done = update_variables(&g, p, order, done);
    low = 0;
  }
  hki_free(ctx, g.ev);
  return good;
}
