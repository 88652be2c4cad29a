/* SPDX-License-Identifier: Apache-2.0
 *
 * linsolve_dense.c: linear solvers "dense_ldl" (symmetric, no pivoting) and "dense_lu" (partial
 * pivoting), on the kernels of dense.h. The pattern does not matter: every entry has a slot.
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/linsolve.h"

extern const hk_linsolve_ops hki_linsolve_dense_ldl, hki_linsolve_dense_lu;

typedef struct dense_data {
  int32_t ld;
  double *fac, *inv, *work;
  int32_t *pivot;
  void *block;
} dense_data;

static void destroy(hk_linsolve *s) {
  dense_data *d = s->data;
  hki_free(s->ctx, d->block);
  hki_free(s->ctx, d);
}

static hk_status analyze(hk_linsolve *s, const hk_pattern *p, const hk_linsolve_options *o) {
  (void)p, (void)o;
  dense_data *d = s->data = hki_alloc(s->ctx, sizeof *d);
  if (!d) return HK_E_MEMORY;
  d->ld = hki_dense_ld(s->n);
  if ((int64_t)d->ld * s->n > INT32_MAX) {
    return hki_error(s->ctx, HK_E_MEMORY, HK_LOC_NONE, "use a sparse solver",
                     "a dense matrix of %d rows is too large", s->n);
  }
  s->nval = d->ld * s->n;
  hk_arena a = {0};
  for (int pass = 0; pass < 2; pass++) {
    if (pass) {
      d->block = hki_alloc(s->ctx, a.used);
      if (!d->block) return HK_E_MEMORY;
      a = (hk_arena){d->block, 0, a.used};
    }
    s->val = HK_TAKE(&a, double, s->nval);
    d->fac = HK_TAKE(&a, double, s->nval);
    d->inv = HK_TAKE(&a, double, s->n);
    d->work = HK_TAKE(&a, double, hki_dense_work(s->n));
    d->pivot = HK_TAKE(&a, int32_t, s->n);
  }
  return HK_OK;
}

static int32_t slot_lower(const hk_linsolve *s, int32_t i, int32_t j) {
  const dense_data *d = s->data;
  return i >= j ? i + j * d->ld : j + i * d->ld;
}

static int32_t slot_full(const hk_linsolve *s, int32_t i, int32_t j) {
  const dense_data *d = s->data;
  return i + j * d->ld;
}

static hk_status factor_ldl(hk_linsolve *s) {
  dense_data *d = s->data;
  if (s->nval) memcpy(d->fac, s->val, (size_t)s->nval * sizeof *d->fac);
  hk_status status = hki_dense_ldl_factor(s->n, d->fac, d->ld, d->inv, d->work, &s->bad);
  s->negative = 0;
  for (int32_t k = 0; status == HK_OK && k < s->n; k++) s->negative += d->inv[k] < 0.0;
  s->again++;
  return status;
}

static hk_status factor_lu(hk_linsolve *s) {
  dense_data *d = s->data;
  if (s->nval) memcpy(d->fac, s->val, (size_t)s->nval * sizeof *d->fac);
  s->full++;
  return hki_dense_lu_factor(s->n, d->fac, d->ld, d->pivot, d->inv, d->work, &s->bad);
}

static void solve_ldl(hk_linsolve *s, double *x) {
  dense_data *d = s->data;
  hki_dense_ldl_solve(s->n, d->fac, d->ld, d->inv, x, d->work);
}

static void solve_lu(hk_linsolve *s, double *x) {
  dense_data *d = s->data;
  hki_dense_lu_solve(s->n, d->fac, d->ld, d->pivot, d->inv, x, d->work);
}

static void mul_full(hk_linsolve *s, const double *x, double *y) {
  const dense_data *d = s->data;
  hki_dense_mul(s->n, s->n, s->val, d->ld, x, y);
}

/* the lower triangle and its mirror image */
static void mul_lower(hk_linsolve *s, const double *x, double *y) {
  const dense_data *d = s->data;
  for (int32_t i = 0; i < s->n; i++) y[i] = 0.0;
  for (int32_t j = 0; j < s->n; j++) {
    const double *col = s->val + (size_t)j * (size_t)d->ld;
    double sum = col[j] * x[j];
    for (int32_t i = j + 1; i < s->n; i++) sum += col[i] * x[i], y[i] += col[i] * x[j];
    y[j] += sum;
  }
}

/* smallest |pivot| / |diagonal entry| */
static double rcond_ldl(hk_linsolve *s) {
  const dense_data *d = s->data;
  double low = 1.0;
  for (int32_t k = 0; k < s->n; k++) {
    double a = fabs(s->val[(size_t)k * (size_t)(d->ld + 1)]), p = 1.0 / fabs(d->inv[k]);
    if (p < low * a) low = p / a;
  }
  return low;
}

/* smallest |pivot| / largest */
static double rcond_lu(hk_linsolve *s) {
  const dense_data *d = s->data;
  double low = INFINITY, high = 0.0;
  for (int32_t k = 0; k < s->n; k++) {
    low = fmin(low, 1.0 / fabs(d->inv[k]));
    high = fmax(high, 1.0 / fabs(d->inv[k]));
  }
  return s->n ? low / high : 1.0;
}

static void describe_ldl(const hk_linsolve *s, hk_text *t) {
  hki_text_printf(t, "dense LDL', n = %d", s->n);
}

static void describe_lu(const hk_linsolve *s, hk_text *t) {
  hki_text_printf(t, "dense LU with partial pivoting, n = %d", s->n);
}

static void cost(const hk_linsolve *s, hk_cost *out) {
  const double n = s->n;
  out->bytes = 16.0 * s->nval + 8.0 * (hki_dense_work(s->n) + 2 * s->n) + sizeof(dense_data);
  out->seconds = 0.14e-9 * n * n * n / (s->ops->symmetric ? 6.0 : 3.0) + 2e-9 * n * n;
}

const hk_linsolve_ops hki_linsolve_dense_ldl = {"dense_ldl",  "dense LDL' without pivoting",
                                                true,         analyze,
                                                slot_lower,   factor_ldl,
                                                factor_ldl,   solve_ldl,
                                                mul_lower,    rcond_ldl,
                                                describe_ldl, destroy,
                                                NULL,         NULL,
                                                cost};

const hk_linsolve_ops hki_linsolve_dense_lu = {"dense_lu",  "dense LU with partial pivoting",
                                               false,       analyze,
                                               slot_full,   factor_lu,
                                               factor_lu,   solve_lu,
                                               mul_full,    rcond_lu,
                                               describe_lu, destroy,
                                               NULL,        NULL,
                                               cost};
