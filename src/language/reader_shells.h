/* SPDX-License-Identifier: Apache-2.0
 *
 * reader_shells.h: `shells:` and `membranes:` of a model file: each entry stands for bodies (its nodes), the
 * elements between them, the joints that hold it and its loads.
 */
#ifndef HK_LANGUAGE_READER_SHELLS_H
#define HK_LANGUAGE_READER_SHELLS_H

#include "elements/shell.h"
#include "language/reader.h"

extern const hk_param hki_keys_shell[], hki_keys_membrane[], hki_keys_shell_laminate[],
    hki_keys_hold[], hki_keys_shell_load[];

/* nodes of a mesh with a name, and the sides between them */
typedef struct hk_rd_set {
  const char *name;
  int32_t n, nside;
  int32_t *node, *side; /* n; nside x 2 */
} hk_rd_set;

/* the middle surface of a shell, as drawn: quadrilaterals between nodes */
typedef struct hk_rd_mesh {
  const char *kind, *owner; /* "shell" or "membrane", and its name */
  bool points;              /* its nodes have no axes */
  hk_loc loc;
  int32_t nnode, nquad, nset;
  double *p;             /* nnode x 3, world */
  int32_t *row, *number; /* nnode: name of a node, ROW.NUMBER, or NUMBER where the row is -1 */
  int32_t *quad;         /* nquad x 4, round the element */
  int32_t *quad_row, *quad_number; /* nquad: names, likewise */
  hk_loc *quad_loc;                /* nquad */
  hk_rd_set *set;
  double *u;      /* nquad x 3: direction of x where none is given */
  double *normal; /* nquad x 4 x 3: unit normals at the nodes of each element */
  double
      *director; /* nquad x 4 x 3: the same, one for all elements that meet there without a fold */
  double *area;  /* nnode: what belongs to each, m^2 */
  hk_rd_map map; /* of the frame that it is drawn in */
} hk_rd_mesh;

/* "3.4" or "17" in the reader's pool */
const char *hki_rd_mesh_name(hk_reader *rd, int32_t row, int32_t number);
/* room for a mesh of this size */
bool hki_rd_mesh_alloc(hk_reader *rd, int32_t nnode, int32_t nquad, int32_t nset, hk_rd_mesh *m);
/* that of the file that `mesh` names, times a scale (reader_shell_gmsh.c) */
bool hki_rd_mesh_gmsh(hk_reader *rd, const hk_node *node, double scale, hk_rd_mesh *out);
/* from `mesh`, `corners` or `surface` of an entry; false after reporting */
bool hki_rd_mesh_read(hk_reader *rd, hk_rd_scope *s, const hk_node *node, hk_rd_mesh *out);
/* normals, directors and areas; elements that fold, are turned over or stand twice are reported.
 * fold: angle between elements from which they have normals of their own, rad */
bool hki_rd_mesh_check(hk_reader *rd, hk_rd_mesh *mesh, double fold);
/* the set of this name; NULL after reporting */
const hk_rd_set *hki_rd_mesh_set(hk_reader *rd, const hk_rd_mesh *mesh, const char *name,
                                 hk_loc loc);

/* a section per area, in its axes: x along the direction `along`, z the normal */
typedef struct hk_rd_plate {
  double C[HK_SHELL_E * HK_SHELL_E]; /* stiffness, as in elements/shell.h */
  double thickness;                  /* m */
  double mass, centre, inertia; /* kg/m^2; place along the normal, m; kg about it, in the plane */
} hk_rd_plate;
bool hki_rd_plate(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *kind,
                  const char *name, hk_rd_plate *out);

/* plies of a laminate upon each other (reader_laminates.c); kind and name: of what they belong to */
typedef struct hk_rd_plies {
  double ABD[36];   /* of (eps_x, eps_y, gamma_xy, kap_x, kap_y, kap_xy) */
  double shear[3];  /* integrals of G: xz, yz, and both */
  double mass[3];   /* integrals of the density times 1, z, z^2 */
  double thickness; /* m */
} hk_rd_plies;
bool hki_rd_plies(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const char *kind,
                  const char *name, hk_rd_plies *out);

/* what holds and loads it, when its nodes are there: joints of `clamp`, forces of `loads` */
bool hki_rd_shell_clamp(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const hk_rd_mesh *mesh);
bool hki_rd_shell_loads(hk_reader *rd, hk_rd_scope *s, const hk_node *node, const hk_rd_mesh *mesh);

/* what presses on the surface that a force names: an element on each of its elements that acts for force i */
void hki_rd_pressure(hk_reader *rd, hk_rd_scope *s, const hk_node *node, int32_t i);

/* all of a scope */
void hki_rd_shells_register(hk_reader *rd, hk_rd_scope *s);

#endif
