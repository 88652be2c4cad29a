/* SPDX-License-Identifier: Apache-2.0
 *
 * results.c: result files hold what was given, take their place whole, and say what cannot be done.
 */
#include "results/support_results.h"

/* those that every build has come first */
static const char *const formats[] = {"a.csv", "a.mcap", "a.nc"};

/* --- CSV -------------------------------------------------------------------------------------- */

START_TEST(test_csv_rows) {
  const char *path = in_dir("a.csv");
  int rows = 3000; // more than the buffer holds
  hk_results *sink = write_rows(path, rows);
  ck_assert_int_ne(access(path, F_OK), 0);
  ck_assert_int_eq(sink->close(sink, "{}"), HK_OK);
  char *text = read_text(path), *at = text;
  const char *head = "t,body.rod.position.x,\"joint.a,b.angle\",solver.iterations\n";
  ck_assert_int_eq(strncmp(text, head, strlen(head)), 0);
  at += strlen(head);
  for (int i = 0; i < rows; i++) {
    ck_assert_double_eq(strtod(at, &at), 0.01 * i);
    for (int j = 0; j < 3; j++) {
      ck_assert_int_eq(*at++, ',');
      ck_assert_double_eq(strtod(at, &at), cell(i, j));
    }
    ck_assert_int_eq(*at++, '\n');
  }
  ck_assert_int_eq(*at, '\0');
  hki_free(ctx, text);
  ck_assert_int_eq(count_files(false), 1);
}
END_TEST

START_TEST(test_csv_no_allocation) {
  const char *path = in_dir("a.csv");
  hk_results *sink = write_rows(path, 1);
  uint64_t before = hk_ctx_allocations(ctx);
  double v[3] = {0.1, 0.2, 0.3};
  for (int i = 0; i < 10000; i++) sink->row(sink, i, v);
  ck_assert_uint_eq(hk_ctx_allocations(ctx), before);
  sink->close(sink, NULL);
}
END_TEST

/* --- MCAP: what is in it is looked at by tests/cli/mcap_files.py --------------------------------- */

START_TEST(test_mcap_no_allocation) {
  hk_results *sink = write_rows(in_dir("a.mcap"), 1);
  uint64_t before = hk_ctx_allocations(ctx);
  double v[3] = {0.1, 0.2, 0.3};
  for (int i = 0; i < 7000; i++) sink->row(sink, i, v); // almost a chunk
  ck_assert_uint_eq(hk_ctx_allocations(ctx), before);
  sink->close(sink, NULL);
}
END_TEST

/* is this text in the file, with its length before it? */
static bool holds(const char *data, size_t n, const char *text) {
  const size_t len = strlen(text);
  for (size_t i = 4; i + len < n; i++)
    if (data[i - 4] == (char)len && data[i - 3] == 0 && memcmp(data + i, text, len) == 0)
      return true;
  return false;
}

START_TEST(test_mcap_topics) {
  const hk_results_channel odd[] = {{"a.b", "m", ""},      {"a.b_", "", NULL}, {"a.b-", "", ""},
                                    {"a.b,", "", ""},      {".", "", ""},      {"7.8x", "", ""},
                                    {"\xc3\xa4.", "", ""}, {"tf", "", ""}};
  static const char *const topics[] = {"/a/b", "/a/b_",   "/a/b__", "/a/b___",
                                       "/_",   "/_7/_8x", "/___",   "/tf_"};
  hk_results_meta as = meta;
  hk_results *sink = NULL;
  char *data;
  size_t n;
  as.nchannels = HK_ARRAY_LEN(odd), as.channels = odd, as.nbodies = 1;
  ck_assert_int_eq(hki_results_open(ctx, in_dir("a.mcap"), &as, &sink), HK_OK);
  ck_assert_int_eq(sink->close(sink, "{}"), HK_OK);
  ck_assert_int_eq(hki_read_file(ctx, in_dir("a.mcap"), HK_LOC_NONE, 1 << 20, &data, &n), HK_OK);
  for (int i = 0; i < HK_ARRAY_LEN(topics); i++)
    ck_assert_msg(holds(data, n, topics[i]), "%s", topics[i]);
  hki_free(ctx, data);
  as.axis = "P";
  ck_assert_int_eq(hki_results_open(ctx, in_dir("b.mcap"), &as, &sink), HK_E_USAGE);
  as.axis = NULL, as.nchannels = 65535;
  ck_assert_int_eq(hki_results_open(ctx, in_dir("b.mcap"), &as, &sink), HK_E_USAGE);
}
END_TEST

/* --- taking the place ------------------------------------------------------------------------- */

START_TEST(test_old_file_stays_until_close) {
  const char *path = in_dir(formats[_i]);
  write_text(path, "the old one");
  chmod(path, 0640);
  hk_results *sink = write_rows(path, 5);
  char *text = read_text(path);
  ck_assert_str_eq(text, "the old one");
  hki_free(ctx, text);
  ck_assert_int_eq(sink->close(sink, "{\"status\": \"failed\"}"), HK_OK);
  text = read_text(path);
  ck_assert_str_ne(text, "the old one");
  hki_free(ctx, text);
  struct stat st;
  ck_assert_int_eq(stat(path, &st), 0);
  ck_assert_int_eq((int)(st.st_mode & 0777), 0640);
  ck_assert_int_eq(count_files(false), 1);
}
END_TEST

