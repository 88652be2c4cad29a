/* SPDX-License-Identifier: Apache-2.0
 *
 * Cosine, sweep, fourier, random, Akima's cubic, tables in two variables, inputs that repeat: values
 * and integrals in closed form, derivatives against differences, breaks, statistics of noise.
 */
#include "support.h"

static const hk_loc at = {-1, 4, 2};
static const double pi = 3.14159265358979323846;

static void finish(fixture *f, hk_shape *s) {
  ck_assert_int_eq(hki_shape_finish(f->ctx, at, s), HK_OK);
}

/* integral from a to b by Gauss's rule of five points on n pieces */
static double integral(const hk_shape *s, double a, double b, int32_t n) {
  static const double x[] = {0.0, 0.53846931010568309104, 0.90617984593866399280};
  static const double w[] = {0.56888888888888888889, 0.47862867049936646804,
                             0.23692688505618908751};
  double sum = 0.0, h = (b - a) / n, out[3];
  for (int32_t i = 0; i < n; i++) {
    for (int32_t k = -2; k <= 2; k++) {
      int32_t j = k < 0 ? -k : k;
      hki_shape_eval(s, a + h * (i + 0.5 + 0.5 * (k < 0 ? -x[j] : x[j])), out);
      sum += 0.5 * h * w[j] * out[0];
    }
  }
  return sum;
}

/* slopes against differences, away from the breaks */
static void check_slopes(const hk_shape *s, double a, double b, double tol) {
  const double d = 1e-5;
  double out[3], up[3], down[3];
  for (int32_t i = 0; i < 500; i++) {
    double x = a + (b - a) * (i + 0.123) / 500;
    if (hki_shape_next_break(s, x - 2 * d, false) < x + 2 * d) continue;
    hki_shape_eval(s, x, out);
    hki_shape_eval(s, x + d, up);
    hki_shape_eval(s, x - d, down);
    ck_assert_msg(fabs(out[1] - (up[0] - down[0]) / (2 * d)) < tol, "slope at %g", x);
    ck_assert_msg(fabs(out[2] - (up[1] - down[1]) / (2 * d)) < tol, "curvature at %g", x);
  }
}

START_TEST(cosine) {
  fixture f;
  fixture_open(&f);
  hk_shape s;
  double out[3];
  hki_shape_init(&s, HK_SHAPE_COSINE);
  s.frequency = 2, s.amplitude = 3, s.offset = 1, s.start = 0.5, s.cycles = 1.5;
  finish(&f, &s);
  hki_shape_eval(&s, 0.25, out);
  ck_assert(out[0] == 1 && out[1] == 0 && out[2] == 0);
  hki_shape_eval(&s, 0.75, out); // half a period: the top
  ck_assert(fabs(out[0] - 7) < 1e-14 && fabs(out[1]) < 1e-12);
  ck_assert(fabs(out[2] + 3 * 16 * pi * pi) < 1e-9);
  hki_shape_eval(&s, 9, out); // one and a half: it stays there
  ck_assert(fabs(out[0] - 7) < 1e-14 && out[1] == 0);
  // the mean of whole periods is offset + amplitude
  ck_assert(fabs(integral(&s, 0.5, 1.0, 40) - 0.5 * 4) < 1e-13);
  check_slopes(&s, 0, 2, 1e-5);
  double b[8];
  ck_assert_int_eq(shape_breaks(&s, -1, 6, b, 8), 2);
  ck_assert(b[0] == 0.5 && b[1] == 1.25);
  fixture_close(&f);
}
END_TEST

