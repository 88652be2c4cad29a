/* SPDX-License-Identifier: Apache-2.0
 *
 * modal.c: a body that bends by modes (modal.h). Its points are at x + R (f + Phi e), f at rest; with
 * W = R'omega, u = R'xdot, A = R'xdotdot, I(e) = I0 + dI, c = S1 e, D = D0 + sum e_i D1_i:
 *
 *   strain energy   1/2 e.K e - g.R c                        damping   C de/dt
 *   kinetic energy  1/2 (W, u, ed)' M (W, u, ed),   M = [ I  [c]  D ;  .  m 1  S1 ;  .  .  Mf ]
 *
 * Of the equations of d'Alembert in these velocities the bodies of the markers have the part of
 * the rigid body, I0 and m, and `unit` of the modal mass. What is left:
 *
 *   moment       dI W' + c x A + D edd + dI' W + D' ed + W x (dI W + D ed)         ': rates in time
 *   force        -c x W' + S1 edd + W x (W x c) + 2 W x S1 ed
 *   mode j       D_j.W' + S1_j.A + (Mf - unit)_j edd + D'_j.W - 1/2 W.I_j W - W.(D1_j ed)
 *
 *   I_j = dI/de_j = I1_j + sum e_i (I2_ij + I2_ji),   dI' = sum ed_j I_j,   D' = sum ed_i D1_i
 *
 * Sources: Shabana, Dynamics of Multibody Systems, 2013, chapter 5; Zwoelfer and Gerstmayr, The
 * nodal-based floating frame of reference formulation with modal reduction, 2021.
 */
#include "elements/modal.h"

#include <math.h>
#include <string.h>

/* row of coordinate j among six numbers for each marker */
static inline ptrdiff_t row_of(int32_t j) { return 6 * ((ptrdiff_t)j + 1) + 3; }

static double coordinate(const hk_modal_par *p, const hk_frame *m, int32_t j) {
  return m[j + 1].p[0] - p->rest;
}

/* K and C of the stiffness, the damping and the weight */
static void tangents(const hk_modal_par *p, const hk_frame *m, const double *r, hk_wide_out *out) {
  const ptrdiff_t n = 6 * ((ptrdiff_t)p->ne + 1), ne = p->ne;
  double G[9], S[9], T[9];
  memset(out->K, 0, (size_t)(n * n) * sizeof *out->K);
  memset(out->C, 0, (size_t)(n * n) * sizeof *out->C);
  m3_skew(G, p->g);
  m3_skew(S, r);
  m3_mul(T, G, S);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) out->K[n * i + k] = -T[3 * i + k];
  out->damped = false;
  for (int32_t j = 0; j < p->ne; j++) {
    double s[3], x[3];
    m3_mulv(s, m->R, p->S1 + 3 * (ptrdiff_t)j);
    v3_cross(x, p->g, s);
    for (int i = 0; i < 3; i++) out->K[n * i + row_of(j)] = out->K[n * row_of(j) + i] = x[i];
    for (int32_t k = 0; k < p->ne; k++) {
      const double c = p->C[ne * j + k];
      out->K[n * row_of(j) + row_of(k)] = p->K[ne * j + k];
      out->C[n * row_of(j) + row_of(k)] = c;
      out->damped = out->damped || c != 0.0;
    }
  }
}

static void eval(const void *par, int32_t nmark, const hk_element_in *in, uint32_t need,
                 hk_wide_out *out) {
  const hk_modal_par *p = par;
  const hk_frame *m = in->m;
  double c[3] = {0}, r[3];
  memset(out->w, 0, 6 * (size_t)nmark * sizeof *out->w);
  out->energy = out->dissipated = out->supplied = 0.0;
  for (int32_t j = 0; j < p->ne; j++) {
    const double *S1 = p->S1 + 3 * (ptrdiff_t)j;
    double f = 0.0, d = 0.0, s[3];
    for (int32_t k = 0; k < p->ne; k++) {
      const ptrdiff_t at = (ptrdiff_t)j * p->ne + k;
      f += p->K[at] * coordinate(p, m, k);
      d += p->C[at] * m[k + 1].v[0];
    }
    const double e = coordinate(p, m, j);
    m3_mulv(s, m->R, S1);
    v3_axpy(c, e, S1);
    // the weight of the body that stands for the coordinate is taken off again
    for (int i = 0; i < 3; i++) out->w[row_of(j) + i] = -p->unit * p->g[i];
    out->w[row_of(j)] += v3_dot(s, p->g) - f - d;
    out->energy += 0.5 * e * f + p->unit * v3_dot(p->g, m[j + 1].p);
    out->dissipated += m[j + 1].v[0] * d;
  }
  m3_mulv(r, m->R, c);
  v3_cross(out->w, r, p->g);
  out->energy -= v3_dot(r, p->g);
  if (need & HK_NEED_EXACT) tangents(p, m, r, out);
}

