/* SPDX-License-Identifier: Apache-2.0
 *
 * run.c: a whole run with result file, checkpoints, progress and interruption.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "hooke/result.h"
#include "io/geometry.h"
#include "io/model_reader.h"
#include "io/results.h"
#include "simulation/simulation.h"
#include "simulation/sink.h"

hk_run_options hk_run_options_def(void) { return (hk_run_options){.size = sizeof(hk_run_options)}; }

typedef struct runner {
  hk_sim *s;
  const hk_run_options *opt;
  hk_sink *sink[2]; /* the results, and what the report is made from when they are no .nc */
  char report_dir[200], report_data[270];
  hk_scene *scene; /* NULL when no file has room for it */
  double *values;
  double next_row, next_checkpoint;
  double wall0, last_progress, t0;
  double saving; /* seconds on the wall that checkpoints took */
} runner;

/* the report needs a result file with everything in it: the output itself, or one of its own */
static hk_status report_file(runner *r) {
  const char *out = r->opt->output, *dot = out ? strrchr(out, '.') : NULL;
  if (!r->opt->report || (dot && strcasecmp(dot, ".nc") == 0)) return HK_OK;
  const char *tmp = getenv("TMPDIR");
  int n = snprintf(r->report_dir, sizeof r->report_dir, "%s/hooke-report-XXXXXX",
                   tmp && *tmp ? tmp : "/tmp");
  if (n >= (int)sizeof r->report_dir || !mkdtemp(r->report_dir)) {
    r->report_dir[0] = '\0';
    return hki_error(r->s->ctx, HK_E_FILE, HK_LOC_NONE, NULL,
                     "cannot make a temporary directory for the report");
  }
  // the page calls a run by its file's name: that of the model
  const char *path = r->s->m->spec->path, *slash = strrchr(path, '/'),
             *stem = slash ? slash + 1 : path;
  int length = (int)strcspn(stem, ".");
  snprintf(r->report_data, sizeof r->report_data, "%s/%.*s.nc", r->report_dir,
           length && length < 60 ? length : 6, length && length < 60 ? stem : "report");
  return HK_OK;
}

static hk_status open_sinks(runner *r, hk_results_meta *meta) {
  hk_sim *s = r->s;
  hk_status st = report_file(r);
  s->kin->keep = true; // forces are evaluated for the audit: rows and frames want them too
  r->scene = hki_scene_create(s);
  if (st == HK_OK && !r->scene) st = HK_E_MEMORY;
  if (st != HK_OK) return st;
  hki_scene_meta(r->scene, meta);
  if (r->opt->output) st = hki_results_open(s->ctx, r->opt->output, meta, &r->sink[0]);
  if (st == HK_OK && r->report_data[0]) {
    st = hki_results_open(s->ctx, r->report_data, meta, &r->sink[1]);
  }
  if (!hki_results_has_frames(r->sink[0]) && !hki_results_has_frames(r->sink[1])) {
    hki_scene_destroy(r->scene);
    r->scene = NULL;
  }
  return st;
}

/* about how many rows will come */
static int64_t expected_rows(const runner *r) {
  double every = r->opt->output_every > r->s->step ? r->opt->output_every : r->s->step;
  double rows = (r->s->end - hk_sim_time(r->s)) / every + 2.0;
  return rows > 0.0 && rows < 1e15 ? (int64_t)rows : 0;
}

static hk_status open_results(runner *r) {
  hk_sim *s = r->s;
  const hk_spec *spec = s->m->spec;
  if (!r->opt->output && !r->opt->report) return HK_OK;
  if (r->opt->report) {
    hk_status can = hk_report_check(s->ctx, r->opt->report);
    if (can != HK_OK) return can;
  }
  hk_results_channel *ch = hki_alloc(s->ctx, (size_t)(s->nchannels + 1) * sizeof *ch);
  r->values = hki_alloc(s->ctx, (size_t)(s->nchannels + 1) * sizeof *r->values);
  if (!ch || !r->values) {
    hki_free(s->ctx, ch);
    return HK_E_MEMORY;
  }
  for (int32_t i = 0; i < s->nchannels; i++)
    ch[i] = (hk_results_channel){s->channel_name[i], s->channel_unit[i], s->channel_text[i]};
  hk_text files, settings;
  hki_text_init(&files, s->ctx);
  hki_text_init(&settings, s->ctx);
  hki_model_files(spec, &files);
  hki_sim_settings(s, &settings);
  hk_results_meta meta = {.title = spec->title,
                          .model_path = spec->path,
                          .model_text = spec->text,
                          .model_files = files.s,
                          .settings = settings.s,
                          .command = r->opt->command,
                          .formulation = s->fe->ops->name,
                          .integrator = s->I.ops->name,
                          .step = s->step,
                          .time = s->end,
                          .nchannels = s->nchannels,
                          .channels = ch,
                          .rows = expected_rows(r),
                          .compress = r->opt->compress};
  hk_status st = open_sinks(r, &meta);
  hki_text_free(&files);
  hki_text_free(&settings);
  hki_free(s->ctx, ch);
  return st;
}

