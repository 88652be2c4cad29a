/* SPDX-License-Identifier: Apache-2.0
 *
 * lanes.c: a batch that is carried out by a compiled program, one world in each lane. Worlds lie in blocks of `width` lanes,
 * and in a block the numbers of the state one after the other, each for all lanes: x[number * width + lane]. The blocks are
 * shared by the threads; lanes of the last block that are no worlds are never alive.
 *
 * A world in the library's terms: the numbers of its state that are in arrays of the library's state go there and come from
 * there. The others (penalties, scales of equations, what a solver has found last) begin as at the start of the model.
 */
#include <stdio.h>
#include <string.h>

#include "batch/program.h"
#include "model/model.h"

typedef struct lanes {
  hk_native native;
  const hk_lanes_program *p;
  int32_t width, blocks;
  double *x;        /* blocks of width x states */
  long long *alive; /* worlds, and the lanes behind them: -1 or 0 */
  double *start;    /* of one world */
  bool *renewed;    /* numbers that begin as at the start where a world is put elsewhere */
  int32_t *shown;   /* of each output: its number in the program, -1: the library finds it */
  int32_t foreign;  /* how many the library finds */
  double *room;     /* of each thread: outputs of a block */
  size_t nroom;
} lanes;

static double *number_at(const lanes *l, int32_t world, int32_t i) {
  const size_t w = (size_t)l->width, block = (size_t)world / w;
  return l->x + (block * (size_t)l->p->states + (size_t)i) * w + (size_t)world % w;
}

static double *block_at(const lanes *l, int32_t block) {
  return l->x + (size_t)block * (size_t)l->p->states * (size_t)l->width;
}

/* --- life ------------------------------------------------------------------------------------- */

/* does the library's state have the arrays that the program was made for? */
static bool same_sections(const lanes *l, hk_sim *s) {
  hk_piece part[HK_STATE_SECTIONS];
  const int32_t n = hki_state_sections(s, part);
  if (l->p->sections[0] != n) return false;
  for (int32_t k = 0; k < n; k++)
    if ((size_t)l->p->sections[k + 1] != part[k].bytes) return false;
  return true;
}

/* numbers of a simulation's state into x, which are `stride` apart */
static void take_sections(const lanes *l, hk_sim *s, double *x, int32_t stride) {
  hk_piece part[HK_STATE_SECTIONS];
  hki_state_sections(s, part);
  for (int32_t i = 0; i < l->p->states; i++) {
    const int section = l->p->place[2 * i], at = l->p->place[2 * i + 1];
    if (section >= 0) x[(size_t)i * (size_t)stride] = ((const double *)part[section].data)[at];
    if (section == -2) x[(size_t)i * (size_t)stride] = s->I.t;
  }
}

/* the simulation is at the start, with the parameters of this world */
static hk_status start_with(const hk_batch *b, const lanes *l, hk_sim *s, const double *x,
                            int32_t stride) {
  hk_status st = HK_OK;
  if (!l->p->parameters) return hki_state_set(s, b->first);
  st = hki_state_replace(s, b->first);
  for (int32_t i = 0; i < l->p->parameters && st == HK_OK; i++) {
    const double value = x[(size_t)(l->p->parameter + i) * (size_t)stride];
    st = hk_sim_parameters_set(s, 1, &b->numbers[i], &value);
  }
  return st;
}

/* and back; the rest of the state is that of the start */
static hk_status give_sections(const hk_batch *b, const lanes *l, hk_sim *s, const double *x,
                               int32_t stride) {
  hk_piece part[HK_STATE_SECTIONS];
  hk_status st = start_with(b, l, s, x, stride);
  if (st != HK_OK) return st;
  hki_state_sections(s, part);
  for (int32_t i = 0; i < l->p->states; i++) {
    const int section = l->p->place[2 * i], at = l->p->place[2 * i + 1];
    if (section >= 0) ((double *)part[section].data)[at] = x[(size_t)i * (size_t)stride];
    if (section == -2) s->I.t = x[(size_t)i * (size_t)stride];
  }
  return hki_state_moved(s);
}

