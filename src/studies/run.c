/* SPDX-License-Identifier: Apache-2.0
 *
 * run.c: one run of a comparison. Substeps are off. The measures are sampled after each
 * step of the first run, outside the time that is counted; repeated runs only count time.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "studies/compare.h"

bool hki_compare_stopped(hk_comparison *c) {
  if (c->opt->interrupt && *c->opt->interrupt) c->interrupted = true;
  return c->interrupted;
}

/* --- options of a pair ------------------------------------------------------------------------ */

static bool takes(const hk_formulation_entry *fe, const hk_integrator_ops *ops, const char *name) {
  return hki_params_find(fe->ops->params, name) || hki_params_find(ops->params, name) ||
         hki_params_find(hki_solver_params, name);
}

bool hki_compare_applies(const hk_comparison *c, int32_t icase, const hk_formulation_entry *fe,
                         const hk_integrator_ops *ops, const char **name) {
  const hk_study_case *k = c->cases[icase].c;
  if (!k || !k->options.n || k->sets.n) return true;
  *name = k->options.names[0];
  for (int32_t i = 0; i < k->options.n; i++)
    if (takes(fe, ops, k->options.names[i])) return true;
  return false;
}

/* the options of study and case that this pair has */
static int32_t pair_options(const hk_comparison *c, int32_t icase, const hk_formulation_entry *fe,
                            const hk_integrator_ops *ops, hk_option *out, int32_t most) {
  const hk_study_pairs *lists[2] = {&c->study->options, NULL};
  int32_t n = 0;
  if (c->cases[icase].c) lists[1] = &c->cases[icase].c->options;
  for (int k = 0; k < 2; k++) {
    for (int32_t i = 0; lists[k] && i < lists[k]->n && n < most; i++)
      if (takes(fe, ops, lists[k]->names[i]))
        out[n++] = (hk_option){lists[k]->names[i], lists[k]->values[i]};
  }
  return n;
}

/* --- the run ---------------------------------------------------------------------------------- */

enum { MOST_OPTIONS = 64 };

/* the values collected during a run */
typedef struct gauge {
  hk_comparison *c;
  hk_probe *probe;
  hk_series series;
  double *measures;   /* measures[nmeasures]: so far, of those that need no reference */
  int64_t iterations; /* of all steps before the present one */
  int64_t worst;      /* most iterations of a step */
  double last_progress;
} gauge;

/* one more piece of an integral; it begins at the first sample */
static void add_to_integral(const gauge *g, int32_t i, double t, double *out) {
  hk_probe_measure *pm = &g->probe->measures[i];
  const double x = g->probe->values[pm->expr], s = pm->over < 0 ? t : g->probe->values[pm->over];
  *out = isnan(*out) ? 0.0 : *out + 0.5 * (pm->x + x) * (s - pm->s);
  pm->x = x;
  pm->s = s;
}

static void gauge_measures(gauge *g, double t) {
  const hk_study *s = g->c->study;
  for (int32_t i = 0; i < s->nmeasures; i++) {
    const hk_study_measure *m = &s->measures[i];
    double *out = &g->measures[i];
    if (hki_measure_infos[m->kind].reference || t < m->after - 1e-9 || t > m->before + 1e-9)
      continue;
    if (m->kind == HK_MEASURE_INTEGRAL) {
      add_to_integral(g, i, t, out);
      continue;
    }
    double x = g->probe->values[g->probe->measures[i].expr];
    bool better = isnan(*out) || m->kind == HK_MEASURE_FINAL ||
                  (m->kind == HK_MEASURE_MAX && x > *out) ||
                  (m->kind == HK_MEASURE_MIN && x < *out) ||
                  (m->kind == HK_MEASURE_EXTREME && fabs(x) > fabs(*out));
    if (better) *out = x;
  }
}

static hk_status gauge_step(gauge *g, hk_sim *s, bool first) {
  hk_status st = hki_probe_sample(g->probe, s, first);
  if (st != HK_OK) return st;
  gauge_measures(g, hk_sim_time(s));
  if (!first && s->newton.iterations - g->iterations > g->worst)
    g->worst = s->newton.iterations - g->iterations;
  g->iterations = s->newton.iterations;
  if (!g->series.width) return HK_OK;
  return hki_series_add(g->c->quiet, &g->series, hk_sim_time(s), g->probe->row) ? HK_OK
                                                                                : HK_E_MEMORY;
}

