/* SPDX-License-Identifier: Apache-2.0
 *
 * statespace_differences.h: changes of single states, by which linear equations are found: differences of
 * accelerations (statespace_differences.c) or of runs over a period (statespace_period.c).
 */
#ifndef HK_SIMULATION_STATESPACE_DIFFERENCES_H
#define HK_SIMULATION_STATESPACE_DIFFERENCES_H

#include "simulation/statespace.h"

typedef struct hk_differences {
  hk_statespace *l;
  hk_sim *s;
  const hk_statespace_free *free;
  const double *sign;
  const int32_t *outputs; /* l->ny handles */
  int32_t ns;             /* numbers in vt: nv + nx + nz */
  double *q0, *v0, *a0;   /* the state, and its rates */
  double *q, *v;          /* a state nearby */
  double *xi, *carry;     /* nv: its increment, and what turns with the axes */
  double *y, *f, *g;      /* n, n, ny: its states, rates, outputs */
  double *Y, *F, *Gy;     /* n x n, n x n, ny x n: slopes */
  double *Yu;             /* n x nu: slopes of the states by inputs that motions follow */
  double *side[4];        /* n: rates at h, -h, 2 h, -2 h */
  double *phi0;           /* 2 m->nrows: rows of the state, and their rates by time alone */
  double *apart, *size;   /* n: how they differ to both sides, their size */
} hk_differences;

/* q, v: the state (q0, v0) with state j changed by h, on the constraints */
hk_status hki_differences_change(hk_differences *d, int32_t j, double h);
/* a good size of that change */
double hki_differences_step(const hk_differences *d, int32_t j);
/* X (rows x n) = F Y^-1; column-major */
hk_status hki_differences_divide(hk_statespace *l, int32_t rows, const double *F, const double *Y,
                                 double *X);

#endif
