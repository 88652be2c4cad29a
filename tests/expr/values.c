/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of expressions: precedence, every function against C, names, folding, laziness, limits.
 */
#include "support.h"

#include "expr/conditions.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

static const double in[SLOT_COUNT] = {0.7, -0.3, 1.9, 0.45, 2.5, -4.0};

typedef struct expected {
  const char *text;
  double value;
} expected;

static void check_all(const expected *rows, int32_t n) {
  fixture f;
  fixture_open(&f);
  for (int32_t i = 0; i < n; i++) {
    double v = value_of(&f, rows[i].text, in);
    ck_assert_msg(v == rows[i].value || (isnan(v) && isnan(rows[i].value)),
                  "%s: expected %.17g, found %.17g", rows[i].text, rows[i].value, v);
  }
  fixture_close(&f);
}

static const expected precedences[] = {
    {"1+2*3", 7},
    {"(1+2)*3", 9},
    {"2-3-4", -5},
    {"2-(3-4)", 3},
    {"24/4/2", 3},
    {"24/(4/2)", 12},
    {"2^3^2", 512},
    {"(2^3)^2", 64},
    {"-2^2", -4},
    {"(-2)^2", 4},
    {"2^-1", 0.5},
    {"2^-2^2", 0.0625},
    {"-2^-2", -0.25},
    {"2*-3", -6},
    {"2--3", 5},
    {"--3", 3},
    {"+3", 3},
    {"- -+-3", -3},
    {"4/2*3", 6},
    {"4*2/8", 1},
    {"1+2<4", 1},
    {"1<2", 1},
    {"2<1", 0},
    {"2<=2", 1},
    {"2>=3", 0},
    {"3>2", 1},
    {"2==2", 1},
    {"2!=2", 0},
    {"not 0", 1},
    {"not 3", 0},
    {"not 1 < 2", 0},
    {"not 0 and 0", 0},
    {"not (0 and 0)", 1},
    {"1 or 0 and 0", 1},
    {"(1 or 0) and 0", 0},
    {"0 or 0", 0},
    {"2 and 3", 1},
    {"1 < 2 and 2 < 3", 1},
    {"not not 5", 1},
    {"1 + 2^2*3 - 4/2", 11},
    {"if(1,2,3)", 2},
    {"if(0,2,3)", 3},
    {"if(2<1,2,3)+1", 4},
    {"-(1+2)^2", -9},
    {"1e3", 1000},
    {"1.5e-3", 1.5e-3},
    {".5", 0.5},
    {"5.", 5},
    {"1E+2", 100},
    {"0", 0},
    {"00012", 12},
    {"2\n+\t3\r\n", 5},
    {"0.1", 0.1},
    {"1e-320", 1e-320},
    {"1.7976931348623157e308", 1.7976931348623157e308},
    {"9007199254740993", 9007199254740993.0},
    {"0e999", 0},
    {"0.000e-999", 0},
};

START_TEST(precedence) { check_all(precedences, HK_ARRAY_LEN(precedences)); }
END_TEST

/* a scope in which every number `nXXX` is an input: the same texts, nothing can be folded */
static bool resolve_digit(void *user, const char *name, hk_expr_symbol *out) {
  (void)user;
  if (name[0] != 'n' || name[1] < '0' || name[1] > '9' || name[2]) return false;
  *out = (hk_expr_symbol){.is_input = true, .slot = name[1] - '0'};
  return true;
}

