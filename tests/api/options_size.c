/* SPDX-License-Identifier: Apache-2.0
 *
 * Option structs of programs that were built with older headers, which lack the last options, and
 * with newer ones, which have more: both work; a newer option that is given is refused, as is a
 * size that no such struct can have.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hooke/hooke.h"
#include "runner.h"

Suite *suite_options_size(void);

/* hk_sim_options as an older version might have had it: the same beginning, no more */
typedef struct older_sim {
  uint32_t size;
  const char *formulation, *integrator;
  double step, time;
} older_sim;

/* and as a newer one might have it */
typedef struct newer_sim {
  hk_sim_options now;
  double more;
  const char *another;
} newer_sim;

typedef struct older_run {
  uint32_t size;
  const hk_sim_options *sim;
  const char *output;
  double output_every;
} older_run;

typedef struct newer_run {
  hk_run_options now;
  double more;
} newer_run;

typedef struct older_compare {
  uint32_t size;
  const char *const *formulations;
  int32_t nformulations;
  const char *const *integrators;
  int32_t nintegrators;
  const double *steps;
  int32_t nsteps;
  double time;
} older_compare;

typedef struct newer_compare {
  hk_compare_options now;
  const char *more;
} newer_compare;

typedef struct older_report {
  uint32_t size;
  int32_t megabytes;
} older_report;

typedef struct newer_report {
  hk_report_options now;
  int32_t more;
} newer_report;

/* a struct with bytes behind it that do not belong to it */
#define ROOM 512
typedef union guarded {
  older_sim older_sim;
  newer_sim newer_sim;
  older_run older_run;
  newer_run newer_run;
  older_compare older_compare;
  newer_compare newer_compare;
  older_report older_report;
  newer_report newer_report;
  uint32_t size;
  unsigned char bytes[ROOM];
} guarded;

/* the defaults, written into so many bytes and no more */
static void begin(guarded *g, void (*init)(void *opt, uint32_t size), size_t size) {
  memset(g, 0xa5, sizeof *g);
  init(g, (uint32_t)size);
  ck_assert_uint_eq(g->size, size);
  for (size_t i = size; i < ROOM; i++) ck_assert_uint_eq(g->bytes[i], 0xa5);
}

static void init_sim(void *opt, uint32_t size) { hk_sim_options_init(opt, size); }
static void init_run(void *opt, uint32_t size) { hk_run_options_init(opt, size); }
static void init_compare(void *opt, uint32_t size) { hk_compare_options_init(opt, size); }
static void init_report(void *opt, uint32_t size) { hk_report_options_init(opt, size); }

static hk_ctx *ctx;
static hk_model *model;
static char path[512];

static void setup(void) {
  ctx = hk_ctx_create();
  snprintf(path, sizeof path, "%s/examples/pendulum.yaml", test_source_dir());
  ck_assert_int_eq(hk_model_load(ctx, path, NULL, 0, &model), HK_OK);
}

static void teardown(void) {
  hk_model_release(model);
  hk_ctx_destroy(ctx);
}

/* tells what each kind does with a struct: HK_OK, and it was used */
static hk_status use_sim(const void *opt) {
  hk_sim *s = NULL;
  hk_status st = hk_sim_create(model, opt, &s);
  if (st == HK_OK) {
    hk_summary sum;
    hk_sim_summary(s, &sum);
    ck_assert_str_eq(sum.formulation, "redundant");
    ck_assert_double_eq(sum.step_s, 0.004);
    while (!hk_sim_done(s)) ck_assert_int_eq(hk_sim_step(s), HK_OK);
    ck_assert_double_eq(hk_sim_time(s), 0.04);
  }
  hk_sim_destroy(s);
  return st;
}

static hk_status use_run(const void *opt) {
  hk_sim *s = NULL;
  hk_status st = hk_run(model, opt, &s);
  hk_sim_destroy(s);
  if (st == HK_OK) {
    ck_assert_int_eq(access("options-size.csv", R_OK), 0);
    remove("options-size.csv");
  }
  return st;
}

static hk_status use_compare(const void *opt) {
  hk_comparison *c = NULL;
  hk_status st = hk_compare(ctx, path, opt, &c);
  if (st == HK_OK) {
    ck_assert_int_eq(hk_comparison_count(c), 1);
    ck_assert_double_eq(hk_comparison_row(c, 0)->step_s, 0.02);
    ck_assert_double_eq(hk_comparison_row(c, 0)->end_s, 0.1);
  }
  hk_comparison_free(c);
  return st;
}

