/* SPDX-License-Identifier: Apache-2.0
 *
 * bias_geo.c: derivatives of the acceleration bias of every joint's rows and coordinates with
 * respect to the poses of its markers, against finite differences, and gamma as the quadratic form
 * of loop_geo.
 */
#include "support_joints.h"

static const double off[] = {0.0, 0.4};

/* every joint, random cases on and off its own motion */
#define FOR_EACH_CASE(c)                                                                           \
  for (int32_t i_ = 0; i_ < hki_joint_count(); i_++)                                               \
    for (int32_t n_ = 0; n_ < joint_cases(); n_++)                                                 \
      for (int once_ = (case_make(&(c), hki_joint_at(i_), n_, off[n_ % 2]), 1); once_; once_ = 0)

START_TEST(test_row_bias_derivative_matches_differences) {
  joint_case c;
  FOR_EACH_CASE(c) {
    const double h = 1e-3;
    hk_joint_loop L;
    hk_frame A, B;
    double D[72];
    hki_joint_bias_geo(c.ops, &c.par, &c.A, &c.B, D);
    for (int32_t j = 0; j < 12; j++) {
      double diff[6] = {0};
      for (int s = 0; s < STENCIL; s++) {
        pair_add(&c, j, stencil_at[s] * h, &A, &B);
        c.ops->loop(&c.par, &A, &B, HK_LOOP_ACC, &L);
        for (int32_t r = 0; r < c.rows; r++) diff[r] += stencil_weight[s] * L.gamma[r] / h;
      }
      for (int32_t r = 0; r < c.rows; r++)
        CHECK_NEAR(&c, "dgamma", D[12 * r + j], diff[r], 1e-7 * (1.0 + fabs(diff[r])));
    }
  }
}
END_TEST

START_TEST(test_coordinate_bias_derivative_matches_differences) {
  joint_case c;
  FOR_EACH_CASE(c) {
    const double h = 1e-3;
    for (int32_t k = 0; k < c.ops->ns; k++) {
      hk_joint_coord x, y;
      hk_frame A, B;
      double D[12];
      c.ops->coord(&c.par, k, &c.A, &c.B, 0.0, &x);
      hki_joint_coord_bias_geo(c.ops, &c.par, k, &c.A, &c.B, D);
      for (int32_t j = 0; j < 12; j++) {
        double diff = 0.0;
        for (int s = 0; s < STENCIL; s++) {
          pair_add(&c, j, stencil_at[s] * h, &A, &B);
          c.ops->coord(&c.par, k, &A, &B, x.s, &y);
          diff += stencil_weight[s] * y.bias / h;
        }
        CHECK_NEAR(&c, "dbias", D[j], diff, 1e-7 * (1.0 + fabs(diff)));
      }
    }
  }
}
END_TEST

START_TEST(test_bias_is_the_form_of_loop_geo) {
  joint_case c;
  FOR_EACH_CASE(c) {
    hk_joint_loop L;
    double V[12];
    v3_copy(V, c.A.w), v3_copy(V + 3, c.A.v), v3_copy(V + 6, c.B.w), v3_copy(V + 9, c.B.v);
    c.ops->loop(&c.par, &c.A, &c.B, HK_LOOP_ACC, &L);
    for (int32_t r = 0; r < c.rows; r++) {
      double lam[6] = {0}, H[144], sum = 0.0;
      lam[r] = 1.0;
      c.ops->loop_geo(&c.par, &c.A, &c.B, lam, H);
      for (int i = 0; i < 144; i++) sum += V[i / 12] * H[i] * V[i % 12];
      CHECK_NEAR(&c, "V'HV", L.gamma[r], sum, 1e-11 * (1.0 + fabs(sum)));
    }
  }
}
END_TEST

Suite *suite_bias_geo(void) {
  Suite *s = suite_create("joints bias derivatives");
  TCase *t = tcase_create("bias");
  tcase_add_test(t, test_row_bias_derivative_matches_differences);
  tcase_add_test(t, test_coordinate_bias_derivative_matches_differences);
  tcase_add_test(t, test_bias_is_the_form_of_loop_geo);
  suite_add_tcase(s, t);
  return s;
}
