/* SPDX-License-Identifier: Apache-2.0
 *
 * to_tree.c: natural coordinates from the coordinates of the tree, and back.
 *
 * On the way back each body gets a rigid pose, and each tree joint measures its coordinates between
 * its two markers (hki_kin_measure):
 *
 *   R <- R (3 - R'R)/2, repeated from R = [u v w]                  nearest rotation
 *   omega     = (u x u' + v x v' + w x w')/2
 *   omega_dot = (u x u'' + v x v'' + w x w'')/2
 *   planar:  omega = Im(conj(alpha) alpha')/|alpha|^2,  omega_dot the same with alpha''
 *
 * Rods whose blocks carry two directions have their cross product as the third. The spin of rods
 * that carry one direction is undetermined: they turn with their parent, by the shortest way from
 * the drawing to their direction.
 */
#include "machines/points/points.h"

void hki_points_from_tree(hk_points *n, const double *qt, const double *vt, double *q, double *v) {
  const hk_model *m = n->m;
  n->it.t_cap = INFINITY;
  hki_kin_state(&n->it, 0.0, qt, vt);
  for (int32_t i = 0; i < n->nblk; i++) {
    const hk_points_block *b = &n->block[i];
    const hk_frame *f = &n->it.frame[b->body];
    double r[3], p[3], w[3];
    m3_mulv(r, f->R, b->x);
    v3_cross(w, f->w, r);
    v3_copy(p, r);
    if (!b->vector) {
      v3_add(p, p, f->p);
      v3_add(w, w, f->v);
    }
    if (n->planar) {
      m3_tmulv(r, n->E, p);
      memcpy(q + 2 * i, r, 2 * sizeof *q);
      m3_tmulv(r, n->E, w);
      memcpy(v + 2 * i, r, 2 * sizeof *v);
    } else {
      v3_copy(q + 3 * i, p);
      v3_copy(v + 3 * i, w);
    }
  }
  memcpy(n->qlast, qt, (size_t)m->nq * sizeof *qt);
}

/* --- rigid poses ------------------------------------------------------------------------------ */

/* R becomes the nearest rotation; false when it is too far from one to converge */
static bool nearest_rotation(double *R) {
  for (int pass = 0; pass < 30; pass++) {
    double G[9], T[9], worst = 0.0;
    m3_tmul(G, R, R);
    for (int i = 0; i < 9; i++) {
      double id = i % 4 == 0;
      worst = fmax(worst, fabs(G[i] - id));
      G[i] = 1.5 * id - 0.5 * G[i];
    }
    m3_mul(T, R, G);
    memcpy(R, T, sizeof T);
    if (worst < 1e-15) break;
    if (!(worst < 1.5)) return false;
  }
  return true;
}

/* w = (u x u' + v x v' + w x w')/2; X, Xd: columns one after the other */
static void turning(const double *X, const double *Xd, double *w) {
  v3_zero(w);
  for (int k = 0; k < 3; k++) v3_cross_add(w, X + 3 * k, Xd + 3 * k);
  v3_scale(w, 0.5, w);
}

/* R: shortest rotation from unit vector a to unit vector b */
static void shortest_turn(const double *a, const double *b, double *R) {
  double axis[3], d[3], F[9], c = v3_dot(a, b);
  v3_cross(axis, a, b);
  if (v3_norm(axis) < 1e-12) {
    rot_from_axis(F, a, 0, NULL);
    m3_column(axis, F, 1);
  }
  double s = v3_norm(axis), angle = atan2(c > -1.0 && c < 1.0 ? s : 0.0, c);
  if (c <= -1.0 + 1e-15) angle = 3.14159265358979323846;
  v3_scale(d, s > 0.0 ? angle / s : 0.0, axis);
  rot_exp(R, d);
}

/* R, w, al (rotation, angular velocity and acceleration) of a rod that carries one direction t: its
 * parent's, turned the shortest way */
static void one_direction(const hk_points *n, int32_t b, const double *X, const double *Xd,
                          const double *Xdd, double *R, double *w, double *al) {
  static const double I3[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const double *t = n->map[b].t;
  const int32_t parent = n->m->bodies[b].parent;
  const hk_frame *P = parent == HK_GROUND ? NULL : &n->pose[parent];
  double e[3] = {0}, ed[3] = {0}, edd[3] = {0}, local[3], T[9];
  for (int k = 0; k < 3; k++) {
    v3_axpy(e, t[k], X + 3 * k);
    v3_axpy(ed, t[k], Xd + 3 * k);
    v3_axpy(edd, t[k], Xdd + 3 * k);
  }
  v3_normalize(e);
  m3_tmulv(local, P ? P->R : I3, e);
  shortest_turn(t, local, T);
  m3_mul(R, P ? P->R : I3, T);
  v3_cross(w, e, ed);
  v3_cross(al, e, edd);
  if (P) v3_axpy(w, v3_dot(P->w, e), e);
  if (P) v3_axpy(al, v3_dot(n->acc + 6 * parent, e), e);
}

/* R, w, al of a link that carries two directions: the third is their cross product */
static void two_directions(const hk_points *n, int32_t b, const double *X, const double *Xd,
                           const double *Xdd, double *R, double *w, double *al) {
  const double *t = n->map[b].t, *from[3] = {X, Xd, Xdd};
  double W[3][9], t3[3], c[3], T[9], M[9];
  memset(W, 0, sizeof W);
  for (int o = 0; o < 3; o++)
    for (int j = 0; j < 2; j++)
      for (int k = 0; k < 3; k++) v3_axpy(W[o] + 3 * j, t[3 * j + k], from[o] + 3 * k);
  v3_cross(W[0] + 6, W[0], W[0] + 3);
  v3_cross(W[1] + 6, W[1], W[0] + 3);
  v3_cross_add(W[1] + 6, W[0], W[1] + 3);
  v3_cross(W[2] + 6, W[2], W[0] + 3);
  v3_cross_add(W[2] + 6, W[0], W[2] + 3);
  v3_cross(c, W[1], W[1] + 3);
  v3_axpy(W[2] + 6, 2.0, c);
  turning(W[0], W[1], w);
  turning(W[0], W[2], al);
  v3_cross(t3, t, t + 3);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) M[3 * i + j] = W[0][3 * j + i];
    T[i] = t[i], T[3 + i] = t[3 + i], T[6 + i] = t3[i];
  }
  m3_mul(R, M, T);
  nearest_rotation(R);
}

