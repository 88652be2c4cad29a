/* SPDX-License-Identifier: Apache-2.0
 *
 * sweep.h: the inside of `hooke sweep`: what varies (sweep_plan.c), the runs (sweep_run.c), the table
 * (sweep.c).
 */
#ifndef HK_CLI_SWEEP_H
#define HK_CLI_SWEEP_H

#include "cli.h"

/* a parameter that varies: values of a list or a range, or the range to draw from */
typedef struct sweep_vary {
  char *name;
  const char *text; /* as it was given, behind the name */
  double *values;   /* n; NULL: a range to draw from */
  int n;
  double low, high;
} sweep_vary;

/* what is taken of a run: a number made of a channel */
typedef enum sweep_kind { SWEEP_FINAL, SWEEP_MIN, SWEEP_MAX, SWEEP_MEAN, SWEEP_RMS } sweep_kind;
typedef struct sweep_take {
  const char *text; /* as it was given */
  char *channel;
  sweep_kind kind;
} sweep_take;

/* one run */
typedef struct sweep_row {
  bool done;
  hk_status status;
  hk_grade grade;
  char message[300];
} sweep_row;

typedef struct sweep {
  const char *model;
  sweep_vary *vary; /* nvary */
  sweep_take *take; /* ntake */
  int nvary, ntake, nruns, jobs;
  double *parameter; /* nruns x nvary */
  double *value;     /* nruns x ntake */
  sweep_row *row;    /* nruns */
  hk_sim_options sim;
  const hk_set *sets; /* nsets: the same in every run */
  int nsets;
  const cli_args *args;
  const volatile int *stop;
  cli_progress progress;
} sweep;

/* --vary, --take, --samples, --seed and the parameters of all runs; false after a message */
bool sweep_plan(sweep *s);
void sweep_free(sweep *s);
/* the name of --plot; false after a message */
bool sweep_plot_read(const sweep *s);
/* writes it (sweep_plot.c) */
hk_status sweep_plot(const sweep *s, hk_ctx *ctx);
/* runs them all on s->jobs threads, until *s->stop */
void sweep_run(sweep *s);

#endif
