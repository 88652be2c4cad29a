/* SPDX-License-Identifier: Apache-2.0
 *
 * deep.c: solutions with the stage matrix of a deep tree by the articulated recursion; see deep.h.
 */
#include "machines/tree/deep.h"

/* most terms of the border: each costs a solution; memory above which the matrix is no choice */
enum { MOST_TERMS = 12 };
static const double most_bytes = 2e9;

/* seconds of the recursion a body, of one more solution */
static const double per_body = 0.09e-6, per_term = 0.04e-6;

/* number of deformations of forces that act across several joints */
static int32_t terms(const hk_model *m) {
  int32_t n = 0;
  for (int32_t i = 0; i < m->nf; i++) {
    const hk_path *p = &m->forces[i].path;
    if (p->n && hki_tree_joint_of(m, p) == HK_NONE) n += m->forces[i].ops->rank;
    if (m->forces[i].u_state) n += m->forces[i].ops->nu;
  }
  return n;
}

hk_status hki_deep_suits(hk_ctx *ctx, const hk_model *m, bool *suits) {
  hk_cost with, without;
  *suits = false;
  if (m->nc || m->nwide || m->nnormal || m->nx || !m->nv) return HK_OK;
  const int32_t k = terms(m);
  if (k > MOST_TERMS) return HK_OK;
  hk_status st = hki_tree_cost(ctx, m, true, most_bytes, &with);
  if (st == HK_OK) st = hki_tree_cost(ctx, m, false, most_bytes, &without);
  const double matrix = with.seconds - without.seconds;
  *suits = st == HK_OK && (with.least || matrix > m->nb * (per_body + per_term * k));
  return st;
}

static void layout(hk_deep *d, const hk_model *m, bool exact, hk_arena *a) {
  hki_aba_layout(&d->aba, m, a);
  hki_own_layout(&d->own, m, a);
  if (exact) hki_sweep_layout(&d->sweep, &d->aba, m, a);
}

double hki_deep_bytes(const hk_model *m, bool exact) {
  hk_deep d = {0};
  hk_arena a = {0};
  layout(&d, m, exact, &a);
  return (double)(a.used + 64 + sizeof d);
}

hk_status hki_deep_create(hk_tree *s, bool exact) {
  hk_deep *d = s->deep = hki_alloc(s->ctx, sizeof *d);
  if (!d) return HK_E_MEMORY;
  hk_status st = hki_tree_inputs(s, HK_ACROSS_ALL);
  if (st == HK_OK && exact) st = hki_tree_allow_exact(s);
  if (st != HK_OK) return st;
  hk_arena a = {0};
  layout(d, s->m, exact, &a);
  d->block = hki_alloc(s->ctx, a.used + 64);
  if (!d->block) return HK_E_MEMORY;
  a = (hk_arena){d->block + (64 - (uintptr_t)d->block % 64) % 64, 0, a.used};
  layout(d, s->m, exact, &a);
  hki_aba_init(&d->aba, s);
  hki_own_init(&d->own, s->m);
  return HK_OK;
}

void hki_deep_destroy(hk_tree *s) {
  if (s->deep) hki_free(s->ctx, s->deep->block);
  hki_free(s->ctx, s->deep);
  s->deep = NULL;
}

static void solve(void *with, double *x) {
  hk_tree *s = with;
  if (s->deep->exact)
    hki_sweep_solve(&s->deep->sweep, x, x);
  else
    hki_aba_solve(&s->deep->aba, &s->kin, x, x);
}

hk_status hki_deep_factor(hk_tree *s, double cC, double cK, bool exact) {
  hk_deep *d = s->deep;
  const double *E = d->own.n ? d->own.E : NULL;
  if (E) hki_own_tangents(&d->own, s, &d->aba, cC, cK, false);
  if (s->border.most) hki_tree_border_terms(s, cC, cK);
  d->exact =
      exact && hki_sweep_factor(&d->sweep, s, cC, cK, s->a, s->lam, d->own.joint, E) == HK_OK;
  if (!d->exact) {
    hki_aba_factor(&d->aba, s, E);
    if (hki_aba_is_soft(&d->aba)) return HK_E_SINGULAR;
  }
  return hki_border_factor(&s->border, solve, s);
}

void hki_deep_solve(hk_tree *s, double *x) {
  solve(s, x);
  hki_border_apply(&s->border, x);
}

hk_status hki_deep_accel(hk_tree *s, double *a) {
  hki_aba_accel(&s->deep->aba, s, NULL, s->kin.tau, a);
  if (hki_aba_is_soft(&s->deep->aba)) return HK_E_SINGULAR;
  for (int32_t i = 0; i < s->m->nv; i++)
    if (!isfinite(a[i])) return HK_E_NUMBER;
  return HK_OK;
}
