/* SPDX-License-Identifier: Apache-2.0
 *
 * slips.c: joints whose surfaces touch at a point that moves over both: the velocity by which they slide
 * there against the motion of the bodies at that point, and its gradient against finite differences.
 */
#include "joints/outline.h"
#include "support_joints.h"

#define FOR_EACH_CASE(c)                                                                           \
  for (int32_t i_ = 0; i_ < hki_joint_count(); i_++)                                               \
    for (int32_t n_ = 0; hki_joint_at(i_)->friction.slip && n_ < joint_cases(); n_++)              \
      for (int once_ = (case_make(&(c), hki_joint_at(i_), n_, 0.4), 1); once_; once_ = 0)

/* velocity of point x as a part of the body of F */
static void velocity(const hk_frame *F, const double *x, double *v) {
  double r[3];
  v3_sub(r, x, F->p);
  v3_cross(v, F->w, r);
  v3_add(v, v, F->v);
}

/* the row of the gap, along its normal: where it acts and in which direction, from its wrench on B */
static void contact(const joint_case *c, double *x, double *normal) {
  hk_joint_coord gap;
  double r[3];
  c->ops->coord(&c->par, 0, &c->A, &c->B, 0.0, &gap);
  v3_copy(normal, gap.gB + 3);
  // the point nearest to B's origin on the line of action; from there to the curve, or to the surface of a
  // nose
  v3_cross(r, normal, gap.gB);
  v3_add(x, c->B.p, r);
  const hk_outline_num *num = (const void *)&c->par;
  v3_axpy(x, c->ops->scalars[0] == HK_S_OUTLINE ? -num->radius : -gap.s, normal);
}

START_TEST(test_velocities) {
  joint_case c;
  int seen = 0;
  FOR_EACH_CASE(c) {
    double x[3], n[3], z[3], t[3], v[2][3];
    hk_slip s;
    c.ops->friction.slip(&c.par, &c.A, &c.B, false, &s);
    // what the bodies do at the point, across the normal of the gap in the plane of the curve
    contact(&c, x, n);
    m3_column(z, c.A.R, 2);
    v3_cross(t, z, n);
    velocity(&c.A, x, v[0]);
    velocity(&c.B, x, v[1]);
    v3_sub(v[0], v[1], v[0]);
    const double expected = v3_dot(t, v[0]);
    // a follower inside its curve has the normal the other way
    CHECK_NEAR(&c, "u", fabs(s.u), fabs(expected), 1e-9);
    CHECK_NEAR(&c, "row", s.u,
               v3_dot(s.row, c.A.w) + v3_dot(s.row + 3, c.A.v) + v3_dot(s.row + 6, c.B.w) +
                   v3_dot(s.row + 9, c.B.v),
               1e-13);
    seen++;
  }
  ck_assert_int_gt(seen, 0);
}
END_TEST

START_TEST(test_derivatives_match_differences) {
  joint_case c;
  FOR_EACH_CASE(c) {
    const double h = 1e-3;
    hk_slip s, x;
    hk_frame A, B;
    c.ops->friction.slip(&c.par, &c.A, &c.B, true, &s);
    for (int32_t j = 0; j < 12; j++) {
      double diff[12] = {0};
      for (int i = 0; i < STENCIL; i++) {
        pair_add(&c, j, stencil_at[i] * h, &A, &B);
        c.ops->friction.slip(&c.par, &A, &B, false, &x);
        for (int k = 0; k < 12; k++) diff[k] += stencil_weight[i] * x.row[k] / h;
      }
      for (int32_t i = 0; i < 12; i++) CHECK_NEAR(&c, "H", s.H[12 * i + j], diff[i], 1e-8);
    }
  }
}
END_TEST

Suite *suite_slips(void);
Suite *suite_slips(void) {
  Suite *s = suite_create("slips");
  TCase *t = tcase_create("slips");
  tcase_add_test(t, test_velocities);
  tcase_add_test(t, test_derivatives_match_differences);
  suite_add_tcase(s, t);
  return s;
}
