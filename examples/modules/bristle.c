/* SPDX-License-Identifier: Apache-2.0
 *
 * bristle.c: a module with one law, friction by a bristle of deflection z (Canudas de Wit, Olsson,
 * Astrom and Lischinsky 1995, "A new model for control of systems with friction"):
 *
 *   dz/dt = v - s0 |v|/g(v) z,   g(v) = Fc + (Fs - Fc) exp(-(v/vs)^2)
 *   f     = s0 z + s1 dz/dt + s2 v
 *
 * The bristle is a private state: the module gives its rate as a - b z, and the library finds z by the
 * rule of the integrator. All slopes are given.
 */
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "hooke/plugin.h"

typedef struct bristle {
  double stiffness, damping, viscous, coulomb, at_rest, speed;
} bristle;

#define NUMBER(key, member, flags, def, unit, text)                                                \
  { key, HK_PLUGIN_REAL, flags, offsetof(bristle, member), def, 0, 0, unit, NULL, text }
static const hk_plugin_key keys[] = {
    NUMBER("stiffness", stiffness, HK_PLUGIN_REQUIRED | HK_PLUGIN_POSITIVE, NAN, "N/m",
           "s0, of the bristle"),
    NUMBER("damping", damping, HK_PLUGIN_NONNEGATIVE, 0, "N*s/m", "s1, of the bristle"),
    NUMBER("viscous", viscous, HK_PLUGIN_NONNEGATIVE, 0, "N*s/m", "s2, of the lubricant"),
    NUMBER("coulomb", coulomb, HK_PLUGIN_REQUIRED | HK_PLUGIN_POSITIVE, NAN, "N",
           "Fc, while it slides"),
    NUMBER("static", at_rest, HK_PLUGIN_REQUIRED | HK_PLUGIN_POSITIVE, NAN, "N",
           "Fs, when it breaks away"),
    NUMBER("speed", speed, HK_PLUGIN_REQUIRED | HK_PLUGIN_POSITIVE, NAN, "m/s",
           "vs, at which the force falls from Fs to Fc"),
    {.kind = HK_PLUGIN_END}};

static int32_t prepare(void *par, char *why, size_t cap) {
  const bristle *p = par;
  if (p->at_rest >= p->coulomb) return 0;
  snprintf(why, cap, "'static' must not be below 'coulomb'");
  return 1;
}

static void rates(const void *par, double s, double v, hk_plugin_rate *out) {
  const bristle *p = par;
  const double x = v / p->speed, e = (p->at_rest - p->coulomb) * exp(-x * x), g = p->coulomb + e;
  const double sign = v < 0.0 ? -1.0 : 1.0, slope = -2.0 * x / p->speed * e; // dg/dv
  (void)s;
  out->a = v, out->asd = 1.0;
  out->b = p->stiffness * fabs(v) / g;
  out->bsd = p->stiffness * (sign - fabs(v) * slope / g) / g;
}

static void force(const void *par, double s, double v, const double *z, const double *zd,
                  hk_plugin_force *out) {
  const bristle *p = par;
  (void)s;
  out->f = p->stiffness * z[0] + p->damping * zd[0] + p->viscous * v;
  out->fsd = p->viscous, out->fz[0] = p->stiffness, out->fzd[0] = p->damping;
  out->energy = 0.5 * p->stiffness * z[0] * z[0];
  out->dissipated = out->f * v - p->stiffness * z[0] * zd[0];
}

static const double units[] = {1e-4};

static const hk_plugin_law law = {
    .size = sizeof law,
    .name = "bristle",
    .text =
        "friction by a bristle: bristle: {stiffness: 1e5, coulomb: 20, static: 25, speed: 0.01}",
    .keys = keys,
    .par_size = sizeof(bristle),
    .caps = HK_PLUGIN_READS_RATE | HK_PLUGIN_SLOPES,
    .nz = 1,
    .units = units,
    .prepare = prepare,
    .rates = rates,
    .force = force,
};

static int32_t init(const hk_plugin_host *host) { return host->add_law(host, &law); }

HK_PLUGIN_ENTRY("bristle", "friction by a bristle", init);
