/* SPDX-License-Identifier: Apache-2.0
 *
 * special.c: force elements where they are special: ends at one point, wheels off the ground, steps
 * of a road, rotations near zero and near half a turn, wrong parameters.
 */
#include <math.h>
#include <string.h>

#include "elements/support_cases.h"
#include "runner.h"

enum { ALL = 63 };

static element_case *find(const char *type, const char *label) {
  for (int32_t i = 0; i < ncases; i++)
    if (strcmp(cases[i].ops->name, type) == 0 && strcmp(cases[i].label, label) == 0)
      return &cases[i];
  ck_abort_msg("no case %s, %s", type, label);
  return NULL;
}

static void at_rest(element_state *x) {
  memset(x, 0, sizeof *x);
  m3_identity(x->m[0].R), m3_identity(x->m[1].R);
}

/* every number that was asked for is finite */
static void all_finite(const element_case *c, const hk_element_out *o) {
  int32_t n = case_size(c), r = c->ops->rank;
  bool ok = isfinite(o->energy) && isfinite(o->dissipated) && isfinite(o->supplied);
  for (int32_t i = 0; i < n; i++) {
    ok = ok && isfinite(c->ops->nscal ? o->tau : o->w[i]);
    for (int32_t j = 0; j < n; j++) ok = ok && isfinite(o->K[12 * i + j] + o->C[12 * i + j]);
    for (int32_t j = 0; j < r && !c->ops->nscal; j++) ok = ok && isfinite(o->B[12 * j + i]);
    for (int32_t j = 0; j < c->ops->nu; j++) ok = ok && isfinite(o->Wu[12 * j + i]);
  }
  for (int32_t i = 0; i < r; i++)
    for (int32_t j = 0; j < r; j++) ok = ok && isfinite(o->ks[6 * i + j] + o->cs[6 * i + j]);
  for (int32_t i = 0; i < c->ops->ny; i++) ok = ok && isfinite(o->y[i]);
  ck_assert_msg(ok, "%s, %s: not finite", c->ops->name, c->label);
}

/* --- springs ---------------------------------------------------------------------------------- */

START_TEST(test_same_point) {
  static const double gap[] = {0.0, 1e-300, 1e-160, 1e-13, 1e-11, 1e-8};
  for (int32_t i = 0; i < ncases; i++) {
    if (cases[i].ops->nmark != 2 || strstr(cases[i].label, "expression")) continue;
    for (int g = 0; g < HK_ARRAY_LEN(gap); g++) {
      element_state x;
      hk_element_out out;
      at_rest(&x);
      v3_set(x.m[1].p, gap[g], 0, 0);
      v3_set(x.m[1].v, 0.3, -0.4, 0.5);
      case_eval(&cases[i], &x, ALL, &out);
      all_finite(&cases[i], &out);
    }
  }
}
END_TEST

START_TEST(test_no_free_length) {
  const element_case *c = find("spring_damper", "no free length");
  for (int g = 0; g < 2; g++) {
    element_state x;
    hk_element_out out;
    at_rest(&x);
    x.m[1].p[1] = g * 1e-3;
    case_eval(c, &x, ALL, &out);
    // the same stiffness in all directions
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        ck_assert_double_eq_tol(out.K[12 * (9 + i) + 9 + j], i == j ? 120 : 0, 1e-9);
        ck_assert_double_eq_tol(out.K[12 * (3 + i) + 9 + j], i == j ? -120 : 0, 1e-9);
      }
    ck_assert_double_eq_tol(out.w[10], -120 * g * 1e-3, 1e-15);
  }
}
END_TEST

START_TEST(test_spring_values) {
  // as drawn: 0.9 m free; tension pulls the first end towards the second
  const element_case *c = find("spring_damper", "as drawn");
  element_state x;
  hk_element_out out;
  ck_assert_double_eq_tol(c->u[2], 0.9, 1e-15);
  at_rest(&x);
  x.m[1].p[2] = 1.0;
  case_eval(c, &x, ALL, &out);
  ck_assert_double_eq_tol(out.y[2], 12.0, 1e-12);
  ck_assert_double_eq_tol(out.w[5], 12.0, 1e-12);
  ck_assert_double_eq_tol(out.w[11], -12.0, 1e-12);
  ck_assert_double_eq_tol(out.energy, 0.6, 1e-12);

  // along an axis: through the second end, with its moment on the first body
  c = find("spring_damper", "along, elastic");
  const double a[3] = {0.6 / 2.946183972531247, -1.6 / 2.946183972531247, 2.4 / 2.946183972531247};
  double d[3] = {1, 2, 3}, m[3];
  v3_copy(x.m[1].p, d);
  case_eval(c, &x, ALL, &out);
  double s = v3_dot(a, d), f = 120 * (s - 0.1);
  ck_assert_double_eq_tol(out.y[0], s, 1e-14);
  v3_cross(m, d, a);
  for (int i = 0; i < 3; i++) {
    ck_assert_double_eq_tol(out.w[i], f * m[i], 1e-11);
    ck_assert_double_eq_tol(out.w[3 + i], f * a[i], 1e-11);
    ck_assert_double_eq_tol(out.w[9 + i], -f * a[i], 1e-11);
  }

  // joints: a positive displacement is resisted
  c = find("joint_spring", "linear");
  x.s = 0.6, x.sd = 2.0;
  case_eval(c, &x, ALL, &out);
  ck_assert_double_eq_tol(out.tau, -80 * 0.5 - 3 * 2.0, 1e-12);
  ck_assert_double_eq(out.y[2], out.tau);
}
END_TEST

