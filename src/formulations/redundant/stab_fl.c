/* SPDX-License-Identifier: Apache-2.0
 *
 * stab_fl.c: `stabilisation: fuhrer_leimkuhler`: index 1 with the constraints at all levels and
 * a multiplier for each (P: stab.h).
 *
 *   q' = v - P G' mu
 *   v' = a - P G' eta
 *   M a + G' lam = W
 *   phi = 0
 *   G v + phi_t = 0
 *   G a + gamma = 0
 *
 * mu and eta vanish in the solution of the differential equations. Discretised they take up the
 * local errors of positions and velocities: P G' mu and P G' eta are O(h^2) for methods of order 2.
 * These are 2 n + 3 m equations once a is eliminated, which is left to the sparse solver.
 * Accelerations and lam are consistent without projection.
 *
 * Source: Fuhrer and Leimkuhler 1991, as in Haug, Negrut and Iancu 1997, section 2.
 */
#include "formulations/redundant/stab.h"

static const hk_redundant_form form = {.mu = true,
                                       .eta = true,
                                       .acc = true,
                                       .of = {HK_REDUNDANT_MU, HK_REDUNDANT_ETA, HK_REDUNDANT_LAM}};

const hk_redundant_method hki_redundant_fl_method = {
    .caps = HK_CAP_STAGE_POS | HK_CAP_ACCEL | HK_CAP_EXACT | HK_CAP_RATE_ROWS | HK_CAP_HELD |
            HK_CAP_INERTIA | HK_CAP_SERVO,
    .form = &form,
    .begin = hki_redundant_stab_begin,
    .residual = hki_redundant_stab_residual,
    .factor = hki_redundant_stab_factor,
    .correct = hki_redundant_stab_correct,
    .project = hki_redundant_stab_project,
};
