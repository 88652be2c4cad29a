/* SPDX-License-Identifier: Apache-2.0
 *
 * read_apart.c: reads NetCDF-4 results in a process of its own. HDF5 does not survive a failed
 * allocation, and a file damaged in a new way may crash it as well; here it takes only its own
 * process with it, and the program that wanted the numbers gets an error. The process is forked
 * when a file is opened, answers questions over a socket, and ends when the file is closed or the
 * program ends. A program with threads is not forked: a lock that another thread holds at that
 * moment would stay locked in the new process. There the file is read in the program itself.
 */
#define _GNU_SOURCE
#include "results/read.h"

#ifdef HK_WITH_HDF5

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- what goes over the socket ---------------------------------------------------------------- */

enum { ASK_ROWS, ASK_TIMES, ASK_POSES, ASK_LOADS, ASK_POINTS, ASK_FACES };
/* bytes of one answer, unless one frame needs more */
enum { ANSWER = 1 << 22 };

typedef struct question {
  int32_t what, channel;
  int64_t first, count;
} question;

/* `bytes` bytes follow: the numbers, or the error message and its hint, a NUL after each */
typedef struct answer {
  int32_t status;
  int64_t bytes;
} answer;

/* the description of an open file; `texts` follow: name, unit and meaning of each channel, then
 * for each of hki_result_keys a byte "is there" and the text; a NUL after each */
typedef struct description {
  int64_t rows, frames;
  int32_t nchannels, nbodies, nloads, npoints, nfaces;
} description;

static bool put(int fd, const void *data, size_t n) {
  const char *at = data;
  while (n) {
    ssize_t some = send(fd, at, n, MSG_NOSIGNAL);
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) return false;
    at += some, n -= (size_t)some;
  }
  return true;
}

static bool get(int fd, void *data, size_t n) {
  char *at = data;
  while (n) {
    ssize_t some = recv(fd, at, n, 0);
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) return false;
    at += some, n -= (size_t)some;
  }
  return true;
}

/* --- the process that reads ------------------------------------------------------------------- */

/* the first error of its context */
static bool put_error(int fd, const hk_ctx *ctx, hk_status status) {
  const char *text = hk_status_text(status), *hint = "";
  for (int32_t i = 0; i < hk_ctx_message_count(ctx); i++) {
    const hk_message *m = hk_ctx_message(ctx, i);
    if (m->severity != HK_ERROR) continue;
    status = m->code, text = m->text, hint = m->hint ? m->hint : "";
    break;
  }
  const size_t nt = strlen(text) + 1, nh = strlen(hint) + 1;
  const answer a = {status, (int64_t)(nt + nh)};
  return put(fd, &a, sizeof a) && put(fd, text, nt) && put(fd, hint, nh);
}

static void add_text(hk_text *t, const char *s) { hki_text_addn(t, s, strlen(s) + 1); }

static bool put_description(int fd, hk_result *r) {
  const description d = {r->rows,   r->frames,  r->nchannels, r->nbodies,
                         r->nloads, r->npoints, r->nfaces};
  hk_text t;
  hki_text_init(&t, r->ctx);
  for (int32_t i = 0; i < r->nchannels; i++) {
    add_text(&t, r->channels[i].name);
    add_text(&t, r->channels[i].unit);
    add_text(&t, r->channels[i].text);
  }
  for (int32_t i = 0; hki_result_keys[i]; i++) {
    hki_text_addn(&t, r->text[i] ? "y" : "n", 1);
    add_text(&t, r->text[i] ? r->text[i] : "");
  }
  const bool good = !t.failed;
  const answer a = {HK_OK, (int64_t)(sizeof d + t.len)};
  bool ok = !good ? put_error(fd, r->ctx, HK_E_MEMORY)
                  : put(fd, &a, sizeof a) && put(fd, &d, sizeof d) && put(fd, t.s, t.len);
  hki_text_free(&t);
  return ok && good;
}

/* bytes of one item of a kind */
static size_t item(const hk_result *r, int32_t what) {
  switch (what) {
    case ASK_POSES:
      return (size_t)r->nbodies * 7 * sizeof(float);
    case ASK_LOADS:
      return (size_t)r->nloads * 3 * sizeof(float);
    case ASK_POINTS:
      return (size_t)r->npoints * 3 * sizeof(float);
    case ASK_FACES:
      return (size_t)r->nfaces * 3 * sizeof(int32_t);
    default:
      return sizeof(double);
  }
}

