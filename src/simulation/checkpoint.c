/* SPDX-License-Identifier: Apache-2.0
 *
 * checkpoint.c: saves and restores all that a run needs to continue with identical bits: state and
 * history of the integrator, multipliers, discrete data, audit, counters, pivots of linear solvers.
 * The history of a method with steps of its own (HK_STEPS_OWN) is not within reach: it starts anew.
 *
 * A checkpoint is read into memory of its own and checked there before it enters the simulation.
 * One that is refused leaves the simulation unchanged.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/swap.h"
#include "simulation/simulation.h"

/* fixed part of the file; the arrays follow in the order of sections() */
typedef struct header {
  char magic[8];
  uint32_t version, size;
  uint64_t model_hash, method_hash, check; /* check: hash of all bytes with check = 0 */
  int32_t nq, nv, nhist, nform, ndisc, nevents, nsolver;
  double step, t, h_last;
  int64_t grid, steps, rejected, iterations, stagnated;
  int32_t last;
  int32_t exact, hold, span; /* hk_tangent_choice */
  double cpu;
  hk_audit audit;
  hk_impulses impulses;
  hk_impacts impacts;
  hk_control control;
  hk_free_steps free;
  double dense_h, work_h;
} header;

static const char magic[8] = {'H', 'O', 'O', 'K', 'E', 'C', 'P', 1};

/* hash of the methods and options, which must be the same in a resumed run */
static uint64_t method_hash(const hk_sim *s) {
  uint64_t h = hki_hash(s->fe->ops->name, strlen(s->fe->ops->name), 1);
  h = hki_hash(s->I.ops->name, strlen(s->I.ops->name), h);
  h = hki_hash(s->formulation_par, s->fe->par_size, h);
  // without the address of a module's type
  const size_t self = s->I.ops->self ? HK_SELF : 0;
  h = hki_hash((const char *)s->integrator_par + self, s->I.ops->par_size - self, h);
  h = hki_hash(&s->solver.jacobian, sizeof s->solver.jacobian, h);
  h = hki_hash(&s->solver.control, sizeof s->solver.control, h);
  return hki_hash(&s->newton.tolerance, sizeof s->newton.tolerance, h);
}

/* block: persistent numbers of linear solver k; returns how many, -1 after the last solver */
static int32_t solver_memory(hk_sim *s, int32_t k, double **block) {
  return s->f->ops->solver_memory ? s->f->ops->solver_memory(s->f, k, block) : -1;
}

static void fill_header(hk_sim *s, header *h) {
  double *block;
  memset(h, 0, sizeof *h);
  memcpy(h->magic, magic, sizeof magic);
  h->version = 9;
  h->size = sizeof *h;
  h->model_hash = s->m->hash;
  h->method_hash = method_hash(s);
  h->nq = s->I.nq, h->nv = s->I.nv, h->nhist = s->I.ops->nhist;
  s->f->ops->persistent(s->f, &block, &h->nform);
  h->ndisc = s->kin->disc.n;
  h->nevents = s->m->spec->nevents;
  for (int32_t k = 0, n; (n = solver_memory(s, k, &block)) >= 0; k++) h->nsolver += n;
  h->step = s->step, h->t = s->I.t, h->h_last = s->I.h_last;
  h->grid = s->grid, h->steps = s->steps, h->rejected = s->rejected;
  h->iterations = s->newton.iterations, h->stagnated = s->newton.stagnated;
  h->last = s->newton.last;
  const hk_tangent_choice *c = &s->newton.choice;
  h->exact = c->exact, h->hold = c->hold, h->span = c->span;
  h->cpu = s->cpu;
  h->audit = s->audit;
  h->impulses = s->impulses;
  h->impacts = s->stops.impacts;
  h->control = s->control;
  h->free = s->free;
  h->dense_h = s->I.dense_h;
  h->work_h = s->work.h;
}

enum { SECTIONS = 13 + 3 }; /* at most three linear solvers */

