/* SPDX-License-Identifier: Apache-2.0
 *
 * start_state.h: the assembled state in words: what was named, what has moved, and why.
 */
#ifndef HK_ANALYSES_START_STATE_H
#define HK_ANALYSES_START_STATE_H

#include "analyses/assembly.h"
#include "hooke/model.h"

/* Coordinates and rates of joints, and of bodies that no joint binds, that are named, have left the
 * drawing or are not at rest: list (n), in the pool of `as`, which hki_assemble has filled; others:
 * how many are as drawn and at rest. s->kin is left at the assembled state. */
hk_status hki_start_state(hk_tree *s, const hk_assembly *as, const hk_check_value **list,
                          int32_t *n, int32_t *others);

#endif
