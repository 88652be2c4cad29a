/* SPDX-License-Identifier: Apache-2.0
 *
 * laws.c: force laws and roads: derivatives and potentials against finite differences and an
 * independent quadrature, the published laws of the Iltis vehicle, wrong laws.
 */
#include <math.h>
#include <string.h>

#include "elements/support.h"
#include "runner.h"

static bench b;
static void setup(void) { bench_open(&b); }
static void teardown(void) { bench_close(&b); }

/* all kinds; each is smooth but for its points `edge` */
enum { MAX_LAWS = 20 };
typedef struct sample {
  const char *label;
  hk_law *law;
  double lo, hi; /* range to look at */
  double edge[4];
  int edges;
  bool both; /* also reads sdot */
} sample;

static int make_laws(sample *l) {
  static const double x[] = {-0.5, -0.1, 0.2, 0.6}, f[] = {-40, -12, 5, 90};
  int n = 0;
  hk_law *poly = law_poly(&b, 5, (double[]){2, -3, 4, 5, -1.5});
  l[n++] = (sample){"linear", law_linear(&b, 35.0), -2, 2, {0}, 0, false};
  l[n++] = (sample){"polynomial", poly, -2, 2, {0}, 0, false};
  l[n++] = (sample){"constant", law_poly(&b, 1, (double[]){7}), -2, 2, {0}, 0, false};
  l[n++] =
      (sample){"table", law_table(&b, 4, x, f, false), -1, 1, {-0.5, -0.1, 0.2, 0.6}, 4, false};
  l[n++] = (sample){"smooth table", law_table(&b, 4, x, f, true), -1, 1, {-0.5, -0.1, 0.2, 0.6}, 4,
                    false};
  l[n++] = (sample){"expression", law_expr(&b, "12*sin(3*s) + s^2"), -2, 2, {0}, 0, false};
  l[n++] =
      (sample){"kink", law_expr(&b, "8*abs(s - 0.31) + max(s, 0.7)"), -2, 2, {0.31, 0.7}, 2, false};
  l[n++] = (sample){"gas", law_expr(&b, "-30*(0.4/s)^1.4"), 0.1, 1, {0}, 0, false};
  l[n++] = (sample){"both", law_expr(&b, "s^2*sdot + 3*sdot^3 - s"), -2, 2, {0}, 0, true};
  hk_law *parts[4] = {law_linear(&b, 4), law_poly(&b, 3, (double[]){1, 2, 3}),
                      law_expr(&b, "sqrt(s)*9"), law_table(&b, 4, x, f, false)};
  l[n++] = (sample){"pieces",
                    law_pieces(&b, 4, (double[]){-0.4, 0.3, 1.0, INFINITY}, parts),
                    -2,
                    2,
                    {-0.4, 0.3, 1.0},
                    3,
                    false};
  hk_law *outer[2] = {law_linear(&b, -2), l[n - 1].law};
  l[n++] = (sample){"pieces in pieces",
                    law_pieces(&b, 2, (double[]){-0.9, INFINITY}, outer),
                    -2,
                    2,
                    {-0.9, -0.4, 0.3, 1.0},
                    4,
                    false};
  l[n] = l[n - 1];
  hk_law *flipped = hki_pool_alloc(b.pool, sizeof *flipped);
  *flipped = *l[n].law;
  flipped->flip = true;
  l[n] = (sample){"flipped", flipped, -2, 2, {0.9, 0.4, -0.3, -1.0}, 4, false};
  n++;
  for (int i = 0; i < n; i++) law_done(&b, l[i].law);
  return n;
}

static bool near_edge(const sample *l, double x, double h) {
  for (int i = 0; i < l->edges; i++)
    if (fabs(x - l->edge[i]) <= h) return true;
  return false;
}

static double value(const sample *l, bool of_rate, double s, double sd) {
  hk_law_out o;
  hki_law_eval(l->law, of_rate, s, sd, &o);
  return o.f;
}

