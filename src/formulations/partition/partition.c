/* SPDX-License-Identifier: Apache-2.0
 *
 * partition.c: the partition formulation: Cartesian coordinates, an independent part of them
 * integrated implicitly as the state-space equations of the mechanism, the dependent part and the
 * multipliers recovered from the constraints at every iterate, Newton's method with the exact
 * tangent.
 *
 *   psi(D_v) = (M a + gyro - Q)_v + Phi_v' lam = 0         lam: partition.h
 *   T dD_v = -psi                                          T = dpsi/dD_v
 *
 * Explicit methods ask for accelerations, a0 any with Phi_q a0 + gamma = 0:
 *
 *   a = a0 + P y,   P'MP y = -P' (M a0 + gyro - Q)
 *
 * Integrators see all Cartesian coordinates. Only the independent ones follow v = vh + cv D and
 * a = ah + ca D; the others follow from the constraints: positions by Newton's method on Phi = 0,
 * velocities from Phi_q v + Phi_t = 0, accelerations from Phi_q a + gamma = 0. Histories are in all
 * coordinates, so that another choice of independent ones loses nothing. Constraints may depend on
 * time. Option `method` offers other methods on the same coordinates: splitting.c, augmented.c,
 * tangent_plane.c, null_space.c.
 *
 * Sources: Haug, Negrut and Iancu 1997, section 3 (partition.h); Fisette and Vaneghem 1996
 * (`tangent: fv`).
 */
#include "formulations/partition/partition.h"

/* --- implicit stages -------------------------------------------------------------------------- */

static hk_status partition_begin(hk_formulation *f, const hk_stage *st) {
  hk_partition *p = (hk_partition *)f;
  p->st = *st;
  p->words[0] = '\0';
  p->first = true;
  p->prepared = false;
  hki_partition_sync(p);
  return HK_OK;
}

static hk_status partition_residual(hk_formulation *f, const double *D, bool tangent) {
  (void)tangent;
  hk_partition *p = (hk_partition *)f;
  return p->method->residual(p, D);
}

static hk_status partition_factor(hk_formulation *f) {
  hk_partition *p = (hk_partition *)f;
  return p->method->factor(p);
}

static hk_status partition_correct(hk_formulation *f, double *D, hk_norms *norm) {
  hk_partition *p = (hk_partition *)f;
  return p->method->correct(p, D, norm);
}

static hk_status partition_stage_rates(hk_formulation *f, const double *D, double *w, double *wd) {
  hk_partition *p = (hk_partition *)f;
  hk_status st = p->method->rates(p, D);
  if (st != HK_OK) return st;
  memcpy(w, p->w, (size_t)p->n * sizeof *w);
  memcpy(wd, p->wd, (size_t)p->n * sizeof *wd);
  return HK_OK;
}

/* --- the explicit face ------------------------------------------------------------------------ */

/* x += P psi */
static void add_independent(const hk_partition *p, double *x) {
  for (int32_t j = 0; j < p->f; j++)
    for (int32_t i = 0; i < p->n; i++)
      x[i] += p->vel.P[(size_t)j * (size_t)p->n + (size_t)i] * p->psi[j];
}

/* vel with its columns at the rows just evaluated; anew, or without a choice: makes a first one */
static hk_status prepare(hk_partition *p, bool anew) {
  if (anew || p->persist[HK_PARTITION_MADE] == 0.0) return hki_partition_choose(p);
  hki_partition_sync(p);
  if (hki_partition_factor(p, &p->vel, NULL) != HK_OK) return HK_RETRY;
  hki_partition_columns(p, &p->vel);
  return HK_OK;
}

hk_status hki_partition_particular(hk_partition *p, double t, const double *q, const double *v,
                                   double *a) {
  (void)t, (void)q, (void)v;
  memset(a, 0, (size_t)p->n * sizeof *a);
  hki_partition_complete(p, &p->vel, p->c->gamma, a);
  return HK_OK;
}

static hk_status partition_accel(hk_formulation *f, double t, const double *q, const double *v,
                                 double *a) {
  hk_partition *p = (hk_partition *)f;
  hki_bodies_state(p->c, t, q, v);
  hki_bodies_rows(p->c);
  hki_bodies_bias(p->c);
  hk_status st = prepare(p, false);
  if (st != HK_OK) return st;
  st = p->method->particular(p, t, q, v, a);
  if (st != HK_OK) return st;
  hki_partition_motion(p, a, p->r);
  hki_partition_reduce(p, p->r, p->psi);
  for (int32_t j = 0; j < p->f; j++) p->psi[j] = -p->psi[j];
  st = hki_partition_gram(p, &p->vel);
  if (st != HK_OK) return st;
  if (p->f)
    hki_dense_ldl_solve(p->f, p->vel.gram, hki_dense_ld(p->f), p->vel.gram_inv, p->psi, p->work);
  add_independent(p, a);
  for (int32_t i = 0; i < p->n; i++)
    if (!isfinite(a[i])) return HK_E_NUMBER;
  return HK_OK;
}

