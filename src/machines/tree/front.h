/* SPDX-License-Identifier: Apache-2.0
 *
 * front.h: solutions with the matrix of a tree that has loops, not formed: the articulated recursion (aba.h) with
 * the rows of the loops in fronts. A row is an unknown of its own,
 *
 *   [ M + E   G'  ] [x]   [b]
 *   [ G     -1/w  ] [y] = [0]          x = (M + E + G' w G)^-1 b,   y = w G x
 *
 * and the matrix of M is never made: what a subtree feels of the rest is the motion a of its parent and the rows
 * that are open, those with coordinates in the subtree and outside it. Elimination goes from the leaves to the root
 * over symmetric matrices of (coordinates of the joint, rows, a), with H the sum of what the children handed on and
 * I of the body on a:
 *
 *   a_b = a + S q                                  q takes S' H_a., S' H_aa S + E, and its entries of G
 *   eliminate q, then the rows that close here     H is what is left for open rows and a
 *
 * A row closes where all its coordinates have been met: at a joint, or where two children of a body join. Fronts are known from
 * the tree and the paths alone. They stay small where loops are local (scissor lifts, ladders), and where loops are long
 * but few (tracks): time and memory are then in proportion to the bodies. Every pivot of a coordinate is an inertia, every pivot
 * of a closure negative (the matrix is quasi-definite), in any order: no pivoting. Inertia that is all but missing
 * is for the matrix, where penalties hold what has none.
 *
 * Forces across several joints with tangents B' k B are rows too, in the form
 *
 *   G = k B,   -k in the place of -1/w             nothing is divided by k, which may be zero or singular
 *
 * A caller that has no forces may give rows of its own in their place (the start of a run: values that are named).
 *
 * Sources: Featherstone 1987 (articulated inertias); Duff and Reid 1983 (fronts); Vanderbei 1995 (quasi-definite matrices).
 */
#ifndef HK_MACHINES_TREE_FRONT_H
#define HK_MACHINES_TREE_FRONT_H

#include "machines/tree/aba.h"

/* an entry of G in a front: place in its matrix, place of the value in gz (>= 0) or ~place in B, row */
typedef struct hk_front_entry {
  int32_t at, from, row;
} hk_front_entry;

/* diagonal block of the rows of a force: the force, its first row, that row's place in the front, their number */
typedef struct hk_front_block {
  int32_t force, row, at, rows;
} hk_front_block;

/* One elimination. Unknowns in this order: joint coordinates, rows that close here, open rows, a. */
typedef struct hk_front_node {
  int32_t body;   /* HK_NONE: two children of `parent` join */
  int32_t parent; /* body above, HK_GROUND: a is not handed on */
  int32_t v0, nv, ne,
      n; /* coordinates, from v0 on; with the rows that close here; with the open ones, without a */
  int32_t ld;       /* distance of columns */
  int32_t row0;     /* its n - nv rows in f->row */
  int32_t child[2]; /* nodes whose matrices it takes up, -1: none */
  int32_t map0[2];  /* places of their open rows, in f->map */
  int32_t up, low;  /* what it hands on: place in f->stack; its factor: place in f->L */
  int32_t entry0, block0;
} hk_front_node;

/* rows of the caller; on, weight and their entries of gz behind those of the closures are his */
typedef struct hk_front_more {
  int32_t n;
  const hk_path *path; /* n */
} hk_front_more;

struct hk_front_passes;

typedef struct hk_front {
  const hk_model *m;
  const struct hk_front_passes *passes; /* for this processor (front_impl.h) */
  int32_t na, component[3];             /* components of a; 3: which they are, in a plane */
  int32_t nodes, nrow, width, nmap, nentry, nblock,
      nB;          /* nrow: rows of closures, then of forces; width: largest matrix */
  int32_t nplace;  /* entries of f->row */
  int32_t nweight; /* rows of closures and of the caller, which come first */
  double nL, nstack;
  double work;         /* multiplications of a factorisation */
  hk_front_node *node; /* nodes + 1 */
  int32_t *row, *map;
  hk_front_entry *entry;
  hk_front_block *block;
  int32_t *force0; /* nf: first entry in B of a force with rows, -1: none */
  unsigned char *lists;
  /* numbers */
  double *L, *inv, *stack,
      *W;                /* factor; 1 / pivots by unknowns, coordinates and then rows; scratch */
  double *S;             /* 6 nv: motions of the joints where the factor was made */
  double *weight;        /* nweight: 1/w */
  double *on, *least;    /* nrow: 1, 0 for rows that are off; pivots that are none */
  double *B, *k;         /* rows k B of forces, and 36 of k for each force with rows */
  double *z, *p, *a, *v; /* nrow, nb x na, nb x na, width: scratch */
  double none[6];        /* 0 */
  int32_t soft;          /* a coordinate without inertia in the last factorisation, -1: none */
} hk_front;

/* has some body none, or next to none, of the inertias that it could have? */
bool hki_front_light(const hk_model *m);
/* Fronts of a model, counted alone (f->node NULL afterwards) or with their lists; given up where the work passes `most`:
 * *found false. */
hk_status hki_front_count(hk_ctx *ctx, const hk_model *m, double most, hk_front *f, bool *found);
/* the same with rows of the caller and without those of forces; more NULL: as above */
hk_status hki_front_count_more(hk_ctx *ctx, const hk_model *m, double most,
                               const hk_front_more *more, hk_front *f, bool *found);
/* lists; gz0: first entries of closures in gz. hki_front_free frees them. */
hk_status hki_front_create(hk_ctx *ctx, const hk_model *m, const int32_t *gz0,
                           const hk_front_more *more, hk_front *f);
void hki_front_free(hk_ctx *ctx, hk_front *f);
/* memory of the numbers: measure (base NULL), assign */
void hki_front_layout(hk_front *f, hk_arena *a);
double hki_front_bytes(const hk_front *f);
/* k and k B of all forces with rows at the present state, cC cs + cK ks; off: none of them counts */
void hki_front_forces(hk_front *f, const hk_tree *s, double cC, double cK);
void hki_front_forces_off(hk_front *f);
/* y += B' k B x of these */
void hki_front_add_forces(const hk_front *f, const hk_tree *s, const double *x, double *y);
/* y += its diagonal */
void hki_front_add_diagonal(const hk_front *f, const hk_tree *s, double *y);
/* factors at the present positions, with rows gz of closures, E of the joints (as of aba.h, NULL: none), f->weight and the forces.
 * HK_E_SINGULAR: a motion without inertia. */
hk_status hki_front_factor(hk_front *f, const hk_tree *s, const hk_aba *aba, const double *gz,
                           const double *E);
/* x = T^-1 x, with T as factorised, wherever the bodies are by now */
void hki_front_solve(hk_front *f, double *x);

#endif
