/* SPDX-License-Identifier: Apache-2.0
 *
 * unit.c: life of an instance, its variables, and its steps in co-simulation.
 *
 * A step of the importer is made of the steps that a run of the model takes: to each time of the grid, k
 * times the model's step, by the same call. So an importer that communicates at these times gets the bits
 * of `hooke run`. Between them the last step is shorter, and the grid stays.
 */
#include "fmu/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fmu/exchange.h"
#include "simulation/live.h"

/* --- messages --------------------------------------------------------------------------------- */

void hki_unit_tell(hk_unit *u, hk_status status) {
  const int32_t n = hk_ctx_message_count(u->ctx);
  for (; u->told < n; u->told++) {
    const hk_message *m = hk_ctx_message(u->ctx, u->told);
    if (m->severity == HK_ERROR) u->say(u->user, HK_FMI_ERROR, m->text);
    if (m->severity == HK_WARNING) u->say(u->user, HK_FMI_WARNING, m->text);
  }
  if (status == HK_OK) return;
  u->phase = HK_UNIT_ENDED;
  const char *why = u->sim && u->sim->message[0] ? u->sim->message : hk_status_text(status);
  u->say(u->user, HK_FMI_ERROR, why);
}

hk_status hki_unit_misuse(hk_unit *u, const char *text) {
  u->say(u->user, HK_FMI_ERROR, text);
  return HK_E_USAGE;
}

hk_fmi_status hki_unit_discard(hk_unit *u) {
  u->say(u->user, HK_FMI_DISCARD, "the equations of the model have no solution at these states");
  return HK_FMI_DISCARD;
}

/* --- life ------------------------------------------------------------------------------------- */

/* values as in the bundle */
static void set_starts(hk_unit *u) {
  const size_t d = sizeof(double);
  if (u->b.inputs.n) memcpy(u->inputs, u->b.inputs.starts, (size_t)u->b.inputs.n * d);
  if (u->b.parameters.n)
    memcpy(u->parameters, u->b.parameters.starts, (size_t)u->b.parameters.n * d);
  u->phase = HK_UNIT_NEW;
  u->start = 0.0, u->stop = NAN, u->tolerance = 0.0;
  u->inputs_new = u->stepped = false;
}

static hk_status take_bundle(hk_unit *u, const char *bytes, size_t len, const char *token) {
  hk_status st = hki_bundle_read(u->ctx, u->pool, bytes, len, &u->b);
  if (st != HK_OK) return st;
  if (token && strcmp(token, u->b.token) != 0)
    return hki_error(u->ctx, HK_E_USAGE, HK_LOC_NONE, NULL,
                     "the guid or token '%.80s' is not that of the model in this FMU, '%s'", token,
                     u->b.token);
  for (int32_t i = 0; st == HK_OK && i < u->b.nfiles; i++)
    st = hki_file_put(u->ctx, u->b.files[i].name, u->b.files[i].bytes, u->b.files[i].len);
  const size_t d = sizeof(double);
  u->inputs = hki_pool_alloc(u->pool, ((size_t)u->b.inputs.n + 1) * d);
  u->parameters = hki_pool_alloc(u->pool, ((size_t)u->b.parameters.n + 1) * d);
  u->loaded = hki_pool_alloc(u->pool, ((size_t)u->b.parameters.n + 1) * d);
  u->handles = hki_pool_alloc(u->pool, ((size_t)u->b.outputs.n + 1) * sizeof *u->handles);
  return st != HK_OK                                             ? st
         : u->inputs && u->parameters && u->loaded && u->handles ? HK_OK
                                                                 : HK_E_MEMORY;
}

hk_unit *hki_unit_create(const char *bytes, size_t len, const char *token, bool co_simulation,
                         hk_unit_say *say, void *user) {
  hk_ctx *ctx = hk_ctx_create();
  hk_pool *pool = ctx ? hki_ctx_pool(ctx) : NULL;
  hk_unit *u = pool ? hki_pool_alloc(pool, sizeof *u) : NULL;
  if (!u) {
    hk_ctx_destroy(ctx);
    say(user, HK_FMI_FATAL, "out of memory");
    return NULL;
  }
  *u = (hk_unit){.ctx = ctx, .pool = pool, .co_simulation = co_simulation, .say = say};
  u->user = user;
  hk_status st = take_bundle(u, bytes, len, token);
  if (st == HK_OK) {
    set_starts(u);
    return u;
  }
  hki_unit_tell(u, st);
  hk_ctx_destroy(ctx);
  return NULL;
}

