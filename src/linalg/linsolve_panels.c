/* SPDX-License-Identifier: Apache-2.0
 *
 * linsolve_panels.c: linear solver "panels": LU of unsymmetric values in dense panels over a symmetric
 * pattern (ldu_body.h), for large systems with much fill, such as shells. Pivots are taken in an order
 * fixed beforehand: multipliers follow the unknowns that they constrain (options.rows).
 *
 * Such pivots can be bad. Each solution is therefore checked against the matrix, row by row,
 *
 *   omega = max_i |b - A x|_i / (|A| |x| + |b|)_i
 *
 * and improved by corrections. In rows whose denominator is round-off of the others it is increased by
 * the sum of the row times the largest x (M. Arioli, J. W. Demmel, I. S. Duff, SIAM J. Matrix Anal.
 * Appl. 10, 1989, section 2). Where that does not help, or a pivot fails, the solver with pivots chosen by value
 * (klu) takes over for the rest of the run, on the same values.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/csc.h"
#include "linalg/linsolve.h"
#include "linalg/sparse_ldl.h"

extern const hk_linsolve_ops hki_linsolve_panels;

/* omega of a good solution, far below what a correction of Newton's needs; corrections before another
 * solver takes over */
static const double good = 1e-9;
enum { TRIES = 3, MEMORY = 3 };

typedef struct panels_data {
  hk_csc a;
  hk_ldl *ldl;
  hk_ldu_num num;
  void *block;
  int32_t *place;        /* nval: places of the values in the panels */
  double *largest;       /* n: of the columns */
  double *sum;           /* n: of the sizes of each row's entries */
  double *b, *r, *size;  /* n each: right side, its rest, |A| |x| + |b| */
  double rcond, *memory; /* 1 with `other`, then its own memory; else rcond */
  hk_linsolve *other;    /* has taken over; NULL: not yet */
} panels_data;

static void destroy(hk_linsolve *s) {
  panels_data *d = s->data;
  hki_linsolve_destroy(d->other);
  hki_ldl_destroy(d->ldl);
  hki_csc_free(s->ctx, &d->a);
  hki_free(s->ctx, d->block);
  hki_free(s->ctx, d->place);
  hki_free(s->ctx, d->memory);
  hki_free(s->ctx, s->val);
  hki_free(s->ctx, d);
}

/* all numbers but the values in one block */
static bool take_memory(hk_linsolve *s, panels_data *d) {
  hk_arena a = {0};
  for (int pass = 0; pass < 2; pass++) {
    hki_ldu_layout(d->ldl, &a, &d->num);
    d->largest = HK_TAKE(&a, double, s->n);
    d->sum = HK_TAKE(&a, double, s->n);
    d->b = HK_TAKE(&a, double, s->n);
    d->r = HK_TAKE(&a, double, s->n);
    d->size = HK_TAKE(&a, double, s->n);
    if (pass) return true;
    d->block = hki_alloc(s->ctx, a.used + 64);
    if (!d->block) return false;
    a = (hk_arena){(unsigned char *)d->block + (64 - (uintptr_t)d->block % 64) % 64, 0, a.used};
  }
  return true;
}

static hk_status analyze(hk_linsolve *s, const hk_pattern *p, const hk_linsolve_options *o) {
  panels_data *d = s->data = hki_alloc(s->ctx, sizeof *d);
  if (!d) return HK_E_MEMORY;
  hk_status status = hki_csc_build(p, &d->a);
  if (status == HK_OK)
    status = hki_ldl_create_saddle(s->ctx, p, o->rows > 0 ? o->rows : s->n, &d->ldl);
  if (status != HK_OK) return status;
  s->nval = s->n ? d->a.start[s->n] : 0;
  s->val = hki_alloc(s->ctx, (size_t)s->nval * sizeof *s->val);
  d->place = hki_alloc(s->ctx, (size_t)s->nval * sizeof *d->place);
  d->memory = hki_alloc(s->ctx, (size_t)(MEMORY + s->nval) * sizeof *d->memory);
  if (!s->val || !d->place || !d->memory || !take_memory(s, d)) return HK_E_MEMORY;
  if (2.0 * hki_ldl_value_count(d->ldl) > (double)INT32_MAX) return HK_E_MEMORY;
  for (int32_t j = 0; j < s->n; j++)
    for (int32_t k = d->a.start[j]; k < d->a.start[j + 1]; k++)
      d->place[k] = (int32_t)hki_ldu_place(d->ldl, d->a.row[k], j);
  return HK_OK;
}

