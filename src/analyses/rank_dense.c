/* SPDX-License-Identifier: Apache-2.0
 *
 * rank_dense.c: rank of one small group of rows by Gram-Schmidt orthogonalisation.
 *
 * The rank comes from a first pass with row pivoting (the longest remainder next), which is
 * reliable. A second pass, in the order of the file, finds the dependent rows:
 *
 *   row i is dependent when  r_i = sum_k c_k r_k  over independent rows k before it
 *
 * The right sides are combined in the same way: a remainder means that the rows contradict each
 * other. If the second pass finds another rank, it is repeated in the order of the pivots.
 */
#include <string.h>

#include "analyses/rank.h"

static const double tolerance = 1e-8; /* length of a remainder that counts as zero */

typedef struct dense {
  hk_rank_work *w;
  double *A;      /* m x n: rows of the group */
  double *B;      /* (m + 1) x n: copy of A, later the orthonormal basis */
  double *L;      /* m x m: coefficients of each row in the basis */
  double *rhs;    /* m x HK_RANK_LEFT: right sides of the basis vectors */
  double *c;      /* m: coefficients c_k of a dependent row */
  int32_t *order; /* m: order in which rows are taken; m more: order of the pivots */
  int32_t *basis; /* m: row of each basis vector */
} dense;

