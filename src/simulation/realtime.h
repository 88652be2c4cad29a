/* SPDX-License-Identifier: Apache-2.0
 *
 * realtime.h: the loop of a run that keeps step with the clock (hooke/realtime.h).
 */
#ifndef HK_SIMULATION_REALTIME_H
#define HK_SIMULATION_REALTIME_H

#include "base/realtime.h"
#include "hooke/realtime.h"
#include "simulation/peer.h"
#include "simulation/runner.h"

/* what is counted; lives in the pool of the simulation */
typedef struct hk_realtime_count {
  int64_t periods, missed, skipped, lost, faults;
  double period; /* s */
  int32_t pace, overrun;
  hk_rt_wish had;
  hk_histogram wake, step, wait;
} hk_realtime_count;

/* Runs s to its end, by opt; out: NULL when nothing is recorded. s->realtime has the statistics. */
hk_status hki_realtime_loop(hk_sim *s, const hk_realtime_options *opt, const hk_run_options *run,
                            hk_output *out);
/* `, "periods": .., "wake_us": {..}, ..` of the run's JSON */
void hki_realtime_json(const hk_sim *s, hk_text *t);

#endif
