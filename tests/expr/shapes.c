/* SPDX-License-Identifier: Apache-2.0
 *
 * Signal shapes: values, derivatives against differences, breaks, errors.
 */
#include "support.h"

#include "expr/shapes.h"
#include "runner.h"

static const hk_loc at = {-1, 4, 2};

static hk_shape make(fixture *f, hk_shape_fn fn, const hk_shape *given) {
  hk_shape s;
  hki_shape_init(&s, fn);
  // copy what is given (not NAN)
  for (const hk_param *row = hki_shape_infos[fn].params; row->type != HK_P_END; row++) {
    double v = *(const double *)(const void *)((const char *)given + row->offset);
    if (!isnan(v)) *(double *)(void *)((char *)&s + row->offset) = v;
  }
  ck_assert_int_eq(hki_shape_finish(f->ctx, at, &s), HK_OK);
  return s;
}

#define N    NAN
#define REST 0, {0, NULL}, {0, NULL}, 0.0, 0, 0, 0, false /* of other shapes */
/* fn, start from to | duration | slope end | frequency amplitude phase offset cycles | width period
 * count rise */
static const hk_shape given[] = {
    {HK_SHAPE_STEP, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, REST},
    {HK_SHAPE_STEP, 1, 2, 5, 0.5, N, N, N, N, N, N, N, N, N, N, N, REST},
    {HK_SHAPE_RAMP, 1, 2, N, N, 3, N, N, N, N, N, N, N, N, N, N, REST},
    {HK_SHAPE_RAMP, 1, 2, 4, N, N, 3, N, N, N, N, N, N, N, N, N, REST},
    {HK_SHAPE_RAMP, 1, 2, 4, N, 0.5, N, N, N, N, N, N, N, N, N, N, REST},
    {HK_SHAPE_RAMP, 1, 2, N, N, -0.5, 4, N, N, N, N, N, N, N, N, N, REST},
    {HK_SHAPE_SINE, N, N, N, N, N, N, 0.5, N, N, N, N, N, N, N, N, REST},
    {HK_SHAPE_SINE, 1, N, N, N, N, N, 2, 3, 0.4, 1, 2, N, N, N, N, REST},
    {HK_SHAPE_PULSE, 1, N, N, N, N, N, N, N, N, N, N, 0.5, N, N, N, REST},
    {HK_SHAPE_PULSE, 1, 2, 7, N, N, N, N, N, N, N, N, 0.5, 1, 3, N, REST},
    {HK_SHAPE_PULSE, 1, 2, 7, N, N, N, N, N, N, N, N, 0.5, 1, N, 0.25, REST},
};

static const struct {
  int32_t shape;
  double x, y;
} value_rows[] = {
    {0, -1, 0},
    {0, -1e-300, 0},
    {0, 0, 1},
    {0, 3, 1},
    {1, 1, 2},
    {1, 1.25, 3.5},
    {1, 1.5, 5},
    {1, 9, 5},
    {2, 0, 2},
    {2, 1, 2},
    {2, 3, 8},
    {2, 1e6, 2999999},
    {3, 0, 2},
    {3, 2, 3},
    {3, 3, 4},
    {3, 9, 4},
    {4, 2, 2.5},
    {4, 5, 4},
    {4, 9, 4},
    {5, 2, 1.5},
    {5, 4, 0.5},
    {5, 8, 0.5},
    {6, 0.5, 1},
    {6, -0.5, -1},
    {7, 0, 1 + 3 * 0.38941834230865049167},
    {7, 1, 1 + 3 * 0.38941834230865049167},
    {7, 5, 1 + 3 * 0.38941834230865049167},
    {8, 0, 0},
    {8, 1, 1},
    {8, 1.4, 1},
    {8, 1.5, 0},
    {8, 2.2, 0},
    {9, 1, 7},
    {9, 1.7, 2},
    {9, 2, 7},
    {9, 3.49, 7},
    {9, 3.5, 2},
    {9, 4, 2},
    {9, 0.5, 2},
    {10, 1.125, 4.5},
    {10, 1.25, 7},
    {10, 1.5, 7},
    {10, 1.625, 4.5},
    {10, 1.75, 2},
    {10, 1001.125, 4.5},
    {10, -3, 2},
};

