/* SPDX-License-Identifier: Apache-2.0
 *
 * states.c: see states.h.
 *
 *   v = [velocities | z]      a = [accelerations | dz/dt]      q = [.. | not read]
 *
 * Integrators treat the states as they treat velocities (decision 0007), so that each has its own
 * order and history for them, and errors are controlled in them. In a stage,
 *
 *   z = zh + cv D      dz/dt = zdh + ca D      so that dz/dt = c + gamma z, gamma = ca/cv
 *
 * and each element solves for its z where it is evaluated. D of the states follows from z at the
 * solution of the stage: one evaluation more. For explicit methods z is given, and dz/dt is what the
 * elements leave. Error control takes them as it takes scalar unknowns of networks (hk_dims), which
 * stand before them.
 */
#include "machines/states/states_impl.h"

/* states of a vector v of velocities, held there */
static void hold(const states *s, const double *v) { hki_kin_hold_states(s->kin, v + s->nv); }

static void states_dims(const hk_formulation *f, hk_dims *d) {
  const states *s = states_of(f);
  s->inner->ops->dims(s->inner, d);
  d->nq += s->nz, d->nv += s->nz, d->nx += s->nz;
  d->unit = s->unit;
}

static void states_plus(const hk_formulation *f, const double *q, const double *d, double *q_out) {
  const states *s = states_of(f);
  s->inner->ops->plus(s->inner, q, d, q_out);
  for (int32_t i = 0; i < s->nz; i++) q_out[s->nq + i] = q[s->nq + i] + d[s->nv + i];
}

static void states_minus(const hk_formulation *f, const double *q1, const double *q0, double *d) {
  const states *s = states_of(f);
  s->inner->ops->minus(s->inner, q1, q0, d);
  for (int32_t i = 0; i < s->nz; i++) d[s->nv + i] = q1[s->nq + i] - q0[s->nq + i];
}

/* --- implicit stages -------------------------------------------------------------------------- */

static hk_status states_begin(hk_formulation *f, const hk_stage *st) {
  states *s = states_of(f);
  const double gamma = st->ca / st->cv;
  s->st = *st;
  for (int32_t i = 0; i < s->nz; i++) s->kin->zc[i] = st->ah[s->nv + i] - gamma * st->vh[s->nv + i];
  hki_kin_stage_states(s->kin, gamma);
  return s->inner->ops->begin(s->inner, st);
}

/* the old tangent does not serve a law that is in another branch now */
static hk_status states_residual(hk_formulation *f, const double *D, bool tangent) {
  const states *s = states_of(f);
  hki_kin_next_iterate(s->kin);
  hk_status st = s->inner->ops->residual(s->inner, D, tangent);
  if (st != HK_OK || tangent || !hki_kin_branched(s->kin)) return st;
  st = s->inner->ops->residual(s->inner, D, true);
  return st == HK_OK ? s->inner->ops->factor(s->inner) : st;
}

static hk_status states_factor(hk_formulation *f) {
  const states *s = states_of(f);
  return s->inner->ops->factor(s->inner);
}

static hk_status states_correct(hk_formulation *f, double *D, hk_norms *n) {
  const states *s = states_of(f);
  hk_status st = s->inner->ops->correct(s->inner, D, n);
  n->branched = hki_kin_branched(s->kin);
  return st;
}

static bool states_choose_tangent(hk_formulation *f, bool exact) {
  const states *s = states_of(f);
  return s->inner->ops->choose_tangent(s->inner, exact);
}

static hk_status states_hook(hk_formulation *f, hk_hook when, const double *D) {
  const states *s = states_of(f);
  return s->inner->ops->hook ? s->inner->ops->hook(s->inner, when, D) : HK_OK;
}

/* the increments of the states at the solution D of the stage */
static hk_status states_settle(hk_formulation *f, double *D) {
  const states *s = states_of(f);
  hk_status st = s->inner->ops->settle ? s->inner->ops->settle(s->inner, D) : HK_OK;
  hki_kin_next_iterate(s->kin);
  if (st == HK_OK)
    st = s->inner->ops->find_states ? s->inner->ops->find_states(s->inner, D)
                                    : s->inner->ops->residual(s->inner, D, false);
  if (st != HK_OK) return st;
  for (int32_t i = 0; i < s->nz; i++)
    D[s->nv + i] = (s->kin->z[i] - s->st.vh[s->nv + i]) / s->st.cv;
  return HK_OK;
}

