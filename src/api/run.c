/* SPDX-License-Identifier: Apache-2.0
 *
 * run.c: a whole run with result file, checkpoints, progress and interruption.
 */
#include "hooke/code.h"
#include "scene/recorder.h"
#include "simulation/streams.h"

static const hk_run_options defaults = {.size = sizeof defaults};

void hk_run_options_init(hk_run_options *opt, uint32_t size) {
  hki_options_init(opt, size, &defaults, sizeof defaults);
}

static bool is_interval(double x) { return x >= 0.0 && isfinite(x); }

/* copies the caller's options, whose struct may be of an older or newer version, and checks them */
static hk_status read_options(hk_ctx *ctx, const hk_run_options *from, hk_run_options *opt) {
  *opt = defaults;
  hk_status st = hki_options_read(ctx, HK_OPTIONS(hk_run_options, output), opt, from);
  if (st != HK_OK) return st;
  if (!is_interval(opt->output_every) || !is_interval(opt->checkpoint_every))
    return hki_misuse(ctx, "hk_run_options",
                      "the time between rows or checkpoints must be a "
                      "number of seconds, not negative");
  if (opt->compile < 0 || opt->compile > 1)
    return hki_misuse(ctx, "hk_run_options", "compile must be 0 or 1");
  if (!is_interval(opt->compile_limit))
    return hki_misuse(ctx, "hk_run_options",
                      "the limit of the compiler must be a number of seconds, or 0");
  if (opt->compress < 0 || opt->compress > 9)
    return hki_misuse(ctx, "hk_run_options", "compress must be 0 to 9");
  return HK_OK;
}

/* Intervals of rows and checkpoints far shorter than a step mean "every step"; they are enlarged so
 * that the run loop need not count through them. */
static void coarsen(hk_run_options *opt, double step) {
  if (opt->output_every < 1e-3 * step) opt->output_every = 0.0;
  if (opt->checkpoint_every > 0.0) opt->checkpoint_every = fmax(opt->checkpoint_every, 1e-3 * step);
}

static hk_status run(hk_ctx *ctx, hk_model *m, hk_run_options *opt, hk_sim **out) {
  hk_sim *s = NULL;
  hk_recorder *files = NULL;
  hk_status st = hk_sim_create_in(ctx, m, opt->sim, &s);
  if (st != HK_OK) return st;
  coarsen(opt, s->step);
  if (opt->resume) st = hk_sim_load(s, opt->resume);
  if (st == HK_OK) st = hki_sim_join_peers(s, opt);
  if (st == HK_OK && opt->compile) st = hk_sim_compile(s, opt->compile_limit);
  static const hk_recording kinematics = {.analysis = "kinematics"};
  if (st == HK_OK)
    st = hki_recorder_open_as(s, opt, s->given.kinematics ? &kinematics : NULL, &files);
  if (st != HK_OK) {
    hk_sim_destroy(s);
    return st;
  }
  st = hki_run_loop(s, opt, hki_recorder_output(files), !opt->resume);
  if (st < 0 && (st != HK_E_FILE || hki_peers_failed(s)))
    hki_error(ctx, st, HK_LOC_NONE,
              s->advice             ? s->advice
              : st == HK_E_DIVERGED ? "try a smaller --step"
                                    : NULL,
              "the simulation failed: %s", s->message);
  hki_sim_tell_impulses(s);
  hki_sim_tell_impacts(s);
  hki_sim_tell_end(s);
  // a checkpoint of the last state
  if (opt->checkpoint && st >= 0) {
    hk_status saved = hk_sim_save(s, opt->checkpoint);
    if (saved != HK_OK) st = s->status = saved;
  }
  hk_status closed = hki_recorder_close(files);
  if (closed != HK_OK && st >= 0) st = s->status = closed;
  hki_recorder_free(files);
  *out = s;
  return st;
}

static hk_status run_in(hk_ctx *ctx, hk_model *m, const hk_run_options *from, hk_sim **out) {
  hk_run_options own;
  hk_status st = read_options(ctx, from, &own);
  if (st != HK_OK) return st;
  hki_stop_on(ctx, own.interrupt);
  st = run(ctx, m, &own, out);
  hki_stop_on(ctx, NULL);
  return st;
}

hk_status hk_run(hk_model *m, const hk_run_options *from, hk_sim **out) {
  if (out) *out = NULL;
  if (!hki_is(m, HK_MARK_MODEL)) return hki_misuse(NULL, "hk_run", "no model");
  if (!out) return hki_misuse(m->ctx, "hk_run", "no place for the simulation");
  return run_in(m->ctx, m, from, out);
}

hk_status hk_run_in(hk_ctx *ctx, hk_model *m, const hk_run_options *from, hk_sim **out) {
  if (out) *out = NULL;
  if (ctx && !hki_is(ctx, HK_MARK_CTX)) return hki_misuse(NULL, "hk_run_in", "no context");
  if (!hki_is(m, HK_MARK_MODEL)) return hki_misuse(ctx, "hk_run_in", "no model");
  if (!out) return hki_misuse(ctx ? ctx : m->ctx, "hk_run_in", "no place for the simulation");
  return run_in(ctx ? ctx : m->ctx, m, from, out);
}
