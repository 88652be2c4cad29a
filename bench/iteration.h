/* SPDX-License-Identifier: Apache-2.0
 *
 * iteration.h: one Newton iteration of the hybrid formulation at a state of a run, whole and in
 * parts.
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
  double *D0, *D;     /* nv: prediction, increment */
  double *v, *a;      /* nv: velocities and accelerations for the projections */
  double *lam0, *lam; /* nlam: multipliers before the step; the formulation's own */
  int32_t nv, nlam;
  hk_tree *s; /* separate machine, for the parts */
} bench_iteration;

/* runs the model to time t and prepares the iteration of the next step */
void bench_iteration_open(bench_iteration *b, hk_model *m, double t);
void bench_iteration_close(bench_iteration *b);

/* begin, residual, factor, correct: the first iteration of a step */
void bench_iterate(void *iteration);
/* the two projections after a step */
void bench_project(void *iteration);

/* the parts of an iteration, on the separate machine */
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
