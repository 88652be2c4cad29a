/* SPDX-License-Identifier: Apache-2.0
 *
 * turned.c: joints with a prescribed rotation (joints with a quaternion) or with prescribed
 * components of their rotation vector (joints/general.c). The vector f = log(A'B) ends at half a
 * turn and is singular at a full one, so rows f_k - s_k could not follow a signal s that goes on.
 * They are therefore built on the error rotation, which stays small:
 *
 *   B'  = B P'                  P: prescribed rotation; of components s: exp(s), others zero
 *   f   = s + log(A'B')         what rows and coordinates are measured from
 *
 * With all three rotations locked, and with one alone about a fixed axis, this is the rotation
 * vector itself as long as that is below half a turn. Free components are those of the rotation
 * that is left after the prescribed one has been undone, in axes of A.
 *
 * P has the angular velocity w and acceleration w' in axes of A:
 *
 *   vector s        w  = J(-s) s'                   w' = J(-s) s'' + d(J(-s))/dt s'     (chart.h)
 *   quaternion q    w  = 2 vec(q' q*)/|q|^2         w' = 2 vec(q'' q*)/|q|^2 - 2 (q . q')/|q|^2 w
 *   angles a_i      w  = sum a_i' x_i               w' = sum a_i'' x_i + a_i' w_(i-1) x x_i
 *                   x_i: axis i, turned by the angles before it; w_(i-1): sum up to there
 *
 * B' turns against its body with u = -w in its own axes:
 *
 *   wB' - wB    = B'u                                      rel
 *   aB' - aB    = wB x B'u + B'u'                          acc
 *   phi_t      += G_B . rel + s'
 *   gamma      += G_B . acc + s''
 *
 * A row of a quaternion or of angles has one of their signals in the place of s: its value cancels
 * against the signal of the row, and tells the run what drives it.
 */
#include "geometry/chart.h"
#include "joints/pair.h"
#include "kinematics/kin.h"

/* a rotation that is undone: E = P', and the angular velocity u of B' against B in its own axes */
typedef struct undone {
  double E[9], u[3], ud[3];
} undone;

/* of components of a rotation vector; d = -s */
static void undo_vector(const hk_kin *k, const hk_model_joint *j, bool rates, undone *out) {
  double d[3], dd[3], ddd[3], z[3];
  for (int i = 0; i < 3; i++) {
    const double *f = j->turn_signal[i] == HK_NONE ? NULL : k->sig + 3 * j->turn_signal[i];
    d[i] = f ? j->turn_zero[i] - f[0] : 0.0;
    dd[i] = f ? -f[1] : 0.0;
    ddd[i] = f ? -f[2] : 0.0;
  }
  rot_exp(out->E, d);
  if (!rates) return;
  chart_push(d, dd, out->u);
  chart_push(d, ddd, out->ud);
  chart_bend(d, dd, z);
  v3_add(out->ud, out->ud, z);
}

/* v = 2 vec(a b*) */
static void twice_vector(const double *a, const double *b, double *v) {
  v3_cross(v, b + 1, a + 1);
  for (int i = 0; i < 3; i++) v[i] = 2.0 * (b[0] * a[1 + i] - a[0] * b[1 + i] + v[i]);
}

static void undo_quaternion(const hk_kin *k, const hk_model_joint *j, bool rates, undone *out) {
  double q[4], qd[4], qdd[4], n = 0.0, nd = 0.0;
  for (int i = 0; i < 4; i++) {
    const double *f = k->sig + 3 * j->turn_signal[i];
    q[i] = f[0], qd[i] = f[1], qdd[i] = f[2];
    n += q[i] * q[i], nd += q[i] * qd[i];
  }
  const double f = 1.0 / sqrt(n), unit[4] = {f * q[0], -f * q[1], -f * q[2], -f * q[3]};
  quat_to_rot(out->E, unit);
  if (!rates) return;
  twice_vector(qd, q, out->u);
  twice_vector(qdd, q, out->ud);
  for (int i = 0; i < 3; i++) {
    out->u[i] /= -n;
    out->ud[i] = -out->ud[i] / n - 2.0 * nd / n * out->u[i];
  }
}

static void undo_angles(const hk_kin *k, const hk_model_joint *j, bool rates, undone *out) {
  double P[9], w[3] = {0}, wd[3] = {0};
  m3_identity(P);
  for (int i = 0; i < 3; i++) {
    const double *f = k->sig + 3 * j->turn_signal[i];
    double x[3], e[3] = {0}, t[3], R[9], Q[9];
    m3_column(x, P, j->turn_axis[i]);
    v3_cross(t, w, x);
    v3_axpy(wd, f[1], t);
    v3_axpy(wd, f[2], x);
    v3_axpy(w, f[1], x);
    e[j->turn_axis[i]] = 1.0;
    rot_axis(R, e, f[0]);
    m3_mul(Q, P, R);
    memcpy(P, Q, sizeof P);
  }
  m3_transpose(out->E, P);
  if (!rates) return;
  v3_scale(out->u, -1.0, w);
  v3_scale(out->ud, -1.0, wd);
}

static void undo(const hk_kin *k, const hk_model_joint *j, bool rates, undone *out) {
  if (j->turn_kind == HK_TURN_QUATERNION)
    undo_quaternion(k, j, rates, out);
  else if (j->turn_kind == HK_TURN_ANGLES)
    undo_angles(k, j, rates, out);
  else
    undo_vector(k, j, rates, out);
}

void hki_kin_turn_marker(const hk_kin *k, int32_t joint, hk_frame *B) {
  undone p;
  double R[9];
  undo(k, &k->m->joints[joint], false, &p);
  m3_mul(R, B->R, p.E);
  memcpy(B->R, R, sizeof R);
}

void hki_kin_turn_rates(const hk_kin *k, int32_t joint, const hk_frame *B, double *rel,
                        double *acc) {
  undone p;
  undo(k, &k->m->joints[joint], true, &p);
  m3_mulv(rel, B->R, p.u);
  m3_mulv(acc, B->R, p.ud);
  v3_cross_add(acc, B->w, rel);
}

/* prescribed value, rate, acceleration of a scalar of this kind; NULL: not prescribed */
static const double *prescribed(const hk_kin *k, const hk_model_joint *j, uint8_t what,
                                double *zero) {
  const int i = hki_scalar_log(what);
  const int32_t signal = i < 0 ? HK_NONE : hki_turn_row_signal(j, i);
  if (signal == HK_NONE) return NULL;
  *zero = j->turn_zero[i];
  return k->sig + 3 * signal;
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
