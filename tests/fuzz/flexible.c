/* SPDX-License-Identifier: Apache-2.0
 *
 * Fuzz target of src/flex: any bytes are a body with modes, a mesh of gmsh, cards of Nastran, modes of MBDyn, or a deck of a
 * finite-element model, or give a message. What is
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

/* every node, unknown and entry of a matrix is there */
static void use_model(const hk_fe *fe) {
  for (int32_t i = 0; i < fe->ndof; i++)
    if (fe->node[i] < 0 || fe->node[i] >= fe->nnode || fe->comp[i] > 6) abort();
  const hk_sym *matrix[2] = {&fe->K, &fe->M};
  for (int k = 0; k < 2; k++)
    for (int32_t i = 0; matrix[k]->n && i < matrix[k]->start[matrix[k]->n]; i++)
      if (matrix[k]->row[i] < 0 || matrix[k]->row[i] >= fe->ndof) abort();
  for (int32_t i = 0; i < fe->nset; i++)
    for (int32_t k = 0; k < fe->set[i].n; k++)
      if (fe->set[i].node[k] < 0 || fe->set[i].node[k] >= fe->nnode) abort();
  for (int32_t i = 0; i < fe->nelement; i++)
    if (fe->element[i].material < -1 || fe->element[i].material >= fe->nmaterial) abort();
  for (int32_t i = 0; i < fe->ngroup; i++)
    for (int32_t k = 0; k < fe->group[i].n; k++)
      if (fe->group[i].element[k] < 0 || fe->group[i].element[k] >= fe->nelement) abort();
  for (int32_t i = 0; i < 3 * fe->ntriangle; i++)
    if (fe->triangle[i] < 0 || fe->triangle[i] >= fe->nnode) abort();
}

/* solids of a mesh, and their matrices where they are good */
static hk_status read_mesh(hk_ctx *ctx, hk_pool *pool, const char *text, size_t size, hk_fe *fe) {
  hk_gmsh m;
  hk_status st = hki_gmsh_parse(ctx, pool, -1, text, size, &m);
  if (st == HK_OK) st = hki_fe_from_gmsh(ctx, pool, &m, fe);
  if (st == HK_OK) st = hki_solid_check(ctx, HK_LOC_NONE, fe);
  if (st == HK_OK) st = hki_fe_materials_read(ctx, HK_LOC_NONE, pool, "steel", fe);
  return st == HK_OK && fe->nelement < 100 ? hki_solid_matrices(ctx, pool, fe) : st;
}

static hk_status read_model(hk_ctx *ctx, hk_pool *pool, const char *text, size_t size, hk_fe *fe) {
  static const char *const heads[] = {"$Me", "GRI", "DMI", "SOL", "** R"};
  int32_t which = 0;
  while (which < HK_ARRAY_LEN(heads) &&
         (size < strlen(heads[which]) || memcmp(text, heads[which], strlen(heads[which])) != 0))
    which++;
  if (which == 0) return read_mesh(ctx, pool, text, size, fe);
  if (which < 4) return hki_nastran_parse(ctx, pool, -1, text, size, NULL, NULL, fe);
  if (which == 4) return hki_modal_parse(ctx, pool, -1, text, size, fe);
  return hki_deck_parse(ctx, pool, -1, text, size, fe);
}

/* readers get a text that ends in NUL, as from a file */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  hk_ctx *ctx = hk_ctx_create();
  hk_pool *pool = ctx ? hki_pool_create(ctx) : NULL;
  hk_flex body;
  hk_fe fe;
  if (text && pool) {
    memcpy(text, data, size);
    text[size] = 0;
    const bool is_body = size >= 3 && memcmp(text, "CDF", 3) == 0;
    const hk_status st = is_body ? hki_flex_parse(ctx, HK_LOC_NONE, pool, "fuzz", text, size, &body)
                                 : read_model(ctx, pool, text, size, &fe);
    if (st != HK_OK && !hki_error_count(ctx)) abort();
    if (st == HK_OK && is_body) use_body(pool, &body);
    if (st == HK_OK && !is_body) use_model(&fe);
  }
  hki_pool_destroy(pool);
  hk_ctx_destroy(ctx);
  free(text);
  return 0;
}
