/* SPDX-License-Identifier: Apache-2.0
 *
 * Times at which expressions jump or bend.
 */
#include "support.h"

#include <float.h>

#include "runner.h"

static const struct {
  const char *text;
  double t0, t1;
  int32_t n;
  double at[8];
} wheres[] = {
    {"t", 0, 10, 0, {0}},
    {"sin(t)*x", 0, 10, 0, {0}},
    {"step(t - 3)", 0, 10, 1, {3}},
    {"step(t - 3)", 3, 10, 0, {0}},
    {"step(t - 3)", 0, 3, 1, {3}},
    {"step(t - 3)", 0, 2.9, 0, {0}},
    {"if(t >= 3, x, y)", 0, 10, 1, {3}},
    {"if(3 <= t and t < 5, x, y)", 0, 10, 2, {3, 5}},
    {"step(t - 5) - step(t - 2) + step(t - L)", 0, 10, 2, {2, 5}},
    {"x*step((t - 0.3)*10)", 0, 10, 1, {0.3}},
    {"step(0.3 - t)", 0, 10, 1, {0.3}},
    {"ramp(t - 1) - ramp(t - 2)", 0, 10, 2, {1, 2}},
    {"abs(2*t - 3)", 0, 10, 1, {1.5}},
    {"min(t, 2)", 0, 10, 1, {2}},
    {"max(t - 1, 3 - t)", 0, 10, 1, {2}},
    {"clamp(t/4, 1, 2)", 0, 10, 2, {4, 8}},
    {"min(ramp(t - 1), 1)*x", 0, 10, 2, {1, 2}},
    {"abs(t - 2) <= 1", 0, 10, 3, {1, 2, 3}},
    {"if(t < 1, 0, t - 1) >= 0.5", 0, 10, 2, {1, 1.5}},
    {"t == 4", 0, 10, 1, {4}},
    {"floor(t/2)", 0, 7, 3, {2, 4, 6}},
    {"ceil(t)", 0.5, 3.5, 3, {1, 2, 3}},
    {"round(t)", 0, 3, 3, {0.5, 1.5, 2.5}},
    {"trunc(t)", -1.5, 1.5, 2, {-1, 1}},
    {"floor(-t)", 0.5, 2.5, 2, {1, 2}},
    {"fmod(t, 2)", 0.5, 7, 3, {2, 4, 6}},
    {"remainder(t, 2)", 0, 4, 2, {1, 3}},
    {"fmod(t, 1) < 0.25", 0, 2.1, 4, {0.25, 1, 1.25, 2}},
    {"sin(pi*t) >= 0", 0.5, 3.5, 3, {1, 2, 3}},
    {"step(cos(2*pi*t))", 0, 1, 2, {0.25, 0.75}},
    {"2*sin(t) > 3", 0, 100, 0, {0}},
    {"step(t - x)", 0, 10, 0, {0}},
    {"step(x - 1)", 0, 10, 0, {0}},
    {"step(t*t - 4)", 0, 10, 0, {0}},
    {"step(t, 1, 0, 2, 1)", 0, 10, 0, {0}},
    {"floor(t)", 0, 1e9, 8, {1, 2, 3, 4, 5, 6, 7, 8}},
    {"step(t - t) + (0*t > 1)", 0, 10, 0, {0}},
    {"step(t - 1e300) + (t > 2)*0", -HUGE_VAL, HUGE_VAL, 2, {2, 1e300}},
    {"if(step(t - 1), step(t - 2), step(t - 3))", 0, 10, 3, {1, 2, 3}},
    {"fmod(t, 1e-300)", 0, 1, 8, {0}},
};

START_TEST(where) {
  fixture f;
  fixture_open(&f);
  for (int32_t i = 0; i < HK_ARRAY_LEN(wheres); i++) {
    double out[8];
    hk_expr *e = must(&f, wheres[i].text);
    int32_t n = expr_breaks(e, SLOT_T, wheres[i].t0, wheres[i].t1, out, 8);
    if (strstr(wheres[i].text, "1e-300")) continue; // only has to end
    ck_assert_msg(n == wheres[i].n, "%s: %d breaks, expected %d", wheres[i].text, (int)n,
                  (int)wheres[i].n);
    for (int32_t k = 0; k < n; k++) {
      ck_assert_msg(fabs(out[k] - wheres[i].at[k]) <= 1e-14 * fabs(wheres[i].at[k]),
                    "%s: %.17g, expected %.17g", wheres[i].text, out[k], wheres[i].at[k]);
      ck_assert(k == 0 || out[k] > out[k - 1]);
    }
    ck_assert_int_eq(expr_breaks(e, SLOT_T, wheres[i].t0, wheres[i].t1, out, 0), 0);
  }
  fixture_close(&f);
}
END_TEST

