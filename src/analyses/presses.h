/* SPDX-License-Identifier: Apache-2.0
 *
 * presses.h: friction that nothing presses. Internal to the room.
 */
#ifndef HK_ANALYSES_PRESSES_H
#define HK_ANALYSES_PRESSES_H

#include "analyses/doctor.h"

/* a finding for each joint and force with friction whose surfaces nothing can press; q (nq): the
 * assembled position; list (n) and texts come from the pool. The state of s->kin changes. */
hk_status hki_presses(hk_tree *s, hk_pool *pool, const double *q, hk_finding **list, int32_t *n);

#endif
