/* SPDX-License-Identifier: Apache-2.0
 *
 * statics.c: equilibria of a model, one or a path of them, with result files (hooke/statics.h). In a
 * result file the load stands in the place of time, or the number of the point where the load turns back.
 */
#include "hooke/statics.h"

#include <stdio.h>

#include "scene/recorder.h"
#include "simulation/equilibrium.h"

typedef struct found {
  hk_equilibrium_point at;
  double *values; /* nchannels + nslopes */
  double *q, *v;  /* the state, for the files */
} found;

struct hk_statics {
  hk_mark mark;
  hk_ctx *ctx;
  hk_sim *s;
  hk_pool *pool;
  found *point; /* n */
  int32_t n, cap;
  int32_t nslopes, *slope;    /* recorded channels */
  hk_results_channel *slopes; /* nslopes: as columns */
};

static const hk_statics_options defaults = {
    .size = sizeof defaults, .to = 1.0, .points = 20, .from = NAN};

void hk_statics_options_init(hk_statics_options *opt, uint32_t size) {
  hki_options_init(opt, size, &defaults, sizeof defaults);
}

static hk_status read_options(hk_ctx *ctx, const hk_statics_options *from,
                              hk_statics_options *opt) {
  *opt = defaults;
  hk_status st = hki_options_read(ctx, HK_OPTIONS(hk_statics_options, to), opt, from);
  if (st != HK_OK) return st;
  if (!isfinite(opt->to) || isinf(opt->from))
    return hki_misuse(ctx, "hk_statics_options", "the first and the last load must be finite");
  if (opt->points < 1 || opt->points > 100000)
    return hki_misuse(ctx, "hk_statics_options", "points must be 1 to 100000");
  bool good = hki_is_list(opt->slopes, opt->nslopes);
  for (int32_t i = 0; good && i < opt->nslopes; i++) good = opt->slopes[i] != NULL;
  return good ? HK_OK
              : hki_misuse(ctx, "hk_statics_options", "the list of slopes does not fit its count");
}

/* --- points ----------------------------------------------------------------------------------- */

/* slopes by the load: the channels must be recorded */
static hk_status find_slopes(hk_statics *r, const hk_statics_options *opt) {
  const size_t n = (size_t)opt->nslopes + 1;
  r->slope = hki_pool_alloc(r->pool, n * sizeof *r->slope);
  r->slopes = hki_pool_alloc(r->pool, n * sizeof *r->slopes);
  if (!r->slope || !r->slopes) return HK_E_MEMORY;
  if (opt->nslopes && !opt->load)
    return hki_error(r->ctx, HK_E_USAGE, HK_LOC_NONE, "name the load",
                     "slopes by the load need a load");
  for (int32_t i = 0; i < opt->nslopes; i++) {
    int32_t k = 0;
    while (k < r->s->nchannels && strcmp(r->s->channel_name[k], opt->slopes[i]) != 0) k++;
    if (k == r->s->nchannels)
      return hki_error(r->ctx, HK_E_USAGE, HK_LOC_NONE, "add it to 'record:'",
                       "the slope of '%s' is wanted, which is not recorded", opt->slopes[i]);
    r->slope[i] = k;
    r->slopes[i] = (hk_results_channel){
        hki_pool_printf(r->pool, "slope.%s", opt->slopes[i]),
        hki_pool_printf(r->pool, "%s per load",
                        *r->s->channel_unit[k] ? r->s->channel_unit[k] : "1"),
        hki_pool_printf(r->pool, "change by the load along the path: %s", r->s->channel_text[k])};
    if (!r->slopes[i].name || !r->slopes[i].unit || !r->slopes[i].text) return HK_E_MEMORY;
  }
  r->nslopes = opt->nslopes;
  return HK_OK;
}

