/* SPDX-License-Identifier: Apache-2.0
 *
 * mobility.c: degrees of freedom and redundant rows of mechanisms whose counts are known.
 */
#include "analyses/rank.h"
#include "support.h"
#include "runner.h"

static void expect(rig *r, int32_t rows, int32_t rank, int32_t dof) {
  hk_mobility m = rig_mobility(r);
  ck_assert_int_eq(m.rows, rows);
  ck_assert_int_eq(m.rank, rank);
  ck_assert_int_eq(m.dof, dof);
  ck_assert_int_eq(m.redundant, rows - rank);
}

START_TEST(bricard) {
  for (int32_t cut = -1; cut < 6; cut++) {
    build b = build_bricard(cut);
    rig r = rig_make_bare(&b);
    ck_assert_int_eq(r.m->nv, 5);
    expect(&r, 5, 4, 1);
    rig_free(&r);
  }
}
END_TEST

START_TEST(double_four_bar) {
  static const double angle[] = {0.0, 0.3, 1.2};
  for (int i = 0; i < 3; i++) {
    build b = build_double_four_bar(angle[i], true);
    rig r = rig_make_bare(&b);
    ck_assert_int_eq(r.m->nv, 5);
    expect(&r, 4, 4, 1);
    rig_free(&r);
  }
  // the horizontal position is singular: the mobility jumps to three
  build b = build_double_four_bar(asin(1.0), true);
  rig r = rig_make_bare(&b);
  expect(&r, 4, 2, 3);
  rig_free(&r);
}
END_TEST

START_TEST(spatial_revolutes) {
  build b = build_double_four_bar(0.3, false);
  rig r = rig_make_bare(&b);
  expect(&r, 10, 4, 1);
  rig_free(&r);
  b = build_four_bar(false, 2);
  r = rig_make_bare(&b);
  expect(&r, 5, 2, 1);
  rig_free(&r);
}
END_TEST

START_TEST(driven) {
  build b = build_slider_crank(true, 2);
  b.spec->joints[0].motion[0] = build_signal(&b, "turn", "10*t");
  rig r = rig_make_bare(&b);
  expect(&r, 3, 3, 0);
  rig_free(&r);
}
END_TEST

/* a massless rod between two balls: two bodies on sliders hold it; its spin is no freedom */
START_TEST(removed_spin) {
  build b = build_begin(3, 4);
  int32_t u = build_body(&b, "u", 1.0, 0, 0, 0), w = build_body(&b, "w", 1.0, 1, 1, 0);
  int32_t rod = build_massless(&b, "rod");
  build_joint_at(&b, "su", "prismatic", HK_GROUND, u, 0, 0, 0, 0);
  build_joint_at(&b, "sw", "prismatic", HK_GROUND, w, 1, 1, 0, 1);
  build_joint_at(&b, "bu", "spherical", u, rod, 0, 0, 0, 2);
  build_joint_at(&b, "bw", "spherical", rod, w, 1, 1, 0, 2);
  rig r = rig_make_bare(&b);
  ck_assert_int_eq(rig_mobility(&r).dof, 1);
  rig_free(&r);
}
END_TEST

/* many small loops on one ground: as many groups, time in proportion */
START_TEST(many_loops) {
  int32_t n = test_few() ? 300 : 3000;
  build b = build_begin(3 * n, 4 * n);
  char name[32];
  v3_set(b.spec->normal, 0, 0, 1);
  b.spec->planar = true;
  for (int32_t i = 0; i < n; i++) {
    double x = 3.0 * i, P[4][3] = {{x, 0, 0}, {x + 0.3, 0.4, 0}, {x + 1.5, 0.9, 0}, {x + 1, 0, 0}};
    for (int k = 0; k < 3; k++) {
      snprintf(name, sizeof name, "b%d_%d", i, k);
      build_rod(&b, name, 1.0, 0.0, P[k], P[k + 1]);
    }
    for (int k = 0; k < 4; k++) {
      snprintf(name, sizeof name, "j%d_%d", i, k);
      build_joint_at(&b, name, "revolute", k == 0 ? -1 : 3 * i + k - 1, k == 3 ? -1 : 3 * i + k,
                     P[k][0], P[k][1], 0.0, 2);
    }
  }
  rig r = rig_make_bare(&b);
  double t0 = hki_cpu_seconds();
  expect(&r, 2 * n, 2 * n, n);
  ck_assert_double_lt(hki_cpu_seconds() - t0, 1.0);
  rig_free(&r);
}
END_TEST