/* the phase of a sweep is the integral of its frequency */
START_TEST(sweep) {
  fixture f;
  fixture_open(&f);
  hk_shape s;
  double out[3];
  hki_shape_init(&s, HK_SHAPE_SWEEP);
  s.from = 1, s.to = 5, s.duration = 4, s.start = 1, s.amplitude = 2, s.offset = 0.5;
  finish(&f, &s);
  hki_shape_eval(&s, 0.5, out);
  ck_assert(out[0] == 0.5 && out[1] == 0 && out[2] == 0);
  // linear: u = 1 has 1 + 0.5 cycles, u = 4 has 12, then five a second
  hki_shape_eval(&s, 2, out);
  ck_assert(fabs(out[0] - 0.5) < 1e-13 && fabs(out[1] + 2 * 2 * pi * 2) < 1e-12);
  hki_shape_eval(&s, 5.05, out);
  ck_assert(fabs(out[0] - (0.5 + 2 * sin(2 * pi * 12.25))) < 1e-12);
  check_slopes(&s, 0, 6, 2e-3);
  s.law = HK_SWEEP_LOGARITHMIC;
  // cycles f0 T (r - 1)/ln r at the end, r = 5
  hki_shape_eval(&s, 5, out);
  ck_assert(fabs(out[0] - (0.5 + 2 * sin(2 * pi * 16 / log(5)))) < 1e-12);
  ck_assert(fabs(out[1] - 2 * 2 * pi * 5 * cos(2 * pi * 16 / log(5))) < 1e-10);
  check_slopes(&s, 0, 6, 2e-3);
  s.from = 0;
  ck_assert_int_eq(hki_shape_finish(f.ctx, at, &s), HK_E_MODEL);
  ck_assert(strstr(hk_ctx_message(f.ctx, 0)->text, "a logarithmic sweep from 0 Hz to 5 Hz"));
  fixture_close(&f);
}
END_TEST

START_TEST(fourier) {
  static const double a[] = {1, 0, 0.25}, b[] = {0, -0.5};
  fixture f;
  fixture_open(&f);
  hk_shape s;
  double out[3];
  hki_shape_init(&s, HK_SHAPE_FOURIER);
  s.frequency = 0.5, s.offset = 2, s.start = 0.1;
  ck_assert_int_eq(hki_shape_finish(f.ctx, at, &s), HK_E_MODEL);
  s.cos = (hk_reals){3, a}, s.sin = (hk_reals){2, b};
  finish(&f, &s);
  for (double x = -1; x < 3; x += 0.37) {
    double p = pi * (x - 0.1);
    hki_shape_eval(&s, x, out);
    ck_assert(fabs(out[0] - (2 + cos(p) - 0.5 * sin(2 * p) + 0.25 * cos(3 * p))) < 1e-13);
  }
  check_slopes(&s, -1, 3, 1e-6);
  ck_assert(fabs(integral(&s, 0.3, 2.3, 20) - 4) < 1e-12);
  ck_assert(hki_shape_next_break(&s, 0, false) == INFINITY);
  fixture_close(&f);
}
END_TEST

static hk_shape noise(fixture *f, int32_t colour, int32_t distribution, bool smooth) {
  hk_shape s;
  hki_shape_init(&s, HK_SHAPE_RANDOM);
  s.hold = 0.125, s.seed = 7, s.colour = colour, s.distribution = distribution, s.smooth = smooth;
  finish(f, &s);
  return s;
}

/* the numbers are the same on every machine */
START_TEST(random_bits) {
  static const struct {
    int32_t colour, distribution;
    bool smooth;
    double y[2]; /* at 0.3 and 100.7 */
  } rows[] = {
      {HK_RANDOM_WHITE, HK_RANDOM_UNIFORM, false, {-0x1.4fb883ac283efp-3, -0x1.4da9cb75b9401p+0}},
      {HK_RANDOM_WHITE, HK_RANDOM_NORMAL, false, {0x1.b4141ec518158p-3, 0x1.283ec968d47bep+0}},
      {HK_RANDOM_PINK, HK_RANDOM_UNIFORM, true, {0x1.14995f3f1e58cp-1, 0x1.052adabbeb319p+1}},
      {HK_RANDOM_BROWN, HK_RANDOM_NORMAL, true, {-0x1.0b028189cb8aep+1, -0x1.1356fe73a1b09p+1}},
  };
  fixture f;
  fixture_open(&f);
  for (int32_t i = 0; i < HK_ARRAY_LEN(rows); i++) {
    hk_shape s = noise(&f, rows[i].colour, rows[i].distribution, rows[i].smooth);
    double a[3], b[3];
    hki_shape_eval(&s, 0.3, a);
    hki_shape_eval(&s, 100.7, b);
    ck_assert_msg(a[0] == rows[i].y[0] && b[0] == rows[i].y[1], "row %d: %a, %a", (int)i, a[0],
                  b[0]);
  }
  fixture_close(&f);
}
END_TEST

