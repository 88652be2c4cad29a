/* SPDX-License-Identifier: Apache-2.0
 *
 * exact.c: corrections of the recursive formulation by the exact matrix T of a stage, also in O(n)
 * (machines/tree/sweep.h), with the rows of the closures and the terms of the border:
 *
 *   T x + Phi_z' mu = -(M a* + Phi_z' lam - Q),   Phi_z x + (Phi_z a* + gamma) = 0
 *   X = T^-1 Phi_z',   (Phi_z X + 1/alpha) mu = Phi_z x0 + ..                       x0: without mu
 *
 * Source: as recursive.c.
 */
#include "formulations/recursive/recursive.h"

/* X, Cx of the rows that are on */
static hk_status factor_rows(hk_recursive *f) {
  hk_tree *s = f->s;
  const int32_t nv = s->m->nv;
  memset(s->row, 0, (size_t)s->m->nrows * sizeof *s->row);
  memset(f->Cx, 0, (size_t)(f->ld * f->nr) * sizeof *f->Cx);
  for (int32_t i = 0; i < f->nr; i++) {
    double *x = f->X + (size_t)i * (size_t)nv, *C = f->Cx + (size_t)i * (size_t)f->ld;
    memset(f->b, 0, (size_t)nv * sizeof *f->b);
    s->row[f->act[i]] = 1.0;
    hki_tree_add_rows(s, s->row, f->b);
    s->row[f->act[i]] = 0.0;
    hki_sweep_solve(&f->sweep, f->b, x);
    hki_tree_rows(s, x, f->ya);
    for (int32_t j = 0; j < f->nr; j++) C[j] = f->ya[f->act[j]];
    C[i] += 1.0 / s->alpha[f->act[i]];
  }
  return hki_dense_lu_factor(f->nr, f->Cx, f->ld, f->pivot, f->invx, f->work, NULL);
}

/* x: solution of T x + Phi_z' mu = x, Phi_z x + g = 0; g: nrows, NULL = 0 */
static void solve_exact(hk_recursive *f, const double *g, double *x) {
  hk_tree *s = f->s;
  const int32_t nv = s->m->nv;
  hki_sweep_solve(&f->sweep, x, x);
  for (int pass = 0; f->nr && pass < 3; pass++) {
    hki_tree_rows(s, x, s->row);
    for (int32_t i = 0; i < f->nr; i++) f->w[i] = s->row[f->act[i]] + (g ? g[f->act[i]] : 0.0);
    hki_dense_lu_solve(f->nr, f->Cx, f->ld, f->pivot, f->invx, f->w, f->work);
    for (int32_t i = 0; i < f->nr; i++)
      for (int32_t j = 0; j < nv; j++) x[j] -= f->w[i] * f->X[(size_t)i * (size_t)nv + (size_t)j];
  }
}

/* the same for the border */
static void solve_exact_closed(void *with, double *x) { solve_exact(with, NULL, x); }

hk_status hki_recursive_exact(hk_recursive *f) {
  hk_tree *s = f->s;
  const hk_model *m = s->m;
  const double c = 1.0 / f->st.ca;
  hk_status st = hki_sweep_factor(&f->sweep, s, f->st.cv * c, c, f->as, s->lam, f->own.joint,
                                  f->own.n ? f->own.E : NULL);
  if (st == HK_OK && f->nr) st = factor_rows(f);
  if (st == HK_OK) st = hki_border_factor(&s->border, solve_exact_closed, f);
  if (st != HK_OK) return HK_E_SINGULAR;
  hki_tree_residual(s, f->as, s->r);
  hki_tree_add_rows(s, s->lam, s->r);
  for (int32_t i = 0; i < m->nv; i++) f->x0[i] = -s->r[i];
  // rows that the correction must close: Phi_z a* + gamma
  hki_tree_rows(s, f->as, f->ya);
  for (int32_t i = 0; i < m->nrows; i++) f->ya[i] += s->kin.gamma[i];
  solve_exact(f, f->ya, f->x0);
  hki_border_apply(&s->border, f->x0);
  for (int32_t i = 0; i < m->nv; i++) {
    s->a[i] = f->as[i] + f->x0[i];
    if (!isfinite(s->a[i])) return HK_RETRY;
  }
  return HK_OK;
}