/* a row when its time has come */
static hk_status write_row(runner *r, bool always) {
  double t = hk_sim_time(r->s);
  if (!r->values || (!always && t < r->next_row - 1e-9 * r->s->step)) return HK_OK;
  while (r->opt->output_every > 0.0 && r->next_row <= t + 1e-9 * r->s->step)
    r->next_row += r->opt->output_every;
  hk_status st = hk_sim_values(r->s, r->values);
  for (int i = 0; i < 2 && st == HK_OK; i++)
    if (r->sink[i]) st = r->sink[i]->row(r->sink[i], t, r->values);
  return st;
}

/* a frame of the animation when it is due */
static hk_status write_frame(runner *r, bool always) {
  hk_status st = HK_OK;
  double t = hk_sim_time(r->s);
  if (!r->scene || (!always && !hki_scene_due(r->scene, r->s, t))) return HK_OK;
  if ((st = hki_sim_show(r->s)) != HK_OK) return st;
  const float *values = hki_scene_frame(r->scene, r->s, t);
  for (int i = 0; i < 2 && st == HK_OK; i++)
    if (r->sink[i]) st = hki_results_frame(r->sink[i], t, values);
  return st;
}

static hk_status checkpoint(runner *r) {
  const hk_run_options *o = r->opt;
  if (!o->checkpoint || o->checkpoint_every <= 0.0) return HK_OK;
  if (hk_sim_time(r->s) < r->next_checkpoint - 1e-9 * r->s->step) return HK_OK;
  while (r->next_checkpoint <= hk_sim_time(r->s) + 1e-9 * r->s->step)
    r->next_checkpoint += o->checkpoint_every;
  const double from = hki_wall_seconds();
  hk_status st = hk_sim_save(r->s, o->checkpoint);
  r->saving += hki_wall_seconds() - from;
  return st;
}

static void progress(runner *r) {
  if (!r->opt->progress) return;
  double now = hki_wall_seconds();
  if (now - r->last_progress < 0.2) return;
  r->last_progress = now;
  double t = hk_sim_time(r->s), gone = t - r->t0, wall = now - r->wall0;
  hk_progress p = {t, r->s->end, wall > 0.0 ? gone / wall : 0.0,
                   gone > 0.0 ? wall * (r->s->end - t) / gone : 0.0, r->s->steps};
  r->opt->progress(&p, r->opt->user);
}

/* is there something to do between two steps */
static bool is_due(const runner *r) {
  const hk_run_options *o = r->opt;
  const double t = hk_sim_time(r->s), near = 1e-9 * r->s->step;
  return (r->values && (o->output_every <= 0.0 || t >= r->next_row - near)) ||
         (r->scene && hki_scene_due(r->scene, r->s, t)) || (o->interrupt && *o->interrupt) ||
         (o->checkpoint && o->checkpoint_every > 0.0 && t >= r->next_checkpoint - near);
}

/* CPU time of the marching alone. Clocks cost: that of the processor a twentieth of a small step,
 * that on the wall half a per cent. The first is asked about every 10 ms. The second tells which
 * part of such a period went into rows and frames: it looks at one of up to 15 steps, an odd number
 * because frames may come at every other; what takes long now and then, files say themselves. */
typedef struct meter {
  double cpu, wall; /* when the period began */
  double busy;      /* of the files until then */
  double light;     /* on the wall, of the period: rows and frames without files */
  double looked;    /* when the clock was last asked */
  int32_t steps, rows, every;
} meter;

static const double period = 0.01; /* seconds */
enum { LOOK_MOST = 15 };

static double files_busy(const runner *r) {
  double busy = r->saving;
  for (int i = 0; i < 2; i++)
    if (r->sink[i]) busy += r->sink[i]->busy;
  return busy;
}

static void meter_begin(meter *m, const runner *r) {
  m->cpu = hki_cpu_seconds();
  m->wall = m->looked = hki_wall_seconds();
  m->busy = files_busy(r);
  m->light = 0.0;
}

static void meter_end(meter *m, runner *r) {
  const double cpu = m->cpu, wall = m->wall, other = m->light + files_busy(r) - m->busy;
  meter_begin(m, r);
  if (m->wall > wall) r->s->cpu += (m->cpu - cpu) * fmax(0.0, 1.0 - other / (m->wall - wall));
}

/* steps until something is due, or it is time to look at the clock */
static hk_status march(runner *r, meter *m) {
  hk_sim *s = r->s;
  hk_status st = HK_OK;
  do {
    st = hki_sim_advance(s);
    m->steps++;
  } while (st == HK_OK && !hk_sim_done(s) && !is_due(r) && m->steps < m->every);
  return st;
}

