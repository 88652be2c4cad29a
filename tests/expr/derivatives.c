/* SPDX-License-Identifier: Apache-2.0
 *
 * Slopes of expressions: gradients and jets against central differences over a table of texts and
 * points, jets against closed forms, and what happens at kinks and singular points.
 */
#include "support.h"

#include <float.h>

/* points with all signs; x in (0, 1), y > 1 for the inverse functions */
static const double points[][SLOT_COUNT] = {
    {0.7, -0.3, 1.9, 0.45, 2.6, -4.0},
    {-1.3, 0.8, -0.6, 0.12, 1.3, 3.0},
    {2.2, 1.7, 0.4, 0.83, 4.1, 0.5},
};

static const char *const texts[] = {
    "t + 2*s - x/3",
    "t*s*sdot*x*y",
    "t/(s + 5)/(y*y)",
    "-t^2 + s^3 - y^-2 + y^5 - (x + 1)^-3",
    "y^x",
    "y^1.7",
    "x^0.5",
    "(t^2 + 1)^(s*x)",
    "(0 - y)^3 + s^16",
    "s^17",
    "sin(t)*cos(s) + tan(x)",
    "asin(x) + acos(x) + atan(t)",
    "atan2(s, t) + atan2(y, s*x)",
    "sinh(s) - cosh(t)*tanh(sdot)",
    "asinh(t) + acosh(y) - atanh(x)",
    "exp(s) + exp2(t) + expm1(x)",
    "log(y) + log10(x) + log2(y*x) + log1p(x)",
    "sqrt(y*x + s^2) + cbrt(s)*cbrt(t)",
    "hypot(t, s) + hypot(x*y, sdot)",
    "erf(t) + erfc(s)*x",
    "abs(t)*s + sign(s)*t",
    "floor(t)*s + ceil(s)*t + round(y)*x + trunc(t)*y",
    "fmod(y, x) + fmod(t, s)",
    "remainder(y, x)",
    "copysign(t, s) + copysign(x, t)",
    "min(t, s, x*y) + max(s*t, x, y - 2)",
    "clamp(t, s, y) + clamp(y*x, 0, 1)",
    "step(t)*s + ramp(s)*x + ramp(t)^2",
    "step(t, -2, x, 3, y)",
    "step(s, x - 3, t, y + 1, s*t)",
    "step(t, 3, 1, 4, 2)*x",
    "step(t, -4, 1, -3, 2)*x",
    "step(x, 1, y, 0, t)",
    "if(t > s, t*sin(s), s^2*x)",
    "if(t < 0, if(s > 0, x*t, y), if(s > 0, t*t, exp(s)))",
    "(t > s)*x + (t <= s)*y + (s >= x) + (s < x)*t",
    "not (t > 0 and s < 0) + (t > 0 or s > 0)*x",
    "if(x != 2, t, s)*if(x == 2, t, s)",
    "y^(x + s) * log(y + t^2) / (1 + exp(-t*s))",
    "-(-(t - -s))*+x",
    "body.rod.position.x*t - (t - s)*(s - x)*(x - y)",
    "1/(1 + t^2)^2 - (s - t)/(s + y)",
    "if(t, s, x)*2",
    "min(s, 1)*max(2, t)*x",
};

/* central difference of `which` component in slot k with step h, extrapolated (order 4) */
static double difference(const hk_expr *e, const double *at, int32_t k, double h) {
  double p[SLOT_COUNT], d[2];
  memcpy(p, at, sizeof p);
  for (int32_t i = 0; i < 2; i++) {
    double step = i == 0 ? h : 0.5 * h;
    p[k] = at[k] + step;
    double up = hki_expr_eval(e, p);
    p[k] = at[k] - step;
    d[i] = (up - hki_expr_eval(e, p)) / (2.0 * step);
  }
  return (4.0 * d[1] - d[0]) / 3.0;
}

/* the same of the exact first derivative in `slot` */
static double difference_of_jet(const hk_expr *e, const double *at, int32_t slot, double h) {
  double p[SLOT_COUNT], d[2], up[3], down[3];
  memcpy(p, at, sizeof p);
  for (int32_t i = 0; i < 2; i++) {
    double step = i == 0 ? h : 0.5 * h;
    p[slot] = at[slot] + step;
    hki_expr_eval_jet(e, p, slot, up);
    p[slot] = at[slot] - step;
    hki_expr_eval_jet(e, p, slot, down);
    d[i] = (up[1] - down[1]) / (2.0 * step);
  }
  return (4.0 * d[1] - d[0]) / 3.0;
}

