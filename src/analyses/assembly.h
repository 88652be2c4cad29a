/* SPDX-License-Identifier: Apache-2.0
 *
 * assembly.h: the state from which every formulation starts.
 *
 * Positions: nearest to the drawing in the mass metric, subject to the closures at t = 0 and to the
 * values named under `start`. Velocities: nearest to zero in the mass metric, likewise. Named
 * values hold exactly where the closures allow; the ones that cannot are let go and reported.
 */
#ifndef HK_ANALYSES_ASSEMBLY_H
#define HK_ANALYSES_ASSEMBLY_H

#include "machines/tree/tree.h"

/* what a named value asks for: rows between two markers (or ground and a body) */
typedef enum hk_named_kind {
  HK_NAMED_SCALAR,     /* a scalar joint coordinate or its rate */
  HK_NAMED_POSITION,   /* component of B's origin: world axes for bodies, A axes for joints */
  HK_NAMED_ORIENTATION /* component of the rotation vector from the target orientation */
} hk_named_kind;

typedef struct hk_named {
  hk_named_kind kind;
  bool rate; /* a velocity rather than a position */
  int32_t component;
  int32_t scalar; /* HK_NAMED_SCALAR */
  int32_t body[2];
  hk_offset marker[2]; /* in internal frames */
  hk_path path;
  double target;      /* scalar, position, velocity component */
  double target_R[9]; /* orientation of B relative to A */
  hk_loc loc;
  const char *item; /* "A0" */
  const char *what; /* "joint 'A0', angle" */
  const char *key;  /* "start.A0.angle" */
  const char *unit;
  const char *with; /* conditions it conflicts with, once let go */
  double *g;        /* path.n */
  double value, alpha, mu;
  bool on;
} hk_named;

/* a start value that could not be met */
typedef struct hk_moved {
  const char *item, *text; /* its joint or body; what became of it */
} hk_moved;

typedef struct hk_assembly {
  double *q, *v;                     /* nq, nv: the assembled state */
  double position_max, velocity_max; /* largest absolute rows left */
  int32_t nmoved;  /* start values that could not be met (each reported as a warning) */
  hk_pool *pool;   /* given by the caller: keeps `moved`; NULL: it is not wanted */
  hk_moved *moved; /* nmoved, where there is a pool */
} hk_assembly;

/* q and v are given by the caller (nq, nv). HK_OK, HK_E_ASSEMBLY, HK_E_SINGULAR with messages.
 * Discrete data of s->kin (turns, branches of elements) are set to the assembled state. */
hk_status hki_assemble(hk_tree *s, hk_assembly *out);

/* static equilibrium from q: HK_EQ_REST with v = 0, HK_EQ_STEADY at the velocities v. Where the
 * forces leave directions free, the named rows in use hold and the rest stays nearest to q. */
hk_status hki_statics(hk_tree *s, hk_equilibrium kind, hk_named *rows, int32_t nrows, double *q,
                      const double *v);

/* can the loops be closed at time t from q (nq, changed)? If not, words about the one that cannot
 */
bool hki_closes(hk_tree *s, double t, double *q, char *words, size_t cap);

/* rows from the spec's start section; internal to the room */
hk_status hki_named_rows(hk_tree *s, hk_pool *pool, hk_named **rows, int32_t *n);
/* value (distance from the target) and gradient at the present state of s->kin */
void hki_named_eval(const hk_kin *k, hk_named *row);

#endif
