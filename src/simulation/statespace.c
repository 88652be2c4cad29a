/* SPDX-License-Identifier: Apache-2.0
 *
 * statespace.c: the life of linear equations, and what callers ask of them (hooke/statespace.h).
 */
#include "simulation/statespace_pencil.h"

#include <stdio.h>

#include "analyses/assembly.h"

/* places in the matrices are numbers of 32 bits */
enum { MOST_STATES = 46000 };
/* from so many coordinates on some modes of a model are found by sparse matrices, where these know all of it */
enum { MANY = 300 };

static const hk_statespace_options defaults = {.size = sizeof defaults, .sparse = -1};
/* accelerations up to this one, m/s^2 or rad/s^2, are none: a steady motion */
static const double steady = 1e-5;
/* constraints that hold by less than this share of the others are about to lose their rank */
static const double doubtful = 1e-5;

void hk_statespace_options_init(hk_statespace_options *opt, uint32_t size) {
  hki_options_init(opt, size, &defaults, sizeof defaults);
}

/* --- life ------------------------------------------------------------------------------------- */

/* the channels of a name or pattern behind those of the list; false: none, or no memory */
static bool add_outputs(hk_sim *s, const char *name, hk_channel **list, int32_t *n, int32_t *cap) {
  hk_channel c;
  if (!hki_channel_parse(s->m->spec, name, &c, NULL, 0))
    return hki_channel_match(s->ctx, s->m->spec, name, list, n, cap) > 0;
  if (!HK_GROW(s->ctx, *list, *cap, *n + 1)) return false;
  (*list)[(*n)++] = c;
  return true;
}

/* names of the outputs and their handles in the clone */
static hk_status find_outputs(hk_statespace *l, hk_sim *s, const hk_statespace_options *opt) {
  hk_channel *list = NULL;
  int32_t cap = 0;
  char name[300];
  hk_status st = HK_OK;
  for (int32_t i = 0; st == HK_OK && i < opt->noutputs; i++)
    // asked for its handle, the simulation says why there is no such channel
    if (!add_outputs(s, opt->outputs[i], &list, &l->ny, &cap))
      st = hk_sim_channel_handle(s, opt->outputs[i]) < 0 ? HK_E_USAGE : HK_E_MEMORY;
  l->outputs = hki_pool_alloc(l->pool, ((size_t)l->ny + 1) * sizeof *l->outputs);
  l->output_name = hki_pool_alloc(l->pool, ((size_t)l->ny + 1) * sizeof *l->output_name);
  l->output_unit = hki_pool_alloc(l->pool, ((size_t)l->ny + 1) * sizeof *l->output_unit);
  l->output_value = hki_pool_alloc(l->pool, ((size_t)l->ny + 1) * sizeof *l->output_value);
  if (!l->outputs || !l->output_name || !l->output_unit || !l->output_value) st = HK_E_MEMORY;
  for (int32_t i = 0; st == HK_OK && i < l->ny; i++) {
    hki_channel_name(s->m->spec, list[i], name, sizeof name);
    l->output_name[i] = hki_pool_strdup(l->pool, name);
    l->output_unit[i] = hki_channel_unit(s->m->spec, list[i]);
    l->outputs[i] = hk_sim_channel_handle(s, name);
    if (!l->output_name[i] || l->outputs[i] < 0) st = HK_E_MEMORY;
  }
  if (st == HK_OK) st = hki_sim_values(s, l->ny, l->outputs, l->output_value);
  hki_free(s->ctx, list);
  return st;
}

