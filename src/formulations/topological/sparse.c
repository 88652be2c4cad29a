/* SPDX-License-Identifier: Apache-2.0
 *
 * sparse.c: large groups of loops without full matrices. A row of N four-bars is one group of 2 N rows,
 * but each row has the coordinates of its own loop alone. With P_d, the scaled Phi_d, kept by its
 * entries:
 *
 *   P_d x = y           x = P_d' (P_d P_d')^-1 y, once more with y - P_d x
 *   P_d' z = y          z = (P_d P_d')^-1 P_d y, once more with y - P_d' z
 *
 * P_d P_d' is positive definite, and its pattern, that of the rows that share coordinates, does not depend on the
 * choice. The reduced matrix is not formed: T with penalties in the pattern of the tree, iterated on
 * the rows, gives
 *
 *   R2 (R2' T R2)^-1 R2' b = x,     T x + Phi_z' lam = b,   Phi_z x = 0
 *   (T + Phi_z' alpha Phi_z) u = Phi_z' p,   x -= u (alpha Phi_z x, Phi_z x)/(p, Phi_z u)     until Phi_z x = 0
 *
 * with directions p = alpha Phi_z x of conjugate gradients. Three passes, as many as without them, where rows are
 * independent; tall lifts have rows that nearly are not, in which a pass along alpha Phi_z x alone hardly moves. What these
 * passes do not close goes to conjugate residuals (linalg/conjugate.h).
 *
 * That no matrix between two positions is singular (group.c) is the same as
 *
 *   P_d1 P_d0' + P_d0 P_d1' positive definite
 *
 * because W + W' = P_d0^-1 (P_d1 P_d0' + P_d0 P_d1') P_d0^-T.
 */
#include <stdlib.h>

#include "machines/tree/deep.h"
#include "formulations/topological/topological.h"

/* of the rows in T, relative to the inertia that they feel */
static const double penalty = 1e6;

/* passes over the rows: at most so many, so many that do not halve the largest of them */
enum { MOST_PASSES = 100, PATIENCE = 10 };

/* how many times less than the matrix of the tree fronts must cost: full matrices, which take its place, cost more */
static const double fronts_gain = 0.25;

/* groups of so many rows have full matrices wherever the tree has one; trees whose matrix takes fewer multiplications
 * have it */
enum { SMALL = 2 * HK_TOPOLOGICAL_SMALL };
static const double deep_tree = 1e5;

/* multiplications of a full matrix of a group in the time of one in a small front; of one in the matrix of a tree */
static const double small_front = 3.0, large_panel = 0.3;

/* --- analysis --------------------------------------------------------------------------------- */

/* an entry of a closure's path, by coordinates */
typedef struct use {
  int32_t closure, at, entry; /* of the model; first entry in G; place in the path */
} use;

static int by_rows(const void *a, const void *b) {
  const hk_topological_share *x = a, *y = b;
  if (x->row_b != y->row_b) return x->row_b < y->row_b ? -1 : 1;
  return (x->dof > y->dof) - (x->dof < y->dof);
}

/* list: paths of the closures of all groups by coordinates, from first[dof] on; first: nv + 1. Returns the number of
 * pairs, each closure with itself too. */
static int64_t list_uses(const hk_topological *t, use *list, int32_t *first) {
  const hk_model *m = t->s->m;
  int64_t pairs = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t gi = 0; gi < t->ngroup; gi++) {
      const hk_topological_group *g = &t->group[gi];
      for (int32_t i = 0, at = g->at; i < g->nclo; i++) {
        const hk_closure *c = &m->closures[g->clo[i]];
        for (int32_t x = 0; x < c->path.n; x++)
          if (pass)
            list[first[c->path.dof[x]]++] = (use){g->clo[i], at, x};
          else
            first[c->path.dof[x] + 1]++;
        at += c->nrows * c->path.n;
      }
    }
    for (int32_t i = 0; !pass && i < m->nv; i++) {
      pairs += (int64_t)first[i + 1] * (first[i + 1] + 1) / 2;
      first[i + 1] += first[i];
    }
  }
  for (int32_t i = m->nv; i > 0; i--) first[i] = first[i - 1];
  first[0] = 0;
  return pairs;
}

