/* SPDX-License-Identifier: Apache-2.0
 *
 * Splines: what they reproduce exactly, continuity, conditions at the ends, order, given rates and
 * accelerations, periods, errors.
 */
#include "support.h"

#include <stdlib.h>

#include "expr/table.h"

static const hk_loc at = {-1, 4, 2};

/* points that are not evenly spaced */
static const double px[] = {-1, -0.4, 0, 0.9, 1.5, 2.75, 3};
enum { POINTS = HK_ARRAY_LEN(px) };

/* f (3): value, slope and second derivative of a function at x */
typedef void function(double x, double f[3]);

static void cubic(double x, double f[3]) {
  f[0] = 2 - x + 0.5 * x * x - 0.25 * x * x * x;
  f[1] = -1 + x - 0.75 * x * x;
  f[2] = 1 - 1.5 * x;
}

static void quintic(double x, double f[3]) {
  f[0] = 1 + x * (0.5 + x * (-1 + x * (0.25 + x * (0.5 - 0.125 * x))));
  f[1] = 0.5 + x * (-2 + x * (0.75 + x * (2 - 0.625 * x)));
  f[2] = -2 + x * (1.5 + x * (6 - 2.5 * x));
}

static void wave(double x, double f[3]) {
  f[0] = sin(2 * x), f[1] = 2 * cos(2 * x), f[2] = -4 * sin(2 * x);
}

/* a spline through n points of a function; given: bit 0 with its rates, bit 1 accelerations */
static const hk_table *through(fixture *f, function *g, int32_t n, const double *x,
                               hk_spline_ends ends, int given) {
  const hk_table *t;
  double *y = malloc(3 * (size_t)n * sizeof *y), v[3];
  for (int32_t i = 0; i < n; i++) {
    g(x[i], v);
    y[i] = v[0], y[n + i] = v[1], y[2 * n + i] = v[2];
  }
  hk_table_rows r = {.loc = at,
                     .n = n,
                     .x = x,
                     .y = y,
                     .interpolation = HK_TABLE_SPLINE,
                     .ends = ends,
                     .end = {y[n], y[2 * n - 1]},
                     .yd = given & 1 ? y + n : NULL,
                     .ydd = given & 2 ? y + 2 * n : NULL};
  ck_assert_int_eq(hki_table_build(f->ctx, f->pool, &r, &t), HK_OK);
  free(y);
  return t;
}

/* largest error of value, slope and second derivative on [x0, x1] */
static void errors_of(const hk_table *t, function *g, double x0, double x1, double most[3]) {
  most[0] = most[1] = most[2] = 0.0;
  for (int32_t i = 0; i <= 500; i++) {
    double x = i == 500 ? x1 : x0 + (x1 - x0) * i / 500.0, f[3], v[3];
    g(x, f);
    v[0] = hki_table_eval(t, x, &v[1], &v[2]);
    for (int k = 0; k < 3; k++) most[k] = fmax(most[k], fabs(v[k] - f[k]));
  }
}

