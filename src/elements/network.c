/* SPDX-License-Identifier: Apache-2.0
 *
 * network.c: the kinds of scalar nodes.
 */
#include "elements/network.h"

/* clang-format off */
const hk_domain_info hki_domain_infos[HK_DOMAINS] = {
    {"electric", "voltage", "V", "V/s", "current, A", "electric potential; currents balance", 1.0},
    {"hydraulic", "pressure", "Pa", "Pa/s", "volume flow, m^3/s", "pressure; volume flows balance", 1e5},
    {"thermal", "temperature", "K", "K/s", "heat flow, W", "temperature; heat flows balance", 1.0},
    {"abstract", "value", "", "1/s", "flow", "a number with a balance of flows", 1.0},
};
/* clang-format on */

const double hki_netel_unit[] = {1.0};

const hk_domain hki_netel_electric[] = {HK_DOMAIN_ELECTRIC, HK_DOMAIN_ELECTRIC, HK_DOMAIN_THERMAL};
const hk_domain hki_netel_thermal[] = {HK_DOMAIN_THERMAL, HK_DOMAIN_THERMAL};
const hk_domain hki_netel_hydraulic[] = {HK_DOMAIN_HYDRAULIC, HK_DOMAIN_HYDRAULIC};
const hk_domain hki_netel_abstract[] = {HK_DOMAIN_ABSTRACT, HK_DOMAIN_ABSTRACT};
