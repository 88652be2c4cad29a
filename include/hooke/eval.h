/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * hooke/eval.h: the equations of motion of a model at any state: mass matrix, bias forces, inverse and
 * forward dynamics, poses, velocities, accelerations and Jacobians of frames, constraints of loops.
 *
 * An evaluation is independent of simulations and of their formulations. It works in the coordinates
 * of the model's spanning tree: q (hk_eval_coordinates() of them) and velocities v
 * (hk_eval_velocities()), which are
 *
 * - coordinates of joints with their zero and sign as in the channels, "joint.pin.angle", and their
 *   rates;
 * - of spherical and free joints a unit quaternion w x y z, with the angular velocity in the axes of
 *   the moving side as its three velocities: there are more coordinates than velocities then.
 *
 * Joints that close loops have none; they are constraints. With M the mass matrix, Q the forces of the
 * model (gravity, springs, drives, gyroscopic terms), tau forces of the caller on the velocities'
 * directions, lambda multipliers:
 *
 *     M a + Phi_q' lambda = Q + tau          Phi_q v + Phi_t = 0          Phi_q a + gamma = 0
 *
 * An evaluation begins at the start of the model, time 0. Whatever does not follow from t, q and v is
 * as it was there, or in the simulation that hk_eval_take() has taken the state from: values of
 * networks, states of friction and of controllers, joints that events have switched, forces that press
 * rubbing joints together.
 *
 * Nothing here allocates but hk_eval_create(). Matrices are by rows, `ld` numbers apart.
 */
#ifndef HOOKE_EVAL_H
#define HOOKE_EVAL_H

#include "hooke/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Evaluates the equations of a model. */
typedef struct hk_eval hk_eval;

/** Make an evaluation and place the model at its start.
 * @param ctx the context of the evaluation: messages, memory; NULL: that of the model
 * @param m the model, which the evaluation keeps alive
 * @param out the evaluation, to be given to hk_eval_destroy(); NULL on failure
 * @return HK_OK, HK_E_ASSEMBLY (the model has no start), HK_E_MEMORY */
HK_API hk_status hk_eval_create(hk_ctx *ctx, hk_model *m, hk_eval **out);

/** End an evaluation.
 * @param e the evaluation; NULL is allowed */
HK_API void hk_eval_destroy(hk_eval *e);

/* --- coordinates ---------------------------------------------------------------------------- */

/** How many coordinates q there are.
 * @param e the evaluation
 * @return their number */
HK_API int32_t hk_eval_coordinates(const hk_eval *e);

/** How many velocities v there are: at most as many as coordinates.
 * @param e the evaluation
 * @return their number */
HK_API int32_t hk_eval_velocities(const hk_eval *e);

/** How many constraint rows there are, those that are switched off included.
 * @param e the evaluation
 * @return their number */
HK_API int32_t hk_eval_constraints(const hk_eval *e);

/** The name of a coordinate: "joint.pin.angle", "joint.ball.orientation.w"; of bodies without a joint
 * "body.rod.free.position.x", the displacement of the centre of mass from the drawing.
 * @param e the evaluation
 * @param i from 0 to hk_eval_coordinates() - 1
 * @return the name; NULL when there is none of this number */
HK_API const char *hk_eval_coordinate_name(const hk_eval *e, int32_t i);

/** The name of a velocity: "joint.pin.rate"; "joint.ball.turning.x", the angular velocity in the axes of
 * the moving side.
 * @param e the evaluation
 * @param i from 0 to hk_eval_velocities() - 1
 * @return the name; NULL when there is none of this number */
HK_API const char *hk_eval_velocity_name(const hk_eval *e, int32_t i);

/** The name of a constraint row, in words: "joint 'pin', position along x".
 * @param e the evaluation
 * @param i from 0 to hk_eval_constraints() - 1
 * @return the name; NULL when there is none of this number */
HK_API const char *hk_eval_constraint_name(const hk_eval *e, int32_t i);

/** Coordinates that follow by an increment: q + d, and the product with the rotation exp(d) for
 * quaternions.
 * @param e the evaluation
 * @param q hk_eval_coordinates(): where to begin
 * @param d hk_eval_velocities(): the increment, in the directions of the velocities
 * @param out hk_eval_coordinates(): the result; may be q
 * @return HK_OK, HK_E_USAGE */
HK_API hk_status hk_eval_plus(hk_eval *e, const double *q, const double *d, double *out);

