/* SPDX-License-Identifier: Apache-2.0
 *
 * plan.c: prepares the runs: reads a study file or a model alone, lets the caller's options replace
 * those of the study, and loads models, compiled expressions and references of all cases.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "studies/compare.h"
#include "formats/csv_table.h"

/* --- methods ---------------------------------------------------------------------------------- */

static const hk_study_list *formulations(const hk_comparison *c, int32_t icase) {
  const hk_study_case *own = c->cases[icase].c;
  return own && own->formulations.n ? &own->formulations : &c->study->formulations;
}

static const hk_study_list *integrators(const hk_comparison *c, int32_t icase) {
  const hk_study_case *own = c->cases[icase].c;
  return own && own->integrators.n ? &own->integrators : &c->study->integrators;
}

const hk_formulation_entry *hki_compare_formulation(const hk_comparison *c, int32_t icase,
                                                    int32_t i) {
  const hk_study_list *list = formulations(c, icase);
  if (list->n) return i < list->n ? hki_formulation_find(list->texts[i]) : NULL;
  return i < hki_formulation_count() ? hki_formulation_at(i) : NULL;
}

const hk_integrator_ops *hki_compare_integrator(const hk_comparison *c, int32_t icase, int32_t i) {
  const hk_study_list *list = integrators(c, icase);
  if (list->n) return i < list->n ? hki_integrator_known(c->ctx, list->texts[i]) : NULL;
  return hki_integrator_of(c->ctx, i);
}

/* status of an error: in the study file (with a place), or on the command line */
static hk_status blame(hk_loc loc) { return loc.file >= 0 ? HK_E_MODEL : HK_E_USAGE; }

static hk_status check_formulation(hk_comparison *c, const char *name, hk_loc loc) {
  const hk_formulation_entry *found;
  return name ? hki_choose_formulation(c->ctx, name, loc, &found) : HK_OK;
}

static hk_status check_integrator(hk_comparison *c, const char *name, hk_loc loc) {
  const hk_integrator_ops *found;
  return name ? hki_choose_integrator(c->ctx, name, loc, &found) : HK_OK;
}

static hk_status check_lists(hk_comparison *c, const hk_study_list *f, const hk_study_list *i) {
  hk_status st = HK_OK;
  for (int32_t k = 0; k < f->n && st == HK_OK; k++)
    st = check_formulation(c, f->texts[k], f->locs[k]);
  for (int32_t k = 0; k < i->n && st == HK_OK; k++)
    st = check_integrator(c, i->texts[k], i->locs[k]);
  return st;
}

/* an option must belong to some method */
static hk_status check_options(hk_comparison *c, const hk_study_pairs *o) {
  for (int32_t k = 0; k < o->n; k++) {
    const char *name = o->names[k];
    hk_nearest near;
    char hint[120];
    if (hki_is_option(c->ctx, name)) continue;
    hki_nearest_init(&near, name);
    hki_suggest_options(c->ctx, &near);
    const char *best = hki_nearest_result(&near);
    if (best) snprintf(hint, sizeof hint, "did you mean '%s'?", best);
    return hki_error(c->ctx, blame(o->locs[k]), o->locs[k], best ? hint : NULL,
                     "no formulation or integrator has an option '%s'", name);
  }
  return HK_OK;
}

static hk_status check_methods(hk_comparison *c) {
  const hk_study *s = c->study;
  const hk_study_reference *r = &s->reference;
  hk_status st = check_lists(c, &s->formulations, &s->integrators);
  if (st == HK_OK) st = check_options(c, &s->options);
  for (int32_t i = 0; i < s->ncases && st == HK_OK; i++) {
    st = check_lists(c, &s->cases[i].formulations, &s->cases[i].integrators);
    if (st == HK_OK) st = check_options(c, &s->cases[i].options);
  }
  // one run: `auto` will do
  const char *f = r->formulation.text;
  if (st == HK_OK && f && strcmp(f, HK_AUTO) != 0) st = check_formulation(c, f, r->formulation.loc);
  if (st == HK_OK) st = check_integrator(c, r->integrator.text, r->integrator.loc);
  return st;
}

