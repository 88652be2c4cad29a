/* SPDX-License-Identifier: Apache-2.0
 *
 * write_netcdf.c: NetCDF results, as NetCDF's own library reads them.
 */
#include "results/support_results.h"

#ifdef HK_WITH_HDF5

#include <netcdf.h>
#include <signal.h>
#include <sys/resource.h>

#include "results/read.h"

static void check_attribute(int file, int var, const char *name, const char *value) {
  char text[400] = "";
  size_t n = 0;
  ck_assert_int_eq(nc_inq_attlen(file, var, name, &n), NC_NOERR);
  ck_assert_uint_lt(n, sizeof text);
  ck_assert_int_eq(nc_get_att_text(file, var, name, text), NC_NOERR);
  text[n] = '\0';
  ck_assert_str_eq(text, value);
}

/* every number of every variable, as NetCDF reads it */
static void check_rows(int file, int rows) {
  static const char *const names[] = {"time", "body.rod.position.x", "joint.a,b.angle",
                                      "solver.iterations"};
  double *x = calloc((size_t)rows + 1, sizeof *x);
  for (int j = 0, var; j < 4; j++) {
    ck_assert_int_eq(nc_inq_varid(file, names[j], &var), NC_NOERR);
    ck_assert_int_eq(nc_get_var_double(file, var, x), NC_NOERR);
    for (int i = 0; i < rows; i++) {
      ck_assert_double_eq(x[i], j == 0 ? 0.01 * i : cell(i, j - 1));
    }
  }
  free(x);
}

/* one unlimited dimension of this length */
static void check_time(int file, int rows) {
  int dim, unlimited;
  size_t length;
  ck_assert_int_eq(nc_inq_dimid(file, "time", &dim), NC_NOERR);
  ck_assert_int_eq(nc_inq_dimlen(file, dim, &length), NC_NOERR);
  ck_assert_uint_eq(length, (size_t)rows);
  ck_assert_int_eq(nc_inq_unlimdim(file, &unlimited), NC_NOERR);
  ck_assert_int_eq(unlimited, dim);
}

START_TEST(test_netcdf_rows) {
  static const int counts[] = {0, 1, 7, 8, 1016, 1024, 1500};
  int rows = counts[_i], file;
  const char *path = in_dir("a.nc"), *summary = "{\"final\": {}, \"status\": \"ok\"}";
  hk_results *sink = write_rows(path, rows);
  ck_assert_int_eq(sink->close(sink, summary), HK_OK);
  ck_assert_int_eq(nc_open(path, NC_NOWRITE, &file), NC_NOERR);
  check_time(file, rows);
  check_rows(file, rows);
  check_attribute(file, NC_GLOBAL, "summary", summary);
  check_attribute(file, NC_GLOBAL, "status", "ok");
  nc_close(file);
}
END_TEST

/* so many chunks that their trees have several leaves (16 chunks), then two and three levels;
 * with and without compression */
START_TEST(test_netcdf_trees) {
  static const int counts[] = {16 * 16, 16 * 16 + 1, 16 * 16 * 16, 16 * 16 * 16 * 16 + 16 * 70 + 3};
  const char *path = in_dir("a.nc");
  hk_results_meta other = meta;
  int rows = counts[_i / 2], file, var, shuffle, deflate, level;
  other.rows = 16;
  other.compress = _i % 2 ? 1 : 0;
  hk_results *sink = write_rows_as(path, rows, &other);
  ck_assert_int_eq(sink->close(sink, "{}"), HK_OK);
  ck_assert_int_eq(nc_open(path, NC_NOWRITE, &file), NC_NOERR);
  check_time(file, rows);
  check_rows(file, rows);
  ck_assert_int_eq(nc_inq_varid(file, "time", &var), NC_NOERR);
  ck_assert_int_eq(nc_inq_var_deflate(file, var, &shuffle, &deflate, &level), NC_NOERR);
  ck_assert_int_eq(deflate, _i % 2);
  nc_close(file);
}
END_TEST

/* whoever writes, the bytes are the same: a compressed run that is known to be short has no thread
 * for it, one of unknown length has; frames of the animation go the same way */
