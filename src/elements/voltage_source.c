/* SPDX-License-Identifier: Apache-2.0
 *
 * voltage_source.c: `voltage_source`, a given voltage U in series with an inner resistance R. The
 * current i that it delivers into its first node is an unknown of its own.
 *
 *   x0 - x1 = U - R i
 */
#include "elements/network.h"

typedef struct source_par {
  double resistance;
} source_par;

static void eval(const void *p, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  const double R = ((const source_par *)p)->resistance, i = in->x[2], e = in->x[0] - in->x[1];
  double *own = out->Fx + 2 * HK_NX;
  (void)need;
  hki_netel_clear(out, 3);
  hki_netel_flow(out, -i);
  hki_netel_slope(out->Fx, 2, -1.0);
  out->F[2] = e - in->u[0] + R * i;
  own[0] = 1.0, own[1] = -1.0, own[2] = R;
  out->Fu[2] = -1.0;
  out->y[0] = i, out->y[1] = e, out->y[2] = e * i;
}

/* clang-format off */
#define AT(field) (int32_t)offsetof(source_par, field)
static const hk_param params[] = {
    HK_NETEL_BETWEEN("its positive and its negative node"),
    {"value", HK_P_DYNAMIC, HK_P_REQUIRED, 0, 0, 0, 0, "V", NULL, "voltage of the first node over the second"},
    {"resistance", HK_P_REAL, HK_P_NONNEGATIVE, AT(resistance), 0, 0, 0, "V/A", NULL, "inner resistance"},
    HK_PARAM_END};
/* clang-format on */

extern const hk_element_ops hki_element_voltage_source;
const hk_element_ops hki_element_voltage_source = {
    .name = "voltage_source",
    .text = "given voltage between two nodes",
    .source = "definition",
    .nu = 1,
    .ny = 3,
    .caps = HK_ELEMENT_NETWORK,
    .nnode = 2,
    .nown = 1,
    .domains = hki_netel_electric,
    .own_scale = hki_netel_unit,
    .par_size = sizeof(source_par),
    .params = params,
    .outputs = "current voltage power",
    .output_units = "A V W",
    .eval = eval,
};
