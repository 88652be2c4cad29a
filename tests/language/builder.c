/* SPDX-License-Identifier: Apache-2.0
 *
 * builder.c: models that programs build. Every example is built again by calls, with its numbers as
 * doubles and all its texts without quotes, and written as YAML and read again: the model is the same.
 * Then messages about calls, changes of a tree that was read, and what is refused.
 */
#include <check.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/tree.h"
#include "runner.h"

Suite *suite_builder(void);

static hk_ctx *ctx;

static void setup(void) { ctx = hk_ctx_create(); }
static void teardown(void) { hk_ctx_destroy(ctx); }

static const char *last(void) {
  const int32_t n = hk_ctx_message_count(ctx);
  return n ? hk_ctx_message(ctx, n - 1)->text : "";
}

/* --- every example ---------------------------------------------------------------------------- */

enum { FILES = 400 };
static char *files[FILES];
static int nfiles;

static int add_file(const char *path, const struct stat *info, int flag, struct FTW *at) {
  (void)info, (void)at;
  const size_t n = strlen(path);
  if (flag != FTW_F || n < 5 || strcmp(path + n - 5, ".yaml") != 0) return 0;
  ck_assert_int_lt(nfiles, FILES);
  files[nfiles++] = strdup(path);
  return 0;
}

/* the same by calls */
static hk_node *make_again(const hk_node *from);

static void fill_again(hk_node *to, const hk_node *from) {
  for (int32_t i = 0; i < hk_node_count(from); i++) {
    const char *key = hk_node_key(from, i);
    const hk_node *value = hk_node_item(from, i);
    double x;
    bool flag;
    if (hk_node_kind_of(value) != HK_NODE_SCALAR) {
      ck_assert_int_eq(hk_node_set(to, key, make_again(value)), HK_OK);
    } else if (hk_node_number(value, &x) == HK_OK) {
      ck_assert_int_eq(hk_node_set_number(to, key, x), HK_OK);
    } else if (hk_node_bool(value, &flag) == HK_OK) {
      ck_assert_int_eq(hk_node_set_bool(to, key, flag), HK_OK);
    } else {
      ck_assert_int_eq(hk_node_set_text(to, key, hk_node_text(value)), HK_OK);
    }
  }
}

static hk_node *make_again(const hk_node *from) {
  if (hk_node_kind_of(from) == HK_NODE_NULL) return hk_node_new_null(ctx);
  const bool map = hk_node_kind_of(from) == HK_NODE_MAPPING;
  hk_node *to = map ? hk_node_new_map(ctx) : hk_node_new_list(ctx);
  fill_again(to, from);
  return to;
}

/* the hash of a model that must be right */
static uint64_t hash_of(hk_status st, hk_model *m, const char *path) {
  ck_assert_msg(st == HK_OK, "%s: %s", path, last());
  const uint64_t h = hk_model_hash(m);
  hk_model_release(m);
  ck_assert(h != 0);
  return h;
}

static void same_model(const char *path) {
  hk_node *file, *made, *back;
  hk_model *m;
  hk_status st = hk_model_load(ctx, path, NULL, 0, &m);
  const uint64_t want = hash_of(st, m, path);
  ck_assert_int_eq(hk_node_read(ctx, path, &file), HK_OK);
  made = make_again(file);
  st = hk_model_build(ctx, made, path, NULL, 0, &m);
  ck_assert_msg(hash_of(st, m, path) == want, "%s by calls", path);
  st = hk_model_build(ctx, file, NULL, NULL, 0, &m);
  ck_assert_msg(hash_of(st, m, path) == want, "%s by its tree", path);
  // as YAML, of what was read and of what was made
  hk_node *both[] = {file, made};
  for (int i = 0; i < 2; i++) {
    const char *yaml = hk_node_yaml(both[i]);
    st = hk_model_parse(ctx, yaml, strlen(yaml), path, NULL, 0, &m);
    ck_assert_msg(hash_of(st, m, path) == want, "%s by YAML %d", path, i);
    ck_assert_int_eq(hk_node_parse(ctx, yaml, strlen(yaml), path, &back), HK_OK);
    ck_assert(hki_node_hash(back, 1) == hki_node_hash(both[i], 1));
    if (i == 0) ck_assert_str_eq(hk_node_yaml(back), yaml);
    hk_node_destroy(back);
  }
  hk_node_destroy(file);
  hk_node_destroy(made);
}

