/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of every joint has what its counts and capabilities make necessary, and the check of it
 * sees each entry that is taken away.
 */
#include "joints/joint.h"
#include "runner.h"

START_TEST(test_every_table_is_complete) {
  for (int32_t i = 0; i < hki_joint_count(); i++) {
    const char *fault = hki_joint_fault(hki_joint_at(i));
    ck_assert_msg(!fault, "joint '%s': %s", hki_joint_at(i)->name, fault);
  }
}
END_TEST

#define LACKS(ops, entry) TEST_LACKS(hk_joint_ops, hki_joint_fault, ops, entry)

START_TEST(test_what_is_taken_away_is_missed) {
  for (int32_t i = 0; i < hki_joint_count(); i++) {
    const hk_joint_ops *ops = hki_joint_at(i);
    LACKS(ops, text);
    LACKS(ops, params);
    LACKS(ops, loop);
    LACKS(ops, loop_geo);
    if (ops->nv >= 0) {
      LACKS(ops, tree);
      LACKS(ops, plus);
      LACKS(ops, minus);
      LACKS(ops, measure);
    }
    if (ops->ns > 0) {
      LACKS(ops, coord);
      LACKS(ops, coord_geo);
      LACKS(ops, scalars);
    }
    if (ops->caps & HK_JOINT_LOCKED) LACKS(ops, present);
  }
}
END_TEST

#ifdef HK_ASSERTIONS
static void look_up(void *arg) { HK_ASSERT_TABLE("joint", (hk_joint_ops *)arg, hki_joint_fault); }

START_TEST(test_an_incomplete_joint_is_caught) {
  hk_joint_ops less = *hki_joint_find("revolute");
  less.tree = NULL;
  ck_assert(test_aborts(look_up, &less, "joint 'revolute': tree is missing"));
}
END_TEST
#endif

Suite *suite_complete(void);
Suite *suite_complete(void) {
  Suite *s = suite_create("complete");
  TCase *t = tcase_create("complete");
  tcase_add_test(t, test_every_table_is_complete);
  tcase_add_test(t, test_what_is_taken_away_is_missed);
#ifdef HK_ASSERTIONS
  tcase_add_test(t, test_an_incomplete_joint_is_caught);
#endif
  suite_add_tcase(s, t);
  return s;
}
