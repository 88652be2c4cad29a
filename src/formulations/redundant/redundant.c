/* SPDX-License-Identifier: Apache-2.0
 *
 * redundant.c: the redundant-coordinate formulation: a node per body, multipliers for the rows of
 * every joint, one sparse saddle-point system.
 *
 *   M(q) a + gyroscopic terms + G(q)' lam = W(t, q, v)
 *   phi(q, t) = 0                                          position level
 *   G a + gamma = 0                                        acceleration level
 *
 * Newton's correction (matrix and scaling in redundant.h):
 *
 *   A = M N + (cv/ca) C N + K/ca
 *   [ A  G'; G  -eps ] (x, mu) = -(r/ca, phi)              position level
 *   [ A  G'; S  -eps ] (x, mu) = -(r/ca, (G a + gamma)/ca) acceleration level, S of rows.c
 *   lam += ca mu
 *
 * All derivatives are exact: masses, gyroscopic terms, elements with their geometric parts, the
 * curvature d(G'lam)/dx of the constraints, the chart of rotations. With an integrator that keeps
 * momenta, nodes carry them as states (nodes.c); as functions of pose and velocity they are
 * eliminated body by body, so that the system has one unknown per freedom and one per row. With the
 * others rotations are increments in body axes by the exponential map.
 *
 * After a step velocities and accelerations are put onto the constraints with the last factors,
 * repeated until the rows are small:
 *
 *   [ A  G'; G  -eps ] (dv, .) = (0, -(G v + phi_t))
 *   [ A  G'; G  -eps ] (da, .) = (0, -(G a + gamma))
 *
 * Rows that follow from others make the system singular. Runs with such rows are refused by name;
 * `redundancy: least_squares` sets eps > 0, which gives dependent rows the smallest change of
 * multipliers. Since eps multiplies only changes, it has no effect on the converged motion.
 *
 * Source: Masarati, Morandini and Mantegazza, An Efficient Formulation for General-Purpose
 * Multibody/Multiphysics Analysis, 2014, sections 2 and 4.
 */
#include <stdio.h>

#include "formulations/formulation.h"
#include "formulations/redundant/redundant.h"
#include "formulations/redundant/stab.h"
#include "geometry/chart.h"

typedef struct redundant_par {
  double alpha, beta;    /* 1/s: Baumgarte's terms */
  int32_t stabilisation; /* number in the table of stab.c; 0: projections */
  int32_t redundancy;    /* 0 error, 1 least squares */
  int32_t projection;    /* 0 off, 1 on */
  int32_t tangent;       /* 0 exact, 1 without the curvature of the constraints */
  int32_t solver;        /* number in the list of solvers below */
  int32_t rotations;     /* of nodes with momenta: 0 Cayley parameters, 1 rotation vectors */
} redundant_par;

typedef struct redundant {
  hk_formulation base;
  hk_formulation_ops ops; /* with the chosen stabilisation */
  redundant_par par;
  hk_redundant *r;
  hk_stage st;
  bool chosen;     /* r->out has been found since the last restart */
  char words[400]; /* why the last step failed */
} redundant;

/* --- implicit stages -------------------------------------------------------------------------- */

static hk_status redundant_begin(hk_formulation *f, const hk_stage *st) {
  redundant *n = (redundant *)f;
  n->st = *st;
  n->words[0] = '\0';
  hki_redundant_guard_begin(n->r, n->par.tangent == 0);
  return HK_OK;
}

/* c->q, c->v, c->a of the stage at the increment D */
static void stage_state(redundant *n, const double *D) {
  hk_bodies *c = n->r->c;
  const hk_stage *st = &n->st;
  for (int32_t i = 0; i < c->n; i++) {
    c->v[i] = st->vh[i] + st->cv * D[i];
    c->a[i] = st->ah[i] + st->ca * D[i];
  }
  if (st->nodes) {
    hki_redundant_nodes_state(n->r, st, D);
    return;
  }
  hki_bodies_plus(c, st->q0, D, c->q);
  for (int32_t b = 0; st->chart && !c->planar && b < c->m->nb; b++) {
    const int32_t at = c->v0[b];
    if (c->lack[b]) continue;
    double *v = c->v + at, *a = c->a + at, z[3];
    chart_bend(D + at, v, z);
    chart_push(D + at, v, v);
    chart_push(D + at, a, a);
    v3_add(a, a, z);
  }
}

