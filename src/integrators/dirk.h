/* SPDX-License-Identifier: Apache-2.0
 *
 * dirk.h: what the two iterations of the diagonally implicit Runge-Kutta methods share.
 */
#ifndef HK_INTEGRATORS_DIRK_H
#define HK_INTEGRATORS_DIRK_H

#include "integrators/integrator.h"
#include "integrators/tableaux.h"

typedef enum hk_dirk_iteration { HK_DIRK_STAGES, HK_DIRK_SIMULTANEOUS } hk_dirk_iteration;
typedef enum hk_dirk_matrix { HK_DIRK_STAGE, HK_DIRK_START } hk_dirk_matrix;

typedef struct hk_dirk_par {
  int32_t gamma;     /* row of tableaux */
  int32_t iteration; /* hk_dirk_iteration */
  int32_t matrix;    /* hk_dirk_matrix */
} hk_dirk_par;

/* vectors of each stage, in the next history, used as scratch */
enum {
  HK_DIRK_W,  /* rate of the increment */
  HK_DIRK_A,  /* its second derivative */
  HK_DIRK_D,  /* increment */
  HK_DIRK_DD, /* its last correction */
  HK_DIRK_DW, /* that of the rate */
  HK_DIRK_VECTORS
};

static inline double *hki_dirk_vector(hk_integrator *I, int32_t stage, int32_t which) {
  return I->hist1 + (size_t)(HK_DIRK_VECTORS * stage + which) * (size_t)I->nv;
}

/* Solves all stages by corrections with matrices of the rates (dirk_sweeps.c). Leaves the increment
 * of the whole step in I->D and its rate in I->v1. */
hk_status hki_dirk_sweeps(hk_integrator *I, const hk_tableau *T, double h);

#endif
