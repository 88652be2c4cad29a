/* SPDX-License-Identifier: Apache-2.0
 *
 * multistep.h: the two-step rule, as the two forms of the method share it.
 */
#ifndef HK_INTEGRATORS_MULTISTEP_H
#define HK_INTEGRATORS_MULTISTEP_H

#include "integrators/integrator.h"

/* coefficients times the step that multiplies them */
typedef struct hk_multistep_rule {
  double a2, gb0, gb1, gb2;
} hk_multistep_rule;

/* history of both forms: velocities before the last step, accelerations before it and of the last
 * stage as the method left them, the last step (0: none); the increment that led here, or the pose
 * before seen from here, with its rates; momenta before, their rates before and of the last stage
 */
enum {
  MS_V_LAST,
  MS_A_LAST,
  MS_A_RAW,
  MS_H_LAST,
  MS_D_LAST,
  MS_BACK = MS_D_LAST,
  MS_BACK_RATE,
  MS_P_LAST,
  MS_PD_LAST,
  MS_PD_RAW,
  MS_NHIST
};

/* h: the step, g: the one before (0: none, Crank-Nicolson) */
hk_multistep_rule hki_multistep_rule(double rho, double h, double g);

/* one step with momenta as states, for formulations with nodes */
hk_status hki_multistep_nodes_start(hk_integrator *I);
hk_status hki_multistep_nodes_step(hk_integrator *I, double rho, double h);

#endif
