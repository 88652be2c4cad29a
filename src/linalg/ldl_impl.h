/* SPDX-License-Identifier: Apache-2.0
 *
 * ldl_impl.h: shared by the files of the sparse LDL factorisation.
 *
 * Storage. Columns are numbered in elimination order and grouped into supernodes. A supernode of w
 * columns with b rows below them is a column-major panel of r = w + b rows and w columns with
 * leading dimension ld, a multiple of 4; rows r..ld-1 are zero. The upper triangle of the square
 * part is zero in the values and meaningless in the factor. The factor stores U = L D (unscaled
 * columns, the pivot on the diagonal) and inv = 1/D, so that nothing is ever rescaled:
 *
 *   A_ij = sum_k U_ik inv_k U_jk
 */
#ifndef HK_LINALG_LDL_IMPL_H
#define HK_LINALG_LDL_IMPL_H

#include "linalg/kernels.h"
#include "linalg/sparse_ldl.h"

typedef struct hki_snode {
  int32_t col, w;    /* first column, number of columns */
  int32_t r, ld;     /* rows and leading dimension of the panel */
  int32_t off;       /* start of the panel in the value array */
  int32_t rows;      /* start of the b = r - w rows below in hk_ldl.rows */
  int32_t seg, nseg; /* its updates of ancestors: hk_ldl.segment[seg .. seg + nseg - 1] */
  bool in_place;     /* the rows below follow the columns, or there are none */
  int32_t quad;      /* the four that it belongs to, -1: it goes alone */
} hki_snode;

/* Four supernodes of one shape with the same rows below, which are factored and solved side by side (ldl_quad.h) in the turn
 * of the last one. Their factors are in hk_ldl_num.fac from `off` on, number (i, k) of the four at off + 4 (k ld + i):
 * L below the diagonal; then 1 / pivot, and what the forward substitution leaves, 4 w numbers each. */
typedef struct hki_quad {
  int32_t n, sn[4]; /* number of members, 4; ascending */
  int32_t w, r, ld; /* of each */
  int32_t off;
} hki_quad;

/* rows of supernodes that go four at a time; larger panels fill vectors by themselves */
enum { HKI_QUAD_ROWS = 24 };

/* The update of one ancestor by a supernode. Rows p .. p+np-1 below the supernode are columns of
 * the ancestor, rows p .. b-1 are rows of it. */
typedef struct hki_segment {
  int32_t p, np;
  int32_t off, ld; /* panel of the ancestor */
  int32_t first;   /* row p of the supernode as a row of the ancestor's panel */
  int32_t rel;     /* rows p .. b-1 as rows of the ancestor's panel: start of their list in
                    * hk_ldl.rel, -1 = contiguous from `first` */
} hki_segment;

struct hk_ldl {
  hk_ctx *ctx;
  hk_pool *pool; /* everything below lives here */
  const hki_kernels *kernels;
  int32_t n, nval, nsnode, nseg, nrel, nquad;
  int32_t nfac; /* numbers of a factor: nval, then those of the quads */
  int32_t max_r, max_w;
  double tol;     /* a pivot below tol * |diagonal entry| is round-off */
  int32_t *perm;  /* perm[k] = index eliminated k-th */
  int32_t *iperm; /* its inverse */
  int32_t *of;    /* supernode of each column */
  int32_t *rows;  /* rows below each supernode, ascending, in elimination numbering */
  int32_t *rel;   /* nrel: lists of the segments */
  hki_snode *snode;
  hki_segment *segment;
  hki_quad *quad;
  int32_t *turn, nturn; /* what is factored one after the other: supernode i, or ~i: quad i */
  hk_ldl_stats stats;
};

/* scratch inside hk_ldl_num.work; every part has 8 doubles to spare */
typedef struct hki_ldl_work {
  double *x, *y; /* n each, elimination numbering */
  double *t, *u; /* max_r each */
  double *wk;    /* 4 max_w: multipliers of four columns */
  double *d;     /* 4 max_r: an update before it is scattered */
} hki_ldl_work;

static inline int32_t hki_round4(int32_t n) { return (n + 3) & ~3; }

static inline hki_ldl_work hki_ldl_split_work(const hk_ldl *s, double *work) {
  size_t n = (size_t)hki_round4(s->n) + 8, r = (size_t)hki_round4(s->max_r) + 8;
  hki_ldl_work p;
  p.x = work, p.y = p.x + n, p.t = p.y + n, p.u = p.t + r, p.wk = p.u + r;
  p.d = p.wk + 4 * (size_t)s->max_w + 8;
  return p;
}

static inline size_t hki_ldl_work_size(const hk_ldl *s) {
  size_t n = (size_t)hki_round4(s->n) + 8, r = (size_t)hki_round4(s->max_r) + 8;
  return 2 * n + 2 * r + 4 * (size_t)s->max_w + 8 + 4 * r;
}

/* --- analysis --------------------------------------------------------------------------------- */

/* the pattern as sets of mutually coupled indices: set e is var[start[e] .. start[e+1]-1] */
typedef struct hki_elements {
  int32_t n, count;
  int32_t *start; /* count + 1 */
  int32_t *var;   /* start[count] */
  double most;    /* of the pattern: entries of the factor beyond which the analysis gives up */
} hki_elements;

/* columns of the factor for one order, in elimination numbering */
typedef struct hki_symbolic {
  int32_t n;
  int32_t *parent; /* -1 at a root */
  int32_t *start;  /* rows below column j: list[start[j] .. start[j] + len[j] - 1], ascending */
  int32_t *len;
  int32_t *list;
  int32_t nlist, cap_list;
  int64_t fill; /* entries below the diagonal */
  double work;  /* multiplications of the factorisation */
  bool tight;   /* no fill: each column and its rows lie in one clique of the pattern */
} hki_symbolic;

/* scratch comes from pool and is freed with it; sym->list is freed by hki_free */
bool hki_elements_build(hk_pool *pool, const hk_pattern *pattern, hki_elements *e);
bool hki_order_minimum_degree(hk_ctx *ctx, hk_pool *pool, const hki_elements *e, int32_t *order);
bool hki_symbolic_build(hk_ctx *ctx, hk_pool *pool, const hki_elements *e, const int32_t *order,
                        hki_symbolic *sym);
/* supernodes, final numbering, panels and segments of s from the columns of sym */
hk_status hki_ldl_panels(hk_ldl *s, hk_pool *pool, const hki_symbolic *sym, const int32_t *order);

int hki_compare_int32(const void *a, const void *b);

#endif