/* --- bushings --------------------------------------------------------------------------------- */

START_TEST(test_bushing_angles) {
  const element_case *c = find("bushing", "coupled, damped");
  static const double angle[] = {0,   1e-300, 1e-12, 1e-6, 1e-3, 0.1999, 0.2001,
                                 1.5, 3.0,    3.14,  M_PI, -3.1, -0.2,   -1e-9};
  for (int i = 0; i < HK_ARRAY_LEN(angle); i++) {
    element_state x;
    hk_element_out out;
    at_rest(&x);
    rot_axis(x.m[1].R, (double[]){0.48, 0.6, 0.64}, angle[i]);
    v3_set(x.m[1].w, 1, 2, 3);
    case_eval(c, &x, ALL, &out);
    all_finite(c, &out);
    if (fabs(angle[i]) < 3.0) ck_assert_double_eq_tol(out.y[5], 0.64 * angle[i], 1e-14);
  }
  // the two forms of the series meet: tangents across the switch differ by little
  hk_element_out lo, hi;
  element_state x;
  at_rest(&x);
  v3_set(x.m[1].w, 1, 2, 3);
  rot_axis(x.m[1].R, (double[]){0.48, 0.6, 0.64}, 0.2 - 1e-12);
  case_eval(c, &x, ALL, &lo);
  rot_axis(x.m[1].R, (double[]){0.48, 0.6, 0.64}, 0.2 + 1e-12);
  case_eval(c, &x, ALL, &hi);
  for (int i = 0; i < 144; i++) ck_assert_double_eq_tol(lo.K[i], hi.K[i], 1e-9);
}
END_TEST

/* --- tyres ------------------------------------------------------------------------------------ */

START_TEST(test_wheel_off_ground) {
  for (int32_t i = 0; i < ncases; i++) {
    if (!cases[i].ops->decide) continue;
    element_state x;
    hk_element_out out;
    at_rest(&x);
    v3_set(x.m[0].p, 1.0, 0.2, 1.5);
    v3_set(x.m[0].v, 5.0, 0.0, -3.0);
    case_eval(&cases[i], &x, ALL, &out);
    all_finite(&cases[i], &out);
    for (int k = 0; k < 6; k++) ck_assert_double_eq(out.w[k], 0.0);
    ck_assert(out.energy == 0.0 && out.dissipated == 0.0 && out.supplied == 0.0);
    ck_assert(out.ks[0] == 0.0 && out.cs[0] == 0.0 && out.K[12 * 5 + 5] == 0.0);
    ck_assert(out.y[0] == 0.0 && out.y[1] == 0.0);
  }
}
END_TEST

START_TEST(test_tyre_never_pulls) {
  static const char *const label[2] = {"flat, damped", "ramp, normal, damped"};
  for (int i = 0; i < 2; i++) {
    element_case c = *find("tyre", label[i]);
    element_state x;
    hk_element_out out;
    c.u[1] = 1000.0;
    at_rest(&x);
    x.m[0].p[2] = 0.35;
    x.m[0].v[2] = 2.0; // leaving fast
    case_eval(&c, &x, ALL, &out);
    ck_assert_double_eq(out.w[5], 0.0);
    ck_assert_double_eq(out.ks[0], 0.0);
    ck_assert_double_gt(out.energy, 0.0);
    // the energy that the spring releases is dissipated: no force, no work
    ck_assert_double_gt(out.dissipated, 0.0);
    double U[4];
    for (int k = 0; k < 4; k++) {
      element_state y;
      move_on(&c, &x, 1e-3 * (k < 2 ? k - 2 : k - 1), &y);
      U[k] = case_energy(&c, &y);
    }
    ck_assert_double_eq_tol(out.dissipated, -five_point(U, 1e-3), 1e-9);
  }
}
END_TEST

/* the forces as the model language defines them */
START_TEST(test_tyre_values) {
  const element_case *c = find("tyre", "ramp, normal");
  element_state x;
  hk_element_out out;
  at_rest(&x);
  v3_set(x.m[0].p, 0.8, 0, 0.3);
  case_eval(c, &x, ALL, &out);
  double dz = 0.3 - 0.08, F = 900 * (0.4 - dz) / sqrt(1.01), n = 1 / sqrt(1.01);
  ck_assert_double_eq_tol(out.w[3], -0.1 * n * F, 1e-11);
  ck_assert_double_eq_tol(out.w[5], n * F, 1e-11);
  ck_assert_double_eq_tol(out.y[0], F, 1e-11);
  ck_assert_double_eq_tol(out.y[1], 0.18, 1e-15);
  ck_assert_double_eq_tol(out.y[2], 0.08, 1e-15);
  // the time-step tangent: force along its own direction, B = direction
  for (int i = 0; i < 6; i++) ck_assert_double_eq_tol(out.w[i], F * out.B[i], 1e-11);

  c = find("tyre", "ramp");
  case_eval(c, &x, ALL, &out);
  ck_assert_double_eq(out.w[3], 0.0);
  ck_assert_double_eq_tol(out.w[5], 900 * 0.18, 1e-11);
  for (int i = 0; i < 6; i++) ck_assert_double_eq_tol(out.w[i], out.y[0] * out.B[i], 1e-11);
}
END_TEST

