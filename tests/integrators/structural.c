/* SPDX-License-Identifier: Apache-2.0
 *
 * The structural integrators through the stage contract alone, on a formulation of one line: the
 * linear oscillator x'' + 2 d w x' + w^2 x = 0. Order on step halving, the spectral radius at
 * infinite frequency, exact energy of the trapezoidal rule, refused parameters; of the linearly implicit methods their
 * cost, the order of their periods and the limit of their steps.
 */
#include "support_oscillator.h"

/* error in position and velocity at t = 1 */
static double error_at(const char *name, const char *option, const char *value, int n) {
  oscillator_run r;
  const double w = 6.0, d = 0.05, x0 = 1.0, v0 = 0.5;
  double x, v;
  oscillator_start(&r, name, option, value, w, d, x0, v0);
  oscillator_steps(&r, 1.0 / n, n);
  oscillator_exact(w, d, x0, v0, 1.0, &x, &v);
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
    if (ops->needs & ~oscillator_caps) continue;
    double p = order(ops->name, NULL, NULL);
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
  oscillator_run r;
  oscillator_start(&r, name, option, value, 1e5, 0.0, 1e-3, 0.0);
  oscillator_steps(&r, 1.0, 30);
  // growth of the energy norm over ten steps; repeated roots settle slowly
  double a = hypot(1e5 * *r.I.q, *r.I.v) + 1e-300;
  oscillator_steps(&r, 1.0, 10);
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
  oscillator_run r;
  oscillator_start(&r, "trapezoidal", NULL, NULL, 20.0, 0.0, 0.3, 1.0);
  double e0 = 0.5 * (*r.I.v * *r.I.v) + 0.5 * 400.0 * (*r.I.q * *r.I.q);
  oscillator_steps(&r, 0.1, 1000);
  double e1 = 0.5 * (*r.I.v * *r.I.v) + 0.5 * 400.0 * (*r.I.q * *r.I.q);
  ck_assert_double_eq_tol(e1 / e0, 1.0, 1e-11);
}
END_TEST

/* error of the phase of an undamped vibration after ten periods */
static double phase_error(const char *beta, int steps) {
  oscillator_run r;
  const double w = 3.0, T = 20.0 * acos(-1.0) / w;
  oscillator_start(&r, "linearly_implicit", "beta", beta, w, 0.0, 1.0, 0.0);
  oscillator_steps(&r, T / steps, steps);
  return fabs(atan2(*r.I.v, w * *r.I.q));
}

START_TEST(linear_periods) {
  ck_assert_double_eq_tol(log2(phase_error("0.25", 400) / phase_error("0.25", 800)), 2.0, 0.05);
  const char *twelfth = "0.083333333333333333";
  ck_assert_double_eq_tol(log2(phase_error(twelfth, 400) / phase_error(twelfth, 800)), 4.0, 0.1);
  ck_assert_double_eq_tol(order("linearly_implicit", "beta", twelfth), 2.0, 0.05);
  ck_assert_double_eq_tol(order("linearly_implicit", "corrections", "1"), 2.0, 0.05);
  ck_assert_double_eq_tol(order("semi_implicit_euler", "theta", "1"), 1.0, 0.05);
}
END_TEST

/* largest |x| in many steps from x = 1, at w h = x; damped or not */
static double largest(const char *beta, double x, double d) {
  oscillator_run r;
  double most = 0.0;
  oscillator_start(&r, "linearly_implicit", "beta", beta, x, d, 1.0, 0.0);
  for (int i = 0; i < 200; i++) {
    oscillator_steps(&r, 1.0, 1);
    most = fmax(most, fabs(*r.I.q));
  }
  return most;
}

START_TEST(linear_limits) {
  const char *twelfth = "0.083333333333333333";
  ck_assert_double_lt(largest(twelfth, 2.44, 0.0), 30.0);
  ck_assert_double_gt(largest(twelfth, 2.46, 0.0), 1e6);
  // decay rates do not limit the step: 2 d w h = 1000
  ck_assert_double_le(largest(twelfth, 2.0, 250.0), 1.0);
  ck_assert_double_lt(largest("0.25", 1e4, 0.0), 1.001);
  ck_assert_double_eq_tol(radius("linearly_implicit", NULL, NULL), 1.0, 1e-3);
  // (1 - theta)/theta
  ck_assert_double_eq_tol(radius("semi_implicit_euler", "theta", "0.6"), 2.0 / 3.0, 1e-3);
  ck_assert_double_lt(radius("semi_implicit_euler", "theta", "1"), 1e-3);
}
END_TEST

/* two residuals a step; one factor where the formulation can use it again, else two */
START_TEST(linear_cost) {
  const char *const names[] = {"linearly_implicit", "semi_implicit_euler"};
  for (int k = 0; k < 4; k++) {
    oscillator_run r;
    oscillator_start(&r, names[k / 2], NULL, NULL, 5.0, 0.1, 1.0, 0.0);
    r.o.old = k % 2 == 0;
    oscillator_steps(&r, 0.1, 10);
    ck_assert_int_eq(r.o.residuals, 20);
    ck_assert_int_eq(r.o.factors, r.o.old ? 10 : 20);
    ck_assert_int_eq(r.newton.iterations, 20);
    // `jacobian: every` and `fixed_iterations` are heeded
    r.newton.every = true;
    oscillator_steps(&r, 0.1, 1);
    ck_assert_int_eq(r.o.factors, r.o.old ? 12 : 22);
    r.newton.fixed = 1;
    oscillator_steps(&r, 0.1, 1);
    ck_assert_int_eq(r.newton.last, 1);
  }
}
END_TEST

START_TEST(bad_parameters) {
  double par[HK_INTEGRATOR_PAR_MAX / 8];
  char buf[256] = "";
  uint64_t given = 0;
  const hk_integrator_ops *n = hki_integrator_find("newmark");
  hki_params_default(n->params, par);
  ck_assert(!hki_params_set(n->params, par, "gamma", (hk_param_value){.text = "0.2"}, &given, buf,
                            sizeof buf));
  ck_assert_ptr_nonnull(strstr(buf, "range"));
  ck_assert(!hki_params_set(n->params, par, "gamma", (hk_param_value){.text = "fast"}, &given, buf,
                            sizeof buf));
  ck_assert_ptr_nonnull(strstr(buf, "not a number"));
  // gamma and beta each in range, but unstable together
  ck_assert(hki_params_set(n->params, par, "gamma", (hk_param_value){.text = "0.9"}, &given, buf,
                           sizeof buf));
  ck_assert(hki_params_set(n->params, par, "beta", (hk_param_value){.text = "0.25"}, &given, buf,
                           sizeof buf));
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
  tcase_add_test(c, linear_periods);
  tcase_add_test(c, linear_limits);
  tcase_add_test(c, linear_cost);
  tcase_add_test(c, bad_parameters);
  suite_add_tcase(s, c);
  return s;
}
