/* SPDX-License-Identifier: Apache-2.0
 *
 * results.c: result files hold what was given, take their place whole, and say what cannot be done.
 */
#include <check.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/results_impl.h"
#include "runner.h"

#ifdef HK_WITH_NETCDF
#include <netcdf.h>
#endif

static char dir[64];
static hk_ctx *ctx;

static void setup(void) {
  snprintf(dir, sizeof dir, "/tmp/hooke-results-XXXXXX");
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

/* names of the files in the directory; deletes them when asked */
static int count_files(bool clean) {
  int n = 0;
  DIR *d = opendir(dir);
  for (struct dirent *e = readdir(d); e; e = readdir(d)) {
    if (e->d_name[0] == '.') continue;
    n++;
    if (clean) remove(in_dir(e->d_name));
  }
  closedir(d);
  return n;
}

static void teardown(void) {
  hk_ctx_destroy(ctx);
  count_files(true);
  rmdir(dir);
}

static char *read_text(const char *path) {
  char *text = NULL;
  ck_assert_int_eq(hki_read_file(ctx, path, HK_LOC_NONE, 1 << 24, &text, NULL), HK_OK);
  return text;
}

static void write_text(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  ck_assert_ptr_nonnull(f);
  fputs(text, f);
  fclose(f);
}

static const hk_results_channel channels[] = {
    {"body.rod.position.x", "m", "origin of the body's frame"},
    {"joint.a,b.angle", "rad", NULL},
    {"solver.iterations", "", "iterations"},
};
static const hk_results_meta meta = {.title = "Pendulum",
                                     .model_path = "pendulum.yaml",
                                     .model_text = "hooke: 1\n",
                                     .command = "hooke run pendulum.yaml",
                                     .formulation = "hybrid",
                                     .integrator = "trapezoidal",
                                     .step = 0.01,
                                     .time = NAN,
                                     .nchannels = 3,
                                     .channels = channels};

/* a value that differs in every cell and is not round */
static double cell(int row, int column) { return sin(1.0 + row + 0.37 * column) * pow(10, column); }

static hk_sink *write_rows_as(const char *path, int rows, const hk_results_meta *as) {
  hk_sink *sink = NULL;
  ck_assert_int_eq(hki_results_open(ctx, path, as, &sink), HK_OK);
  for (int i = 0; i < rows; i++) {
    double v[3] = {cell(i, 0), cell(i, 1), cell(i, 2)};
    ck_assert_int_eq(sink->row(sink, 0.01 * i, v), HK_OK);
  }
  return sink;
}

static hk_sink *write_rows(const char *path, int rows) { return write_rows_as(path, rows, &meta); }

/* --- numbers ------------------------------------------------------------------------------------
 */

static const char *printed(const hk_powers *p, double x) {
  static char text[HK_NUMBER_MAX + 1];
  int32_t n = hki_number_print(p, x, text);
  ck_assert_int_lt(n, HK_NUMBER_MAX);
  text[n] = '\0';
  return text;
}

START_TEST(test_number_words) {
  static const struct {
    double x;
    const char *text;
  } cases[] = {{0.0, "0"},
               {-0.0, "-0"},
               {1.0, "1"},
               {-2.5, "-2.5"},
               {0.1, "0.1"},
               {0.3, "0.3"},
               {1e15, "1000000000000000"},
               {1e17, "1e17"},
               {1e-4, "0.0001"},
               {1.5e-7, "1.5e-7"},
               {123456.789, "123456.789"},
               {1e300, "1e300"},
               {5e-324, "5e-324"},
               {2.2250738585072014e-308, "2.2250738585072014e-308"},
               {1.7976931348623157e308, "1.7976931348623157e308"},
               {9007199254740993.0, "9007199254740992"},
               {1.0 / 3.0, "0.3333333333333333"},
               {INFINITY, "inf"},
               {-INFINITY, "-inf"},
               {NAN, "nan"}};
  hk_powers *p = malloc(sizeof *p);
  hki_powers_make(p);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ck_assert_str_eq(printed(p, cases[i].x), cases[i].text);
  }
  free(p);
}
END_TEST

