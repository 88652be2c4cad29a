/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * hooke/statespace.h: small motions about the present state of a simulation: its equations as a linear
 * system of first order, and their modes.
 *
 *     dx/dt = A x + B u          y = C x + D u
 *
 * x are the smallest set of states: as many coordinates of joints and bodies as the constraints leave
 * free, their velocities, then values of networks, states of controllers and of friction. u are the
 * inputs of the model (`signals: {u: {input: 0}}`), y channels. All are differences from the present
 * state. Increments of orientations are rotation vectors in the axes of the moving side. Signs and names
 * of the coordinates are those of hooke/eval.h.
 *
 * The equations are those of the simulation's formulation, differentiated numerically to about ten
 * digits, so that every element and law counts with all that it does: gyroscopic and circulatory terms,
 * damping, networks, controllers, constraints on velocities. What a simulation changes only between
 * steps stays as it is: events, stops, sampled controllers, stick and slip.
 */
#ifndef HOOKE_STATESPACE_H
#define HOOKE_STATESPACE_H

#include "hooke/live.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The linear equations about one state. */
typedef struct hk_statespace hk_statespace;

/** Like blades around a shaft, whose coordinates become multiblade coordinates. */
typedef struct hk_blades {
  const char *shaft;         /**< a joint with one angle that turns at a steady rate */
  int32_t n;                 /**< how many blades, 2 to 64, evenly spaced */
  const char *const *joints; /**< n: the joint of each blade, all of one type, in any order */
} hk_blades;

/** What to find beside A, and in which states. */
typedef struct hk_statespace_options {
  uint32_t size;    /**< of this struct: hk_statespace_options_def() */
  int32_t noutputs; /**< how many channels */
  const char *const
      *outputs;  /**< their names, see `hooke list channels`, or patterns: "body.*.position" */
  double period; /**< s; above 0: of a periodic motion, see hk_statespace_period() */
  const char *
      integrator; /**< of its runs, with steps of a given length; NULL: that of the highest order */
  const char *frame;      /**< a joint with one angle: what carries it is seen from axes that turn
                                   with it; NULL: from fixed ones */
  int32_t nrings;         /**< how many sets of blades */
  const hk_blades *rings; /**< sets of blades whose states become multiblade coordinates */
  int32_t ninputs;        /**< how many inputs; 0: all of the model */
  const char *const *inputs; /**< their names */
  int32_t
      sparse; /**< 1: some modes by sparse matrices, without A, B, C, D; 0: full matrices; -1: sparse
                        ones where some modes of 300 coordinates or more are asked for */
  int32_t number; /**< of modes, with sparse matrices; 0: ten, or all of a band */
  double near_Hz; /**< those nearest to this frequency; 0: the slowest */
  double low_Hz;  /**< those of a band of frequencies: its lower end */
  double high_Hz; /**< and its upper end; 0: no band */
} hk_statespace_options;

/** Fills options with their defaults.
 * @param opt the options
 * @param size sizeof *opt */
HK_API void hk_statespace_options_init(hk_statespace_options *opt, uint32_t size);

/** Options with their defaults.
 * @return the options */
static inline hk_statespace_options hk_statespace_options_def(void) {
  hk_statespace_options opt;
  hk_statespace_options_init(&opt, (uint32_t)sizeof opt);
  return opt;
}

/** One mode: a solution x = X exp(lambda t), or the two solutions of a pair of complex lambda. */
typedef struct hk_mode {
  uint32_t size;       /**< of this struct, as the caller knows it */
  double real;         /**< lambda, 1/s */
  double imag;         /**< its imaginary part, at least 0, 1/s: of a pair one is listed */
  double frequency_Hz; /**< imag / 2 pi */
  double damping; /**< -real / |lambda|: 0 undamped, negative where it grows; NAN for lambda = 0 */
  const char *name; /**< the state that takes part most, as hk_statespace_state_name() */
  const char
      *body;    /**< the body with the largest share of the kinetic energy; "" when none moves */
  double share; /**< this share, 0 to 1 */
  double multiplier_real; /**< of a periodic motion: factor of the mode over a period; else NAN */
  double multiplier_imag; /**< its imaginary part */
} hk_mode;

/** Linearise about the present state of a simulation, which stays as it is.
 * @param s the simulation
 * @param opt what to find beside A; NULL: nothing
 * @param out the equations, to be given to hk_statespace_destroy(); NULL on failure
 * @return HK_OK; HK_E_USAGE: an unknown channel; HK_E_MODEL: the model has motions without mass;
 *   HK_E_SINGULAR, HK_E_NUMBER: no accelerations near this state; HK_E_MEMORY */
