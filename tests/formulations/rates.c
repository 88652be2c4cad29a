/* SPDX-License-Identifier: Apache-2.0
 *
 * Rates of a state and the matrices of their linearisation (hk_rate_ops). Without dampers, and where
 * the penalties outweigh all inertial forces, the slope of the accelerations in the velocities is that
 * of gamma, which is quadratic in them: A d(dw/dt) = -2 Phi' alpha dPhi/dt dw = -2 C dw. Solutions
 * with T = A + g C + g^2 K give products back.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runner.h"
#include "simulation/simulation.h"

enum { MOST = 200 };

typedef struct open_run {
  hk_ctx *ctx;
  hk_model *m;
  hk_sim *s;
} open_run;

static void open_model(open_run *r, const char *name, const char *formulation,
                       const char *penalty) {
  char path[512];
  const hk_option options[] = {
      {"iteration", "simultaneous"}, {"matrix", "start"}, {"penalty_acceleration", penalty}};
  hk_sim_options opt = hk_sim_options_def();
  snprintf(path, sizeof path, "%s/examples/%s", test_source_dir(), name);
  *r = (open_run){.ctx = hk_ctx_create()};
  opt.formulation = formulation, opt.integrator = "sdirk";
  opt.step = 0.002, opt.time = 0.2;
  opt.options = options, opt.noptions = penalty ? 3 : 2;
  ck_assert_int_eq(hk_model_load(r->ctx, path, NULL, 0, &r->m), HK_OK);
  ck_assert_int_eq(hk_sim_create(r->m, &opt, &r->s), HK_OK);
  while (!hk_sim_done(r->s)) ck_assert_int_eq(hk_sim_step(r->s), HK_OK);
  ck_assert_int_le(r->s->I.nv, MOST);
}

static void close_model(open_run *r) {
  hk_sim_destroy(r->s);
  hk_model_release(r->m);
  hk_ctx_destroy(r->ctx);
}

static const struct {
  const char *model, *formulation, *penalty;
} bound[] = {
    {"spatial-four-bar.yaml", "hybrid", "1e9"},
    {"bricard.yaml", "hybrid", "1e9"},
    {"spatial-four-bar.yaml", "global", "1e9"},
    {"bricard.yaml", "global", "1e9"},
};

START_TEST(slope_in_velocities) {
  open_run r;
  double D[MOST] = {0}, w[2][MOST], wd[2][MOST], dw[MOST], zero[MOST] = {0}, left[MOST],
         right[MOST];
  double worst = 0.0, size = 0.0, unsymmetric = 0.0;
  open_model(&r, bound[_i].model, bound[_i].formulation, bound[_i].penalty);
  const hk_integrator *I = &r.s->I;
  const hk_rate_ops *ops = I->f->ops->rates;
  ck_assert_int_eq(ops->matrices(I->f, I->t, I->q, D, I->v, 0.002), HK_OK);
  for (int32_t i = 0; i < I->nv; i++) dw[i] = sin(1.0 + 3.0 * i);
  for (int k = 0; k < 2; k++) {
    for (int32_t i = 0; i < I->nv; i++) w[k][i] = I->v[i] + (k ? 1.0 : -1.0) * dw[i];
    ck_assert_int_eq(ops->rates(I->f, 0, true, I->t, I->q, D, w[k], wd[k]), HK_OK);
  }
  for (int32_t i = 0; i < I->nv; i++) wd[0][i] = 0.5 * (wd[1][i] - wd[0][i]);
  ops->mul(I->f, wd[0], zero, zero, left);
  ops->mul(I->f, zero, dw, zero, right);
  for (int32_t i = 0; i < I->nv; i++) {
    worst = fmax(worst, fabs(left[i] + 2.0 * right[i]));
    size = fmax(size, fabs(left[i]));
  }
  ck_assert_msg(worst < 1e-6 * size, "%s: %g of %g", bound[_i].formulation, worst, size);
  // x' C y and y' C x differ
  ops->mul(I->f, zero, I->v, zero, left);
  for (int32_t i = 0; i < I->nv; i++) unsymmetric += dw[i] * left[i] - I->v[i] * right[i];
  ck_assert_double_gt(fabs(unsymmetric), 1e-3 * size);
  close_model(&r);
}
END_TEST

static const char *const free_ones[] = {"hybrid", "global", "topological"};

START_TEST(solutions) {
  open_run r;
  const double g = 0.01;
  double D[MOST] = {0}, x[MOST], cx[MOST], kx[MOST], y[MOST];
  open_model(&r, "iltis-suspension.yaml", free_ones[_i], NULL);
  const hk_integrator *I = &r.s->I;
  const hk_rate_ops *ops = I->f->ops->rates;
  ck_assert_int_eq(ops->matrices(I->f, I->t, I->q, D, I->v, g), HK_OK);
  for (int32_t i = 0; i < I->nv; i++) x[i] = sin(1.0 + 3.0 * i);
  if (ops->along) ops->along(I->f, x);
  for (int32_t i = 0; i < I->nv; i++) cx[i] = g * x[i], kx[i] = g * g * x[i];
  ops->mul(I->f, x, cx, kx, y);
  ops->solve(I->f, y);
  for (int32_t i = 0; i < I->nv; i++) ck_assert_double_eq_tol(y[i], x[i], 1e-6);
  close_model(&r);
}
END_TEST

Suite *suite_rates(void);
Suite *suite_rates(void) {
  Suite *s = suite_create("rates");
  TCase *t = tcase_create("rates");
  tcase_add_loop_test(t, slope_in_velocities, 0, HK_ARRAY_LEN(bound));
  tcase_add_loop_test(t, solutions, 0, HK_ARRAY_LEN(free_ones));
  suite_add_tcase(s, t);
  return s;
}
