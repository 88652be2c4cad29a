/* SPDX-License-Identifier: Apache-2.0
 *
 * checkpoint.c: everything a run needs to go on bit by bit the same way: state and history of the
 * integrator, multipliers, discrete data, audit, counters, pivots that linear solvers keep. Written
 * beside the target and renamed.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "simulation/simulation.h"

/* fixed part; the arrays follow in the order of sections() */
typedef struct header {
  char magic[8];
  uint32_t version, size;
  uint64_t model_hash, method_hash, check; /* check: of all bytes, taken with check = 0 */
  int32_t nq, nv, nhist, nform, ndisc, nevents, nsolver;
  double step, t, h_last;
  int64_t grid, steps, rejected, iterations, stagnated;
  int32_t next_break, last;
  double cpu;
  hk_audit audit;
  hk_control control;
  hk_free free;
  double dense_h;
} header;

static const char magic[8] = {'H', 'O', 'O', 'K', 'E', 'C', 'P', 1};

/* what must be the same for a resumed run: methods and their options */
static uint64_t method_hash(const hk_sim *s) {
  uint64_t h = hki_hash(s->fe->ops->name, strlen(s->fe->ops->name), 1);
  h = hki_hash(s->I.ops->name, strlen(s->I.ops->name), h);
  h = hki_hash(s->formulation_par, s->fe->par_size, h);
  h = hki_hash(s->integrator_par, s->I.ops->par_size, h);
  h = hki_hash(&s->solver.jacobian, sizeof s->solver.jacobian, h);
  h = hki_hash(&s->solver.control, sizeof s->solver.control, h);
  return hki_hash(&s->newton.tolerance, sizeof s->newton.tolerance, h);
}

/* numbers of linear solver k, -1 past the last */
static int32_t solver_memory(hk_sim *s, int32_t k, double **block) {
  return s->f->ops->solver_memory ? s->f->ops->solver_memory(s->f, k, block) : -1;
}

static void fill_header(hk_sim *s, header *h) {
  double *block;
  memset(h, 0, sizeof *h);
  memcpy(h->magic, magic, sizeof magic);
  h->version = 4;
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
  h->next_break = s->next_break, h->last = s->newton.last;
  h->cpu = s->cpu;
  h->audit = s->audit;
  h->control = s->control;
  h->free = s->free;
  h->dense_h = s->I.dense_h;
}

enum { SECTIONS = 10 + 3 }; /* three linear solvers at most */

typedef struct section {
  void *data;
  size_t bytes;
} section;

static int32_t sections(hk_sim *s, section *out) {
  double *block;
  int32_t n, k = 0;
  size_t d = sizeof(double);
  s->f->ops->persistent(s->f, &block, &n);
  out[k++] = (section){s->I.q, (size_t)s->I.nq * d};
  out[k++] = (section){s->I.v, (size_t)s->I.nv * d};
  out[k++] = (section){s->I.a, (size_t)s->I.nv * d};
  out[k++] = (section){s->I.hist, (size_t)s->I.ops->nhist * (size_t)s->I.nv * d};
  out[k++] = (section){block, (size_t)n * d};
  out[k++] = (section){s->kin->disc.block, (size_t)s->kin->disc.n * d};
  out[k++] = (section){s->fired, (size_t)s->m->spec->nevents};
  out[k++] = (section){s->faces, (size_t)HK_FACE_SIZE * (size_t)(s->m->nb + s->m->nj) * d};
  for (int32_t i = 0; (n = solver_memory(s, i, &block)) >= 0; i++)
    out[k++] = (section){block, (size_t)n * d};
  if (!s->free.on) return k;
  out[k++] = (section){s->I.dense, (size_t)hki_dense_size(&s->I) * d};
  out[k++] = (section){s->past, (size_t)(HK_CONTROL_PAST * s->I.nv) * d};
  return k;
}

/* over the header and all sections: bytes that a disk or a transfer has changed are seen */
static uint64_t check_sum(const header *h, const section *part, int32_t n) {
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
  section part[SECTIONS];
  hki_sim_unshow(s);
  char *tmp = hki_pool_printf(s->pool, "%s.partial", path);
  FILE *f = tmp ? fopen(tmp, "wb") : NULL;
  if (!f)
    return hki_error(s->ctx, HK_E_FILE, HK_LOC_NONE, NULL, "cannot write checkpoint '%s': %s", path,
                     strerror(errno));
  int32_t n = sections(s, part);
  fill_header(s, &h);
  h.check = check_sum(&h, part, n);
  bool ok = fwrite(&h, sizeof h, 1, f) == 1;
  for (int32_t i = 0; ok && i < n; i++)
    ok = !part[i].bytes || fwrite(part[i].data, part[i].bytes, 1, f) == 1;
  ok = !fflush(f) && ok;
  ok = !fclose(f) && ok;
  if (!ok || rename(tmp, path)) {
    remove(tmp);
    return hki_error(s->ctx, HK_E_FILE, HK_LOC_NONE, NULL, "cannot write checkpoint '%s': %s", path,
                     strerror(errno));
  }
  return HK_OK;
}

/* words for a checkpoint that does not belong here, NULL when it does */
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

hk_status hki_sim_load(hk_sim *s, const char *path) {
  header mine, h;
  section part[SECTIONS];
  FILE *f = fopen(path, "rb");
  if (!f) return hki_file_missing(s->ctx, path, HK_LOC_NONE, errno);
  fill_header(s, &mine);
  bool ok = fread(&h, sizeof h, 1, f) == 1;
  const char *why = ok ? mismatch(&h, &mine) : "it is too short";
  if (!why && (!isfinite(h.t) || h.t < 0.0 || h.grid < 0 || h.next_break < 0 || h.steps < 0))
    why = "its numbers make no sense";
  size_t need = sizeof h;
  int32_t n = sections(s, part);
  for (int32_t i = 0; i < n; i++) need += part[i].bytes;
  if (!why &&
      (fseek(f, 0, SEEK_END) || (size_t)ftell(f) != need || fseek(f, (long)sizeof h, SEEK_SET)))
    why = "its length is wrong";
  for (int32_t i = 0; !why && i < n; i++)
    if (part[i].bytes && fread(part[i].data, part[i].bytes, 1, f) != 1)
      why = "it could not be read";
  if (!why && check_sum(&h, part, n) != h.check)
    why = "its bytes have changed since it was written";
  fclose(f);
  if (why)
    return hki_error(s->ctx, HK_E_FILE, HK_LOC_NONE, NULL, "cannot resume from '%s': %s", path,
                     why);
  double now = h.free.on ? h.free.now : h.t;
  if (now > s->end || h.t > s->end)
    return hki_error(s->ctx, HK_E_USAGE, HK_LOC_NONE, "give a later --time",
                     "cannot resume from '%s': it was written at t = %.9g s, after the end of this "
                     "run at %.9g s",
                     path, h.t, s->end);
  s->I.t = h.t, s->I.h_last = h.h_last;
  s->grid = h.grid, s->steps = h.steps, s->rejected = h.rejected;
  s->newton.iterations = h.iterations, s->newton.stagnated = h.stagnated, s->newton.last = h.last;
  s->next_break = 0; // found again from the time
  s->cpu = h.cpu;
  s->audit = h.audit;
  s->control = h.control;
  s->free = h.free;
  s->free.shown = false;
  s->I.dense_h = h.dense_h;
  hki_sim_refresh(s);
  return s->f->ops->solver_recall ? s->f->ops->solver_recall(s->f) : HK_OK;
}
