/* SPDX-License-Identifier: Apache-2.0
 *
 * components.c: models of several files, components and their instances.
 */
#include <stdlib.h>
#include <unistd.h>

#include "language/support_model.h"
#include "runner.h"

/* --- files and components --------------------------------------------------------------------- */

static char folder[64];

static void put(const char *name, const char *text) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "w");
  ck_assert_ptr_nonnull(f);
  fputs(text, f);
  fclose(f);
}

static void read_file(const char *name, const hk_set *sets, int32_t n) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  drop();
  spec = hki_model_read(ctx, path, sets, n);
}

static void make_folder(void) {
  strcpy(folder, "/tmp/hooke-reader-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(const char *const *names) {
  for (; *names; names++) {
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, *names);
    remove(path);
  }
  rmdir(folder);
}

START_TEST(includes) {
  make_folder();
  put("main.yaml", "hooke: 1\ninclude: [a.yaml, b.yaml]\nparameters: {m: 2}\n"
                   "run: {step: 0.5}\nbodies: {x: {mass: m, com: P}}\n");
  put("a.yaml", "include: b.yaml\nparameters: {m: 1, k: m + 1}\nrun: {step: 1, time: k}\n"
                "points: {P: [k, 0, 0]}\n");
  put("b.yaml", "title: from b\n");
  put("c.yaml", "hooke: 1\ninclude: d.yaml\n");
  put("d.yaml", "include: c.yaml\n");
  put("e.yaml", "hooke: 1\ninclude: a.yaml\npoints: {P: [0, 0, 0]}\n");
  read_file("main.yaml", NULL, 0);
  ck_assert_ptr_nonnull(spec);

  /* the including file's parameters and run keys go first */
  ck_assert_double_eq(spec->bodies[0].mass, 2.0);
  near3(spec->bodies[0].com, 3, 0, 0);
  ck_assert_double_eq(spec->run.step, 0.5);
  ck_assert_double_eq(spec->run.time, 3.0);
  ck_assert_str_eq(spec->title, "from b");
  read_file("c.yaml", NULL, 0);
  check_message(HK_E_MODEL, 1, 10, "in a circle", NULL);
  ck_assert_ptr_nonnull(strstr(hk_ctx_message(ctx, 0)->text, "d.yaml -> "));
  read_file("e.yaml", NULL, 0);
  check_message(HK_E_MODEL, 4, 10, "defined twice", "e.yaml:3");
  remove_folder(
      (const char *const[]){"main.yaml", "a.yaml", "b.yaml", "c.yaml", "d.yaml", "e.yaml", NULL});
}
END_TEST

/* the files besides the main one: each once, by its name beside the main file, with its text; of
 * long ones whole lines, of a mesh nothing */
