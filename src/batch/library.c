/* SPDX-License-Identifier: Apache-2.0
 *
 * library.c: a batch that the library carries out, one world after the other on each thread. A world is the state of a
 * simulation as bytes (simulation/state.c); the simulation of the thread takes it, goes on, and gives it back. So any model
 * and method can be taken, with parameters of its own for each world.
 */
#include <stdio.h>
#include <string.h>

#include "batch/batch_impl.h"

typedef struct own {
  unsigned char *states; /* worlds x stride bytes */
  size_t stride;
  double *inputs; /* worlds x inputs */
  bool *fresh;    /* inputs that were set since the last step */
} own;

static unsigned char *state_of(const own *o, int32_t world) {
  return o->states + (size_t)world * o->stride;
}

static double *inputs_of(const hk_batch *b, const own *o, int32_t world) {
  return o->inputs + (size_t)world * (size_t)b->inputs.n;
}

static void put_start(hk_batch *b, own *o, int32_t world) {
  memcpy(state_of(o, world), b->first, b->bytes);
  for (int32_t i = 0; i < b->inputs.n; i++) inputs_of(b, o, world)[i] = b->starts[i];
  o->fresh[world] = false;
  b->status[world] = HK_OK, b->iterations[world] = 0;
}

static void destroy(hk_batch *b) {
  own *o = b->own;
  if (!o) return;
  hki_free(b->ctx, o->states);
  hki_free(b->ctx, o->inputs);
  hki_free(b->ctx, o->fresh);
  hki_free(b->ctx, o);
  b->own = NULL;
}

static hk_status create(hk_batch *b) {
  const size_t n = (size_t)b->opt.worlds, d = sizeof(double);
  own *o = b->own = hki_alloc(b->ctx, sizeof *o);
  if (!o) return HK_E_MEMORY;
  o->stride = (b->bytes + d - 1) / d * d;
  hk_status st =
      hki_batch_fits(b, (double)n * ((double)o->stride + (double)b->inputs.n * (double)d));
  if (st != HK_OK) return destroy(b), st;
  o->states = hki_alloc(b->ctx, n * o->stride);
  o->inputs = hki_alloc(b->ctx, (n * (size_t)b->inputs.n + 1) * d);
  o->fresh = hki_alloc(b->ctx, n * sizeof *o->fresh);
  st = o->states && o->inputs && o->fresh ? hki_bridge_ready(b) : HK_E_MEMORY;
  if (st != HK_OK) return destroy(b), st;
  b->states = (int32_t)(o->stride / d), b->width = 1;
  for (int32_t i = 0; i < b->opt.worlds; i++) put_start(b, o, i);
  return HK_OK;
}

/* --- one world in a simulation ---------------------------------------------------------------- */

/* the simulation is this world */
static hk_status enter(hk_batch *b, int32_t part, int32_t world) {
  own *o = b->own;
  hk_sim *s = b->bridge[part].sim;
  return hki_state_replace(s, state_of(o, world));
}

/* and the world is what the simulation has become */
static void leave(hk_batch *b, int32_t part, int32_t world) {
  hki_state_get(b->bridge[part].sim, state_of(b->own, world), true);
}

static hk_status give_inputs(hk_batch *b, int32_t part, int32_t world) {
  own *o = b->own;
  if (!o->fresh[world]) return HK_OK;
  o->fresh[world] = false;
  return hk_sim_inputs_set(b->bridge[part].sim, b->inputs.n, NULL, inputs_of(b, o, world), 0);
}

/* the start of the model with this world's parameters */
static hk_status start_anew(hk_batch *b, int32_t part, int32_t world) {
  own *o = b->own;
  hk_sim *s = b->bridge[part].sim;
  if (!b->parameters.n) return put_start(b, o, world), HK_OK;
  hk_status st = enter(b, part, world);
  if (st == HK_OK) st = hk_sim_reset(s);
  if (st == HK_OK) leave(b, part, world);
  for (int32_t i = 0; i < b->inputs.n; i++) inputs_of(b, o, world)[i] = b->starts[i];
  o->fresh[world] = false;
  b->status[world] = st, b->iterations[world] = 0;
  return st;
}

/* --- chosen worlds ---------------------------------------------------------------------------- */

static hk_status reset(hk_batch *b, const hk_worlds *w) { return hki_batch_all(b, w, start_anew); }

