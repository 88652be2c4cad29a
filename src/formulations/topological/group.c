/* SPDX-License-Identifier: Apache-2.0
 *
 * group.c: which coordinates of a group of closures are independent, and the second velocity
 * transformation that follows.
 *
 * The choice is that of an elimination with full pivoting on Phi_z: pivot columns are dependent,
 * pivot rows are used, rows without a pivot are redundant and must hold by themselves. It stays
 * while it is good, which is judged at every accepted position by two numbers:
 *
 *   ratio   smallest over largest pivot of Phi_d
 *   speed   largest scaled entry of Phi_d^-1 Phi_i: how many times faster a dependent coordinate
 *           moves than an independent one
 *
 * A step must not jump over a singular position unnoticed. With Phi_d0, Phi_d1 at its ends and
 * W = Phi_d0^-1 Phi_d1, all matrices between the two are regular if W + W' is positive definite:
 *
 *   x' ((1 - s) + s W) x > 0        for 0 <= s <= 1
 *
 * Otherwise the step is refused and repeated in smaller parts.
 */
#include <stdio.h>

#include "formulations/topological/topological.h"

static const double rank_tolerance = 1e-8; /* smallest pivot, relative to the first one */
static const double worse = 0.1; /* choose anew when ratio falls to this times the choice's */
static const double lost = 1e-4; /* rank is lost at this times the best ratio so far */
static const double redundant_open = 1e-6; /* scaled phi of a redundant row: above, rank changed */

/* parts of a group's persistent numbers (topological.h) */
static double *keep_cols(const hk_topological_group *g) { return g->persist + HK_TOPOLOGICAL_HEAD; }
static double *keep_rows(const hk_topological_group *g) { return keep_cols(g) + g->n; }
static double *keep_scale(const hk_topological_group *g) { return keep_rows(g) + g->m; }
static double *keep_before(const hk_topological_group *g) { return keep_scale(g) + g->m; }
double *hki_topological_scales(const hk_topological_group *g) { return keep_scale(g); }

/* names of the active loops of a group, for messages */
static void loop_words(const hk_topological *t, const hk_topological_group *g, char *buf,
                       size_t cap) {
  size_t len = 0;
  buf[0] = '\0';
  for (int32_t i = 0; i < g->nclo && len + 2 < cap; i++) {
    char name[200];
    if (t->s->kin.disc.active[g->clo[i]] == 0.0) continue;
    if (len > cap / 2) {
      snprintf(buf + len, cap - len, "; ...");
      return;
    }
    hki_model_loop_names(t->s->m, g->clo[i], name, sizeof name);
    snprintf(buf + len, cap - len, "%s%s", len ? "; " : "", name);
    len = strlen(buf);
  }
}

static hk_status lose_rank(hk_topological *t, const hk_topological_group *g, const char *what) {
  char loops[360];
  loop_words(t, g, loops, sizeof loops);
  snprintf(t->words, sizeof t->words,
           "the closures %s rank here (%s): formulation 'topological' cannot pass this singular "
           "position",
           what, loops);
  return HK_E_SINGULAR;
}

static hk_status jump(hk_topological *t, const hk_topological_group *g) {
  char loops[360];
  loop_words(t, g, loops, sizeof loops);
  snprintf(t->words, sizeof t->words,
           "within this step the closures lose rank or change too much (%s): formulation "
           "'topological' cannot pass a singular position; a smaller step may tell where it is",
           loops);
  return HK_RETRY;
}

/* dof and used, from the choice; the reduced matrix has other entries now */
static void index_group(hk_topological *t, hk_topological_group *g) {
  for (int32_t i = 0; i < g->n; i++) g->dof[i] = g->col[g->cols[i]];
  for (int32_t i = 0; i < g->m; i++) g->used[i] = g->row[g->rows[i]];
  t->clean = false;
}

