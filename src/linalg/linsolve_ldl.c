/* SPDX-License-Identifier: Apache-2.0
 *
 * linsolve_ldl.c: linear solver "sparse_ldl": symmetric, static order, no pivoting (sparse_ldl.h).
 */
#include "linalg/linsolve.h"
#include "linalg/sparse_ldl.h"

extern const hk_linsolve_ops hki_linsolve_sparse_ldl;

typedef struct ldl_data {
  hk_ldl *ldl;
  hk_ldl_num num;
  void *block;
} ldl_data;

static void destroy(hk_linsolve *s) {
  ldl_data *d = s->data;
  hki_ldl_destroy(d->ldl);
  hki_free(s->ctx, d->block);
  hki_free(s->ctx, d);
}

static hk_status analyze(hk_linsolve *s, const hk_pattern *p, const hk_linsolve_options *o) {
  ldl_data *d = s->data = hki_alloc(s->ctx, sizeof *d);
  if (!d) return HK_E_MEMORY;
  bool keep = o->keep_order && o->order;
  hk_status status = keep ? hki_ldl_create_ordered(s->ctx, p, o->order, &d->ldl)
                          : hki_ldl_create(s->ctx, p, o->order, &d->ldl);
  if (status != HK_OK) return status;
  // one block for all numbers
  hk_arena a = {0};
  hki_ldl_layout(d->ldl, &a, &d->num);
  d->block = hki_alloc(s->ctx, a.used);
  if (!d->block) return HK_E_MEMORY;
  a = (hk_arena){d->block, 0, a.used};
  hki_ldl_layout(d->ldl, &a, &d->num);
  s->val = d->num.val;
  s->nval = hki_ldl_value_count(d->ldl);
  return HK_OK;
}

static int32_t slot(const hk_linsolve *s, int32_t i, int32_t j) {
  const ldl_data *d = s->data;
  return hki_ldl_slot(d->ldl, i, j);
}

static hk_status factor(hk_linsolve *s) {
  ldl_data *d = s->data;
  hk_status status = hki_ldl_factor(d->ldl, &d->num, s->val);
  s->bad = d->num.bad;
  s->negative = d->num.negative;
  s->again++;
  return status;
}

static void solve(hk_linsolve *s, double *x) {
  ldl_data *d = s->data;
  hki_ldl_solve(d->ldl, &d->num, x);
}

static void mul(hk_linsolve *s, const double *x, double *y) {
  ldl_data *d = s->data;
  hki_ldl_mul(d->ldl, &d->num, s->val, x, y);
}

static double rcond(hk_linsolve *s) {
  ldl_data *d = s->data;
  return hki_ldl_pivot_ratio(d->ldl, &d->num, s->val);
}

static void describe(const hk_linsolve *s, hk_text *t) {
  const ldl_data *d = s->data;
  hk_ldl_stats st;
  hki_ldl_get_stats(d->ldl, &st);
  hki_text_printf(t, "sparse LDL', n = %d, %d panels, %lld entries below the diagonal, %s order",
                  s->n, st.supernodes, (long long)st.fill,
                  st.order_given ? "given" : "minimum-degree");
}

static void cost(const hk_linsolve *s, hk_cost *out) {
  const ldl_data *d = s->data;
  hk_ldl_stats st;
  hki_ldl_get_stats(d->ldl, &st);
  out->bytes = st.bytes + (double)sizeof *d;
  out->seconds = 0.14e-9 * st.work + 2e-9 * (double)st.fill;
}

const hk_linsolve_ops hki_linsolve_sparse_ldl = {
    "sparse_ldl", "sparse LDL' with a static order and dense panels",
    true,         analyze,
    slot,         factor,
    factor,       solve,
    mul,          rcond,
    describe,     destroy,
    NULL,         NULL,
    cost};