static hk_status set_state(hk_batch *b, int32_t part, int32_t world, const double *x) {
  own *o = b->own;
  hk_sim *s = b->bridge[part].sim;
  double t;
  if (hki_state_fault(s, x, b->bytes, &t)) return HK_E_USAGE;
  memcpy(state_of(o, world), x, b->bytes);
  hk_status st = enter(b, part, world);
  for (int32_t i = 0; i < b->inputs.n && st == HK_OK; i++)
    inputs_of(b, o, world)[i] = hk_sim_input_get(s, i);
  o->fresh[world] = false;
  return b->status[world] = st;
}

static hk_status set_coordinates(hk_batch *b, int32_t part, int32_t world, const double *x) {
  hk_status st = enter(b, part, world);
  if (st == HK_OK) st = give_inputs(b, part, world);
  if (st == HK_OK) st = hk_sim_coordinates_set(b->bridge[part].sim, x, x + b->model->nq);
  if (st == HK_OK) leave(b, part, world);
  return b->status[world] = st;
}

static hk_status set_parameters(hk_batch *b, int32_t part, int32_t world, const double *x) {
  hk_status st = enter(b, part, world);
  if (st == HK_OK) st = hk_sim_parameters_set(b->bridge[part].sim, b->parameters.n, b->numbers, x);
  if (st == HK_OK)
    leave(b, part, world);
  else if (b->status[world] == HK_OK)
    b->status[world] = st;
  return st;
}

static hk_status set_one(hk_batch *b, int32_t part, int32_t world, int32_t what, const double *x) {
  own *o = b->own;
  if (what == HK_BATCH_STATE) return set_state(b, part, world, x);
  if (what == HK_BATCH_COORDINATES) return set_coordinates(b, part, world, x);
  if (what == HK_BATCH_PARAMETERS) return set_parameters(b, part, world, x);
  memcpy(inputs_of(b, o, world), x, (size_t)b->inputs.n * sizeof *x);
  o->fresh[world] = true;
  return HK_OK;
}

static hk_status set_piece(hk_batch *b, int32_t part, int32_t from, int32_t to, void *user) {
  const hk_batch_chosen *c = user;
  hk_status all = HK_OK;
  for (int32_t i = from; i < to; i++) {
    const double *x = hki_batch_row(c->from, i, hki_batch_size(b, c->what), c->same);
    const hk_status st = set_one(b, part, hki_world(c->w, i), c->what, x);
    if (all == HK_OK) all = st;
  }
  return all;
}

static hk_status set(hk_batch *b, int32_t what, const hk_worlds *w, const double *x, bool same) {
  hk_batch_chosen c = {.what = what, .w = w, .from = x, .same = same};
  double t;
  // states are looked at before any is taken
  for (int32_t i = 0; what == HK_BATCH_STATE && i < (same ? 1 : w->n); i++) {
    const char *why =
        hki_state_fault(b->bridge[0].sim, hki_batch_row(x, i, b->states, same), b->bytes, &t);
    if (why) return hki_misuse(b->ctx, "hk_batch_set", why);
  }
  return hki_batch_share(b, w->n, set_piece, &c);
}

static hk_status put(hk_batch *b, const hk_worlds *w, const void *blob) {
  own *o = b->own;
  for (int32_t k = 0; k < w->n; k++) {
    const int32_t world = hki_world(w, k);
    memcpy(state_of(o, world), blob, b->bytes);
    for (int32_t i = 0; i < b->inputs.n; i++)
      inputs_of(b, o, world)[i] = hk_sim_input_get(b->bridge[0].sim, i);
    o->fresh[world] = false;
    b->status[world] = HK_OK;
  }
  return HK_OK;
}

