/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of the context: status list, messages, file table, counted memory.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

START_TEST(status_list) {
  ck_assert_str_eq(hk_status_name(HK_OK), "HK_OK");
  ck_assert_str_eq(hk_status_name(HK_E_SINGULAR), "HK_E_SINGULAR");
  ck_assert_str_eq(hk_status_text(HK_E_MEMORY), "out of memory");
  ck_assert_int_gt((int)strlen(hk_status_hint(HK_E_FILE)), 0);
  ck_assert_str_eq(hk_status_text(12345), "unknown status");
  // every text is a sentence without a full stop
#define X(name, value, text, hint)                                                                 \
  ck_assert_int_gt((int)sizeof(text), 1);                                                          \
  ck_assert_int_ne(text[sizeof(text) - 2], '.');
#include "hooke/status.def"
#undef X
}
END_TEST

START_TEST(messages_in_order) {
  hk_ctx *ctx = hk_ctx_create();
  int32_t f = hki_ctx_file(ctx, "a.yaml");
  hki_note(ctx, HK_LOC_NONE, "n%d", 1);
  hki_warn(ctx, (hk_loc){f, 2, 3}, "look", "w %s", "x");
  ck_assert_int_eq(hki_ctx_status(ctx), HK_OK);
  ck_assert_int_eq(hki_error(ctx, HK_E_MODEL, (hk_loc){f, 7, 8}, "", "bad"), HK_E_MODEL);
  hki_error(ctx, HK_E_FILE, HK_LOC_NONE, NULL, "worse");
  ck_assert_int_eq(hk_ctx_message_count(ctx), 4);
  ck_assert_int_eq(hki_error_count(ctx), 2);
  ck_assert_int_eq(hki_ctx_status(ctx), HK_E_MODEL);
  const hk_message *m = hk_ctx_message(ctx, 1);
  ck_assert_int_eq(m->severity, HK_WARNING);
  ck_assert_str_eq(m->file, "a.yaml");
  ck_assert_str_eq(m->hint, "look");
  ck_assert_str_eq(m->text, "w x");
  m = hk_ctx_message(ctx, 2);
  ck_assert_int_eq(m->line, 7);
  ck_assert_int_eq(m->column, 8);
  ck_assert_ptr_null(m->hint);
  ck_assert_ptr_null(hk_ctx_message(ctx, 3)->file);
  ck_assert_ptr_null(hk_ctx_message(ctx, 4));
  ck_assert_ptr_null(hk_ctx_message(ctx, -1));
  hk_ctx_clear(ctx);
  ck_assert_int_eq(hk_ctx_message_count(ctx), 0);
  ck_assert_int_eq(hki_error_count(ctx), 0);
  ck_assert_str_eq(hki_ctx_file_name(ctx, f), "a.yaml");
  hk_ctx_destroy(ctx);
  hk_ctx_destroy(NULL);
}
END_TEST

START_TEST(messages_are_capped) {
  hk_ctx *ctx = hk_ctx_create();
  hki_error(ctx, HK_E_MODEL, HK_LOC_NONE, NULL, "first");
  const hk_message *first = hk_ctx_message(ctx, 0);
  for (int i = 0; i < 1000; i++) hki_error(ctx, HK_E_MODEL, HK_LOC_NONE, NULL, "e%d", i);
  ck_assert_int_eq(hki_error_count(ctx), 1001);
  ck_assert_int_eq(hk_ctx_message_count(ctx), 201);
  ck_assert_int_eq(hk_ctx_message(ctx, 200)->severity, HK_NOTE);
  // a pointer given out stays good
  ck_assert_ptr_eq(first, hk_ctx_message(ctx, 0));
  ck_assert_str_eq(first->text, "first");
  hk_ctx_destroy(ctx);
}
END_TEST

START_TEST(messages_are_clean) {
  hk_ctx *ctx = hk_ctx_create();
  hki_error(ctx, HK_E_MODEL, HK_LOC_NONE, "h\x1b[2J", "a\nb\x1b[31m\x7f");
  ck_assert_str_eq(hk_ctx_message(ctx, 0)->text, "a?b?[31m?");
  ck_assert_str_eq(hk_ctx_message(ctx, 0)->hint, "h?[2J");
  // a very long text is cut between characters
  char *big = malloc(100001);
  for (int i = 0; i < 100000; i += 2) big[i] = '\xc3', big[i + 1] = '\xa9';
  big[100000] = '\0';
  hki_error(ctx, HK_E_MODEL, HK_LOC_NONE, big, "x%s", big);
  const char *t = hk_ctx_message(ctx, 1)->text;
  size_t n = strlen(t);
  ck_assert_int_lt((int)n, 2100);
  ck_assert_str_eq(t + n - 3, "...");
  ck_assert_int_eq((unsigned char)t[n - 4], 0xa9);
  ck_assert_int_lt((int)strlen(hk_ctx_message(ctx, 1)->hint), 2100);
  free(big);
  hk_ctx_destroy(ctx);
}
END_TEST

static void count_message(const hk_message *m, void *user) {
  int *n = user;
  n[m->severity]++;
}

START_TEST(message_callback) {
  int n[3] = {0};
  hk_ctx *ctx = hk_ctx_create();
  hk_ctx_on_message(ctx, count_message, n);
  hki_note(ctx, HK_LOC_NONE, "a");
  hki_error(ctx, HK_E_MODEL, HK_LOC_NONE, NULL, "b");
  hki_error(ctx, HK_E_MODEL, HK_LOC_NONE, NULL, "c");
  ck_assert_int_eq(n[HK_NOTE], 1);
  ck_assert_int_eq(n[HK_WARNING], 0);
  ck_assert_int_eq(n[HK_ERROR], 2);
  hk_ctx_destroy(ctx);
}
END_TEST

