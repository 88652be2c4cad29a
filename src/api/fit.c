/* SPDX-License-Identifier: Apache-2.0
 *
 * fit.c: parameters by measured data (hooke/fit.h): the data, the runs, the answers. The search is in
 * fit_search.c.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/fit_impl.h"
#include "base/extend.h"
#include "hooke/live.h"
#include "hooke/result.h"

static const hk_fit_options defaults = {.size = sizeof defaults, .iterations = 60};

void hk_fit_options_init(hk_fit_options *opt, uint32_t size) {
  hki_options_init(opt, size, &defaults, sizeof defaults);
}

static hk_status read_options(hk_ctx *ctx, const hk_fit_options *from, hk_fit_options *opt) {
  *opt = defaults;
  hk_status st = hki_options_read(ctx, HK_OPTIONS(hk_fit_options, parameters), opt, from);
  const char *why = NULL;
  if (st != HK_OK) return st;
  if (opt->nparameters < 1 || !opt->parameters)
    why = "no parameters to find";
  else if (!hki_is_list(opt->sets, opt->nsets))
    why = "the list of sets does not fit its count";
  else if (!opt->data)
    why = "no data";
  else if (opt->iterations < 1)
    why = "iterations must be at least 1";
  for (int32_t i = 0; !why && i < opt->nparameters; i++)
    if (!opt->parameters[i].name || !(opt->parameters[i].low < opt->parameters[i].high))
      why = "a parameter without a name, or with bounds that leave nothing";
  return why ? hki_misuse(ctx, "hk_fit_options", why) : HK_OK;
}

/* --- data ------------------------------------------------------------------------------------- */

static hk_status bad_data(hk_fit *f, const char *what) {
  return hki_error(f->ctx, HK_E_USAGE, HK_LOC_NONE,
                   "expected columns: t, then channels of the model",
                   "the data '%s' cannot be used: %s", f->opt->data, what);
}

/* times grow from 0 on, all numbers are finite; ranges of the channels */
static hk_status examine(hk_fit *f) {
  for (int64_t k = 0; k < f->rows; k++) {
    if (!isfinite(f->t[k]) || f->t[k] < 0.0 || (k && !(f->t[k] > f->t[k - 1])))
      return bad_data(f, "times must grow, from 0 s on");
    for (int32_t c = 0; c < f->nchannels; c++)
      if (!isfinite(f->y[k * f->nchannels + c]))
        return bad_data(f, "there are values that are no numbers");
  }
  for (int32_t c = 0; c < f->nchannels; c++) {
    double low = INFINITY, high = -INFINITY;
    for (int64_t k = 0; k < f->rows; k++) {
      low = fmin(low, f->y[k * f->nchannels + c]);
      high = fmax(high, f->y[k * f->nchannels + c]);
    }
    f->range[c] = high > low ? high - low : fmax(fabs(high), 1.0);
  }
  return HK_OK;
}

static hk_status read_data(hk_fit *f) {
  hk_result *r = NULL;
  hk_status st = hk_result_open(f->ctx, f->opt->data, &r);
  if (st != HK_OK) return st;
  f->nchannels = hk_result_channel_count(r);
  f->rows = hk_result_rows(r);
  const size_t rows = (size_t)f->rows + 1, n = (size_t)f->nchannels + 1;
  f->channel = hki_pool_alloc(f->pool, n * sizeof *f->channel);
  f->t = hki_pool_alloc(f->pool, rows * sizeof *f->t);
  f->y = hki_pool_alloc(f->pool, rows * n * sizeof *f->y);
  f->range = hki_pool_alloc(f->pool, n * sizeof *f->range);
  double *column = hki_pool_alloc(f->pool, rows * sizeof *column);
  if (!f->channel || !f->t || !f->y || !f->range || !column) st = HK_E_MEMORY;
  if (st == HK_OK) st = hk_result_read(r, -1, 0, f->rows, f->t);
  for (int32_t c = 0; st == HK_OK && c < f->nchannels; c++) {
    f->channel[c] = hki_pool_strdup(f->pool, hk_result_channel_name(r, c));
    st = f->channel[c] ? hk_result_read(r, c, 0, f->rows, column) : HK_E_MEMORY;
    for (int64_t k = 0; st == HK_OK && k < f->rows; k++) f->y[k * f->nchannels + c] = column[k];
  }
  hk_result_close(r);
  if (st != HK_OK) return st;
  if (f->nchannels < 1 || hki_fit_size(f) <= f->n)
    return bad_data(f, "fewer numbers than parameters");
  return examine(f);
}

