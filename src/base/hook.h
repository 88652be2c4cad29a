/* SPDX-License-Identifier: Apache-2.0
 *
 * hook.h: moments of a step at which force elements are called besides the evaluation of their
 * forces (Masarati, Morandini and Mantegazza 2014, figure 7). The simulation calls the first and
 * the last hook, the driver of stages (stage/newton.c) the others.
 */
#ifndef HK_BASE_HOOK_H
#define HK_BASE_HOOK_H

typedef enum hk_hook {
  HK_HOOK_BEFORE_PREDICTION, /* at the accepted state, before a step is tried */
  HK_HOOK_AFTER_PREDICTION,  /* at the predicted state of a stage */
  HK_HOOK_AFTER_ITERATION,   /* after each correction of a stage */
  HK_HOOK_CONVERGED,         /* the stage has converged */
  HK_HOOK_ACCEPTED           /* the step is accepted: the state is final */
} hk_hook;

#endif