/* out: the arrays of a checkpoint, in place in the simulation; returns their number */
static int32_t sections(hk_sim *s, hk_piece *out) {
  double *block;
  int32_t n, k = 0;
  size_t d = sizeof(double);
  s->f->ops->persistent(s->f, &block, &n);
  out[k++] = (hk_piece){s->I.q, (size_t)s->I.nq * d};
  out[k++] = (hk_piece){s->I.v, (size_t)s->I.nv * d};
  out[k++] = (hk_piece){s->I.a, (size_t)s->I.nv * d};
  out[k++] = (hk_piece){s->I.hist, (size_t)s->I.ops->nhist * (size_t)s->I.nv * d};
  out[k++] = (hk_piece){block, (size_t)n * d};
  out[k++] = (hk_piece){s->kin->disc.block, (size_t)s->kin->disc.n * d};
  out[k++] = (hk_piece){s->fired, (size_t)s->m->spec->nevents};
  out[k++] = (hk_piece){s->signs, (size_t)HK_SIGN_SIZE * (size_t)(s->m->nb + s->m->nj) * d};
  out[k++] = (hk_piece){s->work.book, 2 * (size_t)s->work.n * d};
  out[k++] = (hk_piece){s->work.state[s->work.now], (size_t)s->work.nstate * d};
  for (int32_t i = 0; (n = solver_memory(s, i, &block)) >= 0; i++)
    out[k++] = (hk_piece){block, (size_t)n * d};
  if (!s->free.on) return k;
  out[k++] = (hk_piece){s->I.dense, (size_t)hki_interpolate_size(&s->I) * d};
  out[k++] = (hk_piece){s->work.base, 8 * (size_t)s->work.n * d};
  out[k++] = (hk_piece){s->past, (size_t)(HK_CONTROL_PAST * s->I.nv) * d};
  return k;
}

/* hash of the header and all sections, which detects damaged files */
static uint64_t check_sum(const header *h, const hk_piece *part, int32_t n) {
  header c;
  memcpy(&c, h, sizeof c);
  c.check = 0;
  uint64_t sum = hki_hash(&c, sizeof c, 2);
  for (int32_t i = 0; i < n; i++) {
    if (part[i].bytes) sum = hki_hash(part[i].data, part[i].bytes, sum);
  }
  return sum;
}

hk_status hki_sim_save(hk_sim *s, const char *path) {
  header h;
  hk_piece part[1 + SECTIONS];
  hki_sim_show_accepted(s);
  int32_t n = sections(s, part + 1);
  fill_header(s, &h);
  h.check = check_sum(&h, part + 1, n);
  part[0] = (hk_piece){&h, sizeof h};
  return hki_write_file(s->ctx, path, part, 1 + n);
}

/* --- reading ---------------------------------------------------------------------------------- */

/* why the checkpoint with header a does not fit a simulation with header b; NULL when it does */
static const char *mismatch(const header *a, const header *b) {
  if (memcmp(a->magic, b->magic, sizeof a->magic) || a->version != b->version || a->size != b->size)
    return "it is not a checkpoint of this version of Hooke";
  if (a->model_hash != b->model_hash) return "it belongs to another model or other parameters";
  if (a->step != b->step) return "it was made with another step";
  if (a->method_hash != b->method_hash)
    return "it was made with another formulation, integrator or options";
  if (a->nq != b->nq || a->nv != b->nv || a->nhist != b->nhist || a->nform != b->nform ||
      a->ndisc != b->ndisc || a->nevents != b->nevents || a->nsolver != b->nsolver)
    return "its sizes do not fit the model";
  return NULL;
}

