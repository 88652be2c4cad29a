/* SPDX-License-Identifier: Apache-2.0
 *
 * assembly.c: named values exact, other coordinates nearest in the mass metric, loops closed;
 * values that cannot be met are reported.
 */
#include <stdlib.h>

#include "support.h"

/* value of scalar coordinate k of a joint */
static double scalar(rig *r, int32_t joint, int32_t k, bool rate) {
  double s, sd;
  hki_kin_state(&r->s->kin, 0.0, r->q, r->v);
  hki_kin_scalar(&r->s->kin, r->m->joints[joint].scalar0 + k, &s, &sd);
  return rate ? sd : s;
}

/* (M D) . x = 0 for all motions x that keep closures and the named coordinates: here, motions that
 * the matrix [Phi_z; N] lets through. D = q (-) q_draw or v. */
static void check_nearest(rig *r, const double *D, const int32_t *held, int32_t nheld) {
  hk_tree *s = r->s;
  int32_t nv = r->m->nv;
  double *MD = calloc((size_t)nv + 1, sizeof *MD), *x = calloc((size_t)nv + 1, sizeof *x);
  hki_tree_state(s, 0.0, r->q, r->v, 0);
  hki_tree_reach(s);
  hki_tree_mass(s);
  hki_ldl_mul(s->ldl, &s->num, s->num.val, D, MD);
  for (int32_t i = 0; i < nheld; i++) s->num.val[s->slot_diag[held[i]]] *= 1e9;
  double size = 0.0, work = 0.0;
  hki_tree_penalty(s, 1e6, 1.0);
  hki_tree_add_closures(s, 1.0);
  ck_assert_int_eq(hki_tree_factor(s), HK_OK);
  uint64_t seed = 8;
  for (int trial = 0; trial < 5; trial++) {
    for (int32_t i = 0; i < nv; i++) x[i] = noise(&seed);
    for (int32_t i = 0; i < nheld; i++) x[held[i]] = 0.0;
    for (int pass = 0; pass < 10; pass++) hki_tree_project(s, 1.0, NULL, HK_TREE_CLOSED, x);
    work = size = 0.0;
    for (int32_t i = 0; i < nv; i++) work += MD[i] * x[i], size += fabs(MD[i] * x[i]);
    ck_assert_double_lt(fabs(work), 1e-6 * size + 1e-9);
  }
  free(MD);
  free(x);
}

static hk_spec_start *angle(build *b, int32_t joint, double value) {
  hk_spec_start *st = build_start_joint(b, joint);
  st->q_given = 1;
  st->q[0] = value;
  return st;
}

static hk_spec_start *rate(build *b, int32_t joint, double value) {
  hk_spec_start *st = build_start_joint(b, joint);
  st->v_given = 1;
  st->v[0] = value;
  return st;
}

/* --- positions -------------------------------------------------------------------------------- */

/* one angle of a four-bar fixes everything: the same places wherever the loop is cut, and whichever
 * joint is named */
START_TEST(four_bar) {
  for (int form = 0; form < 2; form++)
    for (int32_t joint = 0; joint < 4; joint++) {
      double ref[9] = {0};
      for (int32_t cut = 0; cut < 4; cut++) {
        build b = build_four_bar(form == 0, cut);
        angle(&b, joint, joint == 0 ? 1.1 : -0.2);
        rate(&b, joint, 2.0);
        rig r = rig_make_bare(&b);
        hk_assembly as = rig_assemble(&r);
        ck_assert_int_eq(as.nmoved, 0);
        ck_assert_double_lt(as.position_max, 1e-11);
        ck_assert_double_lt(as.velocity_max, 1e-10);
        ck_near(scalar(&r, joint, 0, false), joint == 0 ? 1.1 : -0.2, 1e-11);
        ck_near(scalar(&r, joint, 0, true), 2.0, 1e-10);
        for (int i = 0; i < 3; i++)
          for (int k = 0; k < 3; k++) {
            double p = r.s->kin.frame[r.m->body_of_spec[i]].p[k];
            if (cut == 0) ref[3 * i + k] = p;
            ck_near(p, ref[3 * i + k], 1e-9);
          }
        rig_free(&r);
      }
    }
}
END_TEST

/* nothing named: the drawing as it is, at rest */
START_TEST(untouched) {
  build b = build_four_bar(true, -1);
  rig r = rig_make_bare(&b);
  rig_assemble(&r);
  for (int32_t i = 0; i < r.m->nq; i++) ck_near(r.q[i], r.m->q_draw[i], 1e-12);
  for (int32_t i = 0; i < r.m->nv; i++) ck_assert(r.v[i] == 0.0);
  rig_free(&r);
}
END_TEST

