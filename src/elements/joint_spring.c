/* SPDX-License-Identifier: Apache-2.0
 *
 * joint_spring.c: a spring and damper on one coordinate s of a joint, which resists positive
 * displacement:
 *
 *   tau = -f(s - zero, sd)
 */
#include "elements/spring.h"

static void eval(const void *par, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  hk_spring_force f;
  hki_spring_force(par, in, in->s, in->sd, need & HK_NEED_MEMORY ? out->d : NULL, &f);
  out->tau = -f.f;
  out->ks[0] = out->K[0] = f.ks;
  out->cs[0] = out->C[0] = f.cs;
  if (need & HK_NEED_INPUT)
    for (int k = 0; k < HK_SPRING_INPUTS; k++) out->Wu[12 * k] = -f.fu[k];
  if (need & HK_NEED_ENERGY) hki_spring_energy(par, in->u, in->u_varies, in->s, in->sd, &f, out);
  if (need & HK_NEED_OUTPUT) out->y[0] = in->s, out->y[1] = in->sd, out->y[2] = -f.f;
}

static hk_status prepare(hk_ctx *ctx, hk_loc loc, const char *name, void *p, uint32_t u_given,
                         double *u0, const hk_frame *m0) {
  hk_spring_par *par = p;
  (void)u0, (void)m0;
  par->offset = true;
  return hki_spring_check(ctx, loc, name, par, u_given);
}

/* clang-format off */
#define AT(field) (int32_t)offsetof(hk_spring_par, field)
static const hk_param params[] = {
    {"joint", HK_P_JOINT, HK_P_REQUIRED, HK_P_HAND, 0, 0, 0, "", NULL, "the joint, or one of its coordinates: slider.position"},
    {"stiffness", HK_P_DYNAMIC, 0, 0, 0, 0, 0, "N*m/rad or N/m", NULL, "torque or force per displacement"},
    {"damping", HK_P_DYNAMIC, 0, 1, 0, 0, 0, "N*m*s/rad or N*s/m", NULL, "torque or force per rate"},
    {"zero", HK_P_DYNAMIC, HK_P_LEAD, 2, 0, 0, 0, "rad or m", NULL, "coordinate at which the spring is free"},
    {"spring", HK_P_LAW, 0, AT(spring), 0, 0, 0, "N*m or N", NULL, "law over s, the coordinate minus 'zero'; instead of 'stiffness'"},
    {"damper", HK_P_LAW, 0, AT(damper), 0, 0, 0, "N*m or N", NULL, "law over sdot, its rate; instead of 'damping'"},
    {"normal", HK_P_DYNAMIC, HK_P_NONNEGATIVE, 3, 0, 0, 0, "N", NULL, "normal force; the forces of a damper law with friction are then coefficients"},
    HK_PARAM_END};
/* clang-format on */

extern const hk_element_ops hki_element_joint_spring;
const hk_element_ops hki_element_joint_spring = {
    .name = "joint_spring",
    .text = "spring and damper on a coordinate of a joint",
    .source = "definition",
    .nscal = 1,
    .rank = 1,
    .nu = HK_SPRING_INPUTS,
    .ny = 3,
    .caps = HK_ELEMENT_RELATIVE | HK_ELEMENT_SYMMETRIC,
    .par_size = sizeof(hk_spring_par),
    .params = params,
    .outputs = "position rate force",
    .output_units = "q q/s f",
    .prepare = prepare,
    .eval = eval,
    .power = hki_spring_power,
    .laws = hki_spring_laws,
};