/* inputs of the model by name; without names all of them */
static hk_status find_inputs(hk_statespace *l, hk_sim *s, int32_t n, const char *const *names) {
  l->nu = n ? n : hk_sim_input_count(s);
  l->inputs = hki_pool_alloc(l->pool, ((size_t)l->nu + 1) * sizeof *l->inputs);
  l->input_name = hki_pool_alloc(l->pool, ((size_t)l->nu + 1) * sizeof *l->input_name);
  l->input_value = hki_pool_alloc(l->pool, ((size_t)l->nu + 1) * sizeof *l->input_value);
  if (!l->inputs || !l->input_name || !l->input_value) return HK_E_MEMORY;
  for (int32_t i = 0; i < l->nu; i++) {
    if ((l->inputs[i] = n ? hk_sim_input_find(s, names[i]) : i) < 0) {
      hk_nearest near;
      char hint[300] = "an input is a signal {input: 0}";
      hki_nearest_init(&near, names[i]);
      for (int32_t k = 0; k < hk_sim_input_count(s); k++)
        hki_nearest_try(&near, hk_sim_input_name(s, k));
      const char *best = hki_nearest_result(&near);
      if (best) snprintf(hint, sizeof hint, "did you mean '%s'?", best);
      return hki_error(s->ctx, HK_E_USAGE, HK_LOC_NONE, hint, "the model has no input '%s'",
                       names[i]);
    }
    l->input_name[i] = hki_pool_strdup(l->pool, hk_sim_input_name(s, l->inputs[i]));
    l->input_value[i] = hk_sim_input_get(s, l->inputs[i]);
    if (!l->input_name[i]) return HK_E_MEMORY;
  }
  return HK_OK;
}

/* no accelerations at a state nearby */
static hk_status explain(hk_statespace *l, hk_status st) {
  if (st == HK_E_MEMORY || st == HK_E_USAGE || st == HK_INTERRUPTED) return st;
  return hki_error(l->ctx, st, HK_LOC_NONE, "look at the model with 'hooke check'",
                   "the equations cannot be linearised here: %s",
                   st == HK_E_SINGULAR ? "some motion has no mass, or nothing determines it"
                                       : "they have no solution close to this state");
}

/* Says so where a constraint is about to lose its hold: states and modes near such a position depend on tiny
 * differences of the geometry. */
static void warn_of_rank(const hk_statespace *l, double hold) {
  if (hold < doubtful)
    hki_warn(l->ctx, HK_LOC_NONE, "look at a position some way off, or leave out a constraint",
             "a constraint almost loses its rank at this position (it holds by %.1g of the "
             "others): which motions are "
             "free is in doubt, and the modes with it",
             hold);
}

/* the matrices, at the state of s: of a period, or of the rates; in the latter case also whether they stay
 * while a steady motion goes on */
static hk_status find_matrices(hk_statespace *l, hk_sim *s, const hk_statespace_free *free) {
  const hk_model *m = l->m;
  const size_t nq = (size_t)m->nq, ns = (size_t)(m->nv + m->nx + m->nz);
  if (s->held && !l->still) return hki_statespace_reduced(l, s);
  if (l->period > 0.0) return hki_statespace_monodromy(l, s, free, l->sign, l->how->integrator);
  const double tau = l->still ? 0.0 : hki_statespace_look_ahead(s);
  double *q0 = hki_pool_alloc(l->pool, (nq + ns + 1) * sizeof *q0), *v0 = q0 ? q0 + nq : NULL;
  if (!q0) return HK_E_MEMORY;
  memcpy(q0, s->qt, nq * sizeof *q0);
  memcpy(v0, s->vt, ns * sizeof *v0);
  hk_status st = hki_statespace_turn(l, s, 0.0);
  if (st == HK_OK) st = hki_statespace_differences(l, s, free, l->sign, l->outputs);
  if (st == HK_OK) st = hki_statespace_turn_matrices(l);
  if (st != HK_OK || tau == 0.0 || l->acceleration > steady) return st;
  return hki_statespace_compare(l, s, free, q0, v0, tau);
}