/* cubics by all ends that do not bend them, quintics by given derivatives, ends included */
START_TEST(exact) {
  static const struct {
    function *g;
    hk_spline_ends ends;
    int given;
  } rows[] = {{cubic, HK_ENDS_NOT_A_KNOT, 0}, {cubic, HK_ENDS_CLAMPED, 0},
              {cubic, HK_ENDS_NOT_A_KNOT, 1}, {cubic, HK_ENDS_NOT_A_KNOT, 2},
              {cubic, HK_ENDS_NOT_A_KNOT, 3}, {quintic, HK_ENDS_NOT_A_KNOT, 3}};
  fixture f;
  fixture_open(&f);
  for (int32_t i = 0; i < HK_ARRAY_LEN(rows); i++) {
    double e[3];
    const hk_table *t = through(&f, rows[i].g, POINTS, px, rows[i].ends, rows[i].given);
    errors_of(t, rows[i].g, px[0], px[POINTS - 1], e);
    ck_assert_msg(e[0] < 1e-13 && e[1] < 1e-12 && e[2] < 2e-11, "row %d: %g %g %g", (int)i, e[0],
                  e[1], e[2]);
  }
  // a position t^2/2 every 10 ms has the acceleration 1, also at its ends
  double x[101], y[101];
  for (int32_t i = 0; i <= 100; i++) x[i] = 0.01 * i, y[i] = 0.5 * x[i] * x[i];
  hk_table_rows r = {.loc = at, .n = 101, .x = x, .y = y, .interpolation = HK_TABLE_SPLINE};
  const hk_table *t;
  ck_assert_int_eq(hki_table_build(f.ctx, f.pool, &r, &t), HK_OK);
  for (int32_t i = 0; i <= 1000; i++) {
    double m, c, u = i == 1000 ? 1.0 : 0.001 * i;
    hki_table_eval(t, u, &m, &c);
    ck_assert_msg(fabs(c - 1) < 1e-10 && fabs(m - u) < 1e-12, "%g: %g %g", u, m, c - 1);
  }
  fixture_close(&f);
}
END_TEST

/* value, slope and second derivative are continuous at every point and are those of each other */
START_TEST(continuous) {
  static const struct {
    hk_spline_ends ends;
    int given;
  } rows[] = {{HK_ENDS_NOT_A_KNOT, 0}, {HK_ENDS_NATURAL, 0},    {HK_ENDS_CLAMPED, 0},
              {HK_ENDS_NOT_A_KNOT, 1}, {HK_ENDS_NOT_A_KNOT, 2}, {HK_ENDS_NOT_A_KNOT, 3}};
  fixture f;
  fixture_open(&f);
  for (int32_t i = 0; i < HK_ARRAY_LEN(rows); i++) {
    const hk_table *t = through(&f, wave, POINTS, px, rows[i].ends, rows[i].given);
    for (int32_t k = 1; k + 1 < POINTS; k++) {
      double l[3], r[3], g[3];
      wave(px[k], g);
      l[0] = hki_table_eval_segment(t, k, px[k], &l[1], &l[2]);
      r[0] = hki_table_eval_segment(t, k + 1, px[k], &r[1], &r[2]);
      for (int d = 0; d < 3; d++)
        ck_assert_msg(fabs(l[d] - r[d]) < 1e-11, "row %d, point %d, derivative %d: %g %g", (int)i,
                      (int)k, d, l[d], r[d]);
      ck_assert(fabs(r[0] - g[0]) < 1e-14);
      if (rows[i].given & 1) ck_assert(fabs(r[1] - g[1]) < 1e-14);
      if (rows[i].given & 2) ck_assert(fabs(r[2] - g[2]) < 1e-14);
    }
    for (double x = -0.99; x < 3; x += 0.0371) {
      double h = 1e-5, m, c, up, down, v = hki_table_eval(t, x, &m, &c);
      double y1 = hki_table_eval(t, x + h, &up, NULL), y0 = hki_table_eval(t, x - h, &down, NULL);
      ck_assert(isfinite(v));
      ck_assert_msg(fabs(m - (y1 - y0) / (2 * h)) < 1e-8, "slope at %g", x);
      ck_assert_msg(fabs(c - (up - down) / (2 * h)) < 2e-4, "curvature at %g", x);
    }
    // the integral belongs to the value
    double sum = 0.0, h = 4.0 / 4000, low, mid, high;
    for (int32_t k = 0; k < 4000; k++) {
      low = hki_table_eval(t, -1 + k * h, NULL, NULL);
      mid = hki_table_eval(t, -1 + (k + 0.5) * h, NULL, NULL);
      high = hki_table_eval(t, -1 + (k + 1) * h, NULL, NULL);
      sum += h / 6 * (low + 4 * mid + high);
    }
    ck_assert(fabs(hki_table_integral(t, 3) - sum) < 1e-10);
  }
  fixture_close(&f);
}
END_TEST

