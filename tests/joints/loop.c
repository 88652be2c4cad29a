/* SPDX-License-Identifier: Apache-2.0
 *
 * loop.c: properties of the loop face of every joint, away from its own motion as well: Jacobians,
 * acceleration bias and the derivative of the constraint wrenches against finite differences,
 * invariance under motions of both frames together, partial evaluation.
 */
#include "support_joints.h"

static const double off[] = {0.0, 0.4};

/* every joint, random cases on and off its own motion */
#define FOR_EACH_CASE(c)                                                                           \
  for (int32_t i_ = 0; i_ < hki_joint_count(); i_++)                                               \
    for (int32_t n_ = 0; n_ < joint_cases(); n_++)                                                 \
      for (int once_ = (case_make(&(c), hki_joint_at(i_), n_, off[n_ % 2]), 1); once_; once_ = 0)

static double row_rate(const hk_joint_loop *L, int32_t r, const hk_frame *A, const hk_frame *B) {
  return v3_dot(L->GA + 6 * r, A->w) + v3_dot(L->GA + 6 * r + 3, A->v) +
         v3_dot(L->GB + 6 * r, B->w) + v3_dot(L->GB + 6 * r + 3, B->v);
}

START_TEST(test_jacobian_matches_differences) {
  joint_case c;
  FOR_EACH_CASE(c) {
    const double h = 1e-3;
    hk_joint_loop L, M;
    hk_frame A, B;
    c.ops->loop(&c.par, &c.A, &c.B, HK_LOOP_POS | HK_LOOP_JAC, &L);
    for (int32_t j = 0; j < 12; j++) {
      double diff[6] = {0};
      for (int s = 0; s < STENCIL; s++) {
        pair_add(&c, j, stencil_at[s] * h, &A, &B);
        c.ops->loop(&c.par, &A, &B, HK_LOOP_POS, &M);
        for (int32_t r = 0; r < c.rows; r++) diff[r] += stencil_weight[s] * M.phi[r] / h;
      }
      for (int32_t r = 0; r < c.rows; r++) {
        /* rows on velocities have no value to differentiate (special.c has their closed form) */
        if (c.ops->rate_rows >> r & 1u)
          ck_assert_double_eq(L.phi[r], 0.0);
        else
          CHECK_NEAR(&c, "G", j < 6 ? L.GA[6 * r + j] : L.GB[6 * r + j - 6], diff[r], 1e-8);
      }
    }
  }
}
END_TEST

START_TEST(test_bias_matches_differences) {
  joint_case c;
  FOR_EACH_CASE(c) {
    const double h = 1e-3;
    hk_joint_loop L, M;
    hk_frame A, B;
    double diff[6] = {0};
    c.ops->loop(&c.par, &c.A, &c.B, HK_LOOP_ACC, &L);
    for (int s = 0; s < STENCIL; s++) {
      frame_move(&A, &c.A, stencil_at[s] * h);
      frame_move(&B, &c.B, stencil_at[s] * h);
      c.ops->loop(&c.par, &A, &B, HK_LOOP_JAC, &M);
      for (int32_t r = 0; r < c.rows; r++)
        diff[r] += stencil_weight[s] * row_rate(&M, r, &A, &B) / h;
    }
    for (int32_t r = 0; r < c.rows; r++) CHECK_NEAR(&c, "gamma", L.gamma[r], diff[r], 1e-8);
  }
}
END_TEST

START_TEST(test_wrench_derivative_matches_differences) {
  joint_case c;
  FOR_EACH_CASE(c) {
    const double h = 1e-3;
    hk_joint_loop L;
    hk_frame A, B;
    double lam[6], H[144];
    rnd_vector(lam, 6, 3.0);
    for (int i = 0; i < 144; i++) H[i] = NAN;
    c.ops->loop_geo(&c.par, &c.A, &c.B, lam, H);
    for (int32_t j = 0; j < 12; j++) {
      double diff[12] = {0};
      for (int s = 0; s < STENCIL; s++) {
        pair_add(&c, j, stencil_at[s] * h, &A, &B);
        c.ops->loop(&c.par, &A, &B, HK_LOOP_JAC, &L);
        for (int32_t r = 0; r < c.rows; r++) {
          s6_axpy(diff, stencil_weight[s] / h * lam[r], L.GA + 6 * r);
          s6_axpy(diff + 6, stencil_weight[s] / h * lam[r], L.GB + 6 * r);
        }
      }
      for (int32_t i = 0; i < 12; i++) CHECK_NEAR(&c, "H", H[12 * i + j], diff[i], 1e-8);
    }
  }
}
END_TEST

