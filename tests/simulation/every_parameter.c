/* SPDX-License-Identifier: Apache-2.0
 *
 * Every parameter of every example changes during a run by a thousandth: it is taken and the run goes on, or it is
 * refused with words and nothing has changed.
 */
#include <check.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hooke/hooke.h"
#include "runner.h"

Suite *suite_every_parameter(void);

static int taken, refused;

static void change(hk_ctx *ctx, hk_sim *s, int32_t p, const char *path) {
  const size_t size = hk_sim_state_size(s);
  const double old = hk_sim_parameter_get(s, p);
  unsigned char *before = malloc(2 * size + 1), *after = before + size;
  char name[200];
  snprintf(name, sizeof name, "%s", hk_sim_parameter_name(s, p));
  hk_ctx_clear(ctx);
  ck_assert_int_eq(hk_sim_state_get(s, before, size), HK_OK);
  const hk_status st = hk_sim_parameter_set(s, p, old != 0.0 ? 1.001 * old : 0.001);
  ck_assert_uint_eq(hk_sim_state_size(s), size);
  if (st == HK_OK) {
    taken++;
    for (int i = 0; i < 3 && !hk_sim_done(s); i++)
      ck_assert_msg(hk_sim_step(s) == HK_OK, "%s, %s: the step behind it failed", path, name);
    // back to the state before, with the old value
    ck_assert_int_eq(hk_sim_state_set(s, before, size), HK_OK);
  } else {
    refused++;
    ck_assert_msg(hk_ctx_message_count(ctx) > 0, "%s, %s: refused without words", path, name);
  }
  ck_assert_double_eq(hk_sim_parameter_get(s, p), old);
  ck_assert_int_eq(hk_sim_state_get(s, after, size), HK_OK);
  ck_assert_msg(memcmp(before, after, size) == 0, "%s, %s: the state is another one", path, name);
  free(before);
}

START_TEST(every_parameter_of_every_example) {
  char pattern[512];
  glob_t list;
  snprintf(pattern, sizeof pattern, "%s/examples/*.yaml", test_source_dir());
  ck_assert_int_eq(glob(pattern, 0, NULL, &list), 0);
  for (size_t k = 0; k < list.gl_pathc; k += test_few() ? 5 : 1) {
    hk_ctx *ctx = hk_ctx_create();
    hk_model *m = NULL;
    hk_sim *s = NULL;
    ck_assert_int_eq(hk_model_load(ctx, list.gl_pathv[k], NULL, 0, &m), HK_OK);
    const hk_status st = hk_sim_create(m, NULL, &s);
    hk_model_release(m);
    for (int i = 0; st == HK_OK && i < 12 && !hk_sim_done(s); i++)
      ck_assert_int_eq(hk_sim_step(s), HK_OK);
    for (int32_t p = 0; st == HK_OK && p < hk_sim_parameter_count(s) && p < 12; p++)
      change(ctx, s, p, list.gl_pathv[k]);
    hk_sim_destroy(s);
    hk_ctx_destroy(ctx);
  }
  globfree(&list);
  ck_assert_msg(taken > (test_few() ? 20 : 100), "%d taken", taken);
  ck_assert_msg(test_few() || refused > 5, "%d refused", refused);
}
END_TEST

Suite *suite_every_parameter(void) {
  Suite *s = suite_create("every_parameter");
  TCase *t = tcase_create("every_parameter");
  tcase_add_test(t, every_parameter_of_every_example);
  tcase_set_timeout(t, 600);
  suite_add_tcase(s, t);
  return s;
}
