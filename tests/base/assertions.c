/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of assertions: what they say, and that they cost nothing where they are off.
 */
#include "base/base.h"
#include "runner.h"

static int asked;

static bool ask(bool answer) {
  asked++;
  return answer;
}

/* a condition is looked at once, or never */
START_TEST(test_a_condition_that_holds_goes_on) {
  asked = 0;
  HK_ASSERT(ask(true));
#ifdef HK_ASSERTIONS
  ck_assert_int_eq(asked, 1);
#else
  ck_assert_int_eq(asked, 0);
#endif
}
END_TEST

typedef struct table {
  const char *name;
  int count;
  void (*always)(void *), (*counted)(void *);
} table;

static const char *fault(const table *ops) {
  HK_TABLE_HOLDS(ops->count >= 0);
  HK_TABLE_NEEDS(true, ops, always);
  HK_TABLE_NEEDS(ops->count > 0, ops, counted);
  return NULL;
}

static void nothing(void *arg) { (void)arg; }

START_TEST(test_a_check_of_a_table_names_what_is_wrong) {
  ck_assert_ptr_null(fault(&(table){"t", 0, nothing, NULL}));
  ck_assert_ptr_null(fault(&(table){"t", 1, nothing, nothing}));
  ck_assert_str_eq(fault(&(table){"t", 0, NULL, NULL}), "always is missing");
  ck_assert_str_eq(fault(&(table){"t", 1, nothing, NULL}), "counted is missing");
  ck_assert_str_eq(fault(&(table){"t", -1, nothing, NULL}), "'ops->count >= 0' does not hold");
}
END_TEST

#ifdef HK_ASSERTIONS
static void break_condition(void *arg) {
  HK_ASSERT(ask(false));
  (void)arg;
}

static void break_table(void *arg) { HK_ASSERT_TABLE("sort", (const table *)arg, fault); }

START_TEST(test_a_broken_assertion_says_where_and_aborts) {
  table t = {"odd", 1, nothing, NULL};
  ck_assert(test_aborts(break_condition, NULL, "break_condition: assertion failed: ask(false)"));
  ck_assert(test_aborts(break_condition, NULL, "tests/base/assertions.c:"));
  ck_assert(test_aborts(break_table, &t, "sort 'odd': counted is missing"));
  ck_assert(!test_aborts(nothing, NULL, ""));
}
END_TEST
#endif

Suite *suite_assertions(void);
Suite *suite_assertions(void) {
  Suite *s = suite_create("assertions");
  TCase *t = tcase_create("assertions");
  tcase_add_test(t, test_a_condition_that_holds_goes_on);
  tcase_add_test(t, test_a_check_of_a_table_names_what_is_wrong);
#ifdef HK_ASSERTIONS
  tcase_add_test(t, test_a_broken_assertion_says_where_and_aborts);
#endif
  suite_add_tcase(s, t);
  return s;
}
