/* SPDX-License-Identifier: Apache-2.0
 *
 * global.c: the global formulation: natural coordinates (points and unit vectors), all constraints
 * by an index-3 augmented Lagrangian, velocities and accelerations corrected by
 * mass-damping-stiffness-orthogonal projections. M is constant, and Q has no velocity-dependent
 * inertia forces.
 *
 * Stage with constraints at position level:
 *
 *   M a + Phi_q' (alpha Phi + lam) = Q
 *   T = M + (cv/ca) C + (1/ca) (K + Phi_q' alpha Phi_q)
 *   T dD = -(1/ca) (M a + Phi_q' (alpha Phi + lam) - Q)
 *   lam += alpha (Phi + Phi_q dD)
 *
 * After the step, from v*, a* to v, a; repeated until the rows are small:
 *
 *   T (v - v*) = -(1/ca) Phi_q' alpha (Phi_q v* + Phi_t)
 *   T (a - a*) = -(1/ca) Phi_q' alpha (Phi_q a* + gamma)
 *
 * Stage with constraints at acceleration level (index 1); positions and velocities are projected in
 * the mass metric after the step:
 *
 *   M a + Phi_q' (alpha (Phi_q a + gamma) + lam) = Q
 *   T = M + (cv/ca) C + (1/ca) K + Phi_q' alpha Phi_q
 *   T dD = -(1/ca) (M a + Phi_q' (alpha (Phi_q a + gamma) + lam) - Q)
 *   lam += alpha (Phi_q (a + ca dD) + gamma)
 *
 * Rows psi that bind velocities alone have psi/cv in the place of Phi. alpha is set per row at the
 * first iteration of each stage: kappa times the inertia that the row feels (hki_points_penalty). The
 * papers have one number for all rows: option penalty_absolute.
 *
 * Sources: Cuadrado and Dopico 2003, section 2; Cuadrado, Gutierrez, Naya and Morer 2001; index 1:
 * Dopico, Lugris, Gonzalez and Cuadrado 2005; coordinates: Garcia de Jalon and Bayo 1994.
 */
#include "formulations/formulation.h"
#include "machines/points/points.h"

/* Rows of accelerations that count as closed after a step, relative to the size of these. Rates close as far as round-off allows: what
 * projects an accepted state again, an event, must not move it. */
static const double closed_a = 1e-12;

typedef struct global_par {
  double kappa, kappa_acc; /* penalties at position and acceleration level */
  double absolute;         /* one alpha for all rows of both levels; 0: from kappa */
  int32_t coordinates;     /* hk_points_choice */
  int32_t tangent;         /* HK_TANGENT_... */
  int32_t projection;      /* 0 off, 1 on */
} global_par;

typedef struct global {
  hk_formulation base;
  hk_ctx *ctx;
  global_par par;
  hk_points *n;
  hk_stage st;
  bool exact;  /* the tangent has geometric terms */
  bool first;  /* no iteration of this stage yet: penalties are still to be set */
  bool old;    /* the factor belongs to another iterate than the residual */
  double open; /* what the correction before this one left of the rows; INFINITY: none was */
  hk_points_pencil pencil;
} global;

static void global_dims(const hk_formulation *f, hk_dims *d) {
  const hk_points *n = ((const global *)f)->n;
  *d = (hk_dims){.nq = n->n, .nv = n->n, .nl = hki_points_active_rows(n)};
}

static void global_plus(const hk_formulation *f, const double *q, const double *d, double *q_out) {
  const hk_points *n = ((const global *)f)->n;
  for (int32_t i = 0; i < n->n; i++) q_out[i] = q[i] + d[i];
}

static void global_minus(const hk_formulation *f, const double *q1, const double *q0, double *d) {
  const hk_points *n = ((const global *)f)->n;
  for (int32_t i = 0; i < n->n; i++) d[i] = q1[i] - q0[i];
}

/* --- implicit stages -------------------------------------------------------------------------- */

static hk_status global_begin(hk_formulation *f, const hk_stage *st) {
  global *g = (global *)f;
  g->st = *st;
  g->first = true;
  g->open = INFINITY;
  return HK_OK;
}

