/* SPDX-License-Identifier: Apache-2.0
 *
 * plain_yaml.c: the reader of plain YAML gives the events of libyaml for all that it reads, and refuses the rest.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "formats/plain_yaml.h"
#include "formats/yaml.h"
#include "runner.h"

Suite *suite_plain_yaml(void);

/* the next event of libyaml that is not about the stream */
static void next(yaml_parser_t *p, yaml_event_t *e) {
  for (;;) {
    ck_assert_int_eq(yaml_parser_parse(p, e), 1);
    if (e->type != YAML_STREAM_START_EVENT && e->type != YAML_DOCUMENT_END_EVENT) return;
    yaml_event_delete(e);
  }
}

static hk_plain_kind kind_of(const yaml_event_t *e) {
  switch (e->type) {
    case YAML_DOCUMENT_START_EVENT:
      return HK_PLAIN_DOCUMENT;
    case YAML_SCALAR_EVENT:
      return HK_PLAIN_SCALAR;
    case YAML_SEQUENCE_START_EVENT:
      return HK_PLAIN_SEQUENCE;
    case YAML_SEQUENCE_END_EVENT:
      return HK_PLAIN_SEQUENCE_END;
    case YAML_MAPPING_START_EVENT:
      return HK_PLAIN_MAPPING;
    case YAML_MAPPING_END_EVENT:
      return HK_PLAIN_MAPPING_END;
    default:
      return HK_PLAIN_END;
  }
}

/* both readers on one text: the same events, texts and beginnings of texts */
static void compare(const char *text, size_t len) {
  hk_plain_parser p;
  hk_plain_event a;
  yaml_parser_t y;
  yaml_event_t b;
  ck_assert_int_eq(yaml_parser_initialize(&y), 1);
  yaml_parser_set_input_string(&y, (const unsigned char *)text, len);
  hki_plain_start(&p);
  hki_plain_input(&p, (const unsigned char *)text, len);
  do {
    next(&y, &b);
    ck_assert_msg(hki_plain_next(&p, &a) == 1, "%s at %zu:%zu of\n%.300s", p.problem,
                  p.problem_mark.line + 1, p.problem_mark.column + 1, text);
    ck_assert_msg(a.type == kind_of(&b), "event %d for %d at line %zu of\n%.300s", (int)a.type,
                  (int)kind_of(&b), b.start_mark.line + 1, text);
    if (a.type == HK_PLAIN_SCALAR) {
      ck_assert_str_eq((const char *)a.data.scalar.value, (const char *)b.data.scalar.value);
      ck_assert_uint_eq(a.data.scalar.length, b.data.scalar.length);
      ck_assert_int_eq(a.data.scalar.style == HK_PLAIN_STYLE,
                       b.data.scalar.style == YAML_PLAIN_SCALAR_STYLE);
      if (a.data.scalar.length) {
        ck_assert_uint_eq(a.start_mark.line, b.start_mark.line);
        ck_assert_uint_eq(a.start_mark.column, b.start_mark.column);
        ck_assert_uint_eq(a.end_mark.column, b.end_mark.column);
      }
    }
    yaml_event_delete(&b);
  } while (a.type != HK_PLAIN_END);
  yaml_parser_delete(&y);
  hki_plain_free(&p);
}

START_TEST(texts) {
  static const char *const list[] = {
      "a: 1\nb: [1, two, \"three, 3\", 'it''s', -4]\nc: {x: 1, y: {z: []}, \"w\": }\n",
      ("limits:\n  angle:\n    - -(a)/2\n    - (b)/2\n# a comment\n\nempty:\nlast: 'x: y' # "
       "another\n"),
      "- a: 1\n  b: 2\n- - 1\n  - 2\n-\n- c\n",
      "list:\n- 1\n- k: v\n  l:\n  - 2\nnext: x#y z\n",
      "t: \"a\\n\\t\\u00e9\\\\ \\\" \\x41/\"\nurl: a:b::c\n",
      "[1, 2,\n 3, {a: b, c: [d]},\n]\n",
      "just a text\n",
      "{\"json\": [1.5e3, true, null], \"b\":2}",
      "k: [a b, c: d, 'e']\n",
  };
  for (size_t i = 0; i + 1 < sizeof list / sizeof list[0]; i++) compare(list[i], strlen(list[i]));
}
END_TEST

/* every example, written anew as the export of an FMU writes it */
START_TEST(examples) {
  static const char *const names[] = {"pendulum", "double-four-bar", "iltis/ramp-and-stairs",
                                      "bent-beam", "pilot-arm"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char path[600];
    hk_ctx *ctx = hk_ctx_create();
    hk_pool *pool = hki_pool_create(ctx);
    hk_node *root = NULL;
    hk_text text;
    snprintf(path, sizeof path, "%s/examples/%s.yaml", test_source_dir(), names[i]);
    ck_assert_int_eq(hki_yaml_read(ctx, pool, path, HK_LOC_NONE, NULL, &root), HK_OK);
    hki_text_init(&text, ctx);
    hki_yaml_write(root, &text);
    compare(text.s, text.len);
    hki_text_free(&text);
    hki_pool_destroy(pool);
    hk_ctx_destroy(ctx);
  }
}
END_TEST

START_TEST(refused) {
  static const char *const list[] = {
      "a: &x 1\n",  "a: *x\n",    "a: |\n  text\n", "a: !t 1\n",    "a: \"open\n",
      "a: [1, 2\n", "a: {b 1}\n", "a: 1\n  b: 2\n", "--- \na: 1\n", "a: \"\\q\"\n",
      "a: - 1\n",   "a: [1}\n",   "\"\\ud800\"\n"};
  hk_plain_parser p;
  hk_plain_event e;
  char deep[400];
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    hki_plain_start(&p);
    hki_plain_input(&p, (const unsigned char *)list[i], strlen(list[i]));
    ck_assert_msg(hki_plain_next(&p, &e) == 0 && p.problem, "%s", list[i]);
    hki_plain_free(&p);
  }
  memset(deep, '[', sizeof deep);
  hki_plain_start(&p);
  hki_plain_input(&p, (const unsigned char *)deep, sizeof deep);
  ck_assert_int_eq(hki_plain_next(&p, &e), 0);
  hki_plain_free(&p);
}
END_TEST

Suite *suite_plain_yaml(void) {
  Suite *s = suite_create("plain_yaml");
  TCase *t = tcase_create("plain_yaml");
  tcase_add_test(t, texts);
  tcase_add_test(t, examples);
  tcase_add_test(t, refused);
  suite_add_tcase(s, t);
  return s;
}
