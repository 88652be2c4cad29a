/* SPDX-License-Identifier: Apache-2.0
 *
 * Libraries made at run time: a text becomes one that is loaded, and is kept for the next time. Compilers that are not there, fail, hang
 * or write rubbish, and folders that are damaged, full or open to others are named, and nothing of them is loaded or left behind.
 */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "native/native.h"
#include "runner.h"

Suite *suite_native(void);

static hk_ctx *ctx;
static char home[64], cache[96], script[96];
static int32_t asked; /* how often the text was wanted */

static void set_up(void) {
  ctx = hk_ctx_create();
  asked = 0;
  strcpy(home, "/tmp/hooke-native-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(home));
  snprintf(cache, sizeof cache, "%s/cache/hooke", home);
  snprintf(script, sizeof script, "%s/cc", home);
  setenv("HOOKE_CACHE", cache, 1);
  unsetenv("HOOKE_CC");
  unsetenv("HOOKE_CACHE_MB");
}

static void tear_down(void) {
  char command[200];
  hk_ctx_destroy(ctx);
  snprintf(command, sizeof command, "chmod -R u+w %s; rm -rf %s", home, home);
  ck_assert_int_eq(system(command), 0);
  unsetenv("HOOKE_CC");
}

static hk_status answer_text(void *user, hk_text *out) {
  asked++;
  hki_text_printf(out, "#include <math.h>\nint answer(void) { return %d; }\n", *(int *)user);
  hki_text_add(out, "double root(double x) { return sqrt(x); }\n");
  return HK_OK;
}

/* a library whose function returns x, by its flags; limit in seconds */
static hk_status open_answer(int x, const char *flag, double limit, hk_native *out) {
  const char *const flags[] = {"-O1", flag, NULL};
  const hk_piece key = {&x, sizeof x};
  const hk_native_job job = {.ctx = ctx,
                             .key = &key,
                             .nkey = 1,
                             .text = answer_text,
                             .user = &x,
                             .flags = flags,
                             .limit = limit};
  const hk_status st = hki_native_open(&job, out);
  // a reason where there is no library, and never an error in the context
  ck_assert_int_eq(out->handle != NULL, st == HK_OK);
  ck_assert_int_eq(out->why[0] == '\0', st == HK_OK);
  ck_assert_int_eq(hki_error_count(ctx), 0);
  return st;
}

static int32_t answer_of(hk_native *n) {
  int (*f)(void);
  void *at = hki_native_symbol(n, "answer");
  ck_assert_ptr_nonnull(at);
  memcpy(&f, &at, sizeof f);
  const int32_t x = f();
  hki_native_close(n);
  return x;
}

static void expect_answer(int x, bool kept) {
  hk_native n;
  const hk_status st = open_answer(x, NULL, 0.0, &n);
  ck_assert_msg(st == HK_OK, "%s", n.why);
  ck_assert_int_eq(n.kept, kept);
  ck_assert_int_eq(answer_of(&n), x);
}

/* files of the folder whose name has this part; one of them: its path */
static int count_files(const char *part, char *one, size_t cap) {
  DIR *d = opendir(cache);
  int n = 0;
  for (struct dirent *e; d && (e = readdir(d));) {
    if (!strstr(e->d_name, part)) continue;
    if (one) snprintf(one, cap, "%s/%.60s", cache, e->d_name);
    n++;
  }
  if (d) closedir(d);
  return n;
}

static void be_compiler(const char *lines) {
  FILE *f = fopen(script, "w");
  ck_assert_ptr_nonnull(f);
  fprintf(f, "#!/bin/sh\n[ \"$1\" = --version ] && { echo 'a compiler 1.0'; exit 0; }\n%s\n",
          lines);
  fclose(f);
  chmod(script, 0700);
  setenv("HOOKE_CC", script, 1);
}

static void expect_refusal(const char *words, double limit) {
  hk_native n;
  ck_assert_int_eq(open_answer(1, NULL, limit, &n), HK_E_FILE);
  ck_assert_msg(strstr(n.why, words), "'%s' is not in: %s", words, n.why);
  ck_assert_int_eq(count_files(".make-", NULL, 0), 0);
}

/* a text that cannot be written, with so long a reason */
static hk_status no_text(void *user, hk_text *out) {
  asked++;
  (void)out;
  return hki_error(ctx, HK_E_MODEL, HK_LOC_NONE, NULL, "it is too %*s", *(int *)user, "wide");
}

static void expect_none(int width, const char *flag, int32_t times) {
  const char *const flags[] = {flag, NULL};
  const hk_piece key = {&width, sizeof width};
  const hk_native_job job = {
      .ctx = ctx, .key = &key, .nkey = 1, .text = no_text, .user = &width, .flags = flags};
  hk_native n;
  ck_assert_int_eq(hki_native_open(&job, &n), HK_E_MODEL);
  ck_assert_msg(strncmp(n.why, "it is too ", 10) == 0, "%s", n.why);
  ck_assert_ptr_null(n.handle);
  ck_assert_int_eq(asked, times);
  ck_assert_int_eq(count_files(".make-", NULL, 0), 0);
}

/* --- as it should be -------------------------------------------------------------------------- */

START_TEST(libraries_are_made_once) {
  hk_native n;
  struct stat info;
  ck_assert_int_eq(open_answer(42, NULL, 0.0, &n), HK_OK);
  ck_assert(!n.kept && n.seconds > 0.0 && n.compiler[0]);
  ck_assert_ptr_null(hki_native_symbol(&n, "nothing"));
  ck_assert_int_eq(answer_of(&n), 42);
  expect_answer(42, true);
  ck_assert_int_eq(asked, 1);
  expect_answer(43, false);
  // other flags make another one
  ck_assert_int_eq(open_answer(42, "-DOTHER", 0.0, &n), HK_OK);
  ck_assert(!n.kept);
  hki_native_close(&n);
  ck_assert_int_eq(count_files(".so", NULL, 0), 3);
  ck_assert_int_eq(count_files(".make-", NULL, 0), 0);
  ck_assert_int_eq(stat(cache, &info), 0);
  ck_assert_int_eq(info.st_mode & 0777, 0700);
}
END_TEST

/* A reason is kept as a library is: whole or not at all, for the same key, and in a bounded folder. */
START_TEST(what_cannot_be_written_is_not_tried_again) {
  char file[200];
  expect_none(4, NULL, 1);
  expect_none(4, NULL, 1);
  expect_none(5, NULL, 2);
  expect_none(4, "-DOTHER", 3);
  ck_assert_int_eq(count_files(".no", NULL, 0), 3);
  // one byte that is another: it is tried again
  setenv("HOOKE_CACHE_MB", "0", 1);
  expect_none(6, NULL, 4);
  ck_assert_int_eq(count_files(".no", file, sizeof file), 1);
  FILE *f = fopen(file, "r+b");
  ck_assert_ptr_nonnull(f);
  fputc('I', f);
  fclose(f);
  expect_none(6, NULL, 5);
  expect_none(6, NULL, 5);
  // 64 kB each
  setenv("HOOKE_CACHE_MB", "1", 1);
  for (int i = 0; i < 20; i++) expect_none(100 + i, NULL, 6 + i);
  ck_assert_int_eq(count_files(".no", NULL, 0), 16);
}
END_TEST

/* nine million bytes of comment */
static hk_status long_text(void *user, hk_text *out) {
  (void)user;
  asked++;
  for (int i = 0; i < 90000; i++) hki_text_printf(out, "// %95d\n", i);
  return HK_OK;
}

START_TEST(long_texts_are_not_compiled) {
  int key = 7;
  const hk_piece piece = {&key, sizeof key};
  const hk_native_job job = {.ctx = ctx, .key = &piece, .nkey = 1, .text = long_text};
  hk_native n;
  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(hki_native_open(&job, &n), HK_E_MODEL);
    ck_assert_msg(strstr(n.why, "too long for a compiler"), "%s", n.why);
    ck_assert_ptr_null(n.handle);
  }
  ck_assert_int_eq(asked, 1); // the reason is kept
}
END_TEST

