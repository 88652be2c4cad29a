/* SPDX-License-Identifier: Apache-2.0
 *
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

typedef struct hk_compare_progress {
  int32_t done, total; /**< runs; total grows while a search goes on */
  const char *formulation, *integrator;
  double step_s;
  double time_s, end_s; /**< of the present run */
} hk_compare_progress;

/** Zero or NULL = what the study file says, else everything there is. Always start from
 * hk_compare_options_def(). */
typedef struct hk_compare_options {
  uint32_t size;
  const char *const *formulations;
  int32_t nformulations;
  const char *const *integrators;
  int32_t nintegrators;
  const double *steps;
  int32_t nsteps;
  double time;
  const hk_set *sets; /**< after those of the study */
  int32_t nsets;
  const hk_option *options; /**< given to the methods that have them */
  int32_t noptions;
  const char *reference;       /**< a CSV file, "fine", or "fine:0.0001" */
  const char *const *channels; /**< largest errors of these against the reference */
  int32_t nchannels;
  int32_t largest_step; /**< 1: search for the largest step of each grade */
  int32_t repeat;       /**< runs of which the fastest gives the CPU time */
  void (*progress)(const hk_compare_progress *p, void *user);
  void *user;
  const volatile int *interrupt; /**< nonzero: stop, keep what is there */
} hk_compare_options;

HK_API hk_compare_options hk_compare_options_def(void);

/** One run. Numbers that do not exist are NAN. */
typedef struct hk_compare_row {
  const char *case_name; /**< "" when the study has no cases */
  const char *formulation, *integrator;
  double step_s;
  int32_t compatible; /**< 0: the two cannot be used together, the message says why */
  int32_t search;     /**< 1: run only in the search for the largest step */
  double end_s;       /**< the time reached */
  hk_summary summary; /**< status, message and all numbers of the run */
  double iterations_mean;
  int32_t iterations_max;
  double drift_percent; /**< largest drift of the energy audit in % of the largest kinetic energy */
  const double *measures; /**< one for each measure of the comparison */
  const int32_t *grades;  /**< 1 met, 0 not, one for each grade */
} hk_compare_row;

/** The answer of the search for one pair and one grade; rows by index, -1 = none. */
typedef struct hk_compare_largest {
  const char *case_name, *formulation, *integrator, *grade;
  int32_t row;     /**< the largest step before the first failure */
  int32_t failure; /**< the smallest step that failed */
  const char *why; /**< what failed there; "" when nothing did */
} hk_compare_largest;

typedef struct hk_comparison hk_comparison;

/** Run a comparison on a model file or a study file. *out is NULL when it could not start: the
 * context holds the messages. Failed runs do not make the comparison fail. */
HK_API hk_status hk_compare(hk_ctx *ctx, const char *path, const hk_compare_options *opt,
                            hk_comparison **out);
HK_API void hk_comparison_free(hk_comparison *c);

HK_API const char *hk_comparison_title(const hk_comparison *c);
HK_API int32_t hk_comparison_count(const hk_comparison *c);
HK_API const hk_compare_row *hk_comparison_row(const hk_comparison *c, int32_t i);
HK_API int32_t hk_comparison_measure_count(const hk_comparison *c);
HK_API const char *hk_comparison_measure_name(const hk_comparison *c, int32_t i);
HK_API const char *hk_comparison_measure_unit(const hk_comparison *c, int32_t i);
HK_API int32_t hk_comparison_grade_count(const hk_comparison *c);
HK_API const char *hk_comparison_grade_name(const hk_comparison *c, int32_t i);
HK_API int32_t hk_comparison_largest_count(const hk_comparison *c);
HK_API const hk_compare_largest *hk_comparison_largest_at(const hk_comparison *c, int32_t i);

/** The whole as a text: "text", "markdown", "csv" or "json" (an array of the objects of `hooke run
 * --json` with fields of its own). NULL: unknown format or out of memory. Valid until
 * hk_comparison_free. */
HK_API const char *hk_comparison_write(hk_comparison *c, const char *format);

/** The JSON schema of study files. Valid until the context ends. */
HK_API const char *hk_study_schema(hk_ctx *ctx);

#ifdef __cplusplus
}
#endif
#endif