/* a joint drawn 3 mm apart closes, and what moves is nearest */
START_TEST(drawn_apart) {
  for (int32_t cut = 0; cut < 4; cut++) {
    build b = build_four_bar(true, cut);
    b.spec->joints[2].marker[1].p[0] += 0.003;
    b.spec->joints[2].marker[1].p[1] -= 0.02;
    rig r = rig_make(&b);
    hk_assembly as = rig_assemble(&r);
    ck_assert_double_lt(as.position_max, 1e-11);
    double *D = calloc((size_t)r.m->nv + 1, sizeof *D);
    hki_tree_minus(r.m, r.q, r.m->q_draw, D);
    check_nearest(&r, D, NULL, 0);
    free(D);
    rig_free(&r);
  }
}
END_TEST

/* a far target on an open chain: several joints share the way */
START_TEST(reach_out) {
  build b = build_begin(4, 4);
  char name[16];
  for (int32_t i = 0; i < 4; i++) {
    snprintf(name, sizeof name, "b%d", i);
    build_rod(&b, name, 1.0, 0.1, (double[]){i, 0, 0}, (double[]){i + 1, 0, 0});
    snprintf(name, sizeof name, "j%d", i);
    build_joint_at(&b, name, "revolute", i - 1, i, i, 0, 0, i % 2 ? 2 : 1);
  }
  build_start_body(&b, 3)->given = HK_START_POSITION;
  v3_set(b.spec->starts[0].position, 1.2, 0.9, -1.4);
  rig r = rig_make_bare(&b);
  hk_assembly as = rig_assemble(&r);
  ck_assert_int_eq(as.nmoved, 0);
  const double *p = r.s->kin.frame[r.m->body_of_spec[3]].p;
  for (int i = 0; i < 3; i++) ck_near(p[i], ((double[]){1.2, 0.9, -1.4})[i], 1e-11);
  rig_free(&r);
}
END_TEST

/* more than a turn, on a tree joint and on a cut one */
START_TEST(turns) {
  for (int32_t cut = 0; cut < 4; cut++) {
    build b = build_four_bar(true, cut);
    // a crank that can turn round: short crank, long others
    static const double P[4][3] = {{0, 0, 0}, {0.3, 0, 0}, {1.0, 1.0, 0}, {1.3, 0.0, 0}};
    for (int i = 0; i < 4; i++)
      for (int k = 0; k < 2; k++) v3_copy(b.spec->joints[i].marker[k].p, P[i]);
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) b.spec->bodies[i].com[k] = 0.5 * (P[i][k] + P[i + 1][k]);
    angle(&b, 0, 7.5);
    rig r = rig_make_bare(&b);
    ck_assert_int_eq(rig_assemble(&r).nmoved, 0);
    ck_near(scalar(&r, 0, 0, false), 7.5, 1e-11);
    rig_free(&r);
  }
}
END_TEST

/* a coordinate that counts from elsewhere, by more than a turn, of a joint that cannot turn round
 */
START_TEST(zero) {
  for (int32_t cut = 0; cut < 4; cut++) {
    build b = build_four_bar(true, cut);
    b.spec->joints[3].zero[0] = 10.0;
    angle(&b, 3, 9.8);
    rig r = rig_make_bare(&b);
    hki_kin_init(&r.s->kin);
    ck_assert_int_eq(rig_assemble(&r).nmoved, 0);
    ck_near(scalar(&r, 3, 0, false), 9.8, 1e-11);
    rig_free(&r);
  }
}
END_TEST

/* Bricard: redundant rows do not disturb */
START_TEST(bricard) {
  for (int32_t cut = 0; cut < 6; cut++) {
    build b = build_bricard(cut);
    angle(&b, 2, 0.4);
    rate(&b, 4, -1.0);
    rig r = rig_make_bare(&b);
    hk_assembly as = rig_assemble(&r);
    ck_assert_int_eq(as.nmoved, 0);
    ck_assert_double_lt(as.position_max, 1e-11);
    ck_assert_double_lt(as.velocity_max, 1e-10);
    ck_near(scalar(&r, 2, 0, false), 0.4, 1e-11);
    ck_near(scalar(&r, 4, 0, true), -1.0, 1e-10);
    rig_free(&r);
  }
}
END_TEST