static hk_status states_stage_rates(hk_formulation *f, const double *D, double *w, double *wd) {
  const states *s = states_of(f);
  hk_status st = s->inner->ops->stage_rates(s->inner, D, w, wd);
  for (int32_t i = s->nv; i < s->nv + s->nz; i++)
    w[i] = s->st.vh[i] + s->st.cv * D[i], wd[i] = s->st.ah[i] + s->st.ca * D[i];
  return st;
}

static void states_chart_velocity(const hk_formulation *f, const double *D, const double *w,
                                  double *v) {
  const states *s = states_of(f);
  s->inner->ops->chart_velocity(s->inner, D, w, v);
  for (int32_t i = s->nv; i < s->nv + s->nz; i++) v[i] = w[i];
}

/* --- states of the mechanism ------------------------------------------------------------------ */

/* sizes of the inner one's unknowns, which may turn algebraic or differential at jumps and
 * events */
static void renew_units(const states *s) {
  hk_dims d;
  s->inner->ops->dims(s->inner, &d);
  if (d.nx) memcpy(s->unit, d.unit, (size_t)d.nx * sizeof *s->unit);
}

static hk_status states_accel(hk_formulation *f, double t, const double *q, const double *v,
                              double *a) {
  const states *s = states_of(f);
  hold(s, v);
  hk_status st = s->inner->ops->accel(s->inner, t, q, v, a);
  if (s->m->nx) renew_units(s);
  for (int32_t i = 0; i < s->nz; i++) {
    a[s->nv + i] = s->kin->zd[i];
    if (!isfinite(a[s->nv + i])) return st == HK_OK ? HK_E_NUMBER : st;
  }
  return st;
}

/* projections move the mechanism by less than the step's error, and leave the states */
static hk_status states_project(hk_formulation *f, double t, double *q, double *v, double *a,
                                uint32_t what) {
  const states *s = states_of(f);
  hold(s, v);
  hk_status st = s->inner->ops->project(s->inner, t, q, v, a, what);
  if (s->m->nx && (what & HK_PROJECT_MASS)) renew_units(s);
  return st;
}

static hk_status states_from_tree(hk_formulation *f, const double *qt, const double *vt, double *q,
                                  double *v) {
  const states *s = states_of(f);
  const double *zt = vt + s->m->nv + s->m->nx;
  for (int32_t i = 0; i < s->nz; i++) q[s->nq + i] = 0.0, v[s->nv + i] = zt[i];
  return s->inner->ops->from_tree(s->inner, qt, vt, q, v);
}

static hk_status states_to_tree(hk_formulation *f, const double *q, const double *v,
                                const double *a, double *qt, double *vt, double *at) {
  const states *s = states_of(f);
  const int32_t to = s->m->nv + s->m->nx;
  for (int32_t i = 0; i < s->nz; i++) {
    vt[to + i] = v[s->nv + i];
    at[to + i] = a[s->nv + i];
  }
  hold(s, v);
  return s->inner->ops->to_tree(s->inner, q, v, a, qt, vt, at);
}

static void states_persistent(hk_formulation *f, double **block, int32_t *n) {
  const states *s = states_of(f);
  s->inner->ops->persistent(s->inner, block, n);
}

static int32_t states_solver_memory(hk_formulation *f, int32_t k, double **block) {
  const states *s = states_of(f);
  return s->inner->ops->solver_memory(s->inner, k, block);
}

static hk_status states_solver_recall(hk_formulation *f) {
  const states *s = states_of(f);
  return s->inner->ops->solver_recall(s->inner);
}

static void states_restart(hk_formulation *f) {
  const states *s = states_of(f);
  s->inner->ops->restart(s->inner);
}

static void states_destroy(hk_formulation *f) {
  states *s = states_of(f);
  s->inner->ops->destroy(s->inner);
  hki_free(s->ctx, s->unit);
  hki_free(s->ctx, s->dae.block);
  hki_free(s->ctx, s);
}

static const char *states_words(const hk_formulation *f) {
  const states *s = states_of(f);
  return s->inner->ops->words(s->inner);
}

static void states_drift(hk_formulation *f, double t, const double *q, const double *v,
                         const double *a, double *most) {
  const states *s = states_of(f);
  s->inner->ops->drift(s->inner, t, q, v, a, most);
}

static bool states_independent(const hk_formulation *f) {
  const states *s = states_of(f);
  return s->inner->ops->independent(s->inner);
}

static double states_choices(const hk_formulation *f) {
  const states *s = states_of(f);
  return s->inner->ops->choices(s->inner);
}

/* --- momenta: states have none ---------------------------------------------------------------- */