/* order[i] = kept[i]; returns whether anything changed */
static bool take(int32_t n, int32_t *order, const double *kept) {
  bool changed = false;
  for (int32_t i = 0; i < n; i++) {
    int32_t x = (int32_t)kept[i];
    changed |= x != order[i];
    order[i] = x;
  }
  return changed;
}

void hki_topological_sync(hk_topological *t) {
  bool anew = false;
  for (int32_t gi = 0; gi < t->ngroup; gi++) {
    hk_topological_group *g = &t->group[gi];
    bool changed = take(1, &g->rank, &g->persist[HK_TOPOLOGICAL_RANK]);
    changed |= take(g->n, g->cols, keep_cols(g));
    changed |= take(g->m, g->rows, keep_rows(g));
    if (!changed) continue;
    index_group(t, g);
    anew = true;
  }
  if (anew && t->sparse) hki_topological_mark_rows(t);
}

/* entries p of a row in the three coordinates of a quaternion become those of Phi_z J(D) (J:
 * geometry/chart.h) */
static void chart_entries(const double *d, double *p) {
  double a, b, c, y[3], z[3];
  rot_series(v3_dot(d, d), &a, &b, &c);
  v3_cross(y, d, p);
  v3_cross(z, d, y);
  for (int k = 0; k < 3; k++) p[k] += b * y[k] + c * z[k];
}

void hki_topological_rows(hk_topological *t, const hk_topological_group *g, const double *D,
                          double *P) {
  const hk_kin *k = &t->s->kin;
  const double *rs = keep_scale(g), *scale = t->s->scale;
  for (int32_t i = 0; i < g->nclo; i++) {
    const hk_closure *c = &k->m->closures[g->clo[i]];
    const double *gz = k->gz + k->gz0[g->clo[i]];
    const bool on = k->disc.active[g->clo[i]] != 0.0;
    const int32_t n = c->path.n, *dof = c->path.dof;
    for (int32_t r = 0; r < c->nrows; r++, gz += n, P += n, rs++) {
      for (int32_t j = 0; j < n; j++) P[j] = on ? gz[j] * scale[dof[j]] * *rs : 0.0;
      for (int32_t j = 0; D && on && g->nrotation && j + 2 < n; j++)
        if (t->s->quat[dof[j]]) chart_entries(D + dof[j], P + j), j += 2;
    }
  }
}

/* P (m x n): the rows with entries G, in the columns of the group */
static void spread(const hk_topological *t, const hk_topological_group *g, const double *G,
                   double *P) {
  const int32_t *place = g->place;
  memset(P, 0, (size_t)(g->m * g->n) * sizeof *P);
  for (int32_t i = 0, row = 0; i < g->nclo; i++) {
    const hk_closure *c = &t->s->m->closures[g->clo[i]];
    for (int32_t r = 0; r < c->nrows; r++, row++, G += c->path.n)
      for (int32_t j = 0; j < c->path.n; j++) P[row * g->n + place[j]] = G[j];
    place += c->path.n;
  }
}

/* g->G, g->P: scaled Phi_z of a group; D: increments of a chart stage, or NULL */
static void gather(hk_topological *t, hk_topological_group *g, const double *D) {
  hki_topological_rows(t, g, D, g->G);
  spread(t, g, g->G, g->P);
}

/* A = Phi_d of the scaled rows P, column-major */
static void dependent_columns(const hk_topological_group *g, const double *P, double *A,
                              int32_t ld) {
  memset(A, 0, (size_t)(ld * g->rank) * sizeof *A);
  for (int32_t j = 0; j < g->rank; j++)
    for (int32_t k = 0; k < g->rank; k++) A[k + j * ld] = P[g->rows[k] * g->n + g->cols[j]];
}

/* A = inverse of a small Phi_d (n = rank) by Gauss-Jordan elimination with row exchanges, inv = 1 /
 * pivots; false: a pivot vanishes. Inlined with n a constant for n = 4. */
