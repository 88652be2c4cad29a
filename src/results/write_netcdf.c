/* SPDX-License-Identifier: Apache-2.0
 *
 * write_netcdf.c: results as a NetCDF-4 file, which is an HDF5 file of a certain layout:
 *   dimension   time (unlimited)
 *   variables   time(time), and one of time per channel with its unit and meaning
 *   attributes  the model's text, the settings and, at the end, the summary
 *   group       geometry, the animation (write_netcdf_scene.c)
 * In HDF5, a NetCDF dimension is a dataset with CLASS = "DIMENSION_SCALE", a NAME and an id, and a
 * variable refers to its dimensions by DIMENSION_LIST.
 *
 * Rows are collected into a block of at most 1016, one chunk of every channel, and written
 * together; so memory does not grow with the run. About once a second a snapshot makes the file
 * readable with all rows so far, so that a killed run leaves them. Snapshots alternate between two
 * places in the file, so that the last valid one is never overwritten.
 *
 * A long run with compression has a worker thread: it packs and writes one block while the next is
 * being filled. From hki_worker_give to hki_worker_wait the worker alone uses file, table and
 * bytes; it has a context of its own for their memory.
 */
#include "results/results_impl.h"

#ifdef HK_WITH_NETCDF

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hooke/version.h"

enum { BLOCK_ROWS = 1016, BLOCK_MIN = 16, BLOCK_BYTES = 1 << 24, FORMAT = 1, TILE = 8 };
enum { SNAPSHOT_CHANNELS = 20000, NAME_MAX_BYTES = 256 };
/* expected bytes of numbers: below GATHERED the file collects small writes (hki_h5_open); from
 * WORKER_PACKED on a run with compression has a worker */
enum { GATHERED = 1 << 22, WORKER_PACKED = 1 << 19 };
static const double snapshot_every = 1.0; /* wall-clock seconds */

typedef struct nc_writer {
  hk_results base;
  hk_ctx *ctx;
  hk_swap swap;
  hk_h5_file file;
  hk_pool *pool;        /* copies of texts */
  hk_results_meta meta; /* its texts are in the pool */
  const char **name;    /* name[table.nsets]: of the variables in the file */
  hk_h5_table table;    /* time, then the channels */
  double *tile;         /* TILE x nsets: the latest rows, row by row */
  double *block;        /* nsets x table.chunk[0]: the block being filled, variable by variable */
  double *other;        /* same size: the block given to the worker; NULL: no worker */
  int32_t filled;       /* rows in block and tile together */
  hk_worker *worker;    /* NULL: blocks are written at once */
  hk_ctx *own;          /* the worker's context */
  struct {
    const double *block;
    int32_t rows;
    double took;    /* wall-clock seconds of the last snapshot */
  } job;            /* of the worker */
  uint64_t written; /* rows in the file */
  hk_nc_scene *scene;
  hk_h5_bytes bytes;            /* the description of a commit */
  uint64_t extension;           /* address of the superblock's extension in it */
  uint64_t slot[2], slot_bytes; /* addresses and size of the two places of snapshots */
  int next_slot;
  uint64_t room, room_bytes; /* a place for the last description when the disk is full; 0: none */
  double last, every;        /* wall-clock time of the last snapshot; seconds between snapshots */
  hk_status status;          /* the first failure; rows after it are not written */
} nc_writer;

static hk_status check(nc_writer *w, int error) {
  if (error == 0 || w->status != HK_OK) return w->status;
  if (error == ENOMEM) return w->status = hki_no_memory(w->ctx);
  w->status = hki_error(w->ctx, HK_E_FILE, HK_LOC_NONE, NULL, "cannot write '%s': %s",
                        w->swap.target, strerror(error));
  return w->status;
}

/* --- the description -------------------------------------------------------------------------- */

void hki_nc_dimension(hk_h5_object *o, const char *name, int32_t id, int64_t length) {
  char alone[80];
  snprintf(alone, sizeof alone, "This is a netCDF dimension but not a netCDF variable.%10lld",
           (long long)length);
  hki_h5_word(o, "CLASS", "DIMENSION_SCALE");
  hki_h5_word(o, "NAME", length < 0 ? name : alone);
  hki_h5_integer(o, "_Netcdf4Dimid", id);
}

