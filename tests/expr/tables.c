/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables: values, slopes, jumps, shape, integrals, segments, errors.
 */
#include "support.h"

#include <stdlib.h>

#include "expr/table.h"

static const hk_loc at = {-1, 4, 2};

static const hk_table *build(fixture *f, int32_t n, const double *x, const double *y,
                             hk_interpolation how, hk_extrapolation outside) {
  const hk_table *t;
  hk_table_rows rows = {
      .loc = at, .n = n, .x = x, .y = y, .interpolation = how, .extrapolation = outside};
  hk_status status = hki_table_build(f->ctx, f->pool, &rows, &t);
  ck_assert((status == HK_OK) == (t != NULL));
  return t;
}

/* a road with a kerb, x = 2 */
static const double kerb_x[] = {-1, 0, 2, 2, 3, 4.5, 7};
static const double kerb_y[] = {0.5, 1, -1, 3, 2, 2, 2.5};

START_TEST(linear_values) {
  fixture f;
  fixture_open(&f);
  const hk_table *t = build(&f, 7, kerb_x, kerb_y, HK_TABLE_LINEAR, HK_TABLE_HOLD);
  static const struct {
    double x, y, slope;
    int32_t segment;
  } rows[] = {{-5, 0.5, 0, 0},  {-1, 0.5, 0.5, 1}, {-0.5, 0.75, 0.5, 1}, {0, 1, -1, 2},
              {1, 0, -1, 2},    {2, 3, -1, 4},     {2.5, 2.5, -1, 4},    {3, 2, 0, 5},
              {4.5, 2, 0.2, 6}, {7, 2.5, 0.2, 7},  {100, 2.5, 0, 7}};
  for (int32_t i = 0; i < HK_ARRAY_LEN(rows); i++) {
    double slope, curve, y = hki_table_eval(t, rows[i].x, &slope, &curve);
    ck_assert_msg(fabs(y - rows[i].y) < 1e-15 && fabs(slope - rows[i].slope) < 1e-15 && curve == 0,
                  "x = %g: %g, %g", rows[i].x, y, slope);
    ck_assert_int_eq(hki_table_segment(t, rows[i].x), rows[i].segment);
    ck_assert(hki_table_eval(t, rows[i].x, NULL, NULL) == y);
    if (rows[i].x != 7) // the last point belongs to the segment before it
      ck_assert(hki_table_eval_segment(t, rows[i].segment, rows[i].x, NULL, NULL) == y);
  }
  // just left of the jump
  double y = hki_table_eval(t, nextafter(2, 0), NULL, NULL);
  ck_assert(fabs(y + 1) < 1e-14);
  // a frozen segment goes on beyond its ends
  double slope;
  ck_assert(hki_table_eval_segment(t, 2, 10, &slope, NULL) == -9 && slope == -1);
  ck_assert(hki_table_eval_segment(t, 0, 10, &slope, NULL) == 0.5 && slope == 0);
  ck_assert(hki_table_eval_segment(t, 99, 10, NULL, NULL) == 2.5);
  ck_assert(hki_table_eval_segment(t, -99, 10, NULL, NULL) == 0.5);
  ck_assert(isnan(hki_table_eval(t, NAN, NULL, NULL)));
  fixture_close(&f);
}
END_TEST

START_TEST(extended_ends) {
  fixture f;
  fixture_open(&f);
  double slope;
  const hk_table *t = build(&f, 7, kerb_x, kerb_y, HK_TABLE_LINEAR, HK_TABLE_EXTEND);
  ck_assert(fabs(hki_table_eval(t, -3, &slope, NULL) + 0.5) < 1e-15 && slope == 0.5);
  ck_assert(fabs(hki_table_eval(t, 12, &slope, NULL) - 3.5) < 1e-15 && slope == 0.2);
  t = build(&f, 7, kerb_x, kerb_y, HK_TABLE_MONOTONE, HK_TABLE_EXTEND);
  double inside, outside;
  hki_table_eval(t, -1, &inside, NULL);
  hki_table_eval(t, -4, &outside, NULL);
  ck_assert(inside == outside && inside > 0);
  // one point is a constant
  t = build(&f, 1, kerb_x, kerb_y, HK_TABLE_MONOTONE, HK_TABLE_EXTEND);
  ck_assert(hki_table_eval(t, -4, &slope, NULL) == 0.5 && slope == 0);
  ck_assert(hki_table_eval(t, 4, &slope, NULL) == 0.5 && slope == 0);
  fixture_close(&f);
}
END_TEST