/* a ladder of four-bars: one group of loops; twice: a second pin in the place of the last one, `off` beside it */
static build build_ladder(int32_t n, bool planar, bool twice, double off) {
  build b = build_begin(2 * n + 1, 3 * n + 2);
  char name[32];
  v3_set(b.spec->normal, 0, 0, 1);
  b.spec->planar = planar;
  double th = 0.2;
  for (int32_t i = 0; i <= n; i++) {
    snprintf(name, sizeof name, "c%d", i);
    build_rod(&b, name, 1, 0.1, (double[]){i, 0, 0}, (double[]){i + sin(th), cos(th), 0});
  }
  for (int32_t i = 0; i < n; i++) {
    snprintf(name, sizeof name, "k%d", i);
    build_rod(&b, name, 1, 0.1, (double[]){i + sin(th), cos(th), 0},
              (double[]){i + 1 + sin(th), cos(th), 0});
  }
  for (int32_t i = 0; i <= n; i++) {
    snprintf(name, sizeof name, "A%d", i);
    build_joint_at(&b, name, "revolute", HK_GROUND, i, i, 0, 0, 2);
  }
  for (int32_t i = 0; i < n; i++)
    for (int k = 0; k < 2; k++) {
      snprintf(name, sizeof name, "B%d_%d", i, k);
      build_joint_at(&b, name, "revolute", i + k, n + 1 + i, i + k + sin(th), cos(th), 0, 2);
    }
  if (twice) build_joint_at(&b, "again", "revolute", n, 2 * n, n + sin(th) + off, cos(th), 0, 2);
  return b;
}

/* a long one: the sparse method; in space 3 rows of 5 are redundant in each loop */
static void ladder(int32_t n, bool planar) {
  build b = build_ladder(n, planar, false, 0.0);
  rig r = rig_make_bare(&b);
  hk_mobility m = rig_mobility(&r);
  ck_assert_int_eq(m.dof, 1);
  ck_assert_int_eq(m.rank, 2 * n);
  ck_assert_int_eq(m.rows, (planar ? 2 : 5) * n);
  rig_free(&r);
}

START_TEST(long_ladder) {
  ladder(20, true);
  ladder(300, true);
  ladder(120, false);
}
END_TEST

/* Rows that depend on others are told with these, whichever method has found them first: with two pins in one place, and
 * nearly so; a second pin 1 % beside the first holds the ladder */
START_TEST(rows_and_their_parties) {
  static const struct {
    int32_t n;
    double off;
    int32_t rank; // beside 2 n
  } cases[] = {{10, 0.0, 0}, {60, 0.0, 0}, {60, 1e-9, 0}, {60, 1e-2, 1}};
  for (int i = 0; i < 4; i++) {
    build b = build_ladder(cases[i].n, true, true, cases[i].off);
    rig r = rig_make(&b);
    hk_pool *pool = hki_pool_create(r.b.ctx);
    hk_rank rank;
    hki_tree_state(r.s, 0.0, r.m->q_draw, r.v, 0);
    hki_kin_closure_bias(&r.s->kin);
    ck_assert_int_eq(hki_rank(r.s, pool, HK_RANK_RATES, &rank), HK_OK);
    ck_assert_int_eq(rank.rows, 2 * cases[i].n + 2);
    ck_assert_int_eq(rank.rank, 2 * cases[i].n + cases[i].rank);
    ck_assert_int_eq(rank.ndependent, 2 - cases[i].rank);
    for (int32_t k = 0; k < rank.ndependent; k++) ck_assert_int_gt(rank.dependent[k].nwith, 0);
    hki_pool_destroy(pool);
    rig_free(&r);
  }
}
END_TEST

/* two welds in parallel: a loop without a coordinate */
START_TEST(welds) {
  build b = build_begin(2, 3);
  int32_t u = build_body(&b, "u", 1.0, 0, 0, 0), w = build_body(&b, "w", 1.0, 1, 0, 0);
  build_joint_at(&b, "base", "revolute", HK_GROUND, u, 0, 0, 0, 2);
  build_joint_at(&b, "w1", "fixed", u, w, 0.5, 0, 0, 2);
  build_joint_at(&b, "w2", "fixed", u, w, 0.7, 0, 0, 2);
  rig r = rig_make_bare(&b);
  expect(&r, 6, 0, 1);
  rig_free(&r);
}
END_TEST

Suite *suite_mobility(void) {
  Suite *s = suite_create("mobility");
  TCase *c = tcase_create("known");
  tcase_add_test(c, bricard);
  tcase_add_test(c, double_four_bar);
  tcase_add_test(c, spatial_revolutes);
  tcase_add_test(c, driven);
  tcase_add_test(c, removed_spin);
  tcase_add_test(c, many_loops);
  tcase_add_test(c, long_ladder);
  tcase_add_test(c, rows_and_their_parties);
  tcase_add_test(c, welds);
  suite_add_tcase(s, c);
  return s;
}
