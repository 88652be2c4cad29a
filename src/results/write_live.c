/* SPDX-License-Identifier: Apache-2.0
 *
 * write_live.c: writes a result that others follow (live.h). Rows and frames are thinned out to what an eye can see,
 * and go to the file a few times a second.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "results/live.h"
#include "results/results_impl.h"

static const double eye = 0.02;  /* s between rows, at least */
static const double soon = 0.05; /* s on the wall until what was written can be read */

typedef struct writer {
  hk_results base;
  hk_ctx *ctx;
  FILE *f;
  char path[2048];
  int32_t nchannels;
  size_t nfloats;
  double every, last, last_frame, flushed;
  bool scene_known;
} writer;

static hk_status fail(writer *w) {
  return hki_error(w->ctx, HK_E_FILE, HK_LOC_NONE, NULL, "cannot write '%s': %s", w->path,
                   strerror(errno));
}

static bool put(writer *w, uint32_t kind, const void *a, size_t na, const void *b, size_t nb) {
  const uint32_t head[2] = {kind, (uint32_t)(na + nb)};
  return fwrite(head, sizeof head, 1, w->f) == 1 && (!na || fwrite(a, na, 1, w->f) == 1) &&
         (!nb || fwrite(b, nb, 1, w->f) == 1);
}

/* shows what is there, now and then */
static hk_status show(writer *w, bool ok, bool now) {
  const double t = hki_wall_seconds();
  if (ok && (now || t - w->flushed > soon)) {
    ok = fflush(w->f) == 0;
    w->flushed = t;
  }
  return ok ? HK_OK : fail(w);
}

static hk_status put_row(hk_results *self, double t, const double *values) {
  writer *w = (writer *)self;
  if (t - w->last < w->every) return HK_OK;
  w->last = t;
  return show(w, put(w, HK_LIVE_ROW, &t, sizeof t, values, (size_t)w->nchannels * sizeof *values),
              false);
}

static hk_status put_frame(hk_results *self, double t, const float *values) {
  writer *w = (writer *)self;
  if (t - w->last_frame < w->every) return HK_OK;
  w->last_frame = t;
  return show(w, put(w, HK_LIVE_FRAME, &t, sizeof t, values, w->nfloats * sizeof *values), false);
}

/* the scene as it is before the first frame; the one at the end comes too late */
static hk_status put_scene(hk_results *self, const hk_results_scene *scene) {
  writer *w = (writer *)self;
  if (w->scene_known) return HK_OK;
  w->scene_known = true;
  hk_text t;
  const int32_t n[2] = {scene->npoints > 0 ? scene->npoints : 0,
                        scene->nfaces > 0 ? scene->nfaces : 0};
  hki_text_init(&t, w->ctx);
  hki_text_addn(&t, (const char *)n, sizeof n);
  if (n[0]) hki_text_addn(&t, (const char *)scene->points, 12 * (size_t)n[0]);
  if (n[1]) hki_text_addn(&t, (const char *)scene->faces, 12 * (size_t)n[1]);
  const bool ok =
      !t.failed && put(w, HK_LIVE_SCENE, t.s, t.len, scene->json, strlen(scene->json) + 1);
  hki_text_free(&t);
  return show(w, ok, true);
}

static void writer_free(hk_results *self) {
  writer *w = (writer *)self;
  if (w->f) fclose(w->f);
  hki_free(w->ctx, w);
}

static hk_status writer_close(hk_results *self, const char *summary) {
  writer *w = (writer *)self;
  const char *text = summary ? summary : "{}";
  const hk_status st = show(w, put(w, HK_LIVE_END, text, strlen(text) + 1, NULL, 0), true);
  writer_free(self);
  return st;
}

static hk_status put_meta(writer *w, const hk_results_meta *m) {
  hk_results_text texts[HK_RESULTS_TEXTS];
  char hash[HK_RESULTS_HASH];
  uint32_t head[4] = {0, (uint32_t)m->nchannels, (uint32_t)(m->nbodies > 0 ? m->nbodies : 0),
                      (uint32_t)(m->nbodies > 0 && m->nloads > 0 ? m->nloads : 0)};
  hk_text t;
  hki_text_init(&t, w->ctx);
  hki_results_texts(m, NULL, NULL, hash, texts);
  for (int32_t i = 0; i < HK_RESULTS_TEXTS; i++) {
    if (!texts[i].text) continue;
    head[0]++;
    hki_text_addn(&t, texts[i].name, strlen(texts[i].name) + 1);
    hki_text_addn(&t, texts[i].text, strlen(texts[i].text) + 1);
  }
  for (int32_t i = 0; i < m->nchannels; i++) {
    const char *const parts[3] = {m->channels[i].name, m->channels[i].unit, m->channels[i].text};
    for (int k = 0; k < 3; k++)
      hki_text_addn(&t, parts[k] ? parts[k] : "", (parts[k] ? strlen(parts[k]) : 0) + 1);
  }
  bool ok = !t.failed && fwrite(HK_LIVE_HEAD, 8, 1, w->f) == 1;
  ok = ok && put(w, HK_LIVE_META, head, sizeof head, t.s, t.len);
  hki_text_free(&t);
  return show(w, ok, true);
}

hk_status hki_results_live(hk_ctx *ctx, const char *path, const hk_results_meta *meta,
                           hk_results **out) {
  writer *w = hki_alloc(ctx, sizeof *w);
  if (!w) return HK_E_MEMORY;
  *w = (writer){
      .ctx = ctx, .nchannels = meta->nchannels, .last = -INFINITY, .last_frame = -INFINITY};
  snprintf(w->path, sizeof w->path, "%s", path);
  w->nfloats = meta->nbodies > 0 ? 7 * (size_t)meta->nbodies + 3 * (size_t)meta->nloads : 0;
  w->every = meta->time > 0.0 ? fmin(eye, meta->time / 500.0) : eye;
  w->every *= 0.999;
  // an old one that somebody still follows stays as it is under its own number
  (void)unlink(path);
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  w->f = fd >= 0 ? fdopen(fd, "wb") : NULL;
  hk_status st = w->f ? put_meta(w, meta) : fail(w);
  if (st != HK_OK) {
    if (!w->f && fd >= 0) close(fd);
    writer_free(&w->base);
    return st;
  }
  w->base = (hk_results){.row = put_row, .close = writer_close, .abandon = writer_free};
  if (meta->nbodies > 0)
    w->base.frame = put_frame, w->base.scene = put_scene, w->base.scene_first = true;
  *out = &w->base;
  return HK_OK;
}