START_TEST(other_compilers_make_others) {
  expect_answer(5, false);
  be_compiler("exec cc \"$@\"");
  expect_answer(5, false);
  expect_answer(5, true);
  // words of a command reach it
  char command[200];
  hk_native n;
  be_compiler("[ \"$1\" = one ] && [ \"$2\" = two ] || exit 7\nshift 2\nexec cc \"$@\"");
  snprintf(command, sizeof command, "%s  one two", script);
  setenv("HOOKE_CC", command, 1);
  ck_assert_int_eq(open_answer(5, NULL, 0.0, &n), HK_OK);
  ck_assert(!n.kept);
  hki_native_close(&n);
}
END_TEST

START_TEST(old_ones_give_way) {
  expect_answer(1, false);
  expect_answer(2, false);
  setenv("HOOKE_CACHE_MB", "0", 1);
  expect_answer(3, false);
  ck_assert_int_eq(count_files(".so", NULL, 0), 1);
  expect_answer(3, true);
  unsetenv("HOOKE_CACHE_MB");
  expect_answer(1, false);
}
END_TEST

/* --- compilers -------------------------------------------------------------------------------- */

START_TEST(bad_compilers_are_named) {
  setenv("HOOKE_CC", "/nowhere/cc", 1);
  expect_refusal("'/nowhere/cc' that HOOKE_CC names is not there", 0.0);
  be_compiler("echo 'program.c:1:1: note: look' >&2; echo 'x: error: no way' >&2; exit 3");
  expect_refusal("failed with code 3: x: error: no way", 0.0);
  be_compiler("kill -9 $$");
  expect_refusal("ended by signal 9", 0.0);
  be_compiler("exit 0");
  expect_refusal("the compiler has written no library", 0.0);
  // what follows -o
  be_compiler("while [ \"$1\" != -o ]; do shift; done; echo rubbish > $2");
  expect_refusal("cannot be loaded", 0.0);
  ck_assert_int_eq(count_files(".so", NULL, 0), 0);
  // no program at all
  FILE *f = fopen(script, "w");
  fputs("rubbish", f), fclose(f);
  expect_refusal("cannot be run", 0.0);
}
END_TEST

