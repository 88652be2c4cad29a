/* SPDX-License-Identifier: Apache-2.0
 *
 * recursive.c: the fully recursive formulation: accelerations by articulated inertias in O(n),
 * loops closed by an augmented Lagrangian at acceleration level, implicit steps by fixed-point
 * iteration.
 *
 * Accelerations of a state:
 *
 *   M a + Phi_z' (lam + alpha (Phi_z a + gamma)) = Q
 *   lam += alpha (Phi_z a + gamma)
 *
 * M^-1 comes from tree/aba.h, the closures by their small complement C (Woodbury's formula):
 *
 *   Y = M^-1 Phi_z',   C = 1/alpha + Phi_z Y
 *   (M + Phi_z' alpha Phi_z)^-1 = M^-1 - Y C^-1 Y'
 *   alpha = 1e7 / (Phi_z Y)_ii                                  per row
 *
 * Directions without mass have a little inertia in M^-1; iterating on the true residual removes
 * its effect.
 *
 * A stage is solved by fixed-point iteration: a from the state of the iterate D, then
 * D = (a - ah)/ca. It contracts by about (stiffness / mass) / ca. Forces that act on the joint of
 * one body alone (springs, dampers and drives of a joint, springs between a body and its parent)
 * are implicit at no cost: their tangents E are added to the joint blocks of tree/aba.h,
 *
 *   (M + E) a + Phi_z' lam = Q + E a*
 *   E = (K + cv C)/ca                                           one block per joint
 *   a* = ah + ca D                                              of the iterate
 *
 * `implicit: none` leaves E out, and everything below: the pure fixed point of the papers. Forces across several joints with private states (a clutch
 * between two branches, friction in a cut joint) are terms of the border; others stay explicit, and
 * where they are stiff this method needs smaller steps than the others. Where the fixed point contracts slowly, corrections come from the exact matrix of
 * the tree (tree/sweep.h), also in O(n), with the multipliers of the fixed point at the iterate:
 *
 *   T (a - a*) + Phi_z' mu = Q - M a* - Phi_z' lam
 *   Phi_z a + gamma = 0
 *
 * Elements on several markers (beams) couple the joints of all their bodies: where there are any the matrix of a stage is that of the tree,
 * with the tangents of all forces, sparse and symmetric (tree/tree.h), in the place of M + E and of T. A beam of n nodes is a
 * band, and costs time in proportion to n.
 *
 *   (M + W) a + Phi_z' lam = Q + W a*
 *
 * After the step positions, velocities and accelerations are projected in the
 * metric of M + E. Rows that bind velocities alone are closed in accelerations and velocities; the
 * projection of positions moves only in directions that they allow.
 *
 * Sources: Featherstone, Robot Dynamics Algorithms, 1987; Jimenez 1993 and Cuadrado and Dopico
 * 2003, section 4.4 (comparison); Bayo and Avello 1994 (augmented Lagrangian at acceleration
 * level).
 */
#include "formulations/recursive/recursive.h"

/* are corrections by the exact matrix possible? */
static bool may_be_exact(const hk_recursive_par *p) {
  return p->tangent != HK_TANGENT_MATERIAL && !p->implicit;
}

/* memory above which the matrix of the tree is no choice */
static const double most_bytes = 1e9;

/* after a scaled correction below this the slopes of normal forces may be kept */
static const double steady = 1e-3;

static void layout(hk_recursive *f, hk_arena *a) {
  const hk_model *m = f->s->m;
  const int32_t n = m->nrows;
  f->ld = hki_dense_ld(n);
  hki_aba_layout(&f->aba, m, a);
  f->act = HK_TAKE(a, int32_t, n);
  if (!f->sparse) {
    f->Y = HK_TAKE(a, double, (size_t)n *(size_t)m->nv);
    f->C = HK_TAKE(a, double, (size_t)n *(size_t)f->ld);
    f->inv = HK_TAKE(a, double, n);
    f->work = HK_TAKE(a, double, hki_dense_work(n));
    f->gz = HK_TAKE(a, double, hki_kin_most_rows(m));
  }
  f->ya = HK_TAKE(a, double, n);
  f->w = HK_TAKE(a, double, n);
  f->b = HK_TAKE(a, double, m->nv);
  f->x0 = HK_TAKE(a, double, m->nv);
  hki_own_layout(&f->own, m, a);
  f->as = HK_TAKE(a, double, m->nv);
  if (!may_be_exact(&f->par) || f->sparse) return;
  hki_sweep_layout(&f->sweep, &f->aba, m, a);
  f->X = HK_TAKE(a, double, n * m->nv);
  f->Cx = HK_TAKE(a, double, n * f->ld);
  f->invx = HK_TAKE(a, double, n);
  f->pivot = HK_TAKE(a, int32_t, n);
}

