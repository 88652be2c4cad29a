/* SPDX-License-Identifier: Apache-2.0
 *
 * mls.h: a sparse matrix H that carries a field from some points to others by moving least squares:
 * u(x_p) = sum_i H_pi u(x_i). Forces go back by its transpose, f_i = sum_p H_pi f_p, so that their
 * virtual work is the same on both sides.
 */
#ifndef HK_MAPPING_MLS_H
#define HK_MAPPING_MLS_H

#include "base/base.h"

enum { HK_MLS_ORDER_MOST = 3, HK_MLS_NEIGHBOURS_MOST = 40, HK_MLS_GROUP_MOST = 7 };

typedef struct hk_mls_options {
  int32_t order;      /* of the polynomials, 1 to 3 */
  int32_t neighbours; /* groups of sources of each row, at most HK_MLS_NEIGHBOURS_MOST */
  int32_t weight;     /* 0, 2, 4: continuity of Wendland's function */
  double threshold;   /* of P'WP: a polynomial with a smaller share of its own is left out */
} hk_mls_options;

/* H by rows */
typedef struct hk_mls {
  int32_t rows;
  int32_t *start;  /* rows + 1 */
  int32_t *source; /* start[rows] */
  double *value;   /* start[rows] */
  int32_t lowered; /* rows in which polynomials of second or third order were left out */
  int32_t lost;    /* the row that even the polynomials of first order do not determine, -1: none */
  double miss;     /* of that row: how far it misses its own place, m */
} hk_mls;

/* source points in groups, which a row takes as a whole: all points of a body */
typedef struct hk_mls_sources {
  int32_t groups;
  const double *centre; /* groups x 3: distances are counted from there */
  const int32_t *first; /* groups + 1: the points of group g are first[g] .. first[g + 1] - 1 */
  const double *x;      /* first[groups] x 3; groups of at most HK_MLS_GROUP_MOST */
} hk_mls_sources;

/* H from source points to np points. HK_E_MODEL: a row is lost, see there. hki_mls_free in either case. */
hk_status hki_mls(hk_mls *H, hk_ctx *ctx, const hk_mls_options *opt, const hk_mls_sources *from,
                  int32_t np, const double *xp);
void hki_mls_free(hk_mls *H, hk_ctx *ctx);

#endif
