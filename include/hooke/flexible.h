/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * hooke/flexible.h: bodies that bend by a few modes, made from finite-element models.
 *
 * hk_reduce() takes a mesh of gmsh or the matrices that CalculiX or Abaqus writes, hk_reduce_matrices() those of a program. Interfaces are
 * sets of nodes that move together as rigid pieces; shapes are those of unit displacements of the interfaces and the lowest
 * modes with fixed interfaces (Craig and Bampton 1968), brought to the modes of the free body without its rigid motions.
 * The file that hk_flexible_save() writes is NetCDF.
 */
#ifndef HOOKE_FLEXIBLE_H
#define HOOKE_FLEXIBLE_H

#include "hooke/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A body with modes. */
typedef struct hk_flexible hk_flexible;

/** How to reduce. */
typedef struct hk_reduce_options {
  uint32_t size; /**< of this struct in bytes; hk_reduce_options_def() fills it in */
  int32_t modes; /**< modes with fixed interfaces; without interfaces: of the free body */
  const char *const *
      interfaces; /**< `ninterfaces` texts NAME, NAME=SET or NAME=SET\@X,Y,Z: name, set of nodes or their numbers
                       (12,17,20-25), place; left out: the set of that name, the middle of its nodes. With `:average`
                       behind it the interface is the mean motion of nodes that stay free, not a rigid piece */
  int32_t ninterfaces;   /**< how many */
  const char *stiffness; /**< hk_reduce(): file of the stiffness; NULL: the one beside the deck */
  const char *mass;      /**< hk_reduce(): file of the mass */
  const char *
      material; /**< hk_reduce(): of a mesh, and for stresses: steel, aluminium, titanium, cast_iron, or
                             E=2.1e11,nu=0.3,density=7850 in SI units; NULL: that of the file */
  const char *
      unit; /**< hk_reduce(): of the file: m (with kg, N), mm (with t, N), of meshes cm and in too; NULL: m, and a body
                         of a size or mass that speaks of another unit is refused */
} hk_reduce_options;

/** Fills options with their defaults.
 * @param opt the options; NULL is allowed
 * @param size its size in bytes, as the caller knows it */
HK_API void hk_reduce_options_init(hk_reduce_options *opt, uint32_t size);

/** Options with their defaults: ten modes, no interfaces.
 * @return the options */
static inline hk_reduce_options hk_reduce_options_def(void) {
  hk_reduce_options opt;
  hk_reduce_options_init(&opt, (uint32_t)sizeof opt);
  return opt;
}

/** Nodes that belong together. */
typedef struct hk_fe_nodes {
  const char *name;    /**< its name */
  const int32_t *node; /**< indices of its nodes, from 0 */
  int32_t n;           /**< how many */
} hk_fe_nodes;

/** A finite-element model in arrays. Of the symmetric matrices every pair of entries (i, j), (j, i) stands once; repeated
 * entries add up. */
typedef struct hk_fe_model {
  uint32_t size;              /**< of this struct in bytes */
  int32_t nodes;              /**< how many nodes */
  const double *places;       /**< 3 a node, m */
  int32_t unknowns;           /**< how many */
  const int32_t *node;        /**< node of each unknown */
  const int32_t *direction;   /**< of each: 0 to 2 translation along x y z, 3 to 5 rotation */
  int64_t stiffness_entries;  /**< how many */
  const int32_t *stiffness_i; /**< rows */
  const int32_t *stiffness_j; /**< columns */
  const double *stiffness;    /**< values, N/m */
  int64_t mass_entries;       /**< how many */
  const int32_t *mass_i;      /**< rows */
  const int32_t *mass_j;      /**< columns */
  const double *mass;         /**< values, kg */
  const hk_fe_nodes *sets;    /**< sets of nodes, for interfaces */
  int32_t nsets;              /**< how many */
  const int32_t *triangles;   /**< 3 nodes each: the surface, for drawing; may be NULL */
  int32_t ntriangles;         /**< how many */
} hk_fe_model;

