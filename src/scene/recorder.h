/* SPDX-License-Identifier: Apache-2.0
 *
 * recorder.h: the files of a run, as an output of the run loop.
 */
#ifndef HK_SCENE_RECORDER_H
#define HK_SCENE_RECORDER_H

#include "hooke/result.h"
#include "simulation/runner.h"

typedef struct hk_recorder hk_recorder;

/* opens what opt asks for (output, report); *out is NULL when it asks for nothing. Everything that
 * can be known to fail fails here, before the first step */
hk_status hki_recorder_open(hk_sim *s, const hk_run_options *opt, hk_recorder **out);
hk_output *hki_recorder_output(hk_recorder *r);
/* summary and scene into the files, the files into place, the report; NULL is allowed */
hk_status hki_recorder_close(hk_recorder *r);
void hki_recorder_free(hk_recorder *r);

#endif
