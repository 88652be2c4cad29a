/* SPDX-License-Identifier: Apache-2.0
 *
 * The error law of every method against its true local error, at constant and at varying steps; the
 * order of methods at steps that vary by 30 %; dense output against its order; what the controller
 * makes of errors and iterations.
 */
#include "support_oscillator.h"

static const double w = 6.0, d = 0.05;

static const struct {
  const char *name, *option, *value;
} methods[] = {
    {"trapezoidal", NULL, NULL},
    {"newmark", NULL, NULL},
    {"newmark", "gamma", "0.5"},
    {"hht", "alpha", "-0.3"},
    {"hht", NULL, NULL},
    {"generalized_alpha", NULL, NULL},
    {"generalized_alpha", "rho_inf", "0"},
    {"generalized_alpha", "rho_inf", "1"},
    {"multistep", NULL, NULL},
    {"multistep", "rho_inf", "0"},
    {"multistep", "rho_inf", "0.9"},
};
enum { METHODS = (int)(sizeof methods / sizeof *methods) };

/* steps long and short in turn */
static const double turn[6] = {1, -1, 0, 1, -1, 0};

/* --- the error law ---------------------------------------------------------------------------- */

/* the law's error over the true one of the last of 13 steps of about h; vary: share by which they
 * differ. The true error of a step is that from the state it began with. */
static double ratio(int i, double h, double vary) {
  oscillator_run r;
  double past[HK_CONTROL_PAST] = {0}, x, v;
  // positions and velocities weigh so much that either may be the largest
  const hk_control_par p = {.kind = HK_CONTROL_ERROR, .rtol = 0.0, .atol = 1.0};
  hk_control c = {0};
  oscillator_start(&r, methods[i].name, methods[i].option, methods[i].value, w, d, 1.0, -3.0);
  hk_integrator *I = &r.I;
  double found = 0.0, q0 = 0.0, v0 = 0.0, g = 0.0;
  for (int k = 0; k < 13; k++) {
    g = h * (1.0 + vary * turn[k % 6]);
    ck_assert_int_eq(I->ops->step(I, g), HK_OK);
    found = hki_control_error(&p, &c, past, I, g);
    hki_control_accept(&p, &c, past, I, g, false);
    q0 = *I->q, v0 = *I->v;
    hki_integrator_accept(I, g);
  }
  oscillator_exact(w, d, q0, v0, g, &x, &v);
  return found / sqrt(0.5 * ((*I->q - x) * (*I->q - x) + (*I->v - v) * (*I->v - v)));
}

START_TEST(error_laws) {
  for (int k = 0; k < 2; k++) {
    double a = ratio(_i, 5e-4, 0.3 * k);
    // a method's own history is not as smooth as the motion where steps vary
    bool good = k ? a > 0.5 && a < 2.0 : fabs(a - 1.0) < 0.02;
    ck_assert_msg(good, "%s %s, steps vary by %g: %g of the error", methods[_i].name,
                  methods[_i].value ? methods[_i].value : "", 0.3 * k, a);
  }
}
END_TEST

/* --- order at varying steps ------------------------------------------------------------------- */

static double error_at(int i, int n, double vary) {
  oscillator_run r;
  double x, v;
  oscillator_start(&r, methods[i].name, methods[i].option, methods[i].value, w, d, 1.0, 0.5);
  for (int k = 0; k < n; k++) oscillator_steps(&r, (1.0 + vary * turn[k % 6]) / n, 1);
  oscillator_exact(w, d, 1.0, 0.5, 1.0, &x, &v);
  return fabs(*r.I.q - x) + fabs(*r.I.v - v) / w;
}

START_TEST(order_at_varying_steps) {
  const int order = !strcmp(methods[_i].name, "newmark") && !methods[_i].value ? 1 : 2;
  double p = log2(error_at(_i, 600, 0.3) / error_at(_i, 1200, 0.3));
  ck_assert_msg(fabs(p - order) < 0.06, "%s %s: order %g", methods[_i].name,
                methods[_i].value ? methods[_i].value : "", p);
}
END_TEST

/* --- dense output ----------------------------------------------------------------------------- */

/* largest difference to the exact motion within one step from exact values */
static void dense_error(const char *name, double h, double *eq, double *ev) {
  oscillator_run r;
  double q, v, x, y;
  oscillator_start(&r, name, NULL, NULL, w, d, 1.0, 0.5);
  ck_assert_int_eq(r.I.ops->step(&r.I, h), HK_OK);
  // the end of the step as it should be: what is left is the interpolation's
  if (strcmp(name, "dopri5")) oscillator_exact(w, d, 1.0, 0.5, h, r.I.q1, r.I.v1);
  hki_interpolate_remember(&r.I, h);
  *eq = *ev = 0.0;
  for (int k = 0; k <= 16; k++) {
    ck_assert_int_eq(hki_interpolate(&r.I, k / 16.0, &q, &v), HK_OK);
    oscillator_exact(w, d, 1.0, 0.5, k * h / 16.0, &x, &y);
    *eq = fmax(*eq, fabs(q - x));
    *ev = fmax(*ev, fabs(v - y));
  }
}

