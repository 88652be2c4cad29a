/* SPDX-License-Identifier: Apache-2.0
 *
 * spool.c: a result that is written and read by the same program, for the report of a run. Rows and
 * frames are gathered into blocks. Blocks stay in memory up to a limit; further ones go to a
 * temporary file that has no name, so that nothing is left of it however the program ends.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results/read.h"
#include "results/results_impl.h"

enum { BLOCK_ROWS = 512, BLOCK_FRAMES = 64 };
static const size_t memory_most = (size_t)64 << 20; /* bytes of all blocks */

/* blocks of `rows` items; the last one is being filled */
typedef struct table {
  size_t rows, bytes; /* of a block */
  int64_t n;          /* items so far */
  int32_t nblocks, cap;
  struct {
    unsigned char *data; /* NULL: in the file */
    off_t at;
  } * block;
} table;

typedef struct spool {
  hk_ctx *ctx;
  size_t width, nfloats; /* doubles of a row, its time first; floats of a frame */
  table row, frame;      /* columns of a block; frames of a block, the time first */
  size_t held;           /* bytes in memory */
  int fd;                /* -1: no file yet */
  off_t end;
  float *points;
  int32_t *faces;
} spool;

typedef struct writer {
  hk_results base;
  hk_result *r;
} writer;

/* --- blocks ----------------------------------------------------------------------------------- */

static hk_status no_file(hk_ctx *ctx, const char *dir, int error) {
  return hki_error(ctx, HK_E_FILE, HK_LOC_NONE, "set TMPDIR to a folder with more room",
                   "cannot keep the numbers of the report in '%s': %s", dir, strerror(error));
}

/* the file, with no name from the start on */
static hk_status open_file(spool *s) {
  const char *tmp = getenv("TMPDIR"), *dir = tmp && *tmp ? tmp : "/tmp";
  char path[512];
  if (s->fd >= 0) return HK_OK;
  if (snprintf(path, sizeof path, "%s/hooke-report-XXXXXX", dir) >= (int)sizeof path)
    return no_file(s->ctx, dir, ENAMETOOLONG);
  s->fd = mkstemp(path);
  if (s->fd < 0) return no_file(s->ctx, dir, errno);
  unlink(path);
  return HK_OK;
}

/* a full block goes to the file, and its memory to the next one */
static hk_status put_away(spool *s, table *t, int32_t k, unsigned char **data) {
  hk_status st = open_file(s);
  size_t done = 0;
  while (st == HK_OK && done < t->bytes) {
    ssize_t n = pwrite(s->fd, t->block[k].data + done, t->bytes - done, s->end + (off_t)done);
    if (n < 0 && errno != EINTR) return no_file(s->ctx, "the temporary file", errno);
    if (n > 0) done += (size_t)n;
  }
  if (st != HK_OK) return st;
  *data = t->block[k].data;
  t->block[k].data = NULL;
  t->block[k].at = s->end;
  s->end += (off_t)t->bytes;
  return HK_OK;
}

/* room for the next item: its block, and its place there */
static hk_status next_item(spool *s, table *t, unsigned char **block, size_t *place) {
  *place = (size_t)t->n % t->rows;
  if (*place == 0) {
    unsigned char *data = NULL;
    if (!HK_GROW(s->ctx, t->block, t->cap, t->nblocks + 1)) return HK_E_MEMORY;
    if (t->nblocks && s->held + t->bytes > memory_most) {
      hk_status st = put_away(s, t, t->nblocks - 1, &data);
      if (st != HK_OK) return st;
    } else {
      data = hki_alloc(s->ctx, t->bytes);
      s->held += t->bytes;
    }
    if (!data) return HK_E_MEMORY;
    t->block[t->nblocks].data = data;
    t->block[t->nblocks++].at = 0;
  }
  *block = t->block[t->nblocks - 1].data;
  t->n++;
  return HK_OK;
}

