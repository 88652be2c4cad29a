/* SPDX-License-Identifier: Apache-2.0
 *
 * Parameters that change during a run: what is set before the first step gives the run that has it from
 * the start, bit by bit; what is set later gives what an event does; copies of the state carry the values;
 * what cannot change is refused by name, and changes nothing.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hooke/hooke.h"
#include "runner.h"

Suite *suite_parameters(void);

/* a four-bar linkage with a loop; every kind of number depends on some parameter. EVENT: an event */
#define LINKAGE(EVENT)                                                                             \
  "hooke: 1\n"                                                                                     \
  "planar: xy\n"                                                                                   \
  "gravity: [0, -g, 0]\n"                                                                          \
  "parameters: {g: 9.81, k: 40, twice: 2*k, c: 0.3, m: 2, L: 1, load: 3, more: 0, h: 0.004, r: "   \
  "1}\n"                                                                                           \
  "bodies:\n"                                                                                      \
  "  left: {mass: m, com: [0, L/2, 0], inertia: {zz: m/12}}\n"                                     \
  "  bar: {mass: 2, com: [r/2, L, 0], inertia: {zz: 0.2}}\n"                                       \
  "  right: {mass: 1, com: [r, L/2, 0], inertia: {zz: 0.1}}\n"                                     \
  "  extra: {mass: 1, com: [5, 0, 0], inertia: {zz: 0.1}, repeat: 1 + more}\n"                     \
  "joints:\n"                                                                                      \
  "  a: {type: revolute, between: [ground, left], at: [0, 0, 0], axis: z}\n"                       \
  "  b: {type: revolute, between: [left, bar], at: [0, L, 0], axis: z}\n"                          \
  "  d: {type: revolute, between: [bar, right], at: [r, L, 0], axis: z}\n"                         \
  "  e: {type: revolute, between: [right, ground], at: [r, 0, 0], axis: z}\n"                      \
  "forces:\n"                                                                                      \
  "  spring: {type: joint_spring, joint: a, stiffness: twice, damping: c}\n"                       \
  "  push: {type: joint_torque, joint: b, value: load*sin(3*t)}\n" EVENT "start: {a: {rate: 1}}\n" \
  "record: [\"joint.*.angle\", \"joint.*.rate\", \"body.*.position\", \"joint.*.force\"]\n"        \
  "run: {time: 4, step: h}\n"

static const char plain[] = LINKAGE("");
static const char eventful[] = LINKAGE("events:\n"
                                       "  stiffer: {when: \"t >= 0.4\", set: {k: 90, c: 2}}\n");
/* the event never happens, but makes variables of them */
static const char variable[] = LINKAGE("events:\n"
                                       "  never: {when: \"t >= 400\", set: {k: 90, c: 2}}\n");

static const char *const methods[][2] = {
    {"hybrid", "trapezoidal"},  {"global", "generalized_alpha"}, {"recursive", "newmark"},
    {"redundant", "multistep"}, {"topological", "rk4"},          {"partition", "sdirk"},
};
enum { METHODS = sizeof methods / sizeof *methods, MOST = 200 };

static hk_ctx *ctx;

static void setup(void) { ctx = hk_ctx_create(); }
static void teardown(void) { hk_ctx_destroy(ctx); }

static hk_sim *begin(hk_ctx *in, const char *text, int method, const char *name,
                     const char *value) {
  hk_model *m = NULL;
  hk_sim *s = NULL;
  const hk_set set = {name, value};
  hk_sim_options opt = hk_sim_options_def();
  opt.formulation = methods[method][0];
  opt.integrator = methods[method][1];
  hk_status st = hk_model_parse(in, text, strlen(text), "linkage.yaml", &set, name ? 1 : 0, &m);
  ck_assert_msg(st == HK_OK, "%s", st ? hk_ctx_message(in, 0)->text : "");
  st = hk_sim_create(m, &opt, &s);
  ck_assert_msg(st == HK_OK, "%s", st ? hk_ctx_message(in, 0)->text : "");
  hk_model_release(m);
  return s;
}