/* the point is kept */
static hk_status take(void *user, hk_equilibria *e) {
  hk_statics *r = user;
  const hk_model *m = r->s->m;
  const size_t n = (size_t)(hk_sim_channel_count(r->s) + r->nslopes), nq = (size_t)m->nq,
               ns = (size_t)(m->nv + m->nx + m->nz), d = sizeof(double);
  if (!HK_GROW(r->ctx, r->point, r->cap, r->n + 1)) return HK_E_MEMORY;
  found *p = &r->point[r->n];
  *p = (found){.at = e->at, .values = hki_pool_alloc(r->pool, (n + nq + ns + 1) * d)};
  if (!p->values) return HK_E_MEMORY;
  p->q = p->values + n, p->v = p->q + nq;
  // the simulation was left elsewhere by the search for slopes
  hk_status st = hki_equilibria_place(e);
  if (st == HK_OK) {
    // channels of energies; each equilibrium stands alone, without work since another
    hk_audit *a = &r->s->audit;
    hki_sim_audit_measure(r->s);
    a->initial = a->kinetic + a->potential;
    st = hk_sim_values(r->s, p->values);
  }
  memcpy(p->q, e->q, nq * d);
  memcpy(p->v, e->v, ns * d);
  if (st == HK_OK && r->nslopes)
    st = hki_equilibria_slopes(e, r->nslopes, r->slope, p->values + hk_sim_channel_count(r->s));
  if (st == HK_OK) r->n++;
  return st;
}

/* --- files ------------------------------------------------------------------------------------ */

/* does the load change in one direction all along the path? 1: it grows, -1: it falls, 0: neither */
static int32_t direction(const hk_statics *r) {
  int32_t way = 0;
  for (int32_t i = 1; i < r->n; i++) {
    const double d = r->point[i].at.load - r->point[i - 1].at.load;
    const int32_t now = d > 0.0 ? 1 : d < 0.0 ? -1 : 0;
    if (now == 0 || (way && now != way)) return 0;
    way = now;
  }
  return way;
}

/* All points as rows and frames. The load stands in the place of time where it only grows or only falls, which
 * is then written backwards; else the number of the point. */
static hk_status write_points(hk_statics *r, hk_equilibria *e, hk_output *out, int32_t way) {
  const hk_model *m = r->s->m;
  hk_status st = HK_OK;
  for (int32_t k = 0; st == HK_OK && k < r->n; k++) {
    const int32_t i = way < 0 ? r->n - 1 - k : k;
    const found *p = &r->point[i];
    const double t = way ? p->at.load : i + 1;
    memcpy(e->q, p->q, (size_t)m->nq * sizeof *p->q);
    memcpy(e->v, p->v, (size_t)(m->nv + m->nx + m->nz) * sizeof *p->v);
    e->at = p->at;
    st = hki_equilibria_place(e);
    if (st == HK_OK) st = out->row(out, t, p->values);
    if (st == HK_OK && out->frame) st = out->frame(out, t);
  }
  return st;
}

static hk_status write_files(hk_statics *r, hk_equilibria *e, const hk_statics_options *opt) {
  hk_recorder *files = NULL;
  hk_run_options record = hk_run_options_def();
  const int32_t way = direction(r);
  char what[300];
  snprintf(what, sizeof what, opt->load ? "statics over %s, %d points" : "statics", opt->load,
           (int)r->n);
  const hk_recording as = {.analysis = what,
                           .axis = way ? opt->load : "point",
                           .axis_unit = "",
                           .nmore = r->nslopes,
                           .more = r->slopes,
                           .rows = r->n};
  record.output = opt->output, record.report = opt->report, record.command = opt->command;
  hk_status st = hki_recorder_open_as(r->s, &record, &as, &files);
  if (st != HK_OK || !files) return st;
  st = write_points(r, e, hki_recorder_output(files), way);
  if (st == HK_OK)
    st = hki_recorder_close(files);
  else
    hki_recorder_abandon(files);
  hki_recorder_free(files);
  return st;
}

/* --- the search ------------------------------------------------------------------------------- */

/* A simulation at the start of the search. A stable equilibrium is looked for first; where it is not
 * found, or not wanted, the start is that of the model. */
static hk_status begin(hk_model *m, const hk_statics_options *opt, hk_sim **out) {
  hk_sim_options sim = hk_sim_options_def();
  sim.formulation = opt->formulation;
  sim.options = opt->options, sim.noptions = opt->noptions;
  sim.time = 1e-3; // no step is taken
  sim.equilibrium = opt->nearest ? 0 : 1;
  hk_status st = hk_sim_create(m, &sim, out);
  return st;
}

/* With friction every position within its cones is an equilibrium: says which ones these are. A joint that
 * sticks exactly is locked, which no force of statics can judge. */
