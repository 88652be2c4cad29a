/* SPDX-License-Identifier: Apache-2.0
 *
 * results_netcdf.c: results as a NetCDF-4 file (HDF5 inside): the unlimited dimension `time`, the
 * variable time(time), and one variable per channel with its unit and meaning; the model's text,
 * the settings and at the end the summary as attributes of the file.
 *
 * Rows are gathered into a block of at most 1024 and written one variable at a time, a block being
 * one chunk of the file, so that memory does not grow with the run. The library below is not made
 * for threads: one lock stands around it.
 *
 * What moves on the screen has its place in the group `geometry` (results_netcdf_scene.c).
 */
#include "io/results_impl.h"

#ifdef HK_WITH_NETCDF

#include <math.h>
#include <netcdf.h>
#include <stdio.h>
#include <string.h>

#include "hooke/version.h"
#include "io/results_read.h"

enum { BLOCK_ROWS = 1024, BLOCK_MIN = 16, BLOCK_BYTES = 1 << 24, FORMAT = 1, MANY = 2000 };

typedef struct nc_writer {
  hk_results base;
  hk_ctx *ctx;
  hk_swap swap;
  int file;  /* -1: not open */
  int *vars; /* vars[nchannels + 1]: time first */
  int32_t nchannels, rows;
  int32_t filled; /* rows in the block */
  size_t written; /* rows in the file */
  double *block;  /* block[(nchannels + 1) * rows], variable by variable */
  hk_nc_scene *scene;
  hk_status status; /* the first failure; rows after it are not written */
} nc_writer;

static hk_status check(nc_writer *w, int code) {
  if (code == NC_NOERR || w->status != HK_OK) return w->status;
  w->status = hki_error(w->ctx, HK_E_FILE, HK_LOC_NONE, NULL, "cannot write '%s': %s",
                        w->swap.target, nc_strerror(code));
  return w->status;
}

/* --- what the file says ------------------------------------------------------------------------
 */

static void put_text(nc_writer *w, int var, const char *name, const char *text) {
  if (!text || !*text || w->status != HK_OK) return;
  check(w, nc_put_att_text(w->file, var, name, strlen(text), text));
}

static void put_number(nc_writer *w, const char *name, double x) {
  if (isnan(x) || w->status != HK_OK) return;
  check(w, nc_put_att_double(w->file, NC_GLOBAL, name, NC_DOUBLE, 1, &x));
}

/* attributes of the file itself */
static void put_meta(nc_writer *w, const hk_results_meta *meta) {
  int format = FORMAT;
  char hash[24];
  check(w, nc_put_att_int(w->file, NC_GLOBAL, "hooke_format", NC_INT, 1, &format));
  put_text(w, NC_GLOBAL, "hooke_version", HK_VERSION_STRING);
  put_text(w, NC_GLOBAL, "title", meta->title);
  put_text(w, NC_GLOBAL, "model_path", meta->model_path);
  put_text(w, NC_GLOBAL, "model_text", meta->model_text);
  if (meta->model_text) {
    uint64_t h = hki_hash(meta->model_text, strlen(meta->model_text), 0);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)h);
    put_text(w, NC_GLOBAL, "model_hash", hash);
  }
  put_text(w, NC_GLOBAL, "command", meta->command);
  put_text(w, NC_GLOBAL, "formulation", meta->formulation);
  put_text(w, NC_GLOBAL, "integrator", meta->integrator);
  put_number(w, "step_s", meta->step);
  put_number(w, "time_s", meta->time);
  put_text(w, NC_GLOBAL, "status", "unfinished");
}

/* names in the file: no slash, no control characters, no blank at the end; else as they are */
static void file_name(const char *name, char *buf, size_t cap) {
  size_t n = 0;
  for (; *name && n + 1 < cap; name++) {
    unsigned char c = (unsigned char)*name;
    buf[n++] = c < 0x20 || c == 0x7f || c == '/' || (c == ' ' && !name[1]) ? '_' : *name;
  }
  buf[n] = '\0';
}

static void define(nc_writer *w, int32_t i, int dim, const hk_results_channel *channel) {
  char name[NC_MAX_NAME + 1];
  size_t chunk = (size_t)w->rows;
  int *var = w->vars + i;
  if (w->status != HK_OK) return;
  file_name(channel->name, name, sizeof name);
  check(w, nc_def_var(w->file, name, NC_DOUBLE, 1, &dim, var));
  if (w->status != HK_OK) return;
  // whole chunks are written at once: nothing to keep in a cache
  check(w, nc_def_var_chunking(w->file, *var, NC_CHUNKED, &chunk));
  check(w, nc_set_var_chunk_cache(w->file, *var, chunk * sizeof(double), 1, 1.0f));
  check(w, nc_def_var_fill(w->file, *var, NC_NOFILL, NULL));
  put_text(w, *var, "units", channel->unit && *channel->unit ? channel->unit : "1");
  put_text(w, *var, "long_name", channel->text);
  if (strcmp(name, channel->name) != 0) put_text(w, *var, "channel", channel->name);
}

static void define_all(nc_writer *w, const hk_results_meta *meta) {
  static const hk_results_channel time = {"time", "s", "time"};
  int dim, old;
  // tying very many variables to the dimension costs the square of their number
  int mode = meta->nchannels > MANY ? NC_NODIMSCALE_ATTACH : 0;
  check(w, nc_create(w->swap.part, NC_NETCDF4 | NC_CLOBBER | mode, &w->file));
  if (w->status != HK_OK) {
    w->file = -1;
    return;
  }
  check(w, nc_set_fill(w->file, NC_NOFILL, &old));
  put_meta(w, meta);
  check(w, nc_def_dim(w->file, "time", NC_UNLIMITED, &dim));
  define(w, 0, dim, &time);
  for (int32_t i = 0; i < meta->nchannels; i++) define(w, i + 1, dim, meta->channels + i);
  if (w->status == HK_OK) check(w, hki_nc_scene_open(w->ctx, w->file, meta, &w->scene));
  check(w, nc_enddef(w->file));
}