/* are there neither loops nor inertias beside those of bodies, so that one recursion gives all? */
static bool is_plain(const hk_recursive *f) { return !f->s->m->nc && !f->s->m->wide_inert; }

/* a: accelerations of a plain tree, factors and solution in one recursion; own: with E */
static hk_status tree_accel(hk_recursive *f, bool own, double *a) {
  hk_tree *s = f->s;
  const hk_model *m = s->m;
  const double *rhs = s->kin.tau;
  f->matrix = false;
  f->nr = 0;
  if (own) {
    for (int32_t i = 0; i < m->nv; i++) f->b[i] = -s->kin.tau[i], f->x0[i] = 0.0;
    hki_own_add(&f->own, &f->aba, f->x0, f->as, f->b);
    for (int32_t i = 0; i < m->nv; i++) f->b[i] = -f->b[i];
    rhs = f->b;
  }
  hki_aba_accel(&f->aba, s, own ? f->own.E : NULL, rhs, a);
  if (hki_aba_is_soft(&f->aba)) return HK_E_SINGULAR;
  for (int32_t i = 0; i < m->nv; i++)
    if (!isfinite(a[i])) return HK_RETRY;
  return HK_OK;
}

static hk_status recursive_accel(hk_formulation *base, double t, const double *q, const double *v,
                                 double *a) {
  hk_recursive *f = (hk_recursive *)base;
  hki_tree_state(f->s, t, q, v, 0);
  if (is_plain(f)) return tree_accel(f, false, a);
  hki_kin_closure_bias(&f->s->kin);
  hk_status st = hki_recursive_factor(f, NULL, false);
  return st == HK_OK ? hki_recursive_solve_accel(f, false, false, false, a) : st;
}

static bool recursive_choose_tangent(hk_formulation *base, bool exact) {
  hk_recursive *f = (hk_recursive *)base;
  if (f->par.tangent != HK_TANGENT_AUTO || f->par.implicit || hki_deep_closes(f->s)) return false;
  f->exact = exact;
  return true;
}

/* --- the implicit face ------------------------------------------------------------------------ */

static hk_status recursive_begin(hk_formulation *base, const hk_stage *st) {
  hk_recursive *f = (hk_recursive *)base;
  f->st = *st;
  f->before = 0.0;
  f->again = false;
  f->s->border.unit = st->ca; // corrections of accelerations
  // where a solution begins with the multipliers of the one before, those are of the same step
  if (f->sparse) memset(f->s->lam, 0, (size_t)f->s->m->nrows * sizeof *f->s->lam);
  return HK_OK;
}

static const hk_normal_face normals = {
    .find = hki_tree_find_normals, .border = hki_tree_normal_border, .early = true};

/* s->q, s->v and a* at D */
static void place(hk_recursive *f, const double *D) {
  hk_tree *s = f->s;
  hki_tree_plus(s->m, f->st.q0, D, s->q);
  for (int32_t i = 0; i < s->m->nv; i++) {
    s->v[i] = f->st.vh[i] + f->st.cv * D[i];
    f->as[i] = f->st.ah[i] + f->st.ca * D[i];
  }
}

static hk_status recursive_find_states(hk_formulation *base, const double *D) {
  hk_recursive *f = (hk_recursive *)base;
  place(f, D);
  hki_tree_find_states(f->s, f->st.t);
  return HK_OK;
}

/* Do the terms of normal forces from the iteration before serve again? They are slopes, which a small
 * correction changes by as much, but that of a law in another branch. */