static inline bool invert(hk_topological_group *g, int32_t n) {
  double M[HK_TOPOLOGICAL_SMALL * HK_TOPOLOGICAL_SMALL];
  int32_t from[HK_TOPOLOGICAL_SMALL];
  for (int32_t i = 0; i < n; i++) {
    const double *P = g->P + g->rows[i] * g->n;
    for (int32_t j = 0; j < n; j++) M[i * n + j] = P[g->cols[j]];
    from[i] = i;
  }
  for (int32_t k = 0; k < n; k++) {
    int32_t p = k;
    for (int32_t i = k + 1; i < n; i++)
      if (fabs(M[i * n + k]) > fabs(M[p * n + k])) p = i;
    double f = 1.0 / M[p * n + k], top[HK_TOPOLOGICAL_SMALL];
    if (!isfinite(f)) return false;
    g->inv[k] = f;
    M[p * n + k] = 1.0;
    for (int32_t j = 0; j < n; j++) {
      top[j] = M[p * n + j] * f;
      M[p * n + j] = M[k * n + j];
      M[k * n + j] = top[j];
    }
    int32_t row = from[p];
    from[p] = from[k], from[k] = row;
    for (int32_t i = 0; i < n; i++) {
      double e = M[i * n + k];
      if (i == k) continue;
      M[i * n + k] = 0.0;
      for (int32_t j = 0; j < n; j++) M[i * n + j] -= e * top[j];
    }
  }
  // row exchanges of Phi_d are column exchanges of its inverse
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++) g->A[i * n + from[j]] = M[i * n + j];
  return true;
}

/* A, inv and ratio of a group from its P; false: Phi_d is singular */
static bool factor_group(hk_topological *t, hk_topological_group *g) {
  double low = INFINITY, high = 0.0;
  g->ld = hki_dense_ld(g->rank);
  g->ratio = 1.0;
  if (!g->rank) return true;
  if (g->rank <= HK_TOPOLOGICAL_SMALL) {
    if (!(g->rank == 4 ? invert(g, 4) : invert(g, g->rank))) return false;
  } else {
    dependent_columns(g, g->P, g->A, g->ld);
    if (hki_dense_lu_factor(g->rank, g->A, g->ld, g->pivot, g->inv, t->work, NULL) != HK_OK)
      return false;
  }
  for (int32_t k = 0; k < g->rank; k++) {
    double p = fabs(g->inv[k]);
    low = p < low ? p : low;
    high = p > high ? p : high;
  }
  g->ratio = low / high;
  return isfinite(g->ratio);
}

/* x = A y, n x n row-major */
static inline void multiply(int32_t n, const double *A, const double *y, double *x) {
  for (int32_t i = 0; i < n; i++) {
    double sum = 0.0;
    for (int32_t j = 0; j < n; j++) sum += A[i * n + j] * y[j];
    x[i] = sum;
  }
}

/* y = Phi_d^-1 y */
static void solve_group(hk_topological *t, const hk_topological_group *g, double *y) {
  const int32_t n = g->rank;
  double x[HK_TOPOLOGICAL_SMALL];
  if (n > HK_TOPOLOGICAL_SMALL) {
    hki_dense_lu_solve(n, g->A, g->ld, g->pivot, g->inv, y, t->work);
    return;
  }
  if (n == 4) {
    multiply(4, g->A, y, x);
    memcpy(y, x, 4 * sizeof *y);
    return;
  }
  multiply(n, g->A, y, x);
  memcpy(y, x, (size_t)n * sizeof *y);
}

/* R and speed of a group */
static void ratios_group(hk_topological *t, hk_topological_group *g) {
  const int32_t f = g->n - g->rank, *dep = g->cols, *ind = g->cols + g->rank;
  const double *scale = t->s->scale;
  double *y = t->y;
  memset(g->R, 0, (size_t)(g->n * f) * sizeof *g->R);
  g->speed = 0.0;
  for (int32_t j = 0; j < f; j++) {
    g->R[ind[j] * f + j] = 1.0;
    if (!g->rank) continue;
    for (int32_t k = 0; k < g->rank; k++) y[k] = -g->P[g->rows[k] * g->n + ind[j]];
    solve_group(t, g, y);
    for (int32_t k = 0; k < g->rank; k++) {
      double e = fabs(y[k]);
      if (e > g->speed) g->speed = e;
      g->R[dep[k] * f + j] = y[k] * scale[g->dof[k]] * t->unscale[g->dof[g->rank + j]];
    }
  }
}

