/* SPDX-License-Identifier: Apache-2.0
 *
 * materials.c: materials as texts, and which element has which. A text is one material for all elements, or several with the
 * groups of elements that have them: `steel; bush: aluminium; ring: E=1.1e11,nu=0.3,density=8900`. The one without a group, or of
 * the group `rest`, is for the elements that no group of the text has.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "flex/source.h"
#include "formats/csv_table.h"

static const struct {
  const char *name;
  hk_fe_material is;
} known[] = {
    {"steel", {2.1e11, 0.3, 7850.0, false}},
    {"aluminium", {7e10, 0.33, 2700.0, false}},
    {"titanium", {1.14e11, 0.34, 4430.0, false}},
    {"cast_iron", {1.1e11, 0.26, 7200.0, false}},
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

static hk_status check_one(hk_ctx *ctx, hk_loc loc, const hk_fe_material *m) {
  const double sound = sqrt(fmax(m->young, 0.0) / m->density);
  if (m->other)
    return hki_error(ctx, HK_E_MODEL, loc, "give its matrices, as CalculiX makes them",
                     "a material of the deck is not isotropic");
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

static hk_status read_one(hk_ctx *ctx, hk_loc loc, const char *text, hk_fe_material *out) {
  hk_fe_material m = {-1.0, NAN, -1.0, false};
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
  return check_one(ctx, loc, &m);
}

/* --- groups ----------------------------------------------------------------------------------- */

/* one part of the text: a group, NULL: the rest; and its material */
typedef struct part {
  char *group, *material;
} part;

static char *trim(char *s) {
  while (isspace((unsigned char)*s)) s++;
  for (char *end = s + strlen(s); end > s && isspace((unsigned char)end[-1]);) *--end = 0;
  return s;
}

/* the next part of *s, which it shortens */
static part next_part(char **s) {
  char *stop = strchr(*s, ';'), *text = *s, *colon;
  if (stop) *stop = 0;
  *s = stop ? stop + 1 : text + strlen(text);
  colon = strchr(text, ':');
  if (!colon) return (part){NULL, trim(text)};
  *colon = 0;
  return (part){trim(text), trim(colon + 1)};
}

static const hk_fe_group *find_group(const hk_fe *fe, const char *name) {
  for (int32_t i = 0; i < fe->ngroup; i++)
    if (strcasecmp(fe->group[i].name, name) == 0) return &fe->group[i];
  return NULL;
}

static hk_status unknown_group(hk_ctx *ctx, hk_loc loc, const hk_fe *fe, const char *name) {
  hk_nearest near;
  char hint[160];
  hki_nearest_init(&near, name);
  for (int32_t i = 0; i < fe->ngroup; i++) hki_nearest_try(&near, fe->group[i].name);
  const char *best = hki_nearest_result(&near);
  if (best)
    snprintf(hint, sizeof hint, "did you mean '%s'?", best);
  else
    snprintf(hint, sizeof hint, "the mesh has %d groups of elements", (int)fe->ngroup);
  return hki_error(ctx, HK_E_MODEL, loc, hint,
                   "material '%s': there is no group of elements of this name", name);
}

/* elements of the group get material m; taken: which have one by this text already */
static hk_status give(hk_ctx *ctx, hk_fe *fe, const hk_fe_group *g, int32_t m, bool *taken) {
  for (int32_t k = 0; k < g->n; k++) {
    hk_fe_element *e = &fe->element[g->element[k]];
    if (taken[g->element[k]] && e->material != m)
      return hki_error(ctx, HK_E_MODEL, (hk_loc){fe->file, e->line, 1},
                       "an element has one material",
                       "element %d of the group '%s' is in another group with a material too",
                       (int)e->label, g->name);
    e->material = m;
    taken[g->element[k]] = true;
  }
  return HK_OK;
}

/* one part: its material becomes one more of fe, *rest: that of the elements without a group */
static hk_status take_part(hk_ctx *ctx, hk_loc loc, hk_fe *fe, const part *p, bool *taken,
                           int32_t *rest) {
  const hk_fe_group *g = p->group ? find_group(fe, p->group) : NULL;
  const bool others = !p->group || (!g && strcmp(p->group, "rest") == 0);
  if (!g && !others) return unknown_group(ctx, loc, fe, p->group);
  hk_status st = read_one(ctx, loc, p->material, &fe->material[fe->nmaterial]);
  if (st != HK_OK) return st;
  const int32_t m = fe->nmaterial++;
  if (!others) return give(ctx, fe, g, m, taken);
  if (*rest >= 0)
    return hki_error(ctx, hki_fe_misuse(loc), loc, "steel; bush: aluminium",
                     "two materials, '%s' the second, without a group of elements", p->material);
  *rest = m;
  return HK_OK;
}

hk_status hki_fe_materials_read(hk_ctx *ctx, hk_loc loc, hk_pool *pool, const char *text,
                                hk_fe *fe) {
  char *copy = hki_pool_strdup(pool, text);
  bool *taken = hki_pool_alloc(pool, (size_t)fe->nelement + 1);
  size_t parts = 1;
  for (const char *s = text; *s; s++) parts += *s == ';';
  hk_fe_material *all = hki_pool_alloc(pool, ((size_t)fe->nmaterial + parts) * sizeof *all);
  if (!copy || !taken || !all) return HK_E_MEMORY;
  if (fe->nmaterial) memcpy(all, fe->material, (size_t)fe->nmaterial * sizeof *all);
  fe->material = all;
  int32_t rest = -1;
  hk_status st = HK_OK;
  for (char *s = copy; st == HK_OK;) {
    const part p = next_part(&s);
    st = take_part(ctx, loc, fe, &p, taken, &rest);
    if (!*s) break;
  }
  for (int32_t i = 0; i < fe->nelement && rest >= 0; i++)
    if (!taken[i]) fe->element[i].material = rest;
  return st;
}

hk_status hki_fe_materials_check(hk_ctx *ctx, hk_loc loc, const char *path, const hk_fe *fe) {
  hk_status st = HK_OK;
  for (int32_t i = 0; i < fe->nelement && st == HK_OK; i++) {
    const hk_fe_element *e = &fe->element[i];
    const hk_fe_material *m = e->material >= 0 ? &fe->material[e->material] : NULL;
    if (m && (m->other || (m->young != 0.0 && m->density != 0.0))) continue;
    if (!fe->nmaterial)
      return hki_error(ctx, HK_E_MODEL, loc, "--material steel, or E=2.1e11,nu=0.3,density=7850",
                       "'%s' is a mesh without a material", path);
    return hki_error(ctx, HK_E_MODEL, (hk_loc){fe->file, e->line, 1},
                     "give one for the rest: steel; bush: aluminium", "element %d has no material",
                     (int)e->label);
  }
  for (int32_t m = 0; m < fe->nmaterial && st == HK_OK; m++) {
    bool used = false;
    for (int32_t i = 0; i < fe->nelement && !used; i++) used = fe->element[i].material == m;
    if (used) st = check_one(ctx, loc, &fe->material[m]);
  }
  return st;
}
