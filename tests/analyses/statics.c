/* SPDX-License-Identifier: Apache-2.0
 *
 * statics.c: equilibria that are known, and the conditions of those that are not.
 */
#include <stdlib.h>

#include "support.h"

/* forces balance: some lam with -Q + Phi_z' lam = 0 at rest, found by the accelerations */
static void check_balance(rig *r, double tol) {
  memset(r->v, 0, (size_t)r->m->nv * sizeof *r->v);
  rig_accelerate(r, 0.0);
  for (int32_t i = 0; i < r->m->nv; i++)
    ck_assert_msg(fabs(r->a[i]) < tol, "acceleration %d is %g", i, r->a[i]);
}

/* a chain of n rods along x from the origin, hinged about z */
static build chain(int32_t n) {
  build b = build_begin(n, n + 1);
  char name[16];
  v3_set(b.spec->gravity, 0, -9.81, 0);
  for (int32_t i = 0; i < n; i++) {
    snprintf(name, sizeof name, "b%d", i);
    build_rod(&b, name, 1.0, 0.1, (double[]){i, 0, 0}, (double[]){i + 1, 0, 0});
    snprintf(name, sizeof name, "j%d", i);
    build_joint_at(&b, name, "revolute", i - 1, i, i, 0, 0, 2);
  }
  b.spec->equilibrium = HK_EQ_REST;
  return b;
}

/* a horizontal pendulum falls down, a chain hangs straight */
START_TEST(hanging) {
  static const int32_t n[] = {1, 2, 8};
  for (int i = 0; i < 3; i++) {
    build b = chain(n[i]);
    rig r = rig_make_bare(&b);
    rig_assemble(&r);
    for (int32_t k = 0; k < n[i]; k++) {
      const double *p = r.s->kin.frame[r.m->body_of_spec[k]].p;
      ck_near(p[0], 0.0, 1e-9);
      ck_near(p[1], -0.5 - k, 1e-9);
    }
    rig_free(&r);
  }
}
END_TEST

/* mass on a vertical spring: k (s - l) = m g */
START_TEST(on_a_spring) {
  build b = build_begin(1, 1);
  build_body(&b, "m", 3.0, 0, 0, -1);
  build_joint_at(&b, "guide", "prismatic", HK_GROUND, 0, 0, 0, -1, 2);
  build_spring(&b, HK_GROUND, 0, (double[]){0, 0, 0}, (double[]){0, 0, -1}, 400, 5, 0.8, NULL);
  b.spec->equilibrium = HK_EQ_REST;
  rig r = rig_make_bare(&b);
  rig_assemble(&r);
  ck_near(r.s->kin.frame[0].p[2], -(0.8 + 3.0 * 9.81 / 400.0), 1e-11);
  rig_free(&r);
}
END_TEST

/* a pendulum held by a spring over its pivot: with free length 0, angle from the vertical a:
 * m g c sin a = k h l sin a: upright is stable when k h l > m g c, whatever else */
START_TEST(spring_pendulum) {
  for (int stiff = 0; stiff < 2; stiff++) {
    build b = build_begin(1, 1);
    v3_set(b.spec->gravity, 0, -9.81, 0);
    build_rod(&b, "rod", 1.0, 0.1, (double[]){0, 0, 0}, (double[]){0.6, 0.8, 0});
    build_joint_at(&b, "pin", "revolute", HK_GROUND, 0, 0, 0, 0, 2);
    build_spring(&b, HK_GROUND, 0, (double[]){0, 2, 0}, (double[]){0.6, 0.8, 0}, stiff ? 10.0 : 1.0,
                 0, 0.0, NULL);
    b.spec->equilibrium = HK_EQ_REST;
    rig r = rig_make_bare(&b);
    rig_assemble(&r);
    const double *p = r.s->kin.frame[0].p;
    ck_near(p[0], 0.0, 1e-9);
    ck_near(p[1], stiff ? 0.5 : -0.5, 1e-9);
    rig_free(&r);
  }
}
END_TEST

/* loops: the four-bar at its lowest place, the same wherever it is cut, in plane and space */
START_TEST(four_bar) {
  double ref[9] = {0};
  for (int form = 0; form < 2; form++)
    for (int32_t cut = 0; cut < 4; cut++) {
      build b = build_four_bar(form == 0, cut);
      build_spring(&b, HK_GROUND, 1, (double[]){0.5, 1.5, 0}, (double[]){0.9, 0.65, 0}, 30, 0, 0.4,
                   NULL);
      b.spec->equilibrium = HK_EQ_REST;
      rig r = rig_make_bare(&b);
      hk_assembly as = rig_assemble(&r);
      ck_assert_double_lt(as.position_max, 1e-10);
      for (int i = 0; i < 9; i++) {
        double p = r.s->kin.frame[r.m->body_of_spec[i / 3]].p[i % 3];
        if (form == 0 && cut == 0) ref[i] = p;
        ck_near(p, ref[i], 1e-8);
      }
      check_balance(&r, 1e-7);
      rig_free(&r);
    }
}
END_TEST

