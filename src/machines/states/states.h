/* SPDX-License-Identifier: Apache-2.0
 *
 * states.h: private states of force elements (elements/state.h) as the last entries of a
 * formulation's vectors: a formulation around another one, which never hears of them.
 */
#ifndef HK_MACHINES_STATES_H
#define HK_MACHINES_STATES_H

#include "kinematics/kin.h"
#include "stage/stage.h"

/* Puts a formulation with the private states of the model around *f, whose machine evaluates forces
 * with `kin` or shares its states. It owns the inner one. Nothing is done for a model without them.
 * On failure *f is as before. */
hk_status hki_states_wrap(hk_ctx *ctx, const hk_model *m, hk_kin *kin, hk_formulation **f);

#endif
