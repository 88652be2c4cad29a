/* SPDX-License-Identifier: Apache-2.0
 *
 * model_reader.c: the model language. Each test reads a small text and looks at the spec, or at the
 * place and the words of the first message.
 */
#include "language/support_model.h"
#include "joint_keys.h"
#include "runner.h"

/* --- parameters ------------------------------------------------------------------------------- */

static const char two_masses[] = "parameters: {a: 2*b, b: c + 1, c: 3}\n"
                                 "bodies: {x: {mass: a, com: [b, \"c/2\", 30*deg]}}\n";

START_TEST(parameters) {
  ok(two_masses);
  ck_assert_double_eq(spec->bodies[0].mass, 8.0);
  near3(spec->bodies[0].com, 4.0, 1.5, acos(-1.0) / 6.0);
  bad("parameters: {a: b, b: c, c: a}\n", 2, 17, "in a circle: a -> b -> c -> a", "number");
  bad("parameters: {a: a}\n", 2, 17, "a -> a", NULL);
  bad("parameters: {lenght: 1, b: length}\n", 2, 28, "'length'", "'lenght'");
  bad("parameters: {a: 1/0}\n", 2, 18, "division by zero", NULL);
  bad("parameters: {a: [[1]]}\n", 2, 18, "must be a number", NULL);
  bad("parameters: {t: 1}\n", 2, 14, "meaning of its own", NULL);
  bad("parameters: {b-c: 1}\n", 2, 14, "cannot be the name", "'_'");
  bad("parameters: [1, 2]\n", 2, 13, "must be a mapping of names", NULL);
  bad("parameters: {a: 1, c: max(1, 2)}\n", 2, 30, "'2)' cannot be the name", NULL);
  bad("gravity: [max(1, 2), 0]\n", 2, 11, "is cut off", "quotes");
}
END_TEST

START_TEST(parameter_chain) {
  /* forwards any length, backwards up to a limit, and no crash in either case */
  hk_text t;
  hki_text_init(&t, ctx);
  hki_text_add(&t, "hooke: 1\nparameters:\n  p0: 1\n");
  for (int i = 1; i < 5000; i++) hki_text_printf(&t, "  p%d: p%d + 1\n", i, i - 1);
  hki_text_add(&t, "bodies: {b: {mass: p4999, com: [0, 0, 0]}}\n");
  spec = hki_model_read_text(ctx, "m.yaml", t.s, t.len, NULL, 0);
  ck_assert_ptr_nonnull(spec);
  ck_assert_double_eq(spec->bodies[0].mass, 5000.0);
  drop();
  t.len = 0;
  hki_text_add(&t, "hooke: 1\nparameters:\n");
  for (int i = 5000; i > 1; i--) hki_text_printf(&t, "  p%d: p%d + 1\n", i, i - 1);
  hki_text_add(&t, "  p1: 1\n");
  spec = hki_model_read_text(ctx, "m.yaml", t.s, t.len, NULL, 0);
  ck_assert_ptr_null(spec);
  ck_assert_ptr_nonnull(strstr(hk_ctx_message(ctx, 0)->text, "more than 100 deep"));
  hki_text_free(&t);
}
END_TEST

START_TEST(set_from_outside) {
  read_set(two_masses, (const hk_set[]){{"c", "5"}, {"b", "2*c"}}, 2);
  ck_assert_ptr_nonnull(spec);
  ck_assert_double_eq(spec->bodies[0].mass, 20.0);
  read_set(two_masses, (const hk_set[]){{"c", "5"}, {"c", "7"}}, 2);
  ck_assert_double_eq(spec->bodies[0].mass, 16.0);
  read_set(two_masses, (const hk_set[]){{"cc", "5"}}, 1);
  check_message(HK_E_USAGE, 0, 0, "no parameter 'cc'", "'c'");
  read_set(two_masses, (const hk_set[]){{"", "c"}}, 1);
  check_message(HK_E_USAGE, 0, 0, "no parameter ''", NULL);
  read_set(two_masses, (const hk_set[]){{"c", "2*"}}, 1);
  check_message(HK_E_USAGE, 0, 0, "--set c=2*", NULL);
  read_set(two_masses, (const hk_set[]){{"c", "1/0"}}, 1);
  check_message(HK_E_USAGE, 0, 0, "--set c=1/0", NULL);
}
END_TEST

