/* SPDX-License-Identifier: Apache-2.0
 *
 * The first-order face of the redundant formulation: its solution of Newton's system against
 * differences of its residual, F(y + e x, y' + cj e x) - F(y, y') = e b, and consistent starts.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "runner.h"
#include "simulation/simulation.h"

static double noise(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

static double *vector(int32_t n) { return calloc((size_t)n + 1, sizeof(double)); }

/* largest error of F' x = b, relative to the largest change of F in each of the four parts */
static void check_solve(hk_formulation *f, bool stabilised, double t, double *y, double *yp,
                        const int32_t *part, const char *name) {
  const hk_dae_ops *ops = f->ops->dae;
  const int32_t n = part[4];
  const double cj = 300.0, e = 1e-6;
  double *b = vector(n), *x = vector(n), *y1 = vector(n), *p1 = vector(n), *F0 = vector(n),
         *F1 = vector(n);
  uint64_t seed = 5;
  // right sides of the size that changes of a few units in y bring
  for (int k = 0; k < 4; k++)
    for (int32_t i = part[k]; i < part[k + 1]; i++)
      b[i] = x[i] = noise(&seed) * (k == 0 ? cj : k == 1 ? 1e3 : k == 2 ? 1.0 : 10.0);
  ck_assert_int_eq(ops->factor(f, stabilised, t, cj, y, yp), HK_OK);
  ck_assert_int_eq(ops->solve(f, x), HK_OK);
  for (int side = -1; side < 2; side += 2) {
    for (int32_t i = 0; i < n; i++)
      y1[i] = y[i] + side * e * x[i], p1[i] = yp[i] + side * cj * e * x[i];
    ck_assert_int_eq(ops->residual(f, stabilised, t, y1, p1, side < 0 ? F0 : F1), HK_OK);
  }
  for (int k = 0; k < 4; k++) {
    double worst = 0.0, size = 0.0;
    for (int32_t i = part[k]; i < part[k + 1]; i++) {
      worst = fmax(worst, fabs((F1[i] - F0[i]) / (2.0 * e) - b[i]));
      size = fmax(size, fabs(b[i]));
    }
    // the dependence of the row rates on poses is solved in two passes, accurate to second order of
    // w/cj
    ck_assert_msg(worst <= (k == 3 ? 5e-4 : 1e-6) * size, "%s, part %d of %s: %g of %g", name, k,
                  stabilised ? "stabilised" : "index 3", worst, size);
  }
  free(b), free(x), free(y1), free(p1), free(F0), free(F1);
}

/* the other way round, in the units of each entry: changes x of y, what they change F by, and x
 * back from it; of the scalar unknowns alone, or of all */
static void check_units(hk_formulation *f, bool stabilised, double t, double *y, double *yp,
                        const int32_t *part, const hk_model *m, bool scalars, const char *name) {
  const hk_dae_ops *ops = f->ops->dae;
  const double cj = 300.0, e = 1e-7, exact = scalars ? 1e-6 : 1e-5;
  const int32_t n = part[4];
  double *b = vector(n), *x = vector(n), *y1 = vector(n), *p1 = vector(n), *F0 = vector(n),
         *unit = vector(n);
  uint8_t *kind = calloc((size_t)n + 1, 1);
  uint64_t seed = 5;
  ops->entries(f, stabilised, kind, unit);
  for (int32_t i = 0; i < n; i++) {
    const bool own = i >= part[2] - m->nx && i < part[2];
    x[i] = scalars && !own ? 0.0 : unit[i] * noise(&seed);
    // forces of the size of those of the motion
    if (kind[i] == HK_DAE_MULTIPLIER && !own) x[i] *= 1e-5;
  }
  ck_assert_int_eq(ops->factor(f, stabilised, t, cj, y, yp), HK_OK);
  for (int side = -1; side < 2; side += 2) {
    for (int32_t i = 0; i < n; i++)
      y1[i] = y[i] + side * e * x[i], p1[i] = yp[i] + side * cj * e * x[i];
    ck_assert_int_eq(ops->residual(f, stabilised, t, y1, p1, side < 0 ? F0 : b), HK_OK);
  }
  for (int32_t i = 0; i < n; i++) b[i] = (b[i] - F0[i]) / (2.0 * e);
  ck_assert_int_eq(ops->factor(f, stabilised, t, cj, y, yp), HK_OK);
  ck_assert_int_eq(ops->solve(f, b), HK_OK);
  for (int32_t i = 0; i < part[2]; i++) {
    // velocities against the rates of changes of poses
    const double size = unit[i] * (kind[i] == HK_DAE_VELOCITY ? cj : 1.0);
    ck_assert_msg(fabs(b[i] - x[i]) <= exact * size, "%s, entry %d of %d: %g, not %g", name, i, n,
                  b[i] / unit[i], x[i] / unit[i]);
  }
  free(b), free(x), free(y1), free(p1), free(F0), free(unit), free(kind);
}

