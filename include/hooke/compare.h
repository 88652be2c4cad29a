/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * hooke/compare.h: formulations x integrators x steps on one model, side by side: errors, CPU
 * time, iterations, and the largest step that still gives a correct answer. A run that fails is a
 * row like any other.
 */
#ifndef HOOKE_COMPARE_H
#define HOOKE_COMPARE_H

#include "hooke/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How far a comparison is. */
typedef struct hk_compare_progress {
  int32_t done;            /**< runs that are done */
  int32_t total;           /**< runs in all; grows while a search goes on */
  const char *formulation; /**< of the present run */
  const char *integrator;  /**< of the present run */
  double step_s;           /**< of the present run, s */
  double time_s;           /**< simulated time of the present run, s */
  double end_s;            /**< its end, s */
} hk_compare_progress;

/** Zero or NULL = what the study file says, else everything there is. Always start from
 * hk_compare_options_def(). */
typedef struct hk_compare_options {
  uint32_t size; /**< of this struct in bytes; hk_compare_options_def() fills it in */
  const char *const *formulations; /**< names, `nformulations` of them */
  int32_t nformulations;           /**< how many */
  const char *const *integrators;  /**< names, `nintegrators` of them */
  int32_t nintegrators;            /**< how many */
  const double *steps;             /**< time steps in s, `nsteps` of them */
  int32_t nsteps;                  /**< how many */
  double time;                     /**< end of each run, s */
  const hk_set *sets;              /**< parameters of the model, after those of the study */
  int32_t nsets;                   /**< how many */
  const hk_option *options;        /**< given to the methods that have them */
  int32_t noptions;                /**< how many */
  const char *reference;           /**< a CSV file, "fine", or "fine:0.0001" */
  const char *const *channels;     /**< largest errors of these against the reference */
  int32_t nchannels;               /**< how many */
  int32_t largest_step;            /**< 1: search for the largest step of each grade */
  int32_t repeat;                  /**< runs of which the fastest gives the CPU time */
  void (*progress)(const hk_compare_progress *p, void *user); /**< told now and then; may be NULL */
  void *user;                                                 /**< given to `progress` as it is */
  const volatile int *interrupt; /**< nonzero: stop, keep what is there; may be NULL */
  double tolerance;              /**< of the iteration in each step */
} hk_compare_options;

/** The defaults, written into a struct of the caller's version.
 * @param opt the struct; NULL is allowed
 * @param size its size in bytes, as the caller knows it */
HK_API void hk_compare_options_init(hk_compare_options *opt, uint32_t size);

/** Options that change nothing.
 * @return a struct with its `size` filled in */
static inline hk_compare_options hk_compare_options_def(void) {
  hk_compare_options opt;
  hk_compare_options_init(&opt, (uint32_t)sizeof opt);
  return opt;
}

/** One run. Numbers that do not exist are NAN. */
typedef struct hk_compare_row {
  const char *case_name;   /**< "" when the study has no cases */
  const char *formulation; /**< its name */
  const char *integrator;  /**< its name */
  double step_s;           /**< time step, s */
  int32_t compatible;      /**< 0: the two cannot be used together, the message says why */
  int32_t search;          /**< 1: run only in the search for the largest step */
  double end_s;            /**< the time reached, s */
  hk_summary summary;      /**< status, message and all numbers of the run */
  double iterations_mean;  /**< iterations per step */
  int32_t iterations_max;  /**< most iterations of a step */
  double drift_percent;    /**< see hk_sim_drift_percent() */
  const double *measures;  /**< one for each measure of the comparison */
  const int32_t *grades;   /**< 1 met, 0 not, one for each grade */
  hk_grade grade;          /**< of the run itself; HK_GRADE_NONE: it did not start */
} hk_compare_row;