/* r->N of all bodies; the identity in chart stages */
static void stage_chart(redundant *n, const double *D) {
  hk_bodies *c = n->r->c;
  for (int32_t b = 0; !c->planar && b < c->m->nb; b++) {
    double *N = n->r->N + 9 * b, T[9], S[9], S2[9];
    m3_identity(N);
    if (c->lack[b]) continue;
    const double *d = D + c->v0[b];
    if (n->st.nodes) {
      hki_redundant_nodes_chart(n->r, &n->st, D, b, N);
      continue;
    }
    if (n->st.chart || v3_dot(d, d) < 1e-20) continue;
    m3_skew(S, d);
    m3_mul(S2, S, S);
    double e = chart_inverse_factor(d);
    for (int i = 0; i < 9; i++) T[i] = N[i] + 0.5 * S[i] + e * S2[i];
    m3_congruence(N, c->it.frame[b].R, T);
  }
}

static hk_status redundant_residual(hk_formulation *f, const double *D, bool tangent) {
  (void)tangent;
  redundant *n = (redundant *)f;
  hk_redundant *r = n->r;
  hk_bodies *c = r->c;
  hki_redundant_guard_start(r, D);
  stage_state(n, D);
  hki_bodies_rates(c, c->a);
  hki_bodies_state(c, n->st.t, c->q, c->v);
  stage_chart(n, D);
  hki_bodies_rows(c);
  if (n->st.level == HK_LEVEL_ACC) {
    hki_bodies_bias(c);
    hki_redundant_baumgarte(r);
  } else {
    hki_bodies_rate_rows(c, n->st.cv);
  }
  hki_bodies_forces(c);
  memset(r->r, 0, (size_t)c->n * sizeof *r->r);
  if (n->st.nodes)
    hki_redundant_nodes_inertia(r, n->st.nodes, r->r);
  else
    hki_bodies_inertia(c, c->a, r->r);
  hki_bodies_push(c, r->lam, r->r);
  return HK_OK;
}

/* n->words: which row, body or unknown made the matrix singular */
static hk_status say_singular(redundant *n, hk_status st) {
  hk_redundant *r = n->r;
  char name[160] = "";
  if (st != HK_E_SINGULAR || r->ls->bad < 0) return st;
  hki_bodies_line_name(r->c, r->ls->bad, name, sizeof name);
  snprintf(n->words, sizeof n->words,
           "the system is singular at %s: rows that depend on each other, or a motion that nothing "
           "determines; 'redundancy: least_squares' passes such positions",
           name);
  return st;
}

hk_status hki_redundant_singular(hk_formulation *f, hk_status st) {
  return say_singular((redundant *)f, st);
}

static hk_status redundant_factor(hk_formulation *f) {
  redundant *n = (redundant *)f;
  const bool acc = n->st.level == HK_LEVEL_ACC;
  const hk_redundant_lines lines = {
      .eps = n->r->eps, .leave_out = acc && n->r->leaves, .slopes = acc ? n->r->slopes : NULL};
  hk_status st;
  if (acc) hki_redundant_acc_rows(n->r, &n->st);
  do {
    st = hki_redundant_factor_stage(n->r, n->st.cv, n->st.ca, n->r->guard.curved,
                                    n->st.nodes != NULL, &lines);
  } while (st == HK_E_SINGULAR && hki_redundant_guard_singular(n->r));
  if (st == HK_OK) hki_redundant_keep(n->r, &n->st);
  return st == HK_OK || st == HK_E_MEMORY ? st : (say_singular(n, st), HK_RETRY);
}