START_TEST(dense_order) {
  double q[2], v[2];
  dense_error("trapezoidal", 0.02, &q[0], &v[0]);
  dense_error("trapezoidal", 0.01, &q[1], &v[1]);
  ck_assert_double_eq_tol(log2(q[0] / q[1]), 4.0, 0.1);
  ck_assert_double_eq_tol(log2(v[0] / v[1]), 3.0, 0.1);
  dense_error("dopri5", 0.08, &q[0], &v[0]);
  dense_error("dopri5", 0.04, &q[1], &v[1]);
  ck_assert_double_gt(log2(q[0] / q[1]), 4.75);
  ck_assert_double_gt(log2(v[0] / v[1]), 4.75);
}
END_TEST

/* both ends are met */
START_TEST(dense_ends) {
  static const char *const name[] = {"trapezoidal", "multistep", "dopri5", "abm2"};
  for (int i = 0; i < 4; i++) {
    oscillator_run r;
    double q, v;
    oscillator_start(&r, name[i], NULL, NULL, w, d, 1.0, 0.5);
    oscillator_steps(&r, 0.02, 3);
    ck_assert_int_eq(r.I.ops->step(&r.I, 0.03), HK_OK);
    hki_interpolate_remember(&r.I, 0.03);
    ck_assert_int_eq(hki_interpolate(&r.I, 0.0, &q, &v), HK_OK);
    ck_assert_double_eq_tol(q, *r.I.q, 1e-14);
    ck_assert_double_eq_tol(v, *r.I.v, 1e-13);
    ck_assert_int_eq(hki_interpolate(&r.I, 1.0, &q, &v), HK_OK);
    ck_assert_double_eq_tol(q, *r.I.q1, 1e-14);
    ck_assert_double_eq_tol(v, *r.I.v1, 1e-13);
  }
}
END_TEST

/* --- the controller --------------------------------------------------------------------------- */

START_TEST(controller) {
  oscillator_run r;
  double past[HK_CONTROL_PAST] = {0};
  hk_control_par p = {.kind = HK_CONTROL_ERROR, .rtol = 1e-6, .atol = 1e-8};
  hk_control c = {0};
  oscillator_start(&r, "trapezoidal", NULL, NULL, w, d, 1.0, 0.5);
  ck_assert_int_eq(r.I.ops->step(&r.I, 0.01), HK_OK);
  // eight times the error: half the step, less a margin; never below a fifth
  ck_assert_double_eq_tol(hki_control_refuse(&p, &c, &r.I, 0.01, 8.0), 0.9 * 0.005, 1e-12);
  ck_assert_double_eq_tol(hki_control_refuse(&p, &c, &r.I, 0.01, 1e9), 0.002, 1e-12);
  ck_assert_double_eq_tol(hki_control_refuse(&p, &c, &r.I, 0.01, NAN), 0.005, 1e-12);
  // after a refused step nothing grows; then by no more than two
  r.I.err = 1e-9;
  hki_control_accept(&p, &c, past, &r.I, 0.005, false);
  ck_assert_double_eq_tol(c.h, 0.005, 1e-12);
  hki_control_accept(&p, &c, past, &r.I, 0.005, false);
  ck_assert_double_eq_tol(c.h, 0.01, 1e-12);
  // a step cut short does not shorten the next
  r.I.err = 0.5;
  hki_control_accept(&p, &c, past, &r.I, 0.0001, true);
  ck_assert_double_eq_tol(c.h, 0.01, 1e-12);
}
END_TEST

START_TEST(controller_by_iterations) {
  oscillator_run r;
  double past[HK_CONTROL_PAST] = {0};
  hk_control_par p = {.kind = HK_CONTROL_ITERATIONS, .few = 3, .many = 6};
  hk_control c = {0};
  oscillator_start(&r, "trapezoidal", NULL, NULL, w, d, 1.0, 0.5);
  c.h = 1.0;
  r.newton.last = 4;
  hki_control_accept(&p, &c, past, &r.I, 1.0, false);
  ck_assert_double_eq_tol(c.h, 1.0, 1e-12);
  r.newton.last = 7;
  hki_control_accept(&p, &c, past, &r.I, 1.0, false);
  ck_assert_double_eq_tol(c.h, 0.7, 1e-12);
  r.newton.last = 2;
  for (int k = 0; k < 3; k++) {
    hki_control_accept(&p, &c, past, &r.I, 0.7, false);
    ck_assert_double_eq_tol(c.h, 0.7, 1e-12);
  }
  hki_control_accept(&p, &c, past, &r.I, 0.7, false);
  ck_assert_double_eq_tol(c.h, 0.91, 1e-12);
}
END_TEST

Suite *suite_step_control(void);
Suite *suite_step_control(void) {
  Suite *s = suite_create("step control");
  TCase *c = tcase_create("oscillator");
  tcase_add_loop_test(c, error_laws, 0, METHODS);
  tcase_add_loop_test(c, order_at_varying_steps, 0, METHODS);
  tcase_add_test(c, dense_order);
  tcase_add_test(c, dense_ends);
  tcase_add_test(c, controller);
  tcase_add_test(c, controller_by_iterations);
  suite_add_tcase(s, c);
  return s;
}
