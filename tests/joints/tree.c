/* SPDX-License-Identifier: Apache-2.0
 *
 * tree.c: properties of the tree face of every joint, and its agreement with the loop face:
 * pose, S and c against finite differences, plus and minus, phi = 0 and G S = 0 on the joint's own
 * motion, completeness, measured coordinates.
 */
#include "support_joints.h"

/* every joint with a tree face, random cases on its own motion */
#define FOR_EACH_CASE(c)                                                                           \
  for (int32_t i_ = 0; i_ < hki_joint_count(); i_++)                                               \
    for (int32_t n_ = 0; n_ < joint_cases() && hki_joint_at(i_)->nv >= 0; n_++)                    \
      for (int once_ = (case_make(&(c), hki_joint_at(i_), n_, 0.0), 1); once_; once_ = 0)

static void velocity(const hk_frame *f, double *V) {
  v3_copy(V, f->w);
  v3_copy(V + 3, f->v);
}

/* column k of S in world axes */
static void world_column(const joint_case *c, const hk_joint_tree *T, int32_t k, double *V) {
  m3_mulv(V, c->A.R, T->S + 6 * k);
  m3_mulv(V + 3, c->A.R, T->S + 6 * k + 3);
}

START_TEST(test_constraint_vanishes_on_own_motion) {
  joint_case c;
  FOR_EACH_CASE(c) {
    hk_joint_loop L;
    double VA[6], VB[6];
    c.ops->loop(&c.par, &c.A, &c.B, HK_LOOP_POS | HK_LOOP_JAC, &L);
    velocity(&c.A, VA);
    velocity(&c.B, VB);
    for (int32_t r = 0; r < c.rows; r++) {
      CHECK_NEAR(&c, "phi", L.phi[r], 0.0, 1e-13);
      CHECK_NEAR(&c, "G V", s6_dot(L.GA + 6 * r, VA) + s6_dot(L.GB + 6 * r, VB), 0.0, 1e-12);
    }
  }
}
END_TEST

START_TEST(test_acceleration_level_on_own_motion) {
  /* G S vdot = 0 and G c + gamma = 0: with A at rest the bias of the motion meets that of the rows
   */
  joint_case c;
  FOR_EACH_CASE(c) {
    hk_joint_loop L;
    hk_joint_tree T;
    double a[6];
    v3_zero(c.A.w);
    v3_zero(c.A.v);
    frame_on_tree(&c, c.q, c.v, &c.B);
    c.ops->tree(&c.par, c.q, c.v, &T);
    c.ops->loop(&c.par, &c.A, &c.B, HK_LOOP_JAC | HK_LOOP_ACC, &L);
    m3_mulv(a, c.A.R, T.c);
    m3_mulv(a + 3, c.A.R, T.c + 3);
    for (int32_t r = 0; r < c.rows; r++)
      CHECK_NEAR(&c, "G c + gamma", s6_dot(L.GB + 6 * r, a) + L.gamma[r], 0.0, 1e-11);
  }
}
END_TEST

START_TEST(test_rows_are_dual_to_motion) {
  joint_case c;
  FOR_EACH_CASE(c) {
    hk_joint_loop L;
    hk_joint_tree T;
    double V[6];
    c.ops->tree(&c.par, c.q, c.v, &T);
    c.ops->loop(&c.par, &c.A, &c.B, HK_LOOP_JAC, &L);
    for (int32_t k = 0; k < c.ops->nv; k++) {
      world_column(&c, &T, k, V);
      for (int32_t r = 0; r < c.rows; r++)
        CHECK_NEAR(&c, "G S", s6_dot(L.GB + 6 * r, V), 0.0, 1e-13);
    }
  }
}
END_TEST

/* |det| of a 6 x 6 matrix by elimination with pivoting */
static double det6(double M[6][6]) {
  double det = 1.0;
  for (int k = 0; k < 6; k++) {
    int p = k;
    for (int i = k + 1; i < 6; i++)
      if (fabs(M[i][k]) > fabs(M[p][k])) p = i;
    for (int j = 0; j < 6; j++) {
      double t = M[k][j];
      M[k][j] = M[p][j], M[p][j] = t;
    }
    det *= M[k][k];
    if (det == 0.0) return 0.0;
    for (int i = k + 1; i < 6; i++) {
      double f = M[i][k] / M[k][k];
      for (int j = k; j < 6; j++) M[i][j] -= f * M[k][j];
    }
  }
  return fabs(det);
}

