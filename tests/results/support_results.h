/* SPDX-License-Identifier: Apache-2.0
 *
 * support_results.h: a folder for result files, and rows to write into them.
 */
#ifndef TESTS_IO_SUPPORT_RESULTS_H
#define TESTS_IO_SUPPORT_RESULTS_H

#include <check.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "results/results_impl.h"
#include "runner.h"

static char dir[64];
static hk_ctx *ctx;

static inline void setup(void) {
  snprintf(dir, sizeof dir, "/tmp/hooke-results-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(dir));
  ctx = hk_ctx_create();
}

static inline const char *in_dir(const char *name) {
  static char path[4][160];
  static int at;
  at = (at + 1) % 4;
  snprintf(path[at], sizeof path[at], "%s/%s", dir, name);
  return path[at];
}

/* names of the files in the directory; deletes them when asked */
static inline int count_files(bool clean) {
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

static inline void teardown(void) {
  hk_ctx_destroy(ctx);
  count_files(true);
  rmdir(dir);
}

static inline char *read_text(const char *path) {
  char *text = NULL;
  ck_assert_int_eq(hki_read_file(ctx, path, HK_LOC_NONE, 1 << 24, &text, NULL), HK_OK);
  return text;
}

static inline void write_text(const char *path, const char *text) {
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
static inline double cell(int row, int column) {
  return sin(1.0 + row + 0.37 * column) * pow(10, column);
}

static inline hk_results *write_rows_as(const char *path, int rows, const hk_results_meta *as) {
  hk_results *sink = NULL;
  ck_assert_int_eq(hki_results_open(ctx, path, as, &sink), HK_OK);
  for (int i = 0; i < rows; i++) {
    double v[3] = {cell(i, 0), cell(i, 1), cell(i, 2)};
    ck_assert_int_eq(sink->row(sink, 0.01 * i, v), HK_OK);
  }
  return sink;
}

static inline hk_results *write_rows(const char *path, int rows) {
  return write_rows_as(path, rows, &meta);
}

#endif