/* r = M a - Q */
static void residual(hk_points *n, const double *a, bool tangent) {
  memset(n->r, 0, (size_t)n->n * sizeof *n->r);
  hki_points_add_mass(n, a, n->r);
  hki_points_forces(n, tangent, n->r);
}

/* the state of the stage at D */
static void place(global *g, const double *D) {
  hk_points *n = g->n;
  const hk_stage *st = &g->st;
  for (int32_t i = 0; i < n->n; i++) {
    n->q[i] = st->q0[i] + D[i];
    n->v[i] = st->vh[i] + st->cv * D[i];
    n->a[i] = st->ah[i] + st->ca * D[i];
  }
  hki_points_state(n, st->t, n->q, n->v);
}

static hk_status global_find_states(hk_formulation *f, const double *D) {
  place((global *)f, D);
  hki_points_find_states(((global *)f)->n);
  return HK_OK;
}

static hk_status global_residual(hk_formulation *f, const double *D, bool tangent) {
  global *g = (global *)f;
  hk_points *n = g->n;
  const hk_stage *st = &g->st;
  g->old = !tangent;
  place(g, D);
  hki_points_rows(n, n->q);
  if (st->level == HK_LEVEL_ACC)
    hki_points_bias(n, n->v);
  else
    hki_points_rate_rows(n, n->v, st->cv);
  residual(n, n->a, tangent);
  return HK_OK;
}

static hk_status global_factor(hk_formulation *f) {
  global *g = (global *)f;
  hk_points *n = g->n;
  const bool acc = g->st.level == HK_LEVEL_ACC;
  const double c = 1.0 / g->st.ca, cp = acc ? 1.0 : c;
  if (g->first && g->par.absolute > 0.0)
    hki_points_penalty_equal(n, g->par.absolute);
  else if (g->first)
    hki_points_penalty(n, cp, acc ? g->par.kappa_acc : g->par.kappa);
  g->first = false;
  hki_points_matrix(n, !g->exact, g->st.cv * c, c, cp);
  if (g->exact) hki_points_add_exact(n, g->st.cv * c, c, n->lam);
  hki_points_border_terms(n, g->st.cv * c, c);
  return hki_points_factor_stage(n) == HK_OK ? HK_OK : HK_RETRY;
}

static bool global_choose_tangent(hk_formulation *f, bool exact) {
  global *g = (global *)f;
  if (g->par.tangent != HK_TANGENT_AUTO) return false;
  g->exact = exact;
  return true;
}

/* y: rows that the stage imposes, Phi or (Phi_q a + gamma) / ca, both of the size of positions */
static void stage_rows(const global *g, double *y) {
  const hk_points *n = g->n;
  if (g->st.level != HK_LEVEL_ACC) {
    memcpy(y, n->phi, (size_t)n->nrows * sizeof *y);
    return;
  }
  hki_points_mul_rows(n, n->a, y);
  for (int32_t i = 0; i < n->nrows; i++) y[i] = (y[i] + n->gamma[i]) / g->st.ca;
}

/* What a correction has left of rows that nearly depend on each other, n->row: D and n->lam; p: share of alpha in T. The
 * others: nothing. */
static hk_status close_slow_rows(global *g, double p, double *D, hk_norms *norm) {
  hk_points *n = g->n;
  if (!hki_slow_after(norm->constraint, norm->step, HK_POINTS_CLOSED, &g->open)) return HK_OK;
  memset(n->x, 0, (size_t)n->n * sizeof *n->x);
  const hk_status st = hki_points_close_slow(n, p, g->st.ca, n->row, n->x);
  for (int32_t i = 0; i < n->n; i++) D[i] += n->x[i];
  norm->step = fmax(norm->step, hki_points_size(n, n->x));
  norm->constraint = g->open = hki_points_row_norm(n, n->row);
  return st;
}

