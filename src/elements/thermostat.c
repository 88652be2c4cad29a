/* SPDX-License-Identifier: Apache-2.0
 *
 * thermostat.c: `thermostat`, a heat source that switches on below one temperature of its node and
 * off above another. The switch is discrete: it changes only at accepted states, before the next
 * step is predicted.
 */
#include "elements/network.h"

typedef struct thermostat_par {
  double below, above;
} thermostat_par;

static void eval(const void *par, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  const double on = in->d[0];
  (void)par, (void)need;
  hki_netel_clear(out, 2);
  hki_netel_flow(out, on * in->u[0]);
  out->Fu[0] = on, out->Fu[1] = -on;
  out->y[0] = on * in->u[0], out->y[1] = on;
}

static bool hook(const void *p, hk_hook when, const hk_element_in *in, double *d) {
  const thermostat_par *par = p;
  const double before = d[0];
  if (when != HK_HOOK_BEFORE_PREDICTION) return false;
  if (in->x[1] < par->below) d[0] = 1.0;
  if (in->x[1] > par->above) d[0] = 0.0;
  return d[0] != before;
}

static hk_status prepare(hk_ctx *ctx, hk_loc loc, const char *name, void *p, uint32_t u_given,
                         double *u0, const hk_frame *m0) {
  const thermostat_par *par = p;
  (void)u_given, (void)u0, (void)m0;
  if (par->below <= par->above) return HK_OK;
  return hki_error(ctx, HK_E_MODEL, loc, "it switches on below the one and off above the other",
                   "thermostat '%s' has 'below' %g over 'above' %g", name, par->below, par->above);
}

/* clang-format off */
#define AT(field) (int32_t)offsetof(thermostat_par, field)
static const hk_param params[] = {
    {"on", HK_P_NODE, HK_P_REQUIRED, 1, 0, 0, 0, "", NULL, "the node that it watches and heats"},
    {"below", HK_P_REAL, HK_P_REQUIRED, AT(below), NAN, 0, 0, "K", NULL, "temperature below which it switches on"},
    {"above", HK_P_REAL, HK_P_REQUIRED, AT(above), NAN, 0, 0, "K", NULL, "temperature above which it switches off"},
    {"value", HK_P_DYNAMIC, HK_P_REQUIRED, 0, 0, 0, 0, "W", NULL, "heat flow into the node while it is on"},
    HK_PARAM_END};
/* clang-format on */

extern const hk_element_ops hki_element_thermostat;
const hk_element_ops hki_element_thermostat = {
    .name = "thermostat",
    .text = "heat source that switches on and off by the temperature of its node",
    .source = "definition",
    .nu = 1,
    .nd = 1,
    .ny = 2,
    .caps = HK_ELEMENT_NETWORK,
    .nnode = 2,
    .domains = hki_netel_thermal,
    .par_size = sizeof(thermostat_par),
    .params = params,
    .outputs = "flow on",
    .output_units = "W 1",
    .prepare = prepare,
    .eval = eval,
    .hook = hook,
};