/* mean 0 and deviation 1; neighbours do not know each other; held values jump at their ends only */
START_TEST(random_values) {
  fixture f;
  fixture_open(&f);
  for (int32_t k = 0; k < 4; k++) {
    hk_shape s = noise(&f, HK_RANDOM_WHITE, k % 2, k / 2);
    double sum = 0, square = 0, next = 0, last = 0, fourth = 0, out[3];
    const int32_t n = 40000, each = k / 2 ? 4 : 1;
    for (int32_t i = 0; i < n; i++) {
      hki_shape_eval(&s, (i + 0.5) * s.hold / each, out);
      sum += out[0], square += out[0] * out[0], next += out[0] * last;
      fourth += out[0] * out[0] * out[0] * out[0];
      last = out[0];
    }
    ck_assert_msg(fabs(sum / n) < 0.03, "kind %d: mean %g", (int)k, sum / n);
    ck_assert_msg(fabs(square / n - 1) < 0.04, "kind %d: variance %g", (int)k, square / n);
    if (k / 2) continue;
    ck_assert_msg(fabs(next / n) < 0.02, "kind %d: neighbours %g", (int)k, next / n);
    // kurtosis 1.8 of an even distribution, 3 - 0.1 of a sum of twelve
    ck_assert_msg(fabs(fourth / n - (k % 2 ? 2.9 : 1.8)) < 0.1, "kind %d: %g", (int)k, fourth / n);
  }
  hk_shape s = noise(&f, HK_RANDOM_PINK, 0, false);
  double b[20], out[3], before[3];
  ck_assert_int_eq(shape_breaks(&s, 0, 1, b, 20), 8);
  for (int32_t i = 0; i < 8; i++) {
    ck_assert(b[i] == 0.125 * (i + 1));
    hki_shape_eval(&s, b[i], out);
    hki_shape_eval(&s, nextafter(b[i], -INFINITY), before);
    ck_assert(out[0] != before[0]);
  }
  ck_assert(hki_shape_next_break(&s, 0.3, true) == 0.25);
  fixture_close(&f);
}
END_TEST

/* power at frequency f of n values, over some runs */
static double power(const hk_shape *s, double f, int32_t n) {
  double sum = 0, out[3];
  for (int32_t run = 0; run < 24; run++) {
    double c = 0, d = 0;
    for (int32_t i = 0; i < n; i++) {
      hki_shape_eval(s, (run * n + i + 0.5) * s->hold, out);
      c += out[0] * cos(2 * pi * f * i * s->hold), d += out[0] * sin(2 * pi * f * i * s->hold);
    }
    sum += c * c + d * d;
  }
  return sum;
}

/* over a factor of 16 in frequency the power falls by 16^b */
START_TEST(random_colours) {
  static const double falls[] = {0, 1, 2};
  fixture f;
  fixture_open(&f);
  for (int32_t c = 0; c < 3; c++) {
    hk_shape s = noise(&f, c, HK_RANDOM_UNIFORM, false);
    double low = 0, high = 0;
    for (int32_t k = 0; k < 4; k++) {
      low += power(&s, (4 + k) / (512 * s.hold), 512);
      high += power(&s, 16 * (4 + k) / (512 * s.hold), 512);
    }
    double b = log(low / high) / log(16);
    ck_assert_msg(fabs(b - falls[c]) < 0.25, "colour %d: exponent %g", (int)c, b);
  }
  fixture_close(&f);
}
END_TEST

/* the smooth kind has a continuous second derivative, also at its knots */
START_TEST(random_smooth) {
  fixture f;
  fixture_open(&f);
  for (int32_t c = 0; c < 3; c++) {
    hk_shape s = noise(&f, c, HK_RANDOM_NORMAL, true);
    double a[3], b[3];
    check_slopes(&s, -2, 5, 5e-2);
    for (int32_t k = 1; k < 40; k++) {
      hki_shape_eval(&s, 0.125 * k, a);
      hki_shape_eval(&s, nextafter(0.125 * k, -INFINITY), b);
      for (int32_t i = 0; i < 3; i++) ck_assert(fabs(a[i] - b[i]) < 1e-9 * (1 + fabs(a[i])));
    }
    ck_assert(hki_shape_next_break(&s, 0, false) == INFINITY);
  }
  fixture_close(&f);
}
END_TEST