/* a chain between two walls, drawn as an arch: it comes down, and hangs the same on both sides */
START_TEST(catenary) {
  enum { N = 12 };
  double P[N + 1][3];
  for (int i = 0; i <= N; i++) {
    double a = 3.0 * (i / (double)N - 0.5);
    v3_set(P[i], 3.0 * sin(a), 3.0 * (cos(a) - cos(1.5)), 0.0);
  }
  for (int form = 0; form < 2; form++) {
    build b = build_begin(N, N + 1);
    char name[16];
    v3_set(b.spec->gravity, 0, -9.81, 0);
    v3_set(b.spec->normal, 0, 0, 1);
    b.spec->planar = form == 0;
    for (int i = 0; i < N; i++) {
      snprintf(name, sizeof name, "b%d", i);
      build_rod(&b, name, 1.0, 0.1, P[i], P[i + 1]);
    }
    for (int i = 0; i <= N; i++) {
      snprintf(name, sizeof name, "j%d", i);
      build_joint_at(&b, name, form && i % 2 ? "universal" : "revolute", i - 1, i == N ? -1 : i,
                     P[i][0], P[i][1], 0.0, 2);
    }
    b.spec->equilibrium = HK_EQ_REST;
    rig r = rig_make_bare(&b);
    rig_assemble(&r);
    for (int i = 0; i < N; i++) {
      const double *p = r.s->kin.frame[r.m->body_of_spec[i]].p;
      const double *o = r.s->kin.frame[r.m->body_of_spec[N - 1 - i]].p;
      ck_assert_double_lt(p[1], 0.0);
      ck_near(p[0], -o[0], 1e-7);
      ck_near(p[1], o[1], 1e-7);
    }
    check_balance(&r, 1e-6);
    rig_free(&r);
  }
}
END_TEST

/* Bricard has one motion and a redundant row: it falls into the place of least energy */
START_TEST(bricard) {
  build b = build_bricard(-1);
  b.spec->equilibrium = HK_EQ_REST;
  rig r = rig_make_bare(&b);
  hk_assembly as = rig_assemble(&r);
  ck_assert_double_lt(as.position_max, 1e-9);
  check_balance(&r, 1e-6);
  rig_free(&r);
}
END_TEST

/* a body on six bushes of a bushing: small sag, all six coordinates */
START_TEST(bushing) {
  build b = build_begin(1, 1);
  build_body(&b, "m", 2.0, 0, 0, 0);
  double K[36] = {0};
  for (int i = 0; i < 6; i++) K[7 * i] = 1000.0 * (i + 1);
  int32_t f = build_force(&b, "bush", "bushing", HK_GROUND, 0, (double[]){0.1, 0, 0},
                          (double[]){0.1, 0, 0});
  force_par(&b, f, "stiffness", K, sizeof K);
  force_done(&b, f);
  b.spec->equilibrium = HK_EQ_REST;
  rig r = rig_make_bare(&b);
  rig_assemble(&r);
  check_balance(&r, 1e-8);
  // z: weight over stiffness, up to the small tilt
  ck_near(r.s->kin.frame[0].p[2], -2.0 * 9.81 / 3000.0, 1e-3);
  rig_free(&r);
}
END_TEST

/* a governor at a given speed: cos a = g / (w^2 l) with a point mass; the speed stays */
START_TEST(governor) {
  build b = build_begin(2, 2);
  build_body(&b, "shaft", 1.0, 0, 0, -0.2);
  int32_t ball = build_body(&b, "ball", 1.0, 0.3, 0, -0.9);
  memset(b.spec->bodies[ball].J, 0, sizeof b.spec->bodies[ball].J);
  build_joint_at(&b, "turn", "revolute", HK_GROUND, 0, 0, 0, 0, 2);
  build_joint_at(&b, "swing", "revolute", 0, 1, 0, 0, 0, 1);
  hk_spec_start *st = build_start_joint(&b, 0);
  st->v_given = 1;
  st->v[0] = 5.0;
  b.spec->equilibrium = HK_EQ_STEADY;
  rig r = rig_make_bare(&b);
  rig_assemble(&r);
  double l = hypot(0.3, 0.9);
  ck_near(r.s->kin.frame[r.m->body_of_spec[1]].p[2], -9.81 / 25.0, 1e-8);
  ck_near(v3_norm(r.s->kin.frame[r.m->body_of_spec[1]].p), l, 1e-12);
  double s, sd;
  hki_kin_scalar(&r.s->kin, 0, &s, &sd);
  ck_near(sd, 5.0, 1e-10);
  rig_free(&r);
}
END_TEST

/* nothing holds it up */
START_TEST(falling) {
  build b = build_begin(1, 1);
  build_body(&b, "m", 2.0, 0, 0, 0);
  b.spec->equilibrium = HK_EQ_REST;
  rig r = rig_make_bare(&b);
  rig_assemble_fails(&r, "no static equilibrium");
  rig_free(&r);
  // without any load every place is one
  b = build_begin(1, 1);
  build_body(&b, "m", 2.0, 0, 0, 0);
  v3_zero(b.spec->gravity);
  b.spec->equilibrium = HK_EQ_REST;
  r = rig_make_bare(&b);
  rig_assemble(&r);
  rig_free(&r);
}
END_TEST