/** The increment between two positions: `to` = `from` plus the result, see hk_eval_plus().
 * @param e the evaluation
 * @param to hk_eval_coordinates(): where it ends
 * @param from hk_eval_coordinates(): where it begins
 * @param out hk_eval_velocities(): the increment
 * @return HK_OK, HK_E_USAGE */
HK_API hk_status hk_eval_minus(hk_eval *e, const double *to, const double *from, double *out);

/* --- the state ------------------------------------------------------------------------------ */

/** Choose the state that all functions below are about. Constraints need not hold.
 * @param e the evaluation
 * @param t time, s
 * @param q hk_eval_coordinates(): coordinates; quaternions are normalised
 * @param v hk_eval_velocities(): velocities; NULL: at rest
 * @return HK_OK; HK_E_USAGE for numbers that are not finite and quaternions of length 0 */
HK_API hk_status hk_eval_state(hk_eval *e, double t, const double *q, const double *v);

/** The state that was chosen; after hk_eval_create() the start of the model.
 * @param e the evaluation
 * @param t time, s; may be NULL
 * @param q hk_eval_coordinates(): coordinates; may be NULL
 * @param v hk_eval_velocities(): velocities; may be NULL
 * @return HK_OK, HK_E_USAGE */
HK_API hk_status hk_eval_get(const hk_eval *e, double *t, double *q, double *v);

/** Take the present state of a simulation, with all that the simulation remembers.
 * @param e the evaluation
 * @param s a simulation of the same model
 * @param a hk_eval_velocities(): the accelerations of the simulation there; may be NULL
 * @return HK_OK; HK_E_USAGE for a simulation of another model */
HK_API hk_status hk_eval_take(hk_eval *e, hk_sim *s, double *a);

/** The number of an input of the model (`signals: {u: {input: 0}}`), as in a simulation.
 * @param e the evaluation
 * @param name its name
 * @return its number; -1 when there is none */
HK_API int32_t hk_eval_input_find(const hk_eval *e, const char *name);

/** Set an input. It keeps the value until it is set again or a state is taken from a simulation.
 * @param e the evaluation
 * @param input its number: of hk_eval_input_find() or hk_sim_input_find()
 * @param value a finite number
 * @return HK_OK, HK_E_USAGE */
HK_API hk_status hk_eval_input_set(hk_eval *e, int32_t input, double value);

/** Close the loops: the nearest positions in the mass metric at which the constraints hold, then the
 * nearest velocities. They become the state: hk_eval_get().
 * @param e the evaluation
 * @return HK_OK; HK_E_ASSEMBLY when the loops cannot be closed from here (the state is then as before),
 *   HK_E_SINGULAR when some motion has no mass */
HK_API hk_status hk_eval_project(hk_eval *e);

/* --- dynamics ------------------------------------------------------------------------------- */

/** The mass matrix M of the tree, symmetric.
 * @param e the evaluation
 * @param M n x n for n = hk_eval_velocities(), rows `ld` apart; both triangles are written
 * @param ld at least n
 * @return HK_OK, HK_E_USAGE */
HK_API hk_status hk_eval_mass(hk_eval *e, double *M, int32_t ld);

/** Inverse dynamics: tau = M a - Q, what must act beside the forces of the model so that the tree has
 * these accelerations. In loops, forces of constraints may be part of it.
 * @param e the evaluation
 * @param a hk_eval_velocities(): accelerations dv/dt; NULL: zero, which gives the bias forces
 * @param tau hk_eval_velocities(): forces and torques in the directions of the velocities, N, N m
 * @return HK_OK, HK_E_USAGE */
HK_API hk_status hk_eval_inverse(hk_eval *e, const double *a, double *tau);

/** Inverse dynamics of mechanisms with loops: the forces of drives at chosen coordinates that, with the
 * forces of the constraints, give these accelerations. The first call allocates its memory, which grows
 * with the square of velocities and constraints.
 * @param e the evaluation
 * @param a hk_eval_velocities(): accelerations dv/dt that the constraints allow; NULL: zero
 * @param n how many drives; as many as the mechanism has freedoms determine them, of more it is the
 *   smallest solution
 * @param which n: the velocities that they act on
 * @param tau n: forces and torques, N, N m
 * @return HK_OK; HK_E_SINGULAR when these drives cannot give these accelerations; HK_E_MEMORY */
HK_API hk_status hk_eval_drives(hk_eval *e, const double *a, int32_t n, const int32_t *which,
                                double *tau);