hk_status hki_topological_factor(hk_topological *t, const double *D) {
  if (t->sparse) return hki_topological_factor_rows(t, D);
  for (int32_t gi = 0; gi < t->ngroup; gi++) {
    hk_topological_group *g = &t->group[gi];
    gather(t, g, D);
    if (!factor_group(t, g)) return HK_RETRY;
    ratios_group(t, g);
  }
  return HK_OK;
}

/* x_d -= Phi_d^-1 b; skipped where b is zero */
static void subtract_rows(hk_topological *t, const hk_topological_group *g, const double *b,
                          double *x) {
  const double *rs = keep_scale(g);
  double *y = t->y;
  bool any = false;
  for (int32_t k = 0; k < g->rank; k++) {
    y[k] = rs[g->rows[k]] * b[g->used[k]];
    any = any || y[k] != 0.0;
  }
  if (!any) return;
  solve_group(t, g, y);
  for (int32_t k = 0; k < g->rank; k++) x[g->dof[k]] -= y[k] * t->s->scale[g->dof[k]];
}

/* y = Phi_d^-T y with the LU of a large group */
static void solve_transposed(const hk_topological_group *g, double *y) {
  const int32_t n = g->rank;
  for (int32_t k = 0; k < n; k++) {
    const double *A = g->A + (size_t)k * (size_t)g->ld;
    for (int32_t i = 0; i < k; i++) y[k] -= A[i] * y[i];
    y[k] *= g->inv[k];
  }
  for (int32_t k = n - 1; k >= 0; k--) {
    const double *A = g->A + (size_t)k * (size_t)g->ld;
    for (int32_t i = k + 1; i < n; i++) y[k] -= A[i] * y[i];
  }
  for (int32_t k = n - 1; k >= 0; k--) {
    const double x = y[k];
    y[k] = y[g->pivot[k]], y[g->pivot[k]] = x;
  }
}

void hki_topological_large(hk_topological *t, const double *r, double *lam) {
  if (t->sparse) {
    hki_topological_forces_rows(t, r, lam);
    return;
  }
  for (int32_t gi = 0; gi < t->ngroup; gi++) {
    const hk_topological_group *g = &t->group[gi];
    const double *rs = keep_scale(g);
    if (g->rank <= HK_TOPOLOGICAL_SMALL) continue;
    for (int32_t k = 0; k < g->rank; k++) t->y[k] = -t->s->scale[g->dof[k]] * r[g->dof[k]];
    solve_transposed(g, t->y);
    for (int32_t k = 0; k < g->rank; k++) lam[g->used[k]] = rs[g->rows[k]] * t->y[k];
  }
}

void hki_topological_multipliers(const hk_topological *t, const double *r, double *lam) {
  memset(lam, 0, (size_t)t->s->m->nrows * sizeof *lam);
  for (int32_t gi = 0; !t->sparse && gi < t->ngroup; gi++) {
    const hk_topological_group *g = &t->group[gi];
    const double *rs = keep_scale(g);
    const int32_t n = g->rank;
    for (int32_t j = 0; n <= HK_TOPOLOGICAL_SMALL && j < n; j++) {
      double sum = 0.0;
      for (int32_t k = 0; k < n; k++)
        sum -= g->A[k * n + j] * t->s->scale[g->dof[k]] * r[g->dof[k]];
      lam[g->used[j]] = rs[g->rows[j]] * sum;
    }
  }
}

