/* SPDX-License-Identifier: Apache-2.0
 *
 * states_impl.h: what states.c (the formulation's table) and dae.c (the system of first order) share.
 */
#ifndef HK_MACHINES_STATES_STATES_IMPL_H
#define HK_MACHINES_STATES_STATES_IMPL_H

#include "machines/states/states.h"

/* the system of first order at the last factorisation; vectors without states have n entries */
typedef struct states_dae {
  int32_t n;
  bool stabilised;
  double t, cj;
  double *y, *yp, *b, *out; /* n: state, scratch */
  double *shift;            /* n: residual with the states held, less that with them following */
  double *z;                /* nz: states */
  double *block;            /* memory of all; NULL: not made yet */
} states_dae;

typedef struct states {
  hk_formulation base;
  hk_formulation_ops ops;
  hk_node_ops nodes;
  hk_ctx *ctx;
  const hk_model *m;
  hk_formulation *inner;
  hk_kin *kin;
  hk_stage st;
  int32_t nq, nv, nz; /* of the inner one: coordinates, velocities; states */
  double *unit;       /* typical sizes of the inner one's scalar unknowns, then of the states */
  states_dae dae;
} states;

static inline states *states_of(const hk_formulation *f) { return (states *)(uintptr_t)f; }

extern const hk_dae_ops hki_states_dae;

#endif
