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

/* after a scaled correction below this the slopes of normal forces may be kept */
static const double steady = 1e-3;

static void layout(hk_recursive *f, hk_arena *a) {
  const hk_model *m = f->s->m;
  const int32_t n = m->nrows;
  f->ld = hki_dense_ld(n);
  hki_aba_layout(&f->aba, m, a);
  f->act = HK_TAKE(a, int32_t, n);
  f->Y = HK_TAKE(a, double, (size_t)n *(size_t)m->nv);
  f->C = HK_TAKE(a, double, (size_t)n *(size_t)f->ld);
  f->inv = HK_TAKE(a, double, n);
  f->work = HK_TAKE(a, double, hki_dense_work(n));
  f->ya = HK_TAKE(a, double, n);
  f->w = HK_TAKE(a, double, n);
  f->b = HK_TAKE(a, double, m->nv);
  f->x0 = HK_TAKE(a, double, m->nv);
  f->own = HK_TAKE(a, int32_t, m->nf);
  f->own_body = HK_TAKE(a, int32_t, m->nf);
  f->E = HK_TAKE(a, double, hki_aba_blocks(m));
  f->as = HK_TAKE(a, double, m->nv);
  if (!may_be_exact(&f->par) || f->sparse) return;
  hki_sweep_layout(&f->sweep, &f->aba, m, a);
  f->joint = HK_TAKE(a, uint8_t, m->nf);
  f->X = HK_TAKE(a, double, n * m->nv);
  f->Cx = HK_TAKE(a, double, n * f->ld);
  f->invx = HK_TAKE(a, double, n);
  f->pivot = HK_TAKE(a, int32_t, n);
}

/* r += W (a - a*) */
static void add_forces(hk_recursive *f, const double *a, double *r) {
  hk_tree *s = f->s;
  for (int32_t i = 0; i < s->m->nv; i++) f->b[i] = a[i] - f->as[i];
  hki_ldl_mul(s->ldl, &s->num, f->W, f->b, f->x0);
  for (int32_t i = 0; i < s->m->nv; i++) r[i] += f->x0[i];
}

/* M + W of the stage, factorised, and the terms of the border */
static hk_status factor_matrix(hk_recursive *f) {
  hk_tree *s = f->s;
  const int32_t n = hki_ldl_value_count(s->ldl);
  const double cC = f->st.cv / f->st.ca, cK = 1.0 / f->st.ca;
  hki_tree_mass(s);
  memcpy(f->W, s->num.val, (size_t)n * sizeof *f->W);
  memcpy(s->a, f->as, (size_t)s->m->nv * sizeof *s->a);
  if (f->exact)
    hki_tree_add_whole(s, cC, cK, s->lam);
  else
    hki_tree_add_forces(s, cC, cK);
  for (int32_t i = 0; i < n; i++) f->W[i] = s->num.val[i] - f->W[i];
  return hki_tree_factor(s) == HK_OK ? HK_OK : HK_E_SINGULAR;
}

/* x = (M + E)^-1 b, or (M + W)^-1 b; few: many zeros in b */
static void solve_tree(hk_recursive *f, const double *b, double *x, bool few) {
  if (f->matrix) {
    if (x != b) memcpy(x, b, (size_t)f->s->m->nv * sizeof *x);
    hki_ldl_solve(f->s->ldl, &f->s->num, x);
  } else if (few) {
    hki_aba_solve_few(&f->aba, &f->s->kin, b, x);
  } else {
    hki_aba_solve(&f->aba, &f->s->kin, b, x);
  }
}

