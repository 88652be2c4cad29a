/* SPDX-License-Identifier: Apache-2.0
 *
 * network.h: the machine of scalar unknowns: at a given mechanical state, values x and rates xd
 * that satisfy
 *
 *   F(x, xd) = 0            E = dF/dxd decides which numbers are solved for
 *
 * differential  column of E not zero: the value is kept, the rate solved for
 * algebraic     column of E zero: the value is solved for, the rate counts as zero
 * root          E couples a group of unknowns through their differences only (E times ones is zero:
 *               capacitors between nodes that no storage ties to the reference). One differential
 *               unknown of the group is its root: in place of its rate, the common value of the
 *               group is solved for
 *
 * Where inputs decide on E (a mass that a signal switches off) roles change with time: they are found
 * anew at every solution, so that an unknown keeps its value when it becomes differential and loses
 * it when it becomes algebraic.
 *
 * A net created with `steady` solves F(x, 0) = 0 instead (steady.c).
 *
 * Source: Masarati, Morandini and Mantegazza 2014, eqs. 16-17 (derivatives phase), for scalar
 * nodes.
 */
#ifndef HK_MACHINES_NETWORK_NETWORK_H
#define HK_MACHINES_NETWORK_NETWORK_H

#include "kinematics/kin.h"
#include "linalg/linsolve.h"

typedef enum hk_net_role { HK_NET_DIFFERENTIAL, HK_NET_ALGEBRAIC, HK_NET_ROOT } hk_net_role;

/* evaluates an element at the present state of kin: F and its derivatives by x, xd and inputs */
typedef void (*hk_net_eval)(void *user, int32_t force, hk_element_out *out);

/* an input of an element whose signal reads scalar unknowns */
typedef struct hk_net_input {
  int32_t force, input, signal; /* model force, index of its input, spec signal */
  int32_t nvalue, *value;       /* the unknowns that the signal reads */
  int32_t *slot;                /* unknowns of the element x nvalue: places in the matrix, or -1 */
} hk_net_input;

typedef struct hk_net {
  hk_ctx *ctx;
  hk_pool *pool;
  const hk_model *m;
  hk_kin *k;
  hk_net_eval eval;
  void *user;
  bool steady;  /* all values are solved for, with rates xd = (x - old) shift */
  double shift; /* steady: 1/s, inverse of the step of time; 0: rates are zero */
  bool first;   /* steady: first step, in which the mechanism moves to its place; `eval` reads it */
  bool varies;  /* E depends on inputs that vary: roles are found again at every solution */
  double *old;  /* steady: nx, values before the step */
  uint8_t *role;  /* nx: hk_net_role */
  double *unit;   /* nx: typical size; INFINITY: algebraic (hk_dims) */
  int32_t *group; /* nx: smallest index among the unknowns that E couples with this one */
  int32_t *root;  /* nx: root of the unknown's group, HK_NONE: it has none */
  uint8_t *role_was, *loose; /* nx: scratch of the roles */
  double *F, *size;          /* nx: equations; divisor of each equation */
  hk_linsolve *ls;
  int32_t *slot; /* nnet x 2 x UNKNOWNS^2: places of Fxd and of Fx, -1 where they are not used */
  int32_t ninput;
  hk_net_input *input;
  double *bar, *part, *gx; /* nsignals, reads, nx: scratch of signal_slopes; gx: du/dx */
  int32_t bad;             /* unknown that the last singular matrix leaves undetermined */
} hk_net;

/* Takes memory from the pool and finds the roles of the unknowns at the present state of k. */
hk_status hki_net_create(hk_net *n, hk_ctx *ctx, hk_pool *pool, hk_kin *k, hk_net_eval eval,
                         void *user, bool steady);
void hki_net_destroy(hk_net *n);
/* Solves for algebraic values in k->x and rates in k->xd at the present mechanical state.
 * HK_E_SINGULAR: nothing determines unknown `bad`. HK_E_NUMBER: no convergence. */
hk_status hki_net_solve(hk_net *n);
/* Steady nets: k->x becomes the steady state that time leads to from `start` (nx), at the present
 * mechanical state. near: k->x solves a nearby state and is tried first. HK_OK: `bad` is an unknown
 * that only its start value determines, or HK_NONE. HK_E_NUMBER: unknown `bad` does not settle.
 * HK_E_SINGULAR: as above. */
hk_status hki_net_steady(hk_net *n, const double *start, bool near);
/* n->gx (nx) = derivatives of a signal by the scalar unknowns at the present state; only: positive
 * where it reads one */
void hki_net_signal_slopes(hk_net *n, int32_t signal, bool only);
/* words: nothing determines this unknown */
void hki_net_undetermined(const hk_model *m, int32_t unknown, char *buf, size_t cap);
/* Newton's iteration on the present equations; used by network.c and steady.c only */
hk_status hki_net_newton(hk_net *n);

#endif
