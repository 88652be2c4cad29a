/* SPDX-License-Identifier: Apache-2.0
 *
 * hybrid.c: the hybrid formulation: relative coordinates, loops closed by an index-3 augmented
 * Lagrangian, velocities and accelerations corrected by mass-damping-stiffness-orthogonal
 * projections.
 *
 * Stage with constraints at position level:
 *
 *   M a + Phi_z' (alpha Phi + lam) = Q                                        (1)
 *   T = M + (cv/ca) C + (1/ca) (K + Phi_z' alpha Phi_z)                       (26)
 *   T dD = -(1/ca) (M a + Phi_z' (alpha Phi + lam) - Q)                       (27)
 *   lam += alpha (Phi + Phi_z dD)                                             (2)
 *
 * (2) takes the new Phi to first order. dD of (27) is an increment at the iterate's pose, where Phi_z, C and K are taken, and D counts
 * from that of the last step: for rotations they differ by J(D) (chart.c). Inertial forces are affine in D itself. Increments of
 * rotations that constraints and forces bind, in terms of T, are therefore J^-1 dD, the others dD. After the step, from v*, a* to v, a:
 *
 *   T (v - v*) = -(1/ca) Phi_z' alpha (Phi_z v* + Phi_t)                      (35)
 *   T (a - a*) = -(1/ca) Phi_z' alpha (Phi_z a* + gamma)                      (36)
 *   gamma = dPhi_z/dt v + dPhi_t/dt
 *
 * These are the paper's projections in correction form: its right side W x* is
 * T x* - (1/ca) Phi_z' alpha Phi_z x*, with W = M + (cv/ca) C + (1/ca) K. They are repeated until
 * the rows are small.
 *
 * Stage with constraints at acceleration level (index 1, for Runge-Kutta methods); positions and
 * velocities are projected in the mass metric after the step (Dopico, Lugris, Gonzalez and Cuadrado
 * 2005, eqs. 1-4):
 *
 *   M a + Phi_z' (alpha (Phi_z a + gamma) + lam) = Q
 *   T = M + (cv/ca) C + (1/ca) K + Phi_z' alpha Phi_z
 *   T dD = -(1/ca) (M a + Phi_z' (alpha (Phi_z a + gamma) + lam) - Q)
 *   lam += alpha (Phi_z (a + ca dD) + gamma)
 *
 * Rows that bind velocities alone, psi = Phi_z v + Phi_t, of which psi need not be linear in v, have psi/cv in the place of Phi. The
 * tangent takes Phi_z for its derivative by D and leaves out (dpsi/dq)/cv.
 *
 * alpha is set per row at the first iteration of each stage: kappa times the inertia that the row
 * feels (hki_tree_penalty). The papers have one number for all rows: option penalty_absolute.
 *
 * Source: Cuadrado and Dopico, A hybrid global-topological real-time formulation for multibody
 * systems, 2003, section 3; numbers in brackets are its equations.
 */
#include "formulations/formulation.h"
#include "machines/tree/deep.h"

/* Rows of accelerations that count as closed after a step, relative to the size of these. Rates close as far as round-off allows: what
 * projects an accepted state again, an event, must not move it. */
static const double closed_a = 1e-12;

typedef struct hybrid_par {
  double kappa, kappa_acc; /* penalties at position and acceleration level */
  double absolute;         /* one alpha for all rows of both levels; 0: from kappa */
  int32_t tangent;         /* HK_TANGENT_... */
  int32_t projection;      /* 0 off, 1 on */
} hybrid_par;

typedef struct hybrid {
  hk_formulation base;
  hk_ctx *ctx;
  hybrid_par par;
  hk_tree *s;
  hk_stage st;
  bool exact;  /* the tangent has geometric and inertial terms */
  bool first;  /* no iteration of this stage yet: penalties are still to be set */
  bool old;    /* the factor belongs to another iterate than the residual */
  bool again;  /* not the first correction of this stage */
  bool driven; /* some row follows a signal */
  double open; /* what the correction before this one left of the rows; INFINITY: none was */
  hk_tree_pencil pencil;
} hybrid;