/* --- frames ----------------------------------------------------------------------------------- */

START_TEST(frames_and_points) {
  ok("frames:\n"
     "  g: {in: f, at: [0, 2, 0], rotate: {axis: x, angle: 90*deg}}\n"
     "  f: {at: [1, 0, 0], rotate: {axis: z, angle: 90*deg}}\n"
     "points: {P: {in: g, at: [1, 2, 3]}, Q: g, R: {in: f, at: P}}\n"
     "markers:\n"
     "  p: {on: ground, at: P}\n"
     "  q: {on: ground, at: Q, axes: g}\n"
     "  r: {on: ground, at: R}\n");
  /* g: origin (1,0,0) + Rz(0,2,0) = (-1,0,0); P = g + Rz Rx (1,2,3) = g + Rz (1,-3,2) */
  near3(spec->markers[0].at.p, -1.0 + 3.0, 1.0, 2.0);
  near3(spec->markers[1].at.p, -1.0, 0.0, 0.0);
  near(spec->markers[1].at.R, (const double[]){0, 0, 1, 1, 0, 0, 0, 1, 0}, 9);
  near3(spec->markers[2].at.p, 2.0, 1.0, 2.0);
  bad("frames: {a: {in: b}, b: {in: a}}\n", 2, 10, "relative to itself", NULL);
  bad("points: {A: B, B: A}\n", 2, 10, "relative to itself", NULL);
  bad("points: {foot: [0, 0, 0], B: foto}\n", 2, 30, "no point 'foto'", "'foot'");
  bad("frames: {a: {in: wolrd}}\n", 2, 18, "no frame 'wolrd'", "'world'");
  bad("points: {A: [0, 0]}\n", 2, 13, "must be a point", NULL);
  bad("points: {A: [0, 0, x]}\n", 2, 20, "'x'", NULL);
}
END_TEST

START_TEST(orientations) {
  /* five ways to say the same: 30 deg about z, then 40 deg about the new y */
  ok("frames:\n"
     "  a: {rotate: {euler: zy, angles: [30*deg, 40*deg]}}\n"
     "  b: {rotate: [{axis: z, angle: 30*deg}, {axis: [0, 2, 0], angle: 40*deg}]}\n"
     "  c: {in: d, rotate: {axis: y, angle: 40*deg}}\n"
     "  d: {rotate: [cos(15*deg), 0, 0, sin(15*deg)]}\n"
     "  e: {rotate: {y: [-sin(30*deg), cos(30*deg), 0], z: a.z}}\n"
     "  f: {rotate: {z: a.z, x: b.x}}\n"
     "  g: {rotate: {euler: zyx, angles: [30*deg, 40*deg, 0]}}\n"
     "markers:\n"
     "  a: {on: ground, at: [0, 0, 0], axes: a}\n"
     "  b: {on: ground, at: [0, 0, 0], axes: b}\n"
     "  c: {on: ground, at: [0, 0, 0], axes: c}\n"
     "  e: {on: ground, at: [0, 0, 0], axes: e}\n"
     "  f: {on: ground, at: [0, 0, 0], axes: f}\n"
     "  g: {on: ground, at: [0, 0, 0], axes: g}\n");
  double a = acos(-1.0) / 6, b = acos(-1.0) * 2 / 9;
  double R[9] = {cos(a) * cos(b), -sin(a), cos(a) * sin(b),
                 sin(a) * cos(b), cos(a),  sin(a) * sin(b),
                 -sin(b),         0,       cos(b)};
  for (int i = 0; i < spec->nmarkers; i++) near(spec->markers[i].at.R, R, 9);
  bad("frames: {a: {rotate: {axis: z}}}\n", 2, 22, "needs 'axis' and 'angle'", NULL);
  bad("frames: {a: {rotate: {euler: zzx, angles: [1, 2, 3]}}}\n", 2, 30, "'euler'", NULL);
  bad("frames: {a: {rotate: {x: [1, 0, 0], z: [2, 0, 0]}}}\n", 2, 22, "parallel", NULL);
  bad("frames: {a: {rotate: {x: [1, 0, 0]}}}\n", 2, 22, "not an orientation", NULL);
  bad("frames: {a: {rotate: [0, 0, 0, 0]}}\n", 2, 22, "must not be zero", NULL);
  bad("frames: {a: {rotate: {axis: w, angle: 1}}}\n", 2, 29, "must be a direction", NULL);
  bad("frames: {a: {rotate: {axis: [0, 0, 0], angle: 1}}}\n", 2, 29, "length is zero", NULL);
}
END_TEST

