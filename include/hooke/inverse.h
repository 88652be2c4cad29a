/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * hooke/inverse.h: the forces of chosen actuators that give a mechanism the motion which its prescribed
 * motions ask for. The actuators act on any coordinates of joints, those that are prescribed or others, also
 * of joints that close loops, or are inputs of the model on which forces depend linearly (motors, muscles); the
 * prescribed motions themselves bear nothing then. Actuators may have ranges and weights, in the model's section
 * `inverse:` or here.
 */
#ifndef HOOKE_INVERSE_H
#define HOOKE_INVERSE_H

#include "hooke/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Actuators of a simulation. */
typedef struct hk_inverse hk_inverse;

/** One actuator. */
typedef struct hk_actuator {
  const char *
      name; /**< a coordinate of a joint, "joint.elbow.angle" or "joint.elbow" where it has one; or an
                         input, "signal.u" or "u" */
  double low;    /**< smallest value; NAN: as the model says, else none */
  double high;   /**< largest value; NAN: as the model says, else none */
  double weight; /**< of its value among the others; NAN: as the model says, else 1 */
} hk_actuator;

/** What acts, and how little of it. */
typedef struct hk_inverse_options {
  uint32_t size; /**< of this struct in bytes; hk_inverse_options_def() fills it in */
  int32_t
      nactuators; /**< how many; 0: those of the model's section `inverse`, else one on every prescribed
                           coordinate */
  const hk_actuator *actuators; /**< their list */
  const char *
      minimise; /**< "torque": the smallest sum of squares of weight times value; "activation": of weight
                             times value over the largest one that the range allows; "energy": of weight times
                             power; NULL: as the model says, else torque */
} hk_inverse_options;

/** Fills options with their defaults.
 * @param opt the options; NULL is allowed
 * @param size its size in bytes, as the caller knows it */
HK_API void hk_inverse_options_init(hk_inverse_options *opt, uint32_t size);

/** Options with their defaults: what the model says.
 * @return the options */
static inline hk_inverse_options hk_inverse_options_def(void) {
  hk_inverse_options opt;
  hk_inverse_options_init(&opt, (uint32_t)sizeof opt);
  return opt;
}

/** Choose actuators.
 * @param s the simulation of the model with its prescribed motions; it must live longer
 * @param opt which, and what to minimise; NULL: as the model says
 * @param out the actuators, to be given to hk_inverse_destroy(); NULL on failure
 * @return HK_OK; HK_E_USAGE: no such coordinate or input, a range that is missing or empty, or nothing at all;
 *         HK_E_MEMORY */
HK_API hk_status hk_inverse_open(hk_sim *s, const hk_inverse_options *opt, hk_inverse **out);

/** Choose actuators by their names alone.
 * @param s the simulation of the model with its prescribed motions; it must live longer
 * @param n how many; 0: those of the model's section `inverse`, else one on every prescribed coordinate
 * @param names coordinates of joints or inputs, as in hk_actuator
 * @param out the actuators, to be given to hk_inverse_destroy(); NULL on failure
 * @return HK_OK; HK_E_USAGE: no such coordinate, or no motion at all; HK_E_MEMORY */
HK_API hk_status hk_inverse_create(hk_sim *s, int32_t n, const char *const *names,
                                   hk_inverse **out);

/** End.
 * @param a the actuators; NULL is allowed */
HK_API void hk_inverse_destroy(hk_inverse *a);

/** How many actuators there are.
 * @param a the actuators
 * @return their number */
HK_API int32_t hk_inverse_count(const hk_inverse *a);

/** The coordinate or input of an actuator: "joint.elbow.angle", "signal.u".
 * @param a the actuators
 * @param i from 0 to hk_inverse_count() - 1
 * @return its name; NULL when there is none of this number */
HK_API const char *hk_inverse_name(const hk_inverse *a, int32_t i);

/** Is an actuator at an end of its range, in the last solution?
 * @param a the actuators
 * @param i from 0 to hk_inverse_count() - 1
 * @return 1: at the upper end; -1: at the lower one; 0: between them */