/* --- the caller's options over the study's ---------------------------------------------------- */

static bool list_of(hk_pool *pool, const char *const *texts, int32_t n, hk_study_list *out) {
  if (!n) return true;
  out->texts = hki_pool_alloc(pool, (size_t)n * sizeof *out->texts);
  out->locs = hki_pool_alloc(pool, (size_t)n * sizeof *out->locs);
  if (!out->texts || !out->locs) return false;
  for (int32_t i = 0; i < n; i++) {
    out->texts[i] = hki_pool_strdup(pool, texts[i]);
    out->locs[i] = HK_LOC_NONE;
  }
  out->n = n;
  return true;
}

/* one more pair at the end */
static bool add_pair(hk_pool *pool, hk_study_pairs *p, const char *name, const char *value) {
  size_t n = (size_t)p->n + 1;
  const char **names = hki_pool_alloc(pool, n * sizeof *names);
  const char **values = hki_pool_alloc(pool, n * sizeof *values);
  hk_loc *locs = hki_pool_alloc(pool, n * sizeof *locs);
  if (!names || !values || !locs) return false;
  if (p->n) {
    memcpy(names, p->names, (n - 1) * sizeof *names);
    memcpy(values, p->values, (n - 1) * sizeof *values);
    memcpy(locs, p->locs, (n - 1) * sizeof *locs);
  }
  names[n - 1] = hki_pool_strdup(pool, name);
  values[n - 1] = hki_pool_strdup(pool, value);
  locs[n - 1] = HK_LOC_NONE;
  *p = (hk_study_pairs){p->n + 1, names, values, locs};
  return names[n - 1] && values[n - 1];
}

/* an error measure more */
static bool add_measure(hk_study *s, const char *name, const char *value) {
  hk_study_measure *list = hki_pool_alloc(s->pool, (size_t)(s->nmeasures + 1) * sizeof *list);
  if (!list) return false;
  if (s->nmeasures) memcpy(list, s->measures, (size_t)s->nmeasures * sizeof *list);
  list[s->nmeasures++] = (hk_study_measure){.name = hki_pool_strdup(s->pool, name),
                                            .loc = HK_LOC_NONE,
                                            .kind = HK_MEASURE_RANGE,
                                            .value = {hki_pool_strdup(s->pool, value), HK_LOC_NONE},
                                            .after = -INFINITY,
                                            .before = INFINITY,
                                            .unit = "%"};
  s->measures = list;
  return true;
}

static hk_status take_reference(hk_comparison *c) {
  hk_study_reference *r = &c->study->reference;
  const char *text = c->opt->reference;
  if (!text && c->opt->nchannels && !r->given) text = "fine";
  if (!text) return HK_OK;
  *r = (hk_study_reference){.given = true, .loc = HK_LOC_NONE};
  r->file.loc = r->formulation.loc = r->integrator.loc = HK_LOC_NONE;
  if (strncmp(text, "fine", 4) != 0 || (text[4] && text[4] != ':')) {
    hk_nearest near;
    hki_nearest_init(&near, text);
    hki_nearest_try(&near, "fine");
    if (hki_nearest_result(&near) && !strchr(text, '.'))
      return hki_error(c->ctx, HK_E_USAGE, HK_LOC_NONE, "did you mean 'fine'?",
                       "--reference must be fine, fine:STEP or a .csv file, but it is '%s'", text);
    r->file.text = hki_pool_strdup(c->pool, text);
    return r->file.text ? HK_OK : HK_E_MEMORY;
  }
  if (!text[4]) return HK_OK;
  if (hki_decimal(text + 5, (int32_t)strlen(text + 5), &r->step) && r->step > 0.0) return HK_OK;
  return hki_error(c->ctx, HK_E_USAGE, HK_LOC_NONE, "for example --reference fine:0.0001",
                   "the step of the fine run must be a positive number, but it is '%s'", text + 5);
}