static hk_status redundant_correct(hk_formulation *f, double *D, hk_norms *norm) {
  redundant *n = (redundant *)f;
  hki_redundant_rest(n->r, &n->st, n->r->x);
  hki_linsolve_solve(n->r->ls, n->r->x);
  hki_redundant_measure(n->r, &n->st, n->r->x, norm);
  hki_redundant_move(n->r, &n->st, D, n->r->x, 1.0);
  hki_redundant_guard_judge(n->r, D, norm);
  return HK_OK;
}

/* --- accelerations and projections ------------------------------------------------------------ */

/* hki_redundant_factor_mass. Freedoms without mass that only forces hold make it singular; their
 * accelerations have no meaning. They get a little mass (`ghost`), whose effect on the others is
 * removed by repeated corrections. passive: without servos. */
static hk_status factor_mass(redundant *n, double eps, bool leave_out, bool passive) {
  const hk_redundant_lines lines = {
      .eps = eps, .leave_out = leave_out, .own = true, .passive = passive};
  hk_status st = hki_redundant_factor_mass(n->r, &lines);
  if (st != HK_E_SINGULAR || n->r->ghost > 0.0) return st;
  n->r->ghost = 1e-6 * n->r->mass;
  st = hki_redundant_factor_mass(n->r, &lines);
  if (st == HK_E_SINGULAR) n->r->ghost = 0.0;
  return st;
}

/* the same for accelerations at any state, without the rows r->out. They are found at the first
 * state after a restart, which is on the constraints. */
static hk_status factor_rows(redundant *n, bool *left_out) {
  *left_out = n->r->leaves && n->chosen;
  hk_status st = factor_mass(n, n->r->eps, *left_out, true);
  if (st != HK_OK || !n->r->leaves || n->chosen) return st;
  n->chosen = true;
  return hki_redundant_choose(n->r, n->r->eps);
}

hk_status hki_redundant_choose_at(hk_formulation *f, double t, const double *q, const double *v) {
  redundant *n = (redundant *)f;
  hk_redundant *r = n->r;
  // larger than the usual one: off the constraints, combinations vanish only to about 1e-3
  const double eps = 1e-6;
  if (!r->leaves) return HK_OK;
  hki_bodies_state(r->c, t, q, v);
  hki_bodies_rows(r->c);
  hk_status st = factor_mass(n, eps, false, false);
  return st == HK_OK ? hki_redundant_choose(r, eps) : st;
}

/* hki_bodies_consistent; names the undetermined unknown in n->words */
static hk_status consistent(redundant *n, double *v, double *a) {
  hk_bodies *c = n->r->c;
  hk_status st = hki_bodies_consistent(c, v, a);
  if (st == HK_E_SINGULAR && c->net.bad >= 0)
    hki_net_undetermined(c->m, c->net.bad, n->words, sizeof n->words);
  return st;
}

/* normal forces of friction: the multipliers are unknowns */
static void find_normals(hk_formulation *f, const double *a, double *N) {
  (void)a, hki_bodies_normals(f->shared, ((redundant *)f)->r->lam, N);
}

static const hk_normal_face normals = {.find = find_normals, .after = true, .system = true};

/* a and the multipliers of all rows but those left out and those of servos, whose lam stay, from an
 * approximate a; with the factors of the mass. Repeated because of eps, ghost and round-off. */
