/* SPDX-License-Identifier: Apache-2.0
 *
 * What is written once and means more: lists and texts as parameters, texts with braces, repeated
 * items, named laws.
 */
#include "language/support_model.h"

#include <string.h>

/* --- lists and texts -------------------------------------------------------------------------- */

#define LISTS                                                                                      \
  "parameters: {a: [1, 2*b, \"max(3, b)\"], b: 2, up: [0, 1, 0], who: \"rod\", where: {text: "     \
  "\"P\"}}\n"                                                                                      \
  "points: {P: a}\n"                                                                               \
  "bodies: {rod: {mass: \"a.x + a[2] + a[b + 1] + a.3\", com: where}}\n"                           \
  "joints: {pin: {type: revolute, between: [ground, who], at: P, axis: up}}\n"

START_TEST(lists_and_texts) {
  ok(LISTS);
  ck_assert_double_eq(spec->bodies[0].mass, 1.0 + 4.0 + 3.0 + 3.0);
  near3(spec->bodies[0].com, 1.0, 4.0, 3.0);
  ck_assert_int_eq(spec->joints[0].body[1], 0);
  // z of the marker is along `up`
  near3((const double[]){spec->joints[0].marker[0].R[2], spec->joints[0].marker[0].R[5],
                         spec->joints[0].marker[0].R[8]},
        0.0, 1.0, 0.0);
  // a list may be another one; a quoted word is itself
  ok("parameters: {a: [1, 2, 3], b: a}\nbodies: {b: {mass: 1, com: b}}\n"
     "markers: {m: {on: \"b\", at: a}}\n");
  near3(spec->bodies[0].com, 1.0, 2.0, 3.0);
  // a quoted expression stays a number
  ok("parameters: {L: 2, m: \"L\", k: \"2*L\"}\nbodies: {b: {mass: m + k, com: [0, 0, 0]}}\n");
  ck_assert_double_eq(spec->bodies[0].mass, 6.0);
  // lists where signals and numbers of elements are taken
  ok("parameters: {F: [1, 2, 3]}\nbodies: {b: {mass: 1, com: [0, 0, 0]}}\n"
     "forces: {f: {type: force, on: b, at: [0, 0, 0], value: F}}\n");
  near3(spec->forces[0].u, 1.0, 2.0, 3.0);
}
END_TEST

START_TEST(lists_from_outside) {
  read_set(LISTS, (const hk_set[]){{"a", "[5, b, 2*b]"}, {"a.y", "7"}}, 2);
  ck_assert_ptr_nonnull(spec);
  near3(spec->bodies[0].com, 5.0, 7.0, 4.0);
  read_set(LISTS, (const hk_set[]){{"where", "Q"}}, 1);
  check_message(HK_E_MODEL, 4, 58, "no point 'Q'", NULL);
  read_set(LISTS, (const hk_set[]){{"a", "[1, 2]"}}, 1);
  check_message(HK_E_USAGE, 0, 0, "a list of 3 numbers", "--set");
  ck_assert_int_eq(hk_ctx_message_count(ctx), 1);
  read_set(LISTS, (const hk_set[]){{"a", "3"}}, 1);
  check_message(HK_E_USAGE, 0, 0, "a list of 3 numbers", NULL);
  read_set(LISTS, (const hk_set[]){{"a.w", "3"}}, 1);
  check_message(HK_E_USAGE, 0, 0, "3 components", NULL);
  read_set(LISTS, (const hk_set[]){{"b.x", "3"}}, 1);
  check_message(HK_E_USAGE, 0, 0, "no parameter 'b.x'", NULL);
}
END_TEST

#define BODY(mass) "bodies: {b: {mass: " mass ", com: [0, 0, 0]}}\n"

START_TEST(wrong_lists_and_texts) {
  bad("parameters: {a: [1, 2]}\n" BODY("2*a"), 3, 20, "is a list", "a.x or a[1]");
  bad("parameters: {a: [1, 2]}\n" BODY("a.3"), 3, 20, "no 'a.3': the list has 2", "1, 2");
  bad("parameters: {a: [1, 2]}\n" BODY("\"a[0]\""), 3, 23, "constant whole number", "from 1");
  bad("parameters: {a: [1, 2]}\n" BODY("\"a[1.5]\""), 3, 23, "constant whole number", NULL);
  bad("parameters: {a: [1, 2]}\n" BODY("\"a[1\""), 3, 24, "expected ']'", NULL);
  bad("parameters: {a: 2}\n" BODY("\"[1]\""), 3, 21, "not part of an expression", "round");
  bad("parameters: {a: []}\n", 2, 17, "1 to 10000 components", NULL);
  bad("parameters: {a: \"rod\"}\n" BODY("a"), 3, 20, "unknown name 'rod'", NULL);
  bad("parameters: {a: \"rod\"}\n" BODY("a + 1"), 3, 20, "is a text", "quotes");
  bad("parameters: {a: {txt: b}}\n", 2, 18, "no key 'txt'", "text");
  bad("parameters: {a: {text: [b]}}\n", 2, 24, "must be a text", NULL);
  // a formula in quotes that is wrong does not become a text
  bad("parameters: {a: \"max(1, L)\"}\n", 2, 25, "unknown name 'L'", NULL);
  bad("parameters: {who: \"x\"}\nmarkers: {m: {on: who, at: [0, 0, 0]}}\n", 3, 19, "no body 'x'",
      NULL);
}
END_TEST