START_TEST(gradient_matches_differences) {
  fixture f;
  fixture_open(&f);
  hk_expr *e = must(&f, texts[_i]);
  for (int32_t p = 0; p < HK_ARRAY_LEN(points); p++) {
    double grad[SLOT_COUNT], v = hki_expr_eval(e, points[p]);
    ck_assert(hki_expr_eval_gradient(e, points[p], grad) == v);
    ck_assert_msg(isfinite(v), "%s at point %d", texts[_i], (int)p);
    for (int32_t i = 0; i < hki_expr_input_count(e); i++) {
      int32_t slot = hki_expr_inputs(e)[i];
      double want = difference(e, points[p], slot, 1e-3), scale = 1.0 + fabs(want) + fabs(v);
      ck_assert_msg(fabs(grad[i] - want) < 2e-9 * scale, "%s at point %d, slot %d: %.12g, %.12g",
                    texts[_i], (int)p, (int)slot, grad[i], want);
    }
  }
  fixture_close(&f);
}
END_TEST

START_TEST(jet_matches_differences) {
  fixture f;
  fixture_open(&f);
  hk_expr *e = must(&f, texts[_i]);
  for (int32_t p = 0; p < HK_ARRAY_LEN(points); p++) {
    double grad[SLOT_COUNT], v = hki_expr_eval_gradient(e, points[p], grad);
    for (int32_t slot = 0; slot < SLOT_COUNT; slot++) {
      double jet[3], first = 0.0;
      hki_expr_eval_jet(e, points[p], slot, jet);
      ck_assert(jet[0] == v);
      for (int32_t i = 0; i < hki_expr_input_count(e); i++) {
        if (hki_expr_inputs(e)[i] == slot) first = grad[i];
      }
      double scale = 1.0 + fabs(first);
      ck_assert_msg(fabs(jet[1] - first) < 1e-13 * scale, "%s: %.17g, %.17g", texts[_i], jet[1],
                    first);
      double want = difference_of_jet(e, points[p], slot, 1e-3);
      scale += fabs(want) + fabs(jet[1]);
      ck_assert_msg(fabs(jet[2] - want) < 2e-9 * scale, "%s at point %d, slot %d: %.12g, %.12g",
                    texts[_i], (int)p, (int)slot, jet[2], want);
    }
  }
  fixture_close(&f);
}
END_TEST

/* along x(u) = x + r u + a u^2/2 the value has rate and acceleration as told */
START_TEST(path_matches_differences) {
  static const double rates[SLOT_COUNT] = {1.0, -0.4, 0.3, 0.2, -0.5, 2.0};
  static const double accels[SLOT_COUNT] = {0.0, 0.7, -0.2, 0.1, 0.9, -1.0};
  fixture f;
  fixture_open(&f);
  hk_expr *e = must(&f, texts[_i]);
  for (int32_t p = 0; p < HK_ARRAY_LEN(points); p++) {
    double out[3], plain[3], side[2][2][3];
    hki_expr_eval_path(e, points[p], rates, accels, out);
    hki_expr_eval_path(e, points[p], NULL, NULL, plain);
    ck_assert(plain[0] == out[0] && plain[1] == 0.0 && plain[2] == 0.0);
    for (int32_t i = 0; i < 2; i++) {
      for (int32_t k = 0; k < 2; k++) {
        double u = (k == 0 ? -1.0 : 1.0) * (i == 0 ? 1e-3 : 5e-4), at[SLOT_COUNT], r[SLOT_COUNT];
        for (int32_t j = 0; j < SLOT_COUNT; j++) {
          at[j] = points[p][j] + u * (rates[j] + 0.5 * u * accels[j]);
          r[j] = rates[j] + u * accels[j];
        }
        hki_expr_eval_path(e, at, r, accels, side[i][k]);
      }
    }
    for (int32_t j = 1; j < 3; j++) {
      double d0 = (side[0][1][j - 1] - side[0][0][j - 1]) / 2e-3;
      double d1 = (side[1][1][j - 1] - side[1][0][j - 1]) / 1e-3, want = (4.0 * d1 - d0) / 3.0;
      ck_assert_msg(fabs(out[j] - want) < 2e-9 * (1.0 + fabs(want) + fabs(out[j - 1])),
                    "%s at point %d, order %d: %.12g, %.12g", texts[_i], (int)p, (int)j, out[j],
                    want);
    }
  }
  fixture_close(&f);
}
END_TEST

