/* SPDX-License-Identifier: Apache-2.0
 *
 * state.c: the state of a simulation as bytes in memory: all that it needs to continue with identical
 * bits. State and history of the integrator, multipliers, discrete data (inputs among them), audit,
 * counters, pivots of linear solvers. One layout serves files (checkpoint.c), clones and steps that
 * are taken back (sim_clone.c). The history of a method with steps of its own (HK_STEPS_OWN) is not
 * within reach: it starts anew.
 *
 * Bytes from outside are checked as a whole before any of them enters the simulation.
 */
#include <string.h>

#include "base/swap.h"
#include "simulation/live.h"

/* the fixed part; the arrays follow in the order of sections() */
typedef struct header {
  char magic[8];
  uint32_t version, size;
  uint64_t model_hash, method_hash, check; /* check: hash of all bytes with check = 0 */
  int32_t nq, nv, nhist, nform, ndisc, nevents, nsolver;
  double step, t, h_last;
  int64_t grid, steps, rejected, iterations, stagnated;
  int32_t last;
  int32_t exact, hold, span; /* hk_tangent_choice */
  int32_t stale;             /* of hk_newton */
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
  h = hki_hash(&s->solver.correction, sizeof s->solver.correction, h);
  h = hki_hash(&s->solver.line_search, sizeof s->solver.line_search, h);
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
  h->version = 14;
  h->size = sizeof *h;
  h->model_hash = s->base->hash;
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
  h->stale = s->newton.stale;
  h->cpu = s->cpu;
  h->audit = s->audit;
  h->impulses = s->impulses;
  h->impacts = s->stops.impacts;
  h->control = s->control;
  h->free = s->free;
  h->dense_h = s->I.dense_h;
  h->work_h = s->work.h;
}

enum { SECTIONS = HK_STATE_SECTIONS };

