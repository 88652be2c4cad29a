/* SPDX-License-Identifier: Apache-2.0
 *
 * channels.c: names of channels there and back, dotted items, hints, patterns, units.
 */
#include <stdlib.h>

#include "build.h"
#include "geometry/geometry.h"
#include "runner.h"

/* a model with one of everything */
static build everything(void) {
  static const char *const types[] = {"fixed",     "revolute",  "prismatic", "cylindrical", "screw",
                                      "universal", "spherical", "planar",    "free"};
  build b = build_begin(13, 10);
  build_body(&b, "arm", 1, 0, 0, 0);
  build_body(&b, "front_left.arm", 1, 0, 0, 0);
  build_body(&b, "front_left", 1, 0, 0, 0);
  build_body(&b, "front_left.position", 1, 0, 0, 0);
  int32_t t = build_signal(&b, "s", "t");
  for (int i = 0; i < HK_ARRAY_LEN(types); i++) {
    int32_t body = build_body(&b, types[i], 1, i, 0, 0);
    char name[32];
    snprintf(name, sizeof name, "left.%s", types[i]);
    int32_t j = build_joint_at(&b, name, types[i], HK_GROUND, body, i, 0, 0, 2);
    if (strcmp(types[i], "revolute") == 0) b.spec->joints[j].motion[0] = t;
    if (strcmp(types[i], "universal") == 0)
      b.spec->joints[j].motion[0] = b.spec->joints[j].motion[1] = t;
  }
  build_distance(&b, "rope", HK_GROUND, 0, (double[]){0, 0, 1}, (double[]){0, 0, 0});
  build_force(&b, "shock", "spring_damper", HK_GROUND, 0, (double[]){0, 0, 1}, (double[]){0, 0, 0});
  build_joint_force(&b, "coil", "joint_spring", 1, 0);
  build_joint_force(&b, "slide_coil", "joint_spring", 2, 0);
  build_marker(&b, "tip", 0, 1, 2, 3);
  return b;
}

START_TEST(there_and_back) {
  build b = everything();
  hk_model *m = build_compile(&b);
  hk_channel *list = NULL;
  int32_t n = 0, cap = 0;
  int32_t added = hki_channel_match(m->ctx, m->spec, "*", &list, &n, &cap);
  ck_assert_int_eq(added, n);
  // bodies 40 each, marker 11, energy 6, solver 5, constraint 3, signal 1, and the others
  ck_assert_int_gt(n, 40 * m->nb + 26);
  for (int32_t i = 0; i < n; i++) {
    char name[200], text[300], hint[200];
    hk_channel c = {-1, -1, -1};
    hki_channel_name(m->spec, list[i], name, sizeof name);
    ck_assert_msg(hki_channel_parse(m->spec, name, &c, hint, sizeof hint), "'%s' is not found",
                  name);
    ck_assert_int_eq(c.kind, list[i].kind);
    ck_assert_int_eq(c.component, list[i].component);
    ck_assert_int_eq(c.item, list[i].item);
    hki_channel_text(m->spec, c, text, sizeof text);
    ck_assert_uint_gt(strlen(text), 5);
    ck_assert_ptr_nonnull(hki_channel_unit(m->spec, c));
    ck_assert_int_ge(hki_channel_level(c), 0);
    // an exact name matches itself alone
    hk_channel *one = NULL;
    int32_t n1 = 0, cap1 = 0;
    ck_assert_int_eq(hki_channel_match(m->ctx, m->spec, name, &one, &n1, &cap1), 1);
    ck_assert_int_eq(one[0].kind, c.kind);
    hki_free(m->ctx, one);
  }
  hki_free(m->ctx, list);
  build_end(&b, m);
}
END_TEST

