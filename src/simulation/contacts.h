/* SPDX-License-Identifier: Apache-2.0
 *
 * contacts.h: what holds coordinates of joints in one direction or for a while: rigid stops
 * (sim_stops.c), friction that sticks exactly (sim_locks.c), and the ends of compliant stops
 * (sim_touch.c). Part of simulation.h.
 */
#ifndef HK_SIMULATION_CONTACTS_H
#define HK_SIMULATION_CONTACTS_H

#include "hooke/sim.h"

/* impacts so far (sim_stops.c); all of it is persistent */
typedef struct hk_impacts {
  int64_t count;     /* impacts */
  int64_t releases;  /* of coordinates that rested on a stop */
  double left;       /* when the first of them was, s */
  int32_t leaver;    /* and its stop */
  double energy;     /* J, what they took */
  double largest, t; /* the largest impulse, N*s or N*m*s; when, s */
  double last;       /* when stops acted last, s */
  int32_t stop;      /* of the largest impulse */
  int32_t repeats;   /* how often they acted at that time */
} hk_impacts;

/* what an event does with the rate of a coordinate, beside nothing */
typedef enum hk_given { HK_GIVEN_REBOUND = 1, HK_GIVEN_RATE = 2 } hk_given;

/* friction at rigid stops, in impacts (sim_impact.c) */
typedef struct hk_rub_at {
  int32_t force, stop; /* model force; the stop that presses it */
  uint8_t ends;        /* at which ends of it */
} hk_rub_at;
typedef struct hk_rub_row {
  int32_t stop, force; /* force HK_NONE: the row of the stop itself */
  int32_t part, parts; /* which of the slips that slide together, their number */
  double mu;
} hk_rub_row;
typedef struct hk_rubs {
  int32_t n, rows;
  hk_rub_at *list;              /* n */
  hk_rub_row *row;              /* rows: of the impact under way */
  double *R, *X, *W;            /* rows x nv, rows x nv, rows x rows */
  double *before, *free, *rate; /* rows: rates before it, without impulses of stops, after it */
  double *p, *least;            /* rows: impulses; rates that stops give at least */
} hk_rubs;

/* rigid stops (sim_stops.c). An end is 2 stop, the lower one, or 2 stop + 1. */
typedef struct hk_stops {
  int32_t n;
  double *g0, *r0;                 /* 2 n: distances from the ends and rates when a step begins */
  double *before, *after, *target; /* n: rates in an impact; least ones behind it */
  double *lost;                    /* n: energy that the last impact took, J */
  double *v, *a, *p;               /* values, values, rows: scratch */
  int32_t *side;                   /* n: the end that is touched, HK_NONE */
  uint8_t *pushes;                 /* n */
  uint8_t *given;                  /* n: hk_given, by an event */
  hk_impacts impacts;
  hk_rubs rubs;
} hk_stops;

/* friction that sticks exactly (sim_locks.c) */
typedef struct hk_locks {
  int32_t n;
  double *a, *N;   /* values, nnormal: scratch */
  double size;     /* of accelerations, since the last jump of velocities */
  uint8_t *caught; /* n: it slides and has turned back */
  uint8_t *was;    /* n: it was held before a jump of velocities */
  uint8_t *alone;  /* n: nothing but its own lock can hold it */
} hk_locks;

/* an end of a compliant stop (sim_touch.c) */
typedef struct hk_touch {
  int32_t scalar; /* its coordinate */
  double at;      /* where it is */
  bool jumps;     /* the force jumps there */
  double before;  /* distance when a step began */
} hk_touch;
typedef struct hk_touches {
  int32_t n;
  hk_touch *list; /* n */
} hk_touches;

/* rigid stops (sim_stops.c) */
hk_status hki_sim_stops(hk_sim *s); /* memory */
/* Velocities onto the constraints in the mass metric at the accepted state, for events and jumps:
 * stops that are touched push, but do not pull. */
hk_status hki_sim_project(hk_sim *s);
/* the next hki_sim_project gives the coordinate of these limits a rate: value, or of a rebound -value
 * times the present one */
