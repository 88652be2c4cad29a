/* SPDX-License-Identifier: Apache-2.0
 *
 * doctor.h: what is right and wrong with an assembled model: rank-based mobility, redundant rows by
 * joint name, conflicting ones told apart, motions that no mass resists.
 */
#ifndef HK_ANALYSES_DOCTOR_H
#define HK_ANALYSES_DOCTOR_H

#include "machines/tree/tree.h"
#include "hooke/model.h"

typedef struct hk_mobility {
  int32_t rows, rank, dof, redundant; /* dof = nv - rank - removed spins */
  int32_t places; /* the same for positions: more where rows bind velocities alone */
} hk_mobility;

/* rank of the active closures at the state (t, q, v); near-linear for many small independent loops
 */
hk_status hki_mobility(hk_tree *s, double t, const double *q, const double *v, hk_mobility *out);

/* findings into a list owned by pool; HK_OK even when there are findings */
hk_status hki_doctor(hk_tree *s, hk_pool *pool, const double *q, const double *v, hk_finding **list,
                     int32_t *n, hk_mobility *out);

#endif