/* t->share: blocks of rows that share a coordinate, one for each pair of closures and coordinate, in the order of
 * closures and coordinates */
static void list_shares(hk_topological *t, const use *list, const int32_t *first) {
  const hk_model *m = t->s->m;
  for (int32_t gi = 0; gi < t->ngroup; gi++) {
    const hk_topological_group *g = &t->group[gi];
    for (int32_t i = 0, at = g->at; i < g->nclo; i++) {
      const hk_closure *c = &m->closures[g->clo[i]];
      const int32_t begin = t->nshare;
      for (int32_t x = 0; x < c->path.n; x++) {
        const int32_t dof = c->path.dof[x];
        for (const use *u = list + first[dof]; u < list + first[dof + 1]; u++) {
          const hk_closure *d = &m->closures[u->closure];
          if (u->at > at) break; // of a closure behind this one
          t->share[t->nshare++] =
              (hk_topological_share){dof,     at + x,   c->path.n, u->at + u->entry, d->path.n,
                                     c->row0, c->nrows, d->row0,   d->nrows};
        }
      }
      qsort(t->share + begin, (size_t)(t->nshare - begin), sizeof *t->share, by_rows);
      at += c->nrows * c->path.n;
    }
  }
}

/* the shares of all groups */
static hk_status find_shares(hk_topological *t) {
  const hk_model *m = t->s->m;
  int32_t entries = 0;
  for (int32_t c = 0; c < m->nc; c++) entries += m->closures[c].path.n;
  use *list = hki_alloc(t->ctx, ((size_t)entries + 1) * sizeof *list);
  int32_t *first = hki_alloc(t->ctx, ((size_t)m->nv + 2) * sizeof *first);
  const int64_t pairs = list && first ? list_uses(t, list, first) : 0;
  if (list && first && pairs < INT32_MAX)
    t->share = hki_pool_alloc(t->pool, ((size_t)pairs + 1) * sizeof *t->share);
  if (t->share) list_shares(t, list, first);
  hki_free(t->ctx, list), hki_free(t->ctx, first);
  return t->share ? HK_OK : HK_E_MEMORY;
}

/* t->normal: pattern of P P', of all rows that share coordinates */
static hk_status analyse_normal(hk_topological *t) {
  hk_pattern p;
  hki_pattern_init(&p, t->ctx, t->s->m->nrows);
  for (int32_t i = 0; i < t->nshare; i++) {
    const hk_topological_share *s = &t->share[i];
    int32_t rows[2 * HK_JOINT_MAX], n = 0;
    if (i && s[-1].row_a == s->row_a && s[-1].row_b == s->row_b) continue;
    for (int32_t r = 0; r < s->na; r++) rows[n++] = s->row_a + r;
    for (int32_t r = 0; s->row_b != s->row_a && r < s->nb; r++) rows[n++] = s->row_b + r;
    hki_pattern_clique(&p, n, rows);
  }
  hk_status st = p.status;
  if (st == HK_OK) st = hki_ldl_create(t->ctx, &p, NULL, &t->normal);
  hki_pattern_free(&p);
  return st;
}

/* are full matrices so much more work than sparse rows with so much for the tree? */
static bool full_cost_more(const hk_topological *t, double full, double tree) {
  hk_ldl_stats stats;
  hki_ldl_get_stats(t->normal, &stats);
  return full > 10.0 * (stats.work + tree);
}

