/* SPDX-License-Identifier: Apache-2.0
 *
 * part_choice.c: which Cartesian coordinates are independent, and what follows from the choice.
 *
 * The choice is the pivots of a Gauss-Jordan elimination with full pivoting on Phi_q (Wehage and
 * Haug 1982; Haug, Negrut and Iancu 1997, eq. 7): pivot columns are dependent, pivot rows are used,
 * rows without a pivot are redundant and must hold by themselves. Columns of displacements count in
 * lengths of the mechanism. The choice stays while it is good; two numbers watch it: the ratio of
 * the smallest to the largest pivot of Phi_u, and the largest entry of H.
 *
 * A step must not jump over a singular position unnoticed. If W = Phi_u0^-1 Phi_u1 has a positive
 * definite symmetric part, all matrices between Phi_u0 and Phi_u1 are regular. Where a long step
 * turns the rows too far for that, the way between is divided, up to 64 parts, along q0 (+) s D.
 */
#include <stdio.h>

#include "formulations/partition/part.h"
#include "geometry/chart.h"

static const double rank_tolerance = 1e-8; /* pivots below, relative to the first, are no pivots */
static const double worse = 0.1;           /* pivot ratio against that of the choice: choose anew */
static const double lost = 1e-4;           /* ... against the best one met: rank is lost */
static const double redundant_open = 1e-6; /* redundant rows open further than this: rank changed */
enum { DEEPEST = 6 };                      /* halvings of a step between two Jacobians */

static double *keep_cols(const hk_part *p) { return p->keep + HK_PART_HEAD; }
static double *keep_rows(const hk_part *p) { return keep_cols(p) + p->n; }
static double *keep_scale(const hk_part *p) { return keep_rows(p) + p->m; }
static double *keep_before(const hk_part *p) { return keep_scale(p) + p->m; }
static double *keep_place(const hk_part *p) {
  size_t r = (size_t)(p->m < p->n ? p->m : p->n);
  return keep_before(p) + r * r;
}

/* --- words --------------------------------------------------------------------------------------
 */

static void loop_words(const hk_part *p, char *buf, size_t cap) {
  size_t len = 0;
  buf[0] = '\0';
  for (int32_t i = 0; i < p->c->m->nc && len + 2 < cap; i++) {
    char name[200];
    if (p->c->kin.disc.active[i] == 0.0) continue;
    if (len > cap / 2) {
      snprintf(buf + len, cap - len, "; ...");
      return;
    }
    hki_model_loop_names(p->c->m, i, name, sizeof name);
    snprintf(buf + len, cap - len, "%s%s", len ? "; " : "", name);
    len = strlen(buf);
  }
}

static hk_status lose_rank(hk_part *p) {
  char loops[360];
  loop_words(p, loops, sizeof loops);
  snprintf(p->words, sizeof p->words,
           "the constraints lose rank here (%s): formulation 'partition' cannot pass this singular "
           "position; use 'hybrid'",
           loops);
  return HK_E_SINGULAR;
}

static hk_status jump(hk_part *p) {
  char loops[360];
  loop_words(p, loops, sizeof loops);
  snprintf(p->words, sizeof p->words,
           "within this step the constraints lose rank or change too much (%s): formulation "
           "'partition' cannot pass a singular position; use 'hybrid', or a smaller step",
           loops);
  return HK_RETRY;
}

/* --- the Jacobian -------------------------------------------------------------------------------
 */

void hki_part_sync(hk_part *p) {
  p->rank = (int32_t)p->keep[HK_PART_RANK];
  p->f = p->n - p->rank;
  for (int32_t i = 0; i < p->n; i++) p->cols[i] = (int32_t)keep_cols(p)[i];
  for (int32_t i = 0; i < p->m; i++) p->rows[i] = (int32_t)keep_rows(p)[i];
}

/* covector of a body, from variations in world axes to increments in body axes (of the chart) */
static void to_increments(const hk_part *p, int32_t b, const double *D, const double *g,
                          double *out) {
  const hk_cart *c = p->c;
  if (c->planar) {
    v3_copy(out, g);
    return;
  }
  m3_tmulv(out, c->it.frame[b].R, g);
  v3_copy(out + 3, g + 3);
  if (D) {
    double x, y, z;
    rot_series(v3_dot(D + 6 * b, D + 6 * b), &x, &y, &z);
    chart_twist(D + 6 * b, y, z, out, out);
  }
}

