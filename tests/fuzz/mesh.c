/* SPDX-License-Identifier: Apache-2.0
 *
 * mesh.c: fuzz target of the mesh readers. The first byte chooses the format; the rest is the file.
 * It becomes triangles whose points are all there and finite, or is refused with a message.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok) {
  if (!ok) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // no folder of this name: buffers beside the mesh are never there
  static const char *const names[] = {"/nowhere/a.stl", "/nowhere/a.obj", "/nowhere/a.gltf",
                                      "/nowhere/a.glb"};
  hk_mesh mesh;
  if (size < 1) return 0;
  // readers get a text that ends in NUL, as from a file
  char *text = malloc(size);
  hk_ctx *ctx = hk_ctx_create();
  hk_pool *pool = ctx ? hki_pool_create(ctx) : NULL;
  if (text && pool) {
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    hk_status st =
        hki_mesh_parse(ctx, pool, names[data[0] % 4], text, size - 1, HK_LOC_NONE, &mesh);
    require(st == HK_OK ? mesh.nfaces > 0 : hk_ctx_message_count(ctx) > 0);
    for (int32_t i = 0; st == HK_OK && i < 3 * mesh.npoints; i++) require(isfinite(mesh.points[i]));
    for (int32_t i = 0; st == HK_OK && i < 3 * mesh.nfaces; i++)
      require(mesh.faces[i] >= 0 && mesh.faces[i] < mesh.npoints);
  }
  if (pool) hki_pool_destroy(pool);
  if (ctx) hk_ctx_destroy(ctx);
  free(text);
  return 0;
}