void hki_sim_give_rate(hk_sim *s, int32_t limit, hk_given how, double value);
/* At the state of kin: has a coordinate passed a stop, or would a stop pull? While a stop holds, qt
 * and vt must be those of that state. */
bool hki_sim_stop_due(const hk_sim *s);
bool hki_sim_stops_held(const hk_sim *s); /* does one hold? */
/* coordinates that are at rest on a stop at the start are held from then on */
hk_status hki_sim_stops_start(hk_sim *s);
/* lets go of stops that would pull and of locks that their cones do not hold, after a restart */
hk_status hki_sim_stops_settle(hk_sim *s);
/* impacts and releases that are due at the accepted state */
hk_status hki_sim_stops_fire(hk_sim *s, bool *any);
int32_t hki_sim_stop_joint(const hk_sim *s, int32_t i); /* spec joint */
/* after a run: a note about impacts */
void hki_sim_tell_impacts(hk_sim *s);
/* within a step: from the state of kin at its beginning and that at its end, h later, the first end
 * that is passed, HK_NONE: none; root: at which fraction of the step, past: one behind it */
void hki_sim_stops_begin(hk_sim *s);
int32_t hki_sim_stops_ahead(const hk_sim *s, double h, double *root, double *past);
double hki_sim_stop_near(const hk_sim *s, int32_t end); /* what counts as no distance */
/* distance from an end at the state of kin, negative just where it counts as passed */
double hki_sim_stop_distance(const hk_sim *s, int32_t end);

/* a rate of stop i that counts as zero */
double hki_sim_stop_slow(const hk_sim *s, int32_t i);

/* friction at rigid stops, in impacts (sim_impact.c) */
hk_status hki_sim_rubs(hk_sim *s); /* memory */
/* does something rub on a stop that is touched (z->side)? */
bool hki_sim_rub_touched(const hk_stops *z);
/* Impulses of the stops that are touched and of what rubs on them, while no row of a stop is on: which of
 * them push, their impulses and rates after it, and the velocities of the formulation. */
hk_status hki_sim_rub_impact(hk_sim *s);
/* energy that friction on a stop took in the last impact, J */
double hki_sim_rub_lost(const hk_stops *z, int32_t stop);

/* friction that sticks exactly (sim_locks.c) */
hk_status hki_sim_locks(hk_sim *s);       /* memory */
bool hki_sim_locks_held(const hk_sim *s); /* does one hold? */
/* at the state of kin, which must be in qt and vt where one holds: the one that has turned back, or
 * that its cone no longer holds; HK_NONE: none */
int32_t hki_sim_lock_due(const hk_sim *s);
/* positive until one is due; what counts as zero */
double hki_sim_lock_margin(const hk_sim *s, int32_t i);
double hki_sim_lock_near(const hk_sim *s, int32_t i);
/* before and after a jump of velocities: all let go; those at rest hold, the others slide */
void hki_sim_locks_open(hk_sim *s);
hk_status hki_sim_locks_close(hk_sim *s);
/* changes one that does not agree with the forces at an accepted state, after which it needs a restart
 */
hk_status hki_sim_locks_pivot(hk_sim *s, bool *changed);
hk_status hki_sim_locks_start(hk_sim *s);
hk_status hki_sim_locks_fire(hk_sim *s, bool *any);
/* the forces that are held, for channels; at an accepted state */
void hki_sim_locks_note(hk_sim *s);

/* compliant stops (sim_touch.c) */
hk_status hki_sim_touches(hk_sim *s);  /* memory */
void hki_sim_touches_begin(hk_sim *s); /* at the beginning of a step */
/* the first end that was passed since, at the state of kin; HK_NONE: none */
int32_t hki_sim_touches_ahead(const hk_sim *s);
/* distance of a coordinate from an end, and what counts as zero */
double hki_sim_touch_distance(const hk_sim *s, int32_t i);
double hki_sim_touch_near(const hk_sim *s, int32_t i);

#endif
