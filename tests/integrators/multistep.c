/* SPDX-License-Identifier: Apache-2.0
 *
 * The tunable two-step method through the stage contract alone, on the linear oscillator: its
 * order at constant steps and at steps that vary by 30 %, its coefficients against those of the
 * second backward difference formula, and the spectral radius at infinite frequency.
 */
#include <check.h>
#include <math.h>
#include <string.h>

#include "integrators/integrator.h"

/* x'' + 2 d w x' + w^2 x = 0 as a formulation */
typedef struct oscillator {
  hk_formulation base;
  double w, d, r, S;
  hk_stage st;
} oscillator;

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
  const hk_stage *s = &o->st;
  o->r =
      *s->ah + s->ca * *D + 2.0 * o->d * o->w * (*s->vh + s->cv * *D) + o->w * o->w * (*s->q0 + *D);
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

static hk_status project(hk_formulation *f, double t, double *q, double *v, double *a,
                         uint32_t what) {
  (void)f, (void)t, (void)q, (void)v, (void)a, (void)what;
  return HK_OK;
}

static const hk_formulation_ops ops = {.name = "oscillator",
                                       .caps = HK_CAP_STAGE_POS | HK_CAP_ACCEL,
                                       .plus = plus,
                                       .begin = begin,
                                       .residual = residual,
                                       .factor = factor,
                                       .correct = correct,
                                       .project = project};

typedef struct run {
  oscillator o;
  hk_newton newton;
  hk_integrator I;
  double par[HK_INTEGRATOR_PAR_MAX / 8], mem[64];
} run;

static void start(run *r, const char *rho, double w, double d, double x, double v) {
  char buf[256] = "";
  uint64_t given = 0;
  memset(r, 0, sizeof *r);
  r->o = (oscillator){.base = {&ops}, .w = w, .d = d};
  r->newton = (hk_newton){.tolerance = 1e-14, .max_iter = 20};
  hk_integrator *I = &r->I;
  I->ops = hki_integrator_find("multistep");
  ck_assert_ptr_nonnull(I->ops);
  hki_params_default(I->ops->params, r->par);
  if (rho) ck_assert(hki_params_set(I->ops->params, r->par, "rho_inf", rho, &given, buf, 256));
  ck_assert(I->ops->prepare(r->par, given, buf, sizeof buf));
  I->par = r->par, I->f = &r->o.base, I->newton = &r->newton, I->nq = I->nv = 1;
  double *m = r->mem;
  const int nh = I->ops->nhist;
  ck_assert_int_le(2 * nh + 12, 64);
  I->q = m++, I->v = m++, I->a = m++, I->hist = m, m += nh;
  I->q1 = m++, I->v1 = m++, I->a1 = m++, I->hist1 = m, m += nh;
  I->D = m++, I->vh = m++, I->ah = m++, I->work = m;
  *I->q = x, *I->v = v, *I->a = -2.0 * d * w * v - w * w * x;
  ck_assert_int_eq(I->ops->start(I), HK_OK);
}

static void step(run *r, double h) {
  ck_assert_int_eq(r->I.ops->step(&r->I, h), HK_OK);
  hki_integrator_accept(&r->I, h);
}

/* error in position and velocity at t = 1, steps long and short in turn by `vary` */
static double error_at(const char *rho, int n, double vary) {
  static const double turn[6] = {1, -1, 0, 1, -1, 0};
  run r;
  const double w = 6.0, d = 0.05, wd = w * sqrt(1.0 - d * d), x0 = 1.0, v0 = 0.5;
  start(&r, rho, w, d, x0, v0);
  for (int i = 0; i < n; i++) step(&r, (1.0 + vary * turn[i % 6]) / n);
  ck_assert_double_eq_tol(r.I.t, 1.0, 1e-12);
  double B = (v0 + d * w * x0) / wd, e = exp(-d * w), c = cos(wd), s = sin(wd);
  double x = e * (x0 * c + B * s), v = -d * w * x + e * wd * (-x0 * s + B * c);
  return fabs(*r.I.q - x) + fabs(*r.I.v - v) / w;
}

START_TEST(orders) {
  static const char *rho[] = {"0", "0.3", "0.6", "0.8"};
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 2; k++) {
      double vary = 0.3 * k;
      double p = log2(error_at(rho[i], 600, vary) / error_at(rho[i], 1200, vary));
      ck_assert_msg(fabs(p - 2.0) < 0.05, "rho_inf %s, steps vary by %g: order %g", rho[i], vary,
                    p);
    }
}
END_TEST

/* rho = 0: v_k = (3 x_k - 4 x_{k-1} + x_{k-2})/(2 h) */
START_TEST(backward_differences) {
  run r;
  const double h = 0.01;
  double x[3];
  start(&r, "0", 3.0, 0.1, 1.0, 0.2);
  for (int i = 0; i < 12; i++) {
    x[0] = x[1], x[1] = *r.I.q;
    step(&r, h);
    x[2] = *r.I.q;
    double bdf = (3.0 * x[2] - 4.0 * x[1] + x[0]) / (2.0 * h);
    if (i > 0) ck_assert_double_eq_tol(*r.I.v, bdf, 1e-11);
  }
}
END_TEST

/* steps h, then 1.3 h: the formula with unequal steps */
START_TEST(backward_differences_vary) {
  run r;
  const double h = 0.01, g = 0.013, x = g / h;
  double y[3];
  start(&r, "0", 3.0, 0.1, 1.0, 0.2);
  y[0] = *r.I.q;
  step(&r, h);
  y[1] = *r.I.q;
  step(&r, g);
  y[2] = *r.I.q;
  // the parabola through the three positions
  double bdf =
      ((1.0 + 2.0 * x) / (1.0 + x) * y[2] - (1.0 + x) * y[1] + x * x / (1.0 + x) * y[0]) / g;
  ck_assert_double_eq_tol(*r.I.v, bdf, 1e-11);
}
END_TEST

/* size per step at a frequency the step cannot see; double roots settle like n rho^n, so that the
 * ratio of ratios is taken */
START_TEST(spectral_radius) {
  static const struct {
    const char *text;
    double rho;
  } at[] = {{"0.3", 0.3}, {"0.6", 0.6}, {"0.9", 0.9}};
  for (int i = 0; i < 3; i++) {
    run r;
    const double w = 1e9;
    start(&r, at[i].text, w, 0.0, 1e-3, 0.0);
    for (int k = 0; k < 4; k++) step(&r, 1.0);
    // positions follow x_k = (c0 + c1 k) (-rho)^k
    double x[3];
    for (int k = 0; k < 3; k++) {
      x[k] = *r.I.q;
      step(&r, 1.0);
    }
    const double m = -at[i].rho;
    ck_assert_msg(fabs(x[2] - 2.0 * m * x[1] + m * m * x[0]) < 1e-6 * fabs(x[0]),
                  "rho_inf %s: %g %g %g", at[i].text, x[0], x[1], x[2]);
  }
}
END_TEST

Suite *suite_multistep(void);
Suite *suite_multistep(void) {
  Suite *s = suite_create("multistep");
  TCase *c = tcase_create("oscillator");
  tcase_add_test(c, orders);
  tcase_add_test(c, backward_differences);
  tcase_add_test(c, backward_differences_vary);
  tcase_add_test(c, spectral_radius);
  suite_add_tcase(s, c);
  return s;
}
