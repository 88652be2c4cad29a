/* SPDX-License-Identifier: Apache-2.0
 *
 * fit_impl.h: shared by the runs of a fit (fit.c) and its search (fit_search.c).
 */
#ifndef HK_API_FIT_IMPL_H
#define HK_API_FIT_IMPL_H

#include "base/argument.h"
#include "hooke/fit.h"

typedef struct fitted {
  const char *name;
  double value, low, high; /* the interval */
  double start, scale;     /* the unit of the search */
  double least, most;      /* bounds */
  int32_t bound;
  const char *note;
} fitted;

struct hk_fit {
  hk_mark mark;
  hk_ctx *ctx;
  hk_pool *pool;
  const hk_fit_options *opt;
  const char *model;
  fitted *par; /* n */
  int32_t n, evaluations;
  /* data */
  int32_t nchannels;
  const char **channel; /* nchannels */
  int64_t rows;
  double *t;          /* rows */
  double *y;          /* rows x nchannels */
  double *range;      /* nchannels: unit of the differences */
  double cost;        /* sum of the squared differences */
  double *covariance; /* n x n, in units of the parameters; NULL: not found */
};

/* differences of all data, run minus data, in units of their ranges. loud: messages go to the caller's
 * context. HK_RETRY: there is no such run. */
hk_status hki_fit_run(hk_fit *f, const double *value, bool loud, double *r);
static inline int64_t hki_fit_size(const hk_fit *f) { return f->rows * f->nchannels; }
static inline bool hki_fit_stopped(const hk_fit *f) {
  return f->opt->interrupt && *f->opt->interrupt;
}
/* the search from par[].start; value and interval of every parameter */
hk_status hki_fit_search(hk_fit *f);

#endif
