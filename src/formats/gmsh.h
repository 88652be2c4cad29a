/* SPDX-License-Identifier: Apache-2.0
 *
 * gmsh.h: meshes of gmsh: nodes, elements and physical groups, from its text format in versions 2.2 and 4.1.
 */
#ifndef HK_FORMATS_GMSH_H
#define HK_FORMATS_GMSH_H

#include "base/base.h"

/* what gmsh calls element types; nodes of an edge stand behind the corners */
typedef struct hk_gmsh_type {
  int32_t code, nodes, dim;
  const char *name;
} hk_gmsh_type;
const hk_gmsh_type *hki_gmsh_type(int32_t code); /* NULL: not known */

typedef struct hk_gmsh_element {
  int32_t label, line; /* its number and place in the file */
  const hk_gmsh_type *type;
  int32_t at;     /* its nodes: hk_gmsh.node[at ..] */
  int32_t entity; /* used while reading */
} hk_gmsh_element;

typedef struct hk_gmsh_group {
  const char *name; /* its number where it has no name */
  int32_t dim, tag;
  int32_t n;
  int32_t *element; /* indices */
} hk_gmsh_group;

typedef struct hk_gmsh {
  int32_t file; /* index in the context's file table */
  int32_t nnode;
  double *x;      /* nnode x 3, in the file's unit */
  int32_t *label; /* nnode: numbers in the file, ascending */
  int32_t nelement;
  hk_gmsh_element *element;
  int32_t *node; /* indices of nodes, see hk_gmsh_element */
  int32_t ngroup;
  hk_gmsh_group *group; /* physical groups that have elements, or a name */
} hk_gmsh;

/* Everything lies in the pool. Errors name the line of the file; `from` is where it was asked for. */
hk_status hki_gmsh_read(hk_ctx *ctx, hk_loc from, hk_pool *pool, const char *path, hk_gmsh *out);
hk_status hki_gmsh_parse(hk_ctx *ctx, hk_pool *pool, int32_t file, const char *text, size_t len,
                         hk_gmsh *out);

#endif
