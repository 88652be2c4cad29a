/* SPDX-License-Identifier: Apache-2.0
 *
 * sim_report.c: public functions of a simulation: time, channels, values, settings, and the summary
 * as a struct and as JSON.
 */
#include <stdio.h>
#include <string.h>

#include "simulation/realtime.h"
#include "simulation/external.h"
#include "simulation/streams.h"
#include "simulation/stepper.h"

static bool is_sim(const hk_sim *s) { return hki_is(s, HK_MARK_SIM); }

static hk_status no_sim(const char *function) {
  return hki_misuse(NULL, function, "no simulation");
}

int32_t hk_sim_done(const hk_sim *s) {
  return !is_sim(s) || hk_sim_time(s) >= s->end || hki_sim_ended(s);
}

double hk_sim_time(const hk_sim *s) {
  return !is_sim(s) ? NAN : s->free.late ? s->free.now : s->I.t;
}

/* Reading the clock of the processor costs much of a short step: of these one in sixteen is timed, and counts for
 * those before it. */
static void count_time(hk_sim *s, double took) {
  s->cpu += took * (1 + s->skipped);
  s->skipped = 0;
  s->untimed = took < 1e-4 ? 15 : 0;
}

/* one step; the numbers of a simulation with a program stay behind */
static hk_status step(hk_sim *s) {
  if (s->status != HK_OK) return s->status;
  if (hk_sim_done(s)) return HK_OK;
  const bool timed = s->untimed == 0;
  const double before = timed ? hki_cpu_seconds() : 0.0;
  hki_sim_keep_step(s);
  hk_status st = hki_sim_advance(s);
  if (timed)
    count_time(s, hki_cpu_seconds() - before);
  else
    s->untimed--, s->skipped++;
  // a step that was stopped is taken back: the next one may begin
  if (st == HK_INTERRUPTED) s->status = HK_OK, s->message[0] = '\0';
  return st;
}

hk_status hk_sim_step(hk_sim *s) {
  if (!is_sim(s)) return no_sim("hk_sim_step");
  const hk_status st = step(s);
  if (s->stepper) hki_stepper_show(s);
  return st;
}

/* is the caller's flag set? Between steps everything may stop. */
static bool stop_wanted(hk_ctx *ctx) {
  const bool before = hki_stop_allow(ctx, true), wanted = hki_stopped(ctx);
  hki_stop_allow(ctx, before);
  return wanted;
}

hk_status hk_sim_step_to(hk_sim *s, double t) {
  if (!is_sim(s)) return no_sim("hk_sim_step_to");
  if (s->status != HK_OK) return s->status;
  if (!(t >= hk_sim_time(s)) || !(t <= s->end))
    return hki_misuse(s->ctx, "hk_sim_step_to", "the time has passed or is behind the end");
  hk_status st = HK_OK;
  s->until = t;
  while (st == HK_OK && hk_sim_time(s) < t && !hk_sim_done(s))
    st = stop_wanted(s->ctx) ? HK_INTERRUPTED : step(s);
  s->until = INFINITY;
  if (s->stepper) hki_stepper_show(s);
  return st;
}

/* summary without a simulation: counts -1, other numbers NAN */
static hk_summary empty_summary(void) {
  return (hk_summary){.model = "",
                      .formulation = "",
                      .integrator = "",
                      .bodies = -1,
                      .coordinates = -1,
                      .constraints = -1,
                      .dof = -1,
                      .redundant = -1,
                      .step_s = NAN,
                      .time_s = NAN,
                      .cpu_s = NAN,
                      .real_time_factor = NAN,
                      .initial_J = NAN,
                      .final_J = NAN,
                      .max_drift_J = NAN,
                      .supplied_J = NAN,
                      .dissipated_J = NAN,
                      .balance_error_J = NAN,
                      .position_max = NAN,
                      .velocity_max = NAN,
                      .acceleration_max = NAN,
                      .status = HK_E_USAGE,
                      .message = "",
                      .formulation_why = ""};
}