hk_status hki_topological_analyse_rows(hk_topological *t) {
  const hk_model *m = t->s->m;
  const double tree = hki_tree_mass_work(m);
  hk_front f;
  bool found = false;
  for (int32_t i = 0; i < t->ngroup; i++) {
    const double r = t->group[i].m < t->group[i].n ? t->group[i].m : t->group[i].n;
    t->full += r * r * r;
    if (r > t->most) t->most = (int32_t)r;
  }
  if (m->nrate || !t->ngroup || (t->most <= SMALL && tree < deep_tree)) return HK_OK;
  hk_status st = find_shares(t);
  if (st == HK_OK) st = analyse_normal(t);
  if (st == HK_OK) st = hki_deep_suits(t->ctx, m, t->par.tangent, fronts_gain, &t->deep);
  if (st == HK_OK && t->deep) st = hki_front_count(t->ctx, m, INFINITY, &f, &found);
  // full matrices are those of the groups and of the tree
  t->deep = found && full_cost_more(t, t->full + large_panel * tree, small_front * f.work);
  t->sparse = t->deep;
  return st;
}

void hki_topological_prefer_rows(hk_topological *t) {
  hk_ldl_stats stats;
  if (!t->normal || t->most <= SMALL) return;
  hki_ldl_get_stats(t->s->ldl, &stats);
  t->sparse = full_cost_more(t, t->full, stats.work);
}

/* rows by their entries, and in the order of elimination by groups */
static hk_status list_turns(hk_topological *t) {
  const hk_model *m = t->s->m;
  const size_t n = (size_t)m->nrows + 1;
  int32_t *turn = hki_pool_alloc(t->pool, 4 * n * sizeof *turn), entries = 0;
  if (!turn) return HK_E_MEMORY;
  t->row_at = turn + n;
  int32_t *group = turn + 2 * n, *place = turn + 3 * n, *next = turn;
  for (size_t i = 0; i < n; i++) group[i] = HK_NONE;
  for (int32_t gi = 0; gi < t->ngroup; gi++) {
    hk_topological_group *g = &t->group[gi];
    for (int32_t i = 0; i < g->m; i++) group[g->row[i]] = gi, place[g->row[i]] = i;
    for (int32_t i = 0; i < g->nclo; i++) {
      const hk_closure *c = &m->closures[g->clo[i]];
      for (int32_t r = c->row0; r < c->row0 + c->nrows; r++, entries += c->path.n)
        t->row_at[r] = entries;
    }
    g->turn = next, next += g->m;
  }
  int32_t *met = hki_pool_alloc(t->pool, ((size_t)t->ngroup + 1) * sizeof *met);
  if (!met) return HK_E_MEMORY;
  const int32_t *order = hki_ldl_order(t->normal);
  for (int32_t i = 0; i < m->nrows; i++) {
    const int32_t gi = group[order[i]];
    if (gi != HK_NONE) turn[t->group[gi].turn - turn + met[gi]++] = place[order[i]];
  }
  return HK_OK;
}

hk_status hki_topological_list_rows(hk_topological *t) {
  const hk_model *m = t->s->m;
  int32_t slots = 0;
  for (int32_t i = 0; i < t->nshare; i++) slots += t->share[i].na * t->share[i].nb;
  t->share_slot = hki_pool_alloc(t->pool, ((size_t)slots + 1) * sizeof *t->share_slot);
  t->row_diag = hki_pool_alloc(t->pool, ((size_t)m->nrows + 1) * sizeof *t->row_diag);
  if (!t->share_slot || !t->row_diag) return HK_E_MEMORY;
  int32_t *slot = t->share_slot;
  for (int32_t i = 0; i < t->nshare; i++)
    for (int32_t x = 0; x < t->share[i].na; x++)
      for (int32_t y = 0; y < t->share[i].nb; y++)
        *slot++ = hki_ldl_entry(t->normal, t->share[i].row_a + x, t->share[i].row_b + y);
  for (int32_t i = 0; i < m->nrows; i++) t->row_diag[i] = hki_ldl_entry(t->normal, i, i);
  return list_turns(t);
}