/* points and faces are read together */
static hk_status read_mesh(hk_result *r, int32_t what, void *out) {
  const int32_t other = what == ASK_POINTS ? ASK_FACES : ASK_POINTS;
  void *rest = hki_alloc(r->ctx, item(r, other) + 1);
  if (!rest) return HK_E_MEMORY;
  hk_status st = what == ASK_POINTS ? r->read_meshes(r, out, rest) : r->read_meshes(r, rest, out);
  hki_free(r->ctx, rest);
  return st;
}

static hk_status read_numbers(hk_result *r, const question *q, void *out) {
  switch (q->what) {
    case ASK_ROWS:
      return r->read(r, q->channel, q->first, q->count, out);
    case ASK_TIMES:
      return r->read_frames(r, q->first, q->count, out, NULL, NULL);
    case ASK_POSES:
      return r->read_frames(r, q->first, q->count, NULL, out, NULL);
    case ASK_LOADS:
      return r->read_frames(r, q->first, q->count, NULL, NULL, out);
    default:
      return read_mesh(r, q->what, out);
  }
}

static void serve(int fd, hk_result *r) {
  question q;
  while (get(fd, &q, sizeof q)) {
    const size_t n = (size_t)q.count * item(r, q.what);
    void *numbers = hki_alloc(r->ctx, n + 1);
    hk_status st = numbers ? read_numbers(r, &q, numbers) : HK_E_MEMORY;
    const answer a = {HK_OK, (int64_t)n};
    bool ok =
        st == HK_OK ? put(fd, &a, sizeof a) && put(fd, numbers, n) : put_error(fd, r->ctx, st);
    hki_free(r->ctx, numbers);
    hk_ctx_clear(r->ctx);
    if (!ok) return;
  }
}

static void be_reader(int fd, const char *path) {
  hk_ctx *ctx = hk_ctx_create();
  hk_result *r = NULL;
  if (!ctx) _exit(1);
  hk_status st = hki_result_create(ctx, path, &r);
  if (st == HK_OK) st = hki_result_open_hdf5(r);
  if (st != HK_OK) {
    put_error(fd, ctx, st);
  } else if (put_description(fd, r)) {
    serve(fd, r);
  }
  // what is open dies with the process: closing would only call HDF5 again
  _exit(0);
}

/* --- the program that wants to read ----------------------------------------------------------- */

typedef struct apart {
  int fd; /* -1: the process has ended */
  pid_t pid;
} apart;

static void end(apart *a) {
  if (a->fd < 0) return;
  shutdown(a->fd, SHUT_RDWR);
  close(a->fd);
  a->fd = -1;
  while (waitpid(a->pid, NULL, 0) < 0 && errno == EINTR) continue;
}

static hk_status died(hk_result *r) {
  end(r->file);
  return hki_result_refuse(r, "memory may have run out, or the file is damaged",
                           "the HDF5 library failed while reading it");
}

/* the error of the other process, as if it had happened in this one */
static hk_status repeat_error(hk_result *r, const answer *a) {
  const size_t most = 1 << 16, n = (size_t)a->bytes;
  char *text = a->bytes > 1 && n <= most ? hki_alloc(r->ctx, n + 1) : NULL;
  if (!text || !get(((apart *)r->file)->fd, text, n)) {
    hki_free(r->ctx, text);
    return died(r);
  }
  const size_t nt = strlen(text) + 1;
  const hk_status st = a->status < 0 ? (hk_status)a->status : HK_E_FILE;
  if (st == HK_E_MEMORY)
    hki_no_memory(r->ctx);
  else
    hki_error(r->ctx, st, HK_LOC_NONE, nt < n ? text + nt : NULL, "%s", text);
  hki_free(r->ctx, text);
  return st;
}

/* numbers of one kind, in pieces of moderate size */
static hk_status ask(hk_result *r, int32_t what, int32_t channel, int64_t first, int64_t count,
                     void *out) {
  const apart *p = r->file;
  const size_t size = item(r, what);
  const int64_t most = size < ANSWER ? (int64_t)(ANSWER / size) : 1;
  char *to = out;
  while (count > 0) {
    const int64_t n = count < most ? count : most;
    const question q = {what, channel, first, n};
    answer a;
    if (p->fd < 0 || !put(p->fd, &q, sizeof q) || !get(p->fd, &a, sizeof a)) return died(r);
    if (a.status != HK_OK) return repeat_error(r, &a);
    if (a.bytes != n * (int64_t)size || !get(p->fd, to, (size_t)a.bytes)) return died(r);
    to += a.bytes, first += n, count -= n;
  }
  return HK_OK;
}

static hk_status apart_read(hk_result *r, int32_t channel, int64_t first, int64_t count,
                            double *out) {
  return ask(r, ASK_ROWS, channel, first, count, out);
}

