/* SPDX-License-Identifier: Apache-2.0
 *
 * runner.h: the loop of a whole run: steps, rows, frames, checkpoints, progress, interruption.
 *
 * The loop knows nothing of files: it records through an hk_output, which the owner of the files
 * fills in (scene/recorder.c).
 */
#ifndef HK_SIMULATION_RUNNER_H
#define HK_SIMULATION_RUNNER_H

#include "simulation/simulation.h"

typedef struct hk_output hk_output;
struct hk_output {
  hk_sim *s;
  /* takes the values of the recorded channels at time t */
  hk_status (*row)(hk_output *self, double t, const double *values);
  double *values; /* buffer for one row: nchannels */
  /* is a frame of the animation due; takes a frame at the present state. Both NULL without
   * animation
   */
  bool (*frame_due)(const hk_output *self, double t);
  hk_status (*frame)(hk_output *self, double t);
  /* The same in two parts, which two threads may do: the numbers of a frame at the present state, *n of
   * them (t not a number: only how many), valid until the next call; and what writes them. */
  const float *(*look)(hk_output *self, double t, int32_t *n);
  hk_status (*put_frame)(hk_output *self, double t, const float *values);
  double (*busy)(const hk_output *self); /* wall-clock seconds spent in file operations so far */
};

/* Runs s to its end, to a failure or to an interruption. out: NULL when nothing is recorded.
 * first_row: write the row at the start (the file of a resumed run has it already). The status is
 * kept in s->status; s->message says why a run ended early. */
hk_status hki_run_loop(hk_sim *s, const hk_run_options *opt, hk_output *out, bool first_row);

#endif
