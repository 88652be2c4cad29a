/* SPDX-License-Identifier: Apache-2.0
 *
 * locked.h: couplings that lock each other, in words. Internal to the room.
 */
#ifndef HK_ANALYSES_LOCKED_H
#define HK_ANALYSES_LOCKED_H

#include "analyses/doctor.h"

/* a finding for each set of couplings that hold coordinates still together, at the state last
 * evaluated in s->kin; list (n) and texts come from the pool */
hk_status hki_locked(hk_tree *s, hk_pool *pool, hk_finding **list, int32_t *n);

#endif
