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
  *out = hki_integrator_known(ctx, name);
  if (*out) return HK_OK;
  const hk_integrator_ops *ops;
  hki_nearest_init(&near, name);
  for (int32_t i = 0; (ops = hki_integrator_of(ctx, i)); i++) hki_nearest_try(&near, ops->name);
  return unknown(ctx, "integrator", name, loc, &near);
}

/* table k of options: formulations, the solver, then integrators; NULL after the last */
static const hk_param *options(const hk_ctx *ctx, int32_t k) {
  const int32_t nf = hki_formulation_count();
  if (k < nf) return hki_formulation_at(k)->ops->params;
  if (k == nf) return hki_solver_params;
  const hk_integrator_ops *ops = hki_integrator_of(ctx, k - nf - 1);
  return ops ? ops->params : NULL;
}

bool hki_is_option(const hk_ctx *ctx, const char *name) {
  for (int32_t k = 0; options(ctx, k); k++)
    if (hki_params_find(options(ctx, k), name)) return true;
  return false;
}

void hki_suggest_options(const hk_ctx *ctx, hk_nearest *near) {
  for (int32_t k = 0; options(ctx, k); k++)
    for (const hk_param *p = options(ctx, k); p->type != HK_P_END; p++)
      hki_nearest_try(near, p->name);
}
