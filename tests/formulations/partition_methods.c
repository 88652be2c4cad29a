/* SPDX-License-Identifier: Apache-2.0
 *
 * partition_methods.c: the methods of formulation `partition`: the iterations of the augmented set
 * and of coordinate splitting converge at the expected rate to the right solution, the
 * differentiable null space gives the same accelerations, the choice of coordinates changes where
 * it must, and no step allocates.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support_partition.h"

/* Newton's method from a disturbed prediction: sizes of the corrections; returns how many */
static int corrections(bench *b, double off, double *e, int most) {
  hk_partition *p = b->p;
  const hk_formulation_ops *ops = p->base.ops;
  int n = 0;
  ck_assert_int_eq(ops->begin(&p->base, &b->st), HK_OK);
  bench_disturb(b, off);
  while (n < most) {
    hk_norms norm;
    ck_assert_int_eq(ops->residual(&p->base, b->D, true), HK_OK);
    ck_assert_int_eq(ops->factor(&p->base), HK_OK);
    ck_assert_int_eq(ops->correct(&p->base, b->D, &norm), HK_OK);
    e[n++] = fmax(norm.step, norm.constraint);
    if (e[n - 1] < 1e-13) break;
  }
  return n;
}

static void print(const char *model, const char *method, const double *e, int n) {
  if (!getenv("HOOKE_TEST_PRINT")) return;
  printf("%-28s %-16s", model, method);
  for (int k = 0; k < n; k++) printf(" %.1e", e[k]);
  printf("\n");
}

/* all unknowns in one iteration: quadratic, and to the solution of the method of the paper */
START_TEST(test_augmented_newton) {
  for (int i = 0; i < bench_nplaces; i += bench_stride()) {
    bench a, b;
    double e[16], fine[16];
    bench_open(&a, &places[i], "method", "partition");
    corrections(&a, 0.0, fine, 16);
    bench_open(&b, &places[i], "method", "augmented_newton");
    int n = corrections(&b, 5.0 * places[i].off, e, 16);
    print(places[i].model, "augmented_newton", e, n);
    ck_assert_msg(e[n - 1] < 1e-12, "%s: %d corrections leave %g", places[i].model, n, e[n - 1]);
    for (int k = 0; k + 1 < n; k++)
      if (e[k] < 1e-4)
        ck_assert_msg(e[k + 1] < 300.0 * e[k] * e[k] + 1e-12, "%s: %g, then %g", places[i].model,
                      e[k], e[k + 1]);
    for (int32_t k = 0; k < a.p->n; k++)
      ck_assert_msg(fabs(a.D[k] - b.D[k]) < 1e-9 * a.p->c->scale[k] * (1.0 + fabs(a.D[k])),
                    "%s: increment %d is %.12g, expected %.12g", places[i].model, (int)k, b.D[k],
                    a.D[k]);
    bench_close(&a);
    bench_close(&b);
  }
}
END_TEST

/* all coordinates at once, constraints at position and velocity level: corrections shrink to a
 * tenth or less, and what is left satisfies both levels and the annihilated equations of motion */
START_TEST(test_splitting) {
  for (int i = 0; i < bench_nplaces; i += bench_stride()) {
    bench b;
    double e[30], y[MOST], x[MOST];
    bench_open(&b, &places[i], "method", "splitting");
    hk_partition *p = b.p;
    int n = corrections(&b, 2.0 * places[i].off, e, 30);
    print(places[i].model, "splitting", e, n);
    ck_assert_msg(e[n - 1] < 1e-12, "%s: %d corrections leave %g", places[i].model, n, e[n - 1]);
    for (int k = 0; k + 1 < n; k++)
      if (e[k] < 1e-4) ck_assert(e[k + 1] < 0.1 * e[k] + 1e-13);
    ck_assert_int_eq(p->method->residual(p, b.D), HK_OK);
    ck_assert(hki_bodies_norm(p->c, p->c->phi) < 1e-11);
    memcpy(x, p->v, (size_t)p->n * sizeof *x);
    hki_bodies_to_world(p->c, x);
    hki_bodies_mul(p->c, x, y);
    for (int32_t k = 0; k < p->rank; k++) {
      int32_t row = p->rows[k];
      ck_assert(fabs(y[row] + p->c->phit[row]) < 1e-9);
    }
    // the rate of the positions differs from the velocities by constraint forces alone
    for (int32_t k = 0; k < p->n; k++) x[k] = b.st.vh[k] + b.st.cv * b.D[k] - p->w[k];
    hki_partition_nearest(p, &p->vel, NULL, x);
    for (int32_t k = 0; k < p->n; k++)
      ck_assert_msg(fabs(x[k]) < 1e-9, "%s: %g", places[i].model, x[k]);
    bench_close(&b);
  }
}
END_TEST

/* without the derivative of the annihilator (CM) it converges too, more slowly */
START_TEST(test_splitting_modified) {
  for (int i = 0; i < bench_nplaces; i += bench_stride()) {
    bench b;
    double e[40];
    bench_open(&b, &places[i], "method", "splitting");
    b.p->par.tangent = HK_PARTITION_FV;
    int n = corrections(&b, places[i].off, e, 40);
    print(places[i].model, "splitting, CM", e, n);
    ck_assert_msg(e[n - 1] < 1e-11, "%s: %g left", places[i].model, e[n - 1]);
    bench_close(&b);
  }
}
END_TEST