START_TEST(test_slopes) {
  sample l[MAX_LAWS];
  rng r = {3};
  int n = make_laws(l);
  const double h = 1e-3;
  for (int i = 0; i < 40 * n; i++) {
    const sample *a = &l[i % n];
    bool rate = i / n % 2 == 1;
    double x = rng_real(&r, a->lo + 3 * h, a->hi), y = rng_real(&r, -1, 1), fs[4], fd[4];
    double s = rate && !a->both ? y : x, sd = rate && !a->both ? x : y;
    bool of_rate = rate && a->law->kind != HK_LAW_EXPRESSION;
    hk_law_out o;
    if (a->law->kind == HK_LAW_EXPRESSION) s = x, sd = y;
    if (near_edge(a, x, 3 * h) || (rate && strstr(a->label, "piece")) ||
        (rate && strstr(a->label, "flipped")))
      continue; // pieces with expressions of s are tried as springs
    for (int k = 0; k < 4; k++) {
      double e = h * (k < 2 ? k - 2 : k - 1);
      fs[k] = value(a, of_rate, s + e, sd);
      fd[k] = value(a, of_rate, s, sd + e);
    }
    hki_law_eval(a->law, of_rate, s, sd, &o);
    double tol = 1e-7 * (1.0 + fabs(o.fs) + fabs(o.fsd));
    ck_assert_msg(fabs(o.fs - five_point(fs, h)) < tol && fabs(o.fsd - five_point(fd, h)) < tol,
                  "%s at %g: slopes %g %g, differences %g %g", a->label, x, o.fs, o.fsd,
                  five_point(fs, h), five_point(fd, h));
  }
}
END_TEST

/* composite Simpson rule between the edges */
static double simpson(const sample *l, double a, double c) {
  enum { N = 400 };
  double h = (c - a) / N, sum = 0.0;
  for (int i = 0; i < N; i++) {
    double x = a + i * h, eps = 1e-13;
    sum += h / 6 *
           (value(l, false, x + eps, 0) + 4 * value(l, false, x + h / 2, 0) +
            value(l, false, x + h - eps, 0));
  }
  return sum;
}

START_TEST(test_potentials) {
  sample l[MAX_LAWS];
  int n = make_laws(l);
  for (int i = 0; i < n; i++) {
    const sample *a = &l[i];
    ck_assert_int_eq(hki_law_has_energy(a->law), !a->both);
    if (a->both) {
      ck_assert_double_eq(hki_law_energy(a->law, 0.7), 0.0);
      continue;
    }
    // over each smooth stretch
    double from = a->lo, sum = 0.0;
    for (int k = 0; k <= a->edges; k++) {
      double to = a->hi;
      for (int e = 0; e < a->edges; e++)
        if (a->edge[e] > from + 1e-9 && a->edge[e] < to) to = a->edge[e];
      sum += simpson(a, from, to);
      double found = hki_law_energy(a->law, to) - hki_law_energy(a->law, a->lo);
      ck_assert_msg(fabs(found - sum) < 2e-8 * (1.0 + fabs(sum)), "%s at %g: %.12g, expected %.12g",
                    a->label, to, found, sum);
      from = to;
    }
    // continuous at the edges
    for (int k = 0; k < a->edges; k++) {
      double left = hki_law_energy(a->law, a->edge[k] - 1e-12);
      ck_assert_double_eq_tol(hki_law_energy(a->law, a->edge[k] + 1e-12), left, 1e-9);
    }
  }
}
END_TEST

