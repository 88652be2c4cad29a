/* SPDX-License-Identifier: Apache-2.0
 *
 * run.c: a whole run with result file, checkpoints, progress and interruption.
 */
#include <stdio.h>

#include "io/results.h"
#include "simulation/simulation.h"
#include "simulation/sink.h"

hk_run_options hk_run_options_def(void) { return (hk_run_options){.size = sizeof(hk_run_options)}; }

typedef struct runner {
  hk_sim *s;
  const hk_run_options *opt;
  hk_sink *sink;
  double *values;
  double next_row, next_checkpoint;
  double wall0, last_progress, t0;
} runner;

static hk_status open_results(runner *r) {
  hk_sim *s = r->s;
  const hk_spec *spec = s->m->spec;
  if (!r->opt->output) return HK_OK;
  hk_results_channel *ch = hki_alloc(s->ctx, (size_t)(s->nchannels + 1) * sizeof *ch);
  r->values = hki_alloc(s->ctx, (size_t)(s->nchannels + 1) * sizeof *r->values);
  if (!ch || !r->values) {
    hki_free(s->ctx, ch);
    return HK_E_MEMORY;
  }
  for (int32_t i = 0; i < s->nchannels; i++)
    ch[i] = (hk_results_channel){s->channel_name[i], s->channel_unit[i], s->channel_text[i]};
  hk_results_meta meta = {.title = spec->title,
                          .model_path = spec->path,
                          .model_text = spec->text,
                          .command = r->opt->command,
                          .formulation = s->fe->ops->name,
                          .integrator = s->I.ops->name,
                          .step = s->step,
                          .time = s->end,
                          .nchannels = s->nchannels,
                          .channels = ch};
  hk_status st = hki_results_open(s->ctx, r->opt->output, &meta, &r->sink);
  hki_free(s->ctx, ch);
  return st;
}

/* a row when its time has come */
static hk_status write_row(runner *r, bool always) {
  double t = hk_sim_time(r->s);
  if (!r->sink || (!always && t < r->next_row - 1e-9 * r->s->step)) return HK_OK;
  while (r->opt->output_every > 0.0 && r->next_row <= t + 1e-9 * r->s->step)
    r->next_row += r->opt->output_every;
  hk_status st = hk_sim_values(r->s, r->values);
  return st == HK_OK ? r->sink->row(r->sink, t, r->values) : st;
}

static hk_status checkpoint(runner *r) {
  const hk_run_options *o = r->opt;
  if (!o->checkpoint || o->checkpoint_every <= 0.0) return HK_OK;
  if (hk_sim_time(r->s) < r->next_checkpoint - 1e-9 * r->s->step) return HK_OK;
  while (r->next_checkpoint <= hk_sim_time(r->s) + 1e-9 * r->s->step)
    r->next_checkpoint += o->checkpoint_every;
  return hk_sim_save(r->s, o->checkpoint);
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

static hk_status loop(runner *r) {
  hk_sim *s = r->s;
  hk_status st = HK_OK;
  while (st == HK_OK && !hk_sim_done(s)) {
    st = hk_sim_step(s);
    if (st != HK_OK) break;
    if ((st = write_row(r, r->opt->output_every <= 0.0 || hk_sim_done(s))) != HK_OK) break;
    if ((st = checkpoint(r)) != HK_OK) break;
    progress(r);
    if (r->opt->interrupt && *r->opt->interrupt && !hk_sim_done(s)) {
      snprintf(s->message, sizeof s->message, "interrupted at t = %.9g s", hk_sim_time(s));
      st = HK_INTERRUPTED;
    }
  }
  s->status = st;
  if (st < 0 && !s->message[0]) snprintf(s->message, sizeof s->message, "%s", hk_status_text(st));
  return st;
}

hk_status hk_run(hk_model *m, const hk_run_options *opt, hk_sim **out) {
  runner r = {.opt = opt};
  hk_status st = hk_sim_create(m, opt->sim, &r.s);
  *out = NULL;
  if (st != HK_OK) return st;
  if (opt->resume) st = hk_sim_load(r.s, opt->resume);
  if (st == HK_OK) st = open_results(&r);
  if (st != HK_OK) {
    hki_free(m->ctx, r.values);
    hk_sim_destroy(r.s);
    return st;
  }
  r.t0 = hk_sim_time(r.s);
  r.next_row = opt->output_every > 0.0
                   ? (floor(r.t0 / opt->output_every + 1e-9) + 1.0) * opt->output_every
                   : 0.0;
  if (opt->checkpoint_every > 0.0)
    r.next_checkpoint = (floor(r.t0 / opt->checkpoint_every + 1e-9) + 1.0) * opt->checkpoint_every;
  r.wall0 = r.last_progress = hki_wall_seconds();
  // the first row; a resumed run has it already
  if (!opt->resume) st = write_row(&r, true);
  if (st == HK_OK) st = loop(&r);
  if (st < 0 && st != HK_E_FILE)
    hki_error(m->ctx, st, HK_LOC_NONE, st == HK_E_DIVERGED ? "try a smaller --step" : NULL,
              "the simulation failed: %s", r.s->message);
  // the last state is worth a checkpoint too
  if (opt->checkpoint && st >= 0) {
    hk_status saved = hk_sim_save(r.s, opt->checkpoint);
    if (saved != HK_OK) st = r.s->status = saved;
  }
  if (r.sink) {
    hk_status closed = r.sink->close(r.sink, hk_sim_json(r.s));
    if (closed != HK_OK && st >= 0) st = r.s->status = closed;
  }
  hki_free(m->ctx, r.values);
  *out = r.s;
  return st;
}
