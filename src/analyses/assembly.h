/* SPDX-License-Identifier: Apache-2.0
 *
 * assembly.h: the state from which every formulation starts.
 *
 * Positions: nearest to the drawing in the mass metric, subject to the closures at t = 0 and to the
 * values named under `start`. Velocities: joint rates nearest to zero (or, by `start.rates: mass`,
 * nearest in the mass metric), subject to the same conditions. Named values hold exactly where the closures allow; the others are released and
 * reported.
 */
#ifndef HK_ANALYSES_ASSEMBLY_H
#define HK_ANALYSES_ASSEMBLY_H

#include "machines/tree/tree.h"

/* kind of a start value; each becomes rows between two markers (or ground and a body) */
typedef enum hk_named_kind {
  HK_NAMED_SCALAR,     /* a scalar joint coordinate or its rate */
  HK_NAMED_POSITION,   /* component of B's origin: world axes for bodies, A axes for joints */
  HK_NAMED_ORIENTATION /* component of the rotation vector from the target orientation */
} hk_named_kind;

typedef struct hk_named {
  hk_named_kind kind;
  bool rate;             /* a velocity rather than a position */
  int32_t component;     /* vectors: 0, 1, 2 */
  int32_t scalar;        /* HK_NAMED_SCALAR: index in model.scalars */
  int32_t body[2];       /* A, B: model bodies, HK_GROUND */
  hk_offset marker[2];   /* on A and B, in their internal frames */
  hk_path path;          /* tree coordinates that move B relative to A */
  const double *carried; /* velocity of a body: w, v of the frame that it is relative to; NULL */
  double target;         /* scalar, position or velocity component: m, rad, m/s, rad/s */
  double target_R[9];    /* HK_NAMED_ORIENTATION: orientation of B relative to A */
  hk_loc loc;            /* of the value in the model file */
  const char *item;      /* "A0" */
  const char *what;      /* "joint 'A0', angle" */
  const char *key;       /* "start.A0.angle" */
  const char *name;      /* its channel: "joint.A0.angle", "body.rod.velocity.x" */
  const char *unit;
  const char *with; /* released value: the conditions it conflicts with, else NULL */
  double *g;        /* path.n: gradient */
  double value;     /* distance from the target */
  double alpha, mu; /* penalty, multiplier */
  bool on;          /* in use; false when released */
} hk_named;

/* a start value that could not be met */
typedef struct hk_moved {
  const char *item; /* name of its joint or body */
  const char *text; /* the warning: the value asked for, the value found, the conflict */
} hk_moved;

/* How T of the assembly is solved with: by counted cost, or as tests ask for, with the matrix of the tree, or without it
 * (assembly_lean.h). These two have the same steps, the first one by cost has others in the mass metric of rates. */
typedef enum hk_assembly_way {
  HK_ASSEMBLY_BY_COST,
  HK_ASSEMBLY_MATRIX,
  HK_ASSEMBLY_LEAN
} hk_assembly_way;

typedef struct hk_assembly {
  double *q, *v; /* nq, nv: the assembled state */
  /* A start anew within a run: start values in the place of those of the model, at the time t; what
   * they do not name stays nearest to the state (from_q, from_v). from_q NULL: the start of a run. */
  const hk_spec_start *starts;
  int32_t nstarts;
  double t;
  const double *from_q, *from_v;
  /* what to look for instead of what the model says, at rest without start values of rates; NULL: that */
  const hk_equilibrium *equilibrium;
  hk_assembly_way way;               /* for tests: the same state, but for round-off, both ways */
  bool lean;                         /* it was done without the matrix */
  bool unsettled;                    /* it was not found: the result is the start without it */
  double position_max, velocity_max; /* largest absolute rows left */
  int32_t nmoved;  /* start values that could not be met; each is reported as a warning */
  hk_pool *pool;   /* given by the caller, owns what follows; NULL: nothing of it is made */
  hk_moved *moved; /* nmoved; NULL without a pool */
  hk_named *rows;  /* nrows: the start values */
  int32_t nrows;
  double *placed; /* nq: positions before the search for an equilibrium */
} hk_assembly;

/* q and v are given by the caller (nq, nv). HK_OK, HK_E_ASSEMBLY, HK_E_SINGULAR with messages.
 * Discrete data of s->kin (turns, branches of elements) are set to the assembled state. */
/* does a frame that moves at the start carry bodies? */
bool hki_assembly_carries(const hk_model *m);
/* cost of the tree machine with what the assembly of the model needs; stops at `most` bytes */
hk_status hki_assembly_cost(hk_ctx *ctx, const hk_model *m, double most, hk_cost *out);
hk_status hki_assemble(hk_tree *s, hk_assembly *out);

/* Static equilibrium, starting from q, which is overwritten. HK_EQ_REST: forces at zero velocity;
 * HK_EQ_STEADY: forces at the velocities v. In directions without stiffness the named rows in use
 * hold and the result stays nearest to the start. HK_E_ASSEMBLY with a message when there is none.
 * The search goes to a stable one. any: unless it begins in another; where it fails, HK_RETRY without a
 * message. */
hk_status hki_statics(hk_tree *s, hk_equilibrium kind, bool any, hk_named *rows, int32_t nrows,
                      double *q, const double *v);

/* Error, with its place, where the model has a servo: an analysis whose constraints push along their own
 * gradients alone; what: its name. HK_OK: there is none. */
hk_status hki_refuse_servos(hk_ctx *ctx, const hk_model *m, const char *what);

/* Can the loops be closed at time t, starting from q (nq, overwritten)? If not, `words` (cap bytes)
 * names the loop with the largest gap. */
bool hki_closes(hk_tree *s, double t, double *q, char *words, size_t cap);

/* rows of start values; internal to the room */
hk_status hki_named_rows(hk_tree *s, hk_pool *pool, const hk_spec_start *starts, int32_t nstarts,
                         hk_named **rows, int32_t *n);
/* Rates of the joints that are on and bind something: own[i] (nv) is the weight of tree velocity i
 * if it is such a rate; the others become rows with target 0 and their weight in alpha. Weights: 1
 * for rotations, 1/length^2 of the mechanism for translations. */
hk_status hki_joint_rates(hk_tree *s, hk_pool *pool, hk_named **rows, int32_t *n, double *own);
/* value (distance from the target) and gradient at the present state of s->kin */
void hki_named_eval(const hk_kin *k, hk_named *row);

#endif
