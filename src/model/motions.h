/* SPDX-License-Identifier: Apache-2.0
 *
 * motions.h: what prescribed motions do in time.
 */
#ifndef HK_MODEL_MOTIONS_H
#define HK_MODEL_MOTIONS_H

#include "model/model.h"

/* Warns of every prescribed motion whose rate jumps between 0 and `end`: where it is written, when,
 * by how much, how often; *n: how many such motions there are. And of those that follow a monotone
 * table, whose acceleration jumps. HK_E_MEMORY or HK_OK. */
hk_status hki_warn_motions(hk_ctx *ctx, const hk_model *m, double end, int32_t *n);

#endif