/* (M + E)^-1 (E NULL: none), or that of the stage's matrix, Y, alpha and C at the present state */
static hk_status factor(hk_recursive *f, const double *E, bool matrix) {
  hk_tree *s = f->s;
  const hk_model *m = s->m;
  hk_status st = HK_OK;
  f->matrix = matrix;
  if (matrix)
    st = factor_matrix(f);
  else
    hki_aba_factor(&f->aba, s, E);
  if (st != HK_OK) return st;
  f->nr = 0;
  for (int32_t c = 0; c < m->nc; c++)
    for (int32_t r = 0; s->kin.disc.active[c] != 0.0 && r < m->closures[c].nrows; r++)
      f->act[f->nr++] = m->closures[c].row0 + r;
  if (!f->nr) return !matrix && f->aba.nsoft ? HK_E_SINGULAR : HK_OK;
  memset(s->row, 0, (size_t)m->nrows * sizeof *s->row);
  hki_tree_reach(s);
  f->ld = hki_dense_ld(f->nr);
  memset(f->C, 0, (size_t)(f->ld * f->nr) * sizeof *f->C);
  for (int32_t i = 0; i < f->nr; i++) {
    double *y = f->Y + (size_t)i * (size_t)m->nv;
    memset(f->b, 0, (size_t)m->nv * sizeof *f->b);
    s->row[f->act[i]] = 1.0;
    hki_tree_add_rows(s, s->row, f->b);
    s->row[f->act[i]] = 0.0;
    solve_tree(f, f->b, y, false);
    hki_tree_rows(s, y, f->ya);
    for (int32_t j = 0; j < f->nr; j++)
      f->C[(size_t)i * (size_t)f->ld + (size_t)j] = f->ya[f->act[j]];
  }
  for (int32_t i = 0; i < f->nr; i++) {
    double *d = &f->C[(size_t)i * (size_t)f->ld + (size_t)i];
    s->alpha[f->act[i]] = 1e7 / fmax(*d, 1e-300);
    *d += 1.0 / s->alpha[f->act[i]];
  }
  return hki_dense_ldl_factor(f->nr, f->C, f->ld, f->inv, f->work, NULL);
}

/* x -= Y C^-1 (Phi_z x + b) */
static void close_rows(hk_recursive *f, const double *b, double *x) {
  hk_tree *s = f->s;
  const int32_t nv = s->m->nv;
  hki_tree_rows(s, x, s->row);
  for (int32_t i = 0; i < f->nr; i++) f->w[i] = s->row[f->act[i]] + (b ? b[f->act[i]] : 0.0);
  hki_dense_ldl_solve(f->nr, f->C, f->ld, f->inv, f->w, f->work);
  for (int32_t i = 0; i < f->nr; i++)
    for (int32_t j = 0; j < nv; j++) x[j] -= f->w[i] * f->Y[(size_t)i * (size_t)nv + (size_t)j];
}

/* largest scaled row of Phi_z x + b */
static double rows_left(hk_recursive *f, const double *b, const double *x) {
  hk_tree *s = f->s;
  hki_tree_rows(s, x, s->row);
  for (int32_t i = 0; i < s->m->nrows; i++) s->row[i] += b[i];
  return hki_tree_row_norm(s, s->row);
}

/* x = (M + E)^-1 x with the rows closed, for the border */
static void solve_closed(void *with, double *x) {
  hk_recursive *f = with;
  solve_tree(f, x, x, true);
  if (f->nr) close_rows(f, NULL, x);
}

/* a: accelerations with the present factors, iterated on the true residual, with E and the border of
 * inputs where they are in them; known: s->r is the residual at a* already, and there are no loops */
