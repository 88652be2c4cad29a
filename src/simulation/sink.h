/* SPDX-License-Identifier: Apache-2.0
 *
 * sink.h: where recorded rows go. The simulation knows only this; the result writers (io/) fill it.
 */
#ifndef HK_SIMULATION_SINK_H
#define HK_SIMULATION_SINK_H

#include "base/base.h"

typedef struct hk_sink hk_sink;
struct hk_sink {
  hk_status (*row)(hk_sink *self, double t, const double *values); /* one recorded row */
  /* finish: flush, add the summary, put the file in place; called once, also after failures */
  hk_status (*close)(hk_sink *self, const char *summary_json);
  double busy; /* seconds on the wall that rows and frames have spent in files, now and then */
};

#endif
