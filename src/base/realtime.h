/* SPDX-License-Identifier: Apache-2.0
 *
 * realtime.h: what the system gives to a loop that must keep a schedule: a clock in whole nanoseconds,
 * sleep until a time, a place in the schedule of the processor, memory that stays. And a histogram of
 * times, which counts without memory of its own to grow.
 */
#ifndef HK_BASE_REALTIME_H
#define HK_BASE_REALTIME_H

#include "base/base.h"

/* monotonic time, ns */
int64_t hki_now(void);
/* sleeps until this time; false: a signal ended the sleep before it */
bool hki_sleep_until(int64_t at);

/* --- the place of the calling thread --------------------------------------------------------------- */

typedef struct hk_rt_wish {
  int32_t policy;   /* HK_SCHEDULE_... */
  int32_t priority; /* of fifo, 1 to 99 */
  int32_t cpu;      /* processor to stay on, -1: any */
  bool lock;        /* memory stays where it is */
  int64_t period;   /* ns, for deadline */
} hk_rt_wish;

enum { HK_RT_WORDS = 600 };

/* Gives the calling thread what can be had; words: what could not, and why, "" when all is well. The
 * struct that it leaves takes all of it back. */
typedef struct hk_rt_place {
  hk_rt_wish had; /* what was had; policy 0, cpu -1 and lock false where it was not */
  bool pinned;
  unsigned char before[1024]; /* processors that the thread was allowed to use */
  int policy_before, priority_before;
} hk_rt_place;
void hki_rt_take(const hk_rt_wish *wish, hk_rt_place *place, char words[HK_RT_WORDS]);
void hki_rt_give_back(hk_rt_place *place);

/* page faults of the calling thread so far */
int64_t hki_rt_faults(void);

/* --- a histogram of times --------------------------------------------------------------------------- */

/* Bins of equal ratio: each octave has HK_BINS of them, so that a time is known to one part in HK_BINS.
 * Below HK_BINS ns the bins are whole nanoseconds. */
enum { HK_BIN_BITS = 5, HK_BINS = 1 << HK_BIN_BITS, HK_BIN_COUNT = (64 - HK_BIN_BITS) * HK_BINS };

typedef struct hk_histogram {
  int64_t n, most; /* how many; the largest, ns */
  double sum;
  int64_t bin[HK_BIN_COUNT];
} hk_histogram;

void hki_histogram_add(hk_histogram *h, int64_t ns);
/* the upper end of the bin in which the share p of all times ends, at most the largest, ns; 0 of none */
double hki_histogram_share(const hk_histogram *h, double p);
/* the ends of a bin, ns */
double hki_histogram_low(int32_t bin);
/* "name": {"p50": .., "p99": .., "p9999": .., "max": .., "mean": ..}, in microseconds; null of none */
void hki_histogram_json(const hk_histogram *h, const char *name, hk_text *t);
/* [[low, high, count], ..], us, at most four bins an octave, those that have some */
void hki_histogram_bins_json(const hk_histogram *h, hk_text *t);

#endif