static hk_status overlay(hk_comparison *c) {
  const hk_compare_options *o = c->opt;
  hk_study *s = c->study;
  bool ok = list_of(c->pool, o->formulations, o->nformulations, &s->formulations) &&
            list_of(c->pool, o->integrators, o->nintegrators, &s->integrators);
  for (int32_t i = 0; i < s->ncases; i++) {
    if (o->nformulations) s->cases[i].formulations.n = 0;
    if (o->nintegrators) s->cases[i].integrators.n = 0;
    if (o->nsteps) s->cases[i].steps.n = 0;
    if (o->tolerance > 0.0) s->cases[i].tolerance = 0.0;
  }
  if (o->nsteps) {
    s->steps.h = hki_pool_alloc(c->pool, (size_t)o->nsteps * sizeof *s->steps.h);
    if (!s->steps.h) return HK_E_MEMORY;
    memcpy(s->steps.h, o->steps, (size_t)o->nsteps * sizeof *s->steps.h);
    s->steps.n = o->nsteps;
  }
  if (o->time > 0.0) s->time = o->time;
  if (o->tolerance > 0.0) s->tolerance = o->tolerance;
  if (o->repeat > 0) s->repeat = o->repeat;
  for (int32_t i = 0; ok && i < o->nsets; i++)
    ok = add_pair(c->pool, &s->sets, o->sets[i].name, o->sets[i].value);
  for (int32_t i = 0; ok && i < o->noptions; i++)
    ok = add_pair(c->pool, &s->options, o->options[i].name, o->options[i].value);
  for (int32_t i = 0; ok && i < o->nchannels; i++)
    ok = add_measure(s, o->channels[i], o->channels[i]);
  c->time = s->time;
  c->search = o->largest_step || s->search.given;
  return ok ? take_reference(c) : HK_E_MEMORY;
}

/* --- default measures and grades -------------------------------------------------------------- */

static bool has_errors(const hk_study *s) {
  for (int32_t i = 0; i < s->nmeasures; i++)
    if (hki_measure_infos[s->measures[i].kind].reference) return true;
  return false;
}

/* default measures: the columns of a reference file that are channels of the model; for a fine run
 * the positions of all bodies */
static hk_status default_measures(hk_comparison *c, const hk_model *m) {
  hk_study *s = c->study;
  hk_csv csv;
  if (!s->reference.given || has_errors(s)) return HK_OK;
  if (!s->reference.file.text)
    return add_measure(s, "positions", "body.*.position") ? HK_OK : HK_E_MEMORY;
  hk_status st = hki_csv_read(c->ctx, c->pool, s->reference.file.text, s->reference.file.loc, &csv);
  for (int32_t i = 0; st == HK_OK && csv.names && i < csv.columns; i++) {
    hk_channel ch;
    char hint[200];
    if (!hki_channel_parse(m->spec, csv.names[i], &ch, hint, sizeof hint)) continue;
    if (ch.kind >= HK_CH_ENERGY) continue;
    if (!add_measure(s, csv.names[i], csv.names[i])) return HK_E_MEMORY;
  }
  if (st == HK_OK && !has_errors(s))
    st = hki_error(c->ctx, HK_E_USAGE, HK_LOC_NONE,
                   "name the channels with --channel, or write a study that says which is which",
                   "no column of the reference file '%s' has the name of a channel",
                   s->reference.file.text);
  return st;
}

