/* SPDX-License-Identifier: Apache-2.0
 *
 * velocity.c: a condition on velocities that need not be the derivative of one on positions:
 *
 *   psi(s, ds/dt, t) = 0
 *
 * s are coordinates of joints, and what is measured of bodies and markers. The force of the condition
 * is its gradient by the velocities times a multiplier (Chetaev's rule where psi is not linear in
 * them).
 *
 * Source: Neimark and Fufaev, Dynamics of Nonholonomic Systems (1972), ch. I and IV.
 */
#include "joints/coupling.h"

static const hk_param params[] = {
    HK_PARAM_HAND(
        "expression", HK_P_TEXT, HK_P_REQUIRED,
        "an expression that stays zero: of velocities and positions of joints, bodies and markers, "
        "and t"),
    HK_PARAM_END};

static int32_t couple(const void *par, hk_couple *out, const char **wrong) {
  (void)par, (void)out, (void)wrong;
  return 1;
}

const hk_joint_ops hki_joint_velocity = {
    .name = "velocity",
    .text = "keeps an expression of velocities at zero",
    .source = "Neimark and Fufaev, Dynamics of Nonholonomic Systems (1972), ch. I and IV",
    .caps = HK_JOINT_COUPLES | HK_JOINT_RATES,
    HK_OPS_COUPLING(1, HK_COUPLED, HK_GLYPH_LINK),
};