void hki_topological_complete(hk_topological *t, const double *b, double *x) {
  if (t->sparse) {
    hki_topological_complete_rows(t, b, x);
    return;
  }
  for (int32_t gi = 0; gi < t->ngroup; gi++) {
    const hk_topological_group *g = &t->group[gi];
    const int32_t f = g->n - g->rank, *ind = g->dof + g->rank;
    for (int32_t k = 0; k < g->rank; k++) {
      const double *R = g->R + g->cols[k] * f;
      double sum = 0.0;
      for (int32_t j = 0; j < f; j++) sum += R[j] * x[ind[j]];
      x[g->dof[k]] = sum;
    }
    if (g->rank) subtract_rows(t, g, b, x);
  }
}

void hki_topological_follow(hk_topological *t, const double *vh, double cv, const double *D,
                            const double *w) {
  for (int32_t gi = 0; gi < t->ngroup; gi++) {
    const hk_topological_group *g = &t->group[gi];
    if (g->nrate) spread(t, g, keep_before(g), t->B);
    for (int32_t k = 0; g->nrate && k < g->rank; k++) {
      const double *C = t->B + g->rows[k] * g->n;
      double sum = 0.0;
      if (!g->late[g->rows[k]]) continue;
      for (int32_t j = 0; j < g->rank; j++) {
        const int32_t i = g->dof[j];
        sum += C[g->cols[j]] * (D[i] - (w[i] - vh[i]) / cv) * t->unscale[i];
      }
      t->s->kin.phi[g->used[k]] = sum / keep_scale(g)[g->rows[k]];
    }
  }
}

double hki_topological_open(hk_topological *t, double *x) {
  if (t->sparse) return hki_topological_open_rows(t, x);
  double worst = 0.0;
  memset(x, 0, (size_t)t->s->m->nv * sizeof *x);
  for (int32_t gi = 0; gi < t->ngroup; gi++) {
    const hk_topological_group *g = &t->group[gi];
    if (g->rank) subtract_rows(t, g, t->s->kin.phi, x);
    for (int32_t k = 0; k < g->rank; k++) {
      double e = fabs(x[g->dof[k]]) * t->unscale[g->dof[k]];
      if (!(e <= worst)) worst = e; // also catches NaN
    }
  }
  return worst;
}

void hki_topological_reduce(hk_topological *t, double *r) {
  if (t->sparse) {
    hki_topological_reduce_rows(t, r);
    return;
  }
  for (int32_t gi = 0; gi < t->ngroup; gi++) {
    const hk_topological_group *g = &t->group[gi];
    const int32_t f = g->n - g->rank, *ind = g->dof + g->rank;
    for (int32_t k = 0; k < g->rank; k++) {
      const double *R = g->R + g->cols[k] * f;
      double *d = &r[g->dof[k]];
      for (int32_t j = 0; j < f; j++) r[ind[j]] += R[j] * *d;
      *d = 0.0;
    }
  }
}

/* --- the choice ------------------------------------------------------------------------------- */

/* rank, rows and cols of a group at its scaled rows: by full pivoting on a copy of P, or row by row; false: no room */
static bool pivots(hk_topological *t, hk_topological_group *g) {
  if (t->sparse) return hki_topological_choose_rows(t, g, rank_tolerance);
  memcpy(t->B, g->P, (size_t)(g->m * g->n) * sizeof *t->B);
  g->rank = hki_dense_pivots(g->m, g->n, t->B, rank_tolerance, g->nrate ? g->late : NULL, g->rows,
                             g->cols);
  return true;
}

/* row scales: 1 / largest entry, at most 1000 times that of the largest row; the rows g->G with them */
static void scale_rows(const hk_topological *t, hk_topological_group *g) {
  double *rs = keep_scale(g), top = 0.0, *G = g->G;
  for (int32_t i = 0; i < g->m; i++) {
    const int32_t n = t->s->m->closures[t->row_clo[g->row[i]]].path.n;
    rs[i] = 0.0;
    for (int32_t j = 0; j < n; j++) rs[i] = fmax(rs[i], fabs(*G++));
    top = fmax(top, rs[i]);
  }
  G = g->G;
  for (int32_t i = 0; i < g->m; i++) rs[i] = top > 0.0 ? 1.0 / fmax(rs[i], 1e-3 * top) : 1.0;
  for (int32_t i = 0; i < g->m; i++) {
    const int32_t n = t->s->m->closures[t->row_clo[g->row[i]]].path.n;
    for (int32_t j = 0; j < n; j++) *G++ *= rs[i];
  }
}