/* --- bodies ----------------------------------------------------------------------------------- */

START_TEST(bodies) {
  ok("frames: {f: {at: [1, 2, 3], rotate: {axis: z, angle: 90*deg}}}\n"
     "bodies:\n"
     "  a: {mass: 2, com: [1, 0, 0], inertia: {xx: 1, yy: 2, zz: 2.5, xy: 0.1}}\n"
     "  b: {mass: 2, com: f, inertia: {diagonal: [1, 2, 2.5], axes: f}, frame: f}\n"
     "  c: {mass: 2, com: f, inertia: [1, 2, 2.5], axes: f}\n"
     "  d:\n"
     "  ground: {shape: {box: [1, 1, 1], at: [0, 0, 1]}}\n");
  ck_assert_int_eq(spec->nbodies, 4);
  near(spec->bodies[0].J, (const double[]){1, 0.1, 0, 0.1, 2, 0, 0, 0, 2.5}, 9);
  near(spec->bodies[1].J, (const double[]){2, 0, 0, 0, 1, 0, 0, 0, 2.5}, 9);
  near(spec->bodies[2].J, spec->bodies[1].J, 9);
  ck_assert(spec->bodies[1].has_frame && !spec->bodies[0].has_frame);
  near3(spec->bodies[1].frame.p, 1, 2, 3);
  ck_assert(!spec->bodies[3].has_com);
  ck_assert_int_eq(spec->nshapes, 1);
  ck_assert_int_eq(spec->shapes[0].body, HK_GROUND);
  ck_assert_int_eq(spec->bodies[1].loc.line, 5);
  ck_assert_int_eq(spec->bodies[1].loc.col, 3);

  /* impossible inertia is an error, unusual inertia a warning, in planar models neither */
  bad("bodies: {a: {mass: 1, com: [0, 0, 0], inertia: {xx: 1, yy: 1, zz: 1, xy: 2}}}\n", 2, 48,
      "is not possible", NULL);
  ok("bodies: {a: {mass: 1, com: [0, 0, 0], inertia: {xx: 1, yy: 1, zz: 3}}}\n");
  ck_assert_int_eq(hk_ctx_message_count(ctx), 1);
  ck_assert_int_eq(hk_ctx_message(ctx, 0)->severity, HK_WARNING);
  ok("planar: xy\nbodies: {a: {mass: 1, com: [0, 0, 0], inertia: {zz: 3}}}\n");
  ck_assert_int_eq(hk_ctx_message_count(ctx), 0);
  bad("bodies: {a: {mass: -1, com: [0, 0, 0]}}\n", 2, 20, "negative", NULL);
  bad("bodies: {a: {mass: 1}}\n", 2, 13, "no centre of mass", NULL);
  bad("bodies: {a: {mas: 1}}\n", 2, 14, "no key 'mas'", "'mass'");
  bad("bodies: {a: {inertia: {xx: 1, diagonal: [1, 1, 1]}}}\n", 2, 28, "not both", NULL);
  bad("bodys: {}\n", 2, 1, "no key 'bodys'", "'bodies'");
  bad("bodies: {ground: {mass: 1}}\n", 2, 10, "built in", NULL);
}
END_TEST

