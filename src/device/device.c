/* SPDX-License-Identifier: Apache-2.0
 *
 * device.c: see device.h. Memory and launches of a card.
 *
 * The driver's own context of the card is used, which other libraries of this process use as well, so that they can
 * take what lies on the card. A launch has so many steps that it lasts a fraction of a second: a card that also draws a
 * screen stops longer ones, and a card that hangs is noticed. Whether a launch has ended is asked, never waited for.
 */
#define _POSIX_C_SOURCE 200809L
#include "device/device.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "device/build.h"
#include "device/device_impl.h"

/* steps of the first launch, and seconds that one may last */
enum { FIRST_STEPS = 16, MOST_STEPS = 1 << 20 };
#define SHORT_LAUNCH 0.05
#define LONG_LAUNCH  0.25
/* bytes of inputs that go to the card at once */
#define INPUT_BYTES ((size_t)64 << 20)

/* --- errors ----------------------------------------------------------------------------------- */

hk_status hki_device_fail(hk_device *d, int error, const char *what) {
  char text[600];
  hki_cuda_words(d->c, error, text, sizeof text);
  snprintf(d->why, sizeof d->why, "the card (%s) fails while %s: %s", d->facts.name, what, text);
  d->lost |= error != HK_CUDA_OUT_OF_MEMORY;
  return error == HK_CUDA_OUT_OF_MEMORY ? HK_E_MEMORY : HK_E_FILE;
}

/* the card's context becomes that of this thread; leave() gives the former back */
static hk_status enter(hk_device *d) {
  if (d->lost) return HK_E_FILE; // `why` is still that of the first failure
  d->why[0] = '\0';
  const int e = d->c->push(d->context);
  return e ? hki_device_fail(d, e, "it is opened") : HK_OK;
}

static hk_status leave(hk_device *d, hk_status st) {
  void *was = NULL;
  d->c->pop(&was);
  return st;
}

/* --- memory ----------------------------------------------------------------------------------- */

/* room for so many bytes, which may be elsewhere than before; what was in it is lost */
static hk_status room(hk_device *d, hk_device_block *b, size_t bytes, const char *what) {
  if (b->bytes >= bytes && b->at) return HK_OK;
  if (b->at) d->c->free(b->at), d->facts.bytes -= (int64_t)b->bytes;
  *b = (hk_device_block){0};
  const int e = d->c->alloc(&b->at, bytes ? bytes : 1);
  if (e == 0) {
    b->bytes = bytes;
    d->facts.bytes += (int64_t)bytes;
    return HK_OK;
  }
  b->at = 0;
  if (e != HK_CUDA_OUT_OF_MEMORY) return hki_device_fail(d, e, "memory is asked for");
  size_t left = 0, all = 0;
  d->c->memory_info(&left, &all);
  snprintf(
      d->why, sizeof d->why,
      "the card (%s) has no memory for %s: %.1f MB are needed, %.1f of %.1f MB are left; fewer "
      "worlds or rows need less",
      d->facts.name, what, 1e-6 * (double)bytes, 1e-6 * (double)left, 1e-6 * (double)all);
  return HK_E_MEMORY;
}

static void let_go(hk_device *d, hk_device_block *b) {
  if (b->at) d->c->free(b->at);
  *b = (hk_device_block){0};
}

static size_t real_size(const hk_device *d) {
  return d->job.single ? sizeof(float) : sizeof(double);
}

/* room on this side, which may be elsewhere than before */
static void *staging(hk_device *d, hk_device_host *h, size_t bytes) {
  if (h->bytes >= bytes) return h->at;
  hki_free(d->ctx, h->at);
  h->at = hki_alloc(d->ctx, bytes), h->bytes = h->at ? bytes : 0;
  if (!h->at) snprintf(d->why, sizeof d->why, "no memory for numbers of the card");
  return h->at;
}

/* numbers to the card, as doubles or floats */
static hk_status send(hk_device *d, uint64_t to, const double *x, size_t n) {
  const void *from = x;
  if (d->job.single) {
    float *f = staging(d, &d->host, n * sizeof *f);
    if (!f) return HK_E_MEMORY;
    for (size_t i = 0; i < n; i++) f[i] = (float)x[i];
    from = f;
  }
  const int e = d->c->to_device(to, from, n * real_size(d));
  return e ? hki_device_fail(d, e, "numbers are sent") : HK_OK;
}

