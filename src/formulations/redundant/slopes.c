/* SPDX-License-Identifier: Apache-2.0
 *
 * slopes.c: matrices of small motions about a state in which bodies do not turn, from the parts of the
 * stage's matrix (redundant.h), N = 1:
 *
 *   [ M 0 ] [ x'' ]   [ C 0 ] [ x' ]   [ K  G' ] [ x   ]
 *   [ 0 0 ] [  .  ] + [ 0 0 ] [ .  ] + [ G -e  ] [ lam ] = 0
 *
 * K holds d(G'lam)/dx at the multipliers of the state. e: regularisation where rows depend on each other.
 */
#include "formulations/redundant/redundant.h"
#include "linalg/csc.h"

/* X: the present values of the matrix, by the columns of `csc` */
static void take(const hk_redundant *r, const hk_csc *csc, double *X) {
  for (int32_t j = 0; j < csc->n; j++)
    for (int32_t k = csc->start[j]; k < csc->start[j + 1]; k++)
      X[k] = r->ls->val[hki_linsolve_entry(r->ls, csc->row[k], j)];
}

static hk_status allocate(hk_pool *pool, const hk_bodies *c, const hk_csc *csc, hk_slopes *out) {
  const size_t nb = (size_t)c->m->nb;
  out->at = hki_pool_alloc(pool, 2 * (nb + 1) * sizeof *out->at);
  if (!out->at) return HK_E_MEMORY;
  out->lack = out->at + nb;
  memcpy(out->at, c->v0, nb * sizeof *out->at);
  memcpy(out->lack, c->lack, nb * sizeof *out->lack);
  const size_t n = (size_t)csc->n, entries = (size_t)csc->start[csc->n];
  out->start = hki_pool_alloc(pool, (n + 1) * sizeof *out->start);
  out->row = hki_pool_alloc(pool, (entries + 1) * sizeof *out->row);
  out->M = hki_pool_alloc(pool, 3 * (entries + 1) * sizeof *out->M);
  if (!out->start || !out->row || !out->M) return HK_E_MEMORY;
  out->C = out->M + entries, out->K = out->C + entries;
  memcpy(out->start, csc->start, (n + 1) * sizeof *out->start);
  memcpy(out->row, csc->row, entries * sizeof *out->row);
  return HK_OK;
}

/* the matrices at the present state */
static void fill(hk_redundant *r, const hk_csc *csc, hk_slopes *out) {
  const hk_redundant_lines lines = {.eps = r->eps, .leave_out = r->leaves};
  for (int32_t b = 0; b < r->c->m->nb; b++)
    for (int i = 0; i < 9; i++) r->N[9 * b + i] = i % 4 == 0 ? 1.0 : 0.0;
  hki_redundant_rates(r, 1.0, 0.0);
  take(r, csc, out->M);
  hki_redundant_rates(r, 0.0, 1.0);
  take(r, csc, out->C);
  hki_redundant_stiffness(r);
  hki_redundant_add_rows(r, &lines);
  take(r, csc, out->K);
}

hk_status hki_redundant_slopes(hk_formulation *f, hk_pool *pool, double t, const double *q,
                               const double *v, const double *a, hk_slopes *out) {
  hk_redundant *r = hki_redundant_of(f);
  hk_bodies *c = r->c;
  hk_pattern p;
  hk_csc csc = {0};
  *out = (hk_slopes){.n = c->n + c->nrows, .nbodies = c->n, .nd = c->nd, .unit = r->mass};
  memcpy(out->E, c->E, sizeof out->E);
  hki_pattern_init(&p, r->ctx, out->n);
  hki_redundant_pattern(r, &p);
  hk_status st = hki_csc_build(&p, &csc);
  hki_pattern_free(&p);
  if (st == HK_OK) st = allocate(pool, c, &csc, out);
  if (st == HK_OK) {
    memcpy(c->a, a, (size_t)c->n * sizeof *a);
    hki_bodies_state(c, t, q, v);
    hki_bodies_rows(c);
    hki_bodies_forces(c);
    fill(r, &csc, out);
  }
  hki_csc_free(r->ctx, &csc);
  return st;
}
