/* SPDX-License-Identifier: Apache-2.0
 *
 * storage.c: `capacitor`, `heat_capacity`, `hydraulic_volume`, `abstract_storage`: a flow in
 * proportion to the rate of the difference of two nodes; the second is the reference where only one
 * is named.
 *
 *   f = c d(x0 - x1)/dt
 */
#include "elements/network.h"

typedef struct storage_par {
  double capacity, modulus; /* hydraulic volumes: V and B, c = V/B */
} storage_par;

static void eval(const void *p, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  const storage_par *par = p;
  const double c = par->modulus > 0.0 ? par->capacity / par->modulus : par->capacity;
  const double e = in->x[0] - in->x[1];
  (void)need;
  hki_netel_clear(out, 2);
  hki_netel_flow(out, c * (in->xd[0] - in->xd[1]));
  hki_netel_slope(out->Fxd, 0, c);
  hki_netel_slope(out->Fxd, 1, -c);
  out->y[0] = e, out->y[1] = out->F[0], out->y[2] = 0.5 * c * e * e;
}

/* clang-format off */
#define AT(field) (int32_t)offsetof(storage_par, field)
#define ON {"on", HK_P_NODE, HK_P_REQUIRED, 0, 0, 0, 0, "", NULL, "the node"}
static const hk_param electric_params[] = {
    HK_NETEL_BETWEEN("the two nodes"),
    {"capacitance", HK_P_REAL, HK_P_REQUIRED | HK_P_POSITIVE, AT(capacity), NAN, 0, 0, "A*s/V", NULL, "charge over voltage"},
    HK_PARAM_END};
static const hk_param thermal_params[] = {
    ON,
    {"capacity", HK_P_REAL, HK_P_REQUIRED | HK_P_POSITIVE, AT(capacity), NAN, 0, 0, "J/K", NULL, "mass times specific heat"},
    HK_PARAM_END};
static const hk_param hydraulic_params[] = {
    ON,
    {"volume", HK_P_REAL, HK_P_REQUIRED | HK_P_POSITIVE, AT(capacity), NAN, 0, 0, "m^3", NULL, "enclosed volume"},
    {"modulus", HK_P_REAL, HK_P_POSITIVE, AT(modulus), 1.6e9, 0, 0, "Pa", NULL, "bulk modulus of the fluid"},
    HK_PARAM_END};
static const hk_param abstract_params[] = {
    ON,
    {"capacity", HK_P_REAL, HK_P_REQUIRED | HK_P_POSITIVE, AT(capacity), NAN, 0, 0, "", NULL, "flow over rate of the value"},
    HK_PARAM_END};

#define STORAGE(name_, text_, source_, domain_, params_, ny_, outputs_, units_) \
extern const hk_element_ops hki_element_##name_; \
const hk_element_ops hki_element_##name_ = { \
    .name = #name_, .text = text_, .source = source_, .ny = ny_, .caps = HK_ELEMENT_NETWORK, \
    .nnode = 2, .domains = domain_, .par_size = sizeof(storage_par), .params = params_, \
    .outputs = outputs_, .output_units = units_, .eval = eval}
/* clang-format on */
STORAGE(capacitor, "electric capacitance between two nodes", "definition", hki_netel_electric,
        electric_params, 3, "voltage current energy", "V A J");
STORAGE(heat_capacity, "heat stored at a node", "definition", hki_netel_thermal, thermal_params, 2,
        "temperature flow", "K W");
STORAGE(hydraulic_volume, "compressible fluid enclosed at a node", "definition of the bulk modulus",
        hki_netel_hydraulic, hydraulic_params, 2, "pressure flow", "Pa m^3/s");
STORAGE(abstract_storage, "a flow that follows the rate of a node's value", "definition",
        hki_netel_abstract, abstract_params, 2, "value flow", "1 1");
