/* SPDX-License-Identifier: Apache-2.0
 *
 * step_control.h: the length of the next step, by local error or by the number of iterations. One
 * controller for every method; see step_control.c.
 */
#ifndef HK_INTEGRATORS_STEP_CONTROL_H
#define HK_INTEGRATORS_STEP_CONTROL_H

#include "stage/stage.h"

enum { HK_CONTROL_AUTO, HK_CONTROL_OFF, HK_CONTROL_ERROR, HK_CONTROL_ITERATIONS };
enum { HK_CONTROL_PAST = 3 }; /* earlier velocity vectors kept for the estimates */

/* the options of a run that concern its steps */
typedef struct hk_control_par {
  int32_t kind; /* HK_CONTROL_... */
  double rtol, atol, step_min, step_max;
  int32_t few, many; /* iterations: steps grow at `few` and less, shrink above `many` */
} hk_control_par;

/* everything here is persistent: a resumed run goes on with it */
typedef struct hk_control {
  double h;                       /* proposed length of the next step; 0: not known yet */
  double err_last;                /* scaled error of the last accepted step; 0: none */
  double past_t[HK_CONTROL_PAST]; /* times of the earlier velocities, newest first */
  int32_t npast;                  /* number of earlier velocities, at most HK_CONTROL_PAST */
  int32_t quiet;                  /* successive steps with few iterations */
  bool refused;                   /* the last attempt was refused: the next step must not grow */
  double before; /* started anew at a jump or event: length of the step before, INFINITY: not known;
                    0: not so */
} hk_control;

/* drop the history: at the start, at events and jumps */
void hki_control_restart(hk_control *c);

/* Length of a first step, at most `limit`, from the change of accelerations along a small explicit
 * step. Overwrites the scratch state of the integrator. */
double hki_control_first(const hk_control_par *p, hk_integrator *I, double limit);

/* Scaled size of the local error of the step h just made. past: c->npast velocity vectors before
 * I->v, newest first. */
double hki_control_error(const hk_control_par *p, const hk_control *c, const double *past,
                         const hk_integrator *I, double h);

/* length to try after a step that failed (err NAN) or whose error is too large */
double hki_control_refuse(const hk_control_par *p, hk_control *c, const hk_integrator *I, double h,
                          double err);

/* Proposes the next step after a good one. Call before the state is accepted: I->v, the velocities
 * at the start of the step, go to `past`. cut: the step was shorter than proposed. */
void hki_control_accept(const hk_control_par *p, hk_control *c, double *past,
                        const hk_integrator *I, double h, bool cut);

#endif