/* --- a run ------------------------------------------------------------------------------------ */

static hk_status compare(hk_fit *f, hk_sim *sim, int32_t *handle, double *x, double *r) {
  hk_status st = HK_OK;
  for (int32_t c = 0; c < f->nchannels; c++)
    if ((handle[c] = hk_sim_channel_handle(sim, f->channel[c])) < 0) return HK_E_USAGE;
  for (int64_t k = 0; st == HK_OK && k < f->rows; k++) {
    if (f->t[k] > hk_sim_time(sim)) st = hk_sim_step_to(sim, f->t[k]);
    if (st == HK_OK) st = hk_sim_read(sim, f->nchannels, handle, x);
    for (int32_t c = 0; st == HK_OK && c < f->nchannels; c++) {
      const int64_t i = k * f->nchannels + c;
      r[i] = (x[c] - f->y[i]) / f->range[c];
      if (!isfinite(r[i])) st = HK_E_NUMBER;
    }
    if (hki_fit_stopped(f)) return HK_INTERRUPTED;
  }
  return st;
}

hk_status hki_fit_run(hk_fit *f, const double *value, bool loud, double *r) {
  const int32_t ns = f->opt->nsets;
  hk_ctx *ctx = loud ? f->ctx : hk_ctx_create();
  hk_model *m = NULL;
  hk_sim *sim = NULL;
  hk_sim_options opt = f->opt->sim ? *f->opt->sim : hk_sim_options_def();
  const size_t n = (size_t)(ns + f->n) + 1, nc = (size_t)f->nchannels + 1;
  hk_set *set = hki_alloc(f->ctx, n * sizeof *set);
  char(*text)[32] = hki_alloc(f->ctx, n * sizeof *text);
  int32_t *handle = hki_alloc(f->ctx, nc * sizeof *handle);
  double *x = hki_alloc(f->ctx, nc * sizeof *x);
  hk_status st = ctx && set && text && handle && x ? HK_OK : HK_E_MEMORY;
  // the caller's modules, and what stops long work
  if (st == HK_OK && !loud && !hki_extend_share(ctx, f->ctx)) st = HK_E_MEMORY;
  if (st == HK_OK && !loud) hki_stop_on(ctx, f->opt->interrupt);
  for (int32_t i = 0; st == HK_OK && i < ns; i++) set[i] = f->opt->sets[i];
  for (int32_t i = 0; st == HK_OK && i < f->n; i++) {
    snprintf(text[i], sizeof text[i], "%.17g", value[i]);
    set[ns + i] = (hk_set){f->par[i].name, text[i]};
  }
  opt.time = fmax(f->t[f->rows - 1], 1e-9);
  f->evaluations++;
  if (st == HK_OK) st = hk_model_load(ctx, f->model, set, ns + f->n, &m);
  if (st == HK_OK) st = hk_sim_create(m, &opt, &sim);
  if (st == HK_OK) st = compare(f, sim, handle, x, r);
  if (loud && st < 0 && !hki_error_count(ctx)) {
    hk_summary sum = {.message = ""};
    if (sim) hk_sim_summary(sim, &sum);
    hki_error(ctx, st, HK_LOC_NONE, hk_status_hint(st), "%s",
              sum.message && *sum.message ? sum.message : hk_status_text(st));
  }
  hk_sim_destroy(sim);
  hk_model_release(m);
  if (!loud) hk_ctx_destroy(ctx);
  hki_free(f->ctx, set);
  hki_free(f->ctx, text);
  hki_free(f->ctx, handle);
  hki_free(f->ctx, x);
  return st < 0 && !loud && st != HK_E_MEMORY && st != HK_INTERRUPTED ? HK_RETRY : st;
}

/* --- the start -------------------------------------------------------------------------------- */