/* --- joints ----------------------------------------------------------------------------------- */

#define AB "bodies: {a: {mass: 1, com: [0, 0, 0]}, b: {mass: 1, com: [1, 0, 0]}}\n"

START_TEST(joints) {
  double z[3], x[3];
  ok(AB "points: {P: [0, 1, 0]}\n"
        "joints:\n"
        "  r: {type: hinge, between: [ground, a], at: P, axis: -y, zero: 0.5, motion: {angle: t}}\n"
        "  u: {type: universal, between: [a, b], at: P, axis: z, axis2: [1, 0, 1], zero: [1, 2]}\n"
        "  d: {type: distance, between: [a, b], ends: [[0, 0, 0], [3, 4, 0]]}\n"
        "  g: {type: general, between: [a, b], at: P, locked: {x: , rz: t}, cut: never}\n"
        "  p: {type: planar, between: [a, b], normal: z, at: P, zero: {position: [1, 2]}}\n"
        "  f: {type: free, between: [ground, b], active: false}\n");
  const hk_spec_joint *j = spec->joints;
  m3_column(z, j[0].marker[0].R, 2);
  near3(z, 0, -1, 0);
  ck_assert_str_eq(j[0].ops->name, "revolute");
  ck_assert_double_eq(j[0].zero[0], 0.5);
  ck_assert_int_ge(j[0].motion[0], 0);
  m3_column(z, j[1].marker[0].R, 2);
  m3_column(x, j[1].marker[0].R, 0);
  near3(z, 0, 0, 1);
  near3(x, 1, 0, 0);
  near(joint_key(j[1].ops, j[1].par, "axis2"), (const double[]){sqrt(0.5), sqrt(0.5)}, 2);
  ck_assert_double_eq(j[1].zero[1], 2.0);
  ck_assert_double_eq(joint_get(j[2].ops, j[2].par, "length"), 5.0);
  near3(j[2].marker[1].p, 3, 4, 0);
  ck_assert_uint_eq(hki_joint_present(j[3].ops, j[3].par), 1u | 1u << 5);
  ck_assert_int_eq(j[3].row_signal[0], HK_NONE);
  ck_assert_int_ge(j[3].row_signal[5], 0);
  ck_assert_int_eq(j[3].cut, HK_CUT_NEVER);
  ck_assert_double_eq(j[4].zero[1], 2.0);
  ck_assert(!j[5].active);
  near3(j[5].marker[0].p, 1, 0, 0);
}
END_TEST

START_TEST(joint_errors) {
  bad(AB "joints: {j: {type: revolut, between: [a, b], at: a, axis: z}}\n", 3, 20, "'revolut'",
      "'revolute'");
  bad(AB "joints: {j: {type: revolute, between: [a, c], at: [0, 0, 0], axis: z}}\n", 3, 43,
      "no body 'c'", NULL);
  bad(AB "joints: {j: {type: revolute, between: [a, a], at: [0, 0, 0], axis: z}}\n", 3, 39,
      "to itself", NULL);
  bad(AB "joints: {j: {type: revolute, between: [a, b], axis: z}}\n", 3, 13, "needs the key 'at'",
      NULL);
  bad(AB "joints: {j: {type: revolute, between: [a, b], at: [0, 0, 0]}}\n", 3, 13,
      "needs the key 'axis'", NULL);
  bad(AB "joints: {j: {type: spherical, between: [a, b], at: [0, 0, 0], lead: 1}}\n", 3, 63,
      "no key 'lead'", NULL);
  bad(AB "joints: {j: {type: fixed, between: [a, b], motion: {angle: t}}}\n", 3, 53,
      "no coordinate 'angle'", NULL);
  bad(AB "joints: {j: {type: revolute, between: [a, b], at: [0, 0, 0], axis: z,\n"
         "  motion: {angle: \"2*joint.k.angle\"}}}\n",
      4, 22, "joint.k.angle", NULL);
  bad(AB "joints: {j: {type: general, between: [a, b], at: [0, 0, 0], locked: [x, q]}}\n", 3, 73,
      "'q' is no axis", NULL);
}
END_TEST

