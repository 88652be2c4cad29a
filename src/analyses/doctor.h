/* SPDX-License-Identifier: Apache-2.0
 *
 * doctor.h: examination of an assembled model: degrees of freedom by rank, redundant and
 * conflicting rows with the names of their joints, motions that no mass resists.
 */
#ifndef HK_ANALYSES_DOCTOR_H
#define HK_ANALYSES_DOCTOR_H

#include "machines/tree/tree.h"
#include "hooke/model.h"

typedef struct hk_mobility {
  int32_t rows, rank; /* active closure rows, and how many of them are independent */
  int32_t dof;        /* nv - rank - removed spins */
  int32_t redundant;  /* rows - rank */
  int32_t places;     /* as dof, without the rows that bind velocities only */
} hk_mobility;

/* Rank of the active closures at the state (t, q, v). Cost near linear in the number of loops when
 * they are small and independent. */
hk_status hki_mobility(hk_tree *s, double t, const double *q, const double *v, hk_mobility *out);

/* Examines the state (q, v) at t = 0. list (n): findings, owned by pool. HK_OK even when there are
 * findings. */
hk_status hki_doctor(hk_tree *s, hk_pool *pool, const double *q, const double *v, hk_finding **list,
                     int32_t *n, hk_mobility *out);

#endif
