/* SPDX-License-Identifier: Apache-2.0
 *
 * draw.c: what is kept of a finite-element model for drawing: the nodes of its surface, and their translation and stress in
 * each mode.
 */
#include "flex/reduce.h"
#include "flex/solid.h"

/* which nodes are drawn: their new index, -1: not */
static int32_t choose(const hk_fe *fe, int32_t *at) {
  int32_t n = 0;
  for (int32_t i = 0; i < fe->nnode; i++) at[i] = fe->ntriangle ? -1 : 0;
  for (int32_t i = 0; i < 3 * fe->ntriangle; i++) at[fe->triangle[i]] = 0;
  for (int32_t i = 0; i < fe->nnode; i++)
    if (at[i] == 0) at[i] = n++;
  return n;
}

/* one shape at all nodes */
static void translations(const hk_fe *fe, const double *v, double *u) {
  for (ptrdiff_t i = 0; i < 3 * (ptrdiff_t)fe->nnode; i++) u[i] = 0.0;
  for (int32_t d = 0; d < fe->ndof; d++)
    if (fe->comp[d] < 3) u[3 * (ptrdiff_t)fe->node[d] + fe->comp[d]] = v[d];
}

/* rows of `width` numbers of the chosen nodes */
static void pick(const hk_fe *fe, const int32_t *at, int32_t width, const double *from,
                 double *to) {
  for (int32_t i = 0; i < fe->nnode; i++)
    for (int32_t k = 0; at[i] >= 0 && k < width; k++)
      to[(ptrdiff_t)width * at[i] + k] = from[(ptrdiff_t)width * i + k];
}

bool hki_flex_draw(hk_ctx *ctx, hk_pool *pool, const hk_fe *fe, const double *V, hk_flex *out) {
  const size_t nn = (size_t)fe->nnode, ne = (size_t)out->ne;
  int32_t *at = hki_alloc(ctx, (nn + 1) * sizeof *at);
  double *u = hki_alloc(ctx, (9 * nn + 1) * sizeof *u), *s = u + 3 * nn;
  bool ok = at && u;
  const size_t n = ok ? (size_t)choose(fe, at) : 0, nt = 3 * (size_t)fe->ntriangle;
  const bool stressed = hki_solid_has_stress(fe);
  double *x = hki_pool_alloc(pool, (3 * n + 1) * sizeof *x);
  double *shape = hki_pool_alloc(pool, (3 * n * ne + 1) * sizeof *shape);
  double *stress = stressed ? hki_pool_alloc(pool, (6 * n * ne + 1) * sizeof *stress) : NULL;
  int32_t *triangle = hki_pool_alloc(pool, (nt + 1) * sizeof *triangle);
  ok = ok && x && shape && triangle && (stress || !stressed);
  if (ok) {
    pick(fe, at, 3, fe->x, x);
    for (size_t i = 0; i < nt; i++) triangle[i] = at[fe->triangle[i]];
  }
  for (size_t j = 0; ok && j < ne; j++) {
    translations(fe, V + (size_t)fe->ndof * j, u);
    pick(fe, at, 3, u, shape + 3 * n * j);
    if (!stressed) continue;
    ok = hki_solid_stress(ctx, fe, u, s) == HK_OK;
    pick(fe, at, 6, s, stress + 6 * n * j);
  }
  hki_free(ctx, at);
  hki_free(ctx, u);
  out->nnode = (int32_t)n, out->node = x, out->shape = shape, out->stress = stress;
  out->ntriangle = fe->ntriangle, out->triangle = triangle;
  return ok;
}
