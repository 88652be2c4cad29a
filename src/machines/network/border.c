/* SPDX-License-Identifier: Apache-2.0
 *
 * border.c: the table of a formulation with scalar unknowns beside it (border.h); the equations are
 * in core.c.
 */
#include "machines/network/border_impl.h"

static net_border *around(const hk_formulation *f) { return f->around; }

/* --- state ------------------------------------------------------------------------------------ */

static void border_dims(const hk_formulation *f, hk_dims *d) {
  const net_border *n = around(f);
  n->inner->dims(f, d);
  d->nq += n->nx, d->nv += n->nx;
  d->nx = n->nx, d->unit = n->net.unit, d->root = n->net.root;
}

static void border_plus(const hk_formulation *f, const double *q, const double *d, double *q_out) {
  const net_border *n = around(f);
  n->inner->plus(f, q, d, q_out);
  for (int32_t i = 0; i < n->nx; i++) q_out[n->nq + i] = q[n->nq + i] + d[n->nv + i];
}

static void border_minus(const hk_formulation *f, const double *q1, const double *q0, double *d) {
  const net_border *n = around(f);
  n->inner->minus(f, q1, q0, d);
  for (int32_t i = 0; i < n->nx; i++) d[n->nv + i] = q1[n->nq + i] - q0[n->nq + i];
}

static void border_chart_velocity(const hk_formulation *f, const double *D, const double *w,
                                  double *v) {
  const net_border *n = around(f);
  n->inner->chart_velocity(f, D, w, v);
  for (int32_t i = n->nv; i < n->nv + n->nx; i++) v[i] = w[i];
}

static hk_status border_from_tree(hk_formulation *f, const double *qt, const double *vt, double *q,
                                  double *v) {
  const net_border *n = around(f);
  hk_status st = n->inner->from_tree(f, qt, vt, q, v);
  for (int32_t i = 0; i < n->nx; i++) q[n->nq + i] = 0.0, v[n->nv + i] = vt[n->m->nv + i];
  return st;
}

static hk_status border_to_tree(hk_formulation *f, const double *q, const double *v,
                                const double *a, double *qt, double *vt, double *at) {
  const net_border *n = around(f);
  hk_status st = n->inner->to_tree(f, q, v, a, qt, vt, at);
  for (int32_t i = 0; i < n->nx; i++) {
    vt[n->m->nv + i] = v[n->nv + i];
    at[n->m->nv + i] = a[n->nv + i];
  }
  return st;
}

/* --- implicit stages -------------------------------------------------------------------------- */

static hk_status border_begin(hk_formulation *f, const hk_stage *st) {
  net_border *n = around(f);
  n->st = *st;
  n->words[0] = '\0';
  return n->inner->begin(f, st);
}

static hk_status border_residual(hk_formulation *f, const double *D, bool tangent) {
  net_border *n = around(f);
  const hk_stage *st = &n->st;
  for (int32_t i = 0; i < n->nx; i++) {
    const int32_t j = n->nv + i;
    n->x[i] = st->vh[j] + st->cv * D[j];
    n->xd[i] = st->ah[j] + st->ca * D[j];
  }
  hki_kin_unknowns(n->kin, n->x, n->xd);
  n->fresh = false;
  return n->inner->residual(f, D, tangent);
}

static hk_status border_correct(hk_formulation *f, double *D, hk_norms *norm) {
  net_border *n = around(f);
  hk_status st = n->inner->correct(f, D, norm);
  if (st != HK_OK) return st;
  for (int32_t i = 0; i < n->nx; i++) {
    const double d = n->z[i] / n->b->unit, size = fmax(n->m->unknowns[i].scale, fabs(n->x[i]));
    const double e = fabs(n->st.cv * d) / size;
    D[n->nv + i] += d;
    if (!(e <= norm->step)) norm->step = e;
  }
  return HK_OK;
}

static hk_status border_stage_rates(hk_formulation *f, const double *D, double *w, double *wd) {
  net_border *n = around(f);
  hk_status st = n->inner->stage_rates(f, D, w, wd);
  for (int32_t i = n->nv; i < n->nv + n->nx; i++) {
    w[i] = n->st.vh[i] + n->st.cv * D[i];
    wd[i] = n->st.ah[i] + n->st.ca * D[i];
  }
  return st;
}

