/* SPDX-License-Identifier: Apache-2.0
 *
 * topological.c: the topological formulation: relative coordinates, loops closed by a second
 * velocity transformation to independent relative coordinates.
 *
 *   v = R2 v_i + b                                            R2, b: topological.h
 *   a = R2 a_i + c                                            c = [0; -Phi_d^-1 gamma]
 *   R2' M R2 a_i = R2' (Q - M c)                              c = dR2/dt v_i + db/dt
 *
 * Implicit stage:
 *
 *   T      = R2' (M + (cv/ca) C + (1/ca) K) R2              K: with the curvature of the closures
 *                                                           where the tangent is exact
 *   T dD_i = -(1/ca) R2' (M a - Q)
 *   dD_d   = (R2 dD_i)_d - Phi_d^-1 Phi
 *
 * Integrators see all tree coordinates. Only the independent ones follow v = vh + cv D and
 * a = ah + ca D, and of the rows that bind velocities alone the positions v = vh + cv D (topological.h); the others follow from the closures: positions by Newton's method on Phi = 0,
 * velocities from Phi_z v + Phi_t = 0, accelerations from Phi_z a + gamma = 0. The constraints hold
 * exactly in every stage. Histories are in all coordinates, so a change of the choice loses
 * nothing.
 *
 * The independent unknowns are increments from the position at the start of the step, also for
 * quaternions. Before the equations of motion are evaluated the dependents are closed to `near`; a
 * correction then moves both kinds at once.
 *
 * Sources: Garcia de Jalon, Alvarez, de Ribera, Rodriguez and Funes 2003; Cuadrado and Dopico 2003,
 * section 2. The papers choose once (`choice: once`); by default the choice is made anew when it
 * degrades.
 */
#include "formulations/topological/topological.h"

/* largest scaled opening of the dependents: before the equations of motion are evaluated, and at
 * accepted states */
static const double near = 1e-3, closed = 1e-11;

/* after a scaled correction below this the reduced matrix may be kept: the change is less than the
 * geometric terms that it leaves out anyway */
static const double steady = 1e-3;

/* scaled rows of a correction that are far below the round-off of positions */
static const double round_off = 1e-17;

/* kinematics at positions q, signals, closures; velocities only where signals read them */
static void place(hk_topological *t, double time, const double *q, const double *v) {
  hk_tree *s = t->s;
  hki_kin_positions(&s->kin, time, q);
  if (t->signals_move) hki_kin_velocity(&s->kin, v);
  if (s->m->spec->nsignals) hki_kin_signals(&s->kin, false);
  if (s->m->nc) hki_kin_closures(&s->kin);
}

/* kinematics at velocities v, signals that read them, gamma of the closures */
static void move(hk_topological *t, const double *v) {
  hk_tree *s = t->s;
  hki_kin_velocity(&s->kin, v);
  if (t->signals_move) hki_kin_signals(&s->kin, false);
  if (s->m->ncurved) hki_kin_closures(&s->kin);
  if (s->m->nc) hki_kin_closure_bias(&s->kin);
}

/* w_d from w_i by the rows on velocities; D: increments of a chart stage, or NULL. Rows that are not
 * linear in velocities are evaluated anew until they hold, at the velocities v (nv). */
static hk_status complete_rates(hk_topological *t, const double *D, double *w, double *v) {
  hk_tree *s = t->s;
  double last = INFINITY;
  for (int pass = 0; pass < 30; pass++) {
    double size = 0.0, top = 1.0;
    hki_topological_complete(t, s->kin.phit, w);
    if (!s->m->ncurved) return HK_OK;
    if (D)
      hki_tree_chart_velocity(s, D, w, t->z);
    else
      memcpy(t->z, w, (size_t)s->m->nv * sizeof *w);
    for (int32_t i = 0; i < s->m->nv; i++) {
      size = fmax(size, fabs(t->z[i] - v[i]) * t->unscale[i]);
      top = fmax(top, fabs(t->z[i]) * t->unscale[i]);
      v[i] = t->z[i];
    }
    if (!isfinite(size)) return HK_RETRY;
    hki_kin_closures_at(&s->kin, v);
    if (hki_topological_factor(t, D) != HK_OK) return HK_RETRY;
    if (size <= 1e-14 * top || (size < 1e-9 * top && size > 0.5 * last)) return HK_OK;
    last = size;
  }
  return HK_RETRY;
}

