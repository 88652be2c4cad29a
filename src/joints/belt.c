/* SPDX-License-Identifier: Apache-2.0
 *
 * belt.c: pulleys on one belt or chain that neither slips nor stretches. With angles s_k, radii r_k
 * and +1 or -1 for pulleys that turn with or against the first:
 *
 *   s_1 - (+-r_k/r_1) s_k = constant                    k = 2 .. n, a row each
 */
#include "joints/coupling.h"

typedef struct belt_par {
  hk_reals radii;
  bool crossed;
} belt_par;

static const hk_param params[] = {
    HK_PARAM_JOINTS("[pulley, pulley, ..]: the joints (or joint.coordinate) of the pulleys"),
    {.name = "radii",
     .type = HK_P_REALS,
     .flags = HK_P_REQUIRED,
     .offset = (int32_t)offsetof(belt_par, radii),
     .unit = "m",
     .text = "radius of each pulley, in the order of 'joints'; negative where the belt runs on the "
             "other side, so that the pulley turns against the others"},
    {.name = "crossed",
     .type = HK_P_BOOL,
     .offset = (int32_t)offsetof(belt_par, crossed),
     .unit = "",
     .text = "true: the belt of two pulleys is crossed, and they turn against each other"},
    HK_PARAM_END};

static int32_t couple(const void *par, hk_couple *out, const char **wrong) {
  const belt_par *p = par;
  if (p->radii.n != out->n) {
    *wrong = "'radii' must have one number for each joint";
    return 0;
  }
  for (int32_t i = 0; i < out->n; i++)
    if (!(fabs(p->radii.x[i]) > 0.0)) *wrong = "'radii' must not be zero";
  if (p->crossed && out->n != 2) *wrong = "'crossed' is for two pulleys; give a negative radius";
  if (*wrong) return 0;
  for (int32_t k = 1; k < out->n; k++) {
    double *c = out->c + (k - 1) * out->n;
    c[0] = 1.0;
    c[k] = (p->crossed ? 1.0 : -1.0) * p->radii.x[k] / p->radii.x[0];
  }
  return out->n - 1;
}

const hk_joint_ops hki_joint_belt = {
    .name = "belt",
    .alias = "chain",
    .text = "couples the angles of pulleys on one belt that does not slip",
    .source = HK_SOURCE_COUPLING,
    .par_size = sizeof(belt_par),
    .caps = HK_JOINT_COUPLES,
    HK_OPS_COUPLING(2, HK_COUPLED, HK_GLYPH_STRAP),
};
