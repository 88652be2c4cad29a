/* SPDX-License-Identifier: Apache-2.0
 *
 * rank.c: rank of the rows of all active closures. Rows are split into groups that share no
 * coordinate; each group is made dimensionless and passed to the dense or the sparse method.
 *
 *   row r, coordinate j:  Phi_z[r][j] scale_j / (size_r max(1, |row|))
 *
 * size_r is the length of the row's gradient at the markers (1 for a direction, the model's length
 * for a position). A row whose gradient in the coordinates vanishes at a singular position
 * therefore stays small; division by its own norm would enlarge round-off.
 */
#include <stdlib.h>
#include <string.h>

#include "analyses/rank.h"

/* Groups with at most so many rows use the dense method; with at most so many where the sparse one finds rows that depend on
 * others, or nearly do: it does not tell which others. */
enum { SMALL_ROWS = 64, DENSE_ROWS = 400 };
static const double clear = 1e-5; /* least length of a remainder with which rows surely do not */

typedef struct ranker {
  hk_tree *s;
  hk_pool *tmp;
  int32_t *up;    /* nv: union-find over coordinates */
  int32_t *order; /* active closures, by group and then by index */
  int32_t norder;
  int32_t *group; /* nc: group of a closure */
  int32_t *local; /* nv: column of a coordinate in its group */
  int32_t *place; /* nv: position in the elimination order */
  int32_t *at;    /* nv: the coordinate at a position */
  int32_t cap;    /* of the list of dependent rows */
  uint32_t what;  /* HK_RANK_ bits */
  hk_pool *pool;  /* of the result */
} ranker;

/* does a row of the closure follow a signal? */
static bool moves(const hk_closure *c) {
  if (c->coupling && c->coupling->signal != HK_NONE) return true;
  for (int32_t r = 0; r < c->nrows; r++)
    if (c->row_signal[r] != HK_NONE) return true;
  return false;
}

/* do the rows of closure c count? */
static bool counts(const ranker *k, int32_t c) {
  const hk_closure *cl = &k->s->m->closures[c];
  if (k->s->kin.disc.active[c] == 0.0) return false;
  if (!(k->what & HK_RANK_LOCKS)) return true;
  if (cl->role != HK_ROLE_CUT || !cl->coupling) return cl->role == HK_ROLE_CUT && !moves(cl);
  return !cl->coupling->timed && k->s->kin.phit[cl->row0] == 0.0;
}