static hk_status hybrid_begin(hk_formulation *f, const hk_stage *st) {
  hybrid *h = (hybrid *)f;
  h->st = *st;
  h->first = true;
  h->again = false;
  h->open = INFINITY;
  return HK_OK;
}

static hk_status hybrid_residual(hk_formulation *f, const double *D, bool tangent) {
  hybrid *h = (hybrid *)f;
  hk_tree *s = h->s;
  h->old = !tangent;
  hki_tree_stage(s, &h->st, D);
  hki_tree_state(s, h->st.t, s->q, s->v, tangent ? HK_FORCES_TANGENT : 0);
  if (h->st.level == HK_LEVEL_ACC)
    hki_kin_closure_bias(&s->kin);
  else
    hki_kin_rate_rows(&s->kin, h->st.cv);
  hki_tree_residual(s, s->a, s->r);
  return HK_OK;
}

static hk_status hybrid_find_states(hk_formulation *f, const double *D) {
  hybrid *h = (hybrid *)f;
  hki_tree_stage(h->s, &h->st, D);
  hki_tree_find_states(h->s, h->st.t);
  return HK_OK;
}

/* a tree without loops, by the recursion */
static bool is_open(const hk_tree *s) { return s->deep && !hki_deep_closes(s); }

/* penalties, once a stage; cp: factor of Phi_z' alpha Phi_z in T */
static void set_penalty(hybrid *h, double cp) {
  if (!h->first) return;
  h->first = false;
  if (h->par.absolute > 0.0)
    hki_tree_penalty_equal(h->s, h->par.absolute);
  else
    hki_tree_penalty(h->s, h->st.level == HK_LEVEL_ACC ? h->par.kappa_acc : h->par.kappa, cp);
}

static hk_status hybrid_factor(hk_formulation *f) {
  hybrid *h = (hybrid *)f;
  hk_tree *s = h->s;
  const double c = 1.0 / h->st.ca, cp = h->st.level == HK_LEVEL_ACC ? 1.0 : c;
  if (is_open(s)) return hki_deep_factor(s, h->st.cv * c, c, h->exact) == HK_OK ? HK_OK : HK_RETRY;
  hki_tree_mass(s);
  set_penalty(h, cp);
  s->share = cp;
  if (h->exact)
    hki_tree_add_whole(s, h->st.cv * c, c, s->lam);
  else
    hki_tree_add_forces(s, h->st.cv * c, c);
  hki_tree_add_closures(s, cp);
  return hki_tree_factor_stage(s) == HK_OK ? HK_OK : HK_RETRY;
}

static bool hybrid_choose_tangent(hk_formulation *f, bool exact) {
  hybrid *h = (hybrid *)f;
  if (h->par.tangent != HK_TANGENT_AUTO || hki_deep_closes(h->s)) return false;
  h->exact = exact;
  return true;
}

/* as fmax with a number first, without a call */
static inline double larger(double a, double b) { return b > a ? b : a; }

/* (27) and (2) once more for what they have left of the rows, s->row: D and s->lam. Motions that are prescribed hold to
 * round-off by it; a first correction leaves the change of the multipliers over alpha, which a second iteration would have
 * to find. It is a correction as the first one, and as large where the penalties are soft beside heavy bodies. */
static void close_rows(hybrid *h, double *D, hk_norms *n) {
  hk_tree *s = h->s;
  const hk_model *m = s->m;
  const double c = 1.0 / h->st.ca;
  for (int32_t i = 0; i < m->nrows; i++) s->lam_step[i] = -c * s->alpha[i] * s->row[i];
  memset(s->x, 0, (size_t)m->nv * sizeof *s->x);
  hki_tree_add_factored(s, s->lam_step, s->x);
  hki_tree_solve_stage(s, s->x);
  hki_tree_rows(s, s->x, s->lam_step);
  for (int32_t i = 0; i < m->nrows; i++) {
    s->row[i] += s->lam_step[i];
    s->lam[i] += s->alpha[i] * s->row[i];
  }
  hki_tree_chart_bound(s, D, s->x);
  for (int32_t i = 0; i < m->nv; i++) {
    n->step = larger(n->step, fabs(s->x[i]) * s->unscale[i]);
    D[i] += s->x[i];
  }
  n->constraint = hki_tree_row_norm(s, s->row);
}

