/* SPDX-License-Identifier: Apache-2.0
 *
 * inverse.h: the inside of hk_inverse (hooke/inverse.h).
 */
#ifndef HK_SIMULATION_INVERSE_H
#define HK_SIMULATION_INVERSE_H

#include "hooke/inverse.h"
#include "simulation/live.h"
#include "simulation/tasks.h"

/* one actuator */
typedef struct hk_inverse_actuator {
  const char *name; /* "joint.elbow.angle", "signal.u" */
  hk_named *row;    /* of its coordinate; NULL: it is */
  int32_t signal;   /* this input, HK_NONE */
  double *kept;     /* what the input remembers, while it is tried */
  double range[2];
  double weight;
} hk_inverse_actuator;

struct hk_inverse {
  hk_mark mark;
  hk_sim *s;
  hk_pool *pool;
  hk_least least;
  int32_t n;
  hk_inverse_actuator *act;     /* n */
  double *Q;                    /* nrows x nv: orthonormal rows of the loops, in units */
  double *B, *sv, *V, *r, *tau; /* nv x n, n, n x n, nv, n */
  double *scale;                /* n: cost per value of the actuator */
  double *a, *probe;            /* nv: accelerations; forces with an input tried */
  /* n, and for what is left n + n: rows, right sides, bounds, solution, work */
  double *A, *b, *lo, *hi, *x, *work;
  int8_t *end; /* n: which end of its range an actuator is at */
  int32_t freedoms, motions,
      rank; /* of the last state: without motions; fixed by these; actuated */
  /* a whole motion (api/inverse.c): its own simulation, tasks, and what was found */
  hk_sim *own;
  hk_tasks *tasks;
  int32_t rows, cap;
  double *table; /* rows x (1 + n): time and values */
  int32_t *ends; /* n: rows in which an actuator is at an end of its range */
};

static inline bool hki_is_inverse(const hk_inverse *a) { return hki_is(a, HK_MARK_INVERSE); }

/* The actuators' values `force` (n) that give the tree of the simulation the accelerations acc (nv) at (t, q, v),
 * prescribed motions bearing nothing; *unbalanced: see hk_inverse_find() (inverse_balance.c) */
hk_status hki_inverse_balance(hk_inverse *a, double t, const double *q, const double *v,
                              const double *acc, double *force, double *unbalanced);
/* the channel of an actuator: "actuator.elbow.angle.value"; false: buf is too short */
bool hki_inverse_channel(const hk_inverse *a, int32_t i, char *buf, size_t cap);

#endif
