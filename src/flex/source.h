/* SPDX-License-Identifier: Apache-2.0
 *
 * source.h: a finite-element model from a file of any program that is known, by the ending of its name.
 *
 *   .msh                        gmsh: the mesh; the matrices are made here
 *   .inp                        CalculiX, Abaqus (deck.h): with matrices, or the mesh alone
 *   .bdf .nas .dat .pch         Nastran: grids and the matrices of DMIG (nastran.c)
 *   .fem                        MBDyn: nodes, modes and masses (modal.c)
 */
#ifndef HK_FLEX_SOURCE_H
#define HK_FLEX_SOURCE_H

#include "flex/fe.h"
#include "formats/gmsh.h"

typedef struct hk_fe_source {
  const char *path;
  const char *stiffness,
      *mass; /* of decks: files of the matrices; of DMIG: their names; NULL: as usual */
  const char
      *material;    /* one, or several with their groups (materials.c); NULL: that of the file */
  const char *unit; /* m, mm, ..; NULL: m, and a body of another size than usual is refused */
} hk_fe_source;

hk_status hki_fe_read(hk_ctx *ctx, hk_loc loc, hk_pool *pool, const hk_fe_source *s, hk_fe *fe);
/* the same of a file already read; text[len] is NUL */
hk_status hki_fe_parse(hk_ctx *ctx, hk_loc loc, hk_pool *pool, const hk_fe_source *s,
                       const char *text, size_t len, hk_fe *fe);

/* the solids of a mesh, without matrices (mesh.c) */
hk_status hki_fe_from_gmsh(hk_ctx *ctx, hk_pool *pool, const hk_gmsh *m, hk_fe *fe);

/* cards of Nastran with the matrices of DMIG; names of these, NULL: the first that begin with K and M (nastran.c) */
hk_status hki_nastran_parse(hk_ctx *ctx, hk_pool *pool, int32_t file, const char *text, size_t len,
                            const char *stiffness, const char *mass, hk_fe *fe);

/* shapes that another program has found, in MBDyn's format (modal.c) */
hk_status hki_modal_parse(hk_ctx *ctx, hk_pool *pool, int32_t file, const char *text, size_t len,
                          hk_fe *fe);

/* --- materials.c ------------------------------------------------------------------------------ */

/* materials of elements by a text, in SI units, beside those of the file */
hk_status hki_fe_materials_read(hk_ctx *ctx, hk_loc loc, hk_pool *pool, const char *text,
                                hk_fe *fe);
/* Has every element one, and a plausible one? path: of the mesh */
hk_status hki_fe_materials_check(hk_ctx *ctx, hk_loc loc, const char *path, const hk_fe *fe);

/* --- units.c ---------------------------------------------------------------------------------- */

/* The length of a unit in m; 0 and a message: not known. Matrices are in N, mm, t, s where the unit is mm; of the others
 * only m is known for them. */
double hki_fe_unit(hk_ctx *ctx, hk_loc loc, const char *unit, bool matrices);
/* brings a model to SI: lengths times `metre`, and matrices in N, t where it is 1e-3 */
void hki_fe_scale(hk_fe *fe, double metre, bool matrices);
/* refuses a body of a size or density that speaks of another unit */
hk_status hki_fe_plausible(hk_ctx *ctx, hk_loc loc, const hk_fe *fe);

#endif
