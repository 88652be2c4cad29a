/* SPDX-License-Identifier: Apache-2.0
 *
 * flight.c: see flight.h.
 */
#include "device/flight.h"

/* seconds of a launch that says something: its end is noticed 0.2 ms late at most (settle in device.c) */
static const double long_enough = 5e-3;
/* fewer blocks are not tried behind those that take this much longer than the best */
static const double much_longer = 1.5;

void hki_flight_begin(hk_flight *f, int32_t most, int32_t needed, bool spills) {
  *f = (hk_flight){.found = true};
  if (!spills || most < 2 || needed < 2) return;
  f->now = f->best = needed < most ? needed : most;
  f->found = false;
}

void hki_flight_learn(hk_flight *f, int32_t steps, double seconds) {
  const bool counts = f->warm && steps > 0 && seconds >= long_enough;
  f->warm = true;
  if (f->found || !counts) return;
  const double one = seconds / steps;
  const bool worse = f->least > 0.0 && one > much_longer * f->least;
  if (f->least == 0.0 || one < f->least) f->best = f->now, f->least = one;
  f->found = worse || f->now == 1;
  f->now = f->found ? f->best : f->now - 1;
}