static hk_status set(hk_sim *s, const char *name, double value) {
  const int32_t p = hk_sim_parameter_find(s, name);
  ck_assert_int_ge(p, 0);
  return hk_sim_parameter_set(s, p, value);
}

static double get(const hk_sim *s, const char *name) {
  return hk_sim_parameter_get(s, hk_sim_parameter_find(s, name));
}

typedef struct row {
  double t, x[MOST];
} row;

static row after(hk_sim *s, int n) {
  row r;
  memset(&r, 0, sizeof r);
  for (int i = 0; i < n; i++) ck_assert_int_eq(hk_sim_step(s), HK_OK);
  ck_assert_int_le(hk_sim_channel_count(s), MOST);
  r.t = hk_sim_time(s);
  ck_assert_int_eq(hk_sim_values(s, r.x), HK_OK);
  return r;
}

#define SAME(a, b) (memcmp(&(a), &(b), sizeof(row)) == 0)

static double distance(const row *a, const row *b) {
  double most = fabs(a->t - b->t);
  for (int i = 0; i < MOST; i++) most = fmax(most, fabs(a->x[i] - b->x[i]));
  return most;
}

static double balance(hk_sim *s) {
  double e;
  ck_assert_int_eq(hk_sim_value(s, "energy.balance_error", &e), HK_OK);
  return e;
}

/* --- what a change does ------------------------------------------------------------------------- */

START_TEST(before_the_first_step_it_is_the_run_with_that_value) {
  static const struct {
    const char *name, *text;
    double value;
  } changes[] = {{"k", "70", 70}, {"m", "3.5", 3.5}, {"load", "-8", -8}, {"g", "1.6", 1.6}};
  for (int i = 0; i < 4; i++) {
    hk_sim *s = begin(ctx, plain, _i, NULL, NULL);
    hk_sim *r = begin(ctx, plain, _i, changes[i].name, changes[i].text);
    const row was = after(s, 0);
    ck_assert_int_eq(set(s, changes[i].name, changes[i].value), HK_OK);
    ck_assert_double_eq(get(s, changes[i].name), changes[i].value);
    ck_assert_double_eq(get(s, "twice"), 2.0 * get(s, "k"));
    const row a = after(s, 60), b = after(r, 60);
    ck_assert_msg(SAME(a, b), "%s, %s: %g", methods[_i][0], changes[i].name, distance(&a, &b));
    // reset begins anew with it, also where the start depends on it
    ck_assert_int_eq(hk_sim_reset(s), HK_OK);
    ck_assert_int_eq(hk_sim_reset(r), HK_OK);
    const row c = after(s, 0), d = after(r, 0);
    ck_assert(SAME(c, d) && (i % 2 == 0 || !SAME(c, was)));
    hk_sim_destroy(s);
    hk_sim_destroy(r);
  }
}
END_TEST

START_TEST(during_the_run_it_is_the_event) {
  hk_sim *e = begin(ctx, eventful, _i, NULL, NULL);
  hk_sim *v = begin(ctx, variable, _i, NULL, NULL);
  hk_sim *s = begin(ctx, plain, _i, NULL, NULL);
  after(e, 100), after(v, 100), after(s, 100);
  // variables in place, numbers by another model
  const int32_t which[] = {hk_sim_parameter_find(s, "k"), hk_sim_parameter_find(s, "c")};
  const double values[] = {90.0, 2.0};
  ck_assert_int_eq(hk_sim_parameters_set(v, 2, which, values), HK_OK);
  ck_assert_int_eq(hk_sim_parameters_set(s, 2, which, values), HK_OK);
  ck_assert_double_eq(get(e, "k"), 90.0);
  ck_assert_double_eq(get(v, "k"), 90.0);
  ck_assert_double_eq(get(s, "c"), 2.0);
  const row a = after(e, 100), b = after(v, 100), c = after(s, 100);
  ck_assert_msg(SAME(a, b), "%s: in place %g", methods[_i][0], distance(&a, &b));
  ck_assert_msg(SAME(a, c), "%s: by a model %g", methods[_i][0], distance(&a, &c));
  // energies close as behind the event
  ck_assert_double_eq_tol(balance(e), balance(v), 1e-12);
  ck_assert_double_eq_tol(balance(e), balance(s), 1e-12);
  hk_sim_destroy(e);
  hk_sim_destroy(v);
  hk_sim_destroy(s);
}
END_TEST

