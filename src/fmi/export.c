/* SPDX-License-Identifier: Apache-2.0
 *
 * export.c: a model becomes an FMU (hooke/fmu.h).
 */
#include "fmi/export.h"

#include <ctype.h>
#include <string.h>

#include "base/extend.h"
#include "base/swap.h"
#include "fmu/exchange.h"

static const hk_fmu_options defaults = {.size = sizeof defaults, .version = 2};

void hk_fmu_options_init(hk_fmu_options *opt, uint32_t size) {
  hki_options_init(opt, size, &defaults, sizeof defaults);
}

static bool good_list(const char *const *list, int32_t n) {
  bool good = hki_is_list(list, n);
  for (int32_t i = 0; good && i < n; i++) good = list[i] != NULL;
  return good;
}

static bool good_identifier(const char *s) {
  if (!isalpha((unsigned char)*s) && *s != '_') return false;
  for (; *s; s++)
    if (!isalnum((unsigned char)*s) && *s != '_') return false;
  return true;
}

hk_status hki_fmu_options_check(hk_ctx *ctx, const char *function, const hk_fmu_options *opt) {
  const char *why = NULL;
  if (opt->version != 2 && opt->version != 3) why = "the version of FMI must be 2 or 3";
  if (opt->only < 0 || opt->only > 2) why = "'only' must be 0, 1 or 2";
  if (opt->no_binary && opt->no_sources) why = "an FMU needs its program or its sources";
  if (!good_list(opt->inputs, opt->ninputs) || !good_list(opt->outputs, opt->noutputs) ||
      !good_list(opt->parameters, opt->nparameters) || !hki_is_list(opt->sets, opt->nsets))
    why = "a list of names does not fit its count";
  if (opt->name && !good_identifier(opt->name)) why = "the name must be one that C allows";
  return why ? hki_misuse(ctx, function, why) : HK_OK;
}

static hk_status read_options(hk_ctx *ctx, const hk_fmu_options *from, hk_fmu_options *opt) {
  *opt = defaults;
  hk_status st = hki_options_read(ctx, HK_OPTIONS(hk_fmu_options, version), opt, from);
  return st == HK_OK ? hki_fmu_options_check(ctx, "hk_fmu_export", opt) : st;
}

