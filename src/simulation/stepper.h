/* SPDX-License-Identifier: Apache-2.0
 *
 * stepper.h: a program that takes the steps of a simulation in the place of the library: the step of this one model, made by codegen and
 * compiled. It holds the state in an order of its own; each number of it has a place in the simulation (hki_sim_numbers), or is known to
 * the program alone.
 *
 * Only whole steps from one grid time to the next are taken by it. The first is taken by both, and the program goes on only where both
 * agree. A step that it cannot take is taken by the library: where the iteration fails or stalls, where a note would be made on the run.
 * The simulation's own numbers are behind until somebody asks for them (hki_stepper_show).
 */
#ifndef HK_SIMULATION_STEPPER_H
#define HK_SIMULATION_STEPPER_H

#include "simulation/simulation.h"

/* numbers that steps change (sim_numbers.c): blocks in a fixed order; how many */
typedef struct hk_numbers {
  double *at;
  int32_t n;
} hk_numbers;
enum { HK_NUMBERS = 24 }; /* blocks at most */
int32_t hki_sim_numbers(hk_sim *s, hk_numbers *out);

enum { HK_STEPPER_OWN = -1, HK_STEPPER_INPUT = -2 }; /* in the place of a block */

typedef struct hk_stepper {
  int (*step)(void *x); /* iterations, or below 0: failed, x is as before; NULL: no program */
  void (*outputs)(const void *x,
                  double *y); /* the recorded channels; NULL: it does not know all of them */
  void (*close)(void *library);
  void *library;
  bool audits;                  /* the audit is part of its steps; else it is the library's */
  int32_t n;                    /* numbers of its state */
  double *x;                    /* n */
  double *start, *trial;        /* n: as the program begins with them; scratch */
  const int32_t *block, *place; /* n: where each is in the simulation; inputs by their number */
  int32_t time;                 /* which one is the time */
  double *fixed; /* discrete data as they were: those that are no state it takes for constants */
  uint8_t *is_state; /* of each of these */
  bool loaded;       /* x is the state of the simulation */
  bool ahead;        /* it is, and the simulation's numbers are older */
  bool proven;       /* a step of it was compared */
  int32_t turns;     /* iterations that the library counts in a step of a method that has none */
  /* what is told of it */
  bool kept;       /* from the folder of those that were compiled before */
  double seconds;  /* that following the step and compiling it took */
  int64_t steps;   /* taken by it */
  int64_t refused; /* that it could not take */
  char compiler[160];
  char why[1500]; /* why the library takes the steps; "": it does not */
} hk_stepper;

/* one that has no program yet, with nothing to tell; NULL: no memory */
hk_stepper *hki_stepper_create(hk_sim *s);
/* its program is complete: step, library, n, block, place; false: it does not fit the simulation, `why` says so */
bool hki_stepper_attach(hk_sim *s);
/* why the simulation is one whose steps only the library can take; NULL: it is not */
const char *hki_stepper_refuses(const hk_sim *s);
/* no program from now on */
void hki_stepper_drop(hk_sim *s, const char *why);
void hki_stepper_free(hk_sim *s);

/* One step of hki_sim_advance, after inputs have been taken; false: it is the library's turn. */
bool hki_stepper_advance(hk_sim *s);
/* after a step of the library: was it the first of the program too? */
void hki_stepper_compare(hk_sim *s);
/* the simulation's own numbers and kinematics become those of the present state */
void hki_stepper_show(hk_sim *s);
/* the recorded channels of a state that is ahead; false: to be found from the simulation */
bool hki_stepper_values(hk_sim *s, double *values);

#endif