/* --- signals ---------------------------------------------------------------------------------- */

START_TEST(signals) {
  ok(AB "parameters: {k: 3}\n"
        "signals:\n"
        "  late: \"2*early + k + body.a.position.x + joint.j.angle\"\n"
        "  early: {sine: {frequency: k}, x: \"t - 1\"}\n"
        "  tab: {table: [[0, 0], [1, 2], [3, 1]], interpolation: monotone}\n"
        "  both: {product: [early, {step: {start: 2}}, 5]}\n"
        "joints: {j: {type: revolute, between: [a, b], at: [0, 0, 0], axis: z}}\n"
        "forces:\n"
        "  f: {type: joint_torque, joint: j, value: late}\n"
        "  g: {type: joint_torque, joint: j.angle, value: k/2}\n"
        "  h: {type: joint_torque, joint: j, value: {ramp: {slope: 2}}}\n");
  int32_t late = hki_names_find(spec->signal_names, "late");
  int32_t early = hki_names_find(spec->signal_names, "early");
  ck_assert_int_lt(early, late);
  const hk_spec_signal *s = &spec->signals[late];
  ck_assert_int_eq(s->nreads, 3);
  ck_assert_int_eq(s->reads[0].kind, HK_READ_SIGNAL);
  ck_assert_int_eq(s->reads[0].signal, early);
  ck_assert_int_eq(s->reads[1].channel.kind, HK_CH_BODY_POSITION);
  ck_assert_int_eq(s->reads[2].channel.kind, HK_CH_JOINT_COORD);
  ck_assert_double_eq(hki_expr_eval(s->expr, (const double[]){1, 10, 100}), 2 + 3 + 10 + 100);
  ck_assert_int_eq(spec->signals[early].kind, HK_SIGNAL_SHAPE);
  ck_assert_double_eq(spec->signals[early].shape->frequency, 3.0);
  s = &spec->signals[hki_names_find(spec->signal_names, "both")];
  ck_assert_double_eq(hki_expr_eval(s->expr, (const double[]){2, 3}), 30.0);

  ck_assert_int_eq(spec->forces[0].u_signal[0], late);
  ck_assert_int_eq(spec->forces[1].u_signal[0], HK_NONE);
  ck_assert_double_eq(spec->forces[1].u[0], 1.5);
  int32_t anonymous = spec->forces[2].u_signal[0];
  ck_assert_str_eq(spec->signals[anonymous].name, "force.h.value");
  ck_assert(!spec->signals[anonymous].named);
}
END_TEST

START_TEST(signal_errors) {
  bad("signals: {a: b, b: a}\n", 2, 11, "reads itself", NULL);
  bad("signals: {a: {sine: {}}}\n", 2, 21, "frequency", NULL);
  bad("signals: {a: {sin: {}}}\n", 2, 15, "no key 'sin'", "'sine'");
  read_set("signals: {a: {table: nope.csv}}\n", NULL, 0);
  check_message(HK_E_FILE, 2, 22, "nope.csv", NULL);
  bad("signals: {a: {table: [[0, 0], [-1, 1]]}}\n", 2, 22, "x falls from 0 to -1", "sort");
  bad("signals: {a: \"x + 1\", b: a}\n", 2, 23, "profile over x", NULL);
  bad("parameters: {a: 1}\nsignals: {a: t}\n", 3, 11, "is a parameter", NULL);
  bad(AB "signals: {a: \"body.a.positon.x\"}\n", 3, 15, "body.a.positon.x", "'body.a.position.x'");
}
END_TEST