/* bytes of a block, wherever they are */
static bool fetch(const spool *s, const table *t, int32_t k, size_t from, size_t n, void *out) {
  if (t->block[k].data) {
    memcpy(out, t->block[k].data + from, n);
    return true;
  }
  for (size_t done = 0; done < n;) {
    ssize_t got = pread(s->fd, (char *)out + done, n - done, t->block[k].at + (off_t)(from + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += (size_t)got;
  }
  return true;
}

static void table_free(spool *s, table *t) {
  for (int32_t i = 0; i < t->nblocks; i++) hki_free(s->ctx, t->block[i].data);
  hki_free(s->ctx, t->block);
}

/* --- reading ---------------------------------------------------------------------------------- */

static hk_status spool_read(hk_result *r, int32_t channel, int64_t first, int64_t count,
                            double *out) {
  const spool *s = r->file;
  const int64_t rows = (int64_t)s->row.rows;
  for (int64_t at = first; at < first + count;) {
    int64_t inside = at % rows, n = rows - inside;
    if (n > first + count - at) n = first + count - at;
    size_t from = ((size_t)(channel + 1) * s->row.rows + (size_t)inside) * sizeof *out;
    if (!fetch(s, &s->row, (int32_t)(at / rows), from, (size_t)n * sizeof *out, out))
      return hki_result_refuse(r, NULL, "its numbers cannot be read");
    at += n, out += n;
  }
  return HK_OK;
}

static hk_status spool_read_frames(hk_result *r, int64_t first, int64_t count, double *time,
                                   float *poses, float *loads) {
  const spool *s = r->file;
  const size_t np = 7 * (size_t)r->nbodies * sizeof *poses,
               nl = 3 * (size_t)r->nloads * sizeof *loads,
               whole = sizeof *time + s->nfloats * sizeof *poses;
  bool ok = true;
  for (int64_t i = 0; i < count && ok; i++) {
    const int32_t k = (int32_t)((first + i) / (int64_t)s->frame.rows);
    const size_t from = (size_t)((first + i) % (int64_t)s->frame.rows) * whole;
    if (time) ok = fetch(s, &s->frame, k, from, sizeof *time, time + i);
    if (poses && ok)
      ok = fetch(s, &s->frame, k, from + sizeof *time, np, (char *)poses + (size_t)i * np);
    if (loads && nl && ok)
      ok = fetch(s, &s->frame, k, from + sizeof *time + np, nl, (char *)loads + (size_t)i * nl);
  }
  return ok ? HK_OK : hki_result_refuse(r, NULL, "its frames cannot be read");
}

static hk_status spool_read_meshes(hk_result *r, float *points, int32_t *faces) {
  const spool *s = r->file;
  memcpy(points, s->points, 3 * (size_t)r->npoints * sizeof *points);
  memcpy(faces, s->faces, 3 * (size_t)r->nfaces * sizeof *faces);
  return HK_OK;
}

static void spool_close(hk_result *r) {
  spool *s = r->file;
  if (!s) return;
  table_free(s, &s->row);
  table_free(s, &s->frame);
  if (s->fd >= 0) close(s->fd);
  hki_free(s->ctx, s->points);
  hki_free(s->ctx, s->faces);
  hki_free(s->ctx, s);
}

/* --- writing ---------------------------------------------------------------------------------- */

static hk_status put_row(hk_results *self, double t, const double *values) {
  hk_result *r = ((writer *)self)->r;
  spool *s = r->file;
  unsigned char *block;
  size_t place;
  hk_status st = next_item(s, &s->row, &block, &place);
  if (st != HK_OK) return st;
  double *column = (double *)(void *)block + place;
  for (size_t i = 0; i < s->width; i++) column[i * s->row.rows] = i ? values[i - 1] : t;
  r->rows++;
  return HK_OK;
}

static hk_status put_frame(hk_results *self, double t, const float *values) {
  hk_result *r = ((writer *)self)->r;
  spool *s = r->file;
  unsigned char *block;
  size_t place;
  hk_status st = next_item(s, &s->frame, &block, &place);
  if (st != HK_OK) return st;
  block += place * (sizeof t + s->nfloats * sizeof *values);
  memcpy(block, &t, sizeof t);
  memcpy(block + sizeof t, values, s->nfloats * sizeof *values);
  r->frames++;
  return HK_OK;
}

static void *copy(hk_ctx *ctx, const void *data, size_t bytes) {
  void *to = hki_alloc(ctx, bytes);
  return to ? memcpy(to, data, bytes) : NULL;
}

static hk_status put_scene(hk_results *self, const hk_results_scene *scene) {
  hk_result *r = ((writer *)self)->r;
  spool *s = r->file;
  hki_result_set_text(r, "scene", scene->json, strlen(scene->json));
  if (scene->npoints <= 0 || scene->nfaces <= 0) return HK_OK;
  s->points = copy(s->ctx, scene->points, 3 * (size_t)scene->npoints * sizeof *scene->points);
  s->faces = copy(s->ctx, scene->faces, 3 * (size_t)scene->nfaces * sizeof *scene->faces);
  if (!s->points || !s->faces) return HK_E_MEMORY;
  r->npoints = scene->npoints, r->nfaces = scene->nfaces;
  return HK_OK;
}

static void writer_free(hk_results *self) { hki_free(((writer *)self)->r->ctx, self); }

static hk_status writer_close(hk_results *self, const char *summary_json) {
  hk_result *r = ((writer *)self)->r;
  char status[64];
  hki_results_status(summary_json, status, sizeof status);
  hki_result_set_text(r, "status", status, strlen(status));
  if (summary_json) hki_result_set_text(r, "summary", summary_json, strlen(summary_json));
  writer_free(self);
  return HK_OK;
}

/* --- life ------------------------------------------------------------------------------------- */

static hk_status describe(hk_result *r, const hk_results_meta *meta) {
  hk_results_text texts[HK_RESULTS_TEXTS];
  char hash[HK_RESULTS_HASH];
  hk_status st = HK_OK;
  hki_results_texts(meta, NULL, NULL, hash, texts);
  for (int32_t i = 0; i < HK_RESULTS_TEXTS; i++)
    if (texts[i].text) hki_result_set_text(r, texts[i].name, texts[i].text, strlen(texts[i].text));
  for (int32_t i = 0; i < meta->nchannels && st == HK_OK; i++) {
    const hk_results_channel *c = &meta->channels[i];
    st = hki_result_add(r, c->name, c->unit, c->text);
  }
  return st;
}

static hk_status fill(hk_result *r, const hk_results_meta *meta) {
  spool *s = hki_alloc(r->ctx, sizeof *s);
  if (!s) return HK_E_MEMORY;
  *s = (spool){.ctx = r->ctx, .fd = -1};
  r->file = s;
  r->read = spool_read;
  r->read_frames = spool_read_frames;
  r->read_meshes = spool_read_meshes;
  r->close = spool_close;
  r->nbodies = meta->nbodies > 0 ? meta->nbodies : 0;
  r->nloads = meta->nbodies > 0 && meta->nloads > 0 ? meta->nloads : 0;
  s->width = (size_t)meta->nchannels + 1;
  s->nfloats = 7 * (size_t)r->nbodies + 3 * (size_t)r->nloads;
  s->row = (table){.rows = BLOCK_ROWS, .bytes = BLOCK_ROWS * s->width * sizeof(double)};
  s->frame = (table){.rows = BLOCK_FRAMES,
                     .bytes = BLOCK_FRAMES * (sizeof(double) + s->nfloats * sizeof(float))};
  return describe(r, meta);
}

hk_status hki_results_spool(hk_ctx *ctx, const char *name, const hk_results_meta *meta,
                            hk_results **out, hk_result **result) {
  *out = NULL;
  hk_status st = hki_result_create(ctx, name, result);
  if (st == HK_OK) st = fill(*result, meta);
  writer *w = st == HK_OK ? hki_alloc(ctx, sizeof *w) : NULL;
  if (st == HK_OK && !w) st = HK_E_MEMORY;
  if (st != HK_OK) {
    hk_result_close(*result);
    *result = NULL;
    return st;
  }
  w->base = (hk_results){.row = put_row, .close = writer_close, .abandon = writer_free};
  if (meta->nbodies > 0) w->base.frame = put_frame, w->base.scene = put_scene;
  w->r = *result;
  *out = &w->base;
  return HK_OK;
}
