/* SPDX-License-Identifier: Apache-2.0
 *
 * brake.c: `brake`, faces pressed together on a coordinate of a joint, and `rolling_resistance`, the
 * torque by which a loaded wheel resists rolling. Both are friction on the rate of the coordinate
 * (rub.h); they hold truly at rest.
 *
 *   brake                 tau = -radius faces (force + area pressure) c(radius sd)
 *   rolling_resistance    tau = -radius coefficient load, opposed to the rate
 */
#include "elements/rub.h"

static void eval(const void *p, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  hk_rub x;
  hki_rub_eval(p, in, in->sd, &x);
  (void)need;
  out->tau = -x.f;
  out->ks[0] = out->K[0] = 0.0;
  out->cs[0] = out->C[0] = x.slope;
  out->Wu[0] = -x.fu[0], out->Wu[12] = -x.fu[1]; // rolling resistance has the first alone
  out->energy = x.energy, out->dissipated = x.dissipated, out->supplied = out->spent = 0.0;
  for (int i = 0; i < 5; i++) out->y[i] = x.y[i];
}

static void power(const void *p, const hk_element_in *in, double *dissipated, double *supplied) {
  hk_rub x;
  hki_rub_eval(p, in, in->sd, &x);
  *dissipated = x.dissipated, *supplied = 0.0;
}

static hk_status brake_prepare(hk_ctx *ctx, hk_loc loc, const char *name, void *par,
                               uint32_t u_given, double *u0, const hk_frame *m0) {
  (void)m0;
  return hki_rub_prepare(ctx, loc, name, par, u_given, u0);
}

/* --- rolling resistance ------------------------------------------------------------------------ */

typedef struct rolling_par {
  hk_rub_par rub;
  double coefficient, deflection, time;
  hk_friction own;
} rolling_par;

static hk_status rolling_prepare(hk_ctx *ctx, hk_loc loc, const char *name, void *p,
                                 uint32_t u_given, double *u0, const hk_frame *m0) {
  rolling_par *par = p;
  const double mu = par->coefficient, sigma0 = mu / par->deflection;
  (void)m0;
  par->own = (hk_friction){.kind = HK_FRICTION_COULOMB,
                           .mu = mu,
                           .mu_static = mu,
                           .speed = 1.0,
                           .exponent = 2.0,
                           .sigma0 = sigma0,
                           .sigma1 = sigma0 * par->time};
  par->rub.friction = &par->own;
  par->rub.faces = 1;
  return hki_rub_prepare(ctx, loc, name, &par->rub, u_given, u0);
}

/* --- tables ------------------------------------------------------------------------------------ */

/* clang-format off */
static const hk_param brake_params[] = {
    {"joint", HK_P_JOINT, HK_P_REQUIRED, HK_P_HAND, 0, 0, 0, "", NULL, "the joint, or one of its coordinates: wheel.angle"},
    HK_RUB_ROWS("effective radius of the faces; 1 on a sliding coordinate", "pairs of faces: 2 for a disc between two pads"),
    HK_RUB_HEATS,
    HK_PARAM_END};

#define AT(field) (int32_t)offsetof(rolling_par, field)
static const hk_param rolling_params[] = {
    {"joint", HK_P_JOINT, HK_P_REQUIRED, HK_P_HAND, 0, 0, 0, "", NULL, "the joint about which the wheel turns, or its angle"},
    {"coefficient", HK_P_REAL, HK_P_REQUIRED | HK_P_POSITIVE, AT(coefficient), NAN, 0, 0, "", NULL, "resisting force over load: 0.012 for a car's tyre"},
    {"load", HK_P_DYNAMIC, HK_P_REQUIRED | HK_P_NONNEGATIVE, 0, 0, 0, 0, "N", NULL, "force between wheel and ground; may read channels: force.tyre.force"},
    {"radius", HK_P_REAL, HK_P_REQUIRED | HK_P_POSITIVE, AT(rub.radius), NAN, 0, 0, "m", NULL, "of the wheel"},
    {"deflection", HK_P_REAL, HK_P_POSITIVE, AT(deflection), 1e-5, 0, 0, "m", NULL, "way at the rim before it rolls"},
    {"time", HK_P_REAL, HK_P_POSITIVE, AT(time), 0.01, 0, 0, "s", NULL, "in which this way is forgotten at rest"},
    HK_RUB_HEATS,
    HK_PARAM_END};
/* clang-format on */

/* members that both tables share */
enum { RUB_CAPS = HK_ELEMENT_RELATIVE | HK_ELEMENT_SYMMETRIC | HK_ELEMENT_RATES };
#define RUBS                                                                                       \
  .source = "friction.c: a bristle in line with a slider", .nscal = 1, .rank = 1, .ny = 5,         \
  .outputs = "slip torque stuck power normal", .output_units = "q/s f 1 W N", .eval = eval,        \
  .power = power, .laws = hki_rub_laws

extern const hk_element_ops hki_element_brake, hki_element_rolling_resistance;
const hk_element_ops hki_element_brake = {
    RUBS,
    .name = "brake",
    .caps = RUB_CAPS | HK_ELEMENT_SLIP,
    .nu = 2,
    .text =
        "faces pressed together on a coordinate of a joint, by a force or a pressure; holds truly",
    .par_size = sizeof(hk_rub_par),
    .params = brake_params,
    .glyph = HK_GLYPH_DISC,
    .prepare = brake_prepare,
};
const hk_element_ops hki_element_rolling_resistance = {
    RUBS,
    .name = "rolling_resistance",
    .caps = RUB_CAPS,
    .nu = 1,
    .text = "torque by which a loaded wheel resists rolling, on an angle of a joint",
    .coordinate = "rad",
    .par_size = sizeof(rolling_par),
    .params = rolling_params,
    .prepare = rolling_prepare,
};
