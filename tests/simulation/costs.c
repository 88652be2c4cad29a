/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory that a formulation is predicted to take agrees with what the C library hands out, on
 * models of every kind and size; the choice of `auto`; runs that do not fit are refused.
 */
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "hooke/hooke.h"
#include "runner.h"
#include "simulation/simulation.h"

/* bytes that the C library has handed out; 0 where it does not say, or a sanitizer replaces it */
static double in_use(void) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  const struct mallinfo2 i = mallinfo2();
  return (double)i.uordblks + (double)i.hblkhd;
#else
  return 0.0;
#endif
}

/* --- models ----------------------------------------------------------------------------------- */

typedef struct text {
  char *s;
  size_t n, cap;
} text;

static void put(text *t, const char *line) {
  size_t n = strlen(line);
  if (t->n + n + 1 > t->cap) t->s = realloc(t->s, t->cap = 2 * (t->n + n + 64));
  ck_assert_ptr_nonnull(t->s);
  memcpy(t->s + t->n, line, n + 1);
  t->n += n;
}

static const char *body_name(int i, char *buf) {
  sprintf(buf, i < 0 ? "ground" : "b%d", i);
  return buf;
}

static void head(text *t, int n) {
  char line[200];
  put(t, "hooke: 1\nplanar: xy\ngravity: [0, -9.81, 0]\nbodies:\n");
  for (int i = 0; i < n; i++) {
    sprintf(line, "  b%d: {mass: 1, com: [%g, 0, 0], inertia: {zz: 0.1}}\n", i, 0.1 * i + 0.05);
    put(t, line);
  }
}

static void pin(text *t, int k, int a, int b, double x, double y) {
  char line[240], na[24], nb[24];
  sprintf(line, "  j%d: {type: revolute, between: [%s, %s], at: [%.9g, %.9g, 0], axis: z}\n", k,
          body_name(a, na), body_name(b, nb), x, y);
  put(t, line);
}

/* n bars on top of each other; width 1: a chain, more: every width-th hangs on the same stem */
static void make_tree(text *t, int n, int width) {
  head(t, n);
  put(t, "joints:\n");
  for (int i = 0; i < n; i++) pin(t, i, i ? i - 1 - (i - 1) % width : -1, i, 0.1 * i, 0);
}

/* four-bars side by side, n bars in all; stacked: each on the coupler of the one before */
static void make_loops(text *t, int n, bool stacked) {
  char line[200];
  put(t, "hooke: 1\nplanar: xy\ngravity: [0, -9.81, 0]\nbodies:\n");
  for (int i = 0; i < n; i++) {
    const double x = stacked ? 0 : 2.0 * (i / 3), y = stacked ? i / 3 : 0;
    const double at[3][2] = {{0, 0.5}, {0.5, 1}, {1, 0.5}};
    sprintf(line, "  b%d: {mass: 1, com: [%g, %g, 0], inertia: {zz: 0.1}}\n", i, x + at[i % 3][0],
            y + at[i % 3][1]);
    put(t, line);
  }
  put(t, "joints:\n");
  for (int k = 0; k < n / 3; k++) {
    const double x = stacked ? 0 : 2.0 * k, y = stacked ? k : 0;
    const int below = stacked && k ? 3 * k - 2 : -1;
    pin(t, 4 * k, below, 3 * k, x, y);
    pin(t, 4 * k + 1, 3 * k, 3 * k + 1, x, y + 1);
    pin(t, 4 * k + 2, 3 * k + 1, 3 * k + 2, x + 1, y + 1);
    pin(t, 4 * k + 3, below, 3 * k + 2, x + 1, y);
  }
}

/* free bodies in a row with springs between neighbours */
static void make_springs(text *t, int n) {
  char line[240], a[24], b[24];
  head(t, n);
  put(t, "forces:\n");
  for (int i = 0; i < n; i++) {
    sprintf(line,
            "  s%d: {type: spring_damper, between: [%s, %s], ends: [[%g, 0.1, 0], [%g, 0, 0]], "
            "stiffness: 100}\n",
            i, body_name(i - 1, a), body_name(i, b), 0.1 * i - 0.05, 0.1 * i + 0.05);
    put(t, line);
  }
}

