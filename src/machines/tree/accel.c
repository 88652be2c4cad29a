/* SPDX-License-Identifier: Apache-2.0
 *
 * accel.c: accelerations of a state, by the augmented Lagrangian at the level of accelerations:
 *
 *   M a - Q + Phi_z' (alpha (Phi_z a + gamma) + lam) = 0,   lam += alpha (Phi_z a + gamma)
 *
 * with the new a in the update (Bayo, Garcia de Jalon and Serna 1988). With penalties of kappa times the inertia each
 * solution leaves 1/kappa of the rows, and its round-off is kappa times that of M. Two solutions with kappa = 1e8
 * leave 1e-16 of both in a, if the second begins with the whole residual; but lam keeps kappa times the round-off of the
 * rows, 1e-8 of its size. Where multipliers are wanted kappa is 1e6, and there are three solutions. Solutions after the
 * second take the rows alone.
 *
 * The residual at a is that at zero and M a; the product takes the entries of M where they are few.
 */
#include <string.h>

#include "machines/tree/tree.h"

/* penalties, times the inertia: for multipliers too, for accelerations alone */
static const double kappa_both = 1e6, kappa_alone = 1e8;

/* y += M x; the entries of a body's columns in the order in which mass.c has their slots */
static void add_mass_mul(const hk_tree *s, const double *x, double *y) {
  const hk_link *link = s->kin.link;
  for (int32_t b = 0; b < s->m->nb; b++) {
    const int32_t *slot = s->slot_mass + s->slot_mass0[b];
    if (!s->kin.loaded[b]) continue;
    for (int32_t j = link[b].v0 + link[b].nv - 1; j >= link[b].v0; j--) {
      const double xj = x[j];
      double sum = s->M[*slot++] * xj;
      int32_t last = j - 1;
      for (int32_t p = b; p != HK_GROUND; p = link[p].parent) {
        if (p != b) last = link[p].v0 + link[p].nv - 1;
        for (int32_t i = last; i >= link[p].v0; i--) {
          const double e = s->M[*slot++];
          sum += e * x[i];
          y[i] += e * xj;
        }
      }
      y[j] += sum;
    }
  }
}

/* a -= T^-1 s->r, and the rows s->row = Phi_z a + gamma with it; *change, *size: largest scaled entries of the step and
 * of a. False: some number is not finite. */
static bool step_accel(hk_tree *s, double *a, double *change, double *size) {
  const hk_model *m = s->m;
  for (int32_t i = 0; i < m->nv; i++) s->y[i] = -s->r[i];
  hki_tree_solve(s, s->y);
  hki_tree_rows(s, s->y, s->lam_step);
  for (int32_t i = 0; i < m->nrows; i++) s->row[i] += s->lam_step[i];
  for (int32_t i = 0; i < m->nv; i++) a[i] += s->y[i];
  *change = hki_tree_largest(m->nv, s->y, s->unscale);
  *size = hki_tree_largest(m->nv, a, s->unscale);
  return isfinite(*size);
}

/* s->r = M a - Q in pass 0, 1, ...; HK_NONE: 0 */
static void residual(hk_tree *s, int pass, const double *a) {
  const size_t bytes = (size_t)s->m->nv * sizeof *s->r;
  if (pass == HK_NONE) {
    memset(s->r, 0, bytes);
  } else if (pass == 0 || !s->nM) {
    hki_tree_residual(s, a, s->r);
    if (pass == 0 && s->nM) memcpy(s->x, s->r, bytes);
  } else {
    memcpy(s->r, s->x, bytes);
    add_mass_mul(s, a, s->r);
  }
}

/* accelerations of the state that s->kin is at, with the factor of T */
static hk_status find(hk_tree *s, double *a) {
  const hk_model *m = s->m;
  double before = INFINITY, change = INFINITY, size = 0.0, open = 0.0;
  memset(a, 0, (size_t)m->nv * sizeof *a);
  memset(s->lam, 0, (size_t)m->nrows * sizeof *s->lam);
  memcpy(s->row, s->kin.gamma, (size_t)m->nrows * sizeof *s->row);
  // A solution leaves nothing but Phi_z' alpha (Phi_z a + gamma) of the residual; after a large one its round-off, as
  // many times larger as the penalties are stiff, is removed by the residual itself. Normal forces of friction read the
  // forces of the last residual.
  for (int pass = 0; pass < 12; pass++) {
    const bool whole = (change > 1e-3 * size && pass < 3) || m->nnormal;
    const double left = hki_tree_row_norm(s, s->row);
    open = left;
    if ((pass > 2 && left > 0.5 * before) || (!whole && left <= 1e-14 * size)) break;
    before = left;
    for (int32_t i = 0; i < m->nrows; i++) {
      s->lam_step[i] = s->alpha[i] * s->row[i] + (whole ? s->lam[i] : 0.0);
    }
    residual(s, whole ? pass : HK_NONE, a);
    hki_tree_add_rows(s, s->lam_step, s->r);
    if (!step_accel(s, a, &change, &size)) return HK_E_NUMBER;
    for (int32_t i = 0; i < m->nrows; i++) s->lam[i] += s->alpha[i] * s->row[i];
    if (m->nnormal && pass > 0 && left <= 1e-12 * (1.0 + size)) break;
  }
  // rows that nearly depend on each other
  if (HK_CLOSES_SLOW && hki_tree_is_slow(open, size))
    return hki_tree_close_slow(s, 1.0, 1.0, s->row, a);
  return HK_OK;
}

hk_status hki_tree_accel_here(hk_tree *s, double *a) {
  const hk_status st = hki_tree_factor_mass(s, kappa_both);
  return st == HK_OK ? find(s, a) : st;
}

static void set_state(hk_tree *s, double t, const double *q, const double *v) {
  hki_tree_state(s, t, q, v, 0);
  hki_kin_closure_bias(&s->kin);
}

hk_status hki_tree_accel(hk_tree *s, double t, const double *q, const double *v, double *a) {
  set_state(s, t, q, v);
  return hki_tree_accel_here(s, a);
}

hk_status hki_tree_accel_alone(hk_tree *s, double t, const double *q, const double *v, double *a) {
  set_state(s, t, q, v);
  // bodies without inertia may leave no room for large penalties; normal forces of friction read multipliers
  hk_status st = s->m->nnormal ? HK_E_NUMBER : hki_tree_factor_mass(s, kappa_alone);
  if (st < 0) st = hki_tree_factor_mass(s, kappa_both);
  return st == HK_OK ? find(s, a) : st;
}