/* closed forms of expressions' potentials, and what the quadrature makes of kinks and poles */
START_TEST(test_quadrature) {
  hk_law *e = law_done(&b, law_expr(&b, "exp(s)"));
  hk_law *kink = law_done(&b, law_expr(&b, "if(s < 0.123456, 0, 1000*(s - 0.123456))"));
  hk_law *jump = law_done(&b, law_expr(&b, "if(s < 1/3, -1, 2)"));
  hk_law *pole = law_done(&b, law_expr(&b, "1/s"));
  hk_law *none = law_done(&b, law_expr(&b, "sqrt(-1 - s^2)"));
  for (double s = -3; s <= 3; s += 0.375) {
    ck_assert_double_eq_tol(hki_law_energy(e, s), expm1(s), 1e-12 * (1.0 + fabs(expm1(s))));
    double x = fmax(s - 0.123456, 0.0);
    ck_assert_double_eq_tol(hki_law_energy(kink, s), 500 * x * x, 1e-9 * (1.0 + 500 * x * x));
    ck_assert_double_eq_tol(hki_law_energy(jump, s), s < 1.0 / 3 ? -s : 2 * s - 1, 1e-5);
  }
  ck_assert_double_eq(pole->reference, 1.0);
  ck_assert_double_eq_tol(hki_law_energy(pole, 0.25), log(0.25), 1e-12);
  ck_assert(!isfinite(hki_law_energy(none, 1.0)));
  ck_assert_double_eq(hki_law_energy(e, 0.0), 0.0);
}
END_TEST

/* --- the Iltis -------------------------------------------------------------------------------- */

static hk_law *iltis_damper(double quartic) {
  hk_law *parts[3] = {law_poly(&b, 2, (double[]){-416.42, 1844.3}),
                      law_poly(&b, 5, (double[]){0, 9945.627, 33955.72, -59832.25, -quartic}),
                      law_poly(&b, 2, (double[]){1919.1638, 1634.727})};
  return law_pieces(&b, 3, (double[]){-0.2, 0.21, INFINITY}, parts);
}

START_TEST(test_iltis_damper) {
  hk_law *law = law_done(&b, iltis_damper(395651.0));
  const double at[2] = {-0.2, 0.21}, f[2] = {-785.280, 2262.456};
  ck_assert_int_eq(hk_ctx_message_count(b.ctx), 0);
  for (int i = 0; i < 2; i++) {
    hk_law_out lo, hi;
    hki_law_eval(law, true, 9, at[i] - 1e-12, &lo);
    hki_law_eval(law, true, 9, at[i] + 1e-12, &hi);
    ck_assert_double_eq_tol(lo.f, hi.f, 1e-3);
    ck_assert_double_eq_tol(lo.f, f[i], 1e-3);
    ck_assert_double_eq_tol(lo.fsd, hi.fsd, 0.05);
    ck_assert_double_eq(lo.fs, 0.0);
  }
  // the misprinted coefficient jumps, and this is noted
  law = law_done(&b, iltis_damper(305651.0));
  hk_law_out lo, hi;
  hki_law_eval(law, true, 0, 0.21 - 1e-12, &lo);
  hki_law_eval(law, true, 0, 0.21, &hi);
  ck_assert_double_eq_tol(fabs(hi.f - lo.f), 175.0, 0.5);
  ck_assert_int_eq(hk_ctx_message_count(b.ctx), 2);
}
END_TEST

START_TEST(test_iltis_spring) {
  static const double at[][2] = {{0.34, -31378}, {0.36, -14135}, {0.38, -4926},
                                 {0.40, -1216},  {0.42, -470},   {0.44, -155},
                                 {0.46, 2264},   {0.48, 9321},   {0.50, 23550}};
  hk_law *law = law_done(&b, law_poly(&b, 4, (double[]){-4.0092e6, 2.8397e7, -6.7061e7, 5.2796e7}));
  hk_law_out o;
  for (int i = 0; i < HK_ARRAY_LEN(at); i++) {
    hki_law_eval(law, false, at[i][0], 0, &o);
    ck_assert_double_eq_tol(o.f, at[i][1], 0.6);
  }
  hki_law_eval(law, false, 0.442817, 0, &o);
  ck_assert_double_eq_tol(o.f, 0.0, 0.05);
  hki_law_eval(law, false, 0.423397, 0, &o);
  ck_assert_double_eq_tol(o.fs, 3575, 1.0);
}
END_TEST

/* --- wrong laws ------------------------------------------------------------------------------- */

static void refuse(hk_law *law, const char *word) {
  hk_ctx_clear(b.ctx);
  hk_status s = hki_law_finish(b.ctx, HK_LOC_NONE, b.pool, law);
  ck_assert_int_lt(s, 0);
  ck_assert_int_eq(hk_ctx_message_count(b.ctx), 1);
  const hk_message *m = hk_ctx_message(b.ctx, 0);
  ck_assert_msg(strstr(m->text, word) != NULL, "'%s' does not say '%s'", m->text, word);
}