/* Phi_q, or Phi_q J(D), free of dimension */
static void gather(hk_part *p, hk_part_jac *j, const double *D) {
  const hk_cart *c = p->c;
  const double *rs = keep_scale(p);
  const int32_t nd = c->nd;
  memset(j->M, 0, (size_t)(p->m * p->n) * sizeof *j->M);
  for (int32_t i = 0; i < c->nset; i++) {
    const hk_cart_set *s = &c->set[i];
    if (!hki_cart_active(c, s)) continue;
    for (int32_t row = s->row0; row < s->row0 + s->nrows; row++)
      for (int k = 0; k < 2; k++) {
        double x[6];
        if (s->body[k] == HK_GROUND) continue;
        const int32_t at = nd * s->body[k];
        to_increments(p, s->body[k], D, c->G + (2 * row + k) * nd, x);
        for (int32_t e = 0; e < nd; e++)
          j->M[row * p->n + at + e] += x[e] * c->scale[at + e] * rs[row];
      }
  }
}

/* Phi_u, column-major */
static void dependent(const hk_part *p, const hk_part_jac *j, double *A, int32_t ld) {
  if (p->rank) memset(A, 0, (size_t)ld * (size_t)p->rank * sizeof *A);
  for (int32_t c = 0; c < p->rank; c++)
    for (int32_t r = 0; r < p->rank; r++)
      A[r + (size_t)c * (size_t)ld] = j->M[p->rows[r] * p->n + p->cols[c]];
}

static bool factor(hk_part *p, hk_part_jac *j) {
  double low = INFINITY, high = 0.0;
  const int32_t ld = hki_dense_ld(p->rank);
  j->ratio = 1.0;
  if (!p->rank) return true;
  dependent(p, j, j->A, ld);
  if (hki_dense_lu_factor(p->rank, j->A, ld, j->pivot, j->inv, p->work, NULL) != HK_OK)
    return false;
  for (int32_t k = 0; k < p->rank; k++) {
    double e = fabs(j->inv[k]);
    low = e < low ? e : low;
    high = e > high ? e : high;
  }
  j->ratio = low / high;
  return isfinite(j->ratio);
}

hk_status hki_part_factor(hk_part *p, hk_part_jac *j, const double *D) {
  gather(p, j, D);
  return factor(p, j) ? HK_OK : HK_RETRY;
}

static void solve(hk_part *p, const hk_part_jac *j, double *y) {
  hki_dense_lu_solve(p->rank, j->A, hki_dense_ld(p->rank), j->pivot, j->inv, y, p->work);
}

/* y = Phi_u^-T y */
static void solve_transposed(const hk_part *p, const hk_part_jac *j, double *y) {
  const int32_t n = p->rank, ld = hki_dense_ld(n);
  for (int32_t k = 0; k < n; k++) {
    const double *col = j->A + (size_t)k * (size_t)ld;
    double sum = y[k];
    for (int32_t i = 0; i < k; i++) sum -= col[i] * y[i];
    y[k] = sum * j->inv[k];
  }
  for (int32_t k = n - 1; k >= 0; k--) {
    const double *col = j->A + (size_t)k * (size_t)ld;
    double sum = y[k];
    for (int32_t i = k + 1; i < n; i++) sum -= col[i] * y[i];
    y[k] = sum;
  }
  for (int32_t k = n - 1; k >= 0; k--) {
    double t = y[k];
    y[k] = y[j->pivot[k]], y[j->pivot[k]] = t;
  }
}

void hki_part_columns(hk_part *p, hk_part_jac *j) {
  const double *scale = p->c->scale;
  double *y = p->y;
  j->speed = 0.0;
  for (int32_t c = 0; c < p->f; c++) {
    double *P = j->P + (size_t)c * (size_t)p->n;
    const int32_t ind = p->cols[p->rank + c];
    memset(P, 0, (size_t)p->n * sizeof *P);
    P[ind] = 1.0;
    if (!p->rank) continue;
    for (int32_t k = 0; k < p->rank; k++) y[k] = -j->M[p->rows[k] * p->n + ind];
    solve(p, j, y);
    for (int32_t k = 0; k < p->rank; k++) {
      j->speed = fmax(j->speed, fabs(y[k]));
      P[p->cols[k]] = y[k] * scale[p->cols[k]] / scale[ind];
    }
  }
}

void hki_part_complete(hk_part *p, const hk_part_jac *j, const double *b, double *x) {
  const double *rs = keep_scale(p), *scale = p->c->scale;
  double *y = p->y, *z = p->z;
  if (!p->rank) return;
  for (int32_t i = p->rank; i < p->n; i++) z[i] = x[p->cols[i]] / scale[p->cols[i]];
  for (int32_t k = 0; k < p->rank; k++) {
    const double *row = j->M + (size_t)p->rows[k] * (size_t)p->n;
    double sum = b ? rs[p->rows[k]] * b[p->rows[k]] : 0.0;
    for (int32_t i = p->rank; i < p->n; i++) sum += row[p->cols[i]] * z[i];
    y[k] = -sum;
  }
  solve(p, j, y);
  for (int32_t k = 0; k < p->rank; k++) x[p->cols[k]] = y[k] * scale[p->cols[k]];
}