START_TEST(values) {
  fixture f;
  fixture_open(&f);
  for (int32_t i = 0; i < HK_ARRAY_LEN(value_rows); i++) {
    double out[3];
    const hk_shape *g = &given[value_rows[i].shape];
    hk_shape s = make(&f, g->fn, g);
    hki_shape_eval(&s, value_rows[i].x, out);
    ck_assert_msg(fabs(out[0] - value_rows[i].y) <= 1e-14 * (1 + fabs(value_rows[i].y)),
                  "shape %d at %g: %.17g, expected %g", (int)value_rows[i].shape, value_rows[i].x,
                  out[0], value_rows[i].y);
  }
  fixture_close(&f);
}
END_TEST

/* away from the breaks the derivatives are those of the value; between breaks nothing jumps */
START_TEST(derivatives_and_breaks) {
  fixture f;
  fixture_open(&f);
  for (int32_t i = 0; i < HK_ARRAY_LEN(given); i++) {
    hk_shape s = make(&f, given[i].fn, &given[i]);
    const int32_t points = test_few() ? 7000 : 70000;
    double at_break[64], h = 7.0 / points, last[3] = {0};
    int32_t n = shape_breaks(&s, -1, 6, at_break, 64), next = 0;
    for (int32_t k = 0; k <= points; k++) {
      double x = -1 + k * h + 0.3e-4, up[3], down[3], out[3];
      hki_shape_eval(&s, x, out);
      bool passed = false;
      while (next < n && at_break[next] <= x) {
        next++;
        passed = true;
      }
      if (k > 0 && !passed) {
        ck_assert_msg(fabs(out[0] - last[0]) < 60 * h && fabs(out[1] - last[1]) < 1200 * h,
                      "shape %d jumps at %g", (int)i, x);
      }
      memcpy(last, out, sizeof out);
      double d = 1e-6;
      bool near = false;
      for (int32_t j = 0; j < n; j++) near |= fabs(x - at_break[j]) < 1e-5;
      if (near || k % 7) continue;
      hki_shape_eval(&s, x + d, up);
      hki_shape_eval(&s, x - d, down);
      ck_assert_msg(fabs(out[1] - (up[0] - down[0]) / (2 * d)) < 1e-6, "shape %d, slope at %g",
                    (int)i, x);
      ck_assert_msg(fabs(out[2] - (up[1] - down[1]) / (2 * d)) < 2e-2, "shape %d, curve at %g",
                    (int)i, x);
    }
  }
  fixture_close(&f);
}
END_TEST

START_TEST(break_lists) {
  static const struct {
    int32_t shape, n;
    double x0, x1, at[4];
  } rows[] = {
      {0, 1, -1, 5, {0}},          {0, 0, 0, 5, {0}},      {1, 0, 0, 5, {0}},
      {2, 1, 0, 5, {1}},           {3, 2, 0, 5, {1, 3}},   {6, 0, -9, 9, {0}},
      {7, 2, 0, 5, {1, 2}},        {8, 2, 0, 5, {1, 1.5}}, {9, 4, 1.2, 3, {1.5, 2, 2.5, 3}},
      {9, 3, 2, 9, {2.5, 3, 3.5}}, {10, 0, 0, 9, {0}},
  };
  fixture f;
  fixture_open(&f);
  for (int32_t i = 0; i < HK_ARRAY_LEN(rows); i++) {
    double out[4];
    const hk_shape *g = &given[rows[i].shape];
    hk_shape s = make(&f, g->fn, g);
    ck_assert_int_eq(shape_breaks(&s, rows[i].x0, rows[i].x1, out, 4), rows[i].n);
    for (int32_t k = 0; k < rows[i].n; k++) ck_assert(out[k] == rows[i].at[k]);
  }
  fixture_close(&f);
}
END_TEST

/* counted periods without a start begin at zero; an unknown shape is refused */
START_TEST(completed) {
  fixture f;
  hk_shape s;
  fixture_open(&f);
  hki_shape_init(&s, HK_SHAPE_SINE);
  s.frequency = 2;
  s.cycles = 3;
  ck_assert_int_eq(hki_shape_finish(f.ctx, at, &s), HK_OK);
  double out[3];
  ck_assert_int_eq(shape_breaks(&s, -1, 9, out, 3), 2);
  ck_assert(out[0] == 0 && out[1] == 1.5);
  s.fn = HK_SHAPE_FN_COUNT;
  ck_assert_int_eq(hki_shape_finish(f.ctx, at, &s), HK_E_INTERNAL);
  fixture_close(&f);
}
END_TEST