/* The same for rows that nearly depend on each other, s->row, which single passes do not close; p: share of alpha in T. The
 * others: nothing. */
static hk_status close_slow_rows(hybrid *h, double p, double *D, hk_norms *n) {
  hk_tree *s = h->s;
  if (!hki_slow_after(n->constraint, n->step, HK_TREE_CLOSED, &h->open)) return HK_OK;
  memset(s->x, 0, (size_t)s->m->nv * sizeof *s->x);
  const hk_status st = hki_tree_close_slow(s, p, h->st.ca, s->row, s->x);
  if (h->st.level != HK_LEVEL_ACC)
    hki_tree_chart_bound(s, D, s->x);
  else if (h->st.chart)
    hki_tree_chart_step(s, D, s->x);
  for (int32_t i = 0; i < s->m->nv; i++) {
    n->step = larger(n->step, fabs(s->x[i]) * s->unscale[i]);
    D[i] += s->x[i];
  }
  n->constraint = h->open = hki_tree_row_norm(s, s->row);
  return st;
}

/* the correction s->x from a prediction that repeats the last step, scaled */
static double whole_correction(const hybrid *h) {
  const hk_tree *s = h->s;
  double most = 0.0;
  for (int32_t i = 0; i < s->m->nv; i++)
    most = larger(most, fabs(s->x[i] + h->st.ahead[i]) * s->unscale[i]);
  return most;
}

/* scaled rows after the correction s->x by the present gradients */
static double rows_left(hk_tree *s) {
  hki_tree_rows(s, s->x, s->row);
  for (int32_t i = 0; i < s->m->nrows; i++) s->row[i] += s->kin.phi[i];
  return hki_tree_row_norm(s, s->row);
}

static hk_status correct_pos(hybrid *h, double *D, hk_norms *n) {
  hk_tree *s = h->s;
  const hk_model *m = s->m;
  const double c = 1.0 / h->st.ca;
  // x = dD of (27)
  if (h->old) {
    hki_tree_add_rows(s, s->lam, s->r);
    for (int32_t i = 0; i < m->nrows; i++) s->row[i] = s->alpha[i] * s->kin.phi[i];
    hki_tree_add_factored(s, s->row, s->r);
  } else {
    for (int32_t i = 0; i < m->nrows; i++) s->row[i] = s->alpha[i] * s->kin.phi[i] + s->lam[i];
    hki_tree_add_rows(s, s->row, s->r);
  }
  for (int32_t i = 0; i < m->nv; i++) s->x[i] = -c * s->r[i];
  hki_tree_solve_stage(s, s->x);
  // multipliers by (2)
  hki_tree_rows_factored(s, s->x, s->row);
  for (int32_t i = 0; i < m->nrows; i++) {
    s->row[i] += s->kin.phi[i];
    s->lam[i] += s->alpha[i] * s->row[i];
  }
  n->constraint = hki_tree_row_norm(s, s->row);
  n->old_factor = true;
  n->by_rate = !m->nnormal; // friction follows the multipliers, whose errors are larger
  if (h->old) n->constraint = rows_left(s);
  // new increment
  hki_tree_chart_bound(s, D, s->x);
  n->step = 0.0;
  for (int32_t i = 0; i < m->nv; i++) {
    double e = fabs(s->x[i]) * s->unscale[i];
    D[i] += s->x[i];
    if (!(e <= n->step)) n->step = e;
  }
  if (h->st.ahead && !h->again) n->whole = whole_correction(h);
  if (h->again ? h->driven : n->by_rate && m->nrows && n->step <= n->last) close_rows(h, D, n);
  h->again = true;
  return HK_CLOSES_SLOW ? close_slow_rows(h, c, D, n) : HK_OK;
}

