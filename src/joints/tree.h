/* SPDX-License-Identifier: Apache-2.0
 *
 * tree.h: shared by the tree faces of the joints: rotation about and translation along z,
 * coordinates that are plain numbers, quaternions, rows of parameter tables.
 */
#ifndef HK_JOINTS_TREE_H
#define HK_JOINTS_TREE_H

#include "joints/joint.h"

/* B coincides with A; c = 0; S is not set */
static inline void hki_tree_identity(hk_joint_tree *out) {
  m3_identity(out->R);
  v3_zero(out->p);
  s6_zero(out->c);
}

/* R = rotation about z */
static inline void hki_tree_turn_z(hk_joint_tree *out, double angle) {
  double s = sin(angle), c = cos(angle);
  out->R[0] = c, out->R[1] = -s, out->R[2] = 0;
  out->R[3] = s, out->R[4] = c, out->R[5] = 0;
  out->R[6] = 0, out->R[7] = 0, out->R[8] = 1;
}

/* column k of S is the unit vector `row` (0..2 rotation, 3..5 translation), times `size` */
static inline void hki_tree_column(hk_joint_tree *out, int32_t k, int32_t row, double size) {
  s6_zero(out->S + 6 * k);
  out->S[6 * k + row] = size;
}

/* R from the quaternion, and columns k .. k+2 of S: (column of R, 0). Their part of c is zero,
 * since (dR/dt) v = R (v x v) = 0. */
void hki_tree_quaternion(hk_joint_tree *out, const double *q, int32_t k);

/* plus and minus of n plain numbers */
void hki_plus_0(const double *q, const double *d, double *q_out);
void hki_plus_1(const double *q, const double *d, double *q_out);
void hki_plus_2(const double *q, const double *d, double *q_out);
void hki_plus_3(const double *q, const double *d, double *q_out);
void hki_minus_0(const double *q1, const double *q0, double *d);
void hki_minus_1(const double *q1, const double *q0, double *d);
void hki_minus_2(const double *q1, const double *q0, double *d);
void hki_minus_3(const double *q1, const double *q0, double *d);

/* relative quaternion of two frames, of the two signs the one nearer to q_near (NULL: w >= 0), and
 * angular velocity of B relative to A in B axes */
void hki_measure_quaternion(const hk_frame *A, const hk_frame *B, const double *q_near, double *q,
                            double *v);

/* references for the equations of most joints */
#define HK_SOURCE_ROWS                                                                             \
  "Haug, Computer-Aided Kinematics and Dynamics of Mechanical Systems (1989), ch. 9"
#define HK_SOURCE_TREE "Featherstone, Rigid Body Dynamics Algorithms (2008), table 4.1"

/* hk_joint_inverse of n coordinates with T(q)^-1 = T(-q) */
#define HK_INVERSE_MINUS(n)                                                                        \
  {                                                                                                \
    .own = true, .minus = { 1, (n) > 1 ? 2 : 0, (n) > 2 ? 3 : 0 }                                  \
  }

/* hk_joint_ops.mirror: z of the markers transforms as an axis of rotation; as a direction */
#define HK_MIRROR_TURNS                                                                            \
  { -1, -1, -1 }
#define HK_MIRROR_SLIDES                                                                           \
  { -1, 1, 1 }

/* a row that a function of its own reads */
#define HK_PARAM_HAND(name_, type_, flags_, text_)                                                 \
  { .name = name_, .type = type_, .flags = flags_, .offset = HK_P_HAND, .unit = "", .text = text_ }
#define HK_PARAM_AXIS                                                                              \
  HK_PARAM_HAND("axis", HK_P_AXIS, HK_P_REQUIRED,                                                  \
                "the joint's axis, positive by the right-hand rule")

/* keys of a joint that has an axis, two shafts, a plane's normal, or nothing */
extern const hk_param hki_joint_axis_params[];
extern const hk_param hki_joint_shaft_params[];
extern const hk_param hki_joint_normal_params[];
extern const hk_param hki_joint_no_params[];

#endif