static int32_t slot(const hk_linsolve *s, int32_t i, int32_t j) {
  const panels_data *d = s->data;
  return hki_csc_slot(&d->a, i, j);
}

/* the solver that chooses pivots by value, on the same entries; false: there is none */
static bool make_other(hk_linsolve *s, panels_data *d) {
  const hk_linsolve_options o = {.method = "klu"};
  hk_pattern p;
  if (!hki_linsolve_find(o.method)) return false;
  hki_pattern_init(&p, s->ctx, s->n);
  for (int32_t j = 0; j < s->n; j++)
    hki_pattern_rect(&p, d->a.start[j + 1] - d->a.start[j], d->a.row + d->a.start[j], 1, &j);
  const hk_status st = hki_linsolve_create(s->ctx, &p, &o, &d->other);
  hki_pattern_free(&p);
  return st == HK_OK;
}

/* the other solver on the present values; returns `failed` where there is none */
static hk_status take_over(hk_linsolve *s, panels_data *d, hk_status failed) {
  if (!d->other && !make_other(s, d)) return failed;
  memcpy(d->other->val, s->val, (size_t)s->nval * sizeof *s->val);
  const hk_status st = hki_linsolve_refactor(d->other);
  s->bad = d->other->bad;
  s->full += st == HK_OK;
  return st;
}

/* values into both halves, largest entries of the columns */
static void spread(const hk_linsolve *s, panels_data *d) {
  memset(d->num.low, 0, 2 * (size_t)hki_ldl_value_count(d->ldl) * sizeof *d->num.low);
  memset(d->sum, 0, (size_t)s->n * sizeof *d->sum);
  for (int32_t j = 0; j < s->n; j++) {
    double most = 0.0;
    for (int32_t k = d->a.start[j]; k < d->a.start[j + 1]; k++) {
      const double x = fabs(s->val[k]);
      if (!(x <= most)) most = x;
      d->num.low[d->place[k]] = s->val[k];
      d->sum[d->a.row[k]] += x;
    }
    d->largest[j] = most;
  }
}

static hk_status factor(hk_linsolve *s) {
  panels_data *d = s->data;
  double low = INFINITY, high = 0.0;
  s->bad = -1;
  d->rcond = 1.0;
  if (s->n == 0) return HK_OK;
  if (d->other) return take_over(s, d, HK_E_INTERNAL);
  spread(s, d);
  const hk_status st = hki_ldu_factor(d->ldl, &d->num, d->largest);
  s->bad = d->num.bad;
  if (st == HK_E_SINGULAR) return take_over(s, d, st);
  if (st != HK_OK) return st;
  for (int32_t i = 0; i < s->n; i++)
    low = fmin(low, fabs(d->num.inv[i])), high = fmax(high, fabs(d->num.inv[i]));
  d->rcond = low / high;
  s->again++;
  return HK_OK;
}

/* d->r = b - A x; returns omega */
static double rest(const hk_linsolve *s, panels_data *d, const double *x) {
  const double tiny = 1e3 * DBL_EPSILON * s->n;
  double omega = 0.0, most = 0.0;
  for (int32_t i = 0; i < s->n; i++) most = fmax(most, fabs(x[i]));
  for (int32_t i = 0; i < s->n; i++) d->r[i] = d->b[i], d->size[i] = fabs(d->b[i]);
  for (int32_t j = 0; j < s->n; j++)
    for (int32_t k = d->a.start[j]; k < d->a.start[j + 1]; k++) {
      const double y = s->val[k] * x[j];
      d->r[d->a.row[k]] -= y;
      d->size[d->a.row[k]] += fabs(y);
    }
  for (int32_t i = 0; i < s->n; i++) {
    const double e = fabs(d->r[i]), whole = d->sum[i] * most;
    const double size =
        d->size[i] < tiny * (whole + fabs(d->b[i])) ? d->size[i] + whole : d->size[i];
    if (!(e <= omega * size)) omega = e / size;
  }
  return omega;
}