/* a name in C from that of the file */
static char *identifier(hk_fmu_job *j) {
  const char *slash = strrchr(j->path, '/'), *name = slash ? slash + 1 : j->path;
  const char *dot = strrchr(name, '.');
  char *id =
      hki_pool_strndup(j->pool, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
  if (!id) return NULL;
  for (char *c = id; *c; c++)
    if (!isalnum((unsigned char)*c)) *c = '_';
  return isdigit((unsigned char)*id) ? hki_pool_printf(j->pool, "_%s", id) : id;
}

/* a program outside that the model names by this name */
static hk_status refuse_partner(hk_fmu_job *j, hk_loc loc, const char *what, const char *name,
                                const char *hint) {
  return hki_error(j->ctx, HK_E_MODEL, loc, hint,
                   "a model with the %s '%s' cannot become %s, which speaks to its importer alone",
                   what, name, j->as);
}

/* what an FMU cannot have inside */
static hk_status refuse(hk_fmu_job *j) {
  static const char *const hint = "make inputs of what it sets, {input: 0}, and channels of what "
                                  "it reads: the importer connects both";
  if (hki_extend_at(j->ctx, HK_EXTEND_MODULE, 0))
    return hki_error(j->ctx, HK_E_MODEL, HK_LOC_NONE,
                     "write the law as an expression, or make an input of what the module computes",
                     "a model with modules cannot become %s: their code would be missing", j->as);
  const hk_spec *spec = j->sim->m->spec;
  if (spec->nfmus) return refuse_partner(j, spec->fmus[0].loc, "FMU", spec->fmus[0].name, hint);
  if (spec->nstreams)
    return refuse_partner(j, spec->streams[0].loc, "stream", spec->streams[0].plan.name, hint);
  if (spec->nexternals)
    return refuse_partner(
        j, spec->externals[0].loc, "external force", spec->externals[0].plan.name,
        "make inputs of its forces: {type: force, value: ..} with the values of inputs");
  if (j->sim->I.ops->steps == HK_STEPS_OWN)
    return hki_error(j->ctx, HK_E_USAGE, HK_LOC_NONE, "take another with --integrator",
                     "the integrator '%s' cannot be exported: its library would be missing",
                     j->sim->I.ops->name);
  return HK_OK;
}

static hk_status keep_methods(hk_fmu_job *j) {
  const hk_sim_options *s = j->opt->sim;
  hk_bundle *b = &j->bundle;
  bool ok = true;
  b->time = j->sim->end;
  j->d.time = j->sim->end, j->d.step = j->sim->step;
  for (int32_t i = 0; ok && i < j->opt->nsets; i++)
    ok = hki_bundle_add(j->pool, &b->sets, j->opt->sets[i].name, 0.0, j->opt->sets[i].value);
  if (s) {
    b->formulation = s->formulation, b->integrator = s->integrator;
    b->step = s->step, b->tolerance = s->tolerance;
    for (int32_t i = 0; ok && i < s->noptions; i++)
      ok = hki_bundle_add(j->pool, &b->options, s->options[i].name, 0.0, s->options[i].value);
  }
  return ok ? HK_OK : HK_E_MEMORY;
}

/* an instance whose messages are those of the context */
static void say(void *user, hk_fmi_status status, const char *text) {
  if (status >= HK_FMI_ERROR)
    hki_error(user, HK_E_MODEL, HK_LOC_NONE, NULL, "inside the FMU: %s", text);
}

static hk_fmu_variable *describe(hk_fmu_job *j, const hk_exchange *e, int32_t kind) {
  const int32_t n = hki_exchange_count(e, kind);
  hk_fmu_variable *v = hki_pool_alloc(j->pool, ((size_t)n + 1) * sizeof *v);
  for (int32_t i = 0; v && i < n; i++) {
    const char *name = hki_exchange_name(e, kind, i), *unit = hki_exchange_unit(e, kind, i);
    name = name ? hki_pool_strdup(j->pool, name) : NULL;
    unit = unit ? hki_pool_strdup(j->pool, unit) : NULL;
    if (!name || !unit) return NULL;
    v[i] = (hk_fmu_variable){.name = name, .unit = unit, .text = ""};
  }
  return v;
}

/* Starts an instance of what the FMU will hold, and asks it for its states. */
static hk_status try_out(hk_fmu_job *j) {
  hk_unit *u =
      hki_unit_create(j->data.s, j->data.len, j->bundle.token, !j->d.exchange, say, j->ctx);
  hk_status st = u ? hki_unit_start(u) : HK_E_MODEL;
  if (st == HK_OK && hk_model_hash(u->model) != hk_model_hash(j->model) && !j->opt->nsets)
    hki_note(j->ctx, HK_LOC_NONE, "checkpoints of the model and states of the FMU differ");
  if (st == HK_OK && u->exchange) {
    j->d.nstates = hki_exchange_count(u->exchange, HK_UNIT_STATE);
    j->d.nindicators = hki_exchange_count(u->exchange, HK_UNIT_INDICATOR);
    j->d.states = describe(j, u->exchange, HK_UNIT_STATE);
    j->d.derivatives = describe(j, u->exchange, HK_UNIT_DERIVATIVE);
    j->d.indicators = describe(j, u->exchange, HK_UNIT_INDICATOR);
    if (!j->d.states || !j->d.derivatives || !j->d.indicators) st = HK_E_MEMORY;
  }
  hki_unit_destroy(u);
  return st;
}

/* which of the two interfaces the FMU has */
static hk_status choose_kinds(hk_fmu_job *j) {
  const char *why = hki_exchange_refuses(j->sim);
  j->d.co_simulation = j->opt->only != 2;
  j->d.exchange = j->opt->only != 1 && !why;
  if (why && j->opt->only == 2)
    return hki_error(j->ctx, HK_E_MODEL, HK_LOC_NONE, "export it for co-simulation",
                     "the model cannot be exchanged: %s", why);
  if (why && j->opt->only == 0)
    hki_note(j->ctx, HK_LOC_NONE, "the FMU has no model exchange: %s", why);
  return HK_OK;
}

hk_status hki_fmu_prepare(hk_fmu_job *j) {
  hk_status st = hk_model_load(j->ctx, j->path, j->opt->sets, j->opt->nsets, &j->model);
  if (st == HK_OK) st = hk_sim_create(j->model, j->opt->sim, &j->sim);
  if (st == HK_OK) st = refuse(j);
  if (st == HK_OK) st = keep_methods(j);
  if (st == HK_OK) st = hki_fmu_variables(j);
  return st;
}

static hk_status make(hk_fmu_job *j, const char *output, hk_fmu_report *report) {
  hk_archive_writer w;
  hk_status st = hki_fmu_prepare(j);
  if (st == HK_OK) st = choose_kinds(j);
  if (st == HK_OK) st = hki_fmu_bundle(j);
  if (st == HK_OK) st = try_out(j);
  if (st != HK_OK) return st;
  j->d.version = j->opt->version;
  j->d.title = hk_model_title(j->model);
  j->d.name = j->d.identifier = j->opt->name ? j->opt->name : identifier(j);
  if (!j->d.name) return HK_E_MEMORY;
  hki_archive_begin(&w, j->ctx);
  st = hki_fmu_files(j, &w);
  if (st == HK_OK) st = hki_write_file(j->ctx, output, &(hk_piece){w.out.s, w.out.len}, 1);
  *report = (hk_fmu_report){.size = report->size,
                            .inputs = j->d.ninputs,
                            .outputs = j->d.noutputs,
                            .parameters = j->d.nparameters,
                            .states = j->d.nstates,
                            .co_simulation = j->d.co_simulation,
                            .exchange = j->d.exchange,
                            .bytes = (int64_t)w.out.len};
  hki_archive_end(&w);
  return st;
}

hk_status hki_fmu_begin(hk_ctx *ctx, const char *model, const hk_fmu_options *opt, hk_fmu_job *j) {
  *j = (hk_fmu_job){.ctx = ctx, .opt = opt, .path = model, .as = "an FMU"};
  j->pool = hki_pool_create(ctx);
  if (!j->pool) return HK_E_MEMORY;
  hki_text_init(&j->data, ctx);
  hki_file_copy_all(ctx, true);
  return HK_OK;
}

void hki_fmu_end(hk_fmu_job *j) {
  if (!j->pool) return;
  hki_file_copy_all(j->ctx, false);
  hki_text_free(&j->data);
  hk_sim_destroy(j->sim);
  hk_model_release(j->model);
  hki_pool_destroy(j->pool);
}

hk_status hk_fmu_export(hk_ctx *ctx, const char *model, const char *output,
                        const hk_fmu_options *options, hk_fmu_report *report) {
  hk_fmu_options opt;
  hk_fmu_report own = {.size = sizeof own};
  if (!hki_is(ctx, HK_MARK_CTX)) return hki_misuse(NULL, "hk_fmu_export", "no context");
  if (!model || !output) return hki_misuse(ctx, "hk_fmu_export", "no model, or no output");
  if (report && report->size < sizeof own)
    return hki_misuse(ctx, "hk_fmu_export", "a report of no size");
  hk_status st = read_options(ctx, options, &opt);
  if (st != HK_OK) return st;
  hk_fmu_job j;
  st = hki_fmu_begin(ctx, model, &opt, &j);
  if (st == HK_OK) st = make(&j, output, &own);
  hki_fmu_end(&j);
  if (report) own.size = report->size, *report = own;
  return st;
}