static const char *const run_time_texts[] = {
    "1+2*3",
    "(1+2)*3",
    "2-3-4",
    "2-(3-4)",
    "8/4/2",
    "8/(4/2)",
    "2^3^2",
    "(2^3)^2",
    "-2^2",
    "(-2)^2",
    "2^-1",
    "2^-2^2",
    "2*-3",
    "--3",
    "1+2<4",
    "2<=2",
    "2>=3",
    "2==2",
    "2!=2",
    "not 0",
    "not 1 < 2",
    "not 0 and 0",
    "not (0 and 0)",
    "1 or 0 and 0",
    "(1 or 0) and 0",
    "2 and 3",
    "if(1,2,3)",
    "if(0,2,3)",
    "if(2<1,2,3)+1",
    "1+2^2*3-4/2",
    "min(3,1,2)",
    "max(3,1,2)",
    "clamp(5,1,3)",
    "clamp(0,1,3)",
    "if(1, if(0, 2, 3), 4)*2",
    "1 + if(0, 2, if(1, 3, 4))*5",
    "2*step(3, 1, 2, 5, 6) - 1",
    "if(1,2+3,4)-if(0,5,6*7)",
    "5^0",
    "5^1",
    "0+5",
    "5*1",
    "5/1",
    "1*5",
    "5-0",
    "1-(2-(3-(4-(5-6))))",
    "if(1<2, step(3,1,2,5,6), 0)",
    "if(step(3,1,2,5,6), 7, 8)",
    "min(if(1,2,3), if(0,4,5), 6)",
    "4^0.5",
    "3^4",
    "2^-3",
};

START_TEST(precedence_at_run_time) {
  double digits[10];
  fixture f;
  fixture_open(&f);
  for (int32_t i = 0; i < 10; i++) digits[i] = i;
  for (int32_t i = 0; i < HK_ARRAY_LEN(run_time_texts); i++) {
    // 1+2 becomes n1+n2, 0.5 stays
    char hidden[256];
    int32_t n = 0;
    for (const char *c = run_time_texts[i]; *c; c++) {
      bool point = c[1] == '.' || (c > run_time_texts[i] && c[-1] == '.');
      if (*c >= '0' && *c <= '9' && !point) hidden[n++] = 'n';
      hidden[n++] = *c;
    }
    hidden[n] = '\0';
    hk_expr *e;
    hk_expr_scope scope = {NULL, resolve_digit, NULL, false};
    ck_assert_int_eq(hki_expr_compile(f.ctx, f.pool, hidden, (size_t)n, HK_LOC_NONE, &scope, &e),
                     HK_OK);
    double want = value_of(&f, run_time_texts[i], NULL), grad[10], jet[3];
    ck_assert_msg(hki_expr_eval(e, digits) == want, "%s: expected %g", hidden, want);
    ck_assert(hki_expr_eval_gradient(e, digits, grad) == want);
    hki_expr_eval_jet(e, digits, 3, jet);
    ck_assert(jet[0] == want);
  }
  fixture_close(&f);
}
END_TEST

/* texts of x and y, and the same in C */
static int32_t smooth_functions(double x, double y, expected *out) {
  const expected rows[] = {
      {"sin(x)", sin(x)},
      {"cos(x)", cos(x)},
      {"tan(x)", tan(x)},
      {"asin(x)", asin(x)},
      {"acos(x)", acos(x)},
      {"atan(x)", atan(x)},
      {"atan2(x,y)", atan2(x, y)},
      {"atan2(-x,-y)", atan2(-x, -y)},
      {"sinh(x)", sinh(x)},
      {"cosh(x)", cosh(x)},
      {"tanh(x)", tanh(x)},
      {"asinh(x)", asinh(x)},
      {"acosh(y)", acosh(y)},
      {"atanh(x)", atanh(x)},
      {"exp(x)", exp(x)},
      {"exp2(x)", exp2(x)},
      {"expm1(x)", expm1(x)},
      {"log(x)", log(x)},
      {"log10(x)", log10(x)},
      {"log2(x)", log2(x)},
      {"log1p(x)", log1p(x)},
      {"sqrt(x)", sqrt(x)},
      {"cbrt(x)", cbrt(x)},
      {"pow(x,y)", pow(x, y)},
      {"x^y", pow(x, y)},
      {"hypot(x,y)", hypot(x, y)},
      {"erf(x)", erf(x)},
      {"erfc(x)", erfc(x)},
      {"abs(-x)", x},
      {"fabs(-x)", x},
      {"sign(-x)", -1},
      {"sign(zero*x)", 0},
      {"sign(x)", 1},
      {"floor(-x)", -1},
  };
  memcpy(out, rows, sizeof rows);
  return HK_ARRAY_LEN(rows);
}

