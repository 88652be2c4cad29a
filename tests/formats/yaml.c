/* SPDX-License-Identifier: Apache-2.0
 *
 * yaml.c: the node tree of a YAML or JSON text. Positions, duplicate keys, anchors and merge keys,
 * limits, and the messages for what is no model file.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/support_pool.h"
#include "formats/yaml.h"
#include "runner.h"

static hk_status parse_n(const char *text, size_t len, const hk_yaml_limits *max, hk_node **root) {
  hk_ctx_clear(ctx);
  return hki_yaml_parse(ctx, pool, "m.yaml", text, len, max, root);
}

/* a text that must be read without any message */
static hk_node *parse(const char *text) {
  hk_node *root = NULL;
  hk_status st = parse_n(text, strlen(text), NULL, &root);
  if (st) ck_abort_msg("%s", hk_ctx_message(ctx, 0)->text);
  ck_assert_int_eq(hk_ctx_message_count(ctx), 0);
  ck_assert_ptr_nonnull(root);
  return root;
}

/* a text that must be refused, first at line:col with these words in message and hint */
static void refuse_n(const char *text, size_t len, int line, int col, const char *words,
                     const char *hint) {
  hk_node *root = NULL;
  ck_assert_int_eq(parse_n(text, len, NULL, &root), HK_E_MODEL);
  ck_assert_ptr_null(root);
  const hk_message *m = first_message(line, col, words, hint);
  ck_assert_int_eq(m->severity, HK_ERROR);
  ck_assert_str_eq(m->file, "m.yaml");
}

static void refuse(const char *text, int line, int col, const char *words, const char *hint) {
  refuse_n(text, strlen(text), line, col, words, hint);
}

static void at(hk_loc loc, int line, int col) {
  ck_assert_int_eq(loc.line, line);
  ck_assert_int_eq(loc.col, col);
  ck_assert_str_eq(hki_ctx_file_name(ctx, loc.file), "m.yaml");
}

START_TEST(block_positions) {
  hk_node *r = parse("# a comment\n"
                     "hooke: 1\n"
                     "points:\n"
                     "  A0: [0, L/2, \"x\"]\n"
                     "  B0:\n"
                     "    - 1\n"
                     "    - 'two'\n"
                     "empty:\n"
                     "last:   {a:  b}\n");
  at(r->loc, 2, 1);
  ck_assert_int_eq(r->count, 4);
  at(r->entries[0].key_loc, 2, 1);
  at(r->entries[0].value->loc, 2, 8);
  at(r->entries[1].key_loc, 3, 1);
  hk_node *points = r->entries[1].value;
  at(points->loc, 4, 3);
  at(points->entries[0].key_loc, 4, 3);
  hk_node *a = points->entries[0].value;
  at(a->loc, 4, 7);
  at(a->items[0]->loc, 4, 8);
  at(a->items[1]->loc, 4, 11);
  at(a->items[2]->loc, 4, 16);
  ck_assert_str_eq(a->items[1]->text, "L/2");
  ck_assert(!a->items[1]->quoted);
  ck_assert(a->items[2]->quoted);
  hk_node *b = points->entries[1].value;
  at(b->loc, 6, 5);
  at(b->items[1]->loc, 7, 7);
  ck_assert_int_eq(r->entries[2].value->kind, HK_NODE_NULL);
  ck_assert_int_eq(r->entries[2].value->loc.line, 8);
  at(r->entries[3].value->entries[0].value->loc, 9, 14);
}
END_TEST