double hki_modal_strain(const hk_modal_par *p, const hk_frame *m) {
  double sum = 0.0;
  for (int32_t j = 0; j < p->ne; j++)
    for (int32_t k = 0; k < p->ne; k++)
      sum += 0.5 * coordinate(p, m, j) * p->K[(ptrdiff_t)j * p->ne + k] * coordinate(p, m, k);
  return sum;
}

/* sum e_i e_j X_ij; X: ne x ne x n */
static void squares(const hk_modal_par *p, const hk_frame *m, const double *X, int n, double *out) {
  memset(out, 0, (size_t)n * sizeof *out);
  for (int32_t i = 0; i < p->ne; i++)
    for (int32_t j = 0; j < p->ne; j++) {
      const double ee = coordinate(p, m, i) * coordinate(p, m, j);
      for (int k = 0; k < n; k++) out[k] += ee * X[n * ((ptrdiff_t)i * p->ne + j) + k];
    }
}

/* What displacements of second order would do in e.K e. A body that spins about an interface at d from its centre has there the
 * force -m W x (W x d); of several interfaces the one at which it does least is taken:
 *
 *   | W.(sum e_i e_j bend_ij) W + force . sum e_i e_j face_bend_ij |                                W = R'omega */
static double left_out(const hk_modal_par *p, const hk_frame *m) {
  double W[3], B[9], x[3], y[3], least = HUGE_VAL;
  m3_tmulv(W, m->R, m->w);
  squares(p, m, p->bend, 9, B);
  m3_mulv(x, B, W);
  const double spin = v3_dot(W, x);
  for (int32_t f = 0; f < p->nface; f++) {
    v3_cross(x, W, p->face + 3 * (ptrdiff_t)f);
    v3_cross(y, W, x);
    squares(p, m, p->face_bend + 3 * (ptrdiff_t)f * p->ne * p->ne, 3, x);
    least = fmin(least, fabs(spin - p->unit * v3_dot(x, y)));
  }
  return p->nface ? least : fabs(spin);
}

/* rotation vector of an interface by the modes */
static void turn_of(const hk_modal_par *p, const hk_frame *m, int32_t face, double *out) {
  v3_zero(out);
  for (int32_t j = 0; j < p->ne; j++)
    v3_axpy(out, coordinate(p, m, j), p->Psi + 3 * ((ptrdiff_t)face * p->ne + j));
}

/* what is left out against e.K e; the rotations of the interfaces against the frame and each other */
static void doubt(const void *par, int32_t nmark, const hk_frame *m, hk_wide_doubt *out) {
  const hk_modal_par *p = par;
  (void)nmark;
  *out = (hk_wide_doubt){0.0, 0.0};
  const double strain = 2.0 * hki_modal_strain(p, m);
  if (p->bend && strain > 0.0) out->left_out = left_out(p, m) / strain;
  for (int32_t f = 0; f < p->nface; f++) {
    double a[3], b[3];
    turn_of(p, m, f, a);
    out->turn = fmax(out->turn, v3_norm(a));
    for (int32_t g = 0; g < f; g++) {
      turn_of(p, m, g, b);
      v3_sub(b, a, b);
      out->turn = fmax(out->turn, v3_norm(b));
    }
  }
}

/* --- inertia ---------------------------------------------------------------------------------- */

/* motion of the frame in its own axes */
typedef struct motion {
  const hk_modal_par *p;
  const hk_frame *m;
  const double *R;
  double W[3], Wd[3], A[3], u[3];
  double c[3], s[3];  /* S1 e, S1 ed */
  double I[9], Id[9]; /* dI, its rate */
  double q[3], qd[3]; /* D ed, D' ed */
  double p1[3];       /* dI W + D ed */
  const double *acc;  /* of the markers */
} motion;

