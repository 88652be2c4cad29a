/* SPDX-License-Identifier: Apache-2.0
 *
 * statespace_states.c: which coordinates, velocities and unknowns are the states of the linear equations
 * (statespace.h). Elimination with full pivoting of the rows, those on positions first, takes the
 * dependent coordinates D; with the independent ones I
 *
 *   G_D xi_D = -G_I xi_I
 */
#include "linalg/dense.h"
#include "simulation/coordinates.h"
#include "simulation/statespace.h"

/* rows that count as dependent on others, against their largest */
static const double dependent = 1e-9;

/* G (m x nv, by rows) of the active closures, each scaled to a largest entry of 1; late: rows on
 * velocities; size: their largest entries before that, round-off counts as zero. Returns m. */
static int32_t active_rows(const hk_kin *k, double *G, uint8_t *late, double *size) {
  const hk_model *m = k->m;
  int32_t n = 0;
  for (int32_t c = 0; c < m->nc; c++) {
    const hk_closure *cl = &m->closures[c];
    if (k->disc.active[c] == 0.0) continue;
    for (int32_t r = 0; r < cl->nrows; r++) {
      const double *g = k->gz + k->gz0[c] + (size_t)r * (size_t)cl->path.n;
      double *row = G + (size_t)n * (size_t)m->nv, most = 0.0;
      for (int32_t j = 0; j < cl->path.n; j++) most = fmax(most, fabs(g[j]));
      if (most < 1e-13 * fmin(1.0, m->length)) most = 0.0;
      size[n] = most;
      memset(row, 0, (size_t)m->nv * sizeof *row);
      for (int32_t j = 0; most > 0.0 && j < cl->path.n; j++) row[cl->path.dof[j]] = g[j] / most;
      late[n++] = (cl->rate_rows >> r & 1u) != 0;
    }
  }
  return n;
}

/* T (nv x count): motions with one of the coordinates `free` each, which the first `rank` pivots of G
 * make. B: rank x rank scratch with its leading dimension, then 2 nv + 24 more. */
static hk_status motions(const hk_model *m, const double *G, int32_t rank, const int32_t *rows,
                         const int32_t *cols, int32_t count, const int32_t *free, double *B,
                         int32_t *pivot, double *T) {
  const int32_t ld = hki_dense_ld(rank);
  double *inv = B + (size_t)ld * (size_t)rank, *x = inv + rank, *work = x + ld;
  memset(B, 0, (size_t)ld * (size_t)rank * sizeof *B);
  for (int32_t i = 0; i < rank; i++)
    for (int32_t j = 0; j < rank; j++) B[i + j * ld] = G[(size_t)rows[i] * (size_t)m->nv + cols[j]];
  hk_status st = rank ? hki_dense_lu_factor(rank, B, ld, pivot, inv, work, NULL) : HK_OK;
  for (int32_t k = 0; st == HK_OK && k < count; k++) {
    double *t = T + (size_t)k * (size_t)m->nv;
    memset(t, 0, (size_t)m->nv * sizeof *t);
    memset(x, 0, (size_t)ld * sizeof *x);
    for (int32_t i = 0; i < rank; i++) x[i] = -G[(size_t)rows[i] * (size_t)m->nv + free[k]];
    if (rank) hki_dense_lu_solve(rank, B, ld, pivot, inv, x, work);
    for (int32_t j = 0; j < rank; j++) t[cols[j]] = x[j];
    t[free[k]] = 1.0;
  }
  return st;
}

/* list: the coordinates that are not among the first n of cols, ascending; their number */
static int32_t rest(int32_t nv, const int32_t *cols, int32_t n, int32_t *list) {
  int32_t count = 0;
  for (int32_t i = 0; i < nv; i++) {
    bool taken = false;
    for (int32_t k = 0; k < n && !taken; k++) taken = cols[k] == i;
    if (!taken) list[count++] = i;
  }
  return count;
}

/* the smallest pivot against the largest, after the elimination E of rows scaled by `size` */
static double least_pivot(int32_t nv, const double *E, const double *size, int32_t rank,
                          const int32_t *rows, const int32_t *cols) {
  double most = 0.0, least = INFINITY;
  for (int32_t k = 0; k < rank; k++) {
    const double pivot = fabs(E[rows[k] * nv + cols[k]]) * size[rows[k]];
    most = fmax(most, pivot), least = fmin(least, pivot);
  }
  return rank ? least / most : 1.0;
}