/* --- the implicit face ------------------------------------------------------------------------ */

static hk_status topological_begin(hk_formulation *f, const hk_stage *st) {
  hk_topological *t = (hk_topological *)f;
  t->st = *st;
  t->words[0] = '\0';
  hki_topological_sync(t);
  return HK_OK;
}

/* phi of the rows that bind velocities alone; t->w: rates of the increment t->D that satisfy all
 * rows */
static hk_status follow_rates(hk_topological *t) {
  const hk_stage *st = &t->st;
  for (int32_t i = 0; i < t->s->m->nv; i++) t->w[i] = st->vh[i] + st->cv * t->D[i];
  hk_status status = complete_rates(t, st->chart ? t->D : NULL, t->w, t->s->v);
  hki_topological_follow(t, st->vh, st->cv, t->D, t->w);
  return status;
}

/* s->v: velocities of the increment t->D as the integrator has them, from which rows that are not linear
 * in velocities are solved */
static void guess_rates(hk_topological *t) {
  const hk_stage *st = &t->st;
  double *v = t->s->v;
  for (int32_t i = 0; i < t->s->m->nv; i++) v[i] = st->vh[i] + st->cv * t->D[i];
  if (st->chart) hki_tree_chart_velocity(t->s, t->D, v, v);
}

/* brings the dependents of t->D to the closures within `enough`, or to round-off. Leaves the groups
 * factorised there and -Phi_d^-1 Phi in s->x. */
static hk_status close_stage(hk_topological *t, double enough) {
  hk_tree *s = t->s;
  const double *D = t->st.chart ? t->D : NULL;
  double before = INFINITY;
  if (s->m->ncurved && t->st.cv > 0.0) guess_rates(t);
  for (int it = 0; it < 12; it++) {
    hki_tree_plus(s->m, t->st.q0, t->D, s->q);
    place(t, t->st.t, s->q, s->v);
    if (!t->ngroup) return HK_OK;
    if (hki_topological_factor(t, D) != HK_OK) return HK_RETRY;
    if (s->m->nrate && t->st.cv > 0.0 && follow_rates(t) != HK_OK) return HK_RETRY;
    double open = hki_topological_open(t, s->x);
    if (open <= enough || (open < 1e-8 && open > 0.5 * before)) return HK_OK;
    if (!(open < 10.0)) return HK_RETRY;
    before = open;
    if (!D) hki_tree_chart_step(s, t->D, s->x);
    for (int32_t i = 0; i < s->m->nv; i++) t->D[i] += s->x[i];
  }
  return HK_RETRY;
}

/* state of the stage at the increment D: t->w, t->wd are the rates of the increment in a chart
 * stage, else velocities and accelerations; s->v, s->a always velocities and accelerations */
static hk_status evaluate(hk_topological *t, const double *D) {
  hk_tree *s = t->s;
  const hk_stage *st = &t->st;
  const int32_t nv = s->m->nv;
  memcpy(t->D, D, (size_t)nv * sizeof *D);
  hk_status status = close_stage(t, near);
  if (status != HK_OK) return status;
  for (int32_t i = 0; i < nv; i++) {
    t->w[i] = st->vh[i] + st->cv * t->D[i];
    t->wd[i] = st->ah[i] + st->ca * t->D[i];
  }
  if (complete_rates(t, st->chart ? t->D : NULL, t->w, s->v) != HK_OK) return HK_RETRY;
  if (!st->chart) {
    memcpy(s->v, t->w, (size_t)nv * sizeof *s->v);
    move(t, s->v);
    if (s->m->ncurved) hki_topological_follow(t, st->vh, st->cv, t->D, t->w);
    hki_topological_complete(t, s->kin.gamma, t->wd);
    memcpy(s->a, t->wd, (size_t)nv * sizeof *s->a);
    return HK_OK;
  }
  hki_tree_chart_velocity(s, t->D, t->w, s->v);
  move(t, s->v);
  if (s->m->ncurved) hki_topological_follow(t, st->vh, st->cv, t->D, t->w);
  hki_tree_chart_bend(s, t->D, t->w, t->z);
  hki_tree_rows(s, t->z, t->b);
  for (int32_t i = 0; i < s->m->nrows; i++) t->b[i] += s->kin.gamma[i];
  hki_topological_complete(t, t->b, t->wd);
  hki_tree_chart_velocity(s, t->D, t->wd, s->a);
  for (int32_t i = 0; i < nv; i++) s->a[i] += t->z[i];
  return HK_OK;
}

