/* SPDX-License-Identifier: Apache-2.0
 *
 * step_control.h: the length of the next step, by local error or by the number of iterations. One
 * controller for every method; see step_control.c.
 */
#ifndef HK_INTEGRATORS_STEP_CONTROL_H
#define HK_INTEGRATORS_STEP_CONTROL_H

#include "stage/stage.h"

enum { HK_CONTROL_AUTO, HK_CONTROL_OFF, HK_CONTROL_ERROR, HK_CONTROL_ITERATIONS };
enum { HK_CONTROL_PAST = 3 }; /* velocities before the present ones that estimates may use */

/* the options of a run that concern its steps */
typedef struct hk_control_par {
  int32_t kind; /* HK_CONTROL_... */
  double rtol, atol, step_min, step_max;
  int32_t few, many; /* iterations: below it steps grow, above it they shrink */
} hk_control_par;

/* everything here is persistent: a resumed run goes on with it */
typedef struct hk_control {
  double h;        /* the step it would take next; 0: to be found */
  double err_last; /* of the last accepted step; 0: none */
  double past_t[HK_CONTROL_PAST];
  int32_t npast; /* velocities in `past` */
  int32_t quiet; /* successive steps with few iterations */
  bool refused;  /* the last try was refused: no growth now */
} hk_control;

/* history is gone: events, jumps, the start */
void hki_control_restart(hk_control *c);

/* A first step: by the change of accelerations along a small explicit step, at most `limit`.
 * Overwrites the scratch state of the integrator. */
double hki_control_first(const hk_control_par *p, hk_integrator *I, double limit);

/* scaled size of the local error of the step h just made, from velocities alone. past: the
 * velocities before I->v, newest first */
double hki_control_error(const hk_control_par *p, const hk_control *c, const double *past,
                         const hk_integrator *I, double h);

/* A step that failed (err NAN) or whose error is too large: the length to try next */
double hki_control_refuse(const hk_control_par *p, hk_control *c, const hk_integrator *I, double h,
                          double err);

/* A step that was good; `cut`: it was shorter than the controller wished. Before the state is taken
 * over: keeps the velocities the step began with */
void hki_control_accept(const hk_control_par *p, hk_control *c, double *past,
                        const hk_integrator *I, double h, bool cut);

#endif