START_TEST(every_example) {
  char path[512];
  int models = 0;
  snprintf(path, sizeof path, "%s/examples", test_source_dir());
  ck_assert_int_eq(nftw(path, add_file, 8, FTW_PHYS), 0);
  for (int i = 0; i < nfiles; i++) {
    hk_node *root;
    ck_assert_int_eq(hk_node_read(ctx, files[i], &root), HK_OK);
    // components and studies are no models of their own; modules are not loaded here
    const bool model = hk_node_get(root, "hooke") && !hk_node_get(root, "modules");
    hk_node_destroy(root);
    if (model && ++models && (!test_few() || i % 8 == 0)) same_model(files[i]);
    free(files[i]);
  }
  ck_assert_int_gt(models, 40);
}
END_TEST

/* --- messages --------------------------------------------------------------------------------- */

/* a pendulum whose calls are numbered by what they do; `spoil` changes it */
static hk_node *pendulum(void) {
  hk_node *root = hk_node_new_map(ctx);                                         // 1
  hk_node_set_number(root, "hooke", 1);                                         // 2
  hk_node *rod = hk_node_make(root, "bodies.rod");                              // 3
  hk_node_set_number(rod, "mass", 2.0);                                         // 4
  hk_node_set_numbers(rod, "com", 3, (double[]){0.5, 0.0, 0.0});                // 5
  hk_node_set_numbers(rod, "inertia", 3, (double[]){0.1, 0.1, 0.1});            // 6
  hk_node *pin = hk_node_make(root, "joints.pin");                              // 7
  hk_node_set_text(pin, "type", "revolute");                                    // 8
  hk_node_set_texts(pin, "between", 2, (const char *const[]){"ground", "rod"}); // 9
  hk_node_set_numbers(pin, "at", 3, (double[]){0.0, 0.0, 0.0});                 // 10
  hk_node_set_numbers(pin, "axis", 3, (double[]){0.0, 1.0, 0.0});               // 11
  return root;
}

/* refused, with the first message of these words at this call */
static void refused(hk_node *root, const char *file, int line, const char *words) {
  hk_model *m = (hk_model *)1;
  hk_ctx_clear(ctx);
  ck_assert_int_lt(hk_model_build(ctx, root, NULL, NULL, 0, &m), 0);
  ck_assert_ptr_null(m);
  const hk_message *said = hk_ctx_message(ctx, 0);
  ck_assert_ptr_nonnull(said);
  ck_assert_str_eq(said->file, file);
  ck_assert_msg(said->line == line && strstr(said->text, words), "%d: %s", said->line, said->text);
  hk_node_destroy(root);
}

START_TEST(calls_have_numbers) {
  hk_model *m;
  hk_node *root = pendulum();
  ck_assert_int_eq(hk_model_build(ctx, root, NULL, NULL, 0, &m), HK_OK);
  ck_assert_str_eq(hk_model_path(m), "(program)");
  ck_assert_ptr_nonnull(strstr(hk_model_text(m), "axis: [0, 1, 0]"));
  hk_model_release(m);
  // a wrong value, a wrong key, a wrong item, a missing key
  hk_node_set_text(hk_node_at(root, "joints.pin"), "type", "revolut"); // 12
  refused(root, "(program)", 12, "joints.pin.type: ");
  root = pendulum(); // 13 to 23
  hk_node_set_number(hk_node_at(root, "bodies.rod"), "maass", 1.0);
  refused(root, "(program)", 24, "bodies.rod.maass: ");
  root = pendulum(); // 25 to 35
  hk_node_set_texts(hk_node_at(root, "joints.pin"), "axis", 3,
                    (const char *const[]){"0", "x", "1"});
  refused(root, "(program)", 36, "joints.pin.axis[1]: ");
  root = pendulum(); // 37 to 47
  ck_assert_int_eq(hk_node_remove(hk_node_at(root, "joints.pin"), "between"), HK_OK);
  refused(root, "(program)", 43, "joints");
}
END_TEST

