/* SPDX-License-Identifier: Apache-2.0
 *
 * tree.c: coordinates that are plain numbers or unit quaternions, and the parameter tables that
 * several joints share.
 */
#include "joints/tree.h"

const hk_param hki_joint_no_params[] = {HK_PARAM_END};
const hk_param hki_joint_axis_params[] = {HK_PARAM_AXIS, HK_PARAM_END};
const hk_param hki_joint_shaft_params[] = {
    HK_PARAM_HAND("axis", HK_P_AXIS, HK_P_REQUIRED,
                  "shaft of the first body, positive by the right-hand rule"),
    HK_PARAM_HAND(
        "axis2", HK_P_AXIS, 0,
        "shaft of the second body where it is drawn at an angle to the first, in the sense "
        "in which both turn (default: axis)"),
    HK_PARAM_END};
const hk_param hki_joint_normal_params[] = {
    HK_PARAM_HAND("normal", HK_P_AXIS, HK_P_REQUIRED,
                  "normal of the plane, fixed in the first body"),
    HK_PARAM_END};

void hki_tree_quaternion(hk_joint_tree *out, const double *q, int32_t k) {
  quat_to_rot(out->R, q);
  for (int j = 0; j < 3; j++) {
    double *S = out->S + 6 * (k + j);
    m3_column(S, out->R, j);
    v3_zero(S + 3);
  }
}

static void plus(int32_t n, const double *q, const double *d, double *q_out) {
  for (int32_t i = 0; i < n; i++) q_out[i] = q[i] + d[i];
}
static void minus(int32_t n, const double *q1, const double *q0, double *d) {
  for (int32_t i = 0; i < n; i++) d[i] = q1[i] - q0[i];
}

void hki_plus_0(const double *q, const double *d, double *q_out) { plus(0, q, d, q_out); }
void hki_plus_1(const double *q, const double *d, double *q_out) { plus(1, q, d, q_out); }
void hki_plus_2(const double *q, const double *d, double *q_out) { plus(2, q, d, q_out); }
void hki_plus_3(const double *q, const double *d, double *q_out) { plus(3, q, d, q_out); }
void hki_minus_0(const double *q1, const double *q0, double *d) { minus(0, q1, q0, d); }
void hki_minus_1(const double *q1, const double *q0, double *d) { minus(1, q1, q0, d); }
void hki_minus_2(const double *q1, const double *q0, double *d) { minus(2, q1, q0, d); }
void hki_minus_3(const double *q1, const double *q0, double *d) { minus(3, q1, q0, d); }

void hki_measure_quaternion(const hk_frame *A, const hk_frame *B, const double *q_near, double *q,
                            double *v) {
  double R[9], w[3], side = 0.0;
  m3_tmul(R, A->R, B->R);
  quat_from_rot(q, R);
  for (int i = 0; q_near && i < 4; i++) side += q[i] * q_near[i];
  if (side < 0.0)
    for (int i = 0; i < 4; i++) q[i] = -q[i];
  v3_sub(w, B->w, A->w);
  m3_tmulv(v, B->R, w);
}