static hk_status global_correct(hk_formulation *f, double *D, hk_norms *norm) {
  global *g = (global *)f;
  hk_points *n = g->n;
  const double c = 1.0 / g->st.ca, p = g->st.level == HK_LEVEL_ACC ? g->st.ca : 1.0;
  // x = dD
  stage_rows(g, n->lam_step);
  if (g->old) {
    hki_points_add_rows(n, n->lam, n->r);
    for (int32_t i = 0; i < n->nrows; i++) n->row[i] = p * n->alpha[i] * n->lam_step[i];
    hki_points_add_factored(n, n->row, n->r);
  } else {
    for (int32_t i = 0; i < n->nrows; i++) n->row[i] = p * n->alpha[i] * n->lam_step[i] + n->lam[i];
    hki_points_add_rows(n, n->row, n->r);
  }
  for (int32_t i = 0; i < n->n; i++) n->x[i] = -c * n->r[i];
  hki_points_solve_stage(n, n->x);
  // new increment; multipliers with the rows to first order
  for (int32_t i = 0; i < n->n; i++) D[i] += n->x[i];
  norm->step = hki_points_size(n, n->x);
  hki_points_mul_factored(n, n->x, n->row);
  for (int32_t i = 0; i < n->nrows; i++) {
    n->row[i] += n->lam_step[i];
    n->lam[i] += p * n->alpha[i] * n->row[i];
  }
  norm->constraint = hki_points_row_norm(n, n->row);
  norm->old_factor = true;
  return HK_CLOSES_SLOW ? close_slow_rows(g, p * c, D, norm) : HK_OK;
}

/* --- accelerations and projections in the mass metric ----------------------------------------- */

/* factor M + Phi_q' alpha Phi_q at the present rows; the penalty is 1e6 times the inertia */
static hk_status factor_mass(hk_points *n) {
  hki_points_penalty(n, 1.0, 1e6);
  hki_points_matrix(n, false, 0.0, 0.0, 1.0);
  return hki_ldl_factor(n->ldl, &n->num, n->num.val);
}

/* The rows of a and n->lam, where they nearly depend on each other: passes left them open by `left`, in a of scaled size
 * `size`. */
static hk_status close_slow_accel(hk_points *n, double left, double size, double *a) {
  if (!hki_points_is_slow(left, size)) return HK_OK;
  hki_points_mul_rows(n, a, n->row);
  for (int32_t i = 0; i < n->nrows; i++) n->row[i] += n->gamma[i];
  return hki_points_close_slow(n, 1.0, 1.0, n->row, a);
}

static hk_status global_accel(hk_formulation *f, double t, const double *q, const double *v,
                              double *a) {
  hk_points *n = ((global *)f)->n;
  double before = INFINITY, open = INFINITY, whole = 0.0;
  hki_points_state(n, t, q, v);
  hki_points_rows(n, q);
  hki_points_bias(n, v);
  hk_status st = factor_mass(n);
  if (st != HK_OK) return st;
  memset(a, 0, (size_t)n->n * sizeof *a);
  memset(n->lam, 0, (size_t)n->nrows * sizeof *n->lam);
  // augmented Lagrangian at acceleration level (head of this file); y = -Q is evaluated once
  memset(n->y, 0, (size_t)n->n * sizeof *n->y);
  hki_points_forces(n, false, n->y);
  for (int pass = 0; pass < 12; pass++) {
    hki_points_mul_rows(n, a, n->lam_step);
    for (int32_t i = 0; i < n->nrows; i++) n->lam_step[i] += n->gamma[i];
    double left = hki_points_row_norm(n, n->lam_step);
    open = left;
    if (pass > 2 && left > 0.5 * before) break;
    before = left;
    for (int32_t i = 0; i < n->nrows; i++) n->row[i] = n->alpha[i] * n->lam_step[i] + n->lam[i];
    memcpy(n->r, n->y, (size_t)n->n * sizeof *n->r);
    hki_points_add_mass(n, a, n->r);
    hki_points_add_rows(n, n->row, n->r);
    for (int32_t i = 0; i < n->n; i++) n->x[i] = -n->r[i];
    hki_ldl_solve(n->ldl, &n->num, n->x);
    hki_points_mul_rows(n, n->x, n->lam_step);
    for (int32_t i = 0; i < n->nrows; i++) n->lam[i] = n->row[i] + n->alpha[i] * n->lam_step[i];
    for (int32_t i = 0; i < n->n; i++) a[i] += n->x[i];
    double size = hki_points_size(n, a);
    whole = size;
    if (!isfinite(size)) return HK_E_NUMBER;
    if (pass > 0 && left <= 1e-12 * (1.0 + size)) break;
  }
  if (HK_CLOSES_SLOW) return close_slow_accel(n, open, whole, a);
  return HK_OK;
}

