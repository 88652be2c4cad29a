/* SPDX-License-Identifier: Apache-2.0
 *
 * pencil.c: accelerations of a stage by one solution, and the matrices of their linearisation, for
 * Runge-Kutta methods that iterate several stages with one matrix.
 *
 *   (M + Phi_z' alpha Phi_z) a = Q - Phi_z' (alpha gamma + lam_i)            (1)
 *   lam_i += alpha (Phi_z a + gamma)                                         (2, at index 1)
 *
 *   A = M + Phi_z' alpha Phi_z                                               (19)
 *   C = -dQ/dv + Phi_z' alpha dPhi_z/dt,   K = -dQ/dz                        (21)
 *   T = A + g C + g^2 K                                                      (24), g: gamma h
 *
 * lam_i: multipliers of stage i. dPhi_z/dt is the central difference of Phi_z along the motion. The
 * material tangents of forces are used, and inputs that read other coordinates are left out.
 *
 * Source: Dopico, Lugris, Gonzalez and Cuadrado 2005, On the aptitude of IRK integrators for the
 * real-time dynamics of multibody systems; numbers in brackets are its equations.
 */
#include "machines/tree/deep.h"

/* half the time between the two Jacobians, as a share of g: far above round-off, far below a step */
static const double share = 1e-3;

static int32_t gradient_size(const hk_tree *s) { return s->kin.gz0[s->m->nc]; }

static hk_status closure_entries(hk_tree *s, hk_tree_pencil *p) {
  const hk_model *m = s->m;
  int32_t count = 0;
  for (int32_t c = 0; c < m->nc; c++) count += m->closures[c].path.n * m->closures[c].path.n;
  p->entry = hki_pool_alloc(s->pool, (size_t)(count + 1) * sizeof *p->entry);
  if (!p->entry) return HK_E_MEMORY;
  for (int32_t c = 0, k = 0; c < m->nc; c++) {
    const hk_path *path = &m->closures[c].path;
    for (int32_t i = 0; i < path->n; i++)
      for (int32_t j = 0; j < path->n; j++)
        p->entry[k++] = hki_pencil_entry(&p->p, path->dof[i], path->dof[j]);
  }
  return HK_OK;
}

hk_status hki_tree_pencil_create(hk_tree *s, int32_t stages, hk_tree_pencil *p) {
  if (p->rows) return HK_OK;
  if (hki_deep_closes(s)) hki_deep_destroy(s); // its matrices are those of the tree
  hk_status st = hki_tree_matrix(s);
  if (st == HK_OK) st = hki_pencil_create(s->ctx, s->ldl, false, &p->p);
  if (st == HK_OK) st = closure_entries(s, p);
  if (st != HK_OK) return st;
  p->lam = hki_pool_alloc(s->pool, (size_t)(stages * s->m->nrows + 1) * sizeof *p->lam);
  p->rows = hki_pool_alloc(s->pool, (size_t)(gradient_size(s) + 1) * sizeof *p->rows);
  p->q = hki_pool_alloc(s->pool, (size_t)(s->m->nq + 1) * sizeof *p->q);
  return p->lam && p->rows && p->q ? HK_OK : HK_E_MEMORY;
}

void hki_tree_pencil_destroy(hk_tree_pencil *p) { hki_pencil_destroy(&p->p); }

/* positions and velocities s->q, s->v of the increment D and its rate w */
static void place(hk_tree *s, const double *q0, const double *D, const double *w) {
  hki_tree_plus(s->m, q0, D, s->q);
  hki_tree_chart_velocity(s, D, w, s->v);
}

/* p->rows += x Phi_z at s->q (+) dt s->v, in the coordinates of s->q */
static void add_jacobian(hk_tree *s, hk_tree_pencil *p, double t, double dt, double x) {
  const hk_model *m = s->m;
  double *D = s->x, *row = s->y, *out = p->rows;
  for (int32_t i = 0; i < m->nv; i++) D[i] = dt * s->v[i];
  hki_tree_plus(m, s->q, D, p->q);
  hki_kin_state(&s->kin, t + dt, p->q, s->v);
  if (m->spec->nsignals) hki_kin_signals(&s->kin, false);
  hki_kin_closures(&s->kin);
  memset(row, 0, (size_t)m->nv * sizeof *row);
  for (int32_t c = 0; c < m->nc; c++) {
    const hk_path *path = &m->closures[c].path;
    const double *gz = s->kin.gz + s->kin.gz0[c];
    if (s->kin.disc.active[c] == 0.0) {
      out += m->closures[c].nrows * path->n;
      continue;
    }
    for (int32_t r = 0; r < m->closures[c].nrows; r++, gz += path->n, out += path->n) {
      for (int32_t j = 0; j < path->n; j++) row[path->dof[j]] = gz[j];
      hki_tree_chart_pull(s, D, row);
      for (int32_t j = 0; j < path->n; j++) out[j] += x * row[path->dof[j]];
      for (int32_t j = 0; j < path->n; j++) row[path->dof[j]] = 0.0;
    }
  }
}