HK_API int32_t hk_inverse_saturated(const hk_inverse *a, int32_t i);

/** The forces and torques at the present state of the simulation, within the ranges of the actuators. Of several
 * solutions the one that minimises what the options say. Allocates nothing.
 * @param a the actuators
 * @param force hk_inverse_count() numbers: N or N*m on the second body of the joint; values of inputs
 * @param unbalanced what no actuator can bear, as a share of what is needed, 0 to 1; NAN where this state has no
 *        accelerations; may be NULL
 * @return HK_OK; HK_E_SINGULAR: these actuators cannot give this motion, or not within their ranges: `force` then
 *         leaves the least; HK_E_MODEL: forces do not depend linearly on an input; HK_E_USAGE */
HK_API hk_status hk_inverse_find(hk_inverse *a, double *force, double *unbalanced);

/** The whole motion that a model prescribes, by motions of joints or by the tasks of its section `inverse`, with the
 * actuators' values over time. Positions, velocities and accelerations of tasks are the same for every formulation.
 * @param m the model
 * @param opt the actuators; NULL: as the model says
 * @param run methods, step, time, result file and report, whose channels are those of a run and
 *   actuator.NAME.value; NULL: nothing is written
 * @param out the actuators with what was found, to be given to hk_inverse_destroy(); also after a failure on the way,
 *   with the rows so far, while no file is written; NULL where there is none
 * @return HK_OK; HK_E_USAGE; HK_E_MODEL: tasks that contradict each other; HK_E_ASSEMBLY: tasks that cannot be done at
 *   the start; HK_E_DIVERGED: not later on; HK_E_SINGULAR: not with these actuators; HK_INTERRUPTED; HK_E_FILE,
 *   HK_E_MEMORY */
HK_API hk_status hk_inverse_run(hk_model *m, const hk_inverse_options *opt,
                                const hk_run_options *run, hk_inverse **out);

/** Does a model say what hk_inverse_run() shall find?
 * @param m the model
 * @return 1: its section `inverse` has tasks or actuators; else 0 */
HK_API int32_t hk_inverse_asked(const hk_model *m);

/** How many times hk_inverse_run() has found values at.
 * @param a the actuators
 * @return the number of rows */
HK_API int32_t hk_inverse_rows(const hk_inverse *a);

/** One row of hk_inverse_run().
 * @param a the actuators
 * @param row from 0 to hk_inverse_rows() - 1
 * @return the time, then hk_inverse_count() values; NULL when there is no such row */
HK_API const double *hk_inverse_row(const hk_inverse *a, int32_t row);

/** In how many rows of hk_inverse_run() an actuator is at an end of its range.
 * @param a the actuators
 * @param i from 0 to hk_inverse_count() - 1
 * @return the number of rows */
HK_API int32_t hk_inverse_saturated_rows(const hk_inverse *a, int32_t i);

/** What fixes the freedoms of the mechanism, at the last state. */
typedef struct hk_inverse_freedoms {
  uint32_t size;    /**< of this struct, as the caller knows it */
  int32_t all;      /**< freedoms without prescribed motions and tasks */
  int32_t motions;  /**< of them fixed by prescribed motions */
  int32_t tasks;    /**< by tasks */
  int32_t costs;    /**< by costs: ergonomy */
  int32_t metric;   /**< by the least kinetic energy */
  int32_t moving;   /**< by nothing: they move by themselves, where there are no tasks */
  int32_t implied;  /**< conditions of tasks that others imply */
  int32_t actuated; /**< freedoms that the actuators act on, independent of each other */
} hk_inverse_freedoms;

/** What fixes the freedoms.
 * @param a the actuators, after hk_inverse_find() or hk_inverse_run()
 * @param out its size must be filled in
 * @return "fully": as many actuators as freedoms to be moved; "over": more; "under": fewer, or singular; NULL: misuse,
 *   or nothing has been found */
HK_API const char *hk_inverse_freedoms_get(const hk_inverse *a, hk_inverse_freedoms *out);

#ifdef __cplusplus
}
#endif
#endif
