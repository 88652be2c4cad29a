/* SPDX-License-Identifier: Apache-2.0
 *
 * refusals.c: specs that cannot be compiled, each with its message; warnings; lack of memory at
 * every allocation.
 */
#include <stdlib.h>

#include "build.h"
#include "geometry/geometry.h"
#include "runner.h"

/* a sound spec to spoil: two bodies in a loop with a motion, a force, an event, a lock */
static build sound(void) {
  build b = build_begin(3, 4);
  build_body(&b, "one", 1, 0, 0, 0);
  build_body(&b, "two", 1, 1, 0, 0);
  build_massless(&b, "rod");
  build_joint_at(&b, "pin", "revolute", HK_GROUND, 0, 0, 0, 0, 1);
  build_joint_at(&b, "slide", "prismatic", 0, 1, 0.5, 0, 0, 0);
  build_joint_at(&b, "near", "spherical", 1, 2, 1, 0, 0, 0);
  build_joint_at(&b, "far", "spherical", HK_GROUND, 2, 2, 0, 0, 0);
  int32_t t = build_signal(&b, "s", "step(t - 1)");
  b.spec->joints[0].motion[0] = t;
  build_event(&b, "stop", t, HK_EVENT_FIX, 1);
  build_force(&b, "spring", "spring_damper", 0, 1, (double[]){0, 0, 1}, (double[]){1, 0, 1});
  build_force(&b, "push", "force", 1, HK_GROUND, (double[]){0, 0, 1}, (double[]){1, 0, 1});
  build_joint_force(&b, "motor", "joint_torque", 1, 0);
  build_marker(&b, "tip", 0, 1, 2, 3);
  b.spec->run.time = 2.0;
  return b;
}

START_TEST(bodies) {
  build b = sound();
  b.spec->bodies[0].mass = -1;
  build_refuse(&b, "mass of body 'one' is -1");
  b = sound();
  b.spec->bodies[0].mass = NAN;
  build_refuse(&b, "mass of body 'one'");
  b = sound();
  b.spec->bodies[0].com[1] = INFINITY;
  build_refuse(&b, "not finite");
  b = sound();
  b.spec->bodies[0].has_com = false;
  build_refuse(&b, "no centre of mass");
  b = sound();
  b.spec->bodies[0].J[1] = b.spec->bodies[0].J[3] = 1.0;
  build_refuse(&b, "not positive");
  b = sound();
  b.spec->bodies[1].name = "one";
  build_refuse(&b, "body 'one' is there twice");
  b = sound();
  b.spec->bodies[1].name = NULL;
  build_refuse(&b, "has no name");
}
END_TEST

START_TEST(joints) {
  build b = sound();
  b.spec->joints[1].body[1] = 0;
  build_refuse(&b, "joint 'slide' joins one with itself");
  b = sound();
  b.spec->joints[0].body[1] = HK_GROUND;
  build_refuse(&b, "joins the ground with itself");
  b = sound();
  b.spec->joints[0].body[1] = 99;
  build_refuse(&b, "no such body");
  b = sound();
  b.spec->joints[0].ops = NULL;
  build_refuse(&b, "no type");
  b = sound();
  b.spec->joints[0].marker[1].p[0] = NAN;
  build_refuse(&b, "not finite");
  b = sound();
  b.spec->joints[0].ops = hki_joint_find("universal");
  b.spec->joints[0].par = hki_pool_alloc(b.spec->pool, b.spec->joints[0].ops->par_size);
  build_refuse(&b, "parallel");
}
END_TEST