static hk_status judge_friction(const hk_sim *s, bool told) {
  for (int32_t c = 0; c < s->m->nc; c++)
    if (s->m->closures[c].role == HK_ROLE_STICK && s->kin->disc.active[c] != 0.0)
      return hki_error(
          s->ctx, HK_E_MODEL, HK_LOC_NONE,
          "leave its friction out, or use 'stick: bristle', which carries nothing here",
          "joint '%s' sticks by friction: every position nearby is an equilibrium",
          s->m->spec->joints[s->m->closures[c].joint].name);
  if (!told && hki_rubs(s->m))
    hki_note(s->ctx, HK_LOC_NONE,
             "these equilibria are those without friction, which carries nothing in them");
  return HK_OK;
}

/* HK_E_MODEL and its name when a prescribed motion moves at the start; the simulation is at rest */
static hk_status refuse_motion(const hk_sim *s, const char *hint) {
  char name[300];
  for (int32_t c = 0; c < s->m->nc; c++)
    for (int32_t r = 0; s->kin->disc.active[c] != 0.0 && r < s->m->closures[c].nrows; r++) {
      const int32_t row = s->m->closures[c].row0 + r;
      const bool moves = fabs(s->kin->phit[row]) > 1e-12;
      if (!moves && fabs(s->kin->gamma[row]) <= 1e-12) continue;
      hki_model_row_name(s->m, row, name, sizeof name);
      return hki_error(s->ctx, HK_E_MODEL, HK_LOC_NONE, hint,
                       "there is no equilibrium at rest: a motion %s at time 0 (%s)",
                       moves ? "moves" : "begins", name);
    }
  return HK_OK;
}

/* the same for motions whose rate is the load */
static hk_status refuse_rate(hk_equilibria *e, double to) {
  const double from = e->at.load;
  hki_equilibria_keep(e);
  e->at.load = to;
  const bool there = hki_equilibria_place(e) == HK_OK;
  const hk_status st = there ? refuse_motion(e->s, "let a force or a spring follow it") : HK_OK;
  e->at.load = from;
  return st == HK_OK ? hki_equilibria_back(e) : st;
}

static hk_status solve(hk_statics *r, const hk_statics_options *opt, int32_t load) {
  hk_equilibria e = {.s = r->s};
  char words[200] = "";
  hk_status st = hki_equilibria_create(r->s, load, &e);
  const double from = load >= 0 && !isnan(opt->from) ? opt->from : e.at.load;
  if (st == HK_OK) st = hki_equilibria_place(&e);
  if (st == HK_OK) st = judge_friction(r->s, !opt->nearest);
  if (st == HK_OK) st = refuse_motion(r->s, "let it stand still at time 0");
  if (st == HK_OK && load >= 0) st = refuse_rate(&e, opt->to);
  if (st == HK_OK) st = hki_equilibria_solve(&e, false, NULL);
  if (st == HK_RETRY)
    st = hki_error(r->ctx, HK_E_ASSEMBLY, HK_LOC_NONE, "draw the mechanism nearer to it",
                   "no equilibrium found near the start");
  // to the first load nobody looks
  if (st == HK_OK && load >= 0 && from != e.at.load)
    st = hki_equilibria_follow(&e, from, opt->points, 0, NULL, NULL, words, sizeof words);
  if (st == HK_OK && load >= 0)
    st = hki_equilibria_follow(&e, opt->to, opt->points, opt->branch, take, r, words, sizeof words);
  else if (st == HK_OK) {
    st = hki_equilibria_judge(&e);
    if (st == HK_OK) st = take(r, &e);
  }
  if (st == HK_E_DIVERGED && words[0])
    st = hki_error(r->ctx, st, HK_LOC_NONE,
                   "try more --points, or look whether something can still hold the load", "%s",
                   words);
  if (st != HK_OK && hki_stopped(r->ctx)) st = HK_INTERRUPTED;
  // a path that ends early is worth a file, nothing at all is not
  if (r->n > 0 && st != HK_INTERRUPTED && (opt->output || opt->report)) {
    const hk_status written = write_files(r, &e, opt);
    if (st == HK_OK) st = written;
  }
  hki_equilibria_end(&e);
  return st;
}

