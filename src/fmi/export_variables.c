/* SPDX-License-Identifier: Apache-2.0
 *
 * export_variables.c: which inputs, channels and parameters are the variables of an FMU.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fmi/export.h"
#include "model/channel.h"

/* NAME:UNIT as two texts; unit "" when there is none */
static bool split(hk_fmu_job *j, const char *text, const char **name, const char **unit) {
  const char *colon = strchr(text, ':');
  *name = colon ? hki_pool_strndup(j->pool, text, (size_t)(colon - text)) : text;
  *unit = colon ? colon + 1 : "";
  return *name != NULL;
}

static hk_status unknown(hk_fmu_job *j, const char *what, const char *name, const char *best) {
  char hint[200] = "";
  if (best) snprintf(hint, sizeof hint, "did you mean '%.150s'?", best);
  return hki_error(j->ctx, HK_E_USAGE, HK_LOC_NONE, hint, "the model has no %s '%s'", what, name);
}

/* one variable more in a list of the bundle and in the description; NULL: no memory */
static hk_fmu_variable *add(hk_fmu_job *j, hk_bundle_list *list, hk_fmu_variable **all,
                            const char *name, double start) {
  const int32_t n = list->n;
  hk_fmu_variable *more = *all;
  name = hki_pool_strdup(j->pool, name);
  if (!name || !hki_bundle_add(j->pool, list, name, start, NULL)) return NULL;
  if ((n & (n - 1)) == 0) {
    more = hki_pool_alloc(j->pool, (size_t)(n ? 2 * n : 1) * sizeof *more);
    if (!more) return NULL;
    if (n) memcpy(more, *all, (size_t)n * sizeof *more);
    *all = more;
  }
  more[n] = (hk_fmu_variable){.name = name, .unit = "", .text = "", .start = start};
  return &more[n];
}

static bool has(const hk_bundle_list *list, const char *name) {
  for (int32_t i = 0; i < list->n; i++)
    if (!strcmp(list->names[i], name)) return true;
  return false;
}

/* --- inputs and parameters: numbers that are known by name -------------------------------------- */

typedef struct source {
  const char *what;
  int32_t (*count)(const hk_sim *s);
  const char *(*name)(const hk_sim *s, int32_t i);
  int32_t (*find)(const hk_sim *s, const char *name);
} source;

static const source of_inputs = {"input", hk_sim_input_count, hk_sim_input_name, hk_sim_input_find};
static const source of_parameters = {"parameter", hk_sim_parameter_count, hk_sim_parameter_name,
                                     hk_sim_parameter_find};

static double value_of(hk_fmu_job *j, const source *from, int32_t i) {
  return from == &of_inputs ? hk_sim_input_get(j->sim, i) : hk_sim_parameter_get(j->sim, i);
}

static hk_status add_named(hk_fmu_job *j, const source *from, const char *text,
                           hk_bundle_list *list, hk_fmu_variable **all) {
  const char *name, *unit;
  hk_nearest near;
  if (!split(j, text, &name, &unit)) return HK_E_MEMORY;
  const int32_t i = from->find(j->sim, name);
  if (i < 0) {
    hki_nearest_init(&near, name);
    for (int32_t k = 0; k < from->count(j->sim); k++) hki_nearest_try(&near, from->name(j->sim, k));
    return unknown(j, from->what, name, hki_nearest_result(&near));
  }
  if (has(list, name)) return HK_OK;
  hk_fmu_variable *v = add(j, list, all, name, value_of(j, from, i));
  if (!v) return HK_E_MEMORY;
  v->unit = unit;
  v->text = from == &of_inputs ? "input of the model" : "parameter of the model";
  return HK_OK;
}

static hk_status add_numbers(hk_fmu_job *j, const source *from, const char *const *names, int32_t n,
                             hk_bundle_list *list, hk_fmu_variable **all) {
  hk_status st = HK_OK;
  if (names) {
    for (int32_t i = 0; st == HK_OK && i < n; i++) st = add_named(j, from, names[i], list, all);
    return st;
  }
  for (int32_t i = 0; st == HK_OK && i < from->count(j->sim); i++)
    if (isfinite(value_of(j, from, i))) st = add_named(j, from, from->name(j->sim, i), list, all);
  return st;
}