/* the accelerations of the null space and its derivative are those of the partition */
START_TEST(test_null_space) {
  for (int i = 0; i < bench_nplaces; i += bench_stride()) {
    bench a, b;
    double x[MOST], y[MOST], top = 0.0;
    if (strstr(places[i].model, "double-pendulum-stiff")) continue; // too stiff to get there
    bench_open(&a, &places[i], "method", "partition");
    bench_open(&b, &places[i], "method", "null_space");
    const hk_integrator *I = &a.s->I;
    ck_assert_int_eq(a.p->base.ops->accel(&a.p->base, I->t, I->q, I->v, x), HK_OK);
    ck_assert_int_eq(b.p->base.ops->accel(&b.p->base, I->t, I->q, I->v, y), HK_OK);
    for (int32_t k = 0; k < a.p->n; k++) top = fmax(top, fabs(x[k]) / a.p->c->scale[k]);
    for (int32_t k = 0; k < a.p->n; k++)
      ck_assert_msg(fabs(x[k] - y[k]) < 1e-9 * (1.0 + top) * a.p->c->scale[k],
                    "%s: acceleration %d is %.12g, expected %.12g", places[i].model, (int)k, y[k],
                    x[k]);
    bench_close(&a);
    bench_close(&b);
  }
}
END_TEST

/* factors of Phi_u, sparse and dense: dependents of given independents, multipliers of given forces
 */
static void check_factors(bench *b, bool sparse) {
  hk_partition *p = b->p;
  double x[MOST], y[MOST], r[MOST], lam[MOST], bias[MOST];
  hki_bodies_state(p->c, b->s->I.t, b->s->I.q, b->s->I.v);
  hki_bodies_rows(p->c);
  // a ratio that no matrix has asks for row exchanges
  const double ratio = p->persist[HK_PARTITION_RATIO];
  if (!sparse) p->persist[HK_PARTITION_RATIO] = 1e9;
  ck_assert_int_eq(hki_partition_factor(p, &p->vel, NULL), HK_OK);
  p->persist[HK_PARTITION_RATIO] = ratio;
  ck_assert(p->vel.sparse == (sparse && p->rank));
  for (int32_t i = 0; i < p->n; i++) x[i] = cos(i) * p->c->scale[i], r[i] = 100.0 * sin(3 * i);
  for (int32_t i = 0; i < p->m; i++) bias[i] = 0.3 * cos(5 * i);
  hki_partition_complete(p, &p->vel, bias, x);
  hki_bodies_to_world(p->c, x);
  hki_bodies_mul(p->c, x, y);
  for (int32_t k = 0; k < p->rank; k++)
    ck_assert_double_eq_tol(y[p->rows[k]], -bias[p->rows[k]], 1e-11);
  hki_partition_multipliers(p, r, lam);
  memset(y, 0, sizeof y);
  hki_bodies_mul_t(p->c, lam, y);
  hki_bodies_to_body(p->c, y);
  for (int32_t k = 0; k < p->rank; k++)
    ck_assert_double_eq_tol(y[p->cols[k]], -r[p->cols[k]], 1e-9);
}

START_TEST(test_factors) {
  for (int i = 0; i < bench_nplaces; i += bench_stride()) {
    bench b;
    bench_open(&b, &places[i], "method", "partition");
    check_factors(&b, true);
    check_factors(&b, false);
    bench_close(&b);
  }
}
END_TEST

/* no coordinate of the triple rocker stays independent for a cycle; a tangent plane follows it */
START_TEST(test_changes_without_allocation) {
  static const char *const methods[] = {"partition", "splitting", "augmented_newton",
                                        "tangent_plane", "null_space"};
  for (int i = 0; i < HK_ARRAY_LEN(methods); i += test_few() ? 2 : 1) {
    char path[512];
    hk_ctx *ctx = hk_ctx_create();
    hk_model *m = NULL;
    hk_sim *s = NULL;
    hk_sim_options opt = hk_sim_options_def();
    const hk_option option = {"method", methods[i]};
    snprintf(path, sizeof path, "%s/tests/order/triple-rocker.yaml", test_source_dir());
    ck_assert_int_eq(hk_model_load(ctx, path, NULL, 0, &m), HK_OK);
    opt.formulation = "partition";
    opt.integrator = i == 4 ? "rk4" : "trapezoidal";
    opt.step = 0.002;
    opt.time = 2.0;
    opt.substeps = 0;
    opt.options = &option;
    opt.noptions = 1;
    ck_assert_int_eq(hk_sim_create(m, &opt, &s), HK_OK);
    uint64_t before = hk_ctx_allocations(ctx);
    while (!hk_sim_done(s))
      ck_assert_msg(hk_sim_step(s) == HK_OK, "%s: %s", methods[i], s->message);
    double changes = ((hk_partition *)s->f)->persist[HK_PARTITION_CHANGES];
    if (getenv("HOOKE_TEST_PRINT")) printf("%-16s %g changes\n", methods[i], changes);
    ck_assert_msg(changes >= 2, "%s: %g changes", methods[i], changes);
    ck_assert_uint_eq(hk_ctx_allocations(ctx) - before, 0);
    hk_sim_destroy(s);
    hk_model_release(m);
    hk_ctx_destroy(ctx);
  }
}
END_TEST

Suite *suite_partition_methods(void) {
  Suite *s = suite_create("partition methods");
  TCase *t = tcase_create("methods");
  tcase_add_test(t, test_augmented_newton);
  tcase_add_test(t, test_splitting);
  tcase_add_test(t, test_splitting_modified);
  tcase_add_test(t, test_null_space);
  tcase_add_test(t, test_factors);
  tcase_add_test(t, test_changes_without_allocation);
  suite_add_tcase(s, t);
  return s;
}
