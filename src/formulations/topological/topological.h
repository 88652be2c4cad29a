/* SPDX-License-Identifier: Apache-2.0
 *
 * topological.h: inside of the topological formulation: groups of closures that share coordinates, the
 * choice of independent coordinates in each, and the reduced matrix.
 *
 *   Phi_z v + Phi_t = 0,  v = (v_d, v_i)   ->   v_d = R2 v_i + b
 *   R2 = -Phi_d^-1 Phi_i,   b = -Phi_d^-1 Phi_t
 *
 * Closures couple only some coordinates: the four suspensions of a car have nothing to do with one
 * another. So the choice, the factorisation of Phi_d and R2 are made group by group, and the
 * reduced matrix R2' T R2 is assembled by blocks into a sparse matrix of the full size, in which
 * dependent coordinates have a one on the diagonal and nothing else.
 *
 * Everything is made free of dimension: columns by hk_tree's scale (1 for rotations, the model's
 * length for translations), rows by their largest entry at the first choice.
 */
#ifndef HK_FORMULATIONS_TOPOLOGICAL_TOPOLOGICAL_H
#define HK_FORMULATIONS_TOPOLOGICAL_TOPOLOGICAL_H

#include "formulations/formulation.h"
#include "machines/tree/tree.h"
#include "linalg/dense.h"

/* what a group remembers between steps, as doubles: these, then columns, rows, row scales, Phi_d */
enum { HK_TOPOLOGICAL_SMALL = 8 }; /* Phi_d up to this size is inverted outright */

enum {
  HK_TOPOLOGICAL_RANK,
  HK_TOPOLOGICAL_RATIO,
  HK_TOPOLOGICAL_BEST,
  HK_TOPOLOGICAL_SPEED,
  HK_TOPOLOGICAL_HEAD
};

typedef struct hk_topological_group {
  int32_t m, n;            /* rows and columns (coordinates) */
  int32_t nclo;            /* closures */
  int32_t nrotation;       /* rotations by quaternion */
  const int32_t *row;      /* m: rows of the model */
  const int32_t *col;      /* n: coordinates, ascending */
  const int32_t *clo;      /* nclo */
  const int32_t *place;    /* column of each path entry, closure after closure */
  const int32_t *rotation; /* nrotation: first column of each */
  /* the choice: columns and rows in order, the first `rank` of each are the pivots */
  int32_t rank;
  int32_t *cols, *rows; /* n, m */
  int32_t *dof;         /* n: coordinates of cols */
  int32_t *used;        /* m: rows of the model of rows */
  double *persist;      /* in the persistent block */
  /* numbers at the present state */
  double *P;       /* m x n, row-major, free of dimension */
  double *A, *inv; /* Phi_d factorised; its inverse, row-major, when it is small */
  int32_t ld, *pivot;
  double *R;           /* n x (n - rank), row-major: all velocities by the independent ones */
  double ratio, speed; /* smallest over largest pivot; largest entry of R2, free of dimension */
} hk_topological_group;

/* blocks of the reduced matrix that take a product: two groups, or a group and all the single
 * coordinates it couples with */
typedef struct hk_topological_pair {
  int32_t a, b; /* groups; b = -1: single coordinates */
  int32_t nb;   /* columns */
  int32_t at;   /* first entry in slot_full and slot_reduced: n_a x nb */
} hk_topological_pair;

typedef struct hk_topological_par {
  double limit; /* speed ratio that asks for another choice */
} hk_topological_par;

typedef struct hk_topological {
  hk_formulation base;
  hk_ctx *ctx;
  hk_topological_par par;
  hk_tree *s;
  hk_stage st;
  int32_t ngroup;
  hk_topological_group *group;
  int32_t *group_of; /* nv: group of a coordinate, -1 when no closure touches it */
  /* reduced matrix */
  hk_ldl *reduced;
  hk_ldl_num num;
  int32_t npair, ncopy;
  hk_topological_pair *pair;
  int32_t *slot_full, *slot_reduced; /* of the pairs */
  int32_t *copy_full, *copy_reduced; /* of entries between single coordinates */
  int32_t *diag;                     /* nv: slots of the diagonal */
  /* persistent: [0] = a choice is there, [1] = how often it was changed, then the groups */
  double *persist;
  int32_t nkeep;
  /* scratch */
  double *D, *w, *wd, *z; /* nv */
  double *b;              /* nrows */
  double *B, *Y;          /* largest group by the widest block */
  double *y, *work;       /* for LU of the largest group */
  double *unscale;        /* nv: 1 / scale */
  int32_t widest;         /* columns of the widest pair with single coordinates */
  bool signals_move;      /* some live signal reads channels */
  bool clean;             /* num.val is zero wherever the present choice writes nothing */
  char words[640];
  hk_pool *pool;
  unsigned char *block;
} hk_topological;

/* create.c */
hk_status hki_topological_create(hk_ctx *ctx, const hk_model *m, const void *par,
                                 hk_topological **out);
void hki_topological_destroy(hk_topological *t);

/* group.c: the choice and what follows from it */
/* take the choice from the persistent block */
void hki_topological_sync(hk_topological *t);
/* Phi_z of all groups at the present closures, factorised, and R2; D: increments of a chart stage,
 * or NULL. HK_RETRY when a pivot vanishes */
hk_status hki_topological_factor(hk_topological *t, const double *D);
/* the first choice at the present closures, everything forgotten */
hk_status hki_topological_choose_all(hk_topological *t);
/* x_d from x_i so that Phi_z x + b = 0 in the pivot rows; b by rows of the model */
void hki_topological_complete(hk_topological *t, const double *b, double *x);
/* r_i += R2' r_d, r_d = 0 */
void hki_topological_reduce(const hk_topological *t, double *r);
/* largest |Phi_d^-1 phi|, free of dimension; x (nv) = the correction of the dependents */
double hki_topological_open(hk_topological *t, double *x);
/* at an accepted position: did the step jump over a singular position, is the choice still good */
hk_status hki_topological_review(hk_topological *t);

/* reduce.c: num = R2' T R2 from the values of T in s->num.val, factorised */
hk_status hki_topological_matrix(hk_topological *t);

#endif
