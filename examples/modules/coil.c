/* SPDX-License-Identifier: Apache-2.0
 *
 * coil.c: a module with one network element, an inductance with the resistance of its winding. Its
 * current i is an unknown of its own:
 *
 *   L di/dt + R i - (x0 - x1) = 0
 *
 * i flows out of the first node into the coil, and out of the coil into the second node. It gives no
 * slopes; the library finds them by differences.
 */
#include <math.h>
#include <stddef.h>

#include "hooke/plugin.h"

typedef struct coil {
  double inductance, resistance, start;
} coil;

static const hk_plugin_key keys[] = {
    {"between", HK_PLUGIN_NODES, HK_PLUGIN_REQUIRED, 0, 0, 0, 0, "", NULL, "the two nodes"},
    {"inductance", HK_PLUGIN_REAL, HK_PLUGIN_REQUIRED | HK_PLUGIN_POSITIVE,
     offsetof(coil, inductance), NAN, 0, 0, "V*s/A", NULL, "L"},
    {"resistance", HK_PLUGIN_REAL, HK_PLUGIN_NONNEGATIVE, offsetof(coil, resistance), 0, 0, 0,
     "V/A", NULL, "R"},
    {"start", HK_PLUGIN_REAL, 0, offsetof(coil, start), 0, 0, 0, "A", NULL, "current at the start"},
    {.kind = HK_PLUGIN_END}};

static void eval(const void *par, const hk_plugin_in *in, uint32_t need, hk_plugin_out *out) {
  const coil *p = par;
  const double i = in->x[2], voltage = in->x[0] - in->x[1];
  out->F[0] = i, out->F[1] = -i;
  out->F[2] = p->inductance * in->xd[2] + p->resistance * i - voltage;
  if (need & HK_PLUGIN_NEED_OUTPUT) out->y[0] = i, out->y[1] = voltage;
}

static void own_start(const void *par, double *x) { x[0] = ((const coil *)par)->start; }

static const int32_t domains[] = {HK_PLUGIN_ELECTRIC, HK_PLUGIN_ELECTRIC};
static const double scale[] = {1.0};

static const hk_plugin_element element = {
    .size = sizeof element,
    .name = "coil",
    .text = "electric inductance between two nodes",
    .keys = keys,
    .par_size = sizeof(coil),
    .caps = HK_PLUGIN_NETWORK,
    .ny = 2,
    .nnode = 2,
    .nown = 1,
    .domains = domains,
    .own_scale = scale,
    .outputs = "current voltage",
    .output_units = "A V",
    .eval = eval,
    .own_start = own_start,
};

static int32_t init(const hk_plugin_host *host) { return host->add_element(host, &element); }

HK_PLUGIN_ENTRY("coil", "electric inductance between two nodes", init);