void hki_topological_layout_rows(hk_topological *t, hk_arena *a) {
  const hk_model *m = t->s->m;
  hki_ldl_layout(t->normal, a, &t->nnum);
  hki_ldl_layout(t->normal, a, &t->between);
  hki_topological_layout_fill(t, a);
  t->dep = HK_TAKE(a, uint8_t, m->nv);
  t->use = HK_TAKE(a, uint8_t, m->nrows);
  t->rs = HK_TAKE(a, double, m->nrows);
  t->z1 = HK_TAKE(a, double, m->nrows);
  t->z2 = HK_TAKE(a, double, m->nrows);
  t->xs = HK_TAKE(a, double, m->nv);
}

/* --- products with the rows that are pivots --------------------------------------------------- */

/* calls of `each closure of each group`: y[row] = sum over coordinates of kind `dep` of P x */
static void rows_times(const hk_topological *t, uint8_t dep, const double *x, double *y) {
  for (int32_t gi = 0; gi < t->ngroup; gi++) {
    const hk_topological_group *g = &t->group[gi];
    const double *P = g->G;
    for (int32_t i = 0; i < g->nclo; i++) {
      const hk_closure *c = &t->s->m->closures[g->clo[i]];
      for (int32_t r = 0; r < c->nrows; r++, P += c->path.n) {
        double sum = 0.0;
        for (int32_t j = 0; j < c->path.n; j++)
          if (t->dep[c->path.dof[j]] == dep) sum += P[j] * x[c->path.dof[j]];
        y[c->row0 + r] = sum;
      }
    }
  }
}

/* x[dof] += P' y in the coordinates of kind `dep` */
static void rows_back(const hk_topological *t, uint8_t dep, const double *y, double *x) {
  for (int32_t gi = 0; gi < t->ngroup; gi++) {
    const hk_topological_group *g = &t->group[gi];
    const double *P = g->G;
    for (int32_t i = 0; i < g->nclo; i++) {
      const hk_closure *c = &t->s->m->closures[g->clo[i]];
      for (int32_t r = 0; r < c->nrows; r++, P += c->path.n)
        for (int32_t j = 0; j < c->path.n; j++)
          if (t->dep[c->path.dof[j]] == dep) x[c->path.dof[j]] += P[j] * y[c->row0 + r];
    }
  }
}

/* val of num = A B' + B A' (B NULL: A A'), A and B rows as of g->G of the groups: A at present, B
 * before */
static void assemble(hk_topological *t, hk_ldl_num *num, const double *A, const double *B) {
  const int32_t *slot = t->share_slot;
  hki_ldl_zero(t->normal, num);
  for (int32_t i = 0; i < t->nshare; i++) {
    const hk_topological_share *s = &t->share[i];
    const int32_t na = s->na, nb = s->nb;
    const bool same = s->row_a == s->row_b;
    for (int32_t x = 0; t->dep[s->dof] && x < na; x++) {
      if (!t->use[s->row_a + x]) continue;
      const double a = A[s->a + x * s->stride_a], a0 = B ? B[s->a + x * s->stride_a] : 0.0;
      for (int32_t y = 0; y < (same ? x + 1 : nb); y++) {
        if (!t->use[s->row_b + y]) continue;
        const double b = A[s->b + y * s->stride_b];
        num->val[slot[x * nb + y]] += B ? a * B[s->b + y * s->stride_b] + a0 * b : a * b;
      }
    }
    slot += na * nb;
  }
  // rows without a pivot are alone
  for (int32_t i = 0; i < t->s->m->nrows; i++)
    if (!t->use[i]) num->val[t->row_diag[i]] += 1.0;
}

/* --- the choice ------------------------------------------------------------------------------- */

