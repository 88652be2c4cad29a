/* SPDX-License-Identifier: Apache-2.0
 *
 * equilibrium.h: equilibria of a simulation at rest, and their path over a load.
 *
 *   F(y, s) = (accelerations of the free coordinates, rates of the unknowns) = 0
 *
 * y: free coordinates and scalar unknowns (statespace.h), s: an input of the model. Accelerations vanish
 * exactly where the forces balance, so that the equations are those of the formulation, whatever acts in
 * it. Their Jacobian is that of statespace.h, with all that forces depend on: follower forces, networks.
 */
#ifndef HK_SIMULATION_EQUILIBRIUM_H
#define HK_SIMULATION_EQUILIBRIUM_H

#include "simulation/statespace.h"

typedef struct hk_equilibrium_point {
  double load;     /* s; 0 without one */
  double residual; /* largest acceleration left, rad/s^2 or lengths of the mechanism/s^2 */
  double softest;  /* smallest real part of the eigenvalues of M^-1 K, 1/s^2: negative: unstable */
  bool limit;      /* the load has an extreme here */
  bool branches;   /* another path branches off here */
} hk_equilibrium_point;

typedef struct hk_equilibria {
  hk_sim *s;    /* is at the point */
  int32_t load; /* input that is the load; -1: none */
  double range; /* unit of the load: the part of the path still to go */
  hk_equilibrium_point at;
  /* the point: positions; zeros for velocities, then the scalar unknowns */
  double *q, *v, *q_kept, *v_kept;
  /* the equations there, in units of each coordinate */
  hk_pool *pool; /* of the linear equations; NULL: none */
  hk_statespace l;
  hk_statespace_free free;
  int32_t rows, cols;     /* of J without its last column, which is that of the load */
  double *F;              /* rows */
  double *J, *unit;       /* rows x (cols + 1), cols + 1 */
  double *next, size;     /* cols + 1: the correction behind a step; length of the one before */
  double *level;          /* scratch: rows */
  double *A, *V, *sv, *x; /* scratch: rows x (cols + 1), (cols + 1)^2, cols + 1, cols + 1 */
  double *block, *full;   /* full: of J, A, V; NULL: there are none */
  struct hk_equilibria_large
      *large; /* sparse equations instead (equilibrium_large.h); NULL: none */
} hk_equilibria;

/* e: at rest where the simulation is; load: input, or -1 */
hk_status hki_equilibria_create(hk_sim *s, int32_t load, hk_equilibria *e);
void hki_equilibria_end(hk_equilibria *e);
/* the simulation goes to the point */
hk_status hki_equilibria_place(hk_equilibria *e);
/* the equations at the point: F, J, and the point's residual */
hk_status hki_equilibria_linearise(hk_equilibria *e);
/* e->A: the first n columns of J with rows of length one; length (rows): what they were. That changes
 * neither its null space nor the sign of a determinant, and a stiff beam does not hide what a soft one does: the
 * accelerations of both are many decades apart. */
void hki_equilibria_level(const hk_equilibria *e, int32_t n, double *length);
/* moves the point by x (cols + 1, in units), loops closed; HK_RETRY where there is no state */
hk_status hki_equilibria_move(hk_equilibria *e, const double *x);
/* A direction t (cols + 1, in units) as one of all coordinates of the tree, the scalar unknowns and the load
 * (nv + nx + nz + 1), and back where e is linearised now: other coordinates may be free there. */
void hki_equilibria_spread(const hk_equilibria *e, const double *t, double *all);
void hki_equilibria_gather(const hk_equilibria *e, const double *all, double *t);
/* slopes of n recorded channels by the load along the path, NAN where the load has an extreme; list: their
 * numbers; e is linearised, and again after it */
hk_status hki_equilibria_slopes(hk_equilibria *e, int32_t n, const int32_t *list, double *slopes);
/* keeps the point; goes back to it */
void hki_equilibria_keep(hk_equilibria *e);
hk_status hki_equilibria_back(hk_equilibria *e);
/* Newton's iteration with the smallest corrections: of y alone, or of y and the load. HK_RETRY: no
 * convergence. e is linearised at the result. iterations may be NULL. */
hk_status hki_equilibria_solve(hk_equilibria *e, bool with_load, int32_t *iterations);
/* softest, at the point where e is linearised */
hk_status hki_equilibria_judge(hk_equilibria *e);

/* called at each point of a path, where e is linearised; another status than HK_OK ends it */
typedef hk_status (*hk_equilibrium_taker)(void *user, hk_equilibria *e);
/* from the point, an equilibrium, along the path to the load `to`, past extremes of the load
 * (equilibrium_path.c). points: so many where the load grows all the way. branch: 0, or n: at the n-th point
 * where another path branches off that one is taken, -n: to its other side. take NULL: nobody looks.
 * HK_E_DIVERGED with words. */
hk_status hki_equilibria_follow(hk_equilibria *e, double to, int32_t points, int32_t branch,
                                hk_equilibrium_taker take, void *user, char *words, size_t cap);

#endif
