/* SPDX-License-Identifier: Apache-2.0
 *
 * topological.h: inside of the topological formulation: groups of closures that share coordinates,
 * the choice of independent coordinates in each, and the reduced matrix.
 *
 *   Phi_z v + Phi_t = 0,   v = (v_i, v_d)           i independent, d dependent
 *   v  = R2 v_i + b
 *   R2 = [1; -Phi_d^-1 Phi_i]
 *   b  = [0; -Phi_d^-1 Phi_t]
 *
 * Closures couple only some coordinates: the four suspensions of a car do not share any. Choice,
 * factorisation of Phi_d and R2 are therefore made group by group. The reduced matrix R2' T R2 is
 * assembled by blocks into a sparse matrix of the full size, in which dependent coordinates have a
 * one on the diagonal and nothing else.
 *
 * Rows that bind velocities alone, B v + b = 0, stand below those of Phi_z, and R2 is that of both:
 * fewer velocities than positions are independent. The positions that Phi = 0 leaves open follow
 * from their rates,
 *
 *   C (D_d - (v_d - vh_d)/cv) = 0                   C: B_d at the last accepted position
 *
 * in a stage with v = vh + cv D: C q_d, with C the same throughout a step, is integrated by the
 * method, with the velocities that satisfy all rows.
 *
 * Phi_z is scaled: columns by hk_tree's scale (1 for rotations, the model's length for
 * translations), rows by 1 / largest entry at the first choice.
 */
#ifndef HK_FORMULATIONS_TOPOLOGICAL_TOPOLOGICAL_H
#define HK_FORMULATIONS_TOPOLOGICAL_TOPOLOGICAL_H

#include "formulations/formulation.h"
#include "machines/tree/tree.h"
#include "linalg/dense.h"

enum { HK_TOPOLOGICAL_SMALL = 8 }; /* Phi_d up to this size is inverted, above it is factorised */

/* persistent numbers of a group: rank; pivot ratio of the choice and the best one so far; speed of
 * the choice; then cols (n), rows (m), row scales (m), scaled entries of Phi_z at the last accepted position (G) */
enum {
  HK_TOPOLOGICAL_RANK,
  HK_TOPOLOGICAL_RATIO,
  HK_TOPOLOGICAL_BEST,
  HK_TOPOLOGICAL_SPEED,
  HK_TOPOLOGICAL_HEAD
};

typedef struct hk_topological_group {
  int32_t m, n;            /* rows, columns (coordinates) */
  int32_t nclo;            /* closures */
  int32_t nrotation;       /* quaternions */
  const int32_t *row;      /* m: row of the model */
  const int32_t *col;      /* n: coordinate of the model, ascending */
  const int32_t *clo;      /* nclo: closure of the model */
  const int32_t *place;    /* column of each path entry, closure after closure */
  const int32_t *rotation; /* nrotation: first of its three columns */
  int32_t nrate;           /* rows that bind velocities alone */
  const uint8_t *late;     /* m, 1: such a row; it is pivoted after the others */
  /* the choice */
  int32_t rank;
  int32_t *cols, *rows; /* n, m: order of columns and rows; the first `rank` are the pivots */
  int32_t *dof;         /* n: col[cols[i]] */
  int32_t *used;        /* m: row[rows[i]] */
  double *persist;      /* its part of the persistent block */
  /* numbers at the present state */
  int32_t at,
      nnz; /* first entry and number of entries of its rows: closure after closure, rows over paths */
  double *G;           /* nnz: scaled entries of Phi_z (sparse.c) */
  const int32_t *turn; /* m: its rows in the order in which sparse.c eliminates them */
  /* full matrices, where these are used (not t->sparse) */
  double *P;           /* m x n, row-major: scaled Phi_z */
  double *A, *inv;     /* rank <= SMALL: inverse of Phi_d, row-major; else its LU. 1 / pivots */
  int32_t ld, *pivot;  /* of the LU: leading dimension, row exchanges */
  double *R;           /* n x (n - rank), row-major: R2 of the group, rows in the order of col */
  double ratio, speed; /* smallest over largest pivot; largest scaled entry of Phi_d^-1 Phi_i */
} hk_topological_group;

/* a block of the reduced matrix between two groups, or between a group and all the single
 * coordinates (in no group) that it couples with */
