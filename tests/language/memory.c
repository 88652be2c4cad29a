/* SPDX-License-Identifier: Apache-2.0
 *
 * A model is read while memory runs out, at any allocation: there is no spec, "out of memory" is
 * among the errors, and nothing is lost (with sanitizers: no byte of memory either).
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "language/model_reader.h"
#include "runner.h"

Suite *suite_memory(void);

static bool said(const hk_ctx *ctx) {
  for (int32_t i = 0; i < hk_ctx_message_count(ctx); i++)
    if (hk_ctx_message(ctx, i)->code == HK_E_MEMORY) return true;
  return false;
}

START_TEST(reading_without_memory) {
  static const char *const models[] = {"tests/fuzz/corpus/model/everything.yaml",
                                       "examples/mirrored-axle.yaml", "examples/motor-crank.yaml",
                                       "examples/grab-and-release.yaml"};
  char path[512];
  const uint64_t step = test_short() ? 13 : 1;
  snprintf(path, sizeof path, "%s/%s", test_source_dir(), models[_i]);
  for (uint64_t n = 1;; n += step) {
    hk_ctx *ctx = hk_ctx_create();
    hki_alloc_fail_at(ctx, n);
    hk_spec *spec = hki_model_read(ctx, path, NULL, 0);
    const bool failed = hki_memory_failures(ctx) > 0, done = !failed;
    ck_assert_msg(failed ? !spec && said(ctx) : spec != NULL, "%s, allocation %d", models[_i],
                  (int)n);
    if (spec) hki_spec_destroy(spec);
    hk_ctx_destroy(ctx);
    if (done) break;
    ck_assert_uint_lt(n, 100000);
  }
}
END_TEST

Suite *suite_memory(void) {
  Suite *s = suite_create("memory");
  TCase *t = tcase_create("memory");
  tcase_add_loop_test(t, reading_without_memory, 0, 4);
  suite_add_tcase(s, t);
  return s;
}
