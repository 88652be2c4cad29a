/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * hooke/sim.h: simulate a model, step by step or as a whole run with files.
 */
#ifndef HOOKE_SIM_H
#define HOOKE_SIM_H

#include "hooke/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A simulation: a model, a formulation, an integrator and a state that advances. */
typedef struct hk_sim hk_sim;

/** An option of a formulation or integrator. */
typedef struct hk_option {
  const char *name;  /**< "rho_inf", "penalty"; see `hooke info NAME` of the method */
  const char *value; /**< a number, or one of the option's words */
} hk_option;

/** Zero or NULL = what the model file says, else the default. Always start from
 * hk_sim_options_def(). */
typedef struct hk_sim_options {
  uint32_t size;            /**< of this struct in bytes; hk_sim_options_def() fills it in */
  const char *formulation;  /**< see `hooke list formulations`; "auto": chosen from the model */
  const char *integrator;   /**< see `hooke list integrators` */
  double step;              /**< time step, s */
  double time;              /**< end of the simulation, s */
  int32_t substeps;         /**< retry failed steps in parts: -1 as the model says, 0 off, 1 on */
  double tolerance;         /**< of the iteration in each step */
  const hk_option *options; /**< options of the methods, `noptions` of them */
  int32_t noptions;         /**< how many */
  double memory;            /**< bytes that the run may take; 0: four fifths of what the system, the
                                 control group and the limits of the process leave */
  int32_t equilibrium;      /**< the start: 0 as the model says, 1 at rest in an equilibrium, 2 in a
                                 steady equilibrium at the start's velocities (`equilibrium: steady`) */
  int32_t
      kinematics; /**< 1: every freedom must be prescribed, and bodies need no mass; the method of
                                 steps does not matter then, and energies are not looked at */
} hk_sim_options;

/** The defaults, written into a struct of the caller's version.
 * @param opt the struct; NULL is allowed
 * @param size its size in bytes, as the caller knows it */
HK_API void hk_sim_options_init(hk_sim_options *opt, uint32_t size);

/** Options that change nothing.
 * @return a struct with its `size` filled in */
static inline hk_sim_options hk_sim_options_def(void) {
  hk_sim_options opt;
  hk_sim_options_init(&opt, (uint32_t)sizeof opt);
  return opt;
}

/** What `hooke run --json` prints. Numbers that do not exist are NAN. */
typedef struct hk_summary {
  const char *model;           /**< path of the model */
  const char *formulation;     /**< in force */
  const char *integrator;      /**< in force */
  int32_t bodies;              /**< bodies, without the ground */
  int32_t coordinates;         /**< coordinates of the formulation */
  int32_t constraints;         /**< constraint rows of cut joints and prescribed motions */
  int32_t dof;                 /**< freedoms of velocities at the start */
  int32_t redundant;           /**< constraint rows that follow from others */
  double step_s;               /**< time step, s */
  double time_s;               /**< present time, s */
  int64_t steps;               /**< steps that were accepted */
  int64_t rejected;            /**< steps that were refused and repeated */
  int64_t iterations;          /**< iterations of all steps */
  double cpu_s;                /**< CPU seconds of the stepping */
  double real_time_factor;     /**< simulated time over CPU time */
  double initial_J;            /**< kinetic and potential energy at the start, J */
  double final_J;              /**< kinetic and potential energy now, J */
  double max_drift_J;          /**< largest error of the energy audit so far, with its sign, J */
  double supplied_J;           /**< work of drives and loads so far, J */
  double dissipated_J;         /**< energy that dampers and friction took so far, J */
  double balance_error_J;      /**< error of the energy audit now, J */
  double position_max;         /**< largest violation of a constraint so far, m or rad */
  double velocity_max;         /**< largest violation of its first derivative, m/s or rad/s */
  double acceleration_max;     /**< largest violation of its second derivative, m/s^2 or rad/s^2 */
  hk_status status;            /**< HK_OK, HK_INTERRUPTED or why it failed */
  const char *message;         /**< what `status` is about; "" when all is well */
  const char *formulation_why; /**< why this formulation: what auto chose it for, or who named it */
  int64_t
      sweeps; /**< iterations over the stages of a step: a sweep is one iteration of each stage */
  int64_t impacts; /**< impacts on stops of joints */
} hk_summary;

