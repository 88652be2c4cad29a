/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of pool, text buffer, names, nearest, glob.
 */
#include <check.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

START_TEST(pool_blocks) {
  hk_ctx *ctx = hk_ctx_create();
  hk_pool *p = hki_pool_create(ctx);
  unsigned char *blocks[500];
  size_t sizes[500];
  // blocks of all sizes do not overlap, are zeroed and aligned
  for (size_t i = 0; i < 500; i++) {
    sizes[i] = i % 50 == 49 ? 20000 : i % 97;
    blocks[i] = hki_pool_alloc(p, sizes[i]);
    ck_assert_int_eq((int)((uintptr_t)blocks[i] % 16), 0);
    for (size_t k = 0; k < sizes[i]; k++) ck_assert_int_eq(blocks[i][k], 0);
    memset(blocks[i], (int)i, sizes[i]);
  }
  for (size_t i = 0; i < 500; i++)
    for (size_t k = 0; k < sizes[i]; k++) ck_assert_int_eq(blocks[i][k], (unsigned char)i);
  ck_assert_str_eq(hki_pool_strdup(p, "abc"), "abc");
  ck_assert_str_eq(hki_pool_strndup(p, "abc", 1), "a");
  ck_assert_str_eq(hki_pool_strndup(p, "", 0), "");
  ck_assert_str_eq(hki_pool_printf(p, "%s.%d", "x", 7), "x.7");
  ck_assert_ptr_null(hki_pool_alloc(p, SIZE_MAX));
  hki_pool_destroy(p);
  hki_pool_destroy(NULL);
  hk_ctx_destroy(ctx);
}
END_TEST

START_TEST(text_grows) {
  hk_ctx *ctx = hk_ctx_create();
  hk_text t;
  hki_text_init(&t, ctx);
  ck_assert_str_eq(t.s, "");
  for (int i = 0; i < 300; i++) hki_text_printf(&t, "%d,", i);
  ck_assert_int_eq((int)t.len, 10 * 2 + 90 * 3 + 200 * 4);
  ck_assert_int_eq((int)strlen(t.s), (int)t.len);
  hki_text_free(&t);
  ck_assert_str_eq(t.s, "");
  hki_text_json(&t, "a\"\\\n\t\x01\xc3\xa9\xff\xed\xa0\x80z");
  ck_assert_str_eq(t.s, "\"a\\\"\\\\\\n\\t\\u0001\xc3\xa9\\ufffd\\ufffd\\ufffd\\ufffdz\"");
  // without memory the text stays as it was
  char before[100];
  snprintf(before, sizeof before, "%s", t.s);
  hki_alloc_fail_at(ctx, 1);
  for (int i = 0; i < 30; i++) hki_text_add(&t, "0123456789012345678901234567890123456789");
  ck_assert_int_eq(strncmp(t.s, before, strlen(before)), 0);
  ck_assert_int_eq(hki_ctx_status(ctx), HK_E_MEMORY);
  hki_text_free(&t);
  hk_ctx_destroy(ctx);
}
END_TEST

static void number_is(double x, const char *want) {
  hk_text t;
  hki_text_init(&t, NULL);
  hki_text_number(&t, x);
  ck_assert_str_eq(t.s, want);
  hki_text_free(&t);
}

static void numbers_round_trip(void) {
  uint64_t r = 12345;
  for (int i = 0; i < 20000; i++) {
    double x;
    r = hki_hash(&i, sizeof i, r);
    memcpy(&x, &r, sizeof x);
    hk_text t;
    hki_text_init(&t, NULL);
    hki_text_number(&t, x);
    if (isfinite(x)) {
      double y = strtod(t.s, NULL);
      ck_assert_mem_eq(&x, &y, sizeof x);
    } else {
      ck_assert_str_eq(t.s, "null");
    }
    hki_text_free(&t);
  }
}

START_TEST(text_ints) {
  const int64_t n[] = {0, 7, -10, INT64_MAX, INT64_MIN};
  hk_text t;
  hki_text_init(&t, NULL);
  for (int i = 0; i < 5; i++) {
    hki_text_int(&t, n[i]);
    hki_text_add(&t, " ");
  }
  ck_assert_str_eq(t.s, "0 7 -10 9223372036854775807 -9223372036854775808 ");
  hki_text_free(&t);
}
END_TEST

START_TEST(text_numbers) {
  number_is(0.1, "0.1");
  number_is(0.1 + 0.2, "0.30000000000000004");
  number_is(1.0 / 3.0, "0.3333333333333333");
  number_is(5.0, "5");
  number_is(-3e6, "-3000000");
  number_is(0.0, "0");
  number_is(-0.0, "-0");
  number_is(1e300, "1e300");
  number_is(0x1p-1024, "5.562684646268003e-309");
  number_is(NAN, "null");
  number_is(INFINITY, "null");
  numbers_round_trip();
  // a decimal comma of the locale does not leak out
  if (setlocale(LC_NUMERIC, "de_DE.UTF-8")) {
    number_is(0.25, "0.25");
    setlocale(LC_NUMERIC, "C");
  }
}
END_TEST

START_TEST(names_table) {
  hk_ctx *ctx = hk_ctx_create();
  hk_names *n = hki_names_create(ctx);
  char name[20];
  int32_t at;
  for (int32_t i = 0; i < 20000; i++) {
    snprintf(name, sizeof name, "body%d", i);
    ck_assert(hki_names_add(n, name, i, &at));
    ck_assert_int_eq(at, i);
  }
  for (int32_t i = 0; i < 20000; i++) {
    snprintf(name, sizeof name, "body%d", i);
    ck_assert_int_eq(hki_names_find(n, name), i);
  }
  ck_assert(!hki_names_add(n, "body77", 5, &at));
  ck_assert_int_eq(at, 77);
  ck_assert(!hki_names_add(n, "body78", 5, NULL));
  ck_assert_int_eq(hki_names_find(n, "body20000"), -1);
  ck_assert_int_eq(hki_names_find(n, ""), -1);
  ck_assert(hki_names_add(n, "", 3, NULL));
  ck_assert_int_eq(hki_names_find(n, ""), 3);
  hki_names_destroy(n);
  hki_names_destroy(NULL);
  hk_ctx_destroy(ctx);
}
END_TEST

