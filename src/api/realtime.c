/* SPDX-License-Identifier: Apache-2.0
 *
 * realtime.c: a whole run in real time, with its files.
 */
#include <math.h>
#include <stdio.h>

#include "scene/recorder.h"
#include "simulation/realtime.h"
#include "simulation/streams.h"

static const hk_realtime_options defaults = {.size = sizeof defaults, .cpu = -1, .priority = 80};

void hk_realtime_options_init(hk_realtime_options *opt, uint32_t size) {
  hki_options_init(opt, size, &defaults, sizeof defaults);
}

static bool is_word(int32_t x, int32_t most) { return x >= 0 && x <= most; }

static hk_status read_options(hk_ctx *ctx, const hk_realtime_options *from,
                              hk_realtime_options *opt) {
  *opt = defaults;
  hk_status st = hki_options_read(ctx, HK_OPTIONS(hk_realtime_options, run), opt, from);
  if (st != HK_OK) return st;
  if (!(opt->period >= 0.0) || !isfinite(opt->period) || opt->period > 1e6)
    return hki_misuse(ctx, "hk_realtime_options",
                      "the period must be a positive number of seconds");
  if (opt->iterations < -1 || opt->iterations > 1000)
    return hki_misuse(ctx, "hk_realtime_options", "iterations must be -1 to 1000");
  if (!is_word(opt->pace, HK_PACE_IO) || !is_word(opt->overrun, HK_OVERRUN_STOP) ||
      !is_word(opt->schedule, HK_SCHEDULE_DEADLINE))
    return hki_misuse(ctx, "hk_realtime_options", "no such pace, overrun or schedule");
  if (opt->priority < 1 || opt->priority > 99)
    return hki_misuse(ctx, "hk_realtime_options", "the priority must be 1 to 99");
  if (opt->cpu < -1 || opt->cpu > 4095)
    return hki_misuse(ctx, "hk_realtime_options", "no such processor");
  return HK_OK;
}

/* The methods of the run: the period is the step where nobody names one, and steps take so many
 * iterations. more: room for one more option than the caller has given. */
static void adapt(const hk_realtime_options *opt, hk_sim_options *sim, hk_option *more,
                  char *number, size_t cap) {
  if (opt->period > 0.0 && !(sim->step > 0.0)) sim->step = opt->period;
  if (!opt->iterations) return;
  for (int32_t i = 0; i < sim->noptions; i++) more[i] = sim->options[i];
  snprintf(number, cap, "%d", opt->iterations > 0 ? (int)opt->iterations : 0);
  more[sim->noptions] = (hk_option){"fixed_iterations", number};
  sim->options = more, sim->noptions++;
}

static hk_status run(hk_model *m, const hk_realtime_options *opt, const hk_run_options *files,
                     const hk_sim_options *sim, hk_sim **out) {
  hk_sim *s = NULL;
  hk_recorder *recorder = NULL;
  hk_status st = hk_sim_create_in(m->ctx, m, sim, &s);
  if (st != HK_OK) return st;
  st = hki_sim_join_peers(s, files);
  if (st == HK_OK) st = hki_recorder_open(s, files, &recorder);
  if (st == HK_OK) {
    st = hki_realtime_loop(s, opt, files, hki_recorder_output(recorder));
    if (st < 0 && (st != HK_E_FILE || hki_peers_failed(s)) && st != HK_E_USAGE)
      hki_error(m->ctx, st, HK_LOC_NONE, s->advice, "the simulation failed: %s", s->message);
  }
  if (st != HK_OK && !s->realtime) {
    hki_recorder_abandon(recorder);
    hki_recorder_free(recorder);
    hk_sim_destroy(s);
    return st;
  }
  hki_sim_tell_impulses(s);
  hki_sim_tell_end(s);
  hk_status closed = hki_recorder_close(recorder);
  if (closed != HK_OK && st >= 0) st = s->status = closed;
  hki_recorder_free(recorder);
  *out = s;
  return st;
}

hk_status hk_realtime(hk_model *m, const hk_realtime_options *from, hk_sim **out) {
  hk_realtime_options opt;
  char number[16];
  if (out) *out = NULL;
  if (!hki_is(m, HK_MARK_MODEL)) return hki_misuse(NULL, "hk_realtime", "no model");
  if (!out) return hki_misuse(m->ctx, "hk_realtime", "no place for the simulation");
  hk_status st = read_options(m->ctx, from, &opt);
  if (st != HK_OK) return st;
  hk_run_options files = hk_run_options_def();
  hk_sim_options sim = hk_sim_options_def();
  if (opt.run) {
    st = hki_options_read(m->ctx, HK_OPTIONS(hk_run_options, output), &files, opt.run);
    if (st == HK_OK && files.sim)
      st = hki_options_read(m->ctx, HK_OPTIONS(hk_sim_options, integrator), &sim, files.sim);
    if (st != HK_OK) return st;
  }
  if (sim.noptions < 0 || (sim.noptions && !sim.options))
    return hki_misuse(m->ctx, "hk_realtime", "the list of options does not fit its count");
  if (files.checkpoint || files.resume)
    return hki_misuse(m->ctx, "hk_realtime", "there are no checkpoints in real time");
  hk_option *more = hki_alloc(m->ctx, ((size_t)sim.noptions + 1) * sizeof *more);
  if (!more) return HK_E_MEMORY;
  adapt(&opt, &sim, more, number, sizeof number);
  hki_stop_on(m->ctx, files.interrupt);
  st = run(m, &opt, &files, &sim, out);
  hki_stop_on(m->ctx, NULL);
  hki_free(m->ctx, more);
  return st;
}