static hk_status find_outputs(hk_batch *b, lanes *l) {
  l->shown = hki_pool_alloc(b->pool, ((size_t)b->outputs.n + 1) * sizeof *l->shown);
  if (!l->shown) return HK_E_MEMORY;
  for (int32_t i = 0; i < b->outputs.n; i++) {
    l->shown[i] = -1;
    for (int32_t k = 0; k < l->p->outputs; k++)
      if (!strcmp(l->p->output_names[k], b->outputs.of[i])) l->shown[i] = k;
    l->foreign += l->shown[i] < 0;
  }
  return l->foreign ? hki_bridge_ready(b) : HK_OK;
}

static void put_start(hk_batch *b, lanes *l, int32_t world) {
  for (int32_t i = 0; i < l->p->states; i++) *number_at(l, world, i) = l->start[i];
  if (world >= b->opt.worlds) return;
  l->alive[world] = -1;
  b->status[world] = HK_OK, b->iterations[world] = 0;
}

/* all that is not in the library's state, no input, no parameter and does not follow from any */
static void find_renewed(lanes *l) {
  const hk_lanes_program *p = l->p;
  for (int32_t i = 0; i < p->states; i++) l->renewed[i] = p->place[2 * i] == -1;
  for (int32_t i = 0; i < p->inputs; i++) l->renewed[p->input + i] = false;
  for (int32_t i = 0; i < p->parameters; i++) l->renewed[p->parameter + i] = false;
  for (int32_t i = 1; i <= p->held; i++) l->renewed[p->following[i]] = false;
}

static hk_status make_worlds(hk_batch *b, lanes *l) {
  const int32_t w = l->width, nx = l->p->states;
  const size_t d = sizeof(double), lane = (size_t)w * d;
  l->blocks = (b->opt.worlds - 1) / w + 1;
  const int32_t derived = l->p->parameters * 2 + l->p->follow + 1;
  const int32_t most = derived > l->p->outputs ? derived : l->p->outputs + 1;
  l->nroom = ((size_t)most * lane + 63) / 64 * 64 / d;
  hk_status st = hki_batch_fits(b, (double)l->blocks * (double)(nx + 1) * (double)lane);
  if (st != HK_OK) return st;
  l->x = hki_alloc(b->ctx, (size_t)l->blocks * (size_t)nx * lane);
  l->alive = hki_alloc(b->ctx, (size_t)l->blocks * (size_t)w * sizeof *l->alive + 64);
  l->room = hki_alloc(b->ctx, (size_t)b->parts * l->nroom * d + 64);
  l->start = hki_pool_alloc(b->pool, (size_t)nx * d);
  l->renewed = hki_pool_alloc(b->pool, (size_t)nx);
  if (!l->x || !l->alive || !l->room || !l->start || !l->renewed) return HK_E_MEMORY;
  find_renewed(l);
  memcpy(l->start, l->p->start, (size_t)nx * d);
  // a start that the options ask for is none that the program knows
  const hk_sim_options *given = &b->bridge[0].sim->given;
  if (given->equilibrium || given->kinematics) take_sections(l, b->bridge[0].sim, l->start, 1);
  for (int32_t i = 0; i < l->blocks * w; i++) put_start(b, l, i);
  return HK_OK;
}

static void destroy(hk_batch *b) {
  lanes *l = b->own;
  if (!l) return;
  hki_free(b->ctx, l->x);
  hki_free(b->ctx, l->alive);
  hki_free(b->ctx, l->room);
  hki_native_close(&l->native);
  hki_free(b->ctx, l);
  b->own = NULL;
}

