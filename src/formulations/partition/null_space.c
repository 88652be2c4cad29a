/* SPDX-License-Identifier: Apache-2.0
 *
 * null_space.c: the differentiable null space. The equations of motion are projected onto the
 * tangent plane of the constraints by an orthonormal basis N that depends smoothly on the state. It
 * is made by Gram-Schmidt orthogonalisation of the pivot rows of Phi_q and, after them, of the unit
 * vectors E of the independent coordinates, which stay the same until the choice changes:
 *
 *   [Phi_q' E] = [Q N] R                                R upper triangular, R_1 its first block
 *   Phi_q N = 0,   N'N = 1
 *
 * with time derivatives carried along; for column a_k of the left side:
 *
 *   s_j  = q_j' a_k                                     for all earlier columns j
 *   ds_j = dq_j' a_k + q_j' da_k
 *   x    = a_k - sum_j s_j q_j
 *   dx   = da_k - sum_j (ds_j q_j + s_j dq_j)
 *   q_k  = x/|x|
 *   dq_k = (dx - q_k (q_k' dx))/|x|
 *
 * Velocities and accelerations, without multipliers:
 *
 *   v = N nu + Q c,                      R_1' c  = -Phi_t        c = 0 where Phi_t = 0
 *   a = N dnu + dN nu + dQ c + Q dc,     R_1' dc = -Phi_tt - dR_1' c
 *   N'M N dnu = N' (Q_applied - gyro - M (dN nu + dQ c + Q dc))
 *
 * All of this is scaled (partition.h). Integrators keep velocities in all coordinates: nu belongs
 * to the velocity on the constraints that is nearest in the mass metric, at every evaluation and
 * after a step.
 *
 * Implicit steps would need the derivative of the whole orthogonalisation by all coordinates; like
 * the source, this method has explicit steps only.
 *
 * Source: Liang and Lance, A Differentiable Null Space Method for Constrained Dynamic Analysis,
 * J. Mech. Trans. Aut. Design 109 (1987).
 */
#include "formulations/partition/partition.h"

/* scratch vectors: c, dc, nu, v, dN nu + dQ c + Q dc, dG/dt of the rows (12); then matrices: [Q N],
 * its rate, R, its rate, rate of the scaled rows */
enum { AT_C, AT_DC, AT_NU, AT_V, AT_ALPHA, AT_GRADIENTS, NVECTORS = AT_GRADIENTS + 12 };
enum { AT_Q, AT_DQ, AT_R, AT_DR, AT_DROWS, NMATRICES };

static double *vector(const hk_partition *p, int k) { return p->scratch + k * p->big; }
static double *matrix(const hk_partition *p, int k) {
  return p->scratch + (NVECTORS + k * p->big) * p->big;
}

/* --- time derivative of the rows -------------------------------------------------------------- */

/* out = dG/dt of one row and body, G = (g_theta + r x g_p, g_p) with its rotational part in body
 * axes; g, gd: gradient at marker F and its rate */
static void row_rate(const hk_partition *p, int32_t body, const hk_frame *F, const double *g,
                     const double *gd, double *out) {
  const hk_frame *f = &p->c->it.frame[body];
  double r[3], u[3], x[6], y[6];
  v3_sub(r, F->p, f->p);
  v3_cross(u, f->w, r);
  s6_wrench_to_origin(x, gd, r);
  v3_cross_add(x, u, g + 3);
  if (!p->c->planar) {
    s6_wrench_to_origin(y, g, r);
    v3_cross(u, f->w, y);
    v3_sub(x, x, u);
  }
  hki_bodies_reduce(p->c, x, out);
}

/* G (as hk_bodies.G): dG/dt of the rows of a set */
static void set_rates(hk_partition *p, const hk_bodies_set *s, double *G) {
  hk_bodies *c = p->c;
  hk_joint_loop L;
  hk_joint_coord x;
  hk_frame F[2];
  double V[12], H[144], gd[12];
  if (s->is_coord)
    hki_bodies_scalar(c, &s->coord, &x, F);
  else
    hki_bodies_set_frames(c, s, F);
  if (!s->is_coord) s->ops->loop(s->par, &F[0], &F[1], HK_LOOP_JAC, &L);
  for (int j = 0; j < 6 && s->coupling; j++)
    x.gA[j] *= c->slope[s->line0], x.gB[j] *= c->slope[s->line0];
  for (int k = 0; k < 2; k++) v3_copy(V + 6 * k, F[k].w), v3_copy(V + 6 * k + 3, F[k].v);
  for (int32_t i = 0; i < s->nrows; i++) {
    const double *gA = s->is_coord ? x.gA : L.GA + 6 * s->rows[i];
    const double *gB = s->is_coord ? x.gB : L.GB + 6 * s->rows[i];
    double unit[6] = {0};
    unit[i] = 1.0;
    hki_bodies_set_geo(c, s, F, unit, false, H);
    for (int e = 0; e < 12; e++) {
      gd[e] = 0.0;
      for (int j = 0; j < 12; j++) gd[e] += H[12 * e + j] * V[j];
    }
    for (int k = 0; k < 2; k++)
      if (s->body[k] != HK_GROUND)
        row_rate(p, s->body[k], &F[k], k ? gB : gA, gd + 6 * k,
                 G + (2 * (s->line0 + i) + k) * c->nd);
  }
}

