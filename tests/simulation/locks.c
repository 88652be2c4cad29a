/* SPDX-License-Identifier: Apache-2.0
 *
 * Friction that sticks exactly: the value at which a lock holds its coordinate is stored when it is caught and
 * stays to the last bit while velocities jump elsewhere; what moves and is caught again gets a new one.
 */
#include <check.h>
#include <math.h>
#include <string.h>

#include "hooke/hooke.h"
#include "simulation/simulation.h"

Suite *suite_locks(void);

/* a block that holds on a slope, another that slides until it is caught, and a ball that bounces beside them */
static const char text[] =
    "hooke: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  block: {mass: 2, com: [0, 0, 0], inertia: [1, 1, 1]}\n"
    "  other: {mass: 2, com: [0, 1, 0], inertia: [1, 1, 1]}\n"
    "  ball: {mass: 0.5, com: [0.3, 0, 0.06], inertia: [1, 1, 1]}\n"
    "joints:\n"
    "  slide: {type: prismatic, between: [ground, block], axis: [1, 0, -0.2], at: [0, 0, 0], "
    "friction: {mu: 0.5, stick: exact}}\n"
    "  slip: {type: prismatic, between: [ground, other], axis: [1, 0, -0.2], at: [0, 1, 0], "
    "friction: {mu: 0.5, stick: exact}}\n"
    "  rail: {type: prismatic, between: [ground, ball], axis: [0.1, 0, 1], at: [0.3, 0, 0], "
    "limits: {position: [-0.02, null], restitution: 0.99, rest: 1e-6}}\n"
    "start: {slip: {velocity: 0.7}}\n"
    "run: {time: 3, step: 0.02}\n";

static double stored(const hk_sim *s, int32_t stick) {
  return s->kin->disc.lock[s->m->closures[s->m->sticks[stick].closure].lock];
}

static bool held(const hk_sim *s, int32_t stick) {
  return s->kin->disc.active[s->m->sticks[stick].closure] != 0.0;
}

START_TEST(a_lock_keeps_its_place) {
  static const char *const formulations[] = {"hybrid", "recursive", "redundant", "global"};
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = NULL;
  hk_sim *s = NULL;
  hk_sim_options opt = hk_sim_options_def();
  opt.formulation = formulations[_i];
  opt.integrator = "trapezoidal";
  ck_assert_int_eq(hk_model_parse(ctx, text, strlen(text), "locks", NULL, 0, &m), HK_OK);
  ck_assert_int_eq(hk_sim_create(m, &opt, &s), HK_OK);
  ck_assert_int_eq(s->m->nsticks, 2);
  ck_assert(held(s, 0) && !held(s, 1));
  const double place = stored(s, 0), other = stored(s, 1);
  double caught = NAN;
  while (hk_sim_time(s) < 2.99) {
    ck_assert_int_eq(hk_sim_step(s), HK_OK);
    ck_assert(held(s, 0) && stored(s, 0) == place);
    if (isnan(caught) && held(s, 1)) caught = stored(s, 1);
    if (!isnan(caught)) ck_assert(stored(s, 1) == caught);
  }
  ck_assert_int_gt(s->stops.impacts.count, 10);
  // v^2/(2 a), along the slope
  const double c = 1.0 / sqrt(1.04), a = 9.81 * c * (0.5 - 0.2);
  ck_assert(caught != other);
  ck_assert_double_eq_tol(caught, 0.49 / (2.0 * a), 1e-9);
  hk_sim_destroy(s);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}
END_TEST

Suite *suite_locks(void) {
  Suite *s = suite_create("locks");
  TCase *c = tcase_create("locks");
  tcase_add_loop_test(c, a_lock_keeps_its_place, 0, 4);
  suite_add_tcase(s, c);
  return s;
}