START_TEST(positions_stay_and_the_balance_too) {
  static const char *const names[] = {"m", "g", "k", "c", "load"};
  for (int i = 0; i < 5; i++) {
    hk_sim *s = begin(ctx, plain, _i, NULL, NULL);
    const row before = after(s, 50);
    const double b = balance(s);
    ck_assert_int_eq(set(s, names[i], 1.7 * get(s, names[i])), HK_OK);
    const row behind = after(s, 0);
    double most = 0.0;
    for (int k = 0; k < hk_sim_channel_count(s); k++)
      if (!strstr(hk_sim_channel_name(s, k), "force"))
        most = fmax(most, fabs(before.x[k] - behind.x[k]));
    ck_assert_double_eq(before.t, behind.t);
    ck_assert_msg(most == 0.0, "%s, %s: %g", methods[_i][0], names[i], most);
    ck_assert_double_eq_tol(balance(s), b, 1e-11);
    hk_sim_destroy(s);
  }
}
END_TEST

/* a longer rod: the coordinates of joints stay as near as the loop allows, and the loop is closed */
START_TEST(lengths_change_and_loops_close) {
  hk_sim *s = begin(ctx, plain, _i, NULL, NULL);
  double before, behind;
  hk_summary sum;
  after(s, 50);
  ck_assert_int_eq(hk_sim_value(s, "joint.a.angle", &before), HK_OK);
  ck_assert_int_eq(set(s, "r", 1.2), HK_OK);
  ck_assert_int_eq(hk_sim_value(s, "joint.a.angle", &behind), HK_OK);
  ck_assert_double_eq_tol(before, behind, 0.02);
  double p[3], q[3];
  ck_assert_int_eq(hk_sim_body_pose(s, hk_sim_body_find(s, "right"), p, NULL), HK_OK);
  after(s, 50);
  ck_assert_int_eq(hk_sim_body_pose(s, hk_sim_body_find(s, "right"), q, NULL), HK_OK);
  // half its length from the pin, which is elsewhere now
  ck_assert_double_eq_tol(hypot(p[0] - 1.2, p[1]), 0.5, 1e-9);
  ck_assert_double_eq_tol(hypot(q[0] - 1.2, q[1]), 0.5, 1e-6);
  hk_sim_summary(s, &sum);
  ck_assert_double_lt(sum.position_max, 1e-5);
  hk_sim_destroy(s);
}
END_TEST

START_TEST(another_model_of_the_same_shape) {
  hk_sim *s = begin(ctx, plain, _i, NULL, NULL), *r = begin(ctx, plain, _i, NULL, NULL);
  hk_model *m = NULL;
  const hk_set sets[] = {{"k", "90"}, {"c", "2"}};
  ck_assert_int_eq(hk_model_parse(ctx, plain, strlen(plain), "linkage.yaml", sets, 2, &m), HK_OK);
  ck_assert_int_eq(hk_sim_keep(s, 5), HK_OK);
  after(s, 20), after(r, 20);
  ck_assert_int_eq(hk_sim_kept(s), 5);
  ck_assert_int_eq(hk_sim_rebind(s, m), HK_OK);
  hk_model_release(m);
  ck_assert_int_eq(hk_sim_kept(s), 0);
  ck_assert_int_eq(set(r, "k", 90.0), HK_OK);
  ck_assert_int_eq(set(r, "c", 2.0), HK_OK);
  const row a = after(s, 20), b = after(r, 20);
  ck_assert(SAME(a, b));
  ck_assert_int_eq(hk_sim_kept(s), 5);
  ck_assert_int_eq(hk_sim_rollback(s, 2), HK_OK);
  hk_sim_destroy(s);
  hk_sim_destroy(r);
}
END_TEST

/* --- copies of the state -------------------------------------------------------------------------- */