static hk_status create(hk_batch *b) {
  const int32_t most = hki_lanes_most(), width = b->opt.width ? b->opt.width : most;
  if (width > most)
    return snprintf(b->why, sizeof b->why, "the processor has %d lanes", (int)most), HK_E_USAGE;
  lanes *l = b->own = hki_alloc(b->ctx, sizeof *l);
  if (!l) return HK_E_MEMORY;
  hk_status st = hki_lanes_open(b, width, &l->native, &l->p);
  if (st == HK_OK && !same_sections(l, b->bridge[0].sim)) {
    snprintf(b->why, sizeof b->why, "the library's state has other numbers than the program's");
    st = HK_E_INTERNAL;
  }
  l->width = b->width = width;
  if (st == HK_OK) st = find_outputs(b, l);
  if (st == HK_OK) st = make_worlds(b, l);
  if (st != HK_OK) return destroy(b), st;
  b->states = l->p->states;
  if (!l->native.kept) b->seconds = l->native.seconds;
  snprintf(b->compiler, sizeof b->compiler, "%s", l->native.compiler);
  return HK_OK;
}

/* --- chosen worlds ---------------------------------------------------------------------------- */

static double *room_of(const lanes *l, int32_t part) { return l->room + (size_t)part * l->nroom; }

/* What follows from the parameters of one world, into the room of this thread: y[i * width]; false: they cannot be. */
static bool derive(const lanes *l, int32_t part, const double *parameters, double **y) {
  const int32_t w = l->width, n = l->p->parameters;
  double *p = room_of(l, part);
  *y = p + (size_t)n * (size_t)w;
  for (int32_t i = 0; i < n; i++)
    for (int32_t k = 0; k < w; k++) p[i * w + k] = parameters[i];
  l->p->derive(p, *y);
  bool good = (*y)[0] > 0.0;
  for (int32_t i = 1; i <= l->p->follow; i++) good = good && isfinite((*y)[i * w]);
  return good;
}

static hk_status set_parameters(hk_batch *b, int32_t part, int32_t world, const double *x) {
  lanes *l = b->own;
  double *y;
  if (!derive(l, part, x, &y)) {
    if (b->status[world] == HK_OK) b->status[world] = HK_E_USAGE;
    return l->alive[world] = 0, HK_E_USAGE;
  }
  for (int32_t i = 0; i < l->p->parameters; i++) *number_at(l, world, l->p->parameter + i) = x[i];
  for (int32_t i = 1; i <= l->p->held; i++)
    *number_at(l, world, l->p->following[i]) = y[i * l->width];
  return HK_OK;
}

/* the start of the model with the parameters that the world has */
static hk_status start_anew(hk_batch *b, int32_t part, int32_t world) {
  lanes *l = b->own;
  const int32_t n = l->p->parameters;
  double *y, *p = room_of(l, part) + l->nroom - n;
  for (int32_t i = 0; i < n; i++) p[i] = *number_at(l, world, l->p->parameter + i);
  put_start(b, l, world);
  if (!n) return HK_OK;
  for (int32_t i = 0; i < n; i++) *number_at(l, world, l->p->parameter + i) = p[i];
  if (!derive(l, part, p, &y)) return l->alive[world] = 0, b->status[world] = HK_E_USAGE;
  for (int32_t i = 1; i <= l->p->follow; i++)
    *number_at(l, world, l->p->following[i]) = y[i * l->width];
  return HK_OK;
}

static hk_status reset(hk_batch *b, const hk_worlds *w) { return hki_batch_all(b, w, start_anew); }

