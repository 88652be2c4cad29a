/* SPDX-License-Identifier: Apache-2.0
 *
 * live.h: a running simulation as part of a program: its state as bytes, clones, inputs, handles.
 */
#ifndef HK_SIMULATION_LIVE_H
#define HK_SIMULATION_LIVE_H

#include "base/swap.h"
#include "hooke/live.h"
#include "simulation/simulation.h"

/* the state as bytes in memory (state.c) */
size_t hki_state_size(hk_sim *s);
/* blob: hki_state_size bytes; sealed: with the sum by which damage is found */
void hki_state_get(hk_sim *s, void *blob, bool sealed);
/* the arrays of a state, in place in the simulation; returns how many there are */
enum { HK_STATE_SECTIONS = 15 + 4 }; /* at most three linear solvers, and factors that are kept */
int32_t hki_state_sections(hk_sim *s, hk_piece *out);
/* the arrays, or the time, were changed in place: what follows from them is found anew */
hk_status hki_state_moved(hk_sim *s);
/* why sealed bytes from outside cannot be used, NULL: they can; *t: their time */
const char *hki_state_fault(hk_sim *s, const void *blob, size_t size, double *t);
/* puts in a state of this simulation that is known to be good; a failure leaves half of it */
hk_status hki_state_set(hk_sim *s, const void *blob);
/* the same; a failure leaves the simulation as it was. The first call allocates room for that. */
hk_status hki_state_replace(hk_sim *s, const void *blob);

/* why a state of simulation a has no meaning in b, whose models have the same shape; NULL: it has one */
const char *hki_state_differs(hk_sim *a, hk_sim *b);
/* the values of parameters in a state, nparameters numbers that need not be aligned */
const unsigned char *hki_state_live(const void *blob);

/* parameters (sim_parameters.c): their memory, all as in the model */
hk_status hki_sim_parameters(hk_sim *s);
/* are these the values that the program has set so far? */
bool hki_sim_has_live(const hk_sim *s, const unsigned char *live);
/* the model with the values of parameters in `live`, read in the simulation's context; NULL after errors
 */
hk_model *hki_sim_vary(hk_sim *s, const double *live);

/* a run goes on with another model (sim_rebind.c): */
/* the model with the values of parameters in a state of this simulation, in that state; a failure leaves
 * it as it was */
hk_status hki_sim_relive(hk_sim *s, const void *blob);
/* From the present state on with `m`. live: the values of parameters that it has and the program has set,
 * NULL: it is a model of its own. before: what to do in the new simulation before its accelerations are
 * found, NULL: nothing. A failure leaves the simulation as it was. */
typedef void hk_before_change(hk_sim *s, const void *user);
hk_status hki_sim_follow(hk_sim *s, hk_model *m, const double *live, hk_before_change *before,
                         const void *user);

/* from the present state in qt and vt, with loops closed and the values in `starts` (sim_restart.c) */
hk_status hki_sim_assemble_here(hk_sim *s);
/* the same, without looking at a tree that has nothing to close */
hk_status hki_sim_go_on_from_tree(hk_sim *s);

/* options that give the same simulation again (sim_clone.c) */
hk_sim_options hki_sim_same_options(const hk_sim *s);
/* keeps what the caller has chosen, for clones (sim_clone.c) */
hk_status hki_sim_remember_options(hk_sim *s, const hk_sim_options *opt);
/* the present state into the ring of those before the last steps, if they are kept */
void hki_sim_keep_step(hk_sim *s);

/* channels at the state of s->kin; handles: n good ones (sim_live.c) */
hk_status hki_sim_values(hk_sim *s, int32_t n, const int32_t *handles, double *values);
/* the handles that another simulation of the model has given (sim_live.c) */
hk_status hki_sim_copy_handles(hk_sim *s, const hk_sim *from);

/* inputs (sim_inputs.c): where they are in the signals */
hk_status hki_sim_inputs(hk_sim *s);
/* An input has another value at once, also one that a prescribed position follows: both machines forget what
 * depends on it. The caller moves the state. */
hk_status hki_sim_input_put(hk_sim *s, int32_t input, double value);
/* values that wait for the next step, as hk_sim_inputs_set sets them; finite ones of good inputs */
hk_status hki_sim_inputs_next(hk_sim *s, int32_t n, const int32_t *inputs, const double *values);
/* they jump at once: accelerations are found anew */
hk_status hki_sim_inputs_jump(hk_sim *s, int32_t n, const int32_t *inputs, const double *values);
/* the same within the step that is tried: they count at once, and over the whole of it */
void hki_sim_inputs_within(hk_sim *s, int32_t n, const int32_t *inputs, const double *values);
/* the value that waits for the next step; not a number: none does */
double hki_sim_input_waits(const hk_sim *s, int32_t input);
/* inputs that were set since the last step get their values */
void hki_sim_inputs_take(hk_sim *s);

#endif
