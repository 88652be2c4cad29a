/* SPDX-License-Identifier: Apache-2.0
 *
 * pieces.c: is a finite-element model in one piece? Nodes belong together when an entry of the stiffness or the mass connects them,
 * or a rigid interface has both.
 */
#include <stdio.h>

#include "flex/reduce.h"
#include "geometry/geometry.h"

/* the first node of a piece, with the way to it made short */
static int32_t root(int32_t *up, int32_t i) {
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

static void join(int32_t *up, int32_t a, int32_t b) {
  a = root(up, a), b = root(up, b);
  if (a != b) up[a > b ? a : b] = a > b ? b : a;
}

static void join_entries(const hk_fe *fe, const hk_sym *A, int32_t *up) {
  for (int32_t j = 0; j < A->n; j++)
    for (int32_t k = A->start[j]; k < A->start[j + 1]; k++)
      if (A->val[k] != 0.0) join(up, fe->node[j], fe->node[A->row[k]]);
}

/* two nodes at one place in different pieces; false: none is near the nodes of piece b */
static bool touching(const hk_fe *fe, int32_t *up, int32_t piece, int32_t *a, int32_t *b) {
  enum { MOST = 20000 }; // of nodes: each is compared with each
  for (*b = 0; fe->nnode <= MOST && *b < fe->nnode; ++*b) {
    if (root(up, *b) != piece) continue;
    for (*a = 0; *a < fe->nnode; ++*a) {
      double d[3];
      v3_sub(d, fe->x + 3 * (ptrdiff_t)*a, fe->x + 3 * (ptrdiff_t)*b);
      if (root(up, *a) != piece && v3_norm(d) == 0.0) return true;
    }
  }
  return false;
}

hk_status hki_fe_one_piece(hk_ctx *ctx, hk_loc loc, const hk_fe *fe, const hk_reduce_plan *plan) {
  int32_t *up = hki_alloc(ctx, ((size_t)fe->nnode + 1) * sizeof *up), pieces = 0, other = -1;
  if (!up) return HK_E_MEMORY;
  for (int32_t i = 0; i < fe->nnode; i++) up[i] = i;
  join_entries(fe, &fe->K, up);
  join_entries(fe, &fe->M, up);
  for (int32_t f = 0; f < plan->nface; f++)
    for (int32_t k = 1; k < plan->face[f].set->n && !plan->face[f].average; k++)
      join(up, plan->face[f].set->node[0], plan->face[f].set->node[k]);
  // nodes without unknowns are none
  int32_t last = -1, first = -1, a, b;
  for (int32_t d = 0; d < fe->ndof; d++) {
    const int32_t i = fe->node[d];
    if (i == last || root(up, i) != i) continue;
    last = i;
    if (pieces++ == 0)
      first = i;
    else if (other < 0)
      other = i;
  }
  hk_status st = HK_OK;
  if (pieces > 1) {
    char hint[120] = "are there loose nodes, or parts that only touch?";
    if (touching(fe, up, other, &a, &b))
      snprintf(hint, sizeof hint, "nodes %d and %d are at one place: merge them", (int)fe->label[a],
               (int)fe->label[b]);
    st = hki_error(ctx, HK_E_MODEL, loc, hint,
                   "the model is in %d pieces that nothing connects: node %d is in one, node %d in "
                   "another",
                   (int)pieces, (int)fe->label[first], (int)fe->label[other]);
  }
  hki_free(ctx, up);
  return st;
}