static double rate(const motion *k, int32_t j) { return k->m[j + 1].v[0]; }
static double acceleration(const motion *k, int32_t j) { return k->acc[row_of(j)]; }

/* dI/de_j */
static void slope_of(const motion *k, int32_t j, double *Ij) {
  const hk_modal_par *p = k->p;
  memcpy(Ij, p->I1 + 9 * (ptrdiff_t)j, 9 * sizeof *Ij);
  for (int32_t i = 0; i < p->ne; i++) {
    const double *I2 = p->I2 + 9 * ((ptrdiff_t)i * p->ne + j), e = coordinate(p, k->m, i);
    for (int r = 0; r < 3; r++)
      for (int s = 0; s < 3; s++) Ij[3 * r + s] += e * (I2[3 * r + s] + I2[3 * s + r]);
  }
}

/* column j of D, and of D' */
static void column_of(const motion *k, int32_t j, double *d, double *dd) {
  const hk_modal_par *p = k->p;
  v3_copy(d, p->D0 + 3 * (ptrdiff_t)j);
  v3_zero(dd);
  for (int32_t i = 0; i < p->ne; i++) {
    const double *D1 = p->D1 + 3 * ((ptrdiff_t)i * p->ne + j);
    v3_axpy(d, coordinate(p, k->m, i), D1);
    v3_axpy(dd, rate(k, i), D1);
  }
}

/* sum of D1_j x over x, the rates or the accelerations */
static void turned(const motion *k, int32_t j, bool accelerations, double *out) {
  const hk_modal_par *p = k->p;
  v3_zero(out);
  for (int32_t i = 0; i < p->ne; i++)
    v3_axpy(out, accelerations ? acceleration(k, i) : rate(k, i),
            p->D1 + 3 * ((ptrdiff_t)j * p->ne + i));
}

static void find_motion(const hk_modal_par *p, const hk_frame *m, const double *acc, motion *k) {
  *k = (motion){.p = p, .m = m, .R = m->R, .acc = acc};
  m3_tmulv(k->W, m->R, m->w);
  m3_tmulv(k->u, m->R, m->v);
  if (acc) {
    v3_copy(k->Wd, acc);
    m3_tmulv(k->A, m->R, acc + 3);
  }
  for (int32_t j = 0; j < p->ne; j++) {
    const double e = coordinate(p, m, j), ed = rate(k, j), *I1 = p->I1 + 9 * (ptrdiff_t)j;
    double Ij[9], d[3], dd[3];
    slope_of(k, j, Ij);
    column_of(k, j, d, dd);
    // 1/2 (I1_j + I_j) e_j: of the squares I_j has twice
    for (int i = 0; i < 9; i++) {
      k->I[i] += 0.5 * e * (I1[i] + Ij[i]);
      k->Id[i] += ed * Ij[i];
    }
    v3_axpy(k->c, e, p->S1 + 3 * (ptrdiff_t)j);
    v3_axpy(k->s, ed, p->S1 + 3 * (ptrdiff_t)j);
    v3_axpy(k->q, ed, d);
    v3_axpy(k->qd, ed, dd);
  }
  m3_mulv(k->p1, k->I, k->W);
  v3_add(k->p1, k->p1, k->q);
}

/* F: moment and force in the axes of the frame, and modal forces at their rows */
static void forces(const motion *k, double *F) {
  const hk_modal_par *p = k->p;
  double x[3], y[3], moment[3], force[3];
  m3_mulv(moment, k->I, k->Wd);
  v3_cross_add(moment, k->c, k->A);
  m3_mulv(x, k->Id, k->W);
  v3_add(moment, moment, x);
  v3_add(moment, moment, k->qd);
  v3_cross_add(moment, k->W, k->p1);
  v3_cross(force, k->Wd, k->c);
  v3_cross(x, k->W, k->c);
  v3_axpy(x, 2.0, k->s);
  v3_cross_add(force, k->W, x);
  for (int32_t j = 0; j < p->ne; j++) {
    double d[3], dd[3], Ij[9], own = 0.0;
    column_of(k, j, d, dd);
    slope_of(k, j, Ij);
    m3_mulv(x, Ij, k->W);
    turned(k, j, false, y);
    v3_axpy(moment, acceleration(k, j), d);
    v3_axpy(force, acceleration(k, j), p->S1 + 3 * (ptrdiff_t)j);
    for (int32_t i = 0; i < p->ne; i++) own += p->M[(ptrdiff_t)j * p->ne + i] * acceleration(k, i);
    F[row_of(j)] = own + v3_dot(d, k->Wd) + v3_dot(p->S1 + 3 * (ptrdiff_t)j, k->A) +
                   v3_dot(dd, k->W) - 0.5 * v3_dot(k->W, x) - v3_dot(k->W, y);
  }
  v3_copy(F, moment);
  v3_copy(F + 3, force);
}