static hk_status use_report(const void *opt) {
  hk_run_options run = hk_run_options_def();
  hk_sim *s = NULL;
  hk_result *r = NULL;
  char *html = NULL;
  size_t len = 0;
  run.output = "options-size.csv";
  ck_assert_int_eq(hk_run(model, &run, &s), HK_OK);
  hk_sim_destroy(s);
  ck_assert_int_eq(hk_result_open(ctx, run.output, &r), HK_OK);
  hk_status st = hk_report_make(ctx, &r, 1, opt, &html, &len);
  hk_report_free(ctx, html);
  hk_result_close(r);
  remove(run.output);
  return st;
}

static const char *const formulations[] = {"hybrid"}, *const integrators[] = {"newmark"};
static const double steps[] = {0.02};
static hk_sim_options short_run;

static void fill_sim(guarded *g) {
  g->older_sim.formulation = "redundant";
  g->older_sim.step = 0.004, g->older_sim.time = 0.04;
}

static void fill_run(guarded *g) {
  short_run = hk_sim_options_def();
  short_run.time = 0.05;
  g->older_run.sim = &short_run;
  g->older_run.output = "options-size.csv";
}

static void fill_compare(guarded *g) {
  g->older_compare.formulations = formulations, g->older_compare.nformulations = 1;
  g->older_compare.integrators = integrators, g->older_compare.nintegrators = 1;
  g->older_compare.steps = steps, g->older_compare.nsteps = 1;
  g->older_compare.time = 0.1;
}

static void fill_report(guarded *g) { g->older_report.megabytes = 1; }

static const struct {
  const char *name;
  size_t older, now, newer;
  void (*init)(void *opt, uint32_t size);
  void (*fill)(guarded *g);
  hk_status (*use)(const void *opt);
} kinds[] = {
    {"hk_sim_options", sizeof(older_sim), sizeof(hk_sim_options), sizeof(newer_sim), init_sim,
     fill_sim, use_sim},
    {"hk_run_options", sizeof(older_run), sizeof(hk_run_options), sizeof(newer_run), init_run,
     fill_run, use_run},
    {"hk_compare_options", sizeof(older_compare), sizeof(hk_compare_options), sizeof(newer_compare),
     init_compare, fill_compare, use_compare},
    {"hk_report_options", sizeof(older_report), sizeof(hk_report_options), sizeof(newer_report),
     init_report, fill_report, use_report},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* memory behind an older, shorter struct is not read as options */
START_TEST(older_programs_work) {
  guarded g;
  ck_assert_uint_lt(kinds[_i].older, kinds[_i].now);
  begin(&g, kinds[_i].init, kinds[_i].older);
  kinds[_i].fill(&g);
  ck_assert_int_eq(kinds[_i].use(&g), HK_OK);
}
END_TEST

START_TEST(newer_programs_work_while_they_ask_for_nothing_new) {
  guarded g;
  ck_assert_uint_gt(kinds[_i].newer, kinds[_i].now);
  begin(&g, kinds[_i].init, kinds[_i].newer);
  kinds[_i].fill(&g);
  ck_assert_int_eq(kinds[_i].use(&g), HK_OK);
  for (size_t i = kinds[_i].now; i < kinds[_i].newer; i++) {
    g.bytes[i] = 1;
    hk_ctx_clear(ctx);
    ck_assert_int_eq(kinds[_i].use(&g), HK_E_USAGE);
    const char *said = hk_ctx_message(ctx, 0)->text;
    ck_assert_msg(strstr(said, kinds[_i].name) && strstr(said, "does not know"), "%s", said);
    g.bytes[i] = 0;
  }
}
END_TEST

START_TEST(sizes_that_cannot_be_are_refused) {
  const uint32_t wrong[] = {0, 1, 3, 4, 7, 21, (uint32_t)kinds[_i].now + 1, 1u << 20, UINT32_MAX};
  guarded g;
  begin(&g, kinds[_i].init, kinds[_i].now);
  kinds[_i].fill(&g);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    g.size = wrong[i];
    hk_ctx_clear(ctx);
    ck_assert_msg(kinds[_i].use(&g) == HK_E_USAGE, "size %u", (unsigned)wrong[i]);
    const char *said = hk_ctx_message(ctx, 0)->text;
    ck_assert_msg(strstr(said, kinds[_i].name) && strstr(said, "size"), "%s", said);
  }
}
END_TEST

Suite *suite_options_size(void) {
  Suite *suite = suite_create("options_size");
  TCase *t = tcase_create("options_size");
  tcase_add_checked_fixture(t, setup, teardown);
  tcase_add_loop_test(t, older_programs_work, 0, KINDS);
  tcase_add_loop_test(t, newer_programs_work_while_they_ask_for_nothing_new, 0, KINDS);
  tcase_add_loop_test(t, sizes_that_cannot_be_are_refused, 0, KINDS);
  suite_add_tcase(suite, t);
  return suite;
}
