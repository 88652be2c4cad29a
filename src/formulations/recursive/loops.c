/* SPDX-License-Identifier: Apache-2.0
 *
 * loops.c: accelerations of the recursive formulation with the rows of the loops (recursive.c), in one
 * of three ways, whichever costs least (recursive_create):
 *
 *   articulated inertias    Y = (M + E)^-1 Phi_z',  C = 1/alpha + Phi_z Y,  dense in the rows
 *   sparse matrix           T = M + W + Phi_z' alpha Phi_z of the tree, as of tree/tree.h
 *   fronts                  the same T, not formed, by the recursion with the rows (tree/front.h)
 *
 * (M + E)^-1 - Y C^-1 Y' and T^-1 are the same but for W in the place of E. A row of many loops, each of which
 * shares bodies with the next, has a sparse T, while each row of Y costs a pass over all bodies.
 */
#include "formulations/recursive/recursive.h"

/* of the rows in the matrix of the tree, relative to the inertia that they feel */
static const double penalty = 1e6;

/* rows that count as closed, and a change that counts as none, relative to the size of the accelerations */
static const double closed = 1e-13, settled = 1e-12;

/* r += W (a - a*) */
static void add_forces(hk_recursive *f, const double *a, double *r) {
  hk_tree *s = f->s;
  for (int32_t i = 0; i < s->m->nv; i++) f->b[i] = a[i] - f->as[i];
  if (hki_deep_closes(s)) {
    hki_deep_mul_forces(s, f->b, r);
    return;
  }
  hki_ldl_mul(s->ldl, &s->num, f->W, f->b, f->x0);
  for (int32_t i = 0; i < s->m->nv; i++) r[i] += f->x0[i];
}

/* num.val += W, which is kept, and the terms of the border */
static void add_stage(hk_recursive *f) {
  hk_tree *s = f->s;
  const double cC = f->st.cv / f->st.ca, cK = 1.0 / f->st.ca;
  if (hki_deep_closes(s)) {
    hki_tree_add_forces(s, cC, cK);
    return;
  }
  const int32_t n = hki_ldl_value_count(s->ldl);
  memcpy(f->W, s->num.val, (size_t)n * sizeof *f->W);
  memcpy(s->a, f->as, (size_t)s->m->nv * sizeof *s->a);
  if (f->exact)
    hki_tree_add_whole(s, cC, cK, s->lam);
  else
    hki_tree_add_forces(s, cC, cK);
  for (int32_t i = 0; i < n; i++) f->W[i] = s->num.val[i] - f->W[i];
}

/* M, or M + W of a stage, with the penalties of the closures, factorised */
static hk_status factor_matrix(hk_recursive *f, bool stage) {
  hk_tree *s = f->s;
  hki_tree_mass(s);
  if (stage) add_stage(f);
  if (f->nr) {
    hki_tree_penalty(s, penalty, 1.0);
    hki_tree_add_closures(s, 1.0);
  }
  return hki_tree_factor(s) == HK_OK ? HK_OK : HK_E_SINGULAR;
}

/* x = (M + E)^-1 b, or by the matrix, with its loops; few: many zeros in b */
static void solve_tree(hk_recursive *f, const double *b, double *x, bool few) {
  if (f->matrix) {
    if (x != b) memcpy(x, b, (size_t)f->s->m->nv * sizeof *x);
    hki_tree_solve(f->s, x);
  } else if (few) {
    hki_aba_solve_few(&f->aba, &f->s->kin, b, x);
  } else {
    hki_aba_solve(&f->aba, &f->s->kin, b, x);
  }
}

