/* SPDX-License-Identifier: Apache-2.0
 *
 * held.c: the state of freedoms without mass that only forces hold.
 *
 * Their equations of motion are a balance of forces, Q_s(t, q, v) = 0. The unknowns are the
 * positions of these freedoms where only springs act on them, and their rates where dampers act.
 * Both are found by backward Euler steps of a time tau far below the time scales of the model:
 *
 *   Q_s(t, q (+) D, v_s = D/tau) = 0
 *   (C_ss/tau + K_ss) dD         = Q_s
 *
 * The first step, at time t, gives the positions. The second, in which all other coordinates
 * advance by tau v, gives the rates. C and K include geometric terms (machines/tree/exact.c).
 *
 * Source: static nodes of Masarati, Morandini and Mantegazza 2014, section 2.1.
 */
#include "analyses/held.h"

#include "linalg/dense.h"

enum { MOST_ITER = 60 };
static const double step_limit = 0.3; /* per iteration: rad, or lengths of the mechanism */

struct hk_held {
  hk_tree *s;
  int32_t n, ld, *dof;        /* freedoms; leading dimension of A; n: their tree velocities */
  double tau;                 /* s */
  double *A, *b, *inv, *work; /* dense system: ld x n, n, n, work of hki_dense_lu */
  int32_t *pivot;             /* n */
  double *q, *D, *move;       /* nq: base of the step; n: increments; nv: increments of all */
  double *v;                  /* nv */
};

/* a freedom that moves no mass and is on the path of no closure */
static bool is_held(const hk_tree *s, int32_t dof) {
  if (s->mass[dof] != 0.0) return false;
  for (int32_t c = 0; c < s->m->nc; c++)
    for (int32_t k = 0; k < s->m->closures[c].path.n; k++)
      if (s->m->closures[c].path.dof[k] == dof) return false;
  return true;
}

static bool layout(hk_held *h, hk_pool *pool) {
  const hk_model *m = h->s->m;
  const int32_t n = h->n, nw = hki_dense_work(n);
  h->ld = hki_dense_ld(n);
  h->A =
      hki_pool_alloc(pool, (size_t)(h->ld * n + 3 * n + nw + m->nq + 2 * m->nv) * sizeof(double));
  h->pivot = hki_pool_alloc(pool, (size_t)n * sizeof *h->pivot);
  if (!h->A || !h->pivot) return false;
  h->b = h->A + h->ld * n;
  h->inv = h->b + n;
  h->D = h->inv + n;
  h->work = h->D + n;
  h->q = h->work + nw;
  h->v = h->q + m->nq;
  h->move = h->v + m->nv;
  return true;
}

hk_status hki_held_create(hk_tree *s, hk_pool *pool, const double *q, const double *v,
                          hk_held **out) {
  const hk_model *m = s->m;
  bool any = false;
  *out = NULL;
  for (int32_t b = 0; b < m->nb; b++) any = any || m->bodies[b].massless;
  if (!any) return HK_OK;
  hk_status st = hki_tree_matrix(s);
  if (st != HK_OK) return st;
  hk_held *h = hki_pool_alloc(pool, sizeof *h);
  int32_t *dof = hki_pool_alloc(pool, (size_t)m->nv * sizeof *dof);
  if (!h || !dof) return HK_E_MEMORY;
  *h = (hk_held){.s = s, .dof = dof};
  hki_kin_state(&s->kin, 0.0, q, v);
  hki_tree_mass(s);
  for (int32_t i = 0; i < m->nv; i++)
    if (is_held(s, i)) dof[h->n++] = i;
  if (!h->n) return HK_OK;
  if (!layout(h, pool)) return HK_E_MEMORY;
  *out = h;
  return HK_OK;
}

int32_t hki_held_first(const hk_held *h) { return h->dof[0]; }

bool hki_held_has(const hk_held *h, int32_t first, int32_t n) {
  for (int32_t i = 0; h && i < h->n; i++)
    if (h->dof[i] >= first && h->dof[i] < first + n) return true;
  return false;
}

