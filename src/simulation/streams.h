/* SPDX-License-Identifier: Apache-2.0
 *
 * streams.h: the streams of a model and tapes of inputs, as peers of its simulation.
 */
#ifndef HK_SIMULATION_STREAMS_H
#define HK_SIMULATION_STREAMS_H

#include "hooke/stream.h"
#include "simulation/peer.h"

/* `"streams": {..}, ` of the run's JSON */
void hki_streams_json(const hk_sim *s, hk_text *t);

/* does a step wait for another program? */
bool hki_streams_block(const hk_sim *s);

/* after their peers have been closed */
void hki_streams_free(hk_sim *s);

/* tapes (sim_tape.c): inputs into a file, when the simulation ends; from a file */
hk_status hki_tape_keep(hk_sim *s, const char *path);
hk_status hki_tape_replay(hk_sim *s, const char *path);
/* all that a run asks for: replay, streams, tape */
hk_status hki_sim_join_peers(hk_sim *s, const hk_run_options *run);

#endif