static hk_status topological_residual(hk_formulation *f, const double *D, bool tangent) {
  hk_topological *t = (hk_topological *)f;
  hk_tree *s = t->s;
  hk_status st = evaluate(t, D);
  if (st != HK_OK) return st;
  hki_kin_forces(&s->kin, tangent ? HK_FORCES_TANGENT : 0);
  hki_tree_residual(s, s->a, s->r);
  return HK_OK;
}

static hk_status topological_find_states(hk_formulation *f, const double *D) {
  hk_topological *t = (hk_topological *)f;
  hk_status st = evaluate(t, D);
  if (st == HK_OK) hki_kin_find_states(&t->s->kin);
  return st;
}

/* x_i = -c (R2' T R2)^-1 R2' r; r is overwritten; least: scaled rows that need not be closed further */
static void solve_matrix(hk_topological *t, double c, double least, double *r, double *x) {
  hki_topological_reduce(t, r);
  for (int32_t i = 0; i < t->s->m->nv; i++) x[i] = -c * r[i];
  if (t->sparse)
    hki_topological_solve_tree(t, least, x);
  else
    hki_ldl_solve(t->reduced, &t->num, x);
}

/* R2' T R2 */
static hk_status factor_matrix(hk_topological *t) {
  return t->sparse ? hki_topological_factor_tree(t) : hki_topological_matrix(t);
}

/* x = R2 (R2' T R2)^-1 R2' x, for the border */
static void solve_reduced(void *with, double *x) {
  hk_topological *t = with;
  solve_matrix(t, -1.0, 0.0, x, x);
  memset(t->b, 0, (size_t)t->s->m->nrows * sizeof *t->b);
  hki_topological_complete(t, t->b, x);
}

static hk_status topological_factor(hk_formulation *f) {
  hk_topological *t = (hk_topological *)f;
  const double c = 1.0 / t->st.ca;
  hki_tree_mass(t->s);
  if (t->exact) {
    hki_topological_multipliers(t, t->s->r, t->s->lam);
    hki_tree_add_whole(t->s, t->st.cv * c, c, t->s->lam);
  } else {
    hki_tree_add_forces(t->s, t->st.cv * c, c);
  }
  if (factor_matrix(t) != HK_OK) return HK_RETRY;
  return hki_border_factor(&t->s->border, solve_reduced, t) == HK_OK ? HK_OK : HK_RETRY;
}

static bool topological_choose_tangent(hk_formulation *f, bool exact) {
  hk_topological *t = (hk_topological *)f;
  if (t->par.tangent != HK_TANGENT_AUTO || t->deep) return false;
  t->exact = exact;
  return true;
}

static hk_status topological_correct(hk_formulation *f, double *D, hk_norms *n) {
  hk_topological *t = (hk_topological *)f;
  hk_tree *s = t->s;
  const int32_t nv = s->m->nv;
  const double c = 1.0 / t->st.ca;
  if (t->st.chart) hki_tree_chart_pull(s, t->D, s->r);
  solve_matrix(t, c, round_off, s->r, s->x);
  hki_topological_complete(t, s->kin.phi, s->x);
  hki_border_apply(&s->border, s->x);
  n->step = n->constraint = 0.0;
  for (int32_t i = 0; i < nv; i++) {
    double e = fabs(s->x[i]) / s->scale[i];
    if (!(e <= n->step)) n->step = e;
  }
  n->keep_factor = n->step <= steady;
  if (!t->st.chart) hki_tree_chart_step(s, t->D, s->x);
  for (int32_t i = 0; i < nv; i++) D[i] = t->D[i] + s->x[i];
  return HK_OK;
}

