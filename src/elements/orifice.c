/* SPDX-License-Identifier: Apache-2.0
 *
 * orifice.c: `orifice`, turbulent flow through a sharp edge, laminar for small differences.
 *
 *   q = k p / (p^2 + p0^2)^(1/4)        p = x0 - x1
 *   k = c A sqrt(2/rho)
 *
 * This is c A sqrt(2 |p|/rho) for |p| >> p0 and has a finite slope at p = 0.
 *
 * Source: Torricelli's law.
 */
#include <math.h>

#include "elements/network.h"

typedef struct orifice_par {
  double coefficient, density, laminar;
} orifice_par;

static void eval(const void *p, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  const orifice_par *par = p;
  const double e = in->x[0] - in->x[1], D = e * e + par->laminar * par->laminar;
  const double unit = par->coefficient * sqrt(2.0 / par->density) / sqrt(sqrt(D));
  const double slope = in->u[0] * unit * (1.0 - 0.5 * e * e / D);
  (void)need;
  hki_netel_clear(out, 2);
  hki_netel_flow(out, in->u[0] * unit * e);
  hki_netel_slope(out->Fx, 0, slope);
  hki_netel_slope(out->Fx, 1, -slope);
  out->Fu[0] = unit * e, out->Fu[1] = -unit * e;
  out->y[0] = out->F[0], out->y[1] = e;
}

/* clang-format off */
#define AT(field) (int32_t)offsetof(orifice_par, field)
static const hk_param params[] = {
    HK_NETEL_BETWEEN("the two nodes"),
    {"area", HK_P_DYNAMIC, HK_P_REQUIRED | HK_P_NONNEGATIVE, 0, 0, 0, 0, "m^2", NULL, "opening; a signal makes it a valve"},
    {"coefficient", HK_P_REAL, HK_P_POSITIVE, AT(coefficient), 0.7, 0, 0, "1", NULL, "discharge coefficient"},
    {"density", HK_P_REAL, HK_P_POSITIVE, AT(density), 850, 0, 0, "kg/m^3", NULL, "density of the fluid"},
    {"laminar", HK_P_REAL, HK_P_POSITIVE, AT(laminar), 1000, 0, 0, "Pa", NULL, "difference below which the flow is about linear"},
    HK_PARAM_END};
/* clang-format on */

extern const hk_element_ops hki_element_orifice;
const hk_element_ops hki_element_orifice = {
    .name = "orifice",
    .text = "turbulent hydraulic resistance, a valve when its area is a signal",
    .source = "Torricelli's law, smooth at zero",
    .nu = 1,
    .ny = 2,
    .caps = HK_ELEMENT_NETWORK,
    .nnode = 2,
    .domains = hki_netel_hydraulic,
    .par_size = sizeof(orifice_par),
    .params = params,
    .outputs = "flow difference",
    .output_units = "m^3/s Pa",
    .eval = eval,
};
