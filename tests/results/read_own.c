/* SPDX-License-Identifier: Apache-2.0
 *
 * read_own.c: Hooke's own reader of the files that Hooke writes gives what HDF5 gives, for every kind
 * of file; files that are cut short or changed are refused, or read as what they are then.
 */
#include "results/read.h"
#include "support_results.h"

#ifdef HK_WITH_NETCDF

typedef struct kind {
  const char *name;
  int32_t rows, expected; /* written, and announced: chunks of few rows make trees of many levels */
  int32_t nchannels, nbodies, nloads, frames;
  int32_t compress;
  bool meshes, long_texts;
} kind;

static const kind kinds[] = {
    {"one row", 1, 1, 1, 0, 0, 0, 0, false, false},
    {"no channels", 5, 0, 0, 1, 0, 3, 0, false, false},
    {"plain", 700, 700, 7, 2, 1, 300, 0, true, false},
    {"packed", 700, 700, 7, 2, 1, 300, 6, true, false},
    {"packed by a thread", 12000, 12000, 12, 2, 1, 300, 1, true, false},
    {"long texts", 30, 30, 2, 1, 1, 10, 0, false, true},
    {"three levels", 5000, 16, 2, 3, 2, 700, 0, false, false},
    {"three levels, packed", 5000, 16, 2, 3, 2, 700, 9, false, false},
    {"many rows", 40000, 0, 2, 0, 0, 0, 0, false, false},
};

static double value(int32_t channel, int32_t row) {
  // numbers that pack, numbers that do not, and those that are none
  if (channel % 3 == 0) return 1000.0 * channel + row % 10;
  if (channel % 3 == 1) return sin(0.1 * row + channel);
  return row % 7 == 3 ? NAN : row % 7 == 4 ? -INFINITY : 1e-300 * row;
}

static char *long_text(char c) {
  enum { N = 70000 };
  char *s = malloc(N + 1);
  memset(s, c, N);
  s[0] = s[N - 1] = '"';
  s[N] = '\0';
  return s;
}

static void write_kind(hk_results *sink, const kind *k) {
  double row[16];
  float *frame = calloc((size_t)(7 * k->nbodies + 3 * k->nloads) + 1, sizeof *frame);
  for (int32_t i = 0; i < k->rows; i++) {
    for (int32_t c = 0; c < k->nchannels; c++) row[c] = value(c, i);
    ck_assert_int_eq(sink->row(sink, 0.01 * i, row), HK_OK);
  }
  for (int32_t i = 0; i < k->frames; i++) {
    for (int32_t c = 0; c < 7 * k->nbodies + 3 * k->nloads; c++) frame[c] = (float)(100 * c + i);
    ck_assert_int_eq(hki_results_frame(sink, 0.02 * i, frame), HK_OK);
  }
  free(frame);
}

