/* SPDX-License-Identifier: Apache-2.0
 *
 * methods.c: finds formulations, integrators and their options by name, for runs and for studies,
 * and reports unknown names.
 */
#include <stdio.h>

#include "simulation/simulation.h"

/* error: unknown method. HK_E_MODEL when a file names it (loc), else HK_E_USAGE. */
static hk_status unknown(hk_ctx *ctx, const char *kind, const char *name, hk_loc loc,
                         const hk_nearest *near) {
  char hint[200];
  const char *best = hki_nearest_result(near);
  if (best)
    snprintf(hint, sizeof hint, "did you mean '%s'? See 'hooke list %ss'", best, kind);
  else
    snprintf(hint, sizeof hint, "see 'hooke list %ss'", kind);
  return hki_error(ctx, loc.file >= 0 ? HK_E_MODEL : HK_E_USAGE, loc, hint, "unknown %s '%s'", kind,
                   name);
}

hk_status hki_choose_formulation(hk_ctx *ctx, const char *name, hk_loc loc,
                                 const hk_formulation_entry **out) {
  hk_nearest near;
  *out = hki_formulation_find(name);
  if (*out) return HK_OK;
  hki_nearest_init(&near, name);
  for (int32_t i = 0; i < hki_formulation_count(); i++)
    hki_nearest_try(&near, hki_formulation_at(i)->ops->name);
  hki_nearest_try(&near, HK_AUTO);
  return unknown(ctx, "formulation", name, loc, &near);
}

hk_status hki_choose_integrator(hk_ctx *ctx, const char *name, hk_loc loc,
                                const hk_integrator_ops **out) {
  hk_nearest near;
  *out = hki_integrator_find(name);
  if (*out) return HK_OK;
  hki_nearest_init(&near, name);
  for (int32_t i = 0; i < hki_integrator_count(); i++)
    hki_nearest_try(&near, hki_integrator_at(i)->name);
  return unknown(ctx, "integrator", name, loc, &near);
}

/* table k of options: formulations, then integrators, then the solver; NULL after the last */
static const hk_param *options(int32_t k) {
  const int32_t nf = hki_formulation_count(), ni = hki_integrator_count();
  if (k < nf) return hki_formulation_at(k)->ops->params;
  if (k < nf + ni) return hki_integrator_at(k - nf)->params;
  return k == nf + ni ? hki_solver_params : NULL;
}

bool hki_is_option(const char *name) {
  for (int32_t k = 0; options(k); k++)
    if (hki_params_find(options(k), name)) return true;
  return false;
}

void hki_suggest_options(hk_nearest *near) {
  for (int32_t k = 0; options(k); k++)
    for (const hk_param *p = options(k); p->type != HK_P_END; p++) hki_nearest_try(near, p->name);
}