static hk_status solve_accel(hk_recursive *f, bool own, bool border, bool known, double *a) {
  hk_tree *s = f->s;
  const hk_model *m = s->m;
  double before = INFINITY;
  if (known)
    memcpy(a, f->as, (size_t)m->nv * sizeof *a);
  else
    memset(a, 0, (size_t)m->nv * sizeof *a);
  memset(s->lam, 0, (size_t)m->nrows * sizeof *s->lam);
  if (border) hki_border_start(&s->border);
  int passes = f->nr ? 40 : 1;
  for (int pass = 0; pass < passes; pass++) {
    double change = 0.0, size = 0.0;
    if (!known || pass) hki_tree_residual(s, a, s->r);
    hki_tree_rows(s, a, s->row);
    for (int32_t i = 0; i < m->nrows; i++)
      s->row[i] = s->alpha[i] * (s->row[i] + s->kin.gamma[i]) + s->lam[i];
    hki_tree_add_rows(s, s->row, s->r);
    if (own) hki_recursive_add_own(f, a, s->r);
    if (f->matrix) add_forces(f, a, s->r);
    if (border && !known) hki_border_load(&s->border, s->r);
    for (int32_t i = 0; i < m->nv; i++) f->b[i] = -s->r[i];
    solve_tree(f, f->b, f->x0, false);
    memcpy(s->lam_step, s->row, (size_t)m->nrows * sizeof *s->row);
    if (f->nr) close_rows(f, NULL, f->x0);
    if (border && known)
      hki_border_apply(&s->border, f->x0);
    else if (border)
      hki_border_pass(&s->border, a, f->as, f->x0);
    hki_tree_rows(s, f->x0, s->row);
    for (int32_t i = 0; i < f->nr; i++)
      s->lam[f->act[i]] = s->lam_step[f->act[i]] + s->alpha[f->act[i]] * s->row[f->act[i]];
    for (int32_t i = 0; i < m->nv; i++) {
      a[i] += f->x0[i];
      change = fmax(change, fabs(f->x0[i]) / s->scale[i]);
      size = fmax(size, fabs(a[i]) / s->scale[i]);
      if (!isfinite(a[i])) return HK_RETRY;
    }
    if (change <= 1e-12 * (1.0 + size) || (pass > 3 && change > 0.5 * before)) break;
    before = change;
  }
  return HK_OK;
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
    hki_recursive_add_own(f, f->x0, f->b);
    for (int32_t i = 0; i < m->nv; i++) f->b[i] = -f->b[i];
    rhs = f->b;
  }
  hki_aba_accel(&f->aba, s, own ? f->E : NULL, rhs, a);
  if (f->aba.nsoft) return HK_E_SINGULAR;
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
  hk_status st = factor(f, NULL, false);
  return st == HK_OK ? solve_accel(f, false, false, false, a) : st;
}

static bool recursive_choose_tangent(hk_formulation *base, bool exact) {
  hk_recursive *f = (hk_recursive *)base;
  if (f->par.tangent != HK_TANGENT_AUTO || f->par.implicit) return false;
  f->exact = exact;
  return true;
}

/* --- the implicit face ------------------------------------------------------------------------ */

static hk_status recursive_begin(hk_formulation *base, const hk_stage *st) {
  ((hk_recursive *)base)->st = *st;
  ((hk_recursive *)base)->before = 0.0;
  ((hk_recursive *)base)->s->border.unit = st->ca; // corrections of accelerations
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
  const bool own = f->nown > 0 && !f->sparse, pressed = s->m->nnormal > 0;
  // the unknowns of a network always belong to the solution
  const bool border = s->border.core.factor || pressed || (s->border.most && !f->par.implicit);
  place(f, D);
  hki_tree_state(s, f->st.t, s->q, s->v, own || border || f->sparse ? HK_FORCES_TANGENT : 0);
  hki_kin_closure_bias(&s->kin);
  if (own) hki_recursive_own_tangents(f);
  if (pressed) s->border.keep = keeps_border(f), hki_tree_sense_normals(s, f->as);
  if (border && !f->sparse) hki_tree_border_terms(s, f->st.cv / f->st.ca, 1.0 / f->st.ca);
  // without loops the exact correction needs no multipliers of this state
  hk_status st = HK_E_SINGULAR;
  const bool sweep = f->exact && !f->sparse;
  if (sweep && !s->m->nc && (st = hki_recursive_exact(f)) != HK_E_SINGULAR) return st;
  if (is_plain(f) && !border && !f->sparse) return tree_accel(f, own, s->a);
  st = factor(f, own ? f->E : NULL, f->sparse);
  if (st == HK_OK && border) st = hki_border_factor(&s->border, solve_closed, f);
  s->border.keep = false;
  if (st == HK_OK) st = solve_accel(f, own, border, pressed && !s->m->nc, s->a);
  if (st == HK_OK && pressed && s->m->nc) {
    // once more with the multipliers of this state in the normal forces
    hki_tree_sense_normals(s, f->as);
    st = solve_accel(f, own, border, false, s->a);
  }
  if (st != HK_OK || !sweep || !s->m->nc) return st;
  st = hki_recursive_exact(f);
  return st == HK_E_SINGULAR ? HK_OK : st;
}

static hk_status recursive_factor(hk_formulation *base) {
  (void)base;
  return HK_OK;
}

