/* SPDX-License-Identifier: Apache-2.0
 *
 * klu.c: linear solver "klu": sparse LU of unsymmetric matrices by SuiteSparse KLU (T. A. Davis,
 * E. Palamadai Natarajan, ACM TOMS 37, 2010). No other file uses KLU.
 *
 * The first factorisation chooses pivots. Later ones keep them, without allocation, while no pivot
 * is round-off of its column and rcond = smallest / largest pivot is above eps^(2/3) or has not
 * fallen to a tenth since the factorisation before; otherwise pivots are chosen anew. The values
 * from which they were chosen are stored, so that the solver of a resumed run chooses the same.
 */
#ifdef HK_WITH_KLU
#include <float.h>
#include <klu.h>
#include <math.h>
#include <string.h>

#include "linalg/csc.h"
#include "linalg/linsolve.h"

extern const hk_linsolve_ops hki_linsolve_klu;

typedef struct klu_data {
  hk_csc a;
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric;
  int32_t *place; /* n: position of each row in the pivot order */
  double rcond;
  double *memory; /* 1 with factors, 0 without; rcond; values from which the pivots were chosen */
} klu_data;

enum { MEMORY = 2 }; /* numbers before the values */

static void destroy(hk_linsolve *s) {
  klu_data *d = s->data;
  klu_free_numeric(&d->numeric, &d->common);
  klu_free_symbolic(&d->symbolic, &d->common);
  hki_csc_free(s->ctx, &d->a);
  hki_free(s->ctx, d->place);
  hki_free(s->ctx, d->memory);
  hki_free(s->ctx, s->val);
  hki_free(s->ctx, d);
}

static hk_status analyze(hk_linsolve *s, const hk_pattern *p, const hk_linsolve_options *o) {
  (void)o;
  klu_data *d = s->data = hki_alloc(s->ctx, sizeof *d);
  if (!d) return HK_E_MEMORY;
  klu_defaults(&d->common);
  hk_status status = hki_csc_build(p, &d->a);
  if (status != HK_OK) return status;
  s->nval = s->n ? d->a.start[s->n] : 0;
  s->val = hki_alloc(s->ctx, (size_t)s->nval * sizeof *s->val);
  d->place = hki_alloc(s->ctx, (size_t)s->n * sizeof *d->place);
  d->memory = hki_alloc(s->ctx, (size_t)(MEMORY + s->nval) * sizeof *d->memory);
  if (!s->val || !d->place || !d->memory) return HK_E_MEMORY;
  if (s->n == 0) return HK_OK;
  d->symbolic = klu_analyze(s->n, d->a.start, d->a.row, &d->common);
  if (!d->symbolic) {
    return hki_error(s->ctx, HK_E_MEMORY, HK_LOC_NONE, NULL, "KLU cannot analyse the matrix (%d)",
                     d->common.status);
  }
  return HK_OK;
}

static int32_t slot(const hk_linsolve *s, int32_t i, int32_t j) {
  const klu_data *d = s->data;
  return hki_csc_slot(&d->a, i, j);
}

/* The first column whose pivot is round-off of the part of the column inside its diagonal block,
 * -1 when there is none. Sets rcond. */
static int32_t check_pivots(const hk_linsolve *s, klu_data *d) {
  const double *pivot = d->numeric->Udiag, *scale = d->numeric->Rs;
  double low = INFINITY, high = 0.0, tol = DBL_EPSILON * (s->n < 32 ? 2.0 * s->n : 64.0);
  int32_t bad = -1;
  for (int32_t block = 0; block < d->symbolic->nblocks; block++) {
    int32_t first = d->symbolic->R[block], last = d->symbolic->R[block + 1];
    for (int32_t k = first; k < last; k++) {
      int32_t col = d->symbolic->Q[k];
      double big = 0.0, p = fabs(pivot[k]);
      for (int32_t i = d->a.start[col]; i < d->a.start[col + 1]; i++) {
        int32_t at = d->place[d->a.row[i]];
        if (at < first) continue;
        double a = fabs(s->val[i]) / (scale ? scale[at] : 1.0);
        if (!(a <= big)) big = a;
      }
      if (bad < 0 && !(p > tol * big && p <= DBL_MAX)) bad = col;
      low = fmin(low, p), high = fmax(high, p);
    }
  }
  d->rcond = high > 0.0 ? low / high : 0.0;
  return bad;
}