hk_status hki_statespace_fill(hk_statespace *l, hk_sim *s, bool still, hk_statespace_free *free) {
  const hk_model *m = s->m;
  double *sign = hki_pool_alloc(l->pool, (size_t)(2 * m->nv + m->nx + m->nz + 2) * sizeof *sign);
  l->nb = m->spec->nbodies;
  l->rough = l->accelerated = -1;
  l->still = still;
  if (!(l->sign = sign)) return HK_E_MEMORY;
  if (!l->inputs && find_inputs(l, s, 0, NULL) != HK_OK) return HK_E_MEMORY;
  if (s->held && !still && (l->period > 0.0 || l->ny || l->how->nrings || l->how->frame))
    return hki_error(l->ctx, HK_E_MODEL, HK_LOC_NONE, "give these bodies a mass",
                     "the model has motions without mass: there are modes, but no states");
  if (s->servo_index > 3)
    return hki_refuse_servos(l->ctx, m, "a linearisation of index 4 and more");
  hki_sim_refresh(s);
  hk_status st = hki_statespace_free_find(s, l->pool, free);
  if (st == HK_OK && !still) warn_of_rank(l, free->hold);
  if (st == HK_OK) st = hki_statespace_states_find(l, s, free, sign);
  if (st == HK_OK && l->n > MOST_STATES)
    return hki_error(l->ctx, HK_E_MODEL, HK_LOC_NONE, NULL,
                     "%d states are too many for matrices that are full: at most %d", (int)l->n,
                     (int)MOST_STATES);
  l->moves = free->Tp;
  if (st == HK_OK && !still) st = hki_statespace_bodies(l, s, free, sign);
  if (st == HK_OK) st = find_matrices(l, s, free);
  return st == HK_OK ? HK_OK : explain(l, st);
}

/* some modes of many */
static hk_status check_choice(hk_ctx *ctx, const hk_statespace_options *opt) {
  const char *const name = "hk_statespace_create";
  if (opt->number < 0) return hki_misuse(ctx, name, "the number of modes is negative");
  if (!(opt->near_Hz >= 0.0) || !(opt->low_Hz >= 0.0) || !(opt->high_Hz >= 0.0) ||
      !isfinite(opt->near_Hz) || !isfinite(opt->high_Hz) ||
      (opt->high_Hz > 0.0 && !(opt->low_Hz < opt->high_Hz)))
    return hki_misuse(ctx, name, "frequencies must be positive, and those of a band in order");
  if (opt->sparse == 1 && (opt->period > 0.0 || opt->nrings || opt->frame || opt->noutputs))
    return hki_misuse(ctx, name,
                      "sparse equations go without a period, blades, axes that turn and outputs");
  return HK_OK;
}

/* a period, blades, axes that turn */
static hk_status check_ways(hk_ctx *ctx, const hk_statespace_options *opt) {
  const char *const name = "hk_statespace_create";
  if (!(opt->period >= 0.0) || !isfinite(opt->period))
    return hki_misuse(ctx, name, "the period must be a positive time");
  if (!hki_is_list(opt->rings, opt->nrings))
    return hki_misuse(ctx, name, "the list of blades does not fit its count");
  for (int32_t i = 0; i < opt->nrings; i++) {
    const hk_blades *r = &opt->rings[i];
    if (!r->shaft || r->n < 1 || !r->joints) return hki_misuse(ctx, name, "a rotor without blades");
    for (int32_t k = 0; k < r->n; k++)
      if (!r->joints[k]) return hki_misuse(ctx, name, "a blade without a name");
  }
  if (opt->period > 0.0 && (opt->nrings || opt->frame || opt->noutputs))
    return hki_misuse(ctx, name, "a period goes without blades, axes that turn and outputs");
  return check_choice(ctx, opt);
}

static hk_status read_options(hk_ctx *ctx, const hk_statespace_options *from,
                              hk_statespace_options *opt) {
  *opt = defaults;
  hk_status st = hki_options_read(ctx, HK_OPTIONS(hk_statespace_options, noutputs), opt, from);
  if (st != HK_OK) return st;
  if (!hki_is_list(opt->outputs, opt->noutputs))
    return hki_misuse(ctx, "hk_statespace_create", "the list of outputs does not fit its count");
  if (!hki_is_list(opt->inputs, opt->ninputs))
    return hki_misuse(ctx, "hk_statespace_create", "the list of inputs does not fit its count");
  for (int32_t i = 0; i < opt->noutputs; i++)
    if (!opt->outputs[i])
      return hki_misuse(ctx, "hk_statespace_create", "an output without a name");
  for (int32_t i = 0; i < opt->ninputs; i++)
    if (!opt->inputs[i]) return hki_misuse(ctx, "hk_statespace_create", "an input without a name");
  return check_ways(ctx, opt);
}

