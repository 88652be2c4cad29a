/* SPDX-License-Identifier: Apache-2.0
 *
 * servo.c: a control constraint. It keeps a condition on positions like any other coupling,
 *
 *   theta(s, t) = 0
 *
 * and its multiplier acts through actuators, coordinates of joints with weights b_i, in the place of
 * the gradient of the condition:
 *
 *   force on coordinate i:  b_i u
 *
 * Source: Masarati, Morandini and Mantegazza, An Efficient Formulation for General-Purpose
 * Multibody/Multiphysics Analysis, 2014, eqs. 24-25; Fumagalli, Masarati, Morandini and Mantegazza,
 * Control Constraint Realization for Multibody Systems, 2011.
 */
#include "joints/servo.h"

#include "joints/coupling.h"

static const hk_param params[] = {HK_PARAM_END}; // keys: language/reader_tables.c

static int32_t couple(const void *par, hk_couple *out, const char **wrong) {
  (void)par, (void)out, (void)wrong;
  return 1;
}

const hk_joint_ops hki_joint_servo = {
    .name = "servo",
    .text = "keeps a condition on positions by the forces of actuators",
    .source = "Masarati, Morandini and Mantegazza 2014, eqs. 24-25",
    .caps = HK_JOINT_COUPLES | HK_JOINT_SERVO,
    HK_OPS_COUPLING(0, HK_COUPLED, HK_GLYPH_NONE),
};
