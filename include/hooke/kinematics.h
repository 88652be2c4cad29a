/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * hooke/kinematics.h: how far a mechanism moves. One coordinate of a joint, prescribed or not, is followed
 * from the drawing both ways to where it can go no further. Masses and forces do not matter; other
 * prescribed motions stay where they are at time 0.
 *
 * Positions, velocities, accelerations and reactions over time without masses are those of a run:
 * `kinematics` in hk_sim_options.
 */
#ifndef HOOKE_KINEMATICS_H
#define HOOKE_KINEMATICS_H

#include "hooke/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The range of a coordinate. */
typedef struct hk_reach hk_reach;

/** What to look for. */
typedef struct hk_reach_options {
  uint32_t size;          /**< of this struct in bytes; hk_reach_options_def() fills it in */
  const char *coordinate; /**< "joint.crank.angle", or "crank" where the joint has one coordinate */
  double from;            /**< it goes no lower than this; -INFINITY: as far as it can */
  double to;              /**< it goes no higher than this; INFINITY: as far as it can */
} hk_reach_options;

/** Fills options with their defaults.
 * @param opt the options; NULL is allowed
 * @param size its size in bytes, as the caller knows it */
HK_API void hk_reach_options_init(hk_reach_options *opt, uint32_t size);

/** Options with their defaults: no limits.
 * @return the options */
static inline hk_reach_options hk_reach_options_def(void) {
  hk_reach_options opt;
  hk_reach_options_init(&opt, (uint32_t)sizeof opt);
  return opt;
}

/** What ends a range. */
typedef enum hk_reach_stop {
  HK_STOP_DEAD_POINT = 0, /**< the coordinate turns back, while others go on */
  HK_STOP_FULL_TURN = 1,  /**< nothing within a full turn */
  HK_STOP_LIMIT = 2,      /**< the limit that was asked for */
  HK_STOP_NONE = 3        /**< nothing: it goes on for ever */
} hk_reach_stop;

/** An end of a range, or a position on the way at which another way branches off. */
typedef struct hk_reach_place {
  uint32_t size; /**< of this struct, as the caller knows it */
  double value;  /**< of the coordinate: rad, m */
  int32_t stop;  /**< hk_reach_stop; of no meaning where a way branches off */
  const char *
      moves; /**< at a dead point: coordinates that move while this one stands still, comma separated */
  const char
      *loops; /**< at a dead point or branch: the loops that are singular there, comma separated */
} hk_reach_place;

/** Find the range of a coordinate.
 * @param m the model
 * @param opt which coordinate
 * @param out the range, to be given to hk_reach_free(); NULL on failure
 * @return HK_OK; HK_E_USAGE: no such coordinate, or limits without the start; HK_E_ASSEMBLY: the mechanism
 *   cannot be assembled, has other freedoms, or none; HK_E_DIVERGED; HK_E_MEMORY */
HK_API hk_status hk_reach_find(hk_model *m, const hk_reach_options *opt, hk_reach **out);

/** End.
 * @param r the range; NULL is allowed */
HK_API void hk_reach_free(hk_reach *r);

/** The coordinate: "joint.crank.angle".
 * @param r the range
 * @return its name; "" when there is none */
HK_API const char *hk_reach_coordinate(const hk_reach *r);

/** Its unit.
 * @param r the range
 * @return "rad", "m" */
HK_API const char *hk_reach_unit(const hk_reach *r);

/** The coordinate as the mechanism is drawn.
 * @param r the range
 * @return its value */
HK_API double hk_reach_start(const hk_reach *r);

/** An end.
 * @param r the range
 * @param high 0: the low end, 1: the high one
 * @param out the end; `size` must be set
 * @return HK_OK, HK_E_USAGE */
HK_API hk_status hk_reach_end(const hk_reach *r, int32_t high, hk_reach_place *out);

/** How many ways branch off.
 * @param r the range
 * @return their number */
HK_API int32_t hk_reach_branches(const hk_reach *r);

/** Where one of them does.
 * @param r the range
 * @param i from 0 to hk_reach_branches() - 1
 * @param out the place; `size` must be set
 * @return HK_OK, HK_E_USAGE */
HK_API hk_status hk_reach_branch(const hk_reach *r, int32_t i, hk_reach_place *out);

/** How many positions there are, from the low end to the high one.
 * @param r the range
 * @return their number */
HK_API int32_t hk_reach_count(const hk_reach *r);

/** The coordinates of all joints at a position.
 * @param r the range
 * @param i from 0 to hk_reach_count() - 1
 * @return their values in the order of hk_reach_channel(); NULL when there is no such position */
HK_API const double *hk_reach_values(const hk_reach *r, int32_t i);

/** The name of one of these coordinates.
 * @param r the range
 * @param i from 0
 * @return the name; NULL behind the last */
HK_API const char *hk_reach_channel(const hk_reach *r, int32_t i);

#ifdef __cplusplus
}
#endif
#endif