/* the default grade: at most 5 % in the energy audit and in every error */
static hk_status default_grades(hk_comparison *c) {
  hk_study *s = c->study;
  if (s->ngrades || !c->search) return HK_OK;
  hk_study_grade *g = hki_pool_alloc(c->pool, sizeof *g);
  if (!g) return HK_E_MEMORY;
  *g = (hk_study_grade){.name = "correct"};
  g->bounds = hki_pool_alloc(c->pool, (size_t)(s->nmeasures + 1) * sizeof *g->bounds);
  if (!g->bounds) return HK_E_MEMORY;
  g->bounds[g->nbounds++] = (hk_study_bound){HK_BOUND_DRIFT_PERCENT, 5.0};
  for (int32_t i = 0; i < s->nmeasures; i++)
    if (s->measures[i].kind == HK_MEASURE_RANGE) g->bounds[g->nbounds++] = (hk_study_bound){i, 5.0};
  s->grades = g;
  s->ngrades = 1;
  return HK_OK;
}

/* --- models ----------------------------------------------------------------------------------- */

/* finds where the study sets the parameter of a message "--set name=value: ..." */
static bool set_in_study(const hk_study_pairs *p, const char *text, hk_loc *loc) {
  for (int32_t i = 0; i < p->n; i++) {
    size_t n = strlen(p->names[i]);
    if (strncmp(text, "--set ", 6) != 0 || strncmp(text + 6, p->names[i], n) != 0) continue;
    if (text[6 + n] != '=' || p->locs[i].file < 0) continue;
    *loc = p->locs[i];
    return true;
  }
  return false;
}

/* passes messages about the model to the caller; one about a parameter that the study sets gets its
 * place in the study */
static void forward(const hk_message *m, void *user) {
  hk_comparison *c = user;
  hk_loc loc = {m->file ? hki_ctx_file(c->ctx, m->file) : -1, m->line, m->column};
  hk_status code = m->code;
  if (!m->file && code == HK_E_USAGE) {
    bool own = set_in_study(&c->study->sets, m->text, &loc);
    for (int32_t i = 0; i < c->study->ncases && !own; i++)
      own = set_in_study(&c->study->cases[i].sets, m->text, &loc);
    if (own) code = HK_E_MODEL;
  }
  if (!m->file && code == HK_E_FILE) loc = c->study->model.loc;
  if (m->severity == HK_ERROR) hki_error(c->ctx, code, loc, m->hint, "%s", m->text);
  if (m->severity == HK_WARNING) hki_warn(c->ctx, loc, m->hint, "%s", m->text);
}

static hk_status load_model(hk_comparison *c, hk_compare_case *k) {
  const hk_study *s = c->study;
  int32_t n = 0, most = s->sets.n + (k->c ? k->c->sets.n : 0);
  hk_set *sets = hki_pool_alloc(c->pool, (size_t)(most + 1) * sizeof *sets);
  if (!sets) return HK_E_MEMORY;
  for (int32_t i = 0; i < s->sets.n; i++) sets[n++] = (hk_set){s->sets.names[i], s->sets.values[i]};
  for (int32_t i = 0; k->c && i < k->c->sets.n; i++)
    sets[n++] = (hk_set){k->c->sets.names[i], k->c->sets.values[i]};
  hk_ctx_on_message(c->quiet, forward, c);
  hk_status st = hk_model_load(c->quiet, s->model.text, sets, n, &k->m);
  hk_ctx_on_message(c->quiet, NULL, NULL);
  hk_ctx_clear(c->quiet);
  // a wrong parameter value in the study is an error of the study file, not of usage
  return st == HK_E_USAGE && hki_ctx_status(c->ctx) == HK_E_MODEL ? HK_E_MODEL : st;
}

