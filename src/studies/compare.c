/* SPDX-License-Identifier: Apache-2.0
 *
 * compare.c: the public functions of comparisons: plan, all runs, search, access to the result.
 */
#include <string.h>

#include "base/extend.h"
#include "studies/compare.h"

static bool is_comparison(const hk_comparison *c) { return hki_is(c, HK_MARK_COMPARISON); }

static const hk_compare_options defaults = {.size = sizeof defaults};

void hk_compare_options_init(hk_compare_options *opt, uint32_t size) {
  hki_options_init(opt, size, &defaults, sizeof defaults);
}

static bool all_named(const char *const *names, int32_t n) {
  if (!hki_is_list(names, n)) return false;
  for (int32_t i = 0; i < n; i++)
    if (!names[i]) return false;
  return true;
}

/* copies the caller's options, whose struct may be of an older or newer version, and checks them */
static hk_status read_options(hk_ctx *ctx, const hk_compare_options *from,
                              hk_compare_options *opt) {
  *opt = defaults;
  hk_status st = hki_options_read(ctx, HK_OPTIONS(hk_compare_options, nformulations), opt, from);
  if (st != HK_OK) return st;
  bool ok = all_named(opt->formulations, opt->nformulations) &&
            all_named(opt->integrators, opt->nintegrators) &&
            all_named(opt->channels, opt->nchannels) && hki_is_list(opt->steps, opt->nsteps) &&
            hki_is_list(opt->sets, opt->nsets) && hki_is_list(opt->options, opt->noptions);
  for (int32_t i = 0; ok && i < opt->nsets; i++) ok = opt->sets[i].name && opt->sets[i].value;
  for (int32_t i = 0; ok && i < opt->noptions; i++)
    ok = opt->options[i].name && opt->options[i].value;
  if (!ok)
    return hki_misuse(ctx, "hk_compare_options",
                      "a list that does not fit its count, or an empty "
                      "place in one");
  for (int32_t i = 0; i < opt->nsteps; i++)
    if (!(opt->steps[i] > 0.0) || !isfinite(opt->steps[i]))
      return hki_misuse(ctx, "hk_compare_options", "a step must be a positive number of seconds");
  if (!(opt->time >= 0.0) || !isfinite(opt->time))
    return hki_misuse(ctx, "hk_compare_options", "the time must be a number of seconds, or 0");
  if (!(opt->tolerance >= 0.0) || !isfinite(opt->tolerance))
    return hki_misuse(ctx, "hk_compare_options", "the tolerance must be a positive number, or 0");
  return HK_OK;
}

static const hk_study_steps *steps_of(const hk_comparison *c, int32_t icase) {
  const hk_study_case *own = c->cases[icase].c;
  return own && own->steps.n ? &own->steps : &c->study->steps;
}

/* a note under the table, once */
static void add_note(hk_comparison *c, const char *text) {
  for (int32_t i = 0; text && i < c->nnotes; i++)
    if (strcmp(c->notes[i], text) == 0) return;
  if (text && HK_GROW(c->ctx, c->notes, c->notes_cap, c->nnotes + 1)) c->notes[c->nnotes++] = text;
}

/* run one pair at all its steps; a single row when the two are not compatible */
static hk_status run_pair(hk_comparison *c, int32_t icase, const hk_formulation_entry *fe,
                          const hk_integrator_ops *ops) {
  const hk_study_steps *steps = steps_of(c, icase);
  const char *name;
  if (!hki_compare_applies(c, icase, fe, ops, &name)) {
    add_note(c, hki_pool_printf(c->pool, "%s + %s is left out: it has no option '%s'",
                                fe->ops->name, ops->name, name));
    return HK_OK;
  }
  for (int32_t h = 0; h < steps->n && !hki_compare_stopped(c); h++) {
    hk_compare_entry *e = hki_compare_run(c, icase, fe, ops, steps->h[h], false);
    if (!e) return HK_E_MEMORY;
    if (!e->row.compatible) break;
  }
  return HK_OK;
}

/* how many runs there will be, for the progress bar */
static int32_t count_runs(const hk_comparison *c) {
  const hk_formulation_entry *fe;
  const hk_integrator_ops *ops;
  char buf[256];
  int32_t n = 0;
  for (int32_t k = 0; k < c->ncases; k++)
    for (int32_t f = 0; (fe = hki_compare_formulation(c, k, f)); f++)
      for (int32_t i = 0; (ops = hki_compare_integrator(c, k, i)); i++)
        if (!hki_compare_refusal(c, k, fe, ops, buf, sizeof buf)) n += steps_of(c, k)->n;
  return n;
}

