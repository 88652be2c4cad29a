/* SPDX-License-Identifier: Apache-2.0
 *
 * grade_rank.c: was a singular position passed? Where constraints lose rank, the equations of a step
 * do not determine the motion, and a step that is too long jumps to another one.
 *
 * The rows of the closures, of about unit length, are orthogonalised with the longest remainder
 * first. The length of the last remainder of the rank at the start measures how far a position is
 * from a singular one. The positions about the step with the largest change of the audit, along its
 * velocity, are compared with the start.
 */
#include "simulation/simulation.h"

enum { MOST_ROWS = 200, MOST_COLUMNS = 400, PLACES = 16 };

static const double zero = 1e-6; /* remainders below are those of dependent rows */
static const double near = 0.1;  /* a last remainder below this, and below this share of the one */
                                 /* at the start, is close to a singular position */

static double dot(const double *x, const double *y, int32_t n) {
  double sum = 0.0;
  for (int32_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* A (nrows x nv): rows of the closures at q, in scaled coordinates, over their lengths (nrows). A row
 * that vanishes at a singular position must stay small: the lengths are those of the start. */
static void fill(hk_sim *s, const double *q, const double *length, double *A, double *x) {
  hk_tree *t = s->tree;
  const hk_model *m = s->m;
  hki_tree_state(t, 0.0, q, s->start_v, 0);
  memset(x, 0, (size_t)m->nv * sizeof *x);
  for (int32_t j = 0; j < m->nv; j++) {
    x[j] = t->scale[j];
    hki_tree_rows(t, x, t->row);
    x[j] = 0.0;
    for (int32_t i = 0; i < m->nrows; i++) A[i * m->nv + j] = t->row[i] / length[i];
  }
}

/* Length of the remainder number *rank, the longest first. *rank < 0: finds the rank, and returns
 * the last remainder that is not zero. */
static double last_remainder(double *A, int32_t nrows, int32_t nv, int32_t *rank) {
  const int32_t most = *rank < 0 ? nrows : *rank;
  double last = 0.0;
  for (int32_t k = 0; k < most; k++) {
    int32_t best = k;
    double top = 0.0, *row = A + k * nv;
    for (int32_t i = k; i < nrows; i++) {
      const double n = dot(A + i * nv, A + i * nv, nv);
      if (n > top) top = n, best = i;
    }
    if (*rank < 0 && sqrt(top) < zero) {
      *rank = k;
      return last;
    }
    last = sqrt(top);
    if (last < zero) return last;
    for (int32_t j = 0; j < nv; j++) {
      const double y = A[best * nv + j];
      A[best * nv + j] = row[j];
      row[j] = y / last;
    }
    for (int32_t i = k + 1; i < nrows; i++) {
      const double c = dot(A + i * nv, row, nv);
      for (int32_t j = 0; j < nv; j++) A[i * nv + j] -= c * row[j];
    }
  }
  *rank = most;
  return last;
}

bool hki_grade_singular(hk_sim *s) {
  const int32_t nrows = s->m->nrows, nv = s->m->nv;
  if (!s->jump_known || !nrows || nrows > MOST_ROWS || nv > MOST_COLUMNS || s->m->nx) return false;
  for (int32_t i = 0; i < s->m->nq; i++)
    if (!isfinite(s->jump_q[i])) return false;
  const size_t size = (size_t)(nrows + 1) * (size_t)nv + (size_t)(s->m->nq + nrows);
  double *A = hki_alloc(s->ctx, size * sizeof *A);
  if (!A) return false;
  double *x = A + nrows * nv, *q = x + nv, *length = q + s->m->nq;
  int32_t rank = -1;
  for (int32_t i = 0; i < nrows; i++) length[i] = 1.0;
  fill(s, s->start_q, length, A, x);
  for (int32_t i = 0; i < nrows; i++)
    length[i] = fmax(sqrt(dot(A + i * nv, A + i * nv, nv)), 1e-3 * s->m->length);
  fill(s, s->start_q, length, A, x);
  const double start = last_remainder(A, nrows, nv, &rank);
  double there = start;
  for (int k = 0; k <= PLACES; k++) {
    // back along the last step, and as far ahead
    for (int32_t i = 0; i < nv; i++) x[i] = s->jump_v[i] * s->step * (1.0 - 2.0 * k / PLACES);
    hki_tree_plus(s->m, s->jump_q, x, q);
    fill(s, q, length, A, x);
    there = fmin(there, last_remainder(A, nrows, nv, &rank));
  }
  hki_free(s->ctx, A);
  return rank > 0 && there < near && there < near * start;
}
