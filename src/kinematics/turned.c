/* SPDX-License-Identifier: Apache-2.0
 *
 * turned.c: joints with prescribed components of their rotation vector (joints/general.c). The
 * vector f = log(A'B) ends at half a turn and is singular at a full one, so rows f_k - s_k could not
 * follow a signal s that goes on. They are therefore built on the error rotation, which stays small:
 *
 *   B'  = B exp(-s)             s: prescribed components, zero for the others
 *   f   = s + log(A'B')         what rows and coordinates are measured from
 *
 * With all three rotations locked, and with one alone about a fixed axis, this is the rotation
 * vector itself as long as that is below half a turn. Free components are those of the rotation
 * that is left after the prescribed one has been undone, in axes of A.
 *
 * B' turns against its body. With d = -s, J of geometry/chart.h and u = J d':
 *
 *   wB' - wB    = B'u                                      rel
 *   aB' - aB    = wB x B'u + B'(J d'' + (dJ/dt) d')        acc
 *   phi_t      += G_B . rel + s'
 *   gamma      += G_B . acc + s''
 */
#include "geometry/chart.h"
#include "joints/pair.h"
#include "kinematics/kin.h"

/* d = -s and its derivatives */
static void turning(const hk_kin *k, const hk_model_joint *j, double *d, double *dd, double *ddd) {
  for (int i = 0; i < 3; i++) {
    const double *f = j->turn_signal[i] == HK_NONE ? NULL : k->sig + 3 * j->turn_signal[i];
    d[i] = f ? j->turn_zero[i] - f[0] : 0.0;
    dd[i] = f ? -f[1] : 0.0;
    ddd[i] = f ? -f[2] : 0.0;
  }
}

void hki_kin_turn_marker(const hk_kin *k, int32_t joint, hk_frame *B) {
  double d[3], dd[3], ddd[3], R[9], E[9];
  turning(k, &k->m->joints[joint], d, dd, ddd);
  rot_exp(E, d);
  m3_mul(R, B->R, E);
  memcpy(B->R, R, sizeof R);
}

void hki_kin_turn_rates(const hk_kin *k, int32_t joint, const hk_frame *B, double *rel,
                        double *acc) {
  double d[3], dd[3], ddd[3], u[3], z[3];
  turning(k, &k->m->joints[joint], d, dd, ddd);
  chart_push(d, dd, u);
  m3_mulv(rel, B->R, u);
  chart_push(d, ddd, u);
  chart_bend(d, dd, z);
  v3_add(u, u, z);
  m3_mulv(acc, B->R, u);
  v3_cross_add(acc, B->w, rel);
}

/* prescribed value, rate, acceleration of a scalar of this kind; NULL: not prescribed */
static const double *prescribed(const hk_kin *k, const hk_model_joint *j, uint8_t what,
                                double *zero) {
  const int i = hki_scalar_log(what);
  if (i < 0 || j->turn_signal[i] == HK_NONE) return NULL;
  *zero = j->turn_zero[i];
  return k->sig + 3 * j->turn_signal[i];
}

void hki_kin_turned_loop(const hk_kin *k, int32_t joint, const hk_joint_ops *ops, const void *par,
                         const hk_frame *F, uint32_t need, hk_joint_loop *L, double *rt) {
  double rel[3], acc[3], zero = 0.0;
  hk_frame B = F[1];
  hki_kin_turn_rates(k, joint, &B, rel, acc);
  v3_add(B.w, B.w, rel);
  ops->loop(par, &F[0], &B, need | HK_LOOP_JAC, L);
  const uint32_t present = hki_joint_present(ops, par);
  for (int32_t i = 0, r = 0; i < ops->nc; i++) {
    if (!(present >> i & 1u)) continue;
    const double *f = prescribed(k, &k->m->joints[joint], ops->rows[i], &zero);
    rt[r] = v3_dot(L->GB + 6 * r, rel) + (f ? f[1] : 0.0);
    if (need & HK_LOOP_POS) L->phi[r] += f ? f[0] - zero : 0.0;
    if (need & HK_LOOP_ACC) L->gamma[r] += v3_dot(L->GB + 6 * r, acc) + (f ? f[2] : 0.0);
    r++;
  }
}

double hki_kin_coord(const hk_kin *k, int32_t joint, const hk_joint_ops *ops, const void *par,
                     int32_t coord, const hk_frame *F, double near, hk_joint_coord *x) {
  double rel[3], acc[3], zero = 0.0;
  hk_frame B = F[1];
  if (!hki_kin_turned(k, joint)) {
    ops->coord(par, coord, &F[0], &B, near, x);
    return 0.0;
  }
  hki_kin_turn_rates(k, joint, &B, rel, acc);
  v3_add(B.w, B.w, rel);
  ops->coord(par, coord, &F[0], &B, near, x);
  const double *f = prescribed(k, &k->m->joints[joint], ops->scalars[coord], &zero);
  x->bias += v3_dot(x->gB, acc) + (f ? f[2] : 0.0);
  x->sd += f ? f[1] : 0.0;
  x->s += f ? f[0] - zero : 0.0;
  return v3_dot(x->gB, rel) + (f ? f[1] : 0.0);
}

void hki_kin_coord_slope(const hk_kin *k, int32_t joint, const hk_frame *F, const double *gB,
                         const double *H, double *gd) {
  double V[12], rel[3], acc[3];
  for (int i = 0; i < 2; i++) v3_copy(V + 6 * i, F[i].w), v3_copy(V + 6 * i + 3, F[i].v);
  const bool turned = hki_kin_turned(k, joint);
  if (turned) hki_kin_turn_rates(k, joint, &F[1], rel, acc);
  if (turned) v3_add(V + 6, V + 6, rel);
  for (int i = 0; i < 12; i++) {
    gd[i] = 0.0;
    for (int j = 0; j < 12; j++) gd[i] += H[12 * j + i] * V[j];
  }
  // rel turns with the body: gB . (th x rel)
  if (turned) v3_cross_add(gd + 6, rel, gB);
}
