/* SPDX-License-Identifier: Apache-2.0
 *
 * Four lanes of an expression have the bits of its derivatives one by one, for every operation, in flat and steep places.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expr/expr.h"

static bool resolve(void *user, const char *name, hk_expr_symbol *out) {
  (void)user;
  *out = (hk_expr_symbol){.is_input = true, .slot = name[0] == 'x' ? 0 : 1};
  return strcmp(name, "x") == 0 || strcmp(name, "y") == 0;
}

/* functions of one and two arguments, where they have values and where not; sums as roads are written */
static const char *const texts[] = {
    "x + y",
    "x - y",
    "x*y",
    "x/y",
    "y/x",
    "x^y",
    "y^x",
    "-x",
    "x^2",
    "x^3",
    "x^-2",
    "x^0.5",
    "min(x, y)",
    "max(x, y)",
    "min(max(x, 0), 1)",
    "x < y",
    "x <= y",
    "x > y",
    "x >= y",
    "x == y",
    "x != y",
    "x and y",
    "x or y",
    "not x",
    "atan2(x, y)",
    "hypot(x, y)",
    "fmod(x, y)",
    "sin(x)",
    "cos(x)",
    "tan(x)",
    "asin(x)",
    "acos(x)",
    "atan(x)",
    "sinh(x)",
    "cosh(x)",
    "tanh(x)",
    "exp(x)",
    "log(x)",
    "sqrt(x)",
    "abs(x)",
    "sign(x)",
    "floor(x)",
    "ceil(x)",
    "round(x)",
    "step(x)",
    "ramp(x)",
    "cos(pi*min(max((x - 1)/0.2, 0), 1)) - 3*min(max(x, y), 2)/(y - 2)",
    "sin(y)*cos(x)/(0 - y)",
    "x*sin(x)",
    "(x - y)*(x + y)",
    "exp(x)/(x + y)",
    "min(x*x, x + y)",
    "max(sin(x), cos(x))",
    ("0.1*(max(x - 5, 0) - max(x - 15, 0)) - 0.1*(2 - cos(pi*min(max((x - 2)/0.2, 0), 1)) - "
     "cos(pi*min(max(x/0.2, 0), 1)))")};

static void compare(const hk_expr *e, const double *x, double y) {
  double out[3][HK_EXPR_LANES], in[2] = {0.0, y};
  hki_expr_eval_lanes(e, in, 0, x, out);
  for (int k = 0; k < HK_EXPR_LANES; k++) {
    double one[3];
    in[0] = x[k];
    hki_expr_eval_jet(e, in, 0, one);
    for (int j = 0; j < 3; j++)
      ck_assert_msg(memcmp(&one[j], &out[j][k], sizeof one[j]) == 0 ||
                        (isnan(one[j]) && isnan(out[j][k])),
                    "%s at %g, %g: derivative %d is %.17g, in lanes %.17g", hki_expr_source(e),
                    x[k], y, j, one[j], out[j][k]);
  }
}

START_TEST(lanes_are_jets) {
  hk_ctx *ctx = hk_ctx_create();
  ck_assert_ptr_nonnull(ctx);
  hk_pool *pool = hki_pool_create(ctx);
  const hk_expr_scope scope = {.resolve = resolve};
  static const double at[] = {0.0, -0.0, 1.0,    -1.0,  0.5,      2.0, -3.25,
                              7.0, 1.1,  1e-300, 1e300, INFINITY, NAN};
  unsigned seed = 1;
  for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
    hk_expr *e = NULL;
    ck_assert_int_eq(
        hki_expr_compile(ctx, pool, texts[t], strlen(texts[t]), (hk_loc){0}, &scope, &e), HK_OK);
    ck_assert(hki_expr_is_straight(e));
    ck_assert(hki_expr_same(e, e));
    for (int n = 0; n < 400; n++) {
      double x[HK_EXPR_LANES];
      for (int k = 0; k < HK_EXPR_LANES; k++) {
        seed = seed * 1664525u + 1013904223u;
        // equal lanes, special numbers, and numbers near 0
        x[k] = n % 3 == 0 && k ? x[0]
               : n % 3 == 1    ? at[(seed >> 8) % 13]
                               : (double)(int)(seed >> 8) * 1e-6 - 8.0;
      }
      compare(e, x, at[(seed >> 16) % 13]);
    }
  }
  hki_pool_destroy(pool);
  hk_ctx_destroy(ctx);
}
END_TEST

/* `if` jumps, which lanes cannot; other numbers are another program */
START_TEST(straight_and_same) {
  hk_ctx *ctx = hk_ctx_create();
  ck_assert_ptr_nonnull(ctx);
  hk_pool *pool = hki_pool_create(ctx);
  const hk_expr_scope scope = {.resolve = resolve};
  const char *const text[] = {"if(x > 0, x, 1/y)", "3*x", "4*x", "3*y", "x + x", "3*x"};
  hk_expr *e[6];
  for (int i = 0; i < 6; i++)
    ck_assert_int_eq(
        hki_expr_compile(ctx, pool, text[i], strlen(text[i]), (hk_loc){0}, &scope, &e[i]), HK_OK);
  ck_assert(!hki_expr_is_straight(e[0]));
  for (int i = 2; i < 5; i++) ck_assert(!hki_expr_same(e[1], e[i]));
  ck_assert(hki_expr_same(e[1], e[5]));
  hki_pool_destroy(pool);
  hk_ctx_destroy(ctx);
}
END_TEST

Suite *suite_lanes(void);
Suite *suite_lanes(void) {
  Suite *s = suite_create("lanes of expressions");
  TCase *c = tcase_create("lanes");
  tcase_add_test(c, lanes_are_jets);
  tcase_add_test(c, straight_and_same);
  suite_add_tcase(s, c);
  return s;
}