static void end_run(hk_unit *u) {
  hki_exchange_destroy(u->exchange);
  hk_sim_destroy(u->sim);
  hk_model_release(u->model);
  u->exchange = NULL, u->sim = NULL, u->model = NULL;
}

void hki_unit_reset(hk_unit *u) {
  end_run(u);
  set_starts(u);
}

void hki_unit_destroy(hk_unit *u) {
  if (!u) return;
  end_run(u);
  hk_ctx_destroy(u->ctx);
}

/* --- the start -------------------------------------------------------------------------------- */

/* parameters that the export or the importer has set */
static hk_status load(hk_unit *u) {
  const hk_bundle *b = &u->b;
  const hk_bundle_file *main = NULL;
  hk_set *sets =
      hki_pool_alloc(u->pool, ((size_t)b->sets.n + (size_t)b->parameters.n + 1) * sizeof *sets);
  int32_t n = 0;
  if (!sets) return HK_E_MEMORY;
  for (int32_t i = 0; i < b->sets.n; i++) sets[n++] = (hk_set){b->sets.names[i], b->sets.values[i]};
  for (int32_t i = 0; i < b->parameters.n; i++) {
    if (u->parameters[i] == b->parameters.starts[i]) continue;
    const char *value = hki_pool_printf(u->pool, "%.17g", u->parameters[i]);
    if (!value) return HK_E_MEMORY;
    // the last of two values of one name counts
    int32_t k = 0;
    while (k < n && strcmp(sets[k].name, b->parameters.names[i]) != 0) k++;
    sets[k] = (hk_set){b->parameters.names[i], value};
    if (k == n) n++;
  }
  for (int32_t i = 0; i < b->nfiles; i++)
    if (strcmp(b->files[i].name, b->model) == 0) main = &b->files[i];
  if (!main) return hki_error(u->ctx, HK_E_FILE, HK_LOC_NONE, NULL, "the FMU holds no model");
  return hk_model_parse(u->ctx, main->bytes, main->len, b->model, sets, n, &u->model);
}

/* the run goes to where the importer wants to stop, not to where the model's runs end */
static void set_end(hk_unit *u) {
  u->sim->end = isnan(u->stop) ? 1e9 * u->b.time : u->stop - u->start;
}

static hk_status make_sim(hk_unit *u) {
  const hk_bundle *b = &u->b;
  hk_sim_options opt = hk_sim_options_def();
  hk_option *list = hki_pool_alloc(u->pool, ((size_t)b->options.n + 1) * sizeof *list);
  if (!list) return HK_E_MEMORY;
  for (int32_t i = 0; i < b->options.n; i++)
    list[i] = (hk_option){b->options.names[i], b->options.values[i]};
  opt.formulation = b->formulation, opt.integrator = b->integrator;
  opt.options = list, opt.noptions = b->options.n;
  opt.step = b->step;
  opt.tolerance = b->tolerance;
  opt.time = b->time;
  hk_status st = hk_sim_create(u->model, &opt, &u->sim);
  if (st == HK_OK) set_end(u);
  return st;
}

hk_status hki_unit_make(hk_unit *u) {
  end_run(u);
  if (u->b.parameters.n)
    memcpy(u->loaded, u->parameters, (size_t)u->b.parameters.n * sizeof *u->loaded);
  hk_status st = load(u);
  if (st == HK_OK) st = make_sim(u);
  for (int32_t i = 0; st == HK_OK && i < u->b.outputs.n; i++)
    if ((u->handles[i] = hk_sim_channel_handle(u->sim, u->b.outputs.names[i])) < 0) st = HK_E_USAGE;
  if (st == HK_OK && !u->co_simulation) st = hki_exchange_create(u, &u->exchange);
  return st;
}