/* at the time given the new side holds, one number before it the old side */
START_TEST(sides) {
  static const char *const texts[] = {
      "t >= 0.3",
      "t > 0.3",
      "0.3 > t",
      "0.3 >= t",
      "step((t - 0.3)*10)",
      "step(t*10 - 3)",
      "step(3 - 10*t)",
      "step(t/0.1 - 3)",
      "(t + 0.1) >= 0.4",
      "t - 1e6 > -999999.7",
      "floor(t/0.1)",
      "ceil(t*10)",
      "fmod(t, 0.1)",
      "fmod(t + 1, 0.1)",
      "fmod(t, 0.7) >= 0.3",
      "sin(2*pi*t) >= 0.3",
      "cos(7*t + 1) < 0.2",
      "remainder(t, 0.3)",
      "round(t*3 + 0.1)",
      "min(t, 1) > 0.3",
      "sign(t - 0.3)",
  };
  fixture f;
  fixture_open(&f);
  for (int32_t i = 0; i < HK_ARRAY_LEN(texts); i++) {
    double out[16], at[SLOT_COUNT] = {0}, v[4];
    hk_expr *e = must(&f, texts[i]);
    int32_t n = expr_breaks(e, SLOT_T, 0.01, 0.99, out, 16);
    ck_assert_msg(n > 0, "%s has no break", texts[i]);
    for (int32_t k = 0; k < n; k++) {
      const double t[4] = {out[k] - 1e-9, nextafter(out[k], -1), out[k], out[k] + 1e-9};
      for (int32_t j = 0; j < 4; j++) {
        at[SLOT_T] = t[j];
        v[j] = hki_expr_eval(e, at);
      }
      // fmod and remainder also run on: compare with their size, not exactly
      ck_assert_msg(fabs(v[3] - v[0]) > 0.05, "%s does not jump at %.17g", texts[i], out[k]);
      ck_assert_msg(fabs(v[2] - v[3]) < 1e-6, "%s at %.17g: still old", texts[i], out[k]);
      bool middle = strncmp(texts[i], "sign", 4) == 0 && v[1] == 0.0;
      ck_assert_msg(middle || fabs(v[1] - v[0]) < 1e-6, "%s at %.17g: already new", texts[i],
                    out[k]);
    }
  }
  fixture_close(&f);
}
END_TEST

/* switches that differ by rounding alone are one, at the later number */
START_TEST(near_ones_merge) {
  double out[4], at[SLOT_COUNT] = {0};
  fixture f;
  fixture_open(&f);
  hk_expr *e = must(&f, "step(t - 0.3) + step(t/0.1 - 3) + (t > 0.3) + (t - 1e3 >= 0.3 - 1e3)");
  ck_assert_int_eq(expr_breaks(e, SLOT_T, 0, 1, out, 4), 1);
  at[SLOT_T] = out[0];
  ck_assert(out[0] - 0.3 < 1e-12 && hki_expr_eval(e, at) >= 3.0);
  fixture_close(&f);
}
END_TEST

/* one after the other, without end: none is lost, and none depends on where the search began */
START_TEST(without_end) {
  fixture f;
  fixture_open(&f);
  hk_expr *e = must(&f, "sin(2*pi*500*t) > 0");
  double t = 1e-6; // there is one right behind zero
  const int32_t most = test_few() ? 20000 : 300000;
  for (int32_t i = 1; i <= most; i++) {
    double next = hki_expr_next_break(e, SLOT_T, t);
    ck_assert_msg(fabs(next - 0.001 * i) < 1e-12 * i, "jump %d at %.17g", (int)i, next);
    if (i % 1000 == 0) {
      ck_assert(hki_expr_next_break(e, SLOT_T, next - 0.0004) == next);
      ck_assert(hki_expr_next_break(e, SLOT_T, nextafter(next, 0)) == next);
    }
    t = next;
  }
  // `t > 0` jumps right behind zero
  e = must(&f, "t > 0");
  t = hki_expr_next_break(e, SLOT_T, 0.0);
  ck_assert(t > 0 && t < 1e-18 && hki_expr_next_break(e, SLOT_T, t) == INFINITY);
  fixture_close(&f);
}
END_TEST

START_TEST(first_ones) {
  double out[3];
  fixture f;
  fixture_open(&f);
  hk_expr *e = must(&f, "step(t-9)+step(t-7)+step(t-8)+step(t-1)+step(t-5)+step(t-3)");
  ck_assert_int_eq(expr_breaks(e, SLOT_T, 0, 10, out, 3), 3);
  ck_assert(out[0] == 1 && out[1] == 3 && out[2] == 5);
  ck_assert_int_eq(expr_breaks(e, SLOT_T, 5, 10, out, 3), 3);
  ck_assert(out[0] == 7 && out[1] == 8 && out[2] == 9);
  ck_assert_int_eq(expr_breaks(e, SLOT_X, 0, 10, out, 3), 0);
  fixture_close(&f);
}
END_TEST

Suite *suite_breaks(void) {
  Suite *s = suite_create("expression breaks");
  TCase *c = tcase_create("breaks");
  tcase_add_test(c, where);
  tcase_add_test(c, sides);
  tcase_add_test(c, near_ones_merge);
  tcase_add_test(c, without_end);
  tcase_add_test(c, first_ones);
  suite_add_tcase(s, c);
  return s;
}
