/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * hooke/live.h: what a program does with a simulation while it runs: inputs, the state out and in,
 * clones, values by handle.
 *
 * A controller around a simulation is a loop of three calls: hk_sim_read() gives the channels that
 * it needs, hk_sim_input_set() hands over what it has found, hk_sim_step() goes on. None of them
 * allocates, and none looks up a name.
 *
 * Threads: a model never changes once it has been loaded, and any number of threads may use it at
 * once. A context and the simulations in it belong to one thread at a time. So each thread makes a
 * context of its own and its simulations by hk_sim_create_in() or hk_sim_clone(). The context of the
 * model must live as long as the last simulation of the model.
 */
#ifndef HOOKE_LIVE_H
#define HOOKE_LIVE_H

#include "hooke/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- inputs ----------------------------------------------------------------------------------- */

/** Inputs: the signals of the model that are written `{input: 0}`.
 * @param s the simulation
 * @return how many there are; 0 when `s` is no simulation */
HK_API int32_t hk_sim_input_count(const hk_sim *s);

/** The name of an input.
 * @param s the simulation
 * @param input from 0 to hk_sim_input_count() - 1
 * @return the name of its signal; NULL when there is no input of this number */
HK_API const char *hk_sim_input_name(const hk_sim *s, int32_t input);

/** The number of an input, which holds during the whole simulation and in its clones.
 * @param s the simulation
 * @param name the name of its signal
 * @return its number; -1 when there is none of this name */
HK_API int32_t hk_sim_input_find(const hk_sim *s, const char *name);

/** Set an input from the present time on. The value is held until the next one is set, or goes on
 * along the line through the last two with `extrapolate: linear`. Of two values that are set at one
 * time the last counts. Allocates nothing.
 *
 * Without a jump the value counts from the beginning of the next step on; what is read before that
 * belongs to the old one. The integrator takes the change like any other in a step: right for values
 * that change little from step to step, such as those of a controller that is called at every step.
 * With a jump the value counts at once. Accelerations are found anew and histories start again, as at
 * a jump of any signal: right for switches and for prescribed rates. It costs about as much as an
 * iteration of a step.
 * @param s the simulation
 * @param input from 0 to hk_sim_input_count() - 1
 * @param value a finite number
 * @param jump 1: the signal jumps here; 0: it does not
 * @return HK_OK, HK_E_USAGE, or why the simulation cannot go on behind the jump */
HK_API hk_status hk_sim_input_set(hk_sim *s, int32_t input, double value, int32_t jump);

/** Set several inputs at once.
 * @param s the simulation
 * @param n how many
 * @param inputs their numbers; NULL: the first n
 * @param values their values, n of them
 * @param jump as of hk_sim_input_set()
 * @return as hk_sim_input_set(); where one of them is refused, none is set */
HK_API hk_status hk_sim_inputs_set(hk_sim *s, int32_t n, const int32_t *inputs,
                                   const double *values, int32_t jump);

/** The value that an input was given last, at the present time.
 * @param s the simulation
 * @param input from 0 to hk_sim_input_count() - 1
 * @return the value; NAN when there is no input of this number */
HK_API double hk_sim_input_get(hk_sim *s, int32_t input);

/* --- parameters -------------------------------------------------------------------------------- */

/** Parameters: the numbers of the section `parameters:` of the model, those of instances with the
 * instance's name before them.
 * @param s the simulation
 * @return how many there are; 0 when `s` is no simulation */
HK_API int32_t hk_sim_parameter_count(const hk_sim *s);

/** The name of a parameter.
 * @param s the simulation
 * @param parameter from 0 to hk_sim_parameter_count() - 1
 * @return its name; NULL when there is no parameter of this number */
HK_API const char *hk_sim_parameter_name(const hk_sim *s, int32_t parameter);

/** The number of a parameter, which holds during the whole simulation and in its clones.
 * @param s the simulation
 * @param name its name
 * @return its number; -1 when there is none of this name */
HK_API int32_t hk_sim_parameter_find(const hk_sim *s, const char *name);

/** The present value of a parameter: of the model, as the program has set it, or as an event has.
 * @param s the simulation
 * @param parameter from 0 to hk_sim_parameter_count() - 1
 * @return the value; NAN when there is no parameter of this number */
