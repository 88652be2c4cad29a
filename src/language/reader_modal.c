/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_modal.c: the constants of a body with modes (flex/flex.h) as those of an element (elements/modal.h).
 *
 * Interfaces are bodies of their own, so that every joint and force can act on them; each has a small
 * part of the mass, m_i and J_i 1, which is taken from the whole, so that the sum remains what it was:
 *
 *   S0 -= m_i p          S1_j -= m_i Phi_j      D0_j -= m_i p x Phi_j + J_i Psi_j
 *   I0 -= -m_i [p][p] + J_i 1                   D1_ij -= m_i Phi_i x Phi_j + J_i/2 Psi_i x Psi_j
 *   I1_j -= -m_i ([p][Phi_j] + [Phi_j][p])      I2_ij -= -m_i [Phi_i][Phi_j]
 *   Mf_ij -= m_i Phi_i.Phi_j + J_i Psi_i.Psi_j
 *
 * They are so small that the modal masses keep most of what they have. Exact for translations; of the rotation of an interface terms of third order in its angle are left
 * out, times J_i. Then the origin moves to the centre of mass c, I1_j += [c][S1_j] + [S1_j][c],
 * D0_j -= c x S1_j, and the axes to those of the drawing. Coordinates are in metres: e = q/sqrt(m), so
 * that every modal mass is that of the body.
 */
#include "language/reader_flexible.h"

#include <math.h>
#include <string.h>

static const double part = 0.01; /* of the mass, at all interfaces together, at most */
static const double reach = 0.2; /* of J_i: squared radius of gyration, of that of the body */
static const double second =
    1e-2; /* less of it where interfaces move by squares of the modes, which this leaves out */
static const double share =
    0.2; /* of the modal masses that all interfaces together take, at most */

/* out += s [a][b] */
static void add_skews(double *out, double s, const double *a, const double *b) {
  const double ab = v3_dot(a, b);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) out[3 * i + j] += s * (b[i] * a[j] - (i == j ? ab : 0.0));
}

/* all constants while they are changed */
typedef struct build {
  int32_t ne;
  double mass, S0[3], I0[9];
  double *S1, *I1, *I2, *D0, *D1, *M;
} build;

static void take_interface(build *b, const hk_flex_face *f, double m, double J) {
  const ptrdiff_t ne = b->ne;
  b->mass -= m;
  v3_axpy(b->S0, -m, f->p);
  add_skews(b->I0, m, f->p, f->p);
  for (int i = 0; i < 3; i++) b->I0[4 * i] -= J;
  for (ptrdiff_t j = 0; j < ne; j++) {
    const double *Phi = f->Phi + 3 * j, *Psi = f->Psi + 3 * j;
    double x[3];
    v3_axpy(b->S1 + 3 * j, -m, Phi);
    add_skews(b->I1 + 9 * j, m, f->p, Phi);
    add_skews(b->I1 + 9 * j, m, Phi, f->p);
    v3_cross(x, f->p, Phi);
    v3_axpy(b->D0 + 3 * j, -m, x);
    v3_axpy(b->D0 + 3 * j, -J, Psi);
    for (ptrdiff_t i = 0; i < ne; i++) {
      add_skews(b->I2 + 9 * (ne * i + j), m, f->Phi + 3 * i, Phi);
      v3_cross(x, f->Phi + 3 * i, Phi);
      v3_axpy(b->D1 + 3 * (ne * i + j), -m, x);
      v3_cross(x, f->Psi + 3 * i, Psi);
      v3_axpy(b->D1 + 3 * (ne * i + j), -0.5 * J, x);
      b->M[ne * i + j] -= m * v3_dot(f->Phi + 3 * i, Phi) + J * v3_dot(f->Psi + 3 * i, Psi);
    }
  }
}

/* origin to the centre of mass c */
static void to_centre(build *b, double *c) {
  v3_scale(c, 1.0 / b->mass, b->S0);
  add_skews(b->I0, b->mass, c, c);
  for (ptrdiff_t j = 0; j < b->ne; j++) {
    const double *S1 = b->S1 + 3 * j;
    double x[3];
    add_skews(b->I1 + 9 * j, 1.0, c, S1);
    add_skews(b->I1 + 9 * j, 1.0, S1, c);
    v3_cross(x, c, S1);
    v3_axpy(b->D0 + 3 * j, -1.0, x);
  }
}