/* coordinates and velocities of the spanning tree, with loops closed and accelerations found */
static hk_status set_coordinates(hk_batch *b, int32_t part, int32_t world, const double *x) {
  lanes *l = b->own;
  const int32_t w = l->width, block = world / w, lane = world % w;
  hk_sim *s = b->bridge[part].sim;
  double *at = block_at(l, block) + lane;
  hk_status st = give_sections(b, l, s, at, w);
  for (int32_t i = 0; i < l->p->inputs && st == HK_OK; i++)
    st = hk_sim_input_set(s, i, *number_at(l, world, l->p->input + i), 0);
  if (st == HK_OK) st = hk_sim_coordinates_set(s, x, x + b->model->nq);
  if (st == HK_OK) take_sections(l, s, at, w);
  for (int32_t i = 0; i < l->p->states && st == HK_OK; i++)
    if (l->renewed[i]) *number_at(l, world, i) = l->start[i];
  b->status[world] = st, l->alive[world] = st == HK_OK ? -1 : 0;
  return st;
}

static hk_status set_state(hk_batch *b, int32_t world, const double *x) {
  lanes *l = b->own;
  for (int32_t i = 0; i < l->p->states; i++) *number_at(l, world, i) = x[i];
  b->status[world] = HK_OK, l->alive[world] = -1;
  return HK_OK;
}

static hk_status set_piece(hk_batch *b, int32_t part, int32_t from, int32_t to, void *user) {
  const hk_batch_chosen *c = user;
  lanes *l = b->own;
  hk_status all = HK_OK;
  for (int32_t i = from; i < to; i++) {
    const int32_t world = hki_world(c->w, i);
    const double *x = hki_batch_row(c->from, i, hki_batch_size(b, c->what), c->same);
    hk_status st = HK_OK;
    if (c->what == HK_BATCH_STATE) st = set_state(b, world, x);
    if (c->what == HK_BATCH_COORDINATES) st = set_coordinates(b, part, world, x);
    if (c->what == HK_BATCH_PARAMETERS) st = set_parameters(b, part, world, x);
    for (int32_t k = 0; c->what == HK_BATCH_INPUTS && k < l->p->inputs; k++)
      *number_at(l, world, l->p->input + k) = x[k];
    if (all == HK_OK) all = st;
  }
  return all;
}

static hk_status set(hk_batch *b, int32_t what, const hk_worlds *w, const double *x, bool same) {
  const lanes *l = b->own;
  hk_batch_chosen c = {.what = what, .w = w, .from = x, .same = same};
  hk_status st = what == HK_BATCH_COORDINATES ? hki_bridge_ready(b) : HK_OK;
  const size_t n = (size_t)l->p->states * (same ? 1 : (size_t)w->n);
  for (size_t i = 0; what == HK_BATCH_STATE && i < n; i++)
    if (!isfinite(x[i])) return hki_misuse(b->ctx, "hk_batch_set", "a state that is not finite");
  return st == HK_OK ? hki_batch_share(b, w->n, set_piece, &c) : st;
}

hk_status hki_lanes_store(hk_batch *b, const hk_worlds *w, const double *x) {
  hk_batch_chosen c = {.what = HK_BATCH_STATE, .w = w, .from = x};
  return hki_batch_share(b, w->n, set_piece, &c);
}

/* the world of the first bridge's simulation, as numbers of a program's state */
static hk_status put(hk_batch *b, const hk_worlds *w, const void *blob) {
  lanes *l = b->own;
  hk_sim *s = b->bridge[0].sim;
  const int32_t nx = l->p->states;
  double *x = hki_alloc(b->ctx, (size_t)nx * sizeof *x);
  (void)blob;
  if (!x) return HK_E_MEMORY;
  memcpy(x, l->start, (size_t)nx * sizeof *x);
  take_sections(l, s, x, 1);
  for (int32_t i = 0; i < l->p->inputs; i++) x[l->p->input + i] = hk_sim_input_get(s, i);
  double *y, *p = x + l->p->parameter;
  for (int32_t i = 0; i < l->p->parameters; i++) p[i] = hk_sim_parameter_get(s, b->numbers[i]);
  const bool good = !l->p->parameters || derive(l, 0, p, &y);
  for (int32_t i = 1; good && l->p->parameters && i <= l->p->held; i++)
    x[l->p->following[i]] = y[i * l->width];
  for (int32_t i = 0; good && i < w->n; i++) (void)set_state(b, hki_world(w, i), x);
  hki_free(b->ctx, x);
  return good ? HK_OK
              : hki_misuse(b->ctx, "hk_batch_put", "its parameters cannot be those of a world");
}