START_TEST(jet_closed_forms) {
  const double t = 0.37, w = 2 * 3.14159265358979323846 * 3;
  const struct {
    const char *text;
    double v, d, dd;
  } rows[] = {
      {"t", t, 1, 0},
      {"5", 5, 0, 0},
      {"t^2", t * t, 2 * t, 2},
      {"t^3", t * t * t, 3 * t * t, 6 * t},
      {"0.2*sin(2*pi*3*t)", 0.2 * sin(w * t), 0.2 * w * cos(w * t), -0.2 * w * w * sin(w * t)},
      {"exp(-2*t)", exp(-2 * t), -2 * exp(-2 * t), 4 * exp(-2 * t)},
      {"sqrt(t)", sqrt(t), 0.5 / sqrt(t), -0.25 / (t * sqrt(t))},
      {"1/t", 1 / t, -1 / (t * t), 2 / (t * t * t)},
      {"log(t)", log(t), 1 / t, -1 / (t * t)},
      {"t^t", pow(t, t), pow(t, t) * (log(t) + 1),
       pow(t, t) * ((log(t) + 1) * (log(t) + 1) + 1 / t)},
      {"atan(t)", atan(t), 1 / (1 + t * t), -2 * t / ((1 + t * t) * (1 + t * t))},
      {"step(t, 0, 0, 1, 2)", 2 * t * t * t * (10 - 15 * t + 6 * t * t),
       60 * t * t * (1 - t) * (1 - t), 120 * t * (1 - t) * (1 - 2 * t)},
      {"if(t < 1, t^2/2, t - 1/2)", t * t / 2, t, 1},
      {"ramp(t - 0.1)*L", 2 * (t - 0.1), 2, 0},
  };
  double at[SLOT_COUNT] = {t};
  fixture f;
  fixture_open(&f);
  for (int32_t i = 0; i < HK_ARRAY_LEN(rows); i++) {
    double jet[3], want[3] = {rows[i].v, rows[i].d, rows[i].dd};
    hki_expr_eval_jet(must(&f, rows[i].text), at, SLOT_T, jet);
    for (int32_t k = 0; k < 3; k++) {
      ck_assert_msg(fabs(jet[k] - want[k]) <= 1e-14 * (1 + fabs(want[k])),
                    "%s, order %d: %.17g, expected %.17g", rows[i].text, (int)k, jet[k], want[k]);
    }
  }
  fixture_close(&f);
}
END_TEST