/* are sparse matrices wanted, and of use? */
static bool is_large(hk_sim *s, const hk_statespace_options *o) {
  if (o->sparse >= 0) return o->sparse > 0;
  if (s->m->nv < MANY || (!o->number && o->near_Hz == 0.0 && o->high_Hz == 0.0)) return false;
  if (o->period > 0.0 || o->nrings || o->frame || o->noutputs) return false;
  hki_sim_refresh(s);
  return hki_statespace_has_pencil(s);
}

/* l at the state of a simulation that may be left anywhere */
static hk_status fill(hk_statespace *l, hk_sim *s, const hk_statespace_options *o) {
  hk_statespace_free free = {0};
  l->want = o->number, l->near_Hz = o->near_Hz, l->low_Hz = o->low_Hz, l->high_Hz = o->high_Hz;
  hk_status st =
      is_large(s, o) ? hki_statespace_large(l, s) : hki_statespace_fill(l, s, false, &free);
  return st != HK_OK && hki_stopped(s->ctx) ? HK_INTERRUPTED : st;
}

hk_status hk_statespace_create(hk_sim *s, const hk_statespace_options *opt, hk_statespace **out) {
  hk_statespace_options o;
  hk_sim *clone = NULL;
  if (out) *out = NULL;
  if (!hki_is(s, HK_MARK_SIM)) return hki_misuse(NULL, "hk_statespace_create", "no simulation");
  if (!out) return hki_misuse(s->ctx, "hk_statespace_create", "no place for the equations");
  hk_status st = read_options(s->ctx, opt, &o);
  if (st != HK_OK) return st;
  hk_statespace *l = hki_alloc(s->ctx, sizeof *l);
  if (!l) return HK_E_MEMORY;
  *l = (hk_statespace){
      .mark = HK_MARK_STATESPACE, .ctx = s->ctx, .m = hki_model_retain(s->m), .driver = -1};
  l->pool = hki_pool_create(l->ctx);
  l->how = &o, l->period = o.period, l->period_open = -1;
  st = l->pool ? hk_sim_clone(s, NULL, &clone) : HK_E_MEMORY;
  if (st == HK_OK) st = find_outputs(l, clone, &o);
  if (st == HK_OK) st = find_inputs(l, clone, o.ninputs, o.inputs);
  hki_stop_allow(s->ctx, true);
  if (st == HK_OK) st = fill(l, clone, &o);
  hki_stop_allow(s->ctx, false);
  hk_sim_destroy(clone);
  l->how = NULL;
  if (st != HK_OK)
    hk_statespace_destroy(l);
  else
    *out = l;
  return st;
}

void hk_statespace_destroy(hk_statespace *l) {
  if (!hki_is_statespace(l)) return;
  hk_ctx *ctx = l->ctx;
  if (l->pool) hki_pool_destroy(l->pool);
  hki_model_release(l->m);
  l->mark = 0;
  hki_free(ctx, l);
}

/* --- questions -------------------------------------------------------------------------------- */

int32_t hk_statespace_states(const hk_statespace *l) { return hki_is_statespace(l) ? l->n : 0; }
int32_t hk_statespace_positions(const hk_statespace *l) { return hki_is_statespace(l) ? l->np : 0; }
int32_t hk_statespace_velocities(const hk_statespace *l) {
  return hki_is_statespace(l) ? l->nr : 0;
}
int32_t hk_statespace_inputs(const hk_statespace *l) { return hki_is_statespace(l) ? l->nu : 0; }
int32_t hk_statespace_outputs(const hk_statespace *l) { return hki_is_statespace(l) ? l->ny : 0; }

const char *hk_statespace_state_name(const hk_statespace *l, int32_t i) {
  return i >= 0 && i < hk_statespace_states(l) ? l->name[i] : NULL;
}

const char *hk_statespace_output_name(const hk_statespace *l, int32_t i) {
  return i >= 0 && i < hk_statespace_outputs(l) ? l->output_name[i] : NULL;
}