hk_status hki_unit_start(hk_unit *u) {
  if (u->sim) return hki_unit_misuse(u, "the FMU has been initialized already");
  hk_status st = hki_unit_make(u);
  if (st == HK_OK) u->phase = HK_UNIT_INITIALIZING;
  hki_unit_tell(u, st);
  return st;
}

/* --- variables -------------------------------------------------------------------------------- */

/* inputs that were set get their values in the simulation; jump: at once */
static hk_status give_inputs(hk_unit *u, bool jump) {
  if (!u->inputs_new || !u->sim) return HK_OK;
  u->inputs_new = false;
  if (u->exchange) return HK_OK; // they are put in at each evaluation
  for (int32_t i = 0; i < u->b.inputs.n; i++) {
    const int32_t k = hk_sim_input_find(u->sim, u->b.inputs.names[i]);
    if (k < 0) return hki_unit_misuse(u, "the model has lost an input");
    if (hk_sim_input_get(u->sim, k) == u->inputs[i]) continue;
    hk_status st = hk_sim_input_set(u->sim, k, u->inputs[i], jump);
    if (st != HK_OK) return st;
  }
  return HK_OK;
}

/* all outputs; only those that are asked for are found */
static hk_status read_outputs(hk_unit *u, const hk_fmi_reference *refs, size_t n, double *values) {
  for (size_t k = 0; k < n; k++) {
    const hk_fmi_reference i = refs[k] & (((hk_fmi_reference)1 << HK_UNIT_SHIFT) - 1);
    if (refs[k] >> HK_UNIT_SHIFT != HK_UNIT_OUTPUT) continue;
    hk_status st = hk_sim_read(u->sim, 1, &u->handles[i], &values[k]);
    if (st != HK_OK) return st;
  }
  return HK_OK;
}

/* how many variables of a kind there are */
static int32_t count(const hk_unit *u, hk_fmi_reference kind) {
  switch (kind) {
    case HK_UNIT_TIME:
      return 1;
    case HK_UNIT_INPUT:
      return u->b.inputs.n;
    case HK_UNIT_OUTPUT:
      return u->b.outputs.n;
    case HK_UNIT_PARAMETER:
      return u->b.parameters.n;
    default:
      return u->exchange ? hki_exchange_count(u->exchange, (int32_t)kind) : 0;
  }
}

hk_status hki_unit_count(hk_unit *u, int32_t kind, size_t *n) {
  const bool there = u->exchange != NULL;
  if (u->co_simulation) return hki_unit_misuse(u, "this is no instance for model exchange");
  hk_status st = there ? HK_OK : hki_unit_make(u);
  if (st == HK_OK) *n = (size_t)hki_exchange_count(u->exchange, kind);
  if (!there) end_run(u);
  if (st != HK_OK) hki_unit_tell(u, st);
  return st;
}

/* does the reference name a variable? */
static bool split(const hk_unit *u, hk_fmi_reference ref, hk_fmi_reference *kind, int32_t *i) {
  *kind = ref >> HK_UNIT_SHIFT;
  *i = (int32_t)(ref & (((hk_fmi_reference)1 << HK_UNIT_SHIFT) - 1));
  return *i < count(u, *kind);
}

hk_status hki_unit_get(hk_unit *u, const hk_fmi_reference *refs, size_t n, double *values) {
  bool outputs = false, derived = false;
  for (size_t k = 0; k < n; k++) {
    hk_fmi_reference kind;
    int32_t i;
    if (!split(u, refs[k], &kind, &i)) return hki_unit_misuse(u, "no variable has this reference");
    outputs |= kind == HK_UNIT_OUTPUT;
    derived |= kind >= HK_UNIT_STATE;
    values[k] = kind == HK_UNIT_TIME        ? u->start + (u->sim ? hk_sim_time(u->sim) : 0.0)
                : kind == HK_UNIT_INPUT     ? u->inputs[i]
                : kind == HK_UNIT_PARAMETER ? u->parameters[i]
                                            : 0.0;
  }
  if (!outputs && !derived) return HK_OK;
  if (!u->sim) return hki_unit_misuse(u, "outputs have values from the initialization on");
  hk_status st = HK_OK;
  if (u->exchange) {
    st = hki_exchange_get(u->exchange, refs, n, values);
  } else {
    if (!u->stepped) st = give_inputs(u, true);
    if (st == HK_OK) st = read_outputs(u, refs, n, values);
  }
  hki_unit_tell(u, st);
  return st;
}