START_TEST(copies_carry_the_values) {
  hk_sim *s = begin(ctx, _i % 2 ? variable : plain, _i, NULL, NULL), *clone = NULL;
  hk_sim *fresh = begin(ctx, _i % 2 ? variable : plain, _i, NULL, NULL);
  hk_ctx *other = hk_ctx_create();
  char file[] = "/tmp/hooke-parameters-XXXXXX";
  const size_t size = hk_sim_state_size(s);
  unsigned char *early = malloc(size), *late = malloc(size);
  ck_assert_int_eq(hk_sim_keep(s, 10), HK_OK);
  after(s, 20);
  ck_assert_int_eq(hk_sim_state_get(s, early, size), HK_OK);
  ck_assert_int_eq(set(s, "k", 75.0), HK_OK);
  ck_assert_int_eq(set(s, "m", 2.5), HK_OK);
  after(s, 4);
  ck_assert_uint_eq(hk_sim_state_size(s), size);
  ck_assert_int_eq(hk_sim_state_get(s, late, size), HK_OK);
  close(mkstemp(file));
  ck_assert_int_eq(hk_sim_save(s, file), HK_OK);
  ck_assert_int_eq(hk_sim_clone(s, other, &clone), HK_OK);
  const row then = after(s, 10);
  const row cloned = after(clone, 10);
  ck_assert(SAME(then, cloned));
  ck_assert_double_eq(get(clone, "m"), 2.5);
  // into a simulation that has never heard of them, from memory and from a file
  ck_assert_int_eq(hk_sim_state_set(fresh, late, size), HK_OK);
  ck_assert_double_eq(get(fresh, "k"), 75.0);
  const row put = after(fresh, 10);
  ck_assert(SAME(then, put));
  ck_assert_int_eq(hk_sim_reset(fresh), HK_OK);
  ck_assert_double_eq(get(fresh, "m"), 2.5);
  ck_assert_int_eq(hk_sim_load(fresh, file), HK_OK);
  const row loaded = after(fresh, 10);
  ck_assert(SAME(then, loaded));
  // back behind the change: the old values again
  ck_assert_int_eq(hk_sim_state_set(s, early, size), HK_OK);
  ck_assert_double_eq(get(s, "k"), 40.0);
  ck_assert_double_eq(get(s, "m"), 2.0);
  const row a = after(s, 4);
  ck_assert_int_eq(set(s, "k", 75.0), HK_OK);
  after(s, 3);
  ck_assert_int_eq(hk_sim_rollback(s, 7), HK_OK);
  ck_assert_double_eq(get(s, "k"), 40.0);
  const row b = after(s, 4);
  ck_assert(SAME(a, b));
  unlink(file);
  free(early), free(late);
  hk_sim_destroy(s);
  hk_sim_destroy(fresh);
  hk_sim_destroy(clone);
  hk_ctx_destroy(other);
}
END_TEST

START_TEST(variables_change_without_allocating) {
  hk_sim *s = begin(ctx, variable, 0, NULL, NULL);
  const int32_t k = hk_sim_parameter_find(s, "k");
  after(s, 5);
  ck_assert_int_eq(hk_sim_parameter_set(s, k, 41.0), HK_OK);
  const uint64_t before = hk_ctx_allocations(ctx);
  hk_status st = HK_OK;
  for (int i = 0; i < 100 && st == HK_OK; i++) {
    st = hk_sim_parameter_set(s, k, 40.0 + i);
    if (st == HK_OK) st = hk_sim_step(s);
  }
  ck_assert_int_eq(st, HK_OK);
  ck_assert_uint_eq(hk_ctx_allocations(ctx), before);
  hk_sim_destroy(s);
}
END_TEST

/* --- what cannot be ------------------------------------------------------------------------------- */

static void refused(hk_sim *s, const char *name, double value, const char *words) {
  const row before = after(s, 0);
  const double old = get(s, name);
  hk_ctx_clear(ctx);
  const hk_status st = set(s, name, value);
  ck_assert_msg(st != HK_OK, "%s", name);
  bool said = false, named = false;
  char all[2000] = "";
  for (int i = 0; i < hk_ctx_message_count(ctx); i++) {
    const char *text = hk_ctx_message(ctx, i)->text;
    said = said || strstr(text, words);
    named = named || strstr(text, name);
    snprintf(all + strlen(all), sizeof all - strlen(all), "%s; ", text);
  }
  ck_assert_msg(said && named, "%s: %s", name, all);
  const row behind = after(s, 0);
  ck_assert_msg(SAME(before, behind), "%s", name);
  ck_assert_double_eq(get(s, name), old);
}