double hki_part_open(hk_part *p, const hk_part_jac *j, double *x) {
  double worst = 0.0;
  memset(x, 0, (size_t)p->n * sizeof *x);
  hki_part_complete(p, j, p->c->phi, x);
  for (int32_t k = 0; k < p->rank; k++) {
    double e = fabs(x[p->cols[k]]) / p->c->scale[p->cols[k]];
    if (!(e <= worst)) worst = e; // also catches NaN
  }
  return worst;
}

void hki_part_multipliers(hk_part *p, const double *r, double *lam) {
  const double *rs = keep_scale(p);
  double *y = p->y;
  memset(lam, 0, (size_t)p->m * sizeof *lam);
  for (int32_t k = 0; k < p->rank; k++) y[k] = -r[p->cols[k]] * p->c->scale[p->cols[k]];
  solve_transposed(p, &p->vel, y);
  for (int32_t k = 0; k < p->rank; k++) lam[p->rows[k]] = y[k] * rs[p->rows[k]];
}

/* --- the choice ---------------------------------------------------------------------------------
 */

static void swap(int32_t *a, int32_t i, int32_t j) {
  int32_t x = a[i];
  a[i] = a[j], a[j] = x;
}

/* full pivoting on the matrix B (a copy of M), which is spent; returns the rank */
static int32_t pivots(hk_part *p, double *B) {
  double first = 0.0;
  int32_t k = 0, n = p->n;
  for (int32_t i = 0; i < n; i++) p->cols[i] = i;
  for (int32_t i = 0; i < p->m; i++) p->rows[i] = i;
  for (; k < p->m && k < n; k++) {
    double top = 0.0;
    int32_t pi = k, pj = k;
    for (int32_t i = k; i < p->m; i++)
      for (int32_t j = k; j < n; j++) {
        double e = fabs(B[p->rows[i] * n + p->cols[j]]);
        // a clear winner only: equal entries leave the order alone, whatever the round-off
        if (e > top * (1.0 + 1e-9)) top = e, pi = i, pj = j;
      }
    if (k == 0) first = top;
    if (!(top > rank_tolerance * first)) break;
    swap(p->rows, k, pi);
    swap(p->cols, k, pj);
    const double *row = B + p->rows[k] * n;
    for (int32_t i = k + 1; i < p->m; i++) {
      double *r = B + p->rows[i] * n, f = r[p->cols[k]] / row[p->cols[k]];
      if (f == 0.0) continue;
      for (int32_t j = k; j < n; j++) r[p->cols[j]] -= f * row[p->cols[j]];
    }
  }
  return k;
}

/* rows by their largest entry, those that hardly say anything left small */
static void scale_rows(hk_part *p) {
  double *rs = keep_scale(p), top = 0.0, *M = p->vel.M;
  for (int32_t i = 0; i < p->m; i++) {
    rs[i] = 0.0;
    for (int32_t j = 0; j < p->n; j++) rs[i] = fmax(rs[i], fabs(M[i * p->n + j]));
    top = fmax(top, rs[i]);
  }
  for (int32_t i = 0; i < p->m; i++) rs[i] = top > 0.0 ? 1.0 / fmax(rs[i], 1e-3 * top) : 1.0;
  for (int32_t i = 0; i < p->m; i++)
    for (int32_t j = 0; j < p->n; j++) M[i * p->n + j] *= rs[i];
}

/* choose from the matrix in vel */
static hk_status choose(hk_part *p, bool first) {
  int32_t before = p->rank;
  double *B = p->W1;
  memcpy(B, p->vel.M, (size_t)(p->m * p->n) * sizeof *B);
  p->rank = pivots(p, B);
  p->f = p->n - p->rank;
  if (!factor(p, &p->vel)) return first ? HK_E_SINGULAR : HK_RETRY;
  hki_part_columns(p, &p->vel);
  if (!first && (p->rank != before || p->vel.ratio < lost * p->keep[HK_PART_BEST]))
    return lose_rank(p);
  p->keep[HK_PART_BEST] = first ? p->vel.ratio : fmax(p->vel.ratio, p->keep[HK_PART_BEST]);
  p->keep[HK_PART_RANK] = p->rank;
  p->keep[HK_PART_RATIO] = p->vel.ratio;
  p->keep[HK_PART_SPEED] = p->vel.speed;
  for (int32_t i = 0; i < p->n; i++) keep_cols(p)[i] = p->cols[i];
  for (int32_t i = 0; i < p->m; i++) keep_rows(p)[i] = p->rows[i];
  return HK_OK;
}

