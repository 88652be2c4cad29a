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
#include <stdbool.h>

/* true when cases should be shortened (HOOKE_TEST_SHORT=1: sanitizer builds) */
bool test_short(void);

/* the root of the source tree: $HOOKE_SOURCE, or the one the program was built from */
const char *test_source_dir(void);

/* runs all suites, prints failures and totals; 0 when all passed */
int test_run(Suite *(*const *suites)(void), int count);

#endif