static hk_status fetch(hk_device *d, double *x, uint64_t from, size_t n) {
  float *f = d->job.single ? staging(d, &d->host, n * sizeof *f) : NULL;
  if (d->job.single && !f) return HK_E_MEMORY;
  const int e = d->c->to_host(d->job.single ? (void *)f : (void *)x, from, n * real_size(d));
  if (e) return hki_device_fail(d, e, "numbers are fetched");
  for (size_t i = 0; f && i < n; i++) x[i] = (double)f[i];
  return HK_OK;
}

/* --- launches --------------------------------------------------------------------------------- */

/* until the card has done all so far */
static hk_status settle(hk_device *d) {
  int e = d->c->event_record(d->event, NULL);
  const double begin = hki_wall_seconds();
  struct timespec nap = {.tv_nsec = 2000};
  while (e == 0 && (e = d->c->event_query(d->event)) == HK_CUDA_NOT_READY) {
    if (hki_wall_seconds() - begin > d->job.limit) {
      d->lost = true;
      snprintf(d->why, sizeof d->why,
               "the card (%s) has not answered for %g s: it is not asked any more", d->facts.name,
               d->job.limit);
      return HK_E_FILE;
    }
    nanosleep(&nap, NULL);
    if (nap.tv_nsec < 200000) nap.tv_nsec *= 2;
    e = 0;
  }
  return e ? hki_device_fail(d, e, "it computes") : HK_OK;
}

/* Steps that warps share: so many blocks as the card can hold at once, each with 32 worlds after the other. */
static unsigned blocks_of_warps(const hk_device *d, int32_t worlds) {
  const unsigned groups = ((unsigned)worlds + 31) / 32,
                 most = (unsigned)(d->facts.processors * hki_device_blocks(d));
  return groups < most ? groups : most;
}

static hk_status launch(hk_device *d, hk_device_kernel k, hk_device_call *call) {
  void *arguments[] = {call};
  unsigned threads = (unsigned)d->facts.threads, shared = 0,
           blocks = ((unsigned)call->worlds + threads - 1) / threads;
  if (k == HK_KERNEL_ADVANCE && d->job.warps > 1) {
    threads = 32 * (unsigned)d->job.warps, blocks = blocks_of_warps(d, call->worlds);
    shared = 32 * (unsigned)d->facts.shared * (unsigned)real_size(d);
  }
  const int e =
      d->c->launch(d->kernel[k], blocks, 1, 1, threads, 1, 1, shared, NULL, arguments, NULL);
  d->facts.launches++;
  return e ? hki_device_fail(d, e, "a kernel is started") : HK_OK;
}

/* what every launch is about */
static hk_device_call call_of(const hk_device *d) {
  return (hk_device_call){.x = d->x.at,
                          .code = d->code.at,
                          .turns = d->turns.at,
                          .stride = d->stride,
                          .worlds = d->job.worlds};
}

/* the chosen worlds go to the card; false where they are not worlds */
static hk_status choose(hk_device *d, const int32_t *which, int32_t n, hk_device_call *call) {
  call->worlds = n;
  for (int32_t i = 0; which && i < n; i++) {
    if (which[i] >= 0 && which[i] < d->job.worlds) continue;
    snprintf(d->why, sizeof d->why, "world %d was asked for, but there are %d, from 0 on", which[i],
             d->job.worlds);
    return HK_E_USAGE;
  }
  if (n < 0 || n > d->job.worlds) {
    snprintf(d->why, sizeof d->why, "%d worlds were asked for, but there are %d", n, d->job.worlds);
    return HK_E_USAGE;
  }
  if (!which) return HK_OK;
  hk_status st = room(d, &d->chosen, (size_t)n * sizeof *which, "a list of worlds");
  if (st != HK_OK) return st;
  const int e = d->c->to_device(d->chosen.at, which, (size_t)n * sizeof *which);
  call->chosen = d->chosen.at;
  return e ? hki_device_fail(d, e, "worlds are chosen") : HK_OK;
}

/* --- states ----------------------------------------------------------------------------------- */

hk_status hki_device_reset(hk_device *d, const int32_t *which, int32_t n) {
  hk_status st = enter(d);
  if (st != HK_OK) return st;
  hk_device_call call = call_of(d);
  st = choose(d, which, n, &call);
  if (st == HK_OK && n) st = launch(d, HK_KERNEL_RESET, &call);
  if (st == HK_OK) st = settle(d);
  return leave(d, st);
}