hk_status hki_statespace_free_find(hk_sim *s, hk_pool *pool, hk_statespace_free *out) {
  const hk_model *m = s->m;
  const size_t nv = (size_t)m->nv, nr = (size_t)m->nrows, d = sizeof(double);
  double *G = hki_pool_alloc(pool, (2 * nr * nv + nr + 1) * d), *E = G ? G + nr * nv : NULL;
  const size_t most = nr < nv ? nr : nv;
  double *B = hki_pool_alloc(pool, ((most + 4) * (most + 8) + 5 * most + 64) * d);
  int32_t *index = hki_pool_alloc(pool, (nr + 4 * nv + 4) * sizeof *index);
  uint8_t *late = hki_pool_alloc(pool, nr + 1);
  out->Tp = hki_pool_alloc(pool, (nv * nv + 1) * d);
  out->Tv = hki_pool_alloc(pool, (nv * nv + 1) * d);
  if (!G || !B || !index || !late || !out->Tp || !out->Tv) return HK_E_MEMORY;
  double *size = E + nr * nv;
  int32_t *rows = index, *cols = rows + nr, *pivot = cols + nv, early = 0;
  out->position = pivot + nv, out->rate = out->position + nv;
  const int32_t n = active_rows(s->kin, G, late, size);
  memcpy(E, G, (size_t)n * nv * d);
  // a unit of each coordinate moves the mechanism about as far
  for (int32_t i = 0; i < n; i++)
    for (size_t j = 0; j < nv; j++) E[(size_t)i * nv + j] *= s->tree->scale[j];
  for (int32_t j = 0; j < m->nv; j++) cols[j] = j;
  const int32_t rank = n ? hki_dense_pivots(n, m->nv, E, dependent, late, rows, cols) : 0;
  while (early < rank && !late[rows[early]]) early++;
  out->hold = least_pivot(m->nv, E, size, rank, rows, cols);
  out->np = rest(m->nv, cols, early, out->position);
  out->nr = rest(m->nv, cols, rank, out->rate);
  hk_status st = motions(m, G, early, rows, cols, out->np, out->position, B, pivot, out->Tp);
  if (st == HK_OK) st = motions(m, G, rank, rows, cols, out->nr, out->rate, B, pivot, out->Tv);
  return st;
}

/* --- states and their names ----------------------------------------------------------------------- */

/* position i of a tree velocity: the joint's coordinate, or the increment of an orientation */
static const char *position_name(hk_pool *pool, const char *rate, const char *coordinate) {
  const char *turning = strstr(rate, ".turning.");
  if (coordinate && !turning) return coordinate;
  return turning ? hki_pool_printf(pool, "%.*s.rotation.%s", (int)(turning - rate), rate,
                                   turning + strlen(".turning."))
                 : rate;
}

/* Unknowns of networks that are states: their values are not solved for. Of a group whose common value is
 * solved for, the others are states, by what they differ from its root. */
static int32_t unknowns(hk_statespace *l, hk_sim *s, int32_t at) {
  const hk_model *m = l->m;
  hk_dims d = {0};
  char name[300];
  s->f->ops->dims(s->f, &d);
  for (int32_t i = 0; i < m->nx + m->nz; i++) {
    if (i < d.nx && isinf(d.unit[i])) continue;
    if (i < m->nx && d.root && d.root[i] == i) continue;
    l->place[at] = m->nv + i;
    hki_model_unknown_name(m, i, name, sizeof name);
    l->name[at] = hki_pool_strdup(l->pool, name);
    const int32_t node = i < m->nx ? m->unknowns[i].node : HK_NONE;
    l->unit[at] = node == HK_NONE ? "" : hki_domain_infos[m->spec->nodes[node].domain].unit;
    l->value[at++] = s->vt[m->nv + i];
  }
  return at;
}

hk_status hki_statespace_states_find(hk_statespace *l, hk_sim *s, const hk_statespace_free *free,
                                     double *sign) {
  const hk_model *m = l->m;
  const size_t nv = (size_t)m->nv, most = 2 * nv + (size_t)(m->nx + m->nz) + 1;
  hk_coordinates c;
  hk_status st = hki_coordinates_find(m, l->pool, &c);
  l->place = hki_pool_alloc(l->pool, most * sizeof *l->place);
  l->name = hki_pool_alloc(l->pool, most * sizeof *l->name);
  l->unit = hki_pool_alloc(l->pool, most * sizeof *l->unit);
  l->value = hki_pool_alloc(l->pool, most * sizeof *l->value);
  if (st != HK_OK || !l->place || !l->name || !l->unit || !l->value) return HK_E_MEMORY;
  for (size_t i = 0; i < most; i++) sign[i] = i < nv ? c.sign[i] : 1.0;
  l->np = free->np, l->nr = free->nr;
  for (int32_t i = 0; i < l->np; i++) {
    const int32_t v = l->place[i] = free->position[i];
    l->name[i] =
        position_name(l->pool, c.v_name[v], c.q_of[v] == HK_NONE ? NULL : c.q_name[c.q_of[v]]);
    l->unit[i] = c.unit[v];
    // an orientation has no value as a vector: its increments begin at zero
    const int32_t q = c.q_of[v];
    l->value[i] = q == HK_NONE ? 0.0 : c.q_zero[q] + c.q_sign[q] * s->qt[q];
  }
  for (int32_t i = 0; i < l->nr; i++) {
    const int32_t v = l->place[l->np + i] = free->rate[i];
    l->name[l->np + i] = c.v_name[v];
    l->unit[l->np + i] = hki_pool_printf(l->pool, "%s/s", c.unit[v]);
    l->value[l->np + i] = c.sign[v] * s->vt[v];
  }
  l->n = unknowns(l, s, l->np + l->nr);
  l->nx = l->n - l->np - l->nr;
  for (int32_t i = 0; i < l->n; i++)
    if (!l->name[i] || !l->unit[i]) return HK_E_MEMORY;
  return HK_OK;
}