HK_API double hk_sim_parameter_get(const hk_sim *s, int32_t parameter);

/** Change a parameter from the present time on, with everything that follows from it: other parameters,
 * masses, stiffnesses, gains, laws, motions, lengths. Positions and velocities stay; where places of
 * joints or centres of mass change, the coordinates of joints stay, as near as loops allow. Histories
 * start anew, and the change of energy counts as supplied. With steps of controlled length the present
 * time is the end of the last step, if that lies behind hk_sim_time(): go there by hk_sim_step_to().
 *
 * What the state has no meaning for is refused, by name: other numbers of bodies, joints, forces,
 * coordinates, constraints or signals, a body that gets or loses mass, another step or method, a
 * prescribed position that would jump.
 *
 * States of hk_sim_state_get(), checkpoints, clones and hk_sim_rollback() carry the values;
 * hk_sim_reset() begins anew with the present ones.
 *
 * A parameter that an event of the model sets is changed in place; the first such call allocates, later
 * ones do not. For any other the model is read again, which takes about as long as loading it and
 * creating the simulation: what changes at every step should be an input. Texts that the simulation has
 * given before (names of channels and sources, warnings) are then to be asked for anew.
 * @param s the simulation
 * @param parameter from 0 to hk_sim_parameter_count() - 1
 * @param value a finite number
 * @return HK_OK; HK_E_USAGE: it cannot change during a run, or not to this value; HK_E_ASSEMBLY: loops
 *         cannot be closed with it. The context has messages, and the simulation is as it was. */
HK_API hk_status hk_sim_parameter_set(hk_sim *s, int32_t parameter, double value);

/** Change several parameters at once.
 * @param s the simulation
 * @param n how many
 * @param parameters their numbers; NULL: the first n
 * @param values their values, n of them
 * @return as hk_sim_parameter_set(); where one of them is refused, none is changed */
HK_API hk_status hk_sim_parameters_set(hk_sim *s, int32_t n, const int32_t *parameters,
                                       const double *values);

/** Go on with another model from the present state: one of the same bodies, joints, forces and signals,
 * with other numbers, as hk_sim_parameter_set() makes it by itself. States that were taken before belong
 * to the former model and cannot be returned to.
 * @param s the simulation
 * @param changed the model, which the simulation keeps alive instead of its own
 * @return as hk_sim_parameter_set() */
HK_API hk_status hk_sim_rebind(hk_sim *s, hk_model *changed);

/* --- values by handle --------------------------------------------------------------------------- */

/** A handle of any channel, recorded or not: poses, rates, reactions, energies, signals. Look it up
 * once, before the loop.
 * @param s the simulation
 * @param name see `hooke list channels`
 * @return a number that holds during the whole simulation and in clones that are made later; -1 when
 *         there is no such channel, with a message in the context */
HK_API int32_t hk_sim_channel_handle(hk_sim *s, const char *name);

/** Channels at the present state. Accelerations and reactions are found where one of the handles is
 * of such a channel. Allocates nothing.
 * @param s the simulation
 * @param n how many
 * @param handles of hk_sim_channel_handle(), n of them
 * @param values room for n numbers
 * @return HK_OK, HK_E_USAGE: a handle that this simulation has not given; or why the state cannot be
 *         evaluated */
HK_API hk_status hk_sim_read(hk_sim *s, int32_t n, const int32_t *handles, double *values);

/** Bodies, in the order of the model file, without the ground.
 * @param s the simulation
 * @return how many there are; 0 when `s` is no simulation */
HK_API int32_t hk_sim_body_count(const hk_sim *s);

/** The name of a body.
 * @param s the simulation
 * @param body from 0 to hk_sim_body_count() - 1
 * @return its name, with those of the instances that it is in; NULL when there is none */
HK_API const char *hk_sim_body_name(const hk_sim *s, int32_t body);

/** The number of a body.
 * @param s the simulation
 * @param name its name
 * @return its number; -1 when there is none of this name */
HK_API int32_t hk_sim_body_find(const hk_sim *s, const char *name);