static hk_status run_all(hk_comparison *c) {
  const hk_formulation_entry *fe;
  const hk_integrator_ops *ops;
  c->done = 0;
  c->total = count_runs(c);
  for (int32_t k = 0; k < c->ncases; k++)
    for (int32_t f = 0; (fe = hki_compare_formulation(c, k, f)); f++)
      for (int32_t i = 0; (ops = hki_compare_integrator(c, k, i)); i++) {
        hk_status st = run_pair(c, k, fe, ops);
        if (st != HK_OK) return st;
      }
  if (c->search) hki_compare_search(c);
  return c->interrupted ? HK_INTERRUPTED : HK_OK;
}

hk_status hk_compare(hk_ctx *ctx, const char *path, const hk_compare_options *opt,
                     hk_comparison **out) {
  hk_compare_options own;
  if (out) *out = NULL;
  if (!hki_is(ctx, HK_MARK_CTX)) return hki_misuse(NULL, "hk_compare", "no context");
  if (!out || !path) return hki_misuse(ctx, "hk_compare", "no path, or no place for the result");
  hk_status st = read_options(ctx, opt, &own);
  if (st != HK_OK) return st;
  hk_comparison *c = hki_alloc(ctx, sizeof *c);
  if (!c) return HK_E_MEMORY;
  c->mark = HK_MARK_COMPARISON;
  c->ctx = ctx;
  c->opt = &own;
  const int32_t failures = hki_memory_failures(ctx);
  c->quiet = hk_ctx_create();
  c->pool = hki_pool_create(ctx);
  if (c->quiet && !hki_extend_share(c->quiet, ctx)) st = HK_E_MEMORY;
  if (st == HK_OK)
    st = !c->quiet ? hki_no_memory(ctx) : c->pool ? hki_compare_plan(c, path) : HK_E_MEMORY;
  if (st == HK_OK) st = run_all(c);
  // a run without memory is a row like any other; without memory for the rows there is no result
  if (hki_memory_failures(ctx) > failures) st = HK_E_MEMORY;
  c->opt = NULL;
  if (st != HK_OK && st != HK_INTERRUPTED) {
    hk_comparison_free(c);
    return st;
  }
  *out = c;
  return st;
}

void hk_comparison_free(hk_comparison *c) {
  if (!is_comparison(c)) return;
  hk_ctx *ctx = c->ctx;
  for (int32_t i = 0; i < c->ncases; i++) {
    hk_compare_case *k = &c->cases[i];
    if (k->borrowed) continue;
    hki_probe_destroy(k->probe);
    // the series of a file is allocated in ctx, that of a fine run in the quiet context
    hki_series_free(c->study->reference.file.text ? ctx : c->quiet, &k->reference);
    hk_model_release(k->m);
  }
  hki_study_destroy(c->study);
  if (c->pool) hki_pool_destroy(c->pool);
  hk_ctx_destroy(c->quiet);
  hki_free(ctx, c->rows);
  hki_free(ctx, c->largest);
  hki_free(ctx, c->notes);
  c->mark = 0;
  hki_free(ctx, c);
}

/* --- looking at the result -------------------------------------------------------------------- */

const char *hk_comparison_title(const hk_comparison *c) {
  if (!is_comparison(c)) return NULL;
  return *c->study->title ? c->study->title : hk_model_title(c->cases[0].m);
}

int32_t hk_comparison_count(const hk_comparison *c) { return is_comparison(c) ? c->nrows : 0; }

const hk_compare_row *hk_comparison_row(const hk_comparison *c, int32_t i) {
  return i >= 0 && i < hk_comparison_count(c) ? &c->rows[i]->row : NULL;
}

int32_t hk_comparison_measure_count(const hk_comparison *c) {
  return is_comparison(c) ? c->study->nmeasures : 0;
}

const char *hk_comparison_measure_name(const hk_comparison *c, int32_t i) {
  return i >= 0 && i < hk_comparison_measure_count(c) ? c->study->measures[i].name : NULL;
}

const char *hk_comparison_measure_unit(const hk_comparison *c, int32_t i) {
  return i >= 0 && i < hk_comparison_measure_count(c) ? c->study->measures[i].unit : NULL;
}

int32_t hk_comparison_grade_count(const hk_comparison *c) {
  return is_comparison(c) ? c->study->ngrades : 0;
}

const char *hk_comparison_grade_name(const hk_comparison *c, int32_t i) {
  return i >= 0 && i < hk_comparison_grade_count(c) ? c->study->grades[i].name : NULL;
}

int32_t hk_comparison_largest_count(const hk_comparison *c) {
  return is_comparison(c) ? c->nlargest : 0;
}

const hk_compare_largest *hk_comparison_largest_at(const hk_comparison *c, int32_t i) {
  return i >= 0 && i < hk_comparison_largest_count(c) ? &c->largest[i] : NULL;
}

const char *hk_study_schema(hk_ctx *ctx) {
  static const char key;
  return hki_ctx_text(ctx, &key, hki_study_schema);
}