/* normal forces of friction: by the multipliers of the iterate, values alone */
static void find_normals(hk_formulation *f, const double *a, double *N) {
  hk_partition *p = (hk_partition *)f;
  if (a) hki_partition_motion(p, a, p->r);
  hki_partition_multipliers(p, p->r, p->lam);
  hki_bodies_normals(p->c, p->lam, N);
}

static const hk_normal_face normals = {.find = find_normals};

/* --- after a step ----------------------------------------------------------------------------- */

/* v onto the rows on velocities by `onto`, vel factorised at (t, q). Rows that are not linear in v are
 * evaluated anew until they hold. */
static hk_status project_rates(hk_partition *p, double t, const double *q, double *v,
                               void (*onto)(hk_partition *, hk_partition_jac *, const double *,
                                            double *)) {
  double last = INFINITY;
  for (int pass = 0; pass < 30; pass++) {
    double size = 0.0;
    onto(p, &p->vel, p->c->phit, v);
    if (!p->c->m->ncurved) return HK_OK;
    for (int32_t i = 0; i < p->n; i++) size = fmax(size, fabs(v[i] - p->c->v[i]) / p->c->scale[i]);
    if (!isfinite(size)) return HK_RETRY;
    hki_bodies_state(p->c, t, q, v);
    hki_bodies_rows(p->c);
    if (hki_partition_factor(p, &p->vel, NULL) != HK_OK) return HK_RETRY;
    hki_partition_columns(p, &p->vel);
    const double top = 1.0 + hki_partition_size(p, v);
    if (size <= 1e-14 * top || (size < 1e-9 * top && size > 0.5 * last)) return HK_OK;
    last = size;
  }
  return HK_RETRY;
}

/* v onto the constraints, the shortest way in the mass metric */
static hk_status project_mass(hk_partition *p, double t, const double *q, double *v) {
  hki_bodies_state(p->c, t, q, v);
  hki_bodies_rows(p->c);
  hk_status st = prepare(p, true);
  if (st == HK_OK) st = hki_partition_gram(p, &p->vel);
  return st == HK_OK ? project_rates(p, t, q, v, hki_partition_nearest) : st;
}

/* moves q onto the constraints by the method's `onto`: either the independent coordinates stay, or
 * all move the shortest way */
static hk_status close_position(hk_partition *p, double t, double *q, const double *v) {
  double before = INFINITY;
  for (int it = 0; it < HK_PARTITION_CLOSE_PASSES; it++) {
    hki_bodies_state(p->c, t, q, v);
    hki_bodies_rows(p->c);
    if (hki_partition_factor(p, &p->vel, NULL) != HK_OK) return HK_RETRY;
    double open = hki_partition_open(p, &p->vel, p->x);
    if (!(open < 10.0)) return HK_RETRY;
    if (hki_partition_is_closed(open, before)) return HK_OK;
    before = open;
    if (p->method->columns) {
      hki_partition_columns(p, &p->vel);
      memset(p->x, 0, (size_t)p->n * sizeof *p->x);
      p->method->onto(p, &p->vel, p->c->phi, p->x);
    }
    hki_bodies_plus(p->c, q, p->x, q);
  }
  return HK_RETRY;
}

static hk_status partition_project(hk_formulation *f, double t, double *q, double *v, double *a,
                                   uint32_t what) {
  hk_partition *p = (hk_partition *)f;
  if (what & HK_PROJECT_MASS) return project_mass(p, t, q, v);
  hki_partition_sync(p);
  hk_status st = close_position(p, t, q, v);
  if (st != HK_OK) return st;
  if (p->method->columns) hki_partition_columns(p, &p->vel);
  if (what & HK_PROJECT_VEL) st = project_rates(p, t, q, v, p->method->onto);
  if (st != HK_OK) return st;
  if (what & HK_PROJECT_ACC) {
    hki_bodies_state(p->c, t, q, v);
    hki_bodies_bias(p->c);
    p->method->onto(p, &p->vel, p->c->gamma, a);
    // what redundant rows on velocities leave open, for the review
    hki_bodies_rate_rows(p->c, 1.0);
  }
  for (int32_t i = 0; i < p->n; i++)
    if (!isfinite(v[i]) || !isfinite(a[i])) return HK_RETRY;
  if (what & HK_PROJECT_ACC && p->method->remember) p->method->remember(p, t, v, a);
  st = hki_partition_review(p, t, q);
  if (st != HK_OK) return st;
  hki_bodies_settle(p->c, t, q, v, a);
  return HK_OK;
}

/* --- exchange and memory ---------------------------------------------------------------------- */

static void partition_persistent(hk_formulation *f, double **block, int32_t *n) {
  hk_partition *p = (hk_partition *)f;
  *block = p->persist;
  *n = p->npersist;
}

static void partition_restart(hk_formulation *f) {
  hk_partition *p = (hk_partition *)f;
  p->persist[HK_PARTITION_MADE] = 0.0;
  if (p->method->npersist) p->own[0] = 0.0;
}