/* states world by world, in parts that fit into a block of the card's memory */
static hk_status exchange(hk_device *d, const int32_t *which, int32_t n, const double *in,
                          double *out, int32_t code) {
  const size_t one = (size_t)d->job.states * real_size(d);
  const int32_t most = one < INPUT_BYTES ? (int32_t)(INPUT_BYTES / one) : 1;
  int32_t *own = NULL;
  hk_status st = HK_OK;
  if (!which && n > most) { // parts other than the first must be named
    own = hki_alloc(d->ctx, (size_t)n * sizeof *own);
    if (!own) return HK_E_MEMORY;
    for (int32_t i = 0; i < n; i++) own[i] = i;
    which = own;
  }
  for (int32_t at = 0; at < n && st == HK_OK; at += most) {
    const int32_t part = n - at < most ? n - at : most;
    const size_t numbers = (size_t)part * (size_t)d->job.states,
                 from = (size_t)at * (size_t)d->job.states;
    hk_device_call call = call_of(d);
    st = choose(d, which ? which + at : NULL, part, &call);
    if (st == HK_OK) st = room(d, &d->exchange, numbers * real_size(d), "states");
    if (st == HK_OK && in) st = send(d, d->exchange.at, in + from, numbers);
    call.u = call.y = d->exchange.at, call.steps = code;
    if (st == HK_OK) st = launch(d, in ? HK_KERNEL_PUT : HK_KERNEL_TAKE, &call);
    if (st == HK_OK) st = settle(d);
    if (st == HK_OK && out) st = fetch(d, out + from, d->exchange.at, numbers);
  }
  hki_free(d->ctx, own);
  return st;
}

hk_status hki_device_put(hk_device *d, const int32_t *which, int32_t n, const double *x,
                         int32_t code) {
  const hk_status st = enter(d);
  return st == HK_OK ? leave(d, exchange(d, which, n, x, NULL, code)) : st;
}

hk_status hki_device_take(hk_device *d, const int32_t *which, int32_t n, double *x) {
  const hk_status st = enter(d);
  return st == HK_OK ? leave(d, exchange(d, which, n, NULL, x, 0)) : st;
}

/* --- steps ------------------------------------------------------------------------------------ */

/* so many steps at most in one launch: of their time, of their inputs */
static int32_t at_once(const hk_device *d, int32_t left, size_t row) {
  int32_t n = left < d->batch ? left : d->batch;
  if ((size_t)n * row * sizeof(double) > INPUT_BYTES)
    n = (int32_t)(INPUT_BYTES / (row * sizeof(double)));
  return n < 1 ? 1 : n;
}

/* inputs of the steps from k on, world by world, become u[step][input][world] on the card */
static hk_status send_inputs(hk_device *d, hk_device_call *call, int32_t k, const double *u,
                             size_t world) {
  const size_t ni = (size_t)d->job.inputs, nw = world ? (size_t)d->job.worlds : 1,
               rows = (size_t)call->steps * ni;
  hk_status st = room(d, &d->exchange, rows * nw * real_size(d), "inputs");
  double *packed = st == HK_OK ? staging(d, &d->packed, rows * nw * sizeof *packed) : NULL;
  if (!packed) return st == HK_OK ? HK_E_MEMORY : st;
  for (size_t w = 0; w < nw; w++)
    for (size_t r = 0; r < rows; r++) packed[r * nw + w] = u[w * world + (size_t)k * ni + r];
  call->u = d->exchange.at, call->ustride = world ? (int64_t)nw : 0;
  return send(d, d->exchange.at, packed, rows * nw);
}

