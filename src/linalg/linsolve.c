/* SPDX-License-Identifier: Apache-2.0
 *
 * linsolve.c: the list of linear solvers, the choice among them, and their common functions.
 */
#include <string.h>

#include "linalg/linsolve.h"

#define X(name) extern const hk_linsolve_ops hki_linsolve_##name;
#include "linalg/linsolve.def"
#undef X

static const hk_linsolve_ops *const methods[] = {
#define X(name) &hki_linsolve_##name,
#include "linalg/linsolve.def"
#undef X
    NULL};

/* up to this size dense LU is faster than sparse LU (measured with bench_redundant) */
enum { DENSE_LIMIT = 70 };

/* From this size on panels are considered. They are taken where they need less than this share of the
 * time of sparse LU by the estimates of both. Measured (bench/large): below it they save 20 % (beams) to
 * 80 % (plates) of a step, above it nothing. */
enum { PANELS_FROM = 1000 };
static const double panels_share = 0.25;

const hk_linsolve_ops *const *hki_linsolve_methods(void) { return methods; }

const char *hki_linsolve_fault(const hk_linsolve_ops *ops) {
  HK_TABLE_NEEDS(true, ops, name);
  HK_TABLE_NEEDS(true, ops, text);
  HK_TABLE_NEEDS(true, ops, analyze);
  HK_TABLE_NEEDS(true, ops, slot);
  HK_TABLE_NEEDS(true, ops, factor);
  HK_TABLE_NEEDS(true, ops, refactor);
  HK_TABLE_NEEDS(true, ops, solve);
  HK_TABLE_NEEDS(true, ops, mul);
  HK_TABLE_NEEDS(true, ops, rcond);
  HK_TABLE_NEEDS(true, ops, describe);
  HK_TABLE_NEEDS(true, ops, destroy);
  HK_TABLE_NEEDS(true, ops, cost);
  HK_TABLE_NEEDS(ops->recall, ops, memory);
  HK_TABLE_NEEDS(ops->memory, ops, recall);
  return NULL;
}

const hk_linsolve_ops *hki_linsolve_find(const char *name) {
  for (int32_t i = 0; methods[i]; i++) {
    if (strcmp(methods[i]->name, name) != 0) continue;
    HK_ASSERT_TABLE("linear solver", methods[i], hki_linsolve_fault);
    return methods[i];
  }
  return NULL;
}

/* upper bound of the share of entries that may be nonzero; overlapping blocks count twice */
static double density(const hk_pattern *p) {
  double n = p->n, entries = n;
  for (int32_t i = 0; i < p->nblock; i++)
    entries += (double)p->block[i].nrow * (double)p->block[i].ncol;
  return n > 0.0 ? entries / (n * n) : 1.0;
}

/* method by symmetry, size and fill */
static const hk_linsolve_ops *choose(const hk_pattern *p, bool symmetric) {
  if (symmetric) return hki_linsolve_find("sparse_ldl");
  const hk_linsolve_ops *sparse = hki_linsolve_find("klu");
  bool dense = !sparse || p->n <= DENSE_LIMIT || (p->n <= 400 && density(p) > 0.4);
  return dense ? hki_linsolve_find("dense_lu") : sparse;
}

/* the method asked for; NULL with a message when it does not exist or does not fit */
static const hk_linsolve_ops *pick(hk_ctx *ctx, const hk_pattern *p, const hk_linsolve_options *o) {
  if (!o->method || strcmp(o->method, "auto") == 0) return choose(p, o->symmetric);
  const hk_linsolve_ops *ops = hki_linsolve_find(o->method);
  if (!ops) {
    char hint[100] = "";
    hk_nearest near;
    hki_nearest_init(&near, o->method);
    for (int32_t i = 0; methods[i]; i++) hki_nearest_try(&near, methods[i]->name);
    const char *best = hki_nearest_result(&near);
    if (best) strcat(strcat(strcpy(hint, "did you mean '"), best), "'?");
    hki_error(ctx, HK_E_METHOD, HK_LOC_NONE, hint, "there is no linear solver '%s'", o->method);
  } else if (ops->symmetric != o->symmetric) {
    hki_error(ctx, HK_E_METHOD, HK_LOC_NONE, NULL,
              "the linear solver '%s' takes %s matrices, this one is %s", ops->name,
              ops->symmetric ? "symmetric" : "unsymmetric",
              o->symmetric ? "symmetric" : "unsymmetric");
    ops = NULL;
  }
  return ops;
}

