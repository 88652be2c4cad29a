/* SPDX-License-Identifier: Apache-2.0
 *
 * partition_start.c: the seven-body mechanism with the start of Haug, Negrut and Iancu 1997
 * (section 3.3): the iteration begins with the accelerations at the predicted state and is not
 * damped. Iterations of both tangents, for the comparison in docs/results/state-space.md, once with the
 * stages taken one by one here and once by the options `start: paper` and `guards: off`.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support_partition.h"

enum { MOST_ITERATIONS = 50 };

typedef struct run {
  hk_ctx *ctx;
  hk_model *m;
  hk_sim *s;
  hk_partition *p;
  double h, vh[MOST], ah[MOST], D[MOST], keep[4096];
} run;

/* guards: NULL: options `start` and `guards` are not given */
static void open_run(run *r, double h, const char *tangent, const char *guards) {
  char path[512];
  hk_sim_options opt = hk_sim_options_def();
  const hk_option options[] = {{"tangent", tangent}, {"start", "paper"}, {"guards", guards}};
  snprintf(path, sizeof path, "%s/examples/andrews-stiff.yaml", test_source_dir());
  r->ctx = hk_ctx_create();
  ck_assert_int_eq(hk_model_load(r->ctx, path, NULL, 0, &r->m), HK_OK);
  opt.formulation = "partition";
  opt.integrator = "trapezoidal";
  opt.step = r->h = h;
  opt.time = 0.035;
  opt.options = options;
  opt.noptions = guards ? 3 : 1;
  opt.substeps = 0;
  ck_assert_int_eq(hk_sim_create(r->m, &opt, &r->s), HK_OK);
  r->p = (hk_partition *)r->s->f;
}

/* hats, and D with the accelerations that the predicted state has (steps (a) to (e)) */
static void predict(run *r) {
  hk_integrator *I = &r->s->I;
  hk_formulation *f = r->s->f;
  const double h = r->h, ca = 4.0 / (h * h);
  double *block;
  int32_t n;
  f->ops->persistent(f, &block, &n);
  ck_assert_int_le(n, 4096);
  memcpy(r->keep, block, (size_t)n * sizeof *block);
  for (int32_t i = 0; i < I->nv; i++) {
    r->ah[i] = -ca * (h * I->v[i] + 0.25 * h * h * I->a[i]);
    r->vh[i] = I->v[i] + 0.5 * h * I->a[i] + 0.5 * h * r->ah[i];
    r->D[i] = h * I->v[i] + 0.5 * h * h * I->a[i];
    I->v1[i] = I->v[i] + h * I->a[i];
    I->a1[i] = I->a[i];
  }
  f->ops->plus(f, I->q, r->D, I->q1);
  f->ops->project(f, I->t + h, I->q1, I->v1, I->a1, HK_PROJECT_POS | HK_PROJECT_VEL);
  memcpy(block, r->keep, (size_t)n * sizeof *block);
  ck_assert_int_eq(f->ops->accel(f, I->t + h, I->q1, I->v1, I->a1), HK_OK);
  for (int32_t i = 0; i < I->nv; i++) r->D[i] = h * I->v[i] + 0.25 * h * h * (I->a[i] + I->a1[i]);
}

static void close_run(run *r) {
  hk_sim_destroy(r->s);
  hk_model_release(r->m);
  hk_ctx_destroy(r->ctx);
}

/* the stage of the next step */
static hk_stage stage_of(const run *r) {
  const hk_integrator *I = &r->s->I;
  const double h = r->h;
  return (hk_stage){.t = I->t + h,
                    .level = HK_LEVEL_POS,
                    .cv = 2.0 / h,
                    .ca = 4.0 / (h * h),
                    .q0 = I->q,
                    .vh = r->vh,
                    .ah = r->ah};
}

