/* SPDX-License-Identifier: Apache-2.0
 *
 * inductor.c: `inductor`, an electric inductance with the resistance of its winding. Its current is
 * an unknown of its own.
 *
 *   L di/dt + R i = x0 - x1
 */
#include "elements/network.h"

typedef struct inductor_par {
  double inductance, resistance, start;
} inductor_par;

static void eval(const void *p, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  const inductor_par *par = p;
  const double i = in->x[2], e = in->x[0] - in->x[1];
  double *own = out->Fx + 2 * HK_NX;
  (void)need;
  hki_netel_clear(out, 3);
  hki_netel_flow(out, i);
  hki_netel_slope(out->Fx, 2, 1.0);
  out->F[2] = par->inductance * in->xd[2] + par->resistance * i - e;
  own[0] = -1.0, own[1] = 1.0, own[2] = par->resistance;
  out->Fxd[2 * HK_NX + 2] = par->inductance;
  out->y[0] = i, out->y[1] = e, out->y[2] = 0.5 * par->inductance * i * i;
}

static void own_start(const void *p, double *x) { x[0] = ((const inductor_par *)p)->start; }

/* clang-format off */
#define AT(field) (int32_t)offsetof(inductor_par, field)
static const hk_param params[] = {
    HK_NETEL_BETWEEN("the two nodes; a positive current flows from the first to the second"),
    {"inductance", HK_P_REAL, HK_P_REQUIRED | HK_P_POSITIVE, AT(inductance), NAN, 0, 0, "V*s/A", NULL, "flux over current"},
    {"resistance", HK_P_REAL, HK_P_NONNEGATIVE, AT(resistance), 0, 0, 0, "V/A", NULL, "of its winding"},
    {"start", HK_P_REAL, 0, AT(start), 0, 0, 0, "A", NULL, "current at the start"},
    HK_PARAM_END};
/* clang-format on */

extern const hk_element_ops hki_element_inductor;
const hk_element_ops hki_element_inductor = {
    .name = "inductor",
    .text = "electric inductance between two nodes",
    .source = "Faraday's law",
    .ny = 3,
    .caps = HK_ELEMENT_NETWORK,
    .nnode = 2,
    .nown = 1,
    .domains = hki_netel_electric,
    .own_scale = hki_netel_unit,
    .par_size = sizeof(inductor_par),
    .params = params,
    .outputs = "current voltage energy",
    .output_units = "A V J",
    .eval = eval,
    .own_start = own_start,
};
