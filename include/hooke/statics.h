/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * hooke/statics.h: equilibria of a model at rest: one, or a path of them over a load.
 *
 * The load is an input of the model (`signals: {F: {input: 0}}`) that forces or prescribed motions follow, from
 * its own value, or another, to a given one. The path follows the equilibria also where the load turns back (snap-through), and says of each whether it
 * is stable. Time stands still at 0, nothing moves, inertia does not count; springs, networks and
 * controllers are in their steady state.
 */
#ifndef HOOKE_STATICS_H
#define HOOKE_STATICS_H

#include "hooke/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Equilibria that were found. */
typedef struct hk_statics hk_statics;

/** What to look for. */
typedef struct hk_statics_options {
  uint32_t size; /**< of this struct in bytes; hk_statics_options_def() fills it in */
  const char
      *load;       /**< name of the input that is the load; NULL: one equilibrium as the model is */
  double to;       /**< the last load; the first is the input's own value */
  int32_t points;  /**< the load changes by at most this part of its range from point to point */
  int32_t nearest; /**< 1: the first equilibrium is the one nearest to the drawing, stable or not;
                                  0: a stable one that the mechanism falls into, where there is one */
  const char *formulation;  /**< equations of motion; NULL: as the model says */
  const hk_option *options; /**< options of the formulation */
  int32_t noptions;         /**< how many */
  const char *output;       /**< .csv or .nc: recorded channels over the points; NULL: none */
  const char *report;       /**< one HTML file with animation and plots; NULL: none */
  const char *command;      /**< the command line, kept in the result file; may be NULL */
  double from;              /**< the first load; NAN: the input's own value */
  int32_t
      branch; /**< n: at the n-th bifurcation of the path the other path is taken, -n: to its other
                                 side; 0: straight on */
  const char *const *
      slopes; /**< channels whose slopes by the load are wanted too: recorded ones, `nslopes` of them */
  int32_t nslopes; /**< how many */
} hk_statics_options;

/** Fills options with their defaults.
 * @param opt the options; NULL is allowed
 * @param size its size in bytes, as the caller knows it */
HK_API void hk_statics_options_init(hk_statics_options *opt, uint32_t size);

/** Options with their defaults: one equilibrium, nothing written.
 * @return the options */
static inline hk_statics_options hk_statics_options_def(void) {
  hk_statics_options opt;
  hk_statics_options_init(&opt, (uint32_t)sizeof opt);
  return opt;
}

/** One equilibrium. */
typedef struct hk_static_point {
  uint32_t size; /**< of this struct, as the caller knows it */
  double load;   /**< of the path; 0 without one */
  int32_t
      stable; /**< 1: every small displacement is driven back; 0: one is driven away; -1: neither, as
                        one meets no stiffness */
  int32_t limit;   /**< 1: the load has an extreme here */
  double residual; /**< largest acceleration left, rad/s^2 or lengths of the mechanism/s^2 */
  double
      softest; /**< smallest eigenvalue of M^-1 K, 1/s^2: the square of the lowest frequency, rad/s, where
                        it is positive; INFINITY where motions prescribe everything */
  int32_t bifurcation; /**< 1: another path of equilibria branches off here */
} hk_static_point;

/** Find equilibria.
 * @param m the model
 * @param opt what to look for; NULL: one equilibrium
 * @param out what was found, to be given to hk_statics_free(); also after a failure on the way, with the
 *   points so far; NULL where there is none
 * @return HK_OK; HK_E_USAGE: no such input; HK_E_ASSEMBLY: no equilibrium; HK_E_DIVERGED: the path ends on
 *   the way; HK_E_MODEL, HK_E_FILE, HK_E_MEMORY */
HK_API hk_status hk_statics_find(hk_model *m, const hk_statics_options *opt, hk_statics **out);

/** End.
 * @param r what was found; NULL is allowed */
HK_API void hk_statics_free(hk_statics *r);

/** How many points.
 * @param r what was found
 * @return their number */
HK_API int32_t hk_statics_count(const hk_statics *r);

/** One of them.
 * @param r what was found
 * @param i from 0 to hk_statics_count() - 1
 * @param out the point; `size` must be set
 * @return HK_OK, HK_E_USAGE */
HK_API hk_status hk_statics_point(const hk_statics *r, int32_t i, hk_static_point *out);

/** Values of the recorded channels at a point, then slopes, in the order of hk_statics_channel().
 * @param r what was found
 * @param i from 0 to hk_statics_count() - 1
 * @return the values; NULL when there is no such point */
HK_API const double *hk_statics_values(const hk_statics *r, int32_t i);

/** The name of a recorded channel, or "slope.CHANNEL" behind these.
 * @param r what was found
 * @param i from 0
 * @return the name; NULL behind the last */
HK_API const char *hk_statics_channel(const hk_statics *r, int32_t i);

/** The formulation whose equations were solved.
 * @param r what was found
 * @return its name; "" when there is none */
HK_API const char *hk_statics_formulation(const hk_statics *r);

#ifdef __cplusplus
}
#endif
#endif