void hk_sim_summary(hk_sim *s, hk_summary *out) {
  if (!out) return;
  if (!is_sim(s)) {
    *out = empty_summary();
    return;
  }
  const hk_audit *a = &s->audit;
  const double t = hk_sim_time(s);
  hki_sim_show_now(s);
  *out = (hk_summary){
      .model = s->m->spec->path,
      .formulation = s->fe->ops->name,
      .integrator = s->I.ops->name,
      .bodies = s->m->nb,
      .coordinates = s->I.nv - s->m->nz,
      .constraints = s->mobility.rows,
      .dof = s->mobility.dof,
      .redundant = s->mobility.redundant,
      .step_s = s->step,
      .time_s = t,
      .steps = s->steps,
      .rejected = s->rejected,
      .iterations = s->newton.iterations,
      .cpu_s = s->cpu,
      .real_time_factor = s->cpu > 0.0 ? t / s->cpu : NAN,
      .initial_J = a->initial,
      .final_J = a->kinetic + a->potential,
      .max_drift_J = a->extreme,
      .supplied_J = a->supplied,
      .dissipated_J = a->dissipated,
      .balance_error_J = hki_sim_balance(s),
      .position_max = a->position_max,
      .velocity_max = a->velocity_max,
      .acceleration_max = a->acceleration_max,
      .status = s->status,
      .message = s->message,
      .formulation_why = s->why,
      .sweeps = hki_sweeps(s->I.ops, s->newton.iterations),
      .impacts = s->stops.impacts.count,
  };
}

int32_t hk_sim_channel_count(const hk_sim *s) { return is_sim(s) ? s->nchannels : 0; }

static bool in_range(const hk_sim *s, int32_t i) { return i >= 0 && i < hk_sim_channel_count(s); }

const char *hk_sim_channel_name(const hk_sim *s, int32_t i) {
  return in_range(s, i) ? s->channel_name[i] : NULL;
}

const char *hk_sim_channel_unit(const hk_sim *s, int32_t i) {
  return in_range(s, i) ? s->channel_unit[i] : NULL;
}

const char *hk_sim_channel_text(const hk_sim *s, int32_t i) {
  return in_range(s, i) ? s->channel_text[i] : NULL;
}

int32_t hk_sim_channel_unique(const hk_sim *s, int32_t i) {
  return in_range(s, i) && !s->channel_shared[i];
}

hk_status hk_sim_values(hk_sim *s, double *values) {
  if (!is_sim(s)) return no_sim("hk_sim_values");
  if (!values && s->nchannels) return hki_misuse(s->ctx, "hk_sim_values", "no place for values");
  if (hki_stepper_values(s, values)) return HK_OK;
  hk_status st = hki_sim_show_now(s);
  return st == HK_OK ? hki_sim_record(s, values) : st;
}

hk_status hk_sim_value(hk_sim *s, const char *name, double *value) {
  hk_channel c;
  char hint[256] = "";
  if (value) *value = NAN;
  if (!is_sim(s)) return no_sim("hk_sim_value");
  if (!name || !value) return hki_misuse(s->ctx, "hk_sim_value", "no name, or no place for it");
  if (!hki_channel_parse(s->m->spec, name, &c, hint, sizeof hint))
    return hki_error(s->ctx, HK_E_USAGE, HK_LOC_NONE, hint[0] ? hint : NULL, "unknown channel '%s'",
                     name);
  hk_status st = hki_sim_show_now(s);
  if (st != HK_OK) return st;
  hki_kin_signals(s->kin, true);
  st = hki_sim_prepare_values(s, true, true);
  if (st == HK_OK) *value = hki_sim_channel(s, c);
  return st;
}

hk_status hk_sim_save(hk_sim *s, const char *path) {
  if (!is_sim(s)) return no_sim("hk_sim_save");
  return path ? hki_sim_save(s, path) : hki_misuse(s->ctx, "hk_sim_save", "no path");
}

hk_status hk_sim_load(hk_sim *s, const char *path) {
  if (!is_sim(s)) return no_sim("hk_sim_load");
  return path ? hki_sim_load(s, path) : hki_misuse(s->ctx, "hk_sim_load", "no path");
}

/* "name": number; null when it is not finite */
static void field(hk_text *t, const char *name, double x, const char *after) {
  hki_text_printf(t, "\"%s\": ", name);
  hki_text_number(t, x);
  hki_text_add(t, after);
}

/* "channel": value for all recorded channels at the present state */
static void put_values(hk_text *t, hk_sim *s) {
  double *x = hki_alloc(s->ctx, (size_t)(s->nchannels + 1) * sizeof *x);
  bool ok = x && hk_sim_values(s, x) == HK_OK;
  for (int32_t i = 0; ok && i < s->nchannels; i++) {
    hki_text_add(t, i ? ", " : "");
    hki_text_json(t, s->channel_name[i]);
    hki_text_add(t, ": ");
    hki_text_number(t, x[i]);
  }
  hki_free(s->ctx, x);
}