/* what is to be done between two steps */
static hk_status between(runner *r) {
  hk_sim *s = r->s;
  hk_status st = write_row(r, r->opt->output_every <= 0.0 || hk_sim_done(s));
  if (st == HK_OK) st = write_frame(r, hk_sim_done(s));
  if (st == HK_OK) st = checkpoint(r);
  if (st == HK_OK) progress(r);
  if (st == HK_OK && r->opt->interrupt && *r->opt->interrupt && !hk_sim_done(s)) {
    snprintf(s->message, sizeof s->message, "interrupted at t = %.9g s", hk_sim_time(s));
    st = HK_INTERRUPTED;
  }
  return st;
}

/* the same by the clock, for all that were done since it was last looked at */
static hk_status between_by_clock(runner *r, meter *m) {
  const double from = hki_wall_seconds(), busy = files_busy(r);
  hk_status st = between(r);
  const double to = hki_wall_seconds();
  m->light += (m->rows + 1) * fmax(0.0, to - from - (files_busy(r) - busy));
  // seldom where steps are short
  m->every = to - m->looked < 1e-3 ? 2 * m->every + 1 : m->every / 2;
  m->every = m->every > LOOK_MOST ? LOOK_MOST : m->every < 1 ? 1 : m->every;
  m->looked = to;
  m->rows = m->steps = 0;
  if (to >= m->wall + period) meter_end(m, r);
  return st;
}

static hk_status loop(runner *r) {
  hk_sim *s = r->s;
  hk_status st = s->status;
  meter m = {.every = 1};
  meter_begin(&m, r);
  while (st == HK_OK && !hk_sim_done(s)) {
    st = march(r, &m);
    if (st != HK_OK) break;
    if (m.steps >= m.every) {
      st = between_by_clock(r, &m);
    } else {
      st = between(r);
      m.rows++;
    }
  }
  meter_end(&m, r);
  s->status = st;
  if (st < 0 && !s->message[0]) snprintf(s->message, sizeof s->message, "%s", hk_status_text(st));
  return st;
}

/* put the files in place */
static hk_status close_results(runner *r) {
  hk_status st = HK_OK;
  for (int i = 0; i < 2; i++) {
    if (!r->sink[i]) continue;
    hk_status scene = r->scene ? hki_scene_finish(r->scene, r->s, r->sink[i]) : HK_OK;
    hk_status closed = r->sink[i]->close(r->sink[i], hk_sim_json(r->s));
    if (st == HK_OK) st = closed != HK_OK ? closed : scene;
  }
  return st;
}

static hk_status write_report(runner *r) {
  const char *data = r->report_data[0] ? r->report_data : r->opt->output;
  hk_ctx *ctx = r->s->ctx;
  hk_result *result = NULL;
  hk_report_options opt = hk_report_options_def();
  hk_status st = hk_result_open(ctx, data, &result);
  if (st == HK_OK) st = hk_report_write(ctx, &result, 1, r->opt->report, &opt);
  hk_result_close(result);
  return st;
}

static void runner_free(runner *r) {
  if (r->report_data[0]) remove(r->report_data);
  if (r->report_dir[0]) rmdir(r->report_dir);
  hki_scene_destroy(r->scene);
  hki_free(r->s->ctx, r->values);
}

static void set_grids(runner *r) {
  const hk_run_options *opt = r->opt;
  r->t0 = hk_sim_time(r->s);
  r->next_row = opt->output_every > 0.0
                    ? (floor(r->t0 / opt->output_every + 1e-9) + 1.0) * opt->output_every
                    : 0.0;
  if (opt->checkpoint_every > 0.0)
    r->next_checkpoint =
        (floor(r->t0 / opt->checkpoint_every + 1e-9) + 1.0) * opt->checkpoint_every;
  r->wall0 = r->last_progress = hki_wall_seconds();
}

hk_status hk_run(hk_model *m, const hk_run_options *opt, hk_sim **out) {
  runner r = {.opt = opt};
  hk_status st = hk_sim_create(m, opt->sim, &r.s);
  *out = NULL;
  if (st != HK_OK) return st;
  if (opt->resume) st = hk_sim_load(r.s, opt->resume);
  if (st == HK_OK) st = open_results(&r);
  if (st != HK_OK) {
    for (int i = 0; i < 2; i++) hki_results_abandon(r.sink[i]);
    runner_free(&r);
    hk_sim_destroy(r.s);
    return st;
  }
  set_grids(&r);
  // the first row; a resumed run has it already
  if (!opt->resume) st = write_row(&r, true);
  if (st == HK_OK) st = write_frame(&r, true);
  if (st == HK_OK) st = loop(&r);
  if (st < 0 && st != HK_E_FILE)
    hki_error(m->ctx, st, HK_LOC_NONE, st == HK_E_DIVERGED ? "try a smaller --step" : NULL,
              "the simulation failed: %s", r.s->message);
  // the last state is worth a checkpoint too
  if (opt->checkpoint && st >= 0) {
    hk_status saved = hk_sim_save(r.s, opt->checkpoint);
    if (saved != HK_OK) st = r.s->status = saved;
  }
  hk_status closed = close_results(&r);
  if (closed == HK_OK && opt->report) closed = write_report(&r);
  if (closed != HK_OK && st >= 0) st = r.s->status = closed;
  runner_free(&r);
  *out = r.s;
  return st;
}