/* --- accelerations and projections ------------------------------------------------------------ */

/* consistent values and rates at the present mechanical state, from those in kin */
static hk_status consistent(net_border *n) {
  hk_status st = hki_net_solve(&n->net);
  if (st == HK_E_SINGULAR && n->net.bad >= 0)
    hki_net_undetermined(n->m, n->net.bad, n->words, sizeof n->words);
  return st;
}

static hk_status border_accel(hk_formulation *f, double t, const double *q, const double *v,
                              double *a) {
  net_border *n = around(f);
  n->words[0] = '\0';
  hki_kin_unknowns(n->kin, v + n->nv, NULL);
  n->face->place(f, t, q, v);
  hk_status st = consistent(n);
  if (st != HK_OK) return st;
  memcpy(n->x, n->kin->x, (size_t)n->nx * sizeof *n->x);
  memcpy(a + n->nv, n->kin->xd, (size_t)n->nx * sizeof *a);
  hki_kin_unknowns(n->kin, n->x, a + n->nv);
  return n->inner->accel(f, t, q, v, a);
}

/* values of v (and rates of a, unless it is NULL) consistent at the projected state */
static hk_status project_network(net_border *n, double t, const double *q, double *v, double *a) {
  const size_t bytes = (size_t)n->nx * sizeof *v;
  if (!a || !n->face->settled) n->face->place(n->f, t, q, v);
  hk_status st = consistent(n);
  if (st != HK_OK) return st;
  memcpy(n->x, n->kin->x, bytes);
  memcpy(n->xd, n->kin->xd, bytes);
  memcpy(v + n->nv, n->x, bytes);
  if (a) memcpy(a + n->nv, n->xd, bytes);
  for (int32_t i = 0; i < n->nx; i++)
    if (!isfinite(n->x[i]) || !isfinite(n->xd[i])) return HK_E_NUMBER;
  return HK_OK;
}

/* kin at an accepted state gets the values too */
static void tell(net_border *n, hk_kin *k) {
  hki_kin_unknowns(k, n->x, n->xd);
  if (!hki_kin_knows(k, HK_KIN_SIGNALS)) hki_kin_signals(k, false);
}

static hk_status border_project(hk_formulation *f, double t, double *q, double *v, double *a,
                                uint32_t what) {
  net_border *n = around(f);
  const bool mass = (what & HK_PROJECT_MASS) != 0;
  n->words[0] = '\0';
  hki_kin_unknowns(n->kin, v + n->nv, mass ? NULL : a + n->nv);
  if (n->accepted != n->kin) hki_kin_unknowns(n->accepted, v + n->nv, mass ? NULL : a + n->nv);
  hk_status st = n->inner->project(f, t, q, v, a, what);
  if (st != HK_OK) return st;
  st = project_network(n, t, q, v, mass ? NULL : a);
  if (st != HK_OK) return mass || st == HK_E_MEMORY ? st : HK_RETRY;
  tell(n, n->kin);
  if (n->accepted != n->kin && !mass) tell(n, n->accepted);
  return HK_OK;
}

/* --- memory ----------------------------------------------------------------------------------- */

/* linear solver k of the unknowns; NULL past the last */
static hk_linsolve *solver(const net_border *n, int32_t k) {
  return k == 0 ? n->ls : k == 1 ? n->net.ls : NULL;
}

static int32_t border_solver_memory(hk_formulation *f, int32_t k, double **block) {
  const net_border *n = around(f);
  hk_linsolve *s = k < 2 ? solver(n, k) : NULL;
  if (s) return hki_linsolve_memory(s, block);
  return n->inner->solver_memory ? n->inner->solver_memory(f, k - 2, block) : -1;
}

static hk_status border_solver_recall(hk_formulation *f) {
  const net_border *n = around(f);
  hk_status st = n->inner->solver_recall ? n->inner->solver_recall(f) : HK_OK;
  for (int32_t k = 0; st == HK_OK && k < 2; k++) st = hki_linsolve_recall(solver(n, k));
  return st;
}

static const char *border_words(const hk_formulation *f) {
  const net_border *n = around(f);
  if (n->words[0]) return n->words;
  return n->inner->words ? n->inner->words(f) : NULL;
}