static void show_progress(gauge *g, const hk_sim *s) {
  hk_comparison *c = g->c;
  double now = hki_wall_seconds();
  if (!c->opt->progress || now - g->last_progress < 0.1) return;
  g->last_progress = now;
  hk_compare_progress p = {c->done,        c->total, s->fe->ops->name, s->I.ops->name, s->step,
                           hk_sim_time(s), s->end};
  c->opt->progress(&p, c->opt->user);
}

/* steps to the end, or to the first step that fails */
static hk_status march(gauge *g, hk_sim *s, bool sample) {
  hk_status st = sample ? gauge_step(g, s, true) : HK_OK;
  while (st == HK_OK && !hk_sim_done(s)) {
    st = hk_sim_step(s);
    if (st == HK_OK && sample) st = gauge_step(g, s, false);
    show_progress(g, s);
    if (st == HK_OK && hki_compare_stopped(g->c)) {
      snprintf(s->message, sizeof s->message, "interrupted at t = %.9g s", hk_sim_time(s));
      st = HK_INTERRUPTED;
    }
  }
  s->status = st;
  if (st < 0 && !s->message[0]) snprintf(s->message, sizeof s->message, "%s", hk_status_text(st));
  return st;
}

static hk_status start(hk_comparison *c, int32_t icase, const hk_formulation_entry *fe,
                       const hk_integrator_ops *ops, double step, int substeps, hk_sim **out) {
  hk_option options[MOST_OPTIONS];
  hk_sim_options o = hk_sim_options_def();
  o.formulation = fe->ops->name;
  o.integrator = ops->name;
  o.step = step;
  o.time = c->time;
  o.substeps = substeps;
  o.tolerance = c->cases[icase].c && c->cases[icase].c->tolerance > 0.0
                    ? c->cases[icase].c->tolerance
                    : c->study->tolerance;
  o.options = options;
  o.noptions = pair_options(c, icase, fe, ops, options, MOST_OPTIONS);
  hk_ctx_clear(c->quiet);
  return hk_sim_create(c->cases[icase].m, &o, out);
}

/* the text of the first error in the quiet context */
static const char *reason(const hk_comparison *c, hk_status st) {
  for (int32_t i = 0; i < hk_ctx_message_count(c->quiet); i++) {
    const hk_message *m = hk_ctx_message(c->quiet, i);
    if (m->severity == HK_ERROR) return m->text;
  }
  return hk_status_text(st);
}

/* runs again `repeat` - 1 times; returns the smallest CPU time, the first run's included */
static double repeat(hk_comparison *c, gauge *g, const hk_compare_entry *e, double cpu) {
  for (int32_t i = 1; i < c->study->repeat && !hki_compare_stopped(c); i++) {
    hk_sim *s;
    if (start(c, e->icase, e->fe, e->ops, e->row.step_s, 0, &s) != HK_OK) break;
    if (march(g, s, false) == HK_OK) cpu = fmin(cpu, s->cpu);
    hk_sim_destroy(s);
  }
  return cpu;
}

/* the numbers of a run that started */
static void fill(hk_comparison *c, gauge *g, hk_compare_entry *e, hk_sim *s) {
  hk_compare_row *r = &e->row;
  const hk_compare_case *k = &c->cases[e->icase];
  r->summary.status = s->status;
  if (s->status == HK_OK) s->cpu = repeat(c, g, e, s->cpu);
  hk_sim_summary(s, &r->summary);
  r->summary.message = hki_pool_strdup(c->pool, s->message);
  r->summary.model = c->study->model.text;
  r->end_s = hk_sim_time(s);
  r->iterations_max = (int32_t)g->worst;
  if (s->steps > 0) r->iterations_mean = (double)s->newton.iterations / (double)s->steps;
  r->drift_percent = hk_sim_drift_percent(s);
  r->grade = hk_sim_grade(s);
  const char *json = hk_sim_json(s);
  if (!json) hki_no_memory(c->ctx);
  e->json = json ? hki_pool_strdup(c->pool, json) : NULL;
  if (s->status != HK_OK) {
    // an unfinished run has no errors against the reference
    for (int32_t i = 0; i < c->study->nmeasures; i++) g->measures[i] = NAN;
    return;
  }
  for (int32_t i = 0; i < c->study->nmeasures; i++) {
    const hk_study_measure *m = &c->study->measures[i];
    if (hki_measure_infos[m->kind].reference)
      g->measures[i] = hki_measure_error(m, &k->probe->measures[i], &g->series, &k->reference);
  }
}