START_TEST(text_positions) {
  hk_node *r = parse("a: µ + x\n"
                     "b: 'p q'\n"
                     "c: \"p\\tq\"\n"
                     "d: |\n  p q\n"
                     "e: p\n  q\n");
  at(hki_node_text_loc(r->entries[0].value, 5), 1, 8);
  at(hki_node_text_loc(r->entries[1].value, 2), 2, 7);
  at(hki_node_text_loc(r->entries[2].value, 2), 3, 4);
  at(hki_node_text_loc(r->entries[3].value, 2), 4, 4);
  at(hki_node_text_loc(r->entries[4].value, 2), 6, 4);
  ck_assert_str_eq(r->entries[2].value->text, "p\tq");
  ck_assert_str_eq(r->entries[3].value->text, "p q\n");
  ck_assert(r->entries[3].value->quoted);
  ck_assert_str_eq(r->entries[4].value->text, "p q");
}
END_TEST

START_TEST(json_bom_crlf) {
  hk_node *r =
      parse("{\n\t\"hooke\":1,\n\t\"b\": [1, {\"c\":null}],\n\t\"e\": \"\\u00e9\\/\"\n}\n");
  ck_assert_int_eq(r->count, 3);
  at(r->entries[0].key_loc, 2, 2);
  at(r->entries[0].value->loc, 2, 10);
  at(r->entries[1].value->items[1]->entries[0].value->loc, 3, 16);
  ck_assert_int_eq(r->entries[1].value->items[1]->entries[0].value->kind, HK_NODE_NULL);
  ck_assert_str_eq(r->entries[2].value->text, "\xC3\xA9/");

  r = parse("\xEF\xBB\xBFhooke: 1\r\ntitle: \xC3\xA4 b\r\nx: 2\r\n");
  at(r->entries[0].key_loc, 1, 1);
  at(r->entries[2].key_loc, 3, 1);
  at(r->entries[2].value->loc, 3, 4);
  ck_assert_str_eq(r->entries[1].value->text, "\xC3\xA4 b");
}
END_TEST

START_TEST(accessors) {
  hk_node *r = parse("a: 1\nb: on\nc: 'on'\nd: [1, 2]\ne: {}\nf: ~\ng: null\nh: 'null'\n");
  char buf[64];
  bool v = false;
  ck_assert(!hki_node_find(r, "a")->used);
  ck_assert_ptr_null(hki_node_get(r, "zz"));
  ck_assert_ptr_null(hki_node_get(NULL, "a"));
  ck_assert_ptr_null(hki_node_get(hki_node_get(r, "a"), "a"));
  ck_assert(hki_node_find(r, "a")->used);
  ck_assert(!hki_node_find(r, "b")->used);
  ck_assert(hki_node_bool(hki_node_get(r, "b"), &v) && v);
  ck_assert(!hki_node_bool(hki_node_get(r, "c"), &v));
  ck_assert(!hki_node_bool(hki_node_get(r, "a"), &v));
  ck_assert(hki_node_is(hki_node_get(r, "c"), "on"));
  ck_assert_ptr_null(hki_node_text(hki_node_get(r, "d")));
  ck_assert_int_eq(hki_node_get(r, "f")->kind, HK_NODE_NULL);
  ck_assert_int_eq(hki_node_get(r, "g")->kind, HK_NODE_NULL);
  ck_assert_int_eq(hki_node_get(r, "h")->kind, HK_NODE_SCALAR);
  ck_assert_str_eq(hki_node_describe(hki_node_get(r, "a"), buf, sizeof buf), "'1'");
  ck_assert_str_eq(hki_node_describe(hki_node_get(r, "c"), buf, sizeof buf), "the text 'on'");
  ck_assert_str_eq(hki_node_describe(hki_node_get(r, "d"), buf, sizeof buf), "a list of 2");
  ck_assert_str_eq(hki_node_describe(hki_node_get(r, "e"), buf, sizeof buf), "an empty mapping");
  ck_assert_str_eq(hki_node_describe(NULL, buf, sizeof buf), "nothing");
}
END_TEST

