/* SPDX-License-Identifier: Apache-2.0
 *
 * Stabilised forms of the redundant formulation. Newton's matrix is the exact derivative: from a
 * departure of size e of a converged stage, one correction leaves an error of the order e^2. Least
 * squares end where the sum of squares does not change. Extra multipliers shrink with h^2.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formulations/redundant/stab.h"
#include "runner.h"
#include "simulation/simulation.h"

/* a model at some time, and a long stage of the trapezoidal rule from there */
typedef struct rig {
  hk_ctx *ctx;
  hk_model *m;
  hk_sim *s;
  hk_integrator *I;
  hk_stage st;
  double *D, *start;
} rig;

static void open_rig(rig *x, const char *model, const char *method, double before, double h) {
  char path[512];
  const hk_option option = {"stabilisation", method};
  hk_sim_options opt = hk_sim_options_def();
  *x = (rig){.ctx = hk_ctx_create()};
  opt.formulation = "redundant", opt.integrator = "trapezoidal";
  opt.options = &option, opt.noptions = 1;
  opt.step = before / 200.0, opt.time = before;
  snprintf(path, sizeof path, "%s/examples/%s", test_source_dir(), model);
  ck_assert_int_eq(hk_model_load(x->ctx, path, NULL, 0, &x->m), HK_OK);
  ck_assert_int_eq(hk_sim_create(x->m, &opt, &x->s), HK_OK);
  while (!hk_sim_done(x->s)) ck_assert_int_eq(hk_sim_step(x->s), HK_OK);
  hk_integrator *I = x->I = &x->s->I;
  const size_t nv = (size_t)I->nv;
  const double cv = 2.0 / h, ca = cv * cv;
  x->D = calloc(nv + 1, sizeof(double)), x->start = calloc(nv + 1, sizeof(double));
  for (size_t i = 0; i < nv; i++) {
    I->vh[i] = -I->v[i];
    I->ah[i] = -ca * h * I->v[i] - I->a[i];
    x->start[i] = h * I->v[i] + 0.5 * h * h * I->a[i];
  }
  x->st = (hk_stage){I->t + h, HK_LEVEL_POS, cv, ca, I->q, I->vh, I->ah, false, NULL, NULL};
  ck_assert_int_eq(I->f->ops->begin(I->f, &x->st), HK_OK);
}

static void close_rig(rig *x) {
  free(x->D), free(x->start);
  hk_sim_destroy(x->s);
  hk_model_release(x->m);
  hk_ctx_destroy(x->ctx);
}

static void iterate(rig *x, double *D, int times) {
  const hk_formulation_ops *ops = x->I->f->ops;
  hk_norms n;
  for (int k = 0; k < times; k++) {
    ck_assert_int_eq(ops->residual(x->I->f, D, true), HK_OK);
    ck_assert_int_eq(ops->factor(x->I->f), HK_OK);
    ck_assert_int_eq(ops->correct(x->I->f, D, &n), HK_OK);
  }
}

static double noise(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

/* error that one correction leaves of a departure e; all else starts from the solution */
static double left(rig *x, double e) {
  double most = 0.0;
  uint64_t seed = 7;
  iterate(x, x->start, 12);
  for (int32_t i = 0; i < x->I->nv; i++) x->D[i] = x->start[i] + e * noise(&seed);
  iterate(x, x->D, 1);
  for (int32_t i = 0; i < x->I->nv; i++) most = fmax(most, fabs(x->D[i] - x->start[i]));
  return most;
}

static const struct {
  const char *model;
  double before, h;
} stages[] = {
    {"pendulum.yaml", 0.3, 0.1},
    {"double-four-bar.yaml", 0.3, 0.05},
    {"spinning-body.yaml", 0.3, 0.1},
    {"spatial-four-bar.yaml", 0.1, 0.02},
    {"slider-crank-driven.yaml", 0.1, 0.02},
    {"engine-mounts.yaml", 0.1, 0.05},
    {"mirrored-axle.yaml", 0.1, 0.05},
    {"iltis-suspension.yaml", 0.1, 0.02},
    {"andrews.yaml", 0.001, 0.0005},
    {"rolling-disc.yaml", 0.1, 0.05},
    {"../tests/agreement/turned.yaml", 0.1, 0.02},
};
enum { STAGES = sizeof stages / sizeof *stages };

START_TEST(quadratic) {
  static const char *const methods[] = {"baumgarte", "ggl", "fuhrer_leimkuhler"};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    rig x;
    open_rig(&x, stages[_i].model, methods[k], stages[_i].before, stages[_i].h);
    iterate(&x, x.start, 20);
    double coarse = left(&x, 2e-4), fine = left(&x, 1e-4);
    ck_assert_msg(fine < 2e-12 || fine < 0.27 * coarse, "%s, %s: %g, then %g", stages[_i].model,
                  methods[k], coarse, fine);
    ck_assert_msg(fine < 1e-5, "%s, %s: %g", stages[_i].model, methods[k], fine);
    close_rig(&x);
  }
}
END_TEST

/* half the sum of squares at the present unknowns */
static double squares(rig *x) {
  const hk_redundant_stab *s = hki_redundant_of(x->I->f)->stab;
  double sum = 0.0;
  ck_assert_int_eq(x->I->f->ops->residual(x->I->f, x->start, true), HK_OK);
  for (int32_t i = 0; i < s->nrow; i++) sum += s->weight[i] * s->e[i] * s->weight[i] * s->e[i];
  return 0.5 * sum;
}

