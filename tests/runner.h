/* SPDX-License-Identifier: Apache-2.0
 *
 * runner.h: what the main function of every test program shares. A test file foo.c defines
 * `Suite *suite_foo(void)`; the list of suites of a folder is made by tests/CMakeLists.txt.
 *
 * Check's own variables work: CK_RUN_SUITE, CK_RUN_CASE, CK_FORK=no (for the debugger),
 * CK_VERBOSITY.
 */
#ifndef HK_TESTS_RUNNER_H
#define HK_TESTS_RUNNER_H

#include <check.h>
#include <string.h>
#include <stdbool.h>

/* true when cases should be shortened (HOOKE_TEST_SHORT=1: sanitizer builds) */
bool test_short(void);

/* true when all of many alike cases are asked for (HOOKE_TEST_ALL=1: `make check-all`) */
bool test_all(void);
/* true when few of many alike cases are enough: shortened, and not all asked for (HOOKE_TEST_ALL=1:
 * make check-all) */
bool test_few(void);

/* the root of the source tree: $HOOKE_SOURCE, or the one the program was built from */
const char *test_source_dir(void);

/* Calls f(arg) in a process of its own (whether or not Check forks): does it end by abort(), with
 * `words` in what it says on the standard error? For assertions: cases of them are added in builds
 * with HK_ASSERTIONS only. */
bool test_aborts(void (*f)(void *), void *arg, const char *words);

/* runs all suites, prints failures and totals; 0 when all passed */
int test_run(Suite *(*const *suites)(void), int count);

/* fails unless `fault`, the check of a table of type `type`, misses `entry` when it is taken away */
#define TEST_LACKS(type, fault, ops, entry)                                                        \
  do {                                                                                             \
    type less_ = *(ops);                                                                           \
    less_.entry = NULL;                                                                            \
    const char *said_ = fault(&less_);                                                             \
    ck_assert_msg(said_ && !strcmp(said_, #entry " is missing"), "%s of '%s': %s", #entry,         \
                  less_.name, said_ ? said_ : "not missed");                                       \
  } while (0)

#endif