START_TEST(hash_spreads) {
  ck_assert(hki_hash("ab", 2, 0) != hki_hash("ba", 2, 0));
  ck_assert(hki_hash("a", 1, 0) != hki_hash("a\0", 2, 0));
  ck_assert(hki_hash("a", 1, 0) != hki_hash("a", 1, 1));
  ck_assert(hki_hash("", 0, 0) == hki_hash("x", 0, 0));
  // the same on every machine
  ck_assert(hki_hash("hooke", 5, 0) == hki_hash("hooke!", 5, 0));
}
END_TEST

/* the nearest of a NULL-ended list */
static const char *near(const char *word, const char *const *list) {
  hk_nearest n;
  hki_nearest_init(&n, word);
  for (; *list; list++) hki_nearest_try(&n, *list);
  return hki_nearest_result(&n);
}

START_TEST(nearest) {
  static const char *const list[] = {"mass",     "com",     "inertia", "shape", "stiffness",
                                     "revolute", "damping", "x",       NULL};
  ck_assert_str_eq(near("mas", list), "mass");
  ck_assert_str_eq(near("amss", list), "mass");
  ck_assert_str_eq(near("revloute", list), "revolute");
  ck_assert_str_eq(near("stifness", list), "stiffness");
  ck_assert_str_eq(near("STIFFNESS", list), "stiffness");
  ck_assert_str_eq(near("X", list), "x");
  ck_assert_str_eq(near("intertia", list), "inertia");
  ck_assert_ptr_null(near("colour", list));
  ck_assert_ptr_null(near("y", list));
  ck_assert_ptr_null(near("", list));
  ck_assert_ptr_null(near("mass", (const char *const[]){"mass", NULL}));
  // two edits in five letters are too many, two in six are not
  ck_assert_ptr_null(near("abcde", (const char *const[]){"abcXY", NULL}));
  ck_assert_str_eq(near("abcdef", (const char *const[]){"abcdXY", NULL}), "abcdXY");
  // the nearer one wins, then the first
  ck_assert_str_eq(near("abcdef", (const char *const[]){"abcdXY", "abcdeX", "abcdeY", NULL}),
                   "abcdeX");
  // very long words are left alone
  char *big = malloc(1000001);
  memset(big, 'a', 1000000), big[1000000] = 0;
  ck_assert_ptr_null(near(big, list));
  ck_assert_ptr_null(near("aaaaaa", (const char *const[]){big, NULL}));
  free(big);
}
END_TEST

START_TEST(glob) {
  ck_assert(hki_glob("body.*.position", "body.rod.position"));
  ck_assert(hki_glob("body.*.position", "body.front.arm.position"));
  ck_assert(!hki_glob("body.*.position", "body.rod.position.x"));
  ck_assert(hki_glob("*", ""));
  ck_assert(hki_glob("", ""));
  ck_assert(!hki_glob("", "a"));
  ck_assert(!hki_glob("?", ""));
  ck_assert(hki_glob("a?c", "abc"));
  ck_assert(hki_glob("a?c", "a\xc3\xa9"
                            "c"));
  ck_assert(hki_glob("*a*b*", "xxaxxbxx"));
  ck_assert(!hki_glob("*a*b*c", "xxaxxbxx"));
  ck_assert(hki_glob("**x", "x"));
  // no blow-up on the classical bad case
  char text[2001];
  memset(text, 'a', 2000), text[2000] = 0;
  ck_assert(!hki_glob("a*a*a*a*a*a*a*a*a*a*a*a*a*b", text));
}
END_TEST

START_TEST(words) {
  int n;
  ck_assert_int_eq(hki_word_count("a bc  def"), 3);
  ck_assert_int_eq(hki_word_count(""), 0);
  ck_assert_int_eq(hki_word_count(NULL), 0);
  ck_assert_int_eq(strncmp(hki_word("a bc  def", 2, &n), "def", 3), 0);
  ck_assert_int_eq(n, 3);
  hki_word("a bc  def", 1, &n);
  ck_assert_int_eq(n, 2);
  ck_assert_str_eq(hki_word("a bc", 2, &n), "");
  ck_assert_int_eq(n, 0);
  ck_assert_str_eq(hki_word(NULL, 0, &n), "");
  ck_assert_int_eq(hki_word_find("angle rate", "rate"), 1);
  ck_assert_int_eq(hki_word_find("angle rate", "rat"), -1);
  ck_assert_int_eq(hki_word_find("angle rate", ""), -1);
  ck_assert_int_eq(hki_word_find(NULL, "a"), -1);
}
END_TEST

Suite *suite_strings(void);
Suite *suite_strings(void) {
  Suite *s = suite_create("base/strings");
  TCase *t = tcase_create("all");
  tcase_add_test(t, pool_blocks);
  tcase_add_test(t, text_grows);
  tcase_add_test(t, text_numbers);
  tcase_add_test(t, text_ints);
  tcase_add_test(t, names_table);
  tcase_add_test(t, hash_spreads);
  tcase_add_test(t, nearest);
  tcase_add_test(t, glob);
  tcase_add_test(t, words);
  suite_add_tcase(s, t);
  return s;
}
