/* SPDX-License-Identifier: Apache-2.0
 *
 * doctor.c: findings of the model doctor and their texts.
 */
#include "support.h"

typedef struct visit {
  hk_pool *pool;
  hk_finding *list;
  int32_t n;
  hk_mobility mob;
} visit;

static visit see(rig *r) {
  visit v = {.pool = hki_pool_create(r->b.ctx)};
  ck_assert_int_eq(hki_doctor(r->s, v.pool, r->q, r->v, &v.list, &v.n, &v.mob), HK_OK);
  return v;
}

static int32_t count(const visit *v, hk_finding_kind kind) {
  int32_t n = 0;
  for (int32_t i = 0; i < v->n; i++) n += v->list[i].kind == kind;
  return n;
}

static void expect(const visit *v, hk_finding_kind kind, const char *item, const char *text) {
  for (int32_t i = 0; i < v->n; i++)
    if (v->list[i].kind == kind && strcmp(v->list[i].item, item) == 0 &&
        strstr(v->list[i].text, text))
      return;
  for (int32_t i = 0; i < v->n; i++)
    fprintf(stderr, "%d %s: %s\n", v->list[i].kind, v->list[i].item, v->list[i].text);
  ck_abort_msg("no finding about '%s' with '%s'", item, text);
}

static void end(visit *v, rig *r) {
  hki_pool_destroy(v->pool);
  rig_free(r);
}

START_TEST(bricard) {
  build b = build_bricard(5);
  rig r = rig_make_bare(&b);
  rig_assemble(&r);
  visit v = see(&r);
  ck_assert_int_eq(v.mob.dof, 1);
  ck_assert_int_eq(v.n, 1);
  expect(&v, HK_FINDING_REDUNDANT, "j6",
         "joint 'j6': 1 of 5 equations follows from the others in loop through joints j6, ");
  end(&v, &r);
}
END_TEST

START_TEST(spatial_four_bar) {
  build b = build_four_bar(false, 3);
  rig r = rig_make_bare(&b);
  visit v = see(&r);
  ck_assert_int_eq(v.n, 1);
  expect(&v, HK_FINDING_REDUNDANT, "C", "3 of 5 equations follow from the others");
  end(&v, &r);
}
END_TEST

START_TEST(sound) {
  build b = build_four_bar(true, -1);
  rig r = rig_make_bare(&b);
  visit v = see(&r);
  ck_assert_int_eq(v.n, 0);
  end(&v, &r);
}
END_TEST

/* the horizontal double four-bar is singular, not redundant */
START_TEST(singular_position) {
  build b = build_double_four_bar(asin(1.0), true);
  rig r = rig_make_bare(&b);
  visit v = see(&r);
  ck_assert_int_eq(v.mob.dof, 3);
  ck_assert_int_eq(count(&v, HK_FINDING_REDUNDANT), 0);
  ck_assert_int_eq(count(&v, HK_FINDING_CONFLICT), 0);
  ck_assert_int_eq(count(&v, HK_FINDING_NOTE), 2);
  ck_assert_ptr_nonnull(strstr(v.list[0].text, "singular position"));
  end(&v, &r);
}
END_TEST

/* two motors on one loop: what they ask for decides */
static rig two_motors(const char *first, const char *second) {
  build b = build_four_bar(true, 1);
  b.spec->joints[0].motion[0] = build_signal(&b, "one", first);
  b.spec->joints[3].motion[0] = build_signal(&b, "two", second);
  return rig_make_bare(&b);
}

START_TEST(motors) {
  rig r = two_motors("0", "0");
  visit v = see(&r);
  ck_assert_int_eq(v.mob.dof, 0);
  ck_assert_int_eq(v.mob.redundant, 1);
  expect(&v, HK_FINDING_REDUNDANT, "C", "joint 'C', motion of angle");
  end(&v, &r);
  // rates
  r = two_motors("t", "t");
  v = see(&r);
  expect(&v, HK_FINDING_CONFLICT, "C", "rates");
  end(&v, &r);
  // accelerations
  r = two_motors("t^2", "t^2");
  v = see(&r);
  expect(&v, HK_FINDING_CONFLICT, "C", "accelerations");
  end(&v, &r);
  // positions
  r = two_motors("0.1", "0.2");
  v = see(&r);
  expect(&v, HK_FINDING_CONFLICT, "C", "positions");
  end(&v, &r);
}
END_TEST

