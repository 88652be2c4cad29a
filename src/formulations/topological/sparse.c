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
 *   (T + Phi_z' alpha Phi_z) dx = -Phi_z' alpha Phi_z x     until Phi_z x = 0
 *
 * That no matrix between two positions is singular (group.c) is the same as
 *
 *   P_d1 P_d0' + P_d0 P_d1' positive definite
 *
 * because W + W' = P_d0^-1 (P_d1 P_d0' + P_d0 P_d1') P_d0^-T.
 */
#include "formulations/topological/topological.h"

/* of the rows in T, relative to the inertia that they feel */
static const double penalty = 1e6;

/* --- analysis --------------------------------------------------------------------------------- */

/* blocks of rows of a group that share a coordinate: one for each pair of closures and coordinate;
 * with t->share NULL it only counts. first, next: paths by coordinates (lists) */
static void find_shares(hk_topological *t, const hk_topological_group *g, hk_pattern *p) {
  const hk_model *m = t->s->m;
  int32_t at = g->at;
  for (int32_t i = 0; i < g->nclo; i++) {
    const hk_closure *c = &m->closures[g->clo[i]];
    int32_t bt = g->at;
    for (int32_t k = 0; k <= i; k++) {
      const hk_closure *d = &m->closures[g->clo[k]];
      bool shared = false;
      for (int32_t x = 0, y = 0; x < c->path.n && y < d->path.n;) {
        const int32_t u = c->path.dof[x], v = d->path.dof[y];
        if (u == v) {
          shared = true;
          if (t->share)
            t->share[t->nshare] = (hk_topological_share){
                u, at + x, c->path.n, bt + y, d->path.n, c->row0, c->nrows, d->row0, d->nrows};
          t->nshare++;
        }
        if (u <= v) x++;
        if (v <= u) y++;
      }
      if (shared && p) {
        int32_t rows[2 * HK_JOINT_MAX], n = 0;
        for (int32_t r = 0; r < c->nrows; r++) rows[n++] = c->row0 + r;
        for (int32_t r = 0; k < i && r < d->nrows; r++) rows[n++] = d->row0 + r;
        hki_pattern_clique(p, n, rows);
      }
      bt += d->nrows * d->path.n;
    }
    at += c->nrows * c->path.n;
  }
}

/* are the coordinates of all paths in order? */
static bool ordered(const hk_model *m) {
  for (int32_t c = 0; c < m->nc; c++)
    for (int32_t i = 1; i < m->closures[c].path.n; i++)
      if (m->closures[c].path.dof[i] <= m->closures[c].path.dof[i - 1]) return false;
  return true;
}

hk_status hki_topological_analyse_rows(hk_topological *t) {
  const hk_model *m = t->s->m;
  double dense = 0.0;
  int32_t most = 0, slots = 0;
  for (int32_t i = 0; i < t->ngroup; i++) {
    const double r = t->group[i].m < t->group[i].n ? t->group[i].m : t->group[i].n;
    dense += r * r * r;
    if (r > most) most = (int32_t)r;
  }
  if (most <= 2 * HK_TOPOLOGICAL_SMALL || m->nrate || !ordered(m)) return HK_OK;
  hk_pattern p;
  hki_pattern_init(&p, t->ctx, m->nrows);
  for (int32_t i = 0; i < t->ngroup; i++) find_shares(t, &t->group[i], &p);
  hk_status st = p.status;
  if (st == HK_OK) st = hki_ldl_create(t->ctx, &p, NULL, &t->normal);
  hki_pattern_free(&p);
  if (st != HK_OK) return st;
  hk_ldl_stats a, b;
  hki_ldl_get_stats(t->normal, &a);
  hki_ldl_get_stats(t->s->ldl, &b);
  t->sparse = dense > 10.0 * (a.work + b.work);
  if (!t->sparse) return HK_OK;
  t->share = hki_pool_alloc(t->pool, ((size_t)t->nshare + 1) * sizeof *t->share);
  if (!t->share) return HK_E_MEMORY;
  t->nshare = 0;
  for (int32_t i = 0; i < t->ngroup; i++) find_shares(t, &t->group[i], NULL);
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
  return HK_OK;
}

void hki_topological_layout_rows(hk_topological *t, hk_arena *a) {
  const hk_model *m = t->s->m;
  if (!t->sparse) return;
  hki_ldl_layout(t->normal, a, &t->nnum);
  hki_ldl_layout(t->normal, a, &t->between);
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

/* x[dof] += P' y in the dependents */
static void rows_back(const hk_topological *t, const double *y, double *x) {
  for (int32_t gi = 0; gi < t->ngroup; gi++) {
    const hk_topological_group *g = &t->group[gi];
    const double *P = g->G;
    for (int32_t i = 0; i < g->nclo; i++) {
      const hk_closure *c = &t->s->m->closures[g->clo[i]];
      for (int32_t r = 0; r < c->nrows; r++, P += c->path.n)
        for (int32_t j = 0; j < c->path.n; j++)
          if (t->dep[c->path.dof[j]]) x[c->path.dof[j]] += P[j] * y[c->row0 + r];
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
    rows_back(t, z, t->xs);
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

void hki_topological_forces_rows(hk_topological *t, const double *r, double *lam) {
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
    rows_back(t, lam, t->xs);
  }
  for (int32_t i = 0; i < n; i++) lam[i] *= t->use[i] ? t->rs[i] : 0.0;
}

/* largest scaled entry of P_d^-1 P_i of each group */
void hki_topological_speeds(hk_topological *t) {
  for (int32_t gi = 0; gi < t->ngroup; gi++) {
    hk_topological_group *g = &t->group[gi];
    g->speed = 0.0;
    for (int32_t j = g->rank; j < g->n; j++) {
      memset(t->z1, 0, (size_t)t->s->m->nrows * sizeof *t->z1);
      const double *P = g->G;
      for (int32_t i = 0; i < g->nclo; i++) {
        const hk_closure *c = &t->s->m->closures[g->clo[i]];
        for (int32_t x = 0; x < c->path.n; x++)
          for (int32_t r = 0; c->path.dof[x] == g->dof[j] && r < c->nrows; r++)
            t->z1[c->row0 + r] = P[r * c->path.n + x];
        P += c->nrows * c->path.n;
      }
      solve_rows(t, t->z1, 1);
      for (int32_t k = 0; k < g->rank; k++) g->speed = fmax(g->speed, fabs(t->xs[g->dof[k]]));
    }
  }
}

hk_status hki_topological_factor_tree(hk_topological *t) {
  hki_tree_penalty(t->s, penalty, 1.0);
  hki_tree_add_closures(t->s, 1.0);
  return hki_tree_factor(t->s);
}

/* x and its rows s->row, which nearly depend on each other */
static void close_slow(hk_topological *t, double left, double size, double *x) {
  if (HK_CLOSES_SLOW && left > HK_SLOW_TIMES * HK_TREE_CLOSED * size)
    (void)hki_tree_close_slow(t->s, 1.0, 0.0, t->s->row, x);
}

void hki_topological_solve_tree(hk_topological *t, double *x) {
  hk_tree *s = t->s;
  double before = INFINITY, size = 0.0;
  hki_ldl_solve(s->ldl, &s->num, x);
  for (int32_t i = 0; i < s->m->nv; i++) size = fmax(size, fabs(x[i]) * t->unscale[i]);
  for (int pass = 0; pass < 12; pass++) {
    hki_tree_rows(s, x, s->row);
    const double left = hki_tree_row_norm(s, s->row);
    if (!(left > 1e-13 * size)) return;
    if (pass > 1 && left > 0.5 * before) {
      close_slow(t, left, size, x);
      return;
    }
    before = left;
    for (int32_t i = 0; i < s->m->nrows; i++) s->row[i] *= -s->alpha[i];
    memset(t->xs, 0, (size_t)s->m->nv * sizeof *t->xs);
    hki_tree_add_factored(s, s->row,
                          t->xs); // the factors are stiff in these rows, and in no others
    hki_ldl_solve(s->ldl, &s->num, t->xs);
    for (int32_t i = 0; i < s->m->nv; i++) x[i] += t->xs[i];
  }
}