/* a parameter that is set while the model runs */
static hk_status live_parameter(hk_unit *u, int32_t i, double value) {
  if (u->exchange) return hki_unit_misuse(u, "parameters are fixed in model exchange");
  const int32_t k = hk_sim_parameter_find(u->sim, u->b.parameters.names[i]);
  hk_status st = k < 0 ? HK_E_USAGE : hk_sim_parameter_set(u->sim, k, value);
  if (st == HK_OK) u->parameters[i] = value, set_end(u);
  return st;
}

hk_status hki_unit_set(hk_unit *u, const hk_fmi_reference *refs, size_t n, const double *values) {
  for (size_t k = 0; k < n; k++) {
    hk_fmi_reference kind;
    int32_t i;
    if (!split(u, refs[k], &kind, &i)) return hki_unit_misuse(u, "no variable has this reference");
    if (!isfinite(values[k])) return hki_unit_misuse(u, "a value must be a finite number");
    if (kind == HK_UNIT_INPUT) {
      u->inputs[i] = values[k];
      u->inputs_new = true;
      if (u->exchange) hki_exchange_stale(u->exchange);
    } else if (kind == HK_UNIT_PARAMETER && !u->sim) {
      u->parameters[i] = values[k];
    } else if (kind == HK_UNIT_PARAMETER) {
      if (values[k] == u->parameters[i]) continue;
      hk_status st = live_parameter(u, i, values[k]);
      if (st != HK_OK) return hki_unit_tell(u, st), st;
    } else if (kind == HK_UNIT_STATE) {
      hki_exchange_put(u->exchange, i, values[k]);
    } else {
      return hki_unit_misuse(u, "only inputs, parameters and states can be set");
    }
  }
  return HK_OK;
}

/* --- steps ------------------------------------------------------------------------------------ */

/* a number that changes whenever events change the model */
static uint64_t events_so_far(const hk_sim *s) {
  const size_t n = (size_t)s->m->spec->nevents;
  uint64_t h = hki_hash(s->kin->disc.active, (size_t)s->m->nc * sizeof(double), 1);
  return n ? hki_hash(s->fired, n, h) : h;
}

hk_status hki_unit_step(hk_unit *u, double t, double h, bool early, double *reached, bool *event,
                        bool *ended) {
  *event = *ended = false;
  *reached = t;
  if (!u->sim) return hki_unit_misuse(u, "the FMU has not been initialized");
  const double eps = 1e-9 * u->sim->step, now = hk_sim_time(u->sim);
  double target = t - u->start + h;
  if (!(h >= 0.0) || fabs(t - u->start - now) > eps + 1e-12 * fabs(t))
    return hki_unit_misuse(u, "a step must begin where the last one ended, and go forward");
  hk_status st = give_inputs(u, !u->stepped);
  u->stepped = true;
  if (target > u->sim->end) {
    if (target > u->sim->end + eps + 1e-12 * fabs(target))
      return hki_unit_misuse(u, "the step goes beyond the stop time");
    target = u->sim->end;
  }
  while (st == HK_OK && target - hk_sim_time(u->sim) > eps && !hk_sim_done(u->sim) && !*event) {
    hk_sim *s = u->sim;
    const uint64_t before = events_so_far(s);
    const double grid = hki_sim_grid_time(s, s->grid + 1);
    const bool whole = !s->scheduled && grid <= target + eps;
    if (whole && !s->free.on) {
      st = hk_sim_step(s);
    } else {
      // one part of it at a time, so that events can be seen
      s->until = whole ? INFINITY : target;
      st = hk_sim_step(s);
      s->until = INFINITY;
    }
    if (early && st == HK_OK) *event = events_so_far(s) != before;
  }
  *reached = u->start + hk_sim_time(u->sim);
  // the importer's own time where both are one but for rounding
  if (fabs(hk_sim_time(u->sim) - target) <= eps) *reached = t + h;
  *ended = hki_sim_ended(u->sim);
  hki_unit_tell(u, st);
  return st;
}