START_TEST(a_refused_call_is_told_again) {
  hk_node *root = pendulum();
  ck_assert_int_eq(hk_node_set_number(hk_node_at(root, "bodies.rod"), "mass", NAN), HK_E_USAGE);
  ck_assert_int_eq(hk_ctx_message(ctx, 0)->line, 12);
  ck_assert_ptr_nonnull(strstr(last(), "hk_node_set_number: numbers of a model are finite"));
  refused(root, "(program)", 12, "this call was refused");
}
END_TEST

START_TEST(trees_of_files_keep_their_places) {
  hk_node *root;
  static const char text[] = "hooke: 1\nbodies:\n  rod: {mass: 1, nothing: 2}\n";
  ck_assert_int_eq(hk_node_parse(ctx, text, strlen(text), "dir/a.yaml", &root), HK_OK);
  int32_t line, column;
  ck_assert_str_eq(hk_node_where(hk_node_at(root, "bodies.rod.mass"), &line, &column),
                   "dir/a.yaml");
  ck_assert_int_eq(line, 3);
  ck_assert_int_eq(column, 15);
  hk_node *copy = hk_node_copy(root);
  refused(root, "dir/a.yaml", 3, "nothing");
  // what a program adds stands beside the file
  hk_node_remove(hk_node_at(copy, "bodies.rod"), "nothing");
  hk_node_set_text(copy, "include", "missing.yaml");
  refused(copy, "dir/(program)", 2, "cannot read 'dir/missing.yaml'");
}
END_TEST

START_TEST(models_are_changed) {
  char path[512];
  hk_node *root;
  hk_model *m;
  snprintf(path, sizeof path, "%s/examples/pendulum.yaml", test_source_dir());
  ck_assert_int_eq(hk_node_read(ctx, path, &root), HK_OK);
  hk_status st = hk_model_build(ctx, root, NULL, NULL, 0, &m);
  ck_assert_str_eq(hk_model_path(m), path);
  const uint64_t before = hash_of(st, m, path);
  hk_node_set_text(root, "title", "another one");
  st = hk_model_build(ctx, root, NULL, NULL, 0, &m);
  ck_assert_str_eq(hk_model_title(m), "another one");
  ck_assert(hash_of(st, m, path) != before);
  hk_node_destroy(root);
}
END_TEST

/* texts of parameters need no quotes in a program, and expressions are expressions */
START_TEST(texts_and_expressions) {
  hk_node *root = pendulum();
  hk_model *m;
  hk_node *p = hk_node_make(root, "parameters");
  hk_node_set_text(p, "kind", "revolute");
  hk_node_set_text(p, "half", "1/2");
  hk_node_set_number(p, "one", 1.0);
  hk_node_set_numbers(p, "place", 3, (double[]){1, 2, 3});
  hk_node_set_text(hk_node_at(root, "joints.pin"), "type", "kind");
  hk_node_set_text(hk_node_at(root, "bodies.rod"), "mass", "2*half + one");
  hk_node_set_text(hk_node_at(root, "joints.pin"), "at", "place");
  ck_assert_msg(hk_model_build(ctx, root, NULL, NULL, 0, &m) == HK_OK, "%s", last());
  const uint64_t h = hk_model_hash(m);
  const char *yaml = hk_model_text(m);
  ck_assert_ptr_nonnull(strstr(yaml, "kind: \"revolute\""));
  hk_model *again;
  ck_assert_msg(hk_model_parse(ctx, yaml, strlen(yaml), "a", NULL, 0, &again) == HK_OK, "%s",
                last());
  ck_assert(hk_model_hash(again) == h);
  hk_model_release(m);
  hk_model_release(again);
  hk_node_destroy(root);
}
END_TEST

Suite *suite_builder(void) {
  Suite *s = suite_create("builder");
  TCase *t = tcase_create("builder");
  tcase_add_checked_fixture(t, setup, teardown);
  tcase_set_timeout(t, 60.0);
  tcase_add_test(t, every_example);
  tcase_add_test(t, calls_have_numbers);
  tcase_add_test(t, a_refused_call_is_told_again);
  tcase_add_test(t, trees_of_files_keep_their_places);
  tcase_add_test(t, models_are_changed);
  tcase_add_test(t, texts_and_expressions);
  suite_add_tcase(s, t);
  return s;
}
