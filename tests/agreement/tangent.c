/* SPDX-License-Identifier: Apache-2.0
 *
 * Newton's matrix of the redundant formulation is the exact derivative: from a departure of size e
 * of a converged stage, one correction leaves an error of the order e^2. Steps are taken long, so
 * that stiffness, damping and curvature weigh against the masses.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner.h"
#include "simulation/simulation.h"

typedef struct departure {
  hk_integrator *I;
  hk_stage st;
  double *D, *start, *lam, *block;
  int32_t nlam;
  const hk_model *m;
} departure;

/* size of one unit: scalar unknowns have their own */
static double unit(const departure *x, int32_t i) {
  const int32_t k = i - (x->I->nv - x->m->nx);
  return k < 0 ? 1.0 : x->m->unknowns[k].scale;
}

static double noise(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

static hk_status iterate(departure *x, double *D) {
  const hk_formulation_ops *ops = x->I->f->ops;
  hk_norms n;
  hk_status s = ops->residual(x->I->f, D, true);
  if (s == HK_OK) s = ops->factor(x->I->f);
  return s == HK_OK ? ops->correct(x->I->f, D, &n) : s;
}

/* error that one correction leaves of a departure e */
static double left(departure *x, double e) {
  double most = 0.0;
  uint64_t seed = 7;
  memcpy(x->block, x->lam, (size_t)x->nlam * sizeof(double));
  for (int32_t i = 0; i < x->I->nv; i++) x->D[i] = x->start[i] + e * unit(x, i) * noise(&seed);
  ck_assert_int_eq(iterate(x, x->D), HK_OK);
  for (int32_t i = 0; i < x->I->nv; i++)
    most = fmax(most, fabs(x->D[i] - x->start[i]) / unit(x, i));
  return most;
}

static void check_stage(const char *name, double before, double h, bool momenta,
                        const char *rotations) {
  char path[512];
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = NULL;
  hk_sim *s = NULL;
  hk_sim_options opt = hk_sim_options_def();
  opt.formulation = "redundant", opt.integrator = "trapezoidal";
  const hk_option option = {"rotations", rotations};
  opt.options = &option, opt.noptions = 1;
  opt.step = before / 200.0, opt.time = before;
  snprintf(path, sizeof path, "%s/examples/%s", test_source_dir(), name);
  ck_assert_int_eq(hk_model_load(ctx, path, NULL, 0, &m), HK_OK);
  ck_assert_int_eq(hk_sim_create(m, &opt, &s), HK_OK);
  while (!hk_sim_done(s)) ck_assert_int_eq(hk_sim_step(s), HK_OK);
  hk_integrator *I = &s->I;
  departure x = {.I = I, .m = s->m};
  const size_t nv = (size_t)I->nv;
  x.D = calloc(nv + 1, sizeof(double)), x.start = calloc(nv + 1, sizeof(double));
  // a stage of the trapezoidal rule
  const double cv = 2.0 / h, ca = cv * cv;
  for (size_t i = 0; i < nv; i++) {
    I->vh[i] = -I->v[i];
    I->ah[i] = -ca * h * I->v[i] - I->a[i];
    x.start[i] = h * I->v[i] + 0.5 * h * h * I->a[i];
  }
  // with momenta: the same positions, the rule applied to p instead of v
  double *ph = malloc((size_t)I->nv * sizeof(double));
  I->f->ops->nodes->momentum(I->f, I->q, I->v, ph);
  for (int32_t i = 0; i < I->nv; i++) ph[i] *= -cv;
  const hk_stage_nodes nodes = {cv, ph};
  x.st = (hk_stage){
      I->t + h, HK_LEVEL_POS, cv, ca, I->q, I->vh, I->ah, false, momenta ? &nodes : NULL, NULL};
  ck_assert_int_eq(I->f->ops->begin(I->f, &x.st), HK_OK);
  for (int i = 0; i < 30; i++) ck_assert_int_eq(iterate(&x, x.start), HK_OK);
  I->f->ops->persistent(I->f, &x.block, &x.nlam);
  x.lam = malloc((size_t)x.nlam * sizeof(double));
  memcpy(x.lam, x.block, (size_t)x.nlam * sizeof(double));
  double coarse = left(&x, 2e-4), fine = left(&x, 1e-4);
  ck_assert_msg(fine < 2e-12 || fine < 0.27 * coarse, "%s: %g, then %g", name, coarse, fine);
  ck_assert_msg(fine < 1e-5, "%s: %g", name, fine);
  free(x.D), free(x.start), free(x.lam), free(ph);
  hk_sim_destroy(s);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}

static void check_model(const char *name, double before, double h) {
  check_stage(name, before, h, false, "cayley");
  check_stage(name, before, h, true, "cayley");
  check_stage(name, before, h, true, "exponential");
}

START_TEST(quadratic) {
  check_model("pendulum.yaml", 0.3, 0.1);
  check_model("double-four-bar.yaml", 0.3, 0.05);
  check_model("spinning-body.yaml", 0.3, 0.1);
  check_model("spatial-four-bar.yaml", 0.1, 0.02);
  check_model("slider-crank-driven.yaml", 0.1, 0.02);
  check_model("engine-mounts.yaml", 0.1, 0.05);
  check_model("mirrored-axle.yaml", 0.1, 0.05);
  check_model("iltis-suspension.yaml", 0.1, 0.02);
  check_model("andrews.yaml", 0.001, 0.0005);
  check_model("rolling-disc.yaml", 0.3, 0.05);
  check_model("../tests/agreement/network.yaml", 0.1, 0.02);
  check_model("../tests/agreement/torques.yaml", 0.4, 0.02);
  check_model("motor-crank.yaml", 0.1, 0.02);
  check_model("../tests/agreement/turned.yaml", 0.3, 0.02);
}
END_TEST

Suite *suite_tangent(void);
Suite *suite_tangent(void) {
  Suite *s = suite_create("tangent of the redundant formulation");
  TCase *c = tcase_create("stages");
  tcase_add_test(c, quadratic);
  suite_add_tcase(s, c);
  return s;
}