START_TEST(what_cannot_change_is_refused_by_name) {
  hk_sim *s = begin(ctx, plain, _i, NULL, NULL), *r = begin(ctx, plain, _i, NULL, NULL);
  after(s, 10), after(r, 10);
  refused(s, "more", 2.0, "the number of bodies would be 6, and is 4");
  refused(s, "h", 0.001, "the step of the run depends on it");
  refused(s, "m", -1.0, "the mass of body 'left' is negative");
  // it goes on as if nothing had been said
  const row a = after(s, 20), b = after(r, 20);
  ck_assert(SAME(a, b));
  hk_sim_destroy(s);
  hk_sim_destroy(r);
}
END_TEST

/* a crank longer than its rod cannot turn on from here */
START_TEST(loops_that_cannot_close_are_refused) {
  char path[512];
  hk_model *m = NULL;
  hk_sim *s = NULL;
  snprintf(path, sizeof path, "%s/examples/slider-crank-driven.yaml", test_source_dir());
  ck_assert_int_eq(hk_model_load(ctx, path, NULL, 0, &m), HK_OK);
  ck_assert_int_eq(hk_sim_create(m, NULL, &s), HK_OK);
  hk_model_release(m);
  after(s, 280);
  refused(s, "r", 0.5, "parameter 'r' (0.1, would be 0.5) cannot change now");
  ck_assert_int_eq(set(s, "r", 0.11), HK_OK);
  after(s, 100);
  hk_sim_destroy(s);
}
END_TEST

START_TEST(prescribed_positions_do_not_jump) {
  static const char text[] =
      "hooke: 1\n"
      "parameters: {a: 0.2, w: 3, b: 1}\n"
      "bodies: {rod: {mass: 1, com: [1, 0, 0], inertia: [1, 1, 1]}}\n"
      "joints:\n"
      "  pin: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: z,"
      " motion: {angle: \"a*sin(w*t) + b - 1\"}}\n"
      "run: {time: 10, step: 0.01}\n";
  hk_sim *s = begin(ctx, text, 0, NULL, NULL);
  // at the start sin is zero: the rate changes, the position does not
  ck_assert_int_eq(set(s, "a", 0.4), HK_OK);
  double rate;
  ck_assert_int_eq(hk_sim_value(s, "joint.pin.rate", &rate), HK_OK);
  ck_assert_double_eq_tol(rate, 1.2, 1e-9);
  after(s, 10);
  refused(s, "a", 0.6, "must be continuous");
  refused(s, "b", 2.0, "must be continuous");
  hk_sim_destroy(s);
}
END_TEST

Suite *suite_parameters(void) {
  Suite *s = suite_create("parameters");
  TCase *c = tcase_create("parameters");
  tcase_add_checked_fixture(c, setup, teardown);
  tcase_set_timeout(c, 60);
  tcase_add_loop_test(c, before_the_first_step_it_is_the_run_with_that_value, 0,
                      test_few() ? 3 : METHODS);
  tcase_add_loop_test(c, during_the_run_it_is_the_event, test_few() ? 3 : 0, METHODS);
  tcase_add_loop_test(c, positions_stay_and_the_balance_too, 0, test_few() ? 3 : METHODS);
  tcase_add_loop_test(c, lengths_change_and_loops_close, test_few() ? 3 : 0, METHODS);
  tcase_add_loop_test(c, another_model_of_the_same_shape, 0, test_few() ? 3 : METHODS);
  tcase_add_loop_test(c, copies_carry_the_values, test_few() ? 3 : 0, METHODS);
  tcase_add_test(c, variables_change_without_allocating);
  tcase_add_loop_test(c, what_cannot_change_is_refused_by_name, 0, test_few() ? 3 : METHODS);
  tcase_add_test(c, loops_that_cannot_close_are_refused);
  tcase_add_test(c, prescribed_positions_do_not_jump);
  suite_add_tcase(s, c);
  return s;
}