/* reads back the same, and no text of fewer digits does */
static void check_shortest(const hk_powers *p, double x) {
  const char *text = printed(p, x);
  ck_assert_msg(strtod(text, NULL) == x, "%s is not %.17g", text, x);
  int digits = 1, ours = 0, zeros = 0;
  char other[40];
  for (; digits < 17; digits++) {
    snprintf(other, sizeof other, "%.*e", digits - 1, x);
    if (strtod(other, NULL) == x) break;
  }
  for (const char *s = text; *s && *s != 'e'; s++) {
    if (*s < '0' || *s > '9' || (ours == 0 && *s == '0')) continue;
    ours++;
    zeros = *s == '0' ? zeros + 1 : 0;
  }
  ck_assert_msg(ours - zeros <= digits, "%s has more than %d digits", text, digits);
}

START_TEST(test_number_shortest) {
  hk_powers *p = malloc(sizeof *p);
  hki_powers_make(p);
  uint64_t s = 88172645463325252u;
  int rounds = test_short() ? 20000 : 200000;
  for (int i = 0; i < rounds; i++) {
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    // any bits; powers of two; subnormal numbers; short decimals
    uint64_t bits = s;
    if (i % 4 == 1) bits &= 0xfff0000000000000u;
    if (i % 4 == 2) bits &= 0x000fffffffffffffu;
    double x;
    memcpy(&x, &bits, sizeof x);
    if (i % 4 == 3) x = (double)(int64_t)(s >> 40) / 1000.0;
    if (isfinite(x) && x != 0.0) check_shortest(p, x);
  }
  free(p);
}
END_TEST

/* --- CSV ----------------------------------------------------------------------------------------
 */

START_TEST(test_csv_rows) {
  const char *path = in_dir("a.csv");
  int rows = 3000; // more than the buffer holds
  hk_sink *sink = write_rows(path, rows);
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
  hk_sink *sink = write_rows(path, 1);
  uint64_t before = hk_ctx_allocations(ctx);
  double v[3] = {0.1, 0.2, 0.3};
  for (int i = 0; i < 10000; i++) sink->row(sink, i, v);
  ck_assert_uint_eq(hk_ctx_allocations(ctx), before);
  sink->close(sink, NULL);
}
END_TEST

/* --- taking the place ------------------------------------------------------------------------- */

START_TEST(test_old_file_stays_until_close) {
  const char *const names[] = {"a.csv", "a.nc"};
  const char *path = in_dir(names[_i]);
  write_text(path, "the old one");
  chmod(path, 0640);
  hk_sink *sink = write_rows(path, 5);
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
  const char *const names[] = {"a.csv", "a.nc"};
  hki_results_abandon(write_rows(in_dir(names[_i]), 5));
  ck_assert_int_eq(count_files(false), 0);
}
END_TEST

START_TEST(test_link_is_followed) {
  const char *path = in_dir("a.csv"), *link = in_dir("b.csv");
  struct stat st;
  write_text(path, "old");
  ck_assert_int_eq(symlink(path, link), 0);
  hk_sink *sink = write_rows(link, 1);
  ck_assert_int_eq(sink->close(sink, NULL), HK_OK);
  ck_assert_int_eq(lstat(link, &st), 0);
  ck_assert(S_ISLNK(st.st_mode));
  char *text = read_text(path);
  ck_assert_int_eq(strncmp(text, "t,", 2), 0);
  hki_free(ctx, text);
}
END_TEST

START_TEST(test_upper_case_extension) {
  hk_sink *sink = write_rows(in_dir("A.CSV"), 1);
  ck_assert_int_eq(sink->close(sink, NULL), HK_OK);
}
END_TEST

/* --- what cannot be done ---------------------------------------------------------------------- */

static void check_refused(const char *path, hk_status code, const char *words) {
  hk_sink *sink = (hk_sink *)dir;
  ck_assert_int_eq(hki_results_open(ctx, path, &meta, &sink), code);
  ck_assert_ptr_null(sink);
  const hk_message *m = hk_ctx_message(ctx, hk_ctx_message_count(ctx) - 1);
  ck_assert_ptr_nonnull(m);
  ck_assert_msg(strstr(m->text, words) != NULL, "'%s' lacks '%s'", m->text, words);
}