/** The verdict on a run, by its energy audit, its constraints and its steps. */
typedef enum hk_grade {
  HK_GRADE_NONE = 0,     /**< there is none: the run did not start */
  HK_GRADE_GOOD = 1,     /**< the energy audit is small against the energy that moves */
  HK_GRADE_DOUBTFUL = 2, /**< the results may be wrong; a warning says why */
  HK_GRADE_WRONG = 3     /**< they are; a warning says why */
} hk_grade;

/** A sentence about a run, and what to do about it. */
typedef struct hk_run_warning {
  const char *text; /**< what is wrong, and its cause where it is known */
  const char *hint; /**< what to try; "" when there is nothing to say */
} hk_run_warning;

/** Create a simulation: choose the methods, assemble the mechanism, start at time 0.
 * @param m the model, which the simulation keeps alive
 * @param opt what to choose; NULL: as the model file says
 * @param out the simulation, to be given to hk_sim_destroy(); NULL on failure
 * @return HK_OK; HK_E_USAGE or HK_E_MODEL (an unknown or unsuitable method, or an option out of its
 *         range, given in `opt` or in the model file), HK_E_ASSEMBLY, HK_E_MEMORY ... The context
 * of the model holds the messages. */
HK_API hk_status hk_sim_create(hk_model *m, const hk_sim_options *opt, hk_sim **out);

/** Create a simulation in a context of its own, which may belong to another thread than that of the
 * model. The context of the model must live as long as the simulation.
 * @param ctx the context of the simulation: messages, memory; NULL: that of the model
 * @param m the model, which the simulation keeps alive
 * @param opt what to choose; NULL: as the model file says
 * @param out the simulation, to be given to hk_sim_destroy(); NULL on failure
 * @return as hk_sim_create() */
HK_API hk_status hk_sim_create_in(hk_ctx *ctx, hk_model *m, const hk_sim_options *opt,
                                  hk_sim **out);

/** End a simulation.
 * @param s the simulation; NULL is allowed */
HK_API void hk_sim_destroy(hk_sim *s);

/** Advance by one step; the last one ends exactly at the end time. Allocates nothing.
 * @param s the simulation
 * @return HK_OK, also when the end was reached before; or why the step failed. A simulation that
 *         failed stays where it was and gives the same status again. */
HK_API hk_status hk_sim_step(hk_sim *s);

/** Advance to a given time and end exactly there. The steps are those of hk_sim_step(), the last one
 * shorter; later steps end on the same grid as before. Allocates nothing.
 * @param s the simulation
 * @param t a time, s, from the present one to the end time
 * @return as hk_sim_step(); HK_E_USAGE for a time that has passed or is behind the end. An event that
 *         ends the run ends it before t: see hk_sim_done(). */
HK_API hk_status hk_sim_step_to(hk_sim *s, double t);

/** Has the end time been reached?
 * @param s the simulation
 * @return 1: yes, also when `s` is no simulation, so that a loop ends; 0: no */
HK_API int32_t hk_sim_done(const hk_sim *s);

/** The present time.
 * @param s the simulation
 * @return seconds; NAN when `s` is no simulation */
HK_API double hk_sim_time(const hk_sim *s);

/** All numbers of the run so far.
 * @param s the simulation, which owns the texts of the summary; NULL for that of a run that did not
 *        start
 * @param out the summary; when `s` is no simulation with the status HK_E_USAGE, -1 for counts of the
 *        model, NAN for numbers and "" for texts */
HK_API void hk_sim_summary(hk_sim *s, hk_summary *out);

/** Sources of energy: the forces, the joints with prescribed motions, and last the events and jumps
 * that belong to none of them.
 * @param s the simulation
 * @return how many there are; 0 when `s` is no simulation */
HK_API int32_t hk_sim_source_count(const hk_sim *s);

/** What a source has supplied and dissipated so far. The sums over all sources are those of the
 * summary.
 * @param s the simulation
 * @param i from 0 to hk_sim_source_count() - 1
 * @param supplied_J work it has supplied, J; NULL: not wanted
 * @param dissipated_J energy it has taken out, J; NULL: not wanted
 * @return its name, "joint.crank", "force.spring" or "events", which the simulation owns; NULL, and
 *         NAN for the numbers, when there is none */
HK_API const char *hk_sim_source(hk_sim *s, int32_t i, double *supplied_J, double *dissipated_J);