/** Where a body is: its own frame, as the channels of the body have it. Allocates nothing.
 * @param s the simulation
 * @param body from 0 to hk_sim_body_count() - 1
 * @param position of the origin, m, three numbers; NULL: not wanted
 * @param rotation axes of the body in world axes as columns, row by row, nine numbers; NULL: not
 *        wanted
 * @return HK_OK, HK_E_USAGE, or why the state cannot be evaluated */
HK_API hk_status hk_sim_body_pose(hk_sim *s, int32_t body, double *position, double *rotation);

/** How a body moves: its own frame, in world axes. Allocates nothing.
 * @param s the simulation
 * @param body from 0 to hk_sim_body_count() - 1
 * @param velocity of the origin, m/s, three numbers; NULL: not wanted
 * @param angular_velocity rad/s, three numbers; NULL: not wanted
 * @return HK_OK, HK_E_USAGE, or why the state cannot be evaluated */
HK_API hk_status hk_sim_body_twist(hk_sim *s, int32_t body, double *velocity,
                                   double *angular_velocity);

/** Where a body shall be and how it shall move when hk_sim_restart() goes on: its own frame, in world
 * axes. Nothing changes before that.
 * @param s the simulation
 * @param body from 0 to hk_sim_body_count() - 1
 * @param position of the origin, m, three numbers; NULL: not given
 * @param rotation axes of the body in world axes as columns, row by row, nine numbers; NULL: not given
 * @param velocity of the origin, m/s, three numbers; NULL: not given
 * @param angular_velocity rad/s, three numbers; NULL: not given
 * @return HK_OK, HK_E_USAGE, HK_E_MEMORY */
HK_API hk_status hk_sim_body_set(hk_sim *s, int32_t body, const double *position,
                                 const double *rotation, const double *velocity,
                                 const double *angular_velocity);

/** Joints, in the order of the model file.
 * @param s the simulation
 * @return how many there are; 0 when `s` is no simulation */
HK_API int32_t hk_sim_joint_count(const hk_sim *s);

/** The name of a joint.
 * @param s the simulation
 * @param joint from 0 to hk_sim_joint_count() - 1
 * @return its name, with those of the instances that it is in; NULL when there is none */
HK_API const char *hk_sim_joint_name(const hk_sim *s, int32_t joint);

/** The number of a joint.
 * @param s the simulation
 * @param name its name
 * @return its number; -1 when there is none of this name */
HK_API int32_t hk_sim_joint_find(const hk_sim *s, const char *name);

/** The scalar coordinates of a joint: one of a revolute, two of a universal; none of a spherical or
 * free joint, whose place is that of its bodies.
 * @param s the simulation
 * @param joint from 0 to hk_sim_joint_count() - 1
 * @return how many there are; -1 when there is no joint of this number */
HK_API int32_t hk_sim_joint_coordinates(const hk_sim *s, int32_t joint);

/** Coordinates and rates of a joint, as its channels show them. Allocates nothing.
 * @param s the simulation
 * @param joint from 0 to hk_sim_joint_count() - 1
 * @param n hk_sim_joint_coordinates()
 * @param coordinates room for n numbers, m or rad; NULL: not wanted
 * @param rates room for n numbers, m/s or rad/s; NULL: not wanted
 * @return HK_OK, HK_E_USAGE, or why the state cannot be evaluated */
HK_API hk_status hk_sim_joint_get(hk_sim *s, int32_t joint, int32_t n, double *coordinates,
                                  double *rates);

/** Coordinates and rates from which hk_sim_restart() shall go on. Nothing changes before that.
 * @param s the simulation
 * @param joint from 0 to hk_sim_joint_count() - 1
 * @param n hk_sim_joint_coordinates()
 * @param coordinates n numbers, m or rad; NULL: not given
 * @param rates n numbers, m/s or rad/s; NULL: not given
 * @return HK_OK, HK_E_USAGE, HK_E_MEMORY */
HK_API hk_status hk_sim_joint_set(hk_sim *s, int32_t joint, int32_t n, const double *coordinates,
                                  const double *rates);

/** Nodes of networks, in the order of the model file.
 * @param s the simulation
 * @return how many there are; 0 when `s` is no simulation */
HK_API int32_t hk_sim_node_count(const hk_sim *s);