/* a pulse's start falls on the pulse, however the numbers round */
START_TEST(pulse_edges) {
  hk_shape s;
  fixture f;
  fixture_open(&f);
  hki_shape_init(&s, HK_SHAPE_PULSE);
  s.width = 0.05;
  s.period = 0.1;
  s.start = 0.3;
  ck_assert_int_eq(hki_shape_finish(f.ctx, at, &s), HK_OK);
  double out[1000], y[3];
  int32_t n = shape_breaks(&s, 0, 40, out, 1000);
  ck_assert(n >= 790);
  for (int32_t i = 0; i < n; i++) {
    hki_shape_eval(&s, out[i], y);
    ck_assert_msg(y[0] == (i % 2 == 0 ? 1.0 : 0.0), "edge %d at %.17g", (int)i, out[i]);
    hki_shape_eval(&s, nextafter(out[i], 0), y);
    ck_assert_msg(y[0] == (i % 2 == 0 ? 0.0 : 1.0), "before edge %d at %.17g", (int)i, out[i]);
  }
  fixture_close(&f);
}
END_TEST

START_TEST(errors) {
  static const struct {
    hk_shape shape;
    const char *message;
  } rows[] = {
      {{HK_SHAPE_SINE, N, N, N, N, N, N, N, 1, 0, 0, N, N, N, N, N, REST},
       "the sine needs a frequency"},
      {{HK_SHAPE_PULSE, 0, 0, 1, N, N, N, N, N, N, N, N, N, N, N, 0, REST},
       "the pulse needs a width"},
      {{HK_SHAPE_PULSE, 0, 0, 1, N, N, N, N, N, N, N, N, -1, N, N, 0, REST},
       "expected a positive width of the pulse, found -1"},
      {{HK_SHAPE_STEP, 0, 0, 1, -1, N, N, N, N, N, N, N, N, N, N, N, REST},
       "expected a non-negative duration of the step, found -1"},
      {{HK_SHAPE_STEP, INFINITY, 0, 1, 0, N, N, N, N, N, N, N, N, N, N, N, REST},
       "expected a finite start of the step, found inf"},
      {{HK_SHAPE_RAMP, 0, 0, N, N, N, N, N, N, N, N, N, N, N, N, N, REST},
       "the ramp has 0 of slope, to and end"},
      {{HK_SHAPE_RAMP, 0, 0, 1, N, 1, 1, N, N, N, N, N, N, N, N, N, REST},
       "the ramp has 3 of slope, to and end"},
      {{HK_SHAPE_RAMP, 0, 0, 1, N, N, N, N, N, N, N, N, N, N, N, N, REST},
       "the ramp has 1 of slope, to and end"},
      {{HK_SHAPE_RAMP, 5, 0, 1, N, N, 3, N, N, N, N, N, N, N, N, N, REST},
       "a ramp from 0 at 5 to 1 at 3"},
      {{HK_SHAPE_RAMP, 0, 0, 1, N, 0, N, N, N, N, N, N, N, N, N, N, REST},
       "a ramp from 0 at 0 to 1 at inf"},
      {{HK_SHAPE_PULSE, 0, 0, 1, N, N, N, N, N, N, N, N, 1, 0.5, N, 0, REST},
       "expected period >= width + rise = 1, found period 0.5"},
      {{HK_SHAPE_PULSE, 0, 0, 1, N, N, N, N, N, N, N, N, 1, N, N, 2, REST},
       "expected 0 < width and rise <= width, found width 1 and rise 2"},
      {{HK_SHAPE_PULSE, 0, 0, 1, N, N, N, N, N, N, N, N, 1, 2, 1.5, 0, REST},
       "expected a whole number of pulses, found 1.5"},
      {{HK_SHAPE_PULSE, 0, 0, 1, N, N, N, N, N, N, N, N, 1, N, 3, 0, REST},
       "3 pulses need a period, found none"},
  };
  fixture f;
  fixture_open(&f);
  for (int32_t i = 0; i < HK_ARRAY_LEN(rows); i++) {
    hk_shape s = rows[i].shape;
    ck_assert_int_eq(hki_shape_finish(f.ctx, at, &s), HK_E_MODEL);
    ck_assert_str_eq(hk_ctx_message(f.ctx, i)->text, rows[i].message);
    ck_assert_int_eq(hk_ctx_message(f.ctx, i)->line, 4);
  }
  fixture_close(&f);
}
END_TEST

Suite *suite_shapes(void) {
  Suite *s = suite_create("signal shapes");
  TCase *c = tcase_create("shapes");
  tcase_add_test(c, values);
  tcase_add_test(c, derivatives_and_breaks);
  tcase_add_test(c, break_lists);
  tcase_add_test(c, pulse_edges);
  tcase_add_test(c, completed);
  tcase_add_test(c, errors);
  suite_add_tcase(s, c);
  return s;
}
