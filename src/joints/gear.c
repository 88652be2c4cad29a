/* SPDX-License-Identifier: Apache-2.0
 *
 * gear.c: two wheels whose teeth mesh. With the angles u1 and u2 of the wheels, seen from the carrier
 * that both meet on:
 *
 *   external     z1 u1 + z2 u2 = constant
 *   internal     z1 u1 - z2 u2 = constant
 *   by ratio        u1 - n  u2 = constant               n: rate of the first over the second
 *
 * u = s, the coordinate of the wheel's joint, where there is no carrier or the joint sits on it (a
 * planet); u = s - sc for other wheels, sc the coordinate of the carrier's joint.
 *
 * Source: Willis, Principles of Mechanism (1841): the equation of an epicyclic train.
 */
#include "joints/coupling.h"

typedef struct gear_par {
  double ratio;
  hk_reals teeth;
  bool internal;
} gear_par;

static const hk_param params[] = {
    HK_PARAM_JOINTS(
        "[first wheel, second wheel], or [first, second, carrier]: the joints (or "
        "joint.coordinate) of the wheels, each between its bearing and the wheel, and of "
        "the carrier; a wheel whose joint sits on the carrier (a planet) is counted "
        "from it as it is"),
    {.name = "ratio",
     .type = HK_P_REAL,
     .offset = (int32_t)offsetof(gear_par, ratio),
     .def = NAN,
     .unit = "",
     .text = "rate of the first wheel over that of the second, negative when they turn against "
             "each other; or give teeth"},
    {.name = "teeth",
     .type = HK_P_REALS,
     .offset = (int32_t)offsetof(gear_par, teeth),
     .unit = "",
     .text = "numbers of teeth (or radii) of both wheels: [z1, z2]"},
    {.name = "internal",
     .type = HK_P_BOOL,
     .offset = (int32_t)offsetof(gear_par, internal),
     .unit = "",
     .text = "true: one of the wheels has its teeth inside, so that both turn the same way"},
    HK_PARAM_END};

static int32_t couple(const void *par, hk_couple *out, const char **wrong) {
  const gear_par *p = par;
  double *c = out->c;
  if ((p->teeth.n != 0) == !isnan(p->ratio)) {
    *wrong = "give either 'ratio' or 'teeth'";
    return 0;
  }
  if (p->teeth.n && (p->teeth.n != 2 || !(p->teeth.x[0] > 0.0) || !(p->teeth.x[1] > 0.0))) {
    *wrong = "'teeth' must be two positive numbers";
    return 0;
  }
  if (!p->teeth.n && (p->ratio == 0.0 || p->internal)) {
    *wrong = p->internal ? "'internal' belongs to 'teeth'; a 'ratio' has its own sign"
                         : "'ratio' must not be zero";
    return 0;
  }
  const double z = p->teeth.n ? p->teeth.x[1] / p->teeth.x[0] : 0.0;
  c[0] = 1.0;
  c[1] = !p->teeth.n ? -p->ratio : p->internal ? -z : z;
  for (int32_t k = 0; out->n == 3 && k < 2; k++)
    if (!(out->carried >> k & 1u)) c[2] -= c[k];
  return 1;
}

const hk_joint_ops hki_joint_gear = {
    .name = "gear",
    .text = "couples the angles of two wheels whose teeth mesh, also on a carrier",
    .source = "Willis, Principles of Mechanism (1841)",
    .par_size = sizeof(gear_par),
    .caps = HK_JOINT_COUPLES,
    HK_OPS_COUPLING(2, 3, HK_GLYPH_TEETH),
};