static void check_model(const char *name, double before) {
  char path[512];
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = NULL;
  hk_sim *s = NULL;
  hk_sim_options opt = hk_sim_options_def();
  opt.formulation = "redundant", opt.integrator = "trapezoidal";
  opt.step = before / 200.0, opt.time = before;
  snprintf(path, sizeof path, "%s/examples/%s", test_source_dir(), name);
  ck_assert_int_eq(hk_model_load(ctx, path, NULL, 0, &m), HK_OK);
  ck_assert_int_eq(hk_sim_create(m, &opt, &s), HK_OK);
  while (!hk_sim_done(s)) ck_assert_int_eq(hk_sim_step(s), HK_OK);
  hk_integrator *I = &s->I;
  hk_dims d;
  I->f->ops->dims(I->f, &d);
  for (int stabilised = 0; stabilised < 2; stabilised++) {
    const hk_dae_ops *ops = I->f->ops->dae;
    const int32_t n = ops->size(I->f, stabilised), rows = (n - d.nq - d.nv) / (1 + stabilised);
    const int32_t part[5] = {0, d.nq, d.nq + d.nv, d.nq + d.nv + rows, n};
    double *y = vector(n), *yp = vector(n), *r = vector(n);
    ck_assert_int_eq(ops->pack(I->f, stabilised, I->t, I->q, I->v, y, yp), HK_OK);
    ck_assert_int_eq(ops->residual(I->f, stabilised, I->t, y, yp, r), HK_OK);
    for (int32_t i = 0; i < n; i++)
      ck_assert_msg(fabs(r[i]) < 1e-6, "%s: F[%d] = %g", name, i, r[i]);
    for (int scalars = stabilised; m->nx && scalars < 2; scalars++)
      check_units(I->f, stabilised, I->t, y, yp, part, m, scalars, name);
    if (!m->nx) check_solve(I->f, stabilised, I->t, y, yp, part, name);
    free(y), free(yp), free(r);
  }
  hk_sim_destroy(s);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}

START_TEST(solves) {
  check_model("pendulum.yaml", 0.3);
  check_model("double-four-bar.yaml", 0.3);
  check_model("spinning-body.yaml", 0.3);
  check_model("spatial-four-bar.yaml", 0.1);
  check_model("engine-mounts.yaml", 0.1);
  check_model("mirrored-axle.yaml", 0.1);
  check_model("grab-and-release.yaml", 0.1);
  check_model("rolling-disc.yaml", 0.3);
  check_model("motor-crank.yaml", 0.1);
  check_model("../tests/agreement/network.yaml", 0.1);
  check_model("../tests/agreement/torques.yaml", 0.4);
  check_model("../tests/agreement/turned.yaml", 0.3);
}
END_TEST

Suite *suite_dae(void);
Suite *suite_dae(void) {
  Suite *s = suite_create("first-order face");
  TCase *c = tcase_create("examples");
  tcase_add_test(c, solves);
  suite_add_tcase(s, c);
  return s;
}
