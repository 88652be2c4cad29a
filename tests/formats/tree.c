/* SPDX-License-Identifier: Apache-2.0
 *
 * tree.c: trees that programs build: putting together and taking apart, what is refused, paths, YAML
 * and back, random calls against a shadow of plain lists.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/support_message.h"
#include "formats/tree.h"

Suite *suite_tree(void);

static void setup(void) { ctx = hk_ctx_create(); }
static void teardown(void) { hk_ctx_destroy(ctx); }

static bool said(const char *words) {
  const int32_t n = hk_ctx_message_count(ctx);
  return n && strstr(hk_ctx_message(ctx, n - 1)->text, words);
}

START_TEST(numbers_are_exact) {
  const double x[] = {0.1, 1.0 / 3.0, -0.0, 5e-324, 1.7976931348623157e308, 123456789012345678.0,
                      1};
  hk_node *list = hk_node_new_list(ctx);
  for (int i = 0; i < 7; i++) {
    double y;
    ck_assert_int_eq(hk_node_set_number(list, NULL, x[i]), HK_OK);
    ck_assert_int_eq(hk_node_number(hk_node_item(list, i), &y), HK_OK);
    ck_assert(memcmp(&x[i], &y, sizeof y) == 0);
  }
  ck_assert_str_eq(hk_node_text(hk_node_item(list, 0)), "0.1");
  ck_assert_str_eq(hk_node_text(hk_node_item(list, 6)), "1");
  hk_node_destroy(list);
}
END_TEST

START_TEST(paths) {
  hk_node *root = hk_node_new_map(ctx), *pin = hk_node_make(root, "joints.pin");
  ck_assert_ptr_nonnull(pin);
  ck_assert_ptr_eq(hk_node_make(root, "joints.pin"), pin);
  hk_node_set_numbers(pin, "axis", 3, (double[]){1, 2, 3});
  hk_node_set(pin, "rows", hk_node_new_list(ctx));
  hk_node_set_numbers(hk_node_get(pin, "rows"), NULL, 2, (double[]){4, 5});
  double x;
  ck_assert_int_eq(hk_node_number(hk_node_at(root, "joints.pin.axis[2]"), &x), HK_OK);
  ck_assert(x == 3.0);
  ck_assert_int_eq(hk_node_number(hk_node_at(root, "joints.pin.rows[0][1]"), &x), HK_OK);
  ck_assert(x == 5.0);
  ck_assert_ptr_eq(hk_node_at(hk_node_get(pin, "rows"), "[0][0]"),
                   hk_node_item(hk_node_item(hk_node_get(pin, "rows"), 0), 0));
  ck_assert_ptr_eq(hk_node_at(root, ""), root);
  static const char *const none[] = {"joint",
                                     "joints.pin.",
                                     ".joints",
                                     "joints..pin",
                                     "joints.pin.axis[3]",
                                     "joints.pin.axis[-1]",
                                     "joints.pin.axis[x]",
                                     "joints.pin.axis[1",
                                     "joints[0]",
                                     "joints.pin.axis.x",
                                     "joints.pin.axis[1]x"};
  for (int i = 0; i < (int)(sizeof none / sizeof *none); i++)
    ck_assert_msg(!hk_node_at(root, none[i]), "%s", none[i]);
  ck_assert_ptr_null(hk_node_make(root, "joints.pin.axis"));
  ck_assert(said("something else than a mapping stands there"));
  ck_assert_ptr_null(hk_node_make(root, "joints.pin.axis.x"));
  ck_assert(said("on the way"));
  hk_node_destroy(root);
}
END_TEST

START_TEST(a_node_stands_in_one_place) {
  hk_node *a = hk_node_new_map(ctx), *b = hk_node_new_map(ctx), *list = hk_node_new_list(ctx);
  ck_assert_int_eq(hk_node_set(a, "b", b), HK_OK);
  ck_assert_int_eq(hk_node_set(a, "again", b), HK_E_USAGE);
  ck_assert(said("stands in another one already"));
  ck_assert_int_eq(hk_node_set(list, NULL, b), HK_E_USAGE);
  ck_assert_int_eq(hk_node_set(b, "a", a), HK_E_USAGE);
  ck_assert(said("cannot stand inside itself"));
  hk_node_destroy(b);
  ck_assert(said("hk_node_remove"));
  ck_assert_ptr_eq(hk_node_get(a, "b"), b);
  // replaced and removed nodes end
  ck_assert_int_eq(hk_node_set_number(a, "b", 1.0), HK_OK);
  ck_assert_int_eq(hk_node_count(a), 1);
  ck_assert_int_eq(hk_node_remove(a, "c"), HK_E_USAGE);
  ck_assert_int_eq(hk_node_remove(a, "b"), HK_OK);
  ck_assert_int_eq(hk_node_set_number(b, "x", 1.0), HK_E_USAGE);
  ck_assert_int_eq(hk_node_kind_of(b), HK_NODE_NULL);
  hk_node_destroy(a);
  ck_assert_int_eq(hk_node_set_number(a, "x", 1.0), HK_E_USAGE);
  hk_node_destroy(a);
  hk_node_destroy(list);
}
END_TEST

START_TEST(contexts_are_not_mixed) {
  hk_ctx *other = hk_ctx_create();
  hk_node *a = hk_node_new_map(ctx), *b = hk_node_new_map(other);
  ck_assert_int_eq(hk_node_set(a, "b", b), HK_E_USAGE);
  ck_assert(said("different contexts"));
  hk_node_destroy(a);
  hk_node_destroy(b);
  hk_ctx_destroy(other);
}
END_TEST

/* 64 levels, from the top down and from the bottom up */
START_TEST(depth) {
  hk_node *top = hk_node_new_map(ctx), *at = top;
  for (int i = 1; i < 64; i++) {
    hk_node *next = hk_node_new_map(ctx);
    ck_assert_int_eq(hk_node_set(at, "a", next), HK_OK);
    at = next;
  }
  ck_assert_int_eq(hk_node_set_number(at, "a", 1.0), HK_E_USAGE);
  ck_assert(said("64 levels"));
  hk_node *above = hk_node_new_list(ctx);
  ck_assert_int_eq(hk_node_set(above, NULL, top), HK_E_USAGE);
  // a level less below makes room above
  hk_node *low = top;
  for (int i = 1; i < 63; i++) low = hk_node_get(low, "a");
  ck_assert_int_eq(hk_node_remove(low, "a"), HK_OK);
  ck_assert_int_eq(hk_node_set(above, NULL, top), HK_OK);
  ck_assert_int_eq(hk_node_set_number(low, "a", 1.0), HK_E_USAGE);
  // and so does a value in the place of many levels
  ck_assert_int_eq(hk_node_set_number(top, "a", 1.0), HK_OK);
  hk_node *higher = hk_node_new_list(ctx);
  ck_assert_int_eq(hk_node_set(higher, NULL, above), HK_OK);
  hk_node_destroy(higher);
}
END_TEST

