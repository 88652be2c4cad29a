/* SPDX-License-Identifier: Apache-2.0
 *
 * linsolve.h: linear solvers: one interface, several methods, chosen by symmetry, size and fill.
 *
 *   hk_linsolve_options o = {.symmetric = false};
 *   hki_linsolve_create(ctx, &pattern, &o, &s);         // analyses the pattern, takes all memory
 *   int32_t k = hki_linsolve_entry(s, i, j);            // once, while compiling
 *   hki_linsolve_zero(s);  s->val[k] += x;              // per iteration
 *   status = hki_linsolve_refactor(s);                  // full factorisation only when in doubt
 *   hki_linsolve_solve(s, x);
 *
 * A symmetric matrix (options.symmetric) has one slot for (i, j) and (j, i): add each pair once.
 * Its methods do not pivot. An unsymmetric matrix has a slot per entry; its methods pivot.
 *
 * Another method is one table of functions and one line in linsolve.def.
 */
#ifndef HK_LINALG_LINSOLVE_H
#define HK_LINALG_LINSOLVE_H

#include "base/base.h"
#include "linalg/pattern.h"

typedef struct hk_linsolve hk_linsolve;

typedef struct hk_linsolve_options {
  bool symmetric;
  bool keep_order;      /* use `order` whatever the fill (sparse_ldl) */
  const char *method;   /* NULL or "auto": chosen by size and fill */
  const int32_t *order; /* symmetric: elimination order to consider, may be NULL */
  int32_t rows; /* first of the multipliers, the last unknowns, without a diagonal; 0: none */
} hk_linsolve_options;

typedef struct hk_linsolve_ops {
  const char *name;
  const char *text; /* one line for people */
  bool symmetric;   /* kind of matrix it takes */
  hk_status (*analyze)(hk_linsolve *s, const hk_pattern *p, const hk_linsolve_options *o);
  int32_t (*slot)(const hk_linsolve *s, int32_t i, int32_t j);
  hk_status (*factor)(hk_linsolve *s);   /* pivots chosen anew */
  hk_status (*refactor)(hk_linsolve *s); /* pivots kept while they are good */
  void (*solve)(hk_linsolve *s, double *x);
  void (*mul)(hk_linsolve *s, const double *x, double *y);
  double (*rcond)(hk_linsolve *s);
  void (*describe)(const hk_linsolve *s, hk_text *t);
  void (*destroy)(hk_linsolve *s);
  /* see hki_linsolve_memory and _recall; NULL: a factorisation depends on nothing but s->val */
  int32_t (*memory)(hk_linsolve *s, double **block);
  hk_status (*recall)(hk_linsolve *s);
  void (*cost)(const hk_linsolve *s, hk_cost *out); /* see hki_linsolve_cost */
} hk_linsolve_ops;

struct hk_linsolve {
  const hk_linsolve_ops *ops;
  hk_ctx *ctx;
  int32_t n;
  int32_t nval;
  double *val;      /* nval values to assemble into */
  int32_t bad;      /* row or column that made the last factorisation fail, -1 when none */
  int32_t negative; /* negative pivots (symmetric methods), else 0 */
  uint64_t full;    /* factorisations that chose pivots, the slow path */
  uint64_t again;   /* factorisations with the pivots kept */
  bool factored;    /* the last factorisation went well: the factors can be used */
  void *data;       /* of the method */
};

/* all methods, ended by NULL */
const hk_linsolve_ops *const *hki_linsolve_methods(void);
/* the one of this name; NULL: this build has none */
const hk_linsolve_ops *hki_linsolve_find(const char *name);
/* what the table of a method lacks; NULL: nothing */
const char *hki_linsolve_fault(const hk_linsolve_ops *ops);

hk_status hki_linsolve_create(hk_ctx *ctx, const hk_pattern *pattern,
                              const hk_linsolve_options *options, hk_linsolve **out);
void hki_linsolve_destroy(hk_linsolve *s);

/* position of entry (i, j) in s->val, -1 when it is structurally zero */
int32_t hki_linsolve_slot(const hk_linsolve *s, int32_t i, int32_t j);
/* the same for an entry that the caller has put into the pattern */
int32_t hki_linsolve_entry(const hk_linsolve *s, int32_t i, int32_t j);
void hki_linsolve_zero(hk_linsolve *s);

/* HK_OK, HK_E_SINGULAR or HK_E_NUMBER; s->bad names the row or column. s->val is not changed. Only
 * the full factorisation may allocate (klu does); refactor falls back to it when the kept pivots
 * have become bad, and counts this in s->full. */
hk_status hki_linsolve_factor(hk_linsolve *s);
hk_status hki_linsolve_refactor(hk_linsolve *s);

/* x[n]: right side in, solution out */
void hki_linsolve_solve(hk_linsolve *s, double *x);
/* y = A x with the values in s->val; x and y must not overlap */
void hki_linsolve_mul(hk_linsolve *s, const double *x, double *y);
/* cheap estimate of 1 / condition from the pivots of the last factorisation */
double hki_linsolve_rcond(hk_linsolve *s);
/* Checkpoints: later factorisations depend on s->val and on the pivots kept. hki_linsolve_memory
 * brings the data of the kept pivots up to date, sets *block to it and returns its length in
 * doubles. A resumed run copies these numbers into the block of its own solver and calls
 * hki_linsolve_recall: its factorisations are then the same to the last bit. */
int32_t hki_linsolve_memory(hk_linsolve *s, double **block);
hk_status hki_linsolve_recall(hk_linsolve *s);
/* memory of the solver with its factors, and time of one factorisation, known after the analysis;
 * an estimate where pivots are chosen by value */
void hki_linsolve_cost(const hk_linsolve *s, hk_cost *out);
/* "sparse LDL', n = 26, ..." */
void hki_linsolve_describe(const hk_linsolve *s, hk_text *t);

#endif
