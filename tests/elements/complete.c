/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of every element has what its counts make necessary, and the check of it sees each
 * entry that is taken away.
 */
#include "elements/element.h"
#include "runner.h"

START_TEST(test_every_table_is_complete) {
  for (int32_t i = 0; i < hki_element_count(); i++) {
    const char *fault = hki_element_fault(hki_element_at(i));
    ck_assert_msg(!fault, "element '%s': %s", hki_element_at(i)->name, fault);
  }
}
END_TEST

#define LACKS(ops, entry) TEST_LACKS(hk_element_ops, hki_element_fault, ops, entry)

START_TEST(test_what_is_taken_away_is_missed) {
  for (int32_t i = 0; i < hki_element_count(); i++) {
    const hk_element_ops *ops = hki_element_at(i);
    LACKS(ops, text);
    LACKS(ops, params);
    LACKS(ops, eval);
    if (ops->ny > 0) LACKS(ops, outputs);
    if (ops->nnode > 0) LACKS(ops, domains);
    if (ops->nown > 0) LACKS(ops, own_scale);
    if (ops->decide && !ops->hook) LACKS(ops, decide);
    hk_element_ops more = *ops;
    more.follow = NULL;
    if (ops->follow) ck_assert_ptr_nonnull(hki_element_fault(&more));
    more = *ops;
    more.nu = HK_ELEMENT_INPUTS + 1;
    ck_assert_ptr_nonnull(hki_element_fault(&more));
  }
}
END_TEST

Suite *suite_complete(void);
Suite *suite_complete(void) {
  Suite *s = suite_create("complete");
  TCase *t = tcase_create("complete");
  tcase_add_test(t, test_every_table_is_complete);
  tcase_add_test(t, test_what_is_taken_away_is_missed);
  suite_add_tcase(s, t);
  return s;
}