/* number of the input that is the load, -1: none is wanted; *st: whether there is one */
static int32_t find_load(hk_sim *s, const char *name, hk_status *st) {
  const int32_t i = name ? hk_sim_input_find(s, name) : -1;
  *st = HK_OK;
  if (name && i < 0)
    *st = hki_error(s->ctx, HK_E_USAGE, HK_LOC_NONE,
                    hk_sim_input_count(s) ? "see 'hooke check' for the inputs of the model"
                                          : "write the load as an input: signals: {F: {input: 0}}",
                    "the model has no input '%s'", name);
  return i;
}

static hk_status run(hk_statics *r, const hk_statics_options *opt) {
  hk_recorder *files = NULL;
  hk_run_options record = hk_run_options_def();
  hk_status st;
  const int32_t load = find_load(r->s, opt->load, &st);
  record.output = opt->output, record.report = opt->report;
  if (st == HK_OK) st = find_slopes(r, opt);
  // what cannot be written is said before the work
  if (st == HK_OK) st = hki_recorder_open(r->s, &record, &files);
  hki_recorder_abandon(files);
  hki_recorder_free(files);
  if (st != HK_OK) return st;
  hki_stop_allow(r->ctx, true);
  st = solve(r, opt, load);
  hki_stop_allow(r->ctx, false);
  return st;
}

hk_status hk_statics_find(hk_model *m, const hk_statics_options *from, hk_statics **out) {
  hk_statics_options opt;
  if (out) *out = NULL;
  if (!hki_is(m, HK_MARK_MODEL)) return hki_misuse(NULL, "hk_statics_find", "no model");
  if (!out) return hki_misuse(m->ctx, "hk_statics_find", "no place for what is found");
  hk_status st = read_options(m->ctx, from, &opt);
  if (st != HK_OK) return st;
  hk_statics *r = hki_alloc(m->ctx, sizeof *r);
  if (!r) return HK_E_MEMORY;
  *r = (hk_statics){.mark = HK_MARK_STATICS, .ctx = m->ctx};
  r->pool = hki_pool_create(r->ctx);
  st = r->pool ? begin(m, &opt, &r->s) : HK_E_MEMORY;
  if (st == HK_OK) st = run(r, &opt);
  if (st != HK_OK && r->n == 0)
    hk_statics_free(r);
  else
    *out = r;
  return st;
}

void hk_statics_free(hk_statics *r) {
  if (!hki_is(r, HK_MARK_STATICS)) return;
  hk_ctx *ctx = r->ctx;
  hk_sim_destroy(r->s);
  hki_free(ctx, r->point);
  if (r->pool) hki_pool_destroy(r->pool);
  r->mark = 0;
  hki_free(ctx, r);
}

/* --- questions -------------------------------------------------------------------------------- */

int32_t hk_statics_count(const hk_statics *r) { return hki_is(r, HK_MARK_STATICS) ? r->n : 0; }

hk_status hk_statics_point(const hk_statics *r, int32_t i, hk_static_point *out) {
  if (!hki_is(r, HK_MARK_STATICS)) return HK_E_USAGE;
  if (i < 0 || i >= r->n || !out || out->size < offsetof(hk_static_point, softest))
    return hki_misuse(r->ctx, "hk_statics_point", "no such point, or no place for it");
  const hk_equilibrium_point *at = &r->point[i].at;
  hk_static_point p = {.size = out->size,
                       .load = at->load,
                       .limit = at->limit,
                       .residual = at->residual,
                       .softest = at->softest,
                       .bifurcation = at->branches};
  p.stable = at->branches ? -1 : at->softest > 0.0 ? 1 : at->softest < 0.0 ? 0 : -1;
  memcpy(out, &p, out->size < sizeof p ? out->size : sizeof p);
  return HK_OK;
}

const double *hk_statics_values(const hk_statics *r, int32_t i) {
  return i >= 0 && i < hk_statics_count(r) ? r->point[i].values : NULL;
}

const char *hk_statics_channel(const hk_statics *r, int32_t i) {
  if (!hki_is(r, HK_MARK_STATICS)) return NULL;
  const int32_t k = i - hk_sim_channel_count(r->s);
  return k >= 0 && k < r->nslopes ? r->slopes[k].name : hk_sim_channel_name(r->s, i);
}

const char *hk_statics_formulation(const hk_statics *r) {
  return hki_is(r, HK_MARK_STATICS) ? r->s->fe->ops->name : "";
}