void hki_topological_mark_rows(hk_topological *t) {
  const hk_model *m = t->s->m;
  memset(t->dep, 0, (size_t)m->nv * sizeof *t->dep);
  memset(t->use, 0, (size_t)m->nrows * sizeof *t->use);
  for (int32_t gi = 0; gi < t->ngroup; gi++) {
    const hk_topological_group *g = &t->group[gi];
    const double *rs = hki_topological_scales(g);
    for (int32_t i = 0; i < g->m; i++) t->rs[g->row[i]] = rs[i];
    for (int32_t k = 0; k < g->rank; k++) t->dep[g->dof[k]] = t->use[g->used[k]] = 1;
  }
}

/* smallest over largest pivot of the group's rows: P_d P_d' has their squares */
static void find_ratios(hk_topological *t) {
  const int32_t *order = hki_ldl_order(t->normal);
  for (int32_t i = 0; i < t->s->m->nrows; i++) t->z1[order[i]] = t->nnum.inv[i];
  for (int32_t gi = 0; gi < t->ngroup; gi++) {
    hk_topological_group *g = &t->group[gi];
    double low = INFINITY, high = 0.0;
    for (int32_t k = 0; k < g->rank; k++) {
      low = fmin(low, t->z1[g->used[k]]);
      high = fmax(high, t->z1[g->used[k]]);
    }
    g->ratio = g->rank ? sqrt(low / high) : 1.0;
  }
}

hk_status hki_topological_factor_rows(hk_topological *t, const double *D) {
  for (int32_t gi = 0; gi < t->ngroup; gi++) {
    hk_topological_group *g = &t->group[gi];
    double *P = g->G;
    hki_topological_rows(t, g, D, P);
    for (int32_t i = 0; i < g->nclo; i++) {
      const hk_closure *c = &t->s->m->closures[g->clo[i]];
      for (int32_t r = 0; r < c->nrows; r++, P += c->path.n)
        if (!t->use[c->row0 + r]) memset(P, 0, (size_t)c->path.n * sizeof *P);
    }
  }
  assemble(t, &t->nnum, t->group[0].G, NULL);
  if (hki_ldl_factor(t->normal, &t->nnum, t->nnum.val) != HK_OK || t->nnum.negative)
    return HK_RETRY;
  find_ratios(t);
  return HK_OK;
}

bool hki_topological_regular(hk_topological *t, const double *before) {
  assemble(t, &t->between, t->group[0].G, before);
  // a row without a pivot adds one, not two: still positive
  return hki_ldl_factor(t->normal, &t->between, t->between.val) == HK_OK && !t->between.negative;
}

/* --- solutions -------------------------------------------------------------------------------- */

/* xs = P_d^-1 y (nrows); passes: 2, or 1 where the square of the condition may be lost */
static void solve_rows(hk_topological *t, const double *y, int passes) {
  const int32_t n = t->s->m->nrows;
  memset(t->xs, 0, (size_t)t->s->m->nv * sizeof *t->xs);
  for (int pass = 0; pass < passes; pass++) {
    double *z = t->z2;
    if (pass) rows_times(t, 1, t->xs, z);
    for (int32_t i = 0; i < n; i++) z[i] = !t->use[i] ? 0.0 : pass ? y[i] - z[i] : y[i];
    hki_ldl_solve(t->normal, &t->nnum, z);
    rows_back(t, 1, z, t->xs);
  }
}

/* x_d -= xs, scaled back */
static void subtract(const hk_topological *t, double *x) {
  for (int32_t i = 0; i < t->s->m->nv; i++)
    if (t->dep[i]) x[i] -= t->xs[i] * t->s->scale[i];
}

void hki_topological_complete_rows(hk_topological *t, const double *b, double *x) {
  const hk_tree *s = t->s;
  for (int32_t i = 0; i < s->m->nv; i++) t->xs[i] = x[i] * t->unscale[i];
  rows_times(t, 0, t->xs, t->z1);
  for (int32_t i = 0; i < s->m->nrows; i++) t->z1[i] = t->use[i] ? t->z1[i] + t->rs[i] * b[i] : 0.0;
  solve_rows(t, t->z1, 2);
  for (int32_t i = 0; i < s->m->nv; i++)
    if (t->dep[i]) x[i] = 0.0;
  subtract(t, x);
}

