/* SPDX-License-Identifier: Apache-2.0
 *
 * partition.c: the partition formulation: Cartesian coordinates, an independent part of them
 * integrated implicitly as the state-space equations of the mechanism, the dependent part and the
 * multipliers recovered from the constraints at every iterate, Newton's method with the exact
 * tangent.
 *
 *   psi(D_v) = (M a - Q)_v + Phi_v' lam = 0,   T dD_v = -psi,   T = dpsi/dD_v
 *
 * The stage contract is met in all Cartesian coordinates. Only the independent ones follow the hats
 * of the integrator; the others follow from the constraints: positions by Newton's method on Phi =
 * 0, velocities from Phi_q v + Phi_t = 0, accelerations from Phi_q a + gamma = 0. Histories stay in
 * full coordinates, so that another choice of independent ones loses nothing. Constraints may
 * depend on time.
 *
 * Source: Haug, Negrut and Iancu, A State-Space Based Implicit Integration Algorithm for
 * Differential-Algebraic Equations of Multibody Dynamics (1997), section 3; Fisette and Vaneghem
 * 1996 for the other tangent.
 */
#include "formulations/partition/part.h"
#include "geometry/chart.h"

/* dependents are closed to this, or to where round-off begins */
static const double closed = 1e-12, round_off = 1e-8;
enum { CLOSE_PASSES = 20, MOST_CUTS = 4 };
/* increments beyond this, in radians and lengths of the mechanism, are doubted as predictions */
static const double far = 0.2;

static void part_dims(const hk_formulation *f, hk_dims *d) {
  const hk_cart *c = ((const hk_part *)f)->c;
  *d = (hk_dims){c->nq, c->n, 0};
  for (int32_t i = 0; i < c->nset; i++)
    if (hki_cart_active(c, &c->set[i])) d->nl += c->set[i].nrows;
}

static void part_plus(const hk_formulation *f, const double *q, const double *d, double *q_out) {
  hki_cart_plus(((const hk_part *)f)->c, q, d, q_out);
}

static void part_minus(const hk_formulation *f, const double *q1, const double *q0, double *d) {
  hki_cart_minus(((const hk_part *)f)->c, q1, q0, d);
}

/* has the closing come as far as it can */
static bool is_closed(double open, double before) {
  return open <= closed || (open < round_off && open > 0.5 * before);
}

/* --- implicit stages ----------------------------------------------------------------------------
 */

static hk_status part_begin(hk_formulation *f, const hk_stage *st) {
  hk_part *p = (hk_part *)f;
  p->st = *st;
  p->words[0] = '\0';
  p->first = true;
  hki_part_sync(p);
  return HK_OK;
}

/* dependents of the increment p->D on the constraints; both Jacobians factorised there */
static hk_status close_stage(hk_part *p) {
  hk_part_jac *j = p->two ? &p->chart : &p->vel;
  double before = INFINITY;
  for (int it = 0; it < CLOSE_PASSES; it++) {
    hki_cart_plus(p->c, p->st.q0, p->D, p->q);
    hki_cart_state(p->c, p->st.t, p->q, p->v);
    hki_cart_rows(p->c);
    if (hki_part_factor(p, j, p->two ? p->D : NULL) != HK_OK) return HK_RETRY;
    double open = hki_part_open(p, j, p->x);
    if (!(open < 10.0)) return HK_RETRY;
    if (is_closed(open, before)) {
      if (!p->two) p->chart = p->vel;
      return p->two ? hki_part_factor(p, &p->vel, NULL) : HK_OK;
    }
    before = open;
    for (int32_t i = 0; i < p->n; i++) p->D[i] += p->x[i];
  }
  return HK_RETRY;
}

/* velocities (accelerations) in chart stages from the rates of the increment; z: their bend */
static void from_rates(const hk_part *p, const double *rate, const double *z, double *out) {
  memcpy(out, rate, (size_t)p->n * sizeof *out);
  for (int32_t b = 0; p->two && b < p->c->m->nb; b++)
    chart_push(p->D + 6 * b, rate + 6 * b, out + 6 * b);
  for (int32_t i = 0; z && i < p->n; i++) out[i] += z[i];
}