START_TEST(test_rows_and_motion_fill_space) {
  joint_case c;
  FOR_EACH_CASE(c) {
    hk_joint_loop L;
    hk_joint_tree T;
    double M[6][6];
    ck_assert_msg(c.ops->nv + c.rows == 6, "%s: nv + nc", c.ops->name);
    c.ops->tree(&c.par, c.q, c.v, &T);
    c.ops->loop(&c.par, &c.A, &c.B, HK_LOOP_JAC, &L);
    for (int32_t k = 0; k < c.ops->nv; k++) world_column(&c, &T, k, M[k]);
    for (int32_t r = 0; r < c.rows; r++) s6_copy(M[c.ops->nv + r], L.GB + 6 * r);
    ck_assert_msg(det6(M) > 0.05, "%s: rows and motion are dependent", c.ops->name);
  }
}
END_TEST

START_TEST(test_columns_match_pose_differences) {
  joint_case c;
  FOR_EACH_CASE(c) {
    hk_joint_tree T, U;
    c.ops->tree(&c.par, c.q, c.v, &T);
    for (int32_t k = 0; k < c.ops->nv; k++) {
      const double h = 1e-3;
      double dR[9] = {0}, dp[3] = {0}, q[8], d[6] = {0}, W[9];
      for (int s = 0; s < STENCIL; s++) {
        d[k] = stencil_at[s] * h;
        c.ops->plus(c.q, d, q);
        c.ops->tree(&c.par, q, c.v, &U);
        for (int i = 0; i < 9; i++) dR[i] += stencil_weight[s] * U.R[i] / h;
        v3_axpy(dp, stencil_weight[s] / h, U.p);
      }
      /* dR R' = [omega] */
      m3_mult(W, dR, T.R);
      const double *S = T.S + 6 * k;
      double omega[3] = {W[7], W[2], W[3]};
      for (int i = 0; i < 3; i++) {
        CHECK_NEAR(&c, "S omega", S[i], omega[i], 1e-9);
        CHECK_NEAR(&c, "S velocity", S[3 + i], dp[i], 1e-9);
      }
    }
  }
}
END_TEST

START_TEST(test_bias_matches_differences) {
  joint_case c;
  FOR_EACH_CASE(c) {
    hk_joint_tree T, U;
    const double h = 1e-3;
    double cdiff[6] = {0}, d[6], q[8];
    c.ops->tree(&c.par, c.q, c.v, &T);
    for (int s = 0; s < STENCIL; s++) {
      for (int32_t k = 0; k < c.ops->nv; k++) d[k] = stencil_at[s] * h * c.v[k];
      c.ops->plus(c.q, d, q);
      c.ops->tree(&c.par, q, c.v, &U);
      for (int32_t k = 0; k < c.ops->nv; k++)
        s6_axpy(cdiff, stencil_weight[s] / h * c.v[k], U.S + 6 * k);
    }
    for (int i = 0; i < 6; i++) CHECK_NEAR(&c, "c", T.c[i], cdiff[i], 1e-9);
    /* without velocities c is zero and the pose is the same */
    c.ops->tree(&c.par, c.q, NULL, &U);
    for (int i = 0; i < 6; i++) CHECK_NEAR(&c, "c without v", U.c[i], 0.0, 0.0);
    for (int i = 0; i < 9; i++) CHECK_NEAR(&c, "R without v", U.R[i], T.R[i], 0.0);
  }
}
END_TEST

START_TEST(test_plus_and_minus) {
  joint_case c;
  FOR_EACH_CASE(c) {
    double d[6], e[6], q[8], r[8];
    rnd_vector(d, c.ops->nv, 1.5);
    c.ops->plus(c.q, d, q);
    c.ops->minus(q, c.q, e);
    for (int32_t k = 0; k < c.ops->nv; k++) CHECK_NEAR(&c, "(q + d) - q", e[k], d[k], 1e-13);
    /* in place gives the same */
    memcpy(r, c.q, sizeof r);
    c.ops->plus(r, d, r);
    for (int32_t k = 0; k < c.ops->nq; k++) CHECK_NEAR(&c, "in place", r[k], q[k], 0.0);
    c.ops->minus(c.q, c.q, e);
    for (int32_t k = 0; k < c.ops->nv; k++) CHECK_NEAR(&c, "q - q", e[k], 0.0, 1e-15);
  }
}
END_TEST