/* the same at acceleration level; lam_step holds Phi_z a + gamma */
static hk_status correct_acc(hybrid *h, double *D, hk_norms *n) {
  hk_tree *s = h->s;
  const hk_model *m = s->m;
  const double c = 1.0 / h->st.ca;
  hki_tree_rows(s, s->a, s->lam_step);
  for (int32_t i = 0; i < m->nrows; i++) {
    s->lam_step[i] += s->kin.gamma[i];
    s->row[i] = s->alpha[i] * s->lam_step[i] + s->lam[i];
  }
  hki_tree_add_rows(s, s->row, s->r);
  for (int32_t i = 0; i < m->nv; i++) s->x[i] = -c * s->r[i];
  hki_tree_solve_stage(s, s->x);
  // multipliers with the rows to first order; row = rows / ca, which compares with positions
  hki_tree_rows(s, s->x, s->row);
  for (int32_t i = 0; i < m->nrows; i++) {
    s->row[i] += c * s->lam_step[i];
    s->lam[i] += h->st.ca * s->alpha[i] * s->row[i];
  }
  n->constraint = hki_tree_row_norm(s, s->row);
  // x is a rotation at the present pose; D counts from q0
  n->step = 0.0;
  if (h->st.chart) hki_tree_chart_step(s, D, s->x);
  for (int32_t i = 0; i < m->nv; i++) {
    double e = fabs(s->x[i]) * s->unscale[i];
    D[i] += s->x[i];
    if (!(e <= n->step)) n->step = e;
  }
  return HK_CLOSES_SLOW ? close_slow_rows(h, 1.0, D, n) : HK_OK;
}

static hk_status hybrid_correct(hk_formulation *f, double *D, hk_norms *n) {
  hybrid *h = (hybrid *)f;
  return h->st.level == HK_LEVEL_ACC ? correct_acc(h, D, n) : correct_pos(h, D, n);
}

static hk_status hybrid_accel(hk_formulation *f, double t, const double *q, const double *v,
                              double *a) {
  hk_tree *s = ((hybrid *)f)->s;
  if (!is_open(s)) return hki_tree_accel_alone(s, t, q, v, a);
  hki_tree_state(s, t, q, v, 0);
  return hki_deep_accel(s, a);
}

static hk_status hybrid_project(hk_formulation *f, double t, double *q, double *v, double *a,
                                uint32_t what) {
  hybrid *h = (hybrid *)f;
  hk_tree *s = h->s;
  const double c = 1.0 / h->st.ca;
  if ((what & HK_PROJECT_MASS) && !is_open(s)) return hki_tree_project_velocity(s, t, q, v);
  // positions too, after stages at acceleration level
  if ((what & HK_PROJECT_POS) && h->par.projection && s->m->nc) {
    hk_status st = hki_tree_project_state(s, t, q, v);
    return st < 0 ? HK_RETRY : st;
  }
  // kin at the accepted state, for audits and channels. Velocities follow after their projection,
  // unless signals read them.
  const bool clean = s->m->nc && h->par.projection && (what & HK_PROJECT_VEL);
  hki_kin_positions(&s->kin, t, q);
  if (!clean || s->kin.nsig_grad || s->m->ncurved) hki_kin_velocity(&s->kin, v);
  if (s->m->spec->nsignals) hki_kin_signals(&s->kin, false);
  if (s->m->nc) {
    hki_kin_closures(&s->kin);
    if (clean) hki_tree_project_rates(s, c, HK_TREE_CLOSED, v);
    hki_kin_closure_bias(&s->kin);
    if (h->par.projection && (what & HK_PROJECT_ACC))
      hki_tree_project(s, c, s->kin.gamma, closed_a, a);
  }
  for (int32_t i = 0; i < s->m->nv; i++)
    if (!isfinite(v[i]) || !isfinite(a[i])) return HK_RETRY;
  return HK_OK;
}

/* normal forces of friction: those of the multipliers that the stage has at its iterate */
static void find_normals(hk_formulation *f, const double *a, double *N) {
  hybrid *h = (hybrid *)f;
  hk_tree *s = h->s;
  if (a) {
    hki_tree_find_normals(f, a, N);
    return;
  }
  if (h->st.level == HK_LEVEL_ACC) {
    hki_tree_rows(s, s->a, s->row);
    for (int32_t i = 0; i < s->m->nrows; i++)
      s->row[i] = s->alpha[i] * (s->row[i] + s->kin.gamma[i]) + s->lam[i];
  } else {
    for (int32_t i = 0; i < s->m->nrows; i++) s->row[i] = s->alpha[i] * s->kin.phi[i] + s->lam[i];
  }
  hki_tree_normals(s, s->lam, s->row, N);
}

