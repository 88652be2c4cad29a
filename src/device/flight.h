/* SPDX-License-Identifier: Apache-2.0
 *
 * flight.h: how many worlds take their steps at once on a card. What does not fit the registers of a thread lies in the memory of the
 * card, behind caches that all threads share. With all the threads that a card can hold these numbers may be more than its caches hold,
 * and every load waits for the memory; with half of them they may fit. Which is faster depends on the model and on the card: the
 * first launches try, a block less on each processor each time, and the fastest is kept. Worlds do not speak with each other, so
 * that results are the same.
 */
#ifndef HK_DEVICE_FLIGHT_H
#define HK_DEVICE_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct hk_flight {
  int32_t now; /* blocks of the next launch on each processor; 0: all at once, nothing is tried */
  int32_t best;
  double least; /* seconds of a step of all worlds with `best`; 0: not known yet */
  bool warm;    /* a launch has been: the first one of a program takes longer */
  bool found;   /* `now` stays */
} hk_flight;

/* most: blocks that a processor holds at once; needed: blocks for each processor that all worlds need; spills: is there memory beside
 * registers? */
void hki_flight_begin(hk_flight *f, int32_t most, int32_t needed, bool spills);
/* A launch of so many steps with `now` blocks took so long. Short ones say nothing. */
void hki_flight_learn(hk_flight *f, int32_t steps, double seconds);

#endif