HK_API hk_status hk_statespace_create(hk_sim *s, const hk_statespace_options *opt,
                                      hk_statespace **out);

/** End.
 * @param l the equations; NULL is allowed */
HK_API void hk_statespace_destroy(hk_statespace *l);

/** How many states x there are.
 * @param l the equations
 * @return their number */
HK_API int32_t hk_statespace_states(const hk_statespace *l);

/** How many of them are coordinates: the first ones.
 * @param l the equations
 * @return their number */
HK_API int32_t hk_statespace_positions(const hk_statespace *l);

/** How many of them are velocities, which stand behind the coordinates: the degrees of freedom.
 * @param l the equations
 * @return their number */
HK_API int32_t hk_statespace_velocities(const hk_statespace *l);

/** How many inputs u there are: those of the model.
 * @param l the equations
 * @return their number */
HK_API int32_t hk_statespace_inputs(const hk_statespace *l);

/** How many outputs y there are: those asked for.
 * @param l the equations
 * @return their number */
HK_API int32_t hk_statespace_outputs(const hk_statespace *l);

/** The name of a state: "joint.pin.angle", "joint.pin.rate", "node.tank".
 * @param l the equations
 * @param i from 0 to hk_statespace_states() - 1
 * @return the name; NULL when there is none of this number */
HK_API const char *hk_statespace_state_name(const hk_statespace *l, int32_t i);

/** The name of an output.
 * @param l the equations
 * @param i from 0 to hk_statespace_outputs() - 1
 * @return the name of its channel; NULL when there is none of this number */
HK_API const char *hk_statespace_output_name(const hk_statespace *l, int32_t i);

/** A state, an input or an output: its name and the value that the equations are about. */
typedef struct hk_statespace_quantity {
  uint32_t size;    /**< of this struct, as the caller knows it */
  const char *name; /**< "joint.pin.angle", "steer", "body.chassis.position.z" */
  const char *unit; /**< "rad"; "" where there is none, and of inputs */
  double value;     /**< at the state of the simulation; 0 for the increments of an orientation */
} hk_statespace_quantity;

/** One state, input or output.
 * @param l the equations
 * @param which 'x' a state, 'u' an input, 'y' an output
 * @param i from 0
 * @param out the quantity; `size` must be set
 * @return HK_OK, HK_E_USAGE */
HK_API hk_status hk_statespace_variable(const hk_statespace *l, char which, int32_t i,
                                        hk_statespace_quantity *out);

/** A matrix of the equations.
 * @param l the equations
 * @param which 'A' (states x states), 'B' (states x inputs), 'C' (outputs x states), 'D' (outputs x
 *   inputs)
 * @param M room for it, by rows
 * @param ld numbers from one row to the next
 * @return HK_OK, HK_E_USAGE */
HK_API hk_status hk_statespace_matrix(const hk_statespace *l, char which, double *M, int32_t ld);

/** Write the equations as a NetCDF file: A, B, C, D, and of states, inputs and outputs their names, units and
 * values (state_name, state_unit, state_value and so on).
 * @param l the equations
 * @param path the file
 * @return HK_OK; HK_E_FILE, HK_E_MEMORY, HK_E_USAGE */
HK_API hk_status hk_statespace_write(const hk_statespace *l, const char *path);

/** The answer of the outputs to inputs that swing: H(f) = C (2 pi i f - A)^-1 B + D, by which an input
 * u = cos(2 pi f t) gives y = |H| cos(2 pi f t + arg H) once free motions have died out.
 * @param l the equations
 * @param n how many frequencies
 * @param hz n: the frequencies, Hz
 * @param real n x outputs x inputs, by rows: the real part; infinite at the frequency of an undamped mode
 * @param imag the same: the imaginary part
 * @return HK_OK, HK_E_USAGE, HK_E_MEMORY */
HK_API hk_status hk_statespace_frequency(const hk_statespace *l, int32_t n, const double *hz,
                                         double *real, double *imag);

/** The answer of the outputs to inputs that go from 0 to 1 at time 0, each alone; without an error of
 * integration.
 * @param l the equations
 * @param n how many times: 0, step, 2 step ..
 * @param step between them, s
 * @param y n x outputs x inputs, by rows
 * @return HK_OK, HK_E_USAGE, HK_E_NUMBER, HK_E_MEMORY */
HK_API hk_status hk_statespace_step(const hk_statespace *l, int32_t n, double step, double *y);

/** The largest acceleration at the state, m/s^2 or rad/s^2: 0 at an equilibrium or in a steady motion.
 * Elsewhere modes are those of equations that change while the motion goes on.
 * @param l the equations
 * @param name of the velocity that changes so, as hk_statespace_state_name(); may be NULL
 * @return its magnitude; NAN when `l` is none */