static bool keeps_border(const hk_recursive *f) {
  const hk_border *b = &f->s->border;
  return !f->exact && b->ready && b->most == f->s->m->nnormal && !b->core.factor &&
         f->before > 0.0 && f->before <= steady && !hki_kin_branched(&f->s->kin);
}

static hk_status recursive_residual(hk_formulation *base, const double *D, bool tangent) {
  (void)tangent;
  hk_recursive *f = (hk_recursive *)base;
  hk_tree *s = f->s;
  const bool own = f->own.n > 0 && !f->sparse, pressed = s->m->nnormal > 0;
  // the unknowns of a network always belong to the solution
  const bool border = s->border.core.factor || pressed || (s->border.most && !f->par.implicit);
  place(f, D);
  hki_tree_state(s, f->st.t, s->q, s->v, own || border || f->sparse ? HK_FORCES_TANGENT : 0);
  hki_kin_closure_bias(&s->kin);
  if (own) hki_own_tangents(&f->own, s, &f->aba, f->st.cv / f->st.ca, 1.0 / f->st.ca, true);
  if (pressed) s->border.keep = keeps_border(f), hki_tree_sense_normals(s, f->as);
  if (border && !f->sparse) hki_tree_border_terms(s, f->st.cv / f->st.ca, 1.0 / f->st.ca);
  // without loops the exact correction needs no multipliers of this state
  hk_status st = HK_E_SINGULAR;
  const bool sweep = f->exact && !f->sparse;
  if (sweep && !s->m->nc && (st = hki_recursive_exact(f)) != HK_E_SINGULAR) return st;
  if (is_plain(f) && !border && !f->sparse) return tree_accel(f, own, s->a);
  st = hki_recursive_factor(f, own ? f->own.E : NULL, true);
  if (st == HK_OK && border) st = hki_border_factor(&s->border, hki_recursive_solve_closed, f);
  s->border.keep = false;
  if (st == HK_OK) st = hki_recursive_solve_accel(f, own, border, pressed && !s->m->nc, s->a);
  if (st == HK_OK && pressed && s->m->nc) {
    // once more with the multipliers of this state in the normal forces
    hki_tree_sense_normals(s, f->as);
    st = hki_recursive_solve_accel(f, own, border, false, s->a);
  }
  if (st != HK_OK || !sweep || !s->m->nc) return st;
  st = hki_recursive_exact(f);
  return st == HK_E_SINGULAR ? HK_OK : st;
}

static hk_status recursive_factor(hk_formulation *base) {
  (void)base;
  return HK_OK;
}

/* the correction from a prediction that repeats the last step, scaled */
static double whole_correction(const hk_recursive *f, const double *D) {
  const hk_tree *s = f->s;
  double most = 0.0;
  for (int32_t i = 0; i < s->m->nv; i++) {
    const double d = (s->a[i] - f->st.ah[i]) / f->st.ca;
    most = fmax(most, fabs(d - D[i] + f->st.ahead[i]) / s->scale[i]);
  }
  return most;
}

/* Fixed point D = (a - ah)/ca. It converges by a constant factor, so the remaining error is the
 * last correction times rate/(1 - rate); that is reported where rate is above 1/2. */
static hk_status recursive_correct(hk_formulation *base, double *D, hk_norms *n) {
  hk_recursive *f = (hk_recursive *)base;
  hk_tree *s = f->s;
  n->step = n->constraint = 0.0;
  if (f->st.ahead && !f->again) n->whole = whole_correction(f, D);
  f->again = true;
  for (int32_t i = 0; i < s->m->nv; i++) {
    double d = (s->a[i] - f->st.ah[i]) / f->st.ca, e = fabs(d - D[i]) / s->scale[i];
    D[i] = d;
    if (!(e <= n->step)) n->step = e;
  }
  const double e = n->step, rate = f->before > 0.0 ? e / f->before : 0.0;
  if (rate > 0.5 && rate < 1.0) n->step = e * rate / (1.0 - rate);
  n->by_rate = !s->m->nnormal; // loops close by their projections; friction follows the multipliers
  f->before = e;
  return HK_OK;
}