/* reads back as the same, whatever the text */
static void round_trip(hk_node *root) {
  hk_node *back;
  const char *yaml = hk_node_yaml(root);
  ck_assert_msg(hk_node_parse(ctx, yaml, strlen(yaml), "back", &back) == HK_OK, "%s\n%s",
                hk_ctx_message(ctx, 0)->text, yaml);
  ck_assert_msg(hki_node_hash(back, 3) == hki_node_hash(root, 3), "%s\n%s", yaml,
                hk_node_yaml(back));
  hk_node_destroy(back);
}

START_TEST(texts_in_yaml) {
  static const char *const texts[] = {"",
                                      " ",
                                      "a b",
                                      "a: b",
                                      "a:b",
                                      "a:",
                                      "#1",
                                      "a #b",
                                      "a#b",
                                      "- a",
                                      "-a",
                                      "-",
                                      "--",
                                      "---",
                                      "...",
                                      "~",
                                      "null",
                                      "true",
                                      "on",
                                      "1.0",
                                      "1e3",
                                      "{a}",
                                      "[a",
                                      "a, b",
                                      "*a",
                                      "&a",
                                      "!a",
                                      "|",
                                      ">",
                                      "'a'",
                                      "\"a\"",
                                      "a\\b",
                                      "%a",
                                      "@a",
                                      "`a",
                                      "?",
                                      "? a",
                                      "a?",
                                      "=",
                                      "<<",
                                      "line\nline\n",
                                      "\ttab",
                                      "tab\t",
                                      "\xc3\xa4",
                                      "\xc2\x85",
                                      "\xe2\x80\xa8",
                                      "\xef\xbb\xbf",
                                      "\xf0\x9f\x98\x80",
                                      "if(t > 1, 2, 3)",
                                      "rod_{i - 1}",
                                      " a",
                                      "a ",
                                      "0x10",
                                      "1_000",
                                      "12:30",
                                      "2026-11-16",
                                      ".inf",
                                      "C:\\x",
                                      "\n",
                                      "a\n b"};
  hk_node *root = hk_node_new_map(ctx), *list = hk_node_new_list(ctx);
  hk_node *flow = hk_node_new_map(ctx), *p = hk_node_make(root, "parameters");
  for (int i = 0; i < (int)(sizeof texts / sizeof *texts); i++) {
    char key[32];
    snprintf(key, sizeof key, "key%d", i);
    ck_assert_int_eq(hk_node_set_text(root, key, texts[i]), HK_OK);
    ck_assert_int_eq(hk_node_set_text(list, NULL, texts[i]), HK_OK);
    ck_assert_int_eq(hk_node_set_text(p, key, texts[i]), HK_OK);
    if (*texts[i]) ck_assert_int_eq(hk_node_set_number(flow, texts[i], i), HK_OK);
    hk_node *one = hk_node_new_text(ctx, texts[i]);
    if (*texts[i]) round_trip(one);
    hk_node_destroy(one);
  }
  hk_node_set(root, "list", list);
  hk_node_set(root, "flow", flow);
  hk_node_set(root, "nothing", hk_node_new_null(ctx));
  hk_node_set(root, "empty", hk_node_new_map(ctx));
  hk_node_set(root, "void", hk_node_new_list(ctx));
  round_trip(root);
  hk_node_destroy(root);
}
END_TEST