/* a wheel on a road: k e = m g */
START_TEST(tyre) {
  build b = build_begin(1, 1);
  build_body(&b, "wheel", 50.0, 0, 0, 0.5);
  build_joint_at(&b, "guide", "prismatic", HK_GROUND, 0, 0, 0, 0.5, 2);
  int32_t f =
      build_force(&b, "tyre", "tyre", 0, HK_GROUND, (double[]){0, 0, 0.5}, (double[]){0, 0, 0});
  double radius = 0.3;
  hk_road road = {.height = 0.0};
  force_u(&b, f, "stiffness", 2e5);
  force_u(&b, f, "damping", 100.0);
  force_par(&b, f, "radius", &radius, sizeof radius);
  force_par(&b, f, "road", &road, sizeof road);
  force_done(&b, f);
  b.spec->equilibrium = HK_EQ_REST;
  rig r = rig_make_bare(&b);
  rig_assemble(&r);
  ck_near(r.s->kin.frame[0].p[2], 0.3 - 50.0 * 9.81 / 2e5, 1e-10);
  rig_free(&r);
}
END_TEST

/* start values of positions that the equilibrium overrules are not kept; prescribed ones are */
START_TEST(prescribed) {
  build b = chain(3);
  b.spec->joints[0].motion[0] = build_signal(&b, "hold", "0.5");
  rig r = rig_make_bare(&b);
  rig_assemble(&r);
  double s, sd;
  hki_kin_scalar(&r.s->kin, 0, &s, &sd);
  ck_near(s, 0.5, 1e-11);
  const double *p = r.s->kin.frame[r.m->body_of_spec[2]].p;
  ck_near(p[0], cos(0.5), 1e-9);
  ck_near(p[1], sin(0.5) - 1.5, 1e-9);
  rig_free(&r);
}
END_TEST

/* a beam on two springs that push straight up, free to slide and to turn about z: of all its
 * equilibria the one nearest to the start; named coordinates hold where nothing pulls at them. Its
 * tilt carries the mass below it to the side, so that the metric matters */
static rig sliding_beam(bool named) {
  build b = build_begin(2, 1);
  build_body(&b, "beam", 4.0, 0, 0, 1);
  build_body(&b, "bob", 6.0, 0.1, 0, 0.4);
  build_joint_at(&b, "mount", "fixed", 0, 1, 0.1, 0, 0.4, 2);
  static const double up[3] = {0, 0, 1};
  for (int i = 0; i < 3; i++) {
    const double *at = (const double[][3]){{-0.5, -0.4, 1}, {0.6, -0.3, 1}, {0.1, 0.5, 1}}[i];
    build_spring(&b, HK_GROUND, 0, (double[]){at[0], at[1], 0}, at, 5000.0, 0, 1.0, up);
  }
  b.spec->equilibrium = HK_EQ_REST;
  if (named) {
    hk_spec_start *st = build_start_body(&b, 0);
    st->given = HK_START_POSITION;
    v3_set(st->position, 0.2, -0.3, 1.05);
  }
  return rig_make_bare(&b);
}

START_TEST(nearest) {
  for (int named = 0; named < 2; named++) {
    rig r = sliding_beam(named);
    rig_assemble(&r);
    const double *p = r.s->kin.frame[r.m->body_of_spec[0]].p;
    const double *R = r.s->kin.frame[r.m->body_of_spec[0]].R;
    check_balance(&r, 1e-7);
    ck_assert_double_lt(p[2], 1.0 - 1e-4);              // sunk
    ck_assert_double_gt(fabs(R[2]) + fabs(R[5]), 1e-5); // tilted
    if (named) {
      ck_near(p[0], 0.2, 1e-10);
      ck_near(p[1], -0.3, 1e-10);
    } else { // the common centre of mass stays, to the first order in the tilt
      double tilt[2] = {R[2], R[5]};
      ck_near((10.0 * p[0] + 6.0 * (0.1 * R[0] - 0.6 * R[2])) / 10.0, 0.06, tilt[0] * tilt[0]);
      ck_near((10.0 * p[1] + 6.0 * (0.1 * R[3] - 0.6 * R[5])) / 10.0, 0.0, tilt[1] * tilt[1]);
    }
    rig_free(&r);
  }
}
END_TEST

Suite *suite_statics(void) {
  Suite *s = suite_create("statics");
  TCase *c = tcase_create("equilibria");
  tcase_add_test(c, hanging);
  tcase_add_test(c, on_a_spring);
  tcase_add_test(c, spring_pendulum);
  tcase_add_test(c, four_bar);
  tcase_add_test(c, catenary);
  tcase_add_test(c, bricard);
  tcase_add_test(c, bushing);
  tcase_add_test(c, governor);
  tcase_add_test(c, falling);
  tcase_add_test(c, tyre);
  tcase_add_test(c, prescribed);
  tcase_add_test(c, nearest);
  suite_add_tcase(s, c);
  return s;
}
