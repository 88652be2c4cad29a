/* SPDX-License-Identifier: Apache-2.0
 *
 * senses.c: what is measured of two markers without a joint between them: velocities against their
 * definition, bias, tangent and derivative of the bias against finite differences.
 */
#include "joints/sense.h"
#include "support_joints.h"

static const hk_joint_ops *const tables[] = {&hki_sense_seen, &hki_sense_own};

#define FOR_EACH_CASE(c, k)                                                                        \
  for (int32_t i_ = 0; i_ < HK_ARRAY_LEN(tables); i_++)                                            \
    for (int32_t n_ = 0; n_ < joint_cases(); n_++)                                                 \
      for (int32_t k = (case_make(&(c), tables[i_], n_, 0.4), 0); k < (c).ops->ns; k++)

/* velocity of B's origin seen from A, angular velocity against it; along the axes of A or B */
static double expected(const joint_case *c, int32_t k) {
  const bool own = c->ops == &hki_sense_own;
  double d[3], x[3], y[3], e[3];
  m3_column(e, own ? c->B.R : c->A.R, k % 3);
  v3_sub(y, c->B.w, c->A.w);
  if (k < 3) {
    v3_sub(d, c->B.p, c->A.p);
    v3_cross(x, c->A.w, d);
    v3_sub(y, c->B.v, c->A.v);
    v3_sub(y, y, x);
  }
  return v3_dot(e, y);
}

START_TEST(test_velocities) {
  joint_case c;
  FOR_EACH_CASE(c, k) {
    hk_joint_coord s;
    c.ops->coord(&c.par, k, &c.A, &c.B, 0.0, &s);
    CHECK_NEAR(&c, "sd", s.sd, expected(&c, k), 1e-13);
    CHECK_NEAR(&c, "gV", s.sd,
               v3_dot(s.gA, c.A.w) + v3_dot(s.gA + 3, c.A.v) + v3_dot(s.gB, c.B.w) +
                   v3_dot(s.gB + 3, c.B.v),
               1e-13);
  }
}
END_TEST

START_TEST(test_bias_matches_differences) {
  joint_case c;
  FOR_EACH_CASE(c, k) {
    const double h = 1e-3;
    hk_joint_coord s0, s;
    hk_frame A, B;
    double bias = 0.0;
    c.ops->coord(&c.par, k, &c.A, &c.B, 0.0, &s0);
    for (int i = 0; i < STENCIL; i++) {
      frame_move(&A, &c.A, stencil_at[i] * h);
      frame_move(&B, &c.B, stencil_at[i] * h);
      c.ops->coord(&c.par, k, &A, &B, 0.0, &s);
      bias += stencil_weight[i] * s.sd / h;
    }
    CHECK_NEAR(&c, "bias", s0.bias, bias, 1e-8);
  }
}
END_TEST

START_TEST(test_derivatives_match_differences) {
  joint_case c;
  FOR_EACH_CASE(c, k) {
    const double h = 1e-3;
    hk_joint_coord s;
    hk_frame A, B;
    double H[144], D[12];
    c.ops->coord_geo(&c.par, k, &c.A, &c.B, H);
    hki_joint_coord_bias_geo(c.ops, &c.par, k, &c.A, &c.B, D);
    for (int32_t j = 0; j < 12; j++) {
      double diff[12] = {0}, dbias = 0.0;
      for (int i = 0; i < STENCIL; i++) {
        pair_add(&c, j, stencil_at[i] * h, &A, &B);
        c.ops->coord(&c.par, k, &A, &B, 0.0, &s);
        s6_axpy(diff, stencil_weight[i] / h, s.gA);
        s6_axpy(diff + 6, stencil_weight[i] / h, s.gB);
        dbias += stencil_weight[i] * s.bias / h;
      }
      for (int32_t i = 0; i < 12; i++) CHECK_NEAR(&c, "H", H[12 * i + j], diff[i], 1e-8);
      CHECK_NEAR(&c, "dbias", D[j], dbias, 1e-7 * (1.0 + fabs(dbias)));
    }
  }
}
END_TEST

Suite *suite_senses(void);
Suite *suite_senses(void) {
  Suite *s = suite_create("senses");
  TCase *t = tcase_create("senses");
  tcase_add_test(t, test_velocities);
  tcase_add_test(t, test_bias_matches_differences);
  tcase_add_test(t, test_derivatives_match_differences);
  suite_add_tcase(s, t);
  return s;
}
