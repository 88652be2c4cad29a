/* SPDX-License-Identifier: Apache-2.0
 *
 * support_joints.h: random frames, motions and joint parameters for the property tests, which run
 * over every entry of the table of joints.
 */
#ifndef HK_TESTS_JOINTS_SUPPORT_H
#define HK_TESTS_JOINTS_SUPPORT_H

#include "joint_keys.h"

/* one case of a property test: two frames, the joint's numbers, its coordinates on the tree motion
 */
typedef struct joint_case {
  const hk_joint_ops *ops;
  double par[8]; /* its numbers, up to par_size bytes */
  hk_frame A, B;
  double q[8], v[8]; /* of the tree motion, when there is one */
  int32_t rows;      /* hki_joint_rows */
} joint_case;

/* number of random cases per joint */
int32_t joint_cases(void);

/* repeatable random numbers */
void rnd_seed(uint64_t seed);
double rnd(double lo, double hi);
void rnd_vector(double *x, int32_t n, double size);

/* coordinates at the drawing position */
void joint_zero(const hk_joint_ops *ops, double *q);

/* B on the joint's own motion (q, v) relative to A */
void frame_on_tree(const joint_case *c, const double *q, const double *v, hk_frame *B);

/* a case with B on the joint's own motion, or near it (off by up to `off` rad and m);
 * constraint-only joints get any relative pose */
void case_make(joint_case *c, const hk_joint_ops *ops, int32_t number, double off);

/* pose increment eps * xi on the left */
void frame_add(hk_frame *out, const hk_frame *in, const double *xi, double eps);

/* the frame after time t with constant w and v */
void frame_move(hk_frame *out, const hk_frame *in, double t);

/* the pair (xiA, xiB) number j = 0..11 as unit increments of the two frames by eps */
void pair_add(const joint_case *c, int32_t j, double eps, hk_frame *A, hk_frame *B);

/* fourth-order central difference: f' = sum weight[i] f(at[i] h) / h */
enum { STENCIL = 4 };
extern const double stencil_at[STENCIL], stencil_weight[STENCIL];

/* fails with the joint's name unless |x - y| <= tol (1 + |y|) */
#define CHECK_NEAR(c, what, x, y, tol)                                                             \
  do {                                                                                             \
    double x_ = (x), y_ = (y);                                                                     \
    ck_assert_msg(fabs(x_ - y_) <= (tol) * (1.0 + fabs(y_)), "%s: %s is %.15g, expected %.15g",    \
                  (c)->ops->name, what, x_, y_);                                                   \
  } while (0)

#endif
