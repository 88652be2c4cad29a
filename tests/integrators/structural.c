/* SPDX-License-Identifier: Apache-2.0
 *
 * The structural integrators through the stage contract alone, on a formulation of one line: the
 * linear oscillator x'' + 2 d w x' + w^2 x = 0. Order on step halving, the spectral radius at
 * infinite frequency, exact energy of the trapezoidal rule, refused parameters.
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
  tcase_add_test(c, bad_parameters);
  suite_add_tcase(s, c);
  return s;
}
