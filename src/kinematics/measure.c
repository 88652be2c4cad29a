/* SPDX-License-Identifier: Apache-2.0
 *
 * measure.c: coordinates of the tree from the motion of its bodies. Each joint measures its
 * coordinates and rates between its markers A and B. Its accelerations v' solve
 *
 *   S v' + c = (alpha, a)       acceleration of marker B relative to A, in the axes of A
 *
 * with S and c of the joint's tree motion (joints/joint.h).
 */
#include "kinematics/kin.h"

/* acceleration of B as seen from A, in A's axes */
static void relative_acceleration(const hk_frame *A, const hk_frame *B, const double *aA,
                                  const double *aB, double *rel) {
  double w[3], d[3], u[3], x[3], t[3], c[3];
  v3_sub(w, B->w, A->w);
  v3_sub(x, aB, aA);
  v3_cross(t, A->w, w);
  v3_sub(x, x, t);
  m3_tmulv(rel, A->R, x);
  v3_sub(d, B->p, A->p);
  v3_sub(u, B->v, A->v);
  v3_cross(t, A->w, d);
  v3_sub(u, u, t);
  v3_sub(x, aB + 3, aA + 3);
  v3_cross(c, aA, d);
  v3_sub(x, x, c);
  v3_cross(c, A->w, t);
  v3_sub(x, x, c);
  v3_cross(t, A->w, u);
  v3_axpy(x, -2.0, t);
  m3_tmulv(rel + 3, A->R, x);
}

/* Least-squares solution x of S x = y with k <= 6 columns of 6 numbers, by normal equations; the
 * columns of a joint are independent. Linear parts are divided by `length`, m. */
static void solve_columns(const double *S, const double *y, int32_t k, double length, double *x) {
  double G[6][7], w[6] = {1, 1, 1};
  for (int i = 3; i < 6; i++) w[i] = 1.0 / (length * length);
  for (int32_t i = 0; i < k; i++) {
    for (int32_t j = 0; j < k; j++) {
      G[i][j] = 0.0;
      for (int r = 0; r < 6; r++) G[i][j] += w[r] * S[6 * i + r] * S[6 * j + r];
    }
    G[i][k] = 0.0;
    for (int r = 0; r < 6; r++) G[i][k] += w[r] * S[6 * i + r] * y[r];
  }
  for (int32_t p = 0; p < k; p++)
    for (int32_t i = p + 1; i < k; i++) {
      double f = G[p][p] != 0.0 ? G[i][p] / G[p][p] : 0.0;
      for (int32_t j = p; j <= k; j++) G[i][j] -= f * G[p][j];
    }
  for (int32_t p = k - 1; p >= 0; p--) {
    double sum = G[p][k];
    for (int32_t j = p + 1; j < k; j++) sum -= G[p][j] * x[j];
    x[p] = G[p][p] != 0.0 ? sum / G[p][p] : 0.0;
  }
}

void hki_kin_measure(const hk_model *m, int32_t body, const hk_frame *A, const hk_frame *B,
                     const double *aA, const double *aB, const double *qlast, double *qt,
                     double *vt, double *at) {
  const hk_model_body *b = &m->bodies[body];
  hk_joint_tree jt;
  double rel[6];
  b->ops->measure(b->par, A, B, qlast + b->q0, qt + b->q0, vt + b->v0);
  b->ops->tree(b->par, qt + b->q0, vt + b->v0, &jt);
  relative_acceleration(A, B, aA, aB, rel);
  for (int i = 0; i < 6; i++) rel[i] -= jt.c[i];
  solve_columns(jt.S, rel, b->nv, m->length, at + b->v0);
}