START_TEST(file_table) {
  hk_ctx *ctx = hk_ctx_create();
  const int32_t x = hki_ctx_file(ctx, "x");
  ck_assert_int_ge(x, 0);
  for (int i = 0; i < 50; i++) {
    char name[8] = {(char)('0' + i), 0};
    ck_assert_int_eq(hki_ctx_file(ctx, name), x + i + 1);
  }
  ck_assert_int_eq(hki_ctx_file(ctx, "x"), x);
  ck_assert_int_eq(hki_ctx_file_count(ctx), 51);
  ck_assert_ptr_null(hki_ctx_file_name(ctx, x + 51));
  // another context has numbers of its own, and may learn those of this one
  hk_ctx *other = hk_ctx_create();
  const int32_t own = hki_ctx_file(other, "y");
  ck_assert_int_ge(own, x + 51);
  ck_assert_ptr_null(hki_ctx_file_name(other, x));
  ck_assert(hki_ctx_know_file(other, x, "x") && hki_ctx_know_file(other, x, "x"));
  ck_assert_str_eq(hki_ctx_file_name(other, x), "x");
  ck_assert_int_eq(hki_ctx_file_count(other), 2);
  ck_assert_int_eq(hki_ctx_file_at(other, 0), own);
  hk_ctx_destroy(other);
  ck_assert_ptr_null(hki_ctx_file_name(ctx, -1));
  hk_ctx_destroy(ctx);
}
END_TEST

START_TEST(memory_counts_and_fails) {
  hk_ctx *ctx = hk_ctx_create();
  uint64_t before = hki_alloc_count(ctx);
  unsigned char *p = hki_alloc(ctx, 100);
  for (int i = 0; i < 100; i++) ck_assert_int_eq(p[i], 0);
  ck_assert_int_eq((int)((uintptr_t)p % 64), 0);
  ck_assert_int_eq((int)(hk_ctx_allocations(ctx) - before), 1);
  // a size beyond all measure is an error, not a crash
  ck_assert_ptr_null(hki_alloc(ctx, SIZE_MAX));
  ck_assert_ptr_null(hki_realloc(ctx, NULL, SIZE_MAX));
  ck_assert_int_eq(hki_ctx_status(ctx), HK_E_MEMORY);
  ck_assert_int_eq(hk_ctx_message_count(ctx), 1);
  ck_assert_int_eq(hk_ctx_message(ctx, 0)->code, HK_E_MEMORY);
  // the second request from now fails, and so do the later ones, until this is ended
  hki_alloc_fail_at(ctx, 2);
  char *s = hki_strdup(ctx, "abc");
  ck_assert_str_eq(s, "abc");
  ck_assert_ptr_null(hki_strdup(ctx, "abc"));
  ck_assert_ptr_null(hki_strdup(ctx, "abc"));
  hki_alloc_fail_at(ctx, 0);
  char *u = hki_strndup(ctx, "abcdef", 2);
  ck_assert_str_eq(u, "ab");
  hki_free(ctx, u), hki_free(ctx, s), hki_free(ctx, p);
  hk_ctx_destroy(ctx);
}
END_TEST

START_TEST(grow) {
  hk_ctx *ctx = hk_ctx_create();
  int32_t *a = NULL, cap = 0;
  for (int32_t i = 0; i < 1000; i++) {
    ck_assert(HK_GROW(ctx, a, cap, i + 1));
    a[i] = i;
  }
  for (int32_t i = 0; i < 1000; i++) ck_assert_int_eq(a[i], i);
  ck_assert_int_lt((int)hki_alloc_count(ctx), 20);
  ck_assert(!hki_grow(ctx, (void **)&a, &cap, INT32_MAX, SIZE_MAX / 4));
  ck_assert_int_eq(a[999], 999);
  hki_free(ctx, a);
  hk_ctx_destroy(ctx);
}
END_TEST

START_TEST(arena_two_passes) {
  double *x = NULL;
  char *y = NULL;
  hk_arena a = {0};
  unsigned char *block = NULL;
  hk_ctx *ctx = hk_ctx_create();
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1) {
      block = hki_alloc(ctx, a.used);
      a = (hk_arena){block, 0, a.used};
    }
    x = HK_TAKE(&a, double, 5);
    y = HK_TAKE(&a, char, 3);
    ck_assert_int_eq(x != NULL, pass);
  }
  ck_assert_int_eq((int)((uintptr_t)x % 64), 0);
  ck_assert_int_eq((int)((uintptr_t)y % 64), 0);
  ck_assert((uintptr_t)y >= (uintptr_t)(x + 5));
  // a full arena gives nothing, and an absurd size does not wrap
  ck_assert_ptr_null(HK_TAKE(&a, double, 1));
  hk_arena b = {0};
  ck_assert_ptr_null(HK_TAKE(&b, double, SIZE_MAX / 2));
  ck_assert_ptr_null(HK_TAKE(&b, double, 1));
  ck_assert(b.used > (size_t)1 << 40);
  hki_free(ctx, block);
  hk_ctx_destroy(ctx);
}
END_TEST

Suite *suite_context(void);
Suite *suite_context(void) {
  Suite *s = suite_create("base/context");
  TCase *t = tcase_create("all");
  tcase_add_test(t, status_list);
  tcase_add_test(t, messages_in_order);
  tcase_add_test(t, messages_are_capped);
  tcase_add_test(t, messages_are_clean);
  tcase_add_test(t, message_callback);
  tcase_add_test(t, file_table);
  tcase_add_test(t, memory_counts_and_fails);
  tcase_add_test(t, grow);
  tcase_add_test(t, arena_two_passes);
  suite_add_tcase(s, t);
  return s;
}