START_TEST(test_netcdf_worker) {
  char *text[2];
  size_t n[2];
  for (int k = 0; k < 2; k++) {
    const char *path = in_dir(k ? "b.nc" : "a.nc");
    hk_results_meta other = meta;
    hk_results *sink = NULL;
    other.rows = k ? 0 : 8000;
    other.nbodies = 1, other.nloads = 1, other.frames = 600;
    other.compress = _i;
    ck_assert_int_eq(hki_results_open(ctx, path, &other, &sink), HK_OK);
    for (int i = 0; i < 8000; i++) {
      double v[3] = {cell(i, 0), cell(i, 1), cell(i, 2)};
      float frame[10] = {(float)i, 0, 0, 1, 0, 0, 0, 2, 3, (float)-i};
      ck_assert_int_eq(sink->row(sink, 0.01 * i, v), HK_OK);
      if (i % 13 == 0) ck_assert_int_eq(hki_results_frame(sink, 0.01 * i, frame), HK_OK);
    }
    ck_assert_int_eq(sink->close(sink, "{}"), HK_OK);
    ck_assert_int_eq(hki_read_file(ctx, path, HK_LOC_NONE, 1u << 24, &text[k], &n[k]), HK_OK);
  }
  ck_assert_uint_eq(n[0], n[1]);
  ck_assert_int_eq(memcmp(text[0], text[1], n[0]), 0);
  for (int k = 0; k < 2; k++) hki_free(ctx, text[k]);
}
END_TEST

/* noise does not shrink and is kept as it is; constants shrink much */
START_TEST(test_netcdf_compression) {
  const char *path = in_dir("a.nc");
  int file, var;
  hk_results_meta other = meta;
  hk_results *sink = NULL;
  struct stat st;
  double x[3000];
  other.compress = 9;
  ck_assert_int_eq(hki_results_open(ctx, path, &other, &sink), HK_OK);
  uint64_t s = 88172645463325252u, bits;
  for (int i = 0; i < 3000; i++) {
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    bits = (s & 0x800fffffffffffffu) | (uint64_t)(1 + s % 2000) << 52;
    memcpy(&x[i], &bits, sizeof x[i]);
    double v[3] = {x[i], 1.5, -2};
    ck_assert_int_eq(sink->row(sink, i, v), HK_OK);
  }
  ck_assert_int_eq(sink->close(sink, "{}"), HK_OK);
  ck_assert_int_eq(stat(path, &st), 0);
  ck_assert_int_lt((int)st.st_size, 3072 * 8 + 25000);
  ck_assert_int_eq(nc_open(path, NC_NOWRITE, &file), NC_NOERR);
  ck_assert_int_eq(nc_inq_varid(file, "body.rod.position.x", &var), NC_NOERR);
  for (size_t i = 0; i < 3000; i += 7) {
    double y;
    ck_assert_int_eq(nc_get_var1_double(file, var, &i, &y), NC_NOERR);
    ck_assert_double_eq(y, x[i]);
  }
  nc_close(file);
}
END_TEST

/* the file that is being written, or "" */
static const char *part_file(void) {
  static char name[300];
  name[0] = '\0';
  DIR *d = opendir(dir);
  for (struct dirent *e = readdir(d); e; e = readdir(d))
    if (strstr(e->d_name, ".part")) snprintf(name, sizeof name, "%s/%s", dir, e->d_name);
  closedir(d);
  return name;
}

/* after a second the file is complete as far as it goes, and again after each second more: a run
 * that is killed leaves it so */
START_TEST(test_netcdf_snapshot) {
  const char *path = in_dir("a.nc");
  hk_results_meta other = meta;
  int file, rows = 0, done = 0;
  other.compress = _i;
  other.rows = 40;
  hk_results *sink = write_rows_as(path, 0, &other);
  for (int round = 0; round < 3; round++) {
    sleep(1);
    for (int more = 0; more < 700 + 64 * 40 * round; more++, rows++) {
      double v[3] = {cell(rows, 0), cell(rows, 1), cell(rows, 2)};
      ck_assert_int_eq(sink->row(sink, 0.01 * rows, v), HK_OK);
    }
    size_t length;
    ck_assert_int_eq(nc_open(part_file(), NC_NOWRITE, &file), NC_NOERR);
    ck_assert_int_eq(nc_inq_dimlen(file, 0, &length), NC_NOERR);
    ck_assert_int_ge((int)length, done + 8);
    ck_assert_int_le((int)length, rows);
    done = (int)length;
    check_rows(file, done);
    check_attribute(file, NC_GLOBAL, "status", "unfinished");
    nc_close(file);
  }
  ck_assert_int_eq(sink->close(sink, "{\"status\": \"ok\"}"), HK_OK);
  ck_assert_int_eq(nc_open(path, NC_NOWRITE, &file), NC_NOERR);
  check_time(file, rows);
  check_rows(file, rows);
  nc_close(file);
}
END_TEST

