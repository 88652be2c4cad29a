/* SPDX-License-Identifier: Apache-2.0
 *
 * iteration.h: one Newton iteration of the hybrid formulation at a state of a run, taken apart.
 */
#ifndef HK_BENCH_ITERATION_H
#define HK_BENCH_ITERATION_H

#include "machines/tree/tree.h"
#include "simulation/simulation.h"

typedef struct bench_iteration {
  hk_sim *sim;
  hk_formulation *f;
  hk_stage st;
  double h;
  double *D0, *D;     /* prediction, increment */
  double *v, *a;      /* for the projections */
  double *lam0, *lam; /* multipliers before, and where the formulation keeps them */
  int32_t nv, nlam;
  hk_tree *s; /* a machine of its own for the parts */
} bench_iteration;

/* a run at time t with its step, ready to iterate on the next one */
void bench_iteration_open(bench_iteration *b, hk_model *m, double t);
void bench_iteration_close(bench_iteration *b);

/* begin, residual, factor, correct: the first iteration of a step */
void bench_iterate(void *iteration);
/* the two projections after a step */
void bench_project(void *iteration);

/* the parts, on the machine of its own */
void bench_part_kinematics(void *iteration);
void bench_part_closures(void *iteration);
void bench_part_elements(void *iteration);
void bench_part_residual(void *iteration);
void bench_part_mass(void *iteration);
void bench_part_penalty(void *iteration);
void bench_part_tangents(void *iteration);
void bench_part_factor(void *iteration);
void bench_part_solve(void *iteration);

#endif