/* all values of a free body, far from the drawing */
START_TEST(free_body) {
  build b = build_begin(1, 1);
  int32_t i = build_body(&b, "top", 2.0, 0.1, 0.2, 0.3);
  hk_spec_body *sb = &b.spec->bodies[i];
  sb->has_frame = true;
  m3_identity(sb->frame.R);
  v3_set(sb->frame.p, 0.5, 0.2, 0.3);
  hk_spec_start *st = build_start_body(&b, i);
  st->given =
      HK_START_POSITION | HK_START_ORIENTATION | HK_START_VELOCITY | HK_START_ANGULAR_VELOCITY;
  double d[3] = {1.2, -1.9, 0.8}, q[4];
  quat_exp(q, d);
  memcpy(st->orientation, q, sizeof q);
  v3_set(st->position, 4, -3, 2);
  v3_set(st->velocity, 1, 2, 3);
  v3_set(st->angular_velocity, -3, 50, 7);
  rig r = rig_make_bare(&b);
  ck_assert_int_eq(rig_assemble(&r).nmoved, 0);
  hk_frame F;
  double R[9];
  quat_to_rot(R, q);
  hki_kin_marker(&r.s->kin, 0, &r.m->bodies[0].own, &F);
  for (int k = 0; k < 9; k++) ck_near(F.R[k], R[k], 1e-11);
  for (int k = 0; k < 3; k++) {
    ck_near(F.p[k], ((double[]){4, -3, 2})[k], 1e-11);
    ck_near(F.v[k], ((double[]){1, 2, 3})[k], 1e-10);
    ck_near(F.w[k], ((double[]){-3, 50, 7})[k], 1e-10);
  }
  rig_free(&r);
}
END_TEST

/* vectors of a spherical and a free joint, second body reversed or not */
START_TEST(joint_vectors) {
  for (int reversed = 0; reversed < 2; reversed++) {
    build b = build_begin(2, 2);
    build_body(&b, "u", 2.0, 0.3, 0, 0);
    build_body(&b, "w", 1.0, 1.3, 0.2, 0);
    build_joint_at(&b, "free", "free", reversed ? 0 : HK_GROUND, reversed ? HK_GROUND : 0, 0.2, 0.1,
                   0, 1);
    build_joint_at(&b, "ball", "spherical", reversed ? 1 : 0, reversed ? 0 : 1, 1, 0, 0, 0);
    hk_spec_start *st = build_start_joint(&b, 1);
    st->given = HK_START_ORIENTATION | HK_START_ANGULAR_VELOCITY;
    quat_exp(st->orientation, (double[]){0.5, 1.0, -0.7});
    v3_set(st->angular_velocity, 1, -2, 3);
    double q1[4];
    memcpy(q1, st->orientation, sizeof q1);
    st = build_start_joint(&b, 0);
    st->given = HK_START_POSITION | HK_START_VELOCITY;
    v3_set(st->position, 0.4, 0.5, 0.6);
    v3_set(st->velocity, -1, 0.5, 2);
    rig r = rig_make_bare(&b);
    ck_assert_int_eq(rig_assemble(&r).nmoved, 0);
    hk_frame F[2];
    double R[9], E[9], d[3], w[3], x[3];
    for (int i = 0; i < 2; i++)
      hki_kin_marker(&r.s->kin, r.m->joints[1].mbody[i], &r.m->joints[1].marker[i], &F[i]);
    m3_tmul(E, F[0].R, F[1].R);
    quat_to_rot(R, q1);
    for (int k = 0; k < 9; k++) ck_near(E[k], R[k], 1e-11);
    v3_sub(d, F[1].w, F[0].w);
    m3_tmulv(w, F[0].R, d);
    for (int k = 0; k < 3; k++) ck_near(w[k], ((double[]){1, -2, 3})[k], 1e-10);
    // the free joint: position and velocity of B in A's axes
    for (int i = 0; i < 2; i++)
      hki_kin_marker(&r.s->kin, r.m->joints[0].mbody[i], &r.m->joints[0].marker[i], &F[i]);
    v3_sub(d, F[1].p, F[0].p);
    m3_tmulv(x, F[0].R, d);
    for (int k = 0; k < 3; k++) ck_near(x[k], ((double[]){0.4, 0.5, 0.6})[k], 1e-11);
    v3_cross(x, F[0].w, d);
    v3_sub(d, F[1].v, F[0].v);
    v3_sub(d, d, x);
    m3_tmulv(x, F[0].R, d);
    for (int k = 0; k < 3; k++) ck_near(x[k], ((double[]){-1, 0.5, 2})[k], 1e-10);
    rig_free(&r);
  }
}
END_TEST