static hk_compare_entry *new_entry(hk_comparison *c, int32_t icase, const hk_formulation_entry *fe,
                                   const hk_integrator_ops *ops, double step, bool search) {
  int32_t nm = c->study->nmeasures, ng = c->study->ngrades;
  hk_compare_entry *e = hki_pool_alloc(c->pool, sizeof *e);
  double *measures = hki_pool_alloc(c->pool, (size_t)(nm + 1) * sizeof *measures);
  int32_t *grades = hki_pool_alloc(c->pool, (size_t)(ng + 1) * sizeof *grades);
  if (!e || !measures || !grades || !HK_GROW(c->ctx, c->rows, c->rows_cap, c->nrows + 1))
    return NULL;
  for (int32_t i = 0; i < nm; i++) measures[i] = NAN;
  *e = (hk_compare_entry){.icase = icase, .fe = fe, .ops = ops};
  e->row = (hk_compare_row){.case_name = c->cases[icase].name,
                            .formulation = fe->ops->name,
                            .integrator = ops->name,
                            .step_s = step,
                            .compatible = 1,
                            .search = search,
                            .end_s = NAN,
                            .iterations_mean = NAN,
                            .drift_percent = NAN,
                            .measures = measures,
                            .grades = grades};
  e->row.summary = (hk_summary){.model = c->study->model.text,
                                .formulation = fe->ops->name,
                                .integrator = ops->name,
                                .step_s = step,
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
                                .message = ""};
  c->rows[c->nrows++] = e;
  return e;
}

const char *hki_compare_refusal(const hk_comparison *c, int32_t icase,
                                const hk_formulation_entry *fe, const hk_integrator_ops *ops,
                                char *buf, size_t cap) {
  const char *why = hki_compatible(fe->ops, ops, buf, cap);
  return why ? why : hki_sim_fits(c->cases[icase].m, fe->ops, buf, cap);
}

hk_compare_entry *hki_compare_run(hk_comparison *c, int32_t icase, const hk_formulation_entry *fe,
                                  const hk_integrator_ops *ops, double step, bool search) {
  char buf[512];
  hk_sim *s = NULL;
  hk_compare_entry *e = new_entry(c, icase, fe, ops, step, search);
  if (!e) return NULL;
  const char *why = hki_compare_refusal(c, icase, fe, ops, buf, sizeof buf);
  if (why) {
    e->row.compatible = 0;
    e->row.step_s = NAN;
    e->row.summary.step_s = NAN;
    e->row.summary.status = HK_E_METHOD;
    e->row.summary.message = hki_pool_strdup(c->pool, why);
    return e;
  }
  hk_probe *probe = c->cases[icase].probe;
  gauge g = {.c = c, .probe = probe, .series = {.width = probe->width}};
  g.measures = (double *)(uintptr_t)e->row.measures;
  hk_status st = start(c, icase, fe, ops, step, 0, &s);
  if (st == HK_OK) {
    march(&g, s, true);
    fill(c, &g, e, s);
    hk_sim_destroy(s);
  } else {
    e->row.summary.status = st;
    e->row.summary.message = hki_pool_strdup(c->pool, reason(c, st));
  }
  hki_series_free(c->quiet, &g.series);
  for (int32_t i = 0; i < c->study->ngrades; i++)
    ((int32_t *)(uintptr_t)e->row.grades)[i] = !*hki_compare_why(c, e, i);
  c->done++;
  return e;
}

hk_status hki_compare_fine(hk_comparison *c, int32_t icase) {
  hk_compare_case *k = &c->cases[icase];
  const hk_study_reference *r = &c->study->reference;
  const hk_spec_run *run = &k->m->spec->run;
  const char *f = r->formulation.text ? r->formulation.text : run->formulation;
  const char *i = r->integrator.text ? r->integrator.text : run->integrator;
  double step = r->step > 0.0 ? r->step : c->shortest / 10.0;
  double *measures = hki_pool_alloc(c->pool, (size_t)(c->study->nmeasures + 1) * sizeof *measures);
  gauge g = {.c = c, .probe = k->probe, .series = {.width = k->probe->width}, .measures = measures};
  hk_sim_options o = hk_sim_options_def();
  hk_sim *s = NULL;
  if (!measures) return HK_E_MEMORY;
  o.formulation = f;
  o.integrator = i;
  o.step = step;
  o.time = c->time;
  hk_ctx_clear(c->quiet);
  hk_status st = hk_sim_create(k->m, &o, &s);
  c->total = 1;
  if (st == HK_OK) st = march(&g, s, true);
  if (st != HK_OK && st != HK_INTERRUPTED)
    hki_error(c->ctx, st, HK_LOC_NONE, "a smaller step may help: --reference fine:1e-4",
              "the fine run for reference (step %g s) failed: %s", step,
              s ? s->message : reason(c, st));
  k->reference = g.series;
  hk_sim_destroy(s);
  return st;
}
