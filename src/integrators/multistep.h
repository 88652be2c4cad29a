/* SPDX-License-Identifier: Apache-2.0
 *
 * multistep.h: coefficients and history of the two-step rule, shared by its form with velocities
 * (multistep.c) and its form with momenta (multistep_nodes.c).
 */
#ifndef HK_INTEGRATORS_MULTISTEP_H
#define HK_INTEGRATORS_MULTISTEP_H

#include "integrators/integrator.h"

/* a2, and g b0, g b1, g b2 */
typedef struct hk_multistep_rule {
  double a2, gb0, gb1, gb2;
} hk_multistep_rule;

/* history of both forms, vectors of size nv. k-1: the accepted state, k-2: the one before it */
enum {
  MS_V_LAST,           /* v_{k-2} */
  MS_A_LAST,           /* a_{k-2}, not projected */
  MS_A_RAW,            /* a_{k-1}, not projected */
  MS_H_LAST,           /* g, the last step, in every entry; 0: none */
  MS_D_LAST,           /* increment from k-2 to k-1 (velocities as states) */
  MS_BACK = MS_D_LAST, /* Cayley parameters of pose k-2 from pose k-1 (momenta as states) */
  MS_BACK_RATE,        /* their rates */
  MS_P_LAST,           /* p_{k-2} */
  MS_PD_LAST,          /* its rate */
  MS_PD_RAW,           /* rate of p_{k-1} */
  MS_NHIST
};

/* coefficients for a step h after a step g (0: none, Crank-Nicolson) */
hk_multistep_rule hki_multistep_rule(double rho, double h, double g);

/* one step with momenta as states, for formulations with nodes */
hk_status hki_multistep_nodes_start(hk_integrator *I);
hk_status hki_multistep_nodes_step(hk_integrator *I, double rho, double h);

#endif
