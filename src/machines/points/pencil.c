/* SPDX-License-Identifier: Apache-2.0
 *
 * pencil.c: accelerations of a stage by one solution, and the matrices of their linearisation, for
 * Runge-Kutta methods that iterate several stages with one matrix.
 *
 *   (M + Phi_q' alpha Phi_q) a = Q - Phi_q' (alpha gamma + lam_i)            (1)
 *   lam_i += alpha (Phi_q a + gamma)                                         (2, at index 1)
 *
 *   A = M + Phi_q' alpha Phi_q                                               (19)
 *   C = -dQ/dv + Phi_q' alpha dPhi_q/dt,   K = -dQ/dq                        (21)
 *   T = A + g C + g^2 K                                                      (24), g: gamma h
 *
 * lam_i: multipliers of stage i. dPhi_q/dt is the central difference of Phi_q along the motion,
 * which is exact for rows that are quadratic in q. The material tangents of forces are used, and
 * inputs that read other coordinates are left out.
 *
 * Source: Dopico, Lugris, Gonzalez and Cuadrado 2005, On the aptitude of IRK integrators for the
 * real-time dynamics of multibody systems; numbers in brackets are its equations.
 */
#include "machines/points/points.h"

/* half the time between the two Jacobians, as a share of g: far above round-off, far below a step */
static const double share = 1e-3;

hk_status hki_points_pencil_create(hk_points *n, int32_t stages, hk_points_pencil *p) {
  int32_t size = 0, pairs = 0;
  if (p->rows) return HK_OK;
  hk_status st = hki_pencil_create(n->ctx, n->ldl, false, &p->p);
  if (st != HK_OK) return st;
  for (int32_t i = 0; i < n->nrows; i++) {
    size += n->line[i].linear ? 0 : n->line[i].n;
    pairs += n->line[i].linear ? 0 : n->line[i].n * n->line[i].n;
  }
  p->lam = hki_pool_alloc(n->pool, (size_t)(stages * n->nrows + 1) * sizeof *p->lam);
  p->q = hki_pool_alloc(n->pool, (size_t)(n->n + 1) * sizeof *p->q);
  p->entry = hki_pool_alloc(n->pool, (size_t)(pairs + 1) * sizeof *p->entry);
  p->rows = hki_pool_alloc(n->pool, (size_t)(size + 1) * sizeof *p->rows);
  p->nrows = size;
  if (!p->lam || !p->q || !p->entry || !p->rows) return HK_E_MEMORY;
  for (int32_t r = 0, k = 0; r < n->nrows; r++) {
    const hk_points_line *l = &n->line[r];
    for (int32_t i = 0; !l->linear && i < l->n; i++)
      for (int32_t j = 0; j < l->n; j++)
        p->entry[k++] = hki_pencil_entry(&p->p, l->idx[i], l->idx[j]);
  }
  return HK_OK;
}

void hki_points_pencil_destroy(hk_points_pencil *p) { hki_pencil_destroy(&p->p); }

/* positions and velocities n->q, n->v of the increment D and its rate w */
static void place(hk_points *n, const double *q0, const double *D, const double *w) {
  for (int32_t i = 0; i < n->n; i++) {
    n->q[i] = q0[i] + D[i];
    n->v[i] = w[i];
  }
}

/* p->rows += x Phi_q at n->q + dt n->v */
static void add_jacobian(hk_points *n, hk_points_pencil *p, double t, double dt, double x) {
  double *out = p->rows;
  for (int32_t i = 0; i < n->n; i++) p->q[i] = n->q[i] + dt * n->v[i];
  // only loop rows need the frames of bodies
  if (n->nloop) hki_points_state(n, t + dt, p->q, n->v);
  hki_points_rows(n, p->q);
  for (int32_t r = 0; r < n->nrows; r++) {
    const hk_points_line *l = &n->line[r];
    for (int32_t i = 0; !l->linear && i < l->n; i++) *out++ += x * l->g[i];
  }
}

void hki_points_pencil_state(hk_points *n, hk_points_pencil *p, double t, const double *q0,
                             const double *D, const double *w, double g) {
  const double dt = share * g;
  place(n, q0, D, w);
  memset(p->rows, 0, (size_t)p->nrows * sizeof *p->rows);
  add_jacobian(n, p, t, dt, 0.5 / dt);
  add_jacobian(n, p, t, -dt, -0.5 / dt);
  hki_points_state(n, t, n->q, n->v);
  hki_points_rows(n, n->q);
  hki_points_forces(n, true, n->r);
}

/* C += Phi_q' alpha dPhi_q/dt */
static void add_turning(const hk_points *n, hk_points_pencil *p) {
  const int32_t *entry = p->entry;
  const double *rows = p->rows;
  for (int32_t r = 0; r < n->nrows; r++) {
    const hk_points_line *l = &n->line[r];
    if (l->linear) continue;
    for (int32_t i = 0; i < l->n; i++) {
      const double x = n->alpha[r] * l->g[i];
      for (int32_t j = 0; j < l->n; j++) p->p.C[*entry++] += x * rows[j];
    }
    rows += l->n;
  }
}

hk_status hki_points_pencil_factor(hk_points *n, hk_points_pencil *p, double g) {
  hki_points_matrix(n, false, 0.0, 0.0, 1.0);
  hki_pencil_take(&p->p, n->num.val, p->p.A);
  hki_ldl_zero(n->ldl, &n->num);
  hki_points_add_forces(n, 1.0, 0.0);
  hki_pencil_take(&p->p, n->num.val, p->p.C);
  hki_ldl_zero(n->ldl, &n->num);
  hki_points_add_forces(n, 0.0, 1.0);
  hki_pencil_take(&p->p, n->num.val, p->p.K);
  add_turning(n, p);
  return hki_pencil_factor(&p->p, g) == HK_OK ? HK_OK : HK_RETRY;
}

hk_status hki_points_pencil_rates(hk_points *n, hk_points_pencil *p, int32_t stage, bool first,
                                  double t, const double *q0, const double *D, const double *w,
                                  double *wd) {
  double *lam = p->lam + stage * n->nrows;
  if (first) memcpy(lam, n->lam, (size_t)n->nrows * sizeof *lam);
  place(n, q0, D, w);
  hki_points_state(n, t, n->q, n->v);
  hki_points_rows(n, n->q);
  hki_points_bias(n, n->v);
  hki_points_matrix(n, false, 0.0, 0.0, 1.0);
  if (hki_ldl_factor(n->ldl, &n->num, n->num.val) != HK_OK) return HK_RETRY;
  memset(n->r, 0, (size_t)n->n * sizeof *n->r);
  hki_points_forces(n, false, n->r);
  for (int32_t i = 0; i < n->nrows; i++) n->row[i] = n->alpha[i] * n->gamma[i] + lam[i];
  hki_points_add_rows(n, n->row, n->r);
  for (int32_t i = 0; i < n->n; i++) wd[i] = -n->r[i];
  hki_ldl_solve(n->ldl, &n->num, wd);
  hki_points_mul_rows(n, wd, n->row);
  for (int32_t i = 0; i < n->nrows && !first; i++)
    lam[i] += n->alpha[i] * (n->row[i] + n->gamma[i]);
  return HK_OK;
}