static hk_status solve_accelerations(hk_redundant *r, bool left_out, double *a) {
  hk_bodies *c = r->c;
  for (int pass = 0; pass < 6; pass++) {
    double most = 0.0, change = 0.0;
    memset(r->r, 0, (size_t)c->n * sizeof *r->r);
    hki_bodies_inertia(c, a, r->r);
    hki_bodies_push(c, r->lam, r->r);
    memcpy(r->y, a, (size_t)c->n * sizeof *a);
    hki_bodies_to_world(c, r->y);
    hki_bodies_mul(c, r->y, r->row);
    for (int32_t i = 0; i < c->nrows; i++)
      r->row[i] = left_out && r->out[i] != 0.0 ? 0.0 : -(r->row[i] + c->gamma[i]);
    for (int32_t i = 0; i < c->m->nservo; i++) r->row[r->servo->row[i]] = 0.0;
    for (int32_t i = 0; i < c->n; i++) r->r[i] = i < c->nb ? -r->r[i] : 0.0;
    hki_redundant_solve(r, r->r, r->row);
    for (int32_t i = 0; i < c->nrows; i++) r->lam[i] += r->mass * r->x[c->n + i];
    hki_bodies_to_body(c, r->x);
    for (int32_t i = 0; i < c->n; i++) {
      a[i] += r->x[i];
      most = fmax(most, fabs(a[i]));
      change = fmax(change, fabs(r->x[i]));
      if (!isfinite(a[i])) return HK_E_NUMBER;
    }
    if (change <= 1e-13 * most) break;
  }
  return HK_OK;
}

/* rows, forces and the factors of the mass at a state */
static hk_status prepare_accelerations(redundant *n, double t, const double *q, const double *v,
                                       bool *left_out) {
  hk_bodies *c = n->r->c;
  hki_bodies_state(c, t, q, v);
  hk_status st = consistent(n, c->v, NULL);
  if (st != HK_OK) return st;
  hki_bodies_rows(c);
  hki_bodies_bias(c);
  hki_redundant_baumgarte(n->r);
  hki_bodies_forces(c);
  return say_singular(n, factor_rows(n, left_out));
}

static hk_status redundant_accel(hk_formulation *f, double t, const double *q, const double *v,
                                 double *a) {
  redundant *n = (redundant *)f;
  hk_redundant *r = n->r;
  hk_bodies *c = r->c;
  bool left_out;
  hk_status st = prepare_accelerations(n, t, q, v, &left_out);
  if (st != HK_OK) return st;
  memset(a, 0, (size_t)c->n * sizeof *a);
  memset(r->lam, 0, (size_t)c->nrows * sizeof *r->lam);
  st = solve_accelerations(r, left_out, a);
  if (st == HK_OK && r->servo) {
    st = hki_redundant_servo_forces(r, a);
    if (st == HK_OK) st = solve_accelerations(r, left_out, a);
  }
  if (st == HK_OK && c->nx) memcpy(a + c->nb, c->it.xd, (size_t)c->nx * sizeof *a);
  return st;
}

hk_status hki_redundant_accel_held(hk_formulation *f, double t, const double *q, const double *v,
                                   double *a) {
  redundant *n = (redundant *)f;
  bool left_out;
  hk_status st = prepare_accelerations(n, t, q, v, &left_out);
  if (st != HK_OK) return st;
  memset(a, 0, (size_t)n->r->c->n * sizeof *a);
  return solve_accelerations(n->r, left_out, a);
}

/* q (if `positions`) and v onto the constraints, the shortest way in the mass metric */
static hk_status project_state(redundant *n, double t, double *q, double *v, bool positions) {
  hk_redundant *r = n->r;
  hk_bodies *c = r->c;
  double before = INFINITY, left = INFINITY;
  for (int pass = 0; pass < 20; pass++) {
    hki_bodies_state(c, t, q, v);
    hki_bodies_rows(c);
    hk_status st = factor_mass(n, r->eps, false, false);
    if (st != HK_OK) return say_singular(n, st);
    left = hki_bodies_norm(c, c->phi);
    if (!isfinite(left)) return HK_RETRY;
    if (!positions || left <= 1e-14 || (left < 1e-9 && left > 0.5 * before)) break;
    before = left;
    for (int32_t i = 0; i < c->nrows; i++) r->row[i] = -c->phi[i];
    hki_redundant_solve(r, NULL, r->row);
    hki_bodies_to_body(c, r->x);
    hki_bodies_plus(c, q, r->x, q);
  }
  if (positions && !(left < 1e-9)) return HK_RETRY;
  return hki_redundant_project_rates(n->r, t, q, v) ? HK_OK : HK_RETRY;
}

