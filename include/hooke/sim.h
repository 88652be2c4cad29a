/* SPDX-License-Identifier: Apache-2.0
 *
 * hooke/sim.h: simulate a model, step by step or as a whole run with files.
 */
#ifndef HOOKE_SIM_H
#define HOOKE_SIM_H

#include "hooke/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hk_sim hk_sim;

/** An option of a formulation or integrator by name ("rho_inf", "penalty"). */
typedef struct hk_option {
  const char *name;
  const char *value;
} hk_option;

/** Zero or NULL = what the model file says, else the default. Always start from
 * hk_sim_options_def(). */
typedef struct hk_sim_options {
  uint32_t size;
  const char *formulation, *integrator;
  double step, time;
  int32_t substeps; /**< -1 as the model says, 0 off, 1 on */
  double tolerance;
  const hk_option *options;
  int32_t noptions;
} hk_sim_options;

HK_API hk_sim_options hk_sim_options_def(void);

/** What `hooke run --json` prints. Numbers that do not exist are NAN. */
typedef struct hk_summary {
  const char *model, *formulation, *integrator;
  int32_t bodies, coordinates, constraints, dof, redundant;
  double step_s, time_s;
  int64_t steps, rejected, iterations;
  double cpu_s, real_time_factor;
  double initial_J, final_J, max_drift_J, supplied_J, dissipated_J, balance_error_J;
  double position_max, velocity_max, acceleration_max;
  hk_status status;    /**< HK_OK, HK_INTERRUPTED or why it failed */
  const char *message; /**< "" when all is well */
} hk_summary;

/** Create: compile choices, assemble, start. The sim keeps the model alive. */
HK_API hk_status hk_sim_create(hk_model *m, const hk_sim_options *opt, hk_sim **out);
HK_API void hk_sim_destroy(hk_sim *s);

/** Advance by one step (the last one ends exactly at `time`). HK_OK, or why not. */
HK_API hk_status hk_sim_step(hk_sim *s);
/** 1 when the end time is reached. */
HK_API int32_t hk_sim_done(const hk_sim *s);
HK_API double hk_sim_time(const hk_sim *s);
HK_API void hk_sim_summary(hk_sim *s, hk_summary *out);

/** Recorded channels: name, unit, meaning, and the present value. */
HK_API int32_t hk_sim_channel_count(const hk_sim *s);
HK_API const char *hk_sim_channel_name(const hk_sim *s, int32_t i);
HK_API const char *hk_sim_channel_unit(const hk_sim *s, int32_t i);
HK_API const char *hk_sim_channel_text(const hk_sim *s, int32_t i);
/** 0: a component of a reaction that the model does not determine: constraints share it, or it lies
 * across the plane of a planar model. Judged at the start; the meaning of the channel says so too.
 */
HK_API int32_t hk_sim_channel_unique(const hk_sim *s, int32_t i);
/** All recorded channels at the present state into values[hk_sim_channel_count]. */
HK_API hk_status hk_sim_values(hk_sim *s, double *values);
/** One channel by name, recorded or not. NAN and HK_E_USAGE when unknown. */
HK_API hk_status hk_sim_value(hk_sim *s, const char *name, double *value);

/** Everything needed to go on bit by bit the same way. The file appears when it is complete. */
HK_API hk_status hk_sim_save(hk_sim *s, const char *path);
/** A file that is damaged or does not belong here is refused and leaves the simulation as it was.
 */
HK_API hk_status hk_sim_load(hk_sim *s, const char *path);

/* --- a whole run ---------------------------------------------------------------------------------
 */

typedef struct hk_progress {
  double time_s, end_s, real_time_factor, left_s; /**< left_s: estimated wall seconds */
  int64_t steps;
} hk_progress;

typedef struct hk_run_options {
  uint32_t size;
  const hk_sim_options *sim;
  const char *output;     /**< .csv or .nc; NULL = none */
  double output_every;    /**< seconds between recorded rows; 0 = every step */
  const char *checkpoint; /**< NULL = none */
  double checkpoint_every;
  const char *resume;                                 /**< NULL = from the start */
  void (*progress)(const hk_progress *p, void *user); /**< about five times a second; may be NULL */
  void *user;
  const volatile int *interrupt; /**< nonzero: stop after the present step, keep the results */
  const char *command;           /**< the command line, kept in the result file; may be NULL */
  const char *report;            /**< one HTML file with animation and plots; NULL = none */
  int32_t compress;              /**< of a .nc file: 0 = none, 1 fast ... 9 small */
} hk_run_options;

HK_API hk_run_options hk_run_options_def(void);

/** Runs to the end; the sim stays alive for its summary and final values. Also returned when the
 * run failed after it started (status in the summary). *out is NULL only when it could not start.
 */
HK_API hk_status hk_run(hk_model *m, const hk_run_options *opt, hk_sim **out);

/** The summary as the JSON object of `hooke run --json`; valid until the sim ends. */
HK_API const char *hk_sim_json(hk_sim *s);

#ifdef __cplusplus
}
#endif
#endif