/* the variable of channel i - 1, or of time (i = 0); returns its address */
static uint64_t put_channel(nc_writer *w, int32_t i, uint64_t heap, uint64_t partial) {
  const hk_results_meta *m = &w->meta;
  const hk_results_channel time = {"time", m->axis ? m->axis_unit : "s",
                                   m->axis ? m->axis : "time"};
  const hk_results_channel *c = i ? &m->channels[i - 1] : &time;
  const int32_t dim = HK_NC_TIME;
  hk_h5_object o = hki_h5_set(&w->bytes, &w->file, &w->table, i, partial);
  if (i == 0) {
    hki_nc_dimension(&o, "time", HK_NC_TIME, -1);
  } else {
    hki_h5_dimensions(&o, heap, &dim, 1);
  }
  hki_h5_text(&o, "units", c->unit && *c->unit ? c->unit : "1");
  hki_h5_text(&o, "long_name", c->text);
  if (strcmp(w->name[i], c->name) != 0) hki_h5_text(&o, "channel", c->name);
  hki_h5_object_end(&o);
  return o.address;
}

hk_nc_long hki_nc_long(hk_h5_bytes *b, uint64_t heap, int32_t id, const char *name,
                       const char *text) {
  hk_nc_long out = {HK_H5_NOWHERE, HK_H5_NOWHERE, ""};
  uint64_t n = text ? strlen(text) : 0;
  if (n <= HK_H5_TEXT) return out;
  snprintf(out.name, sizeof out.name, "%s_bytes", name);
  hk_h5_object o = hki_h5_fixed_set(b, HK_H5_F32, 1, &n, HK_H5_NOWHERE);
  hki_nc_dimension(&o, out.name, id, (int64_t)n);
  hki_h5_object_end(&o);
  hki_h5_refer(b, heap, id, o.address);
  out.dimension = o.address;
  uint64_t at = hki_h5_align(b);
  hki_h5_put(b, text, (size_t)n);
  o = hki_h5_fixed_set(b, HK_H5_CHAR, 1, &n, at);
  hki_h5_dimensions(&o, heap, &id, 1);
  hki_h5_object_end(&o);
  out.variable = o.address;
  return out;
}

/* the root: attributes of the file itself, links to everything */
static uint64_t put_root(nc_writer *w, const uint64_t *address, uint64_t heap, uint64_t geometry,
                         const char *status, const char *summary) {
  const hk_results_meta *m = &w->meta;
  hk_results_text texts[HK_NC_TEXTS];
  hk_nc_long longer[HK_NC_TEXTS];
  char hash[HK_RESULTS_HASH];
  hki_results_texts(m, status, summary, hash, texts);
  int32_t n = m->nchannels + 1, more = n;
  for (int32_t i = 0; i < HK_NC_TEXTS; i++)
    longer[i] = hki_nc_long(&w->bytes, heap, HK_NC_LONG + i, texts[i].name, texts[i].text);
  hk_h5_object o = hki_h5_object(&w->bytes);
  hki_h5_group(&o, n + 1 + 2 * HK_NC_TEXTS);
  for (int32_t i = 0; i < n; i++) hki_h5_link(&o, w->name[i], i, address[i]);
  if (geometry != HK_H5_NOWHERE) hki_h5_link(&o, "geometry", more++, geometry);
  for (int32_t i = 0; i < HK_NC_TEXTS; i++) {
    if (longer[i].variable == HK_H5_NOWHERE) continue;
    hki_h5_link(&o, longer[i].name, more++, longer[i].dimension);
    hki_h5_link(&o, texts[i].name, more++, longer[i].variable);
  }
  hki_h5_integer(&o, "hooke_format", FORMAT);
  for (int32_t i = 0; i < HK_NC_TEXTS; i++) hki_h5_text(&o, texts[i].name, texts[i].text);
  if (!isnan(m->step)) hki_h5_number(&o, "step_s", m->step);
  if (!isnan(m->time)) hki_h5_number(&o, "time_s", m->time);
  hki_h5_object_end(&o);
  return o.address;
}

/* the description of everything in w->bytes, to be written at address `base`; returns the address
 * of the root group */
