/* SPDX-License-Identifier: Apache-2.0
 *
 * tension.c: the force of what pulls and cannot push; see tension.h.
 */
#include "elements/tension.h"

void hki_tension(const hk_tension_par *par, const double *u, uint32_t u_varies, double l, double ld,
                 hk_tension *out) {
  const double EA = par->EA, tau = par->tau, L = par->share * u[HK_TENSION_LENGTH];
  const double Ld = par->share * u[HK_TENSION_RATE];
  const double e = l / L - 1.0, rate = (ld - l * Ld / L) / L;
  const double pull = EA * (e + tau * rate), on = pull > 0.0 ? EA : 0.0, bt = on * tau;
  // a free length that is not positive has no force: the step fails
  out->T = L > 0.0 ? fmax(pull, 0.0) : NAN;
  out->strain = e;
  out->ks = (on - bt * Ld / L) / L;
  out->cs = bt / L;
  out->fu[HK_TENSION_LENGTH] = par->share * (bt * (2.0 * l * Ld / L - ld) - on * l) / (L * L);
  out->fu[HK_TENSION_RATE] = -par->share * bt * l / (L * L);

  const bool varies = (u_varies & (1u << HK_TENSION_LENGTH | 1u << HK_TENSION_RATE)) != 0;
  const double spring = e > 0.0 ? EA * e : 0.0;
  out->dissipated = (out->T - spring) * L * rate;
  out->energy = varies ? 0.0 : 0.5 * L * spring * (e > 0.0 ? e : 0.0);
  out->supplied = varies ? out->dissipated - out->T * ld : 0.0;
}

hk_status hki_tension_prepare(hk_ctx *ctx, hk_loc loc, const char *name, hk_tension_par *par,
                              uint32_t u_given, double *u0, double l) {
  if (par->share == 0.0) par->share = 1.0;
  const bool length = (u_given >> HK_TENSION_LENGTH & 1u) != 0;
  if (length && par->pretension > 0.0)
    return hki_error(ctx, HK_E_MODEL, loc, "leave one of them out",
                     "'%s' has both 'length' and 'pretension'", name);
  if (length) return HK_OK;
  u0[HK_TENSION_LENGTH] = l / (1.0 + par->pretension / par->EA) / par->share;
  if (l > 0.0) return HK_OK;
  return hki_error(ctx, HK_E_MODEL, loc, "give its 'length', or ends that are apart",
                   "'%s' has no length: its ends are drawn at the same place", name);
}