static const hk_normal_face normals = {
    .find = find_normals, .border = hki_tree_normal_border, .rough = true};

/* --- several stages with one matrix ----------------------------------------------------------- */

static hk_status rates_allow(hk_formulation *f, int32_t stages) {
  hybrid *h = (hybrid *)f;
  return hki_tree_pencil_create(h->s, stages, &h->pencil);
}

static hk_status rates_matrices(hk_formulation *f, double t, const double *q0, const double *D,
                                const double *w, double g) {
  hybrid *h = (hybrid *)f;
  hki_tree_pencil_state(h->s, &h->pencil, t, q0, D, w, g);
  hki_tree_mass(h->s);
  if (h->par.absolute > 0.0)
    hki_tree_penalty_equal(h->s, h->par.absolute);
  else
    hki_tree_penalty(h->s, h->par.kappa_acc, 1.0);
  return hki_tree_pencil_factor(h->s, &h->pencil, g);
}

static hk_status rates_rates(hk_formulation *f, int32_t stage, bool first, double t,
                             const double *q0, double *D, double *w, double *wd) {
  hybrid *h = (hybrid *)f;
  return hki_tree_pencil_rates(h->s, &h->pencil, stage, first, t, q0, D, w, wd);
}

static void rates_mul(hk_formulation *f, const double *u, const double *w, const double *z,
                      double *y) {
  hki_pencil_mul(&((hybrid *)f)->pencil.p, u, w, z, y);
}

static void rates_solve(hk_formulation *f, double *x) {
  hki_pencil_solve(&((hybrid *)f)->pencil.p, x);
}

static const hk_rate_ops rates = {rates_allow, rates_matrices, rates_rates,
                                  rates_mul,   rates_solve,    NULL};

static int32_t hybrid_solver_memory(hk_formulation *f, int32_t k, double **block) {
  hk_linsolve *T = ((hybrid *)f)->pencil.p.T;
  return T && k == 0 ? hki_linsolve_memory(T, block) : -1;
}

static hk_status hybrid_solver_recall(hk_formulation *f) {
  hk_linsolve *T = ((hybrid *)f)->pencil.p.T;
  return T ? hki_linsolve_recall(T) : HK_OK;
}

static void hybrid_persistent(hk_formulation *f, double **block, int32_t *n) {
  hk_tree *s = ((hybrid *)f)->s;
  *block = s->lam;
  *n = s->m->nrows;
}

static void hybrid_restart(hk_formulation *f) {
  hk_tree *s = ((hybrid *)f)->s;
  for (int32_t i = 0; i < s->m->nrows; i++) s->lam[i] = 0.0;
}

static void hybrid_destroy(hk_formulation *f) {
  hybrid *h = (hybrid *)f;
  hki_tree_pencil_destroy(&h->pencil);
  hki_tree_destroy(h->s);
  hki_free(h->ctx, h);
}

/* clang-format off */
static const hk_param params[] = {
  {"penalty", HK_P_REAL, 0, offsetof(hybrid_par, kappa), 1e5, 1e3, 1e9, "", NULL,
   "penalty of the closures relative to the inertia they feel; rarely worth changing"},
  {"penalty_acceleration", HK_P_REAL, 0, offsetof(hybrid_par, kappa_acc), 1e5, 1e2, 1e10, "", NULL,
   "the same for methods that close the loops at acceleration level (sdirk)"},
  {"penalty_absolute", HK_P_REAL, 0, offsetof(hybrid_par, absolute), 0, 0, 1e20, "", NULL,
   HK_ABSOLUTE_TEXT},
  {"tangent", HK_P_CHOICE, 0, offsetof(hybrid_par, tangent), 0, 0, 0, "", HK_TANGENT_CHOICES,
   HK_TANGENT_TEXT},
  {"projection", HK_P_BOOL, 0, offsetof(hybrid_par, projection), 1, 0, 0, "", NULL,
   "project velocities and accelerations onto the constraints after each step"},
  HK_PARAM_END};