hk_status hk_statespace_variable(const hk_statespace *l, char which, int32_t i,
                                 hk_statespace_quantity *out) {
  hk_statespace_quantity q = {0};
  if (!hki_is_statespace(l)) return HK_E_USAGE;
  const int32_t n = which == 'x' ? l->n : which == 'u' ? l->nu : which == 'y' ? l->ny : -1;
  if (n < 0)
    return hki_misuse(l->ctx, "hk_statespace_variable",
                      "variables are x (states), u (inputs) and y (outputs)");
  if (i < 0 || i >= n)
    return hki_misuse(l->ctx, "hk_statespace_variable", "there is none of this number");
  if (!out || out->size < sizeof out->size)
    return hki_misuse(l->ctx, "hk_statespace_variable", "no place for it, or without its size");
  q.name = which == 'x' ? l->name[i] : which == 'u' ? l->input_name[i] : l->output_name[i];
  q.unit = which == 'x' ? l->unit[i] : which == 'u' ? "" : l->output_unit[i];
  q.value = which == 'x' ? l->value[i] : which == 'u' ? l->input_value[i] : l->output_value[i];
  q.size = out->size < sizeof q ? out->size : (uint32_t)sizeof q;
  memcpy(out, &q, q.size);
  return HK_OK;
}

hk_status hki_statespace_whole(const hk_statespace *l, bool inputs) {
  if (l->large || l->shift != 0.0)
    return hki_error(
        l->ctx, HK_E_USAGE, HK_LOC_NONE, NULL, "%s",
        l->large ? "the equations of a large model are sparse: there are no matrices A, B, C, D"
                 : "a model with motions without mass has no states, and no matrices A, B, C, D");
  if (l->driver >= 0 && inputs)
    return hki_error(l->ctx, HK_E_MODEL, HK_LOC_NONE,
                     "prescribe an acceleration, or let a force follow the input",
                     "an input prescribes a position or a rate: its effect needs derivatives of "
                     "the input, which the "
                     "matrices B and D cannot hold");
  return HK_OK;
}

hk_status hk_statespace_matrix(const hk_statespace *l, char which, double *M, int32_t ld) {
  if (!hki_is_statespace(l)) return HK_E_USAGE;
  const int32_t rows = which == 'A' || which == 'B' ? l->n : l->ny;
  const int32_t cols = which == 'A' || which == 'C' ? l->n : l->nu;
  const double *from = which == 'A'   ? l->A
                       : which == 'B' ? l->B
                       : which == 'C' ? l->C
                       : which == 'D' ? l->D
                                      : NULL;
  const hk_status whole = hki_statespace_whole(l, which == 'B' || which == 'D');
  if (whole != HK_OK) return whole;
  if (!from) return hki_misuse(l->ctx, "hk_statespace_matrix", "the matrices are A, B, C and D");
  if ((!M && rows > 0 && cols > 0) || ld < cols)
    return hki_misuse(l->ctx, "hk_statespace_matrix", "no matrix, or rows too short");
  for (int32_t i = 0; i < rows; i++)
    for (int32_t j = 0; j < cols; j++) M[(size_t)i * (size_t)ld + (size_t)j] = from[i + j * rows];
  return HK_OK;
}

double hk_statespace_acceleration(const hk_statespace *l, const char **name) {
  if (name)
    *name = !hki_is_statespace(l) ? ""
            : l->accelerated >= 0 ? l->name[l->accelerated]
            : l->moving           ? l->moving
                                  : "";
  return hki_is_statespace(l) ? l->acceleration : NAN;
}

double hk_statespace_roughness(const hk_statespace *l, const char **name) {
  if (name) *name = hki_is_statespace(l) && l->rough >= 0 ? l->name[l->rough] : "";
  return hki_is_statespace(l) ? l->roughness : NAN;
}

int32_t hk_statespace_sparse(const hk_statespace *l) { return hki_is_statespace(l) && l->large; }

double hk_statespace_variation(const hk_statespace *l) {
  return hki_is_statespace(l) ? l->varies : NAN;
}

double hk_statespace_period(const hk_statespace *l, double *error, double *apart,
                            const char **name) {
  const bool ok = hki_is_statespace(l) && l->period > 0.0;
  if (error) *error = ok ? l->period_error : NAN;
  if (apart) *apart = ok ? l->period_apart : NAN;
  if (name) *name = ok && l->period_open >= 0 ? l->name[l->period_open] : "";
  return ok ? l->period : NAN;
}
