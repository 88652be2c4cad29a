/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzz target of src/flex: any bytes are a body with modes, a mesh of gmsh, or a deck of a finite-element model, or give a message. What is
 * read is used: inertia at some state, and every node of the sets and of the surface is there.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "flex/deck.h"
#include "flex/file.h"
#include "flex/solid.h"
#include "flex/source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use_body(hk_pool *pool, const hk_flex *b) {
  const size_t n = (size_t)hki_flex_size(b);
  if (n > 100) return;
  double *M = hki_pool_alloc(pool, (n * n + 4 * n + 12) * sizeof *M), *e = M + n * n,
         W[3] = {1, 2, 3};
  if (!M) return;
  for (size_t i = 0; i < n; i++) e[i] = 0.1;
  hki_flex_mass(b, e, M);
  hki_flex_bias(b, e, W, e, e + n);
  for (int32_t i = 0; i < b->nface; i++) hki_flex_face_at(b, i, e, e + 3 * n, e + 3 * n + 3);
}

static void use_model(const hk_fe *fe) {
  for (int32_t i = 0; i < fe->nset; i++)
    for (int32_t k = 0; k < fe->set[i].n; k++)
      if (fe->set[i].node[k] < 0 || fe->set[i].node[k] >= fe->nnode) abort();
  for (int32_t i = 0; i < 3 * fe->ntriangle; i++)
    if (fe->triangle[i] < 0 || fe->triangle[i] >= fe->nnode) abort();
}

/* solids of a mesh, and their matrices where they are good */
static hk_status read_mesh(hk_ctx *ctx, hk_pool *pool, const char *text, size_t size, hk_fe *fe) {
  hk_gmsh m;
  hk_status st = hki_gmsh_parse(ctx, pool, -1, text, size, &m);
  if (st == HK_OK) st = hki_fe_from_gmsh(ctx, pool, &m, fe);
  if (st == HK_OK) st = hki_solid_check(ctx, HK_LOC_NONE, fe);
  fe->material = (hk_fe_material){2e11, 0.3, 7800.0};
  return st == HK_OK && fe->nelement < 100 ? hki_solid_matrices(ctx, pool, fe) : st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  hk_ctx *ctx = hk_ctx_create();
  hk_pool *pool = hki_pool_create(ctx);
  hk_flex body;
  hk_fe fe;
  const char *text = (const char *)data;
  if (size >= 3 && memcmp(data, "CDF", 3) == 0) {
    if (hki_flex_parse(ctx, HK_LOC_NONE, pool, "fuzz", text, size, &body) == HK_OK)
      use_body(pool, &body);
    else if (!hki_error_count(ctx))
      abort();
  } else if (size >= 3 && memcmp(data, "$Me", 3) == 0) {
    if (read_mesh(ctx, pool, text, size, &fe) == HK_OK)
      use_model(&fe);
    else if (!hki_error_count(ctx))
      abort();
  } else if (hki_deck_parse(ctx, pool, -1, text, size, &fe) == HK_OK) {
    use_model(&fe);
  } else if (!hki_error_count(ctx)) {
    abort();
  }
  hki_pool_destroy(pool);
  hk_ctx_destroy(ctx);
  return 0;
}