/* v onto the constraints with the present factors; rows that are not linear in v are evaluated at
 * each new v */
static void project_rates(hk_points *n, double t, double c, double far, const double *q,
                          double *v) {
  double size = INFINITY, last = INFINITY;
  for (int pass = 0; pass < 30; pass++) {
    memcpy(n->y, v, (size_t)n->n * sizeof *v);
    hki_points_project(n, c, n->phit, HK_POINTS_CLOSED, far, v);
    if (!n->m->ncurved) return;
    size = 0.0;
    for (int32_t i = 0; i < n->n; i++) size = fmax(size, fabs(v[i] - n->y[i]));
    hki_points_state(n, t, q, v);
    hki_points_rows(n, q);
    if (!(size > 1e-14) || (size < 1e-9 && size > 0.5 * last)) return;
    last = size;
  }
}

/* q (if `positions`) and v onto the constraints, the shortest way in the mass metric */
static hk_status project_state(hk_points *n, double t, double *q, double *v, bool positions) {
  double before = INFINITY, left = INFINITY;
  for (int pass = 0; pass < 20; pass++) {
    hki_points_state(n, t, q, v);
    hki_points_rows(n, q);
    hk_status st = factor_mass(n);
    if (st != HK_OK) return st;
    left = hki_points_row_norm(n, n->phi);
    if (!isfinite(left)) return HK_RETRY;
    if (!positions || left <= 1e-13 || (left < 1e-9 && left > 0.5 * before)) break;
    before = left;
    memset(n->y, 0, (size_t)n->n * sizeof *n->y);
    hki_points_project(n, 1.0, n->phi, HK_POINTS_CLOSED, HK_SLOW_FAR, n->y);
    for (int32_t i = 0; i < n->n; i++) q[i] += n->y[i];
  }
  if (positions && !(left < 1e-9)) return HK_RETRY;
  project_rates(n, t, 1.0, positions ? HK_SLOW_FAR : INFINITY, q, v);
  return HK_OK;
}

/* kin, qlast and qt, vt, at at the accepted state, for audits and channels */
static void settle(hk_points *n, double t, const double *q, const double *v, const double *a) {
  const size_t size = (size_t)n->n * sizeof *q;
  hk_kin *k = &n->kin;
  hki_points_to_tree(n, q, v, a, n->qt, n->vt, n->at);
  memcpy(n->q_set, q, size);
  memcpy(n->v_set, v, size);
  memcpy(n->a_set, a, size);
  memcpy(n->qlast, n->qt, (size_t)n->m->nq * sizeof *n->qt);
  hki_kin_state(k, t, n->qt, n->vt);
  if (n->m->spec->nsignals) hki_kin_signals(k, false);
  hki_kin_closures(k);
  hki_kin_closure_bias(k);
}

static hk_status global_project(hk_formulation *f, double t, double *q, double *v, double *a,
                                uint32_t what) {
  global *g = (global *)f;
  hk_points *n = g->n;
  const double c = 1.0 / g->st.ca;
  if (what & HK_PROJECT_MASS) return project_state(n, t, q, v, false);
  if ((what & HK_PROJECT_POS) && g->par.projection) {
    hk_status st = project_state(n, t, q, v, true);
    if (st != HK_OK) return HK_RETRY;
  } else if (g->par.projection && n->nrows) {
    // only loop rows need the frames of bodies
    if (n->nloop) hki_points_state(n, t, q, v);
    hki_points_rows(n, q);
    if (what & HK_PROJECT_VEL) {
      project_rates(n, t, c, HK_SLOW_FAR, q, v);
      if (n->nloop) hki_points_state(n, t, q, v);
    }
    hki_points_bias(n, v);
    if (what & HK_PROJECT_ACC) hki_points_project(n, c, n->gamma, closed_a, HK_SLOW_FAR, a);
  }
  for (int32_t i = 0; i < n->n; i++)
    if (!isfinite(q[i]) || !isfinite(v[i]) || !isfinite(a[i])) return HK_RETRY;
  settle(n, t, q, v, a);
  return HK_OK;
}