/* --- velocities ------------------------------------------------------------------------------- */

/* a five-bar with one rate named: of all motions with this rate, the one with the least kinetic energy */
START_TEST(nearest_rates) {
  static const double P[5][3] = {
      {0, 0, 0}, {-0.3, 0.8, 0}, {0.6, 1.5, 0}, {1.4, 0.7, 0}, {1.2, 0, 0}};
  build b = build_begin(4, 5);
  v3_set(b.spec->normal, 0, 0, 1);
  b.spec->planar = true;
  for (int i = 0; i < 4; i++)
    build_rod(&b, (const char *[]){"b0", "b1", "b2", "b3"}[i], 1.0 + i, 0.1, P[i], P[i + 1]);
  for (int i = 0; i < 5; i++)
    build_joint_at(&b, (const char *[]){"j0", "j1", "j2", "j3", "j4"}[i], "revolute", i - 1,
                   i == 4 ? -1 : i, P[i][0], P[i][1], 0, 2);
  b.spec->joints[3].cut = HK_CUT_ALWAYS;
  b.spec->start_rates = HK_RATES_MASS;
  rate(&b, 0, 2.5);
  rig r = rig_make(&b);
  ck_assert_int_eq(rig_mobility(&r).dof, 2);
  ck_assert_int_eq(rig_assemble(&r).nmoved, 0);
  int32_t named = r.m->scalars[r.m->joints[0].scalar0].vi;
  ck_near(r.v[named], 2.5, 1e-11);
  check_nearest(&r, r.v, &named, 1);
  rig_free(&r);
}
END_TEST

/* prescribed motions: position and rate of t = 0 */
START_TEST(prescribed) {
  for (int32_t cut = 0; cut < 4; cut++) {
    build b = build_slider_crank(true, cut);
    b.spec->joints[0].motion[0] = build_signal(&b, "turn", "0.3 + 2*t + t^2");
    rig r = rig_make_bare(&b);
    hk_assembly as = rig_assemble(&r);
    ck_assert_double_lt(as.position_max, 1e-11);
    ck_near(scalar(&r, 0, 0, false), 0.3, 1e-11);
    ck_near(scalar(&r, 0, 0, true), 2.0, 1e-10);
    rig_free(&r);
  }
}
END_TEST

/* the second coordinate of a joint, prescribed and named */
START_TEST(second_coordinate) {
  build b = build_begin(2, 2);
  build_body(&b, "u", 1.0, 0.3, 0, 0);
  build_body(&b, "w", 1.0, 0.6, 0, 0);
  build_joint_at(&b, "a", "cylindrical", HK_GROUND, 0, 0, 0, 0, 2);
  build_joint_at(&b, "b", "universal", 0, 1, 0.5, 0, 0, 2);
  b.spec->joints[0].motion[1] = build_signal(&b, "push", "0.2 + 3*t");
  hk_spec_start *st = build_start_joint(&b, 1);
  st->q_given = st->v_given = 2;
  st->q[1] = 0.4;
  st->v[1] = -1.0;
  rig r = rig_make_bare(&b);
  rig_assemble(&r);
  ck_near(scalar(&r, 0, 1, false), 0.2, 1e-11);
  ck_near(scalar(&r, 0, 1, true), 3.0, 1e-10);
  ck_near(scalar(&r, 0, 0, false), 0.0, 1e-9);
  ck_near(scalar(&r, 1, 1, false), 0.4, 1e-11);
  ck_near(scalar(&r, 1, 1, true), -1.0, 1e-10);
  rig_free(&r);
}
END_TEST

/* --- what cannot be met ----------------------------------------------------------------------- */

START_TEST(conflicting_values) {
  for (int32_t cut = 0; cut < 4; cut++) {
    build b = build_four_bar(true, cut);
    angle(&b, 0, 0.2);
    angle(&b, 3, 1.0);
    rate(&b, 3, 1.0);
    rate(&b, 0, 1.0);
    rig r = rig_make_bare(&b);
    hk_assembly as = rig_assemble(&r);
    ck_assert_int_eq(as.nmoved, 2);
    ck_near(scalar(&r, 0, 0, false), 0.2, 1e-11);
    ck_near(scalar(&r, 3, 0, true), 1.0, 1e-10);
    ck_assert_double_lt(as.position_max, 1e-11);
    ck_assert(rig_said(&r, HK_WARNING, "joint 'C', angle"));
    ck_assert(rig_said(&r, HK_WARNING, "joint 'O', rate"));
    ck_assert(!rig_said(&r, HK_WARNING, "joint 'O', angle"));
    rig_free(&r);
  }
}
END_TEST