/* a 3 x 3 block at (row, col) of a matrix of n columns */
static void put(double *X, ptrdiff_t n, ptrdiff_t row, ptrdiff_t col, const double *B) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) X[n * (row + i) + col + j] = B[3 * i + j];
}
/* a column of three numbers at (row, col) */
static void put_column(double *X, ptrdiff_t n, ptrdiff_t row, ptrdiff_t col, const double *x) {
  for (int i = 0; i < 3; i++) X[n * (row + i) + col] = x[i];
}

/* by accelerations */
static void mass(const motion *k, double *M) {
  const hk_modal_par *p = k->p;
  const ptrdiff_t n = 6 * ((ptrdiff_t)p->ne + 1);
  double C[9], T[9];
  m3_skew(C, k->c);
  put(M, n, 0, 0, k->I);
  m3_mult(T, C, k->R);
  put(M, n, 0, 3, T);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) M[n * (3 + i) + j] = T[3 * j + i];
  for (int32_t j = 0; j < p->ne; j++) {
    double d[3], dd[3], s[3];
    column_of(k, j, d, dd);
    m3_mulv(s, k->R, p->S1 + 3 * (ptrdiff_t)j);
    for (int i = 0; i < 3; i++) {
      M[n * i + row_of(j)] = M[n * row_of(j) + i] = d[i];
      M[n * (3 + i) + row_of(j)] = M[n * row_of(j) + 3 + i] = s[i];
    }
    for (int32_t i = 0; i < p->ne; i++)
      M[n * row_of(j) + row_of(i)] = p->M[(ptrdiff_t)j * p->ne + i];
  }
}

/* by velocities */
static void gyroscopic(const motion *k, double *C) {
  const hk_modal_par *p = k->p;
  const ptrdiff_t n = 6 * ((ptrdiff_t)p->ne + 1);
  double X[9], Y[9], Z[9], x[3], y[3];
  m3_skew(X, k->W);
  m3_mul(Y, X, k->I);
  m3_skew(Z, k->p1);
  for (int i = 0; i < 9; i++) Y[i] += k->Id[i] - Z[i];
  put(C, n, 0, 0, Y);
  // -[W x c] - [W][c] - 2 [S1 ed]
  v3_cross(x, k->W, k->c);
  v3_axpy(x, 2.0, k->s);
  m3_skew(Z, k->c);
  m3_mul(Y, X, Z);
  m3_skew(Z, x);
  for (int i = 0; i < 9; i++) Y[i] = -Y[i] - Z[i];
  m3_mul(Z, k->R, Y);
  put(C, n, 3, 0, Z);
  for (int32_t j = 0; j < p->ne; j++) {
    double d[3], dd[3], Ij[9], IW[3], t[3];
    column_of(k, j, d, dd);
    slope_of(k, j, Ij);
    m3_mulv(IW, Ij, k->W);
    turned(k, j, false, t);
    for (int i = 0; i < 3; i++) x[i] = IW[i] + t[i] + dd[i];
    v3_cross_add(x, k->W, d);
    put_column(C, n, 0, row_of(j), x);
    v3_cross(x, k->W, p->S1 + 3 * (ptrdiff_t)j);
    m3_mulv(y, k->R, x);
    v3_scale(y, 2.0, y);
    put_column(C, n, 3, row_of(j), y);
    for (int i = 0; i < 3; i++) C[n * row_of(j) + i] = dd[i] - IW[i] - t[i];
    for (int32_t i = 0; i < p->ne; i++)
      C[n * row_of(j) + row_of(i)] = v3_dot(k->W, p->D1 + 3 * ((ptrdiff_t)i * p->ne + j)) -
                                     v3_dot(k->W, p->D1 + 3 * ((ptrdiff_t)j * p->ne + i));
  }
}

