/* SPDX-License-Identifier: Apache-2.0
 *
 * source.c: which program wrote a finite-element model, its matrices, read or made, and its units.
 */
#include "flex/source.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "flex/deck.h"
#include "flex/solid.h"

enum { MOST_BYTES = 256 << 20 };

typedef struct job {
  hk_ctx *ctx;
  hk_loc loc;
  hk_pool *pool;
  const hk_fe_source *s;
  hk_fe *fe;
  int32_t file;
  const char *text;
  size_t len;
} job;

/* a deck in mm, t, N has MPa and t/mm3 */
static void materials_to_si(hk_fe *fe, double metre) {
  for (int32_t i = 0; i < fe->nmaterial && metre == 1e-3; i++)
    fe->material[i].young *= 1e6, fe->material[i].density *= 1e12;
}

/* matrices of the elements themselves, in SI units */
static hk_status own_matrices(job *j) {
  hk_fe *fe = j->fe;
  const hk_fe_source *s = j->s;
  const double metre = s->unit ? hki_fe_unit(j->ctx, j->loc, s->unit, false) : 1.0;
  if (metre == 0.0) return hki_fe_misuse(j->loc);
  materials_to_si(fe, metre);
  hki_fe_scale(fe, metre, false);
  hk_status st = HK_OK;
  if (s->material) st = hki_fe_materials_read(j->ctx, j->loc, j->pool, s->material, fe);
  if (st == HK_OK && fe->nelement) st = hki_fe_materials_check(j->ctx, j->loc, s->path, fe);
  if (st == HK_OK) st = hki_solid_check(j->ctx, j->loc, fe);
  if (st == HK_OK) st = hki_solid_matrices(j->ctx, j->pool, fe);
  return st == HK_OK && !s->unit ? hki_fe_plausible(j->ctx, j->loc, fe) : st;
}

/* matrices that a program has written: only their units are left to do */
static hk_status given_matrices(job *j) {
  const char *unit = j->s->unit;
  const double metre = unit ? hki_fe_unit(j->ctx, j->loc, unit, true) : 1.0;
  if (metre == 0.0) return hki_fe_misuse(j->loc);
  materials_to_si(j->fe, metre);
  hki_fe_scale(j->fe, metre, true);
  hk_status st = HK_OK;
  if (j->s->material) st = hki_fe_materials_read(j->ctx, j->loc, j->pool, j->s->material, j->fe);
  return st == HK_OK && !unit ? hki_fe_plausible(j->ctx, j->loc, j->fe) : st;
}

static hk_status read_gmsh(job *j) {
  hk_gmsh m;
  hk_status st = hki_gmsh_parse(j->ctx, j->pool, j->file, j->text, j->len, &m);
  if (st == HK_OK) st = hki_fe_from_gmsh(j->ctx, j->pool, &m, j->fe);
  return st == HK_OK ? own_matrices(j) : st;
}

static hk_status read_deck(job *j) {
  const hk_fe_source *s = j->s;
  hk_status st = hki_deck_parse(j->ctx, j->pool, j->file, j->text, j->len, j->fe);
  if (st != HK_OK) return st;
  // no matrices, but a material: they are made here
  char *unknowns = hki_deck_beside(j->pool, s->path, "dof");
  if (!unknowns) return HK_E_MEMORY;
  if (!s->stiffness && !s->mass && (s->material || j->fe->nmaterial) && access(unknowns, F_OK) != 0)
    return own_matrices(j);
  st = hki_deck_matrices(j->ctx, j->loc, j->pool, s->path, s->stiffness, s->mass, j->fe);
  return st == HK_OK ? given_matrices(j) : st;
}

static hk_status read_nastran(job *j) {
  const hk_status st = hki_nastran_parse(j->ctx, j->pool, j->file, j->text, j->len, j->s->stiffness,
                                         j->s->mass, j->fe);
  return st == HK_OK ? given_matrices(j) : st;
}

static hk_status read_modal(job *j) {
  const hk_status st = hki_modal_parse(j->ctx, j->pool, j->file, j->text, j->len, j->fe);
  if (st != HK_OK || (j->s->unit && strcmp(j->s->unit, "m") == 0)) return st;
  if (!j->s->unit) return hki_fe_plausible(j->ctx, j->loc, j->fe);
  return hki_error(j->ctx, hki_fe_misuse(j->loc), j->loc, NULL,
                   "bodies of MBDyn are read in m, kg and N only");
}

hk_status hki_fe_parse(hk_ctx *ctx, hk_loc loc, hk_pool *pool, const hk_fe_source *s,
                       const char *text, size_t len, hk_fe *fe) {
  static const struct {
    const char *ending;
    hk_status (*read)(job *);
  } known[] = {{".msh", read_gmsh},    {".bdf", read_nastran}, {".nas", read_nastran},
               {".dat", read_nastran}, {".pch", read_nastran}, {".fem", read_modal},
               {"", read_deck}};
  job j = {ctx, loc, pool, s, fe, hki_ctx_file(ctx, s->path), text, len};
  const char *slash = strrchr(s->path, '/'), *name = slash ? slash + 1 : s->path;
  const char *dot = strrchr(name, '.');
  int32_t which = 0;
  while (*known[which].ending && (!dot || strcasecmp(dot, known[which].ending) != 0)) which++;
  const hk_status st = known[which].read(&j);
  fe->title = hki_pool_strdup(pool, name);
  return st == HK_OK && !fe->title ? HK_E_MEMORY : st;
}

hk_status hki_fe_read(hk_ctx *ctx, hk_loc loc, hk_pool *pool, const hk_fe_source *s, hk_fe *fe) {
  char *text = NULL;
  size_t len = 0;
  hk_status st = hki_read_file(ctx, s->path, loc, MOST_BYTES, &text, &len);
  if (st == HK_OK) st = hki_fe_parse(ctx, loc, pool, s, text, len, fe);
  hki_free(ctx, text);
  return st;
}
