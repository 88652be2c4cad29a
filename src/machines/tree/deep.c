/* SPDX-License-Identifier: Apache-2.0
 *
 * deep.c: solutions with the stage matrix of a deep tree by the articulated recursion; see deep.h.
 */
#include "machines/tree/deep.h"

/* most terms of the border: each costs a solution; memory above which the matrix is no
 * choice, multiplications above which fronts are none */
enum { MOST_TERMS = 12 };
static const double most_bytes = 2e9, most_work = 1e9;

/* seconds of the recursion a body, of one more solution */
static const double per_body = 0.09e-6, per_term = 0.04e-6;

/* the same of a node of the fronts, of a multiplication in them; with the solutions of an iteration */
static const double per_node = 0.10e-6, per_work = 1.7e-9;

/* number of border terms: deformations of forces that act across several joints (with loops these are rows), inputs */
static int32_t terms(const hk_model *m) {
  int32_t n = 0;
  for (int32_t i = 0; i < m->nf; i++) {
    const hk_path *p = &m->forces[i].path;
    if (!m->nc && p->n && hki_tree_joint_of(m, p) == HK_NONE) n += m->forces[i].ops->rank;
    if (m->forces[i].u_state) n += m->forces[i].ops->nu;
  }
  return n;
}

static double front_seconds(const hk_front *f, int32_t terms) {
  return per_node * (1 + terms) * f->nodes + per_work * f->work;
}

/* a loop with at most so many coordinates is local */
enum { LOCAL = 24 };

/* Do local loops bind at least half of the coordinates? What hangs in long loops alone (a taut chain) may need exact tangents, which
 * fronts do not have. */
static bool is_local(const hk_model *m) {
  int32_t rows = 0;
  for (int32_t c = 0; c < m->nc; c++)
    if (m->closures[c].path.n <= LOCAL) rows += m->closures[c].nrows;
  return 2 * rows >= m->nv;
}

/* Loops: the fronts are counted first, and where the entries of M alone take longer the matrix is not analysed */
static hk_status loops_suit(hk_ctx *ctx, const hk_model *m, int32_t k, double gain, bool *suits) {
  hk_front f;
  hk_cost with, without;
  bool found;
  if (hki_front_light(m)) return HK_OK;
  hk_status st = hki_front_count(ctx, m, most_work, &f, &found);
  if (st != HK_OK || !found) return st;
  const double front = gain * front_seconds(&f, k);
  *suits = hki_tree_mass_seconds(m) > front;
  if (*suits) return HK_OK;
  st = hki_tree_cost(ctx, m, true, most_bytes, &with);
  if (st == HK_OK) st = hki_tree_cost(ctx, m, false, most_bytes, &without);
  *suits = st == HK_OK && (with.least || with.seconds - without.seconds > front);
  return st;
}

hk_status hki_deep_suits_start(hk_ctx *ctx, const hk_model *m, const hk_front_more *more,
                               bool *suits) {
  const double matrix = hki_tree_mass_seconds(m);
  hk_front f;
  bool found;
  *suits = false;
  if (m->nwide || m->nnormal || m->nx || !m->nc || !(matrix > per_node * m->nb)) return HK_OK;
  if (!is_local(m) || hki_front_light(m)) return HK_OK;
  // rows that reach from a body to the ground make all fronts on their way wider
  const hk_status st = hki_front_count_more(ctx, m, most_work, more, &f, &found);
  *suits = st == HK_OK && found && matrix > front_seconds(&f, 0);
  return st;
}

hk_status hki_deep_suits(hk_ctx *ctx, const hk_model *m, int32_t tangent, double gain,
                         bool *suits) {
  hk_cost with, without;
  *suits = false;
  if (m->nwide || m->nnormal || m->nx || !m->nv) return HK_OK;
  const int32_t k = terms(m);
  if (k > MOST_TERMS) return HK_OK;
  if (m->nc && (tangent == HK_TANGENT_EXACT || (tangent == HK_TANGENT_AUTO && !is_local(m))))
    return HK_OK;
  if (m->nc) return loops_suit(ctx, m, k, gain, suits);
  hk_status st = hki_tree_cost(ctx, m, true, most_bytes, &with);
  if (st == HK_OK) st = hki_tree_cost(ctx, m, false, most_bytes, &without);
  const double matrix = with.seconds - without.seconds;
  *suits = st == HK_OK && (with.least || matrix > m->nb * (per_body + per_term * k));
  return st;
}

static void layout(hk_deep *d, const hk_model *m, bool exact, hk_arena *a) {
  hki_aba_layout(&d->aba, m, a);
  hki_own_layout(&d->own, m, a);
  if (exact && !m->nc) hki_sweep_layout(&d->sweep, &d->aba, m, a);
  if (!m->nc) return;
  hki_front_layout(&d->front, a);
  d->diag = HK_TAKE(a, double, m->nv);
}

hk_status hki_deep_cost(hk_ctx *ctx, const hk_model *m, bool exact, hk_cost *out) {
  hk_deep d = {0};
  hk_arena a = {0};
  bool found;
  if (m->nc) {
    const hk_status st = hki_front_count(ctx, m, most_work, &d.front, &found);
    if (st != HK_OK) return st;
    out->bytes += hki_front_bytes(&d.front);
    out->seconds += front_seconds(&d.front, terms(m));
    d.front = (hk_front){.m = m};
  } else {
    out->seconds += 0.1e-6 * m->nb;
  }
  layout(&d, m, exact, &a);
  out->bytes += (double)(a.used + 64 + sizeof d);
  return HK_OK;
}