/** The name of a node.
 * @param s the simulation
 * @param node from 0 to hk_sim_node_count() - 1
 * @return its name, with those of the instances that it is in; NULL when there is none */
HK_API const char *hk_sim_node_name(const hk_sim *s, int32_t node);

/** The number of a node.
 * @param s the simulation
 * @param name its name
 * @return its number; -1 when there is none of this name */
HK_API int32_t hk_sim_node_find(const hk_sim *s, const char *name);

/** The value of a node: a voltage, pressure, temperature. Allocates nothing.
 * @param s the simulation
 * @param node from 0 to hk_sim_node_count() - 1
 * @param value its value
 * @return HK_OK, HK_E_USAGE, or why the state cannot be evaluated */
HK_API hk_status hk_sim_node_get(hk_sim *s, int32_t node, double *value);

/** The value that a node shall have when hk_sim_restart() goes on. It holds where an element stores at
 * the node (a capacitor, a volume, a mass that is warm); elsewhere the equations of the network say what
 * it is, and this is where their solution begins. Nothing changes before that.
 * @param s the simulation
 * @param node from 0 to hk_sim_node_count() - 1
 * @param value a finite number
 * @return HK_OK, HK_E_USAGE (also of a node that is held at a value), HK_E_MEMORY */
HK_API hk_status hk_sim_node_set(hk_sim *s, int32_t node, double value);

/** Go on from what hk_sim_joint_set(), hk_sim_body_set() and hk_sim_node_set() were given: loops are
 * closed, what was not given stays as near to the present state as they allow, histories start anew. The time, the
 * inputs and what signals and laws remember stay; the change of energy counts as supplied. To begin at
 * time 0, call hk_sim_reset() before.
 * @param s the simulation
 * @return HK_OK; HK_E_ASSEMBLY: the values cannot all hold, with messages. The simulation is then as
 *         it was. The values given are forgotten in either case. */
HK_API hk_status hk_sim_restart(hk_sim *s);

/** The reaction of a joint on its second body, as the channels `joint.NAME.force` and
 * `joint.NAME.torque` have it. Allocates nothing.
 * @param s the simulation
 * @param joint from 0 to hk_sim_joint_count() - 1
 * @param force N, three numbers; NULL: not wanted
 * @param torque N*m, three numbers; NULL: not wanted
 * @return HK_OK, HK_E_USAGE, or why the state cannot be evaluated */
HK_API hk_status hk_sim_joint_reaction(hk_sim *s, int32_t joint, double *force, double *torque);

/* --- the state as two arrays, and trajectories from there ----------------------------------------- */

/** Coordinates of the model's spanning tree, those of hooke/eval.h: joint coordinates, and unit
 * quaternions of spherical and free joints.
 * @param s the simulation
 * @return how many there are; 0 when `s` is no simulation */
HK_API int32_t hk_sim_coordinate_count(const hk_sim *s);

/** Velocities of the spanning tree; a quaternion has three.
 * @param s the simulation
 * @return how many there are; 0 when `s` is no simulation */
HK_API int32_t hk_sim_velocity_count(const hk_sim *s);

/** The name of a coordinate, such as "joint.pin.angle".
 * @param s the simulation
 * @param i from 0 to hk_sim_coordinate_count() - 1
 * @return its name; NULL when there is none */
HK_API const char *hk_sim_coordinate_name(hk_sim *s, int32_t i);

/** The name of a velocity, such as "joint.pin.rate".
 * @param s the simulation
 * @param i from 0 to hk_sim_velocity_count() - 1
 * @return its name; NULL when there is none */
HK_API const char *hk_sim_velocity_name(hk_sim *s, int32_t i);

/** Positions and velocities at the present time. The first call finds the names, later ones allocate
 * nothing.
 * @param s the simulation
 * @param q room for hk_sim_coordinate_count() numbers; NULL: not wanted
 * @param v room for hk_sim_velocity_count() numbers; NULL: not wanted
 * @return HK_OK, HK_E_USAGE, HK_E_MEMORY, or why the state cannot be evaluated */
HK_API hk_status hk_sim_coordinates_get(hk_sim *s, double *q, double *v);