START_TEST(compilers_that_hang_are_ended) {
  char command[400];
  // it and its child ignore requests to end, and say a lot
  be_compiler("trap '' TERM\n(sleep 98.7654 & echo $! > \"$(dirname $0)/child\"; yes)\n");
  const double from = hki_wall_seconds();
  expect_refusal("did not end in time", 0.3);
  ck_assert_double_lt(hki_wall_seconds() - from, 5.0);
  // its child is gone too, or dead and not yet looked at; a busy machine takes a moment to end it
  snprintf(command, sizeof command,
           "p=$(cat %s/child); for i in $(seq 40); do "
           "grep -q 'State:.[RSD]' /proc/$p/status 2>/dev/null || exit 0; sleep 0.05; done; exit 1",
           home);
  ck_assert_int_eq(system(command), 0);
  // one that does not even say its version is not given a second time
  FILE *f = fopen(script, "w");
  ck_assert_ptr_nonnull(f);
  fputs("#!/bin/sh\nsleep 60\n", f), fclose(f);
  const double again = hki_wall_seconds();
  expect_refusal("did not end in time", 0.3);
  ck_assert_double_lt(hki_wall_seconds() - again, 5.0);
}
END_TEST

START_TEST(compilers_that_write_without_end_are_ended) {
  // a file with a hole is large at once
  be_compiler("while [ \"$1\" != -o ]; do shift; done; truncate -s 2G $2; sleep 60");
  expect_refusal("grows without end", 20.0);
}
END_TEST

START_TEST(a_stop_ends_the_compiler) {
  static const volatile int stop = 1;
  hk_native n;
  be_compiler("sleep 60");
  hki_stop_on(ctx, &stop);
  ck_assert_int_eq(open_answer(1, NULL, 0.0, &n), HK_INTERRUPTED);
  ck_assert(!hki_stopped(ctx));
}
END_TEST