START_TEST(test_netcdf_words) {
  int file, var;
  const char *path = in_dir("a.nc");
  hk_results *sink = write_rows(path, 1);
  ck_assert_int_eq(sink->close(sink, "{\"status\": \"failed\", \"message\": \"x\"}"), HK_OK);
  ck_assert_int_eq(nc_open(path, NC_NOWRITE, &file), NC_NOERR);
  check_attribute(file, NC_GLOBAL, "title", "Pendulum");
  check_attribute(file, NC_GLOBAL, "model_path", "pendulum.yaml");
  check_attribute(file, NC_GLOBAL, "model_text", "hooke: 1\n");
  check_attribute(file, NC_GLOBAL, "command", "hooke run pendulum.yaml");
  check_attribute(file, NC_GLOBAL, "formulation", "hybrid");
  check_attribute(file, NC_GLOBAL, "integrator", "trapezoidal");
  check_attribute(file, NC_GLOBAL, "status", "failed");
  double step;
  ck_assert_int_eq(nc_get_att_double(file, NC_GLOBAL, "step_s", &step), NC_NOERR);
  ck_assert_double_eq(step, 0.01);
  ck_assert_int_ne(nc_get_att_double(file, NC_GLOBAL, "time_s", &step), NC_NOERR);
  ck_assert_int_eq(nc_inq_varid(file, "body.rod.position.x", &var), NC_NOERR);
  check_attribute(file, var, "units", "m");
  check_attribute(file, var, "long_name", "origin of the body's frame");
  ck_assert_int_eq(nc_inq_varid(file, "solver.iterations", &var), NC_NOERR);
  check_attribute(file, var, "units", "1");
  nc_close(file);
}
END_TEST

/* names that HDF5 cannot hold are changed and said; a long model text fits */
START_TEST(test_netcdf_names) {
  int file, var, dim;
  const char *path = in_dir("a.nc");
  char *big = malloc(300001);
  memset(big, 'm', 300000);
  big[300000] = '\0';
  hk_results_channel odd[] = {
      {"signal.a/b", "", NULL}, {"signal.\xc3\xa4", "m", NULL}, {"signal.a_b", "", NULL}};
  hk_results_meta other = {
      .nchannels = 3, .channels = odd, .step = NAN, .time = NAN, .model_text = big};
  hk_results *sink = NULL;
  double v[3] = {1, 2, 3}, x;
  size_t n, at = 0;
  char *long_text = malloc(300000);
  ck_assert_int_eq(hki_results_open(ctx, path, &other, &sink), HK_OK);
  sink->row(sink, 0, v);
  ck_assert_int_eq(sink->close(sink, NULL), HK_OK);
  ck_assert_int_eq(nc_open(path, NC_NOWRITE, &file), NC_NOERR);
  ck_assert_int_eq(nc_inq_varid(file, "signal.a_b", &var), NC_NOERR);
  check_attribute(file, var, "channel", "signal.a/b");
  ck_assert_int_eq(nc_inq_varid(file, "signal.\xc3\xa4", &var), NC_NOERR);
  // two names that the file cannot tell apart
  ck_assert_int_eq(nc_inq_varid(file, "signal.a_b_2", &var), NC_NOERR);
  check_attribute(file, var, "channel", "signal.a_b");
  ck_assert_int_eq(nc_get_var1_double(file, var, &at, &x), NC_NOERR);
  ck_assert_double_eq(x, 3);
  // a text of more than 64 KB is a variable
  ck_assert_int_eq(nc_inq_varid(file, "model_text", &var), NC_NOERR);
  ck_assert_int_eq(nc_inq_dimid(file, "model_text_bytes", &dim), NC_NOERR);
  ck_assert_int_eq(nc_inq_dimlen(file, dim, &n), NC_NOERR);
  ck_assert_uint_eq(n, 300000);
  ck_assert_int_eq(nc_get_var_text(file, var, long_text), NC_NOERR);
  ck_assert_mem_eq(long_text, big, 300000);
  free(long_text);
  check_attribute(file, NC_GLOBAL, "status", "unknown");
  nc_close(file);
  free(big);
}
END_TEST