static const char *partition_refuses(const void *par, uint32_t needs, const char **hint) {
  const hk_partition_method *m = hki_partition_method_of(par);
  const bool implicit = (needs & HK_PARTITION_IMPLICIT) != 0;
  *hint = implicit ? "another method" : "method 'partition'";
  if (m->refuses == HK_PARTITION_IMPLICIT) return implicit ? m->why : NULL;
  return m->refuses == HK_PARTITION_EXPLICIT && !implicit ? m->why : NULL;
}

static void partition_destroy(hk_formulation *f) { hki_partition_destroy((hk_partition *)f); }

static const char *partition_words(const hk_formulation *f) {
  return ((const hk_partition *)f)->words;
}

const hk_partition_method hki_partition_exact = {
    .residual = hki_partition_exact_residual,
    .factor = hki_partition_exact_factor,
    .correct = hki_partition_exact_correct,
    .rates = hki_partition_exact_rates,
    .onto = hki_partition_onto,
    .particular = hki_partition_particular,
};

static double partition_choices(const hk_formulation *f) {
  return ((const hk_partition *)f)->persist[HK_PARTITION_CHANGES];
}

/* clang-format off */
static const hk_param params[] = {
  {"tangent", HK_P_CHOICE, 0, offsetof(hk_partition_par, tangent), 0, 0, 0, "", "exact fv",
   "exact: derivatives of all equations; fv: quasi-Newton of Fisette and Vaneghem, without the "
   "derivatives of the acceleration equations and of the constraint forces"},
  {"method", HK_P_CHOICE, 0, offsetof(hk_partition_par, method), 0, 0, 0, "",
   "partition splitting augmented_newton tangent_plane null_space",
   "partition: everything but independent coordinates eliminated at every iterate; splitting: "
   "positions and velocities of all coordinates, multipliers removed (Yen and Petzold); "
   "augmented_newton: all unknowns in one iteration (Haug and Yen); tangent_plane: coordinates of "
   "the tangent plane by singular values (Mani, Haug and Atkinson); null_space: differentiable "
   "null space, explicit integrators (Liang and Lance)"},
  {"choice_limit", HK_P_REAL, 0, offsetof(hk_partition_par, limit), 4, 1.2, 1e9, "", NULL,
   "independent coordinates are chosen anew when a dependent one moves this many times faster"},
  {"start", HK_P_CHOICE, 0, offsetof(hk_partition_par, start), 0, 0, 0, "", "extrapolate paper",
   "where the iteration of a step begins. extrapolate: constant accelerations; paper: the "
   "accelerations that the equations of motion have there (Haug, Negrut and Iancu, section 3.3). "
   "Methods partition and tangent_plane"},
  {"guards", HK_P_BOOL, 0, offsetof(hk_partition_par, guards), 1, 0, 0, "", NULL,
   "far starts are compared with the state before the step, those beyond a fold avoided, "
   "corrections that lead away halved; off: Newton's method without these. Methods partition and "
   "tangent_plane"},
  {"choice", HK_P_CHOICE, 0, offsetof(hk_partition_par, choice), 0, 0, 0, "", HK_CHOICE_CHOICES,
   HK_CHOICE_TEXT},
  HK_PARAM_END};
/* clang-format on */

static const hk_formulation_ops ops = {
    .name = "partition",
    .text = "independent Cartesian coordinates, chosen and chosen anew automatically; the rest and "
            "the multipliers recovered exactly, exact tangent",
    .source = "Haug, Negrut and Iancu 1997; Wehage and Haug 1982",
    .caps = HK_CAP_STAGE_POS | HK_CAP_STAGE_ACC | HK_CAP_ACCEL | HK_CAP_EXACT | HK_CAP_REGULAR |
            HK_CAP_RATE_ROWS | HK_CAP_AHEAD,
    .params = params,
    .dims = hki_bodies_face_dims,
    .plus = hki_bodies_face_plus,
    .minus = hki_bodies_face_minus,
    .begin = partition_begin,
    .residual = partition_residual,
    .factor = partition_factor,
    .correct = partition_correct,
    .accel = partition_accel,
    .project = partition_project,
    .from_tree = hki_bodies_face_from_tree,
    .to_tree = hki_bodies_face_to_tree,
    .persistent = partition_persistent,
    .restart = partition_restart,
    .destroy = partition_destroy,
    .stage_rates = partition_stage_rates,
    .chart_velocity = hki_bodies_face_chart_velocity,
    .words = partition_words,
    .choices = partition_choices,
    .refuses = partition_refuses,
};

static hk_status create(hk_ctx *ctx, const hk_model *m, const void *par, hk_formulation **out) {
  hk_partition *p;
  hk_status st = hki_partition_create(ctx, m, par, &p);
  if (st != HK_OK) return st;
  p->base.ops = &ops;
  p->base.shared = p->c;
  *out = &p->base;
  return HK_OK;
}

const hk_formulation_entry hki_formulation_partition = {&ops,
                                                        sizeof(hk_partition_par),
                                                        hki_bodies_face_kin,
                                                        create,
                                                        hki_partition_cost,
                                                        NULL,
                                                        false,
                                                        false,
                                                        &hki_partition_net,
                                                        &normals};
