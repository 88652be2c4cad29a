/* SPDX-License-Identifier: Apache-2.0
 *
 * slips.c: what slides in a joint that rubs at a point of contact: velocities there, derivatives of the gradients
 * against finite differences, at any pose; a common motion does not slide; every joint either rubs or says why it does not.
 */
#include "joints/outline.h"
#include "joints/rows.h"
#include "support_joints.h"

/* every joint with slips, in random cases */
#define FOR_EACH_SLIDER(c)                                                                         \
  for (int32_t i_ = 0; i_ < hki_joint_count(); i_++)                                               \
    for (int32_t n_ = 0; hki_joint_at(i_)->friction.nslips && n_ < joint_cases(); n_++)            \
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
  FOR_EACH_SLIDER(c) {
    double x[3], n[3], z[3], t[3], v[2][3], rows[12 * HK_JOINT_MAX];
    if (!c.ops->pushes) continue;
    hki_joint_slips(&c.ops->friction, c.par, &c.A, &c.B, rows, NULL);
    // what the bodies do at the point, across the normal of the gap in the plane of the curve
    contact(&c, x, n);
    m3_column(z, c.ops->scalars[0] == HK_S_OUTLINE ? c.A.R : c.B.R, 2);
    v3_cross(t, z, n);
    velocity(&c.A, x, v[0]);
    velocity(&c.B, x, v[1]);
    v3_sub(v[0], v[1], v[0]);
    const double expected = v3_dot(t, v[0]);
    // a follower inside its curve has the normal the other way
    const double u = v3_dot(rows, c.A.w) + v3_dot(rows + 3, c.A.v) + v3_dot(rows + 6, c.B.w) +
                     v3_dot(rows + 9, c.B.v);
    CHECK_NEAR(&c, "u", fabs(u), fabs(expected), 1e-9);
    seen++;
  }
  ck_assert_int_gt(seen, 0);
}
END_TEST

START_TEST(test_derivatives_match_differences) {
  joint_case c;
  int32_t seen = 0;
  FOR_EACH_SLIDER(c) {
    const double h = 1e-3;
    const hk_joint_friction *f = &c.ops->friction;
    hk_frame A, B;
    double rows[12 * HK_JOINT_MAX], H[144 * HK_JOINT_MAX];
    hki_joint_slips(f, c.par, &c.A, &c.B, rows, H);
    for (int32_t j = 0; j < 12; j++) {
      double diff[12 * HK_JOINT_MAX] = {0};
      for (int s = 0; s < STENCIL; s++) {
        pair_add(&c, j, stencil_at[s] * h, &A, &B);
        hki_joint_slips(f, c.par, &A, &B, rows, NULL);
        for (int32_t i = 0; i < 12 * f->nslips; i++) diff[i] += stencil_weight[s] / h * rows[i];
      }
      for (int32_t k = 0; k < f->nslips; k++)
        for (int32_t i = 0; i < 12; i++)
          CHECK_NEAR(&c, "H", H[144 * k + 12 * i + j], diff[12 * k + i], 1e-8);
    }
    seen++;
  }
  ck_assert_int_ge(seen, 4);
}
END_TEST

START_TEST(test_bias_matches_differences) {
  joint_case c;
  FOR_EACH_SLIDER(c) {
    const double h = 1e-3;
    const hk_joint_friction *f = &c.ops->friction;
    hk_joint_loop L;
    hk_frame A, B;
    double rows[12 * HK_JOINT_MAX], diff[HK_JOINT_MAX] = {0};
    hki_rows_loop(f->slips, f->nslips, c.par, &c.A, &c.B, HK_LOOP_ACC, &L);
    for (int s = 0; s < STENCIL; s++) {
      frame_move(&A, &c.A, stencil_at[s] * h);
      frame_move(&B, &c.B, stencil_at[s] * h);
      hki_joint_slips(f, c.par, &A, &B, rows, NULL);
      for (int32_t k = 0; k < f->nslips; k++) {
        const double *g = rows + 12 * k;
        diff[k] += stencil_weight[s] / h *
                   (v3_dot(g, A.w) + v3_dot(g + 3, A.v) + v3_dot(g + 6, B.w) + v3_dot(g + 9, B.v));
      }
    }
    for (int32_t k = 0; k < f->nslips; k++) CHECK_NEAR(&c, "gamma", L.gamma[k], diff[k], 1e-8);
  }
}
END_TEST