/* (dJ/dt) w of all rotations, and what it does to the rows: b = gamma + Phi_q z */
static void bend_rates(hk_part *p, double *z) {
  memset(z, 0, (size_t)p->n * sizeof *z);
  for (int32_t b = 0; p->two && b < p->c->m->nb; b++)
    chart_bend(p->D + 6 * b, p->w + 6 * b, z + 6 * b);
  memcpy(p->dv, z, (size_t)p->n * sizeof *z);
  hki_cart_to_world(p->c, p->dv);
  hki_cart_mul(p->c, p->dv, p->b);
  for (int32_t i = 0; i < p->m; i++) p->b[i] += p->c->gamma[i];
}

/* positions, velocities, accelerations of the stage at the increment D */
static hk_status evaluate(hk_part *p, const double *D) {
  hk_cart *c = p->c;
  const hk_stage *st = &p->st;
  const size_t bytes = (size_t)p->n * sizeof(double);
  memcpy(p->D, D, bytes);
  hk_status s = close_stage(p);
  if (s != HK_OK) return HK_RETRY;
  for (int32_t i = 0; i < p->n; i++) {
    p->w[i] = st->vh[i] + st->cv * p->D[i];
    p->wd[i] = st->ah[i] + st->ca * p->D[i];
  }
  hki_part_complete(p, st->chart ? &p->chart : &p->vel, c->phit, p->w);
  if (st->chart)
    from_rates(p, p->w, NULL, p->v);
  else
    memcpy(p->v, p->w, bytes);
  hki_cart_state(c, st->t, p->q, p->v);
  hki_cart_bias(c);
  if (st->chart) {
    bend_rates(p, p->da);
    hki_part_complete(p, &p->chart, p->b, p->wd);
    from_rates(p, p->wd, p->da, p->a);
  } else {
    hki_part_complete(p, &p->vel, c->gamma, p->wd);
    memcpy(p->a, p->wd, bytes);
  }
  return HK_OK;
}

/* r = M a + gyro - Q in body axes */
static void motion_residual(hk_part *p, const double *a, double *r) {
  memset(r, 0, (size_t)p->n * sizeof *r);
  hki_cart_forces(p->c);
  hki_cart_inertia(p->c, a, r);
  hki_cart_to_body(p->c, r);
}

/* psi = P' r */
static void reduce(const hk_part *p, const double *r, double *psi) {
  for (int32_t j = 0; j < p->f; j++) {
    const double *P = p->vel.P + (size_t)j * (size_t)p->n;
    double sum = 0.0;
    for (int32_t i = 0; i < p->n; i++) sum += P[i] * r[i];
    psi[j] = sum;
  }
}

/* psi at the increment D */
static hk_status find_psi(hk_part *p, const double *D) {
  hk_status st = evaluate(p, D);
  if (st != HK_OK) return st;
  hki_part_columns(p, &p->vel);
  motion_residual(p, p->a, p->r);
  reduce(p, p->r, p->psi);
  return HK_OK;
}

/* largest independent entry, free of dimension */
static double independent_size(const hk_part *p, const double *x) {
  double top = 0.0;
  for (int32_t i = p->rank; i < p->n; i++)
    top = fmax(top, fabs(x[p->cols[i]]) / p->c->scale[p->cols[i]]);
  return top;
}

static double psi_norm(const hk_part *p) {
  double sum = 0.0;
  for (int32_t j = 0; j < p->f; j++) {
    double e = p->psi[j] * p->c->scale[p->cols[p->rank + j]];
    sum += e * e;
  }
  return sqrt(sum);
}

/* the first iterate: a prediction that goes far is compared with staying where one is, since in
 * stiff systems the accelerations at the start of a step say nothing about its end */
static hk_status first_residual(hk_part *p, const double *D) {
  hk_status st = find_psi(p, D);
  if (independent_size(p, D) < far) return st;
  double there = st == HK_OK ? psi_norm(p) : INFINITY;
  memset(p->before, 0, (size_t)p->n * sizeof *p->before);
  st = find_psi(p, p->before);
  return st == HK_OK && psi_norm(p) < there ? HK_OK : find_psi(p, D);
}

/* size of the simplified correction T^-1 psi with the last tangent */
static double simplified(hk_part *p) {
  double *y = p->z, top = 0.0;
  memcpy(y, p->psi, (size_t)p->f * sizeof *y);
  if (p->f) hki_dense_lu_solve(p->f, p->T, p->ldt, p->Tpivot, p->Tinv, y, p->work);
  for (int32_t j = 0; j < p->f; j++) {
    double e = fabs(y[j]) / p->c->scale[p->cols[p->rank + j]];
    if (!(e <= top)) top = e;
  }
  return top;
}

