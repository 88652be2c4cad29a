/* SPDX-License-Identifier: Apache-2.0
 *
 * links.c: rigid interfaces. A node at r from the place of its interface moves by
 *
 *   u + theta x r,    its rotations by theta
 */
#include "flex/links.h"

#include <math.h>

#include "geometry/geometry.h"

/* Do the nodes fix a rotation? Those without rotations of their own must not stand in a line. */
static bool spans(const hk_fe *fe, const hk_fe_set *set, const double *p, const bool *turns) {
  double J[9], R[9];
  for (int32_t i = 0; i < set->n; i++)
    if (turns[set->node[i]]) return true;
  return hki_fe_spread(fe, set, p, J, R) > 1e-12;
}

static hk_status one_face(hk_ctx *ctx, hk_loc loc, hk_links *l, const hk_plan_face *f, int32_t i,
                          const bool *turns) {
  const hk_fe *fe = l->fe;
  double *p = l->p + 3 * (ptrdiff_t)i, mid[3];
  hki_fe_middle(fe, f->set, mid);
  v3_copy(p, f->placed ? f->p : mid);
  for (int32_t k = 0; k < f->set->n && !f->average; k++) {
    int32_t *at = &l->face[f->set->node[k]];
    if (*at >= 0 && *at != l->nrigid)
      return hki_error(ctx, HK_E_MODEL, loc, "a node can belong to one interface",
                       "node %d is in two interfaces, one of them '%s'",
                       (int)fe->label[f->set->node[k]], f->name);
    *at = l->nrigid;
  }
  if (!f->average) l->rigid[l->nrigid++] = i;
  if (f->set->n && spans(fe, f->set, mid, turns)) return HK_OK;
  return hki_error(ctx, HK_E_MODEL, loc, "give it the nodes of a whole face, edge or hole",
                   "interface '%s' has %d node%s, which do not fix its rotation", f->name,
                   (int)f->set->n, f->set->n == 1 ? "" : "s");
}

hk_status hki_links_make(hk_ctx *ctx, hk_loc loc, hk_pool *pool, const hk_fe *fe,
                         const hk_reduce_plan *opt, hk_links *out) {
  *out = (hk_links){.fe = fe};
  out->face = hki_pool_alloc(pool, (size_t)fe->nnode * sizeof *out->face);
  out->at = hki_pool_alloc(pool, (size_t)fe->ndof * sizeof *out->at);
  out->p = hki_pool_alloc(pool, ((size_t)opt->nface + 1) * 3 * sizeof *out->p);
  out->rigid = hki_pool_alloc(pool, ((size_t)opt->nface + 1) * sizeof *out->rigid);
  bool *turns = hki_pool_alloc(pool, (size_t)fe->nnode * sizeof *turns);
  if (!out->rigid || !out->face || !out->at || !out->p || !turns) return HK_E_MEMORY;
  for (int32_t i = 0; i < fe->nnode; i++) out->face[i] = -1;
  for (int32_t d = 0; d < fe->ndof; d++)
    if (fe->comp[d] >= 3 && fe->comp[d] < 6) turns[fe->node[d]] = true;
  for (int32_t i = 0; i < opt->nface; i++) {
    const hk_status st = one_face(ctx, loc, out, &opt->face[i], i, turns);
    if (st != HK_OK) return st;
  }
  for (int32_t d = 0; d < fe->ndof; d++)
    out->at[d] = out->face[fe->node[d]] < 0 ? out->inner++ : -1;
  out->n = out->inner + 6 * out->nrigid;
  return HK_OK;
}

int32_t hki_links_terms(const hk_links *l, int32_t d, int32_t at[3], double c[3]) {
  const hk_fe *fe = l->fe;
  const int32_t f = l->face[fe->node[d]], base = l->inner + 6 * f, a = fe->comp[d];
  if (f < 0) {
    at[0] = l->at[d], c[0] = 1.0;
    return 1;
  }
  at[0] = base + a, c[0] = 1.0;
  if (a >= 3) return 1;
  // (theta x r)_a
  const int b = (a + 1) % 3, e = (a + 2) % 3;
  const double *x = fe->x + 3 * (ptrdiff_t)fe->node[d], *p = l->p + 3 * (ptrdiff_t)l->rigid[f];
  at[1] = base + 3 + b, c[1] = x[e] - p[e];
  at[2] = base + 3 + e, c[2] = -(x[b] - p[b]);
  return 3;
}

hk_status hki_links_sym(hk_ctx *ctx, hk_pool *pool, const hk_links *l, const hk_sym *A,
                        hk_sym *out) {
  hk_entries t = {.ctx = ctx};
  for (int32_t j = 0; j < A->n; j++) {
    int32_t aj[3], ai[3];
    double cj[3], ci[3];
    const int32_t nj = hki_links_terms(l, j, aj, cj);
    for (int32_t k = A->start[j]; k < A->start[j + 1]; k++) {
      const int32_t i = A->row[k], ni = hki_links_terms(l, i, ai, ci);
      for (int32_t r = 0; r < ni; r++)
        for (int32_t s = 0; s < nj; s++) {
          const double x = A->val[k] * ci[r] * cj[s];
          /* an entry off the diagonal stands for two; both may fall on one place of the sum */
          if (i == j && ai[r] < aj[s]) continue;
          hki_entries_add(&t, ai[r], aj[s], i != j && ai[r] == aj[s] ? 2.0 * x : x);
        }
    }
  }
  const hk_status st = hki_sym_build(pool, &t, l->n, out);
  hki_entries_free(&t);
  return st;
}

void hki_links_expand(const hk_links *l, const double *y, double *x) {
  for (int32_t d = 0; d < l->fe->ndof; d++) {
    int32_t at[3];
    double c[3];
    const int32_t n = hki_links_terms(l, d, at, c);
    x[d] = 0.0;
    for (int32_t i = 0; i < n; i++) x[d] += c[i] * y[at[i]];
  }
}

void hki_links_fold(const hk_links *l, const double *x, double *y) {
  for (int32_t i = 0; i < l->n; i++) y[i] = 0.0;
  for (int32_t d = 0; d < l->fe->ndof; d++) {
    int32_t at[3];
    double c[3];
    const int32_t n = hki_links_terms(l, d, at, c);
    for (int32_t i = 0; i < n; i++) y[at[i]] += c[i] * x[d];
  }
}
