/* SPDX-License-Identifier: Apache-2.0
 *
 * units.c: materials and units of finite-element models, and what tells that they are wrong: a machine part as long as a
 * street, a metal as light as a gas, sound as slow as a walker.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "flex/source.h"
#include "formats/csv_table.h"

/* --- materials -------------------------------------------------------------------------------- */

static const struct {
  const char *name;
  hk_fe_material is;
} known[] = {
    {"steel", {2.1e11, 0.3, 7850.0}},
    {"aluminium", {7e10, 0.33, 2700.0}},
    {"titanium", {1.14e11, 0.34, 4430.0}},
    {"cast_iron", {1.1e11, 0.26, 7200.0}},
};

static const char form[] =
    "steel, aluminium, titanium, cast_iron, or E=2.1e11,nu=0.3,density=7850 (Pa, kg/m3)";

/* one `name=value` of n letters */
static bool one_value(const char *s, size_t n, hk_fe_material *m) {
  const char *equal = memchr(s, '=', n);
  double x;
  if (!equal || !hki_decimal(equal + 1, (int32_t)(s + n - equal - 1), &x)) return false;
  const size_t k = (size_t)(equal - s);
  if (k == 1 && *s == 'E')
    m->young = x;
  else if (k == 2 && strncmp(s, "nu", 2) == 0)
    m->poisson = x;
  else if (k == 7 && strncmp(s, "density", 7) == 0)
    m->density = x;
  else
    return false;
  return true;
}

hk_status hki_fe_material_check(hk_ctx *ctx, hk_loc loc, const hk_fe_material *m) {
  const double sound = sqrt(m->young / m->density);
  if (!(m->poisson > -1.0 && m->poisson < 0.5))
    return hki_error(ctx, HK_E_MODEL, loc, "metals have about 0.3",
                     "Poisson's ratio must be between -1 and 0.5, but it is %g", m->poisson);
  if (!(m->density >= 1.0 && m->density <= 3e4))
    return hki_error(ctx, HK_E_MODEL, loc, "in kg/m3 steel has 7850; 7.85e-9 t/mm3 is the same",
                     "a density of %g kg/m3 is none of a solid", m->density);
  if (!(sound >= 10.0 && sound <= 3e4))
    return hki_error(ctx, HK_E_MODEL, loc, "in Pa steel has 2.1e11; 210000 MPa is the same",
                     "with E = %g Pa and a density of %g kg/m3 sound would travel at %.3g m/s",
                     m->young, m->density, sound);
  return HK_OK;
}

hk_status hki_fe_material_read(hk_ctx *ctx, hk_loc loc, const char *text, hk_fe_material *out) {
  hk_fe_material m = {-1.0, NAN, -1.0};
  bool good = true;
  for (int32_t i = 0; i < HK_ARRAY_LEN(known); i++)
    if (strcmp(text, known[i].name) == 0) {
      *out = known[i].is;
      return HK_OK;
    }
  for (const char *s = text; good && s;) {
    const char *comma = strchr(s, ',');
    good = one_value(s, comma ? (size_t)(comma - s) : strlen(s), &m);
    s = comma ? comma + 1 : NULL;
  }
  if (!good || isnan(m.poisson) || m.young == -1.0 || m.density == -1.0)
    return hki_error(ctx, hki_fe_misuse(loc), loc, form, "the material '%s' is not known", text);
  *out = m;
  return hki_fe_material_check(ctx, loc, &m);
}

/* --- units ------------------------------------------------------------------------------------ */

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