static hk_status topological_stage_rates(hk_formulation *f, const double *D, double *w,
                                         double *wd) {
  hk_topological *t = (hk_topological *)f;
  hk_status st = evaluate(t, D);
  if (st != HK_OK) return st;
  memcpy(w, t->w, (size_t)t->s->m->nv * sizeof *w);
  memcpy(wd, t->wd, (size_t)t->s->m->nv * sizeof *wd);
  return HK_OK;
}

/* --- the explicit face ------------------------------------------------------------------------ */

/* a of the present state, whose groups are factorised */
static hk_status solve_accel(hk_topological *t, double *a) {
  hk_tree *s = t->s;
  const int32_t nv = s->m->nv;
  hki_kin_forces(&s->kin, 0);
  memset(a, 0, (size_t)nv * sizeof *a);
  hki_topological_complete(t, s->kin.gamma, a);
  hki_tree_residual(s, a, s->r);
  hki_tree_mass(s);
  hk_status st = factor_matrix(t);
  if (st != HK_OK) return st;
  solve_matrix(t, 1.0, 0.0, s->r, s->x);
  memcpy(a, s->x, (size_t)nv * sizeof *a);
  hki_topological_complete(t, s->kin.gamma, a);
  for (int32_t i = 0; i < nv; i++)
    if (!isfinite(a[i])) return HK_E_NUMBER;
  return HK_OK;
}

static hk_status topological_accel(hk_formulation *f, double time, const double *q, const double *v,
                                   double *a) {
  hk_topological *t = (hk_topological *)f;
  place(t, time, q, v);
  move(t, v);
  if (t->persist[0] == 0.0) {
    hk_status st = hki_topological_choose_all(t);
    if (st != HK_OK) return st;
  } else {
    hki_topological_sync(t);
    if (hki_topological_factor(t, NULL) != HK_OK) return HK_RETRY;
  }
  return solve_accel(t, a);
}

/* --- several stages with one matrix ----------------------------------------------------------- */

/* D and w of a stage onto the closures; velocities s->v. Leaves the groups in the chart of D. */
static hk_status settle(hk_topological *t, double time, const double *q0, double *D, double *w) {
  hk_tree *s = t->s;
  t->st = (hk_stage){.t = time, .level = HK_LEVEL_ACC, .q0 = q0, .chart = true};
  t->words[0] = '\0';
  hki_topological_sync(t);
  memcpy(t->D, D, (size_t)s->m->nv * sizeof *D);
  hki_tree_chart_velocity(s, D, w, s->v);
  hk_status st = close_stage(t, closed);
  if (st != HK_OK) return st;
  memcpy(D, t->D, (size_t)s->m->nv * sizeof *D);
  if (complete_rates(t, D, w, s->v) != HK_OK) return HK_RETRY;
  hki_tree_chart_velocity(s, D, w, s->v);
  move(t, s->v);
  return HK_OK;
}

static hk_status rates_allow(hk_formulation *f, int32_t stages) {
  hk_topological *t = (hk_topological *)f;
  (void)stages;
  // the matrices of these stages are the reduced ones
  hk_status st = hki_topological_fill_matrices(t);
  if (st != HK_OK) return st;
  return t->pencil.T ? HK_OK : hki_pencil_create(t->ctx, t->reduced, true, &t->pencil);
}

/* X = R2' (values of the tree's matrix) R2 */
static void reduce_part(hk_topological *t, double *X) {
  hki_topological_assemble(t);
  hki_pencil_take(&t->pencil, t->num.val, X);
  hki_ldl_zero(t->s->ldl, &t->s->num);
}

