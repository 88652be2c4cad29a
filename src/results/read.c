/* SPDX-License-Identifier: Apache-2.0
 *
 * read.c: opens result files of either format and checks their contents. The first bytes decide the
 * format, not the name.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "results/read.h"

static bool is_result(const hk_result *r) { return hki_is(r, HK_MARK_RESULT); }

static hk_status no_result(const char *function) { return hki_misuse(NULL, function, "no result"); }

const char *const hki_result_keys[HK_RESULT_TEXTS] = {
    "title",       "model_path", "model_text", "model_files", "model_hash",    "command",
    "formulation", "integrator", "status",     "summary",     "hooke_version", "scene",
    "settings",    "grade",      "analysis",   "axis",        "axis_unit",     NULL};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void hki_results_lock(void) { pthread_mutex_lock(&lock); }
void hki_results_unlock(void) { pthread_mutex_unlock(&lock); }

hk_status hki_result_refuse(hk_result *r, const char *hint, const char *fmt, ...) {
  char why[600];
  va_list args;
  va_start(args, fmt);
  vsnprintf(why, sizeof why, fmt, args);
  va_end(args);
  return hki_error(r->ctx, HK_E_FILE, HK_LOC_NONE, hint, "cannot read '%s': %s", r->path, why);
}

hk_status hki_result_add(hk_result *r, const char *name, const char *unit, const char *text) {
  if (r->nchannels >= HK_READ_CHANNELS) {
    return hki_result_refuse(r, NULL, "it has more than %d channels", HK_READ_CHANNELS);
  }
  if (!HK_GROW(r->ctx, r->channels, r->cap, r->nchannels + 1)) return HK_E_MEMORY;
  hk_result_channel *c = &r->channels[r->nchannels];
  *c = (hk_result_channel){hki_pool_strdup(r->pool, name),
                           hki_pool_strdup(r->pool, unit && *unit ? unit : "1"),
                           hki_pool_strdup(r->pool, text ? text : "")};
  if (!c->name || !c->unit || !c->text) return HK_E_MEMORY;
  int32_t at;
  if (!hki_names_add(r->names, c->name, r->nchannels, &at)) {
    if (at < 0) return HK_E_MEMORY;
    return hki_result_refuse(r, NULL, "the channel '%.100s' is there twice", name);
  }
  r->nchannels++;
  return HK_OK;
}

void hki_result_set_text(hk_result *r, const char *key, const char *value, size_t len) {
  for (int32_t i = 0; hki_result_keys[i]; i++)
    if (strcmp(hki_result_keys[i], key) == 0) r->text[i] = hki_pool_strndup(r->pool, value, len);
}

/* --- opening ---------------------------------------------------------------------------------- */

