/* SPDX-License-Identifier: Apache-2.0
 *
 * equilibrium_large.h: equilibria of large models by the sparse equations of a formulation that has them
 * (equilibrium_large.c); hk_equilibria.large.
 */
#ifndef HK_SIMULATION_EQUILIBRIUM_LARGE_H
#define HK_SIMULATION_EQUILIBRIUM_LARGE_H

#include "simulation/equilibrium.h"

/* stiffness, against the stiffest of a coordinate, that is none */
#define HK_LARGE_NOTHING 1e-14

typedef struct hk_equilibria_large {
  hk_equilibria *e;
  hk_sim *s;            /* in whose formulation the equations are: e->s, or a twin of it */
  int32_t nq, nv, size; /* coordinates and velocities of the formulation; unknowns of its system */
  double ca;     /* 1/s^2: part of the mass in the matrix, a thousandth of the softest motion */
  double most;   /* 1/s^2: stiffest of the coordinates, K/M */
  double step;   /* size of the last correction: rad, lengths of the mechanism */
  hk_pool *pool; /* of the masses */
  hk_slopes p;   /* masses at the last hki_large_masses */
  double
      metric;   /* factor of masses in lengths of motions; of paths: see equilibrium_large_path.c */
  double reach; /* length of the prediction before corrections along a path */
  double *q, *q_kept; /* nq: the point, and one to go back to */
  double load_kept;
  double *none, *D;        /* nv: zeros; an increment */
  double *F, *slope, *try; /* size: correction at a fixed load, with the load; scratch */
  double *t, *last, *old;  /* size + 1: tangents of the path, the load behind the others */
  double *Mt;              /* size: masses times the tangent that corrections are across */
  double *block;
} hk_equilibria_large;

/* can the sparse equations find the equilibria of s, and is that of use? */
bool hki_large_wanted(const hk_sim *s);
hk_status hki_large_create(hk_equilibria *e);
void hki_large_end(hk_equilibria *e);
/* the functions of equilibrium.h of these names */
hk_status hki_large_solve(hk_equilibria *e, int32_t *iterations);
hk_status hki_large_judge(hk_equilibria *e);
hk_status hki_large_slopes(hk_equilibria *e, int32_t n, const int32_t *list, double *slopes);
hk_status hki_large_follow(hk_equilibria *e, double to, int32_t points, int32_t branch,
                           hk_equilibrium_taker take, void *user, char *words, size_t cap);

/* Parts of these for equilibrium_large_path.c. The point moves by x (size; overwritten) and the load by
 * ds of its range; along: corrections stay across the tangent l->t, else at their load. HK_RETRY: no convergence,
 * after at most `most` corrections. slope: l->slope is wanted too. */
hk_status hki_large_shift(hk_equilibria_large *l, double *x, double ds);
hk_status hki_large_correct(hk_equilibria_large *l, bool along, int32_t most, int32_t *iterations);
/* the equations at the point, factorised; F and slope: corrections */
hk_status hki_large_linearise(hk_equilibria_large *l, bool slope);
void hki_large_keep(hk_equilibria_large *l);
hk_status hki_large_back(hk_equilibria_large *l);
/* sizes: in the metric of the masses; of the largest motion, rad or lengths of the mechanism */
double hki_large_dot(const hk_equilibria_large *l, const double *x, const double *y);
double hki_large_size(hk_equilibria_large *l, const double *x);
/* the simulation and e->q, e->v are at the point */
hk_status hki_large_place(hk_equilibria_large *l);

#endif
