/* SPDX-License-Identifier: Apache-2.0
 *
 * join.h: a resumed run that writes into the result of the run before it: what that one recorded up
 * to the checkpoint is kept, and the new rows follow.
 */
#ifndef HK_SCENE_JOIN_H
#define HK_SCENE_JOIN_H

#include "hooke/result.h"
#include "scene/scene.h"

typedef struct hk_join {
  hk_result *old;       /* NULL: there is no file, or the run is not a resumed one */
  int64_t rows, frames; /* of it, to be kept */
} hk_join;

/* Opens the result that opt->output names, if it is there and the run is resumed. It is refused
 * with a message when it is of another model, method or set of channels, or ends before the present
 * time. */
hk_status hki_join_open(hk_join *j, const hk_sim *s, const hk_run_options *opt,
                        const hk_results_meta *meta);
/* what is kept, into the files that are there; scene: NULL when none takes frames */
hk_status hki_join_copy(const hk_join *j, hk_ctx *ctx, hk_results *const file[2], hk_scene *scene);
void hki_join_close(hk_join *j);

#endif