HK_API double hk_statespace_acceleration(const hk_statespace *l, const char **name);

/** How far the equations are from being smooth here: the largest difference between slopes to both sides,
 * 0 to 1. Above 0.01 a law has a corner near this state, and small motions are not linear.
 * @param l the equations
 * @param name of the state in whose direction it is; may be NULL
 * @return the difference; NAN when `l` is none */
HK_API double hk_statespace_roughness(const hk_statespace *l, const char **name);

/** How much the equations change while a steady motion goes on: by the largest change of an entry of A
 * against the largest entry, after 0.7 rad of the fastest coordinate. Where it is not 0 but for rounding the
 * eigenvalues of A tell nothing about stability: rotors want multiblade coordinates or axes that turn, others
 * a period.
 * @param l the equations
 * @return the change; 0 where nothing moves or accelerations remain; NAN when `l` is none */
HK_API double hk_statespace_variation(const hk_statespace *l);

/** Are these sparse equations, see hk_statespace_options.sparse? Their states are all coordinates of the tree and their
 * rates, those included that constraints determine; there are no matrices, and modes are those asked for. The vectors
 * are found in displacements of bodies in world axes, about a state in which no body turns.
 * @param l the equations
 * @return 1: sparse, 0: full */
HK_API int32_t hk_statespace_sparse(const hk_statespace *l);

/** The period of equations that were made with one. Their matrix A takes small changes of the states from the
 * beginning of the period to its end, its eigenvalues are Floquet's multipliers, and the modes have
 * log(multiplier) / period in the place of lambda, whose imaginary part is known but for whole turns in
 * a period. A is found by differences of runs. A motion of a system that does not depend on time has the
 * multiplier 1: a change along itself.
 * @param l the equations
 * @param error of A against its size, as steps of half the length show it; may be NULL
 * @param apart how far the motion is from where it began: rad, or m against the length of the model; may be NULL
 * @param name of the state that is farthest off; may be NULL
 * @return the period, s; NAN: they have none */
HK_API double hk_statespace_period(const hk_statespace *l, double *error, double *apart,
                                   const char **name);

/** Find the modes: finite eigenvalues of A, of pairs one, by size of imag, then real.
 * @param l the equations
 * @param count how many; may be NULL
 * @return HK_OK; HK_E_FILE: LAPACK, or ARPACK for sparse equations, is not installed; HK_E_NUMBER: they
 *   are not found; HK_E_MEMORY */
HK_API hk_status hk_statespace_find_modes(hk_statespace *l, int32_t *count);

/** One of the modes that hk_statespace_find_modes() found.
 * @param l the equations
 * @param mode from 0
 * @param out the mode; `size` must be set
 * @return HK_OK, HK_E_USAGE */
HK_API hk_status hk_statespace_mode(const hk_statespace *l, int32_t mode, hk_mode *out);

/** The shape of a mode: the complex vector X of its states. The largest motion of a body has the phase 0.
 * @param l the equations
 * @param mode from 0
 * @param real hk_statespace_states() numbers
 * @param imag the same
 * @return HK_OK, HK_E_USAGE */
HK_API hk_status hk_statespace_shape(const hk_statespace *l, int32_t mode, double *real,
                                     double *imag);

/** How a body moves in a mode: displacement of its own frame and rotation vector, world axes.
 * @param l the equations
 * @param mode from 0
 * @param body its number, as of hk_sim_body_find()
 * @param real 6: displacement, m, rotation, rad
 * @param imag 6: the same
 * @param share of the mode's kinetic energy, 0 to 1; may be NULL
 * @return HK_OK, HK_E_USAGE */
HK_API hk_status hk_statespace_body(const hk_statespace *l, int32_t mode, int32_t body,
                                    double *real, double *imag, double *share);

/** Write the shapes of modes as an animation: a result file, a page or both. Mode k moves through its shape
 * once, from time k - 1 to k, far enough to be seen; loops stay closed.
 * @param l the equations, with their modes found
 * @param s the simulation at whose state they were made, which stays as it is
 * @param modes how many, from the first; 0: all
 * @param output .csv or .nc; NULL: none
 * @param report one HTML file; NULL: none
 * @return HK_OK; HK_E_USAGE: a simulation of another model, no modes; HK_E_FILE, HK_E_MEMORY */
HK_API hk_status hk_statespace_record(const hk_statespace *l, hk_sim *s, int32_t modes,
                                      const char *output, const char *report);

#ifdef __cplusplus
}
#endif
#endif