/* --- the folder ------------------------------------------------------------------------------- */

static void change_file(const char *path, const char *how) {
  char command[400];
  snprintf(command, sizeof command, how, path);
  ck_assert_int_eq(system(command), 0);
}

START_TEST(damaged_libraries_are_made_anew) {
  static const char *const ways[] = {
      "truncate -s -1 %s",
      "truncate -s 0 %s",
      "echo >> %s",
      "chmod g+w %s",
      "printf x | dd of=%s bs=1 seek=900 conv=notrunc status=none",
      "f=%s; mv $f $f.x; ln -s $f.x $f",
  };
  char path[200], other[200], command[600];
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
    snprintf(command, sizeof command, "rm -rf %s", cache);
    ck_assert_int_eq(system(command), 0);
    expect_answer(9, false);
    ck_assert_int_eq(count_files(".so", path, sizeof path), 1);
    change_file(path, ways[i]);
    expect_answer(9, false);
    expect_answer(9, true);
  }
  // a whole one under another's name
  ck_assert_int_eq(count_files(".so", path, sizeof path), 2);
  snprintf(command, sizeof command, "rm -rf %s", cache);
  ck_assert_int_eq(system(command), 0);
  expect_answer(9, false);
  count_files(".so", path, sizeof path);
  snprintf(other, sizeof other, "%s/kept", home);
  ck_assert_int_eq(rename(path, other), 0);
  expect_answer(10, false);
  count_files(".so", path, sizeof path);
  ck_assert_int_eq(rename(other, path), 0);
  expect_answer(10, false);
}
END_TEST

START_TEST(folders_that_are_not_ours_are_refused) {
  expect_answer(1, false);
  chmod(cache, 0770);
  expect_refusal("others could write it", 0.0);
  chmod(cache, 0707);
  expect_refusal("others could write it", 0.0);
  chmod(cache, 0700);
  expect_answer(1, true);
  char above[100];
  snprintf(above, sizeof above, "%s/cache", home);
  chmod(above, 0777);
  expect_refusal("others could write it from the folder above", 0.0);
  setenv("HOOKE_CACHE", "/proc/hooke", 1);
  expect_refusal("'/proc/hooke' for compiled models cannot be made", 0.0);
  setenv("HOOKE_CACHE", "/dev/null", 1);
  expect_refusal("it is no folder", 0.0);
}
END_TEST

START_TEST(full_disks_are_named) {
  struct rlimit before, little;
  ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
  little = before, little.rlim_cur = 16;
  signal(SIGXFSZ, SIG_IGN);
  ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &little), 0);
  hk_native n;
  const hk_status st = open_answer(1, NULL, 0.0, &n);
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, SIG_DFL);
  ck_assert_int_eq(st, HK_E_FILE);
  ck_assert_msg(strstr(n.why, "program.c' cannot be written"), "%s", n.why);
  ck_assert_int_eq(count_files(".make-", NULL, 0), 0);
}
END_TEST

Suite *suite_native(void) {
  Suite *s = suite_create("native");
  TCase *t = tcase_create("native");
  tcase_add_checked_fixture(t, set_up, tear_down);
  tcase_add_test(t, libraries_are_made_once);
  tcase_add_test(t, what_cannot_be_written_is_not_tried_again);
  tcase_add_test(t, long_texts_are_not_compiled);
  tcase_add_test(t, other_compilers_make_others);
  tcase_add_test(t, old_ones_give_way);
  tcase_add_test(t, bad_compilers_are_named);
  tcase_add_test(t, compilers_that_hang_are_ended);
  tcase_add_test(t, compilers_that_write_without_end_are_ended);
  tcase_add_test(t, a_stop_ends_the_compiler);
  tcase_add_test(t, damaged_libraries_are_made_anew);
  tcase_add_test(t, folders_that_are_not_ours_are_refused);
  tcase_add_test(t, full_disks_are_named);
  suite_add_tcase(s, t);
  return s;
}
