/* SPDX-License-Identifier: Apache-2.0
 *
 * hunt_crossley.c: a module with one law, contact that dissipates in proportion to its depth (Hunt and
 * Crossley 1975, "Coefficient of restitution interpreted as damping in vibroimpact"). With the depth
 * d = -s of a spring that is pressed together:
 *
 *   f = -k d^n (1 + 3/2 alpha dd/dt)   d > 0,   else 0
 *
 * It gives no slopes; the library finds them by differences.
 */
#include <math.h>
#include <stddef.h>

#include "hooke/plugin.h"

typedef struct contact {
  double stiffness, exponent, alpha;
} contact;

static const hk_plugin_key keys[] = {
    {"stiffness", HK_PLUGIN_REAL, HK_PLUGIN_REQUIRED | HK_PLUGIN_POSITIVE,
     offsetof(contact, stiffness), NAN, 0, 0, "N/m^n", NULL, "k"},
    {"exponent", HK_PLUGIN_REAL, 0, offsetof(contact, exponent), 1.5, 1, 10, "", NULL, "n"},
    {"alpha", HK_PLUGIN_REAL, HK_PLUGIN_NONNEGATIVE, offsetof(contact, alpha), 0, 0, 0, "s/m", NULL,
     "damping"},
    {.kind = HK_PLUGIN_END}};

static void force(const void *par, double s, double sd, const double *z, const double *zd,
                  hk_plugin_force *out) {
  const contact *p = par;
  (void)z, (void)zd;
  if (s < 0.0) out->f = -p->stiffness * pow(-s, p->exponent) * (1.0 - 1.5 * p->alpha * sd);
}

static const hk_plugin_law law = {
    .size = sizeof law,
    .name = "hunt_crossley",
    .text = "contact with damping: hunt_crossley: {stiffness: 1e7, exponent: 1.5, alpha: 0.3}",
    .keys = keys,
    .par_size = sizeof(contact),
    .caps = HK_PLUGIN_READS_S | HK_PLUGIN_READS_RATE,
    .force = force,
};

static int32_t init(const hk_plugin_host *host) { return host->add_law(host, &law); }

HK_PLUGIN_ENTRY("hunt_crossley", "contact with damping", init);