/* a chain of n bars that `springs` springs hold to the ground */
static void make_held(text *t, int n, int springs) {
  char line[240];
  make_tree(t, n, 1);
  put(t, "forces:\n");
  for (int i = 0; i < springs; i++) {
    const int b = (i + 1) * n / springs - 1;
    sprintf(
        line,
        "  s%d: {type: spring_damper, between: [ground, b%d], ends: [[%g, 0.5, 0], [%g, 0, 0]], "
        "stiffness: 100}\n",
        i, b, 0.1 * b, 0.1 * b + 0.05);
    put(t, line);
  }
}

typedef struct sample {
  const char *name; /* an example, or NULL */
  char kind;        /* t: tree of `width`, l: loops side by side, s: stacked loops, f: springs,
                     * x: chain with `width` springs to the ground */
  int n, width;
} sample;

static const sample samples[] = {
    {"andrews.yaml", 0, 0, 0},
    {"bricard.yaml", 0, 0, 0},
    {"double-four-bar.yaml", 0, 0, 0},
    {"engine-mounts.yaml", 0, 0, 0},
    {"gyroscope.yaml", 0, 0, 0},
    {"hot-damper.yaml", 0, 0, 0},
    {"iltis/ramp-and-stairs.yaml", 0, 0, 0},
    {"iltis-suspension.yaml", 0, 0, 0},
    {"mirrored-axle.yaml", 0, 0, 0},
    {"motor-crank.yaml", 0, 0, 0},
    {"puma.yaml", 0, 0, 0},
    {"rolling-disc.yaml", 0, 0, 0},
    {"shaker.yaml", 0, 0, 0},
    {"spatial-four-bar.yaml", 0, 0, 0},
    {"static-node.yaml", 0, 0, 0},
    {NULL, 't', 10, 1},
    {NULL, 't', 70, 1},
    {NULL, 't', 200, 1},
    {NULL, 't', 400, 1},
    {NULL, 't', 100, 3},
    {NULL, 't', 1000, 10},
    {NULL, 't', 2000, 50},
    {NULL, 'l', 30, 0},
    {NULL, 'l', 300, 0},
    {NULL, 'l', 1500, 0},
    {NULL, 's', 30, 0},
    {NULL, 's', 150, 0},
    {NULL, 's', 300, 0},
    {NULL, 'f', 50, 0},
    {NULL, 'f', 500, 0},
    {NULL, 'f', 2000, 0},
};

static hk_model *load(hk_ctx *ctx, const sample *x) {
  hk_model *m = NULL;
  char path[512];
  if (x->name) {
    snprintf(path, sizeof path, "%s/examples/%s", test_source_dir(), x->name);
    ck_assert_int_eq(hk_model_load(ctx, path, NULL, 0, &m), HK_OK);
    return m;
  }
  text t = {0};
  if (x->kind == 't') make_tree(&t, x->n, x->width);
  if (x->kind == 'x') make_held(&t, x->n, x->width);
  if (x->kind == 'l' || x->kind == 's') make_loops(&t, x->n, x->kind == 's');
  if (x->kind == 'f') make_springs(&t, x->n);
  put(&t, "record: [\"energy.*\"]\nrun: {time: 0.01, step: 0.001}\n");
  ck_assert_int_eq(hk_model_parse(ctx, t.s, t.n, "sample", NULL, 0, &m), HK_OK);
  free(t.s);
  return m;
}

/* --- memory ----------------------------------------------------------------------------------- */

/* predicted over real memory of a run with the formulation, NAN when it does not run the model */
static double ratio(hk_model *m, const char *formulation) {
  hk_sim_options opt = hk_sim_options_def();
  hk_sim *s = NULL;
  hk_cost c = {0};
  opt.formulation = formulation;
  opt.integrator = "generalized_alpha";
  opt.step = 1e-4;
  opt.memory = 4e7; // what is larger takes too long for a test
  const double before = in_use();
  if (hk_sim_create(m, &opt, &s) != HK_OK) return NAN;
  hk_status st = hk_sim_step(s);
  const double real = in_use() - before;
  if (st == HK_OK) ck_assert_int_eq(hki_sim_cost(s, s->fe, s->formulation_par, &c), HK_OK);
  hk_sim_destroy(s);
  if (getenv("COSTS"))
    printf("%-12s %9.0f of %9.0f  %.2f\n", formulation, c.bytes, real, c.bytes / real);
  return st == HK_OK && !c.least && real > 0.0 ? c.bytes / real : NAN;
}

