/* SPDX-License-Identifier: Apache-2.0
 *
 * net.h: the scalar unknowns of a model at a given mechanical state: which of them are
 * differential, and values and rates that satisfy all equations F(x, xd) = 0 (the derivatives phase
 * of Masarati, Morandini and Mantegazza 2014, eqs. 16-17, for scalar nodes).
 *
 * E = dF/dxd says what kind an unknown is. A column of zeros: algebraic, its value is solved for
 * and its rate counts as zero. Else differential: its value is kept, its rate solved for. Where a
 * group of unknowns that E couples only counts by differences (capacitors between nodes that
 * nothing else ties to the reference: E times ones is zero), one of the group is its root: instead
 * of its rate, the common value of the group is solved for.
 */
#ifndef HK_FORMULATIONS_NET_H
#define HK_FORMULATIONS_NET_H

#include "kinematics/kin.h"

typedef enum hk_net_role { HK_NET_DIFFERENTIAL, HK_NET_ALGEBRAIC, HK_NET_ROOT } hk_net_role;

/* evaluates element fi at the present state of kin, with derivatives of F and by its inputs */
typedef void (*hk_net_eval)(void *user, int32_t force, hk_element_out *out);

typedef struct hk_net {
  const hk_model *m;
  hk_kin *k;
  hk_net_eval eval;
  void *user;
  uint8_t *role;      /* nx: hk_net_role */
  int32_t *group;     /* nx: unknowns that E couples have the same number */
  double *F, *Fx, *E; /* nx, and ld x nx column by column */
  double *J, *inv, *work;
  int32_t *pivot, ld, bad;
  double *bar, *part, *gx; /* nsignals, reads, nx: slopes of signals */
} hk_net;

void hki_net_layout(hk_net *n, const hk_model *m, hk_arena *a);
/* constants; roles of the unknowns at the present state of k */
void hki_net_init(hk_net *n, hk_kin *k, hk_net_eval eval, void *user);
/* k->x (algebraic ones) and k->xd at the present mechanical state. HK_OK, HK_E_SINGULAR with `bad`
 * the unknown that nothing determines, or HK_E_NUMBER. */
hk_status hki_net_solve(hk_net *n);

/* slopes of a signal in the scalar unknowns, nx numbers; bar and part as in hk_net */
void hki_net_signal_slopes(hk_kin *k, int32_t signal, double *bar, double *part, double *gx);

#endif
