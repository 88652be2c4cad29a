/* SPDX-License-Identifier: Apache-2.0
 *
 * average.c: interfaces that are the mean motion of their nodes and leave them free: the rigid motion that fits the
 * displacements u_i of n nodes best, all with the same weight. With r_i from their middle c,
 *
 *   u = sum u_i / n,   theta = J^-1 sum r_i x u_i,   J = sum (r.r 1 - r r'),   at p: u + theta x (p - c)
 *
 * Where the nodes do not fix a rotation (a single one, a line) theta is the mean of their own rotations. A load of the
 * interface acts on the nodes by the same weights. Shapes for it: the deflection under a unit load of each direction, less what
 * the modes with fixed interfaces have of it (residual flexibility), so that static loads are met exactly:
 *
 *   K x = w - sum_k M phi_k (phi_k.w)
 *
 * Sources: MSC Nastran, Linear Static Analysis User's Guide, "RBE3"; R. Craig, Structural Dynamics, 1981, section 19.
 */
#include <math.h>
#include <string.h>

#include "flex/links.h"
#include "geometry/geometry.h"

/* how one node enters: rows of W of its translations are u: 1/n, theta: A [r] */
static void add_node(const hk_fe *fe, const double *J, const double *c, const double *p,
                     double part, int32_t d, double *W) {
  const ptrdiff_t n = fe->ndof;
  const int a = fe->comp[d];
  double e[3] = {0}, r[3], m[3], turn[3], arm[3], u[3];
  e[a] = 1.0;
  v3_sub(r, fe->x + 3 * (ptrdiff_t)fe->node[d], c);
  v3_cross(m, r, e);
  m3_mulv(turn, J, m);
  v3_sub(arm, p, c);
  v3_cross(u, turn, arm);
  v3_axpy(u, part, e);
  for (int k = 0; k < 3; k++) W[n * k + d] = u[k], W[n * (3 + k) + d] = turn[k];
}

/* the same of a rotation that is averaged */
static void add_turn(const hk_fe *fe, const double *c, const double *p, double part, int32_t d,
                     double *W) {
  const ptrdiff_t n = fe->ndof;
  double e[3] = {0}, arm[3], u[3];
  e[fe->comp[d] - 3] = part;
  v3_sub(arm, p, c);
  v3_cross(u, e, arm);
  for (int k = 0; k < 3; k++) W[n * k + d] = u[k], W[n * (3 + k) + d] = e[k];
}

hk_status hki_average(hk_ctx *ctx, const hk_fe *fe, const hk_fe_set *set, const double *p,
                      double *W) {
  double c[3], J[9] = {0}, R[9], A[9] = {0};
  bool *in = hki_alloc(ctx, ((size_t)fe->nnode + 1) * sizeof *in);
  if (!in) return HK_E_MEMORY;
  memset(W, 0, 6 * (size_t)fe->ndof * sizeof *W);
  hki_fe_middle(fe, set, c);
  for (int32_t i = 0; i < set->n; i++) in[set->node[i]] = true;
  const double rank = hki_fe_spread(fe, set, c, J, R);
  if (rank > 1e-12) {
    // J is diagonal in the axes R
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++) A[3 * i + j] += R[3 * i + k] * R[3 * j + k] / J[4 * k];
  }
  for (int32_t d = 0; d < fe->ndof; d++) {
    if (!in[fe->node[d]] || fe->comp[d] > 5) continue;
    if (fe->comp[d] < 3)
      add_node(fe, A, c, p, 1.0 / set->n, d, W);
    else if (rank <= 1e-12)
      add_turn(fe, c, p, 1.0 / set->n, d, W);
  }
  hki_free(ctx, in);
  return HK_OK;
}