static void remember(hk_part *p, const double *q) {
  dependent(p, &p->vel, keep_before(p), p->rank);
  memcpy(keep_place(p), q, (size_t)p->c->nq * sizeof *q);
}

hk_status hki_part_choose(hk_part *p) {
  for (int32_t i = 0; i < p->m; i++) keep_scale(p)[i] = 1.0;
  gather(p, &p->vel, NULL);
  scale_rows(p);
  hk_status st = choose(p, true);
  if (st != HK_OK) return st;
  remember(p, p->c->q);
  p->keep[HK_PART_MADE] = 1.0;
  return HK_OK;
}

/* --- at an accepted position --------------------------------------------------------------------
 */

/* lower triangle of a symmetric matrix: does Cholesky's method go through */
static bool positive(double *S, int32_t n) {
  for (int32_t j = 0; j < n; j++) {
    double d = S[j * n + j];
    for (int32_t k = 0; k < j; k++) d -= S[j * n + k] * S[j * n + k];
    if (!(d > 0.0)) return false;
    S[j * n + j] = d = sqrt(d);
    for (int32_t i = j + 1; i < n; i++) {
      double x = S[i * n + j];
      for (int32_t k = 0; k < j; k++) x -= S[i * n + k] * S[j * n + k];
      S[i * n + j] = x / d;
    }
  }
  return true;
}

/* is Phi_u regular all the way from `before` (rank x rank) to the one factorised in vel; W^-1
 * serves as well as W, for W^-1 + W^-T = W^-1 (W + W') W^-T */
static bool regular_between(hk_part *p, const double *before) {
  const int32_t r = p->rank;
  double *W = p->W0;
  memcpy(W, before, (size_t)(r * r) * sizeof *W);
  for (int32_t j = 0; j < r; j++) solve(p, &p->vel, W + j * r);
  for (int32_t i = 0; i < r; i++)
    for (int32_t j = 0; j <= i; j++) W[i * r + j] = 0.5 * (W[i * r + j] + W[j * r + i]);
  return positive(W, r);
}

/* Phi_u at q0 (+) s D, factorised in vel; rows stand there afterwards */
static bool place_between(hk_part *p, double t, const double *q0, const double *D, double s) {
  for (int32_t i = 0; i < p->n; i++) p->x[i] = s * D[i];
  hki_cart_plus(p->c, q0, p->x, p->c->q);
  hki_cart_state(p->c, t, p->c->q, p->c->v);
  hki_cart_rows(p->c);
  return hki_part_factor(p, &p->vel, NULL) == HK_OK;
}

/* the same from the last accepted position in smaller parts; vel and rows end at q */
static bool regular_way(hk_part *p, double t, const double *q) {
  double s = 0.0, part = 0.5, *D = p->dq, *before = p->W1;
  const size_t size = (size_t)(p->rank * p->rank) * sizeof *before;
  memcpy(p->q, q, (size_t)p->c->nq * sizeof *q);
  hki_cart_minus(p->c, p->q, keep_place(p), D);
  memcpy(before, keep_before(p), size);
  while (s < 1.0) {
    if (!place_between(p, t, keep_place(p), D, s + part)) return false;
    if (regular_between(p, before)) {
      s += part;
      dependent(p, &p->vel, before, p->rank);
      continue;
    }
    part *= 0.5;
    if (part < 1.0 / (1 << DEEPEST)) return false;
  }
  hki_cart_state(p->c, t, p->q, p->c->v);
  hki_cart_rows(p->c);
  return hki_part_factor(p, &p->vel, NULL) == HK_OK;
}

static bool redundant_closed(const hk_part *p) {
  const double *rs = keep_scale(p);
  for (int32_t k = p->rank; k < p->m; k++) {
    int32_t r = p->rows[k];
    // rows that are off are empty and have no value
    bool empty = true;
    for (int32_t j = 0; empty && j < p->n; j++) empty = p->vel.M[r * p->n + j] == 0.0;
    if (!empty && !(rs[r] * fabs(p->c->phi[r]) <= redundant_open)) return false;
  }
  return true;
}

hk_status hki_part_review(hk_part *p, double t, const double *q) {
  if (!p->rank) return HK_OK;
  if (!redundant_closed(p)) return lose_rank(p);
  if (!regular_between(p, keep_before(p)) && !regular_way(p, t, q)) return jump(p);
  hki_part_columns(p, &p->vel);
  if (p->vel.ratio < worse * p->keep[HK_PART_RATIO] ||
      (p->vel.speed > p->par.limit && p->vel.speed > 1.5 * p->keep[HK_PART_SPEED])) {
    hk_status st = choose(p, false);
    if (st != HK_OK) return st;
    p->keep[HK_PART_CHANGES] += 1.0;
  }
  remember(p, q);
  return HK_OK;
}