START_TEST(test_measure_finds_coordinates) {
  joint_case c;
  FOR_EACH_CASE(c) {
    double q[8], v[8], near[8], d[6];
    rnd_vector(d, c.ops->nv, 1.5);
    c.ops->plus(c.q, d, near);
    c.ops->measure(&c.par, &c.A, &c.B, near, q, v);
    for (int32_t k = 0; k < c.ops->nq; k++) CHECK_NEAR(&c, "measured q", q[k], c.q[k], 1e-13);
    for (int32_t k = 0; k < c.ops->nv; k++) CHECK_NEAR(&c, "measured v", v[k], c.v[k], 1e-12);

    /* without a hint the pose is still the same one */
    hk_frame B;
    c.ops->measure(&c.par, &c.A, &c.B, NULL, q, v);
    frame_on_tree(&c, q, v, &B);
    for (int i = 0; i < 9; i++) CHECK_NEAR(&c, "R again", B.R[i], c.B.R[i], 1e-13);
    for (int i = 0; i < 3; i++) CHECK_NEAR(&c, "p again", B.p[i], c.B.p[i], 1e-13);
  }
}
END_TEST

START_TEST(test_drawing_position_is_identity) {
  joint_case c;
  FOR_EACH_CASE(c) {
    hk_joint_tree T;
    double q[8], I[9];
    joint_zero(c.ops, q);
    c.ops->tree(&c.par, q, c.v, &T);
    m3_identity(I);
    for (int i = 0; i < 9; i++) CHECK_NEAR(&c, "R at zero", T.R[i], I[i], 1e-16);
    for (int i = 0; i < 3; i++) CHECK_NEAR(&c, "p at zero", T.p[i], 0.0, 0.0);
  }
}
END_TEST

START_TEST(test_caps_tell_the_truth) {
  joint_case c;
  FOR_EACH_CASE(c) {
    hk_joint_tree T;
    uint32_t caps = c.ops->caps;
    c.ops->tree(&c.par, c.q, c.v, &T);
    bool still = v3_norm(T.p) == 0.0, straight = T.R[0] == 1.0 && T.R[4] == 1.0 && T.R[8] == 1.0;
    bool one = c.ops->nv == 1;
    bool turn_z = one && still && T.S[2] == 1.0 && T.R[8] == 1.0;
    bool slide_z = one && straight && T.p[2] == c.q[0] && T.S[5] == 1.0;
    ck_assert_msg(((caps & HK_JOINT_POINT) != 0) == still, "%s: POINT", c.ops->name);
    ck_assert_msg(((caps & HK_JOINT_RIGID) != 0) == (c.ops->nv == 0), "%s: RIGID", c.ops->name);
    ck_assert_msg(((caps & HK_JOINT_ROTATION_Z) != 0) == turn_z, "%s: ROTATION_Z", c.ops->name);
    ck_assert_msg(((caps & HK_JOINT_TRANSLATION_Z) != 0) == slide_z, "%s: TRANSLATION_Z",
                  c.ops->name);
    ck_assert_msg(((caps & HK_JOINT_QUATERNION) != 0) == (c.ops->nq > c.ops->nv), "%s: QUATERNION",
                  c.ops->name);
  }
}
END_TEST

Suite *suite_tree(void);
Suite *suite_tree(void) {
  Suite *s = suite_create("joints/tree");
  TCase *t = tcase_create("every joint");
  tcase_add_test(t, test_constraint_vanishes_on_own_motion);
  tcase_add_test(t, test_acceleration_level_on_own_motion);
  tcase_add_test(t, test_rows_are_dual_to_motion);
  tcase_add_test(t, test_rows_and_motion_fill_space);
  tcase_add_test(t, test_columns_match_pose_differences);
  tcase_add_test(t, test_bias_matches_differences);
  tcase_add_test(t, test_plus_and_minus);
  tcase_add_test(t, test_measure_finds_coordinates);
  tcase_add_test(t, test_drawing_position_is_identity);
  tcase_add_test(t, test_caps_tell_the_truth);
  suite_add_tcase(s, t);
  return s;
}
