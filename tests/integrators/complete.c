/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of every integrator has what its kind of steps and of dense output makes necessary, and
 * the check of it sees each entry that is taken away.
 */
#include <string.h>

#include "integrators/integrator.h"
#include "runner.h"

START_TEST(test_every_table_is_complete) {
  for (int32_t i = 0; i < hki_integrator_count(); i++) {
    const hk_integrator_ops *ops = hki_integrator_at(i);
    const char *fault = hki_integrator_fault(ops);
    ck_assert_msg(!fault, "integrator '%s': %s", ops->name, fault);
    ck_assert_uint_le(ops->par_size, HK_INTEGRATOR_PAR_MAX);
  }
}
END_TEST

#define LACKS(ops, entry)                                                                          \
  do {                                                                                             \
    hk_integrator_ops less = *(ops);                                                               \
    less.entry = 0;                                                                                \
    const char *fault = hki_integrator_fault(&less);                                               \
    ck_assert_msg(fault && !strcmp(fault, #entry " is missing"), "%s of '%s': %s", #entry,         \
                  less.name, fault ? fault : "not missed");                                        \
  } while (0)

START_TEST(test_what_is_taken_away_is_missed) {
  bool measured = false, dense = false;
  for (int32_t i = 0; i < hki_integrator_count(); i++) {
    const hk_integrator_ops *ops = hki_integrator_at(i);
    LACKS(ops, params);
    LACKS(ops, needs);
    LACKS(ops, prepare);
    LACKS(ops, start);
    LACKS(ops, step);
    if (ops->steps == HK_STEPS_MEASURED) {
      LACKS(ops, error);
      measured = true;
    }
    if (ops->ndense) {
      LACKS(ops, remember);
      LACKS(ops, dense);
      dense = true;
    }
  }
  ck_assert(measured && dense);
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