/* slopes and curvatures against differences; C1 at the points; monotone between them */
START_TEST(monotone_shape) {
  static const double x[] = {0, 0.5, 2, 2.2, 4, 5, 5, 6, 9, 9.5};
  static const double y[] = {0, 1, 1.2, 4, 4, 3, -1, -2, -2.5, 7};
  fixture f;
  fixture_open(&f);
  const hk_table *t = build(&f, 10, x, y, HK_TABLE_MONOTONE, HK_TABLE_HOLD);
  for (int32_t i = 0; i < 10; i++) {
    ck_assert(fabs(hki_table_eval_segment(t, i + 1, x[i], NULL, NULL) - y[i]) < 1e-15 || i == 4);
    if (i == 0 || i == 9 || x[i] == x[i - 1] || x[i] == x[i + 1]) continue;
    double left, right;
    double yl = hki_table_eval_segment(t, i, x[i], &left, NULL);
    double yr = hki_table_eval_segment(t, i + 1, x[i], &right, NULL);
    ck_assert_msg(fabs(left - right) < 1e-12 && fabs(yl - yr) < 1e-13, "kink at %g: %g %g", x[i],
                  left, right);
  }
  for (int32_t i = 0; i + 1 < 10; i++) {
    if (x[i] == x[i + 1]) continue;
    double lo = fmin(y[i], y[i + 1]), hi = fmax(y[i], y[i + 1]), sign = y[i + 1] - y[i];
    for (int32_t k = 1; k < 200; k++) {
      double u = x[i] + (x[i + 1] - x[i]) * k / 200.0, m, c, h = 1e-5, up, down, mu, md;
      double v = hki_table_eval_segment(t, i + 1, u, &m, &c);
      ck_assert(v >= lo - 1e-13 && v <= hi + 1e-13 && m * sign >= -1e-13);
      up = hki_table_eval_segment(t, i + 1, u + h, &mu, NULL);
      down = hki_table_eval_segment(t, i + 1, u - h, &md, NULL);
      ck_assert_msg(fabs(m - (up - down) / (2 * h)) < 1e-6 * (1 + fabs(m)), "slope at %g", u);
      ck_assert_msg(fabs(c - (mu - md) / (2 * h)) < 1e-8 * (1 + fabs(c)), "curvature at %g", u);
    }
  }
  // a straight line stays one
  static const double lx[] = {0, 1, 3, 4}, ly[] = {1, 3, 7, 9};
  t = build(&f, 4, lx, ly, HK_TABLE_MONOTONE, HK_TABLE_EXTEND);
  for (double u = -2; u < 6; u += 0.125) {
    double m, c;
    ck_assert(fabs(hki_table_eval(t, u, &m, &c) - (1 + 2 * u)) < 1e-14);
    ck_assert(fabs(m - 2) < 1e-14 && fabs(c) < 1e-13);
  }
  fixture_close(&f);
}
END_TEST

/* the integral's slope is the value, also across a jump and outside */
START_TEST(integrals) {
  fixture f;
  fixture_open(&f);
  for (int32_t how = 0; how < 2; how++) {
    for (int32_t outside = 0; outside < 2; outside++) {
      const hk_table *t =
          build(&f, 7, kerb_x, kerb_y, (hk_interpolation)how, (hk_extrapolation)outside);
      ck_assert(hki_table_integral(t, -1) == 0.0);
      double sum = 0.0, h = 1e-3;
      for (double x = -1; x < 9 - h / 2; x += h) {
        // Simpson's rule is exact for cubics, and steps end on the points
        double a = x + 1e-12, b = x + h - 1e-12;
        sum += h / 6 *
               (hki_table_eval(t, a, NULL, NULL) + 4 * hki_table_eval(t, x + h / 2, NULL, NULL) +
                hki_table_eval(t, b, NULL, NULL));
        ck_assert_msg(fabs(hki_table_integral(t, x + h) - sum) < 1e-9, "at %g: %.12g %.12g", x + h,
                      hki_table_integral(t, x + h), sum);
      }
      double left = hki_table_integral(t, -2), v = hki_table_eval(t, -1.5, NULL, NULL);
      ck_assert(fabs(left + v) < 1e-14);
    }
  }
  fixture_close(&f);
}
END_TEST