/* clang-format on */

static const hk_formulation_ops ops = {
    .name = "hybrid",
    .text =
        "relative coordinates, loops closed by an index-3 augmented Lagrangian with projections",
    .source = "Cuadrado and Dopico 2003, section 3",
    .caps = HK_CAP_STAGE_POS | HK_CAP_STAGE_ACC | HK_CAP_ACCEL | HK_CAP_RATE_ROWS | HK_CAP_RATES |
            HK_CAP_INERTIA | HK_CAP_AHEAD,
    .params = params,
    .dims = hki_tree_face_dims,
    .plus = hki_tree_face_plus,
    .minus = hki_tree_face_minus,
    .begin = hybrid_begin,
    .residual = hybrid_residual,
    .factor = hybrid_factor,
    .correct = hybrid_correct,
    .choose_tangent = hybrid_choose_tangent,
    .find_states = hybrid_find_states,
    .accel = hybrid_accel,
    .project = hybrid_project,
    .from_tree = hki_tree_face_from_tree,
    .to_tree = hki_tree_face_to_tree,
    .persistent = hybrid_persistent,
    .solver_memory = hybrid_solver_memory,
    .solver_recall = hybrid_solver_recall,
    .restart = hybrid_restart,
    .destroy = hybrid_destroy,
    .chart_velocity = hki_tree_face_chart_velocity,
    .rates = &rates,
};

/* does some row follow a signal? */
static bool is_driven(const hk_model *m) {
  for (int32_t c = 0; c < m->nc; c++)
    for (int32_t r = 0; r < m->closures[c].nrows; r++)
      if (m->closures[c].row_signal[r] != HK_NONE) return true;
  return false;
}

static hk_status hybrid_create(hk_ctx *ctx, const hk_model *m, const void *par,
                               hk_formulation **out) {
  hybrid *h = hki_alloc(ctx, sizeof *h);
  if (!h) return HK_E_MEMORY;
  h->base.ops = &ops;
  h->ctx = ctx;
  h->par = *(const hybrid_par *)par;
  h->exact = h->par.tangent == HK_TANGENT_EXACT;
  h->driven = is_driven(m) && !m->nnormal; // friction reads the multipliers of the correction
  hk_status st = hki_tree_create(ctx, m, &h->s);
  const bool exact = h->par.tangent != HK_TANGENT_MATERIAL;
  bool deep = false;
  if (st == HK_OK) st = hki_deep_suits(ctx, m, h->par.tangent, 1.0, &deep);
  if (st == HK_OK) st = deep ? hki_deep_create(h->s, exact) : hki_tree_matrix(h->s);
  if (st == HK_OK && exact) st = hki_tree_allow_exact(h->s);
  if (st != HK_OK) {
    hki_tree_destroy(h->s);
    hki_free(ctx, h);
    return st;
  }
  h->base.shared = h->s;
  *out = &h->base;
  return HK_OK;
}

static hk_status hybrid_cost(hk_ctx *ctx, const hk_model *m, const void *par, double most,
                             hk_cost *out) {
  const bool exact = ((const hybrid_par *)par)->tangent != HK_TANGENT_MATERIAL;
  bool deep = false;
  hk_status st = hki_deep_suits(ctx, m, ((const hybrid_par *)par)->tangent, 1.0, &deep);
  if (st == HK_OK) st = hki_tree_cost(ctx, m, !deep, most, out);
  if (st == HK_OK && deep) st = hki_deep_cost(ctx, m, exact, out);
  if (exact) out->bytes += hki_tree_exact_bytes(m);
  out->bytes += sizeof(hybrid);
  return st;
}

const hk_formulation_entry hki_formulation_hybrid = {&ops,
                                                     sizeof(hybrid_par),
                                                     hki_tree_face_kin,
                                                     hybrid_create,
                                                     hybrid_cost,
                                                     "relative coordinates, fewest unknowns",
                                                     false,
                                                     true,
                                                     &hki_tree_net,
                                                     &normals};
