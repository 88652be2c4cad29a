/* SPDX-License-Identifier: Apache-2.0
 *
 * Micro-benchmark of expressions and tables: nanoseconds per evaluation, best of several rounds.
 * Beside each value stands that of the same formula in C, which shows the cost of interpretation.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expr/expr.h"
#include "expr/table.h"

enum { INPUTS = 4, ROUNDS = 7, EVALS = 200000 };

static bool resolve(void *user, const char *name, hk_expr_symbol *out) {
  static const char *const names[INPUTS] = {"t", "s", "sdot", "x"};
  (void)user;
  for (int32_t i = 0; i < INPUTS; i++) {
    if (strcmp(name, names[i]) == 0) {
      *out = (hk_expr_symbol){.is_input = true, .slot = i};
      return true;
    }
  }
  return false;
}

static double c_spring(const double *u) { return 2e4 * u[1] + 150.0 * u[2]; }
static double c_cubic(const double *u) { return u[1] * (1e4 + u[1] * u[1] * 3e5); }
static double c_sine(const double *u) { return 0.2 * sin(6.0 * u[0] + 0.3); }
static double c_branch(const double *u) { return u[1] > 0.0 ? 5e4 * u[1] + 200.0 * u[2] : 0.0; }
static double c_stribeck(const double *u) {
  double v = u[2], r = v / 0.01;
  return 30.0 * tanh(v / 1e-3) * (1.0 + 0.4 * exp(-r * r)) + 2.0 * v;
}
static double c_clamp(const double *u) { return fmin(fmax(u[0] * 2.0 - 1.0, 0.0), 1.0); }

static const struct {
  const char *text;
  double (*in_c)(const double *u);
} cases[] = {
    {"2e4*s + 150*sdot", c_spring},
    {"s*(1e4 + s^2*3e5)", c_cubic},
    {"0.2*sin(6*t + 0.3)", c_sine},
    {"if(s > 0, 5e4*s + 200*sdot, 0)", c_branch},
    {"30*tanh(sdot/1e-3)*(1 + 0.4*exp(-(sdot/0.01)^2)) + 2*sdot", c_stribeck},
    {"clamp(2*t - 1, 0, 1)", c_clamp},
};

typedef enum mode { IN_C, VALUE, GRADIENT, JET } mode;

static double sink;

/* best nanoseconds per evaluation over the rounds */
static double measure(const hk_expr *e, double (*in_c)(const double *), mode how) {
  double best = HUGE_VAL;
  for (int32_t r = 0; r < ROUNDS; r++) {
    double u[INPUTS] = {0.1, 0.01, -0.3, 2.0}, out[INPUTS], start = hki_wall_seconds();
    for (int32_t i = 0; i < EVALS; i++) {
      u[0] += 1e-6;
      u[1] = -u[1];
      u[2] += 1e-6;
      if (how == IN_C) sink += in_c(u);
      if (how == VALUE) sink += hki_expr_eval(e, u);
      if (how == GRADIENT) sink += hki_expr_eval_gradient(e, u, out);
      if (how == JET) {
        hki_expr_eval_jet(e, u, 0, out);
        sink += out[0];
      }
    }
    best = fmin(best, (hki_wall_seconds() - start) / EVALS * 1e9);
  }
  return best;
}

static double measure_table(const hk_table *t, bool frozen) {
  double best = HUGE_VAL;
  for (int32_t r = 0; r < ROUNDS; r++) {
    double start = hki_wall_seconds(), x = 0.0, slope;
    for (int32_t i = 0; i < EVALS; i++, x += 0.005) {
      const int32_t k = frozen ? hki_table_segment(t, x) : 0;
      sink += frozen ? hki_table_eval_segment(t, k, x, &slope, NULL)
                     : hki_table_eval(t, x, &slope, NULL);
    }
    best = fmin(best, (hki_wall_seconds() - start) / EVALS * 1e9);
  }
  return best;
}

int main(void) {
  hk_ctx *ctx = hk_ctx_create();
  hk_pool *pool = hki_pool_create(ctx);
  hk_expr_scope scope = {NULL, resolve, NULL, false};
  printf("%-60s %8s %8s %8s %8s %8s\n", "nanoseconds", "C", "value", "gradient", "jet", "compile");
  for (int32_t i = 0; i < HK_ARRAY_LEN(cases); i++) {
    hk_expr *e = NULL;
    double start = hki_wall_seconds();
    for (int32_t k = 0; k < 1000; k++) {
      size_t len = strlen(cases[i].text);
      hki_expr_compile(ctx, pool, cases[i].text, len, HK_LOC_NONE, &scope, &e);
    }
    double compile = (hki_wall_seconds() - start) * 1e6;
    if (!e) return 1;
    printf("%-60s %8.1f %8.1f %8.1f %8.1f %8.0f\n", cases[i].text, measure(e, cases[i].in_c, IN_C),
           measure(e, NULL, VALUE), measure(e, NULL, GRADIENT), measure(e, NULL, JET), compile);
  }

  // a road of 1000 points
  double x[1000], y[1000];
  const hk_table *t;
  for (int32_t i = 0; i < 1000; i++) {
    x[i] = i;
    y[i] = sin(0.1 * i);
  }
  hk_table_rows rows = {
      .loc = HK_LOC_NONE, .n = 1000, .x = x, .y = y, .interpolation = HK_TABLE_MONOTONE};
  if (hki_table_build(ctx, pool, &rows, &t)) return 1;
  printf("table of 1000 points: %.1f by search, %.1f from the segment before\n",
         measure_table(t, false), measure_table(t, true));
  hki_pool_destroy(pool);
  hk_ctx_destroy(ctx);
  return sink == 0.5;
}