START_TEST(test_abandon) {
  hki_results_abandon(write_rows(in_dir(formats[_i]), 5));
  ck_assert_int_eq(count_files(false), 0);
}
END_TEST

START_TEST(test_link_is_followed) {
  const char *path = in_dir("a.csv"), *link = in_dir("b.csv");
  struct stat st;
  write_text(path, "old");
  ck_assert_int_eq(symlink(path, link), 0);
  hk_results *sink = write_rows(link, 1);
  ck_assert_int_eq(sink->close(sink, NULL), HK_OK);
  ck_assert_int_eq(lstat(link, &st), 0);
  ck_assert(S_ISLNK(st.st_mode));
  char *text = read_text(path);
  ck_assert_int_eq(strncmp(text, "t,", 2), 0);
  hki_free(ctx, text);
}
END_TEST

START_TEST(test_upper_case_extension) {
  hk_results *sink = write_rows(in_dir("A.CSV"), 1);
  ck_assert_int_eq(sink->close(sink, NULL), HK_OK);
}
END_TEST

/* --- what cannot be done ---------------------------------------------------------------------- */

static void check_refused(const char *path, hk_status code, const char *words) {
  hk_results *sink = (hk_results *)dir;
  ck_assert_int_eq(hki_results_open(ctx, path, &meta, &sink), code);
  ck_assert_ptr_null(sink);
  const hk_message *m = hk_ctx_message(ctx, hk_ctx_message_count(ctx) - 1);
  ck_assert_ptr_nonnull(m);
  ck_assert_msg(strstr(m->text, words) != NULL, "'%s' lacks '%s'", m->text, words);
}

START_TEST(test_refused) {
  check_refused(in_dir("a.txt"), HK_E_USAGE, ".csv, .nc and .mcap");
  check_refused(in_dir("noextension"), HK_E_USAGE, "no extension");
  check_refused(in_dir(".csv"), HK_E_USAGE, "no extension");
  check_refused("", HK_E_USAGE, "empty");
  check_refused(in_dir("missing/a.csv"), HK_E_FILE, "No such file");
  check_refused(in_dir("missing/a.nc"), HK_E_FILE, "No such file");
  check_refused("/dev/null/a.csv", HK_E_FILE, "Not a directory");
  const char *folder = in_dir("folder.nc");
  ck_assert_int_eq(mkdir(folder, 0700), 0);
  check_refused(folder, HK_E_FILE, "is a directory");
  rmdir(folder);
  ck_assert_int_eq(count_files(false), 0);
}
END_TEST

START_TEST(test_directory_goes_away) {
  const char *folder = in_dir("gone"), *path = in_dir("gone/a.csv");
  ck_assert_int_eq(mkdir(folder, 0700), 0);
  hk_results *sink = write_rows(path, 1);
  // somebody removes all of it during the run
  DIR *d = opendir(folder);
  for (struct dirent *e = readdir(d); e; e = readdir(d)) {
    char part[400];
    snprintf(part, sizeof part, "%s/%s", folder, e->d_name);
    if (e->d_name[0] != '.') unlink(part);
  }
  closedir(d);
  rmdir(folder);
  ck_assert_int_eq(sink->close(sink, NULL), HK_E_FILE);
}
END_TEST

START_TEST(test_out_of_memory) {
  for (uint64_t n = 1; n < 60; n++) {
    hk_results *sink = NULL;
    hki_alloc_fail_at(ctx, n);
    hk_status status = hki_results_open(ctx, in_dir(formats[_i]), &meta, &sink);
    hki_alloc_fail_at(ctx, 0);
    if (status == HK_OK) {
      hki_results_abandon(sink);
      break;
    }
    ck_assert_int_eq(status, HK_E_MEMORY);
    ck_assert_int_eq(count_files(false), 0);
  }
  ck_assert_int_eq(count_files(false), 0);
}
END_TEST

Suite *suite_results(void);
Suite *suite_results(void) {
  Suite *s = suite_create("results");
  TCase *c = tcase_create("files");
  tcase_add_checked_fixture(c, setup, teardown);
  tcase_add_test(c, test_csv_rows);
  tcase_add_test(c, test_csv_no_allocation);
  tcase_add_test(c, test_mcap_no_allocation);
  tcase_add_test(c, test_mcap_topics);
  int n = 2;
#ifdef HK_WITH_NETCDF
  n = 3;
#endif
  tcase_add_loop_test(c, test_old_file_stays_until_close, 0, n);
  tcase_add_loop_test(c, test_abandon, 0, n);
  tcase_add_loop_test(c, test_out_of_memory, 0, n);
  tcase_add_test(c, test_link_is_followed);
  tcase_add_test(c, test_upper_case_extension);
  tcase_add_test(c, test_refused);
  tcase_add_test(c, test_directory_goes_away);
  suite_add_tcase(s, c);
  return s;
}
