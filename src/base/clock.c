/* SPDX-License-Identifier: Apache-2.0
 *
 * clock.c: CPU time and monotonic time in seconds.
 */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "base/base.h"

static double seconds(clockid_t id) {
  struct timespec ts;
  if (clock_gettime(id, &ts) != 0) return 0.0;
  return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

double hki_cpu_seconds(void) { return seconds(CLOCK_THREAD_CPUTIME_ID); }

double hki_wall_seconds(void) { return seconds(CLOCK_MONOTONIC); }