static hk_status look(hk_result *r, bool *hdf5) {
  unsigned char head[8] = {0};
  struct stat st;
  if (stat(r->path, &st) != 0) return hki_file_missing(r->ctx, r->path, HK_LOC_NONE, errno);
  if (!S_ISREG(st.st_mode)) {
    return hki_result_refuse(r, "give the name of a result file", "it is %s",
                             S_ISDIR(st.st_mode) ? "a directory" : "not a regular file");
  }
  const char *dot = strrchr(r->path, '.');
  if (dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml") || !strcmp(dot, ".json")))
    return hki_result_refuse(r, "'hooke run MODEL --output FILE.nc' makes a result of it",
                             "by its name it is a model, and no result");
  FILE *f = fopen(r->path, "rb");
  if (!f) return hki_result_refuse(r, NULL, "%s", strerror(errno));
  size_t n = fread(head, 1, sizeof head, f);
  fclose(f);
  if (n == 0) return hki_result_refuse(r, NULL, "it is empty");
  *hdf5 = n == 8 && memcmp(head, "\x89HDF\r\n\x1a\n", 8) == 0;
  if (memcmp(head, "CDF", 3) == 0) {
    return hki_result_refuse(r, "'hooke run --output FILE.nc' writes NetCDF-4",
                             "it is a classic NetCDF file, not one of Hooke's");
  }
  for (size_t i = 0; !*hdf5 && i < n; i++) {
    if (head[i] < 9 || head[i] == 0x7f || (head[i] > 13 && head[i] < 32)) {
      return hki_result_refuse(r, "'hooke run --output FILE' writes .nc and .csv",
                               "it is neither NetCDF-4 nor CSV");
    }
  }
  return HK_OK;
}

/* the texts that hold JSON must be valid JSON */
static hk_status check_texts(hk_result *r) {
  static const char *const keys[] = {"summary", "scene", "model_files", "settings"};
  for (int32_t i = 0; i < HK_ARRAY_LEN(keys); i++) {
    const char *s = hk_result_text(r, keys[i]);
    if (*s && !hki_json_valid(s, strlen(s))) {
      return hki_result_refuse(r, "the file is damaged", "its '%s' is not JSON", keys[i]);
    }
  }
  return HK_OK;
}

hk_status hki_result_create(hk_ctx *ctx, const char *path, hk_result **out) {
  *out = NULL;
  hk_result *r = hki_alloc(ctx, sizeof *r);
  if (!r) return HK_E_MEMORY;
  r->mark = HK_MARK_RESULT;
  r->ctx = ctx;
  r->pool = hki_pool_create(ctx);
  r->names = hki_names_create(ctx);
  r->path = r->pool ? hki_pool_strdup(r->pool, path) : NULL;
  if (r->path && r->names) {
    *out = r;
    return HK_OK;
  }
  hk_result_close(r);
  return HK_E_MEMORY;
}

hk_status hki_result_open_by(hk_ctx *ctx, const char *path, hk_result_reader reader,
                             hk_result **out) {
  bool hdf5 = false;
  hk_result *r = NULL;
  *out = NULL;
  hk_status st = hki_result_create(ctx, path, &r);
  if (st != HK_OK) return st;
  st = look(r, &hdf5);
  if (st == HK_OK) st = hdf5 ? reader(r) : hki_result_open_csv(r);
  if (st == HK_OK) st = check_texts(r);
  if (st != HK_OK) {
    hk_result_close(r);
    return st;
  }
  *out = r;
  return HK_OK;
}

hk_status hk_result_open(hk_ctx *ctx, const char *path, hk_result **out) {
  if (out) *out = NULL;
  if (!hki_is(ctx, HK_MARK_CTX)) return hki_misuse(NULL, "hk_result_open", "no context");
  if (!out || !path)
    return hki_misuse(ctx, "hk_result_open", "no path, or no place for the result");
  // files that Hooke wrote need no library; those that other programs wrote anew need HDF5
  hk_status st = hki_result_open_by(ctx, path, hki_result_open_own, out);
  return st == HK_RETRY ? hki_result_open_by(ctx, path, hki_result_open_apart, out) : st;
}

void hk_result_close(hk_result *r) {
  if (!is_result(r)) return;
  if (r->close) r->close(r);
  hki_free(r->ctx, r->channels);
  if (r->names) hki_names_destroy(r->names);
  if (r->pool) hki_pool_destroy(r->pool);
  r->mark = 0;
  hki_free(r->ctx, r);
}

/* --- asking ----------------------------------------------------------------------------------- */

const char *hk_result_path(const hk_result *r) { return is_result(r) ? r->path : ""; }
int64_t hk_result_rows(const hk_result *r) { return is_result(r) ? r->rows : 0; }
int32_t hk_result_channel_count(const hk_result *r) { return is_result(r) ? r->nchannels : 0; }
int64_t hk_result_frames(const hk_result *r) { return is_result(r) ? r->frames : 0; }
int32_t hk_result_body_count(const hk_result *r) { return is_result(r) ? r->nbodies : 0; }
int32_t hk_result_load_count(const hk_result *r) { return is_result(r) ? r->nloads : 0; }
int32_t hk_result_mesh_points(const hk_result *r) { return is_result(r) ? r->npoints : 0; }
int32_t hk_result_mesh_faces(const hk_result *r) { return is_result(r) ? r->nfaces : 0; }

static const hk_result_channel *channel(const hk_result *r, int32_t i) {
  static const hk_result_channel none = {"", "1", ""}, time = {"t", "s", "time"};
  if (!is_result(r)) return &none;
  if (i == -1) return &time;
  return i >= 0 && i < r->nchannels ? &r->channels[i] : &none;
}

const char *hk_result_channel_name(const hk_result *r, int32_t i) { return channel(r, i)->name; }
const char *hk_result_channel_unit(const hk_result *r, int32_t i) { return channel(r, i)->unit; }
const char *hk_result_channel_text(const hk_result *r, int32_t i) { return channel(r, i)->text; }

int32_t hk_result_channel_find(const hk_result *r, const char *name) {
  return is_result(r) && name ? hki_names_find(r->names, name) : -1;
}

const char *hk_result_text(const hk_result *r, const char *key) {
  if (!is_result(r) || !key) return "";
  for (int32_t i = 0; hki_result_keys[i]; i++)
    if (strcmp(hki_result_keys[i], key) == 0) return r->text[i] ? r->text[i] : "";
  return "";
}

static bool in_range(int64_t first, int64_t count, int64_t n) {
  return first >= 0 && count >= 0 && first <= n && count <= n - first;
}

static hk_status no_such_rows(const hk_result *r) {
  return hki_error(r->ctx, HK_E_USAGE, HK_LOC_NONE, NULL, "no such rows or channel in '%s'",
                   r->path);
}

hk_status hk_result_read(hk_result *r, int32_t i, int64_t first, int64_t count, double *out) {
  if (!is_result(r)) return no_result("hk_result_read");
  if (i < -1 || i >= r->nchannels || !in_range(first, count, r->rows)) {
    return no_such_rows(r);
  }
  if (!out && count) return hki_misuse(r->ctx, "hk_result_read", "no place for the values");
  return count ? r->read(r, i, first, count, out) : HK_OK;
}

hk_status hk_result_read_frames(hk_result *r, int64_t first, int64_t count, double *time,
                                float *poses, float *loads) {
  if (!is_result(r)) return no_result("hk_result_read_frames");
  if (!in_range(first, count, r->frames)) {
    return hki_error(r->ctx, HK_E_USAGE, HK_LOC_NONE, NULL, "no such frames in '%s'", r->path);
  }
  return count ? r->read_frames(r, first, count, time, poses, loads) : HK_OK;
}

hk_status hk_result_read_meshes(hk_result *r, float *points, int32_t *faces) {
  if (!is_result(r)) return no_result("hk_result_read_meshes");
  if (!points || !faces)
    return hki_misuse(r->ctx, "hk_result_read_meshes", "no place for points or faces");
  return r->npoints && r->nfaces ? r->read_meshes(r, points, faces) : HK_OK;
}

/* --- thinning ------------------------------------------------------------------------------------
 *
 * Rows are divided into buckets; of each bucket the smallest and the largest value are kept with
 * their times, in the order of time. */

static int32_t thin_bucket(const double *t, const double *x, int64_t n, double *to, double *xo) {
  int64_t low = 0, high = 0;
  for (int64_t i = 1; i < n; i++) {
    if (x[i] < x[low] || isnan(x[low])) low = i;
    if (x[i] > x[high] || isnan(x[high])) high = i;
  }
  int64_t a = low < high ? low : high, b = low < high ? high : low;
  to[0] = t[a], xo[0] = x[a];
  if (a == b) return 1;
  to[1] = t[b], xo[1] = x[b];
  return 2;
}

hk_status hk_result_thin(hk_result *r, int32_t i, int64_t first, int64_t count, int32_t most,
                         double *t, double *x, int32_t *n) {
  if (n) *n = 0;
  if (!is_result(r)) return no_result("hk_result_thin");
  if (!t || !x || !n) return hki_misuse(r->ctx, "hk_result_thin", "no place for the values");
  if (i < -1 || i >= r->nchannels || !in_range(first, count, r->rows)) return no_such_rows(r);
  if (most < 2) return hki_error(r->ctx, HK_E_USAGE, HK_LOC_NONE, NULL, "two values at least");
  int64_t size = count <= most ? 1 : (count + most / 2 - 1) / (most / 2);
  // blocks of whole buckets, so that memory does not grow with the file
  int64_t block = size * (65536 / size > 0 ? 65536 / size : 1);
  if (block > count) block = count > 0 ? count : 1;
  double *tb = hki_alloc(r->ctx, (size_t)block * sizeof *tb);
  double *xb = hki_alloc(r->ctx, (size_t)block * sizeof *xb);
  hk_status st = tb && xb ? HK_OK : HK_E_MEMORY;
  for (int64_t at = 0; st == HK_OK && at < count; at += block) {
    int64_t m = count - at < block ? count - at : block;
    st = hk_result_read(r, -1, first + at, m, tb);
    if (st == HK_OK) st = hk_result_read(r, i, first + at, m, xb);
    for (int64_t k = 0; st == HK_OK && k < m; k += size) {
      int64_t left = m - k < size ? m - k : size;
      *n += thin_bucket(tb + k, xb + k, left, t + *n, x + *n);
    }
  }
  hki_free(r->ctx, tb);
  hki_free(r->ctx, xb);
  return st;
}