static void solve(hk_linsolve *s, double *x) {
  panels_data *d = s->data;
  if (d->other) {
    hki_linsolve_solve(d->other, x);
    return;
  }
  if (s->n == 0) return;
  memcpy(d->b, x, (size_t)s->n * sizeof *x);
  hki_ldu_solve(d->ldl, &d->num, x);
  for (int32_t k = 0; k < TRIES; k++) {
    const double omega = rest(s, d, x);
    if (omega <= good) return;
    hki_ldu_solve(d->ldl, &d->num, d->r);
    for (int32_t i = 0; i < s->n; i++) x[i] += d->r[i];
  }
  if (rest(s, d, x) <= good || !make_other(s, d)) return;
  if (take_over(s, d, HK_E_SINGULAR) != HK_OK) return;
  memcpy(x, d->b, (size_t)s->n * sizeof *x);
  hki_linsolve_solve(d->other, x);
}

static void mul(hk_linsolve *s, const double *x, double *y) {
  const panels_data *d = s->data;
  hki_csc_mul(&d->a, s->val, x, y);
}

static double rcond(hk_linsolve *s) {
  const panels_data *d = s->data;
  return d->other ? hki_linsolve_rcond(d->other) : d->rcond;
}

static int32_t memory(hk_linsolve *s, double **block) {
  panels_data *d = s->data;
  double *own;
  d->memory[0] = d->other ? 1.0 : 0.0;
  d->memory[1] = d->rcond;
  if (d->other) {
    const int32_t n = hki_linsolve_memory(d->other, &own);
    memcpy(d->memory + 1, own, (size_t)n * sizeof *own);
  }
  *block = d->memory;
  return MEMORY + s->nval;
}

static hk_status recall(hk_linsolve *s) {
  panels_data *d = s->data;
  double *own;
  if (d->memory[0] == 0.0) {
    hki_linsolve_destroy(d->other);
    d->other = NULL;
    d->rcond = d->memory[1];
    return HK_OK;
  }
  if (!d->other && !make_other(s, d)) return HK_E_MEMORY;
  const int32_t n = hki_linsolve_memory(d->other, &own);
  memcpy(own, d->memory + 1, (size_t)n * sizeof *own);
  return hki_linsolve_recall(d->other);
}

static void describe(const hk_linsolve *s, hk_text *t) {
  const panels_data *d = s->data;
  hk_ldl_stats st;
  if (d->other) {
    hki_linsolve_describe(d->other, t);
    return;
  }
  hki_ldl_get_stats(d->ldl, &st);
  hki_text_printf(t, "LU in panels, n = %d, %d entries, %d panels, %lld entries in the factors",
                  s->n, s->nval, st.supernodes, 2 * (long long)st.fill + s->n);
}

static void cost(const hk_linsolve *s, hk_cost *out) {
  const panels_data *d = s->data;
  hk_ldl_stats st;
  hki_ldl_get_stats(d->ldl, &st);
  out->bytes = st.bytes + 28.0 * s->nval + 32.0 * s->n + (double)sizeof *d;
  out->seconds = 0.28e-9 * st.work + 4e-9 * (double)st.fill + 5e-9 * s->nval;
}

const hk_linsolve_ops hki_linsolve_panels = {
    "panels", "sparse LU with a static order and dense panels, checked by its residual",
    false,    analyze,
    slot,     factor,
    factor,   solve,
    mul,      rcond,
    describe, destroy,
    memory,   recall,
    cost};