/* those outputs that the program has not */
static hk_status read_foreign(hk_batch *b, int32_t part, int32_t world, double *y) {
  const lanes *l = b->own;
  const int32_t w = l->width;
  hk_sim *s = b->bridge[part].sim;
  hk_status st = give_sections(b, l, s, block_at(l, world / w) + world % w, w);
  for (int32_t k = 0; k < b->outputs.n && st == HK_OK; k++)
    if (l->shown[k] < 0) st = hk_sim_read(s, 1, &b->handles[k], &y[k]);
  return st;
}

/* outputs of a world from those of its block */
static hk_status put_outputs(hk_batch *b, int32_t part, int32_t world, double *y) {
  const lanes *l = b->own;
  const double *all = room_of(l, part);
  for (int32_t k = 0; k < b->outputs.n; k++)
    if (l->shown[k] >= 0) y[k] = all[l->shown[k] * l->width + world % l->width];
  return l->foreign ? read_foreign(b, part, world, y) : HK_OK;
}

static hk_status get_coordinates(hk_batch *b, int32_t part, int32_t world, double *x) {
  const lanes *l = b->own;
  hk_sim *s = b->bridge[part].sim;
  hk_status st = give_sections(b, l, s, block_at(l, world / l->width) + world % l->width, l->width);
  return st == HK_OK ? hk_sim_coordinates_get(s, x, x + b->model->nq) : st;
}

static hk_status get_piece(hk_batch *b, int32_t part, int32_t from, int32_t to, void *user) {
  const hk_batch_chosen *c = user;
  const lanes *l = b->own;
  const int32_t n = hki_batch_size(b, c->what);
  int32_t last = -1;
  hk_status st = HK_OK;
  for (int32_t i = from; i < to && st == HK_OK; i++) {
    const int32_t world = hki_world(c->w, i);
    double *x = c->to + (size_t)i * (size_t)n;
    if (c->what == HK_BATCH_OUTPUTS && world / l->width != last)
      last = world / l->width, l->p->show(block_at(l, last), room_of(l, part));
    if (c->what == HK_BATCH_OUTPUTS) st = put_outputs(b, part, world, x);
    if (c->what == HK_BATCH_COORDINATES) st = get_coordinates(b, part, world, x);
    if (c->what == HK_BATCH_TIME) *x = *number_at(l, world, l->p->time);
    for (int32_t k = 0; c->what == HK_BATCH_STATE && k < n; k++) x[k] = *number_at(l, world, k);
    for (int32_t k = 0; c->what == HK_BATCH_INPUTS && k < n; k++)
      x[k] = *number_at(l, world, l->p->input + k);
    for (int32_t k = 0; c->what == HK_BATCH_PARAMETERS && k < n; k++)
      x[k] = *number_at(l, world, l->p->parameter + k);
  }
  return st;
}

static hk_status get(hk_batch *b, int32_t what, const hk_worlds *w, double *x) {
  hk_batch_chosen c = {.what = what, .w = w, .to = x};
  hk_status st = what == HK_BATCH_COORDINATES ? hki_bridge_ready(b) : HK_OK;
  return st == HK_OK ? hki_batch_share(b, w->n, get_piece, &c) : st;
}

/* --- steps ------------------------------------------------------------------------------------ */

/* what a failed step means in the library's terms */
hk_status hki_lanes_meaning(long long code) {
  return code == -2 ? HK_E_NUMBER : code == -1 ? HK_E_SINGULAR : HK_E_DIVERGED;
}