/* iterations of one step, 0 when it does not converge */
static int iterate(run *r, const hk_stage *st, double tolerance) {
  hk_formulation *f = r->s->f;
  f->ops->begin(f, st);
  for (int it = 1; it <= MOST_ITERATIONS; it++) {
    hk_norms norm;
    // no other place to begin at, no halving
    r->p->first = false;
    r->p->last = 0.0;
    if (f->ops->residual(f, r->D, true) != HK_OK || f->ops->factor(f) != HK_OK) return 0;
    f->ops->correct(f, r->D, &norm);
    if (!(norm.step < 1e6)) return 0;
    if (norm.step < tolerance) return it;
  }
  return 0;
}

/* iterations a step over the whole motion; 0: a step does not converge */
static double mean(double h, const char *tangent, double tolerance) {
  run r;
  int all = 0, steps = 0;
  open_run(&r, h, tangent, NULL);
  hk_integrator *I = &r.s->I;
  hk_formulation *f = r.s->f;
  while (I->t < 0.035 - 1e-9) {
    const hk_stage st = stage_of(&r);
    predict(&r);
    int it = iterate(&r, &st, tolerance);
    if (!it) break;
    all += it, steps++;
    f->ops->plus(f, I->q, r.D, I->q1);
    for (int32_t i = 0; i < I->nv; i++) {
      I->v1[i] = r.vh[i] + st.cv * r.D[i];
      I->a1[i] = r.ah[i] + st.ca * r.D[i];
    }
    uint32_t what = HK_PROJECT_VEL | HK_PROJECT_ACC;
    if (f->ops->project(f, st.t, I->q1, I->v1, I->a1, what) != HK_OK) break;
    hki_integrator_accept(I, h);
    I->t = st.t;
  }
  const bool done = I->t >= 0.035 - 1e-9;
  close_run(&r);
  return done ? (double)all / steps : 0.0;
}

START_TEST(test_both_tangents_stop_after_the_same_step) {
  ck_assert(mean(0.0012, "exact", 1e-9) > 0.0);
  ck_assert(mean(0.0012, "fv", 1e-9) > 0.0);
  ck_assert(mean(0.0015, "exact", 1e-9) == 0.0);
  ck_assert(mean(0.0015, "fv", 1e-9) == 0.0);
}
END_TEST

START_TEST(test_iterations) {
  double exact = mean(0.0001, "exact", 1e-13), fv = mean(0.0001, "fv", 1e-13);
  ck_assert_msg(exact > 2.0 && exact < 2.25, "%g", exact);
  ck_assert_msg(fv > 2.9 && fv < 3.25, "%g", fv);
}
END_TEST

/* does the mechanism come to its end with the options? */
static bool arrives(double h, const char *tangent, const char *guards) {
  run r;
  open_run(&r, h, tangent, guards);
  hk_status st = HK_OK;
  while (st == HK_OK && !hk_sim_done(r.s)) st = hk_sim_step(r.s);
  close_run(&r);
  return st == HK_OK;
}

/* the option begins where the predictor by hand does */
START_TEST(test_start_of_the_option) {
  for (int k = 0; k < 2; k++) {
    const double h = k ? 0.0012 : 0.0005;
    run r;
    double D[MOST], far = 0.0;
    open_run(&r, h, "exact", "off");
    const hk_integrator *I = &r.s->I;
    const hk_partition *p = r.p;
    // away from the start, where velocities are zero
    for (int i = 0; !k && i < 4; i++) ck_assert_int_eq(hk_sim_step(r.s), HK_OK);
    const hk_stage st = stage_of(&r);
    predict(&r);
    for (int32_t i = 0; i < I->nv; i++) D[i] = h * I->v[i] + 0.5 * h * h * I->a[i];
    ck_assert_int_eq(p->base.ops->begin(r.s->f, &st), HK_OK);
    ck_assert_int_eq(p->base.ops->residual(r.s->f, D, true), HK_OK);
    for (int32_t j = 0; j < p->f; j++) {
      const int32_t i = p->cols[p->rank + j];
      const double tiny = 1e-10 * p->c->scale[i];
      ck_assert_msg(fabs(p->D[i] - r.D[i]) < tiny, "%g, by hand %g", p->D[i], r.D[i]);
      far = fmax(far, fabs(p->D[i] - D[i]) / p->c->scale[i]);
    }
    ck_assert_msg(far > 1e-6, "only %g from the extrapolation", far);
    close_run(&r);
  }
}
END_TEST

