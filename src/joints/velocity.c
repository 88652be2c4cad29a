/* SPDX-License-Identifier: Apache-2.0
 *
 * velocity.c: a condition on rates of joints that need not be the derivative of one on positions:
 *
 *   psi(s, ds/dt, t) = 0, linear in the rates
 *
 * Source: Neimark and Fufaev, Dynamics of Nonholonomic Systems (1972), ch. I.
 */
#include "joints/coupling.h"

static const hk_param params[] = {
    HK_PARAM_HAND(
        "expression", HK_P_TEXT, HK_P_REQUIRED,
        "an expression of joint rates, joint coordinates and t that stays zero; linear in "
        "the rates"),
    HK_PARAM_END};

static int32_t couple(const void *par, hk_couple *out, const char **wrong) {
  (void)par, (void)out, (void)wrong;
  return 1;
}

const hk_joint_ops hki_joint_velocity = {
    .name = "velocity",
    .text = "keeps an expression of joint rates at zero",
    .source = "Neimark and Fufaev, Dynamics of Nonholonomic Systems (1972), ch. I",
    .caps = HK_JOINT_COUPLES | HK_JOINT_RATES,
    HK_OPS_COUPLING(1, HK_COUPLED, HK_GLYPH_LINK),
};