/* a step down: the segment holds until it is decided anew, and the energy of the jump is known */
START_TEST(test_road_step) {
  const double xs[] = {0, 1, 1, 2}, zs[] = {0.2, 0.2, 0.05, 0.05};
  element_case c = *find("tyre", "table");
  hk_road road = {.table = make_table(&b, 4, xs, zs, false)};
  for (const hk_param *p = c.ops->params; p->type != HK_P_END; p++)
    if (strcmp(p->name, "road") == 0) memcpy((char *)c.par + p->offset, &road, sizeof road);
  element_state x;
  hk_element_out out;
  hk_element_in in = {0, x.m, 0, 0, c.u, 0, c.d, NULL, NULL, NULL, NULL};
  at_rest(&x);
  v3_set(x.m[0].p, 0.99, 0, 0.3);
  c.d[0] = 0.0;

  // not decided yet: the road under the wheel
  case_eval(&c, &x, ALL, &out);
  ck_assert_double_eq_tol(out.y[2], 0.2, 1e-15);
  ck_assert(c.ops->decide(c.par, &in, c.d));
  ck_assert(!c.ops->decide(c.par, &in, c.d));
  x.m[0].p[0] = 1.01;
  case_eval(&c, &x, ALL, &out);
  ck_assert_double_eq_tol(out.y[2], 0.2, 1e-15);
  ck_assert_double_eq_tol(out.energy, 450 * 0.3 * 0.3, 1e-12);
  ck_assert(c.ops->decide(c.par, &in, c.d));
  case_eval(&c, &x, ALL, &out);
  ck_assert_double_eq_tol(out.y[2], 0.05, 1e-15);
  ck_assert_double_eq_tol(out.energy, 450 * 0.15 * 0.15, 1e-12);
}
END_TEST

/* --- wrong parameters ------------------------------------------------------------------------- */

static void refuse(const char *type, const void *par, uint32_t u_given, const char *word) {
  const hk_element_ops *ops = hki_element_find(type);
  char block[2048];
  double u[HK_ELEMENT_INPUTS] = {0};
  hk_frame m[2];
  memset(m, 0, sizeof m);
  memset(block, 0, sizeof block);
  ck_assert_uint_le(ops->par_size, sizeof block);
  if (par) memcpy(block, par, ops->par_size);
  hk_ctx_clear(b.ctx);
  hk_status s = ops->prepare(b.ctx, HK_LOC_NONE, "shock", block, u_given, u, m);
  ck_assert_int_eq(s, HK_E_MODEL);
  ck_assert_int_eq(hk_ctx_message_count(b.ctx), 1);
  const hk_message *msg = hk_ctx_message(b.ctx, 0);
  ck_assert_msg(strstr(msg->text, word) && strstr(msg->text, "shock"), "'%s' lacks '%s'", msg->text,
                word);
}

START_TEST(test_wrong_parameters) {
  refuse("spring_damper", NULL, 0, "none of");
  refuse("spring_damper", NULL, 4, "none of");
  refuse("spring_damper", find("spring_damper", "polynomial")->par, 1, "'stiffness'");
  refuse("spring_damper", find("spring_damper", "damper reads s")->par, 2, "'damping'");
  refuse("joint_spring", NULL, 4, "none of");
  refuse("joint_spring", find("joint_spring", "polynomial")->par, 1, "'stiffness'");
  refuse("bushing", NULL, 0, "none of");
  // a law and a number on the same axis
  element_case *c = find("bushing", "laws");
  for (const hk_param *p = c->ops->params; p->type != HK_P_END; p++)
    if (strcmp(p->name, "stiffness") == 0) ((double *)((char *)c->par + p->offset))[14] = 5.0;
  refuse("bushing", c->par, 0, "axis z");
}
END_TEST

Suite *suite_special(void);
Suite *suite_special(void) {
  Suite *s = suite_create("special");
  TCase *t = tcase_create("special");
  tcase_add_checked_fixture(t, setup, teardown);
  tcase_add_test(t, test_same_point);
  tcase_add_test(t, test_no_free_length);
  tcase_add_test(t, test_spring_values);
  tcase_add_test(t, test_bushing_angles);
  tcase_add_test(t, test_wheel_off_ground);
  tcase_add_test(t, test_tyre_never_pulls);
  tcase_add_test(t, test_tyre_values);
  tcase_add_test(t, test_road_step);
  tcase_add_test(t, test_wrong_parameters);
  suite_add_tcase(s, t);
  return s;
}