START_TEST(duplicate_keys) {
  refuse("a: 1\nb: {c: 1, d: 2, c: 3}\n", 2, 17, "key 'c' is given twice", "at 2:5");
  refuse("a: 1\nb: 2\n\"a\": 3\n", 3, 1, "key 'a' is given twice", "at 1:1");
  /* all of them are reported */
  refuse("a: 1\na: 2\nb: 1\nb: 2\n", 2, 1, "key 'a'", NULL);
  ck_assert_int_eq(hk_ctx_message_count(ctx), 2);
  /* in a mapping large enough for the hash table */
  refuse("{a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1, j: 1, d: 2}", 1, 62, "key 'd'",
         "at 1:20");
}
END_TEST

START_TEST(anchors) {
  hk_node *r = parse("a: &x {k: 1}\nb: *x\nc: &x 5\nd: [*x, *x]\n");
  ck_assert_ptr_eq(hki_node_get(r, "a"), hki_node_get(r, "b"));
  ck_assert_str_eq(hki_node_get(r, "d")->items[1]->text, "5");
  refuse("a: *nope\n", 1, 4, "alias '*nope' refers to no anchor", NULL);
  refuse("a: &x [1, *x]\n", 1, 11, "inside its own anchor", NULL);
  refuse("a: &x\n  b: {c: *x}\n", 2, 10, "inside its own anchor", NULL);
}
END_TEST

START_TEST(merge_keys) {
  hk_node *r = parse("base: &b {m: 1, k: 2}\n"
                     "other: &o {k: 7, z: 8}\n"
                     "one: {k: 3, <<: *b}\n"
                     "two: {<<: [*b, *o], y: 4}\n"
                     "text: {'<<': 1}\n");
  hk_node *one = hki_node_get(r, "one");
  ck_assert_int_eq(one->count, 2);
  ck_assert_str_eq(hki_node_get(one, "k")->text, "3");
  ck_assert(hki_node_find(one, "m")->merged);
  at(hki_node_find(one, "m")->key_loc, 1, 11);
  hk_node *two = hki_node_get(r, "two");
  ck_assert_int_eq(two->count, 4);
  ck_assert_str_eq(hki_node_get(two, "k")->text, "2");
  ck_assert_str_eq(hki_node_get(two, "z")->text, "8");
  ck_assert(!hki_node_find(two, "y")->merged);
  /* what was taken from a merged mapping does not count as used there */
  ck_assert(!hki_node_find(hki_node_get(r, "base"), "m")->used);
  ck_assert_int_eq(hki_node_get(r, "text")->count, 1);
  refuse("a: {<<: 5}\n", 1, 9, "merge key", "<<: *name");
  refuse("a: {<<: [{b: 1}, 2]}\n", 1, 9, "merge key", NULL);
}
END_TEST

START_TEST(billion_laughs) {
  /* 10^9 nodes from ten lines */
  char text[2000] = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 10; i++) {
    char line[200];
    int p = i - 1;
    snprintf(line, sizeof line, "a%d: &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]\n",
             i, i, p, p, p, p, p, p, p, p, p, p);
    strcat(text, line);
  }
  hk_node *root;
  ck_assert_int_eq(parse_n(text, strlen(text), NULL, &root), HK_E_MODEL);
  ck_assert_ptr_nonnull(strstr(hk_ctx_message(ctx, 0)->text, "more than 4000000 values"));

  /* the same through merge keys that add nothing new */
  hk_text t;
  hki_text_init(&t, ctx);
  hki_text_add(&t, "a: &a {");
  for (int i = 0; i < 5000; i++) hki_text_printf(&t, "k%d: 1, ", i);
  hki_text_add(&t, "}\nb:\n");
  for (int i = 0; i < 5000; i++) hki_text_printf(&t, "  - {<<: *a}\n");
  ck_assert_int_eq(parse_n(t.s, t.len, NULL, &root), HK_E_MODEL);
  ck_assert_ptr_nonnull(strstr(hk_ctx_message(ctx, 0)->text, "more than 4000000 values"));
  hki_text_free(&t);
}
END_TEST