/* --- several stages with one matrix ----------------------------------------------------------- */

static hk_status rates_allow(hk_formulation *f, int32_t stages) {
  global *g = (global *)f;
  return hki_points_pencil_create(g->n, stages, &g->pencil);
}

static hk_status rates_matrices(hk_formulation *f, double t, const double *q0, const double *D,
                                const double *w, double gh) {
  global *g = (global *)f;
  hki_points_pencil_state(g->n, &g->pencil, t, q0, D, w, gh);
  if (g->par.absolute > 0.0)
    hki_points_penalty_equal(g->n, g->par.absolute);
  else
    hki_points_penalty(g->n, 1.0, g->par.kappa_acc);
  return hki_points_pencil_factor(g->n, &g->pencil, gh);
}

static hk_status rates_rates(hk_formulation *f, int32_t stage, bool first, double t,
                             const double *q0, double *D, double *w, double *wd) {
  global *g = (global *)f;
  return hki_points_pencil_rates(g->n, &g->pencil, stage, first, t, q0, D, w, wd);
}

static void rates_mul(hk_formulation *f, const double *u, const double *w, const double *z,
                      double *y) {
  hki_pencil_mul(&((global *)f)->pencil.p, u, w, z, y);
}

static void rates_solve(hk_formulation *f, double *x) {
  hki_pencil_solve(&((global *)f)->pencil.p, x);
}

static const hk_rate_ops rates = {rates_allow, rates_matrices, rates_rates,
                                  rates_mul,   rates_solve,    NULL};

static int32_t global_solver_memory(hk_formulation *f, int32_t k, double **block) {
  hk_linsolve *T = ((global *)f)->pencil.p.T;
  return T && k == 0 ? hki_linsolve_memory(T, block) : -1;
}

static hk_status global_solver_recall(hk_formulation *f) {
  hk_linsolve *T = ((global *)f)->pencil.p.T;
  return T ? hki_linsolve_recall(T) : HK_OK;
}

/* --- exchange --------------------------------------------------------------------------------- */

static hk_status global_from_tree(hk_formulation *f, const double *qt, const double *vt, double *q,
                                  double *v) {
  hk_points *n = ((global *)f)->n;
  hki_points_from_tree(n, qt, vt, q, v);
  if (n->n) n->q_set[0] = NAN; // qt, vt, at belong to no state yet
  return HK_OK;
}

static hk_status global_to_tree(hk_formulation *f, const double *q, const double *v,
                                const double *a, double *qt, double *vt, double *at) {
  hk_points *n = ((global *)f)->n;
  const hk_model *m = n->m;
  const size_t size = (size_t)n->n * sizeof *q;
  // qt, vt, at are those of this state
  if (n->n && !memcmp(q, n->q_set, size) && !memcmp(v, n->v_set, size) &&
      !memcmp(a, n->a_set, size)) {
    memcpy(qt, n->qt, (size_t)m->nq * sizeof *qt);
    memcpy(vt, n->vt, (size_t)m->nv * sizeof *vt);
    memcpy(at, n->at, (size_t)m->nv * sizeof *at);
  } else {
    hki_points_to_tree(n, q, v, a, qt, vt, at);
  }
  return HK_OK;
}

static void global_persistent(hk_formulation *f, double **block, int32_t *count) {
  hk_points *n = ((global *)f)->n;
  *block = n->lam;
  *count = n->nrows + n->m->nq;
}

static void global_restart(hk_formulation *f) {
  hk_points *n = ((global *)f)->n;
  memset(n->lam, 0, (size_t)n->nrows * sizeof *n->lam);
}

