/* SPDX-License-Identifier: Apache-2.0
 *
 * lu.c: sparse factors of the dependent part of the Jacobian.
 *
 *   Phi_u = L U                    rows and columns in the order of the choice
 *
 * A row has nonzeros of two bodies only, of more where it couples joints. When a choice is made its pivots are ordered for little
 * fill: the next one is the entry whose row and column have the fewest other nonzeros, among those
 * not below a tenth of the largest in their row (Markowitz 1957, with a threshold). These pivots
 * stay good as long as the choice is good. So rows are not exchanged, the nonzeros of the factors
 * are found once per choice, and only they are computed. When pivots have become small against
 * those of the choice, the dense factorisation with row exchanges is used. In turned coordinates
 * every row is full, and the factorisation is always dense.
 */
#include "formulations/partition/partition.h"

/* below this times the pivot ratio of the choice, the dense factorisation is used */
static const double exchange = 0.02;

/* smallest pivot, relative to the largest entry of its row */
static const double threshold = 0.1;

/* is an entry of the scaled matrix nonzero? */
static bool there(double x) { return fabs(x) > 1e-12; }

/* number of nonzeros of a row in columns k .. r-1; *top: its largest entry */
static int32_t row_count(const double *row, int32_t k, int32_t r, double *top) {
  int32_t n = 0;
  *top = 0.0;
  for (int32_t j = k; j < r; j++) {
    n += there(row[j]);
    *top = fmax(*top, fabs(row[j]));
  }
  return n;
}

/* *pi, *pj: next pivot of the r x r matrix S (row-major) after k steps of elimination */
static void next_pivot(const hk_partition *p, const double *S, int32_t k, int32_t *pi,
                       int32_t *pj) {
  const int32_t r = p->rank;
  int32_t *column = p->lu_nl, best = INT32_MAX;
  double size = 0.0;
  for (int32_t j = k; j < r; j++) column[j] = 0;
  for (int32_t i = k; i < r; i++)
    for (int32_t j = k; j < r; j++) column[j] += there(S[i * r + j]);
  for (int32_t i = k; i < r; i++) {
    double top;
    const double *row = S + (size_t)i * (size_t)r;
    const int32_t n = row_count(row, k, r, &top) - 1;
    for (int32_t j = k; j < r; j++) {
      const int32_t fill = n * (column[j] - 1);
      if (fabs(row[j]) < threshold * top || !there(row[j]) || fill > best) continue;
      if (fill == best && !(fabs(row[j]) > size * (1.0 + 1e-9))) continue;
      best = fill, size = fabs(row[j]);
      *pi = i, *pj = j;
    }
  }
}

static void swap_ints(int32_t *a, int32_t i, int32_t j) {
  const int32_t x = a[i];
  a[i] = a[j], a[j] = x;
}

/* exchanges rows k, i and columns k, j of S, and of p->rows, p->cols */
static void exchange_pivot(hk_partition *p, double *S, int32_t k, int32_t i, int32_t j) {
  const int32_t r = p->rank;
  swap_ints(p->rows, k, i);
  swap_ints(p->cols, k, j);
  for (int32_t c = 0; c < r; c++) {
    const double x = S[k * r + c];
    S[k * r + c] = S[i * r + c], S[i * r + c] = x;
  }
  for (int32_t c = 0; c < r; c++) {
    const double x = S[c * r + k];
    S[c * r + k] = S[c * r + j], S[c * r + j] = x;
  }
}

void hki_partition_lu_order(hk_partition *p, const double *M) {
  const int32_t r = p->rank;
  double *S = p->W1;
  if (p->B) return;
  for (int32_t i = 0; i < r; i++)
    for (int32_t j = 0; j < r; j++) S[i * r + j] = M[p->rows[i] * p->n + p->cols[j]];
  for (int32_t k = 0; k < r; k++) {
    int32_t pi = k, pj = k;
    next_pivot(p, S, k, &pi, &pj);
    exchange_pivot(p, S, k, pi, pj);
    const double *top = S + (size_t)k * (size_t)r;
    for (int32_t i = k + 1; i < r; i++) {
      double *row = S + (size_t)i * (size_t)r;
      const double f = there(row[k]) ? row[k] / top[k] : 0.0;
      for (int32_t j = k + 1; f != 0.0 && j < r; j++) row[j] -= f * top[j];
    }
  }
}

/* nonzero columns of row k of the factors: lu_nl[k] of L (below k), then those of U (above k) */
static int32_t *list(const hk_partition *p, int32_t k) {
  return p->lu_list + (size_t)k * (size_t)p->n;
}

/* mark: nonzeros of row k of Phi_u before elimination */
static void mark_row(const hk_partition *p, int32_t k, uint8_t *mark) {
  const hk_bodies *c = p->c;
  const int32_t row = p->rows[k];
  memset(mark, 0, (size_t)p->rank);
  for (int32_t b = 2 * p->row_line[row]; b < 2 * p->row_line[row + 1]; b++) {
    const int32_t body = p->line_body[b];
    for (int32_t e = body == HK_GROUND ? c->nd : c->lack[body]; e < c->nd; e++) {
      const int32_t at = p->lu_where[c->v0[body] + e];
      if (at < p->rank) mark[at] = 1;
    }
  }
  mark[k] = 1;
}