START_TEST(test_wrong_laws) {
  hk_law *two[2] = {law_linear(&b, 1), law_linear(&b, 2)};
  refuse(law_pieces(&b, 2, (double[]){0.5, 0.7}, two), "last piece");
  refuse(law_pieces(&b, 3, (double[]){0.5, 0.5, INFINITY}, (hk_law *[]){two[0], two[0], two[1]}),
         "piece 2");
  refuse(law_pieces(&b, 2, (double[]){NAN, INFINITY}, two), "piece 1");
  refuse(law_pieces(&b, 2, (double[]){INFINITY, INFINITY}, two), "piece 1");
  refuse(law_pieces(&b, 0, NULL, NULL), "no pieces");
  refuse(law_poly(&b, 0, NULL), "no coefficients");
  refuse(law_poly(&b, 2, (double[]){1, NAN}), "coefficient 1");
  refuse(law_pieces(&b, 1, (double[]){INFINITY}, (hk_law *[]){law_linear(&b, INFINITY)}),
         "coefficient 0");
  hk_law *deep = law_linear(&b, 1);
  for (int i = 0; i < 20; i++) deep = law_pieces(&b, 1, (double[]){INFINITY}, &deep);
  refuse(deep, "nested");
  refuse(&(hk_law){.kind = HK_LAW_TABLE}, "no table");
  refuse(&(hk_law){.kind = HK_LAW_EXPRESSION}, "no expression");
}
END_TEST

START_TEST(test_infos) {
  static const char *const keys[] = {"linear",     "polynomial", "piecewise",     "table",
                                     "expression", "maxwell",    "coulomb",       "stribeck",
                                     "lugre",      "hardening",  "double_linear", "log_elastic",
                                     "gas_spring", "turbulent"};
  for (int i = 0; i < HK_ARRAY_LEN(keys); i++) ck_assert_str_eq(hki_law_infos[i].key, keys[i]);
  int n = 0;
  while (hki_law_infos[n].key) ck_assert(hki_law_infos[n++].text != NULL);
  ck_assert_int_eq(n, 24);
}
END_TEST

/* --- roads ------------------------------------------------------------------------------------ */

/* derivatives of a road at one place by differences */
static void check_slopes(const hk_road *road, double x, double t) {
  const double h = 1e-3;
  double f[5][4];
  hk_road_out o, p[4], q[4];
  hki_road_eval(road, x, t, -1, &o);
  for (int k = 0; k < 4; k++) {
    double e = h * (k < 2 ? k - 2 : k - 1);
    hki_road_eval(road, x + e, t, -1, &p[k]);
    hki_road_eval(road, x, t + e, 7, &q[k]);
    f[0][k] = p[k].z, f[1][k] = p[k].zx, f[2][k] = q[k].z, f[3][k] = q[k].zx;
    f[4][k] = p[k].zt;
  }
  ck_assert_double_eq_tol(o.zx, five_point(f[0], h), 1e-9);
  ck_assert_double_eq_tol(o.zxx, five_point(f[1], h), 1e-9);
  ck_assert_double_eq_tol(o.zt, five_point(f[2], h), 1e-9);
  ck_assert_double_eq_tol(o.zxt, five_point(f[3], h), 1e-9);
  ck_assert_double_eq_tol(o.zxt, five_point(f[4], h), 1e-9);
}