/* the model's own step, when neither study nor caller gives one */
static hk_status model_step(hk_comparison *c) {
  hk_study *s = c->study;
  double h = c->cases[0].m->spec->run.step;
  bool needed = s->ncases == 0;
  for (int32_t i = 0; i < s->ncases; i++) needed = needed || s->cases[i].steps.n == 0;
  if (s->steps.n || !needed) return HK_OK;
  if (isnan(h))
    return hki_error(c->ctx, HK_E_USAGE, HK_LOC_NONE, "add --step 0.01,0.001",
                     "neither the model nor the command line gives a step");
  s->steps.h = hki_pool_alloc(c->pool, sizeof *s->steps.h);
  if (!s->steps.h) return HK_E_MEMORY;
  s->steps.h[0] = h;
  c->shortest = fmin(c->shortest, h);
  s->steps.n = 1;
  return HK_OK;
}

static hk_status prepare_case(hk_comparison *c, int32_t i) {
  hk_compare_case *k = &c->cases[i];
  const hk_study_reference *r = &c->study->reference;
  // a case without parameters of its own shares model, probe and reference of another such case
  for (int32_t j = 0; j < i; j++) {
    const hk_compare_case *other = &c->cases[j];
    if ((k->c && k->c->sets.n) || (other->c && other->c->sets.n)) continue;
    k->m = other->m;
    k->probe = other->probe;
    k->reference = other->reference;
    k->borrowed = true;
    return HK_OK;
  }
  hk_status st = load_model(c, k);
  if (st == HK_OK && i == 0) st = model_step(c);
  if (st == HK_OK && i == 0) st = default_measures(c, k->m);
  if (st == HK_OK && i == 0) st = default_grades(c);
  if (st == HK_OK) st = hki_probe_create(c->ctx, c->study, k->m, &k->probe);
  if (st != HK_OK || !r->given || !k->probe->width) return st;
  return r->file.text ? hki_reference_read(c->ctx, c->study, k->probe, &k->reference)
                      : hki_compare_fine(c, i);
}

/* the unit of a measure that is just a channel */
static void find_units(hk_comparison *c) {
  for (int32_t i = 0; i < c->study->nmeasures; i++) {
    hk_study_measure *m = &c->study->measures[i];
    hk_channel ch;
    char hint[200];
    if (*m->unit || !hki_channel_parse(c->cases[0].m->spec, m->value.text, &ch, hint, sizeof hint))
      continue;
    m->unit = hki_channel_unit(c->cases[0].m->spec, ch);
  }
}

/* the smallest step of the study */
static void find_steps(hk_comparison *c) {
  const hk_study *s = c->study;
  c->shortest = INFINITY;
  for (int32_t i = 0; i < s->steps.n; i++) c->shortest = fmin(c->shortest, s->steps.h[i]);
  for (int32_t i = 0; i < s->ncases; i++)
    for (int32_t k = 0; k < s->cases[i].steps.n; k++)
      c->shortest = fmin(c->shortest, s->cases[i].steps.h[k]);
}

hk_status hki_compare_plan(hk_comparison *c, const char *path) {
  bool is_study;
  hk_status st = hki_study_read(c->ctx, path, &is_study, &c->study);
  if (st != HK_OK) return st;
  if (!is_study) {
    c->study = hki_study_create(c->ctx);
    if (!c->study) return HK_E_MEMORY;
    c->study->path = c->study->model.text = hki_pool_strdup(c->study->pool, path);
    c->study->model.loc = HK_LOC_NONE;
  }
  st = overlay(c);
  if (st == HK_OK) st = check_methods(c);
  if (st != HK_OK) return st;
  find_steps(c);
  const int32_t n = c->study->ncases ? c->study->ncases : 1;
  c->cases = hki_pool_alloc(c->pool, (size_t)n * sizeof *c->cases);
  if (!c->cases) return HK_E_MEMORY;
  c->ncases = n;
  for (int32_t i = 0; i < c->ncases; i++) {
    c->cases[i].name = c->study->ncases ? c->study->cases[i].name : "";
    c->cases[i].c = c->study->ncases ? &c->study->cases[i] : NULL;
  }
  for (int32_t i = 0; st == HK_OK && i < c->ncases; i++) st = prepare_case(c, i);
  if (st == HK_OK) find_units(c);
  return st;
}
