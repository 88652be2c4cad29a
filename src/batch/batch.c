/* SPDX-License-Identifier: Apache-2.0
 *
 * batch.c: the public functions of batches: their arguments, the choice of a way to carry them out, and the sharing of worlds
 * among threads.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "batch/batch_impl.h"
#include "model/model.h"

enum { MOST_THREADS = 1024 };

static const hk_batch_options defaults = {.size = sizeof defaults, .worlds = 1};

void hk_batch_options_init(hk_batch_options *opt, uint32_t size) {
  hki_options_init(opt, size, &defaults, sizeof defaults);
}

static bool is_batch(const hk_batch *b) { return hki_is(b, HK_MARK_BATCH); }

/* --- threads ---------------------------------------------------------------------------------- */

typedef struct shared {
  hk_batch *b;
  int32_t n;
  hk_batch_piece *piece;
  void *user;
  hk_status status[MOST_THREADS];
} shared;

static void take_part(void *arg, int32_t part, int32_t parts) {
  shared *s = arg;
  const int32_t from = (int32_t)((int64_t)s->n * part / parts),
                to = (int32_t)((int64_t)s->n * (part + 1) / parts);
  s->status[part] = from < to ? s->piece(s->b, part, from, to, s->user) : HK_OK;
}

hk_status hki_batch_share(hk_batch *b, int32_t n, hk_batch_piece *piece, void *user) {
  shared s = {.b = b, .n = n, .piece = piece, .user = user};
  if (n < 2)
    take_part(&s, 0, 1);
  else
    hki_team_run(b->team, take_part, &s);
  for (int32_t i = 0; i < b->parts; i++)
    if (s.status[i] != HK_OK) return s.status[i];
  return HK_OK;
}

typedef struct chosen_each {
  const hk_worlds *w;
  hk_batch_each *each;
} chosen_each;

static hk_status each_of_piece(hk_batch *b, int32_t part, int32_t from, int32_t to, void *user) {
  const chosen_each *c = user;
  hk_status all = HK_OK;
  for (int32_t i = from; i < to; i++) {
    const hk_status st = c->each(b, part, hki_world(c->w, i));
    if (all == HK_OK) all = st;
  }
  return all;
}

hk_status hki_batch_all(hk_batch *b, const hk_worlds *w, hk_batch_each *each) {
  chosen_each c = {.w = w, .each = each};
  return hki_batch_share(b, w->n, each_of_piece, &c);
}

void hki_batch_blank(const hk_batch *b, const hk_batch_run *r, int32_t world, int64_t row) {
  const size_t n = (size_t)b->outputs.n, rows = (size_t)(r->steps / r->every + 1);
  if (!r->outputs) return;
  double *x = r->outputs + (size_t)world * rows * n;
  for (size_t i = (size_t)row * n; i < rows * n; i++) x[i] = NAN;
}

/* --- life ------------------------------------------------------------------------------------- */

static bool good_names(const char *const *list, int32_t n) {
  if (!hki_is_list(list, n)) return false;
  for (int32_t i = 0; i < n; i++)
    if (!list[i]) return false;
  return true;
}

static const char *fault(const hk_batch_options *o) {
  if (o->worlds < 1) return "a batch has at least one world";
  if (o->worlds > INT32_MAX - 8) return "there are too many worlds to be counted";
  if (o->threads < 0 || o->threads > MOST_THREADS) return "the number of threads makes no sense";
  if (o->way < HK_BATCH_ANY || o->way > HK_BATCH_CARD) return "there is no such way";
  if (o->width && o->width != 2 && o->width != 4 && o->width != 8)
    return "there are 2, 4 or 8 lanes";
  if (o->warps < 0 || o->warps > 8) return "1 to 8 warps share the steps of worlds";
  if (!good_names(o->outputs, o->noutputs) || !good_names(o->parameters, o->nparameters))
    return "a list of names does not fit its count";
  return NULL;
}

static int32_t threads_of(const hk_batch_options *o) {
  long n = o->threads ? o->threads : sysconf(_SC_NPROCESSORS_ONLN);
  if (n > o->worlds) n = o->worlds;
  return (int32_t)(n < 1 ? 1 : n > MOST_THREADS ? MOST_THREADS : n);
}

