/* SPDX-License-Identifier: Apache-2.0
 *
 * continuous_pi.c: a module with a controller that works all the time, not at instants: a network element
 * without nodes. Its output y and the integral x of its input u are unknowns of its own:
 *
 *   y - kp u - ki x = 0
 *   dx/dt - u = 0
 *
 * The first outputs of an element are its own unknowns: what reads network.NAME.output has its slopes.
 * Controllers with more states have more unknowns, at most 6; sampled ones are types of their own
 * (pi_controller.c).
 */
#include <math.h>
#include <stddef.h>

#include "hooke/plugin.h"

typedef struct continuous_pi {
  double kp, ki, start;
} continuous_pi;

static const hk_plugin_key keys[] = {{"input", HK_PLUGIN_SIGNAL, HK_PLUGIN_REQUIRED, 0, NAN, 0, 0,
                                      "", NULL, "u, what is wanted less what is"},
                                     {"kp", HK_PLUGIN_REAL, HK_PLUGIN_REQUIRED,
                                      offsetof(continuous_pi, kp), NAN, 0, 0, "", NULL, "gain"},
                                     {"ki", HK_PLUGIN_REAL, 0, offsetof(continuous_pi, ki), 0, 0, 0,
                                      "1/s", NULL, "gain of the integral"},
                                     {"start", HK_PLUGIN_REAL, 0, offsetof(continuous_pi, start), 0,
                                      0, 0, "", NULL, "integral at the start"},
                                     {.kind = HK_PLUGIN_END}};

static void eval(const void *par, const hk_plugin_in *in, uint32_t need, hk_plugin_out *out) {
  const continuous_pi *p = par;
  out->F[0] = in->x[0] - p->kp * in->u[0] - p->ki * in->x[1];
  out->F[1] = in->xd[1] - in->u[0];
  if (need & HK_PLUGIN_NEED_OUTPUT) out->y[0] = in->x[0], out->y[1] = in->x[1];
}

static void own_start(const void *par, double *x) { x[1] = ((const continuous_pi *)par)->start; }

static const double scale[] = {1.0, 1.0};

static const hk_plugin_element element = {
    .size = sizeof element,
    .name = "continuous_pi",
    .text = "a controller that works all the time: gain and integral",
    .keys = keys,
    .par_size = sizeof(continuous_pi),
    .caps = HK_PLUGIN_NETWORK,
    .nu = 1,
    .ny = 2,
    .nown = 2,
    .own_scale = scale,
    .outputs = "output integral",
    .output_units = "1 s",
    .eval = eval,
    .own_start = own_start,
};

static int32_t init(const hk_plugin_host *host) { return host->add_element(host, &element); }

HK_PLUGIN_ENTRY("continuous_pi", "a controller with a continuous state", init);