/** Forward dynamics: the accelerations under the forces of the model and those of the caller, with all
 * constraints.
 * @param e the evaluation
 * @param tau hk_eval_velocities(): forces of the caller, N, N m; NULL: none
 * @param a hk_eval_velocities(): accelerations dv/dt
 * @param lambda hk_eval_constraints(): multipliers; may be NULL. Where rows follow from others one of
 *   many solutions
 * @return HK_OK; HK_E_SINGULAR when some motion has no mass, HK_E_NUMBER when they are not finite */
HK_API hk_status hk_eval_forward(hk_eval *e, const double *tau, double *a, double *lambda);

/** Energies.
 * @param e the evaluation
 * @param kinetic J; may be NULL
 * @param potential of gravity and elastic elements, J; may be NULL
 * @return HK_OK, HK_E_USAGE */
HK_API hk_status hk_eval_energy(hk_eval *e, double *kinetic, double *potential);

/* --- frames --------------------------------------------------------------------------------- */

/** How many frames there are: the markers of the model, then the bodies' own frames.
 * @param e the evaluation
 * @return their number */
HK_API int32_t hk_eval_frames(const hk_eval *e);

/** The name of a frame: "marker.tip", "body.arm".
 * @param e the evaluation
 * @param i from 0 to hk_eval_frames() - 1
 * @return the name; NULL when there is none of this number */
HK_API const char *hk_eval_frame_name(const hk_eval *e, int32_t i);

/** The number of a frame.
 * @param e the evaluation
 * @param name its name
 * @return its number; -1 when there is none */
HK_API int32_t hk_eval_frame_find(const hk_eval *e, const char *name);

/** Where a frame is.
 * @param e the evaluation
 * @param frame its number
 * @param R 9: its axes as columns, by rows; may be NULL
 * @param p 3: its origin, m, world axes; may be NULL
 * @return HK_OK, HK_E_USAGE */
HK_API hk_status hk_eval_pose(hk_eval *e, int32_t frame, double *R, double *p);

/** How fast a frame is.
 * @param e the evaluation
 * @param frame its number
 * @param w 3: angular velocity, rad/s, world axes; may be NULL
 * @param v 3: velocity of its origin, m/s, world axes; may be NULL
 * @return HK_OK, HK_E_USAGE */
HK_API hk_status hk_eval_twist(hk_eval *e, int32_t frame, double *w, double *v);

/** How a frame is accelerated.
 * @param e the evaluation
 * @param frame its number
 * @param a hk_eval_velocities(): accelerations dv/dt; NULL: zero, which gives the rate of the Jacobian
 *   times the velocities
 * @param alpha 3: angular acceleration, rad/s^2, world axes; may be NULL
 * @param acc 3: acceleration of its origin, m/s^2, world axes; may be NULL
 * @return HK_OK, HK_E_USAGE */
HK_API hk_status hk_eval_acceleration(hk_eval *e, int32_t frame, const double *a, double *alpha,
                                      double *acc);

/** The Jacobian of a frame: its angular velocity and the velocity of its origin, both in world axes, are
 * J v.
 * @param e the evaluation
 * @param frame its number
 * @param J 6 x hk_eval_velocities(), rows `ld` apart: three rows of rotation, three of translation
 * @param ld at least hk_eval_velocities()
 * @return HK_OK, HK_E_USAGE */
HK_API hk_status hk_eval_jacobian(hk_eval *e, int32_t frame, double *J, int32_t ld);

/* --- constraints ---------------------------------------------------------------------------- */

/** How far constraints are from holding. Rows that are switched off are 0, and so are the values of
 * rows that bind velocities alone.
 * @param e the evaluation
 * @param phi hk_eval_constraints(): values, m or rad; may be NULL
 * @param rate hk_eval_constraints(): rates Phi_q v + Phi_t; may be NULL
 * @param gamma hk_eval_constraints(): their accelerations at a = 0; may be NULL
 * @return HK_OK, HK_E_USAGE */
HK_API hk_status hk_eval_residual(hk_eval *e, double *phi, double *rate, double *gamma);

/** The Jacobian Phi_q of the constraints.
 * @param e the evaluation
 * @param J hk_eval_constraints() x hk_eval_velocities(), rows `ld` apart
 * @param ld at least hk_eval_velocities()
 * @return HK_OK, HK_E_USAGE */
HK_API hk_status hk_eval_constraint_jacobian(hk_eval *e, double *J, int32_t ld);

#ifdef __cplusplus
}
#endif
#endif