/* the library takes the steps of what cannot be compiled, lanes those that no card takes */
static hk_status choose_way(hk_batch *b) {
  const int32_t way = b->opt.way;
  hk_status st = HK_OK;
  if (way == HK_BATCH_CARD) {
    b->ops = &hki_batch_card;
    st = b->ops->create(b);
    if (st == HK_OK || st == HK_E_MEMORY || st == HK_INTERRUPTED) return st;
    hki_note(b->ctx, HK_LOC_NONE, "the processor takes the steps of the batch, no card: %s",
             b->why);
  }
  if (way != HK_BATCH_LIBRARY) {
    b->ops = &hki_batch_lanes;
    st = b->ops->create(b);
    if (st == HK_OK || st == HK_E_MEMORY || st == HK_INTERRUPTED) return st;
    if (way == HK_BATCH_LANES)
      return hki_error(b->ctx, st, HK_LOC_NONE, "without that way the library takes the steps",
                       "the batch cannot be compiled: %s", b->why);
    hki_note(b->ctx, HK_LOC_NONE, "the library takes the steps of the batch: %s", b->why);
  }
  b->ops = &hki_batch_library;
  return b->ops->create(b);
}

hk_status hki_batch_fits(hk_batch *b, double bytes) {
  const double most = b->bridge[0].sim->memory;
  if (bytes <= most) return HK_OK;
  return hki_error(b->ctx, HK_E_MEMORY, HK_LOC_NONE, "ask for fewer worlds",
                   "%d worlds need %.3g MB, more than the %.3g MB that the batch may take",
                   (int)b->opt.worlds, 1e-6 * bytes, 1e-6 * most);
}

static hk_status make(hk_batch *b) {
  const size_t n = (size_t)b->opt.worlds;
  b->parts = threads_of(&b->opt);
  hk_status st = hki_bridge_create(b);
  if (st == HK_OK) st = hki_batch_fits(b, (double)n * (sizeof *b->status + sizeof *b->iterations));
  if (st != HK_OK) return st;
  b->status = hki_alloc(b->ctx, n * sizeof *b->status);
  b->iterations = hki_alloc(b->ctx, n * sizeof *b->iterations);
  if (!b->status || !b->iterations) return HK_E_MEMORY;
  st = hki_batch_find_names(b);
  if (st == HK_OK && b->parts > 1) {
    b->team = hki_team_create(b->ctx, b->parts);
    if (!b->team)
      return hki_error(b->ctx, HK_E_MEMORY, HK_LOC_NONE, "ask for fewer",
                       "%d threads could not be started", (int)b->parts);
  }
  return st == HK_OK ? choose_way(b) : st;
}

hk_status hk_batch_create(hk_ctx *ctx, hk_model *m, const hk_batch_options *options,
                          hk_batch **out) {
  hk_batch_options opt = defaults;
  if (out) *out = NULL;
  if (!hki_is(ctx, HK_MARK_CTX)) return hki_misuse(NULL, "hk_batch_create", "no context");
  if (!hki_is(m, HK_MARK_MODEL) || !out)
    return hki_misuse(ctx, "hk_batch_create", "no model, or no place for the batch");
  hk_status st = hki_options_read(ctx, HK_OPTIONS(hk_batch_options, worlds), &opt, options);
  if (st != HK_OK) return st;
  const char *why = fault(&opt);
  if (why) return hki_misuse(ctx, "hk_batch_create", why);
  hk_pool *pool = hki_pool_create(ctx);
  hk_batch *b = pool ? hki_pool_alloc(pool, sizeof *b) : NULL;
  if (!b) return hki_pool_destroy(pool), HK_E_MEMORY;
  *b = (hk_batch){.mark = HK_MARK_BATCH, .ctx = ctx, .pool = pool, .opt = opt};
  b->model = hki_model_retain(m);
  st = make(b);
  // names and methods of the caller are no longer needed, and need not live on
  b->opt.sim = NULL, b->opt.outputs = b->opt.parameters = NULL;
  if (st == HK_OK)
    *out = b;
  else
    hk_batch_destroy(b);
  return st;
}