/* the choice into the persistent block */
static void remember(hk_topological_group *g) {
  g->persist[HK_TOPOLOGICAL_RANK] = g->rank;
  for (int32_t i = 0; i < g->n; i++) keep_cols(g)[i] = g->cols[i];
  for (int32_t i = 0; i < g->m; i++) keep_rows(g)[i] = g->rows[i];
  g->persist[HK_TOPOLOGICAL_RATIO] = g->ratio;
  g->persist[HK_TOPOLOGICAL_SPEED] = g->speed;
}

/* the choice has filled its rows: where each coordinate moves all others there are no short ones */
static hk_status no_room(hk_topological *t, const hk_topological_group *g) {
  char loops[360];
  loop_words(t, g, loops, sizeof loops);
  snprintf(t->words, sizeof t->words,
           "the choice of coordinates of these loops takes more memory than formulation "
           "'topological' has for it (%s): take formulation 'hybrid'",
           loops);
  return HK_E_MEMORY;
}

/* makes the choice from the rows at the present closures, first: with scales of their own */
static hk_status pick(hk_topological *t, hk_topological_group *g, bool first) {
  hki_topological_rows(t, g, NULL, g->G);
  if (first) scale_rows(t, g);
  if (!t->sparse) spread(t, g, g->G, g->P);
  const bool room = pivots(t, g);
  index_group(t, g);
  return room ? HK_OK : no_room(t, g);
}

/* judges the choice with its factors and keeps it; first: no earlier one, of this rank, to compare with */
static hk_status settle(hk_topological *t, hk_topological_group *g, bool first, int32_t before) {
  if (!first && (g->rank != before || g->ratio < lost * g->persist[HK_TOPOLOGICAL_BEST]))
    return lose_rank(t, g, "lose");
  g->persist[HK_TOPOLOGICAL_BEST] =
      first ? g->ratio : fmax(g->ratio, g->persist[HK_TOPOLOGICAL_BEST]);
  remember(g);
  return HK_OK;
}

/* factors and speeds of all groups with their choices, without full matrices */
static hk_status factor_all(hk_topological *t, bool first) {
  hki_topological_mark_rows(t);
  if (hki_topological_factor_rows(t, NULL) != HK_OK) return first ? HK_E_SINGULAR : HK_RETRY;
  hki_topological_speeds(t);
  return HK_OK;
}

/* a choice anew */
static hk_status choose(hk_topological *t, hk_topological_group *g, bool first) {
  const int32_t before = g->rank;
  hk_status st = pick(t, g, first);
  if (st != HK_OK) return st;
  if (t->sparse) {
    st = factor_all(t, first);
  } else {
    if (!factor_group(t, g)) return first ? HK_E_SINGULAR : HK_RETRY;
    ratios_group(t, g);
  }
  return st == HK_OK ? settle(t, g, first, before) : st;
}

/* the entries of the rows at this position, with the present scales, for the next review */
static void keep_rows_of(hk_topological *t, hk_topological_group *g) {
  hki_topological_rows(t, g, NULL, keep_before(g));
}

/* the first choices of all groups with one factorisation */
static hk_status choose_rows(hk_topological *t) {
  hk_status st = HK_OK;
  for (int32_t gi = 0; st == HK_OK && gi < t->ngroup; gi++) st = pick(t, &t->group[gi], true);
  if (st == HK_OK) st = factor_all(t, true);
  for (int32_t gi = 0; st == HK_OK && gi < t->ngroup; gi++) st = settle(t, &t->group[gi], true, 0);
  return st;
}

