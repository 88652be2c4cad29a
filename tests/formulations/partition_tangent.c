/* SPDX-License-Identifier: Apache-2.0
 *
 * partition_tangent.c: the exact tangent of formulation `partition` against finite differences of
 * its residual, at states in motion and with increments away from the solution; the quadratic
 * convergence that follows; the other tangent, which is the same where its terms vanish and
 * converges only linearly elsewhere.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support_partition.h"

static void residual(bench *b, const double *D, double *psi) {
  ck_assert_int_eq(b->p->base.ops->residual(&b->p->base, D, true), HK_OK);
  memcpy(psi, b->p->psi, (size_t)b->p->f * sizeof *psi);
}

static const double at[] = {-2, -1, 1, 2};
static const double weight[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};

/* largest difference of the tangent from differences, relative to its largest entry */
static double tangent_error(bench *b, double off) {
  hk_partition *p = b->p;
  double psi[MOST], D[MOST], diff[MOST], worst = 0.0, top = 0.0;
  const double eps = 0.1 * off;
  ck_assert_int_eq(p->base.ops->begin(&p->base, &b->st), HK_OK);
  bench_disturb(b, off);
  residual(b, b->D, psi);
  memcpy(b->D, p->D, (size_t)p->n * sizeof *D);
  p->ldt = hki_dense_ld(p->f);
  if (p->two) hki_partition_columns(p, &p->chart);
  hki_partition_multipliers(p, p->r, p->lam);
  hki_partition_tangent(p);
  double *T = malloc((size_t)(p->ldt * p->f) * sizeof *T + 8);
  memcpy(T, p->T, (size_t)(p->ldt * p->f) * sizeof *T);
  for (int32_t j = 0; j < p->f; j++) {
    int32_t col = p->cols[p->rank + j];
    double h = eps * p->c->scale[col];
    memset(diff, 0, sizeof diff);
    for (int k = 0; k < 4; k++) {
      memcpy(D, b->D, (size_t)p->n * sizeof *D);
      D[col] += at[k] * h;
      residual(b, D, psi);
      for (int32_t i = 0; i < p->f; i++) diff[i] += weight[k] * psi[i] / h;
    }
    for (int32_t i = 0; i < p->f; i++) {
      double s = p->c->scale[col] * p->c->scale[p->cols[p->rank + i]];
      worst = fmax(worst, s * fabs(diff[i] - T[i + p->ldt * j]));
      top = fmax(top, s * fabs(diff[i]));
    }
  }
  free(T);
  return p->f ? worst / top : 0.0;
}

START_TEST(test_tangent_matches_differences) {
  for (int i = 0; i < bench_nplaces; i += bench_stride()) {
    bench b;
    bench_open(&b, &places[i], "tangent", "exact");
    double e = tangent_error(&b, places[i].off);
    if (getenv("HOOKE_TEST_PRINT"))
      printf("%-28s dof %d tangent %.1e\n", places[i].model, (int)b.p->f, e);
    ck_assert_msg(e < 1e-6, "%s: the tangent is off by %g", places[i].model, e);
    bench_close(&b);
  }
}
END_TEST

/* corrections of Newton's method from a disturbed prediction; returns how many */
static int corrections(bench *b, double size, double *e, int most) {
  hk_partition *p = b->p;
  hk_norms norm = {0};
  int n = 0;
  ck_assert_int_eq(p->base.ops->begin(&p->base, &b->st), HK_OK);
  bench_disturb(b, size);
  while (n < most) {
    double psi[MOST];
    residual(b, b->D, psi);
    ck_assert_int_eq(p->base.ops->factor(&p->base), HK_OK);
    ck_assert_int_eq(p->base.ops->correct(&p->base, b->D, &norm), HK_OK);
    e[n++] = norm.step;
    if (norm.step < 1e-13) break;
  }
  return n;
}

/* is each correction below 1e-3 at most a fixed multiple of the square of the one before */
static bool quadratic(const double *e, int n) {
  for (int k = 0; k + 1 < n; k++)
    if (e[k] < 1e-3 && e[k + 1] > 100.0 * e[k] * e[k] + 1e-13) return false;
  return true;
}

START_TEST(test_newton_converges_quadratically) {
  for (int i = 0; i < bench_nplaces; i += bench_stride()) {
    bench b;
    double e[12], fv[30];
    bench_open(&b, &places[i], "tangent", "exact");
    int n = corrections(&b, 5.0 * places[i].off, e, 12);
    bench_close(&b);
    bench_open(&b, &places[i], "tangent", "fv");
    int nf = corrections(&b, 5.0 * places[i].off, fv, 30);
    bench_close(&b);
    if (getenv("HOOKE_TEST_PRINT")) {
      printf("%-28s exact", places[i].model);
      for (int k = 0; k < n; k++) printf(" %.1e", e[k]);
      printf(" | fv");
      for (int k = 0; k < nf && k < 8; k++) printf(" %.1e", fv[k]);
      printf("%s (%d)\n", nf > 8 ? " ..." : "", nf);
    }
    ck_assert_msg(e[n - 1] < 1e-12, "%s: %d corrections leave %g", places[i].model, n, e[n - 1]);
    ck_assert_msg(quadratic(e, n), "%s: not quadratic", places[i].model);
    ck_assert_int_le(n, nf);
  }
}
END_TEST

Suite *suite_partition_tangent(void) {
  Suite *s = suite_create("partition tangent");
  TCase *t = tcase_create("tangent");
  tcase_add_test(t, test_tangent_matches_differences);
  tcase_add_test(t, test_newton_converges_quadratically);
  suite_add_tcase(s, t);
  return s;
}