/* a correction after which the next one would be larger is halved (the natural monotonicity test:
 * Deuflhard, Newton Methods for Nonlinear Problems, 2004, section 3.3) */
static hk_status next_residual(hk_part *p, const double *D) {
  memcpy(p->before, p->D, (size_t)p->n * sizeof *p->before);
  memcpy(p->trial, D, (size_t)p->n * sizeof *p->trial);
  for (int cut = 0;; cut++) {
    hk_status st = find_psi(p, p->trial);
    if (cut == MOST_CUTS || p->last < 1e-6) return st;
    if (st == HK_OK && simplified(p) <= p->last) return HK_OK;
    for (int32_t i = 0; i < p->n; i++) p->trial[i] = 0.5 * (p->trial[i] + p->before[i]);
  }
}

static hk_status part_residual(hk_formulation *f, const double *D) {
  hk_part *p = (hk_part *)f;
  hk_status st = p->first ? first_residual(p, D) : next_residual(p, D);
  p->first = false;
  return st;
}

static hk_status part_factor(hk_formulation *f) {
  hk_part *p = (hk_part *)f;
  p->ldt = hki_dense_ld(p->f);
  if (p->two) hki_part_columns(p, &p->chart);
  hki_part_multipliers(p, p->r, p->lam);
  hki_part_tangent(p);
  if (!p->f) return HK_OK;
  hk_status st = hki_dense_lu_factor(p->f, p->T, p->ldt, p->Tpivot, p->Tinv, p->work, NULL);
  return st == HK_OK ? HK_OK : HK_RETRY;
}

static hk_status part_correct(hk_formulation *f, double *D, hk_norms *norm) {
  hk_part *p = (hk_part *)f;
  double *x = p->x;
  for (int32_t j = 0; j < p->f; j++) p->psi[j] = -p->psi[j];
  if (p->f) hki_dense_lu_solve(p->f, p->T, p->ldt, p->Tpivot, p->Tinv, p->psi, p->work);
  memset(x, 0, (size_t)p->n * sizeof *x);
  for (int32_t j = 0; j < p->f; j++) {
    const double *P = p->chart.P + (size_t)j * (size_t)p->n;
    for (int32_t i = 0; i < p->n; i++) x[i] += P[i] * p->psi[j];
  }
  norm->step = norm->constraint = 0.0;
  for (int32_t i = 0; i < p->n; i++) {
    double e = fabs(x[i]) / p->c->scale[i];
    if (!(e <= norm->step)) norm->step = e;
    D[i] = p->D[i] + x[i];
  }
  p->last = independent_size(p, x);
  return HK_OK;
}

static hk_status part_stage_rates(hk_formulation *f, const double *D, double *w, double *wd) {
  hk_part *p = (hk_part *)f;
  hk_status st = evaluate(p, D);
  if (st != HK_OK) return st;
  memcpy(w, p->w, (size_t)p->n * sizeof *w);
  memcpy(wd, p->wd, (size_t)p->n * sizeof *wd);
  return HK_OK;
}

static void part_chart_velocity(const hk_formulation *f, const double *D, const double *w,
                                double *v) {
  const hk_part *p = (const hk_part *)f;
  if (v != w) memcpy(v, w, (size_t)p->n * sizeof *v);
  for (int32_t b = 0; p->two && b < p->c->m->nb; b++) chart_push(D + 6 * b, w + 6 * b, v + 6 * b);
}

/* --- the explicit face --------------------------------------------------------------------------
 */

/* y = M x, in body axes */
static void mass_times(const hk_part *p, const double *x, double *y) {
  const hk_cart *c = p->c;
  for (int32_t b = 0; b < c->m->nb; b++, x += c->nd, y += c->nd) {
    const hk_model_body *mb = &c->m->bodies[b];
    const double *n = c->m->spec->normal;
    double t[3];
    if (c->planar) {
      m3_mulv(t, mb->J, n);
      y[0] = v3_dot(t, n) * x[0];
      y[1] = mb->mass * x[1];
      y[2] = mb->mass * x[2];
    } else {
      m3_mulv(y, mb->J, x);
      v3_scale(y + 3, mb->mass, x + 3);
    }
  }
}