/* consistent values (and rates, unless a is NULL) of the scalar unknowns at (t, q, v) */
static hk_status project_network(redundant *n, double t, const double *q, double *v, double *a) {
  hk_bodies *c = n->r->c;
  if (!c->nx) return HK_OK;
  if (a) hki_bodies_rates(c, a);
  hki_bodies_state(c, t, q, v);
  return consistent(n, v, a);
}

static hk_status redundant_project(hk_formulation *f, double t, double *q, double *v, double *a,
                                   uint32_t what) {
  redundant *n = (redundant *)f;
  hk_bodies *c = n->r->c;
  if (what & HK_PROJECT_MASS) {
    hk_status st = project_state(n, t, q, v, false);
    return st == HK_OK ? project_network(n, t, q, v, NULL) : st;
  }
  if ((what & HK_PROJECT_POS) && n->par.projection && c->nrows) {
    hk_status st = project_state(n, t, q, v, true);
    if (st == HK_OK && n->r->leaves) st = hki_redundant_choose(n->r, n->r->eps);
    if (st != HK_OK) return st == HK_E_MEMORY ? st : HK_RETRY;
  } else if (n->par.projection && c->nrows) {
    hki_bodies_state(c, t, q, v);
    hki_bodies_rows(c);
    if (what & HK_PROJECT_VEL) {
      if (!hki_redundant_project_rates(n->r, t, q, v)) return HK_RETRY;
      hki_bodies_state(c, t, q, v);
    }
    if (what & HK_PROJECT_ACC) {
      hki_bodies_bias(c);
      if (!hki_redundant_project(n->r, c->gamma, a)) return HK_RETRY;
    }
  }
  if (project_network(n, t, q, v, a) != HK_OK) return HK_RETRY;
  for (int32_t i = 0; i < c->n; i++)
    if (!isfinite(v[i]) || !isfinite(a[i])) return HK_RETRY;
  hki_bodies_settle(c, t, q, v, a);
  return HK_OK;
}

/* --- exchange --------------------------------------------------------------------------------- */

static void redundant_persistent(hk_formulation *f, double **block, int32_t *count) {
  hk_bodies *c = ((redundant *)f)->r->c;
  *block = c->persist;
  *count = c->m->nq + c->nextra;
}

/* linear solver k whose memory a checkpoint holds; NULL past the last */
static hk_linsolve *solver(hk_formulation *f, int32_t k) {
  const hk_redundant *r = ((redundant *)f)->r;
  hk_linsolve *all[3] = {r->ls, r->c->nx ? r->c->net.ls : NULL, r->stab ? r->stab->ls : NULL};
  for (int i = 0; i < 3; i++)
    if (all[i] && k-- == 0) return all[i];
  return NULL;
}

static int32_t redundant_solver_memory(hk_formulation *f, int32_t k, double **block) {
  hk_linsolve *s = solver(f, k);
  if (s) return hki_linsolve_memory(s, block);
  return k == 0 || solver(f, k - 1) ? hki_redundant_kept(((redundant *)f)->r, block) : -1;
}

static hk_status redundant_solver_recall(hk_formulation *f) {
  hk_status st = HK_OK;
  for (int32_t k = 0; st == HK_OK && solver(f, k); k++) st = hki_linsolve_recall(solver(f, k));
  return st == HK_OK ? hki_redundant_recall(((redundant *)f)->r) : st;
}

static void redundant_restart(hk_formulation *f) {
  hk_redundant *r = ((redundant *)f)->r;
  memset(r->lam, 0, (size_t)r->c->nrows * sizeof *r->lam);
  r->old.ca = 0.0;
  ((redundant *)f)->chosen = false;
}

