/* SPDX-License-Identifier: Apache-2.0
 *
 * Methods for large models, on small ones: threads that share beams change no bit; linear solvers and
 * iterations give the same motion to their tolerance; factors that are kept over steps save
 * factorisations and come back with a state; a line search finds what Newton's iteration loses.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hooke/hooke.h"
#include "runner.h"
#include "simulation/simulation.h"

Suite *suite_large(void);

/* a beam that falls about a hinge: it turns, so that tangents grow old */
static const char beam[] =
    "hooke: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "beams:\n"
    "  b: {from: [0, 0, 0], to: [2, 0, 0], elements: 80, up: z, damping: 1e-4,\n"
    "      section: {shape: {rectangle: [0.02, 0.01]}, material: {E: 2e9, nu: 0.3, density: "
    "1200}}}\n"
    "joints: {h: {type: revolute, between: [ground, b.start], at: [0, 0, 0], axis: y}}\n"
    "run: {time: 1, step: 0.002, formulation: redundant}\n";

/* a spring whose force hardly grows: corrections from far away overshoot more and more */
static const char spring[] =
    "hooke: 1\n"
    "bodies: {a: {mass: 1, com: [1, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}}\n"
    "joints: {j: {type: prismatic, between: [ground, a], at: [0, 0, 0], axis: x}}\n"
    "forces: {s: {type: joint_spring, joint: j, spring: {expression: \"1000*atan(s/0.1)\"}, "
    "damping: 1}}\n"
    "start: {j: {position: 1}}\n"
    "run: {time: 1, step: 0.1, formulation: redundant, integrator: generalized_alpha, substeps: "
    "off}\n";

typedef struct run {
  hk_ctx *ctx;
  hk_model *m;
  hk_sim *s;
} run;

/* options: "name", "value", ..; ended by NULL */
static run begin(const char *text, const char *const *options) {
  run r = {.ctx = hk_ctx_create()};
  hk_sim_options opt = hk_sim_options_def();
  hk_option list[8];
  for (; options[2 * opt.noptions]; opt.noptions++)
    list[opt.noptions] = (hk_option){options[2 * opt.noptions], options[2 * opt.noptions + 1]};
  opt.options = list;
  ck_assert_int_eq(hk_model_parse(r.ctx, text, strlen(text), "test", NULL, 0, &r.m), HK_OK);
  ck_assert_int_eq(hk_sim_create(r.m, &opt, &r.s), HK_OK);
  return r;
}

static void end(run *r) {
  hk_sim_destroy(r->s);
  hk_model_release(r->m);
  hk_ctx_destroy(r->ctx);
}

static hk_status steps(run *r, int32_t n) {
  hk_status st = HK_OK;
  for (int32_t i = 0; st == HK_OK && i < n; i++) st = hk_sim_step(r->s);
  return st;
}

/* largest difference of two states */
static double apart(const run *a, const run *b) {
  double most = 0.0;
  ck_assert_int_eq(a->s->I.nq, b->s->I.nq);
  for (int32_t i = 0; i < a->s->I.nq; i++) most = fmax(most, fabs(a->s->I.q[i] - b->s->I.q[i]));
  for (int32_t i = 0; i < a->s->I.nv; i++)
    most = fmax(most, 1e-2 * fabs(a->s->I.v[i] - b->s->I.v[i]));
  return most;
}

static const char *const plain[] = {NULL};

/* a skin under a pressure that grows: all its elements read one signal */
static const char skin[] =
    "hooke: 1\n"
    "shells:\n"
    "  s: {corners: [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], elements: [8, 8], thickness: "
    "0.01, damping: 1e-5,\n"
    "      material: {E: 7e10, nu: 0.3, density: 2700}, clamp: {u_start: ground}}\n"
    "forces: {gas: {type: surface_pressure, surface: s, pressure: \"1e4*sin(100*t)\"}}\n"
    "run: {time: 1, step: 0.001, formulation: redundant}\n";

START_TEST(threads_change_no_bit) {
  static const char *const counts[] = {"2", "3", "7"};
  static const char *const texts[] = {beam, skin};
  if (test_few() && _i % 3 != 1) return;
  const char *const options[] = {"threads", counts[_i % 3], NULL}, *text = texts[_i / 3];
  run a = begin(text, plain), b = begin(text, options);
  ck_assert_ptr_null(a.s->kin->team);
  ck_assert_ptr_nonnull(b.s->kin->team);
  // the state under evaluation has them too: there the time goes
  ck_assert_ptr_nonnull(b.s->kin->under);
  ck_assert_ptr_eq(b.s->kin->under->team, b.s->kin->team);
  ck_assert_int_eq(steps(&a, 3), HK_OK);
  ck_assert_int_eq(steps(&b, 3), HK_OK);
  ck_assert_int_eq(memcmp(a.s->I.q, b.s->I.q, (size_t)a.s->I.nq * sizeof(double)), 0);
  ck_assert_int_eq(memcmp(a.s->I.v, b.s->I.v, (size_t)a.s->I.nv * sizeof(double)), 0);
  ck_assert_int_eq(memcmp(a.s->I.a, b.s->I.a, (size_t)a.s->I.nv * sizeof(double)), 0);
  end(&a), end(&b);
}
END_TEST