static int32_t other_functions(double x, double y, expected *out) {
  const expected rows[] = {
      {"ceil(y)", 3},
      {"round(-y)", -3},
      {"round(y)", 3},
      {"trunc(-y)", -2},
      {"fmod(-y,x)", fmod(-y, x)},
      {"remainder(y,x)", remainder(y, x)},
      {"copysign(x,-y)", -x},
      {"min(y,x)", x},
      {"max(x,y)", y},
      {"fmin(y,x)", x},
      {"fmax(x,y)", y},
      {"min(y,x,s,3)", -0.3},
      {"max(y,x,s,3)", 3},
      {"clamp(y,0,1)", 1},
      {"clamp(s,0,1)", 0},
      {"clamp(x,0,1)", x},
      {"step(s)", 0},
      {"step(x)", 1},
      {"step(x-x)", 1},
      {"ramp(s)", 0},
      {"ramp(y)", y},
      {"step(x,1,3,2,5)", 3},
      {"step(y,1,3,2,5)", 5},
      {"step(x+1.05,1,3,2,5)", 4},
      {"step(x-0.45+1.25,1,0,2,1)", 0.103515625},
      {"y^3", y * y * y},
      {"y^-2", 1 / (y * y)},
      {"x^0.5", sqrt(x)},
      {"x^1.5", pow(x, 1.5)},
      {"y^17", pow(y, 17)},
      {"sqrt(s)", NAN},
      {"min(sqrt(s), x)", NAN},
      {"max(x, sqrt(s))", NAN},
      {"1/(x-x)", INFINITY},
  };
  memcpy(out, rows, sizeof rows);
  return HK_ARRAY_LEN(rows);
}

START_TEST(functions_match_c) {
  // hidden from the compiler, which folds with another library
  volatile double x = 0.45, y = 2.5;
  expected rows[128];
  int32_t n = smooth_functions(x, y, rows);
  n += other_functions(x, y, rows + n);
  // every function of the table is in the list
  for (int32_t i = 0; i < hki_expr_function_count(); i++) {
    const hk_expr_function *info = hki_expr_function_info(i);
    char call[32];
    bool found = strcmp(info->name, "if") == 0;
    snprintf(call, sizeof call, "%s(", info->name);
    for (int32_t k = 0; k < n; k++) found |= strstr(rows[k].text, call) != NULL;
    ck_assert_msg(found, "no value test of %s", info->name);
    ck_assert(info->usage[0] && info->text[0]);
    ck_assert(strncmp(info->usage, info->name, strlen(info->name)) == 0);
  }
  ck_assert_ptr_null(hki_expr_function_info(-1));
  ck_assert_ptr_null(hki_expr_function_info(hki_expr_function_count()));
  check_all(rows, n);
}
END_TEST

START_TEST(names_and_units) {
  static const expected rows[] = {
      {"L", 2},
      {"front_left.k", 7},
      {"body.rod.position.x", -4},
      {"body.rod.position.x-1", -5},
      {"30*deg", 30 * (3.14159265358979323846 / 180)},
      {"12*mm", 12 * 1e-3},
      {"20*kN/m", 20000},
      {"5*N*m", 5},
      {"2*kg*m^2", 2},
      {"2*kg*m^2/second", 2},
      {"60*rpm", 60 * (3.14159265358979323846 / 30)},
      {"90*km/hour", 90 * 1000.0 / 3600},
      {"36*kmh", 36 * (1 / 3.6)},
      {"g0", 9.80665},
      {"cos(pi)", -1},
      {"true and not false", 1},
      {"3*tonne", 3000},
  };
  check_all(rows, HK_ARRAY_LEN(rows));

  // m and s as units where the model has no such names
  double v = 0;
  hk_ctx *ctx = hk_ctx_create();
  ck_assert_int_eq(hki_expr_parse_number(ctx, "300*N*s/m", 9, HK_LOC_NONE, NULL, &v), HK_OK);
  ck_assert(v == 300);
  ck_assert_int_eq(hki_expr_parse_number(ctx, "8/(kg*m^2/s)", 12, HK_LOC_NONE, NULL, &v), HK_OK);
  ck_assert(v == 8);
  // all constants of the table can be used, and have a text
  for (int32_t i = 0; i < hki_expr_constant_count(); i++) {
    const hk_expr_constant *c = hki_expr_constant_info(i);
    char text[32];
    snprintf(text, sizeof text, "1*N*%s", c->name);
    hk_status st = hki_expr_parse_number(ctx, text, strlen(text), HK_LOC_NONE, NULL, &v);
    ck_assert_int_eq(st, HK_OK);
    ck_assert(v == c->value && isfinite(v) && c->text[0]);
  }
  ck_assert_ptr_null(hki_expr_constant_info(-1));
  ck_assert_ptr_null(hki_expr_constant_info(hki_expr_constant_count()));
  hk_ctx_destroy(ctx);
}
END_TEST