/* out: the arrays of a state, in place in the simulation; returns their number */
static int32_t sections(hk_sim *s, hk_piece *out) {
  double *block;
  int32_t n, k = 0;
  size_t d = sizeof(double);
  s->f->ops->persistent(s->f, &block, &n);
  out[k++] = (hk_piece){s->live, (size_t)s->m->spec->nparameters * d}; // the first: hki_state_live
  out[k++] = (hk_piece){s->I.q, (size_t)s->I.nq * d};
  out[k++] = (hk_piece){s->I.v, (size_t)s->I.nv * d};
  out[k++] = (hk_piece){s->I.a, (size_t)s->I.nv * d};
  out[k++] = (hk_piece){s->I.hist, (size_t)s->I.ops->nhist * (size_t)s->I.nv * d};
  out[k++] = (hk_piece){&s->newton.rate.first, HK_RATE_KEPT * d};
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

int32_t hki_state_sections(hk_sim *s, hk_piece *out) { return sections(s, out); }

/* hash of the header and all sections, which detects damaged bytes */
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

size_t hki_state_size(hk_sim *s) {
  hk_piece part[SECTIONS];
  size_t bytes = sizeof(header);
  for (int32_t i = 0, n = sections(s, part); i < n; i++) bytes += part[i].bytes;
  return bytes;
}

void hki_state_get(hk_sim *s, void *blob, bool sealed) {
  hk_piece part[SECTIONS];
  header h;
  hki_sim_show_accepted(s);
  const int32_t n = sections(s, part);
  fill_header(s, &h);
  if (sealed) h.check = check_sum(&h, part, n);
  unsigned char *at = blob;
  memcpy(at, &h, sizeof h);
  at += sizeof h;
  for (int32_t i = 0; i < n; at += part[i++].bytes)
    if (part[i].bytes) memcpy(at, part[i].data, part[i].bytes);
}

/* --- putting a state in ------------------------------------------------------------------------- */

/* why the state with header a does not fit a simulation with header b; NULL when it does */
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

const char *hki_state_differs(hk_sim *a, hk_sim *b) {
  header x, y;
  fill_header(a, &x), fill_header(b, &y);
  if (x.step != y.step || a->scheduled != b->scheduled) return "the step of the run depends on it";
  if (x.method_hash != y.method_hash) return "options of the methods depend on it";
  if (b->end < hk_sim_time(a)) return "the run would have ended before";
  if (a->nchannels != b->nchannels) return "other channels would be recorded";
  if (x.nq != y.nq || x.nv != y.nv || x.nform != y.nform || x.ndisc != y.ndisc ||
      x.nsolver != y.nsolver || hki_state_size(a) != hki_state_size(b))
    return "the state would have another size";
  return NULL;
}

const char *hki_state_fault(hk_sim *s, const void *blob, size_t size, double *t) {
  hk_piece part[SECTIONS];
  header h, mine;
  *t = NAN;
  fill_header(s, &mine);
  if (size < sizeof h) return "it is too short";
  memcpy(&h, blob, sizeof h);
  const char *why = mismatch(&h, &mine);
  if (why) return why;
  if (!isfinite(h.t) || h.t < 0.0 || h.grid < 0 || h.steps < 0) return "its numbers make no sense";
  if (size != hki_state_size(s)) return "its length is wrong";
  const int32_t n = sections(s, part);
  unsigned char *at = (unsigned char *)blob + sizeof h;
  for (int32_t i = 0; i < n; at += part[i++].bytes) part[i].data = at;
  if (check_sum(&h, part, n) != h.check) return "its bytes have changed since it was written";
  *t = fmax(h.t, h.free.on ? h.free.now : h.t);
  return NULL;
}

const unsigned char *hki_state_live(const void *blob) {
  return (const unsigned char *)blob + sizeof(header);
}

hk_status hki_state_moved(hk_sim *s) {
  hki_kin_forget(s->kin,
                 HK_KIN_SIGNALS | HK_KIN_EVERY_SIGNAL | HK_KIN_OF_FORCES | HK_KIN_OF_CLOSURES);
  hki_sim_refresh(s);
  hk_status st = s->f->ops->solver_recall ? s->f->ops->solver_recall(s->f) : HK_OK;
  if (st != HK_OK) return st;
  s->inputs_new = s->ninputs > 0;
  s->status = HK_OK;
  s->message[0] = '\0';
  s->advice = NULL;
  return HK_OK;
}

hk_status hki_state_set(hk_sim *s, const void *blob) {
  hk_piece part[SECTIONS];
  header h;
  hki_sim_show_accepted(s);
  memcpy(&h, blob, sizeof h);
  const int32_t n = sections(s, part);
  const unsigned char *at = (const unsigned char *)blob + sizeof h;
  for (int32_t i = 0; i < n; at += part[i++].bytes)
    if (part[i].bytes) memcpy(part[i].data, at, part[i].bytes);
  s->I.t = h.t, s->I.h_last = h.h_last;
  s->grid = h.grid, s->steps = h.steps, s->rejected = h.rejected;
  s->newton.iterations = h.iterations, s->newton.stagnated = h.stagnated;
  s->newton.last = h.last;
  s->newton.choice = (hk_tangent_choice){h.exact != 0, h.hold, h.span};
  s->newton.stale = h.stale != 0;
  hki_sim_breaks_anew(s);
  s->cpu = h.cpu;
  s->audit = h.audit;
  s->impulses = h.impulses;
  s->stops.impacts = h.impacts;
  s->control = h.control;
  s->free = h.free;
  s->free.shown = false;
  s->I.dense_h = h.dense_h;
  s->work.h = h.work_h;
  return hki_state_moved(s);
}

hk_status hki_state_replace(hk_sim *s, const void *blob) {
  if (!hki_sim_has_live(s, hki_state_live(blob))) return hki_sim_relive(s, blob);
  if (!s->spare) s->spare = hki_pool_alloc(s->pool, hki_state_size(s));
  if (!s->spare) return HK_E_MEMORY;
  const hk_status was = s->status;
  hki_state_get(s, s->spare, false);
  hk_status st = hki_state_set(s, blob);
  if (st == HK_OK) return HK_OK;
  // a linear solver could not be restored: back to the former state
  (void)hki_state_set(s, s->spare);
  s->status = was;
  return st;
}
