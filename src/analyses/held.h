/* SPDX-License-Identifier: Apache-2.0
 *
 * held.h: freedoms without mass that only forces hold: static nodes.
 */
#ifndef HK_ANALYSES_HELD_H
#define HK_ANALYSES_HELD_H

#include "machines/tree/tree.h"

typedef struct hk_held hk_held;

/* Finds the tree freedoms that move no mass and are on the path of no closure, at the state (q, v);
 * *out is NULL when there are none. Memory comes from the pool. */
hk_status hki_held_create(hk_tree *s, hk_pool *pool, const double *q, const double *v,
                          hk_held **out);
/* tree velocity of the first of them */
int32_t hki_held_first(const hk_held *h);
/* is one of the n tree velocities from `first` on among them? h may be NULL */
bool hki_held_has(const hk_held *h, int32_t first, int32_t n);

/* Sets q and v of these freedoms so that the forces on them balance at time t: positions where only
 * stiffness acts, rates where damping acts. tau: a time far below the time scales of the model, s.
 * Other coordinates do not change. HK_E_SINGULAR: nothing holds freedom *bad; HK_RETRY: no balance
 * was found. */
hk_status hki_held_settle(hk_held *h, double t, double tau, double *q, double *v, int32_t *bad);

#endif