/* parameters given by --set: "set": {"name": "value"} */
static void json_sets(const hk_spec *spec, hk_text *t) {
  hki_text_add(t, "\"set\": {");
  for (int32_t i = 0; i < spec->nsets; i++) {
    hki_text_add(t, i ? ", " : "");
    hki_text_json(t, spec->sets[i].name);
    hki_text_add(t, ": ");
    hki_text_json(t, spec->sets[i].value);
  }
  hki_text_add(t, "}");
}

void hki_sim_settings(const hk_sim *s, hk_text *t) {
  const hk_param *tables[3] = {s->fe->ops->params, s->I.ops->params, hki_solver_params};
  const void *pars[3] = {s->formulation_par, s->integrator_par, &s->solver};
  hki_text_add(t, "{");
  field(t, "tolerance", s->newton.tolerance, ", ");
  hki_text_printf(t, "\"substeps\": %s, ", s->substeps ? "true" : "false");
  json_sets(s->m->spec, t);
  hki_text_add(t, ", \"options\": {");
  const char *comma = "";
  for (int i = 0; i < 3; i++) {
    for (const hk_param *p = tables[i]; p && p->type != HK_P_END; p++) {
      bool again = false;
      for (int k = 0; k < i; k++) again = again || hki_params_find(tables[k], p->name);
      if (again) continue;
      hki_text_printf(t, "%s\"%s\": ", comma, p->name);
      hki_params_json(p, pars[i], t);
      comma = ", ";
    }
  }
  hki_text_add(t, "}}");
}

static void text_field(hk_text *t, const char *name, const char *value, const char *after) {
  hki_text_printf(t, "\"%s\": ", name);
  if (value)
    hki_text_json(t, value);
  else
    hki_text_add(t, "null");
  hki_text_add(t, after);
}

static void count_field(hk_text *t, const char *name, int64_t n, const char *after) {
  hki_text_printf(t, "\"%s\": ", name);
  if (n >= 0)
    hki_text_int(t, n);
  else
    hki_text_add(t, "null");
  hki_text_add(t, after);
}

static const char *status_word(hk_status s) {
  return s == HK_OK ? "ok" : s == HK_INTERRUPTED ? "interrupted" : "failed";
}

int32_t hk_sim_source_count(const hk_sim *s) { return is_sim(s) ? s->work.nsources : 0; }

const char *hk_sim_source(hk_sim *s, int32_t i, double *supplied_J, double *dissipated_J) {
  const bool ok = i >= 0 && i < hk_sim_source_count(s) && hki_sim_show_now(s) == HK_OK;
  const struct hk_source *from = ok ? &s->work.source[i] : NULL;
  if (supplied_J) *supplied_J = ok ? hki_work_of_all(s, from->first, from->n, true) : NAN;
  if (dissipated_J) *dissipated_J = ok ? hki_work_of_all(s, from->first, from->n, false) : NAN;
  return ok ? from->name : NULL;
}

/* "name": {"joint.crank": J, ...}: the sources that have supplied or dissipated something */
static void put_sources(hk_text *t, const char *name, hk_sim *s, bool supplied) {
  const char *comma = "";
  double J[2];
  hki_text_printf(t, "\"%s\": {", name);
  for (int32_t i = 0; s && i < hk_sim_source_count(s); i++) {
    const char *source = hk_sim_source(s, i, &J[1], &J[0]);
    if (!source || J[supplied] == 0.0) continue;
    hki_text_add(t, comma);
    hki_text_json(t, source);
    hki_text_add(t, ": ");
    hki_text_number(t, J[supplied]);
    comma = ", ";
  }
  hki_text_add(t, "}");
}

/* grade, drift and warnings; s NULL: null, null and none */
static void put_grade(hk_text *t, hk_sim *s) {
  text_field(t, "grade", s ? hk_grade_name(hk_sim_grade(s)) : NULL, ", ");
  field(t, "drift_percent", s ? hk_sim_drift_percent(s) : NAN, ", \"warnings\": [");
  for (int32_t i = 0; s && i < hk_sim_warning_count(s); i++) {
    const hk_run_warning *w = hk_sim_warning(s, i);
    hki_text_add(t, i ? ", {" : "{");
    text_field(t, "text", w->text, ", ");
    text_field(t, "hint", w->hint, "}");
  }
  hki_text_add(t, "]");
}