typedef struct hk_topological_pair {
  int32_t a, b; /* groups; b = -1: single coordinates */
  int32_t nb;   /* columns of the block */
  int32_t at;   /* first of its n_a x nb entries in slot_full and slot_reduced */
} hk_topological_pair;

/* rows of two closures that share a coordinate: a block na x nb of Phi_d Phi_d'; a, b: first entries
 * in G, strides from row to row */
typedef struct hk_topological_share {
  int32_t dof, a, stride_a, b, stride_b;
  int32_t row_a, na, row_b, nb;
} hk_topological_share;

/* Rows that are eliminated one after the other, to choose coordinates (choose.c) */
typedef struct hk_topological_fill {
  int32_t cap, n; /* entries that there is room for, that there are */
  double *value;  /* cap: eliminated rows over their pivots, without these */
  int32_t *dof;   /* cap */
  int32_t *first; /* nrows + 1: first entry of an eliminated row */
  int32_t *pivot; /* nrows: its coordinate */
  int32_t *of;    /* nv: the eliminated row whose pivot a coordinate is, HK_NONE */
  double *x;      /* nv: the present row, zero between two */
  int32_t *list;  /* nv: coordinates of its entries */
  uint8_t *on;    /* nv: a coordinate is in the list */
  int32_t *wait;  /* nrows: eliminated rows to be subtracted from it, the first one last */
} hk_topological_fill;

typedef struct hk_topological_par {
  double limit;    /* choice_limit: speed above which the choice is made anew */
  int32_t choice;  /* HK_CHOICE_... */
  int32_t tangent; /* HK_TANGENT_... */
} hk_topological_par;

/* see hk_formulation_entry */
hk_status hki_topological_cost(hk_ctx *ctx, const hk_model *m, const void *par, double most,
                               hk_cost *out);

typedef struct hk_topological {
  hk_formulation base;
  hk_ctx *ctx;
  hk_topological_par par;
  hk_tree *s;
  hk_stage st;
  bool exact; /* the tangent has geometric and inertial terms */
  int32_t ngroup;
  hk_topological_group *group;
  int32_t *group_of; /* nv: group of a coordinate, -1 when no closure depends on it */
  int32_t *row_clo;  /* nrows: closure of a row */
  /* reduced matrix R2' T R2 */
  hk_ldl *reduced;
  hk_ldl_num num;
  int32_t npair, ncopy;
  hk_topological_pair *pair;
  int32_t *slot_full, *slot_reduced; /* pairs: places in T (-1: structural zero), in R2' T R2 */
  int32_t *copy_full, *copy_reduced; /* ncopy: the same between single coordinates */
  int32_t *diag;                     /* nv: places of the diagonal in R2' T R2 */
  /* persistent, nkeep: [0] 1 = a choice is made, [1] number of changes, then the groups */
  double *persist;
  int32_t nkeep;
  /* scratch */
  double *D, *w, *wd, *z; /* nv: increment, its rates, (dJ/dt) w */
  double *b;              /* nrows */
  double *B, *Y;          /* size of the largest group times the widest block */
  double *y, *work;       /* for the LU of the largest group */
  double *unscale;        /* nv: 1 / scale */
  int32_t widest;         /* columns of the widest pair with single coordinates */
  bool signals_move;      /* some signal that forces or closures use reads channels, or some row is
                             not linear in velocities */
  bool clean;             /* num.val is zero wherever the present choice writes nothing */
  /* large groups without full matrices (sparse.c, choose.c); the tree's may be fronts, or its matrix */
  bool sparse, deep;
  double full;                 /* multiplications with full matrices of the groups */
  int32_t most;                /* rows of the largest group */
  hk_ldl *normal;              /* pattern of Phi_d Phi_d' */
  hk_ldl_num nnum, between;    /* at present; with the last accepted position */
  int32_t nshare, *share_slot; /* na x nb places for each share */
  hk_topological_share *share;
  int32_t *row_diag;         /* nrows */
  uint8_t *dep, *use;        /* nv: dependent; nrows: has a pivot */
  double *rs, *z1, *z2, *xs; /* nrows: scales, scratch; nv: scratch */
  int32_t *row_at;           /* nrows: first entry of a row in G */
  hk_topological_fill fill;
  double *last;     /* entries of all groups at the last accepted position, one after the other */
  hk_pencil pencil; /* matrices for several stages at once; empty unless asked for */
  char words[640];  /* why the last step failed */
  hk_pool *pool;
  unsigned char *block;
} hk_topological;

