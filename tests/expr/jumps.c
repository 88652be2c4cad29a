/* SPDX-License-Identifier: Apache-2.0
 *
 * The next jump of signals: tables and shapes over arguments that rise, fall, bend and repeat.
 */
#include "support.h"

static const hk_loc at = {-1, 4, 2};

static const hk_table *table(fixture *f, hk_interpolation how, hk_extrapolation outside) {
  static const double x[] = {0, 0.3, 0.3, 0.7, 1}, y[] = {0, 1, 2, 1, 3};
  const hk_table *t;
  hk_table_rows r = {
      .loc = at, .n = 5, .x = x, .y = y, .interpolation = how, .extrapolation = outside};
  ck_assert_int_eq(hki_table_build(f->ctx, f->pool, &r, &t), HK_OK);
  return t;
}

/* the first jumps behind t; abs has two at its kink, before and behind it */
static int32_t jumps(const hk_time_function *g, double t, double *out, int32_t max) {
  int32_t n = 0;
  while (n < max && isfinite(t = hki_next_jump(g, t))) {
    ck_assert(n == 0 || t > out[n - 1]);
    if (n > 0 && t - out[n - 1] < 1e-15) n--;
    out[n++] = t;
  }
  return n;
}

START_TEST(over_arguments) {
  static const struct {
    const char *argument;
    bool smooth, extend;
    double t0;
    int32_t n;
    double at[8];
  } rows[] = {
      {"t", false, false, -1, 4, {0, 0.3, 0.7, 1}},
      {"t", false, true, -1, 2, {0.3, 0.7}},
      {"t", true, false, -1, 3, {0, 0.3, 1}},
      {"t", true, true, -1, 1, {0.3}},
      {"t", false, false, 0.3, 2, {0.7, 1}},
      {"3*t", false, false, -1, 4, {0, 0.1, 0.7 / 3, 1.0 / 3}},
      {"0.1 + t/3", false, false, 0, 3, {0.6, 1.8, 2.7}},
      {"1 - t", false, false, -1, 4, {0, 0.3, 0.7, 1}},
      {"2.1 - 3*t", false, false, 0.1, 4, {1.1 / 3, 1.4 / 3, 0.6, 0.7}},
      // up and down again: the argument has kinks of its own, at 0.5 and 1
      {"abs(t - 0.5)", false, true, -1, 5, {-0.2, 0.2, 0.5, 0.8, 1.2}},
      {"min(t, 0.5)", false, true, 0, 2, {0.3, 0.5}},
      {"fmod(t, 0.5)", false, true, 0.01, 5, {0.3, 0.5, 0.8, 1, 1.3}},
      {"t^2", false, false, 0, 0, {0}},
      {"0*t", false, false, 0, 0, {0}},
  };
  fixture f;
  fixture_open(&f);
  for (int32_t i = 0; i < HK_ARRAY_LEN(rows); i++) {
    double out[8], in[SLOT_COUNT] = {0};
    hk_expr *e = must(&f, rows[i].argument);
    const hk_table *t = table(&f, rows[i].smooth ? HK_TABLE_MONOTONE : HK_TABLE_LINEAR,
                              rows[i].extend ? HK_TABLE_EXTEND : HK_TABLE_HOLD);
    hk_time_function g = {e, SLOT_T, t, NULL, NULL, NULL};
    int32_t n = jumps(&g, rows[i].t0, out, rows[i].n > 4 ? 5 : 8);
    ck_assert_msg(n == rows[i].n, "%s: %d jumps", rows[i].argument, (int)n);
    for (int32_t k = 0; k < n; k++) {
      ck_assert_msg(fabs(out[k] - rows[i].at[k]) < 1e-14, "%s: %.17g", rows[i].argument, out[k]);
      // the slope there is the new one already, and the old one right before
      double s[4], d[4] = {out[k] - 1e-7, nextafter(out[k], -9), out[k], out[k] + 1e-7};
      for (int32_t j = 0; j < 4; j++) {
        in[SLOT_T] = d[j];
        hki_table_eval(t, hki_expr_eval(e, in), &s[j], NULL);
      }
      if (rows[i].smooth || strchr(rows[i].argument, '(')) continue;
      ck_assert_msg(s[0] == s[1] && s[2] == s[3], "%s at %.17g: slopes %g %g %g %g",
                    rows[i].argument, out[k], s[0], s[1], s[2], s[3]);
    }
  }
  fixture_close(&f);
}
END_TEST

START_TEST(of_shapes) {
  fixture f;
  double out[8];
  hk_shape s;
  fixture_open(&f);
  hki_shape_init(&s, HK_SHAPE_PULSE);
  s.width = 0.25, s.period = 1, s.start = 0.5, s.count = 3;
  ck_assert_int_eq(hki_shape_finish(f.ctx, at, &s), HK_OK);
  static const double edges[] = {0.5, 0.75, 1.5, 1.75, 2.5, 2.75};
  hk_time_function g = {NULL, -1, NULL, &s, NULL, NULL};
  ck_assert_int_eq(jumps(&g, -5, out, 8), 6);
  for (int32_t k = 0; k < 6; k++) ck_assert(out[k] == edges[k]);
  // backwards over the same edges
  g = (hk_time_function){must(&f, "3 - t"), SLOT_T, NULL, &s, NULL, NULL};
  ck_assert_int_eq(jumps(&g, -5, out, 8), 6);
  for (int32_t k = 0; k < 6; k++) {
    double v[3], in[SLOT_COUNT] = {0};
    ck_assert(fabs(out[k] - (3 - edges[5 - k])) < 1e-15);
    in[SLOT_T] = out[k];
    hki_shape_eval(&s, hki_expr_eval(g.expr, in), v);
    ck_assert(v[0] == (k % 2 ? 0.0 : 1.0));
  }
  // without end
  s.count = NAN;
  g = (hk_time_function){NULL, -1, NULL, &s, NULL, NULL};
  double t = 0.0;
  for (int32_t i = 0; i < 300000; i++) t = hki_next_jump(&g, t);
  ck_assert(t == 149999.75);
  fixture_close(&f);
}
END_TEST

Suite *suite_jumps(void) {
  Suite *s = suite_create("jumps");
  TCase *c = tcase_create("jumps");
  tcase_add_test(c, over_arguments);
  tcase_add_test(c, of_shapes);
  suite_add_tcase(s, c);
  return s;
}