/* parameters shadow units: the model's own m, t and s win */
static bool resolve_m(void *user, const char *name, hk_expr_symbol *out) {
  (void)user;
  *out = (hk_expr_symbol){.value = 5.0};
  return strcmp(name, "mm") == 0 || strcmp(name, "\xC3\xA1ngulo") == 0 || strcmp(name, "m") == 0 ||
         strcmp(name, "\xCF\x86\xE2\x82\x82") == 0 || strcmp(name, "a.1.b") == 0;
}

START_TEST(model_names_first) {
  hk_ctx *ctx = hk_ctx_create();
  hk_expr_scope scope = {NULL, resolve_m, NULL, false};
  static const struct {
    const char *text;
    double value;
  } rows[] = {{"2*mm", 10},
              {"2*m", 10},
              {"m*2", 10},
              {"\xC3\xA1ngulo+1", 6},
              {"\xCF\x86\xE2\x82\x82^2", 25},
              {"a.1.b*2", 10}};
  for (int32_t i = 0; i < HK_ARRAY_LEN(rows); i++) {
    double v = 0;
    ck_assert_int_eq(
        hki_expr_parse_number(ctx, rows[i].text, strlen(rows[i].text), HK_LOC_NONE, &scope, &v),
        HK_OK);
    ck_assert(v == rows[i].value);
  }
  hk_ctx_destroy(ctx);
}
END_TEST

START_TEST(inputs_used) {
  fixture f;
  fixture_open(&f);
  double v = 0;
  hk_expr *e = must(&f, "y*sdot + t*y - L");
  ck_assert_int_eq(hki_expr_input_count(e), 3);
  ck_assert_int_eq(hki_expr_inputs(e)[0], SLOT_T);
  ck_assert_int_eq(hki_expr_inputs(e)[1], SLOT_SDOT);
  ck_assert_int_eq(hki_expr_inputs(e)[2], SLOT_Y);
  ck_assert(hki_expr_depends_on(e, SLOT_Y) && !hki_expr_depends_on(e, SLOT_X));
  ck_assert(!hki_expr_is_constant(e, &v));
  ck_assert_str_eq(hki_expr_source(e), "y*sdot + t*y - L");

  // what folding drops is not used
  e = must(&f, "if(L > 1, t, x) + y^0 + (zero and s)");
  ck_assert(hki_expr_input_count(e) == 1 && hki_expr_depends_on(e, SLOT_T));
  e = must(&f, "if(k < 1, t, 3)");
  ck_assert(hki_expr_is_constant(e, &v) && v == 3);
  ck_assert(hki_expr_is_constant(e, NULL));
  e = must(&f, "k > 1 or t > 2");
  ck_assert(hki_expr_is_constant(e, &v) && v == 1);

  // the ones made without a text
  double grad[1];
  e = hki_expr_number(f.pool, 2.5);
  ck_assert(hki_expr_eval(e, NULL) == 2.5 && hki_expr_is_constant(e, NULL));
  ck_assert(hki_expr_eval_gradient(e, NULL, NULL) == 2.5);
  ck_assert_str_eq(hki_expr_source(e), "2.5");
  e = hki_expr_input(f.pool, SLOT_Y, "y");
  ck_assert(hki_expr_eval(e, in) == in[SLOT_Y] && hki_expr_input_count(e) == 1);
  ck_assert(hki_expr_eval_gradient(e, in, grad) == in[SLOT_Y] && grad[0] == 1.0);
  ck_assert_str_eq(hki_expr_source(e), "y");
  double jet[3];
  hki_expr_eval_jet(e, in, SLOT_Y, jet);
  ck_assert(jet[0] == in[SLOT_Y] && jet[1] == 1.0 && jet[2] == 0.0);
  hki_expr_eval_jet(e, in, SLOT_T, jet);
  ck_assert(jet[1] == 0.0);
  ck_assert_int_eq(expr_breaks(e, SLOT_Y, 0, 1, jet, 3), 0);
  fixture_close(&f);
}
END_TEST