/* kinks and singular points: x = 0, y = 0 */
START_TEST(special_points) {
  static const struct {
    const char *text;
    double v, grad, d, dd; /* gradient; jet in x */
  } rows[] = {
      {"x^2", 0, 0, 0, 2},
      {"x^3", 0, 0, 0, 0},
      {"x^0", 1, 0, 0, 0},
      {"x^1", 0, 1, 1, 0},
      {"x^(L*1)", 0, 0, 0, 2},
      {"x^(y + 2)", 0, 0, 0, 2},
      {"x^(y + 1)", 0, 1, 1, 0},
      {"x^y", 1, 0, 0, 0},
      {"(y + 2)^x", 1, 0.69314718055994530942, 0.69314718055994530942, 0.480453013918201424667},
      {"(x - 2)^2", 4, -4, -4, 2},
      {"(x - 2)^(y + 3)", -8, 12, 12, -12},
      {"(x - 2)^-1", -0.5, -0.25, -0.25, -0.25},
      {"x^1.5", 0, 0, 0, INFINITY},
      {"x^17", 0, 0, 0, 0},
      {"sqrt(x)", 0, 0, INFINITY, -INFINITY},
      {"-sqrt(-x)", 0, 0, INFINITY, INFINITY},
      {"sqrt(x)*x", 0, 0, 0, INFINITY},
      {"sqrt(0*x)", 0, 0, 0, 0},
      {"sqrt(y)*3 + x", 0, 1, 1, 0},
      {"sign(x)*sqrt(abs(x))", 0, 0, 0, 0},
      {"abs(x)", 0, 0, 0, 0},
      {"ramp(x)", 0, 1, 1, 0},
      {"max(0, x)", 0, 0, 0, 0},
      {"max(x, 0)", 0, 1, 1, 0},
      {"min(x, 2*x)", 0, 1, 1, 0},
      {"step(x)", 1, 0, 0, 0},
      {"sign(x)", 0, 0, 0, 0},
      {"hypot(x, y)", 0, 0, 0, 0},
      {"atan2(x, y)", 0, 0, 0, 0},
      {"atan2(x, 1 + y)", 0, 1, 1, 0},
      {"x*abs(x)", 0, 0, 0, 0},
      {"asin(1 + x)", 1.57079632679489661923, 0, INFINITY, INFINITY},
      {"if(x >= 0, x, -x)", 0, 1, 1, 0},
      {"x/(1 + abs(x))", 0, 1, 1, 0},
      {"exp(-1/(x + zero)^2)", 0, 0, 0, 0},
      {"tanh(x*1e200)", 0, 1e200, 1e200, 0},
  };
  double at[SLOT_COUNT] = {0};
  fixture f;
  fixture_open(&f);
  for (int32_t i = 0; i < HK_ARRAY_LEN(rows); i++) {
    double jet[3], grad[SLOT_COUNT] = {0}, want[3] = {rows[i].v, rows[i].d, rows[i].dd};
    hk_expr *e = must(&f, rows[i].text);
    double v = hki_expr_eval_gradient(e, at, grad);
    ck_assert_msg(fabs(v - rows[i].v) < 1e-15, "%s: %.17g", rows[i].text, v);
    ck_assert_msg(grad[0] == rows[i].grad, "%s: slope %.17g", rows[i].text, grad[0]);
    hki_expr_eval_jet(e, at, SLOT_X, jet);
    for (int32_t k = 0; k < 3; k++) {
      bool same = jet[k] == want[k] || fabs(jet[k] - want[k]) < 1e-15;
      ck_assert_msg(same, "%s, order %d: %.17g", rows[i].text, (int)k, jet[k]);
    }
  }
  fixture_close(&f);
}
END_TEST

/* more inputs than fit into one pass */
static bool resolve_many(void *user, const char *name, hk_expr_symbol *out) {
  (void)user;
  *out = (hk_expr_symbol){.is_input = true, .slot = (int32_t)strlen(name) * 3};
  return name[0] == 'a';
}

START_TEST(many_inputs) {
  fixture f;
  hk_expr *e;
  hk_expr_scope scope = {NULL, resolve_many, NULL, false};
  static const char text[] = "a*aa + aaa*aaaa - aaaaa/aaaaaa + aaaaaaa^2*aaaaaaaa + aaaaaaaaa";
  double at[40], grad[9];
  fixture_open(&f);
  for (int32_t i = 0; i < 40; i++) at[i] = 1.0 + 0.25 * i;
  ck_assert_int_eq(hki_expr_compile(f.ctx, f.pool, text, strlen(text), HK_LOC_NONE, &scope, &e),
                   HK_OK);
  ck_assert_int_eq(hki_expr_input_count(e), 9);
  hki_expr_eval_gradient(e, at, grad);
  const double want[9] = {at[6],
                          at[3],
                          at[12],
                          at[9],
                          -1 / at[18],
                          at[15] / (at[18] * at[18]),
                          2 * at[21] * at[24],
                          at[21] * at[21],
                          1};
  for (int32_t i = 0; i < 9; i++) {
    ck_assert_int_eq(hki_expr_inputs(e)[i], 3 * (i + 1));
    ck_assert_msg(fabs(grad[i] - want[i]) <= 4 * DBL_EPSILON * fabs(want[i]), "slope %d", (int)i);
  }
  fixture_close(&f);
}
END_TEST

Suite *suite_derivatives(void) {
  Suite *s = suite_create("expression derivatives");
  TCase *c = tcase_create("derivatives");
  tcase_add_loop_test(c, gradient_matches_differences, 0, HK_ARRAY_LEN(texts));
  tcase_add_loop_test(c, jet_matches_differences, 0, HK_ARRAY_LEN(texts));
  tcase_add_loop_test(c, path_matches_differences, 0, HK_ARRAY_LEN(texts));
  tcase_add_test(c, jet_closed_forms);
  tcase_add_test(c, special_points);
  tcase_add_test(c, many_inputs);
  suite_add_tcase(s, c);
  return s;
}