START_TEST(known_names) {
  static const struct {
    const char *name;
    int kind, component;
    const char *unit;
    int level;
  } known[] = {
      {"body.arm.position.x", HK_CH_BODY_POSITION, 0, "m", 0},
      {"body.arm.orientation.w", HK_CH_BODY_ORIENTATION, 0, "1", 0},
      {"body.front_left.arm.com_velocity.z", HK_CH_BODY_COM_VELOCITY, 2, "m/s", 1},
      {"body.front_left.angular_velocity.y", HK_CH_BODY_ANGULAR_VELOCITY, 1, "rad/s", 1},
      {"body.front_left.position.position.z", HK_CH_BODY_POSITION, 2, "m", 0},
      {"body.arm.com_acceleration.y", HK_CH_BODY_COM_ACCELERATION, 1, "m/s^2", 2},
      {"marker.tip.velocity.x", HK_CH_MARKER_VELOCITY, 0, "m/s", 1},
      {"joint.left.revolute.angle", HK_CH_JOINT_COORD, 0, "rad", 0},
      {"joint.left.revolute.rate", HK_CH_JOINT_RATE, 0, "rad/s", 1},
      {"joint.left.revolute.drive", HK_CH_JOINT_DRIVE, 0, "N*m", 2},
      {"joint.left.prismatic.position", HK_CH_JOINT_COORD, 0, "m", 0},
      {"joint.left.prismatic.velocity", HK_CH_JOINT_RATE, 0, "m/s", 1},
      {"joint.left.cylindrical.angle", HK_CH_JOINT_COORD, 0, "rad", 0},
      {"joint.left.cylindrical.velocity", HK_CH_JOINT_RATE, 1, "m/s", 1},
      {"joint.left.universal.angles.b", HK_CH_JOINT_COORD, 1, "rad", 0},
      {"joint.left.universal.rates.a", HK_CH_JOINT_RATE, 0, "rad/s", 1},
      {"joint.left.universal.drive.b", HK_CH_JOINT_DRIVE, 1, "N*m", 2},
      {"joint.left.planar.position.v", HK_CH_JOINT_COORD, 1, "m", 0},
      {"joint.left.planar.angle", HK_CH_JOINT_COORD, 2, "rad", 0},
      {"joint.left.planar.velocity.u", HK_CH_JOINT_RATE, 0, "m/s", 1},
      {"joint.left.spherical.orientation.z", HK_CH_JOINT_ORIENTATION, 3, "1", 0},
      {"joint.left.spherical.angular_velocity.x", HK_CH_JOINT_ANGULAR_VELOCITY, 0, "rad/s", 1},
      {"joint.left.free.position.y", HK_CH_JOINT_COORD, 1, "m", 0},
      {"joint.left.free.orientation.w", HK_CH_JOINT_ORIENTATION, 0, "1", 0},
      {"joint.left.free.velocity.z", HK_CH_JOINT_RATE, 2, "m/s", 1},
      {"joint.left.free.angular_velocity.z", HK_CH_JOINT_ANGULAR_VELOCITY, 2, "rad/s", 1},
      {"joint.left.fixed.force.x", HK_CH_JOINT_FORCE, 0, "N", 2},
      {"joint.left.fixed.torque.z", HK_CH_JOINT_TORQUE, 2, "N*m", 2},
      {"joint.rope.length", HK_CH_JOINT_COORD, 0, "m", 0},
      {"force.shock.force", HK_CH_FORCE_OUTPUT, 2, "N", 1},
      {"force.coil.force", HK_CH_FORCE_OUTPUT, 2, "N*m", 1},
      {"force.slide_coil.rate", HK_CH_FORCE_OUTPUT, 1, "m/s", 1},
      {"signal.s", HK_CH_SIGNAL, 0, "", 1},
      {"energy.balance_error", HK_CH_ENERGY, 5, "J", 2},
      {"solver.step", HK_CH_SOLVER, 1, "s", 2},
      {"constraint.acceleration", HK_CH_CONSTRAINT, 2, "", 2},
  };
  build b = everything();
  hk_model *m = build_compile(&b);
  for (int i = 0; i < HK_ARRAY_LEN(known); i++) {
    hk_channel c;
    char hint[200], name[200];
    ck_assert_msg(hki_channel_parse(m->spec, known[i].name, &c, hint, sizeof hint),
                  "'%s' is not found", known[i].name);
    ck_assert_int_eq(c.kind, known[i].kind);
    ck_assert_int_eq(c.component, known[i].component);
    ck_assert_str_eq(hki_channel_unit(m->spec, c), known[i].unit);
    ck_assert_int_eq(hki_channel_level(c), known[i].level);
    hki_channel_name(m->spec, c, name, sizeof name);
    ck_assert_str_eq(name, known[i].name);
  }
  build_end(&b, m);
}
END_TEST

START_TEST(hints) {
  static const struct {
    const char *name, *hint;
  } bad[] = {
      {"bod.arm.position.x", "body.arm.position.x"},
      {"body.amr.position.x", "body.arm.position.x"},
      {"body.front_left.amr.position.x", "body.front_left.arm.position.x"},
      {"body.arm.positon.x", "body.arm.position.x"},
      {"body.arm.position", "body.arm.position.x"},
      {"joint.left.revolute.angel", "joint.left.revolute.angle"},
      {"energy.kinetik", "energy.kinetic"},
      {"signal.q", ""},
      {"nonsense", ""},
      {"", ""},
      {".", ""},
      {"body", ""},
      {"body.", ""},
      {"body..", ""},
      {"joint.left.free.force.x", ""},
      {"joint.left.prismatic.drive", ""},
  };
  build b = everything();
  hk_model *m = build_compile(&b);
  for (int i = 0; i < HK_ARRAY_LEN(bad); i++) {
    hk_channel c;
    char hint[200], tiny[4];
    ck_assert(!hki_channel_parse(m->spec, bad[i].name, &c, hint, sizeof hint));
    ck_assert_msg(strstr(hint, bad[i].hint) != NULL, "'%s': hint is '%s'", bad[i].name, hint);
    ck_assert(!hki_channel_parse(m->spec, bad[i].name, &c, tiny, sizeof tiny));
    ck_assert(!hki_channel_parse(m->spec, bad[i].name, &c, NULL, 0));
  }
  // a very long name
  char *longname = malloc(100001);
  memset(longname, 'a', 100000);
  longname[100000] = '\0';
  memcpy(longname, "body.", 5);
  hk_channel c;
  ck_assert(!hki_channel_parse(m->spec, longname, &c, NULL, 0));
  free(longname);
  build_end(&b, m);
}
END_TEST