/* After so many passes the rows of x are open by `left`, and by `before` a pass earlier: do they nearly depend on each other? */
static bool is_slow(const hk_recursive *f, const double *x, int passes, double left, double before,
                    double far) {
  if (!HK_CLOSES_SLOW) return false;
  const double size = hki_tree_largest(f->s->m->nv, x, f->s->unscale);
  bool slow = false;
  return hki_slow_goes_on(passes, left, before, size, HK_TREE_CLOSED * (1.0 + size), far, &slow) &&
         slow;
}

/* one pass that takes x towards Phi_z x + b = 0 */
static void close_pass(hk_recursive *f, const double *b, double *x, bool slow) {
  if (slow) {
    hki_recursive_rows_left(f, b, x);
    (void)hki_recursive_close_slow(f, 0.0, x); // the next pass sees what is left
  } else {
    hki_recursive_close_rows(f, b, x);
  }
}

/* positions onto the closures, in the metric of the last factorisation */
static hk_status project_positions(hk_recursive *f, double t, double *q, const double *v) {
  hk_tree *s = f->s;
  double before = INFINITY;
  for (int it = 0;; it++) {
    hki_kin_state(&s->kin, t, q, v);
    if (s->m->spec->nsignals) hki_kin_signals(&s->kin, false);
    hki_kin_closures(&s->kin);
    const double left = hki_tree_row_norm(s, s->kin.phi);
    if (left < 1e-12 || it == 20) return left < 1e-9 ? HK_OK : HK_RETRY;
    memset(f->x0, 0, (size_t)s->m->nv * sizeof *f->x0);
    close_pass(f, s->kin.phi, f->x0, is_slow(f, f->x0, 0, left, before, HK_SLOW_FAR));
    before = left;
    hki_tree_plus(s->m, q, f->x0, q);
  }
}

/* x onto Phi_z x + b = 0; anew: velocities, and rows that are not linear in them */
static void project_rows(hk_recursive *f, const double *b, double far, double *x, bool anew) {
  double left = INFINITY, before = INFINITY;
  for (int pass = 0; f->nr && pass < (anew ? 30 : HK_SLOW_PASSES); pass++, before = left) {
    if (!((left = hki_recursive_rows_left(f, b, x)) > 1e-13)) return;
    const bool slow = is_slow(f, x, pass, left, before, far);
    if (!anew && !slow && pass >= HK_SLOW_AFTER) return;
    close_pass(f, b, x, slow);
    if (anew) hki_kin_closures_at(&f->s->kin, x);
  }
}

static hk_status recursive_project(hk_formulation *base, double t, double *q, double *v, double *a,
                                   uint32_t what) {
  hk_recursive *f = (hk_recursive *)base;
  hk_tree *s = f->s;
  hk_status st = HK_OK;
  if (what & HK_PROJECT_MASS) {
    hki_tree_state(s, t, q, v, 0);
    st = hki_recursive_factor(f, NULL, false);
    if (st == HK_OK) project_rows(f, s->kin.phit, INFINITY, v, s->m->ncurved);
    return st;
  }
  if (f->nr && (st = project_positions(f, t, q, v)) != HK_OK) return st;
  if (!f->nr) {
    hki_kin_state(&s->kin, t, q, v);
    if (s->m->spec->nsignals) hki_kin_signals(&s->kin, false);
    hki_kin_closures(&s->kin);
    hki_kin_closure_bias(&s->kin);
    return HK_OK;
  }
  project_rows(f, s->kin.phit, HK_SLOW_FAR, v, s->m->ncurved);
  hki_kin_closures_at(&s->kin, v);
  hki_kin_closure_bias(&s->kin);
  project_rows(f, s->kin.gamma, HK_SLOW_FAR, a, false);
  return HK_OK;
}

static void recursive_persistent(hk_formulation *f, double **block, int32_t *n) {
  *block = ((hk_recursive *)f)->s->lam;
  *n = 0;
}

static void recursive_restart(hk_formulation *f) { (void)f; }

