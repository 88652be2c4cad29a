/* SPDX-License-Identifier: Apache-2.0
 *
 * sparse_ldl.h: symmetric factorisation A = L D L' with a pivot order fixed beforehand, for systems
 * from one to thousands of unknowns.
 *
 * Life: the pattern is analysed once (hki_ldl_create), which fixes the elimination order and gives
 * each entry (i, j) a slot in a value array. From then on: zero the values, add into slots, factor,
 * solve. Nothing of this allocates or searches.
 *
 *   hk_ldl *s;  hki_ldl_create(ctx, &pattern, order, &s);          // immutable, may be shared
 *   int32_t k = hki_ldl_entry(s, i, j);                             // once, while compiling
 *   hki_ldl_layout(s, &arena, &num);                                // twice: measure, assign
 *   hki_ldl_zero(s, &num);  num.val[k] += x;  ...                   // per iteration
 *   status = hki_ldl_factor(s, &num, num.val);                      // val stays as it is
 *   hki_ldl_solve(s, &num, x);                                      // x: right side -> solution
 *
 * Each unordered pair {i, j} has one slot: add a symmetric entry once, not twice.
 *
 * Method: supernodes (columns of equal structure, joined further where a few zeros cost less than
 * the bookkeeping) stored as dense column-major panels, factored with register tiles; the update of
 * the ancestors follows at once (right-looking). Four small supernodes alike go side by side
 * (ldl_quad.h). The sums run in the same order whatever vector
 * width the processor offers, so that results do not depend on the machine.
 *
 * No pivoting: meant for positive definite matrices and for indefinite ones with a safe order
 * (quasi-definite; multipliers after the coordinates that they constrain). Negative pivots are
 * counted.
 */
#ifndef HK_LINALG_SPARSE_LDL_H
#define HK_LINALG_SPARSE_LDL_H

#include <string.h>

#include "base/base.h"
#include "linalg/pattern.h"

typedef struct hk_ldl hk_ldl;

/* numeric data: all arrays lie in the caller's arena */
typedef struct hk_ldl_num {
  double *val;      /* values to assemble into, hki_ldl_value_count doubles */
  double *fac;      /* the factor, laid out like val, but for supernodes that go four at a time */
  double *inv;      /* 1 / pivot, n in elimination order */
  double *work;     /* scratch */
  int32_t negative; /* number of negative pivots of the last factorisation */
  int32_t bad;      /* index of the row whose pivot failed, -1 when none did */
  bool factored;    /* the last factorisation went well: fac and inv can be used */
} hk_ldl_num;

/* results of the analysis */
typedef struct hk_ldl_stats {
  int32_t n;
  int32_t supernodes;
  int32_t values;     /* doubles in the value array, padding included */
  int64_t fill;       /* entries of L below the diagonal, explicit zeros of joined supernodes too */
  int64_t fill_given; /* the same for the caller's order before joining, -1 when there was none */
  int64_t fill_ordered; /* the same for the minimum-degree order, -1 when it was not tried */
  bool order_given;     /* the caller's order was used */
  double work;          /* multiplications of a factorisation, those with explicit zeros too */
  double bytes;         /* of the analysis and of one hk_ldl_num */
} hk_ldl_stats;

/* Analyse. order[k] is the index eliminated k-th; NULL asks for a minimum-degree order. With an
 * order given, minimum degree is tried too and the one with fewer operations is used (the caller's
 * on a tie). Rectangles of the pattern count in both directions. Errors are reported to ctx. */
hk_status hki_ldl_create(hk_ctx *ctx, const hk_pattern *pattern, const int32_t *order,
                         hk_ldl **out);
/* The same with the caller's order kept whatever the fill: for indefinite matrices whose order
 * makes the pivots safe (multipliers last). Rows that do not depend on one another may still change
 * places. */
hk_status hki_ldl_create_ordered(hk_ctx *ctx, const hk_pattern *pattern, const int32_t *order,
                                 hk_ldl **out);