/* --- forces and laws -------------------------------------------------------------------------- */

/* roads that read signals of time, alone, in an expression, and through others */
START_TEST(road_signals) {
  ok("bodies: {w: {mass: 1, com: [0, 0, 1]}}\n"
     "parameters: {h: 0.5}\n"
     "signals:\n"
     "  up: {ramp: {slope: 0.1}}\n"
     "  both: {sum: [up, {table: [[0, 0], [10, 1]]}, h]}\n"
     "  twice: 2*both\n"
     "  prof: twice + x\n"
     "forces:\n"
     "  a: {type: tyre, wheel: w, radius: 1, stiffness: 1, road: up}\n"
     "  b: {type: tyre, wheel: w, radius: 1, stiffness: 1, road: \"h*x*up + signal.twice\"}\n"
     "  c: {type: tyre, wheel: w, radius: 1, stiffness: 1, road: prof}\n"
     "  d: {type: tyre, wheel: w, radius: 1, stiffness: 1, road: both}\n");
  // at x = 2, t = 7: up = 0.7, both = 0.7 + 0.7 + 0.5, twice = 3.8
  const double z[] = {0.7, 0.7 + 3.8, 5.8, 1.9}, zt[] = {0.1, 0.1 + 0.4, 0.4, 0.2};
  for (int i = 0; i < 4; i++) {
    hk_road_out out;
    hki_road_eval(spec->forces[i].par, 2.0, 7.0, -1, &out);
    near(&out.z, &z[i], 1);
    near(&out.zt, &zt[i], 1);
  }
}
END_TEST

START_TEST(roads) {
  ok("bodies: {w: {mass: 1, com: [0, 0, 1]}}\n"
     "parameters: {h: 0.1}\n"
     "signals: {bump: \"h*x^2 + t\", prof: {table: [[0, 0], [1, 2]], x: body.w.position.x}}\n"
     "forces:\n"
     "  a: {type: tyre, wheel: w, radius: 1, stiffness: 1, road: bump}\n"
     "  b: {type: tyre, wheel: w, radius: 1, stiffness: 1, road: \"2*h*x\"}\n"
     "  c: {type: tyre, wheel: w, radius: 1, stiffness: 1, road: prof}\n"
     "  d: {type: tyre, wheel: w, radius: 1, stiffness: 1, road: 0.3}\n"
     "  e: {type: tyre, wheel: w, radius: 1, stiffness: 1, road: {table: [[0, 1], [2, 3]]}}\n");
  static const double z[5] = {0.1 * 4 + 7, 0.4, 2, 0.3, 3};
  for (int i = 0; i < 5; i++) {
    const hk_road *road = spec->forces[i].par; /* the first member of a tyre's parameters */
    hk_road_out out;
    hki_road_eval(road, 2.0, 7.0, -1, &out);
    ck_assert_double_eq_tol(out.z, z[i], 1e-14);
  }
  /* the profile is no signal of its own */
  ck_assert_int_eq(hki_names_find(spec->signal_names, "bump"), -1);
  ck_assert_int_ge(hki_names_find(spec->signal_names, "prof"), 0);
}
END_TEST