static void layout_rows(hk_tree *s, hk_arena *a) {
  s->gz = HK_TAKE(a, double, s->kin.gz0[s->m->nc]);
}

hk_status hki_deep_create(hk_tree *s, bool exact) {
  hk_deep *d = s->deep = hki_alloc(s->ctx, sizeof *d);
  if (!d) return HK_E_MEMORY;
  d->loops = s->m->nc > 0;
  hk_status st = hki_tree_inputs(s, d->loops ? HK_ACROSS_NONE : HK_ACROSS_ALL);
  if (st == HK_OK && exact && !d->loops) st = hki_tree_allow_exact(s);
  if (st == HK_OK && d->loops) st = hki_front_create(s->ctx, s->m, s->kin.gz0, NULL, &d->front);
  if (st != HK_OK) return st;
  hk_arena a = {0};
  layout(d, s->m, exact, &a);
  if (d->loops) layout_rows(s, &a);
  d->block = hki_alloc(s->ctx, a.used + 64);
  if (!d->block) return HK_E_MEMORY;
  a = (hk_arena){d->block + (64 - (uintptr_t)d->block % 64) % 64, 0, a.used};
  layout(d, s->m, exact, &a);
  if (d->loops) layout_rows(s, &a);
  hki_aba_init(&d->aba, s);
  hki_own_init(&d->own, s->m);
  return HK_OK;
}

void hki_deep_destroy(hk_tree *s) {
  if (!s->deep) return;
  if (s->deep->loops) s->gz = NULL;
  hki_front_free(s->ctx, &s->deep->front);
  hki_free(s->ctx, s->deep->block);
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
  if (s->deep->loops)
    hki_deep_solve_loops(s, x);
  else
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

/* --- loops ------------------------------------------------------------------------------------ */

/* a new matrix begins */
void hki_deep_mass(hk_tree *s) {
  s->deep->forces = false;
  hki_tree_mass_diagonal(s);
}

void hki_deep_add_forces(hk_tree *s, double cC, double cK) {
  hk_deep *d = s->deep;
  d->forces = true;
  if (d->own.n) hki_own_tangents(&d->own, s, &d->aba, cC, cK, false);
  hki_front_forces(&d->front, s, cC, cK);
  if (s->border.most) hki_tree_border_terms(s, cC, cK);
}

void hki_deep_add_closures(hk_tree *s, double c) {
  hk_front *f = &s->deep->front;
  HK_KNOWN(&s->kin, HK_KIN_CLOSURES);
  memcpy(s->gz, s->kin.gz, (size_t)s->kin.gz0[s->m->nc] * sizeof *s->gz);
  for (int32_t r = 0; r < s->m->nrows; r++) f->weight[r] = 1.0 / (c * s->alpha[r]);
}

/* d->diag = diagonal of M, E, B' k B and G' w G */
static void find_diagonal(const hk_tree *s) {
  hk_deep *d = s->deep;
  const hk_model *m = s->m;
  memcpy(d->diag, s->mass, (size_t)m->nv * sizeof *d->diag);
  for (int32_t b = 0; d->forces && d->own.n && b < m->nb; b++)
    for (int32_t j = 0, n = m->bodies[b].nv; j < n; j++)
      d->diag[m->bodies[b].v0 + j] += d->own.E[d->aba.d0[b] + j * (n + 1)];
  if (d->forces) hki_front_add_diagonal(&d->front, s, d->diag);
  for (int32_t c = 0; c < m->nc; c++) {
    const hk_closure *cl = &m->closures[c];
    const double *g = s->gz + s->kin.gz0[c];
    if (s->kin.disc.active[c] == 0.0) continue;
    for (int32_t r = 0; r < cl->nrows; r++, g += cl->path.n)
      for (int32_t j = 0; j < cl->path.n; j++)
        d->diag[cl->path.dof[j]] += g[j] * g[j] / d->front.weight[cl->row0 + r];
  }
}

hk_status hki_deep_factor_loops(hk_tree *s) {
  hk_deep *d = s->deep;
  if (!d->forces) hki_front_forces_off(&d->front);
  if (s->has_quat) find_diagonal(s);
  return hki_front_factor(&d->front, s, &d->aba, s->gz, d->forces && d->own.n ? d->own.E : NULL);
}

void hki_deep_solve_loops(hk_tree *s, double *x) { hki_front_solve(&s->deep->front, x); }

void hki_deep_mul_forces(const hk_tree *s, const double *x, double *y) {
  const hk_deep *d = s->deep;
  for (int32_t b = 0; d->own.n && b < s->m->nb; b++) {
    const int32_t n = s->m->bodies[b].nv, v0 = s->m->bodies[b].v0;
    const double *E = d->own.E + d->aba.d0[b];
    for (int32_t i = 0; i < n; i++)
      for (int32_t j = 0; j < n; j++) y[v0 + i] += E[i * n + j] * x[v0 + j];
  }
  hki_front_add_forces(&d->front, s, x, y);
}
