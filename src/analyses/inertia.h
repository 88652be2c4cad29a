/* SPDX-License-Identifier: Apache-2.0
 *
 * inertia.h: motions that no mass resists: Phi_z x = 0 and M x = 0.
 */
#ifndef HK_ANALYSES_INERTIA_H
#define HK_ANALYSES_INERTIA_H

#include "analyses/held.h"

/* num.val = M + Phi_z' alpha Phi_z at the state of s->kin (positions, closures), with penalties of
 * the size of the masses, since larger ones would hide a small mass; held: freedoms that forces
 * hold, which get a mass here. Returns the largest scaled mass, kg m^2. */
double hki_inertia_matrix(hk_tree *s, const hk_held *held);

/* Is there such a motion? Then x (nv) is one. Allocates nothing. */
bool hki_inertia_free(hk_tree *s, const hk_held *held, double *x);

/* "body 'rod' can turn about its x axis": the body that moves most in the motion x; overwrites s->A */
void hki_inertia_words(hk_tree *s, const double *x, char *buf, size_t cap);

/* a release of joints by events that sets a motion free which no mass resists */
typedef struct hk_freed {
  const char *item; /* the event */
  const char *text; /* event, joints and motion */
} hk_freed;

/* All such releases, from the state (q, v) of the start: each event alone, else the first in the
 * order of the file with those before it, else all together. list (n): in the pool. */
hk_status hki_releases(hk_tree *s, hk_pool *pool, const hk_held *held, const double *q,
                       const double *v, hk_freed **list, int32_t *n);

#endif