START_TEST(force_errors) {
#define SPRING "forces: {s: {type: spring_damper, between: [a, b], ends: [[0, 0, 0], [1, 0, 0]], "
  bad(AB SPRING "stifness: 1}}\n", 3, 82, "no key 'stifness'", "'stiffness'");
  bad(AB SPRING "spring: {polynom: [1]}}}\n", 3, 91, "no key 'polynom'", "'polynomial'");
  bad(AB SPRING "spring: {piecewise: [{linear: 1}, {linear: 2}]}}}\n", 3, 103, "last piece", NULL);
  bad(AB SPRING "spring: {piecewise: [{below: 1, linear: 1}]}}}\n", 3, 111, "above 1", NULL);
  bad(AB SPRING "spring: \"k*s\"}}\n", 3, 91, "'k'", NULL);
  bad(AB SPRING "spring: {linear: 1, table: [[0, 0], [1, 1]]}}}\n", 3, 90, "not a law", NULL);
  bad(AB "forces: {f: {type: force, on: a, value: [1, 2]}}\n", 3, 41, "three components", NULL);
  bad(AB "forces: {f: {type: forc, on: a}}\n", 3, 20, "'forc'", "'force'");
  bad(AB "forces: {f: {on: a}}\n", 3, 13, "needs the key 'type'", NULL);
  bad(AB "forces: {f: {type: joint_torque, joint: j, value: 1}}\n", 3, 41, "no joint 'j'", NULL);
  bad(AB "forces: {f: {type: bushing, between: [a, b], at: [0, 0, 0], stiffness: [1, 2]}}\n", 3, 72,
      "six numbers", NULL);
}
END_TEST

/* --- start, events, run ----------------------------------------------------------------------- */

START_TEST(start_and_events) {
  ok(AB "joints:\n"
        "  u: {type: universal, between: [a, b], at: [0, 0, 0], axis: x, axis2: y}\n"
        "  s: {type: spherical, between: [ground, a], at: [0, 0, 0]}\n"
        "start:\n"
        "  equilibrium: steady\n"
        "  u: {angles: [1, 2], rates: [3, 4]}\n"
        "  s: {angular_velocity: [1, 2, 3], orientation: {axis: z, angle: 2}}\n"
        "  b: {position: [1, 1, 1]}\n"
        "events:\n"
        "  grab: {when: \"t >= 2\", fix: [u, s]}\n"
        "  drop: {when: \"joint.u.angles.a > 1\", release: u}\n");
  ck_assert_int_eq(spec->nstarts, 3);
  ck_assert_int_eq(spec->equilibrium, HK_EQ_STEADY);
  ck_assert_uint_eq(spec->starts[0].q_given, 3);
  ck_assert_double_eq(spec->starts[0].q[1], 2.0);
  ck_assert_double_eq(spec->starts[0].v[0], 3.0);
  ck_assert_int_eq(spec->starts[0].q_loc[1].col, 19);
  ck_assert_uint_eq(spec->starts[1].given, HK_START_ORIENTATION | HK_START_ANGULAR_VELOCITY);
  near(spec->starts[1].orientation, (const double[]){cos(1), 0, 0, sin(1)}, 4);
  ck_assert_int_eq(spec->starts[2].body, 1);
  ck_assert_int_eq(spec->nevents, 3);
  ck_assert_int_eq(spec->events[1].joint, 1);
  ck_assert_int_eq(spec->events[2].action, HK_EVENT_RELEASE);
  bad(AB "start: {c: {velocity: [1, 2, 3]}}\n", 3, 9, "no joint or body 'c'", NULL);
  bad(AB "start: {a: {speed: 1}}\n", 3, 13, "no key 'speed'", NULL);
  bad(AB "joints: {j: {type: revolute, between: [a, b], at: [0, 0, 0], axis: z}}\n"
         "start: {j: {angel: 1}}\n",
      4, 13, "no start value 'angel'", "'angle'");
  bad(AB "events: {e: {when: t, fix: x}}\n", 3, 28, "no joint 'x'", NULL);
  bad(AB "events: {e: {when: t}}\n", 3, 13, "does nothing", NULL);
}
END_TEST