/* reads exactly `bytes` bytes; false when there are fewer */
static bool read_bytes(int fd, void *to, size_t bytes) {
  char *at = to;
  while (bytes) {
    ssize_t n = read(fd, at, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n, bytes -= (size_t)n;
  }
  return true;
}

/* a checkpoint in memory: sections of the sizes that the simulation has */
typedef struct image {
  header h;
  int32_t n;
  hk_piece part[SECTIONS]; /* n: sections, in `block` */
  unsigned char *block;
} image;

/* allocates the sections; *bytes: their total size */
static hk_status image_room(image *m, hk_sim *s, size_t *bytes) {
  m->n = sections(s, m->part);
  *bytes = 0;
  for (int32_t i = 0; i < m->n; i++) *bytes += m->part[i].bytes;
  m->block = hki_alloc(s->ctx, *bytes + 1);
  if (!m->block) return HK_E_MEMORY;
  unsigned char *at = m->block;
  for (int32_t i = 0; i < m->n; at += m->part[i++].bytes) m->part[i].data = at;
  return HK_OK;
}

/* reads and checks a checkpoint; returns why it cannot be used, NULL when it can */
static const char *image_read(image *m, hk_sim *s, int fd, uint64_t size, size_t bytes) {
  header mine;
  fill_header(s, &mine);
  if (!read_bytes(fd, &m->h, sizeof m->h)) return "it is too short";
  const header *h = &m->h;
  const char *why = mismatch(h, &mine);
  if (why) return why;
  if (!isfinite(h->t) || h->t < 0.0 || h->grid < 0 || h->steps < 0)
    return "its numbers make no sense";
  if (size != sizeof *h + bytes) return "its length is wrong";
  for (int32_t i = 0; i < m->n; i++)
    if (!read_bytes(fd, m->part[i].data, m->part[i].bytes)) return "it could not be read";
  if (check_sum(h, m->part, m->n) != h->check) return "its bytes have changed since it was written";
  return NULL;
}

static hk_status image_load(image *m, hk_sim *s, const char *path) {
  size_t bytes;
  uint64_t size;
  hk_status st = image_room(m, s, &bytes);
  if (st != HK_OK) return st;
  int fd = hki_open_file(s->ctx, path, HK_LOC_NONE, &size);
  if (fd < 0) return HK_E_FILE;
  const char *why = image_read(m, s, fd, size, bytes);
  close(fd);
  if (why)
    return hki_error(s->ctx, HK_E_FILE, HK_LOC_NONE, NULL, "cannot resume from '%s': %s", path,
                     why);
  double now = m->h.free.on ? m->h.free.now : m->h.t;
  if (now > s->end || m->h.t > s->end)
    return hki_error(s->ctx, HK_E_USAGE, HK_LOC_NONE, "give a later --time",
                     "cannot resume from '%s': it was written at t = %.9g s, after the end of this "
                     "run at %.9g s",
                     path, m->h.t, s->end);
  return HK_OK;
}

/* --- taking over ------------------------------------------------------------------------------ */

static void exchange(hk_piece a, hk_piece b) {
  unsigned char *x = a.data, *y = b.data;
  for (size_t i = 0; i < a.bytes; i++) {
    unsigned char c = x[i];
    x[i] = y[i], y[i] = c;
  }
}

/* exchanges the state of the simulation with that of the image */
static hk_status trade(hk_sim *s, image *m) {
  hk_piece own[SECTIONS];
  header was;
  const header *h = &m->h;
  fill_header(s, &was);
  int32_t n = sections(s, own);
  for (int32_t i = 0; i < n; i++) exchange(own[i], m->part[i]);
  s->I.t = h->t, s->I.h_last = h->h_last;
  s->grid = h->grid, s->steps = h->steps, s->rejected = h->rejected;
  s->newton.iterations = h->iterations, s->newton.stagnated = h->stagnated;
  s->newton.last = h->last;
  s->newton.choice = (hk_tangent_choice){h->exact != 0, h->hold, h->span};
  hki_sim_breaks_anew(s);
  s->cpu = h->cpu;
  s->audit = h->audit;
  s->impulses = h->impulses;
  s->stops.impacts = h->impacts;
  s->control = h->control;
  s->free = h->free;
  s->free.shown = false;
  s->I.dense_h = h->dense_h;
  s->work.h = h->work_h;
  m->h = was;
  hki_sim_refresh(s);
  return s->f->ops->solver_recall ? s->f->ops->solver_recall(s->f) : HK_OK;
}

hk_status hki_sim_load(hk_sim *s, const char *path) {
  image m = {0};
  hk_status st = image_load(&m, s, path);
  if (st == HK_OK) {
    hki_sim_show_accepted(s);
    st = trade(s, &m);
    // a linear solver could not be restored: go back to the former state
    if (st != HK_OK) {
      trade(s, &m);
      hki_error(s->ctx, st, HK_LOC_NONE, NULL, "cannot resume from '%s': %s", path,
                hk_status_text(st));
    } else {
      s->status = HK_OK;
      s->message[0] = '\0';
      if (s->I.ops->steps == HK_STEPS_OWN)
        hki_note(
            s->ctx, HK_LOC_NONE,
            "'%s' starts anew at the checkpoint, because its history cannot be saved: the "
            "results agree with those of a run without a stop within the tolerance, not bit by "
            "bit",
            s->I.ops->name);
    }
  }
  hki_free(s->ctx, m.block);
  return st;
}