void hk_batch_destroy(hk_batch *b) {
  if (!is_batch(b)) return;
  hk_ctx *ctx = b->ctx;
  if (b->ops) b->ops->destroy(b);
  hki_team_end(b->team);
  hki_bridge_destroy(b);
  hki_model_release(b->model);
  hki_free(ctx, b->status);
  hki_free(ctx, b->iterations);
  b->mark = (hk_mark)0;
  hki_pool_destroy(b->pool);
}

/* --- what it is ------------------------------------------------------------------------------- */

int32_t hki_batch_size(const hk_batch *b, int32_t what) {
  const hk_model *m = b->model;
  switch (what) {
    case HK_BATCH_STATE:
      return b->states;
    case HK_BATCH_COORDINATES:
      return m->nq + m->nv;
    case HK_BATCH_INPUTS:
      return b->inputs.n;
    case HK_BATCH_PARAMETERS:
      return b->parameters.n;
    case HK_BATCH_OUTPUTS:
      return b->outputs.n;
    case HK_BATCH_TIME:
      return 1;
    default:
      return -1;
  }
}

hk_status hk_batch_info(const hk_batch *b, hk_batch_about *about) {
  if (!is_batch(b)) return hki_misuse(NULL, "hk_batch_info", "no batch");
  if (!about || about->size < sizeof *about)
    return hki_misuse(b->ctx, "hk_batch_info", "no place for it, or one of no size");
  *about = (hk_batch_about){.size = about->size,
                            .worlds = b->opt.worlds,
                            .way = b->ops->way,
                            .width = b->width,
                            .threads = b->parts,
                            .states = b->states,
                            .coordinates = b->model->nq,
                            .velocities = b->model->nv,
                            .inputs = b->inputs.n,
                            .outputs = b->outputs.n,
                            .parameters = b->parameters.n,
                            .step = b->bridge[0].sim->step,
                            .seconds = b->seconds,
                            .why = b->why,
                            .compiler = b->compiler};
  return HK_OK;
}

const char *hk_batch_name(const hk_batch *b, int32_t what, int32_t i) {
  if (!is_batch(b) || i < 0) return NULL;
  if (what == HK_BATCH_COORDINATES) {
    const int32_t nq = b->model->nq;
    return i < nq ? hk_sim_coordinate_name(b->bridge[0].sim, i)
                  : hk_sim_velocity_name(b->bridge[0].sim, i - nq);
  }
  const hk_batch_names *list = what == HK_BATCH_INPUTS       ? &b->inputs
                               : what == HK_BATCH_OUTPUTS    ? &b->outputs
                               : what == HK_BATCH_PARAMETERS ? &b->parameters
                                                             : NULL;
  return list && i < list->n ? list->of[i] : NULL;
}

const int32_t *hk_batch_status(const hk_batch *b) { return is_batch(b) ? b->status : NULL; }

int64_t hk_batch_iterations(const hk_batch *b, int32_t world) {
  return is_batch(b) && world >= 0 && world < b->opt.worlds ? b->iterations[world] : -1;
}

/* --- worlds ----------------------------------------------------------------------------------- */

/* why these are no worlds, or one of them is there twice; NULL: all is well */
static const char *worlds_fault(hk_batch *b, const hk_worlds *w, bool once) {
  if (w->n < 0 || w->n > b->opt.worlds) return "there are fewer worlds";
  for (int32_t i = 0; w->of && i < w->n; i++)
    if (w->of[i] < 0 || w->of[i] >= b->opt.worlds) return "no world of this number";
  if (!w->of || !once) return NULL;
  bool *seen = hki_alloc(b->ctx, (size_t)b->opt.worlds), twice = false;
  if (!seen) return "no memory to look at the list of worlds";
  for (int32_t i = 0; i < w->n; i++) twice |= seen[w->of[i]], seen[w->of[i]] = true;
  hki_free(b->ctx, seen);
  return twice ? "a world is named twice" : NULL;
}

hk_status hk_batch_reset(hk_batch *b, int32_t n, const int32_t *worlds) {
  if (!is_batch(b)) return hki_misuse(NULL, "hk_batch_reset", "no batch");
  const hk_worlds w = {n, worlds};
  const char *why = worlds_fault(b, &w, true);
  return why ? hki_misuse(b->ctx, "hk_batch_reset", why) : b->ops->reset(b, &w);
}