/** The grade of the run so far.
 * @param s the simulation
 * @return a grade; HK_GRADE_NONE when `s` is no simulation */
HK_API hk_grade hk_sim_grade(hk_sim *s);

/** The word of a grade.
 * @param grade the grade
 * @return "good", "doubtful" or "wrong"; NULL for every other value */
HK_API const char *hk_grade_name(hk_grade grade);

/** The largest error of the energy audit so far, in per cent of the energy that moves: the largest
 * kinetic energy, or the range of the potential, supplied or dissipated energy if that is larger.
 * @param s the simulation
 * @return per cent; NAN when there is no simulation, or an energy that is no number */
HK_API double hk_sim_drift_percent(hk_sim *s);

/** How many warnings there are about the run so far. A good run has none.
 * @param s the simulation
 * @return their number; 0 when `s` is no simulation */
HK_API int32_t hk_sim_warning_count(hk_sim *s);

/** A warning about the run so far, the gravest first.
 * @param s the simulation
 * @param i from 0 to hk_sim_warning_count() - 1
 * @return the warning, valid until the simulation advances or ends; NULL when there is none of this
 *         number */
HK_API const hk_run_warning *hk_sim_warning(hk_sim *s, int32_t i);

/** How many channels the model records (its section `record:`).
 * @param s the simulation
 * @return their number, the same during the whole simulation */
HK_API int32_t hk_sim_channel_count(const hk_sim *s);

/** The name of a recorded channel. Its number is a handle: it holds during the whole simulation,
 * and is the channel's place in what hk_sim_values() writes.
 * @param s the simulation
 * @param i from 0 to hk_sim_channel_count() - 1
 * @return a name such as "joint.hinge.angle"; NULL when there is no channel of this number */
HK_API const char *hk_sim_channel_name(const hk_sim *s, int32_t i);

/** The unit of a recorded channel.
 * @param s the simulation
 * @param i from 0 to hk_sim_channel_count() - 1
 * @return an SI unit, "" for a pure number; NULL when there is no channel of this number */
HK_API const char *hk_sim_channel_unit(const hk_sim *s, int32_t i);

/** What a recorded channel means.
 * @param s the simulation
 * @param i from 0 to hk_sim_channel_count() - 1
 * @return a few words; NULL when there is no channel of this number */
HK_API const char *hk_sim_channel_text(const hk_sim *s, int32_t i);

/** Does the model determine this channel? A component of a reaction that constraints share, or that
 * lies across the plane of a planar model, is not determined. Judged at the start; the meaning of
 * the channel says so too.
 * @param s the simulation
 * @param i from 0 to hk_sim_channel_count() - 1
 * @return 1: yes; 0: no, or there is no channel of this number */
HK_API int32_t hk_sim_channel_unique(const hk_sim *s, int32_t i);

/** All recorded channels at the present state.
 * @param s the simulation
 * @param values room for hk_sim_channel_count() numbers
 * @return HK_OK, or why the state cannot be evaluated */
HK_API hk_status hk_sim_values(hk_sim *s, double *values);

/** One channel by its name, recorded or not. It looks the name up at each call: in a loop take
 * hk_sim_values().
 * @param s the simulation
 * @param name see `hooke list channels`
 * @param value the present value; NAN when the channel is unknown
 * @return HK_OK, HK_E_USAGE for an unknown channel, or why the state cannot be evaluated */
HK_API hk_status hk_sim_value(hk_sim *s, const char *name, double *value);

/** Write a checkpoint: everything needed to go on bit by bit the same way. The exception is `bdf`,
 * whose history cannot be saved: it starts anew, and the results agree within its tolerance.
 * @param s the simulation
 * @param path the file, which is written whole or not at all
 * @return HK_OK or HK_E_FILE */
HK_API hk_status hk_sim_save(hk_sim *s, const char *path);

/** Go on from a checkpoint. A file that is refused leaves the simulation as it was.
 * @param s a simulation of the same model with the same methods, step and options
 * @param path the file that hk_sim_save() wrote
 * @return HK_OK, HK_E_FILE (cannot be read, damaged, of another model or method), HK_E_USAGE
 * (written after the end time of this simulation) */
HK_API hk_status hk_sim_load(hk_sim *s, const char *path);

/* --- a whole run ------------------------------------------------------------------------------ */