/* Y, alpha and C */
static hk_status factor_rows(hk_recursive *f) {
  hk_tree *s = f->s;
  const hk_model *m = s->m;
  memset(s->row, 0, (size_t)m->nrows * sizeof *s->row);
  hki_tree_reach(s);
  memcpy(f->gz, s->kin.gz, (size_t)s->kin.gz0[m->nc] * sizeof *f->gz);
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

/* M + E (E NULL: none) with the rows of the loops at the present state; or the matrix, of a stage where
 * W belongs to it */
hk_status hki_recursive_factor(hk_recursive *f, const double *E, bool stage) {
  hk_tree *s = f->s;
  const hk_model *m = s->m;
  f->matrix = f->sparse && (stage || m->nc);
  f->stage = f->matrix && stage;
  f->nr = 0;
  for (int32_t c = 0; c < m->nc; c++)
    for (int32_t r = 0; s->kin.disc.active[c] != 0.0 && r < m->closures[c].nrows; r++)
      f->act[f->nr++] = m->closures[c].row0 + r;
  if (f->matrix) return factor_matrix(f, stage);
  hki_aba_factor(&f->aba, s, E);
  if (!f->nr) return hki_aba_is_soft(&f->aba) ? HK_E_SINGULAR : HK_OK;
  return factor_rows(f);
}

/* x -= T^-1 Phi_z' alpha y, with the Phi_z that T has been made of: the penalties make T stiff in its
 * rows and in no others */
static void step_back(hk_recursive *f, const double *y, double *x) {
  hk_tree *s = f->s;
  for (int32_t i = 0; i < s->m->nrows; i++) s->row[i] = s->alpha[i] * y[i];
  memset(f->b, 0, (size_t)s->m->nv * sizeof *f->b);
  hki_tree_add_factored(s, s->row, f->b);
  hki_tree_solve(s, f->b);
  for (int32_t i = 0; i < s->m->nv; i++) x[i] -= f->b[i];
}

/* x -= Y C^-1 y, y: f->nr rows, overwritten */
static void take_rows(hk_recursive *f, double *y, double *x) {
  const int32_t nv = f->s->m->nv;
  hki_dense_ldl_solve(f->nr, f->C, f->ld, f->inv, y, f->work);
  for (int32_t i = 0; i < f->nr; i++)
    for (int32_t j = 0; j < nv; j++) x[j] -= y[i] * f->Y[(size_t)i * (size_t)nv + (size_t)j];
}

void hki_recursive_close_rows(hk_recursive *f, const double *b, double *x) {
  hk_tree *s = f->s;
  hki_tree_rows(s, x, s->row);
  if (f->matrix) {
    for (int32_t i = 0; b && i < s->m->nrows; i++) s->row[i] += b[i];
    step_back(f, s->row, x);
    return;
  }
  for (int32_t i = 0; i < f->nr; i++) f->w[i] = s->row[f->act[i]] + (b ? b[f->act[i]] : 0.0);
  take_rows(f, f->w, x);
}

/* largest scaled row of Phi_z x + b */
double hki_recursive_rows_left(hk_recursive *f, const double *b, const double *x) {
  hk_tree *s = f->s;
  hki_tree_rows(s, x, s->row);
  for (int32_t i = 0; i < s->m->nrows; i++) s->row[i] += b[i];
  return hki_tree_row_norm(s, s->row);
}

/* x = (M + E)^-1 x with the rows closed, for the border */
void hki_recursive_solve_closed(void *with, double *x) {
  hk_recursive *f = with;
  solve_tree(f, x, x, true);
  if (f->nr && !f->matrix) hki_recursive_close_rows(f, NULL, x);
}

/* y = T^-1 G' p, Bp = G y, with the rows G that T, or its complement C, has been made of. The rows that are being closed are
 * in s->row, which stays as it is. */
static void respond(void *with, const double *p, double *y, double *Bp) {
  hk_recursive *f = with;
  hk_tree *s = f->s;
  const double *gz = f->matrix ? s->gz : f->gz;
  memset(y, 0, (size_t)s->m->nv * sizeof *y);
  hki_kin_add_rows(&s->kin, gz, p, y);
  solve_tree(f, y, y, true);
  if (!f->matrix) {
    hki_kin_rows_of(&s->kin, gz, y, Bp);
    for (int32_t i = 0; i < f->nr; i++) f->w[i] = Bp[f->act[i]];
    take_rows(f, f->w, y);
  }
  hki_kin_rows_of(&s->kin, gz, y, Bp);
}

hk_status hki_recursive_close_slow(hk_recursive *f, double with_lam, double *x) {
  return hki_tree_close_by(f->s, respond, f, 1.0, with_lam, f->s->row, x);
}

/* the rows of a, of scaled size `size`, and its multipliers, where passes left them open because they nearly depend on each
 * other */
static hk_status close_slow(hk_recursive *f, double size, double *a) {
  const double left = hki_recursive_rows_left(f, f->s->kin.gamma, a);
  return hki_tree_is_slow(left, size) ? hki_recursive_close_slow(f, 1.0, a) : HK_OK;
}

/* s->row = alpha (Phi_z a + gamma) + lam; returns the largest scaled row of Phi_z a + gamma */
static double load_rows(hk_recursive *f, const double *a) {
  hk_tree *s = f->s;
  hki_tree_rows(s, a, s->row);
  for (int32_t i = 0; i < s->m->nrows; i++) s->row[i] += s->kin.gamma[i];
  const double left = hki_tree_row_norm(s, s->row);
  for (int32_t i = 0; i < s->m->nrows; i++) s->row[i] = s->alpha[i] * s->row[i] + s->lam[i];
  return left;
}

/* a += x0 of T x0 = -r; lam = s->row + alpha Phi_z x0. *change, *size: largest scaled entries of x0, a */
static hk_status step_matrix(hk_recursive *f, const double *r, double *a, double *change,
                             double *size) {
  hk_tree *s = f->s;
  for (int32_t i = 0; i < s->m->nv; i++) f->x0[i] = -r[i];
  hki_tree_solve(s, f->x0);
  hki_tree_rows(s, f->x0, s->lam_step);
  for (int32_t i = 0; i < s->m->nrows; i++) s->lam[i] = s->row[i] + s->alpha[i] * s->lam_step[i];
  *change = *size = 0.0;
  for (int32_t i = 0; i < s->m->nv; i++) {
    const double x = fabs(f->x0[i]) * s->unscale[i], y = fabs(a[i] += f->x0[i]) * s->unscale[i];
    if (x > *change) *change = x;
    if (!(y <= *size)) *size = y;
  }
  return isfinite(*size) ? HK_OK : HK_RETRY;
}

/* a by the matrix that has the penalties in it, from the a and lam given. A solution with T leaves
 * nothing but Phi_z' alpha (Phi_z a + gamma) of the residual, so that further ones need the rows
 * alone; after a large one round-off, as many times larger as the penalties are stiff, is removed by the
 * true residual first. */
static hk_status solve_loops(hk_recursive *f, double *a) {
  hk_tree *s = f->s;
  const int32_t nv = s->m->nv;
  double change = INFINITY, size = 0.0, before = INFINITY, open = INFINITY;
  for (int pass = 0; pass < 40; pass++) {
    const double left = load_rows(f, a);
    open = left;
    if (change > 1e-3 * (1.0 + size) && pass < 3) {
      hki_tree_residual(s, a, s->r);
      if (f->stage) add_forces(f, a, s->r);
      hki_tree_add_rows(s, s->row, s->r);
    } else {
      if (left <= closed * (1.0 + size) || (pass > 3 && left > 0.5 * before)) break;
      before = left;
      memset(s->r, 0, (size_t)nv * sizeof *s->r);
      for (int32_t i = 0; i < s->m->nrows; i++) s->lam_step[i] = s->row[i] - s->lam[i];
      hki_tree_add_rows(s, s->lam_step, s->r);
    }
    const hk_status st = step_matrix(f, s->r, a, &change, &size);
    if (st != HK_OK) return st;
  }
  if (HK_CLOSES_SLOW && open > closed * (1.0 + size)) return close_slow(f, size, a);
  return HK_OK;
}

/* a: accelerations with the present factors, iterated on the true residual, with E and the border of
 * inputs where they are in them; known: s->r is the residual at a* already, and there are no loops */
hk_status hki_recursive_solve_accel(hk_recursive *f, bool own, bool border, bool known, double *a) {
  hk_tree *s = f->s;
  const hk_model *m = s->m;
  double before = INFINITY, last = 0.0, whole = 0.0;
  const bool loops = f->matrix && f->nr && !border;
  if (known || (loops && f->stage))
    memcpy(a, f->as, (size_t)m->nv * sizeof *a);
  else
    memset(a, 0, (size_t)m->nv * sizeof *a);
  if (!loops || !f->stage) memset(s->lam, 0, (size_t)m->nrows * sizeof *s->lam);
  if (loops) return solve_loops(f, a);
  if (border) hki_border_start(&s->border);
  int passes = f->nr ? 40 : 1;
  for (int pass = 0; pass < passes; pass++) {
    double change = 0.0, size = 0.0;
    if (!known || pass) hki_tree_residual(s, a, s->r);
    hki_tree_rows(s, a, s->row);
    for (int32_t i = 0; i < m->nrows; i++)
      s->row[i] = s->alpha[i] * (s->row[i] + s->kin.gamma[i]) + s->lam[i];
    hki_tree_add_rows(s, s->row, s->r);
    if (own) hki_own_add(&f->own, &f->aba, a, f->as, s->r);
    if (f->stage) add_forces(f, a, s->r);
    if (border && !known) hki_border_load(&s->border, s->r);
    for (int32_t i = 0; i < m->nv; i++) f->b[i] = -s->r[i];
    solve_tree(f, f->b, f->x0, false);
    memcpy(s->lam_step, s->row, (size_t)m->nrows * sizeof *s->row);
    if (f->nr && !f->matrix) hki_recursive_close_rows(f, NULL, f->x0);
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
    last = change, whole = size;
    if (change <= settled * (1.0 + size) || (pass > 3 && change > 0.5 * before)) break;
    before = change;
  }
  if (HK_CLOSES_SLOW && f->nr && last > settled * (1.0 + whole)) return close_slow(f, whole, a);
  return HK_OK;
}