/** The answer of the search for one pair and one grade; rows by index, -1 = none. */
typedef struct hk_compare_largest {
  const char *case_name;   /**< "" when the study has no cases */
  const char *formulation; /**< its name */
  const char *integrator;  /**< its name */
  const char *grade;       /**< what counts as correct */
  int32_t row;             /**< the largest step before the first failure */
  int32_t failure;         /**< the smallest step that failed */
  const char *why;         /**< what failed there; "" when nothing did */
} hk_compare_largest;

/** A comparison that was made. */
typedef struct hk_comparison hk_comparison;

/** Run a comparison on a model file or a study file. Failed runs do not make it fail.
 * @param ctx the context
 * @param path the model file or study file
 * @param opt what to compare; NULL: as the file says
 * @param out the comparison, to be given to hk_comparison_free(); NULL when it could not start: the
 *        context holds the messages
 * @return HK_OK, HK_INTERRUPTED (with the rows so far), or why it could not start */
HK_API hk_status hk_compare(hk_ctx *ctx, const char *path, const hk_compare_options *opt,
                            hk_comparison **out);

/** Free a comparison.
 * @param c the comparison; NULL is allowed */
HK_API void hk_comparison_free(hk_comparison *c);

/** The title of the study, or of the model.
 * @param c the comparison
 * @return the title */
HK_API const char *hk_comparison_title(const hk_comparison *c);

/** How many runs it has.
 * @param c the comparison
 * @return the number of rows */
HK_API int32_t hk_comparison_count(const hk_comparison *c);

/** One run.
 * @param c the comparison
 * @param i from 0 to hk_comparison_count() - 1
 * @return the row, valid until hk_comparison_free(); NULL when there is none of this number */
HK_API const hk_compare_row *hk_comparison_row(const hk_comparison *c, int32_t i);

/** How many measures each row has.
 * @param c the comparison
 * @return the number of measures */
HK_API int32_t hk_comparison_measure_count(const hk_comparison *c);

/** The name of a measure.
 * @param c the comparison
 * @param i from 0 to hk_comparison_measure_count() - 1
 * @return the name; NULL when there is no measure of this number */
HK_API const char *hk_comparison_measure_name(const hk_comparison *c, int32_t i);

/** The unit of a measure.
 * @param c the comparison
 * @param i from 0 to hk_comparison_measure_count() - 1
 * @return the unit; NULL when there is no measure of this number */
HK_API const char *hk_comparison_measure_unit(const hk_comparison *c, int32_t i);

/** How many grades of correctness there are.
 * @param c the comparison
 * @return the number of grades */
HK_API int32_t hk_comparison_grade_count(const hk_comparison *c);

/** The name of a grade.
 * @param c the comparison
 * @param i from 0 to hk_comparison_grade_count() - 1
 * @return the name; NULL when there is no grade of this number */
HK_API const char *hk_comparison_grade_name(const hk_comparison *c, int32_t i);

/** How many answers the search for the largest step gave.
 * @param c the comparison
 * @return their number; 0 when there was no search */
HK_API int32_t hk_comparison_largest_count(const hk_comparison *c);

/** One answer of the search for the largest step.
 * @param c the comparison
 * @param i from 0 to hk_comparison_largest_count() - 1
 * @return the answer, valid until hk_comparison_free(); NULL when there is none of this number */
HK_API const hk_compare_largest *hk_comparison_largest_at(const hk_comparison *c, int32_t i);

/** The whole as a text.
 * @param c the comparison
 * @param format "text", "markdown", "csv" or "json" (an array of the objects of `hooke run --json`
 *        with fields of its own)
 * @return the text, valid until hk_comparison_free(); NULL: unknown format or out of memory */
HK_API const char *hk_comparison_write(hk_comparison *c, const char *format);

/** The JSON schema of study files.
 * @param ctx the context, which keeps the text
 * @return the text, valid until the context ends; NULL when out of memory */
HK_API const char *hk_study_schema(hk_ctx *ctx);

#ifdef __cplusplus
}
#endif
#endif
