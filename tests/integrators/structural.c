/* SPDX-License-Identifier: Apache-2.0
 *
 * The structural integrators through the stage contract alone, on a formulation of one line: the
 * linear oscillator x'' + 2 d w x' + w^2 x = 0. Order on step halving, the spectral radius at
 * infinite frequency, exact energy of the trapezoidal rule, refused parameters.
 */
#include <check.h>
#include <math.h>
#include <string.h>

#include "integrators/integrator.h"

/* --- the oscillator as a formulation -----------------------------------------------------------
 */

typedef struct oscillator {
  hk_formulation base;
  double w, d;
  hk_stage st;
  double r, S;
} oscillator;

static void dims(const hk_formulation *f, hk_dims *d) {
  (void)f;
  *d = (hk_dims){1, 1, 0};
}

static void plus(const hk_formulation *f, const double *q, const double *d, double *out) {
  (void)f;
  *out = *q + *d;
}

static hk_status begin(hk_formulation *f, const hk_stage *st) {
  ((oscillator *)f)->st = *st;
  return HK_OK;
}

static hk_status residual(hk_formulation *f, const double *D, bool tangent) {
  (void)tangent;
  oscillator *o = (oscillator *)f;
  double x = *o->st.q0 + *D, v = *o->st.vh + o->st.cv * *D, a = *o->st.ah + o->st.ca * *D;
  o->r = a + 2.0 * o->d * o->w * v + o->w * o->w * x;
  return HK_OK;
}

static hk_status factor(hk_formulation *f) {
  oscillator *o = (oscillator *)f;
  o->S = o->st.ca + 2.0 * o->d * o->w * o->st.cv + o->w * o->w;
  return HK_OK;
}

static hk_status correct(hk_formulation *f, double *D, hk_norms *n) {
  oscillator *o = (oscillator *)f;
  *D -= o->r / o->S;
  *n = (hk_norms){.step = fabs(o->r / o->S)};
  return HK_OK;
}

static hk_status accel(hk_formulation *f, double t, const double *q, const double *v, double *a) {
  const oscillator *o = (oscillator *)f;
  (void)t;
  *a = -2.0 * o->d * o->w * *v - o->w * o->w * *q;
  return HK_OK;
}

static hk_status project(hk_formulation *f, double t, double *q, double *v, double *a,
                         uint32_t what) {
  (void)f, (void)t, (void)q, (void)v, (void)a, (void)what;
  return HK_OK;
}

static const hk_formulation_ops oscillator_ops = {.name = "oscillator",
                                                  .caps = HK_CAP_STAGE_POS | HK_CAP_ACCEL,
                                                  .dims = dims,
                                                  .plus = plus,
                                                  .begin = begin,
                                                  .residual = residual,
                                                  .factor = factor,
                                                  .correct = correct,
                                                  .accel = accel,
                                                  .project = project};

/* --- a run ---------------------------------------------------------------------------------------
 */

enum { HIST = 32 }; /* vectors of history there is room for */

typedef struct run {
  oscillator o;
  hk_newton newton;
  hk_integrator I;
  double par[HK_INTEGRATOR_PAR_MAX / 8], mem[2 * HIST + 32];
} run;

static void start(run *r, const char *name, const char *option, const char *value, double w,
                  double d, double x, double v) {
  char buf[256] = "";
  uint64_t given = 0;
  memset(r, 0, sizeof *r);
  r->o = (oscillator){.base = {&oscillator_ops}, .w = w, .d = d};
  r->newton = (hk_newton){.tolerance = 1e-14, .max_iter = 20};
  hk_integrator *I = &r->I;
  I->ops = hki_integrator_find(name);
  ck_assert_ptr_nonnull(I->ops);
  hki_params_default(I->ops->params, r->par);
  if (option)
    ck_assert_msg(hki_params_set(I->ops->params, r->par, option, value, &given, buf, sizeof buf),
                  "%s", buf);
  ck_assert_msg(I->ops->prepare(r->par, given, buf, sizeof buf), "%s", buf);
  ck_assert_int_le(I->ops->nhist, HIST);
  I->par = r->par, I->f = &r->o.base, I->newton = &r->newton, I->nq = I->nv = 1;
  double *m = r->mem;
  I->q = m++, I->v = m++, I->a = m++, I->hist = m, m += HIST;
  I->q1 = m++, I->v1 = m++, I->a1 = m++, I->hist1 = m, m += HIST;
  I->D = m++, I->vh = m++, I->ah = m++, I->work = m;
  *I->q = x, *I->v = v, *I->a = -2.0 * d * w * v - w * w * x;
  ck_assert_int_eq(I->ops->start(I), HK_OK);
}

static void steps(run *r, double h, int n) {
  for (int i = 0; i < n; i++) {
    ck_assert_int_eq(r->I.ops->step(&r->I, h), HK_OK);
    hki_integrator_accept(&r->I, h);
  }
}