static void global_destroy(hk_formulation *f) {
  global *g = (global *)f;
  hki_points_pencil_destroy(&g->pencil);
  hki_points_destroy(g->n);
  hki_free(g->ctx, g);
}

static hk_kin *global_kin(hk_formulation *f) { return &((global *)f)->n->kin; }

/* clang-format off */
static const hk_param params[] = {
  {"penalty", HK_P_REAL, 0, offsetof(global_par, kappa), 1e5, 1e3, 1e9, "", NULL,
   "penalty of the constraints relative to the inertia they feel; rarely worth changing"},
  {"penalty_acceleration", HK_P_REAL, 0, offsetof(global_par, kappa_acc), 1e5, 1e2, 1e10, "", NULL,
   "the same for methods with constraints at acceleration level (sdirk)"},
  {"penalty_absolute", HK_P_REAL, 0, offsetof(global_par, absolute), 0, 0, 1e20, "", NULL,
   HK_ABSOLUTE_TEXT},
  {"coordinates", HK_P_CHOICE, 0, offsetof(global_par, coordinates), 0, 0, 0, "", "shared fewest separate",
   "shared: every point and vector that bodies share; fewest: without those a body carries anyway; "
   "separate: one for each axis, though parallel, and for each end of a spring, as the papers count"},
  {"tangent", HK_P_CHOICE, 0, offsetof(global_par, tangent), 0, 0, 0, "", HK_TANGENT_CHOICES,
   "exact adds geometric stiffness and the curvature of the constraints (preloads, taut chains, fast "
   "rotation); material leaves them out; auto takes exact where material converges slowly"},
  {"projection", HK_P_BOOL, 0, offsetof(global_par, projection), 1, 0, 0, "", NULL,
   "project velocities and accelerations onto the constraints after each step"},
  HK_PARAM_END};
/* clang-format on */

static const hk_formulation_ops ops = {
    .name = "global",
    .text = "natural coordinates, all constraints by an index-3 augmented Lagrangian with "
            "projections",
    .source = "Garcia de Jalon and Bayo 1994; Cuadrado and Dopico 2003, section 2",
    .caps = HK_CAP_STAGE_POS | HK_CAP_STAGE_ACC | HK_CAP_ACCEL | HK_CAP_RATE_ROWS | HK_CAP_RATES |
            HK_CAP_AHEAD,
    .params = params,
    .dims = global_dims,
    .plus = global_plus,
    .minus = global_minus,
    .begin = global_begin,
    .residual = global_residual,
    .factor = global_factor,
    .correct = global_correct,
    .choose_tangent = global_choose_tangent,
    .find_states = global_find_states,
    .accel = global_accel,
    .project = global_project,
    .from_tree = global_from_tree,
    .to_tree = global_to_tree,
    .persistent = global_persistent,
    .solver_memory = global_solver_memory,
    .solver_recall = global_solver_recall,
    .restart = global_restart,
    .destroy = global_destroy,
    .rates = &rates,
};

static hk_status global_create(hk_ctx *ctx, const hk_model *m, const void *par,
                               hk_formulation **out) {
  global *g = hki_alloc(ctx, sizeof *g);
  if (!g) return HK_E_MEMORY;
  g->base.ops = &ops;
  g->ctx = ctx;
  g->par = *(const global_par *)par;
  g->exact = g->par.tangent == HK_TANGENT_EXACT;
  hk_status st = hki_points_create(ctx, m, (hk_points_choice)g->par.coordinates, &g->n);
  if (st != HK_OK) {
    hki_free(ctx, g);
    return st;
  }
  g->base.shared = g->n;
  *out = &g->base;
  return HK_OK;
}

static hk_status global_cost(hk_ctx *ctx, const hk_model *m, const void *par, double most,
                             hk_cost *out) {
  const int32_t choice = ((const global_par *)par)->coordinates;
  return hki_points_cost(ctx, m, (hk_points_choice)choice, most, out);
}

const hk_formulation_entry hki_formulation_global = {
    &ops,  sizeof(global_par), global_kin, global_create, global_cost, NULL, false,
    false, &hki_points_net,    NULL};
