/* SPDX-License-Identifier: Apache-2.0
 *
 * run.c: a whole run with result file, checkpoints, progress and interruption.
 */
#include "scene/recorder.h"

hk_run_options hk_run_options_def(void) { return (hk_run_options){.size = sizeof(hk_run_options)}; }

hk_status hk_run(hk_model *m, const hk_run_options *opt, hk_sim **out) {
  hk_sim *s = NULL;
  hk_recorder *files = NULL;
  *out = NULL;
  hk_status st = hk_sim_create(m, opt->sim, &s);
  if (st != HK_OK) return st;
  if (opt->resume) st = hk_sim_load(s, opt->resume);
  if (st == HK_OK) st = hki_recorder_open(s, opt, &files);
  if (st != HK_OK) {
    hk_sim_destroy(s);
    return st;
  }
  st = hki_run_loop(s, opt, hki_recorder_output(files), !opt->resume);
  if (st < 0 && st != HK_E_FILE)
    hki_error(m->ctx, st, HK_LOC_NONE, st == HK_E_DIVERGED ? "try a smaller --step" : NULL,
              "the simulation failed: %s", s->message);
  // the last state is worth a checkpoint too
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