/* Akima's example shape: flat beside a step, exact for a parabola on even points */
START_TEST(akima) {
  static const double x[] = {0, 1, 2, 3, 4, 5, 6}, step[] = {0, 0, 0, 1, 1, 1, 1};
  double square[7], slope, curve, up, down;
  fixture f;
  fixture_open(&f);
  const hk_table *t;
  hk_table_rows r = {.loc = at, .n = 7, .x = x, .y = step, .interpolation = HK_TABLE_AKIMA};
  ck_assert_int_eq(hki_table_build(f.ctx, f.pool, &r, &t), HK_OK);
  for (double s = 0; s <= 2; s += 0.1) ck_assert(hki_table_eval(t, s, NULL, NULL) == 0);
  for (double s = 3; s <= 6; s += 0.1) ck_assert(hki_table_eval(t, s, NULL, NULL) == 1);
  for (int32_t i = 0; i < 7; i++) square[i] = x[i] * x[i] - 3 * x[i];
  r.y = square, r.extrapolation = HK_TABLE_EXTEND;
  ck_assert_int_eq(hki_table_build(f.ctx, f.pool, &r, &t), HK_OK);
  for (double s = 0; s <= 6; s += 0.25) {
    ck_assert(fabs(hki_table_eval(t, s, &slope, &curve) - (s * s - 3 * s)) < 1e-13);
    ck_assert(fabs(slope - (2 * s - 3)) < 1e-12 && fabs(curve - 2) < 1e-11);
  }
  ck_assert(fabs(hki_table_integral(t, 6) - (72 - 54)) < 1e-12);
  // local: moving a point changes the curve over three segments on each side at most
  r.y = step;
  ck_assert_int_eq(hki_table_build(f.ctx, f.pool, &r, &t), HK_OK);
  for (double s = 0.05; s < 6; s += 0.1) {
    (void)hki_table_eval(t, s, &slope, NULL);
    up = hki_table_eval(t, s + 1e-6, NULL, NULL), down = hki_table_eval(t, s - 1e-6, NULL, NULL);
    ck_assert(fabs(slope - (up - down) / 2e-6) < 1e-8);
  }
  fixture_close(&f);
}
END_TEST

static double plane(double x, double y) { return 1 + 2 * x - 3 * y + 0.5 * x * y; }
static double cubic(double x, double y) {
  return (x * x * x - x) * (y * y * y + 2 * y * y) + x * y;
}

static const hk_surface *grid(fixture *f, double (*z)(double, double), hk_interpolation how,
                              hk_extrapolation outside) {
  static const double x[] = {-1, 0, 0.5, 2, 3}, y[] = {0, 1, 1.5, 4};
  double v[20];
  const hk_surface *s;
  for (int32_t i = 0; i < 20; i++) v[i] = z(x[i / 4], y[i % 4]);
  hk_surface_rows r = {
      .loc = at, .n = {5, 4}, .at = {x, y}, .z = v, .interpolation = how, .extrapolation = outside};
  ck_assert_int_eq(hki_surface_build(f->ctx, f->pool, &r, &s), HK_OK);
  return s;
}

