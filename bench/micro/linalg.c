/* SPDX-License-Identifier: Apache-2.0
 *
 * bench_linalg: times of the linear-algebra kernels, smallest mean over batches, as a table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "linalg/dense.h"
#include "linalg/linsolve.h"
#include "linalg/sparse_ldl.h"

/* --- timing ----------------------------------------------------------------------------------- */

typedef void (*job_fn)(void *user);

/* smallest mean time of one call over batches of about a millisecond, in microseconds */
static double time_job(job_fn job, void *user) {
  int32_t count = 1;
  double best = 1e30;
  for (;;) {
    double t = hki_wall_seconds();
    for (int32_t i = 0; i < count; i++) job(user);
    t = hki_wall_seconds() - t;
    if (t > 5e-4 || count > 1000000) break;
    count *= 2;
  }
  for (int batch = 0; batch < 60; batch++) {
    double t = hki_wall_seconds();
    for (int32_t i = 0; i < count; i++) job(user);
    t = (hki_wall_seconds() - t) / count;
    if (t < best) best = t;
  }
  return best * 1e6;
}

/* --- sparse LDL ------------------------------------------------------------------------------- */

typedef struct ldl_case {
  hk_ctx *ctx;
  hk_pattern p;
  hk_ldl *s;
  hk_ldl_num num;
  void *block;
  double *x, *y;
} ldl_case;

static void job_zero(void *user) {
  ldl_case *c = user;
  hki_ldl_zero_values(c->s, c->num.fac);
}
static void job_factor(void *user) {
  ldl_case *c = user;
  hki_ldl_factor(c->s, &c->num, c->num.val);
}
static void job_solve(void *user) {
  ldl_case *c = user;
  hki_ldl_solve(c->s, &c->num, c->x);
}
static void job_both(void *user) {
  ldl_case *c = user;
  hki_ldl_factor(c->s, &c->num, c->num.val);
  hki_ldl_solve(c->s, &c->num, c->x);
}
static void job_mul(void *user) {
  ldl_case *c = user;
  hki_ldl_mul(c->s, &c->num, c->num.val, c->x, c->y);
}

/* a dominant diagonal, the rest small; coordinates count down so that leaves come first */
static void run_ldl(ldl_case *c, const char *name, bool ordered) {
  int32_t n = c->p.n, *order = malloc((size_t)n * sizeof *order);
  hk_arena a = {0};
  hk_ldl_stats st;
  for (int32_t i = 0; i < n; i++) order[i] = n - 1 - i;
  double t = hki_wall_seconds();
  if (hki_ldl_create(c->ctx, &c->p, ordered ? order : NULL, &c->s) != HK_OK) exit(1);
  t = hki_wall_seconds() - t;
  hki_ldl_layout(c->s, &a, &c->num);
  c->block = hki_alloc(c->ctx, a.used);
  a = (hk_arena){c->block, 0, a.used};
  hki_ldl_layout(c->s, &a, &c->num);
  c->x = hki_alloc(c->ctx, (size_t)n * sizeof *c->x);
  c->y = hki_alloc(c->ctx, (size_t)n * sizeof *c->y);
  hki_ldl_zero(c->s, &c->num);
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = 0; j <= i; j++) {
      int32_t k = hki_ldl_slot(c->s, i, j);
      if (k >= 0) c->num.val[k] = i == j ? n + 1.0 : 0.5 - (i * 7 + j * 3) % 11 / 11.0;
    }
  }
  hki_ldl_get_stats(c->s, &st);
  double zero = time_job(job_zero, c), fac = time_job(job_factor, c), mul = time_job(job_mul, c);
  double both = time_job(job_both, c), sol = time_job(job_solve, c);
  printf("%-26s %5d %5d %8ld %8.3f %8.3f %8.3f %8.3f %8.3f %9.1f\n", name, n, st.supernodes,
         (long)st.fill, zero, fac, sol, both, mul, 1e6 * t);
  hki_ldl_destroy(c->s);
  hki_free(c->ctx, c->block), hki_free(c->ctx, c->x), hki_free(c->ctx, c->y);
  hki_pattern_free(&c->p);
  hk_ctx_destroy(c->ctx);
  free(order);
}

static void open_case(ldl_case *c, int32_t n) {
  memset(c, 0, sizeof *c);
  c->ctx = hk_ctx_create();
  hki_pattern_init(&c->p, c->ctx, n);
}

/* `trunk` coordinates coupled with `groups` branches of `size` */
static void run_star(const char *name, int32_t trunk, int32_t groups, int32_t size) {
  ldl_case c;
  int32_t list[64];
  open_case(&c, trunk + groups * size);
  for (int32_t g = 0; g < groups; g++) {
    for (int32_t i = 0; i < trunk; i++) list[i] = i;
    for (int32_t i = 0; i < size; i++) list[trunk + i] = trunk + g * size + i;
    hki_pattern_clique(&c.p, trunk + size, list);
  }
  run_ldl(&c, name, true);
}

static void run_dense(int32_t n) {
  ldl_case c;
  char name[32];
  snprintf(name, sizeof name, "dense %d", n);
  open_case(&c, n);
  hki_pattern_full(&c.p);
  run_ldl(&c, name, true);
}