/* --- repeated items --------------------------------------------------------------------------- */

START_TEST(repeated_items) {
  ok("parameters: {n: 3, L: 0.5, m: [1, 2, 4]}\n"
     "points: {P: {repeat: n + 1, at: [(i - 1)*L, 0, 0]}}\n"
     "bodies: {rod: {repeat: n, index: k, mass: \"m[k]\", com: [(k - 0.5)*L, 0, 0], last: {mass: "
     "9}}}\n"
     "joints:\n"
     "  pin: {repeat: n, type: revolute, between: [\"rod_{i - 1}\", \"rod_{i}\"], at: \"P_{i}\", "
     "axis: y,\n"
     "        first: {between: [ground, rod_1]}}\n"
     "signals: {s: {repeat: n, expression: \"i*joint.pin_{i}.angle\"}}\n"
     "forces: {f: {repeat: n, type: joint_torque, joint: \"pin_{i}\", value: \"s_{i}\"}}\n"
     "markers: {\"tip{i}\": {repeat: n, on: \"rod_{i}\", at: \"P_{i + 1}\"}}\n"
     "start: {pin: {repeat: 2, angle: 0.1*i}}\n"
     "events: {stop: {repeat: 2, when: \"t > {i}\", fix: \"pin_{i}\"}}\n");
  ck_assert_int_eq(spec->nbodies, 3);
  ck_assert_str_eq(spec->bodies[1].name, "rod_2");
  ck_assert_double_eq(spec->bodies[1].mass, 2.0);
  ck_assert_double_eq(spec->bodies[2].mass, 9.0);
  near3(spec->bodies[2].com, 1.25, 0.0, 0.0);
  ck_assert_int_eq(spec->joints[0].body[0], HK_GROUND);
  ck_assert_int_eq(spec->joints[2].body[0], 1);
  ck_assert_int_eq(spec->joints[2].body[1], 2);
  near3(spec->joints[2].marker[0].p, 1.0, 0.0, 0.0);
  ck_assert_str_eq(spec->markers[2].name, "tip3");
  near3(spec->markers[2].at.p, 1.5, 0.0, 0.0);
  ck_assert_int_eq(spec->nstarts, 2);
  ck_assert_double_eq(spec->starts[1].q[0], 0.2);
  ck_assert_int_eq(spec->nevents, 2);
  const hk_spec_signal *s = &spec->signals[spec->forces[2].u_signal[0]];
  ck_assert_str_eq(s->name, "s_3");
  ck_assert_double_eq(hki_expr_eval(s->expr, (const double[]){2.0}), 6.0);
}
END_TEST

START_TEST(repeated_instances) {
  ok("components:\n"
     "  leaf: {bodies: {b: {mass: 10*i + j, com: [1, 0, 0]}}}\n"
     "  arm: {instances: {leaf: {component: leaf, repeat: i + 1, index: j, at: [j, 0, 0]}}}\n"
     "instances: {arm: {component: arm, repeat: 2, rotate: {axis: z, angle: i*90*deg}}}\n");
  ck_assert_int_eq(spec->nbodies, 5);
  ck_assert_str_eq(spec->bodies[0].name, "arm_1.leaf_1.b");
  ck_assert_str_eq(spec->bodies[4].name, "arm_2.leaf_3.b");
  ck_assert_double_eq(spec->bodies[4].mass, 23.0);
  near3(spec->bodies[1].com, 0.0, 3.0, 0.0);
  near3(spec->bodies[4].com, -4.0, 0.0, 0.0);
  // a parameter of the component hides the number; an instance sets its parameters by it
  ok("components: {c: {parameters: {i: 7, k: 0}, bodies: {b: {mass: i + k, com: [0, 0, 0]}}}}\n"
     "instances: {x: {component: c, repeat: 2, parameters: {k: 10*i}}}\n");
  ck_assert_double_eq(spec->bodies[1].mass, 27.0);
  ok("bodies: {b: {repeat: 0, mass: 1, com: [0, 0, 0]}}\n");
  ck_assert_int_eq(spec->nbodies, 0);
}
END_TEST