static void turn_vectors(const double *R, double scale, ptrdiff_t n, double *x) {
  for (ptrdiff_t i = 0; i < n; i++) {
    double y[3];
    m3_mulv(y, R, x + 3 * i);
    v3_scale(x + 3 * i, scale, y);
  }
}
static void turn_matrices(const double *R, double scale, ptrdiff_t n, double *X) {
  for (ptrdiff_t i = 0; i < n; i++) {
    double Y[9];
    m3_congruence(Y, R, X + 9 * i);
    for (int k = 0; k < 9; k++) X[9 * i + k] = scale * Y[k];
  }
}

/* the first ne rows and columns of a square list with items of `size` numbers */
static double *corner(hk_pool *pool, const double *from, int32_t all, int32_t ne, int32_t size) {
  const size_t n = (size_t)ne * (size_t)size;
  double *to = hki_pool_alloc(pool, ((size_t)ne * n + 1) * sizeof *to);
  for (int32_t i = 0; to && i < ne; i++)
    memcpy(to + (size_t)i * n, from + (ptrdiff_t)i * all * size, n * sizeof *to);
  return to;
}
static double *first(hk_pool *pool, const double *from, int32_t ne, int32_t size) {
  const size_t n = (size_t)ne * (size_t)size;
  double *to = hki_pool_alloc(pool, (n + 1) * sizeof *to);
  if (to && n) memcpy(to, from, n * sizeof *to);
  return to;
}

/* modal matrices: stiffness, damping, mass less its unit */
static bool matrices(hk_pool *pool, const hk_flex *b, const double *zeta, double mass, build *w,
                     hk_modal_par *out) {
  const int32_t ne = w->ne;
  double *K = corner(pool, b->K, b->ne, ne, 1), *C = corner(pool, b->K, b->ne, ne, 1);
  double *scale = hki_pool_alloc(pool, ((size_t)ne + 1) * sizeof *scale);
  if (!K || !C || !scale) return false;
  for (ptrdiff_t i = 0; i < (ptrdiff_t)ne * ne; i++) K[i] *= mass, w->M[i] *= mass, C[i] = 0.0;
  for (ptrdiff_t j = 0; j < ne; j++) {
    const ptrdiff_t at = j * ne + j;
    C[at] = 2.0 * zeta[j] * sqrt(fmax(K[at], 0.0) * mass * b->Mf[j * b->ne + j]);
    w->M[at] -= mass;
    scale[j] = sqrt(mass);
  }
  out->K = K, out->C = C, out->M = w->M, out->scale = scale, out->unit = mass;
  return true;
}

/* what is only watched: rotations of the interfaces, and displacements of second order where they are left out */
static bool watched(hk_pool *pool, const hk_flex *b, int32_t ne, bool stiffening,
                    const hk_offset *at, hk_modal_par *out) {
  const size_t n = 3 * (size_t)ne;
  double *Psi = hki_pool_alloc(pool, (n * (size_t)b->nface + 1) * sizeof *Psi);
  if (!Psi) return false;
  for (int32_t i = 0; i < b->nface && n; i++)
    memcpy(Psi + n * (size_t)i, b->face[i].Psi, n * sizeof *Psi);
  turn_vectors(at->R, sqrt(b->mass), (ptrdiff_t)ne * b->nface, Psi);
  out->nface = b->nface, out->Psi = Psi;
  if (stiffening || !b->I2_bend || (b->nface && !b->face_bend)) return true;
  const size_t pairs = 3 * (size_t)ne * (size_t)ne;
  double *bend = corner(pool, b->I2_bend, b->ne, ne, 9);
  double *face = hki_pool_alloc(pool, (3 * (size_t)b->nface + 1) * sizeof *face);
  double *second_order = hki_pool_alloc(pool, (pairs * (size_t)b->nface + 1) * sizeof *bend);
  if (!bend || !face || !second_order) return false;
  turn_matrices(at->R, b->mass, (ptrdiff_t)ne * ne, bend);
  for (int32_t i = 0; i < b->nface; i++) {
    double c[3];
    v3_scale(c, 1.0 / b->mass, b->S0);
    v3_sub(face + 3 * (ptrdiff_t)i, b->face[i].p, c);
    const double *from = b->face_bend + 3 * (ptrdiff_t)b->ne * b->ne * i;
    for (int32_t j = 0; j < ne; j++)
      memcpy(second_order + pairs * (size_t)i + 3 * (size_t)ne * (size_t)j,
             from + 3 * (ptrdiff_t)b->ne * j, 3 * (size_t)ne * sizeof *from);
  }
  turn_vectors(at->R, 1.0, b->nface, face);
  turn_vectors(at->R, b->mass, (ptrdiff_t)b->nface * ne * ne, second_order);
  out->face = face, out->face_bend = second_order;
  out->bend = bend;
  return true;
}