/* each against KLU and Newton's iteration with a new tangent in every step */
START_TEST(same_motion) {
  if (test_few() && _i % 2) return;
  static const char *const ways[][7] = {{"solver", "panels", NULL},
                                        {"jacobian", "steps", NULL},
                                        {"correction", "krylov", NULL},
                                        {"line_search", "on", NULL},
                                        {"correction", "krylov", "solver", "panels", NULL},
                                        {"jacobian", "steps", "line_search", "on", NULL}};
  static const char *const klu[] = {"solver", "sparse", NULL};
  run a = begin(beam, klu), b = begin(beam, ways[_i]);
  ck_assert_int_eq(steps(&a, 25), HK_OK);
  ck_assert_int_eq(steps(&b, 25), HK_OK);
  const double far = apart(&a, &b);
  ck_assert_msg(far < (_i ? 2e-8 : 1e-10), "%s %s: apart by %g", ways[_i][0], ways[_i][1], far);
  // kept factors serve several steps; products stand in for the others
  if (b.s->newton.krylov || b.s->newton.over_steps) ck_assert_int_le(b.s->newton.factors, 12);
  if (b.s->newton.krylov) ck_assert_int_gt(b.s->newton.products, 10);
  end(&a), end(&b);
}
END_TEST

/* a state taken in the life of kept factors is continued with the same bits by another simulation */
START_TEST(kept_factors_come_back) {
  static const char *const ways[][5] = {{"jacobian", "steps", "solver", "sparse", NULL},
                                        {"jacobian", "steps", "solver", "panels", NULL},
                                        {"correction", "krylov", "solver", "panels", NULL}};
  run a = begin(beam, ways[_i]), b = begin(beam, ways[_i]);
  const size_t size = hk_sim_state_size(a.s);
  void *blob = malloc(size);
  ck_assert_int_eq(steps(&a, 5), HK_OK);
  ck_assert_int_eq(hk_sim_state_get(a.s, blob, size), HK_OK);
  ck_assert_int_eq(hk_sim_state_set(b.s, blob, size), HK_OK);
  ck_assert_int_eq(steps(&a, 6), HK_OK);
  ck_assert_int_eq(steps(&b, 6), HK_OK);
  ck_assert_int_eq(memcmp(a.s->I.q, b.s->I.q, (size_t)a.s->I.nq * sizeof(double)), 0);
  ck_assert_int_eq(memcmp(a.s->I.v, b.s->I.v, (size_t)a.s->I.nv * sizeof(double)), 0);
  free(blob);
  end(&a), end(&b);
}
END_TEST

START_TEST(line_search_rescues) {
  static const char *const on[] = {"line_search", "on", NULL};
  static const char *const both[] = {"line_search", "on", "correction", "krylov", NULL};
  run a = begin(spring, plain), b = begin(spring, on), c = begin(spring, both);
  ck_assert_int_ne(steps(&a, 10), HK_OK);
  ck_assert_int_eq(steps(&b, 10), HK_OK);
  ck_assert_int_eq(steps(&c, 10), HK_OK);
  ck_assert_double_lt(apart(&b, &c), 1e-8);
  end(&a), end(&b), end(&c);
}
END_TEST

/* only formulations that show their stages as systems have these iterations */
START_TEST(others_are_refused) {
  static const hk_option list[] = {
      {"correction", "krylov"}, {"jacobian", "steps"}, {"line_search", "on"}};
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m;
  hk_sim *s;
  hk_sim_options opt = hk_sim_options_def();
  ck_assert_int_eq(hk_model_parse(ctx, beam, strlen(beam), "test", NULL, 0, &m), HK_OK);
  opt.formulation = "hybrid";
  opt.options = &list[_i];
  opt.noptions = 1;
  ck_assert_int_eq(hk_sim_create(m, &opt, &s), HK_E_USAGE);
  const hk_message *said = hk_ctx_message(ctx, 0);
  ck_assert_ptr_nonnull(strstr(said->text, list[_i].name));
  ck_assert_ptr_nonnull(strstr(said->hint, "redundant"));
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}
END_TEST

Suite *suite_large(void) {
  Suite *s = suite_create("large");
  TCase *c = tcase_create("large");
  tcase_set_timeout(c, 60);
  tcase_add_loop_test(c, threads_change_no_bit, 0, 6);
  tcase_add_loop_test(c, same_motion, 0, 6);
  tcase_add_loop_test(c, kept_factors_come_back, 0, 3);
  tcase_add_test(c, line_search_rescues);
  tcase_add_loop_test(c, others_are_refused, 0, 3);
  suite_add_tcase(s, c);
  return s;
}