hk_status hki_topological_choose_all(hk_topological *t) {
  hk_status st = HK_OK;
  for (int32_t gi = 0; gi < t->ngroup; gi++)
    for (int32_t i = 0; i < t->group[gi].m; i++) keep_scale(&t->group[gi])[i] = 1.0;
  for (int32_t gi = 0; !t->sparse && st == HK_OK && gi < t->ngroup; gi++)
    st = choose(t, &t->group[gi], true);
  if (t->sparse) st = choose_rows(t);
  if (st != HK_OK) return st;
  for (int32_t gi = 0; gi < t->ngroup; gi++) keep_rows_of(t, &t->group[gi]);
  t->persist[0] = 1.0;
  return HK_OK;
}

/* --- at an accepted position ------------------------------------------------------------------ */

/* is Phi_d regular all the way from the last accepted position? Tests W^-1 = Phi_d1^-1 Phi_d0
 * instead of W: W^-1 + W^-T = W^-1 (W + W') W^-T. */
static bool regular_between(hk_topological *t, const hk_topological_group *g) {
  const int32_t r = g->rank;
  double *W = t->Y;
  spread(t, g, keep_before(g), t->B);
  dependent_columns(g, t->B, W, r);
  for (int32_t j = 0; j < r; j++) solve_group(t, g, W + j * r);
  return hki_dense_positive(r, W);
}

/* entries of row r of a group at present, and their number: none where its closure is not active */
static const double *row_of(const hk_topological *t, const hk_topological_group *g, int32_t r,
                            int32_t *n) {
  const hk_kin *k = &t->s->kin;
  const int32_t ci = t->row_clo[g->row[r]];
  const hk_closure *c = &k->m->closures[ci];
  *n = k->disc.active[ci] != 0.0 ? c->path.n : 0;
  return k->gz + k->gz0[ci] + (g->row[r] - c->row0) * c->path.n;
}

/* do the redundant rows hold by themselves? */
static bool redundant_closed(const hk_topological *t, const hk_topological_group *g) {
  const double *rs = keep_scale(g);
  for (int32_t k = g->rank; k < g->m; k++) {
    int32_t r = g->rows[k];
    // rows of inactive closures are empty, and their phi is not evaluated
    int32_t n = 0;
    bool empty = true;
    const double *gz = row_of(t, g, r, &n);
    for (int32_t j = 0; empty && j < n; j++) empty = gz[j] == 0.0;
    if (!empty && !(rs[r] * fabs(t->s->kin.phi[g->row[r]]) <= redundant_open)) return false;
  }
  return true;
}

/* the same for all groups at once */
static bool all_regular(hk_topological *t) {
  for (int32_t gi = 0; gi < t->ngroup; gi++) {
    const hk_topological_group *g = &t->group[gi];
    memcpy(t->last + g->at, keep_before(g), (size_t)g->nnz * sizeof *t->last);
  }
  return hki_topological_regular(t, t->last);
}

hk_status hki_topological_review(hk_topological *t) {
  if (t->sparse && t->ngroup) {
    if (!all_regular(t)) return jump(t, &t->group[0]);
    hki_topological_speeds(t);
  }
  for (int32_t gi = 0; gi < t->ngroup; gi++) {
    hk_topological_group *g = &t->group[gi];
    if (!redundant_closed(t, g)) return lose_rank(t, g, "gain");
    if (!g->rank) continue;
    if (!t->sparse && !regular_between(t, g)) return jump(t, g);
    if (t->par.choice == HK_CHOICE_ANEW &&
        (g->ratio < worse * g->persist[HK_TOPOLOGICAL_RATIO] ||
         (g->speed > t->par.limit && g->speed > 1.5 * g->persist[HK_TOPOLOGICAL_SPEED]))) {
      hk_status st = choose(t, g, false);
      if (st != HK_OK) return st;
      t->persist[1] += 1.0;
    }
  }
  for (int32_t gi = 0; gi < t->ngroup; gi++) keep_rows_of(t, &t->group[gi]);
  return HK_OK;
}