static hk_status create(hk_ctx *ctx, const hk_linsolve_ops *ops, const hk_pattern *pattern,
                        const hk_linsolve_options *options, hk_linsolve **out) {
  hk_linsolve *s = hki_alloc(ctx, sizeof *s);
  if (!s) return HK_E_MEMORY;
  s->ctx = ctx;
  s->ops = ops;
  s->n = pattern->n;
  s->bad = -1;
  hk_status status = ops->analyze(s, pattern, options);
  if (status != HK_OK) {
    hki_linsolve_destroy(s);
    return status;
  }
  *out = s;
  return HK_OK;
}

/* Large systems with much fill are factored in panels: both are analysed, the one that will take less
 * time stays. */
static void compare_panels(hk_ctx *ctx, const hk_pattern *pattern, const hk_linsolve_options *o,
                           hk_linsolve **out) {
  hk_linsolve *panels = NULL;
  hk_cost a, b;
  if (pattern->n < PANELS_FROM) return;
  if (create(ctx, hki_linsolve_find("panels"), pattern, o, &panels) != HK_OK) return;
  hki_linsolve_cost(*out, &a);
  hki_linsolve_cost(panels, &b);
  const bool better = b.seconds < panels_share * a.seconds;
  hki_linsolve_destroy(better ? *out : panels);
  if (better) *out = panels;
}

hk_status hki_linsolve_create(hk_ctx *ctx, const hk_pattern *pattern,
                              const hk_linsolve_options *options, hk_linsolve **out) {
  *out = NULL;
  if (pattern->status != HK_OK) return pattern->status;
  const hk_linsolve_ops *ops = pick(ctx, pattern, options);
  if (!ops) return HK_E_METHOD;
  const hk_status status = create(ctx, ops, pattern, options, out);
  const bool chosen = !options->method || strcmp(options->method, "auto") == 0;
  if (status == HK_OK && chosen && !options->symmetric) compare_panels(ctx, pattern, options, out);
  return status;
}

void hki_linsolve_destroy(hk_linsolve *s) {
  if (!s) return;
  if (s->data) s->ops->destroy(s);
  hki_free(s->ctx, s);
}

int32_t hki_linsolve_slot(const hk_linsolve *s, int32_t i, int32_t j) {
  if (i < 0 || i >= s->n || j < 0 || j >= s->n) return -1;
  return s->ops->slot(s, i, j);
}

int32_t hki_linsolve_entry(const hk_linsolve *s, int32_t i, int32_t j) {
  const int32_t slot = hki_linsolve_slot(s, i, j);
  HK_ASSERT(slot >= 0);
  return slot;
}

void hki_linsolve_zero(hk_linsolve *s) {
  if (s->nval) memset(s->val, 0, (size_t)s->nval * sizeof *s->val);
}

hk_status hki_linsolve_factor(hk_linsolve *s) {
  const hk_status st = s->ops->factor(s);
  s->factored = st == HK_OK;
  return st;
}

hk_status hki_linsolve_refactor(hk_linsolve *s) {
  const hk_status st = s->ops->refactor(s);
  s->factored = st == HK_OK;
  return st;
}

void hki_linsolve_solve(hk_linsolve *s, double *x) {
  HK_ASSERT(s->factored);
  s->ops->solve(s, x);
}

void hki_linsolve_mul(hk_linsolve *s, const double *x, double *y) { s->ops->mul(s, x, y); }

double hki_linsolve_rcond(hk_linsolve *s) { return s->ops->rcond(s); }

int32_t hki_linsolve_memory(hk_linsolve *s, double **block) {
  *block = NULL;
  return s->ops->memory ? s->ops->memory(s, block) : 0;
}

hk_status hki_linsolve_recall(hk_linsolve *s) {
  if (!s->ops->recall) return HK_OK;
  s->factored = false; // pivots come back, and with them the values they were chosen for
  return s->ops->recall(s);
}

void hki_linsolve_cost(const hk_linsolve *s, hk_cost *out) {
  *out = (hk_cost){0};
  s->ops->cost(s, out);
}

void hki_linsolve_describe(const hk_linsolve *s, hk_text *t) { s->ops->describe(s, t); }