double hki_topological_open_rows(hk_topological *t, double *x) {
  const hk_tree *s = t->s;
  double worst = 0.0;
  memset(x, 0, (size_t)s->m->nv * sizeof *x);
  for (int32_t i = 0; i < s->m->nrows; i++) t->z1[i] = t->use[i] ? t->rs[i] * s->kin.phi[i] : 0.0;
  solve_rows(t, t->z1, 1);
  subtract(t, x);
  for (int32_t i = 0; i < s->m->nv; i++) {
    const double e = t->dep[i] ? fabs(t->xs[i]) : 0.0;
    if (!(e <= worst)) worst = e;
  }
  return worst;
}

/* lam, of scaled rows: P_d' lam + (scale r)_d = 0 */
static void balance(hk_topological *t, const double *r, double *lam) {
  const hk_tree *s = t->s;
  const int32_t n = s->m->nrows, nv = s->m->nv;
  memset(lam, 0, (size_t)n * sizeof *lam);
  memset(t->xs, 0, (size_t)nv * sizeof *t->xs);
  for (int pass = 0; pass < 2; pass++) {
    // xs = P_d' lam so far; y = -r - xs
    for (int32_t i = 0; i < nv; i++) t->xs[i] = -s->scale[i] * r[i] - t->xs[i];
    rows_times(t, 1, t->xs, t->z2);
    for (int32_t i = 0; i < n; i++)
      if (!t->use[i]) t->z2[i] = 0.0;
    hki_ldl_solve(t->normal, &t->nnum, t->z2);
    for (int32_t i = 0; i < n; i++) lam[i] += t->z2[i];
    memset(t->xs, 0, (size_t)nv * sizeof *t->xs);
    if (!pass) rows_back(t, 1, lam, t->xs);
  }
}

void hki_topological_forces_rows(hk_topological *t, const double *r, double *lam) {
  balance(t, r, lam);
  for (int32_t i = 0; i < t->s->m->nrows; i++) lam[i] *= t->use[i] ? t->rs[i] : 0.0;
}

void hki_topological_reduce_rows(hk_topological *t, double *r) {
  balance(t, r, t->z1);
  rows_back(t, 0, t->z1, t->xs);
  for (int32_t i = 0; i < t->s->m->nv; i++)
    r[i] = t->dep[i] ? 0.0 : r[i] + t->xs[i] * t->unscale[i];
}

/* z1[row] = entries of the rows of a group in coordinate `dof` */
static void take_column(hk_topological *t, const hk_topological_group *g, int32_t dof) {
  const double *P = g->G;
  for (int32_t i = 0; i < g->nclo; i++) {
    const hk_closure *c = &t->s->m->closures[g->clo[i]];
    for (int32_t x = 0; x < c->path.n; x++)
      for (int32_t r = 0; c->path.dof[x] == dof && r < c->nrows; r++)
        t->z1[c->row0 + r] = P[r * c->path.n + x];
    P += c->nrows * c->path.n;
  }
}

/* largest scaled entry of P_d^-1 P_i of each group; groups share no rows and no coordinates: one solution has a column of
 * each */