START_TEST(others) {
  build b = sound();
  b.spec->forces[0].body[0] = 7;
  build_refuse(&b, "force 'spring'");
  b = sound();
  b.spec->forces[2].coord = 1;
  build_refuse(&b, "force 'motor'");
  b = sound();
  b.spec->forces[2].u_signal[0] = 5;
  build_refuse(&b, "force 'motor'");
  b = sound();
  b.spec->markers[0].body = -2;
  build_refuse(&b, "marker 'tip'");
  b = sound();
  b.spec->gravity[0] = NAN;
  build_refuse(&b, "gravity");
  b = sound();
  hk_read late = {.kind = HK_READ_SIGNAL, .signal = 0};
  b.spec->signals[0].reads = &late;
  build_refuse(&b, "signal 's'");
  b = sound();
  hk_read nowhere = {.kind = HK_READ_CHANNEL, .channel = {HK_CH_BODY_POSITION, 0, 77}};
  b.spec->signals[0].reads = &nowhere;
  build_refuse(&b, "signal 's'");
  b = sound();
  b.spec->signals[0].expr = NULL;
  build_refuse(&b, "signal 's' is empty");
  b = sound();
  hk_spec_start start = {.joint = HK_NONE, .body = HK_NONE, .loc = HK_LOC_NONE};
  b.spec->starts = &start;
  b.spec->nstarts = 1;
  build_refuse(&b, "start value");
  // all errors are told, not only the first
  b = sound();
  b.spec->bodies[0].mass = -1;
  b.spec->joints[1].body[1] = 0;
  hk_ctx *ctx = b.ctx;
  ck_assert_ptr_null(hki_model_compile(b.spec));
  ck_assert_int_eq(hki_error_count(ctx), 2);
  ck_assert_int_eq(hk_ctx_message(ctx, 0)->line, 1);
  hk_ctx_destroy(ctx);
  ck_assert_ptr_null(hki_model_compile(NULL));
  hki_model_release(NULL);
}
END_TEST

START_TEST(warnings) {
  // a joint that nothing switches on
  build b = sound();
  b.spec->joints[3].active = false;
  hk_model *m = build_compile(&b);
  bool found = false;
  for (int32_t i = 0; i < hk_ctx_message_count(b.ctx); i++) {
    const hk_message *g = hk_ctx_message(b.ctx, i);
    found |= g->severity == HK_WARNING && strstr(g->text, "no event switches it on");
  }
  ck_assert(found);
  build_end(&b, m);
  // a slender bar in the plane has one moment: nothing to say
  b = build_begin(1, 1);
  b.spec->planar = true;
  memset(b.spec->gravity, 0, sizeof b.spec->gravity);
  build_body(&b, "bar", 1, 0, 0, 0);
  memset(b.spec->bodies[0].J, 0, sizeof b.spec->bodies[0].J);
  b.spec->bodies[0].J[8] = 1.0;
  m = build_compile(&b);
  ck_assert_int_eq(hk_ctx_message_count(b.ctx), 0);
  build_end(&b, m);
  // gravity along the normal moves nothing
  b = build_begin(1, 1);
  b.spec->planar = true;
  memcpy(b.spec->gravity, b.spec->normal, sizeof b.spec->gravity);
  build_body(&b, "bar", 1, 0, 0, 0);
  m = build_compile(&b);
  ck_assert_int_ge(hk_ctx_message_count(b.ctx), 1);
  ck_assert_ptr_nonnull(strstr(hk_ctx_message(b.ctx, 0)->text, "across the plane"));
  build_end(&b, m);
}
END_TEST

START_TEST(no_memory) {
  // the sound spec compiles; with the n-th allocation failing it does not, and nothing leaks
  for (uint64_t n = 1;; n++) {
    build b = sound();
    hki_alloc_fail_at(b.ctx, n);
    hk_model *m = hki_model_compile(b.spec);
    hki_alloc_fail_at(b.ctx, 0);
    bool ok = m != NULL;
    ck_assert(ok || hki_ctx_status(b.ctx) == HK_E_MEMORY);
    hki_model_release(m);
    hk_ctx_destroy(b.ctx);
    if (ok) break;
    ck_assert_uint_lt(n, 1000);
  }
  for (uint64_t n = 1; n < 100; n++) {
    hk_ctx *ctx = hk_ctx_create();
    hki_alloc_fail_at(ctx, n);
    hk_spec *s = hki_spec_create(ctx);
    bool ok = s != NULL;
    hki_spec_destroy(s);
    hk_ctx_destroy(ctx);
    if (ok) break;
  }
}
END_TEST

Suite *suite_refusals(void);
Suite *suite_refusals(void) {
  Suite *s = suite_create("refusals");
  TCase *t = tcase_create("refusals");
  tcase_add_test(t, bodies);
  tcase_add_test(t, joints);
  tcase_add_test(t, others);
  tcase_add_test(t, warnings);
  tcase_add_test(t, no_memory);
  suite_add_tcase(s, t);
  return s;
}