/** Go on from these positions and velocities at the present time, as hk_sim_restart() does: loops are
 * closed, histories start anew, inputs and what signals and laws remember stay. To begin at time 0,
 * call hk_sim_reset() before. A model without loops allocates only in the first call.
 * @param s the simulation
 * @param q hk_sim_coordinate_count() numbers; NULL: as they are
 * @param v hk_sim_velocity_count() numbers; NULL: as they are
 * @return HK_OK; HK_E_USAGE; HK_E_ASSEMBLY: loops cannot be closed near it. The simulation is then as it
 *         was. */
HK_API hk_status hk_sim_coordinates_set(hk_sim *s, const double *q, const double *v);

/** A whole trajectory from the present state: steps with given inputs, and channels along the way.
 * Allocates nothing.
 * @param s the simulation
 * @param steps how many steps
 * @param every after how many steps channels are read, from 1; they are also read before the first
 * @param inputs for each step the values of all inputs, steps x hk_sim_input_count() numbers; NULL: the
 *        inputs stay as they are
 * @param n how many channels
 * @param handles of hk_sim_channel_handle(), n of them
 * @param values room for (steps / every + 1) x n numbers
 * @return as hk_sim_step() */
HK_API hk_status hk_sim_rollout(hk_sim *s, int64_t steps, int64_t every, const double *inputs,
                                int32_t n, const int32_t *handles, double *values);

/* --- the state -------------------------------------------------------------------------------- */

/** How many bytes the state takes.
 * @param s the simulation
 * @return bytes, the same during the whole simulation; 0 when `s` is no simulation */
HK_API size_t hk_sim_state_size(const hk_sim *s);

/** Copy the state out: everything needed to go on bit by bit the same way, histories of integrators,
 * inputs, events and energies included. The bytes are those of a file of hk_sim_save(), with the
 * same exception, `bdf`. Allocates nothing.
 * @param s the simulation
 * @param blob room for `size` bytes
 * @param size hk_sim_state_size()
 * @return HK_OK or HK_E_USAGE */
HK_API hk_status hk_sim_state_get(hk_sim *s, void *blob, size_t size);

/** Put a state in. It is checked as a whole before anything is changed. The first call allocates
 * room for going back, later ones nothing.
 * @param s a simulation of the same model with the same methods, step and options
 * @param blob the bytes that hk_sim_state_get() or hk_sim_save() wrote
 * @param size how many
 * @return HK_OK; HK_E_USAGE: of another model or method, damaged, or behind the end time. The
 *         simulation is then as it was. */
HK_API hk_status hk_sim_state_set(hk_sim *s, const void *blob, size_t size);

/** Go back to the state in which the simulation was created, also after it has failed. Inputs have
 * their start values again. The first call finds that state anew and keeps it, later ones copy it and
 * allocate nothing.
 * @param s the simulation
 * @return HK_OK, HK_E_USAGE, HK_E_MEMORY */
HK_API hk_status hk_sim_reset(hk_sim *s);

/** A simulation of its own in the same state, with the same model, methods and options.
 * @param s the simulation
 * @param ctx the context of the clone, which may belong to another thread; NULL: that of `s`
 * @param out the clone, to be given to hk_sim_destroy(); NULL on failure
 * @return as hk_sim_create() */
HK_API hk_status hk_sim_clone(hk_sim *s, hk_ctx *ctx, hk_sim **out);

/** Keep the states before the last steps, so that hk_sim_rollback() can take steps back. Costs a
 * copy of the state in each step.
 * @param s the simulation
 * @param steps how many steps it shall be possible to take back; 0: none any more
 * @return HK_OK, HK_E_USAGE, HK_E_MEMORY */
HK_API hk_status hk_sim_keep(hk_sim *s, int32_t steps);

/** How many steps can be taken back.
 * @param s the simulation
 * @return their number; 0 when `s` is no simulation */
HK_API int32_t hk_sim_kept(const hk_sim *s);

/** Take back the last steps, also after a step has failed. Inputs have the values again that they
 * had when the first of these steps began. Allocates nothing.
 * @param s the simulation
 * @param steps from 1 to hk_sim_kept()
 * @return HK_OK or HK_E_USAGE: so many are not kept */
HK_API hk_status hk_sim_rollback(hk_sim *s, int32_t steps);

#ifdef __cplusplus
}
#endif
#endif