void hki_partition_lu_analyse(hk_partition *p) {
  uint8_t *mark = p->lu_mark;
  if (p->B) return;
  for (int32_t i = 0; i < p->n; i++) p->lu_where[p->cols[i]] = i;
  for (int32_t k = 0; k < p->rank; k++) {
    int32_t *out = list(p, k), count = 0;
    mark_row(p, k, mark);
    // fill from the elimination with the rows above
    for (int32_t j = 0; j < k; j++) {
      if (!mark[j]) continue;
      const int32_t *above = list(p, j);
      for (int32_t i = p->lu_nl[j]; i < p->lu_n[j]; i++) mark[above[i]] = 1;
      out[count++] = j;
    }
    p->lu_nl[k] = count;
    for (int32_t j = k + 1; j < p->rank; j++)
      if (mark[j]) out[count++] = j;
    p->lu_n[k] = count;
  }
}

/* w (rank): row k of Phi_u, zero elsewhere in the pattern of row k */
static void scatter(const hk_partition *p, const double *M, int32_t k, double *w) {
  const hk_bodies *c = p->c;
  const int32_t row = p->rows[k], *at = list(p, k);
  for (int32_t i = 0; i < p->lu_n[k]; i++) w[at[i]] = 0.0;
  w[k] = 0.0;
  for (int32_t b = 2 * p->row_line[row]; b < 2 * p->row_line[row + 1]; b++) {
    const int32_t body = p->line_body[b];
    for (int32_t e = body == HK_GROUND ? c->nd : c->lack[body]; e < c->nd; e++) {
      const int32_t col = c->v0[body] + e, to = p->lu_where[col];
      if (to < p->rank) w[to] = M[(size_t)row * (size_t)p->n + (size_t)col];
    }
  }
}

bool hki_partition_lu_factor(hk_partition *p, hk_partition_jac *j, double needed) {
  const int32_t r = p->rank;
  double *w = p->y, low = INFINITY, high = 0.0;
  j->sparse = false;
  if (p->B) return false;
  for (int32_t k = 0; k < r; k++) {
    const int32_t *at = list(p, k), nl = p->lu_nl[k], n = p->lu_n[k];
    double *row = j->A + (size_t)k * (size_t)r;
    scatter(p, j->M, k, w);
    for (int32_t i = 0; i < nl; i++) {
      const int32_t a = at[i], *above = list(p, a);
      const double *u = j->A + (size_t)a * (size_t)r, l = w[a] * j->inv[a];
      row[a] = l;
      if (l == 0.0) continue;
      for (int32_t q = p->lu_nl[a]; q < p->lu_n[a]; q++) w[above[q]] -= l * u[above[q]];
    }
    for (int32_t i = nl; i < n; i++) row[at[i]] = w[at[i]];
    j->inv[k] = 1.0 / w[k];
    const double e = fabs(j->inv[k]);
    low = e < low ? e : low;
    high = e > high ? e : high;
  }
  j->ratio = low / high;
  if (!(j->ratio >= exchange * needed)) return false; // also for NaN
  j->sparse = true;
  return true;
}

void hki_partition_lu_solve(const hk_partition *p, const hk_partition_jac *j, double *y) {
  const int32_t r = p->rank;
  for (int32_t k = 0; k < r; k++) {
    const int32_t *at = list(p, k);
    const double *row = j->A + (size_t)k * (size_t)r;
    double sum = y[k];
    for (int32_t i = 0; i < p->lu_nl[k]; i++) sum -= row[at[i]] * y[at[i]];
    y[k] = sum;
  }
  for (int32_t k = r - 1; k >= 0; k--) {
    const int32_t *at = list(p, k);
    const double *row = j->A + (size_t)k * (size_t)r;
    double sum = y[k];
    for (int32_t i = p->lu_nl[k]; i < p->lu_n[k]; i++) sum -= row[at[i]] * y[at[i]];
    y[k] = sum * j->inv[k];
  }
}

void hki_partition_lu_solve_transposed(const hk_partition *p, const hk_partition_jac *j,
                                       double *y) {
  const int32_t r = p->rank;
  for (int32_t k = 0; k < r; k++) {
    const int32_t *at = list(p, k);
    const double *row = j->A + (size_t)k * (size_t)r, x = y[k] *= j->inv[k];
    for (int32_t i = p->lu_nl[k]; i < p->lu_n[k]; i++) y[at[i]] -= row[at[i]] * x;
  }
  for (int32_t k = r - 1; k >= 0; k--) {
    const int32_t *at = list(p, k);
    const double *row = j->A + (size_t)k * (size_t)r, x = y[k];
    for (int32_t i = 0; i < p->lu_nl[k]; i++) y[at[i]] -= row[at[i]] * x;
  }
}
