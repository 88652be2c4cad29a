/* SPDX-License-Identifier: Apache-2.0
 *
 * pencil.c: A + g C + g^2 K with its parts.
 */
#include "linalg/pencil.h"

static void layout(hk_pencil *p, hk_arena *a) {
  p->start = HK_TAKE(a, int32_t, p->n + 1);
  p->col = HK_TAKE(a, int32_t, p->nentry);
  p->from = HK_TAKE(a, int32_t, p->nentry);
  p->at = HK_TAKE(a, int32_t, p->nentry);
  p->A = HK_TAKE(a, double, p->nentry);
  p->C = HK_TAKE(a, double, p->nentry);
  p->K = HK_TAKE(a, double, p->nentry);
}

/* entries of the pattern, row by row: counts them, or stores them too */
static int32_t entries(hk_pencil *p, const hk_ldl *like, bool store) {
  int32_t n = 0;
  for (int32_t i = 0; i < p->n; i++) {
    if (store) p->start[i] = n;
    for (int32_t j = 0; j < (p->symmetric ? i + 1 : p->n); j++) {
      const int32_t from = hki_ldl_slot(like, i, j);
      if (from < 0) continue;
      if (store) p->col[n] = j, p->from[n] = from;
      n++;
    }
  }
  if (store) p->start[p->n] = n;
  return n;
}

/* the solver of T, and the places of the entries in it */
static hk_status make_solver(hk_pencil *p, const int32_t *order) {
  hk_linsolve_options o = {.symmetric = p->symmetric, .order = p->symmetric ? order : NULL};
  hk_pattern pattern;
  hki_pattern_init(&pattern, p->ctx, p->n);
  for (int32_t i = 0; i < p->n; i++)
    hki_pattern_rect(&pattern, 1, &i, p->start[i + 1] - p->start[i], p->col + p->start[i]);
  hk_status st = hki_linsolve_create(p->ctx, &pattern, &o, &p->T);
  hki_pattern_free(&pattern);
  if (st != HK_OK) return st;
  hki_linsolve_zero(p->T);
  for (int32_t i = 0; i < p->n; i++)
    for (int32_t e = p->start[i]; e < p->start[i + 1]; e++)
      p->at[e] = hki_linsolve_entry(p->T, i, p->col[e]);
  return HK_OK;
}

hk_status hki_pencil_create(hk_ctx *ctx, const hk_ldl *like, bool symmetric, hk_pencil *p) {
  hk_ldl_stats stats;
  hk_arena a = {0};
  hki_ldl_get_stats(like, &stats);
  *p = (hk_pencil){.ctx = ctx, .symmetric = symmetric, .n = stats.n};
  p->nentry = entries(p, like, false);
  layout(p, &a);
  p->block = hki_alloc(ctx, a.used + 64);
  if (!p->block) return HK_E_MEMORY;
  a = (hk_arena){p->block + (64 - (uintptr_t)p->block % 64) % 64, 0, a.used};
  layout(p, &a);
  entries(p, like, true);
  return make_solver(p, hki_ldl_order(like));
}

void hki_pencil_destroy(hk_pencil *p) {
  if (p->T) hki_linsolve_destroy(p->T);
  if (p->block) hki_free(p->ctx, p->block);
  *p = (hk_pencil){0};
}

int32_t hki_pencil_entry(const hk_pencil *p, int32_t i, int32_t j) {
  int32_t low = p->start[i], high = p->start[i + 1] - 1;
  while (low < high) {
    const int32_t mid = (low + high) / 2;
    if (p->col[mid] < j)
      low = mid + 1;
    else
      high = mid;
  }
  HK_ASSERT(low <= high && p->col[low] == j);
  return low;
}

void hki_pencil_take(const hk_pencil *p, const double *val, double *X) {
  for (int32_t e = 0; e < p->nentry; e++) X[e] = val[p->from[e]];
}

hk_status hki_pencil_factor(hk_pencil *p, double g) {
  double *val = p->T->val;
  for (int32_t e = 0; e < p->nentry; e++) val[p->at[e]] = p->A[e] + g * (p->C[e] + g * p->K[e]);
  return hki_linsolve_refactor(p->T);
}

void hki_pencil_solve(hk_pencil *p, double *x) { hki_linsolve_solve(p->T, x); }

void hki_pencil_mul(const hk_pencil *p, const double *u, const double *w, const double *z,
                    double *y) {
  memset(y, 0, (size_t)p->n * sizeof *y);
  for (int32_t i = 0; i < p->n; i++)
    for (int32_t e = p->start[i]; e < p->start[i + 1]; e++) {
      const int32_t j = p->col[e];
      y[i] += p->A[e] * u[j] + p->C[e] * w[j] + p->K[e] * z[j];
      if (p->symmetric && j != i) y[j] += p->A[e] * u[i] + p->C[e] * w[i] + p->K[e] * z[i];
    }
}