START_TEST(wrong_repetitions) {
  bad("bodies: {b: {repeat: 2.5, mass: 1}}\n", 2, 22, "whole number from 0", NULL);
  bad("bodies: {b: {repeat: -1, mass: 1}}\n", 2, 22, "whole number from 0", NULL);
  bad("bodies: {b: {repeat: 1e7, mass: 1}}\n", 2, 22, "more than 200000 repeated", NULL);
  bad("bodies: {b: {repeat: t, mass: 1}}\n", 2, 22, "unknown name 't'", NULL);
  bad("bodies: {b: {repeat: 2, index: 3a, mass: 1}}\n", 2, 32, "cannot be the name", NULL);
  bad("bodies: {b: {repeat: 2, first: 3, mass: 1}}\n", 2, 32, "mapping of keys", NULL);
  bad("bodies: {b: {index: k, mass: 1, com: [0, 0, 0]}}\n", 2, 14, "no key 'index'", NULL);
  bad("bodies: {b: {mass: 1, com: [0, 0, 0], inertia: {repeat: 2, xx: 1}}}\n", 2, 49,
      "no key 'repeat'", NULL);
  bad("bodies: {b: {repeat: 2, mass: 1, com: \"P{i\"}}\n", 2, 41, "not closed", "{{");
  bad("bodies: {b: {repeat: 2, mass: 1, com: \"P{i/2}\"}}\n", 2, 42, "whole number or a text",
      NULL);
  bad("bodies: {b_2: , b: {repeat: 3}}\n", 2, 17, "defined twice", "m.yaml:2");
  // a fault is reported once, not once for each
  bad("bodies: {b: {repeat: 40, mas: 1}}\n", 2, 26, "body 'b_1' has no key 'mas'", "'mass'");
  ck_assert_int_eq(hk_ctx_message_count(ctx), 1);
  bad("points: {P: {repeat: 40, at: [i, 1/0, 0]}}\n", 2, 35, "division by zero", NULL);
  ck_assert_int_eq(hk_ctx_message_count(ctx), 1);
}
END_TEST

/* --- laws ------------------------------------------------------------------------------------- */

#define SLIDER                                                                                     \
  "bodies: {b: {mass: 1, com: [0, 0, 0]}}\n"                                                       \
  "joints: {j: {type: prismatic, between: [ground, b], at: [0, 0, 0], axis: x}}\n"

static double law_force(int32_t i, double s) {
  const hk_law *const *laws =
      spec->forces[i].par; // the first member of a joint spring's parameters
  hk_law_out out;
  hki_law_eval(laws[0], false, s, 0.0, &out);
  return out.f;
}

START_TEST(named_laws) {
  ok(SLIDER
     "parameters: {k: 3}\n"
     "laws: {hard: {linear: 10*k}, both: {piecewise: [{below: 0, law: hard}, {linear: 1}]}}\n"
     "forces: {a: {type: joint_spring, joint: j, spring: both},\n"
     "         b: {type: joint_spring, joint: j, spring: hard}}\n");
  ck_assert_double_eq(law_force(0, -2.0), -60.0);
  ck_assert_double_eq(law_force(0, 2.0), 2.0);
  ck_assert_double_eq(law_force(1, 2.0), 60.0);
  // in a component by the parameters of each instance
  ok("components:\n"
     "  c:\n"
     "    parameters: {k: 1}\n"
     "    laws: {own: k*s}\n"
     "    bodies: {b: {mass: 1, com: [0, 0, 0]}}\n"
     "    joints: {j: {type: prismatic, between: [ground, b], at: [0, 0, 0], axis: x}}\n"
     "    forces: {f: {type: joint_spring, joint: j, spring: own}}\n"
     "instances: {x: {component: c}, y: {component: c, parameters: {k: 5}}}\n");
  ck_assert_double_eq(law_force(0, 2.0), 2.0);
  ck_assert_double_eq(law_force(1, 2.0), 10.0);
  bad(SLIDER
      "laws: {a: {piecewise: [{below: 0, law: b}, {linear: 1}]}, b: {piecewise: [{law: a}]}}\n",
      4, 8, "law 'a' is made of itself", NULL);
  bad(SLIDER "laws: {unused: {lnear: 1}}\n", 4, 17, "no key 'lnear'", "'linear'");
  bad(SLIDER "laws: {s: {linear: 1}}\n", 4, 8, "cannot be a law", NULL);
  bad(SLIDER "parameters: {k: 1}\nlaws: {k: {linear: 1}}\n", 5, 8, "cannot be a law", NULL);
  bad(SLIDER
      "laws: {soft: {linear: 1}}\nforces: {f: {type: joint_spring, joint: j, spring: sofd}}\n",
      5, 52, "'sofd'", "'soft'");
}
END_TEST

Suite *suite_repeat(void) {
  Suite *s = suite_create("repeat");
  TCase *c = tcase_create("repeat");
  tcase_add_checked_fixture(c, setup, teardown);
  tcase_add_test(c, lists_and_texts);
  tcase_add_test(c, lists_from_outside);
  tcase_add_test(c, wrong_lists_and_texts);
  tcase_add_test(c, repeated_items);
  tcase_add_test(c, repeated_instances);
  tcase_add_test(c, wrong_repetitions);
  tcase_add_test(c, named_laws);
  suite_add_tcase(s, c);
  return s;
}
