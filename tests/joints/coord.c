/* SPDX-License-Identifier: Apache-2.0
 *
 * coord.c: properties of the measured scalar coordinates of every joint: rate, gradients, bias and
 * tangent against finite differences, duality with the tree motion, turns of angles.
 */
#include "support_joints.h"

static const double off[] = {0.0, 0.4};

/* every scalar coordinate of every joint, random cases on and off its own motion */
#define FOR_EACH_CASE(c, k)                                                                        \
  for (int32_t i_ = 0; i_ < hki_joint_count(); i_++)                                               \
    for (int32_t n_ = 0; n_ < joint_cases() && hki_joint_at(i_)->ns > 0; n_++)                     \
      for (int32_t k = (case_make(&(c), hki_joint_at(i_), n_, off[n_ % 2]), 0); k < (c).ops->ns;   \
           k++)

START_TEST(test_gradient_and_rate_match_differences) {
  joint_case c;
  FOR_EACH_CASE(c, k) {
    const double h = 1e-3;
    hk_joint_coord s0, s;
    hk_frame A, B;
    c.ops->coord(&c.par, k, &c.A, &c.B, 0.0, &s0);
    for (int32_t j = 0; j < 12; j++) {
      double diff = 0.0;
      for (int i = 0; i < STENCIL; i++) {
        pair_add(&c, j, stencil_at[i] * h, &A, &B);
        c.ops->coord(&c.par, k, &A, &B, s0.s, &s);
        diff += stencil_weight[i] * s.s / h;
      }
      CHECK_NEAR(&c, "gradient", j < 6 ? s0.gA[j] : s0.gB[j - 6], diff, 1e-8);
    }
    double rate = 0.0, bias = 0.0;
    for (int i = 0; i < STENCIL; i++) {
      frame_move(&A, &c.A, stencil_at[i] * h);
      frame_move(&B, &c.B, stencil_at[i] * h);
      c.ops->coord(&c.par, k, &A, &B, s0.s, &s);
      rate += stencil_weight[i] * s.s / h;
      bias += stencil_weight[i] * s.sd / h;
    }
    CHECK_NEAR(&c, "sd", s0.sd, rate, 1e-8);
    CHECK_NEAR(&c, "bias", s0.bias, bias, 1e-8);
  }
}
END_TEST

START_TEST(test_tangent_matches_differences) {
  joint_case c;
  FOR_EACH_CASE(c, k) {
    const double h = 1e-3;
    hk_joint_coord s;
    hk_frame A, B;
    double H[144];
    for (int i = 0; i < 144; i++) H[i] = NAN;
    c.ops->coord_geo(&c.par, k, &c.A, &c.B, H);
    for (int32_t j = 0; j < 12; j++) {
      double diff[12] = {0};
      for (int i = 0; i < STENCIL; i++) {
        pair_add(&c, j, stencil_at[i] * h, &A, &B);
        c.ops->coord(&c.par, k, &A, &B, 0.0, &s);
        s6_axpy(diff, stencil_weight[i] / h, s.gA);
        s6_axpy(diff + 6, stencil_weight[i] / h, s.gB);
      }
      for (int32_t i = 0; i < 12; i++) CHECK_NEAR(&c, "H", H[12 * i + j], diff[i], 1e-8);
    }
  }
}
END_TEST

START_TEST(test_gradient_is_dual_to_motion) {
  /* on the joint's own motion ds_k/dt is v_k, and the bias agrees with c */
  joint_case c;
  FOR_EACH_CASE(c, k) {
    hk_joint_coord s;
    hk_joint_tree T;
    double V[6];
    if (c.ops->nv < 0) continue;
    v3_zero(c.A.w);
    v3_zero(c.A.v);
    frame_on_tree(&c, c.q, c.v, &c.B);
    c.ops->coord(&c.par, k, &c.A, &c.B, c.q[k], &s);
    c.ops->tree(&c.par, c.q, c.v, &T);
    for (int32_t j = 0; j < c.ops->nv; j++) {
      m3_mulv(V, c.A.R, T.S + 6 * j);
      m3_mulv(V + 3, c.A.R, T.S + 6 * j + 3);
      CHECK_NEAR(&c, "g S", s6_dot(s.gB, V), j == k ? 1.0 : 0.0, 1e-12);
    }
    m3_mulv(V, c.A.R, T.c);
    m3_mulv(V + 3, c.A.R, T.c + 3);
    CHECK_NEAR(&c, "g c + bias", s6_dot(s.gB, V) + s.bias, 0.0, 1e-11);
    CHECK_NEAR(&c, "s", s.s, c.q[k], 1e-13);
    CHECK_NEAR(&c, "sd", s.sd, c.v[k], 1e-12);
  }
}
END_TEST

START_TEST(test_coordinates_follow_several_turns) {
  /* each coordinate is driven from -20 to 20 in steps of 0.5, the last value is the next hint */
  joint_case c;
  FOR_EACH_CASE(c, k) {
    hk_joint_coord s;
    if (c.ops->nv < 0 || (c.ops->caps & HK_JOINT_TILTS)) continue;
    c.q[k] = -20.0;
    s.s = c.q[k];
    for (int i = 0; i <= 80; i++) {
      c.q[k] = -20.0 + 0.5 * i;
      frame_on_tree(&c, c.q, c.v, &c.B);
      c.ops->coord(&c.par, k, &c.A, &c.B, s.s, &s);
      CHECK_NEAR(&c, "followed", s.s, c.q[k], 1e-12);
    }
  }
}
END_TEST

START_TEST(test_common_twist_changes_nothing) {
  joint_case c;
  FOR_EACH_CASE(c, k) {
    hk_joint_coord s;
    hk_frame *both[2] = {&c.A, &c.B};
    double w[3];
    rnd_vector(w, 3, 2.0);
    for (int i = 0; i < 2; i++) {
      v3_copy(both[i]->w, w);
      v3_cross(both[i]->v, w, both[i]->p);
    }
    c.ops->coord(&c.par, k, &c.A, &c.B, 0.0, &s);
    CHECK_NEAR(&c, "sd of a common twist", s.sd, 0.0, 1e-12);
  }
}
END_TEST

Suite *suite_coord(void);
Suite *suite_coord(void) {
  Suite *s = suite_create("joints/coord");
  TCase *t = tcase_create("every joint");
  tcase_add_test(t, test_gradient_and_rate_match_differences);
  tcase_add_test(t, test_tangent_matches_differences);
  tcase_add_test(t, test_gradient_is_dual_to_motion);
  tcase_add_test(t, test_coordinates_follow_several_turns);
  tcase_add_test(t, test_common_twist_changes_nothing);
  suite_add_tcase(s, t);
  return s;
}
