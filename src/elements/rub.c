/* SPDX-License-Identifier: Apache-2.0
 *
 * rub.c: friction of faces that are pressed together, see rub.h.
 */
#include "elements/rub.h"

enum { U_FORCE = 1u, U_PRESSURE = 2u };

void hki_rub_eval(const hk_rub_par *par, const hk_element_in *in, double sd, hk_rub *out) {
  const double r = par->radius, v = r * sd, faces = par->faces;
  // without a piston there need not be a pressure
  const double piston = par->area > 0.0 ? par->area * in->u[1] : 0.0;
  const double pressed = faces * (in->u[0] + piston), N = pressed > 0.0 ? pressed : 0.0;
  hk_friction_out o;
  hki_friction_eval(par->friction, 1, &v, in->st, 0, &o);
  out->f = r * N * o.c[0];
  out->slope = r * r * N * o.cv[0];
  out->fu[0] = pressed > 0.0 ? r * faces * o.c[0] : 0.0;
  out->fu[1] = par->area * out->fu[0];
  // a normal force that varies does work on the bristle that nobody counts: then nothing is stored
  const bool keeps = !(in->u_varies & (U_FORCE | U_PRESSURE));
  out->energy = keeps ? N * o.energy : 0.0;
  out->dissipated = N * (keeps ? o.lost : o.c[0] * v);
  out->y[0] = sd, out->y[1] = -out->f, out->y[2] = o.slides ? 0.0 : 1.0;
  out->y[3] = out->f * sd, out->y[4] = N;
}

hk_status hki_rub_prepare(hk_ctx *ctx, hk_loc loc, const char *name, hk_rub_par *par,
                          uint32_t u_given, const double *u0) {
  const bool pressure = (u_given & U_PRESSURE) != 0, piston = par->area > 0.0;
  par->law = (hk_law){.kind = HK_LAW_FRICTION, .friction = par->friction, .nz = 1, .uses_sd = true};
  if (!(u_given & (U_FORCE | U_PRESSURE)))
    return hki_error(ctx, HK_E_MODEL, loc, "give 'force', or 'pressure' and 'area'",
                     "'%s' has no normal force: nothing presses its faces together", name);
  if (pressure != piston)
    return hki_error(ctx, HK_E_MODEL, loc, NULL, "'%s' has '%s' without '%s'", name,
                     pressure ? "pressure" : "area", pressure ? "area" : "pressure");
  (void)u0;
  return HK_OK;
}

int32_t hki_rub_laws(const void *p, const hk_law **list) {
  list[0] = &((const hk_rub_par *)p)->law;
  return 1;
}