/* root of i in the union-find forest */
static int32_t find(int32_t *up, int32_t i) {
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

/* closures that share coordinates get the same group, numbered by first appearance */
static void make_groups(ranker *k, hk_rank *out) {
  const hk_model *m = k->s->m;
  int32_t *number = k->local;
  for (int32_t i = 0; i < m->nv; i++) k->up[i] = i, number[i] = -1;
  for (int32_t c = 0; c < m->nc; c++) {
    const hk_path *p = &m->closures[c].path;
    if (!counts(k, c)) continue;
    for (int32_t i = 1; i < p->n; i++) {
      int32_t a = find(k->up, p->dof[0]), b = find(k->up, p->dof[i]);
      // the smaller index is the root: the outcome does not depend on the order
      k->up[a < b ? b : a] = a < b ? a : b;
    }
  }
  for (int32_t c = 0; c < m->nc; c++) {
    const hk_closure *cl = &m->closures[c];
    k->group[c] = -1;
    if (!counts(k, c) || !cl->nrows) continue;
    int32_t root = cl->path.n ? find(k->up, cl->path.dof[0]) : -1;
    if (root < 0)
      k->group[c] = out->ngroups++;
    else if (number[root] < 0)
      k->group[c] = number[root] = out->ngroups++;
    else
      k->group[c] = number[root];
  }
}

/* counting sort of the closures by group; group g is order[first[g]] .. order[first[g + 1] - 1] */
static bool sort_groups(ranker *k, int32_t ngroups, int32_t **first) {
  const hk_model *m = k->s->m;
  int32_t *at = hki_pool_alloc(k->tmp, (size_t)(ngroups + 2) * sizeof *at);
  if (!at) return false;
  for (int32_t c = 0; c < m->nc; c++)
    if (k->group[c] >= 0) at[k->group[c] + 2]++;
  for (int32_t g = 0; g < ngroups; g++) at[g + 2] += at[g + 1];
  for (int32_t c = 0; c < m->nc; c++)
    if (k->group[c] >= 0) k->order[at[k->group[c] + 1]++] = c, k->norder++;
  *first = at;
  return true;
}

static int compare(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

/* length of a gradient at the markers: independent of where the coordinates of the tree act */
static double gradient_size(const hk_tree *s, const double *gA, const double *gB) {
  double L = s->m->length;
  double a = hypot(v3_norm(gA), L * v3_norm(gA + 3)), b = hypot(v3_norm(gB), L * v3_norm(gB + 3));
  return fmax(fmax(a, b), 1e-300);
}

/* the same of a scalar coordinate */
static double coordinate_size(const hk_tree *s, int32_t scalar) {
  const hk_scalar *x = &s->m->scalars[scalar];
  const hk_model_joint *j = &s->m->joints[x->joint];
  const hk_spec_joint *sj = &s->m->spec->joints[x->joint];
  hk_frame F[2];
  hk_joint_coord g;
  if (x->vi != HK_NONE) return s->scale[x->vi];
  for (int i = 0; i < 2; i++) hki_kin_marker(&s->kin, j->mbody[i], &j->marker[i], &F[i]);
  hki_kin_turn_back(&s->kin, x->joint, &F[1]);
  sj->ops->coord(sj->par, x->coord, &F[0], &F[1], s->kin.disc.turn[x->turn] - x->zero, &g);
  return gradient_size(s, g.gA, g.gB);
}

/* size_r of the rows of one closure */
static void row_sizes(const hk_tree *s, const hk_closure *c, double *size) {
  hk_frame F[2];
  if (c->kind == HK_CLOSURE_JOINT) {
    hk_joint_loop L;
    hki_kin_closure_frames(&s->kin, c, F);
    c->ops->loop(c->par, &F[0], &F[1], HK_LOOP_JAC, &L);
    for (int32_t r = 0; r < c->nrows; r++)
      size[r] = gradient_size(s, L.GA + 6 * c->rows[r], L.GB + 6 * c->rows[r]);
    return;
  }
  size[0] = 1e-300;
  for (int32_t i = 0; c->coupling && i < c->coupling->n; i++) {
    const double f = fabs(s->kin.slope[c->coupling->slope0 + i]);
    if (f > 0.0) size[0] = fmax(size[0], f * coordinate_size(s, c->coupling->arg[i].scalar));
  }
  if (!c->coupling) size[0] = coordinate_size(s, c->scalar);
}

/* columns of a group in elimination order; returns their number */
static int32_t number_columns(ranker *k, const int32_t *list, int32_t n, int32_t *tmp) {
  const hk_model *m = k->s->m;
  int32_t nt = 0, u = 0;
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < m->closures[list[i]].path.n; j++)
      tmp[nt++] = k->place[m->closures[list[i]].path.dof[j]];
  qsort(tmp, (size_t)nt, sizeof *tmp, compare);
  for (int32_t i = 0; i < nt; i++)
    if (!u || tmp[u - 1] != tmp[i]) tmp[u++] = tmp[i];
  for (int32_t i = 0; i < u; i++) k->local[k->at[tmp[i]]] = i;
  return u;
}

/* one row of the group, entries ascending by column */
static void fill_row(ranker *k, hk_rank_work *w, int32_t ci, int32_t r, double size) {
  const hk_closure *c = &k->s->m->closures[ci];
  const hk_kin *kin = &k->s->kin;
  const double *gz = kin->gz + kin->gz0[ci] + r * c->path.n;
  int32_t i = w->m++, at = w->first[i], row = c->row0 + r;
  double norm = 0.0;
  for (int32_t j = 0; j < c->path.n; j++) {
    double e = gz[j] * k->s->scale[c->path.dof[j]] / size;
    if (e == 0.0) continue;
    // insertion: paths are nearly in order already
    int32_t col = k->local[c->path.dof[j]], p = at++;
    while (p > w->first[i] && w->col[p - 1] > col) {
      w->col[p] = w->col[p - 1];
      w->val[p] = w->val[p - 1];
      p--;
    }
    w->col[p] = col;
    w->val[p] = e;
    norm += e * e;
  }
  norm = fmax(1.0, sqrt(norm));
  for (int32_t e = w->first[i]; e < at; e++) w->val[e] /= norm;
  w->first[i + 1] = at;
  w->row[i] = row;
  w->clo[i] = ci;
  w->rhs[HK_RANK_LEFT * i] = kin->phi[row] / (size * norm);
  w->rhs[HK_RANK_LEFT * i + 1] = kin->phit[row] / (size * norm);
  w->rhs[HK_RANK_LEFT * i + 2] = kin->gamma[row] / (size * norm);
}

/* appends the dependent rows of one group to the result */
static bool keep(ranker *k, const hk_rank_work *w, int32_t group, hk_rank *out) {
  double top[HK_RANK_LEFT] = {0};
  for (int32_t i = 0; i < w->m; i++)
    for (int r = 0; r < HK_RANK_LEFT; r++)
      top[r] = fmax(top[r], fabs(w->rhs[HK_RANK_LEFT * i + r]));
  for (int32_t i = 0; i < w->m; i++) {
    const int32_t *with = w->with + (size_t)i * (1 + HK_RANK_WITH);
    if (!w->dep[i]) continue;
    if (!HK_GROW(k->s->ctx, out->dependent, k->cap, out->ndependent + 1)) return false;
    hk_rank_row *d = &out->dependent[out->ndependent++];
    *d = (hk_rank_row){.row = w->row[i], .closure = w->clo[i], .group = group, .nwith = with[0]};
    d->motion = moves(&k->s->m->closures[d->closure]);
    for (int32_t j = 0; j < with[0]; j++) {
      d->with[j] = with[1 + j];
      d->motion = d->motion || moves(&k->s->m->closures[with[1 + j]]);
    }
    memcpy(d->left, w->left + HK_RANK_LEFT * i, sizeof d->left);
    memcpy(d->size, top, sizeof d->size);
  }
  return true;
}

static hk_status solve_group(hk_ctx *ctx, hk_rank_work *w) {
  if (w->m <= SMALL_ROWS) return hki_rank_dense(ctx, w);
  const hk_status st = hki_rank_sparse(ctx, w);
  if (st != HK_OK || w->m > DENSE_ROWS || (w->rank == w->m && w->least > clear)) return st;
  memset(w->dep, 0, (size_t)w->m);
  return hki_rank_dense(ctx, w);
}

/* fills and solves one group: closures list[0..n-1] */
static hk_status one_group(ranker *k, int32_t group, const int32_t *list, int32_t n, hk_rank *out) {
  const hk_model *m = k->s->m;
  hk_ctx *ctx = k->s->ctx;
  size_t rows = 0, entries = 0, paths = 0;
  for (int32_t i = 0; i < n; i++) {
    const hk_closure *c = &m->closures[list[i]];
    rows += (size_t)c->nrows;
    entries += (size_t)c->nrows * (size_t)c->path.n;
    paths += (size_t)c->path.n;
  }
  size_t per = 3 + 1 + HK_RANK_WITH;
  int32_t *index = hki_alloc(ctx, (per * rows + entries + paths + 1) * sizeof *index);
  double *number = hki_alloc(ctx, (entries + 2 * HK_RANK_LEFT * rows) * sizeof *number);
  uint8_t *dep = hki_alloc(ctx, rows);
  hk_status st = index && number && dep ? HK_OK : HK_E_MEMORY;
  if (st == HK_OK) {
    double size[6];
    hk_rank_work w = {.row = index, .val = number, .dep = dep};
    w.clo = w.row + rows;
    w.first = w.clo + rows;
    w.with = w.first + rows + 1;
    w.col = w.with + rows * (1 + HK_RANK_WITH);
    w.rhs = w.val + entries;
    w.left = w.rhs + HK_RANK_LEFT * rows;
    w.n = number_columns(k, list, n, w.col + entries);
    for (int32_t i = 0; i < n; i++) {
      row_sizes(k->s, &m->closures[list[i]], size);
      for (int32_t r = 0; r < m->closures[list[i]].nrows; r++)
        if ((k->what & HK_RANK_RATES) || !(m->closures[list[i]].rate_rows >> r & 1u))
          fill_row(k, &w, list[i], r, size[r]);
    }
    st = solve_group(ctx, &w);
    out->rows += w.m;
    out->rank += w.rank;
    if (st == HK_OK && !keep(k, &w, group, out)) st = HK_E_MEMORY;
    if (st == HK_OK && (k->what & HK_RANK_LOCKS) && w.m <= DENSE_ROWS)
      st = hki_rank_locks(k->s, k->pool, &w, k->local, out);
  }
  hki_free(ctx, index);
  hki_free(ctx, number);
  hki_free(ctx, dep);
  return st;
}

static int by_row(const void *a, const void *b) {
  const hk_rank_row *x = a, *y = b;
  return (x->row > y->row) - (x->row < y->row);
}

static hk_status run(ranker *k, hk_rank *out) {
  const hk_model *m = k->s->m;
  size_t nv = (size_t)m->nv + 1, nc = (size_t)m->nc + 1;
  int32_t *first;
  k->up = hki_pool_alloc(k->tmp, (4 * nv + 2 * nc) * sizeof *k->up);
  if (!k->up) return HK_E_MEMORY;
  k->local = k->up + nv;
  k->place = k->local + nv;
  k->at = k->place + nv;
  k->group = k->at + nv;
  k->order = k->group + nc;
  // columns: elimination order of the machine's matrix if it exists, else leaves before roots
  for (int32_t i = 0; i < m->nv; i++) {
    k->at[i] = k->s->ldl ? hki_ldl_order(k->s->ldl)[i] : m->nv - 1 - i;
    k->place[k->at[i]] = i;
  }
  make_groups(k, out);
  if (!sort_groups(k, out->ngroups, &first)) return HK_E_MEMORY;
  for (int32_t g = 0; g < out->ngroups; g++) {
    hk_status st = one_group(k, g, k->order + first[g], first[g + 1] - first[g], out);
    if (st != HK_OK) return st;
  }
  return HK_OK;
}

hk_status hki_rank(hk_tree *s, hk_pool *pool, uint32_t what, hk_rank *out) {
  ranker k = {.s = s, .tmp = hki_pool_create(s->ctx), .what = what, .pool = pool};
  *out = (hk_rank){0};
  hk_status st = k.tmp ? run(&k, out) : HK_E_MEMORY;
  // move the list from the heap to the pool, sorted by row
  hk_rank_row *list = out->dependent;
  out->dependent = hki_pool_alloc(pool, (size_t)(out->ndependent + 1) * sizeof *list);
  if (!out->dependent) st = HK_E_MEMORY;
  if (st == HK_OK && out->ndependent) {
    memcpy(out->dependent, list, (size_t)out->ndependent * sizeof *list);
    qsort(out->dependent, (size_t)out->ndependent, sizeof *list, by_row);
  }
  hki_free(s->ctx, list);
  if (k.tmp) hki_pool_destroy(k.tmp);
  return st;
}
