/* SPDX-License-Identifier: Apache-2.0
 *
 * rate.h: what the stages before have shown of the rate of Newton's iteration, so that a stage can end after its
 * first correction (newton.c; guest/guest.c for programs that are followed). As E. Hairer, G. Wanner, Solving Ordinary
 * Differential Equations II, section IV.8, carry the rate over from step to step.
 *
 * A stage of two and more iterations keeps its first two corrections d1, d2. The first correction d of a later one
 * leaves about
 *
 *   d2 max(1, d/d1)^2
 *
 * which holds for rates that are constant (d2 d/d1) and for those of Newton's method (d2 (d/d1)^2). It is believed in
 * for a number of stages with the same ca and corrections up to twice d1, twofold, and no rate better than 1e-3. All numbers
 * are doubles and there are no branches, since programs keep them in their state.
 */
#ifndef HK_STAGE_RATE_H
#define HK_STAGE_RATE_H

#include <math.h>

#include "stage/stage.h"

/* stages that may end by one measurement; how much more than expected a correction may leave; the best rate that is
 * believed in; growth of the first correction; relative change of ca; what is left where nothing is known */
#define HK_RATE_STAGES  16.0
#define HK_RATE_SAFE    2.0
#define HK_RATE_BEST    1e-3
#define HK_RATE_GROWTH  2.0
#define HK_RATE_SAME    1e-6
#define HK_RATE_UNKNOWN 1e30
/* a first correction above this is not near enough for the rate to say much */
#define HK_RATE_NEAR 0.02
/* largest last correction of a stage that ends by its rate, times the tolerance (newton.c) */
#define HK_RATE_LAST 1e2

static inline void hki_rate_forget(hk_newton_rate *r) { *r = (hk_newton_rate){0}; }

static inline void hki_rate_begin(hk_newton_rate *r) { r->turns = r->now[0] = r->now[1] = 0.0; }

/* a correction of this size was made */
static inline void hki_rate_turn(hk_newton_rate *r, double size) {
  r->turns += 1.0;
  r->now[0] = r->turns == 1.0 ? size : r->now[0];
  r->now[1] = r->turns == 2.0 ? size : r->now[1];
}

/* largest first correction that may be the last one at this tolerance */
static inline double hki_rate_last(double tolerance) {
  return tolerance < HK_RATE_FINE ? 0.0 : HK_RATE_LAST * tolerance;
}

/* The error that a stage is measured by: of a prediction that repeats the last step (hk_stage.ahead), but no error that
 * is too large to be measured by. With fine tolerances it is the correction itself. */
static inline double hki_rate_whole(double tolerance, double size, double whole) {
  const double most = whole < HK_RATE_NEAR ? whole : HK_RATE_NEAR;
  return tolerance < HK_RATE_FINE || size > most ? size : most;
}

/* what the first correction leaves, of this size, in a stage with this ca */
static inline double hki_rate_left(const hk_newton_rate *r, double tolerance, double ca,
                                   double size) {
  const double more = size > r->first ? size / r->first : 1.0;
  const double by_rate = HK_RATE_SAFE * r->second * more * more, least = HK_RATE_BEST * size;
  const double left = by_rate > least ? by_rate : least;
  const int known = (r->uses > 0.0) & (tolerance >= HK_RATE_FINE) &
                    (size <= HK_RATE_GROWTH * r->first) & (fabs(r->ca - ca) <= HK_RATE_SAME * ca);
  return known ? left : HK_RATE_UNKNOWN;
}

/* a stage with this ca has ended */
static inline void hki_rate_end(hk_newton_rate *r, double ca) {
  const int many = r->turns > 1.0;
  const double one_less = r->uses > 0.0 ? r->uses - 1.0 : 0.0;
  r->uses = many ? HK_RATE_STAGES : one_less;
  r->first = many ? r->now[0] : r->first;
  r->second = many ? r->now[1] : r->second;
  r->ca = many ? ca : r->ca;
}

#endif