/* what the changing slopes of the coupling whose first set is i add to dG/dt */
static void coupling_rates(const hk_bodies *c, int32_t i, double *G) {
  const hk_bodies_set *s = &c->set[i];
  double v[HK_COUPLED], vd[HK_COUPLED], fd[HK_COUPLED];
  hki_bodies_coupled(c, i, v, vd);
  hki_coupling_slope_rates(&c->it, s->coupling, v, vd, NULL, fd);
  for (int32_t k = 0; k < s->coupling->n; k++)
    for (int32_t j = 2 * c->nd * (s->line0 + k); j < 2 * c->nd * (s->line0 + k + 1); j++)
      G[j] += fd[k] * c->plain[j];
}

/* AT_DROWS: time derivative of the scaled rows at the present velocities */
static void rows_rate(hk_partition *p) {
  double *G = vector(p, AT_GRADIENTS);
  for (int32_t i = 0; i < p->c->nset; i++)
    if (hki_bodies_active(p->c, &p->c->set[i])) set_rates(p, &p->c->set[i], G);
  for (int32_t i = 0; p->c->m->nslope && i < p->c->nset; i++) {
    const hk_bodies_set *s = &p->c->set[i];
    if (s->coupling && !s->part && hki_bodies_active(p->c, s)) coupling_rates(p->c, i, G);
  }
  hki_partition_gather(p, matrix(p, AT_DROWS), G, NULL);
}

/* --- the basis -------------------------------------------------------------------------------- */

/* x -= s q and dx -= ds q + s dq with s = q'x; *r += s, *dr += ds */
static void remove_part(int32_t n, const double *q, const double *dq, double *x, double *dx,
                        double *r, double *dr) {
  double s = 0.0, ds = 0.0;
  for (int32_t i = 0; i < n; i++) {
    s += q[i] * x[i];
    ds += dq[i] * x[i] + q[i] * dx[i];
  }
  for (int32_t i = 0; i < n; i++) {
    x[i] -= s * q[i];
    dx[i] -= ds * q[i] + s * dq[i];
  }
  *r += s;
  *dr += ds;
}

/* x to length one, dx with it; *r, *dr: its length and rate. false: x vanishes */
static bool normalise(int32_t n, double *x, double *dx, double *r, double *dr) {
  double xx = 0.0, xd = 0.0;
  for (int32_t i = 0; i < n; i++) xx += x[i] * x[i];
  const double length = sqrt(xx);
  if (!(length > 1e-12)) return false;
  for (int32_t i = 0; i < n; i++) x[i] /= length, dx[i] /= length;
  for (int32_t i = 0; i < n; i++) xd += x[i] * dx[i];
  for (int32_t i = 0; i < n; i++) dx[i] -= xd * x[i];
  *r = length;
  *dr = xd * length;
  return true;
}

/* [Q N], R and their rates, column-major; false: the rows have lost rank */
static bool orthogonalise(hk_partition *p) {
  const int32_t n = p->n;
  double *Q = matrix(p, AT_Q), *dQ = matrix(p, AT_DQ), *r = matrix(p, AT_R);
  double *dr = matrix(p, AT_DR);
  const double *M = p->vel.M, *dM = matrix(p, AT_DROWS);
  memset(r, 0, (size_t)(n * n) * sizeof *r);
  memset(dr, 0, (size_t)(n * n) * sizeof *dr);
  for (int32_t k = 0; k < n; k++) {
    double *x = Q + k * n, *dx = dQ + k * n;
    memset(dx, 0, (size_t)n * sizeof *dx);
    if (k < p->rank) {
      memcpy(x, M + p->rows[k] * n, (size_t)n * sizeof *x);
      memcpy(dx, dM + p->rows[k] * n, (size_t)n * sizeof *x);
    } else {
      memset(x, 0, (size_t)n * sizeof *x);
      x[p->cols[k]] = 1.0;
    }
    // the second pass removes the round-off of the first
    for (int pass = 0; pass < 2; pass++)
      for (int32_t j = 0; j < k; j++)
        remove_part(n, Q + j * n, dQ + j * n, x, dx, r + j + k * n, dr + j + k * n);
    if (!normalise(n, x, dx, r + k + k * n, dr + k + k * n)) return false;
  }
  return true;
}