static void free_border(net_border *n) {
  hk_ctx *ctx = n->ctx;
  hki_linsolve_destroy(n->ls);
  if (n->net.ls) hki_net_destroy(&n->net);
  if (n->pool) hki_pool_destroy(n->pool);
  hki_free(ctx, n);
}

static void border_destroy(hk_formulation *f) {
  net_border *n = around(f);
  f->ops = n->inner;
  f->around = NULL;
  free_border(n);
  f->ops->destroy(f);
}

/* the formulation's table with the functions of this file */
static void replace(net_border *n) {
  n->ops = *n->inner;
  n->ops.dims = border_dims;
  n->ops.plus = border_plus;
  n->ops.minus = border_minus;
  n->ops.begin = border_begin;
  n->ops.residual = border_residual;
  n->ops.correct = border_correct;
  n->ops.accel = border_accel;
  n->ops.project = border_project;
  n->ops.from_tree = border_from_tree;
  n->ops.to_tree = border_to_tree;
  n->ops.solver_memory = border_solver_memory;
  n->ops.solver_recall = border_solver_recall;
  n->ops.words = border_words;
  n->ops.destroy = border_destroy;
  n->ops.find_states = NULL; // laws may read values of nodes
  n->ops.rates = NULL;       // it knows the formulation's coordinates alone
  n->ops.caps &= ~(uint32_t)HK_CAP_RATES;
  if (n->inner->stage_rates) n->ops.stage_rates = border_stage_rates;
  if (n->inner->chart_velocity) n->ops.chart_velocity = border_chart_velocity;
}

/* the network at the drawing position: roles of its unknowns, and the core */
static hk_status make_network(net_border *n) {
  const size_t size = (size_t)(n->nq + n->nv + n->m->nv + n->nx + 1);
  double *q = hki_alloc(n->ctx, size * sizeof *q), *v = q ? q + n->nq : NULL;
  if (!q) return HK_E_MEMORY;
  memset(q, 0, size * sizeof *q);
  n->inner->from_tree(n->f, n->m->q_draw, v + n->nv, q, v);
  n->face->place(n->f, 0.0, q, v);
  hk_status st = hki_net_create(&n->net, n->ctx, n->pool, n->kin, hki_net_core_eval, n, false);
  if (st == HK_OK) st = hki_net_core_create(n);
  hki_free(n->ctx, q);
  return st;
}

hk_status hki_net_wrap(hk_ctx *ctx, const hk_model *m, hk_formulation *f, const hk_net_face *face,
                       hk_kin *accepted) {
  hk_dims d;
  net_border *n = hki_alloc(ctx, sizeof *n);
  if (!n) return HK_E_MEMORY;
  f->ops->dims(f, &d);
  *n = (net_border){.ctx = ctx, .m = m, .f = f, .inner = f->ops, .face = face, .nx = m->nx};
  n->nq = d.nq, n->nv = d.nv;
  n->kin = face->kin(f);
  n->accepted = accepted;
  n->b = face->border(f);
  n->pool = hki_pool_create(ctx);
  n->x = n->pool ? hki_pool_alloc(n->pool, (size_t)(2 * m->nx) * sizeof *n->x) : NULL;
  hk_status st = n->x ? HK_OK : HK_E_MEMORY;
  n->xd = n->x ? n->x + m->nx : NULL;
  if (st == HK_OK) st = make_network(n);
  if (st != HK_OK) {
    free_border(n);
    return st;
  }
  n->b->core = (hk_border_core){n, hki_net_core_factor, hki_net_core_solve};
  replace(n);
  f->ops = &n->ops;
  f->around = n;
  return HK_OK;
}

void hki_net_cost(const hk_model *m, hk_cost *out) {
  const double n = m->nx + hki_net_terms(m, NULL), entries = fmin(n * n, 20.0 * m->nnet + n);
  if (!m->nx) return;
  // lists of the elements in a pool, and the matrices of core and network with their factors
  out->bytes += sizeof(net_border) + 8192.0 + 1000.0 * m->nnet + 160.0 * n + 2.0 * 40.0 * entries;
  out->seconds += 0.06e-6 * m->nnet + 4e-9 * entries;
}