/** Reduce a model that is in files.
 * @param ctx the context
 * @param deck a mesh of gmsh (.msh), whose physical groups are sets of nodes; or the .inp file with nodes and sets:
 *   CalculiX's matrices .dof, .sti, .mas lie beside it, or Abaqus' are named in the options, or they are made from its
 *   elements and material
 * @param opt how; NULL: ten modes of the free body
 * @param out the body, to be given to hk_flexible_free(); NULL after a failure
 * @return HK_OK; HK_E_FILE: a file cannot be read; HK_E_MODEL: the model cannot be reduced so; HK_E_USAGE, HK_E_MEMORY */
HK_API hk_status hk_reduce(hk_ctx *ctx, const char *deck, const hk_reduce_options *opt,
                           hk_flexible **out);

/** Reduce a model that a program has in arrays.
 * @param ctx the context
 * @param fe the model; only used during the call
 * @param opt how; NULL: ten modes of the free body
 * @param out the body, to be given to hk_flexible_free(); NULL after a failure
 * @return as hk_reduce() */
HK_API hk_status hk_reduce_matrices(hk_ctx *ctx, const hk_fe_model *fe,
                                    const hk_reduce_options *opt, hk_flexible **out);

/** Read a body.
 * @param ctx the context
 * @param path the file that hk_flexible_save() has written
 * @param out the body, to be given to hk_flexible_free(); NULL after a failure
 * @return HK_OK; HK_E_FILE: it is none, or damaged; HK_E_USAGE, HK_E_MEMORY */
HK_API hk_status hk_flexible_open(hk_ctx *ctx, const char *path, hk_flexible **out);

/** Write a body to a NetCDF file.
 * @param b the body
 * @param path the file
 * @return HK_OK, HK_E_FILE, HK_E_USAGE, HK_E_MEMORY */
HK_API hk_status hk_flexible_save(const hk_flexible *b, const char *path);

/** End.
 * @param b the body; NULL is allowed */
HK_API void hk_flexible_free(hk_flexible *b);

/** Its mass.
 * @param b the body
 * @return kg; NAN when there is none */
HK_API double hk_flexible_mass(const hk_flexible *b);

/** How many modes.
 * @param b the body
 * @return their number; 0 when there is none */
HK_API int32_t hk_flexible_modes(const hk_flexible *b);

/** One mode. */
typedef struct hk_flexible_mode {
  uint32_t size;    /**< of this struct, as the caller knows it */
  double frequency; /**< Hz, of the body that nothing holds */
  double share;     /**< part of its strain energy in shapes of its kind */
  const char *kind; /**< whole (of the free body), boundary or inner (with fixed interfaces) */
} hk_flexible_mode;

/** One of its modes, by frequency.
 * @param b the body
 * @param i from 0 to hk_flexible_modes() - 1
 * @param out the mode; `size` must be set
 * @return HK_OK, HK_E_USAGE */
HK_API hk_status hk_flexible_mode_get(const hk_flexible *b, int32_t i, hk_flexible_mode *out);

/** How many modes with fixed interfaces it was made of.
 * @param b the body
 * @return their number; 0 when there is no body, no rigid interface, or the body was read from a file */
HK_API int32_t hk_flexible_held_modes(const hk_flexible *b);

/** A mode with fixed interfaces. */
typedef struct hk_flexible_held_mode {
  uint32_t size;    /**< of this struct, as the caller knows it */
  double frequency; /**< Hz */
  double mass
      [3]; /**< kg that it moves along x, y, z (effective mass); what is missing to the mass of the body moves with
                         the interfaces, or in modes that were left out */
} hk_flexible_held_mode;

/** One of these modes, by frequency.
 * @param b the body
 * @param i from 0 to hk_flexible_held_modes() - 1
 * @param out the mode; `size` must be set
 * @return HK_OK, HK_E_USAGE */
HK_API hk_status hk_flexible_held_mode_get(const hk_flexible *b, int32_t i,
                                           hk_flexible_held_mode *out);

/** The name of an interface.
 * @param b the body
 * @param i from 0
 * @return the name; NULL behind the last */
HK_API const char *hk_flexible_interface(const hk_flexible *b, int32_t i);

#ifdef __cplusplus
}
#endif
#endif