START_TEST(test_limits_of_the_options) {
  ck_assert(arrives(0.0012, "exact", "off"));
  ck_assert(arrives(0.0012, "fv", "off"));
  ck_assert(!arrives(0.0015, "exact", "off"));
  ck_assert(!arrives(0.0015, "fv", "off"));
  // the guards find a way where there is none without them
  ck_assert(!arrives(0.002, "fv", "off"));
  ck_assert(arrives(0.002, "fv", "on"));
}
END_TEST

/* T of both tangents at the end of the first step, N m: one number, as the mechanism has one degree
 * of freedom */
static void first_tangents(double h, double *T) {
  run r;
  open_run(&r, h, "fv", NULL);
  hk_partition *p = r.p;
  const hk_integrator *I = &r.s->I;
  hk_norms norm = {.step = INFINITY};
  predict(&r);
  for (int32_t i = 0; i < I->nv; i++) r.D[i] = h * I->v[i] + 0.5 * h * h * I->a[i];
  const hk_stage st = stage_of(&r);
  ck_assert_int_eq(p->base.ops->begin(r.s->f, &st), HK_OK);
  for (int it = 0; norm.step > 1e-12 && it < MOST_ITERATIONS; it++) {
    ck_assert_int_eq(p->base.ops->residual(r.s->f, r.D, true), HK_OK);
    ck_assert_int_eq(p->base.ops->factor(r.s->f), HK_OK);
    ck_assert_int_eq(p->base.ops->correct(r.s->f, r.D, &norm), HK_OK);
  }
  ck_assert_msg(norm.step < 1e-12, "%g after all iterations", norm.step);
  for (int32_t k = HK_PARTITION_EXACT; k <= HK_PARTITION_FV; k++) {
    p->par.tangent = k;
    hki_partition_tangent(p);
    T[k] = p->T[0];
  }
  close_run(&r);
}

/* the corrections of fv shrink by 1 - T_exact/T_fv: slowest at steps of 0.0011 s, fast on both sides */
START_TEST(test_rate_over_the_step) {
  static const struct {
    double h, rate, left; /* left: T_exact - T_fv */
  } of[] = {{1e-4, 0.004, -3.4},  {2e-4, 0.015, -3.4},    {5e-4, 0.091, -3.4},
            {1.1e-3, 0.30, -2.7}, {2e-3, 0.068, -0.5},    {3e-3, -0.029, 0.24},
            {7e-3, -0.073, 0.59}, {1.75e-2, -0.061, 0.46}};
  for (int k = 0; k < HK_ARRAY_LEN(of); k++) {
    double T[2];
    first_tangents(of[k].h, T);
    const double left = T[HK_PARTITION_EXACT] - T[HK_PARTITION_FV];
    const double rate = -left / T[HK_PARTITION_FV];
    ck_assert_msg(fabs(rate - of[k].rate) < 0.006, "%g s: rate %g", of[k].h, rate);
    ck_assert_msg(fabs(left - of[k].left) < 0.06, "%g s: %g N m", of[k].h, left);
  }
}
END_TEST

Suite *suite_partition_start(void) {
  Suite *s = suite_create("partition start");
  TCase *t = tcase_create("start");
  tcase_add_test(t, test_both_tangents_stop_after_the_same_step);
  if (!test_few()) tcase_add_test(t, test_iterations);
  tcase_add_test(t, test_start_of_the_option);
  tcase_add_test(t, test_limits_of_the_options);
  tcase_add_test(t, test_rate_over_the_step);
  suite_add_tcase(s, t);
  return s;
}