START_TEST(test_refused) {
  check_refused(in_dir("a.txt"), HK_E_USAGE, ".csv and .nc");
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
  hk_sink *sink = write_rows(path, 1);
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
  const char *const names[] = {"a.csv", "a.nc"};
  for (uint64_t n = 1; n < 20; n++) {
    hk_sink *sink = NULL;
    hki_alloc_fail_at(ctx, n);
    hk_status status = hki_results_open(ctx, in_dir(names[_i]), &meta, &sink);
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

/* --- NetCDF ----------------------------------------------------------------------------------- */

#ifdef HK_WITH_NETCDF

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
  static const int counts[] = {0, 1, 7, 8, 1024, 1500};
  int rows = counts[_i], file;
  const char *path = in_dir("a.nc"), *summary = "{\"final\": {}, \"status\": \"ok\"}";
  hk_sink *sink = write_rows(path, rows);
  ck_assert_int_eq(sink->close(sink, summary), HK_OK);
  ck_assert_int_eq(nc_open(path, NC_NOWRITE, &file), NC_NOERR);
  check_time(file, rows);
  check_rows(file, rows);
  check_attribute(file, NC_GLOBAL, "summary", summary);
  check_attribute(file, NC_GLOBAL, "status", "ok");
  nc_close(file);
}
END_TEST

/* so many chunks that their trees have several leaves (64 chunks), then several levels (64 leaves);
 * with and without compression */
START_TEST(test_netcdf_trees) {
  static const int counts[] = {16 * 64, 16 * 64 + 1, 16 * 64 * 64, 16 * 64 * 64 + 16 * 70 + 3};
  const char *path = in_dir("a.nc");
  hk_results_meta other = meta;
  int rows = counts[_i / 2], file, var, shuffle, deflate, level;
  other.rows = 16;
  other.compress = _i % 2 ? 1 : 0;
  hk_sink *sink = write_rows_as(path, rows, &other);
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

/* noise does not shrink and is kept as it is; constants shrink much */
START_TEST(test_netcdf_compression) {
  const char *path = in_dir("a.nc");
  int file, var;
  hk_results_meta other = meta;
  hk_sink *sink = NULL;
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
  hk_sink *sink = write_rows_as(path, 0, &other);
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
  hk_sink *sink = write_rows(path, 1);
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
  int file, var;
  const char *path = in_dir("a.nc");
  char *big = malloc(300001);
  memset(big, 'm', 300000);
  big[300000] = '\0';
  hk_results_channel odd[] = {
      {"signal.a/b", "", NULL}, {"signal.\xc3\xa4", "m", NULL}, {"signal.a_b", "", NULL}};
  hk_results_meta other = {
      .nchannels = 3, .channels = odd, .step = NAN, .time = NAN, .model_text = big};
  hk_sink *sink = NULL;
  double v[3] = {1, 2, 3}, x;
  size_t n, at = 0;
  char *long_text = NULL;
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
  // a text of more than 64 KB is of variable length
  ck_assert_int_eq(nc_inq_attlen(file, NC_GLOBAL, "model_text", &n), NC_NOERR);
  ck_assert_uint_eq(n, 1);
  ck_assert_int_eq(nc_get_att_string(file, NC_GLOBAL, "model_text", &long_text), NC_NOERR);
  ck_assert_str_eq(long_text, big);
  nc_free_string(1, &long_text);
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
  hk_sink *sink = NULL;
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

Suite *suite_results(void);
Suite *suite_results(void) {
  Suite *s = suite_create("results");
  TCase *c = tcase_create("files");
  tcase_add_checked_fixture(c, setup, teardown);
  tcase_add_test(c, test_number_words);
  tcase_add_test(c, test_number_shortest);
  tcase_add_test(c, test_csv_rows);
  tcase_add_test(c, test_csv_no_allocation);
  int formats = 1;
#ifdef HK_WITH_NETCDF
  formats = 2;
  tcase_add_loop_test(c, test_netcdf_rows, 0, 6);
  tcase_add_loop_test(c, test_netcdf_trees, 0, 8);
  tcase_add_test(c, test_netcdf_compression);
  tcase_add_loop_test(c, test_netcdf_snapshot, 0, 2);
  tcase_add_test(c, test_netcdf_words);
  tcase_add_test(c, test_netcdf_names);
  tcase_add_test(c, test_netcdf_many);
#endif
  tcase_add_loop_test(c, test_old_file_stays_until_close, 0, formats);
  tcase_add_loop_test(c, test_abandon, 0, formats);
  tcase_add_loop_test(c, test_out_of_memory, 0, formats);
  tcase_add_test(c, test_link_is_followed);
  tcase_add_test(c, test_upper_case_extension);
  tcase_add_test(c, test_refused);
  tcase_add_test(c, test_directory_goes_away);
  suite_add_tcase(s, c);
  return s;
}