/* "energy": {..}, */
static void put_energy(hk_text *t, const hk_summary *r, hk_sim *s) {
  hki_text_add(t, "\"energy\": {");
  field(t, "initial_J", r->initial_J, ", ");
  field(t, "final_J", r->final_J, ", ");
  field(t, "max_drift_J", r->max_drift_J, ", ");
  field(t, "supplied_J", r->supplied_J, ", ");
  field(t, "dissipated_J", r->dissipated_J, ", ");
  field(t, "balance_error_J", r->balance_error_J, ",\n    ");
  put_sources(t, "supplied_by_J", s, true);
  hki_text_add(t, ", ");
  put_sources(t, "dissipated_by_J", s, false);
  hki_text_add(t, "},\n  ");
}

/* "compiled": who has taken the steps, where a program was asked for */
static void put_program(hk_text *t, const hk_stepper *p) {
  hki_text_printf(t, "\"compiled\": {\"used\": %s, \"cached\": %s, ", p->step ? "true" : "false",
                  p->kept ? "true" : "false");
  text_field(t, "compiler", p->compiler[0] ? p->compiler : NULL, ", ");
  field(t, "seconds", p->seconds, ", ");
  count_field(t, "steps", p->steps, ", ");
  count_field(t, "refused", p->refused, ", ");
  text_field(t, "why", p->why, "},\n  ");
}

void hki_summary_head(const hk_summary *r, hk_text *t) {
  hki_text_add(t, "{\n  ");
  text_field(t, "model", r->model, ",\n  ");
  text_field(t, "formulation", r->formulation, ", ");
  text_field(t, "formulation_why", r->formulation_why, ",\n  ");
  text_field(t, "integrator", r->integrator, ",\n  ");
  count_field(t, "bodies", r->bodies, ", ");
  count_field(t, "coordinates", r->coordinates, ", ");
  count_field(t, "constraints", r->constraints, ", ");
  count_field(t, "dof", r->dof, ", ");
  count_field(t, "redundant", r->redundant, ",\n  ");
  field(t, "step_s", r->step_s, ", ");
}

/* the object of `hooke run --json`; s NULL: without the values of channels */
static void put_json(hk_text *t, const hk_summary *r, hk_sim *s, bool energies) {
  hki_summary_head(r, t);
  field(t, "time_s", r->time_s, ", ");
  count_field(t, "steps", r->steps, ", ");
  count_field(t, "rejected", r->rejected, ", ");
  count_field(t, "iterations", r->iterations, ", ");
  count_field(t, "sweeps", r->sweeps, ", ");
  count_field(t, "impacts", r->impacts, ",\n  ");
  field(t, "cpu_s", r->cpu_s, ", ");
  field(t, "real_time_factor", r->real_time_factor, ",\n  ");
  if (energies) put_energy(t, r, s);
  if (s && s->realtime) hki_realtime_json(s, t);
  if (s && s->streams) hki_streams_json(s, t);
  if (s && s->externals) hki_external_json(s, t);
  if (s && s->stepper) put_program(t, s->stepper);
  hki_text_add(t, "\"constraint\": {");
  field(t, "position_max", r->position_max, ", ");
  field(t, "velocity_max", r->velocity_max, ", ");
  field(t, "acceleration_max", r->acceleration_max, "}");
  if (energies) {
    hki_text_add(t, ",\n  ");
    put_grade(t, s);
  }
  hki_text_add(t, ",\n  \"final\": {");
  if (s) put_values(t, s);
  hki_text_add(t, "},\n  ");
  text_field(t, "status", status_word(r->status), ", ");
  text_field(t, "message", r->message ? r->message : "", "\n}");
}

const char *hki_sim_json(hk_sim *s, bool energies) {
  hk_summary r;
  hk_text t;
  hk_sim_summary(s, &r);
  hki_text_init(&t, s->ctx);
  put_json(&t, &r, s, energies);
  s->json = hki_pool_strdup(s->pool, t.s ? t.s : "");
  hki_text_free(&t);
  return s->json;
}

/* of motions that are prescribed there is no energy to look at */
const char *hk_sim_json(hk_sim *s) {
  return is_sim(s) ? hki_sim_json(s, !s->given.kinematics) : NULL;
}

void hki_summary_json(const hk_summary *r, hk_text *t) { put_json(t, r, NULL, true); }

const char *hk_summary_json(hk_ctx *ctx, const hk_summary *summary) {
  hk_text t;
  if (!hki_is(ctx, HK_MARK_CTX) || !summary) return NULL;
  hki_text_init(&t, ctx);
  put_json(&t, summary, NULL, true);
  hk_pool *pool = t.s ? hki_ctx_pool(ctx) : NULL;
  const char *json = pool ? hki_pool_strndup(pool, t.s, t.len) : NULL;
  hki_text_free(&t);
  return json;
}
