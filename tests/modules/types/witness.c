/* SPDX-License-Identifier: Apache-2.0
 *
 * witness.c: an element that does nothing but count the moments of a step, in its discrete data; and a
 * law without slopes that stores energy.
 */
#include <stddef.h>

#include "hooke/plugin.h"

static const hk_plugin_key keys[] = {
    {"on", HK_PLUGIN_BODY, HK_PLUGIN_REQUIRED, -1, 0, 0, 0, "", NULL, "the body"},
    {.kind = HK_PLUGIN_END}};

/* moments counted: before a step, after predictions, converged, accepted */
static int32_t hook(const void *par, int32_t moment, const hk_plugin_in *in, double *d) {
  static const int place[] = {0, 1, -1, 2, 3};
  (void)par, (void)in;
  if (place[moment] < 0) return 0;
  d[place[moment]] += 1.0;
  // a change before a step would be a jump
  return moment != HK_PLUGIN_BEFORE_PREDICTION;
}

static void eval(const void *par, const hk_plugin_in *in, uint32_t need, hk_plugin_out *out) {
  (void)par;
  if (need & HK_PLUGIN_NEED_OUTPUT)
    for (int i = 0; i < 4; i++) out->y[i] = in->d[i];
}

static const hk_plugin_element witness = {.size = sizeof witness,
                                          .name = "witness",
                                          .text = "counts moments",
                                          .keys = keys,
                                          .nmark = 1,
                                          .nd = 4,
                                          .ny = 4,
                                          .outputs = "before predicted converged accepted",
                                          .output_units = "1 1 1 1",
                                          .eval = eval,
                                          .hook = hook};

static void force(const void *par, double s, double sd, const double *z, const double *zd,
                  hk_plugin_force *out) {
  (void)par, (void)sd, (void)z, (void)zd;
  out->f = 40.0 * s + 300.0 * s * s * s;
  out->energy = 20.0 * s * s + 75.0 * s * s * s * s;
}

/* as a header without `self` had it: what lies behind its size is not read */
static const hk_plugin_law duffing = {.size = offsetof(hk_plugin_law, self),
                                      .self = "not there",
                                      .name = "duffing",
                                      .text = "40 s + 300 s^3",
                                      .caps = HK_PLUGIN_READS_S,
                                      .force = force};

static int32_t init(const hk_plugin_host *host) {
  return host->add_element(host, &witness) || host->add_law(host, &duffing);
}

HK_PLUGIN_ENTRY("witness", "for tests", init);
