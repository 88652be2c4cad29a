/* SPDX-License-Identifier: Apache-2.0
 *
 * held.h: freedoms without mass that forces alone hold: static nodes.
 */
#ifndef HK_ANALYSES_HELD_H
#define HK_ANALYSES_HELD_H

#include "machines/tree/tree.h"

typedef struct hk_held hk_held;

/* tree freedoms that move no mass and that no closure feels; *out is NULL when there are none. All
 * memory is taken from the pool. */
hk_status hki_held_create(hk_tree *s, hk_pool *pool, const double *q, const double *v,
                          hk_held **out);
/* the first of them; is one among n freedoms from `first` on? (h may be NULL) */
int32_t hki_held_first(const hk_held *h);
bool hki_held_has(const hk_held *h, int32_t first, int32_t n);

/* q and v of these freedoms such that the forces on them balance at time t: positions where there
 * is stiffness alone, rates where there is damping. tau: a time far below any of the model's. The
 * other coordinates stay. HK_E_SINGULAR with *bad the freedom that nothing holds; HK_RETRY when no
 * balance is found. */
hk_status hki_held_settle(hk_held *h, double t, double tau, double *q, double *v, int32_t *bad);

#endif
