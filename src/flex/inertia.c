/* SPDX-License-Identifier: Apache-2.0
 *
 * inertia.c: mass matrix and quadratic terms of a body with modes (flex.h). With p_W = I W + D ed and
 * p_u = W x c + S1 ed (at u = 0), the equations in quasi-velocities
 *
 *   d/dt p_W + W x p_W = moment,   d/dt p_u + W x p_u = force,   d/dt dT/ded - dT/de = modal force
 *
 * leave beside M times the accelerations
 *
 *   h_W   = I' W + D' ed + W x p_W                       I' = sum ed_j dI/de_j, D' = sum ed_i D1_i
 *   h_u   = W x (W x c) + 2 W x S1 ed
 *   h_e,j = (D' column j).W - 1/2 W.(dI/de_j) W - W.(D1_j ed)
 *
 *   dI/de_j = I1_j + sum e_i (I2_ij + I2_ji)
 *
 * The velocity u of the frame does not appear: R'xdotdot is the acceleration of its origin, and a mass
 * that moves uniformly has no inertia force.
 */
#include <math.h>

#include "flex/flex.h"
#include "geometry/frame.h"

const char *const hki_flex_kind_names[HK_FLEX_KINDS] = {"whole", "boundary", "inner"};

/* I, and D as ne columns */
static void inertia_at(const hk_flex *b, const double *e, double *I) {
  memcpy(I, b->I0, sizeof b->I0);
  for (int32_t i = 0; i < b->ne; i++) {
    const double *I1 = b->I1 + 9 * (ptrdiff_t)i;
    for (int k = 0; k < 9; k++) I[k] += e[i] * I1[k];
    for (int32_t j = 0; j < b->ne; j++) {
      const double *I2 = b->I2 + 9 * ((ptrdiff_t)i * b->ne + j), x = e[i] * e[j];
      for (int k = 0; k < 9; k++) I[k] += x * I2[k];
    }
  }
}

/* column j of D(e) */
static void column_at(const hk_flex *b, const double *e, int32_t j, double *d) {
  v3_copy(d, b->D0 + 3 * (ptrdiff_t)j);
  for (int32_t i = 0; i < b->ne; i++) v3_axpy(d, e[i], b->D1 + 3 * ((ptrdiff_t)i * b->ne + j));
}

/* c = S0 + S1 e */
static void moment_at(const hk_flex *b, const double *e, double *c) {
  v3_copy(c, b->S0);
  for (int32_t j = 0; j < b->ne; j++) v3_axpy(c, e[j], b->S1 + 3 * (ptrdiff_t)j);
}

void hki_flex_mass(const hk_flex *b, const double *e, double *M) {
  const ptrdiff_t n = hki_flex_size(b);
  double I[9], c[3], C[9];
  inertia_at(b, e, I);
  moment_at(b, e, c);
  m3_skew(C, c);
  memset(M, 0, (size_t)(n * n) * sizeof *M);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      M[n * i + j] = I[3 * i + j];
      M[n * i + 3 + j] = M[n * (3 + j) + i] = C[3 * i + j];
    }
    M[n * (3 + i) + 3 + i] = b->mass;
  }
  for (int32_t j = 0; j < b->ne; j++) {
    double d[3];
    column_at(b, e, j, d);
    for (int i = 0; i < 3; i++) {
      M[n * i + 6 + j] = M[n * (6 + j) + i] = d[i];
      M[n * (3 + i) + 6 + j] = M[n * (6 + j) + 3 + i] = b->S1[3 * (ptrdiff_t)j + i];
    }
    for (int32_t i = 0; i < b->ne; i++) M[n * (6 + i) + 6 + j] = b->Mf[(ptrdiff_t)i * b->ne + j];
  }
}

/* dI/de_j */
static void inertia_slope(const hk_flex *b, const double *e, int32_t j, double *Ij) {
  memcpy(Ij, b->I1 + 9 * (ptrdiff_t)j, 9 * sizeof *Ij);
  for (int32_t i = 0; i < b->ne; i++) {
    const double *I2 = b->I2 + 9 * ((ptrdiff_t)i * b->ne + j);
    for (int r = 0; r < 3; r++)
      for (int s = 0; s < 3; s++) Ij[3 * r + s] += e[i] * (I2[3 * r + s] + I2[3 * s + r]);
  }
}

void hki_flex_bias(const hk_flex *b, const double *e, const double *W, const double *ed,
                   double *h) {
  double I[9], c[3], pW[3], v[3], s[3] = {0};
  inertia_at(b, e, I);
  moment_at(b, e, c);
  m3_mulv(pW, I, W);
  v3_copy(h, (double[3]){0});
  for (int32_t j = 0; j < b->ne; j++) {
    double d[3], dd[3] = {0}, w[3] = {0}, Ij[9], IW[3];
    column_at(b, e, j, d);
    v3_axpy(pW, ed[j], d);
    for (int32_t i = 0; i < b->ne; i++) {
      v3_axpy(dd, ed[i], b->D1 + 3 * ((ptrdiff_t)i * b->ne + j)); // column j of D'
      v3_axpy(w, ed[i], b->D1 + 3 * ((ptrdiff_t)j * b->ne + i));  // D1_j ed
    }
    inertia_slope(b, e, j, Ij);
    m3_mulv(IW, Ij, W);
    v3_axpy(h, ed[j], IW);
    v3_axpy(h, ed[j], dd);
    v3_axpy(s, ed[j], b->S1 + 3 * (ptrdiff_t)j);
    h[6 + j] = v3_dot(dd, W) - 0.5 * v3_dot(W, IW) - v3_dot(W, w);
  }
  v3_cross(v, W, pW);
  v3_add(h, h, v);
  v3_cross(v, W, c);
  for (int i = 0; i < 3; i++) v[i] += 2.0 * s[i];
  v3_cross(h + 3, W, v);
}

void hki_flex_face_at(const hk_flex *b, int32_t i, const double *e, double *p, double *R) {
  const hk_flex_face *f = &b->face[i];
  double th[3] = {0}, E[9];
  v3_copy(p, f->p);
  for (int32_t j = 0; j < b->ne; j++) {
    v3_axpy(p, e[j], f->Phi + 3 * (ptrdiff_t)j);
    v3_axpy(th, e[j], f->Psi + 3 * (ptrdiff_t)j);
  }
  rot_exp(E, th);
  m3_mul(R, E, f->R);
}