void hki_tree_pencil_state(hk_tree *s, hk_tree_pencil *p, double t, const double *q0,
                           const double *D, const double *w, double g) {
  const double dt = share * g;
  place(s, q0, D, w);
  memset(p->rows, 0, (size_t)gradient_size(s) * sizeof *p->rows);
  if (s->m->nc) {
    add_jacobian(s, p, t, dt, 0.5 / dt);
    add_jacobian(s, p, t, -dt, -0.5 / dt);
  }
  hki_tree_state(s, t, s->q, s->v, HK_FORCES_TANGENT);
}

/* C += Phi_z' alpha dPhi_z/dt */
static void add_turning(const hk_tree *s, hk_tree_pencil *p) {
  const hk_model *m = s->m;
  const int32_t *entry = p->entry;
  for (int32_t c = 0; c < m->nc; c++) {
    const int32_t n = m->closures[c].path.n;
    const double *gz = s->kin.gz + s->kin.gz0[c], *rows = p->rows + s->kin.gz0[c];
    const double *alpha = s->alpha + m->closures[c].row0;
    for (int32_t r = 0; s->kin.disc.active[c] != 0.0 && r < m->closures[c].nrows; r++)
      for (int32_t i = 0; i < n; i++) {
        const double x = alpha[r] * gz[r * n + i];
        for (int32_t j = 0; j < n; j++) p->p.C[entry[i * n + j]] += x * rows[r * n + j];
      }
    entry += n * n;
  }
}

hk_status hki_tree_pencil_factor(hk_tree *s, hk_tree_pencil *p, double g) {
  hki_tree_add_closures(s, 1.0);
  hki_pencil_take(&p->p, s->num.val, p->p.A);
  hki_ldl_zero(s->ldl, &s->num);
  hki_tree_add_forces(s, 1.0, 0.0);
  hki_pencil_take(&p->p, s->num.val, p->p.C);
  hki_ldl_zero(s->ldl, &s->num);
  hki_tree_add_forces(s, 0.0, 1.0);
  hki_pencil_take(&p->p, s->num.val, p->p.K);
  add_turning(s, p);
  return hki_pencil_factor(&p->p, g) == HK_OK ? HK_OK : HK_RETRY;
}

hk_status hki_tree_pencil_rates(hk_tree *s, hk_tree_pencil *p, int32_t stage, bool first, double t,
                                const double *q0, const double *D, const double *w, double *wd) {
  const hk_model *m = s->m;
  double *lam = p->lam + stage * m->nrows;
  if (first) memcpy(lam, s->lam, (size_t)m->nrows * sizeof *lam);
  place(s, q0, D, w);
  hki_tree_state(s, t, s->q, s->v, 0);
  hki_kin_closure_bias(&s->kin);
  hki_tree_mass(s);
  hki_tree_add_closures(s, 1.0);
  if (hki_tree_factor(s) != HK_OK) return HK_RETRY;
  memset(wd, 0, (size_t)m->nv * sizeof *wd);
  hki_tree_residual(s, wd, s->r);
  for (int32_t i = 0; i < m->nrows; i++) s->row[i] = s->alpha[i] * s->kin.gamma[i] + lam[i];
  hki_tree_add_rows(s, s->row, s->r);
  for (int32_t i = 0; i < m->nv; i++) wd[i] = -s->r[i];
  hki_ldl_solve(s->ldl, &s->num, wd);
  hki_tree_rows(s, wd, s->row);
  for (int32_t i = 0; i < m->nrows && !first; i++)
    lam[i] += s->alpha[i] * (s->row[i] + s->kin.gamma[i]);
  // from accelerations to the second derivative of D
  hki_tree_chart_bend(s, D, w, s->y);
  for (int32_t i = 0; i < m->nv; i++) wd[i] -= s->y[i];
  hki_tree_chart_step(s, D, wd);
  return HK_OK;
}
