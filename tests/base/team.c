/* SPDX-License-Identifier: Apache-2.0
 *
 * A team of threads does every part of every piece of work once, and its end waits for all.
 */
#include <check.h>
#include <string.h>

#include "base/base.h"
#include "runner.h"

Suite *suite_team(void);

enum { PLACES = 1000 };

typedef struct sheet {
  int32_t count[PLACES];
  int32_t parts;
} sheet;

static void add(void *arg, int32_t part, int32_t parts) {
  sheet *s = arg;
  if (part == 0) s->parts = parts;
  for (int32_t i = PLACES * part / parts; i < PLACES * (part + 1) / parts; i++) s->count[i]++;
}

START_TEST(every_part_once) {
  hk_ctx *ctx = hk_ctx_create();
  sheet s = {0};
  hk_team *t = _i ? hki_team_create(ctx, _i + 1) : NULL;
  ck_assert_int_eq(t != NULL, _i > 0);
  ck_assert_int_eq(hki_team_size(t), _i + 1);
  for (int32_t k = 1; k <= 50; k++) {
    hki_team_run(t, add, &s);
    for (int32_t i = 0; i < PLACES; i++) ck_assert_int_eq(s.count[i], k);
  }
  ck_assert_int_eq(s.parts, _i + 1);
  hki_team_end(t);
  hk_ctx_destroy(ctx);
}
END_TEST

Suite *suite_team(void) {
  Suite *s = suite_create("team");
  TCase *c = tcase_create("team");
  tcase_add_loop_test(c, every_part_once, 0, 4);
  suite_add_tcase(s, c);
  return s;
}