/* a bilinear function by bilinear cells, a bicubic one by splines; gradients against differences */
START_TEST(surfaces) {
  fixture f;
  fixture_open(&f);
  for (int32_t how = 0; how < 2; how++) {
    double (*z)(double, double) = how ? cubic : plane;
    const hk_surface *s = grid(&f, z, how ? HK_TABLE_SPLINE : HK_TABLE_LINEAR, HK_TABLE_EXTEND);
    const double d = 1e-5;
    for (double x = -0.97; x < 3; x += 0.31) {
      for (double y = 0.02; y < 4; y += 0.23) {
        double g[6], a[6], b[6], c[6], e[6];
        hki_surface_eval(s, x, y, g);
        ck_assert_msg(fabs(g[0] - z(x, y)) < 1e-11, "%g at %g, %g", g[0] - z(x, y), x, y);
        hki_surface_eval(s, x + d, y, a), hki_surface_eval(s, x - d, y, b);
        hki_surface_eval(s, x, y + d, c), hki_surface_eval(s, x, y - d, e);
        ck_assert(fabs(g[1] - (a[0] - b[0]) / (2 * d)) < 1e-6);
        ck_assert(fabs(g[2] - (c[0] - e[0]) / (2 * d)) < 1e-6);
        ck_assert(fabs(g[3] - (a[1] - b[1]) / (2 * d)) < 1e-6);
        ck_assert(fabs(g[4] - (c[1] - e[1]) / (2 * d)) < 1e-6);
        ck_assert(fabs(g[5] - (c[2] - e[2]) / (2 * d)) < 1e-6);
      }
    }
    // beyond a corner the tangents go on
    double g[6], k[6];
    hki_surface_eval(s, 3, 4, k);
    hki_surface_eval(s, 3.5, 5, g);
    ck_assert(fabs(g[0] - (k[0] + 0.5 * k[1] + k[2] + 0.5 * k[4])) < 1e-10);
    ck_assert(g[3] == 0 && g[5] == 0 && fabs(g[1] - (k[1] + k[4])) < 1e-10);
  }
  const hk_surface *s = grid(&f, plane, HK_TABLE_LINEAR, HK_TABLE_HOLD);
  double g[6], out[3];
  hki_surface_eval(s, 5, 2, g);
  ck_assert(fabs(g[0] - plane(3, 2)) < 1e-12 && g[1] == 0 && fabs(g[2] + 1.5) < 1e-12);
  // breaks of a path through it: x = t, y = 2 t; three inner lines and the edges of each axis
  hk_time_function h = {must(&f, "t"), SLOT_T, NULL, NULL, must(&f, "2*t"), s};
  static const double stops[] = {0, 0.5, 0.75, 2, 2, 3};
  double t = -0.5, in[SLOT_COUNT] = {1.3}, rate[SLOT_COUNT] = {1}, accel[SLOT_COUNT] = {0};
  for (int32_t i = 0; i < 5; i++) {
    t = hki_next_jump(&h, t);
    ck_assert_msg(fabs(t - (i < 4 ? stops[i] : 2)) < 1e-12 || (i == 4 && fabs(t - 3) < 1e-12),
                  "stop %d at %.17g", (int)i, t);
  }
  // x' = 1, y' = 2: z' = zx + 2 zy, z'' = 4 zxy
  hki_time_function_eval(&h, in, rate, accel, out);
  hki_surface_eval(s, 1.3, 2.6, g);
  ck_assert(fabs(out[0] - g[0]) < 1e-14 && fabs(out[1] - (g[1] + 2 * g[2])) < 1e-13);
  ck_assert(fabs(out[2] - 4 * g[4]) < 1e-13);
  fixture_close(&f);
}
END_TEST

static const hk_expr_wrap four = {1, 4};

static bool resolve_wrapped(void *user, const char *name, hk_expr_symbol *out) {
  (void)user;
  if (strcmp(name, "t") != 0) return false;
  *out = (hk_expr_symbol){.is_input = true, .wrap = &four};
  return true;
}

/* an input that repeats: values, slopes and breaks in every period */
START_TEST(repeated) {
  static const double breaks[] = {2.5, 5, 6.5, 9, 10.5, 13};
  fixture f;
  fixture_open(&f);
  hk_expr_scope scope = {NULL, resolve_wrapped, NULL, true};
  const char *text = "t*t + 3*step(t - 2.5)";
  hk_expr *e;
  double b[40];
  ck_assert_int_eq(hki_expr_compile(f.ctx, f.pool, text, strlen(text), at, &scope, &e), HK_OK);
  for (double t = 1; t < 20; t += 0.093) {
    double x = 1 + fmod(t - 1, 4), y[3];
    hki_expr_eval_jet(e, &t, 0, y);
    ck_assert(fabs(y[0] - (x * x + (x >= 2.5 ? 3 : 0))) < 1e-12);
    ck_assert(fabs(y[1] - 2 * x) < 1e-12 && fabs(y[2] - 2) < 1e-12);
  }
  ck_assert_int_eq(expr_breaks(e, 0, 1, 13, b, 40), 6);
  for (int32_t i = 0; i < 6; i++) ck_assert(fabs(b[i] - breaks[i]) < 1e-12);
  fixture_close(&f);
}
END_TEST

Suite *suite_waves(void) {
  Suite *s = suite_create("waves");
  TCase *c = tcase_create("waves");
  tcase_add_test(c, cosine);
  tcase_add_test(c, sweep);
  tcase_add_test(c, fourier);
  tcase_add_test(c, random_bits);
  tcase_add_test(c, random_values);
  tcase_add_test(c, random_colours);
  tcase_add_test(c, random_smooth);
  tcase_add_test(c, akima);
  tcase_add_test(c, surfaces);
  tcase_add_test(c, repeated);
  suite_add_tcase(s, c);
  return s;
}
