/* SPDX-License-Identifier: Apache-2.0
 *
 * assume.h: decisions by numbers that come out the same for every state of a model but for singular ones: whether a direction of a joint
 * depends on those before it. The library decides anew each time. A program that is made of its step (decision 0132) has the decision of
 * the model's start, with what follows from it known in size; where the numbers decide otherwise it says so.
 */
#ifndef HK_BASE_ASSUME_H
#define HK_BASE_ASSUME_H

#include <stdbool.h>

#ifdef HK_FOLLOWED
bool hki_assumed(bool x); /* guest/guest.c */
#else
static inline bool hki_assumed(bool x) { return x; }
#endif

#endif
