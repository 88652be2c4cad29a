/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of reading files and of the clocks.
 */
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

static char dir[64];
static hk_ctx *ctx;

static const char *in_dir(const char *name) {
  static char path[200];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  return path;
}

static void write_file(const char *name, const char *data, size_t n) {
  FILE *f = fopen(in_dir(name), "wb");
  ck_assert_ptr_nonnull(f);
  ck_assert_uint_eq(fwrite(data, 1, n, f), n);
  fclose(f);
}

static void setup(void) {
  snprintf(dir, sizeof dir, "/tmp/hooke-test-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(dir));
  ctx = hk_ctx_create();
}

static void teardown(void) {
  static const char *const names[] = {"model.yaml", "pipe", "empty", "zeros"};
  for (size_t i = 0; i < 4; i++) unlink(in_dir(names[i]));
  rmdir(dir);
  hk_ctx_destroy(ctx);
}

/* reading must fail with this piece of text in the message */
static void refused(const char *path, size_t max, const char *piece) {
  char *text;
  size_t len;
  hk_ctx_clear(ctx);
  int32_t file = hki_ctx_file(ctx, "main.yaml");
  ck_assert_int_eq(hki_read_file(ctx, path, (hk_loc){file, 4, 5}, max, &text, &len), HK_E_FILE);
  ck_assert_ptr_null(text);
  ck_assert_int_eq(hk_ctx_message_count(ctx), 1);
  const hk_message *m = hk_ctx_message(ctx, 0);
  ck_assert_str_eq(m->file, "main.yaml");
  ck_assert_int_eq(m->line, 4);
  ck_assert_msg(strstr(m->text, piece) != NULL, "'%s' not in '%s'", piece, m->text);
}

START_TEST(reads_files) {
  char *text;
  size_t len;
  write_file("model.yaml", "hooke: 1\n", 9);
  ck_assert_int_eq(hki_read_file(ctx, in_dir("model.yaml"), HK_LOC_NONE, 9, &text, &len), HK_OK);
  ck_assert_str_eq(text, "hooke: 1\n");
  ck_assert_uint_eq(len, 9);
  hki_free(ctx, text);
  write_file("empty", "", 0);
  ck_assert_int_eq(hki_read_file(ctx, in_dir("empty"), HK_LOC_NONE, 9, &text, &len), HK_OK);
  ck_assert_str_eq(text, "");
  ck_assert_uint_eq(len, 0);
  hki_free(ctx, text);
  write_file("zeros", "a\0b", 3);
  ck_assert_int_eq(hki_read_file(ctx, in_dir("zeros"), HK_LOC_NONE, 9, &text, &len), HK_OK);
  ck_assert_uint_eq(len, 3);
  ck_assert_int_eq(text[2], 'b');
  hki_free(ctx, text);
  // a file that does not say its size
  if (hki_read_file(ctx, "/proc/self/status", HK_LOC_NONE, 1 << 20, &text, &len) == HK_OK) {
    ck_assert_uint_gt(len, 100);
    hki_free(ctx, text);
  }
}
END_TEST

START_TEST(refuses_others) {
  write_file("model.yaml", "hooke: 1\n", 9);
  refused(in_dir("model.yaml"), 8, "limit of 8 bytes");
  refused(dir, 100, "a directory");
  refused("/dev/zero", 100, "a device");
  ck_assert_int_eq(mkfifo(in_dir("pipe"), 0600), 0);
  refused(in_dir("pipe"), 100, "a pipe");
  refused("", 100, "empty");
  refused(NULL, 100, "empty");
  refused(in_dir("no-such-file"), 100, "No such file");
  ck_assert_ptr_null(hk_ctx_message(ctx, 0)->hint);
  refused(in_dir("modell.yaml"), 100, "No such file");
  ck_assert_ptr_nonnull(strstr(hk_ctx_message(ctx, 0)->hint, "/model.yaml'"));
  refused(in_dir("model.yaml/x"), 100, "Not a directory");
}
END_TEST

START_TEST(clocks_run) {
  double c = hki_cpu_seconds(), w = hki_wall_seconds();
  ck_assert_double_ge(c, 0.0);
  while (hki_cpu_seconds() - c < 0.002) continue;
  ck_assert_double_gt(hki_wall_seconds() - w, 0.001);
}
END_TEST

Suite *suite_files(void);
Suite *suite_files(void) {
  Suite *s = suite_create("base/files");
  TCase *t = tcase_create("all");
  tcase_add_checked_fixture(t, setup, teardown);
  tcase_add_test(t, reads_files);
  tcase_add_test(t, refuses_others);
  tcase_add_test(t, clocks_run);
  suite_add_tcase(s, t);
  return s;
}
