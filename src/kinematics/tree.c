/* SPDX-License-Identifier: Apache-2.0
 *
 * tree.c: positions and velocities of all bodies from the tree coordinates, root to leaf.
 *
 * A is the joint's marker on the parent, B the one on the body, c the place of B in the body:
 *
 *   R_body   = R_A R_AB R_Bb
 *   p_body   = p_B - R_body c
 *   S        = (omega, v_B + r x omega)                  r = p_B - O
 *   bias_rel = (c_w, c_v - c_w x r - omega_rel x v_B_rel)
 *
 * with (omega, v_B) a column and (c_w, c_v) the bias of the joint's own motion in world axes
 * (joints/joint.h). A revolute has a faster path: R_body = R_parent (K3 + cos K1 + sin K2).
 */
#include "base/sincos.h"
#include "kinematics/lanes.h"
#include "kinematics/plane.h"
#include "kinematics/single.h"
#include "kinematics/wide.h"

/* inertia about O in world axes */
static void body_inertia(hk_kin *k, int32_t b) {
  const hk_model_body *mb = &k->m->bodies[b];
  const double *R = k->frame[b].R, *J = mb->J;
  double c[3], T[9], w[6];
  if (k->inert[b] == HK_INERT_NONE) return; // zero since hki_kin_init
  v3_sub(c, k->frame[b].p, k->O + 3 * b);
  if (k->inert[b] == HK_INERT_DIAGONAL) {
    for (int i = 0; i < 3; i++)
      T[3 * i] = R[3 * i] * J[0], T[3 * i + 1] = R[3 * i + 1] * J[4],
            T[3 * i + 2] = R[3 * i + 2] * J[8];
  } else {
    m3_mul(T, R, J);
  }
  // R J R', the lower triangle
  w[0] = v3_dot(T, R), w[1] = v3_dot(T + 3, R + 3), w[2] = v3_dot(T + 6, R + 6);
  w[3] = v3_dot(T, R + 3), w[4] = v3_dot(T, R + 6), w[5] = v3_dot(T + 3, R + 6);
  inertia_set6(&k->I[b], mb->mass, c, w);
}

/* pose and column of a revolute */
static void place_revolute(hk_kin *k, int32_t b, const double *Rp, const double *pp, double angle) {
  const hk_model_body *mb = &k->m->bodies[b];
  const hk_hinge *hinge = &k->hinge[b];
  hk_frame *f = &k->frame[b];
  double c, s, Rrel[9], pB[3], r[3], axis[3];
  hki_sincos(angle, &s, &c);
  for (int i = 0; i < 9; i++) Rrel[i] = hinge->K3[i] + c * hinge->K1[i] + s * hinge->K2[i];
  m3_mul(f->R, Rp, Rrel);
  m3_mulv(pB, Rp, mb->on_parent.p);
  v3_add(pB, pB, pp);
  m3_mulv(r, f->R, mb->on_child.p);
  v3_sub(f->p, pB, r);
  // column: axis through the marker
  if (mb->root == b) v3_copy(k->O + 3 * b, f->p);
  const double *zl = mb->on_parent.R;
  double z[3] = {zl[2], zl[5], zl[8]}, *S = k->S + 6 * mb->v0;
  m3_mulv(axis, Rp, z);
  v3_copy(S, axis);
  v3_sub(r, pB, k->O + 3 * mb->root);
  v3_cross(S + 3, r, axis);
}

/* pose and columns of any joint */
static void place_general(hk_kin *k, int32_t b, const double *Rp, const double *pp,
                          const double *q) {
  static const double rest[HK_JOINT_MAX] = {0};
  const hk_model_body *mb = &k->m->bodies[b];
  hk_frame *f = &k->frame[b];
  hk_joint_tree jt;
  double RA[9], RB[9], pB[3], x[3];
  mb->ops->tree(mb->par, q, rest, &jt);
  m3_mul(RA, Rp, mb->on_parent.R);
  m3_mul(RB, RA, jt.R);
  m3_mul(f->R, RB, mb->child_inv.R);
  // origin of B, then of the body
  m3_mulv(pB, Rp, mb->on_parent.p);
  v3_add(pB, pB, pp);
  m3_mulv(x, RA, jt.p);
  v3_add(pB, pB, x);
  m3_mulv(x, f->R, mb->on_child.p);
  v3_sub(f->p, pB, x);
  if (mb->root == b) v3_copy(k->O + 3 * b, f->p);
  // columns about O
  v3_sub(x, pB, k->O + 3 * mb->root);
  for (int32_t j = 0; j < mb->nv; j++) {
    double *S = k->S + 6 * (mb->v0 + j);
    m3_mulv(S, RA, jt.S + 6 * j);
    m3_mulv(S + 3, RA, jt.S + 6 * j + 3);
    v3_cross_add(S + 3, x, S);
  }
}