START_TEST(inertia_free) {
  // a massless body on a free joint
  build b = build_begin(2, 1);
  build_body(&b, "heavy", 1.0, 0, 0, 0);
  build_massless(&b, "ghost");
  rig r = rig_make_bare(&b);
  visit v = see(&r);
  ck_assert_int_eq(count(&v, HK_FINDING_INERTIA_FREE), 6);
  ck_assert_int_eq(count(&v, HK_FINDING_MASSLESS), 1);
  expect(&v, HK_FINDING_INERTIA_FREE, "ghost", "free motion 1 of body 'ghost'");
  end(&v, &r);
  // a point mass on a revolute through it, at the end of an arm
  b = build_begin(2, 2);
  build_body(&b, "arm", 1.0, 0.5, 0, 0);
  int32_t p = build_body(&b, "point", 1.0, 1, 0, 0);
  memset(b.spec->bodies[p].J, 0, sizeof b.spec->bodies[p].J);
  build_joint_at(&b, "base", "revolute", HK_GROUND, 0, 0, 0, 0, 2);
  build_joint_at(&b, "tip", "revolute", 0, 1, 1, 0, 0, 1);
  r = rig_make_bare(&b);
  v = see(&r);
  ck_assert_int_eq(v.n, 1);
  expect(&v, HK_FINDING_INERTIA_FREE, "tip", "coordinate 1 of joint 'tip'");
  end(&v, &r);
  // two revolutes on one axis with nothing between them
  b = build_begin(2, 2);
  build_massless(&b, "washer");
  build_body(&b, "disc", 1.0, 0.3, 0, 0);
  build_joint_at(&b, "in", "revolute", HK_GROUND, 0, 0, 0, 0, 2);
  build_joint_at(&b, "out", "revolute", 0, 1, 0, 0, 0.1, 2);
  r = rig_make_bare(&b);
  v = see(&r);
  ck_assert_int_eq(count(&v, HK_FINDING_INERTIA_FREE), 1);
  expect(&v, HK_FINDING_INERTIA_FREE, "in",
         "coordinate 1 of joint 'in', coordinate 1 of joint 'out'");
  end(&v, &r);
}
END_TEST

/* a small mass beside large ones is not nothing; a massless rod that joints hold is no finding but
 * a note */
START_TEST(small_masses) {
  build b = build_four_bar(true, -1);
  for (int i = 0; i < 9; i++) b.spec->bodies[0].J[i] *= 1e-6;
  b.spec->bodies[0].mass *= 1e-6;
  rig r = rig_make_bare(&b);
  visit v = see(&r);
  ck_assert_int_eq(v.n, 0);
  end(&v, &r);
  b = build_four_bar(true, -1);
  memset(b.spec->bodies[1].J, 0, sizeof b.spec->bodies[1].J);
  b.spec->bodies[1].mass = 0.0;
  r = rig_make_bare(&b);
  v = see(&r);
  ck_assert_int_eq(v.n, 1);
  expect(&v, HK_FINDING_MASSLESS, "coupler", "has no mass: joints fix its motion");
  end(&v, &r);
}
END_TEST

/* a long chain must not need a matrix of its size squared; a ghost at its end is found */
START_TEST(long_chain) {
  int32_t n = 8000;
  build b = build_begin(n, n);
  char name[32];
  for (int32_t i = 0; i < n; i++) {
    snprintf(name, sizeof name, "b%d", i);
    if (i == n - 1)
      build_massless(&b, name);
    else
      build_rod(&b, name, 1.0, 0.1, (double[]){i, 0, 0}, (double[]){i + 1, 0, 0});
    snprintf(name, sizeof name, "j%d", i);
    build_joint_at(&b, name, "revolute", i - 1, i, i, 0, 0, i % 2 + 1);
  }
  rig r = rig_make_bare(&b);
  double t0 = hki_cpu_seconds();
  visit v = see(&r);
  ck_assert_double_lt(hki_cpu_seconds() - t0, 1.0);
  ck_assert_int_eq(v.mob.dof, n);
  expect(&v, HK_FINDING_INERTIA_FREE, "", "coordinate 1 of joint 'j7999'");
  expect(&v, HK_FINDING_MASSLESS, "b7999", "joints must fix its motion");
  end(&v, &r);
}
END_TEST

/* the same findings in the same words, twice */
START_TEST(deterministic) {
  build b = build_double_four_bar(0.3, false);
  rig r = rig_make_bare(&b);
  visit v1 = see(&r), v2 = see(&r);
  ck_assert_int_eq(v1.n, v2.n);
  for (int32_t i = 0; i < v1.n; i++) ck_assert_str_eq(v1.list[i].text, v2.list[i].text);
  hki_pool_destroy(v2.pool);
  end(&v1, &r);
}
END_TEST

/* every allocation may fail */
START_TEST(out_of_memory) {
  build b = build_bricard(5);
  rig r = rig_make_bare(&b);
  hk_status st = HK_E_MEMORY;
  for (uint64_t n = 1; st != HK_OK; n++) {
    visit v = {.pool = hki_pool_create(r.b.ctx)};
    hki_alloc_fail_at(r.b.ctx, n);
    st = hki_doctor(r.s, v.pool, r.q, r.v, &v.list, &v.n, &v.mob);
    hki_alloc_fail_at(r.b.ctx, 0);
    ck_assert(st == HK_OK || st == HK_E_MEMORY);
    ck_assert_int_lt((int)n, 1000);
    hki_pool_destroy(v.pool);
  }
  rig_free(&r);
}
END_TEST

Suite *suite_doctor(void) {
  Suite *s = suite_create("doctor");
  TCase *c = tcase_create("findings");
  tcase_add_test(c, bricard);
  tcase_add_test(c, spatial_four_bar);
  tcase_add_test(c, sound);
  tcase_add_test(c, singular_position);
  tcase_add_test(c, motors);
  tcase_add_test(c, inertia_free);
  tcase_add_test(c, small_masses);
  tcase_add_test(c, long_chain);
  tcase_add_test(c, deterministic);
  tcase_add_test(c, out_of_memory);
  suite_add_tcase(s, c);
  return s;
}