static void redundant_destroy(hk_formulation *f) {
  redundant *n = (redundant *)f;
  hk_ctx *ctx = n->r->ctx;
  hki_redundant_destroy(n->r);
  hki_free(ctx, n);
}

/* calls the elements' hooks at the state of D; the next residual evaluates the state again */
static hk_status redundant_hook(hk_formulation *f, hk_hook when, const double *D) {
  redundant *n = (redundant *)f;
  hk_bodies *c = n->r->c;
  if (!c->hooks) return HK_OK;
  stage_state(n, D);
  hki_bodies_rates(c, c->a);
  hki_bodies_state(c, n->st.t, c->q, c->v);
  (void)hki_kin_hook(&c->it, when);
  return HK_OK;
}

static const char *redundant_words(const hk_formulation *f) {
  return ((const redundant *)f)->words;
}

static bool redundant_independent(const hk_formulation *f) {
  return ((const redundant *)f)->par.redundancy == 0;
}

static const char *redundant_refuses(const void *par, uint32_t needs, const char **hint) {
  return hki_redundant_method_refuses(((const redundant_par *)par)->stabilisation, needs, hint);
}

/* stages with the rows at all levels reduce the index (servo.c) */
static int32_t redundant_servo_index(const hk_formulation *f, const char **hint) {
  const hk_redundant_stab *s = ((const redundant *)f)->r->stab;
  const bool all = s && s->form.acc && !s->form.least;
  *hint = all ? NULL : "'stabilisation: fuhrer_leimkuhler' solves index 5";
  return all ? 5 : 3;
}

hk_redundant *hki_redundant_of(hk_formulation *f) { return ((redundant *)f)->r; }
const hk_stage *hki_redundant_stage(const hk_formulation *f) { return &((const redundant *)f)->st; }

/* clang-format off */
static const hk_param params[] = {
  {"redundancy", HK_P_CHOICE, 0, offsetof(redundant_par, redundancy), 0, 0, 0, "",
   "error least_squares",
   "constraints that follow from others: refuse them by name, or share their reactions"},
  {"projection", HK_P_BOOL, 0, offsetof(redundant_par, projection), 1, 0, 0, "", NULL,
   "project velocities and accelerations onto the constraints after each step"},
  {"stabilisation", HK_P_CHOICE, 0, offsetof(redundant_par, stabilisation), 0, 0, 0, "",
   HK_REDUNDANT_METHODS,
   "how the constraints are kept: by projections after each step, by Baumgarte's terms, or as "
   "stabilised index 2 or index 1 equations of implicit stages"},
  {"baumgarte_alpha", HK_P_REAL, 0, offsetof(redundant_par, alpha), 20, 0, 1e6, "1/s", NULL,
   "stabilisation baumgarte: 2 alpha times the velocity of the constraint is added"},
  {"baumgarte_beta", HK_P_REAL, 0, offsetof(redundant_par, beta), 20, 0, 1e6, "1/s", NULL,
   "stabilisation baumgarte: beta^2 times the constraint is added"},
  {"curvature", HK_P_CHOICE, 0, offsetof(redundant_par, tangent), 0, 0, 0, "", "on off",
   "the constraints' curvature in Newton's matrix"},
  {"solver", HK_P_CHOICE, 0, offsetof(redundant_par, solver), 0, 0, 0, "", "auto dense sparse panels",
   "linear solver: by size and fill, LU of the full matrix, of its nonzero entries (KLU), or of these in dense panels"},
  {"rotations", HK_P_CHOICE, 0, offsetof(redundant_par, rotations), 0, 0, 0, "",
   "cayley exponential",
   "how nodes with momenta (integrator multistep) count the rotation of a step, from the last "
   "accepted pose"},
  HK_PARAM_END};
/* clang-format on */

