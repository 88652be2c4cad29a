/* SPDX-License-Identifier: Apache-2.0
 *
 * archive.c: zip archives that are written read back, and those that mean harm are refused by name.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fmi/archive.h"

Suite *suite_archive(void);

static hk_ctx *ctx;

static void begin(void) { ctx = hk_ctx_create(); }
static void end(void) { hk_ctx_destroy(ctx); }

/* an archive with these entries; the second of a pair is its contents */
static hk_archive_writer archive_of(int n, const char *const pairs[][2]) {
  hk_archive_writer w;
  hki_archive_begin(&w, ctx);
  for (int i = 0; i < n; i++) hki_archive_add(&w, pairs[i][0], pairs[i][1], strlen(pairs[i][1]));
  ck_assert_int_eq(hki_archive_finish(&w), HK_OK);
  return w;
}

static const char *const good[][2] = {
    {"a.txt", "one"},
    {"b/c/long.txt", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
    {"empty", ""}};

START_TEST(round_trip) {
  hk_archive_writer w = archive_of(3, good), again = archive_of(3, good);
  hk_archive a;
  char folder[] = "/tmp/hooke-archive-XXXXXX", path[100], *text = NULL;
  ck_assert_uint_eq(w.out.len, again.out.len);
  ck_assert_mem_eq(w.out.s, again.out.s, w.out.len);
  ck_assert_int_eq(hki_archive_open(ctx, "x.zip", w.out.s, w.out.len, &a), HK_OK);
  ck_assert_int_eq(a.n, 3);
  for (int i = 0; i < 3; i++) {
    const hk_archive_entry *e = hki_archive_find(&a, good[i][0]);
    ck_assert_int_eq(hki_archive_read(&a, e, &text), HK_OK);
    ck_assert_str_eq(text, good[i][1]);
    hki_free(ctx, text);
  }
  ck_assert_ptr_null(hki_archive_find(&a, "other"));
  ck_assert_ptr_nonnull(mkdtemp(folder));
  ck_assert_int_eq(hki_archive_unpack(&a, folder), HK_OK);
  snprintf(path, sizeof path, "%s/b/c/long.txt", folder);
  ck_assert_int_eq(access(path, R_OK), 0);
  ck_assert_int_eq(hki_archive_unpack(&a, folder), HK_E_FILE); // nothing is written over
  hki_archive_close(&a);
  hki_archive_end(&w);
  hki_archive_end(&again);
}
END_TEST

/* the archive is refused with these words */
static void refused(const void *bytes, size_t len, const char *words) {
  hk_archive a;
  hk_ctx_clear(ctx);
  hk_status st = hki_archive_open(ctx, "x.zip", bytes, len, &a);
  char *text = NULL;
  for (int32_t i = 0; st == HK_OK && i < a.n; i++) {
    st = hki_archive_read(&a, &a.entries[i], &text);
    hki_free(ctx, text);
  }
  ck_assert_msg(st == HK_E_FILE, "%s: %d", words, (int)st);
  const char *said = hk_ctx_message(ctx, 0)->text;
  ck_assert_msg(strstr(said, words), "'%s' in '%s'", words, said);
  hki_archive_close(&a);
}

START_TEST(names_that_lead_out) {
  static const struct {
    const char *name, *words;
  } list[] = {{"../x", "leads out"}, {"a/../../x", "leads out"}, {"/etc/x", "absolute"},
              {"C:/x", "absolute"},  {"a\\b", "backslash"},      {"a//b", "leads out"},
              {"./a", "leads out"},  {"a/..", "leads out"},      {"a\nb", "control"}};
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    const char *const pair[][2] = {{list[i].name, "text"}};
    hk_archive_writer w = archive_of(1, pair);
    refused(w.out.s, w.out.len, list[i].words);
    hki_archive_end(&w);
  }
  const char *const doubles[][2] = {{"a", "1"}, {"a", "2"}};
  hk_archive_writer w = archive_of(2, doubles);
  refused(w.out.s, w.out.len, "two entries");
  hki_archive_end(&w);
  const char *const file_folder[][2] = {{"a", "1"}, {"a/b", "2"}};
  w = archive_of(2, file_folder);
  refused(w.out.s, w.out.len, "a file stands for a folder");
  hki_archive_end(&w);
}
END_TEST

START_TEST(damage) {
  hk_archive_writer w = archive_of(3, good);
  unsigned char *b = malloc(w.out.len);
  const size_t n = w.out.len, at = n - 22;
  refused("no archive", 10, "no zip");
  refused(w.out.s, n - 5, "no zip");
#define CHANGED(place, value, words) memcpy(b, w.out.s, n), b[place] = (value), refused(b, n, words)
  const size_t dir = (unsigned char)w.out.s[at + 16] | (size_t)(unsigned char)w.out.s[at + 17] << 8;
  CHANGED(at + 10, 9, "directory is damaged");
  CHANGED(at + 19, 9, "directory is damaged");
  CHANGED(dir, 'x', "directory is damaged");
  CHANGED(dir + 8, 1, "encrypted");
  CHANGED(dir + 10, 12, "unknown compression");
  CHANGED(dir + 24, 200, "sizes that do not agree");
  CHANGED(dir + 16, (unsigned char)(w.out.s[dir + 16] + 1), "sum");
  CHANGED(dir + 41, 0xA1, "a link");
  CHANGED(dir + 45, 9, "no bytes");
#undef CHANGED
  free(b);
  hki_archive_end(&w);
}
END_TEST

/* any byte may be anything */
START_TEST(noise) {
  hk_archive_writer w = archive_of(3, good);
  unsigned char *b = malloc(w.out.len);
  unsigned seed = 1;
  for (int k = 0; k < 3000; k++) {
    memcpy(b, w.out.s, w.out.len);
    for (int i = 0; i < 1 + k % 3; i++) {
      seed = seed * 1103515245u + 12345u;
      b[(seed >> 8) % w.out.len] = (unsigned char)(seed >> 3);
    }
    hk_archive a;
    hk_ctx_clear(ctx);
    if (hki_archive_open(ctx, "x.zip", b, w.out.len, &a) != HK_OK) continue;
    for (int32_t i = 0; i < a.n; i++) {
      char *text = NULL;
      (void)hki_archive_read(&a, &a.entries[i], &text);
      hki_free(ctx, text);
    }
    hki_archive_close(&a);
  }
  free(b);
  hki_archive_end(&w);
}
END_TEST

Suite *suite_archive(void) {
  Suite *s = suite_create("archive");
  TCase *t = tcase_create("archive");
  tcase_add_checked_fixture(t, begin, end);
  tcase_add_test(t, round_trip);
  tcase_add_test(t, names_that_lead_out);
  tcase_add_test(t, damage);
  tcase_add_test(t, noise);
  suite_add_tcase(s, t);
  return s;
}