/* --- random calls ----------------------------------------------------------------------------- */

static uint64_t seed;

static uint32_t chance(uint32_t n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(seed >> 33) % n;
}

/* some node below */
static hk_node *some(hk_node *root) {
  hk_node *at = root;
  while (hk_node_count(at) && chance(4))
    at = hk_node_item(at, (int32_t)chance((uint32_t)hk_node_count(at)));
  return at;
}

START_TEST(random_calls) {
  hk_node *roots[4];
  int refusals = 0;
  seed = (uint64_t)_i + 1;
  for (int i = 0; i < 4; i++) roots[i] = chance(2) ? hk_node_new_map(ctx) : hk_node_new_list(ctx);
  for (int n = 0; n < 4000; n++) {
    hk_node *to = some(roots[chance(4)]);
    char name[16];
    snprintf(name, sizeof name, "k%u", (unsigned)chance(30));
    const char *key = hk_node_kind_of(to) == HK_NODE_MAPPING || chance(10) == 0 ? name : NULL;
    const uint32_t what = chance(9), r = chance(4);
    const int32_t before = hk_node_count(to);
    const bool there = hk_node_get(to, name) != NULL;
    hk_status st = HK_OK;
    if (what == 0) st = hk_node_set_number(to, key, (double)n);
    if (what == 1) st = hk_node_set_text(to, key, chance(2) ? "a: b" : "word");
    if (what == 2) st = hk_node_set_numbers(to, key, 2, (double[]){1, n});
    if (what == 3) st = hk_node_set(to, key, roots[r]);
    if (what == 3 && st == HK_OK)
      roots[r] = chance(2) ? hk_node_new_map(ctx) : hk_node_new_list(ctx);
    if (what == 4 && !hk_node_make(to, name)) st = HK_E_USAGE;
    if (what == 5) st = hk_node_remove(to, name);
    if (what == 6) st = hk_node_remove_at(to, (int32_t)chance(10));
    if (what == 7) {
      hk_node *copy = hk_node_copy(to);
      ck_assert(hki_node_hash(copy, 1) == hki_node_hash(to, 1));
      hk_node_destroy(roots[r]);
      roots[r] = copy;
      continue;
    }
    if (what == 8) hk_node_destroy(to == roots[r] ? NULL : to);
    refusals += st != HK_OK;
    for (int i = 0; what == 8 && i < 4; i++)
      if (to == roots[i] && i != (int)r) roots[i] = hk_node_new_map(ctx);
    if (what > 3 || st != HK_OK || what == 3) continue;
    // one more, or one replaced
    ck_assert_int_eq(hk_node_count(to), before + (there && key ? 0 : 1));
  }
  ck_assert_int_gt(refusals, 100);
  for (int i = 0; i < 4; i++) {
    hk_ctx_clear(ctx);
    if (hk_node_count(roots[i])) round_trip(roots[i]);
    hk_node_destroy(roots[i]);
  }
}
END_TEST

