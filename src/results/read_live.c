/* SPDX-License-Identifier: Apache-2.0
 *
 * read_live.c: follows a result that is being written (live.h): what has come goes into a result in memory
 * (spool.c), which everything that reads results can read. Sizes are looked at before anything is taken.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "results/live.h"
#include "results/read.h"

enum { AT_ONCE = 4096 };                           /* records of one call */
static const size_t record_most = (size_t)1 << 26; /* bytes of a record */

struct hk_follow {
  hk_mark mark;
  hk_ctx *ctx;
  int fd;
  off_t at; /* the next record */
  hk_results *writer;
  hk_result *result;
  size_t row, frame; /* bytes of such records */
  unsigned char *bytes;
  size_t cap;
  bool ended, scene;
  char path[2048];
};

static hk_status refuse(hk_follow *f, const char *why) {
  return hki_error(f->ctx, HK_E_FILE, HK_LOC_NONE, "'hooke realtime --live FILE' writes one",
                   "cannot follow '%s': %s", f->path, why);
}

static bool read_at(hk_follow *f, void *to, size_t n, off_t at) {
  for (size_t done = 0; done < n;) {
    const ssize_t got = pread(f->fd, (char *)to + done, n - done, at + (off_t)done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += (size_t)got;
  }
  return true;
}

/* the next record, with a zero behind it; false: it is not there, or not all of it */
static bool next(hk_follow *f, uint32_t head[2], hk_status *st) {
  struct stat is;
  *st = HK_OK;
  if (fstat(f->fd, &is) != 0 || is.st_size < f->at + 8 || !read_at(f, head, 8, f->at)) return false;
  if (head[1] > record_most) return *st = refuse(f, "it is damaged: a record is too long"), false;
  if (is.st_size < f->at + 8 + (off_t)head[1]) return false;
  if (head[1] + 8 > f->cap) {
    unsigned char *more = hki_realloc(f->ctx, f->bytes, head[1] + 8);
    if (!more) return *st = HK_E_MEMORY, false;
    f->bytes = more, f->cap = head[1] + 8;
  }
  if (!read_at(f, f->bytes, head[1], f->at + 8)) return false;
  f->bytes[head[1]] = 0;
  f->at += 8 + (off_t)head[1];
  return true;
}

/* the text at *at, which ends before `end`; NULL: it does not */
static const char *text_at(const char **at, const char *end) {
  const char *from = *at, *zero = from < end ? memchr(from, 0, (size_t)(end - from)) : NULL;
  if (zero) *at = zero + 1;
  return zero ? from : NULL;
}

/* texts of the head that results in memory are made with */
static void set_text(hk_results_meta *m, const char *key, const char *value) {
  const struct {
    const char *key, **at;
  } all[] = {{"title", &m->title},
             {"model_path", &m->model_path},
             {"model_text", &m->model_text},
             {"model_files", &m->model_files},
             {"settings", &m->settings},
             {"command", &m->command},
             {"formulation", &m->formulation},
             {"integrator", &m->integrator},
             {"analysis", &m->analysis}};
  for (int32_t i = 0; i < HK_ARRAY_LEN(all); i++)
    if (strcmp(all[i].key, key) == 0) *all[i].at = value;
}

static hk_status begin(hk_follow *f, size_t n) {
  uint32_t head[4];
  if (n < sizeof head) return refuse(f, "it is damaged");
  memcpy(head, f->bytes, sizeof head);
  if (head[0] > 64 || head[1] > HK_READ_CHANNELS || head[2] > 2000000 || head[3] > 2000000)
    return refuse(f, "it is damaged");
  const char *at = (const char *)f->bytes + sizeof head, *end = (const char *)f->bytes + n;
  hk_results_meta m = {
      .nchannels = (int32_t)head[1], .nbodies = (int32_t)head[2], .nloads = (int32_t)head[3]};
  bool ok = true;
  for (uint32_t i = 0; ok && i < head[0]; i++) {
    const char *key = text_at(&at, end), *value = key ? text_at(&at, end) : NULL;
    ok = value != NULL;
    if (ok) set_text(&m, key, value);
  }
  hk_results_channel *list = hki_alloc(f->ctx, ((size_t)head[1] + 1) * sizeof *list);
  if (!list) return HK_E_MEMORY;
  for (uint32_t i = 0; ok && i < head[1]; i++) {
    list[i].name = text_at(&at, end);
    list[i].unit = text_at(&at, end);
    list[i].text = text_at(&at, end);
    ok = list[i].text != NULL;
  }
  m.channels = list;
  hk_status st = ok ? hki_results_spool(f->ctx, f->path, &m, &f->writer, &f->result)
                    : refuse(f, "it is damaged");
  hki_free(f->ctx, list);
  if (st != HK_OK) return st;
  hki_result_set_text(f->result, "status", "running", 7);
  f->row = ((size_t)head[1] + 1) * sizeof(double);
  f->frame = sizeof(double) + (7 * (size_t)head[2] + 3 * (size_t)head[3]) * sizeof(float);
  return HK_OK;
}

static hk_status take_scene(hk_follow *f, size_t n) {
  int32_t count[2] = {0};
  hk_results_scene s = {0};
  if (n < sizeof count) return refuse(f, "it is damaged");
  memcpy(count, f->bytes, sizeof count);
  if (count[0] < 0 || count[1] < 0 || 12 * ((size_t)count[0] + (size_t)count[1]) + 9 > n)
    return refuse(f, "it is damaged");
  const size_t numbers = 12 * ((size_t)count[0] + (size_t)count[1]);
  s.points = (const float *)(const void *)(f->bytes + 8);
  s.faces = (const int32_t *)(const void *)(f->bytes + 8 + 12 * (size_t)count[0]);
  s.npoints = count[0], s.nfaces = count[1];
  s.json = (const char *)f->bytes + 8 + numbers;
  for (size_t i = 0; i < 3 * (size_t)count[1]; i++)
    if (s.faces[i] < 0 || s.faces[i] >= (count[0] ? count[0] : 1))
      return refuse(f, "it is damaged");
  if (!hki_json_valid(s.json, strlen(s.json))) return refuse(f, "its scene is not JSON");
  if (f->scene) return HK_OK;
  f->scene = true;
  return hki_results_scene_put(f->writer, &s);
}

static hk_status take(hk_follow *f, const uint32_t head[2]) {
  double t;
  if (!f->result) return head[0] == HK_LIVE_META ? begin(f, head[1]) : refuse(f, "it is damaged");
  if (head[0] == HK_LIVE_SCENE) return take_scene(f, head[1]);
  if (head[0] == HK_LIVE_END) {
    const char *text = (const char *)f->bytes;
    f->ended = true;
    const hk_status st =
        f->writer->close(f->writer, hki_json_valid(text, strlen(text)) ? text : "{}");
    f->writer = NULL;
    return st;
  }
  const bool row = head[0] == HK_LIVE_ROW, frame = head[0] == HK_LIVE_FRAME;
  if ((!row && !frame) || head[1] != (row ? f->row : f->frame)) return refuse(f, "it is damaged");
  memcpy(&t, f->bytes, sizeof t);
  if (row) return f->writer->row(f->writer, t, (const double *)(const void *)(f->bytes + sizeof t));
  if (!hki_results_has_frames(f->writer)) return refuse(f, "it is damaged");
  hk_status st =
      hki_results_frame(f->writer, t, (const float *)(const void *)(f->bytes + sizeof t));
  return st;
}

hk_status hk_follow_more(hk_follow *f, int32_t *ended) {
  uint32_t head[2];
  hk_status st = HK_OK;
  if (!hki_is(f, HK_MARK_FOLLOW)) return hki_misuse(NULL, "hk_follow_more", "nothing to follow");
  for (int i = 0; st == HK_OK && !f->ended && i < AT_ONCE && next(f, head, &st); i++)
    st = take(f, head);
  if (ended) *ended = f->ended;
  return st;
}

hk_result *hk_follow_result(hk_follow *f) { return hki_is(f, HK_MARK_FOLLOW) ? f->result : NULL; }

void hk_follow_close(hk_follow *f) {
  if (!hki_is(f, HK_MARK_FOLLOW)) return;
  hki_results_abandon(f->writer);
  hk_result_close(f->result);
  if (f->fd >= 0) close(f->fd);
  hki_free(f->ctx, f->bytes);
  f->mark = 0;
  hki_free(f->ctx, f);
}

hk_status hk_follow_open(hk_ctx *ctx, const char *path, hk_follow **out) {
  char head[8];
  uint64_t size;
  if (out) *out = NULL;
  if (!hki_is(ctx, HK_MARK_CTX)) return hki_misuse(NULL, "hk_follow_open", "no context");
  if (!path || !out) return hki_misuse(ctx, "hk_follow_open", "no path, or no place for it");
  hk_follow *f = hki_alloc(ctx, sizeof *f);
  if (!f) return HK_E_MEMORY;
  f->mark = HK_MARK_FOLLOW;
  f->ctx = ctx;
  snprintf(f->path, sizeof f->path, "%s", path);
  f->fd = hki_open_file(ctx, path, HK_LOC_NONE, &size);
  hk_status st = f->fd >= 0 ? HK_OK : HK_E_FILE;
  if (st == HK_OK && (!read_at(f, head, 8, 0) || memcmp(head, HK_LIVE_HEAD, 8) != 0))
    st = refuse(f, "it is no result that can be followed");
  f->at = 8;
  if (st == HK_OK) st = hk_follow_more(f, NULL);
  if (st == HK_OK && !f->result) st = refuse(f, "nothing has been written yet");
  if (st != HK_OK) {
    hk_follow_close(f);
    return st;
  }
  *out = f;
  return HK_OK;
}