START_TEST(predicts_memory) {
  const sample *x = &samples[_i];
  // where the C library does not count there is nothing to compare with
  void *probe = malloc(1 << 20);
  const double counted = in_use();
  free(probe);
  if (!(counted > 0.0)) return;
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = load(ctx, x);
  int32_t ran = 0;
  if (getenv("COSTS")) printf("%s %c %d\n", x->name ? x->name : "", x->kind ? x->kind : ' ', x->n);
  for (int32_t i = 0; i < hki_formulation_count(); i++) {
    const char *name = hki_formulation_at(i)->ops->name;
    const double r = ratio(m, name);
    if (isnan(r)) continue;
    ran++;
    ck_assert_msg(r > 0.8 && r < 1.2, "%s %c %d, %s: predicted %.3f of the memory taken",
                  x->name ? x->name : "", x->kind ? x->kind : ' ', x->n, name, r);
  }
  ck_assert_int_ge(ran, 1);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}
END_TEST

/* --- stopping --------------------------------------------------------------------------------- */

/* stopped before or within the start: no simulation, no message */
START_TEST(stops_the_start) {
  const sample x = {NULL, 's', 300, 0};
  const volatile int now = 1;
  hk_run_options opt = hk_run_options_def();
  hk_sim *s = NULL;
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = load(ctx, &x);
  opt.interrupt = &now;
  ck_assert_int_eq(hk_run(m, &opt, &s), HK_INTERRUPTED);
  ck_assert_ptr_null(s);
  ck_assert_int_eq(hk_ctx_message_count(ctx), 0);
  // the flag is forgotten with the run
  ck_assert_int_eq(hk_sim_create(m, NULL, &s), HK_OK);
  hk_sim_destroy(s);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}
END_TEST

/* state after `steps` steps, with one that is stopped before step `stop` (-1: none) */
static void walk(hk_model *m, const char *formulation, int steps, int stop, double *state) {
  const volatile int now = 1;
  hk_sim_options opt = hk_sim_options_def();
  hk_sim *s = NULL;
  opt.formulation = formulation;
  opt.integrator = "trapezoidal";
  ck_assert_int_eq(hk_sim_create(m, &opt, &s), HK_OK);
  for (int i = 0; i < steps; i++) {
    if (i == stop) {
      hki_stop_on(s->ctx, &now);
      ck_assert_int_eq(hki_sim_advance(s), HK_INTERRUPTED);
      ck_assert_msg(strstr(s->message, "interrupted at t = ") != NULL, "%s", s->message);
      hki_stop_on(s->ctx, NULL);
      s->status = HK_OK;
      s->message[0] = '\0';
    }
    ck_assert_int_eq(hki_sim_advance(s), HK_OK);
  }
  for (int32_t i = 0; i < 4; i++) state[i] = s->I.q[i], state[4 + i] = s->I.v[i];
  state[8] = s->I.t, state[9] = (double)s->newton.iterations, state[10] = hki_sim_balance(s);
  hk_sim_destroy(s);
}

/* a step that is stopped is taken back: the run goes on to the same bits */
START_TEST(stops_a_step) {
  const sample x = {"andrews.yaml", 0, 0, 0};
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = load(ctx, &x);
  for (int32_t f = 0; f < hki_formulation_count(); f++) {
    double whole[11] = {0}, stopped[11] = {0};
    walk(m, hki_formulation_at(f)->ops->name, 6, -1, whole);
    walk(m, hki_formulation_at(f)->ops->name, 6, 3, stopped);
    ck_assert_mem_eq(whole, stopped, sizeof whole);
  }
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}
END_TEST

/* --- the choice ------------------------------------------------------------------------------- */

/* the formulation that auto takes for a model, an integrator (NULL: its own) and so much memory */
static const char *pick(hk_model *m, const char *integrator, double memory, char *why, size_t cap) {
  hk_sim_options opt = hk_sim_options_def();
  hk_sim *s = NULL;
  hk_summary sum;
  opt.formulation = "auto";
  opt.integrator = integrator;
  opt.memory = memory;
  if (hk_sim_create(m, &opt, &s) != HK_OK) return "none";
  hk_sim_summary(s, &sum);
  snprintf(why, cap, "%s", sum.formulation_why);
  const char *name = sum.formulation;
  hk_sim_destroy(s);
  return name;
}

