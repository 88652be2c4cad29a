/* SPDX-License-Identifier: Apache-2.0
 *
 * mesh.h: triangles from STL (binary or text), OBJ and glTF files, for viewers.
 */
#ifndef HK_FORMATS_MESH_H
#define HK_FORMATS_MESH_H

#include "base/base.h"

typedef struct hk_mesh {
  int32_t npoints, nfaces;
  const float *points;  /* x y z each, in the file's units */
  const int32_t *faces; /* three points each, from 0 */
} hk_mesh;

/* limits: bytes of a file, triangles of a mesh */
enum { HK_MESH_BYTES = 1 << 28, HK_MESH_FACES = 2000000 };

/* Read a mesh from a text; the name's extension decides the format, memory comes from `pool`.
 * Errors name the place in the mesh file where there is one (text formats) and are otherwise
 * reported at `from`, where the mesh was asked for. */
hk_status hki_mesh_parse(hk_ctx *ctx, hk_pool *pool, const char *name, const char *text, size_t len,
                         hk_loc from, hk_mesh *mesh);
/* x -> diag(D) x; a reflection turns the triangles round, so that their outside stays outside */
void hki_mesh_stretch(hk_mesh *mesh, const double *D);

#endif