static uint64_t put_all(nc_writer *w, uint64_t base, uint64_t partial, const char *status,
                        const char *summary) {
  hk_h5_bytes *b = &w->bytes;
  int32_t n = w->meta.nchannels + 1;
  uint64_t geometry = HK_H5_NOWHERE, *address = hki_alloc(b->ctx, (size_t)n * sizeof *address);
  if (!address) {
    b->failed = true;
    return HK_H5_NOWHERE;
  }
  b->n = 0;
  b->base = base;
  b->failed = false;
  hki_h5_reserve(b, 16384 + (size_t)n * 1024);
  w->extension = hki_h5_extension(b);
  uint64_t heap = hki_h5_heap(b, HK_NC_DIMENSIONS);
  for (int32_t i = 0; i < n; i++) address[i] = put_channel(w, i, heap, partial);
  hki_h5_refer(b, heap, HK_NC_TIME, address[0]);
  if (w->scene) geometry = hki_nc_scene_describe(w->scene, b, heap);
  uint64_t root = put_root(w, address, heap, geometry, status, summary);
  hki_free(b->ctx, address);
  return root;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* transpose the rows of the tile into the block; TILE doubles are one cache line of a column */
static void turn(nc_writer *w, int32_t rows) {
  size_t n = (size_t)w->table.nsets, stride = w->table.chunk[0];
  const double *tile = w->tile;
  double *column = w->block + w->filled - rows;
  for (size_t i = 0; i < n; i++, column += stride, tile++) {
    if (rows == TILE) {
      for (size_t k = 0; k < TILE; k++) column[k] = tile[k * n];
    } else {
      for (size_t k = 0; k < (size_t)rows; k++) column[k] = tile[k * n];
    }
  }
}

/* zero the unused rows of the last block */
static void clear_rest(nc_writer *w) {
  size_t stride = w->table.chunk[0], filled = (size_t)w->filled;
  for (size_t i = 0; i < (size_t)w->table.nsets && filled; i++)
    memset(w->block + i * stride + filled, 0, (stride - filled) * sizeof *w->block);
}

/* write the partly filled block of the job and a description of the file into the next place */
static int snapshot(nc_writer *w) {
  const int32_t rows = w->job.rows;
  size_t block = rows ? (size_t)w->table.nsets * hki_h5_chunk_bytes(&w->table) : 0;
  hk_h5_file *f = &w->file;
  uint64_t at = w->slot[w->next_slot], root;
  w->table.rows = w->written + (uint64_t)rows;
  for (;;) {
    root = put_all(w, at + block, rows ? at : HK_H5_NOWHERE, "unfinished", NULL);
    if (w->bytes.failed) return ENOMEM;
    if (block + w->bytes.n <= w->slot_bytes) break;
    // too small: two new places at the end of the file, with room to grow
    const uint64_t bytes = (block + w->bytes.n + w->bytes.n / 4) / 4096 * 4096 + 4096;
    at = (f->end + 7) / 8 * 8;
    if (ftruncate(f->fd, (off_t)(at + 2 * bytes)) != 0) return errno;
    w->slot[0] = at, w->slot[1] = at + bytes;
    w->slot_bytes = bytes;
    w->next_slot = 0;
    f->end = at + 2 * bytes;
  }
  w->next_slot = 1 - w->next_slot;
  int error = hki_h5_write(f, at, w->job.block, block);
  return error ? error : hki_h5_commit(f, &w->bytes, root, w->extension);
}

/* The two jobs of the worker: take_snapshot, write_block. A snapshot is a precaution: when the file
 * has no room for it, the run goes on without, as long as its blocks can be written. */
static int take_snapshot(void *arg) {
  nc_writer *w = arg;
  double from = hki_wall_seconds();
  int error = snapshot(w);
  w->job.took = error ? INFINITY : hki_wall_seconds() - from;
  return error == ENOMEM ? error : 0;
}

static int write_block(void *arg) {
  nc_writer *w = arg;
  int error = hki_h5_table_append(&w->file, &w->table, w->job.block);
  if (!error) w->written += (uint64_t)w->job.rows;
  return error;
}

static void snapshot_when_due(nc_writer *w) {
  double now = hki_wall_seconds();
  if (now - w->last < w->every || w->status != HK_OK || !hki_worker_idle(w->worker)) return;
  // snapshots take at most 1 % of the time
  w->every = fmax(snapshot_every, 100.0 * w->job.took);
  if (now - w->last < w->every) return;
  w->job.block = w->block;
  w->job.rows = w->filled;
  if (w->other) {
    memcpy(w->other, w->block, (size_t)w->table.nsets * hki_h5_chunk_bytes(&w->table));
    w->job.block = w->other;
  }
  check(w, hki_worker_give(w->worker, take_snapshot, w));
  w->last = hki_wall_seconds();
  w->base.busy += w->last - now;
}

static hk_status flush(nc_writer *w) {
  if (w->filled == 0 || w->status != HK_OK) return w->status;
  const double from = hki_wall_seconds();
  if (check(w, hki_worker_wait(w->worker)) != HK_OK) return w->status;
  w->job.block = w->block;
  w->job.rows = w->filled;
  check(w, hki_worker_give(w->worker, write_block, w));
  if (w->other) {
    w->block = w->other;
    w->other = (double *)w->job.block;
  }
  w->filled = 0;
  w->base.busy += hki_wall_seconds() - from;
  return w->status;
}

static hk_status nc_row(hk_results *self, double t, const double *values) {
  nc_writer *w = (nc_writer *)self;
  double *row = w->tile + (size_t)(w->filled % TILE) * (size_t)w->table.nsets;
  if (w->status != HK_OK) return w->status;
  row[0] = t;
  memcpy(row + 1, values, (size_t)w->meta.nchannels * sizeof *row);
  if (++w->filled % TILE) return HK_OK;
  turn(w, TILE);
  if (w->filled == (int32_t)w->table.chunk[0]) flush(w);
  snapshot_when_due(w);
  return w->status;
}

static hk_status nc_frame(hk_results *self, double t, const float *values) {
  nc_writer *w = (nc_writer *)self;
  if (!w->scene || w->status != HK_OK) return w->status;
  if (!hki_nc_scene_fills(w->scene)) return check(w, hki_nc_scene_frame(w->scene, t, values));
  const double from = hki_wall_seconds();
  check(w, hki_nc_scene_frame(w->scene, t, values));
  w->base.busy += hki_wall_seconds() - from;
  return w->status;
}

static hk_status nc_scene(hk_results *self, const hk_results_scene *scene) {
  nc_writer *w = (nc_writer *)self;
  if (!w->scene || w->status != HK_OK) return w->status;
  if (check(w, hki_worker_wait(w->worker)) != HK_OK) return w->status;
  return check(w, hki_nc_scene_put(w->scene, scene));
}

/* --- life ------------------------------------------------------------------------------------- */

static void nc_free(nc_writer *w) {
  hki_worker_end(w->worker);
  hki_nc_scene_free(w->scene);
  hki_h5_table_free(&w->file, &w->table);
  hki_h5_close(&w->file);
  hki_swap_end(&w->swap);
  hki_free(w->bytes.ctx, w->bytes.p);
  hki_free(w->ctx, w->tile);
  hki_free(w->ctx, w->block);
  hki_free(w->ctx, w->other);
  if (w->pool) hki_pool_destroy(w->pool);
  hk_ctx_destroy(w->own);
  hki_free(w->ctx, w);
}

/* write the description of the file at this address and commit it; `most`: bytes it may take */
static int describe_at(nc_writer *w, uint64_t at, uint64_t most, const char *status,
                       const char *summary) {
  w->table.rows = w->written;
  uint64_t root = put_all(w, at, HK_H5_NOWHERE, status, summary);
  if (w->bytes.failed) return ENOMEM;
  return w->bytes.n > most ? ENOSPC : hki_h5_commit(&w->file, &w->bytes, root, w->extension);
}

/* the same at the end of the file */
static int describe(nc_writer *w, const char *status, const char *summary) {
  return describe_at(w, (w->file.end + 7) / 8 * 8, UINT64_MAX, status, summary);
}

/* Room for a description, written while the disk is not yet full. It grows by the nodes of the
 * chunk trees, one for 16 blocks and the nodes above these. */
static int reserve(nc_writer *w) {
  enum { NODE = 640 };
  const uint64_t blocks = (uint64_t)w->meta.rows / w->table.chunk[0];
  w->table.rows = 0;
  (void)put_all(w, w->file.end, HK_H5_NOWHERE, "unfinished", NULL);
  if (w->bytes.failed) return ENOMEM;
  const uint64_t n = w->bytes.n + (uint64_t)(w->table.nsets + 3) * NODE * (3 + blocks / 240);
  unsigned char *zeros = hki_alloc(w->ctx, n);
  int error = zeros ? hki_h5_append(&w->file, zeros, n, &w->room) : ENOMEM;
  if (!error) w->room_bytes = n;
  hki_free(w->ctx, zeros);
  return error;
}

static void complete(nc_writer *w, const char *summary) {
  char status[64];
  check(w, hki_h5_table_end(&w->file, &w->table));
  if (w->scene && w->status == HK_OK) check(w, hki_nc_scene_end(w->scene));
  hki_results_status(summary, status, sizeof status);
  if (w->status == HK_OK) check(w, describe(w, status, summary));
}

/* disk full: drop the unfinished block and describe the blocks before it, at the end of the file or
 * in a place that was reserved */
static void rescue(nc_writer *w) {
  if (w->file.fd < 0 || w->file.lost || ftruncate(w->file.fd, (off_t)w->file.end) != 0) return;
  int error = describe(w, "unfinished", NULL);
  if (error) error = describe_at(w, w->room, w->room_bytes, "unfinished", NULL);
  if (error) (void)describe_at(w, w->slot[w->next_slot], w->slot_bytes, "unfinished", NULL);
}

static hk_status nc_finish(hk_results *self, const char *summary_json) {
  nc_writer *w = (nc_writer *)self;
  turn(w, w->filled % TILE);
  clear_rest(w);
  flush(w);
  check(w, hki_worker_wait(w->worker));
  if (w->status == HK_OK) complete(w, summary_json);
  if (w->status != HK_OK) rescue(w);
  check(w, hki_h5_close(&w->file));
  if (w->status == HK_OK) w->status = hki_swap_commit(&w->swap);
  if (w->status != HK_OK) hki_swap_keep(&w->swap);
  hk_status result = w->status;
  nc_free(w);
  return result;
}

static void nc_abandon(hk_results *self) { nc_free((nc_writer *)self); }

/* Rows of a block: a quarter of the expected rows, fewer for very many channels. The largest number
 * is no multiple of 512, so that the columns of a block do not all map to the same cache sets. */
static uint32_t block_rows(const hk_results_meta *meta) {
  int64_t rows = BLOCK_BYTES / ((int64_t)sizeof(double) * ((int64_t)meta->nchannels + 1));
  if (meta->rows > 0 && (meta->rows + 3) / 4 < rows) rows = (meta->rows + 3) / 4;
  rows = (rows + TILE - 1) / TILE * TILE;
  return rows > BLOCK_ROWS ? BLOCK_ROWS : rows < BLOCK_MIN ? BLOCK_MIN : (uint32_t)rows;
}

/* a channel's name in the file: '_' for slashes, control characters and a blank at the end */
static void file_name(const char *name, char *buf, size_t cap) {
  size_t n = 0;
  for (; *name && n + 1 < cap; name++) {
    unsigned char c = (unsigned char)*name;
    buf[n++] = c < 0x20 || c == 0x7f || c == '/' || (c == ' ' && !name[1]) ? '_' : *name;
  }
  buf[n] = '\0';
}

/* give each variable a unique name; `time` and `geometry` are reserved */
static bool name_all(nc_writer *w) {
  char name[NAME_MAX_BYTES];
  int32_t n = w->meta.nchannels + 1;
  hk_names *taken = hki_names_create(w->ctx);
  w->name = hki_pool_alloc(w->pool, (size_t)n * sizeof *w->name);
  bool ok = taken && w->name;
  if (ok) hki_names_add(taken, "geometry", n, NULL);
  for (int32_t i = 0; ok && i < n; i++) {
    file_name(i ? w->meta.channels[i - 1].name : "time", name, sizeof name - 12);
    size_t len = strlen(name);
    for (int32_t k = 2; hki_names_find(taken, name) >= 0; k++) {
      snprintf(name + len, sizeof name - len, "_%d", (int)k);
    }
    w->name[i] = hki_pool_strdup(w->pool, name);
    ok = w->name[i] && hki_names_add(taken, w->name[i], i, NULL);
  }
  if (taken) hki_names_destroy(taken);
  return ok;
}

static bool copy_meta(nc_writer *w, const hk_results_meta *meta) {
  hk_results_meta *m = &w->meta;
  hk_results_channel *list;
  *m = *meta;
  const char **texts[] = {&m->title,    &m->model_path, &m->model_text,  &m->model_files,
                          &m->settings, &m->command,    &m->formulation, &m->integrator,
                          &m->analysis, &m->axis,       &m->axis_unit};
  for (int32_t i = 0; i < HK_ARRAY_LEN(texts); i++) {
    if (*texts[i] && !(*texts[i] = hki_pool_strdup(w->pool, *texts[i]))) return false;
  }
  m->channels = list = hki_pool_alloc(w->pool, ((size_t)m->nchannels + 1) * sizeof *list);
  for (int32_t i = 0; list && i < m->nchannels; i++) {
    const hk_results_channel *c = &meta->channels[i];
    list[i] = (hk_results_channel){hki_pool_strdup(w->pool, c->name),
                                   hki_pool_strdup(w->pool, c->unit ? c->unit : ""),
                                   hki_pool_strdup(w->pool, c->text ? c->text : "")};
    if (!list[i].name || !list[i].unit || !list[i].text) return false;
  }
  return list;
}

/* expected bytes of numbers; infinite when the number of rows is not known */
static double expected_bytes(const hk_results_meta *meta) {
  if (meta->rows <= 0) return INFINITY;
  return (double)meta->rows * 8.0 * ((double)meta->nchannels + 1.0);
}

/* Start the worker when compression will take long enough to pay for it; on failure the run goes on
 * without. Uncompressed writing does not pay: moving a block to another processor's cache takes as
 * long as copying it into the page cache. */
static void open_worker(nc_writer *w, const hk_results_meta *meta) {
  if (!meta->compress || expected_bytes(meta) < WORKER_PACKED) return;
  w->own = hk_ctx_create();
  if (!w->own) return;
  size_t n = (size_t)w->table.nsets * hki_h5_chunk_bytes(&w->table);
  w->other = hki_alloc(w->ctx, n);
  if (w->other) w->worker = hki_worker_create(w->ctx);
  if (w->worker) {
    w->file.ctx = w->bytes.ctx = w->own;
  } else {
    hki_free(w->ctx, w->other);
    w->other = NULL;
  }
}

static hk_status open_all(nc_writer *w, const char *path, const hk_results_meta *meta) {
  size_t n = (size_t)meta->nchannels + 1;
  w->pool = hki_pool_create(w->ctx);
  w->table = (hk_h5_table){.type = HK_H5_F64, .nsets = meta->nchannels + 1, .rank = 1};
  w->table.chunk[0] = block_rows(meta);
  w->tile = hki_alloc(w->ctx, n * TILE * sizeof(double));
  w->block = hki_alloc(w->ctx, n * w->table.chunk[0] * sizeof(double));
  if (!w->pool || !w->tile || !w->block || !copy_meta(w, meta) || !name_all(w)) return HK_E_MEMORY;
  w->status = hki_swap_open(&w->swap, w->ctx, path);
  if (w->status != HK_OK) return w->status;
  open_worker(w, meta);
  bool gathers = !w->worker && expected_bytes(meta) < GATHERED;
  check(w, hki_h5_open(&w->file, w->bytes.ctx, w->swap.part, meta->compress, gathers));
  if (w->status == HK_OK) check(w, hki_h5_table_open(&w->file, &w->table));
  if (w->status == HK_OK) check(w, hki_nc_scene_open(&w->file, w->worker, meta, &w->scene));
  if (w->status == HK_OK && meta->rows > 0 && expected_bytes(meta) >= GATHERED)
    check(w, reserve(w));
  w->last = hki_wall_seconds();
  w->every = meta->nchannels > SNAPSHOT_CHANNELS ? INFINITY : snapshot_every;
  return w->status;
}

hk_status hki_results_netcdf(hk_ctx *ctx, const char *path, const hk_results_meta *meta,
                             hk_results **out) {
  nc_writer *w = hki_alloc(ctx, sizeof *w);
  if (!w) return HK_E_MEMORY;
  w->base.row = nc_row;
  w->base.close = nc_finish;
  w->base.abandon = nc_abandon;
  w->base.frame = nc_frame;
  w->base.scene = nc_scene;
  w->ctx = w->bytes.ctx = w->file.ctx = ctx;
  w->file.fd = -1;
  hk_status status = open_all(w, path, meta);
  if (status != HK_OK) {
    nc_free(w);
    return status;
  }
  *out = &w->base;
  return HK_OK;
}

#else

hk_status hki_results_netcdf(hk_ctx *ctx, const char *path, const hk_results_meta *meta,
                             hk_results **out) {
  (void)meta, (void)out;
  return hki_error(ctx, HK_E_USAGE, HK_LOC_NONE, "use .csv, or build with HK_WITH_NETCDF=ON",
                   "cannot write '%s': this Hooke was built without NetCDF", path);
}

#endif
