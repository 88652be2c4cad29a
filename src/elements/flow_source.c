/* SPDX-License-Identifier: Apache-2.0
 *
 * flow_source.c: `current_source`, `heat_source`, `flow_source`, `abstract_source`: a given flow
 * from one node to another (from the reference where only one is named). It may read any channel:
 * the dissipation of a damper, for instance.
 */
#include "elements/network.h"

static void eval(const void *par, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  (void)par, (void)need;
  hki_netel_clear(out, 2);
  hki_netel_flow(out, in->u[0]);
  out->Fu[0] = 1.0, out->Fu[1] = -1.0;
  out->y[0] = in->u[0];
}

/* clang-format off */
#define INTO {"into", HK_P_NODE, HK_P_REQUIRED, 1, 0, 0, 0, "", NULL, "the node it flows into"}
#define VALUE(unit, text) {"value", HK_P_DYNAMIC, HK_P_REQUIRED, 0, 0, 0, 0, unit, NULL, text}
static const hk_param electric_params[] = {
    HK_NETEL_BETWEEN("the nodes it draws from and feeds"),
    VALUE("A", "current from the first node to the second"),
    HK_PARAM_END};
static const hk_param thermal_params[] = {INTO, VALUE("W", "heat flow; may read channels: force.shock.dissipation"), HK_PARAM_END};
static const hk_param hydraulic_params[] = {INTO, VALUE("m^3/s", "volume flow"), HK_PARAM_END};
static const hk_param abstract_params[] = {INTO, VALUE("", "flow"), HK_PARAM_END};

#define SOURCE(name_, text_, domain_, params_, outputs_, units_) \
extern const hk_element_ops hki_element_##name_; \
const hk_element_ops hki_element_##name_ = { \
    .name = #name_, .text = text_, .source = "definition", .nu = 1, .ny = 1, \
    .caps = HK_ELEMENT_NETWORK, .nnode = 2, .domains = domain_, .params = params_, \
    .outputs = outputs_, .output_units = units_, .eval = eval}
/* clang-format on */
SOURCE(current_source, "given current between two nodes", hki_netel_electric, electric_params,
       "current", "A");
SOURCE(heat_source, "given heat flow into a node", hki_netel_thermal, thermal_params, "flow", "W");
SOURCE(flow_source, "given volume flow into a node", hki_netel_hydraulic, hydraulic_params, "flow",
       "m^3/s");
SOURCE(abstract_source, "given flow into an abstract node", hki_netel_abstract, abstract_params,
       "flow", "1");

const hk_element_ops *hki_netel_heat(void) { return &hki_element_heat_source; }