START_TEST(files_are_listed) {
  static const struct {
    const char *name;
    hk_file_kind kind;
    size_t bytes, kept;
  } files[] = {{"inc.yaml", HK_FILE_MODEL, 47, 47},
               {"./part.yaml", HK_FILE_MODEL, 31, 31},
               {"tri.obj", HK_FILE_MESH, 32, 0},
               {"t.csv", HK_FILE_TABLE, 12, 12},
               {"long.csv", HK_FILE_TABLE, 390000, 262144 / 13 * 13}};
  static char rows[390001];
  for (int i = 0; i < 30000; i++) snprintf(rows + (size_t)i * 13, 14, "%010d,1\n", i);
  make_folder();
  put("main.yaml", "hooke: 1\ninclude: inc.yaml\ncomponents: {a: {file: ./part.yaml}}\n"
                   "instances: {i: {component: a}, j: {component: a}}\n"
                   "signals: {s: {table: t.csv}, r: {table: t.csv}, u: {table: long.csv}}\n");
  put("inc.yaml", "bodies: {x: {mass: 0, shape: {mesh: tri.obj}}}\n");
  put("part.yaml", "bodies: {y: {mass: 0}} # \"<b>\"\n");
  put("t.csv", "x,y\n0,1\n1,2\n");
  put("tri.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  put("long.csv", rows);
  read_file("main.yaml", NULL, 0);
  ck_assert_ptr_nonnull(spec);
  ck_assert_int_eq(spec->nfiles, 5);
  for (int i = 0; i < 5; i++) {
    const hk_spec_file *f = &spec->files[i];
    ck_assert_str_eq(f->name, files[i].name);
    ck_assert_int_eq(f->kind, files[i].kind);
    ck_assert_uint_eq(f->bytes, files[i].bytes);
    ck_assert_uint_eq(f->kept, files[i].kept);
    ck_assert_uint_eq(strlen(f->text), files[i].kept);
  }
  ck_assert_str_eq(spec->files[3].text, "x,y\n0,1\n1,2\n");
  ck_assert_uint_eq(spec->files[4].hash, hki_hash(rows, 390000, 0));

  /* as JSON */
  hk_text json;
  hki_text_init(&json, ctx);
  spec->nfiles = 2;
  hki_model_files(spec, &json);
  ck_assert_ptr_nonnull(strstr(json.s, "{\"name\": \"./part.yaml\", \"kind\": \"model\", "
                                       "\"bytes\": 31, \"kept\": 31, \"hash\": \""));
  ck_assert_ptr_nonnull(strstr(json.s, "\"text\": \"bodies: {y: {mass: 0}} # \\\"<b>\\\"\\n\"}]"));
  hki_text_free(&json);
  remove_folder((const char *const[]){"main.yaml", "inc.yaml", "part.yaml", "t.csv", "tri.obj",
                                      "long.csv", NULL});
}
END_TEST

/* all texts together have a limit; what comes after it is named alone. Of one endless line no
 * character is cut in two */
START_TEST(files_have_a_limit) {
  enum { BYTES = 300000, N = 12 };
  static char text[BYTES + 1];
  char main[400] = "hooke: 1\ninclude: [f0.yaml", name[16];
  make_folder();
  memset(text, 'x', BYTES);
  memcpy(text, "#", 1);
  for (int i = 1; i + 1 < BYTES - 4; i += 2) memcpy(text + i, "\xc3\xa9", 2);
  memcpy(text + BYTES - 4, "\n{}\n", 4);
  for (int i = 0; i < N; i++) {
    snprintf(name, sizeof name, "f%d.yaml", i);
    put(name, text);
    if (i) snprintf(main + strlen(main), sizeof main - strlen(main), ", %s", name);
  }
  strcat(main, "]\n");
  put("main.yaml", main);
  read_file("main.yaml", NULL, 0);
  ck_assert_ptr_nonnull(spec);
  ck_assert_int_eq(spec->nfiles, N);
  size_t all = 0;
  for (int i = 0; i < N; i++) {
    all += spec->files[i].kept;
    ck_assert_uint_eq(spec->files[i].bytes, BYTES);
    ck_assert_uint_eq(strlen(spec->files[i].text), spec->files[i].kept);
  }
  ck_assert_uint_eq(spec->files[0].kept, 262143);
  ck_assert_uint_le(all, 1 << 21);
  ck_assert_uint_eq(spec->files[N - 1].kept, 0);
  remove_folder((const char *const[]){"main.yaml", "f0.yaml", "f1.yaml", "f2.yaml", "f3.yaml",
                                      "f4.yaml", "f5.yaml", "f6.yaml", "f7.yaml", "f8.yaml",
                                      "f9.yaml", "f10.yaml", "f11.yaml", NULL});
}
END_TEST

START_TEST(components) {
  make_folder();
  put("part.yaml", "parameters: {k: 1, l: 2*k}\n"
                   "points: {P: [l, 0, 0]}\n"
                   "signals: {s: \"t*k + body.base.position.x + joint.j.angle + outer\"}\n"
                   "bodies: {arm: {mass: k, com: P}}\n"
                   "joints: {j: {type: revolute, between: [base, arm], at: P, axis: z}}\n"
                   "forces: {f: {type: joint_torque, joint: j, value: s}}\n");
  put("main.yaml",
      "hooke: 1\n"
      "parameters: {q: 10}\n"
      "signals: {outer: 2*t}\n"
      "components:\n"
      "  part: {file: part.yaml}\n"
      "  pair:\n"
      "    parameters: {q: 3}\n"
      "    bodies: {hub: {mass: 1, com: [0, 0, 0]}}\n"
      "    instances:\n"
      "      one: {component: part, at: [1, 0, 0], connect: {base: hub}, parameters: {k: q}}\n"
      "      two: {component: part, at: [2, 0, 0], connect: {base: root}}\n"
      "bodies: {chassis: {mass: 1, com: [0, 0, 0]}}\n"
      "instances:\n"
      "  x: {component: pair, rotate: {axis: z, angle: 90*deg}, connect: {root: chassis}}\n"
      "joints: {w: {type: fixed, between: [chassis, x.one.arm]}}\n"
      "start: {x.one.j: {angle: x.one.l}}\n");
  read_file("main.yaml", (const hk_set[]){{"x.two.k", "7"}}, 1);
  if (!spec) ck_abort_msg("%s", hk_ctx_message(ctx, 0)->text);
  int32_t hub = hki_names_find(spec->body_names, "x.hub");
  int32_t one = hki_names_find(spec->body_names, "x.one.arm");
  int32_t two = hki_names_find(spec->body_names, "x.two.arm");
  int32_t j1 = hki_names_find(spec->joint_names, "x.one.j");
  int32_t j2 = hki_names_find(spec->joint_names, "x.two.j");

  /* parameters: given by the instance, from outside; positions through both places */
  ck_assert_double_eq(spec->bodies[one].mass, 3.0);
  ck_assert_double_eq(spec->bodies[two].mass, 7.0);
  near3(spec->bodies[one].com, 0, 7, 0);
  near3(spec->bodies[two].com, 0, 16, 0);
  ck_assert_int_eq(spec->joints[j1].body[0], hub);
  ck_assert_int_eq(spec->joints[j2].body[0], 0);
  ck_assert_int_eq(spec->joints[hki_names_find(spec->joint_names, "w")].body[1], one);
  ck_assert_double_eq(spec->starts[0].q[0], 6.0);

  /* names in expressions: own joint, connected body, signal of the model */
  const hk_spec_signal *s = &spec->signals[hki_names_find(spec->signal_names, "x.two.s")];
  ck_assert_int_eq(s->nreads, 4);
  for (int i = 0; i < 4; i++) {
    const hk_read *r = &s->reads[i];
    if (r->kind == HK_READ_SIGNAL) ck_assert_str_eq(spec->signals[r->signal].name, "outer");
    if (r->kind != HK_READ_CHANNEL) continue;
    if (r->channel.kind == HK_CH_BODY_POSITION) ck_assert_int_eq(r->channel.item, 0);
    if (r->channel.kind == HK_CH_JOINT_COORD) ck_assert_int_eq(r->channel.item, j2);
  }
  read_file("main.yaml", (const hk_set[]){{"x.two.kk", "7"}}, 1);
  check_message(HK_E_USAGE, 0, 0, "'x.two.kk'", "'x.two.k'");
  remove_folder((const char *const[]){"main.yaml", "part.yaml", NULL});
}
END_TEST

START_TEST(component_errors) {
#define PART "components:\n  part: {parameters: {k: 1}, bodies: {arm: {mass: k, com: [0, 0, k]}}}\n"
  bad(PART "instances: {a: {component: prat}}\n", 4, 28, "no component 'prat'", "'part'");
  bad(PART "instances: {a: {component: part, parameters: {kk: 1}}}\n", 4, 47, "no parameter 'kk'",
      "'k'");
  bad(PART "instances: {a: {component: part, mirror: w}}\n", 4, 42, "'mirror'", NULL);
  bad(PART "instances: {a: {component: part, connect: {base: nobody}}}\n", 4, 50,
      "no body 'nobody'", NULL);
  bad(PART "instances: {a.b: {component: part}}\n", 4, 13, "cannot be the name", "dots");
  bad("components: {a: {instances: {x: {component: b}}}, b: {instances: {y: {component: a}}}}\n"
      "instances: {z: {component: a}}\n",
      2, 82, "contains itself", NULL);
  bad("components: {a: {run: {time: 1}}}\ninstances: {z: {component: a}}\n", 2, 18, "no key 'run'",
      NULL);

  /* a fault in a component is reported once, not once for each instance */
  bad("components: {a: {bodies: {b: {mass: -1, com: [0, 0, 0]}}}}\n"
      "instances: {x: {component: a}, y: {component: a}, z: {component: a}}\n",
      2, 37, "negative", NULL);
  ck_assert_int_eq(hk_ctx_message_count(ctx), 1);
}
END_TEST

START_TEST(many_instances) {
  /* 3^12 instances by nesting: refused at the limit, quickly */
  hk_text t;
  hki_text_init(&t, ctx);
  hki_text_add(&t, "hooke: 1\ncomponents:\n  c0: {bodies: {b: }}\n");
  for (int i = 1; i < 13; i++) {
    hki_text_printf(&t, "  c%d: {instances: {", i);
    for (int k = 0; k < 3; k++)
      hki_text_printf(&t, "%s%c: {component: c%d}", k ? ", " : "", "abc"[k], i - 1);
    hki_text_add(&t, "}}\n");
  }
  hki_text_add(&t, "instances: {x: {component: c12}}\n");
  spec = hki_model_read_text(ctx, "m.yaml", t.s, t.len, NULL, 0);
  ck_assert_ptr_null(spec);
  ck_assert_ptr_nonnull(strstr(hk_ctx_message(ctx, 0)->text, "more than 200000 instances"));
  hki_text_free(&t);
}
END_TEST

Suite *suite_components(void) {
  Suite *s = suite_create("components");
  TCase *c = tcase_create("components");
  tcase_add_checked_fixture(c, setup, teardown);
  tcase_add_test(c, includes);
  tcase_add_test(c, files_are_listed);
  tcase_add_test(c, files_have_a_limit);
  tcase_add_test(c, components);
  tcase_add_test(c, component_errors);
  if (!test_few()) tcase_add_test(c, many_instances);
  suite_add_tcase(s, c);
  return s;
}
