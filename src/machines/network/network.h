/* SPDX-License-Identifier: Apache-2.0
 *
 * network.h: the scalar unknowns of a model at a given mechanical state: which of them are
 * differential, and values and rates that satisfy all equations F(x, xd) = 0 (the derivatives phase
 * of Masarati, Morandini and Mantegazza 2014, eqs. 16-17, for scalar nodes).
 *
 * E = dF/dxd says what kind an unknown is. A column of zeros: algebraic, its value is solved for
 * and its rate counts as zero. Else differential: its value is kept, its rate solved for. Where a
 * group of unknowns that E couples only counts by differences (capacitors between nodes that
 * nothing else ties to the reference: E times ones is zero), one of the group is its root: instead
 * of its rate, the common value of the group is solved for.
 *
 * A net that is made for the steady state looks for values at which nothing changes, F(x, 0) = 0
 * (steady.c).
 */
#ifndef HK_MACHINES_NETWORK_NETWORK_H
#define HK_MACHINES_NETWORK_NETWORK_H

#include "kinematics/kin.h"
#include "linalg/linsolve.h"

typedef enum hk_net_role { HK_NET_DIFFERENTIAL, HK_NET_ALGEBRAIC, HK_NET_ROOT } hk_net_role;

/* evaluates element fi at the present state of kin, with derivatives of F and by its inputs */
typedef void (*hk_net_eval)(void *user, int32_t force, hk_element_out *out);

/* an input of an element that reads scalar unknowns */
typedef struct hk_net_input {
  int32_t force, input, signal;
  int32_t nvalue, *value;
  int32_t *slot; /* n x nvalue */
} hk_net_input;

typedef struct hk_net {
  hk_ctx *ctx;
  hk_pool *pool;
  const hk_model *m;
  hk_kin *k;
  hk_net_eval eval;
  void *user;
  bool steady;    /* all values are looked for, at rates (x - x_old) shift */
  double shift;   /* 1/s, one over a step of time; 0: rates of zero */
  bool first;     /* the first of such steps: the mechanism comes from where the start values are */
  double *old;    /* nx: steady nets */
  uint8_t *role;  /* nx: hk_net_role */
  int32_t *group; /* nx: unknowns that E couples have the same number */
  int32_t *root;  /* nx: of a group without a common rate, HK_NONE */
  double *F, *size; /* nx: equations; what they are divided by */
  hk_linsolve *ls;
  int32_t *slot; /* nnet x 2 x UNKNOWNS^2: of Fxd and of Fx, -1 where they are not looked at */
  int32_t ninput;
  hk_net_input *input;
  double *bar, *part, *gx; /* nsignals, reads, nx: slopes of signals */
  int32_t bad;             /* unknown that the last singular matrix leaves open */
} hk_net;

/* memory from the pool; roles of the unknowns at the present state of k */
hk_status hki_net_create(hk_net *n, hk_ctx *ctx, hk_pool *pool, hk_kin *k, hk_net_eval eval,
                         void *user, bool steady);
void hki_net_destroy(hk_net *n);
/* k->x (algebraic ones) and k->xd at the present mechanical state. HK_OK, HK_E_SINGULAR with `bad`
 * the unknown that nothing determines, or HK_E_NUMBER. */
hk_status hki_net_solve(hk_net *n);
/* k->x in the steady state at the present mechanical state: where time would lead from `start`
 * (nx). near: k->x is a solution of a state near by, and tried first. HK_OK, with `bad` an unknown
 * that only its start determines, or HK_NONE; else as above, `bad` the unknown that does not
 * settle. */
hk_status hki_net_steady(hk_net *n, const double *start, bool near);
/* Newton's iteration; internal to the room */
hk_status hki_net_newton(hk_net *n);

#endif