START_TEST(unreachable_value) {
  build b = build_four_bar(true, -1);
  angle(&b, 2, 3.0); // the coupler cannot fold back this far
  rig r = rig_make_bare(&b);
  hk_assembly as = rig_assemble(&r);
  ck_assert_int_eq(as.nmoved, 1);
  ck_assert(rig_said(&r, HK_WARNING, "joint 'B', angle"));
  ck_assert_double_lt(as.position_max, 1e-11);
  rig_free(&r);
}
END_TEST

START_TEST(open_loop) {
  for (int32_t cut = 0; cut < 4; cut++) {
    build b = build_four_bar(true, cut);
    // the ground joint is 5 m away: rods of 0.5 + 1.3 + 1.04 m cannot reach it
    b.spec->joints[3].marker[1].p[0] += 5.0;
    rig r = rig_make_bare(&b);
    rig_assemble_fails(&r, "loop through joints");
    ck_assert(rig_said(&r, HK_ERROR, "mm apart"));
    rig_free(&r);
  }
}
END_TEST

START_TEST(conflicting_motions) {
  build b = build_four_bar(true, -1);
  b.spec->joints[0].motion[0] = build_signal(&b, "one", "t");
  b.spec->joints[3].motion[0] = build_signal(&b, "two", "t");
  rig r = rig_make_bare(&b);
  rig_assemble_fails(&r, "rates conflict");
  rig_free(&r);
  b = build_four_bar(true, -1);
  b.spec->joints[0].motion[0] = build_signal(&b, "one", "0.5");
  b.spec->joints[3].motion[0] = build_signal(&b, "two", "0.7");
  r = rig_make_bare(&b);
  rig_assemble_fails(&r, "cannot close");
  rig_free(&r);
}
END_TEST

/* massless rods in a loop do not disturb */
START_TEST(massless) {
  build b = build_four_bar(false, -1);
  memset(b.spec->bodies[1].J, 0, sizeof b.spec->bodies[1].J);
  b.spec->bodies[1].mass = 0.0;
  angle(&b, 0, 0.6);
  rig r = rig_make_bare(&b);
  ck_assert_int_eq(rig_assemble(&r).nmoved, 0);
  ck_near(scalar(&r, 0, 0, false), 0.6, 1e-11);
  rig_free(&r);
}
END_TEST

/* the double four-bar, drawn singular, named out of it and into it */
START_TEST(singular) {
  static const double th[3] = {0.3, 1.4, 1.5707963267948966};
  for (int i = 0; i < 3; i++) {
    build b = build_double_four_bar(0.0, true);
    angle(&b, 0, -th[i]);
    rig r = rig_make_bare(&b);
    hk_assembly as = rig_assemble(&r);
    ck_assert_int_eq(as.nmoved, 0);
    ck_assert_double_lt(as.position_max, 1e-10);
    ck_near(scalar(&r, 0, 0, false), -th[i], 1e-10);
    // parallelograms stay parallelograms; at the singular position the others may stay behind
    if (i < 2) ck_near(scalar(&r, 2, 0, false), -th[i], 1e-9);
    rig_free(&r);
  }
}
END_TEST

Suite *suite_assembly(void) {
  Suite *s = suite_create("assembly");
  TCase *c = tcase_create("positions");
  tcase_add_test(c, four_bar);
  tcase_add_test(c, untouched);
  tcase_add_test(c, drawn_apart);
  tcase_add_test(c, reach_out);
  tcase_add_test(c, turns);
  tcase_add_test(c, zero);
  tcase_add_test(c, bricard);
  tcase_add_test(c, free_body);
  tcase_add_test(c, joint_vectors);
  tcase_add_test(c, massless);
  tcase_add_test(c, singular);
  suite_add_tcase(s, c);
  c = tcase_create("velocities");
  tcase_add_test(c, nearest_rates);
  tcase_add_test(c, prescribed);
  tcase_add_test(c, second_coordinate);
  suite_add_tcase(s, c);
  c = tcase_create("refused");
  tcase_add_test(c, conflicting_values);
  tcase_add_test(c, unreachable_value);
  tcase_add_test(c, open_loop);
  tcase_add_test(c, conflicting_motions);
  suite_add_tcase(s, c);
  return s;
}