/* so many channels that blocks get shorter */
START_TEST(test_netcdf_many) {
  int n = test_short() ? 2100 : 9000, file, var;
  const char *path = in_dir("a.nc");
  hk_results_channel *list = calloc((size_t)n, sizeof *list);
  char(*names)[24] = calloc((size_t)n, sizeof *names);
  double *v = calloc((size_t)n, sizeof *v);
  for (int i = 0; i < n; i++) {
    snprintf(names[i], sizeof names[i], "signal.s%d", i);
    list[i].name = names[i];
    v[i] = 0.5 * i;
  }
  hk_results_meta other = {.nchannels = n, .channels = list, .step = NAN, .time = NAN};
  hk_results *sink = NULL;
  ck_assert_int_eq(hki_results_open(ctx, path, &other, &sink), HK_OK);
  for (int i = 0; i < 300; i++) ck_assert_int_eq(sink->row(sink, i, v), HK_OK);
  ck_assert_int_eq(sink->close(sink, NULL), HK_OK);
  ck_assert_int_eq(nc_open(path, NC_NOWRITE, &file), NC_NOERR);
  size_t at = 299;
  double x;
  ck_assert_int_eq(nc_inq_varid(file, names[n - 1], &var), NC_NOERR);
  ck_assert_int_eq(nc_get_var1_double(file, var, &at, &x), NC_NOERR);
  ck_assert_double_eq(x, 0.5 * (n - 1));
  nc_close(file);
  free(list);
  free(names);
  free(v);
}
END_TEST

#endif

Suite *suite_write_netcdf(void);
Suite *suite_write_netcdf(void);
/* Wherever a disk becomes full, the blocks before that place can be read: room for their description
 * is reserved. The places go through more than one block. */
START_TEST(test_full_disk) {
  hk_results_meta as = meta;
  struct rlimit before, small;
  int64_t rows = 0;
  as.rows = 1000000; // a long run: it does not gather
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &before);
  for (rlim_t limit = 200000; limit < 240000; limit += test_few() ? 3700 : 500) {
    hk_results *sink = NULL;
    hk_result *r = NULL;
    char part[200] = "";
    ck_assert_int_eq(hki_results_open(ctx, in_dir("full.nc"), &as, &sink), HK_OK);
    small = before, small.rlim_cur = limit;
    setrlimit(RLIMIT_FSIZE, &small);
    hk_status st = HK_OK;
    for (int i = 0; i < 20000 && st == HK_OK; i++)
      st = sink->row(sink, 0.01 * i, (double[]){cell(i, 0), 1, 2});
    ck_assert_int_eq(sink->close(sink, NULL), HK_E_FILE);
    setrlimit(RLIMIT_FSIZE, &before);
    ck_assert_int_eq(st, HK_E_FILE);

    /* the part that was kept */
    DIR *d = opendir(dir);
    for (struct dirent *e = readdir(d); e; e = readdir(d))
      if (strstr(e->d_name, ".part")) snprintf(part, sizeof part, "%s", in_dir(e->d_name));
    closedir(d);
    ck_assert_int_eq(hk_result_open(ctx, part, &r), HK_OK);
    ck_assert_int_ge(hk_result_rows(r), rows);
    rows = hk_result_rows(r);
    ck_assert_int_ge(rows, 1016);
    double last = 0.0;
    ck_assert_int_eq(hk_result_read(r, 0, rows - 1, 1, &last), HK_OK);
    ck_assert_double_eq(last, cell((int)rows - 1, 0));
    hk_result_close(r);
    remove(part);
    hk_ctx_clear(ctx);
  }
  ck_assert_int_gt(rows, 5000); // 200 kB
}
END_TEST

Suite *suite_write_netcdf(void) {
  Suite *s = suite_create("write_netcdf");
#ifdef HK_WITH_HDF5
  TCase *c = tcase_create("netcdf");
  tcase_add_checked_fixture(c, setup, teardown);
  tcase_add_loop_test(c, test_netcdf_rows, 0, 7);
  tcase_add_loop_test(c, test_netcdf_worker, 0, 2);
  tcase_add_loop_test(c, test_netcdf_trees, 0, test_few() ? 6 : 8);
  tcase_add_test(c, test_netcdf_compression);
  tcase_add_loop_test(c, test_netcdf_snapshot, 0, 2);
  tcase_add_test(c, test_netcdf_words);
  tcase_add_test(c, test_netcdf_names);
  tcase_add_test(c, test_netcdf_many);
  tcase_add_test(c, test_full_disk);
  tcase_set_timeout(c, 60);
  suite_add_tcase(s, c);
#endif
  return s;
}
