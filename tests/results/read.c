/* SPDX-License-Identifier: Apache-2.0
 *
 * read.c: what was written is read back; damaged, foreign and hostile files are refused.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HK_WITH_HDF5
#define H5_USE_110_API
#include <hdf5.h>
#endif

#include "results/results_impl.h"
#include "results/read.h"
#include "runner.h"

/* HDF5 itself loses memory when it refuses a damaged file */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libhdf5"; }

static char dir[64];
static hk_ctx *ctx;

static void setup(void) {
  snprintf(dir, sizeof dir, "/tmp/hooke-read-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(dir));
  ctx = hk_ctx_create();
}

static const char *in_dir(const char *name) {
  static char path[4][160];
  static int at;
  at = (at + 1) % 4;
  snprintf(path[at], sizeof path[at], "%s/%s", dir, name);
  return path[at];
}

static void teardown(void) {
  static const char *const names[] = {"a.nc", "a.csv", "b.nc"};
  for (int i = 0; i < 3; i++) unlink(in_dir(names[i]));
  rmdir(dir);
  hk_ctx_destroy(ctx);
}

static void write_file(const char *name, const void *data, size_t n) {
  FILE *f = fopen(in_dir(name), "wb");
  ck_assert_ptr_nonnull(f);
  fwrite(data, 1, n, f);
  fclose(f);
}

/* the file must be refused with these words; nothing may be left behind */
static void refused(const char *name, const char *words) {
  hk_result *r = NULL;
  hk_ctx_clear(ctx);
  hk_status st = hk_result_open(ctx, in_dir(name), &r);
  ck_assert_int_eq(st, HK_E_FILE);
  ck_assert_ptr_null(r);
  ck_assert_int_gt(hk_ctx_message_count(ctx), 0);
  ck_assert_msg(strstr(hk_ctx_message(ctx, 0)->text, words), "%s", hk_ctx_message(ctx, 0)->text);
}

/* --- a file of our own ------------------------------------------------------------------------ */

enum { ROWS = 700, FRAMES = 300 };

static const hk_results_channel channels[] = {
    {"body.rod.position.x", "m", "origin"}, {"a/b", "", NULL}, {"x.<b>bold</b>", "N", "a force"}};

static double value(int32_t channel, int32_t row) { return channel * 1000.0 + sin(0.1 * row); }

static const char *model_files; /* NULL: as files were before there was a list */

static void make(const char *name, const char *scene) {
  hk_results_meta meta = {.title = "Rod",
                          .model_text = "hooke: 1\n",
                          .model_files = model_files,
                          .command = "hooke run",
                          .step = NAN,
                          .time = NAN,
                          .nchannels = 3,
                          .channels = channels,
                          .nbodies = 2,
                          .nloads = 1};
  const float points[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  const int32_t faces[3] = {0, 1, 2};
  hk_results_scene s = {scene, 3, 1, points, faces};
  hk_results *sink = NULL;
  float frame[17];
  double row[3];
  ck_assert_int_eq(hki_results_open(ctx, in_dir(name), &meta, &sink), HK_OK);
  for (int32_t i = 0; i < ROWS; i++) {
    for (int32_t k = 0; k < 3; k++) row[k] = value(k, i);
    ck_assert_int_eq(sink->row(sink, 0.01 * i, row), HK_OK);
  }
  for (int32_t i = 0; i < FRAMES; i++) {
    for (int32_t k = 0; k < 17; k++) frame[k] = (float)(100 * k + i);
    ck_assert_int_eq(hki_results_frame(sink, 0.02 * i, frame), HK_OK);
  }
  ck_assert_int_eq(hki_results_scene_put(sink, &s), HK_OK);
  ck_assert_int_eq(sink->close(sink, "{\"status\": \"ok\"}"), HK_OK);
}

static void check_rows(hk_result *r) {
  double x[ROWS];
  ck_assert_int_eq(hk_result_rows(r), ROWS);
  ck_assert_int_eq(hk_result_channel_count(r), 3);
  for (int32_t k = 0; k < 3; k++) {
    ck_assert_str_eq(hk_result_channel_name(r, k), channels[k].name);
    ck_assert_int_eq(hk_result_channel_find(r, channels[k].name), k);
    ck_assert_int_eq(hk_result_read(r, k, 200, 400, x), HK_OK);
    for (int32_t i = 0; i < 400; i++) ck_assert_double_eq(x[i], value(k, 200 + i));
  }
  ck_assert_int_eq(hk_result_read(r, -1, ROWS - 1, 1, x), HK_OK);
  ck_assert_double_eq(x[0], 0.01 * (ROWS - 1));
  // what is not there
  ck_assert_int_eq(hk_result_read(r, 0, ROWS, 1, x), HK_E_USAGE);
  ck_assert_int_eq(hk_result_read(r, 0, -1, 1, x), HK_E_USAGE);
  ck_assert_int_eq(hk_result_read(r, 3, 0, 1, x), HK_E_USAGE);
  ck_assert_int_eq(hk_result_read(r, 0, 1, INT64_MAX, x), HK_E_USAGE);
  ck_assert_int_eq(hk_result_channel_find(r, "nothing"), -1);
}

START_TEST(netcdf_is_read_back) {
  hk_result *r = NULL;
  float poses[14 * 2], loads[3 * 2], points[9];
  int32_t faces[3];
  double time[2];
  make("a.nc", "{\"scene\":1}");
  ck_assert_int_eq(hk_result_open(ctx, in_dir("a.nc"), &r), HK_OK);
  check_rows(r);
  ck_assert_str_eq(hk_result_channel_unit(r, 2), "N");
  ck_assert_str_eq(hk_result_channel_text(r, 0), "origin");
  ck_assert_str_eq(hk_result_text(r, "title"), "Rod");
  ck_assert_str_eq(hk_result_text(r, "status"), "ok");
  ck_assert_str_eq(hk_result_text(r, "scene"), "{\"scene\":1}");
  ck_assert_str_eq(hk_result_text(r, "no such key"), "");
  ck_assert_int_eq(hk_result_frames(r), FRAMES);
  ck_assert_int_eq(hk_result_body_count(r), 2);
  ck_assert_int_eq(hk_result_read_frames(r, 250, 2, time, poses, loads), HK_OK);
  ck_assert_double_eq(time[1], 0.02 * 251);
  ck_assert_float_eq(poses[14 + 13], 1300.0f + 251.0f);
  ck_assert_float_eq(loads[3 + 2], 1600.0f + 251.0f);
  ck_assert_int_eq(hk_result_read_frames(r, FRAMES, 1, time, poses, loads), HK_E_USAGE);
  ck_assert_int_eq(hk_result_mesh_points(r), 3);
  ck_assert_int_eq(hk_result_read_meshes(r, points, faces), HK_OK);
  ck_assert_int_eq(faces[2], 2);
  hk_result_close(r);
}
END_TEST

/* a scene that is too long for an attribute */
START_TEST(long_text_is_read_back) {
  hk_result *r = NULL;
  size_t n = 200000;
  char *json = malloc(n + 1);
  memset(json, ' ', n);
  memcpy(json, "{\"scene\":1", 10);
  json[n - 1] = '}';
  json[n] = '\0';
  make("a.nc", json);
  ck_assert_int_eq(hk_result_open(ctx, in_dir("a.nc"), &r), HK_OK);
  check_rows(r);
  ck_assert_str_eq(hk_result_text(r, "scene"), json);
  ck_assert_int_eq(hk_result_frames(r), FRAMES);
  hk_result_close(r);
  free(json);
}
END_TEST

/* the list of the model's files: none, short, too long for an attribute, broken */
START_TEST(model_files_are_read_back) {
  hk_result *r = NULL;
  size_t n = 3000000;
  char *json = malloc(n + 1);
  memset(json, 'x', n);
  memcpy(json, "[{\"text\": \"", 11);
  memcpy(json + n - 3, "\"}]", 4);
  const char *const lists[] = {NULL, "[]", "[{\"name\": \"a.csv\", \"text\": \"</script>\\n\"}]",
                               json};
  for (size_t i = 0; i < 4; i++) {
    model_files = lists[i];
    make("a.nc", "{}");
    ck_assert_int_eq(hk_result_open(ctx, in_dir("a.nc"), &r), HK_OK);
    check_rows(r);
    ck_assert_str_eq(hk_result_text(r, "model_files"), lists[i] ? lists[i] : "");
    ck_assert_str_eq(hk_result_text(r, "model_text"), "hooke: 1\n");
    hk_result_close(r);
  }
  model_files = "[{]";
  make("a.nc", "{}");
  model_files = NULL;
  refused("a.nc", "'model_files' is not JSON");
  free(json);
}
END_TEST

START_TEST(csv_is_read_back) {
  hk_result *r = NULL;
  make("a.csv", "{}");
  ck_assert_int_eq(hk_result_open(ctx, in_dir("a.csv"), &r), HK_OK);
  check_rows(r);
  ck_assert_int_eq(hk_result_frames(r), 0);
  hk_result_close(r);
}
END_TEST

START_TEST(thinning_keeps_the_peaks) {
  hk_result *r = NULL;
  double t[64], x[64], low = INFINITY, high = -INFINITY;
  int32_t n = 0;
  make("a.csv", "{}");
  ck_assert_int_eq(hk_result_open(ctx, in_dir("a.csv"), &r), HK_OK);
  ck_assert_int_eq(hk_result_thin(r, 0, 0, ROWS, 64, t, x, &n), HK_OK);
  ck_assert_int_le(n, 64);
  for (int32_t i = 0; i < n; i++) {
    low = fmin(low, x[i]), high = fmax(high, x[i]);
    if (i) ck_assert_double_gt(t[i], t[i - 1]);
    // each is a row of the file
    ck_assert_double_eq_tol(x[i], sin(0.1 * round(100 * t[i])), 1e-12);
  }
  double true_low = INFINITY, true_high = -INFINITY;
  for (int32_t i = 0; i < ROWS; i++) {
    true_low = fmin(true_low, value(0, i)), true_high = fmax(true_high, value(0, i));
  }
  ck_assert_double_eq(low, true_low);
  ck_assert_double_eq(high, true_high);
  // few rows come as they are
  ck_assert_int_eq(hk_result_thin(r, 0, 10, 20, 64, t, x, &n), HK_OK);
  ck_assert_int_eq(n, 20);
  hk_result_close(r);
}
END_TEST

START_TEST(damaged_files_are_refused) {
  char *data = NULL;
  size_t len = 0;
  make("a.nc", "{}");
  ck_assert_int_eq(hki_read_file(ctx, in_dir("a.nc"), HK_LOC_NONE, (size_t)1 << 30, &data, &len),
                   HK_OK);
  // cut short anywhere: refused, or at least no crash where the tail was padding
  for (size_t cut = 1; cut < len; cut = cut * 3 / 2 + 1) {
    hk_result *r = NULL;
    write_file("b.nc", data, cut);
    hk_status st = hk_result_open(ctx, in_dir("b.nc"), &r);
    ck_assert_int_ne(st, HK_OK);
    hk_result_close(r);
  }
  // single bytes changed: whatever is opened can be read or refuses
  for (size_t i = 0; i < (test_few() ? 80u : 400u); i++) {
    hk_result *r = NULL;
    size_t at = i * 2654435761u % len;
    char before = data[at];
    data[at] = (char)(before ^ (1 << i % 8));
    write_file("b.nc", data, len);
    data[at] = before;
    if (hk_result_open(ctx, in_dir("b.nc"), &r) == HK_OK) {
      double x[8];
      for (int32_t k = -1; k < hk_result_channel_count(r); k++) {
        (void)hk_result_read(r, k, 0, hk_result_rows(r) < 8 ? hk_result_rows(r) : 8, x);
      }
    }
    hk_result_close(r);
  }
  hki_free(ctx, data);
}
END_TEST

#ifdef HK_WITH_HDF5
/* a file that calls itself a result, with a column `time` of this many claimed rows */
static hid_t hostile(hsize_t rows, bool stored) {
  int format = 1;
  hsize_t chunk = 4, four = 4;
  double t[4] = {0, 1, 2, 3};
  hid_t f = H5Fcreate(in_dir("a.nc"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  hid_t one = H5Screate(H5S_SCALAR), space = H5Screate_simple(1, &rows, NULL);
  hid_t plan = H5Pcreate(H5P_DATASET_CREATE), memory = H5Screate_simple(1, &four, NULL);
  hid_t a = H5Acreate2(f, "hooke_format", H5T_STD_I32LE, one, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(a, H5T_NATIVE_INT, &format);
  H5Pset_chunk(plan, 1, &chunk);
  hid_t d = H5Dcreate2(f, "time", H5T_IEEE_F64LE, space, H5P_DEFAULT, plan, H5P_DEFAULT);
  if (stored) H5Dwrite(d, H5T_NATIVE_DOUBLE, memory, H5S_ALL, H5P_DEFAULT, t);
  H5Dclose(d), H5Aclose(a), H5Sclose(one), H5Sclose(space), H5Sclose(memory), H5Pclose(plan);
  return f;
}

START_TEST(huge_claims_are_refused) {
  H5Fclose(hostile((hsize_t)1 << 60, false));
  refused("a.nc", "no time");
  // enough is stored for a part of it alone
  H5Fclose(hostile((hsize_t)1 << 40, false));
  refused("a.nc", "no time");
}
END_TEST

START_TEST(links_are_not_followed) {
  hk_result *r = NULL;
  hid_t f = hostile(4, true);
  // a loop, a link to another file, a link to nowhere, one to a channel of the file itself
  H5Lcreate_hard(f, "/", f, "loop", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_external("/etc/passwd", "/x", f, "outside", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/nowhere", f, "nowhere", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/time", f, "again", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_hard(f, "/time", f, "same", H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(f);
  ck_assert_int_eq(hk_result_open(ctx, in_dir("a.nc"), &r), HK_OK);
  ck_assert_int_eq(hk_result_channel_count(r), 1);
  ck_assert_str_eq(hk_result_channel_name(r, 0), "same");
  hk_result_close(r);
  // the scene in another file, and the scene that is its own parent
  f = hostile(4, true);
  H5Lcreate_external("/tmp/other.nc", "/geometry", f, "geometry", H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(f);
  refused("a.nc", "lies elsewhere");
  f = hostile(4, true);
  H5Lcreate_hard(f, "/", f, "geometry", H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(f);
  ck_assert_int_eq(hk_result_open(ctx, in_dir("a.nc"), &r), HK_OK);
  ck_assert_int_eq(hk_result_frames(r), 0);
  hk_result_close(r);
}
END_TEST

START_TEST(data_in_other_files_is_not_read) {
  hsize_t n = 4;
  hid_t f = hostile(4, true), space = H5Screate_simple(1, &n, NULL);
  hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(plan, "/etc/passwd", 0, 32);
  hid_t d = H5Dcreate2(f, "secret", H5T_IEEE_F64LE, space, H5P_DEFAULT, plan, H5P_DEFAULT);
  H5Dclose(d), H5Sclose(space), H5Pclose(plan), H5Fclose(f);
  refused("a.nc", "'secret' are not in it");
}
END_TEST

/* a column that claims rows which nobody has stored */
START_TEST(empty_claims_are_refused) {
  hsize_t n = (hsize_t)1 << 60, chunk = 1024;
  hid_t f = hostile(4, true), space = H5Screate_simple(1, &n, NULL);
  hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(plan, 1, &chunk);
  hid_t d = H5Dcreate2(f, "huge", H5T_IEEE_F64LE, space, H5P_DEFAULT, plan, H5P_DEFAULT);
  H5Dclose(d), H5Sclose(space), H5Pclose(plan), H5Fclose(f);
  refused("a.nc", "'huge' are not in it");
}
END_TEST

/* a few kilobytes that would be unpacked to gigabytes, again for every block of rows */
START_TEST(bombs_are_refused) {
  hsize_t n = 8 << 20;
  double *zero = calloc(n, sizeof *zero);
  for (int i = 0; i < 2; i++) {
    hid_t f = hostile(4, true), space = H5Screate_simple(1, &n, NULL);
    hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    if (i == 0) H5Ldelete(f, "time", H5P_DEFAULT);
    H5Pset_chunk(plan, 1, &n);
    H5Pset_deflate(plan, 1);
    hid_t d = H5Dcreate2(f, i == 0 ? "time" : "bomb", H5T_IEEE_F64LE, space, H5P_DEFAULT, plan,
                         H5P_DEFAULT);
    H5Dwrite(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, zero);
    H5Dclose(d), H5Sclose(space), H5Pclose(plan), H5Fclose(f);
    refused("a.nc", i == 0 ? "no time" : "'bomb' are not in it");
  }
  free(zero);
}
END_TEST
#endif

START_TEST(what_is_not_json_is_refused) {
  make("a.nc", "{\"scene\": </script>}");
  refused("a.nc", "not JSON");
}
END_TEST

START_TEST(foreign_files_are_refused) {
  write_file("a.nc", "", 0);
  refused("a.nc", "empty");
  write_file("a.nc", "CDF\001 and so on", 14);
  refused("a.nc", "classic NetCDF");
  write_file("a.nc",
             "\x7f"
             "ELF\0\0\0\0\0",
             9);
  refused("a.nc", "neither");
  write_file("a.nc", "\x89HDF\r\n\x1a\n", 8);
  refused("a.nc", "damaged");
  refused("nothing.nc", "No such file");
  refused("..", "directory");
}
END_TEST

START_TEST(bad_csv_is_refused) {
  static const struct {
    const char *text, *words;
  } cases[] = {
      {"x,y\n0,1\n", "first column"},    {"t,a\n", "no rows"},
      {"t,a\n0,1\n1\n", "line 3 has 1"}, {"t,a\n0,1,2\n", "too many"},
      {"t,a\n0,one\n", "not a number"},  {"t,a\n1,1\n0,2\n", "does not grow"},
      {"t,a\nnan,1\n", "does not grow"}, {"t,a,a\n0,1,2\n", "twice"},
      {"t,,b\n0,1,2\n", "no name"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    write_file("a.csv", cases[i].text, strlen(cases[i].text));
    refused("a.csv", cases[i].words);
  }
}
END_TEST

START_TEST(json_is_checked) {
  static const char *const good[] = {
      "{}", "[]", "0", "-1.5e-3", "\"a\\u00e9\\n\"", " true ", "null", "[1, {\"a\": [false]}]"};
  static const char *const bad[] = {
      "",    "{",     "[1,]", "{\"a\"}", "{a:1}",      "01",          "1.",        "\"a", "\"\\x\"",
      "nul", "[1] 2", "+1",   "\"\n\"",  "{\"a\":1,}", "\"\\u12g4\"", "</script>", "-"};
  char deep[201];
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    ck_assert_msg(hki_json_valid(good[i], strlen(good[i])), "%s", good[i]);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    ck_assert_msg(!hki_json_valid(bad[i], strlen(bad[i])), "%s", bad[i]);
  }
  memset(deep, '[', 100);
  memset(deep + 100, ']', 100);
  ck_assert(!hki_json_valid(deep, 200));
}
END_TEST

Suite *suite_read(void) {
  Suite *s = suite_create("read");
  TCase *t = tcase_create("result_read");
  tcase_add_checked_fixture(t, setup, teardown);
#ifdef HK_WITH_NETCDF
  tcase_add_test(t, netcdf_is_read_back);
  tcase_add_test(t, long_text_is_read_back);
  tcase_add_test(t, model_files_are_read_back);
  tcase_add_test(t, damaged_files_are_refused);
  tcase_add_test(t, what_is_not_json_is_refused);
#endif
#ifdef HK_WITH_HDF5
  tcase_add_test(t, huge_claims_are_refused);
  tcase_add_test(t, links_are_not_followed);
  tcase_add_test(t, data_in_other_files_is_not_read);
  tcase_add_test(t, empty_claims_are_refused);
  tcase_add_test(t, bombs_are_refused);
#endif
  tcase_add_test(t, csv_is_read_back);
  tcase_add_test(t, thinning_keeps_the_peaks);
  tcase_add_test(t, foreign_files_are_refused);
  tcase_add_test(t, bad_csv_is_refused);
  tcase_add_test(t, json_is_checked);
  suite_add_tcase(s, t);
  return s;
}