/* Fixed point D = (a - ah)/ca. It converges by a constant factor, so the remaining error is the
 * last correction times rate/(1 - rate); that is reported where rate is above 1/2. */
static hk_status recursive_correct(hk_formulation *base, double *D, hk_norms *n) {
  hk_recursive *f = (hk_recursive *)base;
  hk_tree *s = f->s;
  n->step = n->constraint = 0.0;
  for (int32_t i = 0; i < s->m->nv; i++) {
    double d = (s->a[i] - f->st.ah[i]) / f->st.ca, e = fabs(d - D[i]) / s->scale[i];
    D[i] = d;
    if (!(e <= n->step)) n->step = e;
  }
  const double e = n->step, rate = f->before > 0.0 ? e / f->before : 0.0;
  if (rate > 0.5 && rate < 1.0) n->step = e * rate / (1.0 - rate);
  f->before = e;
  return HK_OK;
}

/* positions onto the closures, in the metric of the last factorisation */
static hk_status project_positions(hk_recursive *f, double t, double *q, const double *v) {
  hk_tree *s = f->s;
  for (int it = 0;; it++) {
    hki_kin_state(&s->kin, t, q, v);
    if (s->m->spec->nsignals) hki_kin_signals(&s->kin, false);
    hki_kin_closures(&s->kin);
    const double left = hki_tree_row_norm(s, s->kin.phi);
    if (left < 1e-12 || it == 20) return left < 1e-9 ? HK_OK : HK_RETRY;
    memset(f->x0, 0, (size_t)s->m->nv * sizeof *f->x0);
    close_rows(f, s->kin.phi, f->x0);
    hki_tree_plus(s->m, q, f->x0, q);
  }
}

/* x onto Phi_z x + b = 0; anew: velocities, and rows that are not linear in them */
static void project_rows(hk_recursive *f, const double *b, double *x, bool anew) {
  for (int pass = 0; f->nr && pass < (anew ? 30 : 6) && rows_left(f, b, x) > 1e-13; pass++) {
    close_rows(f, b, x);
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
    st = factor(f, NULL, false);
    if (st == HK_OK) project_rows(f, s->kin.phit, v, s->m->ncurved);
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
  project_rows(f, s->kin.phit, v, s->m->ncurved);
  hki_kin_closures_at(&s->kin, v);
  hki_kin_closure_bias(&s->kin);
  project_rows(f, s->kin.gamma, a, false);
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
    .caps = HK_CAP_STAGE_POS | HK_CAP_ACCEL | HK_CAP_RATE_ROWS,
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

static hk_status recursive_create(hk_ctx *ctx, const hk_model *m, const void *par,
                                  hk_formulation **out) {
  hk_recursive *f = hki_alloc(ctx, sizeof *f);
  hk_status st = f ? hki_tree_create(ctx, m, &f->s) : HK_E_MEMORY;
  if (f) f->par = *(const hk_recursive_par *)par;
  if (st == HK_OK && may_be_exact(&f->par)) st = hki_tree_allow_exact(f->s);
  if (st == HK_OK) f->sparse = m->nwide > 0 && !f->par.implicit;
  if (st == HK_OK) st = hki_tree_inputs(f->s, !f->par.implicit && !f->sparse);
  if (st == HK_OK && f->sparse) {
    st = hki_tree_matrix(f->s);
    const size_t n = st == HK_OK ? (size_t)hki_ldl_value_count(f->s->ldl) : 0;
    if (st == HK_OK && !(f->W = hki_pool_alloc(f->s->pool, (n + 1) * sizeof *f->W)))
      st = HK_E_MEMORY;
  }
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
  if (!f->par.implicit) hki_recursive_find_own(f);
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
  const double rows = m->nrows;
  f.sparse = m->nwide > 0 && !f.par.implicit;
  hk_status st = hki_tree_cost(ctx, m, f.sparse, most, out);
  layout(&f, &a);
  if (may_be_exact(&f.par)) out->bytes += hki_tree_exact_bytes(m);
  out->bytes += (double)a.used + sizeof f;
  out->seconds += 0.1e-6 * m->nb + rows * (0.06e-6 * m->nb + 0.02e-6 * rows) +
                  0.14e-9 * rows * rows * rows / 6.0;
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
    &hki_tree_net,
    &normals};