bool hki_rd_modal(hk_pool *pool, const hk_flex *b, int32_t ne, const double *zeta, bool stiffening,
                  const hk_offset *at, hk_rd_modal_body *out) {
  build w = {.ne = ne, .mass = b->mass};
  const double root = sqrt(b->mass);
  double c[3], I[9], axes[9], m = b->nface ? part * b->mass / b->nface : 0.0;
  if (stiffening) m *= second;
  memcpy(w.S0, b->S0, sizeof w.S0);
  memcpy(w.I0, b->I0, sizeof w.I0);
  w.S1 = first(pool, b->S1, ne, 3), w.I1 = first(pool, b->I1, ne, 9);
  w.D0 = first(pool, b->D0, ne, 3), w.I2 = corner(pool, b->I2, b->ne, ne, 9);
  w.D1 = corner(pool, b->D1, b->ne, ne, 3), w.M = corner(pool, b->Mf, b->ne, ne, 1);
  if (!w.S1 || !w.I1 || !w.D0 || !w.I2 || !w.D1 || !w.M) return false;
  for (ptrdiff_t i = 0; stiffening && i < 9 * (ptrdiff_t)ne * ne; i++) {
    const ptrdiff_t pair = i / 9, from = pair / ne * b->ne + pair % ne;
    w.I2[i] += b->I2_bend[9 * from + i % 9];
  }
  v3_scale(c, 1.0 / b->mass, b->S0);
  memcpy(I, b->I0, sizeof I);
  add_skews(I, b->mass, c, c);
  double J = reach * m * (I[0] + I[4] + I[8]) / (2.0 * b->mass), moved = 0.0, turned = 0.0;
  for (int32_t i = 0; i < b->nface; i++)
    for (ptrdiff_t j = 0; j < ne; j++) {
      const double *Phi = b->face[i].Phi + 3 * j, *Psi = b->face[i].Psi + 3 * j;
      moved += v3_dot(Phi, Phi) / b->Mf[j * b->ne + j];
      turned += v3_dot(Psi, Psi) / b->Mf[j * b->ne + j];
    }
  m = fmin(m, share / fmax(moved, 1e-300));
  J = fmin(J, share / fmax(turned, 1e-300));
  m3_eigen_symmetric(I, axes);
  J = fmax(fmin(J, share * fmin(fmin(I[0], I[4]), I[8]) / fmax(b->nface, 1)), 0.0);
  for (int32_t i = 0; i < b->nface; i++) take_interface(&w, &b->face[i], m, J);
  to_centre(&w, c);
  turn_vectors(at->R, root, ne, w.S1);
  turn_vectors(at->R, root, ne, w.D0);
  turn_matrices(at->R, root, ne, w.I1);
  turn_vectors(at->R, b->mass, (ptrdiff_t)ne * ne, w.D1);
  turn_matrices(at->R, b->mass, (ptrdiff_t)ne * ne, w.I2);
  *out = (hk_rd_modal_body){.mass = w.mass, .face_mass = m, .face_inertia = J};
  out->par.ne = ne;
  if (!matrices(pool, b, zeta, b->mass, &w, &out->par) ||
      !watched(pool, b, ne, stiffening, at, &out->par))
    return false;
  m3_congruence(out->J, at->R, w.I0);
  m3_mulv(out->com, at->R, c);
  v3_add(out->com, out->com, at->p);
  out->par.S1 = w.S1, out->par.I1 = w.I1, out->par.I2 = w.I2, out->par.D0 = w.D0;
  out->par.D1 = w.D1;
  return true;
}