static int32_t matches(const hk_spec *s, const char *glob) {
  hk_channel *list = NULL;
  int32_t n = 0, cap = 0, added = hki_channel_match(s->ctx, s, glob, &list, &n, &cap);
  ck_assert_int_eq(added, n);
  hki_free(s->ctx, list);
  return added;
}

START_TEST(patterns) {
  build b = everything();
  hk_model *m = build_compile(&b);
  const hk_spec *s = m->spec;
  ck_assert_int_eq(matches(s, "body.*.position"), 3 * (s->nbodies - 1) + 40);
  ck_assert_int_eq(matches(s, "body.arm.position"), 3);
  ck_assert_int_eq(matches(s, "body.arm.position.?"), 3);
  ck_assert_int_eq(matches(s, "body.arm.*"), 40);
  ck_assert_int_eq(matches(s, "body.arm"), 40);
  // the instance and what is inside it
  ck_assert_int_eq(matches(s, "body.front_left.*"), 3 * 40);
  ck_assert_int_eq(matches(s, "body.front_left.arm"), 40);
  ck_assert_int_eq(matches(s, "energy.*"), 6);
  ck_assert_int_eq(matches(s, "energy.kinetic"), 1);
  ck_assert_int_eq(matches(s, "energy"), 6);
  ck_assert_int_eq(matches(s, "joint.left.universal.*"), 2 + 2 + 6 + 2 + 1);
  ck_assert_int_eq(matches(s, "joint.*.drive*"), 3);
  ck_assert_int_eq(matches(s, "signal.*"), 1);
  ck_assert_int_eq(matches(s, "force.shock.*"), 5);
  ck_assert_int_eq(matches(s, "nothing.*"), 0);
  ck_assert_int_eq(matches(s, "body.nobody.*"), 0);
  ck_assert_int_eq(matches(s, ""), 0);
  build_end(&b, m);
}
END_TEST

/* patterns over groups in which the model has nothing */
START_TEST(empty_groups) {
  build b = everything();
  hk_model *m = build_compile(&b);
  const hk_spec *s = m->spec;
  ck_assert_str_eq(hki_channel_glob_void(s, "shell.*"), "shell");
  ck_assert_str_eq(hki_channel_glob_void(s, "flexible.*.energy"), "flexible");
  ck_assert_ptr_null(hki_channel_glob_void(s, "joint.*"));
  ck_assert_ptr_null(hki_channel_glob_void(s, "joint.*.nothing"));
  ck_assert_ptr_null(hki_channel_glob_void(s, "shell.skin.*"));
  ck_assert_ptr_null(hki_channel_glob_void(s, "energy.*.x"));
  ck_assert_ptr_null(hki_channel_glob_void(s, "shells.*"));
  build_end(&b, m);
}
END_TEST

START_TEST(many_bodies) {
  const int32_t N = test_few() ? 1000 : 10000;
  build b = build_begin(N, 1);
  char name[64];
  for (int32_t i = 0; i < N; i++) {
    snprintf(name, sizeof name, "part%d.body", (int)i);
    build_body(&b, name, 1, i, 0, 0);
  }
  hk_model *m = build_compile(&b);
  double t = hki_cpu_seconds();
  ck_assert_int_eq(matches(m->spec, "body.*"), 40 * N);
  // all by name, one pattern each
  for (int32_t i = 0; i < N; i++) {
    snprintf(name, sizeof name, "body.part%d.body.position", (int)i);
    ck_assert_int_eq(matches(m->spec, name), 3);
  }
  ck_assert_double_lt(hki_cpu_seconds() - t, 10.0);
  build_end(&b, m);
}
END_TEST

Suite *suite_channels(void);
Suite *suite_channels(void) {
  Suite *s = suite_create("channels");
  TCase *t = tcase_create("channels");
  tcase_add_test(t, there_and_back);
  tcase_add_test(t, known_names);
  tcase_add_test(t, hints);
  tcase_add_test(t, patterns);
  tcase_add_test(t, empty_groups);
  tcase_add_test(t, many_bodies);
  suite_add_tcase(s, t);
  return s;
}
