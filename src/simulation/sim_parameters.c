/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_parameters.c: parameters of the model that the program around a simulation changes between steps.
 *
 * One that events may set is a signal of the kind `variable` (language/reader_live.c) and gets its value
 * as an event gives it. All others are numbers that the reader has used here and there: the model is read
 * again with the new values, and the run goes on with it (sim_rebind.c). The values that the program has
 * set are part of the state (state.c), so that checkpoints, clones and steps that are taken back carry
 * them.
 */
#include <stdio.h>

#include "simulation/live.h"
#include "simulation/stepper.h"

static bool is_sim(const hk_sim *s) { return hki_is(s, HK_MARK_SIM); }

hk_status hki_sim_parameters(hk_sim *s) {
  const hk_spec *spec = s->m->spec;
  const size_t n = (size_t)spec->nparameters + 1;
  s->live = hki_pool_alloc(s->pool, n * sizeof *s->live);
  s->variable = hki_pool_alloc(s->pool, n * sizeof *s->variable);
  if (!s->live || !s->variable) return HK_E_MEMORY;
  for (int32_t i = 0; i < spec->nparameters; i++) {
    const int32_t signal = hki_names_find(spec->signal_names, spec->parameters[i].name);
    const hk_memory *m = signal < 0 ? NULL : spec->signals[signal].memory;
    s->live[i] = NAN;
    s->variable[i] = m && m->fn == HK_MEMORY_VARIABLE ? signal : HK_NONE;
  }
  return HK_OK;
}

int32_t hk_sim_parameter_count(const hk_sim *s) { return is_sim(s) ? s->m->spec->nparameters : 0; }

const char *hk_sim_parameter_name(const hk_sim *s, int32_t parameter) {
  if (parameter < 0 || parameter >= hk_sim_parameter_count(s)) return NULL;
  return s->base->spec->parameters[parameter].name;
}

int32_t hk_sim_parameter_find(const hk_sim *s, const char *name) {
  for (int32_t i = 0; name && i < hk_sim_parameter_count(s); i++)
    if (strcmp(s->base->spec->parameters[i].name, name) == 0) return i;
  return -1;
}

double hk_sim_parameter_get(const hk_sim *s, int32_t parameter) {
  if (parameter < 0 || parameter >= hk_sim_parameter_count(s)) return NAN;
  const int32_t signal = s->variable[parameter];
  double y[3] = {s->m->spec->parameters[parameter].value, 0.0, 0.0};
  if (signal != HK_NONE)
    hki_memory_eval(s->m->spec->signals[signal].memory, s->kin->disc.mem + s->kin->sig_mem[signal],
                    s->I.t, y, y);
  return y[0];
}

bool hki_sim_has_live(const hk_sim *s, const unsigned char *live) {
  return memcmp(s->live, live, (size_t)s->m->spec->nparameters * sizeof *s->live) == 0;
}

/* --- the model with other values ----------------------------------------------------------------------- */

enum { NUMBER_TEXT = 40 };

hk_model *hki_sim_vary(hk_sim *s, const double *live) {
  const hk_spec *spec = s->base->spec;
  const size_t most = (size_t)spec->nparameters + 1;
  hk_set *sets = hki_alloc(s->ctx, most * sizeof *sets);
  char(*text)[NUMBER_TEXT] = hki_alloc(s->ctx, most * sizeof *text);
  hk_model *m = NULL;
  int32_t n = 0;
  bool ok = sets && text;
  for (int32_t i = 0; ok && i < spec->nparameters; i++) {
    if (isnan(live[i])) continue;
    ok = isfinite(live[i]);
    snprintf(text[n], sizeof text[n], "%.17g", live[i]);
    sets[n] = (hk_set){spec->parameters[i].name, text[n]};
    n++;
  }
  if (ok) m = n ? hki_model_vary(s->base, s->ctx, sets, n) : hki_model_retain(s->base);
  hki_free(s->ctx, sets);
  hki_free(s->ctx, text);
  return m;
}

/* --- setting ------------------------------------------------------------------------------------------- */

typedef struct change {
  int32_t n;
  const int32_t *parameters; /* NULL: the first n */
  const double *values;
} change;

