/* SPDX-License-Identifier: Apache-2.0
 *
 * rank.h: which closure rows depend on others, at one state. Internal to the room.
 */
#ifndef HK_ANALYSES_RANK_H
#define HK_ANALYSES_RANK_H

#include "machines/tree/tree.h"

enum {
  HK_RANK_WITH = 6, /* closures named with a dependent row */
  HK_RANK_LEFT = 3  /* position, rate, acceleration */
};

/* a row that is a linear combination of earlier rows */
typedef struct hk_rank_row {
  int32_t row, closure, group;
  int32_t nwith;              /* at most HK_RANK_WITH; 0 in groups solved by the sparse method */
  int32_t with[HK_RANK_WITH]; /* other closures with rows in the combination */
  bool motion;                /* a prescribed motion takes part in the combination */
  /* phi, phit, gamma of the row minus those of the combination: zero when the rows agree */
  double left[HK_RANK_LEFT];
  double size[HK_RANK_LEFT]; /* largest phi, phit, gamma of the group, in the same scaling */
} hk_rank_row;

/* rows of cut joints and couplings, at rest by themselves, that hold coordinates still together */
typedef struct hk_rank_lock {
  int32_t n;
  const int32_t *closure; /* n: theirs, each once, ascending */
  int32_t last;           /* the last coupling among them */
  const double *v; /* nv: the motion that the others allow and the last forbids; NULL: not unique */
} hk_rank_lock;

typedef struct hk_rank {
  int32_t rows, rank, ngroups; /* summed over the groups */
  int32_t ndependent, nlocks;
  hk_rank_row *dependent; /* in the order of the rows; in the pool */
  hk_rank_lock *locks;    /* with HK_RANK_LOCKS; in the pool */
} hk_rank;

enum {
  HK_RANK_RATES = 1u, /* with the rows that bind velocities only */
  HK_RANK_LOCKS = 2u  /* only cut joints and couplings that no signal of time moves; with `locks` */
};

/* Rank of the active closures at the state last evaluated in s->kin; what: HK_RANK_ bits. Coordinates
 * are scaled by s->scale, rows by the size of their gradient at the markers. */
hk_status hki_rank(hk_tree *s, hk_pool *pool, uint32_t what, hk_rank *out);

/* one group of dimensionless rows: input and output of the two methods */
typedef struct hk_rank_work {
  int32_t m, n;   /* rows, columns of this group */
  int32_t *row;   /* m: rows of the model */
  int32_t *clo;   /* m: their closures */
  int32_t *first; /* m + 1: first entry of each row */
  int32_t *col;   /* columns of the entries, from 0 in this group, in elimination order */
  double *val;    /* values of the entries */
  double *rhs;    /* m x HK_RANK_LEFT: phi, phit, gamma of each row */
  uint8_t *dep;   /* m, out: 1 where the row depends on others */
  double *left;   /* m x HK_RANK_LEFT, out: see hk_rank_row */
  int32_t *with;  /* m x (1 + HK_RANK_WITH), out: count, then closures */
  int32_t rank;   /* out */
  double
      least; /* out, of the sparse method: smallest remainder of a row that does not depend on others, by its largest entry */
} hk_rank_work;

/* Gram-Schmidt: with pivoting for the rank, in the order of the rows to find the dependent ones */
hk_status hki_rank_dense(hk_ctx *ctx, hk_rank_work *w);
/* sparse Givens rotations, row by row; does not fill `with` */
hk_status hki_rank_sparse(hk_ctx *ctx, hk_rank_work *w);

/* sets of closures of one solved group that hold coordinates still, added to out; local: the column
 * of each coordinate of the model in this group */
hk_status hki_rank_locks(hk_tree *s, hk_pool *pool, const hk_rank_work *w, const int32_t *local,
                         hk_rank *out);

#endif