START_TEST(test_common_motion_does_not_slide) {
  joint_case c;
  FOR_EACH_SLIDER(c) {
    double rows[12 * HK_JOINT_MAX], w[3], v[3], x[3], slip;
    hki_joint_slips(&c.ops->friction, c.par, &c.A, &c.B, rows, NULL);
    rnd_vector(w, 3, 2.0);
    rnd_vector(v, 3, 2.0);
    for (int32_t k = 0; k < c.ops->friction.nslips; k++) {
      const double *g = rows + 12 * k;
      slip = v3_dot(g, w) + v3_dot(g + 6, w) + v3_dot(g + 3, v) + v3_dot(g + 9, v);
      v3_cross(x, w, c.A.p);
      slip += v3_dot(g + 3, x);
      v3_cross(x, w, c.B.p);
      slip += v3_dot(g + 9, x);
      CHECK_NEAR(&c, "slip of a common twist", slip, 0.0, 1e-12);
    }
  }
}
END_TEST

START_TEST(test_every_joint_rubs_or_says_why_not) {
  for (int32_t i = 0; i < hki_joint_count(); i++) {
    const hk_joint_ops *ops = hki_joint_at(i);
    const hk_joint_friction *f = &ops->friction;
    ck_assert_msg(f->press || f->fit || f->none, "%s", ops->name);
    const bool slides = f->scalars || f->slides || f->nslips || f->eyes || f->fit;
    ck_assert_msg(slides == (f->press || f->fit), "%s", ops->name);
  }
}
END_TEST

/* a joint with free and locked axes slides where it is free or driven */
START_TEST(test_locked_axes) {
  const hk_joint_ops *ops = hki_joint_with(HK_JOINT_LOCKED);
  static const struct {
    uint32_t locked, driven, press, slides;
  } t[] = {
      {0x3e, 0, HK_PRESS_Y | HK_PRESS_Z, HK_SLIDES_X},                    /* x is free */
      {0x1b, 0, HK_PRESS_X | HK_PRESS_Y, HK_SLIDES_Z | HK_SLIDES_RZ},     /* z and rz are */
      {0x3f, 4, HK_PRESS_X | HK_PRESS_Y, HK_SLIDES_Z},                    /* z is driven */
      {0x07, 0, HK_PRESS_ALL, HK_SLIDES_TURNS},                           /* a ball */
      {0x0f, 0, HK_PRESS_ALL, HK_SLIDES_TURNS},                           /* ry, rz: any axis */
      {0x38, 0, HK_PRESS_TURNS, HK_SLIDES_X | HK_SLIDES_Y | HK_SLIDES_Z}, /* moments press */
      {0x3f, 0, 0, 0},
      {0x00, 0, 0, 63},
  };
  for (int k = 0; k < HK_ARRAY_LEN(t); k++) {
    double par[8] = {0};
    memcpy(par, &t[k].locked, sizeof t[k].locked);
    const hk_joint_friction f = hki_joint_friction_fit(ops, par, t[k].driven);
    ck_assert_uint_eq(f.press, t[k].press);
    ck_assert_uint_eq(f.slides, t[k].slides);
    ck_assert(f.press || f.none);
  }
}
END_TEST

Suite *suite_slips(void);
Suite *suite_slips(void) {
  Suite *s = suite_create("joints/slips");
  TCase *t = tcase_create("every joint that slides at a contact");
  tcase_add_test(t, test_velocities);
  tcase_add_test(t, test_derivatives_match_differences);
  tcase_add_test(t, test_bias_matches_differences);
  tcase_add_test(t, test_common_motion_does_not_slide);
  tcase_add_test(t, test_every_joint_rubs_or_says_why_not);
  tcase_add_test(t, test_locked_axes);
  suite_add_tcase(s, t);
  return s;
}