/* error in position and velocity at t = 1 */
static double error_at(const char *name, const char *option, const char *value, int n) {
  run r;
  const double w = 6.0, d = 0.05, wd = w * sqrt(1.0 - d * d), x0 = 1.0, v0 = 0.5;
  start(&r, name, option, value, w, d, x0, v0);
  steps(&r, 1.0 / n, n);
  double B = (v0 + d * w * x0) / wd, e = exp(-d * w), c = cos(wd), s = sin(wd);
  double x = e * (x0 * c + B * s), v = -d * w * x + e * wd * (-x0 * s + B * c);
  return fabs(*r.I.q - x) + fabs(*r.I.v - v) / w;
}

/* high orders reach round-off in small steps */
static double order(const char *name, const char *option, const char *value) {
  const int n = hki_integrator_find(name)->order > 4 ? 100 : 800;
  return log2(error_at(name, option, value, n) / error_at(name, option, value, 2 * n));
}

START_TEST(orders) {
  for (int32_t i = 0; i < hki_integrator_count(); i++) {
    const hk_integrator_ops *ops = hki_integrator_at(i);
    if (ops->needs & ~oscillator_ops.caps) continue;
    // error-controlled ones take one step a step
    bool control = hki_params_find(ops->params, "control") != NULL;
    double p = order(ops->name, control ? "control" : NULL, "off");
    ck_assert_msg(fabs(p - ops->order) < 0.1, "%s: order %g, its table says %d", ops->name, p,
                  ops->order);
  }
  ck_assert_double_eq_tol(order("generalized_alpha", "rho_inf", "0"), 2.0, 0.05);
  ck_assert_double_eq_tol(order("generalized_alpha", "rho_inf", "1"), 2.0, 0.05);
  ck_assert_double_eq_tol(order("hht", "alpha", "-0.3"), 2.0, 0.05);
  ck_assert_double_eq_tol(order("newmark", "gamma", "0.5"), 2.0, 0.05);
}
END_TEST

/* |x| per step once the method's own modes have settled, at a frequency the step cannot see */
static double radius(const char *name, const char *option, const char *value) {
  run r;
  start(&r, name, option, value, 1e5, 0.0, 1e-3, 0.0);
  steps(&r, 1.0, 30);
  // growth of the energy norm over ten steps; repeated roots settle slowly
  double a = hypot(1e5 * *r.I.q, *r.I.v) + 1e-300;
  steps(&r, 1.0, 10);
  return pow((hypot(1e5 * *r.I.q, *r.I.v) + 1e-300) / a, 0.1);
}

START_TEST(spectral_radius) {
  ck_assert_double_eq_tol(radius("generalized_alpha", "rho_inf", "0.5"), 0.5, 0.06);
  ck_assert_double_eq_tol(radius("generalized_alpha", "rho_inf", "0.8"), 0.8, 0.06);
  ck_assert_double_eq_tol(radius("trapezoidal", NULL, NULL), 1.0, 1e-3);
  ck_assert_double_lt(radius("newmark", "gamma", "0.7"), 0.95);
  ck_assert_double_lt(radius("hht", "alpha", "-0.3"), 0.95);
}
END_TEST

START_TEST(trapezoidal_keeps_energy) {
  run r;
  start(&r, "trapezoidal", NULL, NULL, 20.0, 0.0, 0.3, 1.0);
  double e0 = 0.5 * (*r.I.v * *r.I.v) + 0.5 * 400.0 * (*r.I.q * *r.I.q);
  steps(&r, 0.1, 1000);
  double e1 = 0.5 * (*r.I.v * *r.I.v) + 0.5 * 400.0 * (*r.I.q * *r.I.q);
  ck_assert_double_eq_tol(e1 / e0, 1.0, 1e-11);
}
END_TEST

START_TEST(bad_parameters) {
  double par[HK_INTEGRATOR_PAR_MAX / 8];
  char buf[256] = "";
  uint64_t given = 0;
  const hk_integrator_ops *n = hki_integrator_find("newmark");
  hki_params_default(n->params, par);
  ck_assert(!hki_params_set(n->params, par, "gamma", "0.2", &given, buf, sizeof buf));
  ck_assert_ptr_nonnull(strstr(buf, "range"));
  ck_assert(!hki_params_set(n->params, par, "gamma", "fast", &given, buf, sizeof buf));
  ck_assert_ptr_nonnull(strstr(buf, "not a number"));
  // gamma and beta each in range, but unstable together
  ck_assert(hki_params_set(n->params, par, "gamma", "0.9", &given, buf, sizeof buf));
  ck_assert(hki_params_set(n->params, par, "beta", "0.25", &given, buf, sizeof buf));
  ck_assert(!n->prepare(par, given, buf, sizeof buf));
  ck_assert_ptr_nonnull(strstr(buf, "not stable"));
  ck_assert_ptr_null(hki_integrator_find("rk5000"));
}
END_TEST

Suite *suite_structural(void);
Suite *suite_structural(void) {
  Suite *s = suite_create("structural integrators");
  TCase *c = tcase_create("oscillator");
  tcase_add_test(c, orders);
  tcase_add_test(c, spectral_radius);
  tcase_add_test(c, trapezoidal_keeps_energy);
  tcase_add_test(c, bad_parameters);
  suite_add_tcase(s, c);
  return s;
}