static void states_momentum(const hk_formulation *f, const double *q, const double *v, double *p) {
  const states *s = states_of(f);
  s->inner->ops->nodes->momentum(s->inner, q, v, p);
  for (int32_t i = 0; i < s->nz; i++) p[s->nv + i] = 0.0;
}

static void states_momentum_rate(const hk_formulation *f, const double *q, const double *v,
                                 const double *a, double *pd) {
  const states *s = states_of(f);
  s->inner->ops->nodes->momentum_rate(s->inner, q, v, a, pd);
  for (int32_t i = 0; i < s->nz; i++) pd[s->nv + i] = 0.0;
}

static void states_behind(const hk_formulation *f, const double *q, const double *q_old,
                          const double *v_old, double *g, double *gd) {
  const states *s = states_of(f);
  s->inner->ops->nodes->behind(s->inner, q, q_old, v_old, g, gd);
  for (int32_t i = 0; i < s->nz; i++) {
    g[s->nv + i] = q_old[s->nq + i] - q[s->nq + i];
    gd[s->nv + i] = v_old[s->nv + i];
  }
}

static void states_ahead(const hk_formulation *f, const double *q, const double *g,
                         const double *gd, double *q_out, double *v_out) {
  const states *s = states_of(f);
  s->inner->ops->nodes->ahead(s->inner, q, g, gd, q_out, v_out);
  for (int32_t i = 0; i < s->nz; i++) {
    q_out[s->nq + i] = q[s->nq + i] + g[s->nv + i];
    v_out[s->nv + i] = gd[s->nv + i];
  }
}

/* --- creation --------------------------------------------------------------------------------- */

/* the table of the inner one, with what the states change; what it lacks stays out */
static void make_table(states *s) {
  const hk_formulation_ops *o = s->inner->ops;
  s->ops = *o;
  s->ops.system = NULL; // it knows nothing of the states
  s->ops.dims = states_dims;
  s->ops.plus = states_plus;
  if (o->minus) s->ops.minus = states_minus;
  s->ops.begin = states_begin;
  s->ops.residual = states_residual;
  s->ops.factor = states_factor;
  s->ops.correct = states_correct;
  if (o->choose_tangent) s->ops.choose_tangent = states_choose_tangent;
  if (o->hook) s->ops.hook = states_hook;
  s->ops.settle = states_settle;
  s->ops.accel = states_accel;
  s->ops.project = states_project;
  s->ops.from_tree = states_from_tree;
  s->ops.to_tree = states_to_tree;
  s->ops.persistent = states_persistent;
  if (o->solver_memory) s->ops.solver_memory = states_solver_memory;
  if (o->solver_recall) s->ops.solver_recall = states_solver_recall;
  s->ops.restart = states_restart;
  s->ops.destroy = states_destroy;
  if (o->stage_rates) s->ops.stage_rates = states_stage_rates;
  if (o->chart_velocity) s->ops.chart_velocity = states_chart_velocity;
  if (o->words) s->ops.words = states_words;
  if (o->drift) s->ops.drift = states_drift;
  if (o->independent) s->ops.independent = states_independent;
  if (o->choices) s->ops.choices = states_choices;
  if (o->dae) s->ops.dae = &hki_states_dae;
  // rates and matrices of several stages are the inner one's alone
  s->ops.caps &= ~(uint32_t)HK_CAP_RATES;
  s->ops.rates = NULL;
  if (!o->nodes) return;
  s->nodes = (hk_node_ops){states_momentum, states_momentum_rate, states_behind, states_ahead};
  s->ops.nodes = &s->nodes;
}

hk_status hki_states_wrap(hk_ctx *ctx, const hk_model *m, hk_kin *kin, hk_formulation **f) {
  hk_dims d;
  if (!m->nz) return HK_OK;
  (*f)->ops->dims(*f, &d);
  states *s = hki_alloc(ctx, sizeof *s);
  double *unit = s ? hki_alloc(ctx, (size_t)(d.nx + m->nz) * sizeof *unit) : NULL;
  if (!unit) {
    hki_free(ctx, s);
    return HK_E_MEMORY;
  }
  s->ctx = ctx, s->m = m, s->inner = *f, s->kin = kin;
  s->nq = d.nq, s->nv = d.nv, s->nz = m->nz;
  s->unit = unit;
  renew_units(s);
  for (int32_t i = 0; i < m->nf; i++)
    hki_element_units(m->forces[i].ops, m->forces[i].par, unit + d.nx + m->forces[i].z0);
  make_table(s);
  s->base = (hk_formulation){
      .ops = &s->ops, .shared = s->inner->shared, .few_forces = s->inner->few_forces};
  *f = &s->base;
  return HK_OK;
}
