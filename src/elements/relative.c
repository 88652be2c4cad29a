/* SPDX-License-Identifier: Apache-2.0
 *
 * relative.c: the pose of one frame seen from another, with its rows and second derivatives; see
 * relative.h.
 */
#include "elements/relative.h"

#include "elements/pair.h"
#include "elements/tangent.h"

/* c(y) and its derivative; closed form where it does not cancel */
static void log_series(double y, double *c, double *c1) {
  if (y < 0.04) {
    // z/2 cot(z/2) = 1 - y/12 - y^2/720 - y^3/30240 - y^4/1209600 - y^5/47900160 - ...
    *c = 1.0 / 12 + y * (1.0 / 720 + y * (1.0 / 30240 + y * (1.0 / 1209600 + y / 47900160)));
    *c1 = 1.0 / 720 + y * (2.0 / 30240 + y * (3.0 / 1209600 + y * 4.0 / 47900160));
  } else {
    double z = sqrt(y), t = tan(0.5 * z), g = 0.5 * z / t, sn = sin(0.5 * z);
    *c = (1.0 - g) / y;
    // dg/dy = (1/(2z)) (1/(2t) - z/(4 sin^2))
    double dg = (0.5 / t - 0.25 * z / (sn * sn)) / (2.0 * z);
    *c1 = (-dg - *c) / y;
  }
}

void hki_relative(const hk_frame *A, const hk_frame *B, const double *near, hk_relative *b) {
  double Q[9], wd[3];
  v3_sub(b->d, B->p, A->p);
  v3_sub(b->wr, B->w, A->w);
  v3_sub(b->u, B->v, A->v);
  v3_cross(wd, A->w, b->d);
  v3_sub(b->u, b->u, wd);
  m3_tmulv(b->s, A->R, b->d);
  m3_tmulv(b->sd, A->R, b->u);
  m3_tmul(Q, A->R, B->R);
  hki_rot_log_near(b->s + 3, Q, near);
  m3_tmulv(b->y, A->R, b->wr);

  // L = I - [phi]/2 + c [phi]^2
  const double *phi = b->s + 3;
  double S[9], SS[9];
  log_series(v3_dot(phi, phi), &b->c, &b->c1);
  m3_skew(S, phi);
  m3_mul(SS, S, S);
  for (int i = 0; i < 9; i++) b->L[i] = (i % 4 == 0) - 0.5 * S[i] + b->c * SS[i];
  m3_mulv(b->sd + 3, b->L, b->y);
}

/* D = d(L(-sign phi) a)/dphi: sign = +1 for L' a, -1 for L a */
static void log_second(const hk_relative *b, double sign, const double *a, double *D) {
  const double *phi = b->s + 3;
  double r[3], q[3], pa = v3_dot(phi, a), S[9];
  v3_cross(r, phi, a);
  v3_cross(q, phi, r);
  m3_skew(S, a);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      D[3 * i + j] = -0.5 * sign * S[3 * i + j] + 2.0 * b->c1 * q[i] * phi[j] +
                     b->c * ((i == j) * pa + phi[i] * a[j] - 2.0 * a[i] * phi[j]);
}

void hki_relative_rows(const hk_relative *b, const hk_frame *A, double *B, double *P) {
  double T[9], S[9], LT[9], X[9];
  memset(B, 0, 6 * HK_BS * sizeof *B);
  m3_transpose(T, A->R);
  m3_mul(LT, b->L, T);

  // B: displacements, rotations
  m3_skew(S, b->d);
  m3_mul(X, T, S);
  hki_add_block(B, 0, 0, 1.0, X);
  hki_add_block(B, 0, 3, -1.0, T);
  hki_add_block(B, 0, 9, 1.0, T);
  hki_add_block(B, 3, 0, -1.0, LT);
  hki_add_block(B, 3, 6, 1.0, LT);

  if (!P) return;

  // P: d(xdot) = R'([u] thA - [wA] dd)
  memset(P, 0, 6 * HK_BS * sizeof *P);
  m3_skew(S, b->u);
  m3_mul(X, T, S);
  hki_add_block(P, 0, 0, 1.0, X);
  m3_skew(S, A->w);
  m3_mul(X, T, S);
  hki_add_block(P, 0, 3, 1.0, X);
  hki_add_block(P, 0, 9, -1.0, X);

  // d(phidot) = d(L y)/dphi dphi + L R'[wr] thA
  double D[9];
  log_second(b, -1.0, b->y, D);
  m3_mul(X, D, LT);
  hki_add_block(P, 3, 0, -1.0, X);
  hki_add_block(P, 3, 6, 1.0, X);
  m3_skew(S, b->wr);
  m3_mul(X, LT, S);
  hki_add_block(P, 3, 0, 1.0, X);
}

void hki_relative_geometric(const hk_relative *b, const hk_frame *A, const double *f, double *K) {
  double F[3], G[3], g[3], S[9], W[9], X[9];

  // displacement rows of B'f: (-d x F, -F) on A, (0, F) on B, F = R_A f
  m3_mulv(F, A->R, f);
  m3_skew(S, b->d), m3_skew(W, F);
  m3_mul(X, S, W);
  hki_add_block(K, 0, 0, 1.0, X);
  hki_add_skew(K, 0, 3, -1.0, F);
  hki_add_skew(K, 0, 9, 1.0, F);
  hki_add_skew(K, 3, 0, 1.0, F);
  hki_add_skew(K, 9, 0, -1.0, F);

  // rotation rows of B'f: -G on A, G on B, G = R_A L' f;  dG = -[G] thA + R_A d(L'f)/dphi dphi
  double D[9], T[9], LT[9], Y[9];
  m3_tmulv(g, b->L, f + 3);
  m3_mulv(G, A->R, g);
  log_second(b, 1.0, f + 3, D);
  m3_transpose(T, A->R);
  m3_mul(LT, b->L, T);
  m3_mul(Y, D, LT);
  m3_mul(X, A->R, Y);
  hki_add_skew(K, 0, 0, 1.0, G);
  hki_add_skew(K, 6, 0, -1.0, G);
  hki_add_block(K, 0, 0, 1.0, X);
  hki_add_block(K, 0, 6, -1.0, X);
  hki_add_block(K, 6, 0, -1.0, X);
  hki_add_block(K, 6, 6, 1.0, X);
}
