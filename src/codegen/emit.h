/* SPDX-License-Identifier: Apache-2.0
 *
 * emit.h: the body of a step as text in C.
 */
#ifndef HK_CODEGEN_EMIT_H
#define HK_CODEGEN_EMIT_H

#include "codegen/split.h"

/* the tables that a step chooses from */
void hki_emit_tables(const hk_plan *p, hk_text *out);
/* Writes the statements of a step: from the numbers x of the state to the same after it. alone: its branches are those of one world
 * (meet.h). */
void hki_emit_step(const hk_plan *p, bool alone, hk_text *out);
/* the statements of one warp of those that share a step */
void hki_emit_warp(const hk_plan *p, const hk_split *split, int32_t warp, hk_text *out);
/* the same for the outputs of a state */
void hki_emit_outputs(const hk_plan *p, bool alone, hk_text *out);

#endif