/* R = A B, where B is often the identity */
static void mul_marker(double *R, const double *A, const double *B) {
  if (B[0] == 1.0 && B[4] == 1.0 && B[8] == 1.0)
    memcpy(R, A, 9 * sizeof *R);
  else
    m3_mul(R, A, B);
}

/* pose and columns of a spherical joint; the columns are rotations about the axes of B */
static void place_spherical(hk_kin *k, int32_t b, const double *Rp, const double *pp,
                            const double *q) {
  const hk_model_body *mb = &k->m->bodies[b];
  hk_frame *f = &k->frame[b];
  double RA[9], RJ[9], RB[9], pB[3], r[3];
  quat_to_rot(RJ, q);
  mul_marker(RA, Rp, mb->on_parent.R);
  m3_mul(RB, RA, RJ);
  mul_marker(f->R, RB, mb->child_inv.R);
  m3_mulv(pB, Rp, mb->on_parent.p);
  v3_add(pB, pB, pp);
  m3_mulv(r, f->R, mb->on_child.p);
  v3_sub(f->p, pB, r);
  if (mb->root == b) v3_copy(k->O + 3 * b, f->p);
  v3_sub(r, pB, k->O + 3 * mb->root);
  for (int32_t j = 0; j < 3; j++) {
    double *S = k->S + 6 * (mb->v0 + j);
    m3_column(S, RB, j);
    v3_cross(S + 3, r, S);
  }
}

/* pose and columns of a floating body; only the rotational columns change */
static void place_floating(hk_kin *k, int32_t b, const double *q) {
  const hk_model_body *mb = &k->m->bodies[b];
  hk_frame *f = &k->frame[b];
  double R[9], *S = k->S + 6 * (mb->v0 + 3);
  quat_to_rot(R, q + 3);
  mul_marker(f->R, R, mb->child_inv.R);
  v3_add(f->p, mb->on_parent.p, q);
  if (mb->root == b) v3_copy(k->O + 3 * b, f->p);
  for (int j = 0; j < 3; j++) m3_column(S + 6 * j, R, j);
}

/* velocity of a floating body about O, its own origin: V = (R w, v), A0 = (0, v x R w) */
static void velocity_floating(hk_kin *k, int32_t b, const double *v) {
  const double *S = k->S + 6 * (k->m->bodies[b].v0 + 3);
  double *V = k->V + 6 * b, *A = k->A0 + 6 * b;
  hk_frame *f = &k->frame[b];
  for (int i = 0; i < 3; i++) V[i] = v[3] * S[i] + v[4] * S[6 + i] + v[5] * S[12 + i];
  v3_copy(V + 3, v);
  v3_zero(A);
  v3_cross(A + 3, V + 3, V);
  v3_copy(f->w, V);
  v3_copy(f->v, V + 3);
}