/* I2_ij + I2_ji times x */
static void curvature(const hk_modal_par *p, int32_t i, int32_t j, const double *x, double *y) {
  const double *I2 = p->I2 + 9 * ((ptrdiff_t)i * p->ne + j);
  for (int r = 0; r < 3; r++) {
    y[r] = 0.0;
    for (int s = 0; s < 3; s++) y[r] += (I2[3 * r + s] + I2[3 * s + r]) * x[s];
  }
}

/* by positions; F: forces in the axes of the frame */
static void stiffness(const motion *k, const double *F, double *K) {
  const hk_modal_par *p = k->p;
  const ptrdiff_t n = 6 * ((ptrdiff_t)p->ne + 1);
  double X[9], Y[9], Z[9];
  m3_skew(X, k->c);
  m3_skew(Y, k->A);
  m3_mul(Z, X, Y);
  put(K, n, 0, 0, Z);
  m3_skew(X, F + 3);
  m3_mul(Z, k->R, X);
  for (int i = 0; i < 9; i++) Z[i] = -Z[i];
  put(K, n, 3, 0, Z);
  for (int32_t j = 0; j < p->ne; j++) {
    const double *S1 = p->S1 + 3 * (ptrdiff_t)j;
    double Ij[9], x[3], y[3], z[3];
    slope_of(k, j, Ij);
    m3_mulv(x, Ij, k->Wd);
    v3_cross_add(x, S1, k->A);
    turned(k, j, true, y);
    v3_add(x, x, y);
    for (int32_t i = 0; i < p->ne; i++) {
      curvature(p, i, j, k->W, y);
      v3_axpy(x, rate(k, i), y);
      K[n * row_of(i) + row_of(j)] =
          v3_dot(p->D1 + 3 * ((ptrdiff_t)j * p->ne + i), k->Wd) - 0.5 * v3_dot(k->W, y);
    }
    m3_mulv(y, Ij, k->W);
    turned(k, j, false, z);
    v3_add(y, y, z);
    v3_cross_add(x, k->W, y);
    put_column(K, n, 0, row_of(j), x);
    v3_cross(x, k->W, S1);
    v3_cross(y, k->W, x);
    v3_cross_add(y, k->Wd, S1);
    m3_mulv(x, k->R, y);
    put_column(K, n, 3, row_of(j), x);
    v3_cross(x, S1, k->A);
    for (int i = 0; i < 3; i++) K[n * row_of(j) + i] = x[i];
  }
}

static void inertia(const void *par, int32_t nmark, const hk_frame *m, const double *acc,
                    uint32_t need, hk_wide_inertia *out) {
  const hk_modal_par *p = par;
  const size_t n = 6 * (size_t)nmark;
  motion k;
  double x[3];
  find_motion(p, m, acc, &k);
  if (acc) {
    memset(out->F, 0, n * sizeof *out->F);
    forces(&k, out->F);
  }
  if (need & HK_NEED_EXACT) {
    memset(out->C, 0, n * n * sizeof *out->C);
    memset(out->K, 0, n * n * sizeof *out->K);
    gyroscopic(&k, out->C);
    stiffness(&k, out->F, out->K);
  }
  if (acc) {
    m3_mulv(x, m->R, out->F + 3);
    v3_copy(out->F + 3, x);
  }
  if (need & HK_NEED_MASS) {
    memset(out->M, 0, n * n * sizeof *out->M);
    mass(&k, out->M);
  }
  if (!(need & HK_NEED_ENERGY)) return;
  m3_mulv(x, k.I, k.W);
  out->kinetic = 0.5 * v3_dot(k.W, x) + v3_dot(k.W, k.q) + v3_dot(k.u, k.s);
  v3_cross(x, k.W, k.c);
  out->kinetic += v3_dot(k.u, x);
  for (int32_t j = 0; j < p->ne; j++)
    for (int32_t i = 0; i < p->ne; i++)
      out->kinetic += 0.5 * rate(&k, i) * p->M[(ptrdiff_t)j * p->ne + i] * rate(&k, j);
}

const hk_wide_ops hki_modal = {
    .name = "modal",
    .text = "a body that bends by modes of a finite-element model",
    .source = "Shabana, Dynamics of Multibody Systems, 2013, chapter 5",
    .par_size = offsetof(hk_modal_par, S1),
    .doubt = doubt,
    .eval = eval,
    .inertia = inertia,
};