hk_status hki_device_advance(hk_device *d, int32_t steps, const double *u, size_t world) {
  const size_t row = u ? (size_t)d->job.inputs * (world ? (size_t)d->job.worlds : 1) : 0;
  hk_status st = enter(d);
  if (st != HK_OK) return st;
  for (int32_t k = 0; k < steps && st == HK_OK;) {
    hk_device_call call = call_of(d);
    call.steps = at_once(d, steps - k, row);
    if (row) st = send_inputs(d, &call, k, u, world);
    const double begin = hki_wall_seconds();
    call.y = d->beside.at;
    if (st == HK_OK) st = launch(d, HK_KERNEL_ADVANCE, &call);
    if (st == HK_OK) st = settle(d);
    const double took = hki_wall_seconds() - begin;
    if (took < SHORT_LAUNCH && call.steps == d->batch && d->batch < MOST_STEPS) d->batch *= 2;
    if (took > LONG_LAUNCH && d->batch > 1) d->batch /= 2;
    k += call.steps;
    if (st == HK_OK && hki_stopped(d->ctx)) st = HK_INTERRUPTED;
  }
  return leave(d, st);
}

/* --- outputs ---------------------------------------------------------------------------------- */

hk_status hki_device_rows(hk_device *d, int32_t rows) {
  hk_status st = enter(d);
  if (st != HK_OK) return st;
  const size_t row = (size_t)d->job.outputs * (size_t)d->stride * real_size(d);
  if (rows < 0 || (row && (size_t)rows > ((size_t)1 << 46) / row)) {
    snprintf(d->why, sizeof d->why, "%d rows of outputs were asked for", rows);
    return leave(d, HK_E_USAGE);
  }
  st = room(d, &d->y, (size_t)rows * row, "outputs");
  d->rows = st == HK_OK ? rows : 0;
  return leave(d, st);
}

hk_status hki_device_show(hk_device *d, int32_t row) {
  hk_status st = enter(d);
  if (st != HK_OK) return st;
  hk_device_call call = call_of(d);
  HK_ASSERT(row >= 0 && row < d->rows);
  call.y = d->y.at + (uint64_t)row * (uint64_t)d->job.outputs * (uint64_t)d->stride * real_size(d);
  if (d->job.outputs) st = launch(d, HK_KERNEL_SHOW, &call);
  if (st == HK_OK) st = settle(d);
  return leave(d, st);
}

hk_status hki_device_outputs(hk_device *d, int32_t from, int32_t rows, double *y, size_t world) {
  hk_status st = enter(d);
  if (st != HK_OK) return st;
  const size_t no = (size_t)d->job.outputs, n = no * (size_t)d->stride, nw = (size_t)d->job.worlds;
  double *row = hki_alloc(d->ctx, (n ? n : 1) * sizeof *row);
  if (!row) st = HK_E_MEMORY, snprintf(d->why, sizeof d->why, "no memory for a row of outputs");
  HK_ASSERT(from >= 0 && from + rows <= d->rows);
  for (int32_t r = 0; r < rows && st == HK_OK && no; r++) {
    st = fetch(d, row, d->y.at + (uint64_t)(from + r) * n * real_size(d), n);
    for (size_t w = 0; w < nw && st == HK_OK; w++)
      for (size_t k = 0; k < no; k++)
        y[w * world + (size_t)r * no + k] = row[k * (size_t)d->stride + w];
  }
  hki_free(d->ctx, row);
  return leave(d, st);
}

hk_status hki_device_codes(hk_device *d, int32_t *code, int32_t *turns) {
  hk_status st = enter(d);
  if (st != HK_OK) return st;
  const size_t n = (size_t)d->job.worlds * sizeof *code;
  int e = code ? d->c->to_host(code, d->code.at, n) : 0;
  if (e == 0 && turns) e = d->c->to_host(turns, d->turns.at, n);
  return leave(d, e ? hki_device_fail(d, e, "numbers are fetched") : HK_OK);
}

hk_status hki_device_wait(hk_device *d) {
  const hk_status st = enter(d);
  return st == HK_OK ? leave(d, settle(d)) : st;
}

/* --- numbers that others take where they lie --------------------------------------------------- */

hk_device_view hki_device_view(const hk_device *d) {
  return (hk_device_view){.stride = d->stride, .ordinal = d->job.ordinal, .single = d->job.single};
}

/* memory that is held: the device is one of those who do */
static hk_status hold(hk_device *d, uint64_t at, hk_device_hold **out) {
  *out = hki_hold_create(d, at);
  if (!*out) snprintf(d->why, sizeof d->why, "no memory for what holds numbers of the card");
  return *out ? HK_OK : HK_E_MEMORY;
}

hk_status hki_device_hold_states(hk_device *d, hk_device_hold **out) {
  hk_status st = enter(d);
  if (st != HK_OK) return st;
  if (!d->held) st = hold(d, d->x.at, &d->held);
  if (st == HK_OK) hki_hold_take(*out = d->held);
  return leave(d, st);
}