/* --- outputs ---------------------------------------------------------------------------------- */

static hk_status add_channel(hk_fmu_job *j, hk_channel c) {
  const hk_spec *spec = j->sim->m->spec;
  char name[400], text[400];
  hki_channel_name(spec, c, name, sizeof name);
  hki_channel_text(spec, c, text, sizeof text);
  if (has(&j->bundle.outputs, name)) return HK_OK;
  hk_fmu_variable *v = add(j, &j->bundle.outputs, &j->d.outputs, name, 0.0);
  if (!v) return HK_E_MEMORY;
  v->unit = hki_channel_unit(spec, c);
  v->text = hki_pool_strdup(j->pool, text);
  return v->text ? HK_OK : HK_E_MEMORY;
}

/* a channel, or all that a pattern stands for */
static hk_status add_output(hk_fmu_job *j, const char *text) {
  const hk_spec *spec = j->sim->m->spec;
  hk_channel *list = NULL, one;
  int32_t n = 0, cap = 0;
  char hint[300] = "";
  if (hki_channel_parse(spec, text, &one, hint, sizeof hint)) return add_channel(j, one);
  const int32_t got = hki_channel_match(j->ctx, spec, text, &list, &n, &cap);
  hk_status st = got < 0 ? HK_E_MEMORY : HK_OK;
  for (int32_t i = 0; st == HK_OK && i < n; i++) st = add_channel(j, list[i]);
  hki_free(j->ctx, list);
  if (got == 0) st = hki_error(j->ctx, HK_E_USAGE, HK_LOC_NONE, hint, "unknown channel '%s'", text);
  return st;
}

const char *const hki_export_audit[] = {"energy.total", "energy.supplied", "energy.dissipated",
                                        "energy.balance_error", NULL};

static hk_status add_outputs(hk_fmu_job *j) {
  hk_status st = HK_OK;
  if (j->opt->outputs)
    for (int32_t i = 0; st == HK_OK && i < j->opt->noutputs; i++)
      st = add_output(j, j->opt->outputs[i]);
  else
    for (int32_t i = 0; st == HK_OK && i < j->sim->nchannels; i++)
      st = add_channel(j, j->sim->channels[i]);
  j->asked = j->bundle.outputs.n;
  for (int32_t i = 0; st == HK_OK && j->audited && hki_export_audit[i]; i++)
    st = add_output(j, hki_export_audit[i]);
  return st;
}

/* names of an FMU are unique; a channel may have the name of an input or parameter */
static hk_status rename_doubles(hk_fmu_job *j) {
  hk_names *names = hki_names_create(j->ctx);
  hk_fmu_variable *const lists[] = {j->d.outputs, j->d.inputs, j->d.parameters};
  const int32_t n[] = {j->d.noutputs, j->d.ninputs, j->d.nparameters};
  static const char *const prefix[] = {"channel", "input", "parameter"};
  bool ok = names && (hki_names_add(names, "time", 0, NULL), true);
  for (int32_t k = 0; ok && k < 3; k++)
    for (int32_t i = 0; ok && i < n[k]; i++) {
      int32_t at = 0;
      if (hki_names_add(names, lists[k][i].name, i, &at)) continue;
      ok = at >= 0 && (lists[k][i].name =
                           hki_pool_printf(j->pool, "%s.%s", prefix[k], lists[k][i].name)) != NULL;
    }
  hki_names_destroy(names);
  return ok ? HK_OK : HK_E_MEMORY;
}

hk_status hki_fmu_variables(hk_fmu_job *j) {
  const hk_fmu_options *o = j->opt;
  hk_status st = add_numbers(j, &of_inputs, o->inputs, o->ninputs, &j->bundle.inputs, &j->d.inputs);
  if (st == HK_OK) st = add_outputs(j);
  if (st == HK_OK)
    st = add_numbers(j, &of_parameters, o->parameters, o->nparameters, &j->bundle.parameters,
                     &j->d.parameters);
  j->d.ninputs = j->bundle.inputs.n;
  j->d.noutputs = j->bundle.outputs.n;
  j->d.nparameters = j->bundle.parameters.n;
  return st == HK_OK ? rename_doubles(j) : st;
}