static hk_status rates_matrices(hk_formulation *f, double time, const double *q0, const double *D,
                                const double *w, double g) {
  hk_topological *t = (hk_topological *)f;
  hk_tree *s = t->s;
  memcpy(t->z, D, (size_t)s->m->nv * sizeof *D);
  memcpy(t->w, w, (size_t)s->m->nv * sizeof *w);
  hk_status st = settle(t, time, q0, t->z, t->w);
  if (st != HK_OK) return st;
  hki_kin_forces(&s->kin, HK_FORCES_TANGENT);
  hki_tree_mass(s);
  reduce_part(t, t->pencil.A);
  hki_tree_add_forces(s, 1.0, 0.0);
  reduce_part(t, t->pencil.C);
  hki_tree_add_forces(s, 0.0, 1.0);
  reduce_part(t, t->pencil.K);
  return hki_pencil_factor(&t->pencil, g) == HK_OK ? HK_OK : HK_RETRY;
}

static hk_status rates_rates(hk_formulation *f, int32_t stage, bool first, double time,
                             const double *q0, double *D, double *w, double *wd) {
  hk_topological *t = (hk_topological *)f;
  hk_tree *s = t->s;
  (void)stage, (void)first;
  hk_status st = settle(t, time, q0, D, w);
  if (st == HK_OK) st = hki_topological_factor(t, NULL);
  if (st == HK_OK) st = solve_accel(t, wd);
  if (st != HK_OK) return st == HK_E_NUMBER || st == HK_E_SINGULAR ? HK_RETRY : st;
  // from accelerations to the second derivative of D
  hki_tree_chart_bend(s, D, w, t->z);
  for (int32_t i = 0; i < s->m->nv; i++) wd[i] -= t->z[i];
  hki_tree_chart_step(s, D, wd);
  return hki_topological_factor(t, D);
}

static void rates_mul(hk_formulation *f, const double *u, const double *w, const double *z,
                      double *y) {
  hki_pencil_mul(&((hk_topological *)f)->pencil, u, w, z, y);
}

/* x_d = (R2 x_i)_d */
static void rates_along(hk_formulation *f, double *x) {
  hk_topological *t = (hk_topological *)f;
  memset(t->b, 0, (size_t)t->s->m->nrows * sizeof *t->b);
  hki_topological_complete(t, t->b, x);
}

static void rates_solve(hk_formulation *f, double *x) {
  hki_pencil_solve(&((hk_topological *)f)->pencil, x);
  rates_along(f, x);
}

static const hk_rate_ops rates = {rates_allow, rates_matrices, rates_rates,
                                  rates_mul,   rates_solve,    rates_along};

/* --- after a step ----------------------------------------------------------------------------- */

/* moves the dependent positions onto the closures, to `closed` or round-off */
static hk_status close_position(hk_topological *t, double time, double *q, const double *v) {
  hk_tree *s = t->s;
  double before = INFINITY;
  for (int it = 0; it < 12; it++) {
    place(t, time, q, v);
    if (!t->ngroup) return HK_OK;
    if (hki_topological_factor(t, NULL) != HK_OK) return HK_RETRY;
    double open = hki_topological_open(t, s->x);
    if (open <= closed || (open < 1e-8 && open > 0.5 * before)) return HK_OK;
    if (!(open < 10.0)) return HK_RETRY;
    before = open;
    hki_tree_plus(s->m, q, s->x, q);
  }
  return HK_RETRY;
}

static hk_status topological_project(hk_formulation *f, double time, double *q, double *v,
                                     double *a, uint32_t what) {
  hk_topological *t = (hk_topological *)f;
  hk_tree *s = t->s;
  if (what & HK_PROJECT_MASS) return hki_tree_project_velocity(s, time, q, v);
  t->words[0] = '\0';
  hki_topological_sync(t);
  hk_status st = close_position(t, time, q, v);
  if (st != HK_OK) return st;
  if (what & HK_PROJECT_VEL && s->m->ncurved) memcpy(s->v, v, (size_t)s->m->nv * sizeof *v);
  if (what & HK_PROJECT_VEL && complete_rates(t, NULL, v, s->v) != HK_OK) return HK_RETRY;
  move(t, v);
  if (what & HK_PROJECT_ACC) hki_topological_complete(t, s->kin.gamma, a);
  for (int32_t i = 0; i < s->m->nv; i++)
    if (!isfinite(v[i]) || !isfinite(a[i])) return HK_RETRY;
  // what redundant rows on velocities leave open, for the review
  if (s->m->nrate) hki_kin_rate_rows(&s->kin, 1.0);
  return hki_topological_review(t);
}