static double dot(const double *a, const double *b, int32_t n) {
  double s = 0.0;
  for (int32_t i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}

/* first pass: returns the rank; order: the pivots, then the other rows */
static int32_t pivoted(dense *d) {
  int32_t m = d->w->m, n = d->w->n, k = 0;
  memcpy(d->B, d->A, (size_t)m * (size_t)n * sizeof *d->B);
  for (int32_t i = 0; i < m; i++) d->order[i] = i;
  for (; k < m && k < n; k++) {
    int32_t best = k;
    double top = -1.0;
    for (int32_t i = k; i < m; i++) {
      const double *r = d->B + (size_t)d->order[i] * (size_t)n;
      double e = dot(r, r, n);
      if (e > top) top = e, best = i;
    }
    if (top <= tolerance * tolerance) break;
    // the other rows keep their order, so that of two equal ones the earlier is the pivot
    int32_t p = d->order[best];
    memmove(d->order + k + 1, d->order + k, (size_t)(best - k) * sizeof *d->order);
    d->order[k] = p;
    double *q = d->B + (size_t)p * (size_t)n, f = 1.0 / sqrt(top);
    for (int32_t j = 0; j < n; j++) q[j] *= f;
    for (int32_t i = k + 1; i < m; i++) {
      double *r = d->B + (size_t)d->order[i] * (size_t)n, c = dot(r, q, n);
      if (c == 0.0) continue;
      for (int32_t j = 0; j < n; j++) r[j] -= c * q[j];
    }
  }
  return k;
}

/* second pass, over the rows in d->order; returns the number of independent rows. forced: the first
 * `rank` rows are independent, the others dependent, whatever their remainders */
static int32_t ordered(dense *d, bool forced, int32_t rank) {
  int32_t m = d->w->m, n = d->w->n, nb = 0;
  for (int32_t o = 0; o < m; o++) {
    int32_t i = d->order[o];
    double *q = d->B + (size_t)nb * (size_t)n, *x = d->rhs + HK_RANK_LEFT * nb, e;
    double *L = d->L + (size_t)i * (size_t)m;
    double rest[HK_RANK_LEFT];
    memcpy(q, d->A + (size_t)i * (size_t)n, (size_t)n * sizeof *q);
    memcpy(rest, d->w->rhs + HK_RANK_LEFT * i, sizeof rest);
    memset(L, 0, (size_t)m * sizeof *L);
    for (int pass = 0; pass < 2; pass++)
      for (int32_t k = 0; k < nb; k++) {
        const double *b = d->B + (size_t)k * (size_t)n;
        double c = dot(q, b, n);
        L[k] += c;
        for (int32_t j = 0; j < n; j++) q[j] -= c * b[j];
      }
    for (int32_t k = 0; k < nb; k++)
      for (int r = 0; r < HK_RANK_LEFT; r++) rest[r] -= L[k] * d->rhs[HK_RANK_LEFT * k + r];
    e = sqrt(dot(q, q, n));
    d->w->dep[i] = forced ? o >= rank : nb >= n || e <= tolerance;
    if (d->w->dep[i] || e == 0.0) {
      memcpy(d->w->left + HK_RANK_LEFT * i, rest, sizeof rest);
      continue;
    }
    L[nb] = e;
    for (int32_t j = 0; j < n; j++) q[j] /= e;
    for (int r = 0; r < HK_RANK_LEFT; r++) x[r] = rest[r] / e;
    d->basis[nb++] = i;
  }
  return nb;
}

/* closures that take part in dependent row i: back substitution for the c_k */
static void name_parts(dense *d, int32_t i, int32_t nb) {
  int32_t m = d->w->m, *with = d->w->with + (size_t)i * (1 + HK_RANK_WITH);
  const double *L = d->L + (size_t)i * (size_t)m;
  for (int32_t k = 0; k < nb; k++) d->c[k] = L[k];
  for (int32_t k = nb - 1; k >= 0; k--) {
    const double *Lk = d->L + (size_t)d->basis[k] * (size_t)m;
    d->c[k] /= Lk[k];
    for (int32_t j = 0; j < k; j++) d->c[j] -= d->c[k] * Lk[j];
  }
  with[0] = 0;
  for (int32_t k = 0; k < nb && with[0] < HK_RANK_WITH; k++) {
    int32_t clo = d->w->clo[d->basis[k]];
    bool known = clo == d->w->clo[i] || fabs(d->c[k]) < 1e-6;
    for (int32_t j = 0; j < with[0]; j++) known = known || with[1 + j] == clo;
    if (!known) with[1 + with[0]++] = clo;
  }
}

static hk_status solve(dense *d) {
  hk_rank_work *w = d->w;
  for (int32_t i = 0; i < w->m; i++)
    for (int32_t e = w->first[i]; e < w->first[i + 1]; e++)
      d->A[(size_t)i * (size_t)w->n + (size_t)w->col[e]] = w->val[e];
  w->rank = pivoted(d);
  // keep the order of the pivots; try the order of the file first
  int32_t *kept = d->order + w->m;
  memcpy(kept, d->order, (size_t)w->m * sizeof *kept);
  for (int32_t i = 0; i < w->m; i++) d->order[i] = i;
  int32_t nb = ordered(d, false, 0);
  if (nb != w->rank) {
    memcpy(d->order, kept, (size_t)w->m * sizeof *kept);
    nb = ordered(d, true, w->rank);
  }
  for (int32_t i = 0; i < w->m; i++)
    if (w->dep[i]) name_parts(d, i, nb);
  return HK_OK;
}

hk_status hki_rank_dense(hk_ctx *ctx, hk_rank_work *w) {
  size_t m = (size_t)w->m, n = (size_t)w->n;
  double *block = hki_alloc(ctx, (2 * m * n + n + m * m + (HK_RANK_LEFT + 1) * m + HK_RANK_LEFT) *
                                     sizeof *block);
  int32_t *index = hki_alloc(ctx, 3 * m * sizeof *index);
  hk_status st = HK_E_MEMORY;
  if (block && index) {
    dense d = {.w = w, .A = block, .order = index, .basis = index + 2 * m};
    d.B = d.A + m * n;
    d.L = d.B + (m + 1) * n;
    d.rhs = d.L + m * m;
    d.c = d.rhs + HK_RANK_LEFT * (m + 1);
    st = solve(&d);
  }
  hki_free(ctx, block);
  hki_free(ctx, index);
  return st;
}