/* --- rows ------------------------------------------------------------------------------------- */

static hk_status flush(nc_writer *w) {
  size_t start = w->written, count = (size_t)w->filled;
  if (count == 0) return w->status;
  hki_results_lock();
  for (int32_t i = 0; i <= w->nchannels && w->status == HK_OK; i++) {
    const double *column = w->block + (size_t)i * (size_t)w->rows;
    check(w, nc_put_vara_double(w->file, w->vars[i], &start, &count, column));
  }
  hki_results_unlock();
  w->written += count;
  w->filled = 0;
  return w->status;
}

static hk_status nc_row(hk_sink *self, double t, const double *values) {
  nc_writer *w = (nc_writer *)self;
  double *at = w->block + w->filled;
  *at = t;
  for (int32_t i = 0; i < w->nchannels; i++) at[(size_t)(i + 1) * (size_t)w->rows] = values[i];
  return ++w->filled == w->rows ? flush(w) : w->status;
}

static hk_status nc_frame(hk_sink *self, double t, const float *values) {
  nc_writer *w = (nc_writer *)self;
  if (!w->scene || w->status != HK_OK) return w->status;
  hki_results_lock();
  check(w, hki_nc_scene_frame(w->scene, t, values));
  hki_results_unlock();
  return w->status;
}

static hk_status nc_scene(hk_sink *self, const hk_results_scene *scene) {
  nc_writer *w = (nc_writer *)self;
  if (!w->scene || w->status != HK_OK) return w->status;
  hki_results_lock();
  check(w, hki_nc_scene_put(w->scene, scene));
  hki_results_unlock();
  return w->status;
}

/* --- life ------------------------------------------------------------------------------------- */

static void nc_free(nc_writer *w) {
  if (w->file >= 0) {
    hki_results_lock();
    nc_close(w->file);
    hki_results_unlock();
  }
  hki_swap_end(&w->swap);
  hki_nc_scene_free(w->scene);
  hki_free(w->ctx, w->vars);
  hki_free(w->ctx, w->block);
  hki_free(w->ctx, w);
}

/* the word after "status": in the summary */
static void summary_status(const char *json, char *buf, size_t cap) {
  const char *key = json ? strstr(json, "\"status\"") : NULL;
  const char *open = key ? strchr(key + 8, '"') : NULL,
             *close = open ? strchr(open + 1, '"') : NULL;
  snprintf(buf, cap, "%s", "unknown");
  if (close) snprintf(buf, cap, "%.*s", (int)(close - open - 1), open + 1);
}

static hk_status nc_finish(hk_sink *self, const char *summary_json) {
  nc_writer *w = (nc_writer *)self;
  char status[64];
  flush(w);
  hki_results_lock();
  if (w->scene && w->status == HK_OK) check(w, hki_nc_scene_flush(w->scene));
  summary_status(summary_json, status, sizeof status);
  put_text(w, NC_GLOBAL, "status", status);
  put_text(w, NC_GLOBAL, "summary", summary_json);
  check(w, nc_close(w->file));
  hki_results_unlock();
  w->file = -1;
  if (w->status == HK_OK) w->status = hki_swap_commit(&w->swap);
  if (w->status != HK_OK) hki_swap_keep(&w->swap);
  hk_status result = w->status;
  nc_free(w);
  return result;
}

static void nc_abandon(hk_sink *self) { nc_free((nc_writer *)self); }

/* rows of a block: fewer when there are very many channels */
static int32_t block_rows(int32_t nchannels) {
  int64_t rows = BLOCK_BYTES / ((int64_t)sizeof(double) * ((int64_t)nchannels + 1));
  return rows > BLOCK_ROWS ? BLOCK_ROWS : rows < BLOCK_MIN ? BLOCK_MIN : (int32_t)rows;
}

hk_status hki_results_netcdf(hk_ctx *ctx, const char *path, const hk_results_meta *meta,
                             hk_sink **out) {
  nc_writer *w = hki_alloc(ctx, sizeof *w);
  if (!w) return HK_E_MEMORY;
  size_t n = (size_t)meta->nchannels + 1;
  w->base.sink.row = nc_row;
  w->base.sink.close = nc_finish;
  w->base.abandon = nc_abandon;
  w->base.frame = nc_frame;
  w->base.scene = nc_scene;
  w->ctx = ctx;
  w->file = -1;
  w->nchannels = meta->nchannels;
  w->rows = block_rows(meta->nchannels);
  w->vars = hki_alloc(ctx, n * sizeof *w->vars);
  w->block = hki_alloc(ctx, n * (size_t)w->rows * sizeof(double));
  w->status = w->vars && w->block ? hki_swap_open(&w->swap, ctx, path) : HK_E_MEMORY;
  if (w->status == HK_OK) {
    hki_results_lock();
    define_all(w, meta);
    hki_results_unlock();
  }
  if (w->status != HK_OK) {
    hk_status status = w->status;
    nc_free(w);
    return status;
  }
  *out = &w->base.sink;
  return HK_OK;
}

#else

hk_status hki_results_netcdf(hk_ctx *ctx, const char *path, const hk_results_meta *meta,
                             hk_sink **out) {
  (void)meta, (void)out;
  return hki_error(ctx, HK_E_USAGE, HK_LOC_NONE, "use .csv, or build with HK_WITH_NETCDF=ON",
                   "cannot write '%s': this Hooke was built without NetCDF", path);
}

#endif