/* y = R_1^-T y */
static void solve_lower(const hk_partition *p, double *y) {
  const double *r = matrix(p, AT_R);
  for (int32_t k = 0; k < p->rank; k++) {
    for (int32_t j = 0; j < k; j++) y[k] -= r[j + k * p->n] * y[j];
    y[k] /= r[k + k * p->n];
  }
}

/* out += columns k0 .. k1-1 of B with the weights w */
static void add_columns(const hk_partition *p, const double *B, int32_t k0, int32_t k1,
                        const double *w, double *out) {
  for (int32_t k = k0; k < k1; k++)
    for (int32_t i = 0; i < p->n; i++) out[i] += w[k - k0] * B[k * p->n + i];
}

/* c, nu = N'v and AT_V = N nu + Q c, scaled */
static void tangent_velocity(hk_partition *p, const double *v) {
  const double *Q = matrix(p, AT_Q);
  double *c = vector(p, AT_C), *nu = vector(p, AT_NU), *out = vector(p, AT_V);
  for (int32_t k = 0; k < p->rank; k++) c[k] = -hki_partition_scaled_row(p, k, p->c->phit);
  solve_lower(p, c);
  for (int32_t k = 0; k < p->f; k++) {
    nu[k] = 0.0;
    for (int32_t i = 0; i < p->n; i++) nu[k] += Q[(p->rank + k) * p->n + i] * v[i] / p->c->scale[i];
  }
  memset(out, 0, (size_t)p->n * sizeof *out);
  add_columns(p, Q, 0, p->rank, c, out);
  add_columns(p, Q, p->rank, p->n, nu, out);
}

/* alpha = dN nu + dQ c + Q dc, scaled; Phi_tt = gamma - (dPhi_q/dt) v */
static void moving_part(hk_partition *p, double *alpha) {
  const int32_t n = p->n;
  const double *dQ = matrix(p, AT_DQ), *dr = matrix(p, AT_DR), *dM = matrix(p, AT_DROWS);
  const double *c = vector(p, AT_C), *v = vector(p, AT_V);
  double *dc = vector(p, AT_DC);
  for (int32_t k = 0; k < p->rank; k++) {
    double tt = hki_partition_scaled_row(p, k, p->c->gamma);
    for (int32_t i = 0; i < n; i++) tt -= dM[p->rows[k] * n + i] * v[i];
    dc[k] = -tt;
    for (int32_t j = 0; j <= k; j++) dc[k] -= dr[j + k * n] * c[j];
  }
  solve_lower(p, dc);
  memset(alpha, 0, (size_t)n * sizeof *alpha);
  add_columns(p, dQ, p->rank, n, vector(p, AT_NU), alpha);
  add_columns(p, dQ, 0, p->rank, c, alpha);
  add_columns(p, matrix(p, AT_Q), 0, p->rank, dc, alpha);
}

/* hk_partition_method.particular, at the velocities on the constraints that are nearest to v:
 * stages of explicit methods leave the constraints a little */
static hk_status null_particular(hk_partition *p, double t, const double *q, const double *v,
                                 double *a) {
  const int32_t n = p->n;
  double *x = vector(p, AT_V), *alpha = vector(p, AT_ALPHA);
  memcpy(p->v, v, (size_t)n * sizeof *v);
  hki_partition_nearest(p, &p->vel, p->c->phit, p->v);
  hki_bodies_state(p->c, t, q, p->v);
  hki_bodies_bias(p->c);
  rows_rate(p);
  if (!orthogonalise(p)) return HK_RETRY;
  tangent_velocity(p, p->v);
  moving_part(p, alpha);
  for (int32_t i = 0; i < n; i++) {
    a[i] = alpha[i] * p->c->scale[i];
    p->v[i] = x[i] * p->c->scale[i];
  }
  // accelerations may change along N
  for (int32_t k = 0; k < p->f; k++)
    for (int32_t i = 0; i < n; i++)
      p->vel.P[k * n + i] = matrix(p, AT_Q)[(p->rank + k) * n + i] * p->c->scale[i];
  p->vel.has_gram = false;
  return HK_OK;
}

const hk_partition_method hki_partition_null_space = {
    .onto = hki_partition_nearest,
    .columns = true,
    .particular = null_particular,
    .nvectors = NVECTORS,
    .nmatrices = NMATRICES,
    .refuses = HK_PARTITION_IMPLICIT,
    .why = "method 'null_space' has explicit steps only: implicit ones would need the derivative "
           "of its orthogonalisation",
};