/* the two sides of each comparison, also of those that a branch leaves out */
START_TEST(differences) {
  double at[SLOT_COUNT] = {0}, d[8];
  fixture f;
  fixture_open(&f);
  hk_expr *e = must(&f, "x > 5 and (2*y <= x or step(x - 7)) and 3 < 4");
  at[SLOT_X] = 6.5, at[SLOT_Y] = 4;
  ck_assert_int_eq(hki_expr_comparisons(e), 3);
  hki_expr_differences(e, at, d);
  ck_assert(d[0] == 1.5 && d[1] == 1.5 && d[2] == -0.5);
  e = must(&f, "if(x > 1, step(y, 0, 0, 2, 1) > 0.25, y < 2) or not (y >= 9)");
  ck_assert_int_eq(hki_expr_comparisons(e), 4);
  at[SLOT_Y] = 1;
  hki_expr_differences(e, at, d);
  ck_assert(d[0] == 5.5 && d[1] == 0.25 && isnan(d[2]) && d[3] == -8);
  at[SLOT_X] = 0.5;
  hki_expr_differences(e, at, d);
  ck_assert(d[0] == -0.5 && isnan(d[1]) && d[2] == -1 && d[3] == -8);
  ck_assert_int_eq(hki_expr_comparisons(must(&f, "x + y")), 0);
  fixture_close(&f);
}
END_TEST

START_TEST(lazy_branches) {
  double at[SLOT_COUNT] = {0}, grad[SLOT_COUNT], jet[3];
  fixture f;
  fixture_open(&f);
  // the branch not taken is NaN or infinite in value and slope
  static const char *const texts[] = {"if(x > 0, log(x)/x, 3*x)", "if(x <= 0, 3*x, sqrt(-1 - x^2))",
                                      "if(x == 0, 3*x, 1/x)", "if(not (x != 0), 3*x, 1/0*x)"};
  for (int32_t i = 0; i < 3; i++) {
    hk_expr *e = must(&f, texts[i]);
    ck_assert(hki_expr_eval(e, at) == 0.0);
    ck_assert(hki_expr_eval_gradient(e, at, grad) == 0.0 && grad[0] == 3.0);
    hki_expr_eval_jet(e, at, SLOT_X, jet);
    ck_assert(jet[0] == 0.0 && jet[1] == 3.0 && jet[2] == 0.0);
  }
  // a dead branch may hold anything, a live one not
  ck_assert(value_of(&f, "if(zero == 0, 5, 1/zero)", at) == 5.0);
  ck_assert(value_of(&f, "zero > 0 and 1/zero > 2", at) == 0.0);
  ck_assert(value_of(&f, "atan(1/zero)", at) == atan(INFINITY));
  ck_assert_ptr_null(compile(&f, texts[3]));
  fixture_close(&f);
}
END_TEST