static const hk_formulation_ops ops = {
    .name = "redundant",
    .text = "Cartesian coordinates with multipliers for all joints, sparse saddle-point system",
    .source = "Masarati, Morandini and Mantegazza 2014, sections 2 and 4",
    .caps = HK_CAP_STAGE_POS | HK_CAP_STAGE_ACC | HK_CAP_ACCEL | HK_CAP_DAE | HK_CAP_NODES |
            HK_CAP_INERTIA | HK_CAP_RATE_ROWS | HK_CAP_HELD | HK_CAP_SERVO,
    .params = params,
    .dims = hki_bodies_face_dims,
    .plus = hki_bodies_face_plus,
    .minus = hki_bodies_face_minus,
    .begin = redundant_begin,
    .residual = redundant_residual,
    .factor = redundant_factor,
    .correct = redundant_correct,
    .accel = redundant_accel,
    .project = redundant_project,
    .from_tree = hki_bodies_face_from_tree,
    .to_tree = hki_bodies_face_to_tree,
    .persistent = redundant_persistent,
    .solver_memory = redundant_solver_memory,
    .solver_recall = redundant_solver_recall,
    .restart = redundant_restart,
    .destroy = redundant_destroy,
    .chart_velocity = hki_bodies_face_chart_velocity,
    .words = redundant_words,
    .hook = redundant_hook,
    .slopes = hki_redundant_slopes,
    .dae = &hki_redundant_dae,
    .nodes = &hki_redundant_nodes,
    .system = &hki_redundant_system,
    .drift = hki_redundant_drift,
    .independent = redundant_independent,
    .still = hki_redundant_still,
    .refuses = redundant_refuses,
    .servo = hki_redundant_servo_reach,
    .servo_index = redundant_servo_index,
};

/* names of linear solvers, in the order of the words of option `solver` */
static const char *const solvers[] = {"auto", "dense_lu", "klu", "panels"};

static hk_status redundant_create(hk_ctx *ctx, const hk_model *m, const void *par,
                                  hk_formulation **out) {
  redundant *n = hki_alloc(ctx, sizeof *n);
  if (!n) return HK_E_MEMORY;
  n->ops = ops;
  hki_redundant_method_ops(((const redundant_par *)par)->stabilisation, &n->ops);
  // momenta are those of bodies: elements with inertia of their own have none
  if (m->wide_inert) n->ops.caps &= ~(uint32_t)HK_CAP_NODES, n->ops.nodes = NULL;
  n->base.ops = &n->ops;
  n->par = *(const redundant_par *)par;
  hk_status st = hki_redundant_create(ctx, m, solvers[n->par.solver], &n->r);
  if (st == HK_OK) {
    n->r->eps = n->par.redundancy ? 1e-9 : 0.0;
    n->r->leaves = n->par.redundancy && (n->par.projection || n->par.stabilisation);
    st = hki_redundant_method_create(n->r, n->par.stabilisation, n->par.alpha, n->par.beta, &ops);
  }
  if (st != HK_OK) {
    hki_redundant_destroy(n->r);
    hki_free(ctx, n);
    return st;
  }
  n->base.shared = n->r->c;
  n->r->cayley = n->par.rotations == 0;
  *out = &n->base;
  return HK_OK;
}

/* made without factors: all else grows with the model, and the analysis counts their entries */
static hk_status redundant_cost(hk_ctx *ctx, const hk_model *m, const void *par, double most,
                                hk_cost *out) {
  hk_formulation *f = NULL;
  (void)most;
  hk_status st = redundant_create(ctx, m, par, &f);
  if (st != HK_OK) return st;
  hki_redundant_cost(((redundant *)f)->r, out);
  f->ops->destroy(f);
  return HK_OK;
}

const hk_formulation_entry hki_formulation_redundant = {
    &ops,
    sizeof(redundant_par),
    hki_bodies_face_kin,
    redundant_create,
    redundant_cost,
    "all bodies and reactions as unknowns, a sparse matrix that grows with the bodies",
    false,
    false,
    NULL,
    &normals};