static hk_status apart_read_frames(hk_result *r, int64_t first, int64_t count, double *time,
                                   float *poses, float *loads) {
  hk_status st = time ? ask(r, ASK_TIMES, 0, first, count, time) : HK_OK;
  if (st == HK_OK && poses) st = ask(r, ASK_POSES, 0, first, count, poses);
  if (st == HK_OK && loads && r->nloads) st = ask(r, ASK_LOADS, 0, first, count, loads);
  return st;
}

static hk_status apart_read_meshes(hk_result *r, float *points, int32_t *faces) {
  hk_status st = ask(r, ASK_POINTS, 0, 0, 1, points);
  return st == HK_OK ? ask(r, ASK_FACES, 0, 0, 1, faces) : st;
}

static void apart_close(hk_result *r) {
  if (r->file) end(r->file);
  hki_free(r->ctx, r->file);
}

/* the next text of a list, NULL when there is none */
static const char *next(const char **at, const char *stop) {
  const char *s = *at, *nul = s < stop ? memchr(s, 0, (size_t)(stop - s)) : NULL;
  if (nul) *at = nul + 1;
  return nul ? s : NULL;
}

static hk_status take_texts(hk_result *r, int32_t nchannels, const char *at, const char *stop) {
  for (int32_t i = 0; i < nchannels; i++) {
    const char *name = next(&at, stop), *unit = next(&at, stop), *text = next(&at, stop);
    if (!text) return died(r);
    hk_status st = hki_result_add(r, name, unit, text);
    if (st != HK_OK) return st;
  }
  const int32_t failures = hki_memory_failures(r->ctx);
  for (int32_t i = 0; hki_result_keys[i]; i++) {
    const char *text = next(&at, stop);
    if (!text) return died(r);
    if (*text == 'y') hki_result_set_text(r, hki_result_keys[i], text + 1, strlen(text + 1));
  }
  return hki_memory_failures(r->ctx) > failures ? HK_E_MEMORY : HK_OK;
}

static hk_status take_description(hk_result *r) {
  const int fd = ((apart *)r->file)->fd;
  answer a;
  description d;
  if (!get(fd, &a, sizeof a)) return died(r);
  if (a.status != HK_OK) return repeat_error(r, &a);
  if (a.bytes < (int64_t)sizeof d || !get(fd, &d, sizeof d)) return died(r);
  const size_t n = (size_t)a.bytes - sizeof d;
  char *texts = hki_alloc(r->ctx, n + 1);
  hk_status st = !texts ? HK_E_MEMORY : get(fd, texts, n) ? HK_OK : died(r);
  if (st == HK_OK) {
    r->rows = d.rows, r->frames = d.frames;
    r->nbodies = d.nbodies, r->nloads = d.nloads, r->npoints = d.npoints, r->nfaces = d.nfaces;
    st = take_texts(r, d.nchannels, texts, texts + n);
  }
  hki_free(r->ctx, texts);
  return st;
}

/* The lock keeps the other end of the socket out of processes that are forked meanwhile: with a
 * copy elsewhere nobody would notice the end of this one. */
static bool start(apart *p, const char *path) {
  int ends[2];
  hki_results_lock();
  bool ok = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0;
  if (ok) {
    p->pid = fork();
    if (p->pid == 0) {
      hki_results_unlock();
      close(ends[0]);
      be_reader(ends[1], path);
    }
    const int error = errno;
    close(ends[1]);
    if (p->pid > 0) {
      p->fd = ends[0];
    } else {
      close(ends[0]);
      errno = error;
      ok = false;
    }
  }
  hki_results_unlock();
  return ok;
}

/* Linux counts a link for each thread beside "." and ".."; unknown elsewhere, which means no */
static bool has_one_thread(void) {
  struct stat task;
  return stat("/proc/self/task", &task) == 0 && task.st_nlink == 3;
}

hk_status hki_result_open_apart(hk_result *r) {
  if (!has_one_thread()) return hki_result_open_hdf5(r);
  apart *p = hki_alloc(r->ctx, sizeof *p);
  if (!p) return HK_E_MEMORY;
  p->fd = -1;
  r->file = p;
  r->read = apart_read;
  r->read_frames = apart_read_frames;
  r->read_meshes = apart_read_meshes;
  r->close = apart_close;
  if (!start(p, r->path))
    return hki_result_refuse(r, NULL, "no process can be started for it: %s", strerror(errno));
  return take_description(r);
}

#else

hk_status hki_result_open_apart(hk_result *r) { return hki_result_open_hdf5(r); }

#endif