hk_status hki_device_hold_outputs(hk_device *d, hk_device_hold **out) {
  hk_status st = enter(d);
  if (st != HK_OK) return st;
  // memory that nobody else holds any more is taken again
  if (d->shown && hki_hold_count(d->shown) > 1) hki_device_let_go(d->shown), d->shown = NULL;
  if (!d->shown) {
    hk_device_block y = {0};
    st = room(d, &y, (size_t)d->job.outputs * (size_t)d->stride * real_size(d), "outputs");
    if (st == HK_OK) d->facts.bytes -= (int64_t)y.bytes, st = hold(d, y.at, &d->shown);
    if (st != HK_OK) let_go(d, &y);
  }
  hk_device_call call = call_of(d);
  if (st == HK_OK) {
    call.y = hki_device_hold_at(d->shown);
    st = launch(d, HK_KERNEL_SHOW, &call);
  }
  if (st == HK_OK) st = settle(d);
  if (st == HK_OK) hki_hold_take(*out = d->shown);
  return leave(d, st);
}

/* --- opening and closing ---------------------------------------------------------------------- */

const hk_device_facts *hki_device_facts(const hk_device *d) { return &d->facts; }
const char *hki_device_why(const hk_device *d) { return d->why; }

/* memory of all worlds, and their start */
static hk_status take_memory(hk_device *d) {
  const size_t ints = (size_t)d->stride * sizeof(int32_t);
  hk_status st = room(d, &d->x, (size_t)d->job.states * (size_t)d->stride * real_size(d), "states");
  if (st == HK_OK) st = room(d, &d->code, ints, "states");
  if (st == HK_OK) st = room(d, &d->turns, ints, "states");
  const size_t beside = d->job.warps > 1 ? (size_t)(d->job.numbers - d->facts.shared) * 32 *
                                               blocks_of_warps(d, d->job.worlds)
                                         : (size_t)d->job.states * (size_t)d->stride;
  if (st == HK_OK) st = room(d, &d->beside, beside * real_size(d), "steps");
  const int e = st == HK_OK ? d->c->event_create(&d->event, 2) : 0; // without times
  if (e) st = hki_device_fail(d, e, "it is opened");
  hk_device_call call = call_of(d);
  if (st == HK_OK) st = launch(d, HK_KERNEL_RESET, &call);
  return st == HK_OK ? settle(d) : st;
}

void hki_device_close(hk_device *d) {
  if (!d) return;
  hki_device_let_go(d->held);
  hki_device_let_go(d->shown);
  if (d->context && d->c->push(d->context) == 0) {
    if (d->held) d->x = (hk_device_block){0}; // the last who holds it frees it
    hk_device_block *const all[] = {&d->x,        &d->code,   &d->turns, &d->y,
                                    &d->exchange, &d->chosen, &d->beside};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) let_go(d, all[i]);
    if (d->event) d->c->event_destroy(d->event);
    if (d->module) d->c->unload(d->module);
    leave(d, HK_OK);
  }
  if (d->context) d->c->release(d->card);
  hki_free(d->ctx, d->host.at);
  hki_free(d->ctx, d->packed.at);
  hki_free(d->ctx, d);
}

hk_status hki_device_open(hk_ctx *ctx, const hk_device_job *job, hk_device **out, char *why,
                          size_t cap) {
  *out = NULL;
  const hk_cuda *c = hki_cuda(why, cap);
  if (!c) return HK_E_FILE;
  hk_device *d = hki_alloc(ctx, sizeof *d);
  if (!d) return snprintf(why, cap, "no memory"), HK_E_MEMORY;
  d->ctx = ctx, d->c = c, d->job = *job, d->batch = FIRST_STEPS;
  d->job.text = NULL;
  if (d->job.limit <= 0.0) d->job.limit = 60.0;
  d->stride = (job->worlds + 31) / 32 * 32; // so that neighbours begin where the card reads
  hk_status st = hki_device_build(d, job->text);
  if (st == HK_OK) st = enter(d);
  if (st == HK_OK) st = leave(d, take_memory(d));
  if (st == HK_OK) return *out = d, HK_OK;
  snprintf(why, cap, "%s", d->why);
  hki_device_close(d);
  return st;
}
