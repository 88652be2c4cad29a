/* SPDX-License-Identifier: Apache-2.0
 *
 * choose.c: the choice of coordinates of a large group by its sparse rows. Rows are eliminated one after the
 * other, in the order of P P' (sparse.c); each takes the largest entry that is left of it as its pivot:
 *
 *   p_i - sum_k u_k p_i[pivot k]        over the rows u_k before it whose pivots it has; u_i: over its own pivot
 *
 * Full pivoting (group.c) looks for the largest entry of all rows instead, and needs the whole matrix. The entries of
 * u_i belong to coordinates of the rows below i in the elimination tree of P P', whatever the pivots are (George and Ng
 * 1985): where loops are local, rows stay short.
 */
#include "formulations/topological/topological.h"

/* entries per entry of the rows that there is room for; round-off, relative to the largest entry */
enum { ROOM = 16 };
static const double nothing = 1e-14;

void hki_topological_layout_fill(hk_topological *t, hk_arena *a) {
  const hk_model *m = t->s->m;
  hk_topological_fill *f = &t->fill;
  int32_t entries = 0;
  for (int32_t i = 0; i < t->ngroup; i++) entries += t->group[i].nnz;
  f->cap = ROOM * entries;
  f->value = HK_TAKE(a, double, f->cap);
  f->dof = HK_TAKE(a, int32_t, f->cap);
  f->first = HK_TAKE(a, int32_t, m->nrows + 1);
  f->pivot = HK_TAKE(a, int32_t, m->nrows);
  f->of = HK_TAKE(a, int32_t, m->nv);
  f->x = HK_TAKE(a, double, m->nv);
  f->list = HK_TAKE(a, int32_t, m->nv);
  f->on = HK_TAKE(a, uint8_t, m->nv);
  f->wait = HK_TAKE(a, int32_t, m->nrows);
}

/* x[dof] += value; an eliminated row with this pivot waits, in its place among the others */
static void add_entry(hk_topological_fill *f, int32_t dof, double value, int32_t *entries,
                      int32_t *waiting) {
  f->x[dof] += value;
  if (f->on[dof]) return;
  f->on[dof] = 1;
  f->list[(*entries)++] = dof;
  const int32_t row = f->of[dof];
  if (row == HK_NONE) return;
  int32_t i = (*waiting)++;
  for (; i > 0 && f->wait[i - 1] < row; i--) f->wait[i] = f->wait[i - 1];
  f->wait[i] = row;
}

/* f->x = row `row` of the group without the pivots of the `k` rows before it; returns its entries */
static int32_t reduce_row(hk_topological *t, const hk_topological_group *g, int32_t row) {
  hk_topological_fill *f = &t->fill;
  const int32_t r = g->row[row];
  const hk_path *path = &t->s->m->closures[t->row_clo[r]].path;
  const double *P = t->group[0].G + t->row_at[r];
  int32_t entries = 0, waiting = 0;
  for (int32_t j = 0; j < path->n; j++)
    if (P[j] != 0.0) add_entry(f, path->dof[j], P[j], &entries, &waiting);
  // rows behind it have pivots that are eliminated later
  while (waiting) {
    const int32_t u = f->wait[--waiting];
    const double x = f->x[f->pivot[u]];
    f->x[f->pivot[u]] = 0.0;
    for (int32_t i = f->first[u]; x != 0.0 && i < f->first[u + 1]; i++)
      add_entry(f, f->dof[i], -x * f->value[i], &entries, &waiting);
  }
  return entries;
}

/* the coordinate of the largest of the entries, the first of those that differ by round-off alone; HK_NONE: none is
 * above `least` */
static int32_t largest(const hk_topological_fill *f, int32_t entries, double least) {
  int32_t best = HK_NONE;
  double top = least;
  for (int32_t i = 0; i < entries; i++) {
    const int32_t dof = f->list[i];
    const double e = fabs(f->x[dof]);
    if (!(e > least)) continue;
    const bool same = best != HK_NONE && fabs(e - top) <= 1e-9 * top;
    if (same ? dof < best : e > top) best = dof, top = same ? top : e;
  }
  return best;
}

/* Keeps f->x as eliminated row k with this pivot and clears it. False: no room. */
static bool keep_row(hk_topological_fill *f, int32_t k, int32_t pivot, int32_t entries,
                     double small) {
  const double over = pivot == HK_NONE ? 0.0 : 1.0 / f->x[pivot];
  bool room = true;
  for (int32_t i = 0; i < entries; i++) {
    const int32_t dof = f->list[i];
    const double x = f->x[dof];
    f->x[dof] = 0.0;
    f->on[dof] = 0;
    if (pivot == HK_NONE || dof == pivot || !(fabs(x) > small)) continue;
    room = room && f->n < f->cap;
    if (!room) continue;
    f->dof[f->n] = dof;
    f->value[f->n++] = x * over;
  }
  if (pivot == HK_NONE) return true;
  f->pivot[k] = pivot;
  f->of[pivot] = k;
  f->first[k + 1] = f->n;
  return room;
}

bool hki_topological_choose_rows(hk_topological *t, hk_topological_group *g, double tolerance) {
  hk_topological_fill *f = &t->fill;
  double top = 0.0;
  int32_t last = g->m, k = 0;
  bool room = true;
  for (int32_t i = 0; i < g->nnz; i++) top = fmax(top, fabs(g->G[i]));
  for (int32_t j = 0; j < g->n; j++) f->of[g->col[j]] = HK_NONE;
  f->n = f->first[0] = 0;
  for (int32_t i = 0; i < g->m && room; i++) {
    const int32_t row = g->turn[i], entries = reduce_row(t, g, row);
    const int32_t pivot = largest(f, entries, tolerance * top);
    room = keep_row(f, k, pivot, entries, nothing * top);
    if (pivot == HK_NONE)
      g->rows[--last] = row;
    else
      g->rows[k++] = row;
  }
  // columns of the pivots in the order of their rows, then the others
  int32_t rest = k;
  for (int32_t j = 0; j < g->n; j++)
    g->cols[f->of[g->col[j]] == HK_NONE ? rest++ : f->of[g->col[j]]] = j;
  g->rank = k;
  return room;
}