/** How far a run is. */
typedef struct hk_progress {
  double time_s;           /**< simulated time, s */
  double end_s;            /**< its end, s */
  double real_time_factor; /**< simulated seconds in a second on the wall */
  double left_s;           /**< seconds on the wall until the end, estimated */
  int64_t steps;           /**< steps so far */
} hk_progress;

/** What a run writes and whom it tells. Always start from hk_run_options_def(). */
typedef struct hk_run_options {
  uint32_t size;             /**< of this struct in bytes; hk_run_options_def() fills it in */
  const hk_sim_options *sim; /**< methods, step, time; NULL: as the model file says */
  const char *output;        /**< .csv, .nc or .mcap; NULL = none */
  double output_every;       /**< seconds between recorded rows; 0 = every step */
  const char *checkpoint;    /**< file that keeps the state; NULL = none */
  double checkpoint_every;   /**< simulated seconds between checkpoints; 0 = at the end alone */
  const char *resume;        /**< checkpoint to go on from; NULL = from the start. If `output` is
                                  there already, its rows up to the checkpoint are kept, and it must
                                  be a result of the same model, methods and channels */
  void (*progress)(const hk_progress *p, void *user); /**< about five times a second; may be NULL */
  void *user;                                         /**< given to `progress` as it is */
  const volatile int *interrupt; /**< nonzero: stop, also within the start or a long step, which is
                                      taken back; the results so far are kept; may be NULL */
  const char *command;           /**< the command line, kept in the result file; may be NULL */
  const char *report;            /**< one HTML file with animation and plots; NULL = none */
  int32_t compress;              /**< of a .nc file: 0 = none, 1 fast ... 9 small */
  int32_t connect;               /**< 1: open the streams of the model (hk_sim_connect()) */
  const char *keep_inputs; /**< .csv file for the values of all inputs, step by step; NULL = none */
  const char *live;        /**< file that others follow while the run goes on (hk_follow_open(),
                              `hooke view --live`); NULL = none */
  const char *replay;      /**< such a file: inputs get the values in it; NULL = none */
  int32_t compile;         /**< 1: a program that is compiled for the model takes the steps where it
                                can (hk_sim_compile()) */
  double compile_limit;    /**< seconds that the compiler may take; 0 = 120 */
} hk_run_options;

/** The defaults, written into a struct of the caller's version.
 * @param opt the struct; NULL is allowed
 * @param size its size in bytes, as the caller knows it */
HK_API void hk_run_options_init(hk_run_options *opt, uint32_t size);

/** Options of a run that writes nothing.
 * @return a struct with its `size` filled in */
static inline hk_run_options hk_run_options_def(void) {
  hk_run_options opt;
  hk_run_options_init(&opt, (uint32_t)sizeof opt);
  return opt;
}

/** Run to the end. The simulation stays alive for its summary and final values, also when the run
 * failed after it started (status in the summary).
 * @param m the model
 * @param opt what to write and how to run; NULL: nothing is written, all as the model file says
 * @param out the simulation, to be given to hk_sim_destroy(); NULL only when it could not start
 * @return HK_OK, HK_INTERRUPTED, or why it failed */
HK_API hk_status hk_run(hk_model *m, const hk_run_options *opt, hk_sim **out);

/** The same in a context of its own, which may belong to another thread than that of the model: runs of
 * one model in several threads. The context of the model must live as long as the simulation.
 * @param ctx the context of the run: messages, memory; NULL: that of the model
 * @param m the model
 * @param opt what to write and how to run; NULL: nothing is written, all as the model file says
 * @param out the simulation, to be given to hk_sim_destroy(); NULL only when it could not start
 * @return as hk_run() */
HK_API hk_status hk_run_in(hk_ctx *ctx, hk_model *m, const hk_run_options *opt, hk_sim **out);

/** The JSON object of `hooke run --json` for a run of which there is no more than a summary: one that
 * could not start.
 * @param ctx the context
 * @param summary its numbers; counts below 0, numbers that are not finite and texts that are NULL
 *        become null
 * @return the text, valid until the context ends; NULL when out of memory */
HK_API const char *hk_summary_json(hk_ctx *ctx, const hk_summary *summary);

/** The summary as the JSON object of `hooke run --json`.
 * @param s the simulation
 * @return the text, valid until the simulation ends; NULL when out of memory */
HK_API const char *hk_sim_json(hk_sim *s);

#ifdef __cplusplus
}
#endif
#endif