static void put_inputs(hk_batch *b, const hk_batch_run *r, int32_t block, int64_t k) {
  const lanes *l = b->own;
  const int32_t n = b->inputs.n, w = l->width;
  for (int32_t i = 0; i < w; i++) {
    const int32_t world = block * w + i;
    if (world >= b->opt.worlds || !l->alive[world]) continue;
    const double *u =
        r->inputs + ((r->same ? 0 : (size_t)world * (size_t)r->steps) + (size_t)k) * (size_t)n;
    for (int32_t m = 0; m < n; m++) *number_at(l, world, l->p->input + m) = u[m];
  }
}

static hk_status put_row(hk_batch *b, const hk_batch_run *r, int32_t part, int32_t block,
                         int64_t row) {
  const lanes *l = b->own;
  const int64_t rows = r->steps / r->every + 1;
  hk_status st = HK_OK;
  l->p->show(block_at(l, block), room_of(l, part));
  for (int32_t i = 0; i < l->width && st == HK_OK; i++) {
    const int32_t world = block * l->width + i;
    if (world >= b->opt.worlds || !l->alive[world]) continue;
    st = put_outputs(b, part, world,
                     r->outputs + (size_t)(world * rows + row) * (size_t)b->outputs.n);
  }
  return st;
}

/* results of a step: iterations, and worlds that have failed; true: some are alive */
static bool look_at(hk_batch *b, const hk_batch_run *r, int32_t block, int64_t k,
                    const long long *result) {
  lanes *l = b->own;
  bool any = false;
  for (int32_t i = 0; i < l->width; i++) {
    const int32_t world = block * l->width + i;
    if (world >= b->opt.worlds || !l->alive[world]) continue;
    if (result[i] >= 0) {
      b->iterations[world] += result[i];
      any = true;
      continue;
    }
    b->status[world] = hki_lanes_meaning(result[i]), l->alive[world] = 0;
    hki_batch_blank(b, r, world, k / r->every + 1);
  }
  return any;
}

static hk_status run_block(hk_batch *b, const hk_batch_run *r, int32_t part, int32_t block) {
  lanes *l = b->own;
  _Alignas(64) long long result[8];
  long long *alive = l->alive + (size_t)block * (size_t)l->width;
  bool any = false;
  hk_status st = HK_OK;
  for (int32_t i = 0; i < l->width; i++) {
    const int32_t world = block * l->width + i;
    any |= alive[i] != 0;
    if (world < b->opt.worlds && !alive[i]) hki_batch_blank(b, r, world, 0);
  }
  if (any && r->outputs) st = put_row(b, r, part, block, 0);
  for (int64_t k = 0; k < r->steps && any && st == HK_OK; k++) {
    if (r->inputs) put_inputs(b, r, block, k);
    l->p->take(block_at(l, block), alive, result);
    any = look_at(b, r, block, k, result);
    if (r->outputs && any && (k + 1) % r->every == 0)
      st = put_row(b, r, part, block, (k + 1) / r->every);
  }
  return st;
}

static hk_status run_piece(hk_batch *b, int32_t part, int32_t from, int32_t to, void *user) {
  const hk_batch_run *r = user;
  const volatile int *stop = hki_stop_flag(b->ctx);
  hk_status st = HK_OK;
  for (int32_t i = from; i < to && st == HK_OK; i++)
    st = stop && *stop ? HK_INTERRUPTED : run_block(b, r, part, i);
  return st;
}

static hk_status run(hk_batch *b, const hk_batch_run *r) {
  const lanes *l = b->own;
  hk_batch_run own = *r;
  return hki_batch_share(b, l->blocks, run_piece, &own);
}

const hk_lanes_program *hki_lanes_program(const hk_batch *b) {
  const lanes *l = b->own;
  return l->p;
}

void hki_lanes_mark(hk_batch *b, int32_t world, hk_status why) {
  const lanes *l = b->own;
  b->status[world] = why, l->alive[world] = 0;
}

const hk_batch_ops hki_batch_lanes = {
    HK_BATCH_LANES, create, destroy, reset, set, put, get, run, NULL};