/* z = x^2 s3 + t s3: a sine, a smooth table of it, their product, and this squared with time */
START_TEST(test_road_signals) {
  const double tx[] = {-2, -1, 0, 1, 2}, ty[] = {0, 0.3, 0.4, 0.9, 1};
  static const int32_t time[] = {-1}, first[] = {0}, both[] = {0, 1}, last[] = {2, -1};
  hk_shape sine;
  hki_shape_init(&sine, HK_SHAPE_SINE);
  sine.frequency = 0.4, sine.amplitude = 0.8;
  ck_assert_int_eq(hki_shape_finish(b.ctx, HK_LOC_NONE, &sine), HK_OK);
  const hk_expr *same = make_expr(&b, "a", "a b");
  const hk_table *table = make_table(&b, 5, tx, ty, true);
  const hk_road_signal list[] = {{{.expr = same, .slot = 0, .shape = &sine}, 1, time},
                                 {{.expr = same, .slot = -1, .table = table}, 1, first},
                                 {{.expr = make_expr(&b, "a*b", "a b"), .slot = -1}, 2, both},
                                 {{.expr = make_expr(&b, "a^2 + b*a", "a b"), .slot = 1}, 2, last}};
  // the expression reads the last of the list: slot 2 + 3
  const hk_road road = {.expr = make_expr(&b, "x*x*s + t*s", "x t - - - s"),
                        .nsignals = HK_ARRAY_LEN(list),
                        .signals = list};
  for (double x = -1; x <= 1; x += 0.25)
    for (double t = 0.1; t <= 2; t += 0.5) {
      hk_road_out o;
      double s0 = 0.8 * sin(2 * 3.14159265358979323846 * 0.4 * t);
      double s2 = s0 * hki_table_eval(table, s0, NULL, NULL), s3 = s2 * s2 + t * s2;
      hki_road_eval(&road, x, t, -1, &o);
      ck_assert_double_eq_tol(o.z, x * x * s3 + t * s3, 1e-14);
      check_slopes(&road, x, t);
    }
}
END_TEST

START_TEST(test_roads) {
  hk_road road = {.expr = make_expr(&b, "0.1*sin(2*x)*cos(3*t) + x^2*t", "x t")};
  hk_road_out o;
  for (double x = -1; x <= 1; x += 0.25)
    for (double t = 0; t <= 2; t += 0.5) {
      hki_road_eval(&road, x, t, -1, &o);
      ck_assert_double_eq_tol(o.z, 0.1 * sin(2 * x) * cos(3 * t) + x * x * t, 1e-15);
      check_slopes(&road, x, t);
    }
  ck_assert_int_eq(hki_road_segment(&road, 0.5), -1);

  // flat
  road = (hk_road){.height = -0.1};
  hki_road_eval(&road, 3, 4, -1, &o);
  ck_assert_double_eq(o.z, -0.1);
  ck_assert(o.zx == 0 && o.zxx == 0 && o.zt == 0 && o.zxt == 0);
  ck_assert_int_eq(hki_road_segment(&road, 0.5), -1);

  // a step at x = 1: each side extends when frozen
  const double x[] = {0, 1, 1, 2}, z[] = {0.3, 0.3, 0.1, 0.2};
  road = (hk_road){.table = make_table(&b, 4, x, z, false)};
  int32_t left = hki_road_segment(&road, 0.999), right = hki_road_segment(&road, 1.0);
  ck_assert_int_ne(left, right);
  hki_road_eval(&road, 1.2, 0, left, &o);
  ck_assert_double_eq_tol(o.z, 0.3, 1e-15);
  hki_road_eval(&road, 1.2, 0, -1, &o);
  ck_assert_double_eq_tol(o.z, 0.12, 1e-15);
  ck_assert_double_eq_tol(o.zx, 0.1, 1e-15);
  hki_road_eval(&road, 0.8, 0, right, &o);
  ck_assert_double_eq_tol(o.z, 0.08, 1e-15);
}
END_TEST

Suite *suite_laws(void);
Suite *suite_laws(void) {
  Suite *s = suite_create("laws");
  TCase *t = tcase_create("laws");
  tcase_add_checked_fixture(t, setup, teardown);
  tcase_add_test(t, test_slopes);
  tcase_add_test(t, test_potentials);
  tcase_add_test(t, test_quadrature);
  tcase_add_test(t, test_iltis_damper);
  tcase_add_test(t, test_iltis_spring);
  tcase_add_test(t, test_wrong_laws);
  tcase_add_test(t, test_infos);
  tcase_add_test(t, test_roads);
  tcase_add_test(t, test_road_signals);
  suite_add_tcase(s, t);
  return s;
}