static const struct {
  sample model;
  const char *integrator;
  double memory;
  const char *picked, *word; /* of the reason */
} picks[] = {
    {{"double-four-bar.yaml", 0, 0, 0}, NULL, 0, "hybrid", "relative"},
    {{"motor-crank.yaml", 0, 0, 0}, NULL, 0, "hybrid", "relative"},
    {{"static-node.yaml", 0, 0, 0}, NULL, 0, "redundant", "reactions"},
    {{"double-four-bar.yaml", 0, 0, 0}, "bdf", 0, "redundant", "reactions"},
    {{"pendulum.yaml", 0, 0, 0}, "rk4", 0, "hybrid", "relative"},
    {{NULL, 't', 40, 1}, NULL, 0, "hybrid", "relative"},
    // a chain needs no matrix, one with many springs across its joints does
    {{NULL, 't', 400, 1}, NULL, 0, "hybrid", "relative"},
    {{NULL, 't', 2500, 1}, NULL, 1e8, "hybrid", "relative"},
    {{NULL, 'x', 800, 20}, NULL, 0, "redundant", "times as long"},
    {{NULL, 'x', 2500, 20}, NULL, 1e8, "redundant", "hybrid would need"},
    {{NULL, 't', 2000, 50}, NULL, 0, "hybrid", "relative"},
    {{NULL, 'l', 300, 0}, NULL, 0, "hybrid", "relative"},
    {{NULL, 'f', 500, 0}, NULL, 0, "hybrid", "relative"},
};

START_TEST(picks_by_model) {
  char why[300] = "";
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = load(ctx, &picks[_i].model);
  ck_assert_str_eq(pick(m, picks[_i].integrator, picks[_i].memory, why, sizeof why),
                   picks[_i].picked);
  ck_assert_msg(strstr(why, picks[_i].word) != NULL, "'%s' has no '%s'", why, picks[_i].word);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}
END_TEST

/* a run that does not fit is refused before it is made, with its size and what would fit */
START_TEST(refuses_what_does_not_fit) {
  const sample x = {NULL, 't', 1000, 1};
  hk_sim_options opt = hk_sim_options_def();
  hk_sim *s = NULL;
  hk_ctx *ctx = hk_ctx_create();
  hk_model *m = load(ctx, &x);
  opt.formulation = "topological";
  opt.memory = 12e6;
  ck_assert_int_eq(hk_sim_create(m, &opt, &s), HK_E_USAGE);
  ck_assert_ptr_null(s);
  const hk_message *e = hk_ctx_message(ctx, 0);
  ck_assert_msg(strstr(e->text, "'topological' needs") && strstr(e->text, "12 MB"), "%s", e->text);
  ck_assert_msg(strstr(e->hint, "recursive"), "%s", e->hint);
  // nothing fits
  hk_ctx_clear(ctx);
  opt.formulation = NULL;
  opt.memory = 1e5;
  ck_assert_int_eq(hk_sim_create(m, &opt, &s), HK_E_MEMORY);
  // a limit that is none
  hk_ctx_clear(ctx);
  opt.memory = -1.0;
  ck_assert_int_eq(hk_sim_create(m, &opt, &s), HK_E_USAGE);
  hk_model_release(m);
  hk_ctx_destroy(ctx);
}
END_TEST

Suite *suite_costs(void) {
  Suite *suite = suite_create("costs");
  TCase *c = tcase_create("memory");
  tcase_add_loop_test(c, predicts_memory, 0, HK_ARRAY_LEN(samples));
  suite_add_tcase(suite, c);
  c = tcase_create("stop");
  tcase_add_test(c, stops_the_start);
  tcase_add_test(c, stops_a_step);
  suite_add_tcase(suite, c);
  c = tcase_create("choice");
  tcase_add_loop_test(c, picks_by_model, 0, HK_ARRAY_LEN(picks));
  tcase_add_test(c, refuses_what_does_not_fit);
  suite_add_tcase(suite, c);
  return suite;
}