static void recursive_destroy(hk_formulation *base) {
  hk_recursive *f = (hk_recursive *)base;
  hki_tree_destroy(f->s);
  hki_free(f->ctx, f->block);
  hki_free(f->ctx, f);
}

static const char *recursive_refuses(const void *par, uint32_t needs, const char **hint) {
  const hk_recursive_par *p = par;
  (void)needs;
  if (!p->implicit || p->tangent != HK_TANGENT_EXACT) return NULL;
  *hint = "leave out 'tangent', or take implicit: joints";
  return "implicit: none iterates without any tangent, tangent: exact with all of it";
}

/* clang-format off */
static const hk_param params[] = {
  {"tangent", HK_P_CHOICE, 0, offsetof(hk_recursive_par, tangent), 0, 0, 0, "", HK_TANGENT_CHOICES,
   "material: fixed-point iteration; exact: Newton's method with all terms of the tree (taut chains, "
   "fast rotation), also in O(n); auto takes exact where material converges slowly"},
  {"implicit", HK_P_CHOICE, 0, offsetof(hk_recursive_par, implicit), 0, 0, 0, "", "joints none",
   "joints: forces on single joints have their tangent in the articulated inertias; none: the plain "
   "fixed point, without any tangent"},
  HK_PARAM_END};
/* clang-format on */

static const hk_formulation_ops ops = {
    .name = "recursive",
    .text = "fully recursive articulated inertias in O(n); loops by an augmented Lagrangian; "
            "fixed-point steps",
    .source = "Featherstone 1987; Jimenez 1993; Cuadrado and Dopico 2003, section 4.4",
    .caps = HK_CAP_STAGE_POS | HK_CAP_ACCEL | HK_CAP_RATE_ROWS | HK_CAP_AHEAD,
    .params = params,
    .dims = hki_tree_face_dims,
    .plus = hki_tree_face_plus,
    .minus = hki_tree_face_minus,
    .begin = recursive_begin,
    .residual = recursive_residual,
    .factor = recursive_factor,
    .correct = recursive_correct,
    .choose_tangent = recursive_choose_tangent,
    .find_states = recursive_find_states,
    .accel = recursive_accel,
    .project = recursive_project,
    .from_tree = hki_tree_face_from_tree,
    .to_tree = hki_tree_face_to_tree,
    .persistent = recursive_persistent,
    .restart = recursive_restart,
    .destroy = recursive_destroy,
    .chart_velocity = hki_tree_face_chart_velocity,
    .refuses = recursive_refuses,
};

/* seconds of the rows of loops by one solution with the tree each, and of their dense complement */
static double rows_cost(const hk_model *m) {
  const double rows = m->nrows;
  return rows * (0.06e-6 * m->nb + 0.02e-6 * rows) + 0.14e-9 * rows * rows * rows / 6.0;
}

/* Is the sparse matrix of the tree what stages are solved with? Where wide elements couple bodies, and
 * where it costs less than half of the rows of the loops. Motions without inertia, and normal forces that the
 * multipliers of a state give, are for the rows. */
static hk_status prefers_matrix(hk_ctx *ctx, const hk_model *m, const hk_recursive_par *par,
                                bool *out) {
  hk_cost with, without;
  *out = m->nwide > 0 && !par->implicit;
  if (*out || !m->nrows || par->implicit || m->nnormal || hki_front_light(m)) return HK_OK;
  hk_status st = hki_tree_cost(ctx, m, true, most_bytes, &with);
  if (st == HK_OK) st = hki_tree_cost(ctx, m, false, most_bytes, &without);
  *out = st == HK_OK && !with.least && 2.0 * (with.seconds - without.seconds) < rows_cost(m);
  return st;
}

/* Fronts save factorisations; here most of the time are solutions, some twenty with each factor. */
static const double fronts_gain = 4.0;