static int32_t number_of(const change *c, int32_t i) {
  return c->parameters ? c->parameters[i] : i;
}

/* those that are variables get their values */
static void set_variables(hk_sim *s, const void *user) {
  const change *c = user;
  for (int32_t i = 0; i < c->n; i++) {
    const int32_t signal = s->variable[number_of(c, i)];
    if (signal != HK_NONE) hki_kin_set_memory(s->kin, signal, c->values[i]);
  }
}

/* only variables: in place, allocating nothing but once room for going back */
static hk_status change_variables(hk_sim *s, const change *c) {
  if (!s->spare) s->spare = hki_pool_alloc(s->pool, hki_state_size(s));
  if (!s->spare) return HK_E_MEMORY;
  hki_state_get(s, s->spare, false);
  hki_sim_keep_rows(s);
  s->free.late = false, s->free.arrival = 0;
  set_variables(s, c);
  const hk_status st = hki_sim_changed(s);
  if (st == HK_OK) return HK_OK;
  if (s->message[0]) hki_error(s->ctx, st, HK_LOC_NONE, s->advice, "%s", s->message);
  (void)hki_state_set(s, s->spare);
  return st;
}

/* the model is read again */
static hk_status change_model(hk_sim *s, const change *c) {
  const size_t n = (size_t)s->m->spec->nparameters;
  double *live = hki_alloc(s->ctx, (n + 1) * sizeof *live);
  if (!live) return HK_E_MEMORY;
  memcpy(live, s->live, n * sizeof *live);
  for (int32_t i = 0; i < c->n; i++) {
    const int32_t p = number_of(c, i);
    if (s->variable[p] == HK_NONE) live[p] = c->values[i];
  }
  hk_model *m = hki_sim_vary(s, live);
  hk_status st = HK_E_USAGE;
  if (m)
    st = hki_sim_follow(s, m, live, set_variables, c);
  else
    hki_error(s->ctx, HK_E_USAGE, HK_LOC_NONE, "see the messages before",
              "the model cannot have parameter '%s' = %.9g",
              hk_sim_parameter_name(s, number_of(c, 0)), c->values[0]);
  if (m) hki_model_release(m);
  hki_free(s->ctx, live);
  return st;
}

static hk_status set(hk_sim *s, const change *c) {
  bool variables = true, same = true;
  if (s->status != HK_OK) return s->status;
  for (int32_t i = 0; i < c->n; i++) {
    const int32_t p = number_of(c, i);
    same = same && hk_sim_parameter_get(s, p) == c->values[i];
    variables = variables && s->variable[p] != HK_NONE;
  }
  if (same) return HK_OK;
  hki_sim_show_accepted(s);
  hki_stepper_drop(s, "parameters have been changed");
  return variables ? change_variables(s, c) : change_model(s, c);
}

/* why these parameters cannot be set, NULL: they can */
static const char *fault(const hk_sim *s, const change *c) {
  const int32_t count = hk_sim_parameter_count(s);
  if (c->n < 0 || (c->n && !c->values)) return "the list of values does not fit its count";
  if (!c->parameters && c->n > count) return "there are fewer parameters";
  for (int32_t i = 0; i < c->n; i++) {
    if (number_of(c, i) < 0 || number_of(c, i) >= count) return "no parameter of this number";
    if (!isfinite(c->values[i])) return "the value must be a finite number";
  }
  return NULL;
}

hk_status hk_sim_parameter_set(hk_sim *s, int32_t parameter, double value) {
  if (!is_sim(s)) return hki_misuse(NULL, "hk_sim_parameter_set", "no simulation");
  const change c = {1, &parameter, &value};
  const char *why = fault(s, &c);
  return why ? hki_misuse(s->ctx, "hk_sim_parameter_set", why) : set(s, &c);
}

hk_status hk_sim_parameters_set(hk_sim *s, int32_t n, const int32_t *parameters,
                                const double *values) {
  if (!is_sim(s)) return hki_misuse(NULL, "hk_sim_parameters_set", "no simulation");
  const change c = {n, parameters, values};
  const char *why = fault(s, &c);
  return why ? hki_misuse(s->ctx, "hk_sim_parameters_set", why) : set(s, &c);
}