/* bias_rel of a joint, see the equations above */
static void joint_bias(const hk_kin *k, int32_t b, const double *v, const double *Vrel,
                       double *bias) {
  const hk_model_body *mb = &k->m->bodies[b];
  const double *Rp = NULL;
  static const double I3[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  hk_joint_tree jt;
  double RA[9], pB[3], r[3], vB[3], c[6], t[3];
  mb->ops->tree(mb->par, k->q + mb->q0, v + mb->v0, &jt);
  Rp = mb->parent == HK_GROUND ? I3 : k->frame[mb->parent].R;
  m3_mul(RA, Rp, mb->on_parent.R);
  m3_mulv(c, RA, jt.c);
  m3_mulv(c + 3, RA, jt.c + 3);
  // r = p_B - O, relative velocity of B's origin
  m3_mulv(pB, k->frame[b].R, mb->on_child.p);
  v3_add(pB, pB, k->frame[b].p);
  v3_sub(r, pB, k->O + 3 * mb->root);
  v3_cross(t, Vrel, r);
  v3_add(vB, Vrel + 3, t);
  v3_copy(bias, c);
  v3_cross(t, c, r);
  v3_sub(bias + 3, c + 3, t);
  v3_cross(t, Vrel, vB);
  v3_sub(bias + 3, bias + 3, t);
}

/* velocity of a node without rotation about O, its own origin */
static void velocity_shifting(hk_kin *k, int32_t b, const double *v) {
  v3_zero(k->V + 6 * b);
  v3_copy(k->V + 6 * b + 3, v);
  v3_copy(k->frame[b].v, v);
}

HKI_INLINE void move_body(hk_kin *k, int32_t b, const double *v) {
  static const double zero6[6] = {0};
  const hk_model_body *mb = &k->m->bodies[b];
  const double *Vp = mb->parent == HK_GROUND ? zero6 : k->V + 6 * mb->parent;
  const double *Ap = mb->parent == HK_GROUND ? zero6 : k->A0 + 6 * mb->parent;
  double *V = k->V + 6 * b, *A = k->A0 + 6 * b, Vrel[6] = {0}, x[6], r[3];
  if (k->floating[b]) {
    velocity_floating(k, b, v + mb->v0);
    return;
  }
  if (k->shifting[b]) {
    velocity_shifting(k, b, v + mb->v0);
    return;
  }
  for (int32_t j = mb->v0; j < mb->v0 + mb->nv; j++) s6_axpy(Vrel, v[j], k->S + 6 * j);
  s6_add(V, Vp, Vrel);
  s6_cross(x, Vp, Vrel);
  s6_add(A, Ap, x);
  if (k->biased[b]) {
    joint_bias(k, b, v, Vrel, x);
    s6_add(A, A, x);
  }
  // velocity of the frame's origin
  hk_frame *f = &k->frame[b];
  v3_copy(f->w, V);
  v3_sub(r, f->p, k->O + 3 * b);
  v3_cross(f->v, V, r);
  v3_add(f->v, f->v, V + 3);
}

static void move_other(hk_kin *k, int32_t b, const double *v) { move_body(k, b, v); }

void hki_kin_velocity(hk_kin *k, const double *v) {
  const hk_model *m = k->m;
  HK_KNOWN(k, HK_KIN_POSITIONS);
  k->v = v;
  k->known = (k->known & ~k->by_velocity) | HK_KIN_VELOCITIES;
  if (m->nz) { // the end of a stage has been found for its private states already
    const size_t size = (size_t)m->nv * sizeof *v;
    if (k->moved && memcmp(k->v_moved, v, size) == 0) return;
    memcpy(k->v_moved, v, size);
    k->moved = true;
  }
  if (k->plane) {
    hki_plane_velocities(k, v);
    return;
  }
  if (k->single && !k->lanes) {
    hki_single_velocities(k, v, move_other);
    return;
  }
  if (!k->lanes) {
    for (int32_t b = 0; b < m->nb; b++) move_body(k, b, v);
    return;
  }
  for (int32_t i = 0; i < m->nseq; i++) {
    if (m->seq[i] < 0)
      hki_lanes_velocity(k, &k->lanes[-1 - m->seq[i]], v);
    else if (k->single && k->single[m->seq[i]].hinge)
      hki_single_velocity(k, m->seq[i], v);
    else
      move_body(k, m->seq[i], v);
  }
}

HKI_INLINE void place_body(hk_kin *k, int32_t b, const double *q) {
  static const double I3[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, zero[3] = {0};
  const hk_model_body *mb = &k->m->bodies[b];
  const double *Rp = mb->parent == HK_GROUND ? I3 : k->frame[mb->parent].R;
  const double *pp = mb->parent == HK_GROUND ? zero : k->frame[mb->parent].p;
  if (k->shifting[b]) {
    v3_copy(k->frame[b].p, q + mb->q0);
    v3_copy(k->O + 3 * b, q + mb->q0);
    return;
  }
  if (mb->ops->caps & HK_JOINT_ROTATION_Z)
    place_revolute(k, b, Rp, pp, q[mb->q0]);
  else if (k->floating[b])
    place_floating(k, b, q + mb->q0);
  else if (k->spherical[b])
    place_spherical(k, b, Rp, pp, q + mb->q0);
  else
    place_general(k, b, Rp, pp, q + mb->q0);
  if (mb->root != b) v3_copy(k->O + 3 * b, k->O + 3 * mb->root);
  body_inertia(k, b);
}

static void place_other(hk_kin *k, int32_t b, const double *q) { place_body(k, b, q); }

/* Signals are taken at t, or just before a jump that ends the step: at the number below its time, which is positive. As a difference, so
 * that it can be followed (decision 0135). */
static double left_of_jump(const hk_kin *k, double t) {
  return t < k->t_cap ? t : k->t_cap - 0x1p-53 * k->t_cap;
}

void hki_kin_own_frames(hk_kin *k, const hk_kin *accepted, double t, const double *q,
                        const double *v) {
  k->disc = accepted->disc;
  k->state = accepted->state;
  k->t_cap = accepted->t_cap;
  k->t = left_of_jump(k, t);
  k->q = q;
  k->v = v;
  k->known = HK_KIN_FRAMES | HK_KIN_MOTION | k->always;
  k->moved = false;
}

/* positions q at t are to be found; false: they are known already */
static bool moves_to(hk_kin *k, double t, const double *q) {
  const size_t size = (size_t)k->m->nq * sizeof *q;
  const bool placed = k->known & HK_KIN_SUBSPACES;
  const uint32_t kept = k->known & k->by_place;
  k->t = left_of_jump(k, t);
  k->q = q;
  k->known = HK_KIN_POSITIONS | k->always;
  if (placed && memcmp(k->q_placed, q, size) == 0) return k->known |= kept, false;
  memcpy(k->q_placed, q, size);
  k->moved = false;
  return true;
}

void hki_kin_positions(hk_kin *k, double t, const double *q) {
  const hk_model *m = k->m;
  if (!moves_to(k, t, q)) return;
  if (k->plane) {
    hki_plane_places(k, q);
    return;
  }
  if (k->single && !k->lanes) {
    hki_single_places(k, q, place_other);
    return;
  }
  if (!k->lanes) {
    for (int32_t b = 0; b < m->nb; b++) place_body(k, b, q);
    return;
  }
  for (int32_t i = 0; i < m->nseq; i++) {
    const int32_t b = m->seq[i];
    if (b < 0)
      hki_lanes_place(k, &k->lanes[-1 - b], q);
    else if (k->single && k->single[b].hinge && k->single[b].diagonal)
      hki_single_place(k, b, q);
    else
      place_body(k, b, q);
  }
}

void hki_kin_state(hk_kin *k, double t, const double *q, const double *v) {
  if (k->single && !k->lanes && !k->m->nz && moves_to(k, t, q)) {
    k->v = v;
    k->known = (k->known & ~k->by_velocity) | HK_KIN_VELOCITIES;
    if (k->plane)
      hki_plane_states(k, q, v);
    else
      hki_single_states(k, q, v, place_other, move_other);
    return;
  }
  hki_kin_positions(k, t, q);
  hki_kin_velocity(k, v);
}

void hki_kin_accelerations(const hk_kin *k, const double *a, const uint8_t *which, double *A) {
  static const double zero6[6] = {0};
  const hk_model *m = k->m;
  HK_KNOWN(k, HK_KIN_POSITIONS | HK_KIN_VELOCITIES);
  // first the sums of S a from root to leaf, then A0 of each body
  for (int32_t b = 0; b < m->nb; b++) {
    if (which && !which[b]) continue;
    const hk_model_body *mb = &m->bodies[b];
    s6_copy(A + 6 * b, mb->parent == HK_GROUND ? zero6 : A + 6 * mb->parent);
    for (int32_t j = mb->v0; j < mb->v0 + mb->nv; j++) s6_axpy(A + 6 * b, a[j], k->S + 6 * j);
  }
  for (int32_t b = 0; b < m->nb; b++)
    if (!which || which[b]) s6_axpy(A + 6 * b, 1.0, k->A0 + 6 * b);
}

HKI_INLINE void body_force(hk_kin *k, int32_t b, const double *a, double *all_A, double *all_F) {
  static const double zero6[6] = {0};
  if (k->single) {
    hki_single_force(k, b, a, all_A, all_F);
    return;
  }
  const hk_link *l = &k->link[b];
  const double *Ap = l->parent == HK_GROUND ? zero6 : all_A + 6 * l->parent;
  const double *V = k->V + 6 * b, *W = k->W + 6 * b;
  double A[6], full[6], p[6], x[6], f[6], *F = all_F + 6 * b;
  s6_copy(A, Ap);
  for (int32_t j = l->v0; j < l->v0 + l->nv; j++) s6_axpy(A, a[j], k->S + 6 * j);
  s6_copy(all_A + 6 * b, A);
  if (k->inert[b] == HK_INERT_NONE) {
    s6_set(F, -W[0], -W[1], -W[2], -W[3], -W[4], -W[5]);
    return;
  }
  s6_add(full, A, k->A0 + 6 * b);
  inertia_mul(f, &k->I[b], full);
  inertia_mul(p, &k->I[b], V);
  s6_cross_force(x, V, p);
  s6_set(F, f[0] + (x[0] - W[0]), f[1] + (x[1] - W[1]), f[2] + (x[2] - W[2]), f[3] + (x[3] - W[3]),
         f[4] + (x[4] - W[4]), f[5] + (x[5] - W[5]));
}

void hki_kin_body_forces(hk_kin *k, const double *a, double *A, double *F) {
  const hk_model *m = k->m;
  HK_KNOWN(k, HK_KIN_POSITIONS | HK_KIN_VELOCITIES | HK_KIN_FORCES);
  if (k->plane) {
    hki_plane_forces(k, a, A, F);
  } else if (!k->lanes) {
    for (int32_t b = 0; b < m->nb; b++) body_force(k, b, a, A, F);
  } else {
    for (int32_t i = 0; i < m->nseq; i++) {
      if (m->seq[i] >= 0)
        body_force(k, m->seq[i], a, A, F);
      else
        hki_lanes_forces(k, &k->lanes[-1 - m->seq[i]], a, A, F);
    }
  }
  if (m->wide_inert) hki_kin_add_wide_inertia(k, A, true, F);
}
