/* SPDX-License-Identifier: Apache-2.0
 *
 * create.c: groups of closures, pattern and slots of the reduced matrix, memory.
 *
 * The independent coordinates of a group couple with everything that any coordinate of the group
 * couples with. The pattern of the reduced matrix is that of T with each coordinate replaced by its
 * whole group, so that a new choice needs no new analysis.
 */
#include <stdlib.h>

#include "formulations/topological/topological.h"
#include "machines/tree/deep.h"

typedef struct builder {
  hk_topological *t;
  hk_pool *tmp;
  int32_t *up;     /* nv: union-find over coordinates */
  int32_t *list;   /* nv: scratch */
  int32_t entries; /* of the rows of the groups so far */
  int32_t nblock;  /* number of blocks: groups first, then single coordinates */
  int32_t *block;  /* nv: block of a coordinate */
  int32_t *first;  /* nblock: its first coordinate */
  uint8_t *mark;   /* nblock: scratch, zero between calls */
  uint64_t *bits;  /* nblock x words: bit b of row a: blocks a and b couple */
  size_t words;
} builder;

static int32_t find(int32_t *up, int32_t i) {
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

/* t->group: coordinates that share a closure form a group; counts its rows and closures */
static hk_status find_groups(builder *B) {
  hk_topological *t = B->t;
  const hk_model *m = t->s->m;
  int32_t *number = B->list;
  for (int32_t i = 0; i < m->nv; i++) B->up[i] = i, number[i] = -1, t->group_of[i] = -1;
  for (int32_t c = 0; c < m->nc; c++)
    for (int32_t i = 1; i < m->closures[c].path.n; i++) {
      int32_t a = find(B->up, m->closures[c].path.dof[0]);
      int32_t b = find(B->up, m->closures[c].path.dof[i]);
      B->up[a < b ? b : a] = a < b ? a : b;
    }
  t->group = hki_pool_alloc(t->pool, (size_t)(m->nc + 1) * sizeof *t->group);
  if (!t->group) return HK_E_MEMORY;
  for (int32_t c = 0; c < m->nc; c++) {
    const hk_closure *cl = &m->closures[c];
    // rows that no coordinate moves must hold by themselves
    if (!cl->path.n || !cl->nrows) continue;
    int32_t root = find(B->up, cl->path.dof[0]);
    if (number[root] < 0) number[root] = t->ngroup++;
    hk_topological_group *g = &t->group[number[root]];
    g->nclo++;
    g->m += cl->nrows;
    for (int32_t i = 0; i < cl->path.n; i++) t->group_of[cl->path.dof[i]] = number[root];
  }
  return HK_OK;
}

/* clo, row, col, place, rotation of one group */
static hk_status fill_group(builder *B, int32_t gi) {
  hk_topological *t = B->t;
  const hk_model *m = t->s->m;
  hk_topological_group *g = &t->group[gi];
  int32_t entries = 0, row = 0, k = 0;
  for (int32_t i = 0; i < m->nv; i++) g->n += t->group_of[i] == gi;
  for (int32_t c = 0; c < m->nc; c++)
    if (m->closures[c].path.n && t->group_of[m->closures[c].path.dof[0]] == gi)
      entries += m->closures[c].path.n;
  int32_t total = g->nclo + g->m + 2 * g->n + entries;
  int32_t *p = hki_pool_alloc(t->pool, (size_t)total * sizeof *p);
  uint8_t *late = hki_pool_alloc(t->pool, (size_t)g->m + 1);
  if (!p || !late) return HK_E_MEMORY;
  g->late = late;
  int32_t *clo = p, *rows = clo + g->nclo, *col = rows + g->m, *rotation = col + g->n,
          *place = rotation + g->n;
  g->at = B->entries;
  g->nnz = 0;
  g->clo = clo, g->row = rows, g->col = col, g->rotation = rotation, g->place = place;
  for (int32_t i = 0; i < m->nv; i++)
    if (t->group_of[i] == gi) B->list[i] = k, col[k++] = i;
  for (int32_t i = 0; i + 2 < g->n; i++)
    if (t->s->quat[col[i]]) rotation[g->nrotation++] = i, i += 2;
  k = 0;
  for (int32_t c = 0; c < m->nc; c++) {
    const hk_closure *cl = &m->closures[c];
    if (!cl->path.n || !cl->nrows || t->group_of[cl->path.dof[0]] != gi) continue;
    clo[k++] = c;
    for (int32_t r = 0; r < cl->nrows; r++) t->row_clo[cl->row0 + r] = c;
    g->nnz += cl->nrows * cl->path.n;
    for (int32_t r = 0; r < cl->nrows; r++) {
      late[row] = cl->rate_rows >> r & 1u;
      g->nrate += late[row];
      rows[row++] = cl->row0 + r;
    }
    for (int32_t i = 0; i < cl->path.n; i++) *place++ = B->list[cl->path.dof[i]];
  }
  B->entries += g->nnz;
  return HK_OK;
}

/* --- the pattern by blocks -------------------------------------------------------------------- */

static hk_status make_blocks(builder *B) {
  hk_topological *t = B->t;
  const int32_t nv = t->s->m->nv;
  B->nblock = t->ngroup;
  for (int32_t i = 0; i < nv; i++) B->block[i] = t->group_of[i] >= 0 ? t->group_of[i] : B->nblock++;
  B->words = ((size_t)B->nblock + 63) / 64;
  B->first = hki_pool_alloc(B->tmp, (size_t)(B->nblock + 1) * sizeof *B->first);
  B->mark = hki_pool_alloc(B->tmp, (size_t)B->nblock + 1);
  B->bits = hki_pool_alloc(B->tmp, ((size_t)B->nblock * B->words + 1) * sizeof *B->bits);
  if (!B->first || !B->mark || !B->bits) return HK_E_MEMORY;
  for (int32_t i = nv - 1; i >= 0; i--) B->first[B->block[i]] = i;
  return HK_OK;
}

static void couple(builder *B, int32_t a, int32_t b) {
  B->bits[(size_t)a * B->words + (size_t)b / 64] |= (uint64_t)1 << (b % 64);
}

static bool coupled(const builder *B, int32_t a, int32_t b) {
  return B->bits[(size_t)a * B->words + (size_t)b / 64] >> (b % 64) & 1;
}

/* blocks of a list of coordinates, each once; returns their number */
static int32_t blocks_of(builder *B, int32_t n, const int32_t *dof, int32_t *out) {
  int32_t u = 0;
  for (int32_t i = 0; i < n; i++) {
    int32_t b = B->block[dof[i]];
    if (B->mark[b]) continue;
    B->mark[b] = 1;
    out[u++] = b;
  }
  for (int32_t i = 0; i < u; i++) B->mark[out[i]] = 0;
  return u;
}

/* couples all blocks of a list of coordinates with one another */
static void couple_all(builder *B, int32_t n, const int32_t *dof) {
  int32_t u = blocks_of(B, n, dof, B->list);
  for (int32_t i = 0; i < u; i++)
    for (int32_t j = 0; j < u; j++) couple(B, B->list[i], B->list[j]);
}

/* bits of all couplings of T: chains of bodies, forces, inputs; chain: nv, scratch */
static void couple_pattern(builder *B, int32_t *chain) {
  const hk_tree *s = B->t->s;
  const hk_model *m = s->m;
  for (int32_t b = 0; b < m->nb; b++) {
    int32_t n = 0;
    if (m->bodies[b].last != b) continue;
    for (int32_t p = b; p != HK_GROUND; p = m->bodies[p].parent)
      for (int32_t j = 0; j < m->bodies[p].nv; j++) chain[n++] = m->bodies[p].v0 + j;
    couple_all(B, n, chain);
  }
  for (int32_t f = 0; f < m->nf; f++) couple_all(B, m->forces[f].path.n, m->forces[f].path.dof);
  for (int32_t i = 0; i < m->nwide; i++) couple_all(B, m->wide[i].ndof, m->wide[i].dof);
  for (int32_t i = 0; i < s->ninput; i++) {
    const hk_path *path = &m->forces[s->input[i].force].path;
    for (int32_t a = 0; a < path->n; a++)
      for (int32_t b = 0; b < s->input[i].nsup; b++) {
        int32_t x = B->block[path->dof[a]], y = B->block[s->input[i].sup[b]];
        couple(B, x, y);
        couple(B, y, x);
      }
  }
  for (int32_t b = 0; b < B->nblock; b++) couple(B, b, b);
}

/* *list: coordinates of a block; returns their number */
static int32_t members(const builder *B, int32_t b, const int32_t **list) {
  if (b < B->t->ngroup) {
    *list = B->t->group[b].col;
    return B->t->group[b].n;
  }
  *list = &B->first[b];
  return 1;
}

static hk_status make_pattern(builder *B, int32_t *order) {
  hk_topological *t = B->t;
  const int32_t nv = t->s->m->nv;
  hk_pattern p;
  hki_pattern_init(&p, t->ctx, nv);
  for (int32_t a = 0; a < B->nblock; a++)
    for (int32_t b = 0; b <= a; b++) {
      const int32_t *x, *y;
      if (!coupled(B, a, b)) continue;
      int32_t nx = members(B, a, &x), ny = members(B, b, &y);
      if (a == b)
        hki_pattern_clique(&p, nx, x);
      else
        hki_pattern_rect(&p, nx, x, ny, y);
    }
  hk_status st = p.status;
  for (int32_t i = 0; i < nv; i++) order[i] = nv - 1 - i;
  if (st == HK_OK) st = hki_ldl_create(t->ctx, &p, order, &t->reduced);
  hki_pattern_free(&p);
  return st;
}

/* slots of one pair: rows x (nx), columns y (ny); with t->pair NULL it only counts */
static void add_table(hk_topological *t, int32_t a, int32_t b, int32_t nx, const int32_t *x,
                      int32_t ny, const int32_t *y, int64_t *entries) {
  if (t->pair) {
    int32_t *full = t->slot_full + *entries, *reduced = t->slot_reduced + *entries;
    t->pair[t->npair] = (hk_topological_pair){a, b, ny, (int32_t)*entries};
    for (int32_t i = 0; i < nx; i++)
      for (int32_t j = 0; j < ny; j++) {
        *full++ = hki_ldl_slot(t->s->ldl, x[i], y[j]); // -1: no coupling before the reduction
        *reduced++ = hki_ldl_entry(t->reduced, x[i], y[j]);
      }
  }
  t->npair++;
  *entries += (int64_t)nx * ny;
}

/* slots of all pairs and copies; with t->pair NULL it only counts */
static void fill_slots(builder *B, int64_t *entries) {
  hk_topological *t = B->t;
  t->npair = t->ncopy = 0;
  *entries = 0;
  for (int32_t a = 0; a < t->ngroup; a++) {
    const hk_topological_group *g = &t->group[a];
    int32_t n = 0;
    for (int32_t b = 0; b <= a; b++)
      if (coupled(B, a, b))
        add_table(t, a, b, g->n, g->col, t->group[b].n, t->group[b].col, entries);
    for (int32_t b = t->ngroup; b < B->nblock; b++)
      if (coupled(B, a, b)) B->list[n++] = B->first[b];
    if (n) add_table(t, a, -1, g->n, g->col, n, B->list, entries);
    if (n > t->widest) t->widest = n;
  }
  for (int32_t a = t->ngroup; a < B->nblock; a++)
    for (int32_t b = t->ngroup; b <= a; b++) {
      int32_t x = B->first[a], y = B->first[b];
      int32_t k = coupled(B, a, b) ? hki_ldl_slot(t->s->ldl, x, y) : -1;
      if (k < 0) continue;
      if (t->pair)
        t->copy_full[t->ncopy] = k, t->copy_reduced[t->ncopy] = hki_ldl_entry(t->reduced, x, y);
      t->ncopy++;
    }
}

static hk_status make_slots(builder *B) {
  hk_topological *t = B->t;
  int64_t entries;
  fill_slots(B, &entries);
  if (entries > INT32_MAX) return HK_E_MEMORY;
  size_t n = (size_t)entries + 1, c = (size_t)t->ncopy + 1;
  t->pair = hki_pool_alloc(t->pool, ((size_t)t->npair + 1) * sizeof *t->pair);
  t->slot_full = hki_pool_alloc(t->pool, 2 * n * sizeof(int32_t));
  t->copy_full = hki_pool_alloc(t->pool, 2 * c * sizeof(int32_t));
  t->diag = hki_pool_alloc(t->pool, (size_t)(t->s->m->nv + 1) * sizeof(int32_t));
  if (!t->pair || !t->slot_full || !t->copy_full || !t->diag) return HK_E_MEMORY;
  t->slot_reduced = t->slot_full + n;
  t->copy_reduced = t->copy_full + c;
  fill_slots(B, &entries);
  for (int32_t i = 0; i < t->s->m->nv; i++) t->diag[i] = hki_ldl_entry(t->reduced, i, i);
  return HK_OK;
}

static hk_status begin(builder *B, hk_topological *t) {
  const size_t nv = (size_t)t->s->m->nv + 1;
  *B = (builder){.t = t, .tmp = hki_pool_create(t->ctx)};
  if (!B->tmp) return HK_E_MEMORY;
  B->up = hki_pool_alloc(B->tmp, 4 * nv * sizeof *B->up);
  if (!B->up) return HK_E_MEMORY;
  B->list = B->up + nv;
  B->block = B->list + nv;
  return HK_OK;
}

static void end(builder *B) {
  if (B->tmp) hki_pool_destroy(B->tmp);
}

/* the groups, and how they are solved */
static hk_status analyse_groups(hk_topological *t) {
  builder B;
  hk_status st = begin(&B, t);
  t->group_of = hki_pool_alloc(t->pool, ((size_t)t->s->m->nv + 1) * sizeof *t->group_of);
  t->row_clo = hki_pool_alloc(t->pool, ((size_t)t->s->m->nrows + 1) * sizeof *t->row_clo);
  if (!t->group_of || !t->row_clo) st = HK_E_MEMORY;
  if (st == HK_OK) st = find_groups(&B);
  for (int32_t g = 0; st == HK_OK && g < t->ngroup; g++) st = fill_group(&B, g);
  end(&B);
  return st == HK_OK ? hki_topological_analyse_rows(t) : st;
}

/* pattern and slots of the reduced matrix, after that of the tree */
static hk_status analyse_reduced(hk_topological *t) {
  builder B;
  hk_status st = begin(&B, t);
  if (st == HK_OK) st = make_blocks(&B);
  if (st == HK_OK) {
    int32_t *scratch = B.block + t->s->m->nv + 1;
    couple_pattern(&B, scratch);
    st = make_pattern(&B, scratch);
  }
  if (st == HK_OK) st = make_slots(&B);
  end(&B);
  return st;
}

/* --- memory ----------------------------------------------------------------------------------- */

/* persistent numbers of a group */
static int32_t keeps(const hk_topological_group *g) {
  return HK_TOPOLOGICAL_HEAD + g->n + 2 * g->m + g->nnz;
}

/* matrices of the groups and the reduced one */
static void layout_full(hk_topological *t, hk_arena *a) {
  int32_t big = 0, rows = 0;
  hki_ldl_layout(t->reduced, a, &t->num);
  for (int32_t gi = 0; gi < t->ngroup; gi++) {
    hk_topological_group *g = &t->group[gi];
    int32_t r = g->m < g->n ? g->m : g->n, lu = hki_dense_ld(r) * r;
    if (g->n > big) big = g->n;
    if (g->m > rows) rows = g->m;
    g->P = HK_TAKE(a, double, g->m * g->n);
    g->A = HK_TAKE(a, double, lu);
    g->inv = HK_TAKE(a, double, r);
    g->pivot = HK_TAKE(a, int32_t, r);
    g->R = HK_TAKE(a, double, g->n * g->n);
  }
  int32_t side = hki_dense_ld(big > rows ? big : rows);
  int32_t wide = t->widest > side ? t->widest : side;
  t->B = HK_TAKE(a, double, ((size_t)side) * (size_t)wide);
  t->Y = HK_TAKE(a, double, ((size_t)side) * (size_t)wide);
  t->y = HK_TAKE(a, double, side);
  t->work = HK_TAKE(a, double, hki_dense_work(side));
}

static void layout(hk_topological *t, hk_arena *a) {
  const hk_model *m = t->s->m;
  int32_t entries = 0, at = 2;
  if (!t->sparse) layout_full(t, a);
  for (int32_t gi = 0; gi < t->ngroup; gi++) {
    hk_topological_group *g = &t->group[gi];
    at += keeps(g);
    entries += g->nnz;
    g->cols = HK_TAKE(a, int32_t, g->n);
    g->rows = HK_TAKE(a, int32_t, g->m);
    g->dof = HK_TAKE(a, int32_t, g->n);
    g->used = HK_TAKE(a, int32_t, g->m);
  }
  // the rows of all groups in one piece
  double *G = HK_TAKE(a, double, entries);
  for (int32_t gi = 0; gi < t->ngroup; gi++) t->group[gi].G = G ? G + t->group[gi].at : NULL;
  t->last = HK_TAKE(a, double, entries);
  if (t->sparse) hki_topological_layout_rows(t, a);
  t->nkeep = at;
  t->persist = HK_TAKE(a, double, at);
  t->D = HK_TAKE(a, double, m->nv);
  t->w = HK_TAKE(a, double, m->nv);
  t->wd = HK_TAKE(a, double, m->nv);
  t->z = HK_TAKE(a, double, m->nv);
  t->b = HK_TAKE(a, double, m->nrows);
  t->unscale = HK_TAKE(a, double, m->nv);
  if (!t->persist) return;
  at = 2;
  for (int32_t gi = 0; gi < t->ngroup; gi++) {
    t->group[gi].persist = t->persist + at;
    at += keeps(&t->group[gi]);
  }
}

static hk_status allocate(hk_topological *t) {
  hk_arena a = {0};
  layout(t, &a);
  t->block = hki_alloc(t->ctx, a.used + 64);
  if (!t->block) return HK_E_MEMORY;
  a = (hk_arena){t->block + (64 - (uintptr_t)t->block % 64) % 64, 0, a.used};
  layout(t, &a);
  for (int32_t i = 0; i < t->s->m->nv; i++) t->unscale[i] = 1.0 / t->s->scale[i];
  return HK_OK;
}

/* *out, the groups, and whether fronts solve with their trees; *out is freed by hki_topological_destroy whatever the
 * result */
static hk_status analyse(hk_ctx *ctx, const hk_model *m, const void *par, hk_topological **out) {
  hk_topological *t = *out = hki_alloc(ctx, sizeof *t);
  if (!t) return HK_E_MEMORY;
  t->ctx = ctx;
  t->par = *(const hk_topological_par *)par;
  t->exact = t->par.tangent == HK_TANGENT_EXACT;
  hk_status st = hki_tree_create(ctx, m, &t->s);
  if (st != HK_OK) return st;
  t->pool = hki_pool_create(ctx);
  return t->pool ? analyse_groups(t) : HK_E_MEMORY;
}

/* the matrix of the tree and what its exact tangent takes */
static hk_status make_matrices(hk_topological *t) {
  hk_status st = hki_tree_matrix(t->s);
  if (st == HK_OK && t->par.tangent != HK_TANGENT_MATERIAL) st = hki_tree_allow_exact(t->s);
  return st;
}

static hk_status build(hk_topological *t) {
  const hk_model *m = t->s->m;
  hk_status st = t->deep ? hki_deep_create(t->s, false) : make_matrices(t);
  if (st == HK_OK && !t->deep) hki_topological_prefer_rows(t);
  if (st == HK_OK) st = t->sparse ? hki_topological_list_rows(t) : analyse_reduced(t);
  if (st == HK_OK) st = allocate(t);
  for (int32_t i = 0; st == HK_OK && i < m->spec->nsignals; i++)
    t->signals_move = t->signals_move || (t->s->kin.sig_live[i] && t->s->kin.sig_state[i]);
  t->signals_move = t->signals_move || m->ncurved;
  return st;
}

hk_status hki_topological_fill_matrices(hk_topological *t) {
  if (!t->sparse) return HK_OK;
  unsigned char *block = t->block;
  const double *kept = t->persist;
  t->sparse = t->deep = t->clean = false;
  hki_deep_destroy(t->s);
  hk_status st = hki_tree_matrix(t->s);
  if (st == HK_OK) st = analyse_reduced(t);
  if (st == HK_OK) st = allocate(t);
  if (st == HK_OK) {
    memcpy(t->persist, kept, (size_t)t->nkeep * sizeof *kept);
    hki_topological_sync(t);
  }
  hki_free(t->ctx, block);
  return st;
}

hk_status hki_topological_create(hk_ctx *ctx, const hk_model *m, const void *par,
                                 hk_topological **out) {
  hk_topological *t;
  hk_status st = analyse(ctx, m, par, &t);
  if (st == HK_OK) st = build(t);
  if (st != HK_OK) {
    hki_topological_destroy(t);
    return st;
  }
  *out = t;
  return HK_OK;
}

/* memory of groups without full matrices, beside the tree's */
static double sparse_bytes(hk_topological *t) {
  const size_t nv = (size_t)t->s->m->nv + 1, nr = (size_t)t->s->m->nrows + 1;
  hk_arena a = {0};
  hk_ldl_stats stats;
  double bytes = (double)hki_pool_bytes(t->pool), slots = 0.0;
  hki_ldl_get_stats(t->normal, &stats);
  layout(t, &a);
  // the second number array counts with the first
  bytes += (double)a.used + stats.bytes - 8.0 * (2.0 * stats.values + 2.0 * stats.n);
  for (int32_t i = 0; i < t->nshare; i++) slots += t->share[i].na * t->share[i].nb;
  return bytes + 4.0 * (slots + 5.0 * (double)nr) + 8.0 * (double)nv;
}

/* Between coordinates of no loop the reduced matrix has the entries of the full one. Loops that
 * share no coordinate have dense blocks of their own, whose size is at most that of the paths. */
static hk_status full_cost(hk_ctx *ctx, const hk_model *m, double most, hk_cost *out) {
  hk_cost vectors;
  hk_status st = hki_tree_cost(ctx, m, false, most, &vectors);
  if (st == HK_OK) st = hki_tree_cost(ctx, m, true, most, out);
  // the reduced matrix beside the full one, and the places of each entry in both
  out->bytes += 1.2 * (out->bytes - vectors.bytes);
  for (int32_t c = 0; c < m->nc; c++) {
    const double n = m->closures[c].path.n, rows = m->closures[c].nrows;
    out->bytes += 8.0 * (2.5 * n * n + 2.0 * rows * n);
  }
  out->seconds *= 2.0;
  return st;
}

hk_status hki_topological_cost(hk_ctx *ctx, const hk_model *m, const void *par, double most,
                               hk_cost *out) {
  hk_topological *t;
  const bool exact = ((const hk_topological_par *)par)->tangent != HK_TANGENT_MATERIAL;
  hk_status st = analyse(ctx, m, par, &t);
  if (st == HK_OK && !t->deep) {
    st = full_cost(ctx, m, most, out);
    if (exact) out->bytes += hki_tree_exact_bytes(m);
  } else if (st == HK_OK) {
    st = hki_tree_cost(ctx, m, false, most, out);
    if (st == HK_OK) st = hki_deep_cost(ctx, m, false, out);
    out->bytes += sparse_bytes(t);
    out->seconds *= 2.0;
  }
  hki_topological_destroy(t);
  return st;
}

void hki_topological_destroy(hk_topological *t) {
  if (!t) return;
  hki_pencil_destroy(&t->pencil);
  if (t->reduced) hki_ldl_destroy(t->reduced);
  if (t->normal) hki_ldl_destroy(t->normal);
  if (t->pool) hki_pool_destroy(t->pool);
  hki_tree_destroy(t->s);
  hki_free(t->ctx, t->block);
  hki_free(t->ctx, t);
}
