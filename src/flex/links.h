/* SPDX-License-Identifier: Apache-2.0
 *
 * links.h: interfaces of a finite-element model as rigid pieces: the unknowns of their nodes follow from six of the
 * interface, three displacements and three small rotations, which come behind the inner unknowns.
 */
#ifndef HK_FLEX_LINKS_H
#define HK_FLEX_LINKS_H

#include "flex/reduce.h"

typedef struct hk_links {
  const hk_fe *fe;
  int32_t inner, n; /* inner unknowns; all: inner + 6 nrigid */
  int32_t nrigid;
  int32_t *rigid; /* rigid interfaces among all */
  int32_t *face;  /* nnode: which of them a node belongs to, -1: none */
  int32_t *at;    /* ndof: inner unknown; of nodes of interfaces -1 */
  double *p;      /* nface x 3: places of all interfaces */
} hk_links;

hk_status hki_links_make(hk_ctx *ctx, hk_loc loc, hk_pool *pool, const hk_fe *fe,
                         const hk_reduce_plan *opt, hk_links *out);
/* unknown d of the finite-element model as a sum of at most three: returns their number */
int32_t hki_links_terms(const hk_links *l, int32_t d, int32_t at[3], double c[3]);
/* T'AT */
hk_status hki_links_sym(hk_ctx *ctx, hk_pool *pool, const hk_links *l, const hk_sym *A,
                        hk_sym *out);
/* the unknowns of the finite-element model, x (ndof), from y (n) */
void hki_links_expand(const hk_links *l, const double *y, double *x);
/* forces of the interfaces and the inside, y (n), from those of the unknowns, x (ndof): T'x */
void hki_links_fold(const hk_links *l, const double *x, double *y);

/* the six mean motions of a set at p as weights of all unknowns, 6 x ndof (average.c) */
hk_status hki_average(hk_ctx *ctx, const hk_fe *fe, const hk_fe_set *set, const double *p,
                      double *W);
/* a body whose shapes are given (given.c) */
hk_status hki_reduce_given(hk_ctx *ctx, hk_loc loc, hk_pool *pool, const hk_fe *fe,
                           const hk_reduce_plan *opt, hk_flex *out);

#endif
