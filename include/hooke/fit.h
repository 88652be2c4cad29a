/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * hooke/fit.h: parameters of a model that make its runs fit measured data.
 *
 * Data are a table over time whose columns are named like channels: a .csv or .nc result. The sum of the
 * squared differences between data and run, each channel in units of its range, is made as small as bounds
 * allow. How well the data determine each parameter is told by an interval, and parameters that they do not
 * determine are named.
 */
#ifndef HOOKE_FIT_H
#define HOOKE_FIT_H

#include "hooke/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What was found. */
typedef struct hk_fit hk_fit;

/** A parameter to find. */
typedef struct hk_fit_parameter {
  const char *name; /**< of the model or of an instance, as in `--set` */
  double low;       /**< smallest value that is allowed; -INFINITY: any */
  double high;      /**< largest value that is allowed; INFINITY: any */
} hk_fit_parameter;

/** What to fit, and to what. */
typedef struct hk_fit_options {
  uint32_t size;       /**< of this struct; hk_fit_options_def() fills it in */
  int32_t nparameters; /**< how many */
  const hk_fit_parameter
      *parameters;               /**< those to find; the search begins at the model's own values */
  const char *data;              /**< table over time, .csv or .nc */
  const hk_sim_options *sim;     /**< methods and step; NULL: as the model file says */
  const hk_set *sets;            /**< parameters that have other values than in the model */
  int32_t nsets;                 /**< how many */
  int32_t iterations;            /**< at most so many */
  const volatile int *interrupt; /**< nonzero: stop; may be NULL */
} hk_fit_options;

/** Fills options with their defaults.
 * @param opt the options; NULL is allowed
 * @param size its size in bytes, as the caller knows it */
HK_API void hk_fit_options_init(hk_fit_options *opt, uint32_t size);

/** Options with their defaults.
 * @return the options */
static inline hk_fit_options hk_fit_options_def(void) {
  hk_fit_options opt;
  hk_fit_options_init(&opt, (uint32_t)sizeof opt);
  return opt;
}

/** One parameter as it was found. */
typedef struct hk_fitted {
  uint32_t size;    /**< of this struct, as the caller knows it */
  const char *name; /**< of the parameter */
  double value;     /**< the best */
  double low;  /**< of the interval that holds the true value with 95 %, for noise without memory */
  double high; /**< its other end; both NAN where the data do not determine it */
  double start;     /**< where the search began */
  int32_t bound;    /**< -1 or 1: it is at its bound, low or high; 0: it is not */
  const char *note; /**< what is wrong with it, in words; "" when nothing is */
} hk_fitted;

/** Fit parameters.
 * @param ctx the context
 * @param model path of the model
 * @param opt what to fit
 * @param out what was found, to be given to hk_fit_free(); NULL on failure
 * @return HK_OK, HK_INTERRUPTED; HK_E_USAGE: unknown parameters or channels, no data; HK_E_DIVERGED: no
 *   run at the start, or no convergence; HK_E_MODEL, HK_E_FILE, HK_E_MEMORY */
HK_API hk_status hk_fit_find(hk_ctx *ctx, const char *model, const hk_fit_options *opt,
                             hk_fit **out);

/** End.
 * @param f what was found; NULL is allowed */
HK_API void hk_fit_free(hk_fit *f);

/** How many parameters.
 * @param f what was found
 * @return their number */
HK_API int32_t hk_fit_count(const hk_fit *f);

/** One of them.
 * @param f what was found
 * @param i from 0 to hk_fit_count() - 1
 * @param out the parameter; `size` must be set
 * @return HK_OK, HK_E_USAGE */
HK_API hk_status hk_fit_parameter_at(const hk_fit *f, int32_t i, hk_fitted *out);

/** The covariance of two parameters, for noise that is independent from row to row; of one with itself the square of
 * its standard deviation.
 * @param f the fit
 * @param i from 0
 * @param j from 0
 * @return the covariance, in units of both; NAN where the data do not determine one of them */
HK_API double hk_fit_covariance(const hk_fit *f, int32_t i, int32_t j);

/** Root of the mean squared difference left, each channel in units of the range of its data.
 * @param f what was found
 * @return the root; NAN when `f` is none */
HK_API double hk_fit_rms(const hk_fit *f);

/** How many runs it took.
 * @param f what was found
 * @return their number */
HK_API int32_t hk_fit_evaluations(const hk_fit *f);

#ifdef __cplusplus
}
#endif
#endif