/* a large mapping is found in, changed and shortened as fast as a small one */
START_TEST(large_mappings) {
  hk_node *map = hk_node_new_map(ctx);
  char key[16];
  for (int i = 0; i < 20000; i++) {
    snprintf(key, sizeof key, "k%d", i);
    ck_assert_int_eq(hk_node_set_number(map, key, i), HK_OK);
  }
  for (int i = 0; i < 20000; i++) {
    double x;
    snprintf(key, sizeof key, "k%d", i);
    ck_assert_int_eq(hk_node_number(hk_node_get(map, key), &x), HK_OK);
    ck_assert(x == i);
  }
  ck_assert_int_eq(hk_node_remove(map, "k7"), HK_OK);
  ck_assert_ptr_null(hk_node_get(map, "k7"));
  ck_assert_str_eq(hk_node_key(map, 7), "k8");
  ck_assert_str_eq(hk_node_text(hk_node_get(map, "k19999")), "19999");
  hk_node_destroy(map);
}
END_TEST

/* memory runs out at any allocation: refused, and nothing is lost */
START_TEST(without_memory) {
  for (uint64_t n = 1; n < 200; n++) {
    hk_ctx *c = hk_ctx_create();
    hki_alloc_fail_at(c, n);
    hk_node *root = hk_node_new_map(c), *back = NULL;
    for (int i = 0; i < 12; i++) {
      char key[8];
      snprintf(key, sizeof key, "k%d", i);
      hk_node_set_numbers(root, key, 2, (double[]){1, 2});
      hk_node_make(hk_node_make(root, "a.b"), key);
    }
    hk_node *copy = hk_node_copy(root);
    hk_node_yaml(root);
    hk_node_parse(c, "a: [1, {b: c}]", 14, "p", &back);
    hk_node_destroy(back);
    hk_node_destroy(copy);
    hk_node_destroy(root);
    hki_alloc_fail_at(c, 0);
    hk_ctx_destroy(c);
  }
}
END_TEST

Suite *suite_tree(void) {
  Suite *s = suite_create("tree");
  TCase *t = tcase_create("tree");
  tcase_add_checked_fixture(t, setup, teardown);
  tcase_add_test(t, numbers_are_exact);
  tcase_add_test(t, paths);
  tcase_add_test(t, a_node_stands_in_one_place);
  tcase_add_test(t, contexts_are_not_mixed);
  tcase_add_test(t, depth);
  tcase_add_test(t, texts_in_yaml);
  tcase_add_loop_test(t, random_calls, 0, 8);
  tcase_add_test(t, large_mappings);
  tcase_add_test(t, without_memory);
  suite_add_tcase(s, t);
  return s;
}