START_TEST(ends) {
  fixture f;
  double m, c;
  fixture_open(&f);
  const hk_table *t = through(&f, wave, POINTS, px, HK_ENDS_NATURAL, 0);
  hki_table_eval(t, px[0], NULL, &c);
  ck_assert(fabs(c) < 1e-13);
  hki_table_eval(t, px[POINTS - 1], NULL, &c);
  ck_assert(fabs(c) < 1e-12);
  t = through(&f, wave, POINTS, px, HK_ENDS_CLAMPED, 0);
  hki_table_eval(t, px[0], &m, NULL);
  ck_assert(m == 2 * cos(-2));
  hki_table_eval(t, px[POINTS - 1], &m, NULL);
  ck_assert(fabs(m - 2 * cos(6)) < 1e-13);
  // beyond its last point a table holds its value, but the point itself keeps its slope
  ck_assert(fabs(hki_table_eval(t, nextafter(3, 4), &m, &c) - sin(6)) < 1e-14 && m == 0 && c == 0);
  ck_assert(fabs(hki_table_eval(t, nextafter(-1, -2), &m, &c) - sin(-2)) < 1e-15 && m == 0);
  double out[4];
  ck_assert_int_eq(table_breaks(t, -5, 5, out, 4), 2);
  ck_assert(out[0] == -1 && out[1] == nextafter(3, 4));
  // few points: a constant, a line, a parabola
  static const double x[] = {1, 2, 4}, y[] = {3, 5, -1};
  for (int32_t n = 1; n <= 3; n++) {
    hk_table_rows r = {.loc = at, .n = n, .x = x, .y = y, .interpolation = HK_TABLE_SPLINE};
    ck_assert_int_eq(hki_table_build(f.ctx, f.pool, &r, &t), HK_OK);
    double v = hki_table_eval(t, n == 1 ? 1 : 1.5, &m, &c);
    double want = n == 1 ? 3 : n == 2 ? 4 : 4 - 0.25 * (-5.0 / 3), bend = n == 3 ? -10.0 / 3 : 0;
    ck_assert_msg(fabs(v - want) < 1e-14 && fabs(c - bend) < 1e-14, "%d: %g %g", (int)n, v, c);
  }
  fixture_close(&f);
}
END_TEST

/* values to order 4, second derivatives to order 2; with rates to 5 and 3, with both derivatives to
 * 6 and 4 */
START_TEST(order) {
  static const struct {
    hk_spline_ends ends;
    int given;
    double value, curvature;
  } rows[] = {{HK_ENDS_NOT_A_KNOT, 0, 4, 2},
              {HK_ENDS_CLAMPED, 0, 4, 2},
              {HK_ENDS_NOT_A_KNOT, 1, 5, 3},
              {HK_ENDS_NOT_A_KNOT, 2, 4, 2},
              {HK_ENDS_NOT_A_KNOT, 3, 6, 4}};
  fixture f;
  fixture_open(&f);
  for (int32_t i = 0; i < HK_ARRAY_LEN(rows); i++) {
    double e[2][3], x[81];
    for (int k = 0; k < 2; k++) {
      int32_t n = k ? 81 : 41;
      for (int32_t j = 0; j < n; j++) x[j] = 3.0 * j / (n - 1);
      errors_of(through(&f, wave, n, x, rows[i].ends, rows[i].given), wave, 0, 3, e[k]);
    }
    double value = log2(e[0][0] / e[1][0]), curve = log2(e[0][2] / e[1][2]);
    ck_assert_msg(value > rows[i].value - 0.2 && curve > rows[i].curvature - 0.2,
                  "row %d: orders %g %g, errors %g %g", (int)i, value, curve, e[1][0], e[1][2]);
  }
  fixture_close(&f);
}
END_TEST

