/* SPDX-License-Identifier: Apache-2.0
 *
 * mesh_impl.h: shared by the mesh readers: the mesh under construction, and their error messages.
 */
#ifndef HK_FORMATS_MESH_IMPL_H
#define HK_FORMATS_MESH_IMPL_H

#include "formats/mesh.h"

typedef struct hk_mesh_builder {
  hk_ctx *ctx;
  hk_pool *pool;
  const char *name;
  hk_loc from;  /* where the mesh was asked for */
  int32_t file; /* its own index in the context's file table */
  float *points;
  int32_t *faces;
  int32_t npoints, nfaces, points_cap, faces_cap;
  hk_status status;
} hk_mesh_builder;

/* "bad mesh: ..." at a place in the mesh's file, or where the mesh was asked for (line 0) */
hk_status hki_mesh_wrong(hk_mesh_builder *b, hk_loc loc, const char *hint, const char *fmt, ...)
    HK_PRINTF(4, 5);
/* append a point, or a triangle of three point indices; false after an error message (not a number,
 * too many) */
bool hki_mesh_point(hk_mesh_builder *b, hk_loc loc, const double *p);
bool hki_mesh_face(hk_mesh_builder *b, int32_t a, int32_t c, int32_t d);

/* glTF 2.0 (mesh_gltf.c): JSON with buffers inside or beside it, or all in one binary file */
void hki_mesh_gltf(hk_mesh_builder *b, const char *text, size_t len, bool binary);

/* the bytes of one buffer by its `uri` (mesh_uri.c): `data:...;base64,` or a file in the folder of
 * the mesh. NULL after an error message; the caller frees it with free() */
unsigned char *hki_mesh_uri(hk_mesh_builder *b, hk_loc loc, const char *uri, size_t *len);

#endif
