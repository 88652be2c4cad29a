/* SPDX-License-Identifier: Apache-2.0
 *
 * evaluation.h: the inside of hk_eval (hooke/eval.h): a tree machine of its own, and the coordinates of
 * its callers (coordinates.h).
 */
#ifndef HK_SIMULATION_EVALUATION_H
#define HK_SIMULATION_EVALUATION_H

#include "simulation/simulation.h"

/* a marker or a body's own frame */
typedef struct hk_eval_frame {
  const char *name;
  int32_t body; /* model body, HK_GROUND */
  hk_offset at; /* in its internal frame */
} hk_eval_frame;

struct hk_eval {
  hk_mark mark;
  hk_ctx *ctx;
  hk_model *m;
  hk_tree *s;
  hk_pool *pool;
  double t;
  double *q, *v;            /* nq, nv: the state, machine's coordinates */
  double *q_sign, *q_zero;  /* nq */
  double *sign;             /* nv */
  double *x, *tau, *row;    /* nv, nv, nrows: scratch */
  double *q_near, *v_near;  /* nq, nv: scratch */
  double *A;                /* nb x 6: scratch */
  hk_inertia *Ic;           /* nb: scratch */
  int32_t ninputs, *inputs; /* signals that are inputs */
  int32_t nframes;
  hk_eval_frame *frame; /* nframes */
  const char **q_name, **v_name, **row_name;
  double *drive;       /* memory of hk_eval_drives, NULL until it is called */
  bool forces, biased; /* forces and biases of closures are those of the state */
};

/* a valid evaluation? */
static inline bool hki_is_eval(const hk_eval *e) { return hki_is(e, HK_MARK_EVAL); }
/* W, tau of the state */
void hki_eval_forces(hk_eval *e);
/* frames and twists are those of the state; puts the machine there after it was elsewhere */
void hki_eval_place(hk_eval *e);

#endif
