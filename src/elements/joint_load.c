/* SPDX-License-Identifier: Apache-2.0
 *
 * joint_load.c: `joint_torque` and `joint_force`, a given generalized force on one coordinate of a
 * joint, tau = u[0]. It acts on the second body, its reaction on the first. All its work counts as
 * supplied.
 */
#include "elements/element.h"

static void eval(const void *par, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  (void)par, (void)need;
  out->tau = in->u[0];
  out->K[0] = out->C[0] = 0.0;
  out->Wu[0] = 1.0;
  out->energy = out->dissipated = 0.0;
  out->supplied = in->u[0] * in->sd;
  out->y[0] = in->u[0], out->y[1] = out->supplied;
}

static void power(const void *par, const hk_element_in *in, double *dissipated, double *supplied) {
  (void)par;
  *dissipated = 0.0;
  *supplied = in->u[0] * in->sd;
}

/* clang-format off */
#define JOINT_LOAD_PARAMS(example, unit, text) \
    {"joint", HK_P_JOINT, HK_P_REQUIRED, HK_P_HAND, 0, 0, 0, "", NULL, "the joint, or one of its coordinates: " example}, \
    {"value", HK_P_DYNAMIC, HK_P_REQUIRED | HK_P_LEAD, 0, 0, 0, 0, unit, NULL, text}, \
    HK_PARAM_END
static const hk_param torque_params[] = {
    JOINT_LOAD_PARAMS("shaft.angle", "N*m", "torque on the second body about the joint's axis")};
static const hk_param force_params[] = {
    JOINT_LOAD_PARAMS("slider.position", "N", "force on the second body along the joint's axis")};
/* clang-format on */

/* members that both tables share */
#define JOINT_LOAD_OPS                                                                             \
  .source = "definition", .nscal = 1, .nu = 1, .ny = 2,                                            \
  .caps = HK_ELEMENT_RELATIVE | HK_ELEMENT_SYMMETRIC | HK_ELEMENT_SUPPLIES, .eval = eval,          \
  .power = power

extern const hk_element_ops hki_element_joint_torque, hki_element_joint_force;
const hk_element_ops hki_element_joint_torque = {
    JOINT_LOAD_OPS,
    .name = "joint_torque",
    .text = "given torque on an angle of a joint (a motor)",
    .coordinate = "rad",
    .params = torque_params,
    .outputs = "torque power",
    .output_units = "N*m W",
};
const hk_element_ops hki_element_joint_force = {
    JOINT_LOAD_OPS,
    .name = "joint_force",
    .text = "given force on a sliding coordinate of a joint (an actuator)",
    .coordinate = "m",
    .params = force_params,
    .outputs = "force power",
    .output_units = "N W",
};
