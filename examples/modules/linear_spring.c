/* SPDX-License-Identifier: Apache-2.0
 *
 * linear_spring.c: a module with one force element, a spring and damper between two points. With d from
 * the first point to the second, l = |d| and the direction e = d/l:
 *
 *   s = l,  ds/dt = e . (vB - vA),  f = k (l - l0) + c ds/dt
 *
 * The force f e pulls the first body, -f e the second. It gives its tangent B'(k, c)B with B = ds/dt
 * per velocity of the markers; the turning of the force is left to differences.
 */
#include <math.h>
#include <stddef.h>

#include "hooke/plugin.h"

typedef struct spring {
  double length;
} spring;

enum { STIFFNESS, DAMPING, INPUTS };

static const hk_plugin_key keys[] = {
    {"between", HK_PLUGIN_BODIES, HK_PLUGIN_REQUIRED, -1, 0, 0, 0, "", NULL, "the two bodies"},
    {"ends", HK_PLUGIN_ENDS, HK_PLUGIN_REQUIRED, -1, 0, 0, 0, "", NULL, "its two points"},
    {"stiffness", HK_PLUGIN_SIGNAL, HK_PLUGIN_REQUIRED | HK_PLUGIN_NONNEGATIVE, STIFFNESS, 0, 0, 0,
     "N/m", NULL, "force per elongation"},
    {"damping", HK_PLUGIN_SIGNAL, HK_PLUGIN_NONNEGATIVE, DAMPING, 0, 0, 0, "N*s/m", NULL,
     "force per speed of elongation"},
    {"length", HK_PLUGIN_REAL, HK_PLUGIN_REQUIRED | HK_PLUGIN_POSITIVE, offsetof(spring, length),
     NAN, 0, 0, "m", NULL, "length without force"},
    {.kind = HK_PLUGIN_END}};

/* a spring whose stiffness varies stores nothing: its work counts as supplied */
static void power(const void *par, const hk_plugin_in *in, double *dissipated, double *supplied) {
  const double k = in->u[STIFFNESS], c = in->u[DAMPING];
  if (in->u_varies & 1u << STIFFNESS)
    *supplied = -k * (in->s - ((const spring *)par)->length) * in->sd;
  *dissipated = c * in->sd * in->sd;
}

static void eval(const void *par, const hk_plugin_in *in, uint32_t need, hk_plugin_out *out) {
  const spring *p = par;
  const double k = in->u[STIFFNESS], c = in->u[DAMPING];
  double d[3], l = 0.0, rate = 0.0;
  for (int i = 0; i < 3; i++) d[i] = in->m[1].p[i] - in->m[0].p[i], l += d[i] * d[i];
  l = sqrt(l);
  for (int i = 0; i < 3; i++) {
    d[i] = l > 0.0 ? d[i] / l : 0.0; // a spring of no length has no direction
    rate += d[i] * (in->m[1].v[i] - in->m[0].v[i]);
  }
  const double stretch = l - p->length, f = k * stretch + c * rate;
  for (int i = 0; i < 3; i++) {
    out->w[3 + i] = f * d[i];
    out->w[9 + i] = -f * d[i];
  }
  if (need & HK_PLUGIN_NEED_TANGENT) {
    for (int i = 0; i < 3; i++) out->B[3 + i] = -d[i], out->B[9 + i] = d[i];
    out->ks[0] = k, out->cs[0] = c;
  }
  if (need & HK_PLUGIN_NEED_INPUT)
    for (int i = 0; i < 3; i++) {
      out->Wu[out->ldK * STIFFNESS + 3 + i] = stretch * d[i];
      out->Wu[out->ldK * STIFFNESS + 9 + i] = -stretch * d[i];
      out->Wu[out->ldK * DAMPING + 3 + i] = rate * d[i];
      out->Wu[out->ldK * DAMPING + 9 + i] = -rate * d[i];
    }
  if (need & HK_PLUGIN_NEED_ENERGY) {
    hk_plugin_in at = *in;
    at.s = *out->s = l, at.sd = *out->sd = rate;
    power(par, &at, out->dissipated, out->supplied);
    if (!(in->u_varies & 1u << STIFFNESS)) *out->energy = 0.5 * k * stretch * stretch;
  }
  if (need & HK_PLUGIN_NEED_OUTPUT) out->y[0] = l, out->y[1] = rate, out->y[2] = f;
}

static const hk_plugin_element linear_spring = {
    .size = sizeof linear_spring,
    .name = "linear_spring",
    .text = "a spring and damper between two points",
    .keys = keys,
    .par_size = sizeof(spring),
    .caps = HK_PLUGIN_TANGENT | HK_PLUGIN_INPUTS,
    .nmark = 2,
    .rank = 1,
    .nu = INPUTS,
    .ny = 3,
    .outputs = "length rate force",
    .output_units = "m m/s N",
    .eval = eval,
    .power = power,
};

static int32_t init(const hk_plugin_host *host) { return host->add_element(host, &linear_spring); }

HK_PLUGIN_ENTRY("linear_spring", "a spring and damper between two points", init);
