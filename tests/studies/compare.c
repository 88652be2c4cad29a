/* SPDX-License-Identifier: Apache-2.0
 *
 * Comparisons through the public interface: rows, measures, grades, largest steps, formats, and
 * running out of memory at any place.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "hooke/hooke.h"

#define MODEL HOOKE_SOURCE "/examples/pendulum.yaml"

Suite *suite_compare(void);

static const char *const formulations[] = {"hybrid"};
static const char *const integrators[] = {"trapezoidal", "newmark"};
static const double steps[] = {0.01, 0.02};

static hk_compare_options small(void) {
  hk_compare_options o = hk_compare_options_def();
  o.formulations = formulations;
  o.nformulations = 1;
  o.integrators = integrators;
  o.nintegrators = 2;
  o.steps = steps;
  o.nsteps = 2;
  o.time = 0.2;
  return o;
}

START_TEST(rows_and_names) {
  static const char *const channels[] = {"joint.pin.angle"};
  hk_ctx *ctx = hk_ctx_create();
  hk_compare_options o = small();
  hk_comparison *c = NULL;
  o.channels = channels;
  o.nchannels = 1;
  ck_assert_int_eq(hk_compare(ctx, MODEL, &o, &c), HK_OK);
  ck_assert_int_eq(hk_comparison_count(c), 4);
  ck_assert_int_eq(hk_comparison_measure_count(c), 1);
  ck_assert_str_eq(hk_comparison_measure_name(c, 0), "joint.pin.angle");
  ck_assert_str_eq(hk_comparison_measure_unit(c, 0), "%");
  ck_assert_int_eq(hk_comparison_grade_count(c), 0);
  for (int32_t i = 0; i < 4; i++) {
    const hk_compare_row *r = hk_comparison_row(c, i);
    ck_assert_int_eq(r->summary.status, HK_OK);
    ck_assert_str_eq(r->integrator, integrators[i / 2]);
    ck_assert_double_eq(r->step_s, steps[i % 2]);
    ck_assert_double_eq_tol(r->end_s, 0.2, 1e-12);
    ck_assert(r->measures[0] > 0.0);
  }
  // twice the step, four times the error: the trapezoidal rule
  double ratio = hk_comparison_row(c, 1)->measures[0] / hk_comparison_row(c, 0)->measures[0];
  ck_assert_double_eq_tol(log2(ratio), 2.0, 0.1);
  ck_assert_ptr_null(hk_comparison_row(c, 4));
  ck_assert_ptr_null(hk_comparison_row(c, -1));
  ck_assert_ptr_null(hk_comparison_measure_name(c, 1));
  ck_assert_ptr_null(hk_comparison_grade_name(c, 0));
  ck_assert_ptr_null(hk_comparison_largest_at(c, 0));
  hk_comparison_free(c);
  hk_ctx_destroy(ctx);
}
END_TEST

START_TEST(formats) {
  static const char *const names[] = {"text", "markdown", "csv", "json"};
  hk_ctx *ctx = hk_ctx_create();
  hk_compare_options o = small();
  hk_comparison *c = NULL;
  ck_assert_int_eq(hk_compare(ctx, MODEL, &o, &c), HK_OK);
  for (int i = 0; i < 4; i++) {
    const char *text = hk_comparison_write(c, names[i]);
    ck_assert_ptr_nonnull(strstr(text, "newmark"));
    ck_assert_ptr_eq(text, hk_comparison_write(c, names[i]));
  }
  ck_assert_ptr_null(hk_comparison_write(c, "html"));
  ck_assert_ptr_nonnull(strstr(hk_study_schema(ctx), "\"measure\""));
  hk_comparison_free(c);
  hk_ctx_destroy(ctx);
}
END_TEST

START_TEST(largest) {
  hk_ctx *ctx = hk_ctx_create();
  hk_compare_options o = small();
  hk_comparison *c = NULL;
  o.reference = "fine:0.001";
  o.largest_step = 1;
  o.time = 2.0;
  ck_assert_int_eq(hk_compare(ctx, MODEL, &o, &c), HK_OK);
  ck_assert_int_eq(hk_comparison_largest_count(c), 2);
  for (int32_t i = 0; i < 2; i++) {
    const hk_compare_largest *l = hk_comparison_largest_at(c, i);
    ck_assert_str_eq(l->grade, "correct");
    ck_assert(l->row >= 0 || l->failure >= 0);
    if (l->row < 0 || l->failure < 0) continue;
    const hk_compare_row *good = hk_comparison_row(c, l->row);
    const hk_compare_row *bad = hk_comparison_row(c, l->failure);
    ck_assert(good->step_s < bad->step_s);
    ck_assert(good->grades[0] && !bad->grades[0]);
    ck_assert_str_ne(l->why, "");
  }
  hk_comparison_free(c);
  hk_ctx_destroy(ctx);
}
END_TEST

static int runs;

static void count(const hk_compare_progress *p, void *user) {
  (void)user;
  ck_assert(p->done <= p->total);
  runs++;
}

START_TEST(interrupted) {
  hk_ctx *ctx = hk_ctx_create();
  hk_compare_options o = small();
  hk_comparison *c = NULL;
  volatile int stop = 1;
  o.interrupt = &stop;
  o.progress = count;
  ck_assert_int_eq(hk_compare(ctx, MODEL, &o, &c), HK_INTERRUPTED);
  ck_assert_ptr_nonnull(c);
  ck_assert_int_eq(hk_comparison_count(c), 0);
  ck_assert_ptr_nonnull(hk_comparison_write(c, "text"));
  hk_comparison_free(c);
  hk_ctx_destroy(ctx);
}
END_TEST

START_TEST(cannot_start) {
  hk_ctx *ctx = hk_ctx_create();
  hk_comparison *c = NULL;
  ck_assert_int_eq(hk_compare(ctx, HOOKE_SOURCE "/nothing.yaml", NULL, &c), HK_E_FILE);
  ck_assert_ptr_null(c);
  ck_assert_int_gt(hk_ctx_message_count(ctx), 0);
  hk_ctx_destroy(ctx);
}
END_TEST

/* every request for memory may fail: no crash, no leak, and a status */
START_TEST(out_of_memory) {
  hk_compare_options o = small();
  o.reference = "fine:0.01";
  o.nintegrators = 1;
  for (uint64_t n = 1; n < 100000; n += 1 + n / 16) {
    hk_ctx *ctx = hk_ctx_create();
    hk_comparison *c = NULL;
    hki_alloc_fail_at(ctx, n);
    hk_status st = hk_compare(ctx, MODEL, &o, &c);
    ck_assert((st == HK_OK) == (c != NULL));
    if (c) hk_comparison_write(c, "json");
    hk_comparison_free(c);
    bool enough = st == HK_OK && hki_error_count(ctx) == 0;
    hk_ctx_destroy(ctx);
    if (enough) break;
  }
}
END_TEST

Suite *suite_compare(void) {
  Suite *s = suite_create("compare");
  TCase *t = tcase_create("compare");
  tcase_set_timeout(t, 60);
  tcase_add_test(t, rows_and_names);
  tcase_add_test(t, formats);
  tcase_add_test(t, largest);
  tcase_add_test(t, interrupted);
  tcase_add_test(t, cannot_start);
  tcase_add_test(t, out_of_memory);
  suite_add_tcase(s, t);
  return s;
}
