/* SPDX-License-Identifier: Apache-2.0
 *
 * element.c: what force elements read besides the motion: inputs, scalar unknowns; see element.h.
 */
#include "kinematics/element.h"

void hki_kin_force_values(const hk_kin *k, int32_t fi, hk_element_in *in) {
  const hk_model_force *f = &k->m->forces[fi];
  double *x = k->net + 2 * HK_ELEMENT_UNKNOWNS * f->net, *xd = x + HK_ELEMENT_UNKNOWNS;
  for (int32_t i = 0; i < f->ops->nnode + f->ops->nown; i++)
    x[i] = k->x[f->x[i]], xd[i] = k->xd[f->x[i]];
  in->x = x, in->xd = xd;
}

void hki_kin_force_inputs(hk_kin *k, int32_t fi) {
  const hk_spec_force *sf = &k->m->spec->forces[k->m->forces[fi].spec];
  double *u = k->u + HK_ELEMENT_INPUTS * fi;
  HK_KNOWN(k, HK_KIN_SIGNALS);
  for (int32_t i = 0; i < sf->ops->nu; i++)
    if (sf->u_signal[i] != HK_NONE)
      u[i] = k->sig[3 * sf->u_signal[i] + (int32_t)(sf->u_rate >> i & 1u)];
}