/* values of the parameters in the model */
static hk_status find_starts(hk_fit *f) {
  hk_model *m = NULL;
  hk_sim *sim = NULL;
  hk_sim_options opt = f->opt->sim ? *f->opt->sim : hk_sim_options_def();
  opt.time = fmax(f->t[f->rows - 1], 1e-9);
  hk_status st = hk_model_load(f->ctx, f->model, f->opt->sets, f->opt->nsets, &m);
  if (st == HK_OK) st = hk_sim_create(m, &opt, &sim);
  for (int32_t i = 0; st == HK_OK && i < f->n; i++) {
    fitted *p = &f->par[i];
    const int32_t at = hk_sim_parameter_find(sim, p->name);
    if (at < 0) {
      st = hki_error(f->ctx, HK_E_USAGE, HK_LOC_NONE,
                     "it must be a number of the section 'parameters'",
                     "the model has no parameter '%s'", p->name);
      break;
    }
    p->start = fmin(fmax(hk_sim_parameter_get(sim, at), p->least), p->most);
    const double width = p->most - p->least;
    p->scale = p->start != 0.0 ? fabs(p->start) : isfinite(width) ? 0.1 * width : 1.0;
  }
  hk_sim_destroy(sim);
  hk_model_release(m);
  return st;
}

static hk_status find(hk_fit *f) {
  f->par = hki_pool_alloc(f->pool, ((size_t)f->n + 1) * sizeof *f->par);
  if (!f->par) return HK_E_MEMORY;
  for (int32_t i = 0; i < f->n; i++) {
    const hk_fit_parameter *p = &f->opt->parameters[i];
    f->par[i] = (fitted){
        .name = hki_pool_strdup(f->pool, p->name), .least = p->low, .most = p->high, .note = ""};
    if (!f->par[i].name) return HK_E_MEMORY;
  }
  hk_status st = read_data(f);
  if (st == HK_OK) st = find_starts(f);
  return st == HK_OK ? hki_fit_search(f) : st;
}

hk_status hk_fit_find(hk_ctx *ctx, const char *model, const hk_fit_options *from, hk_fit **out) {
  hk_fit_options opt;
  if (out) *out = NULL;
  if (!hki_is(ctx, HK_MARK_CTX)) return HK_E_USAGE;
  if (!model || !out || !from)
    return hki_misuse(ctx, "hk_fit_find", "no model, no options or no place");
  hk_status st = read_options(ctx, from, &opt);
  if (st != HK_OK) return st;
  hk_fit *f = hki_alloc(ctx, sizeof *f);
  if (!f) return HK_E_MEMORY;
  *f = (hk_fit){.mark = HK_MARK_FIT, .ctx = ctx, .opt = &opt, .model = model, .n = opt.nparameters};
  f->pool = hki_pool_create(ctx);
  st = f->pool ? find(f) : HK_E_MEMORY;
  f->opt = NULL, f->model = NULL;
  if (st != HK_OK)
    hk_fit_free(f);
  else
    *out = f;
  return st;
}

void hk_fit_free(hk_fit *f) {
  if (!hki_is(f, HK_MARK_FIT)) return;
  hk_ctx *ctx = f->ctx;
  if (f->pool) hki_pool_destroy(f->pool);
  f->mark = 0;
  hki_free(ctx, f);
}

/* --- answers ---------------------------------------------------------------------------------- */

int32_t hk_fit_count(const hk_fit *f) { return hki_is(f, HK_MARK_FIT) ? f->n : 0; }
int32_t hk_fit_evaluations(const hk_fit *f) { return hki_is(f, HK_MARK_FIT) ? f->evaluations : 0; }

double hk_fit_covariance(const hk_fit *f, int32_t i, int32_t j) {
  const int32_t n = hk_fit_count(f);
  return i >= 0 && i < n && j >= 0 && j < n && f->covariance ? f->covariance[i + j * n] : NAN;
}

double hk_fit_rms(const hk_fit *f) {
  return hki_is(f, HK_MARK_FIT) ? sqrt(f->cost / (double)hki_fit_size(f)) : NAN;
}

hk_status hk_fit_parameter_at(const hk_fit *f, int32_t i, hk_fitted *out) {
  if (!hki_is(f, HK_MARK_FIT)) return HK_E_USAGE;
  if (i < 0 || i >= f->n || !out || out->size < offsetof(hk_fitted, start))
    return hki_misuse(f->ctx, "hk_fit_parameter_at", "no such parameter, or no place for it");
  const fitted *p = &f->par[i];
  hk_fitted x = {.size = out->size,
                 .name = p->name,
                 .value = p->value,
                 .low = p->low,
                 .high = p->high,
                 .start = p->start,
                 .bound = p->bound,
                 .note = p->note};
  memcpy(out, &x, out->size < sizeof x ? out->size : sizeof x);
  return HK_OK;
}
