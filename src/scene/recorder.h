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

/* What is recorded where it is not a run over time: "statics", what stands in the place of time, and columns behind
 * the channels. */
typedef struct hk_recording {
  const char *analysis;         /* "statics over P" */
  const char *axis, *axis_unit; /* "P", "" */
  int32_t nmore;
  const hk_results_channel *more; /* nmore */
  int64_t rows;
} hk_recording;

/* Opens the files that opt names (output, report); *out is NULL when it names none. Errors that can
 * be known before the first step are reported here. */
hk_status hki_recorder_open(hk_sim *s, const hk_run_options *opt, hk_recorder **out);
hk_status hki_recorder_open_as(hk_sim *s, const hk_run_options *opt, const hk_recording *as,
                               hk_recorder **out);
hk_output *hki_recorder_output(hk_recorder *r);
/* writes summary and scene, puts the files into place, writes the report; NULL is allowed */
hk_status hki_recorder_close(hk_recorder *r);
/* nothing was found that is worth a file: those that are there stay; NULL is allowed */
void hki_recorder_abandon(hk_recorder *r);
void hki_recorder_free(hk_recorder *r);

#endif