/* The way of the loops: *sparse, the matrix or *deep, fronts; neither, the rows. */
static hk_status choose_way(hk_ctx *ctx, const hk_model *m, const hk_recursive_par *par,
                            bool *sparse, bool *deep) {
  hk_cost fronts = {0};
  *sparse = *deep = false;
  if (!m->nrows || par->implicit) return prefers_matrix(ctx, m, par, sparse);
  hk_status st = hki_deep_suits(ctx, m, par->tangent, fronts_gain, deep);
  if (st != HK_OK || !*deep) return st == HK_OK ? prefers_matrix(ctx, m, par, sparse) : st;
  // the matrix costs more than they do
  st = hki_deep_cost(ctx, m, false, &fronts);
  *sparse = *deep = st == HK_OK && 2.0 * fronts.seconds < rows_cost(m);
  return st;
}

/* memory of the matrix, or of the fronts, that stages are solved with */
static hk_status create_matrix(hk_recursive *f, bool deep) {
  hk_tree *s = f->s;
  hk_status st = deep ? hki_deep_create(s, false) : hki_tree_matrix(s);
  const size_t n = st == HK_OK && s->ldl ? (size_t)hki_ldl_value_count(s->ldl) : 0;
  if (st != HK_OK) return st;
  f->W = hki_pool_alloc(s->pool, (n + 1) * sizeof *f->W);
  return f->W ? HK_OK : HK_E_MEMORY;
}

static hk_status recursive_create(hk_ctx *ctx, const hk_model *m, const void *par,
                                  hk_formulation **out) {
  hk_recursive *f = hki_alloc(ctx, sizeof *f);
  hk_status st = f ? hki_tree_create(ctx, m, &f->s) : HK_E_MEMORY;
  if (f) f->par = *(const hk_recursive_par *)par;
  if (st == HK_OK && may_be_exact(&f->par)) st = hki_tree_allow_exact(f->s);
  bool deep = false;
  if (st == HK_OK) st = choose_way(ctx, m, &f->par, &f->sparse, &deep);
  if (st == HK_OK)
    st = hki_tree_inputs(f->s, f->par.implicit || f->sparse ? HK_ACROSS_NONE : HK_ACROSS_STATES);
  if (st == HK_OK && f->sparse) st = create_matrix(f, deep);
  if (st == HK_OK) {
    f->exact = f->par.tangent == HK_TANGENT_EXACT;
    hk_arena a = {0};
    layout(f, &a);
    f->block = hki_alloc(ctx, a.used + 64);
    a = (hk_arena){f->block + (64 - (uintptr_t)f->block % 64) % 64, 0, a.used};
    if (f->block)
      layout(f, &a);
    else
      st = HK_E_MEMORY;
  }
  if (st != HK_OK) {
    if (f) hki_tree_destroy(f->s);
    hki_free(ctx, f);
    return st;
  }
  f->base.ops = &ops;
  f->base.shared = f->s;
  f->ctx = ctx;
  hki_aba_init(&f->aba, f->s);
  if (!f->par.implicit) hki_own_init(&f->own, m);
  f->base.few_forces = may_be_exact(&f->par) && !f->sparse && f->own.n < m->nf;
  *out = &f->base;
  return HK_OK;
}

/* without closures all is linear in the bodies; each row of a closure costs one solution with the
 * tree, and their complement is dense */
static hk_status recursive_cost(hk_ctx *ctx, const hk_model *m, const void *par, double most,
                                hk_cost *out) {
  hk_tree tree = {.m = m};
  hk_recursive f = {.s = &tree, .par = *(const hk_recursive_par *)par};
  hk_arena a = {0};
  bool deep = false;
  hk_status st = choose_way(ctx, m, par, &f.sparse, &deep);
  if (st == HK_OK) st = hki_tree_cost(ctx, m, f.sparse && !deep, most, out);
  if (st == HK_OK && deep) st = hki_deep_cost(ctx, m, false, out);
  layout(&f, &a);
  if (may_be_exact(&f.par)) out->bytes += hki_tree_exact_bytes(m);
  out->bytes += (double)a.used + sizeof f;
  out->seconds += 0.1e-6 * m->nb + (f.sparse ? 0.0 : rows_cost(m));
  return st;
}

const hk_formulation_entry hki_formulation_recursive = {
    &ops,
    sizeof(hk_recursive_par),
    hki_tree_face_kin,
    recursive_create,
    recursive_cost,
    "no matrix, time and memory grow with the bodies",
    true,
    true,
    &hki_tree_net,
    &normals};