static bool all_finite(const double *x, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

hk_status hk_batch_set(hk_batch *b, int32_t what, int32_t n, const int32_t *worlds,
                       const double *values, int32_t same) {
  if (!is_batch(b)) return hki_misuse(NULL, "hk_batch_set", "no batch");
  const hk_worlds w = {n, worlds};
  const int32_t size = hki_batch_size(b, what);
  const char *why = worlds_fault(b, &w, true);
  if (size < 0 || what == HK_BATCH_OUTPUTS || what == HK_BATCH_TIME) why = "it cannot be set";
  if (!why && n && size && !values) why = "no values";
  const size_t all = why ? 0 : (size_t)size * (same ? 1 : (size_t)n);
  if (!why && n && what != HK_BATCH_STATE && !all_finite(values, all))
    why = "the values must be finite numbers";
  if (why) return hki_misuse(b->ctx, "hk_batch_set", why);
  return n && size ? b->ops->set(b, what, &w, values, same != 0) : HK_OK;
}

hk_status hk_batch_put(hk_batch *b, int32_t n, const int32_t *worlds, const void *blob,
                       size_t size) {
  if (!is_batch(b)) return hki_misuse(NULL, "hk_batch_put", "no batch");
  const hk_worlds w = {n, worlds};
  hk_sim *s = b->bridge[0].sim;
  double t;
  const char *why = worlds_fault(b, &w, true);
  if (!why) why = blob ? hki_state_fault(s, blob, size, &t) : "no state";
  if (why) return hki_misuse(b->ctx, "hk_batch_put", why);
  hk_status st = hki_state_replace(s, blob);
  if (st == HK_OK) st = b->ops->put(b, &w, blob);
  return st;
}

hk_status hk_batch_get(hk_batch *b, int32_t what, int32_t n, const int32_t *worlds,
                       double *values) {
  if (!is_batch(b)) return hki_misuse(NULL, "hk_batch_get", "no batch");
  const hk_worlds w = {n, worlds};
  const int32_t size = hki_batch_size(b, what);
  const char *why = n < 0 ? "there are fewer worlds" : worlds ? NULL : worlds_fault(b, &w, false);
  for (int32_t i = 0; !why && worlds && i < n; i++)
    if (worlds[i] < 0 || worlds[i] >= b->opt.worlds) why = "no world of this number";
  if (size < 0) why = "there is no such thing";
  if (!why && n && size && !values) why = "no room for the values";
  if (why) return hki_misuse(b->ctx, "hk_batch_get", why);
  return n && size ? b->ops->get(b, what, &w, values) : HK_OK;
}

hk_status hk_batch_step(hk_batch *b, int64_t steps) {
  if (!is_batch(b) || steps < 0)
    return hki_misuse(is_batch(b) ? b->ctx : NULL, "hk_batch_step",
                      is_batch(b) ? "the number of steps is negative" : "no batch");
  const hk_batch_run r = {.steps = steps, .every = 1};
  return b->ops->run(b, &r);
}

hk_status hk_batch_rollout(hk_batch *b, int64_t steps, int64_t every, const double *inputs,
                           int32_t same, double *outputs) {
  if (!is_batch(b)) return hki_misuse(NULL, "hk_batch_rollout", "no batch");
  if (steps < 0 || every < 1)
    return hki_misuse(b->ctx, "hk_batch_rollout", "expected a number of steps, and every how many");
  const double count = (double)steps * b->inputs.n * (same ? 1.0 : (double)b->opt.worlds),
               rows = ((double)steps / (double)every + 1.0) * b->outputs.n * b->opt.worlds;
  if ((inputs && count > 1e15) || (outputs && rows > 1e15))
    return hki_misuse(b->ctx, "hk_batch_rollout", "more steps than any memory has numbers for");
  if (inputs && !all_finite(inputs, (size_t)count))
    return hki_misuse(b->ctx, "hk_batch_rollout", "inputs must be finite numbers");
  const hk_batch_run r = {steps, every, b->inputs.n ? inputs : NULL, same != 0,
                          b->outputs.n ? outputs : NULL};
  return b->ops->run(b, &r);
}