START_TEST(run_and_record) {
  ok("parameters: {T: 5}\n"
     "title: A title\ngravity: [0, 0, -T]\nplanar: xz\n"
     "record: [\"body.*\", energy.kinetic]\n"
     "run: {time: 2*T, step: 1/100, formulation: hybrid, integrator: newmark, gamma: T/10,\n"
     "      substeps: off, solver: klu, flag: on}\n");
  ck_assert_str_eq(spec->title, "A title");
  ck_assert(spec->planar);
  near3(spec->normal, 0, 1, 0);
  near3(spec->gravity, 0, 0, -5);
  ck_assert_int_eq(spec->nrecord, 2);
  ck_assert_str_eq(spec->record[1], "energy.kinetic");
  const hk_spec_run *r = &spec->run;
  ck_assert_double_eq(r->time, 10.0);
  ck_assert_double_eq(r->step, 0.01);
  ck_assert(!r->substeps);
  ck_assert_str_eq(r->integrator, "newmark");
  ck_assert_int_eq(r->noptions, 3);
  ck_assert(r->options[0].is_number && r->options[0].number == 0.5);
  ck_assert(!r->options[1].is_number && strcmp(r->options[1].text, "klu") == 0);
  ck_assert(!r->options[2].is_number);
  bad("run: {time: 0}\n", 2, 13, "must be positive", NULL);
  bad("run: {step: -1}\n", 2, 13, "must be positive", NULL);
  bad("planar: zz\n", 2, 9, "'planar' cannot be", NULL);
  bad("gravity: [0, 0]\n", 2, 10, "list of 3 numbers", NULL);
}
END_TEST

START_TEST(all_errors_at_once) {
  bad("bodies:\n  a: {mas: 1}\n  b: {mass: x, com: [0, 0]}\njoints:\n  j: {type: ball}\n"
      "run: {time: -1}\n",
      3, 7, "no key 'mas'", "'mass'");
  static const int line[] = {3, 4, 4, 6, 6, 7};
  ck_assert_int_eq(hk_ctx_message_count(ctx), 6);
  for (int i = 0; i < 6; i++) ck_assert_int_eq(hk_ctx_message(ctx, i)->line, line[i]);
}
END_TEST

START_TEST(large_model) {
  /* 6,000 bodies in a chain */
  const int N = test_few() ? 500 : 6000;
  hk_text t;
  hki_text_init(&t, ctx);
  hki_text_add(&t, "hooke: 1\nparameters: {L: 1, m: 1}\nbodies:\n");
  for (int i = 0; i < N; i++) {
    hki_text_printf(&t, "  b%d: {mass: m, com: [0, %d*L, 0], inertia: {zz: m*L^2/12}}\n", i, i);
  }
  hki_text_add(&t,
               "joints:\n  j0: {type: revolute, between: [ground, b0], at: [0, 0, 0], axis: z}\n");
  for (int i = 1; i < N; i++) {
    hki_text_printf(&t, "  j%d: {type: revolute, between: [b%d, b%d], at: [0, %d*L, 0], axis: z}\n",
                    i, i - 1, i, i);
  }
  spec = hki_model_read_text(ctx, "m.yaml", t.s, t.len, NULL, 0);
  ck_assert_ptr_nonnull(spec);
  ck_assert_int_eq(spec->nbodies, N);
  ck_assert_int_eq(spec->joints[N - 1].body[1], N - 1);
  ck_assert_double_eq(spec->joints[N - 1].marker[0].p[1], N - 1);
  hki_text_free(&t);
}
END_TEST

Suite *suite_model_reader(void) {
  Suite *s = suite_create("model_reader");
  TCase *c = tcase_create("model_reader");
  tcase_add_checked_fixture(c, setup, teardown);
  tcase_add_test(c, parameters);
  tcase_add_test(c, parameter_chain);
  tcase_add_test(c, set_from_outside);
  tcase_add_test(c, frames_and_points);
  tcase_add_test(c, orientations);
  tcase_add_test(c, bodies);
  tcase_add_test(c, joints);
  tcase_add_test(c, joint_errors);
  tcase_add_test(c, signals);
  tcase_add_test(c, signal_errors);
  tcase_add_test(c, roads);
  tcase_add_test(c, road_signals);
  tcase_add_test(c, force_errors);
  tcase_add_test(c, start_and_events);
  tcase_add_test(c, run_and_record);
  tcase_add_test(c, all_errors_at_once);
  tcase_add_test(c, large_model);
  suite_add_tcase(s, c);
  return s;
}