/* a periodic spline repeats and is smooth where it does */
START_TEST(periods) {
  fixture f;
  fixture_open(&f);
  double x[33];
  for (int32_t i = 0; i < 33; i++)
    x[i] = 0.3 + 3.14159265358979323846 * (i + 0.2 * sin(0.19634954084936207740 * i)) / 32;
  for (int given = 0; given < 4; given++) {
    const hk_table *t = through(&f, wave, 33, x, HK_ENDS_PERIODIC, given);
    double e[3], l[3], r[3], out[4], end = x[32];
    errors_of(t, wave, -20, 20, e);
    ck_assert_msg(e[0] < 1e-5 && e[1] < 1e-3 && e[2] < 2e-2, "%g %g %g", e[0], e[1], e[2]);
    for (int k = -3; k < 3; k++) {
      double w = end + k * t->period;
      l[0] = hki_table_eval(t, w - 1e-9, &l[1], &l[2]);
      r[0] = hki_table_eval(t, w + 1e-9, &r[1], &r[2]);
      ck_assert(fabs(l[0] - r[0]) < 1e-8 && fabs(l[1] - r[1]) < 1e-7 && fabs(l[2] - r[2]) < 1e-6);
    }
    ck_assert_int_eq(table_breaks(t, -20, 20, out, 4), 0);
  }
  fixture_close(&f);
}
END_TEST

START_TEST(errors) {
  static const double x[] = {0, 1, 1, 2}, good[] = {0, 1, 2, 3}, y[] = {0, 1, 1, 2},
                      bad[] = {0, INFINITY, 0, 0}, close[] = {0, 1e-200, 1, 2};
  static const struct {
    hk_table_rows r;
    const char *message;
  } rows[] = {
      {{.n = 4, .x = x, .y = y},
       "x = 1 stands in rows 2 and 3 of the table: a spline has no jumps"},
      {{.n = 4, .x = good, .y = y, .yd = bad}, "row 2 of the table is not finite: rate inf"},
      {{.n = 4, .x = good, .y = y, .ydd = bad},
       "row 2 of the table is not finite: acceleration inf"},
      {{.n = 4, .x = close, .y = good, .yd = good},
       "rows 1 and 2 of the table are too close together"},
      {{.n = 1, .x = good, .y = y, .ends = HK_ENDS_CLAMPED},
       "a clamped spline needs at least 2 rows"},
      {{.n = 3, .x = good, .y = y, .ends = HK_ENDS_PERIODIC},
       "a periodic spline needs at least 4 rows, found 3"},
      {{.n = 4, .x = good, .y = y, .ends = HK_ENDS_PERIODIC},
       "the periodic spline begins with the value 0 and ends with 2"},
  };
  fixture f;
  const hk_table *t;
  fixture_open(&f);
  for (int32_t i = 0; i < HK_ARRAY_LEN(rows); i++) {
    hk_table_rows r = rows[i].r;
    r.loc = at;
    r.interpolation = HK_TABLE_SPLINE;
    ck_assert_int_eq(hki_table_build(f.ctx, f.pool, &r, &t), HK_E_MODEL);
    ck_assert_ptr_null(t);
    ck_assert_str_eq(hk_ctx_message(f.ctx, i)->text, rows[i].message);
  }
  // without memory
  for (int32_t n = 1; n < 8; n++) {
    static double big[5000];
    for (int32_t i = 0; i < 5000; i++) big[i] = i;
    hk_table_rows r = {.loc = at,
                       .n = 5000,
                       .x = big,
                       .y = big,
                       .yd = big,
                       .ydd = big,
                       .interpolation = HK_TABLE_SPLINE};
    hki_alloc_fail_at(f.ctx, n);
    hk_status st = hki_table_build(f.ctx, f.pool, &r, &t);
    ck_assert(st == HK_E_MEMORY || st == HK_OK);
    hki_alloc_fail_at(f.ctx, 0);
  }
  fixture_close(&f);
}
END_TEST

Suite *suite_splines(void) {
  Suite *s = suite_create("splines");
  TCase *c = tcase_create("splines");
  tcase_add_test(c, exact);
  tcase_add_test(c, continuous);
  tcase_add_test(c, ends);
  tcase_add_test(c, order);
  tcase_add_test(c, periods);
  tcase_add_test(c, errors);
  suite_add_tcase(s, c);
  return s;
}