/* Minimum degree, with each unknown from `rows` on (a multiplier, without a diagonal entry of its own)
 * right behind the last of the other unknowns that it is coupled with: its pivot is then
 * -G A^-1 G' of these. */
hk_status hki_ldl_create_saddle(hk_ctx *ctx, const hk_pattern *pattern, int32_t rows, hk_ldl **out);
void hki_ldl_destroy(hk_ldl *s);

/* position of entry (i, j) = (j, i) in the value array, -1 when it is structurally zero */
int32_t hki_ldl_slot(const hk_ldl *s, int32_t i, int32_t j);
/* the same for an entry that the caller has put into the pattern */
int32_t hki_ldl_entry(const hk_ldl *s, int32_t i, int32_t j);
/* val(i, j) += x, of such an entry; searches: for what is done once, not in a time step */
void hki_ldl_add(const hk_ldl *s, double *val, int32_t i, int32_t j, double x);

int32_t hki_ldl_value_count(const hk_ldl *s); /* length of a value array */
void hki_ldl_get_stats(const hk_ldl *s, hk_ldl_stats *stats);
/* the elimination order in use: n entries, the k-th is the index eliminated k-th */
const int32_t *hki_ldl_order(const hk_ldl *s);

/* take the numeric arrays from an arena (base NULL: only measure) */
void hki_ldl_layout(const hk_ldl *s, hk_arena *a, hk_ldl_num *num);
/* another value array of the same pattern (mass beside stiffness) */
double *hki_ldl_layout_values(const hk_ldl *s, hk_arena *a);

static inline void hki_ldl_zero_values(const hk_ldl *s, double *val) {
  memset(val, 0, (size_t)hki_ldl_value_count(s) * sizeof *val);
}
static inline void hki_ldl_zero(const hk_ldl *s, hk_ldl_num *num) {
  hki_ldl_zero_values(s, num->val);
}

/* Factor val (any value array of this pattern; not changed). HK_OK, or
 *   HK_E_SINGULAR  a pivot is nothing but round-off of its diagonal entry, num->bad says which row
 *   HK_E_NUMBER    a pivot is not finite
 * and then the factor must not be used. Round-off is measured against the diagonal entry of val: a
 * row whose own diagonal entry is zero (a multiplier) is found singular only when its pivot is
 * zero, so redundant constraints need a regularised diagonal or a pivoting solver. */
hk_status hki_ldl_factor(const hk_ldl *s, hk_ldl_num *num, const double *val);

/* x (n, original numbering): right side in, solution out */
void hki_ldl_solve(const hk_ldl *s, hk_ldl_num *num, double *x);

/* y = A x with the unfactored values; x and y (n each) must not overlap */
void hki_ldl_mul(const hk_ldl *s, hk_ldl_num *num, const double *val, const double *x, double *y);

/* smallest |pivot| / |diagonal entry| of the last factorisation of val: a cheap warning sign of bad
 * conditioning, 1 when n is 0 */
double hki_ldl_pivot_ratio(const hk_ldl *s, const hk_ldl_num *num, const double *val);

/* --- unsymmetric values of a symmetric pattern ------------------------------------------------- */

/* A = L D U in the same panels: `low` and `up` hold both halves of the matrix, the upper one
 * transposed, and are overwritten by the factors (ldu_body.h) */
typedef struct hk_ldu_num {
  double *low, *up; /* hki_ldl_value_count each, one behind the other */
  double *inv, *work, *wide;
  int32_t bad; /* index of the column whose pivot failed, -1 when none did */
} hk_ldu_num;

void hki_ldu_layout(const hk_ldl *s, hk_arena *a, hk_ldu_num *num);
/* place of entry (i, j) behind num->low; -1 when it is structurally zero */
int64_t hki_ldu_place(const hk_ldl *s, int32_t i, int32_t j);
/* largest (n): size of the largest entry of each column; statuses as of hki_ldl_factor */
hk_status hki_ldu_factor(const hk_ldl *s, hk_ldu_num *num, const double *largest);
void hki_ldu_solve(const hk_ldl *s, hk_ldu_num *num, double *x);

#endif