/* long but flat texts are fine */
START_TEST(long_texts) {
  fixture f;
  fixture_open(&f);
  char *text = malloc(HK_EXPR_MAX_TEXT + 1);
  int32_t n = 0;
  n += sprintf(text + n, "t");
  for (int32_t i = 0; i < 10000; i++) n += sprintf(text + n, "+%d*t", i % 10);
  double at[SLOT_COUNT] = {2.0}, grad[1], jet[3];
  hk_expr *e = must(&f, text);
  ck_assert(hki_expr_eval(e, at) == 2.0 * 45001);
  hki_expr_eval_gradient(e, at, grad);
  ck_assert(grad[0] == 45001);
  hki_expr_eval_jet(e, at, SLOT_T, jet);
  ck_assert(jet[1] == 45001);
  // more registers than the small frame has
  n = sprintf(text, "t");
  for (int32_t i = 1; i <= 200; i++) n += sprintf(text + n, "+%d.5*t^2", i);
  e = must(&f, text);
  ck_assert(hki_expr_eval(e, at) == 2 + 4 * 20200.0);
  ck_assert(hki_expr_eval_gradient(e, at, grad) == 2 + 4 * 20200.0);
  ck_assert(grad[0] == 1 + 4 * 20200.0);
  hki_expr_eval_jet(e, at, SLOT_T, jet);
  ck_assert(jet[1] == grad[0] && jet[2] == 2 * 20200.0);
  // 198 brackets are within the limit
  n = 0;
  for (int32_t i = 0; i < 198; i++) text[n++] = '(';
  text[n++] = 't';
  for (int32_t i = 0; i < 198; i++) text[n++] = ')';
  text[n] = '\0';
  ck_assert(value_of(&f, text, at) == 2.0);
  free(text);
  fixture_close(&f);
}
END_TEST

/* evaluation allocates nothing, and reads numbers alike in every locale */
START_TEST(no_allocation_no_locale) {
  fixture f;
  fixture_open(&f);
  setlocale(LC_ALL, "de_DE.UTF-8");
  hk_expr *e = must(&f, "1.5*sin(t) + if(t > 1, 2.25, x)");
  setlocale(LC_ALL, "C");
  double out[8], v = 0;
  uint64_t before = hki_alloc_count(f.ctx);
  for (int32_t i = 0; i < 100; i++) {
    double at[SLOT_COUNT] = {0.05 * i};
    v += hki_expr_eval(e, at) + hki_expr_eval_gradient(e, at, out);
    hki_expr_eval_jet(e, at, SLOT_T, out);
    expr_breaks(e, SLOT_T, 0, 10, out, 8);
  }
  ck_assert(v > 0);
  ck_assert(hki_alloc_count(f.ctx) == before);
  fixture_close(&f);
}
END_TEST

/* every allocation may fail: an error status, no crash, no leak */
START_TEST(out_of_memory) {
  static const char text[] = "step(t - 1) + if(x > 0, sin(x), t^2)*L + min(t, 3)";
  hk_loc at = {-1, 1, 1};
  bool done = false;
  for (int32_t k = 1; k < 60 && !done; k++) {
    fixture f;
    hk_expr *e;
    fixture_open(&f);
    hki_alloc_fail_at(f.ctx, (uint64_t)k);
    hk_status s = hki_expr_compile(f.ctx, f.pool, text, strlen(text), at, &f.scope, &e);
    ck_assert(s == HK_OK || s == HK_E_MEMORY);
    ck_assert((s == HK_OK) == (e != NULL));
    done = s == HK_OK;
    fixture_close(&f);
  }
  ck_assert(done);
}
END_TEST

Suite *suite_values(void) {
  Suite *s = suite_create("expression values");
  TCase *c = tcase_create("values");
  tcase_add_test(c, precedence);
  tcase_add_test(c, precedence_at_run_time);
  tcase_add_test(c, functions_match_c);
  tcase_add_test(c, names_and_units);
  tcase_add_test(c, model_names_first);
  tcase_add_test(c, inputs_used);
  tcase_add_test(c, differences);
  tcase_add_test(c, lazy_branches);
  tcase_add_test(c, long_texts);
  tcase_add_test(c, no_allocation_no_locale);
  tcase_add_test(c, out_of_memory);
  suite_add_tcase(s, c);
  return s;
}