void hki_topological_speeds(hk_topological *t) {
  int32_t most = 0;
  for (int32_t gi = 0; gi < t->ngroup; gi++) {
    hk_topological_group *g = &t->group[gi];
    g->speed = 0.0;
    if (g->n - g->rank > most) most = g->n - g->rank;
  }
  for (int32_t j = 0; j < most; j++) {
    memset(t->z1, 0, (size_t)t->s->m->nrows * sizeof *t->z1);
    for (int32_t gi = 0; gi < t->ngroup; gi++) {
      const hk_topological_group *g = &t->group[gi];
      if (g->rank + j < g->n) take_column(t, g, g->dof[g->rank + j]);
    }
    solve_rows(t, t->z1, 1);
    for (int32_t gi = 0; gi < t->ngroup; gi++) {
      hk_topological_group *g = &t->group[gi];
      for (int32_t k = 0; k < g->rank; k++) g->speed = fmax(g->speed, fabs(t->xs[g->dof[k]]));
    }
  }
}

hk_status hki_topological_factor_tree(hk_topological *t) {
  hki_tree_penalty(t->s, penalty, 1.0);
  hki_tree_add_closures(t->s, 1.0);
  return hki_tree_factor(t->s);
}

/* x = T^-1 x with T as factorised; returns its scaled size */
static double begin_solution(hk_topological *t, double *x) {
  double size = 0.0;
  hki_tree_solve(t->s, x);
  for (int32_t i = 0; i < t->s->m->nv; i++) size = fmax(size, fabs(x[i]) * t->unscale[i]);
  return size;
}

/* xs = T^-1 Phi_z' p, with the rows that T is made of: it is stiff in no others */
static void respond(hk_topological *t, const double *p) {
  memset(t->xs, 0, (size_t)t->s->m->nv * sizeof *t->xs);
  hki_tree_add_factored(t->s, p, t->xs);
  hki_tree_solve(t->s, t->xs);
}

/* largest scaled entry of the rows that have pivots; the others follow from them, or are nothing but round-off */
static double largest_row(const hk_topological *t, const double *r) {
  double most = 0.0;
  for (int32_t i = 0; i < t->s->m->nrows; i++) {
    const double e = t->use[i] ? fabs(r[i]) * t->s->reach[i] : 0.0;
    if (!(e <= most)) most = e; // also catches NaN
  }
  return most;
}

/* x and its rows, which are still open: they nearly depend on each other */
static void close_slow(hk_topological *t, double size, double *x) {
  hki_tree_rows_factored(t->s, x, t->s->row);
  if (HK_CLOSES_SLOW && largest_row(t, t->s->row) > HK_SLOW_TIMES * HK_TREE_CLOSED * size)
    (void)hki_tree_close_slow(t->s, 1.0, 0.0, t->s->row, x);
}

void hki_topological_solve_tree(hk_topological *t, double least, double *x) {
  hk_tree *s = t->s;
  const int32_t n = s->m->nrows;
  double *r = t->z1, *p = t->z2, *q = s->row, last = 0.0, best = INFINITY;
  const double size = begin_solution(t, x), enough = fmax(1e-13 * size, least);
  hki_tree_rows_factored(s, x, r);
  for (int pass = 0, stuck = 0; pass < MOST_PASSES; pass++) {
    const double left = largest_row(t, r);
    if (!(left > enough)) return;
    stuck = left > 0.5 * best ? stuck + 1 : 0;
    if (stuck > (left > 1e3 * enough ? PATIENCE : 0))
      break; // round-off, or rows that nearly depend on each other
    best = fmin(best, left);
    double now = 0.0, along = 0.0;
    for (int32_t i = 0; i < n; i++) now += s->alpha[i] * r[i] * r[i];
    for (int32_t i = 0; i < n; i++) p[i] = s->alpha[i] * r[i] + (pass ? now / last * p[i] : 0.0);
    last = now;
    respond(t, p);
    hki_tree_rows_factored(s, t->xs, q);
    for (int32_t i = 0; i < n; i++) along += p[i] * q[i];
    if (!(along > 0.0)) break;
    for (int32_t i = 0; i < n; i++) r[i] -= now / along * q[i];
    for (int32_t i = 0; i < s->m->nv; i++) x[i] -= now / along * t->xs[i];
  }
  close_slow(t, size, x);
}