START_TEST(limits) {
  hk_node *root;
  hk_yaml_limits max = {.depth = 3, .nodes = 10};
  ck_assert_int_eq(parse_n("[[[1]]]", 7, &max, &root), HK_OK);
  ck_assert_int_eq(parse_n("[[[[1]]]]", 9, &max, &root), HK_E_MODEL);
  ck_assert_int_eq(hk_ctx_message(ctx, 0)->column, 4);
  ck_assert_int_eq(parse_n("[1,2,3,4,5,6,7,8,9]", 19, &max, &root), HK_OK);
  ck_assert_int_eq(parse_n("[1,2,3,4,5,6,7,8,9,10]", 22, &max, &root), HK_E_MODEL);

  /* a million brackets, in a row and one per line */
  size_t n = 1000000;
  char *s = malloc(2 * n);
  ck_assert_ptr_nonnull(s);
  memset(s, '[', n);
  refuse_n(s, n, 1, 65, "nested deeper than 64", NULL);
  for (size_t i = 0; i < 2 * n; i++) s[i] = i % 2 ? '\n' : '{';
  ck_assert_int_eq(parse_n(s, 2 * n, NULL, &root), HK_E_MODEL);
  free(s);
}
END_TEST

START_TEST(long_lines) {
  size_t n = test_few() ? 200000 : 2000000;
  char *s = malloc(n + 16);
  ck_assert_ptr_nonnull(s);
  memset(s, 'x', n);

  /* a value of two megabytes is fine, a key is not */
  memcpy(s, "title: ", 7);
  hk_node *root;
  ck_assert_int_eq(parse_n(s, n, NULL, &root), HK_OK);
  ck_assert_int_eq(root->entries[0].value->len, (int32_t)n - 7);
  memset(s, 'x', n);
  memcpy(s + n, ": 1\n", 4);
  refuse_n(s, n + 4, 1, (int)n + 1, "mapping values are not allowed", NULL);

  /* one line of half a million items */
  for (size_t i = 0; i < n; i++) s[i] = "[1, "[i == 0 ? 0 : 1 + i % 3 % 2];
  for (size_t i = 1; i < n; i++) s[i] = i % 2 ? '1' : ',';
  s[n - 1] = ']';
  ck_assert_int_eq(parse_n(s, n, NULL, &root), HK_OK);
  ck_assert_int_eq(root->count, (int32_t)n / 2 - 1);
  free(s);
}
END_TEST

START_TEST(not_a_model) {
  refuse("", 1, 1, "the file is empty", "hooke: 1");
  refuse("# nothing but words\n", 1, 1, "the file is empty", NULL);
  refuse("---\n", 1, 1, "the file is empty", NULL);
  refuse_n("a: 1\nb\0c", 8, 2, 2, "NUL byte", "UTF-8");
  refuse_n("\x7f"
           "ELF\0",
           5, 1, 1, "control character U+007F", NULL);
  refuse_n("a\0b\0", 4, 1, 2, "binary file", NULL);
  refuse_n("\xFF\xFE"
           "a\0",
           4, 1, 1, "UTF-16", "UTF-8");
  refuse("a: \xC3\xA4\nb: \xE4\n", 2, 4, "invalid byte 0xE4", "UTF-8");
  refuse("a: \xC0\xAF\n", 1, 4, "invalid byte 0xC0", NULL);
  refuse("a: \xED\xA0\x80\n", 1, 4, "invalid byte 0xED", NULL);
  refuse("a: \x01\n", 1, 4, "control character U+0001", NULL);
  refuse("a: \"x\\0y\"\n", 1, 4, "control character U+0000", NULL);
  refuse("a: 1\n\"b\\e[31m\": 2\n", 2, 1, "control character U+001B", NULL);
  refuse("a: 1\n---\nb: 2\n", 2, 1, "second document", "one model");
}
END_TEST