/* position, velocity and acceleration of a rod's origin from those of its point x0 */
static void origin_from(const hk_points *n, int32_t b, const double *X, const double *Xd,
                        const double *Xdd, hk_frame *f, double *acc) {
  const double *x0 = n->map[b].x0;
  double p[3], v[3], a[3], r[3], c[3];
  v3_copy(p, X + 9), v3_copy(v, Xd + 9), v3_copy(a, Xdd + 9);
  for (int k = 0; k < 3; k++) {
    v3_axpy(p, x0[k], X + 3 * k);
    v3_axpy(v, x0[k], Xd + 3 * k);
    v3_axpy(a, x0[k], Xdd + 3 * k);
  }
  // from the point to the origin
  m3_mulv(r, f->R, x0);
  v3_scale(r, -1.0, r);
  v3_add(f->p, p, r);
  v3_cross(c, f->w, r);
  v3_add(f->v, v, c);
  v3_copy(acc + 3, a);
  v3_cross_add(acc + 3, acc, r);
  v3_cross_add(acc + 3, f->w, c);
}

static void pose_spatial(hk_points *n, int32_t b, const double *X, const double *Xd,
                         const double *Xdd) {
  hk_frame *f = &n->pose[b];
  double *acc = n->acc + 6 * b;
  const int32_t ndir = n->map[b].ndir;
  if (ndir == 3) {
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < 3; i++) f->R[3 * i + k] = X[3 * k + i];
    nearest_rotation(f->R);
    turning(X, Xd, f->w);
    turning(X, Xdd, acc);
    v3_copy(f->p, X + 9);
    v3_copy(f->v, Xd + 9);
    v3_copy(acc + 3, Xdd + 9);
    return;
  }
  if (ndir == 2) {
    two_directions(n, b, X, Xd, Xdd, f->R, f->w, acc);
  } else if (ndir == 1) {
    one_direction(n, b, X, Xd, Xdd, f->R, f->w, acc);
  } else {
    m3_identity(f->R);
    v3_zero(f->w);
    v3_zero(acc);
  }
  origin_from(n, b, X, Xd, Xdd, f, acc);
}

static void pose_planar(hk_points *n, int32_t b, const double *X, const double *Xd,
                        const double *Xdd) {
  const double *normal = n->m->spec->normal;
  const double h2 = X[2] * X[2] + X[3] * X[3], h = sqrt(h2), c = X[2] / h, s = X[3] / h;
  const double A[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
  const double p[3] = {X[0], X[1], v3_dot(n->m->bodies[b].com0, normal)};
  const double v[3] = {Xd[0], Xd[1], 0}, a[3] = {Xdd[0], Xdd[1], 0};
  hk_frame *f = &n->pose[b];
  double T[9], *acc = n->acc + 6 * b;
  m3_mul(T, n->E, A);
  m3_mult(f->R, T, n->E);
  m3_mulv(f->p, n->E, p);
  m3_mulv(f->v, n->E, v);
  m3_mulv(acc + 3, n->E, a);
  v3_scale(f->w, (X[2] * Xd[3] - X[3] * Xd[2]) / h2, normal);
  v3_scale(acc, (X[2] * Xdd[3] - X[3] * Xdd[2]) / h2, normal);
}

/* --- joints ----------------------------------------------------------------------------------- */

/* marker frame F on a rigid pose, and its acceleration acc (6), world axes */
static void rigid_marker(const hk_points *n, int32_t body, const hk_offset *o, hk_frame *F,
                         double *acc) {
  if (body == HK_GROUND) {
    hki_kin_marker(&n->it, body, o, F);
    s6_zero(acc);
    return;
  }
  const hk_frame *f = &n->pose[body];
  const double *A = n->acc + 6 * body;
  double r[3], c[3];
  hki_frame_marker(F, f, o);
  v3_sub(r, F->p, f->p);
  v3_copy(acc, A);
  v3_copy(acc + 3, A + 3);
  v3_cross_add(acc + 3, A, r);
  v3_cross(c, f->w, r);
  v3_cross_add(acc + 3, f->w, c);
}

void hki_points_to_tree(hk_points *n, const double *q, const double *v, const double *a, double *qt,
                        double *vt, double *at) {
  const hk_model *m = n->m;
  for (int32_t b = 0; b < m->nb; b++) {
    const hk_model_body *mb = &m->bodies[b];
    double X[12], Xd[12], Xdd[12], aA[6], aB[6];
    hk_frame A, B;
    hki_points_pose(n, b, q, false, X);
    hki_points_pose(n, b, v, true, Xd);
    hki_points_pose(n, b, a, true, Xdd);
    if (n->planar)
      pose_planar(n, b, X, Xd, Xdd);
    else
      pose_spatial(n, b, X, Xd, Xdd);
    if (!mb->nv) continue;
    rigid_marker(n, mb->parent, &mb->on_parent, &A, aA);
    rigid_marker(n, b, &mb->on_child, &B, aB);
    hki_kin_measure(m, b, &A, &B, aA, aB, n->qlast, qt, vt, at);
  }
}