/* status for a column without a pivot: not a number, or singular */
static hk_status failure(hk_linsolve *s, int32_t bad) {
  s->bad = bad >= 0 && bad < s->n ? bad : 0;
  for (int32_t i = 0; i < s->nval; i++)
    if (!(fabs(s->val[i]) <= DBL_MAX)) return HK_E_NUMBER;
  return HK_E_SINGULAR;
}

static hk_status factor(hk_linsolve *s) {
  klu_data *d = s->data;
  s->bad = -1;
  s->full++;
  if (s->n == 0) return HK_OK;
  klu_free_numeric(&d->numeric, &d->common);
  d->numeric = klu_factor(d->a.start, d->a.row, s->val, d->symbolic, &d->common);
  if (!d->numeric) {
    if (d->common.status == KLU_SINGULAR) return failure(s, d->common.singular_col);
    return hki_error(s->ctx, HK_E_MEMORY, HK_LOC_NONE, NULL, "KLU cannot factor the matrix (%d)",
                     d->common.status);
  }
  for (int32_t k = 0; k < s->n; k++) d->place[d->numeric->Pnum[k]] = k;
  memcpy(d->memory + MEMORY, s->val, (size_t)s->nval * sizeof *s->val);
  int32_t bad = check_pivots(s, d);
  if (bad < 0) return HK_OK;
  klu_free_numeric(&d->numeric, &d->common);
  return failure(s, bad);
}

static hk_status refactor(hk_linsolve *s) {
  klu_data *d = s->data;
  const double doubt = 3.7e-11; /* eps^(2/3) */
  if (!d->numeric) return factor(s);
  s->bad = -1;
  int good = klu_refactor(d->a.start, d->a.row, s->val, d->symbolic, d->numeric, &d->common);
  if (!good || d->common.status != KLU_OK) return factor(s);
  double before = d->rcond;
  int32_t bad = check_pivots(s, d);
  // a matrix that was badly scaled from the start keeps its pivots
  if (bad >= 0 || (d->rcond < doubt && d->rcond < 0.1 * before)) return factor(s);
  s->again++;
  return HK_OK;
}

static void solve(hk_linsolve *s, double *x) {
  klu_data *d = s->data;
  if (s->n) klu_solve(d->symbolic, d->numeric, s->n, 1, x, &d->common);
}

static void mul(hk_linsolve *s, const double *x, double *y) {
  const klu_data *d = s->data;
  hki_csc_mul(&d->a, s->val, x, y);
}

static double rcond(hk_linsolve *s) {
  const klu_data *d = s->data;
  return s->n ? d->rcond : 1.0;
}

static int32_t memory(hk_linsolve *s, double **block) {
  klu_data *d = s->data;
  d->memory[0] = d->numeric ? 1.0 : 0.0;
  d->memory[1] = d->rcond;
  *block = d->memory;
  return MEMORY + s->nval;
}

static hk_status recall(hk_linsolve *s) {
  klu_data *d = s->data;
  const double rcond_then = d->memory[1];
  if (d->memory[0] == 0.0) {
    klu_free_numeric(&d->numeric, &d->common);
    return HK_OK;
  }
  memcpy(s->val, d->memory + MEMORY, (size_t)s->nval * sizeof *s->val);
  hk_status st = factor(s);
  d->rcond = rcond_then;
  return st;
}

static void describe(const hk_linsolve *s, hk_text *t) {
  const klu_data *d = s->data;
  hki_text_printf(t, "KLU, n = %d, %d entries, %d blocks, %d entries in the factors", s->n, s->nval,
                  d->symbolic ? d->symbolic->nblocks : 0,
                  d->numeric ? d->numeric->lnz + d->numeric->unz : 0);
}

/* The analysis counts the entries of factors with pivots on the diagonal; pivots chosen by value
 * add `more` of them. Each has a number and an index; lists per column beside. */
static void cost(const hk_linsolve *s, hk_cost *out) {
  const klu_data *d = s->data;
  const double more = 1.2, n = s->n;
  out->bytes = 20.0 * s->nval + 150.0 * n + sizeof *d;
  if (!d->symbolic) return;
  const double lu = d->symbolic->lnz + d->symbolic->unz;
  out->bytes += 12.0 * more * lu;
  out->seconds = 1e-9 * fmax(d->symbolic->est_flops, 0.0) + 10e-9 * lu + 20e-9 * s->nval;
}

const hk_linsolve_ops hki_linsolve_klu = {
    "klu",    "sparse LU with partial pivoting (SuiteSparse KLU)",
    false,    analyze,
    slot,     factor,
    refactor, solve,
    mul,      rcond,
    describe, destroy,
    memory,   recall,
    cost};
#else
/* a file may not be empty */
typedef int hki_no_klu;
#endif