/* P'MP x = rhs, in place in p->psi (eq. 39) */
static hk_status solve_mass(hk_part *p) {
  const int32_t f = p->f, n = p->n, ld = hki_dense_ld(f);
  if (!f) return HK_OK;
  memset(p->T, 0, (size_t)ld * (size_t)f * sizeof *p->T);
  for (int32_t j = 0; j < f; j++) {
    mass_times(p, p->vel.P + (size_t)j * (size_t)n, p->dF);
    for (int32_t i = j; i < f; i++) {
      const double *P = p->vel.P + (size_t)i * (size_t)n;
      double sum = 0.0;
      for (int32_t k = 0; k < n; k++) sum += P[k] * p->dF[k];
      p->T[i + (size_t)j * (size_t)ld] = sum;
    }
  }
  hk_status st = hki_dense_ldl_factor(f, p->T, ld, p->Tinv, p->work, NULL);
  if (st == HK_OK) hki_dense_ldl_solve(f, p->T, ld, p->Tinv, p->psi, p->work);
  return st;
}

/* x += P psi */
static void add_independent(const hk_part *p, double *x) {
  for (int32_t j = 0; j < p->f; j++)
    for (int32_t i = 0; i < p->n; i++)
      x[i] += p->vel.P[(size_t)j * (size_t)p->n + (size_t)i] * p->psi[j];
}

/* Jacobian and columns at the rows just evaluated, with the choice there is or a first one */
static hk_status prepare(hk_part *p, bool anew) {
  if (anew || p->keep[HK_PART_MADE] == 0.0) return hki_part_choose(p);
  hki_part_sync(p);
  if (hki_part_factor(p, &p->vel, NULL) != HK_OK) return HK_RETRY;
  hki_part_columns(p, &p->vel);
  return HK_OK;
}

static hk_status part_accel(hk_formulation *f, double t, const double *q, const double *v,
                            double *a) {
  hk_part *p = (hk_part *)f;
  hki_cart_state(p->c, t, q, v);
  hki_cart_rows(p->c);
  hki_cart_bias(p->c);
  hk_status st = prepare(p, false);
  if (st != HK_OK) return st;
  memset(a, 0, (size_t)p->n * sizeof *a);
  hki_part_complete(p, &p->vel, p->c->gamma, a);
  motion_residual(p, a, p->r);
  reduce(p, p->r, p->psi);
  for (int32_t j = 0; j < p->f; j++) p->psi[j] = -p->psi[j];
  st = solve_mass(p);
  if (st != HK_OK) return st;
  add_independent(p, a);
  for (int32_t i = 0; i < p->n; i++)
    if (!isfinite(a[i])) return HK_E_NUMBER;
  return HK_OK;
}

/* --- after a step -------------------------------------------------------------------------------
 */

/* velocities onto the constraints, in the mass metric: v = P z + v0 */
static hk_status project_mass(hk_part *p, double t, const double *q, double *v) {
  hki_cart_state(p->c, t, q, v);
  hki_cart_rows(p->c);
  hk_status st = prepare(p, true);
  if (st != HK_OK) return st;
  memset(p->dv, 0, (size_t)p->n * sizeof *p->dv);
  hki_part_complete(p, &p->vel, p->c->phit, p->dv);
  for (int32_t i = 0; i < p->n; i++) p->x[i] = v[i] - p->dv[i];
  mass_times(p, p->x, p->dF);
  reduce(p, p->dF, p->psi);
  st = solve_mass(p);
  if (st != HK_OK) return st;
  memcpy(v, p->dv, (size_t)p->n * sizeof *v);
  add_independent(p, v);
  return HK_OK;
}

/* dependent positions on the constraints, the independent ones as they are */
static hk_status close_position(hk_part *p, double t, double *q, const double *v) {
  double before = INFINITY;
  for (int it = 0; it < CLOSE_PASSES; it++) {
    hki_cart_state(p->c, t, q, v);
    hki_cart_rows(p->c);
    if (hki_part_factor(p, &p->vel, NULL) != HK_OK) return HK_RETRY;
    double open = hki_part_open(p, &p->vel, p->x);
    if (!(open < 10.0)) return HK_RETRY;
    if (is_closed(open, before)) return HK_OK;
    before = open;
    hki_cart_plus(p->c, q, p->x, q);
  }
  return HK_RETRY;
}