/* b = Q_s and A = C_ss/tau + K_ss at the present increments D */
static void evaluate(hk_held *h, double t) {
  hk_tree *s = h->s;
  const hk_model *m = s->m;
  for (int32_t i = 0; i < h->n; i++) {
    h->move[h->dof[i]] = h->D[i];
    h->v[h->dof[i]] = h->D[i] / h->tau;
  }
  hki_tree_plus(m, h->q, h->move, s->q);
  hki_tree_state(s, t, s->q, h->v, HK_FORCES_TANGENT);
  memset(s->a, 0, (size_t)m->nv * sizeof *s->a);
  hki_tree_residual(s, s->a, s->r);
  memset(s->lam, 0, (size_t)m->nrows * sizeof *s->lam);
  hki_ldl_zero(s->ldl, &s->num);
  hki_tree_add_exact(s, 1.0 / h->tau, 1.0, s->lam);
  memset(h->A, 0, (size_t)(h->ld * h->n) * sizeof *h->A);
  for (int32_t i = 0; i < h->n; i++) {
    h->b[i] = -s->r[h->dof[i]];
    for (int32_t j = 0; j < h->n; j++) {
      int32_t at = hki_ldl_slot(s->ldl, h->dof[i], h->dof[j]);
      if (at >= 0) h->A[i + j * h->ld] = s->num.val[at];
    }
  }
}

/* factors A; where it is singular, with a little on its diagonal: what holds nothing across its line while
 * it is not stretched does so where it has come. Then *bad is the column without a pivot, else -1. */
static hk_status factor(hk_held *h, double t, int32_t *bad) {
  double top = 0.0;
  int32_t column = -1;
  *bad = -1;
  hk_status st = hki_dense_lu_factor(h->n, h->A, h->ld, h->pivot, h->inv, h->work, &column);
  if (st != HK_E_SINGULAR) return st;
  *bad = column;
  evaluate(h, t);
  for (int32_t i = 0; i < h->n; i++) top = fmax(top, fabs(h->A[i + i * h->ld]));
  for (int32_t i = 0; i < h->n; i++) h->A[i + i * h->ld] += top > 0.0 ? 1e-6 * top : 1.0;
  return hki_dense_lu_factor(h->n, h->A, h->ld, h->pivot, h->inv, h->work, &column);
}

/* one backward Euler step from h->q to time t; the increments are left in h->D. HK_E_SINGULAR with
 * *bad the column of A without a pivot */
static hk_status backward(hk_held *h, double t, int32_t *bad) {
  double before = INFINITY;
  memset(h->D, 0, (size_t)h->n * sizeof *h->D);
  for (int32_t it = 0; it < MOST_ITER; it++) {
    double size = 0.0;
    evaluate(h, t);
    hk_status st = factor(h, t, bad);
    if (st != HK_OK) return st;
    hki_dense_lu_solve(h->n, h->A, h->ld, h->pivot, h->inv, h->b, h->work);
    for (int32_t i = 0; i < h->n; i++) size = fmax(size, fabs(h->b[i]) / h->s->scale[h->dof[i]]);
    if (!isfinite(size)) return HK_RETRY;
    double f = size > step_limit ? step_limit / size : 1.0;
    for (int32_t i = 0; i < h->n; i++) h->D[i] += f * h->b[i];
    if (size < 1e-15 || (size < 1e-12 && size > 0.3 * before))
      return *bad < 0 ? HK_OK : HK_E_SINGULAR;
    before = size;
  }
  return before < 1e-9 ? HK_OK : HK_RETRY;
}

/* both steps: positions into q, rates into v */
static hk_status settle(hk_held *h, double t, double *q, double *v, int32_t *bad) {
  const hk_model *m = h->s->m;
  memcpy(h->q, q, (size_t)m->nq * sizeof *q);
  memcpy(h->v, v, (size_t)m->nv * sizeof *v);
  memset(h->move, 0, (size_t)m->nv * sizeof *h->move);
  hk_status st = backward(h, t, bad);
  if (st != HK_OK) return st;
  for (int32_t i = 0; i < h->n; i++) h->move[h->dof[i]] = h->D[i];
  hki_tree_plus(m, h->q, h->move, h->q);
  memcpy(q, h->q, (size_t)m->nq * sizeof *q);
  // all other coordinates advance by tau v
  for (int32_t i = 0; i < m->nv; i++) h->move[i] = h->tau * v[i];
  st = backward(h, t + h->tau, bad);
  for (int32_t i = 0; st == HK_OK && i < h->n; i++) v[h->dof[i]] = h->D[i] / h->tau;
  return st;
}

hk_status hki_held_settle(hk_held *h, double t, double tau, double *q, double *v, int32_t *bad) {
  int32_t column = 0;
  h->tau = tau;
  hk_status st = settle(h, t, q, v, &column);
  *bad = h->dof[column < 0 ? 0 : column];
  // leave no pointer to the scratch arrays in kin
  hki_kin_state(&h->s->kin, t, q, v);
  return st;
}
