/* SPDX-License-Identifier: Apache-2.0
 *
 * rank.h: which rows of the closures follow from others, at one state. Internal to the room.
 */
#ifndef HK_ANALYSES_RANK_H
#define HK_ANALYSES_RANK_H

#include "machines/tree/tree.h"

enum {
  HK_RANK_WITH = 6, /* closures named with a dependent row */
  HK_RANK_LEFT = 3  /* position, rate, acceleration */
};

/* a row that follows from earlier ones */
typedef struct hk_rank_row {
  int32_t row, closure, group;
  int32_t nwith; /* other closures its combination takes rows from (not known in large groups) */
  int32_t with[HK_RANK_WITH];
  bool motion; /* a prescribed motion takes part in the combination */
  /* what the combination leaves of phi, phit, gamma: zero when the rows agree */
  double left[HK_RANK_LEFT];
  double size[HK_RANK_LEFT]; /* largest of each in the group, scaled alike */
} hk_rank_row;

typedef struct hk_rank {
  int32_t rows, rank, ngroups;
  int32_t ndependent;
  hk_rank_row *dependent; /* in the order of the rows; in the pool */
} hk_rank;

/* Rank of the active closures at the state last evaluated in s->kin, with or without the rows that
 * bind velocities alone. Rows and columns are made
 * free of dimension: coordinates by s->scale, rows by the size of their gradient at the markers. */
hk_status hki_rank(hk_tree *s, hk_pool *pool, bool rates, hk_rank *out);

/* one group of rows, made free of dimension, for the two methods: */
typedef struct hk_rank_work {
  int32_t m, n;   /* rows, columns of this group */
  int32_t *row;   /* m: rows of the model */
  int32_t *clo;   /* m: their closures */
  int32_t *first; /* m + 1: entries of each row */
  int32_t *col;   /* columns of the entries, from 0 in this group, in elimination order */
  double *val;
  double *rhs;   /* m x HK_RANK_LEFT */
  uint8_t *dep;  /* m: out: follows from the others */
  double *left;  /* m x HK_RANK_LEFT, out */
  int32_t *with; /* m x (1 + HK_RANK_WITH), out: count, then rows of the group */
  int32_t rank;  /* out */
} hk_rank_work;

/* dense: Gram-Schmidt with pivoting for the rank, in the order of the rows for the names */
hk_status hki_rank_dense(hk_ctx *ctx, hk_rank_work *w);
/* sparse: Givens rotations row by row */
hk_status hki_rank_sparse(hk_ctx *ctx, hk_rank_work *w);

#endif
