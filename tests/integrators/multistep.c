/* SPDX-License-Identifier: Apache-2.0
 *
 * The tunable two-step method through the stage contract alone, on the linear oscillator: its
 * order at constant steps and at steps that vary by 30 %, its coefficients against those of the
 * second backward difference formula, and the spectral radius at infinite frequency.
 */
#include "support_oscillator.h"

static void start(oscillator_run *r, const char *rho, double w, double d, double x, double v) {
  oscillator_start(r, "multistep", "rho_inf", rho, w, d, x, v);
}

static void step(oscillator_run *r, double h) { oscillator_steps(r, h, 1); }

/* error in position and velocity at t = 1, steps long and short in turn by `vary` */
static double error_at(const char *rho, int n, double vary) {
  static const double turn[6] = {1, -1, 0, 1, -1, 0};
  oscillator_run r;
  const double w = 6.0, d = 0.05, x0 = 1.0, v0 = 0.5;
  double x, v;
  start(&r, rho, w, d, x0, v0);
  for (int i = 0; i < n; i++) step(&r, (1.0 + vary * turn[i % 6]) / n);
  ck_assert_double_eq_tol(r.I.t, 1.0, 1e-12);
  oscillator_exact(w, d, x0, v0, 1.0, &x, &v);
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
  oscillator_run r;
  const double h = 0.01;
  double x[3] = {0};
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
  oscillator_run r;
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
    oscillator_run r;
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
