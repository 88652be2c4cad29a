/* SPDX-License-Identifier: Apache-2.0
 *
 * runner.c: the loop of a whole run.
 */
#include <math.h>
#include <stdio.h>

#include "simulation/runner.h"
#include "simulation/stepper.h"

typedef struct runner {
  hk_sim *s;
  const hk_run_options *opt;
  hk_output *out;                   /* NULL: nothing is recorded */
  double next_row, next_checkpoint; /* model time at which they are due, s */
  double wall0, last_progress, t0;  /* wall clock at the start and at the last progress; model
                                          time at the start */
  double saving;                    /* wall-clock seconds that checkpoints took */
} runner;

/* writes a row if one is due, or always */
static hk_status write_row(runner *r, bool always) {
  double t = hk_sim_time(r->s);
  if (!r->out || (!always && t < r->next_row - 1e-9 * r->s->step)) return HK_OK;
  while (r->opt->output_every > 0.0 && r->next_row <= t + 1e-9 * r->s->step)
    r->next_row += r->opt->output_every;
  hk_status st = hk_sim_values(r->s, r->out->values);
  return st == HK_OK ? r->out->row(r->out, t, r->out->values) : st;
}

static bool frame_is_due(const runner *r, double t) {
  return r->out && r->out->frame && r->out->frame_due(r->out, t);
}

/* writes a frame of the animation if one is due, or always */
static hk_status write_frame(runner *r, bool always) {
  double t = hk_sim_time(r->s);
  if (!r->out || !r->out->frame || (!always && !frame_is_due(r, t))) return HK_OK;
  hk_status st = hki_sim_show_now(r->s);
  return st == HK_OK ? r->out->frame(r->out, t) : st;
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

/* is a row, a frame, a checkpoint or an interruption due after this step? */
static bool is_due(const runner *r) {
  const hk_run_options *o = r->opt;
  const double t = hk_sim_time(r->s), near = 1e-9 * r->s->step;
  return (r->out && (o->output_every <= 0.0 || t >= r->next_row - near)) || frame_is_due(r, t) ||
         (o->interrupt && *o->interrupt) ||
         (o->checkpoint && o->checkpoint_every > 0.0 && t >= r->next_checkpoint - near);
}

/* Time spent stepping, without output. Reading the CPU clock costs 5 % of a small step, the wall
 * clock 0.5 %. So the CPU clock is read every 10 ms, and the share of output in that period is
 * estimated from the wall clock at one step in up to 15 (odd, since frames may fall on every second
 * step). Slow file operations report their own time (hk_output.busy). */
typedef struct meter {
  double cpu, wall;    /* clocks at the beginning of the period, s */
  double busy;         /* files_busy at the beginning of the period */
  double light;        /* wall-clock time of rows and frames in the period, without files */
  double looked;       /* when the wall clock was last read */
  int32_t steps, rows; /* since the wall clock was last read: steps, outputs not timed */
  int32_t every;       /* the wall clock is read every so many steps */
} meter;

static const double period = 0.01; /* seconds */
enum { LOOK_MOST = 15 };           /* largest `every` */

/* wall-clock seconds that files and checkpoints took so far */
static double files_busy(const runner *r) {
  return r->saving + (r->out ? r->out->busy(r->out) : 0.0);
}

static void meter_begin(meter *m, const runner *r) {
  m->cpu = hki_cpu_seconds();
  m->wall = m->looked = hki_wall_seconds();
  m->busy = files_busy(r);
  m->light = 0.0;
}

/* adds the share of stepping in the period to s->cpu and begins the next */
static void meter_end(meter *m, runner *r) {
  const double cpu = m->cpu, wall = m->wall, other = m->light + files_busy(r) - m->busy;
  meter_begin(m, r);
  if (m->wall > wall) r->s->cpu += (m->cpu - cpu) * fmax(0.0, 1.0 - other / (m->wall - wall));
}

/* steps until some output is due, or the clock is to be read */
static hk_status march(runner *r, meter *m) {
  hk_sim *s = r->s;
  hk_status st = HK_OK;
  do {
    st = hki_sim_advance(s);
    m->steps++;
  } while (st == HK_OK && !hk_sim_done(s) && !is_due(r) && m->steps < m->every);
  return st;
}

/* between two steps: row, frame, checkpoint, progress, interruption */
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

/* the same, timed. Its time counts also for the outputs since the clock was last read. */
static hk_status between_by_clock(runner *r, meter *m) {
  const double from = hki_wall_seconds(), busy = files_busy(r);
  hk_status st = between(r);
  const double to = hki_wall_seconds();
  m->light += (m->rows + 1) * fmax(0.0, to - from - (files_busy(r) - busy));
  // short steps: read the clock more rarely
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
  if (s->stepper) hki_stepper_show(s);
  meter_end(&m, r);
  s->status = st;
  if (st < 0 && !s->message[0]) snprintf(s->message, sizeof s->message, "%s", hk_status_text(st));
  return st;
}

/* first times of rows and checkpoints after the present one */
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

hk_status hki_run_loop(hk_sim *s, const hk_run_options *opt, hk_output *out, bool first_row) {
  runner r = {.s = s, .opt = opt, .out = out};
  if (out) hki_kin_keep_forces(s->kin); // rows and frames reuse those of the energy audit
  set_grids(&r);
  hk_status st = first_row ? write_row(&r, true) : HK_OK;
  if (st == HK_OK) st = write_frame(&r, true);
  return st == HK_OK ? loop(&r) : st;
}
