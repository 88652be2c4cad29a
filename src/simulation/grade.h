/* SPDX-License-Identifier: Apache-2.0
 *
 * grade.h: the verdict on a run: good, doubtful or wrong, with its reasons.
 *
 * What the verdict is made of (hk_watch) is collected after each accepted step, without allocation
 * and words. It is part of the audit, so that a step that is undone takes its share back. Grade and
 * sentences (grade_words.c) are made from it when somebody asks.
 */
#ifndef HK_SIMULATION_GRADE_H
#define HK_SIMULATION_GRADE_H

#include "base/base.h"
#include "hooke/sim.h"

typedef struct hk_range {
  double least, most;
} hk_range;

/* things other than the energy that make a run doubtful */
typedef enum hk_note {
  HK_NOTE_ITERATION, /* an iteration ended above its tolerance */
  HK_NOTE_DIVIDED,   /* a step had to be divided */
  HK_NOTE_MOMENTA,   /* momenta as states: a body turns far in one step; value: |omega| h, rad */
  HK_NOTE_AIMLESS,   /* a force had no direction, as its ends coincided; value: the force, N */
  HK_NOTE_LIFTED,    /* a contact that only pushes would have to pull; value: its pull, N */
  HK_NOTE_SPIN, /* a body with modes spins fast, without stiffening; value: hk_wide_doubt.left_out */
  HK_NOTE_BENT, /* a body with modes bends far; value: hk_wide_doubt.turn */
  HK_NOTES
} hk_note;

/* how often a note was made, when first, and the largest value that came with it */
typedef struct hk_tally {
  int64_t count;
  double first; /* s */
  double most;
} hk_tally;

/* collected during the run */
typedef struct hk_watch {
  double kinetic;  /* largest kinetic energy, J */
  double aboard;   /* the same, as seen by one who moves along with the start, J (grade.c) */
  double along[3]; /* velocity of the centre of mass at the start, m/s */
  double carrier;  /* kinetic energy of the mass with this velocity, J */
  hk_range potential, supplied, dissipated; /* so far, J */
  double last;                              /* the audit before the last step, J */
  double jump, jump_t; /* largest change of the audit in one step, J, and the end of that step */
  /* sums over all steps of |v1 - 2 v0 + v-1|^2 and |v1|^2: their ratio tells omega h of the motion */
  double bend, pace;
  double spin;    /* largest angle by which a body has turned in a step, rad */
  double spinner; /* the number of the model body that did */
  hk_tally notes[HK_NOTES];
  int32_t aimless;    /* the force of the last note HK_NOTE_AIMLESS */
  int32_t lifted;     /* the closure of the first note HK_NOTE_LIFTED */
  int32_t spun, bent; /* the element of the largest HK_NOTE_SPIN, HK_NOTE_BENT */
} hk_watch;

/* the numbers of the verdict */
typedef struct hk_verdict {
  hk_grade grade;
  double moved;     /* the energy that moves, J */
  double drift;     /* largest error of the energy audit, % of it */
  double gap, slip; /* constraint rows in % of the model's length, their rates in % of its speed */
  double turn;      /* omega h of the motion, rad: how far an oscillation goes in a step */
  bool broken;      /* a step failed, and the run ended there */
  hk_grade of_drift, of_gap, of_slip, of_turn; /* the grade that each of these alone would give */
} hk_verdict;

/* at the start, from the audit there */
void hki_grade_start(hk_sim *s);
/* before a step of length h is accepted: I->v, a at its beginning, I->v1, a1 at its end */
void hki_grade_step(hk_sim *s, double h);
/* after it, from the audit at its end */
void hki_grade_follow(hk_sim *s);
/* one more note at the present time; value: its size, where it has one */
void hki_grade_note(hk_sim *s, hk_note note, double value);
/* may leave the simulation's tree machine at another state */
void hki_grade(hk_sim *s, hk_verdict *v);

/* Causes (grade_cause.c). The fastest rate of the model at the start, 1/s; 0: not known. spin: the
 * largest rate of a rotation there. Leaves the simulation's tree machine at another state. */
double hki_grade_fastest(hk_sim *s, double *spin);
/* What is stored when the coordinates of the start are moved by a thousand roundings, or moves when places and rows of closures are
 * off by a hundred in a step, the larger one, J; 0: not known. Leaves the tree machine at another state. */
double hki_grade_rounding(hk_sim *s);
/* is the position with the largest change of the audit near a singular one? (grade_rank.c) */
bool hki_grade_singular(hk_sim *s);
/* a fixed step with which the run may become good, s */
double hki_grade_step_that_does(const hk_sim *s, const hk_verdict *v, double fastest);

#endif