static hk_status part_project(hk_formulation *f, double t, double *q, double *v, double *a,
                              uint32_t what) {
  hk_part *p = (hk_part *)f;
  if (what & HK_PROJECT_MASS) return project_mass(p, t, q, v);
  hki_part_sync(p);
  hk_status st = close_position(p, t, q, v);
  if (st != HK_OK) return st;
  if (what & HK_PROJECT_VEL) hki_part_complete(p, &p->vel, p->c->phit, v);
  if (what & HK_PROJECT_ACC) {
    hki_cart_state(p->c, t, q, v);
    hki_cart_bias(p->c);
    hki_part_complete(p, &p->vel, p->c->gamma, a);
  }
  for (int32_t i = 0; i < p->n; i++)
    if (!isfinite(v[i]) || !isfinite(a[i])) return HK_RETRY;
  st = hki_part_review(p, t, q);
  if (st != HK_OK) return st;
  hki_cart_settle(p->c, t, q, v, a);
  return HK_OK;
}

/* --- exchange and memory ------------------------------------------------------------------------
 */

static hk_status part_from_tree(hk_formulation *f, const double *qt, const double *vt, double *q,
                                double *v) {
  hki_cart_from_tree(((hk_part *)f)->c, qt, vt, q, v);
  return HK_OK;
}

static hk_status part_to_tree(hk_formulation *f, const double *q, const double *v, const double *a,
                              double *qt, double *vt, double *at) {
  hki_cart_to_tree(((hk_part *)f)->c, q, v, a, qt, vt, at);
  return HK_OK;
}

static void part_persistent(hk_formulation *f, double **block, int32_t *n) {
  hk_part *p = (hk_part *)f;
  *block = p->keep;
  *n = p->nkeep;
}

static void part_restart(hk_formulation *f) { ((hk_part *)f)->keep[HK_PART_MADE] = 0.0; }

static void part_destroy(hk_formulation *f) { hki_part_destroy((hk_part *)f); }

static const char *part_words(const hk_formulation *f) { return ((const hk_part *)f)->words; }

static hk_kin *part_kin(hk_formulation *f) { return &((hk_part *)f)->c->kin; }

/* clang-format off */
static const hk_param params[] = {
  {"tangent", HK_P_CHOICE, 0, offsetof(hk_part_par, tangent), 0, 0, 0, "", "exact fv",
   "exact: derivatives of all equations; fv: quasi-Newton of Fisette and Vaneghem, without the "
   "derivatives of the acceleration equations and of the constraint forces"},
  {"choice_limit", HK_P_REAL, 0, offsetof(hk_part_par, limit), 4, 1.2, 1e9, "", NULL,
   "independent coordinates are chosen anew when a dependent one moves this many times faster"},
  {.type = HK_P_END}};
/* clang-format on */

static const hk_formulation_ops ops = {
    .name = "partition",
    .text = "independent Cartesian coordinates, chosen and chosen anew automatically; the rest and "
            "the multipliers recovered exactly, exact tangent",
    .source = "Haug, Negrut and Iancu 1997; Wehage and Haug 1982",
    .caps = HK_CAP_STAGE_POS | HK_CAP_STAGE_ACC | HK_CAP_ACCEL | HK_CAP_EXACT,
    .params = params,
    .dims = part_dims,
    .plus = part_plus,
    .minus = part_minus,
    .begin = part_begin,
    .residual = part_residual,
    .factor = part_factor,
    .correct = part_correct,
    .accel = part_accel,
    .project = part_project,
    .from_tree = part_from_tree,
    .to_tree = part_to_tree,
    .persistent = part_persistent,
    .restart = part_restart,
    .destroy = part_destroy,
    .stage_rates = part_stage_rates,
    .chart_velocity = part_chart_velocity,
    .words = part_words,
};

static hk_status create(hk_ctx *ctx, const hk_model *m, const void *par, hk_formulation **out) {
  hk_part *p;
  hk_status st = hki_part_create(ctx, m, par, &p);
  if (st != HK_OK) return st;
  p->base.ops = &ops;
  *out = &p->base;
  return HK_OK;
}

const hk_formulation_entry hki_formulation_partition = {&ops, sizeof(hk_part_par), part_kin,
                                                        create};
