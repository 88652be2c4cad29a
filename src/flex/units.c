/* SPDX-License-Identifier: Apache-2.0
 *
 * units.c: units of finite-element models, and what tells that they are wrong: a machine part as long as a street, a body as
 * light as a gas.
 */
#include <math.h>
#include <string.h>

#include "flex/source.h"

double hki_fe_unit(hk_ctx *ctx, hk_loc loc, const char *unit, bool matrices) {
  static const struct {
    const char *name;
    double metre;
  } units[] = {{"m", 1.0}, {"mm", 1e-3}, {"cm", 1e-2}, {"in", 0.0254}};
  const int32_t n = matrices ? 2 : HK_ARRAY_LEN(units);
  for (int32_t i = 0; i < n; i++)
    if (strcmp(unit, units[i].name) == 0) return units[i].metre;
  hki_error(ctx, hki_fe_misuse(loc), loc, NULL,
            matrices ? "the unit of a model with matrices is m (kg, N) or mm (t, N), not '%s'"
                     : "the unit of a mesh is m, mm, cm or in, not '%s'",
            unit);
  return 0.0;
}

static void scale_matrix(const hk_fe *fe, double metre, hk_sym *A) {
  for (int32_t j = 0; j < A->n; j++)
    for (int32_t k = A->start[j]; k < A->start[j + 1]; k++) {
      const int turns = (fe->comp[j] >= 3) + (fe->comp[A->row[k]] >= 3);
      A->val[k] *= turns == 0 ? 1.0 / metre : turns == 1 ? 1.0 : metre;
    }
}

void hki_fe_scale(hk_fe *fe, double metre, bool matrices) {
  if (metre == 1.0) return;
  for (ptrdiff_t i = 0; i < 3 * (ptrdiff_t)fe->nnode; i++) fe->x[i] *= metre;
  if (!matrices) return;
  // displacements in mm, forces in N, masses in t
  scale_matrix(fe, metre, &fe->K);
  scale_matrix(fe, metre, &fe->M);
}

/* mass of the translations along x */
static double mass_of(const hk_fe *fe) {
  double m = 0.0;
  for (int32_t j = 0; j < fe->M.n; j++)
    for (int32_t k = fe->M.start[j]; k < fe->M.start[j + 1]; k++)
      if (fe->comp[j] == 0 && fe->comp[fe->M.row[k]] == 0)
        m += fe->M.row[k] == j ? fe->M.val[k] : 2.0 * fe->M.val[k];
  return m;
}

hk_status hki_fe_plausible(hk_ctx *ctx, hk_loc loc, const hk_fe *fe) {
  double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, top[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  double length = 0.0;
  for (ptrdiff_t i = 0; i < 3 * (ptrdiff_t)fe->nnode; i++) {
    low[i % 3] = fmin(low[i % 3], fe->x[i]);
    top[i % 3] = fmax(top[i % 3], fe->x[i]);
  }
  for (int k = 0; k < 3; k++) length = fmax(length, top[k] - low[k]);
  if (length > 20.0 || length < 1e-3)
    return hki_error(ctx, HK_E_MODEL, loc,
                     length > 20.0 ? "is it in millimetres? Say --unit mm, or --unit m if not"
                                   : "say --unit m if it is",
                     "the body is %.3g m long", length);
  // no solid is denser than this; of light ones only gross errors show, because boxes are mostly empty
  const double mass = mass_of(fe), box = length * length * length;
  if (mass < 1e-5 * box || mass > 3e4 * box)
    return hki_error(ctx, HK_E_MODEL, loc,
                     "masses in kg? Say --unit mm where they are in t, or --unit m if it is so",
                     "the body is %.3g m long and has a mass of %.3g kg", length, mass);
  return HK_OK;
}
