/* SPDX-License-Identifier: Apache-2.0
 *
 * Friction at stops in a stage: how fast Newton's method converges from an increment that is off tells whether the
 * normal force of a stop has its slopes in the tangent. An eccentric disc slides along a wall: its friction turns it, and
 * that presses it against the wall, by 0.28 of itself. Without slopes each correction would be this share of the one
 * before, as where a formulation has none for rigid stops.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hooke/hooke.h"
#include "numbers.h"
#include "simulation/simulation.h"

Suite *suite_stop_slopes(void);

enum { MOST = 16, CORRECTIONS = 12 };

static const char text[] =
    "hooke: 1\n"
    "gravity: [-10, -2, 0]\n"
    "bodies:\n"
    "  disc: {mass: 2, inertia: [0.01, 0.01, 0.02], com: [0.04, 0.06, 0]}\n"
    "joints:\n"
    "  plane: {type: planar, between: [ground, disc], at: [0, 0, 0], normal: z,\n"
    "          limits: {position: [[0, null], null], %s, "
    "friction: {mu: 0.4, radius: 0.1, sigma2: 0.05}}}\n"
    "start: {plane: {velocity: [0, 1.5], rate: 0}}\n"
    "run: {time: 1, step: 0.002}\n";

static hk_ctx *ctx;
static hk_model *model;
static hk_sim *sim;

static void start(const char *manner, const char *formulation) {
  char t[sizeof text + 100];
  hk_sim_options opt = hk_sim_options_def();
  opt.formulation = formulation;
  opt.integrator = "trapezoidal";
  snprintf(t, sizeof t, text, manner);
  ctx = hk_ctx_create();
  ck_assert_int_eq(hk_model_parse(ctx, t, strlen(t), "disc", NULL, 0, &model), HK_OK);
  ck_assert_int_eq(hk_sim_create(model, &opt, &sim), HK_OK);
  for (int i = 0; i < 10; i++) ck_assert_int_eq(hk_sim_step(sim), HK_OK);
}

static void end(void) {
  hk_sim_destroy(sim);
  hk_model_release(model);
  hk_ctx_destroy(ctx);
}

/* corrections of one stage of the trapezoidal rule from an increment that is off; returns how many */
static int corrections(bool tree, double *e) {
  hk_integrator *I = &sim->I;
  const hk_formulation_ops *ops = I->f->ops;
  const double h = 0.002;
  double D[2 * MOST], vh[2 * MOST], ah[2 * MOST];
  uint64_t seed = 5;
  int n = 0;
  ck_assert_int_le(I->nv, 2 * MOST);
  for (int32_t i = 0; i < I->nv; i++) {
    // joint coordinates: not through the wall, which penalties would answer by a blow
    const double off = tree && i == 0 ? 0.0 : 2e-5 * noise(&seed);
    D[i] = h * I->v[i] + 0.5 * h * h * I->a[i] + off;
    vh[i] = -I->v[i], ah[i] = -4.0 / h * I->v[i] - I->a[i];
  }
  const hk_stage st = {I->t + h, HK_LEVEL_POS, 2.0 / h, 4.0 / (h * h), I->q,
                       vh,       ah,           false,   NULL,          NULL};
  ck_assert_int_eq(ops->begin(I->f, &st), HK_OK);
  while (n < CORRECTIONS) {
    hk_norms norm = {0};
    ck_assert_int_eq(ops->residual(I->f, D, true), HK_OK);
    ck_assert_int_eq(ops->factor(I->f), HK_OK);
    ck_assert_int_eq(ops->correct(I->f, D, &norm), HK_OK);
    e[n++] = norm.step;
    if (norm.step < 1e-13) break;
  }
  return n;
}

START_TEST(slopes_are_in_the_tangent) {
  static const char *const manners[] = {"restitution: 0",
                                        "stiffness: 1e5, dissipation: 0.5, exponent: 1.5"};
  static const char *const formulations[] = {"hybrid",    "recursive", "topological",
                                             "redundant", "partition", "global"};
  // largest correction over the one before: rigid stops in this order; compliant ones have all slopes
  static const double rigid[] = {5e-3, 0.15, 0.32, 1e-3, 0.32, 0.32}, compliant = 1e-3;
  const double most = _i < 6 ? rigid[_i % 6] : compliant;
  double e[CORRECTIONS];
  start(manners[_i / 6], formulations[_i % 6]);
  double slides, normal;
  ck_assert_int_eq(hk_sim_value(sim, "force.limits.plane.position.u.friction.slides", &slides),
                   HK_OK);
  ck_assert_int_eq(hk_sim_value(sim, "force.limits.plane.position.u.friction.normal", &normal),
                   HK_OK);
  ck_assert(slides == 1.0 && normal > 1.0);
  const int n = corrections(_i % 6 < 3, e);
  if (getenv("HOOKE_TEST_PRINT")) {
    printf("%-12s %-30s N %.3g", formulations[_i % 6], manners[_i / 6], normal);
    for (int k = 0; k < n; k++) printf(" %.1e", e[k]);
    printf("\n");
  }
  // a correction that happens to be small says nothing of the rate: then over the last two
  for (int k = 0; k + 1 < n; k++)
    ck_assert_msg(e[k + 1] <= most * fmax(e[k], k ? most * e[k - 1] : 0.0) + 1e-13,
                  "%s, %s: correction %d is %g after %g", formulations[_i % 6], manners[_i / 6],
                  k + 1, e[k + 1], e[k]);
  end();
}
END_TEST

Suite *suite_stop_slopes(void) {
  Suite *s = suite_create("stop_slopes");
  TCase *c = tcase_create("slopes");
  tcase_add_loop_test(c, slopes_are_in_the_tangent, 0, 12);
  suite_add_tcase(s, c);
  return s;
}