/* create.c */
hk_status hki_topological_create(hk_ctx *ctx, const hk_model *m, const void *par,
                                 hk_topological **out);
/* full matrices from now on, and their memory; the choice stays */
hk_status hki_topological_fill_matrices(hk_topological *t);
void hki_topological_destroy(hk_topological *t);

/* group.c: the choice and what follows from it */
/* takes the choice from the persistent block */
void hki_topological_sync(hk_topological *t);
/* P, factors of Phi_d and R of all groups at the present closures; D: increments of a chart stage,
 * or NULL. HK_RETRY when a pivot vanishes */
hk_status hki_topological_factor(hk_topological *t, const double *D);
/* first choice at the present closures; forgets all earlier ones */
hk_status hki_topological_choose_all(hk_topological *t);
/* x_d from x_i so that Phi_z x + b = 0 in the pivot rows; b: nrows, x: nv */
void hki_topological_complete(hk_topological *t, const double *b, double *x);
/* r_i = (R2' r)_i, r_d = 0 */
void hki_topological_reduce(hk_topological *t, double *r);
/* lam: constraint forces that balance the residual r in the dependents, Phi_d' lam = -r_d; 0 in groups
 * with more dependents than HK_TOPOLOGICAL_SMALL, whose share of the exact tangent is left out */
void hki_topological_multipliers(const hk_topological *t, const double *r, double *lam);
/* the same in those groups alone, after it */
void hki_topological_large(hk_topological *t, const double *r, double *lam);
/* phi of the rows that bind velocities alone, at the increment D of a stage and its rates w:
 * C (D_d - (w_d - vh_d)/cv), with C of the last accepted position */
void hki_topological_follow(hk_topological *t, const double *vh, double cv, const double *D,
                            const double *w);
/* x (nv) = -Phi_d^-1 phi in the dependents, 0 elsewhere; returns its largest scaled entry */
double hki_topological_open(hk_topological *t, double *x);
/* At an accepted position: HK_RETRY when the step may have jumped over a singular position,
 * HK_E_SINGULAR when rank is lost. Makes the choice anew where it has become bad. */
hk_status hki_topological_review(hk_topological *t);

/* row scales of a group; P: its scaled entries of Phi_z, laid out as G; D: of a chart stage, or NULL */
double *hki_topological_scales(const hk_topological_group *g);
void hki_topological_rows(hk_topological *t, const hk_topological_group *g, const double *D,
                          double *P);

/* sparse.c: the same for all groups at once, without full matrices; t->sparse says whether it is used.
 * analyse_rows when the groups are known, finds t->deep; prefer_rows where it is not, after the matrix of the tree;
 * list_rows when t->sparse is known; mark_rows after each change of the choice */
hk_status hki_topological_analyse_rows(hk_topological *t);
void hki_topological_prefer_rows(hk_topological *t);
hk_status hki_topological_list_rows(hk_topological *t);
void hki_topological_layout_rows(hk_topological *t, hk_arena *a);
void hki_topological_mark_rows(hk_topological *t);
hk_status hki_topological_factor_rows(hk_topological *t, const double *D);
void hki_topological_complete_rows(hk_topological *t, const double *b, double *x);
double hki_topological_open_rows(hk_topological *t, double *x);
void hki_topological_forces_rows(hk_topological *t, const double *r, double *lam);
void hki_topological_reduce_rows(hk_topological *t, double *r);
void hki_topological_speeds(hk_topological *t);
/* is Phi_d regular all the way from the position where the entries were `before`? */
bool hki_topological_regular(hk_topological *t, const double *before);
/* T with the penalties of the rows, factorised; x = R2 (R2' T R2)^-1 R2' x with R2 as of that position, scaled rows up to
 * `least` left open */
hk_status hki_topological_factor_tree(hk_topological *t);
void hki_topological_solve_tree(hk_topological *t, double least, double *x);

/* choose.c: rank, cols and rows of a group at its entries G, largest entries first row by row; false: more of them than
 * there is room for */
void hki_topological_layout_fill(hk_topological *t, hk_arena *a);
bool hki_topological_choose_rows(hk_topological *t, hk_topological_group *g, double tolerance);

/* reduce.c: num = R2' T R2 from the values of T in s->num.val, and factorised */
void hki_topological_assemble(hk_topological *t);
hk_status hki_topological_matrix(hk_topological *t);

#endif