START_TEST(test_common_motion_changes_nothing) {
  joint_case c;
  FOR_EACH_CASE(c) {
    hk_joint_loop L, M;
    hk_frame A = c.A, B = c.B;
    double w[3], p0[3], v0[3], d[3], E[9], R[9], x[3];
    c.ops->loop(&c.par, &c.A, &c.B, HK_LOOP_POS | HK_LOOP_JAC, &L);

    /* a common twist does no work on the rows */
    rnd_vector(w, 3, 2.0);
    rnd_vector(v0, 3, 2.0);
    hk_frame *both[2] = {&A, &B};
    for (int i = 0; i < 2; i++) {
      v3_copy(both[i]->w, w);
      v3_cross(x, w, both[i]->p);
      v3_add(both[i]->v, v0, x);
    }
    for (int32_t r = 0; r < c.rows; r++)
      CHECK_NEAR(&c, "G V of a common twist", row_rate(&L, r, &A, &B), 0.0, 1e-12);

    /* a common rigid motion leaves the rows alone */
    rnd_vector(d, 3, 2.0);
    rnd_vector(p0, 3, 5.0);
    rot_exp(E, d);
    for (int i = 0; i < 2; i++) {
      m3_mul(R, E, both[i]->R);
      memcpy(both[i]->R, R, sizeof R);
      m3_mulv(x, E, both[i]->p);
      v3_add(both[i]->p, p0, x);
    }
    c.ops->loop(&c.par, &A, &B, HK_LOOP_POS, &M);
    for (int32_t r = 0; r < c.rows; r++) CHECK_NEAR(&c, "phi moved", M.phi[r], L.phi[r], 1e-12);
  }
}
END_TEST

START_TEST(test_common_motion_has_no_bias) {
  /* two frames on one rigid body in motion: phi stays, so G dV/dt + gamma = 0 */
  joint_case c;
  FOR_EACH_CASE(c) {
    hk_joint_loop L;
    double w[3], aA[6] = {0}, aB[6] = {0}, x[3];
    rnd_vector(w, 3, 2.0);
    hk_frame *both[2] = {&c.A, &c.B};
    double *acc[2] = {aA, aB};
    for (int i = 0; i < 2; i++) {
      v3_copy(both[i]->w, w);
      v3_cross(both[i]->v, w, both[i]->p);
      v3_cross(x, w, both[i]->v);
      v3_copy(acc[i] + 3, x);
    }
    c.ops->loop(&c.par, &c.A, &c.B, HK_LOOP_JAC | HK_LOOP_ACC, &L);
    for (int32_t r = 0; r < c.rows; r++)
      CHECK_NEAR(&c, "rigid", s6_dot(L.GA + 6 * r, aA) + s6_dot(L.GB + 6 * r, aB) + L.gamma[r], 0.0,
                 1e-11);
  }
}
END_TEST

START_TEST(test_only_what_is_asked_for) {
  joint_case c;
  FOR_EACH_CASE(c) {
    hk_joint_loop full, part, empty;
    memset(&empty, 0x7f, sizeof empty);
    full = empty;
    c.ops->loop(&c.par, &c.A, &c.B, HK_LOOP_POS | HK_LOOP_JAC | HK_LOOP_ACC, &full);
    for (uint32_t need = 0; need < 8; need++) {
      part = empty;
      c.ops->loop(&c.par, &c.A, &c.B, need, &part);
      const hk_joint_loop *phi = need & HK_LOOP_POS ? &full : &empty;
      const hk_joint_loop *jac = need & HK_LOOP_JAC ? &full : &empty;
      const hk_joint_loop *acc = need & HK_LOOP_ACC ? &full : &empty;
      /* nothing beyond the rows is touched either */
      bool same = memcmp(part.phi, phi->phi, sizeof part.phi) == 0 &&
                  memcmp(part.GA, jac->GA, sizeof part.GA) == 0 &&
                  memcmp(part.GB, jac->GB, sizeof part.GB) == 0 &&
                  memcmp(part.gamma, acc->gamma, sizeof part.gamma) == 0;
      ck_assert_msg(same, "%s: need %u", c.ops->name, need);
    }
  }
}
END_TEST

Suite *suite_loop(void);
Suite *suite_loop(void) {
  Suite *s = suite_create("joints/loop");
  TCase *t = tcase_create("every joint");
  tcase_add_test(t, test_jacobian_matches_differences);
  tcase_add_test(t, test_bias_matches_differences);
  tcase_add_test(t, test_wrench_derivative_matches_differences);
  tcase_add_test(t, test_common_motion_changes_nothing);
  tcase_add_test(t, test_common_motion_has_no_bias);
  tcase_add_test(t, test_only_what_is_asked_for);
  suite_add_tcase(s, t);
  return s;
}
