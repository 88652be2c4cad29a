/* SPDX-License-Identifier: Apache-2.0
 *
 * dc_motor.c: `dc_motor`, a motor with brushes and permanent magnets between two electric nodes,
 * turning an angle of a joint. Its current is an unknown of its own.
 *
 *   L di/dt + R i + k w = x0 - x1        k w: induced voltage, w: rate of the angle
 *   tau  = k i                           torque on the joint's second body
 *   loss = R i^2                         into a thermal node if one is named
 *
 * The mechanical power k w i counts as supplied. The inertia of the rotor belongs to the body that
 * it turns.
 *
 * Source: the textbook model of a direct current machine.
 */
#include "elements/network.h"

typedef struct motor_par {
  double constant, inductance, start;
} motor_par;

enum { HEAT = 2, OWN = 3 };

static void eval(const void *p, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  const motor_par *par = p;
  const double i = in->x[OWN], e = in->x[0] - in->x[1], R = in->u[0], k = par->constant;
  double *own = out->Fx + OWN * HK_NX;
  (void)need;
  hki_netel_clear(out, 4);
  hki_netel_flow(out, i);
  hki_netel_slope(out->Fx, OWN, 1.0);
  // loss
  out->F[HEAT] = -R * i * i;
  out->Fx[HEAT * HK_NX + OWN] = -2.0 * R * i;
  out->Fu[HEAT] = -i * i;
  // winding
  out->F[OWN] = par->inductance * in->xd[OWN] + R * i + k * in->sd - e;
  own[0] = -1.0, own[1] = 1.0, own[OWN] = R;
  out->Fxd[OWN * HK_NX + OWN] = par->inductance;
  out->Fsd[OWN] = k;
  out->Fu[OWN] = i;
  // rotor
  out->tau = k * i;
  out->tau_x[OWN] = k;
  out->supplied = out->tau * in->sd;
  out->y[0] = i, out->y[1] = out->tau, out->y[2] = e, out->y[3] = e * i, out->y[4] = R * i * i;
}

static void own_start(const void *p, double *x) { x[0] = ((const motor_par *)p)->start; }

/* clang-format off */
#define AT(field) (int32_t)offsetof(motor_par, field)
static const hk_param params[] = {
    {"joint", HK_P_JOINT, HK_P_REQUIRED, HK_P_HAND, 0, 0, 0, "", NULL, "the joint it turns, or one of its angles"},
    HK_NETEL_BETWEEN("its two terminals; a positive current flows from the first to the second"),
    {"constant", HK_P_REAL, HK_P_REQUIRED | HK_P_LEAD, AT(constant), NAN, 0, 0, "N*m/A", NULL, "torque over current, and induced voltage over rate"},
    {"resistance", HK_P_DYNAMIC, HK_P_REQUIRED | HK_P_POSITIVE, 0, 0, 0, 0, "V/A", NULL, "of its winding; may read channels"},
    {"inductance", HK_P_REAL, HK_P_NONNEGATIVE, AT(inductance), 0, 0, 0, "V*s/A", NULL, "of its winding; 0: the current follows at once"},
    {"start", HK_P_REAL, 0, AT(start), 0, 0, 0, "A", NULL, "current at the start"},
    {"heats", HK_P_NODE, 0, HEAT, 0, 0, 0, "", NULL, "thermal node that takes the loss; left out: the loss leaves the model"},
    HK_PARAM_END};
/* clang-format on */

extern const hk_element_ops hki_element_dc_motor;
const hk_element_ops hki_element_dc_motor = {
    .name = "dc_motor",
    .text = "direct current motor between two electric nodes, on an angle of a joint",
    .source = "textbook model of a direct current machine",
    .nscal = 1,
    .nu = 1,
    .ny = 5,
    .caps = HK_ELEMENT_RELATIVE | HK_ELEMENT_SYMMETRIC | HK_ELEMENT_NETWORK | HK_ELEMENT_SUPPLIES,
    .nnode = 3,
    .nown = 1,
    .domains = hki_netel_electric,
    .own_scale = hki_netel_unit,
    .coordinate = "rad",
    .par_size = sizeof(motor_par),
    .params = params,
    .outputs = "current torque voltage power loss",
    .output_units = "A N*m V W W",
    .eval = eval,
    .own_start = own_start,
};