START_TEST(breaks) {
  fixture f;
  double out[8];
  fixture_open(&f);
  const hk_table *t = build(&f, 7, kerb_x, kerb_y, HK_TABLE_LINEAR, HK_TABLE_HOLD);
  ck_assert_int_eq(table_breaks(t, -2, 10, out, 8), 6);
  ck_assert(out[0] == -1 && out[1] == 0 && out[2] == 2 && out[3] == 3 && out[5] == nextafter(7, 8));
  // the last point belongs to the table: its end comes right behind it
  ck_assert_int_eq(table_breaks(t, 6, 7, out, 8), 0);
  ck_assert_int_eq(table_breaks(t, 7, 8, out, 8), 1);
  ck_assert_int_eq(table_breaks(t, 2, 4.5, out, 8), 2);
  ck_assert(out[0] == 3 && out[1] == 4.5);
  ck_assert_int_eq(table_breaks(t, -2, 10, out, 2), 2);
  t = build(&f, 7, kerb_x, kerb_y, HK_TABLE_MONOTONE, HK_TABLE_HOLD);
  ck_assert_int_eq(table_breaks(t, -2, 10, out, 8), 3);
  ck_assert(out[0] == -1 && out[1] == 2 && out[2] == nextafter(7, 8));
  t = build(&f, 7, kerb_x, kerb_y, HK_TABLE_MONOTONE, HK_TABLE_EXTEND);
  ck_assert_int_eq(table_breaks(t, -2, 10, out, 8), 1);
  fixture_close(&f);
}
END_TEST

/* a thousand random points: the search agrees with counting */
START_TEST(search) {
  fixture f;
  fixture_open(&f);
  double x[1000], y[1000];
  uint32_t seed = 12345;
  double pos = -3;
  for (int32_t i = 0; i < 1000; i++) {
    seed = seed * 1664525u + 1013904223u;
    if (i % 10 != 9) pos += 1e-3 + (seed >> 8) / 16777216.0;
    x[i] = pos;
    y[i] = (seed >> 16) / 65536.0;
  }
  const hk_table *t = build(&f, 1000, x, y, HK_TABLE_LINEAR, HK_TABLE_HOLD);
  for (int32_t i = 0; i < 3000; i++) {
    seed = seed * 1664525u + 1013904223u;
    double u = i % 3 == 0 ? x[seed >> 22 < 1000 ? seed >> 22 : 5] : -4 + i * 0.17;
    int32_t count = 0;
    while (count < 1000 && x[count] <= u) count++;
    ck_assert_int_eq(hki_table_segment(t, u), count);
  }
  fixture_close(&f);
}
END_TEST

START_TEST(errors) {
  static const struct {
    int32_t n;
    double x[4], y[4];
    const char *message;
  } rows[] = {
      {0, {0}, {0}, "the table has no points"},
      {3, {0, 1, NAN}, {0, 1, 2}, "row 3 of the table is not finite: nan, 2"},
      {2, {0, 1}, {0, INFINITY}, "row 2 of the table is not finite: 1, inf"},
      {3, {0, 2, 1}, {0, 1, 2}, "x falls from 2 to 1 at row 3 of the table"},
      {4, {0, 1, 1, 1}, {0, 1, 2, 3}, "x = 1 stands in three rows of the table, up to row 4"},
      {2, {0, 1e-320}, {0, 1}, "rows 1 and 2 of the table are too close together or too far apart"},
      {2,
       {0, 1},
       {-1.7e308, 1.7e308},
       "rows 1 and 2 of the table are too close together or too far apart"},
      {3, {0, 1e-200, 1}, {0, 1, 1}, "rows 1 and 2 of the table are too close together"},
  };
  fixture f;
  fixture_open(&f);
  for (int32_t i = 0; i < HK_ARRAY_LEN(rows); i++) {
    ck_assert_ptr_null(
        build(&f, rows[i].n, rows[i].x, rows[i].y, HK_TABLE_MONOTONE, HK_TABLE_HOLD));
    const hk_message *m = hk_ctx_message(f.ctx, i);
    ck_assert_str_eq(m->text, rows[i].message);
    ck_assert_int_eq(m->line, 4);
    ck_assert_int_eq(m->column, 2);
  }
  // without memory
  hki_alloc_fail_at(f.ctx, 1);
  const hk_table *t;
  double big[2000] = {0};
  for (int32_t i = 0; i < 2000; i++) big[i] = i;
  hk_table_rows many = {.loc = at, .n = 2000, .x = big, .y = big};
  ck_assert_int_eq(hki_table_build(f.ctx, f.pool, &many, &t), HK_E_MEMORY);
  fixture_close(&f);
}
END_TEST

Suite *suite_tables(void) {
  Suite *s = suite_create("tables");
  TCase *c = tcase_create("tables");
  tcase_add_test(c, linear_values);
  tcase_add_test(c, extended_ends);
  tcase_add_test(c, monotone_shape);
  tcase_add_test(c, integrals);
  tcase_add_test(c, breaks);
  tcase_add_test(c, search);
  tcase_add_test(c, errors);
  suite_add_tcase(s, c);
  return s;
}
