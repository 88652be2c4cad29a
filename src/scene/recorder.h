/* SPDX-License-Identifier: Apache-2.0
 *
 * recorder.h: the files of a run, as an output of the run loop.
 */
#ifndef HK_SCENE_RECORDER_H
#define HK_SCENE_RECORDER_H

#include "hooke/result.h"
#include "results/results.h"
#include "simulation/runner.h"

typedef struct hk_recorder hk_recorder;

/* Opens the files that opt names (output, report); *out is NULL when it names none. Errors that can
 * be known before the first step are reported here. */
hk_status hki_recorder_open(hk_sim *s, const hk_run_options *opt, hk_recorder **out);
/* the same with more channels behind those of the simulation */
hk_status hki_recorder_open_with(hk_sim *s, const hk_run_options *opt,
                                 const hk_results_channel *more, int32_t nmore, hk_recorder **out);
hk_output *hki_recorder_output(hk_recorder *r);
/* writes summary and scene, puts the files into place, writes the report; NULL is allowed */
hk_status hki_recorder_close(hk_recorder *r);
/* nothing was found that is worth a file: those that are there stay; NULL is allowed */
void hki_recorder_abandon(hk_recorder *r);
void hki_recorder_free(hk_recorder *r);

#endif
