/* SPDX-License-Identifier: Apache-2.0
 *
 * Elements are called around the solution of a step in the order of figure 7 of Masarati, Morandini
 * and Mantegazza 2014: before the prediction, after it, after each iteration, when it has
 * converged; and once more when the step is accepted, with its final state. Steps that fail take
 * back what was changed.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runner.h"
#include "simulation/simulation.h"

static char calls[4096];
static double last_x, start_x;
static int32_t ncalls;

static void eval(const void *par, const hk_element_in *in, uint32_t need, hk_element_out *out) {
  hki_element_find("heat_source")->eval(par, in, need, out);
}

/* writes down when it was called, and counts accepted steps in its discrete datum */
static bool count(const void *par, hk_hook when, const hk_element_in *in, double *d) {
  (void)par;
  if (ncalls + 1 < (int32_t)sizeof calls) calls[ncalls++] = "BPICA"[when];
  if (when == HK_HOOK_BEFORE_PREDICTION) start_x = in->x[1];
  last_x = in->x[1];
  if (when == HK_HOOK_ACCEPTED) d[0] += 1.0;
  return false;
}

static hk_sim *begin(hk_ctx *ctx, const char *integrator, hk_model **m) {
  static hk_element_ops ops;
  char path[512];
  hk_sim *s = NULL;
  hk_sim_options opt = hk_sim_options_def();
  opt.integrator = integrator;
  snprintf(path, sizeof path, "%s/examples/hot-damper.yaml", test_source_dir());
  ck_assert_int_eq(hk_model_load(ctx, path, NULL, 0, m), HK_OK);
  for (int32_t f = 0; f < (*m)->nf; f++) {
    if (strcmp((*m)->forces[f].ops->name, "heat_source") != 0) continue;
    ops = *(*m)->forces[f].ops;
    ops.nd = 1, ops.hook = count, ops.eval = eval;
    (*m)->forces[f].ops = &ops;
    (*m)->forces[f].d0 = (*m)->nd++;
  }
  ck_assert_int_eq(hk_sim_create(*m, &opt, &s), HK_OK);
  return s;
}

static void end(hk_ctx *ctx, hk_model *m, hk_sim *s) {
  hk_sim_destroy(s);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}

START_TEST(order_and_count) {
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = NULL;
  hk_sim *s = begin(ctx, "generalized_alpha", &m);
  for (int step = 0; step < 20; step++) {
    char expected[64] = "BP";
    ncalls = 0;
    memset(calls, 0, sizeof calls);
    ck_assert_int_eq(hk_sim_step(s), HK_OK);
    for (int32_t i = 0; i < s->newton.last; i++) strcat(expected, "I");
    strcat(expected, "CA");
    ck_assert_str_eq(calls, expected);
    ck_assert_double_eq(last_x, s->kin->x[0]);
    ck_assert(step == 0 || last_x > start_x);
  }
  ck_assert_double_eq(s->kin->disc.d[m->nd - 1], 20.0);
  end(ctx, m, s);
}
END_TEST

/* two stages a step; explicit methods have none */
START_TEST(stages) {
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = NULL;
  hk_sim *s = begin(ctx, "sdirk", &m);
  ncalls = 0;
  memset(calls, 0, sizeof calls);
  ck_assert_int_eq(hk_sim_step(s), HK_OK);
  int32_t p = 0, c = 0;
  for (int32_t i = 0; i < ncalls; i++) p += calls[i] == 'P', c += calls[i] == 'C';
  ck_assert(p == 2 && c == 2 && calls[0] == 'B' && calls[ncalls - 1] == 'A');
  end(ctx, m, s);
  ctx = hk_ctx_create();
  s = begin(ctx, "rk4", &m);
  ncalls = 0;
  memset(calls, 0, sizeof calls);
  ck_assert_int_eq(hk_sim_step(s), HK_OK);
  ck_assert_str_eq(calls, "BA");
  end(ctx, m, s);
}
END_TEST

Suite *suite_hooks(void);
Suite *suite_hooks(void) {
  Suite *s = suite_create("hooks");
  TCase *c = tcase_create("steps");
  tcase_add_test(c, order_and_count);
  tcase_add_test(c, stages);
  suite_add_tcase(s, c);
  return s;
}