/* --- normal forces of friction ---------------------------------------------------------------- */

static void find_normals(hk_formulation *f, const double *a, double *N) {
  hk_topological *t = (hk_topological *)f;
  hk_tree *s = t->s;
  if (a) hki_tree_residual(s, a, s->r);
  if (s->m->nc) {
    hki_topological_multipliers(t, s->r, s->lam);
    hki_topological_large(t, s->r, s->lam);
  }
  hki_tree_normals(s, s->lam, s->lam, N);
}

static const hk_normal_face normals = {.find = find_normals, .border = hki_tree_normal_border};

/* --- exchange and memory ---------------------------------------------------------------------- */

static void topological_persistent(hk_formulation *f, double **block, int32_t *n) {
  hk_topological *t = (hk_topological *)f;
  *block = t->persist;
  *n = t->nkeep;
}

static double topological_choices(const hk_formulation *f) {
  return ((const hk_topological *)f)->persist[1];
}

static void topological_restart(hk_formulation *f) { ((hk_topological *)f)->persist[0] = 0.0; }

static void topological_destroy(hk_formulation *f) { hki_topological_destroy((hk_topological *)f); }

static const char *topological_words(const hk_formulation *f) {
  return ((const hk_topological *)f)->words;
}

/* clang-format off */
static const hk_param params[] = {
  {"choice_limit", HK_P_REAL, 0, offsetof(hk_topological_par, limit), 2, 1.2, 1e9, "", NULL,
   "independent coordinates are chosen anew when a dependent one moves this many times faster"},
  {"choice", HK_P_CHOICE, 0, offsetof(hk_topological_par, choice), 0, 0, 0, "", HK_CHOICE_CHOICES,
   HK_CHOICE_TEXT},
  {"tangent", HK_P_CHOICE, 0, offsetof(hk_topological_par, tangent), 0, 0, 0, "",
   HK_TANGENT_CHOICES, HK_TANGENT_TEXT},
  HK_PARAM_END};
/* clang-format on */

static const hk_formulation_ops ops = {
    .name = "topological",
    .text = "independent relative coordinates, chosen and chosen anew automatically; loops closed "
            "exactly",
    .source = "Garcia de Jalon et al. 2003; Cuadrado and Dopico 2003, section 2",
    .caps = HK_CAP_STAGE_POS | HK_CAP_STAGE_ACC | HK_CAP_ACCEL | HK_CAP_EXACT | HK_CAP_REGULAR |
            HK_CAP_RATES | HK_CAP_RATE_ROWS | HK_CAP_INERTIA | HK_CAP_AHEAD,
    .params = params,
    .dims = hki_tree_face_dims,
    .plus = hki_tree_face_plus,
    .minus = hki_tree_face_minus,
    .begin = topological_begin,
    .residual = topological_residual,
    .factor = topological_factor,
    .correct = topological_correct,
    .choose_tangent = topological_choose_tangent,
    .find_states = topological_find_states,
    .accel = topological_accel,
    .project = topological_project,
    .from_tree = hki_tree_face_from_tree,
    .to_tree = hki_tree_face_to_tree,
    .persistent = topological_persistent,
    .restart = topological_restart,
    .destroy = topological_destroy,
    .stage_rates = topological_stage_rates,
    .chart_velocity = hki_tree_face_chart_velocity,
    .words = topological_words,
    .rates = &rates,
    .choices = topological_choices,
};

static hk_status create(hk_ctx *ctx, const hk_model *m, const void *par, hk_formulation **out) {
  hk_topological *t;
  hk_status st = hki_topological_create(ctx, m, par, &t);
  if (st != HK_OK) return st;
  t->base.ops = &ops;
  t->base.shared = t->s;
  *out = &t->base;
  return HK_OK;
}

const hk_formulation_entry hki_formulation_topological = {&ops,
                                                          sizeof(hk_topological_par),
                                                          hki_tree_face_kin,
                                                          create,
                                                          hki_topological_cost,
                                                          NULL,
                                                          false,
                                                          true,
                                                          &hki_tree_net,
                                                          &normals};