/* a binary tree of n coordinates, each coupled with its ancestors */
static void run_tree(int32_t n, int32_t arity) {
  ldl_case c;
  char name[32];
  snprintf(name, sizeof name, "tree %d, %d branches", n, arity);
  open_case(&c, n);
  for (int32_t i = 0; i < n; i++) {
    int32_t path[64], m = 0;
    for (int32_t k = i;; k = (k - 1) / arity) {
      path[m++] = k;
      if (k == 0) break;
    }
    hki_pattern_clique(&c.p, m, path);
  }
  run_ldl(&c, name, true);
}

/* a square grid of m x m, as a general sparse matrix */
static void run_grid(int32_t m) {
  ldl_case c;
  char name[32];
  snprintf(name, sizeof name, "grid %d x %d", m, m);
  open_case(&c, m * m);
  for (int32_t i = 0; i < m; i++) {
    for (int32_t j = 0; j < m; j++) {
      if (i) hki_pattern_entry(&c.p, i * m + j, (i - 1) * m + j);
      if (j) hki_pattern_entry(&c.p, i * m + j, i * m + j - 1);
    }
  }
  run_ldl(&c, name, false);
}

/* band matrix: a chain of bodies in absolute coordinates */
static void run_band(int32_t n, int32_t width) {
  ldl_case c;
  char name[32];
  int32_t list[64];
  snprintf(name, sizeof name, "band %d, width %d", n, width);
  open_case(&c, n);
  for (int32_t i = 0; i + width <= n; i++) {
    for (int32_t k = 0; k < width; k++) list[k] = i + k;
    hki_pattern_clique(&c.p, width, list);
  }
  run_ldl(&c, name, true);
}

/* --- the linear-solver interface, unsymmetric ------------------------------------------------- */

typedef struct lin_case {
  hk_linsolve *s;
  double *x;
} lin_case;

static void job_lin_factor(void *user) { hki_linsolve_factor(((lin_case *)user)->s); }
static void job_lin_refactor(void *user) { hki_linsolve_refactor(((lin_case *)user)->s); }
static void job_lin_solve(void *user) {
  lin_case *c = user;
  hki_linsolve_solve(c->s, c->x);
}

/* a chain of bodies with multipliers: blocks of 6 coupled with their neighbours */
static void run_linsolve(const char *method, int32_t n, bool full) {
  hk_ctx *ctx = hk_ctx_create();
  hk_pattern p;
  lin_case c;
  hk_linsolve_options o = {.method = method};
  hki_pattern_init(&p, ctx, n);
  if (full) hki_pattern_full(&p);
  for (int32_t i = 0; i < n; i += 6) {
    int32_t list[12], m = 0;
    for (int32_t k = i; k < i + 12 && k < n; k++) list[m++] = k;
    hki_pattern_clique(&p, m, list);
  }
  if (hki_linsolve_create(ctx, &p, &o, &c.s) != HK_OK) exit(1);
  c.x = hki_alloc(ctx, (size_t)n * sizeof *c.x);
  hki_linsolve_zero(c.s);
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = 0; j < n; j++) {
      int32_t k = hki_linsolve_slot(c.s, i, j);
      bool in = full || (i / 6 - j / 6 <= 1 && j / 6 - i / 6 <= 1);
      if (k >= 0 && in) c.s->val[k] = i == j ? 3.0 : 0.5 - (i * 7 + j * 3) % 11 / 11.0;
    }
  }
  double fac = time_job(job_lin_factor, &c), re = time_job(job_lin_refactor, &c);
  double sol = time_job(job_lin_solve, &c);
  printf("%-12s %-8s %5d %9.3f %9.3f %9.3f\n", method, full ? "full" : "chain", n, fac, re, sol);
  hki_linsolve_destroy(c.s);
  hki_free(ctx, c.x);
  hki_pattern_free(&p);
  hk_ctx_destroy(ctx);
}

int main(void) {
  printf("sparse LDL, microseconds\n%-26s %5s %5s %8s %8s %8s %8s %8s %8s %9s\n", "case", "n",
         "nodes", "fill", "zero", "factor", "solve", "fac+sol", "mul", "analysis");
  static const int32_t sizes[] = {1, 3, 5, 6, 8, 12, 16, 26, 40, 60, 100, 170, 300};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) run_dense(sizes[i]);
  run_star("vehicle 6 + 4 x 5", 6, 4, 5);
  run_star("two legs 6 + 2 x 6", 6, 2, 6);
  run_star("many legs 6 + 50 x 6", 6, 50, 6);
  run_tree(30, 2);
  run_tree(300, 2);
  run_tree(3000, 3);
  run_band(300, 6);
  run_grid(30);
  printf("\nlinear solvers, microseconds\n%-12s %-8s %5s %9s %9s %9s\n", "method", "pattern", "n",
         "factor", "refactor", "solve");
  static const int32_t lin[] = {5, 13, 26, 44, 60, 88, 170};
  for (size_t i = 0; i < sizeof lin / sizeof *lin; i++) {
    run_linsolve("dense_lu", lin[i], true);
#ifdef HK_WITH_KLU
    run_linsolve("klu", lin[i], false);
#endif
  }
  return 0;
}
