/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * hooke/realtime.h: run a model in step with the clock.
 *
 * The loop sleeps to absolute times of the monotonic clock, steps, and hands rows over to a thread that
 * writes them. While it runs it allocates nothing, opens and writes no file and, with its memory locked,
 * causes no page fault. How well it kept the schedule is counted.
 */
#ifndef HOOKE_REALTIME_H
#define HOOKE_REALTIME_H

#include "hooke/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a period waits for. */
typedef enum hk_pace {
  HK_PACE_CLOCK = 0, /**< the clock: a period begins every `period` seconds */
  HK_PACE_FAST = 1,  /**< nothing: as fast as it goes, with the same statistics */
  HK_PACE_IO = 2 /**< the streams of the model that block: a period begins when they have data */
} hk_pace;

/** What follows a period whose step was not done at its end. */
typedef enum hk_overrun {
  HK_OVERRUN_SLIP = 0, /**< the next period begins at once, and the whole schedule moves with it */
  HK_OVERRUN_SKIP =
      1, /**< the schedule stays; periods that have begun meanwhile are left out, and the
                                model is so much behind the clock from then on */
  HK_OVERRUN_CATCH_UP = 2, /**< the schedule stays; steps follow each other until it is met again */
  HK_OVERRUN_STOP = 3      /**< the run ends */
} hk_overrun;

/** How the system shares out the processor. */
typedef enum hk_schedule {
  HK_SCHEDULE_OTHER = 0,   /**< as to any program */
  HK_SCHEDULE_FIFO = 1,    /**< SCHED_FIFO with a fixed priority */
  HK_SCHEDULE_DEADLINE = 2 /**< SCHED_DEADLINE: nine tenths of each period are reserved */
} hk_schedule;

/** How to run in real time. Always start from hk_realtime_options_def(). */
typedef struct hk_realtime_options {
  uint32_t size;             /**< of this struct in bytes */
  const hk_run_options *run; /**< files, methods, interruption; NULL: nothing is written */
  double period;      /**< seconds; 0: the step of the model. Without a step in `run`, the step of
                                  the model becomes the period; else it must go into it a whole number of
                                  times */
  int32_t iterations; /**< of Newton's method in a step, which is then accepted as it is; 0: as the
                                  model says (`fixed_iterations`), -1: to convergence */
  int32_t pace;       /**< HK_PACE_... */
  int32_t overrun;    /**< HK_OVERRUN_... */
  int32_t schedule;   /**< HK_SCHEDULE_...; what cannot be had is left out with a note */
  int32_t priority;   /**< of HK_SCHEDULE_FIFO: 1 to 99 */
  int32_t cpu;        /**< the processor to stay on; -1: any */
  int32_t unlocked;   /**< 1: do not lock memory */
  hk_status (*each)(hk_sim *s,
                    void *user); /**< called before the steps of every period, in the thread
                          of the loop: it may read values, set inputs and parameters (hooke/live.h).
                          Inputs, and parameters that events of the model set, allocate nothing;
                          others read the model again, which takes its time. Anything but HK_OK
                          ends the run with that status. NULL: nothing is called */
  void *user;                    /**< for `each` */
} hk_realtime_options;

/** The defaults, written into a struct of the caller's version.
 * @param opt the struct; NULL is allowed
 * @param size its size in bytes, as the caller knows it */
HK_API void hk_realtime_options_init(hk_realtime_options *opt, uint32_t size);

/** Options that run a model by the clock with its own step.
 * @return a struct with its `size` filled in */
static inline hk_realtime_options hk_realtime_options_def(void) {
  hk_realtime_options opt;
  hk_realtime_options_init(&opt, (uint32_t)sizeof opt);
  return opt;
}

/** Times of a run in real time, microseconds. */
typedef struct hk_realtime_times {
  double p50;   /**< half of them were no longer */
  double p99;   /**< of a hundred one was longer */
  double p9999; /**< of ten thousand one was longer */
  double max;   /**< the longest */
  double mean;  /**< their mean */
} hk_realtime_times;

/** How a run kept its schedule. */
typedef struct hk_realtime_summary {
  uint32_t size;             /**< of this struct in bytes, set by the caller */
  int64_t periods;           /**< that were run */
  int64_t missed;            /**< of these, whose step was not done at the end of the period */
  int64_t skipped;           /**< periods left out (HK_OVERRUN_SKIP) */
  int64_t lost_rows;         /**< rows of results that the writing thread was too slow for */
  int64_t page_faults;       /**< of the loop, after its start */
  int64_t accepted;          /**< steps that were accepted before the iteration had converged */
  double left;               /**< the largest correction that such a step ended with, scaled */
  hk_realtime_times wake_us; /**< from the time a period should begin to when the loop woke up */
  hk_realtime_times step_us; /**< from there to the end of its steps, without waiting for streams */
} hk_realtime_summary;

/** Run a model in real time, to its end.
 * @param m the model
 * @param opt how; NULL: by the clock, with the model's own step, nothing is written
 * @param out the simulation, to be given to hk_sim_destroy(); NULL only when it could not start.
 *        hk_sim_json() has the statistics
 * @return HK_OK, HK_INTERRUPTED, HK_E_USAGE (options, or methods whose steps take no fixed time), or why
 *         it failed */
HK_API hk_status hk_realtime(hk_model *m, const hk_realtime_options *opt, hk_sim **out);

/** How the run that hk_realtime() made kept its schedule.
 * @param s the simulation
 * @param out the numbers
 * @return HK_OK; HK_E_USAGE: it was not run in real time */
HK_API hk_status hk_sim_realtime(const hk_sim *s, hk_realtime_summary *out);

#ifdef __cplusplus
}
#endif
#endif