static hk_status get_one(hk_batch *b, int32_t part, int32_t world, int32_t what, double *x) {
  own *o = b->own;
  hk_sim *s = b->bridge[part].sim;
  if (what == HK_BATCH_INPUTS)
    return memcpy(x, inputs_of(b, o, world), (size_t)b->inputs.n * sizeof *x), HK_OK;
  hk_status st = enter(b, part, world);
  if (st != HK_OK) return st;
  if (what == HK_BATCH_STATE) {
    // inputs that wait are part of it
    st = give_inputs(b, part, world);
    leave(b, part, world);
    memset(x, 0, o->stride);
    memcpy(x, state_of(o, world), b->bytes);
  }
  if (what == HK_BATCH_COORDINATES) st = hk_sim_coordinates_get(s, x, x + b->model->nq);
  if (what == HK_BATCH_OUTPUTS) st = hk_sim_read(s, b->outputs.n, b->handles, x);
  if (what == HK_BATCH_TIME) *x = hk_sim_time(s);
  for (int32_t i = 0; what == HK_BATCH_PARAMETERS && i < b->parameters.n; i++)
    x[i] = hk_sim_parameter_get(s, b->numbers[i]);
  return st;
}

static hk_status get_piece(hk_batch *b, int32_t part, int32_t from, int32_t to, void *user) {
  const hk_batch_chosen *c = user;
  const size_t n = (size_t)hki_batch_size(b, c->what);
  hk_status st = HK_OK;
  for (int32_t i = from; i < to && st == HK_OK; i++)
    st = get_one(b, part, hki_world(c->w, i), c->what, c->to + (size_t)i * n);
  return st;
}

static hk_status get(hk_batch *b, int32_t what, const hk_worlds *w, double *x) {
  hk_batch_chosen c = {.what = what, .w = w, .to = x};
  return hki_batch_share(b, w->n, get_piece, &c);
}

/* --- steps ------------------------------------------------------------------------------------ */

static hk_status step(hk_batch *b, const hk_batch_run *r, int32_t part, int32_t world, int64_t k) {
  hk_sim *s = b->bridge[part].sim;
  hk_status st = HK_OK;
  if (r->inputs) {
    const size_t n = (size_t)b->inputs.n;
    double *now = inputs_of(b, b->own, world);
    memcpy(now, r->inputs + ((r->same ? 0 : (size_t)world * (size_t)r->steps) + (size_t)k) * n,
           n * sizeof *now);
    st = hk_sim_inputs_set(s, b->inputs.n, NULL, now, 0);
  }
  return st == HK_OK ? hk_sim_step(s) : st;
}

/* HK_OK also where the world fails */
static hk_status run_world(hk_batch *b, const hk_batch_run *r, int32_t part, int32_t world) {
  hk_sim *s = b->bridge[part].sim;
  const size_t n = (size_t)b->outputs.n, rows = (size_t)(r->steps / r->every + 1);
  double *y = r->outputs ? r->outputs + (size_t)world * rows * n : NULL;
  hk_status st = b->status[world];
  if (st != HK_OK) return hki_batch_blank(b, r, world, 0), HK_OK;
  st = enter(b, part, world);
  if (st == HK_OK) st = give_inputs(b, part, world);
  if (st == HK_OK && y) st = hk_sim_read(s, b->outputs.n, b->handles, y);
  const int64_t before = s->newton.iterations;
  int64_t k = 0, row = 0;
  for (; k < r->steps && st == HK_OK; k++) {
    st = step(b, r, part, world, k);
    if (st != HK_OK || (k + 1) % r->every) continue;
    row = (k + 1) / r->every;
    if (y) st = hk_sim_read(s, b->outputs.n, b->handles, y + (size_t)row * n);
  }
  if (st == HK_INTERRUPTED) return st;
  b->iterations[world] += s->newton.iterations - before;
  leave(b, part, world);
  if (st != HK_OK) hki_batch_blank(b, r, world, k ? (k - 1) / r->every + 1 : 0);
  b->status[world] = st;
  if (part && st != HK_OK) hk_ctx_clear(b->bridge[part].ctx);
  return HK_OK;
}

static hk_status run_piece(hk_batch *b, int32_t part, int32_t from, int32_t to, void *user) {
  const hk_batch_run *r = user;
  const volatile int *stop = hki_stop_flag(b->ctx);
  hk_status st = HK_OK;
  for (int32_t i = from; i < to && st == HK_OK; i++)
    st = stop && *stop ? HK_INTERRUPTED : run_world(b, r, part, i);
  return st;
}

static hk_status run(hk_batch *b, const hk_batch_run *r) {
  hk_batch_run mine = *r;
  return hki_batch_share(b, b->opt.worlds, run_piece, &mine);
}

const hk_batch_ops hki_batch_library = {
    HK_BATCH_LIBRARY, create, destroy, reset, set, put, get, run, NULL};