START_TEST(syntax_errors) {
  refuse("a:\n\tb: 1\n", 2, 1, "cannot start any token", "spaces");
  refuse("a:\n  b: 1\n\tc: 2\n", 3, 1, "YAML syntax", "spaces");
  refuse("a: [1, 2\nb: 3\n", 2, 2, "expected ',' or ']'", "not closed");
  refuse("a: {b: 1\n", 2, 1, "expected ',' or '}'", "not closed");
  refuse("a: \"open\nb: 1\n", 3, 1, "unexpected end of stream", "quote");
  refuse("a: b: c\n", 1, 5, "mapping values are not allowed", "quoted");
  refuse("a: 1\n  b: 2\n", 2, 4, "mapping values are not allowed", "indentation");
  refuse("a: 1\nb\n", 3, 1, "could not find expected ':'", "key");
  refuse("a: @x\n", 1, 4, "cannot start any token", "quotes");
  refuse("? [1, 2]\n: 3\n", 1, 3, "a key must be a plain name", NULL);
  refuse("[1]: 3\n", 1, 1, "a key must be a plain name", NULL);
  refuse("{'': 3}\n", 1, 2, "a key is missing", NULL);
  refuse("a: !motor 3\n", 1, 4, "tag '!motor'", "remove");
  refuse("a: !!set {b}\nb: !x [1]\n", 2, 4, "tag '!x'", NULL);
  ck_assert(hki_node_get(parse("a: !!str 3\n"), "a")->quoted);
  ck_assert(!hki_node_get(parse("a: !!float 3\n"), "a")->quoted);
  ck_assert_int_eq(hki_node_get(parse("%YAML 1.2\n---\na: !!str\n"), "a")->kind, HK_NODE_SCALAR);
}
END_TEST

START_TEST(large_mapping) {
  /* 50,000 keys: lookups must not be linear */
  const int N = test_few() ? 5000 : 50000;
  hk_text t;
  hki_text_init(&t, ctx);
  for (int i = 0; i < N; i++) hki_text_printf(&t, "body%d: {mass: %d}\n", i, i);
  hk_node *root;
  ck_assert_int_eq(parse_n(t.s, t.len, NULL, &root), HK_OK);
  ck_assert_int_eq(root->count, N);
  for (int i = 0; i < N; i++) {
    char key[32], mass[32];
    snprintf(key, sizeof key, "body%d", i);
    snprintf(mass, sizeof mass, "%d", i);
    hk_node *b = hki_node_get(root, key);
    ck_assert_ptr_nonnull(b);
    ck_assert_str_eq(hki_node_get(b, "mass")->text, mass);
    ck_assert_int_eq(b->loc.line, i + 1);
  }
  ck_assert_ptr_null(hki_node_find(root, "body"));
  hki_text_free(&t);
}
END_TEST

START_TEST(missing_file) {
  hk_node *root;
  hk_loc from = {hki_ctx_file(ctx, "outer.yaml"), 3, 5};
  ck_assert_int_eq(hki_yaml_read(ctx, pool, "/nonexistent/m.yaml", from, NULL, &root), HK_E_FILE);
  ck_assert_ptr_null(root);
  ck_assert_int_eq(hk_ctx_message(ctx, 0)->line, 3);
}
END_TEST

Suite *suite_yaml(void) {
  Suite *s = suite_create("yaml");
  TCase *c = tcase_create("yaml");
  tcase_add_checked_fixture(c, setup, teardown);
  tcase_add_test(c, block_positions);
  tcase_add_test(c, text_positions);
  tcase_add_test(c, json_bom_crlf);
  tcase_add_test(c, accessors);
  tcase_add_test(c, duplicate_keys);
  tcase_add_test(c, anchors);
  tcase_add_test(c, merge_keys);
  tcase_add_test(c, billion_laughs);
  tcase_add_test(c, limits);
  tcase_add_test(c, long_lines);
  tcase_add_test(c, not_a_model);
  tcase_add_test(c, syntax_errors);
  tcase_add_test(c, large_mapping);
  tcase_add_test(c, missing_file);
  suite_add_tcase(s, c);
  return s;
}
