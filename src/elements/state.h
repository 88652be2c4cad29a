/* SPDX-License-Identifier: Apache-2.0
 *
 * state.h: private states of an element: numbers z with rates of their own that nobody else reads
 * (the bristle of a friction, the dashpot of a Maxwell branch). They are eliminated where the
 * element is evaluated, so that a formulation sees a force and its slopes and nothing else.
 *
 * A state has the rate
 *
 *   dz/dt = a(s, sd) - b(s, sd) z
 *
 * How z is found depends on who evaluates:
 *
 *   held    z is given: explicit methods, accepted states         z fixed
 *   stage   dz/dt = c + gamma z by the rule of the integrator     z = (a - c)/(gamma + b)
 *   rest    dz/dt = 0: starts, statics                            z = a/b, as it was where b = 0
 *
 * In an implicit stage z = zh + cv D and dz/dt = zdh + ca D with an increment D of its own, as
 * velocities have (docs/decisions/0007), which gives gamma = ca/cv and c = zdh - gamma zh.
 */
#ifndef HK_ELEMENTS_STATE_H
#define HK_ELEMENTS_STATE_H

#include "base/base.h"

typedef enum hk_state_mode { HK_STATES_REST, HK_STATES_HELD, HK_STATES_STAGE } hk_state_mode;

/* The branch that a law has taken. Programs that are made of a step carry numbers with a point from one iterate to the next, and no others
 * (docs/decisions/0132). */
#ifdef HK_FOLLOWED
typedef double hk_state_branch;
#else
typedef int32_t hk_state_branch;
#endif

/* a state at the iterate before; branch 0: the first one, or the law has none */
typedef struct hk_state_iterate {
  double z;
  hk_state_branch branch;
} hk_state_iterate;

/* the states of one element */
typedef struct hk_states {
  hk_state_mode mode;
  double gamma;    /* stage */
  const double *c; /* stage: one number per state */
  double *z,
      *zd; /* values and rates; an evaluation writes rates, and values unless they are held */
  /* stage: what the last iterate was, per state; NULL: nobody iterates. Laws with branches read where
   * they were and write where they are. */
  const hk_state_iterate *last;
  hk_state_branch
      *branch; /* 0: the law has none; rest: not 0 where the rule leaves the value open */
} hk_states;

/* Finds state i, st NULL: 0. Leaves value and rate in *z, *zd. Returns dz/da: the slope of the value
 * in s is then dz/da (a_s - b_s z), the same for sd. */
static inline double hki_state(const hk_states *st, int32_t i, double a, double b, double *z,
                               double *zd) {
  double share = 0.0;
  *z = st ? st->z[i] : 0.0;
  if (st && st->mode != HK_STATES_HELD) {
    const bool stage = st->mode == HK_STATES_STAGE;
    const double c = stage ? st->c[i] : 0.0, sum = stage ? st->gamma + b : b;
    if (sum > 0.0) share = 1.0 / sum, *z = (a - c) / sum;
  }
  *zd = a - b * *z;
  if (st) st->z[i] = *z, st->zd[i] = *zd;
  return share;
}

#endif