static void make(const kind *k) {
  char names[16][40], *text = k->long_texts ? long_text('x') : NULL;
  hk_results_channel list[16];
  for (int32_t i = 0; i < k->nchannels; i++) {
    snprintf(names[i], sizeof names[i], i % 2 ? "a/%d" : "body.rod.position.%d", (int)i);
    list[i] = (hk_results_channel){names[i], i % 2 ? "" : "m", i % 2 ? NULL : "where it is"};
  }
  hk_results_meta m = {.title = "Rod",
                       .model_text = text ? text : "hooke: 1\n",
                       .command = "hooke run",
                       .step = NAN,
                       .time = 3.0,
                       .nchannels = k->nchannels,
                       .channels = list,
                       .nbodies = k->nbodies,
                       .nloads = k->nloads,
                       .rows = k->expected,
                       .frames = k->expected,
                       .compress = k->compress};
  const float points[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  const int32_t faces[6] = {0, 1, 2, 1, 2, 3};
  hk_results_scene scene = {text ? text : "{}", k->meshes ? 4 : 0, k->meshes ? 2 : 0, points,
                            faces};
  hk_results *sink = NULL;
  ck_assert_int_eq(hki_results_open(ctx, in_dir("a.nc"), &m, &sink), HK_OK);
  write_kind(sink, k);
  ck_assert_int_eq(hki_results_scene_put(sink, &scene), HK_OK);
  ck_assert_int_eq(sink->close(sink, "{\"status\": \"ok\"}"), HK_OK);
  free(text);
}

static void same_values(hk_result *a, hk_result *b, int32_t channel, int64_t first, int64_t n) {
  double *x = calloc((size_t)n + 1, sizeof *x), *y = calloc((size_t)n + 1, sizeof *y);
  ck_assert_int_eq(hk_result_read(a, channel, first, n, x), HK_OK);
  ck_assert_int_eq(hk_result_read(b, channel, first, n, y), HK_OK);
  ck_assert_mem_eq(x, y, (size_t)n * sizeof *x);
  free(x);
  free(y);
}

static void same_frames(hk_result *a, hk_result *b) {
  const int64_t n = hk_result_frames(a);
  const size_t nt = (size_t)n, np = 7 * nt * (size_t)hk_result_body_count(a),
               nl = 3 * nt * (size_t)hk_result_load_count(a);
  double *t = calloc(2 * nt + 1, sizeof *t);
  float *poses = calloc(2 * np + 1, sizeof *poses), *loads = calloc(2 * nl + 1, sizeof *loads);
  ck_assert_int_eq(hk_result_read_frames(a, 0, n, t, poses, loads), HK_OK);
  ck_assert_int_eq(hk_result_read_frames(b, 0, n, t + nt, poses + np, loads + nl), HK_OK);
  ck_assert_mem_eq(t, t + nt, nt * sizeof *t);
  ck_assert_mem_eq(poses, poses + np, np * sizeof *poses);
  ck_assert_mem_eq(loads, loads + nl, nl * sizeof *loads);
  free(t);
  free(poses);
  free(loads);
}

static void same_meshes(hk_result *a, hk_result *b) {
  float p[2][12] = {{0}};
  int32_t f[2][6] = {{0}};
  ck_assert_int_eq(hk_result_read_meshes(a, p[0], f[0]), HK_OK);
  ck_assert_int_eq(hk_result_read_meshes(b, p[1], f[1]), HK_OK);
  ck_assert_mem_eq(p[0], p[1], sizeof p[0]);
  ck_assert_mem_eq(f[0], f[1], sizeof f[0]);
}

#ifdef HK_WITH_HDF5
START_TEST(it_gives_what_hdf5_gives) {
  const kind *k = &kinds[_i];
  hk_result *a = NULL, *b = NULL;
  make(k);
  ck_assert_int_eq(hki_result_open_by(ctx, in_dir("a.nc"), hki_result_open_own, &a), HK_OK);
  ck_assert_int_eq(hki_result_open_by(ctx, in_dir("a.nc"), hki_result_open_hdf5, &b), HK_OK);
  ck_assert_int_eq(hk_result_rows(a), k->rows);
  ck_assert_int_eq(hk_result_rows(b), k->rows);
  ck_assert_int_eq(hk_result_channel_count(a), k->nchannels);
  ck_assert_int_eq(hk_result_channel_count(b), k->nchannels);
  for (int32_t i = -1; i < k->nchannels; i++) {
    ck_assert_str_eq(hk_result_channel_name(a, i), hk_result_channel_name(b, i));
    ck_assert_str_eq(hk_result_channel_unit(a, i), hk_result_channel_unit(b, i));
    ck_assert_str_eq(hk_result_channel_text(a, i), hk_result_channel_text(b, i));
    same_values(a, b, i, 0, k->rows);
    same_values(a, b, i, k->rows / 3, k->rows / 3 + (k->rows > 2));
    same_values(a, b, i, k->rows - 1, 1);
  }
  for (int32_t i = 0; hki_result_keys[i]; i++)
    ck_assert_str_eq(hk_result_text(a, hki_result_keys[i]), hk_result_text(b, hki_result_keys[i]));
  ck_assert_int_eq(hk_result_frames(a), k->frames);
  ck_assert_int_eq(hk_result_frames(b), k->frames);
  ck_assert_int_eq(hk_result_body_count(a), hk_result_body_count(b));
  ck_assert_int_eq(hk_result_load_count(a), k->nloads);
  ck_assert_int_eq(hk_result_mesh_points(a), k->meshes ? 4 : 0);
  if (k->frames) same_frames(a, b);
  if (k->meshes) same_meshes(a, b);
  hk_result_close(a);
  hk_result_close(b);
}
END_TEST
#endif

/* --- damage ----------------------------------------------------------------------------------- */

/* everything of a file, which may end in an error and in nothing worse */
static void read_all(hk_result *r) {
  double x[64];
  float poses[2 * 7], loads[2 * 3];
  for (int32_t i = -1; i < hk_result_channel_count(r); i++)
    for (int64_t at = 0; at < hk_result_rows(r) && at < 1000; at += 64)
      (void)hk_result_read(r, i, at, hk_result_rows(r) - at < 64 ? hk_result_rows(r) - at : 64, x);
  if (hk_result_body_count(r) <= 2 && hk_result_load_count(r) <= 2)
    for (int64_t i = 0; i < hk_result_frames(r) && i < 100; i++)
      (void)hk_result_read_frames(r, i, 1, x, poses, loads);
}

static void put_file(const char *name, const char *data, size_t n) {
  FILE *f = fopen(in_dir(name), "wb");
  ck_assert_ptr_nonnull(f);
  ck_assert_uint_eq(fwrite(data, 1, n, f), n);
  fclose(f);
}

static size_t get_file(char **data) {
  size_t n = 0;
  ck_assert_int_eq(hki_read_file(ctx, in_dir("a.nc"), HK_LOC_NONE, 1 << 24, data, &n), HK_OK);
  return n;
}

START_TEST(what_is_cut_short_is_refused) {
  static const kind small = {"", 40, 40, 3, 1, 1, 5, 1, false, false};
  char *data = NULL;
  make(&small);
  const size_t n = get_file(&data);
  for (size_t keep = 8; keep < n; keep += test_short() ? 1501 : 151) {
    hk_result *r = NULL;
    put_file("b.nc", data, keep);
    hk_ctx_clear(ctx);
    ck_assert_int_eq(hki_result_open_by(ctx, in_dir("b.nc"), hki_result_open_own, &r), HK_E_FILE);
    ck_assert(strstr(hk_ctx_message(ctx, 0)->text, "it is cut short or damaged"));
  }
  hki_free(ctx, data);
}
END_TEST

/* one byte after the other is another one; headers have checksums, numbers have none */
START_TEST(a_changed_byte_does_no_harm) {
  static const kind small = {"", 40, 16, 3, 1, 1, 5, 0, false, false};
  kind k = small;
  char *data = NULL;
  int32_t refused = 0, read = 0;
  k.compress = _i;
  make(&k);
  const size_t n = get_file(&data);
  for (size_t at = 0; at < n; at += test_short() ? 151 : 31) {
    hk_result *r = NULL;
    data[at] ^= (char)(1 << at % 8);
    put_file("b.nc", data, n);
    data[at] ^= (char)(1 << at % 8);
    hk_ctx_clear(ctx);
    hk_status st = hki_result_open_by(ctx, in_dir("b.nc"), hki_result_open_own, &r);
    ck_assert_msg(st == HK_OK || st == HK_E_FILE || st == HK_RETRY, "byte %zu: %d", at, (int)st);
    if (st == HK_E_FILE) ck_assert_int_gt(hk_ctx_message_count(ctx), 0);
    if (st == HK_OK) read_all(r);
    refused += st != HK_OK, read += st == HK_OK;
    hk_result_close(r);
  }
  ck_assert_int_gt(refused, read / 10);
  ck_assert_int_gt(read, 0);
  hki_free(ctx, data);
}
END_TEST

/* memory that runs out at each allocation in turn */
START_TEST(memory_that_runs_out_is_said) {
  make(&kinds[3]);
  for (uint64_t n = 1; n < 200; n += test_few() ? 3 : 1) {
    hk_result *r = NULL;
    hk_ctx_clear(ctx);
    hki_alloc_fail_at(ctx, n);
    hk_status st = hki_result_open_by(ctx, in_dir("a.nc"), hki_result_open_own, &r);
    if (st == HK_OK) read_all(r);
    hki_alloc_fail_at(ctx, 0);
    ck_assert_msg(st == HK_OK || st == HK_E_MEMORY, "%d", (int)st);
    hk_result_close(r);
    if (st == HK_OK && n > 100) return;
  }
}
END_TEST
#endif

Suite *suite_read_own(void) {
  Suite *s = suite_create("read_own");
  TCase *t = tcase_create("read_own");
  tcase_add_checked_fixture(t, setup, teardown);
#ifdef HK_WITH_HDF5
  tcase_add_loop_test(t, it_gives_what_hdf5_gives, 0, HK_ARRAY_LEN(kinds));
#endif
#ifdef HK_WITH_NETCDF
  tcase_add_test(t, what_is_cut_short_is_refused);
  tcase_add_loop_test(t, a_changed_byte_does_no_harm, 0, 2);
  tcase_add_test(t, memory_that_runs_out_is_said);
#endif
  suite_add_tcase(s, t);
  return s;
}
