/* SPDX-License-Identifier: Apache-2.0
 *
 * stab_ggl.c: `stabilisation: ggl`: stabilised index 2. Positions move along the gradients of the
 * constraints so that positions and velocities both satisfy them.
 *
 *   q' = v - P G' mu
 *   M v' + G' lam = W
 *   phi = 0
 *   G v + phi_t = 0
 *
 * mu is zero in the solution of the differential equations. Discretised it takes up the local error
 * of the constraints, O(h^3) for methods of order 2, over the step: mu = O(h^2). The source has the
 * identity for P (stab.h), which is the same in coordinates of one unit. 2 n + 2 m equations. dae.c
 * has this form for methods with error control.
 *
 * Source: Gear, Leimkuhler and Gupta 1985; eq. 6 of Haug, Negrut and Iancu 1997.
 */
#include "formulations/redundant/stab.h"

static const hk_redundant_form form = {.mu = true, .of = {HK_REDUNDANT_MU, HK_REDUNDANT_LAM}};

const hk_redundant_method hki_redundant_ggl_method = {
    .caps = HK_CAP_STAGE_POS | HK_CAP_ACCEL | HK_CAP_EXACT | HK_CAP_RATE_ROWS | HK_CAP_HELD |
            HK_CAP_INERTIA | HK_CAP_SERVO,
    .form = &form,
    .begin = hki_redundant_stab_begin,
    .residual = hki_redundant_stab_residual,
    .factor = hki_redundant_stab_factor,
    .correct = hki_redundant_stab_correct,
    .project = hki_redundant_stab_project,
};
