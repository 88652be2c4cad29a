/* SPDX-License-Identifier: Apache-2.0
 *
 * taken.c: brings a law that is good, and then one whose name is taken; neither may stay.
 */
#include "hooke/plugin.h"

static void force(const void *par, double s, double sd, const double *z, const double *zd,
                  hk_plugin_force *out) {
  (void)par, (void)sd, (void)z, (void)zd;
  out->f = s, out->fs = 1.0, out->energy = 0.5 * s * s;
}

static const hk_plugin_law good = {.size = sizeof good,
                                   .name = "unit_law",
                                   .text = "a good one",
                                   .caps = HK_PLUGIN_READS_S | HK_PLUGIN_SLOPES,
                                   .force = force};
static const hk_plugin_law bad = {.size = sizeof bad,
                                  .name = "linear",
                                  .text = "its name is taken",
                                  .caps = HK_PLUGIN_READS_S | HK_PLUGIN_SLOPES,
                                  .force = force};

static int32_t init(const hk_plugin_host *host) {
  const int32_t said = host->add_law(host, &good);
  return said ? said : host->add_law(host, &bad);
}

HK_PLUGIN_ENTRY("taken", "a name that is taken", init);