/* its slope in one unknown, whose unit is given, by a difference: zero to round-off of the unknown
 * and to 1e-5 of |e| times the size of the unknown's column */
static void check_slope(rig *x, const char *what, int32_t i, double *unknown, double unit) {
  const double at = *unknown, here = squares(x), size = sqrt(2.0 * here);
  double up = 0.0, down = 0.0, column = 0.0, d = 1e-7;
  // a second time with a departure that is small against |e|
  for (int pass = 0; pass < 2; pass++) {
    if (pass && column > 0.01 * size) d *= 0.01 * size / column;
    *unknown = at + d * unit;
    up = squares(x);
    *unknown = at - d * unit;
    down = squares(x);
    *unknown = at;
    column = sqrt(fabs(up + down - 2.0 * here));
  }
  double left = 0.5 * fabs(up - down) / d, J = column / d;
  ck_assert_msg(left <= 1e-5 * J * size + 1e-14 * J * J, "%s, %s %d: slope %g, column %g, |e| %g",
                x->s->m->spec->title, what, i, left, J, size);
}

START_TEST(least_squares) {
  rig x;
  // massless rods weigh so much there that round-off hides the slopes
  if (strcmp(stages[_i].model, "iltis-suspension.yaml") == 0) return;
  open_rig(&x, stages[_i].model, "overdetermined", stages[_i].before, stages[_i].h);
  iterate(&x, x.start, 40);
  hk_redundant *r = hki_redundant_of(x.I->f);
  for (int32_t i = 0; i < r->c->n; i++) {
    check_slope(&x, "increment", i, &x.start[i], r->c->scale[i]);
    check_slope(&x, "velocity", i, &r->stab->V[i], x.st.cv * r->c->scale[i]);
  }
  for (int32_t i = 0; i < r->c->nrows; i++)
    check_slope(&x, "multiplier", i, &r->lam[i], x.st.ca * r->mass);
  // free bodies have equations as many as unknowns: nothing is left to be shared
  if (!r->c->nrows) ck_assert_double_lt(squares(&x), 1e-24);
  close_rig(&x);
}
END_TEST

/* largest P G' mu (0) or P G' eta (1) of a run */
static double extra(const char *model, const char *method, const char *integrator, double time,
                    double h, int which) {
  char path[512];
  const hk_option option = {"stabilisation", method};
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = NULL;
  hk_sim *s = NULL;
  hk_sim_options opt = hk_sim_options_def();
  double most = 0.0;
  opt.formulation = "redundant", opt.integrator = integrator;
  opt.options = &option, opt.noptions = 1;
  opt.step = h, opt.time = time;
  snprintf(path, sizeof path, "%s/examples/%s", test_source_dir(), model);
  ck_assert_int_eq(hk_model_load(ctx, path, NULL, 0, &m), HK_OK);
  ck_assert_int_eq(hk_sim_create(m, &opt, &s), HK_OK);
  const hk_redundant *r = hki_redundant_of(s->f);
  while (!hk_sim_done(s)) {
    ck_assert_int_eq(hk_sim_step(s), HK_OK);
    const double *z = which ? r->stab->y : r->stab->z;
    // past the first steps, which have another method
    for (int32_t i = 0; hk_sim_time(s) > 0.25 * time && i < r->c->n; i++)
      most = fmax(most, fabs(z[i]) / r->c->scale[i]);
  }
  hk_sim_destroy(s);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
  return most;
}

static void check_rate(const char *model, const char *integrator, double time, double h) {
  static const struct {
    const char *method;
    int which;
  } kinds[] = {{"ggl", 0}, {"fuhrer_leimkuhler", 0}, {"fuhrer_leimkuhler", 1}};
  for (int k = 0; k < 3; k++) {
    double a = extra(model, kinds[k].method, integrator, time, h, kinds[k].which);
    double b = extra(model, kinds[k].method, integrator, time, h / 2, kinds[k].which);
    double order = log2(a / b);
    ck_assert_msg(b > 1e-9, "%s, %s: %g says nothing", model, kinds[k].method, b);
    ck_assert_msg(fabs(order - 2.0) < 0.15, "%s, %s, %s %d: %g, %g: order %g", model, integrator,
                  kinds[k].method, kinds[k].which, a, b, order);
  }
}

START_TEST(extra_multipliers) {
  static const char *const integrators[] = {"trapezoidal", "multistep", "generalized_alpha"};
  check_rate("pendulum.yaml", integrators[_i], 0.5, 0.005);
  check_rate("double-four-bar.yaml", integrators[_i], 0.5, 0.005);
  check_rate("spatial-four-bar.yaml", integrators[_i], 0.2, 0.002);
}
END_TEST

Suite *suite_stabilised(void);
Suite *suite_stabilised(void) {
  Suite *s = suite_create("stabilised forms of the redundant formulation");
  TCase *c = tcase_create("stages");
  tcase_set_timeout(c, 60);
  tcase_add_loop_test(c, quadratic, 0, STAGES);
  tcase_add_loop_test(c, least_squares, 0, STAGES);
  tcase_add_loop_test(c, extra_multipliers, 0, 3);
  suite_add_tcase(s, c);
  return s;
}
